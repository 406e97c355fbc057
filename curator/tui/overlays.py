"""The windows over the list: the merge, help, and the question about a lost database."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen, ScreenResultType
from textual.widget import Widget
from textual.widgets import Input

from curator.app import Target, split_around_headline
from curator.app.merge_targets import MIN_MERGE_LIKENESS
from curator.keymap import ACTIONS, Action, fits
from curator.model import Entry, Kind, Relating, State
from curator.text import warnings
from curator.text.words import pluralize
from curator.tui import styles
from curator.tui.app_state import AppState
from curator.tui.bars import Footer, keycap
from curator.tui.code import diff_lines
from curator.tui.editor import Editor, typing
from curator.tui.pane import Compose, Frame, Pane
from curator.tui.styles import Palette
from curator.tui.text import fit, hanging, wrap

MAX_NAMED_ROWS = 5
"""Maximum number of named rows in a merge."""
SCROLL: list[BindingType] = [
    Binding("j,down,J", "scroll(1)", show=False),
    Binding("k,up,K", "scroll(-1)", show=False),
    Binding("pagedown,ctrl+d,space", "scroll(15)", show=False),
    Binding("pageup,ctrl+u", "scroll(-15)", show=False),
    Binding("g,home", "scroll(-99999)", show=False),
    Binding("G,end", "scroll(99999)", show=False),
]


class Sheet(ModalScreen[ScreenResultType]):
    """A pane over the whole screen, with a title, keys below it, and sometimes an input field above it."""

    AUTO_FOCUS = "#text"
    app: AppState

    def compose(self) -> ComposeResult:
        """Yield the input field, if any, then the pane and the keys."""
        reads = self.AUTO_FOCUS == "#text"
        with Frame(id="sheet"):
            yield from self.above()
            yield Pane(id="text", can_focus=reads, key="j" if reads else styles.DOWN)
        yield Footer(id="foot")

    def above(self) -> Sequence[Widget]:
        """Return the widgets above the pane."""
        return ()

    def set_title(self, title: str) -> None:
        """Show a title in the border."""
        self.query_one("#sheet", Frame).set_title(title)

    def show(self, lines: Compose, keys: Sequence[tuple[str, str]]) -> None:
        """Show lines from the first on, and the keys."""
        self.query_one(Pane).show(lines)
        self.query_one(Footer).show("", None, keys)

    def action_scroll(self, by: int) -> None:
        """Scroll the pane."""
        self.query_one(Pane).scroll_by(by)


class PromptScreen(Sheet[None]):
    """The prompt about one session, to read."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "dismiss(None)", "Back"), *SCROLL]

    def __init__(self, prompt: str) -> None:
        super().__init__()
        self.prompt = prompt

    def on_mount(self) -> None:
        """All of it, wrapped."""
        text = self.prompt or "curator found no session that it may send."
        self.set_title(f"one prompt, {len(self.prompt):,} characters, before candidates are added")
        self.show(
            lambda width, palette: [part for line in text.split("\n") for part in wrap(Text(line), width) or [Text("")]],
            [("j k", "Scroll"), ("esc", "Back")],
        )


NO_SIMILAR_LESSON = "No similar lesson"
FIND_ANOTHER = ("", "", "")
"""The answer that opens a search for the lesson to replace."""


