"""What one rule forbids and another asks for is told, whatever reasons they give, and hardly anything else is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.comparison import relate
from curator.comparison.demands import demands, find_opposition
from curator.model import Relating
from tests.comparison.rules import BESIDE, CLASHING
from tests.comparison.test_relate import lesson

CONFLICTS = (Relating.SUPERSEDES, Relating.CONTRADICTS)


def clash(older: str, newer: str, *, guess: bool = True) -> tuple[tuple[str, str], ...] | None:
    found = relate(lesson(newer, "B"), [lesson(older, "A")], guess=guess)
    return found.clash if found is not None and found.relating in CONFLICTS else None


def test_of_made_up_rules_that_clash_most_are_told_and_of_others_hardly_any() -> None:
    missed = [pair for pair in CLASHING if clash(*pair) is None]
    wrong = [pair for pair in BESIDE if clash(*pair) is not None]
    assert len(missed) <= 9, missed
    assert len(wrong) <= 2, wrong


@pytest.mark.parametrize(
    ("older", "newer", "words"),
    [
        (
            "Run the tests with gotestsum, not go test",
            "Always run the tests with go test, not gotestsum, the CI image does not have it",
            ("Run the tests with gotestsum", "not gotestsum"),
        ),
        ("Indent with tabs", "Use four spaces, no tabs", ("Indent with tabs", "no tabs")),
        ("Pin every dependency", "Don't pin dependencies", ("Pin every dependency", "Don't pin dependencies")),
        ("Check types with pytype", "Stop using pytype", ("pytype", "Stop using pytype")),
        ("Mock the clock in slow tests", "Never mock the clock in tests", None),
    ],
)
def test_what_is_forbidden_and_asked_for_is_no_guess(older: str, newer: str, words: tuple[str, str] | None) -> None:
    found = clash(older, newer, guess=False)
    assert found is not None
    assert words is None or found == (words,)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Never mock the clock in tests", "Mock the clock in slow tests"),
        ("Never use sudo in scripts, never curl into a shell, and pin every download", "Use sudo in scripts to write to /etc"),
        ("Never push to main", "Push to main when a hotfix is due"),
    ],
)
def test_what_asks_for_a_special_case_is_shown_and_takes_nobodys_place(older: str, newer: str) -> None:
    found = relate(lesson(newer, "B"), [lesson(older, "A")])
    assert found is not None
    assert (found.relating, found.certain) == (Relating.CONTRADICTS, False)
    assert relate(lesson(newer, "B"), [lesson(older, "A")], guess=False) is None


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Never commit kv.db", "Never commit .env"),
        ("Never edit files under site by hand", "Never edit files under web by hand"),
        ("Never deploy the app without a ticket", "Deploy the app with make deploy"),
        ("Don't log in tests when CI is slow", "Log in tests"),
        ("Never edit the schema by hand", "Edit the schema only through make schema"),
        ("Never push to main unless CI is down", "Push to main"),
        ("Never use more than 3 workers", "Use 3 workers"),
        ("Use tabs in Makefiles, not spaces", "Use spaces in Python files"),
        ("Run go test before a push", "Run go vet before a push"),
    ],
)
def test_what_is_forbidden_in_another_case_clashes_with_nothing(older: str, newer: str) -> None:
    assert clash(older, newer) is None
    assert clash(newer, older) is None


def test_a_reason_demands_nothing() -> None:
    assert demands("Sort with foo, it never needs bar")[0].roots == demands("Sort with foo")[0].roots
    assert len(demands("Sort with foo because bar does not sort")) == 1
    assert demands("It never worked") == ()


@given(st.text(alphabet="abN t'n.,;:()`-\n", max_size=60), st.text(alphabet="abN t'n.,;:()`-\n", max_size=60))
def test_any_two_texts_can_be_held_against_each_other(one: str, other: str) -> None:
    found = find_opposition(one, other, lambda root: 1.0)
    turned = find_opposition(other, one, lambda root: 1.0)
    assert (found is None) is (turned is None)


@given(st.sampled_from([text for pair in (*CLASHING, *BESIDE) for text in pair]))
def test_no_rule_clashes_with_itself(text: str) -> None:
    assert find_opposition(text, text, lambda root: 1.0) is None
