"""Files in which people tell agents what to do: whose they are, and for which part of the project they hold.

The names are those of the agents' own documentation, as of 2026.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from curator.io import files
from curator.text.clean import unreadable

# fmt: off
PASSED_OVER = frozenset((
    "node_modules", ".git", ".hg", ".venv", "venv", "__pycache__", ".tox", ".mypy_cache", "dist", "build", "target", ".next",
    ".cache", "site-packages", ".curator",
))
# fmt: on
DEPTH = 12
"""Folders below the one given that are looked into."""

# fmt: off
NAMES = {
    "CLAUDE.md": "claude-code", "CLAUDE.local.md": "claude-code",
    "AGENTS.md": "codex", "AGENTS.override.md": "codex", "AGENT.md": "codex",
    "GEMINI.md": "gemini", "QWEN.md": "qwen",
    ".cursorrules": "cursor", ".windsurfrules": "windsurf", ".clinerules": "cline", ".roorules": "cline",
    ".continuerules": "continue", ".goosehints": "goose", ".rules": "zed",
    "CONVENTIONS.md": "aider",
}
"""Names of files that hold for the folder in which they lie, and whose they are."""

FOLDERS = (
    (".claude", re.compile(r"CLAUDE\.md|rules/.+\.md"), "claude-code"),
    (".cursor", re.compile(r"rules/.+\.mdc?"), "cursor"),
    (".github", re.compile(r"copilot-instructions\.md|instructions/.+\.instructions\.md"), "copilot-cli"),
    (".windsurf", re.compile(r"rules/.+\.md"), "windsurf"),
    (".clinerules", re.compile(r"(?!workflows/|hooks/).+\.(?:md|txt)"), "cline"),
    (".roo", re.compile(r"rules[\w-]*/.+\.(?:md|txt)"), "cline"),
    (".continue", re.compile(r"rules/.+\.md"), "continue"),
    (".junie", re.compile(r"guidelines\.md"), "junie"),
)
"""Folders of agents, which files in them are rules, and whose; they hold for the folder in which that folder lies."""
# fmt: on

AIDER = ".aider.conf.yml"


@dataclass(frozen=True, slots=True)
class RulesFile:
    """A file of rules: where it is, its path within the project, whose it is, the folder for which it holds (empty: all)."""

    path: Path
    name: str
    agent: str
    folder: str


def find(folder: Path, top: Path | None = None) -> list[RulesFile]:
    """The rules files in a folder and below, sorted by path; one that is a link to another is left out.

    So is a link that leads out of the folder. Names are relative to ``top``, the project's folder, where it lies above. Folders
    that can't be read are passed over, and repositories within the repository, which are other people's.
    """
    top = top if top and folder.is_relative_to(top) else folder
    found: dict[Path, RulesFile] = {}
    for path in _paths(folder):
        name = PurePosixPath(path.relative_to(top))
        agent = _agent(name)
        if agent or (path.name == AIDER and path.is_file()):
            for each, whose in [(path, agent)] if agent else _named_by(path, top):
                where = PurePosixPath(each.relative_to(top))
                found.setdefault(each.resolve(), RulesFile(each, str(where), whose, _folder_of(where)))
    return sorted(found.values(), key=lambda item: item.name)


def _paths(folder: Path) -> Iterator[Path]:
    """Every file below that could be one, links last, so that the file itself is known by its own name."""
    links: list[Path] = []
    for here, folders, names in os.walk(folder):
        depth = len(Path(here).relative_to(folder).parts)
        inner = [name for name in folders if not os.path.exists(os.path.join(here, name, ".git"))]
        folders[:] = sorted(name for name in inner if name not in PASSED_OVER and depth < DEPTH)
        for name in sorted(names):
            path = Path(here, name)
            if path.is_symlink():
                links += [path] if files.inside(path, folder) else []
            elif path.is_file():
                yield path
    yield from (path for path in links if path.is_file())


def _agent(name: PurePosixPath) -> str:
    if name.name in NAMES:
        return NAMES[name.name]
    for place, pattern, agent in FOLDERS:
        if place in name.parts[:-1]:
            inside = "/".join(name.parts[name.parts.index(place) + 1 :])
            return agent if pattern.fullmatch(inside) else ""
    return ""


def _folder_of(name: PurePosixPath) -> str:
    """The folder for which a rules file holds: that in which it, or the agent's folder around it, lies."""
    for place, _, _ in FOLDERS:
        if place in name.parts[:-1]:
            name = PurePosixPath(*name.parts[: name.parts.index(place) + 1])
    return "" if str(name.parent) == "." else str(name.parent)


def _named_by(conf: Path, top: Path) -> Iterator[tuple[Path, str]]:
    """The Markdown files that aider is told to read, by its settings (``read: a.md``, ``read: [a.md, b.md]`` or a list)."""
    import yaml

    try:
        text = files.read(conf, top).decode("utf-8")
        fields = {} if unreadable(text) else yaml.safe_load(text)
        named = fields.get("read", []) if isinstance(fields, dict) else []
    except (OSError, ValueError, yaml.YAMLError):
        return
    for name in [named] if isinstance(named, str) else named if isinstance(named, list) else []:
        path = conf.parent / str(name)
        if path.suffix in (".md", ".txt") and path.is_file() and path.resolve().is_relative_to(top.resolve()):
            yield conf.parent / str(name), "aider"
