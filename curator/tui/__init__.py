"""The inbox in the terminal. Only this package uses Textual."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from pathlib import Path

from curator.app import Curator


def run(
    curator: Curator, *, session: str = "", roots: Sequence[Path] | None = None, watch: bool = True, screen: str = "inbox"
) -> str:
    """Open the inbox or another screen until the person leaves. Return the next request (``demo``), if any.

    Raises ``ReplacedDatabase`` if the database was deleted or replaced meanwhile.
    """
    gc.disable()  # until the first paint (see ``on_mount``), since modules and its objects all stay
    try:
        from curator.tui.app import CuratorApp  # Textual takes a second, which other commands need not wait for

        gc.freeze()
        app = CuratorApp(curator, session=session, roots=roots, watch=watch, screen=screen)
        answer = app.run(mouse=curator.settings.mouse) or ""
    finally:
        gc.enable()
    if app.lost:
        raise app.lost
    return answer


def themes() -> tuple[str, ...]:
    """Return the names of the colour themes that can be set."""
    from textual.theme import BUILTIN_THEMES  # only `doctor` asks for them

    from curator.tui.styles import THEMES  # only `doctor` asks for them

    return (*(theme.name for theme in THEMES), *BUILTIN_THEMES)
