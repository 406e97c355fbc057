"""Packs: the lessons of a file, a folder or a topic in one block, and the tokens that a project's lessons cost an agent.

The text of a pack depends only on the lessons and their order. Unchanged lessons therefore give the same text, which agents
cache. A lesson is complete or absent. The common part of its paths is named once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from curator import ranking
from curator.app import install, project_files, search
from curator.app.curator import Curator
from curator.errors import NoProject
from curator.model import JSON, Entry
from curator.ranking import SEND_THRESHOLD, Hit, Question
from curator.store.indexes import Line
from curator.text.statement import is_path, list_paths, oneline, quotation
from curator.text.words import terms

BUDGET = 600
"""The tokens of a pack by default: about fifteen lessons."""
MIN_SAME_SHARE = 0.8
"""The share of common words (0 to 1) that makes two lessons one, if their denials, numbers and names agree."""
MISSES = 40
"""The number of consecutive lessons that do not fit, after which the search ends."""

_DENIAL = re.compile(r"(?i)\b(?:not|never|no|without|avoid|except|unless|only|instead|before|after)\b|n['’]t\b")
_NAME = re.compile(r"\w*[\d_]\w*|\w+(?:[./:-]\w+)+")
_WILD = re.compile(r"[*?\[{]")


def pack(curator: Curator, words: str = "", files: Sequence[str] = (), budget: int = BUDGET) -> Pack:
    """Return the pack for words and files (relative to the project), of the whole project without either.

    Raises ``CuratorError`` without a project.
    """
    if curator.project is None:
        raise NoProject("a pack needs one")
    every = curator.store.ranking_index.lines(curator.scope or "")
    chosen = choose(curator, every, words, files)
    group_of = ranking.group_copies((line.id, other) for line in every for other in line.copies)
    best: dict[frozenset[str], Line] = {}
    for line in chosen:
        best.setdefault(group_of.get(line.id, frozenset((line.id,))), line)
    lines = [*best.values()]
    tops = cache(lambda: curator.tops(curator.project) if curator.project else [])
    entries = (entry for line in lines if (entry := curator.lessons.peek(line.id)))
    found = compile((inner for entry in entries for inner in project_files.for_files([entry], tops)[0].values()), budget)
    left_out = len(lines) - len(found.lessons) - found.alike - found.rivals
    return replace(found, left_out=left_out, alike=found.alike + len(chosen) - len(lines))


def choose(curator: Curator, every: Sequence[Line], words: str, files: Sequence[str]) -> list[Line]:
    """Return the lessons for the words or for one of the files, best first. Without words and files, return all."""
    question = Question("prompt", words, tuple(files))
    hits = {hit.id: hit for hit in search.hits(curator, curator.scope or "", question)} if words or files else {}
    fitting = [line for line in every if not (words or files) or fits(line, hits.get(line.id), question, files)]
    scores = {id_: hit.score for id_, hit in hits.items()}
    return sorted(fitting, key=lambda line: (-scores.get(line.id, 0.0), -line.outcome_odds, -line.created, line.id))


def fits(line: Line, hit: Hit | None, question: Question, files: Sequence[str]) -> bool:
    """Return whether a lesson belongs into a pack: it is about the file, shares half of the words, or a hook would send it."""
    if hit and (hit.score >= SEND_THRESHOLD or (hit.words and 2 * len(hit.words) >= len(question.prompt_terms))):
        return True
    return any(contains_file(place, file) for place in line.places for file in files)


def contains_file(place: str, file: str) -> bool:
    """Return whether a lesson's path matches ``file``, contains it, or is inside it if ``file`` is a folder.

    >>> contains_file("=a/b.py", "a"), contains_file("a/**", "a/c.py"), contains_file("=a/b.py", "a/c.py")
    (True, True, False)
    """
    if not place.startswith("="):
        return place.startswith(f"{file}/") or ranking.matches(place, file.split("/"))
    name = place[1:].rstrip("/")
    return name == file or name.startswith(f"{file}/") or file.startswith(f"{name}/")


def cost(curator: Curator) -> JSON:
    """Return the number of lessons that may be sent, and their tokens: of all, at a start, and the maximum for a prompt or a
    file.

    ``block`` is the part in the files of agents. Raises ``CuratorError`` without a project.
    """
    if curator.project is None:
        raise NoProject("--cost needs one")
    lines = curator.store.ranking_index.lines(curator.project.id)
    sizes = sorted((len(f"{line.id}: {line.message}") + ranking.LINE_OVERHEAD for line in lines), reverse=True)
    sent, _ = ranking.choose(search.hits(curator, curator.project.id, Question("start")), "start")
    start = sum(len(ranking.line_of(hit)) + ranking.LINE_OVERHEAD for hit in sent)
    costs = {"start": _tokens(start)} | {moment: _tokens(_most(sizes, moment)) for moment in ("prompt", "file")}
    block = sum(map(tokens, install.block_lines(curator, curator.project)))
    return {"lessons": len(lines), "all": sum(tokens(line.message) for line in lines), **costs, "block": block}


def _most(sizes: list[int], moment: str) -> int:
    """Return the characters that the longest lessons take at a moment, within its limit."""
    return min(ranking.LIMITS[moment] - ranking.MARKUP, sum(sizes[: ranking.MAX_LESSONS_BY_MOMENT[moment]]))


def _tokens(characters: int) -> int:
    """Return the tokens of lessons with the marks around them. Return 0 for no lessons."""
    return round((characters + ranking.MARKUP) / ranking.SIGNS_A_TOKEN) if characters else 0


@dataclass(frozen=True, slots=True)
class Pack:
    """A block for an agent: its text, the ids of its lessons, best first, and the numbers of the other lessons.

    Those had no space (``left_out``), repeat one of the block (``alike``), or are in conflict with one (``rivals``).
    """

    text: str
    lessons: tuple[str, ...]
    left_out: int = 0
    alike: int = 0
    rivals: int = 0

    @property
    def tokens(self) -> int:
        """Return the approximate number of tokens of the text."""
        return tokens(self.text)


def tokens(text: str) -> int:
    """Return the approximate number of tokens of a text, rounded up.

    >>> tokens(""), tokens("four words of English")
    (0, 5)
    """
    return -int(-len(text) // ranking.SIGNS_A_TOKEN)


@dataclass(frozen=True, slots=True)
class _Sense:
    """The parts of a lesson that are compared: words, denials and limits, numbers and names, paths."""

    line: str
    order: tuple[str, ...]
    terms: frozenset[str]
    exact: tuple[list[str], list[str]]
    paths: frozenset[str]

    @classmethod
    def of(cls, entry: Entry) -> _Sense:
        """Return the parts of a lesson."""
        text = f"{oneline(entry)}{staleness_note(entry)}"
        denials, names = (sorted(map(str.lower, rule.findall(text))) for rule in (_DENIAL, _NAME))
        words = tuple(terms(text))
        return cls(text, words, frozenset(words), (denials, names), frozenset(entry.paths))

    def like(self, other: _Sense) -> bool:
        """Return whether the two say nearly the same of the same place, so that one of them will do."""
        if self.paths != other.paths or self.exact != other.exact:
            return False
        if self.exact[0] and self.order != other.order:  # the same words, but who knows which of them are denied
            return False
        return self.line == other.line or len(self.terms & other.terms) >= MIN_SAME_SHARE * max(
            1, len(self.terms | other.terms)
        )


def compile(lessons: Iterable[Entry], budget: int = BUDGET) -> Pack:
    """Return the block of these lessons, given best first.

    Lessons that do not fit are omitted, but a shorter one may fit later. After many omitted ones in a row, it stops. Lessons
    with one path form a group under its name. The first line names the common part of all paths once.
    """
    entries: dict[str, Entry] = {}
    senses: list[_Sense] = []
    text, left_out, alike, rivals, misses = "", 0, 0, 0, 0
    for entry in lessons:
        sense = _Sense.of(entry)
        if any(sense.like(other) for other in senses):
            alike += 1
            continue
        if any(_are_rivals(entry, other) for other in entries.values()):
            rivals += 1
            continue
        if not all(map(is_path, entry.paths)):
            left_out += 1
            continue
        longer = render([*entries.values(), entry])
        if tokens(longer) > budget:
            left_out, misses = left_out + 1, misses + 1
            if misses >= MISSES:
                break
            continue
        misses = 0
        entries[entry.id], text = entry, longer
        senses.append(sense)
    return Pack(text, tuple(entries), left_out, alike, rivals)


def _are_rivals(one: Entry, other: Entry) -> bool:
    """Return whether the inbox has a conflict of the two. Then only one of them is sent."""
    return any(a.rival is not None and a.rival.other == b.id for a, b in ((one, other), (other, one)))


def render(lessons: Sequence[Entry]) -> str:
    """Return the block without any limit. Return an empty text for no lessons."""
    groups: dict[tuple[str, ...], list[Entry]] = {}
    for entry in lessons:
        groups.setdefault(tuple(sorted(entry.paths)), []).append(entry)
    base = common_folder([path for paths in groups for path in paths])
    lines = [f"Lessons (paths below {base}):" if base else "Lessons:"] if groups else []
    for paths in sorted(groups, key=bool):  # lessons for the whole project need no name of a place, so they come first
        lines += [f"In {list_paths(path[len(base) :] for path in paths)}:"] if paths else []
        lines += [f"- {line(entry)}" for entry in groups[paths]]
    return "\n".join(lines)


def common_folder(paths: Sequence[str]) -> str:
    """Return the folder with which all these paths begin, with its slash. Return an empty text for none, and for only one path.

    >>> common_folder(["src/http/**", "src/http/client.py"]), common_folder(["src/**"]), common_folder(["src/a.py", "web/b.ts"])
    ('src/http/', '', '')
    """
    if len(paths) < 2:
        return ""
    literal = [_WILD.split(path, maxsplit=1)[0].split("/")[:-1] for path in paths]
    count = 0
    for parts in zip(*literal, strict=False):
        if len(set(parts)) > 1:
            break
        count += 1
    return "".join(f"{part}/" for part in literal[0][:count])


def line(entry: Entry) -> str:
    """Return a lesson on one line, with a note if its code has changed."""
    return f"{quotation(entry)}{staleness_note(entry)}"


def staleness_note(entry: Entry) -> str:
    """Return a note on the fate of a lesson's code, if it matters."""
    alarming = [finding for finding in entry.findings if finding.alarming]
    return ranking.STALENESS_NOTES.get(max(alarming, key=lambda finding: finding.severity).drift.state, "") if alarming else ""
