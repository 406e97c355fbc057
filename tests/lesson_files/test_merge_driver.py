"""Three versions of a lesson's file to one."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.lesson_files import clashing, file_name, parse, render
from curator.lesson_files.lesson import STATES
from curator.lesson_files.merge import blocks, join_blocks, merge_files
from curator.model import Entry, Evidence, Role, Snippet, State
from tests.lesson_files.lessons import lesson

AT = 1_700_000_000.0
BASE = lesson(project="", created=AT, updated=AT, files=("a", "b"), slug="run-make")
FILE = file_name(BASE)


def quote(text: str) -> Evidence:
    return Evidence(quote=text, role=Role.HUMAN, file="s.jsonl", line=1, line_end=1)


def sides(base: Entry | None, ours: Entry, theirs: Entry) -> tuple[Entry, Entry]:
    """Both sides after the merge: they differ in what both changed."""
    done = merge_files(render(base).encode() if base else b"", render(ours).encode(), render(theirs).encode(), FILE)
    assert done is not None
    return parse(done[1].decode(), FILE), parse(done[2].decode(), FILE)


def merged(base: Entry | None, ours: Entry, theirs: Entry) -> Entry:
    mine, other = sides(base, ours, theirs)
    assert mine == other, "nothing clashes"
    return mine


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
    got = merged(base, ours, theirs)
    assert (got.headline, got.insight, got.state, got.updated) == ("Run just", "Use just.", State.RETIRED, theirs.updated)
    assert [item.quote for item in got.evidence] == ["one", "two", "three"]
    assert got.snippets == (Snippet("just"),)
    joined = {"front": "owner: bob\nteam: b\nseverity: high\n", "sections": f"{seen}\n\n## Owner\n\nbob"}
    assert json.loads(got.extra) == joined


def test_sides_that_clash_differ_in_nothing_else() -> None:
    ours = later(BASE, headline="Run just", extra=extra("owner: ann\n"))
    theirs = later(BASE, headline="Run: ninja", context="Two\n\nlines", extra=extra("owner: bob\n"))
    mine, other = sides(BASE, ours, theirs)
    assert (mine.headline, mine.context, json.loads(mine.extra)) == ("Run just", "Two\n\nlines", {"front": "owner: ann\n"})
    assert other == mine._replace(headline="Run: ninja", extra=extra("owner: bob\n"))


def test_two_people_who_retire_or_replace_never_clash() -> None:
    ours = later(BASE, state=State.RETIRED, superseded_by="AAAA-0001")
    theirs = later(BASE, 90.0, state=State.RETIRED, superseded_by="BBBB-0001")
    for one, two in ((ours, theirs), (theirs, ours)):
        got = merged(BASE, one, two)
        assert (got.state, got.superseded_by) == (State.RETIRED, "BBBB-0001")
    got = merged(BASE, later(BASE, headline="Run just"), theirs)
    assert (got.headline, got.state) == ("Run just", State.RETIRED)


def test_pairs_that_hold_side_by_side_are_joined_and_the_later_reason_stands() -> None:
    ours = later(BASE, coexists=(("AAAA-0001", "ours"), ("AAAA-0002", "tests")))
    theirs = later(BASE, 90.0, coexists=(("AAAA-0001", "theirs"), ("AAAA-0003", "docs")), refines=("AAAA-0004",))
    for one, two in ((ours, theirs), (theirs, ours)):
        got = merged(BASE, one, two)
        assert dict(got.coexists) == {"AAAA-0001": "theirs", "AAAA-0002": "tests", "AAAA-0003": "docs"}
        assert got.refines == ("AAAA-0004",)


def test_without_a_base_what_differs_clashes_and_retirement_stands() -> None:
    got, other = sides(None, BASE, later(BASE, headline="Run ninja", state=State.RETIRED, files=("c",)))
    assert (got.headline, got.state, got.files) == ("Run make", State.RETIRED, ("a", "b", "c"))
    assert other == got._replace(headline="Run ninja")


@pytest.mark.parametrize(
    "broken",
    [b"", b"no lesson", b"\xff\xfe", render(BASE._replace(id="AAAA-0001")).encode(), b"<<<<<<< a\n" + render(BASE).encode()],
)
def test_what_can_not_be_understood_is_left_to_lines(broken: bytes) -> None:
    good = render(BASE).encode()
    assert merge_files(good, good, broken, FILE) is None
    assert merge_files(good, broken, good, FILE) is None
    assert merge_files(broken, good, good, FILE) is not None


def test_what_clashes_is_told_key_by_key() -> None:
    ours = BASE._replace(extra=extra("owner: ann\nteam: a\n"))
    theirs = BASE._replace(headline="Run ninja", extra=extra("owner: bob\nteam: a\n", "## New\n\nx"))
    told = (("Run make", "Run ninja"), ("owner: ann", "owner: bob"), ("", "## New\n\nx"))
    assert clashing(ours, theirs, ("headline", "extra")) == told


STRANGE = (
    "---|state: retired|owner: [1|clash:|  - field: headline|    theirs: x|  - field: state|# Two||## Evidence|> said|— human"
    "|```|<<<<<<< a|>>>>>>> b|## Code|id: AAAA-0001|anchors: 1|\x00"
)
LINES = st.sampled_from(STRANGE.split("|"))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 40), LINES), max_size=5))
def test_whatever_stands_in_the_files_a_merge_is_readable_or_left_to_lines(cuts: list[tuple[int, int, str]]) -> None:
    files = [render(side).split("\n") for side in (BASE, later(BASE, headline="Run just"), later(BASE, insight="Other."))]
    for which, at, line in cuts:
        files[which].insert(at % (len(files[which]) + 1), line)
    base, ours, theirs = ("\n".join(side).encode() for side in files)
    done = merge_files(base, ours, theirs, FILE)
    if done is not None:
        assert all(render(parse(side.decode(), FILE)).encode() == side for side in done[1:])


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


@settings(max_examples=150, deadline=None)
@given(base=st.none() | SIDES, ours=SIDES, theirs=SIDES)
def test_in_either_order_no_evidence_and_no_word_is_lost(base: Entry | None, ours: Entry, theirs: Entry) -> None:
    gone = {item for side in (ours, theirs) for item in (base.evidence if base else ()) if item not in side.evidence}
    there, back = sides(base, ours, theirs), sides(base, theirs, ours)
    for mine, other in (there, back):
        assert set(mine.evidence) == {*ours.evidence, *theirs.evidence} - gone
        for name in ("headline", "insight", "context"):
            said = {getattr(mine, name), getattr(other, name)}
            both = {getattr(parse(render(side), FILE), name) for side in (ours, theirs)}
            assert said <= both
            assert said == both or (base is not None and len(said) == 1)
    assert {name for side in there for name in blocks(side.extra)} == {name for side in back for name in blocks(side.extra)}
    assert there[0].state in (back[0].state, back[1].state)
