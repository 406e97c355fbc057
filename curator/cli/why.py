"""``curator why``: what hooks decided in a session, and for which reasons."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from collections.abc import Iterator, Mapping
from math import log
from typing import TYPE_CHECKING, Any

import click

from curator import clock
from curator.app import Curator
from curator.cli.context import (
    Session,
    as_json,
    emit,
    pass_session,
    say,
    scoped,
    warn,
)
from curator.errors import CuratorError
from curator.model import JSON

if TYPE_CHECKING:
    from curator.app.deliveries import Receipt

MOMENTS = {"start": "the session began", "prompt": "a prompt", "file": "a file at hand"}
START = ("to begin with", "at the start")
"""The part that every lesson has, in answers to a question or when a session begins."""
LENGTH = "length"
"""A part that speaks a little against each lesson: no reason of its own."""
PARTS = {
    "words": "shares rare words with what was asked",
    "names": "shares words with that or with the files at hand",
    "best": "is among the best matches",
    "place": "holds for the place at hand",
    "share": "holds for the files at hand",
    "elsewhere": "holds for other files",
    "named file": "names a file at hand",
    LENGTH: "its length (long lessons share words with everything)",
    "meaning": "means something alike",
    "learnt lately": "was learnt lately",
    "came of it": "helped when it was sent before",
    "its code": "its code is not as it was",
    "fades": "is temporary and old",
}
AGAINST = {"meaning": "means something else", "came of it": "did not help when it was sent before"}
"""The parts that have other words where they speak against a lesson."""
FEW = 5
"""Parts of a score that are named where it is explained, the largest; the others are shown as one."""
MOST = 3
"""Reasons that are named where it is not."""
WITHHELD = 2
"""Lessons held back that are named for each decision."""
LOOSE = 0.1
"""Parts are stored rounded, so a sum may be off by less than this."""


@click.command()
@click.argument("in_session", metavar="[SESSION]", default="")
@click.option("--explain", is_flag=True, help="With each lesson's whole sum of reasons, in numbers.")
@as_json
@scoped
@pass_session
def why(session: Session, in_session: str, explain: bool, as_json: bool) -> None:
    """Say what agents were sent in a session, and why.

    Decisions to send nothing are listed as well.

    SESSION is an id or its beginning; without one it is the last session of this project.
    """
    from curator.app import deliveries

    with session.open() as curator:
        deliveries.drain(curator)
        found = deliveries.decisions(curator, deliveries.find(curator, in_session))
        if as_json:
            emit(map(plain, found))
            return
        columns = width()
        headlines = {id_: headline(curator, id_) for receipt in found for id_ in ids(receipt.body)}
        for receipt in found:
            for line in lines(receipt, headlines, explain=explain):
                say(wrapped(line, columns) if columns else line)
        sent = {item[0] for receipt in found for item in receipt.body["shown"]}
        if found:
            warn(f"Session {found[0].session}; decisions: {len(found)}, lessons sent: {len(sent)}.")


COMMANDS = (why,)


def ids(body: JSON) -> list[str]:
    """The lessons that a decision speaks of."""
    return [item[0] for item in (*body["shown"], *body["withheld"])]


def headline(curator: Curator, id_: str) -> str:
    """A lesson's headline; a word for one that is no more."""
    try:
        return curator.lessons.find(id_).headline
    except CuratorError:
        return "(no longer there)"


def plain(receipt: Receipt) -> JSON:
    """A decision as an object for scripts."""
    body = receipt.body
    shown = [
        scored(id_, score, parts, rank=rank, tokens=tokens) for id_, rank, score, tokens, parts in padded(body["shown"], 5)
    ]
    withheld = [scored(id_, score, parts, reason=reason) for id_, score, reason, parts in padded(body["withheld"], 4)]
    about = {"session": receipt.session, "at": clock.iso(receipt.at), "agent": receipt.agent, "event": body["event"]}
    about |= {"moment": body["moment"], "project": receipt.project, "asked": body["asked"], "threshold": body.get("threshold")}
    return about | {"shown": shown, "withheld": withheld, "unheard": bool(body.get("unheard"))}


def scored(id_: str, score: float, parts: object, **more: object) -> JSON:
    """A lesson of a decision, as an object."""
    return {"id": id_, **more, "score": score, "parts": parts if isinstance(parts, dict) else {}}


def padded(items: list[list[Any]], size: int) -> Iterator[list[Any]]:
    """Lists of one size, whichever version wrote them."""
    for item in items:
        yield [*item, *[None] * size][:size]


