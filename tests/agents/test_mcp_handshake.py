"""The answers to a client's first requests, which need no lessons."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.agents import mcp
from curator.agents.mcp.tools import TOOLS

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a client", "version": "1"}}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "a client", "version": "1"},
}


def said(method: str, params: object, client: str = "") -> Any:
    """Return the answer to a request that needs no lessons."""
    message = mcp.message_of(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
    assert message
    return mcp.first_answer(mcp.request_of(message, client))


@pytest.mark.parametrize("version", [*mcp.HANDSHAKES, "1999-01-01", "2026-07-28", "", None])
def test_the_handshake_agrees_on_a_revision(version: object) -> None:
    answer = said("initialize", HELLO | {"protocolVersion": version})
    assert answer["protocolVersion"] == (version if version in mcp.HANDSHAKES else "2025-11-25")
    assert answer["serverInfo"]["name"] == "curator"
    assert answer["capabilities"].keys() == {"prompts", "tools"}


def test_discovery_is_of_the_modern_era_alone() -> None:
    assert said("server/discover", {"_meta": ENVELOPE})["supportedVersions"] == ["2026-07-28"]
    for method, params in (("server/discover", {}), ("initialize", HELLO | {"_meta": ENVELOPE}), ("ping", {"_meta": ENVELOPE})):
        with pytest.raises(mcp.Refusal, match="Method not found"):
            said(method, params)
    assert said("ping", None) == {}
    assert said("ping", {"_meta": {"progressToken": 1}}) == {}


@pytest.mark.parametrize("client", ["a client", "@cline/core", "qwen-cli-mcp-client-curator"])
def test_lists_are_for_the_client(client: str) -> None:
    envelope = ENVELOPE | {"io.modelcontextprotocol/clientInfo": {"name": client, "version": "1"}}
    for answer in (said("tools/list", {}, client), said("tools/list", {"_meta": envelope})):
        assert ("outputSchema" in json.dumps(answer)) == (client == "a client"), "others hand on text and structure"
    assert len(said("prompts/list", {})["prompts"]) == 2


JUNK: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["_meta", "clientInfo", "name", "protocolVersion", *ENVELOPE]) | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
)


@given(st.sampled_from(["initialize", "server/discover", "ping", "tools/list", "x"]), JUNK)
def test_whatever_a_request_holds_is_answered_or_refused(method: str, params: object) -> None:
    with suppress(mcp.Refusal):
        assert json.dumps(said(method, params))


@given(st.text(max_size=60))
def test_any_line_may_come_first(line: str) -> None:
    mcp.message_of(line)
    assert mcp.message_of(json.dumps({"id": line, "method": line, "params": line})) is not None


@pytest.mark.parametrize("id_", [None, True, 1.5, [], {}])
def test_a_request_without_a_proper_id_is_none(id_: object) -> None:
    assert mcp.message_of(json.dumps({"id": id_, "method": "ping"})) is None


def test_what_is_said_of_us_is_short_and_can_be_found() -> None:
    assert len(mcp.INSTRUCTIONS.encode()) < 1_024
    for tool in TOOLS:
        assert len(tool.description.encode()) < 2_048
        assert len(json.dumps(tool.schema).encode()) < 2_048
    said = " ".join([mcp.INSTRUCTIONS, *(tool.description for tool in TOOLS)]).lower()
    for word in ("lessons learned", "earlier sessions", "past mistakes", "constraints", "decisions", "conventions", "gotcha"):
        assert word in said
