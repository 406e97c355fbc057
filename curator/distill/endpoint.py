"""An address of a model as distiller: an OpenAI-compatible endpoint, or Anthropic's Messages.

The shapes are those of OpenAI's API reference, "Create chat completion" (``POST …/chat/completions``), which local servers
offer as well, and of Anthropic's, "Create a Message" (``POST …/v1/messages``).
"""

from __future__ import annotations

import ipaddress
import json
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

from curator import clock
from curator.distill.command import because, brief
from curator.errors import CuratorError
from curator.model import JSON
from curator.settings import Settings

if TYPE_CHECKING:
    from urllib.error import HTTPError

MOST = 256 * 1024
"""Bytes of an answer that are read."""
MOST_REFUSED = 8 * 1024
"""Bytes of a refusal that are read."""
TOKENS = 1_200
"""So long an answer may be: five lessons."""
REFUSED = 400
LATER = frozenset({429, 500, 502, 503, 504, 529})
"""Codes that a second try may help against."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where it is, which model is asked, the key (empty for none), and the seconds that an answer may take."""

    url: str
    model_name: str
    seconds: float
    key: str = field(default="", repr=False)

    @property
    def model(self) -> str:
        """The model and where it is."""
        return f"{self.model_name or 'its default model'} at {urlsplit(self.url).netloc}"

    def answer(self, prompt: str) -> str:
        """Ask once. Raises ``OSError`` (with all of urllib's errors) and ``ValueError``."""
        body = self._question(prompt) | {"stream": False}
        body |= {"model": self.model_name} if self.model_name else {}
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        return ask(self.url, headers, body, self.seconds, _text, optional=("temperature", "max_tokens"))

    def _question(self, prompt: str) -> JSON:
        return {"messages": [{"role": "user", "content": prompt}], "temperature": 0, "max_tokens": TOKENS}


def _text(answer: JSON) -> Any:
    return answer["choices"][0]["message"]["content"]


def of(settings: Settings) -> Endpoint:
    """The endpoint that is set. Raises ``CuratorError`` where that is none that text may be sent to."""
    url = check(settings, settings.distill_url, "http://127.0.0.1:11434/v1")
    path = "" if url.endswith("/chat/completions") else "/chat/completions"
    return Endpoint(url + path, settings.distill_model, settings.distill_seconds, key(settings.distill_key_variable))


HOME = "https://api.anthropic.com"
VERSION = "2023-06-01"
KEY = "ANTHROPIC_API_KEY"
MODEL = "claude-haiku-5-5"
"""A cheap one, for who names none."""


class Messages(Endpoint):
    """The same for Anthropic's Messages."""

    __slots__ = ()

    def answer(self, prompt: str) -> str:
        """Ask once. Raises ``OSError`` (with all of urllib's errors) and ``ValueError``."""
        body = {"model": self.model_name} | self._question(prompt)
        headers = {"anthropic-version": VERSION} | ({"x-api-key": self.key} if self.key else {})
        return ask(self.url, headers, body, self.seconds, _blocks, optional=("temperature",))


def _blocks(answer: JSON) -> Any:
    return "".join(block["text"] for block in answer["content"] if block["type"] == "text")