def lines(receipt: Receipt, headlines: Mapping[str, str], *, explain: bool = False) -> Iterator[str]:
    """A decision for people; to ``explain`` it takes the sums."""
    body = receipt.body
    asked = body["asked"]
    about = f": “{asked['prompt']}”" if asked["prompt"] else f": {', '.join(asked['files'])}" if asked["files"] else ""
    moment = MOMENTS.get(body["moment"], body["moment"])
    yield f"{clock.iso(receipt.at)}  {receipt.agent} {body['event']}, {moment}{' '.join(about.split(chr(10)))}"
    threshold = body.get("threshold")
    for id_, _, score, _, parts in padded(body["shown"], 5):
        yield f"  sent      {id_}  {headlines[str(id_)]}"
        yield f"            {added(parts, score, threshold) if explain else plainly(parts, score)}"
    for id_, score, reason, parts in padded(body["withheld"][:WITHHELD], 4):
        yield f"  withheld  {id_}  {headlines[str(id_)]}"
        little = reason.startswith("below")
        if explain:
            yield f"            {'too little' if little else reason}: {added(parts, score, threshold)}"
        else:
            yield f"            {plainly(parts, score, too_little=True) if little else reason}"
    if (more := len(body["withheld"]) - WITHHELD) > 0:
        yield f"  and {more} more, see --json"
    if body.get("unheard") and body["shown"]:
        yield "  this agent is known to drop what is said at this event, so it may be sent again"
    if not body["shown"]:
        yield "  nothing was sent" + ("" if body["withheld"] else ": no lesson shares a word, a name or a place with it")


def width() -> int:
    """The columns of the terminal that is written to; 0 for none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 0


def wrapped(line: str, width: int) -> str:
    """A line broken at words so that it fits into a width, the rest below the text of the first row.

    >>> print(wrapped("  sent      run the tests with uv", 30))
      sent      run the tests with
                uv
    """
    indent = re.match(r" *(?:(?:sent|withheld) +)?", line)
    rest = " " * (len(indent[0]) if indent else 0)
    rows = textwrap.wrap(
        line, max(width, len(rest) + 20), subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(rows)


def plainly(parts: object, score: float, *, too_little: bool = False) -> str:
    """What speaks for a lesson in words, the strongest first; also what speaks against it, where it was ``too_little``.

    >>> plainly({"to begin with": -2.56, "words": 1.0, "best": 1.8, "length": -1.3, "its code": -0.7}, 0.42)
    '42% likely to matter: is among the best matches, shares rare words with what was asked'
    >>> plainly({"words": 0.2, "its code": -0.7}, 0.1, too_little=True)
    '10% likely to matter, too little: shares rare words with what was asked; against it: its code is not as it was'
    """
    numbers = {name: worth for name, worth in _numbers(parts).items() if name not in (*START, LENGTH)}
    if numbers.get("words", 0.0) > 0:
        numbers.pop("names", None)  # says hardly anything else
    ordered = sorted(numbers.items(), key=lambda item: -abs(item[1]))
    speak = ", ".join([PARTS.get(name, name) for name, worth in ordered if worth > 0][:MOST])
    less = ", ".join([AGAINST.get(name, PARTS.get(name, name)) for name, worth in ordered if worth < 0][:MOST])
    clauses = [*([speak] if speak else []), *([f"against it: {less}"] if less and too_little else [])]
    likely = f"{score:.0%} likely to matter{', too little' if too_little else ''}"
    return f"{likely}: {'; '.join(clauses)}" if clauses else likely


def _numbers(parts: object) -> dict[str, float]:
    items = parts.items() if isinstance(parts, dict) else ()
    return {name: round(float(value), 2) for name, value in items if isinstance(value, (int, float))}


def added(parts: object, score: float, threshold: object = None) -> str:
    """What a score is made of, so that it can be added up: where it starts, what speaks for it, what against, the sum.

    The parts are log-odds, rounded first. With a ``threshold`` (a probability) the sum is counted from there: from 0 on a
    lesson is told.

    >>> added({"at the start": -1.6, "learnt lately": 1.0}, 0.35, 0.25)
    'starts at -0.50; for it: was learnt lately +1.00; makes +0.50, sent from 0 on'
    """
    numbers = _numbers(parts)
    if not numbers:
        return f"a probability of {score:.2f}; its parts are not known"
    zero = logit(threshold) if isinstance(threshold, float) else 0.0
    start = round(sum(numbers.pop(name, 0.0) for name in START) - zero, 2)
    ordered = sorted(numbers.items(), key=lambda item: -abs(item[1]))
    named, rest = ordered[:FEW], sum(value for _, value in ordered[FEW:])
    clauses = [f"starts at {start:+.2f}"]
    for word, sign, other in (("for", 1, {}), ("against", -1, AGAINST)):
        if those := [f"{other.get(name, PARTS.get(name, name))} {value:+.2f}" for name, value in named if value * sign > 0]:
            clauses.append(f"{word} it: {', '.join(those)}")
    clauses += [f"smaller parts {rest:+.2f}"] if ordered[FEW:] else []
    total = start + sum(numbers.values())
    clauses.append(f"makes {total:+.2f}" + (", sent from 0 on" if isinstance(threshold, float) else ""))
    clauses += ["but behind a lesson that was stated later"] if 0 < score < 1 and logit(score) - zero < total - LOOSE else []
    return "; ".join(clauses)


def logit(probability: float) -> float:
    """A probability as log-odds."""
    bounded = min(max(probability, 1e-9), 1 - 1e-9)
    return log(bounded / (1 - bounded))
