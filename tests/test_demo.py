"""What the demo shows is what the program would find by itself."""

from __future__ import annotations

import pytest

from curator import comparison, demo
from curator.model import Relating

NOW = 1_795_000_000.0


def test_the_conflict_is_one_that_the_program_finds() -> None:
    shown = demo.conflict(NOW)
    found = comparison.relate(shown._replace(rival=None), demo.lessons(NOW))
    assert found is not None
    assert shown.rival is not None
    assert found._replace(likeness=shown.rival.likeness) == shown.rival
    assert found.likeness == pytest.approx(shown.rival.likeness, abs=0.1)
    assert found.relating is Relating.CONTRADICTS
