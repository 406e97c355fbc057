"""Class Board: the screen of a list with its card; loads rows, shows them, carries out keys."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.containers import Container
from textual.screen import ModalScreen, Screen
from textual.widgets import Input
from textual.worker import Worker, WorkerState

from curator import app, clock
from curator.model import Entry, Head, Kind, Query, State
from curator.tui import styles
from curator.tui.bars import Foot, Standing, Toast, TopBar
from curator.tui.card import Layout, View, layout, meta
from curator.tui.editor import Editor, typing
from curator.tui.host import Host
from curator.tui.keys import Menu
from curator.tui.list_widget import RowList
from curator.tui.messages import Chosen, Highlighted
from curator.tui.pane import Frame, Pane
from curator.tui.styles import Palette
from curator.tui.typing_guard import Burst

Place = tuple[int, int]
"""A row under the cursor, and how many stand above it."""

FIRST_PAGE = 200
"""Rows loaded before the first paint; the rest follows from a thread."""
FILTERING = (("enter", "Keep the filter"), ("esc", "Clear it"))
"""What the keys that are no letters do in the filter."""


@dataclass(frozen=True, slots=True)
class Split:
    """One of the views of a list: its name, its letter in narrow terminals, the kind of row it shows."""

    name: str
    letter: str
    kind: Kind | None = None


class Board(Screen[None]):
    """A list, a card, two bars; what a key does is found in the table of actions and done by a method ``act_…``."""

    NAME: ClassVar[str] = ""
    SPLITS: ClassVar[tuple[Split, ...]] = ()
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (60, "-medium"), (110, "-wide")]  # noqa: RUF012 - Textual's own name and type
    VERTICAL_BREAKPOINTS = [(0, "-short"), (16, "-tall")]  # noqa: RUF012
    AUTO_FOCUS = "#list"
    app: Host

    def __init__(self) -> None:
        super().__init__()
        self.split = self.SPLITS[0]
        self.words: tuple[str, ...] = ()
        self.rest = False
        self.entry: Entry | None = None
        self.carded: int | None = None
        self.quote = 0
        self.why = False
        self.menu: Menu | None = None
        self.shown_at = 0.0
        self.card_layout = Layout([], 0, 0)
        """The card as it was laid out last."""
        self.counts: Counter[str] = Counter()
        self.own: set[str] = set()
        self._seen_event = 0
        self._away = False
        self._before: Place | None = None
        """Where the cursor was when the filter was opened."""
        self._loads = 0
        self._whole = True
        """Whether the list has all of its rows, and not the first page only."""
        self._last_stroke = 0.0
        self.burst = Burst()

    # --- the parts ----------------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """Header, list and card, toast, footer; the filter comes when it is first typed in."""
        self._size_up()
        yield TopBar(id="top")
        with Container(id="body"):
            with Frame(id="rows"):
                yield RowList(self._heads, now=clock.now, place=self._project, id="list")
            with Frame(id="side"):
                yield Editor(id="editor")
                yield Pane(id="card")
        yield Toast(id="toast")
        yield Foot(id="foot")

    def _size_up(self) -> None:
        """Say how large the terminal is before there is anything to style; Textual says so once all is laid out for another."""
        for size, points in zip(self.app.size, (self.HORIZONTAL_BREAKPOINTS, self.VERTICAL_BREAKPOINTS), strict=True):
            self.add_class(max((least, name) for least, name in points if size >= least)[1], update=False)

    @property
    def list(self) -> RowList:
        """The list."""
        return self.query_one("#list", RowList)

    @property
    def toast(self) -> Toast:
        """The line of news."""
        return self.query_one("#toast", Toast)

    @property
    def adding(self) -> bool:
        """Whether a new lesson is being typed, with which the card at hand has nothing to do."""
        editor = self.query_one(Editor)
        return editor.display and not editor.entry_id

    @property
    def filtering(self) -> bool:
        """Whether keys are letters of the filter."""
        return isinstance(self.focused, Input) and self.focused.id == "filter"

    @property
    def typing(self) -> bool:
        """Whether keys are letters of a text."""
        return isinstance(self.focused, Input) or self.query_one(Editor).has_focus_within

    def query_for(self, split: Split, words: Sequence[str] = ()) -> Query:
        """What a split shows."""
        raise NotImplementedError

    @property
    def wanted(self) -> Query:
        """What the list shows now."""
        return self.query_for(self.split, self.words)

    def on_mount(self) -> None:
        """The first page at once, the rest from a thread."""
        self.set_class(self.app.curator.settings.preview is False, "-no-card")
        self.app.guarded(self.begin)

    def begin(self) -> None:
        """Show the list from its top, as the database has it now."""
        self._seen_event = self.app.curator.lessons.last_event()
        self.load(keep=False)
        if not self.app.coloured:
            self.call_after_refresh(self._colour)

    def _colour(self) -> None:
        """The first card is painted; now its code may take the time that colours need."""
        self.app.coloured = True
        self.app.guarded(self.refresh_card)

    def on_screen_resume(self) -> None:
        """Back on this screen: whatever happened meanwhile counts. Textual also says so twice when it is first shown."""
        if self._away:
            self._away = False
            self.app.guarded(self.load)

    def on_screen_suspend(self) -> None:
        """Another screen is in front; what only lies over this one for a moment changes nothing below it."""
        self._away = not isinstance(self.app.screen, ModalScreen)

    # --- loading ------------------------------------------------------------------------------------------------------

    def load(self, *, keep: bool = True, back: Place | None = None) -> None:
        """Show what the split and filter want, in today's order, the cursor where it was, or ``back`` where it was before."""
        self._loads += 1
        first = self.app.curator.lessons.order(self.wanted, FIRST_PAGE)
        rows = self.list.rows
        beyond = len(rows) > FIRST_PAGE or (not self.words and (back[0] if back else rows.cursor) not in first)
        self._whole = True
        if keep and len(first) == FIRST_PAGE and beyond:
            rows.replace(self.app.curator.lessons.order(self.wanted))
        else:
            rows.replace(first)
            if len(first) == FIRST_PAGE:
                self._whole = False
                self.call_after_refresh(self._load_rest, self.wanted, self._loads)
        if not keep:
            rows.go(0)
        elif back:
            rows.go_back(*back)
        self.list.show(everything=True)
        self.call_after_refresh(self._count)  # threads compete for the interpreter: paint first
        self.refresh_card()

    @work(thread=True, exclusive=True, group="load", exit_on_error=False)
    def _load_rest(self, query: Query, load: int) -> None:
        curator = self.app.curator.fork()
        try:
            order = curator.lessons.order(query)
        finally:
            curator.close()
        self.app.call_from_thread(self._complete, load, order)

    def _complete(self, load: int, order: array[int]) -> None:
        if load == self._loads:  # else another split, filter or order is shown by now
            self.list.rows.extend_order(order)
            self._whole = True
            self._agree()
            self.list.show()
            self.refresh_bars()

    @work(thread=True, exclusive=True, group="count", exit_on_error=False)
    def _count(self) -> None:
        curator = self.app.curator.fork()
        try:
            counts = {split.name: curator.lessons.kinds(self.query_for(split)).total() for split in self.SPLITS}
            today = app.statistics.today(curator)
            behind = curator.lessons.behind(self.app.session)
            elsewhere = 0 if counts[self.SPLITS[0].name] else curator.lessons.waiting_elsewhere()
        finally:
            curator.close()
        self.app.call_from_thread(self._counted, counts, today, behind, elsewhere)

    def _counted(self, counts: dict[str, int], today: Counter[str], behind: tuple[int, int], elsewhere: int) -> None:
        self.counts = Counter(counts)
        self.app.behind = behind[0], max(0, behind[1] - self._agree())
        self.app.today, self.app.elsewhere = today, elsewhere
        self.refresh_bars()
        if self.entry is None and not self.adding:
            self.query_one("#card", Pane).show(lambda width, palette: self.nothing(width, palette))

    def _agree(self) -> int:
        """Count what the list shows, also where the database no longer would: a card held back while it is being read.

        Returns how many rows these are.
        """
        if self.words or not self._whole:
            return 0
        names = {self.split.name}
        if self.split.kind is Kind.CANDIDATE:
            names.add(self.SPLITS[0].name)
        elif self.split is self.SPLITS[0]:
            names |= {split.name for split in self.SPLITS if split.kind is Kind.CANDIDATE}
        rows = self.list.rows
        more = len(rows) + len(rows.pending) - self.counts[self.split.name]
        self.counts.update(dict.fromkeys(names, more))
        return more

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A thread has failed: nothing is shown as still under way."""
        if event.state is WorkerState.ERROR and event.worker.error:
            self.app.say(event.worker.error)

    # --- showing ------------------------------------------------------------------------------------------------------

    def on_highlighted(self, message: Highlighted) -> None:
        """The cursor is on another row: another card, unless whoever moved it has drawn that already."""
        message.stop()
        if message.seq != self.carded:
            self.app.guarded(self.refresh_card)

    def on_chosen(self, message: Chosen) -> None:
        """A double click opens the evidence."""
        message.stop()
        self.act_evidence()

    def refresh_card(self) -> None:
        """Draw the card of the row under the cursor."""
        seq = self.list.rows.cursor
        same = seq == self.carded
        self.entry = None  # should reading fail, no key may decide on a card that is not shown
        entry = self.app.curator.lessons.at(seq) if seq is not None else None
        self.entry = self.app.curator.lessons.weighed(entry) if entry else None
        if not same:
            self.carded, self.quote, self.why, self.shown_at = seq, 0, False, clock.now()
        empty = self.entry is None and (not self.words or self.has_class("-no-card"))
        self.set_class(empty, "-empty")  # a filter that finds nothing leaves all where it is
        if self.adding:
            self.query_one("#side", Frame).entitle("a new lesson, by hand")
            self.query_one("#card", Pane).show(lambda width, palette: ())
        elif self.entry is None:
            self.query_one("#side", Frame).entitle(f"/{' '.join(self.words)}" if self.words else "")
            self.query_one("#card", Pane).show(lambda width, palette: self.nothing(width, palette))
        else:
            self.draw_card(self.entry, keep_place=same)
        self.refresh_bars()

    def draw_card(self, entry: Entry, *, keep_place: bool) -> None:
        """Draw a card, its kind and scope in the border."""
        pane, view, coloured = self.query_one("#card", Pane), self.view(entry), self.app.coloured
        self.query_one("#side", Frame).entitle(meta(entry, view))

        def composed(width: int, palette: Palette) -> Sequence[Text]:
            palette = palette if coloured else replace(palette, coloured=False)
            self.card_layout = layout(entry, view, width, palette, pane.content_size.height)
            return self.card_layout.lines

        pane.show(composed, keep_place=keep_place)

    def view(self, entry: Entry) -> View:
        """What the card needs to know beside the entry."""
        rival = self.app.curator.lessons.peek(entry.rival.other) if entry.rival else None
        return View(
            now=clock.now(),
            project=self.app.project_name(entry.project),
            rival=rival,
            quote=self.quote,
            why=self.why,
            draft=self.app.drafts.told(entry.id),
            editing=self.query_one(Editor).display,
            told=app.statistics.outcome_sentence(self.app.curator, entry),
            origin=app.origins.origin(self.app.curator, entry),
        )

    def nothing(self, width: int, palette: Palette) -> Sequence[Text]:
        """What stands in place of the card when the list is empty."""
        raise NotImplementedError

    def beyond(self) -> str:
        """What else there is, for the list's title."""
        return ""

    def refresh_bars(self) -> None:
        """Header and footer as things stand."""
        rows = self.list.rows
        marked = len(rows.marked())
        standing = Standing(
            place=self.app.place,
            sample=self.app.sample,
            splits=[(split.name, split.letter, self.counts[split.name]) for split in self.SPLITS],
            current=self.split.name,
            pending=len(rows.pending),
            live=self.app.live,
            today=self.app.today,
            filter=" ".join(self.words),
            marked=marked,
        )
        self.query_one(TopBar).show(standing)
        chips = [f"{self.NAME} {rows.position + 1}/{len(rows):,}" if len(rows) else self.NAME]
        chips += [f"/{' '.join(self.words)}"] if self.words else []
        chips += [f"{marked} marked"] if marked else []
        chips += [beyond] if (beyond := self.beyond()) else []
        self.query_one("#rows", Frame).entitle(f" {styles.DOT} ".join(chips))
        kind = self.entry.kind if self.entry else None
        editor = self.query_one(Editor)
        kept = self.entry is not None and self.entry.id == editor.entry_id and self.entry.state is State.OPEN
        fields = [*typing(editor, "Save and keep" if kept else "Save")] if editor.display else []
        options = self.menu.options if self.menu else FILTERING if self.filtering else fields
        state = self.entry.state if self.entry else None
        self.query_one(Foot).show(self.NAME, kind, options, state=state, many=marked > 1, dim=not self.app.app_focus)

    def act_evidence(self) -> None:
        """Open the evidence."""
        raise NotImplementedError

    def leave_input(self) -> None:
        """Back to the list."""
        self.workers.cancel_group(self, "filter")  # what was typed last must not come after what was decided since
        self.query("#find").set(display=False)
        self.toast.styles.clear_rule("display")  # the sheet decides: panes of few rows have no line for it
        self.query_one(Editor).close()
        self.list.focus()
        self.refresh_bars()

    def _project(self, head: Head) -> str:
        """Whose a row is, where several projects are shown."""
        return "" if self.app.curator.project else self.app.project_name(head.project)

    def _heads(self, seqs: Sequence[int]) -> dict[int, Head]:
        """What the list draws; it is asked while drawing, where a fault would end the window."""
        found: dict[int, Head] = {}
        self.app.guarded(lambda: found.update(self.app.curator.lessons.heads(seqs)))
        return found

    def head_of(self, seq: int) -> Head | None:
        """What the list shows of a row."""
        return self.list.head(seq)
