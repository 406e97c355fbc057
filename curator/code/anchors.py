"""The anchors of a lesson: the symbols that it names in the files that it names, or else the files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path

from curator.code.files import MAX_DIFF_BYTES, WorkFiles, blobs_in_commit, content, has_id, inside
from curator.code.symbols import Symbol, Unreadable, language_of, symbols, whole
from curator.io import git
from curator.model import Anchor

KEPT = 8_000
"""Maximum number of characters of code in an anchor while no commit has it."""
_SPAN = re.compile(r"`([^`\n]{2,120})`|(?:[^`]|`(?![^`\n]{2,120}`))+")
"""The text in backticks, and the text between."""
_DEFINED = re.compile(r"\b(?:class|const|def|enum|fn|func|function|let|struct|trait|type)\s+$")
_NAME = re.compile(r"[^\W\d]\w*(?:(?:\.|::|#)[^\W\d]\w*)*")


def make_anchors(folder: Path, files: Sequence[str], names: Iterable[str] = ()) -> tuple[Anchor, ...]:
    """Return anchors for the existing ones of ``files`` in ``folder``, in order. Paths are relative, with slashes.

    A file that defines some of ``names`` (qualified or not) is anchored by these symbols, another one as a whole. Paths outside
    the folder (also through links), folders, submodules and nested repositories are left out. ``commit`` is that of HEAD, even
    without this content; empty outside git.
    """
    seen = WorkFiles(folder)
    distinct = [name for name in dict.fromkeys(names) if name]
    places = [path for file in dict.fromkeys(files) if (path := inside(folder, file)) and seen.blob(path)]
    if not places:
        return ()
    head = git.first_line(git.ask(folder, "rev-parse", "--verify", "--quiet", "HEAD"))
    committed = blobs_in_commit(folder, head, places) if head else {}
    found: list[Anchor] = []
    for path in dict.fromkeys(places):
        blob = seen.blob(path) or ""
        source = content(folder, path, MAX_DIFF_BYTES)
        there = committed.get(path, "")
        known = there == blob or (source is not None and has_id(source, there))
        several = defining(source, path, distinct) if source is not None else []
        if several:
            found += [anchor(path, symbol, blob, head, committed=known) for symbol in several]
        else:
            body = whole(source, language_of(path)).body_hash if source is not None else ""
            lang = language.name if (language := language_of(path)) else ""
            found.append(Anchor(path=path, lang=lang, body=body, blob=blob, commit=head, committed=known))
    return tuple(found)


def anchor(path: str, symbol: Symbol, blob: str, commit: str, *, committed: bool = True) -> Anchor:
    """Return the anchor of a symbol in its current state, with its code if no commit has it."""
    language = language_of(path)
    return Anchor(
        path=path,
        symbol=symbol.name,
        lang=language.name if language else "",
        signature=symbol.signature_hash,
        body=symbol.body_hash,
        commit=commit,
        blob=blob,
        text="" if committed or len(symbol.text) > KEPT else f"{symbol.margin}{symbol.text}",
        committed=committed,
    )


def defining(source: bytes, path: str, names: Sequence[str]) -> list[Symbol]:
    """Return the symbols of a file for some names. A qualified name has one, a simple name its only or outermost symbol."""
    language = language_of(path)
    if language is None or not names:
        return []
    try:
        there = symbols(source, language)
    except Unreadable:
        return []
    found: dict[str, Symbol] = {}
    for name in names:
        dotted = name.replace("::", ".").replace("#", ".").strip(".")
        bearers = [symbol for symbol in there if symbol.name == dotted or symbol.name.endswith(f".{dotted}")]
        if bearers:
            best = min(bearers, key=lambda symbol: symbol.name.count("."))
            found.setdefault(best.name, best)
    # A class named next to its method adds nothing.
    return [symbol for name, symbol in found.items() if not any(other.startswith(f"{name}.") for other in found)]


def code_names(text: str) -> tuple[str, ...]:
    """Return the names of code in a lesson's text, in the order of their mention: in backticks, or written as only code is.

    A plain word counts where it stands alone in its backticks, is called or is defined: commands and paths are full of others.

    >>> code_names("`Pool.close` must run before `flush`, load_config() and `make clean`, never after a plain word")
    ('Pool.close', 'flush', 'load_config')
    """
    found: dict[str, None] = {}
    for span in _SPAN.finditer(text):
        for match in _NAME.finditer(span[0]):
            word, rest = match[0], span[0][match.end() :]
            sure = rest.startswith("(") or _looks_like_code(word)
            if span[1] is not None:
                sure = sure or not word.islower() or word == span[1].strip() or bool(_DEFINED.search(span[0][: match.start()]))
            if sure:
                found[word] = None
    return tuple(found)


def _looks_like_code(word: str) -> bool:
    """Return whether a word is written as only code is."""
    inner = word.strip("_")
    return any(sign in inner for sign in "_.:") or any(a.islower() and b.isupper() for a, b in pairwise(inner))
