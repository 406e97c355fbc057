"""Texts as vectors, by a model in a folder on this machine: off by default, never in hooks, never over the network.

Nothing here is imported before somebody sets an embedder; what it needs besides are the extras ``static`` and ``onnx``.
"""

from __future__ import annotations

from collections.abc import Callable

from curator.hookspecs import Embedder, MakeEmbedder, hookimpl
from curator.settings import Settings


@hookimpl
def register_embedders(register: Callable[[str, MakeEmbedder], None]) -> None:
    """Register what is built in."""
    register("static", make_static)
    register("onnx", make_onnx)


def make_static(settings: Settings) -> Embedder:
    """One vector a token: see ``embed.models``. Raises ``CuratorError`` where a part is missing or does not fit."""
    from curator.embed.models import static_embedder

    return static_embedder(settings)


def make_onnx(settings: Settings) -> Embedder:
    """A transformer as an ONNX graph: see ``embed.models``. Raises ``CuratorError`` where a part is missing or does not fit."""
    from curator.embed.models import graph_embedder

    return graph_embedder(settings)
