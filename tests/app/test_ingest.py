"""From transcript files to cards: once, in one transaction a file, whatever happens in between."""

from __future__ import annotations

import gc
import json
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from curator import app
from curator.app import Curator
from curator.app.sessions.ingest import Ingest, presentable
from curator.app.sessions.scan import Step
from curator.errors import CuratorError
from curator.model import Candidate, Category, Entry, Kind, Query, Relating, State, Wording
from curator.settings import Settings
from tests.sayings import DIST, UV, VENDOR


class Transcript:
    """A Claude Code session that is written line by line."""

    def __init__(self, root: Path, cwd: Path, session: str = "5e551011-0000-4000-8000-000000000001") -> None:
        self.path = root / "projects" / "-work-app" / f"{session}.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.cwd = cwd
        self.session = session
        self.count = 0

    def record(self, kind: str, message: object, **more: object) -> str:
        self.count += 1
        record = {
            "type": kind,
            "uuid": f"{self.session}-{self.count}",
            "sessionId": self.session,
            "cwd": str(self.cwd),
            "gitBranch": "main",
            "isSidechain": False,
            "userType": "external",
            "version": "2.1.42",
            "timestamp": f"2026-11-01T10:00:{self.count % 60:02d}.000Z",
            "message": message,
        }
        return json.dumps(record | more) + "\n"

    def fails(self, command: str = "pytest -q") -> None:
        id_ = f"toolu_{self.count}"
        call = {"type": "tool_use", "id": id_, "name": "Bash", "input": {"command": command}}
        result = {
            "type": "tool_result",
            "tool_use_id": id_,
            "is_error": True,
            "content": "Exit code 1\nModuleNotFoundError: httpx",
        }
        self.write(self.record("assistant", {"id": id_, "role": "assistant", "content": [call]}))
        self.write(self.record("user", {"role": "user", "content": [result]}))

    def says(self, words: str) -> None:
        self.write(self.record("user", {"role": "user", "content": words}))

    def write(self, text: str) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(text)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "claude"


def cards(curator: Curator) -> list[str]:
    return sorted(entry.evidence[0].quote for entry in curator.lessons.entries(Query(states=(State.OPEN,))))


def test_a_scan_finds_what_people_said_and_a_second_one_finds_nothing_new(curator: Curator, root: Path, work: Path) -> None:
    session = Transcript(root, work)
    session.fails()
    session.says(UV)
    reports = app.scan.scan(curator, roots=[root])
    assert (reports["claude-code"].files, reports["claude-code"].candidates) == (1, 1)
    entry = next(iter(curator.lessons.entries(curator.lessons.waiting())))
    assert UV.removeprefix("no, ") in entry.evidence[0].quote
    assert (entry.agent, entry.session, entry.project) == ("claude-code", session.session, curator.scope)
    assert app.scan.scan(curator, roots=[root])["claude-code"].candidates == 0
    assert len(cards(curator)) == 1


def test_what_is_appended_is_read_on_from_where_it_was(curator: Curator, root: Path, work: Path) -> None:
    session = Transcript(root, work)
    session.fails()
    session.says(UV)
    app.scan.scan(curator, roots=[root])
    session.says("thanks")
    session.says(VENDOR)
    report = app.scan.scan(curator, roots=[root])["claude-code"]
    assert (report.turns, report.candidates) == (2, 1)
    assert len(cards(curator)) == 2


def test_a_torn_last_line_is_read_once_it_is_whole(curator: Curator, root: Path, work: Path) -> None:
    session = Transcript(root, work)
    session.says("hello")
    line = session.record("user", {"role": "user", "content": VENDOR})
    session.write(line[:60])
    assert app.scan.scan(curator, roots=[root])["claude-code"].candidates == 0
    session.write(line[60:])
    assert app.scan.scan(curator, roots=[root])["claude-code"].candidates == 1


