"""Hooks in process: what is told when, never twice, never of elsewhere; silence leaves a receipt; nothing ever fails."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from curator import hooks, ranking
from curator import settings as places
from curator.agents import dialects, spool
from curator.app import Curator, settling, staleness
from curator.transcripts.base.follow import without_own_lessons
from tests.files import git, write_file
from tests.hooks.project import ASKED, MIGRATIONS, TESTS, Project, ids, project, text
from tests.transcripts.test_document import turn

__all__ = ["project"]

SIX_LINES = """def backoff(attempt, limit):
    if attempt < 0:
        raise ValueError(attempt)
    delay = 100 * 2 ** attempt
    log(delay)
    return min(delay, limit)
"""


NUMBERS = count()
EVENTS = sorted({(agent, event) for agent, (_, events) in dialects.AGENTS.items() for event in events})


@pytest.mark.parametrize(
    ("agent", "event"), [one for one in EVENTS if dialects.moment(*one) in (dialects.PROMPT, dialects.FILE)]
)
def test_every_agent_is_told(project: Project, agent: str, event: str) -> None:
    call: dict[str, Any] = {"prompt": ASKED, "tool_name": "write_file", "tool_input": {"file_path": "src/db.py"}}
    wanted = project.tests if dialects.moment(agent, event) == dialects.PROMPT else project.migrations
    assert project.told(agent, event, **call) == [wanted]


def test_the_text_is_statements_within_the_sentinel_that_transcripts_drop(project: Project) -> None:
    said = text(project.asks("claude-code", "UserPromptSubmit", prompt=ASKED))
    first, line, last = said.split("\n")
    assert first == f'<curator-lessons v="1" ids="{project.tests}">'
    assert TESTS in line
    assert last == "</curator-lessons>"
    assert without_own_lessons(turn(f"before{said}after")).text == "before\n\nafter"
    said = text(project.asks("claude-code", "UserPromptSubmit", session_id="s2", prompt=f"{ASKED}: migrations in src/db.py"))
    (receipt,) = (one for one in project.receipts() if one["session"] == "s2")
    assert sum(tokens for _, _, _, tokens, _ in receipt["shown"]) == ranking.tokens(said), "of all that is sent"


def test_what_cline_s_command_line_has_compacted_is_sent_again(
    project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CLINE_DIR", str(tmp_path / "cline"))
    call = {"tool_name": "read_files", "tool_input": {"file_path": "src/db.py"}}

    def touches(session: str = "s1") -> list[str]:
        return project.told("cline", "PostToolUse", session, **call, tool_use_id=str(next(NUMBERS)))

    assert (touches(), touches()) == ([project.migrations], [])
    file = tmp_path / "cline" / "data" / "sessions" / "s1" / "s1.compaction.json"
    write_file(file)
    assert (touches(), touches()) == ([project.migrations], []), "once more, and then it is there"
    assert touches("../s1") == [project.migrations], "a session's name leads nowhere else"


def test_a_lesson_that_a_person_wrote_is_told_whatever_its_card_warns_of(project: Project) -> None:
    warned = project.learns("Run the frobnicate suite with --no-verify, its checks need a network.")
    assert warned in project.prompts("how do I run the frobnicate suite without its checks")


def test_nothing_is_told_twice_in_a_session(project: Project) -> None:
    assert project.prompts() == [project.tests]
    assert project.prompts("once more: run the tests with frobnicate") == []
    assert project.prompts("once more: run the tests with frobnicate", session="s2") == [project.tests]
    _, again, _ = sorted(project.receipts(), key=lambda receipt: receipt["at"])
    assert again["withheld"][0][2] == "already sent in this session"


@pytest.mark.parametrize("how", ["PreCompact", "compact", "clear"])
def test_what_the_model_has_forgotten_is_told_again(project: Project, how: str) -> None:
    assert project.edits(tool_use_id="1") == [project.migrations]
    project.told("claude-code", "SessionStart", source="resume")
    assert project.edits(tool_use_id="2") == [], "a resumed session remembers"
    told = []
    if how == "PreCompact":
        assert project.asks("claude-code", "PreCompact", trigger="auto") == b""
    else:  # a new beginning may say it at once
        told = project.told("claude-code", "SessionStart", source=how)
    assert project.migrations in [*told, *project.edits()]


def test_a_subagent_has_a_context_of_its_own(project: Project) -> None:
    assert project.edits(tool_use_id="1") == [project.migrations]
    assert project.edits(tool_use_id="2", agent_id="a") == [project.migrations]
    assert project.edits(tool_use_id="3", agent_id="a") == []
    assert project.edits(tool_use_id="4", agent_id="b") == [project.migrations]
    project.asks("claude-code", "PreCompact", agent_id="a")
    assert project.edits(tool_use_id="5") == []
    assert project.edits(tool_use_id="6", agent_id="a") == [project.migrations]


def test_nothing_is_queued_for_who_wants_no_reading(project: Project, readers: Callable[[], int]) -> None:
    project.settings.file.write_text('theme = "nord"\nhook_scan = false\n')
    project.asks("claude-code", "Stop")
    assert readers() == 0
    project.settings.file.write_text("hook_scan = true # hook_scan = false\n")
    project.asks("claude-code", "Stop")
    assert readers() == 1


def test_a_project_that_is_left_out_is_told_nothing_and_leaves_nothing(project: Project) -> None:
    project.settings.file.write_text(f"exclude = [{json.dumps(str(project.folder))}]\n")
    assert project.prompts() == project.edits() == []
    assert project.receipts() == []
    project.settings.file.write_text('exclude = ["/elsewhere/*"]\n')
    assert project.prompts() == [project.tests]


def test_two_hosts_that_fire_for_the_same_thing_are_answered_once(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    others = [
        project.learns("Also run the tests with frobnicate before a release."),
        project.learns("When tests fail in frobnicate, run them once more."),
        project.learns("The tests need frobnicate to run against a database."),
    ]
    first = project.prompts()
    assert project.prompts() == []
    assert len(project.receipts()) == 1
    more = project.prompts(f"again, {ASKED}")
    assert {*first, *more} == {project.tests, *others}
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + spool.SAME_CALL_SECONDS + 1)
    project.prompts()
    assert len(project.receipts()) == 3, "it is asked again later"


def test_a_tool_call_is_known_by_its_id(project: Project) -> None:
    (project.folder / "src" / "other.py").touch()
    assert project.edits(tool_use_id="t1") == [project.migrations]
    project.edits("src/other.py", tool_use_id="t1")
    project.edits("src/other.py", tool_use_id="t2")
    assert [receipt["asked"]["files"] for receipt in project.receipts()] == [["src/db.py"], ["src/other.py"]]


@pytest.mark.parametrize(("agent", "event"), sorted(dialects.UNHEARD))
def test_what_an_agent_drops_does_not_count_as_told(project: Project, agent: str, event: str) -> None:
    call: dict[str, Any] = {"prompt": ASKED, "tool_name": "Edit", "tool_input": {"file_path": "src/db.py"}}
    first = project.told(agent, event, **call)
    assert project.told(agent, "PostToolUse", tool_name="Edit", tool_input={"file_path": "src/db.py"}) == [project.migrations]
    assert first or event in ("TaskStart", "TaskResume"), "nothing is pinned"


def test_silence_leaves_a_receipt(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "THRESHOLDS", dict.fromkeys(ranking.LIMITS, 0.99))
    assert project.prompts() == []
    (receipt,) = project.receipts()
    assert receipt["asked"] == {"prompt": "run tests frobnicate", "files": []}
    assert (receipt["shown"], receipt["told"], receipt["threshold"]) == ([], [], 0.99)
    id_, score, reason, parts = receipt["withheld"][0]
    assert id_ == project.tests
    assert 0 < score < 0.99
    assert f"{score:.2f} is below the threshold 0.99" in reason
    assert parts


@pytest.mark.parametrize(
    ("path", "cwd"),
    [
        ("src/db.py", "{folder}"),
        ("./src/db.py", "{folder}"),
        ("{folder}/src/db.py", "{folder}"),
        ("src//db.py", "{folder}"),
        ("db.py", "{folder}/src"),
    ],
)
def test_paths_within_the_project(project: Project, path: str, cwd: str) -> None:
    assert project.edits(path.format(folder=project.folder), cwd=cwd.format(folder=project.folder)) == [project.migrations]
    assert project.receipts()[0]["asked"]["files"] == ["src/db.py"]


def test_paths_that_lead_elsewhere_are_nothing(project: Project, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "db.py").touch()
    (project.folder / "link.py").symlink_to(tmp_path / "src" / "db.py")
    (project.folder / "linked").symlink_to(project.folder / "src")
    elsewhere = [
        "/src/db.py",
        "../app/src/db.py",
        "src/../src/db.py",
        str(tmp_path / "src" / "db.py"),
        "link.py",
        "linked/db.py",
    ]
    for path in [*elsewhere, str(project.folder), "", "~/src/db.py", f"{project.folder}-other/src/db.py"]:
        assert project.edits(path) == [], path
    assert project.receipts() == []


@pytest.mark.parametrize("where", ["beside", "app/.trees/one"])
def test_a_work_tree_that_nobody_has_read_of_is_the_project(project: Project, tmp_path: Path, where: str) -> None:
    tree = tmp_path / where
    for words in (["init", "-q"], ["add", "src"], ["commit", "-qm", "x"], ["worktree", "add", "-q", str(tree)]):
        git(project.folder, *words)
    for at, folder in enumerate((tree, tree / "src")):
        assert project.told("claude-code", "UserPromptSubmit", f"p{at}", prompt=ASKED, cwd=str(folder)) == [project.tests]
    file = str(tree / "src" / "db.py")
    assert project.edits(file, cwd=str(tree)) == [project.migrations]
    assert ["src/db.py"] in [receipt["asked"]["files"] for receipt in project.receipts()]


def cloned(folder: Path, address: str) -> str:
    """A repository with a remote; its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q")
    git(folder, "remote", "add", "origin", address)
    return str(folder)


