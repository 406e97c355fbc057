from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.hookspecs import Mark
from curator.model import JSON, Locator, Role, Turn
from curator.transcripts.base import document


def turn(text: str, number: int = 1) -> Turn:
    return Turn(agent="a", session="s", role=Role.HUMAN, text=text, locator=Locator("f", number, number))


def unfold(whole: Any, memory: JSON) -> list[Any]:
    return list(whole)


def turns_from_record(record: JSON, source: Any, memory: JSON, unknown: Counter[str]) -> list[Turn]:
    return [turn(record["text"], source.line)]


@given(st.lists(st.text(max_size=3), max_size=130), st.lists(st.text(max_size=3), max_size=130), st.integers(0, 130))
def test_what_is_told_again_was_known(before: list[str], after: list[str], kept: int) -> None:
    """Whatever becomes of a document: the turns said to be known were, in these places, and all others are told."""
    old, new = [turn(text) for text in before], [turn(text) for text in before[:kept] + after]
    mark = document.new_reading(Mark(), old, Counter()).window
    reading = document.new_reading(Mark(memory=json.loads(json.dumps(mark.memory))), new, Counter())
    assert reading.old_turns is not None
    left_out = len(new) - len(reading.turns)
    assert list(reading.turns) == new[left_out:]
    assert new[: left_out + reading.old_turns] == old[: left_out + reading.old_turns]
    assert reading.old_turns <= document.CONTEXT_TURNS


@given(st.lists(st.text(max_size=3), max_size=130), st.text(min_size=1, max_size=3))
def test_what_was_appended_is_new_and_nothing_else(before: list[str], word: str) -> None:
    mark = document.new_reading(Mark(), [turn(text) for text in before], Counter()).window
    reading = document.new_reading(mark, [turn(text) for text in (*before, word)], Counter())
    assert [item.text for item in reading.turns[reading.old_turns :]] == [word]
    again = document.new_reading(reading.window, [turn(text) for text in (*before, word)], Counter())
    assert len(again.turns) == again.old_turns


def test_the_last_turn_that_grew_is_new(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    path.write_text(json.dumps([{"text": "a"}, {"text": "b"}]))
    first = document.read(path, Mark(), unfold, turns_from_record)
    path.write_text(json.dumps([{"text": "a"}, {"text": "b and more"}, {"text": "c"}]))
    again = document.read(path, first.window, unfold, turns_from_record)
    assert ([item.text for item in again.turns], again.old_turns) == (["a", "b and more", "c"], 1)


@pytest.mark.parametrize("raw", [b"", b"[{", b'{"a": ', b"[" * 100_000])
def test_half_a_document_leaves_the_mark(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "d.json"
    path.write_bytes(raw)
    mark = Mark(memory={"known": [[1, "x"]]})
    reading = document.read(path, mark, unfold, turns_from_record)
    assert (reading.turns, reading.window, reading.end, reading.old_turns) == ((), mark, mark, 0)
    assert str(path) in reading.errors[0]


def test_messages_of_another_shape_are_named_and_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    path.write_bytes(b'\xef\xbb\xbf[{"text": "lone \\ud83d"}, 7, {"other": 1}, {"text": "b"}]')
    reading = document.read(path, Mark(), unfold, turns_from_record)
    assert [(item.text, item.locator.line) for item in reading.turns] == [("lone \ufffd", 1), ("b", 4)]
    assert "message 3" in reading.errors[0]


def test_a_mark_of_another_making_is_nothing_known() -> None:
    for memory in ({}, {"known": 7}, {"known": [7, ["x", "y"], [1], [1, 2]]}, {"known": [[-1, "x"]]}):
        assert document.new_reading(Mark(memory=memory), [turn("a")], Counter()).old_turns == 0
