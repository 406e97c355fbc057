"""What agents tell their hooks, each in its own spelling, and how they are answered."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator import ranking
from curator.agents import dialects
from curator.agents.install import catalog

PATCH = """*** Begin Patch
*** Update File: src/db.py
@@
-a
+*** Update File: not/this.py
*** Add File: src/new file.py
+x
*** Delete File: old.py
*** Update File: a.py
*** Move to: b.py
*** End Patch"""
PATCHED = ["src/db.py", "src/new file.py", "old.py", "a.py", "b.py"]


@pytest.mark.parametrize("agent", ["claude-code", "codex", "qwen", "vscode-copilot", "opencode", "gemini"])
def test_the_claude_dialect_and_answers_in_ascii(agent: str) -> None:
    event = "BeforeAgent" if agent == "gemini" else "PostToolUse"
    answer = dialects.answer(agent, event, "ä → 𝄞 \udc80\n")
    assert answer.isascii()
    assert json.loads(answer) == {"hookSpecificOutput": {"hookEventName": event, "additionalContext": "ä → 𝄞 \udc80\n"}}


@pytest.mark.parametrize(
    ("agent", "event", "said"),
    [
        ("cursor", "postToolUse", {"additional_context": "x"}),
        ("cursor", "beforeSubmitPrompt", {"continue": True, "additional_context": "x"}),
        ("cline", "PostToolUse", {"cancel": False, "contextModification": "x"}),
        (  # one file for two hosts
            "copilot-cli",
            "PostToolUse",
            {"additionalContext": "x", "hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "x"}},
        ),
    ],
)
def test_the_other_dialects(agent: str, event: str, said: dict[str, Any]) -> None:
    assert json.loads(dialects.answer(agent, event, "x")) == said


@pytest.mark.parametrize(
    ("agent", "event", "moment"),
    [
        ("claude-code", "SessionStart", "start"),
        ("codex", "UserPromptSubmit", "prompt"),
        ("qwen", "PostToolUse", "file"),
        ("gemini", "AfterTool", "file"),
        ("gemini", "BeforeAgent", "prompt"),
        ("gemini", "BeforeTool", ""),  # takes no context
        ("gemini", "PreCompress", "forget"),
        ("cursor", "sessionStart", "start"),
        ("cursor", "SessionStart", ""),
        ("cline", "TaskComplete", "stop"),
        ("copilot-cli", "PreToolUse", ""),  # where a failure denies the tool
        ("vscode-copilot", "PreCompact", "forget"),
        ("zed", "SessionStart", ""),
        ("", "", ""),
    ],
)
def test_moments(agent: str, event: str, moment: str) -> None:
    assert dialects.moment(agent, event) == moment


@pytest.mark.parametrize(
    "payload",
    [
        {"session_id": "s"},
        {"sessionId": "s"},
        {"conversation_id": "s", "generation_id": "g"},
        {"sessionID": "s"},
        {"taskId": "conv", "sessionContext": {"rootSessionId": "s"}},
        {"session_id": 5, "sessionId": "s"},
    ],
)
def test_sessions(payload: dict[str, Any]) -> None:
    assert dialects.session(payload) == "s"


def test_roots() -> None:
    assert dialects.roots({"cwd": "/a", "workspace_roots": ["/b", 5]}) == ["/a", "/b"]
    assert dialects.roots({"workspaceRoots": ["/b"]}) == ["/b"]
    assert dialects.roots({"cwd": ["/a"], "workspace_roots": "/b"}) == []


@pytest.mark.parametrize(
    ("handed", "typed"),
    [
        ("  do it\n", "do it"),
        (" \n", ""),
        ("half \ud83d", "half ?"),
        ("<hook_context>&lt;curator-lessons&gt; use make</hook_context>\n\nrun the tests", "run the tests"),
        ("a<hook_context>b</hook_context>c<hook_context>d</hook_context>", "ac"),
        ("<hook_context>alone</hook_context>", ""),
        ("what is <hook_context> for?", "what is  for?"),
    ],
)
def test_a_prompt_is_what_a_person_typed_and_not_what_hooks_said_before(handed: str, typed: str) -> None:
    assert dialects.prompt({"prompt": handed}) == typed
    assert dialects.prompt({"userPromptSubmit": {"prompt": handed}}) == typed


@pytest.mark.parametrize(
    ("payload", "files"),
    [
        ({"tool_name": "Edit", "tool_input": {"file_path": "/p/a.py", "old_string": "path"}}, ["/p/a.py"]),
        ({"tool_name": "NotebookEdit", "tool_input": {"notebook_path": "a.ipynb"}}, ["a.ipynb"]),
        ({"tool_name": "create_file", "tool_input": {"filePath": "a.py"}}, ["a.py"]),
        ({"toolName": "edit", "toolArgs": '{"path": "a.py"}'}, ["a.py"]),
        ({"tool": "edit", "args": {"filePath": "a.py"}}, ["a.py"]),
        ({"tool_name": "read_many_files", "tool_input": {"paths": ["a.py", "b.py", 5, None, "a.py"]}}, ["a.py", "b.py"]),
        ({"tool_name": "read_files", "tool_input": {"files": [{"path": "a.py"}, {"path": "b.py"}]}}, ["a.py", "b.py"]),
        (
            {"tool_name": "multi_replace_string_in_file", "tool_input": {"replacements": [{"filePath": "a.py"}]}},
            ["a.py"],
        ),
        ({"postToolUse": {"toolName": "write_to_file", "parameters": {"path": "a.py"}}}, ["a.py"]),
        ({"preToolUse": {"tool": "read_file", "parameters": {"path": "a.py"}}}, ["a.py"]),
        ({"tool_name": "apply_patch", "tool_input": {"command": PATCH}}, PATCHED),
        ({"tool_name": "apply_patch", "tool_input": {"command": ["apply_patch", PATCH]}}, PATCHED),
        ({"tool_name": "apply_patch", "tool_input": {"input": "*** Add File: a.py\n+x"}}, ["a.py"]),
        ({"tool_name": "apply_patch", "tool_input": "*** Add File: a.py\r\n+x"}, ["a.py"]),
        ({"tool_name": "Bash", "tool_input": {"command": "cat a.py", "path": "a.py"}}, []),
        ({"tool_name": "mcp__x__read_file", "tool_input": {"path": "a.py"}}, []),
        ({"tool_name": "Read", "tool_input": {"file_path": "[id]/page.tsx"}}, ["[id]/page.tsx"]),
        ({"tool_name": "Edit", "tool_input": ["a.py"]}, []),
        ({"tool_name": "Edit", "tool_input": {"file_path": "a\0b"}}, []),
        ({"tool_name": "Edit", "tool_input": {"file_path": "a" * 5_000}}, []),
        ({"tool_name": ["Edit"], "tool_input": {"file_path": "a.py"}}, []),
        ({"tool_name": "Edit"}, []),
        ({}, []),
    ],
)  # fmt: skip
def test_files(payload: dict[str, Any], files: list[str]) -> None:
    assert dialects.files(payload) == files


def test_few_files_are_looked_at() -> None:
    many = {"tool_name": "read_many_files", "tool_input": {"paths": [f"{n}.py" for n in range(1_000)]}}
    assert len(dialects.files(many)) == dialects.MAX_FILES


VS_CODE = "/home/me/.config/Code/User/workspaceStorage/1f/GitHub.copilot-chat/transcripts/s.jsonl"


@pytest.mark.parametrize(
    ("agent", "payload", "host"),
    [
        ("claude-code", {"hook_event_name": "Stop", "session_id": "s"}, "claude-code"),
        ("claude-code", {"hook_event_name": "Stop", "cursor_version": "3.12"}, "cursor"),
        ("claude-code", {"hookEventName": "Stop", "sessionId": "s"}, "vscode-copilot"),
        ("copilot-cli", {"hookEventName": "Stop", "sessionId": "s"}, "vscode-copilot"),
        ("copilot-cli", {"hook_event_name": "Stop", "session_id": "s"}, "copilot-cli"),
        ("codex", {"hookEventName": "Stop"}, "codex"),
        ("copilot-cli", {"hook_event_name": "Stop", "transcript_path": VS_CODE}, "vscode-copilot"),
        ("copilot-cli", {"transcript_path": "/home/me/.copilot/session-state/s/events.jsonl"}, "copilot-cli"),
        ("claude-code", {"transcript_path": "/home/me/.claude/projects/-home-me-vscode-copilot-chat/s.jsonl"}, "claude-code"),
    ],
)
def test_who_really_calls(agent: str, payload: dict[str, str], host: str) -> None:
    assert dialects.host(agent, payload) == host


def test_what_is_installed_is_answered_and_fits_what_agents_take() -> None:
    assert all(dialects.moment(agent, event) for agent, event in dialects.UNHEARD)
    assert all(limit * 6 <= 10_000 for limit in ranking.LIMITS.values())
    for agent in (item for item in catalog.AGENTS if item.hooks):
        assert agent.hooks
        assert [event for event in agent.hooks.events if not dialects.moment(agent.id, event)] == []
        matched = [name for event, matcher in agent.hooks.events.items() if "ToolUse" in event for name in matcher.split("|")]
        assert {name.lower() for name in matched if name} <= dialects.FILE_TOOLS


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_json_is_json(value: Any) -> None:
    assert dialects.loads(json.dumps(value).encode()) == value
    assert json.loads(dialects.dumps(value)) == value
    assert b"\n" not in dialects.dumps(value)


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_what_is_no_json_is_nothing(data: bytes) -> None:
    try:
        wanted = json.loads(data.decode("utf-8", "replace").strip(dialects.SPACE), strict=False)
    except ValueError:
        wanted = None
    assert repr(dialects.loads(data)) == repr(wanted)


@pytest.mark.parametrize("data", [b"[" * 500_000, b'{"a":' * 100_000, b"9" * 9_000, b'{"a": 1} x', b"\xff\xfe", b""])
def test_bombs(data: bytes) -> None:
    assert dialects.loads(data) is None
    assert dialects.loads(b'\xef\xbb\xbf {"a": "\xc3\xa4"}\r\n') == {"a": "ä"}, "a byte order mark is no matter"


def test_what_is_no_json_is_nothing_in_a_process_that_never_imported_json() -> None:
    """As in every hook: the scanner then has no exception to raise."""
    asked = (
        "import sys; from curator.agents.dialects import loads; assert 'json' not in sys.modules; assert loads(b'{a') is None"
    )
    subprocess.run([sys.executable, "-S", "-c", asked], check=True, env={"PYTHONPATH": os.pathsep.join(sys.path)})


def test_what_cline_tells_since_its_third_command_line() -> None:
    """Every parameter is a text, the main agent has an id too, and the session is named apart from its conversation."""
    told = {
        "taskId": "conv_1",
        "sessionContext": {"rootSessionId": "s1"},
        "agent_id": "a1",
        "parent_agent_id": None,
        "postToolUse": {"toolName": "read_files", "parameters": {"files": '[{"path":"/app/src/db.py"}]'}},
    }
    assert (dialects.session(told), dialects.subagent(told), dialects.files(told)) == ("s1", "", ["/app/src/db.py"])
    assert dialects.subagent(told | {"parent_agent_id": "a0"}) == "a1"
    assert dialects.session({"taskId": "t", "sessionContext": None}) == "t"


@pytest.mark.parametrize(
    ("agent", "event", "payload", "forgets"),
    [
        ("gemini", "PreCompress", {"trigger": "auto"}, False),  # fires before every request
        ("gemini", "PreCompress", {"trigger": "manual"}, True),
        ("gemini", "SessionStart", {"source": "resume"}, True),
        ("qwen", "SessionStart", {"source": "resume"}, True),
        ("copilot-cli", "SessionStart", {"source": "resume"}, True),
        ("claude-code", "SessionStart", {"source": "resume"}, False),  # it shows its model again what hooks had said
        ("claude-code", "SessionStart", {"source": "compact"}, True),
        ("codex", "PreCompact", {}, True),
        ("codex", "UserPromptSubmit", {}, False),
    ],
)
def test_what_makes_a_model_forget(agent: str, event: str, payload: dict[str, str], forgets: bool) -> None:
    assert dialects.forgets(agent, event, payload) is forgets
