"""The tokens that the lessons of a project cost an agent at a start, a prompt and a file."""

from __future__ import annotations

from curator import app
from curator.app import search
from curator.app.curator import Curator
from curator.errors import CuratorError
from curator.model import JSON
from curator.ranking import rank
from curator.ranking.packs import tokens


def cost(curator: Curator) -> JSON:
    """Return the number of lessons that may be sent, and their tokens: of all, at a start, and the maximum for a prompt or a
    file.

    ``block`` is the part in the files of agents. Raises ``CuratorError`` without a project.
    """
    if curator.project is None:
        raise CuratorError("--cost needs one project.", "Run this in a project's folder, or name one with --project.")
    lines = curator.store.ranking_index.lines(curator.project.id)
    sizes = sorted((len(f"{line.id}: {line.message}") + rank.LINE_OVERHEAD for line in lines), reverse=True)
    sent, _ = rank.choose(search.hits(curator, curator.project.id, rank.Question("start")), "start")
    start = sum(len(rank.line_of(hit)) + rank.LINE_OVERHEAD for hit in sent)
    costs = {"start": _tokens(start)} | {moment: _tokens(_most(sizes, moment)) for moment in ("prompt", "file")}
    block = sum(map(tokens, app.install.block_lines(curator, curator.project)))
    return {"lessons": len(lines), "all": sum(tokens(line.message) for line in lines), **costs, "block": block}


def _most(sizes: list[int], moment: str) -> int:
    """Return the characters that the longest lessons take at a moment, within its limit."""
    return min(rank.LIMITS[moment] - rank.MARKUP, sum(sizes[: rank.MAX_LESSONS_BY_MOMENT[moment]]))


def _tokens(characters: int) -> int:
    """Return the tokens of lessons with the marks around them; 0 for none."""
    return round((characters + rank.MARKUP) / rank.SIGNS_A_TOKEN) if characters else 0
