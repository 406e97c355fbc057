"""Drafts: what was typed and not saved, kept in a small file from the first letter."""

from __future__ import annotations

import json
from pathlib import Path

from curator import clock
from curator.io import files
from curator.tui.text import ago

Texts = tuple[str, str]
Kept = tuple[str, str, float]
"""A draft's texts, and when they were typed last; 0 where an older version kept them."""


class Drafts:
    """Headline and insight by the entry's id, empty for a new lesson. Raises ``OSError`` where the file can't be written."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._kept = self._read()

    def get(self, id_: str) -> Texts | None:
        """The draft for an entry."""
        kept = self._kept.get(id_)
        return kept and kept[:2]

    def named(self, id_: str) -> str:
        """What to call the draft for an entry, with its age; empty where there is none."""
        kept = self._kept.get(id_)
        if kept is None:
            return ""
        return f"draft, {ago(clock.now() - kept[2])}" if kept[2] else "draft"

    def marked_headline(self, id_: str) -> str:
        """The same with the draft's headline."""
        return f"{self.named(id_)}: {self._kept[id_][0]}" if id_ in self._kept else ""

    def ids(self) -> list[str]:
        """The entries with a draft."""
        return list(self._kept)

    def put(self, id_: str, texts: Texts) -> None:
        """Keep a draft."""
        if self.get(id_) != texts:
            self._write({**self._read(), id_: (*texts, clock.now())})

    def drop(self, id_: str) -> None:
        """The draft was saved, or is the text again that stood there before."""
        if id_ in self._kept:
            kept = self._read()
            kept.pop(id_, None)
            self._write(kept)

    def _read(self) -> dict[str, Kept]:
        """Also what other windows have kept meanwhile; a file that isn't ours to understand holds no drafts."""
        try:
            found = json.loads(self.file.read_text(encoding="utf-8"))
            return {str(id_): _kept(*values) for id_, values in found.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}

    def _write(self, kept: dict[str, Kept]) -> None:
        self._kept = kept
        files.write(self.file, json.dumps(kept, ensure_ascii=False, indent=1))


def _kept(headline: object, insight: object, at: float = 0.0) -> Kept:
    return str(headline), str(insight), float(at)
