"""Each format has a sample, so that it is cut, mutated and followed with the others; the page's own format works."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path
from typing import Any

import pytest

from curator.hookspecs import Mark
from curator.model import Role
from curator.transcripts import BUILT_IN, places
from tests.transcripts.samples import samples


def test_every_format_has_a_sample() -> None:
    assert {format_.agent for format_ in BUILT_IN} == samples().keys()


def test_the_format_of_the_page_for_contributors_reads_its_sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "contributing.md").read_text(encoding="utf-8")
    found = re.search(r'   ```python\n(   def quill.*?)\n   ```.*?   ```python\n(   """Quill.*?)\n   ```', page, re.DOTALL)
    assert found
    names: dict[str, Any] = {**vars(places)}
    exec(textwrap.dedent(found[1]), names)
    monkeypatch.setattr(places, "quill", names["quill"], raising=False)
    exec(textwrap.dedent(found[2]), names)
    quill = names["Quill"]()
    file = tmp_path / ".quill" / "sessions" / "one.jsonl"
    file.parent.mkdir(parents=True)
    records = [{"t": "", "who": "user", "text": "fix it", "cwd": "/a"}, {"t": "", "who": "robot"}, {"t": "", "who": "quill"}]
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    assert quill.find(quill.roots(tmp_path, {})[0]) == (file,)
    reading = quill.read(file, Mark())
    assert [(turn.role, turn.text, turn.cwd) for turn in reading.turns] == [
        (Role.HUMAN, "fix it", "/a"),
        (Role.ASSISTANT, "", ""),
    ]
    assert reading.unknown == {"robot": 1}