def test_a_scan_stopped_half_way_goes_on_and_doubles_nothing(curator: Curator, root: Path, work: Path) -> None:
    for number, words in enumerate((UV, VENDOR, DIST)):
        session = Transcript(root, work, f"5e551011-0000-4000-8000-00000000000{number}")
        session.fails()
        session.says(words)
    stop = threading.Event()
    app.scan.scan(curator, roots=[root], stop=stop, progress=lambda step: stop.set() if step.files_done else None)
    assert len(cards(curator)) == 1
    app.scan.scan(curator, roots=[root])
    assert len(cards(curator)) == 3


def test_cycles_are_looked_for_as_before_when_a_scan_ends(curator: Curator, root: Path, work: Path) -> None:
    Transcript(root, work).says(VENDOR)
    usual = gc.get_threshold()

    def interrupt(step: Step) -> None:
        if step.files_done:
            assert gc.get_threshold() > usual
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        app.scan.scan(curator, roots=[root], progress=interrupt)
    assert gc.get_threshold() == usual


def test_two_scans_at_once_double_nothing(curator: Curator, root: Path, work: Path) -> None:
    for number in range(6):
        session = Transcript(root, work, f"5e551011-0000-4000-8000-00000000000{number}")
        session.fails()
        session.says((UV, VENDOR, DIST)[number % 3])

    failures: list[BaseException] = []

    def scan() -> None:
        own = curator.fork()
        try:
            app.scan.scan(own, roots=[root])
        except BaseException as error:
            failures.append(error)
        finally:
            own.close()

    threads = [threading.Thread(target=scan) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(cards(curator)) == 3


def test_the_same_rule_in_another_session_is_more_evidence_not_another_card(curator: Curator, root: Path, work: Path) -> None:
    for number in range(3):
        session = Transcript(root, work, f"5e551011-0000-4000-8000-00000000000{number}")
        session.fails()
        session.says(VENDOR)
    app.scan.scan(curator, roots=[root])
    (entry,) = curator.lessons.entries(curator.lessons.waiting())
    assert entry.seen == 3
    assert len({item.session for item in entry.evidence}) == 3


def test_dismissals_stick_and_forgotten_lessons_never_return(curator: Curator, root: Path, work: Path) -> None:
    session = Transcript(root, work)
    session.says(VENDOR)
    session.says(DIST)
    app.scan.scan(curator, roots=[root])
    first, second = curator.lessons.entries(curator.lessons.waiting())
    curator.verdicts.drop([first.id])
    app.forget.forget(curator, [second.id])
    again = Transcript(root, work, "5e551011-0000-4000-8000-000000000009")
    again.says(VENDOR)
    again.says(DIST)
    app.scan.scan(curator, roots=[root])
    assert cards(curator) == []


def test_excluded_projects_leave_no_trace(tmp_path: Path, root: Path, work: Path) -> None:
    session = Transcript(root, work)
    session.says(VENDOR)
    curator = Curator(Settings(home=tmp_path / "home", exclude=(str(work),)))
    app.scan.scan(curator, roots=[root])
    assert cards(curator) == []
    curator.close()


def test_a_new_statement_that_repeats_a_lesson_opens_a_conflict(curator: Curator, root: Path, work: Path) -> None:
    curator.verdicts.add(VENDOR.removeprefix("no, "))
    session = Transcript(root, work)
    session.says(VENDOR)
    app.scan.scan(curator, roots=[root])
    (entry,) = curator.lessons.entries(curator.lessons.waiting())
    assert entry.kind is Kind.CONFLICT
    assert entry.rival
    assert entry.rival.relating is Relating.DUPLICATE


def test_a_new_statement_about_something_else_opens_none(curator: Curator, root: Path, work: Path) -> None:
    curator.verdicts.add("Release notes are written in the imperative mood")
    session = Transcript(root, work)
    session.says(VENDOR)
    app.scan.scan(curator, roots=[root])
    (entry,) = curator.lessons.entries(curator.lessons.waiting())
    assert entry.kind is Kind.CANDIDATE


def test_secrets_and_control_characters_never_reach_the_database(curator: Curator, root: Path, work: Path) -> None:
    session = Transcript(root, work)
    session.says("we never commit the deploy key AKIAIOSFODNN7EXAMPLE in vendor/, \x1b[31mthe sync\x1b[0m \u202eoverwrites it")
    app.scan.scan(curator, roots=[root])
    curator.close()
    data = b"".join(file.read_bytes() for file in curator.settings.home.iterdir() if file.is_file())
    assert b"deploy key" in data
    for hostile in (b"AKIAIOSFODNN7EXAMPLE", b"\x1b[31m", "\u202e".encode(), b"\\u001b"):
        assert hostile not in data


def test_home_paths_are_shortened_in_what_a_team_will_see(curator: Curator, isolation: Path, work: Path) -> None:
    session = Transcript(isolation / ".claude", work)
    session.says(VENDOR)
    app.scan.scan(curator)
    (entry,) = curator.lessons.entries(curator.lessons.waiting())
    assert entry.evidence[0].file.startswith("~/.claude/projects/")


def test_what_is_written_while_one_watches_is_stored_at_once(curator: Curator, root: Path, work: Path) -> None:
    session = Transcript(root, work)
    session.says("hello")
    app.scan.scan(curator, roots=[root])
    stop, told = threading.Event(), threading.Semaphore(0)

    def follow() -> None:
        own = curator.fork()
        try:
            app.scan.follow(own, stop, lambda new: told.release(), roots=[root])
        finally:
            own.close()

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    try:
        session.says(VENDOR)
        found: list[str] = []
        for _ in range(10):
            assert told.acquire(timeout=30)
            found = cards(curator)
            if found:
                break
        assert len(found) == 1
    finally:
        stop.set()
        thread.join(timeout=10)


def test_what_is_wrong_with_a_transcript_is_not_gathered_while_one_watches(curator: Curator, root: Path, work: Path) -> None:
    session = Transcript(root, work)
    session.says("hello")
    app.scan.scan(curator, roots=[root])
    stop, told = threading.Event(), threading.Semaphore(0)
    gathered: list[list[str]] = []

    def follow() -> None:
        own = curator.fork()

        def changed(new: int) -> None:
            (run,) = (item for item in gc.get_objects() if isinstance(item, Ingest) and item.curator is own)
            gathered.append([error for report in run.reports.values() for error in report.errors])
            told.release()

        try:
            app.scan.follow(own, stop, changed, roots=[root])
        finally:
            own.close()

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    try:
        for _ in range(4):
            before = len([*filter(None, gathered)])
            with session.path.open("a", encoding="utf-8") as file:
                file.write("{no record\n")
            for _ in range(10):
                assert told.acquire(timeout=30)
                if len([*filter(None, gathered)]) > before:
                    break
        assert any(gathered)
        assert all(len(errors) == len(set(errors)) for errors in gathered)
    finally:
        stop.set()
        thread.join(timeout=10)


def test_an_unreadable_file_costs_only_itself(curator: Curator, root: Path, work: Path) -> None:
    good = Transcript(root, work)
    good.says(VENDOR)
    bad = good.path.with_name("5e551011-0000-4000-8000-0000000000ff.jsonl")
    bad.write_bytes(good.path.read_bytes().split(b"\n")[0] + b"\n\xff\xfe{{{\n\x00\x00\n[1,2\n")
    report = app.scan.scan(curator, roots=[root])["claude-code"]
    assert report.files == 2
    assert len(cards(curator)) == 1
    assert all("ff.jsonl" in error for error in report.errors)


def test_a_fault_of_ours_on_one_transcript_costs_only_that_one(
    curator: Curator, root: Path, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from curator import detection

    for number, words in enumerate((UV, VENDOR)):
        session = Transcript(root, work, f"5e551011-0000-4000-8000-00000000000{number}")
        session.says(words)
    real = detection.detect

    def faulty(turns, *, old_turns=0):  # type: ignore[no-untyped-def]
        if any(UV in turn.text for turn in turns):
            raise ZeroDivisionError("a fault")
        return real(turns, old_turns=old_turns)

    monkeypatch.setattr(detection, "detect", faulty)
    report = app.scan.scan(curator, roots=[root])["claude-code"]
    assert len(cards(curator)) == 1
    assert any("detection failed" in error for error in report.errors)
    monkeypatch.setattr(detection, "detect", real)
    app.scan.scan(curator, roots=[root])
    assert len(cards(curator)) == 2, "it is read again once the fault is mended"


def test_a_lesson_kept_while_one_watches_is_known_to_what_comes_next(curator: Curator, root: Path, work: Path) -> None:
    from curator.app.sessions.ingest import Ingest
    from curator.app.sessions.scan import read_one

    run = Ingest(curator)
    session = Transcript(root, work)
    session.says("hello")
    read_one(run, session.path)
    curator.verdicts.add(VENDOR.removeprefix("no, "))
    session.says(VENDOR)
    run.refresh()
    read_one(run, session.path)
    (entry,) = curator.lessons.entries(curator.lessons.waiting())
    assert entry.kind is Kind.CONFLICT


def test_a_busy_database_is_told_and_tried_again(curator: Curator, root: Path, work: Path) -> None:
    session = Transcript(root, work)
    session.says("hello")
    app.scan.scan(curator, roots=[root])
    holder = sqlite3.connect(curator.settings.database, isolation_level=None, check_same_thread=False)
    stop, told = threading.Event(), threading.Semaphore(0)
    failures: list[str] = []

    def failed(error: Exception) -> None:
        failures.append(str(error))
        if len(failures) == 1:
            holder.execute("ROLLBACK")

    def follow() -> None:
        own = curator.fork(timeout=0.05)
        try:
            app.scan.follow(own, stop, lambda new: told.release(), roots=[root], failed=failed)
        finally:
            own.close()

    holder.execute("BEGIN IMMEDIATE")
    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    try:
        session.says(VENDOR)
        for _ in range(10):
            assert told.acquire(timeout=30)
            if cards(curator):
                break
        assert len(cards(curator)) == 1
        assert "in use by another process" in failures[0]
    finally:
        stop.set()
        thread.join(timeout=10)
        holder.close()


def test_secrets_of_calls_without_a_result_are_not_remembered(curator: Curator, root: Path, work: Path) -> None:
    session = Transcript(root, work)
    secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"
    call = {
        "type": "tool_use",
        "id": "t1",
        "name": "Bash",
        "input": {"command": "export API_KEY=sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"},
    }
    session.write(session.record("assistant", {"id": "m1", "role": "assistant", "content": [call]}))
    app.scan.scan(curator, roots=[root])
    curator.close()
    data = b"".join(file.read_bytes() for file in curator.settings.home.iterdir() if file.is_file())
    assert secret.encode() not in data


def test_sessions_and_folders_with_control_characters_are_shown_without(curator: Curator, root: Path, tmp_path: Path) -> None:
    folder = tmp_path / "app\x1b]0;owned\x07"
    session = Transcript(root, folder, "5e551011\x1b[2J-0000-4000-8000-000000000001")
    session.says(VENDOR)
    app.scan.scan(curator, roots=[root])
    entry = next(iter(curator.lessons.entries(Query())))
    names = [project.name for project in curator.projects().values()]
    for text in (entry.session, entry.evidence[0].session, *names):
        assert "\x1b" not in text
        assert "\x07" not in text


def test_what_a_card_offers_differs_from_it_and_from_the_other_offers(curator: Curator, root: Path, work: Path) -> None:
    def letters(one: Entry | Wording) -> tuple[str, str]:
        headline, insight = ("".join(filter(str.isalnum, text.lower())) for text in (one.headline, one.insight))
        return headline, insight

    session = Transcript(root, work)
    session.fails()
    for words in (UV, DIST, "no, we never rebase release branches in this repository. The tags on them are signed."):
        session.says(words)
    app.scan.scan(curator, roots=[root])
    entries = list(curator.lessons.entries(curator.lessons.waiting()))
    assert len(entries) == 3
    assert any(entry.wordings for entry in entries)
    for entry in entries:
        told = [letters(entry), *map(letters, entry.wordings)]
        assert len({*told}) == len(told)


def test_only_files_inside_the_project_are_named(curator: Curator, root: Path, work: Path) -> None:
    session = Transcript(root, work)
    for at, path in enumerate(("/Users/ann/tap/formula.rb", f"{work.parent}/b.py", f"{work}/src/main.py")):
        call = {"type": "tool_use", "id": f"toolu_r{at}", "name": "Read", "input": {"file_path": path}}
        session.write(session.record("assistant", {"id": f"r{at}", "role": "assistant", "content": [call]}))
    session.fails()
    session.says("no, always use uv here, not pip; see main.py, formula.rb, b.py and ../other/a.py")
    app.scan.scan(curator, roots=[root])
    (entry,) = curator.lessons.entries(Query(states=(State.OPEN,)))
    assert entry.files == ("src/main.py",)


def test_a_scope_outside_the_project_is_refused(curator: Curator, root: Path, work: Path) -> None:
    entry = curator.verdicts.add("Use uv here").entries[0]
    for path in ("/Users/ann/tap", "../other", "~/tap", "C:\\Users\\ann", "."):
        with pytest.raises(CuratorError, match="no place in this project"):
            curator.verdicts.edit(entry.id, scope="paths", paths=(path,))
    edited = curator.verdicts.edit(entry.id, scope="paths", paths=(f"{work}/src", "web/**")).entries[0]
    assert edited.paths == ("src", "web/**")


def test_folders_outside_the_project_are_no_choice(curator: Curator, work: Path, make: Callable[..., Entry]) -> None:
    files = ("/Users/ann/tap/app.rb", "src/a.py", f"{work}/web/b.ts", "~/.zshrc", "src/c.py", "Makefile", "lib/")
    entry = make(project=curator.verdicts.add("Use uv").entries[0].project, files=files)
    assert app.project_files.folders(curator, entry) == ("src", "web", "Makefile", "lib")


def test_a_quote_of_a_session_stands_on_its_card_once(make: Callable[..., Entry]) -> None:
    (one,) = make().evidence
    quotes = (one, one._replace(line=99), one._replace(quote="other", line=100), one._replace(session="s2", line=7))
    given = Candidate(
        category=Category.TOOLING,
        headline="Use uv",
        insight="Use uv",
        evidence=quotes,
        score=0.5,
        why={},
        signal="remark",
        fingerprint="x",
    )
    assert [item.line for item in presentable(given, "/srv/app", "/srv/app").evidence] == [one.line, 100, 7]


def test_a_copied_session_is_said_to_be_one(curator: Curator, root: Path, work: Path) -> None:
    session = Transcript(root, work)
    session.fails()
    for words in (UV, VENDOR, DIST):
        session.says(words)
    assert app.scan.scan(curator, roots=[root])["claude-code"].copies == 0
    copy = session.path.with_name("5e551011-0000-4000-8000-000000000002.jsonl")
    copy.write_text(session.path.read_text().replace(f'"sessionId": "{session.session}"', f'"sessionId": "{copy.stem}"'))
    report = app.scan.scan(curator, roots=[root])["claude-code"]
    assert (report.turns, report.copies) == (0, 1)
    session.says("thanks")
    assert app.scan.scan(curator, roots=[root])["claude-code"].copies == 0
