"""The parts of a session that a replay keeps: its questions and their times, its length, the names and files in it.

Texts of sessions are not kept, so that thousands of them can be replayed at once; of their words only those remain by
which some lesson is known (``vocabulary``).
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from curator.model import Entry, Evidence, Happening, Role, Turn

START, PROMPT, FILE, FORGET = "start", "prompt", "file", "forget"
"""Moments: a session begins, a person speaks, a file is touched for the first time, the agent's context is summarised."""
SHORTEST = 4
"""Letters of a word that tells something."""
SHARED = 2
"""The number of rare words of a lesson in one turn that show it is about that turn."""
RAREST = 0.02
"""A word is rare that so few of the lessons have, or two of them."""

_WORDS = re.compile(r"\w{4,}")


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment at which a hook asks, at a turn of a session: project, words, files at hand."""

    index: int
    kind: str
    project: str
    prompt: str = ""
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session that is over. Its turns are known by their numbers.

    ``times``: seconds since the epoch of each turn, never going back. ``sizes``: tokens of all turns up to each one.
    ``persons``: the turns in which a person speaks. ``speech``, ``calls``: (turn, the words of the vocabulary that are said in
    it, or stand in a tool's call). ``file_turns``: the last turn that calls for each file, by its place in the project.
    """

    id: str
    agent: str
    file: str
    lines: array[int]
    times: array[float]
    sizes: array[int]
    persons: array[int]
    moments: tuple[Moment, ...]
    speech: tuple[tuple[int, frozenset[str]], ...]
    calls: tuple[tuple[int, frozenset[str]], ...]
    file_turns: Mapping[str, int]

    @property
    def end(self) -> float:
        """The time of its last turn."""
        return self.times[-1]

    def tokens(self, first: int, last: int) -> int:
        """Tokens of the turns from ``first`` on and before ``last``."""
        return self.sizes[last - 1] - (self.sizes[first - 1] if first else 0) if last > first else 0

    def work_before(self, index: int) -> tuple[int, int]:
        """(first, index): the turns since a person spoke before this one: what the agent did meanwhile."""
        place = bisect_right(self.persons, index - 1)
        return (self.persons[place - 1] + 1 if place else index), index


Where = Callable[[str, tuple[str, ...]], tuple[str, tuple[str, ...]] | None]
"""(folder, files) to (project, the files as its lessons name them); ``None`` for a folder outside all projects."""


def session(
    turns: Sequence[Turn],
    where: Where,
    touches: Callable[[Turn], bool],
    size: Callable[[str], int],
    words: frozenset[str],
    began: float,
) -> Session:
    """Return what is kept of the turns of one session.

    ``touches`` says of a call whether a hook is called for it, ``size`` how many tokens a text is; ``words`` is the vocabulary.
    ``began`` stands in for the time of turns that have none.
    """
    times, sizes, persons = array("d"), array("q"), array("q")
    speech: list[tuple[int, frozenset[str]]] = []
    calls: list[tuple[int, frozenset[str]]] = []
    file_turns: dict[str, int] = {}
    now, total, folder = next((turn.at for turn in turns if turn.at), began), 0, ""
    for index, turn in enumerate(turns):
        now, total, folder = max(now, turn.at or 0.0), total + size(turn.text), turn.cwd or folder
        times.append(now)
        sizes.append(total)
        if by_person(turn):
            persons.append(index)
        if turn.role in (Role.HUMAN, Role.ASSISTANT, Role.TOOL_CALL):
            known = words.intersection(_WORDS.findall(turn.text.lower()))
            if known:
                (calls if turn.role is Role.TOOL_CALL else speech).append((index, known))
        if turn.role is Role.TOOL_CALL and turn.paths and (place := where(folder, turn.paths)):
            file_turns |= dict.fromkeys(place[1], index)
    return Session(
        id=turns[0].session,
        agent=turns[0].agent,
        file=turns[0].locator.file,
        lines=array("q", (turn.locator.line for turn in turns)),
        times=times,
        sizes=sizes,
        persons=persons,
        moments=tuple(moments(turns, where, touches)),
        speech=tuple(speech),
        calls=tuple(calls),
        file_turns=file_turns,
    )


