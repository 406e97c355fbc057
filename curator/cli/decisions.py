"""Commands that decide: each is the twin of a key."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from curator import app, clock
from curator.app import REASONS, RELATING, Curator, Outcome, display_state, split_around_headline
from curator.app.curator import running_agent
from curator.cli.context import (
    CATEGORIES,
    CATEGORY_HELP,
    CliRun,
    emit_or_say,
    is_terminal,
    moment,
    project_command,
    report_files,
    rows,
    scope_command,
    warn,
    words_of,
)
from curator.errors import CuratorError, NoProject, UsageError
from curator.io import commands
from curator.model import PERSON, Category, Durability, Entry, Project, State
from curator.text import warnings
from curator.text.words import pluralize

SCOPE_HELP = "Where it applies: project, global (every project), or paths separated by commas."


@contextmanager
def settle_after(curator: Curator, outcome: Outcome) -> Iterator[None]:
    """Report the decision at once, since it is saved. Then write files and anchors, even if nobody reads the report."""
    try:
        yield
        if sys.stdout:
            sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        warn(f"Your decision is saved. The output can't be written: {error.strerror or error}.")
    finally:
        report_files(app.settling.settle(curator, list(dict.fromkeys(entry.id for entry in outcome.entries))))


def report(curator: Curator, outcome: Outcome, ids: Sequence[str], as_json: bool) -> None:
    """Print the saved decision, then write files and anchors."""
    after = {entry.id: entry for entry in outcome.entries}  # an entry that two decisions of a batch changed: its latest version
    now = clock.now()
    with settle_after(curator, outcome):
        for id_ in ids:
            state = display_state(after[id_], now)
            item = {"id": id_, "state": state, "event": outcome.events[id_]}
            emit_or_say(as_json, [item], [f"{id_}  {state}  {after[id_].headline}"])
            report_warnings(after[id_])


def print_row(curator: Curator, entry: Entry, as_json: bool) -> None:
    """Print one entry."""
    emit_or_say(as_json, rows(curator, [entry]), [f"{entry.id}  {entry.state.value}  {entry.headline}"])
    report_warnings(entry)


def report_warnings(entry: Entry) -> None:
    """Print the warnings about a lesson's words, if there are any."""
    if entry.state is State.ACTIVE and (found := warnings.describe(entry.headline, entry.insight)):
        warn(f"{entry.id} {found}: check that you mean this.")


def find_ids(curator: Curator, ids: Sequence[str]) -> list[str]:
    """Return the full ids. All of them are looked up before any entry is changed."""
    return list(dict.fromkeys(curator.lessons.find(id_).id for id_ in ids))


def ask_person(curator: Curator, ids: Sequence[str], deed: str, as_json: bool) -> bool:
    """If an agent runs the command, store its wish on the cards. Return whether an agent runs it."""
    if curator.actor == PERSON:
        return False
    outcome = curator.decisions.wish(ids, running_agent(), deed)
    warn(f"Only a person decides. The card says that you want to {deed}.")
    report(curator, outcome, ids, as_json)
    return True


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--wording", type=click.IntRange(1, 3), default=None, metavar="N", help="Use suggested wording 1, 2 or 3.")
@project_command
def keep(session: CliRun, ids: tuple[str, ...], wording: int | None, as_json: bool) -> None:
    """Keep candidates as lessons (y).

    For a conflict, accept the suggestion. For a stale lesson, confirm that it is still true.
    """
    with session.open(anywhere=True) as curator:
        full_ids = find_ids(curator, ids)
        if not ask_person(curator, full_ids, "keep this", as_json):
            report(curator, curator.decisions.accept(full_ids, wording=wording or 0), full_ids, as_json)


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--reason", type=click.Choice(REASONS), default=None, help="Why the lesson is not true or useful.")
@project_command
def retire(session: CliRun, ids: tuple[str, ...], reason: str | None, as_json: bool) -> None:
    """Drop candidates, or retire lessons (x).

    curator does not propose a dropped candidate again. `curator undo` undoes both.
    """
    with session.open(anywhere=True) as curator:
        full_ids = find_ids(curator, ids)
        if not ask_person(curator, full_ids, f"retire this: {reason}" if reason else "retire this", as_json):
            report(curator, curator.decisions.drop(full_ids, reason=reason or ""), full_ids, as_json)


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--until", metavar="D", help="A date, or a span such as 7d (default: a day).")
@project_command
def snooze(session: CliRun, ids: tuple[str, ...], until: str | None, as_json: bool) -> None:
    """Hide cards until later (z)."""
    with session.open(anywhere=True, decides=True) as curator:
        full_ids = find_ids(curator, ids)
        report(curator, curator.decisions.snooze(full_ids, moment(until, ahead=True) if until else None), full_ids, as_json)


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@project_command
def reopen(session: CliRun, ids: tuple[str, ...], as_json: bool) -> None:
    """Move dropped or expired cards back to the inbox.

    `curator list --expired` lists expired candidates. `curator keep ID` keeps one without the inbox.
    """
    with session.open(anywhere=True, decides=True) as curator:
        full_ids = find_ids(curator, ids)
        report(curator, curator.decisions.reopen(full_ids), full_ids, as_json)


