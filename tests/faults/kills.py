"""Commands that are killed at a chosen step: before the n-th call that changes a file or ends a transaction."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from curator.cli import Frontends, run

KILLED = 137
CALLS = ("replace", "rename", "unlink", "mkdir", "rmdir", "fsync", "link", "symlink", "ftruncate", "chmod")
ENDS = ("BEGIN", "COMMIT", "END", "RELEASE")


def killed(arguments: Sequence[str], point: int, folder: Path) -> int:
    """Run a command in a process of its own that ends without warning before its step ``point``; its exit code."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 1
    try:
        os.chdir(folder)
        silence = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silence, stream)
        _end_before(point)
        code = run(list(arguments), Frontends(inbox=lambda *_, **__: ""))
    finally:
        os._exit(code)


def _end_before(point: int) -> None:
    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1
        if steps == point:
            os._exit(KILLED)

    def stepping(call: Callable[..., Any]) -> Callable[..., Any]:
        def done(*arguments: Any, **more: Any) -> Any:
            step()
            return call(*arguments, **more)

        return done

    class Connection(sqlite3.Connection):
        def execute(self, sql: str, *more: Any) -> sqlite3.Cursor:
            if sql.lstrip().upper().startswith(ENDS):
                step()
            return super().execute(sql, *more)

    connect = sqlite3.connect
    sqlite3.connect = lambda *arguments, **more: connect(*arguments, **{"factory": Connection} | more)
    for name in CALLS:
        setattr(os, name, stepping(getattr(os, name)))
