"""The index of a project's symbols: what it holds follows the files, and whatever happens to it can be mended."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest

from curator import app
from curator.app import Curator, anchoring
from curator.model import Project
from curator.settings import Settings
from curator.store.symbols import SymbolIndex
from tests.app.conftest import Open, kept
from tests.files import git


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home")


@pytest.fixture
def project(work: Path) -> Project:
    git(work, "init", "-q")
    for name in "abc":
        (work / f"{name}.py").write_text(f"class Pool{name}:\n    def close(self): return '{name}'\n", encoding="utf-8")
    (work / "ignored.py").write_text("def secret(): ...\n", encoding="utf-8")
    (work / ".gitignore").write_text("ignored.py\n", encoding="utf-8")
    return Project(id="app/1", name="app", folder=str(work))


@pytest.fixture
def curator(opened: Open, project: Project) -> Curator:
    return opened(folder=Path(project.folder))


def names(settings: Settings, project: Project, name: str) -> list[tuple[str, str]]:
    with closing(anchoring.index_of(settings, project)) as index:
        return [(found.path, found.name) for found in index.find(name)]


def test_it_holds_what_the_files_define_and_nothing_that_git_ignores(settings: Settings, project: Project) -> None:
    assert anchoring.update(settings, project) == (3, 0)
    assert names(settings, project, "close") == [("a.py", "Poola.close"), ("b.py", "Poolb.close"), ("c.py", "Poolc.close")]
    assert names(settings, project, "Poolb.close") == [("b.py", "Poolb.close")]
    assert names(settings, project, "secret") == []
    with closing(anchoring.index_of(settings, project)) as index:
        assert [found.name for found in index.matching("poo", limit=2)] == ["Poola", "Poolb"]
        (found,) = index.find("Poola.close")
        assert (found.path, found.kind, found.first, found.last) == ("a.py", "function", 2, 2)


def test_only_what_changed_is_read_again(settings: Settings, project: Project, work: Path) -> None:
    anchoring.update(settings, project)
    alike = (work / "c.py").stat()
    (work / "c.py").write_text("class Cellar: ...\n".ljust(alike.st_size, "#"), encoding="utf-8")
    os.utime(work / "c.py", ns=(alike.st_atime_ns, alike.st_mtime_ns))
    (work / "a.py").write_text("def fresh(): ...\n", encoding="utf-8")
    (work / "b.py").unlink()
    assert anchoring.update(settings, project) == (1, 1)
    assert names(settings, project, "fresh") == [("a.py", "fresh")]
    assert names(settings, project, "close") == [("c.py", "Poolc.close")], "it looks as it did, and was not read"
    work.rename(work.with_name("elsewhere"))
    assert anchoring.update(settings, project) == (0, 0), "there is nothing to read"


def test_a_stopped_first_look_goes_on_from_there(settings: Settings, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anchoring, "FILES_PER_BATCH", 1)
    seen: list[tuple[int, int]] = []

    def progress(done: int, of: int) -> bool:
        seen.append((done, of))
        return done < 2

    anchoring.update(settings, project, progress)
    assert seen == [(1, 3), (2, 3)]
    assert anchoring.update(settings, project) == (1, 0)


@pytest.mark.parametrize("damage", [b"", b"no database at all", bytes(range(256)) * 20])
def test_a_damaged_index_is_made_again(settings: Settings, project: Project, damage: bytes) -> None:
    anchoring.update(settings, project)
    anchoring.place_of(settings, project).write_bytes(damage)
    assert anchoring.update(settings, project) == (3, 0)


@pytest.mark.parametrize(
    ("text", "subjects"),
    [
        ("`Poolc` hands out each connection once", [("c.py", "Poolc")]),
        ("Always close the pool", []),
        ("`zeta` starts at one, whatever `pip install it` says", [("a.py", "Zone.zeta")]),
        ("Call zeta() first, whatever `pip install it` says", [("a.py", "Zone.zeta")]),
        ("Then Zone.zeta is one, whatever `pip install it` says", [("a.py", "Zone.zeta")]),
    ],
)
def test_a_lesson_without_files_is_anchored_by_what_one_file_alone_defines(
    curator: Curator, settings: Settings, project: Project, work: Path, text: str, subjects: list[tuple[str, str]]
) -> None:
    (work / "a.py").write_text("class Zone:\n    def zeta(self): ...\ndef test(): ...\n", encoding="utf-8")
    (work / "b.py").write_text("def test(): ...\ndef install(): ...\n", encoding="utf-8")
    assert [anchor.subject for anchor in kept(curator, text).anchors] == subjects
    assert anchoring.places(settings, project, ["test", "true"]) == {}, "several files or none define it"


@pytest.fixture
def headers(project: Project, settings: Settings, work: Path) -> SymbolIndex:
    (work / "net").mkdir()
    (work / "tests").mkdir()
    for path, text in {
        "net/_models.py": "def _normalize_header_key(): ...\nclass Headers:\n    def raw(self): ...\n    def norm(self): ...\n",
        "tests/test_models.py": "def test_norm(): ...\n",
        "a.py": "def header_keys(): ...\ndef norm_of(): ...\n",
    }.items():
        (work / path).write_text(text, encoding="utf-8")
    anchoring.update(settings, project)
    return anchoring.index_of(settings, project)


@pytest.mark.parametrize(
    ("part", "file", "found"),
    [
        ("HEADER_KEY", "", ["header_keys", "_normalize_header_key"]),
        ("norm", "models.py", ["Headers.norm", "test_norm", "_normalize_header_key"]),
        ("", "_models.py", ["_normalize_header_key", "Headers", "Headers.raw", "Headers.norm", "test_norm"]),
        ("", "net/_models.py", ["_normalize_header_key", "Headers", "Headers.raw", "Headers.norm"]),
        ("ers.no", "", ["Headers.norm"]),
        ("Headers.", "", ["Headers.raw", "Headers.norm"]),
        ("%", "", []),
    ],
)
def test_any_part_of_a_name_or_a_path_finds_symbols(headers: SymbolIndex, part: str, file: str, found: list[str]) -> None:
    with closing(headers) as index:
        assert [symbol.name for symbol in index.matching(part, file)] == found


def test_symbols_and_files_are_suggested_together(headers: SymbolIndex, curator: Curator) -> None:
    headers.close()
    (entry,) = curator.decisions.add("Pools are drained before they are closed").entries
    app.anchoring.refresh(curator, curator.lessons.find(entry.id))

    def offered(typed: str, limit: int = 20) -> list[str]:
        places = app.anchoring.suggest_places(curator, curator.lessons.find(entry.id), typed, limit=limit)
        return [":".join(filter(None, place)) for place in places]

    assert offered("header_key") == ["a.py:header_keys", "net/_models.py:_normalize_header_key"]
    assert offered("models.py:norm")[0] == "net/_models.py:Headers.norm"
    assert offered("net/_models.py:")[1] == "net/_models.py:Headers"
    assert offered("mode") == ["net/_models.py", "tests/test_models.py"]
    assert offered("norm", 3) == ["net/_models.py:Headers.norm", "a.py:norm_of", "tests/test_models.py:test_norm"]
    assert offered("o", 4)[:2] == ["net/_models.py", "tests/test_models.py"], "however many symbols have it"
