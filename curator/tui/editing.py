"""Typing into a card: the editor is opened and left, its words are kept as a draft and saved."""

from __future__ import annotations

from curator import clock
from curator.tui.card_frame import CardFrame
from curator.tui.decisions import Decisions
from curator.tui.editor import Editor
from curator.tui.list_screen import ListScreen


class Editing:
    """What becomes of words typed on a list's screen."""

    def __init__(self, board: ListScreen, card: CardFrame, decisions: Decisions) -> None:
        self.board = board
        self.card = card
        self.decisions = decisions

    def open(self) -> None:
        """Edit the card at hand, or its draft."""
        if entry := self.card.entry:
            stored = entry.headline, entry.insight
            self.card.screen.remove_class("-no-card")
            self.card.editor.open(entry.id, *(self.board.app.drafts.get(entry.id) or stored), stored=stored)
            self._tell_of_draft(entry.id)
            self.card.draw(keep_place=False)

    def add(self) -> None:
        """Type a new lesson, or go on with one."""
        self.card.screen.remove_class("-no-card", "-empty")
        self.card.editor.open("", *(self.board.app.drafts.get("") or ("", "")))
        self._tell_of_draft("")
        self.card.reload()

    def _tell_of_draft(self, id_: str) -> None:
        """Say that the words in the editor were typed before, and when."""
        draft = self.board.app.drafts.named(id_)
        self.board.toast.show(f"a {draft}; ctrl-u clears a field" if draft else "")

    def keep_draft(self, event: Editor.Typed) -> None:
        """Keep what is typed, as it is typed, if it is anything new."""
        drafts, entry, typed = self.board.app.drafts, self.card.entry, (event.headline, event.insight)
        if not any(typed) or (entry and event.id == entry.id and typed == (entry.headline, entry.insight)):
            drafts.drop(event.id)
        else:
            drafts.put(event.id, typed)

    def save(self, event: Editor.Saved) -> None:
        """Save what was typed, and keep the candidate."""
        curator = self.board.app.curator
        if event.id:
            with curator.verdicts.as_shown(self.card.as_shown(), read=[event.id]):
                seconds = clock.now() - self.card.shown_at
                outcome = curator.verdicts.edit(
                    event.id, keep=True, headline=event.headline, insight=event.insight, seconds=seconds
                )
        else:
            outcome = curator.verdicts.add(event.headline, insight=event.insight, read=True)
            self.board.app.drafts.drop("")
        self.board.leave_input()
        self.decisions.take_in(outcome)

    def leave(self, event: Editor.Left) -> None:
        """What was typed is a draft by now."""
        if self.board.app.drafts.get(event.id):
            self.board.toast.show("kept as a draft: e opens it again" if event.id else "kept as a draft: a opens it again")
        self.board.leave_input()
        self.board.app.guarded(self.card.reload)
