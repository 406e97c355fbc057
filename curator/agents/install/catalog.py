"""The table of agents: the files that each reads, the events that curator registers, and the agent's units of time.

The facts are of November 2026, from vendors' documentation and runs of the clients; ``docs/agents.md`` explains them. Every
registered event costs its user a process. So curator registers only events that can carry lessons or report on a session, and
tool events only with a matcher for file tools.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from curator.text.markdown import NOTE

SECONDS = 5
MILLISECONDS = 5000
"""The time that an agent waits for a hook. curator's hook ends itself after a fraction of a second."""

SESSION_END_SECONDS = 3
"""Codex clamps to this, and Claude Code's own default would be half of it."""

SERVER_SECONDS = 30
"""The seconds that an agent waits for the MCP server. A busy machine needs more than the usual few seconds."""

SOURCES = "startup|resume|clear|compact"
"""The beginnings of a session. Without ``compact``, the first compaction would lose the lessons."""


def folder(env: Mapping[str, str], variable: str, usual: Path) -> Path:
    """Return the folder from the first set variable, or else the ``usual`` one."""
    value = env.get(variable, "").split(",")[0].strip()
    return Path(os.path.expanduser(value)) if value else usual


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A file of an agent: in a folder from a variable or in the home folder, and in a project."""

    file: str
    variable: str = ""
    folder: str = ""
    mac: str = ""
    """The folder on macOS, where that differs."""
    project: str = ""
    """The path relative to a project's top. It is empty if the agent reads none there."""
    rather: tuple[str, ...] = ()
    """Endings of the same file that go before, where they are there."""

    def path(self, home: Path, env: Mapping[str, str], top: Path | None) -> Path | None:
        """Return the file of the person, or of the project at ``top``."""
        if top is not None:
            return self._there(top / self.project) if self.project else None
        usual = home / (self.mac if self.mac and sys.platform == "darwin" else self.folder)
        return self._there(folder(env, self.variable, usual) / self.file)

    def _there(self, path: Path) -> Path:
        return next((other for ending in self.rather if (other := path.with_suffix(ending)).exists()), path)


@dataclass(frozen=True, slots=True, kw_only=True)
class HookConfig:
    """The form of an agent's hooks."""

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
    """The form of an agent's MCP server."""

    place: Place
    where: tuple[str, ...] = ("mcpServers",)
    shape: str = "json"
    """``json``, ``words`` (JSON with command and arguments in one list), ``toml``, ``goose`` or ``continue``."""
    more: Mapping[str, Any] = field(default_factory=dict)
    only_if_there: bool = False
    """True if an absent file is left out, since the agent needs more in it than we could write."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesFileConfig:
    """The files where an agent reads rules in a project."""

    block: str = ""
    """A file of many authors that gets a managed block."""
    first_of: tuple[str, ...] = ()
    """The files of which the agent reads only the first existing one. It is empty if the agent always reads ``block``."""
    instead: str = ""
    """Another file that it reads, for a project where a new ``block`` would keep it from reading a person's file."""
    rules: str = ""
    """A rules file of our own: for all lessons, or where there is a block for those of certain paths."""
    front: str = ""
    """Its dialect of front matter: ``cursor``, ``copilot``, ``windsurf``, ``paths`` or ``continue``."""
    scoped: bool = True
    """True if it loads rules files for certain paths in its own dialect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """One agent: the parts that curator can set up, their form, and the remaining steps for its user."""

    id: str
    hooks: HookConfig | None = None
    server: Serving | None = None
    files: RulesFileConfig | None = None
    memory: Place | None = None
    """curator's note in its memory. ``{}`` stands for the name of the project's folder."""
    then: str = "Restart it: settings are read at start."
    after_hooks: str = ""
    """The instructions where hooks were set up, if there is more to do."""
    after_server: str = ""
    """The further instructions where the server went into their own settings rather than a project's."""


_CLAUDE_TOOLS = "Read|Edit|MultiEdit|Write|NotebookEdit"
_GEMINI_TOOLS = "read_file|read_many_files|write_file|replace|edit"
_COPILOT_TOOLS = "Read|Edit|MultiEdit|Write|view|edit|create|read_file|create_file|replace_string_in_file|apply_patch"


