"""Packs: the lessons of a file, a folder or a topic in one block, and the tokens that a project's lessons cost an agent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from curator.app import install, project_files, search
from curator.app.curator import Curator
from curator.errors import NoProject
from curator.model import JSON
from curator.ranking import packs, rank
from curator.ranking.packs import Pack
from curator.ranking.rank import Hit, Question, group_copies, matches
from curator.ranking.weights import SEND_THRESHOLD
from curator.store.indexes import Line

BUDGET = packs.BUDGET


def pack(curator: Curator, words: str = "", files: Sequence[str] = (), budget: int = BUDGET) -> Pack:
    """Return the pack for words and files (relative to the project), of the whole project without either.

    Raises ``CuratorError`` without a project.
    """
    if curator.project is None:
        raise NoProject("a pack needs one")
    every = curator.store.ranking_index.lines(curator.scope or "")
    chosen = choose(curator, every, words, files)
    group_of = group_copies((line.id, other) for line in every for other in line.copies)
    best: dict[frozenset[str], Line] = {}
    for line in chosen:
        best.setdefault(group_of.get(line.id, frozenset((line.id,))), line)
    lines = [*best.values()]
    tops = cache(lambda: curator.tops(curator.project) if curator.project else [])
    entries = (entry for line in lines if (entry := curator.lessons.peek(line.id)))
    found = packs.compile((inner for entry in entries for inner in project_files.for_files([entry], tops)[0].values()), budget)
    left_out = len(lines) - len(found.lessons) - found.alike
    return replace(found, left_out=left_out, alike=found.alike + len(chosen) - len(lines))


def choose(curator: Curator, every: Sequence[Line], words: str, files: Sequence[str]) -> list[Line]:
    """Return the lessons that belong to the words or to one of the files, best first; all without either."""
    question = Question("prompt", words, tuple(files))
    hits = {hit.id: hit for hit in search.hits(curator, curator.scope or "", question)} if words or files else {}
    fitting = [line for line in every if not (words or files) or fits(line, hits.get(line.id), question, files)]
    scores = {id_: hit.score for id_, hit in hits.items()}
    return sorted(fitting, key=lambda line: (-scores.get(line.id, 0.0), -line.outcome_odds, -line.created, line.id))


def fits(line: Line, hit: Hit | None, question: Question, files: Sequence[str]) -> bool:
    """Return whether a lesson belongs into a pack: it is about the file, shares half of the words, or a hook would send it."""
    if hit and (hit.score >= SEND_THRESHOLD or (hit.words and 2 * len(hit.words) >= len(question.prompt_terms))):
        return True
    return any(contains_file(place, file) for place in line.places for file in files)


def contains_file(place: str, file: str) -> bool:
    """Return whether a place of a lesson has a file, or lies in it where it is a folder.

    >>> contains_file("=a/b.py", "a"), contains_file("a/**", "a/c.py"), contains_file("=a/b.py", "a/c.py")
    (True, True, False)
    """
    if not place.startswith("="):
        return place.startswith(f"{file}/") or matches(place, file.split("/"))
    name = place[1:].rstrip("/")
    return name == file or name.startswith(f"{file}/") or file.startswith(f"{name}/")


def cost(curator: Curator) -> JSON:
    """Return the number of lessons that may be sent, and their tokens: of all, at a start, and the maximum for a prompt or a
    file.

    ``block`` is the part in the files of agents. Raises ``CuratorError`` without a project.
    """
    if curator.project is None:
        raise NoProject("--cost needs one")
    lines = curator.store.ranking_index.lines(curator.project.id)
    sizes = sorted((len(f"{line.id}: {line.message}") + rank.LINE_OVERHEAD for line in lines), reverse=True)
    sent, _ = rank.choose(search.hits(curator, curator.project.id, rank.Question("start")), "start")
    start = sum(len(rank.line_of(hit)) + rank.LINE_OVERHEAD for hit in sent)
    costs = {"start": _tokens(start)} | {moment: _tokens(_most(sizes, moment)) for moment in ("prompt", "file")}
    block = sum(map(packs.tokens, install.block_lines(curator, curator.project)))
    return {"lessons": len(lines), "all": sum(packs.tokens(line.message) for line in lines), **costs, "block": block}


def _most(sizes: list[int], moment: str) -> int:
    """Return the characters that the longest lessons take at a moment, within its limit."""
    return min(rank.LIMITS[moment] - rank.MARKUP, sum(sizes[: rank.MAX_LESSONS_BY_MOMENT[moment]]))


def _tokens(characters: int) -> int:
    """Return the tokens of lessons with the marks around them; 0 for none."""
    return round((characters + rank.MARKUP) / rank.SIGNS_A_TOKEN) if characters else 0
