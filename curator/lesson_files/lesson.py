"""Write and read one lesson as one Markdown file with front matter; ``docs/lesson-files.md`` is the format.

``parse(render(entry), file_name(entry)) == normal(entry)`` for every lesson, and ``render(parse(text, file)) == text`` for
every file that ``render`` wrote.

curator writes front matter itself because the layout is a promise (key order, one item per line, no folding). PyYAML reads it,
with the loader that makes strings of every scalar. The key decides the meaning of a value, never its look.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import yaml

from curator import clock
from curator.errors import MalformedFile
from curator.lesson_files import body
from curator.lesson_files.body import CONFLICT, clean
from curator.model import Anchor, Category, Durability, Entry, State
from curator.text.clean import unreadable

LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
"""A loader that makes strings of all scalars. The key decides the meaning of a value, never its look."""

_PLAIN = re.compile(r"[\w./(~][\w ./@+~()*=$^&;!?'\",-]*(?<! )")
_TYPED = re.compile(
    r"[-+.]?\d[\d_,.:]*(?:e[-+]?\d+)?|0[xob][\da-f_]+|\d{4}-\d\d?-\d\d?(?:[ t].*)?|[-+]?\.(?:inf|nan)"
    r"|~|\.+|null|true|false|yes|no|on|off|y|n",
    re.IGNORECASE | re.ASCII,
)
_ESCAPED = re.compile("[\u2028\u2029\ufeff\ufffe\uffff]")
_BREAKS = re.compile("[\x85\u2028\u2029]")


def scalar(text: str) -> str:
    """Return a string as YAML: plain if every reader sees the same string in it, otherwise in double quotes.

    >>> scalar("src/a.py"), scalar("yes"), scalar("a: b")
    ('src/a.py', '"yes"', '"a: b"')
    """
    if _PLAIN.fullmatch(text) and not _TYPED.fullmatch(text):
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def items(key: str, values: Iterable[str]) -> str:
    """Return a list of strings, one per line. Return an empty text for an empty list."""
    lines = "".join(f"  - {scalar(clean(value))}\n" for value in values)
    return f"{key}:\n{lines}" if lines else ""


def objects(key: str, values: Iterable[Mapping[str, str]]) -> str:
    """Return a list of objects, one key per line, without empty values. Return an empty text for an empty list."""
    lines = ""
    for value in values:
        pairs = [f"{scalar(name)}: {scalar(clean(text))}\n" for name, text in value.items() if text]
        lines += "  - " + "    ".join(pairs) if pairs else ""
    return f"{key}:\n{lines}" if lines else ""


@dataclass(frozen=True, slots=True)
class Front:
    """The front matter of a file: known keys as YAML nodes, the others as lines."""

    file: str
    nodes: Mapping[str, Any]
    rest: str

    def refuse(self, key: str, reason: str) -> MalformedFile:
        """Return the error that names ``key`` and its line."""
        node = self.nodes.get(key)
        return MalformedFile(self.file, node.start_mark.line + 2 if node else 1, f"{key}: {reason}")

    def text(self, key: str) -> str:
        """Return a string, empty when the key is absent. Raises ``MalformedFile``, as all that follow."""
        node = self.nodes.get(key)
        if node is None:
            return ""
        if not isinstance(node, yaml.ScalarNode):
            raise self.refuse(key, "must be one value, not a list or object")
        return str(clean(node.value))

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of strings. A single value counts as a list of one."""
        node = self.nodes.get(key)
        if isinstance(node, yaml.ScalarNode):
            return (clean(node.value),) if node.value else ()
        return tuple(self._scalar(key, item) for item in self._members(key))

    def objects(self, key: str) -> Iterator[tuple[int, dict[str, str]]]:
        """Yield a list of objects with string values, each with its line."""
        for item in self._members(key):
            if not isinstance(item, yaml.MappingNode):
                raise MalformedFile(self.file, item.start_mark.line + 2, f"{key}: each must be an object (key: value)")
            pairs = {self._scalar(key, name): self._scalar(key, value) for name, value in item.value}
            yield item.start_mark.line + 2, pairs

    def _members(self, key: str) -> Iterable[Any]:
        node = self.nodes.get(key)
        if node is None or (isinstance(node, yaml.ScalarNode) and not node.value):
            return ()
        if not isinstance(node, yaml.SequenceNode):
            raise self.refuse(key, "must be a list")
        return list(node.value)

    def _scalar(self, key: str, node: Any) -> str:
        if not isinstance(node, yaml.ScalarNode):
            raise MalformedFile(self.file, node.start_mark.line + 2, f"{key}: must be a text")
        return clean(node.value)


