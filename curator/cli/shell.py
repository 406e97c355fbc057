"""In whose shell a command runs: an agent's is known, so that its verdicts are logged as what they are."""

from __future__ import annotations

from collections.abc import Mapping

from curator.model import IN_AGENT, PERSON

AGENTS = {
    "CLAUDECODE": "claude-code",
    "CLAUDE_CODE_ENTRYPOINT": "claude-code",
    "CODEX_SANDBOX": "codex",
    "CODEX_SANDBOX_NETWORK_DISABLED": "codex",
    "CODEX_THREAD_ID": "codex",
    "QWEN_CODE": "qwen",
    "GEMINI_CLI": "gemini",
    "CURSOR_AGENT": "cursor",
    "OPENCODE": "opencode",
    "CLINE_ACTIVE": "cline",
    "GOOSE_TERMINAL": "goose",
    "COPILOT_CLI": "copilot-cli",
    "AI_AGENT": "an agent",
}
"""What an agent sets in the shells that it starts, and our id of it. ``AGENT`` is left out: ssh and others use it too."""


def agent(environment: Mapping[str, str]) -> str:
    """The agent in whose shell this is; empty in a person's.

    >>> agent({"CLAUDECODE": "1"}), agent({"CLAUDECODE": ""})
    ('claude-code', '')
    """
    return next((name for variable, name in AGENTS.items() if environment.get(variable)), "")


def actor(environment: Mapping[str, str]) -> str:
    """Who stands in the history for what a command does.

    >>> actor({"GEMINI_CLI": "1"}), actor({})
    ('cli (in gemini)', 'person')
    """
    name = agent(environment)
    return IN_AGENT.format(name) if name else PERSON
