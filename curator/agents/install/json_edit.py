"""Edits of JSON as text that preserve everything else: order, indentation, comments, line ends, trailing commas.

It accepts JSON (https://www.rfc-editor.org/rfc/rfc8259) with ``//`` and ``/* */`` comments and trailing commas, as in editors'
settings. Every edit finds its position in a tree of spans and inserts or cuts there. ``drop`` cuts exactly what ``put``
inserts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from curator.errors import MalformedFile


def malformed_file(name: str, line: int, reason: str) -> MalformedFile:
    """Return a file that can't be edited safely, as an error to raise."""
    error = MalformedFile(name, line, reason)
    error.hint = "Fix the file, then run this again. curator did not change it."
    return error


MAX_NESTING = 200
"""The nesting beyond which a text is not settings."""

_BLANK = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_REST_OF_LINE = re.compile(r"(?:[ \t]++|/\*[^\r\n]*?\*/)*+(?://[^\r\n]*+)?(?=[\r\n])")
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.])|true\b|false\b|null\b")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')

Step = str | int
Where = Sequence[Step]


@dataclass(frozen=True, slots=True)
class Node:
    """A value and its span."""

    start: int
    end: int
    value: Any
    first: int = 0
    """The start of the member or item: at its key, if it has one."""
    parts: tuple[tuple[Step, Node], ...] = field(default=())
    """Members by key, or items by position."""

    def get(self, step: Step) -> Node | None:
        """Return the part with that name. If several have one key, the last counts, as in all JSON readers."""
        return next((node for key, node in reversed(self.parts) if key == step), None)


class _Parser:
    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name

    def fail(self, at: int, reason: str) -> MalformedFile:
        return malformed_file(self.name, line_of(self.text, at), reason)

    def value(self, at: int, first: int, depth: int) -> Node:
        opened = self.text[at : at + 1]
        if opened and opened in "{[":
            if depth == MAX_NESTING:
                raise self.fail(at, "nested too deeply")
            return self.container(at, first, depth, opened == "{")
        found = _STRING.match(self.text, at) or _SCALAR.match(self.text, at)
        if not found:
            raise self.fail(at, f"no JSON value: {self.text[at : at + 20]!r}" if opened else "the file ends too early")
        try:
            return Node(at, found.end(), json.loads(found[0]), first)
        except ValueError as error:
            raise self.fail(at, str(error)) from error

    def container(self, start: int, first: int, depth: int, keyed: bool) -> Node:
        parts: list[tuple[Step, Node]] = []
        close, at = "}" if keyed else "]", _blank(self.text, start + 1)
        while self.text[at : at + 1] != close:
            begin, key = at, len(parts)
            step: Step = key
            if keyed:
                step, at = self.key(at)
            node = self.value(at, begin, depth + 1)
            parts.append((step, node))
            at = _blank(self.text, node.end)
            if self.text[at : at + 1] == ",":
                at = _blank(self.text, at + 1)
            elif self.text[at : at + 1] != close:
                raise self.fail(at, f"a comma or {close!r} is missing before {self.text[at : at + 20]!r}")
        value = {key: node.value for key, node in parts} if keyed else [node.value for _, node in parts]
        return Node(start, at + 1, value, first, tuple(parts))

    def key(self, at: int) -> tuple[str, int]:
        found = _STRING.match(self.text, at)
        colon = _blank(self.text, found.end()) if found else at
        if not found or self.text[colon : colon + 1] != ":":
            raise self.fail(colon, "a key in double quotes and a colon are missing")
        try:
            return str(json.loads(found[0])), _blank(self.text, colon + 1)
        except ValueError as error:
            raise self.fail(at, str(error)) from error


def line_of(text: str, at: int) -> int:
    """Return the 1-based line of a position."""
    return text.count("\n", 0, at) + 1


def parse(text: str, name: str) -> Node:
    """Return the tree of a document. A document without content is an empty object. Raises ``MalformedFile``."""
    parser = _Parser(text, name)
    at = _blank(text, 0)
    if at == len(text):
        return Node(at, at, {})
    root = parser.value(at, at, 0)
    end = _blank(text, root.end)
    if end != len(text):
        raise parser.fail(end, f"unexpected text after the end: {text[end : end + 20]!r}")
    return root


def load(text: str, name: str) -> dict[str, Any]:
    """Return a document's value. Raises ``MalformedFile``, also when it is no object."""
    value = parse(text, name).value
    if not isinstance(value, dict):
        raise malformed_file(name, 1, "this is not a JSON object")
    return value


def reach(value: Any, place: Where) -> Any:
    """Return the value at a path in loaded data. Return ``None`` if there is none."""
    for step in place:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def put(text: str, where: Where, value: Any, name: str) -> str:
    """Set a member and create missing objects on its path. An existing object gets ``value``'s members and keeps its others.

    Raises ``MalformedFile`` also if the path leads through another type than an object.
    """
    root = parse(text, name)
    if root.start == root.end:
        return text + _render(_nest(where, value), "  ", "", newline_of(text)) + ("" if text else "\n")
    node, unit = root, _unit(text, root)
    for at, step in enumerate(where):
        if not isinstance(node.value, dict):
            raise malformed_file(
                name, line_of(text, node.start), f"{'.'.join(map(str, where[:at])) or 'this'} is not a JSON object"
            )
        child = node.get(step)
        if child is None:
            return _insert(text, node, str(step), _nest(where[at + 1 :], value), unit)
        node = child
    if node.value == value and type(node.value) is type(value):
        return text
    if isinstance(value, dict) and isinstance(node.value, dict):
        for key, item in value.items():
            text = put(text, (*where, key), item, name)
        return text
    return text[: node.start] + _render(value, unit, _indent(text, node.first), newline_of(text)) + text[node.end :]


