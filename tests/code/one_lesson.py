"""The check of one lesson's code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from curator.code import Subject, check_many
from curator.model import Anchor, Finding


def check(folder: Path, anchors: Sequence[Anchor], text: str = "") -> tuple[Finding, ...]:
    return check_many(folder, {"": Subject(anchors, text)})[""]
