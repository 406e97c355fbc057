"""The execution of decisions: save it, remove it from the list, report it in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath

from rich.cells import cell_len

from curator import app, clock
from curator.app import Curator, Outcome
from curator.model import APART, MEMORY, Entry, State, Verb
from curator.settings import remember
from curator.text.words import pluralize
from curator.tui import styles
from curator.tui.list_parts import ListBase, Part
from curator.tui.text import fit, moment

Call = Callable[[Curator, Sequence[str]], Outcome]
NEW_CARD_GRACE_SECONDS = 0.5
"""Seconds after a card replaced another in which nobody can have read it. A key press in that time was meant for the old
card.
"""
BACKGROUND_BATCH_SIZE = 50
"""The number of rows from which a thread writes a batch, so that the next key works at once."""


class Decisions:
    """The state that every decision needs. ``count`` counts the decisions on this screen."""

    def __init__(self, screen: ListBase) -> None:
        self.screen = screen
        self.count = 0
        self.unlike = ""
        """The entry for which curator has just found no similar one."""
        self.asked = False
        """True once curator asked whether decisions reach the notes of agents. It asks once per window."""

    def at_hand(self) -> Entry | None:
        """Return the current entry, if it can be decided on. If another process has decided on it, say so."""
        rows = self.screen.list.rows
        if rows.cursor in rows.settled_rows:
            self.screen.toast.show("Another window has already decided this card. Press j or k to move on.")
            return None
        return self.screen.card.entry

    def decision_entries(self) -> Sequence[Entry]:
        """Return the chosen entries in full: the marked rows, or else the card."""
        heads = self.screen.list.decision_heads()
        if not heads:
            self.at_hand()
        return [entry for head in heads if (entry := self.screen.app.curator.lessons.peek(head.id))]

    def decide(
        self, call: Call, *, ids: Sequence[str] | None = None, keeps: Part = Part.NOTHING, left: int = 0, timed: bool = True
    ) -> None:
        """Make a decision on the chosen entries, move on, and report it. First check that the part that it ``keeps`` was on
        screen.

        ``left``: the number of chosen entries that are skipped. ``timed``: whether the time on the card counts as that of a
        decision.
        """
        heads, entry, toast = self.screen.list.decision_heads(), self.screen.card.entry, self.screen.toast
        if ids is None:
            ids = [head.id for head in heads]
        if not ids:
            self.at_hand()
            return
        if entry and [*ids] == [entry.id] and not self.screen.card.has_read(keeps):
            return
        if entry and clock.now() - self.screen.card.came < NEW_CARD_GRACE_SECONDS:
            toast.show(
                "A different card appeared just before your key press. Nothing was decided; press the key again.", once=True
            )
            return
        burst = self.screen.keys.burst
        if burst.is_still_burst() or burst.is_accidental_burst():
            made = pluralize(burst.count, "decision")
            toast.show(f"Stopped after {made}, in case you were typing. Press u to undo.", bad=True)
            return
        shown = {head.id: (head.state, head.kind, head.headline) for head in heads} | self.screen.card.snapshots()
        seconds = self.screen.card.decision_seconds() if timed and len(ids) == 1 else None

        def decide(curator: Curator) -> Outcome:
            with curator.decisions.guard(shown, lambda: seconds):
                return call(curator, ids)

        def finish(outcome: Outcome) -> None:
            self.take_in(outcome, len(ids))
            if left:
                toast.show(f"Skipped {pluralize(left, 'card')} with a red warning. Decide them one at a time.", back="u undo")

        if len(ids) > BACKGROUND_BATCH_SIZE:
            toast.show(f"saving {pluralize(len(ids), 'decision')} …")
            self.screen.run_in_thread("decide", decide, finish, exclusive=False)
        else:
            self.screen.app.attempt(lambda: finish(decide(self.screen.app.curator)))

    def take_in(self, outcome: Outcome, count: int = 1) -> None:
        """Remove ``count`` decided rows from the list, and show the next card."""
        self.count += 1
        ids = [entry.id for entry in outcome.entries]
        every, wanted = self._rows(outcome, ids)
        rows, shown = self.screen.list.rows, self.screen.card.entry
        leaving = [seq for id_, seq in every.items() if id_ not in wanted]
        before = [head.kind for seq in every.values() if rows.contains(seq) and (head := self.screen.list.head(seq))]
        for entry in outcome.entries:  # A draft of replaced words would overwrite the new ones.
            was = outcome.before.get(entry.id)
            if was and (was.headline, was.insight) != (entry.headline, entry.insight):
                self.screen.app.drafts.drop(entry.id)
        rows.unmark(every.values())
        rows.remove(leaving)
        if outcome.verb is Verb.ADD:  # A person looks at the text just typed.
            rows.insert(wanted.values(), at=0)
        if not len(rows) and rows.pending:  # nothing is under the finger that could move
            self.screen.data.load()
        self.screen.list.show(stale=list(every.values()))
        self._tally(outcome, count)
        self.screen.listing.recount(before, outcome.entries)
        self.screen.card.reload()
        first = outcome.entries[0] if outcome.entries else None
        if not (outcome.verb is Verb.EDIT and first and first.state is State.OPEN):  # that card is still being read
            self.screen.card.shown_at, self.screen.card.paused = clock.now(), False
        host = self.screen.app

        def tell() -> None:
            goes = first is not None and host.curator.settings.memories_for(first.agent) == "apply"
            self.screen.toast.show(decision_message(outcome, shown, count, clock.now(), note_goes=goes), back="u undo")

        tell()
        host.background.settle(ids)
        if any(one.signal == MEMORY for one in outcome.entries):
            self._ask_about_notes(outcome, ids, tell)

    def _ask_about_notes(self, outcome: Outcome, ids: Sequence[str], tell: Callable[[], None]) -> None:
        """Ask, after the first possible decision, whether decisions also reach the notes of agents. Store the answer."""
        host = self.screen.app
        question = "" if self.asked else app.memory_edits.question(host.curator, outcome)

        def answer(key: str) -> None:
            chosen = "apply" if key == "Y" else "read"
            remember(host.curator.settings, "memories", chosen)
            host.curator.settings = host.curator.settings._replace(memories=chosen)
            host.background.settle(ids)
            tell()

        if question and host.keymap.keys().isdisjoint("YN"):
            self.asked = True
            # Capitals, because a second "y" for the next card must not change a note.
            self.screen.keys.ask([("Y", "Yes, always"), ("N", "No, never")], answer, is_optional=True)
            fits = cell_len(question) + 2 <= host.size.width
            self.screen.toast.show(question if fits else question[: question.index("?") + 1], once=True)

    def _rows(self, outcome: Outcome, ids: Sequence[str]) -> tuple[Mapping[str, int], Mapping[str, int]]:
        """Return the rows of changed entries by their ids: all of them, and those that belong to the list."""
        curator = self.screen.app.curator
        self.screen.arrivals.own.add(outcome.batch)
        query = self.screen.listing.rows_query(self.screen.selection)
        return curator.lessons.rows_of(ids), curator.lessons.filter_ids(ids, query)

    def _tally(self, outcome: Outcome, count: int) -> None:
        """Count today's decisions without a query."""
        verb, today = outcome.verb, self.screen.app.today
        dropped, undecided = verb in (Verb.DISMISS, Verb.RETIRE), verb in (Verb.SNOOZE, Verb.REOPEN)
        if not undecided and any(entry.state is not State.OPEN for entry in outcome.entries):
            today["dropped" if dropped else "merged" if verb is Verb.MERGE else "kept"] += count
        if verb is Verb.MERGE:  # the merge keeps the lesson that they went into, if it was a candidate
            was = (outcome.before.get(entry.id) for entry in outcome.entries if entry.state is State.ACTIVE)
            today["kept"] += sum(one is not None and one.state is State.OPEN for one in was)

    def bring_back(self, outcome: Outcome) -> None:
        """Show restored rows, in another split if necessary."""
        screen, curator = self.screen, self.screen.app.curator
        ids = [entry.id for entry in outcome.entries]
        every, wanted = self._rows(outcome, ids)
        first = outcome.entries[0]
        everything = screen.selection._replace(split=screen.listing.SPLITS[0], words=())
        if not wanted and first.waits and curator.lessons.filter_ids(ids, screen.listing.rows_query(everything)):
            screen.selection = everything
            self.screen.data.load(keep=False)
            wanted = curator.lessons.filter_ids(ids, screen.listing.rows_query(screen.selection))
        rows = screen.list.rows
        there = curator.lessons.heads(rows.visible())
        missing = [seq for seq in rows.visible() if seq not in there]
        rows.remove([*missing, *(seq for id_, seq in every.items() if id_ not in wanted)])
        shown = {seq for seq in wanted.values() if rows.contains(seq)}
        rows.insert(wanted.values())
        back = [id_ for id_ in ids if id_ in wanted]
        back.sort(key=lambda id_: (wanted[id_] in shown, wanted[id_] not in rows.decided_rows))
        if back:  # a returning row is meant: first the one acted on, not the one it had gone into
            rows.go_to(wanted[back[0]])
            first = next(entry for entry in outcome.entries if entry.id == back[0])
        screen.list.show(stale=list(every.values()))
        self.screen.data.count()
        self.screen.card.reload()
        key = "U redo" if outcome.verb is Verb.UNDO else "u undo"
        screen.toast.show(undo_message(outcome, first, clock.now()), back=key)
        screen.app.background.settle(ids)


