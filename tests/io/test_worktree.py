"""What a repository's own settings call its remotes, held against git's answer."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from curator.io import worktree

ADDRESSES = {"origin": "git@example.org:ann/app.git", "upstream": "https://example.org/bob/app", "mirror": "/srv/app"}


def test_settings_that_git_wrote_are_read(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    for name, address in ADDRESSES.items():
        subprocess.run(["git", "-C", str(tmp_path), "remote", "add", name, address], check=True)
    found = worktree.written_remotes((tmp_path / ".git" / "config").read_text().splitlines())
    assert found == {"origin": "example.org/ann/app", "upstream": "example.org/bob/app"}
    assert worktree.preferred_remote(found) == "example.org/bob/app"


@pytest.mark.parametrize(
    "text",
    [
        '[branch "origin"]\n\turl = https://a.org/b/c',
        '[remote "x"]\n\tpushurl = https://a.org/b/c',
        '[remote "x"]\n\turl =\n[core]\nurl = https://a.org/b/c',
        "[remote\nurl",
        "\x00\udcff",
    ],
)
def test_what_is_no_remotes_address_is_none(text: str) -> None:
    assert worktree.written_remotes(text.split("\n")) == {}


def test_without_upstream_and_origin_the_first_by_name_counts() -> None:
    assert worktree.preferred_remote({"b": "h/b", "a": "h/a"}) == "h/a"
    assert worktree.preferred_remote({}) == ""
