"""Lessons and the code they speak of: the symbols of a file, what they were when a lesson was kept, what became of them."""

from __future__ import annotations

from curator.code.anchors import code_names, take
from curator.code.check import (
    Subject,
    Trace,
    apart,
    branch_of,
    check,
    check_many,
    date_anchors,
    elsewhere,
    git_folders,
    renew_anchors,
    trace,
    weight,
)
from curator.code.files import WorkFiles, blob_id, inside, mentions, sources
from curator.code.moves import Shift, Version
from curator.code.symbols import LANGUAGES, Language, Symbol, Unreadable, language_of, outline, symbols, whole

__all__ = [
    "LANGUAGES",
    "Language",
    "Shift",
    "Subject",
    "Symbol",
    "Trace",
    "Unreadable",
    "Version",
    "WorkFiles",
    "apart",
    "blob_id",
    "branch_of",
    "check",
    "check_many",
    "code_names",
    "date_anchors",
    "elsewhere",
    "git_folders",
    "inside",
    "language_of",
    "mentions",
    "outline",
    "renew_anchors",
    "sources",
    "symbols",
    "take",
    "trace",
    "weight",
    "whole",
]
