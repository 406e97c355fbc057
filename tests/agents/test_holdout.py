"""What is held out: by chance, the same for a whole session, said in the receipt, and counted beside what was sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator import app
from curator.agents import holdout
from curator.app import Curator
from curator.errors import CuratorError
from curator.hooks import answer
from curator.model import Entry
from curator.ranking.rank import HELD
from curator.settings import load
from curator.store.deliveries import Receipt
from tests.app.conftest import work
from tests.app.test_outcomes import SAID_AT, SESSIONS, curator, lesson, says, tell
from tests.hooks.project import Project
from tests.sayings import UV, VENDOR

__all__ = ["curator", "lesson", "work"]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setattr(answer, "SECONDS", 60.0)  # a busy machine is no reason to fail
    return Project(tmp_path / "app")


def drawn(lesson: str, share: float, *, out: bool) -> str:
    """A session from which a lesson is held out, or in which it is sent."""
    return next(name for name in map(str, range(1000)) if holdout.is_held_out(lesson, name, share) is out)


def test_about_so_many_pairs_are_held_out() -> None:
    pairs = [(f"L{lesson}", f"s{session}") for lesson in range(100) for session in range(100)]
    for share in (0.05, 0.1, 0.5):
        count = sum(holdout.is_held_out(*pair, share) for pair in pairs)
        assert abs(count / len(pairs) - share) < 0.015
    assert not any(holdout.is_held_out(*pair, 0.0) for pair in pairs)


@pytest.mark.parametrize("where", ["settings", "environment"])
def test_what_is_held_out_is_not_sent_for_a_whole_session_and_the_receipt_says_so(
    project: Project, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    if where == "settings":
        project.settings.file.write_text('theme = "nord"\nholdout = 0.3 # for a month\n')
    else:
        monkeypatch.setenv("CURATOR_HOLDOUT", "0.3")
    out, inside = drawn(project.tests, 0.3, out=True), drawn(project.tests, 0.3, out=False)
    assert project.tests not in project.prompts(session=out)
    assert project.tests not in project.prompts("once more: run the tests with frobnicate", session=out)
    assert project.prompts(session=inside) == [project.tests]
    by_session = {receipt["session"]: receipt for receipt in project.receipts()}
    assert by_session[out]["held"] == [project.tests]
    assert [project.tests, HELD] in [[id_, reason] for id_, _, reason, _ in by_session[out]["withheld"]]
    assert "held" not in by_session[inside]


def test_nothing_is_held_out_unless_that_is_set(project: Project) -> None:
    assert all(project.prompts(session=str(number)) == [project.tests] for number in range(20))
    project.settings.file.write_text("holdout = 7\n")  # which `load` refuses: a hook is silent about it
    assert project.prompts(session="s") == [project.tests]


@pytest.mark.parametrize("share", ["0.6", "1"])
def test_more_than_half_is_refused(monkeypatch: pytest.MonkeyPatch, share: str) -> None:
    monkeypatch.setenv("CURATOR_HOLDOUT", share)
    with pytest.raises(CuratorError, match="more than half"):
        load()


THIRD = "5e551011-0000-4000-8000-000000000003"

FOURTH = "5e551011-0000-4000-8000-000000000004"


def hold(curator: Curator, lesson: Entry, session: str) -> None:
    """A receipt that says that a lesson was held out."""
    body = {"event": "UserPromptSubmit", "shown": [], "withheld": [], "held": [lesson.id], "asked": {}}
    receipt = Receipt(at=SAID_AT - 60, session=session, agent="claude-code", project=lesson.project, body=body)
    with curator.store.transaction():
        curator.store.deliveries.add([receipt])


def test_what_was_held_out_is_compared_with_what_was_sent(curator: Curator, lesson: Entry, tmp_path: Path, work: Path) -> None:
    tell(curator, lesson, SESSIONS[0], at=SAID_AT - 3_600)  # before anything was held out: of another age
    hold(curator, lesson, SESSIONS[1])
    hold(curator, lesson, "never read")
    tell(curator, lesson, THIRD)
    says(curator, tmp_path, work, "go on", VENDOR)
    says(curator, tmp_path, work, "thank you", session=THIRD)
    found = app.statistics.holdout(curator)
    assert [(name, found[name]["n"], found[name]["of"]) for name in ("sent", "held")] == [("sent", 0, 1), ("held", 1, 1)]
    assert found["missing"] == 398
    tell(curator, lesson, FOURTH)
    says(curator, tmp_path, work, "go on", VENDOR, session=FOURTH)
    found = app.statistics.holdout(curator)
    assert (found["sent"]["n"], found["sent"]["of"]) == (1, 2)
    assert "about 397 more are needed" in str(app.sections(app.statistics.summary(curator))["does sending help"])


def test_corrections_are_counted_where_something_was_sent_and_where_nothing_was(
    curator: Curator, lesson: Entry, tmp_path: Path, work: Path
) -> None:
    tell(curator, lesson, THIRD)
    says(curator, tmp_path, work, "go on", UV, "that is well")
    says(curator, tmp_path, work, "thank you", session=THIRD)
    app.scan.scan(curator, roots=[tmp_path / "claude"])
    found = app.statistics.over_time(curator)
    (week,) = found["weeks"]
    assert {name: week[name] for name in week if name != "week"} == {
        "sent": 1,
        "sent_corrections": 0,
        "unsent": 2,
        "unsent_corrections": 2,
    }
    assert found["unsent"]["mean"] == 1.0
    assert found["sent"] == {"of": 1, "mean": None, "low": None, "high": None}
    shown = str(app.sections(app.statistics.summary(curator))["does sending help"])
    assert "sessions differ in more than that" in shown


def test_what_is_forgotten_is_not_counted(curator: Curator, lesson: Entry, tmp_path: Path, work: Path) -> None:
    hold(curator, lesson, SESSIONS[1])
    says(curator, tmp_path, work, "go on", VENDOR)
    app.forget.forget(curator, session=SESSIONS[1])
    assert app.statistics.holdout(curator)["held"]["of"] == 0
    assert len(curator.store.deliveries.corrections()) == 1
