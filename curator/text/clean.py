"""Clean text: remove characters that could drive a terminal, hide from a reader or break a parser.

``escape`` makes JSON safe for a person who reads it in a terminal.

``unreadable`` limits how deep a YAML text nests, because deep nesting can end a recursive parser's process.
"""

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
    # Signs that a renderer may leave out by Unicode: soft hyphen, joiners, fillers, zero width, bidi, variation selectors, tags
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\u2028\u2029\ufff9-\ufffb\U00013430-\U0001345f"  # line separators, annotation, formatting of hieroglyphs
    "\u2800\U0001d159"  # letters that are drawn as nothing
    "\ud800-\udfff"  # lone surrogates: SQLite and UTF-8 refuse them
    "\ue000-\uf8ff\U000f0000-\U0010ffff\ufdd0-\ufdef\ufffe\uffff]"  # signs without a meaning that two sides share
)

_JOINER = re.compile("(?<=[\u0600-\u08ff\u0900-\u0dff])[\u200c\u200d](?=[\u0600-\u08ff\u0900-\u0dff])")

_EMOJI = re.compile(
    r"(?<=[\u2190-\u2bff\u3030\u303d\U0001f000-\U0001faff])[\ufe0f\u200d](?![\ufe00-\ufe0f\u200d]{2})|(?<=\ufe0f)\u200d"
    "|(?<=\U0001f3f4)[\U000e0061-\U000e007a]{4,6}\U000e007f"
)
"""Characters that choose the picture of a sign, or join several. A reader sees their effect, though not a sign of their own."""

_PILE = re.compile(r"[^\w\s\x00-\u02ff\u2000-\u20cf\u2100-\u2cee\u2e00-\u3029]{5,}+")
"""A run of characters that may pile up marks. It has no letters; some signs are excluded too."""

_ASCII = bytes(range(128))

MARKS = 4
"""Maximum number of marks on one letter. No script needs more, and more marks hide the letter or the lines around it."""


def strip(text: str) -> str:
    """Return the text without escape sequences, unseen characters, lone surrogates, and marks after the fourth on one letter.
    Unseen characters are control, bidi, zero-width and others. Newlines and tabs stay.

    >>> strip("a\\x1b[31mred\\x1b[0m\\u202eb")
    'aredb'
    """
    if text.replace("\n", " ").replace("\t", " ").isprintable():  # many times as quick as to search
        rest = non_ascii_characters(text)
        if not (rest and (_UNSEEN.search(rest) or _PILE.search(rest))):
            return text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _PILE.sub(_few, _UNSEEN.sub("", _ESCAPES.sub("", text)))


def non_ascii_characters(text: str) -> str:
    """Return the text's non-ASCII characters in order. There are usually few, so searching them is fast.

    >>> non_ascii_characters("a → b, naïve")
    '→ï'
    """
    return (
        "" if text.isascii() else text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass")
    )


def hidden(text: str) -> bool:
    """Return whether a text has invisible characters, except those that join or part letters in a script such as Persian."""
    return strip(text) != _JOINER.sub("", _EMOJI.sub("", text))


def _few(pile: re.Match[str]) -> str:
    """Return a pile with at most ``MARKS`` marks in a row."""
    from unicodedata import category  # most texts need it not

    rows, row = [], 0
    for sign in pile[0]:
        row = row + 1 if category(sign).startswith("M") else 0
        if row <= MARKS:
            rows.append(sign)
    return "".join(rows)


_DRIVING = re.compile(
    "[\x7f-\x9f"  # DEL, C1
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"  # bidi characters, separators, invisible ones
)


def escape(text: str) -> str:
    """Return a JSON text with the same meaning that drives no terminal and hides nothing. Escapes replace such characters.

    >>> escape('{"a": "x\\u202ey\\u009b"}')
    '{"a": "x\\\\u202ey\\\\u009b"}'
    """
    return text if text.isprintable() and text.isascii() else _DRIVING.sub(_units, text)


def _units(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


MAX_YAML_DEPTH = 40
"""Maximum levels of YAML. Settings and front matter that people write have five."""

MAX_YAML_CHARACTERS = 256 * 1024
"""Maximum characters of YAML. Front matter that people write has some hundred."""

_OPENING = re.compile(r"^[ \t?:-]*", re.MULTILINE)


def unreadable(text: str) -> str:
    """Return the reason not to parse a YAML text: it is too long or nests too deep. Return an empty text if it may be parsed.

    >>> unreadable("a: [1, {b: 2}]"), unreadable("a: " + "[" * 50_000)
    ('', 'it nests deeper than 40 levels')
    """
    if len(text) > MAX_YAML_CHARACTERS:
        return f"it is longer than {MAX_YAML_CHARACTERS} characters"
    brackets = text.count("[") + text.count("{")
    if brackets + max(len(found[0]) for found in _OPENING.finditer(text)) <= MAX_YAML_DEPTH:  # each level takes one of these
        return ""
    import yaml  # takes 15 ms, and most commands read no YAML

    depth = 0
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > MAX_YAML_DEPTH:
                return f"it nests deeper than {MAX_YAML_DEPTH} levels"
    except yaml.YAMLError as error:  # the fast parser looks ahead, and has a limit of its own
        too_deep = "nesting" in (getattr(error, "problem", None) or "")
        return f"it nests deeper than {MAX_YAML_DEPTH} levels" if too_deep else ""  # the reader says where
    return ""


class UnreadableYaml(ValueError):
    """The reason why curator does not read a YAML text, and its line number, counted from 1."""

    def __init__(self, why: str, line: int = 1) -> None:
        super().__init__(why)
        self.line = line


def load_yaml(text: str) -> object:
    """Return the content of a YAML text. Raises ``UnreadableYaml`` for every kind of error.

    >>> load_yaml("a: [1, b]")
    {'a': [1, 'b']}
    >>> load_yaml(r'a: "\\UFFFFFFFF"')
    Traceback (most recent call last):
    curator.text.clean.UnreadableYaml: found invalid Unicode character escape code
    """
    if why := unreadable(text):
        raise UnreadableYaml(why)
    import yaml  # takes 15 ms, and most commands read no YAML

    try:
        return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, ValueError, ArithmeticError) as error:  # a date or a number may be none, or beyond all bounds
        mark = getattr(error, "problem_mark", None)
        raise UnreadableYaml(getattr(error, "problem", None) or str(error), mark.line + 1 if mark else 1) from error
