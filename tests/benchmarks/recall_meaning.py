"""What the sign "meaning" adds to the ranking: see ``train_recall.py --embedder``.

The other signs keep the weights that they have without it, so that nobody's hooks depend on somebody's model: fitted are the
weight of the cosine, and from which cosine on it speaks for a lesson.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from train_recall import EVERY, FORMS, PARTLY, SIGNS, Asked, Model, Trainer, cross_validated, figures, fitted, quiet

from curator.app import search
from curator.hookspecs import Embedder
from curator.settings import Settings

MARK = "<!-- recall by meaning, {}: what follows is written by train_recall.py with an embedder -->"
STEPS = 50
MEASURED = ("ndcg@5", "recall@5", "hit@1", "precision", "silent")
INTRODUCTION = """### Recall by meaning: {kind}

Written by `python tests/benchmarks/train_recall.py ../shared --embedder {kind} --folder DIR --write` with a model of {size}
dimensions: the same questions with a sign besides, the cosine of prompt and lesson ([embedding](embedding.md)). Its weight
comes from the repositories that are not measured ("fitted"), or is the one that is shipped for all models, chosen with all in
view, so a little flattered ("shipped"); the other weights, and the threshold, stay as they are.
"""


def embedder(kind: str, folder: Path) -> Embedder:
    """The embedder, as settings would make it. Raises ``CuratorError``."""
    return search.embedder_of(Settings(home=folder, embedder=kind, embedder_folder=str(folder)))


def beside(asked: Sequence[Asked], model: Model) -> tuple[float, float]:
    """(weight, level) of the cosine, added to a model as it is: the likeliest, by Newton's method."""
    kept = [one for one in asked if len(one.lessons) and one.form != "files"]
    known = np.concatenate([one.signs @ model.weights + model.bias for one in kept])
    signs = np.concatenate([one.signs[:, len(SIGNS) :] for one in kept])
    right = np.concatenate([[lesson in one.grades for lesson in one.lessons] for one in kept])
    worth = np.concatenate([np.full(len(one.lessons), PARTLY if one.form == "words" else 1.0) for one in kept])
    found = np.zeros(signs.shape[1])
    for _ in range(STEPS):
        likely = 1.0 / (1.0 + np.exp(-(known + signs @ found)))
        bend = (signs * (worth * likely * (1.0 - likely))[:, None]).T @ signs
        found = found + np.linalg.solve(bend, signs.T @ (worth * (right - likely)))
    return float(found[0]), float(-found[1] / found[0])


def added(model: Model, weight: float, level: float) -> Model:
    """A model with that sign besides."""
    weights = np.array(model.weights)
    weights[EVERY.index("meaning")], weights[EVERY.index("compared")] = weight, -weight * level
    return Model(weights, model.bias, model.threshold)


def table(folder: Path, kind: str, embedder: Embedder, short: Callable[[float], str]) -> str:
    """The section of the page."""
    plain, compared = Trainer(folder), Trainer(folder, embedder)
    without = cross_validated(plain)
    others = {name: compared.seen(set(compared.repositories) - {name}) for name in without}
    within = {name: added(model, *beside(others[name], model)) for name, model in without.items()}
    alike = {name: added(model, search.WEIGHT, search.LEVEL) for name, model in without.items()}
    ways = (("without", plain, without), ("fitted", compared, within), ("shipped", compared, alike))
    lines = [
        "| asked with | sign | nDCG@5 | recall@5 | hit@1 | precision of what is shown | silent |",
        "|---|---|---|---|---|---|---|",
    ]
    for form in ("both", "words"):
        for sign, trainer, models in ways:
            got = figures(trainer, models, form)
            lines.append(f"| {FORMS[form]} | {sign} | {' | '.join(short(got[name]) for name in MEASURED)} |")
    anew = figures(compared, cross_validated(compared, (*SIGNS, "meaning")), "both")
    weight, level = beside(compared.asked, fitted(plain.asked))
    silent = ", ".join(f"{quiet(trainer, models):.0%} {sign}" for sign, trainer, models in ways)
    missed, found, chance = strangers(plain, compared)
    shipped = f"{search.WEIGHT:.2f} and {short(search.LEVEL)}"
    texts = [str(row["text"]) for row in plain.rows("lessons")]
    lines += [
        "",
        f"- Prompts of other repositories that get no answer: {silent}.",
        f"- With all weights fitted anew, nDCG@5 with prompt and files is {short(anew['ndcg@5'])}.",
        f"- Right lessons that share no word with the prompt: {missed}; among the {search.BEST} likest in meaning:",
        f"  {found}; among as many drawn by lot: {chance:.0f}.",
        f"- Over all repositories a cosine is worth {weight:.2f} for each 1 above {short(level)}; shipped are {shipped}.",
        f"- 1,000 lessons are embedded in {seconds(embedder, (texts * 1000)[:1000]):.1f} s of one processor.",
    ]
    return INTRODUCTION.format(kind=kind, size=len(embedder.embed(["size"])[0])) + "\n" + "\n".join(lines)


def strangers(plain: Trainer, compared: Trainer) -> tuple[int, int, float]:
    """How many right lessons the prompt's words do not lead to, how many of these the meaning leads to, and mere chance."""
    missed, found, chance = 0, 0, 0.0
    sizes = Counter(str(row["repo"]) for row in plain.rows("lessons"))
    for one, other in zip(plain.asked, compared.asked, strict=True):
        far = one.grades.keys() - set(one.lessons) if one.form == "words" else set()
        missed, found = missed + len(far), found + len(far & set(other.lessons))
        chance += len(far) * min(1.0, search.BEST / sizes[one.repository])
    return missed, found, chance


def seconds(embedder: Embedder, texts: Sequence[str]) -> float:
    """How long these take, on the processor."""
    start: Any = time.process_time()
    embedder.embed(texts)
    return time.process_time() - float(start)
