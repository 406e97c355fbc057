"""The command ``curator``: joins the two faces, which do not know each other."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curator.service import Curator


def open_inbox(
    curator: Curator, *, session: str = "", roots: Sequence[Path] | None = None, watch: bool = True, screen: str = "inbox"
) -> str:
    """Open the inbox, or another screen, until the person leaves; answers what they asked for on leaving (``demo``)."""
    from curator.tui import run

    return run(curator, session=session, roots=roots, watch=watch, screen=screen)


def smoke(curator: Curator) -> list[str]:
    """Press every kind of verdict in a headless inbox on the demo; the sentences say what did not work."""
    from curator.tui.smoke import press

    return press(curator)


def themes() -> Sequence[str]:
    """The names of the colour themes."""
    from curator.tui import themes

    return themes()


def main() -> int:
    """Run the command line; returns its exit code."""
    from curator.cli import Faces, run

    return run(sys.argv[1:], Faces(inbox=open_inbox, smoke=smoke, themes=themes))


if __name__ == "__main__":
    sys.exit(main())
