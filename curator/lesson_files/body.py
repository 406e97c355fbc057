"""Write and read the Markdown body of a lesson file: headline, insight, context, evidence, code, and a person's additions.

The layout has one sentence per line. A line break of the layout is between a sentence's end and a capital, quote or bracket. It
is read as a space. A real line break in such a place ends in a backslash (Markdown's hard break). Lines that would be read as
structure get a backslash in front (Markdown's escape). Structure means headings of level 1 and 2, unclosed fences and conflict
markers. Every rule has an exact inverse, so that any text survives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote, unquote

from curator import clock
from curator.errors import MalformedFile
from curator.model import Entry, Evidence, Role, Snippet

UNWRITABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters and lone surrogates: they drive a terminal or can't be encoded."""
HEADING = re.compile(r"#{1,2}(?=[ \t]|$)")
CONFLICT = re.compile(r"(?:<{7}|>{7})(?= |$)")
"""The first or last line of a conflict as git writes it."""
_FENCE = re.compile(r"( {0,3})(?:(`{3,})(?=[^`]*$)|(~{3,}))(.*)")
_FENCE_CLOSE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*")
_STRUCTURE = re.compile(r"( {0,3})(\\*)(?:(#{1,2}(?:[ \t]|$)|(?:<{7}|>{7})(?: |$))|(```|~~~))")
_STARTER = r"(?=[A-Z\u00c0-\u00de\u0391-\u03a9\u0410-\u042f\"“(]|`(?!``))"
_SOFT = re.compile(r"(?<=[.!?])([\"')\]”’]*) " + _STARTER)
_END = re.compile(r"[.!?][\"')\]”’]*(\\*)$")
_STARTS = re.compile(_STARTER)
_PROSE = re.compile(r"(?!\d+[.)](?:\s|$)|\*\s|```)[\w\"“(`*_\[]")  # no list, no fence


def clean(text: str) -> str:
    """Return a text with LF line ends and with U+FFFD in place of control characters and lone surrogates.

    >>> clean("a\\r\\nb\\x1b")
    'a\\nb�'
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return UNWRITABLE.sub("\ufffd", text)


def one_line(text: str) -> str:
    """Return a text on one line, with white space collapsed.

    >>> one_line(" a \\n b")
    'a b'
    """
    return " ".join(clean(text).split())


def prose(text: str) -> str:
    """Return the normal form of an insight or context: clean, without trailing blanks on lines and blank lines at the ends."""
    lines = [line.rstrip(" \t") for line in clean(text).split("\n")]
    return "\n".join(trim(lines))


def trim(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines without the blank ones at either end."""
    start, end = 0, len(lines)
    while start < end and not lines[start].strip(" \t"):
        start += 1
    while end > start and not lines[end - 1].strip(" \t"):
        end -= 1
    return lines[start:end]


