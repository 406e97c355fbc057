"""A transformer as an ONNX graph, run on the processor; a text is the mean over its tokens, by the attention mask.

As sentence-transformers' models with mean pooling are exported: the inputs are named ``input_ids``, ``attention_mask`` and
often ``token_type_ids``; the first output with three dimensions has a vector for each token.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from curator.embed import parts
from curator.errors import CuratorError
from curator.settings import Settings

FILES = ("model.onnx", parts.TOKENIZER)
INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
TOKENS = 256
"""So many tokens of a text are read; lessons have about thirty, and small models learnt from no more than this."""
BATCH = 16
"""So many texts at once: more are not faster."""
SILENT = 4
"""The library writes warnings to the terminal, across the inbox; what matters is raised as well."""
TYPES = {"tensor(int64)": "int64", "tensor(int32)": "int32"}


class Graph:
    """An embedder by an ONNX session."""

    def __init__(self, name: str, session: Any, tokenizer: Any, output: str) -> None:
        self.name = name
        self._numpy = parts.library("numpy", "onnx")
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
        inputs = {item.name: padded[item.name].astype(TYPES[item.type]) for item in self._session.get_inputs()}
        (tokens,) = self._session.run([self._output], inputs)
        mask = padded["attention_mask"][:, :, None]
        if tokens.shape[:2] != mask.shape[:2]:
            raise CuratorError(f"The model gives {tokens.shape} for {mask.shape[:2]} tokens.", WANTED)
        mean = (tokens * mask).sum(axis=1) / numpy.maximum(mask.sum(axis=1), 1)
        length = numpy.sqrt((mean * mean).sum(axis=1, keepdims=True))
        vectors: list[list[float]] = (mean / numpy.where(length > 0, length, 1)).tolist()
        return vectors


WANTED = "The embedder `onnx` takes a model with a vector for each token; see docs/embedding.md."


def of(settings: Settings) -> Graph:
    """The model in the folder that is set. Raises ``CuratorError`` where something is missing or does not fit."""
    model, words = paths = parts.files(settings, FILES)
    session, tokenizer = opened(model), parts.tokenizer(words, "onnx")
    tokenizer.enable_truncation(TOKENS)
    strange = [f"{one.name} ({one.type})" for one in session.get_inputs() if one.name not in INPUTS or one.type not in TYPES]
    if strange:
        raise CuratorError(f"{model} wants {', '.join(strange)}, which nobody here can give.", WANTED)
    output = next((one.name for one in session.get_outputs() if len(one.shape or ()) == 3), None)
    if output is None:
        shapes = ", ".join(f"{one.name} {one.shape}" for one in session.get_outputs())
        raise CuratorError(f"{model} gives {shapes}: none has three dimensions.", WANTED)
    return Graph(parts.stamp("onnx", paths), session, tokenizer, output)


def opened(model: Path) -> Any:
    """A session on the processor. Raises ``CuratorError``."""
    runtime = parts.library("onnxruntime", "onnx")
    with suppress(AttributeError):
        runtime.disable_telemetry_events()  # builds for one platform have them, on by default
    options = runtime.SessionOptions()
    options.log_severity_level = SILENT
    options.intra_op_num_threads = 1  # it runs beside a person and an agent at work
    try:
        return runtime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # each fault has a class of its own there
        raise parts.unreadable(model, error) from error
