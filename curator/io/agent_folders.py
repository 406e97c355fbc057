"""The folders of editors and agents that several readers need: editors' data, and agents' commands.

Visual Studio Code and its derivatives keep the data of extensions and chats in ``User`` folders. Agents' commands are custom
prompts, slash commands and workflows, in a project and at home. A repository can hold any file. curator therefore reads few of
them, of limited size, and follows no link out of the folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from pathlib import Path
from urllib.parse import unquote, urlsplit

from curator.io import files

EDITORS = ("Code", "Code - Insiders", "Code - OSS", "VSCodium", "Cursor", "Windsurf", "Trae", "Antigravity", "Kiro")
"""Names of the editors, as their folders have them."""

_SERVERS = (
    ".vscode-server",
    ".vscode-server-insiders",
    ".vscode-remote",
    ".cursor-server",
    ".windsurf-server",
    ".vscodium-server",
)


def user_folders(home: Path, env: Mapping[str, str], names: Sequence[str] = EDITORS) -> tuple[Path, ...]:
    """Return the ``User`` folders of these editors on each system, whether or not they exist. Folders of servers are included
    unless ``names`` is given.
    """
    config = Path(env["XDG_CONFIG_HOME"]) if env.get("XDG_CONFIG_HOME") else home / ".config"
    bases = [config, home / "Library" / "Application Support"]
    bases += [Path(env["APPDATA"])] if env.get("APPDATA") else []
    found = [base / name / "User" for base in bases for name in names]
    if names is EDITORS:
        found += [home / server / "data" / "User" for server in _SERVERS]
    return tuple(found)


def folder_of(uri: object) -> str:
    """Return the path of a ``file:`` or ``vscode-remote:`` address. Return an empty text for anything else.

    >>> folder_of("file:///home/me/my%20app")
    '/home/me/my app'
    >>> folder_of("file:///c%3A/work")
    'c:/work'
    """
    if not isinstance(uri, str) or "://" not in uri:
        return ""
    try:
        path = unquote(urlsplit(uri).path)
    except ValueError:
        return ""
    return path[1:] if path[2:3] == ":" else path


IN_PROJECT = (
    *(".claude/commands", ".codex/prompts", ".gemini/commands", ".qwen/commands", ".cursor/commands", ".clinerules/workflows"),
    *(".opencode/command", ".opencode/commands", ".github/prompts", ".continue/prompts", ".agent/workflows"),
)
AT_HOME = (
    *(
        ".claude/commands",
        ".codex/prompts",
        ".gemini/commands",
        ".qwen/commands",
        ".cursor/commands",
        "Documents/Cline/Workflows",
    ),
    *(".config/opencode/command", ".config/opencode/commands", ".continue/prompts"),
)
ENDINGS = (".md", ".toml", ".prompt")
MAX_FOLDERS, MAX_FILES, MAX_BYTES = 50, 200, 64 << 10
"""Folders and files of one place of commands, and bytes of one file. Larger ones are left out."""
MAX_PARENTS = 12
"""Maximum number of folders above a session's folder that are searched for commands."""


def command_texts(folder: str, home: Path, env: Mapping[str, str]) -> tuple[str, ...]:
    """Return the texts of the commands that an agent in this folder knows: its repository's and the person's own."""
    places = [(top, top / name) for top in _repository(folder) for name in IN_PROJECT]
    places += [(home, home / name) for name in AT_HOME]
    if codex := env.get("CODEX_HOME"):
        places.append((Path(codex), Path(codex, "prompts")))
    found: list[str] = []
    for root, place in places:
        with suppress(OSError, ValueError):  # a folder's name may be no text
            found += _texts(place, root, place.stat().st_mtime_ns)
    return tuple(found)


def _repository(folder: str) -> list[Path]:
    """Return the folder and those above it, up to the top of its repository. Outside a repository, return only the folder."""
    if not os.path.isabs(folder) or "\0" in folder:
        return []
    path = Path(folder)
    above = [path, *islice(path.parents, MAX_PARENTS)]
    top = next((number for number, one in enumerate(above) if os.path.lexists(one / ".git")), 0)
    return above[: top + 1]


@lru_cache(maxsize=12)
def _texts(place: Path, root: Path, changed: int) -> tuple[str, ...]:
    """Return the texts of the commands in a folder that was last ``changed`` then. A scan asks with each transcript."""
    paths = (Path(folder, name) for folder, _, names in islice(os.walk(place), MAX_FOLDERS) for name in names)
    found: list[str] = []
    for path in islice((path for path in paths if path.name.endswith(ENDINGS)), MAX_FILES):
        with suppress(OSError, ValueError):  # a link that leads out, a file that is too large or no text
            text = files.read(path, root, MAX_BYTES).decode("utf-8-sig")
            found += filter(None, [_prompt_of(text) if path.suffix == ".toml" else text])
    return tuple(found)


_PROMPT = re.compile(r"""(?m)^prompt\s*=\s*("{3}|'{3}|"|')\n?""")


def _prompt_of(text: str) -> str:
    """Return the prompt of a command in TOML, or an empty text. A parser would take minutes for a hostile file."""
    start = _PROMPT.search(text)
    end = text.find(start[1], start.end()) if start else -1
    return text[start.end() : end] if start and end >= 0 else ""
