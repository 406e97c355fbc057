"""The detail screen: everything about an entry, page by page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import closing, suppress
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.binding import Binding, BindingType

from curator import app, clock
from curator.app import HAPPENED, Curator
from curator.errors import CuratorError
from curator.model import Entry, Event, Evidence, Finding, Line, State
from curator.text.words import pluralize
from curator.tui import styles
from curator.tui.card import changes, excerpt, statement
from curator.tui.code import diff_lines, prose
from curator.tui.overlays import SCROLL, Sheet
from curator.tui.pane import Pane
from curator.tui.styles import Palette
from curator.tui.text import ago, hanging

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
        """The page in front."""
        return self.pages[self.at]

    def action_step(self, by: int) -> None:
        """Another page."""
        self.at = (self.at + by) % len(self.pages)
        name, place = (self.page, "") if isinstance(self.page, str) else ("evidence", _place(self.page).rpartition("/")[2])
        title = f" {styles.DOT} ".join(filter(None, (f"{name} {self.at + 1}/{len(self.pages)}", place)))
        self.set_title(title)
        others = [("h l", "Other pages")] if len(self.pages) > 1 else []
        self.show(self._lines, [("o", "Back"), *others, ("j k", "Scroll")])
        self._show_quote()

    @work(thread=True, exit_on_error=False)
    def _look_up(self) -> None:
        """Transcripts may be long, and git takes its time."""
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
        if quoted in self.contexts and not whole and quoted.file:
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
