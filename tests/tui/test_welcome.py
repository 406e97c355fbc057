"""What a first run is told, and for how long its keys mean what it says."""

from __future__ import annotations

import json
import os
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from curator.app import scan
from curator.app.sessions.scan import Survey
from curator.model import Change, Relating, Relation, State, Verb
from curator.settings import load
from curator.tui.background import Progress, Surveyed
from tests.cli.test_distill import LESSON, talked
from tests.conftest import Clock
from tests.files import write_program
from tests.transcripts import transcript_records as records
from tests.tui.conftest import Driver, Inbox, Make, Place, propose
from tests.tui.test_inbox import state

NOW = 1_900_000_000.0


def write_greeting(name: str, at: float) -> None:
    """A transcript that teaches nothing."""
    path = records.write(Path.home() / ".claude" / "projects" / "-app" / f"{name}.jsonl", records.user("hello"))
    os.utime(path, (at, at))


def transcripts(driver: Driver) -> list[str]:
    """The names of those that were read."""
    return sorted(Path(path).stem for path in driver.app.curator.store.sources.sources())


async def test_lesson_files_beside_an_emptied_database_are_named(inbox: Inbox, place: Place, tmp_path: Path) -> None:
    folder = tmp_path / "new" / ".curator" / "lessons"
    folder.mkdir(parents=True)
    (folder / "use-ninja-7k3f-q2md.md").write_text("---\nid: 7K3F-Q2MD\n---\n", encoding="utf-8")
    opened = place("new", watch=False)  # one look at the start, which the test can wait for
    async with inbox(140, 30, curator=opened, watch=True) as driver:
        assert "This project has 1 lesson file that your database does not have. Run `curator import`" in driver.text()
        await driver.press("g", "l")
        assert "This project has 1 lesson file that your database does not have" in driver.text()
        assert "run `curator import` to add them" in driver.text()


async def test_digits_of_the_welcome_act_only_while_it_is_seen(inbox: Inbox, place: Place, still: Any, make: Make) -> None:
    write_greeting("old", at=1.0)  # years ago
    async with inbox(100, 30, curator=place("new")) as driver:
        driver.app.post_message(Surveyed(Survey(1)))
        await driver.settle()
        assert "Welcome" in driver.text()
        assert "digit Choose  a Add  q Quit  ? Help" in driver.text().splitlines()[-1]
        curator = driver.app.curator
        fields = {"project": curator.project.id}
        old = make(state=State.ACTIVE, headline="Indent with tabs", insight="Indent with tabs", **fields)
        rival = Relation(other=old.id, relating=Relating.CONTRADICTS, likeness=0.9)
        new = make(headline="Indent with spaces", insight="Indent with spaces", rival=rival, **fields)
        curator.store.apply([(Verb.ADD, Change(before=None, after=one)) for one in (old, new)], actor="person", at=1.0)
        driver.screen.arrivals.catch_up()
        await driver.settle()
        assert driver.headline == "Indent with spaces"
        await driver.press("3")
        assert "The screen changed as you pressed 3. Press 3 again if you mean it." in driver.text(), "it came under the finger"
        assert state(curator, "Indent with spaces") is State.OPEN
        still.forward(2.0)
        await driver.press("3")
        assert driver.app.is_running, "no demo"
        assert state(curator, "Indent with spaces") is State.ACTIVE
        assert state(curator, "Indent with tabs") is State.ACTIVE
        write_greeting("new", at=still())
        await driver.press("1")
        assert transcripts(driver) == [], "the welcome came under the finger"
        assert "Welcome" in driver.text()
        await driver.press("left_square_bracket")
        assert "No snoozed cards" in driver.text()
        still.forward(2.0)
        await driver.press("1")
        assert transcripts(driver) == [], "this part is no welcome"
        await driver.press("right_square_bracket", "right_square_bracket")
        assert "No candidates" in driver.text()
        await driver.press("1")
        assert transcripts(driver) == [], "nor is this one"
        await driver.press("left_square_bracket", "1")
        assert transcripts(driver) == ["new", "old"]
        assert "digit Choose" not in driver.text()


async def test_the_welcome_ends_when_another_process_reads(inbox: Inbox, place: Place) -> None:
    write_greeting("old", at=1.0)
    async with inbox(100, 30, curator=place("new", watch=False), watch=True) as driver:
        assert "Welcome" in driver.text()
        with closing(driver.app.curator.fork()) as other:
            scan.scan(other)
        await driver.poll()
        assert "Welcome" not in driver.text()
        assert driver.app.background._may_read.is_set(), "from now on transcripts are followed"


