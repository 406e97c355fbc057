"""Know the same words again across files, so that copies of a turn count once.

Agents copy what was said: a resumed or forked session holds the history of the first, an archived one stands in another folder,
a checkpoint is a longer copy of the one before, SpecStory tells a session again in Markdown. Whoever is read first told it.

Ids that Entire took for secrets: in its checkpoints every long random string, ids too, became the same word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

from curator.model import JSON, Role, Turn

DERIVED = frozenset({"specstory"})
"""Agents whose transcripts are told after another agent's, with the same session id."""

LENGTH = 2_000
"""Characters of a text that tell it from others."""

RUN = 3
"""So many turns in a row, the agent's among them, that begin a session as another did, are copied rather than alike."""

_SPEAKERS = frozenset({Role.HUMAN, Role.ASSISTANT})

NOBODY = 0
"""No turn has this key."""


class Keys(NamedTuple):
    """What a turn is known by: 8-byte hashes, from which no text can be read."""

    exact: int
    """Its record's own id, else the second at which it was said, else its session: with its words."""
    alike: int
    """Its words alone: Codex writes the lines of a forked session anew, with the time of the fork."""
    own: int
    """Its session and words, as this kind of transcript (an agent's own, or derived) tells them."""
    other: int
    """The same as the other kind tells them; ``NOBODY`` where that would not tell it as well."""


def keys(turn: Turn) -> Keys:
    """The keys of a turn.

    What a session says without words (calls, results) reads otherwise in Markdown: there a derived transcript gives way to the
    agent's own as a whole, and never the other way round.
    """
    words = " ".join(turn.text[:LENGTH].split())
    content = "\0".join((turn.role, turn.happening or "", turn.call, words))
    if turn.locator.record:
        exact = _key("record", turn.locator.record, content)
    else:
        exact = _key("time", str(int(turn.at)), content) if turn.at is not None else _key("session", turn.session, content)
    speaks = bool(turn.text) and (turn.role in _SPEAKERS or turn.role is Role.EVENT)
    own = _key("told", turn.session, turn.role, words if speaks else "")
    derived = turn.agent in DERIVED
    return Keys(exact, _key("alike", content), own ^ derived, own ^ (not derived) if speaks or derived else NOBODY)


def _dated(turn: Turn) -> bool:
    return bool(turn.locator.record) or turn.at is not None


def source(path: str, session: str) -> int:
    """Who tells a turn: one session in one file. A file read again from its beginning repeats nobody."""
    return _key("source", path, session)


def repeated(
    turns: Sequence[Turn], found: Sequence[Keys], known_tellers: Mapping[int, int], teller: int, *, first: bool
) -> list[bool]:
    """Which turns of a session, as ``teller`` tells it, were heard before.

    ``known_tellers`` says who told each key first. ``first`` says that the session begins here: what ``teller`` itself told
    before is then no repetition, since a file may be read again from its beginning.
    """

    def elsewhere(key: int) -> bool:
        return known_tellers.get(key, teller) != teller

    known = [elsewhere(one.exact) or elsewhere(one.other) for one in found]
    if not first:  # a file that is rewritten tells its last turn again; "yes" may be said twice
        own = [one.exact in known_tellers and (at == 0 or _dated(turns[at])) for at, one in enumerate(found)]
        known = [old or again for old, again in zip(known, own, strict=True)]
    if first and teller not in known_tellers.values():
        run = next((at for at, one in enumerate(found) if not (known[at] or elsewhere(one.alike))), len(found))
        if run >= RUN and any(turn.role is Role.ASSISTANT for turn in turns[:run]):
            known[:run] = [True] * run
    return known


def tellers(found: Sequence[Keys], known: Sequence[bool], known_tellers: Mapping[int, int], teller: int) -> dict[int, int]:
    """Who is to be remembered for each key: ``teller``, or for a repeated turn whoever told it first.

    Of the two kinds that tell a session only the first is remembered, so that one of them tells it.
    """
    new: dict[int, int] = {}
    for one, repeated in zip(found, known, strict=True):
        first = next(
            (known_tellers[key] for key in (one.exact, one.other, one.alike) if known_tellers.get(key, teller) != teller),
            teller,
        )
        for key in (one.exact, one.alike) if one.other in known_tellers else (one.exact, one.alike, one.own):
            if key not in known_tellers:
                new.setdefault(key, first if repeated else teller)
    return new


def _key(*parts: str) -> int:
    digest = blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


REDACTED = "REDACTED"


def made(call: str, memory: JSON) -> str:
    """The id of a call that is made; one of its own where its id was taken away."""
    if call != REDACTED:
        return call
    memory["redacted"] = memory.get("redacted", 0) + 1
    return f"{REDACTED} {memory['redacted']}"


def answered(call: str, memory: JSON) -> str:
    """The id of the call that a result belongs to: where its id was taken away results come in the order of the calls."""
    if call != REDACTED:
        return call
    return next((waiting for waiting in memory.get("calls", {}) if waiting.startswith(f"{REDACTED} ")), call)
