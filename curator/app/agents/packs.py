"""Packs: the lessons of a file, a folder or a topic in one block, and what the block saves.

A pack is kept in the cache until anything about the project's lessons changes. It holds words of lessons, so forgetting
empties the cache.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from hashlib import blake2b
from pathlib import Path

from curator import __version__, lesson_files
from curator.app import project_files, search
from curator.app.curator import Curator
from curator.errors import CuratorError
from curator.io import files
from curator.ranking import packs
from curator.ranking.packs import Pack, tokens
from curator.ranking.question import Question
from curator.ranking.rank import Hit, matches
from curator.ranking.weights import SEND_THRESHOLD
from curator.settings import Settings
from curator.store.indexes import Line

BUDGET = packs.BUDGET
ROOTS = ("CLAUDE.md", "AGENTS.md", "GEMINI.md", ".github/copilot-instructions.md")
"""Files that agents read whole at the start of every session."""
MAX_CACHED_BYTES = 1 << 20
MAX_CACHED_PACKS = 200
"""The number of packs that are kept."""
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PackReport:
    """A pack, and how many tokens the alternatives are: the files of its lessons, all lessons, the context file."""

    pack: Pack
    export_tokens: int
    every: int
    root: str = ""
    """The project's largest context file; empty without one."""
    root_tokens: int = 0

    def saving(self, instead: int) -> float:
        """Return which share of the tokens of an alternative is saved; below 0 where the pack is longer."""
        return 1.0 - self.pack.tokens / instead if instead else 0.0


def pack(curator: Curator, words: str = "", files: Sequence[str] = (), budget: int = BUDGET) -> PackReport:
    """Return the pack for words and files (relative to the project), of the whole project without either.

    Raises ``CuratorError`` without a project.
    """
    if curator.project is None:
        raise CuratorError("A pack covers one project.", "Run this in a project's folder, or name one with --project.")
    question = (curator.project.id, " ".join(words.split()), *sorted(set(files)), budget)
    digest = blake2b(repr(question).encode(errors="replace"), digest_size=12).hexdigest()
    file = curator.settings.cache / "packs" / f"{digest}.json"
    stamp = f"{__version__} {curator.store.ranking_index.stamp(curator.project.id)}"
    report = _read_cache(file, stamp)
    if report is None:
        report = build(curator, words, files, budget)
        _keep(file, stamp, report)
    size, name = max(_sizes(Path(curator.project.folder)), default=(0, ""))  # the context file as it is now
    return replace(report, root=name, root_tokens=size)


def build(curator: Curator, words: str, files: Sequence[str], budget: int) -> PackReport:
    """Return the same, made anew, without the context file."""
    every = curator.store.ranking_index.lines(curator.scope or "")
    lines = choose(curator, every, words, files)
    tops = cache(lambda: curator.tops(curator.project) if curator.project else [])
    entries = (entry for line in lines if (entry := curator.lessons.peek(line.id)))
    found = packs.compile((inner for entry in entries for inner in project_files.for_files([entry], tops)[0].values()), budget)
    found = replace(found, left_out=len(lines) - len(found.lessons) - found.alike)
    exported = sum(tokens(lesson_files.render(entry)) for id_ in found.lessons if (entry := curator.lessons.peek(id_)))
    return PackReport(found, exported, tokens("\n".join(f"- {line.message}" for line in every)))


def choose(curator: Curator, every: Sequence[Line], words: str, files: Sequence[str]) -> list[Line]:
    """Return the lessons that belong to the words or to one of the files, best first; all without either."""
    question = Question("prompt", words, tuple(files))
    hits = {hit.id: hit for hit in search.hits(curator, curator.scope or "", question)} if words or files else {}
    fitting = [line for line in every if not (words or files) or fits(line, hits.get(line.id), question, files)]
    scores = {id_: hit.score for id_, hit in hits.items()}
    return sorted(fitting, key=lambda line: (-scores.get(line.id, 0.0), -line.outcome_odds, -line.created, line.id))


def fits(line: Line, hit: Hit | None, question: Question, files: Sequence[str]) -> bool:
    """Return whether a lesson is about a file or something below it, shares half of the words, or would be sent by a hook."""
    if hit and (hit.score >= SEND_THRESHOLD or (hit.words and 2 * len(hit.words) >= len(question.prompt_terms))):
        return True
    return any(of(place, file) for place in line.places for file in files)


def of(place: str, file: str) -> bool:
    """Return whether a place of a lesson has a file, or lies in it where it is a folder.

    >>> of("=src/http/client.py", "src/http"), of("src/**", "src/a.py"), of("=src/a.py", "src/b.py")
    (True, True, False)
    """
    if not place.startswith("="):
        return place.startswith(f"{file}/") or matches(place, file.split("/"))
    name = place[1:].rstrip("/")
    return name == file or name.startswith(f"{file}/") or file.startswith(f"{name}/")


def clear(settings: Settings) -> None:
    """Delete every pack that is kept. Raises ``OSError``."""
    for file in (settings.cache / "packs").glob("*.*"):
        file.unlink(missing_ok=True)


def _sizes(top: Path) -> Iterator[tuple[int, str]]:
    for name in ROOTS:
        try:
            if os.path.lexists(top / name):
                yield tokens(files.read(top / name, top, MAX_CACHED_BYTES).decode("utf-8", "replace")), name
        except OSError as error:
            log.info("%s can't be read: %s", name, error)


def _read_cache(file: Path, stamp: str) -> PackReport | None:
    """Return what was kept under this stamp; anything else is not there."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        if found["stamp"] != stamp:
            return None
        fields = found["pack"] | {"lessons": tuple(found["pack"]["lessons"])}
        return PackReport(Pack(**fields), int(found["exported"]), int(found["every"]))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _keep(file: Path, stamp: str, report: PackReport) -> None:
    record = {"stamp": stamp, "pack": asdict(report.pack), "exported": report.export_tokens, "every": report.every}
    try:
        for old in sorted(file.parent.glob("*.json"), key=lambda one: one.stat().st_mtime)[: -MAX_CACHED_PACKS + 1]:
            old.unlink(missing_ok=True)
        files.write(file, json.dumps(record, ensure_ascii=False))
    except OSError as error:
        log.warning("a pack could not be kept: %s", error)
