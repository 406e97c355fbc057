"""Claude Code's notes: both front matters, the index, its places, and which project a folder stands for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from curator.memories import discover
from tests.files import write_file as put
from tests.memories.conftest import Read

NOTE = """---
name: no-mocks
description: Never mock the clock
metadata:
  node_type: memory
  type: feedback
  originSessionId: 11111111-2222-3333-4444-555555555555
  modified: 2026-03-04T05:06:07Z
---

Tests take a fake clock as an argument.

**Why:** a mocked clock hid two races.

**How to apply:** in every test with a timeout.
"""
OLD = "---\nname: Deploys\ndescription: Where it runs\ntype: project\n---\n\nIt runs on two hosts.\n"
FAILED = "First.\n- **Why it failed:** a.\n\nSecond.\n- **Why it failed:** b."


def test_a_file_with_front_matter_is_one_note(home: Path, read: Read) -> None:
    folder = home / ".claude" / "projects" / "-srv-none-app" / "memory"
    path = put(folder / "no_mocks.md", NOTE)
    (note,) = read()
    assert (note.store, note.agent, note.kind, note.scope) == ("claude-code", "claude-code", "feedback", "project")
    assert (note.path, note.line, note.project) == (path, 11, "-srv-none-app")
    assert (note.title, note.text) == ("Never mock the clock", "Tests take a fake clock as an argument.")
    assert (note.why, note.how) == ("a mocked clock hid two races.", "in every test with a timeout.")
    assert (note.session, note.at) == ("11111111-2222-3333-4444-555555555555", 1772600767.0)


def test_the_older_front_matter_has_the_type_on_top(repo: Path, read: Read) -> None:
    put(repo / ".claude" / "memory" / "deploys.md", OLD)
    (note,) = read()
    assert (note.kind, note.project, note.line) == ("project", str(repo), 7)


def test_several_rules_in_a_file_each_with_its_reason_are_several_notes(repo: Path, read: Read) -> None:
    body = "## One\n\nFirst.\n\n**Why:** a.\n\n**How to apply:** b.\n\n- c\n\n"
    body += "## Two\n\nSecond.\n\n**Why:** d.\n\nThird.\n\n**Why:** e."
    put(repo / ".claude" / "memory" / "two.md", f"---\nname: two\ndescription: Both\ntype: feedback\n---\n\n{body}\n")
    found = [(note.line, note.title, note.text, note.why, note.how) for note in read()]
    assert found == [
        (9, "One", "First.", "a.", "b.\n\n- c"),
        (19, "Two", "Second.", "d.", ""),
        (23, "Third.", "Third.", "e.", ""),
    ]


@pytest.mark.parametrize(
    ("body", "notes"),
    [
        (
            "Rule one.\n\n**Why:** a\n\n## Test\n\n```bash\n# Run tests\nnpm test\n```\n\nRule two.\n\n**Why:** b\n",
            [(5, "Rule one.", "a"), (11, "```bash\n# Run tests\nnpm test\n```\n\nRule two.", "b")],
        ),
        (
            "Never write ``` in a message.\n\n**Why:** a.\n\nRun the tests with one worker.\n\n**Why:** b.\n",
            [(5, "Never write ``` in a message.", "a."), (9, "Run the tests with one worker.", "b.")],
        ),
        ("- First.\n  **Why:** a.\n- Second,\n  too.\n  **Why:** b.", [(5, "- First.", "a."), (7, "- Second,\n  too.", "b.")]),
        (FAILED, [(5, FAILED, "")]),
    ],
    ids=["a comment in code begins no rule", "backticks in a sentence begin no code", "items", "why it failed is no reason"],
)
def test_notes_with_a_reason_each(repo: Path, read: Read, body: str, notes: list[tuple[int, str, str]]) -> None:
    put(repo / ".claude" / "memory" / "two.md", f"---\nname: two\ntype: feedback\n---\n{body}\n")
    assert [(note.line, note.text, note.why) for note in read()] == notes


def test_headings_above_a_note_are_no_words_of_it(repo: Path, read: Read) -> None:
    put(repo / ".claude" / "memory" / "one.md", "---\nname: one\ntype: user\n---\n# Port\n\n## Default\nIt is 4000.\n")
    put(repo / ".claude" / "memory" / "two.md", "---\nname: two\ntype: user\n---\n# Only a heading\n")
    assert [(note.line, note.text) for note in read()] == [(8, "It is 4000."), (5, "# Only a heading")]


def test_a_secret_below_the_rule_counts_as_one_of_the_note(repo: Path, read: Read) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    body = f"First.\n\n**Why:** a.\n\nSecond.\n\n**Why:** b.\n\n**How to apply:** c.\n\n- with {token}"
    put(repo / ".claude" / "memory" / "two.md", f"---\nname: two\ntype: feedback\n---\n{body}\n")
    assert [note.secret for note in read()] == [False, True]


def test_what_only_holds_a_place_is_no_note(repo: Path, read: Read) -> None:
    text = (
        "# M\n\n_(none yet)_\n\n- (filled in during reviews)\n- TBD\n- N/A\n- _Nothing recorded._\n- [Add your rules here]\n\n"
    )
    put(repo / ".claude" / "memory" / "MEMORY.md", f"{text}- (Since 2.0) the port is 4000.\n- _Never_ push.\n")
    assert [note.text for note in read()] == ["(Since 2.0) the port is 4000.", "_Never_ push."]


def test_an_index_gives_its_facts_and_not_its_entries(repo: Path, read: Read) -> None:
    folder = repo / ".claude" / "memory"
    put(folder / "deploys.md", OLD)
    put(
        folder / "MEMORY.md",
        "# Memory\n\n## Index\n- [Deploys](deploys.md) — where it runs\n- [Lost](lost.md) — the port is 4000\n\n"
        "## Build\nRules:\n- Run `make all` first.\n  - It writes `gen/`.\n\n```sh\nmake all\n```\n"
        "| a | b |\n\nNever skip it.\n",
    )
    facts = [note for note in read() if note.kind == "inline"]
    assert [(note.line, note.under, note.text.split("\n")[0]) for note in facts] == [
        (5, "Index", "[Lost](lost.md) — the port is 4000"),
        (9, "Build", "Run `make all` first."),
        (12, "Build", "```sh"),
        (17, "Build", "Never skip it."),
    ]
    assert facts[1].text == "Run `make all` first.\n  - It writes `gen/`."


def test_every_place_is_read(home: Path, repo: Path, tmp_path: Path, read: Read) -> None:
    moved = tmp_path / "elsewhere"
    put(home / ".claude" / "settings.json", json.dumps({"autoMemoryDirectory": str(moved)}))
    put(home / ".claude" / "agent-memory" / "reviewer" / "a.md", OLD)
    put(moved / "b.md", OLD)
    put(repo / ".claude" / "agent-memory-local" / "tester" / "c.md", OLD)
    put(repo / ".claude" / "agent-memory" / "tester" / "d.md", OLD)
    put(repo / ".claude" / "projects" / "-x" / "memory" / "e.md", OLD)
    put(repo / "memory" / "MEMORY.md", "- The port is 4000.\n")
    found = {note.path.name: (note.store, note.scope, note.project) for note in read()}
    assert found == {
        "a.md": ("claude-subagents", "subagent:reviewer", ""),
        "b.md": ("claude-code", "global", ""),
        "c.md": ("claude-subagents", "subagent:tester", str(repo)),
        "d.md": ("claude-subagents", "subagent:tester", str(repo)),
        "e.md": ("claude-code", "project", str(repo)),
        "MEMORY.md": ("claude-code", "project", str(repo)),
    }


def test_a_folder_named_memory_without_an_index_is_code(repo: Path, read: Read) -> None:
    put(repo / "memory" / "allocator.md", "# Allocator\n\nIt never frees.\n")
    assert read() == []


def test_variables_move_the_home(home: Path, tmp_path: Path, read: Read) -> None:
    put(home / ".claude" / "projects" / "-a" / "memory" / "a.md", OLD)
    put(tmp_path / "other" / "projects" / "-b" / "memory" / "b.md", OLD)
    assert [note.path.name for note in read(CLAUDE_CONFIG_DIR=str(tmp_path / "other"))] == ["b.md"]


def test_the_project_is_the_folder_that_a_session_names(home: Path, read: Read) -> None:
    folder = home / ".claude" / "projects" / "-srv-my-app"
    put(folder / "memory" / "a.md", OLD)
    put(folder / "s.jsonl", '{"type":"summary"}\n{"cwd":"/srv/my.app/src/deep","type":"user"}\n')
    assert [note.project for note in read()] == ["/srv/my.app"]


def test_without_a_session_it_is_the_folder_that_exists(home: Path, repo: Path, read: Read) -> None:
    put(home / ".claude" / "projects" / discover.slug(str(repo)) / "memory" / "a.md", OLD)
    assert [note.project for note in read()] == [str(repo)]
