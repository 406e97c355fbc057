"""Edit a file with notes byte by byte: only the lines of one note change, every other byte stays.

A reader sees cleaned text, so a note is found by its line. curator edits the bytes of that line, never the cleaned text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from curator.memories.note import Note, Source, Store
from curator.text.redact import MASK

BOM = b"\xef\xbb\xbf"
WAITING = "waiting"
"""The kind of a hunk in a patch that needs a person's decision."""

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_ENTRY = re.compile(r"\s*(?:[-*+•|]|\d{1,3}[.)])")
_LINKS = re.compile(r"(?:\]\(<?(?:\./)?|^\s*\| *`)([^()\s<>`]+\.md)(?:>?\)|` *\|)")
_HEADING = re.compile(r"(?m)^#{1,6}\s.*$")
_EMPHASIS = re.compile(r"\]\([^)\s]*\)|[*_\[\]]")
_HUNK = re.compile(rb"@@ -(\d+)((?:,\d+)? \+)(\d+)")
_NO_FILE = "/dev/null"
_ABOVE_HUNK = (b"--- ", b"+++ ", b"diff ", b"index ", b"Index:", b"===", b"new file", b"similarity", b"rename ")


class Unclear(ValueError):
    """A position in a file that curator can't edit for certain. The message gives the reason."""


def split(data: bytes, text: str) -> list[bytes]:
    """Return the lines of a file with their ends, as many as its cleaned text has. Raises ``Unclear``."""
    lines = _LINE.findall(data)
    if len(lines) != len(text.split("\n")) - (text.endswith("\n") or not text):
        raise Unclear("curator can't tell its lines apart")
    return lines


def is_whole(store: Store, source: Source, note: Note) -> bool:
    """Return whether a note is all of its file."""
    return note.first == 1 or (store.whole and _head(store, source, note) is None)


def drop(store: Store, source: Source, data: bytes, note: Note) -> bytes | None:
    """Return a file without a note. Return ``None`` if the file has nothing else. Raises ``Unclear``."""
    if is_whole(store, source, note):
        return None
    lines = split(data, source.text)
    if note.kind == WAITING:
        return _without_hunk(lines, note.first - 2, 0)
    own = [*range(note.first - 1, note.last)] if note.last else _own_lines(source.text, note.line, note.whole)
    gone = {*own, *(at for at in range(own[0], own[-1]) if not lines[at].strip())}
    if (head := _head(store, source, note)) is not None:
        end = max(gone) + 1
        while end < len(lines) and not lines[end].strip():
            end += 1
        gone |= {*range(head, end)}
    mark = BOM if data.startswith(BOM) and 0 in gone else b""
    return mark + b"".join(line for at, line in enumerate(lines) if at not in gone)


def reword(source: Source, data: bytes, note: Note, words: str) -> bytes:
    """Return a file with new words of a note. Its marks, reason and line ends stay. Raises ``Unclear``."""
    own = _own_lines(source.text, note.line, note.text)
    if MASK in note.text:
        raise Unclear("it holds a secret")
    if own != [*range(own[0], own[-1] + 1)]:
        raise Unclear("a comment stands inside it")
    lines = split(data, source.text)
    before, after = b"".join(lines[: own[0]]), b"".join(lines[own[-1] + 1 :])
    old = b"".join(lines[own[0] : own[-1] + 1]).decode("utf-8", "surrogateescape")
    first = source.text.split("\n")[own[0]]
    marks = first[: first.find(note.text.split("\n")[0].strip())]
    start, end = old.startswith("\ufeff") + len(marks), len(old.rstrip())
    if not old.removeprefix("\ufeff").startswith(marks):
        raise Unclear("its first line has characters that nobody sees")
    new = old[:start] + reworded(old[start:end], words) + old[end:]
    return before + new.encode("utf-8", "surrogateescape") + after


