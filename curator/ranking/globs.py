"""Match the paths of a lesson against the files at hand. No ``fnmatch``: it stands on regular expressions."""

from __future__ import annotations

WILD = frozenset("*?[{")


def depth(places: list[str], file: str) -> float:
    """How deep in the tree the place is that has this file: folders without wildcards, plus one for the file itself.

    A place behind ``=`` is a file that the lesson speaks of; another file of its folder counts half. 0: none has it.

    >>> depth(["src/http/**"], "src/http/client.py"), depth(["=src/a.py"], "src/a.py"), depth(["=src/a.py"], "src/b.py")
    (2.0, 2.0, 0.5)
    >>> depth(["**/*.{ts,tsx}"], "web/page.tsx"), depth(["docs/**"], "src/a.py")
    (0.5, 0.0)
    """
    best = 0.0
    parts = file.split("/")
    for place in places:
        if place.startswith("="):
            mine = place[1:].split("/")
            if mine == parts or mine == parts[: len(mine)]:
                best = max(best, float(len(mine)))
            elif len(mine) > 1 and mine[:-1] == parts[:-1]:
                best = max(best, (len(mine) - 1) / 2)
        elif matches(place, parts):
            best = max(best, float(literal(place)) or 0.5)
    return best


def literal(glob: str) -> int:
    """How many folders a glob names before its first wildcard."""
    count = 0
    for part in glob.rstrip("/").split("/"):
        if WILD.intersection(part):
            return count
        count += 1
    return count


def matches(glob: str, parts: list[str]) -> bool:
    """Whether a path, in parts, is one of a glob's: ``**`` any folders, ``*`` and ``?`` within a name, ``{a,b}`` either.

    A glob without wildcards has what lies below it; one without a slash has every file of that name.
    """
    for either in _alternatives(glob):
        wanted = [part for part in either.split("/") if part]
        if not wanted:
            continue
        if "/" not in either.rstrip("/"):
            wanted.insert(0, "**")
        if not WILD.intersection(wanted[-1]):
            wanted.append("**")
        if _fits(wanted, parts):
            return True
    return False


def _alternatives(glob: str, most: int = 16) -> list[str]:
    """A glob without braces: one for each choice, not more than a few."""
    done: list[str] = []
    todo = [glob]
    while todo and len(done) + len(todo) <= most:
        this = todo.pop()
        start = this.find("{")
        end = this.find("}", start)
        if start < 0 or end < 0:
            done.append(this)
            continue
        todo += [this[:start] + choice + this[end + 1 :] for choice in this[start + 1 : end].split(",")]
    return done


def _fits(wanted: list[str], parts: list[str]) -> bool:
    """Folder by folder; ``**`` may stand for none. In time of the product of both lengths, whatever the glob."""
    reached = {0}
    for part in wanted:
        if part == "**":
            reached = set(range(min(reached), len(parts) + 1)) if reached else reached
        else:
            reached = {at + 1 for at in reached if at < len(parts) and _same(part, parts[at])}
    return len(parts) in reached


def _same(pattern: str, name: str) -> bool:
    """One name against one pattern with ``*`` and ``?``."""
    if not WILD.intersection(pattern):
        return pattern == name
    reached = {0}
    for sign in pattern:
        if sign == "*":
            reached = set(range(min(reached), len(name) + 1)) if reached else reached
        else:
            reached = {at + 1 for at in reached if at < len(name) and (sign == "?" or name[at] == sign)}
    return len(name) in reached
