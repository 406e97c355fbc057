"""A lesson that an agent saved gets the place of its quote when the session is read; one without a quote stays as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.app import Curator, mcp
from curator.model import SAVED, Category, Role
from tests.app.conftest import Transcript, scanned

QUOTE = "the tests find no schema without `make db`"
TEXT = "Run `make db` before the tests."


@pytest.mark.parametrize(("given", "found"), [(QUOTE, True), ("nobody ever said such a thing", False), ("", False)])
def test_a_quote_is_found_where_it_was_said(curator: Curator, root: Path, work: Path, given: str, found: bool) -> None:
    assert curator.project
    with curator.store.transaction():
        curator.store.sources.remember(curator.project, str(work))
        candidate = mcp.proposal(TEXT, "running tests", [], given, "claude-code", Category.TOOLING)
        mcp.propose(curator, candidate, curator.project, "mcp")
    session = Transcript(root, work, "s-1")
    session.says("run the tests")
    session.answers(f"It failed: {QUOTE}, so it has to run first.")
    session.calls("mcp__curator__save_lesson", "Saved", text=TEXT, evidence=given)
    scanned(curator, root)
    ((_, entry, _),) = curator.store.entries.of_signal(SAVED)
    quote = entry.evidence[0]
    assert (quote.file != "", entry.seen) == (found, 1)
    if found:
        assert (quote.quote, quote.role, quote.line) == (QUOTE, Role.ASSISTANT, 2)
