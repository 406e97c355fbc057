"""The code that lessons are about: the symbols of a file, their state when a lesson was kept, and their changes since."""

from __future__ import annotations

from curator.code.anchors import (
    Subject,
    Trace,
    base_severity,
    branch_of,
    check_many,
    code_names,
    date_anchors,
    git_folders,
    have_different_code,
    is_on_other_branch,
    make_anchors,
    renew_anchors,
    trace,
)
from curator.code.files import WorkFiles, blob_id, inside, mentions, sources
from curator.code.missing import missing_paths, missing_symbols, named_paths, named_symbols
from curator.code.moves import CodeChange, Version
from curator.code.symbols import LANGUAGES, Language, Symbol, Unreadable, language_of, outline, symbols, whole
