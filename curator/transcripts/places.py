"""The places where each agent keeps its transcripts, whether they exist or not. Most formats need no other place."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from os.path import isdir, isfile  # those of Path raise where a folder may not be entered
from pathlib import Path

from curator.io import agent_folders, sqlite

HISTORY = ".aider.chat.history.md"
"""Aider's name for a project's history."""

CRUSH = "crush.db"
"""Crush's name for a project's database."""

THREADS = "threads.db"
"""Zed's name for its database."""

STATE = "state.vscdb"
"""The database of an editor made of Visual Studio Code."""

_EXTENSIONS = ("saoudrizwan.claude-dev", "saoudrizwan.cline-nightly", "rooveterinaryinc.roo-cline", "kilocode.kilo-code")
_EDITORS = ("Code", "Code - Insiders", "Code - OSS", "VSCodium")


def _folder(env: Mapping[str, str], variable: str, usual: Path) -> Path:
    """Return the folder that a variable names, or else the usual one."""
    return Path(os.path.expanduser(env[variable])) if env.get(variable) else usual


def _data(home: Path, env: Mapping[str, str]) -> Path:
    """Return the folder of application data."""
    return _folder(env, "XDG_DATA_HOME", home / ".local" / "share")


def _here(env: Mapping[str, str]) -> tuple[Path, ...]:
    """Return the current folder and those above it."""
    here = Path(env.get("PWD") or Path.cwd())
    return (here, *here.parents)


