"""The origin of a card: a transcript, the lines around its quote, or a lesson file's commit and its author."""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from curator import clock, plugins
from curator.app.curator import Curator
from curator.inbox import likelihood, odds
from curator.io import git
from curator.model import FROM_FILE, Candidate, Entry, Evidence, Line, Role, State, Turn
from curator.store.file_records import WAITING
from curator.text.clean import strip
from curator.text.words import pluralize
from curator.transcripts.base import discover, follow

if TYPE_CHECKING:
    from curator.hookspecs import Format


FILE_ONLY_PENALTY = 1.5
"""Log-odds that a statement loses if only a committed file proves it."""
WHY = "stands in a file of the repository"


def is_committed(format_: Format, path: Path) -> bool:
    """Return whether others may have written the file: git tracks it or gives no answer, or its project has no git.

    If the format is ``forgeable`` anywhere, git is not asked.
    """
    if getattr(format_, "forgeable", False):
        return True
    if not any((folder / ".git").exists() for folder in path.parents):
        return bool(getattr(format_, "in_project", False))
    return git.ask(path.parent, "--literal-pathspecs", "ls-files", "--", path.name) != ""


def mark_as_said_by_file(candidate: Candidate) -> Candidate:
    """Return the candidate with the file as the speaker of a person's words, which lowers their score."""
    if all(item.role is not Role.HUMAN for item in candidate.evidence):
        return candidate
    quotes = tuple(map(quote, candidate.evidence))
    if candidate.evidence[0].role is not Role.HUMAN:
        return replace(candidate, evidence=quotes)
    score = likelihood(odds(candidate.score) - FILE_ONLY_PENALTY)
    return replace(candidate, evidence=quotes, score=score, score_parts={**candidate.score_parts, WHY: -FILE_ONLY_PENALTY})


def quote(item: Evidence) -> Evidence:
    """Return a quote and its context, with the file as the speaker in place of a person."""
    lines = tuple(line._replace(role=speaker(line.role)) for line in item.excerpt)
    return item._replace(role=speaker(item.role), excerpt=lines)


def speaker(role: Role) -> Role:
    """Return who speaks where a file of the repository says that this one does."""
    return Role.FILE if role is Role.HUMAN else role


COMMITS = 2_000
"""Commits of a folder that are looked through."""
MAX_NAME_CHARACTERS = 40
"""Maximum number of characters of a person's name."""
COMMIT_CACHE_SECONDS = 5
"""Seconds for which the current commit is cached."""
PEOPLE = 3
"""The number of people who are named."""


@dataclass(frozen=True, slots=True)
class Commit:
    """The commit that made a file's present state: its short hash, author and day."""

    hash: str
    author: str
    day: str


@dataclass(frozen=True, slots=True)
class Arrivals:
    """The undecided lessons of a folder, and the commits of their files by id. A file that git does not know has none."""

    folder: Path
    entries: tuple[Entry, ...] = ()
    commits: Mapping[str, Commit] | None = None

    def authors(self) -> str:
        """Return the number of lessons of each author, the one with the most first."""
        commits = self._commits
        authors = Counter(commit.author for commit in commits).most_common()
        parts = [f"{count} by {author}" for author, count in authors[:PEOPLE]]
        if len(authors) > PEOPLE:
            parts.append(f"{sum(count for _, count in authors[PEOPLE:])} by {pluralize(len(authors) - PEOPLE, 'other')}")
        if missing := len(self.entries) - len(commits):
            parts.append(f"{missing} in no commit")
        return ", ".join(parts)

    def sentence(self) -> str:
        """Return the number of lessons, their authors, and the newest commit."""
        newest = max(self._commits, key=lambda commit: commit.day, default=None)
        last = f"; the newest commit is {newest.hash} of {newest.day}" if newest else ""
        return f"{pluralize(len(self.entries), 'lesson')}: {self.authors()}{last}"

    @property
    def _commits(self) -> list[Commit]:
        return [commit for entry in self.entries if (commit := (self.commits or {}).get(entry.id))]


def folder_of_file(curator: Curator, id_: str) -> Path | None:
    """Return the folder whose file brought an undecided lesson. Return ``None`` if no file did."""
    places = curator.store.files.places(id_)
    return next((Path(folder) for folder, record in places if record.version == WAITING), None)


def arrivals(curator: Curator, where: Path) -> Arrivals:
    """Return the waiting lessons of a folder of lesson files."""
    records = curator.store.files.in_folder(str(where))
    waiting = [entry for id_ in records if (entry := curator.lessons.peek(id_)) and waits(entry)]
    known = commits(where)
    found = {entry.id: commit for entry in waiting if (commit := known.get(records[entry.id].name))}
    return Arrivals(where, tuple(waiting), found)


def waits(entry: Entry) -> bool:
    """Return whether an entry is a lesson from a file that nobody here has decided on."""
    return entry.signal == FROM_FILE and entry.state is State.OPEN and not entry.version_of


