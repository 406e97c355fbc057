from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.hookspecs import Mark, Reading
from curator.model import JSON, Locator, Role, Turn
from curator.transcripts.base import document
from curator.transcripts.base.jsonl import Writer


def turn(text: str, number: int = 1) -> Turn:
    return Turn(agent="a", session="s", role=Role.HUMAN, text=text, locator=Locator("f", number, number))


def unfold(whole: Any, memory: JSON) -> list[Any]:
    return list(whole)


def write_turns(record: JSON, writer: Writer) -> None:
    writer.human(record["text"])


def read(path: Path, start: Mark) -> Reading:
    return document.read("a", path, start, unfold, write_turns)


def new_reading(start: Mark, turns: list[Turn]) -> Reading:
    return document.new_reading(start, Reading(turns, start, start))


@given(st.lists(st.text(max_size=3), max_size=130), st.lists(st.text(max_size=3), max_size=130), st.integers(0, 130))
def test_what_is_told_again_was_known(before: list[str], after: list[str], kept: int) -> None:
    """Whatever becomes of a document: the turns said to be known were, in these places, and all others are told."""
    old, new = [turn(text) for text in before], [turn(text) for text in before[:kept] + after]
    mark = new_reading(Mark(), old).window
    reading = new_reading(Mark(memory=json.loads(json.dumps(mark.memory))), new)
    assert reading.old_turns is not None
    left_out = len(new) - len(reading.turns)
    assert list(reading.turns) == new[left_out:]
    assert new[: left_out + reading.old_turns] == old[: left_out + reading.old_turns]
    assert reading.old_turns <= document.CONTEXT_TURNS


@given(st.lists(st.text(max_size=3), max_size=130), st.text(min_size=1, max_size=3))
def test_what_was_appended_is_new_and_nothing_else(before: list[str], word: str) -> None:
    mark = new_reading(Mark(), [turn(text) for text in before]).window
    reading = new_reading(mark, [turn(text) for text in (*before, word)])
    assert [item.text for item in reading.turns[reading.old_turns :]] == [word]
    again = new_reading(reading.window, [turn(text) for text in (*before, word)])
    assert len(again.turns) == again.old_turns


def test_the_last_turn_that_grew_is_new(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    path.write_text(json.dumps([{"text": "a"}, {"text": "b"}]))
    first = read(path, Mark())
    path.write_text(json.dumps([{"text": "a"}, {"text": "b and more"}, {"text": "c"}]))
    again = read(path, first.window)
    assert ([item.text for item in again.turns], again.old_turns) == (["a", "b and more", "c"], 1)


@pytest.mark.parametrize("raw", [b"", b"[{", b'{"a": ', b"[" * 100_000])
def test_half_a_document_leaves_the_mark(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "d.json"
    path.write_bytes(raw)
    mark = Mark(memory={"known": [[1, "x"]]})
    reading = read(path, mark)
    assert (reading.turns, reading.window, reading.end, reading.old_turns) == ((), mark, mark, 0)
    assert str(path) in reading.errors[0]


def test_messages_of_another_shape_are_named_and_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    path.write_bytes(b'\xef\xbb\xbf[{"text": "lone \\ud83d"}, 7, {"other": 1}, {"text": "b"}]')
    reading = read(path, Mark())
    assert [(item.text, item.locator.line) for item in reading.turns] == [("lone \ufffd", 1), ("b", 4)]
    assert "message 3" in reading.errors[0]


def test_a_mark_of_another_making_is_nothing_known() -> None:
    for memory in ({}, {"known": 7}, {"known": [7, ["x", "y"], [1], [1, 2]]}, {"known": [[-1, "x"]]}):
        assert new_reading(Mark(memory=memory), [turn("a")]).old_turns == 0
