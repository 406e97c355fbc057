"""Ids that Entire took for secrets: in its checkpoints every long random string, ids too, became the same word."""

from __future__ import annotations

from curator.model import JSON

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
