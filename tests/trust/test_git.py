"""A repository whose own settings name programs: none of them runs, whatever of ours looks at it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence

import pytest

from curator.code import files
from curator.code.anchors import make_anchors
from curator.code.files import WorkFiles
from curator.io import git
from curator.projects import identify
from tests.code.one_lesson import check
from tests.e2e.world import World
from tests.sayings import VENDOR
from tests.trust.conftest import Trap

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the traps are shell scripts")

PLACE = "src/retry.py"
SetTrap = Callable[[World, Trap], None]
LOOKS = (
    *("scan", "check", "list --stale", "list --candidates", "doctor", "status", "where", "export", "import"),
    *("check --from-files", "install git --dry-run"),
)
"""What a person may do in a folder that came from anywhere. ``doctor`` and ``check`` may find something: code 1."""


def fsmonitor(world: World, trap: Trap) -> None:
    world.git(world.app, "config", "core.fsmonitor", str(trap.script("fsmonitor")))


def filters(world: World, trap: Trap) -> None:
    for kind in ("clean", "smudge", "process"):
        world.git(world.app, "config", f"filter.evil.{kind}", str(trap.script(f"filter-{kind}")))
    (world.app / ".gitattributes").write_text("*.py filter=evil diff=evil\n", encoding="utf-8")


def differences(world: World, trap: Trap) -> None:
    world.git(world.app, "config", "diff.external", str(trap.script("diff-external")))
    world.git(world.app, "config", "diff.evil.textconv", str(trap.script("diff-textconv")))
    world.git(world.app, "config", "diff.evil.command", str(trap.script("diff-command")))
    (world.app / ".gitattributes").write_text("*.py filter=evil diff=evil\n", encoding="utf-8")


def signatures(world: World, trap: Trap) -> None:
    world.git(world.app, "config", "log.showSignature", "true")
    for key in ("gpg.program", "gpg.openpgp.program", "gpg.ssh.program", "gpg.x509.program"):
        world.git(world.app, "config", key, str(trap.script("signature")))
    text = world.git(world.app, "cat-file", "commit", "HEAD")
    head, body = text.split("\n\n", 1)
    signed = f"{head}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n iQEz\n -----END PGP SIGNATURE-----\n\n{body}"
    command = ["git", "hash-object", "-t", "commit", "-w", "--stdin"]
    new = subprocess.run(command, cwd=world.app, input=signed, capture_output=True, text=True, check=True).stdout.strip()
    world.git(world.app, "update-ref", "HEAD", new)


def hooks(world: World, trap: Trap) -> None:
    for name in ("post-index-change", "reference-transaction", "post-checkout", "pre-commit"):
        trap.script("hook", trap.folder / "hooks" / name)
    world.git(world.app, "config", "core.hooksPath", str(trap.folder / "hooks"))


def submodules(world: World, trap: Trap) -> None:
    below = world.repository(world.app.parent / "below")
    world.git(world.app, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(below), "deps/below")
    world.git(world.app, "-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "submodule")
    world.git(world.app / "deps" / "below", "config", "core.fsmonitor", str(trap.script("submodule-fsmonitor")))
    (world.app / "deps" / "below" / "src" / "retry.py").write_text("changed = 1\n", encoding="utf-8")
    world.git(world.app, "config", "diff.submodule", "log")
    world.git(world.app, "config", "status.submoduleSummary", "true")


def partial_clone(world: World, trap: Trap) -> None:
    """An object that is missing, and a remote from which git would fetch it by a program."""
    for key, value in {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.url": f"ext::{trap.script('transport')} %S",
        "remote.origin.promisor": "true",
        "remote.origin.partialclonefilter": "blob:none",
        "protocol.ext.allow": "always",
        "protocol.allow": "always",
        "core.sshCommand": str(trap.script("ssh")),
        "core.askPass": str(trap.script("askpass")),
    }.items():
        world.git(world.app, "config", key, value)
    blob = world.git(world.app, "rev-parse", f"HEAD:{PLACE}").strip()
    loose = world.app / ".git" / "objects" / blob[:2] / blob[2:]
    loose.unlink()


def pagers(world: World, trap: Trap) -> None:
    for key in ("core.pager", "pager.log", "pager.config", "core.editor", "alias.log", "core.alternateRefsCommand"):
        setting = str(trap.script(key))
        world.git(world.app, "config", key, f"!{setting}" if key.startswith("alias") else setting)


ALL_BUT_A_CLONE = (fsmonitor, filters, differences, signatures, hooks, submodules, pagers)
SPRUNG: dict[SetTrap, Sequence[str]] = {
    fsmonitor: ("status",),
    filters: ("diff", "--stat"),
    differences: ("diff",),
    signatures: ("log", "-1"),
    submodules: ("status",),
    partial_clone: ("cat-file", "-p", f"HEAD:{PLACE}"),
}
"""What a person would ask git, and it would run the trap: else a test that finds no mark would say nothing."""


def lesson(world: World) -> None:
    """A lesson about a symbol whose code then changes, without a commit."""
    world.run("add", f"{VENDOR}, since retry() of {PLACE} may not wait.", "--file", PLACE)
    world.commit(world.app)
    (world.app / PLACE).write_text("def retry():\n    return [2, 3]\n\n\ndef other():\n    return retry()\n", encoding="utf-8")


@pytest.mark.parametrize("traps", [ALL_BUT_A_CLONE, (partial_clone,)], ids=["all", "clone"])
async def test_no_program_that_a_repository_names_is_run(traps: Sequence[SetTrap], world: World, trap: Trap) -> None:
    """All traps at once; a partial clone is for itself, since git ends where an object is missing."""
    lesson(world)
    for set_trap in traps:
        set_trap(world, trap)
        if set_trap in SPRUNG:
            subprocess.run(["git", *SPRUNG[set_trap]], cwd=world.app, env=world.env, capture_output=True, timeout=60)
            assert trap.ran, f"the trap {set_trap.__name__} is none"
        trap.reset()
    (world.app / PLACE).write_text("def gone():\n    return [4]\n", encoding="utf-8")  # the symbol is looked for everywhere
    for words in LOOKS:
        assert world.ends(*words.split()).returncode in (0, 1), words
    assert trap.ran == set(), LOOKS
    async with world.desk() as press:
        await press("g", "l", "j", "o", "escape", "w", "escape")
    assert trap.ran == set()


def test_every_question_that_we_have_for_git_runs_nothing(world: World, trap: Trap) -> None:
    """All questions of the stages, asked directly, with every trap set at once."""
    lesson(world)
    anchors = make_anchors(world.app, [PLACE], ["retry"])
    for set_trap in (submodules, fsmonitor, filters, signatures, pagers, hooks):
        set_trap(world, trap)
    trap.reset()
    (world.app / PLACE).write_text("def retry():\n    return [5]\n", encoding="utf-8")
    head = git.first_line(git.ask(world.app, "rev-parse", "HEAD"))
    assert PLACE in files.difference(WorkFiles(world.app), head).came  # type: ignore[union-attr]
    check(world.app, anchors)
    list(files.contents_in_history(world.app, PLACE))
    files.sources(world.app)
    files.index(world.app)
    identify(str(world.app))
    assert trap.ran == set()


def test_a_work_tree_lies_where_its_repository_does(world: World) -> None:
    """``core.worktree`` may name any folder of the machine; nothing is written or read there."""
    victim = world.home / "victim"
    victim.mkdir()
    (victim / "private.py").write_text("x = 1\n", encoding="utf-8")
    world.git(world.app, "config", "core.worktree", str(victim))
    assert git.work_tree(world.app / "src") == os.path.realpath(world.app)
    assert identify(str(world.app)).folder == os.path.realpath(world.app)
    world.run("add", VENDOR)
    assert [path.name for path in victim.iterdir()] == ["private.py"]
    assert list((world.app / ".curator" / "lessons").iterdir())
    assert files.sources(world.app) == [PLACE]


def test_a_folder_that_only_looks_like_a_repository_is_none(world: World) -> None:
    (world.app / "src" / ".git").mkdir()
    assert git.work_tree(world.app / "src") == os.path.realpath(world.app)
    assert git.work_tree(world.app / ".git" / "objects") == ""
    assert git.work_tree(world.home) == ""


def test_a_git_of_the_work_tree_is_not_run(world: World, trap: Trap, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ``PATH`` with a relative folder, as some people have, does not make a clone's program ours."""
    trap.script("git", world.app / "git")
    trap.script("git", world.app / "bin" / "git")
    monkeypatch.setenv("PATH", f".{os.pathsep}bin{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(world.app)
    assert git.first_line(git.ask(".", "rev-parse", "--is-inside-work-tree")) == "true"
    assert trap.ran == set()
