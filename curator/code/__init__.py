"""Lessons and the code they speak of: the symbols of a file, what they were when a lesson was kept, what became of them."""

from __future__ import annotations

from curator.code.anchors import named, take
from curator.code.check import (
    Traced,
    Watched,
    apart,
    branch_of,
    check,
    check_many,
    dated,
    elsewhere,
    git_folders,
    renewed,
    trace,
    weight,
)
from curator.code.files import Seen, blob_id, inside, mentioned, sources
from curator.code.moves import Shift, Version
from curator.code.symbols import LANGUAGES, Language, Symbol, Unreadable, language_of, outline, symbols, whole

__all__ = [
    "LANGUAGES",
    "Language",
    "Seen",
    "Shift",
    "Symbol",
    "Traced",
    "Unreadable",
    "Version",
    "Watched",
    "apart",
    "blob_id",
    "branch_of",
    "check",
    "check_many",
    "dated",
    "elsewhere",
    "git_folders",
    "inside",
    "language_of",
    "mentioned",
    "named",
    "outline",
    "renewed",
    "sources",
    "symbols",
    "take",
    "trace",
    "weight",
    "whole",
]