def _events(tools: str, start: str = SOURCES, *, early: bool = False) -> Mapping[str, str]:
    """Return the events of Claude Code, whose names other agents use too. ``early`` adds the event before a tool runs."""
    before = {"PreToolUse": tools} if early else {}
    after = {"PostToolUse": tools, "PreCompact": "", "Stop": "", "SessionEnd": ""}
    return {"SessionStart": start, "UserPromptSubmit": "", **before, **after}


def _config(file: str, project: str = "", **more: Any) -> Place:
    """Return a file below the folder for settings of the desktop's standard."""
    return Place(variable="XDG_CONFIG_HOME", folder=".config", file=file, project=project, **more)


_COPILOT = HookConfig(
    # One file for both: each reads this folder, and two files would call us twice in both.
    place=Place(variable="COPILOT_HOME", folder=".copilot", file="hooks/curator.json", project=".github/hooks/curator.json"),
    # preToolUse is missing, because the command line denies the tool whenever such a hook fails.
    events=_events(_COPILOT_TOOLS, start=""),
    shape="copilot",
    scaffold={"version": 1},
)
_QWEN = Place(variable="QWEN_HOME", folder=".qwen", file="settings.json", project=".qwen/settings.json")
_GEMINI = Place(variable="GEMINI_CLI_HOME", file=".gemini/settings.json", project=".gemini/settings.json")
_ZED = (
    *(".rules", ".cursorrules", ".windsurfrules", ".clinerules", ".github/copilot-instructions.md"),
    *("AGENT.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md"),
)
_INSTRUCTIONS = RulesFileConfig(rules=".github/instructions/curator.instructions.md", front="copilot")

