"""Lessons kept or written by hand are held against those that stand."""

from __future__ import annotations

import pytest

from curator import app
from curator.app import Curator, Resolution, packs, search
from curator.errors import CuratorError
from curator.model import Change, Entry, Kind, Relating, State, Verb
from curator.ranking.question import Question
from curator.ranking.rank import choose
from tests.app.test_verdicts import Make

NPM, PNPM = "Use npm to install packages in this repository", "Use pnpm to install packages in this repository"


def add(curator: Curator, text: str) -> Entry:
    (entry,) = curator.verdicts.add(text).entries
    app.settling.settle(curator, [entry.id])
    return curator.lessons.find(entry.id)


def test_a_lesson_by_hand_that_contradicts_another_is_a_conflict_card(curator: Curator) -> None:
    old, new = add(curator, NPM), add(curator, PNPM)
    assert old.rival is None
    assert (new.kind, new.state) == (Kind.CONFLICT, State.ACTIVE)
    assert new.rival
    assert new.rival.other == old.id
    assert new.rival.relating in (Relating.SUPERSEDES, Relating.CONTRADICTS)
    app.settling.settle(curator, [old.id])
    assert curator.lessons.find(old.id).rival is None, "one card for a pair"


@pytest.mark.parametrize(
    ("way", "old_state", "new_state"),
    [
        (Resolution.NEWER, State.RETIRED, State.ACTIVE),
        (Resolution.OLDER, State.ACTIVE, State.RETIRED),
        (Resolution.BOTH, State.ACTIVE, State.ACTIVE),
        (Resolution.MERGE, State.ACTIVE, State.RETIRED),
    ],
)
def test_each_way_out_settles_it_for_good(curator: Curator, way: Resolution, old_state: State, new_state: State) -> None:
    old, new = add(curator, NPM), add(curator, PNPM)
    curator.verdicts.resolve([new.id], way)
    app.settling.settle(curator, [old.id, new.id])
    assert (curator.lessons.find(old.id).state, curator.lessons.find(new.id).state) == (old_state, new_state)
    assert list(curator.lessons.entries(curator.lessons.waiting())) == []
    curator.verdicts.undo()
    assert curator.lessons.find(new.id).kind is Kind.CONFLICT


def test_what_is_no_conflict_is_not_raised_again(curator: Curator) -> None:
    _, new = add(curator, NPM), add(curator, PNPM)
    curator.verdicts.acquit([new.id])
    app.settling.settle(curator, [new.id])
    assert curator.lessons.find(new.id).kind is Kind.LESSON


def test_unrelated_lessons_stand_in_peace(curator: Curator) -> None:
    for text in (NPM, "Never log the session token", "Migrations are named after the ticket", "Retry the upload three times"):
        assert add(curator, text).kind is Kind.LESSON


def test_a_candidate_older_than_the_lesson_that_it_contradicts_is_noticed_when_it_is_kept(curator: Curator, make: Make) -> None:
    assert curator.project
    waiting = make(headline=PNPM, insight=PNPM, project=curator.project.id)
    curator.store.apply([(Verb.PROPOSE, Change(before=None, after=waiting))], actor="detector", at=1.0)
    lesson = curator.verdicts.add(NPM).entries[0]
    curator.verdicts.accept([waiting.id])
    app.settling.settle(curator, [waiting.id])
    rival = curator.lessons.find(lesson.id).rival
    assert rival, "the lesson was said after the candidate"
    assert rival.other == waiting.id


def test_the_card_is_of_what_was_said_last_however_late_the_other_was_kept(curator: Curator, make: Make) -> None:
    assert curator.project

    def quoted(text: str, at: float) -> Entry:
        entry = make(headline=text, insight=text, project=curator.project.id if curator.project else "")
        return entry._replace(evidence=tuple(item._replace(quote=text, at=at) for item in entry.evidence))

    earlier, later = quoted(NPM, 100.0), quoted(PNPM, 200.0)
    for entry in (earlier, later):
        curator.store.apply([(Verb.PROPOSE, Change(before=None, after=entry))], actor="detector", at=1.0)
    for entry in (later, earlier):
        curator.verdicts.accept([entry.id])
        app.settling.settle(curator, [entry.id])
    assert curator.lessons.find(earlier.id).rival is None
    rival = curator.lessons.find(later.id).rival
    assert rival
    assert rival.other == earlier.id


def test_what_waits_becomes_a_conflict_when_its_opposite_is_kept(curator: Curator, make: Make) -> None:
    assert curator.project
    earlier, later, other = (
        entry._replace(evidence=tuple(item._replace(at=at) for item in entry.evidence))
        for text, at in ((NPM, 100.0), (PNPM, 200.0), ("Never log the session token", 300.0))
        for entry in (make(headline=text, insight=text, project=curator.project.id),)
    )
    for entry in (earlier, later, other):
        curator.store.apply([(Verb.PROPOSE, Change(before=None, after=entry))], actor="detector", at=1.0)
    curator.verdicts.accept([earlier.id])
    app.settling.settle(curator, [earlier.id])
    card = curator.lessons.find(later.id)
    assert (card.kind, card.state) == (Kind.CONFLICT, State.OPEN)
    assert [curator.lessons.find(id_).rival for id_ in (earlier.id, other.id)] == [None, None]


def test_a_card_does_not_outlive_what_it_clashes_with(curator: Curator) -> None:
    old, new = add(curator, NPM), add(curator, PNPM)
    curator.verdicts.drop([old.id])
    with pytest.raises(CuratorError, match="holds no longer"):
        curator.verdicts.resolve([new.id], Resolution.OLDER)
    app.settling.settle(curator, [old.id])
    assert curator.lessons.find(new.id).kind is Kind.LESSON
    curator.verdicts.undo()
    app.settling.settle(curator, [old.id])
    assert curator.lessons.find(new.id).kind is Kind.CONFLICT, "its other side is back"


def test_of_two_that_contradict_each_other_agents_are_told_the_later_one(curator: Curator) -> None:
    old, new = add(curator, NPM), add(curator, PNPM)
    assert curator.project
    question = Question("prompt", "which tool do I use to install packages in this repository")
    hits = search.hits(curator, curator.project.id, question)
    shown, withheld = choose(hits, "prompt")
    assert [hit.id for hit in shown] == [new.id]
    assert [(hit.id, new.id in reason) for hit, reason in withheld] == [(old.id, True)]
    assert packs.pack(curator).pack.lessons in ((new.id,), (old.id,))
    curator.verdicts.acquit([new.id])
    hits = search.hits(curator, curator.project.id, question)
    assert {hit.id for hit in choose(hits, "prompt")[0]} == {old.id, new.id}
