"""A person's own commands by key, and the log of what was run and written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual.app import SuspendNotSupported
from textual.binding import Binding, BindingType

from curator import app, clock
from curator.errors import CuratorError
from curator.io import commands, runs
from curator.tui.board import Board
from curator.tui.clipboard import line_of
from curator.tui.overlays import SCROLL, Sheet
from curator.tui.pane import Compose
from curator.tui.styles import Palette
from curator.tui.text import ago, hanging


def values(board: Board, wanted: frozenset[str]) -> dict[str, str]:
    """What placeholders stand for on this card. Raises ``CuratorError`` where no file is here."""
    entry = board.card.entry
    found = {"folder": str(folder(board))}
    if entry is None:
        return found
    found |= {"id": entry.id, "headline": entry.headline}
    if wanted & {"file", "line"}:
        files = app.project_files.files(board.app.curator, entry)
        if not files:
            raise CuratorError("It speaks of no file that is here.", "Choose a card that does, or give it one with A.")
        symbol = next((one.symbol for one in entry.anchors if one.symbol and str(files[0]).endswith(one.path)), "")
        found |= {"file": str(files[0]), "line": str(line_of(files[0], symbol) if symbol else 1)}
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
        text = result.output.expandtabs()
        board.app.push_screen(
            TextScreen(f"{name}: ended with {result.code}", lambda width, palette: _broken(text, width, palette))
        )


def _broken(text: str, width: int, palette: Palette) -> list[Text]:
    return [part for line in text.rstrip().split("\n") for part in hanging(Text(""), Text(line, palette.plain), width)]


def show_log(board: Board) -> None:
    """What was run and written since this window was opened, the newest first."""
    last, now = runs.last(), clock.now()

    def lines(width: int, palette: Palette) -> Sequence[Text]:
        found: list[Text] = []
        for one in last:
            head = Text(f"{ago(now - one.at):>9}  ", palette.quiet)
            failed = one.result not in ("", "0")
            tail = (f"  {one.result}", palette.bad if failed else palette.quiet) if one.result else ""
            found += hanging(head, Text.assemble((one.what, palette.plain), tail), width)
        return found or [Text("Nothing was run or written yet.", style=palette.quiet)]

    board.app.push_screen(TextScreen("what was run and written", lines))


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
