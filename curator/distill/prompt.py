"""What a model is asked: the instruction, a session's digest, and what is known of it already."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from curator.distill.digest import PER_TOKEN

VERSION = 1
"""Of ``prompt.md``. A new one makes other keys in the cache, and sessions that were read by an older one stay read."""
MARKER = "curator-distill:"
"""What every prompt begins with. A session that begins so is one of ours and never read for lessons."""
ANSWER = 700
"""Tokens of an answer with five lessons, about."""


def prompt(digest: str, known: str = "") -> str:
    """The whole of what is sent: instruction, digest, and the candidates and lessons below it (see ``digest.below``)."""
    return "\n\n".join(part for part in (instruction("prompt.md"), f"The session:\n{digest}", known) if part) + "\n"


def tokens(text: str) -> int:
    """How many tokens a text is, about."""
    return round(len(text) / PER_TOKEN)


@cache
def instruction(name: str) -> str:
    """The text of one of the instructions beside this module."""
    return files("curator.distill").joinpath(name).read_text(encoding="utf-8").strip()
