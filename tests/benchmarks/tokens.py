"""How many tokens agents are given: by hooks and in packs, beside the same lessons' files and a usual context file.

python tests/benchmarks/tokens.py ../shared            # print the table
python tests/benchmarks/tokens.py ../shared --write    # and write it into docs/notebook/benchmarks.md
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from page import put

from curator import app, clock, lesson_files
from curator.agents.session_text import block
from curator.app import Curator, packs, search
from curator.model import Change, Entry, Project, Query, State, Verb
from curator.ranking.packs import tokens
from curator.ranking.rank import Hit, Question, choose, line_of
from curator.settings import Settings

USUAL = 1_709
"""Tokens of the largest context file at the top of a repository, median of about 65 public ones that have any."""
SAVING, SHARE = 0.57, 0.20
MARK = "<!-- tokens: what follows is written by tokens.py -->"
INTRODUCTION = """## Tokens

Written by `python tests/benchmarks/tokens.py ../shared --write`. A token is 4.4 characters. Two pools: {lessons} rules of
{repositories} repositories as lessons without any evidence, so that their files are about as short as such files get, asked
{questions} questions with the files of a change; and whatever the detector proposes from 300 real sessions, kept unread, with
its evidence, as lessons mostly are. The usual context file has {usual:,} tokens: the median of the largest file for agents at
the top of about 65 public repositories.
"""


@dataclass(slots=True)
class Row:
    """One thing that agents could be given: its tokens for each question, and those of the same lessons' files."""

    name: str
    sizes: list[int] = field(default_factory=list)
    exported: list[int] = field(default_factory=list)

    def add(self, text: str, lessons: Iterable[Entry]) -> None:
        """One question's answer."""
        if text:
            self.sizes.append(tokens(text))
            self.exported.append(sum(tokens(lesson_files.render(entry)) for entry in lessons))

    @property
    def savings(self) -> list[float]:
        """For each question the share of the tokens of the lessons' files that is saved."""
        return [1 - size / files for size, files in zip(self.sizes, self.exported, strict=True)]

    def line(self) -> str:
        """The row of the table."""
        middle = statistics.median(self.sizes)
        ninth = statistics.quantiles(self.sizes, n=10, method="inclusive")[8] if len(self.sizes) > 1 else middle
        saved = f"{statistics.median(self.savings):.0%} | {min(self.savings):.0%}"
        return f"| {self.name} | {len(self.sizes)} | {middle:.0f} | {ninth:.0f} | {saved} | {middle / USUAL:.0%} |"


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    """A file of the labelled set."""
    lines = (folder / "eval" / "retrieval_dev" / f"{name}.jsonl").read_text("utf-8").split("\n")
    return [json.loads(line) for line in lines if line.strip()]


def filled(curator: Curator, lessons: Sequence[dict[str, Any]]) -> None:
    """Store the lessons under ids as people see them, in a project a repository."""
    entries = [entry._replace(id=clock.new_id()) for entry in search.pool(lessons)]
    with curator.store.transaction():
        for id_ in sorted({entry.project for entry in entries}):
            project = Project(id=id_, name=id_.rpartition("/")[2], folder=f"/srv/{id_}", root_commit="", remote="")
            curator.store.sources.remember(project, project.folder)
        curator.store.apply([(Verb.ADD, Change(before=None, after=one)) for one in entries], actor="benchmark", at=0.0)


def measured(curator: Curator, asked: Sequence[dict[str, Any]]) -> Iterator[Row]:
    """Every row."""
    three, hook = Row("the best three lessons, as a hook gives them"), Row("what a hook tells, where it tells anything")
    pack, whole = Row("a pack of the files at hand"), Row("a pack of the whole project, 2,000 tokens at most")
    projects = curator.projects()
    for row in asked:
        curator.project = projects[row["repo"]]
        files = tuple(row["open_files"])
        hits = search.hits(curator, row["repo"], Question("prompt", row["prompt"], files))
        for at, chosen in ((three, hits[:3]), (hook, choose(hits, "prompt")[0])):
            at.add(text(chosen), [curator.lessons.find(hit.id) for hit in chosen])
        made = packs.pack(curator, "", files)
        pack.add(made.text, map(curator.lessons.find, made.lessons))
    for project in projects.values():
        curator.project = project
        made = packs.pack(curator, budget=2_000)
        whole.add(made.text, map(curator.lessons.find, made.lessons))
    yield from (three, hook, pack, whole)


def detected(curator: Curator, transcripts: Path) -> Row:
    """Packs of the projects in which these sessions took place, of all that is proposed there."""
    row = Row("a pack of a project, lessons from real sessions")
    app.scan.scan(curator, roots=[transcripts])
    with curator.store.transaction():
        proposed = list(curator.lessons.entries(Query(states=(State.OPEN,))))
        kept = [(Verb.KEEP, Change(before=one, after=one._replace(state=State.ACTIVE))) for one in proposed]
        curator.store.apply(kept, actor="benchmark", at=0.0)
    for project in curator.projects().values():
        curator.project = project
        made = packs.pack(curator)
        row.add(made.text, map(curator.lessons.find, made.lessons))
    return row


def text(hits: Sequence[Hit]) -> str:
    """What a hook puts before the agent."""
    return block([(hit.id, line_of(hit)) for hit in hits])


def table(shared: Path) -> str:
    """The section of the page."""
    lessons, asked = rows(shared, "lessons"), rows(shared, "queries")
    with tempfile.TemporaryDirectory() as home, closing(Curator(Settings(home=Path(home)))) as curator:
        filled(curator, lessons)
        found = list(measured(curator, asked))
    with tempfile.TemporaryDirectory() as home, closing(Curator(Settings(home=Path(home), export=False))) as curator:
        found.append(detected(curator, shared / "transcripts"))
    repositories = len({row["repo"] for row in lessons})
    lines = [
        INTRODUCTION.format(lessons=len(lessons), repositories=repositories, questions=len(asked), usual=USUAL),
        "| given | times | tokens, median | 9 of 10 below | saved against their files, median | least | of a usual file |",
        "|---|---|---|---|---|---|---|",
        *(row.line() for row in found),
        "",
    ]
    three, *_, pack = found
    for what, value, target, met in (
        (
            "A pack of lessons with evidence against their files, median",
            statistics.median(pack.savings),
            f"≥ {SAVING:.0%} saved",
            1,
        ),
        ("The best three against a usual context file, median", statistics.median(three.sizes) / USUAL, f"≤ {SHARE:.0%}", -1),
    ):
        limit = SAVING if met > 0 else SHARE
        lines.append(f"- {what}: {value:.0%} ({target}: {'met' if met * value >= met * limit else 'NOT met'})")
    return "\n".join(lines)


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    page = table(given.shared.resolve())
    print(page)
    if given.write:
        put(MARK, page)


if __name__ == "__main__":
    main()
