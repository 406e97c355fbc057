"""Background threads, each with its own connection: reading, also by a model, watching, checking, writing files.

Threads never touch a widget. They post messages, and their writes arrive like those of any other process.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Protocol

from textual.message import Message

from curator import app, clock
from curator.app import Curator
from curator.errors import CuratorError
from curator.settings import DAY_SECONDS, remember
from curator.text.words import pluralize
from curator.tui.text import without_folders

if TYPE_CHECKING:
    from curator.app import Refusal
    from curator.app.sessions.distill import Distillation, Plan, Reading
    from curator.app.sessions.scan import Survey

SETTLE_SECONDS = 1.0
"""The pause before the work that follows decisions, which competes with a person's keys for the interpreter."""
LATEST_SECONDS = 5.0
"""The maximum seconds between a decision and that work, even without a pause."""


class Changed(Message):
    """The database was changed by another window, a scan or the watcher."""

    def can_replace(self, message: Message) -> bool:
        """Return whether this change makes an earlier one needless: a burst of changes is one change."""
        return isinstance(message, Changed)


@dataclass
class Progress(Message):
    """The progress of a scan in the background."""

    files_done: int
    files_total: int
    candidates: int

    def can_replace(self, message: Message) -> bool:
        """Return whether both are figures of progress, of which only the newest matters."""
        return isinstance(message, Progress)


@dataclass
class Surveyed(Message):
    """The counts of a first look, when nothing was ever read."""

    survey: Survey


@dataclass
class Taught(Message):
    """The effects of decisions on rules: (name, whether it counts less now)."""

    signals: list[tuple[str, bool]]


@dataclass
class Status(Message):
    """News for the header, ``None`` if unchanged, and for the line of messages, with the key that undoes it (``back``)."""

    reading: str | None = None
    """The progress of a scan, or of a model's reading."""
    following: str | None = None
    """The word that says how transcripts are followed; empty if they are not."""
    hub: str | None = None
    """A note that the hub is away; empty if it is not."""
    unread_sessions: int | None = None
    """The number of sessions that no model has read."""
    readable: Mapping[str, str] | None = None
    """The command that could read the sessions of each agent, while no reader is chosen."""
    news: str = ""
    back: str = ""
    bad: bool = False


@dataclass
class Failed(Message):
    """An error in the background, shown with its remedy."""

    error: Exception


def refusal_error(refusal: Refusal) -> CuratorError:
    """Return a file that was not taken, as a sentence."""
    return CuratorError(
        f"{refusal.file}:{refusal.line}: {refusal.reason.rstrip('.')}; the file was left as it is.",
        "Your decision is saved. Fix the file, then run `curator export`.",
    )


class Window(Protocol):
    """The parts of the window that its threads use."""

    curator: Curator

    def post_message(self, message: Message) -> bool:
        """Post a message. Any thread may call this."""


