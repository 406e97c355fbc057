"""Follow a growing transcript: return its new turns, without those that an earlier file already has.

Agents copy turns. A resumed or forked session contains the history of the first one. An archived session is in another folder.
A checkpoint is a longer copy, and SpecStory repeats a session in Markdown. The source that curator read first counts.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from curator import clock
from curator.hookspecs import Format, Mark, Reading
from curator.io import agent_folders, files
from curator.model import JSON, Role, Turn
from curator.text import templates
from curator.text.redact import clean
from curator.transcripts.base import messages
from curator.transcripts.base.discover import FileStats, look

log = logging.getLogger(__name__)

HEAD = 1024
"""The number of bytes at a file's beginning whose hash identifies it."""

MAX_TURN_CHARACTERS = messages.MAX_WORDS * 3 // 2
"""Maximum characters of a turn. Formats cap texts at ``MAX_WORDS``, and add some words about the rest."""

_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Bookmark:
    """The facts about a transcript that are kept between two looks at it."""

    path: str
    inode: int
    size: int
    mtime_ns: int
    head: str
    """Hash of the first ``head_size`` bytes."""
    head_size: int
    end: Mark
    window: Mark
    turns: int = 0
    """The number of turns between ``window`` and ``end``."""
    beside: str = ""
    """The stamp of its companions. It is empty without companions."""
    more: bool = False
    """True if there is more to read after ``window``, although the file does not change."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The result of a look at a transcript: turns, of which the first ``old_turns`` are known and serve as context.

    Store ``bookmark`` in one transaction with the results. It is ``None`` while the file was never read. If it says ``more``,
    look again at once. ``anew`` says that the turns are everything in the file.
    """

    turns: tuple[Turn, ...]
    old_turns: int
    bookmark: Bookmark | None
    unknown: Counter[str] = field(default_factory=Counter)
    errors: tuple[str, ...] = ()
    anew: bool = False


def carry_over(known: Bookmark, path: Path) -> Bookmark:
    """Return the bookmark of a transcript for the compressed file that took its place. Raises ``OSError``."""
    now = path.stat()
    size = min(now.st_size, HEAD)
    # Without a time the file counts as changed: the agent may have written more before it compressed the transcript.
    return replace(
        known, path=str(path), inode=now.st_ino, size=now.st_size, mtime_ns=0, head=_head(path, size), head_size=size
    )


class Change(Enum):
    """The change of a file since it was last read."""

    NONE = "none"
    GROWN = "grown"
    REPLACED = "replaced"


def _change(known: Bookmark | None, path: Path, now: FileStats, *, rewrites: bool) -> Change:
    """Return the change of a file.

    With ``rewrites``, its agent writes the whole file each time, so another inode or a smaller size mean little.
    """
    if known is None:
        return Change.REPLACED
    stat = now.stat
    if (stat.st_ino, stat.st_size, stat.st_mtime_ns, now.stamp) == (known.inode, known.size, known.mtime_ns, known.beside):
        return Change.GROWN if known.more else Change.NONE
    if not rewrites and (stat.st_ino != known.inode or stat.st_size < min(known.size, known.end.offset)):
        return Change.REPLACED
    return Change.GROWN if _head(path, known.head_size) == known.head else Change.REPLACED


def follow(format_: Format, path: Path, known: Bookmark | None, now: FileStats | None = None) -> Progress:
    """Read the new part of a transcript. Without news, this costs one ``stat`` for it and each companion. Raises nothing.

    A file that grew is read from the stored window. A replaced, truncated or rotated file is read from zero. A format that
    rewrites its files always gets its window back, and says which turns it knew. ``errors`` names the parts that can't be read,
    and then ``bookmark`` stays unchanged.
    """
    try:
        return _follow(format_, path, known, now)
    except OSError as error:
        return Progress((), 0, known, errors=(f"{path}: can't be read ({error.strerror or error}); it was left out",))
    except Exception as error:  # a plugin's bug must not stop other files from being read
        log.exception("the format %s failed on %s", format_.agent, path)
        return Progress((), 0, known, errors=(f"{path}: the format {format_.agent} failed on it ({error!r}); it was left out",))


