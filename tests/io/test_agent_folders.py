"""Commands' files are read from a session's folder up to the top of its repository, and from home; never from elsewhere."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from curator.io import agent_folders
from tests.files import write_file


def put(path: Path, text: str | bytes = "words") -> Path:
    return write_file(path, text if isinstance(text, bytes) else text.encode())


def read(tmp_path: Path, **env: str) -> list[str]:
    return sorted(agent_folders.command_texts(str(tmp_path / "top" / "app" / "web"), tmp_path / "home", env))


def test_places_of_the_repository_and_of_home(tmp_path: Path) -> None:
    put(tmp_path / ".claude/commands/above.md", "above the repository")
    (tmp_path / "top" / "app" / ".git").mkdir(parents=True)
    put(tmp_path / "top/app/.claude/commands/dev/fix.md", "project")
    put(tmp_path / "top/app/web/.clinerules/workflows/fix.md", "folder")
    put(tmp_path / "home/.gemini/commands/fix.toml", 'prompt = "home"')
    put(tmp_path / "home/.codex/prompts/fix.py", "no command")
    put(tmp_path / "codex/prompts/fix.md", "codex")
    assert read(tmp_path, CODEX_HOME=str(tmp_path / "codex")) == ["codex", "folder", "home", "project"]


@pytest.mark.parametrize("folder", ["", "web", "C:\\work", "/srv\0"])
def test_a_folder_that_is_no_place_here_has_none(tmp_path: Path, folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "web/.claude/commands/fix.md")
    monkeypatch.chdir(tmp_path)
    assert agent_folders.command_texts(folder, tmp_path / "home", {}) == ()


def test_what_a_repository_can_hold_is_left_out(tmp_path: Path) -> None:
    place = tmp_path / "top/app/web/.claude/commands"
    put(place / "large.md", "x" * (agent_folders.MAX_BYTES + 1))
    put(place / "odd.md", b"\xff\xfe")
    put(place / "odd.toml", "prompt = ")
    put(place / "number.toml", "prompt = 1")
    os.symlink(put(tmp_path / "secret.md"), place / "link.md")
    os.mkfifo(place / "pipe.md")
    os.symlink(tmp_path, tmp_path / "top/app/web/.cursor")
    put(tmp_path / "commands/secret.md")
    assert read(tmp_path) == []


def test_a_hostile_command_in_toml_costs_no_time_and_stops_nobody(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    folder = tmp_path / ".gemini" / "commands"
    folder.mkdir(parents=True)
    (folder / "deep.toml").write_text("a=" + "[" * 5_000, encoding="utf-8")
    (folder / "dotted.toml").write_text(".".join("a" * 30_000) + "=1", encoding="utf-8")
    (folder / "open.toml").write_text('prompt = """\n' * 4_000, encoding="utf-8")
    (folder / "good.toml").write_text('description = "x"\nprompt = """\nReview {{args}} with care.\n"""\n', encoding="utf-8")
    assert "Review {{args}} with care.\n" in agent_folders.command_texts(str(tmp_path), tmp_path / "home", {})
    assert agent_folders.command_texts("/tmp/\ud800", tmp_path / "home", {}) == ()
