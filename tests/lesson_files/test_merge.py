from __future__ import annotations

from curator.lesson_files import MergeResult, reconcile
from curator.model import Anchor, Category, Evidence, Line, Role
from tests.lesson_files.lessons import lesson

BASE = lesson(updated=10.25, files=("a", "b"), anchors=(Anchor(path="a", body="1"), Anchor(path="b", body="1")))


def test_what_both_changed_differently_is_named_and_stays_ours() -> None:
    ours, theirs = BASE._replace(insight="Ours.", category=Category.DECISION), BASE._replace(insight="Theirs.", score=0.5)
    ours = ours._replace(place=4, updated=20.0)
    merged = reconcile(BASE, ours, theirs._replace(category=Category.DECISION))
    assert merged.clashes == ("insight",)
    assert merged.entry == ours._replace(score=0.5)


def test_an_insight_that_only_goes_along_with_its_headline_says_nothing_against_another() -> None:
    base = BASE._replace(insight="Run make.")
    one, two = base._replace(headline="Run just", insight="Run just"), base._replace(insight="It takes a minute.")
    for merged in (reconcile(base, one, two), reconcile(base, two, one)):
        assert merged == MergeResult(base._replace(headline="Run just", insight="It takes a minute."))
    both = reconcile(base, one, base._replace(headline="Run ninja", insight="Run ninja"))
    assert (both.clashes, both.entry) == (("headline", "insight"), one)
    assert reconcile(BASE, one, two).clashes == ("insight",), "it was given up for the headline"


def test_a_trip_through_a_file_is_no_change() -> None:
    ours = BASE._replace(insight="Mine.")
    assert reconcile(BASE._replace(created=1.9), ours, BASE._replace(created=1.0, updated=10.0)).entry == ours


def test_lists_are_merged_as_sets_in_our_order() -> None:
    ours, theirs = BASE._replace(files=("c", "b", "a")), BASE._replace(files=("b", "d"))
    assert reconcile(BASE, ours, theirs).entry.files == ("c", "b", "d")
    assert reconcile(None, ours, theirs).entry.files == ("c", "b", "a", "d")


def test_an_anchor_has_one_state_a_path_and_the_newer_side_knows_it() -> None:
    ours = BASE._replace(anchors=(Anchor(path="a", body="2"), Anchor(path="b", body="1")), updated=20.0)
    theirs = BASE._replace(anchors=(Anchor(path="a", body="3"), Anchor(path="b", body="4")), updated=30.0)
    assert reconcile(BASE, ours, theirs).entry.anchors == theirs.anchors
    older = theirs._replace(updated=15.0)
    assert reconcile(BASE, ours, older).entry.anchors == (Anchor(path="a", body="2"), Anchor(path="b", body="4"))


def test_a_removed_anchor_stays_removed_unless_the_other_side_renewed_it() -> None:
    ours = BASE._replace(anchors=(Anchor(path="a", body="2"), Anchor(path="b", body="1")))
    theirs = BASE._replace(anchors=())
    assert reconcile(BASE, ours, theirs).entry.anchors == (Anchor(path="a", body="2"),)
    assert reconcile(BASE, theirs, ours).entry.anchors == (Anchor(path="a", body="2"),)


def test_excerpts_stay_with_their_quotes() -> None:
    quote = Evidence(quote="so", role=Role.HUMAN, file="f", line=1, line_end=1, excerpt=(Line(Role.HUMAN, "x"),))
    bare, more = quote._replace(excerpt=()), quote._replace(quote="new", excerpt=())
    ours, theirs = BASE._replace(evidence=(quote,)), BASE._replace(evidence=(more, bare))
    assert reconcile(BASE._replace(evidence=(bare,)), ours, theirs).entry.evidence == (more, quote)
