"""Train the shipped classifier of relations on labelled pairs, and measure it on repositories it has not seen.

    python tests/benchmarks/train_relations.py ../shared            # cross-validate, print the figures
    python tests/benchmarks/train_relations.py ../shared --write    # and write curator/relations/classifier.json
    python tests/benchmarks/train_relations.py ../shared --check    # fail unless training gives that file, bit for bit

The pairs are those of ``eval`` there, of rules files and of sessions, trained on together. The features are those of
``curator.relations.features``; only those of three repositories or more are kept, and no feature is a word. How much a shared
root tells follows from how many repositories use it; what fewer than three use is not in the file.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # sums in one order, so that weights are the same to the last bit

import argparse
import importlib
import itertools
import json
import math
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import __version__ as sklearn_version  # type: ignore[import-untyped]
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

from curator.relations import classifier
from curator.relations.classifier import CONFLICTS, LABELS
from curator.relations.features import ALWAYS, FREELY, features
from curator.relations.statement import roots
from curator.relations.terms import touching

SETS = ("conflicts_dev", "conflicts_more_dev", "relations_sessions_dev")
SESSIONS = SETS[-1]
UNLABELLED = "unlabelled"
"""Pairs of lessons of one repository that share something and that nobody labelled: nearly all are unrelated."""
MANY = 40
"""So many of them a repository."""
WORTH = 0.1
"""How much each counts."""
REPOSITORIES = 3
"""A feature, and a root, must occur in so many."""
STRENGTH = 0.004
"""Inverse regularisation: the best of 0.001, 0.002, 0.003 and 0.004 over three shuffles, which hardly differ."""
SCALE = 0.2
"""Features are divided by their deviation, but by no less than this: rare ones would else be learned by heart."""
DIGITS = 3
SMALLEST = 0.004
FOLDS = 8
SHUFFLES = 3
LEANS = (-0.5, 0.0, 0.5, 1.0, 1.5)
FALSE = 0.025
"""Share of unrelated pairs in free words that may be called a conflict: somewhat below the target, for other repositories."""
SHIPPED = Path(classifier.__file__).with_name(classifier.DATA)

Fit = Callable[[Any, Any, Any], Callable[[Any], Any]]
"""Takes features, labels and weights of some pairs; gives what tells the probabilities of others."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two labelled texts, of which repository and set."""

    id: str
    of: str
    repository: str
    older: str
    newer: str
    label: str


