"""Many sayings become one rule, by one decision that undo takes back; nothing of them is lost."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from curator import app
from curator.app import Curator
from curator.app.decisions import tidy
from curator.errors import CuratorError
from curator.model import Entry, Kind, State
from tests.app.conftest import Make, kept

SAME = (
    "Integration tests of the ledger need a running Redis; start it with make redis first",
    "Start Redis with make redis first, else the integration tests of the ledger hang",
    "The integration tests of the ledger hang without a running Redis, so start Redis with make redis first",
)
OTHER = "Amounts are stored in cents, never as floats"


@pytest.fixture
def lessons(curator: Curator) -> list[Entry]:
    """Three that say one thing and one that does not, from a library of before curator compared them."""
    return [curator.decisions.add(text).entries[0] for text in (*SAME, OTHER)]


def card(curator: Curator) -> Entry:
    (found,) = tidy.propose(curator)
    return found


def states(curator: Curator, lessons: list[Entry]) -> list[State]:
    return [curator.lessons.find(one.id).state for one in lessons]


def test_lessons_that_say_the_same_are_one_group_and_others_are_none(curator: Curator, lessons: list[Entry]) -> None:
    found = card(curator)
    assert found.proposal
    assert (found.id, found.kind, found.state) == (lessons[0].id, Kind.CONSOLIDATE, State.ACTIVE)
    assert [*found.proposal.members] == [one.id for one in lessons[1:3]]
    assert [entry.id for entry in curator.lessons.entries(curator.lessons.cleanup())] == [found.id]
    assert not found.waits, "agents get the lesson until a person decides"
    assert card(curator) == found, "the same again changes nothing"


def test_what_asks_for_the_same_thing_is_one_group_and_another_scope_is_not(curator: Curator) -> None:
    texts = ("Update the changelog when a flag changes", "Update the changelog before you tag a release")
    one, _, _ = (*(curator.decisions.add(text).entries[0] for text in texts), curator.decisions.add(texts[0], scope="global"))
    found = card(curator)
    assert found.proposal
    assert (found.id, len(found.proposal.members)) == (one.id, 1)


def test_two_lessons_that_a_longer_one_holds_are_no_group_with_it(make: Make) -> None:
    first, then = "Start the ledger stack with make up before work", "Run the invoice tests in docker with make e2e"
    lessons = [make(headline="", insight=text) for text in (f"{first}. {then}", first, then)]
    assert [len(group) for group in tidy.groups(lessons)] == [2]
    assert [len(group) for group in tidy.groups(lessons, joins=any)] == [3]


def test_a_rule_says_once_what_the_longer_lesson_says_too(make: Make) -> None:
    short, long = (make(headline=text, insight=text) for text in (OTHER, f"{OTHER}, in every table of the ledger"))
    rule = tidy.rule_of(short, [long])
    assert (rule.insight, tidy.missing_words(short, rule)) == (long.insight, [])
    assert tidy.rule_of(long, [short]).insight == long.insight


def test_a_pair_that_says_nearly_the_same_is_a_merge_card(curator: Curator) -> None:
    old, new = (curator.decisions.add(text).entries[0] for text in SAME[:2])
    assert tidy.propose(curator) == []
    rival = curator.lessons.find(new.id).rival
    assert rival
    assert (rival.other, rival.nearly) == (old.id, True)


def test_one_decision_makes_the_rule_and_undo_brings_all_back(curator: Curator, lessons: list[Entry]) -> None:
    found = card(curator)
    outcome = curator.decisions.accept([found.id])
    rule = curator.lessons.find(found.id)
    assert states(curator, lessons) == [State.ACTIVE, State.RETIRED, State.RETIRED, State.ACTIVE]
    assert {curator.lessons.find(one.id).merged_into for one in lessons[1:3]} == {found.id}
    assert (rule.kind, rule.times_stated) == (Kind.LESSON, 3)
    assert {event.batch for one in lessons[:3] for event in curator.lessons.history(one.id)[-1:]} == {outcome.batch}
    curator.decisions.undo()
    assert card(curator) == found
    assert states(curator, lessons) == [State.ACTIVE] * 4


def test_edited_words_make_the_rule(curator: Curator, lessons: list[Entry]) -> None:
    curator.decisions.edit(card(curator).id, keep=True, headline="Start Redis before the ledger's tests", insight="")
    assert curator.lessons.find(lessons[0].id).headline == "Start Redis before the ledger's tests"
    assert states(curator, lessons)[1:3] == [State.RETIRED] * 2


def test_what_is_kept_apart_is_never_proposed_again(curator: Curator, lessons: list[Entry]) -> None:
    curator.decisions.keep_apart([card(curator).id])
    assert tidy.propose(curator) == []
    app.settling.settle(curator, [one.id for one in lessons])
    assert list(curator.lessons.entries(curator.lessons.cleanup())) == []
    curator.decisions.undo()
    assert card(curator).id == lessons[0].id


def test_a_member_that_is_taken_out_stays_out(curator: Curator, lessons: list[Entry]) -> None:
    found = card(curator)
    curator.decisions.keep_apart([found.id], only=lessons[1].id)
    rest = curator.lessons.find(found.id).proposal
    assert rest
    assert rest.members == (lessons[2].id,)
    with pytest.raises(CuratorError, match="no such member"):
        curator.decisions.keep_apart([found.id], only=lessons[3].id)
    tidy.propose(curator)
    assert all(lessons[1].id not in (one.proposal.members if one.proposal else ()) for one in tidy.propose(curator))


def keep_in(curator: Curator, folder: Path, text: str, **more: str) -> Entry:
    """Add a lesson in the project of a folder, with all that follows."""
    folder.mkdir(exist_ok=True)
    curator.enter(str(folder))
    return kept(curator, text, **more)


def test_a_convention_of_three_projects_becomes_one_global_lesson_and_undo_parts_them(curator: Curator, tmp_path: Path) -> None:
    curator.decisions.add(OTHER)
    made = [keep_in(curator, tmp_path / name, text) for name, text in zip("ab", SAME[:2], strict=True)]
    assert tidy.propose(curator) == [], "two projects are too few"
    made.append(keep_in(curator, tmp_path / "c", SAME[2]))
    found = card(curator)
    assert found.proposal
    assert (found.id, {*found.proposal.members}) == (made[2].id, {made[0].id, made[1].id})
    assert tidy.group_row(found, found.proposal, curator.decisions.members(found))["scope"] == "global"
    curator.enter(str(tmp_path / "a"))
    assert [one.id for one in tidy.propose(curator)] == [found.id], "one card, which each of the projects shows"
    assert [one.id for one in curator.lessons.entries(curator.lessons.cleanup())] == [found.id]
    curator.enter(str(tmp_path / "d"))
    assert not [*curator.lessons.entries(curator.lessons.cleanup())], "no lesson of it is from here"
    curator.enter(str(tmp_path / "b"))
    outcome = curator.decisions.accept([found.id])
    rule = curator.lessons.find(found.id)
    assert (rule.scope, rule.kind, rule.times_stated) == ("global", Kind.LESSON, 3)
    assert [curator.lessons.find(one.id).merged_into for one in made[:2]] == [rule.id] * 2
    assert {event.batch for one in made for event in curator.lessons.history(one.id)[-1:]} == {outcome.batch}
    curator.decisions.undo()
    assert [curator.lessons.find(one.id).scope for one in made] == ["project"] * 3
    assert states(curator, made) == [State.ACTIVE] * 3
    curator.decisions.keep_apart([found.id])
    assert tidy.propose(curator) == [], "projects may keep their own words for good"


def test_a_global_lesson_that_a_project_contradicts_is_a_conflict_there(curator: Curator, tmp_path: Path) -> None:
    here = kept(curator, "Use npm to install packages")
    other = keep_in(curator, tmp_path / "b", "Use pnpm to install packages", scope="global")
    later = keep_in(curator, tmp_path / "c", "Use yarn to install packages")
    folder = keep_in(curator, tmp_path / "d", "In `web/` use yarn to install packages")
    rivals = [curator.lessons.find(one.id).rival for one in (here, other, later, folder)]
    assert [rival and rival.other for rival in rivals] == [other.id, None, other.id, None]
    curator.decisions.accept([here.id])
    assert states(curator, [here, other]) == [State.ACTIVE] * 2, "one key never gives up what holds in all projects"


def test_the_card_says_which_words_the_rule_loses(curator: Curator, lessons: list[Entry]) -> None:
    rule = card(curator).proposal
    assert rule
    shorter = rule._replace(headline="Start Redis", insight="Start Redis with make first")
    assert tidy.missing_words(lessons[2], shorter) == ["integration", "tests", "ledger", "hang", "running"]


def test_a_rule_goes_when_a_member_is_forgotten(curator: Curator, lessons: list[Entry]) -> None:
    found = card(curator)
    app.forget.forget(curator, [lessons[1].id])
    assert curator.lessons.find(found.id).proposal is None
    sides = [side or {} for event in curator.lessons.history(found.id) for side in (event.before, event.after)]
    assert not any(side.get("proposal") for side in sides)


def test_random_decisions_taken_back_one_by_one_lose_nothing(curator: Curator, lessons: list[Entry], tmp_path: Path) -> None:
    """Between them curator looks for groups again, as every cleanup does. One of the groups is of three projects."""
    pick, home = random.Random(37), tmp_path / "app"
    others = [keep_in(curator, tmp_path / name, OTHER) for name in "bc"]
    curator.enter(str(home))
    start = tidy.propose(curator)
    assert [len(one.proposal.members) for one in start if one.proposal] == [2, 2]
    ids, own = [one.id for one in (*lessons, *others)], [one.id for one in lessons]
    before = [curator.lessons.find(id_)._replace(updated=0.0) for id_ in ids]
    for _ in range(60):
        moves = pick.randint(1, 4)
        for _ in range(moves):
            cards = [one for one in map(curator.lessons.find, own) if one.kind is Kind.CONSOLIDATE]
            live = [one.id for one in map(curator.lessons.find, own) if one.state is State.ACTIVE]
            decide(curator, pick, live, pick.choice(cards) if cards else None)
            tidy.propose(curator)
        for _ in range(moves):
            curator.decisions.undo()
        tidy.propose(curator)
        assert [curator.lessons.find(id_)._replace(updated=0.0) for id_ in ids] == before


def decide(curator: Curator, pick: random.Random, live: list[str], card: Entry | None) -> None:
    """Make a random decision on a card, or on a lesson."""
    move = pick.choice(("accept", "apart", "only", "edit", "drop"))
    if move == "drop" or card is None:
        curator.decisions.snooze([pick.choice(live)]) if len(live) < 2 else curator.decisions.drop([pick.choice(live)])
    elif move == "accept":
        curator.decisions.accept([card.id])
    elif move == "edit":
        curator.decisions.edit(card.id, keep=True, headline=f"Rule {pick.random()}", insight="")
    else:
        members = curator.decisions.members(card)
        curator.decisions.keep_apart([card.id], only=members[0].id if move == "only" else "")
