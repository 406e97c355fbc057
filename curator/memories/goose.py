"""Goose's notes: a file per category. Each note is a line of tags and the text up to the next such line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from curator.memories.note import Cut, Place, Source, Store, Surroundings

_TAGS = re.compile(r"# +(\S.*)")
_FENCE = re.compile(r"\s*(?:```|~~~)")


def places(around: Surroundings) -> Iterator[Place]:
    """Yield the folder of settings on each system, and that of the work tree."""
    if around.env.get("GOOSE_PATH_ROOT"):
        yield _place(around.folder("GOOSE_PATH_ROOT", "") / "config" / "memory")
    else:
        yield _place(around.folder("XDG_CONFIG_HOME", ".config") / "goose" / "memory")
    if around.env.get("APPDATA"):
        yield _place(Path(around.env["APPDATA"], "Block", "goose", "config", "memory"))
    if around.repo:
        yield Place(around.repo / ".goose" / "memory", around.repo, str(around.repo), "project", shared=True)


def _place(folder: Path) -> Place:
    return Place(folder, folder.parent)


def cut(source: Source) -> Iterator[Cut]:
    """Yield the text after each line of tags, and the text before the first one."""
    tags, first, block = "", 0, list[str]()
    blank, fenced = True, False
    for number, line in enumerate([*source.text.split("\n"), "", "# end"], 1):
        found = _TAGS.match(line) if blank and not fenced else None
        if found:
            if text := "\n".join(block).strip():
                yield Cut(first, text, under=tags)
            tags, block = found[1].strip(), []
        elif block or line.strip():
            first = first if block else number
            block.append(line.rstrip())
        fenced = fenced is not bool(_FENCE.match(line))
        blank = not line.strip()


STORE = Store(
    name="goose",
    agent="goose",
    places=places,
    files=re.compile(r"[^/]+\.(?:txt|md)"),
    cut=cut,
    loaded=re.compile(r".+"),
    head=_TAGS,
)
