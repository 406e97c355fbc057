"""A lesson goes to the project in which its words were said: by folder, root commit and remote."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.app import Curator, scan
from curator.app.sessions.ingest import from_top
from curator.model import Query
from tests.app.conftest import Open, Transcript
from tests.files import git
from tests.sayings import DIST, UV, VENDOR


def repository(folder: Path, remote: str = "git@github.com:ann/app.git") -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "remote", "add", "origin", remote)
    git(folder, "commit", "-q", "--allow-empty", "-m", f"begin {remote}")
    return folder


@pytest.fixture
def curator(opened: Open) -> Curator:
    return opened()


@pytest.fixture
def app(tmp_path: Path) -> Path:
    return repository(tmp_path / "app")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return repository(tmp_path / "site", "git@github.com:ann/site.git")


def says(root: Path, session: str, words: str, cwd: Path) -> None:
    Transcript(root, cwd, session).says(words)


def places(curator: Curator, root: Path) -> dict[str, list[str]]:
    """The projects' names, each with the last words of what was said there."""
    scan.scan(curator, roots=[root])
    found: dict[str, list[str]] = {}
    names = {id_: project.name for id_, project in curator.projects().items()}
    for entry in curator.lessons.entries(Query()):
        found.setdefault(names[entry.project], []).append(entry.evidence[0].quote.split()[-1])
    return {name: sorted(words) for name, words in found.items()}


def test_files_are_named_from_the_projects_folder_wherever_the_session_began(curator: Curator, root: Path, app: Path) -> None:
    (app / "web" / "src").mkdir(parents=True)
    (app / "web" / "src" / "a.ts").touch()
    (app / "Makefile.md").touch()
    for file in ("src/a.ts", "Makefile.md", "src/gone.ts"):
        says(root, file.partition("/")[2] or file, f"Never edit {file} by hand, it is generated", app / "web")
    scan.scan(curator, roots=[root])
    files = sorted(entry.files for entry in curator.lessons.entries(Query()))
    assert files == [("Makefile.md",), ("web/src/a.ts",), ("web/src/gone.ts",)]


@pytest.mark.parametrize(
    ("file", "named"),
    [
        ("src/b.ts", "web/src/b.ts"),
        ("./src/b.ts", "web/src/b.ts"),
        ("../api/c.py", "api/c.py"),
        ("web/src/gone.ts", "web/src/gone.ts"),
        ("/srv/app/web/a.ts", "/srv/app/web/a.ts"),
        ("~/.ssh/config", "~/.ssh/config"),
        ("C:\\Users\\ann\\a.py", "C:\\Users\\ann\\a.py"),
    ],
)
def test_only_what_is_relative_is_named_from_the_top(file: str, named: str) -> None:
    assert from_top(file, "/srv/app", "/srv/app/web") == named


def test_a_session_that_walks_through_two_projects_is_split(curator: Curator, root: Path, app: Path, site: Path) -> None:
    (app / "src").mkdir()
    session = Transcript(root, app)
    session.says("hello")
    assert places(curator, root) == {}
    session.says(VENDOR, cwd=str(site))
    assert places(curator, root) == {"site": ["it"]}, "it was nowhere else before"
    session.says(UV, cwd=str(app / "src"))
    session.says(DIST, cwd=str(app))
    assert places(curator, root) == {"app": ["pytest", "them"], "site": ["it"]}


def test_turns_that_name_no_folder_are_where_the_one_before_was(curator: Curator, root: Path, app: Path, site: Path) -> None:
    session = Transcript(root, app)
    session.says(UV, cwd=None)
    session.says("hello")
    session.says("hello", cwd=str(site))
    session.says(VENDOR, cwd=None)
    assert places(curator, root) == {"app": ["pytest"], "site": ["it"]}


def test_the_same_statement_in_two_projects_is_a_card_in_each(curator: Curator, root: Path, app: Path, site: Path) -> None:
    says(root, "a", VENDOR, app)
    says(root, "b", VENDOR, site)
    assert places(curator, root) == {"app": ["it"], "site": ["it"]}
    assert all(entry.times_stated == 1 for entry in curator.lessons.entries(Query()))
