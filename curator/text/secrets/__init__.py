"""Where secrets stand in a text.

Two looks, each led by a search that costs next to nothing: names of secrets with what stands behind them (``names``:
assignments, data files, headers, flags, prose), and what its form gives away (``forms``: words known by how their maker lets
them begin, by their randomness, by the name before them; key blocks, addresses, hashes of passwords). Every expression is
bounded or possessive, so that hostile input costs linear time.
"""

from __future__ import annotations

from curator.text.secrets import forms, names

Span = tuple[int, int]


def find(text: str) -> list[Span]:
    """The places of secrets, in order and apart."""
    data = text.encode("ascii", "replace")  # as many bytes as characters, and quicker to look through
    low = data.lower()
    apart: list[Span] = []
    for start, end in sorted((*forms.find_runs(text, data), *names.find(text, low), *forms.find_places(text, low))):
        if apart and start <= apart[-1][1]:
            apart[-1] = apart[-1][0], max(end, apart[-1][1])
        elif start < end:
            apart.append((start, end))
    return apart
