"""What came of words: the circumstances that turns before and after give a statement."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from curator.detection.context import speaking_turns
from curator.model import Happening, Role, Turn
from tests.detection.test_detect import agent, command, human, session, turn

DIAGNOSIS = "The problem is that the cache is read before the lock is taken."
LATER = "The real cause is the clock: it runs in local time on the runner."
EDIT = turn(Role.TOOL_CALL, "", tool="Edit", paths=("a.py",), call="e1")


def around(turns: Sequence[Turn]) -> list[set[str]]:
    """The circumstances of each turn that is spoken, in order."""
    return [set(scene.circumstances) for scene in speaking_turns(session(*turns))]


@pytest.mark.parametrize(
    ("after", "circumstances"),
    [
        ([EDIT, *command("make test", ok=True)], {"held"}),
        ([EDIT, *command("make test", ok=False, output="1 failed")], {"failed again"}),
        (command("make test", ok=True), set()),
        ([turn(Role.EVENT, "", happening=Happening.INTERRUPTION), EDIT, *command("make test", ok=True)], set()),
    ],
    ids=["an edit passes", "the same fails", "no edit", "interrupted"],
)
def test_a_diagnosis_is_judged_by_what_an_edit_after_it_did(after: Sequence[Turn], circumstances: set[str]) -> None:
    assert around([human("Fix it"), agent(DIAGNOSIS), *after])[1] & {"held", "failed again"} == circumstances


def test_a_persons_words_end_what_is_looked_at() -> None:
    found = around([human("Fix it"), agent(DIAGNOSIS), human("No, leave it"), EDIT, *command("make test", ok=True)])
    assert "held" not in found[1]
    assert "held" in found[2]


def test_of_two_diagnoses_with_a_failure_between_the_last_word_wins() -> None:
    found = around([human("Fix it"), agent(DIAGNOSIS), *command("make test", ok=False, output="1 failed"), agent(LATER)])
    assert "replaced diagnosis" in found[1]
    assert "last diagnosis" in found[2]


def test_of_two_diagnoses_with_nothing_between_both_stand() -> None:
    found = around([human("Fix it"), agent(DIAGNOSIS), agent(LATER)])
    assert "last diagnosis" in found[1]
    assert "last diagnosis" in found[2]


def test_what_is_reverted_was_taken_back() -> None:
    by_command = around([human("Fix it"), agent("I moved the retry into the client."), *command("git restore src", ok=True)])
    in_words = around([human("Fix it"), agent("I moved the retry into the client."), human("revert that please")])
    assert "taken back" in by_command[1]
    assert "taken back" in in_words[1]
    assert "taken back" not in around([human("Fix it"), agent("I moved it."), *command("git status", ok=True)])[1]
