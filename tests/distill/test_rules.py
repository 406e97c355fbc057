"""A model's rule for several lessons passes only if its lessons say all that it says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from curator.distill import questions

LESSONS = (
    "Start Redis with `make redis` before the ledger's tests",
    "The tests of the ledger hang without Redis",
    "Amounts are stored in cents",
)
RULE: dict[str, Any] = {
    "rule": "Start Redis before the ledger's tests",
    "insight": "Run `make redis` before the ledger's tests, else they hang.",
    "of": [1, 2],
    "quotes": ["Start Redis with `make redis`", "hang without Redis"],
}
APART = {"rule": "", "insight": "", "of": [3], "quotes": []}


def read(*objects: object) -> list[questions.Rule]:
    return questions.read_rules(f"Here:\n{json.dumps(objects)}", LESSONS)


def test_a_rule_has_its_words_its_lessons_and_a_quote_of_each() -> None:
    (found,) = read(RULE, APART)
    assert (found.headline, found.members) == (RULE["rule"], (0, 1))
    assert found.quotes == tuple(RULE["quotes"])
    assert read({**APART, "of": [1, 2, 3]}) == []


@pytest.mark.parametrize(
    ("objects", "said"),
    [
        ([RULE], "account for each lesson"),
        ([RULE, {**APART, "of": [2, 3]}], "account for each lesson"),
        ([RULE, {**APART, "of": [3, 4]}], "account for each lesson"),
        ([{**RULE, "of": [1]}, {**APART, "of": [2, 3]}], "one lesson alone"),
        ([{**RULE, "insight": "Run `make valkey` first."}, APART], "name what was not sent: make valkey"),
        ([{**RULE, "insight": "Amounts are in `cents` for make_redis."}, APART], "name what was not sent"),
        ([{**RULE, "quotes": ["Start Redis with `make redis`", "hang in CI"]}, APART], "does not stand in its lesson"),
        ([{**RULE, "quotes": ["Start Redis with `make redis`"]}, APART], "does not stand in its lesson"),
        ([{**RULE, "rule": "word " * 20}, APART], "too long"),
    ],
)
def test_anything_else_is_refused(objects: list[object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read(*objects)


def test_the_prompt_numbers_the_lessons() -> None:
    assert questions.rules_prompt(LESSONS).endswith(
        "\n[1] " + LESSONS[0] + "\n[2] " + LESSONS[1] + "\n[3] " + LESSONS[2] + "\n"
    )
