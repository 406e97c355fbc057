"""The languages whose files are read symbol by symbol: one row each, and the query that finds what matters in its syntax tree.

A query's captures mean: ``function``, ``class``, ``type``, ``value`` a definition of that kind; ``scope`` something that gives
its name to the definitions inside without being one; ``cut`` text that means nothing (comments, docstrings); ``string`` a
literal; ``block`` lines that belong together by their indentation alone; ``paren`` parentheses that only wrap a line.
Node types are those of the grammars' ``node-types.json`` (https://tree-sitter.github.io/tree-sitter/using-parsers/queries/).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Language:
    """A language: the package that holds its grammar and the function that gives it, and where to look in a tree."""

    name: str
    suffixes: tuple[str, ...]
    module: str
    grammar: str = "language"
    query: str
    names: Mapping[str, str]
    """Node type → the field path (dots) to its name, where that is not the field ``name``."""
    scopes: Mapping[str, str] = field(default_factory=dict)
    """Node type → the field path to a name that stands before its own, such as a method's receiver."""
    bodies: Mapping[str, str] = field(default_factory=dict)
    """Node type → the field path, or the type of the child, where its body begins, if that is not a field of a usual name."""
    leads: frozenset[str] = frozenset()
    """Types of siblings before a definition that belong to it: decorators, attributes."""
    loose: str = ""
    """Tokens that mean nothing where they stand at all: optional semicolons."""
    quotes: bool = False
    """Whether ' and \" mean the same."""


_PYTHON = Language(
    name="python",
    suffixes=(".py", ".pyi", ".pyw"),
    module="tree_sitter_python",
    query="""
      (function_definition) @function
      (class_definition) @class
      (type_alias_statement) @type
      (module (expression_statement (assignment left: (identifier)) @value))
      (class_definition body: (block (expression_statement (assignment left: (identifier)) @value)))
      (comment) @cut
      (line_continuation) @cut
      (expression_statement . (string) @cut .)
      (string) @string
      (block) @block
      (return_statement (parenthesized_expression) @paren)
      (raise_statement (parenthesized_expression) @paren)
      (assignment right: (parenthesized_expression) @paren)
      (augmented_assignment right: (parenthesized_expression) @paren)
      (assert_statement (parenthesized_expression) @paren)
      (if_statement condition: (parenthesized_expression) @paren)
      (elif_clause condition: (parenthesized_expression) @paren)
      (while_statement condition: (parenthesized_expression) @paren)
      (for_statement right: (parenthesized_expression) @paren)
      (keyword_argument value: (parenthesized_expression) @paren)
      (pair value: (parenthesized_expression) @paren)
      (lambda body: (parenthesized_expression) @paren)
    """,
    names={"assignment": "left", "type_alias_statement": "left"},
    leads=frozenset({"decorator"}),
    quotes=True,
)

_SCRIPT = """
      (function_declaration) @function
      (generator_function_declaration) @function
      (method_definition) @function
      (variable_declarator value: [(arrow_function) (function_expression) (generator_function)]) @function
      (assignment_expression left: (member_expression) right: [(arrow_function) (function_expression)]) @function
      (pair key: [(property_identifier) (string)] value: [(arrow_function) (function_expression)]) @function
      (pair key: (property_identifier) value: (object)) @scope
      (class_declaration) @class
      (program (lexical_declaration (variable_declarator name: (identifier)) @value))
      (program (export_statement (lexical_declaration (variable_declarator name: (identifier)) @value)))
      (program (variable_declaration (variable_declarator name: (identifier)) @value))
      (comment) @cut
      (string) @string
      (template_string) @string
      (return_statement (parenthesized_expression) @paren)
      (arrow_function body: (parenthesized_expression) @paren)
      (variable_declarator value: (parenthesized_expression) @paren)
"""
_SCRIPT_NAMES = {"assignment_expression": "left.property", "field_definition": "property", "pair": "key"}
_JSX = "(parenthesized_expression [(jsx_element) (jsx_self_closing_element)]) @paren"

_JAVASCRIPT = Language(
    name="javascript",
    suffixes=(".js", ".jsx", ".mjs", ".cjs"),
    module="tree_sitter_javascript",
    query=_SCRIPT
    + _JSX
    + """
      (field_definition) @value
      (field_definition value: [(arrow_function) (function_expression)]) @function
      (arrow_function parameters: (formal_parameters . (identifier) .) @paren)
    """,
    names=_SCRIPT_NAMES,
    leads=frozenset({"decorator"}),
    loose=";",
    quotes=True,
)

_TYPED = (
    _SCRIPT
    + """
      (abstract_class_declaration) @class
      (interface_declaration) @type
      (type_alias_declaration) @type
      (enum_declaration) @type
      (function_signature) @function
      (method_signature) @function
      (abstract_method_signature) @function
      (public_field_definition) @value
      (public_field_definition value: [(arrow_function) (function_expression)]) @function
      (internal_module) @scope
      (arrow_function parameters: (formal_parameters . (required_parameter pattern: (identifier) !type !value) .) @paren)
      (union_type . "|" @cut)
"""
)

_TYPESCRIPT = Language(
    name="typescript",
    suffixes=(".ts", ".mts", ".cts"),
    module="tree_sitter_typescript",
    grammar="language_typescript",
    query=_TYPED,
    names=_SCRIPT_NAMES,
    leads=frozenset({"decorator"}),
    loose=";",
    quotes=True,
)

