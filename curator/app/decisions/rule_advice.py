"""Ask a model which lessons one rule can replace: the questions, and its rules as cards."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from curator import clock, comparison, curate
from curator.app import distill
from curator.app.decisions import tidy
from curator.app.project.stale_advice import Plan, Progress, Report, ask_each
from curator.distill import questions
from curator.model import Consolidation, Entry, State, Verb
from curator.text import redact

if TYPE_CHECKING:
    from curator.app.curator import Curator

MIN_RELATED_LIKENESS = 0.3
"""Minimum likeness to ask a model about two lessons. Of 145 labelled pairs that one rule can replace, 126 have it."""
Group = tuple[Entry, ...]


def plan(curator: Curator, *, name: str = "", estimate: bool = False) -> Plan[Group]:
    """Return the questions for a model about the current lessons, one per group. Sends nothing.

    Raises ``CuratorError`` if no reader is set or its settings are wrong. An ``estimate`` needs no reader.
    """
    settings = distill.with_name(curator.settings, name)
    reader = distill.make(settings) if settings.has_reader or not estimate else None
    asked = [(tuple(group), questions.rules_prompt([*map(_text, group)])) for group in _groups(curator)]
    return Plan(reader, tuple(asked), curator.settings.distill_price)


def _groups(curator: Curator) -> list[list[Entry]]:
    """Return groups of lessons that may be about one thing and have no rule of a model yet."""
    lessons = tidy.by_project(entry for entry in tidy.active(curator) if not (entry.proposal and entry.proposal.by))
    return [group for own in lessons for group in tidy.groups(own, _are_related, any)]


def _are_related(one: Entry, other: Entry) -> bool:
    older, newer = (comparison.comparison_text(entry) for entry in (one, other))
    return (
        comparison.have_one_place(one, other)
        and comparison.likeness(older, newer, MIN_RELATED_LIKENESS) >= MIN_RELATED_LIKENESS
    )


def _text(entry: Entry) -> str:
    said = ". ".join(dict.fromkeys(part.rstrip(".") for part in (entry.headline, entry.insight) if part))
    return redact.clean(said).replace(f"{Path.home()}/", "~/")


def run(curator: Curator, plan: Plan[Group], progress: Progress = lambda done: None) -> Report[questions.Rule]:
    """Ask about each group, and make cards of the rules, as one batch that can be undone. This decides nothing."""
    batch = clock.new_batch()

    def put(group: Group, text: str, answer: str, model: str) -> dict[str, questions.Rule]:
        found = questions.read_rules(answer, [*map(_text, group)])
        carriers = [(_propose(curator, [group[at] for at in rule.members], rule, model, batch), rule) for rule in found]
        return {id_: rule for id_, rule in carriers if id_}

    return ask_each(curator, plan, "rule", lambda group: group[0].id, put, progress)


def _propose(curator: Curator, members: list[Entry], rule: questions.Rule, model: str, batch: str) -> str:
    """Store a rule on the first of its lessons. Return that lesson's id, or an empty text if one of the lessons changed."""
    now = [current for one in members if (current := curator.lessons.peek(one.id)) and current.state is State.ACTIVE]
    carrier = tidy.leading_lesson(now)
    if carrier is None or [_text(one) for one in now] != [_text(one) for one in members]:
        return ""
    quotes = tuple(zip((one.id for one in now), rule.quotes, strict=True))
    others = tuple(one.id for one in now if one is not carrier)
    made = Consolidation(others, rule.headline, rule.insight, model, quotes, words=curate.checksum(now))
    changes = [curate.propose(one, made if one is carrier else None) for one in now if one is carrier or one.proposal]
    curator.store.apply([(Verb.DISTILL, one) for one in changes], actor=curator.actor, at=clock.now(), batch=batch)
    return carrier.id
