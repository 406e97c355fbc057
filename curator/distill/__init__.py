"""The readers that answer a prompt: a program or a model from the settings. They are off by default.

A module is imported only when it is needed. Without a reader, curator opens no socket and starts no program.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from curator.hookspecs import Distiller, MakeDistiller, hookimpl

CLIENT_BY_AGENT = {
    "claude-code": "claude",
    "codex": "codex",
    "gemini": "gemini",
    "qwen": "qwen",
    "opencode": "opencode",
    "copilot-cli": "copilot",
    "cursor": "cursor",
    "goose": "goose",
}
"""Agents with a command that can answer, and their distillers."""


@hookimpl
def register_distillers(register: Callable[[str, MakeDistiller], None]) -> None:
    """Register the built-in distillers."""
    for name in CLIENT_BY_AGENT.values():
        register(name, partial(_make, "command", "client", name))
    register("endpoint", partial(_make, "endpoint", "of"))
    register("anthropic", partial(_make, "endpoint", "messages"))
    register("command", partial(_make, "command", "of"))


def _make(module: str, function: str, *given: Any) -> Distiller:
    """Return the result of a module's function for the settings, which come last.

    Raises ``CuratorError`` if it can't be used.
    """
    made: Distiller = getattr(import_module(f"curator.distill.{module}"), function)(*given)
    return made
