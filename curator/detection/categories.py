"""Which category of lesson a sentence states, and by which signal it was found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from curator.model import Category

_KINDS: Mapping[bool, Mapping[Category, tuple[float, Mapping[str, float]]]] = {
    True: {
        Category.CONVENTION: (
            1.4,
            {
                "always": 0.4,
                "from now on": 0.4,
                "prefer": 0.2,
                "how to": 0.3,
                "request": 0.4,
                "imperative": 0.3,
                "question": 0.3,
                "dont": 0.2,
            },
        ),
        Category.DECISION: (
            1.6,
            {
                "decide": 0.5,
                "we use": 0.3,
                "prefer": 0.3,
                "should": 0.3,
                "instead": 0.2,
                "always": -0.4,
                "correct": -0.4,
                "answer": 0.4,
            },
        ),
        Category.CONSTRAINT: (0.9, {"cant": 0.6, "requires": 0.5, "doesnt": 0.5, "only": 0.3, "local": -0.3}),
        Category.ARCHITECTURE: (0.2, {"design": 0.8, "interrupted": 0.2, "name": 0.2}),
        Category.FAILED_APPROACH: (-0.3, {"failed approach": 1.3, "correct": 0.4, "how to": -0.3}),
        Category.BUG_PATTERN: (-0.4, {"root cause": 1.2, "issue is": 1.0, "breaks": 0.8, "names": 0.2}),
        Category.TOOLING: (-0.4, {"environment": 0.6, "how to": 0.3}),
    },
    False: {
        Category.BUG_PATTERN: (
            0.2,
            {"root cause": 0.6, "issue is": 0.6, "breaks": 0.6, "doesnt": 0.3, "design": -0.4, "only": -0.4},
        ),
        Category.CONSTRAINT: (
            0.0,
            {"requires": 0.5, "cant": 0.5, "doesnt": 0.3, "only": 0.3, "after objection": 0.3, "root cause": -0.2},
        ),
        Category.ARCHITECTURE: (
            0.1,
            {"design": 0.6, "names": 0.3, "code": 0.2, "issue is": -0.4, "because": -0.3, "cant": -0.3, "after failure": -0.2},
        ),
        Category.DECISION: (
            0.5,
            {
                "decide": 0.7,
                "should": 0.4,
                "prefer": 0.3,
                "dash": 0.2,
                "breaks": -0.3,
                "issue is": -0.4,
                "code": -0.3,
                "environment": -0.4,
            },
        ),
        Category.TOOLING: (-0.4, {"environment": 0.8, "after failure": 0.7, "how to": 0.4, "from now on": 0.2}),
        Category.CONVENTION: (
            -0.1,
            {"how to": 0.4, "always": 0.5, "must": 0.3, "dont": 0.3, "we use": 0.4, "breaks": -0.3, "issue is": -0.3},
        ),
        Category.FAILED_APPROACH: (-0.8, {"failed approach": 1.0, "after objection": 0.3, "correct": 0.2}),
    },
}
"""Bias and weights of each kind, by whether a person spoke; ties go to the first."""


def votes(cues: Iterable[str], human: bool) -> dict[Category, float]:
    """What the cues say for each kind, in log-odds; ties go to the first."""
    found = set(cues)
    return {kind: base + sum(weights.get(cue, 0.0) for cue in found) for kind, (base, weights) in _KINDS[human].items()}


def category_of(cues: Iterable[str], human: bool) -> Category:
    """The kind that the cues speak for most."""
    found = votes(cues, human)
    return max(found, key=lambda kind: found[kind])


_PEOPLE: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("refusal", ("refusal",)),
    ("interruption", ("interrupted",)),
    ("steering", ("queued",)),
    ("answer", ("answer",)),
    ("standing-rule", ("always", "from now on", "must", "prefer", "dont", "we use", "should")),
    ("correction", ("correct", "why question", "instead")),
    ("decision", ("decide", "only")),
    ("cause", ("root cause", "issue is", "because")),
)
_AGENTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("root-cause", ("root cause", "issue is")),
    ("failed-approach", ("failed approach",)),
    ("agreement", ("concede",)),
    ("decision", ("decide",)),
    ("limit", ("cant", "requires", "only")),
    ("breakage", ("breaks", "doesnt")),
    ("rule", ("always", "must", "dont", "instead", "should", "from now on")),
    ("design", ("design",)),
)


def signal_of(cues: Iterable[str], human: bool) -> str:
    """The stable name of the rule that fired: the first in the table of which a cue was raised."""
    found = set(cues)
    for name, raised in _PEOPLE if human else _AGENTS:
        if found.intersection(raised):
            return name
    return "remark" if human else "finding"
