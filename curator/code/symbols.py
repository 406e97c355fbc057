"""The symbols of a source file: their qualified names, their lines, and fingerprints that ignore layout.

Each language is a row and a query (``queries/*.scm``) that finds the definitions in its syntax tree. These are a query's
captures:

- ``function``, ``class``, ``type`` and ``value`` are definitions of that kind.
- ``scope`` gives its name to the definitions inside it without being one.
- ``cut`` is text without meaning: comments, docstrings.
- ``string`` is a literal.
- ``block`` has lines that belong together by their indentation alone.
- ``paren`` are parentheses that only wrap a line.

Node types are those of the grammars' ``node-types.json`` (https://tree-sitter.github.io/tree-sitter/using-parsers/queries/).
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Language:
    """A language: the package and function of its grammar, and the parts of its syntax tree."""

    name: str
    suffixes: tuple[str, ...]
    module: str
    grammar: str = "language"
    queries: tuple[str, ...] = ()
    """The names of the files with its query, without their ending. If empty, the file has the name of the language."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Node type → the field path (dots) to its name, where that is not the field ``name``."""
    scopes: Mapping[str, str] = field(default_factory=dict)
    """A node type → the path of fields to the name that precedes its own, such as a method's receiver."""
    bodies: Mapping[str, str] = field(default_factory=dict)
    """Node type → the field path or child type where its body begins, if that is not a usual field."""
    leads: frozenset[str] = frozenset()
    """Types of siblings before a definition that belong to it: decorators, attributes."""
    loose: str = ""
    """Tokens without meaning, such as optional semicolons."""
    quotes: bool = False
    """True if ' and \" mean the same."""


def _script(name: str, suffixes: tuple[str, ...], module: str, grammar: str, *queries: str) -> Language:
    return Language(
        name=name,
        suffixes=suffixes,
        module=module,
        grammar=grammar,
        queries=("script", *queries),
        names={"assignment_expression": "left.property", "field_definition": "property", "pair": "key"},
        leads=frozenset({"decorator"}),
        loose=";",
        quotes=True,
    )


_C_NAMES = {"function_definition": "declarator", "type_definition": "declarator"}
LANGUAGES = (
    Language(
        name="python",
        suffixes=(".py", ".pyi", ".pyw"),
        module="tree_sitter_python",
        names={"assignment": "left", "type_alias_statement": "left"},
        leads=frozenset({"decorator"}),
        quotes=True,
    ),
    _script("javascript", (".js", ".jsx", ".mjs", ".cjs"), "tree_sitter_javascript", "language", "jsx", "javascript"),
    _script("typescript", (".ts", ".mts", ".cts"), "tree_sitter_typescript", "language_typescript", "typescript"),
    _script("tsx", (".tsx",), "tree_sitter_typescript", "language_tsx", "typescript", "jsx"),
    Language(name="go", suffixes=(".go",), module="tree_sitter_go", scopes={"method_declaration": "receiver"}),
    Language(
        name="rust",
        suffixes=(".rs",),
        module="tree_sitter_rust",
        names={"impl_item": "type"},
        bodies={"macro_definition": "macro_rule"},
        leads=frozenset({"attribute_item"}),
    ),
    Language(
        name="java",
        suffixes=(".java",),
        module="tree_sitter_java",
        names={"field_declaration": "declarator.name", "constant_declaration": "declarator.name"},
        bodies={
            "field_declaration": "declarator.value",
            "constant_declaration": "declarator.value",
            "enum_constant": "arguments",
        },
    ),
    Language(name="c", suffixes=(".c", ".h"), module="tree_sitter_c", names=_C_NAMES),
    Language(
        name="cpp",
        suffixes=(".cc", ".cpp", ".cxx", ".hpp", ".hh"),
        module="tree_sitter_cpp",
        queries=("c", "cpp"),
        names=_C_NAMES,
    ),
    Language(name="csharp", suffixes=(".cs",), module="tree_sitter_c_sharp"),
    Language(name="ruby", suffixes=(".rb",), module="tree_sitter_ruby", names={"assignment": "left"}, quotes=True),
    Language(name="php", suffixes=(".php",), module="tree_sitter_php", grammar="language_php"),
    Language(name="bash", suffixes=(".sh", ".bash"), module="tree_sitter_bash"),
)
"""The first seven are installed with curator, the others with the extra ``languages``."""

_BY_SUFFIX = {suffix: language for language in LANGUAGES for suffix in language.suffixes}


def language_of(path: str) -> Language | None:
    """Return the language of a file by its name. Return ``None`` if there is no row for it.

    >>> language_of("src/app.tsx").name
    'tsx'
    """
    name = path.rpartition("/")[2]
    return _BY_SUFFIX.get(name[name.rfind(".") :].lower()) if "." in name else None


