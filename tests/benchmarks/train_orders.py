"""Train the model that finds dangerous orders, and measure it on lines it has not seen.

    python tests/benchmarks/train_orders.py ../shared             # cross-validate, print the table
    python tests/benchmarks/train_orders.py ../shared --write     # and write curator/text/orders.json
    python tests/benchmarks/train_orders.py ../shared --check     # fail unless training gives the shipped weights
    python tests/benchmarks/train_orders.py ../shared --set FILE  # measure the shipped weights on a set of lessons

The lines are those of ``orders/*.txt``, written for it: a kind in brackets heads its lines, ``none`` those that only look like
orders; a bar parts headline and insight. So are the samples of ``tests/text``, whose orders have no kind. Real lessons are
innocent as well: those of ``eval`` there, read and not copied. The features are those of ``curator.text.orders``; only those of
three lines or more are kept. A set has a line of JSON for each lesson: class (order, innocent or hidden), kind, headline and
insight.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from binascii import b2a_base64
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from struct import pack
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix, vstack  # type: ignore[import-untyped]
from sklearn import __version__ as sklearn_version  # type: ignore[import-untyped]
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]
from training import require

from curator.text import injection, orders
from curator.text.orders import sentences, traits

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.text.samples import INNOCENT, ORDERS  # type: ignore[import-untyped]

LINES = Path(__file__).with_name("orders")
SHIPPED = Path(orders.__file__).with_name(orders.DATA)
NONE = "none"
STRENGTH = 10.0
"""Inverse regularisation of the model."""
CLEAR = 4.0
"""How much more a command, or a verb with its object, counts than a word: so much less is its weight held back."""
KIND_STRENGTH = 5.0
REAL = 0.3
"""Weight of a real lesson beside a written line: they are many, and most are far from any order."""
SENTENCE = 0.3
"""Weight of a sentence of an innocent text beside the whole."""
FLAGGED = 0.03
"""Share of real lessons, unseen by training, that the model may take for orders: its floor follows."""
LEAST = 3
"""Lines in which a feature must occur."""
SMALLEST, KIND_SMALLEST = 50, 60
"""Hundredths: smaller weights are left out."""
FOLDS, BLOCK = 8, 25
"""Folds take whole blocks of lines, which were written one after the other."""


class Line(NamedTuple):
    """A text with its kind and the block it was written in."""

    text: str
    kind: str
    block: tuple[str, str, int]


def lines(folder: Path = LINES) -> list[Line]:
    """The lines of every file, in order."""
    found = []
    for path in sorted(folder.glob("*.txt")):
        kind, counts = NONE, Counter[str]()
        for line in path.read_text("utf-8").splitlines():
            if head := re.fullmatch(r"\[(\w+)\]", line):
                kind = head[1]
                continue
            side = "none" if kind == NONE else "order"
            found.append(Line(line.replace(" | ", "\n", 1), kind, (path.name, side, counts[side] // BLOCK)))
            counts[side] += 1
    for number, text in enumerate((*INNOCENT, *ORDERS)):
        found.append(Line(text, NONE if number < len(INNOCENT) else "", ("samples", "", number // BLOCK)))
    return found


def lessons(shared: Path) -> list[str]:
    """Real lessons, which order nobody to do harm."""
    found = [_text(row) for row in _rows(shared / "eval" / "cards_dev.jsonl")]
    for row in _rows(shared / "eval" / "distill_dev" / "answers.jsonl"):
        try:
            found += [_text(one) for one in json.loads(row["answer"])]
        except (ValueError, KeyError, TypeError):
            continue
    return found


def _text(row: dict[str, str]) -> str:
    return f"{row['headline']}\n{row['insight']}"


def _rows(path: Path) -> Iterator[Any]:
    yield from map(json.loads, path.read_text("utf-8").splitlines())


def _sentences(text: str) -> list[frozenset[str]]:
    """The features of each sentence."""
    return [frozenset(trait.name for trait in traits(text[start:end])) for start, end in sentences(text)]


def common(rows: Sequence[frozenset[str]]) -> list[str]:
    """The features that occur often enough, in order."""
    counts = Counter(name for row in rows for name in row)
    return sorted(name for name, count in counts.items() if count >= LEAST)


def matrix(rows: Sequence[frozenset[str]], columns: Sequence[str], whole: bool = True) -> Any:
    """Texts by features, each text of length one over all its features, or just ones."""
    column = {name: at for at, name in enumerate(columns)}
    index = [sorted(column[name] for name in row if name in column) for row in rows]
    flat = np.array([at for row in index for at in row], dtype=np.int32)
    size = np.repeat([1 / np.sqrt(30 + len(row)) if whole else 1.0 for row in rows], [len(row) for row in index])
    values = size * np.array([scale(name) for name in columns])[flat]
    return csr_matrix((values, flat, np.cumsum([0, *map(len, index)])), shape=(len(rows), len(columns)))


def scale(name: str) -> float:
    """How much a feature counts beside a word."""
    return CLEAR if name.startswith(("+rule", "-rule", "+shape", "-shape")) else 1.0


def fit(values: Any, truth: Any, weight: Any, strength: float) -> Any:
    """A logistic regression."""
    model = LogisticRegression(C=strength, solver="liblinear", max_iter=500, tol=1e-5)
    return model.fit(values, truth, sample_weight=weight)


class Data:
    """Written lines and real lessons as matrices over the same features."""

    def __init__(self, shared: Path) -> None:
        self.lines, self.lessons = lines(), lessons(shared)
        shown = [_sentences(text) for text in (*(line.text for line in self.lines), *self.lessons)]
        self.names = [frozenset[str]().union(*one) for one in shown]
        self.columns = common(self.names[: len(self.lines)])
        self.texts = matrix(self.names, self.columns)
        self.owner = np.array([at for at, one in enumerate(shown) for _ in one if len(one) > 1])
        self.sentences = matrix([names for one in shown for names in one if len(one) > 1], self.columns)
        kinds = [line.kind for line in self.lines] + [NONE] * len(self.lessons)
        self.order = np.array([kind != NONE for kind in kinds])
        self.weight = np.where(np.arange(len(kinds)) < len(self.lines), 1.0, REAL)

    def model(self, chosen: Any) -> Any:
        """Trained on some of the texts, and on each sentence of the innocent ones."""
        alone = np.flatnonzero((chosen & ~self.order)[self.owner])
        values = vstack([self.texts[chosen], self.sentences[alone]])
        truth = np.concatenate([self.order[chosen], np.zeros(len(alone), bool)])
        return fit(values, truth, np.concatenate([self.weight[chosen], SENTENCE * self.weight[self.owner[alone]]]), STRENGTH)

    def unseen(self) -> Any:
        """The worth of each text by a model that has seen neither it nor its block."""
        blocks = {block: at % FOLDS for at, block in enumerate(sorted({line.block for line in self.lines}))}
        fold = np.array([*(blocks[line.block] for line in self.lines), *(at % FOLDS for at in range(len(self.lessons)))])
        worth = np.zeros(len(fold))
        for at in range(FOLDS):
            model = self.model(fold != at)
            worth[fold == at] = model.decision_function(self.texts[fold == at])
            mine = np.flatnonzero((fold == at)[self.owner])
            np.maximum.at(worth, self.owner[mine], model.decision_function(self.sentences[mine]) - orders.ALONE)
        return worth

    def kinds(self) -> dict[str, str]:
        """By kind of order, the features that speak for or against it, and by how many hundredths."""
        chosen = [at for at, line in enumerate(self.lines) if line.kind in orders.DESCRIPTIONS]
        rows = [frozenset(name for name in self.names[at] if name[0] in "=¬+" and " after " not in name) for at in chosen]
        columns = common(rows)
        values = matrix(rows, columns, whole=False)
        found = {}
        for kind in orders.DESCRIPTIONS:
            truth = np.array([self.lines[at].kind == kind for at in chosen])
            found[kind] = hundredths(columns, fit(values, truth, np.ones(len(chosen)), KIND_STRENGTH), KIND_SMALLEST)
        return found


def hundredths(columns: Sequence[str], model: Any, smallest: int) -> str:
    """The weights of the features that weigh enough, packed as ``orders`` reads them."""
    weights = {name: round(100 * scale(name) * float(one)) for name, one in zip(columns, model.coef_[0], strict=True)}
    kept = dict(sorted((orders.key(name), weight) for name, weight in weights.items() if abs(weight) >= smallest))
    return b2a_base64(pack(f"<{len(kept)}I{len(kept)}h", *kept, *kept.values()), newline=False).decode()


def trained(data: Data, floor: float) -> str:
    """The text of the file to ship."""
    model = data.model(np.ones(len(data.order), bool))
    made = {
        "floor": floor,
        "base": round(float(model.intercept_[0]) - floor, 2),
        "weights": hundredths(data.columns, model, SMALLEST),
        "kinds": data.kinds(),
        "provenance": {"lines": len(data.lines), "lessons": len(data.lessons), "scikit-learn": sklearn_version},
    }
    return json.dumps(made, ensure_ascii=False, separators=(",", ":")) + "\n"


def unpacked(text: str) -> dict[str, Any]:
    """What the file says, with its weights by key, in hundredths."""
    file: dict[str, Any] = json.loads(text)
    file["kinds"] = {kind: dict(zip(*orders.unpack(weights), strict=True)) for kind, weights in file["kinds"].items()}
    return file | {"weights": dict(zip(*orders.unpack(file["weights"]), strict=True)), "base": 100 * file["base"]}


def table(data: Data) -> float:
    """Print what the model finds of what it has not seen; gives the floor."""
    worth, count = data.unseen(), len(data.lines)
    written, real = worth[:count], worth[count:]
    floor = round(float(np.quantile(real, 1 - FLAGGED)), 2)
    print(f"{len(data.lines)} lines, {len(data.lessons)} lessons, {len(data.columns)} features, floor {floor}")
    for kind in (*orders.DESCRIPTIONS, NONE):
        mine = np.array([line.kind == kind for line in data.lines])
        print(f"{kind:8} {int(mine.sum()):5} lines, flagged {(written[mine] > floor).mean():.3f}")
    print(f"orders   {int(data.order.sum()):5} lines, flagged {(worth[data.order] > floor).mean():.3f}")
    print(f"lessons  {len(real):5}, flagged {(real > floor).mean():.3f}")
    return floor


def measure(path: Path) -> None:
    """Print what the shipped model says of a set, by class and kind."""
    counts, flagged = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for row in _rows(path):
        text = _text(row)
        seen = bool(injection.faults(text)) if row["class"] == "hidden" else bool(injection.orders(text))
        for kind in ("all", row["kind"]):
            counts[row["class"], kind] += 1
            flagged[row["class"], kind] += seen or (row["class"] == "hidden" and bool(injection.orders(text)))
    for (side, kind), count in sorted(counts.items()):
        print(f"{side:9} {kind:24} {flagged[side, kind]:4}/{count:<4} {flagged[side, kind] / count:.3f}")


def main() -> None:
    """Run as a script."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("shared", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--set", type=Path)
    options = parser.parse_args()
    if options.set:
        measure(options.set)
        return
    data = Data(options.shared)
    if options.check:
        shipped = SHIPPED.read_text("utf-8")
        made = trained(data, json.loads(shipped)["floor"])
        require(SHIPPED.name, unpacked(made), unpacked(shipped), step=1, smallest=KIND_SMALLEST)
        return
    floor = table(data)
    if options.write:
        SHIPPED.write_text(trained(data, floor), "utf-8")


if __name__ == "__main__":
    main()
