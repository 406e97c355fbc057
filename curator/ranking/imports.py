"""Which files of a project the files at hand import: lessons about these are near.

On the path of hooks: plain string handling on a few kilobytes. What is no import may be taken for one (in a comment, say);
only what is there counts in the end, and it counts little.
"""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Places = Iterator[str]

HEAD = 1 << 16
"""So many bytes of a file are read."""
READ = 4
"""So many of the files at hand are read."""
MOST = 12
"""So many files that they import are told of: each is held against the places of every lesson that is weighed."""
TRIED = 160
"""So many names are tried a file."""
LONG = 2_000
"""Characters of one statement."""


def around(folder: str, files: Sequence[str]) -> tuple[str, ...]:
    """The files that these import, all by their place in the project in ``folder``; what a folder is ends with a slash.

    Links are not followed. What can't be read imports nothing.
    """
    found: dict[str, None] = {}
    for file in files[:READ]:
        read = _BY_ENDING.get(os.path.splitext(file)[1])
        text = _head(os.path.join(folder, file)) if read else ""
        if not text:
            continue
        module = _module(folder, file) if read is _go else ("", "")
        for place in near(text, file, module):
            if place not in found and place not in files and _there(folder, place):
                found[place] = None
                if len(found) >= MOST:
                    return tuple(found)
    return tuple(found)


def near(text: str, path: str, module: tuple[str, str] = ("", "")) -> tuple[str, ...]:
    """Where what a file imports may lie in the project, whether or not it is there. ``module``: see ``_module``.

    >>> near("from curator.store import fast", "curator/hooks/answer.py")
    ('curator/store/fast.py', 'curator/store/fast/__init__.py', 'curator/store.py', 'curator/store/__init__.py')
    >>> near("use crate::pool::Pool;", "src/main.rs")
    ('src/pool.rs', 'src/pool/mod.rs')
    """
    read = _BY_ENDING.get(os.path.splitext(path)[1])
    found: dict[str, None] = {}
    for place in read(text, path.split("/")[:-1], path, module) if read else ():
        found[place] = None
        if len(found) >= TRIED:
            break
    return tuple(found)


def _python(text: str, folder: list[str], path: str, module: tuple[str, str]) -> Places:
    for head, rest in _statements(text, "import "):
        line = rest.partition("\n")[0]
        if not head:
            for name in line.partition("#")[0].split(","):
                yield from _modules(folder, (name.split() or [""])[0])
        elif head.startswith("from "):
            names = rest[1:].partition(")")[0] if line.startswith("(") else line
            names = ",".join([part.partition("#")[0] for part in names.split("\n")])
            below = [words[0] for name in names.split(",") if (words := name.split())]
            yield from _modules(folder, head[5:].strip(), [name for name in below if name.islower() and name.isidentifier()])


def _modules(folder: list[str], name: str, below: Sequence[str] = ()) -> Places:
    """A module of Python, and those ``below`` it that may be modules, too; relative to ``folder`` if it begins with dots."""
    up = len(name) - len(name.lstrip("."))
    parts = [part for part in name[up:].split(".") if part]
    if up > len(folder) + 1 or not (up or parts) or not all(part.isidentifier() for part in parts):
        return
    if up:
        tops = [folder[: len(folder) - up + 1]]
    else:
        tops = [folder[: folder.index(parts[0])]] if parts[0] in folder else [[], ["src"], folder]
    for top in tops:
        for inner in [*([part] for part in below), []]:
            place = "/".join([*top, *parts, *inner])
            if parts or inner:
                yield f"{place}.py"
            yield f"{place}/__init__.py".lstrip("/")


_SOURCES = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte")


def _script(text: str, folder: list[str], path: str, module: tuple[str, str]) -> Places:
    for start in ("'.", '".', "'@/", '"@/', "'~/", '"~/'):
        at = text.find(start)
        while at >= 0:
            end = text.find(start[0], at + 1)
            names, before = text[at + 1 : end], text[max(0, at - 16) : at].rstrip()
            if 0 < len(names) < LONG and "\n" not in names and before.endswith(("from", "import", "require(", "import(")):
                yield from _scripts(folder, names)
            at = text.find(start, at + 1)


def _scripts(folder: list[str], name: str) -> Places:
    """What a script's specifier may stand for; one with ``@`` or ``~`` begins at the sources' top, as is the custom."""
    top = folder[: folder.index("src") + 1] if "src" in folder else []
    tops = [folder] if name.startswith(".") else [top] if top else [[], ["src"]]
    for parts in tops:
        place = _join(parts, name if name.startswith(".") else name[2:])
        if not place:
            continue
        stem, ending = os.path.splitext(place)
        if ending in _SOURCES:
            yield place
            if ending in (".js", ".jsx", ".mjs"):  # so modules of TypeScript name each other
                yield from (f"{stem}.ts", f"{stem}.tsx")
            continue
        for one in _SOURCES:
            yield f"{place}{one}"
        for one in _SOURCES[:4]:
            yield f"{place}/index{one}"


def _go(text: str, folder: list[str], path: str, module: tuple[str, str]) -> Places:
    base, name = module
    for head, rest in _statements(text, "import ") if name else ():
        block = rest.partition(")" if rest.startswith("(") else "\n")[0]
        for place in block.split('"')[1::2] if not head else ():
            if place.startswith(f"{name}/"):
                yield f"{base}{place[len(name) + 1 :]}/"


