"""From transcript files to cards: once, in one transaction a file, whatever happens in between."""

from __future__ import annotations

import gc
import sqlite3
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
from backports import zstd

from curator import app, detection
from curator.app import Curator, mcp
from curator.app.sessions.ingest import Ingest, shareable_candidate
from curator.app.sessions.scan import Step, read_one
from curator.errors import CuratorError
from curator.model import SAVED, Category, Entry, Kind, Query, Relating, Role, Wording
from tests.app.conftest import Make, Open, Transcript, cards, following, killed, scanned, statement, stored, until, waiting
from tests.sayings import DIST, UV, VENDOR
from tests.threads import at_once
from tests.transcripts import transcript_records as records


def sessions(root: Path, work: Path, *words: str) -> None:
    """A session for each of these words, said after a failure."""
    for number, one in enumerate(words):
        session = Transcript(root, work, number)
        session.fails()
        session.says(one)


def test_a_scan_finds_what_people_said_and_the_next_one_only_what_is_new(curator: Curator, root: Path, work: Path) -> None:
    session = Transcript(root, work)
    session.fails()
    session.says(UV)
    report = scanned(curator, root)
    assert (report.files, report.candidates) == (1, 1)
    (entry,) = waiting(curator)
    assert UV.removeprefix("no, ") in entry.evidence[0].quote
    assert (entry.agent, entry.session, entry.project) == ("claude-code", session.session, curator.scope)
    assert scanned(curator, root).candidates == 0
    assert len(cards(curator)) == 1
    session.says("thanks", VENDOR)
    report = scanned(curator, root)
    assert (report.turns, report.candidates) == (2, 1)
    assert len(cards(curator)) == 2


def test_a_torn_last_line_is_read_once_it_is_whole(curator: Curator, root: Path, work: Path) -> None:
    session = Transcript(root, work)
    session.says("hello")
    line = session.record("user", {"role": "user", "content": VENDOR})
    session.write(line[:60])
    assert scanned(curator, root).candidates == 0
    session.write(line[60:])
    assert scanned(curator, root).candidates == 1


def test_a_transcript_goes_on_where_it_was_after_its_agent_has_compressed_it(curator: Curator, tmp_path: Path) -> None:
    plain, packed = tmp_path / "sessions/rollout-a.jsonl", tmp_path / "sessions/rollout-a.jsonl.zst"
    plain.parent.mkdir()
    first = (records.META, records.event("user_message", message=VENDOR), records.message("assistant", "Understood."))
    records.write(plain, *first)
    assert scanned(curator, plain.parent, "codex").candidates == 1
    last = (records.event("user_message", message=DIST), records.message("assistant", "Understood, too."))
    packed.write_bytes(zstd.compress(records.lines(*first, *last)))
    plain.unlink()
    report = scanned(curator, plain.parent, "codex")
    assert (report.turns, report.candidates, report.errors) == (2, 1, [])
    assert scanned(curator, plain.parent, "codex").turns == 0
    for card in cards(curator):
        assert app.origins.quote_context(card.evidence[0]), "the transcript of the quote is found"


def test_a_scan_stopped_half_way_goes_on_and_doubles_nothing(curator: Curator, root: Path, work: Path) -> None:
    sessions(root, work, UV, VENDOR, DIST)
    stop = threading.Event()
    app.scan.scan(curator, roots=[root], stop=stop, progress=lambda step: stop.set() if step.files_done else None)
    assert len(cards(curator)) == 1
    scanned(curator, root)
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
    sessions(root, work, *(UV, VENDOR, DIST) * 2)

    def scan() -> None:
        with closing(curator.fork()) as own:
            scanned(own, root)

    at_once(scan, 3)
    assert len(cards(curator)) == 3


def test_dismissals_stick_and_forgotten_lessons_never_return(curator: Curator, root: Path, work: Path) -> None:
    Transcript(root, work).says(VENDOR, DIST)
    scanned(curator, root)
    first, second = waiting(curator)
    curator.decisions.drop([first.id])
    app.forget.forget(curator, [second.id])
    Transcript(root, work, 9).says(VENDOR, DIST)
    scanned(curator, root)
    assert cards(curator) == []


@pytest.mark.parametrize("lesson", [VENDOR.removeprefix("no, "), "Release notes are written in the imperative mood"])
def test_a_statement_is_a_conflict_with_a_lesson_that_it_repeats(curator: Curator, root: Path, work: Path, lesson: str) -> None:
    curator.decisions.add(lesson)
    Transcript(root, work).says(VENDOR)
    scanned(curator, root)
    (entry,) = waiting(curator)
    assert entry.kind is (Kind.CONFLICT if lesson in VENDOR else Kind.CANDIDATE)
    assert (entry.rival.relating if entry.rival else None) is (Relating.DUPLICATE if lesson in VENDOR else None)


def test_a_lesson_kept_while_one_watches_is_known_to_what_comes_next(curator: Curator, root: Path, work: Path) -> None:
    run = Ingest(curator)
    session = Transcript(root, work)
    session.says("hello")
    read_one(run, session.path)
    curator.decisions.add(VENDOR.removeprefix("no, "))
    session.says(VENDOR)
    run.refresh()
    read_one(run, session.path)
    assert [entry.kind for entry in waiting(curator)] == [Kind.CONFLICT]


