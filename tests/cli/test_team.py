"""Two people and git: real repositories, real merges, the driver as git calls it."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from curator.agents.install.command import merge_driver
from tests.cli.conftest import Done, Shell
from tests.files import TOP, git


class Person:
    """Somebody with a clone, a curator of their own, and git set up."""

    def __init__(self, shell: Shell, name: str, folder: Path, home: Path) -> None:
        self.shell = shell
        self.name = name
        self.folder = folder
        self.home = home

    def __call__(self, *words: str | Path, code: int = 0) -> Done:
        self.shell.folder = self.folder
        self.shell.monkeypatch.setenv("CURATOR_HOME", str(self.home))
        done = self.shell(*words)
        assert done.code == code, done.err
        return done

    def git(self, *words: str, code: int | None = 0) -> str:
        environment = os.environ | {"PYTHONPATH": str(TOP), "CURATOR_HOME": str(self.home / "untouched")}
        done = subprocess.run(
            ["git", "-c", "commit.gpgsign=false", *words],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert code is None or done.returncode == code, done.stdout + done.stderr
        assert not (self.home / "untouched").exists()
        return done.stdout + done.stderr

    def commit(self, message: str = "lessons") -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def share(self, message: str = "lessons") -> None:
        self.commit(message)
        self.git("push", "-q", "origin", "HEAD:main")

    def pull(self, *how: str, code: int = 0) -> str:
        self.git("fetch", "-q")
        return self.git("rebase" if "rebase" in how else "merge", "-q", "origin/main", code=code)

    def rows(self, *which: str) -> list[dict[str, object]]:
        return self("list", *which, "--json").objects

    def files(self) -> dict[str, str]:
        found = sorted((self.folder / ".curator" / "lessons").glob("*.md"))
        return {path.name: path.read_text(encoding="utf-8") for path in found}


People = Callable[..., tuple[Person, ...]]


@pytest.fixture
def people(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> People:
    """Ann and Bob (and whoever else is named), with one lesson of Ann's in common."""
    monkeypatch.setattr("shutil.which", lambda name, **_: None if name == "curator" else f"/usr/bin/{name}")

    def gather(*names: str) -> tuple[Person, ...]:
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(tmp_path / "hub.git")], check=True)
        found: list[Person] = []
        for name in names or ("ann", "bob"):
            folder = tmp_path / name
            subprocess.run(["git", "clone", "-q", str(tmp_path / "hub.git"), str(folder)], check=True, capture_output=True)
            person = Person(shell, name, folder, tmp_path / f"{name}-home")
            person.git("checkout", "-q", "-B", "main")
            if found:
                person.pull()
                person("install", "git", "--yes")
                person("import", "--accept")
            else:
                person("install", "git", "--yes")
                person("add", "Run make before a commit")
                person.share()
                person("import", "--accept")
            found.append(person)
        return tuple(found)

    return gather


def the_one(person: Person) -> str:
    (row,) = person.rows()
    return str(row["id"])


def dispute(ann: Person, bob: Person) -> str:
    """Both give the lesson another headline; Ann has shared hers, Bob has committed his. Returns the lesson's id."""
    id_ = the_one(ann)
    ann("edit", id_, "--headline", "Run just before a commit")
    ann.share()
    bob("edit", id_, "--headline", "Run ninja before a commit")
    bob.commit()
    return id_


def rival(person: Person) -> str:
    """The id of the card with the other version."""
    (card,) = person.rows("--conflicts")
    return str(card["id"])


def test_both_add_and_edit_different_fields(people: People) -> None:
    ann, bob = people()
    id_ = the_one(ann)
    ann("edit", id_, "--headline", "Run just before a commit")
    ann("add", "Ann's own lesson")
    ann.share()
    bob("edit", id_, "--insight", "It takes a minute and saves a review.")
    bob("add", "Bob's own lesson")
    bob.commit()
    bob.pull()
    assert bob("import", "--json").one["conflicts"] == 0
    rows = {str(row["headline"]): row for row in bob.rows()}
    assert rows.keys() == {"Run just before a commit", "Ann's own lesson", "Bob's own lesson"}
    assert rows["Run just before a commit"]["insight"] == "It takes a minute and saves a review."


def test_retiring_never_conflicts(people: People) -> None:
    ann, bob = people()
    ann("add", "Second")
    ann.share()
    bob.pull()
    bob("import")
    first, second = sorted((str(row["id"]) for row in ann.rows()), key=lambda id_: "Second" in ann("show", id_).out)
    ann("retire", first)
    ann("edit", second, "--headline", "Second, in other words")
    ann.share()
    bob("retire", first, second)
    bob.commit()
    bob.pull()
    assert bob("import", "--json").one["conflicts"] == 0
    assert bob.rows() == []
    assert {row["headline"] for row in bob.rows("--retired")} == {"Run make before a commit", "Second, in other words"}


