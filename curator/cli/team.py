"""Commands for teams: the merge driver that git calls, lessons that coexist, and lessons beyond their project."""

from __future__ import annotations

from pathlib import Path

import click

from curator import app
from curator.cli.context import Session, as_json, pass_session, placed, warn
from curator.cli.verdicts import found, report
from curator.errors import CuratorError, UsageError
from curator.model import State

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
    from curator.app import sharing

    try:
        clean, disputed = sharing.merge_files(base, ours, theirs, name or str(ours))
    except OSError as error:
        raise CuratorError(f"{error.filename}: {error.strerror or error}", "git gives the names of three files.") from error
    if disputed:
        warn(f"{name}: both sides changed {', '.join(disputed)}; ours stands until `curator import` has asked you.")
    if not clean:
        session.exit_code = 1


@click.command()
@click.argument("one", metavar="ID")
@click.argument("other", metavar="ID")
@click.option("--because", required=True, metavar="TEXT", help="Why both hold.")
@as_json
@placed
@pass_session
def coexist(session: Session, one: str, other: str, because: str, as_json: bool) -> None:
    """Keep two lessons side by side for good (3, Both).

    Both files say so, and the pair is raised no more, here or by a colleague's curator. A conflict between the two is
    settled by it. Undo takes it back.
    """
    if not because.strip():
        raise UsageError("Why do both hold?", "Say it with --because, for those who wonder later.")
    with session.open(anywhere=True) as curator:
        pair = found(curator, [one, other])
        report(curator, curator.verdicts.coexist(pair[0], pair[-1], because), pair, as_json)


@click.command()
@click.argument("id")
@click.option("--global", "everywhere", is_flag=True, help="It holds in every project, and stays one lesson.")
@click.option("--with", "names", multiple=True, metavar="PROJECT", help="A copy for this project; may be repeated.")
@as_json
@placed
@pass_session
def share(session: Session, id: str, everywhere: bool, names: tuple[str, ...], as_json: bool) -> None:
    """Let a lesson hold beyond its project (t).

    PROJECT is a project's name or folder. It gets a copy among its own files, which its people may change or retire: the
    words without quotes and code, since what was said in one project is not to turn up in another's repository. Undo takes
    either back; so does `curator edit ID --scope project` for what is global.
    """
    if everywhere == bool(names):
        raise UsageError("Share it with whom?", "Say --global, or --with PROJECT.")
    from curator.app.sharing import named

    with session.open(anywhere=True) as curator:
        (whole,) = found(curator, [id])
        if everywhere:
            lesson = curator.lessons.find(whole)
            if lesson.state is not State.ACTIVE:
                raise CuratorError(f"{whole} is no active lesson.", "Keep it first.")
            report(curator, curator.verdicts.edit(whole, scope="global", paths=()), [whole], as_json)
            return
        others = {one.id: one for one in (named(curator, name) for name in names)}
        outcome, there = app.sharing.copy_to(curator, whole, list(others.values()))
        report(curator, outcome, [entry.id for entry in outcome.entries], as_json)
        for entry in there:
            warn(f"{entry.id} is its copy in {curator.projects()[entry.project].name} already.")


COMMANDS = (merge_driver, coexist, share)
