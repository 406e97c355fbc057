"""Measure relations on repositories the model has not seen, and write the section on it of docs/benchmarks.md.

    python tests/benchmarks/relate.py ../shared
    python tests/benchmarks/relate.py ../shared --alarms    # print every alarm in real stores instead, to be read

Trees have one model for all pairs.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # threads that wait for one another on a busy machine cost minutes

import argparse
import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import made
import numpy as np
from page import put
from sklearn.ensemble import RandomForestClassifier  # type: ignore[import-untyped]
from train_relations import FOLDS, SHUFFLES, Trainer

from curator import app, comparison
from curator.comparison.classifier import LABELS, compare_by_rules, exact
from curator.model import Change, Entry, Relating, State, Verb

MARK = "<!-- relations: what follows is written by relate.py -->"
SHOWN = {
    "macro_f1": "macro F1",
    "coarse_macro_f1": "coarse macro F1",
    "f1_duplicate": "duplicate",
    "f1_refines": "refines",
    "f1_supersedes": "supersedes",
    "f1_contradicts": "contradicts",
    "f1_conflict": "either conflict",
    "f1_unrelated": "unrelated",
    "false_conflicts_on_unrelated": "conflicts claimed on unrelated",
}
INTRODUCTION = """## Relations quality

Written by `python tests/benchmarks/relate.py ../shared`: {pairs} labelled pairs of {repositories} repositories, all sets
trained together, judged by models (and by what leans their answers) that were made on other repositories ({folds} folds, the
mean of {shuffles} shuffles, one for trees). F1 by label. Supersedes and contradicts count as one label in the coarse figures.
Features were chosen with the whole set in view; read two digits.
"""


def by_rules(trainer: Trainer) -> Any:
    """The label of every pair by the rules alone."""
    found = [compare_by_rules(pair.older, pair.newer) for pair in trainer.pairs]
    return np.array([LABELS.index(one[0] if one else "unrelated") for one in found])


def exactly(trainer: Trainer, found: Any) -> Any:
    """Labels given by a model, behind what needs no guess: as ``curator eval relate`` gives them."""
    certain = [exact(pair.older, pair.newer) for pair in trainer.pairs]
    return np.array([LABELS.index(one[0]) if one else label for one, label in zip(certain, found, strict=True)])


def trees(trainer: Trainer, make: Any, shuffle: int) -> Any:
    """The label of every pair by trees of the same features."""

    def fit(values: Any, labels: Any, worth: Any) -> Any:
        model = make().fit(values, labels, worth)
        return model.predict_proba

    given = trainer.unseen(fit, shuffle)
    return trainer.chosen(given, trainer.leans([given], np.ones(len(trainer.pairs), dtype=bool)))


def report(trainer: Trainer) -> str:
    """The section of docs/benchmarks.md."""
    forest = lambda: RandomForestClassifier(200, min_samples_leaf=2, max_features=0.15, random_state=0)  # noqa: E731
    linear = [exactly(trainer, trainer.cross_validated(trainer.linear, shuffle)) for shuffle in range(SHUFFLES)]
    methods = {
        "rules only": [by_rules(trainer)],
        "**linear, as shipped**": linear,
        "random forest": [trees(trainer, forest, 0)],
    }
    lines = [
        INTRODUCTION.format(
            pairs=f"{int(trainer.labelled.sum()):,}",
            repositories=len({pair.repository for pair in trainer.pairs}),
            folds=FOLDS,
            shuffles=SHUFFLES,
        )
    ]
    for part, rows in trainer.parts().items():
        lines += [f"Pairs of {part} ({int(rows.sum())}):", "", f"| method | {' | '.join(SHOWN.values())} |"]
        lines.append("|---" * (len(SHOWN) + 1) + "|")
        lines += [f"| {name} | {cells([trainer.figures(run, rows) for run in runs])} |" for name, runs in methods.items()]
        lines.append("")
    counts, pairs, compared_ = tally(alarms(trainer.shared))
    lines += [
        f"All {pairs:,} pairs of the labelled lessons of a repository, each against the earlier ones, as at a scan:",
        f"{compared_:,} of them were compared, since they share something rare. The model has seen some of these pairs.",
        "",
        "| the inbox would be told | times | per 1,000 pairs |",
        "|---|---|---|",
        *[f"| {relating} | {counts[relating]} | {1000 * counts[relating] / pairs:.2f} |" for relating in Relating],
    ]
    return "\n".join(lines)


def cells(rows: Sequence[Mapping[str, Any]]) -> str:
    """The means of some figures as cells of a table."""
    return " | ".join(f"{np.mean([row[name] for row in rows]):.3f}".lstrip("0") for name in SHOWN)


Alarm = tuple[str, str, str, int, int]


def alarms(shared: Path) -> Iterator[Alarm]:
    """For each labelled lesson (relation or "", older, newer, earlier lessons, how many of them were compared)."""
    by_repository: dict[str, list[str]] = defaultdict(list)
    for path in sorted((shared / "eval" / "detection").glob("gold_*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            by_repository[row["file"].split("/")[1]].append(row["insight"])
    for _, texts in sorted(by_repository.items()):
        with tempfile.TemporaryDirectory() as folder:
            curator = made.opened(Path(folder))
            for n, text in enumerate(texts):
                new = lesson(n, text)
                near = app.targets.near(curator, new, new.project, State.ACTIVE)
                found = comparison.relate(new, near)
                older = next((other.insight for other in near if found and other.id == found.other), "")
                yield found.relating if found else "", older, text, n, len(near)
                curator.store.apply([(Verb.ADD, Change(before=None, after=new))], actor="detector", at=0.0)
            curator.close()


def lesson(n: int, text: str) -> Entry:
    """A stored lesson of these words."""
    return made.entry(n, 0.0, State.ACTIVE)._replace(headline=text[:60], insight=text, files=(), symbols=())


def tally(found: Iterator[Alarm]) -> tuple[Counter[str], int, int]:
    """How often each relation was told, of how many pairs, and how many were compared."""
    counts: Counter[str] = Counter()
    pairs = compared_ = 0
    for relating, _, _, earlier, near in found:
        counts[relating] += 1
        pairs += earlier
        compared_ += near
    return counts, pairs, compared_


def main() -> None:
    """Run as a script."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("shared", type=Path)
    parser.add_argument("--alarms", action="store_true")
    options = parser.parse_args()
    if options.alarms:
        for relating, older, newer, _, _ in alarms(options.shared):
            if relating:
                print(relating, f"    {older}", f"    {newer}", sep="\n")
        return
    put(MARK, report(Trainer(options.shared)))


if __name__ == "__main__":
    main()
