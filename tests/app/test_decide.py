"""Decisions through the service: what they do, that undo takes each back to the letter, and that redo brings it again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from curator import app, curate
from curator.app import Curator, Outcome, Resolution
from curator.errors import ConcurrentChange, CuratorError, NothingToUndo
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
from curator.settings import DAY_SECONDS, Settings
from tests.app.conftest import Make, Open, put
from tests.app.conftest import waiting as in_inbox
from tests.conftest import Clock

RIVAL = "BBBB-0001"


@pytest.fixture
def curator(opened: Open, work: Path) -> Curator:
    curator = opened()
    curator.project = Project(id="p1", name="work", folder=str(work))
    curator.store.sources.remember(curator.project, str(work))
    return curator


def everything(curator: Curator) -> dict[str, Entry]:
    return {entry.id: entry for entry in curator.lessons.entries(Query())}


def waiting(curator: Curator, **how: bool) -> list[str]:
    return [entry.id for entry in in_inbox(curator, **how)]


def quote(words: str, role: Role = Role.HUMAN, session: str = "s9") -> Evidence:
    return Evidence(quote=words, role=role, file="b.jsonl", line=9, line_end=9, session=session)


def stated_again(curator: Curator, id_: str) -> Evidence:
    """Have a scan find more evidence of an entry; returns that."""
    before = curator.lessons.find(id_)
    after = before._replace(evidence=(*before.evidence, quote("again")), times_stated=before.times_stated + 1)
    curator.store.apply([(Verb.SEE_AGAIN, Change(before=before, after=after))], actor="detector", at=2.0)
    return after.evidence[-1]


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


@pytest.fixture
def several(curator: Curator, make: Make) -> Curator:
    """The database with all of these."""
    put(curator, *cast(make))
    return curator


CARDS = ("AAAA-0001", "CCCC-0001", "DDDD-0001")
OF_ANY_CARD: dict[str, Callable[[Curator, str], Outcome]] = {
    "keep": lambda c, i: c.decisions.accept([i]),
    "drop": lambda c, i: c.decisions.drop([i], reason="wrong"),
    "edit": lambda c, i: c.decisions.edit(i, headline="Other words", insight="Other insight.", keep=True),
    "scope": lambda c, i: c.decisions.edit(i, scope="paths", paths=("web",)),
    "merge": lambda c, i: c.decisions.merge([i], "EEEE-0001", headline="Both"),
    "supersede": lambda c, i: c.decisions.supersede("EEEE-0001", i),
    "snooze": lambda c, i: c.decisions.snooze([i], 9e9),
}
DECISIONS = OF_ANY_CARD | {
    "wording": lambda c, _: c.decisions.accept(["AAAA-0001"], wording=2),
    "newer": lambda c, _: c.decisions.resolve(["CCCC-0001"], Resolution.NEWER),
    "older": lambda c, _: c.decisions.resolve(["CCCC-0001"], Resolution.OLDER),
    "both": lambda c, _: c.decisions.resolve(["CCCC-0001"], Resolution.BOTH),
    "fold": lambda c, _: c.decisions.resolve(["CCCC-0001"], Resolution.MERGE),
    "acquit": lambda c, _: c.decisions.mark_not_conflict(["CCCC-0001"]),
    "batch": lambda c, _: c.decisions.drop([*CARDS]),
    "keep all": lambda c, _: c.decisions.accept([*CARDS]),
}
CASES = [(name, id_) for name in DECISIONS for id_ in (CARDS if name in OF_ANY_CARD else [""])]


@pytest.mark.parametrize(("name", "id_"), CASES)
def test_undo_takes_any_decision_back_and_redo_brings_it_again(several: Curator, name: str, id_: str) -> None:
    before, order = everything(several), waiting(several)
    DECISIONS[name](several, id_)
    after, order_after = everything(several), waiting(several)
    assert after != before
    with closing(several.fork()) as other:  # as another process does the next day
        other.decisions.undo()
    assert everything(several) == before
    assert waiting(several) == order
    several.decisions.redo()
    assert everything(several) == after
    assert waiting(several) == order_after


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.lists(st.sampled_from(CASES), max_size=7))
def test_any_history_is_undone(tmp_path_factory: pytest.TempPathFactory, make: Make, names: Sequence[tuple[str, str]]) -> None:
    curator = Curator(Settings(home=tmp_path_factory.mktemp("home")), Project(id="p1", name="w", folder=""))
    put(curator, *cast(make))
    states = [everything(curator)]
    for name, id_ in names:
        try:
            DECISIONS[name](curator, id_)
        except CuratorError:
            continue  # it means nothing in this state; nothing was written
        states.append(everything(curator))
    for state in reversed(states[:-1]):
        curator.decisions.undo()
        assert everything(curator) == state
    with pytest.raises(NothingToUndo):
        curator.decisions.undo()
    for state in states[1:]:
        curator.decisions.redo()
        assert everything(curator) == state
    with pytest.raises(NothingToUndo):
        curator.decisions.redo()
    curator.close()


def test_what_is_kept_keeps_its_id_and_is_a_lesson(several: Curator) -> None:
    outcome = several.decisions.accept(["AAAA-0001"], wording=1)
    kept = several.lessons.find("aaaa0001")
    assert (kept.state, kept.kind, kept.headline, kept.slug) == (State.ACTIVE, Kind.LESSON, "Short", "short")
    assert outcome.events["AAAA-0001"] == several.lessons.history("AAAA-0001")[-1].seq
    several.decisions.undo()
    several.decisions.drop(["AAAA-0001"])
    with pytest.raises(NothingToUndo):
        several.decisions.redo()  # a new decision ends the line of redo


def test_another_headline_for_the_same_sentence_is_what_is_kept(curator: Curator, make: Make) -> None:
    whole = "Errors come twice, and the trail is lost."
    wordings = (Wording("Mind the trail", whole, "part"),)
    (id_,) = put(curator, make(headline="Errors come twice", insight=whole, wordings=wordings))
    curator.decisions.accept([id_], wording=1)
    kept = curator.lessons.find(id_)
    assert (kept.headline, kept.insight) == ("Mind the trail", "Mind the trail")


@pytest.mark.parametrize("role", [Role.HUMAN, Role.ASSISTANT])
@pytest.mark.parametrize("certain", [True, False])
@pytest.mark.parametrize("relating", list(Relating))
def test_y_retires_only_with_certainty(curator: Curator, make: Make, relating: Relating, certain: bool, role: Role) -> None:
    rival = Relation(other=RIVAL, relating=relating, certain=certain)
    put(curator, make(id=RIVAL, state=State.ACTIVE), make(id="CCCC-0001", rival=rival, evidence=(quote("Use pnpm", role),)))
    curator.decisions.accept(["CCCC-0001"])
    old, new = curator.lessons.find(RIVAL), curator.lessons.find("CCCC-0001")
    if relating is Relating.DUPLICATE:
        expected = State.ACTIVE, State.MERGED
    elif relating is Relating.CONTRADICTS and role is Role.ASSISTANT:
        expected = State.ACTIVE, State.DISMISSED
    else:
        expected = State.RETIRED if certain else State.ACTIVE, State.ACTIVE
    assert (old.state, new.state) == expected
    if old.state is State.RETIRED:
        assert (old.superseded_by, new.supersedes) == ("CCCC-0001", (RIVAL,))
    curator.decisions.undo()
    assert [curator.lessons.find(id_).kind for id_ in (RIVAL, "CCCC-0001")] == [Kind.LESSON, Kind.CONFLICT]
    assert curator.lessons.find("CCCC-0001").rival == rival


@pytest.mark.parametrize("file", ["api/app.ts", "web/src/deep/b.ts"])
def test_both_hold_each_in_its_own_folder_or_everywhere_where_one_is_in_the_other(several: Curator, file: str) -> None:
    several.decisions.edit(RIVAL, files=(file,))
    apart = file == "api/app.ts"
    assert len(several.decisions.resolve(["CCCC-0001"], Resolution.BOTH).entries) == 1 + apart
    one, other = several.lessons.find("CCCC-0001"), several.lessons.find(RIVAL)
    assert (one.state, other.state, one.coexists) == (State.ACTIVE, State.ACTIVE, ((RIVAL, "both kept"),))
    assert (one.scope, one.paths) == (("paths", ("web",)) if apart else ("project", ()))
    assert (other.scope, other.paths) == (("paths", ("api",)) if apart else ("project", ()))


def test_an_added_lesson_is_cleaned(curator: Curator) -> None:
    (added,) = curator.decisions.add("Use \x1b[31mred\x1b[0m AKIAIOSFODNN7EXAMPLE", insight="\u202eback\x1b]0;x\x07").entries
    assert (added.headline, added.insight) == ("Use red [redacted]", "back")


def test_a_merge_unites_evidence_and_leaves_a_pointer(curator: Curator, make: Make) -> None:
    one_line = [quote(text)._replace(line=1) for text in ("one", "two")]
    a = make(context="It broke on Friday.", snippets=(Snippet("run()"),), evidence=(one_line[0],))
    b = make(state=State.ACTIVE, context="It broke in CI.", snippets=(Snippet("stop()"),), evidence=(one_line[1],))
    put(curator, a, b)
    with pytest.raises(CuratorError, match="into itself"):
        curator.decisions.merge([a.id], a.id)
    assert curator.lessons.find(a.id) == a
    curator.decisions.merge([a.id], b.id, headline="Use \x1b[31mAKIAIOSFODNN7EXAMPLE", insight="\u202eback")
    merged, left = curator.lessons.find(b.id), curator.lessons.find(a.id)
    assert (merged.context, merged.insight) == ("It broke in CI.\n\nIt broke on Friday.", "back")
    assert (merged.snippets, merged.evidence) == ((Snippet("stop()"), Snippet("run()")), (one_line[1], one_line[0]))
    assert not [bad for bad in ("AKIA", "\x1b") if bad in merged.headline]
    assert (left.state, left.merged_into) == (State.MERGED, b.id)


def test_a_confirmed_stale_lesson_is_watched_from_todays_code_on(several: Curator) -> None:
    several.decisions.accept(["DDDD-0001"])
    lesson = several.lessons.find("DDDD-0001")
    assert (lesson.findings, lesson.anchors) == ((), (Anchor(path="a.py", blob="1" * 40),))
    again = lesson._replace(findings=(Finding(path="a.py", drift=Drift.BODY, blob="2" * 40),))
    several.store.apply([(Verb.OUTDATE, Change(before=lesson, after=again))], actor="curator", at=2.0)
    several.decisions.undo()
    assert several.lessons.find("DDDD-0001").findings[0].blob == "1" * 40, "undone though the code has moved on"


def test_a_decision_on_what_was_decided_elsewhere_changes_nothing(several: Curator) -> None:
    before, shown = several.lessons.find("AAAA-0001"), several.lessons.find("CCCC-0001")
    with closing(several.fork()) as other:
        other.decisions.drop([before.id])
        other.decisions.accept([shown.id])
        now = everything(several)
        seen = {one.id: (one.state, one.kind, one.headline) for one in (before, shown)}
        with several.decisions.guard(seen):
            with pytest.raises(ConcurrentChange, match=r"changed in another window\. It is dismissed now"):
                several.decisions.accept([before.id])
            with pytest.raises(ConcurrentChange):
                several.decisions.drop([shown.id])  # a key meant for a candidate retires no lesson
        with pytest.raises(CuratorError, match="dismissed already"):
            several.decisions.drop(["DDDD-0001", before.id])
        assert everything(several) == now, "a batch is all or nothing"
        other.decisions.edit(shown.id, headline="Their words")
        with several.decisions.guard({shown.id: (State.ACTIVE, Kind.LESSON, shown.headline)}), pytest.raises(ConcurrentChange):
            several.decisions.edit(shown.id, headline="My words")
    assert several.lessons.find(shown.id).headline == "Their words"


def test_undo_refuses_where_something_later_depends_on_it(several: Curator) -> None:
    added = several.decisions.add("Lint first")
    for id_, events in (("AAAA-0001", None), (added.entries[0].id, added.events)):
        first = events or several.decisions.edit(id_, headline="First").events
        several.decisions.edit(id_, headline="Second")
        with pytest.raises(ConcurrentChange, match="changed later"):
            several.decisions.undo(first[id_])
        assert several.lessons.find(id_).headline == "Second"
    for _ in range(4):
        several.decisions.undo()
    assert several.lessons.peek(added.entries[0].id) is None


def test_evidence_that_a_scan_adds_meanwhile_does_not_stand_in_the_way_of_undo(curator: Curator, make: Make) -> None:
    kept, a, b = make(), make(), make(state=State.ACTIVE)
    put(curator, kept, a, b)
    curator.decisions.accept([kept.id])
    more = stated_again(curator, kept.id)
    curator.decisions.undo()
    assert curator.lessons.find(kept.id).state is State.OPEN
    assert curator.lessons.find(kept.id).evidence[-1] == more
    with curator.decisions.guard({}, lambda: 9.0):
        curator.decisions.merge([a.id], b.id)
    assert app.statistics.summary(curator)["seconds_median"] == 9.0, "once, though two cards changed"
    more = stated_again(curator, b.id)
    curator.decisions.undo()
    assert curator.lessons.find(b.id).evidence == (*b.evidence, more)
    assert curator.lessons.find(a.id) == a
    curator.decisions.redo()
    assert set(curator.lessons.find(b.id).evidence) == {*a.evidence, *b.evidence, more}


def test_what_makes_no_sense_is_refused_and_nothing_is_lost(several: Curator) -> None:
    before = everything(several)
    with pytest.raises(CuratorError, match="was not a decision"):
        several.decisions.undo(several.lessons.history("AAAA-0001")[0].seq)
    with pytest.raises(CuratorError, match="needs a headline"):
        several.decisions.edit("AAAA-0001", headline="  ")
    assert everything(several) == before
    for id_ in ("AAAA-0001", "EEEE-0001"):
        several.decisions.drop([id_], reason="wrong")
        several.decisions.accept([id_])
        assert (several.lessons.find(id_).state, several.lessons.find(id_).reason) == (State.ACTIVE, ""), "brought back"


def test_what_is_put_away_comes_back_when_its_time_has_come(curator: Curator, make: Make, still: Clock) -> None:
    card, lesson = make(), make(state=State.ACTIVE)
    put(curator, card, lesson)
    curator.decisions.snooze([card.id])
    assert waiting(curator) == []
    still.forward(25 * 3600)
    assert waiting(curator) == [card.id]
    still.forward(400 * DAY_SECONDS)

    def due() -> list[str]:
        return [entry.id for entry in curator.lessons.entries(curator.lessons.cleanup())]

    assert due() == [lesson.id]
    curator.decisions.snooze([lesson.id])
    assert due() == []
    still.forward(2 * DAY_SECONDS)
    assert due() == [lesson.id], "a faded lesson grows no younger by that"


def test_what_is_put_away_is_asked_about_at_once_when_something_is_wrong_with_it(make: Make) -> None:
    put_away = make(state=State.ACTIVE)._replace(snoozed_until=9e9)
    stale = curate.with_notice(put_away, findings=(Finding(path="a.py", drift=Drift.DELETED, severity=1.0),))
    assert (stale.waits, stale.snoozed_until) == (True, None)
    worse = curate.with_notice(stale._replace(snoozed_until=9e9), branch="main")
    assert worse.snoozed_until == 9e9  # a person put it away knowing that


def test_rows_are_never_numbered_twice(curator: Curator, make: Make) -> None:
    (id_,) = put(curator, make())
    (seq,) = curator.lessons.order(curator.lessons.waiting())
    app.forget.forget(curator, [id_])
    put(curator, make())
    (again,) = curator.lessons.order(curator.lessons.waiting())
    assert again != seq


# --- how many cards of a session wait -----------------------------------------------------------------------------------


@pytest.fixture
def fill(curator: Curator, make: Make) -> Callable[[int], list[str]]:
    """Store so many cards of one session, the worst first; returns their ids, the best first."""

    def filled(count: int) -> list[str]:
        entries = [make(score=round(0.9 - n / 100, 2), session="s1") for n in range(count)]
        put(curator, *entries[::-1])
        return [entry.id for entry in entries]

    return filled


Fill = Callable[[int], list[str]]


@pytest.mark.parametrize(("cards", "shown"), [(1, 1), (3, 3), (4, 3), (5, 3), (6, 4), (8, 5), (10, 6), (13, 8), (40, 8)])
def test_how_many_cards_a_session_shows(curator: Curator, make: Make, fill: Fill, cards: int, shown: int) -> None:
    ids = fill(cards)
    (other,) = put(curator, make(score=0.5, session="s2"))
    assert waiting(curator) == [*ids[:shown], other]
    assert len(waiting(curator, rest=True)) == cards + 1


def test_cards_of_a_model_are_shown_up_to_the_cap_and_all_without_a_cap(curator: Curator, opened: Open, make: Make) -> None:
    put(curator, *(make(session="s1", signal=f"{DISTILLED}a model", place=at) for at in range(10)))
    assert len(waiting(curator)) == curator.settings.per_session == 8
    uncapped = opened("other", per_session=0)
    put(uncapped, *[make(session="s1") for _ in range(12)])
    assert len(waiting(uncapped)) == 12


def test_a_session_costs_as_many_decisions_as_the_cap_allows_and_nothing_is_lost(curator: Curator, fill: Fill) -> None:
    ids = fill(8)
    for at, decision in enumerate(("drop", "accept", "drop", "snooze", "accept")):
        assert waiting(curator) == [id_ for id_ in ids[:5] if id_ not in ids[:at]]
        getattr(curator.decisions, decision)([ids[at]])
    assert waiting(curator) == []
    assert waiting(curator, rest=True) == ids[5:]
    assert len(list(curator.lessons.entries(curator.lessons.library((State.OPEN,))))) == 4, "lists know no cap"


def test_places_follow_undo_mass_decisions_merges_and_what_is_forgotten(curator: Curator, fill: Fill) -> None:
    ids = fill(8)
    curator.decisions.drop(ids[:4])
    assert waiting(curator) == ids[4:5]
    curator.decisions.undo()
    assert waiting(curator) == ids[:5]
    curator.decisions.redo()
    assert waiting(curator) == ids[4:5]
    app.forget.forget(curator, [ids[0], ids[4]])
    assert waiting(curator) == ids[5:6], "what was forgotten was never asked"
    curator.decisions.merge([ids[5]], ids[6])
    assert waiting(curator) == []


def test_what_nobody_decided_takes_no_place(curator: Curator, fill: Fill) -> None:
    entries = [curator.lessons.find(id_) for id_ in fill(10)]
    gone = [(Verb.EXPIRE, curate.expire(entries[0], 2.0)), (Verb.DISMISS, curate.dismiss(entries[1], 2.0, WITHDRAWN))]
    curator.store.apply(gone, actor="curator", at=2.0)
    assert waiting(curator) == [entry.id for entry in entries[2:8]]
    shown = waiting(curator)
    curator.decisions.snooze(shown)
    behind = [(Verb.EXPIRE, curate.expire(one, 2.0)) for one in entries[8:]]
    curator.store.apply(behind, actor="curator", at=2.0)
    curator.decisions.undo()
    assert waiting(curator) == shown, "what expires behind the cap hides nothing that was shown"


def test_conflicts_are_asked_about_and_count(curator: Curator, make: Make, fill: Fill) -> None:
    (conflict,) = put(curator, make(session="s1", rival=Relation(other="none", relating=Relating.SUPERSEDES)))
    ids = fill(8)
    assert waiting(curator) == [conflict, *ids[:4]]
    curator.decisions.drop([conflict])
    assert waiting(curator) == ids[:4], "no other row came or went"


def test_what_is_stated_again_is_asked_about_whatever_else_was_decided(curator: Curator, fill: Fill) -> None:
    ids = fill(7)
    assert ids[6] not in waiting(curator)
    curator.decisions.drop(ids[:5])
    entry = curator.lessons.find(ids[6])
    again = curate.see_again(entry, [entry.evidence[0]._replace(session="s2", line=900)], 0.6, 2.0)
    assert again is not None
    curator.store.apply([(Verb.SEE_AGAIN, again)], actor="detector", at=2.0)
    assert waiting(curator) == ids[6:]


# --- what is proposed and suggested -------------------------------------------------------------------------------------


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
        *app.merge_targets.of_entry(curator, card, among=[kept.id]),
        *app.merge_targets.of_group(curator, [kept.id, card.id])[:1],
    ):
        assert (proposed.entry.id, proposed.headline) == (kept.id, kept.headline)
        assert proposed.insight.startswith(kept.insight.rstrip("."))
        assert "Traffic is lowest" in proposed.insight


def test_what_a_card_says_gives_way_gives_way_in_a_proposed_merge(several: Curator, make: Make) -> None:
    rival = Relation(other=RIVAL, relating=Relating.CONTRADICTS, clash=(("npm", "pnpm"),))
    card = make(headline="Use pnpm", insight="Install packages with pnpm.", rival=rival)
    put(several, card)
    several.decisions.edit(RIVAL, insight="Install packages with npm.")
    (proposed,) = app.merge_targets.of_entry(several, card, among=[RIVAL])
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
def test_a_person_wins_over_an_agent(make: Make, state: State, role: Role | None, certain: bool, expected: Resolution) -> None:
    evidence = (quote("q", role),) if role else ()
    rival = Relation(other="B", relating=Relating.CONTRADICTS, certain=certain)
    assert suggest(make(state=state, evidence=evidence, rival=rival)) is expected
