"""A program and an endpoint, as they answer and as they fail; neither gets anything that it should not have."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator import plugins
from curator.distill import cache, command, endpoint, prompt
from curator.errors import CuratorError
from curator.hookspecs import Distiller
from curator.model import Wording
from curator.settings import Settings, load
from tests.distill.conftest import BRIEF, GOOD, Loopback

Reply = tuple[int, dict[str, str], bytes]


def program(tmp_path: Path, text: str, *, seconds: int = 20) -> command.Command:
    script = tmp_path / "distiller.py"
    script.write_text(f"import json, os, subprocess, sys, time\n{text}\n", encoding="utf-8")
    return command.of(Settings(home=tmp_path, distill_command=(sys.executable, str(script)), distill_seconds=seconds))


def at(url: str, **more: Any) -> endpoint.Endpoint:
    return endpoint.of(replace(Settings(home=Path("home"), distill_url=url, distill_model="small", distill_seconds=20), **more))


def test_the_built_in_ones_are_registered_and_made_of_the_settings(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, distill_command=("true",), distill_url="http://localhost:1/v1", distill_model="small")
    made = {name: make(settings) for name, make in plugins.distillers().items()}
    assert list(made) == ["command", "endpoint"] or list(made) == ["endpoint", "command"]
    assert all(isinstance(distiller, Distiller) for distiller in made.values())
    assert (made["command"].model, made["endpoint"].model) == ("true", "small at localhost:1")


def test_no_plugin_takes_the_place_of_a_built_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    from curator.distill import make_command
    from curator.hookspecs import MakeDistiller, hookimpl

    class Plugin:
        @hookimpl
        def register_distillers(self, register: Callable[[str, MakeDistiller], None]) -> None:
            register("command", other)
            register("other", other)

    def other(settings: Settings) -> Distiller:
        raise AssertionError

    plugin = Plugin()
    plugins.manager().register(plugin)
    try:
        found = plugins.distillers()
    finally:
        plugins.manager().unregister(plugin)
    assert found["other"] is other
    assert found["command"] is make_command


# --- a program --------------------------------------------------------------------------------------------------------


def test_a_program_gets_the_brief_as_json_and_answers_in_json(tmp_path: Path) -> None:
    made = program(
        tmp_path,
        "given = json.load(sys.stdin)\nprint(json.dumps({'headline': given['category'], 'insight': given['quotes'][0]}))",
    )
    assert made.rewrite(BRIEF) == Wording("constraint", BRIEF.quotes[0], "distilled")


def test_a_program_gets_a_prompt_that_asks_for_the_same(tmp_path: Path) -> None:
    made = program(tmp_path, "print(json.dumps({'headline': json.load(sys.stdin)['prompt']}))")
    answer = made.rewrite(BRIEF)
    assert answer is not None
    assert answer.headline == answer.insight == prompt.prompt(BRIEF)
    assert all(text in answer.headline for text in (BRIEF.headline, "I edited vendor/lib/http.py", '"headline"'))


def test_no_shell_reads_the_arguments(tmp_path: Path) -> None:
    hostile = "; touch made $(touch made)"
    made = command.of(
        Settings(
            home=tmp_path,
            distill_command=(sys.executable, "-c", "import json, sys; print(json.dumps({'headline': sys.argv[1]}))", hostile),
        )
    )
    assert made.rewrite(BRIEF) == Wording(hostile, hostile, "distilled")


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("sys.exit('no model there')", ValueError, "code 1: no model there"),
        ("print('Sorry, I can not do that.')", ValueError, "no JSON object"),
        ("print('{headline: x}')", ValueError, "no JSON"),
        ("print('{\"headline\": 3}')", ValueError, "no headline"),
        ('print(\'{"insight": "x"}\')', ValueError, "no headline"),
        ("print('x' * 100_000)", ValueError, "more than 64 kB"),
        ("print('{' + '[' * 50_000 + '}')", ValueError, "no JSON"),
        ("os.kill(os.getpid(), 9)", ValueError, "code -9"),
    ],
)
def test_what_a_program_does_wrong_is_said(tmp_path: Path, text: str, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        program(tmp_path, text).rewrite(BRIEF)


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no-such-distiller"):
        command.of(Settings(home=tmp_path, distill_command=("no-such-distiller",))).rewrite(BRIEF)


def test_a_program_that_takes_too_long_is_ended_with_its_children(tmp_path: Path) -> None:
    script = f"sleep 600 & echo $! > '{tmp_path / 'pid'}'; wait"
    made = command.of(Settings(home=tmp_path, distill_command=("sh", "-c", script), distill_seconds=2))
    with pytest.raises(TimeoutError, match="sh did not answer within 2 seconds"):
        made.rewrite(BRIEF)
    assert gone(int((tmp_path / "pid").read_text()))


def gone(pid: int) -> bool:
    """Whether a process is no more, or waits only for its parent to look."""
    for _ in range(200):
        state = Path(f"/proc/{pid}/stat")
        if not state.exists() or state.read_text().rsplit(")", 1)[1].split()[0] in "ZX":
            return True
        time.sleep(0.01)
    return False


def test_a_child_that_stays_does_not_keep_us_waiting(tmp_path: Path) -> None:
    text = (
        f"child = subprocess.Popen(['sleep', '600'])\nopen({str(tmp_path / 'pid')!r}, 'w').write(str(child.pid))\nprint('{{}}')"
    )
    try:
        assert program(tmp_path, text).rewrite(BRIEF) is None
    finally:
        os.kill(int((tmp_path / "pid").read_text()), 9)


# --- an endpoint ------------------------------------------------------------------------------------------------------


def test_an_endpoint_is_asked_as_openai_s_is(loopback: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "key-of-a-test")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9/")
    made = at(loopback.url, distill_key_variable="MY_KEY")
    assert made.rewrite(BRIEF) == Wording(GOOD["headline"], GOOD["insight"], "distilled")
    (asked,) = loopback.asked
    assert asked["path"] == "/v1/chat/completions"
    assert (asked["model"], asked["stream"], asked["temperature"]) == ("small", False, 0)
    assert asked["messages"] == [{"role": "user", "content": prompt.prompt(BRIEF)}]
    assert loopback.headers[0]["Authorization"] == "Bearer key-of-a-test"
    assert "key-of-a-test" not in repr(made) + made.model


@pytest.mark.parametrize("answer", ["{}", "```json\n{}\n```"])
def test_nothing_better_is_no_failure(loopback: Loopback, answer: str) -> None:
    loopback.reply = loopback.saying(answer)
    assert at(loopback.url).rewrite(BRIEF) is None


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ((500, {}, b"out of memory"), "500"),
        ((401, {}, b"{}"), "401"),
        ((200, {}, b"<html>"), "chat completion"),
        ((200, {}, b'{"choices": []}'), "chat completion"),
        ((200, {}, b'{"choices": [{"message": {"content": null}}]}'), "without a text"),
        ((200, {}, b"[" * 300_000), "longer than 256 kB"),
        ((200, {"Content-Length": "10"}, b""), "."),
        ((302, {"Location": "http://127.0.0.1:9/elsewhere"}, b""), "302"),
        ((307, {"Location": "/v1/other"}, b""), "307"),
    ],
)
def test_what_an_endpoint_does_wrong_is_said(loopback: Loopback, reply: Reply, said: str) -> None:
    loopback.reply = lambda body: reply
    with pytest.raises((OSError, ValueError), match=said):
        at(loopback.url).rewrite(BRIEF)
    assert len(loopback.asked) == 1


def test_an_endpoint_that_does_not_answer_is_left(loopback: Loopback) -> None:
    def late(body: object) -> Reply:
        loopback.release.wait(60)
        return 200, {}, b""

    loopback.reply = late
    with pytest.raises(TimeoutError):
        at(loopback.url, distill_seconds=1).rewrite(BRIEF)


def test_an_endpoint_that_is_not_there_is_an_error(loopback: Loopback) -> None:
    loopback.close()
    with pytest.raises(OSError, match="refused"):
        at(loopback.url).rewrite(BRIEF)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", "needs an address"),
        ("127.0.0.1:8080", "needs an address"),
        ("http://example.com/v1", "only https"),
        ("http://127.0.0.1.example.com/v1", "only https"),
        ("ftp://127.0.0.1/v1", "only https"),
        ("file:///etc/passwd", "needs an address"),
        ("https://me:word@example.com/v1", "no user, password"),
        ("https://example.com/v1?key=1", "no user, password"),
        ("https://[::1/v1", "no address"),
        ("http://127.0.0.1:x/v1", "no address"),
    ],
)
def test_addresses_that_nothing_is_sent_to(url: str, said: str) -> None:
    with pytest.raises(CuratorError, match=said):
        at(url)


@pytest.mark.parametrize(
    "url", ["https://example.com/v1", "http://localhost:1/v1/chat/completions", "http://[::1]:1", "HTTPS://example.com"]
)
def test_addresses_that_will_do(url: str) -> None:
    assert at(url).url.count("/chat/completions") == 1


@pytest.mark.parametrize("name", ["UNSET", "sk-test-not-a-name", "EMPTY", "LINES"])
def test_a_key_that_is_not_there_is_asked_for_without_saying_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMPTY", " ")
    monkeypatch.setenv("LINES", "a\nb")
    with pytest.raises(CuratorError, match="must name an environment variable") as caught:
        at("https://example.com/v1", distill_key_variable=name)
    assert "sk-" not in str(caught.value)


# --- estimate, settings, cache ----------------------------------------------------------------------------------------


def test_the_estimate_counts_characters_and_leaves_out_a_price_that_is_unknown() -> None:
    tokens = round(2 * len(prompt.prompt(BRIEF)) / 4.4) + 2 * prompt.ANSWER
    free = at("http://localhost/v1").estimate([BRIEF, BRIEF])
    assert (free.calls, free.tokens, free.cost) == (2, tokens, None)
    dear = at("http://localhost/v1", distill_price=2.5).estimate([BRIEF, BRIEF])
    assert dear.cost == pytest.approx(tokens * 2.5 / 1e6)
    assert at("http://localhost/v1", distill_price=2.5).estimate([]).cost == 0


def test_the_settings_of_a_distiller_are_typed(tmp_path: Path) -> None:
    env = {"CURATOR_HOME": str(tmp_path)}
    assert load(env).distiller == ""
    found = load(
        env | {"CURATOR_DISTILL_PRICE": "0.15", "CURATOR_DISTILL_COMMAND": "python:-m:mine", "CURATOR_DISTILL_FIRST": "1"}
    )
    assert (found.distill_price, found.distill_command, found.distill_first) == (0.15, ("python", "-m", "mine"), True)
    for text in ("much", "-1", "nan", "inf", "1e400"):
        with pytest.raises(CuratorError, match="CURATOR_DISTILL_PRICE must be a number from 0 to"):
            load(env | {"CURATOR_DISTILL_PRICE": text})
    (tmp_path / "settings.toml").write_text("distill_price = 3\n", encoding="utf-8")
    assert load(env).distill_price == 3.0
    (tmp_path / "settings.toml").write_text("distill_price = inf\n", encoding="utf-8")
    with pytest.raises(CuratorError, match="distill_price must be a number"):
        load(env)


@given(st.builds(Wording, st.text(), st.text(), st.just("distilled")) | st.none())
def test_the_cache_gives_back_what_it_was_given(tmp_path_factory: pytest.TempPathFactory, answer: Wording | None) -> None:
    kept = cache.Cache(tmp_path_factory.mktemp("cache") / "distill")
    key = cache.key("command", "mine", BRIEF)
    assert key not in kept
    kept.put(key, answer)
    assert key in kept
    assert kept.get(key) == answer
    kept.clear()
    with pytest.raises(KeyError):
        kept.get(key)


def test_the_cache_tells_distillers_models_and_questions_apart(tmp_path: Path) -> None:
    questions = [
        ("command", "a", BRIEF),
        ("endpoint", "a", BRIEF),
        ("command", "b", BRIEF),
        ("command", "a", replace(BRIEF, context="x")),
    ]
    assert len({cache.key(*question) for question in questions}) == 4


@pytest.mark.parametrize("damaged", ["", "{", "[1, 2]", '["one"]', "3", "\udcff"])
def test_a_damaged_answer_is_not_there(tmp_path: Path, damaged: str) -> None:
    (tmp_path / "k.json").write_bytes(damaged.encode("utf-8", "surrogateescape"))
    assert "k" not in cache.Cache(tmp_path)


def test_a_cache_that_cannot_be_written_loses_the_answer_quietly(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    kept = cache.Cache(tmp_path / "file" / "distill")
    kept.put("k", None)
    assert "k" not in kept


def test_the_prompt_holds_no_place_and_no_key() -> None:
    assert set(json.loads(prompt.prompt(BRIEF).removeprefix(prompt.TASK))) == {
        "category", "headline", "insight", "context", "quotes", "excerpt"
    }  # fmt: skip