@pytest.mark.parametrize("key", ["enter", "y"])
async def test_a_key_for_a_card_says_on_the_welcome_that_there_is_none(inbox: Inbox, place: Place, key: str) -> None:
    write_greeting("old", at=1.0)
    async with inbox(100, 30, curator=place("new", watch=False), watch=True) as driver:
        await driver.press(key)
        assert "No card yet. Press a digit to choose." in driver.text()


async def test_a_first_run_is_welcomed_though_it_has_a_lesson(inbox: Inbox, place: Place) -> None:
    write_greeting("old", at=1.0)
    curator = place("new", watch=False)
    curator.decisions.add("Indent with tabs")
    async with inbox(100, 30, curator=curator, watch=True) as driver:
        assert "Welcome" in driver.text()
        await driver.press("1")
        assert transcripts(driver) == ["old"]


@pytest.mark.parametrize("size", [(80, 24), (45, 40)])
async def test_while_it_reads_the_middle_says_how_far_and_then_stands_the_best_card_until_the_first_key(
    inbox: Inbox, place: Place, still: Any, make: Make, size: tuple[int, int]
) -> None:
    async with inbox(*size, curator=place("new"), looking=True) as driver:
        assert "Looking for transcripts" in driver.text()
        assert "Inbox zero" not in driver.text()
        driver.app.post_message(Progress(3, 10, 2))
        await driver.settle()
        lines = driver.text().splitlines()
        at = next(at for at, line in enumerate(lines) if "Reading 3 of 10 transcripts" in line)
        assert size[1] // 4 < at < size[1] * 3 // 4, "in the middle"
        assert "2 cards so far" in driver.text()
        await arrive(driver, make, "Indent with tabs", 0.6)
        assert driver.headline == "Indent with tabs"
        await arrive(driver, make, "Never push to main", 0.9)
        assert driver.headline == "Never push to main", "the best, as long as nobody touches a key"
        await arrive(driver, make, "Tag with a v", 0.5)
        assert driver.headline == "Never push to main"
        still.forward(1.0)
        await driver.press("j", "k")
        await arrive(driver, make, "Run the linter first", 0.99)
        assert driver.headline == "Never push to main", "then it stays"
        driver.app.post_message(Progress(1, 1, 0))
        await driver.press("asterisk", "x")
        assert "Inbox zero" in driver.text() or driver.rows() == ["Run the linter first"]


async def arrive(driver: Driver, make: Make, headline: str, score: float) -> None:
    """Find a card while the window is open."""
    curator = driver.app.curator
    fields = {"project": curator.project.id, "session": headline, "insight": f"{headline}."}
    propose(curator, make(headline=headline, score=score, **fields))
    driver.app.poll()
    driver.screen.arrivals.catch_up()
    await driver.settle()


async def test_a_key_for_a_card_that_another_has_just_replaced_decides_nothing(inbox: Inbox, place: Place, make: Make) -> None:
    async with inbox(100, 30, curator=place("new")) as driver:
        await arrive(driver, make, "Indent with tabs", 0.5)
        await arrive(driver, make, "Never push to main", 0.9)
        driver.pace = 0.2
        await driver.press("y")
        assert "Nothing was decided" in driver.text()
        assert state(driver.app.curator, "Never push to main") is State.OPEN
        driver.pace = 0.5
        await driver.press("y")
        assert state(driver.app.curator, "Never push to main") is State.ACTIVE


@pytest.fixture
def agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, still: Clock) -> Path:
    """Two sessions of Claude Code, and a program in place of `claude` that notes what it is asked, an hour later."""
    still.at = NOW
    folder = Path.home() / "app"
    folder.mkdir()
    talked(folder, Path.home() / ".claude")
    for path in (Path.home() / ".claude").rglob("*.jsonl"):
        os.utime(path, (NOW - 3_600, NOW - 3_600))
    bin_ = tmp_path / "bin"
    answer = json.dumps({"result": json.dumps([LESSON])})
    code = f"import sys\nopen({str(bin_ / 'asked')!r}, 'a').write(sys.stdin.read())\nprint({answer!r})\n"
    write_program(bin_ / "claude", f"#!{sys.executable}\n{code}")
    monkeypatch.setenv("PATH", f"{bin_}{os.pathsep}{os.environ['PATH']}")
    return bin_


def settings_of(driver: Driver) -> tuple[str, str]:
    found = load({"CURATOR_HOME": str(driver.app.curator.settings.home)})
    return found.distiller, found.distill_when


