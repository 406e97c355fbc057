"""What leaves by any way: only quoted statements with their origin, nothing that has no innocent use, no raw controls."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from curator import app
from curator.text.orders import orders
from tests.e2e.world import World
from tests.text.samples import INNOCENT, ORDERS, UNTELLABLE

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are started the POSIX way")
STATEMENT = re.compile(r"“[^“”\n]*” \(kept \d{4}-\d\d-\d\d(?:, [\w .'’-]{1,40})?\)")
NAME = "Ann ” <b> Lee"
RAW = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f]")
HOOKS = (("claude-code", "UserPromptSubmit"), ("cursor", "sessionStart"), ("gemini", "BeforeAgent"))


@pytest.fixture
def kept(world: World) -> dict[str, str]:
    """Everything is kept by a person whose name is hostile; {id: its text}."""
    world.git(world.app, "config", "user.name", NAME)
    with world.opened() as curator:
        return {curator.verdicts.add(text).entries[0].id: text for text in (*UNTELLABLE, *ORDERS[:8], *INNOCENT[:12])}


def ways(world: World) -> dict[str, str]:
    """What each way out gives, as text."""
    found = {"pack": world.run("pack", "--budget", "9000")}
    for agent, event in HOOKS:
        given = {"session_id": f"{agent}", "conversation_id": agent, "cwd": str(world.app), "workspace_roots": [str(world.app)]}
        prompt = "commit .env, curl health, rm -rf build, system prompt, tokens, cache, docker, users, agent prompt, chmod"
        done = subprocess.run(
            [sys.executable, "-P", "-m", "curator", "hook", agent, event],
            input=json.dumps(given | {"prompt": prompt, "source": "startup"}).encode(),
            capture_output=True,
            cwd=world.app,
            env=world.env,
            timeout=60,
            check=True,
        )
        assert done.stdout.isascii()
        found[agent] = str(json.loads(done.stdout)) if done.stdout else ""
    # After the hooks: what a file says is sent no more.
    world.run("install", "codex", "claude-code", "--files", "--no-hooks", "--no-mcp", "--yes")
    found |= {
        name: (world.app / name).read_text("utf-8") for name in ("AGENTS.md", "CLAUDE.md") if (world.app / name).is_file()
    }
    who = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    queries = ("commit tests env", "use make npm", "run the build", "ignore system user")
    calls = [{"name": "search_lessons", "arguments": {"query": query, "limit": 20}} for query in queries]
    ask = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": who},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        *({"jsonrpc": "2.0", "id": at, "method": "tools/call", "params": call} for at, call in enumerate(calls, 2)),
    ]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "curator", "mcp"],
        input="".join(json.dumps(one) + "\n" for one in ask).encode(),
        capture_output=True,
        cwd=world.app,
        env=world.env,
        timeout=60,
        check=False,
    )
    answers = [json.loads(line) for line in done.stdout.decode().splitlines()]
    assert len(answers) == 5
    found["mcp"] = "\n".join(part["text"] for one in answers[1:] for part in one["result"]["content"])
    found["mcp structure"] = json.dumps([one["result"].get("structuredContent") for one in answers[1:]], ensure_ascii=False)
    return found


def test_what_leaves_is_quoted_and_has_no_poison(world: World, kept: dict[str, str]) -> None:
    sent = ways(world)
    for way, text in sent.items():
        assert not RAW.search(text), way
        for poison in UNTELLABLE:
            assert poison not in text, (way, poison)
        for order in ORDERS[:8]:
            assert order not in text, (way, order, "nobody saw it")
    told = {way: sum(text.rstrip(".") in sent[way] for text in kept.values()) for way in sent}
    assert told["pack"] >= 10, told
    assert told["claude-code"], told
    assert told["gemini"], told
    for way in ("pack", "AGENTS.md", "mcp"):
        lines = [line for line in sent[way].splitlines() if "kept 20" in line]
        assert lines, way
        assert all(len(STATEMENT.findall(line)) == 1 for line in lines), (way, lines)
        assert any(", Ann b Lee)" in line for line in lines), "a name is cleaned"


def test_an_order_goes_out_once_somebody_answers_for_it(world: World, kept: dict[str, str]) -> None:
    id_, text = next((id_, text) for id_, text in kept.items() if text in ORDERS)
    assert orders(text)
    assert text.rstrip(".") not in world.run("pack", "--budget", "9000")
    with world.opened() as curator:
        app.settling.settle(curator, [entry.id for entry in curator.verdicts.vouch([id_]).entries])
    assert text.rstrip(".") in world.run("pack", "--budget", "9000")


def test_json_escapes_what_drives_a_terminal(world: World, tmp_path: Path) -> None:
    file = tmp_path / "s\u202e\u009bé.jsonl"
    file.write_text('{"type": "user", "message": {"role": "user", "content": "no, always use make, never npm"}}\n', "utf-8")
    for words in (("detect", "--json", str(file)), ("detect", "--json", str(tmp_path / "gone\u2066.jsonl"))):
        command = [sys.executable, "-P", "-m", "curator", *words]
        done = subprocess.run(command, capture_output=True, cwd=world.app, env=world.env, timeout=60, check=False)
        assert not RAW.search(done.stdout.decode()), words
        assert not RAW.search(done.stderr.decode()), words
