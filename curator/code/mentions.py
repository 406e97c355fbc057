"""The files that a text names by their paths."""

from __future__ import annotations

import os
import re
from pathlib import Path

from curator.code.files import inside

MOST = 6
"""A text that names more is a list of files, not a lesson about them."""
_PATH = re.compile(r"[\w.@+~-]+(?:/[\w.@+~-]+)*")


def mentioned(folder: str, text: str) -> tuple[str, ...]:
    """The files below ``folder`` that a text names by their paths from there, in the order of their mention, ``MOST`` at most.

    A word counts when it looks like a path, with a slash or an ending, and the file exists: sentences have full stops, too.
    """
    words = (match[0].rstrip(".") for match in _PATH.finditer(text))
    looks = dict.fromkeys(word for word in words if "/" in word or "." in word.strip("."))
    top = Path(folder)
    found = (path for word in looks if (path := inside(top, word)) and os.path.isfile(top / path))
    return tuple(dict.fromkeys(found))[:MOST]
