"""The greeting says what the SDK says; whatever it leaves alone the SDK answers."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from mcp.server.stdio import stdio_server

from curator.agents.mcp import transport
from curator.agents.mcp.server import make_server
from curator.agents.mcp.tools import TOOLS
from curator.agents.mcp.transport import Handshake
from curator.app.mcp import Serving
from curator.settings import Settings

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a client", "version": "1"}}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "a client", "version": "1"},
}


class Ends:
    """Files that give some lines and take as many answers."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines[::-1]
        self.wanted = len(lines)
        self.said: list[str] = []
        self.done = threading.Event()

    def readline(self) -> str:
        if self.lines:
            return self.lines.pop()
        self.done.wait(20)
        return ""

    def write(self, text: str) -> int:
        self.said.append(text)
        if len(self.said) == self.wanted:
            self.done.set()
        return len(text)

    def flush(self) -> None:
        pass


async def sdk(*requests: dict[str, Any]) -> list[Any]:
    """What the SDK answers to the first requests of a connection, by their order."""
    ends = Ends([json.dumps(request) + "\n" for request in requests])
    file: Any = ends
    server = make_server(Serving(Settings(home=Path("/nowhere")), "/nowhere"))
    async with stdio_server(anyio.wrap_file(file), anyio.wrap_file(file)) as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())
    told = [json.loads(line) for line in ends.said]
    ids = [request["id"] for request in requests]
    return sorted(told, key=lambda message: ids.index(message["id"]) if message.get("id") in ids else 0)


def greeted(*requests: dict[str, Any]) -> list[Any]:
    """What the greeting answers to them; ``None`` where it leaves a request to the SDK."""
    talk = Handshake()
    return [None if said is None else json.loads(said) for said in map(talk.answer, requests)]


def asked(method: str, params: object, id_: object = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}


LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")


@pytest.mark.parametrize("version", [*transport.HANDSHAKES, "1999-01-01", "2026-07-28", ""])
@pytest.mark.parametrize("client", ["a client", "@cline/core", "qwen-cli-mcp-client-curator"])
async def test_the_handshake_is_what_the_sdk_says(version: str, client: str) -> None:
    hello = HELLO | {"protocolVersion": version, "clientInfo": {"name": client, "version": "1"}}
    requests = [asked("initialize", hello, "first")]
    requests += [{"jsonrpc": "2.0", "id": at, "method": method} for at, method in enumerate(LISTS)]
    said = greeted(*requests)
    assert None not in said
    assert said == await sdk(*requests)
    assert ("outputSchema" in json.dumps(said)) == (client == "a client"), "others hand on text and structure"


@pytest.mark.parametrize("client", ["a client", "copilot-cli"])
async def test_discovery_is_what_the_sdk_says(client: str) -> None:
    envelope = ENVELOPE | {"io.modelcontextprotocol/clientInfo": {"name": client, "version": "1"}}
    requests = [asked(method, {"_meta": envelope}, at) for at, method in enumerate(("server/discover", *LISTS))]
    said = greeted(*requests)
    assert None not in said
    assert said == await sdk(*requests)
    assert greeted(requests[1]) == await sdk(requests[1])  # the modern era has no handshake


def test_what_is_not_beyond_doubt_is_left_to_the_sdk() -> None:
    hello, call = asked("initialize", HELLO), asked("tools/call", {"name": "get_lesson", "arguments": {}})
    modern, bare = asked("tools/list", {"_meta": ENVELOPE}), asked("tools/list", {})
    assert greeted(bare) == [None]  # before the handshake
    assert greeted(hello, call, asked("tools/list", {"cursor": "x"}), asked("ping", {}))[1:] == [None] * 3
    assert greeted(hello, modern, hello)[1:] == [None, None]  # one connection has one era
    assert greeted(modern, bare, hello)[1:] == [None, None]


CAPABILITIES: tuple[Any, ...] = (
    {"roots": {"listChanged": True}, "sampling": {}, "elicitation": {"form": {}, "url": {}}},
    {"experimental": {"x": {"y": {"z": False}}}, "tasks": {"requests": {"elicitation": {"create": {}}}}},
    {"roots": {"listChanged": "perhaps"}},
    {"sampling": True},
    {"unheard of": {}},
    [],
    None,
)


@pytest.mark.parametrize("capabilities", CAPABILITIES)
async def test_what_clients_can_do_changes_nothing(capabilities: object) -> None:
    for request in (
        asked("initialize", HELLO | {"capabilities": capabilities}),
        asked("server/discover", {"_meta": ENVELOPE | {"io.modelcontextprotocol/clientCapabilities": capabilities}}),
    ):
        said = greeted(request)
        assert said == [None] or said == await sdk(request)


IDS = st.one_of(st.integers(-(2**63), 2**63 - 1), st.text(max_size=20), st.none(), st.booleans(), st.floats(allow_nan=False))
VALUES: st.SearchStrategy[Any] = st.one_of(st.none(), st.booleans(), st.text(max_size=10), st.just({}), st.just([]))
PEOPLE = st.dictionaries(st.sampled_from(["name", "version", "title", "icons", "x"]), VALUES, max_size=4)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(id_=IDS, client=PEOPLE, version=st.one_of(VALUES, st.sampled_from(transport.HANDSHAKES)), more=st.booleans())
@example(id_=0, client={"name": "", "version": "", "icons": ""}, version="", more=False)
def test_it_never_says_what_the_sdk_would_not(id_: object, client: dict[str, Any], version: object, more: bool) -> None:
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": client} | ({"_meta": {}} if more else {})
    for request in (asked("initialize", params, id_), asked("initialize", HELLO, id_), asked("server/discover", params, id_)):
        said = greeted(request)
        if said != [None]:
            assert said == anyio.run(sdk, request)


@given(st.text(max_size=60))
def test_any_line_may_come_first(line: str) -> None:
    transport.opening(line)
    request = transport.opening(json.dumps({"id": line, "method": line, "params": line}))
    assert request is not None
    assert Handshake().answer(request) is None


def test_what_is_said_of_us_is_short_and_can_be_found() -> None:
    assert len(transport.INSTRUCTIONS.encode()) < 1_024
    for tool in TOOLS:
        assert len(tool.description.encode()) < 2_048
        assert len(json.dumps(tool.schema).encode()) < 2_048
    said = " ".join([transport.INSTRUCTIONS, *(tool.description for tool in TOOLS)]).lower()
    for word in ("lessons learned", "earlier sessions", "past mistakes", "constraints", "decisions", "conventions", "gotcha"):
        assert word in said
