"""Checks of the code under lessons while somebody works: two at once, and one that goes on as long as a window is open."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import pytest

from curator import app
from curator.app import Curator, anchoring, staleness
from curator.code import WorkFiles
from curator.model import Change, Drift, Entry, Verb
from tests.app.conftest import Open, waiting
from tests.app.conftest import kept as keep
from tests.files import commit, git

CODE = "def load(path):\n    return open(path).read()\n"


@pytest.fixture
def work(work: Path) -> Path:
    git(work, "init", "-q", "-b", "main")
    git(work, "commit", "-q", "--allow-empty", "-m", "first")
    (work / "io.py").write_text(CODE, encoding="utf-8")
    (work / "notes.txt").write_text("One\n", encoding="utf-8")
    return work


@pytest.fixture
def first(opened: Open, work: Path) -> Curator:
    return opened(folder=work)


@pytest.fixture
def second(opened: Open, work: Path) -> Curator:
    """The same database in another process."""
    return opened(folder=work)


def kept(curator: Curator, file: str) -> Entry:
    return keep(curator, "load() reads everything at once", files=[file])


def change(work: Path, words: str = "read(1)") -> None:
    (work / "io.py").write_text(CODE.replace("read()", words), encoding="utf-8")


def times(curator: Curator, entry: Entry, verb: Verb) -> int:
    return [event.verb for event in curator.lessons.history(entry.id)].count(verb)


@dataclass(slots=True)
class Meanwhile(WorkFiles):
    """Files at which another process looks first, after a check has read its lessons."""

    other: Callable[[], object] = field(kw_only=True)
    done: bool = False

    def blob(self, path: str) -> str | None:
        if not self.done:
            self.done = True
            self.other()
        return WorkFiles.blob(self, path)


def test_a_commit_that_two_processes_note_is_noted_once(first: Curator, second: Curator, work: Path) -> None:
    code, notes = kept(first, "io.py"), kept(first, "notes.txt")
    commit(work)
    assert second.project is not None
    read = list(staleness.active(second, second.project))
    staleness.check(first)
    now = first.lessons.find(notes.id)
    back = Change(before=now, after=now._replace(anchors=notes.anchors))
    first.store.apply([(Verb.UNDO, back)], actor="person", at=1.0)
    done, dated = anchoring.date_anchors(second, second.project, read)
    assert list(done) == [notes.id]
    assert dated == {id_: second.lessons.find(id_) for id_ in (code.id, notes.id)}
    head = git(work, "rev-parse", "HEAD")
    assert {anchor.holder for entry in dated.values() for anchor in entry.anchors} == {head}
    assert times(second, notes, Verb.ANCHOR) == times(second, code, Verb.ANCHOR) + 1, "what the other had dated is left alone"


def test_a_lesson_that_is_no_more_is_left_out(first: Curator, second: Curator, work: Path) -> None:
    entry = kept(first, "io.py")
    change(work)
    _, changed = staleness.look_at_code(second, work_files=Meanwhile(work, other=lambda: app.forget.forget(first, [entry.id])))
    assert (changed, second.lessons.peek(entry.id)) == ({}, None)


def test_a_change_that_two_checks_find_is_told_by_both_and_written_once(first: Curator, second: Curator, work: Path) -> None:
    entry = kept(first, "io.py")
    change(work)
    lessons, changed = staleness.look_at_code(second, work_files=Meanwhile(work, other=partial(staleness.check, first)))
    assert [finding.drift for finding in lessons[entry.id].findings] == [Drift.BODY]
    assert changed == {}, "the other has told of it"
    assert times(second, entry, Verb.OUTDATE) == 1


def test_a_move_that_two_checks_find_is_followed_once(first: Curator, second: Curator, work: Path) -> None:
    commit(work)
    entry = kept(first, "io.py")
    git(work, "mv", "io.py", "files.py")
    lessons, _ = staleness.look_at_code(second, work_files=Meanwhile(work, other=partial(staleness.check, first)))
    assert [anchor.path for anchor in lessons[entry.id].anchors] == ["files.py"]
    assert second.lessons.find(entry.id).anchors == lessons[entry.id].anchors
    assert times(second, entry, Verb.FOLLOW) == 1


@pytest.mark.parametrize("anchors_too", [True, False])
def test_a_lesson_that_somebody_changes_while_its_code_is_looked_at_is_looked_at_again(
    first: Curator, second: Curator, work: Path, monkeypatch: pytest.MonkeyPatch, anchors_too: bool
) -> None:
    entry = first.decisions.add("Everything is read at once", files=["io.py"]).entries[0]
    attached, twice = anchoring.attach_anchors, iter(range(2))

    def meanwhile(*given: Any) -> Entry:
        after = attached(*given)
        if (n := next(twice, None)) is not None:  # another window says that it is about other files
            second.decisions.edit(entry.id, files=(f"notes{n}.txt", "notes.txt"))
            now = second.lessons.find(entry.id)
            if anchors_too:
                noted = Change(before=now, after=attached(now, work))
                second.store.apply([(Verb.ANCHOR, noted)], actor="curator", at=now.updated)
        return after

    monkeypatch.setattr(anchoring, "attach_anchors", meanwhile)
    app.settling.settle(first, [entry.id])
    assert [anchor.path for anchor in first.lessons.find(entry.id).anchors] == ["notes.txt"]


def test_a_file_written_under_a_lesson_while_a_window_is_open_makes_it_stale(first: Curator, work: Path) -> None:
    commit(work)
    kept(first, "io.py")
    told: Queue[int] = Queue()
    stop = threading.Event()
    with closing(first.fork()) as watching:
        thread = threading.Thread(target=lambda: app.staleness.follow_code(watching, stop, told.put), daemon=True)
        thread.start()
        try:
            for attempt in range(100):  # until it watches, which nobody outside can see
                change(work, f"read({attempt})")
                try:
                    assert told.get(timeout=0.2) == 1
                    break
                except Empty:
                    continue
            assert [entry.findings[0].drift for entry in waiting(first)] == [Drift.BODY]
            git(work, "checkout", "-q", ".")
            assert told.get(timeout=20) == 1
            assert waiting(first) == [], "as it was"
        finally:
            stop.set()
            thread.join(20)
        assert not thread.is_alive()
