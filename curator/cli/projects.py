"""Commands of projects: project, with link and unlink."""

from __future__ import annotations

import click

from curator import app
from curator.cli.context import CliRun, as_json, emit, pass_session, report_files, say
from curator.text.words import pluralize


@click.group(invoke_without_command=True)
@as_json
@pass_session
@click.pass_context
def project(context: click.Context, session: CliRun, as_json: bool) -> None:
    """List the projects; link a folder that is gone to one."""
    if context.invoked_subcommand:
        return
    with session.open(anywhere=True) as curator:
        rows = app.links.listing(curator)
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
        into, ids = app.links.link(curator, from_, to)
        report_files(app.settling.settle(curator, ids))
    if as_json:
        emit([{"folder": from_, "project": into.name, "moved": len(ids)}])
        return
    say(f"linked {from_} to {into.name}: {pluralize(len(ids), 'entry', 'entries')} moved")


@project.command()
@click.argument("from_", metavar="FROM")
@as_json
@pass_session
def unlink(session: CliRun, from_: str, as_json: bool) -> None:
    """Remove a link and move its cards and lessons back. Those of later sessions stay."""
    with session.open(anywhere=True, decides=True) as curator:
        ids = app.links.unlink(curator, from_)
        report_files(app.settling.settle(curator, ids))
    if as_json:
        emit([{"folder": from_, "moved": len(ids)}])
        return
    say(f"unlinked {from_}: {pluralize(len(ids), 'entry', 'entries')} moved back")


COMMANDS = (project,)
