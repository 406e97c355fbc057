"""Packs: the lessons of a file, a folder or a topic in one short block, within a budget of tokens.

A pack is a pure function of the lessons and their order. So unchanged lessons give the same text, which agents cache. A lesson
is complete or absent. The common part of its paths is named once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from curator.model import Entry
from curator.ranking.rank import SIGNS_A_TOKEN, STALENESS_NOTES
from curator.text.statement import is_path, list_paths, oneline, quotation
from curator.text.words import terms

BUDGET = 600
"""The tokens of a pack by default: about fifteen lessons."""
MIN_SAME_SHARE = 0.8
"""Two lessons that share this part of their words (0 to 1) count as one, if their denials, numbers and names agree."""
MISSES = 40
"""The number of lessons in a row without room after which the search ends."""

_DENIAL = re.compile(r"(?i)\b(?:not|never|no|without|avoid|except|unless|only|instead|before|after)\b|n['’]t\b")
_NAME = re.compile(r"\w*[\d_]\w*|\w+(?:[./:-]\w+)+")
_WILD = re.compile(r"[*?\[{]")


@dataclass(frozen=True, slots=True)
class Pack:
    """A block for an agent: its text, the ids of its lessons, best first, and the numbers of omitted and repeated ones."""

    text: str
    lessons: tuple[str, ...]
    left_out: int = 0
    alike: int = 0

    @property
    def tokens(self) -> int:
        """About how many tokens the text is."""
        return tokens(self.text)


def tokens(text: str) -> int:
    """About how many tokens a text is, rounded up.

    >>> tokens(""), tokens("four words of English")
    (0, 5)
    """
    return -int(-len(text) // SIGNS_A_TOKEN)


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
    """Return the block of these lessons, given best first. Lessons that do not fit are omitted, but a shorter one may fit
    later.

    After many omitted ones in a row, it stops. Lessons of one place form a group under its name, and the common part of all
    places is named once, in the first line.
    """
    entries: dict[str, Entry] = {}
    senses: list[_Sense] = []
    text, left_out, alike, misses = "", 0, 0, 0
    for entry in lessons:
        sense = _Sense.of(entry)
        if any(sense.like(other) for other in senses):
            alike += 1
            continue
        if any(_are_rivals(entry, other) for other in entries.values()) or not all(map(is_path, entry.paths)):
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
    return Pack(text, tuple(entries), left_out, alike)


def _are_rivals(one: Entry, other: Entry) -> bool:
    """Return whether the inbox has a conflict of the two. Then only one of them is sent."""
    return any(a.rival is not None and a.rival.other == b.id for a, b in ((one, other), (other, one)))


def render(lessons: Sequence[Entry]) -> str:
    """Return the block, without any limit; empty for no lessons."""
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
    """Return the folder that all these paths begin with, with its slash; empty for none, and for one path alone.

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
    return STALENESS_NOTES.get(max(alarming, key=lambda finding: finding.severity).drift.state, "") if alarming else ""
