"""The code that a lesson speaks of, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """A symbol, or a whole file where ``symbol`` is empty, as it was when a person last said that the lesson holds.

    ``signature`` and ``body`` are hashes of its tokens (``curator.code``), ``commit`` the commit at that time, ``blob`` git's
    id of the file's content (computed the same way outside git).
    """

    path: str
    symbol: str = ""
    lang: str = ""
    signature: str = ""
    body: str = ""
    commit: str = ""
    blob: str = ""
    text: str = ""
    """Its code, kept only while no commit has it; stays on this machine."""
    committed: bool = True
    """Whether ``commit`` has this content; else it is the one upon which somebody was writing it."""

    @property
    def holder(self) -> str:
        """The commit that has this very content; empty while none is known to."""
        return self.commit if self.committed and not self.text else ""

    @property
    def undated(self) -> bool:
        """Whether a commit with this content is still waited for."""
        return bool(self.blob) and not self.holder

    @property
    def subject(self) -> tuple[str, str]:
        """Path and symbol."""
        return self.path, self.symbol


class Drift(StrEnum):
    """What became of anchored code."""

    UNCHANGED = "unchanged"
    LAYOUT = "whitespace_or_comment_only"
    BODY = "body_changed"
    SIGNATURE = "signature_changed"
    RENAMED = "renamed"
    MOVED = "moved_file"
    DELETED = "deleted"

    @property
    def state(self) -> str:
        """``current``, ``changed``, ``relocated`` (the same code elsewhere) or ``gone``."""
        return _STATES[self]


_STATES = {
    Drift.UNCHANGED: "current",
    Drift.LAYOUT: "current",
    Drift.BODY: "changed",
    Drift.SIGNATURE: "changed",
    Drift.RENAMED: "relocated",
    Drift.MOVED: "relocated",
    Drift.DELETED: "gone",
}
ALARM = 0.2
"""The severity from which a change is a card; below it is a note on the lesson."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What happened to anchored code since, and how much that matters to the lesson: ``severity`` 0 to 1.

    ``diff`` is unified and capped, empty where the old code is not known or the new is gone. What moved has its new place,
    with ``likeness`` 0 to 1.
    """

    path: str
    symbol: str = ""
    drift: Drift = Drift.BODY
    severity: float = 1.0
    diff: str = ""
    new_path: str = ""
    new_symbol: str = ""
    likeness: float = 0.0
    certain: bool = False
    """Whether the new place can be followed without asking."""
    named: tuple[str, ...] = ()
    """Words of the lesson that stand in what changed."""
    blob: str = ""
    """What the file's content is now; a finding answered by a person is not raised again for the same content."""
    signature: str = ""
    body: str = ""
    """Hashes of the code as it is now; empty when it is gone."""

    @property
    def alarming(self) -> bool:
        """Whether a person is asked about it."""
        return self.severity >= ALARM
