"""Other programs: the clipboard and $EDITOR."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import SuspendNotSupported

from curator import app
from curator.errors import CuratorError
from curator.io import commands, files, git
from curator.model import Entry
from curator.tui.list_screen import ListScreen

if TYPE_CHECKING:
    from textual.app import App

TOOLS = (("pbcopy",), ("wl-copy",), ("xclip", "-selection", "clipboard"))
MAX_CLIPBOARD_SECONDS = 2.0
"""Maximum seconds for a clipboard tool."""


def copy(app: App[Any], text: str) -> str:
    """Copy through the terminal (OSC 52), and with a local tool if there is one. Return a message.

    A terminal does not confirm the copy, and some ignore the sequence. Over ssh, a local tool would fill the other machine's
    clipboard.
    """
    app.copy_to_clipboard(text)
    here = git.untrusted_folders(os.curdir)
    tool = next(((path, *tool[1:]) for tool in TOOLS if (path := files.find_program(tool[0], outside=here))), None)
    if (
        tool
        and not os.environ.get("SSH_CONNECTION")
        and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or os.path.basename(tool[0]) == "pbcopy")
    ):
        try:
            subprocess.run(
                tool,
                input=text,
                text=True,
                check=False,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=MAX_CLIPBOARD_SECONDS,
            )
        except (OSError, subprocess.SubprocessError):
            return f"copied, if your terminal supports OSC 52; {os.path.basename(tool[0])} failed"
        return f"copied with OSC 52 and {os.path.basename(tool[0])}"
    return "copied, if your terminal supports OSC 52"


BY_COLON = frozenset({"code", "codium", "cursor", "windsurf", "zed", "subl", "hx", "helix"})
"""Editors that take ``FILE:LINE``. The others take ``+LINE FILE``, like vi, nano and emacs."""


def command_at(editor: Sequence[str], path: Path, line: int) -> list[str]:
    """Return the command that opens a file at a line. The path is absolute, so that no editor takes it for an option.

    >>> command_at(["code", "-w"], Path("/srv/a.py"), 3), command_at(["vi"], Path("/srv/a.py"), 3)
    (['code', '-w', '-g', '/srv/a.py:3'], ['vi', '+3', '/srv/a.py'])
    """
    words, name = [*editor], os.path.basename(editor[0])
    if name in BY_COLON:
        return [*words, *(["-g"] if name not in ("zed", "subl", "hx", "helix") else []), f"{path}:{line}"]
    return [*words, f"+{line}", str(path)]


def _edit(app: App[Any], words: Sequence[str]) -> None:
    """Suspend the inbox and run an editor. Raises ``CuratorError``."""
    try:
        with app.suspend():
            code = commands.run_in_terminal(words, Path.cwd())
    except SuspendNotSupported as error:
        raise CuratorError(f"{words[0]} can't take over this terminal: {error}.", "Press e to edit here.") from error
    if code:
        raise CuratorError(f"{words[0]} ended with {code}.", "Nothing changed.")


def open_at(app: App[Any], path: Path, line: int) -> None:
    """Open a file of this machine in $VISUAL or $EDITOR. Raises ``CuratorError``."""
    _edit(app, command_at(commands.locate_editor(Path.cwd()), path, max(1, line)))


def line_of(path: Path, symbol: str) -> int:
    """Return the line of a file that first names a symbol, or 1.

    Raises ``OSError`` if it is no plain file.
    """
    name = symbol.rpartition(".")[2].rpartition("::")[2]
    lines = files.read(path, path.parent).decode("utf-8", "replace").splitlines() if name else []
    return next((at for at, line in enumerate(lines, 1) if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line)), 1)


def edit_outside(app: App[Any], entry: Entry) -> tuple[str, str] | None:
    """Edit headline and insight in $VISUAL or $EDITOR. Return ``None`` if nothing was changed. Raises ``CuratorError``."""
    editor = commands.locate_editor(Path.cwd())
    return commands.edit(entry, lambda file: _edit(app, [*editor, str(file)]))


def code_place(screen: ListScreen) -> tuple[Path, int] | None:
    """Return the first existing file of the card inside its project, and the line of its symbol."""
    entry = screen.card.entry
    found = app.project_files.files(screen.app.curator, entry) if entry else ()
    if not entry or not found:
        return None
    symbol = next((one.symbol for one in entry.anchors if one.symbol and str(found[0]).endswith(one.path)), "")
    return found[0], line_of(found[0], symbol) if symbol else 1
