"""From a key to an action: at once, or as the answer to the question before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.text import Text
from textual import events

from curator import clock
from curator.keymap import BY_NAME, fits
from curator.tui.bars import Foot
from curator.tui.keys import Menu, pressed
from curator.tui.live import Arriving


class Keyed(Arriving):
    """A board with keys."""

    def action_act(self, name: str) -> None:
        """Do what an action of the table says, if it means anything here."""
        action = BY_NAME[name]
        kind = self.entry.kind if self.entry else None
        rows = self.list.rows
        plain = self.entry is not None and not rows.marks and rows.cursor not in rows.settled  # what is shown is what is meant
        state = self.entry.state if self.entry and plain else None
        if not fits(action, self.NAME, kind, state):
            if action.needs_row and kind is None:
                return
            self.toast.show(f"Not here. {action.help}")
            return
        self.app.guarded(getattr(self, f"act_{name.replace('-', '_')}"))
        self.refresh_bars()

    def action_split(self, name: str) -> None:
        """Show another split."""
        self.split = next(split for split in self.SPLITS if split.name == name)
        self.words = ()
        self.app.guarded(lambda: self.load(keep=False))

    def on_key(self, event: events.Key) -> None:
        """Carry out a key at once, and in the order in which keys were typed.

        Textual's own bindings run after a key has travelled up to the application; the next key may have been handled by
        then, and ``g l`` typed fast would be two keys of the list.
        """
        if self.typing:
            if event.key == "escape" and self.filtering:
                event.stop()
                self.leave_input()
                self.filter("", back=True)
            return
        self.query_one(Foot).tell(Text(""))
        self.toast.forget()
        name = self.app.keymap.get(pressed(event))
        self._last_stroke = clock.now()
        if self.app.screen is not self:
            event.stop()
            self.app.post_message(events.Key(event.key, event.character))  # typed before the overlay was there
        elif self.menu is not None:
            event.stop()
            self._answer(event.character or event.key)
        elif event.is_printable and not (name and BY_NAME[name].group == "Move") and self.burst.lasts():
            event.stop()
        elif name == "choose":
            event.stop()
            self.app.guarded(lambda: self.act_choose_digit(int(event.character or "0")))
        elif name:
            event.stop()
            self.action_act(name)

    def ask(self, options: Sequence[tuple[str, str]], answer: Callable[[str], None]) -> None:
        """Wait for one of these keys; any other key leaves. What was told before has nothing to do with the question."""
        self.menu = Menu(options, answer)
        self.toast.show("")
        self.refresh_bars()

    def _answer(self, key: str) -> None:
        menu, self.menu = self.menu, None
        assert menu is not None
        if self.list.labels:
            self.list.labels = {}
            self.list.show()
        if any(key == option for option, _ in menu.options):
            self.app.guarded(lambda: menu.answer(key))
        elif key.isdigit():  # other keys leave, which needs no word
            self.toast.show(f"{key} was not among these keys: nothing was done.", once=True)
        self.refresh_bars()

    def act_choose_digit(self, digit: int) -> None:
        """A digit was pressed."""
        raise NotImplementedError

    def filter(self, text: str, *, back: bool = False) -> None:
        """Show only rows with these words; no words show all, with the cursor ``back`` where it was, if it is on no row now."""
        self.words = tuple(text.lower().split())
        lost = not self.words and (back or self.list.rows.cursor is None)
        self.app.guarded(lambda: self.load(back=self._before if lost else None))
