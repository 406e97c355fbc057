"""The folders in which Visual Studio Code and its derivatives keep the data of extensions and chats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

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
    """Return the ``User`` folders of these editors on each system, whether or not they exist; servers included unless ``names``
    is given.
    """
    config = Path(env["XDG_CONFIG_HOME"]) if env.get("XDG_CONFIG_HOME") else home / ".config"
    bases = [config, home / "Library" / "Application Support"]
    bases += [Path(env["APPDATA"])] if env.get("APPDATA") else []
    found = [base / name / "User" for base in bases for name in names]
    if names is EDITORS:
        found += [home / server / "data" / "User" for server in _SERVERS]
    return tuple(found)


def folder_of(uri: object) -> str:
    """Return the path of a ``file:`` or ``vscode-remote:`` address, empty for anything else.

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
