"""Wordings only leave out: no lead-ins, clean ends, exact code, a sign where something is cut, offers that differ."""

from __future__ import annotations

import re
import sys
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.detection.wording import HEADLINE, INSIGHT, distinct, needs_context, plain, shorten, without_lead_in, wordings
from curator.model import Wording


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Actually, we never mock the clock.", "We never mock the clock"),
        ("The root cause is that the cache outlives the session.", "The cache outlives the session"),
        ("You're right — the flag is read once at startup", "The flag is read once at startup"),
        ("Turns out `go vet` needs the build tag", "`go vet` needs the build tag"),
        ("can you please always use tabs", "Always use tabs"),
        ("The problem was with how YAML reads the template", "The problem was with how YAML reads the template"),
        ("No migrations may be edited once merged", "No migrations may be edited once merged"),
        ("Stop using jest", "Stop using jest"),
        ("can you use a switch instead of linked ifs?", "Use a switch instead of linked ifs"),
        ("Why aren't we using table-driven tests?", "Why aren't we using table-driven tests?"),
        ("Done — `fetch` now retries once", "`fetch` now retries once"),
        ("I found the old films and the folder, so I'm done", "I found the old films and the folder, so I'm done"),
        ("Note that go-git reads no global settings", "go-git reads no global settings"),
        ("(1) the hook runs in a subshell", "The hook runs in a subshell"),
        ("3 - 4 fixtures are written by hand", "3 - 4 fixtures are written by hand"),
        ("In addition, fixtures are written by hand", "Fixtures are written by hand"),
        ("The wrong assumption was that the cache is safe", "The wrong assumption was that the cache is safe"),
        ("No-op commits are not pushed", "No-op commits are not pushed"),
        ("So-called experts are not asked", "So-called experts are not asked"),
        ("Besides the tests, run the linter", "Besides the tests, run the linter"),
        ("For 3, 4 and 5 retries are needed", "For 3, 4 and 5 retries are needed"),
        ("Let's NOT run the pipeline", "Let's NOT run the pipeline"),
    ],
)
def test_lead_ins_go_and_statements_stay(said: str, told: str) -> None:
    assert without_lead_in(said) == told


def test_markup_goes_and_code_stays_exact() -> None:
    assert plain("**Never** edit [the schema](docs/x.md) with `a_b_c --force`") == "Never edit the schema with `a_b_c --force`"
    assert plain("*never* run src/*/main.py _twice_ in (_qt_compat) 🎉") == "never run src/*/main.py twice in (_qt_compat)"


@pytest.mark.parametrize(
    ("headline", "rest"),
    [
        (
            "The exporter writes the file before the lock is taken",
            ", so a second window that somebody opens at that very moment may see half of it at start",
        ),
        (
            "Session files in the projects folder of the agent carry plain ids",
            " (no dates in front of them, whatever the docs say about it in their second part)",
        ),
        ("The bell component is trying to import a hook for toasts that doesn't exist any more", ""),
        ("In a notebook with `%gui qt`, you should not call `run()`, because the kernel runs the event loop already", ""),
        (
            "Keep the adapter tests for the streaming provider of the legacy gateway and of both its older neighbours",
            " in the folder of the provider itself",
        ),
        (
            "Keep them as small testable units that know nothing of one another (unless the other options are better)",
            " in the core package of this big workspace",
        ),
        (
            "Restart the workers and the scheduler of the test cluster and those of the two staging clusters together by hand…",
            " during the migration of bills",
        ),
        ("Never commit kv.db. It contains customer data", "."),
    ],
)
def test_a_headline_is_the_statement_or_a_clause_of_it(headline: str, rest: str) -> None:
    assert wordings(headline.rstrip("…") + rest)[0].headline == headline


def test_an_insight_keeps_the_exception_that_a_headline_has_no_room_for() -> None:
    said = (
        "We never restart the workers or the scheduler by hand in any of the production clusters "
        "unless the on-call person of that very week has agreed"
    )
    (worded,) = wordings(said)
    assert (worded.headline[-1], worded.insight) == ("…", said)


def test_text_without_spaces_is_cut_by_letters() -> None:
    told = shorten("所有的测试都必须使用表驱动的形式，" * 30, HEADLINE)
    assert told.endswith("…")
    assert len(told) < 14 * HEADLINE + 2


@pytest.mark.parametrize(
    ("said", "heading", "before", "headline"),
    [
        ("It drops the cache on every login.", "", "The culprit is `Store`.", "`Store` drops the cache on every login"),
        ("It must run before the migration.", "Seed script", "", "Seed script: it must run before the migration"),
        ("It must run before the migration.", "Root cause", "", "It must run before the migration"),
        ("This repo has no tests", "Seed script", "", "This repo has no tests"),
    ],
)
def test_a_pronoun_gets_its_name_where_one_is_near(said: str, heading: str, before: str, headline: str) -> None:
    assert wordings(said, heading=heading, before=before)[0].headline == headline