def fences(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the (first, last) lines of closed fenced code blocks, as CommonMark has them
    (https://spec.commonmark.org/0.31.2/#fenced-code-blocks).

    An unclosed fence is no block here, because it would swallow the rest of a file. A block with a conflict marker is none
    either.
    """
    at = 0
    hopeless = {"`": 1 << 30, "~": 1 << 30}  # no fence at least this long is closed below: keeps hostile files linear
    while at < len(lines):
        opener = _FENCE.match(lines[at]) if "```" in lines[at] or "~~~" in lines[at] else None
        fence = opener and (opener[2] or opener[3])
        if fence and len(fence) < hopeless[fence[0]]:
            last, marked = _close(lines, at + 1, fence)
            if last and not marked:
                yield at, last
                at = last
            elif not last:
                hopeless[fence[0]] = len(fence)
        at += 1


def _close(lines: Sequence[str], start: int, fence: str) -> tuple[int, bool]:
    marked = False
    for at in range(start, len(lines)):
        closer = _FENCE_CLOSE.fullmatch(lines[at])
        if closer and closer[1].startswith(fence):
            return at, marked
        marked = marked or CONFLICT.match(lines[at]) is not None
    return 0, marked


def escape(line: str) -> str:
    """Return a line with a backslash in front if it would be read as structure. ``unescape`` removes the backslash.

    >>> escape("# not a heading"), unescape(escape("# not a heading"))
    ('\\\\# not a heading', '# not a heading')
    """
    found = _STRUCTURE.match(line)
    return f"{found[1]}\\{line[len(found[1]) :]}" if found else line


def unescape(line: str) -> str:
    """Return a line without the backslash of ``escape``. Other lines stay unchanged."""
    found = _STRUCTURE.match(line)
    return f"{found[1]}{line[len(found[1]) + 1 :]}" if found and found[2] else line


def one_sentence_per_line(text: str) -> str:
    """Return normal prose (see ``prose``) in the layout of a file: one sentence per line, structure escaped.

    >>> print(one_sentence_per_line("Run the migration. Then restart."))
    Run the migration.
    Then restart.
    """
    if "\n" not in text:  # by far the most
        return escape(_SOFT.sub(r"\1\n", text) if _PROSE.match(text) else text)
    lines = text.split("\n")
    code = _inside(lines)
    out: list[str] = []
    for at, line in enumerate(lines):
        if at in code:
            out.append(line)
            continue
        pieces = _SOFT.sub(r"\1\n", line) if _PROSE.match(line) else line
        following = lines[at + 1] if at + 1 < len(lines) and at + 1 not in code else ""
        hard = _PROSE.match(line) and _END.search(pieces) and _STARTS.match(following)
        out.append(escape(pieces) + ("\\" if hard else ""))
    return "\n".join(out)


def join_sentences(lines: Sequence[str]) -> str:
    """Return the lines of a file as normal prose, the inverse of ``one_sentence_per_line``. Hand-made line breaks stay."""
    code = _inside(lines)
    out: list[str] = []
    flowing = False  # true if the line before is prose that this one may continue
    for at, line in enumerate(lines):
        if at in code:
            out.append(line)
            flowing = False
            continue
        end = _END.search(out[-1]) if flowing and _STARTS.match(line) else None
        if end and not end[1]:
            out[-1] = f"{out[-1]} {line}"
            continue
        if end:
            out[-1] = out[-1][:-1]
        flowing = _PROSE.match(line) is not None
        out.append(unescape(line))
    return prose("\n".join(out))


def _inside(lines: Sequence[str]) -> set[int]:
    return {at for first, last in fences(lines) for at in range(first, last + 1)}


_CAPTION = "— "
_TICKS = re.compile(r"`{3,}")
_PLACE = re.compile(r"(.*):([0-9]+)(?:-([0-9]+))?")
_FOLDERS = re.compile(r"\A.*[/\\]", re.DOTALL)
_RESERVED = re.compile(r"[%,\s]")


def render(entry: Entry) -> str:
    """Return everything below the front matter, with one final newline."""
    parts = [f"# {one_line(entry.headline)}".rstrip()]
    if insight := prose(entry.insight):
        parts.append(one_sentence_per_line(insight))
    if context := prose(entry.context):
        parts.append(f"## Context\n\n{one_sentence_per_line(context)}")
    if entry.evidence:
        parts += ["## Evidence", *map(_quote, entry.evidence)]
    if entry.snippets:
        parts += ["## Code", *map(_snippet, entry.snippets)]
    return "\n\n".join(parts) + "\n"


def normal(entry: Entry) -> dict[str, Any]:
    """Return the body's fields of an entry in normal form (see ``lesson.normal``)."""
    return {
        "headline": one_line(entry.headline),
        "insight": prose(entry.insight),
        "context": prose(entry.context),
        "evidence": tuple(map(_normal_quote, entry.evidence)),
        "snippets": tuple(map(_normal_snippet, entry.snippets)),
    }


def parse(lines: Sequence[str], file: str, first: int) -> tuple[dict[str, Any], str]:
    """Return the body's fields, and the unknown sections, verbatim. Raises ``MalformedFile``.

    The first of ``lines`` is line ``first`` of the file.
    """
    starts = _headings(lines)
    if not starts or lines[starts[0]].startswith("##"):
        raise MalformedFile(file, first + (starts[0] if starts else 0), "no headline: the body begins with `# headline`")
    for at, line in enumerate(lines[: starts[0]]):
        if line.strip():
            raise MalformedFile(file, first + at, "text before the headline. Move it below")
    known: dict[str, tuple[int, Sequence[str]]] = {}
    unknown: list[str] = []
    ends = [*starts[1:], len(lines)]
    for start, end in zip(starts[1:], ends[1:], strict=True):
        title = lines[start][2:].strip().casefold() if lines[start].startswith("##") else ""
        if title not in ("context", "evidence", "code"):
            unknown.append("\n".join(trim(lines[start:end])))
        elif title in known:
            raise MalformedFile(file, first + start, f"a second section {lines[start]!r}. Make them one")
        else:
            known[title] = (first + start + 1, lines[start + 1 : end])
    fields = {
        "headline": one_line(lines[starts[0]][1:]),
        "insight": join_sentences(trim(lines[starts[0] + 1 : ends[0]])),
        "context": join_sentences(trim(known["context"][1])) if "context" in known else "",
        "evidence": tuple(_quotes(*known["evidence"], file)) if "evidence" in known else (),
        "snippets": tuple(_snippets(*known["code"], file)) if "code" in known else (),
    }
    return fields, "\n\n".join(unknown)


def sections(text: str) -> dict[str, str]:
    """Return the unknown sections by their heading. A later one with the same heading has a number after the heading.

    >>> sections("## Owner\\n\\nann\\n\\n## See also\\n\\nthere")
    {'## Owner': '## Owner\\n\\nann', '## See also': '## See also\\n\\nthere'}
    """
    lines = text.split("\n")
    starts = _headings(lines)
    found: dict[str, str] = {}
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=False):
        key, times = lines[start].rstrip(), 1
        while key in found:
            times += 1
            key = f"{lines[start].rstrip()} ({times})"
        found[key] = "\n".join(trim(lines[start:end]))
    return found


def _headings(lines: Sequence[str]) -> list[int]:
    code = _inside(lines)
    return [at for at, line in enumerate(lines) if HEADING.match(line) and at not in code]


# --- quotes -----------------------------------------------------------------------------------------------------------


def _quote(evidence: Evidence) -> str:
    quoted = "\n".join(f"> {line}" if line else ">" for line in prose(evidence.quote).split("\n"))
    place = f"{_encode(_name(evidence.file))}:{max(evidence.line, 0)}"
    if evidence.line_end != evidence.line:
        place += f"-{max(evidence.line_end, 0)}"
    words = [
        evidence.role.value,
        f"agent {_encode(evidence.agent)}" if evidence.agent else "",
        f"session {_encode(evidence.session)}" if evidence.session else "",
        f"at {clock.iso(evidence.at)}" if evidence.at is not None else "",
        "" if place == ":0" else place,
    ]
    return f"{quoted}\n\n{_CAPTION}{', '.join(word for word in words if word)}"


def _normal_quote(evidence: Evidence) -> Evidence:
    return evidence._replace(
        quote=prose(evidence.quote),
        file=clean(_name(evidence.file)),
        line=max(evidence.line, 0),
        line_end=max(evidence.line_end, 0),
        agent=clean(evidence.agent),
        session=clean(evidence.session),
        at=None if evidence.at is None else clock.to_second(evidence.at),
        excerpt=(),
    )


def _name(file: str) -> str:
    """Return a transcript's name without its folders, which contain the names of a person and of their folder."""
    return _FOLDERS.sub("", file)


def _encode(text: str) -> str:
    """Return a text without commas and blanks, which separate the parts of a caption. They are percent-encoded, as in a URL."""
    return _RESERVED.sub(lambda found: quote(found[0], safe=""), clean(text))


def _quotes(first: int, lines: Sequence[str], file: str) -> Iterator[Evidence]:
    """Yield the quotes (``> …``), each with the caption below it (``— role, …``)."""
    quoted: list[str] = []
    open_at = 0
    for number, line in enumerate(lines, first):
        if line.startswith(">"):
            if quoted and open_at != number - 1:
                yield _evidence(quoted, "", file, number)
                quoted = []
            quoted.append(line[2:] if line.startswith("> ") else line[1:])
            open_at = number
        elif line.startswith(_CAPTION) and quoted:
            yield _evidence(quoted, line.removeprefix(_CAPTION), file, number)
            quoted = []
        elif line.strip():
            raise MalformedFile(file, number, "Evidence may hold only quotes (`> …`), each with a caption (`— role, …`) below")
    if quoted:
        yield _evidence(quoted, "", file, first)


def _evidence(lines: Sequence[str], caption: str, file: str, number: int) -> Evidence:
    role, *words = caption.strip().split(", ") if caption else [Role.HUMAN.value]
    if role not in list(Role):
        raise MalformedFile(file, number, f"{role!r} is not one of {', '.join(Role)}")
    values: dict[str, Any] = {"file": "", "line": 0, "line_end": 0}
    for word in words:
        key, _, rest = word.partition(" ")
        try:
            if key in ("agent", "session") and rest:
                values[key] = clean(unquote(rest))
            elif key == "at" and rest:
                values["at"] = clock.to_second(clock.parse_iso(rest))
            elif place := _PLACE.fullmatch(word):
                first = int(place[2])
                values |= {"line": first, "line_end": int(place[3]) if place[3] else first}
                values["file"] = clean(_name(unquote(place[1])))
            else:
                raise ValueError(word)
        except (ValueError, OverflowError, OSError):
            reason = f"{word!r} is not part of a caption: agent A, session S, at TIME, FILE:LINE-END"
            raise MalformedFile(file, number, reason) from None
    return Evidence(quote=prose("\n".join(lines)), role=Role(role), **values)


# --- code -------------------------------------------------------------------------------------------------------------


def _snippet(snippet: Snippet) -> str:
    snippet = _normal_snippet(snippet)
    fence = max(("```", *(f"{ticks}`" for ticks in _TICKS.findall(snippet.code))), key=len)
    lines = [f"{fence}{snippet.language}", *(snippet.code.split("\n") if snippet.code else ()), fence]
    if any(CONFLICT.match(line) for line in lines):  # one blank in front: the same code to Markdown, no conflict to git
        lines = [f" {line}" if line else "" for line in lines]
    caption = [escape(snippet.caption), ""] if snippet.caption else []
    return "\n".join([*caption, *lines])


def _normal_snippet(snippet: Snippet) -> Snippet:
    return Snippet(
        code=clean(snippet.code).rstrip("\n"),
        language=one_line(snippet.language.replace("`", "")),
        caption=one_line(snippet.caption),
    )


def _snippets(first: int, lines: Sequence[str], file: str) -> Iterator[Snippet]:
    at = 0
    for start, end in fences(lines):
        caption = [unescape(line) for line in lines[at:start]]
        opener = _FENCE.match(lines[start])
        assert opener is not None
        indent = len(opener[1])
        code = [line[min(indent, len(line) - len(line.lstrip(" "))) :] for line in lines[start + 1 : end]]
        yield _normal_snippet(Snippet("\n".join(code), opener[4].strip(), " ".join(caption)))
        at = end + 1
    for number, line in enumerate(lines[at:], first + at):
        if line.strip():
            raise MalformedFile(file, number, "Code may hold only fenced blocks, each with a caption above")
