"""Lesson files, both ways: one Markdown file a lesson, written so that it diffs and merges well."""

from __future__ import annotations

from curator.lesson_files.folder import (
    Found,
    Refusal,
    Report,
    Written,
    confirmed,
    holding,
    is_lesson,
    read,
    write,
)
from curator.lesson_files.lesson import FIELDS, STATES, carry, file_name, normal, parse, render, slug
from curator.lesson_files.merge import (
    Disputed,
    Merged,
    adopt,
    changes,
    clashing,
    differences,
    marked,
    open_between,
    other_side,
    parted,
    reconcile,
    sides,
)

__all__ = [
    "FIELDS",
    "STATES",
    "Disputed",
    "Found",
    "Merged",
    "Refusal",
    "Report",
    "Written",
    "adopt",
    "carry",
    "changes",
    "clashing",
    "confirmed",
    "differences",
    "file_name",
    "holding",
    "is_lesson",
    "marked",
    "normal",
    "open_between",
    "other_side",
    "parse",
    "parted",
    "read",
    "reconcile",
    "render",
    "sides",
    "slug",
    "write",
]
