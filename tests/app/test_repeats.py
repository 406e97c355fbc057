"""The same words in several files are told once, whichever file is read first."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from curator import app
from curator.app import Curator
from curator.app.sessions.ingest import Ingest
from curator.app.sessions.scan import read_one
from tests.app.conftest import Open, Transcript, cards, scanned
from tests.sayings import DIST, UV, VENDOR

Said = tuple[str, str]
Record = dict[str, object]
TALK = (("user", "please run the tests"), ("assistant", "They fail to start here."), ("user", UV), ("assistant", "Understood."))
MORE = (("user", VENDOR), ("assistant", "I put it back as it was."))
SECRET = "say the zanzibar constant"


class Session(Transcript):
    """A session of Claude Code that may hold what is a copy of another one."""

    def tells(self, *said: Said) -> Session:
        for role, text in said:
            (self.says if role == "user" else self.answers)(text)
        return self

    def copies(self, other: Transcript) -> Session:
        """Take over the records of another session: their ids and times stay."""
        self.write(other.path.read_text(encoding="utf-8").replace(f'"{other.session}"', f'"{self.session}"'))
        self.count = max(self.count, other.count)
        return self


@pytest.fixture
def first(root: Path, work: Path) -> Session:
    return Session(root, work, 1).tells(*TALK)


@pytest.fixture
def second(root: Path, work: Path) -> Session:
    """Another session, which begins half an hour later."""
    session = Session(root, work, 2)
    session.count = 30
    return session


def codex(path: Path, session: str, work: Path, *said: Said, hour: int = 8, at_once: bool = False, meta: bool = True) -> Path:
    """Write a session of Codex on."""

    def record(kind: str, at: int, **payload: object) -> Record:
        minute = 0 if at_once else at
        return {"timestamp": f"2026-06-01T{hour:02d}:{minute:02d}:00.000Z", "type": kind, "payload": payload}

    def spoken(at: int, role: str, text: str) -> Record:
        if role == "user":
            return record("event_msg", at, type="user_message", message=text)
        content = [{"type": "output_text", "text": text}]
        return record("response_item", at, type="message", role="assistant", content=content)

    head = [record("session_meta", 0, id=session, cwd=str(work), originator="codex-tui", source="cli")]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        for one in (*(head if meta else ()), *(spoken(at, *words) for at, words in enumerate(said, 1))):
            file.write(json.dumps(one) + "\n")
    return path


def once(curator: Curator, count: int) -> None:
    """There are so many cards, and each was stated once."""
    assert [(entry.times_stated, len(entry.evidence)) for entry in cards(curator)] == [(1, 1)] * count


def test_a_resumed_session_with_its_history_copied_tells_only_what_is_new(
    curator: Curator, root: Path, first: Session, second: Session
) -> None:
    assert scanned(curator, root).turns == 4
    second.copies(first).tells(*MORE)
    report = scanned(curator, root)
    assert (report.turns, report.candidates) == (2, 1)
    once(curator, 2)
    second.says(DIST)
    assert scanned(curator, root).turns == 1
    once(curator, 3)


def test_it_does_not_matter_which_fork_is_read_first(curator: Curator, root: Path, first: Session, second: Session) -> None:
    second.copies(first).says(DIST)
    first.tells(*MORE)
    for session in (second, first):
        read_one(Ingest(curator), session.path)
    once(curator, 3)
    assert scanned(curator, root).turns == 0


def test_a_fork_that_has_the_time_of_the_fork_is_known_by_its_words(curator: Curator, root: Path, work: Path) -> None:
    sessions = root / "sessions" / "2026" / "06" / "01"
    codex(sessions / "rollout-1.jsonl", "C1", work, *TALK)
    scanned(curator, root, "codex")
    fork = codex(sessions / "rollout-2.jsonl", "C2", work, hour=9)
    codex(fork, "C1", work, *TALK, hour=9, at_once=True)
    codex(fork, "C2", work, *MORE, hour=10, meta=False)
    assert scanned(curator, root, "codex").turns == 2
    once(curator, 2)
    fork.write_bytes(fork.read_bytes().replace(b'"codex-tui"', b'"codex_tui"', 1))  # its beginning changed: read from zero
    scanned(curator, root, "codex")
    once(curator, 2)


def test_a_session_that_moves_to_the_archive_is_no_new_one(curator: Curator, root: Path, work: Path) -> None:
    path = codex(root / "sessions" / "2026" / "06" / "01" / "rollout-1.jsonl", "C1", work, *TALK, *MORE)
    scanned(curator, root, "codex")
    archive = root / "archived_sessions" / path.name
    archive.parent.mkdir()
    path.rename(archive)
    report = scanned(curator, root, "codex")
    assert (report.files, report.turns, report.candidates) == (1, 0, 0)
    once(curator, 2)


def test_turns_copied_by_a_compaction_are_context(curator: Curator, root: Path, first: Session, second: Session) -> None:
    scanned(curator, root)
    second.tells(("user", "go on with the export")).copies(first).tells(*MORE)
    assert scanned(curator, root).turns == 3
    once(curator, 2)


def test_a_file_read_again_from_its_beginning_repeats_nobody(curator: Curator, root: Path, first: Session) -> None:
    scanned(curator, root)
    lines = first.path.read_text(encoding="utf-8").splitlines(keepends=True)
    anew = first.path.with_suffix(".anew")
    anew.write_text("".join(lines[:3]), encoding="utf-8")
    anew.replace(first.path)
    first.tells(*MORE)
    assert scanned(curator, root).turns == 5
    once(curator, 2)


def test_the_same_words_in_another_session_count_again(curator: Curator, root: Path, first: Session, second: Session) -> None:
    second.says(UV)
    scanned(curator, root)
    assert [entry.times_stated for entry in cards(curator)] == [2]


def test_a_brief_that_opens_sessions_is_no_repeated_rule(curator: Curator, root: Path, work: Path, second: Session) -> None:
    template = f"What holds for this project:\n{UV}\nThe first task is the parser."
    for session in (Session(root, work, 1), second):
        session.tells(("user", template), ("assistant", "Yes."))
    scanned(curator, root)
    once(curator, 1)


def story(work: Path, session: Session, *said: Said) -> Path:
    path = work / ".specstory" / "history" / "2026-11-01_10-00-00Z-talk.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    heads = {"user": "_**User (2026-11-01T10:00:00Z)**_", "assistant": "_**Agent (some-model)**_"}
    parts = ["<!-- Generated by SpecStory, Markdown v2.1.0 -->"]
    parts += [f"<!-- Claude Code Session {session.session} (2026-11-01) -->"]
    parts += [f"{heads[role]}\n\n{text}" for role, text in said]
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("earlier", ["specstory", "claude-code"])
def test_a_session_that_specstory_tells_too_is_told_once(curator: Curator, work: Path, first: Session, earlier: str) -> None:
    derived = story(work, first, *TALK)
    order = [derived, first.path] if earlier == "specstory" else [first.path, derived]
    run = Ingest(curator)
    for path in order:
        read_one(run, path)
    assert {agent: report.turns for agent, report in run.reports.items() if report.turns} == {earlier: 4}
    once(curator, 1)
    first.tells(*MORE)
    story(work, first, *TALK, *MORE)
    run = Ingest(curator)
    for path in order:
        read_one(run, path)
    assert sum(report.turns for report in run.reports.values()) == 2
    once(curator, 2)


@pytest.mark.parametrize("earlier", ["specstory", "claude-code"])
def test_a_failed_and_mended_command_is_no_second_lesson(curator: Curator, root: Path, work: Path, earlier: str) -> None:
    error = "Exit code 1\nModuleNotFoundError: No module named 'httpx'"
    native = Session(root, work).tells(("user", "run the tests"))
    native.calls("Bash", error, failed=True, command="pytest -q tests")
    native.calls("Bash", "12 passed", command="uv run pytest -q tests")

    def block(command: str, output: str) -> Said:
        tag = '<tool-use data-tool-type="shell" data-tool-name="Bash">'
        shown = f"<details>\n<summary>x</summary>\n\n`{command}`\n\n```text\n{output}\n```\n\n</details></tool-use>"
        return "assistant", tag + shown

    derived = story(
        work,
        native,
        ("user", "run the tests"),
        block("pytest -q tests", error),
        block("uv run pytest -q tests", "12 passed, told a little otherwise"),
    )
    for path in [derived, native.path] if earlier == "specstory" else [native.path, derived]:
        read_one(Ingest(curator), path)
    (entry,) = cards(curator)
    assert (entry.times_stated, len({(item.session, item.quote) for item in entry.evidence})) == (1, len(entry.evidence))


def test_turns_are_remembered_without_words_and_where_allowed(opened: Open, root: Path, work: Path, first: Session) -> None:
    for exclude, kept in (((str(work),), False), ((), True)):
        curator = opened(str(kept), exclude=exclude)
        scanned(curator, root)
        assert len(cards(curator)) == kept
        found = curator.store.connection.execute("SELECT count(*), sum(typeof(key) = 'integer') FROM first_tellers").fetchone()
        assert (found[0] > 0) is kept
        assert not kept or found[0] == found[1]


# --- what was forgotten -----------------------------------------------------------------------------------------------


def bookmark(curator: Curator) -> str:
    (source,) = curator.store.sources.sources().values()
    return source.bookmark


def test_a_copy_does_not_bring_back_what_was_forgotten(curator: Curator, root: Path, first: Session, second: Session) -> None:
    scanned(curator, root)
    app.forget.forget(curator, session=first.session)
    second.copies(first).tells(*MORE)
    scanned(curator, root)
    (entry,) = cards(curator)
    assert (entry.session, "vendor/" in entry.headline) == (second.session, True)


def test_nothing_more_is_taken_from_a_forgotten_session(curator: Curator, root: Path, first: Session) -> None:
    scanned(curator, root)
    app.forget.forget(curator, session=first.session)
    first.tells(*MORE).calls("Bash", command=SECRET)
    scanned(curator, root)
    assert cards(curator) == []
    assert SECRET not in bookmark(curator)


def test_a_forgotten_session_is_no_further_evidence(curator: Curator, root: Path, first: Session, second: Session) -> None:
    second.says("hello")
    scanned(curator, root)
    app.forget.forget(curator, session=second.session)
    second.says(UV)
    scanned(curator, root)
    (entry,) = cards(curator)
    assert (entry.times_stated, entry.session) == (1, first.session)


def test_a_scan_under_way_does_not_write_back_what_is_forgotten_meanwhile(curator: Curator, root: Path, work: Path) -> None:
    session = Session(root, work)
    session.calls("Bash", command=SECRET)
    scanned(curator, root)
    run = Ingest(curator)  # a scan under way: it remembers how far each file was read
    assert SECRET in run.sources[str(session.path)].bookmark
    with closing(curator.fork()) as own:
        app.forget.forget(own, session=session.session)
    session.says("go on")
    read_one(run, session.path)
    assert SECRET not in bookmark(curator)


def test_two_scans_that_read_one_file_at_once_tell_it_once(curator: Curator, first: Session) -> None:
    one, other = Ingest(curator), Ingest(curator)
    for run in (one, other):
        read_one(run, first.path)
    assert (one.report("claude-code").turns, other.report("claude-code").turns) == (4, 0)
    first.tells(*MORE)
    for run in (other, one):
        read_one(run, first.path)
    assert (one.report("claude-code").turns, other.report("claude-code").turns) == (4, 2)
    once(curator, 2)