@pytest.mark.parametrize("how", ["merge", "rebase"])
def test_a_true_clash_becomes_a_card_for_everybody_until_one_has_decided(people: People, how: str) -> None:
    ann, bob, eve = people("ann", "bob", "eve")
    id_ = dispute(ann, bob)
    assert "headline" in bob.pull(how)
    (text,) = bob.files().values()
    assert "<<<<" not in text
    assert "clash:\n  - field: headline\n    theirs: Run " in text
    bob.git("push", "-q", "origin", "HEAD:main")
    eve.pull()
    ann.pull()
    for person in (bob, eve, ann):
        assert person("import", "--json").one["conflicts"] == 1
        assert person("import", "--json").one["conflicts"] == 0
        (card,) = person.rows("--conflicts")
        assert {card["headline"], person.rows()[0]["headline"]} == {"Run just before a commit", "Run ninja before a commit"}
    person("export")
    assert "clash:" in next(iter(person.files().values()))
    (card,) = eve.rows("--conflicts")
    chosen = str(card["headline"])
    eve("keep", str(card["id"]))
    assert eve.rows()[0]["headline"] == chosen
    assert eve.rows()[0]["id"] == id_
    assert "clash:" not in next(iter(eve.files().values()))
    eve.share("decided")
    for person in (ann, bob):
        person.pull()
        person("import")
        assert person.rows("--conflicts") == []
        assert person.rows()[0]["headline"] == chosen
        assert person.git("status", "--porcelain") == ""


def test_a_decision_on_a_clash_can_be_taken_back_and_leaves_ours_and_the_question_in_the_file(people: People) -> None:
    ann, bob = people()
    dispute(ann, bob)
    bob.pull()
    pulled = bob.files()
    bob("import")
    card = rival(bob)
    for _ in range(2):
        bob("keep", card)
        (text,) = bob.files().values()
        assert "# Run just before a commit\n" in text
        assert "clash:" not in text
        bob("undo")
        assert bob.files() == pulled, "to the letter, as git left it"
        for command in ("export", "import"):
            bob(command)
        assert bob.files() == pulled
        assert rival(bob) == card
    for path in (bob.folder / ".curator" / "lessons").iterdir():
        path.write_text(path.read_text(encoding="utf-8").replace("category: convention", "category: tooling"), encoding="utf-8")
    bob("import")
    assert len(bob.rows("--conflicts")) == 1, "no second card, also where a hand changes the file"
    bob("retire", rival(bob))
    (text,) = bob.files().values()
    assert "# Run ninja before a commit\n" in text
    assert "clash:" not in text, "turned down, it leaves the lesson and its file clean"
    bob("undo")
    assert len(bob.rows("--conflicts")) == 1


CODE = """def load(path, limit=10):
    found = []
    for line in open(path):
        found.append(line.strip())
    return found[:limit]
"""


def test_a_move_that_a_check_followed_is_settled_for_a_shallow_clone_too(people: People, shell: Shell, tmp_path: Path) -> None:
    (ann,) = people("ann")
    (ann.folder / "io.py").write_text(CODE, encoding="utf-8")
    ann.commit("code")
    ann("add", "load() strips each line", "--file", "io.py")
    before = ann.files()
    ann.git("mv", "io.py", "files.py")
    ann.commit("move")
    assert "its code moved to files.py:load" in ann("check").err
    (text,) = (text for name, text in ann.files().items() if text != before[name])
    assert "files:\n  - files.py\n" in text
    assert "io.py" not in text.split("\n# ")[0]
    after = ann.files()
    ann("export")
    assert ann.files() == after
    ann.share()
    subprocess.run(["git", "clone", "-q", "--depth", "1", (tmp_path / "hub.git").as_uri(), str(tmp_path / "ci")], check=True)
    ci = Person(shell, "ci", tmp_path / "ci", tmp_path / "ci-home")
    assert ci("check", "--from-files").out == ""
    (event,) = [row for row in ann("history", "--json").objects if row["verb"] == "follow"]
    ann("undo", "--event", str(event["event"]))
    assert ann.files() == before, "and what is followed no more is taken back"


