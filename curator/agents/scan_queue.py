"""The queue of transcripts that hooks ask to scan: one small file per session. Only one process reads them.

``app.scan`` is that process. It inherits the lock as its standard input, so at most one runs.
"""

from __future__ import annotations

import os
import sys

from curator.agents import fast_json, receipts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FOLDER = "queue"
LOCK = "lock"
COMMAND = ("-P", "-m", "curator", "scan", "--queued")
"""``-P`` protects from modules in the project. ``-E`` is added if the hook itself has it."""


def is_off(settings: bytes) -> bool:
    """Return whether the settings switch this off. Only the plain line is understood; ``app.scan`` knows all other ways.

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
        os.write(fd, fast_json.dumps(entry))
    finally:
        os.close(fd)
    os.replace(draft, os.path.join(folder, receipts.name(entry["session"]) + ".json"))
    lock = os.open(os.path.join(folder, LOCK), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if receipts.lock(lock):
            _start(lock)
    finally:
        os.close(lock)


def _start(lock: int) -> None:
    if not sys.executable:
        return
    command = [sys.executable, *(["-E"] if sys.flags.ignore_environment else []), *COMMAND]
    if not hasattr(os, "posix_spawn"):
        import subprocess

        null = subprocess.DEVNULL
        subprocess.Popen(command, stdin=null, stdout=null, stderr=null, start_new_session=True)
        return
    actions: list[Any] = [(os.POSIX_SPAWN_DUP2, lock, 0)]
    actions += [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]
    # An agent that waits for these to close would wait for us.
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
