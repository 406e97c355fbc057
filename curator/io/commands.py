"""Run a person's editor and other programs: no shell, and no program that a clone brings."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from curator.errors import CuratorError
from curator.io import files, git
from curator.model import Entry


def split(line: str) -> list[str]:
    """Return a command line as words. Raises ``CuratorError`` if a quote is left open, or nothing is there."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise CuratorError(f"The command {line!r} can't be split into words: {error}.", "Close the quote.") from error
    if not words:
        raise CuratorError("The command is empty.", "Name a program in settings.toml.")
    return words


def locate_program(words: Sequence[str], folder: Path) -> list[str]:
    """Return the words with the program's full path. Raises ``CuratorError`` if it is missing or in the project."""
    path = files.find_program(words[0], outside=git.untrusted_folders(folder))
    if path is None:
        raise CuratorError(f"There is no program {words[0]!r}.", "curator looks for programs on the PATH, outside the project.")
    return [path, *words[1:]]


def environment(folder: Path) -> dict[str, str]:
    """Return the variables for a program that runs in a folder: its ``PATH`` names nothing in the project."""
    return {**os.environ, "PATH": files.outer_path(os.environ.get("PATH", os.defpath), git.untrusted_folders(folder))}


def locate_editor(folder: Path, fallback: str = "") -> list[str]:
    """Return the words of $VISUAL, $EDITOR or the fallback, with the program's full path.

    Raises ``CuratorError`` if none is set, or if the program is missing or in the project.
    """
    line = os.environ.get("VISUAL") or os.environ.get("EDITOR") or fallback
    if not line:
        raise CuratorError("No editor is set.", "Set $EDITOR, or press e to edit here.")
    return locate_program(split(line), folder)


def edit(entry: Entry, run: Callable[[Path], object]) -> tuple[str, str] | None:
    """Return headline and insight after ``run`` has edited a file with both. Return ``None`` if nothing changed."""
    before = f"{entry.headline}\n\n{entry.insight}\n"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{entry.id}.md"
        file.write_text(before, encoding="utf-8")
        run(file)
        after = file.read_text(encoding="utf-8", errors="replace")
    headline, _, insight = after.strip().partition("\n")
    return (headline.strip(), " ".join(insight.split())) if after != before else None


def run_in_terminal(words: Sequence[str], folder: Path) -> int:
    """Run a command that has the terminal to itself. Return its exit code. Raises ``CuratorError`` if it can't be run."""
    try:
        return subprocess.run(words, cwd=folder, env=environment(folder), check=False).returncode
    except (OSError, ValueError) as error:
        raise CuratorError(f"{words[0]} can't be run: {error}.", "Check settings.toml.") from error
