"""Other programs: the clipboard and $EDITOR."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import SuspendNotSupported

from curator.errors import CuratorError
from curator.io import commands, files, git
from curator.model import Entry

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


def _edit(app: App[Any], words: Sequence[str]) -> None:
    """Suspend the inbox and run an editor. Raises ``CuratorError``."""
    try:
        with app.suspend():
            code = commands.run_in_terminal(words, Path.cwd())
    except SuspendNotSupported as error:
        raise CuratorError(f"{words[0]} can't take over this terminal: {error}.", "Press e to edit here.") from error
    if code:
        raise CuratorError(f"{words[0]} ended with {code}.", "Nothing changed.")


def edit_outside(app: App[Any], entry: Entry) -> tuple[str, str] | None:
    """Edit headline and insight in $VISUAL or $EDITOR; ``None`` if nothing was changed. Raises ``CuratorError``."""
    editor = commands.locate_editor(Path.cwd())
    return commands.edit(entry, lambda file: _edit(app, [*editor, str(file)]))
