"""Keys for a person's own commands."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest

from curator.app import Curator
from curator.errors import CuratorError
from curator.io import commands
from curator.keymap import keymap, own_actions
from curator.settings import load
from curator.tui.app import CuratorApp
from curator.tui.commands import TextScreen
from tests.tui.conftest import Inbox


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program on the PATH that prints its arguments, one a line, and where it runs, and fails."""
    folder = tmp_path / "bin"
    folder.mkdir()
    path = folder / "say-all"
    path.write_text('#!/bin/sh\nprintf "<%s>\\n" "$@"\npwd\ntouch "$HOME/ran"\nexit 3\n', encoding="utf-8")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    monkeypatch.setenv("HOME", str(tmp_path))
    return path


def commanded(curator: Curator, **tables: Any) -> None:
    curator.settings = curator.settings._replace(**tables)


async def test_a_key_runs_a_command_on_the_card_and_shows_what_it_prints(inbox: Inbox, curator: Curator, program: Path) -> None:
    commanded(curator, commands={"ctrl+t": "say-all --title {headline} {id}; $HOME 'two words'"})
    async with inbox(100, 30) as driver:
        entry = driver.entry
        await driver.press("ctrl+t")
        assert isinstance(driver.app.screen, TextScreen)
        text = driver.text()
        assert "say-all: ended with 3" in text
        assert f"<{entry.headline}>" in " ".join(text.split()), "one word, whatever it says"
        assert f"<{entry.id};>" in text, "no shell ends the command there"
        assert "<$HOME>" in text, "nor fills in variables"
        assert "<two words>" in text


async def test_a_program_that_needs_the_terminal_has_it(
    inbox: Inbox, curator: Curator, program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left: list[CuratorApp] = []

    def suspend(app: CuratorApp) -> contextlib.AbstractContextManager[None]:
        left.append(app)
        return contextlib.nullcontext()

    monkeypatch.setattr(CuratorApp, "suspend", suspend)
    commanded(curator, terminal_commands={"ctrl+o": "say-all {folder}"})
    async with inbox(100, 30) as driver:
        await driver.press("ctrl+o")
        assert left == [driver.app]
        assert "say-all ended with 3" in driver.text()
    assert (tmp_path / "ran").exists()


async def test_help_and_the_palette_offer_own_commands(inbox: Inbox, curator: Curator, program: Path) -> None:
    commanded(curator, commands={"ctrl+t": "say-all once"})
    async with inbox(100, 40) as driver:
        await driver.press("question_mark", *"say-all")
        assert "say-all once" in driver.text()
        await driver.press("enter")
        assert "<once>" in driver.text()
        await driver.press("escape", *":say-all", "enter")
        assert "<once>" in driver.text()


async def test_what_is_not_there_is_said(inbox: Inbox, curator: Curator) -> None:
    commanded(curator, commands={"ctrl+t": "no-such-program", "ctrl+o": "ls 'open"})
    async with inbox(120, 30) as driver:
        await driver.press("ctrl+t")
        assert "There is no program 'no-such-program'." in driver.text()
        await driver.press("ctrl+o")
        assert "can't be split into words" in driver.text()


def test_a_clone_s_program_is_not_run(tmp_path: Path, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = tmp_path / "clone"
    (clone / ".git" / "objects").mkdir(parents=True)
    (clone / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (clone / "evil").write_text("#!/bin/sh\n")
    (clone / "evil").chmod(0o755)
    monkeypatch.setenv("PATH", str(clone), prepend=":")
    with pytest.raises(CuratorError, match="There is no program 'evil'"):
        commands.locate_program(["evil"], clone)


def test_words_of_a_transcript_are_no_options() -> None:
    values = {"headline": "--exec=rm\x1b[31m -rf\nall", "id": "AAAA-0001"}
    assert commands.fill_words("x {headline} a={headline}", values) == ["x", "exec=rm -rf all", "a=--exec=rm -rf all"]
    assert commands.fill_words("x {headline}", {"headline": "{id}"}) == ["x", "{id}"], "filled in once"


def test_long_output_is_shown_by_its_end(tmp_path: Path, program: Path) -> None:
    program.write_text("#!/bin/sh\nhead -c 200000 /dev/zero | tr '\\0' a\necho last\n", encoding="utf-8")
    ended = commands.show([str(program)], tmp_path)
    assert (len(ended.output), ended.output[-5:], ended.code) == (commands.LARGEST, "last\n", 0)


def test_a_key_that_is_taken_is_an_error_that_names_both(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text('[commands]\ny = "ls"\n', encoding="utf-8")
    settings = load({"CURATOR_HOME": str(tmp_path)})
    with pytest.raises(CuratorError, match="The key y is given to both keep and run y"):
        keymap(settings.keys, own_actions(settings.commands))
