"""The windows over the list: the prompt, the merge, and everything about an entry, page by page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import closing, suppress
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen, ScreenResultType
from textual.widget import Widget

from curator import app, clock
from curator.app import HAPPENED, Curator, split_around_headline
from curator.app.merge_targets import MIN_MERGE_LIKENESS, Target
from curator.errors import CuratorError
from curator.model import Entry, Event, Evidence, Finding, Line, Relating, State
from curator.text import warnings
from curator.text.words import pluralize
from curator.tui import styles
from curator.tui.app_state import AppState
from curator.tui.bars import Footer, FooterContext
from curator.tui.card import changes, excerpt, statement
from curator.tui.editor import Editor, typing
from curator.tui.pane import Compose, Frame, Pane
from curator.tui.styles import Palette
from curator.tui.text import ago, diff_lines, fit, hanging, prose, wrap

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
        self.query_one(Footer).show(FooterContext(""), keys)

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
        """Show all of it, wrapped."""
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
        """Show the most similar target first."""
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
            beside = f"  {'candidate' if offered.entry.state is State.OPEN else 'lesson'}{alike}"
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
        """Show another target."""
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
        """Let the person find a lesson that is not among these."""
        if self.supersede:
            self.dismiss(FIND_ANOTHER)

    def action_edit(self) -> None:
        """Edit the text that results."""
        if not self.supersede:
            self.query_one(Editor).open(self.targets[self.at].entry.id, *self.texts)
            self.on_editor_typed()

    def on_editor_typed(self) -> None:
        """Show the effects of the keys for the current texts."""
        self.query_one(Footer).show(FooterContext(""), [*typing(self.query_one(Editor), "Use", "Leave")])

    def on_editor_saved(self, event: Editor.Saved) -> None:
        """Show the edited result. ``y`` applies it."""
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


WORDS = ("headline", "insight")
"""The fields whose changes are shown word by word."""
CODE, LIFE = "code", "history"
SOUGHT = 16
"""The number of characters of a quote that find its line."""


def pages(entry: Entry) -> list[str | Evidence]:
    """Return the pages: changed code, each quote, and the history of a lesson."""
    code = [CODE] if entry.findings else []
    return [*code, *entry.evidence, *([LIFE] if entry.state is not State.OPEN else [])]


def _place(quoted: Evidence) -> str:
    return f"{quoted.file}:{quoted.line}" if quoted.file else "said to curator"


class FullScreen(Sheet[None]):
    """One page of an entry on the whole screen, for a quote or the ``last`` page, with keys for the others."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o,enter,escape,q", "dismiss", "Back"),
        Binding("l,right", "step(1)", "Next"),
        Binding("h,left", "step(-1)", "Previous"),
        *SCROLL,
    ]

    def __init__(self, curator: Curator, entry: Entry, at: int, *, last: bool = False) -> None:
        super().__init__()
        self.curator = curator
        self.entry = entry
        self.pages = pages(entry)
        self.at = len(self.pages) - 1 if last else at + (self.pages[0] == CODE) if at else 0
        self.contexts: dict[Evidence, Sequence[Line]] = {}
        """The lines of transcripts around a quote that were read so far."""
        self.commits: dict[Finding, Sequence[str]] = {}
        self.events: Sequence[Event] = curator.lessons.history(entry.id) if LIFE in self.pages else ()
        self.outcome = app.statistics.outcome_sentence(curator, entry)

    def on_mount(self) -> None:
        """Show changed code, or else the quote of the card. More of both follows once it is read."""
        self.action_step(0)
        self._look_up()

    @property
    def page(self) -> str | Evidence:
        """Return the current page."""
        return self.pages[self.at]

    def action_step(self, by: int) -> None:
        """Show another page."""
        self.at = (self.at + by) % len(self.pages)
        name, place = (self.page, "") if isinstance(self.page, str) else ("evidence", _place(self.page).rpartition("/")[2])
        title = f" {styles.DOT} ".join(filter(None, (f"{name} {self.at + 1}/{len(self.pages)}", place)))
        self.set_title(title)
        others = [("h l", "Other pages")] if len(self.pages) > 1 else []
        self.show(self._lines, [("o", "Back"), *others, ("j k", "Scroll")])
        self._show_quote()

    @work(thread=True, exit_on_error=False)
    def _look_up(self) -> None:
        """Read more in a thread, because transcripts may be long and git takes time."""
        with closing(self.curator.fork()) as curator, suppress(CuratorError, OSError):  # then the stored context is shown
            for finding in self.entry.findings:
                self.commits[finding] = app.anchoring.commits(curator, self.entry, finding)
            for quoted in self.entry.evidence:
                self.contexts[quoted] = app.origins.quote_context(quoted)
        if self.is_attached:
            self.app.call_from_thread(self._show_contexts)

    def _show_contexts(self) -> None:
        if self.is_attached:
            self.query_one(Pane).show(self._lines, keep_place=True)
            self._show_quote()

    def _show_quote(self) -> None:
        """Bring the quote into sight, however much was said before it."""
        quoted, pane = self.page, self.query_one(Pane)
        if not isinstance(quoted, Evidence) or not self.contexts.get(quoted):
            return
        if first := quoted.quote.split("\n")[0].strip()[:SOUGHT]:
            lines = pane.text.split("\n")
            start = lines.index("", 1) if "" in lines[1:] else 0
            at = next((at for at in range(start, len(lines)) if first in lines[at]), 0)
            pane.scroll_by(max(0, at - pane.outer_size.height // 3) - pane.offset_y)

    def _lines(self, width: int, palette: Palette) -> Sequence[Text]:
        body = statement(self.entry, palette)
        if isinstance(self.page, Evidence):
            return [*body, *self._quote_lines(self.page, width, palette)]
        return [*body, Text(""), *(self._code(width, palette) if self.page == CODE else self._life(width, palette))]

    def _code(self, width: int, palette: Palette) -> list[Text]:
        lines = []
        for finding in self.entry.findings:
            who = self.commits.get(finding, ())
            lines += [part for one in who for part in hanging(Text("commit "), Text(one, style=palette.quiet), width)]
        return [*lines, *([Text("")] if lines else []), *changes(self.entry, width, palette)]

    def _quote_lines(self, quoted: Evidence, width: int, palette: Palette) -> list[Text]:
        session = f"session {quoted.session}" if quoted.session else ""
        where = f" {styles.DOT} ".join(filter(None, (quoted.agent, session, _place(quoted))))
        whole = self.contexts.get(quoted)
        lines = [Text(where, style=palette.quiet)]
        if quoted in self.contexts and not whole and quoted.file and not quoted.digest:  # a note has no turns around it
            lines.append(Text("The transcript no longer exists. This is the saved excerpt.", style=palette.quiet))
        around = [Text(""), *prose(self.entry.context, palette)] if not whole and adds_words(self.entry) else []
        return [*lines, Text(""), *excerpt(quoted, width, palette, whole), *around]

    def _life(self, width: int, palette: Palette) -> list[Text]:
        now = clock.now()
        outcome = [self.outcome or "No agent got this lesson yet."] if self.entry.state is State.ACTIVE else []
        often = f"stated {pluralize(self.entry.times_stated, 'time')}, quoted {pluralize(len(self.entry.evidence), 'time')}"
        lines = [*(Text(line, style=palette.plain) for line in (*outcome, often)), Text("")]
        for event in reversed(self.events):
            when, what = f"{ago(now - event.at):>9}  ", f"{HAPPENED[event.verb]:<12} "
            head = Text.assemble((when, palette.quiet), (what, palette.strong))
            lines += hanging(head, Text(f"by {event.actor}", style=palette.quiet), width)
            for field in WORDS:
                was, became = ((patch or {}).get(field) for patch in (event.before, event.after))
                if was and became and was != became:
                    lines += diff_lines(was, became, width, palette)
        return lines


WORD = re.compile(r"\w+")


def adds_words(entry: Entry) -> bool:
    """Return whether the context says anything that is not in the quotes and the lines around them."""
    if any(item.quote in entry.context for item in entry.evidence):
        return False
    quoted = " ".join([line.text for item in entry.evidence for line in item.excerpt] + [item.quote for item in entry.evidence])
    return not set(WORD.findall(entry.context.lower())) <= set(WORD.findall(quoted.lower()))
