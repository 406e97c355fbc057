"""Two processes that check the same lessons at once: neither fails the other, and what is found is written once."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from curator import app
from curator.app import Curator, anchoring, staleness
from curator.code import WorkFiles
from curator.model import Change, Drift, Entry, Verb
from curator.settings import Settings

CODE = "def load(path):\n    return open(path).read()\n"


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "app"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    (folder / "io.py").write_text(CODE, encoding="utf-8")
    (folder / "notes.txt").write_text("One\n", encoding="utf-8")
    return folder


@pytest.fixture
def both(tmp_path: Path, work: Path) -> Iterator[tuple[Curator, Curator]]:
    several = Curator(Settings(home=tmp_path / "home")), Curator(Settings(home=tmp_path / "home"))
    for one in several:
        one.enter(str(work))
    yield several
    for one in several:
        one.close()


def kept(curator: Curator, *files: str) -> Entry:
    (entry,) = curator.verdicts.add("load() reads everything at once", files=files).entries
    app.settling.settle(curator, [entry.id])
    return curator.lessons.find(entry.id)


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


def test_a_commit_that_two_processes_note_is_noted_once(both: tuple[Curator, Curator], work: Path) -> None:
    first, second = both
    code, notes = kept(first, "io.py"), kept(first, "notes.txt")
    git(work, "add", ".")
    git(work, "commit", "-qm", "second")
    project = second.project
    assert project is not None
    read = list(staleness.active(second, project))
    staleness.check(first)
    now = first.lessons.find(notes.id)
    back = Change(before=now, after=now._replace(anchors=notes.anchors))
    first.store.apply([(Verb.UNDO, back)], actor="person", at=1.0)
    done, dated = anchoring.date_anchors(second, project, read)
    assert list(done) == [notes.id]
    assert dated == {id_: second.lessons.find(id_) for id_ in (code.id, notes.id)}
    head = git(work, "rev-parse", "HEAD")
    assert {anchor.holder for entry in dated.values() for anchor in entry.anchors} == {head}
    times = {id_: [event.verb for event in second.lessons.history(id_)].count(Verb.ANCHOR) for id_ in dated}
    assert times[notes.id] == times[code.id] + 1, "what the other had dated is left alone, what was left to date is dated"


def test_a_lesson_that_is_no_more_is_left_out(both: tuple[Curator, Curator], work: Path) -> None:
    first, second = both
    entry = kept(first, "io.py")
    (work / "io.py").write_text(CODE.replace("read()", "read(1)"), encoding="utf-8")
    _, changed = staleness.look_at_code(second, work_files=Meanwhile(work, other=lambda: app.forget.forget(first, [entry.id])))
    assert (changed, second.lessons.peek(entry.id)) == ({}, None)


def test_a_change_that_two_checks_find_is_told_by_both_and_written_once(both: tuple[Curator, Curator], work: Path) -> None:
    first, second = both
    entry = kept(first, "io.py")
    (work / "io.py").write_text(CODE.replace("read()", "read(1)"), encoding="utf-8")
    lessons, changed = staleness.look_at_code(second, work_files=Meanwhile(work, other=partial(staleness.check, first)))
    assert [finding.drift for finding in lessons[entry.id].findings] == [Drift.BODY]
    assert changed == {}, "the other has told of it"
    assert [event.verb for event in second.lessons.history(entry.id)].count(Verb.OUTDATE) == 1


def test_a_move_that_two_checks_find_is_followed_once(both: tuple[Curator, Curator], work: Path) -> None:
    first, second = both
    git(work, "add", ".")
    git(work, "commit", "-qm", "second")
    entry = kept(first, "io.py")
    git(work, "mv", "io.py", "files.py")
    lessons, _ = staleness.look_at_code(second, work_files=Meanwhile(work, other=partial(staleness.check, first)))
    assert [anchor.path for anchor in lessons[entry.id].anchors] == ["files.py"]
    assert second.lessons.find(entry.id).anchors == lessons[entry.id].anchors
    assert [event.verb for event in second.lessons.history(entry.id)].count(Verb.FOLLOW) == 1


@pytest.mark.parametrize("anchors_too", [True, False])
def test_a_lesson_that_somebody_changes_while_its_code_is_looked_at_is_looked_at_again(
    both: tuple[Curator, Curator], work: Path, monkeypatch: pytest.MonkeyPatch, anchors_too: bool
) -> None:
    first, second = both
    entry = first.verdicts.add("Everything is read at once", files=["io.py"]).entries[0]
    attached, times = anchoring.attach_anchors, iter(range(2))

    def meanwhile(*given: Any) -> Entry:
        after = attached(*given)
        if (n := next(times, None)) is not None:  # another window says that it is about other files
            second.verdicts.edit(entry.id, files=(f"notes{n}.txt", "notes.txt"))
            now = second.lessons.find(entry.id)
            if anchors_too:
                noted = Change(before=now, after=attached(now, work))
                second.store.apply([(Verb.ANCHOR, noted)], actor="curator", at=now.updated)
        return after

    monkeypatch.setattr(anchoring, "attach_anchors", meanwhile)
    app.settling.settle(first, [entry.id])
    assert [anchor.path for anchor in first.lessons.find(entry.id).anchors] == ["notes.txt"]
