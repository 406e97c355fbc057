from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from curator.hookspecs import Format, Mark
from curator.io import files
from curator.model import JSON, Turn
from curator.transcripts.base import jsonl
from curator.transcripts.base.follow import follow, from_json, to_json
from tests.transcripts.transcript_records import (
    CLAUDE,
    CODEX,
    META,
    Record,
    assistant,
    attachment,
    event,
    item,
    lines,
    message,
    payload,
    queue,
    result,
    said,
    text,
    use,
    user,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s.jsonl"


def read_from(path: Path, start: Mark) -> tuple[list[Turn], Mark]:
    reading = CLAUDE.read(path, start)
    return list(reading.turns), reading.end


def test_a_torn_line_is_read_when_it_is_whole(path: Path) -> None:
    data = lines(user("one"), user("two — 二"))
    path.write_bytes(data[:-9])
    first, end = read_from(path, Mark())
    assert (said(first), end.line) == (["one"], 1)
    path.write_bytes(data)
    second, end = read_from(path, end)
    assert [(turn.text, turn.locator.line) for turn in second] == [("two — 二", 2)]
    assert (end.offset, end.line) == (len(data), 2)


def test_a_last_line_without_newline_counts_if_it_is_whole(path: Path) -> None:
    data = lines(user("one"), user("two"))
    path.write_bytes(data[:-1])
    first, end = read_from(path, Mark())
    assert (said(first), end.offset) == (["one", "two"], len(data) - 1)
    path.write_bytes(data + lines(user("three")))
    second, _ = read_from(path, end)
    assert [(turn.text, turn.locator.line) for turn in second] == [("three", 3)]


def glued(*records: Record) -> bytes:
    return b"".join(lines(record).rstrip() for record in records)


IMAGE = {"type": "image", "source": {"type": "base64", "data": "A" * 2_200_000}}
LONE = json.dumps(user("half \ud83d and \U0001f600")).encode() + b"\n"


@pytest.mark.parametrize(
    ("data", "turns"),
    [
        (glued(user("one"), user("two")) + b' {"torn":\n' + lines(user("three")), [("one", 1), ("two", 1), ("three", 2)]),
        (glued({"type": "progress", "data": {}}, user("one")), [("one", 1)]),
        (b'{"type": "torn", "nu' + lines(user("one"), user("two")), [("one", 1), ("two", 2)]),
        (b'{"type": "torn", "message": {"content": [{"type": "text"}]}\n' + lines(user("one")), [("one", 2)]),
        (lines(user([IMAGE, text("see the picture")]), user("next")), [("see the picture", 1), ("next", 2)]),
        (lines(user("caf#")).replace(b"#", b"\xe9") + LONE, [("caf\ufffd", 1), ("half \ufffd and \U0001f600", 2)]),
    ],
    ids=["glued", "glued to one that is skipped", "torn", "torn alone", "megabytes", "bad bytes and lone surrogates"],
)
def test_each_record_is_read_whatever_stands_around_it(path: Path, data: bytes, turns: list[tuple[str, int]]) -> None:
    path.write_bytes(data)
    reading = CLAUDE.read(path, Mark())
    assert [(turn.text, turn.locator.line) for turn in reading.turns] == turns
    torn = (f"{path}:1: this is no JSON record; it was passed over",)
    assert reading.errors == (torn if b"torn" in data else ())


def test_of_a_torn_line_only_records_are_done_with(path: Path) -> None:
    data = b"1e5" + lines(user("one"))
    for cut in (1, 3):
        path.write_bytes(data[:cut])
        assert read_from(path, Mark())[1] == Mark()
    path.write_bytes(lines(user("zero")).rstrip() + b" 1")
    _, end = read_from(path, Mark())
    assert end.offset == path.stat().st_size - 2


def test_records_are_unknown_if_most_of_them_give_no_turn(path: Path) -> None:
    new = [{"type": "brand-new", "uuid": f"n{number}"} for number in range(200)]
    path.write_bytes(lines(*(user(f"say {number}") for number in range(40)), *new))
    assert not CLAUDE.read(path, Mark()).unknown
    path.write_bytes(lines(user("say"), *new, {"no": "type"}))
    assert CLAUDE.read(path, Mark()).unknown == {"brand-new": 200, "record": 1}
    path.write_bytes(lines(*new[:20]))
    assert not CLAUDE.read(path, Mark()).unknown
    path.write_bytes(lines(user("say"), *[user("by the agent", isMeta=True)] * 40))
    assert not CLAUDE.read(path, Mark()).unknown, "its kind is known"


def test_a_result_without_an_id_belongs_to_the_call_without_one() -> None:
    writer = jsonl.Writer("quill", "s.jsonl", 1, {})
    writer.call("shell", "", {"command": "make"})
    assert writer.end_call("")["command"] == "make"


def test_a_record_keeps_the_turns_before_its_odd_part() -> None:
    def write(record: JSON, writer: jsonl.Writer) -> None:
        writer.assistant("before")
        writer.assistant(record["odd"])

    found = jsonl.Collection("quill", "s.jsonl", {}, write)
    found.take({"odd": 7}, 1, ":1:")
    assert [turn.text for turn in found.turns] == ["before"]
    assert "unforeseen shape" in found.errors[0]


def test_a_line_beyond_reason_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_RECORD_BYTES", 1000)
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"x" * 2_500 + b"\n" + lines(user("next")))
    reading = CLAUDE.read(path, Mark())
    assert [(turn.text, turn.locator.line) for turn in reading.turns] == [("next", 2)]
    assert "longer than any record" in reading.errors[0]
    assert reading.end.offset == path.stat().st_size


