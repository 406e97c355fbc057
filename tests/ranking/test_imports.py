"""Which files of a project a file imports: by its text alone, then only those that are there, none of them by a link."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.hooks import answer
from curator.ranking.imports import HEAD, MOST, TRIED, around, near
from tests.hooks.project import Project

ENDINGS = ("py", "ts", "go", "rs", "java", "txt")


@pytest.mark.parametrize(
    ("path", "text", "place"),
    [
        ("app/web/page.py", "import app.store.fast", "app/store/fast.py"),
        ("app/web/page.py", "import os, app.store as s", "app/store/__init__.py"),
        ("app/web/page.py", "from app.store import (\n    fast,  # why\n    slow as s,\n)\n", "app/store/slow.py"),
        ("app/web/page.py", "def f():\n    from app.late import x\n", "app/late.py"),
        ("src/app/page.py", "from app import store", "src/app/store.py"),
        ("tests/test_page.py", "from app import store", "src/app/store.py"),
        ("tools/run.py", "import made", "tools/made.py"),
        ("app/web/page.py", "from . import forms", "app/web/forms.py"),
        ("app/web/page.py", "from ..store.fast import Fast", "app/store/fast.py"),
        ("page.py", "from . import forms", "forms.py"),
        ("web/src/page.ts", 'import { a } from "./parts/list"', "web/src/parts/list.tsx"),
        ("web/src/page.ts", "import x from '../lib'", "web/lib/index.ts"),
        ("web/src/page.ts", 'export * from "./a.js"', "web/src/a.ts"),
        ("web/src/page.vue", 'const b = require("./b")', "web/src/b.js"),
        ("web/src/page.tsx", 'const c = await import("./c")', "web/src/c.tsx"),
        ("web/src/deep/page.ts", 'import d from "@/d"', "web/src/d.ts"),
        ("src/main.rs", "use crate::pool::{Pool, wait::until as u};", "src/pool/wait.rs"),
        ("src/main.rs", "pub(crate) mod pool;", "src/pool.rs"),
        ("src/pool/mod.rs", "mod wait;", "src/pool/wait.rs"),
        ("src/pool/wait.rs", "use super::Pool;\nuse super::slot::Slot;", "src/pool/slot.rs"),
        ("src/pool.rs", "use self::wait::until;", "src/pool/wait/mod.rs"),
        (
            "src/main/java/com/acme/Main.java",
            "package com.acme;\nimport com.acme.pay.Bill;",
            "src/main/java/com/acme/pay/Bill.java",
        ),
        (
            "src/test/java/com/acme/T.java",
            "package com.acme;\nimport static com.acme.Bill.of;",
            "src/main/java/com/acme/Bill.java",
        ),
        ("src/main/kotlin/com/acme/Main.kt", "package com.acme\nimport com.acme.pay.*", "src/main/kotlin/com/acme/pay/"),
    ],
)
def test_what_is_imported_may_lie_there(path: str, text: str, place: str) -> None:
    assert place in near(text, path)


def test_packages_of_go_are_folders_below_the_module() -> None:
    text = 'package main\n\nimport (\n\t"fmt"\n\tst "example.com/app/internal/store"\n)\nimport "example.com/app/log"\n'
    assert near(text, "cmd/main.go", ("", "example.com/app")) == ("internal/store/", "log/")
    assert near(text, "svc/cmd/main.go", ("svc/", "example.com/app")) == ("svc/internal/store/", "svc/log/")
    assert near(text, "cmd/main.go") == ()


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("page.py", "from .. import above\nfrom ... import more"),
        ("page.ts", 'import a from "../../etc/passwd"\nimport b from "react"\nlog("./no")'),
        ("main.rs", "use std::io;\nuse serde::Serialize;"),
        ("Main.java", "package com.acme;\nimport com.acme.Bill;"),
        ("notes.md", "from app import store"),
    ],
)
def test_nothing_outside_the_project_and_of_others(path: str, text: str) -> None:
    assert near(text, path) == ()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    top = tmp_path / "app"
    for name, text in {
        "app/web/page.py": "import os\nfrom app.store import fast, gone\nfrom app import linked\n",
        "app/store/__init__.py": "",
        "app/store/fast.py": "",
        "web/page.ts": 'import "./list"\nimport { a } from "./out"',
        "web/list/index.ts": "",
        "svc/go.mod": "// a comment\nmodule example.com/svc // why\n\ngo 1.23\n",
        "svc/main.go": 'import "example.com/svc/store"\n',
        "svc/store/a.go": "",
    }.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text, encoding="utf-8")
    return top


def test_only_what_is_there(project: Path) -> None:
    assert around(str(project), ["app/web/page.py"]) == ("app/store/fast.py", "app/store/__init__.py")
    assert around(str(project), ["web/page.ts", "svc/main.go"]) == ("web/list/index.ts", "svc/store/")
    assert around(str(project), ["app/web/page.py", "app/store/fast.py"]) == ("app/store/__init__.py",)


def test_links_are_followed_nowhere(project: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text("from app.store import fast\n", encoding="utf-8")
    (project / "app" / "linked.py").symlink_to(outside)
    assert "app/linked.py" not in around(str(project), ["app/web/page.py"])
    assert around(str(project), ["app/linked.py"]) == ()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_what_is_no_plain_file_imports_nothing_and_keeps_nobody_waiting(project: Path) -> None:
    os.mkfifo(project / "pipe.py")
    (project / "folder.py").mkdir()
    (project / "binary.py").write_bytes(b"\xff\xfe\x00import app.store\n")
    assert around(str(project), ["pipe.py", "folder.py", "absent.py", "no\0name.py"]) == ()
    assert around(str(project), ["binary.py"]) == ()


def test_a_huge_file_is_read_at_its_head_and_names_few(project: Path) -> None:
    for at in range(MOST + 5):
        (project / f"m{at}.py").touch()
    many = "\n".join(f"import m{at}" for at in range(MOST + 5))
    (project / "many.py").write_text(many, encoding="utf-8")
    (project / "late.py").write_text("#" * HEAD + f"\n{many}", encoding="utf-8")
    assert len(around(str(project), ["many.py"])) == MOST
    assert around(str(project), ["late.py"]) == ()
    assert len(near("\n".join(f"import x{at}" for at in range(10_000)), "a.py")) == TRIED


@given(
    st.text(st.sampled_from(list("ab./{}()'\":;,\n* @~")) | st.characters(), max_size=80),
    st.lists(st.sampled_from(["import ", "from ", "use ", "mod ", "package ", "crate::", "super::", "a.b"]), max_size=6),
    st.sampled_from(ENDINGS),
)
@settings(max_examples=150, deadline=None)
def test_whatever_stands_there_leads_to_places_within(text: str, words: list[str], ending: str) -> None:
    said = "".join(f"{word}{text}\n{text}{word}" for word in words)
    for place in near(said, f"src/a/b.{ending}", ("", "a")):
        assert not place.startswith("/")
        assert ".." not in place.split("/")


def test_a_hook_weighs_lessons_of_what_the_file_at_hand_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer, "SECONDS", 60.0)
    project = Project(tmp_path / "app")
    page = project.folder / "web" / "page.py"
    page.parent.mkdir()
    found: list[dict[str, dict[str, float]]] = []
    for text in ("import os\n", "from src import db\n"):
        page.write_text(text, encoding="utf-8")
        project.edits("web/page.py", session=f"s{len(found)}")
        (receipt,) = (one for one in project.receipts() if one["session"] == f"s{len(found)}")
        found.append({id_: parts for id_, *_, parts in receipt["shown"] + receipt["withheld"]})
    without, with_ = found
    assert "place" not in without.get(project.migrations, {})
    assert with_[project.migrations]["place"] > 0