MASK = "\u2022"
"""The substitute for a symbol's own name, so that a renamed symbol keeps its tokens."""

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
    """Return a string with its blanks preserved, unlike those of the code around it."""
    return Edit(start, end, _BLANKS.sub(b" \xc2\xb7 ", source[start:end]))


def tokens(text: str, *, loose: str = "", quotes: bool = False) -> tuple[str, ...]:
    """Return the tokens of code whose comments were removed. A comma before a closing bracket or at the end counts as layout.

    ``loose`` are characters without meaning. ``quotes`` makes ' and " equal.

    >>> tokens("f(a,\\n  'b',\\n)", quotes=True) == tokens('f(a, "b")')
    True
    """
    text = _TRAILING.sub("", text)
    if quotes:
        text = text.translate(_SINGLE)
    found = _TOKEN.findall(text)
    return tuple(token for token in found if token not in loose) if loose else tuple(found)


def apply_edits(source: bytes, start: int, end: int, edits: Sequence[Edit]) -> str:
    """Return a part of the text with edits applied, sorted by start.

    Of two overlapping edits, the first counts. An insertion at the very start belongs to the surrounding text.
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


def mask_name(found: Iterable[str], name: str) -> tuple[str, ...]:
    """Return the tokens with the symbol's own name masked."""
    return tuple(MASK if token == name else token for token in found)


def digest(found: Sequence[str]) -> str:
    """Return a short hash of tokens. Return an empty text if there are none."""
    return hashlib.blake2b("\0".join(found).encode("utf-8", "replace"), digest_size=8).hexdigest() if found else ""


MAX_PARSED_BYTES = 1 << 20
"""Bytes of a file beyond which it is taken as a whole."""

_MINIFIED = 2_000
"""Bytes a line on average beyond which code was not written by hand."""

_BODIES = ("body", "value", "right", "accessors")


@dataclass(frozen=True)
class Symbol:
    """A definition in a source file. ``name`` is qualified with dots; ``first`` and ``last`` are 1-based lines.

    ``signature`` are the tokens outside the body (decorators, parameters, types), and ``body`` are those inside. The symbol's
    own name is masked in both. Comments, docstrings and layout are removed.
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
        """Return the name's last part."""
        return self.name.rpartition(".")[2]

    @cached_property
    def signature_hash(self) -> str:
        """Return a hash of ``signature``."""
        return digest(self.signature)

    @cached_property
    def body_hash(self) -> str:
        """Return a hash of ``body``."""
        return digest(self.body)


class Unreadable(Exception):
    """The reason, in words for people, why a file is not read symbol by symbol."""


def whole(source: bytes, language: Language | None = None) -> Symbol:
    """Return a file as one symbol without a name. Without a grammar its tokens are those of its lines, comments included."""
    edits: Sequence[Edit] = ()
    if language is not None:
        try:
            edits = _Tree(source, language).edits
        except Unreadable:
            language = None
    text = apply_edits(source, 0, len(source), edits)
    body = tokens(text, loose=language.loose, quotes=language.quotes) if language else tokens(text)
    return Symbol("", "file", 1, source.count(b"\n") + 1, (), body, source.decode("utf-8", "replace"))


def symbols(source: bytes, language: Language, only: str = "") -> tuple[Symbol, ...]:
    """Return every definition in a file in order, or those with the qualified name ``only``.

    Several may share a name. A file with syntax errors gives those of its intact parts. Raises ``Unreadable`` for a missing
    grammar, and for files that are binary, too large or minified.
    """
    tree = _Tree(source, language)
    return tuple(tree.symbol(*definition) for definition in tree.definitions() if only in ("", definition[2]))


def outline(source: bytes, language: Language) -> Iterator[tuple[str, str, int, int]]:
    """Return name, kind, first and last line of each symbol, at half the cost of ``symbols``. Raises ``Unreadable`` like it."""
    for node, kind, name in _Tree(source, language).definitions():
        yield name, kind, _lead(node, language).start_point[0] + 1, node.end_point[0] + 1


