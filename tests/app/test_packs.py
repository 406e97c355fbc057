"""Which lessons a pack has, that it follows every change of them, and that nothing of it outlives forgetting."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from curator import app
from curator.app import Curator, packs
from curator.errors import CuratorError
from curator.model import Anchor, Change, Entry, State, Verb
from curator.settings import load
from curator.text import warnings

Make = Callable[..., Entry]
Put = Callable[..., str]


@pytest.fixture
def curator(tmp_path: Path) -> Iterator[Curator]:
    folder = tmp_path / "app"
    folder.mkdir()
    opened = Curator(load())
    project = opened.enter(str(folder))
    with opened.store.transaction():
        opened.store.sources.remember(project, project.folder)
    yield opened
    opened.close()


@pytest.fixture
def put(curator: Curator, make: Make) -> Put:
    def stored(text: str, project: str = "", **fields: object) -> str:
        entry = make(
            **({"state": State.ACTIVE, "headline": text, "insight": text, "project": project or curator.scope} | fields)
        )
        curator.store.apply([(Verb.ADD, Change(before=None, after=entry))], actor="test", at=1.0)
        return entry.id

    return stored


def cached(curator: Curator) -> list[Path]:
    return sorted((curator.settings.cache / "packs").glob("*"))


def test_what_belongs_to_a_file_a_folder_and_a_topic(curator: Curator, put: Put) -> None:
    named = put("Retry twice", files=("src/http/client.py",))
    below = put("Close sockets", scope="paths", paths=("src/http/**",))
    deep = put("Send a user agent", anchors=(Anchor(path="src/http/v2/agent.py"),))
    topic = put("Rotate credentials weekly")
    put("Log errors once", project="elsewhere")
    shared = put("Rotate credentials of robots", project="elsewhere", scope="global")
    assert set(packs.pack(curator, files=["src/http/client.py"]).pack.lessons) == {named, below}
    assert set(packs.pack(curator, files=["src/http"]).pack.lessons) == {named, below, deep}
    assert set(packs.pack(curator, "credentials").pack.lessons) == {topic, shared}
    assert set(packs.pack(curator).pack.lessons) == {named, below, deep, topic, shared}


def test_nothing_retired_or_open_is_in_it(curator: Curator, put: Put) -> None:
    right = put("Rotate credentials weekly")
    put("Rotate credentials daily", state=State.RETIRED)
    put("Rotate credentials hourly", state=State.OPEN)
    assert packs.pack(curator, "credentials").pack.lessons == (right,)


def test_a_lesson_that_a_person_kept_is_in_it_whatever_its_card_warns_of(curator: Curator, put: Put) -> None:
    warned = put("Rotate credentials with --no-verify")
    assert warnings.find("Rotate credentials with --no-verify")
    assert packs.pack(curator, "credentials").pack.lessons == (warned,)


def test_a_pack_is_kept_and_follows_every_change(curator: Curator, put: Put) -> None:
    first = put("Rotate credentials weekly")
    packs.pack(curator, "credentials")
    (file,) = cached(curator)
    file.write_bytes(file.read_bytes().replace(b"weekly", b"always"))
    assert "credentials always" in packs.pack(curator, "credentials").pack.text, "it is not made again"
    second = put("Keep credentials out of logs")
    assert set(packs.pack(curator, "credentials").pack.lessons) == {first, second}
    curator.verdicts.edit(first, insight="Rotate credentials monthly")
    assert "monthly" in packs.pack(curator, "credentials").pack.text
    curator.verdicts.drop([second])
    assert packs.pack(curator, "credentials").pack.lessons == (first,)
    curator.verdicts.undo()
    assert set(packs.pack(curator, "credentials").pack.lessons) == {first, second}
    assert len(cached(curator)) == 1


def test_what_is_kept_may_be_damaged_or_gone(curator: Curator, put: Put) -> None:
    put("Rotate credentials weekly")
    before = packs.pack(curator, "credentials")
    for damage in (b"{", b"[]", b'{"stamp": 1}', cached(curator)[0].read_bytes().replace(b'"text"', b'"words"')):
        cached(curator)[0].write_bytes(damage)
        assert packs.pack(curator, "credentials") == before
    packs.clear(curator.settings)
    assert cached(curator) == []
    assert packs.pack(curator, "credentials") == before


def test_no_more_than_some_are_kept(curator: Curator, put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packs, "MOST", 3)
    put("Rotate credentials weekly")
    for word in ("a", "b", "c", "d", "e"):
        packs.pack(curator, word)
    assert len(cached(curator)) == 3


def test_forgetting_empties_the_cache(curator: Curator, put: Put) -> None:
    id_ = put("Rotate credentials weekly")
    packs.pack(curator)
    app.forget.forget(curator, [id_])
    assert cached(curator) == []


def test_what_is_saved(curator: Curator, put: Put) -> None:
    put("Rotate credentials weekly")
    put("Log errors once")
    alone = packs.pack(curator, "credentials")
    assert (alone.root, alone.root_tokens, alone.saving(0)) == ("", 0, 0.0)
    assert curator.project
    top = Path(curator.project.folder)
    (top / "AGENTS.md").write_text("x" * 440, encoding="utf-8")
    (top / "CLAUDE.md").write_text("@AGENTS.md", encoding="utf-8")
    packed = packs.pack(curator, "credentials")
    assert (packed.root, packed.root_tokens) == ("AGENTS.md", 100)
    assert packed.pack.tokens < packed.every < packed.export_tokens
    assert packed.saving(packed.root_tokens) == pytest.approx(1 - packed.pack.tokens / 100)


def test_a_pack_is_of_one_project(curator: Curator) -> None:
    curator.project = None
    with pytest.raises(CuratorError, match="one project"):
        packs.pack(curator)
