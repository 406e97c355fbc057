"""The parts of a list's screen: the frame with the card, the keys, and the rows with those that others wrote.

Each part knows the screen, and reaches the others through it.

A key becomes an action at once, as the answer to a question, or not at all. Decisions faster than a person can make them are
stopped, because somebody is typing text into the wrong pane.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from enum import Enum, auto
from typing import Any, ClassVar, NamedTuple, TypeVar

from rich.text import Text
from textual import events
from textual.screen import Screen
from textual.widgets import Input

from curator import app, clock
from curator.app import Curator, Outcome, Snapshot
from curator.keymap import BY_NAME
from curator.model import FROM_FILE, MEMORY, Entry, Kind, Project, Query, State
from curator.text.words import pluralize
from curator.tui.app_state import AppState
from curator.tui.bars import Footer, Toast
from curator.tui.card import Layout, View, layout, meta
from curator.tui.editor import Editor
from curator.tui.list_widget import RowList
from curator.tui.pane import BlankBackground, Frame, Pane
from curator.tui.styles import Palette


class Split(NamedTuple):
    """One view of a list: its name, its letter in narrow terminals, and the kind, signal or snoozed state of its rows."""

    name: str
    letter: str
    kind: Kind | None = None
    snoozed: bool = False
    signal: str = ""

    @property
    def is_optional(self) -> bool:
        """Return whether the header leaves it out while it is empty."""
        return self.snoozed or bool(self.signal) or self.kind is Kind.CONSOLIDATE


class Selection(NamedTuple):
    """The rows of a list: those of a split with these words. ``rest`` includes hidden ones."""

    split: Split
    words: tuple[str, ...] = ()
    rest: bool = False


Answer = TypeVar("Answer")


class Listing:
    """The rows that a screen lists, and the effects of its keys.

    ``ACTIONS`` are the functions of its actions. With ``BEST_FIRST``, the top row is shown until the first key, whatever
    arrives.
    """

    NAME: ClassVar[str]
    SPLITS: ClassVar[Sequence[Split]]
    ACTIONS: ClassVar[Mapping[str, Callable[[Any], object]]]
    BEST_FIRST: ClassVar[bool] = False

    def __init__(self, screen: ListBase) -> None:
        self.screen = screen

    def rows_query(self, selection: Selection) -> Query:
        """Return the database's query for the rows of a selection."""
        raise NotImplementedError

    def empty_lines(self, width: int, palette: Palette) -> Sequence[Text]:
        """Return the lines in place of the card if there is no row."""
        raise NotImplementedError

    def beyond(self) -> str:
        """Return a part of the list's title that counts other rows."""
        return ""

    def choose(self, digit: int) -> None:
        """Carry out a digit: a decision, or a choice of the welcome."""
        raise NotImplementedError

    def recount(self, before: Sequence[Kind], after: Sequence[Entry]) -> None:
        """Update the counts after a decision on rows of these kinds, which are these entries now."""
        self.screen.data.count()


class ListBase(Screen[None], BlankBackground):
    """The screen of a list, as its parts see it: see ``list_screen.ListScreen``, which makes them."""

    app: AppState
    listing: Listing
    selection: Selection
    list: RowList
    toast: Toast
    foot: Footer
    card: CardFrame
    data: ListData
    keys: Keys
    arrivals: Arrivals

    def take_in(self, outcome: Outcome) -> None:
        """Show the effect of a decision."""
        raise NotImplementedError

    def action_act(self, name: str) -> None:
        """Run an action of the key table if it applies here."""
        raise NotImplementedError

    def leave_input(self) -> None:
        """Leave the input field for the list."""
        raise NotImplementedError

    def refresh_bars(self) -> None:
        """Draw the header and footer again."""
        raise NotImplementedError

    @property
    def typing(self) -> bool:
        """Return whether keys are letters of a text."""
        return isinstance(self.focused, Input) or self.card.editor.has_focus_within

    @property
    def in_front(self) -> bool:
        """Return whether nothing covers it."""
        return self.app.screen is self

    def run_in_thread(
        self, group: str, ask: Callable[[Curator], Answer], then: Callable[[Answer], object], *, exclusive: bool = True
    ) -> None:
        """Ask in a thread with its own connection. ``then`` gets the answer in the thread of the widgets.

        An ``exclusive`` question replaces an earlier one of its group.
        """

        def work() -> None:
            with closing(self.app.curator.fork()) as curator:
                answer = ask(curator)
            self.app.call_from_thread(then, answer)

        self.run_worker(work, group=group, thread=True, exclusive=exclusive, exit_on_error=False)


