"""Who answers a prompt: a program or a model that a person has set. Off by default, asked only on demand.

Nothing here is imported before somebody asks for it; without a distiller set no socket is opened and no program started.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from curator.hookspecs import Distiller, MakeDistiller, hookimpl
from curator.settings import Settings

CLIENTS = ("claude", "codex", "gemini", "qwen", "opencode", "copilot", "cursor", "goose")
"""Agents whose own commands can be asked."""


@hookimpl
def register_distillers(register: Callable[[str, MakeDistiller], None]) -> None:
    """Register what is built in."""
    for name in CLIENTS:
        register(name, partial(make_client, name))
    register("endpoint", make_endpoint)
    register("anthropic", make_anthropic)
    register("command", make_command)


def make_client(name: str, settings: Settings) -> Distiller:
    """An agent of this machine: see ``distill.clients``. Raises ``CuratorError`` where it is not installed."""
    from curator.distill.clients import of

    return of(name, settings)


def make_endpoint(settings: Settings) -> Distiller:
    """An OpenAI-compatible endpoint: see ``distill.endpoint``. Raises ``CuratorError`` where it can't be used safely."""
    from curator.distill.endpoint import of

    return of(settings)


def make_anthropic(settings: Settings) -> Distiller:
    """Anthropic's Messages: see ``distill.anthropic``. Raises ``CuratorError`` where it can't be used safely."""
    from curator.distill.anthropic import of

    return of(settings)


def make_command(settings: Settings) -> Distiller:
    """A program on this machine: see ``distill.command``. Raises ``CuratorError`` where none is set."""
    from curator.distill.command import of

    return of(settings)
