"""The other stores: what one note is, and what is none."""

from __future__ import annotations

import json
from pathlib import Path

from curator.memories import STORES, Place, Source
from tests.files import write_file as put
from tests.memories.conftest import Read

HANDBOOK = """# Task Group: shop / checkout
scope: the checkout of the shop
applies_to: cwd=/srv/shop; reuse_rule=safe for this checkout

## Task 1: Find the slow query

### rollout_summary_files

- rollout_summaries/a.md (cwd=/srv/shop, updated_at=2026-05-01T00:00:00+00:00, thread_id=aaaaaaaa-0001, found)

### keywords

- slow, query

## Task 2: Add an index

### rollout_summary_files

- rollout_summaries/b.md (cwd=/srv/shop, updated_at=2026-06-01T00:00:00+00:00, thread_id=aaaaaaaa-0002, done)

## User preferences

- when the user asks for a plan, answer with a table [Task 2]
- Related skill: skills/plans/SKILL.md [Task 2]

## Reusable knowledge

- The index needs `ANALYZE` [Task 1][Task 2]

## Failures and how to do differently

- Symptom: a slow test. Fix: seed fewer rows [Task 1]

# Task Group: blog
applies_to: cwd=the blog and others; reuse_rule=none

## Reusable knowledge

- Drafts are never cached [Task 1]
"""
SUMMARY = """v1

## User Profile
Somebody.

## User preferences
- Keep it short.

## General Tips
- Use `rg`.

## What's in Memory
- x
"""


def test_codex_bullets_have_their_folder_session_and_time(home: Path, read: Read) -> None:
    put(home / ".codex" / "memories" / "MEMORY.md", HANDBOOK)
    put(home / ".codex" / "memories" / "memory_summary.md", SUMMARY)
    put(home / ".codex" / "memories" / "raw_memories.md", "## Reusable knowledge\n- raw\n")
    put(home / ".codex" / "memories" / "extensions" / "ad_hoc" / "notes" / "n.md", "Forget it.\n")
    found = [(note.kind, note.text, note.project, note.session, note.at) for note in read()]
    assert found == [
        ("preference", "when the user asks for a plan, answer with a table", "/srv/shop", "aaaaaaaa-0002", 1780272000.0),
        ("knowledge", "The index needs `ANALYZE`", "/srv/shop", "aaaaaaaa-0001", 1780272000.0),
        ("failure", "Symptom: a slow test. Fix: seed fewer rows", "/srv/shop", "aaaaaaaa-0001", 1777593600.0),
        ("knowledge", "Drafts are never cached", "", "", found[3][4]),
        ("summary-preference", "Keep it short.", "", "", found[4][4]),
        ("tip", "Use `rg`.", "", "", found[5][4]),
    ]


def test_sections_of_a_handbook_that_codex_does_not_name_are_read(home: Path, read: Read) -> None:
    text = "# Task Group: shop\napplies_to: cwd=/srv/shop\n\n## Workflow rules\n- Seed it first.\n\nProse.\n\n"
    text += "## Reusable knowledge\n- x y\n"
    put(home / ".codex" / "memories" / "MEMORY.md", text + "\n# Conventions\n\n- Use tabs.\n")
    put(home / ".codex" / "memories" / "memory_summary.md", SUMMARY + "### Older\n- y\n\n## Pitfalls\n- The port is taken.\n")
    found = [(note.kind, note.text, note.project) for note in read() if note.text not in ("Keep it short.", "Use `rg`.")]
    assert found == [
        ("note", "Seed it first.", "/srv/shop"),
        ("knowledge", "x y", "/srv/shop"),
        ("note", "Use tabs.", ""),
        ("note", "The port is taken.", ""),
    ]


def test_codex_has_a_folder_for_its_later_form(home: Path, read: Read) -> None:
    summary = SUMMARY.replace("short.", "short. [ad-hoc note]")
    put(home / ".codex" / "memories_v2" / "memory_summary.md", summary)
    assert [(note.kind, note.text) for note in read()] == [("summary-preference", "Keep it short."), ("tip", "Use `rg`.")]


def test_a_folder_named_memories_counts_only_with_a_summary(repo: Path, read: Read) -> None:
    put(repo / "memories" / "MEMORY.md", HANDBOOK)
    assert read() == []
    put(repo / "memories" / "memory_summary.md", SUMMARY)
    assert len(read()) == 6


def test_qwen_reads_files_with_front_matter_alone(home: Path, repo: Path, read: Read) -> None:
    note = "---\nname: n\ndescription: Keep imports sorted\ntype: user\n---\nSort imports.\n"
    put(home / ".qwen" / "memories" / "pinned" / "a.md", note)
    put(home / ".qwen" / "memories" / "MEMORY.md", "- [n](pinned/a.md)\n- a fact\n")
    put(repo / ".qwen" / "team-memory" / "feedback" / "b.md", note)
    put(repo / ".qwen" / "team-memory" / "c.md", "No front matter.\n")
    put(home / ".qwen" / "projects" / "-x-y" / "memory" / "d.md", note)
    assert sorted((one.path.name, one.scope, one.kind) for one in read()) == [
        ("a.md", "global", "user"),
        ("b.md", "project", "user"),
        ("d.md", "project", "user"),
    ]
    put(home / "moved" / "memories" / "e.md", note)
    assert "e.md" in [one.path.name for one in read(QWEN_CODE_MEMORY_BASE_DIR="~/moved")]


