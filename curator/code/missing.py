"""The paths and symbols that a text names and that no longer exist, with the commit that removed each.

Most words with a slash are no paths of the work tree. A word therefore counts as a path only if nothing else is likely. A
symbol counts only next to its file, and only if the file's history had it. Any other symbol belongs to another program or is
not code.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from curator.code.files import MAX_DIFF_BYTES, SKIPPED_FOLDERS, content, walk
from curator.io import git
from curator.text.markdown import MAX_LINE_CHARACTERS

Names = Mapping[str, Mapping[str, str]]
"""Files and folders by their last name: each path with its data."""
SOURCES = frozenset(
    "c cc cjs clj cpp cs cts dart ex exs fs go gradle h hpp hs java jl js jsx kt kts less lua m mjs ml mts php pl proto ps1 py "
    "pyi r rb rs sass scala scss sh sol svelte swift tf ts tsx vue zig".split()
)
"""Endings of source files."""
ENDINGS = SOURCES | frozenset(
    "cfg conf css csv graphql htm html ini ipynb json jsonc md mdc mdx rst sql toml txt xml yaml yml".split()
)
"""Endings of files that people and agents write."""

_WORD = r"[\w@.-][\w@.+-]*"
_PART = rf"(?:{_WORD}|\[\[?(?:\.{{3}})?[\w-]+\]\]?[\w.-]*|\([\w.-]+\))"
"""A folder or file, with the brackets of a web framework's address parts."""
_PATH = re.compile(rf"(?:\.?/)?((?:{_PART}/)*{_PART}/?)")
_PROSE_PATH = re.compile(
    r"(?<![\w./~$:@\\*<>{}\[\]%#?&=+-])"  # nothing before it may belong to a URL, a home folder, a variable or a pattern
    rf"(?:\./)?((?:{_WORD}/)+{_WORD})"
    r"(?![\w/\\*<>{}\[\]$%=~-])"
)
SPAN = re.compile(r"`([^`\n]{1,200})`")
"""A text in backticks."""
_LINE = re.compile(r":\d+(?:[-:,]\d+)*$")
_CHANGE = re.compile(r"(?:R\d{3}\0([^\0]+)|([AD]))\0([^\0]+)")
_MADE_UP = re.compile(
    r"(?i)(?:^|[/._-])(?:path|foo|bar|baz|x{2,}|yyyy|example|your|my|some|name|n{3,}|file|template)(?:[/._-]|$)|(?<![\[.])\.\."
)
_ABSENT = re.compile(
    r"(?i)\b(?:remov\w+|delet\w+|renam\w+|moved|moving|replac\w+|dropp\w+|gone|former\w*|legacy|no longer|"
    r"(?<!is )(?<!are )(?<=\w )used to|"
    r"(?:does|do|did)(?:n['’]t| not) exist|absent|missing|dangling|historical|superseded|merged (?:in|to)\w*|"
    r"split (?:in|out)\w*|extracted|archived|deprecated|retired?|instead of|was|were|old|dead|ha(?:s|ve) (?:its|their) own)\b|"
    r"~~|❌|(?:`|\w/[\w./-]{1,99}) ?(?:→|->) ?(?:`|[\w.-]{1,99}/)"
)
"""Words with which a sentence says that a file is missing or has another path. An arrow links two names."""
_SCRIPT = re.compile(r"\.([cm]?)js(x?)$")
_SENTENCE = re.compile(r"(?<=[.!?])[)*_\"']*\s+(?=[A-Z`*_(])(?!(?:It|They|This|That|These|Those|Both|All|Now)\b)")
"""The ends of sentences in a line after which the next sentence has a subject of its own."""


def named_paths(text: str) -> tuple[str, ...]:
    """Return the paths of a work tree that a text clearly names, in order: with a folder and a usual ending, or in backticks.

    It leaves out URLs, paths from the home folder or from variables, patterns and placeholders. It also leaves out paths whose
    sentence says that they are gone.

    >>> named_paths("Edit `src/app.py:12`, see docs/guide.md, and/or <dir>/a.py, ~/b.py, *.ts; `old/x.py` was removed")
    ()
    >>> named_paths("Edit `src/app.py:12`, see docs/guide.md, and/or <dir>/a.py, ~/b.py, `*.ts`")
    ('src/app.py', 'docs/guide.md')
    """
    found = dict[str, None]()
    for line in text.split("\n"):
        paths = [*_paths(line)] if ("/" in line or "`" in line) and len(line) <= MAX_LINE_CHARACTERS else []
        if paths and (parts := present(line)) != [line]:
            paths = [path for part in parts for path in _paths(part)]
        found |= dict.fromkeys(paths)
    return tuple(found)