class Part(Enum):
    """The part of a card that a decision keeps. A person must have read it."""

    NOTHING = auto()
    STATEMENT = auto()
    CHOICE = auto()


class CardFrame(Frame):
    """The current card: its ``entry``, its visible quote, whether it explains ``why``, and the time since it is shown."""

    app: AppState

    def __init__(self, screen: ListBase) -> None:
        self.list_screen = screen
        self.editor = Editor(id="editor")
        self.pane = Pane(id="card")
        super().__init__(self.pane, id="side")
        self.entry: Entry | None = None
        self.seq: int | None = None
        """The row of the last drawn card."""
        self.quote = 0
        self.why = False
        self.project: Project | None = None
        """The project of a new lesson."""
        self.shown_at = 0.0
        self.paused = False
        """True after a long silence on this card, which makes its decision time unknown."""
        self.came = 0.0
        """The time at which a card last replaced another by itself."""
        self.welcome_changed_at = 0.0
        """The time at which the welcome last replaced a card, or a card replaced the welcome."""
        self._card_layout = Layout([], 0, 0)

    @property
    def adding(self) -> bool:
        """Return whether a person types a new lesson, which does not belong to the current card."""
        return self.editor.display and not self.editor.entry_id

    def edit(self) -> None:
        """Edit the current card, or its draft."""
        if (entry := self.entry) is not None:
            text = entry.proposal if entry.kind is Kind.CONSOLIDATE and entry.proposal else entry
            self._open_editor(entry.id, (text.headline, text.insight))
            self.draw(keep_place=False)

    def add(self, project: Project) -> None:
        """Let the person type a new lesson of a project, or continue with one."""
        self.project = project
        self._open_editor("")
        self.reload()

    def _open_editor(self, entry_id: str, stored: tuple[str, str] | None = None) -> None:
        """Edit a draft, or else the ``stored`` texts. For a draft, say when its words were typed."""
        if not self.editor.is_attached:  # it comes when it is first needed
            self.mount(self.editor, before=self.pane)
        self.screen.remove_class("-no-card", "-empty")
        drafts = self.app.drafts
        self.editor.open(entry_id, *(drafts.get(entry_id) or stored or ("", "")), stored=stored)
        draft = drafts.label(entry_id)
        self.list_screen.toast.show(f"{draft}. ctrl-u clears a field" if draft else "")

    def on_editor_typed(self, event: Editor.Typed) -> None:
        """Keep the typed text as a draft, if it differs from the stored one."""
        event.stop()
        drafts, entry, typed = self.app.drafts, self.entry, (event.headline, event.insight)
        if not any(typed) or (entry and event.id == entry.id and typed == (entry.headline, entry.insight)):
            self.app.attempt(lambda: drafts.drop(event.id))
        else:
            self.app.attempt(lambda: drafts.put(event.id, typed))
        self.list_screen.refresh_bars()

    def on_editor_saved(self, event: Editor.Saved) -> None:
        """Save the typed text, and keep the candidate."""
        event.stop()
        self.app.attempt(lambda: self._save(event))

    def _save(self, event: Editor.Saved) -> None:
        decisions = self.app.curator.decisions
        if event.id:
            with decisions.guard(self.snapshots(), self.decision_seconds):
                outcome = decisions.edit(event.id, keep=True, headline=event.headline, insight=event.insight)
        else:
            outcome = decisions.add(event.headline, insight=event.insight, project=self.project)
        self.app.drafts.drop(event.id)
        self.list_screen.leave_input()
        self.list_screen.take_in(outcome)

    def on_editor_left(self, event: Editor.Left) -> None:
        """Say that the typed words are a draft by now."""
        event.stop()
        kept = self.app.drafts.get(event.id) is not None
        toast = f"Kept as a draft. Press {'e' if event.id else 'a'} to open it again" if kept else ""
        self.list_screen.toast.show(toast)
        self.list_screen.leave_input()
        self.app.attempt(self.reload)

    def note_pause(self, last: float) -> None:
        """Note whether the silence since the last key, or since the card came, was a pause."""
        self.paused = self.paused or clock.now() - max(last, self.shown_at) > app.statistics.PAUSE_SECONDS

    def decision_seconds(self) -> float | None:
        """Return the time for which the card has been shown. Return ``None`` once there was a pause."""
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
            whose = f" of {self.project.name}" if self.project and not self.app.curator.project else ""
            self.set_title(f"a new lesson{whose}, by hand")
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
            self.pane.show(self.list_screen.listing.empty_lines)

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
        """Return the values that the card needs in addition to the entry."""
        rival = self.app.curator.lessons.peek(entry.rival.other) if entry.rival else None
        members = self.app.curator.decisions.members(entry)
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


