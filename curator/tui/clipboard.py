"""Copy text to the clipboard, and edit it in $EDITOR."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import SuspendNotSupported

from curator.errors import CuratorError
from curator.io import files, git, runs
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
    here = git.trees(os.curdir)
    tool = next(((path, *tool[1:]) for tool in TOOLS if (path := files.find_program(tool[0], outside=here))), None)
    if (
        tool
        and not os.environ.get("SSH_CONNECTION")
        and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or os.path.basename(tool[0]) == "pbcopy")
    ):
        try:
            subprocess.run(
                tool, input=text, text=True, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=PATIENCE
            )
        except (OSError, subprocess.SubprocessError):
            return f"copied, if the terminal takes OSC 52; {os.path.basename(tool[0])} did not take it"
        return f"copied, by the terminal and by {os.path.basename(tool[0])}"
    return "copied, if the terminal takes OSC 52"


def as_markdown(entry: Entry) -> str:
    """The lesson with its evidence, for a pull request or a chat."""
    quotes = ["> " + item.quote.replace("\n", "\n> ") for item in entry.evidence]
    return "\n\n".join([f"**{entry.headline}**", entry.insight, *quotes]) + "\n"


def find_editor() -> str:
    """The editor that a person has set. Raises ``CuratorError`` where none is."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor:
        raise CuratorError("No editor is set.", "Set $EDITOR, or press e to edit in place.")
    return editor


BY_COLON = frozenset({"code", "codium", "cursor", "windsurf", "zed", "subl", "hx", "helix"})
"""Editors that take ``FILE:LINE``; the others take ``+LINE FILE``, as vi, nano and emacs do."""


def command_at(editor: str, path: Path, line: int) -> list[str]:
    """The command that opens a file at a line. The path is absolute, so that no editor takes it for an option.

    >>> command_at("code -w", Path("/srv/a.py"), 3), command_at("vi", Path("/srv/a.py"), 3)
    (['code', '-w', '-g', '/srv/a.py:3'], ['vi', '+3', '/srv/a.py'])
    """
    words = shlex.split(editor)
    name = os.path.basename(words[0]) if words else ""
    if name in BY_COLON:
        return [*words, *(["-g"] if name not in ("zed", "subl", "hx", "helix") else []), f"{path}:{line}"]
    return [*words, f"+{line}", str(path)]


def open_at(app: App[Any], path: Path, line: int) -> None:
    """Open a file of this machine in $VISUAL or $EDITOR, with the inbox put aside. Raises ``CuratorError``."""
    editor = find_editor()
    try:
        with app.suspend():
            done = subprocess.run(command_at(editor, path, max(1, line)), check=False)
        runs.note_command((editor, str(path)), done.returncode)
    except (OSError, ValueError, SuspendNotSupported) as error:
        raise CuratorError(f"{editor} can't be run: {error}.", "Set $EDITOR to a program that is there.") from error
    if done.returncode:
        raise CuratorError(f"{editor} ended with {done.returncode}.", "Nothing was changed.")


def line_of(path: Path, symbol: str) -> int:
    """The line of a file in which a symbol is first named, 1 where it is not. Raises ``OSError`` for what is no plain file."""
    name = symbol.rpartition(".")[2].rpartition("::")[2]
    lines = files.read(path, path.parent).decode("utf-8", "replace").splitlines() if name else []
    return next((at for at, line in enumerate(lines, 1) if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line)), 1)


def edit_outside(app: App[Any], entry: Entry) -> tuple[str, str] | None:
    """Edit headline and insight in $VISUAL or $EDITOR; ``None`` if nothing was changed. Raises ``CuratorError``."""
    editor = find_editor()
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