DONE: dict[Verb, str] = {
    Verb.KEEP: "kept",
    Verb.CONFIRM: "confirmed:",
    Verb.EDIT: "saved",
    Verb.DISMISS: "dropped",
    Verb.RETIRE: "retired",
    Verb.MERGE: "merged",
    Verb.SUPERSEDE: "superseded",
    Verb.COEXIST: "both kept",
    Verb.SNOOZE: "snoozed",
    Verb.REOPEN: "back in the inbox:",
    Verb.ADD: "added",
    Verb.UNDO: "undone",
    Verb.REDO: "redone",
}
"""The words for a change, before those of the lesson."""
STATE_WORDS = {
    State.OPEN: "is in the inbox",
    State.ACTIVE: "is a lesson",
    State.RETIRED: "is retired",
    State.DISMISSED: "is dropped",
    State.MERGED: "is merged",
    State.EXPIRED: "is gone",
}
"""The words for an entry's state, after its own."""
SIDE_WIDTH = 30
"""Cells for the first of two lessons in one sentence."""


def decision_message(outcome: Outcome, before: Entry | None, count: int, now: float, *, note_goes: bool = False) -> str:
    """Return the effect of a decision on ``count`` rows. ``before`` is the card that was shown.

    ``note_goes``: the agent's note goes with its card.
    """
    first = outcome.entries[0] if outcome.entries else None
    sign = styles.DROPPED if outcome.verb in (Verb.DISMISS, Verb.RETIRE) else styles.DONE
    if first is None:
        return f"{sign} {DONE.get(outcome.verb, outcome.verb)}"
    done = _decision_words(outcome, first, before if before and before.id == first.id else None, now)
    done = DONE[Verb.DISMISS] if note_goes and outcome.verb is Verb.DISMISS else done
    if outcome.verb is Verb.MERGE or (outcome.verb is Verb.SUPERSEDE and count == 1):
        return f"{sign} {done} {_merge_words(outcome, first, count)}"
    if count > 1:
        return f"{sign} {done.rstrip(':')} {count}"
    return f"{sign} {done} “{first.headline}”"


