"""Plain files in git, both ways: one lesson a file, written so that it diffs and merges well."""

from __future__ import annotations

from curator.export.folder import Found, Refusal, Report, Written, read, write
from curator.export.lesson import FIELDS, carry, file_name, normal, parse, render, slug
from curator.export.reconcile import Merged, reconcile

__all__ = [
    "FIELDS",
    "Found",
    "Merged",
    "Refusal",
    "Report",
    "Written",
    "carry",
    "file_name",
    "normal",
    "parse",
    "read",
    "reconcile",
    "render",
    "slug",
    "write",
]
