from __future__ import annotations

import logging
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import pytest
import watchfiles

from curator.app import doctor
from curator.io.watch import watch

PATIENCE = 20.0
"""Seconds after which a test gives up; nothing waits this long when all is well."""


class Watching:
    """A watcher in a thread, and what it has told."""

    def __init__(self, roots: list[Path], *, force_polling: bool) -> None:
        self.stop = threading.Event()
        self.told: Queue[set[Path]] = Queue()
        self.whys: list[str] = []
        self.roots = roots
        self.force_polling = force_polling
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self) -> None:
        for paths in watch(self.roots, self.stop, force_polling=self.force_polling, check_ms=50, blind=self.whys.append):
            self.told.put(paths)

    def until(self, path: Path, act: Callable[[], object]) -> set[Path]:
        """Act until the path is told: a watcher needs a moment to begin, which nobody outside can see."""
        seen: set[Path] = set()
        for _ in range(int(PATIENCE / 0.2)):
            act()
            try:
                while path not in seen:
                    seen |= self.told.get(timeout=0.2)
                return seen
            except Empty:
                continue
        raise AssertionError(f"{path} was never told, only {seen}")


@pytest.fixture(params=[False, True], ids=["notified", "polled"])
def begin(request: pytest.FixtureRequest) -> Iterator[Callable[..., Watching]]:
    begun: list[Watching] = []

    def start(*roots: Path) -> Watching:
        begun.append(Watching(list(roots), force_polling=request.param))
        return begun[-1]

    yield start
    for watching in begun:
        watching.stop.set()
        watching.thread.join(PATIENCE)
        assert not watching.thread.is_alive()


def grow(path: Path) -> Callable[[], object]:
    def act() -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            file.write("x\n")

    return act


def test_what_is_written_is_told(tmp_path: Path, begin: Callable[..., Watching]) -> None:
    path = tmp_path / "deep" / "down" / "s.jsonl"
    watching = begin(tmp_path)
    assert path in watching.until(path, grow(path))


def test_a_root_that_appears_later_is_picked_up(tmp_path: Path, begin: Callable[..., Watching]) -> None:
    late = tmp_path / "late"
    other = tmp_path / "other"
    other.mkdir()
    watching = begin(other, late)
    watching.until(other / "a.jsonl", grow(other / "a.jsonl"))
    grow(late / "b.jsonl")()
    watching.until(late / "b.jsonl", lambda: None)


def test_a_root_is_waited_for_and_watched_again_when_it_returns(tmp_path: Path, begin: Callable[..., Watching]) -> None:
    root = tmp_path / "root"
    watching = begin(root)
    watching.until(root / "a.jsonl", grow(root / "a.jsonl"))
    shutil.rmtree(root)
    watching.until(root / "b.jsonl", grow(root / "b.jsonl"))


def test_where_watching_fails_polling_takes_over(
    tmp_path: Path, begin: Callable[..., Watching], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    watch = watchfiles.watch

    def fails(*roots: Path, force_polling: bool, **options: Any) -> Iterator[set[tuple[watchfiles.Change, str]]]:
        if not force_polling:
            raise OSError("no watches left")
        return watch(*roots, force_polling=True, **options)

    monkeypatch.setattr(watchfiles, "watch", fails)
    with caplog.at_level(logging.WARNING):
        watching = begin(tmp_path)
        path = tmp_path / "s.jsonl"
        watching.until(path, grow(path))
    if not watching.force_polling:
        assert "files can't be watched (no watches left)" in caplog.text


def test_where_nothing_is_told_though_files_grow_polling_takes_over(
    tmp_path: Path, begin: Callable[..., Watching], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a network folder."""
    real = watchfiles.watch

    def tells_nothing(*roots: Path, force_polling: bool, **options: Any) -> Iterator[set[tuple[watchfiles.Change, str]]]:
        for batch in real(*roots, force_polling=force_polling, **options):
            yield batch if force_polling else set()

    monkeypatch.setattr(watchfiles, "watch", tells_nothing)
    monkeypatch.setattr("curator.io.watch.BLIND_SECONDS", 0.0)
    watching = begin(tmp_path)
    path = tmp_path / "s.jsonl"
    for _ in range(2):
        watching.until(path, grow(path))
    if not watching.force_polling:
        for number in range(50):
            watching.until(tmp_path / f"{number}", grow(tmp_path / f"{number}"))
            if watching.whys:
                break
        assert watching.whys == ["the system does not tell of changes there, as on network folders"]


def test_what_is_told_is_not_taken_for_missed(
    tmp_path: Path, begin: Callable[..., Watching], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("curator.io.watch.BLIND_SECONDS", 0.0)
    watching = begin(tmp_path)
    for name in "abcdefgh":
        path = tmp_path / name
        watching.until(path, grow(path))
    assert watching.whys == []


def without_watches(code: str, folder: Path) -> str:
    """What Python code prints about a folder of six others where the system has three watches."""
    for name in "abcdef":
        (folder / name).mkdir()
    limit = "echo 3 > /proc/sys/user/max_inotify_watches && exec "
    command = ["unshare", "-Ur", "sh", "-c", limit + shlex.join([sys.executable, "-P", "-c", code, str(folder)])]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except FileNotFoundError:
        pytest.skip("there is no unshare, so no limit can be set")
    if done.returncode:
        pytest.skip(f"no limit can be set here: {done.stderr.strip()[:80]}")
    return done.stdout.strip()


def test_doctor_names_what_mends_a_system_without_watches_left(tmp_path: Path) -> None:
    code = "import sys; from pathlib import Path; from curator.app.doctor import check_watching as check; "
    code += "print(*check([Path(sys.argv[1])]))"
    said = without_watches(code, tmp_path)
    assert "sudo sysctl fs.inotify.max_user_watches=524288" in said
    assert "every two seconds" in said
    assert not list(doctor.check_watching([tmp_path]))
