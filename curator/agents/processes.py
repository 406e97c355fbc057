"""The search for the agent that runs this process, by environment variables or else by the names of the programs above it.

The names come from the agents' documentation and sources of November 2026. An agent that hides both counts as a person.
``AGENT`` does not count, because ssh and other programs set it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

NAMED = "CURATOR_AGENT"
"""An agent's integration may name the agent here. An empty value says that a person runs the process."""
VARIABLES = {
    "CLAUDECODE": "claude-code",
    "CLAUDE_CODE_ENTRYPOINT": "claude-code",
    "CLAUDE_CODE_SESSION_ID": "claude-code",
    "CODEX_SANDBOX": "codex",
    "CODEX_SANDBOX_NETWORK_DISABLED": "codex",
    "CODEX_THREAD_ID": "codex",
    "QWEN_CODE": "qwen",
    "QWEN_CODE_SESSION_ID": "qwen",
    "GEMINI_CLI": "gemini",
    "CURSOR_AGENT": "cursor",
    "OPENCODE": "opencode",
    "CLINE_ACTIVE": "cline",
    "GOOSE_TERMINAL": "goose",
    "COPILOT_CLI": "copilot-cli",
    "COPILOT_AGENT_SESSION_ID": "copilot-cli",
    "AI_AGENT": "an agent",
}
PROGRAMS = {
    "claude": "claude-code",
    "codex": "codex",
    "qwen": "qwen",
    "gemini": "gemini",
    "cursor-agent": "cursor",
    "copilot": "copilot-cli",
    "opencode": "opencode",
    "cline": "cline",
    "goose": "goose",
    "aider": "aider",
    "cn": "continue",
    "pi": "pi",
    "droid": "droid",
    "crush": "crush",
    "kimi": "kimi",
    "kiro-cli": "kiro",
    "agy": "antigravity",
}
INTERPRETER = re.compile(r"node|bun|deno|python[\d.]*|uv|npx")
SECONDS = 2.0


def agent(environment: Mapping[str, str]) -> str:
    """Return the agent whose process this is. Return an empty text in a person's process.

    >>> agent({"CLAUDECODE": "1"}), agent({"CURATOR_AGENT": "aider"}), agent({"CURATOR_AGENT": ""})
    ('claude-code', 'aider', '')
    """
    found = next((name for variable, name in VARIABLES.items() if environment.get(variable)), "")
    if found or NAMED in environment:
        return found or re.sub(r"[^a-z0-9-]", "", environment[NAMED].lower())[:40]
    return next((name for words in _commands_above() if (name := agent_of(words))), "")


def agent_of(command: list[str]) -> str:
    """Return the agent that a command starts. Return an empty text for any other program.

    >>> agent_of(["/usr/bin/node", "/opt/bin/gemini", "-y"]), agent_of(["codex"]), agent_of(["vim", "claude"])
    ('gemini', 'codex', '')
    """
    names = [re.sub(r"\.(?:js|mjs|cjs|py|exe)$", "", os.path.basename(word)) for word in command[:2]]
    if names and INTERPRETER.fullmatch(names[0]):
        names = names[1:]
    return PROGRAMS.get(names[0], "") if names else ""


def _commands_above() -> Iterator[list[str]]:
    """Yield the commands of the processes above this one, nearest first. Yield none if the system does not report them."""
    table = {} if sys.platform == "linux" else _process_table()
    process = os.getppid()
    with suppress(OSError, ValueError, IndexError, KeyError):
        while process > 1:
            if sys.platform == "linux":
                folder = Path("/proc", str(process))
                yield [os.fsdecode(word) for word in (folder / "cmdline").read_bytes().split(b"\0")]
                process = int((folder / "stat").read_bytes().rpartition(b")")[2].split()[1])
            else:
                process, words = table[process]
                yield words


def _process_table() -> dict[int, tuple[int, list[str]]]:
    """Return the parent and the command of each process."""
    with suppress(OSError, subprocess.SubprocessError):
        command = ["/bin/ps", "-axo", "pid=,ppid=,command="]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False, stdin=subprocess.DEVNULL)
        rows = [line.split(maxsplit=2) for line in done.stdout.splitlines()]
        return {int(row[0]): (int(row[1]), row[2].split()) for row in rows if len(row) == 3}
    return {}
