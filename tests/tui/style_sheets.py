"""Style sheets that are parsed once: each application of a process has the same ones, and parsing them takes long."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet


@contextmanager
def parsed_once() -> Iterator[None]:
    """Keep what Textual parses during the block."""
    parse, parsed = Stylesheet._parse_rules, dict[Any, list[RuleSet]]()

    def remembered(sheet: Stylesheet, *text: Any, **more: Any) -> list[RuleSet]:
        key = (text, *more.items(), *sheet._variables.items())
        if key not in parsed:
            parsed[key] = parse(sheet, *text, **more)
        return parsed[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", remembered)
        yield
