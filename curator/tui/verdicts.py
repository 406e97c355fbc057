"""The keys that decide: each is one call of the service, saved before the next card is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from textual import work

from curator import clock
from curator.model import Entry, Kind, State, Verb
from curator.service import REASONS, SNOOZES, Curator, Outcome, Resolution, Shown
from curator.tui import signs
from curator.tui.browse import Browse
from curator.tui.copying import as_markdown, copy
from curator.tui.editor import Editor
from curator.tui.overlays import MergeScreen
from curator.tui.text import plural

Call = Callable[[Curator, Sequence[str], float | None], Outcome]

DONE: dict[Verb, str] = {
    Verb.KEEP: "kept",
    Verb.CONFIRM: "still true:",
    Verb.EDIT: "saved",
    Verb.DISMISS: "dropped",
    Verb.RETIRE: "retired",
    Verb.MERGE: "merged",
    Verb.SUPERSEDE: "superseded",
    Verb.COEXIST: "both kept",
    Verb.SNOOZE: "snoozed",
    Verb.ADD: "added",
    Verb.UNDO: "undone",
    Verb.REDO: "done again",
}
DIGITS = {1: Resolution.NEWER, 2: Resolution.OLDER, 3: Resolution.BOTH, 4: Resolution.MERGE}
SCOPES = (("1", "This project"), ("2", "Everywhere"), ("3", "These folders"))
MANY = 50
"""Above this a batch is written by a thread, so that the next key is taken at once."""


class Verdicts(Browse):
    """Browse with verdicts."""

    last: Call | None = None

    # --- how a verdict is carried out ---------------------------------------------------------------------------------

    def decide(self, call: Call, *, ids: Sequence[str] | None = None, repeatable: bool = True) -> None:
        """Carry out a verdict on what is chosen, move on, and say what was done."""
        heads = [head for seq in self.list.rows.chosen() if (head := self.head_of(seq))]
        if ids is None:
            ids = [head.id for head in heads]
        if not ids:
            return
        shown = {head.id: (head.state, head.kind, head.headline) for head in heads} | self._on_card()
        if repeatable:
            self.last = call
        seconds = clock.now() - self.shown_at if len(ids) == 1 else None
        if len(ids) > MANY:
            self.toast.show(f"saving {plural(len(ids), 'verdict')} …")
            self._decide_many(call, ids, shown)
            return

        def decide() -> None:
            with self.app.curator.as_shown(shown):
                outcome = call(self.app.curator, ids, seconds)
            self.decided(outcome)

        self.guarded(decide)

    def _on_card(self) -> dict[str, Shown]:
        return {self.entry.id: (self.entry.state, self.entry.kind, self.entry.headline)} if self.entry else {}

    @work(thread=True, group="decide", exit_on_error=False)
    def _decide_many(self, call: Call, ids: Sequence[str], shown: Mapping[str, Shown]) -> None:
        from curator.errors import CuratorError

        curator = self.app.curator.fork()
        try:
            with curator.as_shown(shown):
                outcome = call(curator, ids, None)
        except CuratorError as error:
            self.app.call_from_thread(self.toast.show, " ".join(str(error).split("\n")), bad=True)
            return
        finally:
            curator.close()
        self.app.call_from_thread(self.decided, outcome)

    def decided(self, outcome: Outcome) -> None:
        """The verdict is saved: take it into the list, and show the next card."""
        curator = self.app.curator
        self.own.add(outcome.batch)
        ids = [entry.id for entry in outcome.entries]
        every, wanted = curator.rows_of(ids), curator.among(ids, self.wanted)
        rows = self.list.rows
        leaving = [seq for id_, seq in every.items() if id_ not in wanted]
        before = [head.kind for seq in every.values() if rows.holds(seq) and (head := self.head_of(seq))]
        for id_ in ids:
            self.drafts.pop(id_, None)
        rows.clear()
        rows.remove(leaving)
        self.list.show(stale=list(every.values()))
        self._tally(outcome)
        self.recount(before, outcome.entries)
        self.refresh_card()
        first = outcome.entries[0] if outcome.entries else None
        self.toast.show(self._sentence(outcome, first), undo=True)
        self.app.settle(ids)

    def recount(self, before: Sequence[Kind], after: Sequence[Entry]) -> None:
        """Bring the splits' counts up to date; these kinds of row were shown before the verdict."""
        self._count()

    def _tally(self, outcome: Outcome) -> None:
        """Today's verdicts, without a query."""
        count = len(outcome.entries)
        if outcome.verb in (Verb.DISMISS, Verb.RETIRE):
            self.app.today["dropped"] += count
        elif outcome.verb is Verb.MERGE:
            self.app.today["merged"] += count // 2
        elif outcome.verb is not Verb.SNOOZE:
            self.app.today["kept"] += count // 2 if outcome.verb is Verb.SUPERSEDE else count

    def _sentence(self, outcome: Outcome, first: Entry | None) -> str:
        sign = signs.GONE if outcome.verb in (Verb.DISMISS, Verb.RETIRE) else signs.DONE
        done = DONE.get(outcome.verb, outcome.verb)
        if outcome.verb is Verb.RETIRE and first and first.state is State.DISMISSED:
            done = "dropped"
        related = outcome.verb in (Verb.MERGE, Verb.SUPERSEDE)
        count = len(outcome.entries) // 2 if related else len(outcome.entries)
        if count > 1:
            return f"{sign} {done} {count}"
        return f"{sign} {done} “{first.headline}”" if first else f"{sign} {done}"

    # --- the verdicts -------------------------------------------------------------------------------------------------

    def act_keep(self) -> None:
        """Keep, accept, confirm."""
        self.decide(lambda curator, ids, seconds: curator.accept(ids, seconds=seconds))

    def act_drop(self) -> None:
        """Dismiss or retire."""
        self.decide(lambda curator, ids, seconds: curator.drop(ids, seconds=seconds))

    def act_drop_because(self) -> None:
        """The same with a reason, asked before."""
        options = [(str(at), reason) for at, reason in enumerate(REASONS, 1)]
        if self.entry and self.entry.kind is Kind.CONFLICT:
            options.append(("5", "no conflict"))

        def answer(key: str) -> None:
            if key == "5":
                self.decide(lambda curator, ids, seconds: curator.acquit(ids, seconds=seconds))
            else:
                reason = REASONS[int(key) - 1]
                self.decide(lambda curator, ids, seconds: curator.drop(ids, reason=reason, seconds=seconds))

        self.ask(options, answer)

    def act_choose_digit(self, digit: int) -> None:
        """An offered wording, a side of the conflict, or how long to snooze a stale lesson."""
        if self.entry is None:
            return
        if self.entry.kind is Kind.CONFLICT:
            self.decide(lambda curator, ids, seconds: curator.resolve(ids, DIGITS[digit], seconds=seconds))
        elif self.entry.kind is Kind.STALE:
            self._snooze(digit)
        elif self.entry.state is State.OPEN:
            here = [self.entry.id]  # a wording belongs to this card, whatever is marked
            self.decide(
                lambda curator, ids, seconds: curator.accept(ids, wording=digit, seconds=seconds), ids=here, repeatable=False
            )

    def act_supersede(self) -> None:
        """The newer side wins; outside a conflict, choose whose place it takes."""
        if self.entry and self.entry.kind is Kind.CONFLICT:
            self.decide(lambda curator, ids, seconds: curator.resolve(ids, Resolution.NEWER, seconds=seconds))
        else:
            self._against(supersede=True)

    def act_older_wins(self) -> None:
        """The older side wins."""
        self.decide(lambda curator, ids, seconds: curator.resolve(ids, Resolution.OLDER, seconds=seconds))

    def act_merge(self) -> None:
        """Look at what a merge would make; with marks, all of them go into one."""
        self._against(supersede=False)

    def _against(self, *, supersede: bool) -> None:
        if self.entry is None:
            return
        entry = self.entry
        heads = [self.head_of(seq) for seq in self.list.rows.chosen()]
        chosen = [head.id for head in heads if head and head.id != entry.id]
        targets = self.app.curator.targets(entry, among=() if supersede else chosen)
        targets = [target for target in targets if not supersede or target.entry.state is State.ACTIVE]
        if not targets:
            other = (
                "No lesson is stored yet that it could take the place of."
                if supersede
                else "There is nothing to merge it into yet."
            )
            self.toast.show(other)
            return

        def answer(result: tuple[str, str, str] | None) -> None:
            if result is None:
                return
            target, headline, insight = result
            ids = [id_ for id_ in (entry.id, *chosen) if id_ != target]

            def call(curator: Curator, ids: Sequence[str], seconds: float | None) -> Outcome:
                if supersede:
                    return curator.supersede(target, ids[0], seconds=seconds)
                return curator.merge(ids, target, headline=headline, insight=insight, seconds=seconds)

            self.decide(call, ids=ids, repeatable=False)

        self.app.push_screen(MergeScreen(entry, targets, supersede=supersede), answer)

    def act_snooze(self) -> None:
        """Put away for the usual time."""
        self.decide(lambda curator, ids, seconds: curator.snooze(ids, seconds=seconds))

    def act_snooze_until(self) -> None:
        """Put away for a chosen time."""
        self.ask([(str(at), label) for at, (label, _) in enumerate(SNOOZES, 1)], lambda key: self._snooze(int(key)))

    def _snooze(self, digit: int) -> None:
        until = clock.now() + SNOOZES[digit - 1][1]
        self.decide(lambda curator, ids, seconds: curator.snooze(ids, until, seconds=seconds))

    def act_scope(self) -> None:
        """Where it holds."""
        entry = self.entry
        if entry is None:
            return

        def answer(key: str) -> None:
            folders = tuple(dict.fromkeys(path.rpartition("/")[0] or path for path in entry.files))
            if key == "3" and not folders:
                self.toast.show("The card names no files, so there are no folders to bind it to.")
                return
            fields: dict[str, Any] = {"scope": {"1": "project", "2": "global", "3": "paths"}[key]}
            fields["paths"] = folders if key == "3" else ()
            self.decide(lambda curator, ids, seconds: curator.edit(ids[0], **fields), ids=[entry.id], repeatable=False)

        self.ask(SCOPES, answer)

    def act_repeat(self) -> None:
        """The last verdict, on this row."""
        if self.last is None:
            self.toast.show("There is no verdict to repeat yet.")
        else:
            self.decide(self.last)

    # --- text ---------------------------------------------------------------------------------------------------------

    def act_edit(self) -> None:
        """Edit in place."""
        if self.entry:
            headline, insight = self.drafts.get(self.entry.id, (self.entry.headline, self.entry.insight))
            self.remove_class("-no-card")
            self.query_one(Editor).open(self.entry.id, headline, insight)

    def act_add(self) -> None:
        """A lesson by hand."""
        self.remove_class("-no-card", "-empty")
        self.query_one(Editor).open("", *self.drafts.get("", ("", "")))

    def on_editor_saved(self, event: Editor.Saved) -> None:
        """Save what was typed, and keep the candidate."""
        event.stop()

        def save() -> None:
            if event.id:
                with self.app.curator.as_shown(self._on_card()):
                    outcome = self.app.curator.edit(
                        event.id, keep=True, headline=event.headline, insight=event.insight, seconds=clock.now() - self.shown_at
                    )
            else:
                outcome = self.app.curator.add(event.headline, insight=event.insight)
                self.drafts.pop("", None)
            self.leave_input()
            self.decided(outcome)

        self.guarded(save)

    def on_editor_left(self, event: Editor.Left) -> None:
        """Keep what was typed as a draft, if it is anything new."""
        event.stop()
        entry = self.entry
        typed = (event.headline, event.insight)
        if any(typed) and not (entry and event.id == entry.id and typed == (entry.headline, entry.insight)):
            self.drafts[event.id] = typed
            self.toast.show("kept as a draft: e opens it again" if event.id else "kept as a draft: a opens it again")
        self.leave_input()
        self.refresh_card()

    def act_edit_whole(self) -> None:
        """Edit in $EDITOR."""
        from curator.tui.copying import edit_outside

        entry = self.entry
        if entry is None:
            return

        def save() -> None:
            texts = edit_outside(self.app, entry)
            if texts is not None:
                self.decided(self.app.curator.edit(entry.id, headline=texts[0], insight=texts[1]))

        self.guarded(save)

    def act_copy(self) -> None:
        """Copy the lesson's text."""
        if self.entry:
            self.toast.show(copy(self.app, f"{self.entry.headline}\n{self.entry.insight}"))

    def act_copy_whole(self) -> None:
        """Copy the lesson as Markdown."""
        if self.entry:
            self.toast.show(copy(self.app, as_markdown(self.entry)))

    # --- back and forth -----------------------------------------------------------------------------------------------

    def act_undo(self) -> None:
        """Take back the last verdict and go to its row."""
        self.guarded(lambda: self.returned(self.app.curator.undo()))

    def act_redo(self) -> None:
        """Do again what was undone."""
        self.guarded(lambda: self.returned(self.app.curator.redo()))

    def returned(self, outcome: Outcome) -> None:
        """Rows are as they were: show them, in another split if need be."""
        curator = self.app.curator
        self.own.add(outcome.batch)
        ids = [entry.id for entry in outcome.entries]
        every, wanted = curator.rows_of(ids), curator.among(ids, self.wanted)
        first = outcome.entries[0]
        if not wanted and first.waits and curator.among(ids, self.query_for(self.SPLITS[0])):
            self.split, self.words = self.SPLITS[0], ()
            self.load(keep=False)
            wanted = curator.among(ids, self.wanted)
        rows = self.list.rows
        there = curator.heads(rows.visible())
        gone = [seq for seq in rows.visible() if seq not in there]
        rows.remove([*gone, *(seq for id_, seq in every.items() if id_ not in wanted)])
        rows.insert([wanted[id_] for id_ in ids if id_ in wanted])
        for id_ in ids:
            if id_ in wanted:
                rows.go_to(wanted[id_])
                break
        self.list.show(stale=list(every.values()))
        self._count()
        self.refresh_card()
        self.toast.show(self._sentence(outcome, first))
        self.app.settle(ids)
