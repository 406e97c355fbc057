"""``curator eval``: what it reads and writes is fixed by contract."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Shell
from tests.files import write_file

BODY = "    kept = [item for item in items if item.alive(now)]\n    return sorted(kept, key=rank)\n"
BEFORE = f"def pick(items, now):\n{BODY}\n\ndef rest(a):\n    return a + 1\n"


@pytest.mark.parametrize(
    ("after", "answer"),
    [
        ({"a.py": BEFORE}, ("current", "unchanged", "a.py", "pick")),
        (
            {"a.py": BEFORE.replace("    kept", "    # alive\n    kept")},
            ("current", "whitespace_or_comment_only", "a.py", "pick"),
        ),
        ({"a.py": BEFORE.replace("sorted(kept", "list(kept")}, ("changed", "body_changed", "a.py", "pick")),
        ({"a.py": BEFORE.replace("items, now", "items, now, most")}, ("changed", "signature_changed", "a.py", "pick")),
        ({"a.py": BEFORE.replace("def pick", "def choose")}, ("relocated", "renamed", "a.py", "choose")),
        ({"b/c.py": BEFORE, "a.py": "x = 1\n"}, ("relocated", "moved_file", "b/c.py", "pick")),
        ({"a.py": "def rest(a):\n    return a + 1\n"}, ("gone", "deleted", None, None)),
    ],
)
def test_each_kind_of_change_is_told(shell: Shell, tmp_path: Path, after: dict[str, str], answer: tuple[str, ...]) -> None:
    for side, files in (("before", {"a.py": BEFORE}), ("after", after)):
        for path, text in files.items():
            write_file(tmp_path / "cases" / "q1" / side / path, text)
    question = {"id": "q1", "path": "a.py", "symbol": "pick", "kind": "deleted", "new_path": "never/read", "lang": "python"}
    done = shell("eval", "anchor", "--files", tmp_path / "cases", typed=json.dumps(question) + "\n\n")
    assert (done.code, done.err) == (0, "")
    row = done.one
    assert list(row) == ["id", "state", "kind", "severity", "new_path", "new_symbol"]
    assert (row["state"], row["kind"], row["new_path"], row["new_symbol"]) == answer


@pytest.mark.parametrize(
    "typed", ["{}\nnot json\n", "[]\n", '{"id": "q1"}\n', '{"id": "absent", "path": "a", "symbol": "b"}\n']
)
def test_a_question_that_is_none_is_named(shell: Shell, tmp_path: Path, typed: str) -> None:
    done = shell("eval", "anchor", "--files", tmp_path, typed=typed)
    assert done.code == 3
    assert "Line 1 of the input" in done.err


LESSONS = [
    {"id": "L1", "repo": "a/x", "title": "Uploads", "text": "Retry uploads with backoff.", "globs": ["src/http/**"]},
    {"id": "L2", "repo": "a/x", "title": "", "text": "Render dates in the reader's zone.", "globs": "web/**"},
    {"id": "L1", "repo": "b/y", "title": "Uploads", "text": "Uploads go through the queue.", "globs": []},
]


def ask(shell: Shell, tmp_path: Path, **question: object) -> dict[str, object]:
    path = tmp_path / "lessons.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in LESSONS), encoding="utf-8")
    done = shell("eval", "search", "--lessons", path, typed=json.dumps({"id": "q", "relevant": ["L2"], **question}) + "\n")
    assert (done.code, done.err) == (0, "")
    return done.one


def test_a_pool_is_that_of_the_repo_and_answers_are_never_read(shell: Shell, tmp_path: Path) -> None:
    row = ask(shell, tmp_path, repo="a/x", prompt="retry the upload", open_files=["src/http/client.py"], task_type="bug fix")
    assert list(row) == ["id", "results", "shown"]
    assert row["shown"] == ["L1"]
    results = row["results"]
    assert isinstance(results, list)
    assert list(results[0]) == ["lesson", "score", "why"]
    assert [result["lesson"] for result in results][:1] == ["L1"]
    assert results[0]["why"]["place"] > 0
    other = ask(shell, tmp_path, repo="b/y", prompt="where do uploads go through, the queue?", open_files=[])
    assert other["shown"] == ["L1"]
    assert ask(shell, tmp_path, repo="a/x", prompt="good morning")["shown"] == []
    assert ask(shell, tmp_path, repo="c/z", prompt="retry the upload")["results"] == []


def test_lessons_and_questions_that_are_none_are_named(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "lessons.jsonl"
    for text, said in (("{}", "has no 'id'"), ("\n[1]", "lessons.jsonl:2"), ("{", "lessons.jsonl:1")):
        path.write_text(text, encoding="utf-8")
        done = shell("eval", "search", "--lessons", path, typed="{}\n")
        assert (done.code, said in done.err) == (3, True), done.err
    path.write_text(json.dumps(LESSONS[0]), encoding="utf-8")
    done = shell("eval", "search", "--lessons", path, typed='{"id": 1}\n')
    assert (done.code, "Line 1 of the input" in done.err) == (3, True)
