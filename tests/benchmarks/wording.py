"""Measure how cards are worded, held against the words that maintainers kept or would have kept.

    python tests/benchmarks/wording.py ../shared           # print the table
    python tests/benchmarks/wording.py ../shared --write   # and write it into docs/notebook/benchmarks.md

A card is compared with the verdict on the card of the same file and evidence; the form of a headline is told from its words and
from where it ends in the quote, not by the code that words cards.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

from page import put
from rich.text import Text
from train import shown

from curator import app, clock
from curator.app import Curator
from curator.detection import detect
from curator.inbox import differing
from curator.model import Candidate, Role
from curator.plugins import formats
from curator.settings import Settings
from curator.transcripts.base import discover, follow
from curator.tui.card import View, card
from curator.tui.styles import palette_of

MARK = "<!-- wording: what follows is written by wording.py -->"
SAME = 60
"""Characters in which two quotes agree that are the same evidence."""

_WORD = re.compile(r"\w+")
_LEANING = re.compile(
    r"(?i)(?:it|they|he|she|this|that|these|those|them)(?:'\w+)?\b(?! (?:repo|repository|project|codebase)\b)"
)
_SELF = re.compile(r"(?i)(?:i|i'\w+|let me)\b")
_FINITE = re.compile(
    r"(?i)\b(?:is|are|was|were|has|have|had|do|does|did|can|cannot|could|will|would|should|must|may|might|\w+n't|\w+(?:[^s]s|ed))\b"
)
_IMPERATIVE = re.compile(r"(?i)(?:always|never|only|do|don't|no|not|[a-z]{2,})\b")
_JOINT = re.compile(
    r"(?i)[^\w\s.,;:!?—–(…]*+(?:\s*[.,;:!?—–(…]|[ \t]*\n|\s+[-—–(→]|\s*$|\s+(?:even )?(?:and|or|but|so|because|since|when|if|"
    r"unless|until|while|before|after|without|instead|rather|which|whereas|although|though|as)\b)"
)
"""What stands behind the last word of a clause, and behind marks that belong to that word, as those of ``plugins/*``."""
CLIPPED = 280
"""A quote of so many characters may have been cut: its end is no end of a sentence."""


def cards(shared: Path) -> Iterator[tuple[str, Candidate]]:
    """The cards that a person is shown of every session: its file, and a card."""
    for path in sorted((shared / "transcripts").rglob("*")):
        if path.is_file() and (form := discover.format_of(path, formats())):
            found = detect(follow.follow(form, path, None).turns)
            yield from ((path.relative_to(shared / "transcripts").as_posix(), card) for card in shown(found, 0.0))


def verdicts(shared: Path) -> dict[tuple[str, int, str], Mapping[str, Any]]:
    """What maintainers said of cards, by file, line and the beginning of the quote."""
    rows = map(json.loads, (shared / "eval" / "cards_dev.jsonl").read_text("utf-8").splitlines())
    return {(row["file"], row["line"], row["quote"][:SAME]): row for row in rows}


def words(text: str) -> Counter[str]:
    """The words of a text, without case."""
    return Counter(_WORD.findall(text.lower()))


def agreement(one: str, other: str) -> float:
    """F1 of the words that two texts share: 0 to 1."""
    mine, theirs = words(one), words(other)
    shared = sum((mine & theirs).values())
    return 2 * shared / (sum(mine.values()) + sum(theirs.values())) if shared else 0.0


def broken(card: Candidate) -> bool:
    """Whether a headline ends where the clause that it was cut from goes on, wherever its last words are said on the card.

    A line of the quote ends a clause, for whoever types no full stop.
    """
    last = _WORD.findall(card.headline)[-3:]
    ends = re.compile(r"\W+".join(map(re.escape, last)) + r"(?!\w)", re.IGNORECASE)
    quote = card.evidence[0].quote + (" goes on" if len(card.evidence[0].quote) >= CLIPPED else "")
    found = [_JOINT.match(text, at.end()) for text in (quote, card.context) for at in ends.finditer(text)] if last else []
    return bool(found) and not any(found)


def texts(card: Candidate) -> list[str]:
    """The texts that a card shows: its own, then what is offered beside it."""
    return [f"{card.headline} {card.insight}", *(differing(one, card) for one in card.wordings[1:])]  # type: ignore[arg-type]


def figures(found: Sequence[tuple[str, Candidate]], rows: Mapping[tuple[str, int, str], Mapping[str, Any]]) -> dict[str, str]:
    """The table: what is measured, and its value."""
    every = [card for _, card in found]
    judged = [
        (card, row) for file, card in found if (row := rows.get((file, card.evidence[0].line, card.evidence[0].quote[:SAME])))
    ]
    kept = [(card, row) for card, row in judged if row["verdict"] == "keep"]
    edited = [(card, row) for card, row in judged if row["verdict"] == "edit"]
    offered = [[agreement(one.headline, row["better_headline"]) for one in card.wordings] for card, row in edited]

    def share(hits: int) -> str:
        return f"{hits / len(every):.1%}"

    return {
        "cards": f"{len(every)}, of which {len(judged)} were judged",
        "kept as is, edited, dropped by the maintainer": f"{len(kept)}, {len(edited)}, {len(judged) - len(kept) - len(edited)}",
        "of those kept as is, headlines unchanged": f"{sum(one.headline == row['headline'] for one, row in kept)}",
        "words shared with the better headline (F1)": f"{mean(one[0] for one in offered):.3f}",
        "the same, the best of what is offered": f"{mean(max(one) for one in offered):.3f}",
        "headline leans on a pronoun": share(sum(bool(_LEANING.match(card.headline)) for card in every)),
        "headline of an agent that speaks of itself": share(
            sum(bool(_SELF.match(card.headline)) and card.evidence[0].role is not Role.HUMAN for card in every)
        ),
        "headline without a finite verb or an order": share(
            sum(not _FINITE.search(card.headline) and not _IMPERATIVE.match(card.headline) for card in every)
        ),
        "headline ends in mid-clause": share(sum(map(broken, every))),
        "headline of more than 12 words": share(sum(len(card.headline.split()) > 12 for card in every)),
        "headline cut, and says so": share(sum(card.headline.endswith("…") for card in every)),
        "cards that show one text twice": share(sum(len(set(map(_key, texts(card)))) < len(texts(card)) for card in every)),
        "words on a card, median": f"{median(len(card.insight.split()) for card in every):.0f}, with offers "
        f"{median(sum(len(text.split()) for text in texts(card)) for card in every):.0f}",
    }


PANES = {"160x45": (50, 40), "80x24": (76, 10), "45x40": (45, 18)}
"""The cells that a card has in terminals of these sizes."""
SITTING = 60
"""Cards of a sitting, in the order of the inbox."""


def words_to_decide(shared: Path) -> dict[str, str]:
    """How many words stand on a card before any key.

    A word has a letter or a digit, and blanks around it; the bar above the quote counts, the frame and the list do not.
    """
    with tempfile.TemporaryDirectory() as home:
        curator = Curator(Settings(home=Path(home)))
        app.scan.scan(curator, roots=[shared / "transcripts"])
        sitting = [*curator.lessons.entries(curator.lessons.waiting(), SITTING)]
        names = {id_: project.name for id_, project in curator.projects().items()}
        curator.close()
    palette, found = palette_of({}, dark=True), {}
    for size, (width, height) in PANES.items():
        views = [View(now=clock.now(), project=names.get(entry.project, "")) for entry in sitting]
        drawn = [card(entry, view, width, palette, height)[:height] for entry, view in zip(sitting, views, strict=True)]
        words = median(sum(map(_words_of, lines)) for lines in drawn)
        found[f"words on a card before any key, {len(sitting)} cards, {size}, median"] = f"{words:.0f}"
    return found


def _words_of(line: Text) -> int:
    return sum(any(sign.isalnum() for sign in word) for word in line.plain.split())


def _key(text: str) -> str:
    return " ".join(_WORD.findall(text.lower()))


def main() -> None:
    """Run as a script."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("shared", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    table = figures(list(cards(options.shared)), verdicts(options.shared)) | words_to_decide(options.shared)
    lines = ["| measured | value |", "|---|---|", *(f"| {name} | {value} |" for name, value in table.items())]
    print("\n".join(lines))
    if options.write:
        put(MARK, "\n".join(["## How cards are worded", "", INTRODUCTION, "", *lines]))


INTRODUCTION = """Written by `python tests/benchmarks/wording.py ../shared --write`: the cards that the inbox shows, each held
against the words that one maintainer kept, or wrote in its place, for the card of the same evidence. The better headlines are
written anew, not cut from the session, so that the words shared with them stay far below 1.
A headline ends in mid-clause where neither a mark, a line's end nor a word that joins clauses follows its last words on any
line of the card: of 60 such ones that were read, a quarter are whole all the same, as what follows is a circumstance that they
can do without."""


if __name__ == "__main__":
    main()
