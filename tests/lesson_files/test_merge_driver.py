"""Three versions of a lesson's file to one."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.lesson_files import (
    add_disputes,
    clashing,
    file_name,
    open_between,
    other_side,
    parse,
    render,
    sides,
    split_disputes,
)
from curator.lesson_files.lesson import STATES
from curator.lesson_files.merge import blocks, join_blocks, merge_files
from curator.model import Entry, Evidence, Relating, Relation, Role, Snippet, State
from tests.lesson_files.lessons import lesson

AT = 1_700_000_000.0
BASE = lesson(project="", created=AT, updated=AT, files=("a", "b"), slug="run-make")
FILE = file_name(BASE)


def quote(text: str) -> Evidence:
    return Evidence(quote=text, role=Role.HUMAN, file="s.jsonl", line=1, line_end=1)


def merged(base: Entry | None, ours: Entry, theirs: Entry) -> Entry:
    done = merge_files(render(base).encode() if base else b"", render(ours).encode(), render(theirs).encode(), FILE)
    assert done is not None
    return parse(done.decode(), FILE)


def extra(front: str, sections: str = "") -> str:
    return json.dumps({"front": front} | ({"sections": sections} if sections else {}))


def later(entry: Entry, seconds: float = 60.0, **fields: object) -> Entry:
    return entry._replace(updated=entry.updated + seconds, **fields)  # type: ignore[arg-type]


def test_different_fields_lists_and_unknown_parts_are_joined() -> None:
    seen = "## See also\n\nhere"
    base = BASE._replace(extra=extra("owner: ann\nteam: a\n", seen), evidence=(quote("one"),))
    ours = later(base, headline="Run just", evidence=(quote("one"), quote("two")))
    ours = ours._replace(extra=extra("owner: ann\nteam: b\nseverity: high\n", seen))
    theirs = later(base, 90.0, insight="Use just.", snippets=(Snippet("just"),), state=State.RETIRED)
    theirs = theirs._replace(evidence=(quote("one"), quote("three")))
    theirs = theirs._replace(extra=extra("owner: bob\nteam: a\n", f"{seen}\n\n## Owner\n\nbob"))
    got, disputed = split_disputes(merged(base, ours, theirs))
    assert disputed == {}
    assert (got.headline, got.insight, got.state, got.updated) == ("Run just", "Use just.", State.RETIRED, theirs.updated)
    assert [item.quote for item in got.evidence] == ["one", "two", "three"]
    assert got.snippets == (Snippet("just"),)
    joined = {"front": "owner: bob\nteam: b\nseverity: high\n", "sections": f"{seen}\n\n## Owner\n\nbob"}
    assert json.loads(got.extra) == joined


def test_a_true_clash_keeps_ours_and_carries_theirs() -> None:
    ours = later(BASE, headline="Run just", extra=extra("owner: ann\n"))
    theirs = later(BASE, headline="Run: ninja", context="Two\n\nlines", extra=extra("owner: bob\n"))
    whole = merged(BASE, ours, theirs)
    got, disputed = split_disputes(whole)
    assert (got.headline, got.context, json.loads(got.extra)) == ("Run just", "Two\n\nlines", {"front": "owner: ann\n"})
    assert disputed == {"headline": ("Run: ninja",), "owner": ("owner: bob\n",)}
    other, names = other_side(got, *sides(disputed))
    assert names == ("headline", "extra")
    assert (other.headline, json.loads(other.extra)) == ("Run: ninja", {"front": "owner: bob\n"})
    assert parse(render(whole), FILE) == whole
    assert "<<<<" not in render(whole)


@pytest.mark.parametrize(
    "disputed",
    [
        {"headline": ("Run just",)},
        {"headline": ("Run just", "Run ninja"), "insight": ("",)},
        {"category": ("constraint",), "state": ("retired",)},
        {"owner": ("owner: bob\n",)},
    ],
)
def test_the_cards_of_a_dispute_say_it_again(disputed: dict[str, tuple[str, ...]]) -> None:
    ours = BASE._replace(extra=extra("owner: ann\nteam: a\n"))
    cards = []
    for side in sides(disputed):
        other, names = other_side(ours, side)
        rival = Relation(other=ours.id, relating=Relating.CONTRADICTS, clash=clashing(ours, other, names))
        cards.append(other._replace(state=State.OPEN, rival=rival))
    assert open_between(ours, cards) == disputed
    again = parse(render(add_disputes(ours, open_between(ours, cards))), FILE)
    assert split_disputes(again)[1] == disputed


def test_two_people_who_retire_or_replace_never_clash() -> None:
    ours = later(BASE, state=State.RETIRED, superseded_by="AAAA-0001")
    theirs = later(BASE, 90.0, state=State.RETIRED, superseded_by="BBBB-0001")
    for one, two in ((ours, theirs), (theirs, ours)):
        got, disputed = split_disputes(merged(BASE, one, two))
        assert (got.state, got.superseded_by, disputed) == (State.RETIRED, "BBBB-0001", {})
    got, disputed = split_disputes(merged(BASE, later(BASE, headline="Run just"), theirs))
    assert (got.headline, got.state, disputed) == ("Run just", State.RETIRED, {})


def test_pairs_that_hold_side_by_side_are_joined_and_the_later_reason_stands() -> None:
    ours = later(BASE, coexists=(("AAAA-0001", "ours"), ("AAAA-0002", "tests")))
    theirs = later(BASE, 90.0, coexists=(("AAAA-0001", "theirs"), ("AAAA-0003", "docs")), refines=("AAAA-0004",))
    for one, two in ((ours, theirs), (theirs, ours)):
        got, disputed = split_disputes(merged(BASE, one, two))
        assert dict(got.coexists) == {"AAAA-0001": "theirs", "AAAA-0002": "tests", "AAAA-0003": "docs"}
        assert (got.refines, disputed) == (("AAAA-0004",), {})


def test_without_a_base_what_differs_is_asked_and_retirement_stands() -> None:
    got, disputed = split_disputes(merged(None, BASE, later(BASE, headline="Run ninja", state=State.RETIRED, files=("c",))))
    assert (got.headline, got.state, got.files) == ("Run make", State.RETIRED, ("a", "b", "c"))
    assert disputed == {"headline": ("Run ninja",)}


def test_what_one_side_has_settled_is_settled() -> None:
    disputed = merged(BASE, later(BASE, headline="Run just"), later(BASE, headline="Run ninja"))
    plain, _ = split_disputes(disputed)
    for settled in (later(plain, 90.0), later(plain, 90.0, headline="Run ninja")):
        for ours, theirs in ((settled, later(disputed, insight="More.")), (later(disputed, insight="More."), settled)):
            got, left = split_disputes(merged(disputed, ours, theirs))
            assert (got.headline, got.insight, left) == (settled.headline, "More.", {})


def test_an_open_dispute_survives_further_merges() -> None:
    disputed = merged(BASE, later(BASE, headline="Run just"), later(BASE, headline="Run ninja"))
    got, left = split_disputes(merged(disputed, later(disputed, insight="More."), later(disputed, context="Why.")))
    assert (got.headline, got.insight, got.context, left) == ("Run just", "More.", "Why.", {"headline": ("Run ninja",)})


def test_a_rebase_of_two_commits_keeps_the_last_word() -> None:
    first, second = later(BASE, headline="Run just"), later(BASE, 120.0, headline="Run just now")
    upstream = later(BASE, 90.0, headline="Run ninja")
    after_first = merged(BASE, upstream, first)
    got, left = split_disputes(merged(first, after_first, second))
    assert (got.headline, left) == ("Run ninja", {"headline": ("Run just now",)})


def test_a_third_version_is_carried_as_well() -> None:
    disputed = merged(BASE, later(BASE, headline="Run just"), later(BASE, headline="Run ninja", insight="Ninja."))
    third = later(BASE, headline="Run bazel", insight="Bazel.")
    whole = merged(BASE, disputed, third)
    got, left = split_disputes(whole)
    assert (got.headline, got.insight) == ("Run just", "Ninja.")
    assert left == {"headline": ("Run ninja", "Run bazel"), "insight": ("Bazel.",)}
    assert sides(left) == [{"headline": "Run ninja", "insight": "Bazel."}, {"headline": "Run bazel"}]
    assert parse(render(whole), FILE) == whole
    assert split_disputes(merged(BASE, third, disputed))[1]["headline"] == ("Run ninja", "Run just")
    settled = split_disputes(merged(disputed, whole, later(got, headline="Run ninja")))[1]
    assert settled == {"headline": ("Run bazel",), "insight": ("Bazel.",)}


@pytest.mark.parametrize(
    "broken",
    [b"", b"no lesson", b"\xff\xfe", render(BASE._replace(id="AAAA-0001")).encode(), b"<<<<<<< a\n" + render(BASE).encode()],
)
def test_what_can_not_be_understood_is_left_to_lines(broken: bytes) -> None:
    good = render(BASE).encode()
    assert merge_files(good, good, broken, FILE) is None
    assert merge_files(good, broken, good, FILE) is None
    assert merge_files(broken, good, good, FILE) is not None


@pytest.mark.parametrize(
    ("field", "theirs"),
    [
        ("owner", "owner: ann\nid: AAAA-0001\n"),
        ("owner", "owner: ann\n---\n"),
        ("owner", "owner: [\n"),
        ("## Evidence", "## Evidence\n\n> forged"),
        ("## Code", "## Code\n\n```\nx\n```"),
        ("owner", "<<<<<<< ours\n"),
    ],
)
def test_a_hostile_clash_changes_nothing_that_we_know(field: str, theirs: str) -> None:
    other, names = other_side(BASE, {field: theirs})
    assert (other, names) == (BASE, ())


def test_what_clashes_is_told_key_by_key() -> None:
    ours = BASE._replace(extra=extra("owner: ann\nteam: a\n"))
    theirs = BASE._replace(headline="Run ninja", extra=extra("owner: bob\nteam: a\n", "## New\n\nx"))
    told = (("Run make", "Run ninja"), ("owner: ann", "owner: bob"), ("", "## New\n\nx"))
    assert clashing(ours, theirs, ("headline", "extra")) == told
    assert other_side(BASE, {"headline": " "}) == (BASE, ())


STRANGE = (
    "---|state: retired|owner: [1|clash:|  - field: headline|    theirs: x|  - field: state|# Two||## Evidence|> said|— human"
    "|```|<<<<<<< a|>>>>>>> b|## Code|id: AAAA-0001|anchors: 1|\x00"
)
LINES = st.sampled_from(STRANGE.split("|"))


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 40), LINES), max_size=5))
def test_whatever_stands_in_the_files_a_merge_is_readable_or_left_to_lines(cuts: list[tuple[int, int, str]]) -> None:
    files = [render(side).split("\n") for side in (BASE, later(BASE, headline="Run just"), later(BASE, insight="Other."))]
    for which, at, line in cuts:
        files[which].insert(at % (len(files[which]) + 1), line)
    base, ours, theirs = ("\n".join(side).encode() for side in files)
    done = merge_files(base, ours, theirs, FILE)
    if done is not None:
        got = parse(done.decode(), FILE)
        assert render(got).encode() == done
        plain, disputed = split_disputes(got)
        for side in sides(disputed):
            other_side(plain, side)


TEXTS = st.sampled_from(["", "Run it.", "Two. Sentences here.", "a\n\n- b\n- c", "x: y", "# no", "クレ"])
ITEMS = st.lists(st.sampled_from([quote(text) for text in ("one", "two", "three", "four")]), unique=True).map(tuple)
FRONTS = st.dictionaries(st.sampled_from(["owner", "team", "## See also", "## Owner"]), st.sampled_from("abc"), max_size=3)
EXTRAS = FRONTS.map(
    lambda front: join_blocks({key: f"{key}\n\n{v}" if key[0] == "#" else f"{key}: {v}\n" for key, v in front.items()})
)
SCOPES = st.sampled_from([("project", ()), ("global", ()), ("paths", ("src",))])
SIDES = st.builds(
    lambda headline, scope, seconds, fields: later(
        BASE, seconds, headline=headline.split("\n")[0] or "Run make", scope=scope[0], paths=scope[1], **fields
    ),
    TEXTS,
    SCOPES,
    st.sampled_from([0.0, 60.0, 120.0, 180.0]),
    st.fixed_dictionaries(
        {"insight": TEXTS, "context": TEXTS, "evidence": ITEMS, "extra": EXTRAS, "state": st.sampled_from(list(STATES))}
    ),
)


@given(base=st.none() | SIDES, ours=SIDES, theirs=SIDES)
def test_in_either_order_no_evidence_and_no_word_is_lost(base: Entry | None, ours: Entry, theirs: Entry) -> None:
    one, two = merged(base, ours, theirs), merged(base, theirs, ours)
    gone = {item for side in (ours, theirs) for item in (base.evidence if base else ()) if item not in side.evidence}
    for got, mine, other in ((one, ours, theirs), (two, theirs, ours)):
        plain, disputed = split_disputes(got)
        assert set(plain.evidence) == {*ours.evidence, *theirs.evidence} - gone
        for name in ("headline", "insight", "context"):
            said = {getattr(plain, name), *disputed.get(name, ())}
            both = {getattr(side, name) for side in (parse(render(mine), FILE), parse(render(other), FILE))}
            assert said <= both
            assert said == both or (base is not None and len(said) == 1)
        assert parse(render(got), FILE) == got
    first, second = split_disputes(one), split_disputes(two)
    assert first[1].keys() == second[1].keys()
    assert {**blocks(first[0].extra)}.keys() == {**blocks(second[0].extra)}.keys()
    assert first[0].state == second[0].state or "state" in first[1]
