"""``curator distill``: have candidates reworded; says what it costs before anything is sent."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from curator import app
from curator.cli.context import (
    Session,
    as_json,
    emit,
    is_terminal,
    pass_session,
    say,
    scoped,
    warn,
)
from curator.errors import UsageError
from curator.model import JSON
from curator.text.plurals import counted

if TYPE_CHECKING:
    from curator.app import Distilled, Plan


@click.command()
@click.option(
    "--limit", type=click.IntRange(min=0), default=20, show_default=True, metavar="N", help="The best so many; 0 is all."
)
@click.option("--estimate", is_flag=True, help="Say what it would take, and send nothing.")
@click.option("--yes", is_flag=True, help="Do not ask before sending.")
@as_json
@scoped
@pass_session
def distill(session: Session, limit: int, estimate: bool, yes: bool, as_json: bool) -> None:
    """Offer other words for candidates, by a model of yours.

    Off until you set a distiller: a command of yours or an endpoint. What it would take is said first. The answers are
    offered on the cards; nothing is decided, and undo takes them back.
    """
    with session.open() as curator:
        plan = app.distill.plan(curator, limit)
        if not as_json:
            warn(takes(plan))
        if estimate:
            if as_json:
                emit([figures(plan)])
            return
        if plan.estimate.calls and not yes and not agreed():
            warn("Nothing was sent.")
            return
        with bar(len(plan.briefs)) as progress:
            done = app.distill.carry_out(curator, plan, progress)
    if as_json:
        emit([figures(plan, done)])
    else:
        for entry in done.reworded:
            offered = next((one for one in entry.wordings if one.label == "distilled"), None)
            say(f"{entry.id}  {offered.headline if offered else entry.headline}")
        say(f"reworded {len(done.reworded)}, unchanged {done.unchanged}, refused {done.refused}, failed {done.failed}")
    if done.failed:
        warn(f"{plan.distiller.model} failed: {done.reason}. The offline words stand; the log has the details.")


def takes(plan: Plan) -> str:
    """A plan in a sentence."""
    asked = plan.estimate
    found = counted(len(plan.briefs), "candidate") + (f", {plan.cached} answered before" if plan.cached else "")
    if not asked.calls:
        return f"{found}: nothing is to be sent."
    cost = "" if asked.cost is None else f" ({asked.cost:.4f} at the price that is set)"
    return f"{found}: {counted(asked.calls, 'call')} to {plan.distiller.model}, about {asked.tokens} tokens{cost}."


def figures(plan: Plan, done: Distilled | None = None) -> JSON:
    """A plan and what came of it as numbers."""
    return {
        "candidates": len(plan.briefs),
        "cached": plan.cached,
        "calls": plan.estimate.calls,
        "tokens": plan.estimate.tokens,
        "cost": plan.estimate.cost,
        "reworded": len(done.reworded) if done else 0,
        "unchanged": done.unchanged if done else 0,
        "refused": done.refused if done else 0,
        "failed": done.failed if done else 0,
    }


def agreed() -> bool:
    """Whether the person in front wants it. Raises ``UsageError`` where nobody is."""
    if not is_terminal():
        raise UsageError("Nothing was sent: nobody is here to be asked.", "Say --yes to go ahead, --estimate to only look.")
    return click.confirm("Go ahead?", err=True)


@contextmanager
def bar(length: int) -> Iterator[Callable[[int], None]]:
    """A progress bar on stderr, where somebody looks at it."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda done: None
        return
    with click.progressbar(length=length, label="rewording", file=sys.stderr) as shown:
        yield lambda done: shown.update(done - shown.pos)


COMMANDS = (distill,)