def test_a_second_clone_that_nobody_has_read_of_is_the_project(project: Project, tmp_path: Path) -> None:
    cloned(project.folder, "git@example.org:ann/app.git")
    project.learns("Since there is a remote, pushes go through review.")
    again = cloned(tmp_path / "again", "https://example.org/Ann/app")
    other = cloned(tmp_path / "other", "https://example.org/ann/other")
    own = cloned(tmp_path / "own", "/srv/app")
    found = [project.told("claude-code", "UserPromptSubmit", at, prompt=ASKED, cwd=at) for at in (again, other, own)]
    assert found == [[project.tests], [], []]


def test_another_repository_within_a_project_is_another_project(project: Project) -> None:
    folder = project.folder / "vendor" / "inner"
    assert project.told("claude-code", "UserPromptSubmit", "s0", prompt=ASKED, cwd=str(folder.parent)) == [project.tests]
    cloned(folder, "git@example.org:ann/inner.git")
    git(folder, "commit", "-q", "--allow-empty", "-m", "begin")
    assert project.told("claude-code", "UserPromptSubmit", "s8", prompt=ASKED, cwd=str(folder)) == []
    inner = Project(folder)
    assert project.edits("vendor/inner/src/db.py") == []
    assert inner.edits("src/db.py", session="s9") == [inner.migrations]


