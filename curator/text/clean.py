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
    # What Unicode lets a renderer leave out: soft hyphen, joiners, fillers, zero width, bidi, variation selectors, tags
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\u2028\u2029\ufff9-\ufffb\U00013430-\U0001345f"  # line separators, annotation, formatting of hieroglyphs
    "\u2800\U0001d159"  # letters that are drawn as nothing
    "\ud800-\udfff"  # lone surrogates: SQLite and UTF-8 refuse them
    "\ue000-\uf8ff\U000f0000-\U0010ffff\ufdd0-\ufdef\ufffe\uffff]"  # what has no meaning that two sides share
)
_JOINER = re.compile("(?<=[\u0600-\u08ff\u0900-\u0dff])[\u200c\u200d](?=[\u0600-\u08ff\u0900-\u0dff])")
_EMOJI = re.compile(
    r"(?<=[\u2190-\u2bff\u3030\u303d\U0001f000-\U0001faff])[\ufe0f\u200d](?![\ufe00-\ufe0f\u200d]{2})|(?<=\ufe0f)\u200d"
    "|(?<=\U0001f3f4)[\U000e0061-\U000e007a]{4,6}\U000e007f"
)
"""What chooses the picture of a sign, or joins such: seen, though no sign of its own."""
_PILE = re.compile(r"[^\w\s\x00-\u02ff\u2000-\u20cf\u2100-\u2cee\u2e00-\u3029]{5,}+")
"""Where marks may be piled up: they are no letters, nor are some signs."""
_ASCII = bytes(range(128))
MARKS = 4
"""So many marks on one letter are some script's; more hide the letter, or the lines around it."""


def strip(text: str) -> str:
    """The text without escape sequences, control, bidi, zero-width and other unseen characters, lone surrogates, and marks
    beyond the fourth on one letter; newline and tab stay.

    >>> strip("a\\x1b[31mred\\x1b[0m\\u202eb")
    'aredb'
    """
    if text.replace("\n", " ").replace("\t", " ").isprintable():  # many times as quick as to search
        rest = abroad(text)
        if not (rest and (_UNSEEN.search(rest) or _PILE.search(rest))):
            return text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _PILE.sub(_few, _UNSEEN.sub("", _ESCAPES.sub("", text)))


def abroad(text: str) -> str:
    """Its characters beyond ASCII, one behind the other: few, as a rule, and so quick to search.

    >>> abroad("a → b, naïve")
    '→ï'
    """
    return (
        "" if text.isascii() else text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass")
    )


def hidden(text: str) -> bool:
    """Whether a text has characters that its reader would not see, but for those that join or part letters where a script
    needs it, as Persian does."""
    return strip(text) != _JOINER.sub("", _EMOJI.sub("", text))


def _few(pile: re.Match[str]) -> str:
    """No more marks in a row than a letter can bear."""
    from unicodedata import category  # most texts need it not

    kept, row = [], 0
    for sign in pile[0]:
        row = row + 1 if category(sign).startswith("M") else 0
        if row <= MARKS:
            kept.append(sign)
    return "".join(kept)
