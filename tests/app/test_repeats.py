"""The same words in several files are told once, whichever file is read first."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from curator import app
from curator.app import Curator
from curator.app.sessions.ingest import Ingest
from curator.app.sessions.scan import read_one
from curator.model import Entry, Query, State
from curator.settings import Settings
from tests.sayings import DIST, UV, VENDOR

FIRST, SECOND = "5e551011-0000-4000-8000-000000000001", "5e551011-0000-4000-8000-000000000002"

Record = dict[str, object]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "roots"


def put(path: Path, *records: Record) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)
    return path


def claude(session: str, work: Path, *said: tuple[str, str], start: int = 0) -> list[Record]:
    """Records of a person and the agent; numbered from ``start``, which makes their ids and times."""
    return [
        {
            "type": "user" if role == "user" else "assistant",
            "uuid": f"u-{start + at}",
            "sessionId": session,
            "cwd": str(work),
            "isSidechain": False,
            "timestamp": f"2026-11-01T10:{start + at:02d}:00.000Z",
            "message": {"role": role, "content": text if role == "user" else [{"type": "text", "text": text}]},
        }
        for at, (role, text) in enumerate(said)
    ]


TALK = (("user", "please run the tests"), ("assistant", "They fail to start here."), ("user", UV), ("assistant", "Understood."))
MORE = (("user", VENDOR), ("assistant", "I put it back as it was."))


def codex(session: str, work: Path, *said: tuple[str, str], hour: int = 8, at_once: bool = False) -> list[Record]:
    def record(kind: str, at: int, **payload: object) -> Record:
        minute = 0 if at_once else at
        return {"timestamp": f"2026-06-01T{hour:02d}:{minute:02d}:00.000Z", "type": kind, "payload": payload}

    meta = record("session_meta", 0, id=session, cwd=str(work), originator="codex-tui", source="cli")

    def spoken(at: int, role: str, text: str) -> Record:
        if role == "user":
            return record("event_msg", at, type="user_message", message=text)
        content = [{"type": "output_text", "text": text}]
        return record("response_item", at, type="message", role="assistant", content=content)

    return [meta, *(spoken(at, *one) for at, one in enumerate(said, 1))]


def claude_file(root: Path, session: str) -> Path:
    return root / "projects" / "-work-app" / f"{session}.jsonl"


def cards(curator: Curator) -> list[Entry]:
    return sorted(curator.lessons.entries(Query(states=(State.OPEN,))), key=lambda entry: entry.evidence[0].quote)


def once(curator: Curator, count: int) -> None:
    """There are so many cards, and each was stated once."""
    found = cards(curator)
    assert len(found) == count
    assert [(entry.seen, len(entry.evidence)) for entry in found] == [(1, 1)] * count


def test_a_resumed_session_with_its_history_copied_tells_only_what_is_new(curator: Curator, root: Path, work: Path) -> None:
    put(claude_file(root, FIRST), *claude(FIRST, work, *TALK))
    assert app.scan.scan(curator, roots=[root])["claude-code"].turns == 4
    resumed = [record | {"sessionId": SECOND} for record in claude(FIRST, work, *TALK)]
    put(claude_file(root, SECOND), *resumed, *claude(SECOND, work, *MORE, start=30))
    report = app.scan.scan(curator, roots=[root])["claude-code"]
    assert (report.turns, report.candidates) == (2, 1)
    once(curator, 2)
    put(claude_file(root, SECOND), *claude(SECOND, work, ("user", DIST), start=40))
    assert app.scan.scan(curator, roots=[root])["claude-code"].turns == 1
    once(curator, 3)


def test_which_of_two_forks_is_read_first_does_not_matter(curator: Curator, root: Path, work: Path) -> None:
    put(claude_file(root, FIRST), *claude(FIRST, work, *TALK, *MORE))
    fork = [record | {"sessionId": SECOND} for record in claude(FIRST, work, *TALK)]
    put(claude_file(root, SECOND), *fork, *claude(SECOND, work, ("user", DIST), start=50))
    for path in (claude_file(root, SECOND), claude_file(root, FIRST)):
        read_one(Ingest(curator), path)
    once(curator, 3)
    assert app.scan.scan(curator, roots=[root])["claude-code"].turns == 0


def test_a_fork_that_is_written_with_the_time_of_the_fork_is_known_by_its_words(
    curator: Curator, root: Path, work: Path
) -> None:
    sessions = root / "sessions" / "2026" / "06" / "01"
    put(sessions / "rollout-1.jsonl", *codex("C1", work, *TALK))
    app.scan.scan(curator, roots=[root])
    copied = codex("C1", work, *TALK, hour=9, at_once=True)
    fork = put(sessions / "rollout-2.jsonl", *codex("C2", work, hour=9), *copied, *codex("C2", work, *MORE, hour=10)[1:])
    assert app.scan.scan(curator, roots=[root])["codex"].turns == 2
    once(curator, 2)
    fork.write_bytes(fork.read_bytes().replace(b'"codex-tui"', b'"codex_tui"', 1))  # its beginning changed: read from zero
    app.scan.scan(curator, roots=[root])
    once(curator, 2)


def test_a_session_that_moves_to_the_archive_is_no_new_one(curator: Curator, root: Path, work: Path) -> None:
    path = put(root / "sessions" / "2026" / "06" / "01" / "rollout-1.jsonl", *codex("C1", work, *TALK, *MORE))
    app.scan.scan(curator, roots=[root])
    archive = root / "archived_sessions" / path.name
    archive.parent.mkdir()
    path.rename(archive)
    report = app.scan.scan(curator, roots=[root])["codex"]
    assert (report.files, report.turns, report.candidates) == (1, 0, 0)
    once(curator, 2)


def test_turns_that_a_compaction_copied_into_the_middle_are_context(curator: Curator, root: Path, work: Path) -> None:
    put(claude_file(root, FIRST), *claude(FIRST, work, *TALK))
    app.scan.scan(curator, roots=[root])
    new = claude(SECOND, work, ("user", "go on with the export"), start=20)
    copied = [record | {"sessionId": SECOND} for record in claude(FIRST, work, *TALK)]
    put(claude_file(root, SECOND), *new, *copied, *claude(SECOND, work, *MORE, start=30))
    assert app.scan.scan(curator, roots=[root])["claude-code"].turns == 3
    once(curator, 2)


def test_a_file_read_again_from_its_beginning_repeats_nobody(curator: Curator, root: Path, work: Path) -> None:
    path = put(claude_file(root, FIRST), *claude(FIRST, work, *TALK))
    app.scan.scan(curator, roots=[root])
    path.write_text("")
    put(path, *claude(FIRST, work, *TALK[:3]), *claude(FIRST, work, *MORE, start=30))
    assert app.scan.scan(curator, roots=[root])["claude-code"].turns == 5
    once(curator, 2)


def test_who_says_the_same_again_in_another_session_is_heard_again(curator: Curator, root: Path, work: Path) -> None:
    put(claude_file(root, FIRST), *claude(FIRST, work, *TALK))
    again = [record | {"uuid": f"v-{at}"} for at, record in enumerate(claude(SECOND, work, ("user", UV), start=30))]
    put(claude_file(root, SECOND), *again)
    app.scan.scan(curator, roots=[root])
    (entry,) = cards(curator)
    assert entry.seen == 2


def test_a_brief_that_opens_sessions_is_no_repeated_rule(curator: Curator, root: Path, work: Path) -> None:
    template = f"What holds for this project:\n{UV}\nThe first task is the parser."
    for session, start in ((FIRST, 0), (SECOND, 30)):
        put(claude_file(root, session), *claude(session, work, ("user", template), ("assistant", "Yes."), start=start))
    app.scan.scan(curator, roots=[root])
    (entry,) = cards(curator)
    assert (entry.seen, len(entry.evidence)) == (1, 1)


def story(work: Path, session: str, *said: tuple[str, str], command: str = "") -> Path:
    path = work / ".specstory" / "history" / "2026-11-01_10-00-00Z-talk.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    heads = {"user": "_**User (2026-11-01T10:00:00Z)**_", "assistant": "_**Agent (some-model)**_"}
    parts = ["<!-- Generated by SpecStory, Markdown v2.1.0 -->", f"<!-- Claude Code Session {session} (2026-11-01) -->"]
    parts += [f"{heads[role]}\n\n{text}" for role, text in said]
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("first", ["specstory", "claude-code"])
def test_a_session_that_specstory_tells_as_well_is_told_once(curator: Curator, root: Path, work: Path, first: str) -> None:
    native = put(claude_file(root, FIRST), *claude(FIRST, work, *TALK))
    derived = story(work, FIRST, *TALK)
    order = [derived, native] if first == "specstory" else [native, derived]
    run = Ingest(curator)
    for path in order:
        read_one(run, path)
    assert {agent: report.turns for agent, report in run.reports.items() if report.turns} == {first: 4}
    once(curator, 1)
    put(native, *claude(FIRST, work, *MORE, start=30))
    story(work, FIRST, *TALK, *MORE)
    run = Ingest(curator)
    for path in order:
        read_one(run, path)
    assert sum(report.turns for report in run.reports.values()) == 2
    once(curator, 2)


@pytest.mark.parametrize("first", ["specstory", "claude-code"])
def test_a_command_that_failed_and_was_mended_is_no_second_lesson(curator: Curator, root: Path, work: Path, first: str) -> None:
    error = "Exit code 1\nModuleNotFoundError: No module named 'httpx'"

    def ran(at: int, command: str, output: str, *, failed: bool) -> list[Record]:
        (base,) = claude(FIRST, work, ("user", ""), start=at)
        call = {"type": "tool_use", "id": f"t{at}", "name": "Bash", "input": {"command": command}}
        result = {"type": "tool_result", "tool_use_id": f"t{at}", "is_error": failed, "content": output}
        return [
            base | {"type": "assistant", "message": {"role": "assistant", "content": [call]}},
            base | {"uuid": f"r-{at}", "message": {"role": "user", "content": [result]}},
        ]

    native = put(
        claude_file(root, FIRST),
        *claude(FIRST, work, ("user", "run the tests")),
        *ran(1, "pytest -q tests", error, failed=True),
        *ran(2, "uv run pytest -q tests", "12 passed", failed=False),
    )

    def block(command: str, output: str) -> tuple[str, str]:
        tag = '<tool-use data-tool-type="shell" data-tool-name="Bash">'
        return (
            "assistant",
            f"{tag}<details>\n<summary>x</summary>\n\n`{command}`\n\n```text\n{output}\n```\n\n</details></tool-use>",
        )

    derived = story(
        work,
        FIRST,
        ("user", "run the tests"),
        block("pytest -q tests", error),
        block("uv run pytest -q tests", "12 passed, told a little otherwise"),
    )
    for path in [derived, native] if first == "specstory" else [native, derived]:
        read_one(Ingest(curator), path)
    (entry,) = cards(curator)
    assert (entry.seen, len({(item.session, item.quote) for item in entry.evidence})) == (1, len(entry.evidence))


def test_what_was_heard_is_remembered_without_words_and_not_at_all_where_nothing_may_be_read(
    tmp_path: Path, root: Path, work: Path
) -> None:
    put(claude_file(root, FIRST), *claude(FIRST, work, *TALK))
    for exclude, kept in (((str(work),), False), ((), True)):
        curator = Curator(Settings(home=tmp_path / str(kept), exclude=exclude))
        app.scan.scan(curator, roots=[root])
        found = curator.store.connection.execute("SELECT count(*), sum(typeof(key) = 'integer') FROM first_tellers").fetchone()
        assert (found[0] > 0) is kept
        assert not kept or found[0] == found[1]
        curator.close()


# --- what was forgotten -----------------------------------------------------------------------------------------------


def test_a_copy_does_not_bring_back_what_was_forgotten(curator: Curator, root: Path, work: Path) -> None:
    put(claude_file(root, FIRST), *claude(FIRST, work, *TALK))
    app.scan.scan(curator, roots=[root])
    app.forget.forget(curator, session=FIRST)
    copied = [record | {"sessionId": SECOND} for record in claude(FIRST, work, *TALK)]
    put(claude_file(root, SECOND), *copied, *claude(SECOND, work, *MORE, start=30))
    app.scan.scan(curator, roots=[root])
    assert [entry.session for entry in cards(curator)] == [SECOND]
    assert "vendor/" in cards(curator)[0].headline


def test_nothing_more_is_taken_from_a_forgotten_session(curator: Curator, root: Path, work: Path) -> None:
    path = put(claude_file(root, FIRST), *claude(FIRST, work, *TALK))
    app.scan.scan(curator, roots=[root])
    app.forget.forget(curator, session=FIRST)
    secret = "say the zanzibar constant"
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": secret}}
    (record,) = claude(FIRST, work, ("assistant", ""), start=40)
    put(path, *claude(FIRST, work, *MORE, start=30), record | {"message": {"role": "assistant", "content": [call]}})
    app.scan.scan(curator, roots=[root])
    assert cards(curator) == []
    (source,) = curator.store.sources.sources().values()
    assert secret not in source.bookmark


def test_a_forgotten_session_is_no_further_evidence(curator: Curator, root: Path, work: Path) -> None:
    path = put(claude_file(root, FIRST), *claude(FIRST, work, ("user", "hello")))
    put(claude_file(root, SECOND), *claude(SECOND, work, *TALK, start=20))
    app.scan.scan(curator, roots=[root])
    app.forget.forget(curator, session=FIRST)
    put(path, *claude(FIRST, work, ("user", UV), start=50))
    app.scan.scan(curator, roots=[root])
    (entry,) = cards(curator)
    assert (entry.seen, entry.session) == (1, SECOND)


def test_a_scan_under_way_does_not_write_back_what_is_forgotten_meanwhile(curator: Curator, root: Path, work: Path) -> None:
    secret = "say the zanzibar constant"
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": secret}}
    (record,) = claude(FIRST, work, ("assistant", ""))
    path = put(claude_file(root, FIRST), record | {"message": {"role": "assistant", "content": [call]}})
    app.scan.scan(curator, roots=[root])
    run = Ingest(curator)  # a scan under way: it remembers how far each file was read
    assert secret in run.sources[str(path)].bookmark
    own = curator.fork()
    app.forget.forget(own, session=FIRST)
    own.close()
    put(path, *claude(FIRST, work, ("user", "go on"), start=9))
    read_one(run, path)
    (source,) = curator.store.sources.sources().values()
    assert secret not in source.bookmark


def test_two_scans_that_read_one_file_at_once_tell_it_once(curator: Curator, root: Path, work: Path) -> None:
    path = put(claude_file(root, FIRST), *claude(FIRST, work, *TALK))
    one, other = Ingest(curator), Ingest(curator)
    read_one(one, path)
    stop = threading.Event()
    read_one(other, path, stop)
    assert (one.report("claude-code").turns, other.report("claude-code").turns) == (4, 0)
    put(path, *claude(FIRST, work, *MORE, start=30))
    read_one(other, path)
    read_one(one, path)
    assert (one.report("claude-code").turns, other.report("claude-code").turns) == (4, 2)
    once(curator, 2)
