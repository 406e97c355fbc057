"""Keep what curator takes out of agents' memories for 30 days, as ``trash/ID.json`` in its home, and bring it back."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from curator import clock
from curator.app.sessions.ingest import homely
from curator.errors import ConcurrentChange, CuratorError, UnknownId
from curator.io import files
from curator.memories.discover import MAX_FILE_BYTES
from curator.settings import DAY_SECONDS, Settings

KEPT_DAYS = 30
Edit = tuple[Path, bytes | None, bytes | None]
"""A file, its bytes and its new bytes; ``None`` for no file."""


@dataclass(frozen=True, slots=True)
class Saved:
    """A file as it was before curator changed it, and the hash of what curator wrote; ``None`` for no file."""

    path: str
    """The real path: a link that is put into it later leads nowhere."""
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Removal:
    """One change of an agent's memory: the note's file and headline, its new words (none for a drop), the files of before.

    ``entry`` is the card that was decided; empty once an undo of it came too late.
    """

    id: str
    entry: str
    at: float
    file: str
    headline: str
    words: str
    files: tuple[Saved, ...]


def folder(settings: Settings) -> Path:
    """Return where the removals are."""
    return settings.home / "trash"


def removals(settings: Settings) -> list[Removal]:
    """Return what is kept, the newest first. Older ones than 30 days are deleted."""
    found: list[Removal] = []
    for path in folder(settings).glob("*.json"):
        with suppress(OSError, ValueError, TypeError, KeyError):
            data = json.loads(path.read_text(encoding="ascii"))
            removal = Removal(**{**data, "files": tuple(Saved(**one) for one in data["files"])})
            if removal.at < clock.now() - KEPT_DAYS * DAY_SECONDS:
                path.unlink()
            else:
                found.append(removal)
    return sorted(found, key=lambda one: one.at, reverse=True)


def carry_out(settings: Settings, entry: str, note: tuple[str, str], words: str, edits: Sequence[Edit]) -> Removal:
    """Save the files, then change them; where one can't be changed, none is. Raises ``CuratorError`` and ``OSError``.

    ``note`` is the file and the headline of the note.
    """
    kept = tuple(Saved(str(path), _text(old), _hash(new)) for path, old, new in edits)
    at = max([clock.now(), *(one.at + 1e-3 for one in removals(settings)[:1])])  # two of one moment have an order, too
    removal = Removal(clock.new_id(), entry, at, *note, words, kept)
    save(settings, removal)
    done = list[Edit]()
    try:
        for path, old, new in edits:
            _put(path, old, new)
            done.append((path, new, old))
    except BaseException:
        for change in reversed(done):
            _put(*change)
        delete(settings, removal)
        raise
    return removal


def put_back(settings: Settings, removal: Removal) -> list[str]:
    """Bring the files back that still are as curator wrote them; return a sentence for each further one that is not.

    Raises ``ConcurrentChange`` where the note's own file has changed since, and ``CuratorError`` for one that can't be written.
    """
    left: list[str] = []
    for at, one in enumerate(removal.files):
        old = one.before.encode("utf-8", "surrogateescape") if one.before is not None else None
        path, name = Path(one.path), homely(one.path, f"{Path.home()}{os.sep}")
        try:
            now = _read(path)
            if now == old:
                continue
            if _hash(now) == one.after:
                _put(path, now, old)
                continue
        except OSError as error:
            raise CuratorError(
                f"{name} can't be written: {error.strerror}.", "Fix that, then run `curator memories restore`."
            ) from error
        if not at:
            raise ConcurrentChange(
                f"{name} has changed since curator edited it, so curator left it as it is.",
                f"The earlier text is in {folder(settings) / removal.id}.json.",
            )
        left.append(f"{name} has changed since, so its entry for the note is not back.")
    delete(settings, removal)
    return left


def find(settings: Settings, id_: str) -> Removal:
    """Return the removal whose id begins so. Raises ``UnknownId``."""
    found = [one for one in removals(settings) if one.id.startswith(id_.upper())]
    if len(found) != 1:
        raise UnknownId(f"There is no note {id_!r} in the trash.", "`curator memories restore` lists them.")
    return found[0]


def forget(settings: Settings, entries: Sequence[str]) -> None:
    """Delete what was kept for these cards."""
    for one in removals(settings):
        if one.entry in entries:
            delete(settings, one)


def save(settings: Settings, removal: Removal) -> None:
    """Write a removal. Raises ``OSError``."""
    files.write(folder(settings) / f"{removal.id}.json", json.dumps(asdict(removal)))


def without_card(removal: Removal) -> Removal:
    """Return a removal that no decision speaks of any more; it can still be restored by hand."""
    return replace(removal, entry="")


def delete(settings: Settings, removal: Removal) -> None:
    """Delete a removal."""
    (folder(settings) / f"{removal.id}.json").unlink(missing_ok=True)


def is_own(settings: Settings, data: bytes) -> bool:
    """Return whether curator wrote these bytes."""
    return _hash(data) in {file.after for one in removals(settings) for file in one.files}


def _put(path: Path, old: bytes | None, new: bytes | None) -> None:
    """Change a file in one step if it still has these bytes. Raises ``OSError`` and ``ConcurrentChange``."""
    _require(path, old)
    if new is None:
        path.unlink()
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with files.draft(path) as draft:
        draft.touch(files.FILE)
        draft.write_bytes(new)
        if old is not None:
            shutil.copymode(path, draft)
        _require(path, old)


def _require(path: Path, old: bytes | None) -> None:
    if _read(path) != old:
        raise ConcurrentChange(
            f"{path} changed just now, so curator left it as it is.", "Undo the decision, and make it again."
        )


def _read(path: Path) -> bytes | None:
    """Return the bytes of a file; ``None`` where there is none. Raises ``OSError``, also for a path through a link."""
    if os.path.realpath(path) != str(path):
        raise OSError(0, "a link leads elsewhere", str(path))
    return files.read(path, path.parent, MAX_FILE_BYTES) if path.exists() else None


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "surrogateescape")


def _hash(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()
