"""Keep what a lesson file holds that we do not know: other tools' front matter, sections by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from curator.lesson_files import body, front_matter

LISTS = ("anchors",)
"""Parts that are lists; each of their items stands for itself."""


def blocks(extra: str) -> dict[str, str]:
    """``Entry.extra`` by key: front matter by its key, sections by their heading, anything else by its own text."""
    packed: Mapping[str, Any] = json.loads(extra) if extra else {}
    found = front_matter.blocks(packed.get("front", ""))
    for name in LISTS:
        items = (json.dumps(item, ensure_ascii=False) for item in packed.get(name, ()))
        found |= {f"{name} {item}": item for item in items}
    return found | body.sections(packed.get("sections", ""))


def joined(found: Mapping[str, str]) -> str:
    """The inverse of ``blocks``."""
    parts: dict[str, Any] = {"front": "", **{name: [] for name in LISTS}, "sections": ""}
    sections = []
    for key, block in found.items():
        if key and block.startswith("#"):
            sections.append(block)
        elif block.startswith("{"):  # as no line of front matter does
            parts[key.partition(" ")[0]].append(json.loads(block))
        else:
            parts["front"] += block
    parts["sections"] = "\n\n".join(sections)
    present = {name: part for name, part in parts.items() if part}
    return json.dumps(present, ensure_ascii=False) if present else ""


def merge(base: str, ours: str, theirs: str) -> tuple[str, dict[str, str]]:
    """Both sides joined key by key, and what theirs has under the keys that both changed differently: there ours stands."""
    old, mine, other = blocks(base), blocks(ours), blocks(theirs)
    merged, clashing = {}, {}
    for key in (*mine, *(key for key in other if key not in mine)):
        before, here, there = old.get(key), mine.get(key), other.get(key)
        if here == before or (here is None and there != before):  # only theirs changed, or what we removed was changed there
            merged[key] = there
        else:
            merged[key] = here
            if there is not None and there not in (before, here):
                if key:
                    clashing[key] = there
                else:
                    merged[key] = f"{here}{_added(there, f'{before}{here}')}"
    return joined({key: block for key, block in merged.items() if block is not None}), clashing


def _added(comments: str, known: str) -> str:
    """The lines of comments that are new: nobody is asked about these."""
    return "".join(line for line in comments.splitlines(keepends=True) if line.strip() not in known)


def with_block(extra: str, key: str, block: str) -> str:
    """``extra`` with another text under one key."""
    return joined(blocks(extra) | {key: block})
