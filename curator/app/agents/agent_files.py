"""The statements that an agent already reads in the project's files or in its own notes. Hooks need not send them.

Only files at the project's top and in agents' rules folders count, since agents read other files only sometimes. The comparison
is narrow, because a lesson that is withheld in error is lost: see ``repeats``.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path

from curator import projects, rules
from curator.agents import managed_blocks
from curator.agents.install.catalog import AGENTS
from curator.app.curator import Curator
from curator.errors import MalformedFile
from curator.io import files
from curator.model import Project, Relating
from curator.ranking import READS
from curator.rules import patterns
from curator.text.markdown import front_matter
from curator.text.statement import list_paths, quote_text
from curator.text.words import terms

MAX_READ_BYTES = 32_768
"""The bytes of a file that count: the least that an agent reads."""
MAX_IMPORT_DEPTH = 5
"""The depth of imports of files by files that is followed."""
MIN_COMMON_SHARE = 0.8
"""Statements that differ must have this share (0 to 1) in common to count as the same."""
IMPORTING = ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", "GEMINI.md", "QWEN.md")
"""Files in which ``@name`` imports another file."""
ASKED_FOR = (".cursor/rules/", ".github/instructions/")
"""Rules folders whose files agents read by themselves only if the front matter names paths."""
FILLERS = frozenset(terms("always ensure sure must need please should"))
"""Words without which a statement says the same."""
log = logging.getLogger(__name__)
_AT = re.compile(r"(?<![\w`@])@((?:\./|\.\./)*[\w-][\w./-]*\w)")
_NAME = re.compile(r"(?<!\w)(?:\w*[\d_]\w*|\w+(?:[./:-]\w+)+)")
_OURS = re.compile(r"- \[[a-z-]+\] (In [^:]{1,400}: )?“([^“”]+)” \(kept [^“”]{1,80}\)")


@dataclass(frozen=True)
class FileStatement:
    """One statement of a file, and the patterns of paths for which it is read; no patterns mean always.

    ``agent:file`` is a file that only this agent reads: a path in the home folder where it keeps notes.
    """

    file: str
    text: str
    globs: frozenset[str]
    ours: bool = False
    """True if curator wrote it, so that it is a lesson to the letter."""
    remark: bool = False
    """True for a list item that is no instruction. Only the same words then count as a repetition."""

    @cached_property
    def terms(self) -> frozenset[str]:
        """Return the words that carry meaning."""
        return frozenset(terms(self.text)) - FILLERS


@dataclass(frozen=True)
class SentLesson:
    """A lesson as agents are sent it, and the globs of its scope."""

    id: str
    text: str
    globs: frozenset[str]


Notes = Mapping[str, Sequence[FileStatement]]
"""The notes of agents by the project for which they are read. The notes under "" are read in every project."""


def refresh(curator: Curator, project: Project, notes: Notes | None = None, ids: Container[str] | None = None) -> int:
    """Find out which lessons the project's files and the agents' notes state. Return their number.

    Without changes, this reads only a few small files. Without ``notes``, the known notes stay valid. With ``ids``, only these
    lessons are compared with the notes.
    """
    served, top = curator.store.ranking_index, Path(project.folder)
    if curator.store.newer or not top.is_absolute() or projects.is_excluded(project.folder, curator.settings.exclude):
        return 0
    try:
        texts = dict(agent_texts(top)) if top.is_dir() else {}
    except OSError as error:
        log.info("the files of %s can't be looked at: %s", top, error)
        return 0
    known = served.statements(project.id)
    if not (texts or known or notes):
        return 0
    lessons = [
        SentLesson(line.id, line.text, frozenset(place for place in line.places if not place.startswith("=")))
        for line in served.lines(project.id)
    ]
    noted = [pair for pair in known if is_note(pair[1]) and curator.settings.memories_for(pair[1].partition(":")[0]) != "off"]
    if notes is not None:
        compared = [lesson for lesson in lessons if ids is None or lesson.id in ids]
        kept = (pair for pair in noted if ids is not None and pair[0] not in ids)
        noted = [*kept, *repetitions(compared, [*notes.get(project.id, ()), *notes.get("", ())])]
    known = sorted({*noted, *(pair for pair in known if not is_note(pair[1]))})
    if served.comparison_stamp(project.id) != stamp(texts, lessons, known):
        found = [one for name, text in texts.items() for one in statements(name, text)]
        known = sorted({*noted, *repetitions(lessons, found), *fallback_repetitions(repetitions(lessons, found), texts)})
        with curator.store.transaction():
            served.write_statements(project.id, known, stamp(texts, lessons, known))
    return len({id_ for id_, _ in known})


def refresh_all(curator: Curator, notes: Notes | None = None, ids: Container[str] | None = None) -> None:
    """Refresh every project that has its folder on this machine."""
    for project in curator.projects().values():
        refresh(curator, project, notes, ids)


def is_note(file: str) -> bool:
    """Return whether a file with a lesson's words contains an agent's notes. A project's own file has no absolute path.

    >>> is_note("codex:~/.codex/memories/MEMORY.md"), is_note("opencode:CLAUDE.md"), is_note("CLAUDE.md")
    (True, False, False)
    """
    return os.path.isabs(os.path.expanduser(file.partition(":")[2]))


def stamp(texts: dict[str, str], lessons: Sequence[SentLesson], known: Sequence[tuple[str, str]]) -> str:
    """Return a value that changes with the files, the lessons and the known repetitions."""
    sent = [(lesson.id, lesson.text, sorted(lesson.globs)) for lesson in lessons]
    return blake2b(repr((texts, sent, known)).encode("utf-8", "backslashreplace"), digest_size=12).hexdigest()


def repetitions(lessons: Sequence[SentLesson], found: Sequence[FileStatement]) -> Iterator[tuple[str, str]]:
    """Yield (lesson, file that says it). It compares only statements that have every word of the lesson."""
    having: dict[str, set[int]] = {}
    for at, one in enumerate(found):
        for term in one.terms:
            having.setdefault(term, set()).add(at)
    for lesson in lessons:
        holders = sorted((having.get(term, set()) for term in set(terms(lesson.text)) - FILLERS), key=len)
        yield from {
            (lesson.id, found[at].file) for at in (set.intersection(*holders) if holders else ()) if repeats(found[at], lesson)
        }


def fallback_repetitions(known: Iterable[tuple[str, str]], texts: Container[str]) -> Iterator[tuple[str, str]]:
    """Yield (lesson, ``agent:file``) for agents that read a file only because the file that they prefer is missing."""
    read = {
        agent.id: next((name for name in agent.files.first_of if name in texts), "")
        for agent in AGENTS
        if agent.files and agent.id in READS
    }
    for lesson, file in known:
        yield from ((lesson, f"{agent}:{file}") for agent, name in read.items() if name == file and file not in READS[agent])


def repeats(one: FileStatement, lesson: SentLesson) -> bool:
    """Return whether a statement makes a lesson superfluous where an agent reads it.

    It does if it is the lesson's line in one of curator's blocks. It also does if it has the same words apart from grammar, or
    all its words and few others. A statement that adds a condition, a denial, a name or a number does not count.
    """
    if one.globs and one.globs != lesson.globs:
        return False
    if plain(one.text) == plain(lesson.text):
        return True
    if one.ours:
        words = quote_text(lesson.text)[1:-1]
        return plain(one.text) in (plain(words), plain(f"In {list_paths(sorted(lesson.globs))}: {words}"))
    if set(_NAME.findall(lesson.text)) != set(_NAME.findall(one.text)):
        return False
    from curator import comparison  # A window need not hold 5 MB if no file states a lesson.

    result = comparison.between(lesson.text, one.text)
    near = result.exact or (result.likeness >= MIN_COMMON_SHARE and not one.remark)
    return result.relating is Relating.DUPLICATE and near


def plain(text: str) -> str:
    """Return a text without marks of code, with single spaces and with the paths at its start sorted."""
    text = " ".join(text.replace("`", "").split())
    found = re.fullmatch(r"In ([^:]{1,400}): (.+)", text)
    return f"In {', '.join(sorted(found[1].split(', ')))}: {found[2]}" if found else text


def agent_texts(top: Path) -> Iterator[tuple[str, str]]:
    """Yield the files that an agent reads by itself, with their imports, in order of their names."""
    names = sorted({name for read in READS.values() for name in read})
    for name in names:
        if not name.endswith("/"):
            text = text_of(top, top / name)
            if text:
                yield name, "\n".join([text, *find_imports(top, top / name, text, {top / name})]) if name in IMPORTING else text
        elif (top / name).is_dir():
            for file in rules.find(top / name, top):
                text = text_of(top, file.path)
                if file.name.startswith(name) and text:
                    yield file.name, text


def find_imports(top: Path, path: Path, text: str, seen: set[Path], deep: int = 0) -> Iterator[str]:
    """Yield the files that a file imports, directly or indirectly. Each file comes once, and none is outside the project."""
    for place in _AT.findall(text) if deep < MAX_IMPORT_DEPTH else ():
        other = path.parent / place
        if other in seen:
            continue
        seen.add(other)
        content = text_of(top, other)
        if content:
            yield content
            yield from find_imports(top, other, content, seen, deep + 1)


def text_of(top: Path, path: Path) -> str:
    """Return the relevant part of a file. It is empty if the file can't be read or leads out of the project."""
    try:
        return files.read(path, top)[:MAX_READ_BYTES].decode("utf-8-sig", "replace")
    except (OSError, ValueError, RuntimeError):
        return ""


def statements(name: str, text: str) -> Iterator[FileStatement]:
    """Yield the statements of a file, with the lines of curator's block. Yield nothing for a file that agents read only on
    request.
    """
    front = front_matter(text)[0]
    globs = frozenset(patterns(front))
    always = front.get("alwaysApply") is True or "applyTo" in front
    if (name.startswith(ASKED_FOR) and not (globs or always)) or (front.get("alwaysApply") is False and not globs):
        return
    for row in block(name, text):
        yield FileStatement(name, row, globs, ours=True)
    for rule in rules.read(text):
        yield FileStatement(name, rule.statement, globs)
    for _, item in rules.non_rules(text):
        yield FileStatement(name, item, globs, remark=True)


def block(name: str, text: str) -> list[str]:
    """Return the lessons in our block, if there is one that is sound."""
    try:
        span = managed_blocks.find(text, name)
    except MalformedFile:
        return []
    lines = text[span[0] : span[1]].splitlines() if span else []
    return [f"{found[1] or ''}{found[2]}" for line in lines if (found := _OURS.fullmatch(line.strip()))]
