"""``curator replay``: what would have been sent in sessions that are over, before something had to be said again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from curator import app
from curator.cli.context import CliRun, emit, say, scope_command, warn
from curator.cli.transfer import bar, roots_option
from curator.errors import CuratorError, UsageError
from curator.model import JSON
from curator.text.words import pluralize

CASES = 20
"""The number of cases listed; --json has all."""
QUOTED = 100
"""Characters of a quote in that list."""


@click.command()
@click.option("--as-kept", is_flag=True, help="Count each lesson only from the day you kept it.")
@click.option("--candidates", is_flag=True, help="Also use candidates (an upper bound).")
@roots_option
@click.option("--cases", is_flag=True, help="List each repetition with its place.")
@scope_command
def replay(session: CliRun, as_kept: bool, candidates: bool, roots: tuple[Path, ...], cases: bool, as_json: bool) -> None:
    """Measure what lessons would have done in past sessions.

    This reads transcripts again and asks the hook what it would send at each moment. It then counts what had to be said again
    and whether it would have been sent before. Every share has a 95 % interval and a control. It calls no model and writes
    nothing; see docs/benefit.md.
    """
    if as_kept and candidates:
        raise UsageError("Use --as-kept or --candidates, not both.", "Candidates have no day on which you kept them.")
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
        warn(f"There is no {lacking} here to replay. Use --all for every project, or --root DIR for other transcripts.")
        return
    for heading, rows in app.replay.sections(found, which).items():
        say(heading)
        for name, figure, note in rows:
            say(f"  {name:<18}{figure:>7}  {note}".rstrip())
    for line in dearest(found):
        say(line)
    if cases:
        for case in found["cases"][:CASES]:
            say(case_lines(case))
        if len(found["cases"]) > CASES:
            warn(f"{len(found['cases']) - CASES} more are printed with --json.")
    for note in app.replay.notes(found):
        warn(note)


def dearest(found: JSON) -> Iterator[str]:
    """Yield what cost most and was never sent in time."""
    if found["never_in_time"]:
        yield "highest cost, never sent in time"
    for one in found["never_in_time"]:
        yield f"  {one['lesson']}  {one['headline']}"
        times, cost = pluralize(one["times"], "time"), pluralize(one["cost"], "token")
        yield f"    {times}, {cost} of work that it came after: {one['why']}"


def case_lines(case: JSON) -> str:
    """Return a lesson that came up again, in a line."""
    why = f" ({case['reason']})" if case["reason"] else ""
    quote = " ".join(case["quote"].split())[:QUOTED]
    return f"{case['outcome']}{why}: {case['headline']}\n    {case['file']}:{case['line']}: {quote}"


COMMANDS = (replay,)
