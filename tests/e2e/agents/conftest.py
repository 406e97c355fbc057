"""Writes down what the runs with real clients showed, for the table in docs/agents.md."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.agents.clients import Client

RECORD = "CURATOR_E2E_RECORD"
"""Names the file that gets a line for each test that passed: which client of which version showed what."""
VERSION = re.compile(r"\d+(?:\.\d+)+")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[Any]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note what a test that passed has ``shown``."""
    report = yield
    marker = item.get_closest_marker("shows")
    if report.when == "call" and report.passed and marker and RECORD in os.environ:
        params = item.callspec.params  # type: ignore[attr-defined]
        client: Client = params["client"] if "client" in params else (params.get("plugged") or params["remembering"]).client
        columns = [column for name in marker.args for column in of(client, name)]
        line = json.dumps({"client": client.id, "version": version(client), "shows": columns})
        with Path(os.environ[RECORD]).open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
    return report


def of(client: Client, name: str) -> list[str]:
    """The columns behind one that stands for what this client can."""
    if name == "moments":
        return sorted(client.hears)
    return [name] if name != "MCP" or client.tool else []


def version(client: Client) -> str:
    """What a client says of itself."""
    done = subprocess.run([client.where(), "--version"], capture_output=True, text=True, timeout=60, check=False)
    found = VERSION.search(done.stdout)
    return found[0] if found else ""