def test_gemini_gives_bullets_and_waiting_hunks(home: Path, repo: Path, read: Read) -> None:
    base = home / ".gemini"
    put(base / "projects.json", json.dumps({"projects": {"/srv/shop": "shop"}}))
    put(base / "tmp" / "shop" / "memory" / "MEMORY.md", "# Shop\n- Prices are in cents.\n")
    patch = "--- a\n+++ b\n@@ -1,1 +1,2 @@\n # Shop\n+- Taxes are rounded up.\n@@ -9,1 +10,1 @@\n-old\n+new rule\n"
    put(base / "tmp" / "shop" / "memory" / ".inbox" / "private" / "p.patch", patch)
    put(base / "GEMINI.md", "# Mine\n- A rule of a person.\n\n## Gemini Added Memories\n- Tabs are four wide.\n")
    put(repo / "GEMINI.md", "## Gemini Added Memories\n- Releases are on Monday.\n")
    found = [(note.line, note.kind, note.text, note.project) for note in read()]
    assert found == [
        (2, "inline", "Prices are in cents.", "/srv/shop"),
        (5, "waiting", "Taxes are rounded up.", "/srv/shop"),
        (8, "waiting", "new rule", "/srv/shop"),
        (5, "note", "Tabs are four wide.", ""),
        (2, "note", "Releases are on Monday.", str(repo)),
    ]


def test_goose_blocks_begin_with_their_tags(home: Path, repo: Path, read: Read) -> None:
    text = "# build rust\nRun `just ci`.\n\nIt takes a minute.\n\n# docs\n```sh\n\n# no tags\n```\n\nNo tags at all.\n"
    put(home / ".config" / "goose" / "memory" / "dev.txt", text)
    put(repo / ".goose" / "memory" / "one.txt", "\nNothing before it.\n")
    assert [(note.line, note.under, note.text, note.scope) for note in read()] == [
        (2, "build rust", "Run `just ci`.\n\nIt takes a minute.", "global"),
        (7, "docs", "```sh\n\n# no tags\n```\n\nNo tags at all.", "global"),
        (2, "", "Nothing before it.", "project"),
    ]


def test_serena_gives_sections_that_ask_for_something_else_the_file(repo: Path, read: Read) -> None:
    put(repo / ".serena" / "memories" / "deep" / "style.md", "# Style\n\n## Purpose\nAn app.\n\n## Names\n- Use camelCase.\n")
    put(repo / ".serena" / "memories" / "what.md", "# What it is\nAn app with two parts.\n")
    put(repo / ".serena" / "memories" / "why.md", "## Tests\n\n### Unit\nNever mock.\n\n## Lint\n```sh\nrun lint\n```\n")
    put(repo / ".serena" / "memories" / "memory_maintenance.md", "# Memory Maintenance\n\nAdd a memory for what lasts.\n")
    assert [(note.line, note.under, note.text) for note in read()] == [
        (2, "What it is", "An app with two parts."),
        (4, "Tests", "Never mock."),
        (7, "Lint", "```sh\nrun lint\n```"),
        (7, "Names", "- Use camelCase."),
    ]
    assert [note.title for note in read() if "lint" in note.text] == ["Lint"]


def test_the_memory_tool_of_vscode_knows_its_workspace(home: Path, read: Read) -> None:
    user = home / ".config" / "Code" / "User"
    put(user / "workspaceStorage" / "1f" / "workspace.json", '{"folder": "file:///srv/my%20app"}')
    inner = Path("memory-tool", "memories")
    put(user / "workspaceStorage" / "1f" / "GitHub.copilot-chat" / inner / "repo" / "a.md", "- Run `make`.\n")
    put(user / "globalStorage" / "github.copilot-chat" / inner / "b.md", "- Answer in French.\n")
    assert [(note.text, note.project, note.scope) for note in read()] == [
        ("Answer in French.", "", "global"),
        ("Run `make`.", "/srv/my app", "project"),
    ]


def test_memory_banks_are_not_read(repo: Path, read: Read) -> None:
    put(repo / "memory-bank" / "progress.md", "# Progress\n- It works.\n")
    assert read() == []


def test_only_the_beginning_of_an_index_is_loaded(tmp_path: Path) -> None:
    claude = next(store for store in STORES if store.name == "claude-code")
    place = Place(tmp_path, tmp_path)
    text, beyond = claude.start(Source(place, tmp_path / "MEMORY.md", "MEMORY.md", "- a\n" * 230))
    assert (text.count("\n") + 1, beyond) == (200, 30)
    text, beyond = claude.start(Source(place, tmp_path / "MEMORY.md", "MEMORY.md", f"{'x' * 9_999}\n" * 3))
    assert (len(text), beyond) == (25_000, 0)
    assert claude.start(Source(place, tmp_path / "a.md", "a.md", "- a\n")) == ("", 0)
    gemini = next(store for store in STORES if store.name == "gemini")
    text = "# Mine\n- A rule of a person.\n\n## Gemini Added Memories\n- Tabs are four wide.\n"
    assert gemini.start(Source(place, tmp_path / "GEMINI.md", "GEMINI.md", text)) == ("Tabs are four wide.", 0)
