"""More of a transcript than what was kept with a quote, and who changed the code of a lesson."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from curator.app.project.anchoring import commits_in
from curator.app.sessions.origins import AROUND, around, transcript
from curator.model import Anchor, Drift, Entry, Evidence, Finding, Role, State
from curator.tui.card import diff_excerpt
from tests.transcripts import transcript_records as records


def written(path: Path, count: int) -> Evidence:
    """A transcript of Claude Code in which a person says ``line 1`` and so on; its middle is quoted."""
    texts = {3: "export API_KEY=abcd1234efgh5678"}
    records.write(path, *(records.user(texts.get(at, f"line {at}")) for at in range(1, count + 1)))
    middle = count // 2
    return Evidence(quote=f"line {middle}", role=Role.HUMAN, file=str(path), line=middle, line_end=middle)


def test_the_transcript_is_shown_around_the_quote_with_secrets_masked(tmp_path: Path) -> None:
    quoted = written(tmp_path / "s1.jsonl", 60)
    lines = around(quoted)
    assert [line.text for line in lines] == [f"line {at}" for at in range(30 - AROUND, 30 + AROUND + 1)]
    assert [line.text for line in lines if line.hit] == ["line 30"]
    short = around(written(tmp_path / "s1.jsonl", 8))
    assert short[2].text == "export API_KEY=[redacted]"


def test_nothing_is_read_but_a_transcript(tmp_path: Path) -> None:
    quoted = written(tmp_path / "s1.jsonl", 8)
    (tmp_path / "secrets.txt").write_text("line 4\n")
    for file in ("", "s1.jsonl", str(tmp_path / "gone.jsonl"), str(tmp_path / "secrets.txt"), str(tmp_path), "/\0"):
        assert transcript(quoted._replace(file=file)) is None, file
        assert not around(quoted._replace(file=file)), file


@pytest.fixture
def changed(tmp_path: Path, make: Callable[..., Entry]) -> tuple[Path, Entry]:
    def git(*words: str) -> str:
        name = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
        return subprocess.run(
            ["git", "-C", str(tmp_path), *name, *words], check=True, capture_output=True, text=True
        ).stdout.strip()

    git("init", "-q")
    for text in ("one", "two"):
        (tmp_path / "a.py").write_text(text)
        git("add", ".")
        git("commit", "-q", "-m", f"Say {text}")
    anchor = Anchor(path="a.py", commit=git("rev-parse", "HEAD~1"))
    return tmp_path, make(state=State.ACTIVE, anchors=(anchor,), findings=(Finding(path="a.py"),))


def test_the_commits_since_are_told_with_their_author_and_date(changed: tuple[Path, Entry]) -> None:
    folder, entry = changed
    (told,) = commits_in(folder, entry, entry.findings[0])
    assert told.endswith(": Say two")
    _, day, *author = told.partition(": ")[0].split()
    assert len(day) == len("2026-03-02")
    assert author
    assert not commits_in(folder, entry, Finding(path="b.py"))


def test_a_file_that_is_gone_begins_with_what_the_lesson_speaks_of(make: Callable[..., Entry]) -> None:
    diff = "--- a.go\n+++ a.go\n@@ -1,6 +0,0 @@\n-// Copyright\n-// of somebody\n-\n-package a\n-\n-func Render() {}\n"
    finding = Finding(path="a.go", drift=Drift.DELETED, diff=diff)
    assert diff_excerpt(finding, make()).split("\n")[3:5] == ["… 3 lines before it", "-package a"]
    assert diff_excerpt(finding, make(symbols=("Render",))).split("\n")[3:] == ["… 5 lines before it", "-func Render() {}"]
