"""The same in other words, told from what only looks alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.comparison import StatementIndex, likeness, repeats
from curator.comparison.relations import same

REWORDED = [
    ("Never edit vendor/ by hand, the sync overwrites it", "`vendor/` must not be edited by hand: the sync overwrites it"),
    ("Always use pnpm, never npm", "We use pnpm here, not npm"),
    ("The root cause is the stale cache in the worker", "It was the worker's stale cache that was the root cause"),
    ("The dev server must be restarted after changing .env", "After changing .env, restart the dev server"),
    ("Don't mock the clock in tests", "Never mock the clock in our tests!"),
    ("The worker doesn't retry failed jobs", "Failed jobs are not retried by the worker"),
    ("Run the linter before every commit", "Before each commit, run the linter"),
    ("The billing worker retries each failed job 3 times", "Each failed job is retried 3 times by the billing worker process"),
]

RESTART = "Restart the queue worker of the payments service after each change of its settings, old ones stay in memory"
OTHERS = [
    ("The retry limit is 3", "The retry limit is 5"),
    ("Use port 3000 for the dev server", "Use port 4000 for the dev server"),
    ("Commit generated files in dist/", "Never commit generated files in dist/"),
    ("Run `npm test` before pushing", "Run `npm lint` before pushing"),
    ("Run make lint before each push to the release branch", "Run make test before each push to the release branch"),
    ("Use npm, not pnpm", "Use pnpm, not npm"),
    ("Prefer tabs over spaces", "Prefer spaces over tabs"),
    ("Run the migrations before the tests", "Run the tests before the migrations"),
    ("Run the migrations before the slow tests in the pipeline", "Run the migrations after the slow tests in the pipeline"),
    ("Copy the assets from build to public", "Copy the assets from public to build"),
    ("Use the staging database for tests", "Use the production database for tests"),
    ("Keep functions small", "Keep functions small, at most 50 lines"),
    ("Push the release branch to the mirror every night", "Push the release branch to the mirror every night except friday"),
    ("The importer in api/load.py skips empty rows", "The importer in api/save.py skips empty rows"),
    ("Call `flush()` on the shared writer when a batch ends", "Call `close()` on the shared writer when a batch ends"),
    ("Enable the cache of the build server in every job", "Disable the cache of the build server in every job"),
    (RESTART, RESTART.replace("queue worker", "queue worker `pay-7`")),
    (RESTART, RESTART.replace("its settings", "its `app.toml` settings")),
    (RESTART, RESTART.replace("the queue", "the 2 queue")),
]


@pytest.mark.parametrize(("one", "other"), REWORDED)
def test_other_words_for_the_same_are_known_again(one: str, other: str) -> None:
    assert same(one, other) is same(other, one) is True


@pytest.mark.parametrize(("one", "other"), OTHERS)
def test_another_number_name_command_order_or_a_denial_is_another_statement(one: str, other: str) -> None:
    assert same(one, other) is same(other, one) is False


@pytest.mark.parametrize(("one", "other"), REWORDED)
def test_repetitions_among_many_are_found(one: str, other: str) -> None:
    others = {str(number): text for number, (text, _) in enumerate(OTHERS)}
    assert repeats({"one": one, **others, "other": other})["other"] == "one"


def test_what_differs_by_a_number_repeats_nothing() -> None:
    assert repeats({"a": OTHERS[0][0], "b": OTHERS[0][1], "c": "", "d": "!"}) == {}


def test_the_index_finds_what_comparing_each_would_find() -> None:
    said = StatementIndex()
    for at, (one, _) in enumerate(REWORDED + OTHERS):
        said.add(str(at), one)
    for at, (_, other) in enumerate(REWORDED):
        assert said.find(other) == str(at)
    told = {one for one, _ in REWORDED + OTHERS}
    for _, other in OTHERS:
        assert said.find(other) is None or any(same(one, other) for one in told)
    said.drop("0")
    assert said.find(REWORDED[0][1]) is None


TOKENS = """worker cache retry queue never not always 3 5 `make` before after the is server edit vendor/"""
WORDS = st.sampled_from(TOKENS.split())


@given(st.lists(WORDS, min_size=1, max_size=9), st.lists(WORDS, min_size=1, max_size=9))
def test_it_is_the_same_both_ways_and_the_index_agrees(one: list[str], other: list[str]) -> None:
    a, b = " ".join(one), " ".join(other)
    assert same(a, b) == same(b, a)
    said = StatementIndex()
    said.add("a", a)
    assert (said.find(b) is not None) == same(a, b)


@given(st.lists(WORDS, max_size=8), st.lists(WORDS, max_size=8), st.floats(0, 1))
def test_a_likeness_that_is_asked_for_is_never_missed(one: list[str], other: list[str], least: float) -> None:
    whole = likeness(" ".join(one), " ".join(other))
    asked = likeness(" ".join(one), " ".join(other), least)
    assert asked == whole if whole >= least else asked in (0, whole)
