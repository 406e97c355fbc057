"""Stores that are no growing file: databases that are written meanwhile, documents that are rewritten whole."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from curator import app, plugins
from curator.app import Curator
from curator.app.sessions.ingest import Ingest
from curator.app.sessions.scan import native_paths, preview, read_one
from tests.app.conftest import Open, cards, scanned, until
from tests.sayings import DIST, UV, VENDOR
from tests.transcripts.stores import Binder, Ledger, Owner, Plugin, rows


@pytest.fixture(autouse=True)
def plugin() -> Iterator[None]:
    made = Plugin()
    plugins.manager().register(made)
    yield
    plugins.manager().unregister(made)


@pytest.fixture
def curator(opened: Open) -> Curator:
    return opened()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def owner(root: Path) -> Iterator[Owner]:
    opened = Owner(root / "a.ledger")
    yield opened
    opened.leave()


def talks(owner: Owner) -> None:
    """Have a person say thirty things, of which three are rules."""
    for number in range(30):
        owner.says({3: UV, 17: VENDOR, 29: DIST}.get(number, f"number {number}"))


def test_a_large_store_is_read_and_previewed_to_its_end(curator: Curator, owner: Owner, root: Path) -> None:
    talks(owner)
    report = scanned(curator, root, "ledger")
    assert (report.files, report.turns, report.candidates) == (1, 30, 3)
    again = scanned(curator, root, "ledger")
    assert (again.files, again.turns, again.candidates) == (1, 0, 0)
    (source,) = curator.store.sources.sources().values()
    assert source.turns == 30
    found = preview(owner.path, 0)
    assert found
    assert len(found.candidates) == 3


def test_a_scan_stopped_between_portions_goes_on_later(curator: Curator, owner: Owner, root: Path) -> None:
    talks(owner)
    stop = threading.Event()
    app.scan.scan(curator, roots=[root], stop=stop, progress=lambda step: stop.set() if not step.files_done else None)
    assert cards(curator) == []
    read_one(Ingest(curator), owner.path, stop)
    assert len(cards(curator)) == 1, "one portion was stored"
    scanned(curator, root, "ledger")
    assert len(cards(curator)) == 3


def test_a_database_is_followed_without_ever_standing_in_its_owners_way(curator: Curator, owner: Owner, root: Path) -> None:
    owner.says("hello")
    scanned(curator, root, "ledger")

    def write() -> None:
        for number in range(60):
            owner.says({20: UV, 40: VENDOR, 59: DIST}.get(number, f"number {number}"))
            if number % 10 == 0:
                owner.checkpoints()

    until(curator, 3, write, root)
    assert rows(owner.path) == 61


def test_a_document_and_its_companion_are_followed(curator: Curator, root: Path, tmp_path: Path) -> None:
    folder = root / "b1"
    folder.mkdir(parents=True)
    talk, about = folder / "talk.json", folder / "about.json"
    talk.write_text(json.dumps(["hello"]))
    scanned(curator, root, "binder")

    def write() -> None:
        about.write_text(json.dumps({"cwd": str(tmp_path)}))
        talk.write_text(json.dumps(["hello", VENDOR]))

    until(curator, 1, write, root)
    (entry,) = cards(curator)
    assert curator.projects()[entry.project].folder == str(tmp_path)
    assert scanned(curator, root, "binder").turns == 0


def test_a_native_place_that_is_a_file_is_watched_with_its_companions(isolation: Path) -> None:
    class Alone(Ledger):
        def roots(self, home: Path, env: object) -> list[Path]:
            return [home / "alone.ledger"]

    (isolation / ".binder").mkdir()
    places = [isolation / "alone.ledger", isolation / "alone.ledger-wal", isolation / ".binder"]
    assert native_paths([Alone(), Binder()], {}) == places
    (isolation / "alone.ledger").touch()
    assert native_paths([Alone(), Binder()], {}) == places
