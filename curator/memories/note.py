"""The nouns of agents' memories: a store, a path of it, a file in that path, and a note. Also, whether a note is a report."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from curator import clock
from curator.text.redact import MASK
from curator.text.words import runs, word_set


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
    """True if the folder is in the work tree, so that other people may have written it."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file with notes, cleaned and with masked secrets."""

    place: Place
    path: Path
    name: str
    """The path within the place, with slashes. If the place is a file, it is the file's own name."""
    text: str
    at: float = 0.0
    files: frozenset[str] = frozenset()
    """The names of all files of the place."""
    secrets: frozenset[int] = frozenset()
    """The lines with a masked secret."""


OF_PLACE = "*"
"""The project of a note that is that of its place."""


@dataclass(frozen=True, slots=True)
class Note:
    """A note of an agent for itself: its words and their place in a file. ``Store.notes`` says whose it is."""

    line: int
    text: str
    title: str = ""
    why: str = ""
    how: str = ""
    kind: str = "note"
    session: str = ""
    at: float = 0.0
    under: str = ""
    """The heading above the note. For a waiting hunk, it has the lines that the hunk removes."""
    first: int = 0
    """The first line that belongs to the note, where that is before its text."""
    last: int = 0
    """The last line of a rule with its reason and its use, where a file has several."""
    project: str = OF_PLACE
    """The folder of the project. It is empty for all projects."""
    scope: str = ""
    store: str = ""
    agent: str = ""
    path: Path = Path()
    secret: bool = False
    shared: bool = False
    """True if the note is in the work tree, where agents read it only if a rules file says so."""

    @property
    def whole(self) -> str:
        """Return the whole text of the note without its title."""
        return "\n".join(filter(None, (self.text, self.why, self.how)))


@dataclass(frozen=True, slots=True)
class Store:
    """An agent's way to keep notes: their folders, their files, and the way to cut a file."""

    name: str
    agent: str
    places: Callable[[Surroundings], Iterable[Place]]
    files: re.Pattern[str]
    """The names of files with notes, relative to their place."""
    cut: Callable[[Source], Iterator[Note]]
    """Yields the notes of a file as far as the file itself says."""
    loaded: re.Pattern[str]
    """The names of files that the agent reads at each start."""
    most_lines: int = 0
    most_characters: int = 0
    """The lines and characters of such a file that the agent reads. 0 means all."""
    mixed: bool = False
    """True if people write into such a file too, so that only its notes count."""
    head: re.Pattern[str] | None = None
    """The line above a note that belongs to it."""
    whole: bool = False
    """True if a note without such a line is the complete file."""
    requests: str = ""
    """The folder for requests to the agent, if only the agent may write into its files. Otherwise it is empty."""

    def notes(self, source: Source) -> Iterator[Note]:
        """Yield the notes of a file in order, without empty ones."""
        for note in self.cut(source):
            if not any(map(str.isalpha, note.text)):
                continue
            last = note.line + note.whole.count("\n")
            scope, project = source.place.scope, source.place.project
            if note.project != OF_PLACE:
                scope, project = "project" if note.project else "global", note.project
            yield replace(
                note,
                scope=scope,
                project=project,
                store=self.name,
                agent=self.agent,
                path=source.path,
                title=note.title or (note.under if note.text.startswith(("```", "~~~")) else "") or first_sentence(note.text),
                at=note.at or source.at,
                secret=not source.secrets.isdisjoint(range(note.first or note.line, last + 1))
                or bool(source.secrets and MASK in note.whole),
                shared=source.place.shared,
            )

    def start(self, source: Source) -> tuple[str, int]:
        """Return the part of a file that the agent reads at each start, and the number of lines after its limit."""
        if not self.loaded.fullmatch(source.name):
            return "", 0
        if self.mixed:
            return "\n".join(note.text for note in self.notes(source)), 0
        lines = source.text.split("\n")
        kept = "\n".join(lines[: self.most_lines or None])[: self.most_characters or None]
        return kept, max(0, len(source.text.rstrip("\n").split("\n")) - kept.count("\n") - 1)


def digest(text: str) -> str:
    """Return the hash by which a card recognises its note."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]


_SENTENCE = re.compile(
    r"(?is)(.+?(?:(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)[.!?。！？]|:(?= (?:1\.|[-*•]) )))(?:[\"'”’)*`_]*(?:\s|$)|(?<=[。！？]))"
)
_MARKS = re.compile(r"^(?:\s*(?:[-*+•>#]+|\d{1,3}[.)]))*\s*|\*\*")


def first_sentence(text: str) -> str:
    """Return the first sentence of a text in one line.

    >>> first_sentence("**Never** mock the clock. It hides\\nraces.")
    'Never mock the clock.'
    >>> first_sentence("Renew a token (e.g. for ads) by hand. It expires.")
    'Renew a token (e.g. for ads) by hand.'
    >>> first_sentence("Follow the list: 1. Pull. 2. Push.")
    'Follow the list:'
    """
    lines = (_MARKS.sub("", line).strip() for line in text.split("\n"))
    first = " ".join(next((line for line in lines if line), "").split())
    found = _SENTENCE.match(first)
    return found[1] if found else first


def moment(value: object) -> float:
    """Return a time from a file, in seconds since the epoch. Return 0 without one.

    >>> moment("1970-01-01T00:01:00Z"), moment("soon")
    (60.0, 0.0)
    """
    try:
        at = clock.parse_iso(str(value))
    except (ValueError, OverflowError):
        return 0.0
    return at if clock.is_plausible(at) else 0.0


# --- reports of progress ------------------------------------------------------------
#
# A single date or "done" proves little, because rules have them too. So the signs are counted, and those in a title count
# double.

KINDS = frozenset(("project", "note", "inline", "reference", "waiting"))
"""Kinds that may be reports. Agents use other kinds for a person's statements and their lessons from these."""
LEAST = 2
"""Signs that make a report."""
MAX_TITLE_CHARACTERS = 160
"""Characters of a title in which signs count double: a longer one is a whole statement."""
_HINTS = word_set(
    "phase phases done complete completed finished shipped wip todo resolved historical blocked deferred pending implemented x",
    "progress next remaining open still yet started backlog blocker blockers roadmap path merged deployed migrated now pr prs",
    "pull commit commits pass passing passed green score coverage plan plans currently current built fixed added created",
    "completion delivered closed",
    " ".join(map(str, range(2020, 2040))),
)
"""One of these words is in every sign: a note without one needs no search."""

