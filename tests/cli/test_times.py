"""Dates and spans as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator import clock
from curator.cli.context import moment, span
from curator.errors import UsageError

NOW = 1_790_000_000.0


@pytest.fixture(autouse=True)
def stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOW)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("90m", NOW - 5_400),
        ("12h", NOW - 43_200),
        ("30d", NOW - 30 * 86_400),
        (" 2W ", NOW - 14 * 86_400),
        ("all", 0.0),
        ("99999w", 0.0),
        ("2026-01-31", 1_769_817_600.0),
        ("2026-01-31T12:00:00+02:00", 1_769_853_600.0),
        ("2026-01-31T10:00:00Z", 1_769_853_600.0),
    ],
)
def test_points_in_the_past(text: str, at: float) -> None:
    assert moment(text) == at


def test_points_to_come() -> None:
    assert moment("7d", ahead=True) == NOW + 7 * 86_400
    assert moment("2999-01-01", ahead=True) > NOW
    for text in ("2026-01-31", "0d", "99999999w", "all", "9999-12-31"):
        with pytest.raises(UsageError):
            moment(text, ahead=True)


@given(st.text(max_size=20) | st.from_regex(r"\d{1,12}[mhdwy]?", fullmatch=True) | st.datetimes().map(str))
def test_anything_is_a_time_or_a_sentence(text: str) -> None:
    for ahead in (False, True):
        try:
            at = moment(text, ahead=ahead)
        except UsageError:
            continue
        assert at >= 0
        assert clock.parse_iso(clock.iso(at)) <= at


@pytest.mark.parametrize("text", ["", "d", "-3d", "3", "3 days", "3y", "٣d", "1e3d"])
def test_what_is_no_span(text: str) -> None:
    with pytest.raises(UsageError):
        span(text)
