"""Answer ``curator hook AGENT EVENT``, with the lessons that matter now, or with nothing.

The answer comes from the store and the ranking alone, because the app loads too slowly. ``print_status`` answers shell prompts
and status bars in the same way, because they ask many times a minute.

Each call is a new process, in which imports cost more than the work. This module and its imports therefore use only the fastest
modules of the standard library; a test checks ``sys.modules``. The process always ends with 0, and prints a complete answer or
none, because other codes would stop the agent's work.
"""

from __future__ import annotations

import os
import sys
import time

from curator.agents import dialects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from curator.agents.spool import Spool
    from curator.ranking import Hit, Question
    from curator.store.hook_reader import HookReader, Retrieval

FAULTS = "hook.log"
"""A file in the spool for unforeseen faults, until ``app.deliveries`` moves them into the log."""
FAULTS_BYTES = 64_000
SECONDS = 0.25
"""Maximum seconds of a hook. After that it prints nothing."""
MAX_PAYLOAD_BYTES = 8_000_000
"""Maximum bytes of a payload. curator reads a longer one to its end, without an answer: a closed pipe may stop an agent."""
HEAD = 200
"""Maximum number of characters of a prompt's words in a receipt."""
MAX_PROMPT_WORDS = 300
"""Words of a prompt that are looked at for it."""
MAX_WITHHELD = 5
"""Lessons withheld that a receipt names."""
ROOTS = ("CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR", "GEMINI_PROJECT_DIR")
"""Variables in which agents name the project of a session's start. The shell's folder may have changed since."""
SETTINGS = 1 << 16
"""Bytes of a file of settings that are looked at."""
FORESEEN = ("no such table", "no such column", "locked", "busy")
"""The expected errors of a database that is locked or of another version."""


class DeadlinePassed(Exception):
    """The time is over."""


def main(arguments: Sequence[str]) -> None:
    """Answer the hook of this process: standard input to standard output. Never returns, never fails."""
    try:
        _alarm(SECONDS)
        until = time.monotonic() + SECONDS
        if sys.stdin is None or sys.stdout is None:  # They are closed, since their numbers may be reused for curator's files.
            return
        data = answer(arguments, _read(), until)
        if data:
            _alarm(0.0)
            os.write(1, data)
    except BaseException:  # No message is possible: the pipe is closed, or an interrupt came.
        pass
    finally:
        os._exit(0)  # taking the interpreter apart would take longer than the whole answer


def answer(arguments: Sequence[str], data: bytes, until: float = 0.0) -> bytes:
    """Return a hook's output for a payload. Without output, return an empty text. It never raises.

    ``until`` is the ``time.monotonic`` at which it gives up. 0 means ``SECONDS`` from now.
    """
    try:
        if len(arguments) != 2 or os.environ.get("CURATOR_HOOKS") == "0" or "CURATOR_DISTILL" in os.environ:
            return b""
        agent, event = arguments
        moment = dialects.moment(agent, event)
        payload = dialects.loads(data) if moment else None
        if not isinstance(payload, dict):
            return b""
        call = Call(agent, event, moment, payload, until or time.monotonic() + SECONDS)
        return call.answer()
    except DeadlinePassed:
        return b""
    except Exception as error:
        _note(error)
        return b""