def test_junk_is_named_and_survived(path: Path) -> None:
    deep = b"[" * 100_000 + b"\n"
    number = b'{"type": ' + b"1" * 5_000 + b"}\n"
    lone = b'{"type":' + b"[" * 900 + b'"\\ud800"' + b"]" * 900 + b"}\n"
    path.write_bytes(b"\x00\x01\xff\n\n[1]\n" + deep + number + lone + lines(user("next")))
    reading = CLAUDE.read(path, Mark())
    assert said(list(reading.turns)) == ["next"]
    assert [error.split(": ")[0] for error in reading.errors][:3] == [f"{path}:{line}" for line in (1, 4, 5)]


def test_many_errors_are_summed_up(path: Path) -> None:
    path.write_bytes(b"junk\n" * 500)
    errors = CLAUDE.read(path, Mark()).errors
    assert len(errors) == 21
    assert errors[-1].endswith("480 more lines could not be read")


def test_an_empty_file_has_nothing(path: Path) -> None:
    path.touch()
    reading = CLAUDE.read(path, Mark())
    assert (reading.turns, reading.end, reading.window, reading.errors) == ((), Mark(), Mark(), ())


def test_a_mark_behind_the_end_says_so(path: Path) -> None:
    path.write_bytes(lines(user("one")))
    reading = CLAUDE.read(path, Mark(10_000, 9))
    assert not reading.turns
    assert "read it from the start" in reading.errors[0]


def test_the_window_is_some_turns_before_the_end(path: Path) -> None:
    path.write_bytes(lines(*(user(f"turn {number}") for number in range(200))))
    reading = CLAUDE.read(path, Mark())
    assert jsonl.WINDOW_TURNS <= reading.behind < jsonl.WINDOW_TURNS + 8
    assert CLAUDE.read(path, reading.window).turns == reading.turns[-reading.behind :]


def test_the_window_is_never_far_before_the_end(path: Path) -> None:
    path.write_bytes(lines(*(user(f"turn {number}" + " x" * 40_000) for number in range(20))))
    reading = CLAUDE.read(path, Mark())
    assert 0 < reading.end.offset - reading.window.offset <= jsonl.WINDOW_BYTES


# --- any history of appending gives the same turns --------------------------------------------------------------------

WORDS = st.sampled_from(
    ["go", "wait — 待", "no \U0001f600", "<system-reminder>x</system-reminder>", "<bash-input>ls</bash-input>"]
)
CALLS = st.sampled_from(["t1", "t2", "t3"])
UUIDS = st.sampled_from([{}, *({"uuid": f"{n}2345678-0000-0000-0000-000000000000"} for n in range(6))])

