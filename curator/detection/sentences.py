"""Cut a turn into sentences that keep their place, without code, tables, quotations and logs. Cut a sentence into tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

MAX_SENTENCE_CHARACTERS = 600
"""Sentences beyond this many characters are no sentences."""

PASTED_SPEECH_CHARACTERS = 1_200
"""Longer human messages are mostly pasted: then only their first and last paragraphs are taken for the person's own words."""

MAX_TYPED_CHARACTERS = 200
"""Maximum characters of a person's sentence in a message that is mostly not typed."""

MATERIAL = 100
"""Number of characters after the name of a source that count as the source's words."""


class Sentence(NamedTuple):
    """A part of a turn's text: ``text`` is exactly ``turn.text[start:end]``.

    It is a tuple, because a session has thousands, and a frozen dataclass takes three times as long.
    """

    text: str
    start: int
    end: int
    item: bool = False
    """True for a list item."""
    heading: str = ""
    """The heading or bold words above it."""


_MARK = re.compile(r"[ \t]*(?:(?:[-*+•–]|\d{1,3}[.)])[ \t]+|#{1,6}[ \t]+|::[\w-]{1,40}\{title=\"[^\"\n]{0,200}\" body=\")?")
"""The beginning of a line before its words: the mark of an item, of a heading, or of a comment in code."""
_STOP = (
    r"[.!?…。！？](?:(?<=[。！？])[。！？]*+|"
    r"(?<![.!?…][.!?…])[.!?…]*+[\"'”’)*_`\]]*+(?=\s+(?:[\"'“‘(*_`\[#@/-]*[A-Z0-9\u00c0-\U0001ffff]|[a-z`*])))"
)
_END = re.compile(_STOP)
"""The end of a sentence. It begins with one set of letters: then the search for it passes over all others at once."""
_DASHES = re.compile(r"[-—–][-—–]")
_END_OR_DASH = re.compile(rf"{_STOP}|(?<=\w)\s+[-—–]{{2,}}\s+")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.?g|i\.?e|etc|vs|cf|approx|no|fig|incl|resp|st|dr|mr|ms)|\b[A-Za-z]|^\W*\d{1,3})\.$", re.IGNORECASE
)
_BOLD = re.compile(r"\*\*([^*\n]{3,80}?):?\*\*:?\s*$")
_LOG = re.compile(
    r"\s*(?:[\[{}<>|$➜❯%✗✘✓└├│─=~^]|at [\w.$<>]+ ?\(|File \"|Traceback|\d{1,4}[-/:]\d\d[-/:]|[A-Z]:\\|npm "
    r"(?:ERR|warn|error)|error(?:\[|:)|warning:|PS [A-Z]:"
    r"|\S+:\d+:\d+|diff --git|index [0-9a-f]{7}|@@ |[+-]{3} |\"\w+\":|(?:import|export|const|let|var|def|class|"
    r"function|return|if|for|public|private|using|package) [\w({].*[;{:()=])"
)
_FENCE = re.compile(
    r"(?P<run>`{3,}|~{3,})[ \t]*(?P<language>[\w+#.-]*)|<(?P<tag>curator-lessons|system-reminder|environment_context|"
    r"user_instructions|INSTRUCTIONS|task-notification)\b"
)
"""The opening of a block of data. Injected text never returns as a candidate."""

_DOCUMENTS = ("markdown", "md", "mdx", "text", "txt")
"""Languages of blocks that hold fences of their own, as long as theirs."""

_RULER = "─────"
"""Lines that agents draw around a note. The first line names its kind."""

_PASTE = re.compile(
    r"(?i)\s*(?:implement the following plan|here(?:'s| is) (?:the|a) (?:plan|log|output|error|review|trace)|"
    r"for the code present, we get this error"
    r"|fix only the selected|reviewed commit:|\[\{|@\w+ (?:continue|accept|try again)|you are (?:a|an|the) |"
    r"<[\w:.-]+[\s/>]|# |---\n|caveat:|base directory)"
)


_BARE_FENCE = re.compile(r"(?m)^(?:`{3,}|~{3,})(?:text|txt|markdown|md)?[ \t]*$")
"""A fence. If no text is outside it, it surrounds typed words."""

_PAGE = re.compile(r"(?m)^# \w")
"""The title of a page: who types words to an agent gives them none."""


_ELEMENT_END = re.compile(r"(?m)^[ \t]*</(?P<tag>[A-Za-z][\w:.-]{1,40})>|</(?P<last>[A-Za-z][\w:.-]{1,40})>[ \t]*$")

_SOURCE = re.compile(
    r"(?im)^[^\n]{0,200}\b(?:docs?|documentation|pages?|article|web ?site|readme|says?|said|wrote|writes|guide|blog|post|issue"
    r"|ticket|e-?mail|message|review|comment|answer|stack ?overflow|wiki|release notes)\b[^\n]{0,80}:[ \t]*\n\s*(?![-*+\d\s])"
)
"""A line that names a source and ends with a colon. The following text, unless it is a list, belongs to the source."""


