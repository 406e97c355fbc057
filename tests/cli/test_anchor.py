"""``curator anchor``: which code a lesson speaks of, by hand."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Shell

CODE = "class Pool:\n    def close(self):\n        return 1\n\n\ndef connect():\n    return Pool()\n"


@pytest.fixture
def lesson(shell: Shell) -> str:
    (shell.folder / "pool.py").write_text(CODE, encoding="utf-8")
    (shell.folder / "other.py").write_text("def connect():\n    return 2\n", encoding="utf-8")
    return str(shell("add", "Connections end before the process does", "--json").one["id"])


def listed(shell: Shell, id_: str) -> list[str]:
    return shell("anchor", id_).out.splitlines()


def test_places_are_added_and_removed_and_undone(shell: Shell, lesson: str) -> None:
    assert listed(shell, lesson) == []
    assert shell("anchor", lesson, "close", "other.py").code == 0
    assert listed(shell, lesson) == ["pool.py:Pool.close", "other.py"]
    assert shell("show", lesson, "--json").one["files"] == ["pool.py", "other.py"]
    assert shell("anchor", lesson, "--remove", "other.py").code == 0
    assert listed(shell, lesson) == ["pool.py:Pool.close"]
    shell("undo")
    assert listed(shell, lesson) == ["pool.py:Pool.close", "other.py"]
    (shell.folder / "pool.py").write_text(CODE.replace("return 1", "return 2"), encoding="utf-8")
    row = shell("check", "--json").one
    assert (row["symbol"], row["kind"]) == ("Pool.close", "body_changed"), "checked from then on"


def test_a_lesson_by_hand_is_about_the_files_that_it_names(shell: Shell, lesson: str) -> None:
    row = shell("add", "`connect` in other.py is for tests, never import it", "--json").one
    assert (row["files"], listed(shell, str(row["id"]))) == (["other.py"], ["other.py:connect"])
    given = shell("add", "Names in other.py are kept", "--file", "pool.py", "--json").one
    assert given["files"] == ["pool.py"]


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("connect", "other.py:connect"),
        ("nowhere", "No file or symbol named nowhere"),
        ("pool.py:Pool.open", "defines no Pool.open"),
        ("absent.py", "absent.py"),
        ("../pool.py", "../pool.py"),
        ("../pool.py:Pool", "../pool.py"),
    ],
)
def test_a_place_that_is_none_is_refused(shell: Shell, lesson: str, place: str, why: str) -> None:
    done = shell("anchor", lesson, place)
    assert done.code == 3
    assert why in done.err
    assert listed(shell, lesson) == []
