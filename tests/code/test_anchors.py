"""Lessons follow the symbols that they speak of, through real commits."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from curator.code import (
    Subject,
    branch_of,
    check_many,
    code_names,
    date_anchors,
    have_different_code,
    make_anchors,
    renew_anchors,
)
from curator.model import Anchor, Drift, Finding
from tests.code.one_lesson import check
from tests.files import commit, git, write_file

POOL = '''import time

class Pool:
    """Connections."""

    def close(self, grace):
        for connection in self.open:
            connection.drain(grace)
        self.open.clear()
        return len(self.open)


def connect(host, port=5432):
    return Pool(host, port)
'''


class Repository:
    """A work tree with commits."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str) -> str:
        return git(self.folder, *words)

    def put(self, path: str, text: str) -> None:
        write_file(self.folder / path, text)

    def commit(self, why: str = "change") -> str:
        return commit(self.folder, why)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "app")
    made.put("app/pool.py", POOL)
    made.put("app/other.py", "def unrelated(a, b):\n    return a * b + a\n")
    made.commit("first")
    return made


def close(repository: Repository) -> tuple[Anchor, ...]:
    return make_anchors(repository.folder, ["app/pool.py"], ["Pool.close"])


def one(repository: Repository, anchors: tuple[Anchor, ...], text: str = "") -> Finding:
    (finding,) = check(repository.folder, anchors, text=text)
    return finding


# --- which symbols a lesson means ---------------------------------------------------------------------------------------


def test_a_file_is_anchored_by_the_symbols_that_are_named(repository: Repository) -> None:
    (anchor,) = close(repository)
    assert (anchor.path, anchor.symbol, anchor.lang) == ("app/pool.py", "Pool.close", "python")
    assert anchor.commit == repository.git("rev-parse", "HEAD")
    assert anchor.text == "", "a commit has it"
    for names, symbols in (
        (["close", "connect", "nowhere"], ["Pool.close", "connect"]),
        (["Pool", "Pool.close"], ["Pool.close"]),
        (["nowhere"], [""]),  # the file
    ):
        assert [found.symbol for found in make_anchors(repository.folder, ["app/pool.py"], names)] == symbols


def test_two_methods_of_one_name_are_both_anchored(tmp_path: Path) -> None:
    clients = "class Client:\n    def send(self): ...\nclass AsyncClient:\n    def send(self): ...\n"
    (tmp_path / "client.py").write_text(clients, encoding="utf-8")
    for text in ("Client.send and AsyncClient.send agree", "`AsyncClient.send` waits, `Client.send` does not"):
        assert {a.symbol for a in make_anchors(tmp_path, ["client.py"], code_names(text))} == {
            "Client.send",
            "AsyncClient.send",
        }


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("`Pool.close()` before `app/pool.py`", ("Pool.close", "pool.py")),
        ("`zeta` and unquote() but `make clean` and `--force-all`", ("zeta", "unquote")),
        ("`def fill(self)`, `def drain`, `await Pool` and `_hidden`, a ` alone", ("fill", "drain", "Pool", "_hidden")),
        ("Client.send and AsyncClient.send. Then stop.", ("Client.send", "AsyncClient.send")),
        ("call load_config() and maxRetries, then stop", ("load_config", "maxRetries")),
        ("Rust says uv::Cache, Python plain words.", ("uv::Cache",)),
        ("Nothing here is code", ()),
    ],
)
def test_names_of_code_are_told_from_words(text: str, names: tuple[str, ...]) -> None:
    assert code_names(text) == names


# --- what is no alarm -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"""Connections."""', '"""Connections to the database."""'),
        ("        self.open.clear()\n", "        # all of them\n        self.open.clear()\n\n"),
        ("def close(self, grace):", "def close(\n        self,\n        grace,\n    ):"),
        ("import time", "import time\nimport os"),
        ("return Pool(host, port)", "return Pool(host, port + 1)"),
    ],
)
def test_what_does_not_touch_the_symbol_raises_nothing(repository: Repository, old: str, new: str) -> None:
    anchors = close(repository)
    repository.put("app/pool.py", POOL.replace(old, new))
    assert check(repository.folder, anchors) == ()
    repository.commit()
    assert check(repository.folder, anchors) == ()