def is_pasted(text: str) -> bool:
    """Return whether a person's whole message is material (a plan, a review, a log, a command's text) rather than speech."""
    return bool(_PASTE.match(text))


def speech(text: str) -> Iterator[Sentence]:
    """Yield a person's typed sentences: ``prose`` without attached material.

    If the material is the larger part, only short sentences count.
    """
    own = list(_typed(text))
    is_minor = 2 * sum(len(one.text) for one in own) < len(text.strip())
    yield from (one for one in own if not is_minor or len(one.text) <= MAX_TYPED_CHARACTERS)


def _typed(text: str) -> Iterator[Sentence]:
    if is_pasted(text):
        return
    text = text[: _material(text)]
    if len(text) <= PASTED_SPEECH_CHARACTERS:
        yield from list(prose(text)) or prose(_BARE_FENCE.sub(lambda fence: " " * len(fence[0]), text))
        return
    first = text.find("\n\n")
    last = text.rfind("\n\n")
    yield from prose(text[: first if 0 < first <= PASTED_SPEECH_CHARACTERS else 0])
    if first < last and len(text) - last <= PASTED_SPEECH_CHARACTERS:
        for found in prose(text[last:]):
            yield Sentence(found.text, found.start + last, found.end + last, found.item, found.heading)


def _material(text: str) -> int:
    """Return the start of a page's, an element's or another source's words, or the end of the text.

    The author of text after an unknown element is unclear, so it does not count as the person's.
    """
    places = [len(text)]
    if page := _PAGE.search(text):
        places.append(page.start())
    ends = [*_ELEMENT_END.finditer(text)]
    for end in (*ends[:1], *ends[-1:]):
        places.append(max(0, text.find(f"<{end['tag'] or end['last']}", 0, end.start())))
    if (source := _SOURCE.search(text)) and len(text) - source.end() >= MATERIAL:
        places.append(source.end())
    return min(place for place in places if place == len(text) or text.count("```", 0, place) % 2 == 0)


def prose(text: str) -> Iterator[Sentence]:
    """Yield the sentences of Markdown text outside code fences, tables, quotations and log lines, in order."""
    blocks: tuple[_Block, ...] = ()
    heading = ""
    at = 0
    for line in text.splitlines(keepends=True):
        start, at = at, at + len(line)
        bare = line.strip()
        fence = _FENCE.match(bare)
        if blocks:
            blocks = _within(blocks, bare, fence)
            continue
        if fence:
            closing = f"</{fence['tag']}>" if fence["tag"] else fence["run"]
            blocks = () if closing in bare[fence.end() :] else (_Block(closing, fence["language"] in _DOCUMENTS),)
            continue
        if not bare or len(line) > 4_000:
            continue
        if _RULER in bare:
            heading = bare.strip("`★─ ")
            continue
        if bare[0] == "#":
            heading = bare.lstrip("# ").strip("*: ")
            continue
        if bare[0] in "|>" or _LOG.match(line):
            continue
        mark = _MARK.match(line)
        begin = mark.end() if mark else 0
        item = bool(mark and mark[0].strip())
        bold = _BOLD.search(bare)
        if bold and bold.start() <= 4:
            heading = bold[1]
            continue
        yield from _cut(text, start + begin, start + len(line.rstrip()), item, heading)


class _Block(NamedTuple):
    closing: str
    document: bool


def _within(blocks: tuple[_Block, ...], bare: str, fence: re.Match[str] | None) -> tuple[_Block, ...]:
    """Return the open data blocks after a line of a document. A fence with a language opens one there."""
    if blocks[-1].document and fence and fence["language"] and fence.end() == len(bare):
        return (*blocks, _Block(fence["run"], False))
    return blocks[:-1] if blocks[-1].closing in bare else blocks


def _cut(text: str, start: int, end: int, item: bool, heading: str) -> Iterator[Sentence]:
    begin = start
    ends = _END_OR_DASH if _DASHES.search(text, start, end) else _END
    for stop in ends.finditer(text, start, end):
        if stop[0][0] == "." and _ABBREVIATION.search(text, max(begin, stop.start() - 12), stop.start() + 1):
            continue
        if stop[0].startswith("..") and text[max(begin, stop.start() - 1)] == "/":  # Go's ./... and the shell's ../..
            continue
        if text.count("`", begin, stop.start()) % 2 or text.count("`", begin, stop.end()) % 2:
            continue
        if found := _trim(text, begin, stop.end(), item, heading):
            yield found
        begin = stop.end()
    if found := _trim(text, begin, end, item, heading):
        yield found


def _trim(text: str, start: int, end: int, item: bool, heading: str) -> Sentence | None:
    trimmed = text[start:end].rstrip()
    end = start + len(trimmed)
    trimmed = trimmed.lstrip()
    return Sentence(trimmed, end - len(trimmed), end, item, heading) if 4 <= len(trimmed) <= MAX_SENTENCE_CHARACTERS else None


REMEMBERED = 6_000
"""Maximum number of cached texts."""

