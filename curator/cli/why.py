"""``curator why``: what hooks decided in a session, and for which reasons."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from curator import clock
from curator.cli.session import Session, as_json, emit, pass_session, say, scoped, warn
from curator.errors import CuratorError
from curator.model import JSON
from curator.service import Curator

if TYPE_CHECKING:
    from curator.service.telling.deliveries import Receipt

MOMENTS = {"start": "the session began", "prompt": "a prompt", "file": "a file at hand"}
COMMON = frozenset({"to begin with", "length"})
"""Parts that every lesson has, in much the same measure: they tell none apart."""
PARTS = {
    "words": "shares rare words",
    "best": "matches more than others",
    "names": "shares names",
    "place": "holds for this place",
    "share": "holds for all files at hand",
    "elsewhere": "holds elsewhere",
    "named file": "names the file",
    "meaning": "how much it means the same",
    "at the start": "holds for the whole project",
    "learnt lately": "was learnt lately",
    "came of it": "what came of telling it",
    "its code": "its code is not as it was",
    "fades": "is old",
}
FEW = 4
"""Parts of a score that are named, the largest."""
WITHHELD = 2
"""Lessons held back that are named for each decision."""
LEAST = 0.05
"""A part below this changes nothing that anybody could see."""


@click.command()
@click.argument("in_session", metavar="[SESSION]", default="")
@as_json
@scoped
@pass_session
def why(session: Session, in_session: str, as_json: bool) -> None:
    """Say what agents were told in a session, and why.

    Also when nothing was said.

    SESSION is an id or its beginning; without one it is the last session of this project.
    """
    from curator.service.telling import deliveries

    with session.open() as curator:
        deliveries.drain(curator)
        found = deliveries.decisions(curator, deliveries.find(curator, in_session))
        if as_json:
            emit(map(plain, found))
            return
        columns = width()
        said = {id_: headline(curator, id_) for receipt in found for id_ in ids(receipt.body)}
        for receipt in found:
            for line in lines(receipt, said):
                say(wrapped(line, columns) if columns else line)
        told = {item[0] for receipt in found for item in receipt.body["shown"]}
        if found:
            warn(f"Session {found[0].session}; decisions: {len(found)}, lessons told: {len(told)}.")


COMMANDS = (why,)


def ids(body: JSON) -> list[str]:
    """The lessons that a decision speaks of."""
    return [item[0] for item in (*body["shown"], *body["withheld"])]


def headline(curator: Curator, id_: str) -> str:
    """A lesson's headline; a word for one that is no more."""
    try:
        return curator.find(id_).headline
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


def lines(receipt: Receipt, said: Mapping[str, str]) -> Iterator[str]:
    """A decision for people."""
    body = receipt.body
    asked = body["asked"]
    about = f": “{asked['prompt']}”" if asked["prompt"] else f": {', '.join(asked['files'])}" if asked["files"] else ""
    moment = MOMENTS.get(body["moment"], body["moment"])
    yield f"{clock.iso(receipt.at)}  {receipt.agent} {body['event']}, {moment}{' '.join(about.split(chr(10)))}"
    threshold = body.get("threshold")
    needed = f", {threshold:.2f} needed" if isinstance(threshold, float) else ""
    for id_, _, score, _, parts in padded(body["shown"], 5):
        yield f"  told      {id_}  {said[str(id_)]}"
        yield f"            {score:.2f}{needed}: {reasons(parts)}"
    for id_, score, reason, parts in padded(body["withheld"][:WITHHELD], 4):
        yield f"  withheld  {id_}  {said[str(id_)]}"
        yield f"            {reason if reason.startswith('below') else f'{score:.2f}, {reason}'}: {reasons(parts)}"
    if (more := len(body["withheld"]) - WITHHELD) > 0:
        yield f"  and {more} more, see --json"
    if body.get("unheard") and body["shown"]:
        yield "  this agent is known to drop what is said at this event, so it may be told again"
    if not body["shown"]:
        yield "  nothing was told" + ("" if body["withheld"] else ": no lesson shares a word, a name or a place with it")


def width() -> int:
    """The columns of the terminal that is written to; 0 for none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 0


def wrapped(line: str, width: int) -> str:
    """A line broken at words so that it fits into a width, the rest below the text of the first row.

    >>> print(wrapped("  told      run the tests with uv", 30))
      told      run the tests with
                uv
    """
    indent = re.match(r" *(?:(?:told|withheld) +)?", line)
    rest = " " * (len(indent[0]) if indent else 0)
    rows = textwrap.wrap(
        line, max(width, len(rest) + 20), subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(rows)


def reasons(parts: object) -> str:
    """The parts of a score that matter most, in words."""
    numbers = (
        {name: value for name, value in parts.items() if isinstance(value, (int, float))} if isinstance(parts, dict) else {}
    )
    ordered = sorted(numbers.items(), key=lambda item: -abs(item[1]))
    kept = [f"{PARTS.get(name, name)} {value:+.2f}" for name, value in ordered if abs(value) >= LEAST and name not in COMMON]
    return ", ".join(kept[:FEW]) or "nothing speaks for it"