def _paths(line: str) -> Iterator[str]:
    """Yield the paths that a line clearly names, those in backticks first."""
    for span in SPAN.finditer(line):
        path = _LINE.sub("", span[1].strip())
        if (match := _PATH.fullmatch(path)) and is_named(match[1], sure=True):
            yield match[1]
    prose = SPAN.sub(" ", line)
    for match in _PROSE_PATH.finditer(prose) if "/" in prose else ():
        path = match[1].rstrip(".")
        if is_named(path, sure=False) or (match[0] != match[1] and is_named(f"{path}/", sure=True)):
            yield path


def present(line: str) -> list[str]:
    """Return the sentences of a line that do not say that something is gone. Return the unchanged line if none says so."""
    parts = _SENTENCE.split(line) if _ABSENT.search(SPAN.sub("`", line)) else []
    return [part for part in parts if not _ABSENT.search(SPAN.sub("`", part))] if parts else [line]


def is_named(path: str, *, sure: bool) -> bool:
    """Return whether a word is a path: it has a folder and a usual ending.

    In backticks (``sure``) it may also be the name of a source file, or a folder in a folder.
    """
    folder, _, name = path.rstrip("/").rpartition("/")
    if path.endswith("/"):
        is_usual = sure and bool(folder)
    else:
        ending = name.rpartition(".")[2].lower() if "." in name.strip(".") else ""
        is_usual = ending in ENDINGS if folder else sure and ending in SOURCES
    is_other = not is_usual or path.startswith(("@", "-", "__")) or not SKIPPED_FOLDERS.isdisjoint(path.split("/"))
    return not is_other and not _MADE_UP.search(path)


class Loss(NamedTuple):
    """A path that is gone: the last commit that removed it, and its new path. Each is empty if it is not known."""

    commit: str = ""
    moved: str = ""


def missing_paths(folder: Path, paths: Iterable[str]) -> Mapping[str, Loss]:
    """Return the paths that are missing in a work tree. A path may omit the folders above it.

    A path that git never had belongs to another repository or never existed. It therefore counts only if git can't tell. This
    takes at most four git processes.
    """
    missing = [path for path in dict.fromkeys(paths) if not os.path.lexists(os.path.join(folder, path))]
    if not missing:
        return {}
    there = listing(folder)
    missing = [path for path in missing if not find(there, path) and not _is_built(there, path)]
    removals = _removals(folder) if missing else {}
    names = _by_name({path: path for path in removals})
    found = {path: _loss(there, removals, path, places[0]) for path in missing if (places := find(names, path))}
    sure = [path for path in missing if path not in found and "/" in path and "[" not in path and "(" not in path]
    unknown = [path for path in sure if (folder / path.rstrip("/")).parent.is_dir()]
    if unknown and git.first_line(git.ask(folder, "rev-parse", "--is-shallow-repository")) != "false":
        found |= dict.fromkeys(unknown, Loss())
    if found:
        ignored = (git.ask(folder, "check-ignore", "-z", "--stdin", stdin="\0".join(found)) or "").split("\0")
        found = {path: loss for path, loss in found.items() if path not in set(ignored)}
    return found


def _is_built(there: Names, path: str) -> bool:
    """Return whether a name alone is that of the script that a file in TypeScript becomes."""
    typed = _SCRIPT.sub(r".\1ts\2", path)
    return "/" not in path and typed != path and bool(find(there, typed))


def _loss(there: Names, removals: Mapping[str, Loss], path: str, place: str) -> Loss:
    """Return the loss of a path, from a removed file that equals it or is inside it."""
    behind = f"/{place}/".partition(f"/{path.rstrip('/')}/")[2].rstrip("/")
    now, seen = removals[place].moved, {place}
    while now in removals and now not in seen and not find(there, now):
        seen.add(now)
        now = removals[now].moved
    is_there = now and now.endswith(behind) and find(there, now)
    return removals[place]._replace(moved=now[: len(now) - len(behind)] if is_there else "")


