"""``curator doctor``: what is in order, what is not, and what to do."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from curator.io import git
from curator.settings import load
from tests.cli.conftest import Sessions, Shell
from tests.files import write_file
from tests.transcripts.transcript_records import unprivileged

Checks = list[dict[str, Any]]


@pytest.fixture
def claude(isolation: Path, shell: Shell) -> Sessions:
    """Sessions in the native place."""
    return Sessions(isolation / ".claude", shell.folder)


def looked(shell: Shell, code: int) -> Checks:
    done = shell("doctor", "--json")
    assert (done.code, done.err) == (code, "")
    for check in done.objects:
        assert list(check) == ["check", "agent", "ok", "detail", "fix"]
        assert check["detail"]
        assert check["ok"] or check["fix"], "a problem says what to do"
    return done.objects


def wrong(checks: Checks) -> list[tuple[str, str]]:
    return [(check["check"], check["agent"]) for check in checks if not check["ok"]]


def of(checks: Checks, check: str, agent: str = "") -> str:
    (found,) = [one["detail"] for one in checks if (one["check"], one["agent"]) == (check, agent)]
    return str(found)


def test_where_nothing_was_done_yet_all_is_in_order_and_nothing_is_made(shell: Shell) -> None:
    checks = looked(shell, 0)
    assert {check["check"] for check in checks} == {"settings", "database", "log", "git", "project", "transcripts"}
    assert "not found; the first scan makes it" in of(checks, "database")
    assert of(checks, "transcripts", "claude-code").startswith("nothing at ")
    assert not load().database.exists()


def test_an_agent_is_one_line_with_what_was_read(shell: Shell, claude: Sessions) -> None:
    claude("s1")
    claude("s2")
    assert "2 files, 0 sessions, 0 turns, 2 files not read yet" in of(looked(shell, 0), "transcripts", "claude-code")
    shell("scan")
    claude("s3")
    told = of(looked(shell, 0), "transcripts", "claude-code")
    assert "3 files, 2 sessions, 6 turns, 1 file not read yet, last read 2" in told
    lines = [line for line in shell("doctor").out.splitlines() if line.startswith("claude-code")]
    assert len(lines) == 1
    assert "~/.claude/projects" in lines[0]


def append(path: Path, *records: Mapping[str, object] | str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.writelines(record if isinstance(record, str) else json.dumps(record) + "\n" for record in records)


def test_unknown_records_are_counted_and_many_of_them_are_a_problem(shell: Shell, claude: Sessions) -> None:
    path = claude("s1", ["hello"] * 3)
    append(path, {"type": "brand-new", "uuid": "x1", "sessionId": "s1"})
    shell("scan")
    assert "unknown records" not in of(looked(shell, 0), "transcripts", "claude-code")
    append(path, *[{"type": "brand-new", "uuid": f"y{n}", "sessionId": "s1"} for n in range(29)])
    shell("scan")
    checks = looked(shell, 1)
    assert wrong(checks) == [("records", "claude-code")]
    assert "brand-new ×30" in of(checks, "records", "claude-code")


def test_unknown_records_are_no_problem_while_cards_are_found(shell: Shell, claude: Sessions) -> None:
    path = claude("s1", ["No, never edit vendor/ by hand, always change sync.toml instead."])
    append(path, *[{"type": "brand-new", "uuid": f"y{n}", "sessionId": "s1"} for n in range(29)])
    shell("scan")
    assert "brand-new ×29; skipped, and cards are still found" in of(looked(shell, 0), "records", "claude-code")


def test_what_could_not_be_read_is_named_with_its_line_until_it_is_gone(shell: Shell, claude: Sessions) -> None:
    path = claude("s1")
    append(path, "this is no record\n", {"type": "mode", "sessionId": "s1"})
    shell("scan")
    checks = looked(shell, 1)
    assert wrong(checks) == [("errors", "claude-code")]
    assert f"{path}:4: " in of(checks, "errors", "claude-code")
    said = shell("doctor").out
    assert "1 problem:\n! claude-code errors: " in said
    path.unlink()
    looked(shell, 0)


def test_a_place_that_may_not_be_read_is_a_problem(shell: Shell, claude: Sessions) -> None:
    claude("s1")
    folder = claude.root / "projects"
    from curator.app.doctor import examine

    def told() -> bool:
        found = {check.check: check.detail for check in examine(load, shell.folder) if not check.ok}
        return (
            set(found) == {"log", "places", "project"}
            and str(folder) in found["places"]
            and str(shell.folder) in found["project"]
        )

    assert not told()  # whatever has to be imported is, before privileges go
    for above in (claude.root, *claude.root.parents):
        if os.geteuid() == 0 and above.is_relative_to(tempfile.gettempdir()):
            above.chmod(above.stat().st_mode | 0o055)
    shell.folder.parent.chmod(0o755)
    for closed in (folder, shell.folder):
        closed.chmod(0)
    try:
        assert unprivileged(told)
    finally:
        for closed in (folder, shell.folder):
            closed.chmod(0o755)


def test_settings_that_mean_nothing_are_named_and_the_rest_is_looked_at(shell: Shell, isolation: Path) -> None:
    file = write_file(isolation / "curator" / "settings.toml", "per_session = 'five'\n")
    checks = looked(shell, 1)
    assert wrong(checks) == [("settings", "")]
    assert "per_session must be a whole number" in of(checks, "settings")
    assert any(check["check"] == "transcripts" for check in checks)
    file.write_text("theme = 'no-such'\n[keys]\nkeep = 'meta+y'\n")
    problems = [check["detail"] for check in looked(shell, 1) if not check["ok"]]
    assert len(problems) == 1, "without a face nobody knows the themes"
    assert "no key 'meta+y'" in problems[0]


def test_a_theme_that_does_not_exist_is_a_problem(shell: Shell, isolation: Path) -> None:
    from curator.app.doctor import examine
    from curator.settings import Settings
    from curator.tui import themes

    def found(theme: str) -> list[str]:
        checks = examine(lambda: Settings(home=isolation, theme=theme), shell.folder, themes=themes())
        return [check.detail for check in checks if not check.ok]

    assert found("nord") == found("") == []
    (problem,) = found("no-such")
    assert "no theme 'no-such'" in problem


def test_a_damaged_and_a_newer_database_are_problems(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    path = load().database
    shell("add", "one")
    with monkeypatch.context() as patch:
        patch.setenv("PATH", "/nowhere")
        assert wrong(looked(shell, 1)) == [("git", "")], "without git one is told what is lost"
    for sql, said in (
        ("INSERT INTO folders VALUES ('/nowhere', 'no-project')", "folders refers to nothing in projects"),
        ("DELETE FROM folders WHERE folder = '/nowhere'; PRAGMA user_version = 99", "newer"),
    ):
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.executescript(f"PRAGMA foreign_keys = OFF; {sql}")
        checks = looked(shell, 1)
        assert wrong(checks) == [("database", "")]
        assert said in of(checks, "database")
    path.write_bytes(b"no database at all, but long enough to be looked at" * 100)
    checks = looked(shell, 1)
    assert wrong(checks) == [("database", "")]
    assert "damaged" in of(checks, "database")
    assert [file.name for file in path.parent.glob(f"{path.name}*")] == [path.name], "no copy is put aside"


def test_an_attribute_without_its_driver_is_a_problem(shell: Shell) -> None:
    subprocess.run(["git", "-C", str(shell.folder), "init", "-q"], check=True)
    looked(shell, 0)
    assert shell("install", "git", "--yes").code == 0
    looked(shell, 0)
    git.ask(shell.folder, "config", "--local", "--remove-section", "merge.curator")
    (problem,) = [check for check in looked(shell, 1) if not check["ok"]]
    assert problem["check"] == "merging"
    assert "curator install git" in problem["fix"]


def test_lesson_files_that_can_not_be_read_are_named(shell: Shell) -> None:
    shell("add", "one")
    (path,) = (shell.folder / ".curator" / "lessons").glob("*.md")
    shell("retire", shell.add("Never mind the gap"))
    assert of(looked(shell, 0), "project").endswith(": 1 lesson and 1 retired")
    subprocess.run(["git", "-C", str(shell.folder), "init", "-q"], check=True)
    (shell.folder / ".gitignore").write_text(".curator\n", encoding="utf-8")
    assert of(looked(shell, 0), "project").endswith("git ignores them, so your colleagues do not get them")
    path.write_text(path.read_text().replace("category:", "category: nonsense #", 1))
    problems = [check["detail"] for check in looked(shell, 1) if not check["ok"]]
    assert len(problems) == 1
    assert f"{path}:" in problems[0]


def test_errors_in_the_log_are_told_for_a_week(shell: Shell) -> None:
    log = write_file(load().log, "2026-11-01 10:00:00,000 ERROR curator: the sky fell\n")
    checks = looked(shell, 1)
    assert "1 error, the last: 2026-11-01" in of(checks, "log")
    os.utime(log, (1, 1))
    looked(shell, 0)


def test_lesson_files_that_the_database_does_not_know_are_a_problem(shell: Shell) -> None:
    shell("add", "Use uv run pytest here")
    assert "none of them in the database" not in of(looked(shell, 0), "project")
    for path in load().home.glob("curator.db*"):
        path.unlink()
    shutil.rmtree(load().home / "snapshots", ignore_errors=True)
    done = shell("doctor")
    assert done.code == 1
    assert "1 lesson, none of them in the database" in done.out
    assert "Run `curator import` to add them" in done.out
    assert shell("import").code == 0
    assert "none of them in the database" not in shell("doctor").out
