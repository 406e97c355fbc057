"""How a new statement relates to a stored one. Retrieve wide, classify narrow: see ``relations``."""

from curator.comparison.classifier import Verdict, between, likeness
from curator.comparison.duplicates import StatementIndex, Terms
from curator.comparison.relations import (
    Statement,
    apart,
    comparison_text,
    find_original,
    join,
    merge,
    relate,
    search_terms,
    similar,
    within,
)

__all__ = [
    "Statement",
    "StatementIndex",
    "Terms",
    "Verdict",
    "apart",
    "between",
    "comparison_text",
    "find_original",
    "join",
    "likeness",
    "merge",
    "relate",
    "search_terms",
    "similar",
    "within",
]
