"""A sentence that several sessions have in longer turns is from a template, unless a person types it in a turn of its own."""

from __future__ import annotations

from pathlib import Path

from curator import app
from curator.app import Curator
from tests.app.conftest import Transcript, scanned, waiting
from tests.sayings import VENDOR

TASKS = ("fix the login", "sort the search results", "draw the border in grey")


def asks(root: Path, folder: Path, number: int) -> Transcript:
    """A session whose prompt holds a task and a sentence that is always the same."""
    session = Transcript(root, folder, number)
    session.fails()
    session.says(f"{TASKS[number % 3]}, see the issue\n\n{VENDOR}")
    return session


def shown(curator: Curator, root: Path | None = None, **how: bool) -> list[str]:
    """Scan a root, if one is given; return the quotes of this sentence in the inbox."""
    if root:
        scanned(curator, root)
    return [entry.evidence[0].quote for entry in waiting(curator, **how) if "sync.toml" in entry.evidence[0].quote]


def test_in_two_projects_it_is_left_out_of_both(curator: Curator, root: Path, work: Path, other: Path) -> None:
    asks(root, work, 1)
    assert len(shown(curator, root)) == 1
    asks(root, other, 2)
    assert shown(curator, root) == []
    assert len(shown(curator, rest=True)) == 1
    curator.enter(str(other))
    assert shown(curator) == []


def test_in_three_sessions_of_a_project_it_is_left_out(curator: Curator, root: Path, work: Path) -> None:
    for number in range(2):
        asks(root, work, number)
    assert len(shown(curator, root)) == 1
    asks(root, work, 2)
    assert shown(curator, root) == []


def test_in_a_turn_of_its_own_it_is_a_rule(curator: Curator, root: Path, work: Path, other: Path) -> None:
    for number, folder in enumerate((work, work, work, other)):
        asks(root, folder, number)
    assert shown(curator, root) == []
    session = Transcript(root, work, 7)
    session.fails()
    session.says(VENDOR)
    assert len(shown(curator, root)) == 1
    asks(root, other, 8)
    assert len(shown(curator, root)) == 1


def test_an_agent_may_say_the_same_anywhere(curator: Curator, root: Path, work: Path, other: Path) -> None:
    words = "The root cause is that `vendor/` was edited by hand, so the nightly sync overwrites it with `sync.toml`."
    for number, folder in enumerate((work, other)):
        session = Transcript(root, folder, number)
        session.says(f"why does it fail in {TASKS[number]}")
        session.fails()
        session.answers(f"I looked into {TASKS[number]}.\n\n{words}")
    assert len(shown(curator, root)) == 1


def test_a_forgotten_sentence_is_not_counted(curator: Curator, root: Path, work: Path) -> None:
    for number in range(3):
        asks(root, work, number)
    scanned(curator, root)
    (entry,) = (one for one in waiting(curator, rest=True) if one.left_out)
    assert curator.store.sources.count_sightings(f"part:{entry.fingerprint}") == (1, 3)
    app.forget.forget(curator, [entry.id])
    assert curator.store.sources.count_sightings(f"part:{entry.fingerprint}") == (0, 0)
