"""Safe access to files and programs: check their type, exclude the project's own programs, write in one step, keep them
private.

A repository may hold links to any path, pipes that block a reader, and files of any size. A written file is always the old or
the new one, even if a writer is stopped. After a power cut, that depends on the file system, unless the writer syncs its draft.
On a shared machine, other users cannot read curator's data.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from curator import clock

MAX_TEXT_BYTES = 16 << 20
"""Bytes that a text of a project has at most, unless a reader says otherwise."""


def resolve(path: Path | str, root: Path | str) -> Path:
    """Return the real location of a path, which need not exist. Raises ``OSError`` if a link leads out of ``root``."""
    top, real = os.path.realpath(root), os.path.realpath(path)
    if not (real == top or real.startswith(top.rstrip(os.sep) + os.sep)):
        raise OSError(errno.ELOOP, f"a link leads out of {root}, to {real}", str(path))
    return Path(real)


def is_of_git(path: Path) -> bool:
    """Return whether a real path is in a git folder: a ``.git``, or a folder that looks like a bare repository."""
    return any(part.casefold() == ".git" for part in path.parts) or any(map(is_bare, path.parents))


def is_bare(folder: Path | str) -> bool:
    """Return whether a folder has the shape of a repository without a work tree."""
    return all(os.path.lexists(os.path.join(folder, name)) for name in ("HEAD", "objects", "refs"))


def inside(path: Path | str, root: Path | str) -> bool:
    """Return whether a path is really in ``root``, with links followed."""
    try:
        resolve(path, root)
    except (OSError, ValueError):
        return False
    return True


def read(path: Path | str, root: Path | str, largest: int = MAX_TEXT_BYTES) -> bytes:
    """Return the bytes of a plain file that is really in ``root``.

    Raises ``OSError`` with a sentence as its ``strerror`` if the file is missing, not plain, elsewhere or too large.
    """
    real = resolve(path, root)
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with os.fdopen(os.open(real, flags), "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is not a plain file", str(path))
        content = file.read(largest + 1)
    if len(content) > largest:
        raise OSError(errno.EFBIG, f"it is larger than {largest} bytes", str(path))
    return content


FILE, FOLDER = 0o600, 0o700
OTHERS = 0o077


def private_folder(path: Path) -> None:
    """Make a private folder with its parents, and close an existing one to others. Raises ``OSError``.

    The home folder, its parents, and folders that everybody can write to (/tmp) stay unchanged.
    """
    for missing in [one for one in (*reversed(path.parents), path) if not one.exists()]:
        missing.mkdir(FOLDER, exist_ok=True)
    home = Path.home()
    mode = path.stat().st_mode
    if mode & OTHERS and not mode & stat.S_ISVTX and path != home and path not in home.parents:
        with suppress(OSError):  # another user owns it
            path.chmod(FOLDER)


def private_file(path: Path) -> None:
    """Make an empty private file, or close an existing one to others. Raises ``OSError``."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE))
        return
    if path.is_file() and path.stat().st_mode & OTHERS:
        with suppress(OSError):  # another user owns it
            path.chmod(FILE)


def private_opener(path: str, flags: int) -> int:
    """Open a private file and return its descriptor: an ``opener`` for ``open``."""
    return os.open(path, flags, FILE)


def is_private_place(path: Path) -> bool:
    """Return whether new files here must be private, like the nearest existing folder."""
    there = next((one for one in (path, *path.parents) if one.is_dir()), None)
    return there is not None and not there.stat().st_mode & OTHERS


_DRAFT = re.compile(r"\.(?P<process>\d{1,10})-[0-9A-Z]{4}-[0-9A-Z]{4}\.tmp")


@contextmanager
def draft(file: Path, begin: str = "") -> Iterator[Path]:
    """Yield a draft that replaces ``file`` in one step at the end. An exception leaves no draft.

    Each writer has its own, so that two at once do not mix. Its name begins with ``begin``, if given. Drafts of killed writers
    with this name are removed. Raises ``OSError``.
    """
    begin = begin or _begin(file)
    clean_drafts(file.parent, begin)
    path = file.with_name(f"{begin}.{os.getpid()}-{clock.new_id()}.tmp")
    try:
        yield path
        os.replace(path, file)
    except BaseException:
        with suppress(OSError):
            path.unlink()
        raise


def remove_drafts_of(file: Path) -> None:
    """Remove the drafts of a file whose writers have ended."""
    clean_drafts(file.parent, _begin(file))


def _begin(file: Path) -> str:
    return f".{file.name}"


def clean_drafts(folder: Path, begin: str) -> None:
    """Remove the drafts with this beginning whose writers have ended."""
    with suppress(OSError):
        for name in os.listdir(folder):
            match = _DRAFT.fullmatch(name, len(begin)) if name.startswith(begin) else None
            if match and not is_running(int(match["process"])):
                (folder / name).unlink()


