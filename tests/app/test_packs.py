"""Which lessons a pack has, and that it follows every change of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

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
    return {*packs.pack(curator, topic, files=files).lessons}


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
    with pytest.raises(CuratorError, match="a pack needs one"):
        packs.pack(curator)


def test_a_pack_follows_every_change(curator: Curator, put: Put) -> None:
    first, second = put(WEEKLY), put("Keep credentials out of logs")
    assert ids(curator, "credentials") == {first, second}
    curator.decisions.edit(first, insight="Rotate credentials monthly")
    assert "monthly" in packs.pack(curator, "credentials").text
    curator.decisions.drop([second])
    assert ids(curator, "credentials") == {first}
