"""The one table of actions: bindings, footer, help, ``curator keys``, ``review --plain`` and docs/keys.md read it.

Only keys that every terminal sends: letters, shifted letters, digits, punctuation, arrows, space, enter, esc, tab.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from curator.errors import CuratorError
from curator.model import Kind, State

CANDIDATE, CONFLICT, STALE, CONSOLIDATE, LESSON = Kind
EVERY_KIND = frozenset(Kind)
WAITING_LISTS = frozenset({"inbox", "cleanup"})
LISTS = WAITING_LISTS | {"lessons"}
ALL_SCREENS = LISTS | {"history"}
ENDED = frozenset({State.RETIRED, State.DISMISSED, State.MERGED, State.EXPIRED})
"""States of the library that are neither undecided nor active."""


class Action(NamedTuple):
    """An action of a key.

    ``keys`` come in the order of display. An action without one is found by its name in help. ``label`` is the word in the
    footer. ``labels`` has other words for some kinds or states of a row, ``helps`` their effects. ``kinds`` and ``screens``
    limit where the action applies; ``never`` excludes states. ``priority`` orders the footer; 0 hides the action, and ``quiet``
    hides it for some kinds. A ``batch`` action applies to all marked rows. ``plain`` is its letter in ``review --plain``.
    ``asleep`` is the word on a snoozed row.
    """

    name: str
    keys: tuple[str, ...]
    label: str
    help: str
    group: str
    labels: Mapping[Kind | State, str] = MappingProxyType({})
    helps: Mapping[Kind | State, str] = MappingProxyType({})
    kinds: frozenset[Kind] = EVERY_KIND
    never: frozenset[State] = frozenset()
    screens: frozenset[str] = LISTS
    priority: int = 0
    quiet: frozenset[Kind] = frozenset()
    needs_row: bool = True
    batch: bool = False
    plain: str = ""
    asleep: str = ""

    def label_for(self, kind: Kind | None, state: State | None = None) -> str:
        """Return the word in the footer for this kind and state of a row."""
        return _of_row(self.labels, kind, state) or self.label

    def help_for(self, kind: Kind | None, state: State | None = None) -> str:
        """Return the effect on this kind of row, without those on other kinds."""
        return _of_row(self.helps, kind, state) or self.help


def _of_row(words: Mapping[Kind | State, str], kind: Kind | None, state: State | None) -> str | None:
    """Return the words for a state, or else for a kind of row."""
    own = words.get(state) if state else None
    return own or (words.get(kind) if kind else None)


def _decision(name: str, keys: str, label: str, help_: str, **more: object) -> Action:
    return Action(name=name, keys=tuple(keys.split()), label=label, help=help_, group="Decide", **more)  # type: ignore[arg-type]


def _view(name: str, keys: str, label: str, help_: str, group: str = "Look", **more: object) -> Action:
    return Action(name=name, keys=tuple(keys.split()), label=label, help=help_, group=group, **more)  # type: ignore[arg-type]


ACTIONS: tuple[Action, ...] = (
    _decision(
        "keep",
        "y",
        "Keep",
        "Keep the candidate, accept the suggestion for a conflict, confirm a stale lesson, or bring back a dropped one",
        labels={
            CONFLICT: "Accept",
            CONSOLIDATE: "Make one",
            STALE: "Still true",
            LESSON: "Still true",
            State.RETIRED: "Bring back",
        },
        helps={
            CANDIDATE: "Keep it: it becomes a lesson",
            CONFLICT: "Accept the suggestion on the card",
            CONSOLIDATE: "Make one rule of these lessons, in the words on the card",
            STALE: "Confirm the lesson. From now on curator compares with today's code",
            LESSON: "Confirm that the lesson is still true",
            State.RETIRED: "Make it an active lesson again",
            State.DISMISSED: "Keep it after all: it becomes a lesson",
            State.EXPIRED: "Keep it after all: it becomes a lesson",
        },
        batch=True,
        never=frozenset({State.MERGED}),
        priority=96,
        plain="y",
    ),
    _decision(
        "drop",
        "x",
        "Drop",
        "Drop the candidate, drop the new side of a conflict, or retire the lesson",
        labels={STALE: "Retire", CONSOLIDATE: "Keep apart", LESSON: "Retire", CONFLICT: "Drop new"},
        helps={
            CANDIDATE: "Drop it: curator does not propose it again",
            CONFLICT: "Drop the new one. The old one stays as it is",
            CONSOLIDATE: "Keep these lessons apart: curator does not propose the rule again",
            STALE: "Retire it: agents no longer get it",
            LESSON: "Retire it: agents no longer get it",
        },
        batch=True,
        never=ENDED - {State.EXPIRED},
        priority=94,
        plain="x",
    ),
    _decision(
        "drop-because",
        "X",
        "Drop because",
        "Drop or retire with a reason: 1 wrong, 2 obsolete, 3 duplicate, 4 too broad, 5 not a conflict (conflicts only)",
        helps=dict.fromkeys(
            EVERY_KIND - {CONFLICT}, "Drop or retire with a reason: 1 wrong, 2 obsolete, 3 duplicate, 4 too broad"
        ),
        batch=True,
        never=ENDED - {State.EXPIRED},
    ),
    _decision(
        "choose",
        "1 2 3 4",
        "Wording",
        "Candidate: keep with wording 1 to 3. Conflict: 1 new, 2 old, 3 both, 4 merge. "
        "Stale: snooze for 1 hour, 2 day, 3 week, 4 thirty days",
        labels={CONFLICT: "Side", CONSOLIDATE: "Take out", STALE: "Snooze"},
        helps={
            CANDIDATE: "Keep it with the wording that has this number on the card",
            CONFLICT: "1 keep the new one, 2 keep the old one, 3 keep both, 4 merge (shows the result first)",
            CONSOLIDATE: "Take the lesson with this number out of the group",
            STALE: "Snooze for 1 hour, 2 day, 3 week, 4 thirty days",
        },
        plain="1",
        kinds=frozenset({CANDIDATE, CONFLICT, STALE, CONSOLIDATE}),
        never=ENDED,
    ),
    _decision(
        "edit",
        "e",
        "Edit",
        "Edit headline and lesson here. ctrl-s saves and keeps; esc leaves a draft",
        never=frozenset({State.MERGED}),
        priority=92,
        plain="e",
    ),
    _decision("code", "", "Linked code", "Choose the files and symbols that this lesson is about"),
    _decision("edit-whole", "", "Edit in $EDITOR", "Edit the whole lesson in $EDITOR", never=frozenset({State.MERGED})),
    _decision("category", "", "Category", "Set the category: press 1 to 7"),
    _decision(
        "scope",
        "",
        "Scope",
        "Set where the lesson applies: 1 this project, 2 every project, 3 the card's folders, 4 send at every session start",
    ),
    _decision(
        "merge",
        "m",
        "Merge",
        "Merge with a similar lesson (shows the result first)",
        helps={CONFLICT: "Merge both sides into one lesson (shows the result first)"},
        batch=True,
        never=ENDED,
        priority=90,
        quiet=EVERY_KIND - {CONFLICT},
        plain="m",
    ),
    _decision(
        "supersede",
        "s",
        "Supersede",
        "Replace an older lesson with this one (shows both first)",
        labels={CONFLICT: "New wins"},
        helps={CONFLICT: "Replace the old lesson with the new one"},
        batch=True,
        never=ENDED,
        priority=84,
        quiet=EVERY_KIND - {CONFLICT},
        plain="s",
    ),
    _decision(
        "snooze",
        "z",
        "Snooze",
        "Hide it for a day. On a snoozed row: bring it back now",
        labels={LESSON: "Later"},
        asleep="Bring back",
        helps={LESSON: "Hide it here for a day"},
        batch=True,
        priority=82,
        screens=WAITING_LISTS,
        never=ENDED,
        plain="z",
    ),
    _decision(
        "snooze-until",
        "",
        "Snooze until",
        "Snooze for 1 hour, 2 day, 3 week, 4 thirty days",
        batch=True,
        screens=WAITING_LISTS,
        never=ENDED,
    ),
    _decision(
        "accept-repository",
        "",
        "Accept repository",
        "Keep all lessons from this repository's files, now and in future (asks first)",
        kinds=frozenset({CANDIDATE}),
        screens=frozenset({"inbox"}),
        never=ENDED,
    ),
    _decision(
        "undo",
        "u",
        "Undo",
        "Undo the last decision, even yesterday's. In the history: undo this decision",
        priority=98,
        needs_row=False,
        screens=ALL_SCREENS,
        plain="u",
    ),
    _decision("redo", "U", "Redo", "Redo what you undid", needs_row=False, screens=ALL_SCREENS),
    _decision("add", "a", "Add", "Add a lesson by hand", needs_row=False),
    _decision(
        "read",
        "d",
        "Read",
        "Let your model read this card's session. Press d again to stop after it",
        kinds=frozenset({CANDIDATE}),
        screens=frozenset({"inbox"}),
        never=ENDED,
    ),
    _decision(
        "read-all",
        "",
        "Read all sessions",
        "Let your model read all new sessions (shows an estimate first)",
        needs_row=False,
        screens=frozenset({"inbox"}),
    ),
    _decision(
        "reader", "", "Reader", "Choose who reads your sessions (tries the reader with a made-up session)", needs_row=False
    ),
    _decision(
        "reopen",
        "",
        "Back to the inbox",
        "In the library: move a dropped or expired card back to the inbox",
        kinds=frozenset({CANDIDATE}),
        screens=frozenset({"lessons"}),
        never=frozenset({State.MERGED}),
        batch=True,
    ),
    _view(
        "mark", "space", "Mark", "Mark the row and move down. Decisions then apply to all marked rows", "Select", priority=70
    ),
    _view("range", "v", "Range", "Start or end a range", "Select"),
    _view("mark-all", "*", "Mark all", "Mark all rows that are shown", "Select"),
    _view(
        "clear",
        "escape",
        "Clear",
        "Step back: close the reasons, clear marks, clear the filter, return to the inbox",
        "Select",
        needs_row=False,
        screens=ALL_SCREENS,
    ),
    _view("down", "j down", "Down", "Next row", "Move", needs_row=False, screens=ALL_SCREENS),
    _view("up", "k up", "Up", "Previous row", "Move", needs_row=False, screens=ALL_SCREENS),
    _view("page-down", "pagedown ctrl+d", "Page down", "A page down", "Move", needs_row=False, screens=ALL_SCREENS),
    _view("page-up", "pageup ctrl+u", "Page up", "A page up", "Move", needs_row=False, screens=ALL_SCREENS),
    _view("bottom", "G end", "Bottom", "Last row", "Move", needs_row=False, screens=ALL_SCREENS),
    _view("top", "home", "Top", "First row (also g g)", "Move", needs_row=False, screens=ALL_SCREENS),
    _view(
        "go",
        "g",
        "Go to",
        "Go to: i inbox, l lessons, c cleanup, h history, g first row",
        "Move",
        needs_row=False,
        screens=frozenset(),
    ),
    _view(
        "next-split",
        "]",
        "Next split",
        "Show the next part of the list: all, candidates, conflicts, stale, snoozed",
        "Move",
        needs_row=False,
    ),
    _view("previous-split", "[", "Previous split", "Show the previous part of the list", "Move", needs_row=False),
    _view("project", "p", "Project", "Show another project, or every project", "Move", needs_row=False),
    _view(
        "evidence",
        "o enter",
        "Evidence",
        "Show all evidence with its context. For a stale lesson, the code change comes first. In the history: show the parts",
        priority=66,
        screens=ALL_SCREENS,
        plain="o",
    ),
    _view("open-code", "", "Open the code", "Open the linked file in $EDITOR, at the line of the symbol"),
    _view("open-transcript", "", "Open the transcript", "Open the transcript in $EDITOR, at the line of the quote"),
    _view("next-quote", "l right", "Next quote", "Show the next quote on the card"),
    _view("previous-quote", "left", "Previous quote", "Show the previous quote on the card"),
    _view("scroll-down", "J", "Scroll down", "Scroll the card down"),
    _view("scroll-up", "K", "Scroll up", "Scroll the card up"),
    _view("why", "w", "Why", "Show why curator found this: the rule and the parts of the score", plain="w"),
    _view("filter", "/", "Filter", "Show only rows with the words that you type", needs_row=False, priority=68),
    _view("rest", "+", "Weaker", "Show or hide weaker cards", needs_row=False, screens=frozenset({"inbox"})),
    _view("refresh", "R", "Refresh", "Refresh: show new cards, sort again, scan transcripts again", needs_row=False),
    _view("preview", "", "Card", "Show or hide the card", needs_row=False),
    _view("copy", "c", "Copy", "Copy the text of the lesson"),
    _view("theme", "", "Theme", "Choose a theme (previewed as you move; saved)", needs_row=False),
    _view(
        "help",
        "? : ctrl+p",
        "Help",
        "Show all actions and keys. Type to search, press enter to run one",
        "Leave",
        needs_row=False,
        screens=frozenset(),
        priority=100,
    ),
    _view(
        "quit", "q", "Quit", "Quit. Every decision is already saved", "Leave", needs_row=False, screens=frozenset(), plain="q"
    ),
)
"""Every action, in the order of the help screen. Empty ``screens`` means every screen."""
BY_NAME: dict[str, Action] = {action.name: action for action in ACTIONS}
NAMED_KEY = re.compile(
    r"(ctrl\+[a-z]|(shift\+)?(up|down|left|right|home|end|pageup|pagedown|tab)|space|enter|escape|delete|backspace|f\d{1,2})"
)
"""Keys of more than one letter, as terminals name them."""


def keymap(changes: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return key → action's name. ``changes`` gives actions other keys, separated by blanks.

    Raises ``CuratorError`` for an unknown action or key, and for a key given to two.
    """
    changes = changes or {}
    for name in changes:
        if name not in BY_NAME:
            raise CuratorError(f"There is no action {name!r}.", "`curator keys` lists all actions.")
    found: dict[str, str] = {}
    for action in ACTIONS:
        for key in changes.get(action.name, " ".join(action.keys)).split():
            if len(key) > 1 and not NAMED_KEY.fullmatch(key):
                raise CuratorError(
                    f"There is no key {key!r}, which settings.toml gives to {action.name}.",
                    "Use a character, or a name such as space, enter, escape, pagedown, ctrl+d or shift+up.",
                )
            if key in found:
                raise CuratorError(
                    f"Two actions have the key {key}: {found[key]} and {action.name}.", "Change one in settings.toml."
                )
            found[key] = action.name
    return found


TARGETS: dict[str, tuple[str, str]] = {
    "i": ("inbox", "Inbox"),
    "l": ("lessons", "Lessons"),
    "c": ("cleanup", "Cleanup"),
    "h": ("history", "History"),
    "g": ("top", "Top"),
}
"""The keys after ``g``: key → (screen or action, label)."""


def fits(action: Action, screen: str, kind: Kind | None, state: State | None = None) -> bool:
    """Return whether an action means anything on this screen, with the cursor on this kind of row (``None``: no row)."""
    if (action.screens and screen not in action.screens) or state in action.never:
        return False
    return not action.needs_row or kind in action.kinds
