"""The files that hooks write: receipts of their decisions, and the queue of transcripts to scan.

The receipts of a session are one file, with one line per decision of a hook. The process with the file's lock decides. The file
is a hook's whole memory. A line is a decision as JSON, even one to send nothing. ``app.deliveries`` copies the lines into the
database later and leaves the file, so the sent lessons stay known during the session. Reading starts after the last line that
says that the model has forgotten. All agents' hooks write to one file per session. Two hooks therefore notice that they were
called for the same event.

The queue is one small file per session. Only one process reads them: ``app.scan``. It inherits the lock as its standard input.
"""

from __future__ import annotations

import fcntl
import os
import sys
import time

from curator.agents.dialects import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SAME_CALL_SECONDS = 10.0
"""Seconds within which the same moment of a session is the same call, made by a second host."""
MAX_BYTES_FOR_SILENCE = 512_000
"""The size of a file from which decisions to send nothing are no longer recorded."""
MAX_SPOOL_BYTES = 1_000_000
"""The size of a file from which nothing is sent any more."""
MAX_LOCK_SECONDS = 0.2
LOCK_RETRY_SECONDS = 0.004
_SILENT = b'{"v":1,"told":[],'


def name(session: str) -> str:
    """Return the name of a session's file without its ending: a hash, since an agent may choose any id."""
    try:
        from _sha1 import sha1  # type: ignore[import-not-found]  # hashlib would load all of OpenSSL
    except ImportError:
        from hashlib import sha1
    digest: str = sha1(session.encode("utf-8", "replace")).hexdigest()
    return digest


class Spool:
    """A session's open and locked file. ``told`` and ``recent`` hold the lessons sent since the model last forgot.

    A subagent has its own context: it does not know the lessons of another one or of the session.
    """

    __slots__ = ("_partial", "deliveries", "fading", "fd", "recent", "since", "size", "subagent")

    def __init__(self, fd: int, subagent: str = "", fading: int = 0, since: float = 0.0) -> None:
        self.fd = fd
        self.subagent = subagent
        self.fading = fading
        """The number of receipts after which a sent lesson counts as lost. 0 means never."""
        self.since = since
        """Lessons sent before this time, in seconds since the epoch, are lost."""
        self.size = os.fstat(fd).st_size
        self.deliveries: set[str] = set()
        self.recent: dict[str, float] = {}
        """The time of the last decision on each moment, by its key. Only the last ones are known."""
        self._partial = False
        if self.size:
            self._read()

    def _read(self) -> None:
        data = os.pread(self.fd, MAX_SPOOL_BYTES + MAX_BYTES_FOR_SILENCE, 0)
        self._partial = not data.endswith(b"\n")
        lines = data.split(b"\n")
        late = len(lines) - 20
        first = max(0, len(lines) - self.fading) if self.fading else 0
        for at in range(len(lines) - 1, first - 1, -1):
            line = lines[at]
            if not line or (at < late and line.startswith(_SILENT)):
                continue
            receipt = loads(line)
            if not isinstance(receipt, dict) or receipt.get("subagent", "") != self.subagent:
                continue  # including a line that a crash cut short
            if "forget" in receipt:
                return
            ids, key, when = receipt.get("told"), receipt.get("key"), receipt.get("at")
            if isinstance(when, float) and when < self.since:
                return
            self.deliveries.update(id_ for id_ in ids if isinstance(id_, str)) if isinstance(ids, list) else None
            if isinstance(key, str) and isinstance(when, float) and not receipt.get("unheard"):
                self.recent.setdefault(key, when)

    def already_decided(self, key: str, now: float) -> bool:
        """Return whether this was decided on a moment ago."""
        return abs(now - self.recent.get(key, 0.0)) < SAME_CALL_SECONDS

    def add(self, receipt: dict[str, Any]) -> bool:
        """Append a receipt. Return whether it was written, since the file is limited."""
        if self.size >= (MAX_SPOOL_BYTES if receipt.get("told") else MAX_BYTES_FOR_SILENCE):
            return False
        whose = {"subagent": self.subagent} if self.subagent else {}
        line = dumps({"v": 1, **receipt, **whose}) + b"\n"
        # One write: a reader sees a complete line or none. The write first ends a line that a crash has cut short.
        return os.write(self.fd, b"\n" + line if self._partial else line) > 0

    def close(self) -> None:
        """Close the file, which gives its lock back."""
        os.close(self.fd)


