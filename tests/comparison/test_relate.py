"""Relations of a new statement to stored lessons: told apart by evidence, quiet without it."""

from __future__ import annotations

import gc
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.comparison import can_share_a_rule, conflicts, merge, nearest, nearness, relate, similar
from curator.comparison.statement import REMEMBERED, Words
from curator.model import Category, Entry, Relating, Relation, State
from tests.comparison.rules import BESIDE, CLASHING


def lesson(insight: str, id: str = "A", **fields: object) -> Entry:
    entry = Entry(id, "p", State.ACTIVE, Category.CONVENTION, headline=insight, insight=insight, created=0.0, updated=0.0)
    return entry._replace(**fields)  # type: ignore[arg-type]


def told(older: str, newer: str) -> Relating | None:
    relation = relate(lesson(newer, "B"), [lesson(older)])
    return relation.relating if relation else None


def related(older: str | Entry, newer: str | Entry) -> Relation:
    """The relation of a newer statement to an older one, which there must be."""
    one, other = (lesson(said, id) if isinstance(said, str) else said for said, id in ((older, "A"), (newer, "B")))
    found = relate(other, [one])
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("older", "newer", "clash"),
    [
        ("Use tabs for indentation", "Use spaces for indentation", ("tabs", "spaces")),
        ("Install packages with npm", "Install packages with pnpm", ("npm", "pnpm")),
        ("The dev server runs on port 3000", "The dev server runs on port 3001", ("3000", "3001")),
        ("Use Node 18", "Use Node 20", ("18", "20")),
        ("The port is 3000", "The port is 4000", ("3000", "4000")),
        ("Use jest for unit tests", "Unit tests run with vitest", ("jest", "vitest")),
        ("Use npm to install packages", "Use pnpm, not npm, to install packages", ("npm", "pnpm")),
        ("Set the request timeout to 5s in `client.toml`", "Set the request timeout to 30s in `client.toml`", ("5s", "30s")),
        ("The server listens on `Port_A` at start", "The server listens on `Port_B` at start", ("Port_A", "Port_B")),
    ],
)
def test_another_value_for_the_same_thing_supersedes(older: str, newer: str, clash: tuple[str, str]) -> None:
    relation = related(older, newer)
    assert relation.relating is Relating.SUPERSEDES
    assert clash in relation.clash


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Never commit generated files to the repository", "Commit generated files to the repository"),
        ("Always rebase before merging", "Never rebase before merging"),
        ("Don't mock the clock in tests", "Mock the clock in tests"),
        ("Never run `git push --force`", "Run `git push --force`"),
    ],
)
def test_asking_for_what_was_forbidden_contradicts_and_names_the_words(older: str, newer: str) -> None:
    relation = related(older, newer)
    assert relation.relating is Relating.CONTRADICTS
    for old, new in relation.clash:
        assert old in older
        assert new in newer
        assert (old + new).count("`") % 2 == 0, "no half of a pair"


def test_the_same_words_in_another_order_are_a_duplicate() -> None:
    assert told("Run the linter before every commit", "Before every commit, run the linter!") is Relating.DUPLICATE
    assert told("Use pnpm", "use PNPM!") is Relating.DUPLICATE


@pytest.mark.parametrize(
    ("older", "more"),
    [
        ("Run the linter before pushing", ", and the integration suite when `api/` changed"),
        ("Always run `npm run check` in the root after code changes", ". Do not cut its output, all errors are needed"),
    ],
)
def test_a_clause_more_refines_though_it_forbids_something(older: str, more: str) -> None:
    assert told(older, older + more) is Relating.REFINES
    assert merge(lesson(older), lesson(older + more, "B"))[1] == older + more


ZIPPER = "For big repositories zipper-sync splits the first push into batches instead of one giant push."


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Use playwright for browser tests", "Use pytest for unit tests of the server"),
        ("npm stays on old versions until the workflow is called", "`bun --check` runs the script instead of checking it"),
        ("The cache lives in Redis", "Releases are cut from the release branch"),
        ("`pre-task` is called before a task starts", "`post-task` is called after a task ended"),
        ("Run tests with `make test`", "Run migrations with `make migrate`"),
        ("The zipper-sync executable keeps its name because git runs it as a subcommand.", ZIPPER),
        ("Use tool 4 for task 4", "Use tool 2 for task 2"),
        ("Port 3000 is for the api", "Port 4000 is for the web app"),
        ("Task 1 works only with tool 1.", "Task 2 works only with tool 2."),
    ],
)
def test_what_holds_side_by_side_stays_unrelated(older: str, newer: str) -> None:
    assert told(older, newer) is None


