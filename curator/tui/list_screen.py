"""Class ListScreen: the screen of a list with its card, made of parts. The lists of ``inbox`` provide the rows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from functools import partial

from textual import events, work
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.screen import ModalScreen
from textual.widgets import Input, Label
from textual.worker import Worker, WorkerState

from curator import app as cases
from curator.app import Outcome
from curator.keymap import BY_NAME, fits
from curator.model import State
from curator.tui import styles
from curator.tui.app_state import reader_names
from curator.tui.bars import Footer, FooterContext, Header, Toast, TopBar
from curator.tui.decisions import Decisions
from curator.tui.editor import typing
from curator.tui.list_parts import Arrivals, CardFrame, Keys, ListBase, ListData, Listing, Selection
from curator.tui.list_widget import Highlighted, RowList
from curator.tui.pane import Body, Frame

FILTER_KEYS = (("enter", "Keep the filter"), ("esc", "Clear it"))
"""The non-letter keys of the filter, and their effects."""
WELCOME_KEYS = (("digit", "Choose"), ("a", "Add"), ("q", "Quit"), ("?", "Help"))


class Filter(Horizontal):
    """A field to type words in, which the list follows."""

    def __init__(self, screen: ListBase) -> None:
        super().__init__(id="find")
        self.list_screen = screen

    def open(self) -> None:
        """Take the keys, with the words that the list is filtered by."""
        if not self.children:
            self.mount(Label("/ "), Input(placeholder="words to look for", compact=True, id="filter"))
        rows, field = self.list_screen.list.rows, self.query_one(Input)
        if rows.cursor is not None and not self.list_screen.selection.words:
            self.list_screen.data.before = rows.cursor, rows.position - rows.top
        field.value = " ".join(self.list_screen.selection.words)
        self.display = True
        self.list_screen.toast.display = False
        self.screen.set_focus(field)  # at once: the next key may be on its way

    def close(self) -> None:
        """Close the filter. A late change of its text must not follow a later decision."""
        self.workers.cancel_group(self, "filter")
        self.display = False

    def on_descendant_focus(self) -> None:
        """Show the keys of the filter while it has the focus."""
        self.list_screen.refresh_bars()

    def on_descendant_blur(self) -> None:
        """Show the usual keys after the filter loses the focus."""
        self.list_screen.refresh_bars()

    def on_key(self, event: events.Key) -> None:
        """Show all rows again with Esc."""
        if event.key == "escape":
            event.stop()
            self.list_screen.leave_input()
            self.list_screen.data.filter("", back=True)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter during typing, a tenth of a second after the last key."""
        event.stop()
        if self.display:
            self._filter_soon(event.value)

    @work(exclusive=True, group="filter")
    async def _filter_soon(self, text: str) -> None:
        await asyncio.sleep(0.1)
        self.list_screen.data.filter(text)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go back to the list. The filter stays."""
        event.stop()
        self.list_screen.leave_input()
        self.list_screen.data.filter(event.value)


class ListScreen(ListBase):
    """The screen of a list with its card, header and footer. ``listing`` makes the contents of the list."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (60, "-medium"), (110, "-wide")]  # noqa: RUF012 - Textual's own name and type
    VERTICAL_BREAKPOINTS = [(0, "-short"), (16, "-tall"), (34, "-high")]  # noqa: RUF012
    AUTO_FOCUS = "#list"

    def __init__(self, listing: Callable[[ListScreen], Listing]) -> None:
        super().__init__()
        self.listing = listing(self)
        self.selection = Selection(self.listing.SPLITS[0])
        self.top = TopBar(id="top")
        self.list = RowList()
        self.frame = Frame(self.list, id="rows")
        self.card = CardFrame(self)
        self.toast = Toast(id="toast")
        self.foot = Footer(id="foot")
        self.data = ListData(self)
        self.filter = Filter(self)
        self.keys = Keys(self)
        self.keys.untouched = self.listing.BEST_FIRST
        self.arrivals = Arrivals(self)
        self.decisions = Decisions(self)
        self._away = False

    def compose(self) -> ComposeResult:
        """Lay out the header, list and card, toast and footer. The filter is added when the person first types in it."""
        # Textual reports the size of the terminal after a layout for another size. This sets it before any styling.
        for size, points in zip(self.app.size, (self.HORIZONTAL_BREAKPOINTS, self.VERTICAL_BREAKPOINTS), strict=True):
            self.add_class(max((least, name) for least, name in points if size >= least)[1], update=False)
        if self.app.curator.project is None:
            self.add_class("-every", update=False)  # rows name their project, and need more room
        yield self.top
        yield Body(self.frame, self.card, id="body")
        yield self.toast
        yield self.foot

    def on_mount(self) -> None:
        """Show the first page at once, and load the rest in a thread."""
        self.set_class(self.app.curator.settings.preview is False, "-no-card")
        self.app.attempt(self.begin)

    def begin(self) -> None:
        """Show the list from its top, with the current rows of the database."""
        self.set_class(self.app.curator.project is None, "-every")  # rows name their project, and need more room
        self.arrivals.begin()
        self.data.load(keep=False)
        if self.listing.NAME == "cleanup":
            self.app.background.run_in_thread(lambda curator: cases.tidy.propose(curator))
            self.app.background.run_in_thread(lambda curator: cases.tidy.offer(curator))
        if not self.app.coloured:
            self.call_after_refresh(self._colour)

    def _colour(self) -> None:
        """Colour the code after the first paint, because this takes time."""
        self.app.coloured = True
        self.app.attempt(self.card.reload)

    def on_screen_resume(self) -> None:
        """Load changes after a return to this screen. Textual also calls this twice at the first display."""
        if self._away:
            self._away = False
            self.set_class(self.app.curator.project is None, "-every")
            self.app.attempt(self.data.load)

    def on_screen_suspend(self) -> None:
        """Pause when another screen is in front. A dialog over this screen changes nothing."""
        self._away = not isinstance(self.app.screen, ModalScreen)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Show the error of a thread that has failed."""
        if event.state is WorkerState.ERROR and event.worker.error:
            self.app.say(event.worker.error)

    def on_highlighted(self, message: Highlighted) -> None:
        """Draw the card of another row, unless the code that moved the cursor has drawn it."""
        message.stop()
        if message.seq != self.card.seq:
            self.app.attempt(self.card.reload)

    def on_mouse_down(self) -> None:
        """Keep the selected row: a person has clicked."""
        self.keys.untouched = False

    def on_key(self, event: events.Key) -> None:
        """Handle a key that is no letter of a text. An early letter goes to its new field."""
        if self.app.is_leaving:
            event.stop()
        elif not self.typing:
            self.keys.press(event)
        elif event.is_printable and self.focused:
            event.stop()
            self.focused.post_message(events.Key(event.key, event.character))

    def action_act(self, name: str) -> None:
        """Run an action of the key table if it applies here."""
        action, entry, rows = BY_NAME[name], self.card.entry, self.list.rows
        kind = entry.kind if entry else None
        plain = not rows.marks and rows.cursor not in rows.settled_rows  # the shown row is the one meant
        if fits(action, self.listing.NAME, kind, entry.state if entry and plain else None):
            self.app.attempt(partial(self.listing.ACTIONS[name], self))
            self.refresh_bars()
        elif not action.needs_row or kind:
            self.toast.show(f"This key does nothing here. {action.help_for(kind, entry.state if entry else None)}")
        elif self.is_welcoming:
            self.toast.show("No card yet. Press a digit to choose.", once=True)

    def action_split(self, name: str) -> None:
        """Show another split, when the header asks for it."""
        self.data.show_split(name)

    def take_in(self, outcome: Outcome) -> None:
        """Show the effect of a decision."""
        self.decisions.take_in(outcome)

    def leave_input(self) -> None:
        """Go back to the list."""
        self.filter.close()
        self.toast.styles.clear_rule("display")  # the sheet decides: panes of few rows have no line for it
        self.card.editor.close()
        self.list.focus()
        self.refresh_bars()

    def refresh_bars(self) -> None:
        """Draw the header and footer again."""
        rows, selection, entry, app = self.list.rows, self.selection, self.card.entry, self.app
        words, marked, counts = " ".join(selection.words), len(rows.marked_rows()), self.data.counts
        header = Header(
            place=app.names.here,
            sample=app.names.sample,
            splits=[
                (split.name, split.letter, counts[split.name])
                for split in (self.listing.SPLITS if counts else ())  # nothing is counted in the first frame
                if not split.is_optional or counts[split.name] or split is selection.split
            ],
            current=selection.split.name,
            pending=len(rows.pending),
            live=app.live,
            unread_sessions=0 if app.distilling.busy else app.unread_sessions,
            readers="" if self.is_welcoming else reader_names(app.readable),
            today=app.today,
        )
        self.top.show(header)
        chips = [f"{self.listing.NAME} {rows.position + 1}/{len(rows):,}" if len(rows) else self.listing.NAME]
        chips += [f"/{words}"] if words else []
        chips += [f"{marked} marked"] if marked else []
        chips += [beyond] if (beyond := self.listing.beyond()) else []
        self.frame.set_title(f" {styles.DOT} ".join(chips))
        kind, state = (entry.kind, entry.state) if entry else (None, None)
        place = FooterContext(self.listing.NAME, kind, state, marked, asleep=selection.split.snoozed, dim=not app.app_focus)
        self.foot.show(place, [*self._options()])

    @property
    def is_welcoming(self) -> bool:
        """Return whether the welcome is shown."""
        every, selection = self.listing.SPLITS[0], self.selection
        is_whole_inbox = self.listing.BEST_FIRST and selection.split is every and not selection.words
        return is_whole_inbox and self.card.entry is None and self.app.welcome is not None

    def _options(self) -> Iterator[tuple[str, str]]:
        """Yield the keys of an open question or input field."""
        editor, entry = self.card.editor, self.card.entry
        if self.keys.menu:
            yield from self.keys.menu.options
        elif self.filter.has_focus_within:
            yield from FILTER_KEYS
        elif editor.display:
            kept = entry is not None and entry.id == editor.entry_id and entry.state is State.OPEN
            yield from typing(editor, "Save and keep" if kept else "Save")
        elif self.is_welcoming:
            yield from WELCOME_KEYS
