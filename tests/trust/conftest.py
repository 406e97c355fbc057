"""A machine for each test, as in the whole journeys."""

from __future__ import annotations

from tests.e2e.conftest import world

__all__ = ["world"]
