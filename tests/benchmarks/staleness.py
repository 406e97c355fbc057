"""How often a check cries wolf on real histories, and how it follows what moved: single commits of cloned repositories.

    python tests/benchmarks/staleness.py CLONE... [--commits 200]

For each commit every symbol of the files that it changed is taken as anchored at the parent, by a lesson that names nothing
else. Reported: how many symbols in changed files are touched at all, how many of them raise a card, what kinds, and how many
moves are claimed. Clones are only read.
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from page import put

from curator import code
from curator.app import evaluation
from curator.code import language_of
from curator.model import ALARM


@dataclass
class Count:
    """What was seen in one repository."""

    commits: int = 0
    files: int = 0
    symbols: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    alarms: int = 0
    certain: int = 0


def git(clone: Path, *words: str) -> str:
    """The answer of git in a clone, bare or not."""
    done = subprocess.run(["git", "-C", str(clone), *words], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


def commits(clone: Path, count: int) -> Sequence[tuple[str, str]]:
    """The last commits with one parent that change code, as (parent, commit)."""
    found = []
    for line in git(clone, "log", "--no-merges", "--format=%H %P", "-n", str(count * 4)).splitlines():
        commit, *parents = line.split()
        if len(parents) == 1 and any(language_of(path) for _, path in changes(clone, parents[0], commit)[0]):
            found.append((parents[0], commit))
        if len(found) == count:
            break
    return found


def changes(clone: Path, parent: str, commit: str) -> tuple[list[tuple[str, str]], dict[str, str]]:
    """Changed paths with their status, and renamed files old → new."""
    words = iter(git(clone, "diff", "--name-status", "-z", "-M", parent, commit).split("\0"))
    found, renamed = [], {}
    for status in words:
        if status.startswith(("R", "C")):
            old, new = next(words), next(words)
            found += [("D", old), ("A", new)] if status.startswith("R") else [("A", new)]
            if status.startswith("R"):
                renamed[old] = new
        elif status:
            found.append((status[0], next(words)))
    return found, renamed


def version(clone: Path, commit: str) -> code.Version:
    """A commit's files."""

    def read(path: str) -> bytes | None:
        words = ["git", "-C", str(clone), "cat-file", "blob", f"{commit}:{path}"]
        done = subprocess.run(words, capture_output=True, check=False)
        return done.stdout if done.returncode == 0 else None

    return code.Version(read)


def looked(clone: Path, pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str, code.Trace]]:
    """(commit, path, what becomes of it) for every symbol in every changed file."""
    for parent, commit in pairs:
        changed, renamed = changes(clone, parent, commit)
        before, after = version(clone, parent), version(clone, commit)
        came = [path for status, path in changed if status != "D"]
        shift = code.CodeChange(before, after, came, renamed)
        for status, path in changed:
            if status == "A" or not language_of(path):
                continue
            for name in dict.fromkeys(symbol.name for symbol in before.symbols(path)):
                yield commit, path, code.trace(name, path, shift)


def measured(clone: Path, count: int) -> Count:
    """The figures of one repository."""
    pairs = commits(clone, count)
    total = Count(commits=len(pairs))
    files = set()
    for commit, path, traced in looked(clone, pairs):
        files.add((commit, path))
        total.symbols += 1
        total.kinds[traced.drift.value] += 1
        total.alarms += code.base_severity(traced) >= ALARM
        total.certain += traced.certain
    total.files = len(files)
    return total


def labelled(shared: Path, files: Path) -> dict[str, str]:
    """The scorer's figures on the labelled cases, whose files are laid out in a folder."""
    sys.path.insert(0, str(shared / "eval"))
    scorer: Any = importlib.import_module("score")
    cases = shared / "eval" / "staleness_dev.jsonl"
    answers = [evaluation.anchor(json.loads(line), files) for line in cases.read_text("utf-8").splitlines()]
    found: dict[str, str] = scorer.staleness(cases, answers)
    return found


def row(name: str, count: Count) -> str:
    """A repository's figures as a row of the table."""
    touched = count.symbols - count.kinds["unchanged"] - count.kinds["whitespace_or_comment_only"]
    per = 100 * count.alarms / max(1, count.symbols)
    cells = (name, count.commits, count.files, f"{count.symbols:,}", touched, count.alarms, f"{per:.1f}", count.certain)
    return "| " + " | ".join(map(str, cells)) + " |"


TABLE = """| repository | commits | files | symbols in them | touched | cards | cards per 100 symbols | moves followed |
|---|---|---|---|---|---|---|---|"""
TOLD = {
    "cases": "cases",
    "f1": "F1, needs action",
    "false_alarms_on_quiet": "false alarms on quiet cases",
    "kind_accuracy": "kind right",
    "moves_followed": "moves followed",
    "moves_precision": "moves right of those claimed",
}


def main() -> None:
    """Measure and print, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clones", nargs="+", type=Path)
    parser.add_argument("--commits", type=int, default=200)
    parser.add_argument("--shared", type=Path, help="where the labelled cases are")
    parser.add_argument(
        "--files", type=Path, help="where their files are laid out; then docs/notebook/benchmarks.md is written"
    )
    asked = parser.parse_args()
    lines = [TABLE]
    for clone in asked.clones:
        count = measured(clone, asked.commits)
        lines.append(row(clone.name, count))
        print(lines[-1], dict(count.kinds))
    if asked.shared and asked.files:
        found = labelled(asked.shared, asked.files)
        told = "\n".join(f"| {words} | {found[name]} |" for name, words in TOLD.items())
        put(MARK, INTRODUCTION.format(told=told, commits=asked.commits, table="\n".join(lines)))


MARK = "<!-- staleness: what follows is written by staleness.py -->"
INTRODUCTION = """## Staleness quality

Written by `python tests/benchmarks/staleness.py CLONE... --shared ../shared --files DIR`. Labelled cases of six repositories,
symbols before and after real changes with other changed files as distractors; the tracer was made with these cases in view:

| figure | value |
|---|---|
{told}

Real histories, the last {commits} single commits that change code: every symbol in the changed files counts as anchored by a
lesson that names nothing else, so that a card means a change of that size or kind alone.

{table}
"""


if __name__ == "__main__":
    main()
