"""Which lessons are held out of which sessions, where a person wants to know whether sending helps.

Chance decides by lesson and session, and decides the same at every moment of a session: so what comes up again in those that
were sent a lesson may be compared with those that were not, and nothing else differs. On the path of hooks.
"""

from __future__ import annotations

import os

from curator.agents import receipts

MOST = 0.5
"""The largest share that may be held out."""
NAME = b"holdout"
VARIABLE = "CURATOR_HOLDOUT"


def share(settings: bytes) -> float:
    """The share that is held out, by the environment or the file of settings; 0 for none, and for what makes no sense.

    Only the plain line is understood: ``settings.load`` complains of any other.

    >>> share(b"theme = 'x'\\nholdout = 0.1 # a month"), share(b""), share(b"holdout = 2")
    (0.1, 0.0, 0.0)
    """
    text = os.environ.get(VARIABLE, "").encode("utf-8", "replace")
    if not text:
        for line in settings.split(b"\n") if NAME in settings else ():
            key, _, value = line.partition(b"=")
            if key.strip() == NAME:
                text = value.partition(b"#")[0].strip()
    try:
        found = float(text or b"0")
    except ValueError:
        return 0.0
    return found if 0.0 <= found <= MOST else 0.0


def is_held_out(lesson: str, session: str, share: float) -> bool:
    """Whether a lesson is not sent in a session: so in about this share of all pairs.

    >>> sum(is_held_out(f"L{n}", "s1", 0.1) for n in range(1000)) in range(70, 130), is_held_out("L1", "s1", 0.0)
    (True, False)
    """
    return bool(share) and int(receipts.name(f"{lesson} {session}")[:8], 16) < share * (1 << 32)