def read(shared: Path) -> list[Pair]:
    """The labelled pairs, all sets together."""
    found = []
    for name in SETS:
        for line in (shared / "eval" / f"{name}.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            found.append(Pair(row["id"], name, known_as(row["repo"]), row["a"], row["b"], row["label"]))
    return found


def unlabelled(shared: Path, pairs: Sequence[Pair]) -> list[Pair]:
    """Some pairs of lessons of one repository that are not among these."""
    known = {frozenset((pair.older, pair.newer)) for pair in pairs}
    lessons: dict[str, list[str]] = defaultdict(list)
    for row in labelled_lessons(shared):
        lessons[known_as(row["file"].split("/")[1])].append(row["insight"])
    found = []
    for repository, texts in sorted(lessons.items()):
        free = [pair for pair in itertools.combinations(texts, 2) if frozenset(pair) not in known and touching(*pair)]
        for older, newer in random.Random(0).sample(free, min(MANY, len(free))):
            found.append(Pair("", UNLABELLED, repository, older, newer, classifier.UNRELATED))
    return found


def labelled_lessons(shared: Path) -> list[dict[str, Any]]:
    """The lessons that detection is measured by."""
    paths = sorted((shared / "eval" / "detection").glob("gold_*.jsonl"))
    return [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()]


def known_as(repository: str) -> str:
    """One name for a repository in all sets."""
    return repository.replace("__", "/").lower()


def telling(shared: Path, pairs: Sequence[Pair]) -> dict[str, float]:
    """How much each root tells that three repositories or more use: less, the more do. Labels have no say in it."""
    where: dict[str, set[str]] = defaultdict(set)
    for pair in pairs:
        for root in (*roots(pair.older), *roots(pair.newer)):
            where[root].add(pair.repository)
    for row in labelled_lessons(shared):
        for root in roots(f"{row['headline']} {row['insight']}"):
            where[root].add(known_as(row["file"].split("/")[1]))
    count = len(set().union(*where.values()))
    rare = math.log(count / (REPOSITORIES / 2))
    return {
        root: round(math.log(count / len(found)) / rare, 2)
        for root, found in sorted(where.items())
        if len(found) >= REPOSITORIES
    }


class Trainer:
    """All pairs as a matrix; trains on any part of the repositories."""

    def __init__(self, shared: Path) -> None:
        sys.path.insert(0, str(shared / "eval"))
        self.scorer: Any = importlib.import_module("score")  # the scorer beside the labels
        self.shared = shared
        self.pairs = read(shared)
        self.roots = telling(shared, self.pairs)
        self.pairs += unlabelled(shared, self.pairs)
        self.features = [features(pair.older, pair.newer, lambda root: self.roots.get(root, 1.0)) for pair in self.pairs]
        where: dict[str, set[str]] = defaultdict(set)
        for pair, found in zip(self.pairs, self.features, strict=True):
            for name in found:
                where[name].add(pair.repository)
        self.names = sorted(name for name, seen in where.items() if len(seen) >= REPOSITORIES)
        self.values = np.array([[found.get(name, 0.0) for name in self.names] for found in self.features])
        self.labels = np.array([LABELS.index(pair.label) for pair in self.pairs])
        self.freely = np.array([FREELY in found for found in self.features])
        self.sets = np.array([pair.of for pair in self.pairs])
        self.labelled = self.sets != UNLABELLED
        self.worth = np.where(self.labelled, 1.0, WORTH)

    @cached_property
    def mean(self) -> Any:
        """What is taken off each feature, so that the regression converges."""
        return self.values[self.labelled].mean(axis=0)

    @cached_property
    def scale(self) -> Any:
        """What each feature is divided by."""
        return np.maximum(SCALE, self.values[self.labelled].std(axis=0))

    def weights(self, rows: Any) -> dict[str, list[float]]:
        """By feature a weight a label, from some of the pairs."""
        model = self.regression(rows)
        table = (model.coef_ / self.scale).T
        table[self.names.index(ALWAYS)] += model.intercept_ - self.mean @ table
        rounded = np.round(table, DIGITS) + 0.0
        return {
            name: [float(w) for w in row] for name, row in zip(self.names, rounded, strict=True) if abs(row).max() >= SMALLEST
        }

    def regression(self, rows: Any) -> Any:
        """The regression on some of the pairs."""
        return regression().fit((self.values[rows] - self.mean) / self.scale, self.labels[rows], self.worth[rows])

    def linear(self, values: Any, labels: Any, worth: Any) -> Callable[[Any], Any]:
        """A ``Fit`` of the model that is shipped."""
        model = regression().fit((values - self.mean) / self.scale, labels, worth)
        return lambda others: model.predict_proba((others - self.mean) / self.scale)

    def folds(self, shuffle: int, rows: Any = None) -> Any:
        """Which fold each pair is in: that of its repository, about as many pairs in each."""
        chosen = range(len(self.pairs)) if rows is None else np.flatnonzero(rows)
        size = Counter(self.pairs[n].repository for n in chosen)
        chance = np.random.RandomState(shuffle)
        names = sorted(size)
        shuffled = [names[n] for n in chance.permutation(len(names))]
        order = sorted(shuffled, key=lambda name: -size[name] * (0.7 + 0.6 * chance.rand()))
        filled, where = [0] * FOLDS, {}
        for name in order:
            fold = filled.index(min(filled))
            filled[fold] += size[name]
            where[name] = fold
        return np.array([where.get(pair.repository, -1) for pair in self.pairs])

    def unseen(self, fit: Fit, shuffle: int, rows: Any = None) -> Any:
        """The probabilities of every label for pairs of repositories that were not trained on; ``rows`` are all there is."""
        given = np.full((len(self.pairs), len(LABELS)), 1 / len(LABELS))
        where = self.folds(shuffle, rows)
        for fold in range(FOLDS):
            mine = where == fold
            rest = (where != fold) & (where >= 0)
            given[mine] = fit(self.values[rest], self.labels[rest], self.worth[rest])(self.values[mine])
        return given

    def leans(self, runs: Sequence[Any], rows: Any) -> dict[str, tuple[float, ...]]:
        """What to add to the log-odds so that the figures of these pairs are best in the mean of some runs."""
        return {
            "freely": self._lean(runs, rows & self.labelled & self.freely, freely=True),
            "edited": self._lean(runs, rows & self.labelled & ~self.freely, freely=False),
        }

    def _lean(self, runs: Sequence[Any], rows: Any, *, freely: bool) -> tuple[float, ...]:
        best, chosen = -1.0, (0.0,) * len(LABELS)
        truth = self.labels[rows]
        logs = [np.log(run[rows] + 1e-9) for run in runs]
        for lean in itertools.product((0.0,), *[LEANS] * (len(LABELS) - 1)):
            worth = float(np.mean([worthy(truth, (log + lean).argmax(axis=1), freely=freely) for log in logs]))
            if worth > best + 1e-9:
                best, chosen = worth, lean
        return chosen

    def chosen(self, given: Any, leans: Mapping[str, Sequence[float]]) -> Any:
        """The label of every pair."""
        added = np.where(self.freely[:, None], np.array(leans["freely"]), np.array(leans["edited"]))
        return (np.log(given + 1e-9) + added).argmax(axis=1)

    def cross_validated(self, fit: Fit, shuffle: int) -> Any:
        """The label of every pair by a model, and by leans, that never saw its repository."""
        found = np.zeros(len(self.pairs), dtype=int)
        where = self.folds(shuffle)
        for fold in range(FOLDS):
            rest = where != fold
            leans = self.leans([self.unseen(fit, inner, rest) for inner in range(SHUFFLES)], rest)
            given = np.full((len(self.pairs), len(LABELS)), 1 / len(LABELS))
            given[~rest] = fit(self.values[rest], self.labels[rest], self.worth[rest])(self.values[~rest])
            found[~rest] = self.chosen(given, leans)[~rest]
        return found

    def figures(self, found: Sequence[int], rows: Any) -> dict[str, Any]:
        """What the scorer says of the labels given to some pairs."""
        truth, guess = ([LABELS[n] for n, one in zip(labels, rows, strict=True) if one] for labels in (self.labels, found))
        coarse_truth, coarse_guess = ([COARSE.get(x, x) for x in one] for one in (truth, guess))
        fine = self.scorer.f1_by_class(truth, guess)
        rough = self.scorer.f1_by_class(coarse_truth, coarse_guess)
        false = sum(t == "unrelated" and g == "conflict" for t, g in zip(coarse_truth, coarse_guess, strict=True))
        return {
            "accuracy": float(np.mean([t == g for t, g in zip(truth, guess, strict=True)])),
            "macro_f1": sum(fine.values()) / len(fine),
            "coarse_macro_f1": sum(rough.values()) / len(rough),
            "f1_conflict": rough["conflict"],
            "false_conflicts_on_unrelated": false / max(1, truth.count("unrelated")),
            **{f"f1_{name}": value for name, value in fine.items()},
        }

    def parts(self) -> dict[str, Any]:
        """The pairs that are told of for themselves."""
        sessions = self.sets == SESSIONS
        return {"rules": self.labelled & ~sessions, "sessions": sessions, **{name: self.sets == name for name in SETS[:2]}}


def regression() -> Any:
    """The regression that is shipped, untrained."""
    return LogisticRegression(C=STRENGTH, max_iter=1000, tol=1e-5)


COARSE = {str(label): "conflict" for label in CONFLICTS}


def worthy(truth: Any, guess: Any, *, freely: bool) -> float:
    """How good some labels are: F1 in the mean of labels, fine and coarse; in free words coarse, with few false conflicts."""
    rough = np.array([2 if LABELS[n] in CONFLICTS else n for n in range(len(LABELS))])
    coarse = _macro(rough[truth], rough[guess])
    if not freely:
        return (_macro(truth, guess) + coarse) / 2
    unrelated = truth == len(LABELS) - 1
    false = float((rough[guess][unrelated] == 2).mean()) if unrelated.any() else 0.0
    return coarse - 5 * max(0.0, false - FALSE)


def _macro(truth: Any, guess: Any) -> float:
    size = len(LABELS)
    right = np.bincount(truth[truth == guess], minlength=size)
    asked, told = np.bincount(truth, minlength=size), np.bincount(guess, minlength=size)
    return float(np.mean([2 * right[n] / (asked[n] + told[n]) for n in range(size) if asked[n]]))


def trained(trainer: Trainer, told: Mapping[str, Any]) -> str:
    """The text of the file to ship; ``told`` are the figures that go with it."""
    everything = np.ones(len(trainer.pairs), dtype=bool)
    leans = trainer.leans([trainer.unseen(trainer.linear, shuffle) for shuffle in range(SHUFFLES)], everything)
    given = {
        "version": classifier.VERSION,
        "provenance": told,
        "labels": LABELS,
        "lean": leans,
        "roots": trainer.roots,
        "weights": trainer.weights(everything),
    }
    lines = [
        f"{json.dumps(key)}: {_table(value) if isinstance(value, dict) else json.dumps(value)}" for key, value in given.items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _table(rows: Mapping[str, Any]) -> str:
    return (
        "{\n"
        + ",\n".join(f" {json.dumps(name, ensure_ascii=False)}: {json.dumps(value)}" for name, value in rows.items())
        + "\n}"
    )


TOLD = (
    "macro_f1",
    "coarse_macro_f1",
    "f1_contradicts",
    "f1_duplicate",
    "f1_refines",
    "f1_conflict",
    "false_conflicts_on_unrelated",
)


def provenance(trainer: Trainer) -> dict[str, Any]:
    """From what the weights were made, and how good they are."""
    runs = [trainer.cross_validated(trainer.linear, shuffle) for shuffle in range(SHUFFLES)]
    figures = {
        name: {key: round(float(np.mean([trainer.figures(run, rows)[key] for run in runs])), 3) for key in TOLD}
        for name, rows in trainer.parts().items()
    }
    return {
        "made by": f"tests/benchmarks/train_relations.py with scikit-learn {sklearn_version}",
        "from": f"{int(trainer.labelled.sum())} labelled pairs, {int((~trainer.labelled).sum())} unlabelled ones as unrelated, "
        f"of {len({pair.repository for pair in trainer.pairs})} repositories",
        "features": f"{len(trainer.names)}, each in at least {REPOSITORIES} repositories",
        "cross-validated by repository": figures,
    }


def check(trainer: Trainer) -> None:
    """Exit with a sentence unless training gives the file that is shipped."""
    shipped = SHIPPED.read_text("utf-8")
    if trained(trainer, json.loads(shipped)["provenance"]) != shipped:
        sys.exit(f"training does not give {SHIPPED.name}: run train_relations.py with --write")
    print("training gives the weights that are shipped")


def main() -> None:
    """Run as a script."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("shared", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    trainer = Trainer(options.shared)
    print(f"{len(trainer.pairs)} pairs, {len(trainer.names)} features", flush=True)
    if options.check:
        check(trainer)
        return
    told = provenance(trainer)
    print(json.dumps(told, indent=2))
    if options.write:
        SHIPPED.write_text(trained(trainer, told), "utf-8")


if __name__ == "__main__":
    main()
