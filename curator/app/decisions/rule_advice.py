"""Ask a model which lessons one rule can replace: the questions, and its rules as cards."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from curator import clock, comparison, curate
from curator.app import distill
from curator.app.decisions import tidy
from curator.app.project.stale_advice import Plan
from curator.distill import rules
from curator.errors import CuratorError
from curator.model import Consolidation, Entry, State, Verb
from curator.text import redact

if TYPE_CHECKING:
    from curator.app.curator import Curator

log = logging.getLogger(__name__)
MIN_RELATED_LIKENESS = 0.3
"""Minimum likeness to ask a model about two lessons. Of 145 labelled pairs that one rule can replace, 126 have it."""
Group = tuple[Entry, ...]


@dataclass(slots=True)
class RuleReport:
    """The lessons with a new rule, the reason for each refused answer by a lesson's id, and the reason for an early end."""

    cards: list[str] = field(default_factory=list)
    refusals: dict[str, str] = field(default_factory=dict)
    stop_reason: str = ""


def plan(curator: Curator, *, name: str = "", estimate: bool = False) -> Plan[Group]:
    """Return the questions for a model about the current lessons, one per group. Sends nothing.

    Raises ``CuratorError`` if no reader is set or its settings are wrong. An ``estimate`` needs no reader.
    """
    settings = distill.with_name(curator.settings, name)
    reader = distill.make(settings) if settings.has_reader or not estimate else None
    asked = [(tuple(group), rules.prompt([*map(_text, group)])) for group in _groups(curator)]
    return Plan(reader, tuple(asked), curator.settings.distill_price)


def _groups(curator: Curator) -> list[list[Entry]]:
    """Return groups of lessons that may be about one thing and have no rule of a model yet."""
    lessons = tidy.by_project(entry for entry in tidy.active(curator) if not (entry.proposal and entry.proposal.by))
    return [group for own in lessons for group in tidy.groups(own, _are_related)]


def _are_related(one: Entry, other: Entry) -> bool:
    older, newer = (comparison.comparison_text(entry) for entry in (one, other))
    return (
        comparison.have_one_place(one, other)
        and comparison.likeness(older, newer, MIN_RELATED_LIKENESS) >= MIN_RELATED_LIKENESS
    )


def _text(entry: Entry) -> str:
    said = ". ".join(dict.fromkeys(part.rstrip(".") for part in (entry.headline, entry.insight) if part))
    return redact.clean(said).replace(f"{Path.home()}/", "~/")


def run(curator: Curator, plan: Plan[Group], progress: Callable[[int], None] = lambda done: None) -> RuleReport:
    """Ask about each group, and make cards of the rules, as one batch that undo takes back; nothing is decided."""
    report, batch, (name, distiller) = RuleReport(), clock.new_batch(), plan.reader or distill.make(curator.settings)
    for number, (group, text) in enumerate(plan.questions, 1):
        try:
            answer, _ = distill.ask(curator, name, distiller, "", text, "rule")
            found = rules.read(answer, [*map(_text, group)])
        except distill.OverBudget as error:
            report.stop_reason = str(error)
            break
        except CuratorError:
            raise
        except Exception as error:
            report.refusals[group[0].id] = redact.clean(str(error)) or type(error).__name__
            log.warning("the distiller %s failed on %s: %s", name, group[0].id, report.refusals[group[0].id])
        else:
            with curator.store.transaction():
                for rule in found:
                    report.cards += _propose(curator, [group[at] for at in rule.members], rule, distiller.model, batch)
        progress(number)
    return report


def _propose(curator: Curator, members: list[Entry], rule: rules.Rule, model: str, batch: str) -> list[str]:
    """Store a rule on the first of its lessons. Return that lesson's id, or nothing if one of the lessons changed."""
    now = [current for one in members if (current := curator.lessons.peek(one.id)) and current.state is State.ACTIVE]
    carrier = tidy.leading_lesson(now)
    if carrier is None or [_text(one) for one in now] != [_text(one) for one in members]:
        return []
    quotes = tuple(zip((one.id for one in now), rule.quotes, strict=True))
    others = tuple(one.id for one in now if one is not carrier)
    made = Consolidation(others, rule.headline, rule.insight, model, quotes)
    changes = [curate.propose(one, made if one is carrier else None) for one in now if one is carrier or one.proposal]
    curator.store.apply([(Verb.DISTILL, one) for one in changes], actor=curator.actor, at=clock.now(), batch=batch)
    return [carrier.id]
