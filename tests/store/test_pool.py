"""Lessons in memory are found as hooks find them in the database."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from curator.model import Durability, Entry, State
from curator.ranking import Question
from curator.store import hook_reader, indexes
from curator.store.database import Pool
from curator.store.hook_reader import MAX_RARE_LESSONS, HookReader, Retrieval
from curator.store.schema import STEPS
from tests.hooks.project import ASKED, Project

Make = Callable[..., Entry]
WORDS = [f"word{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]


@pytest.fixture
def lessons(make: Make) -> list[Entry]:
    """More than are ever weighed, of two projects and of none; the first words are in most, the last in few."""
    chance = random.Random(20)
    weights = [1 / (1 + at) for at in range(len(WORDS))]
    places = ((), ("src/http/**",), ("docs/*.md",))
    return [
        make(
            state=State.ACTIVE,
            project=chance.choice(["one", "two"]),
            scope="global" if at % 9 == 0 else "project",
            headline=" ".join(chance.choices(WORDS, weights, k=4)),
            insight=" ".join(chance.choices(WORDS, weights, k=12)),
            paths=chance.choice(places),
            durability=chance.choice([*Durability]),
        )
        for at in range(3 * MAX_RARE_LESSONS)
    ]


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    opened = sqlite3.connect(":memory:", isolation_level=None)
    for step in STEPS.values():
        step(opened)
    yield opened
    opened.close()


def fields(found: Retrieval) -> tuple[object, ...]:
    """Everything, with the terms of each lesson in their order."""
    terms = {lesson: [*mine.items()] for lesson, mine in found.terms.items()}
    return found.lessons, found.mean_length, found.document_frequency, terms, found.rows, found.related


def test_a_pool_finds_what_a_hook_finds(lessons: list[Entry], connection: sqlite3.Connection) -> None:
    pool = Pool()
    for at, entry in enumerate(lessons, 1):
        files = [("one", "CLAUDE.md"), ("one", "AGENTS.md"), ("two", "CLAUDE.md")][: at % 4]
        pool.add(entry, files)
        indexes.write(connection, at, entry)
        connection.executemany("INSERT INTO stating_files VALUES (?, ?, ?)", ((entry.id, *file) for file in files))
    questions = [
        Question("prompt", prompt="worda wordb wordc"),
        Question("prompt", prompt=" ".join(WORDS[-3:])),
        Question("prompt", prompt=" ".join(WORDS)),
        Question("prompt", prompt="nothing of the kind"),
        Question("file", files=("src/http/client.py", "docs/wordz.md")),
        Question("start"),
    ]
    for project in ("one", "two", "", "three"):
        for question in questions:
            stored = hook_reader.gather(hook_reader.Table(connection, project), question)
            assert fields(pool.gather(project, question)) == fields(stored), (project, question.prompt)
    pool.close()


def test_an_empty_pool_has_nothing() -> None:
    pool = Pool()
    assert fields(pool.gather("one", Question("prompt", prompt="worda"))) == (0, 1.0, {}, {}, {}, [])
    pool.close()


# --- one moment -------------------------------------------------------------------------------------------------------


def test_one_moment(tmp_path: Path) -> None:
    project = Project(tmp_path / "app")
    fast = HookReader(str(project.settings.database))
    id_, folder = fast.project(str(project.folder)) or ("", "")
    project.learns("Run the tests with frobnicate --slow before a release.")
    before = fast.gather(id_, Question("prompt", prompt=ASKED))
    fast.close()
    again = HookReader(str(project.settings.database))
    after = again.gather(id_, Question("prompt", prompt=ASKED))
    again.close()
    assert folder == str(project.folder)
    assert (before.lessons, after.lessons) == (2, 3)
