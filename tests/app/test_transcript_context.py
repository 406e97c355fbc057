"""More of a transcript than was kept with a quote, and who changed the code of a lesson."""

from __future__ import annotations

import shutil
from pathlib import Path

from curator.app import Curator, scan
from curator.app.project.anchoring import commits_in
from curator.app.sessions.origins import CONTEXT_TURNS, quote_context, transcript
from curator.model import Anchor, Drift, Evidence, Finding, Role, State
from curator.tui.card import diff_excerpt
from tests.app.conftest import Make, Transcript, scanned, waiting
from tests.files import commit, git
from tests.sayings import VENDOR
from tests.transcripts import transcript_records as records


def written(path: Path, count: int) -> Evidence:
    """A transcript of Claude Code in which a person says ``line 1`` and so on; its middle is quoted."""
    texts = {3: "export API_KEY=abcd1234efgh5678"}
    records.write(path, *(records.user(texts.get(at, f"line {at}")) for at in range(1, count + 1)))
    middle = count // 2
    return Evidence(quote=f"line {middle}", role=Role.HUMAN, file=str(path), line=middle, line_end=middle)


def test_the_transcript_is_shown_around_the_quote_with_secrets_masked(tmp_path: Path) -> None:
    lines = quote_context(written(tmp_path / "s1.jsonl", 60))
    assert [line.text for line in lines] == [f"line {at}" for at in range(30 - CONTEXT_TURNS, 30 + CONTEXT_TURNS + 1)]
    assert [line.text for line in lines if line.hit] == ["line 30"]
    assert quote_context(written(tmp_path / "s1.jsonl", 8))[2].text == "export API_KEY=[redacted]"


def test_nothing_is_read_but_a_transcript(tmp_path: Path) -> None:
    quoted = written(tmp_path / "s1.jsonl", 8)
    (tmp_path / "secrets.txt").write_text("line 4\n")
    for file in ("", "s1.jsonl", str(tmp_path / "gone.jsonl"), str(tmp_path / "secrets.txt"), str(tmp_path), "/\0"):
        assert transcript(quoted._replace(file=file)) is None, file
        assert not quote_context(quoted._replace(file=file)), file


def test_a_card_keeps_the_quote_of_a_deleted_transcript(curator: Curator, root: Path, work: Path) -> None:
    Transcript(root, work).says(VENDOR)
    scanned(curator, root)
    shutil.rmtree(root)
    scan.scan(curator, roots=[root])
    (card,) = waiting(curator)
    assert VENDOR in card.evidence[0].quote
    assert not quote_context(card.evidence[0])


def test_the_commits_since_are_told_with_their_author_and_date(work: Path, make: Make) -> None:
    git(work, "init", "-q")
    for text in ("one", "two"):
        (work / "a.py").write_text(text)
        commit(work, f"Say {text}")
    finding = Finding(path="a.py")
    entry = make(
        state=State.ACTIVE, anchors=(Anchor(path="a.py", commit=git(work, "rev-parse", "HEAD~1")),), findings=(finding,)
    )
    (told,) = commits_in(work, entry, finding)
    assert told.endswith(" 2026-01-01 A Person: Say two")
    assert not commits_in(work, entry, Finding(path="b.py"))


def test_a_file_that_is_gone_begins_with_what_the_lesson_speaks_of(make: Make) -> None:
    diff = "--- a.go\n+++ a.go\n@@ -1,6 +0,0 @@\n-// Copyright\n-// of somebody\n-\n-package a\n-\n-func Render() {}\n"
    finding = Finding(path="a.go", drift=Drift.DELETED, diff=diff)
    assert diff_excerpt(finding, make()).split("\n")[3:5] == ["… 3 lines before it", "-package a"]
    assert diff_excerpt(finding, make(symbols=("Render",))).split("\n")[3:] == ["… 5 lines before it", "-func Render() {}"]
