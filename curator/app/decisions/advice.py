"""Ask a model about lessons: whether stale ones still apply, and which ones a rule can replace.

The answers are on the cards. A person decides.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from curator import clock, comparison, curate
from curator.app import anchoring, distill
from curator.app.decisions import tidy
from curator.distill import questions
from curator.distill.digest import ANSWER, tokens
from curator.errors import CuratorError
from curator.model import Advice, Consolidation, Entry, Kind, Query, State, Verb
from curator.text import redact

if TYPE_CHECKING:
    from curator.app.curator import Curator

log = logging.getLogger(__name__)
MIN_RELATED_LIKENESS = 0.3
"""Minimum likeness to ask a model about two lessons. Of 145 labelled pairs that one rule can replace, 126 have it."""
Group = tuple[Entry, ...]
Asked = TypeVar("Asked")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Plan(Generic[Asked]):
    """The model and the lessons, or groups of them, that it would be asked about, with the prompts."""

    reader: distill.Reader | None
    questions: tuple[tuple[Asked, str], ...]
    price: float = 0.0

    @property
    def tokens(self) -> int:
        """Return the approximate number of tokens of all prompts and answers."""
        return sum(tokens(text) + ANSWER // 4 for _, text in self.questions)

    @property
    def cost(self) -> float | None:
        """Return the price of the tokens, from the set price per million. Return ``None`` without a price."""
        return self.tokens * self.price / 1_000_000 if self.price else None


@dataclass(slots=True)
class Report(Generic[Result]):
    """A model's results by lesson, the reasons for missing answers by lesson, and the reason for an early end."""

    results: dict[str, Result] = field(default_factory=dict)
    refusals: dict[str, str] = field(default_factory=dict)
    stop_reason: str = ""


def plan_stale(curator: Curator, *, name: str = "", limit: int = 0, estimate: bool = False) -> Plan[Entry]:
    """Return the questions for a model about stale lessons without advice. Sends nothing. Raises as ``_plan``."""
    return _plan(curator, stale_questions(curator, limit), name, estimate)


def plan_rules(curator: Curator, *, name: str = "", estimate: bool = False) -> Plan[Group]:
    """Return the questions for a model about the current lessons, one per group. Sends nothing. Raises as ``_plan``."""
    lessons = tidy.by_project(entry for entry in tidy.active(curator) if not (entry.proposal and entry.proposal.by))
    groups = [tuple(group) for own in lessons for group in tidy.groups(own, _are_related, any)]
    return _plan(curator, ((group, questions.rules_prompt([*map(_text, group)])) for group in groups), name, estimate)


def _plan(curator: Curator, asked: Iterable[tuple[Asked, str]], name: str, estimate: bool) -> Plan[Asked]:
    """Return a plan with the reader. An ``estimate`` needs none.

    Raises ``CuratorError`` if no reader is set or its settings are wrong.
    """
    settings = distill.with_name(curator.settings, name)
    reader = distill.make(settings) if settings.has_reader or not estimate else None
    return Plan(reader, tuple(asked), settings.distill_price)


def stale_questions(curator: Curator, limit: int = 0) -> list[tuple[Entry, str]]:
    """Return each stale lesson without advice of the current project (or all), with its question."""
    query = Query(project=curator.scope, states=(State.ACTIVE,), kind=Kind.STALE)
    found = [entry for entry in curator.lessons.entries(query) if entry.findings and entry.advice is None]
    return [(entry, _stale_prompt(curator, entry)) for entry in found[: limit or None]]


def _stale_prompt(curator: Curator, entry: Entry) -> str:
    findings = sorted((one for one in entry.findings if one.alarming), key=lambda one: -one.severity)
    diffs = [f"{one.path} {one.symbol}: {one.drift.value}\n{one.diff}" for one in findings]
    commits = anchoring.commits(curator, entry, findings[0]) if findings else ()
    home = str(Path.home())
    parts = (entry.headline, entry.insight, *diffs, *commits)
    masked = [redact.clean(part).replace(f"{home}/", "~/") for part in parts]
    return questions.advice_prompt(masked[0], masked[1], masked[2 : 2 + len(diffs)], masked[2 + len(diffs) :])


def _are_related(one: Entry, other: Entry) -> bool:
    older, newer = (comparison.comparison_text(entry) for entry in (one, other))
    return (
        comparison.have_one_place(one, other)
        and comparison.likeness(older, newer, MIN_RELATED_LIKENESS) >= MIN_RELATED_LIKENESS
    )


def _text(entry: Entry) -> str:
    said = ". ".join(dict.fromkeys(part.rstrip(".") for part in (entry.headline, entry.insight) if part))
    return redact.clean(said).replace(f"{Path.home()}/", "~/")


def advise(curator: Curator, plan: Plan[Entry]) -> Report[Advice]:
    """Ask about each lesson, and store the advice on its card, as one batch that can be undone. This decides nothing."""
    batch = clock.new_batch()

    def put(entry: Entry, text: str, answer: str, model: str) -> dict[str, Advice]:
        advice = questions.read_advice(answer, model, text)
        current = curator.lessons.peek(entry.id)
        if current is None or current.findings != entry.findings:
            return {}
        change = curate.advise(current, advice)
        curator.store.apply([(Verb.DISTILL, change)], actor=curator.actor, at=clock.now(), batch=batch)
        return {entry.id: advice}

    return _ask_each(curator, plan, "verdict", lambda entry: entry.id, put)


def propose_rules(curator: Curator, plan: Plan[Group]) -> Report[questions.Rule]:
    """Ask about each group, and make cards of the rules, as one batch that can be undone. This decides nothing."""
    batch = clock.new_batch()

    def put(group: Group, text: str, answer: str, model: str) -> dict[str, questions.Rule]:
        found = questions.read_rules(answer, [*map(_text, group)])
        carriers = [(_propose(curator, [group[at] for at in rule.members], rule, model, batch), rule) for rule in found]
        return {id_: rule for id_, rule in carriers if id_}

    return _ask_each(curator, plan, "rule", lambda group: group[0].id, put)


def _ask_each(
    curator: Curator,
    plan: Plan[Asked],
    named: str,
    id_of: Callable[[Asked], str],
    put: Callable[[Asked, str, str, str], dict[str, Result]],
) -> Report[Result]:
    """Ask a plan's questions. ``put`` stores and returns the results of each question, prompt, answer and model.

    ``named``: a key of the objects in an answer. ``put`` raises an exception for a wrong answer.
    """
    report, reader = Report[Result](), plan.reader or distill.make(curator.settings)
    for asked, text in plan.questions:
        try:
            answer, _ = distill.ask(curator, reader, "", text, named)
            with curator.store.transaction():
                report.results |= put(asked, text, answer, reader.distiller.model)
        except distill.OverBudget as error:
            report.stop_reason = str(error)
            break
        except CuratorError:
            raise
        except Exception as error:
            id_ = id_of(asked)
            report.refusals[id_] = redact.clean(str(error)) or type(error).__name__
            log.warning("the distiller %s failed on %s: %s", reader.name, id_, report.refusals[id_])
    return report


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
