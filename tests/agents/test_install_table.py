"""The table of agents: units, matchers, events that the hook knows; and the command that is registered."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from curator.agents.install import command
from curator.agents.install.catalog import AGENTS, BY_ID
from curator.agents.install.parts import Target, targets
from tests.files import write_program

HOME = Path("/home/somebody")
CONTRACT = """claude-code codex qwen gemini cursor copilot-cli vscode-copilot opencode cline
windsurf zed junie continue aider goose specstory""".split()


def of(agent: str, kind: str, top: Path | None = None) -> list[Target]:
    return [target for target in targets(BY_ID[agent], HOME, {}, top) if target.kind == kind]


def document(agent: str, kind: str = "hooks") -> dict[str, object]:
    (target,) = of(agent, kind)
    loaded: dict[str, object] = json.loads(target.part.put("", "f"))
    return loaded


def test_the_command_is_the_same_by_whichever_name_python_was_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "python3.11").touch()
    written = set()
    for name in ("python", "python3"):
        (tmp_path / name).symlink_to("python3.11")
    for name in ("python", "python3", "python3.11"):
        monkeypatch.setattr(sys, "executable", str(tmp_path / name))
        written.add((command.hook("codex", "Stop"), command.server()[0], command.opencode_plugin()))
    assert len(written) == 1
    (tmp_path / "python").unlink()
    (tmp_path / "python").touch()
    assert command.interpreter() == str(tmp_path / "python3.11"), "another Python of that name is none of ours"


@pytest.mark.parametrize("agent", [agent.id for agent in AGENTS if agent.hooks and agent.id not in ("opencode", "cline")])
def test_timeouts_are_in_the_agents_own_unit(agent: str) -> None:
    unit = 1000 if agent in ("qwen", "gemini") else 1
    found = {int(part.split(",")[0].split("}")[0]) for part in json.dumps(document(agent)).split('"timeout": ')[1:]}
    assert found
    assert found <= {3 * unit, 5 * unit}


@pytest.mark.parametrize("agent", ["claude-code", "codex", "qwen", "gemini", "cursor", "copilot-cli"])
def test_events_have_a_matcher_only_for_tools_that_touch_files_and_for_a_start(agent: str) -> None:
    hooks = BY_ID[agent].hooks
    assert hooks
    for event, matcher in hooks.events.items():
        if "tool" in event.lower():
            assert matcher
            assert not {"Bash", "*", "Shell", "run_shell_command"} & {*matcher.split("|")}
        elif event not in ("SessionStart", "PreCompress"):
            assert not matcher
    if agent in ("claude-code", "codex", "qwen"):  # what goes on after compaction is told again
        assert "compact" in hooks.events["SessionStart"].split("|")


def test_copilot_is_never_asked_before_a_tool() -> None:
    assert not any(event.lower() == "pretooluse" for event in document("copilot-cli")["hooks"])  # type: ignore[attr-defined]
    assert document("copilot-cli") == document("vscode-copilot"), "one file serves both"


def test_variables_move_the_folders(tmp_path: Path) -> None:
    env = {"CODEX_HOME": str(tmp_path / "c"), "CLAUDE_CONFIG_DIR": f"{tmp_path / 'd'},{tmp_path / 'e'}"}
    found = [target.path for agent in ("codex", "claude-code") for target in targets(BY_ID[agent], HOME, env, None)]
    assert found == [tmp_path / name for name in ("c/hooks.json", "c/config.toml", "d/settings.json", "d/.claude.json")]


def test_servers_in_each_notation() -> None:
    program, arguments = command.server()
    assert document("claude-code", "mcp") == {"mcpServers": {"curator": {"command": program, "args": arguments}}}
    assert document("vscode-copilot", "mcp")["servers"]["curator"]["type"] == "stdio"  # type: ignore[index]
    assert document("opencode", "mcp")["mcp"]["curator"]["command"] == [program, *arguments]  # type: ignore[index]
    assert "context_servers" in document("zed", "mcp")
    assert document("cline", "mcp")["mcpServers"]["curator"]["timeout"] == 30  # type: ignore[index]
    assert document("gemini", "mcp")["mcpServers"]["curator"]["timeout"] == 30_000  # type: ignore[index]
    (codex,) = of("codex", "mcp")
    assert "startup_timeout_sec = 30\n" in codex.part.put("", "f")
    assert 'env_vars = ["CURATOR_HOME", "XDG_DATA_HOME"]\n' in codex.part.put("", "f"), "it passes hardly anything on by itself"


# --- the command --------------------------------------------------------------------------------------------------------


def test_the_command_is_the_same_in_every_file_but_for_its_two_words() -> None:
    for shared in (False, True):
        told = {command.hook(agent, "Stop", shared=shared).replace(agent, "X") for agent in CONTRACT}
        assert len(told) == 1
    for agent in ("claude-code", "codex", "cursor"):
        assert sys.executable not in str([target.part for target in targets(BY_ID[agent], HOME, {}, Path("/p"))])
    assert [agent.id for agent in AGENTS] == CONTRACT


@pytest.mark.parametrize("shared", [False, True])
def test_a_curator_that_is_gone_stops_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared: bool) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "it's gone" / "python"))
    run = command.hook("claude-code", "PreToolUse", shared=shared)
    env = {"PATH": os.path.dirname(shutil.which("sh") or "/bin/sh")} if not shared else {"PATH": str(tmp_path)}
    done = subprocess.run([shutil.which("sh") or "/bin/sh", "-c", run], input=b"{}", capture_output=True, env=env, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_command_runs_the_hook_whatever_the_project_holds(tmp_path: Path) -> None:
    for name in ("curator.py", "json.py"):
        (tmp_path / name).write_text("print('taken over')")
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    run = command.hook("claude-code", "Stop")
    done = subprocess.run(["sh", "-c", run], input=b"{}", capture_output=True, cwd=tmp_path, env=env, check=False)
    assert (done.returncode, done.stdout) == (0, b"")


def test_only_what_is_to_the_letter_ours_is_known_by_its_program() -> None:
    assert command.program(command.hook("codex", "Stop")) == command.interpreter()
    for run in ("curator hook codex Stop", "x; " + command.hook("codex", "Stop"), command.hook("codex", "Stop") + "; x"):
        assert command.is_own(run)
        assert command.program(run) is None
    assert command.program("$(x)/curator hook codex Stop" + command.END) is None
    assert not command.is_own("my-curator-hook Stop")


def test_the_plugin_is_given_its_program_as_javascript(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", '/a "b"/python')
    assert r'const PROGRAM = ["/a \"b\"/python", "-EP", "-m", "curator"]' in command.opencode_plugin()
    assert 'const PROGRAM = ["curator"]' in command.opencode_plugin(shared=True)


@pytest.mark.skipif(shutil.which("node") is None, reason="no node to run the plugin with")
def test_the_plugin_hands_over_and_adds_what_comes_back(tmp_path: Path) -> None:
    answer = '{"hookSpecificOutput": {"additionalContext": "L"}}'
    program = write_program(tmp_path / "python", f"for event; do :; done\ncat > 'told-'$event\necho '{answer}'")
    plugin = tmp_path / "curator.mjs"
    plugin.write_text(command.opencode_plugin(shared=True).replace('["curator"]', json.dumps([str(program)])))
    script = """
      const { Curator } = await import(process.argv[1])
      const hooks = await Curator({ directory: process.cwd() })
      const output = { message: { id: "m" }, parts: [{ type: "text", text: "hello" }] }
      await hooks["chat.message"]({ sessionID: "s" }, output)
      const read = { output: "file" }, other = { output: "ok" }
      await hooks["tool.execute.after"]({ tool: "read", sessionID: "s", callID: "c", args: {} }, read)
      await hooks["tool.execute.after"]({ tool: "bash", sessionID: "s", callID: "c", args: {} }, other)
      console.log(JSON.stringify([output.parts.map((part) => part.text), read.output, other.output]))
    """
    words = ["node", "--input-type=module", "-e", script, str(plugin)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert json.loads(done.stdout) == [["hello", "L", "L"], "file\n\nL", "ok"]
    told = {path.name: json.loads(path.read_text()) for path in tmp_path.glob("told-*")}
    assert set(told) == {"told-SessionStart", "told-UserPromptSubmit", "told-PostToolUse"}
    assert told["told-UserPromptSubmit"]["prompt"] == "hello"
    assert told["told-PostToolUse"]["tool_name"] == "read"
