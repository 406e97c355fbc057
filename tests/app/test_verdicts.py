"""Verdicts through the service: what they do, that undo takes each back to the letter, and that redo brings it again."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from curator import app, curate
from curator.app import Curator, Outcome, Resolution
from curator.errors import ConcurrentChange, CuratorError, NothingToUndo, StoreError, UnknownId
from curator.inbox import WITHDRAWN, suggest
from curator.model import (
    DISTILLED,
    Anchor,
    Change,
    Drift,
    Entry,
    Evidence,
    Finding,
    Kind,
    Project,
    Query,
    Relating,
    Relation,
    Role,
    Snippet,
    State,
    Verb,
    Wording,
)
from curator.settings import Settings
from tests.conftest import Clock

Make = Callable[..., Entry]
DAY = 86_400.0


@pytest.fixture
def curator(tmp_path: Path) -> Iterator[Curator]:
    folder = tmp_path / "work"
    folder.mkdir()
    opened = Curator(Settings(home=tmp_path / "home"), Project(id="p1", name="work", folder=str(folder)))
    opened.store.sources.remember(Project(id="p1", name="work", folder=str(folder)), str(folder))
    yield opened
    opened.close()


def put(curator: Curator, *entries: Entry) -> None:
    deeds = [(Verb.PROPOSE, Change(before=None, after=entry)) for entry in entries]
    curator.store.apply(deeds, actor="detector", at=1.0)


def everything(curator: Curator) -> dict[str, Entry]:
    return {entry.id: entry for entry in curator.lessons.entries(Query())}


def waiting(curator: Curator) -> list[str]:
    return [entry.id for entry in curator.lessons.entries(curator.lessons.waiting())]


RIVAL = "BBBB-0001"


def cast(make: Make) -> list[Entry]:
    """A candidate, a conflict with its older lesson, a stale lesson, and a lesson nobody asks about."""
    return [
        make(id="AAAA-0001", wordings=(Wording("Short", "Short insight.", "shorter"), Wording("Wide", "Wide.", "broader"))),
        make(id=RIVAL, state=State.ACTIVE, headline="Use npm", slug="use-npm", files=("api/app.ts",)),
        make(
            id="CCCC-0001",
            headline="Use pnpm",
            files=("web/package.json", "web/src/a.ts"),
            rival=Relation(other=RIVAL, relating=Relating.CONTRADICTS, clash=(("npm", "pnpm"),), certain=True),
        ),
        make(
            id="DDDD-0001",
            state=State.ACTIVE,
            files=("a.py",),
            anchors=(Anchor(path="a.py", blob="0" * 40),),
            findings=(Finding(path="a.py", drift=Drift.BODY, diff="-a\n+b", blob="1" * 40),),
        ),
        make(id="EEEE-0001", state=State.ACTIVE, slug="other"),
    ]


VERDICTS: dict[str, Callable[[Curator, str], Outcome]] = {
    "keep": lambda c, i: c.verdicts.accept([i]),
    "wording": lambda c, i: c.verdicts.accept(["AAAA-0001"], wording=2),
    "drop": lambda c, i: c.verdicts.drop([i], reason="wrong"),
    "edit": lambda c, i: c.verdicts.edit(i, headline="Other words", insight="Other insight.", keep=True),
    "scope": lambda c, i: c.verdicts.edit(i, scope="paths", paths=("web",)),
    "merge": lambda c, i: c.verdicts.merge([i], "EEEE-0001", headline="Both"),
    "supersede": lambda c, i: c.verdicts.supersede("EEEE-0001", i),
    "snooze": lambda c, i: c.verdicts.snooze([i], 9e9),
    "newer": lambda c, i: c.verdicts.resolve(["CCCC-0001"], Resolution.NEWER),
    "older": lambda c, i: c.verdicts.resolve(["CCCC-0001"], Resolution.OLDER),
    "both": lambda c, i: c.verdicts.resolve(["CCCC-0001"], Resolution.BOTH),
    "fold": lambda c, i: c.verdicts.resolve(["CCCC-0001"], Resolution.MERGE),
    "acquit": lambda c, i: c.verdicts.acquit(["CCCC-0001"]),
    "batch": lambda c, i: c.verdicts.drop(["AAAA-0001", "CCCC-0001", "DDDD-0001"]),
    "keep all": lambda c, i: c.verdicts.accept(["AAAA-0001", "CCCC-0001", "DDDD-0001"]),
}


@pytest.mark.parametrize("name", VERDICTS)
@pytest.mark.parametrize("id_", ["AAAA-0001", "CCCC-0001", "DDDD-0001"])
def test_undo_takes_any_verdict_back_and_redo_brings_it_again(curator: Curator, make: Make, name: str, id_: str) -> None:
    put(curator, *cast(make))
    before, order = everything(curator), waiting(curator)
    VERDICTS[name](curator, id_)
    after, order_after = everything(curator), waiting(curator)
    assert after != before
    curator.verdicts.undo()
    assert everything(curator) == before
    assert waiting(curator) == order
    curator.verdicts.redo()
    assert everything(curator) == after
    assert waiting(curator) == order_after


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    names=st.lists(
        st.tuples(st.sampled_from(sorted(VERDICTS)), st.sampled_from(["AAAA-0001", "CCCC-0001", "DDDD-0001"])), max_size=7
    )
)
def test_any_history_can_be_undone_step_by_step(
    tmp_path_factory: pytest.TempPathFactory, make: Make, names: Sequence[tuple[str, str]]
) -> None:
    curator = Curator(Settings(home=tmp_path_factory.mktemp("home")), Project(id="p1", name="w", folder=""))
    put(curator, *cast(make))
    states = [everything(curator)]
    for name, id_ in names:
        try:
            VERDICTS[name](curator, id_)
        except CuratorError:
            continue  # it means nothing in this state; nothing was written
        states.append(everything(curator))
    for state in reversed(states[:-1]):
        curator.verdicts.undo()
        assert everything(curator) == state
    with pytest.raises(NothingToUndo):
        curator.verdicts.undo()
    for state in states[1:]:
        curator.verdicts.redo()
        assert everything(curator) == state
    with pytest.raises(NothingToUndo):
        curator.verdicts.redo()
    curator.close()


def test_undo_works_in_another_process_the_next_day(curator: Curator, make: Make) -> None:
    put(curator, *cast(make))
    before = everything(curator)
    curator.verdicts.accept(["AAAA-0001"])
    other = Curator(curator.settings, curator.project)
    other.verdicts.undo()
    assert everything(curator) == before
    other.close()


def test_what_is_kept_keeps_its_id_and_is_a_lesson(curator: Curator, make: Make) -> None:
    put(curator, *cast(make))
    outcome = curator.verdicts.accept(["AAAA-0001"], wording=1)
    kept = curator.lessons.find("aaaa0001")
    assert (kept.state, kept.kind, kept.headline, kept.slug) == (State.ACTIVE, Kind.LESSON, "Short", "short")
    assert outcome.events["AAAA-0001"] == curator.lessons.history("AAAA-0001")[-1].seq


def test_another_headline_for_the_same_sentence_is_what_is_kept(curator: Curator, make: Make) -> None:
    whole = "Errors come twice, and the trail is lost."
    put(
        curator,
        make(id="AAAA-0001", headline="Errors come twice", insight=whole, wordings=(Wording("Mind the trail", whole, "part"),)),
    )
    curator.verdicts.accept(["AAAA-0001"], wording=1)
    kept = curator.lessons.find("AAAA-0001")
    assert (kept.headline, kept.insight) == ("Mind the trail", "Mind the trail")


def test_a_conflict_settled_for_the_newer_retires_the_older(curator: Curator, make: Make) -> None:
    put(curator, *cast(make))
    curator.verdicts.accept(["CCCC-0001"])  # contradicted by a person: the newer statement is suggested
    assert curator.lessons.find(RIVAL).state is State.RETIRED
    assert curator.lessons.find(RIVAL).superseded_by == "CCCC-0001"
    assert curator.lessons.find("CCCC-0001").supersedes == (RIVAL,)


@pytest.mark.parametrize("role", [Role.HUMAN, Role.ASSISTANT])
@pytest.mark.parametrize("certain", [True, False])
@pytest.mark.parametrize("relating", list(Relating))
def test_y_replaces_a_lesson_only_where_it_is_certain_that_it_has_to_go(
    curator: Curator, make: Make, relating: Relating, certain: bool, role: Role
) -> None:
    quote = Evidence(quote="Use pnpm", role=role, file="a.jsonl", line=1, line_end=1)
    rival = Relation(other=RIVAL, relating=relating, certain=certain)
    put(curator, make(id=RIVAL, state=State.ACTIVE), make(id="CCCC-0001", rival=rival, evidence=(quote,)))
    curator.verdicts.accept(["CCCC-0001"])
    old, new = curator.lessons.find(RIVAL), curator.lessons.find("CCCC-0001")
    if relating is Relating.DUPLICATE:
        expected = State.ACTIVE, State.MERGED
    elif relating is Relating.CONTRADICTS and role is Role.ASSISTANT:
        expected = State.ACTIVE, State.DISMISSED
    else:
        expected = State.RETIRED if certain else State.ACTIVE, State.ACTIVE
    assert (old.state, new.state) == expected
    curator.verdicts.undo()
    assert [curator.lessons.find(id_).kind for id_ in (RIVAL, "CCCC-0001")] == [Kind.LESSON, Kind.CONFLICT]
    assert curator.lessons.find("CCCC-0001").rival == rival


def test_a_conflict_settled_for_both_is_not_raised_again(curator: Curator, make: Make) -> None:
    put(curator, *cast(make))
    curator.verdicts.resolve(["CCCC-0001"], Resolution.BOTH)
    assert curator.lessons.find("CCCC-0001").coexists == ((RIVAL, "both hold"),)
    assert curator.lessons.find(RIVAL).state is State.ACTIVE


def test_both_hold_each_in_its_own_folder(curator: Curator, make: Make) -> None:
    put(curator, *cast(make))
    outcome = curator.verdicts.resolve(["CCCC-0001"], Resolution.BOTH)
    assert len(outcome.entries) == 2
    one, other = curator.lessons.find("CCCC-0001"), curator.lessons.find(RIVAL)
    assert (one.scope, one.paths, one.state) == ("paths", ("web",), State.ACTIVE)
    assert (other.scope, other.paths) == ("paths", ("api",))
    curator.verdicts.undo()
    assert (curator.lessons.find("CCCC-0001").scope, curator.lessons.find(RIVAL).scope) == ("project", "project")


def test_both_hold_everywhere_where_one_folder_is_in_the_other(curator: Curator, make: Make) -> None:
    put(curator, *cast(make))
    curator.verdicts.edit(RIVAL, files=("web/src/deep/b.ts",))
    curator.verdicts.resolve(["CCCC-0001"], Resolution.BOTH)
    assert (curator.lessons.find("CCCC-0001").scope, curator.lessons.find(RIVAL).scope) == ("project", "project")


def test_a_merge_unites_evidence_and_leaves_a_pointer(curator: Curator, make: Make) -> None:
    a = make(context="It broke on Friday.", snippets=(Snippet("run()"),))
    b = make(state=State.ACTIVE, context="It broke in CI.", snippets=(Snippet("stop()"),))
    put(curator, a, b)
    curator.verdicts.merge([a.id], b.id)
    assert curator.lessons.find(b.id).context == "It broke in CI.\n\nIt broke on Friday."
    assert curator.lessons.find(b.id).snippets == (Snippet("stop()"), Snippet("run()"))
    assert curator.lessons.find(b.id).evidence == (*b.evidence, *a.evidence)
    assert curator.lessons.find(a.id).merged_into == b.id
    assert curator.lessons.find(a.id).state is State.MERGED


def test_nothing_can_be_merged_into_itself(curator: Curator, make: Make) -> None:
    entry = make()
    put(curator, entry)
    with pytest.raises(CuratorError, match="into itself"):
        curator.verdicts.merge([entry.id], entry.id)
    assert curator.lessons.find(entry.id) == entry


def test_a_confirmed_stale_lesson_is_watched_from_todays_code_on(curator: Curator, make: Make) -> None:
    put(curator, *cast(make))
    curator.verdicts.accept(["DDDD-0001"])
    lesson = curator.lessons.find("DDDD-0001")
    assert lesson.findings == ()
    assert lesson.anchors == (Anchor(path="a.py", blob="1" * 40),)


def test_a_verdict_on_what_was_decided_elsewhere_changes_nothing(curator: Curator, make: Make) -> None:
    put(curator, *cast(make))
    before = curator.lessons.find("AAAA-0001")
    other = curator.fork()
    other.verdicts.drop(["AAAA-0001"])
    now = everything(curator)
    seen = {"AAAA-0001": (before.state, before.kind, before.headline)}
    with curator.verdicts.guard(seen), pytest.raises(ConcurrentChange, match="changed elsewhere: it is dismissed now"):
        curator.verdicts.accept(["AAAA-0001"])
    with pytest.raises(CuratorError, match="dismissed already"):
        curator.verdicts.drop(["CCCC-0001", "AAAA-0001"])
    assert everything(curator) == now, "a batch is all or nothing"
    other.close()


def test_undo_refuses_where_something_later_depends_on_it(curator: Curator, make: Make) -> None:
    put(curator, *cast(make))
    first = curator.verdicts.edit("AAAA-0001", headline="First")
    curator.verdicts.edit("AAAA-0001", headline="Second")
    with pytest.raises(ConcurrentChange, match="changed later"):
        curator.verdicts.undo(first.events["AAAA-0001"])
    assert curator.lessons.find("AAAA-0001").headline == "Second"


def test_evidence_that_a_scan_adds_meanwhile_does_not_stand_in_the_way_of_undo(curator: Curator, make: Make) -> None:
    entry = make()
    put(curator, entry)
    curator.verdicts.accept([entry.id])
    more = Evidence(quote="again", role=Role.HUMAN, file="b.jsonl", line=9, line_end=9, session="s9")
    kept = curator.lessons.find(entry.id)
    seen = kept._replace(evidence=(*kept.evidence, more), seen=2)
    curator.store.apply([(Verb.SEE_AGAIN, Change(before=kept, after=seen))], actor="detector", at=2.0)
    curator.verdicts.undo()
    assert curator.lessons.find(entry.id).state is State.OPEN
    assert curator.lessons.find(entry.id).evidence[-1] == more


def test_new_verdicts_end_the_line_of_redo(curator: Curator, make: Make) -> None:
    put(curator, *cast(make))
    curator.verdicts.accept(["AAAA-0001"])
    curator.verdicts.undo()
    curator.verdicts.drop(["AAAA-0001"])
    with pytest.raises(NothingToUndo):
        curator.verdicts.redo()


def test_ids_are_found_by_unique_prefix_in_any_case(curator: Curator, make: Make) -> None:
    put(curator, *cast(make))
    assert curator.lessons.find("c").id == "CCCC-0001"
    put(curator, make(id="CCCC-0002"))
    with pytest.raises(UnknownId, match="could be"):
        curator.lessons.find("cc")
    with pytest.raises(UnknownId, match="no entry"):
        curator.lessons.find("zz")
    with pytest.raises(UnknownId):
        curator.lessons.find("%")


def test_a_snoozed_card_comes_back_when_its_time_has_come(curator: Curator, make: Make, still) -> None:  # type: ignore[no-untyped-def]
    put(curator, *(one._replace(session=one.id) for one in cast(make)))
    curator.verdicts.snooze(["AAAA-0001"])
    assert "AAAA-0001" not in waiting(curator)
    still.forward(25 * 3600)
    assert "AAAA-0001" in waiting(curator)


def test_a_faded_lesson_is_put_away_from_the_cleanup_and_grows_no_younger(curator: Curator, make: Make, still: Clock) -> None:
    lesson = make(state=State.ACTIVE)
    put(curator, lesson)
    still.forward(400 * DAY)

    def due() -> list[str]:
        return [entry.id for entry in curator.lessons.entries(curator.lessons.cleanup())]

    assert due() == [lesson.id]
    curator.verdicts.snooze([lesson.id])
    assert due() == []
    still.forward(2 * DAY)
    assert due() == [lesson.id]


def test_what_is_put_away_is_asked_about_at_once_when_something_is_wrong_with_it(make: Make) -> None:
    put_away = make(state=State.ACTIVE)._replace(snoozed_until=9e9)
    stale = curate.with_notice(put_away, findings=(Finding(path="a.py", drift=Drift.DELETED, severity=1.0),))
    assert (stale.waits, stale.snoozed_until) == (True, None)
    worse = curate.with_notice(stale._replace(snoozed_until=9e9), branch="main")
    assert worse.snoozed_until == 9e9  # a person put it away knowing that


def test_forgotten_means_gone_everywhere_but_for_a_hash(curator: Curator, make: Make) -> None:
    secret = "the zanzibar constant"
    entry = make(headline=secret, insight=secret, fingerprint="hash-1")
    put(curator, entry)
    curator.verdicts.accept([entry.id])
    app.settling.settle(curator, [entry.id])
    folder = Path(curator.project.folder) / ".curator" / "lessons" if curator.project else Path()
    assert len(list(folder.iterdir())) == 1
    assert app.forget.forget(curator, [entry.id]).count == 1
    assert curator.store.entries.has_tombstone("hash-1")
    assert curator.store.entries.has_tombstone("hash-0", "hash-1")
    assert not curator.store.entries.has_tombstone("hash-0", "hash-2")
    assert not curator.store.entries.has_tombstone()
    curator.close()
    assert list(folder.iterdir()) == []
    for file in curator.settings.home.rglob("*"):
        if file.is_file():
            assert secret.encode() not in file.read_bytes(), file


def test_all_of_a_session_can_be_forgotten(curator: Curator, make: Make) -> None:
    put(curator, make(session="s1"), make(session="s1"), make(session="s2", evidence=()))
    assert app.forget.forget(curator, session="s1").count == 2
    assert len(everything(curator)) == 1


def test_a_session_shows_three_of_five_of_its_cards(curator: Curator, make: Make) -> None:
    put(curator, *[make(score=score, session="s1") for score in (0.1, 0.9, 0.5, 0.7, 0.3, 0.2, 0.8)], make(session="s2"))
    assert [curator.lessons.find(id_).score for id_ in waiting(curator)] == [0.9, 0.8, 0.7, 0.5, 0.5]
    assert len(list(curator.lessons.entries(curator.lessons.waiting(rest=True)))) == 8


@pytest.mark.parametrize(("cards", "shown"), [(1, 1), (3, 3), (4, 3), (5, 3), (6, 4), (8, 5), (10, 6), (13, 8), (40, 8)])
def test_how_many_cards_a_session_shows(curator: Curator, make: Make, cards: int, shown: int) -> None:
    entries = [make(score=round(0.9 - n / 100, 2), session="s1") for n in range(cards)]
    put(curator, *entries)
    assert waiting(curator) == [entry.id for entry in entries[:shown]]


def test_what_expires_behind_the_cap_hides_nothing_that_was_shown(curator: Curator, make: Make) -> None:
    entries = [make(score=round(0.9 - n / 100, 2), session="s1") for n in range(10)]
    put(curator, *entries)
    curator.verdicts.snooze([entry.id for entry in entries[:6]])
    curator.store.apply([(Verb.EXPIRE, curate.expire(one, 2.0)) for one in entries[6:]], actor="curator", at=2.0)
    curator.verdicts.undo()
    assert waiting(curator) == [entry.id for entry in entries[:6]]


def test_what_a_model_chose_is_shown_up_to_the_cap(curator: Curator, make: Make) -> None:
    put(curator, *(make(session="s1", signal=f"{DISTILLED}a model", place=at) for at in range(10)))
    assert len(waiting(curator)) == curator.settings.per_session == 8


def test_a_session_costs_as_many_decisions_as_the_cap_allows_and_nothing_is_lost(curator: Curator, make: Make) -> None:
    entries = [make(score=round(0.9 - n / 100, 2), session="s1") for n in range(8)]
    put(curator, *entries)
    ids = [entry.id for entry in entries]
    verdicts: list[Callable[[list[str]], Outcome]] = [
        curator.verdicts.drop,
        curator.verdicts.accept,
        curator.verdicts.drop,
        curator.verdicts.snooze,
        curator.verdicts.accept,
    ]
    for at, decide in enumerate(verdicts):
        assert waiting(curator) == [id_ for id_ in ids[:5] if id_ not in ids[:at]]
        decide([ids[at]])
    assert waiting(curator) == []
    assert [entry.id for entry in curator.lessons.entries(curator.lessons.waiting(rest=True))] == ids[5:]
    assert len(list(curator.lessons.entries(curator.lessons.library((State.OPEN,))))) == 4, "lists know no cap"


def test_places_follow_undo_mass_verdicts_merges_and_what_is_forgotten(curator: Curator, make: Make) -> None:
    entries = [make(score=round(0.9 - n / 100, 2), session="s1") for n in range(8)]
    put(curator, *entries)
    ids = [entry.id for entry in entries]
    curator.verdicts.drop(ids[:4])
    assert waiting(curator) == ids[4:5]
    curator.verdicts.undo()
    assert waiting(curator) == ids[:5]
    curator.verdicts.redo()
    assert waiting(curator) == ids[4:5]
    app.forget.forget(curator, [ids[0], ids[4]])
    assert waiting(curator) == ids[5:6], "what was forgotten was never asked"
    curator.verdicts.merge([ids[5]], ids[6])
    assert waiting(curator) == []


def test_what_nobody_decided_takes_no_place(curator: Curator, make: Make) -> None:
    entries = [make(score=round(0.9 - n / 100, 2), session="s1") for n in range(10)]
    put(curator, *entries)
    gone = (curate.expire(entries[0], 2.0), curate.dismiss(entries[1], 2.0, WITHDRAWN))
    verbs = (Verb.EXPIRE, Verb.DISMISS)
    curator.store.apply(list(zip(verbs, gone, strict=True)), actor="curator", at=2.0)
    assert waiting(curator) == [entry.id for entry in entries[2:8]]


def test_conflicts_are_asked_about_and_count(curator: Curator, make: Make) -> None:
    rival = Relation(other="none", relating=Relating.SUPERSEDES)
    conflict = make(session="s1", rival=rival)
    entries = [make(score=round(0.9 - n / 100, 2), session="s1") for n in range(8)]
    put(curator, conflict, *entries)
    assert waiting(curator) == [conflict.id, *(entry.id for entry in entries[:4])]
    curator.verdicts.drop([conflict.id])
    assert waiting(curator) == [entry.id for entry in entries[:4]], "no other row came or went"


def test_what_is_stated_again_is_asked_about_whatever_else_was_decided(curator: Curator, make: Make) -> None:
    entries = [make(score=round(0.6 - n / 100, 2), session="s1") for n in range(7)]
    put(curator, *entries)
    assert entries[6].id not in waiting(curator)
    curator.verdicts.drop([entry.id for entry in entries[:5]])
    again = curate.see_again(entries[6], [entries[6].evidence[0]._replace(session="s2", line=900)], 0.6, 2.0)
    assert again is not None
    curator.store.apply([(Verb.SEE_AGAIN, again)], actor="detector", at=2.0)
    assert waiting(curator) == [entries[6].id]


def test_without_a_cap_everything_waits(tmp_path: Path, make: Make) -> None:
    curator = Curator(Settings(home=tmp_path / "other", per_session=0))
    put(curator, *[make(session="s1") for _ in range(12)])
    assert len(list(curator.lessons.entries(curator.lessons.waiting()))) == 12
    curator.close()


def test_an_empty_headline_is_refused_and_nothing_is_lost(curator: Curator, make: Make) -> None:
    entry = make()
    put(curator, entry)
    with pytest.raises(CuratorError, match="needs a headline"):
        curator.verdicts.edit(entry.id, headline="  ")
    assert curator.lessons.find(entry.id) == entry


def test_what_a_person_types_is_cleaned_too(curator: Curator) -> None:
    added = curator.verdicts.add("Use \x1b[31mred\x1b[0m AKIAIOSFODNN7EXAMPLE").entries[0]
    assert "\x1b" not in added.headline
    assert "AKIAIOSFODNN7EXAMPLE" not in added.headline


def test_adding_is_undone_by_removing(curator: Curator) -> None:
    added = curator.verdicts.add("Always lint").entries[0]
    curator.verdicts.undo()
    assert curator.lessons.peek(added.id) is None
    curator.verdicts.redo()
    assert curator.lessons.peek(added.id) == added


def test_a_newer_database_is_read_but_never_written(curator: Curator, make: Make) -> None:
    entry = make()
    put(curator, entry)
    curator.store.connection.execute("PRAGMA user_version = 99")
    curator.close()
    newer = Curator(curator.settings, curator.project)
    assert newer.lessons.find(entry.id) == entry
    with pytest.raises(StoreError, match="newer curator"):
        newer.verdicts.accept([entry.id])
    newer.close()


def test_a_card_kept_elsewhere_is_not_retired_by_a_key_meant_for_the_candidate(curator: Curator, make: Make) -> None:
    put(curator, *cast(make))
    shown = curator.lessons.find("AAAA-0001")
    other = curator.fork()
    other.verdicts.accept([shown.id])
    with curator.verdicts.guard({shown.id: (shown.state, shown.kind, shown.headline)}), pytest.raises(ConcurrentChange):
        curator.verdicts.drop([shown.id])
    assert curator.lessons.find(shown.id).state is State.ACTIVE
    other.verdicts.edit(shown.id, headline="Their words")
    with curator.verdicts.guard({shown.id: (State.ACTIVE, Kind.LESSON, shown.headline)}), pytest.raises(ConcurrentChange):
        curator.verdicts.edit(shown.id, headline="My words")
    assert curator.lessons.find(shown.id).headline == "Their words"
    other.close()


@pytest.mark.parametrize("id_", ["AAAA-0001", "EEEE-0001"])
def test_what_was_dropped_or_retired_can_be_brought_back(curator: Curator, make: Make, id_: str) -> None:
    put(curator, *cast(make))
    curator.verdicts.drop([id_], reason="wrong")
    curator.verdicts.accept([id_])
    assert (curator.lessons.find(id_).state, curator.lessons.find(id_).reason) == (State.ACTIVE, "")


def test_an_added_lesson_that_was_edited_since_is_not_undone_away(curator: Curator) -> None:
    first = curator.verdicts.add("Lint first")
    (added,) = first.entries
    curator.verdicts.edit(added.id, headline="Lint before anything")
    with pytest.raises(ConcurrentChange, match="changed later"):
        curator.verdicts.undo(first.events[added.id])
    assert curator.lessons.find(added.id).headline == "Lint before anything"
    curator.verdicts.undo()
    curator.verdicts.undo()
    assert curator.lessons.peek(added.id) is None


def test_only_verdicts_by_people_are_undone(curator: Curator, make: Make) -> None:
    put(curator, make(id="AAAA-0009"))
    with pytest.raises(CuratorError, match="no verdict of a person"):
        curator.verdicts.undo(curator.lessons.history("AAAA-0009")[0].seq)
    assert curator.lessons.peek("AAAA-0009")


def test_a_merge_is_undone_even_when_a_scan_has_added_evidence_since(curator: Curator, make: Make) -> None:
    a, b = make(), make(state=State.ACTIVE)
    put(curator, a, b)
    curator.verdicts.merge([a.id], b.id)
    more = Evidence(quote="again", role=Role.HUMAN, file="b.jsonl", line=9, line_end=9, session="s9")
    merged = curator.lessons.find(b.id)
    seen = merged._replace(evidence=(*merged.evidence, more), seen=merged.seen + 1)
    curator.store.apply([(Verb.SEE_AGAIN, Change(before=merged, after=seen))], actor="detector", at=2.0)
    curator.verdicts.undo()
    assert curator.lessons.find(b.id).evidence == (*b.evidence, more)
    assert curator.lessons.find(a.id) == a
    curator.verdicts.redo()
    assert set(curator.lessons.find(b.id).evidence) == {*a.evidence, *b.evidence, more}


def test_a_confirmation_is_undone_even_when_the_code_has_moved_on(curator: Curator, make: Make) -> None:
    put(curator, *cast(make))
    curator.verdicts.accept(["DDDD-0001"])
    confirmed = curator.lessons.find("DDDD-0001")
    again = confirmed._replace(findings=(Finding(path="a.py", drift=Drift.BODY, blob="2" * 40),))
    curator.store.apply([(Verb.OUTDATE, Change(before=confirmed, after=again))], actor="curator", at=2.0)
    curator.verdicts.undo()
    assert curator.lessons.find("DDDD-0001").findings[0].blob == "1" * 40


def test_two_quotes_of_one_line_both_survive_a_merge(curator: Curator, make: Make) -> None:
    quotes = [
        Evidence(quote=text, role=Role.HUMAN, file="a.jsonl", line=1, line_end=1, session="s1") for text in ("one", "two")
    ]
    a, b = make(evidence=(quotes[0],)), make(evidence=(quotes[1],), state=State.ACTIVE)
    put(curator, a, b)
    curator.verdicts.merge([a.id], b.id)
    assert {item.quote for item in curator.lessons.find(b.id).evidence} == {"one", "two"}


def test_the_seconds_of_a_decision_count_once(curator: Curator, make: Make) -> None:
    a, b, c = make(), make(state=State.ACTIVE), make()
    put(curator, a, b, c)
    curator.verdicts.merge([a.id], b.id, seconds=9.0)
    curator.verdicts.accept([c.id], seconds=1.0)
    assert app.statistics.summary(curator)["seconds_median"] == 5.0


def test_rows_are_never_numbered_twice(curator: Curator, make: Make) -> None:
    put(curator, make(id="AAAA-0001"))
    (seq,) = curator.lessons.order(curator.lessons.waiting())
    app.forget.forget(curator, ["AAAA-0001"])
    put(curator, make(id="BBBB-0002"))
    (again,) = curator.lessons.order(curator.lessons.waiting())
    assert again != seq


def test_words_given_to_a_merge_are_cleaned(curator: Curator, make: Make) -> None:
    a, b = make(), make(state=State.ACTIVE)
    put(curator, a, b)
    curator.verdicts.merge([a.id], b.id, headline="Use \x1b[31mAKIAIOSFODNN7EXAMPLE", insight="\u202eback")
    merged = curator.lessons.find(b.id)
    assert "AKIA" not in merged.headline
    assert "\x1b" not in merged.headline
    assert merged.insight == "back"


@pytest.mark.parametrize("relating", [None, Relating.CONTRADICTS, Relating.DUPLICATE])
def test_a_lesson_keeps_its_own_words_in_a_proposed_merge(curator: Curator, make: Make, relating: Relating | None) -> None:
    kept = make(state=State.ACTIVE, headline="Never deploy on Friday", insight="Nobody is there on Saturday to repair it.")
    card = make(
        headline="Always deploy on Friday",
        insight="Traffic is lowest before the weekend.",
        rival=relating and Relation(other=kept.id, relating=relating),
    )
    put(curator, kept, card)
    for proposed in (
        *app.targets.of_entry(curator, card, among=[kept.id]),
        *app.targets.of_group(curator, [kept.id, card.id])[:1],
    ):
        assert proposed.entry.id == kept.id
        assert proposed.headline == kept.headline
        assert proposed.insight.startswith(kept.insight.rstrip("."))
        assert "Traffic is lowest" in proposed.insight


def test_what_a_card_says_gives_way_gives_way_in_a_proposed_merge(curator: Curator, make: Make) -> None:
    kept = make(state=State.ACTIVE, headline="Use npm", insight="Install packages with npm.")
    rival = Relation(other=kept.id, relating=Relating.CONTRADICTS, clash=(("npm", "pnpm"),))
    card = make(headline="Use pnpm", insight="Install packages with pnpm.", rival=rival)
    put(curator, kept, card)
    (proposed,) = app.targets.of_entry(curator, card, among=[kept.id])
    assert (proposed.headline, proposed.insight) == (card.headline, card.insight)


@pytest.mark.parametrize(
    ("state", "role", "certain", "expected"),
    [
        (State.OPEN, Role.ASSISTANT, True, Resolution.OLDER),
        (State.OPEN, Role.HUMAN, True, Resolution.NEWER),
        (State.OPEN, Role.HUMAN, False, Resolution.BOTH),
        (State.ACTIVE, None, True, Resolution.NEWER),
    ],
)
def test_what_an_agent_concluded_gives_way_to_what_a_person_said_or_kept(
    make: Make, state: State, role: Role | None, certain: bool, expected: Resolution
) -> None:
    evidence = (Evidence(quote="q", role=role, file="f", line=1, line_end=1),) if role else ()
    rival = Relation(other="B", relating=Relating.CONTRADICTS, certain=certain)
    entry = make(state=state, evidence=evidence, rival=rival)
    assert suggest(entry) is expected


def test_an_edit_loads_nothing_of_detection(isolation: Path) -> None:
    script = """
import sys
from curator.app import Curator, settling
from curator.settings import load
curator = Curator(load())
curator.enter(sys.argv[1])
(entry,) = curator.verdicts.add("Run the tests with make").entries
(entry,) = curator.verdicts.edit(entry.id, headline="Run all tests with make").entries
settling.settle(curator, [entry.id])
print(*(name for name in sys.modules if name.startswith("curator.detection")))
"""
    done = subprocess.run([sys.executable, "-c", script, str(isolation)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
