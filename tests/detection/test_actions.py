"""What was done teaches: choices, commands that failed and then worked, errors of the environment that are met again."""

from __future__ import annotations

import pytest

from curator.detection import detect, errors, rediscovery
from curator.detection.wording import HEADLINE
from curator.model import Candidate, Category, Happening, Locator, Role, Turn
from tests.detection.test_detect import command, human, session, turn

ERROR = "error: toolchain 'nightly' does not match"


def tried(wrong: str, right: str, error: str, ok: bool | None = True, calls: tuple[str, str] = ("c1", "c2")) -> list[Candidate]:
    """The cards of a session in which one command failed and then another one ended."""
    first, then = calls
    return detect(session(human("Go"), *command(wrong, False, error, first), *command(right, ok, "ok", then)))


@pytest.mark.parametrize("calls", [("c1", "c2"), ("", "")], ids=["by their ids", "by their words"])
def test_a_command_that_failed_and_worked_otherwise_is_tooling(calls: tuple[str, str]) -> None:
    (candidate,) = tried("cargo test --all", "mise exec -- cargo test --all", ERROR, calls=calls)
    assert (candidate.signal, candidate.category) == ("failed-then-worked", Category.TOOLING)
    assert [evidence.quote for evidence in candidate.evidence] == ["mise exec -- cargo test --all", ERROR]
    assert "`mise exec --`" in candidate.headline


def test_a_result_of_unknown_outcome_mends_nothing() -> None:
    assert tried("cargo test --all", "mise exec -- cargo test --all", ERROR, None) == []


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
    assert tried(wrong, right, error) == []


def asked(question: str, answer: str) -> list[Candidate]:
    ask = turn(Role.TOOL_CALL, question, tool="AskUserQuestion", call="q1")
    return detect(session(human("Set it up"), ask, turn(Role.EVENT, answer, happening=Happening.ANSWER, call="q1")))


def test_a_choice_is_a_decision_that_names_its_question() -> None:
    (candidate,) = asked("Which queue do you want for the mail jobs?", "Redis streams (Recommended)")
    assert (candidate.signal, candidate.category) == ("choice", Category.DECISION)
    assert candidate.headline == candidate.insight == "Which queue do you want for the mail jobs? Redis streams"
    quoted = [evidence.quote for evidence in candidate.evidence]
    assert quoted == ["Redis streams (Recommended)", "Which queue do you want for the mail jobs?"]


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


MODULE, REFUSED, NO_GO = "ModuleNotFoundError: No module named ", "Error: connect ECONNREFUSED ", "command not found: go"
SERVER = "psql: could not connect to server at "


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (("npm test", f"{REFUSED}127.0.0.1:5432"), ("npm test -- -u", f"{REFUSED}10.0.0.7:5433"), True),
        (("go test ./...", f"zsh:1: {NO_GO}"), ("cd api && go vet", f"zsh:7: {NO_GO}"), True),
        (("make db", f"{SERVER}/run/a1/.s"), ("make db", f"{SERVER}/run/b22/.s"), True),
        (("uv run pytest", f"{MODULE}'httpx'"), ("pytest -q", f"{MODULE}'httpx'"), True),
        (("pytest", f"{MODULE}'httpx'"), ("pytest", f"{MODULE}'rich'"), False),
        (("go test", f"zsh:1: {NO_GO}"), ("node x.js", "zsh:1: command not found: node"), False),
        (("npm test", f"{REFUSED}127.0.0.1:1"), ("pytest", f"{REFUSED}127.0.0.1:1"), False),
    ],
)
def test_an_error_is_known_by_its_program_and_its_name(one: tuple[str, str], other: tuple[str, str], same: bool) -> None:
    (first,), (second,) = errors(ran((*one, False))), errors(ran((*other, False)))
    assert (first.signature == second.signature) is same


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
    assert [item.quote for item in card.evidence] == [f"{REFUSED}127.0.0.1:5432", "npm run db -- --host db.local"]
    assert len(card.headline.split()) <= HEADLINE
    alone = rediscovery(turns[:2], error)
    assert alone is not None
    assert len(alone.evidence) == 1
    assert alone.score < card.score
    assert alone.fingerprint == card.fingerprint


# --- corrections in other scripts ---------------------------------------------------------------------------------------

OTHER_SCRIPTS = [
    "必ず pnpm を使って",
    "必须使用 pnpm,不要用 npm",
    "반드시 pnpm 을 사용해 주세요",
    "всегда используй pnpm",
    "استخدم pnpm دائما",
]


@pytest.mark.parametrize("words", OTHER_SCRIPTS)
def test_a_correction_in_any_script_is_a_card_with_the_words_as_they_are(words: str) -> None:
    step = command("npm install", True, "ok", "c1")
    stop = turn(Role.EVENT, "", happening=Happening.INTERRUPTION)
    refusal = turn(Role.EVENT, words, happening=Happening.REFUSAL)
    for signal, said in (("correction", [human(words)]), ("interruption", [stop, human(words)]), ("refusal", [refusal])):
        (candidate,) = detect(session(human("Go"), *step, *said))
        assert (candidate.headline.lower(), candidate.signal) == (words.lower(), signal)
        assert candidate.evidence[0].quote == words


@pytest.mark.parametrize(
    "words", ["続けてください", "继续", "계속해 주세요", "なぜ pnpm を使わないのですか？", "хорошо, дальше"]
)
def test_what_goes_on_or_asks_in_another_script_is_no_correction(words: str) -> None:
    assert detect(session(human("Go"), *command("npm install", True, "ok", "c1"), human(words))) == []


def test_a_task_in_another_script_is_no_correction() -> None:
    assert detect(session(human("pnpm の設定を見て"))) == []
