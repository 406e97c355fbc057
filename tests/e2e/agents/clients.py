"""The clients that are tried: where each is found, how it is told to ask the scripted model, what the model then does."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.e2e.agents.model import Call, Model
from tests.e2e.world import World
from tests.files import write_file

FOLDER = "CURATOR_E2E_AGENTS"
"""Names folders as ``npm install --prefix FOLDER`` and ``python -m venv FOLDER`` make them, separated as in PATH."""
START, PROMPT, FILED = "start", "prompt", "file"
"""The moments of a session at which hooks answer."""
FILE = "vendor/retry.py"
PATCH = f"*** Begin Patch\n*** Update File: {FILE}\n@@\n-x = 1\n+x = 2\n*** End Patch\n"


EVERY = frozenset({START, PROMPT, FILED})


@dataclass(frozen=True, slots=True)
class Client:
    """An agent that runs without a terminal: its id with us, its program, and how it is set up and called."""

    id: str
    program: str
    prepare: Callable[[World, Model], None]
    """Write its settings, before ``curator install``."""
    command: Callable[[str], Sequence[str]]
    """Its arguments for a prompt."""
    calls: Callable[[Path], Sequence[Call]]
    """What the model does in a project: change ``FILE``, search the lessons."""
    tool: str = ""
    """Stands in a request once the server's tools are in front of the model."""
    hears: frozenset[str] = EVERY
    """The moments at which its model gets to know what a hook answers; where there are any, a hook has its transcript read."""
    resume: Sequence[str] = ()
    """What goes on with the last session, behind the other arguments."""
    compact: str = ""
    """The command that has it compact the session; behind ``>`` one that is heard only in a terminal."""
    delegate: Call | None = None
    """How its model has a subagent do what comes next."""
    shell: Callable[[str], Call] | None = None
    """How its model runs a command."""
    names_session: bool = False
    """Whether it tells the servers that it starts which session that is for."""
    typed: Mapping[str, str] = field(default_factory=dict)
    """What its sessions say where no person typed, as a pattern, so that nothing said in them is anybody's rule → where one
    did. In a database it is a statement."""

    def where(self) -> str:
        """Its path; empty where it is not installed."""
        return shutil.which(self.program, path=programs() or None) or ""


def programs() -> str:
    """Where programs stand in the folders that ``FOLDER`` names, as PATH has it; a Node.js of their own, too."""
    given = filter(None, os.environ.get(FOLDER, "").split(os.pathsep))
    return os.pathsep.join(str(Path(folder) / below) for folder in given for below in ("node_modules/.bin", "bin"))


def _codex(world: World, model: Model) -> None:
    write_file(
        world.home / ".codex" / "config.toml",
        f'model = "gpt-5.5"\nmodel_provider = "scripted"\n\n[model_providers.scripted]\nname = "scripted"\n'
        f'base_url = "{model.url}/v1"\nwire_api = "responses"\n',
    )


def _claude(world: World, model: Model) -> None:
    known = {"hasCompletedOnboarding": True, "projects": {str(world.app): {"hasTrustDialogAccepted": True}}}
    write_file(world.home / ".claude.json", json.dumps(known))


def _gemini(world: World, model: Model) -> None:
    settings = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"disableAutoUpdate": True}}
    write_file(world.home / ".gemini" / "settings.json", json.dumps(settings | {"privacy": {"usageStatisticsEnabled": False}}))


def _opencode(world: World, model: Model) -> None:
    options = {"baseURL": f"{model.url}/v1", "apiKey": "none"}
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "scripted", "options": options}
    provider["models"] = {"m": {"name": "m", "tool_call": True, "limit": {"context": 100_000, "output": 4_000}}}
    settings = {"provider": {"scripted": provider}, "model": "scripted/m", "autoupdate": False, "share": "disabled"}
    write_file(world.home / ".config" / "opencode" / "opencode.json", json.dumps(settings, indent=2))


