"""The symbols that a text names next to their file and that no longer exist, with the commit that removed each.

A name counts only if the file's history had it. Any other belongs to another program or is no code.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from curator.code.files import MAX_DIFF_BYTES, content
from curator.code.missing_paths import SPAN, find, listing, named_paths, present
from curator.io import git

NOT_PROSE = (".", ":(exclude)*.md", ":(exclude)*.mdx", ":(exclude)*.txt")
"""Files in which a name is code. Notes and plans may name code that is long gone."""
MAX_SYMBOLS = 200
"""Symbols of one project that git is asked for."""
_SYMBOL = re.compile(r"(?:\w+(?:\.|::|#|->))*([A-Za-z_]\w{3,60})(\([^()\n]*\))?")
_CODE = re.compile(r"[a-z0-9][A-Z]|\w_\w")
_PART = re.compile(r"\n\s*\n|\n(?=\s*[-*] )")


def named_symbols(text: str) -> Iterator[tuple[str, str]]:
    """Yield each file and each symbol that a paragraph or an item names together, symbols in backticks alone.

    >>> list(named_symbols("`load_all()` in `src/io.py` caches.\\n\\nCall `save_all` after the `flush`."))
    [('src/io.py', 'load_all')]
    """
    for part in _PART.split(text) if "`" in text else ():
        symbols = _symbols(part)
        if symbols and (paths := named_paths(part)):
            symbols = _symbols("\n".join(said for line in part.split("\n") for said in present(line)))
            yield from ((path, symbol) for path in paths for symbol in symbols)


def _symbols(text: str) -> Iterable[str]:
    """Return the symbols in backticks."""
    spans = [match for span in SPAN.finditer(text) if (match := _SYMBOL.fullmatch(span[1].strip()))]
    return dict.fromkeys(match[1] for match in spans if match[2] or _CODE.search(match[1]))


def missing_symbols(folder: Path, named: Iterable[tuple[str, str]]) -> Mapping[tuple[str, str], str]:
    """Return those files and symbols whose symbol is missing in a work tree, with the commit that removed it.

    The file exists, and no other path ends like it. This takes three git processes.
    """
    by_file: dict[str, set[str]] = {}
    for path, symbol in named:
        by_file.setdefault(path, set()).add(symbol)
    names = listing(folder) if by_file else {}
    real = {path: places[0] for path in by_file if len(places := find(names, path)) == 1}
    missing = {(path, symbol) for path in real for symbol in by_file[path] - _words(folder, real[path], by_file[path])}
    symbols = sorted({symbol for _, symbol in missing})[:MAX_SYMBOLS]
    if not symbols:
        return {}
    asked = [word for symbol in symbols for word in ("-e", symbol)]
    there = set(git.lines(git.ask(folder, "grep", "--untracked", "-I", "-h", "-o", "-w", "-F", *asked, "--", *NOT_PROSE)))
    left = [symbol for symbol in symbols if symbol not in there]
    paths = sorted({real[path] for path, symbol in missing if symbol in left})
    removed = _removed(folder, left, paths) if left else {}
    return {(path, symbol): removed[real[path], symbol] for path, symbol in sorted(missing) if (real[path], symbol) in removed}


def _words(folder: Path, path: str, symbols: set[str]) -> set[str]:
    """Return the symbols that a file has; all of them where there is no file to be read."""
    source = content(folder, path, MAX_DIFF_BYTES) if os.path.isfile(folder / path) else None
    return symbols if source is None else symbols & set(re.findall(r"\w+", source.decode("utf-8", "replace")))


def _removed(folder: Path, symbols: list[str], paths: list[str]) -> Mapping[tuple[str, str], str]:
    """Return the last commit that removed a line with each symbol from each file."""
    either = f"({'|'.join(map(re.escape, symbols))})"
    answer = git.ask(folder, "log", "-p", "-U0", "--no-renames", "-E", f"-G{either}", "--format=%x01%h", "--", *paths)
    found: dict[tuple[str, str], str] = {}
    word = re.compile(rf"\b{either}\b")
    for part in (answer or "").split("\1")[1:]:
        commit, _, diff = part.partition("\n")
        path = ""
        for line in diff.split("\n"):
            if line.startswith("--- "):
                path = line[4:].removeprefix("a/")
            elif line.startswith("-"):
                for symbol in word.findall(line):
                    found.setdefault((path, symbol), commit)
    return found
