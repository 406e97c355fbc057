"""Clients whose sessions are only read: what they write down with a scripted model is understood, record by record.

They are found as those of ``test_clients``.
"""

from __future__ import annotations

import sys

import pytest

from curator.hookspecs import Mark
from curator.model import Role
from curator.transcripts import BUILT_IN
from tests.e2e.agents.clients import FAILS, FILE, READ, Client
from tests.e2e.agents.model import serving
from tests.e2e.agents.test_clients import SAID, SECONDS, known, no_echo, run
from tests.e2e.world import World

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="these processes are started the POSIX way")


@pytest.mark.timeout(SECONDS)
@pytest.mark.parametrize("client", READ, ids=[client.id for client in READ])
def test_the_session_of_a_real_client_is_read(client: Client, world: World) -> None:
    known(client, world)
    with serving(*client.calls(world.app)) as model:
        client.prepare(world, model)
        run(client, world, model, *client.command(SAID))
    (format_,) = (format_ for format_ in BUILT_IN if format_.agent == client.id)
    paths = [path for place in format_.roots(world.home, {}) if place.exists() for path in format_.find(place)]
    turns = [turn for path in paths for turn in format_.read(path, Mark()).turns]
    results = [turn for turn in turns if turn.role is Role.TOOL_RESULT]
    assert [(turn.command, turn.ok) for turn in results if turn.command] == [(FAILS, False)]
    assert [turn.tool.lower() for turn in results if any(str(path).endswith(FILE) for path in turn.paths)] == ["edit"]
    assert {turn.cwd for turn in turns} == {str(world.app)}
    no_echo(client, world, ())
