"""What came of sending a lesson: said again, contradicted, left in peace, reported, decided on; and its rank then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from curator import app
from curator.app import Curator, deliveries, search
from curator.model import Entry
from curator.ranking import Question
from curator.settings import DAY_SECONDS
from curator.store.deliveries import Receipt
from tests.app.conftest import Open, Transcript, cards, scanned
from tests.conftest import Clock
from tests.sayings import UV, VENDOR

SAID_AT = 1_793_527_200.0
"""10:00 of the day of the made-up sessions."""
SECOND = "5e551011-0000-4000-8000-000000000002"


@pytest.fixture
def curator(opened: Open, work: Path, still: Clock) -> Curator:
    still.at = SAID_AT + DAY_SECONDS
    return opened(folder=work)


@pytest.fixture
def lesson(curator: Curator, root: Path, work: Path) -> Entry:
    """A lesson that was learnt in the first session."""
    Transcript(root, work, 1).says(VENDOR)
    scanned(curator, root)
    (entry,) = cards(curator)
    curator.decisions.accept([entry.id])
    return curator.lessons.find(entry.id)


def tell(curator: Curator, lesson: Entry, session: str = SECOND, at: float = SAID_AT - 60, **more: Any) -> None:
    """A hook tells the lesson; more of its receipt may be given."""
    body = {"event": "UserPromptSubmit", "shown": [[lesson.id, 1, 0.5, 20]], "withheld": [], "asked": {}} | more
    with curator.store.transaction():
        curator.store.deliveries.add([Receipt(at=at, session=session, agent="claude-code", project=lesson.project, body=body)])


def came(curator: Curator, lesson: Entry) -> list[tuple[str, str]]:
    """What outcomes by decisions and in the second session, the only one that is told."""
    found = curator.store.deliveries.outcomes(lesson.id)
    assert {item.session for item in found if item.source != "decision"} <= {SECOND}
    return [(item.kind, item.source) for item in found]


def settled(curator: Curator, lesson: Entry) -> list[tuple[str, str]]:
    app.settling.settle(curator, [lesson.id])
    return came(curator, lesson)


@pytest.fixture
def says(curator: Curator, root: Path, work: Path) -> Transcript:
    """The second session, which is scanned when something is said."""

    class Scanned(Transcript):
        def says(self, *words: str, **more: object) -> None:
            super().says(*words, **more)
            scanned(curator, root)

    return Scanned(root, work, SECOND)


def score(curator: Curator, lesson: Entry) -> float:
    (hit,) = search.hits(curator, lesson.project, Question("prompt", "may I change vendor by hand"))
    return hit.score


def in_cleanup(curator: Curator) -> list[str]:
    return [entry.id for entry in curator.lessons.entries(curator.lessons.cleanup())]


def test_said_again_where_it_was_told_it_was_ignored(curator: Curator, lesson: Entry, says: Transcript) -> None:
    assert app.statistics.outcome_sentence(curator, lesson) == ""
    before = score(curator, lesson)
    tell(curator, lesson)
    assert app.statistics.outcome_sentence(curator, lesson) == "sent once"
    says.says("go on", VENDOR)
    assert came(curator, lesson) == [("ignored", "again")]
    assert score(curator, lesson) < before
    assert app.statistics.outcome_sentence(curator, lesson) == "sent once: ignored 1"
    found = app.statistics.summary(curator)
    assert found["deliveries"] == 1
    assert found["outcomes"] == {"tokens": 20, "helped": 0, "ignored": 1.0, "hurt": 0, "never_told": 0, "before": 0, "after": 1}
    assert deliveries.reset_outcomes(curator) == 1
    found = app.statistics.summary(curator)
    assert found["outcomes"]["ignored"] == found["outcomes"]["after"] == 0


@pytest.mark.parametrize("how", ["not told", "told later", "dropped by its agent"])
def test_a_lesson_repeated_before_it_was_sent_says_nothing(curator: Curator, lesson: Entry, says: Transcript, how: str) -> None:
    if how == "told later":
        tell(curator, lesson, at=SAID_AT + 3_600)
    elif how == "dropped by its agent":
        tell(curator, lesson, unheard=True)
    says.says("go on", VENDOR)
    assert all(source != "again" for _, source in came(curator, lesson))
    assert how == "told later" or (came(curator, lesson), app.statistics.outcome_sentence(curator, lesson)) == ([], "")


def test_a_quiet_session_helps_weakly(curator: Curator, lesson: Entry, says: Transcript, still: Clock, root: Path) -> None:
    before = score(curator, lesson)
    tell(curator, lesson)
    still.at = SAID_AT + 600
    says.says("go on", "thanks")
    assert came(curator, lesson) == [], "it may not be over"
    tell(curator, lesson, "unread")
    still.forward(2 * deliveries.SESSION_END_SECONDS)
    scanned(curator, root)
    assert came(curator, lesson) == [("helped", "quiet")]
    assert before < score(curator, lesson) < before + 0.02
    says.says("hm", UV, VENDOR)
    assert ("ignored", "again") in came(curator, lesson)
    assert ("helped", "quiet") not in came(curator, lesson), "a better witness takes its place"


def test_decisions_on_what_was_told_count_and_undo_takes_that_back(curator: Curator, lesson: Entry) -> None:
    assert settled(curator, lesson) == [], "it was never told"
    tell(curator, lesson)
    curator.decisions.accept([lesson.id])
    assert settled(curator, lesson) == [("helped", "decision")]
    curator.decisions.undo()
    assert settled(curator, lesson) == []
    curator.decisions.drop([lesson.id], reason="wrong")
    assert settled(curator, lesson) == [("hurt", "decision")]


@pytest.mark.parametrize("how", ["told later", "reset"])
def test_what_was_decided_before_it_was_told_or_reset_says_nothing_later(curator: Curator, lesson: Entry, how: str) -> None:
    if how == "reset":
        tell(curator, lesson)
    curator.decisions.accept([lesson.id])
    if how == "reset":
        assert settled(curator, lesson) != []
        deliveries.reset_outcomes(curator)
    else:
        tell(curator, lesson, at=SAID_AT + 90_000)
    curator.decisions.edit(lesson.id, headline="Leave vendor alone")
    assert settled(curator, lesson) == []


def test_what_comes_of_a_global_lesson_belongs_to_the_project_that_was_told(curator: Curator, lesson: Entry) -> None:
    tell(curator, lesson._replace(project="elsewhere"))
    deliveries.note_outcome(curator, lesson.id, SECOND, "ignored", "again")
    assert curator.store.deliveries.stats_by_lesson("elsewhere")[lesson.id]["ignored"] == 1.0
    assert lesson.id not in curator.store.deliveries.stats_by_lesson(lesson.project)
    assert deliveries.reset_outcomes(curator) == 0, "it is not of this project"


def test_what_is_forgotten_leaves_no_outcome(curator: Curator, lesson: Entry, says: Transcript) -> None:
    tell(curator, lesson)
    says.says("go on", VENDOR)
    app.forget.forget(curator, [lesson.id])
    assert came(curator, lesson) == []
    assert curator.store.deliveries.first(lesson.id) is None


def test_stated_before_and_again_where_it_was_told(curator: Curator, lesson: Entry, says: Transcript) -> None:
    tell(curator, lesson, at=SAID_AT + 86_000)
    says.says("go on", VENDOR)
    came_of_it = app.statistics.summary(curator)["outcomes"]
    assert (came_of_it["before"], came_of_it["after"]) == (2, 0), "said twice, but not where and when it was told already"
    for session, kind, source in (("s1", "ignored", "again"), ("s2", "hurt", "against"), ("s3", "hurt", "report")):
        tell(curator, lesson, session, at=SAID_AT + 86_100)
        deliveries.note_outcome(curator, lesson.id, session, kind, source)
    came_of_it = app.statistics.summary(curator)["outcomes"]
    assert (came_of_it["before"], came_of_it["after"]) == (2, 2), "nobody said it again where only an agent reported"
    (report,) = (one for one in curator.store.deliveries.outcomes(lesson.id) if one.source == "report")
    assert report.weight == deliveries.WEIGHTS["report"] == deliveries.WEIGHTS["decision"] < deliveries.WEIGHTS["again"]


def test_what_is_of_no_avail_or_never_told_comes_up_for_cleanup(curator: Curator, lesson: Entry, still: Clock) -> None:
    still.forward(20 * DAY_SECONDS)
    assert in_cleanup(curator) == []
    for number in range(3):
        tell(curator, lesson, f"s{number}")
        deliveries.note_outcome(curator, lesson.id, f"s{number}", "hurt", "report")
    assert in_cleanup(curator) == [lesson.id]
    deliveries.reset_outcomes(curator)
    assert in_cleanup(curator) == []
    app.forget.forget(curator, [lesson.id])
    other = curator.decisions.add("Keep migrations reversible").entries[0]
    still.forward(20 * DAY_SECONDS)
    assert in_cleanup(curator) == []
    for number in range(100):
        tell(curator, other, "s9", at=still.at + number, shown=[])
    assert in_cleanup(curator) == [other.id]
    assert app.statistics.outcome_sentence(curator, other) == "never sent, in 100 chances"
    curator.decisions.accept([other.id])
    assert in_cleanup(curator) == [], "a person says that it holds"


def test_what_is_of_no_avail_comes_up_at_once_until_a_person_decides(curator: Curator, lesson: Entry, still: Clock) -> None:
    def fails(session: str) -> list[str]:
        still.forward(60)
        tell(curator, lesson, session)
        deliveries.note_outcome(curator, lesson.id, session, "ignored", "again")
        return in_cleanup(curator)

    still.forward(60)
    assert fails("s0") == [], "once is not enough"
    assert fails("s1") == [lesson.id]
    still.forward(60)
    curator.decisions.accept([lesson.id])
    assert in_cleanup(curator) == [], "a person says that it holds"
    curator.decisions.undo()
    assert in_cleanup(curator) == [lesson.id]
    curator.decisions.redo()
    app.settling.settle(curator, [lesson.id])
    assert in_cleanup(curator) == []
    assert fails("s2") == [lesson.id], "it failed again since"


def test_silent_receipts_are_kept_for_a_while_and_others_for_ever(curator: Curator, lesson: Entry, still: Clock) -> None:
    tell(curator, lesson, at=still.at)
    tell(curator, lesson, at=still.at, shown=[])
    still.forward((deliveries.SILENT_DAYS - 1) * DAY_SECONDS)
    deliveries.settle_outcomes(curator)
    assert len(curator.store.deliveries.receipts(SECOND)) == 2
    still.forward(2 * DAY_SECONDS)
    deliveries.settle_outcomes(curator)
    assert [bool(receipt.body["shown"]) for receipt in curator.store.deliveries.receipts(SECOND)] == [True]


def test_a_lesson_never_sent_in_months_of_work_in_its_files_is_offered(curator: Curator, lesson: Entry, still: Clock) -> None:
    unused = curator.decisions.add("Round half to even", files=("src/pay.py",)).entries[0]
    asked: dict[str, Any] = {"asked": {"prompt": "", "files": ["src/pay.py"]}}
    still.forward(89 * DAY_SECONDS)
    tell(curator, lesson, at=still.at, **asked)
    still.forward(2 * DAY_SECONDS)
    assert app.tidy.offer(curator) == 0, "the work in its files spans 89 days"
    tell(curator, lesson, session="s2", at=still.at, **asked)
    assert app.tidy.offer(curator) == app.tidy.offer(curator) == 1
    assert curator.lessons.find(unused.id).offer == "never sent in 91 days of work in its files"
    assert in_cleanup(curator) == [unused.id]
    curator.decisions.accept([unused.id])
    assert (in_cleanup(curator), app.tidy.offer(curator)) == ([], 0), "a person says that it holds"
    curator.decisions.undo()
    curator.decisions.drop([unused.id])
    assert in_cleanup(curator) == []


def test_a_lesson_sent_and_still_repeated_is_offered_with_nine_others(curator: Curator, lesson: Entry, still: Clock) -> None:
    others = [curator.decisions.add(f"Rule {number} of the ledger").entries[0] for number in range(11)]
    for entry in (lesson, *others):
        for number in range(5):
            tell(curator, entry, f"s{number}")
            if number < 2:
                deliveries.note_outcome(curator, entry.id, f"s{number}", "ignored", "again")
    still.forward(91 * DAY_SECONDS)
    assert app.tidy.offer(curator) == 10
    said = [entry.offer for entry in map(curator.lessons.find, [lesson.id, *(one.id for one in others)])]
    assert sorted(said)[2:] == ["sent 5 times, and repeated all the same in 2 sessions"] * 10


def test_beyond_the_limit_the_least_useful_lessons_are_offered(curator: Curator, lesson: Entry, still: Clock) -> None:
    unused, helpful, new = (curator.decisions.add(f"Rule {number} of the ledger").entries[0] for number in range(3))
    tell(curator, lesson)
    tell(curator, helpful)
    deliveries.note_outcome(curator, helpful.id, "s1", "helped", "report")
    curator.settings = curator.settings._replace(max_lessons=2)
    assert app.tidy.offer(curator) == 2
    offers = {one.id: curator.lessons.find(one.id).offer for one in (lesson, unused, helpful, new)}
    why = "the project has 4 lessons, more than 2; this one helped little"
    assert offers == {lesson.id: "", unused.id: f"{why}: never sent", helpful.id: "", new.id: f"{why}: never sent"}
    still.forward(60)
    curator.decisions.accept([unused.id])
    curator.decisions.drop([new.id])
    assert app.tidy.offer(curator) == 1, "the next in line"
    assert curator.lessons.find(lesson.id).offer.endswith("more than 2; this one helped little: sent once")
    curator.settings = curator.settings._replace(max_lessons=0)
    assert app.tidy.offer(curator) == 0, "no limit"


def test_at_most_ten_lessons_beyond_the_limit_are_offered(curator: Curator) -> None:
    for number in range(14):
        curator.decisions.add(f"Rule {number} of the ledger")
    curator.settings = curator.settings._replace(max_lessons=1)
    assert app.tidy.offer(curator) == 10
