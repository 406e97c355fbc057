"""What a person turned down does not come back in other words; what several sessions ran into is one card."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from curator import app
from curator.app import Curator
from curator.app.sessions.ingest import Ingest
from curator.inbox import Resolution
from curator.model import Entry, State, Verb
from tests.app.conftest import Make, Transcript, cards, put, scanned, statement

SAID = "no, we never edit vendor/ by hand, the nightly sync overwrites it"
AGAIN = "no, vendor/ must never be edited by hand: the nightly sync overwrites it!"
NEAR = "no, we never edit dist/ by hand, the nightly sync overwrites it"
RULE = "Never edit vendor/ by hand, the nightly sync overwrites it"
REWORDED = "vendor/ must never be edited by hand: the nightly sync overwrites it"
NPM, PNPM = "Use npm, not pnpm", "Use pnpm, not npm"


def proposed(curator: Curator, words: str) -> bool:
    """Whether a statement becomes a new card."""
    return Ingest(curator).propose(statement(words), curator.scope or "") is Verb.PROPOSE


def test_a_dismissed_lesson_is_not_proposed_again_in_other_words(curator: Curator, root: Path, work: Path) -> None:
    def says(session: str, words: str) -> tuple[int, int]:
        Transcript(root, work, session).says(words)
        report = scanned(curator, root)
        return report.candidates, report.dismissals

    assert says("one", SAID) == (1, 0)
    (card,) = cards(curator)
    curator.decisions.drop([card.id])
    assert says("two", AGAIN) == says("three", SAID) == (0, 1)
    assert cards(curator) == []
    assert curator.lessons.find(card.id).state is State.DISMISSED
    assert says("four", NEAR) == (1, 0), "it only looks like it"
    curator.decisions.drop([cards(curator)[0].id])
    curator.decisions.undo()
    curator.decisions.undo(curator.lessons.history(card.id)[-1].seq)
    says("five", AGAIN)
    assert curator.lessons.find(card.id).times_stated == 2, "it may return once the dismissal is undone"


def test_a_run_that_goes_on_learns_of_dismissals_elsewhere(curator: Curator) -> None:
    run, project = Ingest(curator), curator.scope or ""
    assert run.propose(statement(RULE), project) is Verb.PROPOSE
    with closing(curator.fork()) as other:
        other.decisions.drop([cards(curator)[0].id])
        assert run.propose(statement(REWORDED), project) is None
        other.decisions.undo()
    run.refresh()
    assert run.propose(statement(REWORDED), project) is not None


@pytest.mark.parametrize(("reason", "returns"), [("wrong", False), ("obsolete", True)])
def test_a_lesson_retired_as_wrong_stays_away_an_obsolete_one_may_return(curator: Curator, reason: str, returns: bool) -> None:
    lesson = curator.decisions.add(RULE).entries[0]
    curator.decisions.drop([lesson.id], reason=reason)
    assert proposed(curator, REWORDED) is returns


def test_the_losing_side_of_a_conflict_does_not_return(curator: Curator) -> None:
    curator.decisions.add("Install packages with npm in this repository")
    Ingest(curator).propose(statement("Install packages with pnpm in this repository"), curator.scope or "")
    (card,) = cards(curator)
    assert card.rival is not None
    curator.decisions.resolve([card.id], Resolution.OLDER)
    assert not proposed(curator, "In this repository, packages are installed with pnpm")


@pytest.mark.parametrize(
    ("gone", "reason", "said", "returns"),
    [(RULE, "withdrawn", REWORDED, True), (NPM, "", NPM, False), (NPM, "", PNPM, True)],
    ids=["a file withdrew it", "the same", "the opposite"],
)
def test_only_a_person_s_refusal_counts(curator: Curator, make: Make, gone: str, reason: str, said: str, returns: bool) -> None:
    print_ = statement(gone).fingerprint
    put(curator, make(state=State.DISMISSED, reason=reason, headline=gone, insight=gone, fingerprint=print_))
    assert proposed(curator, said) is returns


# --- what several sessions ran into is one card -----------------------------------------------------------------------

DOWN = "Exit code 1\nError: connect ECONNREFUSED 127.0.0.1:{port}"


def meets(root: Path, work: Path, *sessions: str, port: int = 5432) -> list[Transcript]:
    """Sessions in each of which a command failed with this."""
    found = [Transcript(root, work, session) for session in sessions]
    for at, session in enumerate(found):
        session.says("Please run the tests.")
        session.calls("Bash", DOWN.format(port=port + at), failed=True, command="npm test")
    return found


def found(curator: Curator, root: Path) -> list[Entry]:
    scanned(curator, root)
    return [entry for entry in cards(curator) if entry.signal == "rediscovery"]


def errors(curator: Curator) -> list[object]:
    return curator.store.connection.execute("SELECT * FROM error_sessions").fetchall()


def test_the_second_session_makes_one_card_and_every_further_one_counts(curator: Curator, root: Path, work: Path) -> None:
    meets(root, work, "one")
    assert found(curator, root) == []
    meets(root, work, "two", port=5499)
    (card,) = found(curator, root)
    assert (card.times_stated, card.session) == (2, "two")
    assert "ECONNREFUSED" in card.headline
    meets(root, work, "three", "four", port=1)
    (card,) = found(curator, root)
    assert card.times_stated == 4
    assert {item.session for item in card.evidence} == {"two", "three", "four"}


def test_a_repeated_copied_or_foreign_session_counts_once(curator: Curator, root: Path, work: Path, other: Path) -> None:
    (script,) = meets(root, work, "one")
    assert found(curator, root) == []
    copied = script.path.with_name("copy.jsonl")
    copied.write_text(script.path.read_text().replace('"sessionId": "one"', '"sessionId": "copy"'))
    script.calls("Bash", DOWN.format(port=2), failed=True, command="npm test")
    meets(root, other, "two")
    assert found(curator, root) == []


def test_a_dismissed_one_stays_away(curator: Curator, root: Path, work: Path) -> None:
    meets(root, work, "one", "two")
    curator.decisions.drop([found(curator, root)[0].id])
    meets(root, work, "three")
    assert scanned(curator, root).dismissals == 1
    assert found(curator, root) == []


def test_forgetting_a_session_takes_back_that_it_met_it(curator: Curator, root: Path, work: Path) -> None:
    meets(root, work, "one")
    scanned(curator, root)
    app.forget.forget(curator, session="one")
    meets(root, work, "two")
    assert found(curator, root) == []
    (row,) = errors(curator)
    assert "ECONNREFUSED" not in json.dumps(row)
    assert "two" not in json.dumps(row)


def test_forgetting_the_card_is_for_good(curator: Curator, root: Path, work: Path) -> None:
    meets(root, work, "one", "two")
    app.forget.forget(curator, [found(curator, root)[0].id])
    meets(root, work, "three", "four")
    assert found(curator, root) == []
    assert errors(curator) == []
