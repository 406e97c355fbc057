"""The first drop of an agent's note asks whether the note itself goes, too, and the answer is stored."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator import app
from curator.app import Curator
from curator.settings import load
from tests.files import write_file
from tests.tui.conftest import Inbox, Make, Place, propose

TEXT = "# web\nUse pnpm and never npm in web.\n\n# api\nLog with slog and never print.\n"
QUESTION = "Delete the note in Goose, too? The trash keeps it for 30 days."


@pytest.fixture
def path() -> Path:
    """The notes of Goose, in which there are two."""
    return write_file(Path.home() / ".config" / "goose" / "memory" / "all.txt", TEXT)


@pytest.fixture
def noted(path: Path, place: Place) -> Curator:
    """A database of every project that has read the notes."""
    opened = place(every=True)
    app.scan.scan(opened)
    return opened


@pytest.mark.parametrize(("key", "setting", "left"), [("Y", "apply", ""), ("N", "read", TEXT)])
async def test_the_first_drop_asks_once(inbox: Inbox, path: Path, noted: Curator, key: str, setting: str, left: str) -> None:
    async with inbox(100, 30, curator=noted) as driver:
        assert len(driver.rows()) == 2
        await driver.press("x")
        assert QUESTION in driver.text()
        assert "Yes, always" in driver.text()
        await driver.press(key)
        assert QUESTION not in driver.text()
        assert ("note stays" in driver.text()) is bool(left)
        assert load({"CURATOR_HOME": str(noted.settings.home)}).memories == setting
        await driver.press("x")
        assert QUESTION not in driver.text()
        await driver.pause()
        assert path.read_text(encoding="utf-8") == left
        await driver.press("u")
        await driver.pause()
        await driver.press("u")
        await driver.pause()
        assert path.read_text(encoding="utf-8") == TEXT


async def test_each_drop_says_that_a_read_only_note_stays(inbox: Inbox, path: Path, noted: Curator) -> None:
    path.chmod(0o444)
    noted.settings = noted.settings._replace(memories="apply")
    async with inbox(160, 30, curator=noted) as driver:
        for _ in range(2):
            await driver.press("j")
            await driver.press("x")
            await driver.pause()
            assert "stays: it is" in driver.text()


@pytest.mark.parametrize("width", [100, 45])
async def test_other_keys_do_their_usual_work_at_the_question(inbox: Inbox, path: Path, noted: Curator, width: int) -> None:
    async with inbox(width, 30, curator=noted) as driver:
        await driver.press("o")
        assert "transcript" not in driver.text(), "a note has none"
        await driver.press("escape", "x")
        assert QUESTION.partition(" The")[0] in driver.text()
        assert "…" not in driver.text().splitlines()[-2]
        await driver.press("u")
        assert len(driver.rows()) == 2
        await driver.press("x", "y")
        assert len(driver.rows()) == 0
        assert QUESTION.partition(" The")[0] not in driver.text(), "once in a window"
        await driver.press("u", "u")
        await driver.pause()
        assert path.read_text(encoding="utf-8") == TEXT
        assert load({"CURATOR_HOME": str(noted.settings.home)}).memories == "ask"


async def test_no_question_where_a_person_gave_its_keys_to_decisions(inbox: Inbox, noted: Curator) -> None:
    noted.settings = noted.settings._replace(keys={"drop": "Y"})
    async with inbox(100, 30, curator=noted) as driver:
        await driver.press("Y")
        assert "too?" not in driver.text()


async def test_several_dropped_notes_are_counted_in_the_question(inbox: Inbox, noted: Curator) -> None:
    async with inbox(100, 30, curator=noted) as driver:
        await driver.press("asterisk", "x")
        assert "Delete the notes of these 2 cards, too?" in driver.text()


async def test_notes_have_a_part_of_the_inbox_with_their_count(inbox: Inbox, noted: Curator, make: Make) -> None:
    propose(noted, make(headline="Weak", insight="Weak", score=0.2, score_parts={"base": 0.2}))
    async with inbox(100, 30, curator=noted) as driver:
        assert "Memories 2" in driver.text().splitlines()[0]
        assert "+ shows 1 more" in driver.text().splitlines()[1]
        await driver.press("left_square_bracket", "left_square_bracket")
        assert len(driver.rows()) == 2
        assert "more" not in driver.text().splitlines()[1], "the weaker card is no note"
        await driver.press("y")
        await driver.pause()
        assert "Memories 1" in driver.text().splitlines()[0]


@pytest.mark.parametrize(("setting", "hint"), [("off", 'Set memories = "read"'), ("read", "Press R to read them again")])
async def test_without_notes_it_says_where_agents_keep_them(inbox: Inbox, curator: Curator, setting: str, hint: str) -> None:
    curator.settings = curator.settings._replace(memories=setting)
    async with inbox() as driver:
        assert "Memories" not in driver.text()
        await driver.press("left_square_bracket", "left_square_bracket")
        assert driver.rows() == []
        assert "~/.claude/projects/*/memory" in driver.text()
        assert hint in driver.text()


async def test_a_dropped_card_of_codex_says_that_it_was_asked_until_the_note_is_gone(inbox: Inbox, place: Place) -> None:
    path = Path.home() / ".codex" / "memories" / "MEMORY.md"
    write_file(path, "## Reusable knowledge\n- The queue index needs `ANALYZE` after each import.\n")
    curator = place(every=True)
    curator.settings = curator.settings._replace(memories="apply")
    app.scan.scan(curator)
    async with inbox(100, 30, curator=curator) as driver:
        await driver.press("x")
        await driver.pause()
        await driver.press("g", "l", "right_square_bracket", "right_square_bracket")
        assert "Codex was asked to forget this note" in driver.text()
        path.write_text("## Reusable knowledge\n- Another one.\n", encoding="utf-8")
        await driver.press("g", "i", "g", "l")
        assert "asked to forget" not in driver.text()


async def test_saving_a_note_without_a_change_keeps_it_and_asks_nothing(inbox: Inbox, noted: Curator) -> None:
    async with inbox(100, 30, curator=noted) as driver:
        await driver.press("e", "ctrl+s")
        assert "Reword" not in driver.text()
        await driver.press("y", "u", "e", "ctrl+s")
        assert "Reword" not in driver.text()
