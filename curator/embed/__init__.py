"""Texts as vectors, by a model in a folder on this machine: off by default, never in hooks, never over the network.

Nothing here is imported before somebody sets an embedder; what it needs besides are the extras ``static`` and ``onnx``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from curator.hookspecs import Embedder, MakeEmbedder, hookimpl
from curator.settings import Settings


@hookimpl
def register_embedders(register: Callable[[str, MakeEmbedder], None]) -> None:
    """Register what is built in."""
    for kind in ("static", "onnx"):
        register(kind, partial(_make, kind))


def _make(kind: str, settings: Settings) -> Embedder:
    """An embedder of this kind: see ``embed.models``. Raises ``CuratorError`` where a part is missing or does not fit."""
    from curator.embed.models import graph_embedder, static_embedder

    return static_embedder(settings) if kind == "static" else graph_embedder(settings)
