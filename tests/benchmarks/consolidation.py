"""Measure the groups of `curator tidy`, and what they change, and write the section on it of docs/notebook/benchmarks.md.

python tests/benchmarks/consolidation.py ../shared
python tests/benchmarks/consolidation.py ../shared --prompts FILE   # write what a model is asked, a line each
python tests/benchmarks/consolidation.py ../shared --answers FILE   # judge the rules in {prompt, answer} lines
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from page import put
from relate import lesson, pairs

from curator.app import Curator, evaluation, packs, search
from curator.app.decisions import advice, tidy
from curator.distill import questions
from curator.model import Change, Entry, Kind, Project, Query, State, Verb
from curator.ranking import Question, choose, line_of, tokens
from curator.settings import Settings

MARK = "<!-- consolidation: what follows is written by consolidation.py -->"
RULES = ("conflicts_dev", "conflicts_more_dev")
REPLACED = ("supersedes", "contradicts")
AGAIN = ("{}", "Remember: {}", "{} This holds for every change.")
"""The forms in which each lesson is kept, in the library of a year."""
Group = Sequence[str]
Library = Mapping[str, Sequence[str]]
"""Texts by repository."""


def sessions(shared: Path) -> Library:
    """Return the labelled lessons of sessions."""
    found = defaultdict[str, list[str]](list)
    for file in sorted((shared / "eval" / "detection").glob("gold_*.jsonl")):
        for gold in map(json.loads, file.read_text("utf-8").splitlines()):
            found["/".join(gold["file"].split("/")[:2])].append(gold["insight"])
    return found


def in_force(shared: Path) -> Library:
    """Return the rules of labelled pairs without those that a later version replaced."""
    every = [pair for name in RULES for pair in pairs(shared, name)]
    old = {(pair["repo"], pair["a"]) for pair in every if pair["label"] in REPLACED}
    found = defaultdict[str, list[str]](list)
    for pair in every:
        found[pair["repo"]] += [text for text in (pair["a"], pair["b"]) if (pair["repo"], text) not in old]
    return found


def notes(shared: Path) -> Library:
    """Return the labelled notes of agents, without their titles."""
    found = defaultdict[str, list[str]](list)
    for note in map(json.loads, (shared / "eval" / "memories_dev.jsonl").read_text("utf-8").splitlines()):
        found[note["repo"]].append(note["text"].split(" :: ", 1)[-1])
    return found


def labels_of(shared: Path) -> dict[frozenset[str], str]:
    """Return the label of each pair of texts."""
    names = ("relations_sessions_dev", *RULES)
    return {frozenset((pair["a"], pair["b"])): pair["label"] for name in names for pair in pairs(shared, name)}


def grouped(library: Library, *how: Any) -> Iterator[tuple[str, list[Entry]]]:
    """Yield each group of a library with its repository; ``how`` are the further arguments of ``tidy.groups``."""
    for repo, texts in library.items():
        lessons = [lesson(str(at), text) for at, text in enumerate(dict.fromkeys(texts))]
        yield from ((repo, group) for group in tidy.groups(lessons, *how))


def judged(groups: Iterable[tuple[str, Group]], labels: Mapping[frozenset[str], str]) -> dict[str, Counter[str]]:
    """Return the labels of the pairs in groups, by repository; an empty label for pairs that nobody judged."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for repo, texts in groups:
        found[repo].update(labels.get(frozenset(pair), "") for pair in combinations(texts, 2))
    return found


def row(name: str, library: Library, groups: Sequence[tuple[str, Group]], labels: Mapping[frozenset[str], str]) -> str:
    """Return a line of the table."""
    by_repo = judged(groups, labels)
    total = sum(by_repo.values(), Counter[str]())
    right, known = total["duplicate"] + total["refines"], total.total() - total[""]
    wrong = [repo for repo, counts in by_repo.items() if counts.total() - counts[""] > counts["duplicate"] + counts["refines"]]
    return (
        f"| {name} | {sum(map(len, library.values())):,} | {len(groups)} | {right} of {known} ({right / known:.0%})"
        f" | {total['']} | {len(wrong)} of {len(by_repo)} |"
    )


def recorded(file: Path) -> Iterator[list[str]]:
    """Yield the lessons of each rule in recorded answers, as far as the gate lets them through."""
    for one in map(json.loads, file.read_text("utf-8").splitlines()):
        texts = [line.split("] ", 1)[1] for line in one["prompt"].split("\n") if line.startswith("[")]
        yield from ([texts[at] for at in rule.members] for rule in questions.read_rules(one["answer"], texts))


def library_of(shared: Path, home: Path, forms: Sequence[str]) -> tuple[Curator, dict[str, str]]:
    """Open a database with the lessons of the labelled questions, each in these forms; return it and the lesson of each id."""
    rows = [json.loads(line) for line in (shared / "eval/retrieval_dev/lessons.jsonl").read_text("utf-8").splitlines()]
    entries = [
        entry._replace(id=f"{entry.id}.{at}", insight=form.format(entry.insight))
        for entry in evaluation.entries(rows)
        for at, form in enumerate(forms)
    ]
    curator = Curator(Settings(home=home))
    with curator.store.transaction():
        for repo in {entry.project for entry in entries}:
            curator.store.sources.remember(Project(id=repo, name=repo, folder=""), "")
        curator.store.apply([(Verb.ADD, Change(before=None, after=entry)) for entry in entries], actor="person", at=0.0)
    return curator, {entry.id: entry.id.rpartition(".")[0] for entry in entries}


