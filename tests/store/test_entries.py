"""Queries over entries: what they read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from curator.model import FROM_FILE, Change, Entry, Project, Query, State, Verb
from curator.store import Store


def test_a_few_ids_are_looked_up_however_much_waits(tmp_path: Path, make: Callable[..., Entry]) -> None:
    store = Store(tmp_path / "c.db")
    entries = [make(id=f"E{n:03d}-0000", project="p1", session=f"s{n}") for n in range(400)]
    store.apply([(Verb.PROPOSE, Change(before=None, after=entry)) for entry in entries], actor="detector", at=1.0)
    steps: list[None] = []
    store.connection.set_progress_handler(lambda: steps.append(None), 100)
    found = store.entries.among(
        [entry.id for entry in entries[:5]], Query(project="p1", waiting=True, now=9.0, cap=5, hidden=False)
    )
    assert sorted(found) == [entry.id for entry in entries[:5]]
    assert len(steps) < 10, "of 400 rows each takes a dozen steps or more"
    store.close()


@pytest.mark.parametrize("project", ["p1", None])
def test_versions_are_found_without_reading_every_fingerprint(
    tmp_path: Path, make: Callable[..., Entry], project: str | None
) -> None:
    store = Store(tmp_path / "c.db")
    with store.transaction():
        store.sources.remember(Project(id="p1", name="app", folder="/app"), "/app")
    gone = [make(fingerprint=mark, state=State.DISMISSED) for mark in ("words", f"{FROM_FILE}:AAAA-0001:1")]
    entries = [*gone, *(make(fingerprint=f"f{n}") for n in range(400))]
    store.apply([(Verb.PROPOSE, Change(before=None, after=entry)) for entry in entries], actor="x", at=1.0)
    steps: list[None] = []
    store.connection.set_progress_handler(lambda: steps.append(None), 100)
    found = store.entries.order(Query(project=project, states=(State.DISMISSED,), versions=False))
    assert [entry.id for seq in found if (entry := store.entries.at(seq))] == [gone[0].id]
    assert [*store.entries.drop_times("p1")] == [gone[0].id]
    assert len(steps) < 10, "of 400 rows each takes several steps"
    store.close()
