"""Made-up data of any size: waiting entries, lessons, and transcripts as Claude Code writes them."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from curator.app import Curator
from curator.model import Category, Change, Entry, Evidence, Line, Project, Role, State, Verb, Wording
from curator.settings import Settings

PROJECT = Project(id="bench", name="bench", folder="")
DAY = 86_400.0
EACH = 3
"""Entries of one session: so many are always shown."""
THINGS = (
    *("the retry budget", "every migration", "the billing client", "a feature flag", "the session cookie", "the export job"),
    *("the image cache", "the rate limiter", "the audit log", "the search index", "the mail queue", "the price table"),
)
VERBS = ("keep", "check", "test", "document", "rename", "split", "mock", "validate", "wrap", "log", "cache", "lock")
PLACES = ("in the gateway", "before a release", "on the worker", "in staging", "behind the proxy", "at start-up")
REASONS = ("the job runs twice at night", "the upstream answers late", "tests share one database", "clients retry at once")
FILES = ("src/gateway/client.py", "src/billing/retry.py", "tests/test_billing.py", "src/worker/queue.py", "docs/release.md")


def opened(home: Path, project: Project | None = PROJECT, **settings: Any) -> Curator:
    """An open service with its database below ``home``."""
    return Curator(Settings(home=home, **settings), project)


def entry(n: int, at: float, state: State = State.OPEN) -> Entry:
    """Entry number ``n``: a candidate or lesson with evidence, an excerpt and offered wordings."""
    pick = random.Random(n)
    verb, thing, place, reason = (pick.choice(words) for words in (VERBS, THINGS, PLACES, REASONS))
    headline = f"Always {verb} {thing} {place} (rule {n})"
    insight = f"{headline}, since {reason}."
    quote = f"no, always {verb} {thing} {place}, {reason}"
    excerpt = (
        Line(Role.ASSISTANT, f"I will change {thing} now and run the tests afterwards.\n" * 3),
        Line(Role.HUMAN, quote, hit=True),
        Line(Role.TOOL_CALL, "pytest -q tests/test_billing.py"),
        Line(Role.TOOL_RESULT, "FAILED tests/test_billing.py::test_retry - assert 3 == 2\n1 failed, 41 passed in 2.11s"),
    )
    session = f"session-{n // EACH}"
    evidence = Evidence(
        quote=quote,
        role=Role.HUMAN,
        file=f"{session}.jsonl",
        line=n % EACH + 1,
        line_end=n % EACH + 1,
        agent="claude-code",
        session=session,
        at=at,
        excerpt=excerpt,
    )
    return Entry(
        id=f"B{n // 10_000:03d}-{n % 10_000:04d}",
        project=PROJECT.id,
        state=state,
        category=list(Category)[n % 7],
        headline=headline,
        insight=insight,
        created=at - pick.random() * 30 * DAY,
        updated=at,
        files=tuple(pick.sample(FILES, 2)),
        agent="claude-code",
        session=session,
        score=round(0.3 + 0.69 * pick.random(), 4),
        score_parts={"correction": 0.4, "rule": 0.2, "named_file": 0.1},
        signal="standing-rule",
        fingerprint=f"print-{n}",
        evidence=(evidence,),
        wordings=(Wording(f"{verb.title()} {thing}", insight, "shorter"), Wording(headline, quote, "as said")),
        place=n % EACH,
        slug=f"rule-{n}" if state is State.ACTIVE else "",
    )


def fill(curator: Curator, count: int, state: State = State.OPEN) -> None:
    """Store ``count`` entries, in one transaction, through the one door."""
    at = time.time()
    with curator.store.transaction():
        curator.store.sources.remember(PROJECT, "made-up")
        for n in range(count):
            change = Change(before=None, after=entry(n, at, state))
            curator.store.apply([(Verb.PROPOSE, change)], actor="detector", at=at, batch=f"made-{n}")


def filled(home: Path, count: int) -> None:
    """Make a database below ``home`` in which so many candidates wait."""
    curator = opened(home)
    fill(curator, count)
    curator.close()


# --- transcripts ------------------------------------------------------------------------------------------------------


def session(n: int, folder: str, turns: int = 120) -> Iterator[dict[str, Any]]:
    """The records of one session: prompts, prose, tool calls and their results, now and then a correction."""
    pick = random.Random(n)
    stamp = f"2026-01-{n % 28 + 1:02d}T10:"
    for turn in range(turns):
        common = {
            "parentUuid": f"{n:08x}-{turn:027d}",
            "isSidechain": False,
            "userType": "external",
            "cwd": folder,
            "sessionId": f"made-{n}",
            "version": "2.0.0",
            "gitBranch": "main",
        }
        for part, (kind, content) in enumerate(_exchange(pick, n, turn)):
            stamped = {"uuid": f"{n:08x}-{turn:04x}-{part:022x}", "timestamp": f"{stamp}{turn // 3 % 60:02d}:{part:02d}.000Z"}
            message: dict[str, Any] = {"role": kind, "content": content}
            record = {**common, "type": kind, "message": message, **stamped}
            if kind == "assistant":
                usage = {"input_tokens": 4, "cache_creation_input_tokens": 812, "cache_read_input_tokens": 48_213}
                message |= {"id": f"msg-{n}-{turn}", "type": "message", "model": "made-up", "usage": usage}
            elif not isinstance(content, str):
                record["toolUseResult"] = {"stdout": content[0]["content"], "stderr": "", "interrupted": False}
            yield record


def _exchange(pick: random.Random, n: int, turn: int) -> Iterator[tuple[str, Any]]:
    """About what real sessions hold: in a megabyte a dozen prompts, forty pieces of prose, ninety calls with results."""
    verb, thing, place, reason = (pick.choice(words) for words in (VERBS, THINGS, PLACES, REASONS))
    file, call = pick.choice(FILES), f"call-{n}-{turn}"
    if turn % 14 == 0:
        yield "user", f"Please {verb} {thing} {place} and run the tests. We need it because {reason}. " * pick.randint(1, 6)
    elif turn % 15 == 7:
        yield "user", f"No, don't do that. Always {verb} {thing} {place} number {pick.randrange(500)}, because {reason}."
    if turn % 9 < 4:
        words = f"I will look at `{file}` first, then {verb} {thing}, since {reason}. "
        yield "assistant", [{"type": "text", "text": words * pick.randint(1, 14)}]
    code = "\n".join(f"{at:>5}\tdef step_{at}(value):  # {pick.choice(PLACES)}" for at in range(pick.randint(20, 200)))
    if turn % 4 == 0:
        yield "assistant", [{"type": "tool_use", "id": call, "name": "Read", "input": {"file_path": f"/repo/{file}"}}]
        yield "user", [{"type": "tool_result", "tool_use_id": call, "content": code}]
    elif turn % 4 == 1:
        given = {"file_path": f"/repo/{file}", "old_string": code[:600], "new_string": code[:900]}
        yield "assistant", [{"type": "tool_use", "id": call, "name": "Edit", "input": given}]
        yield "user", [{"type": "tool_result", "tool_use_id": call, "content": f"The file has been updated.\n{code[:1500]}"}]
    else:
        yield "assistant", [{"type": "tool_use", "id": call, "name": "Bash", "input": {"command": f"pytest -q {file}"}}]
        failed = pick.random() < 0.25
        out = f"{'FAILED ' + file if failed else 'passed'}\n" + "tests/test_billing.py ....\n" * pick.randint(1, 200)
        yield "user", [{"type": "tool_result", "tool_use_id": call, "content": out, "is_error": failed}]


def lines(records: Iterator[dict[str, Any]]) -> str:
    """Records as JSONL."""
    return "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records)


def tree(root: Path, files: int, folder: str, turns: int = 120) -> int:
    """Write so many sessions below ``root``, each in its project's folder; returns how many bytes they are."""
    size = 0
    for n in range(files):
        place = root / "projects" / f"-made-up-{n % 5}"
        place.mkdir(parents=True, exist_ok=True)
        size += place.joinpath(f"made-{n}.jsonl").write_text(lines(session(n, folder, turns)), encoding="utf-8")
    return size
