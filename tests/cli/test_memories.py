"""``curator memories``: what it finds in a home and a work tree, as a table and as the JSON of docs/json.md."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.conftest import Done, Shell
from tests.cli.test_shapes import documented
from tests.files import TOP, commit, git
from tests.files import write_file as put

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
NOTE = "---\nname: {name}\ndescription: {title}\nmetadata:\n  type: {kind}\n---\n\n{body}\n"


def by_line(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The notes by the name and line of their file."""
    return {f"{Path(row['path']).name}:{row['line']}": row for row in rows if "summary" not in row}


@pytest.fixture
def home(tmp_path: Path, shell: Shell) -> Path:
    """A home with notes on the project: one of each finding."""
    git(shell.folder, "init", "-q", "-b", "main")
    put(shell.folder / "src" / "old.py", "x = 1\n")
    put(shell.folder / "src" / "app.py", "x = 1\n")
    put(shell.folder / "CLAUDE.md", "- Never push to the main branch.\n- Always use pnpm for scripts.\n")
    commit(shell.folder, "first")
    git(shell.folder, "rm", "-q", "src/old.py")
    git(shell.folder, "commit", "-qm", "second")
    slug = str(shell.folder).replace("/", "-").replace("_", "-").replace(".", "-")
    folder = tmp_path / "home" / ".claude" / "projects" / slug / "memory"
    put(folder / "parser.md", NOTE.format(name="p", title="Where to start", kind="reference", body="Start in `src/old.py`."))
    put(folder / "state.md", NOTE.format(name="s", title="Export, phase 2 done", kind="project", body="TODO: phase 3 is next."))
    facts = ["Use npm for scripts.", "Never push to the main branch!", f"The token is {TOKEN}.", "Prices are in cents."]
    index = "- [State](state.md) — how far it is\n" + "".join(f"- {fact}\n" for fact in facts)
    put(folder / "MEMORY.md", f"# Memory\n\n{index}")
    put(tmp_path / "home" / ".codex" / "memories" / "memory_summary.md", "v1\n\n## User preferences\n- Answer in French.\n")
    return tmp_path / "home"


@pytest.fixture
def audited(shell: Shell, home: Path) -> list[dict[str, Any]]:
    done = shell("memories", "--root", home, "--json")
    assert (done.code, done.err) == (0, "")
    return done.objects


def test_a_line_a_note_with_every_key_and_last_a_summary(audited: list[dict[str, Any]]) -> None:
    *notes, last = audited
    assert [list(note) for note in notes] == [documented("memories")] * 7
    assert list(last) == ["summary"]
    summary = last["summary"]
    counted = {name: summary[name] for name in ("notes", "files", "stale", "contradicting", "repeated", "status", "secrets")}
    assert counted == {"notes": 7, "files": 4, "stale": 1, "contradicting": 1, "repeated": 1, "status": 1, "secrets": 1}
    assert summary["start_tokens"] > 0
    assert [(one["store"], one["notes"]) for one in summary["stores"]] == [("claude-code", 6), ("codex", 1)]


def test_each_finding_says_where(shell: Shell, audited: list[dict[str, Any]]) -> None:
    notes, rules = by_line(audited), shell.folder / "CLAUDE.md"
    commit = git(shell.folder, "rev-parse", "--short", "HEAD")
    assert notes["parser.md:8"]["stale"] == [{"path": "src/old.py", "symbol": "", "commit": commit}]
    assert notes["MEMORY.md:4"]["contradicts"] == [f"{rules}:2"]
    assert notes["MEMORY.md:5"]["repeats"] == [f"{rules}:1"]
    assert notes["state.md:8"]["status"] is True
    assert notes["MEMORY.md:6"]["secret"] is True
    plain = notes["MEMORY.md:7"]
    assert (plain["text"], plain["project"], plain["scope"]) == ("Prices are in cents.", str(shell.folder), "project")
    assert not any(plain[name] for name in ("stale", "contradicts", "repeats", "status", "secret"))
    assert notes["memory_summary.md:4"]["scope"] == "global"


