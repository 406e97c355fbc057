"""``curator review --split``: open the inbox in a split of the terminal, next to the calling agent."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence

from curator.errors import CuratorError
from curator.io import files, git

TERMINALS = {
    "TMUX": ("tmux", "split-window", "-h", "-c", "{folder}"),
    "ZELLIJ": ("zellij", "run", "--direction", "right", "--close-on-exit", "--cwd", "{folder}", "--"),
    "WEZTERM_PANE": ("wezterm", "cli", "split-pane", "--right", "--cwd", "{folder}", "--"),
    "KITTY_LISTEN_ON": ("kitten", "@", "launch", "--location=vsplit", "--cwd", "{folder}"),
}
"""The environment variable of each terminal → the command that opens a split there."""
SECONDS = 10.0


def split(folder: str, arguments: Sequence[str], env: Mapping[str, str] = os.environ) -> str:
    """Open the inbox of a folder in a split. Return a message, which says how to open it by hand if there is no split.

    Raises ``CuratorError`` if the terminal refuses.
    """
    home = [f"CURATOR_HOME={env['CURATOR_HOME']}"] if "CURATOR_HOME" in env else []  # The terminal may not have this command.
    inbox = [*(["env", *home] if home else ()), sys.executable, "-EP", "-m", "curator", *arguments]
    for variable, (name, *words) in TERMINALS.items():
        program = files.find_program(name, env, outside=git.untrusted_folders(folder)) if env.get(variable) else None
        if program:
            # tmux runs the text of #(…) in a folder's name, and a folder inside a clone may have any name.
            safe = folder.replace("#", "##") if variable == "TMUX" else folder
            run([program, *(safe if word == "{folder}" else word for word in words), *inbox], env)
            return "The inbox is open next to this session."
    by_hand = shlex.join(["cd", folder]) + " && " + shlex.join(["curator", *arguments])
    return f"There is no tmux, Zellij, WezTerm or kitty around this session. Run this in a second terminal:\n\n    {by_hand}"


def run(words: Sequence[str], env: Mapping[str, str]) -> None:
    """Ask a terminal. Raises ``CuratorError``."""
    try:
        process = subprocess.run(
            words, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise CuratorError(f"{words[0]} can't be run: {error}.", "Run `curator` in a second terminal.") from error
    if process.returncode:
        reason = process.stderr.strip() or f"it ended with {process.returncode}"
        raise CuratorError(f"{words[0]} opened no split: {reason}", "Run `curator` in a second terminal.")
