"""The machine on which commands of the pages are run."""

from __future__ import annotations

from tests.e2e.conftest import world

__all__ = ["world"]
