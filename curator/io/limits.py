"""How large what is read may be, so that no input that people have takes more than about 300 MB of memory.

A text takes up to four bytes a character in memory, where it holds one sign beyond U+FFFF, and is there twice while it is
parsed. A JSON value of few letters takes some hundred bytes. What is made to be at all limits at once took 500 MB.
"""

from __future__ import annotations

RECORD = 32 << 20
"""Bytes of one record, or of a document that is written whole. An image in a message has some MB."""
VALUES = 1_000_000
"""JSON values in it."""
PORTION = 16 << 20
"""Characters of turns that are taken in at once; what comes behind is the next portion."""
PLACE = 4_096
"""Characters of a path; longer ones open nowhere."""
NAME = 1_000
"""Characters of a branch or a tool."""


def excess(raw: bytes | str) -> str:
    """Why a JSON text is not parsed; empty for nearly all.

    >>> excess(b"[1, 2]"), excess(b"[" + b"{}," * 2_000_000)
    ('', 'it holds more than 1000000 values')
    """
    if len(raw) > RECORD:
        return f"it is larger than {RECORD >> 20} MB"
    if len(raw) < VALUES:
        return ""
    values = raw.count(b",") + raw.count(b"[") if isinstance(raw, bytes) else raw.count(",") + raw.count("[")
    return f"it holds more than {VALUES} values" if values > VALUES else ""
