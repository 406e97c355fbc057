"""Commands that keep things in order: look whether all is well, and bring a damaged or deleted database back."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from curator import app
from curator.cli.context import Session, as_json, emit, pass_session, project_command, say, warn
from curator.model import JSON
from curator.text.words import pluralize

if TYPE_CHECKING:
    from curator.app import Check


@click.command()
@click.option("--ask", is_flag=True, help="Have the distiller that is set read a session that is made up.")
@project_command
def doctor(session: Session, ask: bool, as_json: bool) -> None:
    """Check that everything works, and say what to do if not.

    Looked at are the settings, the database, the log, git, this project's lesson files, and where each agent's transcripts
    are, how many were read, and what in them was not understood. Nothing is changed. Exits with 1 if anything is wrong.
    """
    themes = session.faces.themes() if session.faces else ()
    checks = list(app.examine(lambda: session.settings, Path(session.folder()), os.environ, themes, ask=ask))
    if as_json:
        emit(asdict(check) for check in checks)
    else:
        say("\n".join(report(checks)))
    if not all(check.ok for check in checks):
        session.exit_code = 1


def report(checks: Sequence[Check]) -> Iterator[str]:
    """What is in order, a line each, an agent a line; then each problem with what to do."""
    home = str(Path.home())
    for check in checks:
        if check.ok:
            yield f"{check.agent or check.check:<15}{check.detail.replace(home + os.sep, '~' + os.sep)}"
    wrong = [check for check in checks if not check.ok]
    yield ""
    yield f"{pluralize(len(wrong), 'problem')}:" if wrong else "All is in order."
    for check in wrong:
        yield f"! {' '.join(filter(None, (check.agent, check.check)))}: {check.detail}"
        yield f"  {check.fix}"


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
    if not name:
        for offer in app.restore.offers(session.settings):
            found = app.restore.summary(offer.name, offer.salvage)
            if as_json:
                emit([found | {"path": str(offer.path)}])
            else:
                say(line(found))
        return
    recovery = app.restore.restore(session.settings, name)
    found = app.restore.summary(name, recovery.salvage)
    if as_json:
        emit([found | {"kept": str(recovery.copy or ""), "missing": recovery.missing, "lost": list(recovery.losses)}])
        return
    say(f"restored {line(found | {'faults': (), 'unreadable': 0})}")
    if recovery.missing:
        warn(f"{pluralize(recovery.missing, 'verdict')} of the database before are not in it; they are in {recovery.copy}.")
    if recovery.losses:
        warn(f"{pluralize(len(recovery.losses), 'row')} could not be read: {', '.join(recovery.losses[:9])}.")
    if recovery.copy:
        warn(f"The database before is {recovery.copy}. Open windows must be closed and opened again.")
    warn("`curator import`, in a project, brings what only its lesson files still have.")


def line(found: JSON) -> str:
    """The same in a line."""
    parts = [
        pluralize(found["lessons"], "lesson"),
        f"{found['waiting']:,} waiting",
        f"{found['dropped']:,} dropped",
        pluralize(found["verdicts"], "verdict"),
    ]
    last = f", the last {found['last']}" if found["last"] else ""
    wrong = f"; damaged: {found['faults'][0]}" if found["faults"] else ""
    wrong += f"; {pluralize(found['unreadable'], 'row')} that can't be read" if found["unreadable"] else ""
    return f"{found['name']}: {', '.join(parts)}{last}{wrong}"


COMMANDS = (doctor, restore)
