"""Several processes that write the same files: who comes late finds it done."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from curator.agents.install.plan import Receipts
from curator.app import Curator, install
from curator.app.agents.install import InstallRequest
from curator.lesson_files import read, write
from curator.model import Entry, State
from curator.settings import load
from tests.cli.conftest import Shell, shell

__all__ = ["shell"]


def test_a_plan_that_another_process_carried_out_is_no_error(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shell.folder)
    curator = Curator(load())
    curator.enter(str(shell.folder))
    first, second = (install.installing(curator, ["claude-code"], InstallRequest(files=True)) for _ in range(2))
    for plan in (first, second):
        install.carry_out(curator, plan)
    assert {str(change.path) for change in first.changes} <= Receipts(load().home).all.keys()
    curator.close()


def test_a_file_that_another_process_removed_first_is_removed(
    tmp_path: Path, make: Callable[..., Entry], monkeypatch: pytest.MonkeyPatch
) -> None:
    lesson = make(state=State.ACTIVE, slug="a")
    known = write(tmp_path, [lesson], {}).known_files
    unlink = Path.unlink

    def late(path: Path, missing_ok: bool = False) -> None:
        if path.suffix == ".md":
            unlink(path)
        unlink(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", late)
    report = write(tmp_path, [], known)
    assert report.removed == (lesson.id,)
    assert read(tmp_path, {}).entries == {}