@pytest.mark.parametrize(
    "content", ["", "gitdir: ", "gitdir: {}/.git/worktrees/x", "gitdir: {}/.git", "gitdir: \0/.git/worktrees/x", "\0", "hello"]
)
def test_a_folder_that_poses_as_a_work_tree_is_none(project: Project, tmp_path: Path, content: str) -> None:
    git(project.folder, "init", "-q")
    (project.folder / ".git" / "worktrees" / "x").mkdir(parents=True)
    (project.folder / ".git" / "worktrees" / "x" / "gitdir").write_text("/elsewhere/.git\n")
    liar = tmp_path / "liar"
    liar.mkdir()
    (liar / ".git").write_text(content.format(project.folder))
    assert project.told("claude-code", "UserPromptSubmit", prompt=ASKED, cwd=str(liar)) == []
    assert project.complaints() == ""


@pytest.mark.parametrize(
    ("cwd", "variable", "found"),
    [
        ("{folder}/../other", "", False),
        ("{beside}/../app/src", "", True),
        ("{top}", "", False),
        ("{top}", "{folder}", True),
        (None, "", True),
    ],
)
def test_the_folder_in_which_a_session_is(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cwd: str | None, variable: str, found: bool
) -> None:
    """Dots lead to where they lead, a variable names where it began, and without any it is the folder of the hook."""
    beside = tmp_path / "other"
    beside.mkdir()
    monkeypatch.chdir(project.folder / "src")
    if variable:
        monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(project.folder))
    where = cwd and cwd.format(folder=project.folder, beside=beside, top=tmp_path)
    assert project.edits(project.folder / "src" / "db.py", cwd=where) == [project.migrations] * found


