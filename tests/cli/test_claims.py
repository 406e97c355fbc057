"""Claims of the README and the help texts that were false once."""

from __future__ import annotations

import re

import pytest

from curator import demo
from curator.cli import commands
from curator.keymap import ACTIONS
from curator.model import Kind
from curator.settings import load
from tests.cli.conftest import Make, Shell


@pytest.mark.parametrize("command", ["search", "detect", "forget"])
def test_an_argument_that_may_be_left_out_is_in_brackets(shell: Shell, command: str) -> None:
    usage = " ".join(shell(command, "--help").out.split("\n\n")[0].split())
    assert usage.endswith("]...")
    assert shell(command, "--no-such-option").code == 2


def test_revoking_says_that_it_revoked(shell: Shell) -> None:
    shell("add", "Lint first")
    assert "no longer accepted" in shell("import", "--revoke").err


def test_the_help_of_the_plain_inbox_promises_no_keys_of_the_screen(shell: Shell, make: Make) -> None:
    shell.put(make())
    shown = shell("review", "--plain", typed="?\nq\n").out
    assert "keep" in shown.lower()
    assert not re.search(r"\^s|ctrl|\besc\b|draft", shown)


@pytest.mark.parametrize(
    ("words", "said"), [([], "no session"), (["--session", "nope"], "begins with nope"), (["--stale"], "every stale lesson")]
)
def test_what_would_be_sent_is_shown_without_a_model(shell: Shell, words: list[str], said: str) -> None:
    done = shell("read", "--show", *words)
    assert done.code == 0
    assert said in (done.out + done.err).lower()


def test_a_key_in_brackets_behind_a_command_does_the_same_in_the_inbox() -> None:
    summaries = {name: (command.help or "").split("\n")[0] for name, command in commands().items()}
    keys = {name: found[1] for name, text in summaries.items() if (found := re.search(r"\((\S)\)\.$", text))}
    actions = {key: f"{action.name} {action.label} {action.help}".lower() for action in ACTIONS for key in action.keys}
    assert len(keys) > 8
    others = {name: key for name, key in keys.items() if name not in actions.get(key, "")}
    assert others == {"coexist": "3"}  # the key keeps "both"


def test_the_demo_has_each_kind_of_card_that_the_pages_name() -> None:
    with demo.open_demo(load()) as curator:
        assert {*curator.lessons.kinds(curator.lessons.waiting(rest=True))} == {Kind.CANDIDATE, Kind.CONFLICT, Kind.STALE}