_PARTS = (
    ("code", r"`[^`\n]{1,160}`"),
    ("url", r"https?://\S+"),
    ("path", r"[A-Za-z0-9_$@.~-]*(?:[/_.][A-Za-z0-9_$@.-]+)+/?"),
    ("name", r"[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*"),
    ("flag", r"--?[a-z][\w-]+"),
    ("word", r"[A-Za-z]+(?:['’][a-z]+)?"),
    ("num", r"\d[\d.,]*%?"),
    ("other", r"[\u3400-\u9fff]|[?!:;—–(]|→|->"),
)
_TOKEN = re.compile("|".join(f"(?P<{kind}>{part})" for kind, part in _PARTS))
_CODE = re.compile(_PARTS[0][1])
_FILE = re.compile(r"/|\.[a-z]{1,5}$")

_WORD = re.compile(r"[a-z0-9][a-z0-9'_]*|[\u3400-\u9fff]+")
_NAME = re.compile(
    r"\b(?:[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[a-zA-Z0-9]+_\w+|[A-Z]{2,}_[A-Z_]+|\w+\(\)|"
    r"--[a-z][\w-]+|[\w./~-]*/[\w.-]+(?:/[\w.-]*)*|\.?\w[\w-]*\.(?:py|js|jsx|ts|tsx|go|rs|java|cs|cpp|c|h|rb|"
    r"php|vue|md|json|jsonc|toml|yaml|yml|sh|ps1|css|html|sql|ex|exs|lock|mod|env|txt|ini|cfg))(?=\W|$)"
)
_NAMELIKE = re.compile(r"[A-Z_/.(-]")
_EMOJI = re.compile("[✅✓🎉✨🚀❌🔧📝]")
_HASH = re.compile(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b|#\d{1,5}\b|\.\w{1,4}:\d+")
_DIGIT = re.compile(r"\d")


class TextSpan(NamedTuple):
    """A part of a text between blanks: its tokens, its lower-case words, the number of its names, and the cues of its form."""

    tokens: tuple[str, ...]
    words: tuple[str, ...]
    names: int = 0
    marks: tuple[str, ...] = ()
    torn: bool = False
    """True if a backtick in it belongs to code beyond its ends. Its tokens are only valid for it alone."""


_TOKENS, _WORDS, _NAMES, _MARKS, _TORN = map(itemgetter, range(5))


def of(text: str) -> list[TextSpan]:
    """Return the parts of a text, in order."""
    return [*map(_stretch, text.split())]


def words(found: Sequence[TextSpan]) -> list[str]:
    """Return the plain words of parts in lower case."""
    return [*chain.from_iterable(map(_WORDS, found))]


def names(found: Sequence[TextSpan]) -> int:
    """Return the number of names in parts."""
    return sum(map(_NAMES, found))


def marks(found: Sequence[TextSpan]) -> Iterator[str]:
    """Return the cues of the form of parts."""
    return chain.from_iterable(map(_MARKS, found))


def tokens(text: str, found: Sequence[TextSpan] | None = None) -> list[str]:
    """Return words in lower case, significant marks, and the kinds of code, links, paths, identifiers, flags and numbers.

    A caller that already has the parts of the text may pass them.

    >>> tokens("Don't run `npm ci` in src/app, use --frozen instead!")
    ["don't", 'run', '<code>', 'in', '<path>', 'use', '<flag>', 'instead', '!']
    """
    found = of(text) if found is None else found
    if "`" not in text or True not in map(_TORN, found):
        return [*chain.from_iterable(map(_TOKENS, found))]
    if "://" in text:  # a link may contain half of some code
        return list(_tokens(text))
    first, *others = _CODE.split(text)
    texts = [*chain.from_iterable(map(_TOKENS, of(first)))]
    for part in others:
        texts.append("<code>")
        texts += chain.from_iterable(map(_TOKENS, of(part)))
    return texts


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, apostrophes made plain."""
    return _WORD.findall(text.lower().replace("’", "'"))


@lru_cache(maxsize=REMEMBERED)
def _stretch(text: str) -> TextSpan:
    bare = text[:-1] if text[-1] in ",." else text
    if bare.isascii() and bare.isalpha() and (bare.islower() or bare.istitle()):
        only = (bare.lower(),)
        return TextSpan(only, only)
    marks = [] if text.isascii() or not _EMOJI.search(text) else ["emoji"]
    if _DIGIT.search(text):
        marks += ["digits", "hash"] if _HASH.search(text) else ["digits"]
    names = len(_NAME.findall(text)) if _NAMELIKE.search(text) else 0
    torn = "`" in text and "`" in _CODE.sub("", text)
    return TextSpan(tuple(_tokens(text)), tuple(words_of(text)), names, tuple(marks), torn)


def _tokens(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(text):
        kind, found = match.lastgroup, match[0]
        if kind == "word":
            if len(found) > 2 and found.isupper():
                yield "<caps>"
            yield found.lower().replace("’", "'")
        elif kind == "other":
            yield found
        elif kind == "path":
            yield "<path>" if _FILE.search(found) else "<name>"
        else:
            yield f"<{kind}>"