@click.command()
@click.argument("old")
@click.argument("new")
@project_command
def supersede(session: CliRun, old: str, new: str, as_json: bool) -> None:
    """Replace the lesson OLD with NEW and retire OLD (s)."""
    with session.open(anywhere=True) as curator:
        older, newer = curator.lessons.find(old).id, curator.lessons.find(new).id
        if ask_person(curator, [older], f"replace this by {newer}", as_json):
            return
        report(curator, curator.decisions.supersede(older, newer), [older, newer], as_json)


@click.command()
@click.argument("source")
@click.argument("target")
@click.option("--text", metavar="T", help="New headline of TARGET; further lines are its insight.")
@click.option(
    "--across", is_flag=True, help="Also merge across projects. Quotes of one project then appear in files of the other."
)
@project_command
def merge(session: CliRun, source: str, target: str, text: str | None, across: bool, as_json: bool) -> None:
    """Merge SOURCE into TARGET, with its evidence (m).

    The text of TARGET stays unless you give --text. curator prints a suggested combined text.
    """
    with session.open(anywhere=True) as curator:
        from_, into = find_ids(curator, [source])[0], find_ids(curator, [target])[0]
        if ask_person(curator, [from_], f"merge this into {into}", as_json):
            return
        if not across and curator.lessons.find(from_).project != curator.lessons.find(into).project:
            raise CuratorError(f"{from_} and {into} belong to different projects.", "Use --across to merge them.")
        headline, _, insight = (text or "").strip().partition("\n")
        proposed = "" if text else words_for_both(curator, from_, into)
        outcome = curator.decisions.merge([from_], into, headline=headline, insight=" ".join(insight.split()))
        with settle_after(curator, outcome):
            print_row(curator, curator.lessons.find(into), as_json)
        if proposed:
            warn(f"The text of {into} is unchanged. Suggested combined text (apply with `curator edit {into}`): {proposed}")


def words_for_both(curator: Curator, source: str, target: str) -> str:
    """Return the text that the inbox would propose. Return an empty text if the target says it already."""
    for both in app.merge_targets.of_entry(curator, curator.lessons.find(source), among=[target]):
        if both.entry.id == target and (both.headline, both.insight) != (both.entry.headline, both.entry.insight):
            return both.insight if both.insight.startswith(both.headline) else f"{both.headline} / {both.insight}"
    return ""


@click.command()
@click.argument("text", nargs=-1, required=True, metavar="TEXT...")
@click.option(
    "--category", type=CATEGORIES, default=Category.CONVENTION.value, show_default=True, metavar="C", help=CATEGORY_HELP
)
@click.option("--file", "files", multiple=True, metavar="P", help="A file that the lesson is about; may be repeated.")
@click.option("--scope", default="project", metavar="S", show_default=True, help=SCOPE_HELP)
@click.option("--pin", is_flag=True, help="Send the lesson at every session start.")
@project_command
def add(
    session: CliRun, text: tuple[str, ...], category: str, files: tuple[str, ...], scope: str, pin: bool, as_json: bool
) -> None:
    """Add a lesson by hand (a). If an agent runs this, the lesson becomes a candidate."""
    with session.open() as curator:
        if curator.actor != PERSON:
            propose(curator, words_of(text), files, Category(category), as_json)
            return
        fields = scope_fields(scope) | ({"durability": Durability.PINNED} if pin else {})
        fields["paths"] = app.project_files.own_paths(curator, fields["paths"])
        own = app.project_files.own_files(curator, files)
        outcome = curator.decisions.add(words_of(text), category=Category(category), files=own, **fields)
        with settle_after(curator, outcome):
            print_row(curator, outcome.entries[0], as_json)
        report_conflict(curator, outcome.entries[0].id)


