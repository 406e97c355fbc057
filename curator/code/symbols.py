"""The symbols of a source file: what is defined where, under which qualified name, with fingerprints that ignore layout.

Code as a sequence of tokens in which layout, comments and docstrings leave no trace.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from curator.code.languages import Language

if TYPE_CHECKING:
    from tree_sitter import Node

MASK = "\u2022"
"""Stands for a symbol's own name, so that a renamed symbol has the tokens that it had."""

_TOKEN = re.compile(r"\w+|[^\w\s]")

_TRAILING = re.compile(r",(?=\s*(?:[)\]}]|\Z))")

_BLANKS = re.compile(rb"\s+")

_SINGLE = str.maketrans("'", '"')


@dataclass(frozen=True, slots=True)
class Edit:
    """Bytes ``start`` to ``end`` of a source, read as ``text``."""

    start: int
    end: int
    text: bytes = b" "


def literal(source: bytes, start: int, end: int) -> Edit:
    """A string whose blanks count, unlike those of the code around it."""
    return Edit(start, end, _BLANKS.sub(b" \xc2\xb7 ", source[start:end]))


def tokens(text: str, *, loose: str = "", quotes: bool = False) -> tuple[str, ...]:
    """The tokens of code from which comments are gone; a comma before a closing bracket or at the end is layout.

    ``loose`` are characters that mean nothing, ``quotes`` makes ' and \" one.

    >>> tokens("f(a,\\n  'b',\\n)", quotes=True) == tokens('f(a, "b")')
    True
    """
    text = _TRAILING.sub("", text)
    if quotes:
        text = text.translate(_SINGLE)
    found = _TOKEN.findall(text)
    return tuple(token for token in found if token not in loose) if loose else tuple(found)


def edited(source: bytes, start: int, end: int, edits: Sequence[Edit]) -> str:
    """The text between two places with edits carried out, which are sorted by their start; of two that overlap the first.

    What is put in at the very start belongs to what is around the text.
    """
    pieces, at = [], start
    for edit in edits:
        if edit.start >= end:
            break
        if edit.start >= at and start < edit.end <= end:
            pieces += [source[at : edit.start], edit.text]
            at = edit.end
    pieces.append(source[at:end])
    return b"".join(pieces).decode("utf-8", "replace")


def masked(found: Iterable[str], name: str) -> tuple[str, ...]:
    """Tokens with a symbol's own name made anonymous."""
    return tuple(MASK if token == name else token for token in found)


def digest(found: Sequence[str]) -> str:
    """A short hash of tokens; empty for none."""
    return hashlib.blake2b("\0".join(found).encode("utf-8", "replace"), digest_size=8).hexdigest() if found else ""


LARGEST = 1 << 20
"""Bytes of a file beyond which it is taken as a whole."""

_MINIFIED = 2_000
"""Bytes a line on average beyond which code was not written by hand."""

_BODIES = ("body", "value", "right", "accessors")

_PAIRED = {b"(": b")", b"{": b"}"}


@dataclass(frozen=True)
class Symbol:
    """A definition in a source file: ``name`` is qualified with dots, ``first`` and ``last`` are 1-based lines.

    ``signature`` are the tokens outside the body (decorators, parameters, types), ``body`` those inside; the symbol's own
    name is masked in both. Comments, docstrings and layout are gone.
    """

    name: str
    kind: str
    first: int
    last: int
    signature: tuple[str, ...]
    body: tuple[str, ...]
    text: str
    margin: str = ""
    """The blanks before it in its first line."""

    @property
    def simple(self) -> str:
        """The name's last part."""
        return self.name.rpartition(".")[2]

    @cached_property
    def signature_hash(self) -> str:
        """A hash of ``signature``."""
        return digest(self.signature)

    @cached_property
    def body_hash(self) -> str:
        """A hash of ``body``."""
        return digest(self.body)


class Unreadable(Exception):
    """Why a file is not read symbol by symbol; the words are for people."""