def listing(folder: Path) -> Names:
    """Return the files of a work tree and the folders above them, by their last name. Each comes with its full path."""
    listed = git.ask(folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    return _by_name({path: path for path in (walk(folder) if listed is None else listed.split("\0"))})


def _removals(folder: Path) -> dict[str, Loss]:
    """Return every file that a commit removed, with the last such commit and its next path. Return nothing without git.

    A file was moved if git says so, or if exactly one file that was added later has its name.
    """
    options = ("--name-status", "-z", "--format=%x01%h", "--diff-filter=ADR")
    answer = git.ask(folder, "log", "-M", *options) or git.ask(
        folder, "log", "-M100%", *options
    )  # some contents may be missing
    found: dict[str, Loss] = {}
    added: dict[str, set[str]] = {}
    for part in (answer or "").split("\1")[1:]:
        commit, _, rest = part.partition("\0")
        changes = [(old or (kind == "D" and path), kind != "D" and path) for old, kind, path in _CHANGE.findall(rest)]
        for path in (new for _, new in changes if new):
            added.setdefault(path.rpartition("/")[2], set()).add(path)
        for old, new in ((old, new) for old, new in changes if old and old not in found):
            later = added.get(old.rpartition("/")[2], set()) - {old}
            found[old] = Loss(commit, new or (next(iter(later)) if len(later) == 1 else ""))
    return found


def _by_name(paths: Mapping[str, str]) -> Names:
    found: dict[str, dict[str, str]] = {}
    for path, said in paths.items():
        while path:
            folder, _, name = path.rpartition("/")
            places = found.setdefault(name, {})
            if path in places:
                break
            places[path] = said
            path = folder
    return found


def find(names: Names, path: str) -> list[str]:
    """Return the data of a path, and of each path that ends in it."""
    end = path.rstrip("/")
    places = names.get(end.rpartition("/")[2], {})
    return [said for place, said in places.items() if place == end or place.endswith(f"/{end}")]


# --- symbols ------------------------------------------------------------------------------------------------------------

NOT_PROSE = (".", ":(exclude)*.md", ":(exclude)*.mdx", ":(exclude)*.txt")
"""Files in which a name is code. Notes and plans may name code that is long gone."""
MAX_SYMBOLS = 200
"""Symbols of one project that git is asked for."""
_SYMBOL = re.compile(r"(?:\w+(?:\.|::|#|->))*([A-Za-z_]\w{3,60})(\([^()\n]*\))?")
_CODE = re.compile(r"[a-z0-9][A-Z]|\w_\w")
_PARAGRAPH = re.compile(r"\n\s*\n|\n(?=\s*[-*] )")


def named_symbols(text: str) -> Iterator[tuple[str, str]]:
    """Yield each file and each symbol that a paragraph or an item names together, symbols in backticks alone.

    >>> list(named_symbols("`load_all()` in `src/io.py` caches.\\n\\nCall `save_all` after the `flush`."))
    [('src/io.py', 'load_all')]
    """
    for part in _PARAGRAPH.split(text) if "`" in text else ():
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
    missing = {(path, symbol) for path in real for symbol in by_file[path] - _symbols_in(folder, real[path], by_file[path])}
    symbols = sorted({symbol for _, symbol in missing})[:MAX_SYMBOLS]
    if not symbols:
        return {}
    asked = [word for symbol in symbols for word in ("-e", symbol)]
    there = set(git.lines(git.ask(folder, "grep", "--untracked", "-I", "-h", "-o", "-w", "-F", *asked, "--", *NOT_PROSE)))
    left = [symbol for symbol in symbols if symbol not in there]
    paths = sorted({real[path] for path, symbol in missing if symbol in left})
    removed = _removed(folder, left, paths) if left else {}
    return {(path, symbol): removed[real[path], symbol] for path, symbol in sorted(missing) if (real[path], symbol) in removed}


def _symbols_in(folder: Path, path: str, symbols: set[str]) -> set[str]:
    """Return the symbols that a file has. Return all of them if the file can't be read."""
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
