"""A person has seen each lesson that they keep: on the screen to its end, short enough to read, in the project at hand."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from curator import app
from curator.app import Curator
from curator.app.mcp import Serving
from curator.errors import CuratorError
from curator.model import Change, Entry, Relating, Relation, State, Verb, Wording
from curator.settings import Settings
from curator.text import statement
from curator.text.statement import cut
from tests.e2e.world import World
from tests.sayings import UV, VENDOR
from tests.transcripts import transcript_records as records
from tests.tui.conftest import Inbox, Make, Place, inbox, place

__all__ = ["inbox", "place"]

SIZES = ((160, 45), (80, 24), (45, 40), (60, 14))
LONG = "Deploy with the release job, which signs and uploads what it has built, " * 5 + "and never trust the nightly mirror."
OTHER = "Deploy by hand from a clean checkout of main, with both keys at hand, " * 5 + "and only on the first day of a week."


@pytest.fixture
def curator(place: Place, still: object) -> Curator:
    return place("app")


def put(curator: Curator, *entries: Entry) -> list[str]:
    assert curator.project
    deeds = [(Verb.PROPOSE, Change(before=None, after=entry._replace(project=curator.project.id))) for entry in entries]
    curator.store.apply(deeds, actor="detector", at=1.0)
    return [entry.id for entry in entries]


def talk(make: Make) -> Any:
    return tuple(make().evidence[0]._replace(quote=f"said {'so and so ' * 25}{at}", line=at) for at in range(3))


# --- the inbox --------------------------------------------------------------------------------------------------------


async def until_kept(driver: Any, curator: Curator, id_: str, key: str, wanted: str) -> int:
    """Press a key until it keeps; how often that was. Whatever it keeps was on the screen before."""
    seen = ""
    for presses in range(1, 30):
        seen += " " + " ".join(driver.text().replace("│", " ").split())
        await driver.press(key)
        if curator.lessons.find(id_).state is not State.OPEN:
            missing = [word for word in wanted.split() if word not in seen]
            assert not missing, missing
            return presses
    raise AssertionError("it is never kept")


KEPT = {
    "short": ("y", LONG),
    "long": ("y", " ".join(f"{word}{at}" for at in range(4) for word in LONG.split())),
    "wording": ("1", OTHER),
    "conflict": ("y", f"{LONG} {OTHER} both merge"),
    "the new side": ("1", f"{LONG} {OTHER} both merge"),
    "both sides": ("3", f"{LONG} {OTHER} both merge"),
}
"""For each kind of card: a key that keeps, and the words that must have been on the screen before."""


@pytest.mark.parametrize(
    ("kind", "size"),
    [(kind, size) for kind in ("long", "conflict") for size in SIZES]
    + [(kind, size) for kind in ("short", "wording") for size in (SIZES[0], SIZES[-1])]
    + [("the new side", (45, 40)), ("both sides", (60, 14))],
)
async def test_what_is_kept_was_shown_to_its_end(
    inbox: Inbox, curator: Curator, make: Make, kind: str, size: tuple[int, int]
) -> None:
    key, wanted = KEPT[kind]
    old = make(state=State.ACTIVE, headline="Deploy by hand", insight=OTHER)
    insight, more = wanted if kind == "long" else LONG, dict[str, Any]()
    if kind == "wording":
        more["wordings"] = (Wording("Deploy by hand", OTHER, "longer"),)
    elif "both" in wanted:
        more["rival"] = Relation(other=old.id, relating=Relating.CONTRADICTS, certain=True)
    new = make(headline="Deploy with the job", insight=insight, evidence=talk(make), **more)
    put(curator, *([old, new] if "rival" in more else [new]))
    async with inbox(*size, curator=curator) as driver:
        if "rival" in more:
            text = driver.screen.query_one("#card").text
            assert text.index("Deploy by hand") < text.index("4 merge") < text.index("said so and so")
        presses = await until_kept(driver, curator, new.id, key, wanted)
        assert presses == 1 or (kind, size) != ("short", SIZES[0])
    assert curator.lessons.find(new.id).insight == (OTHER if kind == "wording" else insight)


async def test_a_card_that_was_scrolled_to_its_end_is_kept_at_once(inbox: Inbox, curator: Curator, make: Make) -> None:
    (id_,) = put(curator, make(headline="Deploy with the release job", insight=LONG, evidence=talk(make)))
    async with inbox(60, 14, curator=curator) as driver:
        await driver.press("y")
        assert curator.lessons.find(id_).state is State.OPEN
        assert "read to the end" in driver.text()
        assert driver.screen.query_one("#card").offset_y
        await driver.press("K", "K", *"JJJJJJJJJJ", "y")
    assert curator.lessons.find(id_).state is State.ACTIVE


async def test_words_that_changed_on_the_screen_are_read_anew(inbox: Inbox, curator: Curator, make: Make) -> None:
    (id_,) = put(curator, make(headline="Deploy with the release job", insight=LONG, evidence=talk(make)))
    async with inbox(60, 14, curator=curator) as driver:
        await driver.press(*"JJJJJJJJJJ")
        other = Curator(curator.settings)
        other.decisions.edit(id_, insight=OTHER)
        other.close()
        await driver.press("y")  # what is on the screen is no more
        assert curator.lessons.find(id_).state is State.OPEN
        driver.screen.card.reload()
        await driver.settle()
        await driver.press("K", "K", "K", "K", "K", "K")
        await until_kept(driver, curator, id_, "y", OTHER)


async def test_a_hidden_card_is_shown_before_it_is_kept(inbox: Inbox, curator: Curator, make: Make) -> None:
    (id_,) = put(curator, make(headline="Deploy with the release job", insight=LONG, evidence=talk(make)))
    async with inbox(160, 45, curator=curator) as driver:
        await driver.press("V", "y")
        assert curator.lessons.find(id_).state is State.OPEN
        await until_kept(driver, curator, id_, "y", LONG)


# --- what comes in ----------------------------------------------------------------------------------------------------


def test_what_an_agent_saves_is_cut_and_that_is_said(curator: Curator) -> None:
    assert curator.project
    tools = Serving(curator.settings, curator.project.folder)
    saved = tools.save(f"{LONG} {OTHER}", OTHER, (), "", "", agent="codex")
    entry = curator.lessons.find(saved["id"])
    assert len(entry.insight) <= statement.INSIGHT
    assert len(entry.headline) <= statement.HEADLINE
    assert len(entry.context) <= statement.MAX_CONTEXT_CHARACTERS
    assert all(len(item.insight) <= statement.INSIGHT for item in entry.wordings)
    assert all(len(item.quote) <= statement.INSIGHT for item in entry.evidence)
    assert "Cut at the end: text" in saved["message"]
    assert "when" in saved["message"]
    short = tools.save("Run make check before each commit to main.", "ever", (), "", "", agent="codex")
    assert "Cut" not in short["message"]


def test_what_is_detected_is_short_whatever_was_said(tmp_path: Path, curator: Curator) -> None:
    path = tmp_path / "agents" / "projects" / "-app" / "S1.jsonl"
    said = (f"{VENDOR} {UV}", f"{VENDOR} {'and so on ' * 25}", f"{UV}{'x' * 5_000}", f"never use {'y' * 3_000}, use `uv`")
    records.write(path, *(records.user(words) for words in said))
    app.scan.scan(curator, roots=[tmp_path / "agents"])
    found = [*curator.lessons.entries(curator.lessons.waiting()._replace(project=None))]
    assert found
    for entry in found:
        assert len(entry.insight) <= statement.INSIGHT
        assert len(entry.headline) <= statement.HEADLINE


def test_a_cut_says_how_long_the_text_was() -> None:
    assert cut("a" * 400, 400) == "a" * 400
    assert cut("word " * 200, 400).endswith("word … (cut: 1,000 characters)")
    assert len(cut("a" * 5_000, 400)) <= 400


# --- where ------------------------------------------------------------------------------------------------------------


def test_a_server_speaks_of_the_project_it_was_started_in(tmp_path: Path, curator: Curator, make: Make) -> None:
    assert curator.project
    mine = curator.project.folder
    put(curator, make(state=State.ACTIVE, insight="Feed the zebra before noon"))
    (tmp_path / "other").mkdir()
    project = curator.enter(str(tmp_path / "other"))
    with curator.store.transaction():
        curator.store.sources.remember(project, project.folder)
    put(curator, make(state=State.ACTIVE, insight="Feed the giraffe before noon"))
    tools = Serving(curator.settings, mine)
    assert [row["insight"] for row in tools.search("feed", (), "", 5, "")] == ["Feed the zebra before noon"]
    for call in (
        lambda: tools.search("feed", (), "", 5, project.folder),
        lambda: tools.about("a.py", project.folder),
        lambda: tools.save("Run make check first.", "ever", (), "", project.folder, agent="a"),
        lambda: tools.about(f"{project.folder}/a.py", ""),
    ):
        with pytest.raises(CuratorError):
            call()


def test_a_server_in_the_home_folder_keeps_to_the_first_project(isolation: Path, tmp_path: Path) -> None:
    opened = Curator(Settings(home=tmp_path / "place"))
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        opened.enter(str(tmp_path / name))
        opened.decisions.add(f"Feed the zebra of {name}")
    opened.close()
    tools = Serving(opened.settings, str(isolation))
    assert tools.search("zebra", (), "", 5, "") == []
    for cwd in (str(tmp_path / "one"), ""):
        assert [row["headline"] for row in tools.search("zebra", (), "", 5, cwd)] == ["Feed the zebra of one"]
    with pytest.raises(CuratorError, match="only"):
        tools.search("zebra", (), "", 5, str(tmp_path / "two"))


def test_another_work_tree_is_the_same_project(world: World) -> None:
    world.run("add", "Feed the zebra before noon")
    tree = world.app.parent / "tree"
    world.git(world.app, "worktree", "add", "-q", os.fspath(tree))
    tools = Serving(world.settings, str(world.app))
    assert [row["headline"] for row in tools.search("zebra", (), "", 5, str(tree))] == ["Feed the zebra before noon"]