def reworded(text: str, words: str) -> str:
    """Return a text with the words that differ in ``words``. Headings, emphasis, links and line breaks stay.

    >>> reworded("- Use **npm**\\n  in web.", "Use pnpm in web.")
    '- Use pnpm\\n  in web.'
    >>> reworded("Log with [slog](x.md).", "Always log with slog.")
    'Always log with [slog](x.md).'
    """
    kept = [heading.span() for heading in _HEADING.finditer(text)]
    old = [one for one in re.finditer(r"\S+", text) if not any(start <= one.start() < end for start, end in kept)]
    new = words.split()
    parts, at = list[str](), 0
    sides = [_bare(one[0]) for one in old], [_bare(one) for one in new]
    for tag, first, last, begin, end in SequenceMatcher(None, *sides, autojunk=False).get_opcodes():
        said = " ".join(new[begin:end])
        if tag == "equal" or not (said or any(map(str.isalnum, "".join(sides[0][first:last])))):
            continue  # the same words, perhaps with emphasis; marks of items are no words
        if first == last:
            place = old[first - 1].end() if first else old[0].start() if old else len(text)
            parts += (text[at:place], f" {said}" if first else f"{said} ")
            at = place
        else:
            place = old[first].start() if said or not first else old[first - 1].end()
            parts += (text[at:place], said)
            at = old[last].start() if not (said or first) and last < len(old) else old[last - 1].end()
    return "".join((*parts, text[at:]))


def _bare(word: str) -> str:
    """Return a word as a card shows it, without emphasis and links."""
    return _EMPHASIS.sub("", word).replace("’", "'")


def unlink(text: str, data: bytes, name: str) -> bytes:
    """Return an index without the entries that link this file and no other. Raises ``Unclear``."""
    lines = split(data, text)
    gone = {at for at, line in enumerate(text.split("\n")) if _ENTRY.match(line) and {*_LINKS.findall(line)} == {name}}
    mark = BOM if data.startswith(BOM) and 0 in gone else b""
    return mark + b"".join(line for at, line in enumerate(lines) if at not in gone)


def merge(old: str, new: str, now: str) -> str | None:
    """Return a text with the change from ``old`` to ``new``. Return ``None`` if its position in the text is not clear.

    >>> merge("a\\nc\\n", "a\\nb\\nc\\n", "c\\nd\\n"), merge("a\\n", "b\\n", "c\\n")
    ('b\\nc\\nd\\n', None)
    """
    before, after, lines = (text.splitlines(keepends=True) for text in (old, new, now))
    places = {-1: -1, len(before): len(lines)}
    for start, place, size in SequenceMatcher(None, before, lines, autojunk=False).get_matching_blocks():
        places |= {start + at: place + at for at in range(size)}
    for tag, first, last, begin, end in reversed(SequenceMatcher(None, before, after, autojunk=False).get_opcodes()):
        if tag == "equal":
            continue
        found = [places.get(at, -1) for at in range(first, last)]
        above = next(one for one in range(first - 1, -2, -1) if one in places)  # a nearer match may be gone
        place = found[0] if found else places.get(first, places[above] + 1)
        if place < 0 or found != [*range(place, place + len(found))]:
            return None
        lines[place : place + len(found)] = after[begin:end]
    return "".join(lines)


def request(text: str, words: str) -> str:
    """Return the note with which a person asks an agent to forget a memory, or to replace its words."""
    old, new = (f"> {text}".replace("\n", "\n> ") for text in (text, words))
    return f"Replace this memory:\n\n{old}\n\nby:\n\n{new}\n" if words else f"Forget this memory:\n\n{old}\n"


def _own_lines(text: str, line: int, note: str) -> list[int]:
    """Return the lines of a note that begins in a line, from 0. A comment inside it is not included. Raises ``Unclear``."""
    lines, own, at = text.split("\n"), list[int](), line - 1
    for words in map(str.strip, note.split("\n")):
        while at < len(lines) and (words not in lines[at] if words else lines[at].strip()):
            at += 1
        if at >= len(lines):
            raise Unclear("curator can't tell its lines apart")
        own.append(at)
        at += 1
    return own


def _head(store: Store, source: Source, note: Note) -> int | None:
    """Return the line above a note that names it, such as Goose's tags. Return ``None`` if it has none."""
    lines = source.text.split("\n")
    for at in range(note.line - 2, -1, -1) if store.head else ():
        if store.head and store.head.match(lines[at]):
            return at
        if lines[at].strip() and not lines[at].startswith("#"):  # a section may begin with smaller headings
            break
    return None


def target(source: Source, data: bytes, note: Note) -> tuple[str, bool]:
    """Return the file that a waiting hunk changes, and whether it makes it. Raises ``Unclear``."""
    lines = split(data, source.text)
    for at in range(note.first - 2, 0, -1):
        if _is_file(lines[at - 1 : at + 1]):
            old, new = (
                line[4:].decode("utf-8", "surrogateescape").partition("\t")[0].strip() for line in lines[at - 1 : at + 1]
            )
            if old in (new, _NO_FILE):
                return new, old == _NO_FILE
            break
    raise Unclear("its patch does not name one file")


