"""One text out of two that say much the same."""

from __future__ import annotations

from curator.relations.words import analysed

INSIGHT = 30
"""Words of a merged insight at most."""


def joined(first: tuple[str, str], second: tuple[str, str]) -> tuple[str, str]:
    """Headline and insight for two ``(headline, insight)``: the more exact one, with the other where it adds something that
    fits.
    """
    exact, other = sorted((first, second), key=_exactness, reverse=True)
    adds = analysed(_text(other)).stems - analysed(_text(exact)).stems
    together = f"{_text(exact).rstrip(' .')}. {_text(other)}"
    if len(adds) >= 2 and len(together.split()) <= INSIGHT:
        return exact[0] or other[0], together
    return exact[0] or other[0], _text(exact)


def _text(statement: tuple[str, str]) -> str:
    return statement[1] or statement[0]


def _exactness(statement: tuple[str, str]) -> tuple[int, int]:
    words = analysed(_text(statement))
    return len(words.values) * 2 + len(words.stems), len(_text(statement))
