"""Numbers are of cards, not of events."""

from __future__ import annotations

from curator.app.figures.statistics import Decision, delivery_rows, figures, last_decisions, sections, signals, tally
from curator.model import DISTILLED, Verb


def test_a_card_counts_once_by_the_last_word_on_it() -> None:
    verbs = {"A": (Verb.KEEP, Verb.EDIT, Verb.CONFIRM), "B": (Verb.DISMISS, Verb.KEEP), "C": (Verb.DISMISS,)}
    each = [(id_, verb) for id_, found in verbs.items() for verb in found]
    decisions = [Decision(f"batch-{n}", verb, "refusal", 1.0, id=id_) for n, (id_, verb) in enumerate(each)]
    assert signals(decisions) == {"refusal": {"kept": 2, "dropped": 1, "precision": 0.667, "adjustment": 0.0}}


def decided(*decisions: tuple[str, str, Verb], seconds: float | None = None) -> list[Decision]:
    """Events in their order, by batch, entry and verb."""
    return [Decision(batch, verb, "refusal", seconds, id=id_) for batch, id_, verb in decisions]


def test_decisions_are_cards_not_keys_or_events() -> None:
    marked = decided(*(("one", id_, Verb.DISMISS) for id_ in "ABC"))
    again = decided(("two", "A", Verb.KEEP), ("three", "A", Verb.EDIT))
    assert figures({}, marked + again)["decisions"] == 3
    assert tally(marked + again) == {"dropped": 2, "kept": 1}


def test_both_sides_of_a_merge_or_a_change_of_guard_are_one_card() -> None:
    merged = decided(("m", "A", Verb.MERGE), ("m", "T", Verb.MERGE), ("m", "B", Verb.MERGE), ("m", "T", Verb.MERGE))
    replaced = decided(("s", "old", Verb.SUPERSEDE), ("s", "new", Verb.SUPERSEDE))
    assert [card.id for card in last_decisions(merged + replaced)] == ["A", "B", "new"]
    assert tally(merged + replaced) == {"merged": 2, "kept": 1}
    assert figures({}, merged + replaced)["decisions"] == 3


def test_a_lesson_that_is_put_away_from_the_cleanup_was_kept_all_the_same() -> None:
    assert tally(decided(("1", "A", Verb.KEEP), ("2", "A", Verb.SNOOZE))) == {"kept": 1}
    assert tally(decided(("1", "A", Verb.SNOOZE), ("2", "A", Verb.KEEP))) == {"kept": 1}


def test_what_still_waits_was_not_decided() -> None:
    waits = decided(("1", "A", Verb.SNOOZE), ("2", "B", Verb.DISMISS), ("3", "B", Verb.REOPEN), ("4", "C", Verb.KEEP))
    found = figures({}, waits)
    assert found["decisions"] == 1
    assert found["decision_counts"] == {"kept": 1, "reopen": 1, "snooze": 1}


def test_seconds_are_of_keys() -> None:
    found = figures({}, [*decided(("1", "A", Verb.KEEP), seconds=2.0), *decided(("1", "B", Verb.KEEP), ("1", "C", Verb.KEEP))])
    assert (found["decisions"], found["seconds_median"], found["over_5s"]) == (3, 2.0, 0)


def test_what_says_nothing_is_not_said() -> None:
    assert list(sections(figures({}, []))) == ["your decisions"]
    assert sections(figures({}, []))["your decisions"] == [("decisions", "0", "")]
    came = {"tokens": 90, "helped": 1.5, "ignored": 0.0, "hurt": 0.0, "never_told": 0, "before": 0, "after": 0}
    kept = decided(("1", "A", Verb.KEEP), seconds=2.0)
    found = figures({("open", "tooling"): 2}, kept, outcomes={"deliveries": 3, "outcomes": came})
    assert sections(found) == {
        "lessons and candidates": [("waiting", "2", "including weaker and snoozed cards")],
        "your decisions": [
            ("decisions", "1", "1 kept"),
            ("median", "2.0s", "a decision; 9 of 10 within 2.0s"),
            ("over 5 s", "0%", "of the decisions; pauses of 60 s do not count"),
        ],
        "kept per rule": [("refusal", "1/1", "")],
        "sent to agents": [
            ("sent", "3", "times, 90 tokens in all"),
            ("outcomes", "", "1.5 helped (agent reports and decisions count half)"),
        ],
    }
    nothing = found | {"outcomes": came | {"helped": 0.0}}
    assert sections(nothing)["sent to agents"] == [("sent", "3", "times, 90 tokens in all")]


def test_of_each_rule_is_said_how_much_was_kept_and_what_follows() -> None:
    made = [Decision(str(at), Verb.KEEP if at < 4 else Verb.DISMISS, "refusal", None) for at in range(10)]
    made.append(Decision("10", Verb.KEEP, f"{DISTILLED}gpt-6", None))
    found = figures({}, made, adjustments={"refusal": -0.5})
    assert sections(found, {"refusal": "a person refuses"})["kept per rule"] == [
        ("refusal", "4/10", "a person refuses; counts less now")
    ], "a model is no rule"


def test_figures_of_one_are_said_in_the_singular() -> None:
    came = {"tokens": 1, "helped": 0, "ignored": 0, "hurt": 0, "never_told": 1, "before": 1, "after": 0}
    notes = [note for _, _, note in delivery_rows({"deliveries": 1, "outcomes": came})]
    assert notes == ["time, 1 token in all; 1 lesson was never sent", "time in sessions before they were sent, 0 again after"]
