"""Answers that were paid for: one small file each, named by a hash of what was asked. Holds no question."""

from __future__ import annotations

import hashlib
import json
import logging
from dataclasses import dataclass
from pathlib import Path

from curator.distill.prompt import prompt
from curator.hookspecs import Brief
from curator.io import atomic
from curator.model import Wording

log = logging.getLogger(__name__)


def key(name: str, model: str, brief: Brief) -> str:
    """The same for the same question to the same model of the same distiller."""
    return hashlib.sha256("\0".join((name, model, prompt(brief))).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Cache:
    """A folder of answers, which may be deleted at any time. What can't be read is not there; what can't be written is lost."""

    folder: Path

    def __contains__(self, key: str) -> bool:
        return self._read(key) is not None

    def get(self, key: str) -> Wording | None:
        """The answer, ``None`` where it was that there is none better. Raises ``KeyError`` for what was never asked."""
        found = self._read(key)
        if found is None:
            raise KeyError(key)
        return Wording(found[0], found[1], "distilled") if found else None

    def put(self, key: str, answer: Wording | None) -> None:
        """Remember an answer."""
        file = self.folder / f"{key}.json"
        try:
            atomic.write(file, json.dumps([answer.headline, answer.insight] if answer else [], ensure_ascii=False))
        except OSError as error:
            log.warning("an answer could not be cached: %s", error)

    def clear(self) -> None:
        """Delete every answer. Raises ``OSError``."""
        for file in self.folder.glob("*.*"):
            file.unlink(missing_ok=True)

    def _read(self, key: str) -> list[str] | None:
        try:
            found = json.loads((self.folder / f"{key}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        sound = isinstance(found, list) and len(found) in (0, 2) and all(isinstance(text, str) for text in found)
        return found if sound else None
