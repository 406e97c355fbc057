"""The inbox in the terminal. The only room with Textual."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from pathlib import Path

from curator.app import Curator
from curator.io.garbage_collection import gc_paused


def run(
    curator: Curator, *, session: str = "", roots: Sequence[Path] | None = None, watch: bool = True, screen: str = "inbox"
) -> str:
    """Open the inbox or another screen until the person leaves. Return the next request (``demo``), if any.

    Raises ``ReplacedDatabase`` if the database was deleted or replaced meanwhile.
    """
    with gc_paused():
        from curator.tui.app import CuratorApp  # Modules loaded during this block stay loaded: see ``io.garbage_collection``.

    gc.disable()  # until the first paint (see ``on_mount``), whose objects all stay
    try:
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
