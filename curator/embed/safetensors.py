"""The one matrix of a safetensors file, memory-mapped.

Format: https://github.com/huggingface/safetensors#format. Eight bytes of length, little-endian; so many bytes of JSON
that give each tensor its type, shape and place; the data. Read by hand, since only one tensor is ever wanted and the
header may be hostile.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeGuard

from curator.embed.parts import library, unreadable

LONGEST = 1 << 20
"""So many bytes of header are read at most; that of one matrix has about a hundred."""
TYPES = {"F16": ("<f2", 2), "F32": ("<f4", 4)}


def matrix(path: Path, extra: str) -> Any:
    """The matrix, [tokens, dimensions], float16 or float32, as numpy's ``memmap``. Raises ``CuratorError``."""
    numpy = library("numpy", extra)
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            size = path.stat().st_size
            if not 2 <= length <= min(LONGEST, size - 8):
                raise ValueError(f"its header is said to have {length} bytes")
            header = json.loads(file.read(length))
        kind, shape, start = place(header, size - 8 - length)
        return numpy.memmap(path, dtype=TYPES[kind][0], mode="r", offset=8 + length + start, shape=shape)
    except (OSError, ValueError, RecursionError) as error:
        raise unreadable(path, error) from error


def place(header: object, size: int) -> tuple[str, tuple[int, int], int]:
    """(type, shape, first byte) of the one matrix in a header; ``size``: bytes of data. Raises ``ValueError``.

    >>> place({"words": {"dtype": "F16", "shape": [3, 2], "data_offsets": [0, 12]}}, 12)
    ('F16', (3, 2), 0)
    """
    tensors = {name: one for name, one in header.items() if name != "__metadata__"} if isinstance(header, dict) else {}
    if len(tensors) != 1:
        raise ValueError(f"it holds {len(tensors)} tensors, and one matrix is wanted")
    ((name, found),) = tensors.items()
    one: dict[str, Any] = found if isinstance(found, dict) else {}
    kind, shape, span = one.get("dtype"), one.get("shape"), one.get("data_offsets")
    if not isinstance(kind, str) or kind not in TYPES:
        raise ValueError(f"{name} is of type {kind}, and {' or '.join(TYPES)} is wanted")
    if not _two(shape) or 0 in shape:
        raise ValueError(f"{name} has the shape {shape}, and a matrix is wanted")
    bytes_ = shape[0] * shape[1] * TYPES[kind][1]
    if not _two(span) or span[1] - span[0] != bytes_ or span[1] > size:
        raise ValueError(f"{name} is said to lie at {span} of {size} bytes, and has {bytes_}")
    return kind, (shape[0], shape[1]), span[0]


def _two(value: Any) -> TypeGuard[list[int]]:
    """Whether this is a list of two whole numbers, 0 or more."""
    return isinstance(value, list) and len(value) == 2 and all(type(one) is int and one >= 0 for one in value)
