"""Imports of lasting modules without garbage collection."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pause the garbage collector during the block, then exclude every object that exists at its end from later collections.

    Modules are never garbage, and searching them repeatedly takes a tenth of a start.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