def whole(source: bytes, language: Language | None = None) -> Symbol:
    """A file as one symbol without a name. Without a grammar its tokens are those of its lines, comments included."""
    edits: Sequence[Edit] = ()
    if language is not None:
        try:
            edits = _Tree(source, language).edits
        except Unreadable:
            language = None
    text = edited(source, 0, len(source), edits)
    body = tokens(text, loose=language.loose, quotes=language.quotes) if language else tokens(text)
    return Symbol("", "file", 1, source.count(b"\n") + 1, (), body, source.decode("utf-8", "replace"))


def symbols(source: bytes, language: Language, only: str = "") -> tuple[Symbol, ...]:
    """Every definition in a file, in the order in which they begin, or those with the qualified name ``only``.

    Several may have one name.

    A file that does not parse gives those that its intact parts hold. Raises ``Unreadable`` where the grammar is not installed
    and for files that are binary, too large or minified.
    """
    tree = _Tree(source, language)
    return tuple(tree.symbol(*definition) for definition in tree.definitions() if only in ("", definition[2]))


def outline(source: bytes, language: Language) -> Iterator[tuple[str, str, int, int]]:
    """Name, kind, first and last line of what ``symbols`` gives, at half the cost. Raises ``Unreadable`` as it does."""
    for node, kind, name in _Tree(source, language).definitions():
        yield name, kind, _lead(node, language).start_point[0] + 1, node.end_point[0] + 1


class _Tree:
    """A parsed file."""

    def __init__(self, source: bytes, language: Language) -> None:
        if len(source) > LARGEST:
            raise Unreadable(f"larger than {LARGEST >> 20} MiB")
        if b"\0" in source:
            raise Unreadable("binary")
        if len(source) > _MINIFIED and len(source) > _MINIFIED * (source.count(b"\n") + 1):
            raise Unreadable("minified")
        self.source, self.language = source, language
        parser, query = grammar(language)
        self.captures: dict[str, list[Node]] = query(parser(source).root_node)

    @cached_property
    def edits(self) -> list[Edit]:
        """What leaves no trace in tokens."""
        found = [Edit(node.start_byte, node.end_byte) for node in self.captures.get("cut", ())]
        found += [literal(self.source, node.start_byte, node.end_byte) for node in self.captures.get("string", ())]
        for node in self.captures.get("paren", ()):
            found += [Edit(node.start_byte, node.start_byte + 1), Edit(node.end_byte - 1, node.end_byte)]
        for node in self.captures.get("block", ()):
            found += [Edit(node.start_byte, node.start_byte, b" { "), Edit(node.end_byte, node.end_byte, b" } ")]
        # A docstring is a string as well: the cut comes first. An inner block closes before the outer one.
        return sorted(found, key=lambda edit: (edit.start, edit.end != edit.start, edit.text != b" "))

    def definitions(self) -> Iterator[tuple[Node, str, str]]:
        """Each definition with its kind and qualified name, in the order in which they begin."""
        kinds = {
            node.id: (kind, node)
            for kind in ("value", "scope", "type", "class", "function")
            for node in self.captures.get(kind, ())
        }
        open_: list[tuple[int, str]] = []
        seen = set[tuple[int, int]]()
        for kind, node in sorted(kinds.values(), key=lambda pair: (pair[1].start_byte, -pair[1].end_byte)):
            while open_ and open_[-1][0] <= node.start_byte:
                open_.pop()
            simple = _named(node, self.language.names.get(node.type, "name"))
            span = (node.start_byte, node.end_byte)
            if not simple or span in seen:
                continue
            seen.add(span)
            scope = _named(node, self.language.scopes[node.type]) if node.type in self.language.scopes else ""
            name = ".".join(part for part in (open_[-1][1] if open_ else "", scope, simple) if part)
            open_.append((node.end_byte, name))
            if kind != "scope":
                yield node, kind, name

    def symbol(self, node: Node, kind: str, name: str) -> Symbol:
        """A definition with its tokens."""
        lead = _lead(node, self.language)
        start, end = _body(node, kind, self.language)
        before = self._tokens(lead.start_byte, start) + self._tokens(end, node.end_byte)
        inside = self._tokens(start, end)
        simple = name.rpartition(".")[2].lstrip("#")  # of a private name in JavaScript, where it is no part of the token
        return Symbol(
            name,
            kind,
            lead.start_point[0] + 1,
            node.end_point[0] + 1,
            masked(before, simple),
            masked(inside, simple),
            self.source[lead.start_byte : node.end_byte].decode("utf-8", "replace"),
            _margin(self.source, lead.start_byte),
        )

    @cached_property
    def _starts(self) -> list[int]:
        return [edit.start for edit in self.edits]

    def _tokens(self, start: int, end: int) -> tuple[str, ...]:
        first = bisect_left(self._starts, start)
        text = edited(self.source, start, end, self.edits[first : bisect_left(self._starts, end, first)])
        return tokens(text, loose=self.language.loose, quotes=self.language.quotes)


