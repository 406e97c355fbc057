"""What a person turned down does not come back in other words; what only looks like it does come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from curator import app, detection
from curator.app import Curator
from curator.app.sessions.ingest import Ingest
from curator.inbox import Resolution
from curator.model import Candidate, Change, Entry, Evidence, Query, Role, State, Verb
from tests.app.test_ingest import Transcript, root

__all__ = ["root"]

SAID = "no, we never edit vendor/ by hand, the nightly sync overwrites it"
AGAIN = "no, vendor/ must never be edited by hand: the nightly sync overwrites it!"
NEAR = "no, we never edit dist/ by hand, the nightly sync overwrites it"


def waiting(curator: Curator) -> list[Entry]:
    return list(curator.lessons.entries(Query(states=(State.OPEN,))))


def scanned(curator: Curator, root: Path, work: Path, session: str, words: str) -> tuple[int, int]:
    Transcript(root, work, session).says(words)
    report = app.scan.scan(curator, roots=[root])["claude-code"]
    return report.candidates, report.dismissals


def test_a_dismissed_lesson_is_not_proposed_again_in_other_words(curator: Curator, root: Path, work: Path) -> None:
    assert scanned(curator, root, work, "one", SAID) == (1, 0)
    (card,) = waiting(curator)
    curator.verdicts.drop([card.id])
    assert scanned(curator, root, work, "two", AGAIN) == (0, 1)
    assert scanned(curator, root, work, "three", SAID) == (0, 1)
    assert waiting(curator) == []
    assert curator.lessons.find(card.id).state is State.DISMISSED


def test_what_only_looks_like_it_is_proposed(curator: Curator, root: Path, work: Path) -> None:
    scanned(curator, root, work, "one", SAID)
    curator.verdicts.drop([card.id for card in waiting(curator)])
    assert scanned(curator, root, work, "two", NEAR) == (1, 0)


def test_it_may_return_once_the_dismissal_is_undone(curator: Curator, root: Path, work: Path) -> None:
    scanned(curator, root, work, "one", SAID)
    curator.verdicts.drop([card.id for card in waiting(curator)])
    curator.verdicts.undo()
    scanned(curator, root, work, "two", AGAIN)
    assert sum(card.seen for card in waiting(curator)) == 2


def test_a_run_that_goes_on_learns_of_dismissals_elsewhere(
    curator: Curator, root: Path, work: Path, make: Callable[..., Entry]
) -> None:
    run = Ingest(curator)
    project = curator.scope or ""
    candidate = statement(make(), "Never edit vendor/ by hand, the nightly sync overwrites it")
    assert run.propose(candidate, project) is Verb.PROPOSE
    other = curator.fork()
    other.verdicts.drop([waiting(curator)[0].id])
    reworded = statement(make(), "vendor/ must never be edited by hand: the nightly sync overwrites it")
    assert run.propose(reworded, project) is None
    other.verdicts.undo()
    other.close()
    run.refresh()
    assert run.propose(reworded, project) is not None


@pytest.mark.parametrize(("reason", "returns"), [("wrong", False), ("obsolete", True)])
def test_a_lesson_retired_as_wrong_does_not_return_one_that_is_obsolete_may(
    curator: Curator, make: Callable[..., Entry], reason: str, returns: bool
) -> None:
    lesson = curator.verdicts.add("Never edit vendor/ by hand, the nightly sync overwrites it").entries[0]
    curator.verdicts.drop([lesson.id], reason=reason)
    reworded = statement(make(), "vendor/ must never be edited by hand: the nightly sync overwrites it")
    assert (Ingest(curator).propose(reworded, curator.scope or "") is Verb.PROPOSE) is returns


def test_the_losing_side_of_a_conflict_does_not_return(curator: Curator, make: Callable[..., Entry]) -> None:
    curator.verdicts.add("Install packages with npm in this repository")
    project = curator.scope or ""
    Ingest(curator).propose(statement(make(), "Install packages with pnpm in this repository"), project)
    (card,) = waiting(curator)
    assert card.rival is not None
    curator.verdicts.resolve([card.id], Resolution.OLDER)
    assert Ingest(curator).propose(statement(make(), "In this repository, packages are installed with pnpm"), project) is None


def test_what_a_file_withdrew_was_dismissed_by_nobody(curator: Curator, make: Callable[..., Entry]) -> None:
    gone = make(
        project=curator.scope,
        state=State.DISMISSED,
        reason="withdrawn",
        insight="Never edit vendor/, the nightly sync overwrites it",
    )
    curator.store.apply([(Verb.PROPOSE, Change(before=None, after=gone))], actor="import", at=1.0)
    again = statement(make(), "vendor/ must never be edited: the nightly sync overwrites it")
    assert Ingest(curator).propose(again, curator.scope or "") is Verb.PROPOSE


NPM, PNPM = "Use npm, not pnpm", "Use pnpm, not npm"


def stated(like: Entry, words: str) -> Candidate:
    return replace(statement(like, words), fingerprint=detection.fingerprint(words))


def test_what_is_refused_is_part_of_a_statement(curator: Curator, make: Callable[..., Entry]) -> None:
    project = curator.scope or ""
    gone = make(project=project, state=State.DISMISSED, insight=NPM, headline=NPM, fingerprint=detection.fingerprint(NPM))
    curator.store.apply([(Verb.PROPOSE, Change(before=None, after=gone))], actor="import", at=1.0)
    assert Ingest(curator).propose(stated(make(), NPM), project) is None
    assert Ingest(curator).propose(stated(make(), PNPM), project) is Verb.PROPOSE


def statement(like: Entry, words: str) -> Candidate:
    """A candidate that states this."""
    quote = Evidence(quote=words, role=Role.HUMAN, file=f"{like.id}.jsonl", line=1, line_end=1, session=like.id)
    return Candidate(
        category=like.category,
        headline=words,
        insight=words,
        evidence=(quote,),
        score=0.6,
        why={},
        signal=like.signal,
        fingerprint=f"print of {words}",
    )
