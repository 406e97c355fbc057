"""Replay the shared transcripts with the labelled lessons as the pool, and write its section of docs/notebook/benchmarks.md.

python tests/benchmarks/benefit.py ../shared
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import made
from page import put

from curator import plugins, projects
from curator.app import origins
from curator.app.figures.replay import KnownLesson, Transcripts, file_time, replay_sessions
from curator.model import JSON, Category, Durability, Entry, Evidence, Role, State, Turn
from curator.replay import Case, Outcome, Recurrence, Report, Session, Where, find_quote, share, signs, summary
from curator.transcripts.base import discover

MARK = "<!-- benefit: what follows is written by benefit.py -->"
LABELS = {"duplicate": "the same lesson, by a person's label", "supersedes": "replaced there, by a person's label"}
PERSON = "– of these, what a person says"
FOUND = "found by the relation that counts what is said again"
MOMENTS = {"start": "session's start", "prompt": "prompt", "file": "file's first touch"}
ROLES = {"user": Role.HUMAN, "assistant": Role.ASSISTANT, "tool": Role.TOOL_RESULT}


@dataclass(frozen=True, slots=True)
class Told:
    """A session of a transcript."""

    path: Path
    turns: Sequence[Turn]
    age: float


class Labels:
    """The labelled lessons, each in its session, and which of them come up again in a later one of the same repository."""

    def __init__(self, shared: Path) -> None:
        self.root = shared / "transcripts"
        self.told: dict[str, list[Told]] = defaultdict(list)
        for item in discover.find(plugins.formats(), [self.root], self.root, {}).transcripts:
            for turns in origins.sessions(item.path).values():
                self.told[item.path.relative_to(self.root).as_posix()].append(Told(item.path, turns, item.mtime))
        rows = (row for path in sorted((shared / "eval" / "detection").glob("gold_*.jsonl")) for row in read(path))
        self.lessons = {f"G{number:04d}": row for number, row in enumerate(rows) if row["file"] in self.told}
        by_text = {(row["file"], row["insight"]): id_ for id_, row in self.lessons.items()}
        found = [
            (by_text[row["a_file"], row["a"]], by_text[row["b_file"], row["b"]], row["label"])
            for row in read(shared / "eval" / "relations_sessions_dev.jsonl")
            if row["label"] in LABELS and row["a_file"] != row["b_file"]
        ]
        self.pairs = [
            (b, a, label) if label == "duplicate" and self.began(b) < self.began(a) else (a, b, label) for a, b, label in found
        ]

    def began(self, id_: str) -> float:
        """When the session of a lesson began."""
        told, _ = self.spot(id_)
        return next((turn.at for turn in told.turns if turn.at), file_time(told.path, told.age))

    def spot(self, id_: str) -> tuple[Told, int]:
        """The session and turn in which a lesson was labelled."""
        row = self.lessons[id_]
        evidence = quoted(row)
        found = ((told, find_quote(told.turns, evidence)) for told in self.told[row["file"]])
        return next(((told, at) for told, at in found if at is not None), (self.told[row["file"]][0], 0))

    def known(self, id_: str) -> KnownLesson:
        """A lesson as if a person had kept it."""
        row, (told, at) = self.lessons[id_], self.spot(id_)
        turn = told.turns[at]
        entry = Entry(
            id=id_,
            project=row["file"].split("/")[1],
            state=State.ACTIVE,
            category=Category(row["category"]),
            headline=row["headline"],
            insight=row["insight"],
            created=turn.at or 0.0,
            updated=turn.at or 0.0,
            files=tuple(row["files"]),
            durability=Durability(row["durability"]),
            agent=turn.agent,
            session=turn.session,
            evidence=(quoted(row)._replace(session=turn.session, at=turn.at),),
        )
        return KnownLesson(entry, turn.at or 0.0, turn.session)


def read(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file."""
    return map(json.loads, path.read_text("utf-8").splitlines())


def quoted(row: Mapping[str, Any]) -> Evidence:
    """Where a label stands."""
    role, line, end = ROLES[row["role"]], row["line"], row["line_end"]
    return Evidence(quote=row["quote"], role=role, file=row["file"], line=line, line_end=end)