def messages(settings: Settings) -> Messages:
    """The messages that are set. Raises ``CuratorError`` where that is no address that text may be sent to, or without a key.

    An address on this machine gets a key only where a variable is named: the usual one is meant for elsewhere.
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
    """The text that ``read`` finds in what an address answers, within so many seconds.

    What of ``body`` is ``optional`` is left out once a refusal names it, since not every model knows it. Who is asked to wait
    does so once, if there is time. Raises ``OSError`` (with all of urllib's errors) and ``ValueError``.
    """
    until, waited, left = clock.now() + seconds, False, {*optional}
    host = urlsplit(url).netloc
    while True:
        try:
            data = post(url, headers, body, until - clock.now(), seconds)
            break
        except HTTPError as error:
            with error:
                complaint = refusal(error)
            unknown = {name for name in left if error.code == REFUSED and re.search(rf"\b{name}\b", complaint)}
            wait = delay(error.headers.get("Retry-After") or "") if error.code in LATER and not waited else None
            if unknown:
                left -= unknown
                body = {name: value for name, value in body.items() if name not in unknown}
            elif wait is not None and clock.now() + wait < until:
                waited = True
                time.sleep(wait)
            else:
                raise OSError(f"{host} answered {error.code} ({meaning(error.code)}){because(complaint)}") from error
    try:
        text = read(json.loads(data))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{host} did not answer as a model does ({error!r:.200})") from error
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"{host} answered without a text")
    return text


def post(url: str, headers: Mapping[str, str], body: JSON, remain: float, seconds: float) -> bytes:
    """What an address answers. Raises ``OSError`` (with all of urllib's errors) and ``ValueError``."""

    # 40 ms and a TLS library that nobody needs who has set no endpoint
    class Nowhere(HTTPRedirectHandler):
        """Who redirects us would get the text and the key: what is not where it was set is an error."""

        def redirect_request(self, *_: Any) -> None:
            return None

    request = Request(url, json.dumps(body).encode(), {"Content-Type": "application/json", **headers}, method="POST")
    proxies = [ProxyHandler({})] if local(urlsplit(url).hostname or "") else []
    until, found = clock.now() + remain, b""
    late = f"{urlsplit(url).netloc} did not answer within {seconds:g} seconds"
    try:
        with build_opener(Nowhere, *proxies).open(request, timeout=max(remain, 0.1)) as response:
            while part := response.read1(MOST):
                found += part
                if len(found) > MOST:
                    raise ValueError(f"the answer is longer than {MOST // 1024} kB")
                if clock.now() > until:  # the timeout above is that of one read
                    raise TimeoutError(late)
    except TimeoutError as error:
        raise TimeoutError(late) from error
    return bytes(found)


def refusal(error: HTTPError) -> str:
    """What an address says of why it refused, as it may be shown: the message within its JSON, if it has one."""
    text = ""
    with suppress(OSError):
        text = error.read(MOST_REFUSED).decode("utf-8", "replace")
    with suppress(ValueError, LookupError, TypeError, RecursionError):
        found = json.loads(text)["error"]
        text = found if isinstance(found, str) else found["message"]
    return brief(text)


def meaning(code: int) -> str:
    """What to make of a code."""
    if code in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return "the key is missing, wrong, or not good for this model"
    if code == HTTPStatus.NOT_FOUND:
        return "there is no such address or model: look at `distill_url` and `distill_model`"
    if code in (HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.TOO_MANY_REQUESTS):
        return "over the quota: try later"
    return "try later" if code in LATER else "refused"


def delay(retry_after: str) -> float | None:
    """The seconds of a ``Retry-After`` (RFC 9110, 10.2.3); ``None`` without one, and for a date.

    >>> delay("2"), delay(""), delay("Wed, 21 Oct 2026 07:28:00 GMT")
    (2.0, None, None)
    """
    return float(retry_after) if re.fullmatch(r"\d{1,6}(?:\.\d{1,6})?", retry_after, re.ASCII) else None


def check(settings: Settings, url: str, example: str) -> str:
    """The address that is set, if text may be sent there. Raises ``CuratorError``."""
    url = url.rstrip("/")
    where = f"Set it in {settings.file}, such as distill_url = "
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError as error:
        raise CuratorError(f"distill_url is no address: {error}.", f'{where}"{example}".') from error
    if not host:
        raise CuratorError("The distiller `endpoint` needs an address.", f'{where}"{example}".')
    if parts.username is not None or parts.query or parts.fragment:
        raise CuratorError("distill_url must hold no user, password or query.", "Keys go into an environment variable.")
    if parts.scheme != "https" and not (parts.scheme == "http" and local(host)):
        raise CuratorError(
            f"Nothing is sent to {host} by {parts.scheme or 'nothing'}: elsewhere than on this machine only https will do.",
            f'{where}"https://{host}{parts.path}".',
        )
    return url


def key(name: str) -> str:
    """The key in the environment variable of this name; empty without a name. Raises ``CuratorError``, which says no key."""
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
