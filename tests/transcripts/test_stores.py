"""Transcripts of several files: databases with their logs, documents that are rewritten whole."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from curator.hookspecs import Format, Mark, Reading
from curator.transcripts.base import discover
from curator.transcripts.base.follow import Bookmark, Progress, follow, from_json, to_json
from tests.files import write_file
from tests.transcripts.stores import Binder, Ledger, Owner
from tests.transcripts.transcript_records import CLAUDE, lines, new, user


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[Owner]:
    opened = Owner(tmp_path / "a.ledger")
    yield opened
    opened.leave()


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    return write_file(tmp_path / "b1" / "talk.json", json.dumps(["one", "two"]))


@pytest.fixture
def known(talk: Path) -> Bookmark:
    """What is known of the talk once it was followed to its end."""
    bookmark = follow(Binder(), talk, None).bookmark
    assert bookmark
    return bookmark


def age(*paths: Path) -> None:
    """Let files be of yesterday: right after a write nobody can tell whether another one follows."""
    for path in paths:
        os.utime(path, (path.stat().st_mtime - 86_400,) * 2)


def through(path: Path, known: Bookmark | None) -> tuple[list[str], Bookmark]:
    """All that is new, portion by portion, as it is stored in between."""
    told: list[str] = []
    while True:
        progress = follow(Ledger(), path, known)
        assert not progress.errors
        assert progress.bookmark
        told += new(progress)
        known = from_json(to_json(progress.bookmark))
        if not progress.bookmark.more:
            return told, progress.bookmark


def test_what_stands_only_in_the_log_is_read_while_its_owner_goes_on_writing(owner: Owner) -> None:
    for number in range(4):
        owner.says(f"turn {number}")
    told, followed = through(owner.path, None)
    assert told == [f"turn {number}" for number in range(4)]
    size = owner.path.stat().st_size
    owner.says("turn 4")
    assert owner.path.stat().st_size == size, "only the log has grown"
    told, followed = through(owner.path, followed)
    assert told == ["turn 4"]
    owner.checkpoints()
    told, followed = through(owner.path, followed)
    assert told == [], "what moves from the log into the database is nothing new"
    owner.says("turn 5")
    assert through(owner.path, followed)[0] == ["turn 5"]


def test_a_store_is_read_in_portions_with_context_and_nothing_twice(owner: Owner) -> None:
    for number in range(23):
        owner.says(f"turn {number}")
    first = follow(Ledger(), owner.path, None)
    assert first.bookmark
    assert (len(first.turns), first.old_turns, first.bookmark.more) == (5, 0, True)
    second = follow(Ledger(), owner.path, first.bookmark)
    assert second.turns[: second.old_turns] == first.turns[-2:]
    age(owner.path, owner.path.with_name("a.ledger-wal"))
    told, followed = through(owner.path, None)
    assert told == [f"turn {number}" for number in range(23)]
    assert follow(Ledger(), owner.path, followed) == Progress((), 0, followed)


def test_portions_that_were_not_read_are_read_though_nothing_changes(owner: Owner) -> None:
    for number in range(8):
        owner.says(f"turn {number}")
    first = follow(Ledger(), owner.path, None)
    assert first.bookmark
    assert through(owner.path, from_json(to_json(first.bookmark)))[0] == ["turn 5", "turn 6", "turn 7"]


def test_a_format_that_asks_for_more_and_gets_nowhere_is_not_asked_for_ever(tmp_path: Path) -> None:
    class Stuck(Binder):
        def read(self, path: Path, start: Mark) -> Reading:
            return Reading((), start, start, more=True)

    path = tmp_path / "talk.json"
    path.write_text("[]")
    progress = follow(Stuck(), path, None)
    assert progress.bookmark
    assert not progress.bookmark.more
    assert "the format binder does not get on with it" in progress.errors[0]


def test_unchanged_stores_are_not_opened(owner: Owner, talk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owner.says("hello")
    age(owner.path, owner.path.with_name("a.ledger-wal"), talk)
    _, ledger = through(owner.path, None)
    binder = follow(Binder(), talk, None).bookmark

    def opened(*_: object, **__: object) -> None:
        raise AssertionError("an unchanged file was opened")

    monkeypatch.setattr(Path, "open", opened)
    monkeypatch.setattr("sqlite3.connect", opened)
    assert follow(Ledger(), owner.path, ledger) == Progress((), 0, ledger)
    assert follow(Binder(), talk, binder) == Progress((), 0, binder)


def test_a_write_within_the_same_tick_is_not_missed(talk: Path, known: Bookmark) -> None:
    then = talk.stat()
    talk.write_text(json.dumps(["one", "TWO"]))  # as large as before
    os.utime(talk, ns=(then.st_atime_ns, then.st_mtime_ns))
    assert follow(Binder(), talk, known).turns != ()
    age(talk)
    later = follow(Binder(), talk, known).bookmark
    assert follow(Binder(), talk, later) == Progress((), 0, later), "what has settled is not opened again"


def test_a_document_that_begins_otherwise_tells_only_what_is_new(talk: Path) -> None:
    first = follow(Binder(), talk, None)
    assert new(first) == ["one", "two"]
    replacement = talk.with_suffix(".new")
    replacement.write_text(json.dumps(["(edited) one", "two", "three"], indent=1))
    replacement.replace(talk)
    assert new(follow(Binder(), talk, first.bookmark)) == ["three"]


def test_a_torn_document_is_read_once_it_is_whole(talk: Path, known: Bookmark) -> None:
    talk.write_text('["one", "two", "th')
    torn = follow(Binder(), talk, known)
    assert torn.bookmark == known
    assert "no whole JSON document yet" in torn.errors[0]
    talk.write_text('["one", "two", "three"]')
    assert new(follow(Binder(), talk, known)) == ["three"]


def test_a_change_of_a_companion_is_one_of_the_transcript(talk: Path, known: Bookmark) -> None:
    about = talk.with_name("about.json")
    about.write_text('{"cwd": "/srv/app"}')
    age(talk, about)
    changed = follow(Binder(), talk, known)
    assert changed.bookmark
    assert changed.bookmark != known
    assert follow(Binder(), talk, changed.bookmark) == Progress((), 0, changed.bookmark)
    about.unlink()
    assert follow(Binder(), talk, changed.bookmark).bookmark != changed.bookmark


def test_a_transcript_is_as_young_and_as_large_as_its_youngest_part(owner: Owner, talk: Path, tmp_path: Path) -> None:
    owner.says("hello")
    log = owner.path.with_name("a.ledger-wal")
    os.utime(owner.path, (1, 1))
    os.utime(log, (5_000, 5_000))
    os.utime(talk, (9, 9))
    found = {item.path: item for item in discover.find([Ledger(), Binder()], [tmp_path], tmp_path, {}).transcripts}
    assert found[owner.path].mtime == 5_000
    assert found[owner.path].size == owner.path.stat().st_size + log.stat().st_size
    assert found[talk].mtime == 9


def test_a_companion_leads_to_its_transcript(owner: Owner, talk: Path) -> None:
    formats: list[Format] = [CLAUDE, Ledger(), Binder()]
    for written, expected in {
        owner.path.with_name("a.ledger-wal"): owner.path,
        owner.path.with_name("a.ledger-shm"): owner.path,
        talk.with_name("about.json"): talk,
        owner.path: owner.path,
        talk: talk,
        talk.with_name("other.db-wal"): talk.with_name("other.db-wal"),
    }.items():
        assert discover.transcript_of(written, formats) == expected


def test_a_plugin_that_fails_to_name_companions_hides_nothing(tmp_path: Path) -> None:
    class Broken(Binder):
        def companions(self, path: Path) -> list[Path]:
            raise KeyError("oops")

        def transcript(self, written: Path) -> Path | None:
            raise KeyError("oops")

    path = tmp_path / "talk.json"
    path.write_text("[]")
    assert discover.look(Broken(), path).stamp == ""
    assert discover.transcript_of(path, [Broken()]) == path


def test_what_an_older_curator_remembered_still_counts(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(lines(user("one")))
    followed = follow(CLAUDE, path, None).bookmark
    assert followed
    old = {key: value for key, value in json.loads(to_json(followed)).items() if key not in ("beside", "more")}
    assert from_json(json.dumps(old)) == followed
    assert from_json(to_json(replace(followed, beside=7))) is None  # type: ignore[arg-type]
