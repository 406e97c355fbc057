"""The page of ``curator.api`` is true, and an agent's script decides nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from curator import api
from tests.files import TOP

PAGE = TOP / "docs" / "api.md"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_the_example_of_the_page_runs(project: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    exec(compile(example, str(PAGE), "exec"), {})
    with api.open(project) as library:
        (lesson,) = library.list(api.State.RETIRED)
        assert (lesson.insight, lesson.files, lesson.reason) == ("CI compares the stubs.", ("proto/shop.proto",), "obsolete")
        assert library.keep(lesson.id[:6]).state is api.State.ACTIVE
        assert [entry.id for entry in library.list()] == [lesson.id]


def test_the_page_names_every_method() -> None:
    said = set(re.findall(r"^\| `(\w+)\(", PAGE.read_text("utf-8"), re.MULTILINE))
    methods = {name for name in vars(api.Library) if not name.startswith("_")} - {"close"}
    assert said == methods | {"open"}


def test_an_agent_reads_and_decides_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with api.open(project) as library:
        id_ = library.add("Use make").id
        monkeypatch.setenv("CLAUDECODE", "1")
        assert [entry.id for entry in library.list()] == [id_]
        for decide in (library.keep, library.retire):
            with pytest.raises(api.CuratorError, match="only a person decides"):
                decide(id_)


def test_a_wrong_field_is_refused_and_changes_nothing(project: Path) -> None:
    """A row with a wrong category could not be read again, and would stop every later decision."""
    with api.open(project) as library:
        lesson = library.add("Use make", category="tooling", files=["src/a.py"])  # type: ignore[arg-type]
        with pytest.raises(api.CuratorError, match="is not a category"):
            library.add("Use ninja", category="nonsense")  # type: ignore[arg-type]
        with pytest.raises(api.CuratorError, match="is not inside this project"):
            library.add("Use ninja", files=["../../etc/passwd"])
        for fields in ({"category": "nonsense"}, {"files": ("/etc/passwd",)}):
            with pytest.raises(api.CuratorError):
                library.edit(lesson.id, **fields)
        with pytest.raises(TypeError):
            library.edit(lesson.id, state=api.State.RETIRED)  # type: ignore[call-arg]
        assert library.list() == [lesson]
        assert library.edit(lesson.id, files="src/b.py").files == ("src/b.py",)


def test_a_negative_limit_is_refused(project: Path) -> None:
    with api.open(project) as library, pytest.raises(api.CuratorError, match="negative"):
        library.search("retry", limit=-1)
