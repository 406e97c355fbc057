"""The notes of Copilot's memory tool in Visual Studio Code: bullets in the storage of the editor or a workspace."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from curator.io import agent_folders
from curator.memories import slugs
from curator.memories.claude import MAX_LINES
from curator.memories.cutting import blocks
from curator.memories.note import Cut, Place, Source, Store, Surroundings

_EXTENSIONS = ("github.copilot-chat", "GitHub.copilot-chat")
_INNER = Path("memory-tool", "memories")


def places(around: Surroundings) -> Iterator[Place]:
    """Yield the notes of each editor for all workspaces, and those of each workspace."""
    for user in agent_folders.user_folders(around.home, around.env):
        yield from (Place(user / "globalStorage" / name / _INNER, user) for name in _EXTENSIONS)
        for workspace in slugs.folders(user / "workspaceStorage"):
            found = [workspace / name / _INNER for name in _EXTENSIONS if (workspace / name / _INNER).is_dir()]
            about = slugs.read_object(workspace / "workspace.json", workspace) if found else {}
            yield from (Place(place, user, agent_folders.folder_of(about.get("folder")), "project") for place in found)


def cut(source: Source) -> Iterator[Cut]:
    """Yield bullets and paragraphs."""
    for block in blocks(source.text):
        yield Cut(block.line, block.text, under=block.under[-1] if block.under else "")


STORE = Store(
    name="vscode-copilot",
    agent="vscode-copilot",
    places=places,
    files=re.compile(r".+\.md"),
    cut=cut,
    loaded=re.compile(r"[^/]+\.md"),
    most_lines=MAX_LINES,
)