def portions(format_: Format, path: Path) -> Iterator[Progress]:
    """Yield a transcript from its first turn to its last, in the portions of its format. An error of the file ends them."""
    progress = follow(format_, path, None)
    yield progress
    while progress.bookmark is not None and progress.bookmark.more:
        progress = follow(format_, path, progress.bookmark)
        yield progress


def _follow(format_: Format, path: Path, known: Bookmark | None, now: FileStats | None) -> Progress:
    now = now or look(format_, path)
    if not stat.S_ISREG(now.stat.st_mode):
        return Progress((), 0, known, errors=(f"{path}: is no file; it was left out",))
    rewrites = bool(getattr(format_, "rewrites", False))
    change = _change(known, path, now, rewrites=rewrites)
    if change is Change.NONE:
        return Progress((), 0, known)
    start = known.window if known and (rewrites or change is Change.GROWN) else Mark()
    reading = format_.read(path, start)
    errors = list(reading.errors)
    if reading.more and reading.window == start:  # asked again it would say the same for ever
        errors.append(f"{path}: the format {format_.agent} does not get on with it; what comes next was left out")
        reading = replace(reading, more=False)
    bookmark = _bookmark(path, now, reading)
    if (rewrites or now.beside) and not now.is_settled:  # Only a growing file certainly shows its next write by its size.
        bookmark = replace(bookmark, mtime_ns=0)
    old_turns = _count_old(reading, known if change is Change.GROWN else None, rewrites=rewrites)
    turns = tuple(map(mask_turn, without_templates(without_ours(reading.turns))))
    return Progress(turns, old_turns, bookmark, reading.unknown, tuple(errors), anew=start == Mark())


_LESSONS = re.compile(r"<curator-lessons\b[^>]*>.*?(?:</curator-lessons>|\Z)", re.DOTALL)

_ASKED = re.compile(r"(?:^|[^a-z])(?:search_lessons|get_lesson|lessons_for_file)$")
"""curator's tools under any agent's name, since some clients file the bare answer without curator's marks."""


def without_ours(turns: Sequence[Turn]) -> Iterator[Turn]:
    """Return turns without curator's words: see ``without_own_lessons``. Answers of curator's tools become empty."""
    calls = {turn.call for turn in turns if turn.role is Role.TOOL_CALL and turn.call and _ASKED.search(turn.tool)}
    for turn in turns:
        if turn.role is Role.TOOL_RESULT and turn.call in calls:
            yield replace(turn, text="\n" * turn.text.count("\n"))
        else:
            yield without_own_lessons(turn)


def without_own_lessons(turn: Turn) -> Turn:
    """Return a turn without lessons that curator put into the session. Later lines keep their numbers.

    Lessons from a rules file are in skipped records and in results of tools, so they need no such care.
    """
    if "<curator-lessons" not in turn.text:
        return turn
    return replace(turn, text=_LESSONS.sub(lambda match: "\n" * match[0].count("\n"), turn.text))


def without_templates(turns: Iterable[Turn]) -> Iterator[Turn]:
    """Yield the turns. A person's turn from a command's template keeps only the argument."""
    known: dict[str, Sequence[templates.Template]] = {}
    for turn in turns:
        if turn.role is not Role.HUMAN or len(turn.text) < templates.MIN_TEMPLATE_CHARACTERS:
            yield turn
            continue
        if turn.cwd not in known:
            known[turn.cwd] = templates.all_of(agent_folders.command_texts(turn.cwd, Path.home(), os.environ))
        text = templates.typed(turn.text, known[turn.cwd])
        is_record = turn.locator.line_end <= turn.locator.line  # in Markdown, lines keep their numbers
        yield turn if text == turn.text else replace(turn, text=text.strip() if is_record else text)


def mask_turn(turn: Turn) -> Turn:
    """Return a turn without secrets, escape sequences and unseen characters, with as many lines. All other code sees only this.

    Every text must pass here first. A sentence, symbol or excerpt that is cut later may have half of a secret, which no rule
    finds. Numbers of sessions, calls and records stay, because they link turns. Values that are too long or too far off in time
    to be real are left out.
    """
    turn = truncate_turn(turn)
    text = clean(turn.text.replace("\r\n", "\n").replace("\r", " ") if "\r" in turn.text else turn.text)
    rest = turn.command, turn.cwd, turn.branch, turn.tool, *turn.paths
    command, cwd, branch, tool, *paths = fields = tuple(map(clean, rest))
    if text == turn.text and fields == rest:
        return turn
    return replace(turn, text=text, command=command, cwd=cwd, branch=branch, tool=tool, paths=tuple(paths))


