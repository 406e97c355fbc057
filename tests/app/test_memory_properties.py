"""Random decisions, undos and writing by the agent: bytes come back, nothing is lost, nothing of the agent is written over."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from curator import app
from curator.app import Curator
from curator.app.project import memory_edits, memory_trash
from curator.errors import CuratorError
from curator.model import Query, State
from tests.app.conftest import Open
from tests.conftest import Clock

TOPIC = "---\nname: {name}\ntype: feedback\n---\n{rule}\n\n**Why:** it broke {name} once.\n"
RULES = {
    "clock": "Never mock the clock of the scheduler in tests.",
    "queue": "Workers read their jobs from the table, not from Redis.",
    "style": "Log through slog and never print to stdout in the server.",
}
BULLETS = (
    "- Use pnpm and never npm in the web folder.",
    "- Migrations run by hand before each deploy,\n  and never at a start.\n  - also on staging",
    "- Prices are stored in cents as whole numbers.",
)
FILES = {
    **{f"{name}.md": TOPIC.format(name=name, rule=rule) for name, rule in RULES.items()},
    "MEMORY.md": "# Notes\r\n\r\n- [Clock](clock.md) — real\r\n- [Queue](queue.md) — table\r\n" + "\n\n".join(BULLETS),
    "extra.md": "\ufeff- Deploys go through the release branch only.\n\n\n- Handlers return problem details on errors.\n",
}
STEP = st.tuples(st.sampled_from(["drop", "edit", "undo", "restore"]), st.integers(0, 7))
AGENT = st.tuples(st.sampled_from(["append", "insert", "rewrite", "delete"]), st.integers(0, len(FILES) - 1))


class Folder:
    """A folder of Claude Code's notes with their cards, and what happened to it."""

    def __init__(self, curator: Curator, folder: Path) -> None:
        self.curator = curator
        self.folder = folder
        self.reset()
        app.scan.scan(curator)
        found = curator.lessons.entries(Query(states=(State.OPEN,)))
        # Ids differ in each run: by headline the same sequence drops the same notes.
        self.cards: list[str] = [entry.id for entry in sorted(found, key=lambda entry: entry.headline)]
        assert len(self.cards) == 8

    def reset(self) -> None:
        """Put the first files back, without any decision."""
        self.written = 0
        self.lines: list[str] = []
        self.events: list[tuple[int, str]] = []
        self.failures: list[CuratorError] = []
        self.folder.mkdir(parents=True, exist_ok=True)
        for path in self.folder.iterdir():
            path.unlink()
        for name, text in FILES.items():
            (self.folder / name).write_bytes(text.encode())
        for removal in memory_trash.removals(self.curator.settings):
            memory_trash.delete(self.curator.settings, removal)

    def now(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.folder.iterdir()}

    def text(self) -> str:
        return b"\n".join(self.now().values()).decode()

    def step(self, deed: str, at: int) -> None:
        """Do one thing, and check that curator left everything alone that the agent wrote."""
        names = sorted(FILES)
        if deed in ("append", "insert", "rewrite", "delete"):
            self.agent(deed, self.folder / names[at])
            return
        before = [line for line in self.lines if line in self.text()]
        entry = self.curator.lessons.find(self.cards[at])
        outcome = None
        try:
            if deed == "drop" and entry.state in (State.OPEN, State.ACTIVE):
                outcome = self.curator.decisions.drop([entry.id])
            elif deed == "edit" and entry.state in (State.OPEN, State.ACTIVE):
                words = f"{entry.insight} Said {len(self.events)} times."
                outcome = self.curator.decisions.edit(entry.id, keep=True, insight=words)
            elif deed == "undo" and self.events:
                self.undo(self.events[at % len(self.events)])
            elif deed == "restore" and (found := memory_trash.removals(self.curator.settings)):
                memory_trash.put_back(self.curator.settings, found[at % len(found)])
        except CuratorError:
            pass
        if outcome:
            self.events.append((max(outcome.events.values()), entry.id))
            self.failures += memory_edits.apply_decisions(self.curator, [entry.id])[1]
        assert all(line in self.text() for line in before)

    def undo(self, event: tuple[int, str]) -> None:
        self.curator.decisions.undo(event[0])  # refused where another decision on the card stands on it
        self.events.remove(event)
        self.failures += memory_edits.apply_decisions(self.curator, [event[1]])[1]

    def agent(self, deed: str, path: Path) -> None:
        """The agent writes a line of its own, rewrites a file, or deletes it."""
        self.written += 1
        line = f"- The agent's own fact number {self.written}."
        old = path.read_bytes().decode() if path.exists() else ""
        if deed == "delete":
            path.unlink(missing_ok=True)
            self.lines = [one for one in self.lines if one not in old]
        else:
            kept = "" if deed == "rewrite" else old
            path.write_bytes((f"{line}\n{kept}" if deed == "insert" else f"{kept}\n{line}\n").encode())
            self.lines = [one for one in self.lines if one not in old or one in kept] + [line]

    def undo_everything(self) -> None:
        while self.events:
            self.undo(self.events[-1])


@pytest.fixture
def folder(opened: Open, work: Path, still: Clock) -> Folder:
    curator = opened(folder=work, memories="apply")
    slug = str(work).replace("/", "-").replace(".", "-").replace("_", "-")
    return Folder(curator, Path.home() / ".claude" / "projects" / slug / "memory")


pytestmark = pytest.mark.timeout(600)
MANY = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@MANY
@example(steps=[("drop", 0), ("drop", 6), ("drop", 4), ("drop", 5), ("undo", 1)])
@given(steps=st.lists(STEP, max_size=10))
def test_undo_brings_every_byte_back(folder: Folder, steps: list[tuple[str, int]]) -> None:
    folder.reset()
    for deed, at in steps:
        folder.step(deed, at)
        kept = "".join(file.before or "" for one in memory_trash.removals(folder.curator.settings) for file in one.files)
        assert all(text in folder.text() + kept for text in FILES.values() if text.startswith("---"))
        assert all(bullet in folder.text() + kept for bullet in BULLETS)
    folder.undo_everything()
    assert folder.now() == {name: text.encode() for name, text in FILES.items()}
    assert memory_trash.removals(folder.curator.settings) == []
    assert folder.failures == []


@MANY
@given(steps=st.lists(st.one_of(STEP, AGENT), max_size=12))
def test_nothing_that_the_agent_wrote_is_written_over(folder: Folder, steps: list[tuple[str, int]]) -> None:
    folder.reset()
    for deed, at in steps:
        folder.step(deed, at)
    lines = [line for line in folder.lines if line in folder.text()]
    folder.undo_everything()
    assert all(line in folder.text() for line in lines)
