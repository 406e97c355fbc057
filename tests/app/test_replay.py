"""A made-up history with known answers, replayed to the number; and the replay beside the hook itself."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from curator import hooks
from curator.app import Curator, agent_files, replay
from curator.model import JSON
from curator.settings import load
from tests.app.conftest import Open, Transcript, cards, scanned
from tests.conftest import Clock
from tests.hooks.project import Project
from tests.sayings import DIST, UV, VENDOR
from tests.transcripts.transcript_records import TOLD

FIRST = datetime(2026, 6, 1, 10, tzinfo=UTC)
LATER = 30
"""Days after which a lesson was not learnt lately, so that nothing is sent at a session's start."""
TOOLCHAIN = "error: toolchain 'nightly' does not match"
WRONG, RIGHT = "cargo test --all", "mise exec -- cargo test --all"


class Told(Transcript):
    """A session on some day, of which each record is said ten seconds after the one before."""

    def __init__(self, root: Path, cwd: Path, day: int, name: str = "") -> None:
        super().__init__(root, cwd, f"5e551011-0000-4000-8000-0000000000{day:02d}{name}")
        self.at = FIRST + timedelta(days=day)

    def record(self, kind: str, message: object, **more: object) -> str:
        stamp = {"timestamp": self.at.strftime("%Y-%m-%dT%H:%M:%S.000Z")}
        self.at += timedelta(seconds=10)
        return super().record(kind, message, **(stamp | more))

    def mends(self) -> None:
        self.calls("Bash", f"Exit code 1\n{TOOLCHAIN}", failed=True, command=WRONG)
        self.calls("Bash", "ok", command=RIGHT)


@pytest.fixture
def curator(opened: Open, work: Path, still: Clock) -> Curator:
    still.at = (FIRST + timedelta(days=100)).timestamp()
    return opened(folder=work, expire_days=0)


def learn(curator: Curator, root: Path, work: Path) -> dict[str, str]:
    """Four lessons of four sessions, all kept; their ids by the name of what is said."""
    for day, words in enumerate((VENDOR, DIST, UV)):
        Told(root, work, day).says(words)
    mended = Told(root, work, 3)
    mended.says("Please run the tests.")
    mended.mends()
    scanned(curator, root)
    found = cards(curator)
    curator.decisions.accept([entry.id for entry in found])
    (work / "CLAUDE.md").write_text(f"# Rules\n\n- {UV.removeprefix('no, ').capitalize()}\n", encoding="utf-8")
    agent_files.refresh_all(curator)
    by_day = {int(entry.session[-2:]): entry.id for entry in found}
    return {name: by_day[day] for day, name in enumerate(("vendor", "dist", "uv", "command"))}


def history(curator: Curator, root: Path, work: Path) -> dict[str, str]:
    """Those, and later sessions in which each comes up again."""
    known = learn(curator, root, work)
    before = Told(root, work, LATER)
    before.says("The nightly sync overwrites vendor again: please see to it.")
    before.answers("I look at what the sync does.")
    before.calls("Edit", "done", file_path="vendor/a.py", old_string="a", new_string="b")
    before.says(VENDOR)
    Told(root, work, LATER + 1).says(VENDOR)
    withheld = Told(root, work, LATER + 2)
    withheld.says("Make the page look nicer.")
    withheld.answers("I write to another folder.")
    withheld.calls("Write", TOLD + DIST, denied=True, file_path="page.html", content="<p>")
    Told(root, work, LATER + 3).says("Is all well?", UV)
    fails = Told(root, work, LATER + 4)
    fails.says("Make the page look nicer.")
    fails.mends()
    return known


def came(found: JSON) -> dict[str, JSON]:
    """The cases by the day of their session."""
    return {case["session"][-2:]: case for case in found["cases"]}


