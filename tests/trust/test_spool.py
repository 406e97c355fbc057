"""The spool of hooks holds words that some lesson has and paths that exist, and nothing else of a prompt."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator import hooks
from tests.hooks.project import Project
from tests.text import forms

NAMING = "Rotate the password, the secret, the token and the api key of the login before each deploy with curl -u admin."


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project whose lessons have the words that stand around secrets."""
    for name in (*hooks.ROOTS, "CURATOR_HOOKS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(hooks, "SECONDS", 60.0)
    made = Project(tmp_path / "app")
    made.learns(NAMING)
    return made


def spool(project: Project) -> bytes:
    return b"".join(path.read_bytes() for path in project.settings.spool.rglob("*") if path.is_file())


def test_no_form_of_a_secret_is_in_the_spool(project: Project) -> None:
    for number, form in enumerate(forms.SECRETS):
        text, values = forms.build(form, f"{number}")
        project.prompts(f"run the tests: {text}", session=f"s{number % 20}")
        parts = [line for value in values for line in value.split("\n") if len(line) > 7]
        assert [part for part in parts if part.encode() in spool(project)] == [], form
        for file in project.settings.spool.glob("*.jsonl"):
            file.unlink()


def test_the_words_around_it_and_paths_that_exist_stay(project: Project) -> None:
    project.prompts("deploy with the password hunter22 to https://me:tiger@host/x and rotate it; ünïque prose stays out")
    project.edits("src/db.py")
    project.edits("src/ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6.py")
    assert [receipt["asked"] for receipt in project.receipts()] == [
        {"prompt": "deploy password rotate", "files": []},
        {"prompt": "", "files": ["src/db.py"]},
        {"prompt": "", "files": []},
    ]