_TSX = Language(
    name="tsx",
    suffixes=(".tsx",),
    module="tree_sitter_typescript",
    grammar="language_tsx",
    query=_TYPED + _JSX,
    names=_SCRIPT_NAMES,
    leads=frozenset({"decorator"}),
    loose=";",
    quotes=True,
)

_GO = Language(
    name="go",
    suffixes=(".go",),
    module="tree_sitter_go",
    query="""
      (function_declaration) @function
      (method_declaration) @function
      (method_elem) @function
      (type_spec) @type
      (type_alias) @type
      (source_file (const_declaration (const_spec) @value))
      (source_file (var_declaration (var_spec) @value))
      (source_file (var_declaration (var_spec_list (var_spec) @value)))
      (comment) @cut
      (interpreted_string_literal) @string
      (raw_string_literal) @string
    """,
    names={},
    scopes={"method_declaration": "receiver"},
)

_RUST = Language(
    name="rust",
    suffixes=(".rs",),
    module="tree_sitter_rust",
    query="""
      (function_item) @function
      (function_signature_item) @function
      (macro_definition) @function
      (struct_item) @type
      (enum_item) @type
      (union_item) @type
      (trait_item) @type
      (type_item) @type
      (associated_type) @type
      (const_item) @value
      (static_item) @value
      (impl_item) @scope
      (line_comment) @cut
      (block_comment) @cut
      (string_literal) @string
      (raw_string_literal) @string
    """,
    names={"impl_item": "type"},
    bodies={"macro_definition": "macro_rule"},
    leads=frozenset({"attribute_item"}),
)

_JAVA = Language(
    name="java",
    suffixes=(".java",),
    module="tree_sitter_java",
    query="""
      (method_declaration) @function
      (constructor_declaration) @function
      (compact_constructor_declaration) @function
      (annotation_type_element_declaration) @function
      (class_declaration) @class
      (interface_declaration) @type
      (enum_declaration) @type
      (record_declaration) @type
      (annotation_type_declaration) @type
      (enum_constant) @value
      (field_declaration) @value
      (constant_declaration) @value
      (line_comment) @cut
      (block_comment) @cut
      (string_literal) @string
    """,
    names={"field_declaration": "declarator.name", "constant_declaration": "declarator.name"},
    bodies={
        "field_declaration": "declarator.value",
        "constant_declaration": "declarator.value",
        "enum_constant": "arguments",
    },
)

_C = """
      (function_definition) @function
      (struct_specifier name: (_) body: (_)) @type
      (union_specifier name: (_) body: (_)) @type
      (enum_specifier name: (_) body: (_)) @type
      (type_definition) @type
      (preproc_def) @value
      (preproc_function_def) @function
      (comment) @cut
      (string_literal) @string
"""
_C_NAMES = {"function_definition": "declarator", "type_definition": "declarator"}

_MORE = (
    Language(name="c", suffixes=(".c", ".h"), module="tree_sitter_c", query=_C, names=_C_NAMES),
    Language(
        name="cpp",
        suffixes=(".cc", ".cpp", ".cxx", ".hpp", ".hh"),
        module="tree_sitter_cpp",
        query=_C + "(class_specifier name: (_) body: (_)) @class (namespace_definition) @scope",
        names=_C_NAMES,
    ),
    Language(
        name="csharp",
        suffixes=(".cs",),
        module="tree_sitter_c_sharp",
        query="""
          (method_declaration) @function
          (constructor_declaration) @function
          (property_declaration) @value
          (class_declaration) @class
          (interface_declaration) @type
          (struct_declaration) @type
          (record_declaration) @type
          (enum_declaration) @type
          (comment) @cut
          (string_literal) @string
        """,
        names={},
    ),
    Language(
        name="ruby",
        suffixes=(".rb",),
        module="tree_sitter_ruby",
        query="""
          (method) @function
          (singleton_method) @function
          (class) @class
          (module) @class
          (program (assignment left: (constant)) @value)
          (class body: (body_statement (assignment left: (constant)) @value))
          (comment) @cut
          (string) @string
        """,
        names={"assignment": "left"},
        quotes=True,
    ),
    Language(
        name="php",
        suffixes=(".php",),
        module="tree_sitter_php",
        grammar="language_php",
        query="""
          (function_definition) @function
          (method_declaration) @function
          (class_declaration) @class
          (interface_declaration) @type
          (trait_declaration) @type
          (enum_declaration) @type
          (comment) @cut
          (string) @string
          (encapsed_string) @string
        """,
        names={},
    ),
    Language(
        name="bash",
        suffixes=(".sh", ".bash"),
        module="tree_sitter_bash",
        query="(function_definition) @function (comment) @cut (string) @string",
        names={},
    ),
)

LANGUAGES = (_PYTHON, _JAVASCRIPT, _TYPESCRIPT, _TSX, _GO, _RUST, _JAVA, *_MORE)
"""The first seven are installed with curator, the others with the extra ``languages``."""

_BY_SUFFIX = {suffix: language for language in LANGUAGES for suffix in language.suffixes}


def language_of(path: str) -> Language | None:
    """The language of a file by its name; ``None`` where there is no row for it.

    >>> language_of("src/app.tsx").name
    'tsx'
    """
    name = path.rpartition("/")[2]
    return _BY_SUFFIX.get(name[name.rfind(".") :].lower()) if "." in name else None
