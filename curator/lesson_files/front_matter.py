"""The front matter of a lesson file: written by hand, read by PyYAML.

Written by hand because the layout is a promise (key order, one item a line, no folding). Read with the loader that makes
strings of every scalar: what a value means is decided by its key, never by how it looks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from curator.errors import MalformedFile
from curator.lesson_files.body import clean
from curator.text.clean import unreadable

_PARSER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)

_PLAIN = re.compile(r"[\w./(~][\w ./@+~()*=$^&;!?'\",-]*(?<! )")
_TYPED = re.compile(
    r"[-+.]?\d[\d_,.:]*(?:e[-+]?\d+)?|0[xob][\da-f_]+|\d{4}-\d\d?-\d\d?(?:[ t].*)?|[-+]?\.(?:inf|nan)"
    r"|~|\.+|null|true|false|yes|no|on|off|y|n",
    re.IGNORECASE | re.ASCII,
)
_ESCAPED = re.compile("[\u2028\u2029\ufeff\ufffe\uffff]")
_BREAKS = re.compile("[\x85\u2028\u2029]")


def scalar(text: str) -> str:
    """A string as YAML: plain where every reader agrees that it is that string, else in double quotes.

    >>> scalar("src/a.py"), scalar("yes"), scalar("a: b")
    ('src/a.py', '"yes"', '"a: b"')
    """
    if _PLAIN.fullmatch(text) and not _TYPED.fullmatch(text):
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def items(key: str, values: Iterable[str]) -> str:
    """A list of strings, one a line; nothing when it is empty."""
    lines = "".join(f"  - {scalar(clean(value))}\n" for value in values)
    return f"{key}:\n{lines}" if lines else ""


def objects(key: str, values: Iterable[Mapping[str, str]]) -> str:
    """A list of objects, one key a line; nothing when it is empty, empty values left out."""
    lines = ""
    for value in values:
        pairs = [f"{scalar(name)}: {scalar(clean(text))}\n" for name, text in value.items() if text]
        lines += "  - " + "    ".join(pairs) if pairs else ""
    return f"{key}:\n{lines}" if lines else ""


class Untyped(_PARSER):  # type: ignore[misc]
    """Nodes without types: looking for the type that a node is of takes half of the time, and all are texts here."""

    def descend_resolver(self, *_: Any) -> None:
        """Look for nothing."""

    def ascend_resolver(self) -> None:
        """Look for nothing."""

    def resolve(self, *_: Any) -> str:
        """Say that it is a text."""
        return "tag:yaml.org,2002:str"


@dataclass(frozen=True, slots=True)
class Front:
    """Front matter as read: known keys as YAML nodes, the rest as the lines they stand on."""

    file: str
    nodes: Mapping[str, Any]
    rest: str

    def refuse(self, key: str, reason: str) -> MalformedFile:
        """The error that names ``key`` and its line."""
        node = self.nodes.get(key)
        return MalformedFile(self.file, node.start_mark.line + 2 if node else 1, f"{key}: {reason}")

    def text(self, key: str) -> str:
        """A string, empty when the key is absent. Raises ``MalformedFile``, as all that follow."""
        node = self.nodes.get(key)
        if node is None:
            return ""
        if not isinstance(node, yaml.ScalarNode):
            raise self.refuse(key, "must be one value, not a list or object")
        return str(clean(node.value))

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings; a single value counts as a list of one."""
        node = self.nodes.get(key)
        if isinstance(node, yaml.ScalarNode):
            return (clean(node.value),) if node.value else ()
        return tuple(self._scalar(key, item) for item in self._members(key))

    def objects(self, key: str) -> Iterator[tuple[int, dict[str, str]]]:
        """A list of objects whose values are strings, each with its line."""
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
            raise MalformedFile(self.file, node.start_mark.line + 2, f"{key}: a text was expected here")
        return clean(node.value)


def read(lines: list[str], known: Iterable[str], file: str) -> Front:
    """Front matter from the lines between its two ``---`` (the first of them is line 2). Raises ``MalformedFile``."""
    text = "\n".join(lines)
    if found := _BREAKS.search(text):
        line = text.count("\n", 0, found.start()) + 2
        raise MalformedFile(file, line, "a Unicode line break in the front matter; write it as an escape in quotes")
    if why := unreadable(text):
        raise MalformedFile(file, 2, f"the front matter is not read: {why}")
    try:
        root = yaml.compose(text, Loader=Untyped)
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
    """Known keys apart from the rest; comment lines between keys go with the rest."""
    nodes: dict[str, Any] = {}
    seen: set[str] = set()
    starts = [key.start_mark.line for key, _ in root.value] + [len(lines)]
    rest = [line for line in lines[: starts[0]] if line.startswith("#")]
    for (key, value), start, end in zip(root.value, starts, starts[1:], strict=False):
        name = key.value if isinstance(key, yaml.ScalarNode) else ""
        if not name or name in seen:
            raise MalformedFile(file, start + 2, f"the key {name!r} stands here twice" if name else "a key must be a word")
        seen.add(name)
        if name in known:
            nodes[name] = value
            rest += [line for line in lines[start + 1 : end] if line.startswith("#")]
        else:
            rest += lines[start:end]
    return Front(file, nodes, "".join(f"{line}\n" for line in rest))


def blocks(text: str) -> dict[str, str]:
    """Lines of front matter by the key that they begin with; comments above the first key stand under an empty one.

    >>> blocks("# by hand\\na: 1\\nb:\\n- 2\\n")
    {'': '# by hand\\n', 'a': 'a: 1\\n', 'b': 'b:\\n- 2\\n'}
    """
    try:
        root = None if unreadable(text) else yaml.compose(text, Loader=Untyped)
    except yaml.YAMLError:
        return {"": text}
    lines = [f"{line}\n" for line in text.split("\n")[:-1]]
    starts = [(key.value, key.start_mark.line) for key, _ in root.value] if isinstance(root, yaml.MappingNode) else []
    ends = [start for _, start in starts[1:]] + [len(lines)]
    found = {"": "".join(lines[: starts[0][1] if starts else len(lines)])}
    found |= {key: "".join(lines[start:end]) for (key, start), end in zip(starts, ends, strict=False)}
    return {key: block for key, block in found.items() if block}


def _refuse_aliases(root: Any, file: str) -> None:
    """Aliases tie one key's text to another's; keys that are kept as text could then not be moved."""
    seen: set[int] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            raise MalformedFile(file, node.start_mark.line + 2, "YAML aliases (&name, *name) are not kept; write the value out")
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            waiting += [child for pair in node.value for child in pair]
        elif isinstance(node, yaml.SequenceNode):
            waiting += node.value
