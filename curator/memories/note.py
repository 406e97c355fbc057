"""The nouns of agents' memories: a store, a place of it, a file in that place, and a note."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from curator import clock
from curator.text.redact import MASK


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The folders of a search for stores: a home, the variables that move stores, and a work tree."""

    home: Path
    env: Mapping[str, str] = field(default_factory=dict)
    repo: Path | None = None

    def folder(self, variable: str, default: str) -> Path:
        """Return the folder of a variable, or else the one of this name in the home folder."""
        value = self.env.get(variable, "")
        return Path(value.replace("~", str(self.home), 1) if value.startswith("~") else value or self.home / default)


@dataclass(frozen=True, slots=True)
class Place:
    """A folder or file in which one store keeps notes.

    No link may lead out of the folder ``base``. ``project`` is the folder of the project; empty for all projects.
    """

    path: Path
    base: Path
    project: str = ""
    scope: str = "global"
    """``global``, ``project``, or ``subagent:NAME`` for the notes of one subagent."""
    shared: bool = False
    """True if the place lies in the work tree, so that others may have written it."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file with notes, cleaned and with masked secrets."""

    place: Place
    path: Path
    name: str
    """The path within the place, with slashes; the file's own name where the place is a file."""
    text: str
    at: float = 0.0
    files: frozenset[str] = frozenset()
    """The names of all files of the place."""
    secrets: frozenset[int] = frozenset()
    """The lines with a masked secret."""


@dataclass(frozen=True, slots=True)
class Note:
    """A note of an agent for itself: its words, its place, its agent, and its project."""

    store: str
    agent: str
    path: Path
    line: int
    project: str
    scope: str
    title: str
    text: str
    why: str = ""
    how: str = ""
    kind: str = ""
    session: str = ""
    at: float = 0.0
    under: str = ""
    """The heading above the note; for a waiting hunk, the lines that it removes."""
    secret: bool = False
    shared: bool = False
    """True if the note lies in the work tree, where agents read it only if a rules file says so."""

    @property
    def whole(self) -> str:
        """Everything that the note says, without its title."""
        return "\n".join(filter(None, (self.text, self.why, self.how)))


@dataclass(frozen=True, slots=True)
class Store:
    """An agent's way to keep notes: their folders, their files, and the way to cut a file."""

    name: str
    agent: str
    places: Callable[[Surroundings], Iterable[Place]]
    files: re.Pattern[str]
    """The names of files with notes, relative to their place."""
    cut: Callable[[Source], Iterator[Cut]]
    loaded: re.Pattern[str]
    """The names of files that the agent reads at each start."""
    most_lines: int = 0
    most_characters: int = 0
    """The lines and characters of such a file that the agent reads; 0 for all."""
    mixed: bool = False
    """True if people write into such a file too, so that only its notes count."""
    head: re.Pattern[str] | None = None
    """The line above a note that belongs to it."""
    whole: bool = False
    """True if a note without such a line is the whole file."""
    requests: str = ""
    """The folder for requests to the agent, which alone may write into its files; empty where others may."""

    def cuts(self, source: Source) -> Iterator[Cut]:
        """Yield the notes of a file in order, without empty ones."""
        return (one for one in self.cut(source) if any(map(str.isalpha, one.text)))

    def notes(self, source: Source) -> Iterator[Note]:
        """Yield the notes of a file, in order."""
        for cut in self.cuts(source):
            last = cut.line + cut.whole.count("\n")
            yield Note(
                store=self.name,
                agent=self.agent,
                path=source.path,
                line=cut.line,
                project=source.place.project if cut.project is None else cut.project,
                scope=source.place.scope if cut.project is None else "project" if cut.project else "global",
                title=cut.title or (cut.under if cut.text.startswith(("```", "~~~")) else "") or headline(cut.text),
                text=cut.text,
                why=cut.why,
                how=cut.how,
                kind=cut.kind,
                session=cut.session,
                at=cut.at or source.at,
                under=cut.under,
                secret=not source.secrets.isdisjoint(range(cut.first or cut.line, last + 1))
                or bool(source.secrets and MASK in cut.whole),
                shared=source.place.shared,
            )

    def start(self, source: Source) -> tuple[str, int]:
        """Return the part of a file that the agent reads at each start, and the number of lines beyond its limit."""
        if not self.loaded.fullmatch(source.name):
            return "", 0
        if self.mixed:
            return "\n".join(note.text for note in self.notes(source)), 0
        lines = source.text.split("\n")
        kept = "\n".join(lines[: self.most_lines or None])[: self.most_characters or None]
        return kept, max(0, len(source.text.rstrip("\n").split("\n")) - kept.count("\n") - 1)


@dataclass(frozen=True, slots=True)
class Cut:
    """A note cut from a file, before its project is known."""

    line: int
    text: str
    title: str = ""
    why: str = ""
    how: str = ""
    kind: str = "note"
    session: str = ""
    at: float = 0.0
    under: str = ""
    project: str | None = None
    """The folder of the project, where it is another than that of the place; empty for all projects."""
    first: int = 0
    """The first line that belongs to the note, where that is before its text."""
    last: int = 0
    """The last line of a rule with its reason and its use, where a file has several."""

    @property
    def whole(self) -> str:
        """Everything from the note's first word to its last."""
        return "\n".join(filter(None, (self.text, self.why, self.how)))


def digest(text: str) -> str:
    """Return the hash by which a card recognises its note."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]


MAX_HEADLINE_CHARACTERS = 160
_SENTENCE = re.compile(r"(?s)(.+?[.!?。！？])(?:[\"'”’)*`_]*(?:\s|$)|(?<=[。！？]))")
_MARKS = re.compile(r"^(?:\s*(?:[-*+•>#]+|\d{1,3}[.)]))*\s*|\*\*")


def headline(text: str) -> str:
    """Return the first sentence of a text in one line.

    >>> headline("**Never** mock the clock. It hides\\nraces.")
    'Never mock the clock.'
    """
    lines = (_MARKS.sub("", line).strip() for line in text.split("\n"))
    first = " ".join(next((line for line in lines if line), "").split())
    found = _SENTENCE.match(first)
    words = found[1] if found else first
    return words if len(words) <= MAX_HEADLINE_CHARACTERS else words[: MAX_HEADLINE_CHARACTERS - 1].rstrip() + "…"


def moment(value: object) -> float:
    """Return a time that a file gives, in seconds since the epoch; 0 where it gives none.

    >>> moment("1970-01-01T00:01:00Z"), moment("soon")
    (60.0, 0.0)
    """
    try:
        at = clock.parse_iso(str(value))
    except (ValueError, OverflowError):
        return 0.0
    return at if clock.is_plausible(at) else 0.0
