"""Anthropic's Messages: the shape of what is asked and answered, and where the key goes. The rest is as with any endpoint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from curator.distill import endpoint
from curator.errors import CuratorError
from curator.settings import Settings
from tests.distill.conftest import Loopback

PROMPT = "read this"
KEY = "key-of-" + "a-test"


def at(url: str, **more: Any) -> endpoint.Messages:
    return endpoint.messages(Settings(home=Path("home"), distill_url=url, distill_seconds=20)._replace(**more))


def saying(*blocks: dict[str, str]) -> Any:
    return lambda body: (200, {}, json.dumps({"type": "message", "content": blocks}).encode())


def test_messages_are_asked_as_the_reference_has_it(loopback: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    loopback.reply = saying(
        {"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "[1"}, {"type": "text", "text": "]"}
    )
    made = at(loopback.url, distill_key_variable="MY_KEY", distill_model="small")
    assert made.answer(PROMPT) == "[1]"
    assert loopback.asked == [
        {
            "path": "/v1/messages",
            "model": "small",
            "max_tokens": 1_200,
            "temperature": 0,
            "messages": [{"role": "user", "content": PROMPT}],
        }
    ]
    sent = {name.lower(): value for name, value in loopback.headers[0].items()}
    assert (sent["x-api-key"], sent["anthropic-version"]) == (KEY, "2023-06-01")
    assert KEY not in repr(made) + made.model


def test_a_model_that_knows_no_temperature_is_asked_without(loopback: Loopback) -> None:
    def reply(body: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        if "temperature" in body:
            return 400, {}, b'{"type": "error", "error": {"message": "temperature: unexpected"}}'
        return 200, {}, b'{"content": [{"type": "text", "text": "[]"}]}'

    loopback.reply = reply
    assert at(loopback.url).answer(PROMPT) == "[]"
    assert loopback.asked[1]["max_tokens"]


def test_what_comes_without_a_text_is_an_error(loopback: Loopback) -> None:
    for answer in (saying(), saying({"type": "tool_use", "name": "x"})):
        loopback.reply = answer
        with pytest.raises(ValueError, match="without a text"):
            at(loopback.url).answer(PROMPT)


def test_the_usual_key_goes_elsewhere_only(loopback: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    assert at("").key == KEY
    assert at("").url == "https://api.anthropic.com/v1/messages"
    assert at("").model == f"{endpoint.MODEL} at api.anthropic.com"
    loopback.reply = saying({"type": "text", "text": "[]"})
    at(loopback.url).answer(PROMPT)
    assert KEY not in str(loopback.headers)


def test_without_a_key_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(CuratorError, match="ANTHROPIC_API_KEY is not set"):
        at("")
    with pytest.raises(CuratorError, match="must name an environment variable"):
        at("", distill_key_variable="UNSET")


@pytest.mark.parametrize("path", ["", "/v1", "/v1/", "/v1/messages"])
def test_an_address_in_any_length_will_do(path: str) -> None:
    assert at(f"http://127.0.0.1:1{path}").url == "http://127.0.0.1:1/v1/messages"


def test_nothing_is_sent_in_the_clear() -> None:
    with pytest.raises(CuratorError, match="only https"):
        at("http://example.com")