class _Tree:
    """A parsed file."""

    def __init__(self, source: bytes, language: Language) -> None:
        if len(source) > MAX_PARSED_BYTES:
            raise Unreadable(f"larger than {MAX_PARSED_BYTES >> 20} MiB")
        if b"\0" in source:
            raise Unreadable("binary")
        if len(source) > _MINIFIED and len(source) > _MINIFIED * (source.count(b"\n") + 1):
            raise Unreadable("minified")
        self.source, self.language = source, language
        parser, query = grammar(language)
        self.captures: dict[str, list[Node]] = query(parser(source).root_node)

    @cached_property
    def edits(self) -> list[Edit]:
        """Return the edits that remove comments and layout, so that they leave no trace in the tokens."""
        found = [Edit(node.start_byte, node.end_byte) for node in self.captures.get("cut", ())]
        found += [literal(self.source, node.start_byte, node.end_byte) for node in self.captures.get("string", ())]
        for node in self.captures.get("paren", ()):
            found += [Edit(node.start_byte, node.start_byte + 1), Edit(node.end_byte - 1, node.end_byte)]
        for node in self.captures.get("block", ()):
            found += [Edit(node.start_byte, node.start_byte, b" { "), Edit(node.end_byte, node.end_byte, b" } ")]
        # A docstring is a string as well: the cut comes first. An inner block closes before the outer one.
        return sorted(found, key=lambda edit: (edit.start, edit.end != edit.start, edit.text != b" "))

    def definitions(self) -> Iterator[tuple[Node, str, str]]:
        """Yield each definition in order, with its kind and qualified name."""
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
            simple = _name_of(node, self.language.names.get(node.type, "name"))
            span = (node.start_byte, node.end_byte)
            if not simple or span in seen:
                continue
            seen.add(span)
            scope = _name_of(node, self.language.scopes[node.type]) if node.type in self.language.scopes else ""
            name = ".".join(part for part in (open_[-1][1] if open_ else "", scope, simple) if part)
            open_.append((node.end_byte, name))
            if kind != "scope":
                yield node, kind, name

    def symbol(self, node: Node, kind: str, name: str) -> Symbol:
        """Return a definition with its tokens."""
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
            mask_name(before, simple),
            mask_name(inside, simple),
            self.source[lead.start_byte : node.end_byte].decode("utf-8", "replace"),
            _margin(self.source, lead.start_byte),
        )

    @cached_property
    def _starts(self) -> list[int]:
        return [edit.start for edit in self.edits]

    def _tokens(self, start: int, end: int) -> tuple[str, ...]:
        first = bisect_left(self._starts, start)
        text = apply_edits(self.source, start, end, self.edits[first : bisect_left(self._starts, end, first)])
        return tokens(text, loose=self.language.loose, quotes=self.language.quotes)


def _margin(source: bytes, start: int) -> str:
    before = source[source.rfind(b"\n", 0, start) + 1 : start].decode("utf-8", "replace")
    return "" if before.strip() else before


def _name_of(node: Node, path: str) -> str:
    """Return the name at the end of a path of fields. For a receiver, a generic or a declarator, return the type's name."""
    for part in path.split("."):
        found = node.child_by_field_name(part)
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
    """Return where a definition begins: with its decorators or attributes."""
    first, before = node, node.prev_named_sibling
    while before is not None and (before.type in language.leads or (first is not node and "comment" in before.type)):
        if before.type in language.leads:
            first = before
        before = before.prev_named_sibling
    return first


def _body(node: Node, kind: str, language: Language) -> tuple[int, int]:
    """Return the range of a definition's content: a block, a value, the meaning of a type."""
    path = language.bodies.get(node.type, "")
    if path and (found := _inner(node, path)):
        return found.start_byte, node.end_byte
    for part in (*_BODIES, "type") if kind == "type" else _BODIES:
        found = node.child_by_field_name(part)
        if found is not None:
            inner = found.child_by_field_name("body") if found.type in ("arrow_function", "function_expression") else None
            found = inner or found
            return found.start_byte, found.end_byte
    return node.end_byte, node.end_byte


def _inner(node: Node, path: str) -> Node | None:
    """Return the node at the end of a path of fields. If the last part is not a field, it is the type of a child."""
    for part in path.split("."):
        found = node.child_by_field_name(part) or next((child for child in node.named_children if child.type == part), None)
        if found is None:
            return None
        node = found
    return node


@lru_cache(maxsize=32)
def grammar(language: Language) -> tuple[Any, Any]:
    """Return a function that parses and one that runs the language's query. Raises ``Unreadable`` if it is not installed."""
    try:
        from tree_sitter import Language as Grammar  # some 4 MB, which only the languages with a grammar need
        from tree_sitter import Parser, Query, QueryCursor  # some 4 MB, which only the languages with a grammar need

        made = Grammar(getattr(import_module(language.module), language.grammar)())
    except ImportError as error:
        raise Unreadable(f"no grammar for {language.name} is installed") from error
    folder = files("curator.code").joinpath("queries")
    texts = (folder.joinpath(f"{name}.scm").read_text("utf-8") for name in language.queries or (language.name,))
    parser, query = Parser(made), Query(made, "\n".join(texts))
    return parser.parse, lambda root: QueryCursor(query).captures(root)
