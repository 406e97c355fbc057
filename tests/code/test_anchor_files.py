from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.code import Subject, WorkFiles, blob_id, check_many, date_anchors, make_anchors
from curator.code.moves import CHARACTERS, LINES, unified_diff
from curator.model import Anchor, Drift, Finding
from tests.code.one_lesson import check
from tests.files import commit, git


@pytest.fixture(autouse=True)
def no_repository_around_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "app"
    put(folder, "src/a.py", "".join(f"line {n}\n" for n in range(30)))
    put(folder, "src/b.py", "b = 1\n")
    git(folder, "init", "-q", "-b", "main")
    commit(folder)
    return folder


def put(folder: Path, path: str, text: str) -> None:
    place = folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, "utf-8", newline="")


def put_all(folder: Path, text: str, *paths: str) -> None:
    for path in paths:
        put(folder, path, text)


def processes(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The git commands that run from now on."""
    asked: list[tuple[str, ...]] = []
    really = subprocess.Popen

    def counted(words: list[str], **options: object) -> object:
        asked.append(tuple(words))
        return really(words, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "Popen", counted)
    return asked


def facts(findings: Iterable[Finding]) -> list[tuple[str, str, str]]:
    return [(finding.path, finding.drift.state, finding.new_path) for finding in findings]


# --- taking -----------------------------------------------------------------------------------------------------------


def test_a_blob_id_is_gits(repository: Path) -> None:
    put(repository, "big.bin", "\0" * 3_000_000)
    head = git(repository, "rev-parse", "HEAD")
    anchors = make_anchors(repository, ["src/a.py", "big.bin"])
    assert [anchor.blob for anchor in anchors] == [git(repository, "hash-object", path) for path in ("src/a.py", "big.bin")]
    assert {anchor.commit for anchor in anchors} == {head}


def test_only_files_of_this_work_tree_are_anchored(repository: Path, tmp_path: Path) -> None:
    put(tmp_path, "secret", "x")
    (repository / "out").symlink_to(tmp_path / "secret")
    (repository / "in").symlink_to("src/a.py")
    put(repository, "lib/inner.py", "x")
    git(repository / "lib", "init", "-q")
    absolute = str(repository / "src" / "b.py")
    outside = ["../secret", str(tmp_path / "secret"), "out", "lib/inner.py", ".git/HEAD", "", "a\0b", "."]
    given = ["src/a.py", "./src/../src/a.py", absolute, "src", "gone.py", *outside, "in"]
    assert [anchor.path for anchor in make_anchors(repository, given)] == ["src/a.py", "src/b.py", "in"]


def test_outside_git_files_are_anchored_all_the_same_and_a_change_has_no_diff(tmp_path: Path) -> None:
    put(tmp_path, "notes/a.md", "hello\n")
    put(tmp_path, "notes/b.md", "y")
    anchors = make_anchors(tmp_path / "notes", ["a.md", "b.md"])
    assert (anchors[0].path, anchors[0].blob, anchors[0].commit) == ("a.md", blob_id(b"hello\n"), "")
    assert anchors[0].body
    put(tmp_path, "notes/a.md", "z")
    (tmp_path / "notes" / "b.md").unlink()
    assert facts(check(tmp_path / "notes", anchors)) == [("a.md", "changed", ""), ("b.md", "gone", "")]
    assert make_anchors(tmp_path / "absent", ["a.md"]) == ()


def test_a_repository_without_commits_gives_no_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    put(tmp_path, "a", "x")
    (anchor,) = make_anchors(tmp_path, ["a"])
    assert anchor.commit == ""
    put(tmp_path, "a", "y")
    assert facts(check(tmp_path, [anchor])) == [("a", "changed", "")]


# --- checking ---------------------------------------------------------------------------------------------------------


def test_what_did_not_change_is_not_asked_about(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    anchors = make_anchors(repository, ["src/a.py", "src/b.py"])
    (repository / "src/a.py").chmod(0o755)
    asked = processes(monkeypatch)
    assert check(repository, anchors) == ()
    assert asked == []


def test_a_change_is_shown_as_a_diff(repository: Path) -> None:
    anchors = make_anchors(repository, ["src/a.py", "src/b.py"])
    text = (repository / "src/a.py").read_text("utf-8").replace("line 20\n", "other\n")
    put(repository, "src/a.py", text)
    (finding,) = check(repository, anchors)
    assert (finding.path, finding.drift.state, finding.blob) == ("src/a.py", "changed", blob_id(text.encode()))
    assert finding.diff == (
        "--- src/a.py\n+++ src/a.py\n@@ -18,7 +18,7 @@\n"
        " line 17\n line 18\n line 19\n-line 20\n+other\n line 21\n line 22\n line 23\n"
    )


@pytest.mark.parametrize("kept", ["\n", "\r\n"])
@pytest.mark.parametrize("change", [("\n", "\r\n"), ("line", "  line"), (" ", "\t"), ("\n", "\n\n"), ("\n", " \n")])
def test_white_space_and_line_ends_raise_nothing(repository: Path, change: tuple[str, str], kept: str) -> None:
    text = (repository / "src/a.py").read_text("utf-8")
    put(repository, "src/a.py", text.replace("\n", kept))
    anchors = make_anchors(repository, ["src/a.py"])
    put(repository, "src/a.py", text.replace(*change))
    assert check(repository, anchors) == ()


def test_a_repository_with_other_hashes_is_compared_by_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256")
    put(tmp_path, "a", "x = 1\ny = 2\n")
    commit(tmp_path)
    anchors = make_anchors(tmp_path, ["a"])
    put(tmp_path, "a", "x  =  1\ny = 2\n")
    assert check(tmp_path, anchors) == ()
    put(tmp_path, "a", "x = 1\ny = 3\n")
    assert "--- a\n" in check(tmp_path, anchors)[0].diff


def test_a_file_that_was_not_committed_as_kept_is_compared_with_the_commit_and_says_so(repository: Path) -> None:
    put(repository, "src/b.py", "b = 2\n")
    (anchor,) = make_anchors(repository, ["src/b.py"])
    put(repository, "src/b.py", "b = 1 \n")
    (finding,) = check(repository, [anchor])
    assert finding.drift.state == "changed"
    put(repository, "src/b.py", "b = 3\n")
    (finding,) = check(repository, [anchor])
    assert finding.diff.startswith(f"--- src/b.py (as of {anchor.commit[:8]})\n")
    assert "-b = 1\n+b = 3\n" in finding.diff


def test_contents_with_any_bytes_are_told_apart(repository: Path) -> None:
    put(repository, "x", "no-such-object missing\r\n\nü blob 3\n")
    (repository / "y").write_bytes(b"\xff\xfe caf\xe9\n")
    (repository / "z").write_bytes(b"a\0b")
    put(repository, "empty", "")
    put(repository, "b blob", "x\n")  # a name like an answer of git's
    commit(repository)
    assert make_anchors(repository, ["b blob"])[0].commit == git(repository, "rev-parse", "HEAD")
    anchors = make_anchors(repository, ["x", "y", "z", "empty", "src/b.py"])
    put_all(repository, "new\n", "x", "y", "z", "empty", "src/b.py")
    diffs = {finding.path: finding.diff for finding in check(repository, anchors)}
    assert "-no-such-object missing\n-\n-ü blob 3\n+new\n" in diffs["x"]
    assert "-\ufffd\ufffd caf\ufffd\n+new\n" in diffs["y"]
    assert diffs["z"] == ""
    assert diffs["empty"].endswith("@@ -0,0 +1 @@\n+new\n")
    assert diffs["src/b.py"].endswith("-b = 1\n+new\n")


def test_huge_files_are_noticed_without_a_diff(repository: Path) -> None:
    put(repository, "big", "x\n" * 1_500_000)
    commit(repository)
    anchors = make_anchors(repository, ["big"])
    put(repository, "big", "x\n" * 1_500_000 + "y\n")
    (finding,) = check(repository, anchors)
    assert (finding.drift.state, finding.diff) == ("changed", "")


def test_a_file_that_is_no_more_is_gone(repository: Path) -> None:
    anchors = make_anchors(repository, ["src/a.py", "src/b.py"])
    (repository / "src/a.py").unlink()
    (repository / "src/b.py").unlink()
    (repository / "src/b.py").mkdir()
    found = check(repository, anchors)
    assert facts(found) == [("src/a.py", "gone", ""), ("src/b.py", "gone", "")]
    assert "-b = 1" in found[1].diff
    assert all(finding.alarming for finding in found)


@pytest.mark.parametrize("how", ["git mv", "commit", "plain"])
def test_the_same_content_at_another_path_is_a_rename(repository: Path, how: str) -> None:
    anchors = make_anchors(repository, ["src/a.py"])
    (repository / "lib").mkdir()
    if how == "plain":
        (repository / "src/a.py").rename(repository / "lib/c.py")
    else:
        git(repository, "mv", "src/a.py", "lib/c.py")
    if how == "commit":
        commit(repository)
    (finding,) = check(repository, anchors)
    assert facts([finding]) == [("src/a.py", "relocated", "lib/c.py")]
    assert (finding.certain, finding.alarming, finding.blob) == (True, False, anchors[0].blob)


def test_a_rename_among_several_copies_goes_by_the_name_or_is_only_likely(repository: Path) -> None:
    anchors = make_anchors(repository, ["src/b.py"])
    git(repository, "mv", "src/b.py", "lib.py")
    put(repository, "two.py", "b = 1\n")
    git(repository, "add", ".")
    assert not check(repository, anchors)[0].certain
    put(repository, "sub/b.py", "b = 1\n")
    git(repository, "add", ".")
    (finding,) = check(repository, anchors)
    assert (finding.new_path, finding.certain) == ("sub/b.py", True)


def test_an_empty_file_is_never_renamed(repository: Path) -> None:
    put(repository, "src/__init__.py", "")
    put(repository, "other.py", "")
    git(repository, "add", ".")
    anchors = make_anchors(repository, ["src/__init__.py"])
    (repository / "src/__init__.py").unlink()
    assert check(repository, anchors)[0].drift.state == "gone"


def test_a_folder_below_the_top_of_the_repository_is_a_folder_too(repository: Path) -> None:
    anchors = make_anchors(repository / "src", ["a.py", "b.py", "../x"])
    assert [anchor.path for anchor in anchors] == ["a.py", "b.py"]
    put(repository, "src/b.py", "b = 2\n")
    (repository / "src/a.py").rename(repository / "src/c.py")
    gone, changed = check(repository / "src", anchors)
    assert (gone.drift.state, gone.new_path) == ("relocated", "c.py")
    assert "-b = 1\n+b = 2\n" in changed.diff
    stale = anchors[1]._replace(blob="0" * 40)
    assert "-b = 1\n+b = 2\n" in check(repository / "src", [stale])[0].diff


def test_a_shallow_clone_lacks_the_past_and_says_only_that_it_changed(repository: Path, tmp_path: Path) -> None:
    anchors = make_anchors(repository, ["src/b.py"])
    put(repository, "src/b.py", "b = 2\n")
    commit(repository)
    git(tmp_path, "clone", "-q", "--depth", "1", repository.as_uri(), "shallow")
    (finding,) = check(tmp_path / "shallow", anchors)
    assert (finding.drift, finding.diff, finding.blob, finding.alarming) == (Drift.BODY, "", blob_id(b"b = 2\n"), True)


def test_where_there_is_no_work_tree_nothing_is_stale(repository: Path, tmp_path: Path) -> None:
    anchors = make_anchors(repository, ["src/a.py"])
    git(tmp_path, "clone", "-q", "--bare", str(repository), "bare.git")
    assert check(tmp_path / "bare.git", anchors) == ()
    assert check(tmp_path / "absent", anchors) == ()
    git(repository, "sparse-checkout", "set", "--no-cone", "/src/b.py")
    assert not (repository / "src/a.py").exists()
    assert check(repository, anchors) == ()


def test_anchors_from_a_hostile_file_never_lead_outside(repository: Path, tmp_path: Path) -> None:
    put(tmp_path, "secret", "x")
    (repository / "out").symlink_to(tmp_path / "secret")
    paths = ["../secret", str(tmp_path / "secret"), "out", "a\0b", "", "src/../../secret", ".git/HEAD"]
    assert check(repository, [Anchor(path=path, blob="0" * 40, commit="-x") for path in paths]) == ()
    odd = Anchor(path="src/b.py", blob="--help\nx", commit="--all\nHEAD")
    assert check(repository, [odd])[0].diff == ""


def test_many_lessons_cost_a_few_processes_and_a_file_is_hashed_once(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(20):
        put(repository, f"src/m{n}.py", f"m = {n}\n")
    commit(repository)
    anchors = make_anchors(repository, [f"src/m{n}.py" for n in range(20)])
    for n in range(10):
        put(repository, f"src/m{n}.py", f"m = -{n}\n")
    for n in range(10, 15):
        (repository / f"src/m{n}.py").unlink()
    asked = processes(monkeypatch)
    seen = WorkFiles(repository)
    found = check_many(repository, {str(n): Subject(anchors) for n in range(50)}, work_files=seen)
    assert len(asked) <= 8
    assert {len(findings) for findings in found.values()} == {15}
    assert all(finding.diff for finding in found["0"] if finding.drift.state == "changed")

    def fail(*_: object) -> None:
        raise AssertionError("a file was read again")

    monkeypatch.setattr("builtins.open", fail)
    assert check_many(repository, {"a": Subject(anchors[15:])}, work_files=seen) == {"a": ()}


# --- diffs ------------------------------------------------------------------------------------------------------------


def test_a_long_change_is_cut_and_says_so() -> None:
    diff = unified_diff("", "x\n" * 1000, "a", "a")
    assert (diff.count("\n"), diff.endswith("not shown\n")) == (LINES + 1, True)
    assert len(unified_diff("", ("y" * 1000 + "\n") * 100, "a", "a")) <= CHARACTERS + 100


SMALL = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "d\n"]), max_size=14).map("".join)


@given(SMALL, SMALL)
def test_git_applies_our_diffs(tmp_path_factory: pytest.TempPathFactory, before: str, after: str) -> None:
    diff = unified_diff(before, after, "a/f", "b/f")
    assert bool(diff) == (before != after)
    if diff:
        folder = tmp_path_factory.mktemp("diff")
        put(folder, "f", before)
        subprocess.run(["git", "apply", "--unidiff-zero", "-"], cwd=folder, input=diff, text=True, check=True)
        assert (folder / "f").read_text("utf-8") == after


# --- what a commit has ------------------------------------------------------------------------------------------------


def as_in_a_file(anchor: Anchor) -> Anchor:
    """An anchor as a lesson file carries it."""
    return Anchor(path=anchor.path, symbol=anchor.symbol, signature=anchor.signature, body=anchor.body, commit=anchor.holder)


def test_what_a_commit_has_is_not_read_again(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    anchors = [as_in_a_file(anchor)._replace(body="another") for anchor in make_anchors(repository, ["src/a.py", "src/b.py"])]
    asked = processes(monkeypatch)
    assert check(repository, anchors) == ()
    assert len(asked) == 1, "another hash would have it asked what was there"
    put(repository, "src/b.py", "b = 2\n")
    assert facts(check(repository, anchors)) == [("src/b.py", "changed", "")]


@pytest.mark.parametrize("text", ["b = 2\n", f"b = {'2' * 9_000}\n"])
def test_code_that_was_being_written_is_not_taken_for_the_commit_s(repository: Path, text: str) -> None:
    put(repository, "src/b.py", text)
    (anchor,) = make_anchors(repository, ["src/b.py"])
    assert (anchor.commit, anchor.holder, anchor.undated) == (git(repository, "rev-parse", "HEAD"), "", True)
    put(repository, "src/b.py", "b = 1\n")
    assert facts(check(repository, [as_in_a_file(anchor)])) == [("src/b.py", "changed", "")]
    put(repository, "src/b.py", text)
    commit(repository)
    (dated_,) = date_anchors(repository, [anchor])
    assert (dated_.holder, dated_.undated) == (git(repository, "rev-parse", "HEAD"), False)


def test_a_commit_that_was_noted_unseen_is_taken_where_it_has_the_code(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = git(repository, "rev-parse", "HEAD")
    right = make_anchors(repository, ["src/a.py"])[0]._replace(committed=False)
    put(repository, "src/b.py", "b = 2\n")
    wrong = make_anchors(repository, ["src/b.py"])[0]._replace(committed=False)
    put_all(repository, "c = 3\n", "src/a.py", "src/b.py")
    commit(repository)
    asked = processes(monkeypatch)
    assert [anchor.holder for anchor in date_anchors(repository, [right, wrong])] == [first, ""]
    assert len(asked) == 2


def test_a_commit_with_other_line_ends_or_other_hashes_holds_it_too(repository: Path, tmp_path: Path) -> None:
    git(repository, "config", "core.autocrlf", "true")
    put(repository, "src/b.py", "b = 1\r\n")
    put(repository, "src/c.py", "c = 1\r\n")
    (tmp_path / "other").mkdir()
    git(tmp_path / "other", "init", "-q", "--object-format=sha256")
    put(tmp_path, "other/b.py", "b = 1\n")
    commit(tmp_path / "other")
    for folder, path in ((repository, "src/b.py"), (tmp_path / "other", "b.py")):
        (anchor,) = make_anchors(folder, [path])
        assert anchor.holder == git(folder, "rev-parse", "HEAD")
        assert check(folder, [as_in_a_file(anchor)]) == ()
    (fresh,) = make_anchors(repository, ["src/c.py"])
    assert not fresh.holder
    commit(repository)
    assert date_anchors(repository, [fresh])[0].holder == git(repository, "rev-parse", "HEAD")


def test_a_folder_below_the_root_is_compared_with_its_own_files(repository: Path) -> None:
    put(repository, "b.py", "b = 2\n")
    commit(repository)
    (anchor,) = make_anchors(repository / "src", ["b.py"])
    kept = as_in_a_file(anchor)._replace(body="another")
    assert check(repository / "src", [kept]) == ()
    put(repository, "src/b.py", "b = 2\n")
    assert facts(check(repository / "src", [kept])) == [("b.py", "changed", "")]


@pytest.mark.parametrize("commit", ["0" * 40, "-x", ":", "0" * 7, "HEAD\nHEAD"])
def test_a_commit_that_is_none_holds_nothing(repository: Path, commit: str) -> None:
    claimed = Anchor(path="src/b.py", body="another", commit=commit)
    assert facts(check(repository, [claimed])) == [("src/b.py", "changed", "")]
