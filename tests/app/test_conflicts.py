"""Lessons are held against those that stand: conflicts, and what several projects have found by themselves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from curator import app
from curator.app import Curator, Resolution, packs, search
from curator.app.decisions.settling import are_coexisting, settle_relation
from curator.errors import CuratorError
from curator.model import Entry, Kind, Query, Relating, Relation, State
from curator.ranking import Question, choose, rank
from curator.store.hook_reader import Table, gather
from tests.app.conftest import Make, Open, kept, put, waiting

NPM, PNPM = "Use npm to install packages in this repository", "Use pnpm to install packages in this repository"
OTHER = "Never log the session token"


@pytest.fixture
def pair(curator: Curator) -> tuple[Entry, Entry]:
    """Two lessons by hand, of which the second contradicts the first."""
    return kept(curator, NPM), kept(curator, PNPM)


def said(make: Make, text: str, at: float) -> Entry:
    """A candidate that was said at some time."""
    entry = make(headline=text, insight=text)
    return entry._replace(evidence=tuple(item._replace(quote=text, at=at) for item in entry.evidence))


def accept(curator: Curator, id_: str) -> None:
    curator.decisions.accept([id_])
    app.settling.settle(curator, [id_])


def rival(curator: Curator, id_: str) -> str | None:
    """The id of the other side of a card, if it is a conflict."""
    found = curator.lessons.find(id_).rival
    return found and found.other


def test_a_lesson_by_hand_that_contradicts_another_is_a_conflict_card(curator: Curator) -> None:
    for text in (NPM, OTHER, "Migrations are named after the ticket", "Retry the upload three times"):
        assert kept(curator, text).kind is Kind.LESSON
    (old,) = (entry for entry in curator.lessons.entries(curator.lessons.library()) if entry.headline == NPM)
    new = kept(curator, PNPM)
    assert (new.kind, new.state) == (Kind.CONFLICT, State.ACTIVE)
    assert new.rival
    assert new.rival.other == old.id
    assert new.rival.relating in (Relating.SUPERSEDES, Relating.CONTRADICTS)
    app.settling.settle(curator, [old.id])
    assert rival(curator, old.id) is None, "one card for a pair"
    curator.decisions.mark_not_conflict([new.id])
    app.settling.settle(curator, [new.id])
    assert curator.lessons.find(new.id).kind is Kind.LESSON, "what is no conflict is not raised again"


@pytest.mark.parametrize(
    ("way", "old_state", "new_state"),
    [
        (Resolution.NEWER, State.RETIRED, State.ACTIVE),
        (Resolution.OLDER, State.ACTIVE, State.RETIRED),
        (Resolution.BOTH, State.ACTIVE, State.ACTIVE),
        (Resolution.MERGE, State.ACTIVE, State.RETIRED),
    ],
)
def test_each_way_out_settles_it_for_good(
    curator: Curator, pair: tuple[Entry, Entry], way: Resolution, old_state: State, new_state: State
) -> None:
    old, new = pair
    curator.decisions.resolve([new.id], way)
    app.settling.settle(curator, [old.id, new.id])
    assert (curator.lessons.find(old.id).state, curator.lessons.find(new.id).state) == (old_state, new_state)
    assert waiting(curator) == []
    curator.decisions.undo()
    assert curator.lessons.find(new.id).kind is Kind.CONFLICT


def test_a_candidate_older_than_the_lesson_that_it_contradicts_is_noticed_when_it_is_kept(curator: Curator, make: Make) -> None:
    (id_,) = put(curator, make(headline=PNPM, insight=PNPM))
    lesson = curator.decisions.add(NPM).entries[0]
    accept(curator, id_)
    assert rival(curator, lesson.id) == id_, "the lesson was said after the candidate"


def test_the_card_is_of_what_was_said_last_however_late_the_other_was_kept(curator: Curator, make: Make) -> None:
    earlier, later = put(curator, said(make, NPM, 100.0), said(make, PNPM, 200.0))
    accept(curator, later)
    accept(curator, earlier)
    assert rival(curator, earlier) is None
    assert rival(curator, later) == earlier


def test_what_waits_becomes_a_conflict_when_its_opposite_is_kept(curator: Curator, make: Make) -> None:
    earlier, later, other = put(curator, said(make, NPM, 100.0), said(make, PNPM, 200.0), said(make, OTHER, 300.0))
    accept(curator, earlier)
    card = curator.lessons.find(later)
    assert (card.kind, card.state) == (Kind.CONFLICT, State.OPEN)
    assert rival(curator, earlier) is rival(curator, other) is None


def test_a_card_does_not_outlive_what_it_clashes_with(curator: Curator, pair: tuple[Entry, Entry]) -> None:
    old, new = pair
    curator.decisions.drop([old.id])
    with pytest.raises(CuratorError, match="no longer active"):
        curator.decisions.resolve([new.id], Resolution.OLDER)
    app.settling.settle(curator, [old.id])
    assert curator.lessons.find(new.id).kind is Kind.LESSON
    curator.decisions.undo()
    app.settling.settle(curator, [old.id])
    assert curator.lessons.find(new.id).kind is Kind.CONFLICT, "its other side is back"


def test_of_two_that_contradict_each_other_agents_are_told_the_later_one(curator: Curator, pair: tuple[Entry, Entry]) -> None:
    old, new = pair
    question = Question("prompt", "which tool do I use to install packages in this repository")
    shown, withheld = choose(search.hits(curator, curator.scope or "", question), "prompt")
    assert [hit.id for hit in shown] == [new.id]
    assert [(hit.id, new.id in reason) for hit, reason in withheld] == [(old.id, True)]
    assert packs.pack(curator).lessons in ((new.id,), (old.id,))
    curator.decisions.mark_not_conflict([new.id])
    hits = search.hits(curator, curator.scope or "", question)
    assert {hit.id for hit in choose(hits, "prompt")[0]} == {old.id, new.id}


# --- several projects -------------------------------------------------------------------------------------------------


def test_who_says_again_one_side_of_a_pair_does_not_clash_with_the_other(make: Callable[..., Entry]) -> None:
    a = make(state=State.ACTIVE, insight="Use npm in docs/")
    b = make(state=State.ACTIVE, insight="Use pnpm for the packages", coexists=((a.id, "docs/ has its own"),))
    again = make(insight="In docs/ use npm")
    clash = Relation(other=b.id, relating=Relating.CONTRADICTS, clash=(("pnpm", "npm"),))
    assert are_coexisting(a, b)
    assert are_coexisting(b, a)
    assert settle_relation(again, clash, [a, b]) == Relation(
        other=a.id, relating=Relating.DUPLICATE, likeness=1.0, certain=True
    )
    assert settle_relation(again, clash, [a, b._replace(coexists=())]) == clash
    assert settle_relation(make(insight="Use yarn"), clash, [a, b]) == clash
    refines = clash._replace(relating=Relating.REFINES)
    assert settle_relation(again, refines, [a, b]) == refines


REDIS = "Integration tests of the ledger need a running Redis; start it with make redis first"
REDIS_AGAIN = "Start Redis with make redis first, else the integration tests of the ledger hang; CI starts its own container"


def test_two_lessons_that_say_nearly_the_same_are_offered_for_a_merge_with_what_each_adds(curator: Curator) -> None:
    old, new = kept(curator, REDIS), kept(curator, REDIS_AGAIN)
    assert new.rival
    assert (new.kind, new.rival.other, new.rival.nearly) == (Kind.CONFLICT, old.id, True)
    curator.decisions.accept([new.id])
    merged = curator.lessons.find(old.id)
    assert "need a running Redis" in merged.insight
    assert "CI starts its own container" in merged.insight
    curator.decisions.undo()
    assert curator.lessons.find(old.id) == old
    curator.decisions.resolve([new.id], Resolution.BOTH)
    app.settling.settle(curator, [old.id, new.id])
    assert waiting(curator) == [], "a person keeps both for good"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Run the tests with go test ./... before each commit", "Run all tests with go test ./... -race before every commit"),
        ("Run the tests of the ledger before each commit", "Run the slow tests of the ledger with -race before a commit"),
    ],
)
def test_a_merge_loses_no_option_of_the_newer_lesson(curator: Curator, older: str, newer: str) -> None:
    old, new = kept(curator, older), kept(curator, newer)
    assert new.rival
    assert new.rival.nearly
    curator.decisions.accept([new.id])
    assert "-race" in curator.lessons.find(old.id).insight


@pytest.mark.parametrize(
    ("older", "newer"),
    [("Set the timeout to 30 seconds", "Set the timeout to 60 seconds"), ("Use Python 3.11", "Use Python 3.12")],
)
def test_a_merge_states_one_value_of_a_thing(curator: Curator, older: str, newer: str) -> None:
    old, new = kept(curator, older), kept(curator, newer)
    _, insight = app.merge_targets.text_for_both(old, new._replace(rival=None))
    assert insight.count(older.split()[0]) == 1


def test_a_pack_tells_a_conflict_from_a_lack_of_room(curator: Curator) -> None:
    kept(curator, NPM), kept(curator, PNPM)
    pack = packs.pack(curator)
    assert (len(pack.lessons), pack.left_out, pack.alike, pack.rivals) == (1, 0, 0, 1)


REDIS_THIRD = "The integration tests of the ledger hang without a running Redis, so start Redis with make redis first"


@pytest.mark.parametrize("grouped", [False, True], ids=["as merge cards", "as a group"])
def test_of_three_near_copies_one_is_sent_packed_and_written(curator: Curator, grouped: bool) -> None:
    ids = [kept(curator, text).id for text in (REDIS, REDIS_AGAIN, REDIS_THIRD)]
    assert len(waiting(curator)) == 2
    if grouped:
        (group,) = app.tidy.propose(curator)
        assert group.proposal
        assert waiting(curator) == [], "the group asks about all three, once"
        assert {group.id, *group.proposal.members} == {group.id, *group.proposal.copies} == {*ids}
        app.settling.settle(curator, ids)
        assert waiting(curator) == [], "also after a decision on one of them"
    shown, withheld = choose(search.hits(curator, curator.scope or "", Question("prompt", REDIS)), "prompt")
    assert [hit.id for hit in shown] == ids[:1], "the one that fits the prompt best"
    assert {reason for _, reason in withheld} == {f"{ids[0]} says nearly the same and is sent instead"}
    pack = packs.pack(curator)
    assert (pack.lessons, pack.alike, pack.left_out) == ((ids[2],), 2, 0), "the newest, where no question was asked"
    assert len(app.mcp.recall(curator, "integration tests redis", (), 9)) == 1
    assert curator.project
    assert len(app.install.active(curator, curator.project)) == 1


@pytest.mark.parametrize("how", ["kept one by one", "accepted together", "pulled into an accepted repository"])
def test_git_brings_near_copies_one_is_sent_and_a_merge_offered(curator: Curator, opened: Open, work: Path, how: str) -> None:
    other = opened("theirs", work)
    first = kept(curator, REDIS)
    if how.startswith("pulled"):
        app.sync.accept(other)
    second = kept(curator, REDIS_AGAIN)
    exchange = app.settling.export(other)
    assert len(exchange.conflicts) == how.startswith("pulled")
    if how == "kept one by one":
        for id_ in (first.id, second.id):
            accept(other, id_)
    elif how == "accepted together":
        outcome, _ = app.sync.accept(other)
        assert app.settling.settle(other, [one.id for one in outcome.entries]).failures == ()
    (card,) = waiting(other)
    assert card.rival
    assert (card.kind, {card.id, card.rival.other}) == (Kind.CONFLICT, {first.id, second.id})
    assert app.suggest(card) is Resolution.MERGE
    shown, _ = choose(search.hits(other, other.scope or "", Question("prompt", REDIS)), "prompt")
    assert len(shown) == 1
    for _ in range({"kept one by one": 2, "accepted together": 1}.get(how, 0)):
        app.settling.settle(other, [one.id for one in other.decisions.undo().entries])
        undone = [one for one in other.lessons.entries(Query()) if one.kind is Kind.CONFLICT]
    assert how.startswith("pulled") or not undone


def test_the_newer_of_two_lessons_of_git_replaces_the_older_under_its_id(curator: Curator, opened: Open, work: Path) -> None:
    other = opened("theirs", work)
    old, new = kept(curator, NPM), kept(curator, PNPM)
    app.sync.import_folder(other)
    accept(other, old.id)
    assert rival(other, new.id) == old.id
    accept(other, new.id)
    assert (other.lessons.find(old.id).headline, other.lessons.find(new.id).headline) == (NPM, PNPM)
    assert other.lessons.find(old.id).superseded_by == new.id


@pytest.mark.parametrize("linking", [0, 1, 2])
def test_copies_are_known_as_such_where_the_one_that_links_them_was_not_found(curator: Curator, linking: int) -> None:
    ids = [kept(curator, text).id for text in (REDIS, REDIS_AGAIN, REDIS_THIRD)]
    app.tidy.propose(curator)
    question = Question("prompt", REDIS)
    found = gather(Table(curator.store.connection, curator.scope or ""), question)
    found.rows = {seq: row for seq, row in found.rows.items() if row[1] != ids[linking]}
    shown, _ = choose(rank(question, found), "prompt")
    assert len(shown) == 1


def test_a_copy_of_a_lesson_that_this_session_got_is_not_sent(curator: Curator) -> None:
    old, new = kept(curator, REDIS), kept(curator, REDIS_AGAIN)
    hits = search.hits(curator, curator.scope or "", Question("prompt", REDIS_AGAIN))
    shown, withheld = choose(hits, "prompt", {old.id})
    assert shown == []
    assert (new.id, f"{old.id} says nearly the same and was already sent in this session") in [
        (hit.id, why) for hit, why in withheld
    ]


def test_a_copy_is_asked_about_again_once_its_group_is_gone(curator: Curator) -> None:
    _, second, third = (kept(curator, text) for text in (REDIS, REDIS_AGAIN, REDIS_THIRD))
    app.tidy.propose(curator)
    curator.decisions.drop([third.id])
    assert app.tidy.propose(curator) == []
    assert [card.id for card in waiting(curator)] == [second.id]
