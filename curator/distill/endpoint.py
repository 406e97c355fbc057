"""An address of a model as distiller: an OpenAI-compatible endpoint, or Anthropic's Messages.

The formats are those of OpenAI's API reference, "Create chat completion" (``POST …/chat/completions``), and of Anthropic's,
"Create a Message" (``POST …/v1/messages``). Local servers offer the former, too.
"""

from __future__ import annotations

import ipaddress
import json
import os
import re
import socket
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPHandler, HTTPRedirectHandler, HTTPSHandler, ProxyHandler, Request, build_opener

from curator import clock
from curator.distill import digest, gate
from curator.distill.command import as_sentence_end, one_line_complaint
from curator.errors import CuratorError
from curator.model import JSON
from curator.settings import Settings
from curator.text.redact import MASK
from curator.text.words import pluralize

MAX_ANSWER_BYTES = 256 * 1024
"""Bytes of an answer that are read."""
MAX_REFUSAL_BYTES = 8 * 1024
"""Bytes of a refusal that are read."""
TOKENS = 8_000
"""Tokens of an answer at most: five lessons take 700, a model that thinks first takes thousands."""
FORMAT = "response_format"
REFUSED = 400
KEY_HEADERS = frozenset({"Authorization", "x-api-key"})
LATER = frozenset({429, 500, 502, 503, 504, 529})
"""Codes that a second try may help against."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The address, the model, the key (empty for none), and the seconds that an answer may take."""

    url: str
    model_name: str
    seconds: float
    key: str = field(default="", repr=False)

    @property
    def model(self) -> str:
        """Return the model and its address."""
        return f"{self.model_name or 'its default model'} at {urlsplit(self.url).netloc}"

    def answer(self, prompt: str) -> str:
        """Ask once. Raises ``OSError`` (with all of urllib's errors) and ``ValueError``."""
        body = self._question(prompt) | {"stream": False}
        body |= {"model": self.model_name} if self.model_name else {}
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        if prompt.startswith(digest.instruction("prompt.md")):
            schema = {"name": "lessons", "strict": True, "schema": gate.SCHEMA}
            body |= {FORMAT: {"type": "json_schema", "json_schema": schema}}
        return ask(self.url, headers, body, self.seconds, _text, optional=("temperature", "max_tokens", FORMAT))

    def _question(self, prompt: str) -> JSON:
        return {"messages": [{"role": "user", "content": prompt}], "temperature": 0, "max_tokens": TOKENS}


def _text(answer: JSON) -> Any:
    return answer["choices"][0]["message"]["content"]


def of(settings: Settings) -> Endpoint:
    """Return the endpoint from the settings. Raises ``CuratorError`` if text may not be sent there."""
    url = check(settings, settings.distill_url, "http://127.0.0.1:11434/v1")
    path = "" if url.endswith("/chat/completions") else "/chat/completions"
    return Endpoint(url + path, settings.distill_model, settings.distill_seconds, key(settings.distill_key_variable))


HOME = "https://api.anthropic.com"
VERSION = "2023-06-01"
KEY = "ANTHROPIC_API_KEY"
MODEL = "claude-haiku-5-5"
"""A cheap one, for who names none."""


class Messages(Endpoint):
    """The endpoint for Anthropic's Messages."""

    __slots__ = ()

    def answer(self, prompt: str) -> str:
        """Ask once. Raises ``OSError`` (with all of urllib's errors) and ``ValueError``."""
        body = {"model": self.model_name} | self._question(prompt)
        headers = {"anthropic-version": VERSION} | ({"x-api-key": self.key} if self.key else {})
        return ask(self.url, headers, body, self.seconds, _blocks, optional=("temperature",))


def _blocks(answer: JSON) -> Any:
    return "".join(block["text"] for block in answer["content"] if block["type"] == "text")


