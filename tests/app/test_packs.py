"""Which lessons a pack has, that it follows every change of them, and that nothing of it outlives forgetting."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from curator import app
from curator.app import Curator, packs
from curator.errors import CuratorError
from curator.model import Anchor, State
from curator.text import warnings
from tests.app.conftest import Make
from tests.app.conftest import put as store

Put = Callable[..., str]
WEEKLY = "Rotate credentials weekly"


@pytest.fixture
def put(curator: Curator, make: Make) -> Put:
    def stored(text: str, **fields: object) -> str:
        (id_,) = store(curator, make(**{"state": State.ACTIVE, "headline": text, "insight": text} | fields))
        return id_

    return stored


def ids(curator: Curator, topic: str = "", *files: str) -> set[str]:
    return {*packs.pack(curator, topic, files=files).pack.lessons}


def cached(curator: Curator) -> list[Path]:
    return sorted((curator.settings.cache / "packs").glob("*"))


def test_what_belongs_to_a_file_a_folder_and_a_topic(curator: Curator, put: Put) -> None:
    named = put("Retry twice", files=("src/http/client.py",))
    below = put("Close sockets", scope="paths", paths=("src/http/**",))
    deep = put("Send a user agent", anchors=(Anchor(path="src/http/v2/agent.py"),))
    topic = put(WEEKLY)
    warned = put("Rotate credentials with --no-verify")
    assert warnings.find("Rotate credentials with --no-verify"), "a person kept it all the same"
    put("Rotate credentials daily", state=State.RETIRED)
    put("Rotate credentials hourly", state=State.OPEN)
    put("Log errors once", project="elsewhere")
    shared = put("Rotate credentials of robots", project="elsewhere", scope="global")
    assert ids(curator, "", "src/http/client.py") == {named, below}
    assert ids(curator, "", "src/http") == {named, below, deep}
    assert ids(curator, "credentials") == {topic, warned, shared}
    assert ids(curator) == {named, below, deep, topic, warned, shared}
    curator.project = None
    with pytest.raises(CuratorError, match="one project"):
        packs.pack(curator)


def test_a_pack_is_kept_and_follows_every_change(curator: Curator, put: Put) -> None:
    first = put(WEEKLY)
    packs.pack(curator, "credentials")
    (file,) = cached(curator)
    file.write_bytes(file.read_bytes().replace(b"weekly", b"always"))
    assert "credentials always" in packs.pack(curator, "credentials").pack.text, "it is not made again"
    second = put("Keep credentials out of logs")
    assert ids(curator, "credentials") == {first, second}
    curator.verdicts.edit(first, insight="Rotate credentials monthly")
    assert "monthly" in packs.pack(curator, "credentials").pack.text
    curator.verdicts.drop([second])
    assert ids(curator, "credentials") == {first}
    curator.verdicts.undo()
    assert ids(curator, "credentials") == {first, second}
    assert len(cached(curator)) == 1
    app.forget.forget(curator, [first])
    assert cached(curator) == []


def test_what_is_kept_may_be_damaged_or_gone(curator: Curator, put: Put) -> None:
    put(WEEKLY)
    before = packs.pack(curator, "credentials")
    for damage in (b"{", b"[]", b'{"stamp": 1}', cached(curator)[0].read_bytes().replace(b'"text"', b'"words"')):
        cached(curator)[0].write_bytes(damage)
        assert packs.pack(curator, "credentials") == before
    packs.clear(curator.settings)
    assert cached(curator) == []
    assert packs.pack(curator, "credentials") == before


def test_no_more_than_some_are_kept(curator: Curator, put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packs, "MAX_CACHED_PACKS", 3)
    put(WEEKLY)
    for word in ("a", "b", "c", "d", "e"):
        packs.pack(curator, word)
    assert len(cached(curator)) == 3


def test_what_is_saved(curator: Curator, work: Path, put: Put) -> None:
    put(WEEKLY)
    put("Log errors once")
    alone = packs.pack(curator, "credentials")
    assert (alone.root, alone.root_tokens, alone.saving(0)) == ("", 0, 0.0)
    (work / "AGENTS.md").write_text("x" * 440, encoding="utf-8")
    (work / "CLAUDE.md").write_text("@AGENTS.md", encoding="utf-8")
    packed = packs.pack(curator, "credentials")
    assert (packed.root, packed.root_tokens) == ("AGENTS.md", 100)
    assert packed.pack.tokens < packed.every < packed.export_tokens
    assert packed.saving(packed.root_tokens) == pytest.approx(1 - packed.pack.tokens / 100)
