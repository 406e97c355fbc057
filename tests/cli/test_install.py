"""``curator install AGENT`` and ``uninstall``: shown first, asked once, exact, and looked after by the doctor."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from curator.agents.install.catalog import AGENTS
from curator.agents.managed_blocks import BEGIN, END
from curator.app import Curator, install
from curator.model import GRAVE, Finding, State
from curator.settings import load
from tests.cli.conftest import Done, Make, Shell
from tests.files import write_file, write_program

ALL = [agent.id for agent in AGENTS if agent.id != "specstory"]


def everything(*roots: Path) -> dict[str, bytes | str]:
    """Each file and link below some folders, without what is ours."""
    found: dict[str, bytes | str] = {}
    for root in roots:
        for path in sorted(root.rglob("*")):
            if path.is_symlink():
                found[str(path)] = os.readlink(path)
            elif path.is_file() and "/curator/" not in str(path):
                found[str(path)] = path.read_bytes()
            elif path.is_dir() and path.name != "curator":
                found[str(path)] = "folder"
    return found


def did(shell: Shell, *words: str) -> Done:
    done = shell(*words, "--yes")
    assert done.code == 0, done.err
    return done


FILES = ("--no-hooks", "--no-mcp", "--files")
"""Write the files that agents read, and nothing else."""
SETTINGS = b"""\xef\xbb\xbf{\r
\t// mine\r
\t"model": "x", // why\r
\t"hooks": {\r
\t\t"Stop": [{"hooks": [{"type": "command", "command": "notify-me"}]}],\r
\t},\r
\t"last": [1,2 , 3],\r
}"""


@pytest.fixture
def settled(isolation: Path, shell: Shell) -> dict[str, bytes | str]:
    """A home in which agents were used already, each with files of its own making."""
    files = {
        ".claude/settings.json": SETTINGS,
        ".claude.json": b'{"numStartups":3,"mcpServers":{},"projects":{"/a":{"x":[]}}}',
        ".codex/config.toml": b'# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "o"',
        ".qwen/settings.json": b"",
        ".gemini/settings.json": b'{\n    "context": {"fileName": "AGENTS.md"}\n}',
        ".cursor/hooks.json": b'{"version": 1, "hooks": {}}\n',
        ".config/opencode/opencode.jsonc": b'{\n  // mine\n  "$schema": "s",\n}\n',
        ".config/zed/settings.json": b"// Zed\n{\n}\n",
        ".config/goose/config.yaml": b"extensions:\n  one:\n    enabled: true\nGOOSE: 1\n",
        ".continue/config.yaml": b"name: L\nmcpServers:\n- name: other\n  command: o\n",
    }
    for name, content in files.items():
        write_file(isolation / name, content)
    (shell.folder / "AGENTS.md").write_bytes(b"# Ours\r\n\r\nUse tabs.")
    (shell.folder / ".aider.conf.yml").write_bytes(b"read: CONVENTIONS.md\n")
    return everything(isolation, shell.folder)


def test_all_agents_come_and_go_without_a_trace(shell: Shell, isolation: Path, settled: dict[str, bytes | str]) -> None:
    did(shell, "install", *ALL, "--files")
    assert everything(isolation, shell.folder) != settled
    again = did(shell, "install", *ALL, "--files")
    assert (again.out, "Everything is already set up." in again.err) == ("", True)
    did(shell, "install", *ALL, "--project", "--files")
    said = did(shell, "uninstall", *ALL)
    assert everything(isolation, shell.folder) == settled
    assert "only curator's entries" not in said.err
    told = [line.split()[-1] for line in said.err.splitlines() if line.startswith(("gone", "changed")) or "restored" in line]
    assert sorted(told) == sorted(set(told)), "each file once"
    assert not (isolation / "curator" / "backups").exists()
    assert "nothing to remove" in did(shell, "uninstall", *ALL).err


def test_only_entries_leave_files_that_changed(shell: Shell, isolation: Path, settled: dict[str, bytes | str]) -> None:
    did(shell, "install", *ALL, "--files")
    (isolation / "curator" / "installed.json").unlink()  # nothing is known any more, as if all had been edited
    did(shell, "uninstall", *ALL)
    left = everything(isolation, shell.folder)
    for name in (".claude/settings.json", ".codex/config.toml", ".gemini/settings.json", ".continue/config.yaml"):
        assert left[str(isolation / name)] == settled[str(isolation / name)]
    assert left[str(shell.folder / "AGENTS.md")] == b"# Ours\r\n\r\nUse tabs."
    assert not [name for name, content in left.items() if isinstance(content, bytes) and b"curator" in content]


@pytest.mark.parametrize(
    ("words", "said", "unsaid"),
    [
        ("codex --no-hooks", "", "/hooks"),
        ("codex", "/hooks", ""),
        ("claude-code", "~/.claude.json", ""),
        ("claude-code --no-mcp", "", ".claude.json"),
        ("claude-code --project", "", ".claude.json"),
        ("codex --no-hooks --no-mcp --files", "because opencode and zed would then no longer read CLAUDE.md", ""),
    ],
)
def test_notes_speak_of_what_is_set_up(shell: Shell, isolation: Path, words: str, said: str, unsaid: str) -> None:
    (isolation / ".codex").mkdir()
    (shell.folder / "CLAUDE.md").write_text("Use tabs.\n")
    err = did(shell, "install", *words.split()).err
    assert said in err
    assert not unsaid or unsaid not in err
    assert not (shell.folder / "AGENTS.md").exists(), "it would hide a person's file"


@pytest.mark.parametrize("word", ["install", "uninstall"])
def test_what_makes_no_sense_is_2_with_the_agents_that_there_are(shell: Shell, word: str) -> None:
    done = shell(word, "clod", "--yes")
    assert (done.code, "'clod'" in done.err, "claude-code" in done.err) == (2, True, True)
    assert shell(word, "--yes").code == 2
    done = shell(word, "claude-code", "--nope")
    assert done.code == 2
    assert f"Usage: curator {word} [OPTIONS] AGENT..." in done.err
    assert f"{word} agents" not in done.err + shell(word, "claude-code", "--help").out


def test_a_later_edit_stays_and_it_is_said(shell: Shell, isolation: Path) -> None:
    path = isolation / ".claude" / "settings.json"
    did(shell, "install", "claude-code", "--no-mcp")
    path.write_text(path.read_text().replace('{\n  "hooks"', '{\n  "model": "x",\n  "hooks"'))
    assert "only curator's entries were removed" in did(shell, "uninstall", "claude-code").err
    assert json.loads(path.read_text()) == {"model": "x"}


def test_an_edit_between_two_installs_is_not_lost_by_uninstalling(shell: Shell, isolation: Path) -> None:
    path = write_file(isolation / ".gemini" / "settings.json", '{"a": 1}')
    did(shell, "install", "gemini", "--no-mcp")
    path.write_text(path.read_text().replace('"a": 1', '"a": 2'))
    did(shell, "install", "gemini")
    assert "only curator's entries were removed" in did(shell, "uninstall", "gemini").err
    assert json.loads(path.read_text()) == {"a": 2}


def test_what_will_change_is_shown_and_nobody_there_changes_nothing(shell: Shell, isolation: Path) -> None:
    before = everything(isolation, shell.folder)
    done = shell("install", "codex")
    assert done.code == 2
    assert f"+++ {isolation / '.codex' / 'hooks.json'}" in done.out
    assert "hook codex SessionStart" in done.out
    assert "--yes" in done.err
    assert shell("install", "codex", "--dry-run").code == 0
    assert everything(isolation, shell.folder) == before
    assert shell("install", "--yes", "codex").out == done.out, "options may come first"


@pytest.mark.parametrize("words", [["codex", "gemini"], ["claude-code", "--project"], ["git"]])
def test_what_was_done_is_said_with_the_command_that_takes_it_back(shell: Shell, isolation: Path, words: list[str]) -> None:
    subprocess.run(["git", "init", "-q"], cwd=shell.folder, check=True)
    before = everything(isolation, shell.folder)
    assert "To undo this" not in shell("install", *words, "--dry-run").err
    done = did(shell, "install", *words)
    back = re.search(r"^Done\. To undo this, run `curator (uninstall [^`]+)`\.$", done.err, re.MULTILINE)
    assert back
    assert "To undo this" not in did(shell, "install", *words).err, "nothing was to be done"
    did(shell, *back[1].split())
    assert everything(isolation, shell.folder) == before


def test_a_file_that_changes_meanwhile_is_left_alone(shell: Shell, isolation: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_file(isolation / ".cursor" / "mcp.json", "{}")

    def meanwhile(*_: object, **__: object) -> bool:
        path.write_text('{"mine": 1}')
        return True

    shell.terminal = True
    monkeypatch.setattr("click.confirm", meanwhile)
    done = shell("install", "cursor", "--no-hooks")
    assert (done.code, "changed by another program just now" in done.err) == (3, True)
    assert path.read_text() == '{"mine": 1}'
    assert not (isolation / "curator" / "installed.json").exists()


@pytest.mark.parametrize(("typed", "written"), [("y\n", True), ("n\n", False), ("\n", False)])
def test_a_person_is_asked_once(shell: Shell, isolation: Path, typed: str, written: bool) -> None:
    shell.terminal = True
    done = shell("install", "codex", "cursor", typed=typed)
    assert (done.code, done.err.count("Continue?")) == (0, 1)
    assert ((isolation / ".codex").exists(), (isolation / ".cursor").exists()) == (written, written)


def test_secrets_beside_ours_are_not_shown(shell: Shell, isolation: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    write_file(isolation / ".cursor" / "mcp.json", '{"mcpServers": {\n  "g": {"env": {"TOKEN": "' + secret + '"}}\n }}')
    done = did(shell, "install", "cursor", "--no-hooks")
    assert "redacted" in done.out
    assert secret not in done.out
    assert secret in (isolation / ".cursor" / "mcp.json").read_text()
    assert str(isolation / "curator" / "backups") in done.err
    (copy,) = (isolation / "curator" / "backups").iterdir()
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        (".claude/settings.json", b'{\n "hooks": {\n', 3),
        (".codex/config.toml", b"ok = 1\n[x\n", 2),
        (".qwen/settings.json", b'{\n"a": "\xff"}', 2),
        (".gemini/settings.json", b'{"hooks": []}', 1),
    ],
)
def test_with_a_malformed_file_nothing_changes(shell: Shell, isolation: Path, name: str, content: bytes, line: int) -> None:
    write_file(isolation / name, content)
    before = everything(isolation, shell.folder)
    done = shell("install", "claude-code", "codex", "qwen", "gemini", "--yes")
    assert done.code == 3
    assert f"{isolation / name}:{line}: " in done.err
    assert everything(isolation, shell.folder) == before


def test_links_stay_links_and_modes_stay(shell: Shell, isolation: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    real.chmod(0o600)
    (isolation / ".claude").mkdir()
    link = isolation / ".claude" / "settings.json"
    link.symlink_to(real)
    did(shell, "install", "claude-code", "--no-mcp")
    assert link.is_symlink()
    assert "hooks" in json.loads(real.read_text())
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
    did(shell, "uninstall", "claude-code")
    assert (link.is_symlink(), real.read_text()) == (True, "{}")


def test_parts_can_be_chosen(shell: Shell, isolation: Path) -> None:
    did(shell, "install", "claude-code", "--no-hooks")
    assert {path.name for path in isolation.iterdir()} >= {".claude.json"}
    assert not (isolation / ".claude").exists()
    did(shell, "install", "claude-code", "--no-mcp", "--no-hooks", "--files")
    assert (shell.folder / "CLAUDE.md").exists()
    did(shell, "install", "windsurf", "--no-files")
    assert not (shell.folder / ".windsurf").exists()
    assert "curator can set up nothing like this" in shell("install", "specstory", "--yes").err


def test_project_files_hold_no_path_of_this_machine(shell: Shell, isolation: Path) -> None:
    did(shell, "install", *ALL, "--project")
    written = {name: text for name, text in everything(shell.folder).items() if isinstance(text, bytes)}
    assert len(written) > 15
    assert not [name for name, text in written.items() if sys.executable.encode() in text]


def test_a_hook_of_somebody_else_under_our_name_is_left_alone(shell: Shell, isolation: Path) -> None:
    path = write_file(isolation / ".cline" / "hooks" / "PostToolUse", "#!/bin/sh\necho mine\n")
    binary = path.with_name("TaskStart")
    binary.write_bytes(b"\x7fELF\xff\xfe")
    before = everything(isolation)
    said = did(shell, "install", "cline").err
    assert all(f"{theirs} belongs to somebody else" in said for theirs in (path, binary))
    assert "--no-hooks" in said
    assert (path.read_text(), binary.read_bytes()) == ("#!/bin/sh\necho mine\n", b"\x7fELF\xff\xfe")
    assert os.access(path.with_name("PreCompact"), os.X_OK), "the other events are heard"
    assert (isolation / ".cline" / "data" / "settings" / "cline_mcp_settings.json").exists()
    assert problems(shell) == []
    assert "hooks/PostToolUse belongs to somebody else" in shell("doctor").out
    did(shell, "uninstall", "cline")
    assert everything(isolation) == before
    path.unlink()
    did(shell, "install", "cline")
    assert os.access(path, os.X_OK)


@pytest.mark.parametrize(
    ("agent", "name", "content"),
    [
        ("opencode", ".config/opencode/plugins/curator.js", "export const Mine = async () => ({}) // curator install\n"),
        ("cline", ".cline/hooks/PostToolUse", "#!/bin/sh\n# Written by `curator install cline`, and then by me.\nmine\n"),
        (
            "copilot-cli",
            ".copilot/hooks/curator.json",
            '{"version": 1, "hooks": {"SessionStart": [{"type": "command", "bash": "mine; curator hook copilot-cli X "}]}}',
        ),
        ("claude-code", ".claude/settings.json", '{"hooks": {"Stop": [{"hooks": [{"command": "a; curator hook x y"}]}]}}'),
        ("continue", ".continue/rules/curator-lessons.md", "---\nname: mine\n---\n\nUse tabs."),
    ],
)
def test_uninstall_restores_what_stood_in_our_place(shell: Shell, isolation: Path, agent: str, name: str, content: str) -> None:
    write_file((shell.folder if "rules" in name else isolation) / name, content)
    before = everything(isolation, shell.folder)
    did(shell, "install", agent, "--files")
    did(shell, "install", agent, "--files")
    did(shell, "uninstall", agent)
    assert everything(isolation, shell.folder) == before


BY_HAND = [
    ("claude-code", ".claude.json", '{"n": 5, "mcpServers": {"curator": {"command": "mine",  "env": {"A": "1"}}}}'),
    ("claude-code", ".claude.json", '{"n":5,\n"mcpServers":{"curator":{"command":"curator","args":["mcp"]}}}'),
    ("codex", ".codex/config.toml", 'n = 5\n[mcp_servers.curator]\nargs = ["x"]\ncommand = "mine"\n\n# that\n[a]\n'),
    ("codex", ".codex/config.toml", 'n = 5\n[mcp_servers.curator]\ncommand = "mine"\n[mcp_servers.curator.env]\nA = "1"\n'),
    ("opencode", ".config/opencode/opencode.json", '{"n": 5, "mcp": {"curator": {"type": "remote", "url": "u"}}}'),
    ("goose", ".config/goose/config.yaml", "n: 5\nextensions:\n  curator:\n    cmd: mine\n    enabled: false\n"),
    ("continue", ".continue/config.yaml", "n: 5\nmcpServers:\n  - name: curator\n    command: mine\n  - name: b\n"),
]


@pytest.mark.parametrize(("agent", "name", "content"), BY_HAND)
@pytest.mark.parametrize("edited", [False, True])
def test_a_person_s_server_comes_back(shell: Shell, isolation: Path, agent: str, name: str, content: str, edited: bool) -> None:
    path = write_file(isolation / name, content)
    did(shell, "install", agent, "--no-hooks", "--no-files")
    assert path.read_text() != content
    did(shell, "install", agent, "--no-files")
    if edited:  # then the file can't be put back as a whole
        path.write_text(path.read_text().replace("5", "6", 1))
        content = content.replace("5", "6", 1)
    did(shell, "uninstall", agent)
    assert path.read_text() == content


@pytest.mark.parametrize(
    ("agent", "name", "content"),
    [
        ("claude-code", ".mcp.json", '{"mcpServers": {"curator": {"command": "curator", "args": ["mcp"]}}}'),
        ("aider", ".aider.conf.yml", "read: [.curator/aider.md]\n"),
    ],
)
def test_what_was_there_already_stays(shell: Shell, agent: str, name: str, content: str) -> None:
    (shell.folder / name).write_text(content)
    did(shell, "install", agent, "--project", "--no-hooks")
    assert "was there before" in did(shell, "uninstall", agent, "--project").err
    assert (shell.folder / name).read_text() == content


def test_a_server_that_is_none_of_ours_stays_where_nothing_is_known(shell: Shell, isolation: Path) -> None:
    path = isolation / ".cursor" / "mcp.json"
    path.parent.mkdir()
    for server in ('{"command": "mine"}', '{"command": "curator", "args": ["mcp"]}'):
        path.write_text(f'{{"mcpServers": {{"curator": {server}}}}}')
        assert "nothing to remove" in did(shell, "uninstall", "cursor").err
        assert server in path.read_text()


# --- files --------------------------------------------------------------------------------------------------------------


def refreshed() -> list[str]:
    with closing(Curator(load())) as curator:
        return [path.name for path in install.refresh_blocks(curator, curator.enter(os.getcwd()))]


def test_blocks_hold_the_lessons_and_follow_them(shell: Shell, make: Make) -> None:
    (shell.folder / "AGENTS.md").write_text("# Ours\n")
    shell.put(make(state=State.ACTIVE, headline="Use ninja", insight="Use ninja."), make(insight="Only a candidate."))
    did(shell, "install", "codex", "cursor", *FILES)
    text = (shell.folder / "AGENTS.md").read_text()
    assert text.startswith(f"# Ours\n\n{BEGIN}\n")
    assert "- [convention] “Use ninja.” (kept 2026-05-28)\n" in text
    assert "candidate" not in text
    assert refreshed() == []
    shell.put(
        make(state=State.ACTIVE, headline="Never force-push", insight="Never force-push.", scope="paths", paths=("src/a.py",))
    )
    assert sorted(refreshed())[0] == "AGENTS.md"
    assert "In src/a.py: “Never force-push.”" in (shell.folder / "AGENTS.md").read_text()
    assert len(list((shell.folder / ".cursor" / "rules").iterdir())) == 2
    assert not (shell.folder / "CLAUDE.md").exists(), "only what is there is refreshed"
    id_ = next(row["id"] for row in shell.json("list") if row["scope"] == "paths")
    shell("retire", id_)
    assert refreshed() == [], "a decision brings them up to date by itself"
    assert len(list((shell.folder / ".cursor" / "rules").iterdir())) == 1
    did(shell, "uninstall", "codex", "cursor")
    assert {path.name for path in shell.folder.iterdir()} <= {"AGENTS.md", ".curator"}
    assert (shell.folder / "AGENTS.md").read_text() == "# Ours\n"


def test_a_lesson_whose_code_was_edited_stays_in_the_blocks_and_says_so(shell: Shell, make: Make) -> None:
    edited, other = (Finding(path="a.py", severity=severity) for severity in (GRAVE - 0.01, GRAVE))
    shell.put(make(state=State.ACTIVE, headline="Use ninja", insight="Use ninja.", findings=(edited,)))
    shell.put(make(state=State.ACTIVE, headline="Use bazel", insight="Use bazel.", findings=(other,)))
    did(shell, "install", "codex", *FILES)
    text = (shell.folder / "AGENTS.md").read_text()
    assert "“Use ninja.” (kept 2026-05-28) (its code has changed since)\n" in text
    assert "bazel" not in text


@pytest.mark.parametrize(("how", "export"), [("retire", "1"), ("edit --scope project", "1"), ("forget", "1"), ("forget", "0")])
def test_what_no_longer_holds_everywhere_leaves_the_blocks_of_every_project(
    shell: Shell, make: Make, other: Path, monkeypatch: pytest.MonkeyPatch, how: str, export: str
) -> None:
    (id_,) = shell.put(make(state=State.ACTIVE, insight="Use ninja.", scope="global"))
    here = shell.folder
    for shell.folder in (other, here):
        shell("add", "Run the linter first")
        did(shell, "install", "codex", *FILES)
        assert "ninja" in (shell.folder / "AGENTS.md").read_text()
    monkeypatch.setenv("CURATOR_EXPORT", export)
    verb, *options = how.split()
    assert shell(verb, id_, *options).code == 0
    for folder in (other, here):
        assert ("ninja" in (folder / "AGENTS.md").read_text()) == (folder == here and verb == "edit")


def test_a_file_that_cannot_be_written_keeps_no_other_project_from_it(
    shell: Shell, make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (id_,) = shell.put(make(state=State.ACTIVE, insight="Use ninja.", scope="global"))
    places = [shell.folder, tmp_path / "a", tmp_path / "z"]
    for shell.folder in places:
        shell.folder.mkdir(exist_ok=True)
        shell("add", "Run the linter before the tests")
        did(shell, "install", "codex", *FILES)
    replaced = os.replace

    def full(source: Any, target: Any) -> None:
        if Path(target) == places[1] / "AGENTS.md":
            raise OSError(28, "No space left on device")
        replaced(source, target)

    monkeypatch.setattr(os, "replace", full)
    done = shell("forget", id_)
    assert done.code == 0
    assert "No space left" in done.err
    assert ["ninja" in (place / "AGENTS.md").read_text() for place in places] == [False, True, False]


def test_settings_are_private_while_they_are_written(isolation: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write_file(isolation / ".claude" / "settings.json", '{"env": {"KEY": "x"}}')
    file.chmod(0o600)
    seen: list[int] = []
    copied = shutil.copymode

    def look(source: Path, draft: Path) -> None:
        seen.append(stat.S_IMODE(draft.stat().st_mode))
        copied(source, draft)

    monkeypatch.setattr(shutil, "copymode", look)
    did(shell, "install", "claude-code", "--no-mcp")
    assert seen
    assert not any(mode & 0o077 for mode in seen)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_file_that_several_read_stays_until_the_last_is_gone(shell: Shell) -> None:
    did(shell, "install", "codex", "qwen", *FILES)
    assert "qwen reads it too" in did(shell, "uninstall", "codex").err
    assert (shell.folder / "AGENTS.md").exists()
    did(shell, "uninstall", "qwen")
    assert not (shell.folder / "AGENTS.md").exists()


@pytest.mark.parametrize(
    ("agent", "there", "block"),
    [
        ("claude-code", ["AGENTS.md"], "AGENTS.md"),
        ("claude-code", ["AGENTS.md", "CLAUDE.md"], "CLAUDE.md"),
        ("claude-code", [".claude/CLAUDE.md"], ".claude/CLAUDE.md"),
        ("claude-code", ["GEMINI.md"], ".claude/CLAUDE.md"),
        ("claude-code", [], "CLAUDE.md"),
        ("opencode", ["CLAUDE.md"], "CLAUDE.md"),
        ("opencode", ["CLAUDE.md", "AGENTS.md"], "AGENTS.md"),
        ("zed", ["CLAUDE.md"], "CLAUDE.md"),
        ("zed", [".rules", "AGENTS.md"], ".rules"),
        ("zed", [], "AGENTS.md"),
        ("goose", ["CLAUDE.md"], ".goosehints"),
        ("goose", ["CLAUDE.md", "AGENTS.md"], "AGENTS.md"),
        ("qwen", ["CLAUDE.md"], "QWEN.md"),
        ("codex", ["AGENTS.md", "CLAUDE.md"], "AGENTS.md"),
        ("claude-code", ["@CLAUDE.md"], "AGENTS.md"),
    ],
)
def test_no_new_file_keeps_an_agent_from_reading_another(shell: Shell, agent: str, there: list[str], block: str) -> None:
    for name in there:
        write_file(shell.folder / name.removeprefix("@"), "@AGENTS.md\n" if name.startswith("@") else "Use tabs.\n")
    before = everything(shell.folder)
    did(shell, "install", agent, *FILES)
    after = everything(shell.folder).items()
    texts = {name: text for name, text in after if text not in ("folder", before.get(name))}
    assert list(texts) == [str(shell.folder / block)]
    assert BEGIN in (shell.folder / block).read_text()
    did(shell, "uninstall", agent)
    assert everything(shell.folder) == before


def test_a_block_moves_to_the_file_that_is_read_by_now(shell: Shell) -> None:
    did(shell, "install", "claude-code", *FILES)
    assert BEGIN in (shell.folder / "CLAUDE.md").read_text()
    (shell.folder / "AGENTS.md").write_text("Use tabs.\n")
    assert shell("export").code == 0
    assert not (shell.folder / "CLAUDE.md").exists(), "it would keep Claude Code from reading the other"
    assert BEGIN in (shell.folder / "AGENTS.md").read_text()
    (shell.folder / "CLAUDE.md").write_text("Use spaces.\n")
    assert shell("export").code == 0
    assert (shell.folder / "AGENTS.md").read_text() == "Use tabs.\n"
    assert BEGIN in (shell.folder / "CLAUDE.md").read_text()
    did(shell, "uninstall", "claude-code")
    assert (shell.folder / "CLAUDE.md").read_text() == "Use spaces.\n"


BROKEN = [
    (lambda text: text.replace(END, ""), 3),
    (lambda text: text.replace(END, f"{END}\n{END}"), 8),
    (lambda text: f"{text}\n{text}", 11),
]


@pytest.mark.parametrize(("harm", "line"), BROKEN)
def test_a_block_that_can_t_be_refreshed_is_named_by_export_decisions_and_doctor(
    shell: Shell, make: Make, harm: Callable[[str], str], line: int
) -> None:
    (id_, other) = shell.put(
        make(state=State.ACTIVE, headline="Use ninja", insight="Use ninja."), make(state=State.ACTIVE, insight="Use tabs.")
    )
    (shell.folder / "AGENTS.md").write_text("# Ours\n")
    did(shell, "install", "codex", "gemini", *FILES)
    path = shell.folder / "AGENTS.md"
    path.write_text(broken := harm(path.read_text()))
    for done in (shell("retire", id_), shell("export"), shell("edit", other, "--headline", "Tabs"), shell("undo")):
        assert done.code == 0
        assert done.err.count(f"{path}:{line}: ") == 1
        assert "curator export" in done.err
        assert path.read_text() == broken
    refused = shell("install", "codex", *FILES, "--yes")
    assert (refused.code, f"AGENTS.md:{line}: " in refused.err, path.read_text()) == (3, True, broken)
    assert "ninja" not in (shell.folder / "GEMINI.md").read_text(), "the others are brought up to date"
    (found,) = [check for check in shell("doctor", "--json").objects if check["check"] == "blocks"]
    assert (found["ok"], f"{path}:{line}: " in found["detail"], END in found["fix"]) == (False, True, True)
    done = shell("forget", id_)
    assert "may still hold the text" in done.err
    path.write_text("# Ours\n")
    assert shell("export").err == ""
    assert "blocks" not in [check["check"] for check in shell("doctor", "--json").objects]


def test_a_broken_rules_file_for_certain_paths_keeps_no_other_from_being_refreshed(shell: Shell, make: Make) -> None:
    (id_, _) = shell.put(
        make(state=State.ACTIVE, insight="Use ninja.", scope="paths", paths=("src/a.py",)),
        make(state=State.ACTIVE, insight="Use tabs."),
    )
    did(shell, "install", "cursor", *FILES)
    (scoped,) = [path for path in (shell.folder / ".cursor" / "rules").iterdir() if "ninja" in path.read_text()]
    scoped.write_text(scoped.read_text().replace(END, ""))
    done = shell("add", "Run the linter before the tests")
    assert (done.code, done.err.count(scoped.name)) == (0, 1)
    assert "linter" in (shell.folder / ".cursor" / "rules" / "curator-lessons.mdc").read_text()
    done = shell("retire", id_)
    assert (done.code, done.err.count(scoped.name)) == (0, 1)


# --- doctor -------------------------------------------------------------------------------------------------------------


def looked(shell: Shell) -> list[dict[str, Any]]:
    done = shell("doctor", "--json")
    assert done.err == ""
    return [check for check in done.objects if check["check"] in ("hooks", "mcp")]


def problems(shell: Shell) -> list[str]:
    found = [check for check in looked(shell) if not check["ok"]]
    assert all(check["fix"] for check in found)
    return [check["detail"] for check in found]


def test_the_doctor_names_what_is_set_up_and_keeps_nothing(shell: Shell, isolation: Path) -> None:
    assert looked(shell) == [], "nothing of agents that were never set up"
    did(shell, "install", "claude-code", "cline")
    before = sorted(path.name for path in (isolation / "curator").iterdir())
    checks = looked(shell)
    assert all(check["ok"] for check in checks)
    assert f"registered in {isolation / '.claude.json'}" in " ".join(check["detail"] for check in checks)
    assert sorted(path.name for path in (isolation / "curator").iterdir()) == before


def test_a_home_that_is_a_project_is_no_second_place(shell: Shell, isolation: Path) -> None:
    did(shell, "install", "claude-code", "vscode-copilot", "codex", "--no-mcp")
    shell.folder = isolation
    assert problems(shell) == []
    assert ["trusts" in check["detail"] for check in looked(shell)] == [check["agent"] == "codex" for check in looked(shell)]


def test_missing_doubled_strange_and_old_hooks_are_named(shell: Shell, isolation: Path) -> None:
    did(shell, "install", "claude-code", "--no-mcp")
    path = isolation / ".claude" / "settings.json"
    data = json.loads(path.read_text())
    data["hooks"]["Stop"] *= 2
    data["hooks"]["Notification"] = data["hooks"].pop("PreCompact")
    data["hooks"]["SessionEnd"][0]["hooks"][0]["command"] = "curator hook claude-code SessionEnd"
    path.write_text(json.dumps(data))
    found = problems(shell)
    wrong = (
        "no hook for PreCompact",
        "more than once for Stop",
        "registered for Notification",
        "another version wrote the hook of SessionEnd",
    )
    assert [words for words in wrong if not any(words in one for one in found)] == []
    did(shell, "install", "claude-code", "--no-mcp")
    assert problems(shell) == []


def test_switches_that_keep_hooks_from_running_are_named(shell: Shell, isolation: Path) -> None:
    did(shell, "install", "claude-code", "codex", "gemini", "--no-mcp")
    for name, more in ((".claude", {"disableAllHooks": True}), (".gemini", {"hooksConfig": {"enabled": False}})):
        path = isolation / name / "settings.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | more))
    (isolation / ".codex" / "config.toml").write_text("[features]\nhooks = false\n")
    found = problems(shell)
    for words in ("disableAllHooks: true", "hooksConfig.enabled: false", "hooks = false under [features]"):
        assert any(words in one for one in found), words
    assert "disableAllHooks" in shell("install", "claude-code", "--dry-run").err


@pytest.mark.parametrize(
    ("script", "said"), [("", "does not exist"), ("#!/bin/sh\ntouch {mark}\n", "which is not this curator")]
)
def test_a_program_that_is_gone_or_another_is_named_and_not_run(
    shell: Shell, isolation: Path, monkeypatch: pytest.MonkeyPatch, script: str, said: str
) -> None:
    other, mark = isolation / "other" / "python", isolation / "was-run"
    if script:
        write_program(other, script.format(mark=mark))
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", str(other))
        did(shell, "install", "gemini", "--no-mcp")
    assert any(str(other) in one and said in one for one in problems(shell))
    assert not mark.exists()


def test_hooks_for_oneself_and_for_the_project_are_doubled(shell: Shell) -> None:
    did(shell, "install", "gemini", "--no-mcp")
    did(shell, "install", "gemini", "--no-mcp", "--project")
    assert any("each event has a hook in several files:" in one for one in problems(shell))


def test_the_files_are_listed_after_the_diffs(shell: Shell, isolation: Path) -> None:
    (shell.folder / "AGENTS.md").write_text("# Ours\n")
    wanted = ("codex", "cursor", *FILES)
    done = shell("install", *wanted, "--dry-run")
    rules = shell.folder / ".cursor" / "rules" / "curator-lessons.mdc"
    assert {f"changed {shell.folder / 'AGENTS.md'}", f"new     {rules}"} <= set(done.err.splitlines())
    did(shell, "install", *wanted)
    done = shell("uninstall", "cursor", "--dry-run")
    assert f"gone    {rules}" in done.err.splitlines()
    assert "AGENTS.md" not in done.err


def test_what_was_set_up_in_a_project_is_taken_back_there_alone(shell: Shell, isolation: Path) -> None:
    before = everything(shell.folder)
    did(shell, "install", "claude-code")
    own = everything(isolation)
    did(shell, "install", "claude-code", "--project")
    done = did(shell, "uninstall", "claude-code", "--project")
    assert (everything(isolation), everything(shell.folder)) == (own, before)
    assert str(isolation) not in done.err
    assert "nothing to remove" in did(shell, "uninstall", "claude-code", "--project").err


PLUGGED = {
    "claude-code": (".claude/settings.json", '{"enabledPlugins": {"curator@curator": true}}'),
    "copilot-cli": (".copilot/settings.json", '{"enabledPlugins": {"curator@curator": true}}'),
    "codex": (".codex/config.toml", '[plugins."curator@curator"]\nenabled = true\n'),
    "qwen": (".qwen/extensions/curator/qwen-extension.json", "{}"),
}


@pytest.mark.parametrize("agent", PLUGGED)
def test_the_plugin_is_enough_for_an_agent(shell: Shell, isolation: Path, monkeypatch: pytest.MonkeyPatch, agent: str) -> None:
    name, content = PLUGGED[agent]
    file = write_file(isolation / name, content)
    before = everything(isolation, shell.folder)
    said = did(shell, "install", agent, "--no-files")
    assert "the plugin curator@curator" in said.err
    assert everything(isolation, shell.folder) == before
    monkeypatch.setenv("PATH", "/nowhere")
    broken = shell("doctor")
    assert (broken.code, "finds no curator, so it sends nothing" in broken.out) == (1, True)
    write_program(isolation / ".local" / "bin" / "curator", "")
    assert "runs ~/.local/bin/curator" in shell("doctor").out
    file.write_text("") if file.suffix != ".json" or agent != "qwen" else file.unlink()
    did(shell, "install", agent, "--no-files")
    assert everything(isolation, shell.folder) != before
