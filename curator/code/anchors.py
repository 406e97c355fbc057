"""Make the anchors of a lesson, and check them.

An anchor is a symbol in a file that the lesson names, or else the file. The check finds the changes of anchored code in stages,
the cheapest first. It also finds whether the code has reached the main branch.

Equal content costs a ``stat``. After it come the symbol's tokens, and last git, for the old code and its new path. Changes of
comments, layout, line ends and file modes do not count. Neither do absent folders, bare repositories, sparse checkouts and
unreadable files. The severity depends on the number of changed tokens and on those that the lesson names.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from textwrap import dedent

from curator.code import files
from curator.code.files import MAX_DIFF_BYTES, WorkFiles, blobs_in_commit, content, has_id, inside
from curator.code.moves import CodeChange, Match, Version, find_by_hash, find_successor, search, unified_diff
from curator.code.symbols import Symbol, Unreadable, language_of, symbols, whole
from curator.io import git
from curator.model import Anchor, Drift, Finding

KEPT = 8_000
"""Maximum number of characters of code in an anchor while no commit has it."""
_SPAN = re.compile(r"`([^`\n]{2,120})`|(?:[^`]|`(?![^`\n]{2,120}`))+")
"""The text in backticks, and the text between."""
_DEFINED = re.compile(r"\b(?:class|const|def|enum|fn|func|function|let|struct|trait|type)\s+$")
_NAME = re.compile(r"[^\W\d]\w*(?:(?:\.|::|#)[^\W\d]\w*)*")


def make_anchors(folder: Path, files: Sequence[str], names: Iterable[str] = ()) -> tuple[Anchor, ...]:
    """Return anchors for those of ``files`` that exist in ``folder``, in order. Paths are relative, with slashes.

    A file that defines some of ``names`` (qualified or not) gets an anchor for each of these symbols. Any other file gets one
    anchor. Paths outside the folder (also through links), folders, submodules and nested repositories are left out. ``commit``
    is the commit of HEAD, even if it lacks this content. It is empty outside git.
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
    """Return the names of code in a lesson's text, in order. They are in backticks, or have a form that only code has.

    A plain word counts if it is alone in its backticks, is called or is defined. Other words in backticks are often parts of
    commands and paths.

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


_USUAL = ("main", "master", "trunk", "develop")


def main_branch(folder: Path) -> str:
    """Return the branch that others start from: the remote's HEAD, or else the first usual name, or else an empty text."""
    remote = git.first_line(git.ask(folder, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"))
    if remote:
        return remote
    known = set(git.lines(git.ask(folder, "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/remotes/origin")))
    return next((name for usual in _USUAL for name in (usual, f"origin/{usual}") if name in known), "")


def current(folder: Path) -> str:
    """Return the branch that is checked out. Return an empty text if there is none."""
    return git.first_line(git.ask(folder, "symbolic-ref", "--quiet", "--short", "HEAD"))


def git_folders(folder: Path) -> list[Path]:
    """Return the files where git records the checkout and commits: its folder, that of a linked work tree, and its branches."""
    answer = git.lines(git.ask(folder, "rev-parse", "--absolute-git-dir", "--path-format=absolute", "--git-common-dir"))
    found = [Path(line) for line in answer]
    branch = os.path.dirname(current(folder))
    heads = [place / "refs" / "heads" / branch for place in found[1:]]
    return [place for place in dict.fromkeys((*found, *heads)) if place.is_dir()]


def have_different_code(folder: Path, anchors: Sequence[Anchor]) -> bool:
    """Return whether the main branch lacks a part of the anchored code."""
    main = main_branch(folder)
    if not main or not anchors:
        return False
    there = files.blobs_in_commit(folder, main, [anchor.path for anchor in anchors])
    version = Version(lambda path: files.content_in_commit(folder, main, path))
    merged: dict[str, bool] = {}
    for anchor in anchors:
        if there.get(anchor.path, "-") == anchor.blob or _has_anchor(version, anchor):
            continue
        if anchor.commit not in merged:
            merged[anchor.commit] = bool(anchor.commit) and contains(folder, main, anchor.commit)
        if not merged[anchor.commit] or anchor.text:
            return True
    return False


def branch_of(folder: Path, anchors: Sequence[Anchor]) -> str:
    """Return the branch with the anchored code if the main branch lacks it. Otherwise return an empty text."""
    branch = current(folder)
    return (
        branch if branch and branch != main_branch(folder).rpartition("/")[2] and have_different_code(folder, anchors) else ""
    )


def is_on_other_branch(folder: Path, branch: str, anchors: Sequence[Anchor]) -> bool:
    """Return whether another branch than the anchors' is checked out, and theirs is still there to look at."""
    there = git.ask(folder, "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}") is not None
    commits = {anchor.commit for anchor in anchors if anchor.commit}
    return there and current(folder) != branch and not all(contains(folder, "HEAD", commit) for commit in commits)


def contains(folder: Path, branch: str, commit: str) -> bool:
    """Return whether a branch has a commit in its history."""
    return git.ask(folder, "merge-base", "--is-ancestor", commit, branch) is not None


def date_anchors(folder: Path, anchors: Sequence[Anchor]) -> tuple[Anchor, ...]:
    """Return undated anchors with a commit that has their content: their own or HEAD. Their code is no longer stored.

    This takes at most two processes.
    """
    waiting = [anchor for anchor in anchors if anchor.undated]
    head = git.first_line(git.ask(folder, "rev-parse", "--verify", "--quiet", "HEAD")) if waiting else ""
    if not head:
        return tuple(anchors)
    there = files.blobs(folder, [(commit, anchor.path) for anchor in waiting for commit in (anchor.commit, head) if commit])
    work_files = WorkFiles(folder)

    def has(commit: str, anchor: Anchor) -> bool:
        id_ = there.get((commit, anchor.path), "")
        if id_ == anchor.blob or not id_ or work_files.blob(anchor.path) != anchor.blob:
            return id_ == anchor.blob
        source = content(folder, anchor.path, files.MAX_DIFF_BYTES)
        return source is not None and has_id(source, id_)

    # Its own first: where that is still right no file has to name another.
    holders = {anchor: next((commit for commit in (anchor.commit, head) if has(commit, anchor)), "") for anchor in waiting}
    return tuple(
        anchor._replace(commit=commit, text="", committed=True) if (commit := holders.get(anchor, "")) else anchor
        for anchor in anchors
    )


def _has_anchor(version: Version, anchor: Anchor) -> bool:
    """Return whether the anchor's symbol or file has the same tokens there."""
    if anchor.symbol:
        found = version.find(anchor.path, anchor.symbol)
        return any((symbol.signature_hash, symbol.body_hash) == (anchor.signature, anchor.body) for symbol in found)
    source = version.source(anchor.path)
    return source is not None and whole(source, language_of(anchor.path)).body_hash == anchor.body


_WORD = re.compile(r"\w+")

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

_COMMON = frozenset(
    _WORD.findall(
        "a an the and or not no of in on at to for from by with as is are was were be been it its this that these those we you "
        "they if else elif then when while do does did done return returns def class function func fn let const var new "
        "use uses used using "
        "must should can may will never always only all any each self none null true false int str string bool"
    )
)

_TYPES = {"typing", "t", "optional", "union", "none", "list", "dict", "tuple", "set", "frozenset"}

_NOTATION = _TYPES | set("[]|\"'.\u00b7")
"""``Optional[X]``, ``typing.Optional["X"]`` and ``X | None`` are one type."""

NAMED = 0.6
"""The weight of a change of a name, number or code word that the lesson mentions."""

NAME_PART_WEIGHT = 0.15
"""The weight of a change of a part of such a name."""

SIGNATURE = 0.5
"""The weight of a change that concerns callers."""

CALLERS = 8.0
"""The factor for the share of changed tokens in the signature: one more parameter is much, one type is not."""

SPREAD = 4.0
"""The factor for the share of changed tokens: from a quarter on it counts in full."""

FILE = 0.2
"""The minimum weight of a change if a lesson is about a file and not a symbol. In a small file the weight is higher."""

_SMALL = 100


def names_in(text: str) -> frozenset[str]:
    """Return the words of a lesson that may name code, in lower case: no grammar words, and at least three letters or
    digits.
    """
    return frozenset(
        word
        for word in (found.lower() for found in _WORD.findall(text))
        if word not in _COMMON and (len(word) > 2 or word.isdigit())
    )


def severity(drift: Drift, old: Symbol, new: Symbol, lesson: frozenset[str]) -> tuple[float, tuple[str, ...]]:
    """Return a severity from 0 to 1, rounded, and the words of the lesson (see ``names_in``) that the change touches."""
    if drift in (Drift.UNCHANGED, Drift.LAYOUT):
        return 0.0, ()
    heads, head = _difference(_signature_names(old.signature), _signature_names(new.signature))
    bodies, share = _difference(old.body, new.body)
    changed = heads + bodies
    words = sorted({token for token in changed if token in lesson})
    related = not words and any(part in lesson for token in changed for part in _parts(token) if part not in _COMMON)
    share = min(1.0, SPREAD * share) * (1.0 if old.name else max(FILE, min(1.0, _SMALL / max(1, len(old.body)))))
    calm = (1 - share) * (1 - SIGNATURE * min(1.0, CALLERS * head))
    calm *= 1 - (NAMED if words else NAME_PART_WEIGHT if related else 0.0)
    return round(1 - calm, 2), tuple(words[:6])


def _signature_names(signature: Sequence[str]) -> Sequence[str]:
    """Return a signature without the notation of its types, which modernising a code base changes everywhere and callers
    nowhere.
    """
    return [token for token in signature if token.lower() not in _NOTATION]


def _difference(old: Sequence[str], new: Sequence[str]) -> tuple[Counter[str], float]:
    """Return the tokens that only one side has, in lower case with their counts, and their share of all tokens."""
    before, after = (Counter(token.lower() for token in side) for side in (old, new))
    changed = (before - after) + (after - before)
    return changed, changed.total() / max(1, len(old) + len(new))


def _parts(token: str) -> Iterable[str]:
    return (part.lower() for part in _PART.findall(token) if len(part) > 3)


UNKNOWN = 0.5
"""The severity if the change is unknown, or if it is uncertain whether similar code is the same."""

_LAST = re.compile(r"[.#]|::")

_INFORMATION = {Drift.UNCHANGED: 0, Drift.LAYOUT: 1}
"""The states that say least, in order. All other states say equally much."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a check: a lesson's anchors, and its words, which weigh a change."""

    anchors: Sequence[Anchor]
    text: str = ""


@dataclass(slots=True)
class _Look:
    """One check of one folder."""

    work_files: WorkFiles
    now: Version
    old: Mapping[Anchor, files.Past] = field(default_factory=dict)
    places: Mapping[Anchor, str] = field(default_factory=dict)
    """The present path of the very content of files that are gone."""
    shifts: dict[str, CodeChange] = field(default_factory=dict)


def check_many(
    folder: Path, lessons: Mapping[str, Subject], *, work_files: WorkFiles | None = None
) -> Mapping[str, tuple[Finding, ...]]:
    """Return the findings for each id. A file is hashed and parsed at most once. git is asked only if something changed.

    ``work_files`` remembers hashes between calls. To check a folder often, keep one for it.
    """
    if not folder.is_dir():
        return dict.fromkeys(lessons, ())
    work_files = work_files if work_files and work_files.folder == folder else WorkFiles(folder)
    every = dict.fromkeys(anchor for lesson in lessons.values() for anchor in lesson.anchors)
    ours = cache(lambda path: inside(folder, path) == path)
    moved = [anchor for anchor in every if _suspect(work_files, anchor)]
    # Anchors that came from files name no blob, but their commit does.
    then = files.blobs_in_commits(folder, [anchor for anchor in moved if not anchor.blob])
    moved = [anchor for anchor in moved if then.get(anchor) != work_files.blob(anchor.path) and ours(anchor.path)]
    if not moved:
        return dict.fromkeys(lessons, ())
    look = _Look(work_files, Version(lambda path: content(folder, path, files.MAX_DIFF_BYTES) if ours(path) else None))
    moved = [anchor for anchor in moved if not ((anchor.body or anchor.signature) and _has_anchor(look.now, anchor))]
    look.old = files.contents(folder, moved)
    index = files.index(folder) if moved else files.Index({}, frozenset())
    deleted = [anchor for anchor in moved if not work_files.blob(anchor.path)]
    if deleted and not files.has_work_tree(folder):
        deleted, moved = [], [anchor for anchor in moved if anchor not in deleted]
    look.places = files.find_moved_content(
        work_files, index.blobs, [anchor for anchor in deleted if anchor.blob and not anchor.symbol]
    )
    found: dict[Anchor, Trace] = {}
    for anchor in moved:
        if anchor.path in index.hidden and anchor in deleted:
            continue
        trace = _trace(look, anchor)
        if trace.drift not in (Drift.UNCHANGED, Drift.LAYOUT):
            found[anchor] = trace
    return {
        id: tuple(_finding(anchor, found[anchor], lesson.text) for anchor in dict.fromkeys(lesson.anchors) if anchor in found)
        for id, lesson in lessons.items()
    }


@dataclass(frozen=True, slots=True)
class Trace:
    """The change of a symbol: the old symbol if it is known, and the new one with its path if there is one."""

    drift: Drift
    old: Symbol | None = None
    new: Symbol | None = None
    path: str = ""
    likeness: float = 0.0
    certain: bool = False
    exact: bool = True
    """True if ``old`` certainly was the anchored code, and not that of the nearest commit."""
    blob: str = ""


def compare(old: Symbol, new: Symbol) -> Drift:
    """Return the change of a symbol that still has its name."""
    if old.signature != new.signature:
        return Drift.SIGNATURE
    return Drift.UNCHANGED if old.body == new.body else Drift.BODY


def relocation(match: Match, path: str, name: str) -> Drift:
    """Return whether a followed symbol was renamed or only moved."""
    return Drift.MOVED if match.symbol.simple == name.rpartition(".")[2] and match.path != path else Drift.RENAMED


def trace(symbol: str, path: str, shift: CodeChange) -> Trace:
    """Return the change of a symbol between two complete states of a code base.

    If several have its name, the first changed one counts.
    """
    symbol = _local_name(symbol, path, shift.before)
    olds, news = shift.before.find(path, symbol), shift.after.find(path, symbol)
    if not olds:
        return Trace(Drift.UNCHANGED) if news else Trace(Drift.DELETED)
    every = [_trace_symbol(old, olds, news, path, shift) for old in olds]
    return max(every, key=lambda trace: _INFORMATION.get(trace.drift, len(_INFORMATION)))


def _local_name(name: str, path: str, version: Version) -> str:
    """Return a name as it is written here: qualified otherwise (``mod::f``), it means the one that ends in the same part."""
    if version.find(path, name):
        return name
    simple = _LAST.split(name)[-1]
    found = {symbol.name for symbol in version.symbols(path) if symbol.simple == simple}
    return found.pop() if len(found) == 1 else name


def _trace_symbol(old: Symbol, olds: Sequence[Symbol], news: Sequence[Symbol], path: str, shift: CodeChange) -> Trace:
    new = find_successor(old, olds, news)
    if new is None:
        return _trace_move(old, path, search(old, path, shift))
    drift = compare(old, new)
    return Trace(Drift.LAYOUT if drift is Drift.UNCHANGED and old.text != new.text else drift, old, new, path)


def _suspect(work_files: WorkFiles, anchor: Anchor) -> bool:
    """Return whether the file's content may have changed. Return false for a file that can't be read."""
    blob = work_files.blob(anchor.path) if _plain(anchor.path) else None
    return blob is not None and (not blob or blob != anchor.blob)


def _trace(look: _Look, anchor: Anchor) -> Trace:
    """Return the finding on an anchor with changed tokens."""
    known = look.old.get(anchor)
    blob = look.work_files.blob(anchor.path) or ""
    if not anchor.symbol:
        trace = _file(look, anchor, known)
        return replace(trace, blob=trace.blob or blob)
    olds = _version(known.text).find(anchor.path, anchor.symbol) if known else ()
    old, exact = _symbol_then(anchor, olds, known is not None and known.exact)
    if old is None:
        old, exact = next(_earlier_symbols(look.work_files.folder, anchor), None), True
    news = look.now.find(anchor.path, anchor.symbol)
    new = find_successor(old, olds, news) if old else next(iter(news), None)
    if new:
        drift = compare(old, new) if old else (Drift.SIGNATURE if new.signature_hash != anchor.signature else Drift.BODY)
        return Trace(drift, old, new, anchor.path, exact=exact, blob=blob)
    if blob and look.now.source(anchor.path) is None:
        return Trace(Drift.UNCHANGED)  # there, but too large to read: say nothing
    shift = _shift(look, anchor)
    if old is None:
        match = find_by_hash(anchor.signature, anchor.body, anchor.path, anchor.symbol, shift)
    else:
        match = search(old, anchor.path, shift)
    blob = (look.work_files.blob(match.path) if match else "") or blob
    return replace(_trace_move(old, anchor.path, match, anchor.symbol), exact=exact, blob=blob)


def _symbol_then(anchor: Anchor, there: Sequence[Symbol], exact: bool) -> tuple[Symbol | None, bool]:
    """Return the old symbol, and whether it is certain: by its hashes, the code in the anchor, or its name ``there``."""
    for symbol in there:
        if (symbol.signature_hash, symbol.body_hash) == (anchor.signature, anchor.body):
            return symbol, True
    if there and not anchor.text:
        return there[0], exact
    simple = anchor.symbol.rpartition(".")[2]
    bare = anchor.text.lstrip(" \t")
    for symbol in _version(dedent(anchor.text)).symbols(anchor.path) if bare else ():
        if symbol.simple == simple:
            return replace(symbol, name=anchor.symbol, text=bare, margin=anchor.text.removesuffix(bare)), True
    return None, False


def _version(text: str) -> Version:
    """Return a code base in which every file has this content."""
    return Version(lambda _: text.encode())


def _earlier_symbols(folder: Path, anchor: Anchor) -> Iterator[Symbol]:
    """Yield the old symbol from other commits than the anchor's, since a rebase moves code to another commit."""
    for text in files.contents_in_history(folder, anchor.path):
        for symbol in _version(text).find(anchor.path, anchor.symbol):
            if (symbol.signature_hash, symbol.body_hash) == (anchor.signature, anchor.body):
                yield symbol


def _trace_move(old: Symbol | None, path: str, match: Match | None, name: str = "") -> Trace:
    if match is None:
        return Trace(Drift.DELETED, old)
    drift = relocation(match, path, old.name if old else name)
    return Trace(drift, old, match.symbol, match.path, match.likeness, match.certain)


def _file(look: _Look, anchor: Anchor, known: files.Past | None) -> Trace:
    """Return the finding on a file that is anchored as a whole."""
    language = language_of(anchor.path)
    old = whole(known.text.encode(), language) if known else None
    source = look.now.source(anchor.path)
    if source is not None:
        new = whole(source, language)
        if old and old.body == new.body and ((known and known.exact) or not anchor.body):
            return Trace(Drift.UNCHANGED)
        return Trace(Drift.BODY, old, new, anchor.path, exact=bool(known and known.exact))
    if look.work_files.blob(anchor.path):
        return Trace(Drift.BODY)  # too large to look into
    place = look.places.get(anchor, "")
    likeness, certain = (1.0, True) if place else (0.0, False)
    if not place:
        shift = _shift(look, anchor)
        expected = shift.expected(anchor.path)
        place = expected if expected and look.work_files.blob(expected) else ""
        likeness, certain = 0.8, anchor.path.rpartition("/")[0] in shift.folders
    if not place:
        return Trace(Drift.DELETED, old)
    after = look.now.source(place)
    new_file = whole(after, language_of(place)) if after is not None else None
    return Trace(Drift.MOVED, old, new_file, place, likeness, certain, blob=look.work_files.blob(place) or "")


def _shift(look: _Look, anchor: Anchor) -> CodeChange:
    """Return the changes since an anchor's commit. Git is asked once per commit."""
    if anchor.commit not in look.shifts:
        folder = look.work_files.folder
        changed = files.difference(look.work_files, anchor.commit)
        if changed is None:
            look.shifts[anchor.commit] = CodeChange(Version(lambda _: None), look.now, files.sources(folder), whole=False)
        else:
            before = Version(lambda path: files.content_in_commit(folder, anchor.commit, path))
            look.shifts[anchor.commit] = CodeChange(before, look.now, changed.came, changed.renames)
    return look.shifts[anchor.commit]


def _finding(anchor: Anchor, trace: Trace, text: str) -> Finding:
    """Return a traced anchor as a lesson's finding."""
    new = trace.new
    grave, words = _severity(trace, names_in(text))
    if trace.drift is Drift.RENAMED and (calls := anchor.symbol.rpartition(".")[2]).lower() in names_in(text):
        grave, words = max(grave, UNKNOWN), (calls, *words)  # Its words name missing code.
    moved = trace.drift.state == "relocated"
    return Finding(
        path=anchor.path,
        symbol=anchor.symbol,
        drift=trace.drift,
        severity=grave,
        diff=_diff(anchor, trace),
        new_path=trace.path if moved else "",
        new_symbol=trace.new.name if moved and trace.new and anchor.symbol else "",
        likeness=trace.likeness if moved else 0.0,
        certain=trace.certain,
        named=words,
        blob=trace.blob,
        signature=new.signature_hash if new and anchor.symbol else "",
        body=new.body_hash if new else "",
    )


def base_severity(trace: Trace) -> float:
    """Return the severity of a change to a symbol, independent of any lesson."""
    return _severity(trace, frozenset())[0]


def _severity(trace: Trace, lesson: frozenset[str]) -> tuple[float, tuple[str, ...]]:
    """Return the severity and the named words. Missing code is grave. For moved code, its change and the uncertainty count."""
    old, new = trace.old, trace.new
    if trace.drift is Drift.DELETED:
        return 1.0, ()
    if old is None or new is None:
        return (0.0 if trace.drift.state == "current" or trace.certain else UNKNOWN), ()
    grave, words = severity(compare(old, new), old, new, lesson)
    unsure = trace.drift.state == "relocated" and not trace.certain
    return max(grave, UNKNOWN if unsure else 0.0), words


def _diff(anchor: Anchor, trace: Trace) -> str:
    """Return the diff of the symbol alone, or the old code if it is gone."""
    if trace.old is None or (trace.new is None and trace.drift is not Drift.DELETED):
        return ""
    old, new = _source_text(trace.old, trace.new), _source_text(trace.new, trace.old)
    label = anchor.path if trace.exact or not anchor.commit else f"{anchor.path} (as of {anchor.commit[:8]})"
    first = (trace.old.first, trace.new.first if trace.new else 1)
    return unified_diff(old, new, label, trace.path or anchor.path, first)


def _source_text(symbol: Symbol | None, other: Symbol | None) -> str:
    """Return the text of a symbol as in its file, without indentation if it is compared with another place."""
    if symbol is None:
        return ""
    text = (symbol.margin + symbol.text).replace("\r\n", "\n").replace("\r", "\n")
    return text if other is None or other.margin == symbol.margin else dedent(text)


def _plain(path: str) -> bool:
    """Return whether a path may be looked at before ``inside`` has followed its links: a lesson file may say anything."""
    return bool(path) and not path.startswith("/") and ".." not in path.split("/") and "\0" not in path


def renew_anchors(anchors: Iterable[Anchor], findings: Iterable[Finding]) -> tuple[Anchor, ...]:
    """Return the anchors of a confirmed lesson for the current code in its findings. Anchors of missing code are removed."""
    found = {(finding.path, finding.symbol): finding for finding in findings}
    fresh = []
    for anchor in anchors:
        finding = found.get((anchor.path, anchor.symbol))
        if finding is None:
            fresh.append(anchor)
        elif finding.drift is not Drift.DELETED:
            fresh.append(
                anchor._replace(
                    path=finding.new_path or anchor.path,
                    symbol=finding.new_symbol or anchor.symbol,
                    signature=finding.signature or anchor.signature,
                    body=finding.body or anchor.body,
                    blob=finding.blob or anchor.blob,
                    commit="",
                    text="",
                )
            )
    return tuple(dict.fromkeys(fresh))
