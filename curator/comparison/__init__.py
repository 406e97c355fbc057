"""How a new statement relates to a stored one, and how one text is made of two."""

from curator.comparison.duplicates import Statement, StatementIndex, Terms, comparison_text, same, search_terms
from curator.comparison.merging import join, merge, similar
from curator.comparison.relations import Verdict, apart, between, find_original, likeness, relate, within

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
    "same",
    "search_terms",
    "similar",
    "within",
]