def _margin(source: bytes, start: int) -> str:
    before = source[source.rfind(b"\n", 0, start) + 1 : start].decode("utf-8", "replace")
    return "" if before.strip() else before


def _named(node: Node, path: str) -> str:
    """The name at the end of a path of fields; the type's name of a receiver, a generic or a declarator."""
    for field in path.split("."):
        found = node.child_by_field_name(field)
        if found is None:
            return ""
        node = found
    for _ in range(8):
        if not node.named_child_count or node.type == "scoped_type_identifier":
            break
        inner = node.child_by_field_name("type") or node.child_by_field_name("declarator") or node.child_by_field_name("name")
        inner = inner or next(
            (
                child
                for child in node.named_children
                if "identifier" in child.type or "type" in child.type or "declar" in child.type
            ),
            None,
        )
        if inner is None:
            break
        node = inner
    name = (node.text or b"").decode("utf-8", "replace").rpartition("::")[2].strip("\"'`")
    return name if name and len(name) <= 200 and not any(letter.isspace() for letter in name) else ""


def _lead(node: Node, language: Language) -> Node:
    """Where a definition begins: with its decorators or attributes."""
    first, before = node, node.prev_named_sibling
    while before is not None and (before.type in language.leads or (first is not node and "comment" in before.type)):
        if before.type in language.leads:
            first = before
        before = before.prev_named_sibling
    return first


def _body(node: Node, kind: str, language: Language) -> tuple[int, int]:
    """Where in the file what a definition holds begins and ends: a block, a value, what a type stands for."""
    path = language.bodies.get(node.type, "")
    if path and (found := _inner(node, path)):
        return found.start_byte, node.end_byte
    for field in (*_BODIES, "type") if kind == "type" else _BODIES:
        found = node.child_by_field_name(field)
        if found is not None:
            inner = found.child_by_field_name("body") if found.type in ("arrow_function", "function_expression") else None
            found = inner or found
            return found.start_byte, found.end_byte
    return node.end_byte, node.end_byte


def _inner(node: Node, path: str) -> Node | None:
    """The node at the end of a path of fields; a last part that is no field is the type of a child."""
    for part in path.split("."):
        found = node.child_by_field_name(part) or next((child for child in node.named_children if child.type == part), None)
        if found is None:
            return None
        node = found
    return node


@lru_cache(maxsize=32)
def grammar(language: Language) -> tuple[Any, Any]:
    """A function that parses and one that runs the language's query. Raises ``Unreadable`` where it is not installed."""
    try:
        from tree_sitter import Language as Grammar
        from tree_sitter import Parser, Query, QueryCursor

        made = Grammar(getattr(import_module(language.module), language.grammar)())
    except ImportError as error:
        raise Unreadable(f"no grammar for {language.name} is installed") from error
    parser, query = Parser(made), Query(made, language.query)
    return parser.parse, lambda root: QueryCursor(query).captures(root)
