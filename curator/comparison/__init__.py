"""The relation of a new statement to a stored one, and the merging of two texts."""

from curator.comparison.relations import (
    MIN_NEAR_LIKENESS,
    StatementIndex,
    adds,
    between,
    can_share_a_rule,
    conflicts,
    find_original,
    have_one_place,
    is_reworded,
    likeness,
    merge,
    nearest,
    nearness,
    relate,
    repeats,
    same,
    similar,
)
from curator.comparison.statement import Statement, Terms, comparison_text, content, search_terms