def test_a_slight_change_is_a_note_unless_the_lesson_names_it(repository: Repository) -> None:
    long = "def run(timeout):\n" + "".join(f"    step_{n}(timeout, {n})\n" for n in range(40)) + "    return 30\n"
    repository.put("app/run.py", long)
    repository.commit()
    anchors = make_anchors(repository.folder, ["app/run.py"], ["run"])
    repository.put("app/run.py", long.replace("return 30", "return 60"))
    quiet = one(repository, anchors, "Steps run one after the other")
    assert (quiet.drift, quiet.alarming) == (Drift.BODY, False)
    loud = one(repository, anchors, "run gives up after 30 seconds")
    assert (loud.alarming, loud.named) == (True, ("30",))
    assert "-    return 30\n+    return 60\n" in loud.diff


def test_another_notation_of_the_same_types_is_a_note(repository: Repository) -> None:
    old = POOL.replace("host, port=5432", "host: typing.Optional[str], port: Dict[str, int] = {}")
    repository.put("app/pool.py", old)
    repository.commit()
    anchors = make_anchors(repository.folder, ["app/pool.py"], ["connect"])
    repository.put("app/pool.py", old.replace("typing.Optional[str]", '"str | None"').replace("Dict", "dict"))
    finding = one(repository, anchors)
    assert (finding.drift, finding.alarming) == (Drift.SIGNATURE, False)
    repository.put("app/pool.py", old.replace("typing.Optional[str]", "bytes"))
    assert one(repository, anchors).alarming


# --- what is one ----------------------------------------------------------------------------------------------------------


def test_a_changed_signature_is_told_from_a_changed_body(repository: Repository) -> None:
    anchors = close(repository)
    repository.put("app/pool.py", POOL.replace("close(self, grace)", "close(self, grace, force)"))
    finding = one(repository, anchors)
    assert (finding.drift, finding.alarming) == (Drift.SIGNATURE, True)
    repository.put("app/pool.py", POOL.replace("connection.drain(grace)", "connection.abort()"))
    finding = one(repository, anchors)
    assert (finding.drift, finding.alarming) == (Drift.BODY, True)
    assert finding.diff.startswith("--- app/pool.py\n+++ app/pool.py\n@@ -6,5 +6,5 @@\n"), "the symbol alone, with its lines"
    (fresh,) = renew_anchors(anchors, [finding])
    assert check(repository.folder, [fresh]) == ()


def test_a_deleted_symbol_is_gone_with_its_code(repository: Repository) -> None:
    anchors = close(repository)
    repository.put("app/pool.py", POOL.replace(POOL[POOL.index("    def close") : POOL.index("\n\ndef connect")], "    pass\n"))
    finding = one(repository, anchors)
    assert (finding.drift, finding.new_path, finding.certain) == (Drift.DELETED, "", False)
    assert "-            connection.drain(grace)" in finding.diff


# --- what moved -----------------------------------------------------------------------------------------------------------


def test_a_renamed_symbol_is_followed(repository: Repository) -> None:
    anchors = close(repository)
    repository.put("app/pool.py", POOL.replace("def close", "def shut_down"))
    repository.commit()
    finding = one(repository, anchors)
    assert (finding.drift, finding.new_symbol) == (Drift.RENAMED, "Pool.shut_down")
    assert (finding.certain, finding.alarming) == (True, False)
    (fresh,) = renew_anchors(anchors, [finding])
    assert (fresh.symbol, check(repository.folder, [fresh])) == ("Pool.shut_down", ())


def test_a_symbol_that_went_to_another_file_is_followed(repository: Repository) -> None:
    anchors = make_anchors(repository.folder, ["app/pool.py"], ["connect"])
    moved = POOL[POOL.index("\n\ndef connect") :]
    repository.put("app/pool.py", POOL.replace(moved, ""))
    repository.put("app/connecting.py", "from app.pool import Pool\n" + moved)
    finding = one(repository, anchors)
    assert (finding.drift, finding.new_path, finding.new_symbol) == (Drift.MOVED, "app/connecting.py", "connect")


