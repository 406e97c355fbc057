"""How a new statement relates to a stored one. Retrieve wide, classify narrow: see ``relations``."""

from curator.comparison.classifier import Verdict, between, likeness
from curator.comparison.duplicates import StatementIndex, Terms
from curator.comparison.relations import (
    Statement,
    apart,
    comparison_text,
    join,
    merge,
    relate,
    repeated,
    similar,
    sought,
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
    "join",
    "likeness",
    "merge",
    "relate",
    "repeated",
    "similar",
    "sought",
    "within",
]
