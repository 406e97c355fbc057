"""Embedders made of a folder with its files, a tokenizer, and libraries that are extras.

A static model has one vector for each token, whatever stands beside it; a text is the mean of its tokens. Fast (a
search needs a few rows of a memory-mapped file) and blind to the order of words. Of its safetensors file
(https://github.com/huggingface/safetensors#format) eight bytes are a length, little-endian; so many bytes of JSON give
each tensor its type, shape and place; then the data. Read by hand, since only one tensor is ever wanted and the header
may be hostile.

A transformer is an ONNX graph, run on the processor; a text is the mean over its tokens, by the attention mask. As
sentence-transformers' models with mean pooling are exported: the inputs are named ``input_ids``, ``attention_mask`` and
often ``token_type_ids``; the first output with three dimensions has a vector for each token.
"""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeGuard

from curator.errors import CuratorError
from curator.settings import Settings

TOKENIZER = "tokenizer.json"


def library(name: str, extra: str) -> Any:
    """A library that only an extra brings. Raises ``CuratorError`` that says how to install it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise CuratorError(
            f"The embedder `{extra}` needs {name}, which can't be imported: {error}.",
            f'Install it beside curator: pip install "lesson-curator[{extra}]"; or set embedder = "".',
        ) from error


def files(settings: Settings, names: Sequence[str]) -> list[Path]:
    """These files of the folder that is set. Raises ``CuratorError`` where it, or one of them, is missing."""
    kind, set_folder = settings.embedder, settings.embedder_folder
    if not set_folder:
        raise CuratorError(
            f"The embedder `{kind}` needs a folder with {' and '.join(names)}.",
            f'Name it in {settings.file}: embedder_folder = "…". See docs/embedding.md for how to get one.',
        )
    folder = Path(os.path.expanduser(set_folder))
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        what = f"has no {' and no '.join(missing)}" if folder.is_dir() else "is no folder"
        raise CuratorError(f"{folder} {what}.", f"The embedder `{kind}` needs {' and '.join(names)} there.")
    return [folder / name for name in names]


def stamp(kind: str, paths: Sequence[Path]) -> str:
    """A name for a model that changes when its files do: by size and time, since hashing a model takes longer than a search.

    Raises ``CuratorError`` for a file that is gone meanwhile.
    """
    try:
        stats = [(path.name, *(getattr(path.stat(), field) for field in ("st_size", "st_mtime_ns"))) for path in paths]
    except OSError as error:
        raise unreadable(paths[0].parent, error) from error
    return f"{kind} {blake2b(repr(stats).encode(), digest_size=8).hexdigest()}"


def load_tokenizer(path: Path, extra: str) -> Any:
    """The tokenizer of a ``tokenizer.json``, which neither pads nor cuts. Raises ``CuratorError``."""
    tokenizers = library("tokenizers", extra)
    try:
        found = tokenizers.Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises this very class
        raise unreadable(path, error) from error
    found.no_padding()
    found.no_truncation()
    return found


def unreadable(path: Path, error: object) -> CuratorError:
    """A file that is not what it should be."""
    return CuratorError(f"{path} can't be read: {error}", "Get the model's folder anew; see docs/embedding.md.")


LONGEST = 1 << 20
"""So many bytes of header are read at most; that of one matrix has about a hundred."""
STATIC_TYPES = {"F16": ("<f2", 2), "F32": ("<f4", 4)}


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
        return numpy.memmap(path, dtype=STATIC_TYPES[kind][0], mode="r", offset=8 + length + start, shape=shape)
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
    if not isinstance(kind, str) or kind not in STATIC_TYPES:
        raise ValueError(f"{name} is of type {kind}, and {' or '.join(STATIC_TYPES)} is wanted")
    if not _two(shape) or 0 in shape:
        raise ValueError(f"{name} has the shape {shape}, and a matrix is wanted")
    bytes_ = shape[0] * shape[1] * STATIC_TYPES[kind][1]
    if not _two(span) or span[1] - span[0] != bytes_ or span[1] > size:
        raise ValueError(f"{name} is said to lie at {span} of {size} bytes, and has {bytes_}")
    return kind, (shape[0], shape[1]), span[0]


def _two(value: Any) -> TypeGuard[list[int]]:
    """Whether this is a list of two whole numbers, 0 or more."""
    return isinstance(value, list) and len(value) == 2 and all(type(one) is int and one >= 0 for one in value)


STATIC_FILES = ("model.safetensors", TOKENIZER)


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


def static_embedder(settings: Settings) -> Static:
    """The model in the folder that is set. Raises ``CuratorError`` where something is missing or does not fit."""
    model, words = paths = files(settings, STATIC_FILES)
    rows, tokenizer = matrix(model, "static"), load_tokenizer(words, "static")
    highest = max(tokenizer.get_vocab(with_added_tokens=True).values(), default=-1)
    if highest >= rows.shape[0]:
        raise CuratorError(
            f"{model} has vectors for {rows.shape[0]} tokens, and {words.name} knows {highest + 1}.",
            "The two belong to different models: get both from the same place.",
        )
    return Static(stamp("static", paths), rows, tokenizer)


GRAPH_FILES = ("model.onnx", TOKENIZER)
INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
TOKENS = 256
"""So many tokens of a text are read; lessons have about thirty, and small models learnt from no more than this."""
BATCH = 16
"""So many texts at once: more are not faster."""
SILENT = 4
"""The library writes warnings to the terminal, across the inbox; what matters is raised as well."""
GRAPH_TYPES = {"tensor(int64)": "int64", "tensor(int32)": "int32"}


class Graph:
    """An embedder by an ONNX session."""

    def __init__(self, name: str, session: Any, tokenizer: Any, output: str) -> None:
        self.name = name
        self._numpy = library("numpy", "onnx")
        self._session = session
        self._tokenizer = tokenizer
        self._output = output

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """The mean of each text's tokens, of length 1."""
        read = [self._tokenizer.encode(text) for text in texts]
        order = sorted(range(len(read)), key=lambda at: len(read[at].ids))  # else all wait for the longest of their batch
        found: dict[int, list[float]] = {}
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            found |= zip(batch, self._some([read[at] for at in batch]), strict=True)
        return [found[at] for at in range(len(read))]

    def _some(self, read: Sequence[Any]) -> list[list[float]]:
        numpy = self._numpy
        width = max(1, *(len(one.ids) for one in read))
        fields = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
        padded = {
            name: numpy.array([[*getattr(one, field), *[0] * (width - len(one.ids))] for one in read], dtype="int64")
            for name, field in fields.items()
        }
        inputs = {item.name: padded[item.name].astype(GRAPH_TYPES[item.type]) for item in self._session.get_inputs()}
        (tokens,) = self._session.run([self._output], inputs)
        mask = padded["attention_mask"][:, :, None]
        if tokens.shape[:2] != mask.shape[:2]:
            raise CuratorError(f"The model gives {tokens.shape} for {mask.shape[:2]} tokens.", WANTED)
        mean = (tokens * mask).sum(axis=1) / numpy.maximum(mask.sum(axis=1), 1)
        length = numpy.sqrt((mean * mean).sum(axis=1, keepdims=True))
        vectors: list[list[float]] = (mean / numpy.where(length > 0, length, 1)).tolist()
        return vectors


