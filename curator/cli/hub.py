"""Commands of the hub, where teams share lessons in PostgreSQL: hub, share, sync."""

from __future__ import annotations

from collections.abc import Sequence

import click

from curator import app
from curator.app.curator import refuse_agents
from curator.cli.context import CliRun, as_json, emit, emit_or_say, pass_session, project_command, say, warn
from curator.errors import CuratorError, UsageError
from curator.text.words import pluralize

teams_option = click.option("--team", "teams", multiple=True, metavar="NAME", help="A team; may be repeated.")


@click.group()
def hub() -> None:
    """Share lessons of many projects through PostgreSQL.

    A hub is a schema in your organisation's own database. To use one, run `pip install 'lesson-curator[hub]'`.
    """


@hub.command()
@click.argument("url")
@click.option("--team", metavar="NAME", default="", help="Also make this team, or change its policy.")
@click.option(
    "--arrive",
    type=click.Choice(["candidate", "lesson"]),
    default="candidate",
    help="Whether lessons arrive as cards or as lessons.",
)
@click.option("--second", is_flag=True, help="Hold a lesson until a second person has kept it.")
@project_command
def create(session: CliRun, url: str, team: str, arrive: str, second: bool, as_json: bool) -> None:
    """Make a hub in a database, or bring it up to date.

    The command prints the SQL that gives a colleague access. URL is postgresql://HOST/DATABASE or the name of a libpq
    service.
    """
    with session.open(decides=True) as curator:
        run = app.hub.create(curator, app.hub.address(url, keep_password=True), team, arrive=arrive, second=second)
    sql = app.hub.grants(team or "TEAM")
    if not as_json:
        warn(f"The hub is ready ({pluralize(len(run), 'migration')} run). To let a colleague in, run this SQL:")
    emit_or_say(as_json, [{"migrations": run, "grants": sql}], [sql])


@hub.command()
@click.argument("url")
@click.option("--name", default="", metavar="NAME", help="The name of the schema, instead of typing it.")
@project_command
def drop(session: CliRun, url: str, name: str, as_json: bool) -> None:
    """Remove a hub with all lessons in it. The lessons on people's machines stay."""
    refuse_agents()
    name = name or click.prompt(
        f"This deletes all lessons of the hub. Type the name of its schema, {app.hub.NAME}, to go on", err=True
    )
    if name != app.hub.NAME:
        raise UsageError(f"{name!r} is not the name of the schema. Nothing was removed.")
    left = app.hub.drop(app.hub.address(url, keep_password=True))
    emit_or_say(as_json, [{"dropped": app.hub.NAME, "roles_left": left}], ["The hub is gone."])
    if left and not as_json:
        warn(f"These roles stay, since something else depends on them: {', '.join(left)}.")


@hub.command()
@click.argument("url")
@teams_option
@project_command
def join(session: CliRun, url: str, teams: tuple[str, ...], as_json: bool) -> None:
    """Join teams of a hub, by default all of yours.

    Lessons of projects that are not on this machine arrive in the current project. curator stores no password: libpq finds it
    in PGPASSWORD, PGPASSFILE or a service file.
    """
    with session.open(decides=True) as curator:
        joined = app.hub.join(curator, app.hub.address(url, keep_password=True), teams)
    held = " after a second person kept them"
    emit_or_say(
        as_json,
        ({"team": team.name, "arrive": team.arrive, "second": team.second} for team in joined),
        (f"joined {team.name}: lessons arrive as {team.arrive}s{held if team.second else ''}" for team in joined),
    )


@hub.command()
@teams_option
@click.option("--discard", is_flag=True, help="Leave even if some decisions are not sent yet. The team never gets these.")
@project_command
def leave(session: CliRun, teams: tuple[str, ...], discard: bool, as_json: bool) -> None:
    """Leave teams, by default all. Lessons stay here and at the hub."""
    with session.open(decides=True) as curator:
        left = app.hub.leave(curator, teams, discard=discard)
    sentence = f"left {', '.join(left)}" if left else "You have joined no team."
    emit_or_say(as_json, ({"team": team} for team in left), [sentence])


@hub.command()
@project_command
def status(session: CliRun, as_json: bool) -> None:
    """Show the teams: changes to send and to fetch, the last contact with the hub, and refused lessons."""
    with session.open(anywhere=True) as curator:
        rows = app.hub.status(curator)
    if as_json:
        emit(rows)
        return
    for row in rows:
        behind = "?" if row["behind"] is None else row["behind"]
        say(f"{row['team']}  ahead {row['ahead']}  behind {behind}  last seen {row['last_seen'] or 'never'}")
        for one in row["refused"]:
            say(f"  {one['id']} was refused: {one['reason']}")
        if row["error"]:
            warn(f"  {row['error']}")
    if not rows:
        warn("You have joined no team. `curator hub join URL` joins one.")


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--team", metavar="NAME", required=True, help="The team that gets the lessons.")
@project_command
def share(session: CliRun, ids: Sequence[str], team: str, as_json: bool) -> None:
    """Share lessons with a team.

    curator sends them now, or as soon as it can reach the hub.
    """
    with session.open(anywhere=True, decides=True) as curator:
        shared = [app.hub.share(curator, id_, team) for id_ in ids]
        reports = app.hub.sync(curator)
        lines = (f"{entry.id}  shared with {team}  {entry.headline}" for entry in shared)
        emit_or_say(as_json, ({"id": entry.id, "team": team} for entry in shared), lines)
        tell(session, reports, failing=False)


@click.command()
@as_json
@pass_session
def sync(session: CliRun, as_json: bool) -> None:
    """Exchange shared lessons with the hub. An open inbox does this by itself."""
    with session.open(anywhere=True, decides=True) as curator:
        if not curator.store.hub.teams():
            raise CuratorError("You have joined no team.", "`curator hub join URL` joins one.")
        reports = app.hub.sync(curator)
        app.settling.settle(curator, app.hub.changed_entries(reports))
    names = ("sent", "arrived", "conflicts", "refused")
    lines = ("  ".join((one.team, *(f"{name} {getattr(one, name)}" for name in names))) for one in reports)
    emit_or_say(as_json, map(app.hub.row, reports), lines)
    tell(session, reports, failing=True)


def show_found(found: Sequence[app.hub.Found], as_json: bool) -> None:
    """Print the results of a search at the hub."""
    if as_json:
        emit(one._asdict() | {"score": round(one.score, 3)} for one in found)
        return
    for one in found:
        say(f"{one.id}  {one.headline}  ({one.team}, shared by {one.shared_by}, kept by {one.kept_by})")
        if one.insight.rstrip(".") not in ("", one.headline.rstrip(".")):
            say(f"           {one.insight}")
    if not found:
        warn("No match in what your teams share.")


def tell(session: CliRun, reports: Sequence[app.hub.Report], *, failing: bool) -> None:
    """Print the problems. With ``failing``, also set the exit code."""
    for error in dict.fromkeys(report.error for report in reports if report.error):
        warn(f"{error} What you share is sent later.")
        session.exit_code = max(session.exit_code, 3 if failing else 0)


COMMANDS = (hub, share, sync)
