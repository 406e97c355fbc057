"""How a new statement relates to a stored one. Retrieve wide, classify narrow: see ``relations``."""

from curator.comparison.classifier import Verdict, between, likeness
from curator.comparison.duplicates import StatementIndex, Terms
from curator.comparison.relations import (
    Statement,
    apart,
    compared_text,
    joined,
    merged,
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
    "compared_text",
    "joined",
    "likeness",
    "merged",
    "relate",
    "repeated",
    "similar",
    "sought",
    "within",
]
