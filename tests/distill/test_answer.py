"""A model's answer, read leniently: prose, fences, an object for an array, what breaks off."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as some

from curator.distill.gate import MAX_ANSWER_CHARACTERS, MAX_OBJECTS, Claim, read
from curator.model import Category, Durability, Relating

ONE = {
    "kind": "tooling",
    "headline": "Run `make db` first",
    "insight": "Tests need `make db`.",
    "line": 7,
    "quote": "make db must run first",
    "durability": "temporary",
    "worth": 3,
    "candidate": "C4",
    "relates": {"to": "L2", "how": "replaces"},
}
CLAIM = Claim(
    kind="tooling",
    headline="Run `make db` first",
    insight="Tests need `make db`.",
    line=7,
    quote="make db must run first",
    durability=Durability.TEMPORARY,
    must=True,
    candidate=4,
    lesson=2,
    relating=Relating.SUPERSEDES,
)
TEXT = json.dumps([ONE])


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        f"Here they are:\n```json\n{TEXT}\n```\nI hope [this] helps.",
        json.dumps(ONE),
        json.dumps({"lessons": [ONE]}),
        TEXT.replace("}}]", "},},]"),
        TEXT[:-1],
        TEXT[:-1] + ', {"kind": "tool',
        f"[{json.dumps(ONE)} {{broken}}]",
        f'<think>Perhaps [{{"headline": "no"}}]?</think>\n\n{TEXT}',
        f"Line [4] has a lesson.\n</think>{TEXT}",
    ],
)
def test_a_claim_is_found(text: str) -> None:
    assert read(text)[0] == CLAIM
    assert CLAIM.category is Category.TOOLING


@pytest.mark.parametrize(
    ("text", "count"), [("[]", 0), ("```json\n[]\n```", 0), ("{}", 0), (json.dumps([ONE] * 90), MAX_OBJECTS)]
)
def test_none_and_many(text: str, count: int) -> None:
    assert len(read(text)) == count


@pytest.mark.parametrize(
    "text", ["", "I found nothing.", "{" * 5_000, "[" * 200_000, "null", "x" * (MAX_ANSWER_CHARACTERS + 1)]
)
def test_what_is_no_answer_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="the answer"):
        read(text)


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("line", "[12]", ("line", 12)),
        ("line", True, ("line", 0)),
        ("line", -3, ("line", 0)),
        ("line", None, ("line", 0)),
        ("line", "9" * 5_000, ("line", 999_999_999)),
        ("headline", ["a"], ("headline", "")),
        ("candidate", 4, ("candidate", 0)),
        ("candidate", "L4", ("candidate", 0)),
        ("candidate", "candidate C 07", ("candidate", 7)),
        ("relates", "L2", ("lesson", 0)),
        ("relates", {"to": "L2", "how": "unrelated"}, ("lesson", 0)),
        ("relates", {"to": "C2", "how": "repeats"}, ("relating", None)),
        ("worth", 2, ("must", False)),
        ("worth", "3", ("must", True)),
    ],
)
def test_a_field_of_another_kind_counts_as_none(field: str, value: object, expected: tuple[str, object]) -> None:
    (claim,) = read(json.dumps([ONE | {field: value}]))
    assert getattr(claim, expected[0]) == expected[1]


@pytest.mark.parametrize(
    ("kind", "category"),
    [
        ("Bug Pattern", "bug-pattern"),
        ("failed_approach", "failed-approach"),
        ("x", None),
        ("**Bugs**", "bug-pattern"),
        ("project rule", "convention"),
        ("decisions", "decision"),
    ],
)
def test_kinds(kind: str, category: str | None) -> None:
    assert read(json.dumps([ONE | {"kind": kind}]))[0].category == category


VALUES = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats(allow_nan=False) | some.text(max_size=30),
    lambda inner: some.lists(inner, max_size=4) | some.dictionaries(some.sampled_from([*ONE, "x"]), inner, max_size=9),
    max_leaves=20,
)


@given(VALUES, some.integers(0, 400))
def test_whatever_it_says_nothing_else_is_raised(value: object, cut: int) -> None:
    for text in (json.dumps(value), json.dumps(value)[:cut], json.dumps([value, ONE])[cut:]):
        try:
            claims = read(text)
        except ValueError:
            continue
        assert all(isinstance(claim.headline, str) and claim.line >= 0 for claim in claims)
