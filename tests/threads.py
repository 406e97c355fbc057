"""Work that several threads do at the same time."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

Result = TypeVar("Result")


def at_once(work: Callable[[], Result], count: int) -> list[Result]:
    """Do the same in ``count`` threads, which begin together. Return what each returned, or raise what the first one raised."""
    together = Barrier(count)

    def begin() -> Result:
        together.wait()
        return work()

    with ThreadPoolExecutor(count) as pool:
        started = [pool.submit(begin) for _ in range(count)]
    return [one.result() for one in started]
