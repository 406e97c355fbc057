"""An endpoint gets the key and gives it to nobody; and the whole exchange with it ends in time."""

from __future__ import annotations

import json
import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import pytest

from curator.app import Curator, distill
from curator.distill import endpoint
from curator.settings import Settings
from tests.distill.conftest import Loopback, loopback
from tests.e2e.world import World
from tests.sayings import VENDOR

__all__ = ["loopback"]
KEY = "plain/words" + '"and-no-form'
ECHOES = {
    "text": f"no such key: {KEY}!",
    "json": json.dumps({"error": {"message": f"no such key: {KEY}"}}),
    "slashes": json.dumps({"error": KEY}).replace("/", "\\/"),
    "long": "x" * 1_990 + KEY,
    "nested": json.dumps({"error": {"message": json.dumps({"got": KEY})}}),
    "address": "no such key: plain%2Fwords%22and-no-form",
}


def pieces(text: str) -> list[str]:
    return [part for part in ("plain/words", "and-no-form", "plain%2Fwords", "words\\/", "plain\\/words") if part in text]


def answer(code: int, body: bytes, asked: object) -> tuple[int, dict[str, str], bytes]:
    return code, {}, body


@pytest.mark.parametrize("code", [401, 500, 200])
def test_a_key_that_is_echoed_is_written_nowhere(
    code: int, loopback: Loopback, world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    session = world.session()
    for _ in range(3):
        session.asks(VENDOR)
        session.answers("Understood.")
    world.run("scan")
    settings = world.settings._replace(distiller="endpoint", distill_url=loopback.url, distill_key_variable="MY_KEY")
    for echo, text in ECHOES.items():
        body = text if code != 200 else json.dumps({"choices": [{"message": {"content": f"[] {text}"}}]})
        loopback.reply = partial(answer, code, body.encode())
        with caplog.at_level(logging.DEBUG), closing(Curator(settings._replace(distill_model=echo))) as curator:
            curator.enter(str(world.app))
            done = distill.run(curator, distill.plan(curator, unread=False))
        assert loopback.headers.pop()["Authorization"] == f"Bearer {KEY}"
        assert pieces(done.failure + done.end_reason + caplog.text) == [], echo
        written = b"".join(path.read_bytes() for path in world.settings.home.rglob("*") if path.is_file())
        assert pieces(written.decode("utf-8", "replace")) == [], echo


HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n"
SLOW = {
    "headers": (b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n"),
    "continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "body": (HEAD + b"\r\n", b" "),
    "refusal": (HEAD.replace(b"200 OK", b"401 No") + b"\r\n", b" "),
    "status": (b"", b"H"),
}


@pytest.fixture(params=SLOW)
def slow(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a server that goes on answering, a little at a time, until the client is gone."""
    first, again = SLOW[request.param]
    server = socket.create_server(("127.0.0.1", 0))
    over = threading.Event()

    def serve() -> None:
        client, _ = server.accept()
        with client, suppress(OSError):
            client.recv(65_536)
            client.sendall(first)
            while not over.wait(0.05):
                client.sendall(again)

    thread = threading.Thread(target=serve)
    thread.start()
    yield f"http://127.0.0.1:{server.getsockname()[1]}/v1"
    thread.join()  # the client has closed its end
    over.set()
    server.close()


@pytest.mark.timeout(60)
def test_the_whole_exchange_ends_in_time(slow: str) -> None:
    made = endpoint.of(Settings(home=Path("home"), distill_url=slow, distill_seconds=1))
    with pytest.raises(TimeoutError, match="did not answer within 1 second"):
        made.answer("read this")
