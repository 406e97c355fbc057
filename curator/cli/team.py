"""Commands for teams: the merge driver that git calls, and what sets it up."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from curator.cli.decide import found, report
from curator.cli.session import Session, as_json, is_terminal, pass_session, placed, say, warn
from curator.errors import CuratorError, UsageError
from curator.model import State

if TYPE_CHECKING:
    from curator.service.team import Plan

FILE = click.Path(dir_okay=False, path_type=Path)


@click.command("merge-driver", hidden=True)
@click.argument("base", type=FILE, metavar="%O")
@click.argument("ours", type=FILE, metavar="%A")
@click.argument("theirs", type=FILE, metavar="%B")
@click.argument("name", metavar="%P", default="")
@pass_session
def merge_driver(session: Session, base: Path, ours: Path, theirs: Path, name: str) -> None:
    """Merge three versions of a lesson's file; git calls it.

    %O is the common ancestor, %A ours, which becomes the result, %B theirs, %P the file's name in the repository. Where
    both changed one field differently ours stands, and theirs is kept in the file for the next import to ask about. What is
    no lesson is merged by lines. Exit code 1 says that conflict markers are left. See `curator install git`.
    """
    from curator.service import team

    try:
        clean, disputed = team.merge_files(base, ours, theirs, name or str(ours))
    except OSError as error:
        raise CuratorError(f"{error.filename}: {error.strerror or error}", "git gives the names of three files.") from error
    if disputed:
        warn(f"{name}: both sides changed {', '.join(disputed)}; ours stands until `curator import` has asked you.")
    if not clean:
        session.exit_code = 1


@click.group()
def install() -> None:
    """Set up what works together with curator.

    What will change is shown first; `curator uninstall` takes it back.
    """


@click.group()
def uninstall() -> None:
    """Take back what `curator install` has set up."""


def asked(command: click.decorators.FC) -> click.decorators.FC:
    """Give a command what every change to other programs' files has: ``--yes`` and ``--dry-run``."""
    command = click.option("--dry-run", is_flag=True, help="Only show what would be changed.")(command)
    return click.option("--yes", is_flag=True, help="Do not ask.")(command)


@install.command("git")
@asked
@placed
@pass_session
def install_git(session: Session, yes: bool, dry_run: bool) -> None:
    """Let git merge lesson files by field in this repository.

    Two settings of this clone and one line in .gitattributes. Commit the latter: it is for everybody, and where the
    settings are missing git goes on merging by lines.
    """
    from curator.service import team

    program = shutil.which("curator")
    command = shlex.quote(program) if program else f"{shlex.quote(sys.executable)} -m curator"
    changed(team.installing(Path(session.folder()), command), "git merges lessons by field here already.", yes, dry_run)


@uninstall.command("git")
@asked
@placed
@pass_session
def uninstall_git(session: Session, yes: bool, dry_run: bool) -> None:
    """Let git merge lesson files by lines again."""
    from curator.service import team

    changed(team.uninstalling(Path(session.folder())), "There is nothing of ours in git's settings here.", yes, dry_run)


def changed(plan: Plan, nothing: str, yes: bool, dry_run: bool) -> None:
    """Show a plan and carry it out, if that is wanted. Raises ``UsageError`` where nobody is there to be asked."""
    from curator.service import team

    for line in plan.lines:
        say(line)
    for note in plan.notes:
        warn(note)
    if not plan.lines:
        warn(nothing)
        return
    if dry_run:
        return
    if not yes and not is_terminal():
        raise UsageError("Nothing was changed: nobody is here to be asked.", "Say --yes to go ahead, --dry-run to only look.")
    if not yes and not click.confirm("Go ahead?", err=True):
        warn("Nothing was changed.")
        return
    team.carry_out(plan)


@click.command()
@click.argument("one", metavar="ID")
@click.argument("other", metavar="ID")
@click.option("--because", required=True, metavar="TEXT", help="Why both hold.")
@as_json
@placed
@pass_session
def coexist(session: Session, one: str, other: str, because: str, as_json: bool) -> None:
    """Let two lessons hold side by side for good.

    Both files say so, and the pair is raised no more, here or by a colleague's curator. A conflict between the two is
    settled by it. Undo takes it back.
    """
    if not because.strip():
        raise UsageError("Why do both hold?", "Say it with --because, for those who wonder later.")
    with session.open(anywhere=True) as curator:
        pair = found(curator, [one, other])
        report(curator, curator.coexist(pair[0], pair[-1], because), pair, as_json)


@click.command()
@click.argument("id")
@click.option("--global", "everywhere", is_flag=True, help="It holds in every project, and stays one lesson.")
@click.option("--with", "names", multiple=True, metavar="PROJECT", help="A copy for this project; may be repeated.")
@as_json
@placed
@pass_session
def share(session: Session, id: str, everywhere: bool, names: tuple[str, ...], as_json: bool) -> None:
    """Let a lesson hold beyond its project.

    PROJECT is a project's name or folder. It gets a copy among its own files, which its people may change or retire: the
    words without quotes and code, since what was said in one project is not to turn up in another's repository. Undo takes
    either back; so does `curator edit ID --scope project` for what is global.
    """
    if everywhere == bool(names):
        raise UsageError("Share it with whom?", "Say --global, or --with PROJECT.")
    from curator.service.shared import named

    with session.open(anywhere=True) as curator:
        (whole,) = found(curator, [id])
        if everywhere:
            lesson = curator.find(whole)
            if lesson.state is not State.ACTIVE:
                raise CuratorError(f"{whole} is no active lesson.", "Keep it first.")
            report(curator, curator.edit(whole, scope="global", paths=()), [whole], as_json)
            return
        outcome, there = curator.share(whole, list({one.id: one for one in (named(curator, name) for name in names)}.values()))
        report(curator, outcome, [entry.id for entry in outcome.entries], as_json)
        for entry in there:
            warn(f"{entry.id} is its copy in {curator.projects()[entry.project].name} already.")


COMMANDS = (merge_driver, install, uninstall, coexist, share)