def test_a_whole_folder_that_moved_takes_all_lessons_along(repository: Repository) -> None:
    for n in range(3):
        repository.put(f"src/m{n}.py", f"def f{n}(a):\n    return g{n}(a, {n}) + h{n}(a)\n")
    repository.commit()
    lessons = {str(n): Subject(make_anchors(repository.folder, [f"src/m{n}.py"], [f"f{n}"])) for n in range(3)}
    (repository.folder / "lib").mkdir()
    repository.git("mv", "src", "lib/src")
    repository.put("lib/src/m1.py", "def f1(a):\n    b = g1(a, 1)\n    return b + h1(a)\n")
    repository.commit()
    found = check_many(repository.folder, lessons)
    assert [found[str(n)][0].new_path for n in range(3)] == [f"lib/src/m{n}.py" for n in range(3)]
    assert all(finding.certain for several in found.values() for finding in several)


def test_a_folder_of_a_similar_name_is_no_move(repository: Repository) -> None:
    anchors = close(repository)
    repository.git("rm", "-q", "app/pool.py")
    other = "class Pool:\n    def close(self, grace):\n        raise NotImplementedError(grace.upper())\n"
    repository.put("app2/pool.py", other)
    repository.commit()
    assert not one(repository, anchors).certain


def test_code_that_was_there_before_is_not_where_it_went(repository: Repository) -> None:
    copy = POOL.replace("class Pool", "class Basin")
    repository.put("app/basin.py", copy)
    repository.commit()
    anchors = close(repository)
    repository.git("rm", "-q", "app/pool.py")
    repository.put("app/basin.py", copy + "\nLIMIT = 3\n")
    assert one(repository, anchors).drift is Drift.DELETED


def test_symbols_of_one_name_are_told_apart(repository: Repository) -> None:
    twins = "try:\n    def load(a):\n        return fast(a)\nexcept ImportError:\n    def load(a):\n        return slow(a, a)\n"
    repository.put("app/twins.py", twins)
    repository.commit()
    anchors = make_anchors(repository.folder, ["app/twins.py"], ["load"])
    repository.put("app/twins.py", twins.replace("slow(a, a)", "slower(a)"))
    assert check(repository.folder, anchors) == (), "the one that was anchored did not change"
    repository.put("app/twins.py", twins.replace("fast(a)", "faster(a)"))
    assert "+        return faster(a)" in one(repository, anchors).diff


# --- what git no longer knows ---------------------------------------------------------------------------------------------


def test_code_that_was_never_committed_is_remembered(repository: Repository) -> None:
    repository.put("app/fresh.py", "def fresh(a):\n    return a + 1\n")
    anchors = make_anchors(repository.folder, ["app/fresh.py"], ["fresh"])
    assert anchors[0].text == "def fresh(a):\n    return a + 1"
    repository.put("app/fresh.py", "def fresh(a):\n    return a + 2\n")
    assert "-    return a + 1\n+    return a + 2\n" in one(repository, anchors).diff
    repository.put("app/fresh.py", "def fresh(a):\n    return a + 1\n")
    head = repository.commit()
    (anchor,) = date_anchors(repository.folder, anchors)
    assert (anchor.commit, anchor.text) == (head, ""), "once a commit has it, that will do"


def test_a_rebase_that_takes_the_commit_away_leaves_the_code_to_be_found(repository: Repository) -> None:
    (anchor,) = close(repository)
    lost = Anchor(path=anchor.path, symbol=anchor.symbol, signature=anchor.signature, body=anchor.body, commit="0" * 40)
    assert check(repository.folder, [lost]) == ()
    repository.put("app/pool.py", POOL.replace("connection.drain(grace)", "connection.abort()"))
    assert "-            connection.drain(grace)" in one(repository, (lost,)).diff
    repository.put("app/pool.py", POOL.replace("def close", "def shut_down"))
    assert one(repository, (lost,)).new_symbol == "Pool.shut_down"


