"""The protocol's own Inspector against ``curator mcp``. It is a program of npm's: without npm or its registry this skips."""

from __future__ import annotations

import json
import os
import pwd
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from curator.model import Entry, State
from tests.agents.mcp_process import COMMAND, SOURCE, put

NPX = ["npx", "-y", "-p", "node@22", "-p", "@modelcontextprotocol/inspector@2"]
BETWEEN = "----"
OFFLINE = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH", "network", "E403", "E404")


@pytest.mark.timeout(400)
@pytest.mark.skipif(shutil.which("npx") is None, reason="npx is not installed")
def test_the_inspector_sees_what_there_is(tmp_path: Path, make: Callable[..., Entry]) -> None:
    (lesson,) = put(tmp_path, make(state=State.ACTIVE, insight="Billing rounds half to even."))

    tools, called, resources, prompts = inspect(
        tmp_path,
        ["tools/list"],
        ["tools/call", "--tool-name", "search_lessons", "--tool-arg", "query=billing"],
        ["resources/list"],
        ["prompts/list"],
    )
    names = [tool["name"] for tool in tools["tools"]]
    assert names == ["search_lessons", "get_lesson", "lessons_for_file", "save_lesson", "report_outcome"]
    assert lesson in called["content"][0]["text"]
    assert called["structuredContent"]["lessons"][0]["id"] == lesson
    assert resources["resources"][0]["uri"] == "lessons://top"
    assert prompts["prompts"][0]["name"] == "review_lessons"


def inspect(folder: Path, *methods: list[str]) -> list[dict[str, Any]]:
    """What the Inspector prints for each method, asked one after another by one npx: that takes longest."""
    passed = [f"-e{name}={os.environ[name]}" for name in ("CURATOR_HOME", "PATH")]
    asks = [["mcp-inspector", "--cli", *passed, f"-ePYTHONPATH={SOURCE}", *COMMAND, "--method", *words] for words in methods]
    # npm's settings and cache are those of the person: which registry there is stands in them.
    env = {**os.environ, "HOME": pwd.getpwuid(os.getuid()).pw_dir, "npm_config_fetch_retries": "0"}
    script = f" && echo {BETWEEN} && ".join(map(shlex.join, asks))
    try:
        done = subprocess.run([*NPX, "-c", script], cwd=folder, env=env, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        pytest.skip("npm did not bring the Inspector within five minutes")
    if done.returncode and any(sign in done.stderr for sign in OFFLINE):
        pytest.skip(f"npm can't bring the Inspector: {done.stderr.strip().splitlines()[-1][:200]}")
    assert done.returncode == 0, done.stderr
    return [json.loads(answer) for answer in done.stdout.split(BETWEEN)]