def read(lines: list[str], known: Iterable[str], file: str) -> Front:
    """Return the front matter from the lines between its two ``---`` (the first line is line 2). Raises ``MalformedFile``."""
    text = "\n".join(lines)
    if found := _BREAKS.search(text):
        line = text.count("\n", 0, found.start()) + 2
        raise MalformedFile(file, line, "a Unicode line break in the front matter. Write it as an escape in quotes")
    if why := unreadable(text):
        raise MalformedFile(file, 2, f"the front matter can't be read: {why}")
    try:
        root = yaml.compose(text, Loader=LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = min(mark.line + 2, len(lines) + 1) if mark else 2
        raise MalformedFile(file, line, f"the front matter is not YAML: {error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise MalformedFile(file, 2, f"the front matter is not YAML: {' '.join(str(error).split())}") from error
    if root is None:
        return Front(file, {}, "")
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        raise MalformedFile(file, 2, "the front matter must be lines of `key: value`")
    if "&" in text:
        _refuse_aliases(root, file)
    return _split(root, lines, set(known), file)


def _split(root: Any, lines: list[str], known: set[str], file: str) -> Front:
    """Return the known keys and the others apart. Comment lines between keys belong to the others."""
    nodes: dict[str, Any] = {}
    seen: set[str] = set()
    starts = [key.start_mark.line for key, _ in root.value] + [len(lines)]
    rest = [line for line in lines[: starts[0]] if line.startswith("#")]
    for (key, value), start, end in zip(root.value, starts, starts[1:], strict=False):
        name = key.value if isinstance(key, yaml.ScalarNode) else ""
        if not name or name in seen:
            raise MalformedFile(file, start + 2, f"the key {name!r} is there twice" if name else "a key must be a word")
        seen.add(name)
        if name in known:
            nodes[name] = value
            rest += [line for line in lines[start + 1 : end] if line.startswith("#")]
        else:
            rest += lines[start:end]
    return Front(file, nodes, "".join(f"{line}\n" for line in rest))


def blocks(text: str) -> dict[str, str]:
    """Return the lines of front matter by the key with which they begin. Comments above the first key have an empty key.

    >>> blocks("# by hand\\na: 1\\nb:\\n- 2\\n")
    {'': '# by hand\\n', 'a': 'a: 1\\n', 'b': 'b:\\n- 2\\n'}
    """
    try:
        root = None if unreadable(text) else yaml.compose(text, Loader=LOADER)
    except yaml.YAMLError:
        return {"": text}
    lines = [f"{line}\n" for line in text.split("\n")[:-1]]
    starts = [(key.value, key.start_mark.line) for key, _ in root.value] if isinstance(root, yaml.MappingNode) else []
    ends = [start for _, start in starts[1:]] + [len(lines)]
    found = {"": "".join(lines[: starts[0][1] if starts else len(lines)])}
    found |= {key: "".join(lines[start:end]) for (key, start), end in zip(starts, ends, strict=False)}
    return {key: block for key, block in found.items() if block}


def _refuse_aliases(root: Any, file: str) -> None:
    """Refuse aliases. They tie one key's text to another's, so that a key that is kept as text could not be moved."""
    seen: set[int] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            raise MalformedFile(
                file, node.start_mark.line + 2, "YAML aliases (&name, *name) are not supported. Write the value out"
            )
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            waiting += [child for pair in node.value for child in pair]
        elif isinstance(node, yaml.SequenceNode):
            waiting += node.value


KEYS = (
    "id", "category", "scope", "paths", "durability", "confidence", "created", "updated", "agent", "session", "files",
    "anchors", "supersedes", "superseded_by", "refines", "contradicts", "coexists", "state",
)  # fmt: skip
"""The front matter's keys in their fixed order."""

FIELDS = (
    "id", "category", "scope", "paths", "durability", "score", "created", "updated", "agent", "session", "files", "anchors",
    "supersedes", "superseded_by", "refines", "contradicts", "coexists", "state", "headline", "insight", "context",
    "snippets", "evidence", "slug", "extra",
)  # fmt: skip
"""The fields of ``Entry`` that a file has. All others belong to the database."""

CLASH = "clash"
"""The key under which a merge in git leaves its open questions for a person: see ``merge``."""

SCOPES = ("project", "paths", "global")
ANCHOR = ("path", "symbol", "lang", "signature", "body", "commit")
"""The parts of an anchor that a file has, in this order."""
STATES = (State.ACTIVE, State.RETIRED)
_LISTS, _RELATED = ("paths", "files"), ("supersedes", "refines", "contradicts")
"""The fields that are lists of texts, and of other lessons' ids."""
_WORDS: Mapping[str, Sequence[str]] = {
    "category": tuple(Category),
    "durability": tuple(Durability),
    "scope": SCOPES,
    "state": STATES,
}
_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z-]{0,39}")
_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_BLOB = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SLUG_LENGTH = 48


def slug(headline: str) -> str:
    """Return the readable part of a file name: ASCII, at most 48 characters, never empty.

    >>> slug("Never call `reset()` in a résumé handler!"), slug("Größe ℍ"), slug("日本")
    ('never-call-reset-in-a-resume-handler', 'grosse-h', 'lesson')
    """
    ascii_only = unicodedata.normalize("NFKD", headline.casefold()).encode("ascii", "ignore").decode()
    words = re.sub(r"[^a-z0-9]+", "-", ascii_only.lower()).strip("-")
    if len(words) > _SLUG_LENGTH:
        cut = words[: _SLUG_LENGTH + 1].rpartition("-")[0]
        words = cut or words[:_SLUG_LENGTH]
    return words or "lesson"


def file_name(entry: Entry) -> str:
    """Return ``<slug>-<id>.md`` in lower case, so that file systems that ignore case can't make two lessons one."""
    if not _ID.fullmatch(entry.id):
        raise ValueError(f"{entry.id!r} can't be part of a file name")
    return f"{_slug_of(entry)}-{entry.id.lower()}.md"


def render(entry: Entry) -> str:
    """Return the file of a lesson: a function of the entry's normal form alone, byte for byte."""
    extra = unpack(entry.extra)
    score = _confidence(entry.score)
    parts = (
        f"---\nid: {scalar(_id(entry.id))}\ncategory: {entry.category.value}\n",
        _line("scope", entry.scope),
        items("paths", entry.paths),
        f"durability: {entry.durability.value}\n",
        f"confidence: {score:.2f}\n" if score else "",
        _time("created", entry.created),
        _time("updated", entry.updated),
        _line("agent", entry.agent),
        _line("session", entry.session),
        items("files", entry.files),
        objects("anchors", [*(_anchor(anchor) for anchor in entry.anchors if anchor.path), *extra.get("anchors", ())]),
        items("supersedes", map(_id, entry.supersedes)),
        _line("superseded_by", _id(entry.superseded_by)),
        items("refines", map(_id, entry.refines)),
        items("contradicts", map(_id, entry.contradicts)),
        objects("coexists", ({"id": _id(id), "because": because} for id, because in entry.coexists if id)),
        f"state: {entry.state.value}\n",
        objects(CLASH, extra.get(CLASH, ())),
        f"{extra.get('front', '')}---\n",
        body.render(entry),
        f"\n{extra['sections']}\n" if extra.get("sections") else "",
    )
    return "".join(parts)


def parse(text: str, file: str, *, project: str = "") -> Entry:
    """Return the entry of a lesson file in normal form. Fields that no file carries have their defaults.

    ``file`` names the file in errors, and its last part gives the slug. Raises ``MalformedFile`` with line and reason, first
    for git's conflict markers.
    """
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for number, line in enumerate(lines if "<<<<<<<" in text or ">>>>>>>" in text else (), 1):
        if CONFLICT.match(line):
            raise MalformedFile(file, number, "git conflict markers. Resolve the conflict first")
    end = next((at for at, line in enumerate(lines) if at and line.rstrip() == "---"), 0)
    if lines[0].rstrip() != "---" or not end:
        raise MalformedFile(file, 1, "no front matter. A lesson begins with `---`, lines of `key: value`, and `---`")
    keys = read(lines[1:end], (*KEYS, CLASH), file)
    id = _id(_require(keys, "id"))
    if not _ID.fullmatch(id):
        raise keys.refuse("id", f"{id!r} is not an id such as 7K3F-Q2MD")
    known, foreign = _anchors(keys)
    main, sections = body.parse(lines[end + 1 :], file, end + 2)
    lists: dict[str, Any] = {name: keys.texts(name) for name in _LISTS}
    lists |= {name: _ids(keys, name, keys.texts(name)) for name in _RELATED}
    return Entry(
        id=id,
        project=project,
        state=State(_word(keys, "state", State.ACTIVE)),
        category=Category(_word(keys, "category")),
        **main,
        **lists,
        created=_parse_time(keys, "created"),
        updated=_parse_time(keys, "updated"),
        scope=_word(keys, "scope", "project"),
        durability=Durability(_word(keys, "durability", Durability.DURABLE)),
        agent=keys.text("agent"),
        session=keys.text("session"),
        score=_score(keys),
        anchors=known,
        superseded_by="".join(_ids(keys, "superseded_by", filter(None, [keys.text("superseded_by")]))),
        coexists=_coexists(keys),
        slug=_file_slug(file, id),
        extra=pack({"front": keys.rest, "anchors": foreign, "sections": sections, CLASH: _clash(keys)}),
    )


def normal(entry: Entry) -> Entry:
    """Return the lesson as it is after it was written to a file and read: the file's fields in normal form, others at defaults.

    These are the normal forms:

    - Times have whole seconds, confidence has two digits, and ids are in upper case.
    - Line ends are LF. Control characters and lone surrogates are U+FFFD.
    - Headline, captions and languages have one line.
    - Lines have no blanks at their ends. Insight, context and quotes have no blank lines at their ends.
    - Code keeps all but the blank lines at its end.
    - A quote's place keeps only the file's name, because folders show who worked where. Excerpts are left out.
    """
    texts = ("scope", "agent", "session")
    values: dict[str, Any] = {name: clean(getattr(entry, name)) for name in texts}
    values |= {name: tuple(map(clean, getattr(entry, name))) for name in _LISTS}
    values |= {name: tuple(map(_id, getattr(entry, name))) for name in _RELATED}
    values |= body.normal(entry)
    return Entry(
        **values,
        id=_id(entry.id),
        project="",
        state=entry.state,
        category=entry.category,
        durability=entry.durability,
        created=clock.to_second(entry.created),
        updated=clock.to_second(entry.updated),
        score=_confidence(entry.score),
        anchors=tuple(
            _anchor_of({key: clean(value) for key, value in _anchor(anchor).items()}) for anchor in entry.anchors if anchor.path
        ),
        superseded_by=_id(entry.superseded_by),
        coexists=tuple((_id(id), clean(because)) for id, because in entry.coexists if id),
        slug=_slug_of(entry),
        extra=entry.extra,
    )


def checked(entry: Entry) -> Entry:
    """Return the normal form of a lesson that somebody else made. Raises ``MalformedFile`` if no file could hold it."""
    entry = normal(entry)
    relations = (*entry.supersedes, *entry.refines, *entry.contradicts, *(id for id, _ in entry.coexists))
    for id in (entry.id, *relations, *filter(None, [entry.superseded_by])):
        if not _ID.fullmatch(id):
            raise MalformedFile(entry.id, 1, f"{id[:80]!r} is not an id such as 7K3F-Q2MD")
    if entry.state not in STATES or entry.scope not in SCOPES:
        raise MalformedFile(entry.id, 1, f"{entry.state} for the scope {entry.scope[:80]!r} is no state of a lesson")
    return entry


def with_unknown_parts(stored: Entry, read: Entry) -> Entry:
    """Return ``stored`` with the fields of its file from ``read``. The other fields (rank, use, excerpts) stay.

    A field that the file did not change keeps its exact stored value (blanks in a quote, fractions of a second).
    """
    before, after = normal(stored), normal(read)
    changed: dict[str, Any] = {name: getattr(read, name) for name in FIELDS if getattr(before, name) != getattr(after, name)}
    changed.pop("slug", None)  # fixed when the lesson is first kept
    changed |= {name: getattr(after, name) for name in ("evidence", "anchors") if name in changed}
    return stored._replace(**with_own(changed, stored, before))


def with_own(changed: dict[str, Any], stored: Entry, before: Entry) -> dict[str, Any]:
    """Return the fields with local quotes and anchors instead of equal ones in normal form (``before``).

    Excerpts, and an anchor's local data, are in no file.
    """
    own = {"evidence": stored.evidence, "anchors": tuple(anchor for anchor in stored.anchors if anchor.path)}
    for name in own.keys() & changed.keys():
        known = dict(zip(getattr(before, name), own[name], strict=True))
        changed[name] = tuple(known.get(item, item) for item in changed[name])
    return changed


def _slug_of(entry: Entry) -> str:
    return entry.slug if _SLUG.fullmatch(entry.slug) and len(entry.slug) <= _SLUG_LENGTH else slug(entry.headline)


def _file_slug(file: str, id: str) -> str:
    stem = re.split(r"[/\\]", file)[-1].removesuffix(".md")
    readable = stem[: -len(id) - 1]
    return readable if stem.lower() == f"{readable}-{id.lower()}" and _SLUG.fullmatch(readable) else ""


def _id(id: str) -> str:
    return clean(id).upper()


def _ids(keys: Front, key: str, texts: Iterable[str]) -> tuple[str, ...]:
    """Return the ids under a key, which agents may be sent. Raises ``MalformedFile`` if one has not the form of an id."""
    found = tuple(map(_id, texts))
    for one in found:
        if not _ID.fullmatch(one):
            raise keys.refuse(key, f"{one[:80]!r} is not an id such as 7K3F-Q2MD")
    return found


def _line(key: str, value: str) -> str:
    return f"{key}: {scalar(clean(value))}\n" if value else ""


@lru_cache(maxsize=4096)
def _time(key: str, at: float) -> str:
    return f"{key}: {clock.iso(at)}\n" if clock.to_second(at) else ""


def _anchor(anchor: Anchor) -> dict[str, str]:
    """Return the file's version of an anchor, with a commit only if it holds the code.

    Uncommitted code and git's id of the content stay on this machine, unless the id is all that a whole file's anchor has.
    """
    body_ = anchor.body or (not anchor.symbol and anchor.blob) or ""
    return {name: getattr(anchor, name) for name in ANCHOR} | {"body": body_, "commit": anchor.holder}


def _anchor_of(values: Mapping[str, Any]) -> Anchor:
    """Return the anchor from its version in a file. Fields that the file does not have keep their defaults."""
    return Anchor(**values)


def _anchors(keys: Front) -> tuple[tuple[Anchor, ...], list[dict[str, str]]]:
    """Return the anchors. Unknown keys in them are kept."""
    known, foreign = [], []
    for line, pairs in keys.objects("anchors"):
        if not pairs.get("path"):
            raise MalformedFile(keys.file, line, "anchors: an anchor needs a path")
        if pairs.keys() <= set(ANCHOR):
            blob = pairs.get("body", "") if not pairs.get("symbol") and _BLOB.fullmatch(pairs.get("body", "")) else ""
            known.append(_anchor_of(pairs | {"body": "", "blob": blob} if blob else pairs))
        else:
            foreign.append(pairs)
    return tuple(known), foreign


def _coexists(keys: Front) -> tuple[tuple[str, str], ...]:
    pairs = []
    for line, pair in keys.objects("coexists"):
        if not pair.get("id"):
            raise MalformedFile(keys.file, line, "coexists: the id of the other lesson is missing")
        pairs.append((_ids(keys, "coexists", [pair["id"]])[0], pair.get("because", "")))
    return tuple(pairs)


def _clash(keys: Front) -> list[dict[str, str]]:
    """Return the other side's values of fields that both sides of a merge changed."""
    items = []
    for line, pair in keys.objects(CLASH):
        field, theirs = pair.get("field", ""), pair.get("theirs", "")
        if not field:
            raise MalformedFile(keys.file, line, "clash: the name of the field is missing")
        if theirs not in _WORDS.get(field, (theirs,)):
            raise MalformedFile(keys.file, line, f"clash: {theirs!r} is not one of {', '.join(_WORDS[field])}")
        items.append({"field": field, "theirs": theirs})
    return items


def _require(keys: Front, key: str) -> str:
    value = keys.text(key)
    if not value:
        raise keys.refuse(key, "is missing")
    return value


def _word(keys: Front, key: str, default: str = "") -> str:
    """Return one of the words that a key may have. An export writes only these, and the next export would remove the file."""
    value = keys.text(key) or default or _require(keys, key)
    if value not in _WORDS[key]:
        raise keys.refuse(key, f"{value!r} is not one of {', '.join(_WORDS[key])}")
    return value


def _score(keys: Front) -> float:
    value = keys.text("confidence")
    try:
        score = float(value or 0)
    except ValueError:
        score = math.nan
    if not 0 <= score <= 1:
        raise keys.refuse("confidence", f"{value!r} is not a number from 0 to 1")
    return round(score, 2)


def _confidence(score: float) -> float:
    return round(min(max(score, 0.0), 1.0), 2) if score == score else 0.0


def _parse_time(keys: Front, key: str) -> float:
    value = keys.text(key)
    try:
        return clock.to_second(clock.parse_iso(value)) if value else 0.0
    except (ValueError, OverflowError, OSError):
        raise keys.refuse(key, f"{value!r} is not a time such as 2026-11-21T09:30:00Z") from None


def unpack(extra: str) -> dict[str, Any]:
    """Return the parts of ``Entry.extra`` by their names: ``front``, ``anchors``, ``sections``, ``clash``."""
    return json.loads(extra) if extra else {}


def pack(parts: Mapping[str, Any]) -> str:
    """Return the inverse of ``unpack``, without empty values."""
    present = {name: part for name, part in parts.items() if part}
    return json.dumps(present, ensure_ascii=False) if present else ""
