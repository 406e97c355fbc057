"""The basis of every command: settings, the project, an open database, the kind of shell, and the printing of results.

A command that decides does nothing in an agent's process: only a person decides.
"""

from __future__ import annotations

import gc
import io
import json
import logging
import logging.handlers
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from curator import app, clock
from curator.app import Curator, row
from curator.app.curator import actor, refuse_agents
from curator.errors import CuratorError, UsageError
from curator.io import files
from curator.model import JSON, PERSON, Category, Entry
from curator.settings import Settings, load
from curator.text.clean import escape, strip
from curator.text.redact import clean
from curator.text.words import pluralize

if TYPE_CHECKING:
    from curator.app import Refusal
    from curator.app.decisions.settling import Settlement


log = logging.getLogger(__name__)
LOG_BYTES = 1_000_000
MAX_NAMED_ROWS = 9
"""Rows that are named."""
CATEGORIES = click.Choice([category.value for category in Category])
CATEGORY_HELP = f"One of {', '.join(category.value for category in Category)}."
LAST = 253_370_764_800.0
"""The year 9999: dates end there."""
UNITS = {"m": 60.0, "h": 3_600.0, "d": 86_400.0, "w": 604_800.0}


class Frontends(NamedTuple):
    """The front ends that the command line starts but does not know: the inbox, and its themes."""

    inbox: Callable[..., str]
    themes: Callable[[], Sequence[str]] = tuple


@dataclass
class CliRun:
    """One run of the command line: settings are read once, and only when a command needs them."""

    faces: Frontends | None = None
    project: str = ""
    every: bool = False
    exit_code: int = 0

    @cached_property
    def settings(self) -> Settings:
        """Return the settings. The first read also starts the log."""
        settings = load()
        start_log(settings)
        return settings

    @contextmanager
    def open(
        self, *, anywhere: bool = False, attended: bool = False, quick: bool = False, decides: bool = False
    ) -> Iterator[Curator]:
        """Yield an open database for the requested project. ``anywhere`` accepts ids of every project.

        ``attended``: a person answers at a terminal, whoever started it. ``quick``: do not wait for git. ``decides``: raise
        ``CuratorError`` in an agent's process.
        """
        if decides and not attended:
            refuse_agents()
        curator = Curator(self.settings, actor=PERSON if attended else actor())
        try:
            if not self.every and (self.project or not anywhere):
                curator.enter(self.folder(), quick=quick)
                in_window = attended and not decides  # The window shows it.
                if not (quick or in_window) and (error := app.project_files.git_fault(curator)):
                    warn(f"{error.message} {error.hint}".rstrip())
            elif os.path.isdir(os.curdir):
                curator.cwd = self.folder()
            if curator.store.newer:
                warn(f"{curator.store.newer} curator opened it for reading only. Update curator to make changes.")
                self.exit_code = 3
            elif curator.store.files.removals():
                for warning in app.forget.finish(curator):
                    warn(warning)
            if curator.store.created:
                report_start(curator)
            yield curator
        except (CuratorError, click.exceptions.Exit, click.ClickException, OSError):
            raise
        except Exception as error:
            if (known := app.explain(error, curator.store.path)) is None:
                raise
            log.error("%s", known, exc_info=error)
            raise known from error
        finally:
            report_unreadable(curator)
            curator.close()

    def folder(self) -> str:
        """Return the folder of the requested project: that of ``--project``, or else the current one.

        A deleted folder of a known project is allowed. Raises ``CuratorError``.
        """
        try:
            folder = str(Path(self.project or ".").expanduser().absolute())
        except (OSError, RuntimeError) as error:
            raise CuratorError(
                f"The folder {self.project or 'you are in'!r} can't be found: {error}",
                "Go to another folder, or name one with --project.",
            ) from error
        if not self.project or os.path.isdir(folder):
            return folder
        if found := self._folders() & {self.project, os.path.normpath(folder)}:
            return found.pop()
        raise CuratorError(
            f"There is no folder {folder}, and curator knows no project there.", "Name a project's folder with --project."
        )

    def _folders(self) -> set[str]:
        """Return the folders of all known projects."""
        if not self.settings.database.exists():
            return set()
        with closing(Curator(self.settings)) as curator:
            return {project.folder for project in curator.projects().values()}


