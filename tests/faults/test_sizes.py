"""Inputs of any size and shape: bounded memory, a sentence for what is left out, and the rest is read."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from curator.io import files
from tests.cli.conftest import RULES, Shell, shell
from tests.files import write_file
from tests.sayings import VENDOR

__all__ = ["shell"]

MOST = 300
"""MB of memory that one input may take."""
PEAK = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, file=sys.stderr)
sys.exit(done.returncode)
"""


def record(text: Any = "hello", **more: Any) -> str:
    """A record of Claude Code in which a person says something."""
    given = {"type": "user", "sessionId": "s1", "cwd": "/app", "timestamp": "2026-01-01T00:00:00Z", "version": "2.1.330"}
    return json.dumps({**given, "message": {"role": "user", "content": text}, "uuid": str(len(str(text))), **more}) + "\n"


def scanned(shell: Shell, content: Iterator[str]) -> tuple[int, str]:
    """(MB of memory at most, what is said) of a scan of a session that begins and ends well."""
    root = shell.folder.parent / "sessions"
    root.mkdir()
    with (root / "s1.jsonl").open("w", encoding="utf-8") as file:
        file.write(record())
        file.writelines(content)
        file.write(record(VENDOR, uuid="last"))
    command = [sys.executable, "-c", PEAK, sys.executable, "-m", "curator", "scan", "--root", str(root), "--since", "all"]
    done = subprocess.run(command, cwd=shell.folder, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    *said, peak = done.stderr.splitlines()
    return int(peak), "\n".join(said)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted otherwise elsewhere")
def test_no_record_takes_much_memory_and_the_rest_is_read(shell: Shell) -> None:
    peak, said = scanned(shell, odd_records())
    assert [words for words in ("values", "longer than any record", "no JSON record") if words not in said] == []
    assert shell.json("list", "--candidates", "--all")
    assert peak < MOST


def odd_records() -> Iterator[str]:
    """Long folders and names, many values, a long record, a long turn, brackets, deep JSON."""
    yield record(cwd="/a" * 50_000)
    yield record(cwd="/" + "a" * 2_000_000, gitBranch="b" * 1_000_000)
    yield '{"type": "user", "sessionId": "s1", "message": {"role": "user", "content": [' + "{}," * 9_000_000 + "{}]}}\n"
    yield '{"type": "user", "sessionId": "s1", "x": "' + "x" * (40 << 20) + '"}\n'
    yield record("wörter 😀 " * 1_000_000)
    yield record("[" * 500_000)
    yield '{"a":' * 300_000 + "1" + "}" * 300_000 + "\n"


def test_a_document_beyond_the_limit_is_named_and_the_others_are_read(shell: Shell) -> None:
    root = shell.folder.parent / "sessions"
    for task, text in (("1", "x" * files.MAX_RECORD_BYTES), ("2", VENDOR)):
        place = root / "tasks" / task / "ui_messages.json"
        write_file(place, json.dumps([{"ts": 1, "type": "say", "say": "text", "text": text}]))
    done = shell("scan", "--root", root, "--since", "all")
    assert f"{root / 'tasks' / '1' / 'ui_messages.json'}: is no whole JSON document (it is larger than 32 MB)" in done.err
    assert "1 turn" in done.out


def test_portions_give_what_one_reading_gives(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    root = shell.folder.parent / "sessions"
    root.mkdir()
    texts = [text for rule in RULES for text in (rule, "go on", "thanks", "hm", "and now?")]
    answer = {"role": "assistant", "content": [{"type": "text", "text": "Lorem ipsum dolor. " * 3_000}]}
    numbered = enumerate(texts)
    content = (record(text, uuid=f"{n}") + record(type="assistant", message=answer, uuid=f"after {n}") for n, text in numbered)
    (root / "s1.jsonl").write_text("".join(content), encoding="utf-8")
    found = []
    for portion in (files.MAX_PORTION_CHARACTERS, 300_000):
        monkeypatch.setenv("CURATOR_HOME", str(shell.folder.parent / f"home-{portion}"))
        monkeypatch.setattr(files, "MAX_PORTION_CHARACTERS", portion)
        assert f"{2 * len(texts)} turns" in shell("scan", "--root", root, "--since", "all").out
        rows = shell.json("list", "--candidates", "--all")
        found.append(sorted((row["headline"], [item["line"] for item in row["evidence"]]) for row in rows))
    assert found[0] == found[1]
    assert len(found[0]) == len(RULES)


def test_a_time_that_no_calendar_has_is_left_out(shell: Shell) -> None:
    """Such a time broke the project's export for good."""
    root = shell.folder.parent / "sessions"
    root.mkdir()
    stamps = ("0999-01-01T00:00:00Z", "0001-01-01T00:00:00Z")
    content = "".join(record(f"{VENDOR} {stamp}", timestamp=stamp, uuid=stamp) for stamp in stamps)
    (root / "s1.jsonl").write_text(content, encoding="utf-8")
    assert shell("scan", "--root", root, "--since", "all").code == 0
    ids = [row["id"] for row in shell.json("list", "--candidates", "--all")]
    assert shell("keep", *ids).code == 0
    done = shell("export")
    assert (done.code, done.err) == (0, "")
