"""What a pair of statements is judged by: what is turned down and asked for, the parts of an entry, edits of code."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.comparison.demands import denial_features, denials
from curator.comparison.features import FREELY, features
from curator.comparison.statement import analyse, entry, frame_features, statement_tokens


def same(root: str) -> float:
    """All roots tell as much."""
    return 1.0


def turned_down(text: str) -> list[str]:
    return [" ".join(phrase) for phrase in denials(text).phrases]


@given(st.text(alphabet="ab `*,.;:()—-_/'’n\t\n0É²", max_size=60))
@settings(max_examples=80, deadline=None)
def test_written_tokens_are_those_that_are_compared(text: str) -> None:
    assert tuple(token.word for token in statement_tokens(text)) == analyse(text).tokens


def test_code_is_what_stands_in_backticks_or_is_a_command_alone() -> None:
    def code(text: str) -> list[str]:
        return [token.word for token in statement_tokens(text) if token.code]

    assert code("Run `make all` twice") == ["make", "all"]
    assert code("make all -j4  # builds everything") == ["make", "all", "-j4"]
    assert code("make sure that all of the fixtures are closed before the next test of them starts") == []


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("Never deploy on Friday", ["deploy friday"]),
        ("Never use spaces for indentation", ["spac indent"]),
        ("Use tabs instead of spaces", ["spac"]),
        ("Prefer tabs over spaces, since editors agree", ["spac"]),
        ("NEVER run: `cargo clean`", ["run cargo clean"]),
        ("Remove the cache", ["cach"]),
        ("Not only the tests but the linter must pass", []),
        ("If the port is not free, take another", []),
        ("Start the proxy first, because it does not retry", []),
        ("Code in `not here` counts", []),
    ],
)
def test_what_a_statement_turns_down(text: str, phrases: list[str]) -> None:
    assert turned_down(text) == phrases


def test_what_is_turned_down_is_not_asked_for() -> None:
    found = denials("Use the wrapper, never the bare compiler")
    assert "wrap" in found.demands
    assert "compil" not in found.demands


def test_a_ban_meets_what_the_other_asks_for_and_not_what_it_bans_too() -> None:
    ban, wish = "Never squash commits of a branch", "Squash commits of a branch before the review"
    assert "a turns down>0.85" in set(denial_features(ban, wish, same))
    assert "b turns down>0.85" in set(denial_features(wish, ban, same))
    both = set(denial_features(ban, "Do not squash commits of others", same))
    assert "both turn down>0.6" in both
    assert not any(name.startswith("a turns down") for name in both)


def test_a_ban_of_something_else_meets_nothing() -> None:
    assert not set(denial_features("Never squash commits", "Keep the changelog short", same))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("`src/api/` - request handlers", ("src/api/", "request handlers")),
        ("- **Tests**: they stand beside the code", ("tests", "they stand beside the code")),
        ("Formatting: four spaces", ("formatting", "four spaces")),
        ("zip build/  # packs the release", ("zip build/", "packs the release")),
        ("core — shared types", ("core", "shared types")),
        ("Run the linter before pushing", None),
        ("`alone`", None),
    ],
)
def test_an_entry_has_a_name_and_a_description(text: str, parts: tuple[str, str] | None) -> None:
    assert entry(text) == parts


def test_an_entry_that_is_renamed_differs_from_one_beside_it() -> None:
    renamed = set(frame_features("`web/views/` - pages of the shop", "`web/view/` - pages of the shop", same))
    beside = set(frame_features("`web/` - pages of the shop", "`core/` - shared types", same))
    assert "entry like, same" in renamed
    assert "entry other, other" in beside


def test_another_means_for_the_same_purpose_is_seen() -> None:
    assert "says other for same" in set(
        frame_features("Use Redis for the session store", "Use Valkey for the session store", same)
    )
    assert "says same for other" in set(frame_features("Use Redis for the session store", "Use Redis for the job queue", same))


def test_an_edit_of_code_is_told_from_one_of_words() -> None:
    def shown(older: str, newer: str) -> set[str]:
        return {name for name in features(older, newer, same) if "code" in name and "+" not in name}

    assert shown("Build it all with `make docs` at night", "Build it all with `make -j4 docs` at night") >= {
        "code added",
        "only code",
    }
    assert shown("Build it all with `make docs` at night", "Build it all with `make web` at night") >= {
        "code for code",
        "only code",
    }
    assert not shown("Build it all with `make docs` at night", "Build it all with `make docs` on each night")


def test_only_whole_sentences_that_share_no_order_are_in_free_words() -> None:
    older = "The scheduler drops a job that has waited longer than an hour, so retries belong to the caller."
    newer = "Whoever calls must retry by themselves: after an hour in the queue jobs are thrown away silently."
    assert FREELY in features(older, newer, same)
    assert FREELY not in features(older, older.replace("an hour", "a day"), same)


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "text", ["`a`" + " " * 1200, "*" * 1200, "`" * 1200, "a " * 600 + "#", ": " * 600, "not " * 300, "(" * 1200]
)
def test_hostile_texts_are_taken_apart_in_time(text: str) -> None:
    features(text, text + "x", same)
