"""The way from a key to an action: at once, as the answer to a question, or not at all.

Decisions faster than a person can make them are stopped, because somebody is typing text into the wrong pane.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rich.text import Text
from textual import events

from curator import clock
from curator.keymap import BY_NAME
from curator.tui.app_state import ListScreenParts


def key_name(event: events.Key) -> str:
    """Return a key as the table of actions writes it: the character itself, or a name such as ``pagedown``."""
    return event.character if event.is_printable and event.character and event.character != " " else event.key


class Menu(NamedTuple):
    """The keys after a leading key: (key, label) pairs, and the function for the answer."""

    options: Sequence[tuple[str, str]]
    answer: Callable[[str], None]


MIN_KEY_SECONDS = 0.06
"""Two verdicts within this time come from prose or from a key held down; two fingers need longer."""
BURST_SECONDS = 0.3
MAX_VERDICTS_PER_BURST = 2
"""Maximum number of decisions in ``BURST_SECONDS`` seconds. A silence of that length ends a burst."""


class FastKeyGuard:
    """The times of the last decisions. Moves and views are harmless and do not count."""

    def __init__(self) -> None:
        self._verdicts: list[float] = []
        self._last_key: float | None = None

    def is_accidental_burst(self) -> bool:
        """Return whether a verdict now is one too many; it counts unless it is."""
        now = clock.now()
        self._verdicts = [at for at in self._verdicts if 0 <= now - at < BURST_SECONDS]
        if len(self._verdicts) >= MAX_VERDICTS_PER_BURST or (self._verdicts and now - self._verdicts[-1] < MIN_KEY_SECONDS):
            self._last_key = now
            return True
        self._verdicts.append(now)
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
        """The number of decisions in the burst."""
        return len(self._verdicts)

    def forget(self) -> None:
        """Start again, as after a long silence."""
        self._verdicts.clear()
        self._last_key = None


class Keys:
    """The keys of a list's screen. ``menu`` is the question for the next key. ``choose`` gets a digit."""

    def __init__(self, screen: ListScreenParts, choose: Callable[[int], None]) -> None:
        self.list_screen = screen
        self.choose = choose
        self.menu: Menu | None = None
        self.burst = FastKeyGuard()
        self._last_stroke = 0.0
        self.untouched = False
        """True until a person touches a key or the mouse, after the window was opened or reading began."""

    def press(self, event: events.Key) -> None:
        """Run a key at once, in the order of typing.

        Textual's own bindings run after a key has travelled to the application. By then the next key may be handled, and a fast
        ``g l`` would act as two keys of the list.
        """
        screen, app = self.list_screen, self.list_screen.app
        screen.foot.tell(Text(""))
        screen.toast.forget()
        name = app.keymap.get(key_name(event))
        self.untouched = False
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
            app.attempt(lambda: self.choose(int(event.character or "0")))
        elif name:
            event.stop()
            before = screen.list.rows.cursor
            screen.action_act(name)
            if BY_NAME[name].group == "Move" and screen.in_front and screen.list.rows.cursor != before:
                screen.toast.leave()

    def note_stroke(self) -> None:
        """Note a key press, here or in a dialog over it. The silence before it may have been a pause."""
        self.list_screen.note_pause(self._last_stroke)
        self._last_stroke = clock.now()

    def ask(self, options: Sequence[tuple[str, str]], answer: Callable[[str], None]) -> None:
        """Wait for one of these keys; any other key cancels. The question replaces an earlier message."""
        self.menu = Menu(options, answer)
        self.list_screen.toast.show("")
        self.list_screen.refresh_bars()

    def _answer(self, menu: Menu, key: str) -> None:
        self.menu = None
        if any(key == option for option, _ in menu.options):
            self.list_screen.app.attempt(lambda: menu.answer(key))
        elif key.isdigit():  # other keys leave, which needs no word
            self.list_screen.toast.show(f"{key} is not one of the choices. Nothing changed.", once=True)
        self.list_screen.refresh_bars()

    def rest(self, seconds: float) -> bool:
        """Return whether nobody has pressed a key for these seconds, and nobody is typing or choosing."""
        screen = self.list_screen
        busy = self.menu is not None or screen.typing or not screen.in_front
        return not busy and clock.now() - self._last_stroke > seconds
