"""Rows that others wrote come into the list: a scan, the watcher, another window."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from curator import clock
from curator.text.words import pluralize
from curator.tui.card_frame import CardFrame
from curator.tui.contents import Contents
from curator.tui.host import ListScreen
from curator.tui.keys import Keys
from curator.tui.rows import Rows

PAUSE = 2.0
"""Seconds without a key after which arrivals come in by themselves, if the cursor stands on the first row."""


class Arrivals:
    """Lets rows come and go by other hands; none of them moves under the finger. ``own`` are this screen's batches."""

    def __init__(self, board: ListScreen, contents: Contents, card: CardFrame, keys: Keys) -> None:
        self.board = board
        self.contents = contents
        self.card = card
        self.keys = keys
        self.own: set[str] = set()
        self._last_event = 0

    def begin(self) -> None:
        """What has happened until now is no news."""
        self._last_event = self.board.app.curator.lessons.last_event()

    def catch_up(self) -> None:
        """Take in what somebody else has written: arrivals wait behind the pill, what is decided elsewhere is dimmed."""
        curator = self.board.app.curator
        touched = [item for item in curator.lessons.events_since(self._last_event) if item[1] not in self.own]
        self._last_event = max([self._last_event, *(event for event, _, _ in touched)])
        if not touched:
            return
        ids = list(dict.fromkeys(id_ for _, _, id_ in touched))
        all_rows, wanted = curator.lessons.rows_of(ids), curator.lessons.among(ids, self.board.rows_query)
        everything = self.contents.query(self.board.app, replace(self.board.selection, rest=True))
        left_out = {seq for id_, seq in curator.lessons.among(ids, everything).items() if id_ not in wanted}
        rows = self.board.list.rows
        idle = not len(rows) or (rows.position == 0 and (self.keys.rest(PAUSE) or self._follows_best))
        rows.arrive(wanted.values())
        rows.settle(seq for id_, seq in all_rows.items() if id_ not in wanted and seq not in left_out)
        withdraw(rows, left_out)
        if idle and rows.pending:
            said = self.let_in()
            self.board.toast.show("" if self._follows_best else said)
        else:
            self.board.list.show(stale=list(all_rows.values()))
            self.contents.count()
            if self.card.entry and self.card.entry.id in ids:
                self.card.reload()
        self.board.refresh_bars()

    @property
    def _follows_best(self) -> bool:
        """Whether the best card is the one that is shown: nobody has chosen another, or begun to read this one by a key."""
        rows = self.board.list.rows
        return self.keys.untouched and self.board.in_front and not rows.position and not rows.top

    def let_in(self) -> str:
        """Show what waits behind the pill; says how much that is, and what of it came in out of sight: the cursor stays."""
        rows = self.board.list.rows
        new, position = len(rows.pending), rows.position
        if self._follows_best:
            self.contents.load(keep=False)
            self.card.came = clock.now()
            return ""
        self.contents.load(keep=bool(len(rows)))
        above = min(new, rows.position - position)
        where = f", {above:,} above" if 0 < above < new else " above" if above > 0 else ""
        return f"{pluralize(new, 'new row')}{where}{' (home shows the best)' if where else ''}" if new else ""


def withdraw(rows: Rows, seqs: Set[int]) -> None:
    """Take rows that are held back by now out of a list; what is read or marked stays."""
    rows.pending -= seqs
    rows.remove(seqs - rows.settled_rows - rows.marked_rows() - {rows.cursor})
