"""``curator restore``: bring a damaged or deleted database back."""

from __future__ import annotations

import click

from curator.cli.context import (
    Session,
    as_json,
    emit,
    pass_session,
    say,
    warn,
)
from curator.model import JSON
from curator.text.words import counted


@click.command()
@click.argument("name", required=False, default="")
@as_json
@pass_session
def restore(session: Session, name: str, as_json: bool) -> None:
    """Bring a damaged or deleted database back.

    Without a NAME, list what it can be brought back from, and what each has. `now` is the database as it stands: all that can
    be read of it goes into a new one, completed by the newest backup. A day such as 2026-01-31 is that day's backup, as it
    was. What stood there before is kept beside it, never overwritten.
    """
    from curator.app import restore

    if not name:
        for offer in restore.offers(session.settings):
            found = restore.summary(offer.name, offer.salvage)
            if as_json:
                emit([found | {"path": str(offer.path)}])
            else:
                say(line(found))
        return
    done = restore.restore(session.settings, name)
    found = restore.summary(name, done.salvage)
    if as_json:
        emit([found | {"kept": str(done.kept or ""), "missing": done.missing, "lost": list(done.lost)}])
        return
    say(f"restored {line(found | {'faults': (), 'unreadable': 0})}")
    if done.missing:
        warn(f"{counted(done.missing, 'verdict')} of the database before are not in it; they are in {done.kept}.")
    if done.lost:
        warn(f"{counted(len(done.lost), 'row')} could not be read: {', '.join(done.lost[:9])}.")
    if done.kept:
        warn(f"The database before is {done.kept}. Open windows must be closed and opened again.")
    warn("`curator import`, in a project, brings what only its lesson files still have.")


def line(found: JSON) -> str:
    """The same in a line."""
    parts = [
        counted(found["lessons"], "lesson"),
        f"{found['waiting']:,} waiting",
        f"{found['dropped']:,} dropped",
        counted(found["verdicts"], "verdict"),
    ]
    last = f", the last {found['last']}" if found["last"] else ""
    wrong = f"; damaged: {found['faults'][0]}" if found["faults"] else ""
    wrong += f"; {counted(found['unreadable'], 'row')} that can't be read" if found["unreadable"] else ""
    return f"{found['name']}: {', '.join(parts)}{last}{wrong}"


COMMANDS = (restore,)
