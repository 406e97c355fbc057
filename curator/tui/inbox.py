"""The three lists: inbox, library, cleanup."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text

from curator import app as cases
from curator import clock
from curator.app import Curator
from curator.model import MEMORY, Entry, Kind, Query, State
from curator.settings import NO_READER
from curator.text.words import pluralize
from curator.tui import styles
from curator.tui.actions import ACTIONS
from curator.tui.app_state import AppState, reader_names
from curator.tui.decision_actions import choose
from curator.tui.list_parts import Listing, Selection, Split
from curator.tui.list_screen import ListScreen
from curator.tui.styles import Palette
from curator.tui.text import hanging

if TYPE_CHECKING:
    from curator.app.sessions.scan import Survey

WELCOME_GRACE_SECONDS = 2.0
"""Seconds in which a digit does nothing after the welcome has replaced a card, or a card has replaced the welcome."""


class DecisionList(Listing):
    """A list whose keys decide on its rows."""

    ACTIONS = ACTIONS
    screen: ListScreen

    def choose(self, digit: int) -> None:
        """Decide on the card by a digit."""
        choose(self.screen, digit)


SNOOZED = Split("Snoozed", "Z", snoozed=True)
NOTE_PLACES = (
    "Agents keep notes in folders such as ~/.claude/projects/*/memory,",
    "~/.codex/memories and ~/.gemini; `curator memories` lists all of them.",
)
READING = (
    "Press R to read them again, or [ to see the other parts.",
    'Set memories = "read" in settings.toml to see them here.',
)
"""The next step if curator reads notes, and if it does not."""
BAR_WIDTH = 30
"""Cells of the bar that says how far reading is."""


class Inbox(DecisionList):
    """The inbox: the cards that need a decision."""

    NAME = "inbox"
    SPLITS = (
        Split("All", "A"),
        Split("Candidates", "C", Kind.CANDIDATE),
        Split("Conflicts", "!", Kind.CONFLICT),
        Split("Stale", "S", Kind.STALE),
        Split("Memories", "M", signal=MEMORY),
        SNOOZED,
    )
    BEST_FIRST = True

    def rows_query(self, selection: Selection) -> Query:
        """Return the waiting or snoozed cards of a split."""
        lessons, split = self.screen.app.curator.lessons, selection.split
        if split.snoozed:
            return lessons.snoozes(words=selection.words)
        found = lessons.waiting(split.kind, rest=selection.rest, session=self.screen.app.session, words=selection.words)
        return found._replace(signal=split.signal)

    def empty_lines(self, width: int, palette: Palette) -> Sequence[Text]:
        """Return the welcome, inbox zero, or an empty split."""
        app, selection = self.screen.app, self.screen.selection
        if selection.split.snoozed:
            return no_matches(palette) if selection.words else centre(["No snoozed cards."], palette)
        if selection.words:
            everything = app.curator.lessons.waiting(
                selection.split.kind, rest=True, session=app.session, words=selection.words
            )
            more = 0 if selection.rest else app.curator.lessons.kinds(everything).total()
            return no_matches(palette, f"; press + to search {pluralize(more, 'weaker card')} too" if more else "")
        if app.looking:
            return self._progress(width, palette)
        if app.welcome is not None and self.screen.is_welcoming:
            return welcome(app, app.welcome, width, palette)
        if selection.split.signal:
            lines = ["No notes of your agents.", "", *NOTE_PLACES, "", READING[not app.curator.settings.reads_memories]]
            return centre(lines, palette)
        if selection.split.kind is not None:
            return empty_split(selection.split.kind, palette)
        today = app.today
        lessons = app.curator.lessons
        nothing = app.curator.project and not today and not lessons.kinds(lessons.library(tuple(State))).total()
        if nothing:
            lines = ["No cards for this folder. curator found no agent session here, or no lesson in one.", ""]
            lines += ["Run an agent here, or start curator in a project where you have. Press R to scan again.", ""]
        else:
            lines = [f"Inbox zero - {today['kept']} kept · {today['dropped']} dropped · {today['merged']} merged today", ""]
        if later := self.screen.data.counts[SNOOZED.name]:
            lines += [f"press [ to see {pluralize(later, 'snoozed card')}", ""]
        lines += unread_notice(app)
        if app.elsewhere:
            lines += [f"press p to see {pluralize(app.elsewhere, 'card')} in other projects", ""]
        if app.hidden:
            lines += [f"press + to see {pluralize(app.hidden, 'weaker card')}", ""]
        lines += [
            "reading transcripts as they grow" if app.following else "",
            "",
            "g l lessons    g h history    a add one by hand    q quit",
        ]
        return centre(lines, palette)

    def _progress(self, width: int, palette: Palette) -> Sequence[Text]:
        """Return how far the first reading is, in the middle."""
        done, total, found = self.screen.app.read
        bar = min(BAR_WIDTH, width - 4)
        filled = bar * done // total if total else 0
        lines = [f"Reading {done:,} of {pluralize(total, 'transcript')}" if total else "Looking for transcripts", ""]
        lines += [
            styles.FULL * filled + styles.RULE * (bar - filled),
            "",
            f"{pluralize(found, 'card')} so far" if found else "",
        ]
        above = max(0, (self.screen.card.pane.content_size.height - len(lines)) // 2 - 1)
        return [*[Text("")] * above, *centre(lines, palette)]

    def beyond(self) -> str:
        """Return how many more candidates ``+`` shows, or hides again."""
        more, selection = self.screen.app.hidden, self.screen.selection
        if selection.split.snoozed:
            return "press z to bring a row back" if len(self.screen.list.rows) else ""
        if not more or selection.words or selection.split.kind not in (None, Kind.CANDIDATE):
            return ""
        return f"+ hides {more:,} again" if selection.rest else f"+ shows {more:,} more"

    def recount(self, before: Sequence[Kind], after: Sequence[Entry]) -> None:
        """Count by arithmetic, so that the header is right in the same frame, however long the inbox is."""
        now = clock.now()
        later = [entry.snoozed_until for entry in after if entry.waits and (entry.snoozed_until or 0) > now]
        if self.screen.selection.split.snoozed or not self.screen.data.counts:
            self.screen.data.count()
            return
        self.screen.data.counts[SNOOZED.name] += len(later)
        waiting = [entry.kind for entry in after if entry.waits and (entry.snoozed_until or 0) <= now]
        for split in self.SPLITS:
            if split.is_optional:
                continue
            splits = sum(split.kind in (None, kind) for kind in before)
            here = sum(split.kind in (None, kind) for kind in waiting)
            self.screen.data.counts[split.name] += here - splits
        if len(before) != len(after) or self.screen.selection.rest or any(entry.signal == MEMORY for entry in after):
            self.screen.data.count()  # The other side of a merge may be in another split, and fewer cards are hidden now.

    def choose(self, digit: int) -> None:
        """Start something on the welcome screen. Elsewhere, decide with a digit on a card that was visible long enough."""
        if clock.now() - self.screen.card.welcome_changed_at < WELCOME_GRACE_SECONDS:
            self.screen.toast.show(f"The screen changed as you pressed {digit}. Press {digit} again if you mean it.", once=True)
        elif self.screen.is_welcoming:
            self.screen.keys.untouched = True  # the digit was for the welcome
            choices = welcome_choices(self.screen.app)
            if digit <= len(choices):
                self.screen.app.attempt(choices[digit - 1].act)
        else:
            super().choose(digit)


STATES: Mapping[str, tuple[State, ...]] = {
    "Active": (State.ACTIVE,),
    "Retired": (State.RETIRED,),
    "Dropped": (State.DISMISSED, State.MERGED),
    "Expired": (State.EXPIRED,),
}
"""The states that each split of the library shows."""


class Library(DecisionList):
    """The library: the lessons that were kept."""

    NAME = "lessons"
    SPLITS = tuple(Split(name, name[0]) for name in STATES)

    def rows_query(self, selection: Selection) -> Query:
        """Return entries in a split's states, the newest change first. A lesson's other version is not an entry by itself."""
        name = selection.split.name
        return self.screen.app.curator.lessons.library(STATES[name], words=selection.words, versions=name != "Dropped")

    def empty_lines(self, width: int, palette: Palette) -> Sequence[Text]:
        """Return an empty library."""
        if self.screen.selection.words:
            return no_matches(palette)
        lines = [f"No {self.screen.selection.split.name.lower()} lessons yet.", "", *unread_notice(self.screen.app)]
        lines.append("g i inbox    a add one by hand")
        return centre(lines, palette)


class Cleanup(DecisionList):
    """The periodic review: everything that may no longer hold, in one queue with an end."""

    NAME = "cleanup"
    SPLITS = (
        Split("All", "A"),
        Split("Conflicts", "!", Kind.CONFLICT),
        Split("Stale", "S", Kind.STALE),
        Split("Groups", "G", Kind.CONSOLIDATE),
        Split("Faded", "F", Kind.LESSON),
        Split("Memories", "M", signal=MEMORY),
    )

    def rows_query(self, selection: Selection) -> Query:
        """Return the lessons of a split that a person should look at again."""
        found = self.screen.app.curator.lessons.cleanup(selection.split.kind, words=selection.words)
        return found._replace(signal=selection.split.signal)

    def empty_lines(self, width: int, palette: Palette) -> Sequence[Text]:
        """Return the end of the queue."""
        if self.screen.selection.words:
            return no_matches(palette)
        if self.screen.selection.split.kind is not None:
            return empty_split(self.screen.selection.split.kind, palette)
        settings = self.screen.app.curator.settings
        done = "Cleanup done." if self.screen.decisions.count else "Nothing to clean up."
        days = f"after {settings.fade_days} days without a change, others after {settings.review_days}"
        why = f"Temporary lessons appear here {days}."
        return centre([done, "", why, "", "g i inbox    g l lessons    q quit"], palette)


# --- what stands in place of a card -----------------------------------------------------------------------------------


def unread_notice(app: AppState) -> list[str]:
    """Return the notice if the project has lesson files but the database has no lesson: it is new, empty or was deleted."""
    project = app.curator.project
    if project is None or not os.path.isdir(os.path.join(project.folder, ".curator")):
        return []  # The code that reads lesson files takes longer to load than the rest of an empty screen.
    unread = cases.project_files.count_unread(app.curator)
    said = f"This project has {pluralize(unread, 'lesson file')} that your database does not have:"
    return [said, "run `curator import` to add them", ""] if unread else []


def empty_split(kind: Kind, palette: Palette) -> list[Text]:
    """Return the text in place of the card if a part of a list is empty."""
    rows = {Kind.STALE: "stale lessons", Kind.LESSON: "faded lessons", Kind.CONSOLIDATE: "groups of lessons"}
    return centre([f"No {rows.get(kind, f'{kind}s')}.", "", "press [ or ] to see the other parts"], palette)


def centre(lines: Sequence[str], palette: Palette) -> list[Text]:
    """Return lines in the middle of an empty list."""
    return [
        Text(""),
        *(Text(line, style=palette.strong if at == 0 else palette.plain, justify="center") for at, line in enumerate(lines)),
    ]


def no_matches(palette: Palette, but: str = "") -> list[Text]:
    """Return the text in place of the card if a filter finds nothing."""
    return [Text(f"No match{but}. Press esc to clear the filter.", style=palette.quiet)]


class Choice(NamedTuple):
    """An action of the welcome screen, and the two lines that offer it."""

    text: str
    detail: str
    act: Callable[[], object]


MEAN_TOKENS, MEAN_SECONDS = 3_500, 10
"""The approximate size of a session. The tokens are measured (docs/notebook/benchmarks.md), the seconds are a guess."""


def welcome_choices(app: AppState) -> list[Choice]:
    """Return the choices of a first run, best first."""
    found, settings, readers = app.welcome, app.curator.settings, reader_names(app.readable)
    if found is None:
        return []
    choices = []
    readable = sum(found.recent.get(agent, 0) for agent in app.readable)
    if readable:
        today = min(readable, settings.distill_tokens_a_day // MEAN_TOKENS)
        tokens, minutes = today * MEAN_TOKENS, max(1, round(today * MEAN_SECONDS / 60))
        cost = f", cost {tokens * settings.distill_price / 1_000_000:.2g}" if settings.distill_price else ""
        more = f" of {readable:,}" if today < readable else ""
        size = f"about {round(tokens / 1000):,}k tokens{cost}, {pluralize(minutes, 'minute')}"
        text = f"let {readers} read {today:,}{more} sessions, the most promising first"
        now = "now those of this project, others when you open theirs; " if app.curator.project else ""
        detail = f"{size}; {now}each gets only its own agent's sessions"
        choices.append(Choice(text, detail, lambda: _begin(app, cases.distill.OWN)))
    if found.recent:
        recent = pluralize(sum(found.recent.values()), "transcript")
        offline = "about half of the cards are worth keeping; nothing leaves this machine"
        choices.append(Choice(f"read these {recent} without a model", offline, lambda: _begin(app, NO_READER)))
    elif found.total:
        text = f"read all {pluralize(found.total, 'transcript')}, none of them recent"
        choices.append(Choice(text, "nothing leaves this machine", lambda: app.rescan(everything=True)))
    elif found.note_files:
        choices.append(Choice("review what your agents remember", "nothing leaves this machine", app.rescan))
    choices.append(Choice("try curator on sample data", "curator does not touch your own data", lambda: app.exit("demo")))
    if readable:
        choices.append(Choice("show what a prompt holds", "curator sends nothing", lambda: _show_prompt(app)))
    return choices


def _begin(app: AppState, reader: str) -> None:
    """Store the reader, with the person's agreement to the text on screen, and read the transcripts."""
    app.distilling.choose(reader)
    if reader == cases.distill.OWN:
        cases.distill.agree(app.curator)
    app.rescan()


