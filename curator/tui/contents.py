"""The rows of a list: load those that are selected, count those of every split."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from curator.app import Curator
from curator.model import Kind, Query
from curator.tui.card_frame import CardFrame
from curator.tui.host import Ask, ListScreen, Split

Place = tuple[int, int]
"""A row under the cursor, and how many stand above it."""

FIRST_PAGE = 200
"""Rows loaded before the first paint; the rest follows from a thread."""


class Contents:
    """What a list holds. ``counts`` are the splits' rows, ``before`` is where the cursor was when the filter was opened."""

    def __init__(self, board: ListScreen, card: CardFrame, splits: Sequence[Split], query: Ask) -> None:
        self.board = board
        self.card = card
        self.splits = splits
        self.query = query
        self.counts: Counter[str] = Counter()
        self.before: Place | None = None
        self.loads = 0
        self._whole = True
        """Whether the list has all of its rows, and not the first page only."""

    def load(self, *, keep: bool = True, back: Place | None = None) -> None:
        """Show what is selected, in today's order, the cursor where it was, or ``back`` where it was before."""
        self.loads += 1
        wanted, rows, curator = self.board.rows_query, self.board.list.rows, self.board.app.curator
        first = curator.lessons.order(wanted, FIRST_PAGE)
        words = self.board.selection.words
        beyond = len(rows) > FIRST_PAGE or (not words and (back[0] if back else rows.cursor) not in first)
        self._whole = True
        if keep and len(first) == FIRST_PAGE and beyond:
            rows.replace(curator.lessons.order(wanted))
        else:
            rows.replace(first)
            if len(first) == FIRST_PAGE:
                self._whole = False
                self.board.call_after_refresh(self._load_rest, wanted, self.loads)
        if not keep:
            rows.go(0)
        elif back:
            rows.go_back(*back)
        self.board.list.show(everything=True)
        self.board.call_after_refresh(self.count)  # threads compete for the interpreter: paint first
        self.card.reload()

    def filter(self, text: str, *, back: bool = False) -> None:
        """Show only rows with these words; none show all, the cursor ``back`` where it was, as also if it is on no row now."""
        words = tuple(text.lower().split())
        self.board.selection = replace(self.board.selection, words=words)
        lost = not words and (back or self.board.list.rows.cursor is None)
        place, self.before = (self.before if lost else None), None if lost else self.before
        self.board.app.attempt(lambda: self.load(back=place))

    def show_split(self, name: str) -> None:
        """Show another split, from its top and without a filter."""
        split = next(split for split in self.splits if split.name == name)
        self.board.selection, self.before = replace(self.board.selection, split=split, words=()), None
        self.board.app.attempt(lambda: self.load(keep=False))

    def _load_rest(self, wanted: Query, load: int) -> None:
        self.board.beside("load", lambda curator: curator.lessons.order(wanted), lambda order: self._complete(load, order))

    def _complete(self, load: int, order: array[int]) -> None:
        if load == self.loads:  # else another split, filter or order is shown by now
            self.board.list.rows.extend_order(order)
            self._whole = True
            self._agree()
            self.board.list.show()
            self.board.refresh_bars()

    def count(self) -> None:
        """Count the rows of every split, today's verdicts, and what waits elsewhere."""
        self.board.beside("count", self._figures, lambda figures: self._show_figures(*figures))

    def _figures(self, curator: Curator) -> tuple[dict[str, int], Counter[str], tuple[int, int], int]:
        from curator.app import statistics  # the figures come after the first paint

        app, selection = self.board.app, replace(self.board.selection, words=())
        counts = {
            split.name: curator.lessons.kinds(self.query(app, replace(selection, split=split))).total() for split in self.splits
        }
        elsewhere = 0 if counts[self.splits[0].name] else curator.lessons.waiting_elsewhere()
        return counts, statistics.today(curator), curator.lessons.behind(app.session), elsewhere

    def _show_figures(self, counts: dict[str, int], today: Counter[str], behind: tuple[int, int], elsewhere: int) -> None:
        self.counts = Counter(counts)
        app = self.board.app
        app.behind = behind[0], max(0, behind[1] - self._agree())
        app.today, app.elsewhere = today, elsewhere
        self.board.refresh_bars()
        self.card.draw_empty()

    def _agree(self) -> int:
        """Count what the list shows, also where the database no longer would: a card held back while it is being read.

        Returns how many rows these are.
        """
        shown, every = self.board.selection.split, self.splits[0]
        if self.board.selection.words or not self._whole:
            return 0
        names = {shown.name}
        if shown.kind is Kind.CANDIDATE:
            names.add(every.name)
        elif shown is every:
            names |= {split.name for split in self.splits if split.kind is Kind.CANDIDATE}
        rows = self.board.list.rows
        more = len(rows) + len(rows.pending) - self.counts[shown.name]
        self.counts.update(dict.fromkeys(names, more))
        return more
