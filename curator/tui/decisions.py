"""Carry out a verdict: save it, take it out of the list, say so."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum, auto

from textual import work

from curator import clock
from curator.app import Curator, Outcome, Shown
from curator.model import Entry, Kind, State, Verb
from curator.text.plurals import counted
from curator.tui import news
from curator.tui.navigation import Browse
from curator.tui.pane import Pane


class Part(Enum):
    """What of a card a verdict keeps, and a person has to have read before."""

    NOTHING = auto()
    STATEMENT = auto()
    CHOICE = auto()


Call = Callable[[Curator, Sequence[str], float | None], Outcome]

MANY = 50
"""Above this a batch is written by a thread, so that the next key is taken at once."""


class Deciding(Browse):
    """Browse with what every verdict needs."""

    last: tuple[Call, Part] | None = None

    def at_hand(self) -> Entry | None:
        """The entry under the cursor, to be decided on; of one that somebody else has decided it says so."""
        if self.list.rows.cursor in self.list.rows.settled:
            self.toast.show("resolved elsewhere: there is nothing to decide here any more")
            return None
        return self.entry

    def decide(
        self,
        call: Call,
        *,
        ids: Sequence[str] | None = None,
        repeatable: bool = True,
        keeps: Part = Part.NOTHING,
        read: Sequence[str] | None = None,
        left: int = 0,
    ) -> None:
        """Carry out a verdict on what is chosen, move on, and say what was done; once that was read which it ``keeps``.

        ``read``: whose orders were in view, unless it is the card at hand; ``left``: how many were chosen but are left alone.
        """
        heads = [head for seq in self.list.rows.chosen() if (head := self.head_of(seq))]
        if ids is None:
            ids = [head.id for head in heads]
        if not ids:
            self.at_hand()
            return
        if self.entry and [*ids] == [self.entry.id] and not self.has_read(keeps):
            return
        if self.burst.lasts() or self.burst.begins():
            self.toast.show(f"typing? stopped after {counted(self.burst.made, 'verdict')}; u takes back", bad=True)
            return
        shown = {head.id: (head.state, head.kind, head.headline) for head in heads} | self._on_card()
        if repeatable:
            self.last = call, keeps
        seconds = clock.now() - self.shown_at if len(ids) == 1 else None
        if len(ids) > MANY:
            self.toast.show(f"saving {counted(len(ids), 'verdict')} …")
            self._decide_many(call, ids, shown)
            return

        def decide() -> None:
            with self.app.curator.verdicts.as_shown(shown, read=self._read(ids) if read is None else read):
                outcome = call(self.app.curator, ids, seconds)
            self.decided(outcome, len(ids))
            if left:
                self.toast.show(f"{counted(left, 'row')} with orders to the agent left: decide them one by one", back="u undo")

        self.app.guarded(decide)

    def has_read(self, part: Part) -> bool:
        """Whether a part of the card was on the screen to its end. If not, it is now, or more of it, and that is said."""
        if part is Part.NOTHING or self.entry is None:
            return True
        pane, whole = self.query_one("#card", Pane), part is Part.CHOICE or self.entry.kind is Kind.CONFLICT
        if self.has_class("-no-card") and (whole or self.entry.insight.rstrip(".") != self.entry.headline.rstrip(".")):
            self.remove_class("-no-card")
            self.toast.show("There is more to read than the list shows: here it is; then the same key again.", once=True)
            return False
        if pane.reveal(self.card_layout.choice if whole else self.card_layout.statement):
            return True
        self.toast.show("The text goes on: read it to its end, then the same key again.", once=True)
        return False

    def _read(self, ids: Sequence[str]) -> list[str]:
        """Whose orders are in view: the card's, where it alone is decided on, and the other side's of its conflict."""
        entry = self.entry
        if entry is None or list(ids) != [entry.id] or self.has_class("-no-card"):
            return []
        return [entry.id, *([entry.rival.other] if entry.rival else [])]

    def _on_card(self) -> dict[str, Shown]:
        if self.entry is None:
            return {}
        one = self.entry
        return {one.id: (one.state, one.kind, one.headline, one.insight, one.wordings)}

    @work(thread=True, group="decide", exit_on_error=False)
    def _decide_many(self, call: Call, ids: Sequence[str], shown: Mapping[str, Shown]) -> None:
        curator = self.app.curator.fork()
        try:
            with curator.verdicts.as_shown(shown):
                outcome = call(curator, ids, None)
        finally:
            curator.close()
        self.app.call_from_thread(self.decided, outcome, len(ids))

    def decided(self, outcome: Outcome, count: int = 1) -> None:
        """The verdict on ``count`` rows is saved: take it into the list, and show the next card."""
        curator = self.app.curator
        self.own.add(outcome.batch)
        ids = [entry.id for entry in outcome.entries]
        every, wanted = curator.lessons.rows_of(ids), curator.lessons.among(ids, self.wanted)
        rows, shown = self.list.rows, self.entry
        leaving = [seq for id_, seq in every.items() if id_ not in wanted]
        before = [head.kind for seq in every.values() if rows.holds(seq) and (head := self.head_of(seq))]
        for entry in outcome.entries:
            if outcome.verb is not Verb.EDIT or not shown or _worded(entry) != _worded(shown):
                self.app.drafts.drop(entry.id)
        rows.unmark(every.values())
        rows.remove(leaving)
        if outcome.verb is Verb.ADD:  # one looks at what one has just typed
            rows.insert(wanted.values(), at=0)
        if not len(rows) and rows.pending:  # nothing is under the finger that could move
            self.load()
        self.list.show(stale=list(every.values()))
        self._tally(outcome, count)
        self.recount(before, outcome.entries)
        self.refresh_card()
        first = outcome.entries[0] if outcome.entries else None
        if not (outcome.verb is Verb.EDIT and first and first.state is State.OPEN):  # that card is still being read
            self.shown_at = clock.now()
        self.toast.show(news.verdict(outcome, shown, count, clock.now()), back="u undo")
        self.app.settle(ids)

    def recount(self, before: Sequence[Kind], after: Sequence[Entry]) -> None:
        """Bring the splits' counts up to date; these kinds of row were shown before the verdict."""
        self._count()

    def _tally(self, outcome: Outcome, count: int) -> None:
        """Today's verdicts, without a query."""
        verb = outcome.verb
        dropped, undecided = verb in (Verb.DISMISS, Verb.RETIRE), verb in (Verb.SNOOZE, Verb.REOPEN, Verb.VOUCH)
        if not undecided and any(entry.state is not State.OPEN for entry in outcome.entries):
            self.app.today["dropped" if dropped else "merged" if verb is Verb.MERGE else "kept"] += count
        if verb is Verb.MERGE:  # what they went into is kept by that, if it was a candidate
            was = (outcome.before.get(entry.id) for entry in outcome.entries if entry.state is State.ACTIVE)
            self.app.today["kept"] += sum(one is not None and one.state is State.OPEN for one in was)

    def returned(self, outcome: Outcome) -> None:
        """Rows are as they were: show them, in another split if need be."""
        curator = self.app.curator
        self.own.add(outcome.batch)
        ids = [entry.id for entry in outcome.entries]
        every, wanted = curator.lessons.rows_of(ids), curator.lessons.among(ids, self.wanted)
        first = outcome.entries[0]
        if not wanted and first.waits and curator.lessons.among(ids, self.query_for(self.SPLITS[0])):
            self.split, self.words = self.SPLITS[0], ()
            self.load(keep=False)
            wanted = curator.lessons.among(ids, self.wanted)
        rows = self.list.rows
        there = curator.lessons.heads(rows.visible())
        gone = [seq for seq in rows.visible() if seq not in there]
        rows.remove([*gone, *(seq for id_, seq in every.items() if id_ not in wanted)])
        shown = {seq for seq in wanted.values() if rows.holds(seq)}
        rows.insert(wanted.values())
        back = [id_ for id_ in ids if id_ in wanted]
        back.sort(key=lambda id_: (wanted[id_] in shown, wanted[id_] not in rows.acted_on))
        if back:  # what comes back is meant, and of that what was acted on, not what it had gone into
            rows.go_to(wanted[back[0]])
            first = next(entry for entry in outcome.entries if entry.id == back[0])
        self.list.show(stale=list(every.values()))
        self._count()
        self.refresh_card()
        event = curator.lessons.history(first.id)[-1:] if first.id in every else []  # what was added by hand is no more
        fields = set(event[0].after or {}) if event else set()
        key = "U redo" if outcome.verb is Verb.UNDO else "u undo"
        self.toast.show(news.again(outcome, first, fields, clock.now()), back=key)
        self.app.settle(ids)


def _worded(entry: Entry) -> tuple[str, State, str, str]:
    """What an edit of the words settles: one of the category, the scope or the code leaves a draft as it is."""
    return entry.id, entry.state, entry.headline, entry.insight
