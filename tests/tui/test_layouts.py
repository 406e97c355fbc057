"""The same inbox at every size, without colour and without Unicode."""

from __future__ import annotations

import gc
import importlib.util
import re
import subprocess
import sys
import weakref
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual._styles_cache import StylesCache
from textual.color import Color

from curator import clock
from curator.app import Curator
from curator.model import Evidence, Role
from curator.settings import load
from curator.tui import styles
from curator.tui.app import CuratorApp
from curator.tui.pane import Pane
from curator.tui.text import fit, fit_path
from tests.tui.conftest import Driver, Inbox, Make, Place, Sample, propose

HERE = Path(__file__).resolve()


@pytest.mark.parametrize(("width", "height"), [(160, 45), (80, 24), (60, 20), (45, 40), (45, 12), (24, 6), (200, 4)])
async def test_the_first_card_and_help_are_there_at_any_size(inbox: Inbox, width: int, height: int) -> None:
    async with inbox(width, height) as driver:
        text = driver.text()
        assert "Use pnpm" in text
        assert "? Help" in text.split("\n")[-1]
        await driver.press("j", "x", "u", "o", "o", "m", "escape", "question_mark", "escape", "k")
        assert "Use pnpm" in driver.text()
        assert all(cell_len(line) <= width for line in driver.text().split("\n"))


MENUS = {
    "X": ["wrong", "obsolete", "duplicate", "broad", "no conflict"],
    "i": ["constraint", "decision", "bug", "failed", "architecture", "convention", "tooling"],
    "g": ["Inbox", "Lessons", "Cleanup", "History", "Top"],
    "m": ["Apply", "Edit result", "Back"],
}


@pytest.mark.parametrize("size", [(45, 40), (60, 24), (80, 24), (45, 12)])
async def test_no_word_of_a_menu_is_cut_and_nothing_above_it_moves(inbox: Inbox, size: tuple[int, int]) -> None:
    async with inbox(*size) as driver:
        before = driver.text().split("\n")
        for key, words in MENUS.items():
            await driver.press(key)
            foot = driver.app.screen.query_one("#foot").region
            after = driver.text().split("\n")
            told = " ".join(after[foot.y :])
            assert not [word for word in words if word not in told], told
            if key != "m" and size[1] > 12:
                assert after[: foot.y - 1] == before[: foot.y - 1]
            await driver.press("escape")


async def test_what_a_menu_did_is_told_where_its_second_line_was(inbox: Inbox) -> None:
    async with inbox(45, 40) as driver:
        await driver.press("i", "3")
        assert driver.text().count("saved") == 1
        assert "y Accept" in driver.text().split("\n")[-1]
        await driver.press("i")
        await driver.pilot.resize_terminal(160, 40)
        await driver.settle()
        assert "1 constraint  2 decision  3 bug" in driver.text().split("\n")[-1]


async def test_among_all_projects_a_row_names_its_own_and_keeps_its_headline(inbox: Inbox, place: Place, make: Make) -> None:
    everywhere = place("a-team__web", "b-team__api", every=True)
    headline = "Mock the clock with time_machine, freezegun stops it"
    propose(everywhere, *(make(project=id_, headline=headline, signal="refusal") for id_ in everywhere.projects()))
    for width in (160, 120, 80):
        async with inbox(width, 30, curator=everywhere) as driver:
            rows = [line for line in driver.text().split("\n") if "Mock the clock" in line][:2]
            assert [any(label in row for row in rows) for label in (" web ", " api ", "team")] == [True, True, False], rows
            assert all("you refused" in row for row in rows), "what was said stays"
            assert (headline in rows[0]) is (width == 160)


async def test_a_row_says_what_differs_who_said_what_how_often_or_how_old_it_is(inbox: Inbox) -> None:
    for width, conflict, stale, candidate in (
        (160, ["conflict", "2×", "1h"], ["code", "changed", "91d"], ["your", "rule", "3×", "1h"]),
        (45, ["2×"], ["91d"], ["3×"]),
    ):
        async with inbox(width, 40) as driver:
            lines = [line.replace("│", " ").rstrip("▐ ") for line in driver.text().split("\n")]
            columns = driver.screen.list.outer_size.width + 2
            rows = {sign: next(line[:columns].split() for line in lines if text in line) for sign, text in LEADING.items()}
            assert rows["!"][:1] == ["▌!"]
            assert rows["!"][-len(conflict) :] == conflict
            assert (rows["S"][0], rows["S"][-len(stale) :]) == ("S", stale)
            assert (rows[" "][0], rows[" "][-len(candidate) :]) == ("Prefix", candidate), "no sign says what all rows are"