def test_a_note_whose_sentences_all_stand_elsewhere_repeats_that(shell: Shell, tmp_path: Path) -> None:
    folder = shell.folder / ".claude" / "memory"
    rules = "# Prices\n\nPrices are in cents. The shop rounds up! Nobody mocks the clock.\n\n- Use tabs in Go. Never push.\n"
    put(shell.folder / ".claude" / "rules" / "deep" / "shop.md", rules)
    put(
        folder / "a_long.md",
        NOTE.format(name="l", title="Tests", kind="feedback", body="Seed the clock. Run `make all` first.\n\n- Twice."),
    )
    put(folder / "b_part.md", NOTE.format(name="p", title="Seeds", kind="feedback", body="**Seed the clock.**"))
    put(folder / "c_other.md", NOTE.format(name="o", title="Seeds", kind="feedback", body="Seed the clock. Never run it."))
    bullets = "- nobody mocks the clock; The shop rounds up\n- Never push.\n- Seed the clock. Never run it.\n- Never mock.\n"
    put(
        folder / "MEMORY.md",
        f"# Index\n\n{bullets}- Prices are in euros. The shop rounds up.\n- Never sum euros. Prices are in cents.\n",
    )
    found = {
        name: [other.removeprefix(f"{shell.folder}/.claude/") for other in row["repeats"]]
        for name, row in by_line(shell("memories", "--no-home", "--json").objects).items()
    }
    assert found == {
        "a_long.md:8": [],
        "b_part.md:8": ["memory/a_long.md:8"],
        "c_other.md:8": [],
        "MEMORY.md:3": ["rules/deep/shop.md:3"],
        "MEMORY.md:4": ["rules/deep/shop.md:5"],
        "MEMORY.md:5": ["memory/c_other.md:8"],
        "MEMORY.md:6": [],
        "MEMORY.md:7": [],
        "MEMORY.md:8": ["rules/deep/shop.md:3"],
    }
    assert "says in part the same as .claude/rules/deep/shop.md:3" in shell("memories", "--no-home").out


def test_a_secret_is_masked_wherever_it_is_printed(shell: Shell, home: Path) -> None:
    for more in ([], ["--json"]):
        done = shell("memories", "--root", home, *more)
        assert TOKEN not in done.out + done.err
        assert "[redacted]" in done.out


def test_people_get_a_table_and_the_worst_notes_with_their_places(shell: Shell, home: Path) -> None:
    lines = shell("memories", "--root", home).out.splitlines()
    assert lines[0].startswith("7 notes; agents load ")
    assert [line for line in lines if len(line) > 80 and "/memory/" not in line] == []  # a path is never cut
    row = next(line for line in lines if line.startswith("claude-code"))
    assert row.split()[1:3] == ["app", "6"]
    assert row.split()[-5:] == ["1", "1", "1", "1", "1"]
    first = next(line for line in lines if line.startswith(" 1. "))
    assert first.endswith("memory/MEMORY.md:6")
    assert any(line.strip().startswith("names src/old.py (removed in ") for line in lines)
    assert "    contradicts CLAUDE.md:2" in lines


def test_check_fails_on_findings_alone(shell: Shell, home: Path, tmp_path: Path) -> None:
    assert shell("memories", "--root", home, "--check").code == 1
    put(tmp_path / "calm" / ".claude" / "agent-memory" / "a" / "b.md", "- Phase 1 is DONE, phase 2 is next.\n")
    calm = shell("memories", "--root", tmp_path / "calm", "--check", "--json")
    assert (calm.code, calm.objects[0]["status"]) == (0, True)


