"""Qwen Code's notes: a file per note with front matter. The index is rebuilt from the files, so it holds no note."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from curator.memories import claude, slugs
from curator.memories.note import Cut, Place, Source, Store, Surroundings
from curator.text.markdown import front_matter


def places(around: Surroundings) -> Iterator[Place]:
    """Yield the folder of each project, that of the person, and those in the work tree."""
    named = next((one for one in ("QWEN_CODE_MEMORY_BASE_DIR", "QWEN_RUNTIME_DIR", "QWEN_HOME") if around.env.get(one)), "")
    home = around.folder(named, ".qwen")
    for folder in slugs.folders(home / "projects"):
        yield Place(folder / "memory", home, slugs.project_of(folder), "project")
    yield Place(home / "memories", home)
    if around.repo:
        for name in ("team-memory", "memory"):
            yield Place(around.repo / ".qwen" / name, around.repo, str(around.repo), "project", shared=True)


def cut(source: Source) -> Iterator[Cut]:
    """Yield the note of a file. A file without front matter has none, since Qwen Code ignores it."""
    if Path(source.name).name != claude.INDEX and front_matter(source.text)[0]:
        yield from claude.cut(source)


STORE = Store(
    name="qwen",
    agent="qwen",
    places=places,
    files=re.compile(r".+\.md"),
    cut=cut,
    loaded=re.compile(re.escape(claude.INDEX)),
    most_lines=claude.MAX_LINES,
    most_characters=claude.MAX_CHARACTERS,
)