def _rust(text: str, folder: list[str], path: str, module: tuple[str, str]) -> Places:
    at = len(folder) - folder[::-1].index("src") if "src" in folder else 0
    top, own = folder[:at], folder[at:]
    name = path.rpartition("/")[2][:-3]
    own = own if name in ("mod", "lib", "main") else [*own, name]
    for head, rest in _statements(text, "mod "):
        child = rest.partition("\n")[0].partition(";")
        if child[1] and _public(head) and child[0].strip().isidentifier():
            yield from _module_of_rust(top, [*own, child[0].strip()])
    for head, rest in _statements(text, "use "):
        for used in _expand(rest.partition(";")[0]) if _public(head) else ():
            parts = _from_the_crate(used.split("::"), own)
            for end in (len(parts), len(parts) - 1):
                if end > 0 and all(part.isidentifier() and part.islower() for part in parts[:end]):
                    yield from _module_of_rust(top, parts[:end])


def _from_the_crate(parts: list[str], own: list[str]) -> list[str]:
    """A path from the crate's root on, as seen from the module ``own``; empty for one of another crate."""
    if parts[0] == "crate":
        return parts[1:]
    if parts[0] not in ("self", "super"):
        return []
    here = list(own)
    while parts and parts[0] in ("self", "super"):
        here = here[:-1] if parts[0] == "super" else here
        parts = parts[1:]
    return [*here, *parts]


def _module_of_rust(top: list[str], parts: list[str]) -> Places:
    place = "/".join([*top, *parts])
    yield f"{place}.rs"
    yield f"{place}/mod.rs"


def _public(head: str) -> bool:
    return not head or (head.startswith("pub") and len(head.split()) == 1)


def _expand(path: str) -> Iterator[str]:
    """The paths in a ``use``, each by itself without its new name: ``a::{b, c::d as e}`` is ``a::b`` and ``a::c::d``."""
    for sign in ",{}":
        path = path.replace(sign, f" {sign} ")
    words = path.split()
    todo = ["".join([word for at, word in enumerate(words) if "as" not in (word, words[at - 1] if at else "")])]
    for _ in range(TRIED):
        if not todo:
            return
        this = todo.pop(0)
        start = this.find("{")
        if start < 0:
            yield this
            continue
        depth, begin = 0, start + 1
        for at in range(start, len(this)):
            sign = this[at]
            depth += (sign == "{") - (sign == "}")
            if depth == 0 or (depth == 1 and sign == ","):
                todo.append(this[:start] + this[begin:at])
                begin = at + 1
                if depth == 0:
                    break


def _java(text: str, folder: list[str], path: str, module: tuple[str, str]) -> Places:
    package = next((rest.partition("\n")[0] for head, rest in _statements(text, "package ") if not head), "")
    own = package.partition(";")[0].strip().split(".")
    if own != folder[len(folder) - len(own) :]:
        return
    top = "/".join([*folder[: len(folder) - len(own)], ""])
    tops = dict.fromkeys((top, top.replace("src/test/", "src/main/")))
    for head, rest in _statements(text, "import "):
        words = rest.partition("\n")[0].partition(";")[0].split()
        words = words[1:] if words[:1] == ["static"] else words
        if head or not words:
            continue
        parts = words[0].split(".")
        first = next((at for at, part in enumerate(parts) if not part.islower()), len(parts) - 1)
        place = "/".join(parts[: first + 1])
        for one in tops:
            if parts[first].islower() or parts[first] == "*":
                yield f"{one}{'/'.join(parts[:first])}/"
            else:
                yield from (f"{one}{place}.java", f"{one}{place}.kt")


def _statements(text: str, word: str) -> Iterator[tuple[str, str]]:
    """What stands before a word in its line, without spaces around, and what comes behind it, for each time it is there."""
    at = text.find(word)
    while at >= 0:
        yield text[text.rfind("\n", 0, at) + 1 : at].strip(), text[at + len(word) : at + LONG]
        at = text.find(word, at + len(word))


def _join(folder: list[str], name: str) -> str:
    """A path relative to a folder, without dots; empty for one that leads out of the project, or nowhere."""
    parts = list(folder)
    for part in name.split("/"):
        if part == "..":
            if not parts:
                return ""
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _module(folder: str, path: str) -> tuple[str, str]:
    """The folder of the go.mod around a file, with a slash unless it is the project's, and the module's path."""
    parts = path.split("/")[:-1]
    for end in range(len(parts), -1, -1):
        base = "".join([f"{part}/" for part in parts[:end]])
        text = f"\n{_head(os.path.join(folder, base, 'go.mod'))}"
        if "\nmodule " in text:
            return base, text.partition("\nmodule ")[2].partition("\n")[0].partition("//")[0].strip()
    return "", ""


def _head(path: str) -> str:
    """The beginning of a plain file; empty for anything else."""
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return ""
    try:
        data = os.read(fd, HEAD) if stat.S_ISREG(os.fstat(fd).st_mode) else b""
    except OSError:
        return ""
    finally:
        os.close(fd)
    return data.decode("utf-8", "replace")


def _there(folder: str, place: str) -> bool:
    """Whether a place is a file, or with a slash a folder, and no link."""
    try:
        mode = os.lstat(os.path.join(folder, place.rstrip("/"))).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISDIR(mode) if place.endswith("/") else stat.S_ISREG(mode)


_BY_ENDING: dict[str, Callable[[str, list[str], str, tuple[str, str]], Places]] = {
    ".py": _python,
    ".pyi": _python,
    **dict.fromkeys(_SOURCES, _script),
    ".mts": _script,
    ".cts": _script,
    ".go": _go,
    ".rs": _rust,
    ".java": _java,
    ".kt": _java,
}
"""How the imports of a language are read, by the ending of its files."""
