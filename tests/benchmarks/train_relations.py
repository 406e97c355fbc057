"""Train the shipped classifier of relations on labelled pairs, and measure it on repositories it has not seen.

    python tests/benchmarks/train_relations.py ../shared            # cross-validate, print the figures
    python tests/benchmarks/train_relations.py ../shared --write    # and write curator/comparison/classifier.json
    python tests/benchmarks/train_relations.py ../shared --check    # fail unless training gives that file

The pairs are those of ``eval`` there, of rules files and of sessions, trained on together. The features are those of
``curator.comparison.features``; only those of three repositories or more are kept, and no feature is a word. How much a shared
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
from training import require

from curator.comparison import classifier
from curator.comparison.classifier import CONFLICTS, KINDS, LABELS
from curator.comparison.duplicates import touching
from curator.comparison.features import ALWAYS, FREELY, features
from curator.comparison.statement import roots

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
STRENGTH = 0.003
"""Inverse regularisation: of 0.002, 0.003, 0.004 and 0.005 the one between, over three shuffles; they hardly differ."""
SCALE = 0.1
"""Features are divided by their deviation, but by no less than this: rare ones would else be learned by heart."""
OTHER = 0.2
"""How much a pair of the one kind (edited, in free words) counts when the weights of the other are trained."""
DIGITS = 3
SMALLEST = 0.004
FOLDS = 8
SHUFFLES = 3
LEANS: dict[str, dict[str, tuple[float, ...]]] = {
    "edited": {"contradicts": (0.0, 0.25, 0.5, 0.75)},
    "freely": {"duplicate": (0.0, 0.3, 0.6)},
}
"""What may be added to the log-odds of a label, by kind of pair: of the rare one, and (less or more) of unrelated. With more
choices what is chosen fits the pairs it is chosen on and no others."""
UNRELATED_LEANS = (-1.25, -1.0, -0.75, -0.5, -0.25, 0.0, 0.25)
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
    def norms(self) -> dict[str, tuple[Any, Any]]:
        """By kind of pair what is taken off each feature and what it is divided by, so that the regression converges."""
        rows = {kind: self.values[self.labelled & self.of_kind(kind, self.values)] for kind in KINDS}
        return {kind: (found.mean(axis=0), np.maximum(SCALE, found.std(axis=0))) for kind, found in rows.items()}

    def of_kind(self, kind: str, values: Any) -> Any:
        """Which of some pairs, given by their features, are of a kind."""
        return (values[:, self.names.index(FREELY)] > 0) == (kind == "freely")

    def fitted(self, kind: str, values: Any, labels: Any, worth: Any) -> Any:
        """The regression for a kind of pair; those of the other kind count less."""
        mean, scale = self.norms[kind]
        counted = worth * np.where(self.of_kind(kind, values), 1.0, OTHER)
        return LogisticRegression(C=STRENGTH, max_iter=1000, tol=1e-5).fit((values - mean) / scale, labels, counted)

    def weights(self, kind: str) -> dict[str, list[float]]:
        """By feature a weight a label for a kind of pair, from all pairs."""
        model = self.fitted(kind, self.values, self.labels, self.worth)
        mean, scale = self.norms[kind]
        table = (model.coef_ / scale).T
        table[self.names.index(ALWAYS)] += model.intercept_ - mean @ table
        rounded = np.round(table, DIGITS) + 0.0
        return {
            name: [float(w) for w in row] for name, row in zip(self.names, rounded, strict=True) if abs(row).max() >= SMALLEST
        }

    def linear(self, values: Any, labels: Any, worth: Any) -> Callable[[Any], Any]:
        """A ``Fit`` of the model that is shipped."""
        models = {kind: self.fitted(kind, values, labels, worth) for kind in KINDS}

        def judge(others: Any) -> Any:
            given = np.zeros((len(others), len(LABELS)))
            for kind, model in models.items():
                mean, scale = self.norms[kind]
                if (mine := self.of_kind(kind, others)).any():
                    given[mine] = model.predict_proba((others[mine] - mean) / scale)
            return given

        return judge

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
        """What to add to the log-odds so that the figures to be expected of these pairs are best in the mean of some runs."""
        mine = {kind: rows & self.labelled & self.of_kind(kind, self.values) for kind in KINDS}
        return {kind: leaned([run[mine[kind]] for run in runs], kind) for kind in KINDS}

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
            leans = self.leans([self.unseen(fit, 0, rest)], rest)
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


COARSE = {str(label): "conflict" for label in CONFLICTS}
ROUGH = np.array([2 if label in CONFLICTS else n for n, label in enumerate(LABELS)])
"""One number for both kinds of conflict."""


def leaned(runs: Sequence[Any], kind: str) -> tuple[float, ...]:
    """The lean by which the figures to be expected from some runs' probabilities are best in the mean."""
    rare = LEANS[kind]
    choices = [rare.get(label, UNRELATED_LEANS if label == classifier.UNRELATED else (0.0,)) for label in LABELS]
    logs = [(run, np.log(run + 1e-9)) for run in runs]

    def worth(lean: tuple[float, ...]) -> float:
        return round(float(np.mean([expected(run, (log + lean).argmax(axis=1), kind) for run, log in logs])), 9)

    return max(itertools.product(*choices), key=worth)


def expected(given: Any, found: Any, kind: str) -> float:
    """F1 in the mean of labels that labels found have if the probabilities are right: coarse, of edits fine and coarse."""
    told = np.eye(len(LABELS))[found]
    coarse = _macro(given @ TO_ROUGH, told @ TO_ROUGH)
    return coarse if kind == "freely" else (_macro(given, told) + coarse) / 2


TO_ROUGH = np.eye(len(LABELS))[ROUGH][:, sorted(set(ROUGH))]


def _macro(given: Any, told: Any) -> float:
    return float(np.mean(2 * (given * told).sum(axis=0) / (given.sum(axis=0) + told.sum(axis=0))))


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
        **{kind: trainer.weights(kind) for kind in KINDS},
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
    shipped = json.loads(SHIPPED.read_text("utf-8"))
    made = json.loads(trained(trainer, shipped["provenance"]))
    require(SHIPPED.name, made, shipped, step=10**-DIGITS, smallest=SMALLEST)


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
