"""Claude Code's notes, and those of its subagents: a file per note with front matter, and an index that often holds facts.

At each start, the agent reads the first 200 lines or 25 KB of the index (https://code.claude.com/docs/en/memory).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from curator.memories.cutting import below_headings, blocks, line_numbers
from curator.memories.discover import folders, project_of, read_object
from curator.memories.note import Note, Place, Source, Store, Surroundings, moment
from curator.text.markdown import front_matter

INDEX = "MEMORY.md"
MAX_LINES, MAX_CHARACTERS = 200, 25_000

_LINK = re.compile(r"[*_\s]*\[[^\]\n]*\]\(<?(?:\./)?([^()\s<>]+\.md)>?\)")
_WORD = re.compile(r"[\w-]{1,64}")
_LABEL = re.compile(r"(?im)^[ \t]*(?:[-*][ \t]+)?\*\*(why|how to apply)(?: this matters| \([^*\n]{0,40}\))?:?\*\*:?[ \t]*")

_BEGIN = re.compile(r"\n(?:[ \t]*\n)++|\n(?=(?:#{1,6}|[-*+]|\d{1,3}[.)])[ \t])")
"""The places where a rule may begin: behind a blank line, at a heading, at an item."""


def homes(around: Surroundings) -> Iterator[Path]:
    """Yield the folders of Claude Code: the list in ``CLAUDE_CONFIG_DIR``, or else the two usual ones."""
    named = [part.strip() for part in around.env.get("CLAUDE_CONFIG_DIR", "").split(",") if part.strip()]
    yield from (Path(os.path.expanduser(part)) for part in named)
    if not named:
        yield from (around.home / ".claude", around.home / ".config" / "claude")


def places(around: Surroundings) -> Iterator[Place]:
    """Yield the folders of Claude Code's own notes: each project's, the one that settings name, the work tree's."""
    for home in homes(around):
        for folder in folders(home / "projects"):
            yield Place(folder / "memory", home, project_of(folder), "project")
        if shared := moved(home, around):
            yield Place(shared, shared)
    if around.repo:
        inner = [".claude/memory", ".claude/projects/memory"]
        inner += [f".claude/projects/{folder.name}/memory" for folder in folders(around.repo / ".claude" / "projects")]
        inner += ["memory"] if (around.repo / "memory" / INDEX).is_file() else []
        yield from (Place(around.repo / name, around.repo, str(around.repo), "project", shared=True) for name in inner)


def moved(home: Path, around: Surroundings) -> Path | None:
    """Return the folder for the notes of all projects that the settings name; ``None`` if each project has its own."""
    value = read_object(home / "settings.json", home).get("autoMemoryDirectory")
    if not isinstance(value, str):
        return None
    folder = Path(value.replace("~", str(around.home), 1) if value.startswith("~") else value)
    return folder if folder.is_absolute() else None


def subagent_places(around: Surroundings) -> Iterator[Place]:
    """Yield the folder of each subagent in the home folder and in the work tree."""
    for home in homes(around):
        for folder in folders(home / "agent-memory"):
            yield Place(folder, home, "", f"subagent:{folder.name}")
    if around.repo:
        for name in ("agent-memory", "agent-memory-local"):
            for folder in folders(around.repo / ".claude" / name):
                yield Place(folder, around.repo, str(around.repo), f"subagent:{folder.name}", shared=True)


def cut(source: Source) -> Iterator[Note]:
    """Yield the rules of a file with front matter, or else every item and paragraph that is no index entry."""
    front, head = front_matter(source.text)
    inner = front.get("metadata")
    fields = {**front, **inner} if isinstance(inner, dict) else front
    if not fields:
        yield from inline(source)
        return
    lines = source.text.split("\n")
    first = next((number for number, line in enumerate(lines[head:], head) if line.strip()), len(lines))
    body = "\n".join(lines[first:]).strip()
    starts, line_of = _starts(body), line_numbers(body)
    named = " ".join(str(fields.get("description") or fields.get("name") or "").split())
    for start, end in pairwise([*starts, len(body)]) if body else ():
        begin = below_headings(body, start, end)
        heading = body[start:begin].partition("\n")[0].strip("# ")
        text, why, how = parts(body[begin:end].strip())
        several = len(starts) > 1
        yield Note(
            line=first + line_of(begin),
            text=text,
            title=heading if several else named,
            why=why,
            how=how,
            kind=_word(fields.get("type")).lower() or "note",
            session=_word(fields.get("originSessionId")),
            at=moment(fields.get("modified")),
            under=heading,
            first=first + line_of(start) if several else 1,
            last=first + line_of(start + len(body[start:end].rstrip()) - 1) if several else 0,
        )


def _starts(body: str) -> list[int]:
    """Return the start of each rule in a body. A second reason or use belongs to the next rule."""
    starts, names, before = [0], set[str](), 0
    for label in _LABEL.finditer(body):
        if (name := label[1].lower()) in names:
            ends = [
                one.end() for one in _BEGIN.finditer(body, before, label.start()) if body[one.end() : label.start()].strip()
            ]
            if not ends:
                return [0]
            starts.append(next((end for end in ends if body[end] == "#"), ends[-1]))
            names.clear()
        names.add(name)
        before = label.end()
    return starts


def _word(value: object) -> str:
    """Return a value that is one word; empty for any other."""
    return value.strip() if isinstance(value, str) and _WORD.fullmatch(value.strip()) else ""


def parts(body: str) -> tuple[str, str, str]:
    """Return the rule of a note, its reason, and how to apply it; each empty if the note has none."""
    labels = list(_LABEL.finditer(body))
    names = [label[1].lower() for label in labels]
    if not labels or not body[: labels[0].start()].strip() or len(names) > len(set(names)):
        return body, "", ""
    ends = [*(label.start() for label in labels[1:]), len(body)]
    said = {name: body[label.end() : end].strip() for name, label, end in zip(names, labels, ends, strict=True)}
    return body[: labels[0].start()].strip(), said.get("why", ""), said.get("how to apply", "")


def inline(source: Source) -> Iterator[Note]:
    """Yield the facts in a file without front matter."""
    for block in blocks(source.text):
        link = _LINK.match(block.text)
        if not (link and link[1] in source.files):
            yield Note(block.line, block.text, kind="inline", under=block.under[-1] if block.under else "")


CLAUDE = Store(
    name="claude-code",
    agent="claude-code",
    places=places,
    files=re.compile(r".+\.md"),
    cut=cut,
    loaded=re.compile(re.escape(INDEX)),
    most_lines=MAX_LINES,
    most_characters=MAX_CHARACTERS,
)
SUBAGENTS = replace(CLAUDE, name="claude-subagents", places=subagent_places)
