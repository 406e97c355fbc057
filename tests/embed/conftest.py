"""A static model of three dimensions, written by hand: flakiness, retries, names."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

MEANINGS: dict[str, tuple[float, float, float]] = {
    "[UNK]": (0.5, 0.5, 0.5),
    "flaky": (4.0, 0.0, 0.0),
    "unstable": (2.0, 0.0, 0.0),
    "tests": (1.0, 0.0, 0.25),
    "suites": (1.0, 0.0, 0.25),
    "retry": (0.0, 2.0, 0.0),
    "again": (0.0, 1.0, 0.0),
    "names": (0.0, 0.0, 1.0),
    "titles": (0.0, 0.0, 1.0),
}


def tensors(rows: Sequence[Sequence[float]], kind: str = "F32", name: str = "words") -> bytes:
    """The bytes of a safetensors file with one matrix."""
    data = b"".join(struct.pack(f"<{len(row)}{'f' if kind == 'F32' else 'e'}", *row) for row in rows)
    return framed({name: {"dtype": kind, "shape": [len(rows), len(rows[0])], "data_offsets": [0, len(data)]}}, data)


def framed(header: object, data: bytes = b"") -> bytes:
    """A header before data."""
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def tokenizer(words: Sequence[str] = tuple(MEANINGS)) -> str:
    """A ``tokenizer.json`` that takes words as they are."""
    model = {"type": "WordLevel", "vocab": {word: at for at, word in enumerate(words)}, "unk_token": "[UNK]"}
    nothing: Mapping[str, object] = dict.fromkeys(("truncation", "padding", "post_processor", "decoder"))
    cut = {"normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "Whitespace"}}
    return json.dumps({"version": "1.0", "added_tokens": [], **nothing, **cut, "model": model})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with such a model; skips where the extra is missing."""
    for library in ("numpy", "tokenizers"):
        pytest.importorskip(library, reason=f"{library} is missing: install the extra `static`")
    made = tmp_path / "model"
    made.mkdir()
    (made / "model.safetensors").write_bytes(tensors(list(MEANINGS.values())))
    (made / "tokenizer.json").write_text(tokenizer(), encoding="utf-8")
    return made
