"""Lesson files, both ways: one Markdown file a lesson, written so that it diffs and merges well."""

from __future__ import annotations

from curator.lesson_files.folder import KnownFile, Refusal, confirm, digest_of, holding, is_lesson, read, write
from curator.lesson_files.lesson import FIELDS, STATES, file_name, normal, parse, render, slug, with_unknown_parts
from curator.lesson_files.merge import (
    MergeResult,
    adopt,
    changes,
    clashing,
    differences,
    reconcile,
)

__all__ = [
    "FIELDS",
    "STATES",
    "KnownFile",
    "MergeResult",
    "Refusal",
    "adopt",
    "changes",
    "clashing",
    "confirm",
    "differences",
    "digest_of",
    "file_name",
    "holding",
    "is_lesson",
    "normal",
    "parse",
    "read",
    "reconcile",
    "render",
    "slug",
    "with_unknown_parts",
    "write",
]
