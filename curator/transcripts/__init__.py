"""From files that agents write to turns: one module a format; ``base`` holds what formats share.

What the formats agree on, beyond ``model.Turn`` (in full: ``docs/formats.md``): a refused call gives an ``EVENT`` with the
reason as text and no ``TOOL_RESULT``; every answer to a question gives an ``EVENT`` of its own with the answer as text, joined
by ``call`` to the ``TOOL_CALL`` whose text is the questions, one a line; an accepted plan is an ``ANSWER`` without text and
``ok=True`` (behind an ``ASSISTANT`` turn with the plan where it comes back as a prompt), a refused one a ``REFUSAL`` or, with
a reason, an ``ANSWER`` with ``ok=False``. A command that a person ran with ``!`` has the tool ``!``. Thinking is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from curator.hookspecs import hookimpl
from curator.io import sqlite
from curator.transcripts import places
from curator.transcripts.lazy import Lazy

if TYPE_CHECKING:
    from curator.hookspecs import Format

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
)


@hookimpl(tryfirst=True)
def register_formats(register: Callable[[Format], None]) -> None:
    """Register the built-in formats."""
    for format_ in BUILT_IN:
        register(format_)