def origin(curator: Curator, entry: Entry) -> str:
    """Return the origin of a waiting lesson: its file with the author and commit, or the member who shared it through the hub.

    Return an empty text for all other entries.
    """
    if not waits(entry):
        return ""
    if shared := next((one for one in curator.store.hub.of_lesson(entry.id) if one.shared_by), None):
        return f"shared by {shared.shared_by} with {shared.team}, kept by {shared.kept_by}"
    folder, name = next(
        ((folder, record.name) for folder, record in curator.store.files.places(entry.id) if record.version == WAITING),
        ("", ""),
    )
    commit = _commits(folder, _recent_head(folder, int(clock.now() / COMMIT_CACHE_SECONDS))).get(name) if folder else None
    who = f"{commit.author}, {commit.hash}, {commit.day}" if commit else "a file in no commit"
    return f"from this repository: {who}" if folder else "from a file that no longer exists"


def team(curator: Curator, entry: Entry) -> str:
    """Return the team of the hub that brought a lesson, or another version of one. Return an empty text if a file did."""
    shared = curator.store.hub.of_lesson(entry.rival.other if entry.rival else entry.id)
    return next((one.team for one in shared if one.theirs or (one.shared_by and not entry.rival)), "")


def commits(folder: Path) -> Mapping[str, Commit]:
    """Return the newest commit of each file in a folder, by name."""
    return _commits(str(folder), _head(str(folder)))


def _head(folder: str) -> str:
    return git.first_line(git.ask(folder, "rev-parse", "--verify", "--quiet", "HEAD")) if os.path.isdir(folder) else ""


@lru_cache(maxsize=4)
def _recent_head(folder: str, period: int) -> str:
    """Return the id of HEAD, cached for a ``period`` of ``COMMIT_CACHE_SECONDS``, because many keys draw a card again."""
    return _head(folder)


@lru_cache(maxsize=4)
def _commits(folder: str, head: str) -> Mapping[str, Commit]:
    """Return the newest commit of each file. It is cached by HEAD, because people look at one repository's cards in a row."""
    if not head:
        return {}
    form = ("--format=%x01%h %ad %an", "--date=short", "--name-only", "--diff-filter=AMR", "--relative", f"-{COMMITS}")
    plain = git.lines(git.ask(folder, "log", *form, head, "--", "."))
    # Some changes are only in merges.
    merges = git.lines(git.ask(folder, "log", "--merges", "-m", "--first-parent", *form, head, "--", "."))
    found: dict[str, Commit] = {}
    commit = Commit("", "", "")
    for line in (*plain, *merges):
        if line.startswith("\x01"):  # no name of a file begins so: git would quote it
            hash_, day, author = [*line[1:].split(" ", 2), "", ""][:3]
            commit = Commit(hash_, " ".join(strip(author).split())[:MAX_NAME_CHARACTERS] or "somebody", day)
        else:
            found.setdefault(line, commit)
    return found


CONTEXT_TURNS = 12
"""Turns that are shown before a quoted one, and after it."""
MAX_TURN_CHARACTERS = 1_200
"""Characters of a turn that is not the quoted one."""


def transcript(evidence: Evidence) -> Path | None:
    """Return the quoted transcript or its compressed copy. Any other file that the evidence names is refused."""
    path = Path(os.path.expanduser(evidence.file))
    for place in (path, path.with_name(path.name + discover.COMPRESSED)) if evidence.file and path.is_absolute() else ():
        with suppress(OSError, ValueError):
            if _format(place):
                return place
    return None


def quote_context(evidence: Evidence, most: int = CONTEXT_TURNS) -> Sequence[Line]:
    """Return the turns before and after a quote, up to a limit, with masked secrets.

    Return nothing if the transcript is gone or no longer has the quote.
    """
    path = transcript(evidence)
    if path is None:
        return ()
    before: deque[Turn] = deque(maxlen=most)
    hit: Turn | None = None
    after: list[Turn] = []
    for turn in turns(path):
        if evidence.session and turn.session != evidence.session:
            continue
        if hit is None and turn.locator.line <= evidence.line <= turn.locator.line_end and _is_quoted(turn, evidence):
            hit = turn
        elif hit is None:
            before.append(turn)
        elif len(after) < most:
            after.append(turn)
        else:
            break
    lines = [_line(turn, turn is hit) for turn in (*before, hit, *after) if turn.text.strip()] if hit else []
    return [line._replace(role=speaker(line.role)) for line in lines] if evidence.role is Role.FILE else lines


def turns(path: Path) -> Iterator[Turn]:
    """Yield all turns of a transcript during its reading. Yield none if no format knows it."""
    format_ = _format(path)
    for progress in follow.portions(format_, path) if format_ else ():
        yield from progress.turns[progress.old_turns :]


def _format(path: Path) -> Format | None:
    """Return the format of a transcript. The first card does not import any of them."""
    return discover.format_of(path, plugins.formats())


def sessions(path: Path) -> dict[str, list[Turn]]:
    """Return the turns of a transcript by their session. Raises ``OSError``."""
    found: dict[str, list[Turn]] = {}
    for turn in turns(path):
        found.setdefault(turn.session, []).append(turn)
    return found


def _is_quoted(turn: Turn, evidence: Evidence) -> bool:
    """Return whether a turn is the quoted one. A record of several turns has one place for all."""
    start = " ".join(evidence.quote.split())[:40]
    return turn.role is evidence.role or start in " ".join(turn.text.split())


def _line(turn: Turn, hit: bool) -> Line:
    return Line(
        turn.role, turn.text if hit or len(turn.text) <= MAX_TURN_CHARACTERS else f"{turn.text[:MAX_TURN_CHARACTERS]} …", hit
    )
