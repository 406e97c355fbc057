"""The trash for text that curator deletes from agents' memories. It is kept for 30 days as ``trash/ID.json`` in curator's
home.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from curator import clock
from curator.app.sessions.ingest import shorten_home
from curator.errors import ConcurrentChange, CuratorError, UnknownId
from curator.io import files
from curator.memories import edit
from curator.memories.discover import MAX_FILE_BYTES
from curator.settings import DAY_SECONDS, Settings

KEPT_DAYS = 30
AS_IT_IS = "+"
"""The words of a note that waited in a patch and came into its file unchanged."""


@dataclass(frozen=True, slots=True)
class Saved:
    """A file before and after curator changed it. ``None`` means that there is no file."""

    path: str
    """The real path: a link that is put into it later leads nowhere."""
    before: str | None
    after: str | None
    mode: int = files.FILE
    mtime: float = 0.0


def saved(path: Path, before: bytes | None, after: bytes | None) -> Saved:
    """Return a change of a file. Bytes that are not text are kept as lone surrogates. Raises ``OSError``."""
    stat = path.stat() if before is not None else None
    more = (stat.st_mode & 0o777, stat.st_mtime) if stat else ()
    return Saved(str(path), _text(before), _text(after), *more)


@dataclass(frozen=True, slots=True)
class Removal:
    """One change of an agent's memory: the note's file and headline, its new words (none for a drop), and the previous files.

    ``entry`` is the decided card. ``late`` says that an undo came too late.
    """

    id: str
    entry: str
    at: float
    file: str
    headline: str
    words: str
    files: tuple[Saved, ...]
    late: bool = False

    @property
    def deed(self) -> str:
        """Return the change in one word."""
        return {"": "deleted", AS_IT_IS: "applied"}.get(self.words, "reworded")


def folder(settings: Settings) -> Path:
    """Return where the removals are."""
    return settings.home / "trash"


def removals(settings: Settings) -> list[Removal]:
    """Return the stored removals, newest first, and delete those older than 30 days."""
    found: list[Removal] = []
    for path in folder(settings).glob("*.json"):
        with suppress(OSError, ValueError, TypeError, KeyError):
            data = json.loads(path.read_text(encoding="ascii"))
            removal = Removal(**{**data, "id": path.stem, "files": tuple(Saved(**one) for one in data["files"])})
            if removal.at < clock.now() - KEPT_DAYS * DAY_SECONDS:
                path.unlink()
            else:
                found.append(removal)
    return sorted(found, key=lambda one: one.at, reverse=True)


def carry_out(settings: Settings, entry: str, note: tuple[str, str], words: str, edits: Sequence[Saved]) -> None:
    """Save the files, then change them. If one can't be changed, none is. Raises ``CuratorError`` and ``OSError``.

    ``note`` is the file and the headline of the note.
    """
    at = max([clock.now(), *(one.at + 1e-3 for one in removals(settings)[:1])])  # two of one moment have an order, too
    removal = Removal(clock.new_id(), entry, at, *note, words, tuple(edits))
    save(settings, removal)
    done = list[Saved]()
    try:
        for one in edits:
            _put(one.path, one.before, one.after)
            done.append(one)
    except BaseException:
        for one in reversed(done):
            _put(one.path, one.after, one.before)
        delete(settings, removal)
        raise


def put_back(settings: Settings, removal: Removal) -> list[str]:
    """Restore the files that are still as curator wrote them. Return a sentence for each further one that is not.

    Raises ``ConcurrentChange`` if the note's own file has changed since, and ``CuratorError`` for one that can't be written.
    """
    left: list[str] = []
    for one in removal.files:
        name = shorten_home(one.path)
        files.remove_drafts_of(Path(one.path))
        try:
            now = _read(one.path)
            new = one.before if now == one.after else _merged(one, now) if is_own(settings, one.path, now) else None
            if now == one.before:
                continue
            if now == one.after or new is not None:
                _put(one.path, now, new)
                if new is not None and new == one.before:
                    os.chmod(one.path, one.mode)
                    os.utime(one.path, (one.mtime, one.mtime))  # the agent wrote it then
                _rebase(settings, removal, one)
                continue
        except OSError as error:
            hint = "Fix that, then run `curator memories restore`."
            raise CuratorError(f"{name} can't be written: {error.strerror}.", hint) from error
        if one is removal.files[0]:
            raise ConcurrentChange(
                f"{name} has changed since curator edited it, so curator left it as it is.",
                f"The earlier text is in {folder(settings) / removal.id}.json.",
            )
        left.append(f"{name} has changed since, so its entry for the note is not back.")
    delete(settings, removal)
    return left


def is_cut_short(removal: Removal) -> bool:
    """Return whether a file is unchanged: a process was killed before the change, or somebody restored it."""
    with suppress(OSError):
        return any(_read(one.path) == one.before for one in removal.files)
    return False


def _merged(one: Saved, now: str | None) -> str | None:
    """Return a later text of a file as if curator had not changed it. Return ``None`` if that is not clear."""
    return None if None in (one.before, one.after, now) else edit.merge(one.after or "", one.before or "", now or "")


def _rebase(settings: Settings, removal: Removal, one: Saved) -> None:
    """Store later changes of the file as if they had been made with the restored note in it."""

    def moved(text: str | None) -> str | None:
        merged = _merged(one, text)
        return text if merged is None else merged

    for later in removals(settings):
        if later.at > removal.at and any(file.path == one.path for file in later.files):
            kept = (
                replace(file, before=moved(file.before), after=moved(file.after)) if file.path == one.path else file
                for file in later.files
            )
            save(settings, replace(later, files=tuple(kept)))


def find(settings: Settings, id_: str) -> Removal:
    """Return the removal whose id begins with a prefix. Raises ``UnknownId``."""
    found = [one for one in removals(settings) if one.id.startswith(id_.upper())]
    if len(found) != 1:
        raise UnknownId(f"There is no note {id_!r} in the trash.", "`curator memories restore` lists them.")
    return found[0]


def forget(settings: Settings, entries: Sequence[str]) -> None:
    """Delete the stored removals of these cards."""
    for one in removals(settings):
        if one.entry in entries:
            delete(settings, one)


def save(settings: Settings, removal: Removal) -> None:
    """Write a removal. Raises ``OSError``."""
    files.write(folder(settings) / f"{removal.id}.json", json.dumps(asdict(removal)))


def delete(settings: Settings, removal: Removal) -> None:
    """Delete a removal."""
    (folder(settings) / f"{removal.id}.json").unlink(missing_ok=True)


def is_own(settings: Settings, path: str, text: str | None) -> bool:
    """Return whether a file is as curator last wrote it."""
    return text is not None and text == next(
        (file.after for one in removals(settings) for file in one.files if file.path == path), None
    )


def _put(path: str, old: str | None, new: str | None) -> None:
    """Change a file in one step if it still has this text. Raises ``OSError`` and ``ConcurrentChange``."""
    _require(path, old)
    file = Path(path)
    if old is not None and not file.stat().st_mode & stat.S_IWUSR:
        raise OSError(errno.EACCES, "it is read-only", path)  # a new file in its place would ignore that
    if new is None:
        file.unlink()
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    with files.draft(file) as draft:
        draft.touch(files.FILE)
        draft.write_bytes(new.encode("utf-8", "surrogateescape"))
        if old is not None:
            shutil.copymode(file, draft)
        _require(path, old)


def _require(path: str, old: str | None) -> None:
    if _read(path) != old:
        raise ConcurrentChange(
            f"{path} changed just now, so curator left it as it is.", "Undo the decision, and make it again."
        )


def _read(path: str) -> str | None:
    """Return the text of a file. Return ``None`` if there is none. Raises ``OSError``, also for a path through a link."""
    if os.path.realpath(path) != path:
        raise OSError(errno.ELOOP, "a link leads elsewhere", path)
    return _text(files.read(path, os.path.dirname(path), MAX_FILE_BYTES)) if os.path.exists(path) else None


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "surrogateescape")
