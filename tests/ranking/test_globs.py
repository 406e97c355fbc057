"""Where a lesson holds, against files; the matcher is held against regular expressions, which hooks can't afford."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.ranking.rank import depth, matches

NAMES = st.text(alphabet="ab.*?", min_size=1, max_size=4).filter(lambda name: name.strip(".") and "**" not in name)
GLOBS = st.lists(NAMES | st.just("**"), min_size=2, max_size=5)
PATHS = st.lists(st.text(alphabet="ab.", min_size=1, max_size=4).filter(lambda name: name.strip(".")), min_size=1, max_size=5)


@given(glob=GLOBS, path=PATHS)
@settings(max_examples=400)
def test_it_matches_what_a_regular_expression_does(glob: list[str], path: list[str]) -> None:
    if not set("*?").intersection(glob[-1]):
        glob = [*glob, "**"]  # here a glob without wildcards at its end has what lies below
    parts = [".*" if part == "**" else re.escape(part).replace(r"\*", "[^/]*").replace(r"\?", "[^/]") for part in glob]
    pattern = "".join(part + "/" if part != ".*" else "(?:[^/]+/)*" for part in parts)
    expected = re.fullmatch(pattern, "/".join(path) + "/") is not None
    assert matches("/".join(glob), path) == expected


@pytest.mark.parametrize(
    ("glob", "file", "deep"),
    [
        ("src/http/**", "src/http/a/b.py", 2.0),
        ("src/http", "src/http/a.py", 2.0),
        ("src/http/", "src/http/a.py", 2.0),
        ("src/**/*.ts", "src/deep/down/a.ts", 1.0),
        ("*.{ts,tsx}", "web/a.tsx", 0.5),
        ("*.ts", "web/a.tsx", 0.0),
        ("=src/a.py", "src/a.py", 2.0),
        ("=src/a.py", "src/b.py", 0.5),
        ("=src", "src/b.py", 1.0),
        ("=setup.py", "other.py", 0.0),
        ("", "src/a.py", 0.0),
        ("{" * 60, "a", 0.0),
        ("*" * 60 + "x", "a" * 60, 0.0),
    ],
)
def test_the_deeper_the_place_the_more_it_says(glob: str, file: str, deep: float) -> None:
    assert depth([glob], file) == deep