def test_a_work_tree_has_notes_of_its_own(shell: Shell, home: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    put(other / ".serena" / "memories" / "style.md", "# Style\nNever use tabs.\n")
    git(other, "init", "-q")
    commit(other, "first")
    empty = tmp_path / "empty"
    empty.mkdir()
    rows = shell("memories", "--root", empty, "--repo", other, "--json").objects
    assert [(row["store"], row["project"], row["updated"]) for row in rows[:-1]] == [
        ("serena", str(other), "2026-01-01T00:00:00Z")  # a commit's time, not that of the checkout
    ]
    inner = put(other / "deep" / "a.py", "").parent
    assert shell("memories", "--root", empty, "--repo", inner, "--json").objects == rows


def test_a_project_has_the_notes_on_it_alone(shell: Shell, home: Path, other: Path) -> None:
    rows = shell("memories", "--root", home, "--project", shell.folder, "--json").objects
    assert {row["store"] for row in rows[:-1]} == {"claude-code"}
    assert rows[-1]["summary"]["notes"] == 6
    assert shell("memories", "--root", home, "--project", other, "--json").one["summary"]["notes"] == 0


def test_what_no_agent_loads_is_said(shell: Shell, tmp_path: Path) -> None:
    put(tmp_path / "long" / ".claude" / "agent-memory" / "a" / "MEMORY.md", "".join(f"- Fact {n}.\n" for n in range(230)))
    done = shell("memories", "--root", tmp_path / "long")
    assert "    30 lines are beyond what the agent loads" in done.out.splitlines()
    assert shell("memories", "--root", tmp_path / "long", "--json").objects[-1]["summary"]["beyond_limit"] == 30


def test_nothing_found_says_where_curator_looked(shell: Shell, other: Path) -> None:
    done = shell("memories", "--root", other)
    assert done.code == 0
    assert f"No agent memory found in {other}" in " ".join(done.out.split())
    assert "Serena" in done.out


def test_what_is_left_out_is_said(shell: Shell, home: Path) -> None:
    folder = next((home / ".claude" / "projects").iterdir()) / "memory"
    os.mkfifo(folder / "pipe.md")
    done = shell("memories", "--root", home)
    assert "pipe.md: it is not a plain file; curator skipped it" in done.err
    assert len(shell("memories", "--root", home, "--json").objects[-1]["summary"]["skipped"]) == 1


def test_no_database_is_made(shell: Shell, home: Path, isolation: Path) -> None:
    assert shell("memories", "--root", home).code == 0
    assert not (isolation / "curator").exists()


def test_a_folder_that_is_not_there_is_wrong_usage(shell: Shell, tmp_path: Path) -> None:
    done: Done = shell("memories", "--root", tmp_path / "nowhere")
    assert done.code == 2
    assert "There is no folder" in done.err


def test_without_the_home_only_the_work_tree_counts(shell: Shell) -> None:
    put(Path.home() / ".claude" / "agent-memory" / "reviewer" / "MEMORY.md", "- Never approve a change without a test.\n")
    assert " ".join(shell("memories", "--no-home").out.split()).startswith(f"No agent memory found in {shell.folder};")
    put(shell.folder / ".claude" / "agent-memory" / "reviewer" / "MEMORY.md", "- Never approve a change without a test.\n")
    assert [row["headline"] for row in shell.json("memories", "--no-home")[:-1]] == ["Never approve a change without a test."]


@pytest.mark.parametrize("hook", yaml.safe_load((TOP / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")))
def test_every_hook_for_pre_commit_runs(shell: Shell, hook: dict[str, str]) -> None:
    shell("add", "Retry an upload three times")
    program, *words = hook["entry"].split()
    assert (program, shell(*words).code) == ("curator", 0)


def test_a_retired_note_is_restored_by_its_id(shell: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "# web\nUse pnpm and never npm in web.\n"
    path = put(Path.home() / ".config" / "goose" / "memory" / "all.txt", text)
    os.utime(path, (1e9, 1e9))
    monkeypatch.setenv("CURATOR_MEMORIES", "apply")
    assert shell("memories", "restore").out.startswith("The trash is empty")
    shell("scan")
    (card,) = shell("--all", "list", "--candidates", "--json").objects
    done = shell("retire", card["id"])
    assert done.err == ""
    assert path.read_text() == ""
    first, headline = shell("memories", "restore").out.splitlines()
    assert first.endswith("deleted  ~/.config/goose/memory/all.txt")
    assert headline.strip() == "Use pnpm and never npm in web"
    id_ = first.split()[0]
    monkeypatch.setenv("CLAUDECODE", "1")
    assert shell("memories", "restore", id_).code == 3
    monkeypatch.delenv("CLAUDECODE")
    path.write_text("# b\nMine.\n", encoding="utf-8")
    refused = shell("memories", "restore", id_)
    assert "has changed since curator edited it" in refused.err
    path.write_text("", encoding="utf-8")
    assert shell("memories", "restore", id_).out == "Restored the note in ~/.config/goose/memory/all.txt.\n"
    assert path.read_text() == text
    assert "There is no note" in shell("memories", "restore", id_).err
