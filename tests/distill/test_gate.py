"""Nothing that nobody said comes through, and nothing turned round."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.distill import gate
from curator.model import Wording
from tests.distill.conftest import BRIEF, GOOD


def worded(headline: str, insight: str = "") -> Wording:
    return Wording(headline, insight or headline, "")


@pytest.mark.parametrize(
    "wording",
    [
        worded(**GOOD),
        worded(
            "Never edit `vendor/` by hand", "Never edit `vendor/` by hand: the nightly sync overwrites it within 15 minutes."
        ),
        worded("Don't edit vendor/ by hand; change sync.toml"),
        worded("Hand edits in vendor/ are overwritten by the nightly sync", "Avoid editing vendor/: change sync.toml."),
    ],
)
def test_what_was_said_in_other_order_comes_through(wording: Wording) -> None:
    assert gate.fault(wording, BRIEF) == ""


@pytest.mark.parametrize(
    ("wording", "why"),
    [
        (worded("Never edit `vendor/` by hand, change `sync.yaml`"), "nobody said 'sync.yaml'"),
        (worded("Never edit vendor/http.py by hand, change sync.toml"), "nobody said 'vendor/http.py'"),
        (worded("Never edit vendor/ by hand: sync overwrites it within 5 minutes"), "nobody said '5'"),
        (worded("Never edit vendor/ by hand: sync overwrites it every two minutes"), "nobody said 'two'"),
        (worded("Never edit vendor/ by hand, run `make sync`"), "nobody said 'make sync'"),
        (worded("Never edit vendor/ by hand, sync with --force"), "nobody said '--force'"),
        (worded("Never edit vendor/ by hand, the nightly Jenkins sync overwrites it"), "nobody said 'Jenkins'"),
        (worded("Never edit vendor/ by hand, nightly syncVendor overwrites it"), "nobody said 'syncVendor'"),
        (worded("Never edit vendor/ by hand, the nightly git-sync overwrites it"), "nobody said 'git'"),
        (worded("Edit `vendor/` by hand, change `sync.toml`"), "has lost"),
        (worded("Edit `vendor/` by hand; the nightly sync overwrites `sync.toml`"), "has lost"),
        (worded("Never change `sync.toml`, edit `vendor/` by hand"), "nobody said its “not”"),
        (worded("Change `vendor/` by hand rather than `sync.toml`"), "nobody said its “not”"),
        (worded("No, edit `vendor/` by hand"), "nobody said its “not”"),
        (worded("Never let the nightly sync overwrite `vendor/`"), "nobody said its “not”"),
        (worded("Large binary assets never belong into release branches"), "too many"),
        (worded("Never edit `vendor/ by hand"), "backtick"),
        (worded("  "), "empty"),
        (worded("Never edit vendor/ by hand, change sync.toml, since the nightly sync overwrites it anyway"), "longer"),
        (worded("Never edit vendor/ by hand", "the nightly sync overwrites it " * 7), "longer"),
        (worded("the " * 3), "too many"),
    ],
)
def test_what_was_not_said_is_dropped_with_its_reason(wording: Wording, why: str) -> None:
    assert why in gate.fault(wording, BRIEF)


def test_a_prohibition_is_not_invented() -> None:
    brief = replace(
        BRIEF, headline="Change sync.toml", insight="Change sync.toml", quotes=("change sync.toml by hand",), excerpt=()
    )
    assert gate.fault(worded("Change sync.toml by hand"), brief) == ""
    assert "nobody said its “not”" in gate.fault(worded("Never change sync.toml by hand"), brief)


@pytest.mark.parametrize("told", ["`$!`-based tracking with `a.b`/`c_d`", "$!-based tracking with a.b/c_d"])
@pytest.mark.parametrize(
    "words", ["`$!`-based tracking with `a.b`/`c_d`", "$!-based tracking with a.b/c_d", "Tracking with `c_d`"]
)
def test_marks_of_code_may_come_and_go(told: str, words: str) -> None:
    brief = replace(BRIEF, headline=told, insight=told, quotes=(told,), excerpt=())
    assert gate.fault(worded(words), brief) == ""


def test_languages_without_blanks_are_measured_and_compared() -> None:
    said = "不要手动修改 vendor 目录，请改 sync.toml"
    brief = replace(BRIEF, headline=said, insight=said, quotes=(said,), excerpt=())
    assert gate.fault(worded("请改 sync.toml，不要手动修改 vendor 目录"), brief) == ""
    assert gate.fault(worded("数据库迁移必须先备份"), brief)
    assert "longer" in gate.fault(worded("请改" * 100), brief)


NAMES = st.from_regex(
    r"[a-z]{2,6}(/[a-z]{2,6}){1,2}\.py|--[a-z]{3,8}|[0-9]{1,4}|[a-z]{2,5}_[a-z]{2,5}|v[0-9]\.[0-9]", fullmatch=True
)


@settings(max_examples=60, deadline=None)
@given(NAMES, st.booleans(), st.booleans())
def test_an_invented_name_never_comes_through(name: str, code: bool, in_insight: bool) -> None:
    extra = f"`{name}`" if code else name
    headline, insight = GOOD["headline"], "Change `sync.toml`, never edit `vendor/` by hand."
    wording = worded(headline if in_insight else f"{headline} {extra}", f"{insight[:-1]} {extra}" if in_insight else insight)
    assert "nobody said" in gate.fault(wording, BRIEF)
    told = replace(BRIEF, context=f"somebody said {name} before")
    assert gate.fault(wording, told) == ""


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200), st.text(max_size=200))
def test_whatever_comes_through_is_short_and_was_said(headline: str, insight: str) -> None:
    wording = worded(headline, insight)
    if not gate.fault(wording, BRIEF):
        assert len(headline.split()) <= 12
        assert len(insight.split()) <= 30
        said = gate.words(f"{BRIEF.headline} {BRIEF.insight} {BRIEF.quotes} {BRIEF.excerpt}")
        assert {gate.stem(word) for word in gate.carrying(headline)} & {gate.stem(word) for word in said}
