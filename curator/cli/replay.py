"""``curator replay``: what would have been sent in sessions that are over, before something had to be said again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from curator import app
from curator.cli.context import Session, as_json, emit, pass_session, say, scope_options, warn
from curator.cli.transfer import bar
from curator.errors import CuratorError, UsageError
from curator.model import JSON
from curator.text.words import counted

POOLS = {
    "active": "today's active lessons, each from its first evidence on",
    "as-kept": "today's active lessons, each from the day on which it was kept",
    "candidates": "active lessons and what waits in the inbox: an upper bound",
}
LEFT_OUT = (
    "Nothing was written. Code is not replayed: stale marks and imports of files are left out, and so is what came of sending."
)
ENOUGH = 30
"""From so many statements that came up again on a share says something."""
CASES = 20
"""So many of them are listed; --json has all."""
QUOTED = 100
"""Characters of a quote in that list."""


@click.command()
@click.option("--as-kept", is_flag=True, help="Each lesson from the day of its verdict on.")
@click.option("--candidates", is_flag=True, help="Also what waits in the inbox: an upper bound.")
@click.option(
    "--root", "roots", multiple=True, type=click.Path(path_type=Path), metavar="DIR", help="Read here only; may be repeated."
)
@click.option("--cases", is_flag=True, help="List what came up again, with its place.")
@as_json
@scope_options
@pass_session
def replay(session: Session, as_kept: bool, candidates: bool, roots: tuple[Path, ...], cases: bool, as_json: bool) -> None:
    """Say what lessons would have done in past sessions.

    Reads transcripts again and asks at each moment of theirs what a hook would send, by the lessons of other sessions that were
    over by then; looks what had to be said again all the same, and whether it would have been sent before. Every share is
    printed with its 95 % interval, and beside it what lessons of another project would have reached. No model is asked, nothing
    is written; see docs/benefit.md.
    """
    if as_kept and candidates:
        raise UsageError("Say --as-kept or --candidates, not both.", "What waits was never kept.")
    if roots and not any(root.exists() for root in roots):
        raise CuratorError(f"There is no {' or '.join(map(str, roots))}.", "Name a folder with transcripts in it.")
    which = "as-kept" if as_kept else "candidates" if candidates else "active"
    with session.open() as curator:
        with bar("session") as move:
            report = app.replay.replay(curator, which=which, roots=list(roots) or None, progress=move)
        found = app.replay.figures(curator, report)
    for error in report.errors:
        warn(error)
    if as_json:
        emit([{"pool": which, **found}])
        return
    if not found["sessions"] or not found["lessons"]:
        lacking = "session of a transcript" if not found["sessions"] else "lesson"
        warn(f"There is no {lacking} here to replay; `--all` takes every project, `--root DIR` other transcripts.")
        return
    for line in lines(found, which):
        say(line)
    if cases:
        for case in found["cases"][:CASES]:
            say(told(case))
        if len(found["cases"]) > CASES:
            warn(f"{len(found['cases']) - CASES} more are printed with --json.")
    for note in notes(found):
        warn(note)


def lines(found: JSON, which: str) -> Iterator[str]:
    """The figures for people."""
    outcomes, chance = found["outcomes"], found["chance"]
    yield "what was replayed"
    yield row("sessions", found["sessions"], f"{found['undated']} of them by the age of their file" if found["undated"] else "")
    yield row("lessons", found["lessons"], f"{POOLS[which]}; {found['in_play']:,} known while sessions went on")
    yield "what came up again in a later session"
    yield row("in all", found["came_up_again"], ", ".join(f"{one['of']} {kind}" for kind, one in found["by_kind"].items()))
    yield row("sent before", outcomes["sent before"], f"{shared(found['sent_before'])}{by_chance(chance, 'sent_before')}")
    if outcomes["sent before"]:
        seconds = f", {found['seconds_before']:.0f} s" if found["seconds_before"] is not None else ""
        between = f"{counted(found['turns_before'], 'turn')}{seconds}, {counted(found['tokens_before'], 'token')}"
        yield row("", "", f"{between} before it was said (median)")
    for name in ("sent too late", "not sent", "in a file already"):
        yield row(name, outcomes[name], "")
    spared = found["corrections_spared_at_most"]
    yield row("corrections", found["corrections"], f"by a person in all; {spared} at most would have been spared")
    yield "what would have been sent"
    a_session = found["tokens_a_session"]
    yield row("lessons", found["sent"], f"tokens a session: {a_session['median']} (median), {a_session['p90']} (9 of 10 below)")
    yield row("fitting", found["fitting"]["n"], f"{shared(found['fitting'])}{by_chance(chance, 'fitting')}; the others idle")
    if found["never_in_time"]:
        yield "what cost most and was never sent in time"
    for one in found["never_in_time"]:
        yield f"  {one['lesson']}  {one['headline']}"
        yield f"    {counted(one['times'], 'time')}, {counted(one['cost'], 'token')} of work that it came after: {one['why']}"


def row(name: str, figure: object, note: str) -> str:
    """A line: a name, a figure, and what is to be said of it."""
    shown = f"{figure:,}" if isinstance(figure, int) else str(figure)
    return f"  {name:<18}{shown:>7}  {note}".rstrip()


def shared(share: JSON) -> str:
    """A share with its interval."""
    if not share["of"]:
        return "of none"
    return f"{share['share']:.0%} ({share['low']:.0%} to {share['high']:.0%})"


def by_chance(chance: JSON | None, name: str) -> str:
    """The same share where all lessons are another project's."""
    return f"; by chance {shared(chance[name])}" if chance else ""


def told(case: JSON) -> str:
    """A lesson that came up again, in a line."""
    why = f" ({case['reason']})" if case["reason"] else ""
    quote = " ".join(case["quote"].split())[:QUOTED]
    return f"{case['outcome']}{why}: {case['headline']}\n    {case['file']}:{case['line']}: {quote}"


def notes(found: JSON) -> Iterator[str]:
    """What has to be said beside the figures."""
    yield LEFT_OUT
    yield "Fitting is a lower bound of use, idle an upper bound of noise: what was read and heeded stands in no transcript."
    if not found["chance"]:
        yield "There is no control: no other project has lessons that could take the place of these."
    if not found["came_up_again"]:
        yield "No lesson came up again in a later session, so nothing can be said of whether one would have been sent in time."
    elif found["came_up_again"] < ENOUGH:
        yield f"Only {counted(found['came_up_again'], 'statement')} came up again: the interval is the result, not the share."


COMMANDS = (replay,)
