"""Gemini CLI's notes: bullets of a project's notes and of ``GEMINI.md``, and patches that wait for a person."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from curator.memories import slugs
from curator.memories.cutting import blocks, line_numbers
from curator.memories.note import Cut, Place, Source, Store, Surroundings

ADDED = "gemini added memories"
"""The heading under which the agent adds notes to a person's file of rules."""
RULES = "GEMINI.md"
GLOBAL = ".inbox/global/"
"""The folder of patches for ``GEMINI.md``, which holds in all projects."""

_HUNK = re.compile(r"(?m)^@@ .*$")


def places(around: Surroundings) -> Iterator[Place]:
    """Yield the notes and patches of each project, the person's ``GEMINI.md``, and that of the work tree."""
    home = around.folder("GEMINI_CLI_HOME", "") / ".gemini"
    projects = slugs.read_object(home / "projects.json", home).get("projects")
    known = {str(name): str(folder) for folder, name in projects.items()} if isinstance(projects, dict) else {}
    for folder in slugs.folders(home / "tmp"):
        yield Place(folder / "memory", home, known.get(folder.name, ""), "project")
    yield Place(home / RULES, home)
    if around.repo:
        yield Place(around.repo / RULES, around.repo, str(around.repo), "project", shared=True)


def cut(source: Source) -> Iterator[Cut]:
    """Yield bullets and paragraphs, of ``GEMINI.md`` only those that the agent added; of a patch each hunk."""
    if source.name.endswith(".patch"):
        yield from _hunks(source.text, "" if source.name.startswith(GLOBAL) else None)
        return
    for block in blocks(source.text):
        if source.name != RULES or ADDED in (heading.lower() for heading in block.under):
            kind = "note" if source.name == RULES else "inline"
            yield Cut(block.line, block.text, kind=kind, under=block.under[-1] if block.under else "")


def _hunks(text: str, project: str | None) -> Iterator[Cut]:
    """Yield the lines that each hunk adds, under those that it removes."""
    heads, line_of = list(_HUNK.finditer(text)), line_numbers(text)
    for at, head in enumerate(heads):
        end = heads[at + 1].start() if at + 1 < len(heads) else len(text)
        first = line_of(head.end()) + 1
        lines = text[head.end() + 1 : end].split("\n")
        added = [number for number, line in enumerate(lines) if line.startswith("+") and line[1:].strip()]
        if added:
            words = "\n".join(lines[number][1:] for number in added).strip().removeprefix("- ")
            removed = "\n".join(line[1:].strip() for line in lines if line.startswith("-") and line[1:].strip())
            yield Cut(first + added[0], words, kind="waiting", first=first, under=removed, project=project)


def may_change(place: Place, patch: str, target: Path) -> bool:
    """Return whether a patch of this name may change a file: a note of its project, or the person's ``GEMINI.md``."""
    if patch.startswith(GLOBAL):
        return os.path.realpath(target) == os.path.realpath(place.base / RULES)
    is_note = target.suffix.lower() == ".md" and not target.name.startswith(".")
    return is_note and os.path.realpath(target.parent) == os.path.realpath(place.path)


STORE = Store(
    name="gemini",
    agent="gemini",
    places=places,
    files=re.compile(rf"[^/]+\.md|\.inbox/(?:private|global)/[^/]+\.patch|{re.escape(RULES)}"),
    cut=cut,
    loaded=re.compile(r"MEMORY\.md|GEMINI\.md"),
    mixed=True,
)