class Call:
    """One call of a hook: its input, and the folder of our things."""

    __slots__ = ("agent", "event", "home", "host", "moment", "payload", "session", "until")

    def __init__(self, agent: str, event: str, moment: str, payload: dict[str, Any], until: float) -> None:
        self.agent = agent
        self.event = event
        self.moment = moment
        self.payload = payload
        self.until = until
        self.host = dialects.host(agent, payload)
        self.session = dialects.session(payload)
        self.home = home(os.environ)

    @property
    def database(self) -> str:
        """Return the path of the database."""
        return os.path.join(self.home, "curator.db")

    @property
    def spool(self) -> str:
        """Return the folder with receipts and the queue."""
        return os.path.join(self.home, "spool")

    def answer(self) -> bytes:
        """Return the answer for the moment. Raises ``DeadlinePassed``, ``OSError``, or the database's errors."""
        if not self.session or not os.path.exists(self.database) or (self.host != self.agent and self.is_superfluous()):
            return b""
        if self.moment == dialects.STOP:
            self.queue_scan()
            return b""
        if dialects.forgets(self.host, self.event, self.payload):
            self.forget()
        if self.moment == dialects.FORGET:
            return b""
        prompt = dialects.prompt(self.payload) if self.moment == dialects.PROMPT else ""
        files = dialects.files(self.payload) if self.moment == dialects.FILE else []
        if (self.moment == dialects.PROMPT and not prompt) or (self.moment == dialects.FILE and not files):
            return b""
        text = self.lessons(prompt, files)
        return dialects.answer(self.agent, self.event, text) if text else b""

    def is_superfluous(self) -> bool:
        """Return whether the host has its own hook of curator, which makes this one, from another agent's settings,
        superfluous.
        """
        if self.host != "cursor":
            return False
        folders = [os.path.expanduser("~"), *dialects.roots(self.payload)]
        return any(b"hook cursor" in _content(os.path.join(folder, ".cursor", "hooks.json")) for folder in folders)

    def queue_scan(self) -> None:
        """Start a process that reads the session's transcript, unless a person disabled that."""
        from curator.agents import spool

        if spool.is_off(_content(os.path.join(self.home, "settings.toml"))):
            return
        entry = {"transcript_path": dialects.transcript(self.payload), "agent": self.host, "session": self.session}
        spool.queue_scan(self.spool, entry | {"cwd": next(iter(dialects.roots(self.payload)), "")})

    def forget(self) -> None:
        """Record that the model has forgotten earlier answers."""
        from curator.agents import spool

        file = spool.has_decisions(self.spool, self.session) and self.file()
        if file:
            file.add({"forget": True, "at": time.time(), "agent": self.host, "event": self.event, "session": self.session})
            file.close()

    def file(self) -> Spool | None:
        """Return the session's file, locked. Return ``None`` if other hooks hold it for too long."""
        from curator.agents import spool

        fading = dialects.DECISIONS_UNTIL_LOST.get(self.host, 0)
        subagent = dialects.subagent(self.payload)
        return spool.open_spool(self.spool, self.session, self.until, subagent, fading, self.last_compaction())

    def last_compaction(self) -> float:
        """Return the time of the session's last compaction, for an agent that leaves a file instead of calling a hook. Return 0
        for never.
        """
        if self.host != "cline" or os.path.basename(self.session) != self.session:
            return 0.0
        folder = os.environ.get("CLINE_DIR") or os.path.join(os.path.expanduser("~"), ".cline")
        try:
            return os.stat(os.path.join(folder, "data", "sessions", self.session, f"{self.session}.compaction.json")).st_mtime
        except OSError:
            return 0.0

    def lessons(self, prompt: str, files: Sequence[str]) -> str:
        """Return the text for this moment, and write its receipt. Return an empty text for no lessons."""
        from curator.ranking import Question
        from curator.store.hook_reader import HookReader

        fast = HookReader(self.database)
        try:
            project, folder, inside = self.place(fast, files)
            if not project or (files and not inside) or self.is_excluded(folder):
                return ""
            self.in_time()
            question = Question(self.moment, prompt=prompt, files=inside)
            found = fast.gather(project, question)
        finally:
            fast.close()
        self.in_time()
        return self.send(project, folder, question, found)

    def is_excluded(self, folder: str) -> bool:
        """Return whether a person has excluded this project or the agent's folder.

        The check takes as long as everything else, so it runs only if any exclusion is set.
        """
        if "CURATOR_EXCLUDE" not in os.environ and b"exclude" not in _content(os.path.join(self.home, "settings.toml")):
            return False
        from curator import projects, settings

        patterns = settings.load().exclude
        return any(projects.is_excluded(place, patterns) for place in (folder, *dialects.roots(self.payload)))

    def in_time(self) -> None:
        """Raise ``DeadlinePassed`` if the time is over."""
        if time.monotonic() > self.until:
            raise DeadlinePassed

    def place(self, fast: HookReader, files: Sequence[str]) -> tuple[str, str, tuple[str, ...]]:
        """Return the project of the call, its folder, and the paths of the files inside it."""
        from curator.io import worktree

        where = [*dialects.roots(self.payload), *(os.environ.get(name, "") for name in ROOTS)]
        for root in dict.fromkeys(filter(os.path.isabs, where)) or [os.getcwd()]:
            found = worktree.project(fast, root)
            if not found:
                continue
            id_, folder = found
            inside = [path for path in (path_in_project(folder, root, file) for file in files) if path]
            own = [path for path in inside if _same(fast, os.path.join(folder, path), id_)]
            if own or not files:
                return id_, folder, tuple(dict.fromkeys(own))
        return "", "", ()

    def send(self, project: str, folder: str, question: Question, found: Retrieval) -> str:
        """Choose the lessons to send, write the receipt, and return the text."""
        from curator import ranking
        from curator.agents import spool

        file = self.file()
        if file is None:
            return ""
        try:
            key = self.key(question)
            now = time.time()
            if file.already_decided(key, now) or file.size >= spool.MAX_SPOOL_BYTES:
                return ""
            self.in_time()
            made = decide(question, found, file.deliveries, self.host, now)
            unheard = (self.host, self.event) in dialects.UNHEARD
            sent = [] if unheard else [hit.id for hit, _ in made.sendings]
            receipt: dict[str, Any] = {"told": sent, "session": self.session, "at": now, "agent": self.host}
            receipt |= {"event": self.event, "moment": self.moment, "project": project, "key": key}
            files = [path for path in question.files if os.path.exists(os.path.join(folder, path))]
            body = {"prompt": shared_words(question.prompt, found.document_frequency), "files": files}
            receipt |= {"asked": body, "threshold": ranking.THRESHOLDS[self.moment]}
            costs = zip(made.sendings, made.tokens, strict=True)
            receipt["shown"] = [
                [hit.id, at, round(hit.score, 4), cost, _parts(hit)] for at, ((hit, _), cost) in enumerate(costs, 1)
            ]
            receipt["withheld"] = [
                [hit.id, round(hit.score, 4), reason, _parts(hit)] for hit, reason in made.omissions[:MAX_WITHHELD]
            ]
            file.add(receipt | ({"unheard": True} if unheard else {}))
        finally:
            file.close()
        return dialects.lessons_block([(hit.id, line) for hit, line in made.sendings])

    def key(self, question: Question) -> str:
        """Return the same key for two calls about one event, whichever host makes them."""
        from curator.agents import spool

        touched = self.moment == dialects.FILE
        subject = dialects.tool_use(self.payload) or "\n".join(question.files) if touched else question.prompt
        return f"{self.moment}:{spool.name(subject)[:16]}"