WANTED = "The embedder `onnx` takes a model with a vector for each token; see docs/embedding.md."


def graph_embedder(settings: Settings) -> Graph:
    """The model in the folder that is set. Raises ``CuratorError`` where something is missing or does not fit."""
    model, words = paths = files(settings, GRAPH_FILES)
    session, tokenizer = open_session(model), load_tokenizer(words, "onnx")
    tokenizer.enable_truncation(TOKENS)
    strange = [
        f"{one.name} ({one.type})" for one in session.get_inputs() if one.name not in INPUTS or one.type not in GRAPH_TYPES
    ]
    if strange:
        raise CuratorError(f"{model} wants {', '.join(strange)}, which nobody here can give.", WANTED)
    output = next((one.name for one in session.get_outputs() if len(one.shape or ()) == 3), None)
    if output is None:
        shapes = ", ".join(f"{one.name} {one.shape}" for one in session.get_outputs())
        raise CuratorError(f"{model} gives {shapes}: none has three dimensions.", WANTED)
    return Graph(stamp("onnx", paths), session, tokenizer, output)


def open_session(model: Path) -> Any:
    """A session on the processor. Raises ``CuratorError``."""
    runtime = library("onnxruntime", "onnx")
    with suppress(AttributeError):
        runtime.disable_telemetry_events()  # builds for one platform have them, on by default
    options = runtime.SessionOptions()
    options.log_severity_level = SILENT
    options.intra_op_num_threads = 1  # it runs beside a person and an agent at work
    try:
        return runtime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # each fault has a class of its own there
        raise unreadable(model, error) from error