def is_running(process: int) -> bool:
    """Return whether there is a process of this number."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass  # another user owns it
    return True


def repair(error: OSError) -> str:
    """Return the action with which a person can repair a file that can't be written.

    >>> repair(OSError(errno.EROFS, "Read-only file system"))
    'Make its file system writable'
    """
    return "Make its file system writable" if error.errno == errno.EROFS else "Fix its permissions"


def write(file: Path, text: str) -> None:
    """Write a private file in one step, and make its folder if needed. Raises ``OSError``.

    Characters that UTF-8 can't express become question marks. The file is not synced.
    """
    private_folder(file.parent)
    with draft(file) as path, open(path, "x", encoding="utf-8", errors="replace", opener=private_opener) as stream:
        stream.write(text)


def find_program(
    name: str, env: Mapping[str, str] = os.environ, *, outside: Iterable[str | os.PathLike[str]] = ()
) -> str | None:
    """Return the path of a program on ``PATH``, or ``None``.

    Relative folders, those inside one of ``outside`` (work trees), and programs that lead there by a link are skipped.
    Otherwise a project's author would choose the program.
    """
    tops = [os.path.realpath(top) for top in outside]
    for folder in outer_path(env.get("PATH", os.defpath), tops).split(os.pathsep):
        found = shutil.which(name, path=folder) if folder else None
        if found and not any(within(os.path.realpath(found), top) for top in tops):
            return found
    return None


def outer_path(path: str, outside: Iterable[str | os.PathLike[str]]) -> str:
    """Return ``PATH`` without relative folders and those inside one of ``outside``.

    Programs started by curator get it, because they may start others, as a script does with its interpreter.
    """
    tops = [os.path.realpath(top) for top in outside]
    folders = (folder for folder in path.split(os.pathsep) if os.path.isabs(folder))
    return os.pathsep.join(one for one in folders if not any(within(os.path.realpath(one), top) for top in tops))


def within(place: str, top: str) -> bool:
    """Return whether a place is a folder or below it, both without links."""
    return place == top or place.startswith(top.rstrip(os.sep) + os.sep)


MAX_RECORD_BYTES = 32 << 20
"""Bytes of one record, or of a document that is written whole. An image in a message has some MB."""
MAX_JSON_VALUES = 1_000_000
"""JSON values in it."""
MAX_PARSING_BYTES = 250 << 20
"""The bytes that a JSON text may take while it is parsed, about, without curator's own."""
BYTES_PER_VALUE = 150
"""The approximate size of a JSON value in bytes. A comma, brace or bracket counts as one, even in a text."""
MAX_PORTION_CHARACTERS = 16 << 20
"""Maximum number of characters of turns in one batch."""
MAX_PATH_CHARACTERS = 4_096
"""Maximum characters of a path. No system opens a longer one."""
MAX_NAME_CHARACTERS = 1_000
"""Characters of a branch or a tool."""


def too_large_reason(raw: bytes | str) -> str:
    """Return the reason not to parse a JSON text. Return an empty text for nearly all texts.

    >>> too_large_reason(b"[1, 2]"), too_large_reason(b"[" + b"{}," * 2_000_000)
    ('', 'it holds more than 1000000 values')
    """
    if len(raw) > MAX_RECORD_BYTES:
        return f"it is larger than {MAX_RECORD_BYTES >> 20} MB"
    if len(raw) < MAX_JSON_VALUES:
        return ""
    commas, brackets, braces = (raw.count(sign) for sign in ((b",", b"[", b"{") if isinstance(raw, bytes) else (",", "[", "{")))  # type: ignore[arg-type]
    if commas + brackets > MAX_JSON_VALUES:
        return f"it holds more than {MAX_JSON_VALUES} values"
    least = len(raw) + BYTES_PER_VALUE * (commas + brackets + braces)
    if least + 8 * len(raw) <= MAX_PARSING_BYTES or least + 2 * _width(raw) * len(raw) <= MAX_PARSING_BYTES:
        return ""  # the first needs no look at the characters, which takes longer than parsing them
    return f"it would take more than {MAX_PARSING_BYTES >> 20} MB of memory"


_WIDE = re.compile(rb"[\xf0-\xf4]|\\u[dD][89abAB]")
_BROAD = re.compile(rb"[\xc4-\xef]|\\u[0-9a-fA-F]")


def _width(raw: bytes | str) -> int:
    """Return the maximum number of bytes that a character of the text takes in memory."""
    if isinstance(raw, str):
        return 1 if raw.isascii() else 4
    return 4 if _WIDE.search(raw) else 2 if _BROAD.search(raw) else 1