class Decision:
    """The lessons sent at a moment, best first, each with its line; the others, with the reason; and all that were weighed."""

    __slots__ = ("hits", "omissions", "sendings")

    def __init__(self, hits: list[Hit], sendings: list[tuple[Hit, str]], omissions: list[tuple[Hit, str]]) -> None:
        self.hits = hits
        self.sendings = sendings
        self.omissions = omissions

    @property
    def tokens(self) -> list[int]:
        """Return the tokens of each sent lesson. The first number includes the marks around all of them."""
        from curator import ranking

        each = [ranking.tokens(line) for _, line in self.sendings]
        if each:
            each[0] += ranking.tokens(dialects.lessons_block([(hit.id, line) for hit, line in self.sendings])) - sum(each)
        return each


def decide(
    question: Question, found: Retrieval, known: set[str], agent: str, now: float, hits: list[Hit] | None = None
) -> Decision:
    """Return the lessons that a hook sends at one moment, from those ``found``, after the ``known`` ones.

    ``app.replay`` asks the same about past sessions. ``now``: seconds since the epoch. ``hits``: the ordered lessons from an
    earlier, equal question.
    """
    from curator import ranking

    limit = ranking.LIMITS[question.moment]
    hits = ranking.rank(question, found, now) if hits is None else hits
    chosen, withheld = ranking.choose(hits, question.moment, known, limit, agent)
    sent = [(hit, ranking.line_of(hit)) for hit in chosen]
    fitting = dialects.count_fitting([(hit.id, line) for hit, line in sent], limit)
    return Decision(hits, sent[:fitting], [*((hit, ranking.CHARACTER_LIMIT) for hit, _ in sent[fitting:]), *withheld])


