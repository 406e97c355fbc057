"""What several sessions of a project ran into becomes one card."""

from __future__ import annotations

import json
from pathlib import Path

from curator import app
from curator.app import Curator
from curator.model import Entry
from tests.app.conftest import Transcript, cards, scanned

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
    assert (card.seen, card.session) == (2, "two")
    assert "ECONNREFUSED" in card.headline
    meets(root, work, "three", "four", port=1)
    (card,) = found(curator, root)
    assert card.seen == 4
    assert {item.session for item in card.evidence} == {"two", "three", "four"}


def test_the_same_session_twice_or_copied_or_of_another_project_is_met_once(
    curator: Curator, root: Path, work: Path, tmp_path: Path
) -> None:
    (script,) = meets(root, work, "one")
    assert found(curator, root) == []
    copied = script.path.with_name("copy.jsonl")
    copied.write_text(script.path.read_text().replace('"sessionId": "one"', '"sessionId": "copy"'))
    script.calls("Bash", DOWN.format(port=2), failed=True, command="npm test")
    (tmp_path / "other").mkdir()
    meets(root, tmp_path / "other", "two")
    assert found(curator, root) == []


def test_a_dismissed_one_stays_away(curator: Curator, root: Path, work: Path) -> None:
    meets(root, work, "one", "two")
    curator.verdicts.drop([found(curator, root)[0].id])
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
