"""Stores that are no growing file: databases that are written meanwhile, documents that are rewritten whole."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from curator import app, plugins
from curator.app import Curator
from curator.model import Query, State
from curator.settings import Settings
from tests.sayings import DIST, UV, VENDOR
from tests.transcripts.stores import Owner, Plugin, rows


@pytest.fixture(autouse=True)
def plugin() -> Iterator[None]:
    made = Plugin()
    plugins.manager().register(made)
    yield
    plugins.manager().unregister(made)


@pytest.fixture
def curator(tmp_path: Path) -> Iterator[Curator]:
    opened = Curator(Settings(home=tmp_path / "home"))
    yield opened
    opened.close()


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[Owner]:
    opened = Owner(tmp_path / "store" / "a.ledger")
    yield opened
    opened.leave()


def cards(curator: Curator) -> list[str]:
    return sorted(entry.evidence[0].quote for entry in curator.lessons.entries(Query(states=(State.OPEN,))))


def until(curator: Curator, count: int, act: Callable[[], None], root: Path) -> None:
    """Watch while ``act`` writes, until there are so many cards."""
    stop, told = threading.Event(), threading.Semaphore(0)

    def follow() -> None:
        own = curator.fork()
        try:
            app.scan.follow(own, stop, lambda new: told.release(), roots=[root])
        finally:
            own.close()

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    try:
        act()
        for _ in range(40):
            if len(cards(curator)) == count:
                break
            assert told.acquire(timeout=30)
        assert len(cards(curator)) == count
    finally:
        stop.set()
        thread.join(timeout=10)


def test_a_large_store_is_read_to_its_end_in_one_scan(curator: Curator, owner: Owner, tmp_path: Path) -> None:
    for number in range(30):
        owner.says({3: UV, 17: VENDOR, 29: DIST}.get(number, f"number {number}"))
    report = app.scan.scan(curator, roots=[tmp_path / "store"])["ledger"]
    assert (report.files, report.turns, report.candidates) == (1, 30, 3)
    again = app.scan.scan(curator, roots=[tmp_path / "store"])["ledger"]
    assert (again.files, again.turns, again.candidates) == (1, 0, 0)
    (source,) = curator.store.sources.sources().values()
    assert source.turns == 30


def test_a_scan_stopped_between_portions_goes_on_later(curator: Curator, owner: Owner, tmp_path: Path) -> None:
    for number in range(30):
        owner.says({3: UV, 17: VENDOR, 29: DIST}.get(number, f"number {number}"))
    stop = threading.Event()
    app.scan.scan(
        curator, roots=[tmp_path / "store"], stop=stop, progress=lambda step: stop.set() if not step.files_done else None
    )
    assert cards(curator) == []
    from curator.app.sessions.ingest import Ingest
    from curator.app.sessions.scan import read_one

    stop.set()
    read_one(Ingest(curator), owner.path, stop)
    assert len(cards(curator)) == 1, "one portion was stored"
    app.scan.scan(curator, roots=[tmp_path / "store"])
    assert len(cards(curator)) == 3


def test_a_database_is_followed_without_ever_standing_in_its_owners_way(curator: Curator, owner: Owner, tmp_path: Path) -> None:
    owner.says("hello")
    app.scan.scan(curator, roots=[tmp_path / "store"])

    def write() -> None:
        for number in range(60):
            owner.says({20: UV, 40: VENDOR, 59: DIST}.get(number, f"number {number}"))
            if number % 10 == 0:
                owner.checkpoints()

    until(curator, 3, write, tmp_path / "store")
    assert rows(owner.path) == 61


def test_a_document_and_its_companion_are_followed(curator: Curator, tmp_path: Path) -> None:
    folder = tmp_path / "store" / "b1"
    folder.mkdir(parents=True)
    talk, about = folder / "talk.json", folder / "about.json"
    talk.write_text(json.dumps(["hello"]))
    app.scan.scan(curator, roots=[tmp_path / "store"])

    def write() -> None:
        about.write_text(json.dumps({"cwd": str(tmp_path)}))
        talk.write_text(json.dumps(["hello", VENDOR]))

    until(curator, 1, write, tmp_path / "store")
    (entry,) = curator.lessons.entries(Query(states=(State.OPEN,)))
    assert curator.projects()[entry.project].folder == str(tmp_path)
    assert app.scan.scan(curator, roots=[tmp_path / "store"])["binder"].turns == 0


def test_a_file_is_previewed_through_all_its_portions(owner: Owner) -> None:
    from curator.app import preview

    for number in range(30):
        owner.says({3: UV, 17: VENDOR, 29: DIST}.get(number, f"number {number}"))
    found = preview(owner.path, 0)
    assert found
    assert len(found.candidates) == 3


def test_a_native_place_that_is_a_file_is_watched_with_its_companions(isolation: Path) -> None:
    from curator.app.sessions.scan import native
    from tests.transcripts.stores import Binder, Ledger

    class Alone(Ledger):
        def roots(self, home: Path, env: object) -> list[Path]:
            return [home / "alone.ledger"]

    (isolation / ".binder").mkdir()
    places = [isolation / "alone.ledger", isolation / "alone.ledger-wal", isolation / ".binder"]
    assert native([Alone(), Binder()], {}) == places
    (isolation / "alone.ledger").touch()
    assert native([Alone(), Binder()], {}) == places
