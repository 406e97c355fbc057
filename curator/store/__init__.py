"""SQLite: the only room with SQL. One file a person, holding every project."""

from __future__ import annotations

from curator.store.database import Store

__all__ = ["Store"]
