"""Nothing of an answer is believed: the quote, the names, the words, each on its own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from curator.distill.gate import CARDS, Claim, Source, filter_claims, names
from curator.model import Locator, Role, Turn

SAID = (
    "no, **never** edit `vendor/` by hand: the nightly job of Gerrit overwrites it within 15 minutes,\n"
    "so change `sync.toml` instead"
)


def turn(line: int, text: str, **fields: object) -> Turn:
    values = {"agent": "codex", "session": "s", "role": Role.HUMAN, "text": text, "locator": Locator("a.jsonl", line, line)}
    return Turn(**(values | fields))  # type: ignore[arg-type]


TURNS = [
    turn(3, "please fix the timeout in vendor/lib/http.py"),
    turn(5, "", role=Role.TOOL_CALL, command="make sync-check", paths=("/app/vendor/lib/http.py",)),
    turn(7, SAID),
    turn(9, "done, sync.toml it is"),
]


def claim(**fields: object) -> Claim:
    values = {
        "kind": "constraint",
        "headline": "Change `sync.toml`, never edit `vendor/` by hand",
        "insight": "The nightly job of Gerrit overwrites `vendor/` within 15 minutes; change `sync.toml` instead.",
        "line": 7,
        "quote": "never edit vendor/ by hand: the nightly job",
    }
    return Claim(**(values | fields))  # type: ignore[arg-type]


def fate(one: Claim, known: str = "") -> str:
    """Why a claim does not pass; empty where it does."""
    _, refusals = filter_claims([one], TURNS, known)
    return refusals[0].reason if refusals else ""


@pytest.mark.parametrize("line", [5, 6, 7, 8, 9])
def test_what_was_said_passes_with_its_place_on_a_line_that_may_be_wrong_by_two(line: int) -> None:
    (lesson,), refusals = filter_claims([claim(line=line)], TURNS, "")
    assert not refusals
    assert TURNS[lesson.turn].text[lesson.start : lesson.end] == "**never** edit `vendor/` by hand: the nightly job"


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        (
            "the nightly job … change sync.toml",
            "the nightly job of Gerrit overwrites it within 15 minutes,\nso change `sync.toml`",
        ),
        ("“within 15 minutes, so change”", "within 15 minutes,\nso change"),
        ("NEVER EDIT VENDOR/", "**never** edit `vendor/`"),
    ],
)
def test_white_space_markdown_and_quotation_marks_do_not_count(quote: str, found: str) -> None:
    place = Source(TURNS, "").locate(quote, 7)
    assert place
    assert TURNS[place[0]].text[place[1] : place[2]] == found


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"quote": "always edit vendor/ by hand"}, "its quote is not in the session"),
        ({"quote": "please edit vendor/ by hand: the nightly job"}, "its quote is not in the session"),
        ({"quote": "no, always edit vendor/ by hand: the nightly job"}, "its quote is not in the session"),
        ({"quote": "no, edit vendor/ by hand: the nightly job"}, "its quote is not in the session"),
        ({"quote": "never edit vendor/ by hand: a nightly job"}, ""),
        ({"quote": "overwrites it within 20 minutes, so change"}, "its quote is not in the session"),
        ({"quote": "by hand"}, "its quote is not in the session"),
        ({"quote": ""}, "no headline or no quote"),
        ({"headline": " ", "insight": ""}, "no headline or no quote"),
        ({"kind": "wisdom"}, "no such kind"),
        ({"insight": "Run ` ` and `make vendor` first."}, "names what is not in the session"),
        ({"insight": "Change it\u200b instead."}, "hidden characters"),
        ({"headline": "Change \x1b[2Jit"}, "hidden characters"),
        ({"insight": "The token is ghp_" + "a1B2" * 9}, "a secret in it"),
    ],
)
def test_what_does_not_pass(fields: dict[str, object], reason: str) -> None:
    assert fate(claim(**fields)) == reason


def test_a_name_may_stand_in_a_command_a_path_or_below_the_session() -> None:
    assert not fate(claim(insight="Run `make sync-check` after a change of vendor/lib/http.py."))
    assert fate(claim(insight="Use pnpm 9 here."))
    assert not fate(claim(insight="Use pnpm 9 here."), "L1 tooling: use pnpm 9")


def test_at_most_five_pass_and_none_twice() -> None:
    many = [claim(headline=f"{word} sync.toml") for word in ("Change", "change", "Edit", "Mind", "Watch", "Keep", "Take")]
    passed, refusals = filter_claims(many, TURNS, "")
    assert len(passed) == CARDS
    assert [one.reason for one in refusals] == ["said twice", "one too many"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Use pnpm, not npm", []),
        ("The CI needs PRs and an API", []),
        ("Run `make dev` on Fedora 41, e.g. with --fast", ["make dev", "Fedora", "41", "--fast"]),
        ("Node-based hooks read `~/.npmrc`", ["~/.npmrc"]),
        ("Docker's cache. Then it fits", []),
        ("It breaks under Docker's cache", ["Docker"]),
        ("feat(scope): write ctx.Err() and main...branch", ["feat", "ctx.Err", "main...branch"]),
    ],
)
def test_names(text: str, expected: list[str]) -> None:
    assert [name for name in names(text) if name != "feat"] == [name for name in expected if name != "feat"]


@given(some.text(max_size=120), some.text(max_size=120), some.integers(0, 20))
def test_any_quote_is_answered(quote: str, text: str, line: int) -> None:
    place = Source([turn(3, text), *TURNS], "").locate(quote, line)
    assert place is None or place[1] < place[2]
