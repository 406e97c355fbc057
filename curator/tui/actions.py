"""What the keys of a list do: from the name of an action in ``curator.keymap`` to a function of the board."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from textual.screen import Screen

from curator.tui import navigation, reading, verdicts
from curator.tui.board import Board
from curator.tui.navigation import select, split, step
from curator.tui.rows import Rows


def help_(board: Board) -> None:
    """Help; what is chosen there is done."""
    from curator.tui.overlays import show_help

    row = (board.card.entry.kind, board.card.entry.state) if board.card.entry else (None, None)
    show_help(board.app, board.listing.name, board.action_act, *row)


EVERYWHERE: Mapping[str, Callable[[Screen[None]], object]] = {
    "palette": lambda screen: screen.app.action_command_palette(),
    "quit": lambda screen: screen.app.exit(),
}
"""What is the same on every screen."""

ACTIONS: Mapping[str, Callable[[Board], object]] = {
    "keep": verdicts.keep,
    "drop": verdicts.drop,
    "drop-because": verdicts.drop_because,
    "edit": verdicts.edit,
    "code": verdicts.code,
    "edit-whole": verdicts.edit_whole,
    "category": verdicts.category,
    "scope": verdicts.scope,
    "merge": verdicts.merge,
    "supersede": verdicts.supersede,
    "older-wins": verdicts.older_wins,
    "snooze": verdicts.snooze,
    "snooze-until": verdicts.snooze_until,
    "accept-repository": verdicts.accept_repository,
    "vouch": verdicts.vouch,
    "undo": verdicts.undo,
    "redo": verdicts.redo,
    "repeat": verdicts.repeat,
    "add": verdicts.add,
    "distill": verdicts.distill,
    "distill-all": verdicts.distill_all,
    "reopen": verdicts.reopen,
    "mark": select(Rows.mark),
    "range": select(Rows.toggle_range),
    "extend-down": select(lambda rows: rows.extend(1)),
    "extend-up": select(lambda rows: rows.extend(-1)),
    "mark-all": select(Rows.mark_all),
    "mark-session": navigation.mark_session,
    "clear": navigation.clear,
    "down": step(lambda rows: rows.move(1)),
    "up": step(lambda rows: rows.move(-1)),
    "page-down": step(lambda rows: rows.move(rows.height)),
    "page-up": step(lambda rows: rows.move(-rows.height)),
    "bottom": step(lambda rows: rows.go(len(rows))),
    "top": step(lambda rows: rows.go(0)),
    "jump": navigation.jump,
    "go": navigation.go,
    "next-split": split(1),
    "previous-split": split(-1),
    "evidence": reading.evidence,
    "open-code": reading.open_code,
    "open-transcript": reading.open_transcript,
    "next-quote": reading.quote(1),
    "previous-quote": reading.quote(-1),
    "scroll-down": reading.scroll(3),
    "scroll-up": reading.scroll(-3),
    "why": reading.why,
    "filter": navigation.filter_,
    "rest": navigation.rest,
    "refresh": navigation.refresh,
    "preview": reading.preview,
    "flip": reading.flip,
    "copy": reading.copy_text,
    "copy-whole": reading.copy_whole,
    "help": help_,
    **EVERYWHERE,
}
"""Every action of a list but ``choose``, which needs to know the digit (see ``Listing``)."""