def _merge_words(outcome: Outcome, first: Entry, count: int) -> str:
    """Return the effect of a merge or a replacement, with the words of both entries. A candidate becomes a lesson."""
    shown = f"“{fit(first.headline, SIDE_WIDTH).rstrip()}”" if count == 1 else f"{count}"
    if len(outcome.entries) < 2:
        return shown
    other = outcome.before.get(outcome.entries[1].id, outcome.entries[1])
    into = "by" if outcome.verb is Verb.SUPERSEDE else "into the new lesson" if other.state is State.OPEN else "into"
    return f"{shown} {into} “{other.headline}”"


def _decision_words(outcome: Outcome, first: Entry, before: Entry | None, now: float) -> str:
    if outcome.verb is Verb.SNOOZE and first.snoozed_until:
        if first.snoozed_until <= now:
            return DONE[Verb.REOPEN]
        return f"snoozed until {moment(first.snoozed_until, now)}:"
    if outcome.verb is Verb.RETIRE and first.state is State.DISMISSED:
        return DONE[Verb.DISMISS]
    if outcome.verb is Verb.DISMISS and first.signal == MEMORY:  # The agent still reads it.
        return f"dropped; the agent's note stays in {PurePath(first.evidence[0].file).name}:"
    if outcome.verb is Verb.CONFIRM and before and before.anchors and not first.anchors:
        return "confirmed; its code no longer exists, so curator stops watching it:"
    if outcome.verb is Verb.COEXIST and first.state is State.OPEN:
        return "not a conflict; now a candidate:"
    if outcome.verb is Verb.COEXIST and any(why == APART for _, why in first.coexists):
        return "kept apart:"
    return _edit_words(first, before) if outcome.verb is Verb.EDIT and before else DONE.get(outcome.verb, outcome.verb)


