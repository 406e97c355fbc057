"""Candidates as open entries: what of them may be kept and shared."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from curator import clock, projects
from curator.app.json_rows import visible
from curator.model import Candidate, Entry, State
from curator.text import limits


def presentable(candidate: Candidate, top: str, folder: str) -> Candidate:
    """A candidate as it may be kept and shared: no home folder, nothing that could drive a terminal.

    A quote of a session is there once. Its files are those inside the project, whose folder is ``top``, as seen from there;
    it was said in ``folder``.
    """
    home = f"{Path.home()}{os.sep}"
    once = {(item.session or item.file, item.quote): item for item in reversed(candidate.evidence)}
    quotes = (
        replace(item, file=homely(item.file, home), session=visible(item.session))
        for item in candidate.evidence
        if once[item.session or item.file, item.quote] is item
    )
    files = (from_top(file, top, folder) for file in candidate.files)
    return replace(candidate, evidence=tuple(quotes), files=projects.held(files, top, folder))


def from_top(file: str, top: str, folder: str) -> str:
    """A file as it is named from the project's folder, where it was named from one below.

    What an agent's calls name is relative to where it works; a person names files from either place, so what is there decides,
    and else whether the name begins as it would from the top.
    """
    below = folder.removeprefix(f"{top}{os.sep}")
    if below == folder or not projects.relative(file) or file.startswith(f"{below}/"):
        return file
    here, there = os.path.join(folder, file), os.path.join(top, file)
    return file if os.path.exists(there) and not os.path.exists(here) else os.path.normpath(os.path.join(below, file))


def proposed(candidate: Candidate, project: str, at: float) -> Entry:
    """A candidate as an open entry, of which all that can be kept is short enough to be read."""
    best, said = candidate.evidence[0], limits.cut_candidate(candidate)
    same = (said.headline, said.insight)
    return Entry(
        id=clock.new_id(),
        project=project,
        state=State.OPEN,
        category=candidate.category,
        headline=said.headline,
        insight=said.insight,
        context="" if any(candidate.context in item.quote for item in candidate.evidence) else said.context,
        created=best.at or at,
        updated=at,
        durability=candidate.durability,
        files=candidate.files,
        symbols=candidate.symbols,
        agent=best.agent,
        session=best.session,
        score=candidate.score,
        why=dict(candidate.why),
        signal=candidate.signal,
        fingerprint=candidate.fingerprint,
        evidence=candidate.evidence,
        wordings=tuple(item for item in said.wordings if (item.headline, item.insight) != same)[:3],
    )


def homely(path: str, home: str) -> str:
    """A path without the name of the person: evidence travels with a lesson's file to the whole team."""
    return f"~{os.sep}{path.removeprefix(home)}" if path.startswith(home) else path
