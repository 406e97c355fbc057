"""Other words for a candidate, by a program or a model that a person has set: off by default, asked only on demand.

Nothing here is imported before somebody asks for it; without a distiller set no socket is opened and no program started.
"""

from __future__ import annotations

from collections.abc import Callable

from curator.hookspecs import Distiller, MakeDistiller, hookimpl
from curator.settings import Settings


@hookimpl
def register_distillers(register: Callable[[str, MakeDistiller], None]) -> None:
    """Register what is built in."""
    register("command", make_command)
    register("endpoint", make_endpoint)


def make_command(settings: Settings) -> Distiller:
    """A program on this machine: see ``distill.command``. Raises ``CuratorError`` where none is set."""
    from curator.distill.command import of

    return of(settings)


def make_endpoint(settings: Settings) -> Distiller:
    """An OpenAI-compatible endpoint: see ``distill.endpoint``. Raises ``CuratorError`` where it can't be used safely."""
    from curator.distill.endpoint import of

    return of(settings)