def messages(settings: Settings) -> Messages:
    """Return the Messages endpoint from the settings.

    Raises ``CuratorError`` if text may not be sent there, or without a key. A local address gets a key only if a variable is
    named, because the usual key is for another service.
    """
    url = check(settings, settings.distill_url or HOME, HOME)
    path = "" if url.endswith("/messages") else "/messages" if url.endswith("/v1") else "/v1/messages"
    elsewhere = not local(urlsplit(url).hostname or "")
    if elsewhere and not settings.distill_key_variable and not os.environ.get(KEY):
        raise CuratorError(f"{KEY} is not set.", "Set it in this shell, or name another variable by `distill_key_variable`.")
    variable = settings.distill_key_variable or (KEY if elsewhere else "")
    return Messages(url + path, settings.distill_model or MODEL, settings.distill_seconds, key(variable))


# --- any address of a model -------------------------------------------------------------------------------------------


def ask(
    url: str, headers: Mapping[str, str], body: JSON, seconds: float, read: Callable[[JSON], Any], optional: Iterable[str] = ()
) -> str:
    """Return the text that ``read`` finds in the answer of an address, within these seconds.

    Not every model knows the ``optional`` fields of ``body``. A field is left out once a refusal names it, and the form of the
    answer also if a refusal names nothing. If the address asks to wait, this waits once, if there is time. If an address echoes
    the key among ``headers``, the key is removed. Raises ``OSError`` (with all of urllib's errors) and ``ValueError``.
    """
    until, waited, left = clock.now() + seconds, False, {*optional}
    host, keys = urlsplit(url).netloc, [value.rpartition(" ")[2] for name, value in headers.items() if name in KEY_HEADERS]
    while True:
        reply = post(url, headers, body, until - clock.now(), seconds)
        if reply.code < HTTPStatus.MULTIPLE_CHOICES:
            break
        complaint = refusal(reply.body, keys)
        unknown = {name for name in left if reply.code == REFUSED and re.search(rf"\b{name}\b", complaint)}
        unknown = unknown or (left & {FORMAT} & body.keys() if reply.code == REFUSED else set())
        wait = delay(reply.retry_after) if reply.code in LATER and not waited else None
        if unknown:
            left -= unknown
            body = {name: value for name, value in body.items() if name not in unknown}
        elif wait is not None and clock.now() + wait < until:
            waited = True
            time.sleep(wait)
        else:
            raise OSError(f"{host} answered {reply.code} ({describe_status(reply.code)}){as_sentence_end(complaint)}")
    try:
        text = read(json.loads(reply.body))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{host} did not answer like a model ({without_keys(repr(error), keys):.200})") from None
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"{host} answered without a text")
    return without_keys(text, keys)


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer of any code: its header ``Retry-After`` and its body."""

    code: int
    retry_after: str
    body: bytes


def post(url: str, headers: Mapping[str, str], body: JSON, remain: float, seconds: float) -> Reply:
    """Send a request and return the answer. Raises ``OSError`` (with all of urllib's errors) and ``ValueError``.

    The whole exchange ends after ``remain`` seconds. A timeout of urllib's would only limit each read.
    """
    request = Request(url, json.dumps(body).encode(), {"Content-Type": "application/json", **headers}, method="POST")
    late = TimeoutError(f"{urlsplit(url).netloc} did not answer within {pluralize(round(seconds), 'second')}")
    ends, sockets = SimpleQueue[Reply | Exception](), list[socket.socket]()

    def work() -> None:
        try:
            ends.put(_exchange(request, max(remain, 0.1), sockets))
        except HTTPException as error:
            ends.put(OSError(f"{urlsplit(url).netloc} broke off its answer ({type(error).__name__})"))
        except Exception as error:
            ends.put(error)

    Thread(target=work, daemon=True).start()
    try:
        end = ends.get(timeout=max(remain, 0.1))
    except Empty:
        for one in sockets:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        raise late from None
    if isinstance(end, Exception):
        raise late if isinstance(end, TimeoutError) else end
    return end


def _exchange(request: Request, seconds: float, sockets: list[socket.socket]) -> Reply:
    """Send a request and read the answer. ``sockets`` gets the objects whose closing ends this."""

    class Nowhere(HTTPRedirectHandler):
        """A handler that follows no redirect: its target would get the text and the key."""

        def redirect_request(self, *_: Any) -> None:
            return None

    def connecting(kind: type[HTTPConnection]) -> Any:
        class Connection(kind):  # type: ignore[valid-type, misc]
            def connect(self) -> None:
                super().connect()
                sockets.append(self.sock)

        return Connection

    class Http(HTTPHandler):
        def http_open(self, req: Request) -> HTTPResponse:
            return self.do_open(connecting(HTTPConnection), req)

    class Https(HTTPSHandler):
        def https_open(self, req: Request) -> HTTPResponse:
            return self.do_open(connecting(HTTPSConnection), req)

    proxies = [ProxyHandler({})] if local(urlsplit(request.full_url).hostname or "") else []
    try:
        with build_opener(Nowhere, Http, Https, *proxies).open(request, timeout=seconds) as response:
            data = response.read(MAX_ANSWER_BYTES + 1)
            if len(data) > MAX_ANSWER_BYTES:
                raise ValueError(f"the answer is longer than {MAX_ANSWER_BYTES // 1024} kB")
            return Reply(response.status, "", data)
    except HTTPError as error:
        with error:
            return Reply(error.code, error.headers.get("Retry-After") or "", error.read(MAX_REFUSAL_BYTES))


def without_keys(text: str, keys: Iterable[str]) -> str:
    """Return a text without these keys, also where JSON has put backslashes into them, or an address has quoted them."""
    for one in filter(None, keys):
        text = re.sub(r"\\*".join(map(re.escape, one)), MASK, text).replace(quote(one, safe=""), MASK)
    return text


def refusal(body: bytes, keys: Iterable[str]) -> str:
    """Return the server's reason for a refusal, safe to show: the message in its JSON, if there is one."""
    text = body.decode("utf-8", "replace")
    with suppress(ValueError, LookupError, TypeError, RecursionError):
        found = json.loads(text)["error"]
        text = found if isinstance(found, str) else found["message"]
    return one_line_complaint(without_keys(text, keys))


def describe_status(code: int) -> str:
    """Return the meaning of a status code."""
    if code in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return "the key is missing, wrong, or not valid for this model"
    if code == HTTPStatus.NOT_FOUND:
        return "no such address or model. Check `distill_url` and `distill_model`"
    if code in (HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.TOO_MANY_REQUESTS):
        return "over the quota: try later"
    return "try later" if code in LATER else "refused"


def delay(retry_after: str) -> float | None:
    """Return the seconds of a ``Retry-After`` (RFC 9110, 10.2.3). Return ``None`` without one, and for a date.

    >>> delay("2"), delay(""), delay("Wed, 21 Oct 2026 07:28:00 GMT")
    (2.0, None, None)
    """
    return float(retry_after) if re.fullmatch(r"\d{1,6}(?:\.\d{1,6})?", retry_after, re.ASCII) else None


def check(settings: Settings, url: str, example: str) -> str:
    """Return the address from the settings, if text may be sent there. Raises ``CuratorError``."""
    url = url.rstrip("/")
    where = f"Set it in {settings.file}, such as distill_url = "
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError as error:
        raise CuratorError(f"distill_url is not an address: {error}.", f'{where}"{example}".') from error
    if not host:
        raise CuratorError("The reader `endpoint` needs an address.", f'{where}"{example}".')
    if parts.username is not None or parts.query or parts.fragment:
        raise CuratorError(
            "distill_url must not contain a user, password or query.", "Put the key into an environment variable."
        )
    if parts.scheme != "https" and not (parts.scheme == "http" and local(host)):
        raise CuratorError(
            f"curator does not send to {host} over {parts.scheme or 'no scheme'}. Outside this machine it uses only https.",
            f'{where}"https://{host}{parts.path}".',
        )
    return url


def key(name: str) -> str:
    """Return the key in the environment variable of this name. Return an empty text without a name.

    Raises ``CuratorError``, whose message has no key.
    """
    if not name:
        return ""
    value = os.environ.get(name, "").strip()
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or not re.fullmatch(r"[!-~]+", value):
        raise CuratorError(
            "distill_key_variable must name an environment variable that holds a key.",
            "Give the name of the variable, not the key. Check that the variable is set in this shell.",
        )
    return value


def local(host: str) -> bool:
    """Return whether a host is this machine.

    >>> [local(host) for host in ("localhost", "127.0.0.1", "::1", "example.com", "127.0.0.1.example.com")]
    [True, True, True, False, False]
    """
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