def key_name(event: events.Key) -> str:
    """Return a key as the table of actions writes it: the character itself, or a name such as ``pagedown``."""
    return event.character if event.is_printable and event.character and event.character != " " else event.key


class Menu(NamedTuple):
    """The keys after a leading key: (key, label) pairs, and the function for the answer."""

    options: Sequence[tuple[str, str]]
    answer: Callable[[str], None]
    is_optional: bool = False
    """True if any other key does its usual work. The person did not ask for such a question."""


MIN_KEY_SECONDS = 0.06
"""Two decisions within this time come from prose or from a key held down. Two fingers need longer."""
BURST_SECONDS = 0.3
MAX_DECISIONS_PER_BURST = 2
"""Maximum number of decisions in ``BURST_SECONDS`` seconds. A silence of that length ends a burst."""


class FastKeyGuard:
    """The times of the last decisions. Moves and views are harmless and do not count."""

    def __init__(self) -> None:
        self._decisions: list[float] = []
        self._last_key: float | None = None

    def is_accidental_burst(self) -> bool:
        """Return whether a decision now is one too many. If not, count it."""
        now = clock.now()
        self._decisions = [at for at in self._decisions if 0 <= now - at < BURST_SECONDS]
        if len(self._decisions) >= MAX_DECISIONS_PER_BURST or (self._decisions and now - self._decisions[-1] < MIN_KEY_SECONDS):
            self._last_key = now
            return True
        self._decisions.append(now)
        return False

    def is_still_burst(self) -> bool:
        """Return whether a burst continues. Each key during it asks again."""
        now = clock.now()
        if self._last_key is None or not 0 <= now - self._last_key < BURST_SECONDS:
            self._last_key = None
            return False
        self._last_key = now
        return True

    @property
    def count(self) -> int:
        """Return the number of decisions in the burst."""
        return len(self._decisions)

    def forget(self) -> None:
        """Start again, as after a long silence."""
        self._decisions.clear()
        self._last_key = None


class Keys:
    """The keys of a list's screen. ``menu`` is the question for the next key."""

    def __init__(self, screen: ListBase) -> None:
        self.screen = screen
        self.menu: Menu | None = None
        self.burst = FastKeyGuard()
        self._last_stroke = 0.0
        self.untouched = False
        """True until a person touches a key or the mouse, after the window was opened or reading began."""

    def press(self, event: events.Key) -> None:
        """Run a key at once, in the order of typing.

        Textual's own bindings run after a key has travelled to the application. By that time the next key may be handled, and a
        fast ``g l`` would act as two keys of the list.
        """
        screen, app = self.screen, self.screen.app
        screen.foot.tell(Text(""))
        screen.toast.forget()
        name = app.keymap.get(key_name(event))
        self.untouched = False
        if self.menu and self.menu.is_optional and event.character not in dict(self.menu.options):
            self.menu = None
            screen.refresh_bars()
        if not screen.in_front:
            event.stop()
            app.post_message(events.Key(event.key, event.character))  # typed before the overlay was there
        elif self.menu is not None:
            event.stop()
            self._answer(self.menu, event.character or event.key)
        elif event.is_printable and not (name and BY_NAME[name].group == "Move") and self.burst.is_still_burst():
            event.stop()
        elif name == "choose":
            event.stop()
            app.attempt(lambda: screen.listing.choose(int(event.character or "0")))
        elif name:
            event.stop()
            before = screen.list.rows.cursor
            screen.action_act(name)
            if BY_NAME[name].group == "Move" and screen.in_front and screen.list.rows.cursor != before:
                screen.toast.leave()

    def note_stroke(self) -> None:
        """Note a key press, here or in a dialog over it. The silence before it may have been a pause."""
        self.screen.card.note_pause(self._last_stroke)
        self._last_stroke = clock.now()

    def ask(self, options: Sequence[tuple[str, str]], answer: Callable[[str], None], *, is_optional: bool = False) -> None:
        """Wait for one of these keys. Any other key cancels. The question replaces an earlier message."""
        self.menu = Menu(options, answer, is_optional)
        self.screen.toast.show("")
        self.screen.refresh_bars()

    def _answer(self, menu: Menu, key: str) -> None:
        self.menu = None
        if any(key == option for option, _ in menu.options):
            self.screen.app.attempt(lambda: menu.answer(key))
        elif key.isdigit():  # other keys leave, which needs no word
            self.screen.toast.show(f"{key} is not one of the choices. Nothing changed.", once=True)
        self.screen.refresh_bars()

    def rest(self, seconds: float) -> bool:
        """Return whether no person has pressed a key for these seconds, and none is typing or choosing."""
        screen = self.screen
        busy = self.menu is not None or screen.typing or not screen.in_front
        return not busy and clock.now() - self._last_stroke > seconds


