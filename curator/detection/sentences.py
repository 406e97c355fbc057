"""Cut a turn into sentences that keep their place; code, tables, quotations and logs are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

LONGEST = 600
"""Sentences beyond this many characters are no sentences."""

LONG_SPEECH = 2_500
"""Longer human messages are mostly pasted: then only their first and last paragraphs are taken for the person's own words."""


class Sentence(NamedTuple):
    """A stretch of a turn's text: ``text`` is ``turn.text[start:end]`` to the letter.

    A tuple, as are the other nouns of which a session has thousands: it is made in a third of a frozen dataclass' time.
    """

    text: str
    start: int
    end: int
    item: bool = False
    """It stands in a list."""
    heading: str = ""
    """The heading, or the bold words, that it stands under."""


_MARK = re.compile(r"[ \t]*(?:(?:[-*+•–]|\d{1,3}[.)])[ \t]+|#{1,6}[ \t]+|::[\w-]{1,40}\{title=\"[^\"\n]{0,200}\" body=\")?")
"""What stands before the words of a line: the mark of an item, of a heading, or the head of a comment on code."""
_STOP = (
    r"[.!?…。！？](?:(?<=[。！？])[。！？]*+|"
    r"(?<![.!?…][.!?…])[.!?…]*+[\"'”’)*_`\]]*+(?=\s+(?:[\"'“‘(*_`\[#@/-]*[A-Z0-9\u00c0-\U0001ffff]|[a-z`*])))"
)
_END = re.compile(_STOP)
"""Where a sentence ends. It begins with one set of letters: then the search for it passes over all others at once."""
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
"""What opens a block of data; text that was injected, by us or by others, never comes back as a candidate."""

_DOCUMENTS = ("markdown", "md", "mdx", "text", "txt")
"""Languages of blocks that hold fences of their own, as long as theirs."""

_RULER = "─────"
"""What agents draw around a note, with its kind in the first one."""

_PASTE = re.compile(
    r"(?i)\s*(?:implement the following plan|here(?:'s| is) (?:the|a) (?:plan|log|output|error|review|trace)|"
    r"for the code present, we get this error"
    r"|fix only the selected|reviewed commit:|\[\{|@\w+ (?:continue|accept|try again)|you are (?:a|an|the) |"
    r"<\w+[ >]|# |---\n|caveat:|base directory)"
)


_BARE_FENCE = re.compile(r"(?m)^(?:`{3,}|~{3,})(?:text|txt|markdown|md)?[ \t]*$")
"""A fence around anything: where nothing stands outside of it, it is around what a person typed."""

_PAGE = re.compile(r"(?m)^# \w")
"""The title of a page: who types words to an agent gives them none."""


def is_pasted(text: str) -> bool:
    """Whether a human message as a whole is material (a plan, a review, a log, a command's text) rather than speech."""
    return bool(_PASTE.match(text))


def speech(text: str) -> Iterator[Sentence]:
    """The sentences that a person typed: ``prose`` without the page behind them, and whatever a long message carries along."""
    if is_pasted(text):
        return
    if (page := _PAGE.search(text)) and text.count("```", 0, page.start()) % 2 == 0:
        text = text[: page.start()]
    if len(text) <= LONG_SPEECH:
        yield from list(prose(text)) or prose(_BARE_FENCE.sub(lambda fence: " " * len(fence[0]), text))
        return
    first = text.find("\n\n")
    last = text.rfind("\n\n")
    yield from prose(text[: first if 0 < first <= LONG_SPEECH else 0])
    if first < last and len(text) - last <= LONG_SPEECH:
        for found in prose(text[last:]):
            yield Sentence(found.text, found.start + last, found.end + last, found.item, found.heading)


def prose(text: str) -> Iterator[Sentence]:
    """The sentences of Markdown text outside code fences, tables, quotations and log lines, in order."""
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
    """The blocks of data that are open behind a line that stands in some: in a document's a fence with a language opens one."""
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
    return Sentence(trimmed, end - len(trimmed), end, item, heading) if 4 <= len(trimmed) <= LONGEST else None
