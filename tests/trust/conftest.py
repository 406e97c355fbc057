"""A machine for each test."""

from __future__ import annotations

from tests.e2e.conftest import world as world
