"""Import what stays until the end without looking for garbage meanwhile."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def gc_paused() -> Iterator[None]:
    """Look for no garbage meanwhile, nor later among what there is then.

    Modules are never garbage, and looking through all of them again and again is a tenth of a start.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