def carry_over(source: Source, data: bytes, note: Note, old: bytes, words: str) -> tuple[bytes, bytes | None]:
    """Return a file with the lines of a waiting hunk, and the patch without it. Raises ``Unclear``.

    ``words`` replace the hunk's own words.
    """
    if MASK in note.text:
        raise Unclear("it holds a secret")
    lines, head = split(data, source.text), note.first - 2
    hunk = lines[head + 1 : _hunk_end(lines, head)]
    while not hunk[-1].strip(b"\r\n"):  # blank lines between two hunks
        hunk.pop()
    text, end = _LINE.findall(old), b"\r\n" if b"\r\n" in old else b"\n"
    around = [line[1:].rstrip(b"\r\n") for line in hunk if line[:1] not in b"+\\"]
    found = _HUNK.match(lines[head])
    begin = int(found[1]) - bool(around) if found else 0
    bare = [line.rstrip(b"\r\n") for line in text]
    fits = [at for at in range(len(bare) - len(around) + 1) if bare[at : at + len(around)] == around]
    if not fits:
        raise Unclear("its file no longer has the lines that the patch names")
    at = min(fits, key=lambda one: abs(one - begin))
    new = _after(text[at : at + len(around)], _saying(hunk, words) if words else hunk, end)
    whole = [*text[:at], *new, *text[at + len(around) :]]
    whole[:-1] = (line if line.endswith((b"\r", b"\n")) else line + end for line in whole[:-1])
    return b"".join(whole), _without_hunk(lines, head, len(new) - len(around))


def _after(old: Sequence[bytes], hunk: Sequence[bytes], end: bytes) -> list[bytes]:
    """Return the lines of a file that a hunk covers, as they are after it. New lines get this end."""
    new, rest = list[bytes](), iter(old)
    for line in hunk:
        if line.startswith(b"+"):
            new.append(line[1:].rstrip(b"\r\n") + end)
        elif not line.startswith((b"-", b"\\")):
            new.append(next(rest))
        elif line.startswith(b"-"):
            next(rest)
    return [*new[:-1], new[-1].rstrip(b"\r\n")] if new and hunk[-1].startswith(b"\\") else new


def _saying(hunk: Sequence[bytes], words: str) -> list[bytes]:
    """Return a hunk with these words in its added lines. Raises ``Unclear``."""
    own = [at for at, line in enumerate(hunk) if line.startswith(b"+")]
    if own != [*range(own[0], own[-1] + 1)]:
        raise Unclear("its patch adds lines in several places")
    text = "\n".join(hunk[at][1:].rstrip(b"\r\n").decode("utf-8", "surrogateescape") for at in own)
    new = [b"+" + line.encode("utf-8", "surrogateescape") for line in reworded(text, words).split("\n")]
    return [*hunk[: own[0]], *new, *hunk[own[-1] + 1 :]]


def _hunk_end(lines: Sequence[bytes], head: int) -> int:
    end = head + 1
    while end < len(lines) and lines[end][:1] in b" +-\\\r\n" and not _is_file(lines[end : end + 2]):
        end += 1
    return end


def _without_hunk(lines: Sequence[bytes], head: int, gained: int) -> bytes | None:
    """Return a patch without a hunk, and without the name of its file if that has no other hunk.

    Return ``None`` if nothing is left. ``gained`` is the number of lines that the file has gained.
    """
    end = _hunk_end(lines, head)
    lost = sum(line.startswith(b"+") - line.startswith(b"-") for line in lines[head + 1 : end])
    before, after = [*lines[:head]], [*lines[end:]]
    if before and before[-1].startswith(b"+++ ") and not (after and _HUNK.match(after[0])):
        while before and before[-1].startswith(_ABOVE_HUNK):
            before.pop()
    at = 0
    while at < len(after) and not after[at].startswith(b"+++ "):
        if found := _HUNK.match(after[at]):
            places = b"@@ -%d%b%d" % (int(found[1]) + gained, found[2], int(found[3]) + gained - lost)
            after[at] = places + after[at][found.end() :]
        at += 1
    rest = b"".join((*before, *after))
    return rest if rest.strip() else None


def _is_file(lines: Sequence[bytes]) -> bool:
    """Return whether two lines of a patch name its next file."""
    return lines[0].startswith(b"--- ") and lines[-1].startswith(b"+++ ")
