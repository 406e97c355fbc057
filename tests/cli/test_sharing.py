"""Lessons and each other: pairs that hold side by side, lessons beyond their project."""

from __future__ import annotations

from pathlib import Path

from curator.model import Relating, Relation, State
from tests.cli.conftest import Make, Shell


def files(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in sorted((folder / ".curator" / "lessons").glob("*.md"))}


# --- side by side -------------------------------------------------------------------------------------------------------


def test_two_lessons_hold_side_by_side_in_both_files_and_undo_takes_it_back(shell: Shell) -> None:
    one, two = shell.add("Use npm"), shell.add("Use pnpm")
    before = files(shell.folder)
    done = shell.json("coexist", one, two.lower(), "--because", "docs/ has a\nlock file of its own")
    assert [(row["id"], row["state"]) for row in done] == [(one, "active"), (two, "active")]
    texts = files(shell.folder)
    for id_, other in ((one, two), (two, one)):
        (text,) = (text for name, text in texts.items() if id_.lower() in name)
        assert f"coexists:\n  - id: {other}\n    because: docs/ has a lock file of its own\n" in text
    shell("coexist", one, two, "--because", "another reason")
    assert shell.json("show", one)[0]["links"]["coexists"] == [[two, "another reason"]]
    shell("undo")
    shell("undo")
    assert files(shell.folder).keys() == before.keys()
    assert "coexists" not in "".join(files(shell.folder).values())


def test_a_conflict_of_the_two_is_settled_and_one_with_a_third_is_not(shell: Shell, make: Make) -> None:
    rival = Relation(other="AAAA-0001", relating=Relating.CONTRADICTS)
    shell.put(
        make(id="AAAA-0001", state=State.ACTIVE),
        make(id="AAAA-0002", rival=rival),
        make(id="AAAA-0003", state=State.ACTIVE, rival=rival),
        make(id="AAAA-0004", state=State.ACTIVE),
        make(id="AAAA-0005"),
    )
    assert [row["state"] for row in shell.json("coexist", "AAAA-0001", "AAAA-0002", "--because", "x")] == ["active"] * 2
    shell("coexist", "AAAA-0003", "AAAA-0004", "--because", "x")
    assert [row["id"] for row in shell.json("list", "--conflicts")] == ["AAAA-0003"]
    for other, word in (("AAAA-0005", "not a lesson yet"), ("AAAA-0004", "Both ids name AAAA-0004"), ("ZZZZ", "no entry")):
        done = shell("coexist", "AAAA-0004", other, "--because", "x")
        assert (done.code, done.out, word in done.err) == (3, "", True)
    assert shell("coexist", "AAAA-0003", "AAAA-0004").code == 2
    assert shell("coexist", "AAAA-0003", "AAAA-0004", "--because", " ").code == 2


# --- beyond the project -------------------------------------------------------------------------------------------------


def test_a_global_lesson_is_listed_in_every_project_until_that_is_undone(shell: Shell, other: Path) -> None:
    mine, own = shell.add("Never force-push", "--file", "a.py"), shell.add("Only here")
    theirs = shell.add("Over there", "--project", other)
    shell("edit", mine, "--scope", "global")
    there = {row["id"]: row for row in shell.json("list", "--project", other)}
    assert there.keys() == {mine, theirs}
    assert (there[mine]["scope"], there[mine]["project"]) == ("global", "app")
    assert f"{mine}  A  convention      Never force-push  (global, in app)" in shell("list", "--project", other).out
    assert {row["id"] for row in shell.json("list")} == {mine, own}
    assert len(shell.json("list", "--all")) == 3
    assert "scope: global" in "".join(files(shell.folder).values())
    assert list(files(other)) == [f"over-there-{theirs.lower()}.md"]
    shell("retire", mine)
    for words in (("list",), ("list", "--retired")):
        assert mine not in {row["id"] for row in shell.json(*words, "--project", other)}, "a retired one is nowhere else"
    shell("undo")
    shell("undo")
    assert [row["id"] for row in shell.json("list", "--project", other)] == [theirs]
    assert "scope: global" not in "".join(files(shell.folder).values())


def test_lessons_of_two_projects_are_merged_only_when_asked_for(shell: Shell, other: Path) -> None:
    mine, theirs = shell.add("Mine", "--file", "a.py"), shell.add("Theirs", "--project", other)
    refused = shell("merge", mine, theirs)
    assert (refused.code, refused.out, "--across" in refused.err) == (3, "", True)
    row = shell.json("merge", mine, theirs, "--across")[0]
    assert (row["id"], row["files"]) == (theirs, [])
