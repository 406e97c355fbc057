"""The marks of forgotten entries: enough to know them again, but no text."""

from __future__ import annotations

import hashlib
import re

from curator.model import JSON, Evidence


def name_of(file: str) -> str:
    """Return a transcript's name without its folders, which files of lessons leave out."""
    return re.split(r"[/\\]", file)[-1]


def of_id(id_: str) -> str:
    """Return the tombstone of an entry's id: no file may bring it back."""
    return f"id:{id_}"


def of_session(session: str) -> str:
    """Return the tombstone of a session."""
    return f"session:{digest(session)}"


def of_place(item: Evidence) -> str:
    """Return the tombstone of a quote."""
    return place(item.session, item.file, item.line, item.quote)


def place(session: str, file: str, line: int, quote: str) -> str:
    """Return the tombstone of a place in a transcript; of the words in a file of that name where nothing is known of a
    session.
    """
    name = name_of(file)
    return f"place:{digest(session, name, str(line))}" if session else f"place:{digest(name, quote)}"


def traces(item: Evidence) -> tuple[str, str]:
    """Return the tombstones that would bury a quote."""
    return of_place(item), of_session(item.session)


def repeat_signatures(fingerprint: str) -> tuple[str, str]:
    """Return the signatures under which sessions with a person's sentence are counted: in a longer turn, in its own turn."""
    return f"part:{fingerprint}", f"own:{fingerprint}"


def digest(*parts: str) -> str:
    """Return a hash that does not reveal its parts."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def traces_of(item: JSON) -> tuple[str, str]:
    """Return the tombstones that would bury an encoded quote."""
    session = item.get("session", "")
    return place(session, item["file"], item["line"], item["quote"]), of_session(session)
