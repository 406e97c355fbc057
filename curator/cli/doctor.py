"""Commands for maintenance: check the setup, and restore a backup."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from curator import app
from curator.app.callers import refuse_agents
from curator.cli.context import CliRun, as_json, emit, pass_session, project_command, say, warn
from curator.text.words import pluralize

if TYPE_CHECKING:
    from curator.app import Check
    from curator.errors import StoreError


@click.command()
@click.option("--ask", is_flag=True, help="Test your reader on a sample session.")
@click.option("--fix", is_flag=True, help="First rebuild the indexes of the database from your lessons.")
@project_command
def doctor(session: CliRun, ask: bool, fix: bool, as_json: bool) -> None:
    """Check the setup and say how to fix problems.

    This checks the settings, the database, the log, git, the lesson files of this project, and each agent's transcripts and
    hooks. The command changes nothing without --fix. The exit code is 1 if there is a problem.
    """
    if fix:
        refuse_agents()
        app.doctor.fix(session.settings)
        warn("Rebuilt the indexes of the database.")
    themes = session.faces.themes() if session.faces else ()
    checks = list(app.examine(lambda: session.settings, Path(session.folder()), os.environ, themes, ask=ask))
    if as_json:
        emit(asdict(check) for check in checks)
    else:
        say("\n".join(report(checks)))
    if not all(check.ok for check in checks):
        session.exit_code = 1


def report(checks: Sequence[Check]) -> Iterator[str]:
    """Yield one line per part that is in order, and then each problem with its remedy."""
    home = str(Path.home())
    for check in checks:
        if check.ok:
            yield f"{check.agent or check.check:<15}{check.detail.replace(home + os.sep, '~' + os.sep)}"
    wrong = [check for check in checks if not check.ok]
    yield ""
    yield f"{pluralize(len(wrong), 'problem')}:" if wrong else "Everything is OK."
    for check in wrong:
        yield f"! {' '.join(filter(None, (check.agent, check.check)))}: {check.detail}"
        yield f"  {check.fix}"


@click.command()
@click.argument("backup", required=False, default="")
@click.option("--list", "list_them", is_flag=True, help="List the backups (default without BACKUP).")
@as_json
@pass_session
def restore(session: CliRun, backup: str, list_them: bool, as_json: bool) -> None:
    """Restore a backup of the database.

    BACKUP is the day of a backup, such as 2026-01-31. Without it, list the backups. curator keeps a copy of the current
    database. After a restore, run `curator import` in each project to add lessons that only the lesson files have.
    """
    kept: Path | None = None
    damaged: list[StoreError] = []
    if list_them or not backup:
        found, damaged = app.restore.list_backups(session.settings)
    else:
        refuse_agents()
        one, kept = app.restore.restore(session.settings, backup)
        found = [one]
    for error in damaged:
        warn(str(error))
    if as_json:
        emit(one._asdict() for one in found)
        return
    for one in found:
        last = f", the last at {one.at}" if one.at else ""
        say(f"{one.backup}: {pluralize(one.entries, 'entry', 'entries')}, {pluralize(one.events, 'event')}{last}")
    if list_them or not backup:
        if not found and not damaged:
            say("There is no backup yet: curator makes one after the first decision of a day.")
        return
    warn("Restored. Close open inboxes and open them again. Run `curator import` in each project to bring back newer lessons.")
    if kept:
        warn(f"The previous database is {kept}.")


COMMANDS = (doctor, restore)
