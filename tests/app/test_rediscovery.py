"""What several sessions of a project ran into becomes one card."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from curator import app
from curator.app import Curator
from curator.model import Entry, Query, State
from tests.app.test_ingest import Transcript, root

__all__ = ["root"]

DOWN = "Exit code 1\nError: connect ECONNREFUSED 127.0.0.1:{port}"


def meets(root: Path, work: Path, session: str, port: int = 5432, output: str = DOWN) -> Transcript:
    """A session in which a command failed with this."""
    script = Transcript(root, work, session)
    script.says("Please run the tests.")
    id_ = f"toolu_{session}"
    call = {"type": "tool_use", "id": id_, "name": "Bash", "input": {"command": "npm test"}}
    result = {"type": "tool_result", "tool_use_id": id_, "is_error": True, "content": output.format(port=port)}
    script.write(script.record("assistant", {"id": id_, "role": "assistant", "content": [call]}))
    script.write(script.record("user", {"role": "user", "content": [result]}))
    return script


def found(curator: Curator) -> list[Entry]:
    return [entry for entry in curator.lessons.entries(Query(states=(State.OPEN,))) if entry.signal == "rediscovery"]


def test_the_second_session_makes_one_card_and_every_further_one_counts(curator: Curator, root: Path, work: Path) -> None:
    meets(root, work, "one")
    app.scan.scan(curator, roots=[root])
    assert found(curator) == []
    meets(root, work, "two", port=5499)
    app.scan.scan(curator, roots=[root])
    (card,) = found(curator)
    assert (card.seen, card.session) == (2, "two")
    assert "ECONNREFUSED" in card.headline
    meets(root, work, "three", port=1)
    meets(root, work, "four", port=2)
    app.scan.scan(curator, roots=[root])
    (card,) = found(curator)
    assert card.seen == 4
    assert {item.session for item in card.evidence} == {"two", "three", "four"}


def test_the_same_session_twice_or_copied_is_met_once(curator: Curator, root: Path, work: Path) -> None:
    script = meets(root, work, "one")
    app.scan.scan(curator, roots=[root])
    copied = script.path.with_name("copy.jsonl")
    shutil.copy(script.path, copied)
    copied.write_text(copied.read_text().replace('"sessionId": "one"', '"sessionId": "copy"'))
    script.fails("npm test")
    app.scan.scan(curator, roots=[root])
    assert found(curator) == []


def test_another_project_is_another_matter(curator: Curator, root: Path, work: Path, tmp_path: Path) -> None:
    meets(root, work, "one")
    (tmp_path / "other").mkdir()
    meets(root, tmp_path / "other", "two")
    app.scan.scan(curator, roots=[root])
    assert found(curator) == []


def test_a_dismissed_one_stays_away(curator: Curator, root: Path, work: Path) -> None:
    for session in ("one", "two"):
        meets(root, work, session)
    app.scan.scan(curator, roots=[root])
    curator.verdicts.drop([found(curator)[0].id])
    meets(root, work, "three")
    assert app.scan.scan(curator, roots=[root])["claude-code"].dismissals == 1
    assert found(curator) == []


def test_forgetting_a_session_takes_back_that_it_met_it(curator: Curator, root: Path, work: Path) -> None:
    meets(root, work, "one")
    app.scan.scan(curator, roots=[root])
    app.forget.forget(curator, session="one")
    meets(root, work, "two")
    app.scan.scan(curator, roots=[root])
    assert found(curator) == []
    rows = curator.store.connection.execute("SELECT * FROM error_sessions").fetchall()
    assert len(rows) == 1
    assert "ECONNREFUSED" not in json.dumps(rows)
    assert "two" not in rows[0]


def test_forgetting_the_card_is_for_good(curator: Curator, root: Path, work: Path) -> None:
    for session in ("one", "two"):
        meets(root, work, session)
    app.scan.scan(curator, roots=[root])
    app.forget.forget(curator, [found(curator)[0].id])
    for session in ("three", "four"):
        meets(root, work, session)
    app.scan.scan(curator, roots=[root])
    assert found(curator) == []
    assert curator.store.connection.execute("SELECT * FROM error_sessions").fetchall() == []
