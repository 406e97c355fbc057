"""The lessons of these tests, as short as can be."""

from __future__ import annotations

from curator.model import Category, Entry, State


def lesson(id: str = "7K3F-Q2MD", headline: str = "Run make", insight: str = "Use make.", **fields: object) -> Entry:
    known: dict[str, object] = {"project": "p", "state": State.ACTIVE, "category": Category.TOOLING, "created": 1.5}
    return Entry(id=id, headline=headline, insight=insight, **(known | {"updated": 2.5} | fields))  # type: ignore[arg-type]
