"""``review --plain``: the inbox line by line, in the shape of ``git add -p``; the same letters, the same service."""

from __future__ import annotations

import sys
from collections.abc import Callable

import click

from curator import clock
from curator.actions import ACTIONS
from curator.cli.look import card
from curator.errors import CuratorError
from curator.model import Entry, Kind
from curator.service import Curator, Outcome, Resolution

DIGITS = {"1": Resolution.NEWER, "2": Resolution.OLDER, "3": Resolution.BOTH, "4": Resolution.MERGE}


def loop(curator: Curator, session: str = "") -> None:
    """Go through what waits; enter or j leaves a card undecided; end of input saves and ends."""
    order = curator.order(curator.waiting(session=session))
    at = 0
    while at < len(order):
        entry = curator.at(order[at])
        if entry is None or not entry.waits:
            at += 1
            continue
        click.echo(f"\n[{at + 1}/{len(order)}]")
        click.echo("\n".join(card(entry)))
        shown = clock.now()
        step = 0
        while step == 0:
            answer = ask()
            if answer is None or answer == "q":
                return
            try:
                step = act(curator, entry, answer, shown)
            except CuratorError as error:
                click.echo(str(error))
        at = max(0, at + step)
    click.echo("Nothing more waits.")


def ask() -> str | None:
    """The next letter, ``None`` at the end of input."""
    click.echo(
        "y keep, x drop, e edit, m merge, s supersede, z snooze, u undo, 1-3 wording, o evidence, q quit, ? help > ", nl=False
    )
    line = sys.stdin.readline()
    if not line:
        click.echo("")
        return None
    return line.strip()


def act(curator: Curator, entry: Entry, answer: str, shown: float) -> int:
    """Carry out a letter; returns how far to move: 1 on, -1 back, 0 stay. Raises ``CuratorError``."""
    seconds = clock.now() - shown
    ids = [entry.id]
    verdicts: dict[str, Callable[[], Outcome]] = {
        "y": lambda: curator.accept(ids, seconds=seconds),
        "x": lambda: curator.drop(ids, seconds=seconds),
        "n": lambda: curator.drop(ids, seconds=seconds),
        "z": lambda: curator.snooze(ids, seconds=seconds),
        "e": lambda: edited(curator, entry, seconds),
        "m": lambda: into(curator, entry, seconds, supersede=False),
        "s": lambda: into(curator, entry, seconds, supersede=True),
    }
    if answer in ("", "j"):
        return 1
    if answer == "k":
        return -1
    if answer == "u":
        outcome = curator.undo()
        done(curator, outcome)
        return -1
    if answer == "o":
        evidence(entry)
        return 0
    if answer in DIGITS:
        done(curator, chosen(curator, entry, answer, seconds))
        return 1
    if answer in verdicts:
        done(curator, verdicts[answer]())
        return 1
    for action in ACTIONS:
        if action.plain:
            click.echo(f"  {action.plain}  {action.help}")
    return 0


def chosen(curator: Curator, entry: Entry, digit: str, seconds: float) -> Outcome:
    """An offered wording, or a side of a conflict."""
    if entry.kind is Kind.CONFLICT:
        return curator.resolve([entry.id], DIGITS[digit], seconds=seconds)
    return curator.accept([entry.id], wording=int(digit), seconds=seconds)


def edited(curator: Curator, entry: Entry, seconds: float) -> Outcome:
    """Type a new headline; an empty line leaves it. Raises ``CuratorError`` when it was left."""
    click.echo(f"headline [{entry.headline}]: ", nl=False)
    text = sys.stdin.readline().strip()
    if not text:
        raise CuratorError("Left as it was.")
    return curator.edit(entry.id, headline=text, keep=True, seconds=seconds)


def into(curator: Curator, entry: Entry, seconds: float, *, supersede: bool) -> Outcome:
    """Choose what to merge into or supersede. Raises ``CuratorError`` when nothing was chosen."""
    if supersede and entry.kind is Kind.CONFLICT:
        return curator.resolve([entry.id], Resolution.NEWER, seconds=seconds)
    targets = curator.targets(entry)
    if not targets:
        raise CuratorError("There is nothing to choose from yet.")
    for at, target in enumerate(targets, 1):
        click.echo(f"  {at}  {target.entry.headline}")
    click.echo("which one (enter leaves): ", nl=False)
    answer = sys.stdin.readline().strip()
    if not answer.isdigit() or not 1 <= int(answer) <= len(targets):
        raise CuratorError("Left as it was.")
    target = targets[int(answer) - 1]
    if supersede:
        return curator.supersede(target.entry.id, entry.id, seconds=seconds)
    return curator.merge([entry.id], target.entry.id, headline=target.headline, insight=target.insight, seconds=seconds)


def evidence(entry: Entry) -> None:
    """What was said around each quote."""
    for item in entry.evidence:
        click.echo(f"-- {item.agent} {item.session} {item.file}:{item.line}")
        for line in item.excerpt:
            click.echo(f"{'>' if line.hit else ' '} {line.role.value}: {line.text}")


def done(curator: Curator, outcome: Outcome) -> None:
    """Say what was done, and let files and anchors follow."""
    for entry in outcome.entries[:1]:
        click.echo(f"{outcome.verb.value}: {entry.headline} ({entry.state.value})")
    curator.settle([entry.id for entry in outcome.entries])
