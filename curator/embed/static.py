"""A static model: one vector for each token, whatever stands beside it; a text is the mean of its tokens.

Fast (a search needs a few rows of a memory-mapped file) and blind to the order of words.

The one matrix of a safetensors file, memory-mapped.

Format: https://github.com/huggingface/safetensors#format. Eight bytes of length, little-endian; so many bytes of JSON
that give each tensor its type, shape and place; the data. Read by hand, since only one tensor is ever wanted and the
header may be hostile.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeGuard

from curator.embed import parts
from curator.embed.parts import library, unreadable
from curator.errors import CuratorError
from curator.settings import Settings

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


FILES = ("model.safetensors", parts.TOKENIZER)


class Static:
    """An embedder by a table of tokens; ``rows``: [tokens, dimensions]."""

    def __init__(self, name: str, rows: Any, tokenizer: Any) -> None:
        self.name = name
        self._rows = rows
        self._tokenizer = tokenizer
        word = getattr(tokenizer.model, "unk_token", None)
        self._unknown = tokenizer.token_to_id(word) if word else None

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """The mean of each text's tokens, of length 1; nothing but 0 for a text without a token that is known."""
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> list[float]:
        # One by one: in batches the library starts threads, and complains once a process that has them forks.
        ids = self._tokenizer.encode(text, add_special_tokens=False).ids
        known = [id_ for id_ in ids if id_ != self._unknown]  # two texts in a script unknown to it are not alike
        if not known:
            return [0.0] * int(self._rows.shape[1])
        mean = self._rows[known].astype("float32").mean(axis=0)
        length = float((mean * mean).sum()) ** 0.5
        return [float(value) for value in (mean / length if length else mean)]


def of(settings: Settings) -> Static:
    """The model in the folder that is set. Raises ``CuratorError`` where something is missing or does not fit."""
    model, words = paths = parts.files(settings, FILES)
    rows, tokenizer = matrix(model, "static"), parts.tokenizer(words, "static")
    highest = max(tokenizer.get_vocab(with_added_tokens=True).values(), default=-1)
    if highest >= rows.shape[0]:
        raise CuratorError(
            f"{model} has vectors for {rows.shape[0]} tokens, and {words.name} knows {highest + 1}.",
            "The two belong to different models: get both from the same place.",
        )
    return Static(parts.stamp("static", paths), rows, tokenizer)
