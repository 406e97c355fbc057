"""Lessons and the code they speak of: what a file was when a person said that the lesson holds, and what became of it.

This first version knows whole files; symbols come later.
"""

from __future__ import annotations

from curator.anchors.check import check, check_many
from curator.anchors.files import Seen, blob_id, take

__all__ = ["Seen", "blob_id", "check", "check_many", "take"]
