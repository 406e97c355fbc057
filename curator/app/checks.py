"""One line of ``curator doctor``: what was looked at, whether it is well, and what to do."""

from __future__ import annotations

from dataclasses import dataclass

from curator.errors import CuratorError


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at: of which agent (or none), whether it is in order, what was found, what to do."""

    check: str
    agent: str = ""
    ok: bool = True
    detail: str = ""
    fix: str = ""


def fault(check: str, error: CuratorError, agent: str = "") -> Check:
    """A failure as a check."""
    return Check(check=check, agent=agent, ok=False, detail=error.message, fix=error.hint or "See the log.")