def test_a_history_with_known_answers(curator: Curator, root: Path, work: Path) -> None:
    known = history(curator, root, work)
    found = replay.figures(curator, replay.replay(curator, roots=[root]))
    cases = came(found)
    assert {day: (case["lesson"], case["kind"], case["outcome"]) for day, case in cases.items()} == {
        "30": (known["vendor"], "correction", "sent before"),
        "31": (known["vendor"], "correction", "sent too late"),
        "32": (known["dist"], "correction", "not sent"),
        "33": (known["uv"], "correction", "in a file already"),
        "34": (known["command"], "command", "not sent"),
    }
    assert found["came_up_again"] == 5
    assert found["sent_before"] == {"n": 1, "of": 5, "share": 0.2, "low": 0.0362, "high": 0.6245}
    assert found["outcomes"] == {"sent before": 1, "sent too late": 1, "not sent": 2, "in a file already": 1}
    assert (found["lessons"], found["sessions"], found["corrections"]) == (4, 9, 7)
    assert found["corrections_spared_at_most"] == 1
    first = cases["30"]
    assert (first["line"], first["turns"], first["seconds"], first["tokens"]) == (5, 4, 40.0, 11)
    assert (found["turns_before"], found["seconds_before"], found["tokens_before"]) == (4, 40.0, 11)
    assert (first["cost_turns"], first["cost"]) == (3, 11)
    assert cases["32"]["reason"] == replay.NOTHING_SHARED
    assert cases["33"]["reason"] == "already stated in CLAUDE.md"
    assert (cases["34"]["line"], cases["34"]["cost_turns"], cases["34"]["cost"]) == (3, 1, 12)
    never = [(one["lesson"], one["times"], one["cost"]) for one in found["never_in_time"]]
    assert never == [(known["command"], 1, 12), (known["dist"], 1, 9), (known["uv"], 1, 0)]
    assert found["never_in_time"][0]["why"] == replay.NOTHING_SHARED
    assert found["chance"] is None


def test_what_is_sent_fits_where_the_session_goes_on_about_it(curator: Curator, root: Path, work: Path) -> None:
    known = history(curator, root, work)
    report = replay.replay(curator, roots=[root])
    later = [(one.lesson, one.moment, one.fitting) for many in report.sendings[4:] for one in many]
    assert later == [(known["vendor"], "prompt", True), (known["vendor"], "prompt", False)]
    figures = replay.figures(curator, report)
    assert (figures["sent"], figures["fitting"]["n"]) == (sum(map(len, report.sendings)), 1)


def test_a_lesson_counts_from_its_decision_on_where_that_is_asked(curator: Curator, root: Path, work: Path) -> None:
    history(curator, root, work)  # kept on day 100
    found = replay.figures(curator, replay.replay(curator, which=replay.AS_KEPT, roots=[root]))
    assert (found["came_up_again"], found["in_play"], found["sent"]) == (0, 0, 0)


def test_what_waits_counts_where_that_is_asked(curator: Curator, root: Path, work: Path) -> None:
    Told(root, work, 0).says(VENDOR)
    scanned(curator, root)
    Told(root, work, LATER).says(VENDOR)
    assert replay.replay(curator, roots=[root]).cases == ()
    (case,) = replay.replay(curator, which=replay.CANDIDATES, roots=[root]).cases
    assert case.outcome == "sent too late"


def test_nothing_is_written(curator: Curator, root: Path, work: Path, tmp_path: Path) -> None:
    history(curator, root, work)

    def content() -> dict[str, bytes]:
        return {
            str(path): path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file() and path.suffix != ".db-shm"
        }

    changes, before = curator.store.connection.total_changes, content()
    replay.replay(curator, roots=[root])
    assert (curator.store.connection.total_changes, content()) == (changes, before)


def test_what_was_copied_from_another_session_came_up_once(curator: Curator, root: Path, work: Path) -> None:
    history(curator, root, work)
    once = replay.replay(curator, roots=[root]).cases
    resumed = Told(root, work, LATER + 1, name="9")
    resumed.path.write_bytes(next(root.rglob("*0031.jsonl")).read_bytes())
    resumed.count = 1
    resumed.says("Thank you.")
    assert [(case.lesson, case.line) for case in replay.replay(curator, roots=[root]).cases] == [
        (case.lesson, case.line) for case in once
    ]


