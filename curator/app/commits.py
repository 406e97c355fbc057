"""Who changed the code of a lesson, when and why, as git tells it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from curator.io import git
from curator.model import Entry, Finding
from curator.text import redact

MOST = 5


def commits(folder: Path, entry: Entry, finding: Finding) -> Sequence[str]:
    """The commits since a lesson's anchor that touched what a finding is about, newest first: ``hash date author: subject``.

    Empty where git knows none; nothing is asked for what no commit can name.
    """
    anchor = next((one for one in entry.anchors if one.subject == (finding.path, finding.symbol)), None)
    since = anchor.commit if anchor and anchor.commit.isalnum() else ""
    paths = [path for path in (finding.path, finding.new_path) if path]
    told = git.ask(
        folder,
        "log",
        f"--max-count={MOST}",
        "--date=short",
        "--format=%h %ad %an: %s",
        *([f"{since}..HEAD"] if since else ["HEAD"]),
        "--",
        *(f":(literal){path}" for path in paths),
    )
    return [redact.clean(line) for line in git.lines(told)]
