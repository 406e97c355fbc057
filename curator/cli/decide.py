"""Commands that decide: each is a twin of a key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from curator.cli.session import Session, as_json, emit, moment, pass_session, rows, scoped, warn, words_of
from curator.errors import UsageError
from curator.model import Category, Entry
from curator.service import REASONS, Curator, Outcome

CATEGORIES = click.Choice([category.value for category in Category])
SCOPE_HELP = "project, global, or paths separated by commas."


def report(curator: Curator, outcome: Outcome, wanted: Sequence[str], as_json: bool) -> None:
    """Say what was done, once it is durable; then let files and anchors follow."""
    entries = [entry for entry in outcome.entries if entry.id in wanted] or list(outcome.entries)
    if as_json:
        emit({"id": entry.id, "state": entry.state, "event": outcome.events[entry.id]} for entry in entries)
    else:
        for entry in entries:
            click.echo(f"{entry.id}  {entry.state.value}  {entry.headline}")
    curator.settle([entry.id for entry in outcome.entries])


def print_row(curator: Curator, entry: Entry, as_json: bool) -> None:
    """Print one entry."""
    if as_json:
        emit(rows(curator, [entry]))
    else:
        click.echo(f"{entry.id}  {entry.state.value}  {entry.headline}")


def found(curator: Curator, ids: Sequence[str]) -> list[str]:
    """Full ids; all of them are looked up before any is touched."""
    return list(dict.fromkeys(curator.find(id_).id for id_ in ids))


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--wording", type=click.IntRange(1, 3), default=None, help="Keep with this offered wording.")
@as_json
@pass_session
def keep(session: Session, ids: tuple[str, ...], wording: int | None, as_json: bool) -> None:
    """Keep candidates; accept the suggestion for conflicts; confirm stale lessons."""
    with session.open(anywhere=True) as curator:
        wanted = found(curator, ids)
        report(curator, curator.accept(wanted, wording=wording or 0), wanted, as_json)


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--reason", type=click.Choice(REASONS), default=None, help="Why.")
@as_json
@pass_session
def retire(session: Session, ids: tuple[str, ...], reason: str | None, as_json: bool) -> None:
    """Retire lessons; dismiss candidates, which then never come back."""
    with session.open(anywhere=True) as curator:
        wanted = found(curator, ids)
        report(curator, curator.drop(wanted, reason=reason or ""), wanted, as_json)


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--until", metavar="D", help="A date, or a span such as 7d.")
@as_json
@pass_session
def snooze(session: Session, ids: tuple[str, ...], until: str | None, as_json: bool) -> None:
    """Ask again later."""
    with session.open(anywhere=True) as curator:
        wanted = found(curator, ids)
        report(curator, curator.snooze(wanted, moment(until, ahead=True) if until else None), wanted, as_json)


@click.command()
@click.argument("old")
@click.argument("new")
@as_json
@pass_session
def supersede(session: Session, old: str, new: str, as_json: bool) -> None:
    """Put a newer entry in an older one's place."""
    with session.open(anywhere=True) as curator:
        wanted = found(curator, [old, new])
        report(curator, curator.supersede(*wanted), wanted, as_json)


@click.command()
@click.argument("source")
@click.argument("target")
@click.option("--text", metavar="T", help="The target's new headline; further lines are its insight.")
@as_json
@pass_session
def merge(session: Session, source: str, target: str, text: str | None, as_json: bool) -> None:
    """Merge one entry into another, which gets its evidence."""
    with session.open(anywhere=True) as curator:
        from_, into = found(curator, [source])[0], found(curator, [target])[0]
        headline, _, insight = (text or "").strip().partition("\n")
        outcome = curator.merge([from_], into, headline=headline, insight=" ".join(insight.split()))
        curator.settle([entry.id for entry in outcome.entries])
        print_row(curator, curator.find(into), as_json)