class MergeScreen(Sheet[tuple[str, str, str] | None]):
    """Show the result of a merge before it is made. Answers (target id, headline, insight), ``FIND_ANOTHER``, or nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "Back"),
        Binding("y,m,enter", "apply", "Apply"),
        *(Binding(str(digit), f"target({digit})", show=False) for digit in range(1, 10)),
        Binding("e", "edit", "Edit"),
        Binding("slash", "find", "Find another"),
        *SCROLL,
    ]

    def __init__(self, entries: Sequence[Entry], targets: Sequence[Target], *, supersede: bool = False) -> None:
        super().__init__()
        self.entries = entries
        self.targets = targets
        self.supersede = supersede
        self.at = 0
        self.texts = (targets[0].headline, targets[0].insight)

    def above(self) -> Sequence[Widget]:
        """Return an editor for the result."""
        return (Editor(id="editor"),)

    def on_mount(self) -> None:
        """The most alike target first."""
        self.set_title("supersede" if self.supersede else "merge")
        self._draw()

    def _draw(self) -> None:
        options = [("y enter", "Apply"), ("esc", "Back")]
        options.insert(1, ("/", "Find another") if self.supersede else ("e", "Edit result"))
        if len(self.targets) > 1:
            digits = " ".join(str(at + 1) for at in range(len(self.targets)))
            options.append((digits, "Other target"))
        self.show(self._lines, options)

    def _lines(self, width: int, palette: Palette) -> Sequence[Text]:
        target = self.targets[self.at]
        going = [entry for entry in self.entries if entry.id != target.entry.id]
        heads = [Text(entry.headline, palette.strong) for entry in going[:MAX_NAMED_ROWS]]
        lines = [line for head in heads for line in hanging(Text("This  ", palette.quiet), head, width)]
        lines += (
            [Text(f"and {pluralize(len(going) - MAX_NAMED_ROWS, 'more row')}", style=palette.quiet)]
            if len(going) > MAX_NAMED_ROWS
            else []
        )
        verb = "replaces" if self.supersede else "goes into" if len(going) == 1 else "go into"
        lines.append(Text(verb, style=palette.quiet))
        for at, offered in enumerate(self.targets):
            here = at == self.at
            sign = styles.BAR if here else " "
            alike = f" {offered.likeness:.0%} alike" if offered.likeness else ""
            beside = f"  {offered.entry.kind}{alike}"
            text = fit(f"{sign}{at + 1} {offered.entry.headline}", width - len(beside))
            lines.append(Text(text + beside, style=palette.strong if here else palette.quiet))
        if self.supersede:
            return [*lines, Text(""), *diff_lines(target.entry.headline, going[0].headline, width, palette)]
        headline, insight = self.texts
        kept = "which becomes a lesson and then says" if target.entry.state is State.OPEN else "and then says"
        if target.relating is Relating.CONTRADICTS:
            lines += [Text(""), Text("They contradict each other. Agents will get only the text below.", palette.bad)]
        elif target.likeness < MIN_MERGE_LIKENESS and target.relating is None:
            lines += [
                Text(""),
                *hanging(Text(""), Text(f"{NO_SIMILAR_LESSON}: {target.likeness:.0%} alike", palette.bad), width),
            ]
        lines += [Text(""), Text(kept, style=palette.quiet)]
        lines += _merge_diff((target.entry.headline, target.entry.insight), (headline, insight), width, palette)
        if found := warnings.describe(headline, insight):
            lines.append(Text(f"{styles.ALARM} This text {found}: read it before you apply it", palette.bad))
        known = {(item.session, item.file, item.line) for item in target.entry.evidence}
        quotes = {(item.session, item.file, item.line) for entry in going for item in entry.evidence}
        new = len(quotes - known)
        total = len(target.entry.evidence) + new
        quotes_words = f"{pluralize(new, 'new quote')}, {total} in all" if new else f"the same {pluralize(total, 'quote')}"
        return [*lines, Text(""), Text(f"with {quotes_words}", style=palette.quiet)] if total else lines

    def action_target(self, digit: int) -> None:
        """Another target."""
        if digit <= len(self.targets):
            self.at = digit - 1
            self.texts = (self.targets[self.at].headline, self.targets[self.at].insight)
            self._draw()

    def action_apply(self) -> None:
        """Carry out the merge, once its whole result was on the screen."""
        pane = self.query_one(Pane)
        if pane.reveal(len(pane.text.split("\n"))):
            self.dismiss((self.targets[self.at].entry.id, *self.texts))

    def action_find(self) -> None:
        """None of these is meant."""
        if self.supersede:
            self.dismiss(FIND_ANOTHER)

    def action_edit(self) -> None:
        """Edit the text that results."""
        if not self.supersede:
            self.query_one(Editor).open(self.targets[self.at].entry.id, *self.texts)
            self.on_editor_typed()

    def on_editor_typed(self) -> None:
        """Show the effects of the keys for the current texts."""
        self.query_one(Footer).show("", None, [*typing(self.query_one(Editor), "Use", "Leave")])

    def on_editor_saved(self, event: Editor.Saved) -> None:
        """Show the edited result; ``y`` applies it."""
        event.stop()
        self.texts = (event.headline or self.texts[0], event.insight)
        self._close_editor()

    def on_editor_left(self, event: Editor.Left) -> None:
        """Leave the result unchanged."""
        event.stop()
        self._close_editor()

    def _close_editor(self) -> None:
        self.query_one(Editor).close()
        self.query_one(Pane).focus()
        self._draw()


def _merge_diff(old: tuple[str, str], new: tuple[str, str], width: int, palette: Palette) -> list[Text]:
    """Return the change of headline and insight, as one text if each insight contains its headline."""
    parts = [split_around_headline(*text) for text in (old, new)]
    if all(parts):
        before, after = ("".join(part) for part in parts if part)
        diff = diff_lines(before, after, width, palette)
        headline = diff_lines(old[0], new[0], width, palette) if before == after and old[0] != new[0] else []
        return headline + diff
    lines = diff_lines(old[0], new[0], width, palette)
    return [*lines, *(diff_lines(old[1], new[1], width, palette) if any((old[1], new[1])) else [])]


ELSEWHERE = "In other places"


class HelpScreen(Sheet[str | None]):
    """Every action, searchable; enter runs the one on top. Answers its name."""

    AUTO_FOCUS = "Input"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Back"),
        Binding("down,ctrl+d,pagedown", "scroll(10)", show=False),
        Binding("up,ctrl+u,pageup", "scroll(-10)", show=False),
    ]

    def __init__(self, screen_name: str, kind: Kind | None, state: State | None = None) -> None:
        super().__init__()
        self.screen_name = screen_name
        self.kind = kind
        self.state = state
        self.matches: list[Action] = []

    def above(self) -> Sequence[Widget]:
        """Return a search."""
        return (Input(placeholder="type to search, enter runs the first", compact=True),)

    def on_mount(self) -> None:
        """All of it."""
        self.set_title("help")
        self._search("")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search as you type."""
        self._search(event.value)

    def on_input_submitted(self) -> None:
        """Run the one on top."""
        first = self.first()
        self.dismiss(first.name if first else None)

    def first(self) -> Action | None:
        """Return the action that enter runs: the first one that applies here. Digits do not count, since they need a choice."""
        return next(filter(self._runs, self.matches), None)

    def _runs(self, action: Action) -> bool:
        return action.name != "choose" and self._fits(action)

    @property
    def _here(self) -> str:
        """Return the heading of the decisions on the current row."""
        return f"On this {'stale lesson' if self.kind is Kind.STALE else self.kind}"

    def _fits(self, action: Action) -> bool:
        return fits(action, self.screen_name, self.kind, self.state)

    def _section(self, action: Action) -> str:
        """Return the heading of an action. Decisions on the current row come first, actions for other places last."""
        if not self._fits(action):
            return ELSEWHERE
        return self._here if action.group == "Decide" and action.needs_row else action.group

    def _search(self, words: str) -> None:
        wanted = words.lower().split()

        def matches(action: Action) -> bool:
            help_ = action.help_for(self.kind, self.state)
            text = " ".join([action.name, *action.labels.values(), action.label, help_, action.group, *action.keys]).lower()
            return all(word in text for word in wanted)

        def is_named(action: Action) -> bool:
            label = action.label_for(self.kind, self.state)
            return words.lower().strip() in {action.name, action.label.lower(), label.lower(), *action.keys}

        def place(action: Action) -> tuple[int, bool]:
            """Sort by: can be run by enter, has exactly this name, contains the word."""
            return (not self._runs(action), not is_named(action)) if wanted else (order.index(self._section(action)), False)

        order = [self._here, *dict.fromkeys(action.group for action in ACTIONS), ELSEWHERE]
        self.matches = sorted(filter(matches, ACTIONS), key=place)
        keys = [("type", "Search"), ("enter", "Run"), ("↑ ↓", "Scroll"), ("esc", "Back")]
        self.show(lambda width, palette: self._lines(width, palette, bool(wanted)), keys)

    def _lines(self, width: int, palette: Palette, searching: bool) -> Sequence[Text]:
        lines: list[Text] = []
        group = ""
        first = self.first() if searching else None
        for action in self.matches:
            if (section := self._section(action)) != group and not searching:
                group = section
                lines += [*([Text("")] if lines else []), Text(group, style=palette.accent)]
            here = self._fits(action)
            sign = styles.BAR if action is first else " "
            keys = " ".join(keycap(key) for key in action.keys)
            style = palette.plain if here else palette.quiet
            label, help_ = action.label_for(self.kind, self.state), action.help_for(self.kind, self.state)
            if width >= 60:
                line = Text.assemble((f"{sign}{keys:<9}", palette.strong), (f"{label:<15} ", style), (help_, style))
                lines += hanging(line[:26], line[26:], width)
            else:
                lines += [
                    Text.assemble((f"{sign}{keys:<7} ", palette.strong), (label, style)),
                    *hanging(Text(" " * 9), Text(help_, style=palette.quiet), width),
                ]
        return lines or [Text("No match.", style=palette.quiet)]


def show_help(
    app: AppState, screen: str, act: Callable[[str], None], kind: Kind | None = None, state: State | None = None
) -> None:
    """Show help for a kind of row on a screen. ``act`` runs the chosen action."""

    def run(name: str | None) -> None:
        if name:
            app.attempt(lambda: act(name))

    app.push_screen(HelpScreen(screen, kind, state), run)
