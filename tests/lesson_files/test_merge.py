from __future__ import annotations

from dataclasses import replace

from curator.lesson_files import MergeResult, reconcile
from curator.model import Anchor, Category, Entry, Evidence, Line, Role, State

BASE = Entry(
    id="7K3F-Q2MD",
    project="p",
    state=State.ACTIVE,
    category=Category.TOOLING,
    headline="Run make",
    insight="Use make.",
    created=1.5,
    updated=10.25,
    files=("a", "b"),
    anchors=(Anchor(path="a", body="1"), Anchor(path="b", body="1")),
)


def test_each_side_keeps_its_own_change() -> None:
    ours = replace(BASE, headline="Run just", updated=20.0, place=4)
    theirs = replace(BASE, insight="Use just.", updated=15.0, project="", state=State.RETIRED)
    merged = reconcile(BASE, ours, theirs)
    assert merged.clashes == ()
    assert merged.entry == replace(BASE, headline="Run just", insight="Use just.", state=State.RETIRED, updated=20.0, place=4)


def test_what_both_changed_differently_is_named_and_stays_ours() -> None:
    ours, theirs = replace(BASE, insight="Ours.", category=Category.DECISION), replace(BASE, insight="Theirs.", score=0.5)
    merged = reconcile(BASE, ours, replace(theirs, category=Category.DECISION))
    assert merged.clashes == ("insight",)
    assert merged.entry == replace(ours, score=0.5)


def test_an_insight_that_only_goes_along_with_its_headline_says_nothing_against_another() -> None:
    base = replace(BASE, insight="Run make.")
    one, two = replace(base, headline="Run just", insight="Run just"), replace(base, insight="It takes a minute.")
    for merged in (reconcile(base, one, two), reconcile(base, two, one)):
        assert merged == MergeResult(replace(base, headline="Run just", insight="It takes a minute."))
    both = reconcile(base, one, replace(base, headline="Run ninja", insight="Run ninja"))
    assert (both.clashes, both.entry) == (("headline", "insight"), one)
    assert reconcile(BASE, one, two).clashes == ("insight",), "it was given up for the headline"


def test_a_trip_through_a_file_is_no_change() -> None:
    ours = replace(BASE, insight="Mine.")
    assert reconcile(replace(BASE, created=1.9), ours, replace(BASE, created=1.0, updated=10.0)).entry == ours


def test_lists_are_merged_as_sets_in_our_order() -> None:
    ours, theirs = replace(BASE, files=("c", "b", "a")), replace(BASE, files=("b", "d"))
    assert reconcile(BASE, ours, theirs).entry.files == ("c", "b", "d")
    assert reconcile(None, ours, theirs).entry.files == ("c", "b", "a", "d")


def test_an_anchor_has_one_state_a_path_and_the_newer_side_knows_it() -> None:
    ours = replace(BASE, anchors=(Anchor(path="a", body="2"), Anchor(path="b", body="1")), updated=20.0)
    theirs = replace(BASE, anchors=(Anchor(path="a", body="3"), Anchor(path="b", body="4")), updated=30.0)
    assert reconcile(BASE, ours, theirs).entry.anchors == theirs.anchors
    older = replace(theirs, updated=15.0)
    assert reconcile(BASE, ours, older).entry.anchors == (Anchor(path="a", body="2"), Anchor(path="b", body="4"))


def test_a_removed_anchor_stays_removed_unless_the_other_side_renewed_it() -> None:
    ours = replace(BASE, anchors=(Anchor(path="a", body="2"), Anchor(path="b", body="1")))
    theirs = replace(BASE, anchors=())
    assert reconcile(BASE, ours, theirs).entry.anchors == (Anchor(path="a", body="2"),)
    assert reconcile(BASE, theirs, ours).entry.anchors == (Anchor(path="a", body="2"),)


def test_without_a_base_every_difference_clashes() -> None:
    merged = reconcile(None, BASE, replace(BASE, headline="Run ninja", updated=11.0))
    assert merged.clashes == ("headline",)
    assert merged.entry == replace(BASE, updated=11.0)


def test_excerpts_stay_with_their_quotes() -> None:
    quote = Evidence(quote="so", role=Role.HUMAN, file="f", line=1, line_end=1, excerpt=(Line(Role.HUMAN, "x"),))
    bare, more = replace(quote, excerpt=()), replace(quote, quote="new", excerpt=())
    ours, theirs = replace(BASE, evidence=(quote,)), replace(BASE, evidence=(more, bare))
    assert reconcile(replace(BASE, evidence=(bare,)), ours, theirs).entry.evidence == (more, quote)
