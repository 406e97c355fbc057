"""Paths that a text names, and which of them are gone, by real commits."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.code import missing_paths, missing_symbols, named_paths, named_symbols
from tests.files import commit, git, write_file


def write(folder: Path, *names: str) -> None:
    for name in names:
        write_file(folder / name, f"{name}\n")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with a history: ``src/old.py`` and the folder ``pkg/util`` were removed."""
    folder = tmp_path / "app"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    write(folder, "src/app.py", "src/old.py", "pkg/util/a.ts", "pkg/util/b.ts", "web/deep/page.tsx")
    commit(folder, "first")
    git(folder, "rm", "-q", "src/old.py")
    git(folder, "commit", "-qm", "second")
    git(folder, "rm", "-qr", "pkg/util")
    git(folder, "commit", "-qm", "third")
    return folder


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Start in `src/app.py:12` or in docs/guide.md.", ["src/app.py", "docs/guide.md"]),
        ("The parser is `parser.py`, its folder `src/parse/`.", ["parser.py", "src/parse/"]),
        ("Start in `/src/app.py`.", ["src/app.py"]),
        ("- `./web/a.ts` and (web/b.tsx)", ["web/a.ts", "web/b.tsx"]),
        ("Read `package.json`, README.md and Node.js docs.", []),  # a name alone may be any project's
        ("An and/or, origin/main, text/html, `a/b`", []),
        ("https://example.com/a/b.py, ~/a/b.py, $HOME/a.py, /etc/a/b.conf, C:\\a\\b.py", []),
        ("`src/*.py`, src/<name>/a.py, `src/{a,b}.ts`, `[dir]/`, path/to/file.py, `notes/YYYY/a.md`", []),
        ("node_modules/x/index.js and dist/out/a.js", []),
        ("`src/a.py` was removed. See src/b.py.", ["src/b.py"]),
        ("`src/a.py` parses. It was removed in May.", []),
        (
            "The rig is `src/a.py` (raw → parsed). (See `src/b.py`.) **New:** `src/c.py`, the old one is gone.",
            ["src/a.py", "src/b.py"],
        ),
        ("The tool has its own `src/a.py`.", []),
        ("`src/a.py` → `src/b.py`", []),
        ("src/a.py -> lib/src/b.py", []),
        ("`src/a.py` `parse(text)` → one tree; `src/b.py` (→ `Tree`)", ["src/a.py", "src/b.py"]),
        ("go build -o out/tool ./cmd/tool ./dist/cmd ./tool", ["cmd/tool"]),
        ("`src/a.py` is used to sort; `src/b.py`, used to filter", ["src/a.py", "src/b.py"]),
        ("Sorting used to live in `src/a.py`", []),
        ("Use `src/a.py`, not the network.\nIt replaced src/b.py.", ["src/a.py"]),
        (
            "> `app/[id]/page.tsx`, `app/(shop)/[[...all]]/[at].tsx`, (web/c.ts), not app/[id]/b.ts",
            ["app/[id]/page.tsx", "app/(shop)/[[...all]]/[at].tsx", "web/c.ts"],
        ),
        ("`make -C web/a.mk` and `cat a/b.txt`", []),
    ],
)
def test_only_what_is_clearly_a_path_is_named(text: str, named: list[str]) -> None:
    assert list(named_paths(text)) == named


def test_what_is_gone_is_found_with_its_commit(repo: Path) -> None:
    second, third = (git(repo, "rev-parse", "--short", name) for name in ("HEAD~1", "HEAD"))
    paths = ["src/app.py", "src/old.py", "util/a.ts", "pkg/util/", "deep/page.tsx", "page.tsx", "never/was.py", "src/never.py"]
    assert missing_paths(repo, paths) == {"src/old.py": (second, ""), "util/a.ts": (third, ""), "pkg/util/": (third, "")}


