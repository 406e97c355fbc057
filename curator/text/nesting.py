"""How deep a text nests: parsers that go down by recursion end the process, or the stack, on what somebody made for it."""

from __future__ import annotations

import re

DEEPEST = 40
"""Levels; settings and front matter that people write have five."""
LARGEST = 256 * 1024
"""Characters of YAML; front matter that people write has some hundred."""
_OPENING = re.compile(r"^[ \t?:-]*", re.MULTILINE)


def unreadable(text: str) -> str:
    """Why YAML is not given to a parser: it is too long or nests too deep; empty for what may be.

    >>> unreadable("a: [1, {b: 2}]"), unreadable("a: " + "[" * 50_000)
    ('', 'it nests deeper than 40 levels')
    """
    if len(text) > LARGEST:
        return f"it is longer than {LARGEST} characters"
    brackets = text.count("[") + text.count("{")
    if brackets + max(len(found[0]) for found in _OPENING.finditer(text)) <= DEEPEST:  # each level takes one of these
        return ""
    import yaml

    depth = 0
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > DEEPEST:
                return f"it nests deeper than {DEEPEST} levels"
    except yaml.YAMLError:
        return ""  # the reader says where
    return ""
