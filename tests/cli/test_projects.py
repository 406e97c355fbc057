"""A folder that is gone, or of another system, linked to a project of this machine."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from curator.model import State
from tests.cli.conftest import RULE, Make, Sessions, Shell
from tests.sayings import DIST, UV

WINDOWS = "C:\\srv\\app"


def folders(shell: Shell) -> dict[str, tuple[int, list[str]]]:
    return {row["folder"]: (row["cards"], row["linked"]) for row in shell.json("project")}


@pytest.fixture
def elsewhere(tmp_path: Path, shell: Shell, sessions: Sessions) -> Sessions:
    """Sessions of another system, of which one was read."""
    found = Sessions(sessions.root, Path(WINDOWS))
    found("first", [RULE])
    assert shell("scan", "--root", sessions.root).code == 0
    return found


def test_a_link_brings_the_cards_of_another_system_and_of_its_later_sessions(shell: Shell, elsewhere: Sessions) -> None:
    assert folders(shell) == {WINDOWS: (1, [])}
    assert shell("project", "link", WINDOWS, shell.folder).out == f"linked {WINDOWS} to app: 1 entry moved\n"
    assert folders(shell) == {str(shell.folder): (1, [WINDOWS])}
    elsewhere("second", [DIST])
    Sessions(elsewhere.root, Path(WINDOWS, "\\web"))("third", [UV])
    assert shell("scan", "--root", elsewhere.root).code == 0
    assert len(shell.json("list", "--candidates")) == 3
    assert f"{shell.folder}  3 cards, 0 lessons\n  and {WINDOWS}\n" in shell("project").out


def test_unlink_moves_back_what_the_link_moved_decided_or_not(shell: Shell, elsewhere: Sessions) -> None:
    shell("project", "link", WINDOWS, shell.folder)
    (card,) = shell.json("list", "--candidates")
    shell("keep", card["id"])
    assert [*(shell.folder / ".curator" / "lessons").glob("*.md")]
    assert shell("project", "unlink", WINDOWS).out == f"unlinked {WINDOWS}: 1 entry moved back\n"
    assert shell.json("list") == []
    (lesson,) = shell.json("list", "--all")
    assert (lesson["id"], lesson["project"]) == (card["id"], WINDOWS)
    assert not [*(shell.folder / ".curator" / "lessons").glob("*.md")]
    assert shell("project", "unlink", WINDOWS).code == 3


def test_unlink_takes_back_the_questions_about_the_other_project(shell: Shell, make: Make, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    shell.put(make(state=State.ACTIVE, headline=RULE, insight=RULE), folder=gone)
    shell.put(make(state=State.ACTIVE, headline=RULE, insight=RULE))
    gone.rmdir()
    shell("project", "link", gone, shell.folder)
    assert len(shell.json("list", "--conflicts")) == 1
    shell("project", "unlink", gone)
    assert shell.json("list", "--conflicts", "--all") == []


def test_undo_takes_a_link_back_too(shell: Shell, elsewhere: Sessions) -> None:
    shell("project", "link", WINDOWS, shell.folder)
    assert shell("undo").code == 0
    elsewhere("second", [DIST])
    shell("scan", "--root", elsewhere.root)
    assert folders(shell)[WINDOWS] == (2, [])


def test_a_statement_that_both_projects_know_stays_with_both_entries(shell: Shell, elsewhere: Sessions) -> None:
    Sessions(elsewhere.root, shell.folder)("here", [RULE])
    shell("scan", "--root", elsewhere.root)
    shell("project", "link", WINDOWS, shell.folder)
    assert len(shell.json("list", "--candidates")) == 2


def test_a_folder_that_is_gone_is_linked_and_one_that_is_there_is_not(shell: Shell, tmp_path: Path) -> None:
    here, gone = shell.folder, tmp_path / "gone"
    gone.mkdir()
    shell.folder = gone
    id_ = shell.add("Keep the linter quiet")
    shell.folder = here
    assert "exists" in shell("project", "link", gone, here).err
    shutil.rmtree(gone)
    assert "no other project" in shell("project", "link", tmp_path / "typo", here).err
    assert shell("project", "link", gone, here).code == 0
    assert [lesson["id"] for lesson in shell.json("list", "--project", gone)] == [id_]
    assert [*(here / ".curator" / "lessons").glob("*.md")]
    assert "linked already" in shell("project", "link", gone, here).err


def test_a_project_of_another_system_can_be_named(shell: Shell, elsewhere: Sessions) -> None:
    assert len(shell.json("list", "--candidates", "--project", WINDOWS)) == 1
    assert f"in {WINDOWS}" in shell("list", "--candidates", "--all").out
