from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from curator.cli.context import gc_paused


@pytest.fixture(autouse=True)
def _thawed() -> Iterator[None]:
    yield
    gc.unfreeze()


def test_garbage_is_looked_for_again_afterwards_but_not_among_what_there_was() -> None:
    kept: list[list[object]] = [[] for _ in range(10)]
    with gc_paused():
        assert not gc.isenabled()
    assert gc.isenabled()
    assert gc.get_freeze_count() > len(kept)
    assert not any(each is kept for each in gc.get_objects())


def test_a_module_that_can_not_be_imported_changes_nothing() -> None:
    with pytest.raises(ImportError), gc_paused():
        raise ImportError
    assert gc.isenabled()
