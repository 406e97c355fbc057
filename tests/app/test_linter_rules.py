"""A lesson that a linter checks by now is offered for retirement, with the commit."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from curator import app
from curator.app import Curator
from curator.app.decisions import tidy
from tests.conftest import Clock
from tests.files import git

NEVER = "Never call print in the library (T201)"
CONSOLE = "Use the logger, never the console: `no-console` will check it"
SELECTED = '[tool.ruff.lint]\nselect = ["E", "T20"]\n'
Commit = Callable[[str, str], str]


@pytest.fixture
def commit(work: Path, still: Clock, monkeypatch: pytest.MonkeyPatch) -> Commit:
    """Commit a file a day later; returns the commit."""
    git(work, "init", "-q")

    def made(file: str, text: str) -> str:
        still.forward(86_400)
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"{still.at:.0f} +0000")
        (work / file).write_text(text)
        git(work, "add", file)
        git(work, "commit", "-q", "-m", "settings")
        return git(work, "rev-parse", "--short", "HEAD")

    return made


@pytest.fixture
def curator(curator: Curator, commit: Commit) -> Curator:
    commit("pyproject.toml", '[tool.ruff.lint]\nselect = ["E"]\n')
    curator.enter(curator.project.folder if curator.project else "")
    return curator


def offered(curator: Curator, text: str, commit: Commit, *settings: tuple[str, str]) -> tuple[str, list[str]]:
    """Return the offers for a lesson after commits of settings, and these commits."""
    (lesson,) = curator.decisions.add(text).entries
    commits = [commit(*one) for one in settings]
    app.tidy.offer(curator)
    return curator.lessons.find(lesson.id).offer, commits


def test_a_rule_that_ruff_selects_since_is_offered_with_the_commit(curator: Curator, commit: Commit) -> None:
    later = ("pyproject.toml", f"{SELECTED}# sorted\n")
    offer, (since, _) = offered(curator, NEVER, commit, ("pyproject.toml", SELECTED), later)
    assert offer == f"ruff checks T201 since commit {since}"
    (card,) = curator.lessons.entries(curator.lessons.cleanup())
    curator.decisions.accept([card.id])
    assert app.tidy.offer(curator) == 0, "a person says that it holds"


def test_a_rule_that_is_an_error_of_eslint_since_is_offered(curator: Curator, commit: Commit) -> None:
    rules = json.dumps({"rules": {"no-console": ["error", {"allow": ["warn"]}]}})
    offer, (since,) = offered(curator, CONSOLE, commit, (".eslintrc.json", rules))
    assert offer == f"eslint checks no-console since commit {since}"


FLAT = """import js from "@eslint/js"; // https://eslint.org
export default [
  js.configs.recommended,
  { files: ["**/*.ts"], rules: { '@acme/no-console': ["error", { allow: ["warn"] }], "no-var": 2 } },
];
"""


@pytest.mark.parametrize("rule", ["@acme/no-console", "no-var"])
@pytest.mark.parametrize("file", ["eslint.config.js", "eslint.config.mjs", "eslint.config.ts"])
def test_a_program_of_settings_is_read_and_not_run(curator: Curator, commit: Commit, file: str, rule: str) -> None:
    offer, (_, since) = offered(curator, f"We follow `{rule}`", commit, (file, "export default [];\n"), (file, FLAT))
    assert offer == f"eslint checks {rule} since commit {since}"


def test_a_rule_that_only_moved_to_another_file_is_no_reason(curator: Curator, commit: Commit) -> None:
    commit(".eslintrc.json", json.dumps({"rules": {"no-var": "error"}}))
    assert offered(curator, "We follow `no-var`", commit, ("eslint.config.js", FLAT))[0] == ""


@pytest.mark.parametrize(
    ("text", "file", "settings"),
    [
        ("Never call print in the library", "pyproject.toml", SELECTED),
        ("Ignore T201 in the scripts", "pyproject.toml", SELECTED),
        (NEVER, "pyproject.toml", f'{SELECTED}ignore = ["T201"]\n'),
        (NEVER, "pyproject.toml", f'{SELECTED}per-file-ignores = {{ "a.py" = ["T2"] }}\n'),
        (NEVER, "pyproject.toml", '[tool.ruff.lint]\nselect = ["T", "TC"]\nignore = ["T20"]\n'),
        (NEVER, "pyproject.toml", "[tool.ruff.lint\n"),
        (NEVER, "pyproject.toml", "tool = 1\n"),
        (NEVER, "notes.toml", SELECTED),
        (CONSOLE, ".eslintrc.json", json.dumps({"rules": {"no-console": "off"}})),
        (CONSOLE, ".eslintrc.json", "[]"),
        (CONSOLE, "eslint.config.js", FLAT),
        ("Mind no-var", "eslint.config.js", f"{FLAT}/* {'x' * tidy.MAX_BYTES} */"),
        ("Mind no-var", "eslint.config.js", '[{ rules: { "no-var": "error" } }, { rules: { "no-var": "off" } }]'),
        ("Mind no-var", "eslint.config.js", '[{ rules: { "no-var": strict ? "error" : "off" } }]'),
        ("Mind no-var", "eslint.config.js", '// "no-var": "error"\n/* "no-var": "error" */\n/* "no-var": "error"'),
        ("Mind no-restricted-syntax", "eslint.config.js", '[{ rules: { "no-restricted-syntax": ["error", "all"] } }]'),
        ("Mind the ESP8266", "pyproject.toml", '[tool.ruff.lint]\nselect = ["ALL"]\n'),
    ],
)
def test_without_certainty_nothing_is_offered(curator: Curator, commit: Commit, text: str, file: str, settings: str) -> None:
    assert offered(curator, text, commit, (file, settings))[0] == ""


def test_a_rule_that_was_checked_before_the_lesson_is_no_reason(curator: Curator, commit: Commit) -> None:
    commit("pyproject.toml", SELECTED)
    assert offered(curator, NEVER, commit, ("pyproject.toml", f"{SELECTED}# sorted\n"))[0] == ""


@pytest.mark.parametrize("hard", ["[", "/*", "'", "`", '\\"', '"no-var":['])
def test_settings_of_a_clone_that_are_made_to_be_slow_turn_nothing_on(hard: str) -> None:
    assert not tidy._has_eslint(hard * (tidy.MAX_BYTES // len(hard)), "no-var")
    assert not tidy._has_ruff("a = " + hard * 50_000, "T201")
