"""``curator cleanup``: what may no longer hold, in one queue with an end."""

from __future__ import annotations

import pytest

from curator import clock
from curator.app import Curator
from curator.model import Durability
from curator.settings import load
from tests.cli.conftest import Shell

DAY = 86_400.0


def later(monkeypatch: pytest.MonkeyPatch, days: float) -> None:
    now = clock.now() + days * DAY
    monkeypatch.setattr(clock, "now", lambda: now)


def temporary(shell: Shell, id_: str) -> None:
    curator = Curator(load())
    curator.decisions.edit(id_, durability=Durability.TEMPORARY)
    curator.close()


def shown(shell: Shell) -> list[str]:
    """The headlines of the cards, nothing decided."""
    done = shell("cleanup", "--plain", typed="\n" * 20)
    assert done.code == 0
    return [line for line in done.out.splitlines() if line.startswith("Rule ")]


def test_temporary_lessons_fade_in_days_and_others_after_half_a_year(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.add("Rule one holds")
    temporary(shell, shell.add("Rule two is for this week"))
    later(monkeypatch, 13)
    assert shown(shell) == []
    assert "Nothing to clean up." in shell("cleanup", "--plain").out
    later(monkeypatch, 2)
    assert shown(shell) == ["Rule two is for this week"]
    later(monkeypatch, 170)
    assert shown(shell) == ["Rule one holds", "Rule two is for this week"]


def test_still_true_takes_it_out_and_undo_puts_it_back(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.add("Rule one holds")
    later(monkeypatch, 200)
    done = shell("cleanup", "--plain", typed="y\n")
    assert "No more lessons to review." in done.out
    assert shown(shell) == []
    assert shell("undo").code == 0
    assert shown(shell) == ["Rule one holds"]


def test_stale_lessons_come_before_faded_ones_and_nothing_is_deleted(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    (shell.folder / "a.py").write_text("def load(a):\n    return a\n", encoding="utf-8")
    shell.add("Rule one holds")
    shell.add("Rule two is about load()", "--file", "a.py")
    later(monkeypatch, 200)
    (shell.folder / "a.py").unlink()
    assert shown(shell) == ["Rule two is about load()", "Rule one holds"]
    assert len(shell("list", "--json").objects) == 2


def test_without_a_terminal_it_says_what_to_do(shell: Shell) -> None:
    done = shell("cleanup")
    assert done.code == 2
    assert "--plain" in done.err
