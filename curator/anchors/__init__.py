"""Lessons and the code they speak of: what it was when a person said that the lesson holds, and what became of it."""

from __future__ import annotations

from curator.anchors.branches import apart, branch_of, dated, elsewhere, git_folders
from curator.anchors.check import Traced, Watched, check, check_many, renewed, trace, weight
from curator.anchors.files import Seen, blob_id, inside
from curator.anchors.mentioned import mentioned
from curator.anchors.past import sources
from curator.anchors.take import named, take
from curator.anchors.versions import Shift, Version

__all__ = [
    "Seen",
    "Shift",
    "Traced",
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
    "mentioned",
    "named",
    "renewed",
    "sources",
    "take",
    "trace",
    "weight",
]
