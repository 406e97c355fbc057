"""Offer other words for open candidates by a model: first the estimate, then the answers, each checked.

A distiller decides nothing and changes no evidence. Whatever goes wrong with it, the candidate keeps its offline words.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from curator import plugins
from curator.app.curator import Curator
from curator.app.verdicts import cleaned
from curator.curate import OFFLINE
from curator.errors import CuratorError
from curator.hookspecs import Brief, Distiller, Estimate
from curator.model import Entry, Kind, Line, Wording
from curator.settings import Settings

if TYPE_CHECKING:
    from curator.distill.cache import Cache

log = logging.getLogger(__name__)

QUOTES = 3
LINES = 10
LONG, SHORT = 600, 300
"""Characters of a quote and of a line around it that are sent at most."""
PATIENCE = 3
"""After so many failures in a row nobody is asked any more."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Who would be asked about which candidates (by id), how many answers are in the cache, and what the others take."""

    name: str
    distiller: Distiller
    briefs: Mapping[str, Brief]
    cached: int
    estimate: Estimate


@dataclass(slots=True)
class Distilled:
    """What came of a plan: the candidates that got another wording, and how many did not, for which reason."""

    reworded: list[Entry] = field(default_factory=list)
    unchanged: int = 0
    refused: int = 0
    """Answers that said what nobody had said, turned it round, or were too long."""
    failed: int = 0
    reason: str = ""
    """Why the first of these failed."""


def plan(curator: Curator, limit: int = 0) -> Plan:
    """What the distiller that is set would be asked about the inbox's candidates, the best ``limit`` (0: all). Sends nothing.

    Candidates on whose cards distilled words stand already are left out. Raises ``CuratorError`` where no distiller is
    set, there is none of that name, or its settings are wrong.
    """
    if curator.store.newer:
        raise CuratorError(curator.store.newer, "Update curator; nothing was sent.")
    name, distiller = made(curator.settings)
    entries = curator.lessons.entries(curator.lessons.waiting(Kind.CANDIDATE), limit or -1)
    briefs = {entry.id: brief(entry) for entry in entries if all(one.label != OFFLINE for one in entry.wordings)}
    known = answers(curator.settings)
    asked = [one for one in briefs.values() if key(name, distiller, one) not in known]
    return Plan(name, distiller, briefs, len(briefs) - len(asked), distiller.estimate(asked))


def made(settings: Settings) -> tuple[str, Distiller]:
    """The distiller that is set, with its name. Raises ``CuratorError``."""
    name, known = settings.distiller, plugins.distillers()
    if name not in known:
        raise CuratorError(
            f"There is no distiller {name!r}." if name else "No distiller is set: candidates keep the words they have.",
            f'Set one in {settings.file}, such as distiller = "command"; there are: {", ".join(sorted(known))}.',
        )
    try:
        return name, known[name](settings)
    except CuratorError:
        raise
    except Exception as error:
        log.exception("the distiller %s can't be made", name)
        raise CuratorError(f"The distiller {name!r} can't be used: {error!r}.", "The log has the details.") from error


def brief(entry: Entry) -> Brief:
    """What a distiller is told of a candidate: cleaned once more, without places, and short."""
    around = entry.evidence[0].excerpt if entry.evidence else ()
    quotes = tuple(without_secrets(item.quote, LONG) for item in entry.evidence[:QUOTES])
    lines = tuple(Line(line.role, without_secrets(line.text, SHORT)) for line in around)
    return Brief(
        category=entry.category,
        headline=without_secrets(entry.headline, SHORT),
        insight=without_secrets(entry.insight, LONG),
        context=without_secrets(entry.context, LONG),
        quotes=quotes,
        excerpt=tuple(line for line in lines if not any(line.text in quote for quote in quotes))[:LINES],
    )


def without_secrets(text: str, most: int) -> str:
    """A text as it may leave this machine: without secrets and the name of the person's home."""
    home = str(Path.home())
    clean: str = cleaned(text)
    return (clean.replace(home, "~") if len(home) > 1 else clean)[:most]


def carry_out(curator: Curator, plan: Plan, progress: Callable[[int], None] = lambda done: None) -> Distilled:
    """Ask, and offer as one batch what stands up to what was said; also what was gathered before an interruption."""
    from curator.distill import gate

    done, found, row = Distilled(), dict[str, Wording](), 0
    try:
        for at, (id_, asked) in enumerate(plan.briefs.items(), 1):
            try:
                answer = ask(plan, asked, answers(curator.settings), patient=row < PATIENCE)
                row = 0
            except Exception as error:  # whatever a distiller does, the offline words stand
                row += 1
                done.failed += 1
                done.reason = done.reason or cleaned(str(error)) or type(error).__name__
                log.warning("the distiller %s failed on %s: %s", plan.name, id_, cleaned(str(error) or repr(error)))
            else:
                fault = gate.fault(answer, asked) if answer else ""
                if fault:
                    log.info("the distiller %s was refused on %s: %s", plan.name, id_, fault)
                    done.refused += 1
                elif answer:
                    found[id_] = answer
            progress(at)
    finally:
        found = {id_: wording for id_, wording in found.items() if curator.lessons.peek(id_)}
        done.reworded += curator.verdicts.offer(found, first=curator.settings.distill_first).entries
    done.unchanged = len(plan.briefs) - len(done.reworded) - done.refused - done.failed
    return done


def ask(plan: Plan, asked: Brief, known: Cache, *, patient: bool) -> Wording | None:
    """The answer, from the cache where it was given before. Raises what the distiller raises."""
    hash_ = key(plan.name, plan.distiller, asked)
    try:
        return known.get(hash_)
    except KeyError:
        if not patient:
            raise TimeoutError("it was not asked after so many failures") from None
    answer = plan.distiller.rewrite(asked)
    if answer is not None:
        headline, insight = (" ".join(cleaned(text).split()) for text in (answer.headline, answer.insight))
        answer = Wording(headline.rstrip("."), insight, "distilled")
    known.put(hash_, answer)
    return answer


def key(name: str, distiller: Distiller, asked: Brief) -> str:
    """What the cache knows a question by."""
    from curator.distill import cache

    return cache.key(name, distiller.model, asked)


def answers(settings: Settings) -> Cache:
    """The answers that were given before."""
    from curator.distill.cache import Cache

    return Cache(settings.cache / "distill")
