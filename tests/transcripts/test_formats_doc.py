"""The page on formats keeps its promises: its example is run as a stranger would run it."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pluggy
import pytest

from curator import hookspecs
from curator.hookspecs import Format, Mark
from curator.model import Role
from curator.plugins import formats
from curator.transcripts.base import discover
from curator.transcripts.base.follow import follow

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")


@pytest.fixture
def example(tmp_path: Path) -> Iterator[ModuleType]:
    _, _, rest = PAGE.partition("```python\n")
    path = tmp_path / "curator_notes.py"
    path.write_text(rest.partition("```")[0], encoding="utf-8")
    spec = importlib.util.spec_from_file_location("curator_notes", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["curator_notes"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["curator_notes"]


def test_the_example_is_a_format_that_is_found_and_followed(tmp_path: Path, example: ModuleType) -> None:
    manager = pluggy.PluginManager("curator")
    manager.add_hookspecs(hookspecs)
    manager.register(example)
    found: list[Format] = []
    manager.hook.register_formats(register=found.append)
    (notes,) = found
    assert isinstance(notes, Format)

    path = tmp_path / "talk.notes"
    path.write_text("you: keep it small\nbot: kept\n?\nyou: hal", encoding="utf-8")
    (item,) = discover.find(found, None, tmp_path, {"NOTES_HOME": str(tmp_path)}).transcripts
    assert item.path == path
    assert discover.format_of(path, (*formats(), notes)) is notes
    reading = notes.read(path, Mark())
    assert [(turn.role, turn.text, turn.locator.line) for turn in reading.turns] == [
        (Role.HUMAN, "keep it small", 1),
        (Role.ASSISTANT, "kept", 2),
    ]
    assert reading.unknown == {"line": 1}

    followed = follow(notes, path, None).bookmark
    with path.open("a") as file:
        file.write("f way\n")
    progress = follow(notes, path, followed)
    assert [(turn.text, turn.locator.line) for turn in progress.turns[progress.old_turns :]] == [("half way", 4)]


def test_every_built_in_format_has_its_row() -> None:
    for format_ in formats():
        assert f"| `{format_.agent}` |" in PAGE