async def test_sessions_that_no_reader_may_read_are_not_counted(
    inbox: Inbox, place: Place, agents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    curator = place(every=True, watch=False, export=False, distiller="own")
    scan.scan(curator)
    async with inbox(120, 34, curator=curator, watch=True) as driver:
        assert driver.app.unread_sessions == 2
    (agents / "claude").rename(agents / "codex")
    monkeypatch.setenv("PATH", str(agents))
    async with inbox(120, 34, curator=place(every=True, watch=False, export=False, distiller="own"), watch=True) as driver:
        assert driver.app.unread_sessions == 0


async def test_the_welcome_lets_each_agent_read_its_own_sessions(inbox: Inbox, place: Place, agents: Path) -> None:
    async with inbox(120, 34, curator=place("new", watch=False, export=False), watch=True) as driver:
        assert "now those of this project, others when you open theirs" in " ".join(driver.text().split())
    async with inbox(120, 34, curator=place(every=True, watch=False, export=False), watch=True) as driver:
        text = driver.text()
        assert "those of this project" not in text
        assert "Last 30 days: claude-code 2" in text
        assert "Installed: claude" in text
        assert "1  let claude read 2 sessions" in text
        assert "about 7k tokens, 1 minute" in text
        await driver.press("4")
        await driver.settle()
        assert "before candidates are added" in driver.text()
        assert "USER: fix the timeout" in driver.app.screen.prompt
        await driver.press("escape")
        assert not (agents / "asked").exists(), "nothing is sent before the choice"
        await driver.press("1")
        await driver.settle()
        assert settings_of(driver) == ("own", "end")
        assert LESSON["headline"] in driver.rows()
        assert (agents / "asked").read_text(encoding="utf-8").count("sync.toml")
        assert "lets claude read" not in driver.text()


async def test_a_home_with_nothing_but_notes_offers_to_review_them(inbox: Inbox, place: Place) -> None:
    memory = Path.home() / ".claude" / "agent-memory" / "reviewer" / "migrations.md"
    memory.parent.mkdir(parents=True)
    rule = "Never approve a migration without a way back."
    memory.write_text(f"---\nname: m\ndescription: {rule}\ntype: feedback\n---\n{rule}\n", encoding="utf-8")
    curator = place(every=True, watch=False, export=False)
    async with inbox(100, 30, curator=curator, watch=True) as driver:
        assert "Your agents' own notes: 1 file" in driver.text()
        assert "1  review what your agents remember" in driver.text()
        await driver.press("1")
        await driver.settle()
        assert driver.rows() == ["Never approve a migration without a way back"]
        assert "The agent remembers this" in driver.text()
        await driver.press("x", "N")
        assert "dropped; the agent's note stays in migrations.md" in driver.text()
        await driver.press("u")
        await driver.press("o")
    async with inbox(100, 30, curator=curator, watch=True) as driver:
        assert driver.rows() == ["Never approve a migration without a way back"], "a later start reads them by itself"


async def test_without_a_model_nothing_is_sent_or_offered_again(inbox: Inbox, place: Place, agents: Path) -> None:
    curator = place(every=True, watch=False, export=False)
    async with inbox(120, 34, curator=curator, watch=True) as driver:
        await driver.press("2")
        await driver.settle()
        assert len(transcripts(driver)) == 2
        assert settings_of(driver) == ("none", "ask")
    async with inbox(120, 34, curator=curator, watch=True) as driver:
        assert "lets claude read" not in driver.text()
    assert not (agents / "asked").exists()


async def test_a_later_start_offers_the_reader_in_the_header(inbox: Inbox, place: Place, agents: Path) -> None:
    curator = place(every=True, watch=False, export=False)
    scan.scan(curator)
    async with inbox(120, 34, curator=curator, watch=True) as driver:
        assert ":reader lets claude read" in driver.text()
        driver.screen.action_act("reader")
        await driver.settle()
        await driver.press(*"no", "space", *"reader", "enter")
        await driver.settle()
        assert settings_of(driver) == ("none", "ask")
        assert "lets claude read" not in driver.text()
    assert not (agents / "asked").exists()


async def test_own_reads_nothing_before_a_person_has_agreed(inbox: Inbox, place: Place, agents: Path) -> None:
    curator = place(every=True, watch=False, export=False)
    scan.scan(curator)
    async with inbox(120, 34, curator=curator, watch=True) as driver:
        driver.screen.action_act("reader")
        await driver.settle()
        await driver.press(*"own", "enter")
        await driver.settle()
        driver.app.distilling.read_ended_sessions()
        await driver.settle()
        assert "sync.toml" not in (agents / "asked").read_text(encoding="utf-8"), "it has seen the made-up session alone"
        await driver.press("D", "D")
        await driver.settle()
        assert "sync.toml" in (agents / "asked").read_text(encoding="utf-8")
