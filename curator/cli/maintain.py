"""Commands for maintenance: check the setup, restore a backup, and link the folders of projects."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from curator import app
from curator.app.curator import refuse_agents
from curator.cli.context import CliRun, as_json, emit, emit_or_say, pass_session, project_command, report_files, say, warn
from curator.text.words import pluralize

if TYPE_CHECKING:
    from curator.app.doctor import Check
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
    checks = list(app.doctor.examine(lambda: session.settings, Path(session.folder()), os.environ, themes, ask=ask))
    emit_or_say(as_json, map(asdict, checks), report(checks))
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
        found, damaged = app.backups.describe_all(session.settings.database)
    else:
        refuse_agents()
        one, kept = app.backups.restore(session.settings.database, backup)
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


@click.group(invoke_without_command=True)
@as_json
@pass_session
@click.pass_context
def project(context: click.Context, session: CliRun, as_json: bool) -> None:
    """List the projects; link a folder that is gone to one."""
    if context.invoked_subcommand:
        return
    with session.open(anywhere=True) as curator:
        rows = app.project.listing(curator)
    if as_json:
        emit(rows)
        return
    for row in rows:
        gone = "" if row["exists"] else "  (not on this machine)"
        counts = f"{pluralize(row['cards'], 'card')}, {pluralize(row['lessons'], 'lesson')}"
        say(f"{row['folder']}  {counts}{gone}")
        for folder in row["linked"]:
            say(f"  and {folder}")


@project.command()
@click.argument("from_", metavar="FROM")
@click.argument("to", metavar="TO")
@as_json
@pass_session
def link(session: CliRun, from_: str, to: str, as_json: bool) -> None:
    """Move the cards and lessons of the folder FROM to the project in the folder TO.

    FROM is gone, or is a path of another system such as 'C:\\srv\\app'. Later sessions in FROM belong to the
    project in TO, too. `curator project unlink FROM` undoes this.
    """
    with session.open(anywhere=True, decides=True) as curator:
        into, ids = app.project.link(curator, from_, to)
        report_files(app.settling.settle(curator, ids))
    sentence = f"linked {from_} to {into.name}: {pluralize(len(ids), 'entry', 'entries')} moved"
    emit_or_say(as_json, [{"folder": from_, "project": into.name, "moved": len(ids)}], [sentence])


@project.command()
@click.argument("from_", metavar="FROM")
@as_json
@pass_session
def unlink(session: CliRun, from_: str, as_json: bool) -> None:
    """Remove a link and move its cards and lessons back. Those of later sessions stay."""
    with session.open(anywhere=True, decides=True) as curator:
        ids = app.project.unlink(curator, from_)
        report_files(app.settling.settle(curator, ids))
    sentence = f"unlinked {from_}: {pluralize(len(ids), 'entry', 'entries')} moved back"
    emit_or_say(as_json, [{"folder": from_, "moved": len(ids)}], [sentence])


COMMANDS = (doctor, restore, project)
