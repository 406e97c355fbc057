"""Questions to git: the only place that runs it.

git is asked by subprocess, never through a library: its own answers are right for worktrees, partial clones and shallow
clones. A missing git, a folder outside any repository and a refusal (dubious ownership) all answer ``None``.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

QUIET = {
    "GIT_OPTIONAL_LOCKS": "0",  # never take index.lock under the agent's feet
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",  # a partial clone must not go to the network for an answer
    "LC_ALL": "C",
}


def ask(folder: Path | str, *words: str, stdin: str | None = None, timeout: float = 10.0) -> str | None:
    """The standard output of ``git WORDS`` in ``folder``; ``None`` if git is absent, refuses, fails or takes too long."""
    environment = {key: value for key, value in os.environ.items() if key not in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")}
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *words],
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=timeout,
            env=environment | QUIET,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def first_line(answer: str | None) -> str:
    """The first line of an answer, or an empty string."""
    return answer.split("\n", 1)[0].strip() if answer else ""


def lines(answer: str | None) -> Sequence[str]:
    """The lines of an answer, without empty ones."""
    return [line for line in answer.split("\n") if line] if answer else []
