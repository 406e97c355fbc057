"""The table of what was tried with real clients, from the lines that their runs left: see ``conftest``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from tests.e2e.agents.clients import CLIENTS, Client

RESULTS = Path(__file__).with_name("results.jsonl")
COLUMNS = (
    *("start", "prompt", "file", "compaction", "resume", "subagent"),
    *("MCP", "rules file", "transcript", "plugin", "notes", "uninstall"),
)
PLUGGED = frozenset({"claude-code", "codex", "copilot-cli", "qwen"})
NOTING = frozenset({"claude-code", "gemini", "qwen"})
"""The clients whose models write notes in a session, without a run in the background."""


def table() -> Iterator[str]:
    """Its lines, as Markdown."""
    yield f"| agent | version | {' | '.join(COLUMNS)} |"
    yield "|---" * (len(COLUMNS) + 2) + "|"
    lines = [json.loads(line) for line in RESULTS.read_text(encoding="utf-8").splitlines()]
    for client in CLIENTS:
        own = [line for line in lines if line["client"] == client.id]
        shown = {column for line in own for column in line["shows"]}
        versions = " ".join(dict.fromkeys(line["version"] for line in own)) or "untried"
        cells = ("yes" if column in shown else "untried" if possible(client, column) else "–" for column in COLUMNS)
        yield f"| `{client.id}` | {versions} | {' | '.join(cells)} |"


def possible(client: Client, column: str) -> bool:
    """Whether there is such a thing to be tried: no moment without hooks that are heard, no server, no plugin."""
    if column in ("start", "prompt", "file"):
        return column in client.hears
    if column in ("compaction", "resume", "subagent"):
        return bool(client.hears)
    if column == "notes":
        return client.id in NOTING
    return not (column == "MCP" and not client.tool) and not (column == "plugin" and client.id not in PLUGGED)