def _show_prompt(app: AppState) -> None:
    """Show the first prompt that would be sent."""
    from curator.tui.overlays import PromptScreen  # the first card is drawn without it

    def show(curator: Curator) -> None:
        text = cases.distill.sample_prompt(curator, app.background.roots)
        app.call_from_thread(app.push_screen, PromptScreen(text))

    app.background.run_in_thread(show)


def welcome(app: AppState, found: Survey, width: int, palette: Palette) -> list[Text]:
    """Return the welcome of a first run: the transcripts found, and the choices."""
    said = [("Welcome. curator has not read any transcripts yet.", palette.strong), ("", palette.plain)]
    counts = f" {styles.DOT} ".join(f"{agent} {count:,}" for agent, count in Counter(found.recent).most_common())
    if counts:
        said.append((f"Last {pluralize(app.curator.settings.since_days, 'day')}: {counts}", palette.plain))
    if found.note_files:
        notes = f"Your agents' own notes: {pluralize(found.note_files, 'file')}; those worth a look come first"
        said.append((notes, palette.plain))
    if app.readable:
        said.append((f"Installed: {reader_names(app.readable)}", palette.plain))
    if not found.total:
        said.append(("No transcripts found. curator doctor shows where it looked.", palette.plain))
    margin = Text("  ")
    lines = [Text(""), *(line for words, style in said for line in hanging(margin, Text(words, style=style), width)), Text("")]
    for digit, choice in enumerate(welcome_choices(app), 1):
        lines += hanging(Text.assemble((f"  {digit}  ", palette.accent)), Text(choice.text), width)
        lines += hanging(Text("     "), Text(choice.detail, style=palette.quiet), width)
    promise = Text("curator sends nothing before you choose. You decide what to keep.", style=palette.quiet)
    lines += [Text(""), *hanging(margin, promise, width), Text("")]
    keys = [("y", "keep"), ("x", "drop"), ("e", "edit"), ("m", "merge"), ("z", "snooze"), ("u", "undo")]
    line = Text()
    for key, verb in keys:
        line.append(key, palette.accent)
        line.append(f" {verb}   ")
    return [*lines, *hanging(margin, line, width)]