def propose(curator: Curator, text: str, files: Sequence[str], category: Category, as_json: bool) -> None:
    """Make a candidate of an agent's lesson. Raises ``CuratorError`` if the lesson is known or was dropped."""
    if curator.project is None:
        raise NoProject("a lesson needs one")
    own = app.project_files.own_files(curator, files)
    candidate = app.mcp.proposal(text, "", own, "", running_agent(), category)
    answer = app.mcp.propose(curator, candidate, curator.project, curator.actor)
    if answer["state"] != State.OPEN:
        raise CuratorError(answer["message"])
    warn(answer["message"])
    print_row(curator, curator.lessons.find(answer["id"]), as_json)


def report_conflict(curator: Curator, id_: str) -> None:
    """Print the lessons that a new lesson contradicts. A card of its own asks for the decision."""
    entry = curator.lessons.peek(id_)
    other = curator.lessons.peek(entry.rival.other) if entry and entry.rival else None
    if entry and entry.rival and other:
        relating = "says nearly the same as" if entry.rival.nearly else RELATING[entry.rival.relating]
        warn(f"It {relating} {other.id}: {other.headline}")
        warn("Decide it in the inbox, or with `curator review --plain`.")


@click.command()
@click.argument("id")
@click.option("--headline", metavar="T", help="The lesson in a few words.")
@click.option("--insight", metavar="T", help="The lesson in full.")
@click.option("--category", type=CATEGORIES, metavar="C", help=CATEGORY_HELP)
@click.option("--scope", metavar="S", help=SCOPE_HELP)
@click.option("--pin/--no-pin", default=None, help="Send the lesson at every session start, or not.")
@project_command
def edit(
    session: CliRun,
    id: str,
    headline: str | None,
    insight: str | None,
    category: str | None,
    scope: str | None,
    pin: bool | None,
    as_json: bool,
) -> None:
    """Edit a lesson. Without options, open your editor (e).

    The editor is $VISUAL or $EDITOR. The first line is the headline, the rest is the insight.
    """
    wanted = {"headline": headline, "insight": insight, "category": Category(category) if category else None}
    fields: dict[str, Any] = {key: value for key, value in wanted.items() if value is not None}
    fields |= {} if scope is None else scope_fields(scope)
    fields |= {} if pin is None else {"durability": Durability.PINNED if pin else Durability.DURABLE}
    if not all(str(value).strip() for key, value in fields.items() if key in ("headline", "insight")):
        raise UsageError("The headline and the insight can't be empty.", "Leave the option out to keep the text.")
    with session.open(anywhere=True) as curator:
        entry = curator.lessons.find(id)
        words = ", ".join(f"{name} “{value}”" for name, value in fields.items())
        if ask_person(curator, [entry.id], f"change this: {words}", as_json):
            return
        fields = fields or in_editor(entry)
        if fields:
            outcome = curator.decisions.edit(entry.id, **fields)
            entry = outcome.entries[0]
            with settle_after(curator, outcome):
                print_row(curator, entry, as_json)
        else:
            warn("Nothing changed.")
            print_row(curator, entry, as_json)
        if "headline" in fields and "insight" not in fields and split_around_headline(entry.headline, entry.insight) is None:
            warn(f"Agents still get: “{entry.insight}” Change it with --insight.")


def in_editor(entry: Entry) -> dict[str, Any]:
    """Return headline and insight from the person's editor; empty if unchanged. Raises ``UsageError`` without an editor."""
    if not (os.environ.get("VISUAL") or os.environ.get("EDITOR") or is_terminal()):
        raise UsageError("Nothing to change.", "Use an option (`curator edit --help`), or set EDITOR.")
    here = Path.cwd()
    editor = commands.locate_editor(here, "vi")
    texts = commands.edit(entry, lambda file: commands.run_in_terminal([*editor, str(file)], here))
    if texts is None:
        return {}
    headline, insight = texts
    if not headline:
        raise CuratorError(f"{entry.id} did not change: the first line, its headline, is empty.")
    fields = {"headline": headline, "insight": insight or headline}
    return {} if fields == {"headline": entry.headline, "insight": entry.insight} else fields


