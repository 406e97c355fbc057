from __future__ import annotations

import re

from curator.lesson_files import file_name, parse, render
from curator.lesson_files.lesson import KEYS
from curator.model import Anchor, Category, Role, Snippet, State
from tests.files import TOP

DOC = TOP / "docs" / "lesson-files.md"


def test_the_example_of_the_format_is_what_we_write() -> None:
    text = DOC.read_text("utf-8")
    found = re.search(r"The file `(.+)`:\n\n````markdown\n(.*?)````\n", text, re.DOTALL)
    assert found
    entry = parse(found[2], found[1])
    assert render(entry) == found[2]
    assert file_name(entry) == found[1]
    assert (entry.id, entry.category, entry.state, entry.scope) == ("7K3F-Q2MD", Category.CONSTRAINT, State.ACTIVE, "paths")
    closes = "It closes the pool under every other request. Use `drain()` and let the supervisor restart the worker."
    assert entry.insight == closes
    quotes = [(quote.role, quote.line, quote.line_end) for quote in entry.evidence]
    assert quotes == [(Role.HUMAN, 118, 118), (Role.TOOL_RESULT, 97, 99)]
    assert entry.snippets == (Snippet("pool.drain(timeout=5)", "python", "Call this instead:"),)
    assert entry.coexists == (("4TTN-8K2W", "that one is about tests: they own their pool"),)
    anchor = Anchor(path="src/shop/pool.py", symbol="Pool.reset", lang="python", signature="4ba1f7c0d92e5a36")
    anchor = anchor._replace(body="90c3de7715f8ab42", commit="83baae61804e65cc73a7201a7252750c76066a30")
    assert entry.anchors == (anchor,)
    assert "reviewed_by: ann" in entry.extra


def test_every_key_and_word_of_the_format_is_told() -> None:
    text = DOC.read_text("utf-8")
    for word in (*KEYS, *Category, *Role):
        assert f"`{word}`" in text
