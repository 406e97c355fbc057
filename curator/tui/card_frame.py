"""The frame next to the list: the card at the cursor, the editor, or a text without a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum, auto

from rich.text import Text

from curator import app, clock
from curator.app import Snapshot
from curator.model import FROM_FILE, MEMORY, Entry, Kind, State
from curator.tui.app_state import AppState, ListScreenParts
from curator.tui.card import Layout, View, layout, meta
from curator.tui.editor import Editor
from curator.tui.pane import Compose, Frame, Pane
from curator.tui.styles import Palette


class Part(Enum):
    """The part of a card that a decision keeps. A person must have read it."""

    NOTHING = auto()
    STATEMENT = auto()
    CHOICE = auto()


class CardFrame(Frame):
    """The current card: its ``entry``, its visible quote, whether it explains ``why``, and the time since it is shown.

    ``empty`` is the text if there is no row.
    """

    app: AppState

    def __init__(self, screen: ListScreenParts, empty: Compose) -> None:
        self.list_screen = screen
        self.empty = empty
        self.editor = Editor(id="editor")
        self.pane = Pane(id="card")
        super().__init__(self.pane, id="side")
        self.entry: Entry | None = None
        self.seq: int | None = None
        """The row of the last drawn card."""
        self.quote = 0
        self.why = False
        self.destination = ""
        """The project of a new lesson in words; empty if there is only one."""
        self.shown_at = 0.0
        self.paused = False
        """True after a long silence on this card, which makes its decision time unknown."""
        self.came = 0.0
        """The time at which a card last replaced another by itself."""
        self.welcome_changed_at = 0.0
        """The time at which a card last replaced the welcome, or the welcome a card."""
        self._card_layout = Layout([], 0, 0)

    @property
    def adding(self) -> bool:
        """True while a person types a new lesson, which has nothing to do with the current card."""
        return self.editor.display and not self.editor.entry_id

    def edit(self, entry_id: str, texts: tuple[str, str], *, stored: tuple[str, str] | None = None) -> None:
        """Edit texts above the card: see ``Editor.open``. The editor comes when it is first needed."""
        if not self.editor.is_attached:
            self.mount(self.editor, before=self.pane)
        self.editor.open(entry_id, *texts, stored=stored)

    def note_pause(self, last: float) -> None:
        """Note whether the silence since the last key, or since the card came, was a pause."""
        self.paused = self.paused or clock.now() - max(last, self.shown_at) > app.PAUSE_SECONDS

    def decision_seconds(self) -> float | None:
        """The time for which the card has been shown; ``None`` once there was a pause."""
        return None if self.paused else clock.now() - self.shown_at

    def reload(self) -> None:
        """Draw the card of the row under the cursor from the database."""
        seq = self.list_screen.list.rows.cursor
        same = seq == self.seq
        if (seq is None) != (self.seq is None) and self.app.welcome is not None:
            self.welcome_changed_at = clock.now()
        self.entry = None  # If reading fails, no key may decide on an invisible card.
        entry = self.app.curator.lessons.entry_at_row(seq) if seq is not None else None
        self.entry = self.app.curator.lessons.with_score(entry) if entry else None
        if not same:
            self.seq, self.quote, self.why, self.shown_at, self.paused = seq, 0, False, clock.now(), False
        words = self.list_screen.selection.words
        empty = self.entry is None and (not words or self.screen.has_class("-no-card"))
        self.screen.set_class(empty, "-empty")  # A filter without matches changes nothing.
        if self.adding:
            self.set_title(f"a new lesson{self.destination}, by hand")
            self.pane.show(lambda width, palette: ())
        elif self.entry is None:
            self.set_title(f"/{' '.join(words)}" if words else "")
            self.draw_empty()
        else:
            self.draw(keep_place=same)
        self.list_screen.refresh_bars()

    def draw_empty(self) -> None:
        """Draw the text for an empty list, unless something else is shown."""
        if self.entry is None and not self.adding:
            self.pane.show(self.empty)

    def draw(self, *, keep_place: bool) -> None:
        """Draw the current card, with its kind and scope in the border."""
        if (entry := self.entry) is None:
            return
        view, coloured = self._view(entry), self.app.coloured
        self.set_title(meta(entry, view))

        def compose_lines(width: int, palette: Palette) -> Sequence[Text]:
            palette = palette if coloured else palette._replace(coloured=False)
            self._card_layout = layout(entry, view, width, palette, self.pane.content_size.height)
            return self._card_layout.lines

        self.pane.show(compose_lines, keep_place=keep_place)

    def _view(self, entry: Entry) -> View:
        """Return the values that the card needs besides the entry."""
        rival = self.app.curator.lessons.peek(entry.rival.other) if entry.rival else None
        members = self.app.curator.verdicts.members(entry)
        return View(
            now=clock.now(),
            project=self.app.names.of(entry.project),
            rival=rival,
            members=members,
            homes=[self.app.names.of(one.project) for one in (entry, *members)],
            quote=self.quote,
            why=self.why,
            draft=self.app.drafts.label_with_headline(entry.id),
            editing=self.editor.display,
            outcome=" ".join(filter(None, self._outcomes(entry))),
            origin=app.origins.origin(self.app.curator, entry) if entry.signal == FROM_FILE else "",
            team=app.origins.team(self.app.curator, entry) if entry.signal == FROM_FILE else "",
        )

    def _outcomes(self, entry: Entry) -> Iterator[str]:
        """Yield the outcomes of a sent lesson. Most cards are candidates, so the first card does not load these packages."""
        if entry.state is State.ACTIVE:
            yield app.statistics.outcome_sentence(self.app.curator, entry)
        if entry.signal == MEMORY and entry.state is not State.OPEN:
            yield app.memory_edits.asked(self.app.curator, entry)

    def has_read(self, part: Part) -> bool:
        """Return whether a part of the card was on the screen to its end.

        If not, scroll on and say so.
        """
        entry, screen, toast = self.entry, self.screen, self.list_screen.toast
        if part is Part.NOTHING or entry is None:
            return True
        whole = part is Part.CHOICE or entry.kind in (Kind.CONFLICT, Kind.CONSOLIDATE)
        if screen.has_class("-no-card") and (whole or entry.insight.rstrip(".") != entry.headline.rstrip(".")):
            screen.remove_class("-no-card")
            toast.show("The list shows only part of it. Read the card, then press the same key again.", once=True)
            return False
        if self.pane.reveal(self._card_layout.choice if whole else self._card_layout.statement):
            return True
        toast.show("There is more text: read to the end, then press the same key again.", once=True)
        return False

    def snapshots(self) -> dict[str, Snapshot]:
        """Return the visible entries, so that a decision can be checked against the stored ones."""
        if (one := self.entry) is None:
            return {}
        return {one.id: (one.state, one.kind, one.headline, one.insight, one.wordings)}