def test_different_folders_never_clash() -> None:
    older = lesson("Use tabs for indentation", scope="paths", paths=("web/**",))
    newer = lesson("Use spaces for indentation", "B", scope="paths", paths=("server/**",))
    assert relate(newer, [older]) is None
    assert relate(newer._replace(paths=("web/forms/**",)), [older]) is not None


@pytest.mark.parametrize(
    ("older", "newer", "clash", "certain"),
    [
        ("Use npm for all of our packages", "Use pnpm for all of our packages", ("npm", "pnpm"), True),
        ("Use `pnpm` only: a preinstall script enforces it", "Run checks after you installed with bun", ("pnpm", "bun"), True),
        ("The cache lives for 60 seconds", "The cache lives for 300 seconds", ("60", "300"), True),
        ("Use npm for all of our packages", "In web/ use pnpm for packages", ("npm", "pnpm"), False),
    ],
)
def test_certain_is_what_is_declared_or_an_edit_of_nearly_the_same_words(
    older: str, newer: str, clash: tuple[str, str], certain: bool
) -> None:
    found = related(older, newer)
    assert (found.clash, found.certain) == ((clash,), certain)


def test_a_conflict_outranks_a_refinement_and_a_copy_outranks_both() -> None:
    stored = [lesson("The api server listens on port 8080", "OLD"), lesson("The api server listens on port 9090", "COPY")]
    newer = lesson("The api server listens on port 9090", "B")
    found = relate(newer, stored)
    assert found is not None
    assert (found.other, found.relating) == ("COPY", Relating.DUPLICATE)
    assert related(stored[0], newer).relating is Relating.SUPERSEDES


def test_one_among_many_is_found() -> None:
    others = [lesson(f"Module number {n} keeps its fixtures in folder f{n}", f"L{n}") for n in range(400)]
    others.insert(200, lesson("The staging database is reset every Monday", "HIT"))
    found = relate(lesson("The staging database is reset every Friday at noon by cron", "B"), others)
    assert found is None or found.other == "HIT"
    assert similar(lesson("Reset of the staging database happens every Monday", "B"), others, 3)[0][0].id == "HIT"


def test_similar_leaves_itself_out_and_keeps_to_the_limit() -> None:
    entry = lesson("Run the linter before every commit", "SELF")
    others = [entry, *(lesson(f"Run the linter before commit {n}", f"L{n}") for n in range(9))]
    ranked = similar(entry, others, 4)
    assert len(ranked) == 4
    assert all(other.id != "SELF" for other, _ in ranked)
    assert [likeness for _, likeness in ranked] == sorted((likeness for _, likeness in ranked), reverse=True)
    assert similar(lesson("Zebra crossing", "B"), others, 4) == []


def test_merged_keeps_both_where_they_add_to_each_other() -> None:
    a = lesson("Rebuild `core` before the CLI")
    b = lesson("The CLI imports `dist/`, which goes stale", "B")
    _, insight = merge(a, b)
    assert "Rebuild `core`" in insight
    assert "dist/" in insight
    assert len(insight.split()) <= 30


def test_merged_takes_the_more_exact_text_and_keeps_no_old_value_beside_the_new_one() -> None:
    a = lesson("Run the tests serially")
    b = lesson("Run the tests serially with `pytest -n 0` in `server/`", "B")
    assert merge(a, b)[1] == merge(b, a)[1] == b.insight
    older = lesson("Use npm for scripts, since CI caches it. Lockfiles are checked in and reviewed")
    _, insight = merge(older, lesson("Use pnpm for scripts", "B"))
    assert insight == "Use pnpm for scripts. Lockfiles are checked in and reviewed"


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text_is_survived(a: str, b: str) -> None:
    relate(lesson(a, "B"), [lesson(b)])
    similar(lesson(a, "B"), [lesson(b)], 3)
    merge(lesson(a), lesson(b, "B"))