def test_three_versions_are_two_cards(people: People) -> None:
    ann, bob, eve = people("ann", "bob", "eve")
    id_ = the_one(ann)
    for person, word in ((ann, "just"), (bob, "ninja"), (eve, "bazel")):
        person("edit", id_, "--headline", f"Run {word} before a commit")
        person.commit()
        person.pull()
        person.git("push", "-q", "origin", "HEAD:main")
    assert eve("import", "--json").one["conflicts"] == 2
    assert eve("import", "--json").one["conflicts"] == 0
    headlines = {str(row["headline"]).split()[1] for row in (*eve.rows(), *eve.rows("--conflicts"))}
    assert headlines == {"just", "ninja", "bazel"}
    first, second = (str(row["id"]) for row in eve.rows("--conflicts"))
    eve("retire", first)
    assert "clash:" in next(iter(eve.files().values()))
    chosen = eve("show", second).out.splitlines()[1]
    eve("keep", second)
    told = eve("history", id_).out.splitlines()
    assert [line for line in told if second in line or first in line] == []
    (text,) = eve.files().values()
    assert "clash:" not in text
    assert f"# {chosen}\n" in text
    eve("undo")
    (text,) = eve.files().values()
    assert set(re.findall("theirs: (.*)", text)) == {chosen}, "of two questions only the one that is open again"
    assert eve("import", "--json").one["conflicts"] == 0
    eve("redo")
    (text,) = eve.files().values()
    assert "clash:" not in text
    assert f"# {chosen}\n" in text
    eve.share("decided")
    for person in (ann, bob):
        person.pull()
        person("import")
        assert [row["headline"] for row in person.rows()] == [chosen]
        assert person.rows("--conflicts") == []


@pytest.mark.parametrize("accepts", [True, False])
def test_a_fresh_clone_is_asked_too(accepts: bool, people: People, shell: Shell, tmp_path: Path) -> None:
    ann, bob = people()
    id_ = dispute(ann, bob)
    bob.pull()
    bob.git("push", "-q", "origin", "HEAD:main")
    subprocess.run(["git", "clone", "-q", str(tmp_path / "hub.git"), str(tmp_path / "zoe")], check=True)
    zoe = Person(shell, "zoe", tmp_path / "zoe", tmp_path / "zoe-home")
    assert zoe("import", "--json").one == {"added": 1, "changed": 0, "conflicts": 0, "refused": []}
    if accepts:
        zoe("import", "--accept")
    else:
        zoe("keep", id_)
    assert zoe.rows()[0]["headline"] == "Run ninja before a commit"
    assert zoe.rows("--conflicts")[0]["headline"] == "Run just before a commit"


def test_a_renamed_file_is_merged_by_field(people: People) -> None:
    ann, bob = people()
    id_ = the_one(ann)
    (name,) = ann.files()
    ann.git("mv", f".curator/lessons/{name}", f".curator/lessons/make-{id_.lower()}.md")
    ann("import")
    ann("edit", id_, "--insight", "It takes a minute.")
    ann.share()
    bob("edit", id_, "--headline", "Run just before a commit")
    bob.commit()
    bob.pull()
    assert bob("import", "--json").one["refused"] == []
    ((name, text),) = bob.files().items()
    assert name == f"make-{id_.lower()}.md"
    assert "# Run just before a commit\n\nIt takes a minute.\n" in text


def test_what_is_no_lesson_gets_markers_and_loses_nothing(people: People) -> None:
    ann, bob = people()
    for person, word in ((ann, "one"), (bob, "two")):
        path = person.folder / ".curator" / "lessons" / "notes.md"
        path.write_text(f"no lesson, {word}\n", encoding="utf-8")
        person.commit()
    ann.git("push", "-q", "origin", "HEAD:main")
    assert "CONFLICT" in bob.pull(code=1)
    text = bob.files()["notes.md"]
    assert "no lesson, one" in text
    assert "no lesson, two" in text
    assert "<<<<<<< ours" in text


@pytest.mark.parametrize("command", ["/nowhere/curator", ""])
def test_a_driver_that_is_gone_or_not_set_leaves_lines_to_git(people: People, command: str) -> None:
    ann, bob = people()
    dispute(ann, bob)
    driver = bob.git("config", "merge.curator.driver").strip()
    if command:
        bob.git("config", "merge.curator.driver", driver.replace(merge_driver(), command))
    else:
        bob.git("config", "--remove-section", "merge.curator")
    bob.pull(code=1)
    (text,) = bob.files().values()
    assert {"# Run just before a commit", "# Run ninja before a commit"} <= set(text.splitlines())
    assert command or "<<<<<<< HEAD" in text


# --- setting it up ------------------------------------------------------------------------------------------------------


def repository(shell: Shell, content: bytes | None = None) -> Path:
    subprocess.run(["git", "init", "-q", str(shell.folder)], check=True)
    if content is not None:
        (shell.folder / ".gitattributes").write_bytes(content)
    return shell.folder


