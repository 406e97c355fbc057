"""The readers of agents' own notes: the stores, each with its places and the way it cuts a file into notes.

A reader recognises a store by its format (see ``docs/memories.md``). ``rules`` reads the rules files that people write.
"""

from __future__ import annotations

from curator.memories.discover import Found, find
from curator.memories.note import Note, Place, Source, Store, Surroundings, is_status
from curator.memories.stores import CLAUDE, CODEX, GEMINI, GOOSE, QWEN, SERENA, SUBAGENTS, VSCODE

STORES = (CLAUDE, SUBAGENTS, QWEN, CODEX, GEMINI, GOOSE, SERENA, VSCODE)
"""Every store that is read. Memory banks are not: none of their notes was worth keeping."""
