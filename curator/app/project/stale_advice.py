"""Ask a model whether stale lessons still apply: the questions, and the answers next to the cards."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from curator import clock, curate
from curator.app import anchoring, distill
from curator.distill.digest import ANSWER, tokens
from curator.distill.questions import advice_prompt, read_advice
from curator.errors import CuratorError
from curator.model import Advice, Entry, Kind, Query, State, Verb
from curator.text import redact

if TYPE_CHECKING:
    from curator.app.curator import Curator

log = logging.getLogger(__name__)
Asked = TypeVar("Asked")
Result = TypeVar("Result")
Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Plan(Generic[Asked]):
    """The model and the lessons, or groups of them, that it would be asked about, with the prompts."""

    reader: distill.Reader | None
    questions: tuple[tuple[Asked, str], ...]
    price: float = 0.0

    @property
    def tokens(self) -> int:
        """Tokens of all prompts and answers, about."""
        return sum(tokens(text) + ANSWER // 4 for _, text in self.questions)

    @property
    def cost(self) -> float | None:
        """The price for the tokens, as set for a million; ``None`` without a price."""
        return self.tokens * self.price / 1_000_000 if self.price else None


@dataclass(slots=True)
class Report(Generic[Result]):
    """A model's results by lesson, the reason for each answer left out by its lesson, and the reason for an early end."""

    results: dict[str, Result] = field(default_factory=dict)
    refusals: dict[str, str] = field(default_factory=dict)
    stop_reason: str = ""


def plan(curator: Curator, *, name: str = "", limit: int = 0, estimate: bool = False) -> Plan[Entry]:
    """Return the questions for a model about stale lessons without advice. Sends nothing.

    Raises ``CuratorError`` if no reader is set or its settings are wrong. An ``estimate`` needs no reader.
    """
    settings = distill.with_name(curator.settings, name)
    reader = distill.make(settings) if settings.has_reader or not estimate else None
    return Plan(reader, tuple(questions(curator, limit)), curator.settings.distill_price)


def questions(curator: Curator, limit: int = 0) -> list[tuple[Entry, str]]:
    """Return each stale lesson without advice of the current project (or all), with its question."""
    query = Query(project=curator.scope, states=(State.ACTIVE,), kind=Kind.STALE)
    found = [entry for entry in curator.lessons.entries(query) if entry.findings and entry.advice is None]
    return [(entry, _prompt(curator, entry)) for entry in found[: limit or None]]


def _prompt(curator: Curator, entry: Entry) -> str:
    findings = sorted((one for one in entry.findings if one.alarming), key=lambda one: -one.severity)
    diffs = [f"{one.path} {one.symbol}: {one.drift.value}\n{one.diff}" for one in findings]
    commits = anchoring.commits(curator, entry, findings[0]) if findings else ()
    home = str(Path.home())
    parts = (entry.headline, entry.insight, *diffs, *commits)
    masked = [redact.clean(part).replace(f"{home}/", "~/") for part in parts]
    return advice_prompt(masked[0], masked[1], masked[2 : 2 + len(diffs)], masked[2 + len(diffs) :])


def run(curator: Curator, plan: Plan[Entry], progress: Progress = lambda done: None) -> Report[Advice]:
    """Ask about each lesson, and store the advice on its card, as one batch that can be undone. This decides nothing."""
    batch = clock.new_batch()

    def put(entry: Entry, text: str, answer: str, model: str) -> dict[str, Advice]:
        advice = read_advice(answer, model, text)
        current = curator.lessons.peek(entry.id)
        if current is None or current.findings != entry.findings:
            return {}
        change = curate.advise(current, advice)
        curator.store.apply([(Verb.DISTILL, change)], actor=curator.actor, at=clock.now(), batch=batch)
        return {entry.id: advice}

    return ask_each(curator, plan, "verdict", lambda entry: entry.id, put, progress)


def ask_each(
    curator: Curator,
    plan: Plan[Asked],
    named: str,
    id_of: Callable[[Asked], str],
    put: Callable[[Asked, str, str, str], dict[str, Result]],
    progress: Progress = lambda done: None,
) -> Report[Result]:
    """Ask a plan's questions. ``put`` stores and returns the results of each question, prompt, answer and model.

    ``named``: a key of the objects in an answer. ``put`` raises an exception for a wrong answer.
    """
    report, (name, distiller) = Report[Result](), plan.reader or distill.make(curator.settings)
    for number, (asked, text) in enumerate(plan.questions, 1):
        try:
            answer, _ = distill.ask(curator, name, distiller, "", text, named)
            with curator.store.transaction():
                report.results |= put(asked, text, answer, distiller.model)
        except distill.OverBudget as error:
            report.stop_reason = str(error)
            break
        except CuratorError:
            raise
        except Exception as error:
            id_ = id_of(asked)
            report.refusals[id_] = redact.clean(str(error)) or type(error).__name__
            log.warning("the distiller %s failed on %s: %s", name, id_, report.refusals[id_])
        progress(number)
    return report
