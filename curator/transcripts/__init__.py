"""Read agents' files as turns: one module per format. ``base`` holds the shared parts.

Formats share these rules beyond ``model.Turn`` (in full: ``docs/formats.md``):

- A refused call gives an ``EVENT`` with the reason as text, and no ``TOOL_RESULT``.
- Each answer to a question gives its own ``EVENT`` with the answer as text. ``call`` joins it to the ``TOOL_CALL`` whose text
  has the questions, one per line.
- An accepted plan gives an ``ANSWER`` without text and with ``ok=True``. If the plan comes back as a prompt, an ``ASSISTANT``
  turn with the plan precedes it. A refused plan gives a ``REFUSAL``, or with a reason an ``ANSWER`` with ``ok=False``.
- A command that a person ran with ``!`` has the tool ``!``.
- Thinking gives no turn.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from os.path import isdir, isfile  # those of Path raise where a folder may not be entered
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curator.hookspecs import NOTHING_KNOWN, Mark, Reading, hookimpl
from curator.io import agent_folders, sqlite
from curator.transcripts.base import discover

if TYPE_CHECKING:
    from curator.hookspecs import Format


@dataclass  # not frozen, because the protocol lets a caller set ``agent``
class BuiltIn:
    """A format, with its data that need no module. The module is loaded with the first file.

    The module has ``claims`` and ``read``. It has ``candidates(root)`` if the endings of names are not enough. It has
    ``companions`` and ``transcript`` if a transcript has another companion than a database's log.
    """

    agent: str
    module: str
    roots: Callable[[Path, Mapping[str, str]], Sequence[Path]]
    endings: tuple[str, ...] = (".jsonl",)
    """The endings of its files' names, unless the module has ``candidates``."""
    beside: tuple[str, ...] = ()
    """The endings of the names of files that may be companions of a transcript."""
    rewrites: bool = False
    in_project: bool = False
    forgeable: bool = False

    def find(self, root: Path, known: Mapping[Path, str] = NOTHING_KNOWN) -> Sequence[Path]:
        """Return the format's files. Return none if the place does not exist."""
        paths = [root] if os.path.isfile(root) else self._candidates(root) if os.path.lexists(root) else ()
        return tuple(path for path in paths if discover.is_of(self.agent, path, self.claims, known))

    def _candidates(self, root: Path) -> Iterable[Path]:
        candidates: Callable[[Path], Iterable[Path]] | None = getattr(self.load(), "candidates", None)
        return candidates(root) if candidates else discover.files_below(root, self.endings)

    def claims(self, path: Path, head: bytes) -> bool:
        """Return whether the format claims the file."""
        return bool(self.load().claims(path, head))

    def read(self, path: Path, start: Mark) -> Reading:
        """Return the format's reading."""
        reading: Reading = self.load().read(path, start)
        return reading

    def companions(self, path: Path) -> Sequence[Path]:
        """Return the format's companions. Return none for an absent file."""
        found: Sequence[Path] = ()
        if self.beside and os.path.lexists(path):
            found = getattr(self.load(), "companions", _log)(path)
        return found

    def transcript(self, written: Path) -> Path | None:
        """Return the format's transcript of a file that may be a companion by its name."""
        found: Path | None = None
        if written.name.endswith(self.beside):
            found = getattr(self.load(), "transcript", sqlite.owner)(written)
        return found

    def load(self) -> Any:
        """Return the format's module."""
        return import_module(f"{__package__}.{self.module}")


def _log(path: Path) -> Sequence[Path]:
    return sqlite.companions(path) if path.suffix in (".db", ".vscdb") else ()


# --- the places where each agent keeps its transcripts, whether they exist or not -------------------------------------

AIDER_HISTORY = ".aider.chat.history.md"
"""Aider's name for a project's history."""

CRUSH_DATABASE = "crush.db"
"""Crush's name for a project's database."""

ZED_THREADS = "threads.db"
"""Zed's name for its database."""

ANTIGRAVITY = ("antigravity/brain", "antigravity-ide/brain", "antigravity-cli/brain")
"""The folders of Antigravity's agent manager, of its editor and of its command line."""

EDITOR_STATE = "state.vscdb"
"""The database of an editor made of Visual Studio Code."""

_EXTENSIONS = ("saoudrizwan.claude-dev", "saoudrizwan.cline-nightly", "rooveterinaryinc.roo-cline", "kilocode.kilo-code")
_EDITORS = ("Code", "Code - Insiders", "Code - OSS", "VSCodium")


