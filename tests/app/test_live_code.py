"""While the desk is open, a change of the code under a lesson is noticed as it is written."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import Empty, Queue

import pytest

from curator import app
from curator.app import Curator
from curator.model import Drift
from curator.settings import Settings

CODE = "def load(path):\n    return open(path).read()\n"


@pytest.fixture
def curator(tmp_path: Path) -> Iterator[Curator]:
    folder = tmp_path / "app"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "io.py").write_text(CODE, encoding="utf-8")
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run(["git", "-C", str(folder), *words], check=True)
    opened = Curator(Settings(home=tmp_path / "home"))
    opened.enter(str(folder))
    (entry,) = opened.verdicts.add("load() reads everything at once", files=["src/io.py"]).entries
    app.settling.settle(opened, [entry.id])
    yield opened
    opened.close()


def test_a_file_written_under_a_lesson_makes_it_stale(curator: Curator, tmp_path: Path) -> None:
    told: Queue[int] = Queue()
    stop = threading.Event()
    watching = curator.fork()
    thread = threading.Thread(target=lambda: app.staleness.follow_code(watching, stop, told.put), daemon=True)
    thread.start()
    try:
        for attempt in range(100):  # until it watches, which nobody outside can see
            (tmp_path / "app" / "src" / "io.py").write_text(CODE.replace("read()", f"read({attempt})"), encoding="utf-8")
            try:
                assert told.get(timeout=0.2) == 1
                break
            except Empty:
                continue
        (entry,) = curator.lessons.entries(curator.lessons.waiting())
        assert entry.findings[0].drift is Drift.BODY
        subprocess.run(["git", "-C", str(tmp_path / "app"), "checkout", "-q", "."], check=True)
        assert told.get(timeout=20) == 1
        assert list(curator.lessons.entries(curator.lessons.waiting())) == [], "as it was"
    finally:
        stop.set()
        thread.join(20)
        watching.close()
    assert not thread.is_alive()