def by_repository(root: Path) -> Any:
    """Whose a folder is, by the transcript: its files are named from where the session began."""

    def of(path: Path) -> Where:
        repository, first = path.relative_to(root).parts[1], list[str]()

        def where(folder: str, files: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
            first.append(folder) if folder and not first else None
            return repository, projects.relative_to(files, first[0] if first else "", folder)

        return where

    return of


def past(labels: Labels, run: Transcripts) -> Iterator[Session]:
    """The sessions; a label says where another session's lesson comes up again."""
    again: dict[int, list[tuple[str, str, str]]] = defaultdict(list)
    for older, newer, label in labels.pairs:
        again[id(labels.spot(newer)[0].turns)].append((older, newer, label))
    for told in (one for many in labels.told.values() for one in many):
        fresh = run.fresh(told.path, told.turns)
        found = run.session(told.path, fresh, told.age) if fresh else None
        if found:
            spots = [(older, row, label, find_quote(fresh, quoted(row))) for older, newer, label in again[id(told.turns)]
                     for row in [labels.lessons[newer]]]  # fmt: skip
            quotes = (
                Recurrence(labels.known(older).entry, older, f"{label} {row['role']}", row["quote"], at, at)
                for older, row, label, at in spots
                if at is not None
            )
            yield replace(found, repeats=(*found.repeats, *quotes))


def replay(labels: Labels) -> Report:
    """The replay of all of them."""
    known = [labels.known(id_) for id_ in labels.lessons]
    entries = [one.entry for one in known]
    with tempfile.TemporaryDirectory() as home:
        curator = made.opened(Path(home))
        run = Transcripts(curator, [], signs(entries).values(), None, by_repository(labels.root))
        sessions = list(past(labels, run))
        curator.close()
    return replay_sessions(known, sessions, known)


def report(labels: Labels) -> str:
    """The section of the page."""
    found = replay(labels)
    figures = summary(found)
    lines = [
        INTRODUCTION.format(sessions=figures["sessions"], lessons=figures["lessons"], in_play=figures["in_play"]),
        "| came up again in a later session | n | sent before | by chance | too late | not sent |",
        "|---|---|---|---|---|---|",
    ]
    labelled = {text: [case for case in found.cases if case.kind.startswith(label)] for label, text in LABELS.items()}
    groups = {**labelled, FOUND: [case for case in found.cases if not case.kind.startswith(tuple(LABELS))]}
    groups[PERSON] = [case for case in found.cases if case.kind == "duplicate user"]
    lines += [row(name, groups[name]) for name in (LABELS["duplicate"], PERSON, LABELS["supersedes"], FOUND)]
    lines += [row("**all**", found.cases), "", *sent(figures), "", *reasons(found.cases)]
    return "\n".join(lines) + "\n"


INTRODUCTION = """## Benefit

Written by `python tests/benchmarks/benefit.py ../shared`: `curator replay` over {sessions} real sessions with the {lessons}
labelled lessons as the pool, each known from the end of its own session on ({in_play} of them while others went on). What the
figures allow to say is said in [benefit](benefit.md). Intervals are of 95 %, by Wilson. By chance: with lessons of other
repositories in the place of these.
"""


def row(name: str, cases: Iterable[Case]) -> str:
    """A line of the table."""
    found = list(cases)
    counts = Counter(case.outcome for case in found)
    chance = share(sum(bool(case.chance) for case in found), len(found))
    before = share(counts[Outcome.BEFORE], len(found))
    return f"| {name} | {len(found)} | {told(before)} | {told(chance)} | {counts[Outcome.LATE]} | {counts[Outcome.NOT_SENT]} |"


def told(found: JSON) -> str:
    """A share with its interval."""
    if not found["of"]:
        return "of none"
    return f"{found['n']}: {found['share']:.0%} ({found['low']:.0%} to {found['high']:.0%})"


def sent(figures: JSON) -> Iterator[str]:
    """What was sent, and how long before."""
    tokens, chance, fitting = figures["tokens_a_session"], figures["chance"], figures["fitting"]
    each = f"{tokens['median']} in the median, in nine of ten at most {tokens['p90']}"
    yield f"- Sent: {figures['sent']:,} lessons; tokens a session: {each}."
    yield f"- Of what was sent fitted {told(fitting)}; by chance {told(chance['fitting'])} of {chance['sent']:,}."
    if figures["turns_before"] is not None:
        between = f"{figures['turns_before']} turns and {figures['tokens_before']:,} tokens"
        moments = ", ".join(f"{count} at a {MOMENTS[moment]}" for moment, count in figures["sent_at"].items())
        yield f"- What was sent before was sent {between} before it was said, in the median:"
        yield f"  {moments}."


def reasons(cases: Iterable[Case]) -> Iterator[str]:
    """Why nothing was sent, counted."""
    counts = Counter(case.reason.partition(":")[0] for case in cases if case.outcome is Outcome.NOT_SENT)
    yield "| why it was not sent | n |"
    yield "|---|---|"
    for reason, count in counts.most_common():
        yield f"| {reason} | {count} |"


def main() -> None:
    """Run as a script."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("shared", type=Path)
    put(MARK, report(Labels(parser.parse_args().shared)))


if __name__ == "__main__":
    main()
