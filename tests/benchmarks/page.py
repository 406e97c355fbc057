"""docs/notebook/benchmarks.md: sections that scripts of their own write, each behind a mark."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "notebook" / "benchmarks.md"


def put(mark: str, text: str) -> None:
    """Replace the section behind a mark, an HTML comment, or add it at the end; all others stay as they are."""
    parts = re.split(r"^(?=<!-- )", PAGE.read_text("utf-8"), flags=re.MULTILINE)
    section = f"{mark}\n{text.rstrip()}"
    kept = [section if part.startswith(mark) else part.rstrip() for part in parts]
    PAGE.write_text("\n\n".join(kept if section in kept else [*kept, section]) + "\n", "utf-8")
