"""SQLite: the only room with SQL. One file a person, holding every project."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from curator.store.database import Store

__all__ = ["Store"]


if not TYPE_CHECKING:  # else mypy would believe in every name

    def __getattr__(name: str) -> object:
        """Return the store when it is asked for: ``store.hook_reader`` is imported by hooks, which can't afford the rest."""
        if name == "Store":
            from curator.store.database import Store

            return Store
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
