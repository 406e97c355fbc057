"""Serena's notes: Markdown files in a work tree. A note is a section that gives an instruction, or else the file.

An agent sees only the names at a start, so the notes cost nothing there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from curator.memories.cutting import below_headings, line_numbers
from curator.memories.note import Cut, Place, Source, Store, Surroundings

_SECTION = re.compile(r"(?m)^## +(.*)$")
_TITLE = re.compile(r"(?m)\A\s*# +(.*)$")
_ORDER = re.compile(
    r"(?i)\b(?:must|never|always|do not|don['’]t|avoid|only|should|required|prefer)\b|"
    r"(?m:^[ \t>*+•✅❌⚠️-]*+(?:\d{1,3}[.)] +)?(?:\[[ x]\] +)?[*`_]*+(?:use|run|keep|write|add|put|follow|ensure|make sure|"
    r"check|update|create|define|verify|read|commit|push|build|test|name|place|stay|route|treat|start|stop|call|pass|set|install)\b)"
)


def places(around: Surroundings) -> Iterator[Place]:
    """Yield the notes for all projects, and those of the work tree."""
    yield Place(around.home / ".serena" / "memories", around.home / ".serena")
    if around.repo:
        yield Place(around.repo / ".serena" / "memories", around.repo, str(around.repo), "project", shared=True)


def cut(source: Source) -> Iterator[Cut]:
    """Yield the sections that give an instruction, or else the whole file."""
    heads, line_of = list(_SECTION.finditer(source.text)), line_numbers(source.text)
    ends = [*(head.start() for head in heads[1:]), len(source.text)]
    found = [
        _note(source.text, head.end(), end, head[1], line_of)
        for head, end in zip(heads, ends, strict=False)
        if _ORDER.search(source.text, head.end(), end)
    ]
    title = _TITLE.match(source.text)
    start, name = (title.end(), title[1]) if title else (0, "")
    yield from filter(None, found or [_note(source.text, start, len(source.text), name, line_of)])


def _note(text: str, start: int, end: int, heading: str, line_of: Callable[[int], int]) -> Cut | None:
    start = below_headings(text, start, end)
    body = text[start:end]
    inner = start + len(body) - len(body.lstrip())
    return Cut(line_of(inner), body.strip(), under=heading.rstrip(" \t#")) if body.strip() else None


STORE = Store(
    name="serena",
    agent="serena",
    places=places,
    files=re.compile(r"(?!(?:.*/)?memory_maintenance\.md\Z).+\.md"),  # Serena's own words about its notes
    cut=cut,
    loaded=re.compile(r"(?!)"),
    head=_SECTION,
    whole=True,
)
