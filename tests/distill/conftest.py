"""An endpoint on this machine that says what a test wants."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

GOOD = {
    "headline": "Change `sync.toml`, never edit `vendor/` by hand",
    "insight": "The nightly sync overwrites `vendor/`, so never edit it by hand; change `sync.toml` instead.",
}


def completion(content: str) -> bytes:
    """What an endpoint answers when its model says this."""
    return json.dumps({"choices": [{"index": 0, "message": {"role": "assistant", "content": content}}]}).encode()


class Loopback:
    """An endpoint on this machine: remembers what it was asked, answers ``reply(body)`` as (status, headers, bytes)."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.reply: Callable[[dict[str, Any]], tuple[int, dict[str, str], bytes]] = self.good
        self.release = threading.Event()
        """Set when the test is over: who waits for it never answers in time."""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.asked.append(body | {"path": self.path})
                outer.headers.append(dict(self.headers))
                status, headers, answer = outer.reply(body)
                self.send_response(status)
                for name, value in ({"Content-Length": str(len(answer))} | headers).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: object) -> None:
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,))
        self.thread.start()

    def good(self, body: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        return self.saying(GOOD)(body)

    def saying(self, answer: object) -> Callable[[dict[str, Any]], tuple[int, dict[str, str], bytes]]:
        text = answer if isinstance(answer, str) else json.dumps(answer)
        return lambda body: (200, {"Content-Type": "application/json"}, completion(text))

    def close(self) -> None:
        self.release.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def loopback() -> Iterator[Loopback]:
    server = Loopback()
    yield server
    server.close()
