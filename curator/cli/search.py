"""``curator search``: look lessons up by words and files."""

from __future__ import annotations

import re
from collections.abc import Set
from typing import TYPE_CHECKING

import click

from curator import app, clock
from curator.app import Curator, visible
from curator.cli.context import (
    CATEGORIES,
    CATEGORY_HELP,
    Session,
    as_json,
    emit,
    moment,
    pass_session,
    rows,
    scoped,
    warn,
    words_of,
)
from curator.errors import UsageError
from curator.model import Category, State

if TYPE_CHECKING:
    from curator.app.search import Match


@click.command()
@click.argument("words", nargs=-1, metavar="WORDS...")
@click.option("--file", "files", multiple=True, metavar="P", help="Also what belongs to this file; may be repeated.")
@click.option("--category", type=CATEGORIES, metavar="C", help=CATEGORY_HELP)
@click.option("--since", metavar="D", help="Only what changed since a date, or in a span such as 7d.")
@click.option("--candidates", is_flag=True, help="Look among what waits for a verdict.")
@click.option("--retired", is_flag=True, help="Look among what no longer holds.")
@click.option("--limit", type=click.IntRange(min=1), default=20, metavar="N", help="So many at most; 20 unless set otherwise.")
@click.option("--explain", is_flag=True, help="With each match's whole sum of reasons, in numbers.")
@as_json
@scoped
@pass_session
def search(
    session: Session,
    words: tuple[str, ...],
    files: tuple[str, ...],
    category: str | None,
    since: str | None,
    candidates: bool,
    retired: bool,
    limit: int,
    explain: bool,
    as_json: bool,
) -> None:
    """Find lessons, best first, by words, by files, or both.

    In the order in which an agent would be sent them, each with what it was found by. A word that no lesson has is read as the
    one most like it.
    """
    from curator.app import search

    if not words and not files:
        raise UsageError("Say what to look for.", "Give words, or a file with --file.")
    states = [State.OPEN] * candidates + [State.RETIRED] * retired or [State.ACTIVE]
    with session.open() as curator:
        found = search.search(
            curator,
            words_of(words),
            files=app.project_files.own_files(curator, files),
            states=states,
            category=Category(category) if category else None,
            since=moment(since) if since else 0.0,
            limit=limit,
        )
        for word, other in found.read_as.items():
            warn(f"“{word}” is in no lesson; looked for “{other}”.")
        if found.trouble:
            warn(found.trouble)
        if as_json:
            listed = rows(curator, [match.entry for match in found.matches])
            emit(
                item | {"score": round(match.score, 3), "why": {part: round(worth, 3) for part, worth in match.parts.items()}}
                for item, match in zip(listed, found.matches, strict=True)
            )
            return
        for match in found.matches:
            show(curator, match, clock.now(), explain=explain)
        if not found.matches:
            warn(f"Nothing was found{' in this project' if curator.project else ''}; other words, or --all, may lead further.")


def show(curator: Curator, match: Match, now: float, *, explain: bool) -> None:
    """A match: its line, its insight where that says more, and what it was found by."""
    from curator.cli.lists import line
    from curator.cli.why import added, plainly

    names = {id_: project.name for id_, project in curator.projects().items() if id_ != curator.scope}
    click.echo(marked(line(match.entry, now, names.get(match.entry.project, "")), match.terms))
    if match.entry.insight.rstrip(".") != match.entry.headline.rstrip("."):
        click.echo(marked(f"           {match.entry.insight}", match.terms))
    if match.parts:
        reasons = (added if explain else plainly)(match.parts, match.score)
        click.echo(click.style(f"           {reasons}", dim=True))


def marked(text: str, found: Set[str]) -> str:
    """A text with the words in bold that were looked for."""
    from curator.text.words import terms

    return re.sub(
        r"\w+", lambda word: click.style(word[0], bold=True) if not found.isdisjoint(terms(word[0])) else word[0], visible(text)
    )


COMMANDS = (search,)
