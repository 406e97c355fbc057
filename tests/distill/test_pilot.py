"""The gate on a strong model's answers about real sessions: nearly all passes, and what passes is right."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from curator.app import evaluation
from curator.cli.transfer import as_object
from tests.files import SHARED

ANSWERS = SHARED / "eval" / "distill_dev" / "answers.jsonl"
pytestmark = pytest.mark.skipif(not ANSWERS.is_file(), reason="the answers of a model are not beside this checkout")


def test_nearly_all_passes_and_is_right(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in ANSWERS.open(encoding="utf-8")][::6]  # all of them take long, and say the same
    found = [as_object(name, one) for name, one in evaluation.judge_answers(SHARED / "transcripts", rows, Counter())]
    claimed = sum(len(json.loads(row["answer"])) for row in rows)
    assert len(found) >= 0.95 * claimed
    file = tmp_path / "found"
    file.write_text("".join(json.dumps(row) + "\n" for row in found), encoding="utf-8")
    read = {row["file"] for row in rows}
    for labels in (SHARED / "eval" / "detection").glob("*.jsonl"):
        kept = [line for line in labels.open(encoding="utf-8") if json.loads(line)["file"] in read]
        (tmp_path / labels.name).write_text("".join(kept), encoding="utf-8")
    score: list[str | Path] = [sys.executable, SHARED / "eval" / "score.py", "--json", "detection", tmp_path, file]
    done = subprocess.run([*score, "--root", SHARED / "transcripts"], capture_output=True, text=True, check=True)
    figures = json.loads(done.stdout)
    assert figures["precision"] >= 0.86
    assert figures["recall"] >= 0.46
    assert figures["category_accuracy"] >= 0.76
