"""The one table of actions: bindings, footer, help, palette, ``curator keys``, ``review --plain`` and docs/keys.md read it.

Only keys that every terminal sends: letters, shifted letters, digits, punctuation, arrows, space, enter, esc, tab.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from curator.errors import CuratorError
from curator.model import Kind, State

CANDIDATE, CONFLICT, STALE, LESSON = Kind
EVERY = frozenset(Kind)
LIST = frozenset({"inbox", "lessons", "cleanup"})
ANYWHERE = LIST | {"history"}
OVER = frozenset({State.RETIRED, State.DISMISSED, State.MERGED, State.EXPIRED})
"""What neither waits nor holds, in the library."""


class Action(NamedTuple):
    """Something a key does.

    ``keys`` are in the order in which they are shown; what has none is found by its name, in the palette and in help.
    ``label`` is the word in the footer, ``short`` the one in narrow terminals; ``labels`` gives other words for other kinds
    of row, and for some states, ``helps`` what it does to such a row and to no other. ``kinds`` and ``screens`` say where it
    means anything, ``also`` which further kinds it means something for on one screen, ``never`` in which states nothing.
    ``priority`` orders the footer, 0 keeps it out, as ``quiet`` does for kinds for which it is seldom of use. ``batch`` is what
    applies to all marked rows at once. ``plain`` is its letter in ``review --plain``.
    ``asleep`` is the word on a row that is put away.
    """

    name: str
    keys: tuple[str, ...]
    label: str
    help: str
    group: str
    short: str = ""
    labels: Mapping[Kind | State, str] = MappingProxyType({})
    helps: Mapping[Kind | State, str] = MappingProxyType({})
    kinds: frozenset[Kind] = EVERY
    also: Mapping[str, frozenset[Kind]] = MappingProxyType({})
    never: frozenset[State] = frozenset()
    screens: frozenset[str] = LIST
    priority: int = 0
    quiet: frozenset[Kind] = frozenset()
    needs_row: bool = True
    batch: bool = False
    plain: str = ""
    asleep: str = ""

    def label_for(self, kind: Kind | None, state: State | None = None) -> str:
        """What the footer says for this kind of row, and state where that matters."""
        return _of_row(self.labels, kind, state) or self.label

    def help_for(self, kind: Kind | None, state: State | None = None) -> str:
        """What it does to this kind of row; to which others it does something else is not said."""
        return _of_row(self.helps, kind, state) or self.help


def _of_row(words: Mapping[Kind | State, str], kind: Kind | None, state: State | None) -> str | None:
    """The words for a state, or else for a kind of row."""
    own = words.get(state) if state else None
    return own or (words.get(kind) if kind else None)


def _verdict(name: str, keys: str, label: str, help_: str, **more: object) -> Action:
    return Action(name=name, keys=tuple(keys.split()), label=label, help=help_, group="Decide", **more)  # type: ignore[arg-type]


def _view(name: str, keys: str, label: str, help_: str, group: str = "Look", **more: object) -> Action:
    return Action(name=name, keys=tuple(keys.split()), label=label, help=help_, group=group, **more)  # type: ignore[arg-type]


ACTIONS: tuple[Action, ...] = (
    _verdict(
        "keep",
        "y",
        "Keep",
        "Keep the candidate; take what a conflict suggests; say that a stale lesson holds; bring back what was dropped",
        labels={CONFLICT: "Accept", STALE: "Still true", LESSON: "Still true", State.RETIRED: "Bring back"},
        helps={
            CANDIDATE: "Keep it: it becomes a lesson",
            CONFLICT: "Take what the card suggests",
            STALE: "Say that it still holds; the code of today is the one that it speaks of from then on",
            LESSON: "Say that it still holds",
            State.RETIRED: "Make it a lesson again",
            State.DISMISSED: "Keep it all the same: it becomes a lesson",
            State.EXPIRED: "Keep it all the same: it becomes a lesson",
        },
        batch=True,
        never=frozenset({State.MERGED}),
        priority=96,
        plain="y",
    ),
    _verdict(
        "drop",
        "x n",
        "Drop",
        "Drop the candidate (it is not proposed again), keep the older side of a conflict, or retire the lesson",
        labels={STALE: "Retire", LESSON: "Retire", CONFLICT: "Drop new"},
        helps={
            CANDIDATE: "Drop it: it is not proposed again",
            CONFLICT: "Drop the new one; the old one stays as it is",
            STALE: "Retire it: no agent is sent it any more",
            LESSON: "Retire it: no agent is sent it any more",
        },
        batch=True,
        short="Drop",
        never=OVER - {State.EXPIRED},
        priority=94,
        plain="x",
    ),
    _verdict(
        "drop-because",
        "X",
        "Drop because",
        "The same with a reason: 1 wrong, 2 obsolete, 3 duplicate, 4 too broad, in a conflict 5 no conflict",
        helps=dict.fromkeys(EVERY - {CONFLICT}, "The same with a reason: 1 wrong, 2 obsolete, 3 duplicate, 4 too broad"),
        batch=True,
        never=OVER - {State.EXPIRED},
    ),
    _verdict(
        "choose",
        "1 2 3 4",
        "Wording",
        "Keep with that offered wording; in a conflict keep 1 the new, 2 the old, 3 both, 4 merge; stale: snooze by 1 to 4",
        labels={CONFLICT: "Side", STALE: "Snooze"},
        helps={
            CANDIDATE: "Keep it with the wording that has this digit on the card",
            CONFLICT: "Keep 1 the new one, 2 the old one, 3 both; 4 merges them, after a look",
            STALE: "Put it away: 1 an hour, 2 a day, 3 a week, 4 thirty days",
        },
        plain="1",
        kinds=frozenset({CANDIDATE, CONFLICT, STALE}),
        never=OVER,
    ),
    _verdict(
        "edit",
        "e",
        "Edit",
        "Edit headline and lesson in place; ^s saves and keeps, enter too once both were seen, esc keeps a draft",
        never=frozenset({State.MERGED}),
        priority=92,
        plain="e",
    ),
    _verdict("code", "A", "Code", "Say which code it speaks of: files and symbols, found as you type"),
    _verdict("edit-whole", "E", "Editor", "Edit the whole lesson in $EDITOR", never=frozenset({State.MERGED})),
    _verdict("category", "i", "Category", "Say what sort of lesson it is: then 1 to 7"),
    _verdict("scope", "t", "Scope", "Then 1 project, 2 everywhere, 3 the card's folders, 4 sent at every start"),
    _verdict(
        "merge",
        "m",
        "Merge",
        "Merge into a lesson that says nearly the same; shows the result first",
        helps={CONFLICT: "Make one lesson of both; shows the result first"},
        batch=True,
        never=OVER,
        priority=90,
        quiet=EVERY - {CONFLICT},
        plain="m",
    ),
    _verdict(
        "supersede",
        "s",
        "Supersede",
        "It takes the place of the lesson most like it, or of one that you name; in a conflict the newer side wins",
        labels={CONFLICT: "New wins"},
        helps={
            CONFLICT: "The new one takes the old one's place",
            **dict.fromkeys(
                EVERY - {CONFLICT}, "It takes the place of the lesson most like it, or of one that you name, after a look"
            ),
        },
        batch=True,
        short="Sup",
        never=OVER,
        priority=84,
        quiet=EVERY - {CONFLICT},
        plain="s",
    ),
    _verdict(
        "snooze",
        "z",
        "Snooze",
        "Put it away for a day; what is snoozed waits again; a lesson in the cleanup is not shown there until then",
        labels={LESSON: "Later"},
        asleep="Wait again",
        helps={
            LESSON: "Not shown here for a day",
            **dict.fromkeys(EVERY - {LESSON}, "Put it away for a day; among the snoozed let it wait again"),
        },
        batch=True,
        priority=82,
        kinds=frozenset({CANDIDATE, CONFLICT, STALE}),
        also={"cleanup": frozenset({LESSON})},
        never=OVER,
        plain="z",
    ),
    _verdict(
        "snooze-until",
        "Z",
        "Snooze until",
        "Then 1 an hour, 2 a day, 3 a week, 4 thirty days",
        batch=True,
        kinds=frozenset({CANDIDATE, CONFLICT, STALE}),
        also={"cleanup": frozenset({LESSON})},
        never=OVER,
    ),
    _verdict(
        "accept-repository",
        "Y",
        "Accept all",
        "Of a lesson that a file of the repository brought: keep all that it brings, now and from now on, after a question",
        kinds=frozenset({CANDIDATE}),
        screens=frozenset({"inbox"}),
        never=OVER,
    ),
    _verdict(
        "undo",
        "u",
        "Undo",
        "Take back the last verdict, also one from yesterday",
        priority=98,
        needs_row=False,
        screens=ANYWHERE,
        plain="u",
    ),
    _verdict("redo", "U ctrl+r", "Redo", "Do again what was undone", needs_row=False, screens=ANYWHERE),
    _verdict(
        "revert",
        "r",
        "Undo this",
        "On the history screen: take back this verdict",
        needs_row=False,
        screens=frozenset({"history"}),
    ),
    _verdict("repeat", ".", "Repeat", "The last verdict again, on this row"),
    _verdict("add", "a", "Add", "Add a lesson by hand", needs_row=False),
    _verdict(
        "distill",
        "d",
        "Model",
        "Have your model read the session of this card; d again stops it after the session at hand",
        kinds=frozenset({CANDIDATE}),
        screens=frozenset({"inbox"}),
        never=OVER,
    ),
    _verdict(
        "distill-all",
        "D",
        "Model: all",
        "Have your model read every session that it has not read, after an estimate",
        needs_row=False,
        screens=frozenset({"inbox"}),
    ),
    _verdict(
        "reopen",
        "b",
        "Wait again",
        "In the library: let what was dropped or expired wait again",
        short="Again",
        kinds=frozenset({CANDIDATE}),
        screens=frozenset({"lessons"}),
        never=frozenset({State.MERGED}),
        priority=95,
        batch=True,
    ),
    _view("mark", "space", "Mark", "Mark the row and move down; verdicts then apply to all marked rows", "Select", priority=70),
    _view("range", "v", "Range", "Start or end a range", "Select"),
    _view("mark-all", "*", "Mark all", "Mark everything that is shown", "Select"),
    _view(
        "mark-session",
        "",
        "Mark session",
        "Mark all that its session has brought and is shown; x then drops all of these",
        "Select",
    ),
    _view(
        "clear",
        "escape",
        "Clear",
        "Close the reasons, clear the marks, then the filter; stop what runs; then back to the inbox",
        "Select",
        needs_row=False,
        screens=ANYWHERE,
    ),
    _view("down", "j down", "Down", "Next row", "Move", needs_row=False, screens=ANYWHERE),
    _view("up", "k up", "Up", "Previous row", "Move", needs_row=False, screens=ANYWHERE),
    _view("page-down", "pagedown ctrl+d", "Page down", "A page down", "Move", needs_row=False, screens=ANYWHERE),
    _view("page-up", "pageup ctrl+u", "Page up", "A page up", "Move", needs_row=False, screens=ANYWHERE),
    _view("bottom", "G end", "Bottom", "Last row", "Move", needs_row=False, screens=ANYWHERE),
    _view("top", "home", "Top", "First row; also g g", "Move", needs_row=False, screens=ANYWHERE),
    _view(
        "go",
        "g",
        "Go to",
        "Then i inbox, l lessons, c cleanup, h history, g top",
        "Move",
        needs_row=False,
        screens=frozenset(),
    ),
    _view("next-split", "]", "Next split", "All, candidates, conflicts, stale, snoozed", "Move", needs_row=False),
    _view("previous-split", "[", "Previous split", "The same backwards", "Move", needs_row=False),
    _view(
        "evidence",
        "o enter",
        "Evidence",
        "The evidence in full, with what was said around it; first how its code changed; in the history a batch's parts",
        helps=dict.fromkeys(EVERY, "The evidence in full, with what was said around it; first how its code changed"),
        priority=66,
        screens=ANYWHERE,
        plain="o",
    ),
    _view("open-code", "", "Open the code", "Open the file that it speaks of in $EDITOR, at the symbol's line"),
    _view("open-transcript", "", "Open the transcript", "Open the transcript that it quotes in $EDITOR, at the quote's line"),
    _view("next-quote", "l right", "Next quote", "Next piece of evidence on the card"),
    _view("previous-quote", "h left", "Previous quote", "Previous piece of evidence"),
    _view("scroll-down", "J", "Scroll down", "Scroll the card without leaving the list"),
    _view("scroll-up", "K", "Scroll up", "Scroll the card back"),
    _view("why", "w", "Why", "Why it was detected: the rule and the parts of its score", plain="w"),
    _view(
        "filter",
        "/",
        "Filter",
        "Show only rows with these words, as you type",
        needs_row=False,
        priority=68,
    ),
    _view(
        "rest",
        "+",
        "Rest",
        "Show or hide what is held back: beyond the best of its session, or by your verdicts on its like",
        needs_row=False,
        screens=frozenset({"inbox"}),
    ),
    _view(
        "refresh",
        "R",
        "Refresh",
        "Let new rows in, sort anew, read the transcripts again",
        needs_row=False,
    ),
    _view("preview", "p", "Card", "Show or hide the card", needs_row=False),
    _view("flip", "P", "Flip", "Card on the right or below", needs_row=False),
    _view(
        "grow",
        "=",
        "Grow",
        "More room for the card, with all that was said around its quote; again: for the list; again: as it was",
        needs_row=False,
    ),
    _view("copy", "c", "Copy", "Copy the lesson's text"),
    _view("copy-whole", "C", "Copy all", "Copy it as Markdown, with its evidence"),
    _view("theme", "", "Theme", "Choose colours, shown as you go through them; remembered", needs_row=False),
    _view("palette", ": ctrl+p", "Palette", "Every action by name", "Leave", needs_row=False, screens=frozenset()),
    _view(
        "help",
        "?",
        "Help",
        "This list; type to search it, enter to run",
        "Leave",
        needs_row=False,
        screens=frozenset(),
        priority=100,
    ),
    _view("quit", "q", "Quit", "Leave; everything is saved already", "Leave", needs_row=False, screens=frozenset(), plain="q"),
)
"""Every action, in the order of the help screen. Empty ``screens`` means every screen."""
BY_NAME: dict[str, Action] = {action.name: action for action in ACTIONS}
NAMED = re.compile(
    r"(ctrl\+[a-z]|(shift\+)?(up|down|left|right|home|end|pageup|pagedown|tab)|space|enter|escape|delete|backspace|f\d{1,2})"
)
"""Keys of more than one letter, as terminals name them."""


def keymap(changes: Mapping[str, str] | None = None) -> dict[str, str]:
    """Which key does what: key → action's name. ``changes`` gives actions other keys, separated by blanks.

    Raises ``CuratorError`` for an action or a key that does not exist, and for a key given to two.
    """
    changes = changes or {}
    for name in changes:
        if name not in BY_NAME:
            raise CuratorError(f"There is no action {name!r} to give keys to.", "`curator keys` lists them.")
    found: dict[str, str] = {}
    for action in ACTIONS:
        for key in changes.get(action.name, " ".join(action.keys)).split():
            if len(key) > 1 and not NAMED.fullmatch(key):
                raise CuratorError(
                    f"There is no key {key!r} for {action.name}.",
                    "Keys are single characters, or names such as space, enter, escape, pagedown, ctrl+d, shift+up.",
                )
            if key in found:
                raise CuratorError(
                    f"The key {key} is given to both {found[key]} and {action.name}.", "Change one in settings.toml."
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
"""What follows ``g``: key → (screen or action, label)."""


def fits(action: Action, screen: str, kind: Kind | None, state: State | None = None) -> bool:
    """Whether an action means anything on this screen, with the cursor on this kind of row (``None``: no row)."""
    if (action.screens and screen not in action.screens) or state in action.never:
        return False
    return not action.needs_row or (kind is not None and kind in action.kinds | action.also.get(screen, frozenset()))
