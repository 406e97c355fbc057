"""A few pictures of what no assertion describes: the README's pictures are checked in test_layouts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from curator.demo import fill
from curator.settings import Settings
from curator.tui.app import CuratorApp
from tests.tui import keyboard

SHOTS: dict[str, tuple[tuple[int, int], dict[str, Any], tuple[str, ...]]] = {
    "light": ((100, 24), {"theme": "textual-light"}, ("j", "j", "w")),
    "short": ((80, 10), {}, ("j", "j")),
    "help": ((80, 24), {}, ("j", "j", "question_mark")),
    "edit": ((45, 30), {}, ("j", "j", "e")),
    "evidence": ((80, 24), {}, ("j", "j", "o")),
}


@pytest.mark.parametrize("name", SHOTS)
def test_it_looks_as_it_did(name: str, tmp_path: Path, still: object, snap_compare: Callable[..., bool]) -> None:
    size, changes, keys = SHOTS[name]
    curator = fill(tmp_path, Settings(home=tmp_path / "home")._replace(**changes))
    app = CuratorApp(curator, watch=False)

    async def before(pilot: Pilot[Any]) -> None:
        await keyboard.press(app, *keys)
        for field in app.screen.query("Input, TextArea"):
            field.cursor_blink = False  # type: ignore[attr-defined]
        await keyboard.settle(app)

    assert snap_compare(app, terminal_size=size, run_before=before)
    curator.close()
