"""Lesson files, both ways: one Markdown file a lesson, written so that it diffs and merges well."""

from __future__ import annotations

from curator.lesson_files.folder import KnownFile, Refusal, confirm, digest_of, holding, is_lesson, read, write
from curator.lesson_files.lesson import FIELDS, STATES, checked, file_name, normal, parse, render, slug, with_unknown_parts
from curator.lesson_files.merge import (
    Disputes,
    MergeResult,
    add_disputes,
    adopt,
    changes,
    clashing,
    differences,
    open_between,
    other_side,
    reconcile,
    sides,
    split_disputes,
)