class PrivateLog(logging.handlers.RotatingFileHandler):
    """A rotating log that no other user can read."""

    def _open(self) -> io.TextIOWrapper:
        files.private_file(Path(self.baseFilename))
        return super()._open()


class MaskingFormatter(logging.Formatter):
    """A formatter that masks secrets, because error messages quote files."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the whole entry, with its traceback."""
        return clean(super().format(record))


def keep_quiet() -> None:
    """Keep the log off the terminal while there is no log file, or none that can be written."""
    log = logging.getLogger("curator")
    if not log.handlers:
        log.addHandler(logging.NullHandler())
    log.propagate = logging.raiseExceptions = False


def start_log(settings: Settings) -> None:
    """Send warnings and errors to a rotating file, never to the terminal. Drop them if there can be no file."""
    log = logging.getLogger("curator")
    if any(isinstance(handler, PrivateLog) for handler in log.handlers):
        return
    try:
        for folder in (settings.home, *(one for one in settings.home.glob("*") if one.is_dir())):
            files.private_folder(folder)
        handler: logging.Handler = PrivateLog(settings.log, maxBytes=LOG_BYTES, backupCount=2, encoding="utf-8", delay=True)
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(MaskingFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    log.addHandler(handler)
    log.setLevel(logging.INFO)


pass_session = click.make_pass_decorator(CliRun, ensure=True)


def remember_scope(context: click.Context, parameter: click.Parameter, value: object) -> None:
    """Store an option of a command in its run. Such an option may also come before the command's name."""
    if value and parameter.name:
        setattr(context.ensure_object(CliRun), parameter.name, value)


project_option = click.option(
    "--project",
    metavar="PATH",
    expose_value=False,
    callback=remember_scope,
    help="Use the project in this folder instead of the current one.",
)


def scope_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--project`` and ``--all`` to a command."""
    every = click.option("--all", "every", is_flag=True, expose_value=False, callback=remember_scope, help="Use every project.")
    return project_option(every(command))


as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON lines (for scripts).")


def project_command(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the session, ``--project`` and ``--json`` to a command."""
    return as_json(project_option(pass_session(command)))


def scope_command(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return the same with ``--all``."""
    return as_json(scope_options(pass_session(command)))


def emit(items: Iterable[JSON]) -> None:
    """Print objects as JSON lines in UTF-8, whatever the locale. Escape invalid text and control characters."""
    for item in items:
        click.echo(escape(json.dumps(item, ensure_ascii=False)).encode("utf-8", "backslashreplace"))


def say(text: str) -> None:
    """Print a result for people, without anything that could drive their terminal."""
    click.echo(strip(text))


def emit_or_say(as_json: bool, items: Iterable[JSON], lines: Iterable[str]) -> None:
    """Print objects for scripts, or lines for people."""
    if as_json:
        emit(items)
    else:
        for line in lines:
            say(line)


def warn(text: str) -> None:
    """Print a message on standard error."""
    with suppress(OSError):
        click.echo(strip(text), err=True)


def warn_refused_files(refusals: Iterable[Refusal]) -> None:
    """Name the files that were left alone."""
    for item in refusals:
        warn(f"{item.file}:{item.line}: {item.reason.rstrip('.')}; curator did not change the file")


def report_files(settlement: Settlement) -> None:
    """Print the effect of a decision's files, the files left unchanged, and errors of later steps."""
    warn_refused_files(settlement.refusals)
    for error in settlement.failures:
        warn(f"Your decision is saved, but a later step failed: {error}")
    for sentence in settlement.said:
        warn(sentence)
    report_waiting(settlement.waiting)
    if settlement.conflicts:
        warn(f"{pluralize(settlement.conflicts, 'lesson')} changed through git; the inbox asks which side to keep.")


def report_start(curator: Curator) -> None:
    """Warn that the database is missing although there are lesson files."""
    if files := app.project_files.count_lesson_files(curator):
        lessons = pluralize(files, "lesson file is", "lesson files are")
        warn(
            f"curator made a new database at {curator.settings.database}. {lessons} in this project: run `curator import` to "
            "add them."
        )


def report_unreadable(curator: Curator) -> None:
    """Say which rows of the database were left out."""
    if curator.unreadable:
        names = ", ".join(list(curator.unreadable)[:MAX_NAMED_ROWS])
        rows = pluralize(len(curator.unreadable), "row")
        warn(f"{rows} of the database can't be read and were skipped: {names}. `curator doctor` says why.")


def report_waiting(count: int) -> None:
    """Print the number of lessons from this repository, and the command that keeps them all."""
    if count:
        lessons = pluralize(count, "lesson from this repository is", "lessons from this repository are")
        warn(f"{lessons} waiting for you. Agents do not get them yet. `curator import --accept` keeps them all.")


def rows(curator: Curator, entries: Iterable[Entry]) -> Iterator[JSON]:
    """Yield entries as rows."""
    projects, now = curator.projects(), clock.now()
    for entry in entries:
        yield row(curator.lessons.with_score(entry), projects, now=now)


def span(text: str) -> float:
    """Return the seconds in a span such as ``30d``, ``12h``, ``90m``, ``2w``. Raises ``UsageError``."""
    match = re.fullmatch(r"(\d{1,9})\s*([mhdw])", text.strip().lower(), re.ASCII)
    if not match:
        raise UsageError(f"{text!r} is not a date or a span of time.", "Write it like 2026-01-31, 30d, 12h, 90m or 2w.")
    return int(match[1]) * UNITS[match[2]]


def moment(text: str, *, ahead: bool = False) -> float:
    """Return a point in time: a date, a date with time (local, unless it names its zone), or a span back from now.

    ``all`` is the beginning of time. ``ahead`` counts spans forward and demands a future time. Raises ``UsageError``.
    """
    if text == "all" and not ahead:
        return 0.0
    try:
        at = datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        at = clock.now() + span(text) * (1 if ahead else -1)
    if ahead and not clock.now() < at < LAST:
        raise UsageError(f"{text!r} is not in the future.", "Write a later date, or a span such as 7d.")
    return max(0.0, at)


def print_error(error: CuratorError) -> None:
    """Print an error and its remedy."""
    warn(f"curator: {error.message}")
    if error.hint:
        warn(error.hint)


def is_terminal() -> bool:
    """Return whether a person is at the terminal."""
    able = os.environ.get("TERM") != "dumb"
    return able and all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def ask_consent(refused: str, hint: str) -> bool:
    """Ask whether to go on, and return whether the person agrees. Otherwise say what was ``refused``.

    Raises ``UsageError`` with the hint without a terminal.
    """
    if not is_terminal():
        raise UsageError(f"{refused}: there is no terminal to ask for confirmation.", hint)
    if click.confirm("Continue?", err=True):
        return True
    warn(f"{refused}.")
    return False


@contextmanager
def bar() -> Iterator[Callable[[int, int, str], None]]:
    """Yield a function that moves a progress bar on stderr if it is a terminal: (done, in all, label)."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda done, total, label: None
        return
    with click.progressbar(length=1, label="reading", file=sys.stderr) as shown:

        def move(done: int, total: int, label: str) -> None:
            shown.length = max(1, total)
            shown.label = label
            shown.update(done - shown.pos)

        yield move


def clip(text: str, most: int) -> str:
    """Return a text on one line, cut at its end to a number of characters.

    >>> clip("Retry  twice", 20), clip("Retry twice", 8)
    ('Retry twice', 'Retry t…')
    """
    plain = " ".join(text.split())
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"


def words_of(parts: Sequence[str]) -> str:
    """Return words given one by one or in quotes, as one text."""
    return " ".join(parts).strip()


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pause the garbage collector during the block, then exclude every object that exists at its end from later collections.

    Repeated searches of objects that stay take a tenth of the time in which they are made.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
