"""``curator memories``: the audit of agents' own notes."""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from curator import app
from curator.app.curator import refuse_agents
from curator.cli.context import CliRun, clip, emit, gc_paused, pass_session, project_command, say, warn
from curator.clock import iso
from curator.errors import UsageError
from curator.text.words import pluralize

if TYPE_CHECKING:
    from curator.app.project.memories import Audit, Audited, Group

MAX_WORST = 10
MAX_NAMED = 3
"""Gone paths, and places of the same, that are named of one note."""
WIDTH = 80
SAID = {
    "stale": "stale",
    "contradicting": "contradicting",
    "repeated": "repeated",
    "status": "that report progress",
    "secrets": "with a secret",
}
"""Findings as they follow a number of notes."""


@click.group(invoke_without_command=True)
@click.option("--root", metavar="DIR", help="Read this folder as the home folder (default: yours).")
@click.option("--repo", metavar="DIR", help="Read the notes in this work tree (default: the current one).")
@click.option("--no-home", is_flag=True, help="Read only the notes in the work tree, as in CI or before a commit.")
@click.option("--check", is_flag=True, help="Exit with 1 if a note is stale, contradicts something or holds a secret.")
@project_command
def memories(session: CliRun, root: str | None, repo: str | None, no_home: bool, check: bool, as_json: bool) -> None:
    """Audit what your agents remember by themselves.

    Agents keep notes in files of their own. This command reads all notes and says how many there are, how many tokens
    an agent loads at each start, and which notes name code that is gone, contradict or repeat something, report
    progress, or hold a secret. The command needs no database and changes nothing. With --project it reads only the
    notes for that project.
    """
    if click.get_current_context().invoked_subcommand:
        return
    for folder in filter(None, (root, repo)):
        if not os.path.isdir(folder):
            raise UsageError(f"There is no folder {folder}.", "Name a folder that exists.")
    home = Path(os.devnull) if no_home else Path(root or Path.home()).absolute()  # that device has no files below it
    where = Path(repo or session.folder()).absolute()
    env = {} if root or no_home else os.environ
    with gc_paused():  # notes stay until the end
        found = app.memories.audit(home, env, where, session.folder() if session.project else "")
    if as_json:
        emit([*map(app.memories.row, found.notes), app.memories.summary(found)])
    else:
        say("\n".join(report(found, home)))
        for sentence in found.skipped:
            warn(sentence)
    if check and any(one.is_finding for one in found.notes):
        session.exit_code = 1


@memories.command("restore")
@click.argument("id", required=False, default="")
@pass_session
def restore(session: CliRun, id: str) -> None:
    """Restore a note that curator deleted or reworded.

    Without ID, list the notes in curator's trash, which keeps a note for 30 days. Your decision on the card stays.
    """
    trash, settings = app.memory_trash, session.settings
    for one in () if id else trash.removals(settings):
        say(f"{one.id}  {iso(one.at)[:10]}  {one.deed}  {one.file}\n    {one.headline}")
    if id:
        refuse_agents()
        one = trash.find(settings, id)
        for sentence in trash.put_back(settings, one):
            warn(sentence)
        say(f"Restored the note in {one.file}.")
    elif not trash.removals(settings):
        say("The trash is empty: curator deleted or reworded no note in the last 30 days.")


def report(found: Audit, home: Path) -> Iterator[str]:
    """Yield the audit for people: the totals, a table by store and project, and the most urgent notes."""
    repo = found.repo

    def short(text: str) -> str:
        return text.replace(f"{repo}{os.sep}", "").replace(f"{home}{os.sep}", f"~{os.sep}")

    if not found.notes:
        count = pluralize(len(found.looked), "place")
        stores = "Claude Code, Codex, Gemini CLI, Qwen Code, Goose, Serena and Copilot in VS Code"
        places = " or ".join(str(place) for place in (home, repo) if place.is_dir())
        sentence = f"No agent memory found in {places}; curator looked in {count} of {stores}."
        yield wrap(sentence)
        return
    start = sum(group.start for group in found.groups)
    yield f"{pluralize(len(found.notes), 'note')}; agents load {start:,} tokens of them at each start."
    yield wrap(totals(found))
    yield ""
    yield f"{'':31}{'notes':>6}{'tokens':>8}{'stale':>6}{'contra':>7}{'repeat':>7}{'status':>7}{'secret':>7}"
    for group in found.groups:
        yield from line(group)
    worst = found.worst(MAX_WORST)
    if worst:
        yield f"\nLook at {'this one' if len(worst) == 1 else f'these {len(worst)}'} first:"
    for number, one in enumerate(worst, 1):
        yield f"\n{number:>2}. {short(app.memories.place(one.note))}"
        yield f"    “{clip(one.note.title, WIDTH - 6)}”"
        yield from (wrap(short(reason), "    ") for reason in reasons(one))


def totals(found: Audit) -> str:
    """Return how many notes have each finding, in one sentence."""
    counts = found.counts()
    said = [f"{counts[name]:,} {words}" for name, words in SAID.items() if counts[name]]
    return f"{', '.join(said)}." if said else "curator found nothing wrong with them."


def line(group: Group) -> Iterator[str]:
    """Yield a store and project with its figures and remarks."""
    name = re.split(r"[/\\]", group.project.rstrip("/\\"))[-1] or "all projects"
    project = f"…{name[-13:]}" if name.startswith("-") else clip(name, 14)  # the end of a slug says most
    stale, *rest = group.counts().values()
    figures = "".join(f"{count or '-':>7}" for count in rest)
    yield f"{group.store:<17}{project:14}{len(group.notes):>6,}{group.start or '-':>8}{stale or '-':>6}{figures}"
    kinds = ", ".join(f"{count} {kind}" for kind, count in group.kinds().most_common())
    oldest = f"; oldest {iso(group.oldest)[:10]}" if group.oldest else ""
    yield wrap(f"{kinds or 'an index without notes'}{oldest}", "    ")
    if group.beyond:
        yield f"    {pluralize(group.beyond, 'line is', 'lines are')} beyond what the agent loads"


def reasons(one: Audited) -> Iterator[str]:
    """Yield why a note needs a look."""
    if one.note.secret:
        yield "holds a secret"
    if one.contradicts:
        yield f"contradicts {named(one.contradicts)}"
    if one.stale:
        yield f"names {named([*map(str, one.stale)])}"
    if one.repeats:
        yield f"says the same as {named(one.repeats)}"
    if one.partly:
        yield f"says in part the same as {named(one.partly)}"
    if one.status:
        yield "reports progress"


def named(items: Sequence[str]) -> str:
    """Return the first of some items, and how many more there are."""
    more = len(items) - MAX_NAMED
    return ", ".join(items[:MAX_NAMED]) + (f" and {more} more" if more > 0 else "")


def wrap(text: str, indent: str = "") -> str:
    """Return a text in lines of the terminal's usual width. Paths and names are not broken."""
    more = f"{indent}  " if indent else ""
    return textwrap.fill(
        text, WIDTH, initial_indent=indent, subsequent_indent=more, break_on_hyphens=False, break_long_words=False
    )


COMMANDS = (memories,)
