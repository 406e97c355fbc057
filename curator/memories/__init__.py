"""The readers of agents' own notes: one module per store, with its places and the way it cuts a file into notes.

A reader recognises a store by its format (see ``docs/memories.md``). ``rules`` reads the rules files that people write.
"""

from __future__ import annotations

from curator.memories import claude, codex, gemini, goose, qwen, serena, vscode
from curator.memories.discover import Found, find
from curator.memories.note import Note, Place, Source, Store, Surroundings
from curator.memories.status import is_status

STORES = (claude.AUTO, claude.SUBAGENTS, qwen.STORE, codex.STORE, gemini.STORE, goose.STORE, serena.STORE, vscode.STORE)
"""Every store that is read. Memory banks are not: none of their notes was worth keeping."""