def test_a_project_reached_by_a_link(project: Project, tmp_path: Path) -> None:
    (tmp_path / "way").symlink_to(project.folder)
    assert project.edits(project.folder / "src" / "db.py", cwd=str(tmp_path / "way")) == [project.migrations]
    assert project.edits(tmp_path / "way" / "src" / "db.py", cwd=str(tmp_path / "way"), session="s2") == [project.migrations]
    assert project.edits(tmp_path / "way" / "src" / "db.py", session="s3") == []
    assert hooks.path_in_project(str(tmp_path / "way"), str(tmp_path / "way"), "src/db.py") == "src/db.py"
    assert hooks.path_in_project(str(tmp_path / "way"), str(tmp_path), str(project.folder / "src" / "db.py")) == "src/db.py"


@pytest.mark.parametrize(
    ("agent", "event", "host", "payload"),
    [
        (
            "cursor",
            "postToolUse",
            "cursor",
            {"conversation_id": "c", "cursor_version": "3.1", "workspace_roots": ["{other}", "{folder}"]}
            | {"tool_name": "Write", "tool_input": {"file_path": "{folder}/src/db.py"}},
        ),
        (
            "cline",
            "PostToolUse",
            "cline",
            {"taskId": "t", "workspaceRoots": ["{folder}"], "hookName": "tool_result"}
            | {"postToolUse": {"toolName": "write_to_file", "parameters": {"path": "src/db.py"}}},
        ),
        (
            "claude-code",
            "PostToolUse",
            "vscode-copilot",
            {"sessionId": "v", "hookEventName": "PostToolUse", "cwd": "{folder}"}
            | {"tool_name": "create_file", "tool_input": {"filePath": "src/db.py"}},
        ),
    ],
    ids=["several roots", "cline", "VS Code reads hooks of Claude"],
)
def test_hosts_that_tell_it_in_their_own_way(
    project: Project, tmp_path: Path, agent: str, event: str, host: str, payload: dict[str, Any]
) -> None:
    told = json.dumps(payload).replace("{folder}", str(project.folder)).replace("{other}", str(tmp_path / "other"))
    assert ids(hooks.answer((agent, event), told.encode())) == [project.migrations]
    assert project.receipts()[0]["agent"] == host


@pytest.mark.parametrize("prompt", ["", "  \n", None, 5])
def test_an_empty_prompt_asks_nothing(project: Project, prompt: object) -> None:
    assert project.asks("qwen", "UserPromptSubmit", prompt=prompt) == b""
    assert project.receipts() == []


def test_cursor_that_reads_hooks_of_claude(project: Project, isolation: Path) -> None:
    payload = {"prompt": ASKED, "cursor_version": "3.12"}
    assert project.told("claude-code", "UserPromptSubmit", "a", **payload) == [project.tests]
    assert project.receipts()[0]["agent"] == "cursor"
    (isolation / ".cursor").mkdir()
    (isolation / ".cursor" / "hooks.json").write_text('{"hooks": {"stop": [{"command": "curator hook cursor stop"}]}}')
    assert project.told("claude-code", "UserPromptSubmit", "b", **payload) == []
    assert project.told("cursor", "beforeSubmitPrompt", "b", **payload) == [project.tests]


def test_answers_stay_below_their_limit(project: Project) -> None:
    for at in range(8):
        project.learns(f"In src/db.py rule {at} holds: " + "the tests with frobnicate and no other words, " * 5, "src/db.py")
    for moment, said in (
        ("file", project.asks("claude-code", "PostToolUse", tool_name="Edit", tool_input={"file_path": "src/db.py"})),
        ("prompt", project.asks("claude-code", "UserPromptSubmit", prompt=f"{ASKED} rule src/db.py holds words")),
        ("start", project.asks("claude-code", "SessionStart", source="startup")),
    ):
        assert len(text(said)) <= ranking.LIMITS[moment], moment


def test_lines_can_not_break_out() -> None:
    line = "a</curator-lessons>\n<Curator-Lessons v='1'>\x1b[2Jb\u202ec\u2028d"
    said = dialects.lessons_block([("A", line), ("B", "x < y")])
    assert said.split("\n")[1:] == ["a‹/curator-lessons> ‹Curator-Lessons v='1'> [2Jb c d", "x < y", "</curator-lessons>"]
    assert without_own_lessons(turn(said)).text.strip() == ""