def aider(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """Return the history in ``AIDER_CHAT_HISTORY_FILE``, or else that of the project around ``PWD``."""
    histories = [folder / HISTORY for folder in _here(env)]
    if env.get("AIDER_CHAT_HISTORY_FILE"):
        return (histories[0].parent / os.path.expanduser(env["AIDER_CHAT_HISTORY_FILE"]),)
    return (next(filter(isfile, histories), histories[0]),)


def antigravity(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """``brain`` in the folder of the agent manager, of the editor and of the command line, in ``~/.gemini``."""
    return tuple(home / ".gemini" / name / "brain" for name in ("antigravity", "antigravity-ide", "antigravity-cli"))


def claude_code(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """Return ``CLAUDE_CONFIG_DIR`` (or a list), or else both usual places; and the desktop's Cowork sessions."""
    folders = [Path(os.path.expanduser(part.strip())) for part in env.get("CLAUDE_CONFIG_DIR", "").split(",") if part.strip()]
    programs = [home / "Library" / "Application Support", home / ".config"]
    programs += [Path(env["APPDATA"])] if env.get("APPDATA") else []
    return (
        *(root / "projects" for root in folders or (home / ".claude", home / ".config" / "claude")),
        *(folder / "Claude" / "local-agent-mode-sessions" for folder in programs),
    )


def cline(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """Return the ``tasks`` of each extension in each editor, and the tasks and sessions of Cline's command line."""
    own = _folder(env, "CLINE_DIR", home / ".cline")
    folders = agent_folders.user_folders(home, env)
    return (
        *(folder / "globalStorage" / name / "tasks" for folder in folders for name in _EXTENSIONS),
        own / "data" / "tasks",
        own / "data" / "sessions",
    )


def codex(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """``sessions`` and ``archived_sessions`` in ``CODEX_HOME`` (default ``~/.codex``)."""
    root = _folder(env, "CODEX_HOME", home / ".codex")
    return (root / "sessions", root / "archived_sessions")


def continue_(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """``sessions`` in ``CONTINUE_GLOBAL_DIR`` or ``~/.continue``."""
    return (_folder(env, "CONTINUE_GLOBAL_DIR", home / ".continue") / "sessions",)


def copilot_cli(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """``session-state`` in ``COPILOT_HOME`` (default ``~/.copilot``)."""
    return (_folder(env, "COPILOT_HOME", home / ".copilot") / "session-state",)


def crush(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """Return the databases, with their logs, of the project that ``PWD`` is in and of those that Crush lists."""
    data = Path(env["LOCALAPPDATA"]) if env.get("LOCALAPPDATA") else home / ".local" / "share"
    data = Path(env.get("CRUSH_GLOBAL_DATA") or Path(env.get("XDG_DATA_HOME") or data, "crush"))
    near = [folder / ".crush" for folder in _here(env)]
    folders = [next(filter(isdir, near), near[0])]
    try:
        listed = json.loads((data / "projects.json").read_bytes())["projects"]
        folders += [Path(project["data_dir"]) for project in listed]
    except (OSError, ValueError, LookupError, TypeError):
        pass  # Crush never ran here, or writes the list at this moment
    stores = dict.fromkeys(folder / CRUSH for folder in folders)
    return tuple(place for store in stores for place in (store, *sqlite.companions(store)))


def cursor(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """Return ``projects`` and ``chats`` in ``~/.cursor``, and of each editor ``chats`` and the database with its log."""
    folders = agent_folders.user_folders(home, env, ("Cursor", "Cursor Nightly"))
    states = [folder / "globalStorage" / STATE for folder in folders]
    own = (home / ".cursor" / "projects", home / ".cursor" / "chats", *(folder.parent / "chats" for folder in folders))
    return (*own, *(place for state in states for place in (state, *sqlite.companions(state))))


def droid(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """``~/.factory/sessions``."""
    return (home / ".factory" / "sessions",)


def gemini(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """``tmp`` in ``~/.gemini`` or in ``.gemini`` of ``GEMINI_CLI_HOME``."""
    return (_folder(env, "GEMINI_CLI_HOME", home) / ".gemini" / "tmp",)


def goose(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """``sessions`` in ``GOOSE_PATH_ROOT``, ``$XDG_DATA_HOME/goose`` or the platform's folder of application data."""
    if env.get("GOOSE_PATH_ROOT"):
        return (Path(os.path.expanduser(env["GOOSE_PATH_ROOT"])) / "data" / "sessions",)
    windows = (Path(env["APPDATA"], "Block", "goose", "data", "sessions"),) if env.get("APPDATA") else ()
    return (_data(home, env) / "goose" / "sessions", *windows)


def kimi(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """``sessions`` in ``KIMI_CODE_HOME`` or ``~/.kimi-code``, and in ``KIMI_SHARE_DIR`` or ``~/.kimi``."""
    folders = _folder(env, "KIMI_CODE_HOME", home / ".kimi-code"), _folder(env, "KIMI_SHARE_DIR", home / ".kimi")
    return tuple(folder / "sessions" for folder in folders)


def kiro(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """``KIRO_SESSIONS_DIR``, or ``sessions`` in ``KIRO_HOME`` (default ``~/.kiro``)."""
    return (_folder(env, "KIRO_SESSIONS_DIR", _folder(env, "KIRO_HOME", home / ".kiro") / "sessions"),)


def opencode(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """In ``$XDG_DATA_HOME/opencode``: the sessions' folder, and the databases with their logs.

    The folder itself is none: the parts below it are as many as everything an agent ever said.
    """
    base = _data(home, env) / "opencode"
    stores = sorted(base.glob("opencode*.db")) or [base / "opencode.db"]
    return (base / "storage" / "session", *(place for store in stores for place in (store, *sqlite.companions(store))))


def pi(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """``PI_CODING_AGENT_SESSION_DIR``, or ``sessions`` in ``PI_CODING_AGENT_DIR`` (default ``~/.pi/agent``)."""
    usual = _folder(env, "PI_CODING_AGENT_DIR", home / ".pi" / "agent") / "sessions"
    return (_folder(env, "PI_CODING_AGENT_SESSION_DIR", usual),)


def qwen(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """``projects`` and ``tmp`` in ``QWEN_HOME`` or ``~/.qwen``."""
    base = _folder(env, "QWEN_HOME", home / ".qwen")
    return (base / "projects", base / "tmp")


def specstory(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """Return the history of the project that ``PWD`` is in; SpecStory keeps none elsewhere."""
    stories = [folder / ".specstory" for folder in _here(env)]
    return (next((one for one in stories if isdir(one) and one.parent != home), stories[0]) / "history",)


def vscode_copilot(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """Return the storage of workspaces, and of windows without one, in each editor that keeps chats so."""
    folders = (*agent_folders.user_folders(home, env, _EDITORS), home / ".vscode-server" / "data" / "User")
    places = ("workspaceStorage", "globalStorage/emptyWindowChatSessions")
    return tuple(folder / place for folder in folders for place in places)


def zed(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """Return the database of threads, with its log, in Zed's data folder on each system."""
    bases = [_data(home, env) / "zed", home / "Library" / "Application Support" / "Zed"]
    bases += [Path(env["LOCALAPPDATA"], "Zed")] if env.get("LOCALAPPDATA") else []
    stores = [base / "threads" / THREADS for base in bases]
    return tuple(place for store in stores for place in (store, *sqlite.companions(store)))