AGENTS = (
    Agent(
        id="claude-code",
        hooks=HookConfig(
            place=Place(variable="CLAUDE_CONFIG_DIR", folder=".claude", file="settings.json", project=".claude/settings.json"),
            events=_events(_CLAUDE_TOOLS, SOURCES + "|fork", early=True),
        ),
        server=Serving(place=Place(variable="CLAUDE_CONFIG_DIR", file=".claude.json", project=".mcp.json")),
        files=RulesFileConfig(
            block="CLAUDE.md",
            first_of=("CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md"),
            instead=".claude/CLAUDE.md",
            rules=".claude/rules/curator-lessons.md",
            front="paths",
        ),
        memory=Place(variable="CLAUDE_CONFIG_DIR", folder=".claude", file=f"projects/{{}}/memory/{NOTE}"),
        after_server="Close open sessions first, because they may overwrite ~/.claude.json.",
    ),
    Agent(
        id="codex",
        hooks=HookConfig(
            place=Place(variable="CODEX_HOME", folder=".codex", file="hooks.json", project=".codex/hooks.json"),
            events=_events("apply_patch|Edit|Write", early=True),
        ),
        server=Serving(
            place=Place(variable="CODEX_HOME", folder=".codex", file="config.toml", project=".codex/config.toml"),
            where=("mcp_servers",),
            shape="toml",
            # It hands its servers next to nothing of the environment: without these they would open another database.
            more={"startup_timeout_sec": SERVER_SECONDS, "env_vars": ["CURATOR_HOME", "XDG_DATA_HOME"]},
        ),
        files=RulesFileConfig(block="AGENTS.md"),
        after_hooks="Start it, open /hooks and trust curator's hooks: Codex skips untrusted hooks.",
    ),
    Agent(
        id="qwen",
        hooks=HookConfig(place=_QWEN, events=_events(_GEMINI_TOOLS), timeout=MILLISECONDS, handler={"name": "curator"}),
        server=Serving(place=_QWEN, more={"timeout": SERVER_SECONDS * 1000}),
        files=RulesFileConfig(block="AGENTS.md", instead="QWEN.md"),
        memory=Place(variable="QWEN_HOME", folder=".qwen", file=f"projects/{{}}/memory/pinned/{NOTE}"),
    ),
    Agent(
        id="gemini",
        hooks=HookConfig(
            place=_GEMINI,
            # PreCompress precedes every request. Its matcher is the trigger, and only a manual one is certain.
            events={
                "SessionStart": "",
                "BeforeAgent": "",
                "AfterTool": _GEMINI_TOOLS,
                "PreCompress": "manual",
                "SessionEnd": "",
            },
            timeout=MILLISECONDS,
            handler={"name": "curator"},
        ),
        server=Serving(place=_GEMINI, more={"timeout": SERVER_SECONDS * 1000}),
        files=RulesFileConfig(block="GEMINI.md"),
    ),
    Agent(
        id="cursor",
        hooks=HookConfig(
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
        files=RulesFileConfig(rules=".cursor/rules/curator-lessons.mdc", front="cursor"),
        then="Restart it. Some versions ignore the text of hooks, so add `--files`.",
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
            place=_config("Code/User/mcp.json", ".vscode/mcp.json", mac="Library/Application Support"),
            where=("servers",),
            more={"type": "stdio"},
        ),
        files=_INSTRUCTIONS,
        then="Reload the window, and start the server `curator` when VS Code asks.",
    ),
    Agent(
        id="opencode",
        hooks=HookConfig(
            place=_config("opencode/plugins/curator.js", ".opencode/plugins/curator.js"),
            events={"SessionStart": "", "UserPromptSubmit": "", "PostToolUse": "", "Stop": ""},
            shape="plugin",
        ),
        server=Serving(
            place=_config("opencode/opencode.json", "opencode.json", rather=(".jsonc",)),
            where=("mcp",),
            shape="words",
            more={"type": "local", "enabled": True},
        ),
        files=RulesFileConfig(block="AGENTS.md", first_of=("AGENTS.md", "CLAUDE.md")),
    ),
    Agent(
        id="cline",
        hooks=HookConfig(
            place=Place(variable="CLINE_DIR", folder=".cline", file="hooks", project=".clinerules/hooks"),
            # One file an event and no matcher: each tool call pays, so of the two tool events only the later.
            events=dict.fromkeys("TaskStart TaskResume UserPromptSubmit PostToolUse PreCompact TaskComplete".split(), ""),
            shape="scripts",
        ),
        server=Serving(
            place=Place(variable="CLINE_DIR", folder=".cline", file="data/settings/cline_mcp_settings.json"),
            # Its list `autoApprove` is none that its command line heeds.
            more={"timeout": SERVER_SECONDS},
        ),
        files=RulesFileConfig(rules=".clinerules/curator-lessons.md", front="paths"),
        after_hooks="Restart it. In the editor, enable hooks in Cline's settings.",
    ),
    Agent(
        id="windsurf",
        server=Serving(place=Place(folder=".codeium", file="windsurf/mcp_config.json")),
        files=RulesFileConfig(rules=".windsurf/rules/curator-lessons.md", front="windsurf"),
    ),
    Agent(
        id="zed",
        server=Serving(place=_config("zed/settings.json", ".zed/settings.json"), where=("context_servers",)),
        files=RulesFileConfig(block="AGENTS.md", first_of=_ZED),
    ),
    Agent(
        id="junie",
        server=Serving(place=Place(folder=".junie", file="mcp/mcp.json", project=".junie/mcp/mcp.json")),
        files=RulesFileConfig(block=".junie/AGENTS.md"),
    ),
    Agent(
        id="continue",
        server=Serving(
            place=Place(variable="CONTINUE_GLOBAL_DIR", folder=".continue", file="config.yaml"),
            shape="continue",
            only_if_there=True,
        ),
        # Its command line never loads a rule with `globs`, unless the rule always applies.
        files=RulesFileConfig(rules=".continue/rules/curator-lessons.md", front="continue", scoped=False),
    ),
    Agent(
        id="aider",
        files=RulesFileConfig(rules=".curator/aider.md", front="aider"),
        then="Restart it in this project's top folder, where it reads .aider.conf.yml.",
    ),
    Agent(
        id="goose",
        server=Serving(place=_config("goose/config.yaml"), shape="goose", only_if_there=True),
        files=RulesFileConfig(block="AGENTS.md", instead=".goosehints"),
    ),
    Agent(id="specstory", then=""),
)

BY_ID: Mapping[str, Agent] = {agent.id: agent for agent in AGENTS}
