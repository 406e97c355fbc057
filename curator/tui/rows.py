"""The rows of a list and its cursor: the whole behaviour of the list, without Textual.

A row has a sequence number instead of a position, so the cursor, marks and a range survive arrivals and removals. A row moves
on the screen only if the person asks for it.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence


class Rows:
    """The order of a list, its cursor, its first visible row, its marks, and the arrivals behind the pill.

    ``cursor`` is a sequence number, or ``None`` for an empty list. ``top`` is the position of the first visible row.
    ``settled_rows`` are rows that somebody else has decided: they stay, dimmed, until the cursor leaves them.
    """

    def __init__(self, order: Iterable[int] = (), height: int = 10) -> None:
        self.order = array("I", order)
        self._there = bytearray()
        """A byte for each sequence number, 1 if it is in the order. Every decision reads it, so it must be fast for long
        lists.
        """
        self._enter(self.order)
        self.height = max(1, height)
        self.top = 0
        self.cursor: int | None = self.order[0] if self.order else None
        self.marks: set[int] = set()
        self.anchor: int | None = None
        self.pending: set[int] = set()
        self.settled_rows: set[int] = set()
        self._last_positions: dict[int, int] = {}
        self.decided_rows: set[int] = set()
        """Rows that left from under the cursor."""

    def __len__(self) -> int:
        return len(self.order)

    # --- where things are ---------------------------------------------------------------------------------------------

    @property
    def position(self) -> int:
        """Return the cursor's position, 0 for an empty list."""
        return 0 if self.cursor is None else self.find(self.cursor)

    def find(self, seq: int) -> int:
        """Return the position of a row. A visible row is found without a search through 100,000. Raises ``ValueError``."""
        try:
            return self.top + self.visible().index(seq)
        except ValueError:
            return self.order.index(seq)

    def contains(self, seq: int) -> bool:
        """Return whether a row is in the list."""
        return seq < len(self._there) and self._there[seq] == 1

    def visible(self) -> array[int]:
        """Return the rows on the screen, from the top."""
        return self.order[self.top : self.top + self.height]

    def decision_rows(self) -> list[int]:
        """Return the rows that a decision applies to: the marked rows in order with the range, or else the row under the
        cursor.
        """
        marked = self.marked_rows()
        if marked:
            return [seq for seq in self.order if seq in marked and seq not in self.settled_rows]
        return [self.cursor] if self.cursor is not None and self.cursor not in self.settled_rows else []

    def marked_rows(self) -> set[int]:
        """Return the marks together with the range from its anchor to the cursor."""
        if self.anchor is None or self.cursor is None:
            return self.marks
        first, last = sorted((self.find(self.anchor), self.position))
        return self.marks | set(self.order[first : last + 1])

    # --- moving -------------------------------------------------------------------------------------------------------

    def go(self, position: int) -> None:
        """Put the cursor at a position, as near as there is, and scroll just as far as needed."""
        if not self.order:
            self.cursor, self.top = None, 0
            return
        position = min(max(position, 0), len(self.order) - 1)
        leaving = self.cursor
        self.cursor = self.order[position]
        if leaving is not None and leaving != self.cursor and leaving in self.settled_rows:
            self.settled_rows.discard(leaving)
            self.remove([leaving])
            position = self.position
        self.top = min(max(self.top, position - self.height + 1), position)

    def go_to(self, seq: int, depth: int | None = None) -> None:
        """Put the cursor on a row, if it is there, with ``depth`` rows above it if that is given."""
        if self.contains(seq):
            self.go(self.find(seq))
            if depth is not None:
                self._restore(depth)

    def move(self, by: int) -> None:
        """Move the cursor, but stop at both ends."""
        self.go(self.position + by)

    def scroll(self, by: int) -> None:
        """Move the view. The cursor follows only if it would leave the screen."""
        self.top = min(max(self.top + by, 0), max(0, len(self.order) - self.height))
        self.go(min(max(self.position, self.top), self.top + self.height - 1))

    def resize(self, height: int) -> None:
        """Give the view another height. The cursor stays visible."""
        self.height = max(1, height)
        self.top = min(self.top, max(0, len(self.order) - self.height))
        if self.cursor is not None:
            self.go(self.position)

    # --- marking ------------------------------------------------------------------------------------------------------

    def mark(self) -> None:
        """Mark or unmark the row under the cursor and move down."""
        if self.cursor is not None:
            self.marks ^= {self.cursor}
            self.move(1)

    def mark_all(self) -> None:
        """Mark every visible row, or clear the marks if all are marked."""
        self.marks = set() if len(self.marks) == len(self.order) else set(self.order)
        self.anchor = None

    def toggle_range(self) -> None:
        """Start a range here, or end it: its rows become marks."""
        if self.anchor is None:
            self.anchor = self.cursor
        else:
            self.marks = self.marked_rows()
            self.anchor = None

    def clear(self) -> bool:
        """Remove all marks. Return whether there were any."""
        had = bool(self.marks) or self.anchor is not None
        self.marks.clear()
        self.anchor = None
        return had

    def unmark(self, seqs: Iterable[int]) -> None:
        """Take the marks off these rows, and the range away that began at one of them."""
        seqs = set(seqs)
        self.marks -= seqs
        if self.anchor in seqs:
            self.anchor = None

    # --- changing -----------------------------------------------------------------------------------------------------

    def replace(self, order: Iterable[int]) -> None:
        """Show another order (a split, a filter, a new sorting) without pending rows.

        The cursor stays on its row at its place on the screen. If the row is gone, the cursor moves to the nearest row that
        followed it.
        """
        before, position, depth = self.order, self.position, self.position - self.top
        self.order = array("I", order)
        self._there.clear()
        self._enter(self.order)
        self.pending.clear()
        self._prune()
        self._last_positions.clear()
        if not self.order:
            self.go(0)
            return
        following = (seq for seq in [*before[position:], *reversed(before[:position])] if self.contains(seq))
        target = next(following, None) if self.cursor is not None else None
        self.cursor = self.order[0] if target is None else target
        self._restore(depth if target is not None else 0)

    def remove(self, seqs: Iterable[int]) -> None:
        """Remove rows. The cursor moves to the next row, or up from the last one, and the visible rows stay in place."""
        leaving = {seq for seq in seqs if self.contains(seq)}
        if not leaving:
            return
        one = len(leaving) == 1  # is found at once; many are found in one pass
        where = [*map(self.find, leaving)] if one else [at for at, seq in enumerate(self.order) if seq in leaving]
        position, depth = self.position, self.position - self.top
        self.decided_rows |= leaving & {self.cursor}
        for seq, at in zip((self.order[at] for at in where), where, strict=True):
            self._last_positions[seq] = at
            self._there[seq] = 0
        if one:
            self.order.pop(where[0])
        else:
            self.order = array("I", (seq for seq in self.order if seq not in leaving))
        self._prune()
        if not self.order:
            self.cursor, self.top = None, 0
            return
        if self.cursor in leaving:
            self.cursor = self.order[min(position - bisect_left(where, position), len(self.order) - 1)]
        self._restore(depth)

    def insert(self, seqs: Iterable[int], at: int | None = None) -> None:
        """Bring rows back to their earlier places, and put the cursor on the first one.

        New rows come in at ``at``, by default at the cursor.
        """
        back = [seq for seq in seqs if not self.contains(seq)]
        for seq in sorted(back, key=lambda seq: self._last_positions.get(seq, self.position)):
            place = min(self._last_positions.pop(seq, self.position if at is None else at), len(self.order))
            self.order.insert(place, seq)
            self._enter([seq])
            if place < self.top:
                self.top += 1
        if back:
            self.go_to(back[0])

    def extend_order(self, order: Iterable[int]) -> None:
        """Append the rest of a list whose beginning was loaded. Rows that were removed meanwhile stay away."""
        more = array("I", (seq for seq in order if not self.contains(seq) and seq not in self._last_positions))
        self.order.extend(more)
        self._enter(more)
        if self.cursor is None and self.order:
            self.go(0)

    def settle(self, seqs: Iterable[int]) -> None:
        """Remove rows that another process has decided. The row under the cursor stays until the cursor leaves it."""
        seqs = set(seqs)
        self.pending -= seqs
        self.unmark(seqs)
        if self.cursor in seqs:
            assert self.cursor is not None
            self.settled_rows.add(self.cursor)
            seqs.discard(self.cursor)
        self.remove(seqs)

    def arrive(self, seqs: Iterable[int]) -> None:
        """Put new rows behind the pill. A settled row that returns to the inbox is no longer settled."""
        seqs = set(seqs)
        self.settled_rows -= seqs
        self.pending |= {seq for seq in seqs if not self.contains(seq)}

    # --- inside -------------------------------------------------------------------------------------------------------

    def _restore(self, depth: int) -> None:
        """Scroll so that the cursor keeps its distance from the top, as far as the list allows."""
        self.top = min(max(self.position - depth, 0), max(0, len(self.order) - self.height))

    def _prune(self) -> None:
        """Remove marks, range and settled rows that no longer exist."""
        self.marks = set(filter(self.contains, self.marks))
        self.settled_rows = set(filter(self.contains, self.settled_rows))
        if self.anchor is not None and not self.contains(self.anchor):
            self.anchor = None

    def _enter(self, seqs: Sequence[int]) -> None:
        self._there.extend(bytes(max(0, max(seqs, default=0) + 1 - len(self._there))))
        for seq in seqs:
            self._there[seq] = 1
