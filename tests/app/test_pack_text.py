"""Packs: whole lessons within a budget, none twice, places named once, and always the same for the same lessons."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from curator.app.agents.packs import Pack, compile, render, tokens
from curator.model import Entry, State
from curator.text.statement import quotation

Make = Callable[..., Entry]


@pytest.fixture
def lesson(make: Make) -> Make:
    def made(text: str, *paths: str, **fields: object) -> Entry:
        scope = "paths" if paths else "project"
        return make(**({"state": State.ACTIVE, "headline": text, "insight": text, "scope": scope, "paths": paths} | fields))

    return made


def test_one_line_a_lesson_best_first(lesson: Make) -> None:
    pack = compile([lesson("Log errors once"), lesson("Keep migrations\nreversible")])
    assert pack.text == "Lessons:\n- “Log errors once” (kept 2026-05-28)\n- “Keep migrations reversible” (kept 2026-05-28)"
    assert pack.tokens == tokens(pack.text) == 22


def test_a_headline_stands_in_for_an_insight(lesson: Make) -> None:
    assert compile([lesson("Use uv", insight="")]).text == "Lessons:\n- “Use uv” (kept 2026-05-28)"


def test_lessons_of_one_place_stand_together_and_what_places_share_is_said_once(lesson: Make) -> None:
    one, other = lesson("Retry twice", "src/http/client.py"), lesson("Send a user agent", "src/http/client.py")
    text = compile([one, lesson("Log errors once"), lesson("Close sockets", "src/http/**"), other]).text
    assert text.split("\n") == [
        "Lessons (paths below src/http/):",
        "- “Log errors once” (kept 2026-05-28)",
        "In client.py:",
        "- “Retry twice” (kept 2026-05-28)",
        "- “Send a user agent” (kept 2026-05-28)",
        "In **:",
        "- “Close sockets” (kept 2026-05-28)",
    ]


def test_places_with_nothing_in_common_keep_their_names(lesson: Make) -> None:
    text = compile([lesson("Retry twice", "src/a.py"), lesson("Close sockets", "web/**", "api/**")]).text
    assert text.split("\n")[1::2] == ["In src/a.py:", "In api/**, web/**:"]


def test_what_has_no_room_is_left_out_whole_and_a_shorter_one_still_fits(lesson: Make) -> None:
    long, short = lesson("word " * 60), lesson("Log errors once")
    pack = compile([long, short], budget=20)
    assert (pack.lessons, pack.left_out) == ((short.id,), 1)
    assert compile([long], budget=20) == Pack("", (), 1, 0)


@pytest.mark.parametrize(
    ("one", "two", "alike"),
    [
        ("Retry uploads with backoff", "Retry the uploads, with backoff.", True),
        ("Retry uploads with backoff", "Never retry uploads with backoff", False),
        ("Wait 30 seconds for the pool", "Wait 60 seconds for the pool", False),
        ("Call parse_rows before the pool closes", "Call parse_row before the pool closes", False),
        ("Lint before tests", "Lint after tests", False),
        ("Log errors once", "Close sockets", False),
    ],
)
def test_what_is_nearly_the_same_is_there_once(lesson: Make, one: str, two: str, alike: bool) -> None:
    first, second = lesson(one), lesson(two)
    pack = compile([first, second])
    assert pack.lessons == ((first.id,) if alike else (first.id, second.id))
    assert pack.alike == alike


def test_what_is_denied_is_no_repetition_of_what_is_asked_for(lesson: Make) -> None:
    rules = [lesson("Run tests with pytest, never with unittest"), lesson("Run tests with unittest, never with pytest")]
    assert len(compile(rules).lessons) == 2


def test_the_same_words_of_another_place_are_another_lesson(lesson: Make) -> None:
    assert len(compile([lesson("Use tabs", "web/**"), lesson("Use tabs", "api/**")]).lessons) == 2


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]), min_size=1, max_size=60)


@given(st.lists(st.tuples(TEXTS, st.sampled_from(["", "a/**", "a/b.py", "c/*.ts"])), max_size=12), st.integers(0, 120))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_for_any_lessons_the_budget_holds_and_none_is_cut(lesson: Make, given_: list[tuple[str, str]], budget: int) -> None:
    lessons = [lesson(text, *([path] if path else [])) for text, path in given_]
    pack = compile(lessons, budget)
    assert pack == compile(lessons, budget)
    assert pack.tokens <= budget
    assert len(pack.lessons) + pack.left_out + pack.alike == len(lessons)
    kept = [entry for entry in lessons if entry.id in pack.lessons]
    assert pack.text == render(kept)
    lines = pack.text.split("\n")
    assert all(f"- {quotation(entry)}" in lines for entry in kept)
