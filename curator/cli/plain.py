"""``review --plain``: the inbox line by line, in the shape of ``git add -p``, with the same letters."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import click

from curator import app, clock
from curator.app import HAPPENED, SNOOZES, Curator, Outcome, Resolution, suggest
from curator.cli.context import report_files, say
from curator.cli.lists import card, score_lines, speaker
from curator.errors import CuratorError
from curator.keymap import ACTIONS, Action
from curator.model import Entry, Kind, Query, State
from curator.text.clean import strip
from curator.text.words import pluralize

if TYPE_CHECKING:
    from curator.app import Refusal

SIDES = {
    Resolution.NEWER: "keep the new one, retire the old one",
    Resolution.OLDER: "keep the old one, drop the new one",
    Resolution.BOTH: "keep both",
    Resolution.MERGE: "merge them",
}
UNSAID = {
    Kind.CANDIDATE: ("why",),
    Kind.CONFLICT: ("merge", "supersede", "why"),
    Kind.STALE: ("choose", "why"),
    Kind.CONSOLIDATE: ("merge", "supersede", "why"),
}
"""The actions that only the digits above the prompt and ``?`` show."""
ALIASES = {"n": "x", "j": ""}


@dataclass(slots=True)
class PlainReview:
    """A review line by line: rows in order, the current card, and the time when it was shown."""

    curator: Curator
    order: list[int]
    at: int = 0
    shown_at: float = 0.0
    refusals: set[Refusal] = field(default_factory=set)


def loop(curator: Curator, session: str = "") -> None:
    """Review the inbox. Enter or j leaves a card undecided. The end of input saves and ends."""
    if not review_cards(curator, lambda: curator.lessons.waiting(session=session)):
        return
    remaining = sum(curator.lessons.kinds(curator.lessons.waiting(session=session, rest=True)).values())
    waiting = sum(curator.lessons.kinds(curator.lessons.waiting(session=session)).values())
    left = f"{pluralize(waiting, 'card')} left undecided." if waiting else "No more cards."
    more = f" {remaining - waiting} weaker: `curator list --candidates` lists all." if remaining > waiting else ""
    say(left + more)


def review(curator: Curator) -> None:
    """Review in the same way lessons that may no longer be true, and groups that one rule can replace."""
    app.tidy.propose(curator)
    app.tidy.offer(curator)
    if not curator.lessons.kinds(curator.lessons.cleanup()).total():
        say("Nothing to clean up.")
    elif review_cards(curator, curator.lessons.cleanup):
        left = sum(curator.lessons.kinds(curator.lessons.cleanup()).values())
        say(f"{left} left undecided." if left else "No more lessons to review.")


def review_cards(curator: Curator, make_query: Callable[[], Query]) -> bool:
    """Show each card of the list while it still belongs there. Return ``False`` if the person wants to stop."""
    round_ = PlainReview(curator, list(curator.lessons.order(make_query())))
    try:
        while round_.at < len(round_.order):
            entry = curator.lessons.entry_at_row(round_.order[round_.at])
            if entry is None or not curator.lessons.filter_ids([entry.id], make_query()):
                round_.at += 1
                continue
            say(f"\n{round_.at + 1} of {len(round_.order)}")
            say("\n".join([*card(curator, entry, brief=True), *digit_meanings(entry)]))
            round_.shown_at = clock.now()
            if not decide(round_, entry):
                return False
        return True
    finally:
        app.statistics.learn(curator)  # not in between: it would take cards out of the round


def decide(round_: PlainReview, entry: Entry) -> bool:
    """Ask about a card until the person leaves it. Return ``False`` if the person wants to stop."""
    while True:
        answer = line_of(prompt(entry))
        if answer is None or answer == "q":
            return False
        try:
            with round_.curator.decisions.guard({}, lambda: clock.now() - round_.shown_at):
                if act(round_, entry, ALIASES.get(answer, answer)):
                    return True
        except CuratorError as error:
            say(str(error))


def line_of(question: str) -> str | None:
    """Return a line of input, without blanks around it. Return ``None`` at the end of input."""
    click.echo(strip(question), nl=False)
    line = sys.stdin.readline() if sys.stdin else ""
    if not line:
        click.echo("")
        return None
    return line.strip()


def choices(entry: Entry) -> list[tuple[str, Action]]:
    """Return the possible answers to a card as (letter or letters, action), in the order of the prompt."""
    fitting = [action for action in ACTIONS if action.plain and entry.kind in action.kinds]
    numbered = {Kind.CANDIDATE: len(entry.wordings), Kind.CONFLICT: len(SIDES), Kind.STALE: len(SNOOZES)}
    numbered[Kind.CONSOLIDATE] = min(len(entry.proposal.members), 4) if entry.proposal else 0
    digits = numbered.get(entry.kind, 0)
    span = "1" if digits == 1 else f"1-{digits}"
    shown = [action for action in fitting if action.name != "choose" or digits]
    return [(span if action.name == "choose" else action.plain, action) for action in shown]


def prompt(entry: Entry) -> str:
    """Return the question below a card: at most 100 columns, and only actions that apply to it."""
    words = [
        f"{letter} {'side' if action.name == 'choose' and entry.rival else action.label_for(entry.kind).lower()}"
        for letter, action in choices(entry)
        if action.name not in UNSAID.get(entry.kind, ())
    ]
    return ", ".join([*words, "?: "])


def digit_meanings(entry: Entry) -> list[str]:
    """Return the meanings of the digits on cards without wordings."""
    if entry.kind is Kind.CONFLICT:
        suggested = [*SIDES].index(suggest(entry)) + 1
        return [", ".join(f"{digit} {label}" for digit, label in enumerate(SIDES.values(), 1)) + f"; suggested: {suggested}"]
    if entry.kind is Kind.STALE:
        return ["snoozed: " + ", ".join(f"{digit} for {label}" for digit, (label, _) in enumerate(SNOOZES, 1))]
    return []


def act(round_: PlainReview, entry: Entry, answer: str) -> bool:
    """Carry out an answer. Return whether the card is finished. Raises ``CuratorError``."""
    curator = round_.curator
    ids = [entry.id]
    dropping = curator.decisions.keep_apart if entry.kind is Kind.CONSOLIDATE else curator.decisions.drop
    decisions: dict[str, Callable[[], Outcome]] = {
        "y": lambda: curator.decisions.accept(ids),
        "x": lambda: dropping(ids),
        "z": lambda: curator.decisions.snooze(ids),
        "e": lambda: edit(round_, entry),
        "m": lambda: choose_target(round_, entry, supersede=False),
        "s": lambda: choose_target(round_, entry, supersede=True),
    }
    if answer == "u":
        outcome = curator.decisions.undo()
        report_outcome(round_, outcome)
        go_back(round_, outcome)
        return True
    if answer == "o":
        evidence(entry)
        return False
    if answer == "w":
        say("\n".join(score_lines(curator.lessons.with_score(entry))) or "This lesson was added by hand.")
        return False
    if len(answer) == 1 and answer in "1234":
        report_outcome(round_, choose(round_, entry, answer))
    elif answer in decisions:
        report_outcome(round_, decisions[answer]())
    elif answer:
        explain(entry)
        return False
    round_.at += 1
    return True


def go_back(round_: PlainReview, outcome: Outcome) -> None:
    """Return to the card that was undone, also one from yesterday that was not among the rest."""
    waiting = [entry.id for entry in outcome.entries if entry.waits]
    for seq in sorted(round_.curator.lessons.rows_of(waiting).values())[:1]:
        if seq not in round_.order:
            round_.order.insert(round_.at, seq)
        round_.at = round_.order.index(seq)


def explain(entry: Entry) -> None:
    """Print the effect of each letter on this card."""
    for letter, action in choices(entry):
        help_ = "Type a new headline, and keep the card" if letter == "e" else action.help_for(entry.kind, entry.state)
        say(f"  {letter}  {help_}")
    say("  enter or j  Leave it undecided and go on")


def choose(round_: PlainReview, entry: Entry, digit: str) -> Outcome:
    """Return an offered wording, a side of a conflict, or the time to snooze a stale lesson."""
    decisions, ids = round_.curator.decisions, [entry.id]
    if entry.kind is Kind.CONFLICT:
        return decisions.resolve(ids, [*SIDES][int(digit) - 1])
    if entry.kind is Kind.CONSOLIDATE:
        members = decisions.members(entry)
        only = members[int(digit) - 1].id if int(digit) <= len(members) else "?"
        return decisions.keep_apart(ids, only=only)
    if entry.kind is Kind.STALE:
        return decisions.snooze(ids, clock.now() + SNOOZES[int(digit) - 1][1])
    return decisions.accept(ids, wording=int(digit))


def edit(round_: PlainReview, entry: Entry) -> Outcome:
    """Ask for a new headline and store it. Raises ``CuratorError`` for an empty line, which keeps the old one."""
    rule = entry.proposal if entry.kind is Kind.CONSOLIDATE else None
    text = line_of(f"headline [{rule.headline if rule else entry.headline}]: ")
    if not text:
        raise CuratorError("Not changed.")
    return round_.curator.decisions.edit(entry.id, headline=text, keep=True)


def choose_target(round_: PlainReview, entry: Entry, *, supersede: bool) -> Outcome:
    """Ask for a lesson to merge into or to replace, and do it. Raises ``CuratorError`` without a choice."""
    curator = round_.curator
    if supersede and entry.kind is Kind.CONFLICT:
        return curator.decisions.resolve([entry.id], Resolution.NEWER)
    if supersede:
        near = app.merge_targets.of_entry(curator, entry)
        merge_targets = [target for target in near if target.entry.state is State.ACTIVE]
    else:
        merge_targets = app.merge_targets.alike(curator, entry) or app.merge_targets.nearest(curator, entry)
    if not merge_targets:
        raise CuratorError("There is no lesson yet that this one could replace." if supersede else "No similar lesson.")
    for at, target in enumerate(merge_targets, 1):
        say(f"  {at}  {target.entry.headline}")
        if not supersede and target.headline != target.entry.headline:
            say(f"     would read: {target.headline}")
        if not supersede and target.insight not in (target.headline, target.entry.insight):
            say(f"     and in full: {target.insight}")
    answer = line_of("which one (enter: none): ") or ""
    number = int(answer) if answer.isascii() and answer.isdigit() else 0
    if not 1 <= number <= len(merge_targets):
        raise CuratorError("Not changed.")
    target = merge_targets[number - 1]
    if supersede:
        return curator.decisions.supersede(target.entry.id, entry.id)
    return curator.decisions.merge([entry.id], target.entry.id, headline=target.headline, insight=target.insight)


def evidence(entry: Entry) -> None:
    """Print the lines around each quote."""
    for item in entry.evidence:
        say(f"{item.agent} {item.session} {item.file}:{item.line}")
        for line in item.excerpt:
            say(f"  {'quoted, ' if line.hit else ''}{speaker(line.role)}: {line.text}")
        if not item.excerpt:
            say(f"  quoted, {speaker(item.role)}: {item.quote}")


def report_outcome(round_: PlainReview, outcome: Outcome) -> None:
    """Print the decision, then write files and anchors."""
    for entry in outcome.entries[:1]:
        say(f"{HAPPENED[outcome.verb]}: {entry.headline}")
    settled = app.settling.settle(round_.curator, [entry.id for entry in outcome.entries], learn=False)
    refused = set(settled.refusals)
    report_files(replace(settled, refusals=tuple(refused - round_.refusals)))  # each is said once
    round_.refusals |= refused
