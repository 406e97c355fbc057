"""Queries over entries: what they read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from curator.model import FROM_FILE, Change, Entry, Project, Query, State, Tier, Verb
from curator.store.database import Store

Make = Callable[..., Entry]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "c.db")
    yield opened
    opened.close()


def steps_after(store: Store, entries: list[Entry]) -> list[None]:
    """Store entries; return a list that grows with each hundred steps of the database from then on."""
    store.apply([(Verb.PROPOSE, Change(before=None, after=entry)) for entry in entries], actor="detector", at=1.0)
    steps: list[None] = []
    store.connection.set_progress_handler(lambda: steps.append(None), 100)
    return steps


def test_a_few_ids_are_looked_up_however_much_waits(store: Store, make: Make) -> None:
    entries = [make(id=f"E{n:03d}-0000", project="p1", session=f"s{n}") for n in range(400)]
    few = [entry.id for entry in entries[:5]]
    steps = steps_after(store, entries)
    assert sorted(store.entries.filter_ids(few, Query(project="p1", waiting=True, now=9.0, cap=5, tier=Tier.LIKELY))) == few
    assert len(steps) < 10, "of 400 rows each takes a dozen steps or more"


@pytest.mark.parametrize("project", ["p1", None])
def test_versions_are_found_without_reading_every_fingerprint(store: Store, make: Make, project: str | None) -> None:
    with store.transaction():
        store.sources.remember(Project(id="p1", name="app", folder="/app"), "/app")
    gone = [make(fingerprint=mark, state=State.DISMISSED) for mark in ("words", f"{FROM_FILE}:AAAA-0001:1")]
    steps = steps_after(store, [*gone, *(make(fingerprint=f"f{n}") for n in range(400))])
    found = store.entries.order(Query(project=project, states=(State.DISMISSED,), versions=False))
    assert [entry.id for seq in found if (entry := store.entries.entry_at_row(seq))] == [gone[0].id]
    assert [*store.entries.drop_times("p1")] == [gone[0].id]
    assert len(steps) < 10, "of 400 rows each takes several steps"


def test_a_large_cache_ends_with_its_work_even_if_that_fails(store: Store) -> None:
    def size() -> int:
        return int(store.connection.execute("PRAGMA cache_size").fetchone()[0])

    small = size()
    with suppress(RuntimeError), store.large_cache():
        large = size()
        raise RuntimeError
    assert abs(large) > abs(small)
    assert size() == small
