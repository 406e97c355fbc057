"""Where secrets stand in a text.

Three looks, each led by a search that costs next to nothing: words in which letters and digits run on (``words``: known by how
their maker lets them begin, by their randomness, by the name before them), names of secrets with what stands behind them
(``names``: assignments, data files, headers, flags, prose), and places that hold secrets by their form (``places``: key blocks,
addresses, hashes of passwords). Every expression is bounded or possessive, so that hostile input costs linear time.
"""

from __future__ import annotations

from curator.text.secrets import names, places, words

Span = tuple[int, int]


def find(text: str) -> list[Span]:
    """The places of secrets, in order and apart."""
    data = text.encode("ascii", "replace")  # as many bytes as characters, and quicker to look through
    low = data.lower()
    apart: list[Span] = []
    for start, end in sorted((*words.find(text, data), *names.find(text, low), *places.find(text, low))):
        if apart and start <= apart[-1][1]:
            apart[-1] = apart[-1][0], max(end, apart[-1][1])
        elif start < end:
            apart.append((start, end))
    return apart
