"""What came of sending a lesson: said again, contradicted, left in peace, reported, decided on; and its rank then."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from curator import app
from curator.app import Curator, deliveries, search
from curator.model import Entry, Query, State
from curator.ranking.question import Question
from curator.settings import Settings
from curator.store.deliveries import Receipt
from tests.app.test_ingest import Transcript
from tests.conftest import Clock
from tests.sayings import UV, VENDOR

SESSIONS = ("5e551011-0000-4000-8000-000000000001", "5e551011-0000-4000-8000-000000000002")
SAID_AT = 1_793_527_200.0
"""10:00 of the day of the made-up sessions."""


@pytest.fixture
def curator(tmp_path: Path, work: Path, still: Clock) -> Iterator[Curator]:
    still.at = SAID_AT + 86_400
    opened = Curator(Settings(home=tmp_path / "home"))
    opened.enter(str(work))
    yield opened
    opened.close()


@pytest.fixture
def lesson(curator: Curator, tmp_path: Path, work: Path) -> Entry:
    """A lesson that was learnt in the first session."""
    first = Transcript(tmp_path / "claude", work, SESSIONS[0])
    first.says(VENDOR)
    app.scan.scan(curator, roots=[tmp_path / "claude"])
    (entry,) = curator.lessons.entries(Query(states=(State.OPEN,)))
    curator.verdicts.accept([entry.id])
    kept = curator.lessons.peek(entry.id)
    assert kept is not None
    return kept


def tell(curator: Curator, lesson: Entry, session: str, at: float = SAID_AT - 60) -> None:
    body = {"event": "UserPromptSubmit", "shown": [[lesson.id, 1, 0.5, 20]], "withheld": [], "asked": {}}
    with curator.store.transaction():
        curator.store.deliveries.add([Receipt(at=at, session=session, agent="claude-code", project=lesson.project, body=body)])


def came(curator: Curator, lesson: Entry) -> list[tuple[str, str, str]]:
    return [(item.session, item.kind, item.source) for item in curator.store.deliveries.outcomes(lesson.id)]


def says(curator: Curator, tmp_path: Path, work: Path, *words: str, session: str = SESSIONS[1]) -> None:
    transcript = Transcript(tmp_path / "claude", work, session)
    for one in words:
        transcript.says(one)
    app.scan.scan(curator, roots=[tmp_path / "claude"])


def score(curator: Curator, lesson: Entry) -> float:
    question = Question("prompt", "may I change vendor by hand")
    (hit,) = search.hits(curator, lesson.project, question)
    return hit.score


def test_said_again_where_it_was_told_it_was_ignored(curator: Curator, lesson: Entry, tmp_path: Path, work: Path) -> None:
    before = score(curator, lesson)
    tell(curator, lesson, SESSIONS[1])
    says(curator, tmp_path, work, "go on", VENDOR)
    assert came(curator, lesson) == [(SESSIONS[1], "ignored", "again")]
    assert score(curator, lesson) < before


@pytest.mark.parametrize("when", [None, SAID_AT + 3_600])
def test_said_again_where_it_was_not_told_or_told_only_later_says_nothing(
    curator: Curator, lesson: Entry, tmp_path: Path, work: Path, when: float | None
) -> None:
    if when is not None:
        tell(curator, lesson, SESSIONS[1], at=when)
    says(curator, tmp_path, work, "go on", VENDOR)
    assert all(source != "again" for _, _, source in came(curator, lesson))


def test_a_session_that_needed_no_word_on_it_speaks_for_it_weakly_once_it_is_over(
    curator: Curator, lesson: Entry, tmp_path: Path, work: Path, still: Clock
) -> None:
    before = score(curator, lesson)
    tell(curator, lesson, SESSIONS[1])
    still.at = SAID_AT + 600
    says(curator, tmp_path, work, "go on", "thanks")
    assert came(curator, lesson) == [], "it may not be over"
    still.forward(2 * deliveries.QUIET)
    app.scan.scan(curator, roots=[tmp_path / "claude"])
    assert came(curator, lesson) == [(SESSIONS[1], "helped", "quiet")]
    assert before < score(curator, lesson) < before + 0.02
    says(curator, tmp_path, work, "go on", "thanks", "hm", UV, VENDOR)
    assert ("ignored", "again") in [(kind, source) for _, kind, source in came(curator, lesson)]
    assert all(source != "quiet" for _, _, source in came(curator, lesson)), "a better witness takes its place"


def test_a_session_whose_transcript_nobody_read_says_nothing(curator: Curator, lesson: Entry) -> None:
    tell(curator, lesson, "unread")
    assert deliveries.settle_outcomes(curator) == 0
    assert came(curator, lesson) == []


def test_verdicts_on_what_was_told_count_and_undo_takes_that_back(curator: Curator, lesson: Entry) -> None:
    app.settling.settle(curator, curator_ids := [lesson.id])
    assert came(curator, lesson) == [], "it was never told"
    tell(curator, lesson, SESSIONS[1])
    curator.verdicts.accept(curator_ids)
    app.settling.settle(curator, curator_ids)
    assert [(kind, source) for _, kind, source in came(curator, lesson)] == [("helped", "verdict")]
    curator.verdicts.undo()
    app.settling.settle(curator, curator_ids)
    assert came(curator, lesson) == []
    curator.verdicts.drop(curator_ids, reason="wrong")
    app.settling.settle(curator, curator_ids)
    assert [(kind, source) for _, kind, source in came(curator, lesson)] == [("hurt", "verdict")]


def test_what_was_decided_before_it_was_told_says_nothing_of_telling_it(curator: Curator, lesson: Entry) -> None:
    curator.verdicts.accept([lesson.id])
    tell(curator, lesson, SESSIONS[1], at=SAID_AT + 90_000)
    curator.verdicts.edit(lesson.id, headline="Leave vendor alone")
    app.settling.settle(curator, [lesson.id])
    assert came(curator, lesson) == []


def test_what_was_reset_stays_so_whatever_is_decided_later(curator: Curator, lesson: Entry) -> None:
    tell(curator, lesson, SESSIONS[1])
    curator.verdicts.accept([lesson.id])
    app.settling.settle(curator, [lesson.id])
    assert came(curator, lesson) != []
    deliveries.reset_outcomes(curator)
    curator.verdicts.edit(lesson.id, headline="Leave vendor alone")
    app.settling.settle(curator, [lesson.id])
    assert came(curator, lesson) == []


def test_what_comes_of_a_global_lesson_belongs_to_the_project_that_was_told(curator: Curator, lesson: Entry) -> None:
    tell(curator, lesson._replace(project="elsewhere"), SESSIONS[1])
    deliveries.note_outcome(curator, lesson.id, SESSIONS[1], "ignored", "again")
    assert curator.store.deliveries.stats_by_lesson("elsewhere")[lesson.id]["ignored"] == 1.0
    assert lesson.id not in curator.store.deliveries.stats_by_lesson(lesson.project)
    assert deliveries.reset_outcomes(curator) == 0, "it is not of this project"


def test_nothing_comes_of_what_an_agent_drops(curator: Curator, lesson: Entry, tmp_path: Path, work: Path) -> None:
    body = {"event": "UserPromptSubmit", "shown": [[lesson.id, 1, 0.5, 20]], "withheld": [], "asked": {}, "unheard": True}
    dropped = Receipt(at=SAID_AT - 60, session=SESSIONS[1], agent="copilot-cli", project=lesson.project, body=body)
    with curator.store.transaction():
        curator.store.deliveries.add([dropped])
    says(curator, tmp_path, work, "go on", VENDOR)
    assert came(curator, lesson) == []
    assert app.statistics.outcome_sentence(curator, lesson) == ""


def test_what_is_forgotten_leaves_no_outcome(curator: Curator, lesson: Entry, tmp_path: Path, work: Path) -> None:
    tell(curator, lesson, SESSIONS[1])
    says(curator, tmp_path, work, "go on", VENDOR)
    app.forget.forget(curator, [lesson.id])
    assert came(curator, lesson) == []
    assert curator.store.deliveries.first(lesson.id) is None


def test_numbers_and_words_for_people(curator: Curator, lesson: Entry, tmp_path: Path, work: Path) -> None:
    assert app.statistics.outcome_sentence(curator, lesson) == ""
    tell(curator, lesson, SESSIONS[1])
    assert app.statistics.outcome_sentence(curator, lesson) == "sent once"
    says(curator, tmp_path, work, "go on", VENDOR)
    assert app.statistics.outcome_sentence(curator, lesson) == "sent once: ignored 1"
    found = app.statistics.summary(curator)
    assert found["deliveries"] == 1
    assert found["outcomes"] == {"tokens": 20, "helped": 0, "ignored": 1.0, "hurt": 0, "never_told": 0, "before": 0, "after": 1}
    assert deliveries.reset_outcomes(curator) == 1
    assert app.statistics.summary(curator)["outcomes"]["ignored"] == app.statistics.summary(curator)["outcomes"]["after"] == 0


def test_stated_before_and_again_where_it_was_told(curator: Curator, lesson: Entry, tmp_path: Path, work: Path) -> None:
    tell(curator, lesson, SESSIONS[1], at=SAID_AT + 86_000)
    says(curator, tmp_path, work, "go on", VENDOR)
    came_of_it = app.statistics.summary(curator)["outcomes"]
    assert (came_of_it["before"], came_of_it["after"]) == (2, 0), "said twice, but not where and when it was told already"
    for session, kind, source in (("s1", "ignored", "again"), ("s2", "hurt", "against"), ("s3", "hurt", "report")):
        tell(curator, lesson, session, at=SAID_AT + 86_100)
        deliveries.note_outcome(curator, lesson.id, session, kind, source)
    came_of_it = app.statistics.summary(curator)["outcomes"]
    assert (came_of_it["before"], came_of_it["after"]) == (2, 2), "nobody said it again where only an agent reported"


def test_an_agent_s_report_counts_as_much_as_a_verdict(curator: Curator, lesson: Entry) -> None:
    assert deliveries.WEIGHTS["report"] == deliveries.WEIGHTS["verdict"] < deliveries.WEIGHTS["again"]
    deliveries.note_outcome(curator, lesson.id, "s1", "helped", "report")
    assert curator.store.deliveries.outcomes(lesson.id)[0].weight == deliveries.WEIGHTS["report"]


def test_what_is_of_no_avail_or_never_told_comes_up_for_cleanup(curator: Curator, lesson: Entry, still: Clock) -> None:
    def up() -> list[str]:
        return [entry.id for entry in curator.lessons.entries(curator.lessons.cleanup())]

    still.forward(20 * 86_400)
    assert up() == []
    for number in range(3):
        tell(curator, lesson, f"s{number}")
        deliveries.note_outcome(curator, lesson.id, f"s{number}", "hurt", "report")
    assert up() == [lesson.id]
    deliveries.reset_outcomes(curator)
    assert up() == []
    app.forget.forget(curator, [lesson.id])
    other = curator.verdicts.add("Keep migrations reversible").entries[0]
    still.forward(20 * 86_400)
    assert up() == []
    with curator.store.transaction():
        body = {"event": "UserPromptSubmit", "shown": [], "withheld": [], "asked": {}}
        receipt = Receipt(at=still.at, session="s9", agent="codex", project=other.project, body=body)
        curator.store.deliveries.add([receipt] * 100)
    assert up() == [other.id]
    assert app.statistics.outcome_sentence(curator, other) == "never sent, in 100 chances"
    curator.verdicts.accept([other.id])
    assert up() == [], "a person says that it holds"


def test_what_is_of_no_avail_comes_up_at_once_until_a_person_decides(curator: Curator, lesson: Entry, still: Clock) -> None:
    def up() -> list[str]:
        return [entry.id for entry in curator.lessons.entries(curator.lessons.cleanup())]

    def fails(*sessions: str) -> None:
        for session in sessions:
            still.forward(60)
            tell(curator, lesson, session)
            deliveries.note_outcome(curator, lesson.id, session, "ignored", "again")

    still.forward(60)
    fails("s0")
    assert up() == [], "once is not enough"
    fails("s1")
    assert up() == [lesson.id]
    still.forward(60)
    curator.verdicts.accept([lesson.id])
    assert up() == [], "a person says that it holds"
    curator.verdicts.undo()
    assert up() == [lesson.id]
    curator.verdicts.redo()
    app.settling.settle(curator, [lesson.id])
    assert up() == []
    fails("s2")
    assert up() == [lesson.id], "it failed again since"


def test_why_nothing_was_told_is_known_for_a_while_what_was_told_for_ever(
    curator: Curator, lesson: Entry, still: Clock
) -> None:
    tell(curator, lesson, SESSIONS[1], at=still.at)
    body = {"event": "UserPromptSubmit", "shown": [], "withheld": [], "asked": {}}
    with curator.store.transaction():
        curator.store.deliveries.add(
            [Receipt(at=still.at, session=SESSIONS[1], agent="codex", project=lesson.project, body=body)]
        )
    still.forward((deliveries.SILENT_DAYS - 1) * 86_400)
    deliveries.settle_outcomes(curator)
    assert len(curator.store.deliveries.receipts(SESSIONS[1])) == 2
    still.forward(2 * 86_400)
    deliveries.settle_outcomes(curator)
    assert [bool(receipt.body["shown"]) for receipt in curator.store.deliveries.receipts(SESSIONS[1])] == [True]
