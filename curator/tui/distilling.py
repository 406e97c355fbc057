"""Have a model read sessions while one works: first what it takes, then a thread; its cards arrive as any other process's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Event
from typing import TYPE_CHECKING

from textual.message import Message

from curator import app, clock
from curator.app import Curator
from curator.text.words import pluralize
from curator.tui.background import Background, Changed, Model
from curator.tui.text import without_folders

if TYPE_CHECKING:
    from curator.app.sessions.distill import Distillation, Plan

WEEK_SECONDS = 7 * 86_400.0
"""How old a transcript is at most, of which is said that it is unread."""


class Distilling:
    """What a model reads for one window: the estimate that was shown, and the run that goes on, if one does."""

    def __init__(self, threads: Background, post: Callable[[Message], bool]) -> None:
        self.threads = threads
        self.post = post
        self._offer: tuple[str, Sequence[str]] | None = None
        """(session, models) of the estimate that was shown last; the same key again agrees to it."""
        self._stop: Event | None = None

    def read(self, session: str, key: str) -> None:
        """Have one session read, or all that are unread; the key again stops it."""
        if self._stop is not None:
            self._stop.set()
            self.post(Model(news="stopping after the current session"))
            return
        self._stop = Event()
        self.threads.run_in_thread(lambda curator: self._read(curator, session, key))

    def rest(self) -> None:
        """Have what has ended read, unless a model is asked now, where the person has set that and agreed to the model."""
        if not self.busy:
            self._stop = Event()
            self.threads.run_in_thread(self._read_ended)

    @property
    def busy(self) -> bool:
        """Whether a model is asked now."""
        return self._stop is not None

    def _read_ended(self, curator: Curator) -> None:
        try:
            found = app.distill.plan(
                curator, since=clock.now() - WEEK_SECONDS, until=clock.now() - app.distill.SESSION_END_SECONDS
            )
            if found.sessions and app.distill.has_agreed(curator, found):
                with suppress(app.distill.Busy):  # another window does it: nothing to say here
                    with app.distill.single_run_lock(curator.settings):
                        pass
                    self.post(self._run(curator, found))
        finally:
            self._stop = None

    def count(self, curator: Curator) -> None:
        """Say how many sessions of the last days no model has read, where one is set."""
        if curator.settings.has_reader and curator.settings.distill_when != "never":
            unread = sum(1 for _ in app.distill.pending(curator, since=clock.now() - WEEK_SECONDS))
            self.post(Model(unread_sessions=unread))

    def end(self) -> None:
        """The window closes: what is asked now is not waited for."""
        if self._stop is not None:
            self._stop.set()
            app.distill.abandon()

    def _read(self, curator: Curator, session: str, key: str) -> None:
        try:
            done = self._estimate_or_run(curator, session, key)
        finally:
            self._stop = None  # before anything is said: whoever reads it may press the key again at once
        self.post(done)

    def _estimate_or_run(self, curator: Curator, session: str, key: str) -> Model:
        self.post(Model(news="looking for sessions"))  # seconds, where there are many
        found = app.distill.plan(curator, session=session, unread=not session)
        offer = session, found.models
        if not found.sessions:
            none = Model(news="your model has read every session", unread_sessions=0)
            return Model(news="curator can't read that session") if session else none
        if self._offer != offer and not (session and app.distill.has_agreed(curator, found)):
            self._offer = offer
            return Model(news=f"{key} to send {describe_plan(found)}")
        self._offer = None
        return self._run(curator, found)

    def _run(self, curator: Curator, plan: Plan) -> Model:
        def progress(done: Distillation) -> None:
            cards = sum(one.new + one.chosen for one in done.readings)
            read, every = len(done.readings), len(plan.sessions)
            self.post(Model(reading=f"model {read}/{every}, {pluralize(cards, 'card')}" if read < every else ""))
            self.post(Changed())

        self.post(Model(reading=f"model 0/{len(plan.sessions)}", news=f"sending {describe_plan(plan)}"))
        try:
            done = app.distill.run(curator, plan, progress, self._stop)
        finally:
            self.post(Model(reading=""))
        self.post(Changed())
        self.count(curator)
        changed = any(one.new or one.chosen or one.left_out for one in done.readings)
        return Model(news=result_line(done), back="u undo" if changed else "", bad=bool(done.failure))


def describe_plan(plan: Plan) -> str:
    """Return what a plan takes, in a few words: how much, to whom, tokens to the thousand, money."""
    cost = "" if plan.cost is None else f", cost {plan.cost:.2g}"
    tokens = f"about {max(1, round(plan.tokens / 1000)):,}k tokens"
    return f"{pluralize(len(plan.sessions), 'session')} to {' and '.join(map(without_folders, plan.models))}: {tokens}{cost}"


def result_line(done: Distillation) -> str:
    """Return what came of a run, in a line."""
    read = [one for one in done.readings if not one.failure]
    new, chosen, left = (sum(getattr(one, name) for one in read) for name in ("new", "chosen", "left_out"))
    if done.failure and not read:
        return f"your model failed: {done.failure}"
    if done.end_reason and not done.readings:
        return done.end_reason
    words = f"{pluralize(len(read), 'session')} read: {new} new, {chosen} chosen, {left} left out"
    return f"{words}. {done.failure or done.end_reason}" if done.failure or done.end_reason else words
