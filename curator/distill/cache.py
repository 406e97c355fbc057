"""Answers that were paid for: one small file each, named by a hash of what was asked. Holds no question."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass
from pathlib import Path

from curator.distill.answer import LONGEST
from curator.io import files

log = logging.getLogger(__name__)


def key(model: str, prompt: str) -> str:
    """The same for the same question to the same model."""
    return hashlib.sha256("\0".join((model, prompt)).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Cache:
    """A folder of answers, which may be deleted at any time. What can't be read is not there; what can't be written is lost."""

    folder: Path

    def get(self, key: str) -> str | None:
        """The model's raw text; ``None`` for what was never asked."""
        file = self.folder / f"{key}.txt"
        try:
            return file.read_text(encoding="utf-8") if file.stat().st_size <= 4 * LONGEST else None
        except (OSError, ValueError):
            return None

    def put(self, key: str, answer: str) -> None:
        """Remember an answer."""
        try:
            files.write(self.folder / f"{key}.txt", answer.encode("utf-8", "replace").decode("utf-8"))
        except OSError as error:
            log.warning("an answer could not be cached: %s", error)

    def clear(self) -> None:
        """Delete every answer. Raises ``OSError``."""
        for file in self.folder.glob("*.*"):
            file.unlink(missing_ok=True)
