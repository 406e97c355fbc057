"""The footer tells keys from their words, and how many rows a decision is for; help speaks of the row at hand."""

from __future__ import annotations

from typing import Any

import pytest

from curator.model import Kind
from curator.tui import styles
from curator.tui.bars import FooterContext, footer
from curator.tui.pane import Pane
from tests.tui.conftest import Inbox


def pieces(driver: Any) -> list[tuple[str, bool, str]]:
    """What stands in the last line, in pieces of one look: text, whether it is bold, its colour."""
    strip = driver.app.screen._compositor.render_strips()[-1]
    found: list[tuple[str, bool, str]] = []
    for segment in strip:
        bold, colour = bool(segment.style.bold), segment.style.color.name if segment.style.color else ""
        if found and found[-1][1:] == (bold, colour):
            found[-1] = found[-1][0] + segment.text, bold, colour
        else:
            found.append((segment.text, bold, colour))
    return [(text.strip(), bold, colour) for text, bold, colour in found if text.strip()]


@pytest.mark.parametrize("width", [45, 80, 160])
@pytest.mark.parametrize("without", [False, True])
async def test_keys_look_unlike_their_words(inbox: Inbox, monkeypatch: pytest.MonkeyPatch, width: int, without: bool) -> None:
    if without:
        monkeypatch.setenv("NO_COLOR", "1")
    async with inbox(width, 24) as driver:
        await driver.press("j", "j")
        looks = {text: look for text, *look in pieces(driver)}
        assert looks["y"][0], "a key is bold"
        assert not looks["Keep"][0], "its word is not"
        assert looks["?"][0]
        assert not looks["Help"][0]
        assert without or looks["y"][1] != looks["Keep"][1], "and of another colour where there is any"


async def test_the_footer_says_for_how_many_rows_a_decision_is(inbox: Inbox) -> None:
    async with inbox(100, 24) as driver:
        await driver.press("j", "j", "space", "space", "space")
        foot = " ".join(driver.text().splitlines()[-1].split())
        assert "y Keep 3 x Drop 3 e Edit" in foot, "an edit is for the card alone"
        assert "z Snooze 3" in foot
        await driver.press("escape")
        assert "y Keep x Drop e Edit" in " ".join(driver.text().splitlines()[-1].split())


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("marked", [0, 3, 1200])
def test_the_footer_fits_at_any_width_and_help_stands_apart_at_its_end(kind: Kind, marked: int) -> None:
    for width in (*range(24, 100), *range(100, 200, 7)):
        line = footer(FooterContext("inbox", kind, marked=marked), width)
        assert line.plain.rstrip().endswith(" ? Help"), width
        assert "u" in line.plain, width
        assert line.cell_len <= width


async def test_help_speaks_of_the_row_at_hand_first(inbox: Inbox) -> None:
    async with inbox(120, 40) as driver:
        for said, unsaid in (
            ("On this conflict y Accept Accept the suggestion on the card", "still holds"),
            ("On this stale lesson y Still true", "suggests"),
            ("On this candidate y Keep Keep it: it becomes a lesson", "conflict"),
        ):
            await driver.press("question_mark")
            text = " ".join(driver.app.screen.query_one(Pane).text.replace(styles.BAR, "").split())
            assert said in text
            own = text.partition(said)[2].partition("In other places")[0].partition("Merge")[0]
            assert unsaid not in own.partition("Select")[0]
            await driver.press("escape", "j")


async def test_a_key_of_the_footer_can_be_clicked_and_so_can_its_word(inbox: Inbox) -> None:
    async with inbox(100, 24) as driver:
        await driver.press("j", "j")
        first, second = driver.rows()[2:4]
        for offset, gone in ((0, first), (3, second)):
            at = driver.text().splitlines()[-1].index("x Drop")
            driver.still.forward(1.0)
            await driver.pilot.click("#foot", offset=(at + offset, 0))
            await driver.settle()
            assert gone not in driver.rows(), offset