def test_secrets_and_control_characters_never_reach_the_database(curator: Curator, root: Path, work: Path) -> None:
    session = Transcript(root, work)
    session.says("we never commit the deploy key AKIAIOSFODNN7EXAMPLE in vendor/, \x1b[31mthe sync\x1b[0m \u202eoverwrites it")
    key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"
    session.calls("Bash", command=f"export API_KEY={key}")  # its result is awaited
    scanned(curator, root)
    data = stored(curator)
    assert b"deploy key" in data
    for hostile in (b"AKIAIOSFODNN7EXAMPLE", key.encode(), b"\x1b[31m", "\u202e".encode(), b"\\u001b"):
        assert hostile not in data


def test_sessions_and_folders_with_control_characters_are_shown_without(curator: Curator, root: Path, tmp_path: Path) -> None:
    session = Transcript(root, tmp_path / "app\x1b]0;owned\x07", "5e551011\x1b[2J-0000-4000-8000-000000000001")
    session.says(VENDOR)
    scanned(curator, root)
    entry = next(iter(curator.lessons.entries(Query())))
    names = [project.name for project in curator.projects().values()]
    shown = "".join((entry.session, entry.evidence[0].session, *names))
    assert not {"\x1b", "\x07"} & {*shown}


def test_home_paths_are_shortened_in_what_a_team_will_see(curator: Curator, isolation: Path, work: Path) -> None:
    Transcript(isolation / ".claude", work).says(VENDOR)
    app.scan.scan(curator)
    (entry,) = waiting(curator)
    assert entry.evidence[0].file.startswith("~/.claude/projects/")


@pytest.mark.parametrize("busy", [False, True])
def test_watching_stores_at_once_or_once_the_database_is_free(curator: Curator, root: Path, work: Path, busy: bool) -> None:
    session = Transcript(root, work)
    session.says("hello")
    scanned(curator, root)
    holder = sqlite3.connect(curator.settings.database, isolation_level=None, check_same_thread=False)
    failures: list[str] = []

    def failed(error: Exception) -> None:
        failures.append(str(error))
        if len(failures) == 1:
            holder.execute("ROLLBACK")

    with closing(holder):
        if busy:
            holder.execute("BEGIN IMMEDIATE")
        until(curator, 1, lambda: session.says(VENDOR), root, **({"failed": failed} if busy else {}))
    assert ["in use by another process" in one for one in failures[:1]] == [True] * busy


def test_what_is_wrong_with_a_transcript_is_not_gathered_while_one_watches(curator: Curator, root: Path, work: Path) -> None:
    session = Transcript(root, work)
    session.says("hello")
    scanned(curator, root)
    told = threading.Semaphore(0)
    gathered: list[list[str]] = []

    def changed(new: int) -> None:
        (run,) = (item for item in gc.get_objects() if isinstance(item, Ingest) and item.curator is own)
        gathered.append([error for report in run.reports.values() for error in report.errors])
        told.release()

    with following(curator, root, changed) as own:
        for _ in range(4):
            before = len([*filter(None, gathered)])
            session.write("{no record\n")
            for _ in range(10):
                assert told.acquire(timeout=30)
                if len([*filter(None, gathered)]) > before:
                    break
    assert any(gathered)
    assert all(len(errors) == len(set(errors)) for errors in gathered)


def test_an_unreadable_file_costs_only_itself(curator: Curator, root: Path, work: Path) -> None:
    good = Transcript(root, work)
    good.says(VENDOR)
    bad = good.path.with_name("5e551011-0000-4000-8000-0000000000ff.jsonl")
    bad.write_bytes(good.path.read_bytes().split(b"\n")[0] + b"\n\xff\xfe{{{\n\x00\x00\n[1,2\n")
    report = scanned(curator, root)
    assert report.files == 2
    assert len(cards(curator)) == 1
    assert all("ff.jsonl" in error for error in report.errors)


