"""Reading by a model while a person works: first the cost, then a thread. Its cards arrive like those of any process."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from threading import Event
from typing import TYPE_CHECKING

from textual.message import Message

from curator import app, clock
from curator.app import Curator
from curator.errors import CuratorError
from curator.settings import DAY_SECONDS, remember
from curator.text.words import pluralize
from curator.tui.background import Background, Changed, Model
from curator.tui.text import without_folders

if TYPE_CHECKING:
    from curator.app.sessions.distill import Distillation, Plan, Reading

RETRY_SECONDS = 3_600.0
BATCH_SIZE = 20
"""Sessions that are read without a key before curator looks for the next ones."""


class Distilling:
    """A model's readings for one window: the shown estimate, and the current run, if any."""

    def __init__(self, threads: Background, post: Callable[[Message], bool]) -> None:
        self.threads = threads
        self.post = post
        self._offer: tuple[str, Sequence[str]] | None = None
        """(session, models) of the estimate that was shown last; the same key again agrees to it."""
        self._stop: Event | None = None
        self._was_chosen = False
        """A reader was chosen in this window, and has not read yet."""
        self._not_before = 0.0
        """The time before which nothing is read without a key. A stop holds, and a failure is not repeated at once."""

    def read(self, session: str, key: str) -> None:
        """Have one session read, or all that are unread; the key again stops it."""
        if self._stop is not None:
            self._stop.set()
            self._not_before = math.inf
            self.post(Model(news="stopping after the current session"))
            return
        self._stop, self._not_before = Event(), 0.0
        self.threads.run_in_thread(lambda curator: self._read(curator, session, key))

    def choose(self, name: str) -> None:
        """Store the reader. With the person's consent, agents' own commands also read ended sessions. Raises
        ``CuratorError``.
        """
        curator = self.threads.app.curator
        settings = curator.settings
        remember(settings, "distiller", name)
        when = "end" if name == app.distill.OWN else settings.distill_when
        if when != settings.distill_when:
            remember(settings, "distill_when", when)
        curator.settings = settings._replace(distiller=name, distill_when=when)
        self._was_chosen = True
        self.post(Model(readable={}))

    def try_reader(self) -> None:
        """Let the chosen reader read a made-up session, and show the result."""
        self.threads.run_in_thread(self._try)

    def _try(self, curator: Curator) -> None:
        settings = curator.settings
        if not settings.has_reader:
            self.post(Model(news="curator works without a model", unread_sessions=0))
            return
        results, bad = [], False
        for reader in dict.fromkeys(app.distill.readers(settings).values()):
            model = without_folders(reader.distiller.model)
            self.post(Model(news=f"trying {model} with a made-up session"))
            try:
                trial = app.distill.try_reader(settings, reader)
            except CuratorError as error:  # another reader may work
                results.append(error.message)
                bad = True
                continue
            cost = f", cost {trial.cost:.2g}" if trial.cost else ""
            took = f"{trial.tokens:,} tokens, {trial.seconds:.0f} s{cost}"
            results.append(f"{model} found {trial.lessons} of 1 lesson: {took}.")
            bad |= not trial.lessons
        self.post(Model(news=" ".join(results), bad=bad))
        self.count(curator)

    def read_ended_sessions(self) -> None:
        """Let the model read the ended sessions, if the person set this and agreed to the model, and no run is going on."""
        settings = self.threads.app.curator.settings
        is_due = settings.distill_when == "end" and clock.now() >= self._not_before
        if not self.busy and settings.has_reader and is_due:
            self._not_before = clock.now() + RETRY_SECONDS  # until this run has ended well
            self._stop = Event()
            self.threads.run_in_thread(self._read_ended)

    @property
    def busy(self) -> bool:
        """True while a model is asked."""
        return self._stop is not None

    def _read_ended(self, curator: Curator) -> None:
        read: list[Reading] = []
        try:
            while (found := self._plan_ended(curator)).sessions and app.distill.has_agreed(curator, found):
                with app.distill.single_run_lock(curator.settings):
                    pass
                done = self._run(curator, found, read)
                self.post(outcome(done))
                if done.failure or done.end_reason or not done.readings:
                    return
                read += done.readings
            if self._was_chosen and not read:
                minutes = round(app.distill.SESSION_END_SECONDS / 60)
                self.post(Model(news=f"Your model reads a session {minutes} minutes after its last message."))
            self._not_before = 0.0
        except app.distill.Busy:  # another window does it: nothing to say here
            self._not_before = 0.0
        finally:
            self._stop, self._was_chosen = None, False
            self.count(curator)  # After the result, because it takes seconds if there are many sessions.

    def _plan_ended(self, curator: Curator) -> Plan:
        """Return the next few ended sessions of the last days. Their cards come before the next search."""
        since = clock.now() - curator.settings.since_days * DAY_SECONDS
        return app.distill.plan(curator, since=since, until=clock.now() - app.distill.SESSION_END_SECONDS, limit=BATCH_SIZE)

    def count(self, curator: Curator) -> None:
        """Count the recent sessions that no model has read, if one is set."""
        if curator.settings.has_reader and curator.settings.distill_when != "never":
            since = clock.now() - curator.settings.since_days * DAY_SECONDS
            unread = sum(1 for _ in app.distill.pending(curator, since=since))
            self.post(Model(unread_sessions=unread))

    def end(self) -> None:
        """Stop when the window closes, without waiting for an answer."""
        if self._stop is not None:
            self._stop.set()
            app.distill.abandon()

    def _read(self, curator: Curator, session: str, key: str) -> None:
        try:
            done = self._estimate_or_run(curator, session, key)
        finally:
            self._stop = None  # before the message, since a person may press the key again at once
        self.post(done)
        self.count(curator)

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
        return outcome(self._run(curator, found))

    def _run(self, curator: Curator, plan: Plan, before: Sequence[Reading] | None = None) -> Distillation:
        """Read the sessions of a plan. ``before`` holds the readings of a run without a key, whose end is unknown."""

        def progress(done: Distillation) -> None:
            readings = [*(before or ()), *done.readings]
            failed = sum(bool(one.failure) for one in readings)
            cards = pluralize(sum(one.new + one.chosen for one in readings), "card")
            ended = len(readings) - failed
            read = pluralize(ended, "session") if before is not None else f"{ended} of {len(plan.sessions)}"
            self.post(Model(reading=f"{who} read {read}, {cards}{f', {failed} failed' if failed else ''}"))
            self.post(Changed())

        who = " and ".join(dict.fromkeys(model.split()[0] for model in map(without_folders, plan.models)))
        self.post(Model(reading=f"{who} reading", news=f"sending {describe_plan(plan)}"))
        try:
            done = app.distill.run(curator, plan, progress, self._stop)
        finally:
            self.post(Model(reading=""))
        self.post(Changed())
        return done


