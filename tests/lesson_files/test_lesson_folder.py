from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from curator.errors import CuratorError
from curator.lesson_files import folder as folders
from curator.lesson_files import read, render, write
from curator.lesson_files.folder import KnownFile
from tests.files import write_file
from tests.lesson_files.lessons import lesson

OLD = 1_500_000_000
KnownFiles = Mapping[str, KnownFile]


ONE, TWO, THREE = lesson("AAAA-AAA1"), lesson("AAAA-AAA2", "Run just"), lesson("AAAA-AAA3", "Run ninja")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "project" / ".curator" / "lessons"


@contextmanager
def no_file_opened(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def fail(*_: object, **__: object) -> None:
        raise AssertionError("a file was opened")

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", fail)
        patch.setattr("builtins.open", fail)
        yield


@pytest.fixture
def known(folder: Path) -> KnownFiles:
    """What is known of the folder when one lesson was written into it."""
    return write(folder, [ONE], {}).known_files


@pytest.fixture
def file(folder: Path) -> Path:
    return folder / "run-make-aaaa-aaa1.md"


def names(folder: Path) -> list[str]:
    return sorted(item.name for item in folder.iterdir())


def age(folder: Path) -> Mapping[str, int]:
    for item in folder.iterdir():
        os.utime(item, (OLD, OLD))
    return {item.name: item.stat().st_mtime_ns for item in folder.iterdir()}


def test_nothing_kept_makes_no_folder_and_a_file_in_its_place_is_named(folder: Path) -> None:
    assert write(folder, [], {}).known_files == {}
    assert not folder.exists()
    assert read(folder, {}).entries == {}
    write_file(folder, "")
    with pytest.raises(CuratorError, match="lessons can't be written"):
        write(folder, [ONE], {})


def test_lessons_are_written_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = write(folder, [ONE, TWO], {})
    assert report.written == ("AAAA-AAA1", "AAAA-AAA2")
    assert names(folder) == ["run-just-aaaa-aaa2.md", "run-make-aaaa-aaa1.md"]
    assert (folder / "run-make-aaaa-aaa1.md").read_bytes() == render(ONE).encode()
    with no_file_opened(monkeypatch):
        again = write(folder, [ONE._replace(times_stated=9, score_parts={"a": 1.0}), TWO], report.known_files)
        found = read(folder, report.known_files)
    assert again.unchanged == ("AAAA-AAA1", "AAAA-AAA2")
    assert found.entries == {}
    assert again.known_files == found.known_files == report.known_files


def test_one_change_writes_one_file_under_the_name_it_has(folder: Path) -> None:
    known = write(folder, [ONE, TWO], {}).known_files
    before = age(folder)
    known = read(folder, known).known_files
    report = write(folder, [ONE._replace(headline="Run something else"), TWO], known)
    assert report.written == ("AAAA-AAA1",)
    after = {item.name: item.stat().st_mtime_ns for item in folder.iterdir()}
    assert {name for name in before if before[name] != after[name]} == {"run-make-aaaa-aaa1.md"}
    assert "# Run something else" in (folder / "run-make-aaaa-aaa1.md").read_text("utf-8")


def test_an_edit_by_hand_is_reported_and_not_overwritten(folder: Path, file: Path) -> None:
    known = write(folder, [ONE, TWO], {}).known_files
    edited = file.read_text("utf-8").replace("Use make.", "Use\nmake!")
    file.write_text(edited, "utf-8", newline="\n")
    for entry in (ONE, ONE._replace(insight="Ours.")):
        report = write(folder, [entry, TWO], known)
        assert report.disk_changes == ("AAAA-AAA1",)
        assert report.known_files == known
    assert write(folder, [TWO], known).disk_changes == ("AAAA-AAA1",)
    assert file.read_text("utf-8") == edited
    found = read(folder, known, project="p")
    assert [entry.insight for entry in found.entries.values()] == ["Use\nmake!"]
    assert found.entries["run-make-aaaa-aaa1.md"].project == "p"


@pytest.mark.parametrize("known", [True, False])
def test_an_edit_in_the_moment_in_which_a_file_is_read_is_noticed_later(
    folder: Path, monkeypatch: pytest.MonkeyPatch, known: bool
) -> None:
    first = write(folder, [ONE], {}).known_files
    age(folder)
    file = folder / "run-make-aaaa-aaa1.md"

    content = folders._content

    def edited_then(*place: Any) -> bytes:
        was = content(*place)
        file.write_bytes(was.replace(b"Use make.", b"Use ninja!"))
        return was

    with monkeypatch.context() as patch:
        patch.setattr(folders, "_content", edited_then)
        report = write(folder, [ONE], first if known else {})
    assert report.unchanged == ("AAAA-AAA1",)
    assert [entry.insight for entry in read(folder, report.known_files).entries.values()] == ["Use ninja!"]


def test_a_file_in_the_folders_place_keeps_nothing_from_being_let_go(folder: Path, known: KnownFiles) -> None:
    shutil.rmtree(folder)
    folder.write_text("", "utf-8")
    assert write(folder, [], known).known_files == {}


def test_an_edit_that_keeps_size_and_time_is_still_not_overwritten(folder: Path, file: Path, known: KnownFiles) -> None:
    was = file.stat()
    file.write_bytes(file.read_bytes().replace(b"Use make.", b"Use MAKE."))
    os.utime(file, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert write(folder, [ONE._replace(insight="Ours.")], known).disk_changes == ("AAAA-AAA1",)


def test_a_layout_by_hand_stays_until_the_lesson_changes(folder: Path) -> None:
    folder.mkdir(parents=True)
    file = folder / "mine-aaaa-aaa1.md"
    by_hand = "---\ncategory: tooling\nid: aaaa-aaa1\n---\n\n# Run make\n\nUse make.\n\n\n"
    file.write_text(by_hand, "utf-8", newline="\n")
    found = read(folder, {})
    (entry,) = found.entries.values()
    kept = entry._replace(created=0.0, project="p", place=3)
    assert write(folder, [kept], found.known_files).unchanged == ("AAAA-AAA1",)
    assert file.read_text("utf-8") == by_hand
    report = write(folder, [kept._replace(insight="Use just.")], found.known_files)
    assert report.written == ("AAAA-AAA1",)
    assert names(folder) == ["mine-aaaa-aaa1.md"]


def test_a_file_only_touched_is_unchanged(folder: Path, known: KnownFiles) -> None:
    age(folder)
    found = read(folder, known)
    assert found.entries == {}
    report = write(folder, [ONE], known)
    assert report.unchanged == ("AAAA-AAA1",)
    assert report.known_files == found.known_files != known


def test_a_file_that_vanished_is_missing_until_the_caller_forgets_it(folder: Path) -> None:
    known = write(folder, [ONE, TWO], {}).known_files
    (folder / "run-make-aaaa-aaa1.md").unlink()
    assert read(folder, known).known_files == known
    assert write(folder, [ONE, TWO], known).written == ()
    assert names(folder) == ["run-just-aaaa-aaa2.md"]
    assert write(folder, [ONE, TWO], {"AAAA-AAA2": known["AAAA-AAA2"]}).written == ("AAAA-AAA1",)


def test_a_renamed_file_is_followed(folder: Path, known: KnownFiles) -> None:
    (folder / "run-make-aaaa-aaa1.md").rename(folder / "better.md")
    found = read(folder, known)
    assert write(folder, [ONE._replace(insight="New.")], found.known_files).written == ("AAAA-AAA1",)
    assert names(folder) == ["better.md"]


def test_removed_entries_lose_their_file(folder: Path) -> None:
    known = write(folder, [ONE, TWO], {}).known_files
    report = write(folder, [TWO], known)
    assert report.removed == ("AAAA-AAA1",)
    assert names(folder) == ["run-just-aaaa-aaa2.md"]
    assert set(report.known_files) == {"AAAA-AAA2"}
    assert write(folder / "elsewhere", [], known).known_files == {}


def test_a_lost_memory_adopts_equal_files_and_overwrites_no_others(folder: Path) -> None:
    write(folder, [ONE, TWO], {})
    (folder / "run-just-aaaa-aaa2.md").rename(folder / "other-slug-aaaa-aaa2.md")
    report = write(folder, [ONE, TWO._replace(insight="New.")], {})
    assert (report.unchanged, report.disk_changes) == (("AAAA-AAA1",), ("AAAA-AAA2",))
    assert names(folder) == ["other-slug-aaaa-aaa2.md", "run-make-aaaa-aaa1.md"]


def test_what_cannot_be_read_is_refused_and_left(folder: Path, tmp_path: Path) -> None:
    write(folder, [ONE], {})
    outside = tmp_path / "outside.md"
    outside.write_text(render(TWO), "utf-8", newline="\n")
    (folder / "link.md").symlink_to(outside)
    (folder / "folder.md").mkdir()
    (folder / "latin.md").write_bytes(b"---\nid: A\n---\n# caf\xe9\n")
    (folder / "half.md").write_text("<<<<<<< HEAD\n", "utf-8", newline="\n")
    (folder / "copy.md").write_text(render(ONE), "utf-8", newline="\n")
    (folder / "big.md").write_bytes(b"x" * (folders.MAX_FILE_BYTES + 1))
    (folder / ".lesson-1.tmp").write_text(render(TWO), "utf-8", newline="\n")
    os.mkfifo(folder / "pipe.md")
    before = names(folder)
    found = read(folder, {})
    refused = {refusal.file: refusal.line for refusal in found.refusals}
    others = dict.fromkeys(("big.md", "folder.md", "half.md", "link.md", "pipe.md"), 1)
    assert refused == others | {"latin.md": 4, "run-make-aaaa-aaa1.md": 2}
    assert "symbolic link" in found.refusals[4].reason
    assert list(found.entries) == ["copy.md"]
    assert names(folder) == before
    assert outside.read_text("utf-8") == render(TWO)


def test_a_copy_is_refused_in_favour_of_the_file_we_know(folder: Path, known: KnownFiles) -> None:
    (folder / "a-copy.md").write_text(render(ONE), "utf-8", newline="\n")
    found = read(folder, known)
    assert [refusal.file for refusal in found.refusals] == ["a-copy.md"]
    assert found.entries == {}


def test_an_id_never_changes(folder: Path, file: Path, known: KnownFiles) -> None:
    file.write_text(render(ONE._replace(id="BBBB-BBBB")), "utf-8", newline="\n")
    found = read(folder, known)
    assert [(refusal.line, found.known_files) for refusal in found.refusals] == [(2, known)]


def test_a_link_in_place_of_a_known_file_is_not_followed(folder: Path, file: Path, known: KnownFiles, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    file.rename(outside)
    file.symlink_to(outside)
    assert write(folder, [ONE._replace(insight="New.")], known).disk_changes == ("AAAA-AAA1",)
    assert outside.read_text("utf-8") == render(ONE)


@pytest.mark.parametrize("depth", [0, 1])
def test_a_folder_that_is_a_link_is_refused(folder: Path, tmp_path: Path, depth: int) -> None:
    (tmp_path / "elsewhere" / "lessons").mkdir(parents=True)
    link = [folder, folder.parent][depth]
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / "elsewhere" / ("lessons" if depth == 0 else ""))
    for act in (lambda: write(folder, [ONE], {}), lambda: read(folder, {})):
        with pytest.raises(CuratorError, match="symbolic link"):
            act()
    assert names(tmp_path / "elsewhere" / "lessons") == []


@pytest.mark.parametrize("look", [lambda folder, known: read(folder, known), lambda folder, known: write(folder, [ONE], known)])
def test_drafts_of_processes_that_are_gone_are_removed(folder: Path, known: KnownFiles, look: Callable[..., object]) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    whose = (f"{gone.pid}-AAAA-AAAA", f"{os.getpid()}-AAAA-AAAA", "of somebody")
    dead, alive, foreign = (folder / f".lesson.{name}.tmp" for name in whose)
    for draft in (dead, alive, foreign):
        draft.write_text("half", "utf-8")
    look(folder, known)
    assert names(folder) == sorted([alive.name, foreign.name, "run-make-aaaa-aaa1.md"])


def test_a_full_disk_leaves_whole_files_and_the_next_run_goes_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = write(folder, [ONE, TWO, THREE], {}).known_files
    changed = [entry._replace(insight="New.") for entry in (ONE, TWO, THREE)]
    synced = []

    def full(handle: int) -> None:
        synced.append(handle)
        if len(synced) > 1:
            raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(CuratorError, match="No space left"):
            write(folder, changed, known)
    texts = [(folder / written.name).read_text("utf-8") for written in known.values()]
    assert texts == [render(changed[0]), render(TWO), render(THREE)]
    assert len(names(folder)) == 3
    report = write(folder, changed, known)
    assert (report.unchanged, report.written) == (("AAAA-AAA1",), ("AAAA-AAA2", "AAAA-AAA3"))


@pytest.mark.skipif(getattr(os, "geteuid", int)() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_named(folder: Path) -> None:
    folder.mkdir(parents=True)
    folder.chmod(0o500)
    with pytest.raises(CuratorError, match="Permission denied"):
        write(folder, [ONE], {})
