"""Whether training gives the weights that are shipped: the same names, and each number to within a step of its last digit.

Processors add up in an order of their own, so that a last digit differs from machine to machine. Weights that were not trained
anew after a change of features or data differ by far more than that.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any


def require(file: str, made: Any, shipped: Any, *, step: float, smallest: float = 0.0) -> None:
    """Exit with a sentence that names what differs, unless the two are the same.

    ``made`` and ``shipped``: mappings and lists of numbers and texts. ``smallest``: weights below it are left out of the file.
    """
    one, other = dict(leaves(made)), dict(leaves(shipped))
    differing = [name for name in one.keys() | other.keys() if not alike(one.get(name), other.get(name), step, smallest)]
    if differing:
        names = ", ".join(sorted(differing)[:5])
        sys.exit(f"training does not give the weights of {file}: {len(differing)} differ, among them {names}")
    print("training gives the weights that are shipped")


def leaves(data: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every number and text, by its path."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from leaves(value, f"{name}/{key}")
    elif isinstance(data, Sequence) and not isinstance(data, str):
        for at, value in enumerate(data):
            yield from leaves(value, f"{name}/{at}")
    else:
        yield name, data


def alike(one: Any, other: Any, step: float, smallest: float) -> bool:
    """Whether two leaves are the same; one that is missing may be a weight that is just too small.

    >>> alike(0.204, 0.203, 0.001, 0.0), alike(0.204, 0.201, 0.001, 0.0), alike(None, 0.03, 0.01, 0.03), alike("a", None, 1, 1)
    (True, False, True, False)
    """
    if isinstance(one, str) or isinstance(other, str):
        return bool(one == other)
    missing = one is None or other is None
    return bool(abs((one or 0.0) - (other or 0.0)) <= (smallest if missing else 0.0) + 1.01 * step)
