"""The command line, run in process in a project's folder, with what it printed."""

from __future__ import annotations

import io
import json
import logging
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from curator.app import Curator
from curator.cli import Frontends, run
from curator.model import Entry
from tests.agents.mcp_process import put
from tests.sayings import DIST, UV, VENDOR
from tests.transcripts import transcript_records as records

Make = Callable[..., Entry]
RULE = VENDOR
RULES = (VENDOR, DIST, UV.removeprefix("no, "))


@dataclass(frozen=True)
class Done:
    """What a run of the command left behind."""

    code: int
    out: str
    err: str

    @property
    def objects(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def one(self) -> dict[str, Any]:
        (found,) = self.objects
        return found


class Keyboard(io.StringIO):
    """What a person types at a terminal."""

    def isatty(self) -> bool:
        return True


class Shell:
    """Runs ``curator`` in a project's folder; nothing here is a terminal, unless ``terminal`` says so."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.capsys = capsys
        self.monkeypatch = monkeypatch
        self.opened: list[str] = []
        self.terminal = False

    def __call__(self, *arguments: str | Path, typed: str = "") -> Done:
        self.monkeypatch.chdir(self.folder)
        self.monkeypatch.setattr(sys, "stdin", (Keyboard if self.terminal else io.StringIO)(typed))
        self.monkeypatch.setattr(sys.stdout, "isatty", lambda: self.terminal)
        self.monkeypatch.setenv("TERM", "xterm")
        self.capsys.readouterr()
        faces = Frontends(inbox=self.open)
        code = run([str(argument) for argument in arguments], faces)
        out, err = self.capsys.readouterr()
        return Done(code, out, err)

    def open(self, curator: Curator, *, session: str = "", **_: object) -> str:
        self.opened.append(session)
        return ""

    def json(self, *arguments: str | Path) -> list[dict[str, Any]]:
        done = self(*arguments, "--json")
        assert done.code == 0, done.err
        return done.objects

    def add(self, text: str, *more: str | Path) -> str:
        """Write a lesson by hand; returns its id."""
        return str(self.json("add", text, *more)[0]["id"])

    def state(self, id_: str) -> str:
        """How an entry stands."""
        return str(self.json("show", id_)[0]["state"])

    def put(self, *entries: Entry, folder: Path | None = None) -> list[str]:
        """Store entries as they are, in the project of a folder; returns their ids."""
        return put(folder or self.folder, *entries)


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    folder = tmp_path / "app"
    folder.mkdir()
    yield Shell(folder, capsys, monkeypatch)
    log = logging.getLogger("curator")
    for handler in [*log.handlers]:
        log.removeHandler(handler)
        handler.close()
    log.propagate = True


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """The folder of another project."""
    folder = tmp_path / "other"
    folder.mkdir()
    return folder


class Sessions:
    """Claude Code sessions under a root, written by hand."""

    def __init__(self, root: Path, cwd: Path) -> None:
        self.root = root
        self.cwd = cwd

    def __call__(self, name: str, said: Sequence[str] = RULES, *, days_ago: float = 0.0) -> Path:
        path = self.root / "projects" / "-work-app" / f"{name}.jsonl"
        shared = {"sessionId": name, "cwd": str(self.cwd), "userType": "external"}
        told = [
            records.user(words) | shared | {"uuid": f"{name}-{at}", "timestamp": f"2026-02-01T10:{at:02d}:00.000Z"}
            for at, words in enumerate(said)
        ]
        records.write(path, *told)
        if days_ago:
            at = path.stat().st_mtime - days_ago * 86_400
            os.utime(path, (at, at))
        return path


@pytest.fixture
def sessions(tmp_path: Path, shell: Shell) -> Sessions:
    return Sessions(tmp_path / "claude", shell.folder)
