"""Imports inside functions: each says its reason, since a reader looks for imports at the top."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import curator

PACKAGE = Path(curator.__file__).parent
INDENTED = re.compile(r"^ +(?:from|import) ", re.MULTILINE)
HOOK_PATH = (
    "__main__.py",
    "agents/dialects.py",
    "agents/spool.py",
    "hooks.py",
    "model/__init__.py",
    "store/__init__.py",
    "store/hook_reader.py",
)
"""Modules that load nothing before they need it. Their docstrings or docs/architecture.md say why."""


def imports_in_functions(file: Path) -> Iterator[str]:
    """The lines of imports inside functions."""
    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text if INDENTED.search(text) else "")
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    found = {node.lineno for each in functions for node in ast.walk(each) if isinstance(node, ast.Import | ast.ImportFrom)}
    yield from (text.splitlines()[number - 1].strip() for number in sorted(found))


def test_an_import_in_a_function_says_its_reason() -> None:
    files = (file for file in PACKAGE.rglob("*.py") if file.relative_to(PACKAGE).as_posix() not in HOOK_PATH)
    bare = [f"{file}: {line}" for file in files for line in imports_in_functions(file) if "  # " not in line]
    assert bare == []
