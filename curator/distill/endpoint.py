"""An OpenAI-compatible endpoint (``POST …/chat/completions``) as distiller.

The shape of request and answer is that of OpenAI's API reference, "Create chat completion"; local servers offer the same.
"""

from __future__ import annotations

import ipaddress
import json
import os
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from curator import clock
from curator.distill.prompt import ANSWER
from curator.errors import CuratorError
from curator.settings import Settings

MOST = 256 * 1024
"""Bytes of an answer that are read."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where it is, which model is asked, the key (empty for none), and the seconds that an answer may take."""

    url: str
    asked: str
    seconds: float
    key: str = field(default="", repr=False)

    @property
    def model(self) -> str:
        """The model and where it is."""
        return f"{self.asked or 'the default model'} at {urlsplit(self.url).netloc}"

    def answer(self, prompt: str) -> str:
        """Ask once. Raises ``OSError`` (with all of urllib's errors) and ``ValueError``."""
        request = {
            "messages": [{"role": "user", "content": prompt}],
            "temperature": 0,
            "max_tokens": 2 * ANSWER,
            "stream": False,
        }
        answer = self._post(request | ({"model": self.asked} if self.asked else {}))
        try:
            content = json.loads(answer)["choices"][0]["message"]["content"]
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise ValueError(f"{urlsplit(self.url).netloc} did not answer as a chat completion does ({error!r})") from error
        if not isinstance(content, str):
            raise ValueError(f"{urlsplit(self.url).netloc} answered without a text")
        return content

    def _post(self, body: dict[str, Any]) -> bytes:
        # 40 ms and a TLS library that nobody needs who has set no endpoint
        from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

        class Nowhere(HTTPRedirectHandler):
            """Who redirects us would get the text and the key: what is not where it was set is an error."""

            def redirect_request(self, *_: Any) -> None:
                return None

        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self.key}"} if self.key else {})
        request = Request(self.url, json.dumps(body).encode(), headers, method="POST")
        proxies = [ProxyHandler({})] if local(urlsplit(self.url).hostname or "") else []
        start, found = clock.now(), b""
        with build_opener(Nowhere, *proxies).open(request, timeout=self.seconds) as response:
            while part := response.read1(MOST):
                found += part
                if len(found) > MOST:
                    raise ValueError(f"the answer is longer than {MOST // 1024} kB")
                if clock.now() - start > self.seconds:  # the timeout above is that of one read
                    raise TimeoutError(f"the answer was not complete within {self.seconds:g} seconds")
        return found


def of(settings: Settings) -> Endpoint:
    """The endpoint that is set. Raises ``CuratorError`` where that is none that text may be sent to."""
    url = settings.distill_url.rstrip("/")
    where = f"Set it in {settings.file}, such as distill_url = "
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError as error:
        raise CuratorError(f"distill_url is no address: {error}.", f'{where}"http://127.0.0.1:11434/v1".') from error
    if not host:
        raise CuratorError("The distiller `endpoint` needs an address.", f'{where}"http://127.0.0.1:11434/v1".')
    if parts.username is not None or parts.query or parts.fragment:
        raise CuratorError("distill_url must hold no user, password or query.", "Keys go into an environment variable.")
    if parts.scheme != "https" and not (parts.scheme == "http" and local(host)):
        raise CuratorError(
            f"Nothing is sent to {host} by {parts.scheme or 'nothing'}: elsewhere than on this machine only https will do.",
            f'{where}"https://{host}{parts.path}".',
        )
    path = "" if url.endswith("/chat/completions") else "/chat/completions"
    return Endpoint(url + path, settings.distill_model, settings.distill_seconds, key(settings))


def key(settings: Settings) -> str:
    """The key in the environment variable that is set; empty where none is. Raises ``CuratorError``, without saying a key."""
    name = settings.distill_key_variable
    if not name:
        return ""
    value = os.environ.get(name, "").strip()
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or not re.fullmatch(r"[!-~]+", value):
        raise CuratorError(
            "distill_key_variable must name an environment variable that holds a key.",
            "It takes the variable's name, not the key itself; keys are never stored. Is the variable set in this shell?",
        )
    return value


def local(host: str) -> bool:
    """Whether a host is this machine.

    >>> [local(host) for host in ("localhost", "127.0.0.1", "::1", "example.com", "127.0.0.1.example.com")]
    [True, True, True, False, False]
    """
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