def _qwen(world: World, model: Model) -> None:
    settings = {
        "security": {"auth": {"selectedType": "openai"}},
        "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
    }
    write_file(world.home / ".qwen" / "settings.json", json.dumps(settings | {"privacy": {"usageStatisticsEnabled": False}}))


def _nothing(world: World, model: Model) -> None:
    """Everything stands in the environment."""


def _cline(world: World, model: Model) -> None:
    provider = {"provider": "openai-compatible", "apiKey": "none", "model": "scripted", "baseUrl": f"{model.url}/v1"}
    known = {"settings": provider, "updatedAt": "2026-11-01T00:00:00.000Z", "tokenSource": "manual"}
    settings = {"version": 1, "lastUsedProvider": "openai-compatible", "providers": {"openai-compatible": known}}
    folder = world.home / ".cline" / "data" / "settings"
    write_file(folder / "providers.json", json.dumps(settings))
    write_file(folder / "global-settings.json", json.dumps({"telemetryOptOut": True, "autoUpdateEnabled": False}))


def _continue(world: World, model: Model) -> None:
    write_file(
        world.home / ".continue" / "config.yaml",
        f"name: scripted\nversion: 1.0.0\nschema: v1\nmodels:\n  - name: scripted\n    provider: openai\n"
        f"    model: scripted\n    apiBase: {model.url}/v1\n    apiKey: none\n    roles: [chat]\n"
        f"    capabilities: [tool_use]\n",
    )


def _goose(world: World, model: Model) -> None:
    write_file(
        world.home / ".config" / "goose" / "config.yaml",
        f"GOOSE_PROVIDER: openai\nGOOSE_MODEL: scripted\nGOOSE_MODE: auto\nGOOSE_TELEMETRY_ENABLED: false\n"
        f"OPENAI_HOST: {model.url}\nOPENAI_BASE_PATH: v1/chat/completions\nextensions:\n  developer:\n"
        f"    type: builtin\n    name: developer\n    enabled: true\n    timeout: 300\n",
    )


def _pi(world: World, model: Model) -> None:
    provider = {"baseUrl": f"{model.url}/v1", "api": "openai-completions", "apiKey": "none", "models": [{"id": "m"}]}
    write_file(world.home / ".pi" / "agent" / "models.json", json.dumps({"providers": {"scripted": provider}}))


def _kimi(world: World, model: Model) -> None:
    write_file(
        world.home / ".kimi-code" / "config.toml",
        f'default_model = "m"\ntelemetry = false\n[providers.s]\ntype = "openai"\nbase_url = "{model.url}/v1"\n'
        f'api_key = "none"\n[models.m]\nprovider = "s"\nmodel = "m"\nmax_context_size = 100000\n',
    )


def _droid(world: World, model: Model) -> None:
    known = {"model": "m", "displayName": "m", "id": "custom:m-0", "index": 0, "baseUrl": f"{model.url}/v1", "apiKey": "none"}
    known |= {"provider": "generic-chat-completion-api", "maxOutputTokens": 4_000}
    settings = {"customModels": [known], "cloudSessionSync": False, "model": "custom:m-0"}
    write_file(world.home / ".factory" / "settings.json", json.dumps(settings))