def truncate_turn(turn: Turn) -> Turn:
    """Return a turn with texts, paths and names of limited length, and with a valid time."""
    texts = {name: text for name in ("text", "command") if len(text := getattr(turn, name)) > MAX_TURN_CHARACTERS}
    changes: dict[str, Any] = {name: messages.cap(text, messages.MAX_WORDS) for name, text in texts.items()}
    for name, most in (
        ("cwd", files.MAX_PATH_CHARACTERS),
        ("branch", files.MAX_NAME_CHARACTERS),
        ("tool", files.MAX_NAME_CHARACTERS),
    ):
        changes |= {name: ""} if len(getattr(turn, name)) > most else {}
    if any(len(path) > files.MAX_PATH_CHARACTERS for path in turn.paths):
        changes["paths"] = tuple(path for path in turn.paths if len(path) <= files.MAX_PATH_CHARACTERS)
    if turn.at is not None and not clock.is_plausible(turn.at):
        changes["at"] = None
    return replace(turn, **changes) if changes else turn


def _count_old(reading: Reading, before: Bookmark | None, *, rewrites: bool) -> int:
    """Return the number of known turns: the format's number, or those after the window."""
    if reading.old_turns is not None:
        return min(max(reading.old_turns, 0), len(reading.turns))
    # The last turn of a file that is rewritten may have gained words since.
    return min(max(before.turns - int(rewrites), 0), len(reading.turns)) if before else 0


def _bookmark(path: Path, now: FileStats, reading: Reading) -> Bookmark:
    size = min(now.stat.st_size, HEAD)
    return Bookmark(
        path=str(path),
        inode=now.stat.st_ino,
        size=now.stat.st_size,
        mtime_ns=now.stat.st_mtime_ns,
        head=_head(path, size),
        head_size=size,
        end=reading.end,
        window=reading.window,
        turns=reading.behind,
        beside=now.stamp,
        more=reading.more,
    )


def _head(path: Path, size: int) -> str:
    with path.open("rb") as file:
        return hashlib.sha256(file.read(size)).hexdigest()[:16]


def to_json(bookmark: Bookmark) -> str:
    """Return one line of text that ``from_json`` reads back."""
    marks = {name: _fields(mark) for name, mark in (("end", bookmark.end), ("window", bookmark.window))}
    return json.dumps({"v": _VERSION, **_fields(bookmark), **marks}, ensure_ascii=True, separators=(",", ":"))


def _fields(thing: Bookmark | Mark) -> JSON:
    """Return the fields by name. Unlike ``asdict``, this does not copy the memory."""
    return {item.name: getattr(thing, item.name) for item in fields(thing)}


def from_json(text: str) -> Bookmark | None:
    """Return the value that ``to_json`` wrote. Return ``None`` for other text, so that the file is read from its beginning."""
    try:
        data = json.loads(text)
        if data.pop("v") != _VERSION:
            return None
        bookmark = Bookmark(**{**data, "end": Mark(**data["end"]), "window": Mark(**data["window"])})
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    numbers = (bookmark.inode, bookmark.size, bookmark.mtime_ns, bookmark.head_size, bookmark.turns)
    marked = [(mark.offset, mark.line) for mark in (bookmark.end, bookmark.window) if isinstance(mark.memory, dict)]
    sound = len(marked) == 2 and all(isinstance(number, int) for number in (*numbers, *marked[0], *marked[1]))
    texts = (bookmark.path, bookmark.head, bookmark.beside)
    return bookmark if sound and all(isinstance(text, str) for text in texts) else None


def without_text(bookmark: Bookmark) -> Bookmark:
    """Return the format's memory of its session and place, without words and commands."""
    end, window = (
        replace(mark, memory={key: value for key, value in mark.memory.items() if key not in TEXT_KEYS})
        for mark in (bookmark.end, bookmark.window)
    )
    return replace(bookmark, end=end, window=window)


