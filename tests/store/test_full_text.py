"""The index of words: in step with the entries through every change, made anew at will, empty of what was forgotten."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from curator.model import Change, Entry, State, Verb
from curator.store.database import Store

Make = Callable[..., Entry]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "c.db")


def put(store: Store, *entries: Entry) -> None:
    store.apply([(Verb.ADD, Change(before=None, after=entry)) for entry in entries], actor="test", at=1.0)


def ids(store: Store, *words: str, project: str | None = "p1", states: tuple[State, ...] = (State.ACTIVE,)) -> list[str]:
    return [entry.id for entry in store.full_text.find(words, project, states, 9)]


def lesson(make: Make, id_: str, text: str, **fields: object) -> Entry:
    return make(**({"id": id_, "state": State.ACTIVE, "headline": text, "insight": text, "files": ()} | fields))


def test_words_names_and_parts_of_names_lead_to_an_entry(store: Store, make: Make) -> None:
    put(store, lesson(make, "AAAA-0001", "Call parseUserName before saving", files=("src/importer/load_rows.py",)))
    put(store, lesson(make, "AAAA-0002", "Workers retry each job thrice", symbols=("Queue.flush",)))
    assert ids(store, "user") == ids(store, "saved") == ids(store, "importer") == ids(store, "rows") == ["AAAA-0001"]
    assert ids(store, "retries") == ids(store, "flush") == ["AAAA-0002"]
    assert ids(store, "nothing", "known") == []
    assert ids(store) == []


def test_who_shares_more_of_what_is_rare_comes_first(store: Store, make: Make) -> None:
    put(store, *(lesson(make, f"AAAA-{n:04d}", f"Run the tests of module {n}") for n in range(30)))
    put(store, lesson(make, "BBBB-0001", "Run the tests of the zebra importer"), lesson(make, "BBBB-0002", "A zebra"))
    assert ids(store, "run", "tests", "zebra", "importer")[:2] == ["BBBB-0001", "BBBB-0002"]


def test_projects_and_states_are_kept_apart_and_global_lessons_belong_to_all(store: Store, make: Make) -> None:
    put(store, lesson(make, "AAAA-0001", "zebra one"), lesson(make, "AAAA-0002", "zebra two", project="p2"))
    put(store, lesson(make, "AAAA-0003", "zebra three", state=State.OPEN))
    put(store, lesson(make, "AAAA-0004", "zebra four", project="p2", scope="global"))
    assert sorted(ids(store, "zebra")) == ["AAAA-0001", "AAAA-0004"]
    assert ids(store, "zebra", states=(State.OPEN,)) == ["AAAA-0003"]
    assert len(ids(store, "zebra", project=None, states=(State.OPEN, State.ACTIVE))) == 4


def test_rivals_are_found_however_common_they_are(store: Store, make: Make) -> None:
    put(store, *(lesson(make, f"AAAA-{n:04d}", f"Use npm for package {n}") for n in range(450)))
    put(store, lesson(make, "BBBB-0001", "Use npm"))
    found = store.full_text.find(["install"], "p1", (State.ACTIVE,), 3, rivals=["npm", "pnpm"])
    assert "BBBB-0001" in [entry.id for entry in found]


def test_the_index_follows_edits_decisions_and_removal(store: Store, make: Make) -> None:
    first = lesson(make, "AAAA-0001", "Feed the zebra", state=State.OPEN)
    put(store, first)
    kept = first._replace(state=State.ACTIVE)
    store.apply([(Verb.KEEP, Change(before=first, after=kept))], actor="test", at=2.0)
    assert ids(store, "zebra") == ["AAAA-0001"]
    edited = kept._replace(headline="Feed the okapi", insight="Feed the okapi")
    store.apply([(Verb.EDIT, Change(before=kept, after=edited))], actor="test", at=3.0)
    assert (ids(store, "zebra"), ids(store, "okapi")) == ([], ["AAAA-0001"])
    store.apply([(Verb.UNDO, Change(before=edited, after=None))], actor="test", at=4.0)
    assert ids(store, "okapi") == []
    assert store.connection.execute("SELECT count(*) FROM recall").fetchone() == (0,)


def test_what_is_rolled_back_is_not_in_the_index(store: Store, make: Make) -> None:
    with suppress(RuntimeError), store.transaction():
        put(store, lesson(make, "AAAA-0001", "Feed the zebra"))
        assert ids(store, "zebra") == ["AAAA-0001"]
        raise RuntimeError
    assert ids(store, "zebra") == []


def test_of_what_is_forgotten_no_word_stays_in_the_file(tmp_path: Path, make: Make) -> None:
    path = tmp_path / "c.db"
    store = Store(path)
    put(store, *(lesson(make, f"AAAA-{n:04d}", f"Feed animal number {n}") for n in range(40)))
    put(store, lesson(make, "BBBB-0001", "Feed the quagga"))
    store.forget(["BBBB-0001"], [], lambda data, *, entry: data, [], actor="test", at=2.0)
    assert store.empty_log()
    store.close()
    assert b"quagga" not in path.read_bytes()


@pytest.mark.parametrize(
    "words", [['"', "a b", "NEAR(", "*", "words:", "AND"], ["'; DROP TABLE recall", "ünïcode", "日本語", "\0"]]
)
def test_words_of_any_kind_are_words(store: Store, make: Make, words: list[str]) -> None:
    put(store, lesson(make, "AAAA-0001", "Feed the zebra"))
    assert ids(store, *words) == []
    assert store.full_text.find(words, "p1", (State.ACTIVE,), 3, rivals=words) == []
