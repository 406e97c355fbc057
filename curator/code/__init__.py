"""Lessons and the code they speak of: the symbols of a file, what they were when a lesson was kept, what became of them."""

from __future__ import annotations

from curator.code.anchors import named, take
from curator.code.branches import apart, branch_of, dated, elsewhere, git_folders
from curator.code.check import Traced, Watched, check, check_many, renewed, trace, weight
from curator.code.files import Seen, blob_id, inside, mentioned
from curator.code.history import sources
from curator.code.languages import LANGUAGES, Language, language_of
from curator.code.symbols import Symbol, Unreadable, outline, symbols, whole
from curator.code.versions import Shift, Version

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