def sent(shared: Path, curator: Curator, lesson_of: Mapping[str, str]) -> tuple[float, float, int, int]:
    """Return the share of relevant lessons found among five and among those sent, the tokens sent, and those of all packs."""
    folder = shared / "eval" / "retrieval_dev"
    relevant = defaultdict(set)
    for one in map(json.loads, (folder / "qrels.jsonl").read_text("utf-8").splitlines()):
        relevant[one["query"]].add(one["lesson"])
    members = {id_: {lesson_of[id_]} for id_ in lesson_of}
    for id_ in lesson_of:
        if (entry := curator.lessons.peek(id_)) and entry.merged_into:
            members[entry.merged_into] |= members[id_]
    recalls, shares, spent = [], [], 0
    for query in map(json.loads, (folder / "queries.jsonl").read_text("utf-8").splitlines()):
        hits = search.hits(curator, query["repo"], Question("prompt", query["prompt"], tuple(query["open_files"])))
        shown, _ = choose(hits, "prompt")
        spent += sum(tokens(line_of(hit)) for hit in shown)
        wanted = relevant[query["id"]]
        recalls.append(len(wanted & set().union(*(members[hit.id] for hit in hits[:5]))) / len(wanted))
        shares.append(len(wanted & set().union(*(members[hit.id] for hit in shown))) / len(wanted))
    packed = 0
    for project in curator.projects().values():
        curator.project = project
        packed += packs.pack(curator, budget=1_000_000).tokens
    curator.project = None
    return sum(recalls) / len(recalls), sum(shares) / len(shares), spent, packed


def effect(shared: Path) -> Iterator[str]:
    """Yield the lines of the second table: what is found and sent before and after all groups were accepted."""
    for name, forms in (("as it is", AGAIN[:1]), ("each lesson kept three times", AGAIN)):
        with tempfile.TemporaryDirectory() as home:
            curator, lesson_of = library_of(shared, Path(home), forms)
            for when in ("before", "after"):
                if when == "after":
                    tidy.propose(curator)
                    for kind in (Kind.CONFLICT, Kind.CONSOLIDATE):
                        cards = curator.lessons.entries(Query(states=(State.ACTIVE,), kind=kind))
                        curator.decisions.accept([entry.id for entry in cards])
                found, told, spent, packed = sent(shared, curator, lesson_of)
                count = len(tidy.active(curator))
                yield f"| {name} | {when} | {count} | {found:.3f} | {told:.3f} | {spent:,} | {packed:,} |"
            curator.close()


def section(shared: Path) -> str:
    """Return the section of docs/notebook/benchmarks.md."""
    labels = labels_of(shared)
    libraries = {"lessons from sessions": sessions(shared), "rules in force of one repository": in_force(shared)}
    rows = [row(name, one, [*texts(grouped(one))], labels) for name, one in libraries.items()]
    table = "\n".join(rows)
    kept = notes(shared)
    return f"""## Consolidation

Written by `python tests/benchmarks/consolidation.py ../shared`. A pair in a group is right if its label is duplicate or
refines. Rules in force are the labelled rules of a repository without those that a later version replaced. Nobody labelled
relations between agents' notes; of {sum(map(len, kept.values()))} notes `curator tidy` makes {len([*grouped(kept)])} groups.

| library | lessons | groups | right pairs without a model | pairs without a label | repositories with a wrong pair |
|---|---:|---:|---:|---:|---:|
{table}

The labelled questions (103) before and after all groups were accepted, as `curator tidy` words them. A merged lesson counts
as each of its lessons. The second library has each lesson in three forms.

| library | groups | lessons | recall@5 | recall of what is sent | tokens sent | tokens of all packs |
|---|---|---:|---:|---:|---:|---:|
{chr(10).join(effect(shared))}
"""


def texts(groups: Iterable[tuple[str, Sequence[Entry]]]) -> Iterator[tuple[str, Group]]:
    """Yield groups as their texts."""
    return ((repo, [one.insight for one in group]) for repo, group in groups)


def main() -> None:
    """Write the section or the prompts, or judge recorded answers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shared", type=Path)
    parser.add_argument("--prompts", type=Path)
    parser.add_argument("--answers", type=Path)
    given = parser.parse_args()
    labels, library = labels_of(given.shared), sessions(given.shared)
    if given.prompts:
        asked = (
            questions.rules_prompt([advice._text(one) for one in group])
            for _, group in grouped(library, advice._are_related, any)
        )
        given.prompts.write_text("".join(json.dumps({"prompt": text}) + "\n" for text in asked), "utf-8")
        return
    if not given.answers:
        put(MARK, section(given.shared))
        return
    groups = [("", group) for group in recorded(given.answers)]
    print(
        row("", library, groups, {frozenset(one.rstrip(".") for one in pair): label for pair, label in labels.items()} | labels)
    )


if __name__ == "__main__":
    main()
