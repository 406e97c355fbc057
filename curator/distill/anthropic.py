"""Anthropic's Messages (``POST …/v1/messages``) as distiller: the shape is that of its API reference, "Create a Message"."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from curator.distill.endpoint import JSON, TOKENS, ask, check, key, local
from curator.errors import CuratorError
from curator.settings import Settings

HOME = "https://api.anthropic.com"
VERSION = "2023-06-01"
KEY = "ANTHROPIC_API_KEY"
MODEL = "claude-haiku-5-5"
"""A cheap one, for who names none."""


@dataclass(frozen=True, slots=True)
class Messages:
    """Where they are, which model is asked, the key, and the seconds that an answer may take."""

    url: str
    model_name: str
    seconds: float
    key: str = field(default="", repr=False)

    @property
    def model(self) -> str:
        """The model and where it is."""
        return f"{self.model_name} at {urlsplit(self.url).netloc}"

    def answer(self, prompt: str) -> str:
        """Ask once. Raises ``OSError`` (with all of urllib's errors) and ``ValueError``."""
        body: JSON = {
            "model": self.model_name,
            "messages": [{"role": "user", "content": prompt}],
            "temperature": 0,
            "max_tokens": TOKENS,
        }
        headers = {"anthropic-version": VERSION} | ({"x-api-key": self.key} if self.key else {})
        return ask(self.url, headers, body, self.seconds, _text, optional=("temperature",))


def _text(answer: JSON) -> Any:
    return "".join(block["text"] for block in answer["content"] if block["type"] == "text")


def of(settings: Settings) -> Messages:
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
