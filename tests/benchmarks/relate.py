"""Measure relations on labelled pairs, and write the section on it of docs/notebook/benchmarks.md.

python tests/benchmarks/relate.py ../shared
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import permutations
from pathlib import Path

from page import put

from curator import comparison
from curator.app.agents import agent_files
from curator.model import Category, Entry, Relating, State
from tests.comparison.rules import BESIDE, CLASHING  # type: ignore[import-untyped]

MARK = "<!-- relations: what follows is written by relate.py -->"
SETS = {
    "conflicts_dev": "edited rules",
    "conflicts_more_dev": "edited rules of other repositories",
    "relations_sessions_dev": "lessons from sessions",
}
CONFLICTS = (Relating.SUPERSEDES, Relating.CONTRADICTS)
INTRODUCTION = """## Relations quality

Written by `python tests/benchmarks/relate.py ../shared`. A question is right if its label is. Supersedes and contradicts
count as one label, conflict. The rules were written with the first two sets in view, so read these figures as an upper
bound.
"""


def lesson(id_: str, text: str) -> Entry:
    """A lesson of nothing but these words."""
    made = {"state": State.ACTIVE, "category": Category.CONVENTION, "created": 0.0, "updated": 0.0}
    return Entry(id=id_, project="", headline=text, insight=text, **made)  # type: ignore[arg-type]


def asked(older: str, newer: str) -> Relating | None:
    """What a person would be asked about a pair; ``None`` for nothing."""
    found = comparison.relate(lesson("b", newer), [lesson("a", older)])
    return found.relating if found else None


def is_right(label: str, relating: Relating) -> bool:
    """Whether a question has the label, or is about a conflict where there is one."""
    return label == relating or (label in CONFLICTS and relating in CONFLICTS)


def pairs(shared: Path, name: str) -> Iterator[Mapping[str, str]]:
    """The labelled pairs of a set."""
    for line in (shared / "eval" / f"{name}.jsonl").read_text("utf-8").splitlines():
        yield json.loads(line)


def row(shared: Path, name: str) -> str:
    """A line of the table: a set and its figures."""
    counts: Counter[str] = Counter()
    for pair in pairs(shared, name):
        counts["pairs"] += 1
        counts["conflicts"] += pair["label"] in CONFLICTS
        if relating := asked(pair["a"], pair["b"]):
            right, conflict = is_right(pair["label"], relating), relating in CONFLICTS
            counts.update(asked=1, right=right, asked_conflicts=conflict, right_conflicts=right and conflict)
    conflicts = f"{counts['right_conflicts']} of {counts['asked_conflicts']}"
    share = f" ({counts['right'] / counts['asked']:.0%})" if counts["asked"] else ""
    return (
        f"| {SETS[name]} | {counts['pairs']} | {counts['right']} of {counts['asked']}{share} | {conflicts} |"
        f" {counts['right_conflicts']} of {counts['conflicts']} |"
    )


def nearly_row(shared: Path, name: str) -> str:
    """Return a line of the second table: a set, and the labels of its pairs that say nearly the same."""
    counts = Counter(pair["label"] for pair in pairs(shared, name) if comparison.nearness(pair["a"], pair["b"]))
    right, every = counts["duplicate"] + counts["refines"], counts.total()
    share = f" ({right / every:.0%})" if every else ""
    return f"| {SETS[name]} | {right} of {every}{share} | {counts['supersedes']} | {every - right - counts['supersedes']} |"


NEARLY = f"""A lesson of yours that is nearly the same as another makes a merge card: a likeness of
{comparison.MIN_NEAR_LIKENESS} or more, five shared words, and no other value. The label of such a pair is right if it is
duplicate or refines. Only the last set has pairs as a library has them: the others are versions of one line, of which a
library holds one."""
NEARLY_HEAD = "| set | nearly the same and right | supersedes | other |\n|---|---:|---:|---:|"


def said_by_files(shared: Path) -> str:
    """Return how many pairs, in both directions, are such that hooks leave out a lesson since a file of the project says it."""
    counts: Counter[tuple[bool, bool]] = Counter()
    for pair in (pair for name in SETS for pair in pairs(shared, name)):
        for one, other in permutations((pair["a"], pair["b"])):
            sent = [agent_files.SentLesson("", one, frozenset())]
            said = agent_files.repetitions(sent, [agent_files.FileStatement("AGENTS.md", other, frozenset())])
            counts[pair["label"] == "duplicate", any(said)] += 1
    same, others = (counts[label, True] + counts[label, False] for label in (True, False))
    return (
        f"Of {same:,} repetitions, both directions counted, hooks leave out {counts[True, True]} if a file of the project says"
        f" them, and {counts[False, True]} of\n{others:,} other pairs."
    )


def section(shared: Path) -> str:
    """The section of docs/notebook/benchmarks.md."""
    head = "| set | pairs | questions that are right | of conflicts | conflicts found |\n|---|---:|---:|---:|---:|"
    found = sum(asked(*pair) in CONFLICTS for pair in CLASHING)
    wrong = sum(asked(*pair) in CONFLICTS for pair in BESIDE)
    made = f"Of made-up rules (`tests/comparison/rules.py`) {found} of {len(CLASHING)} that clash are asked about, and"
    rows = "\n".join(row(shared, name) for name in SETS)
    beside = sum(comparison.nearness(*pair) > 0 for pair in BESIDE)
    nearly = "\n".join(nearly_row(shared, name) for name in SETS)
    return (
        f"{INTRODUCTION}\n{head}\n{rows}\n\n{made}\n{wrong} of {len(BESIDE)} that only look so.\n\n{NEARLY}\n\n"
        f"{NEARLY_HEAD}\n{nearly}\n\nOf the made-up rules that only look alike, {beside} of {len(BESIDE)} make such a card.\n\n"
        f"{said_by_files(shared)}\n"
    )


def main() -> None:
    """Write the section."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shared", type=Path)
    put(MARK, section(parser.parse_args().shared))


if __name__ == "__main__":
    main()