def environment(world: World, model: Model) -> dict[str, str]:
    """What a client sees: nothing of the person who runs this, and no way out but to the model."""
    keep = ("PATH", "CURATOR_HOME", "CURATOR_PLUGINS", "LC_ALL", "TZ", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM")
    env = {name: os.environ[name] for name in keep if name in os.environ} | {"HOME": str(world.home)}
    env["PATH"] = os.pathsep.join(filter(None, (programs(), env["PATH"])))
    env |= {"GOOGLE_GEMINI_BASE_URL": model.url, "GEMINI_API_KEY": "none", "GEMINI_CLI_TRUST_WORKSPACE": "true"}
    env |= {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "none", "IS_SANDBOX": "1"}
    env |= {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
    env |= {"OPENAI_BASE_URL": f"{model.url}/v1", "OPENAI_API_KEY": "none", "OPENAI_MODEL": "scripted"}
    env |= {"COPILOT_PROVIDER_BASE_URL": f"{model.url}/v1", "COPILOT_MODEL": "scripted", "COPILOT_OFFLINE": "true"}
    env |= {"HTTPS_PROXY": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1"}  # nobody is there
    env |= {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    env |= {"CLINE_NO_AUTO_UPDATE": "1", "CLINE_SESSION_BACKEND_MODE": "local", "CONTINUE_METRICS_ENABLED": "0"}
    env |= {"GOOSE_DISABLE_KEYRING": "1", "PI_OFFLINE": "1", "KIMI_CODE_NO_AUTO_UPDATE": "1", "FACTORY_AIRGAP_ENABLED": "1"}
    opencode = ("MODELS_FETCH", "AUTOUPDATE", "LSP_DOWNLOAD")
    return env | {f"OPENCODE_DISABLE_{what}": "1" for what in opencode}


LESSONS = {"query": "vendor by hand"}
CODEX = Client(
    id="codex",
    program="codex",
    prepare=_codex,
    command=lambda prompt: (
        "exec", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox", prompt,
    ),
    # Its servers start beside the first requests, and a model that looks too early finds no tools.
    calls=lambda folder: (
        Call("apply_patch", {"input": PATCH}, kind="custom_tool_call"),
        Call("exec_command", {"cmd": "sleep 0.2"}, until="mcp__curator"),
        Call("tool_search", {"query": "search lessons learned in earlier sessions"}, kind="tool_search_call"),
        Call("search_lessons", LESSONS, namespace="mcp__curator"),
    ),
    tool="mcp__curator",
    shell=lambda command: Call("exec_command", {"cmd": command}),
    typed={'"originator":"codex_exec"': '"originator":"codex-tui"', '"source":"exec"': '"source":"cli"'},
)  # fmt: skip
GEMINI = Client(
    id="gemini",
    program="gemini",
    prepare=_gemini,
    command=lambda prompt: ("--yolo", "-m", "gemini-2.5-flash", "-p", prompt),
    calls=lambda folder: (Call("read_file", {"file_path": str(folder / FILE)}), Call("mcp_curator_search_lessons", LESSONS)),
    tool="mcp_curator_search_lessons",
    compact=">/compress",
    shell=lambda command: Call("run_shell_command", {"command": command}),
    resume=("--resume", "latest"),
    typed={r'"startTime":"\d{4}': '"startTime":"2020'},
)
OPENCODE = Client(
    id="opencode",
    program="opencode",
    prepare=_opencode,
    command=lambda prompt: ("run", prompt),
    calls=lambda folder: (Call("read", {"filePath": str(folder / FILE)}), Call("curator_search_lessons", LESSONS)),
    tool="curator_search_lessons",
    shell=lambda command: Call("bash", {"command": command, "description": "look"}),
    resume=("--continue",),
    typed={"UPDATE session SET permission = NULL": ""},
)
CLAUDE = Client(
    id="claude-code",
    program="claude",
    prepare=_claude,
    command=lambda prompt: ("-p", prompt, "--dangerously-skip-permissions"),
    calls=lambda folder: (Call("Read", {"file_path": str(folder / FILE)}), Call("mcp__curator__search_lessons", LESSONS)),
    tool="mcp__curator__search_lessons",
    names_session=True,
    shell=lambda command: Call("Bash", {"command": command, "description": "look"}),
    compact="/compact",
    delegate=Call("Agent", {"description": "look", "prompt": "Read vendor/retry.py.", "subagent_type": "general-purpose"}),
    resume=("--continue",),
    typed={'"entrypoint":"sdk-cli"': '"entrypoint":"cli"'},
)
QWEN = Client(
    id="qwen",
    program="qwen",
    prepare=_qwen,
    command=lambda prompt: ("--yolo", "-p", prompt),
    calls=lambda folder: (Call("read_file", {"file_path": str(folder / FILE)}), Call("mcp__curator__search_lessons", LESSONS)),
    tool="mcp__curator__search_lessons",
    names_session=True,
    shell=lambda command: Call("run_shell_command", {"command": command, "is_background": False}),
    resume=("--continue",),
)
COPILOT = Client(
    id="copilot-cli",
    program="copilot",
    prepare=_nothing,
    command=lambda prompt: ("-p", prompt, "--allow-all-tools", "--allow-all-paths"),
    calls=lambda folder: (Call("view", {"path": str(folder / FILE)}), Call("curator-search_lessons", LESSONS)),
    tool="curator-search_lessons",
    names_session=True,
    shell=lambda command: Call("bash", {"command": command, "description": "look"}),
    compact="/compact",
    resume=("--continue",),
    typed={"in non-interactive mode": "in a terminal"},
)
CLINE = Client(
    id="cline",
    program="cline",
    prepare=_cline,
    command=lambda prompt: ("--auto-approve", "true", prompt),
    calls=lambda folder: (
        Call("read_files", {"files": [{"path": str(folder / FILE)}]}),
        Call("curator__search_lessons", LESSONS),
    ),
    tool="search_lessons",
    shell=lambda command: Call("run_commands", {"commands": [command]}),
    hears=frozenset({PROMPT, FILED}),
    typed={'"interactive": false': '"interactive": true'},
)
CONTINUE = Client(
    id="continue",
    program="cn",
    prepare=_continue,
    command=lambda prompt: ("-p", "--auto", prompt),
    calls=lambda folder: (Call("Read", {"filepath": str(folder / FILE)}), Call("search_lessons", LESSONS)),
    tool="search_lessons",
    shell=lambda command: Call("Bash", {"command": command}),
    hears=frozenset(),
)
GOOSE = Client(
    id="goose",
    program="goose",
    prepare=_goose,
    command=lambda prompt: ("run", "-t", prompt),
    calls=lambda folder: (Call("developer__shell", {"command": f"cat {FILE}"}), Call("curator__search_lessons", LESSONS)),
    tool="curator__search_lessons",
    shell=lambda command: Call("developer__shell", {"command": command}),
    hears=frozenset(),
)
AIDER = Client(
    id="aider",
    program="aider",
    prepare=_nothing,
    command=lambda prompt: (
        *"--model openai/scripted --yes-always --analytics-disable --no-check-update --no-show-model-warnings".split(),
        *("--no-show-release-notes", "--no-gitignore", "--message", prompt),
    ),
    calls=lambda folder: (),
    hears=frozenset(),
)
CLIENTS = (CLAUDE, CODEX, GEMINI, OPENCODE, QWEN, COPILOT, CLINE, CONTINUE, GOOSE, AIDER)

FAILS = "echo broken >&2; exit 3"
"""A command that fails."""
PI = Client(
    id="pi",
    program="pi",
    prepare=_pi,
    command=lambda prompt: ("--provider", "scripted", "--model", "m", "-p", prompt),
    calls=lambda folder: (
        Call("bash", {"command": FAILS}),
        Call("edit", {"path": FILE, "edits": [{"oldText": "x = 1", "newText": "x = 2"}]}),
    ),
    hears=frozenset(),
)
KIMI = Client(
    id="kimi",
    program="kimi",
    prepare=_kimi,
    command=lambda prompt: ("-p", prompt),
    calls=lambda folder: (
        Call("Bash", {"command": FAILS}),
        Call("Edit", {"path": str(folder / FILE), "old_string": "x = 1", "new_string": "x = 2"}),
    ),
    hears=frozenset(),
)
DROID = Client(
    id="droid",
    program="droid",
    prepare=_droid,
    command=lambda prompt: ("exec", "--auto", "high", "-m", "custom:m-0", prompt),
    calls=lambda folder: (
        Call("Execute", {"command": FAILS, "summary": "x", "riskLevel": "high", "riskLevelReason": "x", "timeout": 60}),
        Call("Edit", {"file_path": str(folder / FILE), "old_str": "x = 1", "new_str": "x = 2"}),
    ),
    hears=frozenset(),
    typed={'"name": "exec"': '"name": "ide"'},
)
READ = (PI, KIMI, DROID)
"""Clients whose sessions curator reads, and for which it installs nothing."""
