"""JSON that a person may look at in a terminal."""

from __future__ import annotations

import re

_DRIVING = re.compile(
    "[\x7f-\x9f"  # DEL, C1
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"  # bidi, separators, what is not seen
)


def escaped(text: str) -> str:
    """A JSON text that means the same, in which what drives a terminal or is not seen stands as an escape.

    >>> escaped('{"a": "x\\u202ey\\u009b"}')
    '{"a": "x\\\\u202ey\\\\u009b"}'
    """
    return text if text.isprintable() and text.isascii() else _DRIVING.sub(_units, text)


def _units(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
