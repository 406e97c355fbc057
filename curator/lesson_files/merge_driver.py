"""The merge driver: git hands over three versions of a lesson file and gets one, joined field by field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from curator.errors import MalformedFile
from curator.lesson_files import conflict, lesson, unknown_fields
from curator.lesson_files.merge import reconcile
from curator.model import Entry, State


def merge(base: bytes, ours: bytes, theirs: bytes, file: str) -> bytes | None:
    """The merged file; ``base`` is empty where both sides added it.

    Where both changed one field differently ours stands, and theirs is kept under ``clash`` for a person (see ``conflict``).
    ``None`` where lines are all there is to go by: a side that can't be understood, or two lessons in one file.
    """
    try:
        mine, other = _read(ours, file), _read(theirs, file)
    except MalformedFile:
        return None
    if mine.id != other.id:
        return None
    try:
        old = _read(base, file) if base.strip() else None
    except MalformedFile:
        old = None  # then whatever differs is asked
    return lesson.render(_merged(old if old and old.id == mine.id else None, mine, other)).encode()


def _read(content: bytes, file: str) -> Entry:
    try:
        return lesson.parse(content.decode("utf-8"), file)
    except UnicodeDecodeError as error:
        raise MalformedFile(file, 1, "is not UTF-8") from error


def _merged(base: Entry | None, ours: Entry, theirs: Entry) -> Entry:
    old, disputed_before = conflict.parted(base) if base else (None, {})
    mine, disputed_here = conflict.parted(ours)
    other, disputed_there = conflict.parted(theirs)
    merged = reconcile(old, mine, other)
    entry, clashing = merged.entry, list(merged.clashes)
    if old is None and "state" in clashing:  # every lesson begins as active: who retired it has decided something
        entry = replace(entry, state=State.RETIRED)
        clashing.remove("state")
    new = {name: str(getattr(other, name)) for name in clashing if name != "extra"}
    if "extra" in clashing:
        new |= unknown_fields.merge(old.extra if old else "", mine.extra, other.extra)[1]
    return conflict.marked(entry, _disputed(disputed_before, disputed_here, disputed_there, new, old, entry))


def _disputed(
    before: conflict.Disputed,
    here: conflict.Disputed,
    there: conflict.Disputed,
    new: Mapping[str, str],
    base: Entry | None,
    merged: Entry,
) -> conflict.Disputed:
    """What is in dispute after a merge.

    What one side has settled is settled. A rebase brings one change after the other: what is in dispute since the last one
    gives way to what this one makes of it.
    """
    known, texts = unknown_fields.blocks(base.extra) if base else {}, unknown_fields.blocks(merged.extra)
    found: dict[str, tuple[str, ...]] = {}
    for side, opposite in ((here, there), (there, here)):
        for field, text in ((field, text) for field, versions in side.items() for text in versions):
            settled = text in before.get(field, ()) and text not in opposite.get(field, ())
            was = str(getattr(base, field)) if base and field in conflict.FIELDS else known.get(field)
            now = str(getattr(merged, field)) if field in conflict.FIELDS else texts.get(field)
            if not (settled or text == now or (field in new and text == was)):
                found[field] = (*found.get(field, ()), text)
    for field, text in new.items():
        found[field] = (*found.get(field, ()), text)
    return {field: tuple(dict.fromkeys(versions)) for field, versions in found.items()}