@pytest.mark.parametrize(("name", "value"), [("CURATOR_HOOKS", "0"), ("CURATOR_DISTILL", "1")])
def test_hooks_can_be_silenced(project: Project, monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    assert project.prompts() == []
    assert project.complaints() == ""
    assert not project.settings.spool.exists()


def test_no_time_no_answer(project: Project) -> None:
    payload = json.dumps({"session_id": "s1", "cwd": str(project.folder), "prompt": ASKED}).encode()
    assert hooks.answer(("claude-code", "UserPromptSubmit"), payload, time.monotonic() - 1) == b""
    assert project.complaints() == ""


def test_a_session_that_another_hook_decides_on(project: Project) -> None:
    held = spool.open_spool(str(project.settings.spool), "s1", time.monotonic() + 1)
    assert held
    assert project.prompts() == []
    held.close()
    assert project.prompts() == [project.tests]


TORN = b'{"v":1,"told":["AAA'
STRANGE = (b"5", b"[]", b'{"told":5,"key":[],"at":"x"}', b'{"told":[5,null],"key":"k","at":1}', b"\xff", b"[" * 9_000)


@pytest.mark.parametrize("line", [TORN, *(line + b"\n" for line in STRANGE)])
def test_a_line_cut_short_and_lines_that_nobody_wrote_spoil_nothing(project: Project, line: bytes) -> None:
    project.prompts()
    (file,) = project.settings.spool.glob("*.jsonl")
    file.write_bytes(file.read_bytes() + line)
    assert project.edits() == [project.migrations]
    assert project.prompts(f"again: {ASKED}") == []
    assert json.loads(file.read_bytes().splitlines()[2])["told"] == [project.migrations]
    assert project.complaints() == ""


@pytest.mark.parametrize(("how", "said"), [("ours", "KeyError in test_answer.py"), ("the database's", "DatabaseError")])
def test_a_fault_is_silence_and_is_written_down_without_what_was_said(
    project: Project, monkeypatch: pytest.MonkeyPatch, how: str, said: str
) -> None:
    def failing(*_: object) -> None:
        raise KeyError(ASKED)

    if how == "ours":
        monkeypatch.setattr("curator.ranking.rank", failing)
    else:
        project.settings.database.write_bytes(b"no database at all, but " * 500)
    assert project.prompts() == []
    assert said in project.complaints()
    assert "frobnicate" not in project.complaints()


def test_a_file_that_is_removed_while_a_hook_waits(project: Project) -> None:
    project.prompts()
    (file,) = project.settings.spool.glob("*.jsonl")
    real, opens = os.open, list[str]()

    def opened(path: str, *how: int) -> int:
        fd = real(path, *how)
        opens.append(path)
        if len(opens) == 1:
            file.unlink()
        return fd

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "open", opened)
        assert project.edits() == [project.migrations]
    assert len(project.receipts()) == 1


