"""Measure detection on repositories it has not seen, and write the section on it of docs/notebook/benchmarks.md.

python tests/benchmarks/detection.py ../shared
"""

from __future__ import annotations

import argparse
import copy
import json
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from page import put
from train import CAP, COUNTS, FOLDS, SHIPPED, SHUFFLES, TOLD, Trainer, cross_validated, figures, floors, shown, worth_of

from curator.model import Candidate, Category
from curator.store.entries import MIN_SHOWN

MARK = "<!-- detection: what follows is written by detection.py -->"
Found = Sequence[Sequence[Candidate]]
"""The candidates of each session."""
Decisions = Mapping[tuple[str, int, str], Mapping[str, Any]]
"""What a maintainer said of cards, by file, line and the beginning of the quote."""
SAME = 60
"""Characters in which two quotes agree that are the same evidence."""
FIRST = (40, 100, 200)
HEAD = "| cards a session | precision | recall | must-capture recall | category agrees |"


def decisions(shared: Path) -> Decisions:
    """What maintainers said of cards, by file, line and the beginning of the quote."""
    rows = map(json.loads, (shared / "eval" / "cards_dev.jsonl").read_text("utf-8").splitlines())
    return {(row["file"], row["line"], row["quote"][:SAME]): row for row in rows}


def report(shared: Path) -> str:
    """The section of docs/notebook/benchmarks.md on detection: as shipped, curve, first cards, scores, formats, kinds."""
    trainer = Trainer(shared)
    found = [cross_validated(trainer, shuffle) for shuffle in range(SHUFFLES)]
    floor = json.loads(SHIPPED.read_text("utf-8"))["floor"]
    lines = [INTRODUCTION.format(shuffles=SHUFFLES, sessions=len(trainer.sessions), folds=FOLDS, least=MIN_SHOWN, most=CAP)]
    lines += [f"| cards {HEAD}", "|---" * 6 + "|"]
    lines.append(f"| **as shipped** (score ≥ {floor}) | {cells([figures(trainer, one, floor) for one in found])}")
    for count in COUNTS:
        lines.append(f"| {count} | {cells([figures(trainer, one, floors(one, [count])[0]) for one in found])}")
    lines += ["", *first_cards(trainer, found, decisions(shared), floor), "", *reliability(trainer, found)]
    lines += ["", "By format, as shipped:", "", f"| format {HEAD}", "|---" * 6 + "|"]
    for name in sorted({session.file.split("/")[0] for session in trainer.sessions}):
        with only(trainer, f"{name}/") as part:
            lines.append(f"| {name} | {cells([figures(part, one, floor) for one in found])}")
    lines += ["", "Labelled lessons found by kind, as shipped:", "", "| kind | found |", "|---|---|"]
    shipped = [figures(trainer, one, floor) for one in found]
    lines += [f"| {kind} | {', '.join(one.get(f'recall_{kind}', '–') for one in shipped)} |" for kind in Category]
    return "\n".join(lines) + "\n"


def first_cards(trainer: Trainer, runs: Sequence[Found], kept: Decisions, floor: float) -> Iterator[str]:
    """The lines on the first cards of a scan of all sessions: how many of them are right."""
    yield from (
        "The first cards of a scan of all sessions, by labels, and by a maintainer's decisions where there are any:",
        "",
    )
    yield from ("| first | right by labels | kept, or kept with other words | with a decision |", "|---|---|---|---|")
    for count in FIRST:
        labels, decided = [], []
        for found in runs:
            cards = [
                (one, session) for session, all_ in zip(trainer.sessions, found, strict=True) for one in shown(all_, floor)
            ]
            for card, session in sorted(cards, key=lambda pair: -pair[0].score)[:count]:
                worth = worth_of(trainer, session.file, card)
                labels += [worth >= 2] if worth != 1 else []
                at = card.evidence[0]
                decided += [row["verdict"] != "drop"] if (row := kept.get((session.file, at.line, at.quote[:SAME]))) else []
        share = f"{len(decided) / len(runs) / count:.0%}"
        yield f"| {count} | {np.mean(labels):.2f} | {np.mean(decided):.2f} | {share} |"


def reliability(trainer: Trainer, runs: Sequence[Found]) -> Iterator[str]:
    """The lines on what scores claim and what labels say, by tenths of the score."""
    yield from (
        "What a score claims, and how many of the cards with it are right by labels, those below the floor as well:",
        "",
    )
    yield from ("| score | cards | claimed | right |", "|---|---|---|---|")
    some: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for found in runs:
        for session, all_ in zip(trainer.sessions, found, strict=True):
            for card in shown(all_, 0.0):
                if (worth := worth_of(trainer, session.file, card)) != 1:
                    some[int(card.score * 10)].append((card.score, worth >= 2))
    for tenth in sorted(some):
        claimed, right = np.mean(some[tenth], axis=0)
        yield f"| .{tenth} | {len(some[tenth]) / len(runs):.0f} | {claimed:.2f} | {right:.2f} |"


INTRODUCTION = """## Detection quality

Written by `python tests/benchmarks/detection.py ../shared`: {sessions} labelled sessions, judged by models that were trained
on other repositories ({folds} folds, the mean of {shuffles} shuffles). Cards are those that the inbox shows of a session: three
of five, at least {least} and at most {most}. Labels are not exhaustive, so
precision is a lower bound. Chance, and features chosen with the whole set in view, make the third digit meaningless.
"""


def cells(rows: Sequence[Mapping[str, Any]]) -> str:
    """The means of some figures as cells of a table."""
    return " | ".join(f"{np.mean([row[name] for row in rows]):.3f}".lstrip("0") for name in TOLD) + " |"


@contextmanager
def only(trainer: Trainer, prefix: str) -> Iterator[Trainer]:
    """The same trainer with the labels of some files only, those whose names begin so."""
    with tempfile.TemporaryDirectory() as folder:
        for path in trainer.folder.glob("*_*.jsonl"):
            rows = [json.dumps(row) for row in trainer.scorer.rows(path) if row["file"].startswith(prefix)]
            Path(folder, path.name).write_text("\n".join(rows), "utf-8")
        part = copy.copy(trainer)
        part.folder = Path(folder)
        yield part


def main() -> None:
    """Run as a script."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("shared", type=Path)
    put(MARK, report(parser.parse_args().shared))


if __name__ == "__main__":
    main()
