"""``curator eval relate``: labelled pairs in, labels and clashing words out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Shell

PAIRS = [
    ("Install packages with npm", "Install packages with pnpm", "supersedes"),
    ("Run the linter before every commit", "Before every commit, run the linter", "duplicate"),
    ("The cache lives in Redis", "Releases are cut from the release branch", "unrelated"),
    ("Run the linter before pushing", "Run the linter before pushing, and the tests when `api/` changed", "refines"),
    ("Never commit generated files to the repository", "Commit generated files to the repository", "contradicts"),
]


def test_each_pair_is_answered_in_order_and_answers_in_the_input_are_not_read(shell: Shell) -> None:
    given = [{"id": f"p{n}", "a": a, "b": b, "label": "missing", "note": 1} for n, (a, b, _) in enumerate(PAIRS)]
    done = shell("eval", "relate", typed="\n".join(map(json.dumps, given)) + "\n\n")
    assert (done.code, done.err) == (0, "")
    found = [json.loads(line) for line in done.out.splitlines()]
    assert [(one["id"], one["label"]) for one in found] == [(f"p{n}", label) for n, (_, _, label) in enumerate(PAIRS)]
    assert found[0]["clash"] == [["npm", "pnpm"]]
    assert found[4]["clash"] == [[PAIRS[4][0].rstrip("."), PAIRS[4][1].rstrip(".")]]
    assert all(list(one) == ["id", "label", "clash", "asked"] for one in found)
    assert [one["asked"] for one in found] == [True, True, False, True, True]


@pytest.mark.parametrize("bad", ["nope", "[1]", '{"id": "x", "a": "one"}', '{"id": "x", "a": 1, "b": "two"}'])
def test_a_line_that_is_no_pair_is_named_by_its_number(shell: Shell, bad: str) -> None:
    done = shell("eval", "relate", typed='{"id": "p1", "a": "one", "b": "two"}\n' + bad)
    assert done.code == 3
    assert "Line 2" in done.err


def test_a_model_is_asked_and_judged_about_pairs(shell: Shell, tmp_path: Path) -> None:
    pairs = [{"id": "p1", "a": "Use npm here", "b": "Use pnpm here"}, {"id": "p2", "a": "Use npm here", "b": "Log with slog"}]
    typed = "".join(json.dumps(pair) + "\n" for pair in pairs)
    out, given = tmp_path / "prompts.jsonl", tmp_path / "answers.jsonl"
    assert shell("eval", "relate", "--out", out, typed=typed).code == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["id"] for row in rows] == ["p1", "p2"]
    assert "A: Use npm here\nB: Use pnpm here" in rows[0]["prompt"]
    said = ['Well: {"label": "supersedes", "clash": [["npm", "pnpm"], ["npm", "bun"]]}', "I can't say."]
    given.write_text(
        "".join(json.dumps({"id": row["id"], "answer": text}) + "\n" for row, text in zip(rows, said, strict=True))
    )
    found = shell("eval", "relate", "--answers", given, typed=typed).objects
    assert found[0] == {"id": "p1", "label": "supersedes", "clash": [["npm", "pnpm"]], "asked": True}
    assert (found[1]["label"], found[1]["asked"], "error" in found[1]) == ("unrelated", False, True)
