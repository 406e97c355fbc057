"""Files that are the old ones or the new ones, whoever else writes them and whatever fails on the way."""

from __future__ import annotations

import os
from pathlib import Path

from curator import clock


def write(file: Path, text: str) -> None:
    """Put a file of ours in place in one step; its folder is made where it is missing. Raises ``OSError``.

    What UTF-8 can't say becomes a question mark. Each writer has a draft of its own: two at once would else move half a file.
    """
    file.parent.mkdir(0o700, parents=True, exist_ok=True)
    draft = file.with_name(f".{file.name}-{clock.new_id()}.tmp")
    try:
        draft.write_text(text, encoding="utf-8", errors="replace")
        os.replace(draft, file)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
