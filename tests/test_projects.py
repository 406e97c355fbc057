from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from curator.io.worktree import normal_remote
from curator.projects import identify, is_excluded, relative_to
from tests.files import write_program


@pytest.fixture(autouse=True)
def no_repository_around_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def run(folder: Path, *words: str, at: int = 1_700_000_000) -> str:
    dates = {"GIT_AUTHOR_DATE": f"{at} +0000", "GIT_COMMITTER_DATE": f"{at} +0000"}
    words = ("git", "-C", str(folder), *words)
    return subprocess.run(words, check=True, capture_output=True, text=True, env=os.environ | dates).stdout.strip()


@pytest.fixture
def app(tmp_path: Path) -> Path:
    """A repository with two commits and a remote."""
    folder = tmp_path / "app"
    new(folder)
    run(folder, "remote", "add", "origin", "git@github.com:Ann/Shop.git")
    return folder


def new(folder: Path, text: str = "first") -> None:
    folder.mkdir(parents=True)
    run(folder, "init", "-q", "-b", "main")
    run(folder, "commit", "-q", "--allow-empty", "-m", text)
    run(folder, "commit", "-q", "--allow-empty", "-m", "second")


def test_git_is_asked_only_where_a_repository_may_be(app: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = tmp_path / "asked"
    write_program(tmp_path / "bin" / "git", f"touch '{asked}'")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    (tmp_path / "alone").mkdir()
    identify(str(tmp_path / "alone"))
    assert not asked.exists()
    identify(str(app / ".git" / "hooks"))
    assert asked.exists()


def test_a_project_is_its_root_commit_and_remote(app: Path) -> None:
    project = identify(str(app))
    assert project.root_commit == run(app, "rev-list", "--max-parents=0", "HEAD")
    assert (project.remote, project.name, project.folder) == ("github.com/ann/shop", "shop", str(app))
    assert len(project.id) == 12
    (app / "src").mkdir()
    assert identify(str(app / "src")) == identify(f"{app}/src/../") == project


def test_work_trees_moved_and_other_clones_are_the_same_project(app: Path, tmp_path: Path) -> None:
    project = identify(str(app))
    run(app, "worktree", "add", "-q", str(tmp_path / "fix"))
    assert identify(str(tmp_path / "fix")) == project._replace(folder=str(tmp_path / "fix"))
    run(tmp_path, "clone", "-q", str(app), "theirs")
    run(tmp_path / "theirs", "remote", "set-url", "origin", "https://bob@github.com/ann/shop")
    assert identify(str(tmp_path / "theirs")).id == project.id
    run(tmp_path, "clone", "-q", "--bare", str(app), "shop.git")
    run(tmp_path / "shop.git", "remote", "set-url", "origin", "https://github.com/ann/shop.git")
    bare = identify(str(tmp_path / "shop.git"))
    assert (bare.id, bare.folder) == (project.id, str(tmp_path / "shop.git"))
    shutil.move(app, tmp_path / "moved")
    assert identify(str(tmp_path / "moved")).id == project.id


def test_a_fork_is_its_own_unless_upstream_says_whose_it_is(app: Path, tmp_path: Path) -> None:
    project = identify(str(app))
    run(tmp_path, "clone", "-q", str(app), "fork")
    fork = tmp_path / "fork"
    run(fork, "remote", "set-url", "origin", "git@github.com:bob/shop.git")
    assert identify(str(fork), [project]).id != project.id
    run(fork, "remote", "add", "upstream", "https://github.com/ann/shop")
    assert identify(str(fork)).id == project.id


def test_a_clone_without_remote_belongs_to_the_only_project_of_its_root(app: Path, tmp_path: Path) -> None:
    project = identify(str(app))
    run(tmp_path, "clone", "-q", str(app), "copy")  # its remote is a folder of this machine: none
    copy = tmp_path / "copy"
    assert identify(str(copy)).id != project.id
    assert identify(str(copy), [project]) == project._replace(folder=str(copy))
    other = project._replace(id="other", remote="github.com/bob/shop")
    assert identify(str(copy), [project, other]).id not in (project.id, "other")


def test_a_project_stays_itself_when_its_remote_comes_later_or_is_renamed(tmp_path: Path) -> None:
    folder = tmp_path / "app"
    folder.mkdir()
    born = identify(str(folder))
    assert (born.root_commit, born.remote, born.name) == ("", "", "app")
    run(folder, "init", "-q", "-b", "main")
    assert identify(str(folder), [born]) == born
    run(folder, "commit", "-q", "--allow-empty", "-m", "first")
    grown = identify(str(folder), [born])
    assert (grown.id, bool(grown.root_commit)) == (born.id, True)
    run(folder, "remote", "add", "origin", "git@gitlab.com:ann/app.git")
    published = identify(str(folder), [grown])
    assert (published.id, published.remote) == (born.id, "gitlab.com/ann/app")
    run(folder, "remote", "set-url", "origin", "git@gitlab.com:company/app.git")
    assert identify(str(folder), [published]).id == born.id
    shutil.rmtree(folder)
    assert identify(str(folder), [published]) == published


def test_a_shallow_clone_is_known_by_its_remote(app: Path, tmp_path: Path) -> None:
    project = identify(str(app))
    run(tmp_path, "clone", "-q", "--depth", "1", app.as_uri(), "shallow")
    shallow = tmp_path / "shallow"
    run(shallow, "remote", "set-url", "origin", "https://github.com/ann/shop")
    alone = identify(str(shallow))
    assert (alone.root_commit, alone.remote) == ("", "github.com/ann/shop")
    assert identify(str(shallow), [project]) == project._replace(folder=str(shallow))
    assert identify(str(app), [alone]).id == alone.id
    stranger = project._replace(remote="github.com/bob/other")
    assert identify(str(shallow), [stranger]).id == alone.id


def test_a_history_merged_in_and_an_orphan_branch_change_nothing(app: Path, tmp_path: Path) -> None:
    project = identify(str(app))
    older = tmp_path / "older"
    older.mkdir()
    run(older, "init", "-q", "-b", "main")
    run(older, "commit", "-q", "--allow-empty", "-m", "older", at=1_000_000_000)
    run(app, "fetch", "-q", str(older), "main")
    run(app, "merge", "-q", "--allow-unrelated-histories", "-m", "join", "FETCH_HEAD")
    assert identify(str(app)) == project
    run(app, "checkout", "-q", "--orphan", "pages")
    run(app, "commit", "-q", "--allow-empty", "-m", "pages", at=1_800_000_000)
    assert identify(str(app)) == project


def test_unlike_repositories_are_unlike_projects(app: Path, tmp_path: Path) -> None:
    new(tmp_path / "b", "other")
    new(tmp_path / "c", "third")
    ids = {identify(str(folder), [identify(str(app))]).id for folder in (app, tmp_path / "b", tmp_path / "c", tmp_path)}
    assert len(ids) == 4


def test_the_home_folder_is_named_by_its_sign() -> None:
    assert identify(str(Path.home())).name == "~"


def test_absent_folders_and_windows_paths_are_known_by_their_name(tmp_path: Path) -> None:
    gone = identify(str(tmp_path / "gone") + "/")
    assert (gone.name, gone.folder) == ("gone", str(tmp_path / "gone"))
    windows = identify("d:\\srv\\App\\")
    assert (windows.name, windows.folder) == ("D:\\srv\\App", "D:\\srv\\App")
    assert identify("D:/srv/App").id == windows.id
    assert identify("D:\\srv\\App\\src", [windows]) == windows
    assert identify("D:\\srv\\Apple", [windows]).id != windows.id


def test_a_folder_that_is_gone_belongs_to_the_repository_in_which_it_was(app: Path, tmp_path: Path) -> None:
    assert identify(str(app / "packages/api")) == identify(str(app))
    assert identify(str(tmp_path / "plain/api")).name == "api"
    new(tmp_path / "home")
    assert identify(str(tmp_path / "home/code/api")).name == "api", "a home folder under git owns nothing"


def test_a_folder_inside_a_known_one_belongs_to_it_but_home_owns_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    outer, inner = identify("/srv/x"), identify("/srv/x/y")
    assert identify("/srv/x/y/z", [outer, inner]) == inner
    assert identify("/srv/x/w", [outer, inner]) == outer
    for high in (str(tmp_path / "home"), str(tmp_path), "/"):
        assert identify(str(tmp_path / "home" / "notes"), [identify(high)]).name == "notes"


def test_a_repository_inside_a_known_folder_is_its_own_and_a_link_to_a_folder_is_that_folder(app: Path, tmp_path: Path) -> None:
    assert identify(str(app), [identify(str(tmp_path))]).id != identify(str(tmp_path)).id
    (tmp_path / "link").symlink_to(app)
    assert identify(str(tmp_path / "link")) == identify(str(app))


def test_without_git_the_folder_stands_in(app: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = identify(str(app))
    monkeypatch.setenv("PATH", "")
    assert identify(str(app)).root_commit == ""
    assert identify(str(app), [project]) == project


def test_a_folder_costs_at_most_three_processes(app: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    really = subprocess.Popen

    def counted(words: list[str], **options: object) -> object:
        asked.append(words)
        return really(words, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "Popen", counted)
    identify(str(app))
    assert len(asked) == 3
    identify("/no/such/folder")
    identify("C:\\x")
    assert len(asked) == 3


@pytest.mark.parametrize(
    ("url", "remote"),
    [
        ("git@github.com:Ann/App.git", "github.com/ann/app"),
        ("ann@work-alias:org/app", "work-alias/org/app"),
        ("ssh://git@git.example.org:2222/team/app.git/", "git.example.org/team/app"),
        ("git://git.example.org/app", "git.example.org/app"),
        ("https://user:secret@git.example.org:8443/a/b/c.git", "git.example.org/a/b/c"),
        ("https://bitbucket.example.org/scm/team/app.git", "bitbucket.example.org/team/app"),
        ("ssh://git@bitbucket.example.org:7999/team/app.git", "bitbucket.example.org/team/app"),
        ("https://github.com/v3/app", "github.com/v3/app"),
        ("https://www.example.org/app", "example.org/app"),
        ("ssh://git@[2001:db8::1]:22/app.git", "[2001:db8::1]/app"),
        ("git+ssh://git@github.com/ann/app", "github.com/ann/app"),
        ("https://github.com/", ""),
        ("file:///srv/app.git", ""),
        ("\\\\server\\share\\app", ""),
        ("./app", ""),
        ("", ""),
    ],
)
def test_a_remote_reads_the_same_however_it_is_written(url: str, remote: str) -> None:
    assert normal_remote(url) == remote


def test_excluded_folders_are_told_by_glob(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "private" / "a").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "private" / "a")
    assert is_excluded(str(tmp_path / "private/a/src"), ["~/private/*"])
    assert is_excluded("~/private/a", ["~/private/"])
    assert is_excluded(str(tmp_path / "link"), ["~/private"])
    assert is_excluded("/srv/client-x/app", ["/nowhere", "*/client-*"])
    assert is_excluded("D:\\secret\\app", ["D:/secret"])
    assert is_excluded("D:\\secret\\app", ["D:\\secret\\*"])
    assert not is_excluded(str(tmp_path / "private2"), ["~/private", "", " "])
    assert not is_excluded("/srv/app", [])


@pytest.mark.parametrize(
    ("path", "inside"),
    [
        ("src/a.py", "src/a.py"),
        ("src/**/*.py", "src/**/*.py"),
        ("lib/", "lib/"),
        ("src/../web/b.ts", "web/b.ts"),
        ("a..b/c.py", "a..b/c.py"),
        ("../a.py", ""),
        ("src/../../a.py", ""),
        ("..", ""),
        (".", ""),
        ("/srv/app/src/a.py", "src/a.py"),
        ("/srv/app/../other/a.py", ""),
        ("/srv/application/a.py", ""),
        ("/srv/app", ""),
        ("/", ""),
        ("~/a.py", ""),
        ("~nobody-here/a.py", ""),
        ("D:\\work\\app\\src\\a.py", "src/a.py"),
        ("d:/WORK/app/a.py", "a.py"),
        ("C:\\Users\\ann\\a.py", ""),
        ("\\\\host\\share\\a.py", ""),
    ],
)
def test_what_lies_outside_every_folder_is_left_out(path: str, inside: str) -> None:
    found = relative_to([path], "/srv/app", "D:\\work\\app")
    assert found == ((inside,) if inside else ())
    assert relative_to(found, "/srv/app") == found
    assert relative_to(["/etc/passwd"], "/", "") == ()


@pytest.mark.parametrize("tree", ["/srv/app/.worktrees/2", "/srv/app/.claude/worktrees/fix/web", "C:\\srv\\app\\.worktrees\\2"])
def test_a_work_tree_whose_repository_is_gone_too_belongs_to_its_project(tree: str) -> None:
    assert identify(tree).folder == tree.replace("\\", "/").partition("/.")[0].replace("/", "\\" if "\\" in tree else "/")
