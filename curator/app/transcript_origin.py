"""Transcripts that are files of a repository: whoever commits to it can write there what nobody typed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from curator.hookspecs import Format
from curator.inbox.learning import likelihood, odds
from curator.io import git
from curator.model import Candidate, Evidence, Role

DOUBT = 1.5
"""Log-odds that words lose for which only such a file vouches."""
WHY = "stands in a file of the repository"


def is_committed(format_: Format, path: Path) -> bool:
    """Whether others may have written the file: git tracks it (or won't say), or it came with a project that has no git.

    Of a format that is ``forgeable`` wherever it lies git is not asked.
    """
    if getattr(format_, "forgeable", False):
        return True
    if not any((folder / ".git").exists() for folder in path.parents):
        return bool(getattr(format_, "in_project", False))
    return git.ask(path.parent, "--literal-pathspecs", "ls-files", "--", path.name) != ""


def attribute(candidate: Candidate) -> Candidate:
    """The candidate with what people say in such a file as what the file says; that lowers the score of their words."""
    if all(item.role is not Role.HUMAN for item in candidate.evidence):
        return candidate
    quotes = tuple(map(quote, candidate.evidence))
    if candidate.evidence[0].role is not Role.HUMAN:
        return replace(candidate, evidence=quotes)
    score = likelihood(odds(candidate.score) - DOUBT)
    return replace(candidate, evidence=quotes, score=score, why={**candidate.why, WHY: -DOUBT})


def quote(item: Evidence) -> Evidence:
    """A quote, and the lines around it, with the file as the speaker where it says that a person spoke."""
    lines = tuple(replace(line, role=speaker(line.role)) for line in item.excerpt)
    return replace(item, role=speaker(item.role), excerpt=lines)


def speaker(role: Role) -> Role:
    """Who speaks where a file of the repository says that this one does."""
    return Role.FILE if role is Role.HUMAN else role
