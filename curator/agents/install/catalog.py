"""The table of agents: which files each reads, which of its events we ask for, and in which units it counts time.

Facts as of November 2026, from vendors' documentation and from runs of the clients; ``docs/agents.md`` says it for people.
Every event that is registered costs its user a process, so only those that can carry lessons or tell how a session went are,
and tool events only with a matcher for tools that touch files.

From the table to files: which parts go where for an agent, in a person's files or a project's.

What keeps an agent from running hooks that are installed: switches in its settings, and policies above them.
"""

from __future__ import annotations

import json
import os
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from curator.agents.install import command, json_edit
from curator.agents.install.parts import Hooks, Member, Part, Whole
from curator.agents.install.toml_edit import Table
from curator.agents.install.yaml_edit import Below
from curator.errors import CuratorError, MalformedFile
from curator.io import files

SECONDS = 5

MILLISECONDS = 5000
"""How long an agent waits for a hook. Ours answers in a fraction of a second and then keeps quiet by itself."""

SESSION_END_SECONDS = 3
"""Codex clamps to this, and Claude Code's own default would be half of it."""

SERVER_SECONDS = 30
"""How long an agent waits for the MCP server; a busy machine needs more than the few seconds that are usual."""

SOURCES = "startup|resume|clear|compact"
"""What begins a session; without ``compact`` the lessons are lost with the first compaction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A file of an agent: below a folder that a variable names or that is its default in the home, and in a project."""

    file: str
    variable: str = ""
    folder: str = ""
    mac: str = ""
    """The folder on macOS, where that differs."""
    project: str = ""
    """Relative to a project's top; empty where the agent reads none there."""
    rather: tuple[str, ...] = ()
    """Endings of the same file that go before, where they are there."""

    def path(self, home: Path, env: Mapping[str, str], top: Path | None) -> Path | None:
        """The file of the person, or of the project at ``top``."""
        if top is not None:
            return self._there(top / self.project) if self.project else None
        given = env.get(self.variable, "").split(",")[0].strip() if self.variable else ""
        usual = home / (self.mac if self.mac and sys.platform == "darwin" else self.folder)
        return self._there((Path(os.path.expanduser(given)) if given else usual) / self.file)

    def _there(self, path: Path) -> Path:
        return next((other for ending in self.rather if (other := path.with_suffix(ending)).exists()), path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooking:
    """How an agent is told of hooks."""

    place: Place
    events: Mapping[str, str]
    """Each event with its matcher, empty for none."""
    timeout: int = SECONDS
    shape: str = "grouped"
    """``grouped``: handlers in groups with a matcher; ``flat``: handlers with one; ``copilot``, ``scripts``, ``plugin``."""
    handler: Mapping[str, Any] = field(default_factory=dict)
    """More members of each handler."""
    scaffold: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """How an agent is told of the MCP server."""

    place: Place
    where: tuple[str, ...] = ("mcpServers",)
    shape: str = "json"
    """``json``, ``words`` (JSON with command and arguments in one list), ``toml``, ``goose`` or ``continue``."""
    more: Mapping[str, Any] = field(default_factory=dict)
    only_if_there: bool = False
    """Whether to leave out a file that does not exist, since the agent needs more in it than we could write."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filing:
    """Where an agent reads rules in a project."""

    block: str = ""
    """A file of many authors that gets a managed block."""
    rules: str = ""
    """A rules file of our own: for all lessons, or where there is a block for those of certain paths."""
    front: str = ""
    """Its dialect of front matter: ``cursor``, ``copilot``, ``windsurf``, ``paths`` or ``continue``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """One agent: what it can be given and how, and what its user must do then."""

    id: str
    hooks: Hooking | None = None
    server: Serving | None = None
    files: Filing | None = None
    then: str = "Restart it: settings are read at start."
    hooked: str = ""
    """What they must do instead where hooks were set up, if that is more."""
    served: str = ""
    """What they must do besides where the server went into their own settings rather than a project's."""


_CLAUDE_TOOLS = "Read|Edit|MultiEdit|Write|NotebookEdit"

_GEMINI_TOOLS = "read_file|read_many_files|write_file|replace|edit"

_COPILOT_TOOLS = "Read|Edit|MultiEdit|Write|view|edit|create|read_file|create_file|replace_string_in_file|apply_patch"

_COPILOT = Hooking(
    # One file for both: each reads this folder, and two files would call us twice in both.
    place=Place(variable="COPILOT_HOME", folder=".copilot", file="hooks/curator.json", project=".github/hooks/curator.json"),
    # No preToolUse: the command line denies the tool whenever such a hook fails.
    events={
        "SessionStart": "",
        "UserPromptSubmit": "",
        "PostToolUse": _COPILOT_TOOLS,
        "PreCompact": "",
        "Stop": "",
        "SessionEnd": "",
    },
    shape="copilot",
)

_INSTRUCTIONS = Filing(rules=".github/instructions/curator.instructions.md", front="copilot")

AGENTS = (
    Agent(
        id="claude-code",
        hooks=Hooking(
            place=Place(variable="CLAUDE_CONFIG_DIR", folder=".claude", file="settings.json", project=".claude/settings.json"),
            events={
                "SessionStart": SOURCES + "|fork",
                "UserPromptSubmit": "",
                "PreToolUse": _CLAUDE_TOOLS,
                "PostToolUse": _CLAUDE_TOOLS,
                "PreCompact": "",
                "Stop": "",
                "SessionEnd": "",
            },
        ),
        server=Serving(place=Place(variable="CLAUDE_CONFIG_DIR", file=".claude.json", project=".mcp.json")),
        files=Filing(block="CLAUDE.md", rules=".claude/rules/curator-lessons.md", front="paths"),
        served="Close open sessions first: they may write ~/.claude.json anew.",
    ),
    Agent(
        id="codex",
        hooks=Hooking(
            place=Place(variable="CODEX_HOME", folder=".codex", file="hooks.json", project=".codex/hooks.json"),
            events={
                "SessionStart": SOURCES,
                "UserPromptSubmit": "",
                "PreToolUse": "apply_patch|Edit|Write",
                "PostToolUse": "apply_patch|Edit|Write",
                "PreCompact": "",
                "Stop": "",
                "SessionEnd": "",
            },
        ),
        server=Serving(
            place=Place(variable="CODEX_HOME", folder=".codex", file="config.toml", project=".codex/config.toml"),
            where=("mcp_servers",),
            shape="toml",
            # It hands its servers next to nothing of the environment: without these they would open another database.
            more={"startup_timeout_sec": SERVER_SECONDS, "env_vars": ["CURATOR_HOME", "XDG_DATA_HOME"]},
        ),
        files=Filing(block="AGENTS.md"),
        hooked="Start it, open /hooks and trust curator's hooks: Codex skips untrusted ones without a word.",
    ),
    Agent(
        id="qwen",
        hooks=Hooking(
            place=Place(variable="QWEN_HOME", folder=".qwen", file="settings.json", project=".qwen/settings.json"),
            events={
                "SessionStart": SOURCES,
                "UserPromptSubmit": "",
                "PostToolUse": _GEMINI_TOOLS,
                "PreCompact": "",
                "Stop": "",
                "SessionEnd": "",
            },
            timeout=MILLISECONDS,
            handler={"name": "curator"},
        ),
        server=Serving(
            place=Place(variable="QWEN_HOME", folder=".qwen", file="settings.json", project=".qwen/settings.json"),
            more={"timeout": SERVER_SECONDS * 1000},
        ),
        files=Filing(block="AGENTS.md"),
    ),
    Agent(
        id="gemini",
        hooks=Hooking(
            place=Place(variable="GEMINI_CLI_HOME", file=".gemini/settings.json", project=".gemini/settings.json"),
            # No PreCompress: it comes before every request, whether or not anything is compressed.
            events={"SessionStart": "", "BeforeAgent": "", "AfterTool": _GEMINI_TOOLS, "SessionEnd": ""},
            timeout=MILLISECONDS,
            handler={"name": "curator"},
        ),
        server=Serving(
            place=Place(variable="GEMINI_CLI_HOME", file=".gemini/settings.json", project=".gemini/settings.json"),
            more={"timeout": SERVER_SECONDS * 1000},
        ),
        files=Filing(block="GEMINI.md"),
    ),
    Agent(
        id="cursor",
        hooks=Hooking(
            place=Place(folder=".cursor", file="hooks.json", project=".cursor/hooks.json"),
            events={
                "sessionStart": "",
                "beforeSubmitPrompt": "",
                "postToolUse": "Read|Write|Edit",
                "preCompact": "",
                "stop": "",
                "sessionEnd": "",
            },
            shape="flat",
            scaffold={"version": 1},
        ),
        server=Serving(place=Place(folder=".cursor", file="mcp.json", project=".cursor/mcp.json")),
        files=Filing(rules=".cursor/rules/curator-lessons.mdc", front="cursor"),
        then="Restart it. Its versions differ in what they hand to the model: `--files` adds a rules file to be sure.",
    ),
    Agent(
        id="copilot-cli",
        hooks=_COPILOT,
        server=Serving(
            place=Place(variable="COPILOT_HOME", folder=".copilot", file="mcp-config.json"),
            more={"type": "local", "tools": ["*"]},
        ),
        files=_INSTRUCTIONS,
    ),
    Agent(
        id="vscode-copilot",
        hooks=_COPILOT,
        server=Serving(
            place=Place(
                variable="XDG_CONFIG_HOME",
                folder=".config",
                mac="Library/Application Support",
                file="Code/User/mcp.json",
                project=".vscode/mcp.json",
            ),
            where=("servers",),
            more={"type": "stdio"},
        ),
        files=_INSTRUCTIONS,
        then="Reload the window, and start the server `curator` where VS Code asks for it.",
    ),
    Agent(
        id="opencode",
        hooks=Hooking(
            place=Place(
                variable="XDG_CONFIG_HOME",
                folder=".config",
                file="opencode/plugins/curator.js",
                project=".opencode/plugins/curator.js",
            ),
            events={"SessionStart": "", "UserPromptSubmit": "", "PostToolUse": "", "Stop": ""},
            shape="plugin",
        ),
        server=Serving(
            place=Place(
                variable="XDG_CONFIG_HOME",
                folder=".config",
                file="opencode/opencode.json",
                project="opencode.json",
                rather=(".jsonc",),
            ),
            where=("mcp",),
            shape="words",
            more={"type": "local", "enabled": True},
        ),
        files=Filing(block="AGENTS.md"),
    ),
    Agent(
        id="cline",
        hooks=Hooking(
            place=Place(variable="CLINE_DIR", folder=".cline", file="hooks", project=".clinerules/hooks"),
            # One file an event and no matcher: each tool call pays, so of the two tool events only the later.
            events={
                "TaskStart": "",
                "TaskResume": "",
                "UserPromptSubmit": "",
                "PostToolUse": "",
                "PreCompact": "",
                "TaskComplete": "",
            },
            shape="scripts",
        ),
        server=Serving(
            place=Place(variable="CLINE_DIR", folder=".cline", file="data/settings/cline_mcp_settings.json"),
            more={"timeout": SERVER_SECONDS},
        ),
        files=Filing(rules=".clinerules/curator-lessons.md", front="paths"),
        hooked="Restart it; in the editor, hooks are enabled in Cline's settings.",
    ),
    Agent(
        id="windsurf",
        server=Serving(place=Place(folder=".codeium", file="windsurf/mcp_config.json")),
        files=Filing(rules=".windsurf/rules/curator-lessons.md", front="windsurf"),
    ),
    Agent(
        id="zed",
        server=Serving(
            place=Place(variable="XDG_CONFIG_HOME", folder=".config", file="zed/settings.json", project=".zed/settings.json"),
            where=("context_servers",),
        ),
        files=Filing(block="AGENTS.md"),
    ),
    Agent(
        id="junie",
        server=Serving(place=Place(folder=".junie", file="mcp/mcp.json", project=".junie/mcp/mcp.json")),
        files=Filing(block=".junie/AGENTS.md"),
    ),
    Agent(
        id="continue",
        server=Serving(
            place=Place(variable="CONTINUE_GLOBAL_DIR", folder=".continue", file="config.yaml"),
            shape="continue",
            only_if_there=True,
        ),
        files=Filing(rules=".continue/rules/curator-lessons.md", front="continue"),
    ),
    Agent(
        id="aider",
        files=Filing(rules=".curator/aider.md", front="aider"),
        then="Restart it in this project's top folder, where it reads .aider.conf.yml.",
    ),
    Agent(
        id="goose",
        server=Serving(
            place=Place(variable="XDG_CONFIG_HOME", folder=".config", file="goose/config.yaml"),
            shape="goose",
            only_if_there=True,
        ),
        files=Filing(block="AGENTS.md"),
    ),
    Agent(id="specstory", then=""),
)

BY_ID: Mapping[str, Agent] = {agent.id: agent for agent in AGENTS}

MARK = "curator install"
"""Words in every script and plugin of ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One part for one file."""

    agent: str
    kind: str
    """``hooks``, ``mcp`` or ``files``."""
    path: Path
    part: Part
    executable: bool = False
    only_if_there: bool = False
    root: Path | None = None
    """The project in which it must really lie; ``None`` for a person's own files, which may be links to anywhere."""

    def real(self) -> Path:
        """The file that it ends up in, links followed. Raises ``CuratorError`` where one leads out of the project."""
        if self.root is None:
            return Path(os.path.realpath(self.path))
        try:
            return files.resolve(self.path, self.root)
        except OSError as error:
            raise CuratorError(
                f"{self.path}: {error.strerror}.", "Replace the link by a plain file or folder; nothing was written there."
            ) from error


def targets(agent: Agent, home: Path, env: Mapping[str, str], top: Path | None) -> Iterator[Target]:
    """Hooks and MCP server of an agent, for the person, or for the project at ``top``."""
    if agent.hooks:
        found = hook_targets(agent.id, agent.hooks, agent.hooks.place.path(home, env, top), shared=top is not None)
        yield from (replace(target, root=top) for target in found)
    path = agent.server.place.path(home, env, top) if agent.server else None
    if agent.server and path:
        part = server_part(agent.server, shared=top is not None)
        yield Target(agent=agent.id, kind="mcp", path=path, part=part, only_if_there=agent.server.only_if_there, root=top)


def hook_targets(agent: str, hooks: Hooking, path: Path | None, *, shared: bool) -> Iterator[Target]:
    """The files that tell an agent of our hooks."""
    if path is None:
        return
    if hooks.shape == "scripts":
        for event in hooks.events:
            part = Whole(command.cline_script(event, shared=shared), MARK)
            yield Target(agent=agent, kind="hooks", path=path / event, part=part, executable=True)
        return
    if hooks.shape == "plugin":
        whole = Whole(command.opencode_plugin(shared=shared), MARK)
        yield Target(agent=agent, kind="hooks", path=path, part=whole)
        return
    entries = {event: entry(agent, hooks, event, matcher, shared=shared) for event, matcher in hooks.events.items()}
    if hooks.shape == "copilot":
        content = json.dumps({"version": 1, "hooks": {event: [it] for event, it in entries.items()}}, indent=2) + "\n"
        yield Target(agent=agent, kind="hooks", path=path, part=Whole(content, "curator hook copilot-cli "))
        return
    yield Target(agent=agent, kind="hooks", path=path, part=Hooks(entries=entries, scaffold=hooks.scaffold))


def entry(agent: str, hooks: Hooking, event: str, matcher: str, *, shared: bool) -> dict[str, Any]:
    """What one event's list gets."""
    ask = {"matcher": matcher} if matcher else {}
    if hooks.shape == "flat":
        return {"command": command.hook(agent, event, shared=shared), "timeout": hooks.timeout} | ask | dict(hooks.handler)
    if hooks.shape == "copilot":
        # Each host takes the spelling that it knows: `bash` and `timeoutSec` are the command line's. One id serves both.
        run = command.hook("copilot-cli", event, shared=shared)
        return {"type": "command"} | ask | {"command": run, "bash": run, "timeout": hooks.timeout, "timeoutSec": hooks.timeout}
    run = command.hook(agent, event, shared=shared)
    most = SESSION_END_SECONDS if event == "SessionEnd" and hooks.timeout < 1000 else hooks.timeout
    handler = {"type": "command", "command": run, "timeout": most} | dict(hooks.handler)
    return ask | {"hooks": [handler]}


def server_part(server: Serving, *, shared: bool) -> Part:
    """The MCP server in an agent's notation."""
    program, arguments = command.server(shared=shared)
    if server.shape == "toml":
        own = {"command": json.dumps(program), "args": json.dumps(arguments)}
        return Table((server.where[0], "curator"), own | {key: json.dumps(value) for key, value in server.more.items()})
    if server.shape == "goose":
        value = {"type": "stdio", "name": "curator", "enabled": True, "cmd": program, "args": arguments, "timeout": 300}
        return Below("extensions", "curator", value)
    if server.shape == "continue":
        return Below("mcpServers", "curator", {"name": "curator", "command": program, "args": arguments}, listed=True)
    if server.shape == "words":
        return Member((*server.where, "curator"), {**server.more, "command": [program, *arguments]})
    return Member((*server.where, "curator"), {"command": program, "args": arguments, **server.more})


CLAUDE_POLICIES = (
    Path("/etc/claude-code/managed-settings.json"),
    Path("/Library/Application Support/ClaudeCode/managed-settings.json"),
)


def obstacles(agent: str, home: Path, env: Mapping[str, str], top: Path) -> Iterator[str]:
    """Sentences, each with the file it speaks of; files that can't be read say nothing here."""
    if agent == "claude-code":
        yield from _claude(_folder(env, "CLAUDE_CONFIG_DIR", home / ".claude"), top)
    elif agent == "codex":
        yield from _codex(_folder(env, "CODEX_HOME", home / ".codex"), top)
    elif agent in ("gemini", "qwen"):
        own = (
            _folder(env, "QWEN_HOME", home / ".qwen") if agent == "qwen" else _folder(env, "GEMINI_CLI_HOME", home) / ".gemini"
        )
        for file in (own / "settings.json", top / f".{agent}" / "settings.json"):
            yield from _switches(file)
    elif agent in ("copilot-cli", "vscode-copilot"):
        own = _folder(env, "COPILOT_HOME", home / ".copilot")
        for file in (own / "settings.json", own / "config.json", top / ".github" / "copilot" / "settings.json"):
            yield from _switches(file)


def _folder(env: Mapping[str, str], variable: str, usual: Path) -> Path:
    given = env.get(variable, "").split(",")[0].strip()
    return Path(os.path.expanduser(given)) if given else usual


def _claude(own: Path, top: Path) -> Iterator[str]:
    for file in (own / "settings.json", top / ".claude" / "settings.json", top / ".claude" / "settings.local.json"):
        yield from _switches(file)
    for file in CLAUDE_POLICIES:
        yield from _switches(file)
        if _json(file).get("allowManagedHooksOnly") is True:
            yield f"{file} allows hooks of the organisation only"


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