CLAUDE_RECORDS = st.one_of(
    st.builds(lambda words, more: user(words, **more), WORDS, UUIDS),
    st.builds(lambda words, more: assistant(text(words), **more), WORDS, UUIDS),
    st.builds(lambda call: assistant(use(call, "Bash", command=f"make {call}")), CALLS),
    st.builds(lambda call, failed: user([result(call, "out", failed=failed)]), CALLS, st.booleans()),
    st.builds(queue, st.sampled_from(["enqueue"]), WORDS),
    st.builds(queue, st.sampled_from(["dequeue", "remove", "popAll"])),
    st.builds(lambda words: attachment(type="queued_command", prompt=words), WORDS),
    st.builds(lambda cwd: user("here", cwd=cwd, sessionId=cwd), st.sampled_from(["/a", "/b"])),
    st.just({"type": "progress", "data": {}}),
    st.just({"type": "system", "subtype": "compact_boundary"}),
)
CODEX_RECORDS = st.one_of(
    st.builds(lambda words: event("user_message", message=words), WORDS),
    st.builds(message, st.sampled_from(["user", "assistant"]), WORDS),
    st.builds(lambda call: item("function_call", name="exec_command", arguments='{"cmd":"make"}', call_id=call), CALLS),
    st.builds(lambda call: item("function_call_output", call_id=call, output="session ID 5\nOutput:"), CALLS),
    st.builds(lambda call: item("function_call", name="write_stdin", arguments='{"session_id":5}', call_id=call), CALLS),
    st.sampled_from([META, event("turn_aborted"), event("context_compacted"), payload("compacted"), event("token_count")]),
    st.builds(lambda cwd: payload("turn_context", cwd=cwd), st.sampled_from(["/a", "/b"])),
)
ENDS = st.sampled_from(
    [b"\n", b"\n", b"\n", b"\n", b"", b"\r\n", b"\n\n", b"\njunk\n", b"\n\xff\x00{\n", b"\n1e5", b' {"torn":\n']
)


def histories(records: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[bytes, list[int]]]:
    """A file's bytes and where it was cut each time that somebody looked."""
    piece = st.builds(lambda record, end: lines(record).rstrip() + end, records, ENDS)
    whole = st.lists(piece, max_size=30).map(b"".join)
    return whole.flatmap(lambda data: st.tuples(st.just(data), st.lists(st.integers(0, len(data)), max_size=12).map(sorted)))


@pytest.mark.parametrize(("format_", "records"), [(CLAUDE, CLAUDE_RECORDS), (CODEX, CODEX_RECORDS)], ids=["claude", "codex"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_cuts_give_the_same_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format_: Format, records: Any, data: st.DataObject
) -> None:
    monkeypatch.setattr(jsonl, "WINDOW_TURNS", 6)
    whole, cuts = data.draw(histories(records))
    path = tmp_path / "rollout-s.jsonl"
    path.write_bytes(whole)
    expected = format_.read(path, Mark())
    assert list(expected.turns[len(expected.turns) - expected.behind :]) == list(format_.read(path, expected.window).turns)

    path.write_bytes(b"")
    straight: list[Turn] = []
    end = Mark()
    followed = None
    through_windows: list[Turn] = []
    for cut in [*cuts, len(whole)]:
        with path.open("r+b") as file:
            file.seek(0, 2)
            file.write(whole[file.tell() : cut])
        reading = format_.read(path, end)
        straight += reading.turns
        end = Mark(
            **json.loads(json.dumps({"offset": reading.end.offset, "line": reading.end.line, "memory": reading.end.memory}))
        )
        progress = follow(format_, path, followed)
        through_windows += progress.turns[progress.old_turns :]
        assert progress.bookmark is not None
        followed = from_json(to_json(progress.bookmark))
    assert straight == list(expected.turns)
    assert through_windows == list(expected.turns)
    assert (end.offset, end.line) == (expected.end.offset, expected.end.line)


def test_thousands_of_records_on_a_line_take_no_longer_each(path: Path) -> None:
    path.write_bytes(lines(user("\\ud")).rstrip() * 20_000)
    reading = CLAUDE.read(path, Mark())
    assert len(reading.turns) == 20_000
