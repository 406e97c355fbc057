"""A lesson goes to the project in which its words were said: by folder, root commit and remote."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.app import Curator, scan
from curator.app.sessions.ingest import from_top
from curator.model import Query
from curator.settings import Settings
from tests.sayings import DEPLOY, DIST, UV, VENDOR

REMOTE = "git@github.com:ann/app.git"


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)


def repository(folder: Path, remote: str = REMOTE) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "remote", "add", "origin", remote)
    git(folder, "commit", "-q", "--allow-empty", "-m", f"begin {remote}")
    return folder


class Session:
    """A Claude Code session in which a person says something in one folder after another."""

    def __init__(self, root: Path, name: str) -> None:
        self.path = root / "projects" / "-somewhere" / f"{name}.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.name = name
        self.count = 0

    def says(self, words: str, cwd: Path | None) -> None:
        self.count += 1
        place = {"cwd": str(cwd)} if cwd else {}
        record = {
            "type": "user",
            "uuid": f"{self.name}-{self.count}",
            "parentUuid": None,
            "sessionId": self.name,
            "timestamp": f"2026-11-01T10:00:{self.count:02d}.000Z",
            "message": {"role": "user", "content": words},
            **place,
        }
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")


@pytest.fixture
def curator(tmp_path: Path) -> Iterator[Curator]:
    opened = Curator(Settings(home=tmp_path / "home"))
    yield opened
    opened.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "claude"


def places(curator: Curator, root: Path) -> dict[str, list[str]]:
    """The projects' names, each with the first words of what was said there."""
    scan.scan(curator, roots=[root])
    found: dict[str, list[str]] = {}
    names = {id_: project.name for id_, project in curator.projects().items()}
    for entry in curator.lessons.entries(Query()):
        found.setdefault(names[entry.project], []).append(entry.evidence[0].quote.split()[-1])
    return {name: sorted(words) for name, words in found.items()}


def test_work_trees_other_clones_and_a_moved_one_are_one_project(curator: Curator, root: Path, tmp_path: Path) -> None:
    app = repository(tmp_path / "app")
    git(app, "worktree", "add", "-q", "-b", "fix", str(tmp_path / "app-fix"))
    git(tmp_path, "clone", "-q", str(app), "again")
    git(tmp_path / "again", "remote", "set-url", "origin", "https://github.com/Ann/app")
    for name, words, folder in (("a", UV, "app"), ("b", VENDOR, "app-fix"), ("c", DIST, "again")):
        Session(root, name).says(words, tmp_path / folder)
    assert places(curator, root) == {"app": ["it", "pytest", "them"]}
    git(app, "worktree", "remove", "--force", str(tmp_path / "app-fix"))
    shutil.move(app, tmp_path / "moved")
    Session(root, "d").says(DEPLOY, tmp_path / "moved" / ".")
    assert len(places(curator, root)["app"]) == 4
    assert len(curator.projects()) == 1
    curator.enter(str(tmp_path / "moved"))
    assert curator.lessons.kinds(curator.lessons.waiting(rest=True)).total() == 4, "and it is seen from its new place"


def test_repositories_of_the_same_name_are_two_projects(curator: Curator, root: Path, tmp_path: Path) -> None:
    for name, words in (("one", UV), ("two", VENDOR)):
        Session(root, name).says(words, repository(tmp_path / name / "app", f"git@github.com:{name}/app.git"))
    scan.scan(curator, roots=[root])
    assert len({entry.project for entry in curator.lessons.entries(Query())}) == 2
    curator.enter(str(tmp_path / "one" / "app"))
    (entry,) = curator.lessons.entries(curator.lessons.waiting())
    assert "pytest" in entry.headline


def test_files_are_named_from_the_projects_folder_wherever_the_session_began(
    curator: Curator, root: Path, tmp_path: Path
) -> None:
    app = repository(tmp_path / "app")
    (app / "web" / "src").mkdir(parents=True)
    (app / "web" / "src" / "a.ts").touch()
    (app / "Makefile.md").touch()
    Session(root, "a").says("Never edit src/a.ts by hand, it is generated", app / "web")
    Session(root, "b").says("Never edit Makefile.md by hand, it is generated", app / "web")
    Session(root, "c").says("Never edit src/gone.ts by hand, it is generated", app / "web")
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


def test_a_session_that_walks_through_two_projects_is_split(curator: Curator, root: Path, tmp_path: Path) -> None:
    app, site = repository(tmp_path / "app"), repository(tmp_path / "site", "git@github.com:ann/site.git")
    (app / "src").mkdir()
    session = Session(root, "a")
    session.says(UV, app / "src")
    session.says(VENDOR, site)
    session.says(DIST, app)
    assert places(curator, root) == {"app": ["pytest", "them"], "site": ["it"]}


def test_only_a_later_turn_may_be_elsewhere(curator: Curator, root: Path, tmp_path: Path) -> None:
    app, site = repository(tmp_path / "app"), repository(tmp_path / "site", "git@github.com:ann/site.git")
    session = Session(root, "a")
    session.says("hello", app)
    assert places(curator, root) == {}
    session.says(VENDOR, site)
    assert places(curator, root) == {"site": ["it"]}
    session.says(DIST, app)
    assert places(curator, root) == {"app": ["them"], "site": ["it"]}


def test_turns_that_name_no_folder_are_where_the_one_before_was(curator: Curator, root: Path, tmp_path: Path) -> None:
    app, site = repository(tmp_path / "app"), repository(tmp_path / "site", "git@github.com:ann/site.git")
    session = Session(root, "a")
    session.says(UV, None)
    session.says("hello", app)
    session.says("hello", site)
    session.says(VENDOR, None)
    assert places(curator, root) == {"app": ["pytest"], "site": ["it"]}


def test_the_same_statement_in_two_projects_is_a_card_in_each(curator: Curator, root: Path, tmp_path: Path) -> None:
    app, site = repository(tmp_path / "app"), repository(tmp_path / "site", "git@github.com:ann/site.git")
    Session(root, "a").says(VENDOR, app)
    Session(root, "b").says(VENDOR, site)
    assert places(curator, root) == {"app": ["it"], "site": ["it"]}
    assert all(entry.seen == 1 for entry in curator.lessons.entries(Query()))
