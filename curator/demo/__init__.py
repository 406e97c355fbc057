"""The demo: a made-up project in a temporary folder with a real database, so that every key works and no real data changes.

Lessons and candidates come from ``sample.toml``. Deliveries and outcomes are made up here.
"""

from __future__ import annotations

import os
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from curator import clock
from curator.app import Curator, note_cards
from curator.memories import discover
from curator.model import (
    JSON,
    Anchor,
    Category,
    Change,
    Drift,
    Entry,
    Evidence,
    Finding,
    Line,
    Project,
    Relating,
    Relation,
    Role,
    State,
    Verb,
    Wording,
)
from curator.settings import Settings
from curator.store.deliveries import Deliveries, Outcome, Receipt

DAY_SECONDS = timedelta(days=1).total_seconds()
DELIVERED = (
    # (days ago, session, position of the lesson, outcome)
    (16.0, "7d10", 0, "helped"),
    (12.0, "5c8e", 0, ""),
    (9.0, "5c8e", 2, "helped"),
    (6.0, "0b42", 0, "helped"),
    (4.0, "0b42", 2, ""),
    (2.0, "a91f", 1, "ignored"),
)


def deliver(deliveries: Deliveries, project: str, lessons: list[str], now: float) -> None:
    """Store the decisions of hooks, and their outcomes."""
    for days, session, which, kind in DELIVERED:
        at, lesson = now - days * DAY_SECONDS, lessons[which]
        shown = [[lesson, 1, 0.62, 28, {}]]
        question = {"prompt": "", "files": ["billing/gateway.py"]}
        body = {"event": "PreToolUse", "moment": "file", "asked": question, "shown": shown, "withheld": [], "threshold": 0.25}
        deliveries.add([Receipt(at=at, session=session, agent="claude-code", project=project, body=body)])
        if kind:
            source = "report" if kind == "helped" else "again"
            outcome = Outcome(lesson=lesson, session=session, project=project, at=at, kind=kind, source=source)
            deliveries.record(outcome)


SAMPLE: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("sample.toml").read_text(encoding="utf-8"))
CODE: Mapping[str, str] = SAMPLE["code"]
"""The project's files: text by path."""
ROLES = {"you": Role.HUMAN, "agent": Role.ASSISTANT, "call": Role.TOOL_CALL, "result": Role.TOOL_RESULT}
WHY = {"person_said_it": 0.4, "standing_rule": 0.3, "names_a_file_or_command": 0.2}


def entries(now: float) -> list[Entry]:
    """Return the sample: stored lessons, candidates, one conflict, one stale lesson."""
    return [*lessons(now), *(entry(words, now) for words in SAMPLE["candidates"]), conflict(now), stale(now)]


def lessons(now: float) -> list[Entry]:
    """Return the lessons kept weeks ago."""
    return [entry(words, now)._replace(state=State.ACTIVE, signal="by-hand", score_parts={}) for words in SAMPLE["lessons"]]


def conflict(now: float) -> Entry:
    """Return a new statement against a stored one."""
    words = SAMPLE["conflict"]
    rival = words["rival"]
    clash = tuple((old, new) for old, new in rival["clash"])
    relation = Relation(**{**rival, "relating": Relating(rival["relating"]), "clash": clash})
    return entry(words, now)._replace(rival=relation)


def stale(now: float) -> Entry:
    """Return a lesson whose file has changed."""
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
    return entry(words, now)._replace(state=State.ACTIVE, anchors=(anchor,), findings=(finding,))


def entry(words: JSON, now: float) -> Entry:
    """Return an open candidate."""
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
        score_parts=words.get("why", WHY),
        evidence=evidence,
        times_stated=words.get("seen", 1),
        files=tuple(words.get("files", ())),
        slug=words.get("slug", ""),
        wordings=tuple(Wording(*wording) for wording in words.get("wordings", ())),
    )


def evidence_of(words: JSON, at: float) -> tuple[Evidence, ...]:
    """Return a quote with its context, and an earlier quote of the same statement."""
    quote = words["said"]["quote"]
    lines = tuple(Line(ROLES[who], text, hit=quote in text) for who, text in words["around"])
    role = next(line.role for line in lines if line.hit)
    places = [(words["said"], at), *((place, at - DAY_SECONDS) for place in (words.get("again"),) if place)]
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


PROJECT = "acme-api"
RULES = "Start the services with `docker compose up` before you run the tests.\n"
"""The rules file of the project, which one of the notes repeats in part."""
SECRET = f"ghp_{'a1B2c3D4e5F6' * 3}"
"""A made-up token in two parts, so that no file contains it as a whole."""
MOVING = ("CLAUDE_", "CODEX_", "GEMINI_", "GOOSE_", "QWEN_", "XDG_CONFIG_")
"""The beginnings of variables that move agents' folders."""


@contextmanager
def open_demo(settings: Settings) -> Iterator[Curator]:
    """Yield the sample project, open. Everything is deleted afterwards. Theme and keys are the person's own."""
    with (
        tempfile.TemporaryDirectory(prefix="curator-demo-") as folder,
        temporary_home(Path(folder, "person")),
        closing(fill(Path(folder), settings)) as curator,
    ):
        write_notes(curator)
        yield curator


@contextmanager
def temporary_home(home: Path) -> Iterator[None]:
    """Set a temporary home folder for this process, so that it neither reads nor changes agents' notes in the real one."""
    before = dict(os.environ)
    for name in [name for name in os.environ if name.startswith(MOVING)]:
        del os.environ[name]
    os.environ["HOME"] = str(home)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def write_notes(curator: Curator) -> None:
    """Write three-day-old notes of two agents into the home folder, and make cards from them as a scan does."""
    assert curator.project
    work = curator.project.folder
    Path(work, "AGENTS.md").write_text(RULES, encoding="utf-8")
    at = clock.now() - 3 * DAY_SECONDS
    for name, text in SAMPLE["notes"].items():
        file = Path.home() / name.replace("{slug}", discover.slug(work))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.lstrip().replace("{work}", work).replace("{secret}", SECRET), encoding="utf-8")
        os.utime(file, (at, at))
    note_cards.read(curator)


def fill(folder: Path, settings: Settings) -> Curator:
    """Write the sample project and its database into a folder."""
    work = folder / PROJECT
    for name, text in CODE.items():
        file = work / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    project = Project(id="demo", name=PROJECT, folder=str(work))
    home = settings._replace(home=folder / "home", watch=False)
    curator = Curator(home, project)
    at = clock.now()
    with curator.store.transaction():
        curator.store.sources.remember(project, project.folder)
        for entry in entries(at):
            curator.store.apply([(Verb.PROPOSE, Change(before=None, after=entry))], actor="detector", at=entry.updated)
        ids = [entry.id for entry in lessons(at)]
        deliver(curator.store.deliveries, project.id, ids, at)
    return curator
