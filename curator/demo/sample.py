"""The sample's words: a few days in the life of a small web service, written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from curator.model import (
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

YOU, AGENT, CALL, RESULT = Role.HUMAN, Role.ASSISTANT, Role.TOOL_CALL, Role.TOOL_RESULT
HOUR, DAY = 3_600.0, 86_400.0

CODE = {
    "pyproject.toml": '[dependency-groups]\ntest = ["pytest>=8", "syrupy"]\n',
    "api/cache.py": 'REDIS_ARGS = ["--save", ""]\n\n\ndef connect(url):\n    return Redis.from_url(url)\n',
    "web/package.json": '{"packageManager": "pnpm@9"}\n',
}


def said(session: str, line: int, at: float, quote: str, role: Role, *around: tuple[Role, str]) -> Evidence:
    """A piece of evidence with the lines around it; the quoted one is the one that holds the quote."""
    lines = tuple(Line(who, text, hit=quote in text) for who, text in around)
    file = f"~/.claude/projects/-home-dev-acme-api/{session}.jsonl"
    return Evidence(
        quote=quote,
        role=role,
        file=file,
        line=line,
        line_end=line,
        agent="claude-code",
        session=session,
        at=at,
        excerpt=lines,
    )


def candidate(at: float, number: int, score: float, category: Category, headline: str, insight: str, **more: Any) -> Entry:
    """An open candidate."""
    evidence: Sequence[Evidence] = more.pop("evidence")
    values: dict[str, Any] = {
        "project": "demo",
        "state": State.OPEN,
        "created": at,
        "updated": at,
        "agent": "claude-code",
        "session": evidence[0].session if evidence else "",
        "fingerprint": f"demo-{number}",
        "signal": "standing-rule",
        "why": {"person_said_it": 0.4, "standing_rule": 0.3, "names_a_file_or_command": 0.2},
    }
    return Entry(
        id=f"DEM{number // 10}-{number % 10}KQ2",
        score=score,
        category=category,
        headline=headline,
        insight=insight,
        evidence=tuple(evidence),
        **(values | more),
    )


def entries(project: str, now: float) -> list[Entry]:
    """The sample: stored lessons, candidates, one conflict, one stale lesson."""
    return [*lessons(now), *candidates(now), conflict(now), stale(now)]


def lessons(now: float) -> list[Entry]:
    """What was kept weeks ago."""
    kept: dict[str, Any] = {"state": State.ACTIVE, "signal": "by-hand", "why": {}}
    at = now - 21 * DAY
    return [
        candidate(
            at,
            1,
            0.91,
            Category.TOOLING,
            "Run tests with uv",
            "Tests run with uv, which brings the locked environment.",
            evidence=[said("51c2", 88, at, "run the tests with uv please", YOU, (YOU, "run the tests with uv please"))],
            slug="run-tests-with-uv",
            **kept,
        ),
        candidate(
            at,
            2,
            0.74,
            Category.DECISION,
            "Use npm everywhere",
            "JavaScript packages are installed with npm in every folder.",
            evidence=[
                said("20aa", 12, at, "let's just use npm everywhere", YOU, (YOU, "let's just use npm everywhere for now"))
            ],
            slug="use-npm-everywhere",
            **kept,
        ),
        candidate(
            at,
            3,
            0.83,
            Category.ARCHITECTURE,
            "Billing talks to Stripe only through `billing/gateway.py`",
            "No other module imports the Stripe SDK; the gateway adds idempotency keys.",
            evidence=[
                said(
                    "51c2",
                    301,
                    at,
                    "nothing but the gateway imports stripe",
                    AGENT,
                    (AGENT, "So nothing but the gateway imports stripe."),
                )
            ],
            slug="billing-talks-to-stripe",
            **kept,
        ),
    ]


def candidates(now: float) -> list[Entry]:
    """What today's and yesterday's sessions brought."""
    at = now - 2 * HOUR
    uv = said(
        "7f3c",
        412,
        at,
        "no - always uv run. I told you yesterday",
        YOU,
        (CALL, "pytest -q tests/"),
        (RESULT, "ModuleNotFoundError: No module named 'httpx'"),
        (YOU, "no - always uv run. I told you yesterday"),
        (CALL, "uv run pytest -q"),
        (RESULT, "212 passed in 4.31s"),
    )
    migration = said(
        "7f3c",
        530,
        at + 900,
        "prefix the migration with the ticket id, the release script sorts by it",
        YOU,
        (CALL, "alembic revision -m 'add invoices'"),
        (YOU, "prefix the migration with the ticket id, the release script sorts by it"),
        (AGENT, "Renamed to `ACME-412_add_invoices.py`; the release script sorts migrations by that prefix."),
    )
    clock_ = said(
        "7f3c",
        700,
        at + 1_500,
        "The flake came from freezegun, which does not patch asyncio's clock",
        AGENT,
        (RESULT, "FAILED tests/test_tokens.py::test_expiry - assert 3599 == 3600"),
        (AGENT, "The flake came from freezegun, which does not patch asyncio's clock. time_machine does."),
        (RESULT, "1 passed"),
    )
    vendor = said(
        "9b01",
        33,
        at - DAY,
        "don't touch vendor/, it is synced from upstream every night",
        YOU,
        (CALL, "Edit vendor/markdown/parser.js"),
        (YOU, "don't touch vendor/, it is synced from upstream every night"),
        (AGENT, "Understood: I reverted the change and patched `web/markdown.ts` instead."),
    )
    root = said(
        "9b01",
        140,
        at - DAY,
        "Root cause: the webhook handler commits before the outbox row is written",
        AGENT,
        (RESULT, "IntegrityError: duplicate key value violates unique constraint"),
        (AGENT, "Root cause: the webhook handler commits before the outbox row is written, so a retry bills twice."),
    )
    failed = said(
        "9b01",
        260,
        at - DAY,
        "Batching with COPY doesn't work because the audit trigger needs one statement a row",
        AGENT,
        (RESULT, "ERROR: audit_row() called without row context"),
        (AGENT, "Batching with COPY doesn't work because the audit trigger needs one statement a row; going back to INSERT."),
    )
    return [
        candidate(
            at,
            11,
            0.93,
            Category.TOOLING,
            "Use `uv run pytest`, never bare `pytest`",
            "Bare pytest picks the system Python and fails with ImportError.",
            evidence=[uv, replace_line(uv, "51c2", 90)],
            seen=4,
            wordings=(
                Wording("Run tests only through uv", "Bare pytest picks the system Python.", "shorter"),
                Wording("Run every Python tool with `uv run`", "Tools outside uv see the system Python.", "broader"),
            ),
            files=("pyproject.toml",),
            signal="correction",
            why={"person_said_it": 0.35, "correction_after_failure": 0.3, "said_in_two_sessions": 0.2, "names_a_command": 0.08},
        ),
        candidate(
            at + 900,
            12,
            0.88,
            Category.CONVENTION,
            "Prefix migrations with the ticket id",
            "The release script sorts migrations by the ticket id in their name.",
            evidence=[migration],
            seen=3,
            wordings=(
                Wording(
                    "Name migrations `ACME-<n>_<what>.py`",
                    "The release script sorts migrations by that prefix.",
                    "as the agent put it",
                ),
            ),
        ),
        candidate(
            at + 1_500,
            13,
            0.74,
            Category.BUG_PATTERN,
            "Mock the clock with time_machine, not freezegun",
            "freezegun does not patch asyncio's clock, which makes expiry tests flaky.",
            evidence=[clock_],
            seen=2,
            files=("tests/test_tokens.py",),
            signal="root-cause",
        ),
        candidate(
            at - DAY,
            14,
            0.71,
            Category.CONSTRAINT,
            "Never edit `vendor/`: it is synced every night",
            "Changes under vendor/ are overwritten by the nightly sync from upstream.",
            evidence=[vendor],
            seen=2,
            files=("vendor/markdown/parser.js",),
            signal="refusal",
            wordings=(Wording("Leave `vendor/` alone", "It is synced from upstream every night.", "shorter"),),
        ),
        candidate(
            at - DAY,
            15,
            0.66,
            Category.BUG_PATTERN,
            "Write the outbox row before the webhook handler commits",
            "A commit before the outbox row lets a retried webhook bill twice.",
            evidence=[root],
            signal="root-cause",
        ),
        candidate(
            at - DAY,
            16,
            0.52,
            Category.FAILED_APPROACH,
            "COPY can't load audited tables",
            "The audit trigger needs one statement a row, so batching with COPY fails.",
            evidence=[failed],
            signal="failed-approach",
        ),
    ]


def replace_line(evidence: Evidence, session: str, line: int) -> Evidence:
    """The same words in another session."""
    return Evidence(
        quote=evidence.quote,
        role=evidence.role,
        file=evidence.file.replace(evidence.session, session),
        line=line,
        line_end=line,
        agent=evidence.agent,
        session=session,
        at=(evidence.at or 0) - DAY,
        excerpt=evidence.excerpt,
    )


def conflict(now: float) -> Entry:
    """A new statement against a stored one."""
    at = now - HOUR
    quote = "use pnpm in /web, npm breaks the workspace links"
    return candidate(
        at,
        21,
        0.81,
        Category.DECISION,
        "Use pnpm in `/web`",
        "npm breaks the workspace links in /web.",
        evidence=[
            said(
                "7f3c",
                820,
                at,
                quote,
                YOU,
                (CALL, "npm install"),
                (RESULT, "npm ERR! EUNSUPPORTEDPROTOCOL workspace:*"),
                (YOU, quote),
            )
        ],
        seen=2,
        files=("web/package.json",),
        rival=Relation(other="DEM0-2KQ2", relating=Relating.CONTRADICTS, clash=(("npm", "pnpm"),), likeness=0.62),
    )


def stale(now: float) -> Entry:
    """A lesson whose file was changed since."""
    at = now - 91 * DAY
    diff = (
        "--- api/cache.py (when it was kept)\n+++ api/cache.py (now)\n@@ -1,4 +1,5 @@\n"
        '-REDIS_ARGS = ["--no-persist"]\n+REDIS_ARGS = ["--save", ""]\n \n \n def connect(url):\n'
    )
    return candidate(
        at,
        22,
        0.4,
        Category.TOOLING,
        "Redis needs `--no-persist` in CI",
        "Without it the CI container fills its 64 MB tmpfs.",
        evidence=[
            said(
                "11d0",
                45,
                at,
                "redis needs --no-persist in CI",
                YOU,
                (YOU, "redis needs --no-persist in CI, the tmpfs is 64 MB"),
            )
        ],
        state=State.ACTIVE,
        files=("api/cache.py",),
        slug="redis-needs-no-persist",
        anchors=(Anchor(path="api/cache.py", symbol="REDIS_ARGS", lang="python", blob="0" * 40),),
        findings=(
            Finding(
                path="api/cache.py",
                symbol="REDIS_ARGS",
                drift=Drift.BODY,
                severity=0.82,
                named=("persist",),
                diff=diff,
                blob="1" * 40,
            ),
        ),
    )
