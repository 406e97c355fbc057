"""TOML and YAML settings edited by lines: comments and order stay, and what can't be edited safely is refused."""

from __future__ import annotations

import tomllib

import pytest
import yaml

from curator.agents.install.line_edit import BlockUnderKey, Table
from curator.errors import MalformedFile

TABLE = Table(("mcp_servers", "curator"), {"command": '"curator"', "args": '["mcp"]', "startup_timeout_sec": "30"})
OURS = {"command": "curator", "args": ["mcp"], "startup_timeout_sec": 30}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        'model = "x"\n',
        'model = "x"',
        'model = "x"\n\n\n',
        '# mine\r\nmodel = "x" # why\r\n\r\n[features]\r\nhooks = true\r\n',
        '[mcp_servers.other]\ncommand = "o"\n[mcp_servers.other.env]\nA = "1"',
        'text = """\n[mcp_servers.nothing]\n"""\n',
        "[[list]]\na = 1\n\n[[list]]\na = 2\n# the end\n",
    ],
)
def test_a_table_comes_and_goes_without_a_trace(text: str) -> None:
    there = TABLE.put(text, "f")
    data = tomllib.loads(there)
    assert data["mcp_servers"].pop("curator") == OURS
    rest = tomllib.loads(text)
    assert {"mcp_servers": {}, **rest} == data
    assert there.startswith(text)
    assert TABLE.put(there, "f") == there
    assert TABLE.take(there, "f", text) == text


def test_an_older_table_is_set_right_where_it_stands_and_keeps_the_rest() -> None:
    text = (
        '[mcp_servers.curator] # ours\ncommand = "old" # x\nenabled = true\n\n'
        '[mcp_servers.curator.env]\nA = "1"\n\n# of other\n[mcp_servers.other]\ncommand = "o"\n'
    )
    there = TABLE.put(text, "f")
    assert tomllib.loads(there)["mcp_servers"]["curator"] == OURS | {"enabled": True, "env": {"A": "1"}}
    assert "# ours" in there
    assert TABLE.take(there, "f", None) == '\n# of other\n[mcp_servers.other]\ncommand = "o"\n'


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a = \n", 1),
        ("ok = 1\n[x\n", 2),
        ("mcp_servers = { other = { command = 'o' } }\n", 1),
        ("mcp_servers.curator.command = 'o'\n", 1),
    ],
)
def test_toml_that_can_not_be_edited_is_refused(text: str, line: int) -> None:
    with pytest.raises(MalformedFile) as caught:
        TABLE.put(text, "config.toml")
    assert caught.value.line == line


GOOSE = BlockUnderKey("extensions", "curator", {"type": "stdio", "args": ["mcp"], "enabled": True})
CONTINUE = BlockUnderKey("mcpServers", "curator", {"name": "curator", "command": "curator", "args": ["mcp"]}, listed=True)
READ = BlockUnderKey("read", ".curator/aider.md", ".curator/aider.md", listed=True)


@pytest.mark.parametrize("part", [GOOSE, CONTINUE, READ], ids=["goose", "continue", "aider"])
@pytest.mark.parametrize(
    "text",
    [
        "",
        "a: 1\n",
        "# mine\na: 1 # why\nb:\n  - x\n",
        "extensions:\n  one: # first\n    enabled: true\n\n  two:\n    enabled: false\n\nlast: 1\n",
        "extensions:\n    one:\n        x: 1\nmcpServers:\n    - name: other\n      command: o\nread:\n    - A.md\nz: 1\n",
        "mcpServers:\n- name: other\n  args:\n  - x\nread:\n- A.md\nz: 1\n",
        "read: [A.md]\n",
        "read: [A.md, 'B C.md'] # both\nz: 1\n",
        "a: 1\r\nread:\r\n  - A.md\r\nextensions:\r\n  one:\r\n    x: 1\r\nmcpServers:\r\n  - name: o\r\n",
    ],
)
def test_yaml_gets_ours_and_gives_it_back(part: BlockUnderKey, text: str) -> None:
    there = part.put(text, "f")
    before, after = yaml.safe_load(text) or {}, yaml.safe_load(there)
    mine = after.pop(part.key)
    old = before.pop(part.key, None)
    assert after == before
    if part.listed:
        assert mine == [*(old or []), part.value]
    else:
        assert mine == {**(old or {}), part.name: part.value}
    assert part.put(there, "f") == there
    assert part.take(there, "f", text) == text


def test_an_older_entry_is_replaced() -> None:
    text = "extensions:\n  curator:\n    type: stdio\n    args: [old]\n  other:\n    a: 1\n"
    assert yaml.safe_load(GOOSE.put(text, "f")) == {"extensions": {"other": {"a": 1}, "curator": GOOSE.value}}


def test_a_single_word_becomes_a_list() -> None:
    assert READ.put("read: A.md # why\nz: 1\n", "f") == "read: [A.md, .curator/aider.md] # why\nz: 1\n"


@pytest.mark.parametrize(
    "text",
    [
        "a: [\n",
        'a: "\\UFFFFFFFF"\n',
        "a: 2026-99-99\n",
        "- a\n",
        "extensions: {one: {enabled: true}}\n",
        "extensions: &x\n  one: 1\n",
        "a: !!python/object:x.Y {}\n",
    ],
)
def test_yaml_that_can_not_be_edited_is_refused_and_named(text: str) -> None:
    with pytest.raises(MalformedFile, match=r"config\.yaml:\d+: "):
        GOOSE.put(text, "config.yaml")
