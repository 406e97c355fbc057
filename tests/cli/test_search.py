"""Finding lessons by words and files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.conftest import Make, Shell


@pytest.fixture
def lessons(shell: Shell) -> dict[str, str]:
    return {
        "retry": shell.add("Retry uploads with exponential backoff, never in a loop", "--category", "constraint"),
        "names": shell.add("parse_user_name drops titles"),
        "errors": shell.add("Log errors once", "--file", "src/http/client.py"),
    }


def ids(shell: Shell, *arguments: str | Path) -> list[str]:
    return [row["id"] for row in shell.json("search", *arguments)]


def test_by_words_by_files_and_by_both(shell: Shell, lessons: dict[str, str]) -> None:
    assert ids(shell, "retrying", "an", "upload") == [lessons["retry"]]
    assert ids(shell, "parseUserName") == [lessons["names"]]
    assert ids(shell, "--file", "src/http/client.py") == [lessons["errors"]]
    assert ids(shell, "upload", "--file", "src/http/client.py")[0] in (lessons["errors"], lessons["retry"])
    assert ids(shell, "nothing of the kind") == []
    assert shell("search").code == 2
    assert shell("search", "x", "--file", "../elsewhere.py").code == 3


def test_a_row_says_why(shell: Shell, lessons: dict[str, str]) -> None:
    (row,) = shell.json("search", "uploads")
    assert row["id"] == lessons["retry"]
    assert 0 < row["score"] < 1
    assert row["why"]["words"] > 0
    said = shell("search", "uploads").out
    assert "% likely to matter: " in said
    assert "shares rare words" in said
    assert not re.search(r"[+-]\d+\.", said)
    assert all(line.strip() for line in said.splitlines())


def test_filters_and_other_states(shell: Shell, lessons: dict[str, str]) -> None:
    shell("retire", lessons["retry"])
    assert ids(shell, "uploads") == []
    assert ids(shell, "uploads", "--retired") == [lessons["retry"]]
    assert ids(shell, "uploads", "--candidates") == []
    assert ids(shell, "titles", "--category", "constraint") == []
    assert ids(shell, "titles", "--since", "1d") == [lessons["names"]]
    assert ids(shell, "titles", "errors", "--limit", "1") in ([lessons["names"]], [lessons["errors"]])


def test_projects_are_kept_apart_unless_all_are_asked_for(shell: Shell, lessons: dict[str, str], other: Path) -> None:
    assert ids(shell, "uploads", "--project", other) == []
    assert ids(shell, "uploads", "--all", "--project", other) == [lessons["retry"]]


def test_a_search_without_a_match_advises_only_what_was_not_done(shell: Shell, make: Make) -> None:
    shell.put(make())
    assert "use --all" in shell("search", "zebra").err
    said = shell("search", "zebra", "--all").err
    assert "--all" not in said
    assert "1 card to decide: add --candidates to search them." in said
    assert len(ids(shell, "--candidates", "task")) == 1


def test_a_mistyped_command_names_the_likest(shell: Shell) -> None:
    done = shell("serch", "uploads")
    assert "There is no command 'serch'." in done.err
    assert "Did you mean `curator search`?" in done.err
    assert "`curator --help` lists the commands." in shell("zzzzzz").err
    assert done.code == 2
