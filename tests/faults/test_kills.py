"""Whatever is killed and whenever: what was acknowledged stands, what was taken back stays so, and files say what is stored."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from curator import app
from curator.app import Curator
from curator.app.project import memory_trash
from curator.lesson_files import STATES, parse
from curator.model import Entry, State
from curator.settings import load
from tests.cli.conftest import Shell, shell
from tests.faults.kills import KILLED, killed

__all__ = ["shell"]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are forked")
STEPS = 60
KEYS = "Take two of the blue keys with you"
"""No command has so many."""


@dataclass(frozen=True)
class Case:
    """What is done first, what is killed, and what follows; ``{a}`` is a candidate, ``{b}`` a lesson."""

    killed: str
    follow: tuple[str, ...]
    first: tuple[str, ...] = ()


CASES = (
    Case("keep {a}", ("retire {a}",)),
    Case("retire {b}", ("keep {b}",)),
    Case("edit {b} --headline other --insight other", ("edit {b} --headline third --insight third", "undo")),
    Case("merge {a} {b}", ("undo",)),
    Case("undo", ("redo",), first=("keep {a}",)),
    Case("redo", ("undo",), first=("keep {a}", "undo")),  # a keep that is killed and taken back
    Case("add Something-else-entirely", ("undo",)),
    Case("export", ("retire {b}", "undo")),
    Case("import", ("retire {b}", "undo")),
    Case(
        "keep {b}",
        ("undo",),
        first=(*(f"add Take-two-of-the-blue-keys-with-you-{word}" for word in ("first", "daily")), "tidy"),
    ),
)


@pytest.fixture
def machine(shell: Shell, make: Callable[..., Entry]) -> tuple[Shell, dict[str, str]]:
    """A candidate, and a lesson that has its file."""
    a, b = shell.put(make(headline="Use one thing", insight="Use one thing."), make(headline=KEYS, insight=KEYS))
    assert shell("keep", b).code == 0
    return shell, {"a": a, "b": b}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.killed} - {', '.join(case.follow)}".replace(" ", "_"))
def test_no_kill_takes_back_what_was_said(case: Case, machine: tuple[Shell, dict[str, str]], tmp_path: Path) -> None:
    shell, ids = machine
    for line in case.first:
        assert shell(*words(line, ids)).code == 0
    for point in fresh_starts(tmp_path / "saved", load().home, shell.folder):
        if killed(words(case.killed, ids), point, shell.folder) != KILLED:
            assert point > 3, "nothing was killed"
            return
        for line in case.follow:  # refused where the killed command came to nothing; what is done is done
            shell(*words(line, ids))
        with closing(Curator(load())) as curator:
            curator.enter(str(shell.folder))
            before = states(curator)
            assert app.sync.import_folder(curator).refusals == []
            assert states(curator) == before, f"files took something back after a kill before step {point}"
            assert app.sync.sync(curator, restore=True).refusals == []
            assert_files_say_what_is_stored(curator, point)


def fresh_starts(saved: Path, *places: Path) -> Iterator[int]:
    """Yield each step of a command at which it may be killed, with these folders as they are now."""
    for place in places:
        shutil.copytree(place, saved / place.name, symlinks=True)
    for point in range(1, STEPS):
        for place in places:
            shutil.rmtree(place)
            shutil.copytree(saved / place.name, place, symlinks=True)
        yield point
    raise AssertionError("a command with so many steps")


@pytest.mark.parametrize("point", range(1, 30, 2))
def test_a_killed_forget_is_finished(point: int, machine: tuple[Shell, dict[str, str]]) -> None:
    shell, ids = machine
    done = killed(["forget", ids["b"]], point, shell.folder)
    assert shell("list", "--all").code == 0
    log = [json.loads(line) for line in shell("history", "--json", "--all").out.splitlines()]
    forgotten = any(event["verb"] == "forget" for event in log)
    assert forgotten or done == KILLED
    left = [path for place in (shell.folder, load().home) for path in place.rglob("*") if path.is_file()]
    holding = [path for path in left if b"Take two" in path.read_bytes() and not path.name.endswith(("-wal", "-shm"))]
    assert not forgotten or not [path for path in holding if path.suffix == ".md"], point


def words(line: str, ids: dict[str, str]) -> list[str]:
    return [word.replace("-", " ") if word.count("-") > 4 else word for word in line.format(**ids).split()]


def states(curator: Curator) -> dict[str, tuple[State, str, str]]:
    found = {event.id: curator.lessons.peek(event.id) for event in curator.store.events.recent()}
    return {id_: (entry.state, entry.headline, entry.insight) for id_, entry in found.items() if entry}


def assert_files_say_what_is_stored(curator: Curator, point: int) -> None:
    assert curator.project
    lessons = Path(curator.project.folder, ".curator", "lessons")
    files = {name: (lessons / name).read_text(encoding="utf-8") for name in os.listdir(lessons)} if lessons.is_dir() else {}
    found = {entry.id: entry for name, text in files.items() if (entry := parse(text, name))}
    stored = {id_: one for id_, one in states(curator).items() if one[0] in STATES}
    assert {id_: (entry.state, entry.headline, entry.insight) for id_, entry in found.items()} == stored, point


AGENTS = ("claude-code", "cline", "goose")


@pytest.mark.parametrize("agent", AGENTS)
def test_a_killed_install_can_be_taken_back(agent: str, shell: Shell, tmp_path: Path) -> None:
    """To the byte: files that were there are as they were, and what was made is gone."""
    home = Path.home()
    (home / ".claude").mkdir(parents=True)
    (home / ".claude" / "settings.json").write_text('{"model": "x",\n "hooks": {}}\n', encoding="utf-8")
    (shell.folder / "AGENTS.md").write_text("# Mine\n", encoding="utf-8")
    before = tree(home, shell.folder)
    assert shell("add", "Run make check").code == 0
    for point in range(1, 200):
        done = killed(["install", agent, "--yes", "--files"], point, shell.folder)
        assert shell("uninstall", agent, "--yes").code == 0
        shutil.rmtree(shell.folder / ".curator", ignore_errors=True)
        assert tree(home, shell.folder) == before, f"killed before step {point}"
        if done != KILLED:
            assert point > 5
            return
    raise AssertionError("a command with so many steps")


def tree(*roots: Path) -> dict[str, bytes]:
    """What stands below these folders, without what is ours alone."""
    paths = (path for root in roots for path in root.rglob("*") if not path.is_relative_to(load().home))
    return {str(path): path.read_bytes() if path.is_file() else b"" for path in paths}


NOTE = "---\nname: db\ntype: feedback\n---\nIntegration tests use a real database, never a mock of it.\n"


def test_a_killed_drop_of_a_note_is_finished_and_undone(shell: Shell) -> None:
    slug = str(shell.folder).replace("/", "-").replace(".", "-").replace("_", "-")
    notes, home = Path.home() / ".claude" / "projects" / slug / "memory", load().home
    notes.mkdir(parents=True)
    files = {"db.md": NOTE, "MEMORY.md": "# Notes\n- [DB](db.md)\n"}
    for name, text in files.items():
        (notes / name).write_text(text)
        os.utime(notes / name, (1_700_000_000, 1_700_000_000))
    home.mkdir(exist_ok=True)
    (home / "settings.toml").write_text('memories = "apply"\n')
    assert shell("scan").code == 0
    (id_,) = [row["id"] for row in map(json.loads, shell("list", "--candidates", "--json").out.splitlines())]
    finished = 0
    for point in fresh_starts(shell.folder.parent / "saved", home, notes):
        code = killed(["retire", id_], point, shell.folder)
        shell("scan")
        finished += not (notes / "db.md").exists()
        assert len(memory_trash.removals(load())) == (not (notes / "db.md").exists()), point
        dismissed = shell.json("show", id_)[0]["state"] == "dismissed"
        if dismissed:
            assert shell("undo").code == 0
        assert {path.name: path.read_text() for path in notes.iterdir()} == files, point
        assert memory_trash.removals(load()) == []
        if code != KILLED:
            assert finished > 3, "the steps behind the decision"
            return
