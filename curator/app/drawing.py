"""The pictures of ``curator stats`` as an SVG file: plain, readable in any browser, with nothing fetched from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from curator.errors import CuratorError
from curator.io import files
from curator.stats import Bar

WIDTH, LINE, MARGIN = 960, 20, 16
"""Of the picture, of a line, and around all; in pixels, as all that follows."""
BARS, LONGEST, GAP = 300, 220, 12
"""Where bars begin, how long the longest is, and what lies between them and words."""
NAME, NOTE = 28, 62
"""Letters for which there is room."""
STYLE = """
text { font: 13px sans-serif; fill: #1f2328; }
.heading { font-weight: bold; } .figure { text-anchor: end; } .note { fill: #59636e; }
.full { fill: #3566b8; } .light { fill: #b6c9ea; } .ground { fill: #ffffff; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; } .note { fill: #9198a1; } .full { fill: #7aa7f0; } .light { fill: #35496d; } .ground { fill: #0d1117; } }
"""
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 has no place for (section 2.2)."""


def write(file: Path, title: str, pictures: Mapping[str, Sequence[Bar]]) -> None:
    """Draw the pictures into a file, in one step. Raises ``CuratorError``."""
    try:
        with files.draft(file) as path:
            path.write_text(svg(title, pictures), encoding="utf-8")
    except OSError as error:
        raise CuratorError(
            f"{file} can't be written: {error.strerror or error}.", "Name a file in a folder of yours."
        ) from error


def svg(title: str, pictures: Mapping[str, Sequence[Bar]]) -> str:
    """The pictures below each other, each with its heading."""
    rows = [_words(MARGIN, title, "heading")]
    for heading, bars in pictures.items():
        most = max(one.value for one in bars)
        rows += ["", _words(MARGIN, heading, "heading"), *(_bar(one, most) for one in bars)]
    height = 2 * MARGIN + LINE * len(rows)
    body = "".join(f'<g transform="translate(0 {MARGIN + LINE * at})">{row}</g>\n' for at, row in enumerate(rows) if row)
    size = f'width="{WIDTH}" height="{height}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {WIDTH} {height}" role="img">\n'
        f"<title>{_text(title)}</title>\n<style>{STYLE}</style>\n"
        f'<rect class="ground" {size}/>\n{body}</svg>\n'
    )


def _bar(one: Bar, most: float) -> str:
    full = one.value if one.part is None else one.part
    rectangles = "".join(
        f'<rect class="{kind}" x="{BARS}" y="3" width="{LONGEST * value / most:.1f}" height="13"/>'
        for kind, value in (("light", one.value), ("full", full))
        if value and (kind == "full" or full < one.value)
    )
    name, figure = _words(MARGIN, one.name, "name", NAME), _words(BARS - GAP, one.figure, "figure")
    return name + figure + rectangles + (_words(BARS + LONGEST + GAP, one.note, "note", NOTE) if one.note else "")


def _words(x: int, words: str, kind: str, room: int = 200) -> str:
    """A text from ``x`` on; one of more letters than there is room for is cut, and whole in its tooltip."""
    cut = len(words) > room
    shown, whole = (f"{words[: room - 1]}…", f"<title>{_text(words)}</title>") if cut else (words, "")
    return f'<text class="{kind}" x="{x}" y="14">{whole}{_text(shown)}</text>'


def _text(words: str) -> str:
    return escape(_NOT_XML.sub("", words))
