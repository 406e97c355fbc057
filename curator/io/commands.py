"""Run a person's own command or editor: no shell, and no program that a clone brings."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from curator.errors import CuratorError
from curator.io import files, git
from curator.text.clean import strip

SECONDS = 60.0
"""How long a command may take whose output is shown."""
LARGEST = 1 << 16
"""Bytes of output that are shown, the last ones."""
PLACES = ("id", "file", "line", "headline", "folder")
_PLACE = re.compile(rf"\{{({'|'.join(PLACES)})\}}")


@dataclass(frozen=True, slots=True)
class Result:
    """What a command printed, errors among it, and its exit code."""

    output: str
    code: int


def split(line: str) -> list[str]:
    """A command line as words. Raises ``CuratorError`` where a quote is left open, or nothing is there."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise CuratorError(f"The command {line!r} can't be split into words: {error}.", "Close the quote.") from error
    if not words:
        raise CuratorError("A command is empty.", "Name a program in settings.toml, or remove the line.")
    return words


def places(line: str) -> frozenset[str]:
    """The placeholders that a command line has."""
    return frozenset(_PLACE.findall(line))


def fill_words(line: str, values: Mapping[str, str]) -> list[str]:
    """The words of a command line with what its placeholders stand for; split before that, so a value is never two words.

    A value that would begin a word with a hyphen loses it: words of a transcript must not become options.

    >>> fill_words("gh issue create --title {headline}", {"headline": "-f Use uv; rm x"})
    ['gh', 'issue', 'create', '--title', 'f Use uv; rm x']
    """

    def value(found: re.Match[str]) -> str:
        text = " ".join(strip(values[found[1]]).split())
        return text if found.start() else text.lstrip("-")

    program, *rest = split(line)
    return [program, *(_PLACE.sub(value, word) for word in rest)]


def locate_program(words: Sequence[str], folder: Path) -> list[str]:
    """The words with the program's whole path. Raises ``CuratorError`` where it is not there, or lies in the project."""
    path = files.find_program(words[0], outside=git.trees(folder))
    if path is None:
        raise CuratorError(
            f"There is no program {words[0]!r}.", "Programs are looked for on the PATH, outside the project; see settings.toml."
        )
    return [path, *words[1:]]


def environment(folder: Path) -> dict[str, str]:
    """Return the variables for a program that runs in a folder: its ``PATH`` names nothing in the project."""
    return {**os.environ, "PATH": files.outer_path(os.environ.get("PATH", os.defpath), git.trees(folder))}


def locate_editor(folder: Path, fallback: str = "") -> list[str]:
    """Return the words of $VISUAL, $EDITOR or the fallback, with the program's whole path.

    Raises ``CuratorError`` where none is set, or it is not there, or it lies in the project.
    """
    line = os.environ.get("VISUAL") or os.environ.get("EDITOR") or fallback
    if not line:
        raise CuratorError("No editor is set.", "Set $EDITOR, or press e to edit in place.")
    return locate_program(split(line), folder)


def edit(text: str, name: str, run: Callable[[Path], object]) -> str | None:
    """Return the text as it is after ``run`` was given a file with this name and text; ``None`` where nothing was changed."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.write_text(text, encoding="utf-8")
        run(file)
        after = file.read_text(encoding="utf-8", errors="replace")
    return after if after != text else None


def show(words: Sequence[str], folder: Path) -> Result:
    """Run a command, its program by its whole path, for its output.

    Raises ``CuratorError`` where it can't be run or takes too long.
    """
    with tempfile.TemporaryFile() as output:
        try:
            code = subprocess.run(
                words,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment(folder),
                timeout=SECONDS,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired as error:
            raise CuratorError(
                f"{words[0]} was ended after {SECONDS:g} s.", "What takes longer belongs under [terminal_commands]."
            ) from error
        except (OSError, ValueError) as error:
            raise CuratorError(f"{words[0]} can't be run: {error}.", "See settings.toml.") from error
        output.seek(max(0, output.seek(0, 2) - LARGEST))
        return Result(strip(output.read().decode("utf-8", "replace")), code)


def attend(words: Sequence[str], folder: Path) -> int:
    """Run a command that has the terminal to itself; its exit code. Raises ``CuratorError`` where it can't be run."""
    try:
        return subprocess.run(words, cwd=folder, env=environment(folder), check=False).returncode
    except (OSError, ValueError) as error:
        raise CuratorError(f"{words[0]} can't be run: {error}.", "See settings.toml.") from error
