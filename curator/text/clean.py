"""Remove what could drive a terminal or hide from a reader."""

from __future__ import annotations

import re

_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]?"  # CSI: colours, cursor, clear screen
    # OSC, DCS, SOS, PM, APC with their end
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x90\x98\x9c-\x9f\n]*+(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*+[0-~]?"  # any other escape
)
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 without tab and newline, DEL, C1
    "\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # soft hyphen, zero width, bidi, annotation
    "\ud800-\udfff"  # lone surrogates: SQLite and UTF-8 refuse them
    "\U000e0000-\U000e0fff]"  # tags and variation selectors that smuggle text
)
_SELECTOR = "\U000e0100".encode()[:2]
"""How UTF-8 lets variation selectors begin, the one thing unseen that counts as printable."""


def strip(text: str) -> str:
    """The text without escape sequences, control, bidi, zero-width and tag characters and lone surrogates; newline and tab
    stay.

    >>> strip("a\\x1b[31mred\\x1b[0m\\u202eb")
    'aredb'
    """
    flat = text.replace("\n", " ").replace("\t", " ")
    if flat.isprintable() and (flat.isascii() or _SELECTOR not in flat.encode()):  # many times as quick
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _UNSEEN.sub("", _ESCAPES.sub("", text))