class Background:
    """The threads of one window. All of them end with it."""

    def __init__(self, app: Window, roots: Sequence[Path] | None, *, watch: bool) -> None:
        self.app = app
        self.roots = roots
        self.watch = watch
        self.stopping = threading.Event()
        self.threads: list[threading.Thread] = []
        self._pending_ids: set[str] = set()
        self._to_learn = False
        """True if decisions came after they last adjusted the scores."""
        self._may_read = threading.Event()
        """Set unless this is a first run whose person has not yet chosen how to read the transcripts."""
        self._follows_hub = False
        self._complaints: set[str] = set()
        """The errors after decisions that were already reported. Each is reported once."""
        self._first = self._last = 0.0
        """The times of the first and the last decision whose work is not done."""
        self._timer: threading.Timer | None = None
        """Set from the first decision that waits for its files to be written. Later decisions get another timer."""
        self._lock = threading.Lock()

    def start(self) -> None:
        """Read and watch the transcripts. On the very first run, ask first."""
        self._run(self._begin)

    def stop(self) -> None:
        """End every thread, and write the files that are still to be written."""
        with self._lock:  # so that work that starts later sees the stop
            self.stopping.set()
            self._may_read.set()
            timer, threads = self._timer, self.threads
        if timer:
            timer.cancel()
            timer.join(timeout=5.0)
        for thread in threads:
            thread.join(timeout=1.0)
        if self._pending_ids:
            self._settle_now()
        if self._to_learn:
            self._carry_out(self._learn)

    def learn(self) -> None:
        """Adjust scores by the decisions. This never runs by itself, because rows would move under the cursor."""
        if self._to_learn:
            self.run_in_thread(self._learn)

    def scan(self, *, everything: bool = False) -> None:
        """Read new parts of the transcripts."""
        self._may_read.set()
        self.run_in_thread(lambda curator: self._scan(curator, everything=everything))

    def settle(self, ids: Sequence[str]) -> None:
        """Write files and anchors once the person pauses. Several quick decisions are one write."""
        with self._lock:
            self._to_learn = True
            self._last = time.monotonic()
            self._first = self._first if self._pending_ids else self._last
            self._pending_ids |= set(ids)
            if self._timer is None:
                self._arm(SETTLE_SECONDS)

    def run_in_thread(self, work: Callable[[Curator], object]) -> None:
        """Run work in a thread with its own connection. Report an error."""
        self._run(lambda: self._carry_out(work))

    def _arm(self, seconds: float) -> None:
        self._timer = threading.Timer(seconds, self._settle_in_a_pause)
        self._timer.daemon = True
        self._timer.start()

    def _settle_in_a_pause(self) -> None:
        with self._lock:
            left = pause(self._first, self._last, time.monotonic())
            if left > 0 and not self.stopping.is_set():
                self._arm(left)
                return
        self._settle_now()

    def _settle_now(self) -> None:
        with self._lock:
            ids, self._pending_ids = self._pending_ids, set()
        self._carry_out(lambda curator: self._settle(curator, sorted(ids)))
        with self._lock:
            self._timer = None
            if self._pending_ids and not self.stopping.is_set():
                self._arm(SETTLE_SECONDS)

    def _settle(self, curator: Curator, ids: Sequence[str]) -> None:
        settled = app.settling.settle(curator, ids, learn=False)
        for error in (*settled.failures, *map(CuratorError, settled.said)):  # of these decisions, so each time
            self._post_failure(error)
        for error in map(refusal_error, settled.refusals):
            if str(error) not in self._complaints:
                self._complaints.add(str(error))
                self._post_failure(error)

    def _learn(self, curator: Curator) -> None:
        """Learn, and say which rules count for more or less by that."""
        self._to_learn = False
        before = app.statistics.adjustments(curator)
        app.statistics.learn(curator)
        after = app.statistics.adjustments(curator)
        worth = {signal: after.get(signal, 0.0) - before.get(signal, 0.0) for signal in {*before, *after}}
        moved = sorted((signal, by < 0) for signal, by in worth.items() if by)
        if moved and not self.stopping.is_set():
            self.app.post_message(Taught(moved))

    def _carry_out(self, work: Callable[[Curator], object]) -> None:
        """Run work with its own connection. Report an error without ending the inbox."""
        try:
            with closing(self.app.curator.fork()) as curator:
                work(curator)
        except Exception as error:
            self._post_failure(error)

    def _run(self, work: Callable[[], object]) -> None:
        thread = threading.Thread(target=work, daemon=True)
        with self._lock:
            if not self.stopping.is_set():
                thread.start()
                self.threads = [one for one in self.threads if one.is_alive()] + [thread]

    def _begin(self) -> None:
        """Run each step by itself. An error in one step does not keep the next from starting."""
        if not self.watch:
            return
        self._carry_out(self._look_for_files)
        self._carry_out(self._read)
        self.app.post_message(Progress(1, 1, 0))
        self._carry_out(lambda curator: app.staleness.check(curator))
        self.app.post_message(Changed())
        self._carry_out(lambda curator: self.follow_hub(curator))
        if self.app.curator.settings.watch:
            self.run_in_thread(self._follow_code)
            self._may_read.wait()
            self._carry_out(self._follow)

    def _look_for_files(self, curator: Curator) -> None:
        """Report if git refuses the folder, or if a database is empty or gone although there are lesson files."""
        if error := app.project_files.git_fault(curator):
            self._post_failure(error)
        if unread := app.project_files.count_unread(curator):
            what = f"This project has {pluralize(unread, 'lesson file')} that your database does not have."
            hint = "Run `curator import` to add them, or `curator restore` to get an old database back."
            self._post_failure(CuratorError(what, hint))

    def _read(self, curator: Curator) -> None:
        if not curator.settings.distiller:
            readers = app.distill.own_readers(curator.settings)
            self.app.post_message(Status(readable={agent: reader.name for agent, reader in readers.items()}))
        try:
            survey = app.scan.survey(curator, self.roots)
        except Exception:
            self._may_read.set()
            raise
        if survey.read_before:
            self._may_read.set()
            self._scan(curator)
        elif not self._may_read.is_set():
            if not survey.total:
                self._may_read.set()
            self.app.post_message(Surveyed(survey))

    def _follow(self, curator: Curator) -> None:
        self.app.post_message(Status(following="live"))
        try:
            app.scan.follow(
                curator, self.stopping, self._post_change, roots=self.roots, failed=self._post_failure, blind=self._post_polling
            )
        finally:
            self.app.post_message(Status(following=""))

    def _follow_code(self, curator: Curator) -> None:
        app.staleness.follow_code(curator, self.stopping, self._post_change, failed=self._post_failure, blind=self._post_blind)

    def follow_hub(self, curator: Curator) -> None:
        """Exchange with the hub while the person is in a team, also if that changes while the window is open."""
        if self.watch and not self._follows_hub and curator.store.hub.teams():
            self._follows_hub = True
            self.run_in_thread(self._follow_hub)

    def _follow_hub(self, curator: Curator) -> None:
        try:
            app.hub.follow(
                curator,
                self.stopping,
                self._post_change,
                lambda why: self.app.post_message(Status(hub="hub away" if why else "")),
            )
        finally:
            self._follows_hub = False

    def _post_polling(self, why: str) -> None:
        """Say that transcripts are looked at again and again."""
        self.app.post_message(Status(following="every 2 s"))
        self._post_blind(why)

    def _post_blind(self, why: str) -> None:
        """Say once that files are looked at again and again instead of watched."""
        what = "The system does not tell of changed files, so curator looks at them every two seconds"
        if what not in self._complaints:
            self._complaints.add(what)
            self._post_failure(CuratorError(f"{what} ({why.rstrip('. ')}).", "`curator doctor` names the limit and its mend."))

    def _post_failure(self, error: Exception) -> None:
        self.app.post_message(Failed(error))

    def _post_change(self, new: int) -> None:
        self.app.post_message(Changed())

    def _scan(self, curator: Curator, *, everything: bool = False) -> None:
        since = 0.0 if everything or self.roots else clock.now() - curator.settings.since_days * DAY_SECONDS
        try:
            app.scan.scan(
                curator,
                roots=self.roots,
                since=since,
                progress=lambda step: self.app.post_message(Progress(step.files_done, step.files_total, step.count)) and None,
                stop=self.stopping,
            )
        finally:
            self.app.post_message(Progress(1, 1, 0))
            self.app.post_message(Changed())


