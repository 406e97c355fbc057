"""The number of waiting cards, in a few letters, for shell prompts, tmux and the status bars of agents.

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
"""The number of candidates of a session that count, unless the settings say otherwise."""
SURE, LIKELY = 0, 1
"""The tiers of cards that the inbox shows with a reader and without one: ``curator.model.Tier``, which a hook can't import."""
NO_READER = "none"


def main(arguments: Sequence[str]) -> bool:
    """Print the line for these arguments, behind ``status``; whether they were plain enough to be understood here."""
    rest = [word for word in arguments if word != "--line"]
    if "--line" not in arguments or len(rest) not in (0, 2) or (rest and rest[0] != "--project"):
        return False
    text = line(rest[1] if rest else os.curdir)
    try:
        os.write(1, f"{text}\n".encode() if text else b"")
    except OSError:
        return True  # Nobody reads the error, and a status bar asks again.
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
        counts = fast.waiting(found[0], time.time(), *limits(place)) if found else {}
    except Error:
        return ""
    finally:
        fast.close()
    return " ".join(f"{letter}{counts[kind]}" for kind, letter in LETTERS if counts.get(kind))


def limits(place: str) -> tuple[int, int]:
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
