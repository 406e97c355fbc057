"""Press one key of each kind on the sample without a terminal: keep, edit, merge, retire and undo.

An installed curator passes this without anything that only tests need.
"""

from __future__ import annotations

import asyncio
import os
import sys

from curator.app import Curator
from curator.demo import open_demo
from curator.model import Entry, State
from curator.settings import load
from curator.tui.app import CuratorApp
from curator.tui.list_screen import ListScreen


async def press(curator: Curator) -> list[str]:
    """Return a sentence for each key that failed."""
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


def main() -> None:
    """Say that the keys work, or end with what is wrong."""
    settings = load(os.environ)._replace(memories="read", memories_of={})  # a dialog would take the keys
    with open_demo(settings) as curator:
        wrong = asyncio.run(press(curator))
    if wrong:
        sys.exit("The demo does not work: " + "; ".join(wrong))
    print("keep, edit, merge, retire and undo work")


if __name__ == "__main__":
    main()