CONTENTS = (b"", b"*.md text\n", b"*.md text", b"*.md text\r\n*.py text\r\n", b"*.md text\r\n*.py text", b"\n")
CONFIGS = ("", '[merge "curator"]\n\trecursive = binary\n', "[user]\n\tname = A\n")


@pytest.mark.parametrize(("content", "extra"), [*((one, "") for one in CONTENTS), *((None, one) for one in CONFIGS)])
def test_install_and_uninstall_leave_every_byte_as_it_was(shell: Shell, content: bytes | None, extra: str) -> None:
    folder = repository(shell, content)
    config = folder / ".git" / "config"
    config.write_text(config.read_text() + extra)
    before = config.read_bytes()
    shown = shell("install", "git", "--dry-run")
    assert shown.code == 0
    assert "merge.curator.driver" in shown.out
    assert ".curator/lessons/*.md merge=curator" in shown.out
    nobody = shell("install", "git")
    assert (nobody.code, "--yes" in nobody.err, config.read_bytes()) == (2, True, before)
    assert shell("install", "git", "--yes").out == shown.out
    again = shell("install", "git", "--yes")
    assert (again.code, again.out) == (0, "")
    assert "already" in again.err
    assert (folder / ".gitattributes").read_bytes().startswith(content or b"")
    assert shell("uninstall", "git", "--yes").code == 0
    assert config.read_bytes() == before
    file = folder / ".gitattributes"
    assert (file.read_bytes() if file.exists() else None) == content
    again = shell("uninstall", "git", "--yes")
    assert (again.code, again.out) == (0, "")


def test_without_git_that_is_said(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name, **_: None)
    done = shell("install", "git", "--yes")
    assert (done.code, "git is not installed" in done.err) == (3, True)


def test_what_others_wrote_is_respected(shell: Shell) -> None:
    folder = repository(shell, b".curator/**  merge=curator\n")
    done = shell("install", "git", "--yes")
    assert ".gitattributes" not in done.out
    assert shell("uninstall", "git", "--yes").err.count("stays") == 1
    (folder / ".gitattributes").write_bytes(b"*.md merge=union\n")
    assert "merge=union" in shell("install", "git", "--yes").err
    (folder / ".gitignore").write_text(".curator/\n")
    assert "git ignores" in shell("install", "git", "--dry-run").err


def test_special_repositories_are_set_up_or_named(shell: Shell, tmp_path: Path) -> None:
    folder = repository(shell)
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    git(folder, "worktree", "add", "-q", str(tmp_path / "tree"))
    assert shell("--project", tmp_path / "tree", "install", "git", "--yes").code == 0
    assert (tmp_path / "tree" / ".gitattributes").exists()
    git(tmp_path, "init", "-q", str(tmp_path / "above"))
    git(tmp_path / "above", "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(folder), "below")
    assert shell("--project", tmp_path / "above" / "below", "install", "git", "--yes").code == 0
    assert (tmp_path / "above" / "below" / ".gitattributes").exists()
    assert not (tmp_path / "above" / ".gitattributes").exists()
    for place, word in ((tmp_path, "not in a git repository"), (folder / ".git", "git's own folder")):
        refused = shell("--project", place, "install", "git", "--yes")
        assert (refused.code, refused.out, word in refused.err) == (3, "", True)
    git(tmp_path, "init", "-q", "--bare", str(tmp_path / "bare.git"))
    refused = shell("--project", tmp_path / "bare.git", "install", "git", "--yes")
    assert (refused.code, "bare repository" in refused.err) == (3, True)
    (folder / ".gitattributes").unlink(missing_ok=True)
    (folder / ".gitattributes").symlink_to(tmp_path / "elsewhere")
    refused = shell("install", "git", "--yes")
    assert (refused.code, "symbolic link" in refused.err) == (3, True)


def test_the_driver_needs_three_files_and_no_home(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home-of-nobody"
    monkeypatch.setenv("CURATOR_HOME", str(home))
    done = shell("merge-driver", "a", "b", "c", "d.md")
    assert (done.code, "a: No such file" in done.err) == (3, True)
    for name in "abc":
        (shell.folder / name).write_text(f"line {name}\n")
    done = shell("merge-driver", "a", "b", "c", "d.md")
    assert (done.code, done.out) == (1, "")
    assert re.findall("line .", (shell.folder / "b").read_text()) == ["line b", "line c"]
    assert not home.exists()


def test_help_names_what_git_gives(shell: Shell) -> None:
    assert "%O %A %B" in shell("merge-driver", "--help").out
    assert "merge-driver" not in shell("--help").out
    for words in (["install"], ["uninstall"]):
        assert "git" in shell(*words, "--help").out
