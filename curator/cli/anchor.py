"""``curator anchor``: edit which code a lesson speaks of."""

from __future__ import annotations

from collections.abc import Iterable

import click
from click.shell_completion import CompletionItem

from curator import app
from curator.cli.context import (
    Session,
    as_json,
    pass_session,
    placed,
    say,
    tell_of_files,
    warn,
)
from curator.cli.verdicts import print_row
from curator.errors import CuratorError, UsageError


def places(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """What may follow as a place, for the shell's completion."""
    try:
        with context.ensure_object(Session).open(anywhere=True) as curator:
            id_ = str(context.params.get("id", ""))
            app.anchoring.refresh(curator, curator.lessons.find(id_))
            found = app.anchoring.suggested(curator, curator.lessons.find(id_), incomplete)
    except CuratorError:
        return []
    return [CompletionItem(f"{path}:{symbol}" if symbol else path) for path, symbol in found]


@click.command()
@click.argument("id")
@click.argument("places", nargs=-1, metavar="[PLACE]...", shell_complete=places)
@click.option("--remove", is_flag=True, help="Take these places away instead of adding them.")
@as_json
@placed
@pass_session
def anchor(session: Session, id: str, places: tuple[str, ...], remove: bool, as_json: bool) -> None:
    """Say which code a lesson speaks of, or list it (A).

    A PLACE is a path, PATH:SYMBOL with the symbol's name qualified by dots, or a symbol that the project defines once.
    """
    from curator.app import anchoring

    with session.open(anywhere=True) as curator:
        entry = curator.lessons.find(id)
        now = list(anchoring.places_of(entry))
        if not places:
            if remove:
                raise UsageError("There is nothing to remove.", "Name the places: `curator anchor ID` lists them.")
            for path, symbol in now:
                say(f"{path}:{symbol}" if symbol else path)
            if not now:
                warn("It speaks of no code that is known.")
            return
        if remove:
            wanted = {place for text in places if (place := (text.rpartition(":")[0] or text, text.rpartition(":")[2]))}
            removed = [place for place in now if place in wanted or (place[0] in places and not place[1]) or place[1] in places]
            if not removed:
                raise CuratorError(
                    f"It does not speak of {', '.join(places)}.", f"`curator anchor {entry.id}` lists its places."
                )
            now = [place for place in now if place not in removed]
        else:
            now += [anchoring.resolved(curator, entry, text) for text in places]
        outcome = app.anchoring.point(curator, entry.id, now)
        print_row(curator, outcome.entries[0], as_json)
        tell_of_files(app.settling.settle(curator, [entry.id]))


COMMANDS: Iterable[click.Command] = (anchor,)
