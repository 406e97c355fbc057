"""``curator hook``: its page of help. Agents' calls never come here: ``__main__`` hands them to ``hooks.answer``."""

from __future__ import annotations

import sys

import click


@click.command()
@click.argument("agent")
@click.argument("event")
def hook(agent: str, event: str) -> None:
    """Answer an agent's hook.

    Its JSON is on standard input; lessons or nothing go to standard output.

    Set up by `curator install`. It always exits with 0 and never waits longer than a quarter of a second; what it decided
    is seen with `curator why`. CURATOR_HOOKS=0 in the environment silences it.
    """
    from curator.hooks.answer import answer

    click.echo(answer((agent, event), sys.stdin.buffer.read()), nl=False)


COMMANDS = (hook,)
