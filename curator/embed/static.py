"""A static model: one vector for each token, whatever stands beside it; a text is the mean of its tokens.

Fast (a search needs a few rows of a memory-mapped file) and blind to the order of words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from curator.embed import parts
from curator.embed.safetensors import matrix
from curator.errors import CuratorError
from curator.settings import Settings

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
