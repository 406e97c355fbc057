"""Errors of the surroundings are known again; those of the code in progress, of the harness and of mistyped paths are none."""

from __future__ import annotations

import pytest

from curator.detection import errors, rediscovery
from curator.detection.errors import telling
from curator.model import Locator, Role, Turn


def ran(*runs: tuple[str, str, bool | None], session: str = "s1") -> list[Turn]:
    """The turns of commands with what they printed."""
    turns = []
    for at, (command, output, ok) in enumerate(runs):
        call = {"agent": "codex", "session": session, "call": f"c{at}", "command": command}
        spots = [Locator("s.jsonl", line, line) for line in (2 * at + 1, 2 * at + 2)]
        turns.append(Turn(role=Role.TOOL_CALL, text=command, locator=spots[0], **call))  # type: ignore[arg-type]
        turns.append(Turn(role=Role.TOOL_RESULT, text=output, locator=spots[1], ok=ok, **call))  # type: ignore[arg-type]
    return turns


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            ("npm test", "Error: connect ECONNREFUSED 127.0.0.1:5432"),
            ("npm test -- -u", "Error: connect ECONNREFUSED 10.0.0.7:5433"),
        ),
        (("go test ./...", "zsh:1: command not found: go"), ("cd api && go vet", "zsh:7: command not found: go")),
        (
            ("make db", "psql: could not connect to server at /run/a1/.s"),
            ("make db", "psql: could not connect to server at /run/b22/.s"),
        ),
        (
            ("uv run pytest", "ModuleNotFoundError: No module named 'httpx'"),
            ("pytest -q", "ModuleNotFoundError: No module named 'httpx'"),
        ),
    ],
)
def test_the_same_error_has_the_same_signature(one: tuple[str, str], other: tuple[str, str]) -> None:
    (first,), (second,) = errors(ran((*one, False))), errors(ran((*other, False)))
    assert first.signature == second.signature


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("pytest", "ModuleNotFoundError: No module named 'httpx'"), ("pytest", "ModuleNotFoundError: No module named 'rich'")),
        (("go test", "zsh:1: command not found: go"), ("node x.js", "zsh:1: command not found: node")),
        (("npm test", "connect ECONNREFUSED 127.0.0.1:1"), ("pytest", "connect ECONNREFUSED 127.0.0.1:1")),
    ],
)
def test_another_name_or_program_is_another_error(one: tuple[str, str], other: tuple[str, str]) -> None:
    (first,), (second,) = errors(ran((*one, False))), errors(ran((*other, False)))
    assert first.signature != second.signature


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("pytest -q", "E   AssertionError: assert 'permission denied' == 'ok'"),
        ("npx tsc", "src/a.ts(3,1): error TS2345: Argument is incompatible with parameter"),
        ("pytest -q", "FAILED tests/test_a.py::test_b - PermissionError: permission denied"),
        ("grep -r permission src", "src/a.py: permission denied is raised here"),
        ("ls dist", "ls: cannot access 'dist': No such file or directory"),
        ("python x.py", "python: can't open file 'x.py': [Errno 2] No such file or directory"),
        ("git diff", "+# Permission denied means that the key is wrong"),
        ("make", "<tool_use_error>Sibling tool call errored</tool_use_error>\npermission denied"),
        ("make", "Exit code 1"),
        ("", "permission denied for this file"),
    ],
)
def test_what_a_later_session_would_not_meet_is_none(command: str, output: str) -> None:
    assert errors(ran((command, output, False))) == []


def test_only_failures_count_and_each_once() -> None:
    line = "zsh:1: command not found: go"
    assert errors(ran(("go test", line, True), ("go test", line, None))) == []
    assert [error.index for error in errors(ran(("go test", line, False), ("go vet", line, False)))] == [1]


def test_the_card_names_program_error_and_what_then_passed() -> None:
    turns = ran(
        ("npm run db", "npm warn old\nError: connect ECONNREFUSED 127.0.0.1:5432", False),
        ("npm run db -- --host db.local", "done", True),
    )
    (error,) = errors(turns)
    card = rediscovery(turns, error)
    assert card is not None
    assert card.headline == "`npm` fails here: Connect ECONNREFUSED 127.0.0.1:5432"
    assert card.insight.endswith("`npm run db -- --host db.local` passed.")
    assert [item.quote for item in card.evidence] == [
        "Error: connect ECONNREFUSED 127.0.0.1:5432",
        "npm run db -- --host db.local",
    ]
    assert len(card.headline.split()) <= 12
    alone = rediscovery(turns[:2], error)
    assert alone is not None
    assert len(alone.evidence) == 1
    assert alone.score < card.score
    assert alone.fingerprint == card.fingerprint


SURROUNDINGS = (
    "zsh: Command not found: go; the term 'x' is not recognized as a name; the plugin is NOT installed; "
    "No module named attrs; Cannot find package 'x'; Unknown option --x; Unrecognized argument --x; "
    "Invalid option -- x; Missing script: build; no such container: db; No matching distribution for x; "
    "error: externally-managed-environment; Permission denied (key); EACCES on the socket; "
    "Operation not permitted; Read-only file system; fatal: dubious ownership in repo; "
    "Address already in use; EADDRINUSE on port 1; ECONNREFUSED on port 1; Connection refused by db; "
    "is the Docker daemon running; could not connect to db; can not resolve host db; "
    "couldnot locate a driver; could not find a version of x; could not read username for x; "
    "Authentication failed for x; Unauthorized by the db; you are not logged in; token has expired now; "
    "Certificate has expired today; Unsupported engine for x; this is incompatible with x; "
    "it requires node 20; version 1 mismatch of x; npm error ERESOLVE in x; conflicting peer dep x; "
    "libx: shared library absent; GLIBC 2 is absent; it is out of memory; reached heap limit now; "
    "ENOSPC on the disk; no space left on it; Resource busy: disk; database is locked; "
    "index.lock is there; environment variable X not set; env var X is missing; "
    "the executable x not found"
)
"""Every kind of error of the surroundings, once."""


@pytest.mark.parametrize("said", SURROUNDINGS.split("; "))
def test_the_plain_search_before_it_lets_every_kind_of_error_through(said: str) -> None:
    assert telling(f"building\n{said}\n") == said