async def test_a_row_says_when_its_quote_was_said_as_its_card_does(inbox: Inbox, place: Place, make: Make) -> None:
    new = place("new", watch=False)
    said = Evidence(
        quote="never bare pytest", role=Role.HUMAN, file="s.jsonl", line=1, line_end=1, at=clock.now() - 216 * 86_400.0
    )
    entry = make(project=new.project.id if new.project else "", headline="Use uv", evidence=(said,))
    propose(new, entry._replace(created=clock.now(), updated=clock.now()))
    for width in (160, 80, 45):
        async with inbox(width, 24, curator=new) as driver:
            (row,) = [line for line in driver.text().split("\n") if "▌  Use uv" in line]
            assert " 216d" in row
            assert "216d ago" in driver.text()


LEADING = {"!": "Use pnpm in", "S": "Redis needs", " ": "Prefix migrations"}


async def test_where_there_is_little_room_news_stand_in_the_footer_until_the_next_key(inbox: Inbox) -> None:
    async with inbox(60, 12) as driver:
        await driver.press("j", "j", "x")
        assert driver.text().split("\n")[-1].startswith(" ✗ dropped “")
        assert driver.text().endswith("u undo")
        await driver.press("X")
        assert "1 wrong" in driver.text().split("\n")[-1]
        await driver.press("j")
        assert "? Help" in driver.text().split("\n")[-1]
        await driver.press("slash", "escape")
        assert not driver.screen.toast.display, "no line for news of its own"
        await driver.press("e")
        driver.screen.toast.show("It was changed elsewhere.", bad=True)
        await driver.settle()
        assert "changed elsewhere" in driver.text().split("\n")[-1]


async def test_resizing_keeps_the_row(inbox: Inbox) -> None:
    async with inbox(120, 30) as driver:
        await driver.press("j", "j", "j", "j")
        at = driver.headline
        for size in ((45, 12), (80, 24), (160, 45), (24, 6)):
            await driver.pilot.resize_terminal(*size)
            await driver.settle()
            assert driver.headline == at


async def test_ascii_draws_nothing_beyond_ascii(inbox: Inbox, sample: Sample) -> None:
    async with inbox(45, 40, curator=sample(ascii=True)) as driver:
        for key in ("j", "j", "space", "o", "o", "m", "escape", "w", "question_mark", "escape"):
            await driver.press(key)
            strips = driver.app.screen._compositor.render_strips()
            lines = [strip.apply_filter(driver.app._filters[-1], Color(0, 0, 0)) for strip in strips]
            assert {sign for line in lines for sign in line.text if ord(sign) > 126} == set(), key


