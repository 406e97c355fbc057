"""An endpoint, as it answers and as it fails: nothing goes where it should not, and each failure says what to do.

Anthropic's Messages have another shape and another place for the key; the rest is as with any endpoint.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from curator.distill import digest, endpoint
from curator.distill.gate import read
from curator.errors import CuratorError
from curator.settings import Settings
from tests.distill.conftest import GOOD, Loopback

Reply = tuple[int, dict[str, str], bytes]
PROMPT = "read this: ünï 日本"
KEY = "key-of-" + "a-test"


def at(url: str, **more: Any) -> endpoint.Endpoint:
    return endpoint.of(Settings(home=Path("home"), distill_url=url, distill_model="small", distill_seconds=20)._replace(**more))


def messages_at(url: str, **more: Any) -> endpoint.Messages:
    return endpoint.messages(Settings(home=Path("home"), distill_url=url, distill_seconds=20)._replace(**more))


def saying(*blocks: dict[str, str]) -> Any:
    """Answers with these blocks, as Messages do."""
    return lambda body: (200, {}, json.dumps({"type": "message", "content": blocks}).encode())


def refusing(*replies: Reply, then: str = "[]") -> Any:
    """Gives these replies one after another, then answers."""
    left: Iterator[Reply] = iter(replies)
    return lambda body: next(left, (200, {}, json.dumps({"choices": [{"message": {"content": then}}]}).encode()))


def refusal(message: str) -> bytes:
    return json.dumps({"error": {"message": message, "type": "invalid_request_error"}}).encode()


def test_an_endpoint_is_asked_as_openai_s_is(loopback: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9/")
    made = at(loopback.url, distill_key_variable="MY_KEY")
    loopback.reply = loopback.saying('Sure:\n```json\n[{"line": 3}]\n```')
    assert made.answer(PROMPT) == 'Sure:\n```json\n[{"line": 3}]\n```'
    (asked,) = loopback.asked
    assert asked == {
        "path": "/v1/chat/completions",
        "model": "small",
        "stream": False,
        "temperature": 0,
        "max_tokens": endpoint.TOKENS,
        "messages": [{"role": "user", "content": PROMPT}],
    }
    assert loopback.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert KEY not in repr(made) + made.model


def test_messages_are_asked_as_the_reference_has_it(loopback: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    text = ({"type": "text", "text": part} for part in ("[1", "]"))
    loopback.reply = saying({"type": "thinking", "thinking": "hm"}, *text)
    made = messages_at(loopback.url, distill_key_variable="MY_KEY", distill_model="small")
    assert made.answer(PROMPT) == "[1]"
    (asked,) = loopback.asked
    assert asked == {
        "path": "/v1/messages",
        "model": "small",
        "max_tokens": endpoint.TOKENS,
        "temperature": 0,
        "messages": [{"role": "user", "content": PROMPT}],
    }
    sent = {name.lower(): value for name, value in loopback.headers[0].items()}
    assert (sent["x-api-key"], sent["anthropic-version"]) == (KEY, "2023-06-01")
    assert KEY not in repr(made) + made.model


def test_the_usual_key_of_messages_goes_elsewhere_only(loopback: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(CuratorError, match="ANTHROPIC_API_KEY is not set"):
        messages_at("")
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    usual = messages_at("")
    assert (usual.key, usual.url) == (KEY, "https://api.anthropic.com/v1/messages")
    assert usual.model == f"{endpoint.MODEL} at api.anthropic.com"
    loopback.reply = saying({"type": "text", "text": "[]"})
    messages_at(loopback.url).answer(PROMPT)
    assert KEY not in str(loopback.headers)


@pytest.mark.parametrize("blocks", [(), ({"type": "tool_use", "name": "x"},)])
def test_messages_without_a_text_are_an_error(loopback: Loopback, blocks: tuple[dict[str, str], ...]) -> None:
    loopback.reply = saying(*blocks)
    with pytest.raises(ValueError, match="without a text"):
        messages_at(loopback.url).answer(PROMPT)


def test_no_model_and_no_key_are_not_sent(loopback: Loopback) -> None:
    made = at(loopback.url, distill_model="")
    made.answer(PROMPT)
    assert "model" not in loopback.asked[0]
    assert "Authorization" not in loopback.headers[0]
    assert made.model.startswith("its default model at 127.0.0.1:")


def test_what_a_model_does_not_know_is_left_out_once(loopback: Loopback) -> None:
    loopback.reply = refusing(
        (400, {}, refusal("Unsupported parameter: 'max_tokens' is not supported, use 'max_completion_tokens' instead.")),
        (400, {}, refusal("Unsupported value: 'temperature' does not support 0 with this model.")),
        then="[1]",
    )
    assert at(loopback.url).answer(PROMPT) == "[1]"
    assert [sorted({"max_tokens", "temperature"} & {*asked}) for asked in loopback.asked] == [
        ["max_tokens", "temperature"], ["temperature"], [],
    ]  # fmt: skip
    loopback.reply = refusing((400, {}, refusal("temperature: unexpected")), then="")
    with pytest.raises(ValueError, match="did not answer like a model"):  # it answers as OpenAI's do
        messages_at(loopback.url).answer(PROMPT)
    assert "temperature" not in loopback.asked[-1]


def test_an_answer_about_a_session_has_a_form_where_the_endpoint_knows_one(loopback: Loopback) -> None:
    asked = digest.prompt("[1] USER: run make")
    loopback.reply = loopback.saying({"lessons": [GOOD]})
    (claim,) = read(at(loopback.url).answer(asked))
    assert claim.headline == GOOD["headline"]
    schema = loopback.asked[0]["response_format"]["json_schema"]["schema"]
    item = schema["properties"]["lessons"]["items"]
    assert item["required"] == [*item["properties"]]
    assert all(f'"{name}":' in asked for name in item["properties"])
    for message in ("'response_format.type' must be 'json_object'", "failed to parse grammar"):
        loopback.asked.clear()
        loopback.reply = refusing((400, {}, refusal(message)), then="[1]")
        assert at(loopback.url).answer(asked) == "[1]"
        assert ["response_format" in one for one in loopback.asked] == [True, False]
    at(loopback.url).answer("Does the lesson still hold?")
    assert "response_format" not in loopback.asked[-1]


def test_what_is_refused_again_is_an_error(loopback: Loopback) -> None:
    loopback.reply = lambda body: (400, {}, refusal("temperature, max_tokens and you"))
    with pytest.raises(OSError, match=r"answered 400 \(refused\): temperature, max_tokens and you"):
        at(loopback.url).answer(PROMPT)
    assert len(loopback.asked) == 2


def test_who_is_asked_to_wait_does_so_once(loopback: Loopback) -> None:
    loopback.reply = refusing((429, {"Retry-After": "0"}, b""), then="[1]")
    assert at(loopback.url).answer(PROMPT) == "[1]"
    loopback.reply = lambda body: (503, {"Retry-After": "0"}, b"")
    with pytest.raises(OSError, match=r"answered 503 \(try later\)$"):
        at(loopback.url).answer(PROMPT)
    assert len(loopback.asked) == 4


@pytest.mark.parametrize("wait", ["20", "999999", "9" * 400, "Wed, 21 Oct 2026 07:28:00 GMT", "-1", ""])
def test_nobody_waits_longer_than_an_answer_may_take(loopback: Loopback, wait: str) -> None:
    loopback.reply = lambda body: (429, {"Retry-After": wait}, refusal("slow\n down"))
    with pytest.raises(OSError, match=r"answered 429 \(over the quota: try later\): slow down"):
        at(loopback.url).answer(PROMPT)
    assert len(loopback.asked) == 1


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ((500, {}, b"out of memory"), r"500 \(try later\): out of memory"),
        ((401, {}, b'{"error": "token=%b"}' % (b"abcd1234" + b"efgh5678")), r"401 \(the key is .*\): token=\[redacted\]"),
        (
            (404, {}, b'{"error": {"message": "model \'small\' not found"}}'),
            r"404 \(.*distill_model.*\): model 'small' not found",
        ),
        ((402, {}, b"[" * 100_000), "402"),
        ((200, {}, b"<html>"), "did not answer like a model"),
        ((200, {}, b'{"choices": []}'), "did not answer like a model"),
        ((200, {}, b"[" * 200_000), "did not answer like a model"),
        ((200, {}, b'{"choices": [{"message": {"content": null}}]}'), "without a text"),
        ((200, {}, b'{"choices": [{"message": {"content": " "}}]}'), "without a text"),
        ((200, {}, b"[" * 300_000), "longer than 256 kB"),
        ((200, {"Content-Length": "10"}, b""), "."),
        ((302, {"Location": "http://127.0.0.1:9/elsewhere"}, b""), "302"),
        ((307, {"Location": "/v1/other"}, b""), "307"),
    ],
)
def test_what_an_endpoint_does_wrong_is_said(loopback: Loopback, reply: Reply, said: str) -> None:
    loopback.reply = lambda body: reply
    with pytest.raises((OSError, ValueError), match=said):
        at(loopback.url).answer(PROMPT)
    assert len(loopback.asked) == 1


def test_an_endpoint_that_does_not_answer_is_left(loopback: Loopback) -> None:
    def late(body: object) -> Reply:
        loopback.release.wait(60)
        return 200, {}, b""

    loopback.reply = late
    with pytest.raises(TimeoutError, match="did not answer within 1 second"):
        at(loopback.url, distill_seconds=1).answer(PROMPT)


def test_an_endpoint_that_is_not_there_is_an_error(loopback: Loopback) -> None:
    loopback.close()
    with pytest.raises(OSError, match="refused"):
        at(loopback.url).answer(PROMPT)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", "needs an address"),
        ("127.0.0.1:8080", "needs an address"),
        ("http://example.com/v1", "only https"),
        ("http://127.0.0.1.example.com/v1", "only https"),
        ("ftp://127.0.0.1/v1", "only https"),
        ("file:///etc/passwd", "needs an address"),
        ("https://me:word@example.com/v1", "must not contain a user, password"),
        ("https://example.com/v1?key=1", "must not contain a user, password"),
        ("https://[::1/v1", "is not an address"),
        ("http://127.0.0.1:x/v1", "is not an address"),
    ],
)
def test_addresses_that_nothing_is_sent_to(url: str, said: str) -> None:
    for make in (at, messages_at) if url else (at,):
        with pytest.raises(CuratorError, match=said):
            make(url)


@pytest.mark.parametrize(
    "url", ["https://example.com/v1", "http://localhost:1/v1/chat/completions", "http://[::1]:1", "HTTPS://example.com"]
)
def test_addresses_that_will_do(url: str) -> None:
    assert at(url).url.count("/chat/completions") == 1


@pytest.mark.parametrize("path", ["", "/v1", "/v1/", "/v1/messages"])
def test_an_address_of_messages_in_any_length_will_do(path: str) -> None:
    assert messages_at(f"http://127.0.0.1:1{path}").url == "http://127.0.0.1:1/v1/messages"


@pytest.mark.parametrize("name", ["UNSET", "sk-test-" + "not-a-name", "EMPTY", "LINES"])
def test_a_key_that_is_not_there_is_asked_for_without_saying_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMPTY", " ")
    monkeypatch.setenv("LINES", "a\nb")
    for make in (at, messages_at):
        with pytest.raises(CuratorError, match="must name an environment variable") as caught:
            make("https://example.com/v1", distill_key_variable=name)
        assert "sk-" not in str(caught.value)