@click.command()
@click.argument("text", nargs=-1, required=True, metavar="TEXT")
@click.option("--category", type=CATEGORIES, default=Category.CONVENTION.value, show_default=True)
@click.option("--file", "files", multiple=True, metavar="P", help="A file that it speaks of; may be repeated.")
@click.option("--scope", default="project", metavar="S", show_default=True, help=SCOPE_HELP)
@as_json
@scoped
@pass_session
def add(session: Session, text: tuple[str, ...], category: str, files: tuple[str, ...], scope: str, as_json: bool) -> None:
    """Add a lesson by hand."""
    with session.open() as curator:
        fields = scope_fields(scope)
        outcome = curator.add(words_of(text), category=Category(category), files=files, **fields)
        curator.settle([entry.id for entry in outcome.entries])
        print_row(curator, outcome.entries[0], as_json)


@click.command()
@click.argument("id")
@click.option("--headline", metavar="T")
@click.option("--insight", metavar="T")
@click.option("--category", type=CATEGORIES)
@click.option("--scope", metavar="S", help=SCOPE_HELP)
@as_json
@pass_session
def edit(
    session: Session, id: str, headline: str | None, insight: str | None, category: str | None, scope: str | None, as_json: bool
) -> None:
    """Change an entry; without options in $EDITOR."""
    with session.open(anywhere=True) as curator:
        entry = curator.find(id)
        given = {"headline": headline, "insight": insight, "category": Category(category) if category else None}
        fields: dict[str, Any] = {key: value for key, value in given.items() if value is not None} | (
            scope_fields(scope) if scope else {}
        )
        if not fields:
            fields = in_editor(entry)
        if fields:
            outcome = curator.edit(entry.id, **fields)
            curator.settle([entry.id])
            entry = outcome.entries[0]
        else:
            warn("Nothing was changed.")
        print_row(curator, entry, as_json)


def in_editor(entry: Entry) -> dict[str, Any]:
    """Headline and insight from $EDITOR; empty if nothing was changed."""
    text = click.edit(f"{entry.headline}\n\n{entry.insight}\n", extension=".md")
    if text is None:
        return {}
    headline, _, insight = text.strip().partition("\n")
    fields = {"headline": headline.strip(), "insight": " ".join(insight.split())}
    return fields if fields != {"headline": entry.headline, "insight": entry.insight} else {}


def scope_fields(scope: str) -> dict[str, Any]:
    """A scope as fields. Raises ``UsageError`` for an empty one."""
    if scope in ("project", "global"):
        return {"scope": scope, "paths": ()}
    paths = tuple(path.strip() for path in scope.split(",") if path.strip())
    if not paths:
        raise UsageError("A scope can't be empty.", SCOPE_HELP)
    return {"scope": "paths", "paths": paths}


@click.command()
@click.option("--event", type=int, metavar="E", help="The batch that holds this event, instead of the last one.")
@as_json
@scoped
@pass_session
def undo(session: Session, event: int | None, as_json: bool) -> None:
    """Take back the last verdict, also one from yesterday."""
    with session.open(anywhere=True) as curator:
        returned(curator, curator.undo(event), as_json, "undone")


@click.command()
@click.option("--event", type=int, metavar="E", help="The batch that holds this event, instead of the last one.")
@as_json
@scoped
@pass_session
def redo(session: Session, event: int | None, as_json: bool) -> None:
    """Do again what was undone."""
    with session.open(anywhere=True) as curator:
        returned(curator, curator.redo(event), as_json, "redone")


def returned(curator: Curator, outcome: Outcome, as_json: bool, word: str) -> None:
    """Say what was taken back or done again."""
    ids = [entry.id for entry in outcome.entries]
    curator.settle(ids)
    if as_json:
        emit([{"event": max(outcome.events.values()), word: ids}])
    else:
        for entry in outcome.entries:
            click.echo(f"{word}: {entry.id}  {entry.headline}")


@click.command()
@click.argument("ids", nargs=-1, metavar="ID...")
@click.option("--session", "of_session", metavar="S", default="", help="Everything that came from this session.")
@as_json
@pass_session
def forget(session: Session, ids: tuple[str, ...], of_session: str, as_json: bool) -> None:
    """Purge entries with their evidence and history, for good; they never come back."""
    if not ids and not of_session:
        raise UsageError("Forget what?", "Name ids, or a session with --session.")
    with session.open(anywhere=True) as curator:
        count = curator.forget(ids, session=of_session)
    emit([{"forgotten": count}]) if as_json else click.echo(f"forgotten: {count}")


COMMANDS = (keep, retire, edit, merge, supersede, snooze, add, undo, redo, forget)