async def test_no_color_draws_grey_only_and_the_cursor_is_still_seen(inbox: Inbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with inbox(80, 24) as driver:
        assert driver.app.theme == "curator-dark"
        svg = driver.app.export_screenshot()
        colours = {Color.parse(f"#{part[:6]}") for part in svg.split("fill: #")[1:]}
        colours.discard(Color.parse("#c5c8c6"))  # of the picture's own frame
        assert [colour for colour in colours if max(colour.rgb) - min(colour.rgb) > 2] == []


async def test_without_the_terminals_focus_the_cursor_is_hollow(driver: Driver) -> None:
    assert styles.BAR in driver.text()
    driver.app.app_focus = False
    await driver.settle()
    assert styles.BAR not in driver.text()
    assert styles.HOLLOW in driver.text()


def test_every_sign_has_a_twin_in_ascii_of_the_same_width() -> None:
    for name, sign in vars(styles).items():
        if name.isupper() and isinstance(sign, str):
            twin = sign.translate(styles.TWINS)
            assert twin.isascii(), name
            assert cell_len(twin) == cell_len(sign), name


@pytest.mark.parametrize("text", ["plain", "日本語のテキストです", "mixed 日本 text", "e\u0301" * 9, ""])
@pytest.mark.parametrize("width", [0, 1, 2, 5, 8, 30])
def test_text_is_fitted_by_cells(text: str, width: int) -> None:
    assert cell_len(fit(text, width)) == width
    for path in ("a/very/long/path/to/a/file.py", f"/home/ann/{text * 3}", f"{text}/{text}/file.py"):
        assert cell_len(fit_path(path, width)) <= max(width, 1)


def test_the_pictures_are_up_to_date() -> None:
    """The script draws in a process of its own: it stills the clock for good."""
    script = HERE.parents[2] / "screenshots" / "make.py"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr + "; run python screenshots/make.py and look at them"


HEAVY = "print([m for m in sys.modules if m.split('.')[0] in ('textual', 'rich', 'pygments')])"
BESIDE = """
import {rooms}, curator.agents.install.catalog, curator.transcripts
from curator.app import Curator, project_files
from curator.model import Project
from curator.settings import Settings

place = Path({place!r})
assert project_files.count_unread(Curator(Settings(home=place), Project(id="p", name="p", folder=str(place)))) == 0
later = ("yaml", "tomllib", "html", "curator.lesson_files", "curator.text.secrets")
print([name for name in later if name in sys.modules])
"""
"""Reading, watching and checking load their rooms; parsers of settings and lesson files, what finds secrets, and names of
entities are megabytes more."""


def test_no_part_loads_what_it_does_not_need(tmp_path: Path) -> None:
    """The core is reachable without Textual, the package's root alone, and what runs beside a window without all of it."""
    places = "sessions.scan sessions.ingest project.staleness agents.deliveries agents.agent_files".split()
    beside = BESIDE.format(rooms=", ".join(f"curator.app.{place}" for place in places), place=str(tmp_path))
    for code, printed in (
        ("import curator; print(sorted(m for m in sys.modules if m.startswith('curator')))", "['curator']"),
        (f"import curator.app, curator.cli, curator.__main__; {HEAVY}", "[]"),
        (beside, "[]"),
    ):
        words = [sys.executable, "-c", f"import sys\nfrom pathlib import Path\n{code}"]
        assert subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip() == printed


async def test_the_first_paint_is_whole(inbox: Inbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing jumps: list and card stand where they stay, in the terminal's own layout; only counts are added."""
    painted = list[list[str]]()

    def look(app: CuratorApp) -> None:
        if not app._batch_count:
            painted.append(shown(app))

    monkeypatch.setattr(CuratorApp, "post_display_hook", look)
    async with inbox(120, 40) as driver:
        assert painted[0][1:] == shown(driver.app)[1:]
        assert any("Use pnpm" in line for line in painted[0])


def shown(app: CuratorApp) -> list[str]:
    """The lines on the screen."""
    return ["".join(part.text for part in strip) for strip in app.screen._compositor.render_strips()]


def test_the_first_card_is_there_without_the_rooms_that_it_does_not_need(curator: Curator) -> None:
    """Each takes a person's time at every start: what reads transcripts, relates, anchors, writes and serves comes later."""
    later = "detection rules comparison code lesson_files distill agents ranking transcripts replay".split()
    later += "app.sessions.ingest app.sessions.scan app.project.sync app.decisions.settling".split()
    later += "agents.install.parts text.secrets plugins app.sessions.origins app.merge_targets".split()
    later += "cli.lists cli.decisions cli.transfer tui.overlays tui.history tui.text_field".split()
    assert all(importlib.util.find_spec(f"curator.{room}") for room in later)
    others = "yaml rapidfuzz tree_sitter pygments.lexer rich.syntax tomllib email pluggy".split()
    code = f"""
import asyncio, sys
import curator.__main__, curator.cli
from pathlib import Path
from curator.app import Curator
from curator.settings import Settings
from curator.tui.app import CuratorApp

async def main():
    seen = []
    CuratorApp.post_display_hook = lambda app: app._batch_count or seen.append((app.coloured, {{*sys.modules}}))
    app = CuratorApp(Curator(Settings(home=Path({str(curator.settings.home)!r}))), watch=False)
    async with app.run_test() as pilot:
        while not seen:
            await pilot.pause()
        assert app.screen.card.entry
    coloured, loaded = seen[0]
    unwanted = {[f"curator.{room}" for room in later] + others!r}
    print(coloured, [name for name in unwanted if name in loaded])

asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False []"


async def test_a_chosen_theme_is_there_the_next_time(inbox: Inbox, sample: Sample) -> None:
    curator = sample(keys={"keep": "y"})
    curator.settings.file.write_text('per_session = 3\n[keys]\nkeep = "y"\n', encoding="utf-8")
    async with inbox(curator=curator) as driver:
        before = driver.app.theme
        await driver.press(*":theme", "enter", *"nord")
        assert driver.app.theme == "nord", "worn while the cursor is on it"
        assert {"inbox", "theme"} <= set(re.findall(r"\w+", driver.app.export_screenshot())), "what wears it is seen above"
        await driver.press("escape")
        assert driver.app.theme == before
        assert not load({"CURATOR_HOME": str(curator.settings.home)}).theme
        await driver.press(*":theme", "enter", *"nord", "enter")
    again = load({"CURATOR_HOME": str(curator.settings.home)})
    assert (again.theme, again.per_session, again.keys) == ("nord", 3, {"keep": "y"})


async def test_a_row_that_moves_up_is_not_drawn_anew(inbox: Inbox) -> None:
    async with inbox(120, 40) as driver:
        shown = driver.screen.list
        before = shown.render_lines(shown.size.region)
        await driver.press("j", "j", "x")
        after = shown.render_lines(shown.size.region)
        count = len(shown.rows)
        assert count > 5
        assert all(mine is theirs for mine, theirs in zip(after[3:count], before[4 : count + 1], strict=True))


async def test_rows_that_have_left_the_list_are_not_kept_as_they_were_drawn(inbox: Inbox) -> None:
    async with inbox(120, 40) as driver:
        shown = driver.screen.list
        (head,) = driver.app.curator.lessons.heads(shown.rows.order[:1]).values()
        counts = []
        for first in range(1_000, 3_000, shown.rows.height):
            shown.rows.replace(range(first, first + shown.rows.height))
            shown.show(everything=True)
            shown._heads.update({seq: head._replace(seq=seq) for seq in shown.rows.order})
            shown.render_lines(shown.size.region)
            counts.append(len(shown._strips))
        assert max(counts[len(counts) // 2 :]) <= max(counts[: len(counts) // 2]) < 10 * shown.rows.height


async def test_what_is_covered_is_one_line_however_many_there_are(inbox: Inbox) -> None:
    async with inbox(120, 40) as driver:
        screen = driver.screen
        for widget, most in ((screen, 1), (screen.query_one("#body"), 1), (screen.frame, 3), (screen.card, 3)):
            lines = widget.render_lines(widget.outer_size.region)
            assert len(lines) == widget.outer_size.height > 30
            assert len(set(map(id, lines))) <= most, widget


async def test_the_editor_comes_when_it_is_opened(driver: Driver) -> None:
    assert not driver.screen.query("Editor")
    await driver.press("e")
    assert driver.screen.card.editor.display
    await driver.press("escape", "e")
    assert len(driver.screen.query("Editor")) == 1


async def test_garbage_is_looked_for_from_the_first_paint_on(inbox: Inbox) -> None:
    gc.disable()  # as ``tui.run`` does
    try:
        async with inbox():
            assert gc.isenabled()
    finally:
        gc.enable()


async def test_nothing_stays_of_overlays_that_were_closed(inbox: Inbox) -> None:
    drawn: list[list[weakref.ref[StylesCache]]] = []
    async with inbox(120, 40) as driver:
        for _ in range(4):
            await driver.press("question_mark")
            widgets = driver.app.screen.walk_children(with_self=True)
            drawn.append([weakref.ref(widget._styles_cache) for widget in widgets])
            await driver.press("escape")
        gc.collect()
        kept = sum(one() is not None for caches in drawn[:-1] for one in caches)
        assert kept < len(drawn[0]), "of single widgets something may go on; of three overlays less than one may be there"


async def test_another_theme_reaches_every_line_that_was_drawn_before(inbox: Inbox, sample: Sample) -> None:
    """Of two windows with the same theme that were opened otherwise each line is the same."""
    seen = []
    for first in ("textual-dark", "textual-light"):
        async with inbox(100, 30, curator=sample(theme=first)) as driver:
            driver.app.theme = "textual-light"
            await driver.settle()
            await driver.press("j")
            widgets = [driver.screen.list, driver.screen.query_one("#card", Pane)]
            seen.append([list(strip) for widget in widgets for strip in widget.render_lines(widget.size.region)])
    assert seen[0] == seen[1]


@pytest.mark.parametrize(
    ("insight", "more"),
    [
        ("Pin the compiler because the linker breaks", " because the linker breaks"),
        ("pin the compiler, since ninja looks for it", ", since ninja looks for it"),
        ("Pin the compiler:\n\n- ninja\n\n- make", ": - ninja - make"),
        ("The linker breaks with another compiler", ""),
        ("Pin the compiler", ""),
    ],
)
async def test_a_row_goes_on_behind_its_headline(inbox: Inbox, place: Place, make: Make, insight: str, more: str) -> None:
    curator = place("new")
    assert curator.project
    propose(curator, make(project=curator.project.id, headline="Pin the compiler", insight=insight))
    async with inbox(100, 20, curator=curator) as driver:
        _, _, _, headline, rest, *_ = driver.screen.list.render_line(0)
        assert headline.text.rstrip() == "Pin the compiler"
        assert (rest.text.rstrip() if more else "") == more
        assert not more or rest.style != headline.style


async def test_the_second_line_of_a_sentence_has_its_end_and_its_blanks(inbox: Inbox) -> None:
    async with inbox(80, 24) as driver:
        driver.screen.toast.show(f"“{'alpha beta gamma ' * 9}” has no wording 3. It has no other wordings.", whole=True)
        await driver.settle()
        second = driver.text().split("\n")[-1].strip()
        assert not second.startswith("“")
        assert second.endswith("…” has no wording 3. It has no other wordings.")
