"""The rows of a list: load the selected ones, count those of every split, add those that others wrote."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence

from curator import app, clock
from curator.app import Curator
from curator.model import Kind, Query
from curator.text.words import pluralize
from curator.tui.app_state import Ask, ListScreenParts, Split
from curator.tui.card_frame import CardFrame
from curator.tui.keys import Keys

Place = tuple[int, int]
"""A row under the cursor, and the number of rows above it."""

FIRST_PAGE = 200
"""Rows loaded before the first paint; the rest follows from a thread."""


class ListData:
    """The contents of a list. ``counts`` are the splits' rows, ``before`` is the cursor's place when the filter was opened."""

    def __init__(self, screen: ListScreenParts, card: CardFrame, splits: Sequence[Split], query: Ask) -> None:
        self.list_screen = screen
        self.card = card
        self.splits = splits
        self.query = query
        self.counts: Counter[str] = Counter()
        self.before: Place | None = None
        self.loads = 0
        self._whole = True
        """True if the list has all of its rows, and not the first page only."""

    def load(self, *, keep: bool = True, back: Place | None = None) -> None:
        """Show the selected rows in the current order. The cursor stays, or returns to its earlier place with ``back``."""
        self.loads += 1
        wanted, rows, curator = self.list_screen.rows_query, self.list_screen.list.rows, self.list_screen.app.curator
        first = curator.lessons.order(wanted, FIRST_PAGE)
        words = self.list_screen.selection.words
        beyond = len(rows) > FIRST_PAGE or (not words and (back[0] if back else rows.cursor) not in first)
        self._whole = True
        if keep and len(first) == FIRST_PAGE and beyond:
            rows.replace(curator.lessons.order(wanted))
        else:
            rows.replace(first)
            if len(first) == FIRST_PAGE:
                self._whole = False
                self.list_screen.call_after_refresh(self._load_rest, wanted, self.loads)
        if not keep:
            rows.go(0)
        elif back:
            rows.go_back(*back)
        self.list_screen.list.show(everything=True)
        self.list_screen.call_after_refresh(self.count)  # threads compete for the interpreter: paint first
        self.card.reload()

    def filter(self, text: str, *, back: bool = False) -> None:
        """Show only rows with these words; no words show all. The cursor returns with ``back``, or if it is on no row."""
        words = tuple(text.lower().split())
        self.list_screen.selection = self.list_screen.selection._replace(words=words)
        lost = not words and (back or self.list_screen.list.rows.cursor is None)
        place, self.before = (self.before if lost else None), None if lost else self.before
        self.list_screen.app.attempt(lambda: self.load(back=place))

    def show_split(self, name: str) -> None:
        """Show another split, from its top and without a filter."""
        split = next(split for split in self.splits if split.name == name)
        self.list_screen.selection, self.before = self.list_screen.selection._replace(split=split, words=()), None
        self.list_screen.app.attempt(lambda: self.load(keep=False))

    def _load_rest(self, wanted: Query, load: int) -> None:
        self.list_screen.run_in_thread(
            "load", lambda curator: curator.lessons.order(wanted), lambda order: self._complete(load, order)
        )

    def _complete(self, load: int, order: array[int]) -> None:
        if load == self.loads:  # otherwise another split, filter or order is shown by now
            self.list_screen.list.rows.extend_order(order)
            self._whole = True
            self._agree()
            self.list_screen.list.show()
            self.list_screen.refresh_bars()

    def count(self) -> None:
        """Count the rows of every split, today's decisions, and the cards of other projects."""
        self.list_screen.run_in_thread("count", self._figures, lambda figures: self._show_figures(*figures))

    def _figures(self, curator: Curator) -> tuple[dict[str, int], Counter[str], int, int]:
        window, selection = self.list_screen.app, self.list_screen.selection._replace(words=())
        queries = {split.name: self.query(window, selection._replace(split=split)) for split in self.splits}
        counts = {name: curator.lessons.kinds(query).total() for name, query in queries.items()}
        elsewhere = 0 if counts[self.splits[0].name] else curator.lessons.waiting_elsewhere()
        return counts, app.statistics.today(curator), curator.lessons.count_hidden(window.session), elsewhere

    def _show_figures(self, counts: dict[str, int], today: Counter[str], hidden: int, elsewhere: int) -> None:
        self.counts = Counter(counts)
        app = self.list_screen.app
        app.hidden = max(0, hidden - self._agree())
        app.today, app.elsewhere = today, elsewhere
        self.list_screen.refresh_bars()
        self.card.draw_empty()

    def _agree(self) -> int:
        """Count the visible rows, including a hidden card that somebody is reading.

        Return the number of such rows.
        """
        shown, every = self.list_screen.selection.split, self.splits[0]
        if self.list_screen.selection.words or not self._whole:
            return 0
        names = {shown.name}
        if shown.kind is Kind.CANDIDATE:
            names.add(every.name)
        elif shown is every:
            names |= {split.name for split in self.splits if split.kind is Kind.CANDIDATE}
        rows = self.list_screen.list.rows
        more = len(rows) + len(rows.pending) - self.counts[shown.name]
        self.counts.update(dict.fromkeys(names, more))
        return more