def test_in_a_shallow_clone_hashes_say_what_they_can(repository: Repository, tmp_path: Path) -> None:
    (anchor,) = close(repository)
    repository.git("mv", "app/pool.py", "app/pools.py")
    repository.commit()
    shallow = Repository(tmp_path / "shallow")

    def fetched() -> Finding:
        """What is found in the clone when it has the newest commit alone."""
        shallow.git("fetch", "-q", "--depth", "1", repository.folder.as_uri())
        shallow.git("reset", "-q", "--hard", "FETCH_HEAD")
        (finding,) = check(shallow.folder, [anchor])
        return finding

    finding = fetched()
    assert (finding.drift, finding.new_path, finding.certain) == (Drift.MOVED, "app/pools.py", True)
    repository.put("app/pools.py", POOL.replace("drain(grace)", "abort()"))
    repository.commit()
    finding = fetched()  # the one of its name is proposed, though nobody knows what changed
    assert (finding.drift, finding.new_path) == (Drift.MOVED, "app/pools.py")
    assert (finding.certain, finding.alarming) == (False, True)
    repository.put("app/more.py", POOL)
    repository.commit()
    finding = fetched()
    assert (finding.new_path, finding.new_symbol) == ("app/more.py", "Pool.close"), "by its hashes"


def test_a_diff_shows_code_as_it_stands_and_without_what_a_move_indented(repository: Repository) -> None:
    anchors = close(repository)
    repository.put("app/pool.py", POOL.replace("drain(grace)", "abort()"))
    assert "\n     def close(self, grace):\n         for connection" in one(repository, anchors).diff
    outside = dedent(POOL[POOL.index("    def close") : POOL.index("def connect")]).replace("drain(grace)", "abort()")
    repository.put("app/pool.py", f"import time\n\n{outside}")
    changed = [line for line in one(repository, anchors).diff.split("\n")[2:] if line.startswith(("-", "+"))]
    assert changed == ["-        connection.drain(grace)", "+        connection.abort()"]


def test_outside_git_symbols_are_checked_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "pool.py").write_text(POOL, encoding="utf-8")
    anchors = make_anchors(tmp_path, ["pool.py"], ["Pool.close"])
    (tmp_path / "pool.py").write_text(POOL.replace("drain(grace)", "abort()"), encoding="utf-8")
    (finding,) = check(tmp_path, anchors)
    assert (finding.drift, "-            connection.drain(grace)" in finding.diff) == (Drift.BODY, True)
    (tmp_path / "pool.py").rename(tmp_path / "pools.py")
    (tmp_path / "pools.py").write_text(POOL, encoding="utf-8")
    assert check(tmp_path, anchors)[0].new_path == "pools.py"


def test_a_file_that_grew_too_large_or_binary_is_not_called_gone(repository: Repository) -> None:
    anchors = close(repository)
    repository.put("app/pool.py", POOL + "#" * 3_000_000)
    assert check(repository.folder, anchors) == ()


def test_a_submodule_is_another_repository(repository: Repository, tmp_path: Path) -> None:
    inner = Repository(tmp_path / "inner")
    inner.put("deep.py", "def deep():\n    return 1\n")
    inner.commit()
    repository.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.folder), "vendor/inner")
    repository.commit()
    assert make_anchors(repository.folder, ["vendor/inner/deep.py"], ["deep"]) == ()
    anchors = close(repository)
    repository.git("rm", "-q", "app/pool.py")
    assert one(repository, anchors).drift is Drift.DELETED


def test_anchors_that_leave_the_repository_are_never_looked_at(repository: Repository, tmp_path: Path) -> None:
    secret = tmp_path / "secret.py"
    secret.write_text(POOL, encoding="utf-8")
    (repository.folder / "link.py").symlink_to(secret)
    for path in ("../secret.py", str(secret), "link.py", "app/../../secret.py"):
        assert check(repository.folder, [Anchor(path=path, symbol="Pool.close", body="0", signature="0")]) == ()
    anchors = close(repository)
    repository.git("rm", "-q", "app/pool.py")
    assert one(repository, anchors).drift is Drift.DELETED, "nor is code found behind a link"


# --- branches -------------------------------------------------------------------------------------------------------------


def test_a_branch_is_told_until_the_main_branch_has_its_code(repository: Repository) -> None:
    repository.git("switch", "-q", "-c", "feature")
    repository.put("app/new.py", "def new(a):\n    return a - 1\n")
    repository.commit()
    anchors = make_anchors(repository.folder, ["app/new.py"], ["new"])
    assert branch_of(repository.folder, anchors) == "feature"
    assert branch_of(repository.folder, close(repository)) == "", "code that main has too"
    repository.git("switch", "-q", "main")
    assert have_different_code(repository.folder, anchors)
    repository.git("merge", "-q", "--squash", "feature")
    repository.commit()
    assert not have_different_code(repository.folder, anchors)
