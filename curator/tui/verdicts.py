"""The keys that decide: each is one call of the app."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from curator import app, clock
from curator.app import (
    REASONS,
    SNOOZES,
    Curator,
    Outcome,
    Resolution,
    Target,
    offers,
    refused,
)
from curator.errors import CuratorError
from curator.model import Category, Entry, Kind, State
from curator.tui.clipboard import as_markdown, copy
from curator.tui.decisions import Deciding, Part
from curator.tui.editor import Editor
from curator.tui.text import share

DIGITS = {1: Resolution.NEWER, 2: Resolution.OLDER, 3: Resolution.BOTH, 4: Resolution.MERGE}
SCOPES = (("1", "This project"), ("2", "Everywhere"))


class Verdicts(Deciding):
    """Browse with verdicts."""

    looked_for = ""
    """The entry of which ``m`` has just said that nothing is much like it."""

    # --- the verdicts -------------------------------------------------------------------------------------------------

    def act_keep(self) -> None:
        """Keep, accept, confirm."""
        ids = [head.id for seq in self.list.rows.chosen() if (head := self.head_of(seq))]
        orders = self.app.curator.lessons.orders(ids) if len(ids) > 1 else set()
        plain = [id_ for id_ in ids if id_ not in orders]
        if orders and not plain:
            self.toast.show("They give orders to the agent: decide them one by one (esc clears the marks)")
            return
        wanted = plain if orders else None

        def accept(curator: Curator, ids: Sequence[str], seconds: float | None) -> Outcome:
            return curator.verdicts.accept(ids, seconds=seconds)

        self.decide(accept, ids=wanted, keeps=Part.STATEMENT, left=len(orders))

    def act_drop(self) -> None:
        """Dismiss or retire."""
        self.decide(lambda curator, ids, seconds: curator.verdicts.drop(ids, seconds=seconds))

    def act_drop_because(self) -> None:
        """The same with a reason, asked before."""
        options = [(str(at), reason) for at, reason in enumerate(REASONS, 1)]
        if not self.list.rows.chosen():
            self.at_hand()
            return
        if self.entry and self.entry.kind is Kind.CONFLICT:
            options.append(("5", "no conflict"))

        def answer(key: str) -> None:
            if key == "5":
                self.decide(lambda curator, ids, seconds: curator.verdicts.acquit(ids, seconds=seconds))
            else:
                reason = REASONS[int(key) - 1]
                self.decide(lambda curator, ids, seconds: curator.verdicts.drop(ids, reason=reason, seconds=seconds))

        self.ask(options, answer)

    def act_choose_digit(self, digit: int) -> None:
        """A wording, a side of the conflict, or how long to snooze a stale lesson: of this card, whatever is marked."""
        entry = self.at_hand()
        if entry is None:
            return
        if entry.kind is Kind.CONFLICT and digit == 4:
            self.act_merge()  # no merge without a look at what it makes
        elif entry.kind is Kind.CONFLICT:
            self.decide(
                lambda curator, ids, seconds: curator.verdicts.resolve(ids, DIGITS[digit], seconds=seconds),
                ids=[entry.id],
                keeps=Part.CHOICE,
            )
        elif entry.kind is Kind.STALE:
            self._snooze(digit, ids=[entry.id])
        elif entry.state is State.OPEN:
            shown = [str(one) for one, _, _ in offers(entry)]  # what stands on the card already is not offered
            if str(digit) not in shown:
                raise CuratorError(f"{entry.id} has no wording {digit}.", f"It offers {', '.join(shown) or 'none'}.")

            def keep(curator: Curator, ids: Sequence[str], seconds: float | None) -> Outcome:
                return curator.verdicts.accept(ids, wording=digit, seconds=seconds)

            self.decide(keep, ids=[entry.id], repeatable=False, keeps=Part.CHOICE)

    def act_supersede(self) -> None:
        """The newer side wins; outside a conflict, choose whose place it takes."""
        entries = self.chosen_entries()
        if entries and all(entry.kind is Kind.CONFLICT for entry in entries):
            self.decide(
                lambda curator, ids, seconds: curator.verdicts.resolve(ids, Resolution.NEWER, seconds=seconds),
                keeps=Part.CHOICE,
            )
        elif len(entries) > 1:
            self.toast.show(f"One row at a time takes another's place; {len(entries)} are marked (esc clears the marks).")
        elif entries and self.has_read(Part.STATEMENT):
            self._against(entries, self._places(entries[0]), "No lesson is similar enough to be replaced by it.")

    def act_older_wins(self) -> None:
        """The older side wins."""
        self.decide(
            lambda curator, ids, seconds: curator.verdicts.resolve(ids, Resolution.OLDER, seconds=seconds), keeps=Part.CHOICE
        )

    def act_merge(self) -> None:
        """Look at what a merge would make; of several marked rows one takes the others in."""
        entries = self.chosen_entries()
        if not entries:
            return
        curator = self.app.curator
        targets = (
            app.targets.alike(curator, entries[0])
            if len(entries) == 1
            else app.targets.of_group(curator, [entry.id for entry in entries])
        )
        nearest = [] if targets else app.targets.of_entry(curator, entries[0])
        if nearest and self.looked_for != entries[0].id:
            self.looked_for = entries[0].id
            first = nearest[0]
            near = f"a {first.entry.kind} {share(first.likeness)} alike, “{first.entry.headline}”"
            self.toast.show(f"Nothing says nearly the same. m again: {near}", once=True)
            return
        self._against(entries, targets or nearest, "Nothing is like it. Mark rows with space, and m merges these.", merge=True)

    def chosen_entries(self) -> Sequence[Entry]:
        """What is chosen, whole: the marked rows, or else the card."""
        heads = [self.head_of(seq) for seq in self.list.rows.chosen()]
        if not heads:
            self.at_hand()
        return [entry for head in heads if head and (entry := self.app.curator.lessons.peek(head.id))]

    def _places(self, entry: Entry) -> Sequence[Target]:
        return [target for target in app.targets.of_entry(self.app.curator, entry) if target.entry.state is State.ACTIVE]

    def _against(self, entries: Sequence[Entry], targets: Sequence[Target], otherwise: str, *, merge: bool = False) -> None:
        """Show what would become of entries and a target; done if it is agreed to."""
        if not targets:
            self.toast.show(otherwise)
            return

        from curator.tui.overlays import MergeScreen

        def answer(result: tuple[str, str, str] | None) -> None:
            if result is None:
                return
            target, headline, insight = result

            def call(curator: Curator, ids: Sequence[str], seconds: float | None) -> Outcome:
                if merge:
                    return curator.verdicts.merge(ids, target, headline=headline, insight=insight, seconds=seconds)
                return curator.verdicts.supersede(target, ids[0], seconds=seconds)

            ids = [entry.id for entry in entries if entry.id != target]
            self.decide(call, ids=ids, repeatable=False, read=[*ids, target])

        self.app.push_screen(MergeScreen(entries, targets, supersede=not merge), answer)

    def act_snooze(self) -> None:
        """Put away for the usual time."""
        self.decide(lambda curator, ids, seconds: curator.verdicts.snooze(ids, seconds=seconds))

    def act_accept_repository(self) -> None:
        """Keep all that the repository of the card at hand brings; first it is said how much that is, and by whom."""
        entry = self.at_hand()
        brought = app.sync.brought(self.app.curator, entry.id) if entry else None
        if entry is None or brought is None:
            return
        if not brought.entries:
            self.toast.show("No file of a repository brought this: there is nothing to accept.")
            return
        ids = [one.id for one in brought.entries if not refused(one)]
        left = len(brought.entries) - len(ids)
        if not ids:
            self.toast.show("They give orders to the agent: decide them one by one")
            return

        def accept(curator: Curator, ids: Sequence[str], seconds: float | None) -> Outcome:
            return app.sync.accept(curator, of=entry.id)[0]

        self.ask(
            [("y", f"Keep all: {brought.authors()}; later changes too"), ("n", "Not now")],
            lambda key: self.decide(accept, ids=ids, repeatable=False, left=left) if key == "y" else None,
        )

    def act_vouch(self) -> None:
        """Let agents be told what is refused to them."""
        self.decide(lambda curator, ids, seconds: curator.verdicts.vouch(ids, seconds=seconds), keeps=Part.STATEMENT)

    def act_reopen(self) -> None:
        """Let what expired or was dismissed wait again."""
        self.decide(lambda curator, ids, seconds: curator.verdicts.reopen(ids, seconds=seconds))

    def act_snooze_until(self) -> None:
        """Put away for a chosen time."""
        self.ask([(str(at), label) for at, (label, _) in enumerate(SNOOZES, 1)], lambda key: self._snooze(int(key)))

    def _snooze(self, digit: int, *, ids: Sequence[str] | None = None) -> None:
        _, away = SNOOZES[digit - 1]
        self.decide(lambda curator, ids, seconds: curator.verdicts.snooze(ids, clock.now() + away, seconds=seconds), ids=ids)

    def act_scope(self) -> None:
        """Where it holds."""
        entry = self.at_hand()
        if entry is None:
            return

        folders = app.project_files.folders(self.app.curator, entry)

        def answer(key: str) -> None:
            fields: dict[str, Any] = {"scope": {"1": "project", "2": "global", "3": "paths"}[key]}
            fields["paths"] = folders if key == "3" else ()
            self.decide(lambda curator, ids, seconds: curator.verdicts.edit(ids[0], **fields), ids=[entry.id], repeatable=False)

        self.ask([*SCOPES, ("3", f"Only {' '.join(folders)}")] if folders else SCOPES, answer)

    def act_category(self) -> None:
        """What sort of lesson it is."""
        entry = self.at_hand()
        if entry is None:
            return

        def answer(key: str) -> None:
            chosen = [*Category][int(key) - 1]
            self.decide(
                lambda curator, ids, seconds: curator.verdicts.edit(ids[0], category=chosen), ids=[entry.id], repeatable=False
            )

        self.ask([(str(at), one.value.partition("-")[0]) for at, one in enumerate(Category, 1)], answer)

    def act_repeat(self) -> None:
        """The last verdict, on this row."""
        if self.last is None:
            self.toast.show("There is no verdict to repeat yet.")
        else:
            call, keeps = self.last
            self.decide(call, keeps=keeps)

    # --- text ---------------------------------------------------------------------------------------------------------

    def act_edit(self) -> None:
        """Edit in place."""
        if (entry := self.at_hand()) and self.has_read(Part.STATEMENT):
            stored = entry.headline, entry.insight
            self.remove_class("-no-card")
            self.query_one(Editor).open(entry.id, *(self.app.drafts.get(entry.id) or stored), stored=stored)
            self._tell_of_draft(entry.id)
            self.draw_card(entry, keep_place=False)

    def act_add(self) -> None:
        """A lesson by hand."""
        self.remove_class("-no-card", "-empty")
        self.query_one(Editor).open("", *(self.app.drafts.get("") or ("", "")))
        self._tell_of_draft("")
        self.refresh_card()

    def _tell_of_draft(self, id_: str) -> None:
        """Say that the words in the editor were typed before, and when."""
        draft = self.app.drafts.named(id_)
        self.toast.show(f"a {draft}; ctrl-u clears a field" if draft else "")

    def on_editor_typed(self, event: Editor.Typed) -> None:
        """Keep what is typed, as it is typed, if it is anything new."""
        event.stop()
        self.app.guarded(lambda: self._keep_draft(event.id, (event.headline, event.insight)))
        self.refresh_bars()

    def _keep_draft(self, id_: str, typed: tuple[str, str]) -> None:
        entry = self.entry
        if not any(typed) or (entry and id_ == entry.id and typed == (entry.headline, entry.insight)):
            self.app.drafts.drop(id_)
        else:
            self.app.drafts.put(id_, typed)

    def on_editor_saved(self, event: Editor.Saved) -> None:
        """Save what was typed, and keep the candidate."""
        event.stop()

        def save() -> None:
            if event.id:
                with self.app.curator.verdicts.as_shown(self._on_card(), read=[event.id]):
                    outcome = self.app.curator.verdicts.edit(
                        event.id, keep=True, headline=event.headline, insight=event.insight, seconds=clock.now() - self.shown_at
                    )
            else:
                outcome = self.app.curator.verdicts.add(event.headline, insight=event.insight, read=True)
                self.app.drafts.drop("")
            self.leave_input()
            self.decided(outcome)

        self.app.guarded(save)

    def on_editor_left(self, event: Editor.Left) -> None:
        """What was typed is a draft by now."""
        event.stop()
        if self.app.drafts.get(event.id):
            self.toast.show("kept as a draft: e opens it again" if event.id else "kept as a draft: a opens it again")
        self.leave_input()
        self.app.guarded(self.refresh_card)

    def act_code(self) -> None:
        """Say which code it speaks of."""
        from curator.tui.code_picker import Place, ask

        def point(places: Sequence[Place]) -> None:
            self.decide(lambda curator, ids, seconds: app.anchoring.point(curator, ids[0], places), ids=ids, repeatable=False)

        if entry := self.at_hand():
            ids = [entry.id]
            ask(self.app, entry, point)

    def act_edit_whole(self) -> None:
        """Edit in $EDITOR."""
        from curator.tui.clipboard import edit_outside

        if entry := self.at_hand():
            texts = edit_outside(self.app, entry)
            if texts is not None:
                self.decided(self.app.curator.verdicts.edit(entry.id, headline=texts[0], insight=texts[1]))

    def act_copy(self) -> None:
        """Copy the lesson's text."""
        if self.entry:
            self.toast.show(copy(self.app, f"{self.entry.headline}\n{self.entry.insight}"))

    def act_copy_whole(self) -> None:
        """Copy the lesson as Markdown."""
        if self.entry:
            self.toast.show(f"all of it as Markdown, with its evidence: {copy(self.app, as_markdown(self.entry))}")

    # --- back and forth -----------------------------------------------------------------------------------------------

    def act_undo(self) -> None:
        """Take back the last verdict and go to its row."""
        self.returned(self.app.curator.verdicts.undo())

    def act_redo(self) -> None:
        """Do again what was undone."""
        self.returned(self.app.curator.verdicts.redo())
