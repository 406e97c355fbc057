"""Time and chance: the only place that has either, so that tests can stop both."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no I, L, O, U, so that an id can be read aloud and typed back."""
_LATEST = 1 << 35
"""A time in the year 3058."""


def now() -> float:
    """Return the seconds since the epoch."""
    return time.time()


def new_id() -> str:
    """Return a new entry id such as ``7K3F-Q2MD``: 40 random bits, easy to type, in one case."""
    letters = "".join(ALPHABET[byte % 32] for byte in os.urandom(8))
    return f"{letters[:4]}-{letters[4:]}"


def new_batch() -> str:
    """Return a new batch id: sorts by time, so that the log's order survives a merge of databases."""
    return f"{time.time_ns() // 1_000_000:011x}{os.urandom(3).hex()}"


def iso(at: float) -> str:
    """Return a time as ISO 8601 in UTC, to the second.

    >>> iso(0)
    '1970-01-01T00:00:00Z'
    """
    return datetime.fromtimestamp(at, UTC).replace(tzinfo=None, microsecond=0).isoformat() + "Z"  # strftime writes year 999 so


def parse_iso(text: str) -> float:
    """Return the seconds of a time that ``iso`` wrote. It may also have fractions and offsets. Raises ``ValueError``.

    >>> parse_iso("1970-01-01T00:01:00Z")
    60.0
    """
    at = datetime.fromisoformat(text)
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()


def to_second(at: float) -> float:
    """Return a time as ``iso`` keeps it. A time without a fraction stays unchanged. Raises ``ValueError`` unless it
    ``is_plausible``.

    >>> to_second(1.9)
    1.0
    """
    if not is_plausible(at):
        raise ValueError(f"{at} is no time from 1970 on")
    return at if at == at // 1 else parse_iso(iso(at))


def is_plausible(at: float) -> bool:
    """Return whether something can have happened then: since 1970, and before the year 3058.

    >>> is_plausible(0.0), is_plausible(-1.0), is_plausible(float("nan"))
    (True, False, False)
    """
    return 0 <= at < _LATEST