def _edit_words(after: Entry, before: Entry) -> str:
    """Return the effect of an edit. The card shows the difference."""
    if after.state is not before.state:
        return "saved and kept"
    return "saved; press y to keep it:" if after.state is State.OPEN else "saved"


def learning_message(signals: Sequence[tuple[str, bool]]) -> str:
    """Return the effect of the decisions on rules, each with whether it counts less now.

    >>> learning_message([("standing-rule", True)])
    'learned: cards found by standing-rule now rank lower in this project'
    """
    parts = []
    for less in (True, False):
        if names := [signal for signal, is_less in signals if is_less is less]:
            parts.append(f"cards found by {' and '.join(names)} now rank {'lower' if less else 'higher'} in this project")
    return f"learned: {'; '.join(parts)}"


def undo_message(outcome: Outcome, entry: Entry, now: float) -> str:
    """Return the effect of an undo or redo on an entry, and the number of other entries that changed or are gone."""
    others = [one.state for one in outcome.entries if one.id != entry.id]
    gone = 0 if entry.state is State.EXPIRED else others.count(State.EXPIRED)
    more = f", and {pluralize(len(others) - gone, 'other')} with it" if len(others) > gone else ""
    less = f"; {pluralize(gone, 'new card')} gone" if gone else ""
    became = _change_words(entry, outcome.before.get(entry.id), now)
    return f"{styles.DONE} {DONE[outcome.verb]}: “{entry.headline}”{f' {became}' if became else ''}{more}{less}"


def _change_words(entry: Entry, before: Entry | None, now: float) -> str:
    """Return the list in which an entry is again. Return an empty text if it stays, and only its card shows the difference."""
    if before is None or entry.state is not before.state:
        return STATE_WORDS[entry.state] if entry.state is State.EXPIRED else f"{STATE_WORDS[entry.state]} again"
    if entry.snoozed_until != before.snoozed_until:
        until = entry.snoozed_until or 0.0
        return f"is snoozed until {moment(until, now)} again" if until > now else "is in the inbox again"
    if entry.left_out is not before.left_out:
        return "is left out again" if entry.left_out else "is shown again"
    return ""
