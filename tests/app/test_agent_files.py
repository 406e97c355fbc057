"""What a project's own files say is not told to the agent that reads them: narrowly, and no longer than it holds."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator import app
from curator.agents.managed_blocks import BEGIN, END, Block, line
from curator.app import Curator, agent_files, deliveries
from curator.app.agents.agent_files import FileStatement, SentLesson
from curator.cli.agents import lines
from curator.ranking import Hit, choose
from curator.settings import load
from curator.store import indexes
from tests.files import write_file
from tests.hooks.project import ASKED, TESTS, Project, curator, project

__all__ = ["curator", "project"]
PYTEST = "Run the tests with uv run pytest"
BACKOFF = "Retry uploads with exponential backoff, never in a loop"
LOG = "Log errors once, at the boundary"


@pytest.mark.parametrize(
    ("lesson", "statement", "same"),
    [
        (PYTEST, "Always run the tests with `uv run pytest`.", True),
        ("Always run the tests with `uv run pytest`.", PYTEST, True),
        ("Migrations must be reversible", "Ensure migrations are reversible", True),
        ("Run make lint before committing", "Before committing, run `make lint`", True),
        (PYTEST, "Run the tests with `uv run pytest` only in CI", False),
        (PYTEST, "Do not run the tests with uv run pytest", False),
        (BACKOFF, "Never retry uploads in a loop with exponential backoff", False),
        ("Set the timeout to 30 seconds", "Set the timeout to 60 seconds", False),
        ("Use pnpm, not npm", "Use npm, not pnpm", False),
        ("Run make lint before committing", "Run make lint after committing", False),
        ("Migrations must be reversible", "Migrations must be reversible unless they drop a column", False),
        ("Clear it with app cache clear", "Clear it with app clear_cache", False),
        ("Import from app.core only in app.web", "Import from app.web only in app.core", False),
        ("Keep functions short", "Keep functions in utils short", False),
        ("Use tabs", "Write tests", False),
    ],
)
def test_the_same_is_narrow(lesson: str, statement: str, same: bool) -> None:
    found = agent_files.repetitions(
        [SentLesson("A", lesson, frozenset())], [FileStatement("AGENTS.md", statement, frozenset())]
    )
    assert list(found) == ([("A", "AGENTS.md")] if same else [])


def write(project: Project, name: str, *rows: str) -> None:
    write_file(project.folder / name, "\n".join(rows) + "\n")


def known(curator: Curator) -> list[tuple[str, str]]:
    """What is known to stand in files, without what one agent reads for lack of another file."""
    return [(id_, file) for id_, file in curator.store.ranking_index.statements(curator.scope or "") if ":" not in file]


def refresh(project: Project) -> list[tuple[str, str]]:
    curator = Curator(project.settings)
    curator.enter(str(project.folder))
    agent_files.refresh_all(curator)
    found = known(curator)
    curator.close()
    return found


@pytest.fixture
def said(project: Project) -> list[tuple[str, str]]:
    """That AGENTS.md says one of the lessons is known."""
    write(project, "AGENTS.md", "# Testing", "", f"- {TESTS}")
    found = refresh(project)
    assert found == [(project.tests, "AGENTS.md")]
    return found


Said = list[tuple[str, str]]


def test_readers_of_agents_md_are_not_sent_its_lessons_and_why_names_it(project: Project, curator: Curator, said: Said) -> None:
    assert project.prompts(ASKED, "s1", "codex") == []
    assert project.receipts()[-1]["withheld"][0][::2] == [project.tests, "already stated in AGENTS.md"]
    deliveries.import_receipts(curator)
    (receipt,) = deliveries.decisions(curator, deliveries.find(curator, ""))
    why = "\n".join(lines(receipt, {project.tests: TESTS, project.migrations: ""}))
    for words in (f"not sent  {project.tests}", "already stated in AGENTS.md", "nothing was sent"):
        assert words in why
    assert project.told("gemini", "BeforeAgent", "s2", prompt=ASKED) == [project.tests]


@pytest.mark.parametrize(
    ("agent", "says", "there", "withheld"),
    [
        ("claude-code", "AGENTS.md", "", True),
        ("claude-code", "AGENTS.md", "CLAUDE.md", False),
        ("claude-code", "AGENTS.md", ".claude/CLAUDE.md", False),
        ("opencode", "CLAUDE.md", "", True),
        ("opencode", "CLAUDE.md", "AGENTS.md", False),
        ("codex", "CLAUDE.md", "", False),
    ],
)
def test_a_second_file_counts_only_without_the_first(
    project: Project, agent: str, says: str, there: str, withheld: bool
) -> None:
    write(project, says, f"- {TESTS}")
    if there:
        write(project, there, "Hello.")
    refresh(project)
    assert project.prompts(ASKED, "s1", agent) == ([] if withheld else [project.tests])
    if withheld:
        assert project.receipts()[-1]["withheld"][0][::2] == [project.tests, f"already stated in {says}"]


@pytest.mark.parametrize("way", ["import", "link"])
def test_what_claude_md_takes_in_it_says_too(project: Project, way: str) -> None:
    write(project, "docs/agents/all.md", f"- {TESTS}")
    write(project, "AGENTS.md", "See @docs/agents/all.md and @AGENTS.md and @../outside.md")
    if way == "import":
        write(project, "CLAUDE.md", "@AGENTS.md")
    else:
        os.symlink("AGENTS.md", project.folder / "CLAUDE.md")
    assert refresh(project) == [(project.tests, "CLAUDE.md")]
    assert project.prompts() == []


def test_a_link_out_of_the_project_says_nothing(project: Project, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text(f"- {TESTS}\n", encoding="utf-8")
    os.symlink(tmp_path / "outside.md", project.folder / "CLAUDE.md")
    write(project, "GEMINI.md", "@../outside.md", f"@{tmp_path}/outside.md")
    assert refresh(project) == []


@pytest.mark.parametrize(
    ("name", "front", "says"),
    [
        (".cursor/rules/all.mdc", "alwaysApply: true", True),
        (".cursor/rules/asked.mdc", "description: tests", False),
        (".cursor/rules/placed.mdc", "globs: src/**", False),
        (".github/instructions/all.instructions.md", 'applyTo: "**"', True),
        (".github/instructions/none.instructions.md", "description: tests", False),
        (".claude/rules/all.md", "", True),
        (".claude/rules/placed.md", "paths: src/**", False),
        (".clinerules/all.md", "", True),
        ("web/AGENTS.md", "", False),
    ],
)
def test_only_what_is_always_read_says_what_holds_everywhere(project: Project, name: str, front: str, says: bool) -> None:
    write(project, name, *(["---", front, "---"] if front else []), f"- {TESTS}")
    assert refresh(project) == ([(project.tests, name)] if says else [])


def test_our_own_block_says_its_lessons_and_loses_them(project: Project, curator: Curator) -> None:
    write(project, "src/http/client.py")
    scoped = project.learns("Close @pool before exit")
    curator.decisions.edit(scoped, scope="paths", paths=("src/http/**",))
    rows = [line(curator.lessons.find(id_), with_places=True) for id_ in (project.tests, scoped)]
    write(project, "AGENTS.md", "Hello.", Block(tuple(rows)).text())
    assert refresh(project) == sorted([(project.tests, "AGENTS.md"), (scoped, "AGENTS.md")])
    write(project, "AGENTS.md", "Hello.", Block(()).text())
    assert refresh(project) == []
    assert project.prompts(agent="codex") == [project.tests]


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([f"- {LOG}."], True),
        (["## Never do", f"- {LOG}."], False),
        (["## Anti-patterns", f"- {LOG}."], False),
        ([f"- {LOG}, with their cause."], False),
        ([f"- ❌ {LOG}"], False),
    ],
)
def test_an_item_that_is_no_command_counts_word_for_word_and_by_heading(project: Project, rows: list[str], says: bool) -> None:
    id_ = project.learns(LOG)
    write(project, "AGENTS.md", *rows)
    assert refresh(project) == ([(id_, "AGENTS.md")] if says else [])


def test_a_file_for_certain_paths_says_what_holds_for_these(project: Project, curator: Curator) -> None:
    curator.decisions.edit(project.tests, scope="paths", paths=("tests/**",))
    write(project, ".claude/rules/tests.md", "---", "paths: tests/**", "---", f"- {TESTS}")
    write(project, ".cursor/rules/all.mdc", "---", "globs: tests/**, docs/**", "---", f"- {TESTS}")
    assert refresh(project) == [(project.tests, ".claude/rules/tests.md")]


def test_a_rewritten_lesson_is_told_at_once(project: Project, curator: Curator, said: Said) -> None:
    curator.decisions.edit(project.tests, insight=f"{TESTS} On two machines.")
    assert project.prompts(agent="codex") == [project.tests]
    curator.decisions.undo()
    assert refresh(project) == said


def test_what_can_not_be_looked_at_keeps_nothing_from_going_on(curator: Curator, said: Said) -> None:
    (stored,) = curator.projects().values()
    before = curator.store.ranking_index.statements(stored.id)
    assert agent_files.refresh(curator, stored._replace(folder="/" + "a" * 5_000)) == 0, "no system opens such a name"
    assert curator.store.ranking_index.statements(stored.id) == before != []


GONE: dict[str, Callable[[Project], object]] = {
    "the file": lambda project: (project.folder / "AGENTS.md").unlink(),
    "the project": lambda project: shutil.rmtree(project.folder),
}


@pytest.mark.parametrize("what", GONE)
def test_what_is_gone_says_nothing_any_more(project: Project, said: Said, what: str) -> None:
    GONE[what](project)
    assert refresh(project) == []


def test_an_excluded_project_is_not_looked_at(project: Project) -> None:
    write(project, "AGENTS.md", f"- {TESTS}")
    project.settings.file.write_text(f'exclude = ["{project.folder}"]\n', encoding="utf-8")
    project.settings = load()
    assert refresh(project) == []


def test_nothing_is_compared_or_written_where_nothing_changed(project: Project, curator: Curator, said: Said) -> None:
    (stored,) = curator.projects().values()
    index, texts = curator.store.ranking_index, dict(agent_files.agent_texts(project.folder))
    places = {item.id: (place for place in item.places if not place.startswith("=")) for item in index.lines(stored.id)}
    lessons = [SentLesson(item.id, item.text, frozenset(places[item.id])) for item in index.lines(stored.id)]
    other = [(project.migrations, "AGENTS.md")]  # no comparison says so
    with curator.store.transaction():
        index.write_statements(stored.id, other, agent_files.stamp(texts, lessons, other))
    before = curator.lessons.version()
    assert refresh(project) == other
    assert curator.lessons.version() == before


def test_a_global_lesson_is_said_by_each_project_for_itself(project: Project, curator: Curator, tmp_path: Path) -> None:
    other = Project(tmp_path / "other")
    curator.decisions.edit(project.tests, scope="global")
    write(project, "AGENTS.md", f"- {TESTS}")
    agent_files.refresh_all(curator)
    curator.decisions.drop([other.tests])
    assert project.prompts(agent="codex") == []
    assert other.prompts(session="s2", agent="codex") == [project.tests]


def test_a_rebuilt_index_is_compared_anew_and_forgetting_leaves_nothing(project: Project, curator: Curator, said: Said) -> None:
    def rows() -> list[object]:
        return curator.store.connection.execute("SELECT * FROM stating_files").fetchall()

    with curator.store.transaction():
        indexes.rebuild_ranking(curator.store.connection)
    assert rows() == []
    assert refresh(project) == said
    app.forget.forget(curator, [project.tests])
    assert rows() == []


def test_a_scan_an_export_and_an_install_look(project: Project, curator: Curator, tmp_path: Path) -> None:
    write(project, "AGENTS.md", f"- {TESTS}")
    app.scan.scan(curator, roots=[tmp_path / "none"])
    assert (project.tests, "AGENTS.md") in known(curator)
    (project.folder / "AGENTS.md").unlink()
    app.settling.export(curator)
    assert known(curator) == []
    plan = app.install.installing(curator, ["codex"], app.install.InstallRequest(hooks=False, mcp=False, files=True))
    app.install.carry_out(curator, plan)
    assert (project.tests, "AGENTS.md") in known(curator)
    app.install.carry_out(curator, app.install.uninstalling(curator, ["codex"]))
    assert known(curator) == []


def test_what_files_say_hides_nothing_that_comes_after() -> None:
    said = [Hit(f"A{at}", "x", {"words": 2.0}, "", [], [], ("AGENTS.md",)) for at in range(20)]
    last = Hit("LAST", "y", {"words": 1.0}, "", [], [])
    shown, withheld = choose([*said, last], "prompt", agent="codex")
    assert [hit.id for hit in shown] == ["LAST"]
    assert {reason for _, reason in withheld} == {"already stated in AGENTS.md"}
    assert len(choose([*said, last], "prompt", agent="gemini")[0]) == 3
    assert len(choose(said, "prompt", agent="nobody")[0]) == 3


@given(
    st.lists(st.sampled_from([*"-#*`@/.:[]{}\"'>| \n", "never ", "use ", "globs", BEGIN, END, "---\n"]), max_size=80).map(
        "".join
    ),
    st.sampled_from(["AGENTS.md", ".cursor/rules/a.mdc", ".github/instructions/a.instructions.md"]),
)
def test_whatever_stands_in_a_file_is_read(text: str, name: str) -> None:
    for one in agent_files.statements(name, f"---\n{text}\n---\n{text}\n- Never use {text}"):
        assert one.file == name