def pause(first: float, last: float, now: float) -> float:
    """Return the seconds to wait before the work after decisions starts; it may start if they are not above 0.

    ``first`` and ``last`` are the times of the first and the last decision.

    >>> pause(10.0, 12.0, 12.25), pause(10.0, 14.75, 14.75), pause(10.0, 10.0, 11.0)
    (0.75, 0.25, 0.0)
    """
    return min(last + SETTLE_SECONDS, first + LATEST_SECONDS) - now


RETRY_SECONDS = 3_600.0
BATCH_SIZE = 20
"""Sessions that are read without a key before curator looks for the next ones."""


class Distilling:
    """A model's readings for one window: the shown estimate, and the current run, if any."""

    def __init__(self, threads: Background, post: Callable[[Message], bool]) -> None:
        self.threads = threads
        self.post = post
        self._offer: tuple[str, Sequence[str]] | None = None
        """The (session, models) of the estimate that was shown last. The same key again agrees to it."""
        self._stop: Event | None = None
        self._was_chosen = False
        """True if a reader was chosen in this window, and has not read yet."""
        self._is_looking = False
        self._not_before = 0.0
        """The time before which nothing is read without a key. A stop stays in force, and a failure is not repeated at once."""

    def read(self, session: str, key: str) -> None:
        """Have one session read, or all that are unread. The same key stops it."""
        if self.busy:
            self.stop()
            return
        self._stop, self._is_looking, self._not_before = Event(), True, 0.0
        self.threads.run_in_thread(lambda curator: self._read(curator, session, key))

    def stop(self) -> None:
        """Stop after the current session. A search for sessions continues, because the person waits for its estimate."""
        if self._is_looking:
            self.post(Status(news="still looking for sessions"))
        elif self._stop is not None:
            self._stop.set()
            self._not_before = math.inf
            self.post(Status(news="stopping after the current session"))

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
        self.post(Status(readable={}))

    def try_reader(self) -> None:
        """Let the chosen reader read a made-up session. Show the result."""
        self.threads.run_in_thread(self._try)

    def _try(self, curator: Curator) -> None:
        settings = curator.settings
        if not settings.has_reader:
            self.post(Status(news="curator works without a model", unread_sessions=0))
            return
        results, bad = [], False
        for reader in dict.fromkeys(app.distill.readers(settings).values()):
            model = without_folders(reader.distiller.model)
            self.post(Status(news=f"trying {model} with a made-up session"))
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
        self.post(Status(news=" ".join(results), bad=bad))
        self.count(curator)

    def read_ended_sessions(self) -> None:
        """Let the model read the ended sessions, if the person set this and agreed to the model, and no model is running."""
        settings = self.threads.app.curator.settings
        is_due = settings.distill_when == "end" and clock.now() >= self._not_before
        if not self.busy and settings.has_reader and is_due:
            self._not_before = clock.now() + RETRY_SECONDS  # until this run has ended well
            self._stop = Event()
            self.threads.run_in_thread(self._read_ended)

    @property
    def busy(self) -> bool:
        """Return whether a model is asked at the moment."""
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
                self.post(Status(news=f"Your model reads a session {minutes} minutes after its last message."))
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
        """Count the recent sessions that a set reader may read and has not read."""
        if curator.settings.has_reader and curator.settings.distill_when != "never":
            since = clock.now() - curator.settings.since_days * DAY_SECONDS
            with suppress(CuratorError):  # The run itself reports a problem with the reader.
                self.post(Status(unread_sessions=len(app.distill.plan(curator, since=since).sessions)))

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

    def _estimate_or_run(self, curator: Curator, session: str, key: str) -> Status:
        self.post(Status(news="looking for sessions"))  # seconds, where there are many
        try:
            found = app.distill.plan(curator, session=session, unread=not session)
        finally:
            self._is_looking = False
        offer = session, found.models
        if not found.sessions:
            none = Status(news="your model has read every session", unread_sessions=0)
            return Status(news="curator can't read that session") if session else none
        if self._offer != offer and not (session and app.distill.has_agreed(curator, found)):
            self._offer = offer
            return Status(news=f"{key} to send {describe_plan(found)}")
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
            self.post(Status(reading=f"{who} read {read}, {cards}{f', {failed} failed' if failed else ''}"))
            self.post(Changed())

        who = " and ".join(dict.fromkeys(model.split()[0] for model in map(without_folders, plan.models)))
        self.post(Status(reading=f"{who} reading", news=f"sending {describe_plan(plan)}"))
        try:
            done = app.distill.run(curator, plan, progress, self._stop)
        finally:
            self.post(Status(reading=""))
        self.post(Changed())
        return done


def outcome(done: Distillation) -> Status:
    """Return the message of a window about a finished run."""
    changed = any(one.new or one.chosen or one.left_out for one in done.readings)
    return Status(news=result_line(done), back="u undo" if changed else "", bad=bool(done.failure))


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
