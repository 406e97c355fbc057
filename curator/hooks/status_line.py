"""What waits, in a few letters, for shell prompts, tmux and the status bars of agents.

Asked many times a minute, so it goes the way of hooks: see ``curator.hooks.answer``.
"""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LETTERS = (("candidate", "C"), ("conflict", "!"), ("stale", "S"))
CAP = 8
"""Candidates a session that count, unless it is set otherwise."""


def main(arguments: Sequence[str]) -> bool:
    """Print the line for these arguments, behind ``status``; whether they were plain enough to be understood here."""
    rest = [word for word in arguments if word != "--line"]
    if "--line" not in arguments or len(rest) not in (0, 2) or (rest and rest[0] != "--project"):
        return False
    text = line(rest[1] if rest else os.curdir)
    try:
        os.write(1, f"{text}\n".encode() if text else b"")
    except OSError:
        return True  # nobody reads it; a status bar asks again
    return True


def line(folder: str) -> str:
    """``C29 !4 S8`` for a folder's project: candidates, conflicts, stale lessons. Empty where nothing waits or is known."""
    from curator.hooks.answer import home
    from curator.io import worktree
    from curator.store.hook_reader import Error, HookReader

    place = home(os.environ)
    try:
        fast = HookReader(os.path.join(place, "curator.db"))
    except (OSError, Error):
        return ""
    try:
        found = worktree.project(fast, os.path.abspath(folder))
        counts = fast.waiting(found[0], time.time(), cap(place)) if found else {}
    except Error:
        return ""
    finally:
        fast.close()
    return " ".join(f"{letter}{counts[kind]}" for kind, letter in LETTERS if counts.get(kind))


def cap(place: str) -> int:
    """Return how many candidates of a session the inbox shows, as a person has set it."""
    value = os.environ.get("CURATOR_PER_SESSION", "")
    if value.isascii() and value.isdigit():
        return int(value)
    try:
        with open(os.path.join(place, "settings.toml"), "rb") as file:
            import tomllib

            set_ = tomllib.load(file).get("per_session", CAP)
    except (OSError, ValueError):
        return CAP
    return set_ if type(set_) is int and set_ >= 0 else CAP
