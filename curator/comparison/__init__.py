"""The relation of a new statement to a stored one, and the merging of two texts."""

from curator.comparison.duplicates import (
    Statement,
    StatementIndex,
    Terms,
    adds,
    comparison_text,
    content,
    is_reworded,
    repeats,
    same,
    search_terms,
)
from curator.comparison.relations import (
    MIN_NEAR_LIKENESS,
    between,
    can_share_a_rule,
    conflicts,
    find_original,
    have_one_place,
    likeness,
    merge,
    nearest,
    nearness,
    relate,
    similar,
)