def moments(turns: Sequence[Turn], where: Where, touches: Callable[[Turn], bool]) -> Iterator[Moment]:
    """Yield the moments at which hooks fire in a session. A subagent's calls are left out: its context is its own.

    An agent whose context was summarised begins anew, as it tells its hooks.
    """
    folder = next((turn.cwd for turn in turns if turn.cwd), "")
    seen = set[str]()
    if found := where(folder, ()):
        yield Moment(0, START, found[0])
    for index, turn in enumerate(turns):
        folder = turn.cwd or folder
        if turn.happening is Happening.COMPACTION and (found := where(folder, ())):
            yield Moment(index, FORGET, found[0])
            yield Moment(index, START, found[0])
        if turn.sidechain or not (found := where(folder, turn.paths)):
            continue
        project, files = found
        if turn.role is Role.HUMAN and turn.text.strip() and turn.happening is not Happening.ANSWER:
            yield Moment(index, PROMPT, project, prompt=turn.text.strip())
        elif turn.role is Role.TOOL_CALL and files and touches(turn) and not seen.issuperset(files):
            yield Moment(index, FILE, project, files=files)
            seen.update(files)


def by_person(turn: Turn) -> bool:
    """Return whether a person says this, in a prompt, a refusal or an answer."""
    answers = turn.role is Role.EVENT and turn.happening in (Happening.REFUSAL, Happening.ANSWER)
    return answers or (turn.role is Role.HUMAN and not turn.sidechain)


def place(turns: Sequence[Turn], quoted: Evidence) -> int | None:
    """Return the turn in which a quote stands: the one on its line that has its words, else the first on its line."""
    words = " ".join(quoted.quote.split())[:40]
    on_line = [
        at for at, turn in enumerate(turns) if turn.locator.line <= quoted.line <= max(turn.locator.line, turn.locator.line_end)
    ]
    with_words = (at for at in on_line if words in " ".join(turns[at].text.split()))
    return next(with_words, on_line[0] if on_line else None)


@dataclass(frozen=True, slots=True)
class Signs:
    """The signs of a lesson's use in a session: its files, its symbols, its rare words."""

    files: frozenset[str]
    symbols: frozenset[str]
    rare: frozenset[str]


def signs(entries: Sequence[Entry]) -> dict[str, Signs]:
    """Return the signs of each lesson, by id; a word is rare among all of these."""
    words = {entry.id: frozenset(_WORDS.findall(f"{entry.headline} {entry.insight}".lower())) for entry in entries}
    have = Counter(word for each in words.values() for word in each)
    few = max(2, RAREST * len(entries))
    return {
        entry.id: Signs(
            files=frozenset((*entry.files, *(anchor.path for anchor in entry.anchors))),
            symbols=frozenset(
                word
                for name in (*entry.symbols, *(anchor.symbol for anchor in entry.anchors))
                for word in _WORDS.findall(name.lower())[-1:]
            ),
            rare=frozenset(word for word in words[entry.id] if have[word] <= few),
        )
        for entry in entries
    }


def vocabulary(known: Iterable[Signs]) -> frozenset[str]:
    """Return the words of sessions that matter to any of these."""
    return frozenset[str]().union(*(each.symbols | each.rare for each in known))


def fits(session: Session, index: int, sign: Signs) -> bool:
    """Return whether a session, after this turn, touches a lesson's files, calls for its symbols or speaks of its rare
    words.
    """
    if any(session.file_turns.get(file, -1) > index for file in sign.files):
        return True
    if any(at > index and sign.symbols & words for at, words in (*session.calls, *session.speech)):
        return True
    return any(at > index and len(sign.rare & words) >= SHARED for at, words in session.speech)
