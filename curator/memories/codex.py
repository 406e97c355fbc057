"""Codex's notes: bullets of a handbook by task, and of its summary. The rest of the folder comes from a database.

``MEMORY.md`` has blocks ``# Task Group:`` with a folder, tasks with their sessions, and bullets that end in their tasks. Codex
reads ``memory_summary.md`` at each start.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from curator.memories.cutting import Block, blocks
from curator.memories.note import Cut, Place, Source, Store, Surroundings, moment

HANDBOOK, SUMMARY = "MEMORY.md", "memory_summary.md"
FOLDERS = ("memories", "memories_v2")
"""The second one is that of a later form, which has only the summary."""
KINDS = {
    "user preferences": "preference",
    "reusable knowledge": "knowledge",
    "failures and how to do differently": "failure",
}
SUMMARY_KINDS = {"user preferences": "summary-preference", "general tips": "tip"}
RECORDS = frozenset(("rollout_summary_files", "keywords", "what's in memory", "user profile"))
"""Sections of Codex's own records. Other sections hold notes without a kind."""

_TASK = re.compile(r"(?i)task (\d{1,4})\b")
_POINTER = re.compile(r"(?i)[*_]*related skills?\b")
"""The beginning of a bullet that only names a skill."""
_FROM = re.compile(r"(?:\[(?:Task \d{1,4}|ad-hoc note)\][,; ]{0,3})+$")
_FOLDER = re.compile(r"(?m)^applies_to:.*?\bcwd=((?:[/~$]|[A-Za-z]:\\|\\\\)[^;,\n]{1,1000})")
_SESSION = re.compile(r"\bthread_id=([\w-]{8,64})")
_WRITTEN = re.compile(r"\bupdated_at=([\w:+.-]{10,40})")


def places(around: Surroundings) -> Iterator[Place]:
    """Yield Codex's folders, each for all projects, and the one in a work tree."""
    home = around.folder("CODEX_HOME", ".codex")
    yield from (Place(home / name, home) for name in FOLDERS)
    if around.repo:
        inner = [".codex/memories"] + ["memories"] * (around.repo / "memories" / SUMMARY).is_file()
        yield from (Place(around.repo / name, around.repo, shared=True) for name in inner)


def cut(source: Source) -> Iterator[Cut]:
    """Yield the bullets of the handbook or of the summary."""
    if source.name == SUMMARY:
        for block in blocks(source.text):
            if kind := _kind(block, SUMMARY_KINDS):
                yield Cut(block.line, _FROM.sub("", block.text).rstrip(), kind=kind, under=block.under[-1])
    else:
        yield from _handbook(source.text)


def _kind(block: Block, kinds: Mapping[str, str]) -> str:
    """Return the kind of a bullet by its section; empty for a record and for text that is no bullet."""
    names = [name.lower() for name in block.under]
    is_note = block.item and names and RECORDS.isdisjoint(names) and not _POINTER.match(block.text)
    return kinds.get(names[-1], "note") if is_note else ""


def _handbook(text: str) -> Iterator[Cut]:
    """Yield the bullets of each group, with the folder, the session and the time of their tasks."""
    group, folder, tasks = "", "", dict[str, list[str]]()
    for block in blocks(text):
        if block.under[:1] != (group,):
            group, folder, tasks = (block.under or ("",))[0], "", {}
        if found := _FOLDER.search(block.text):
            folder = found[1].strip().removeprefix("\\\\?\\")
        named = next((match[1] for one in block.under if (match := _TASK.match(one))), "")
        if named:
            tasks.setdefault(named, []).append(block.text)
        elif kind := _kind(block, KINDS):
            yield _bullet(block, kind, group, folder, tasks)


def _bullet(block: Block, kind: str, group: str, folder: str, tasks: dict[str, list[str]]) -> Cut:
    origin = _FROM.search(block.text)
    told = "\n".join(line for number in _TASK.findall(origin[0] if origin else "") for line in tasks.get(number, ()))
    sessions = _SESSION.findall(told)
    return Cut(
        line=block.line,
        text=block.text[: origin.start()].rstrip() if origin else block.text,
        kind=kind,
        session=sessions[0] if sessions else "",
        at=max(map(moment, _WRITTEN.findall(told)), default=0.0),
        under=group,
        project=folder,
    )


STORE = Store(
    name="codex",
    agent="codex",
    places=places,
    files=re.compile(f"{re.escape(HANDBOOK)}|{re.escape(SUMMARY)}"),
    cut=cut,
    loaded=re.compile(re.escape(SUMMARY)),
    requests="extensions/ad_hoc/notes",
)