Place = tuple[int, int]
"""A row under the cursor, and the number of rows above it."""

FIRST_PAGE = 200
"""The number of rows loaded before the first paint. A thread loads the rest."""


class ListData:
    """The contents of a list. ``counts`` are the splits' rows, ``before`` is the cursor's place when the filter was opened."""

    def __init__(self, screen: ListBase) -> None:
        self.screen = screen
        self.counts: Counter[str] = Counter()
        self.before: Place | None = None
        self.loads = 0
        self._whole = True
        """True if the list has all of its rows, and not only the first page."""

    def load(self, *, keep: bool = True, back: Place | None = None) -> None:
        """Show the selected rows in the current order. The cursor stays, or returns to its earlier place with ``back``."""
        self.loads += 1
        rows, curator = self.screen.list.rows, self.screen.app.curator
        wanted = self.screen.listing.rows_query(self.screen.selection)
        first = curator.lessons.order(wanted, FIRST_PAGE)
        words = self.screen.selection.words
        beyond = len(rows) > FIRST_PAGE or (not words and (back[0] if back else rows.cursor) not in first)
        self._whole = True
        if keep and len(first) == FIRST_PAGE and beyond:
            rows.replace(curator.lessons.order(wanted))
        else:
            rows.replace(first)
            if len(first) == FIRST_PAGE:
                self._whole = False
                self.screen.call_after_refresh(self._load_rest, wanted, self.loads)
        if not keep:
            rows.go(0)
        elif back:
            rows.go_to(*back)
        self.screen.list.show(everything=True)
        self.screen.call_after_refresh(self.count)  # threads compete for the interpreter: paint first
        self.screen.card.reload()

    def filter(self, text: str, *, back: bool = False) -> None:
        """Show only rows with these words. No words show all. The cursor returns with ``back``, or if it is on no row."""
        words = tuple(text.lower().split())
        self.screen.selection = self.screen.selection._replace(words=words)
        lost = not words and (back or self.screen.list.rows.cursor is None)
        place, self.before = (self.before if lost else None), None if lost else self.before
        self.screen.app.attempt(lambda: self.load(back=place))

    def show_split(self, name: str) -> None:
        """Show another split from its top. The filter stays."""
        split = next(split for split in self.screen.listing.SPLITS if split.name == name)
        self.screen.selection, self.before = self.screen.selection._replace(split=split), None
        self.screen.app.attempt(lambda: self.load(keep=False))

    def _load_rest(self, wanted: Query, load: int) -> None:
        self.screen.run_in_thread(
            "load", lambda curator: curator.lessons.order(wanted), lambda order: self._complete(load, order)
        )

    def _complete(self, load: int, order: array[int]) -> None:
        if load == self.loads:  # otherwise another split, filter or order is shown by now
            self.screen.list.rows.extend_order(order)
            self._whole = True
            self._agree()
            self.screen.list.show()
            self.screen.refresh_bars()

    def count(self) -> None:
        """Count the rows of every split, today's decisions, and the cards of other projects."""
        self.screen.run_in_thread("count", self._figures, lambda figures: self._show_figures(*figures))

    def _figures(self, curator: Curator) -> tuple[dict[str, int], Counter[str], int, int]:
        window, selection = self.screen.app, self.screen.selection._replace(words=())
        listing = self.screen.listing
        queries = {split.name: listing.rows_query(selection._replace(split=split)) for split in listing.SPLITS}
        counts = {name: curator.lessons.kinds(query).total() for name, query in queries.items()}
        elsewhere = 0 if counts[listing.SPLITS[0].name] else curator.lessons.waiting_elsewhere()
        hidden = curator.lessons.count_hidden(window.session, selection.split.signal)
        return counts, app.statistics.today(curator), hidden, elsewhere

    def _show_figures(self, counts: dict[str, int], today: Counter[str], hidden: int, elsewhere: int) -> None:
        self.counts = Counter(counts)
        app = self.screen.app
        app.hidden = max(0, hidden - self._agree())
        app.today, app.elsewhere = today, elsewhere
        self.screen.refresh_bars()
        self.screen.card.draw_empty()

    def _agree(self) -> int:
        """Count the visible rows, including a hidden card that a person is reading. Return the number of such rows."""
        shown, every = self.screen.selection.split, self.screen.listing.SPLITS[0]
        if self.screen.selection.words or not self._whole:
            return 0
        names = {shown.name}
        if shown.kind is Kind.CANDIDATE:
            names.add(every.name)
        elif shown is every:
            names |= {split.name for split in self.screen.listing.SPLITS if split.kind is Kind.CANDIDATE}
        rows = self.screen.list.rows
        more = len(rows) + len(rows.pending) - self.counts[shown.name]
        self.counts.update(dict.fromkeys(names, more))
        return more


