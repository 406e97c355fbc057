"""Gemini CLI's ``logs.json`` beside the chats: every prompt of a project, one JSON list that is written anew each time.

An entry is ``{sessionId, messageId, type, message, timestamp}``. Versions that kept no chats yet left nothing else; prompts of
sessions that have a chat are told by that and passed over here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from curator.hookspecs import Mark, Reading
from curator.model import JSON, Locator, Role, Turn
from curator.transcripts.base import document, messages
from curator.transcripts.base.jsonl import Source
from curator.transcripts.base.tool_calls import text_of

NAME = "logs.json"

_BEGINNING = re.compile(rb'\s*\[\s*\{\s*"sessionId"\s*:\s*"[^"]*"\s*,\s*"messageId"\s*:')


def is_log(path: Path, head: bytes) -> bool:
    """Whether a file is a project's log of prompts."""
    return path.name == NAME and _BEGINNING.match(head) is not None


def read(agent: str, path: Path, start: Mark, folder: str, typed: Callable[[str], str]) -> Reading:
    """The prompts of sessions without a chat; ``typed`` says what of one a person typed. Raises ``OSError``."""
    chats = tuple(chat.name for chat in (path.parent / "chats").glob("session-*"))

    def absorb(entry: JSON, source: Source, memory: JSON, unknown: Counter[str]) -> Iterator[Turn]:
        session = text_of(entry.get("sessionId"))
        if entry.get("type") != "user":
            unknown[str(entry.get("type"))[:80]] += 1
        elif not any(session[:8] in chat for chat in chats) and (words := typed(text_of(entry.get("message")))):
            yield Turn(
                agent=agent,
                session=session,
                role=Role.HUMAN,
                text=messages.capped(words, messages.MAX_WORDS),
                locator=Locator(source.file, source.line, source.line),
                at=messages.seconds(entry.get("timestamp")),
                cwd=folder,
            )

    return document.read(path, start, _entries, absorb)


def _entries(whole: Any, memory: JSON) -> list[Any]:
    return whole if isinstance(whole, list) else []