_DATE = (
    r"(?:20\d\d-\d\d(?:-\d\d)?|(?:\d{1,2}[./]){2}20\d\d|"
    r"(?:\d{1,2}(?:st|nd|rd|th)? )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
    r"(?: \d{1,2}(?:st|nd|rd|th)?)?,? 20\d\d)\b"
)
_ENDED = r"(?:completed?|completion|finished|shipped|delivered|implemented|merged|resolved|closed|done)"

_SIGNS = tuple(
    re.compile(words)
    for words in (
        r"(?i)\bphases? \d+(?:\s*[-–/&,]\s*\d+)*\b[^.\n]{0,60}\b(?:done|complete\w*|finished|shipped|next|open)\b|"
        r"\bPHASE \d+ (?:DONE|COMPLETE)|(?i:\ball phases\b)",
        r"(?<!(?: is|are|was|ere) )\b"
        r"(?:DONE|WIP|TODO|RESOLVED|COMPLETED?|SHIPPED|HISTORICAL|BLOCKED|PENDING|IMPLEMENTED)\b|\[x\]",
        r"(?i)\b(?:in progress|work in progress|next steps?|remaining (?:work|tasks?|steps?)|"
        r"open (?:work|items?|questions?)|still (?:open|to do|pending)|"
        r"not (?:yet|started)|to be done|backlog|blockers?|deferred|roadmap|path to \d)\b",
        rf"(?i)\b(?:as of|updated|verified|added|logged|landed|status|{_ENDED})(?: on| date)?\W{{0,5}}{_DATE}",
        rf"(?im)^\W{{0,8}}(?:date |last |status\W{{1,5}})?{_ENDED}(?: on| date)?\b\W{{0,5}}{_DATE}",  # a label: twice a sign
        rf"(?im)^[^\n]{{0,100}} [-–—(] ?{_DATE}\)?:?$",  # a heading with its day
        r"(?i)\b(?:session|sprint|status|progress|milestone|arc|state|handoff|snapshots?)\b[^.\n]{0,40}\b20\d\d\b",
        r"(?i)\b(?:now|is|are|was|were|has been|have been|fully|successfully) (?:\w+ )?"
        r"(?:implemented|completed?|merged|shipped|"
        r"resolved|finished|deployed|migrated)\b|\b(?:implementation|integration|migration|refactor\w*) (?:is )?complete\w*\b|"
        r"\bnow (?:supports?|uses?|works?|lives?|has)\b",
        r"(?i)\b(?:PRs?|pull requests?) ?#?\d+|\b\d+ PRs?\b|\bcommits? `?[0-9a-f]{7,12}\b",
        r"(?i)\b\d[\d,]* (?:tests?|suites?|checks?|specs?)\b[^.\n]{0,30}\b(?:pass\w*|green)\b",
        r"(?i)\b\d[\d,]* ?(?:/|of) ?\d[\d,]*\b[^.\n]{0,30}\b(?:pass(?:ed|ing)?|green|done|completed?)\b",
        r"(?i)\b(?:score|coverage|progress)\b\W{0,6}\d+(?:\.\d+)?\s*(?:/\s*\d+|%)",
        r"(?i)\bplan(?:\s+written)?:? ?(?:\d{2,4}\b|`[^`\n]*plans?/)|\bplan \d{2,4}\b",
        r"(?i)\bcurrently\b|\bcurrent (?:state|status|batch|focus|phase|score|work)\b",
        r"(?m)(?:^|: )(?:Implemented|Built|Completed|Added|Created|Fixed|Finished) ",
    )
)
_REPLACED = re.compile(r"\W{0,8}(?:SUPERSEDED|OBSOLETE|OUTDATED)\b|(?i:\W{0,8}superseded by )")


def is_status(note: Note) -> bool:
    """Return whether a note is a report of progress, which is soon out of date, or says that another note replaced it."""
    if _REPLACED.match(note.title):
        return True
    whole = note.whole if note.kind == "inline" else f"{note.under}\n{note.whole}"  # which many inline ones share
    title = f"{note.title[:MAX_TITLE_CHARACTERS]}\n{note.path.stem.replace('_', ' ')}"
    if note.kind not in KINDS or _HINTS.isdisjoint(runs(f"{title} {whole}".lower())):
        return False
    found = [sign for sign in _SIGNS if sign.search(whole)]
    titled = found if note.title in whole else _SIGNS
    return len(found) + sum(bool(sign.search(title)) for sign in titled) >= LEAST
