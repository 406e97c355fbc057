"""Other programs: the clipboard, $EDITOR, a person's own commands by key; and the log of what was run and written."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual.app import SuspendNotSupported
from textual.binding import Binding, BindingType

from curator import app
from curator.errors import CuratorError
from curator.io import commands, files, git
from curator.model import Entry
from curator.tui.board import Board
from curator.tui.overlays import SCROLL, Sheet
from curator.tui.pane import Compose
from curator.tui.styles import Palette
from curator.tui.text import hanging

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


BY_COLON = frozenset({"code", "codium", "cursor", "windsurf", "zed", "subl", "hx", "helix"})
"""Editors that take ``FILE:LINE``; the others take ``+LINE FILE``, as vi, nano and emacs do."""


def command_at(editor: Sequence[str], path: Path, line: int) -> list[str]:
    """The command that opens a file at a line. The path is absolute, so that no editor takes it for an option.

    >>> command_at(["code", "-w"], Path("/srv/a.py"), 3), command_at(["vi"], Path("/srv/a.py"), 3)
    (['code', '-w', '-g', '/srv/a.py:3'], ['vi', '+3', '/srv/a.py'])
    """
    words, name = [*editor], os.path.basename(editor[0])
    if name in BY_COLON:
        return [*words, *(["-g"] if name not in ("zed", "subl", "hx", "helix") else []), f"{path}:{line}"]
    return [*words, f"+{line}", str(path)]


def _edit(app: App[Any], words: Sequence[str]) -> None:
    """Run an editor with the inbox put aside. Raises ``CuratorError``."""
    try:
        with app.suspend():
            code = commands.attend(words, Path.cwd())
    except SuspendNotSupported as error:
        raise CuratorError(f"{words[0]} can't have this terminal: {error}.", "Press e to edit in place.") from error
    if code:
        raise CuratorError(f"{words[0]} ended with {code}.", "Nothing was changed.")


def open_at(app: App[Any], path: Path, line: int) -> None:
    """Open a file of this machine in $VISUAL or $EDITOR. Raises ``CuratorError``."""
    _edit(app, command_at(commands.locate_editor(Path.cwd()), path, max(1, line)))


def line_of(path: Path, symbol: str) -> int:
    """The line of a file in which a symbol is first named, 1 where it is not. Raises ``OSError`` for what is no plain file."""
    name = symbol.rpartition(".")[2].rpartition("::")[2]
    lines = files.read(path, path.parent).decode("utf-8", "replace").splitlines() if name else []
    return next((at for at, line in enumerate(lines, 1) if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line)), 1)


def edit_outside(app: App[Any], entry: Entry) -> tuple[str, str] | None:
    """Edit headline and insight in $VISUAL or $EDITOR; ``None`` if nothing was changed. Raises ``CuratorError``."""
    editor = commands.locate_editor(Path.cwd())
    text = f"{entry.headline}\n\n{entry.insight}\n"
    after = commands.edit(text, f"{entry.id}.md", lambda file: _edit(app, [*editor, str(file)]))
    if after is None:
        return None
    first, _, rest = after.strip().partition("\n")
    return first.strip(), " ".join(rest.split())


def code_place(board: Board) -> tuple[Path, int] | None:
    """The first file of the card that is there, inside its project, and the line of its symbol in it."""
    entry = board.card.entry
    found = app.project_files.files(board.app.curator, entry) if entry else ()
    if not entry or not found:
        return None
    symbol = next((one.symbol for one in entry.anchors if one.symbol and str(found[0]).endswith(one.path)), "")
    return found[0], line_of(found[0], symbol) if symbol else 1


def values(board: Board, wanted: frozenset[str]) -> dict[str, str]:
    """What placeholders stand for on this card. Raises ``CuratorError`` where no file is here."""
    entry = board.card.entry
    found = {"folder": str(folder(board))}
    if entry is None:
        return found
    found |= {"id": entry.id, "headline": entry.headline}
    if wanted & {"file", "line"}:
        place = code_place(board)
        if place is None:
            raise CuratorError("It speaks of no file that is here.", "Choose a card that does, or give it one with A.")
        found |= {"file": str(place[0]), "line": str(place[1])}
    return found


def folder(board: Board) -> Path:
    """Where a command runs: the card's project, where it is here, or else the home folder."""
    entry, curator = board.card.entry, board.app.curator
    tops = app.project_files.tops(curator, entry.project if entry else "")
    return next((Path(top) for top in tops if Path(top).is_dir()), Path.home())


def run(board: Board, *, key: str) -> None:
    """Run the command of a key on the card at hand. Raises ``CuratorError``."""
    settings, place = board.app.curator.settings, folder(board)
    terminal = key in settings.terminal_commands
    line = (settings.terminal_commands if terminal else settings.commands)[key]
    words = commands.locate_program(commands.fill_words(line, values(board, commands.places(line))), place)
    name = Path(words[0]).name
    if terminal:
        try:
            with board.app.suspend():
                code = commands.attend(words, place)
        except SuspendNotSupported as error:
            raise CuratorError(f"{name} can't have this terminal.", "Set it under [commands].") from error
        board.toast.show(f"{name} ended with {code}", bad=bool(code), once=True)
        return
    board.toast.show(f"{name} is running", once=True)
    board.beside("command", lambda curator: commands.show(words, place), lambda result: _show_output(board, name, result))


def _show_output(board: Board, name: str, result: commands.Result) -> None:
    """The output over the list, where there is any; else how it ended."""
    board.toast.show(f"{name} ended with {result.code}", bad=bool(result.code), once=True)
    if result.output.strip():
        output = result.output.expandtabs().rstrip().split("\n")

        def lines(width: int, palette: Palette) -> Sequence[Text]:
            return [part for line in output for part in hanging(Text(""), Text(line, palette.plain), width)]

        board.app.push_screen(TextScreen(f"{name}: ended with {result.code}", lines))


class TextScreen(Sheet[None]):
    """Lines to read over the whole screen."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,enter,o", "dismiss", "Back"), *SCROLL]

    def __init__(self, title: str, lines: Compose) -> None:
        super().__init__()
        self.heading = title
        self.lines = lines

    def on_mount(self) -> None:
        """The lines once there is room to break them."""
        self.entitle(self.heading)
        self.show(self.lines, [("esc", "Back"), ("j k", "Scroll")])
