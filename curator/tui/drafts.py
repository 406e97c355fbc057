"""What was typed and not saved: kept in a small file from the first letter, so that no window's end loses it."""

from __future__ import annotations

import json
from pathlib import Path

Texts = tuple[str, str]


class Drafts:
    """Headline and insight by the entry's id, empty for a new lesson. Raises ``OSError`` where the file can't be written."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._texts = self._read()

    def get(self, id_: str) -> Texts | None:
        """The draft for an entry."""
        return self._texts.get(id_)

    def ids(self) -> list[str]:
        """The entries with a draft."""
        return list(self._texts)

    def put(self, id_: str, texts: Texts) -> None:
        """Keep a draft."""
        if self._texts.get(id_) != texts:
            self._write({**self._read(), id_: texts})

    def drop(self, id_: str) -> None:
        """The draft was saved, or is the text again that stood there before."""
        if id_ in self._texts:
            kept = self._read()
            kept.pop(id_, None)
            self._write(kept)

    def _read(self) -> dict[str, Texts]:
        """Also what other windows have kept meanwhile; a file that isn't ours to understand holds no drafts."""
        try:
            found = json.loads(self.file.read_text(encoding="utf-8"))
            return {str(id_): (str(headline), str(insight)) for id_, (headline, insight) in found.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}

    def _write(self, texts: dict[str, Texts]) -> None:
        self._texts = texts
        new = self.file.with_suffix(".tmp")
        new.write_text(json.dumps(texts, ensure_ascii=False, indent=1), encoding="utf-8")
        new.replace(self.file)
