"""What verdicts teach, kept up to date: read off the log, so that an undo takes it back as well."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from curator import clock
from curator.inbox.learning import EVERYWHERE, Lesson, learned
from curator.model import Verb
from curator.service.reader import Reader
from curator.stats import KEPT, Decision

KEEPS = KEPT | {Verb.MERGE}


def learn(reader: Reader) -> int:
    """Adjust scores by the verdicts that stand, of every project; returns how many adjustments changed."""
    decisions = [Decision(*row) for row in reader.store.log.decisions()]
    found = learned(lessons(decisions, reader.store.sources.unlearned()))
    told = {key: odds for key, odds in found.items() if odds or found[EVERYWHERE, key[1]]}
    return reader.store.learn(told, floor() if any(odds < 0 for odds in told.values()) else 0.0)


def floor() -> float:
    """The score below which the detector proposes nothing; asked for only where verdicts lower scores, since it is dear."""
    from curator import detect

    return detect.floor()


def lessons(decisions: Iterable[Decision], unlearned: dict[str, float]) -> Iterator[Lesson]:
    """The last verdict on each candidate; what was reopened is undecided."""
    last: dict[str, Decision] = {}
    for one in decisions:
        if one.verb in KEEPS | {Verb.DISMISS, Verb.REOPEN}:
            last[one.id] = one
    for one in last.values():
        if one.verb is not Verb.REOPEN and one.at > unlearned.get(one.project, -1.0):
            yield Lesson(one.project, one.signal, one.score, one.verb is not Verb.DISMISS)


def reset(reader: Reader) -> int:
    """Let the verdicts of the project, or of all, teach nothing from now on; what they held back is shown again."""
    projects = [reader.project.id] if reader.project else [*reader.projects()]
    with reader.store.transaction():
        reader.store.sources.unlearn(projects, clock.now())
        return learn(reader)