def _folder(env: Mapping[str, str], variable: str, usual: Path) -> Path:
    """Return the folder that a variable names, or else the usual one."""
    return Path(os.path.expanduser(env[variable])) if env.get(variable) else usual


def _data(home: Path, env: Mapping[str, str]) -> Path:
    """Return the folder of application data."""
    return _folder(env, "XDG_DATA_HOME", home / ".local" / "share")


def _in_folder(variable: str, usual: str, *inner: str) -> Callable[[Path, Mapping[str, str]], Sequence[Path]]:
    """Return the function for the folder ``inner`` in the one that a variable names, or else in the ``usual`` one at home."""
    return lambda home, env: tuple(_folder(env, variable, home / usual) / name for name in inner)


def _here(env: Mapping[str, str]) -> tuple[Path, ...]:
    """Return the current folder and those above it."""
    here = Path(env.get("PWD") or Path.cwd())
    return (here, *here.parents)


def aider_roots(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """Return the history in ``AIDER_CHAT_HISTORY_FILE``, or else that of the project around ``PWD``."""
    histories = [folder / AIDER_HISTORY for folder in _here(env)]
    if env.get("AIDER_CHAT_HISTORY_FILE"):
        return (histories[0].parent / os.path.expanduser(env["AIDER_CHAT_HISTORY_FILE"]),)
    return (next(filter(isfile, histories), histories[0]),)


def claude_code_roots(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """Return ``CLAUDE_CONFIG_DIR`` (or a list), or else both usual places, and the desktop's Cowork sessions."""
    folders = [Path(os.path.expanduser(part.strip())) for part in env.get("CLAUDE_CONFIG_DIR", "").split(",") if part.strip()]
    programs = home / "Library" / "Application Support", home / ".config"
    return (
        *(root / "projects" for root in folders or (home / ".claude", home / ".config" / "claude")),
        *(folder / "Claude" / "local-agent-mode-sessions" for folder in programs),
    )


def cline_roots(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """Return the ``tasks`` of each extension in each editor, and the tasks and sessions of Cline's command line."""
    own = _folder(env, "CLINE_DIR", home / ".cline")
    folders = agent_folders.user_folders(home, env)
    return (
        *(folder / "globalStorage" / name / "tasks" for folder in folders for name in _EXTENSIONS),
        own / "data" / "tasks",
        own / "data" / "sessions",
    )


def crush_roots(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """Return the databases, with their logs, of the project that ``PWD`` is in and of those that Crush lists."""
    data = Path(env.get("CRUSH_GLOBAL_DATA") or _data(home, env) / "crush")
    near = [folder / ".crush" for folder in _here(env)]
    folders = [next(filter(isdir, near), near[0])]
    try:
        listed = json.loads((data / "projects.json").read_bytes())["projects"]
        folders += [Path(project["data_dir"]) for project in listed]
    except (OSError, ValueError, LookupError, TypeError):
        pass  # Crush never ran here, or writes the list at this moment
    stores = dict.fromkeys(folder / CRUSH_DATABASE for folder in folders)
    return tuple(place for store in stores for place in (store, *sqlite.companions(store)))


def cursor_roots(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """Return ``projects`` and ``chats`` in ``~/.cursor``, and of each editor ``chats`` and the database with its log."""
    folders = agent_folders.user_folders(home, env, ("Cursor", "Cursor Nightly"))
    states = [folder / "globalStorage" / EDITOR_STATE for folder in folders]
    own = (home / ".cursor" / "projects", home / ".cursor" / "chats", *(folder.parent / "chats" for folder in folders))
    return (*own, *(place for state in states for place in (state, *sqlite.companions(state))))


def goose_roots(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """Return ``sessions`` in ``GOOSE_PATH_ROOT`` or ``$XDG_DATA_HOME/goose``."""
    if env.get("GOOSE_PATH_ROOT"):
        return (Path(os.path.expanduser(env["GOOSE_PATH_ROOT"])) / "data" / "sessions",)
    return (_data(home, env) / "goose" / "sessions",)


def kimi_roots(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """Return ``sessions`` of Kimi Code, and of the earlier Kimi CLI."""
    folders = _folder(env, "KIMI_CODE_HOME", home / ".kimi-code"), _folder(env, "KIMI_SHARE_DIR", home / ".kimi")
    return tuple(folder / "sessions" for folder in folders)


def kiro_roots(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """Return ``KIRO_SESSIONS_DIR``, or ``sessions`` in ``KIRO_HOME`` (default ``~/.kiro``)."""
    return (_folder(env, "KIRO_SESSIONS_DIR", _folder(env, "KIRO_HOME", home / ".kiro") / "sessions"),)


def opencode_roots(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """Return the databases in ``$XDG_DATA_HOME/opencode``, with their logs."""
    base = _data(home, env) / "opencode"
    stores = sorted(base.glob("opencode*.db")) or [base / "opencode.db"]
    return tuple(place for store in stores for place in (store, *sqlite.companions(store)))


def pi_roots(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """Return ``PI_CODING_AGENT_SESSION_DIR``, or ``sessions`` in ``PI_CODING_AGENT_DIR`` (default ``~/.pi/agent``)."""
    usual = _folder(env, "PI_CODING_AGENT_DIR", home / ".pi" / "agent") / "sessions"
    return (_folder(env, "PI_CODING_AGENT_SESSION_DIR", usual),)


def specstory_roots(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """Return the history of the project around ``PWD``. SpecStory has none elsewhere."""
    stories = [folder / ".specstory" for folder in _here(env)]
    return (next((one for one in stories if isdir(one) and one.parent != home), stories[0]) / "history",)


def vscode_copilot_roots(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """Return the storage of workspaces, and of windows without one, in each editor that keeps chats so."""
    folders = (*agent_folders.user_folders(home, env, _EDITORS), home / ".vscode-server" / "data" / "User")
    places = ("workspaceStorage", "globalStorage/emptyWindowChatSessions")
    return tuple(folder / place for folder in folders for place in places)


def zed_roots(home: Path, env: Mapping[str, str]) -> Sequence[Path]:
    """Return the database of threads, with its log, in Zed's data folder on each system."""
    bases = [_data(home, env) / "zed", home / "Library" / "Application Support" / "Zed"]
    stores = [base / "threads" / ZED_THREADS for base in bases]
    return tuple(place for store in stores for place in (store, *sqlite.companions(store)))


# Qwen Code's records look like Claude Code's at first sight, so it is asked before.
BUILT_IN = (
    BuiltIn("qwen", "qwen", _in_folder("QWEN_HOME", ".qwen", "projects"), (".jsonl",)),
    BuiltIn("claude-code", "claude_code", claude_code_roots),
    BuiltIn(
        "codex", "codex", _in_folder("CODEX_HOME", ".codex", "sessions", "archived_sessions"), (".jsonl", discover.COMPRESSED)
    ),
    BuiltIn("specstory", "specstory", specstory_roots, rewrites=True, forgeable=True),
    BuiltIn("aider", "aider", aider_roots, ("aider.chat.history.md",), in_project=True),
    BuiltIn("copilot-cli", "copilot_cli", _in_folder("COPILOT_HOME", ".copilot", "session-state")),
    BuiltIn("cline", "cline", cline_roots, ("_messages.json", ".messages.json"), (".json",), rewrites=True),
    BuiltIn("cursor", "cursor", cursor_roots, beside=sqlite.LOGS, rewrites=True),
    BuiltIn("vscode-copilot", "vscode_copilot", vscode_copilot_roots, rewrites=True),
    BuiltIn("gemini", "gemini", _in_folder("GEMINI_CLI_HOME", "", ".gemini/tmp"), (".json", ".jsonl"), rewrites=True),
    BuiltIn("opencode", "opencode", opencode_roots, (".json", ".db"), sqlite.LOGS, rewrites=True),
    BuiltIn("goose", "goose", goose_roots, (".jsonl", ".db"), sqlite.LOGS, rewrites=True),
    BuiltIn("continue", "continue_", _in_folder("CONTINUE_GLOBAL_DIR", ".continue", "sessions"), (".json",), rewrites=True),
    BuiltIn("crush", "crush", crush_roots, (CRUSH_DATABASE,), sqlite.LOGS, rewrites=True),
    BuiltIn("pi", "pi", pi_roots),
    BuiltIn("kimi", "kimi", kimi_roots),
    BuiltIn("kiro", "kiro", kiro_roots),
    BuiltIn("zed", "zed", zed_roots, (ZED_THREADS,), sqlite.LOGS, rewrites=True),
    BuiltIn("droid", "droid", _in_folder("", ".factory", "sessions")),
    BuiltIn("antigravity", "antigravity", _in_folder("", ".gemini", *ANTIGRAVITY), (".jsonl", "overview.txt")),
)


@hookimpl(tryfirst=True)
def register_formats(register: Callable[[Format], None]) -> None:
    """Register the built-in formats."""
    for format_ in BUILT_IN:
        register(format_)