def test_a_headline_that_leans_on_what_was_said_before_is_told() -> None:
    assert needs_context("It must run before the migration")
    assert not needs_context("Seed script: it must run before the migration")


@pytest.mark.parametrize(
    ("before", "after", "insight"),
    [
        ("", "The tags on them are signed.", "Never rebase release branches. The tags on them are signed"),
        ("", "It breaks the tags on them.", "Never rebase release branches. It breaks the tags on them"),
        ("The tags of releases are signed.", "", "The tags of releases are signed. Never rebase release branches"),
        ("Good, I've found the issue.", "", ""),
        ("For the sake of the data.", "Did it work this time around?", ""),
    ],
)
def test_a_neighbour_is_offered_with_a_statement_if_it_is_one_itself(before: str, after: str, insight: str) -> None:
    offers = wordings("Never rebase release branches", before=before, after=after)[1:]
    assert [offer.insight for offer in offers] == [insight][: bool(insight)]


def letters(text: str) -> str:
    """A text without case, spaces and punctuation."""
    return "".join(filter(str.isalnum, text.lower()))


def test_where_nothing_else_can_be_said_nothing_else_is_offered() -> None:
    assert [offer.label for offer in wordings("Never commit kv.db.")] == ["worded"]
    assert distinct([Wording("Use C.", "", "one"), Wording("use `C`", "", "two"), Wording("Use C++", "", "three")]) == (
        Wording("Use C.", "", "one"),
        Wording("Use C++", "", "three"),
    )


@given(st.text(max_size=200))
def test_any_text_is_survived(text: str) -> None:
    for offer in wordings(text, text, text, text):
        assert len(offer.headline.split()) <= HEADLINE


def handed(text: str) -> int:
    """Letters that functions hand one another while a text is worded: it grows with each look at another beginning of it."""
    letters = 0

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal letters
        if event == "call":
            letters += sum(len(value) for value in frame.f_locals.values() if isinstance(value, str))

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        wordings(text, text, text, text)
    finally:
        sys.setprofile(before)
    return letters


@pytest.mark.parametrize(
    "part",
    [
        *("(a ", "a) ", "no, ", "a; ", "so, ", "but a ", "a..b ", "**a ", "never a unless ", "in abc def, "),
        *("if we do abc, so ", "while abc def, ", "to abc (def), ", "a that ", "`a ", "[a]( ", "— a ", "including a, "),
        *("-", ".", "a-"),
    ],
)
def test_twice_as_much_text_takes_twice_as_long(part: str) -> None:
    once, twice = (part * often + "we keep the x of it all" for often in (800, 1_600))
    assert handed(twice) <= 2.2 * handed(once)


PARTS = """
the worker writes `a b` first|because of slow tests|which is why someone|“the old rule”|(only on Windows)|we call it "the gate"
run `make -j 4 all` before|if nobody objects|and the cache of it|*never* by hand|— not the other one|to keep the list short
using [the tool](x.md)|until it works..|so the index is stale,|every file that someone
""".strip().replace("\n", "|")
SAID = st.lists(st.sampled_from(PARTS.split("|")), min_size=3, max_size=9).map(" ".join)
LOOSE = {"a", "an", "the", "and", "or", "but", "of", "in", "to", "for", "with", "by", "which", "that", "because", "if"}


@given(SAID, st.sampled_from(["", "Lock file", "The cache is `x`."]))
def test_any_sentence_gets_short_balanced_wordings_that_differ_and_are_not_left_hanging(said: str, beside: str) -> None:
    offers = wordings(f"{said} schema", heading=beside, before=beside, after=beside)
    assert 1 <= len(offers) <= 3
    assert len({(letters(offer.headline), letters(offer.insight)) for offer in offers}) == len(offers)
    for offer in offers:
        assert 0 < len(offer.headline.split()) <= HEADLINE
        assert 0 < len(offer.insight.split()) <= INSIGHT
        for one, other in ("``", '""', "()", "[]", "“”"):
            assert (
                offer.headline.count(one) % 2 == 0 if one == other else offer.headline.count(one) == offer.headline.count(other)
            )
        last = offer.headline.rstrip("…").split()[-1].lower()
        assert last not in LOOSE or len(offer.headline.split()) <= 3
    headline = wordings(f"{said} schema")[0].headline
    words = iter(re.findall(r"\w+", plain(f"{said} schema").lower()))
    assert all(word in words for word in re.findall(r"\w+", headline.lower())), "in their order"
    assert all(code in said for code in re.findall(r"`[^`]*`", headline))