def test_what_moved_is_told_with_its_new_place(repo: Path) -> None:
    write(repo, "app/[id]/page.tsx", "lib/deep/x.py", "lib/deep/y.py", "lib/edit.py", "lib/same.py", "lib/two.py", "old/two.py")
    commit(repo, "fourth")
    git(repo, "mv", "lib/deep", "core")
    git(repo, "mv", "lib/edit.py", "lib/edited.py")
    git(repo, "commit", "-qm", "fifth")
    git(repo, "mv", "core", "kernel")
    git(repo, "rm", "-q", "lib/same.py", "lib/two.py", "app/[id]/page.tsx")
    write(repo, "new/same.py")
    (repo / "new" / "same.py").write_text("other words\n", encoding="utf-8")
    commit(repo, "sixth")
    fifth, sixth = (git(repo, "rev-parse", "--short", name) for name in ("HEAD~1", "HEAD"))
    assert missing_paths(
        repo, ["lib/deep/x.py", "lib/deep/", "lib/edit.py", "lib/same.py", "lib/two.py", "app/[id]/page.tsx"]
    ) == {
        "lib/deep/x.py": (fifth, "kernel/x.py"),
        "lib/deep/": (fifth, "kernel/"),
        "lib/edit.py": (fifth, "lib/edited.py"),
        "lib/same.py": (sixth, "new/same.py"),
        "lib/two.py": (sixth, ""),  # the file of this name was there before
        "app/[id]/page.tsx": (sixth, ""),
    }


def test_a_script_that_is_built_from_a_file_in_typescript_is_not_gone(repo: Path) -> None:
    write(repo, "src/probe.js", "src/walk.js")
    commit(repo, "fourth")
    git(repo, "mv", "src/probe.js", "src/probe.ts")
    git(repo, "rm", "-q", "src/walk.js")
    git(repo, "commit", "-qm", "fifth")
    fifth = git(repo, "rev-parse", "--short", "HEAD")
    assert missing_paths(repo, ["probe.js", "src/probe.js", "walk.js"]) == {
        "src/probe.js": (fifth, "src/probe.ts"),
        "walk.js": (fifth, ""),
    }


def test_what_git_ignores_or_does_not_know_yet_is_there_or_no_matter(repo: Path) -> None:
    write(repo, "src/new.py", ".gitignore")
    (repo / ".gitignore").write_text("src/old.py\n", encoding="utf-8")
    assert missing_paths(repo, ["app/src/new.py", "src/new.py", "src/old.py"]) == {}


def test_without_a_complete_history_a_missing_file_in_a_folder_that_is_there_counts(repo: Path, tmp_path: Path) -> None:
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repo}", str(shallow))
    plain = tmp_path / "plain"
    write(plain, "src/app.py")
    for folder in (shallow, plain):
        assert missing_paths(folder, ["src/app.py", "src/old.py", "src/[id].py", "pkg/util/a.ts"]) == {"src/old.py": ("", "")}


def test_a_symbol_counts_beside_its_file_alone() -> None:
    text = (
        "- `load_all()` and `LIMIT_MB` in `src/io.py`\n- `other_name` stands alone\n\n`src/io.py` has words like `cache`, `x`."
    )
    assert list(named_symbols(text)) == [("src/io.py", "load_all"), ("src/io.py", "LIMIT_MB")]
    assert list(named_symbols("`load_all()` was removed from `src/io.py`.")) == []


def test_a_symbol_that_is_nowhere_is_found_with_the_commit_that_removed_it(repo: Path) -> None:
    path = repo / "src" / "app.py"
    path.write_text("def load_all():\n    return save_all()\n", encoding="utf-8")
    write(repo, "notes.md")
    (repo / "notes.md").write_text("load_all\n", encoding="utf-8")  # what notes say of it makes it no code
    commit(repo, "fourth")
    path.write_text("def load_one():\n    return 1\n", encoding="utf-8")
    (repo / "web" / "new.py").write_text("save_all\n", encoding="utf-8")
    git(repo, "commit", "-qam", "fifth")
    named = [("src/app.py", name) for name in ("load_all", "load_one", "save_all", "never_was")] + [("src/old.py", "load_all")]
    assert missing_symbols(repo, named) == {("src/app.py", "load_all"): git(repo, "rev-parse", "--short", "HEAD")}
