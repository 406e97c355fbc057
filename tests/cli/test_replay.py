"""``curator replay`` for people and for scripts: what it prints, and what it says where there is nothing to say."""

from __future__ import annotations

import pytest

from tests.cli.conftest import RULE, Sessions, Shell
from tests.cli.test_shapes import keys

FIGURES = [
    *("pool", "lessons", "in_play", "sessions", "undated", "came_up_again", "outcomes", "sent_before", "sent_at", "by_kind"),
    *("turns_before", "seconds_before", "tokens_before", "corrections", "corrections_spared_at_most", "sent"),
    *("tokens_a_session", "fitting", "chance", "never_in_time", "cases"),
]


@pytest.fixture
def history(shell: Shell, sessions: Sessions) -> str:
    """A lesson that a second session states again; its id."""
    sessions("s1", [RULE])
    shell("scan", "--root", sessions.root)
    (waiting,) = shell.json("list", "--candidates")
    shell("keep", waiting["id"])
    sessions("s2", ["What do you make of this?", RULE])
    return str(waiting["id"])


def test_the_figures_are_all_there_for_scripts(shell: Shell, sessions: Sessions, history: str) -> None:
    (found,) = shell.json("replay", "--root", sessions.root)
    assert keys([found]) == FIGURES
    (case,) = found["cases"]
    assert (case["lesson"], case["session"], case["line"], case["outcome"]) == (history, "s2", 2, "sent too late")
    assert case["stated"]["line"] == 1
    assert found["outcomes"] == {"sent before": 0, "sent too late": 1, "not sent": 0, "in a file already": 0}
    assert (found["pool"], found["sessions"], found["chance"]) == ("active", 2, None)


def test_people_are_told_with_intervals_and_what_they_do_not_say(shell: Shell, sessions: Sessions, history: str) -> None:
    done = shell("replay", "--root", sessions.root)
    assert done.code == 0
    assert "sent before             0  0% (0% to 79%)" in done.out
    assert f"{history}  We never edit vendor/ by hand" in done.out
    shell("retire", history)
    shell.add("Rotate the credentials of the staging cluster weekly")
    assert "of none" not in shell("replay", "--root", sessions.root).out
    for words in (
        "Nothing was written",
        "ignores changes of code and outcomes",
        "There is no control",
        "Read the interval, not the share",
    ):
        assert words in done.err


def test_without_sessions_or_lessons_it_says_what_to_do(shell: Shell, sessions: Sessions) -> None:
    sessions("s1", ["hello"])
    done = shell("replay", "--root", sessions.root)
    assert (done.code, done.out) == (0, "")
    assert "There is no lesson here to replay" in done.err
    (sessions.root / "none").mkdir()
    assert "no session of a transcript" in shell("replay", "--root", sessions.root / "none").err
    for words, code, said in ((["--as-kept", "--candidates"], 2, "not both"), (["--root", "nowhere"], 3, "There is no")):
        done = shell("replay", *words)
        assert (done.code, said in done.err) == (code, True)