@given(st.lists(st.sampled_from("use run never the port cache 3000 `npm` before merging tests src/".split()), max_size=12))
def test_a_statement_never_conflicts_with_itself(words: list[str]) -> None:
    text = " ".join(words)
    assert told(text, text) in (None, Relating.DUPLICATE)


@pytest.mark.parametrize(
    ("older", "newer", "relating"),
    [
        ("Use npm, not pnpm", "Use pnpm, not npm", Relating.SUPERSEDES),
        ("Prefer tabs over spaces", "Prefer spaces over tabs", Relating.SUPERSEDES),
        ("Run the migrations before the tests", "Run the tests before the migrations", Relating.CONTRADICTS),
        ("Copy the assets from build to public", "Copy the assets from public to build", Relating.CONTRADICTS),
    ],
)
def test_the_same_words_turned_round_are_no_duplicate(older: str, newer: str, relating: Relating) -> None:
    assert told(older, newer) is relating


@pytest.mark.parametrize("text", ["npm publish fails without write access", "npm stays on old versions until released"])
def test_what_only_mentions_a_value_declares_nothing(text: str) -> None:
    assert told("Use pnpm to install packages", text) not in (Relating.SUPERSEDES, Relating.CONTRADICTS)


def test_what_holds_in_a_part_is_an_exception_and_no_conflict() -> None:
    everywhere = lesson("Use tabs for indentation")
    part = lesson("Use spaces for indentation", "B", scope="paths", paths=("web/**",))
    found = related(everywhere, part)
    assert (found.relating, found.clash) == (Relating.REFINES, (("tabs", "spaces"),))
    assert related(part, everywhere._replace(id="C")).relating is Relating.SUPERSEDES
    assert relate(lesson("In `server/` use tabs", "B"), [lesson("In `web/` use spaces")]) is None


def test_merged_goes_by_what_the_card_says_where_it_says_more_than_the_words() -> None:
    older = lesson("JavaScript packages are installed with npm in every folder.")
    newer = lesson("npm breaks the workspace links in /web.", "B")
    known = Relation(other=older.id, relating=Relating.CONTRADICTS, clash=(("npm", "pnpm"),))
    assert "in every folder" in merge(older, newer)[1]
    assert merge(older, newer._replace(rival=known))[1] == newer.insight


def test_clashing_words_stand_as_they_were_written() -> None:
    words = ("Never run Deploy by hand", "Run Deploy by hand")
    assert words in related(*words).clash


def test_a_pair_that_a_person_let_stand_is_not_asked_about_again() -> None:
    older, newer = lesson("Use tabs for indentation"), lesson("Use spaces for indentation", "B")
    assert relate(newer, [older]) is not None
    assert relate(newer._replace(coexists=(("A", "another language"),)), [older]) is None
    assert relate(newer, [older._replace(coexists=(("B", "another language"),))]) is None


@pytest.mark.timeout(20)
def test_texts_without_end_are_survived() -> None:
    for word in ("word ", "a_", "don't ", "`x` ", "a. ", "use npm, not pnpm; "):
        assert told(word * 20_000, word * 20_000 + "and more") in (None, *Relating)


def test_without_guessing_only_what_needs_none_is_told() -> None:
    assert relate(lesson("The cache lives 90 seconds", "B"), [lesson("The cache lives 60 seconds")], guess=False) is None
    found = relate(lesson("Use pnpm to install packages", "B"), [lesson("Use npm to install packages")], guess=False)
    assert found
    assert found.clash == (("npm", "pnpm"),)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Never use emojis in commit messages", "Start commit messages with an emoji"),
        ("Default exports are fine", "No default exports"),
        ("Use semicolons at the end of statements", "No semicolons in statements"),
    ],
)
def test_a_ban_is_never_told_to_repeat_what_it_bans(older: str, newer: str) -> None:
    assert told(older, newer) not in (Relating.DUPLICATE, Relating.REFINES)
    assert told(newer, older) not in (Relating.DUPLICATE, Relating.REFINES)


