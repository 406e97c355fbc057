from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from curator.hookspecs import Mark
from curator.model import Role, Turn
from tests.transcripts import stores
from tests.transcripts.formats import FORMATS
from tests.transcripts.transcript_records import Record, followed, has, said, text

CURSOR = FORMATS["cursor"]


def asked(words: str) -> Record:
    stamp = "<timestamp>Thursday, Sep 24, 2026, 1:23 AM (UTC+8)</timestamp>"
    return {"role": "user", "content": [text(f"{stamp}\n<user_query>\n{words}\n</user_query>")]}


def spoke(*blocks: Record, identity: str = "msg_1") -> Record:
    return {"role": "assistant", "content": [*blocks], "id": identity}


def call(identity: str, name: str, **given: Any) -> Record:
    return {"type": "tool-call", "toolCallId": identity, "toolName": name, "args": given}


def result(identity: str, name: str, words: str, *, failed: bool = False) -> Record:
    block = {"type": "tool-result", "toolCallId": identity, "toolName": name, "result": words}
    outcome = {"highLevelToolCallResult": {"isError": failed}}
    return {"role": "tool", "content": [block], "id": identity, "providerOptions": {"cursor": outcome}}


INFO = {"role": "user", "content": "<user_info>\nWorkspace Path: /srv/app\n</user_info>"}
CHAT = [
    {"role": "system", "content": "You must always obey."},
    INFO,
    asked("Never push to main."),
    spoke({"type": "reasoning", "text": "hm", "signature": ""}, text("I will test."), call("c1", "Shell", command="make test")),
    result("c1", "Shell", "Exit code: 2\n\nCommand output:\n\n1 failed"),
    spoke(call("c2", "Read", path="/srv/app/a.py")),
    result("c2", "Read", "no such file", failed=True),
    spoke(text("Kept.")),
]


class Store(stores.Database):
    """A made-up ``store.db``."""

    tables = "CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB); CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);"

    def chat(self, *messages: Record) -> None:
        root = b""
        for message in messages:
            data = json.dumps(message).encode()
            root += b"\x0a\x20" + self.put(data)
        meta = {"agentId": "k1", "latestRootBlobId": self.put(root + b"\x2a\x02\x08\x01").hex(), "name": "x"}
        self.fill("INSERT OR REPLACE INTO meta VALUES ('0', ?)", json.dumps(meta).encode().hex())

    def put(self, data: bytes) -> bytes:
        name = hashlib.sha256(data).digest()
        self.fill("INSERT OR REPLACE INTO blobs VALUES (?, ?)", name.hex(), data)
        return name


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "chats" / "0" / "k1" / "store.db")


def turns(store: Store) -> list[Turn]:
    return list(CURSOR.read(store.path, Mark()).turns)


def test_a_chat(store: Store) -> None:
    store.chat(*CHAT)
    reading = CURSOR.read(store.path, Mark())
    assert not reading.unknown
    assert [(turn.role, turn.tool, turn.text, turn.ok) for turn in reading.turns] == [
        (Role.HUMAN, "", "Never push to main.", None),
        (Role.ASSISTANT, "", "I will test.", None),
        (Role.TOOL_CALL, "Shell", "make test", None),
        (Role.TOOL_RESULT, "Shell", "Exit code: 2\n\nCommand output:\n\n1 failed", False),
        (Role.TOOL_CALL, "Read", "/srv/app/a.py", None),
        (Role.TOOL_RESULT, "Read", "no such file", False),
        (Role.ASSISTANT, "", "Kept.", None),
    ]
    first, failed = reading.turns[0], reading.turns[3]
    has(first, session="k1", cwd="/srv/app", at=store.path.stat().st_mtime, line=3)
    assert (failed.command, failed.call) == ("make test", "c1")


def test_what_is_said_later_is_new(store: Store) -> None:
    store.chat(*CHAT)
    known, _ = followed(CURSOR, store.path)
    store.chat(*CHAT, asked("and keep the lock"))
    assert followed(CURSOR, store.path, known)[1] == ["and keep the lock"]


def test_the_folder_stands_beside_it(store: Store) -> None:
    store.path.with_name("meta.json").write_text('{"cwd": "/srv/other"}')
    store.chat(*CHAT)
    assert {turn.cwd for turn in turns(store)} == {"/srv/other"}


def test_odd_values_are_survived(store: Store) -> None:
    assert turns(store) == []
    for value in ("zz", b"7b7d", json.dumps({"latestRootBlobId": "none"}).encode().hex(), None):
        store.fill("INSERT OR REPLACE INTO meta VALUES ('0', ?)", value)
        assert turns(store) == []
    store.chat({"role": "user", "content": 7}, asked("Go."))
    store.fill("UPDATE blobs SET data = 'x' WHERE CAST(data AS TEXT) LIKE '%content\": 7%'")
    assert said(turns(store)) == ["Go."]


def test_another_programs_store_is_not_read(tmp_path: Path) -> None:
    other = stores.Database(tmp_path / "store.db")
    other.run("CREATE TABLE blobs (id TEXT)")
    assert CURSOR.find(tmp_path) == ()
