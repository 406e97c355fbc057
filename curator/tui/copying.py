"""Text out of the inbox: to the clipboard, and to $EDITOR and back."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curator.errors import CuratorError
from curator.model import Entry

if TYPE_CHECKING:
    from textual.app import App

TOOLS = (("pbcopy",), ("wl-copy",), ("xclip", "-selection", "clipboard"))
PATIENCE = 2.0
"""Seconds that a clipboard tool may take."""


def copy(app: App[Any], text: str) -> str:
    """Copy by the terminal (OSC 52), and by a local tool where there is one; returns what to tell the person.

    A terminal does not say whether it took the text, and some ignore the sequence; over ssh a local tool would fill the
    wrong machine's clipboard.
    """
    app.copy_to_clipboard(text)
    tool = next((tool for tool in TOOLS if shutil.which(tool[0])), None)
    if (
        tool
        and not os.environ.get("SSH_CONNECTION")
        and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or tool[0] == "pbcopy")
    ):
        try:
            subprocess.run(
                tool, input=text, text=True, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=PATIENCE
            )
        except (OSError, subprocess.SubprocessError):
            return f"copied, if the terminal takes OSC 52; {tool[0]} did not take it"
        return f"copied, by the terminal and by {tool[0]}"
    return "copied, if the terminal takes OSC 52"


def as_markdown(entry: Entry) -> str:
    """The lesson with its evidence, for a pull request or a chat."""
    quotes = ["> " + item.quote.replace("\n", "\n> ") for item in entry.evidence]
    return "\n\n".join([f"**{entry.headline}**", entry.insight, *quotes]) + "\n"


def edit_outside(app: App[Any], entry: Entry) -> tuple[str, str] | None:
    """Edit headline and insight in $VISUAL or $EDITOR; ``None`` if nothing was changed. Raises ``CuratorError``."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor:
        raise CuratorError("No editor is set.", "Set $EDITOR, or press e to edit in place.")
    before = f"{entry.headline}\n\n{entry.insight}\n"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{entry.id}.md"
        file.write_text(before, encoding="utf-8")
        try:
            with app.suspend():
                done = subprocess.run([*shlex.split(editor), str(file)], check=False)
        except (OSError, ValueError) as error:
            raise CuratorError(f"{editor} can't be run: {error}.", "Set $EDITOR to a program that is there.") from error
        after = file.read_text(encoding="utf-8", errors="replace")
    if done.returncode:
        raise CuratorError(f"{editor} ended with {done.returncode}.", "Nothing was changed.")
    if after == before:
        return None
    first, _, rest = after.strip().partition("\n")
    return first.strip(), " ".join(rest.split())