def scope_fields(scope: str) -> dict[str, Any]:
    """Return a scope as fields. Raises ``UsageError`` for an empty one."""
    if scope in ("project", "global"):
        return {"scope": scope, "paths": ()}
    paths = tuple(path.strip() for path in scope.split(",") if path.strip())
    if not paths:
        raise UsageError("A scope can't be empty.", SCOPE_HELP)
    return {"scope": "paths", "paths": paths}


class EventNumber(click.ParamType[int]):
    """The number of an event. The error for a number outside the database's range does not name the range."""

    name = "event"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number. Fail with a usage error if it is none."""
        number = click.INT.convert(value, param, ctx)
        if not 0 < number < 2**63:
            self.fail(f"There is no event {number}. `curator history` lists the numbers.", param, ctx)
        return int(number)


an_event = click.option(
    "--event", type=EventNumber(), metavar="E", help="The decision with this event (default: the last one)."
)


@click.command()
@an_event
@scope_command
def undo(session: CliRun, event: int | None, as_json: bool) -> None:
    """Undo the project's last decision (u), or an earlier one.

    Outside a project, or with --all, undo the last decision of any project. `curator history` lists the events.
    """
    with session.open(anywhere=True, decides=True) as curator:
        curator.project = project_of_decisions(session, curator)
        report_undo(curator, curator.decisions.undo(event), as_json, "undone")


def project_of_decisions(session: CliRun, curator: Curator) -> Project | None:
    """Return the project whose last decision to undo, as in its inbox; ``None`` outside a known project and for all."""
    here = None if session.every else curator.here()
    return here if here and here.id in curator.projects() else None


@click.command()
@an_event
@scope_command
def redo(session: CliRun, event: int | None, as_json: bool) -> None:
    """Redo what you undid (U)."""
    with session.open(anywhere=True, decides=True) as curator:
        curator.project = project_of_decisions(session, curator)
        report_undo(curator, curator.decisions.redo(event), as_json, "redone")


def report_undo(curator: Curator, outcome: Outcome, as_json: bool, word: str) -> None:
    """Print the undone or redone changes. Scripts get the same keys for both."""
    with settle_after(curator, outcome):
        item = {"event": max(outcome.events.values()), "undone": [entry.id for entry in outcome.entries]}
        emit_or_say(as_json, [item], (f"{word}: {entry.id}  {entry.headline}" for entry in outcome.entries))


@click.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--session", "of_session", metavar="S", default="", help="Forget everything from this session.")
@project_command
def forget(session: CliRun, ids: tuple[str, ...], of_session: str, as_json: bool) -> None:
    """Delete lessons for good, with evidence and history.

    curator keeps only a hash of each, so that the same statement makes no new card. You cannot undo this. On a
    terminal, curator asks first.
    """
    if not ids and not of_session:
        raise UsageError("There is nothing to forget.", "Name ids, or a session with --session.")
    with session.open(anywhere=True, decides=True) as curator:
        if is_terminal():
            what = f"everything of the session {of_session}" if of_session else pluralize(len(ids), "entry", "entries")
            click.confirm(f"Forget {what} for good, with its file and history?", abort=True, err=True)
        erasure = app.forget.forget(curator, ids, session=curator.lessons.session(of_session) if of_session else "")
    for warning in erasure.warnings:
        warn(warning)
    emit_or_say(as_json, [{"forgotten": erasure.count}], [f"forgotten: {erasure.count}"])


@click.command()
@click.argument("one", metavar="ID")
@click.argument("other", metavar="ID")
@click.option("--because", required=True, metavar="TEXT", help="Why both are true.")
@project_command
def coexist(session: CliRun, one: str, other: str, because: str, as_json: bool) -> None:
    """Keep two similar lessons side by side (3).

    Both files record this, and curator no longer asks about the pair. A conflict card about the two disappears.
    `curator undo` undoes this.
    """
    if not because.strip():
        raise UsageError("Why are both lessons true?", "Give the reason with --because.")
    with session.open(anywhere=True, decides=True) as curator:
        pair = find_ids(curator, [one, other])
        report(curator, curator.decisions.coexist(pair[0], pair[-1], because), pair, as_json)


COMMANDS = (keep, retire, edit, merge, supersede, coexist, snooze, reopen, add, undo, redo, forget)
