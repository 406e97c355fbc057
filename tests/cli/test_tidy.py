"""``curator tidy``: the groups that one rule can replace, and the cleanup that decides on them."""

from __future__ import annotations

import pytest

from curator.app import Curator
from curator.model import State
from curator.settings import load
from tests.cli.conftest import Make, Shell

SAME = (
    "Integration tests of the ledger need a local running Redis; start it with make redis first",
    "Start Redis with make redis first, else the integration tests of the ledger hang",
    "The integration tests of the ledger hang without a running Redis, so start Redis with make redis first",
)


@pytest.fixture
def ids(shell: Shell, make: Make) -> list[str]:
    """Lessons of a library from before curator compared them."""
    made = [make(state=State.ACTIVE, headline=text, insight=text, slug=str(at)) for at, text in enumerate(SAME)]
    return shell.put(*made)


def test_groups_are_listed_with_what_each_lesson_would_lose(shell: Shell, ids: list[str]) -> None:
    (group,) = shell.json("tidy")
    assert group["headline"]
    assert sorted(one["id"] for one in group["members"]) == sorted(ids)
    assert {word for one in group["members"] for word in one["loses"]} >= {"hang"}
    said = shell("tidy")
    assert "one rule for 3 lessons" in said.out
    assert "(loses: " in said.out
    assert "1 group. Decide with `curator cleanup`." in said.err


def test_without_a_group_it_says_so(shell: Shell) -> None:
    shell.add("Amounts are stored in cents")
    assert "No group of lessons to make one." in shell("tidy").err


@pytest.mark.parametrize(
    ("letters", "states"),
    [
        ("y\n", {"active": 1, "retired": 2}),
        ("e\nStart Redis first\n", {"active": 1, "retired": 2}),
        ("x\n", {"active": 3}),
        ("1\n", {"active": 3}),
        ("7\nq\n", {"active": 3}),
    ],
)
def test_the_plain_cleanup_decides(shell: Shell, ids: list[str], letters: str, states: dict[str, int]) -> None:
    done = shell("cleanup", "--plain", typed=letters + "\n" * 5)
    assert done.code == 0
    found = [shell.state(id_) for id_ in ids]
    assert {state: found.count(state) for state in found} == states


def test_a_model_is_asked_only_after_an_estimate_and_consent(shell: Shell, ids: list[str]) -> None:
    done = shell("tidy", "--read", "--estimate")
    assert (done.code, done.out) == (0, "")
    assert "1 group: about" in done.err
    assert f"[1] {SAME[0]}" in shell("tidy", "--read", "--show").out
    refused = shell("tidy", "--read")
    assert refused.code != 0
    assert "No model is set up" in refused.err


def test_a_convention_of_three_projects_is_offered_as_global_with_the_names_of_the_projects(shell: Shell, make: Make) -> None:
    for name, text in zip(("one", "two", "app"), SAME, strict=True):
        folder = shell.folder.parent / name
        folder.mkdir(exist_ok=True)
        shell.put(make(state=State.ACTIVE, category="convention", headline=text, insight=text, slug=name), folder=folder)
    said = shell("tidy").out
    assert "one global rule for 3 lessons" in said
    assert all(f"  {name}: {text}" in said for name, text in zip(("one", "two", "app"), SAME, strict=True))


@pytest.mark.parametrize("which", ["carrier", "member"])
@pytest.mark.parametrize("deed", ["edit", "retire"])
def test_a_rule_goes_when_one_of_its_lessons_changes(shell: Shell, ids: list[str], which: str, deed: str) -> None:
    """The words that a person has just written are not replaced by a rule that was made of the old ones."""
    (group,) = shell.json("tidy")
    changed = next(one["id"] for one in group["members"] if (one["id"] == group["id"]) is (which == "carrier"))
    words = ("--headline", "The ledger needs Valkey on port 6400") if deed == "edit" else ()
    assert shell(deed, changed, *words).code == 0
    assert {one["kind"] for one in shell.json("list")} == {"lesson"}


def test_a_rule_is_refused_when_a_lesson_changed_since(shell: Shell, ids: list[str]) -> None:
    """A pull of git and another window may change a lesson between the card and the key."""
    (group,) = shell.json("tidy")
    curator = Curator(load())  # without the work that follows a decision, as in a process that was killed
    curator.decisions.edit(group["members"][1]["id"], headline="The ledger needs Valkey on port 6400")
    curator.close()
    refused = shell("keep", group["id"])
    assert refused.code == 3
    assert "changed after curator made the rule" in refused.err
    assert "curator tidy" in refused.err
    shell("tidy")
    assert {shell.state(id_) for id_ in ids} == {"active"}
