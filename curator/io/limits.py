"""The limits of size for input, so that none takes more than about 300 MB of memory.

A text takes up to four bytes a character in memory, where it holds one sign beyond U+FFFF, and is there twice while it is
parsed. A JSON value of few letters takes some hundred bytes.
"""

from __future__ import annotations

import re

MAX_RECORD_BYTES = 32 << 20
"""Bytes of one record, or of a document that is written whole. An image in a message has some MB."""
MAX_JSON_VALUES = 1_000_000
"""JSON values in it."""
MAX_PARSING_BYTES = 250 << 20
"""The bytes that a JSON text may take while it is parsed, about, without curator's own."""
BYTES_PER_VALUE = 150
"""Bytes of a JSON value, about: a comma, a brace or a bracket stands for one, also in a text."""
MAX_PORTION_CHARACTERS = 16 << 20
"""Characters of turns that are taken in at once; what comes behind is the next portion."""
MAX_PATH_CHARACTERS = 4_096
"""Characters of a path; longer ones open nowhere."""
MAX_NAME_CHARACTERS = 1_000
"""Characters of a branch or a tool."""


def too_large_reason(raw: bytes | str) -> str:
    """Why a JSON text is not parsed; empty for nearly all.

    >>> too_large_reason(b"[1, 2]"), too_large_reason(b"[" + b"{}," * 2_000_000)
    ('', 'it holds more than 1000000 values')
    """
    if len(raw) > MAX_RECORD_BYTES:
        return f"it is larger than {MAX_RECORD_BYTES >> 20} MB"
    if len(raw) < MAX_JSON_VALUES:
        return ""
    commas, brackets, braces = (raw.count(sign) for sign in ((b",", b"[", b"{") if isinstance(raw, bytes) else (",", "[", "{")))  # type: ignore[arg-type]
    if commas + brackets > MAX_JSON_VALUES:
        return f"it holds more than {MAX_JSON_VALUES} values"
    takes = len(raw) * (1 + 2 * _width(raw)) + BYTES_PER_VALUE * (commas + brackets + braces)
    return f"it would take more than {MAX_PARSING_BYTES >> 20} MB of memory" if takes > MAX_PARSING_BYTES else ""


_WIDE = re.compile(rb"[\xf0-\xf4]|\\u[dD][89abAB]")
_BROAD = re.compile(rb"[\xc4-\xef]|\\u[0-9a-fA-F]")


def _width(raw: bytes | str) -> int:
    """Bytes of a character of the text in memory, at most."""
    if isinstance(raw, str):
        return 1 if raw.isascii() else 4
    return 4 if _WIDE.search(raw) else 2 if _BROAD.search(raw) else 1
