"""The demo's lessons and candidates, made from the words in ``sample.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from curator.model import (
    JSON,
    Anchor,
    Category,
    Drift,
    Entry,
    Evidence,
    Finding,
    Line,
    Relating,
    Relation,
    Role,
    State,
    Wording,
)

SAMPLE: Mapping[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
CODE: Mapping[str, str] = SAMPLE["code"]
"""The project's files: text by path."""
ROLES = {"you": Role.HUMAN, "agent": Role.ASSISTANT, "call": Role.TOOL_CALL, "result": Role.TOOL_RESULT}
WHY = {"person_said_it": 0.4, "standing_rule": 0.3, "names_a_file_or_command": 0.2}
DAY = timedelta(days=1).total_seconds()


def entries(now: float) -> list[Entry]:
    """The sample: stored lessons, candidates, one conflict, one stale lesson."""
    return [*lessons(now), *(entry(words, now) for words in SAMPLE["candidates"]), conflict(now), stale(now)]


def lessons(now: float) -> list[Entry]:
    """What was kept weeks ago."""
    return [replace(entry(words, now), state=State.ACTIVE, signal="by-hand", why={}) for words in SAMPLE["lessons"]]


def conflict(now: float) -> Entry:
    """A new statement against a stored one."""
    words = SAMPLE["conflict"]
    rival = words["rival"]
    clash = tuple((old, new) for old, new in rival["clash"])
    relation = Relation(**{**rival, "relating": Relating(rival["relating"]), "clash": clash})
    return replace(entry(words, now), rival=relation)


def stale(now: float) -> Entry:
    """A lesson whose file was changed since."""
    words = SAMPLE["stale"]
    changed = words["changed"]
    path, symbol = changed["path"], changed["symbol"]
    anchor = Anchor(path=path, symbol=symbol, lang=changed["lang"], blob="0" * 40)
    finding = Finding(
        path=path,
        symbol=symbol,
        drift=Drift.BODY,
        severity=changed["severity"],
        named=(changed["named"],),
        diff=changed["diff"],
        blob="1" * 40,
    )
    return replace(entry(words, now), state=State.ACTIVE, anchors=(anchor,), findings=(finding,))


def entry(words: JSON, now: float) -> Entry:
    """An open candidate."""
    at = now - timedelta(**{unit: words[unit] for unit in ("days", "hours", "minutes") if unit in words}).total_seconds()
    evidence = evidence_of(words, at)
    return Entry(
        id=words["id"],
        project="demo",
        state=State.OPEN,
        score=words["score"],
        category=Category(words["category"]),
        headline=words["headline"],
        insight=words["insight"],
        created=at,
        updated=at,
        agent="claude-code",
        session=evidence[0].session,
        fingerprint=f"demo-{words['id']}",
        signal=words.get("signal", "standing-rule"),
        why=words.get("why", WHY),
        evidence=evidence,
        seen=words.get("seen", 1),
        files=tuple(words.get("files", ())),
        slug=words.get("slug", ""),
        wordings=tuple(Wording(*wording) for wording in words.get("wordings", ())),
    )


def evidence_of(words: JSON, at: float) -> tuple[Evidence, ...]:
    """What was said, with the lines around it, and where the same was said a day before."""
    quote = words["said"]["quote"]
    lines = tuple(Line(ROLES[who], text, hit=quote in text) for who, text in words["around"])
    role = next(line.role for line in lines if line.hit)
    places = [(words["said"], at), *((place, at - DAY) for place in (words.get("again"),) if place)]
    return tuple(
        Evidence(
            quote=quote,
            role=role,
            file=f"~/.claude/projects/-home-dev-acme-api/{place['session']}.jsonl",
            line=place["line"],
            line_end=place["line"],
            agent="claude-code",
            session=place["session"],
            at=when,
            excerpt=lines,
        )
        for place, when in places
    )