def test_the_control_takes_lessons_of_another_project(curator: Curator, root: Path, work: Path, other: Path) -> None:
    known = history(curator, root, work)
    for day, words in enumerate(("always ask before a deploy, never on a friday", "always write dates as ISO 8601 here")):
        Told(root, other, 5 + day).says(words)
    scanned(curator, root)
    curator.decisions.accept([entry.id for entry in cards(curator) if entry.session[-2:] in ("05", "06")])
    report = replay.replay(curator, roots=[root])
    figures = replay.figures(curator, report)
    assert figures["came_up_again"] == 5
    assert figures["sent_before"]["n"] == 1
    assert figures["chance"]["sent_before"]["n"] == 0
    assert figures["chance"]["sent_before"]["of"] == 5
    assert {one.lesson for many in report.chance or () for one in many} <= set(known.values())


ASKS = (
    "please run the tests with frobnicate",
    "what do migrations in src/db.py do when one fails halfway?",
    "make the page look nicer",
    "release: the changelog, a tag, and the tests",
    "is there a plugin that frobnicate misses?",
)
FILES = ("src/db.py", "src/pages/home.html", "CHANGELOG.md", "src/plugins/load.py")
LESSONS = (
    ("A release needs a line in CHANGELOG.md before the tag.", ("CHANGELOG.md",)),
    ("Plugins are loaded in the order of their names, never by date.", ("src/plugins/load.py",)),
    ("Pages are rendered once, then cached for an hour.", ("src/pages",)),
    ("A failed migration leaves its lock behind, delete it by hand.", ()),
    ("Tests that need frobnicate are marked slow.", ()),
    ("Tags are signed, and the release job checks them.", ()),
)
COURSES = (
    ("start", "p0", "f0", "f1", "p1", "p0"),
    ("start", "p2", "p3", "f2", "p3", "f3", "p4"),
    ("start", "f0", "p1", "compact", "p1", "f3", "p0", "p4"),
    ("start", *(f"p{at}" for at in range(5)), "compact", *(f"f{at}" for at in range(4)), *(f"p{at}" for at in range(5))),
)


@pytest.mark.parametrize("course", COURSES)
def test_replay_sends_as_hooks_do(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch, course: tuple[str, ...]) -> None:
    monkeypatch.setattr(hooks, "SECONDS", 60.0)  # a busy machine is no reason to fail
    project = Project(tmp_path / "app")
    for words, files in LESSONS:
        project.learns(words, *files)
    said = Told(root, project.folder, 0)
    said.at = datetime.now(UTC) + timedelta(hours=1)
    hooked = [sent for at, step in enumerate(course) if (sent := played(project, said, step, at))]
    curator = Curator(load())
    curator.enter(str(project.folder))
    (replayed,) = replay.replay(curator, roots=[root]).sendings
    curator.close()
    by_moment: dict[tuple[int, str], list[str]] = {}
    for one in replayed:
        by_moment.setdefault((one.index, one.moment), []).append(one.lesson)
    assert list(by_moment.values()) == hooked
    assert hooked


def played(project: Project, said: Told, step: str, at: int) -> list[str]:
    """What the hook sends at a step of a session; the transcript goes on by it."""
    kind, number = step[:1], step[1:]
    if step == "start":
        return project.told("claude-code", "SessionStart", source="startup")
    if step == "compact":
        said.write(
            said.record("system", None, subtype="compact_boundary", content="Conversation compacted", compactMetadata={})
        )
        return project.told("claude-code", "SessionStart", source="compact")
    if kind == "p":
        said.says(f"{at}: {ASKS[int(number)]}")
        return project.prompts(f"{at}: {ASKS[int(number)]}")
    said.calls("Edit", "done", file_path=FILES[int(number)], old_string="a", new_string="b")
    return project.edits(FILES[int(number)], tool_use_id=str(at))