def test_only_so_many_statements_stay_taken_apart() -> None:
    """An inbox that is open for days compares thousands of them."""
    for number in range(REMEMBERED + 100):
        relate(lesson(f"Use yarn in package {number}", "B"), [lesson(f"Use npm in package {number}")])
    alive = Counter(map(type, gc.get_objects()))
    assert 0 < alive[Words] <= 2 * REMEMBERED


def test_of_made_up_rules_that_clash_most_are_asked_about_and_of_others_two() -> None:
    conflicts = (Relating.SUPERSEDES, Relating.CONTRADICTS)
    assert sum(told(*pair) in conflicts for pair in CLASHING) >= 55
    assert [pair for pair in BESIDE if told(*pair) in conflicts] == [
        ("Tests live in tests/unit", "Fixtures live in tests/data"),
        ("Use --no-cache with pip in CI", "Use --frozen with uv in CI"),
    ]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Never mock the database", "Mock the database in unit tests"),
        ("Handlers must not call the database", "Handlers call the database directly"),
        ("Avoid lodash", "Use lodash for deep clones"),
    ],
)
def test_a_special_case_of_what_is_forbidden_clashes_and_takes_nobodys_place(older: str, newer: str) -> None:
    found = related(older, newer)
    assert (found.relating, found.certain) == (Relating.CONTRADICTS, False)


def test_conflicts_among_many_are_found_with_the_words_that_clash() -> None:
    texts = {
        "a": "Never mock the database, it hides bugs",
        "b": "Use npm for scripts",
        "c": "Mock the database in unit tests",
        "d": "Use pnpm, not npm",
        "e": "Never commit kv.db",
        "f": "Use tabs in Makefiles",
        "g": "Use spaces in Python files",
        "h": "Restart the worker after a deploy",
    }
    assert [(one, other) for one, other, _ in conflicts(texts)] == [("a", "c"), ("b", "d")]
    assert all(clash for *_, clash in conflicts(texts))


def test_what_is_said_twice_is_no_conflict() -> None:
    assert conflicts({"a": "Never mock the database", "b": "Never mock the database", "c": ""}) == []


NEAR = (
    "Integration tests of the ledger need a running Redis; start it with make redis first",
    "Start Redis with make redis first, else the integration tests of the ledger hang",
)


def test_two_long_texts_with_most_words_in_common_say_nearly_the_same() -> None:
    found = nearest(lesson(NEAR[1], "B"), [lesson("Amounts are stored in cents"), lesson(NEAR[0], "C")])
    assert found
    assert (found.other, found.relating, found.certain, found.nearly) == ("C", Relating.DUPLICATE, False, True)


@pytest.mark.parametrize("pair", BESIDE)
def test_rules_that_only_look_alike_do_not_say_nearly_the_same(pair: tuple[str, str]) -> None:
    assert nearness(*pair) == 0.0


@pytest.mark.parametrize(
    "newer",
    [
        "Integration tests of the ledger need a running Redis 7; start it with make redis first, not Redis 6",
        "Integration tests of the ledger do not need a running Redis; never start it with make redis first",
    ],
)
def test_another_value_or_a_denial_is_not_nearly_the_same(newer: str) -> None:
    assert nearness(NEAR[0].replace("Redis;", "Redis 5;"), newer) == 0.0


def test_a_pair_that_a_person_lets_stand_is_not_raised_again() -> None:
    one, other = lesson(NEAR[0]), lesson(NEAR[1], "B", coexists=(("A", "both kept"),))
    assert nearest(other, [one]) is None


@pytest.mark.parametrize(
    ("older", "newer", "expected"),
    [
        ("Update the changelog when a flag changes", "Update the changelog before you tag a release", True),
        (
            "Avoid mocking the clock: see the wide lines of `upload.test.ts`, which need each step",
            "Avoid mocking the clock, as `ledger.test.ts` shows",
            False,
        ),
        (
            "Styles come from one sheet per page (Report Service only)",
            "Queries go through the read replica, never the primary (Report Service only)",
            False,
        ),
    ],
)
def test_one_rule_stands_for_two_that_share_more_than_a_name(older: str, newer: str, expected: bool) -> None:
    assert can_share_a_rule(lesson(older), lesson(newer, "B")) is expected
