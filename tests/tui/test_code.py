"""What differs between two texts, and changed code as lines."""

from __future__ import annotations

import pytest

from curator.tui.styles import Palette, palette_of
from curator.tui.text import mark_words, patch, steps


@pytest.fixture
def palette() -> Palette:
    return palette_of({}, dark=True)


def test_texts_that_share_little_are_not_cut_into_islands(palette: Palette) -> None:
    old = "The current runner of `sql.js` calls all database operations synchronously"
    new = "To avoid blocking, the best practice is to move all database operations into a worker"
    assert [mark for text in mark_words(old, new, palette) for mark in text.spans if "underline" in str(mark.style)] == []
    old, new = "Run the unit tests before any push to main", "Run all of the slow tests before any push to main"
    assert [part.strip() for part in steps(old, new)[1][1:]] == ["the unit", "all of the slow"]


def test_replaced_lines_show_the_words_that_differ(palette: Palette) -> None:
    diff = "--- a.py\n+++ a.py\n@@ -3,3 +3,3 @@\n def f():\n-    return 30\n+    return 60\n-    gone()\n"
    lines = patch(diff, "a.py", palette)
    assert [line.plain for line in lines] == ["  def f():", "-     return 30", "+     return 60", "-     gone()"]
    marked = [line.plain[span.start : span.end] for line in lines[1:3] for span in line.spans if "underline" in str(span.style)]
    assert marked == ["30", "60"]
