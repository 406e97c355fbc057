"""The agents' own commands, as small programs stand for them: what each is given, how its answer is read, and how it fails.

The real ones are asked in ``test_clients_real.py``.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator import plugins
from curator.distill import command
from curator.distill.command import Output
from curator.errors import CuratorError
from curator.hookspecs import Distiller, MakeDistiller, hookimpl
from curator.settings import Settings

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="these programs are started the POSIX way")

PROMPT = "a line of ours\n/help @file !{touch made} $(touch made)\nünï 日本\n"
SAID = '[{"line": 3, "quote": "“never”"}]'
every_client = pytest.mark.parametrize("name", command.CLIENTS)

PRINTED: Mapping[str, str] = {
    "claude": json.dumps({"type": "result", "subtype": "success", "is_error": False, "result": SAID}),
    "codex": f"{SAID}\n",
    "gemini": json.dumps({"session_id": "1", "response": SAID, "stats": {}}, indent=2),
    "qwen": json.dumps([{"type": "system"}, {"type": "assistant"}, {"type": "result", "is_error": False, "result": SAID}]),
    "opencode": "\n".join(
        json.dumps({"type": kind, "part": part})
        for kind, part in (("step_start", {}), ("text", {"text": SAID[:9]}), ("text", {"text": SAID[9:]}), ("step_finish", {}))
    ),
    "copilot": f"{SAID}\n\n",
    "cursor": json.dumps({"type": "result", "subtype": "success", "is_error": False, "result": SAID}),
    "goose": json.dumps(
        {
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "[]"}], "metadata": {}},
                {
                    "role": "assistant",
                    "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": SAID}],
                    "metadata": {"inference": {"provider": "x"}},
                },
            ],
            "metadata": {"output_tokens": 9},
        }
    ),
}
"""What each prints."""


class Place:
    """A machine with one program in its PATH, which writes down how it was called, and prints what it is told."""

    def __init__(self, folder: Path) -> None:
        self.bin, self.seen, self.printed = folder / "bin", folder / "seen.json", folder / "printed"
        self.settings = Settings(home=folder / "place", distill_seconds=60)
        self.bin.mkdir()

    def install(self, name: str, printed: str, *, code: int = 0, complaint: str = "") -> command.Agent:
        """Put the program of a client there."""
        self.printed.write_text(printed, encoding="utf-8")
        program = self.bin / command.CLIENTS[name].program
        program.write_text(
            f"#!{sys.executable}\nimport json, os, sys\n"
            "seen = {'arguments': sys.argv[1:], 'stdin': sys.stdin.read(), 'env': {**os.environ}, 'cwd': os.getcwd()}\n"
            "seen['files'] = [os.path.join(top, name) for top, _, names in os.walk('.') for name in names]\n"
            f"open({str(self.seen)!r}, 'w').write(json.dumps(seen))\n"
            f"sys.stdout.write(open({str(self.printed)!r}).read())\n"
            f"sys.stderr.write({complaint!r})\nsys.exit({code})\n",
            encoding="utf-8",
        )
        program.chmod(0o755)
        return command.client(name, self.settings)

    def call(self) -> dict[str, Any]:
        """How the program was called."""
        found: dict[str, Any] = json.loads(self.seen.read_text(encoding="utf-8"))
        return found


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made = Place(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join((str(made.bin), "/usr/bin", "/bin")))
    return made


def test_the_built_in_ones_are_registered_and_no_plugin_takes_their_place(place: Place) -> None:
    class Plugin:
        @hookimpl
        def register_distillers(self, register: Any) -> None:
            register("claude", other)
            register("other", other)

    def other(settings: Settings) -> Distiller:
        raise AssertionError

    plugin, made = Plugin(), dict[str, MakeDistiller]()
    plugins.manager().register(plugin)
    try:
        made = plugins.distillers()
    finally:
        plugins.manager().unregister(plugin)
    assert made["other"] is other
    assert {*command.CLIENTS} == {name for name in made if name in command.CLIENTS}
    place.install("claude", "")
    distiller = made["claude"](place.settings)
    assert isinstance(distiller, Distiller)
    assert distiller.model == "claude haiku"


@every_client
def test_a_client_is_asked_in_a_folder_of_its_own(
    name: str, place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("MY_LOGIN", "kept")
    asked = place.install(name, PRINTED[name])
    assert asked.answer(PROMPT) == SAID
    call = place.call()
    folder = place.settings.cache / "clients" / name
    assert (call["cwd"], call["env"]["PWD"]) == (str(folder), str(folder))
    assert (call["env"]["CURATOR_DISTILL"], call["env"]["MY_LOGIN"]) == ("1", "kept")
    assert call["stdin"] == (PROMPT.replace("@", r"\@") if command.CLIENTS[name].mentions else PROMPT)
    assert not any("touch made" in argument or "{" + "folder}" in argument for argument in call["arguments"])
    assert {Path(file).name for file in call["files"]} <= {"system.md", "settings.json"}
    assert folder.stat().st_mode & 0o077 == 0


@every_client
def test_a_client_is_asked_for_the_model_that_is_set(name: str, place: Place) -> None:
    usual = command.CLIENTS[name].model
    for model, said in (("", usual), ("other", "other")):
        place.settings = Settings(home=place.settings.home, distill_model=model)
        asked = place.install(name, PRINTED[name])
        asked.answer(PROMPT)
        words = place.call()["arguments"]
        assert words[-2:] == ["--model", said] if said else "--model" not in words
        assert asked.model == f"{asked.client.program} {said}".strip()


@every_client
def test_a_client_that_is_not_installed_or_in_a_relative_folder_is_named(
    name: str, place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = f"^`{command.CLIENTS[name].program}` is not on the PATH"
    with pytest.raises(CuratorError, match=missing):
        command.client(name, place.settings)
    place.install(name, "")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "bin")
    with pytest.raises(CuratorError, match=missing):
        command.client(name, place.settings)


def test_what_goose_keeps_is_gone_afterwards(place: Place) -> None:
    place.install("goose", PRINTED["goose"]).answer(PROMPT)
    kept = place.call()["env"]["XDG_DATA_HOME"]
    assert kept
    assert not Path(kept).exists()


def test_settings_that_somebody_changed_are_ours_again(place: Place) -> None:
    asked = place.install("gemini", PRINTED["gemini"])
    file = asked.folder / ".gemini" / "settings.json"
    asked.answer(PROMPT)
    written = file.read_text(encoding="utf-8")
    file.write_text('{"tools": {}}', encoding="utf-8")
    asked.answer(PROMPT)
    assert file.read_text(encoding="utf-8") == written


def test_mentions_are_put_back_in_an_answer(place: Place) -> None:
    asked = place.install("gemini", json.dumps({"response": r'[{"quote": "ask \\@ann or a\@b"}]'}))
    assert asked.answer("ask @ann, a@b") == '[{"quote": "ask @ann or a@b"}]'


@given(st.text(alphabet="@\\ab /\"'"))
def test_no_mention_is_left(text: str) -> None:
    safe = command.escape(text)
    assert "@" not in safe.replace(r"\@", "")
    assert safe.replace(r"\@", "@") == text.replace(r"\@", "@")


# --- what goes wrong --------------------------------------------------------------------------------------------------


def trouble(name: str, printed: str, *, code: int = 0, complaint: str = "") -> str:
    """What a person is told of an output of a client that is no answer."""
    text, said = command.outcome(command.CLIENTS[name], Output(code, printed, complaint))
    assert not text
    return said


@pytest.mark.parametrize("name", [name for name in command.CLIENTS if command.CLIENTS[name].read is not command.plain])
@pytest.mark.parametrize(
    "printed", [SAID, "[]", "{}", "3", "null", "<html>", "[" * 100_000, '{"result": 3}', '{"messages": [1]}']
)
def test_an_answer_in_no_form_that_is_known_is_an_error(name: str, printed: str) -> None:
    assert trouble(name, printed).endswith("gave no answer: its output has an unknown form")


@every_client
def test_an_empty_answer_is_an_error(name: str) -> None:
    printed = PRINTED[name].replace(json.dumps(SAID), '" "').replace(SAID, " ")
    assert "gave no answer" in trouble(name, printed if name != "opencode" else "")


@pytest.mark.parametrize(
    ("name", "printed", "complaint", "said"),
    [
        (
            "claude",
            {"is_error": True, "result": "Not logged in · Please run /login"},
            "",
            "is not logged in (start it once yourself",
        ),
        ("claude", {"is_error": True, "result": "no such model"}, "", "ended with code 1: no such model"),
        ("codex", None, "x\nERROR: unexpected status 401 Unauthorized: bad\n", "is not logged in"),
        ("codex", None, "ERROR: exceeded retry limit, last status: 429 Too Many Requests\n12\n", "has used up its quota"),
        (
            "codex",
            None,
            "error: unexpected argument '--ephemeral' found\n\nFor more, try '--help'.\n",
            "does not know an option",
        ),
        ("qwen", None, "Unknown arguments: bare\nUsage: qwen\n" + "  --help  Show help\n" * 300, "does not know an option"),
        ("claude", None, "error: unknown option '--tools'\n", "does not know an option (update it): error: unknown"),
        (
            "gemini",
            "",
            'at x\n{\n "error": {"message": "You exceeded your current quota", "code": 429}\n}\n',
            "has used up its quota",
        ),
        ("gemini", "", '{"error": {"message": "Please set an Auth method in your settings"}}', "is not logged in"),
        ("gemini", "", "When using it, specify the GEMINI_API_KEY environment variable.", "is not logged in"),
        ("qwen", None, "No auth type is selected.", "is not logged in"),
        ("qwen", None, "the logic of the author 4290", "ended with code 1: the logic"),
        ("gemini", "", '{\n"error": {\n', 'ended with code 1: "error": {'),
        ("qwen", [{"is_error": True, "error": {"message": "Model stream ended"}}], "", "ended with code 1: Model stream ended"),
        ("opencode", {"type": "error", "error": {"data": {"message": "invalid x-api-key"}}}, "", "is not logged in"),
        ("opencode", {"type": "error", "error": {"name": "Odd"}}, "", "ended with code 1: Odd"),
        ("copilot", None, "Run 'gh auth login' to authenticate\n", "is not logged in"),
        ("cursor", None, "Workspace Trust Required\n", "ended with code 1: Workspace Trust Required"),
    ],
)
def test_what_a_client_does_wrong_is_said(name: str, printed: Any, complaint: str, said: str) -> None:
    found = trouble(name, json.dumps(printed) if printed else "", code=1, complaint=complaint)
    assert found.startswith(f"`{command.CLIENTS[name].program}` {said}")


def test_an_error_is_an_error_whatever_the_code(place: Place) -> None:
    printed = {"is_error": True, "result": "Invalid API key · api_key=" + "abcd1234" + "efgh5678"}
    with pytest.raises(PermissionError, match=r"is not logged in .*: Invalid API key · api_key=\[redacted\]"):
        place.install("claude", json.dumps(printed)).answer(PROMPT)
    went = {"role": "assistant", "content": [{"type": "text", "text": "Ran into this error: 500"}], "metadata": {}}
    with pytest.raises(ValueError, match="gave no answer: Ran into this error: 500"):  # for it cost nothing
        place.install("goose", json.dumps({"messages": [went], "metadata": {"output_tokens": 0}})).answer(PROMPT)


KEYS = ("type", "result", "response", "error", "message", "messages", "content", "part", "text", "data", "role", "is_error")
VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)


@given(st.sampled_from(sorted(command.CLIENTS)), st.text(max_size=60) | VALUES.map(json.dumps), st.integers(0, 1))
def test_nothing_that_is_printed_is_a_traceback(name: str, printed: str, code: int) -> None:
    text, trouble = command.outcome(command.CLIENTS[name], Output(code, printed, printed))
    assert bool(text) != bool(trouble)
