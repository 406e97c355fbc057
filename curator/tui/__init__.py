"""The inbox in the terminal. The only room with Textual."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from pathlib import Path

from curator.app import Curator
from curator.io.garbage_collection import gc_paused
from curator.model import Entry, State


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


def smoke(curator: Curator) -> list[str]:
    """Press one key of each kind on the sample without a terminal: keep, edit, merge, retire and undo.

    Return a sentence for each key that failed.
    """
    import asyncio  # `doctor` needs only the names of themes

    return asyncio.run(_press(curator))


async def _press(curator: Curator) -> list[str]:
    from curator.tui.app import CuratorApp  # only ``demo --smoke`` needs it
    from curator.tui.list_screen import ListScreen  # only ``demo --smoke`` needs it

    wrong: list[str] = []

    def expect(what: str, entry: Entry | None, state: State) -> None:
        now = curator.lessons.peek(entry.id) if entry else None
        if now is None or now.state is not state:
            wrong.append(f"{what}: expected {state.value}, found {now.state.value if now else 'nothing'}")

    app = CuratorApp(curator, watch=False)
    async with app.run_test(size=(100, 30)) as pilot:

        async def keys(*names: str) -> Entry | None:
            await pilot.pause()
            entry = None
            if isinstance(app.screen, ListScreen):
                entry = app.screen.card.entry
                app.screen.keys.burst.forget()  # this types faster than a person decides
            for name in names:
                await pilot.press(name)
            await pilot.pause()
            return entry

        await keys("right_square_bracket")  # the candidates
        expect("merge", await keys("m", "y"), State.MERGED)
        expect("keep", await keys("y"), State.ACTIVE)
        edited = await keys("e", "!", "enter")
        expect("edit", edited, State.ACTIVE)
        if edited and (now := curator.lessons.peek(edited.id)) and not now.headline.endswith("!"):
            wrong.append("edit: the new words were not saved")
        retired = await keys("x")
        expect("retire", retired, State.DISMISSED)
        await keys("u")
        expect("undo", retired, State.OPEN)
    return wrong