def restore(text: str, where: Where, before: str, name: str) -> str:
    """Restore a member exactly as it was ``before``. Both texts contain it. Raises ``MalformedFile`` for invalid JSON."""
    now, then = (_part(parse(document, name), where) for document in (text, before))
    assert now is not None
    assert then is not None
    return text[: now.start] + before[then.start : then.end] + text[now.end :]


def _part(root: Node, where: Where) -> Node | None:
    node: Node | None = root
    for step in where:
        node = node.get(step) if node else None
    return node


def append(text: str, where: Where, value: Any, name: str) -> str:
    """Add an item at the end of a list, creating the list and its parents if needed. Raises ``MalformedFile``."""
    node = _part(parse(text, name), where)
    if node is None:
        return put(text, where, [value], name)
    if not isinstance(node.value, list):
        raise malformed_file(name, line_of(text, node.start), f"{'.'.join(map(str, where))} is not a JSON list")
    return _insert(text, node, None, value, _unit(text, parse(text, name)))


def drop(text: str, where: Where, name: str) -> str:
    """Cut a member or item with its comma and its lines. Do nothing if there is none."""
    parent = _part(parse(text, name), where[:-1])
    parts = parent.parts if parent else ()
    at = next((n for n in reversed(range(len(parts))) if parts[n][0] == where[-1]), None)
    if parent is None or at is None:
        return text
    removed = parts[at][1]
    comma = _comma(text, removed.end)
    if len(parts) == 1:
        return _empty(text, parent, removed, comma)
    if at < len(parts) - 1:
        start = _line_start(text, parts[at - 1][1].end if at else parent.start + 1)
        return text[:start] + text[_line_start(text, removed.end) :]
    before = parts[at - 1][1]
    start, end = _line_start(text, before.end), removed.end
    if comma is not None:  # a trailing comma was the fashion before, so the one before stays
        return text[:start] + text[comma + 1 :]
    own = _comma(text, before.end)
    assert own is not None
    return text[:own] + text[own + 1 : start] + text[end:]


def _empty(text: str, parent: Node, removed: Node, comma: int | None) -> str:
    """Return the text without a container's only part. Comments in it stay."""
    end = removed.end if comma is None else comma + 1
    head, tail = text[parent.start + 1 : removed.first], text[end : parent.end - 1]
    if head.strip() or tail.strip():
        return text[: parent.start + 1] + head.rstrip() + tail + text[parent.end - 1 :]
    return text[: parent.start + 1] + text[parent.end - 1 :]


def _blank(text: str, at: int) -> int:
    """Return the offset after blanks and comments."""
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _comma(text: str, at: int) -> int | None:
    at = _blank(text, at)
    return at if text[at : at + 1] == "," else None


def _line_start(text: str, at: int) -> int:
    """Return the offset after a part that ends at ``at``: after its comma, and the comment in its line."""
    comma = _comma(text, at)
    at = at if comma is None else comma + 1
    rest = _REST_OF_LINE.match(text, at)
    return rest.end() if rest else at


def _insert(text: str, node: Node, key: str | None, value: Any, unit: str) -> str:
    """Add a part at the end of a container, in its layout."""
    newline = newline_of(text)
    lines = bool(unit) and ("\n" in text[node.start : node.end] or not node.parts)
    indent = _indent(text, node.parts[0][1].first) if node.parts and lines else _indent(text, node.first) + unit
    if node.parts and lines and "\n" not in text[node.start : node.parts[0][1].first]:
        lines = False
    label = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    part = label + _render(value, unit if lines else "", indent, newline)
    gap = newline + indent if lines else " "
    if not node.parts:
        inner = text[node.start + 1 : node.end - 1]
        kept = inner if "\n" in inner else inner.rstrip() + (newline + _indent(text, node.first) if lines else "")
        first = "" if not lines else newline + indent
        if inner.strip():  # Existing comments come before the added part.
            body = inner.rstrip()
            return text[: node.start + 1] + body + newline + indent + part + inner[len(body) :] + text[node.end - 1 :]
        return text[: node.start + 1] + first + part + kept + text[node.end - 1 :]
    last = node.parts[-1][1]
    comma = _comma(text, last.end)
    at = _line_start(text, last.end)
    if comma is not None:
        return text[:at] + gap + part + "," + text[at:]
    if not lines:
        if unit:  # In a file of lines, an added part gets a line of its own, so that a person sees it.
            gap = newline + _indent(text, node.first) + unit
        return text[: last.end] + "," + gap + part + text[last.end :]
    return text[: last.end] + "," + text[last.end : at] + gap + part + text[at:]


def _nest(where: Where, value: Any) -> Any:
    for step in reversed(where):
        value = {step: value}
    return value


def newline_of(text: str) -> str:
    """Return how lines end in a text, by its first one."""
    found = re.search(r"\r\n|\n", text)
    return found[0] if found else "\n"


def _indent(text: str, at: int) -> str:
    """Return the indentation of a position's line."""
    start = text.rfind("\n", 0, at) + 1
    found = re.match(r"[ \t]*", text[start:at])
    return found[0] if found else ""


def _unit(text: str, root: Node) -> str:
    """Return the indentation of a level. Return an empty text if the document is one line of several parts."""
    for _, node in root.parts:
        if "\n" in text[root.start : node.first]:
            return _indent(text, node.first) or "  "
        return ""
    return "  "


def _render(value: Any, unit: str, indent: str, newline: str) -> str:
    if not unit:
        return json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", newline + indent)
