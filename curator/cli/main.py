"""The group of commands, and the one place where errors of the command line are caught."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence

import click

from curator import __version__
from curator.cli import decide, look, move
from curator.cli.session import Faces, Session, complain, is_terminal, pass_session, scoped, warn
from curator.errors import CuratorError, UsageError

log = logging.getLogger("curator")


@click.group(
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Data with --json, talk on stderr. Exit codes: 0 done, 2 usage, 3 bad input or state, 130 ctrl-c.",
)
@click.version_option(__version__, message="curator %(version)s")
@scoped
@click.pass_context
def cli(context: click.Context) -> None:
    """The lesson inbox for coding agents: without a command, open the inbox of this project."""
    if context.invoked_subcommand is None:
        open_inbox(context.ensure_object(Session))


def open_inbox(session: Session, in_session: str = "") -> None:
    """Open the inbox; on the welcome screen a person may ask for the demo instead."""
    if not is_terminal():
        raise UsageError(
            "The inbox needs a terminal.", "In scripts use `curator list --candidates --json`, or `review --plain`."
        )
    assert session.faces
    with session.open() as curator:
        answer = session.faces.inbox(curator, session=in_session)
    if answer == "demo":
        show_demo(session)


@cli.command()
@click.option("--smoke", is_flag=True, help="Headless: press one of each verdict and exit.")
@pass_session
def demo(session: Session, smoke: bool) -> None:
    """Try curator on sample data in a temporary folder; nothing of yours is touched."""
    show_demo(session, smoke=smoke)


def show_demo(session: Session, *, smoke: bool = False) -> None:
    """Open the sample, or press its keys without a terminal."""
    from curator.demo import opened

    assert session.faces
    with opened(session.settings) as curator:
        if not smoke:
            if not is_terminal():
                raise UsageError("The demo needs a terminal.", "Without one, `curator demo --smoke` presses its keys.")
            session.faces.inbox(curator, watch=False)
            return
        wrong = session.faces.smoke(curator)
    if wrong:
        raise CuratorError("The demo does not work: " + "; ".join(wrong), "Please report this.")
    click.echo("keep, edit, merge, retire and undo work")


@cli.command()
@click.option("--session", "in_session", metavar="ID", default="", help="Only this session's candidates.")
@click.option("--plain", is_flag=True, help="Line by line, without a full screen: for screen readers and pipes.")
@scoped
@pass_session
def review(session: Session, in_session: str, plain: bool) -> None:
    """Decide what waits, card by card."""
    if not plain:
        open_inbox(session, in_session)
        return
    from curator.cli.plain import loop

    with session.open() as curator:
        loop(curator, in_session)


@cli.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script of a shell: add `eval "$(curator completion bash)"` to its start-up file."""
    from click.shell_completion import get_completion_class

    complete = get_completion_class(shell)
    assert complete is not None
    click.echo(complete(cli, {}, "curator", "_CURATOR_COMPLETE").source())


for module in (look, decide, move):
    for command in module.COMMANDS:
        cli.add_command(command)


def run(arguments: Sequence[str], faces: Faces) -> int:
    """Run the command line; returns its exit code. No traceback ever reaches a person: the log has it."""
    session = Session(faces)
    try:
        cli.main(args=list(arguments), prog_name="curator", obj=session, standalone_mode=False)
    except click.exceptions.Abort:
        warn("Stopped; what was saved before is intact.")
        return 130
    except KeyboardInterrupt:
        warn("Stopped; what was saved before is intact.")
        return 130
    except click.ClickException as error:
        error.show()
        return 2
    except CuratorError as error:
        complain(error)
        return error.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what reads us has left: say nothing more
        return 0
    except Exception as error:
        log.exception("not foreseen")
        warn(f"curator: something went wrong that was not foreseen: {error!r}.\nThe log has the details: `curator where`.")
        return 3
    return session.exit_code
