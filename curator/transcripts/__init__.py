"""Read agents' files as turns: one module per format. ``base`` holds the shared parts.

Formats share these rules beyond ``model.Turn`` (in full: ``docs/formats.md``):

- A refused call gives an ``EVENT`` with the reason as text, and no ``TOOL_RESULT``.
- Each answer to a question gives its own ``EVENT`` with the answer as text. ``call`` joins it to the ``TOOL_CALL`` whose text
  has the questions, one per line.
- An accepted plan gives an ``ANSWER`` without text and with ``ok=True``. If the plan comes back as a prompt, an ``ASSISTANT``
  turn with the plan precedes it. A refused plan gives a ``REFUSAL``, or with a reason an ``ANSWER`` with ``ok=False``.
- A command that a person ran with ``!`` has the tool ``!``.
- Thinking gives no turn.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curator.hookspecs import NOTHING_KNOWN, Mark, Reading, hookimpl
from curator.io import sqlite
from curator.transcripts import places
from curator.transcripts.base import discover

if TYPE_CHECKING:
    from curator.hookspecs import Format


@dataclass  # not frozen, because the protocol lets a caller set ``agent``
class BuiltIn:
    """A format, with its data that need no module. The module is loaded with the first file.

    The module has ``claims`` and ``read``. It has ``candidates(root)`` if the endings of names are not enough. It has
    ``companions`` and ``transcript`` if a transcript has another companion than a database's log.
    """

    agent: str
    module: str
    roots: Callable[[Path, Mapping[str, str]], Sequence[Path]]
    endings: tuple[str, ...] = (".jsonl",)
    """The endings of its files' names, unless the module has ``candidates``."""
    beside: tuple[str, ...] = ()
    """The endings of the names of files that may be companions of a transcript."""
    rewrites: bool = False
    in_project: bool = False
    forgeable: bool = False

    def find(self, root: Path, known: Mapping[Path, str] = NOTHING_KNOWN) -> Sequence[Path]:
        """Return the format's files; empty if the place does not exist."""
        paths = [root] if os.path.isfile(root) else self._candidates(root) if os.path.lexists(root) else ()
        return tuple(path for path in paths if discover.is_of(self.agent, path, self.claims, known))

    def _candidates(self, root: Path) -> Iterable[Path]:
        candidates: Callable[[Path], Iterable[Path]] | None = getattr(self.load(), "candidates", None)
        return candidates(root) if candidates else discover.files_below(root, self.endings)

    def claims(self, path: Path, head: bytes) -> bool:
        """Return whether the format claims the file."""
        return bool(self.load().claims(path, head))

    def read(self, path: Path, start: Mark) -> Reading:
        """Return the format's reading."""
        reading: Reading = self.load().read(path, start)
        return reading

    def companions(self, path: Path) -> Sequence[Path]:
        """Return the format's companions; empty for an absent file."""
        found: Sequence[Path] = ()
        if self.beside and os.path.lexists(path):
            found = getattr(self.load(), "companions", _log)(path)
        return found

    def transcript(self, written: Path) -> Path | None:
        """Return the format's transcript of a file that may be a companion by its name."""
        found: Path | None = None
        if written.name.endswith(self.beside):
            found = getattr(self.load(), "transcript", sqlite.owner)(written)
        return found

    def load(self) -> Any:
        """Return the format's module."""
        return import_module(f"{__package__}.{self.module}")


def _log(path: Path) -> Sequence[Path]:
    return sqlite.companions(path) if path.suffix in (".db", ".vscdb") else ()


# Qwen Code's records look like Claude Code's at first sight, so it is asked before.
BUILT_IN = (
    BuiltIn("qwen", "qwen", places.qwen, (".json", ".jsonl"), rewrites=True),
    BuiltIn("claude-code", "claude_code", places.claude_code),
    BuiltIn("codex", "codex", places.codex, (".json", ".jsonl", discover.COMPRESSED)),
    BuiltIn("specstory", "specstory", places.specstory, rewrites=True, forgeable=True),
    BuiltIn("aider", "aider", places.aider, ("aider.chat.history.md",), in_project=True),
    BuiltIn("copilot-cli", "copilot_cli", places.copilot_cli),
    BuiltIn("cline", "cline", places.cline, ("_messages.json", ".messages.json"), (".json",), rewrites=True),
    BuiltIn("cursor", "cursor", places.cursor, beside=sqlite.LOGS, rewrites=True),
    BuiltIn("vscode-copilot", "vscode_copilot", places.vscode_copilot, rewrites=True),
    BuiltIn("gemini", "gemini", places.gemini, (".json", ".jsonl"), rewrites=True),
    BuiltIn("opencode", "opencode", places.opencode, beside=(".json", *sqlite.LOGS), rewrites=True),
    BuiltIn("goose", "goose", places.goose, (".jsonl", ".db"), sqlite.LOGS, rewrites=True),
    BuiltIn("continue", "continue_", places.continue_, (".json",), rewrites=True),
    BuiltIn("crush", "crush", places.crush, (places.CRUSH,), sqlite.LOGS, rewrites=True),
    BuiltIn("pi", "pi", places.pi),
    BuiltIn("kimi", "kimi", places.kimi),
    BuiltIn("kiro", "kiro", places.kiro),
    BuiltIn("zed", "zed", places.zed, (places.THREADS,), sqlite.LOGS, rewrites=True),
    BuiltIn("droid", "droid", places.droid),
    BuiltIn("antigravity", "antigravity", places.antigravity, (".jsonl", "overview.txt")),
)


@hookimpl(tryfirst=True)
def register_formats(register: Callable[[Format], None]) -> None:
    """Register the built-in formats."""
    for format_ in BUILT_IN:
        register(format_)
