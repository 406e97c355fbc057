"""What the demo shows is what the program would find by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator import comparison, demo
from curator.app import memories, memory_edits
from curator.model import MEMORY, Relating, State
from curator.settings import Settings
from tests.files import write_file

NOW = 1_795_000_000.0


def test_the_conflict_is_one_that_the_program_finds() -> None:
    shown = demo.conflict(NOW)
    found = comparison.relate(shown._replace(rival=None), demo.lessons(NOW))
    assert found is not None
    assert shown.rival is not None
    assert found._replace(likeness=shown.rival.likeness) == shown.rival
    assert found.likeness == pytest.approx(shown.rival.likeness, abs=0.1)
    assert found.relating is Relating.CONTRADICTS


def test_the_notes_of_two_agents_are_cards_and_the_home_of_the_person_stays(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    own = Path.home() / ".claude" / "projects" / "-srv-own" / "memory" / "MEMORY.md"
    moved = tmp_path / "codex" / "memories" / "memory_summary.md"
    for file in (own, moved):
        write_file(file, "v1\n\n## User preferences\n\n- Never show this note to anybody else.\n")
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    before = {path: path.read_bytes() for path in Path.home().rglob("*") if path.is_file()}
    with demo.open_demo(Settings(home=tmp_path / "home", memories="apply")) as curator:
        cards = [one for one in curator.lessons.entries(curator.lessons.waiting(rest=True)) if one.signal == MEMORY]
        assert {one.evidence[0].agent for one in cards} == {"claude-code", "codex"}
        assert {one.project for one in cards} == {"demo"}
        found = " ".join(one.context for one in cards)
        assert all(
            words in found for words in ("holds a secret", "In part already", "Gone: api/cache_settings.py.", "a cent off")
        )
        audited = memories.audit(Path.home(), curator.environment, Path(curator.project.folder if curator.project else ""))
        assert audited.counts() == {"stale": 1, "contradicting": 0, "repeated": 1, "status": 0, "secrets": 1}
        card = next(one for one in cards if "a secret" in one.context)
        curator.decisions.drop([card.id])
        assert memory_edits.apply_decisions(curator, [card.id])[1] == []
        assert [one.id for one in curator.lessons.entries(curator.lessons.library((State.DISMISSED,)))] == [card.id]
        assert not list(Path.home().rglob("changes.md"))
    assert {path: path.read_bytes() for path in Path.home().rglob("*") if path.is_file()} == before
