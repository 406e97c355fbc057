"""What hooks read belongs to one moment, and somebody who writes meanwhile is neither waited for nor held up."""

from __future__ import annotations

from pathlib import Path

from curator.ranking.question import Question
from curator.store.hook_reader import HookReader
from tests.hooks.project import ASKED, Project


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
