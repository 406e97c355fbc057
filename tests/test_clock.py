from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from curator import clock


@given(st.one_of(st.integers(0, (1 << 35) - 1).map(float), st.floats(0, (1 << 35) - 1)))
@example(0.0)
@example(1_795_354_065.9999999)
def test_a_time_to_the_second_is_what_its_text_says(at: float) -> None:
    assert clock.to_second(at) == clock.parse_iso(clock.iso(at))


@pytest.mark.parametrize("at", [1e12, float("nan"), float("inf"), -1e12, -1.0, -3.0641e10])
def test_a_time_beyond_all_years_is_refused_with_or_without_a_fraction(at: float) -> None:
    with pytest.raises((ValueError, OverflowError, OSError)):
        clock.to_second(at)


@pytest.mark.parametrize("at", [-62_135_596_800.0, -30_641_760_000.0, 0.0, 253_402_300_799.0])
def test_a_year_has_four_digits(at: float) -> None:
    assert clock.parse_iso(clock.iso(at)) == at
