"""What was done teaches: choices, commands that failed and then worked, errors of the environment that are met again."""

from __future__ import annotations

import pytest

from curator.detection import detect, errors, rediscovery
from curator.detection.wording import HEADLINE
from curator.model import Candidate, Category, Happening, Locator, Role, Turn
from tests.detection.test_detect import command, human, session, turn


def test_a_command_that_failed_and_worked_otherwise_is_tooling() -> None:
    turns = session(
        human("Run the tests"),
        *command("cargo test --all", False, "error: toolchain 'nightly' does not match", "c1"),
        *command("mise exec -- cargo test --all", True, "ok", "c2"),
    )
    (candidate,) = detect(turns)
    assert candidate.signal == "failed-then-worked"
    assert candidate.category is Category.TOOLING
    assert candidate.evidence[0].quote == "mise exec -- cargo test --all"
    assert candidate.evidence[1].quote == "error: toolchain 'nightly' does not match"
    assert "`mise exec --`" in candidate.headline


def test_commands_without_ids_are_known_by_their_words() -> None:
    error = "error: toolchain 'nightly' does not match"
    turns = session(
        human("Run the tests"),
        *command("cargo test --all", False, error, ""),
        *command("mise exec -- cargo test --all", True, "ok", ""),
    )
    (candidate,) = detect(turns)
    assert "`mise exec --`" in candidate.headline


def test_a_result_of_unknown_outcome_mends_nothing() -> None:
    error = "error: toolchain 'nightly' does not match"
    turns = session(
        human("Run the tests"),
        *command("cargo test --all", False, error, "c1"),
        *command("mise exec -- cargo test --all", None, "", "c2"),
    )
    assert detect(turns) == []


@pytest.mark.parametrize(
    ("wrong", "right", "error"),
    [
        ("git push origin main", "git pull --rebase origin main", "error: failed to push some refs to 'https://x.example'"),
        ("shop build web", "shop test web", "Type 'x' is not assignable to type 'build | serve'"),
        ("lint run main.go", "lint run", "main.go:56:5: error: var x must be used"),
        ("tool list origin/old", "tool list origin/new", "fatal: not a valid object name origin/old"),
        ("pytest tests/a.py", "pytest tests/a.py -x", "AssertionError: 1 != 2"),
        ("cat src/a.py", "cat src/b.py --number", "cat: src/a.py: No such file or directory"),
        ("gh api repos/x/commits/3e2941c2cae8", "gh api repos/x/commits/ad40d4628721 --jq .", "not found"),
        ("git push", "npm test --silent", "permission denied"),
    ],
)
def test_other_failures_teach_no_command(wrong: str, right: str, error: str) -> None:
    assert detect(session(human("Go"), *command(wrong, False, error, "c1"), *command(right, True, "ok", "c2"))) == []


def asked(question: str, answer: str) -> list[Candidate]:
    ask = turn(Role.TOOL_CALL, question, tool="AskUserQuestion", call="q1")
    return detect(session(human("Set it up"), ask, turn(Role.EVENT, answer, happening=Happening.ANSWER, call="q1")))


def test_a_choice_is_a_decision_that_names_its_question() -> None:
    (candidate,) = asked("Which queue do you want for the mail jobs?", "Redis streams (Recommended)")
    assert candidate.signal == "choice"
    assert candidate.category is Category.DECISION
    assert candidate.headline == "Which queue do you want for the mail jobs? Redis streams"
    assert candidate.insight == "Which queue do you want for the mail jobs? Redis streams"
    assert [evidence.quote for evidence in candidate.evidence] == [
        "Redis streams (Recommended)",
        "Which queue do you want for the mail jobs?",
    ]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Do you want me to commit now?", "Commit everything"),
        ("Which queue do you want?", "yes"),
        ("Which queue do you want?", ""),
        ("Which queue do you want?\nWhich port?", "Redis streams"),
        ("# Plan\n\nAdd a queue", "Redis streams"),
    ],
)
def test_errands_and_bare_answers_are_no_decisions(question: str, answer: str) -> None:
    assert [candidate for candidate in asked(question, answer) if candidate.signal == "choice"] == []


def ran(*runs: tuple[str, str, bool | None], session: str = "s1") -> list[Turn]:
    """The turns of commands with what they printed."""
    turns = []
    for at, (line, output, ok) in enumerate(runs):
        call = {"agent": "codex", "session": session, "call": f"c{at}", "command": line}
        spots = [Locator("s.jsonl", spot, spot) for spot in (2 * at + 1, 2 * at + 2)]
        turns.append(Turn(role=Role.TOOL_CALL, text=line, locator=spots[0], **call))  # type: ignore[arg-type]
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
    assert card.headline == "`npm` fails here: Error: connect ECONNREFUSED 127.0.0.1:5432"
    assert card.insight.endswith("`npm run db -- --host db.local` passed.")
    assert [item.quote for item in card.evidence] == [
        "Error: connect ECONNREFUSED 127.0.0.1:5432",
        "npm run db -- --host db.local",
    ]
    assert len(card.headline.split()) <= HEADLINE
    alone = rediscovery(turns[:2], error)
    assert alone is not None
    assert len(alone.evidence) == 1
    assert alone.score < card.score
    assert alone.fingerprint == card.fingerprint
