"""Rows that others wrote come into the list: a scan, the watcher, another window."""

from __future__ import annotations

from collections.abc import Sequence

from textual import work

from curator import clock
from curator.model import Query
from curator.text.plurals import counted
from curator.tui.board import Board
from curator.tui.messages import Changed


class Arriving(Board):
    """A board whose rows may come and go by other hands; none of them moves under the finger."""

    def catch_up(self) -> None:
        """Take in what somebody else has written: arrivals wait behind the pill, what is decided elsewhere is dimmed."""
        touched = [item for item in self.app.curator.lessons.touched_since(self._seen_event) if item[1] not in self.own]
        self._seen_event = max([self._seen_event, *(event for event, _, _ in touched)])
        if not touched:
            return
        ids = list(dict.fromkeys(id_ for _, _, id_ in touched))
        all_rows, wanted = self.app.curator.lessons.rows_of(ids), self.app.curator.lessons.among(ids, self.wanted)
        rows = self.list.rows
        idle = not len(rows) or (rows.position == 0 and clock.now() - self._last_stroke > 2 and not self.busy)
        rows.arrive(wanted.values())
        rows.settle(seq for id_, seq in all_rows.items() if id_ not in wanted)
        if idle and rows.pending:
            self.toast.show(self.let_in())
        else:
            self.list.show(stale=list(all_rows.values()))
            self._count()
            if self.entry and self.entry.id in ids:
                self.refresh_card()
        self.refresh_bars()

    def hold_back(self) -> None:
        """Take out of the list what a person's verdicts on its like hold back by now; what is read or marked stays."""
        self._look_for_held(self.wanted, (self._loads, len(self.own)))

    @work(thread=True, exclusive=True, group="held", exit_on_error=False)
    def _look_for_held(self, query: Query, seen: tuple[int, int]) -> None:
        curator = self.app.curator.fork()
        try:
            order = curator.lessons.order(query)
        finally:
            curator.close()
        self.app.call_from_thread(self._held, order, seen)

    def _held(self, order: Sequence[int], seen: tuple[int, int]) -> None:
        if seen != (self._loads, len(self.own)):  # something was decided or shown meanwhile
            self.hold_back()
            return
        rows = self.list.rows
        staying = {*order, *rows.settled, *rows.marked(), rows.cursor}
        rows.remove([seq for seq in rows.order if seq not in staying])
        self.list.show()
        self._count()

    def let_in(self) -> str:
        """Show what waits behind the pill; says how much that is, and what of it came in out of sight: the cursor stays."""
        rows = self.list.rows
        new, position = len(rows.pending), rows.position
        self.load(keep=bool(len(rows)))
        above = min(new, rows.position - position)
        where = f", {above:,} above" if 0 < above < new else " above" if above > 0 else ""
        return f"{counted(new, 'new row')}{where}{' (home shows the best)' if where else ''}" if new else ""

    @property
    def busy(self) -> bool:
        """Whether somebody is typing or choosing."""
        return self.menu is not None or self.typing or self.app.screen is not self

    def on_changed(self, message: Changed) -> None:
        """Somebody else has written."""
        message.stop()
        self.app.guarded(self.catch_up)
