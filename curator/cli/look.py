"""Commands that read: list, show, history, stats, where, keys."""

from __future__ import annotations

from collections.abc import Iterable

import click

from curator import clock
from curator.actions import ACTIONS
from curator.cli.session import Session, as_json, emit, moment, pass_session, rows, scoped
from curator.model import Category, Entry, Kind, Query, State
from curator.service import Curator, event_row, full_row, native_places
from curator.settings import Settings

LETTERS = {Kind.CANDIDATE: "C", Kind.CONFLICT: "!", Kind.STALE: "S", Kind.LESSON: "A"}


@click.command("list")
@click.option("--candidates", "what", flag_value="candidates", help="What waits for a verdict, all of it.")
@click.option("--conflicts", "what", flag_value="conflicts", help="What clashes with a lesson.")
@click.option("--stale", "what", flag_value="stale", help="Lessons whose files have changed.")
@click.option("--retired", "what", flag_value="retired", help="Lessons that no longer hold.")
@click.option("--category", type=click.Choice([category.value for category in Category]), help="Only this category.")
@click.option("--since", metavar="D", help="Only what changed since a date or in a span such as 7d.")
@as_json
@scoped
@pass_session
def list_(session: Session, what: str | None, category: str | None, since: str | None, as_json: bool) -> None:
    """List lessons, or what waits."""
    with session.open() as curator:
        entries = curator.entries(wanted(curator, what, category, moment(since) if since else 0.0))
        if as_json:
            emit(rows(curator, entries))
        else:
            for entry in entries:
                click.echo(line(entry))


def wanted(curator: Curator, what: str | None, category: str | None, since: float) -> Query:
    """The query behind the options; ``list`` knows no cap and no snooze: it is all that is open."""
    more = {"category": Category(category) if category else None, "since": since}
    if what == "candidates":
        return curator.library((State.OPEN,), kind=Kind.CANDIDATE, **more)
    if what == "conflicts":
        return curator.library((State.OPEN, State.ACTIVE), kind=Kind.CONFLICT, **more)
    if what == "stale":
        return curator.library((State.ACTIVE,), kind=Kind.STALE, **more)
    return curator.library((State.RETIRED if what == "retired" else State.ACTIVE,), **more)


def line(entry: Entry) -> str:
    """An entry in one line."""
    letter = "R" if entry.state is State.RETIRED else LETTERS[entry.kind]
    seen = f"  {entry.seen}x" if entry.seen > 1 else ""
    return f"{entry.id}  {letter}  {entry.category.value:<15} {entry.headline}{seen}"


@click.command()
@click.argument("id")
@as_json
@pass_session
def show(session: Session, id: str, as_json: bool) -> None:
    """Show everything that is known of an entry."""
    with session.open(anywhere=True) as curator:
        entry = curator.find(id)
        events = curator.history(entry.id)
        if as_json:
            emit([full_row(entry, curator.projects(), events, now=clock.now())])
            return
        click.echo("\n".join(card(entry)))
        for event in events:
            click.echo(f"  {clock.iso(event.at)}  {event.verb.value} by {event.actor} (event {event.seq})")


def card(entry: Entry) -> Iterable[str]:
    """An entry as lines of plain text."""
    yield f"{entry.id}  {entry.kind.value}, {entry.state.value}, {entry.category.value}, {entry.scope}"
    yield entry.headline
    if entry.insight != entry.headline:
        yield entry.insight
    if entry.rival:
        yield f"{entry.rival.relating.value} of {entry.rival.other}"
    for finding in entry.findings:
        yield f"{finding.change}: {finding.path} {finding.new_path}".rstrip()
        if finding.diff:
            yield finding.diff
    if entry.files:
        yield f"files: {', '.join(entry.files)}"
    if entry.context:
        yield entry.context
    for at, wording in enumerate(entry.wordings, 1):
        yield f"  {at}  {wording.headline}  ({wording.label})"
    for item in entry.evidence:
        yield f"  {item.role.value}, {item.file}:{item.line}"
        for part in item.quote.split("\n"):
            yield f"    > {part}"


@click.command()
@click.argument("id", required=False)
@as_json
@scoped
@pass_session
def history(session: Session, id: str | None, as_json: bool) -> None:
    """What happened, newest first; with an id, to one entry, oldest first."""
    with session.open(anywhere=bool(id)) as curator:
        events = curator.history(id or "")
        if as_json:
            emit(event_row(event) for event in events)
            return
        for event in events:
            click.echo(f"{event.seq:>6}  {clock.iso(event.at)}  {event.verb.value:<10} {event.id}  {event.actor}")


@click.command()
@click.option("--since", metavar="D", help="Only verdicts since a date or in a span such as 7d.")
@as_json
@scoped
@pass_session
def stats(session: Session, since: str | None, as_json: bool) -> None:
    """Counts, and how long decisions take."""
    with session.open() as curator:
        found = curator.summary(moment(since) if since else 0.0)
    if as_json:
        emit([found])
        return
    for name, count in found["states"].items():
        click.echo(f"{name:<12}{count:>8,}")
    click.echo(f"{'decisions':<12}{found['decisions']:>8,}")
    click.echo(f"{'median':<12}{found['seconds_median']:>7.1f}s")
    click.echo(f"{'9 of 10 in':<12}{found['seconds_p90']:>7.1f}s")
    click.echo(f"{'over 5 s':<12}{found['over_5s']:>8.0%}")
    for signal, count in found["signals"].items():
        click.echo(f"{signal:<24}{count['kept']:>5} kept {count['dropped']:>5} dropped")


@click.command()
@as_json
@pass_session
def where(session: Session, as_json: bool) -> None:
    """Where everything is kept, and where transcripts are looked for."""
    settings: Settings = session.settings
    places = {
        "database": str(settings.database),
        "log": str(settings.log),
        "spool": str(settings.spool),
        "settings": str(settings.file),
        "exports": str(settings.exports),
    }
    roots = native_places()
    if as_json:
        emit([{**places, "roots": roots}])
        return
    for name, place in places.items():
        click.echo(f"{name:<10}{place}")
    for agent, paths in roots.items():
        for path in paths:
            click.echo(f"{agent:<14}{path}")


@click.command()
@as_json
@click.option("--toml", "as_toml", is_flag=True, help="As the part of settings.toml that remaps keys.")
def keys(as_json: bool, as_toml: bool) -> None:
    """Every key of the inbox."""
    if as_json:
        emit(
            {"action": action.name, "keys": list(action.keys), "group": action.group, "help": action.help} for action in ACTIONS
        )
    elif as_toml:
        click.echo("[keys]")
        for action in ACTIONS:
            click.echo(f'{action.name} = "{" ".join(action.keys)}"')
    else:
        group = ""
        for action in ACTIONS:
            if action.group != group:
                group = action.group
                click.echo(f"\n{group}")
            click.echo(f"  {' '.join(action.keys):<18}{action.help}")


COMMANDS = (list_, show, history, stats, where, keys)