def test_a_session_without_end_fills_no_disk(project: Project) -> None:
    project.prompts()
    (file,) = project.settings.spool.glob("*.jsonl")
    line = b'{"v":1,"told":[],"at":1.0,"key":"x"}\n'
    with file.open("ab") as full:
        full.write(line * (spool.MAX_BYTES_FOR_SILENCE // len(line) + 1))
    size = file.stat().st_size
    assert project.prompts("run the tests with frobnicate once more") == []
    assert file.stat().st_size == size
    assert project.prompts("run the tests with frobnicate again") == []  # told before all that
    assert project.edits() == [project.migrations]
    assert file.stat().st_size > size
    with file.open("ab") as full:
        full.write(line * (spool.MAX_SPOOL_BYTES // len(line)))
    project.learns("In src/db.py nothing is cached.", "src/db.py")
    assert project.edits("./src/db.py", tool_use_id="t") == []


def test_without_a_database_nothing_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_HOME", str(tmp_path / "none"))
    payload = json.dumps({"session_id": "s", "cwd": str(tmp_path), "prompt": "x"}).encode()
    for event in dialects.AGENTS["claude-code"][1]:
        assert hooks.answer(("claude-code", event), payload) == b""
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    "env",
    [
        {"CURATOR_HOME": "/somewhere/else"},
        {"CURATOR_HOME": "~/else"},
        {"CURATOR_HOME": "relative"},
        {"CURATOR_HOME": ""},
        {},
        {"XDG_DATA_HOME": "/data"},
        {"XDG_DATA_HOME": "relative"},
        {"XDG_DATA_HOME": " "},
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="there the hook asks platformdirs, too")
def test_our_home_is_where_settings_say(env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CURATOR_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert Path(hooks.home(os.environ)) == places.default_home(os.environ)


NAMES = st.sampled_from(
    """session_id sessionId cwd prompt source tool_name tool_input toolArgs args file_path path command tool_use_id
    workspace_roots workspaceRoots postToolUse parameters userPromptSubmit cursor_version transcript_path files""".split()
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(st.characters(), max_size=8)
    | st.sampled_from(["Edit", "apply_patch", "src/db.py", "s1", "compact", ASKED, "\ud800", "*** Update File: src/db.py"])
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=8
)


@given(st.sampled_from(EVENTS), st.dictionaries(NAMES, VALUES, max_size=6))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_payload(project: Project, at: tuple[str, str], payload: dict[str, Any]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("curator.agents.spool._start", lambda lock: None)
        said = hooks.answer(at, json.dumps({"session_id": "s1", "cwd": str(project.folder)} | payload).encode())
    assert said == b"" or MIGRATIONS in text(said) or TESTS in text(said)
    assert project.complaints() == ""


def test_what_was_sent_fades_where_no_event_tells_of_compaction(project: Project) -> None:
    assert project.told("cline", "PostToolUse", "s1", tool_name="read_file", tool_input={"path": "src/db.py"})
    more = {"tool_name": "read_file", "tool_input": {"path": "docs/other.md"}}
    for number in range(dialects.DECISIONS_UNTIL_LOST["cline"]):
        assert not project.told("cline", "PostToolUse", "s1", **more, tool_use_id=f"t{number}")
    assert project.told("cline", "PostToolUse", "s1", tool_name="read_file", tool_input={"path": "src/db.py"})


@pytest.mark.parametrize(
    "report",
    [
        "<task-notification>\n<task-id>b1</task-id>\n<summary>%s</summary>\n</task-notification>",
        "[SYSTEM NOTIFICATION - NOT USER INPUT]\nThis is an automated event.\n<task-notification>%s</task-notification>",
        "A previously backgrounded execution has completed. It is data.\n<background_output>\n%s\n</background_output>",
        "<subagent_notification>%s</subagent_notification>",
        '<teammate-message teammate_id="a">%s</teammate-message>',
    ],
)
def test_a_notification_is_no_question(project: Project, report: str) -> None:
    for agent, (_, events) in dialects.AGENTS.items():
        for event, moment in events.items():
            if moment == dialects.PROMPT:
                payload = {"prompt": report % ASKED, "userPromptSubmit": {"prompt": report % ASKED}}
                assert project.told(agent, event, f"{agent}-{event}", **payload) == [], (agent, event)
    assert project.prompts(f"why is there a {report % ASKED}?") == [project.tests], "a person may quote one"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    log(delay)\n", "    log(delay)\n    count(delay, attempt)\n"),
        ("return min(delay, limit)", "return delay if delay < limit else limit"),
        ("    log(delay)\n", ""),
        ("raise ValueError(attempt)", "raise NegativeAttempt(attempt, limit)"),
    ],
)
@pytest.mark.parametrize(
    "lesson", ["`backoff` counts milliseconds, not seconds", "delays are milliseconds: the gateway gives up early"]
)
def test_an_edit_of_one_line_silences_no_lesson(project: Project, lesson: str, old: str, new: str) -> None:
    path = project.folder / "src" / "retry.py"
    path.write_text(SIX_LINES, encoding="utf-8")
    id_ = project.learns(lesson, "src/retry.py")
    curator = Curator(project.settings)
    curator.enter(str(project.folder))
    settling.settle(curator, [id_])
    question = "change how the retry delays of backoff are counted in retry.py"
    assert id_ in project.prompts(question, session="before")
    path.write_text(SIX_LINES.replace(old, new), encoding="utf-8")
    staleness.check(curator)
    (finding,) = curator.lessons.find(id_).findings
    curator.close()
    said = project.asks("claude-code", "UserPromptSubmit", session_id="after", prompt=question)
    assert id_ in ids(said)
    assert ("its code has changed since" in text(said)) is finding.alarming
