"""The pages on formats keep their promises: their examples are run as a stranger would run them."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pluggy
import pytest

from curator import hookspecs, transcripts
from curator.hookspecs import Format, Mark
from curator.model import Role
from curator.plugins import formats
from curator.transcripts import BuiltIn
from curator.transcripts.base import discover
from curator.transcripts.base.follow import follow
from tests.files import TOP
from tests.transcripts.transcript_records import has

DOCS = TOP / "docs"
PAGE = (DOCS / "formats.md").read_text(encoding="utf-8")
EXAMPLE = (DOCS / "contributing.md").read_text(encoding="utf-8").partition("\n```python\n")[2].partition("```")[0]


@pytest.fixture
def example(tmp_path: Path) -> Iterator[ModuleType]:
    path = tmp_path / "curator_notes.py"
    path.write_text(EXAMPLE, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("curator_notes", path)
    assert spec
    assert spec.loader
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
    has(reading.turns[0], role=Role.HUMAN, text="keep it small", line=1)
    has(reading.turns[1], role=Role.ASSISTANT, text="kept", line=2)
    assert reading.unknown == {"line": 1}

    followed = follow(notes, path, None).bookmark
    with path.open("a") as file:
        file.write("f way\n")
    progress = follow(notes, path, followed)
    assert [(turn.text, turn.locator.line) for turn in progress.turns[progress.old_turns :]] == [("half way", 4)]


def test_every_built_in_format_has_its_row() -> None:
    for format_ in formats():
        assert f"| `{format_.agent}` |" in PAGE


def install(place: Path, group: str, folder: str = "curator_notes-1.0.dist-info") -> None:
    """Leave a package as an installer does, with the example as its module."""
    place.mkdir(exist_ok=True)
    (place / "curator_notes.py").write_text(EXAMPLE, encoding="utf-8")
    info = place / folder
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: curator-notes\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[{group}]\nnotes = curator_notes\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("group", "folder"),
    [
        ("curator", "lib/curator_notes-1.0.dist-info"),
        ("curator", "lib/curator_notes-1.0.DIST-INFO"),
        ("curator", "curator_notes-1.0-py3.egg/EGG-INFO"),
        ("curators", "lib/curator_notes-1.0.dist-info"),
    ],
)
def test_an_installed_plugin_is_found_and_where_there_is_none_nothing_is_loaded_for_it(
    tmp_path: Path, group: str, folder: str
) -> None:
    place = (tmp_path / folder).parent
    install(place, group, (tmp_path / folder).name)
    code = "import sys; from curator.plugins import formats\n"
    code += "print([one.agent for one in formats()].count('notes'), 'importlib.metadata' in sys.modules)"
    env = {name: value for name, value in os.environ.items() if name != "CURATOR_PLUGINS"}
    path = os.pathsep.join(filter(None, (str(place), env.get("PYTHONPATH"))))
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=env | {"PYTHONPATH": path}, capture_output=True, text=True, check=True)
    assert done.stdout.split() == (["1", "True"] if group == "curator" else ["0", "False"])


def test_the_format_of_the_page_for_contributors_reads_its_sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (DOCS / "contributing.md").read_text(encoding="utf-8")
    found = re.search(r'   ```python\n(   def quill.*?)\n   ```.*?   ```python\n(   """Quill.*?)\n   ```', page, re.DOTALL)
    assert found
    module = ModuleType("curator.transcripts.quill")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    names: dict[str, Any] = {**vars(transcripts)}
    exec(textwrap.dedent(found[1]), names)
    exec(textwrap.dedent(found[2]), module.__dict__)
    quill = BuiltIn("quill", "quill", names["quill_roots"])
    file = tmp_path / ".quill" / "sessions" / "one.jsonl"
    file.parent.mkdir(parents=True)
    records = [{"t": "", "who": "user", "text": "fix it", "cwd": "/a"}, {"t": "", "who": "robot"}]
    records.append({"t": "", "who": "quill", "text": "fixed"})
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    assert quill.find(quill.roots(tmp_path, {})[0]) == (file,)
    reading = quill.read(file, Mark())
    has(reading.turns[0], role=Role.HUMAN, text="fix it", cwd="/a")
    has(reading.turns[1], role=Role.ASSISTANT, text="fixed", cwd="")
    assert len(reading.turns) == 2
