"""``curator why``: every decision of a session, in words and as JSON, from the database and from the spool."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from typing import Any

import pytest

from curator import hooks, ranking
from curator.cli import agents
from curator.settings import load
from tests.cli.conftest import Shell

TESTS = "Run the tests with frobnicate, plain pytest misses the plugins."
ASKED = "please run the tests with frobnicate"


def asks(shell: Shell, event: str, session: str = "abc-1", **payload: Any) -> None:
    """An agent calls its hook in the project."""
    told = {"session_id": session, "cwd": str(shell.folder)} | payload
    hooks.answer(("claude-code", event), json.dumps(told).encode())


@pytest.fixture
def lesson(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> str:
    for name in (*hooks.ROOTS, "CURATOR_HOOKS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(hooks, "SECONDS", 60.0)
    (shell.folder / "src").mkdir()
    (shell.folder / "src" / "db.py").touch()
    return str(shell.json("add", TESTS, "--pin")[0]["id"])


def test_decisions_in_words(shell: Shell, lesson: str) -> None:
    asks(shell, "UserPromptSubmit", prompt=ASKED)
    asks(shell, "UserPromptSubmit", prompt=f"once more:\n{ASKED}")
    asks(shell, "PostToolUse", tool_name="Edit", tool_input={"file_path": "src/db.py"})
    done = shell("why", "abc")
    assert done.code == 0
    told, _, _, again, withheld, reason, nothing, touched, *_ = done.out.splitlines()
    assert told.endswith("claude-code UserPromptSubmit, a prompt: words of lessons in it: run tests frobnicate")
    assert f"sent      {lesson}  {TESTS}" in done.out
    assert "% likely to matter: " in done.out
    assert not NUMBER.search(done.out)
    assert again.endswith("run tests frobnicate")
    assert withheld == f"  not sent  {lesson}  {TESTS}"
    assert reason.strip() == "already sent in this session"
    assert nothing == "  nothing was sent"
    assert touched.endswith("PostToolUse, an open file: src/db.py")
    assert done.out.endswith("or a folder with the question\n")
    assert "calls: 3, lessons sent: 1" in done.err
    asks(shell, "UserPromptSubmit", prompt=f"{ASKED} \x1b[2J\u202e")
    assert not {"\x1b", "\u202e"} & {*shell("why").out}, "nothing drives the terminal"
    assert shell("forget", lesson).code == 0
    assert f"{lesson}  (deleted)" in shell("why").out


def test_decisions_as_json(shell: Shell, lesson: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asks(shell, "UserPromptSubmit", prompt=ASKED)
    monkeypatch.setattr(ranking, "THRESHOLDS", dict.fromkeys(ranking.THRESHOLDS, 0.99))
    asks(shell, "UserPromptSubmit", "abc-1", prompt=f"again {ASKED}")
    first, second = shell.json("why")
    assert first["session"] == "abc-1"
    assert (first["agent"], first["event"], first["moment"]) == ("claude-code", "UserPromptSubmit", "prompt")
    assert first["asked"] == {"prompt": "run tests frobnicate", "files": []}
    (shown,) = first["shown"]
    assert (shown["id"], shown["rank"]) == (lesson, 1)
    assert shown["score"] > first["threshold"]
    assert shown["tokens"] > 5
    assert shown["parts"]
    (withheld,) = second["withheld"]
    assert second["shown"] == []
    assert "below the threshold 0.99" in withheld["reason"]


def test_the_last_session_of_this_project(shell: Shell, lesson: str) -> None:
    asks(shell, "UserPromptSubmit", "abc-1", prompt=ASKED)
    asks(shell, "UserPromptSubmit", "abc-2", prompt=ASKED)
    assert [row["session"] for row in shell.json("why")] == ["abc-2"]
    assert [row["session"] for row in shell.json("why", "abc-1")] == ["abc-1"]
    done = shell("why", "abc")
    assert done.code == 3
    assert "could be abc-1, abc-2" in done.err
    assert shell("why", "nobody").code == 3


def test_without_any_decision(shell: Shell) -> None:
    for words, where in ((), "in this project"), (("--json",), "in this project"), (("--all",), "in any project"):
        done = shell("why", *words)
        assert (done.code, done.out) == (shell("list", *words).code, "") == (0, "")
        assert f"No agent has called a hook or asked for lessons {where}." in done.err
        assert "curator install" in done.err


def test_a_database_that_is_newer_still_says_why_from_the_spool(shell: Shell, lesson: str) -> None:
    asks(shell, "UserPromptSubmit", prompt=ASKED)
    with closing(sqlite3.connect(load().database)) as connection:
        connection.execute("PRAGMA user_version = 999")
    done = shell("why", "abc", "--json")
    assert [row["shown"][0]["id"] for row in done.objects] == [lesson]
    assert "newer curator" in done.err


def test_what_an_agent_drops_is_said(shell: Shell, lesson: str) -> None:
    payload = {"session_id": "q", "cwd": str(shell.folder), "prompt": ASKED}
    hooks.answer(("cline", "UserPromptSubmit"), json.dumps(payload).encode())
    assert "ignore this hook" in shell("why").out
    assert shell.json("why")[0]["unheard"] is True


def test_few_of_those_held_back_are_named(shell: Shell, lesson: str) -> None:
    for more in ("before each push", "on a clean tree", "without a network"):
        shell("add", f"Run the tests with frobnicate {more}")
    asks(shell, "UserPromptSubmit", prompt=ASKED)
    asks(shell, "UserPromptSubmit", prompt=f"once more:\n{ASKED}")
    last = shell.json("why")[-1]["withheld"]
    assert len(last) > 2
    said = shell("why").out.rpartition("UserPromptSubmit")[2]
    assert said.count("not sent  ") == 2
    assert f"  and {len(last) - 2} more, see --json\n" in said


def test_a_terminal_gets_lines_that_fit(shell: Shell, lesson: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asks(shell, "UserPromptSubmit", prompt=ASKED)
    whole = shell("why").out
    shell.terminal = True
    monkeypatch.setenv("COLUMNS", "50")
    broken = shell("why").out
    assert max(map(len, whole.splitlines())) > 50 >= max(map(len, broken.splitlines()))
    assert broken.split() == whole.split()
    told = broken.splitlines().index(next(row for row in broken.splitlines() if row.startswith("  sent      ")))
    assert broken.splitlines()[told + 1].startswith(" " * 12)


NUMBER = re.compile(r"[+-][0-9]+[.][0-9]{2}")


def test_a_reason_against_is_said_only_of_a_withheld_lesson(shell: Shell, lesson: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = {"base": -2.56, "words": 1.1, "names": 1.7, "best": 1.8, "length": -1.3, "place": 0.5, "outcome": -0.4}
    told = agents.explain_in_words(parts, 0.72)
    assert told == f"72% likely to matter: is among the best matches, {agents.PARTS['words']}, {agents.PARTS['place']}"
    withheld = told.replace("72% likely to matter", "12% likely to matter, too little")
    assert agents.explain_in_words(parts, 0.12, too_little=True) == f"{withheld}; against it: {agents.AGAINST['outcome']}"
    assert agents.explain_in_words(None, 0.5) == "50% likely to matter"
    monkeypatch.setattr(ranking, "THRESHOLDS", dict.fromkeys(ranking.THRESHOLDS, 0.99))
    asks(shell, "UserPromptSubmit", prompt=ASKED)
    assert "% likely to matter, too little: " in shell("why").out