def shared_words(prompt: str, known: Mapping[str, int]) -> str:
    """Return the words of a prompt that some lesson has, once each. ``known`` are the terms of lessons.

    curator writes down no other part of a prompt, because the rules that find secrets cost more than the whole answer.

    >>> shared_words("retry with hunter2, retry the uploads!", {"retri": 1, "upload": 2})
    'retry uploads'
    """
    from curator.text.words import runs, terms

    found: dict[str, None] = {}
    for word in runs(prompt)[:MAX_PROMPT_WORDS]:
        if word not in found and (parts := terms(word)) and all(part in known for part in parts):
            found[word] = None
    return " ".join(found)[:HEAD]


def home(env: Mapping[str, str]) -> str:
    """Return curator's home folder. This repeats ``settings.default_home``, whose import costs too much."""
    folder = env.get("CURATOR_HOME")
    if folder:
        folder = os.path.expanduser(folder)
        return folder if os.path.isabs(folder) else os.path.join(os.getcwd(), folder)
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Application Support/curator")
    data = env.get("XDG_DATA_HOME", "").strip()
    return os.path.join(data if os.path.isabs(data) else os.path.expanduser("~/.local/share"), "curator")


def path_in_project(folder: str, root: str, file: str) -> str:
    """Return a file's path in a project, with slashes. Return an empty text for a file elsewhere, or a path that leads
    elsewhere.

    Names with ``..`` and symbolic links are not followed, because their project is not certain. Only the way to the ``root``
    itself may have a link.
    """
    path = os.path.join(root, os.path.expanduser(file) if file.startswith("~") else file)
    if os.pardir in path.replace("\\", "/").split("/"):
        return ""
    path, root, real = os.path.normpath(path), os.path.normpath(root), os.path.realpath(folder)
    if path.startswith(root.rstrip(os.sep) + os.sep):
        path = os.path.join(os.path.realpath(root), path[len(root) :].lstrip(os.sep))
    for top in (os.path.normpath(folder), real):
        below = path[len(top) :].lstrip(os.sep) if path.startswith(top.rstrip(os.sep) + os.sep) else ""
        if below:
            return below.replace(os.sep, "/") if os.path.realpath(path) == os.path.join(real, below) else ""
    return ""


def _same(fast: HookReader, path: str, project: str) -> bool:
    """Return whether the nearest project around a file is this one."""
    from curator.io import worktree

    found = worktree.project(fast, os.path.dirname(path))
    return found is not None and found[0] == project


def _parts(hit: Hit) -> dict[str, float]:
    return {name: round(value, 2) for name, value in hit.parts.items()}


def _read() -> bytes:
    """Return standard input, or an empty text if it is longer than any hook's payload."""
    parts: list[bytes] = []
    size = 0
    while part := os.read(0, 1 << 20):
        size += len(part)
        parts = [*parts, part] if size <= MAX_PAYLOAD_BYTES else []
    return b"".join(parts) if size <= MAX_PAYLOAD_BYTES else b""


def _content(path: str) -> bytes:
    from curator.io import worktree

    return worktree.first_bytes(path, SETTINGS)