def outcome(done: Distillation) -> Model:
    """Return the message of a window about a finished run."""
    changed = any(one.new or one.chosen or one.left_out for one in done.readings)
    return Model(news=result_line(done), back="u undo" if changed else "", bad=bool(done.failure))


def describe_plan(plan: Plan) -> str:
    """Return a plan in a few words: sessions, reader, tokens to the thousand, and cost."""
    cost = "" if plan.cost is None else f", cost {plan.cost:.2g}"
    tokens = f"about {max(1, round(plan.tokens / 1000)):,}k tokens"
    return f"{pluralize(len(plan.sessions), 'session')} to {' and '.join(map(without_folders, plan.models))}: {tokens}{cost}"


def result_line(done: Distillation) -> str:
    """Return the results of a run on one line."""
    read = [one for one in done.readings if not one.failure]
    new, chosen, left = (sum(getattr(one, name) for one in read) for name in ("new", "chosen", "left_out"))
    if done.failure and not read:
        return f"Your model failed: {done.failure.rstrip('.')}. `:reader` tries it again."
    if done.end_reason and not done.readings:
        return done.end_reason
    words = f"{pluralize(len(read), 'session')} read: {new} new, {chosen} chosen, {left} left out"
    return f"{words}. {done.failure or done.end_reason}" if done.failure or done.end_reason else words
