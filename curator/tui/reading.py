"""The actions that look: the card, its evidence, its code."""

from __future__ import annotations

from collections.abc import Callable

from curator import app
from curator.model import Evidence
from curator.tui.board import Board
from curator.tui.evidence import excerpt
from curator.tui.styles import palette_of


def evidence(board: Board) -> None:
    """All that is known of it; where the card says all of that, it is said so."""
    from curator.tui.detail import FullScreen, pages

    entry = board.card.entry
    if entry is None:
        return
    found = pages(entry)
    if not found or (len(found) == 1 and isinstance(found[0], Evidence) and _has_whole_context(board, found[0])):
        board.toast.show("The card shows all that there is of it.", once=True)
    else:
        board.app.push_screen(FullScreen(board.app.curator, entry, board.card.quote))


def _has_whole_context(board: Board, quoted: Evidence) -> bool:
    """Whether the card has all that was kept around its quote, and no transcript has more."""
    host, pane = board.app, board.card.pane
    if pane.hidden_below or not pane.region or app.origins.transcript(quoted):
        return False
    palette = palette_of(host.theme_variables, dark=host.current_theme.dark)
    text = pane.text
    return all(line.plain.rstrip() in text for line in excerpt(quoted, pane.outer_size.width, palette))


def open_code(board: Board) -> None:
    """Open the first file of an entry that is there, inside its project."""
    from curator.tui.clipboard import line_of, open_at

    entry = board.card.entry
    if entry is None:
        return
    files = app.project_files.files(board.app.curator, entry)
    if not files:
        board.toast.show("It speaks of no file that is here.", once=True)
        return
    symbols = [anchor.symbol for anchor in entry.anchors if anchor.symbol and str(files[0]).endswith(anchor.path)]
    open_at(board.app, files[0], line_of(files[0], symbols[0]) if symbols else 1)


def open_transcript(board: Board) -> None:
    """Open the transcript of the quote on the card."""
    from curator.tui.clipboard import open_at

    entry = board.card.entry
    quoted = entry.evidence[board.card.quote] if entry and entry.evidence else None
    path = app.origins.transcript(quoted) if quoted else None
    if quoted is None or path is None:
        board.toast.show("Its transcript is not here." if quoted else "It quotes nothing.", once=True)
        return
    open_at(board.app, path, quoted.line)


def quote(by: int) -> Callable[[Board], None]:
    """The action that shows a piece of evidence so many further on."""

    def act(board: Board) -> None:
        card = board.card
        if card.entry and card.entry.evidence:
            card.quote = (card.quote + by) % len(card.entry.evidence)
            card.draw(keep_place=True)

    return act


def scroll(by: int) -> Callable[[Board], None]:
    """The action that scrolls the card by so many lines."""
    return lambda board: board.card.pane.scroll_by(by)


def why(board: Board) -> None:
    """Show or hide why it was detected."""
    card = board.card
    card.why = not card.why
    if card.entry and card.entry.evidence:
        card.draw(keep_place=True)
    else:
        card.reload()


def preview(board: Board) -> None:
    """Show or hide the card."""
    board.toggle_class("-no-card")


def flip(board: Board) -> None:
    """Card on the right or below; one that is hidden comes back first."""
    if board.has_class("-no-card"):
        board.remove_class("-no-card")
    else:
        board.toggle_class("-flipped")


def copy_text(board: Board) -> None:
    """Copy the lesson's text."""
    from curator.tui.clipboard import copy

    if entry := board.card.entry:
        board.toast.show(copy(board.app, f"{entry.headline}\n{entry.insight}"))


def copy_whole(board: Board) -> None:
    """Copy the lesson as Markdown."""
    from curator.tui.clipboard import as_markdown, copy

    if entry := board.card.entry:
        board.toast.show(f"all of it as Markdown, with its evidence: {copy(board.app, as_markdown(entry))}")