ARRIVAL_PAUSE_SECONDS = 2.0
"""Seconds without a key after which arrivals appear by themselves, if the cursor is on the first row."""


class Arrivals:
    """Adds and removes rows that others changed, without moving the row under the cursor. ``own`` are this screen's batches."""

    def __init__(self, screen: ListBase) -> None:
        self.screen = screen
        self.own: set[str] = set()
        self._last_event = 0

    def begin(self) -> None:
        """Treat all events until now as known: they are no news."""
        self._last_event = self.screen.app.curator.lessons.last_event()

    def catch_up(self) -> None:
        """Take in others' changes. New rows go behind the pill, and rows decided elsewhere are dimmed."""
        curator = self.screen.app.curator
        touched = [item for item in curator.lessons.events_since(self._last_event) if item[1] not in self.own]
        self._last_event = max([self._last_event, *(event for event, _, _ in touched)])
        if not touched:
            return
        ids = list(dict.fromkeys(id_ for _, _, id_ in touched))
        all_rows, wanted = (
            curator.lessons.rows_of(ids),
            curator.lessons.filter_ids(ids, self.screen.listing.rows_query(self.screen.selection)),
        )
        everything = self.screen.listing.rows_query(self.screen.selection._replace(rest=True))
        left_out = {seq for id_, seq in curator.lessons.filter_ids(ids, everything).items() if id_ not in wanted}
        rows = self.screen.list.rows
        idle = not len(rows) or (rows.position == 0 and (self.screen.keys.rest(ARRIVAL_PAUSE_SECONDS) or self._follows_best))
        rows.arrive(wanted.values())
        rows.settle(seq for id_, seq in all_rows.items() if id_ not in wanted and seq not in left_out)
        rows.pending -= left_out
        rows.remove(left_out - rows.settled_rows - rows.marked_rows() - {rows.cursor})  # rows being read or marked stay
        if idle and rows.pending:
            said = self.let_in()
            self.screen.toast.show("" if self._follows_best else said)
        else:
            self.screen.list.show(stale=list(all_rows.values()))
            self.screen.data.count()
            if self.screen.card.entry and self.screen.card.entry.id in ids:
                self.screen.card.reload()
        self.screen.refresh_bars()

    @property
    def _follows_best(self) -> bool:
        """Return whether the best card is shown: no person has chosen another one or started to read this one."""
        rows = self.screen.list.rows
        return self.screen.keys.untouched and self.screen.in_front and not rows.position and not rows.top

    def let_in(self) -> str:
        """Show the arrivals. Report their number, and those out of sight, since the cursor stays."""
        rows = self.screen.list.rows
        new, position = len(rows.pending), rows.position
        if self._follows_best:
            self.screen.data.load(keep=False)
            self.screen.card.came = clock.now()
            return ""
        self.screen.data.load(keep=bool(len(rows)))
        above = min(new, rows.position - position)
        where = f", {above:,} above" if 0 < above < new else " above" if above > 0 else ""
        return f"{pluralize(new, 'new row')}{where}{' (press home to see the best)' if where else ''}" if new else ""
