"""A session as a page: who said what, what failed; the same bytes for the same turns, and no secret."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from curator.app.sessions.origins import sessions
from curator.app.sessions.scan import find_transcripts
from curator.distill import digest
from curator.distill.digest import MARKER, prompt
from curator.distill.gate import normalize_for_matching
from curator.model import Candidate, Category, Evidence, Happening, Locator, Role, Turn
from tests.files import SHARED
from tests.transcripts import transcript_records as records


def turn(line: int, role: Role, text: str, **fields: object) -> Turn:
    values = {"agent": "claude-code", "session": "s1", "role": role, "text": text, "locator": Locator("a.jsonl", line, line)}
    return Turn(**(values | fields))  # type: ignore[arg-type]


def page(*turns: Turn) -> list[str]:
    return "\n".join(part.text for part in digest.parts(turns)).splitlines()


def test_what_was_said_and_what_failed_has_a_line_and_the_rest_shares_one() -> None:
    failed = turn(6, Role.TOOL_RESULT, "trace\n" * 99 + "error: no lock file", command="npm ci", ok=False)
    assert page(
        turn(1, Role.HUMAN, "make the\ntests pass"),
        turn(2, Role.ASSISTANT, "I look."),
        turn(3, Role.TOOL_CALL, "", tool="Read", paths=("/app/a.py",)),
        turn(4, Role.TOOL_CALL, "", tool="Read", paths=("/app/b.py",)),
        turn(5, Role.TOOL_CALL, "", tool="Bash", command="npm ci"),
        failed,
        turn(7, Role.TOOL_CALL, "", tool="Edit", paths=("/app/src/api.ts",)),
        turn(8, Role.HUMAN, "use pnpm, never npm"),
    ) == [
        "[1] USER: make the tests pass",
        "[2] AGENT: I look.",
        "· Read×2, $ npm ci",
        f"[6] $ npm ci ✗ … {('trace ' * 99 + 'error: no lock file')[-240:].lstrip()}",
        "· edit api.ts",
        "[8] USER: use pnpm, never npm",
    ]


def test_circumstances_are_named_and_of_a_subagent_stands_what_it_said_last() -> None:
    assert page(
        turn(1, Role.EVENT, "not there", happening=Happening.REFUSAL),
        turn(2, Role.EVENT, "", happening=Happening.INTERRUPTION),
        turn(3, Role.EVENT, "SQLite", happening=Happening.ANSWER),
        turn(4, Role.HUMAN, "and the docs", happening=Happening.QUEUED),
        turn(5, Role.HUMAN, "run it", automated=True),
        turn(6, Role.HUMAN, "find the leak", sidechain=True),
        turn(7, Role.ASSISTANT, "I search", sidechain=True),
        turn(8, Role.ASSISTANT, "The pool is never closed.", sidechain=True),
        turn(9, Role.ASSISTANT, "Found."),
    ) == [
        "[1] USER (refusal): not there",
        "[2] USER (interruption)",
        "[3] USER (answer): SQLite",
        "[4] USER (while the agent worked): and the docs",
        "[5] SCRIPT: run it",
        "[8] SUBAGENT: The pool is never closed.",
        "[9] AGENT: Found.",
    ]


def test_code_becomes_its_size_and_long_words_their_beginning_and_end() -> None:
    (line,) = page(turn(1, Role.ASSISTANT, "So:\n```py\na = 1\nb = 2\n```\n" + "word " * 4_000 + "at last"))
    assert line.startswith("[1] AGENT: So: [code 2 lines] word word")
    assert line.endswith("word word at last")
    assert len(line) < digest.AGENTS + 20


def test_an_agents_short_turns_leave_room_for_the_long_ones() -> None:
    long = "start " + "word " * 900 + "middle " + "word " * 900 + "end"
    alone = page(*(turn(at, Role.ASSISTANT, "Done.") for at in range(1, 90)), turn(90, Role.ASSISTANT, long))
    assert alone[-1] == f"[90] AGENT: {long}"
    crowded = page(*(turn(at, Role.ASSISTANT, long) for at in range(1, 90)))
    assert {len(line.partition("AGENT: ")[2]) // 10 for line in crowded} == {digest.AGENT // 10}


def test_a_plan_and_a_list_of_decisions_keep_more_than_other_words() -> None:
    points = "\n".join(f"{at}. {'word ' * 60}decision{at}" for at in range(1, 9))
    plan, decisions, words = page(
        turn(1, Role.ASSISTANT, f"Implement the following plan:\n{points}"),
        turn(2, Role.HUMAN, points),
        turn(3, Role.HUMAN, points.replace(". ", " ")),
    )
    assert plan.startswith("[1] USER (accepted plan): Implement the following plan: 1. word")
    for line in (plan, decisions):
        assert all(f"decision{at}" in line for at in range(1, 9))
    assert "decision5" not in words


def test_code_in_a_short_message_of_a_person_stays() -> None:
    assert page(turn(1, Role.HUMAN, "we get:\n```\nerror TS1205\n```")) == ["[1] USER: we get: ``` error TS1205 ```"]


def test_a_failed_command_shows_its_first_error_and_its_end() -> None:
    output = "start\nerror TS2769: No overload matches this call.\n" + "at frame\n" * 400 + "2 problems"
    (line,) = page(turn(1, Role.TOOL_RESULT, output, command="tsc", ok=False))
    assert line.startswith("[1] $ tsc ✗ error TS2769: No overload matches this call. … ")
    assert line.endswith("at frame 2 problems")


def test_the_home_is_not_told_and_other_people_s_are_not_taken_for_it(isolation: Path) -> None:
    home = str(isolation)
    (sent,) = digest.sendable([turn(1, Role.HUMAN, f"see {home}/a, {home}s/b", command=f"ls {home}")])
    assert (sent.text, sent.command) == (f"see ~/a, {home}s/b", "ls ~")


def test_a_masked_secret_stays_masked_in_what_is_asked(tmp_path: Path) -> None:
    key = "sk-" + "ant-api03-" + "a1B2c3D4" * 8
    path = records.write(tmp_path / "s1.jsonl", records.user(f"the key is {key}, never print it"))
    (turns,) = sessions(path).values()
    (line,) = page(*digest.sendable(turns))
    assert "never print it" in line
    assert key not in line
    text = prompt(line, "Lessons that are known:\nL1 tooling: run make")
    assert text.startswith(MARKER), "what is asked says that it is ours"
    assert text.index(line) < text.index("L1 tooling")


def test_a_long_session_comes_in_parts_that_begin_where_a_person_speaks() -> None:
    turns = [turn(at, Role.HUMAN if at % 10 == 1 else Role.ASSISTANT, f"{at} " + "word " * 80) for at in range(1, 400)]
    parts = digest.parts(turns)
    assert len(parts) > 3
    assert all(len(part.text) <= digest.MAX_PART_CHARACTERS for part in parts)
    assert all("] USER: " in part.text.partition("\n")[0] for part in parts)
    assert [at for part in parts for at in part.turns] == list(range(len(turns)))


@pytest.mark.parametrize("window", [digest.smallest_window(), 8_192, 16_384])
def test_every_part_fits_into_the_window_of_the_model(window: int) -> None:
    turns = [turn(at, Role.HUMAN if at % 9 == 1 else Role.ASSISTANT, f"{at} " + "word " * 80) for at in range(1, 200)]
    turns += [turn(200, Role.HUMAN, "long"), turn(201, Role.ASSISTANT, f"Implement the following plan: {'word ' * 3_000}")]
    most = digest.part_characters(window)
    parts = digest.parts(turns, most)
    assert all(len(part.text) <= most for part in parts)
    longest = max(digest.tokens(prompt(part.text, "x" * digest.BELOW)) for part in parts)
    assert 0.7 * window < longest + digest.ANSWER <= window
    assert [at for part in parts for at in part.turns] == list(range(len(turns)))


def test_what_stands_below_a_digest_takes_no_more_than_its_room() -> None:
    proof = Evidence(quote="q", role=Role.HUMAN, file="a", line=99_999, line_end=99_999)
    one = Candidate(
        category=Category.FAILED_APPROACH, headline="h", insight="word " * 200, evidence=(proof,), score=0.5, score_parts={},
        signal="s", fingerprint="",
    )  # fmt: skip
    share = digest.CANDIDATES / (digest.CANDIDATES + digest.LESSONS)
    assert len(digest.candidates_and_lessons([one] * 99, ())) <= digest.BELOW * share


ROLES = some.sampled_from([Role.HUMAN, Role.ASSISTANT, Role.TOOL_CALL, Role.TOOL_RESULT, Role.EVENT])
TURNS = some.lists(
    some.builds(
        lambda line, role, text, ok, command, side: turn(line, role, text, ok=ok, command=command, sidechain=side),
        some.integers(1, 10_000),
        ROLES,
        some.text(max_size=3_000),
        some.sampled_from([None, True, False]),
        some.text(max_size=300),
        some.booleans(),
    ),
    max_size=40,
)


@given(TURNS)
def test_the_same_turns_give_the_same_bytes_in_one_line_each(turns: list[Turn]) -> None:
    parts = digest.parts(turns)
    assert parts == digest.parts(list(turns))
    for part in parts:
        assert part.text
        assert all(line.startswith(("[", "·", "(")) for line in part.text.split("\n"))
    assert [at for part in parts for at in part.turns] == list(range(parts[0].turns.start, len(turns))) if parts else True


@pytest.mark.skipif(not (SHARED / "transcripts").is_dir(), reason="the shared transcripts are not beside this checkout")
def test_real_sessions_are_short_and_lose_few_labelled_places() -> None:
    gold = [json.loads(line) for file in (SHARED / "eval" / "detection").glob("gold_*.jsonl") for line in file.open()]
    gold = [row for row in gold if int(row.get("worth", 2)) >= 2 and row.get("message") is None]
    sizes, kept, shown, wanted = list[int](), 0, 0, 0
    for path in find_transcripts(SHARED / "transcripts")[::16]:  # all of them take long, and say the same
        places, said = list[tuple[int, int]](), ""
        for turns in sessions(path).values():
            text = page(*digest.sendable(turns))
            sizes.append(sum(map(len, text)))
            said += normalize_for_matching("".join(text))
            numbers = {int(line[1 : line.index("]")]) for line in text if line.startswith("[")}
            places += [(one.locator.line, one.locator.line_end) for one in turns if one.locator.line in numbers]
        for row in gold:
            last = row.get("line_end") or row["line"]
            here = str(path).endswith(f"/{row['file']}")
            wanted += here
            shown += here and normalize_for_matching(row["quote"]) in said
            kept += here and any(first - 2 <= last and row["line"] <= end + 2 for first, end in places)
    assert sum(sizes) / len(sizes) / digest.PER_TOKEN <= 2_900
    assert wanted > 40
    assert kept >= 0.92 * wanted
    assert shown >= 0.82 * wanted