def test_our_fault_costs_only_one_transcript(curator: Curator, root: Path, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sessions(root, work, UV, VENDOR)
    real = detection.detect

    def faulty(turns, *, old_turns=0):  # type: ignore[no-untyped-def]
        if any(UV in turn.text for turn in turns):
            raise ZeroDivisionError("a fault")
        return real(turns, old_turns=old_turns)

    with monkeypatch.context() as patch:
        patch.setattr(detection, "detect", faulty)
        report = scanned(curator, root)
    assert len(cards(curator)) == 1
    assert any("detection failed" in error for error in report.errors)
    scanned(curator, root)
    assert len(cards(curator)) == 2, "it is read again once the fault is mended"


def test_what_a_card_offers_differs_from_it_and_from_the_other_offers(curator: Curator, root: Path, work: Path) -> None:
    def letters(one: Entry | Wording) -> tuple[str, str]:
        headline, insight = ("".join(filter(str.isalnum, text.lower())) for text in (one.headline, one.insight))
        return headline, insight

    session = Transcript(root, work)
    session.fails()
    session.says(UV, DIST, "no, we never rebase release branches in this repository. The tags on them are signed.")
    scanned(curator, root)
    entries = waiting(curator)
    assert len(entries) == 3
    assert any(entry.wordings for entry in entries)
    for entry in entries:
        told = [letters(entry), *map(letters, entry.wordings)]
        assert len({*told}) == len(told)


def test_only_files_inside_the_project_are_named(curator: Curator, root: Path, work: Path) -> None:
    session = Transcript(root, work)
    for path in ("/Users/ann/tap/formula.rb", f"{work.parent}/b.py", f"{work}/src/main.py"):
        session.calls("Read", file_path=path)
    session.fails()
    session.says("no, always use uv here, not pip; see main.py, formula.rb, b.py and ../other/a.py")
    scanned(curator, root)
    assert [entry.files for entry in cards(curator)] == [("src/main.py",)]


def test_places_outside_the_project_are_no_choice_and_no_scope(curator: Curator, work: Path, make: Make) -> None:
    files = ("/Users/ann/tap/app.rb", "src/a.py", f"{work}/web/b.ts", "~/.zshrc", "src/c.py", "Makefile", "lib/")
    assert app.project_files.folders(curator, make(files=files)) == ("src", "web", "Makefile", "lib")
    entry = curator.decisions.add("Use uv here").entries[0]
    for path in ("/Users/ann/tap", "../other", "~/tap", "C:\\Users\\ann", "."):
        with pytest.raises(CuratorError, match="is not inside this project"):
            curator.decisions.edit(entry.id, scope="paths", paths=(path,))
    edited = curator.decisions.edit(entry.id, scope="paths", paths=(f"{work}/src", "web/**")).entries[0]
    assert edited.paths == ("src", "web/**")


def test_a_quote_of_a_session_stands_on_its_card_once(make: Make) -> None:
    (one,) = make().evidence
    quotes = (one, one._replace(line=99), one._replace(quote="other", line=100), one._replace(session="s2", line=7))
    shown = shareable_candidate(statement("Use uv", *quotes), "/srv/app", "/srv/app")
    assert [item.line for item in shown.evidence] == [one.line, 100, 7]


def test_a_copied_session_is_said_to_be_one(curator: Curator, root: Path, work: Path) -> None:
    session = Transcript(root, work)
    session.fails()
    session.says(UV, VENDOR, DIST)
    assert scanned(curator, root).copies == 0
    copy = session.path.with_name("5e551011-0000-4000-8000-000000000002.jsonl")
    copy.write_text(session.path.read_text().replace(f'"sessionId": "{session.session}"', f'"sessionId": "{copy.stem}"'))
    report = scanned(curator, root)
    assert (report.turns, report.copies) == (0, 1)
    session.says("thanks")
    assert scanned(curator, root).copies == 0


SAVED_QUOTE = "the tests find no schema without `make db`"
SAVED_TEXT = "Run `make db` before the tests."


@pytest.mark.parametrize(("given", "found"), [(SAVED_QUOTE, True), ("nobody ever said such a thing", False), ("", False)])
def test_a_saved_lesson_gets_the_place_of_its_quote(curator: Curator, root: Path, work: Path, given: str, found: bool) -> None:
    assert curator.project
    with curator.store.transaction():
        curator.store.sources.remember(curator.project, str(work))
        candidate = mcp.proposal(SAVED_TEXT, "running tests", [], given, "claude-code", Category.TOOLING)
        mcp.propose(curator, candidate, curator.project, "mcp")
    session = Transcript(root, work, "s-1")
    session.says("run the tests")
    session.answers(f"It failed: {SAVED_QUOTE}, so it has to run first.")
    session.calls("mcp__curator__save_lesson", "Saved", text=SAVED_TEXT, evidence=given)
    scanned(curator, root)
    ((_, entry, _),) = curator.store.entries.of_signal(SAVED)
    quote = entry.evidence[0]
    assert (quote.file != "", entry.times_stated) == (found, 1)
    if found:
        assert (quote.quote, quote.role, quote.line) == (SAVED_QUOTE, Role.ASSISTANT, 2)


# --- kill -9 ------------------------------------------------------------------------------------------------------------


def found(opened: Open, root: Path, home: str) -> list[tuple[str, int, int]]:
    """What a scan to the end leaves in a home."""
    with closing(opened(home)) as curator:
        scanned(curator, root)
        return [(entry.evidence[0].quote, entry.times_stated, len(entry.evidence)) for entry in cards(curator)]


@pytest.mark.skipif(sys.platform == "win32", reason="processes are forked")
def test_kill_9_during_scans(opened: Open, root: Path, tmp_path: Path) -> None:
    for number in range(24):
        session = Transcript(root, tmp_path / f"app{number % 4}", number)
        session.fails()
        session.says((UV, VENDOR, DIST)[number % 3])
    whole = found(opened, root, "whole")
    for round_ in range(5):
        killed(lambda told: app.scan.scan(opened("killed"), roots=[root], progress=told), 1 + round_ * 3)
    assert found(opened, root, "killed") == whole
    assert len(whole) == 12
