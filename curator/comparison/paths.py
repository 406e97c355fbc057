"""Where in a project a statement holds: everywhere, in folders, or in the folder that its words name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from curator.model import Entry

_IN = re.compile(r"(?i)(?:^\W*(?:in|inside|under|within)|\bcd)\s+(?:the\s+)?`?((?:[\w.@-]+/)+[\w.@*-]*)")


def apart(text: object, other: Entry) -> bool:
    """Whether the two hold in different places of the project: then they never clash."""
    mine, theirs = folders(text), folders(other)
    return bool(mine and theirs) and not any(_inside(a, b) or _inside(b, a) for a in mine for b in theirs)


def within(text: object, other: Entry) -> bool:
    """Whether ``text`` holds in only a part of where the other does."""
    if getattr(text, "scope", "project") != "global" and other.scope == "global":
        return True
    mine, theirs = folders(text), folders(other)
    if not mine or set(mine) == set(theirs):
        return False
    return not theirs or all(any(_inside(a, b) for b in theirs) for a in mine)


def folders(text: object) -> tuple[str, ...]:
    """The folders in which something holds, without wildcards; none for all. Its scope counts, else what its words say."""
    if getattr(text, "scope", "") == "paths" and (paths := getattr(text, "paths", ())):
        return tuple(_plain(path) for path in paths)
    return restricted_to(f"{getattr(text, 'insight', '')}" or f"{getattr(text, 'headline', '')}")


@lru_cache(maxsize=4096)  # a new statement is compared with the same stored ones again and again
def restricted_to(text: str) -> tuple[str, ...]:
    """The folders that a text restricts itself to at its beginning, or changes to; elsewhere a folder is what it speaks of.

    >>> restricted_to("In `web/forms/` use tabs, not spaces")
    ('web/forms',)
    """
    found: Sequence[str] = _IN.findall(text)
    return tuple(dict.fromkeys(_plain(path) for path in found if not re.search(r"\.\w{1,5}$", path)))


def _plain(path: str) -> str:
    return path.removeprefix("./").rstrip("/*")


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/") or not folder
