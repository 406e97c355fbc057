"""The relation of a new statement to a stored one, and the merging of two texts."""

from curator.comparison.duplicates import (
    Statement,
    StatementIndex,
    Terms,
    adds,
    comparison_text,
    is_reworded,
    repeats,
    same,
    search_terms,
)
from curator.comparison.relations import (
    Verdict,
    between,
    conflicts,
    find_original,
    have_different_places,
    join,
    likeness,
    merge,
    relate,
    similar,
    within,
)

__all__ = [
    "Statement",
    "StatementIndex",
    "Terms",
    "Verdict",
    "adds",
    "between",
    "comparison_text",
    "conflicts",
    "find_original",
    "have_different_places",
    "is_reworded",
    "join",
    "likeness",
    "merge",
    "relate",
    "repeats",
    "same",
    "search_terms",
    "similar",
    "within",
]