def open_spool(spool: str, session: str, until: float, subagent: str = "", fading: int = 0, since: float = 0.0) -> Spool | None:
    """Open and lock a session's file. Return ``None`` if another process holds it for too long. Raises ``OSError``.

    ``until`` is a time of ``time.monotonic``.
    """
    path = os.path.join(spool, name(session) + ".jsonl")
    until = min(until, time.monotonic() + MAX_LOCK_SECONDS)
    while True:
        fd = _open(path)
        if not _acquire(fd, until):
            os.close(fd)
            return None
        if os.fstat(fd).st_nlink:
            return Spool(fd, subagent, fading, since)
        os.close(fd)  # it was removed while we waited


def has_decisions(spool: str, session: str) -> bool:
    """Return whether anything was decided in a session."""
    return os.path.exists(os.path.join(spool, name(session) + ".jsonl"))


def _open(path: str) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND
    try:
        return os.open(path, flags, 0o600)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        return os.open(path, flags, 0o600)


def lock(fd: int) -> bool:
    """Lock an open file, unless another process has locked it."""
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def unlock(fd: int) -> None:
    """Release the lock of an open file."""
    fcntl.flock(fd, fcntl.LOCK_UN)


def _acquire(fd: int, until: float) -> bool:
    while not lock(fd):
        if time.monotonic() >= until:
            return False
        time.sleep(LOCK_RETRY_SECONDS)
    return True


FOLDER = "queue"
LOCK = "lock"
COMMAND = ("-P", "-m", "curator", "scan", "--queued")
"""``-P`` protects from modules in the project. ``-E`` is added if the hook itself has it."""


def is_off(settings: bytes) -> bool:
    """Return whether the settings switch this off. Only the plain line counts here; ``app.scan`` knows all other ways.

    >>> is_off(b"theme = 'x'\\nhook_scan = false # busy machine"), is_off(b"")
    (True, False)
    """
    lines = (line.partition(b"=") for line in settings.split(b"\n") if line.lstrip().startswith(b"hook_scan"))
    return any(key.strip() == b"hook_scan" and value.split()[:1] == [b"false"] for key, _, value in lines)


def queue_scan(spool: str, entry: dict[str, Any]) -> None:
    """Queue the transcript of a session, and start its reader, without waiting. Raises ``OSError``."""
    folder = os.path.join(spool, FOLDER)
    os.makedirs(folder, 0o700, exist_ok=True)
    draft = os.path.join(folder, f"{os.getpid()}.tmp")
    fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.write(fd, dumps(entry))
    finally:
        os.close(fd)
    os.replace(draft, os.path.join(folder, name(entry["session"]) + ".json"))
    held = os.open(os.path.join(folder, LOCK), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if lock(held):
            _start(held)
    finally:
        os.close(held)


def _start(lock: int) -> None:
    if not sys.executable:
        return
    command = [sys.executable, *(["-E"] if sys.flags.ignore_environment else []), *COMMAND]
    actions: list[Any] = [(os.POSIX_SPAWN_DUP2, lock, 0)]
    actions += [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]
    # An agent that waits for these to close would wait for curator.
    actions += [(os.POSIX_SPAWN_CLOSE, fd) for fd in _inheritable_files()]
    try:
        os.posix_spawn(sys.executable, command, os.environ, file_actions=actions, setsid=True)
    except NotImplementedError:
        os.posix_spawn(sys.executable, command, os.environ, file_actions=actions, setpgroup=0)


def _inheritable_files() -> list[int]:
    """Return open files that a child would inherit, except its three standard ones."""
    found = []
    for fd in range(3, 64):
        try:
            if os.get_inheritable(fd):
                found.append(fd)
        except OSError:
            continue
    return found
