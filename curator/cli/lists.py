"""Commands that read: status, list, show, search, history, stats, where, keys."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Set
from typing import TYPE_CHECKING

import click

from curator import app, clock
from curator.app import (
    HAPPENED,
    SIGNALS,
    Curator,
    differing,
    display_state,
    event_row,
    full_row,
    reasons,
    split_around_headline,
)
from curator.cli.context import (
    CATEGORIES,
    CATEGORY_HELP,
    CliRun,
    as_json,
    clip,
    emit,
    emit_or_say,
    moment,
    pass_session,
    project_command,
    rows,
    say,
    scope_command,
    scope_options,
    warn,
    words_of,
)
from curator.errors import UsageError
from curator.keymap import ACTIONS, keymap
from curator.model import (
    JSON,
    MEMORY,
    Category,
    Consolidation,
    Durability,
    Entry,
    Event,
    Evidence,
    Finding,
    Kind,
    Line,
    Query,
    Role,
    State,
    Verb,
)
from curator.text import warnings
from curator.text.clean import strip
from curator.text.words import noun_of, pluralize, terms

if TYPE_CHECKING:
    from curator.app.search import Match


LETTERS = {Kind.CANDIDATE: "C", Kind.CONFLICT: "!", Kind.STALE: "S", Kind.CONSOLIDATE: "G", Kind.LESSON: "A"}
SCOPES = {"project": "for its whole project", "global": "for every project"}
HEADLINE = 60
"""Maximum number of characters of a headline next to an event."""
MAX_CONTEXT_CHARACTERS = 200
"""Maximum letters of the preceding text to read out."""
MAX_OUTCOMES = 5
"""Maximum number of outcomes to show."""
SOURCES = {
    "report": "reported by an agent",
    "again": "said again",
    "against": "contradicted",
    "quiet": "a session without a word on it",
    "decision": "a person's decision",
}


@click.command("list")
@click.option("--candidates", is_flag=True, help="List candidates.")
@click.option("--conflicts", is_flag=True, help="List conflicts.")
@click.option("--stale", is_flag=True, help="List stale lessons.")
@click.option("--retired", is_flag=True, help="List retired lessons.")
@click.option("--expired", is_flag=True, help="List candidates that expired.")
@click.option("--category", type=CATEGORIES, metavar="C", help=CATEGORY_HELP)
@click.option("--since", metavar="D", help="Only those that changed since a date, or in a span such as 7d.")
@click.option("--cost", is_flag=True, help="Show the tokens that the lessons cost an agent, instead of the lessons.")
@scope_command
def list_(session: CliRun, /, category: str | None, since: str | None, cost: bool, as_json: bool, **kinds: bool) -> None:
    """List lessons (g l), or cards.

    Without options, list active lessons. Several options list everything that one of them names, including weaker and snoozed
    cards.
    """
    after = moment(since) if since else 0.0
    with session.open() as curator:
        if cost:
            show_cost(curator, app.packs.cost(curator), as_json=as_json)
            return
        wanted = [name for name, is_wanted in kinds.items() if is_wanted] or ["active"]
        if "stale" in wanted:
            app.staleness.check(curator)
        found = [entry for name in wanted for entry in curator.lessons.entries(query(curator, name, category, after))]
        if as_json:
            emit(rows(curator, found))
            return
        names = {id_: project.name for id_, project in curator.projects().items() if id_ != curator.scope}
        now = clock.now()
        for entry in found:
            say(line(curator.lessons.with_score(entry), now, names.get(entry.project, "")))
        if "candidates" in wanted:
            warn_about_hidden_cards(curator)
        if not found:
            here = " for this project" if curator.project else ""
            waiting = curator.lessons.kinds(curator.lessons.waiting()).total() if "candidates" not in wanted else 0
            more = f"{pluralize(waiting, 'card')} to decide: run `curator`, or `curator list --candidates`"
            if elsewhere := curator.lessons.waiting_elsewhere():
                more = f"{more}; " * bool(waiting) + f"{pluralize(elsewhere, 'card')} in other projects: use --all"
            warn(f"No matching entries{here}. {more if waiting or elsewhere else 'See `curator list --help`'}.")


COSTS = {
    "all": "all lessons together",
    "start": "sent at a session's start",
    "prompt": "sent with a prompt, at most",
    "file": "sent for a file, at most",
    "block": "in the block of an agent's file",
}


def show_cost(curator: Curator, costs: JSON, *, as_json: bool) -> None:
    """Print the tokens that lessons cost, and say when there are too many lessons."""
    if as_json:
        emit([costs])
        return
    say(f"{costs['lessons']:>6,}  {noun_of(costs['lessons'], 'lesson')}")
    for name, words in COSTS.items():
        say(f"{costs[name]:>6,}  tokens, {words}")
    warn_about_size(curator)


def warn_about_size(curator: Curator) -> None:
    """Print a warning, with a remedy, if a project has more lessons than its limit."""
    most, count = curator.settings.max_lessons, len(app.tidy.active(curator))
    if curator.project and 0 < most < count:
        warn(f"This project has {count:,} lessons, more than {most:,} (max_lessons). `curator cleanup` offers some to retire.")


def warn_about_hidden_cards(curator: Curator) -> None:
    """Say how many of the candidates the inbox does not show unless it is asked to."""
    if hidden := curator.lessons.count_hidden():
        warn(f"The inbox hides {pluralize(hidden, 'weaker card')}; press + there to see them.")


LISTED: dict[str, tuple[Kind | None, tuple[State, ...]]] = {
    "active": (None, (State.ACTIVE,)),
    "candidates": (Kind.CANDIDATE, (State.OPEN,)),
    "conflicts": (Kind.CONFLICT, (State.OPEN, State.ACTIVE)),
    "stale": (Kind.STALE, (State.ACTIVE,)),
    "retired": (None, (State.RETIRED,)),
    "expired": (None, (State.EXPIRED,)),
}
"""The kind and the states of the entries for each option of ``list``."""


def query(curator: Curator, what: str, category: str | None, since: float) -> Query:
    """Return the query for an option of ``list``."""
    kind, states = LISTED[what]
    return curator.lessons.library(states, kind=kind, category=Category(category) if category else None, since=since)


def line(entry: Entry, now: float, project: str = "") -> str:
    """Return an entry in one line."""
    letter = {State.RETIRED: "R", State.EXPIRED: "E"}.get(entry.state) or LETTERS[entry.kind]
    notes = [app.confidence(entry)] if entry.state is State.OPEN and entry.kind is Kind.CANDIDATE else []
    notes += [f"{entry.times_stated}x"] if entry.times_stated > 1 else []
    notes += ["snoozed"] if display_state(entry, now) == "snoozed" else []
    notes += ["global"] if entry.scope == "global" else []
    notes += [f"in {project}"] if project else []
    suffix = f"  ({', '.join(notes)})" if notes else ""
    return f"{entry.id}  {letter}  {entry.category.value:<15} {entry.headline}{suffix}"


@click.command()
@click.argument("id")
@project_command
def show(session: CliRun, id: str, as_json: bool) -> None:
    """Show everything about a lesson or card."""
    with session.open(anywhere=True) as curator:
        entry = curator.lessons.find(id)
        events = curator.lessons.history(entry.id)
        if as_json:
            emit([full_row(curator.lessons.with_score(entry), curator.projects(), events, now=clock.now())])
            return
        say("\n".join(card(curator, entry)))
        for event in events:
            say(f"{clock.iso(event.at)}  {HAPPENED[event.verb]} by {_actor(event)} (event {event.seq})")


def _actor(event: Event) -> str:
    """Return the actor of a change. A person starts a reader and can undo its run, but the reader decides what to propose."""
    return "reader" if event.verb is Verb.DISTILL else event.actor


def card(curator: Curator, entry: Entry, *, brief: bool = False) -> Iterable[str]:
    """Yield an entry as lines of plain text for reading aloud. ``brief`` shows only the parts needed to decide."""

    state = display_state(entry, clock.now())
    scope = SCOPES.get(entry.scope, f"for {', '.join(entry.paths)}")
    lasting = f", {entry.durability.value}" if entry.durability is not Durability.DURABLE else ""
    yield f"{entry.id}  {entry.kind.value}, {state}, {entry.category.value}, {scope}{lasting}"
    rest = split_around_headline(entry.headline, entry.insight)
    if rest is None or not brief:
        yield entry.headline
    if rest != ("", entry.headline, "") or brief:
        yield "".join(rest) if rest and brief else entry.insight
    if found := warnings.describe(entry.headline, entry.insight):
        yield f"! it {found}"
    if doubt := app.doubt_reason(entry, clock.now()):
        yield f"An agent wrote this on {clock.iso(entry.stated)[:10]}; {doubt}."
    yield from entry.wishes
    if entry.offer:
        yield f"retire it? {entry.offer}"
    if warnings.NO_PATHS in entry.score_parts:
        yield f"! it {warnings.NO_PATHS}"
    if fared := app.statistics.outcome_sentence(curator, entry):
        yield fared
    if entry.signal == MEMORY and (asked := app.memory_edits.asked(curator, entry)):
        yield asked
    for came in app.statistics.latest_outcomes(curator, entry, MAX_OUTCOMES):
        note = f": {' '.join(came.note.split())}" if came.note.strip() else ""
        yield f"  {clock.iso(came.at)[:10]}  {came.kind:<7}  {SOURCES.get(came.source, came.source)}{note}"
    yield from rivalry(curator, entry)
    if entry.kind is Kind.CONSOLIDATE and entry.proposal:
        yield from group(curator, entry, entry.proposal)
    for finding in entry.findings:
        yield finding_line(finding)
        if finding.diff:
            yield finding.diff.rstrip("\n")
    if entry.files:
        yield f"files: {', '.join(entry.files)}"
    if symbols := [anchor.symbol for anchor in entry.anchors if anchor.symbol]:
        yield f"symbols: {', '.join(symbols)}"
    if entry.branch:
        yield f"its code exists only on branch {entry.branch}"
    if entry.context and not brief:
        yield entry.context
    for at, wording in enumerate(entry.wordings, 1):
        yield f"wording {at}, {wording.label}: {differing(wording, entry)}"
    for item in entry.evidence:
        yield from quote_lines(item, brief=brief)
    if not brief:
        yield from score_lines(curator.lessons.with_score(entry))


def quote_lines(item: Evidence, *, brief: bool) -> Iterable[str]:
    """Yield a quote with its speaker and place. If ``brief``, also yield the line before it."""
    before = preceding_line(item) if brief else None
    if before is not None:
        yield f"{speaker(before.role)} before it: {before.text.splitlines()[0][:MAX_CONTEXT_CHARACTERS]}"
    yield f"{speaker(item.role)} in {item.file}:{item.line}:" if item.file else f"{speaker(item.role)}:"
    for part in item.quote.split("\n"):
        yield f"  {part}"


def preceding_line(item: Evidence) -> Line | None:
    """Return the line before a quote in the conversation, if it is known."""
    at = next((at for at, line in enumerate(item.excerpt) if line.hit), 0)
    return item.excerpt[at - 1] if at and item.excerpt[at - 1].text.strip() else None


def score_lines(entry: Entry) -> Iterable[str]:
    """Yield the parts of its score, strongest first."""
    parts, smaller = reasons(entry.score_parts)
    if parts:
        rule = f"{entry.signal} ({SIGNALS[entry.signal].sentence})" if entry.signal in SIGNALS else entry.signal
        sure = app.confidence(entry).capitalize()
        yield f"{sure}, by the rule {rule}; reasons for it (+) and against it (-), in log-odds:"
    for weight, name in parts:
        yield f"  {weight:+.2f}  {name}"
    if smaller:
        yield f"  and {smaller} smaller"


def finding_line(finding: Finding) -> str:
    """Return the finding on linked code in one line."""
    where = f"{finding.path}:{finding.symbol}" if finding.symbol else finding.path
    words = [f"{finding.drift.state}:" if finding.alarming else f"{finding.drift.state} slightly:", where]
    if finding.new_path:
        words.append(f"→ {finding.new_path}:{finding.new_symbol}" if finding.new_symbol else f"→ {finding.new_path}")
    if finding.named:
        words.append(f"(touches {', '.join(finding.named)})")
    return " ".join(words)


def speaker(role: Role) -> str:
    """Return the speaker of a quote."""
    return "human (only a file in this repository says so)" if role is Role.FILE else role.value


def rivalry(curator: Curator, entry: Entry) -> Iterable[str]:
    """Yield the other side of a conflict, and the words that clash."""
    if entry.rival is None:
        return
    other = curator.lessons.peek(entry.rival.other)
    perhaps = "" if entry.rival.certain or entry.version_of else "perhaps "
    what = "nearly the same as" if entry.rival.nearly else f"{perhaps}{entry.rival.relating.value}"
    yield f"{what} {entry.rival.other}: {other.headline if other else 'was deleted'}"
    if other and split_around_headline(other.headline, other.insight) != ("", other.headline, ""):
        yield other.insight
    for theirs, ours in entry.rival.clash:
        yield f"there {theirs!r}, here {ours!r}"


def group(curator: Curator, entry: Entry, rule: Consolidation) -> Iterable[str]:
    """Yield a proposed rule, and the lessons that it would replace, with the words that it omits."""
    members, projects = curator.decisions.members(entry), curator.projects()
    is_shared = app.is_shared(entry, members)
    by = f", by {rule.by}" if rule.by else ""
    yield f"one {'global ' if is_shared else ''}rule for {len(members) + 1} lessons{by}: {rule.headline}"
    if rule.insight.rstrip(".") != rule.headline.rstrip("."):
        yield f"  {rule.insight}"
    for at, member in enumerate([entry, *members]):
        lost = ", ".join(app.tidy.missing_words(member, rule))
        home = f"{projects[member.project].name}: " if is_shared else ""
        yield f"  {at or '-'}  {member.id}  {home}{member.headline}{f'  (loses: {lost})' if lost else ''}"


@click.command()
@click.argument("id", required=False)
@scope_command
def history(session: CliRun, id: str | None, as_json: bool) -> None:
    """Show the changes of lessons, newest first (g h).

    With ID, show the changes of one lesson, oldest first.
    """
    with session.open(anywhere=bool(id)) as curator:
        events = curator.lessons.history(id or "")
        headlines = {} if as_json else curator.lessons.headlines({event.id for event in events})
        lines = (
            f"{event.seq:>6}  {clock.iso(event.at)}  {HAPPENED[event.verb]:<12} {event.id}  {_actor(event):<9} "
            f"{clip(headlines.get(event.id, '(deleted)'), HEADLINE)}"
            for event in events
        )
        emit_or_say(as_json, map(event_row, events), lines)
        if not (events or as_json):
            warn("No events in this project yet. Use --all to see every project.")


@click.command()
@click.option("--since", metavar="D", help="Count only decisions since a date, or in a span such as 7d.")
@click.option("--reset-learning", is_flag=True, help="Reset the effect of your decisions on scores.")
@click.option("--reset-outcomes", is_flag=True, help="Reset the outcomes that affect ranking.")
@scope_command
def stats(session: CliRun, since: str | None, reset_learning: bool, reset_outcomes: bool, as_json: bool) -> None:
    """Count lessons, decisions and outcomes.

    For each signal of detection, show how many candidates you kept and dropped, and the effect on the scores of new
    candidates with this signal.
    """
    after = moment(since) if since else 0.0
    with session.open() as curator:
        if reset_learning:
            app.statistics.reset_learning(curator)
        if reset_outcomes:
            app.deliveries.reset_outcomes(curator)
        found = app.statistics.summary(curator, after)
    if as_json:
        emit([found])
        return
    if not found["states"] and not found["decisions"]:
        here = "" if session.every else " in this project"
        say(f"No statistics{here} yet. Run `curator` to scan and decide, or use --all.")
        return
    for heading, rows_of in app.statistics.sections(found, {name: signal.sentence for name, signal in SIGNALS.items()}).items():
        say(heading)
        room = max(12, *(len(name) + 1 for name, _, _ in rows_of))
        for name, figure, note in rows_of:
            say(f"  {name:<{room}}{figure:>8}  {note}".rstrip())


@click.command()
@as_json
@pass_session
def where(session: CliRun, as_json: bool) -> None:
    """Show the folders and files that curator uses."""
    settings = session.settings
    ours = {"database": settings.database, "log": settings.log, "spool": settings.spool, "settings": settings.file}
    places = {name: str(place) for name, place in (*ours.items(), ("exports", settings.exports))}
    roots = app.scan.native_places()
    if as_json:
        emit([{**places, "roots": roots}])
        return
    for name, place in places.items():
        say(f"{name:<16}{place}")
    absent = 0
    for agent, paths in roots.items():
        for path in paths:
            absent += not os.path.exists(path)
            if os.path.exists(path):
                say(f"{agent:<16}{path}")
    if absent:
        say(f"{'absent':<16}{pluralize(absent, 'other folder')} where agents keep transcripts; --json lists them")


@click.command()
@as_json
@click.option("--toml", "as_toml", is_flag=True, help="Print as a [keys] table for settings.toml.")
@pass_session
def keys(session: CliRun, as_json: bool, as_toml: bool) -> None:
    """Show all keys of the inbox, with your changes (?)."""
    by_action: dict[str, list[str]] = {action.name: [] for action in ACTIONS}
    for key, name in keymap(session.settings.keys).items():
        by_action.setdefault(name, []).append(key)
    if as_json:
        emit(
            {"action": action.name, "keys": by_action[action.name], "group": action.group, "help": action.help}
            for action in ACTIONS
        )
        return
    if as_toml:
        lines = (f"{action.name} = {json.dumps(' '.join(by_action[action.name]))}" for action in ACTIONS)
        say("\n".join(["[keys]", *lines]))
        return
    for group in dict.fromkeys(action.group for action in ACTIONS):
        say(group)
        for action in ACTIONS:
            if action.group == group:
                say(f"  {' '.join(by_action[action.name]) or f': {action.name}':<18}{action.help}")


WORDS = {Kind.CANDIDATE: "candidate", Kind.CONFLICT: "conflict", Kind.STALE: "stale lesson"}
BRING = "run `curator import` to add them"


@click.command()
@click.option("--line", is_flag=True, help="Print a few letters, such as C29 !4 S8, or nothing if the inbox is empty.")
@scope_options
@pass_session
def status(session: CliRun, line: bool) -> None:
    """Show the number of cards in the inbox.

    With --line for status bars: C candidates, ! conflicts, S stale lessons. In tmux: set -g status-right '#(curator status
    --line --project "#{pane_current_path}")'.
    """
    with session.open(quick=True) as curator:
        counts = curator.lessons.kinds(curator.lessons.waiting())
        if line:
            text = " ".join(f"{letter}{counts[kind]}" for kind, letter in LETTERS.items() if kind in WORDS and counts[kind])
            click.echo(text, nl=bool(text))
            return
        for kind, word in WORDS.items():
            if counts[kind]:
                say(f"{counts[kind]:>6,}  {noun_of(counts[kind], word)}")
        if hidden := curator.lessons.count_hidden():
            say(f"{hidden:>6,}  weaker: press + in the inbox, or run `curator list --candidates`")
        if unread := app.project_files.count_unread(curator):
            say(f"{unread:>6,}  {noun_of(unread, 'lesson file')} of this project not in the database: {BRING}")
        lessons, new = curator.lessons.kinds(curator.lessons.library()).total(), not curator.has_read()
        if new:
            say("no transcripts read yet: run `curator scan`, or open the inbox")
        if new and not lessons:
            return
        sent = sum(1 for fared in app.statistics.outcomes(curator, since=clock.now() - 7 * 86_400.0).values() if fared.times)
        say(f"{lessons:>6,}  {noun_of(lessons, 'lesson')}, {sent:,} of them sent to an agent in the last 7 days")


@click.command()
@click.argument("words", nargs=-1, metavar="[WORDS]...")
@click.option("--file", "files", multiple=True, metavar="P", help="Also find lessons about this file; may be repeated.")
@click.option("--category", type=CATEGORIES, metavar="C", help=CATEGORY_HELP)
@click.option("--since", metavar="D", help="Only those that changed since a date, or in a span such as 7d.")
@click.option("--candidates", is_flag=True, help="Search candidates.")
@click.option("--retired", is_flag=True, help="Search retired lessons.")
@click.option("--hub", "at_hub", is_flag=True, help="Search what your teams share at the hub instead.")
@click.option("--limit", type=click.IntRange(min=1), default=20, metavar="N", help="Maximum number of results (default: 20).")
@scope_command
def search(
    session: CliRun,
    words: tuple[str, ...],
    files: tuple[str, ...],
    category: str | None,
    since: str | None,
    candidates: bool,
    retired: bool,
    at_hub: bool,
    limit: int,
    as_json: bool,
) -> None:
    """Find lessons by words, by files, or both.

    The best lessons come first, in the order in which agents get them.
    """
    if not words and not files:
        raise UsageError("There is nothing to search for.", "Give words, or a file with --file.")
    if at_hub:
        if not words or files or category or since or candidates or retired:
            raise UsageError("--hub searches by words alone.", "Leave out the other options.")
        from curator.cli.hub import show_found  # few searches need it

        with session.open(anywhere=True) as curator:
            show_found(app.hub.search(curator, words_of(words), limit), as_json)
        return
    states = [State.OPEN] * candidates + [State.RETIRED] * retired or [State.ACTIVE]
    with session.open() as curator:
        found = app.search.search(
            curator,
            words_of(words),
            files=app.project_files.own_files(curator, files),
            states=states,
            category=Category(category) if category else None,
            since=moment(since) if since else 0.0,
            limit=limit,
        )
        if as_json:
            listed = rows(curator, [match.entry for match in found])
            emit(
                item | {"score": round(match.score, 3), "why": {part: round(worth, 3) for part, worth in match.parts.items()}}
                for item, match in zip(listed, found, strict=True)
            )
            return
        for match in found:
            show_match(curator, match, clock.now())
        if not found:
            here, wider = (" in this project", ", or use --all") if curator.project else ("", "")
            waiting = 0 if candidates else curator.lessons.kinds(curator.lessons.waiting()).total()
            more = f" {pluralize(waiting, 'card')} to decide: add --candidates to search them." if waiting else ""
            warn(f"No match{here}. Try other words{wider}.{more}")


def show_match(curator: Curator, match: Match, now: float) -> None:
    """Print a match: its line, its insight if that says more, and the reasons for the match."""
    from curator.cli.agents import explain_in_words  # Most lists need none of those commands.

    names = {id_: project.name for id_, project in curator.projects().items() if id_ != curator.scope}
    click.echo(highlight(line(match.entry, now, names.get(match.entry.project, "")), match.terms))
    if match.entry.insight.rstrip(".") not in ("", match.entry.headline.rstrip(".")):
        click.echo(highlight(f"           {match.entry.insight}", match.terms))
    if match.parts and (reasons := explain_in_words(match.parts, match.score)):
        click.echo(click.style(f"           {reasons}", dim=True))


def highlight(text: str, found: Set[str]) -> str:
    """Return a text with the search words in bold."""
    return re.sub(
        r"\w+", lambda word: click.style(word[0], bold=True) if not found.isdisjoint(terms(word[0])) else word[0], strip(text)
    )


COMMANDS = (list_, show, history, stats, where, keys, status, search)
