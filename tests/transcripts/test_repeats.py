"""What a turn is known by, and when a session is told a second time."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from curator.model import Locator, Role, Turn
from curator.transcripts.base import follow

A, B = follow.source("a.jsonl", "s1"), follow.source("b.jsonl", "s2")


def turn(text: str, role: Role = Role.HUMAN, *, session: str = "s1", record: str = "", at: float | None = None) -> Turn:
    return Turn(agent="codex", session=session, role=role, text=text, locator=Locator("a.jsonl", 1, 1, record), at=at)


def again(turns: list[Turn], teller: int, heard: dict[int, int], *, first: bool = True) -> list[bool]:
    """Which turns were heard before; remembers them."""
    found = [follow.keys(one) for one in turns]
    known = follow.find_repeats(turns, found, heard, teller, first=first)
    for key, source in follow.first_sources(found, known, heard, teller).items():
        heard.setdefault(key, source)
    return known


TALK = [turn("go"), turn("I look at it.", Role.ASSISTANT), turn("no, not there"), turn("I see.", Role.ASSISTANT)]


def dated(turns: list[Turn], at: float, step: float = 60, **more: object) -> list[Turn]:
    return [replace(one, at=at + step * index, **more) for index, one in enumerate(turns)]  # type: ignore[arg-type]


def test_a_record_is_known_by_its_id_whenever_and_wherever_it_stands() -> None:
    heard: dict[int, int] = {}
    assert again([turn("go", record="u1", at=5.0)], A, heard) == [False]
    assert again([turn("go", session="s2", record="u1", at=9.0)], B, heard) == [True]
    assert again([turn("go", session="s2", record="u2", at=5.0)], B, heard, first=False) == [False]


def test_without_an_id_words_are_known_by_their_second() -> None:
    heard: dict[int, int] = {}
    again([turn("go  on\n", at=5.2)], A, heard)
    assert again([turn("go on", session="s2", at=5.9)], B, heard) == [True]
    assert again([turn("go on", session="s2", at=6.1)], B, heard, first=False) == [False]
    assert again([turn("go on", Role.ASSISTANT, session="s2", at=5.2)], B, heard, first=False) == [False]


def test_without_a_time_words_are_known_within_their_session_only() -> None:
    heard: dict[int, int] = {}
    again([turn("yes")], A, heard)
    assert again([turn("yes", session="s2")], B, heard) == [False]
    assert again([turn("yes")], follow.source("copy.jsonl", "s1"), heard) == [True]
    assert again([turn("more"), turn("yes")], A, heard, first=False) == [False, False], "it may well be said twice"


def test_a_history_with_other_times_is_known_by_its_run_of_words() -> None:
    heard: dict[int, int] = {}
    again(dated(TALK, 1_000), A, heard)
    fork = dated([*TALK, turn("something new")], 9_000, 0, session="s2")
    assert again(fork, B, heard) == [True] * 4 + [False]
    assert again(fork, B, heard) == [True] * 4 + [False], "also when it is read again"


def test_sessions_that_merely_begin_alike_are_two() -> None:
    heard: dict[int, int] = {}
    again(dated(TALK, 1_000), A, heard)
    assert again(dated([*TALK[:2], turn("else")], 9_000, session="s2"), B, heard) == [False] * 3
    prompts = [turn("go"), turn("no, not there"), turn("go")]
    assert again(dated(prompts, 20_000, session="s3"), follow.source("c.jsonl", "s3"), heard) == [False] * 3


@given(st.lists(st.tuples(st.text(max_size=40), st.sampled_from(list(Role)), st.booleans()), max_size=12))
def test_whatever_is_told_a_first_copy_is_new_and_a_second_one_is_not(said: list[tuple[str, Role, bool]]) -> None:
    turns = [turn(text, role, at=float(index) if timed else None) for index, (text, role, timed) in enumerate(said)]
    heard: dict[int, int] = {}
    assert again(turns, A, heard) == [False] * len(turns)
    assert again(turns, A, heard) == [False] * len(turns), "a file read from its beginning repeats nobody"
    assert again(turns, follow.source("copy.jsonl", "s1"), heard) == [True] * len(turns)
    assert all(-(2**63) <= key < 2**63 for key in heard)


def test_text_that_is_no_unicode_has_keys() -> None:
    assert follow.keys(turn("\ud800")) == follow.keys(turn("\ud800"))
