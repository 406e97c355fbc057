"""Numbers are of cards, not of events."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from curator.model import DISTILLED, Verb
from curator.replay.outcomes import Case, Outcome, weeks
from curator.stats import Decision, by_week, cards, deliveries_by_week, precision, sections, summary, tally


def test_a_card_counts_once_by_the_last_word_on_it() -> None:
    verdicts = [
        ("A", Verb.KEEP),
        ("A", Verb.EDIT),
        ("A", Verb.CONFIRM),
        ("B", Verb.DISMISS),
        ("B", Verb.KEEP),
        ("C", Verb.DISMISS),
    ]
    decisions = [Decision(f"batch-{n}", verb, "refusal", 1.0, id=id_) for n, (id_, verb) in enumerate(verdicts)]
    assert precision(decisions) == {"refusal": {"kept": 2, "dropped": 1, "precision": 0.667, "weeks": {}}}


def decided(*verdicts: tuple[str, str, Verb], seconds: float | None = None) -> list[Decision]:
    """Events in their order, by batch, entry and verb."""
    return [Decision(batch, verb, "refusal", seconds, id=id_) for batch, id_, verb in verdicts]


def test_decisions_are_cards_not_keys_or_events() -> None:
    marked = decided(*(("one", id_, Verb.DISMISS) for id_ in "ABC"))
    again = decided(("two", "A", Verb.KEEP), ("three", "A", Verb.EDIT))
    assert summary({}, marked + again)["decisions"] == 3
    assert tally(marked + again) == {"dropped": 2, "kept": 1}


def test_both_sides_of_a_merge_or_a_change_of_guard_are_one_card() -> None:
    merged = decided(("m", "A", Verb.MERGE), ("m", "T", Verb.MERGE), ("m", "B", Verb.MERGE), ("m", "T", Verb.MERGE))
    replaced = decided(("s", "old", Verb.SUPERSEDE), ("s", "new", Verb.SUPERSEDE))
    assert [card.id for card in cards(merged + replaced)] == ["A", "B", "new"]
    assert tally(merged + replaced) == {"merged": 2, "kept": 1}
    assert summary({}, merged + replaced)["decisions"] == 3


def test_a_lesson_that_is_put_away_from_the_cleanup_was_kept_all_the_same() -> None:
    assert tally(decided(("1", "A", Verb.KEEP), ("2", "A", Verb.SNOOZE))) == {"kept": 1}
    assert tally(decided(("1", "A", Verb.SNOOZE), ("2", "A", Verb.KEEP))) == {"kept": 1}


def test_what_still_waits_was_not_decided() -> None:
    waits = decided(("1", "A", Verb.SNOOZE), ("2", "B", Verb.DISMISS), ("3", "B", Verb.REOPEN), ("4", "C", Verb.KEEP))
    found = summary({}, waits)
    assert found["decisions"] == 1
    assert found["verdicts"] == {"kept": 1, "reopen": 1, "snooze": 1}


def test_seconds_are_of_keys() -> None:
    found = summary({}, [*decided(("1", "A", Verb.KEEP), seconds=2.0), *decided(("1", "B", Verb.KEEP), ("1", "C", Verb.KEEP))])
    assert (found["decisions"], found["seconds_median"], found["over_5s"]) == (3, 2.0, 0)


def test_what_says_nothing_is_not_said() -> None:
    assert list(sections(summary({}, []))) == ["verdicts"]
    assert sections(summary({}, []))["verdicts"] == [("decisions", "0", "")]
    came = {"tokens": 90, "helped": 1.5, "ignored": 0.0, "hurt": 0.0, "never_told": 0, "before": 0, "after": 0}
    found = summary(
        {("open", "tooling"): 2}, decided(("1", "A", Verb.KEEP), seconds=2.0), outcomes={"deliveries": 3, "outcomes": came}
    )
    assert sections(found) == {
        "lessons and candidates": [("waiting", "2", "with what is held back (+) and put away")],
        "verdicts": [
            ("decisions", "1", "1 kept"),
            ("median", "2.0s", "a decision; 9 of 10 within 2.0s"),
            ("over 5 s", "0%", "of the decisions; 60 s without a key are a pause"),
        ],
        "seconds a decision": [
            ("to 2 s", "1", "█" * 20),
            *((span, "0", "") for span in ("to 5 s", "to 10 s", "to 30 s", "to 60 s", "longer")),
        ],
        "kept of what each rule proposed": [("refusal", "1/1", "█" * 20)],
        "sent to agents": [
            ("sent", "3", "times, 90 tokens in all"),
            ("came of it", "", "1.5 helped (weights: a report or a verdict counts half)"),
        ],
    }
    nothing = found | {"outcomes": came | {"helped": 0.0}}
    assert sections(nothing)["sent to agents"] == [("sent", "3", "times, 90 tokens in all")]


DAY = 86_400.0
MONDAY = datetime(2026, 11, 2, 12, tzinfo=UTC).timestamp()


def test_pictures_say_how_much_was_kept_over_time() -> None:
    verdicts = ["y", "x", "y", "x", "x", "x", "x", "x", "y", "y"]  # the weeks' first, second, third and so on
    made = [
        Decision(str(at), Verb.KEEP if key == "y" else Verb.DISMISS, "refusal", None, at=MONDAY + at // 2 * 7 * DAY)
        for at, key in enumerate(verdicts)
    ]
    found = summary({}, made, adjustments={"refusal": -0.5}, hidden={"refusal": 3})
    assert found["weeks"]["2026-11-09"] == {"kept": 1, "dropped": 1}
    assert found["weeks"]["2026-11-30"] == {"kept": 2, "dropped": 0}
    drawn = sections(found, {"refusal": "a person refuses"})
    assert drawn["kept a week (light: dropped)"] == [
        ("2026-11-02", "1", "█" * 10 + "░" * 10),
        ("2026-11-09", "1", "█" * 10 + "░" * 10),
        ("2026-11-16", "0", "░" * 20),
        ("2026-11-23", "0", "░" * 20),
        ("2026-11-30", "2", "█" * 20),
    ]
    heading = "kept of what each rule proposed"
    note = "a person refuses; lately 3/8; counts less now; 3 held back"
    assert drawn[heading] == [("refusal", "4/10", f"{'█' * 8}{'░' * 12}  {note}")]
    assert sections(found, {"refusal": "a person refuses"}, narrow=True)[heading] == [
        ("refusal", "4/10", "███░░░░░"),
        ("", "", note),
    ]


def test_pictures_say_what_was_sent_a_week_and_what_was_against_it() -> None:
    weeks = deliveries_by_week([(MONDAY, 20, False), (MONDAY + DAY, 30, True), (MONDAY + 14 * DAY, 10, False)])
    assert weeks == {
        "2026-11-02": {"sent": 2, "against": 1, "tokens": 50},
        "2026-11-09": {"sent": 0, "against": 0, "tokens": 0},
        "2026-11-16": {"sent": 1, "against": 0, "tokens": 10},
    }
    drawn = sections(summary({}, [], outcomes={"sent_weeks": weeks}))
    assert [row[1:] for row in drawn["sent a week (light: ignored or harmful)"]] == [
        ("2", "█" * 10 + "░" * 10),
        ("0", ""),
        ("1", "█" * 10),
    ]
    assert [row[1:] for row in drawn["tokens a week"]] == [("50", "█" * 20), ("0", ""), ("10", "█" * 4)]


def test_of_a_model_what_was_kept_of_its_cards_is_drawn() -> None:
    made = [
        Decision("1", Verb.KEEP, f"{DISTILLED}gpt-6", None),
        Decision("2", Verb.EDIT, f"{DISTILLED}gpt-6", None),
        Decision("3", Verb.DISMISS, f"{DISTILLED}gpt-6", None),
    ]
    drawn = sections(summary({}, made, spent={"gpt-6": (2, 900, 0.0)}))
    assert drawn["kept of what each model proposed"] == [("gpt-6", "2/3", "█" * 13 + "░" * 7)]
    assert "kept of what each rule proposed" not in drawn, "a model is no rule"


@pytest.fixture
def east(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nine hours east of Greenwich."""
    monkeypatch.setenv("TZ", "JST-9")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("east")
def test_a_week_begins_on_monday_here_whatever_is_counted() -> None:
    sunday = datetime(2026, 11, 22, 23, 30, tzinfo=UTC).timestamp()  # Monday morning there
    assert by_week([Decision("1", Verb.KEEP, "refusal", None, at=sunday)]) == {"2026-11-23": {"kept": 1, "dropped": 0}}
    assert [*deliveries_by_week([(sunday, 20, False)])] == ["2026-11-23"]
    again = Case(
        lesson="A",
        project="p",
        kind="statement",
        quote="",
        session="s",
        agent="",
        file="",
        line=1,
        at=sunday,
        outcome=Outcome.LATE,
    )
    assert [one["week"] for one in weeks([again])] == ["2026-11-23"]
