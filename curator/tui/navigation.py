"""The actions that move and select: the cursor, marks, splits, other screens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from curator.keymap import TARGETS
from curator.text.words import counted
from curator.tui import reading
from curator.tui.board import Board
from curator.tui.rows import Rows

LETTERS = "asdfghjklqwertyuiopzxcvbnm"
"""What a jump puts beside rows, the home row first."""


def step(move: Callable[[Rows], None]) -> Callable[[Board], None]:
    """The action that moves the cursor so."""
    return lambda board: board.list.step(move)


def select(change: Callable[[Rows], None]) -> Callable[[Board], None]:
    """The action that changes so what is marked."""

    def act(board: Board) -> None:
        change(board.list.rows)
        board.list.show()

    return act


def mark_session(board: Board) -> None:
    """Mark what the session of the card has brought, as far as it is shown."""
    entry, rows = board.card.entry, board.list.rows
    if entry is None or not entry.session:
        board.toast.show("It comes from no session.", once=True)
        return
    order = board.app.curator.lessons.order(replace(board.wanted, session=entry.session))
    rows.marks |= set(filter(rows.contains, order))
    board.list.show()
    board.toast.show(f"{counted(len(rows.marks), 'row')} marked: y and x are for all of them, esc clears the marks", once=True)


def clear(board: Board) -> None:
    """The reasons first, then marks, the filter, then back to the inbox."""
    if board.card.why:
        reading.why(board)
    elif board.list.rows.clear():
        board.list.show()
    elif board.selection.words:
        board.contents.filter("")
    elif board.listing.name != "inbox":
        board.app.switch_mode("inbox")


def jump(board: Board) -> None:
    """A letter beside each row in sight."""
    board.list.labels = dict(zip(board.list.rows.visible(), LETTERS, strict=False))
    by_letter = {letter: seq for seq, letter in board.list.labels.items()}
    board.list.show()
    board.keys.ask([(letter, "") for letter in by_letter], lambda key: board.list.step(lambda rows: rows.go_to(by_letter[key])))


def go(board: Board) -> None:
    """Where to? ``g g`` is the top."""

    def answer(key: str) -> None:
        place = TARGETS[key][0]
        if place == "top":
            board.list.step(lambda rows: rows.go(0))
        else:
            board.app.switch_mode(place)

    board.keys.ask([(key, label) for key, (_, label) in TARGETS.items()], answer)


def split(by: int) -> Callable[[Board], None]:
    """The action that shows a split so many to the right."""

    def act(board: Board) -> None:
        splits = board.listing.splits
        at = splits.index(board.selection.split)
        board.contents.show_split(splits[(at + by) % len(splits)].name)

    return act


def filter_(board: Board) -> None:
    """Type a filter."""
    if board.filter.parent is None:
        board.mount(board.filter, before=board.foot)
    board.filter.open()


def rest(board: Board) -> None:
    """Show or hide what the cap and verdicts hold back."""
    board.selection = replace(board.selection, rest=not board.selection.rest)
    board.contents.load()
    board.toast.show("everything, also what is held back" if board.selection.rest else "the best of each session")


def refresh(board: Board) -> None:
    """Let arrivals in, sort anew, read the transcripts again."""
    board.toast.show(f"{board.arrivals.let_in() or 'nothing new waited'}; reading the transcripts again")
    board.app.rescan()