def _alarm(seconds: float) -> None:
    """Exit silently after these seconds. 0 cancels it."""
    # Not signal, which makes enumerations of all that is in here.
    from _signal import ITIMER_REAL, SIGALRM, setitimer, signal  # type: ignore[import-not-found]

    signal(SIGALRM, lambda *_: os._exit(0))
    setitimer(ITIMER_REAL, seconds)


def _note(error: Exception) -> None:
    """Write a line for ``doctor`` and people, because an agent would show it at the wrong place or stop.

    It quotes only the database and the system, since other errors may contain a person's words.
    """
    try:
        detail = str(error) if isinstance(error, OSError) or "sqlite3" in type(error).__module__ else ""
        if type(error).__name__ == "OperationalError" and any(word in detail for word in FORESEEN):
            return
        where, trace = "", error.__traceback__
        while trace:
            code = trace.tb_frame.f_code
            where, trace = f"{os.path.basename(code.co_filename)}:{trace.tb_lineno} {code.co_name}", trace.tb_next
        spool = os.path.join(home(os.environ), "spool")
        if not os.path.isdir(os.path.dirname(spool)):
            return
        os.makedirs(spool, 0o700, exist_ok=True)
        fd = os.open(os.path.join(spool, FAULTS), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            if os.fstat(fd).st_size < FAULTS_BYTES:
                quoted = f": {detail}" if detail else ""
                line = f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {type(error).__name__} in {where}{quoted}"
                os.write(fd, ascii(line)[1:-1].encode()[:500] + b"\n")
        finally:
            os.close(fd)
    except Exception:
        return


LETTERS = (("candidate", "C"), ("conflict", "!"), ("stale", "S"))
CAP = 8
"""The number of candidates of a session that count, unless the settings say otherwise."""
SURE, LIKELY = 0, 1
"""The tiers of cards that the inbox shows with a reader and without one: ``curator.model.Tier``, which a hook can't import."""
NO_READER = "none"


def print_status(arguments: Sequence[str]) -> bool:
    """Print the line for the arguments of ``status``. Return whether this module understands them."""
    rest = [word for word in arguments if word != "--line"]
    if "--line" not in arguments or len(rest) not in (0, 2) or (rest and rest[0] != "--project"):
        return False
    text = status_line(rest[1] if rest else os.curdir)
    try:
        os.write(1, f"{text}\n".encode() if text else b"")
    except OSError:
        return True  # No person reads the error, and a status bar asks again.
    return True


def status_line(folder: str) -> str:
    """Return a folder's candidates, conflicts and stale lessons as ``C29 !4 S8``. Return an empty text if none is known."""
    from curator.io import worktree
    from curator.store.hook_reader import Error, HookReader

    place = home(os.environ)
    try:
        fast = HookReader(os.path.join(place, "curator.db"))
    except (OSError, Error):
        return ""
    try:
        found = worktree.project(fast, os.path.abspath(folder))
        counts = fast.waiting(found[0], time.time(), *inbox_limits(place)) if found else {}
    except Error:
        return ""
    finally:
        fast.close()
    return " ".join(f"{letter}{counts[kind]}" for kind, letter in LETTERS if counts.get(kind))


def inbox_limits(place: str) -> tuple[int, int]:
    """Return how many candidates of a session the inbox shows, and up to which tier: see ``curator.model.Tier``."""
    cap, reader = os.environ.get("CURATOR_PER_SESSION", ""), os.environ.get("CURATOR_READER", "")
    reader = reader or os.environ.get("CURATOR_DISTILLER", "")
    saved: dict[str, object] = {}
    try:
        with open(os.path.join(place, "settings.toml"), "rb") as file:
            import tomllib

            saved = tomllib.load(file)
    except (OSError, ValueError):
        pass
    most = int(cap) if cap.isascii() and cap.isdigit() else saved.get("per_session", CAP)
    name = reader or saved.get("distiller", "")
    return most if type(most) is int and most >= 0 else CAP, LIKELY if name in ("", NO_READER) else SURE
