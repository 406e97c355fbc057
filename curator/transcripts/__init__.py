"""From files that agents write to turns: one module a format; ``base`` holds what formats share.

What the formats agree on, beyond ``model.Turn`` (in full: ``docs/formats.md``): a refused call gives an ``EVENT`` with the
reason as text and no ``TOOL_RESULT``; every answer to a question gives an ``EVENT`` of its own with the answer as text, joined
by ``call`` to the ``TOOL_CALL`` whose text is the questions, one a line; an accepted plan is an ``ANSWER`` without text and
``ok=True`` (behind an ``ASSISTANT`` turn with the plan where it comes back as a prompt), a refused one a ``REFUSAL`` or, with
a reason, an ``ANSWER`` with ``ok=False``. A command that a person ran with ``!`` has the tool ``!``. Thinking is left out.
"""

from __future__ import annotations

from collections.abc import Callable

from curator.hookspecs import Format, hookimpl
from curator.transcripts.aider import Aider
from curator.transcripts.claude_code import ClaudeCode
from curator.transcripts.cline import Cline
from curator.transcripts.codex import Codex
from curator.transcripts.continue_ import Continue
from curator.transcripts.copilot_cli import CopilotCli
from curator.transcripts.cursor import Cursor
from curator.transcripts.gemini import Gemini
from curator.transcripts.goose import Goose
from curator.transcripts.opencode import OpenCode
from curator.transcripts.qwen import Qwen
from curator.transcripts.specstory import SpecStory
from curator.transcripts.vscode_copilot import VscodeCopilot

# Qwen Code's records look like Claude Code's at first sight, so it is asked before.
BUILT_IN: tuple[type[Format], ...] = (
    Qwen,
    ClaudeCode,
    Codex,
    SpecStory,
    Aider,
    CopilotCli,
    Cline,
    Cursor,
    VscodeCopilot,
    Gemini,
    OpenCode,
    Goose,
    Continue,
)


@hookimpl(tryfirst=True)
def register_formats(register: Callable[[Format], None]) -> None:
    """Register the built-in formats."""
    for format_ in BUILT_IN:
        register(format_())
