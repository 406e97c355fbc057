"""Files written in one step: the old one or the new one, and nothing beside it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from curator.io import files


def test_a_file_is_replaced_and_its_folder_made(tmp_path: Path) -> None:
    file = tmp_path / "home" / "cache" / "a.json"
    for text in ("one", "two \ud800"):
        files.write(file, text)
    assert file.read_text(encoding="utf-8") == "two ?"
    assert os.listdir(file.parent) == ["a.json"]


def test_what_fails_leaves_the_old_file_and_no_draft(tmp_path: Path) -> None:
    folder = tmp_path / "a.json"
    (folder / "inside").mkdir(parents=True)
    with pytest.raises(OSError, match=r"a\.json"):
        files.write(folder, "new")
    assert os.listdir(tmp_path) == ["a.json"]


def test_two_writers_at_once_leave_one_of_both_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, replace = tmp_path / "a.json", os.replace

    def meanwhile(draft: Any, target: Any) -> None:
        monkeypatch.setattr(os, "replace", replace)
        files.write(file, "theirs")
        replace(draft, target)

    monkeypatch.setattr(os, "replace", meanwhile)
    files.write(file, "ours")
    assert file.read_text(encoding="utf-8") == "ours"
    assert os.listdir(tmp_path) == ["a.json"]


def test_a_writer_that_is_stopped_leaves_the_old_file_and_no_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.json"
    files.write(file, "old")

    def stopped(*_: object) -> None:
        assert len(os.listdir(tmp_path)) == 2
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", stopped)
    with pytest.raises(KeyboardInterrupt):
        files.write(file, "new")
    assert file.read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["a.json"]
