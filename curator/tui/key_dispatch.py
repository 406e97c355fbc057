"""From a key to an action: at once, or as the answer to the question before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.text import Text
from textual import events

from curator import clock
from curator.keymap import BY_NAME
from curator.tui.keys import Menu, pressed
from curator.tui.list_screen import ListScreen
from curator.tui.typing_guard import Burst


class Keys:
    """The keys of a list's screen: ``menu`` is the question that the next one answers. A digit is passed to ``choose``."""

    def __init__(self, board: ListScreen, choose: Callable[[int], None]) -> None:
        self.board = board
        self.choose = choose
        self.menu: Menu | None = None
        self.burst = Burst()
        self._last_stroke = 0.0

    def press(self, event: events.Key) -> None:
        """Carry out a key at once, and in the order in which keys were typed.

        Textual's own bindings run after a key has travelled up to the application; the next key may have been handled by
        then, and ``g l`` typed fast would be two keys of the list.
        """
        board, app = self.board, self.board.app
        board.foot.tell(Text(""))
        board.toast.forget()
        name = app.keymap.get(pressed(event))
        self._last_stroke = clock.now()
        if not board.in_front:
            event.stop()
            app.post_message(events.Key(event.key, event.character))  # typed before the overlay was there
        elif self.menu is not None:
            event.stop()
            self._answer(self.menu, event.character or event.key)
        elif event.is_printable and not (name and BY_NAME[name].group == "Move") and self.burst.lasts():
            event.stop()
        elif name == "choose":
            event.stop()
            app.guarded(lambda: self.choose(int(event.character or "0")))
        elif name:
            event.stop()
            board.action_act(name)

    def ask(self, options: Sequence[tuple[str, str]], answer: Callable[[str], None]) -> None:
        """Wait for one of these keys; any other key leaves. What was told before has nothing to do with the question."""
        self.menu = Menu(options, answer)
        self.board.toast.show("")
        self.board.refresh_bars()

    def _answer(self, menu: Menu, key: str) -> None:
        self.menu = None
        shown = self.board.list
        if shown.labels:
            shown.labels = {}
            shown.show()
        if any(key == option for option, _ in menu.options):
            self.board.app.guarded(lambda: menu.answer(key))
        elif key.isdigit():  # other keys leave, which needs no word
            self.board.toast.show(f"{key} was not among these keys: nothing was done.", once=True)
        self.board.refresh_bars()

    def rest(self, seconds: float) -> bool:
        """Whether nobody has pressed a key for so long, nor is typing or choosing."""
        board = self.board
        busy = self.menu is not None or board.typing or not board.in_front
        return not busy and clock.now() - self._last_stroke > seconds
