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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curator.hookspecs import NOTHING_KNOWN, Mark, Reading, hookimpl
from curator.io import sqlite
from curator.transcripts import places

if TYPE_CHECKING:
    from curator.hookspecs import Format


@dataclass  # not frozen, because the protocol lets a caller set ``agent``
class Lazy:
    """A format, and what is known of it without its module, which is loaded when it is first asked about a file.

    ``name`` is ``module:Class`` in this package, ``roots`` a function of ``places``; ``endings`` are those of files that may be
    companions of a transcript, none for a format without companions. Whatever else a format may have, such as ``rewrites``, it
    has as its class does.
    """

    agent: str
    name: str
    roots: Callable[[Path, Mapping[str, str]], Sequence[Path]]
    endings: tuple[str, ...] = ()

    def find(self, root: Path, known: Mapping[Path, str] = NOTHING_KNOWN) -> Sequence[Path]:
        """Return the format's files; empty if the place does not exist."""
        return self.load().find(root, known) if os.path.lexists(root) else ()

    def claims(self, path: Path, head: bytes) -> bool:
        """Return whether the format claims the file."""
        return bool(self.load().claims(path, head))

    def read(self, path: Path, start: Mark) -> Reading:
        """Return the format's reading."""
        reading: Reading = self.load().read(path, start)
        return reading

    def companions(self, path: Path) -> Sequence[Path]:
        """Return the format's companions; empty for an absent file."""
        return self.load().companions(path) if self.endings and os.path.lexists(path) else ()

    def transcript(self, written: Path) -> Path | None:
        """Return the format's transcript of a file that may be a companion by its name."""
        return self.load().transcript(written) if written.name.endswith(self.endings) else None

    def load(self) -> Any:
        """Return the format itself."""
        module, _, name = self.name.partition(":")
        return getattr(import_module(f"{__package__}.{module}"), name)()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.load(), name)


# Qwen Code's records look like Claude Code's at first sight, so it is asked before.
BUILT_IN = (
    Lazy("qwen", "qwen:Qwen", places.qwen),
    Lazy("claude-code", "claude_code:ClaudeCode", places.claude_code),
    Lazy("codex", "codex:Codex", places.codex),
    Lazy("specstory", "specstory:SpecStory", places.specstory),
    Lazy("aider", "aider:Aider", places.aider),
    Lazy("copilot-cli", "copilot_cli:CopilotCli", places.copilot_cli),
    Lazy("cline", "cline:Cline", places.cline, (".json",)),
    Lazy("cursor", "cursor:Cursor", places.cursor, sqlite.LOGS),
    Lazy("vscode-copilot", "vscode_copilot:VscodeCopilot", places.vscode_copilot),
    Lazy("gemini", "gemini:Gemini", places.gemini),
    Lazy("opencode", "opencode:OpenCode", places.opencode, (".json", *sqlite.LOGS)),
    Lazy("goose", "goose:Goose", places.goose, sqlite.LOGS),
    Lazy("continue", "continue_:Continue", places.continue_),
    Lazy("crush", "crush:Crush", places.crush, sqlite.LOGS),
    Lazy("pi", "pi:Pi", places.pi),
    Lazy("kimi", "kimi:Kimi", places.kimi),
    Lazy("kiro", "kiro:Kiro", places.kiro),
    Lazy("zed", "zed:Zed", places.zed, sqlite.LOGS),
    Lazy("droid", "droid:Droid", places.droid),
    Lazy("antigravity", "antigravity:Antigravity", places.antigravity),
)


@hookimpl(tryfirst=True)
def register_formats(register: Callable[[Format], None]) -> None:
    """Register the built-in formats."""
    for format_ in BUILT_IN:
        register(format_)
