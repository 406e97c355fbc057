"""Nobody else on the machine reads what is kept: files 0600, folders 0700, whatever the umask and whoever made them first."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from curator.io import files
from tests.e2e.world import World
from tests.sayings import VENDOR

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")


def open_to_others(home: Path) -> list[str]:
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (home, *home.rglob("*"))}
    return [f"{mode:o} {path}" for path, mode in modes.items() if mode & 0o077]


def run(world: World, *words: str) -> None:
    done = world.ends(*words, mask=0)
    assert done.returncode in (0, 1), done.stderr


def everything(world: World) -> None:
    session = world.session()
    session.asks(VENDOR)
    session.answers("Done.")
    run(world, "scan", "--root", str(world.transcripts.parent))
    run(world, "add", f"{VENDOR}, see retry() of src/retry.py", "--file", "src/retry.py")
    run(world, "install", "claude-code", "--yes")
    run(world, "check")
    run(world, "pack")
    run(world, "doctor")
    world.hook("claude-code", "UserPromptSubmit", session.id, prompt=VENDOR, transcript_path=str(session.path))


def test_what_is_kept_is_private_under_any_umask_and_what_was_open_is_closed(world: World) -> None:
    everything(world)
    away = world.repository(world.app.parent / "away")
    world.run("add", "A lesson of a project that goes", folder=away)
    with world.opened() as curator:
        (project,) = (one for one in curator.projects().values() if one.folder == str(away))
    away.rename(away.parent / "gone")
    run(world, "--project", str(away), "add", "Kept while it is away")
    assert project.id in {path.name for path in (world.settings.home / "exports").iterdir()}
    assert open_to_others(world.settings.home) == []
    for path in [world.settings.home, *world.settings.home.rglob("*")]:
        path.chmod(0o777 if path.is_dir() else 0o666)
    everything(world)
    known = [world.settings.home, world.settings.database, world.settings.spool, world.settings.log]
    assert [path for path in known if path.exists() and stat.S_IMODE(path.stat().st_mode) & 0o077] == []


def test_lesson_files_of_a_project_are_as_the_project_is(world: World) -> None:
    world.app.chmod(0o755)
    world.run("add", VENDOR)
    (file,) = (world.app / ".curator" / "lessons").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o644


def test_folders_that_are_not_ours_are_left_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o755)
    monkeypatch.setenv("HOME", str(home))
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    for folder in (home, shared):
        before = folder.stat().st_mode
        files.private_folder(folder)
        assert folder.stat().st_mode == before