TEXT_KEYS = frozenset({"calls", "queued", "running", "shell", "waiting"})
"""The keys under which formats remember words: of calls without a result, and of a person, until they are delivered."""


DERIVED = frozenset({"specstory"})
"""Agents whose transcripts derive from another agent's, with the same session id."""

LENGTH = 2_000
"""The number of characters that distinguish a text."""

MIN_COPIED_TURNS = 3
"""The number of turns in a row that make a session's start a copy of another's, the agent's among them."""

_SPEAKERS = frozenset({Role.HUMAN, Role.ASSISTANT})

NOBODY = 0
"""A key that no turn has."""


class Keys(NamedTuple):
    """The hashes that identify a turn: 8 bytes each, from which no text can be read."""

    exact: int
    """The key of its words with the record's own id, or else the time in seconds, or the session."""
    alike: int
    """The key of its words alone: Codex writes a forked session's lines again, with the fork's time."""
    own: int
    """The key of its session and words in this kind of transcript (an agent's own, or derived)."""
    other: int
    """The same key for the other kind; ``NOBODY`` if it would be ambiguous."""


def keys(turn: Turn) -> Keys:
    """Return the keys of a turn.

    Calls and results look different in Markdown. A derived transcript as a whole therefore gives way to the agent's own, never
    the reverse.
    """
    words = " ".join(turn.text[:LENGTH].split())
    content = "\0".join((turn.role, turn.happening or "", turn.call, words))
    if turn.locator.record:
        exact = _key("record", turn.locator.record, content)
    else:
        exact = _key("time", str(int(turn.at)), content) if turn.at is not None else _key("session", turn.session, content)
    speaks = bool(turn.text) and (turn.role in _SPEAKERS or turn.role is Role.EVENT)
    own = _key("told", turn.session, turn.role, words if speaks else "")
    derived = turn.agent in DERIVED
    return Keys(exact, _key("alike", content), own ^ derived, own ^ (not derived) if speaks or derived else NOBODY)


def _has_identity(turn: Turn) -> bool:
    return bool(turn.locator.record) or turn.at is not None


def source(path: str, session: str) -> int:
    """Return the source of a turn: one session in one file. A second reading of the file has the same sources."""
    return _key("source", path, session)


def find_repeats(
    turns: Sequence[Turn], found: Sequence[Keys], known_tellers: Mapping[int, int], teller: int, *, first: bool
) -> list[bool]:
    """Return which turns of a session in ``teller`` are repetitions.

    ``known_tellers`` has the first source of each key. With ``first``, the session begins here. Earlier turns of ``teller`` are
    then no repetition, since a file may be read again from its beginning.
    """

    def elsewhere(key: int) -> bool:
        return known_tellers.get(key, teller) != teller

    known = [elsewhere(one.exact) or elsewhere(one.other) for one in found]
    if not first:  # A rewritten file repeats its last turn, but "yes" may be said twice.
        own = [one.exact in known_tellers and (at == 0 or _has_identity(turns[at])) for at, one in enumerate(found)]
        known = [old or again for old, again in zip(known, own, strict=True)]
    if first and teller not in known_tellers.values():
        run = next((at for at, one in enumerate(found) if not (known[at] or elsewhere(one.alike))), len(found))
        if run >= MIN_COPIED_TURNS and any(turn.role is Role.ASSISTANT for turn in turns[:run]):
            known[:run] = [True] * run
    return known


def first_sources(
    found: Sequence[Keys], known: Sequence[bool], known_tellers: Mapping[int, int], teller: int
) -> dict[int, int]:
    """Return the source to store for each key: ``teller``, or the first source of a repeated turn.

    Of the two kinds of a session, only the first is stored.
    """
    new: dict[int, int] = {}
    for one, repeated in zip(found, known, strict=True):
        first = next(
            (known_tellers[key] for key in (one.exact, one.other, one.alike) if known_tellers.get(key, teller) != teller),
            teller,
        )
        for key in (one.exact, one.alike) if one.other in known_tellers else (one.exact, one.alike, one.own):
            if key not in known_tellers:
                new.setdefault(key, first if repeated else teller)
    return new


def _key(*parts: str) -> int:
    digest = blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
