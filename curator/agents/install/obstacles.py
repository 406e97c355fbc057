"""The obstacles to curator's hooks in an agent's settings: disabled hooks, a policy that forbids them, or curator's plugin."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from curator.agents.install import json_edit
from curator.agents.install.catalog import folder
from curator.errors import MalformedFile

CLAUDE_POLICIES = (
    Path("/etc/claude-code/managed-settings.json"),
    Path("/Library/Application Support/ClaudeCode/managed-settings.json"),
)


PLUGIN = "curator@curator"
"""Our plugin as agents name it: the plugin, and the marketplace that this repository is."""


def obstacles(agent: str, home: Path, env: Mapping[str, str], top: Path) -> Iterator[str]:
    """Return sentences, each naming its file. Unreadable files are skipped."""
    if agent == "claude-code":
        yield from _claude(folder(env, "CLAUDE_CONFIG_DIR", home / ".claude"), top)
    elif agent == "codex":
        yield from _codex(folder(env, "CODEX_HOME", home / ".codex"), top)
    elif agent in ("gemini", "qwen"):
        qwen, gemini = folder(env, "QWEN_HOME", home / ".qwen"), folder(env, "GEMINI_CLI_HOME", home) / ".gemini"
        own = qwen if agent == "qwen" else gemini
        for file in (own / "settings.json", top / f".{agent}" / "settings.json"):
            yield from _switches(file)
    elif agent in ("copilot-cli", "vscode-copilot"):
        own = folder(env, "COPILOT_HOME", home / ".copilot")
        for file in (own / "settings.json", own / "config.json", top / ".github" / "copilot" / "settings.json"):
            yield from _switches(file)


def plugin(agent: str, home: Path, env: Mapping[str, str]) -> Path | None:
    """Return the file that shows that an agent has curator's plugin, with hooks and server. Return ``None`` if it has none."""
    if agent == "codex":
        file = folder(env, "CODEX_HOME", home / ".codex") / "config.toml"
        entry = _member(_member(_toml(file), "plugins"), PLUGIN)
        return file if entry and entry.get("enabled") is not False else None
    if agent == "qwen":
        file = folder(env, "QWEN_HOME", home / ".qwen") / "extensions" / "curator" / "qwen-extension.json"
        return file if os.path.isfile(file) else None
    folders = {"claude-code": ("CLAUDE_CONFIG_DIR", ".claude"), "copilot-cli": ("COPILOT_HOME", ".copilot")}
    if agent not in folders:
        return None
    variable, usual = folders[agent]
    file = folder(env, variable, home / usual) / "settings.json"
    return file if _member(_json(file), "enabledPlugins").get(PLUGIN) is True else None


def _member(table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = table.get(key)
    return value if isinstance(value, Mapping) else {}


def _claude(own: Path, top: Path) -> Iterator[str]:
    for file in (own / "settings.json", top / ".claude" / "settings.json", top / ".claude" / "settings.local.json"):
        yield from _switches(file)
    for file in CLAUDE_POLICIES:
        yield from _switches(file)
        if _json(file).get("allowManagedHooksOnly") is True:
            yield f"{file} allows only the organisation's hooks"


def _codex(own: Path, top: Path) -> Iterator[str]:
    for file in (own / "config.toml", top / ".codex" / "config.toml"):
        features = _toml(file).get("features")
        for key in ("hooks", "codex_hooks"):
            if isinstance(features, dict) and features.get(key) is False:
                yield f"{file} says {key} = false under [features]"


def _switches(file: Path) -> Iterator[str]:
    data = _json(file)
    if data.get("disableAllHooks") is True:
        yield f"{file} says disableAllHooks: true"
    config = data.get("hooksConfig")
    if isinstance(config, dict):
        if config.get("enabled") is False:
            yield f"{file} says hooksConfig.enabled: false"
        if "curator" in (config.get("disabled") or ()):
            yield f"{file} lists curator in hooksConfig.disabled"


def _json(file: Path) -> Mapping[str, Any]:
    try:
        return json_edit.load(_text(file), str(file))
    except MalformedFile:
        return {}


def _toml(file: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(_text(file))
    except tomllib.TOMLDecodeError:
        return {}


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig") if os.path.isfile(file) else ""
    except (OSError, UnicodeDecodeError):
        return ""
