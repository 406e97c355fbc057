"""A lesson that an agent saved gets the place of its quote when the session is read; one without a quote stays as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.app import Curator, mcp, scan
from curator.model import SAVED, Category, Role
from curator.settings import Settings
from tests.transcripts import transcript_records as records

QUOTE = "the tests find no schema without `make db`"


@pytest.mark.parametrize(("given", "found"), [(QUOTE, True), ("nobody ever said such a thing", False), ("", False)])
def test_a_quote_is_found_where_it_was_said(tmp_path: Path, given: str, found: bool) -> None:
    folder = tmp_path / "app"
    folder.mkdir()
    curator = Curator(Settings(home=tmp_path / "home", export=False))
    project = curator.enter(str(folder))
    with curator.store.transaction():
        curator.store.sources.remember(project, str(folder))
        candidate = mcp.proposal("Run `make db` before the tests.", "running tests", [], given, "claude-code", Category.TOOLING)
        mcp.propose(curator, candidate, project, "mcp")
    call = records.use("c1", "mcp__curator__save_lesson", text="Run `make db` before the tests.", evidence=given)
    said = [
        records.user("run the tests"),
        records.assistant(records.text(f"It failed: {QUOTE}, so it has to run first.")),
        records.assistant(call),
        records.user([records.result("c1", "Saved")]),
    ]
    told = [one | {"sessionId": "s-1", "cwd": str(folder), "uuid": f"s-1-{at}"} for at, one in enumerate(said)]
    records.write(tmp_path / "agents" / "projects" / "-app" / "s-1.jsonl", *told)
    scan.scan(curator, roots=[tmp_path / "agents"])
    ((_, entry, _),) = curator.store.entries.of_signal(SAVED)
    assert (entry.evidence[0].file != "", entry.seen) == (found, 1)
    if found:
        assert (entry.evidence[0].quote, entry.evidence[0].role, entry.evidence[0].line) == (QUOTE, Role.ASSISTANT, 2)
    curator.close()