ARRIVAL_PAUSE_SECONDS = 2.0
"""Seconds without a key after which arrivals appear by themselves, if the cursor is on the first row."""


class Arrivals:
    """Adds and removes rows that others changed, without moving the row under the cursor. ``own`` are this screen's batches."""

    def __init__(self, screen: ListScreenParts, data: ListData, card: CardFrame, keys: Keys) -> None:
        self.list_screen = screen
        self.data = data
        self.card = card
        self.keys = keys
        self.own: set[str] = set()
        self._last_event = 0

    def begin(self) -> None:
        """Treat all events until now as known: they are no news."""
        self._last_event = self.list_screen.app.curator.lessons.last_event()

    def catch_up(self) -> None:
        """Take in others' changes: new rows wait behind the pill, and rows decided elsewhere are dimmed."""
        curator = self.list_screen.app.curator
        touched = [item for item in curator.lessons.events_since(self._last_event) if item[1] not in self.own]
        self._last_event = max([self._last_event, *(event for event, _, _ in touched)])
        if not touched:
            return
        ids = list(dict.fromkeys(id_ for _, _, id_ in touched))
        all_rows, wanted = curator.lessons.rows_of(ids), curator.lessons.filter_ids(ids, self.list_screen.rows_query)
        everything = self.data.query(self.list_screen.app, self.list_screen.selection._replace(rest=True))
        left_out = {seq for id_, seq in curator.lessons.filter_ids(ids, everything).items() if id_ not in wanted}
        rows = self.list_screen.list.rows
        idle = not len(rows) or (rows.position == 0 and (self.keys.rest(ARRIVAL_PAUSE_SECONDS) or self._follows_best))
        rows.arrive(wanted.values())
        rows.settle(seq for id_, seq in all_rows.items() if id_ not in wanted and seq not in left_out)
        rows.pending -= left_out
        rows.remove(left_out - rows.settled_rows - rows.marked_rows() - {rows.cursor})  # rows being read or marked stay
        if idle and rows.pending:
            said = self.let_in()
            self.list_screen.toast.show("" if self._follows_best else said)
        else:
            self.list_screen.list.show(stale=list(all_rows.values()))
            self.data.count()
            if self.card.entry and self.card.entry.id in ids:
                self.card.reload()
        self.list_screen.refresh_bars()

    @property
    def _follows_best(self) -> bool:
        """True if the best card is shown: nobody has chosen another one or started to read this one."""
        rows = self.list_screen.list.rows
        return self.keys.untouched and self.list_screen.in_front and not rows.position and not rows.top

    def let_in(self) -> str:
        """Show the arrivals. Report their number, and those out of sight, since the cursor stays."""
        rows = self.list_screen.list.rows
        new, position = len(rows.pending), rows.position
        if self._follows_best:
            self.data.load(keep=False)
            self.card.came = clock.now()
            return ""
        self.data.load(keep=bool(len(rows)))
        above = min(new, rows.position - position)
        where = f", {above:,} above" if 0 < above < new else " above" if above > 0 else ""
        return f"{pluralize(new, 'new row')}{where}{' (press home to see the best)' if where else ''}" if new else ""
