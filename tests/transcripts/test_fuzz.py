"""Whatever a file holds: reading it raises ``OSError`` or nothing, and what comes out is sound and small."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from curator.hookspecs import Format, Mark, Reading
from curator.plugins import formats
from curator.transcripts.base import discover, messages
from tests.transcripts.samples import Sample, on_disk, samples

AGENTS = {format_.agent: format_ for format_ in formats()}
CASES = [(agent, at) for agent, several in samples().items() for at in range(len(several))]
SAMPLES = samples()

LARGE = messages.MAX_WORDS + 200
FEW = settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["", "user", "assistant", "text", "tool", "\ud83d", "/", "C:\\x", "2026-01-01T00:00:00Z", "x" * 70_000])
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
)


def survives(format_: Format, sample: Sample, start: Mark) -> Reading | None:
    """Read a sample and check what came out; ``None`` when it said that it can't be read."""
    with tempfile.TemporaryDirectory() as folder:
        path = on_disk(Path(folder), sample)
        format_.claims(path, path.read_bytes()[:1000])
        try:
            reading = format_.read(path, start)
        except OSError:
            return None
        again = format_.read(path, json_of(reading.window))
    for turn in (*reading.turns, *again.turns):
        assert len(turn.text) <= LARGE
        assert turn.locator.line >= 1
        for said in (turn.text, turn.session, turn.cwd, turn.branch, turn.tool, turn.call, turn.command, *turn.paths):
            said.encode()
        assert turn.at is None or turn.at == turn.at
        assert isinstance(turn.ok, bool | None)
    assert (reading.old_turns or 0) <= len(reading.turns)
    assert reading.behind <= len(reading.turns)
    assert all(len(error) < 1_000 for error in reading.errors)
    return reading


def json_of(mark: Mark) -> Mark:
    """The mark as it comes back from where it is stored."""
    text = json.dumps(mark.memory)
    assert len(text) < 1_000_000
    return Mark(mark.offset, mark.line, json.loads(text))


@pytest.mark.parametrize(("agent", "at"), CASES)
def test_the_samples_say_something(agent: str, at: int) -> None:
    reading = survives(AGENTS[agent], SAMPLES[agent][at], Mark())
    assert reading is not None
    assert reading.turns
    assert not reading.errors
    assert not reading.unknown


@pytest.mark.parametrize(("agent", "at"), CASES)
def test_each_sample_is_found_as_its_own_agents(tmp_path: Path, agent: str, at: int) -> None:
    path = on_disk(tmp_path, SAMPLES[agent][at])
    whose = discover.format_of(path, formats())
    assert whose is not None
    assert whose.agent == agent
    for root in (tmp_path, path):
        found = discover.find(formats(), [root], tmp_path, {})
        assert [(item.format.agent, item.path) for item in found.transcripts] == [(agent, path)]


@pytest.mark.parametrize(("agent", "at"), CASES)
@FEW
@given(data=st.data())
def test_damaged_bytes_are_survived(agent: str, at: int, data: st.DataObject) -> None:
    sample = list(SAMPLES[agent][at])
    which = data.draw(st.integers(0, len(sample) - 1))
    name, raw = sample[which]
    sample[which] = (name, data.draw(damaged(raw)))
    survives(AGENTS[agent], sample, Mark())


@st.composite
def damaged(draw: st.DrawFn, raw: bytes) -> bytes:
    """Bytes that are cut, flipped, repeated, or whose lines change places."""
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["cut", "flip", "repeat", "swap", "end"]))
        one, other = sorted(draw(st.tuples(st.integers(0, len(raw)), st.integers(0, len(raw)))))
        if kind == "cut":
            raw = raw[:one] + raw[other:]
        elif kind == "flip":
            raw = raw[:one] + draw(st.binary(min_size=1, max_size=3)) + raw[one + 1 :]
        elif kind == "repeat":
            raw = raw[:other] + raw[one:other] + raw[other:]
        elif kind == "end":
            raw = raw[:one]
        else:
            rows = raw.split(b"\n")
            first, second = draw(st.integers(0, len(rows) - 1)), draw(st.integers(0, len(rows) - 1))
            rows[first], rows[second] = rows[second], rows[first]
            raw = b"\n".join(rows)
    return raw


JSON_CASES = [(agent, at) for agent, at in CASES if SAMPLES[agent][at][0][0].endswith((".json", ".jsonl"))]
REMADE = frozenset(("cline", "continue", "cursor", "gemini", "goose", "opencode", "vscode-copilot"))
"""Formats that judge themselves whether a mark is one of theirs; the others are handed only such as hold."""


@pytest.mark.parametrize(("agent", "at"), JSON_CASES)
@FEW
@given(data=st.data())
def test_values_of_another_shape_are_survived(agent: str, at: int, data: st.DataObject) -> None:
    sample = list(SAMPLES[agent][at])
    which = data.draw(st.integers(0, len(sample) - 1))
    name, raw = sample[which]
    if not name.endswith((".json", ".jsonl")):
        return
    rows = raw.splitlines() if name.endswith(".jsonl") else [raw]
    for _ in range(data.draw(st.integers(1, 3))):
        row = data.draw(st.integers(0, len(rows) - 1))
        rows[row] = json.dumps(data.draw(misshapen(json.loads(rows[row])))).encode()
    sample[which] = (name, b"\n".join(rows) + b"\n")
    survives(AGENTS[agent], sample, Mark())


@st.composite
def misshapen(draw: st.DrawFn, value: Any) -> Any:
    """A JSON value in which something somewhere is something else."""
    if isinstance(value, dict) and value and draw(st.integers(0, 9)):
        key = draw(st.sampled_from(sorted(value)))
        return {**value, key: draw(misshapen(value[key]))}
    if isinstance(value, list) and value and draw(st.integers(0, 9)):
        at = draw(st.integers(0, len(value) - 1))
        return [*value[:at], draw(misshapen(value[at])), *value[at + 1 :]]
    return draw(values)


@pytest.mark.parametrize(("agent", "at"), [case for case in CASES if case[0] in REMADE])
@FEW
@given(data=st.data())
def test_marks_of_another_making_are_survived(agent: str, at: int, data: st.DataObject) -> None:
    """What is remembered may be another version's, or of a file that stood here before."""
    reading = survives(AGENTS[agent], SAMPLES[agent][at], Mark())
    assert reading is not None
    mark = reading.window
    memory = json.loads(json.dumps(data.draw(misshapen(mark.memory))))
    offset = data.draw(st.integers(0, 2_000))
    survives(AGENTS[agent], SAMPLES[agent][at], Mark(offset, mark.line, memory if isinstance(memory, dict) else {}))
