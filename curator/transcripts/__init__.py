"""What agents wrote → turns: one file a format, beside discovery, tailing and watching.

What the formats agree on, beyond ``model.Turn``: a refused call gives an ``EVENT`` with the reason as text and no
``TOOL_RESULT``; every answer to a question gives an ``EVENT`` of its own with the answer as text, joined by ``call`` to the
``TOOL_CALL`` whose text is the questions, one a line; an accepted plan is an ``ANSWER`` without text and ``ok=True``, a refused
one a ``REFUSAL`` or, with a reason, an ``ANSWER`` with ``ok=False``. A command that a person ran with ``!`` has the tool ``!``.
Thinking is left out. Tool outputs are capped, words only beyond 64 000 characters.
"""

from __future__ import annotations

from collections.abc import Callable

from curator.hookspecs import Format, hookimpl
from curator.transcripts.claude_code import ClaudeCode
from curator.transcripts.codex import Codex
from curator.transcripts.specstory import SpecStory


@hookimpl(tryfirst=True)
def register_formats(register: Callable[[Format], None]) -> None:
    """Register the built-in formats."""
    for format_ in (ClaudeCode(), Codex(), SpecStory()):
        register(format_)
