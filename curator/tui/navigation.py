"""The keys that look but do not decide: move, mark, filter, evidence, help."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from textual import events, work
from textual.containers import Horizontal
from textual.widgets import Input, Label

from curator import app
from curator.keymap import TARGETS
from curator.model import Evidence
from curator.text.plurals import counted
from curator.tui.evidence import excerpt
from curator.tui.key_dispatch import Keyed
from curator.tui.pane import Pane
from curator.tui.styles import palette_of


class Browse(Keyed):
    """A board on which one can look around."""

    # --- moving -------------------------------------------------------------------------------------------------------

    def step(self, move: Callable[[], None]) -> None:
        """Move the cursor and draw what that needs."""
        before, top = self.list.rows.cursor, self.list.rows.top
        move()
        self.list.moved(before, top)

    def act_down(self) -> None:
        """Next row."""
        self.step(lambda: self.list.rows.move(1))

    def act_up(self) -> None:
        """Previous row."""
        self.step(lambda: self.list.rows.move(-1))

    def act_page_down(self) -> None:
        """A page down."""
        self.step(lambda: self.list.rows.move(self.list.rows.height))

    def act_page_up(self) -> None:
        """A page up."""
        self.step(lambda: self.list.rows.move(-self.list.rows.height))

    def act_top(self) -> None:
        """First row."""
        self.step(lambda: self.list.rows.go(0))

    def act_bottom(self) -> None:
        """Last row."""
        self.step(lambda: self.list.rows.go(len(self.list.rows)))

    def act_mark(self) -> None:
        """Mark and move down."""
        self.list.rows.mark()
        self.list.show()

    def act_range(self) -> None:
        """Start or end a range."""
        self.list.rows.toggle_range()
        self.list.show()

    def act_extend_down(self) -> None:
        """Extend the range."""
        self.list.rows.extend(1)
        self.list.show()

    def act_extend_up(self) -> None:
        """Extend the range."""
        self.list.rows.extend(-1)
        self.list.show()

    def act_mark_all(self) -> None:
        """Mark everything shown."""
        self.list.rows.mark_all()
        self.list.show()

    def act_mark_session(self) -> None:
        """Mark what the session of the card has brought, as far as it is shown."""
        if self.entry is None or not self.entry.session:
            self.toast.show("It comes from no session.", once=True)
            return
        rows = self.list.rows
        rows.marks |= set(filter(rows.holds, self.app.curator.lessons.order(replace(self.wanted, session=self.entry.session))))
        self.list.show()
        self.toast.show(
            f"{counted(len(rows.marks), 'row')} marked: y and x are for all of them, esc clears the marks", once=True
        )

    def act_clear(self) -> None:
        """The reasons first, then marks, the filter, then back to the inbox."""
        if self.why:
            self.act_why()
        elif self.list.rows.clear():
            self.list.show()
        elif self.words:
            self.filter("")
        elif self.NAME != "inbox":
            self.app.switch_mode("inbox")

    def act_jump(self) -> None:
        """A letter beside each row in sight."""
        letters = "asdfghjklqwertyuiopzxcvbnm"
        self.list.labels = dict(zip(self.list.rows.visible(), letters, strict=False))
        by_letter = {letter: seq for seq, letter in self.list.labels.items()}
        self.list.show()
        self.ask([(letter, "") for letter in by_letter], lambda key: self.step(lambda: self.list.rows.go_to(by_letter[key])))

    def act_go(self) -> None:
        """Where to? ``g g`` is the top."""

        def answer(key: str) -> None:
            place = TARGETS[key][0]
            if place == "top":
                self.act_top()
            else:
                self.app.switch_mode(place)

        self.ask([(key, label) for key, (_, label) in TARGETS.items()], answer)

    def _other_split(self, by: int) -> None:
        at = self.SPLITS.index(self.split)
        self.action_split(self.SPLITS[(at + by) % len(self.SPLITS)].name)

    def act_next_split(self) -> None:
        """The split to the right."""
        self._other_split(1)

    def act_previous_split(self) -> None:
        """The split to the left."""
        self._other_split(-1)

    # --- looking ------------------------------------------------------------------------------------------------------

    def act_evidence(self) -> None:
        """All that is known of it; where the card says all of that, it is said so."""
        from curator.tui.detail import FullScreen, pages

        if self.entry is None:
            return
        found = pages(self.entry)
        if not found or (len(found) == 1 and isinstance(found[0], Evidence) and self._says_all(found[0])):
            self.toast.show("The card shows all that there is of it.", once=True)
        else:
            self.app.push_screen(FullScreen(self.app.curator, self.entry, self.quote))

    def _says_all(self, quoted: Evidence) -> bool:
        """Whether the card has all that was kept around its quote, and no transcript has more."""
        pane = self.query_one("#card", Pane)
        if pane.hidden_below or not pane.region or app.transcript_context.transcript(quoted):
            return False
        palette = palette_of(self.app.theme_variables, dark=self.app.current_theme.dark)
        text = pane.text
        return all(line.plain.rstrip() in text for line in excerpt(quoted, pane.outer_size.width, palette))

    def act_open_code(self) -> None:
        """Open the first file of an entry that is there, inside its project."""
        from curator.tui.clipboard import line_of, open_at

        if self.entry is None:
            return
        files = app.project_files.files(self.app.curator, self.entry)
        if not files:
            self.toast.show("It speaks of no file that is here.", once=True)
            return
        symbols = [anchor.symbol for anchor in self.entry.anchors if anchor.symbol and str(files[0]).endswith(anchor.path)]
        open_at(self.app, files[0], line_of(files[0], symbols[0]) if symbols else 1)

    def act_open_transcript(self) -> None:
        """Open the transcript of the quote on the card."""
        from curator.tui.clipboard import open_at

        quoted = self.entry.evidence[self.quote] if self.entry and self.entry.evidence else None
        path = app.transcript_context.transcript(quoted) if quoted else None
        if quoted is None or path is None:
            self.toast.show("Its transcript is not here." if quoted else "It quotes nothing.", once=True)
            return
        open_at(self.app, path, quoted.line)

    def _other_quote(self, by: int) -> None:
        if self.entry and self.entry.evidence:
            self.quote = (self.quote + by) % len(self.entry.evidence)
            self.draw_card(self.entry, keep_place=True)

    def act_next_quote(self) -> None:
        """Next piece of evidence on the card."""
        self._other_quote(1)

    def act_previous_quote(self) -> None:
        """Previous piece of evidence."""
        self._other_quote(-1)

    def act_scroll_down(self) -> None:
        """Scroll the card."""
        self.query_one("#card", Pane).scroll_by(3)

    def act_scroll_up(self) -> None:
        """Scroll the card back."""
        self.query_one("#card", Pane).scroll_by(-3)

    def act_why(self) -> None:
        """Show or hide why it was detected."""
        self.why = not self.why
        self._other_quote(0) if self.entry and self.entry.evidence else self.refresh_card()

    def act_preview(self) -> None:
        """Show or hide the card."""
        self.toggle_class("-no-card")

    def act_flip(self) -> None:
        """Card on the right or below; one that is hidden comes back first."""
        if self.has_class("-no-card"):
            self.remove_class("-no-card")
        else:
            self.toggle_class("-flipped")

    def act_rest(self) -> None:
        """Show or hide what the cap and verdicts hold back."""
        self.rest = not self.rest
        self.load()
        self.toast.show("everything, also what is held back" if self.rest else "the best of each session")

    def act_refresh(self) -> None:
        """Let arrivals in, sort anew, read the transcripts again."""
        self.toast.show(f"{self.let_in() or 'nothing new waited'}; reading the transcripts again")
        self.app.rescan()

    def act_filter(self) -> None:
        """Type a filter."""
        if not self.query("#filter"):
            line = Horizontal(id="find")
            self.mount(line, before="#foot")
            line.mount(Label("/ "), Input(placeholder="words to look for", compact=True, id="filter"))
        rows, field = self.list.rows, self.query_one("#filter", Input)
        self._before = (rows.cursor, rows.position - rows.top) if rows.cursor is not None else self._before
        field.value = " ".join(self.words)
        self.query("#find").set(display=True)
        self.toast.display = False
        field.focus()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The footer tells the keys of the filter from when it takes them, until the list does."""
        if self.query("#find"):
            self.refresh_bars()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter as you type, a tenth of a second behind the fingers."""
        if event.input.id == "filter" and self.query_one("#find").display:
            event.stop()
            self._filter_soon(event.value)

    @work(exclusive=True, group="filter")
    async def _filter_soon(self, text: str) -> None:
        await asyncio.sleep(0.1)
        self.filter(text)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Back to the list; the filter stays."""
        if event.input.id == "filter":
            event.stop()
            self.leave_input()
            self.filter(event.value)

    def act_help(self) -> None:
        """Help; what is chosen there is done."""
        from curator.tui.overlays import HelpScreen

        row = (self.entry.kind, self.entry.state) if self.entry else (None, None)
        self.app.push_screen(HelpScreen(self.NAME, *row), self._run)

    def _run(self, name: str | None) -> None:
        if name:
            self.app.guarded(lambda: self.action_act(name))

    def act_palette(self) -> None:
        """Every action by name."""
        self.app.action_command_palette()

    def act_quit(self) -> None:
        """Leave; nothing is asked, everything is saved."""
        self.app.exit()
