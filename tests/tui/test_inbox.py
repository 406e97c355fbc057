"""The inbox by its keys: what a person presses, and what is then stored and shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from textual import events

from curator import app
from curator.app import Curator, Resolution
from curator.keymap import ACTIONS, keymap
from curator.model import Category, Change, Evidence, Role, State, Verb, Wording
from curator.tui.overlays import FullScreen, MergeScreen
from curator.tui.picker import HelpScreen
from curator.tui.text import moment
from tests.transcripts import transcript_records as records
from tests.tui.conftest import TOKENS, Driver, Inbox, Make, Place, Sample, best, propose, rules

UV = "Use `uv run pytest`, never bare `pytest`"
PNPM = "Use pnpm in `/web`"
REDIS = "Redis needs `--no-persist` in CI"
NPM = "Never use pnpm in `/web`"


def state(curator: Curator, headline: str) -> State:
    found = [entry for entry in curator.lessons.entries(curator.lessons.library(())) if entry.headline == headline]
    assert found, headline
    return found[0].state


async def test_conflicts_come_first_then_stale_then_the_best_candidates(driver: Driver) -> None:
    assert driver.rows()[:3] == [PNPM, REDIS, UV]
    assert "All 8" in driver.text()
    assert "Conflicts 1" in driver.text()


async def test_one_key_keeps_saves_and_moves_on(driver: Driver, curator: Curator) -> None:
    await driver.press("j", "j", "y")
    assert state(curator, UV) is State.ACTIVE
    assert UV not in driver.rows()
    assert driver.headline == "Prefix migrations with the ticket id"
    assert "kept" in driver.text()
    assert "All 7" in driver.text()


async def test_a_reason_is_asked_before_and_any_other_key_leaves(driver: Driver, curator: Curator) -> None:
    await driver.press("j", "j", "X")
    assert "1 wrong" in driver.text()
    await driver.press("j")
    assert state(curator, UV) is State.OPEN
    assert driver.headline == UV, "the key that left the menu did nothing else"
    await driver.press("X", "2")
    assert state(curator, UV) is State.DISMISSED
    assert next(iter(curator.lessons.entries(curator.lessons.library((State.DISMISSED,))))).reason == "obsolete"


async def test_a_digit_that_the_card_does_not_offer_keeps_nothing(inbox: Inbox, curator: Curator, make: Make) -> None:
    same = Wording("Pin every image by digest", "Pin every image by digest.", "as said")
    other = Wording("Never use floating tags", "Never use floating tags.", "shorter")
    entry = make(headline=same.headline, insight=same.insight, wordings=(same, other), project="demo", score=0.99)
    propose(curator, entry)
    async with inbox(120, 40) as driver:
        await driver.press("G", "4")
        assert "This card has no wording 4." in driver.text()
        assert driver.entry.id not in driver.text()
        await driver.press("g", "g")
        await driver.go(same.headline)
        await driver.press("1")
        assert "This card has no wording 1. Choose 2." in driver.text()
        assert state(curator, same.headline) is State.OPEN
        await driver.press("2")
        assert state(curator, other.headline) is State.ACTIVE


async def test_a_stale_lesson_is_confirmed_or_put_away(driver: Driver, curator: Curator) -> None:
    await driver.press("j")
    assert 'REDIS_ARGS = ["--save", ""]' in driver.text(), "the diff is on the card"
    await driver.press("y")
    assert not next(entry for entry in curator.lessons.entries(curator.lessons.library()) if entry.headline == REDIS).findings
    await driver.press("u", "3")
    assert REDIS not in driver.rows()
    assert state(curator, REDIS) is State.ACTIVE


async def test_a_draft_is_never_lost(driver: Driver, curator: Curator) -> None:
    await driver.press("j", "j", "e", *" now", "escape")
    assert state(curator, UV) is State.OPEN
    assert f"draft, just now: {UV} now" in driver.text()
    await driver.press("j", "k", "e")
    assert f"{UV} now" in driver.text()
    await driver.press("escape", "y", "u", "e")
    assert f"{UV} now" in driver.text(), "a decision on the stored words leaves the draft"
    await driver.press("enter")
    assert state(curator, f"{UV} now") is State.ACTIVE
    assert driver.app.drafts.ids() == []
    assert driver.screen.focused is driver.screen.list
    await driver.press("e", *" then", "escape")
    assert len(driver.app.drafts.ids()) == 1
    driver.screen.take_in(curator.decisions.edit(driver.entry.id, headline="Other words of somebody else"))
    assert driver.app.drafts.ids() == [], "a draft of words that another change replaced"


async def test_a_draft_outlives_the_window_even_if_that_is_closed_while_typing(inbox: Inbox, curator: Curator) -> None:
    async with inbox() as driver:
        await driver.press("j", "j", "e", *" now", "escape", "a", *"Half a les")
    async with inbox() as driver:
        await driver.press("j", "j")
        assert f"draft, just now: {UV} now" in driver.text()
        driver.still.forward(3 * 3600)
        await driver.press("a")
        assert "Half a les" in driver.text()
        assert "draft, 3h ago" in driver.text()
        await driver.press(*["backspace"] * 10, "escape")
        assert len(driver.app.drafts.ids()) == 1, "what was emptied is no draft"
        app.forget.forget(curator, [driver.entry.id])
    async with inbox() as driver:
        assert driver.app.drafts.ids() == []


async def test_merge_shows_the_result_first_and_applies_it(driver: Driver, curator: Curator) -> None:
    await driver.press("j", "j", "m")
    assert isinstance(driver.app.screen, MergeScreen)
    assert "Run tests with uv" in driver.text()
    assert "2 new quotes" in driver.text()
    await driver.press("escape")
    assert state(curator, UV) is State.OPEN
    await driver.press("m", "y")
    assert state(curator, UV) is State.MERGED
    assert driver.headline == "Prefix migrations with the ticket id"


async def test_a_slightly_similar_lesson_is_offered_only_when_asked_twice(inbox: Inbox, curator: Curator, make: Make) -> None:
    best(curator, make, *TOKENS)
    async with inbox() as driver:
        await driver.press("slash", *"tokens", "enter", "m")
        assert "No similar lesson" in driver.text()
        await driver.press("j", "m")
        assert "No similar lesson" in driver.text(), "asked about another card"
        await driver.press("m")
        assert isinstance(driver.app.screen, MergeScreen)


async def test_what_shares_hardly_a_word_is_never_offered_for_a_merge(inbox: Inbox, curator: Curator, make: Make) -> None:
    best(curator, make, TOKENS[0], "Deploys of `tokens` wait for the weekly approval of finance")
    async with inbox() as driver:
        await driver.press("slash", *"tokens", "enter", "m", "m")
        assert "No similar lesson. To merge rows by hand" in driver.text()
        assert not isinstance(driver.app.screen, MergeScreen)


async def test_marked_rows_are_merged_into_one_of_them_and_no_other_row_takes_part(driver: Driver, curator: Curator) -> None:
    rows = driver.rows()
    await driver.press("j", "j", "space", "space", "m")
    first, second = (target.entry for target in driver.app.screen.targets)
    assert [first.headline, second.headline] == rows[2:4]
    await driver.press("2")
    assert "which becomes a lesson and then says" in driver.text()
    await driver.press("y")
    assert f"into the new lesson “{second.headline[:20]}" in driver.text()
    assert driver.app.today == app.statistics.today(curator) == {"merged": 1, "kept": 1}
    assert (curator.lessons.find(first.id).state, curator.lessons.find(second.id).state) == (State.MERGED, State.ACTIVE)
    assert "merged" in driver.text()
    assert driver.headline == rows[4], "the row under the cursor was not marked"
    assert state(curator, rows[4]) is State.OPEN


async def test_a_merge_of_many_shows_what_each_of_them_says(inbox: Inbox, curator: Curator, make: Make) -> None:
    words = ("Alpha paints doors red.", "Beta sings under bridges.", "Gamma counts sleeping sheep.")
    made = best(curator, make, *words)
    async with inbox() as driver:
        driver.screen.list.rows.marks = set(curator.lessons.rows_of([entry.id for entry in made]).values())
        await driver.press("m")
        shown = " ".join(driver.app.screen.texts)
        assert [text for text in words if text.rstrip(".") not in shown] == []
        await driver.press("y")
        assert sorted(curator.lessons.find(entry.id).state for entry in made) == [State.ACTIVE, State.MERGED, State.MERGED]
        assert "merged 2 into the new lesson “Alpha paints doors red.”" in driver.text()
        assert app.statistics.today(curator) == {"merged": 2, "kept": 1}
        await driver.press("u")
        assert [curator.lessons.find(entry.id).state for entry in made] == [State.OPEN] * 3
        assert [curator.lessons.find(entry.id).headline for entry in made] == [*words]


async def test_undo_of_a_merge_goes_back_to_the_card_that_was_acted_on(inbox: Inbox, curator: Curator, make: Make) -> None:
    words = ("Alpha paints all doors red.", "Alpha paints all the doors red today.")
    best(curator, make, *words, "Beta is what alpha was.")
    for acted in (0, 1):
        async with inbox() as driver:
            await driver.press("slash", *"alpha", "enter")
            rows = driver.rows()
            acting, other = words[acted], words[1 - acted]
            await driver.press(*("j" * rows.index(acting)), "m")
            assert driver.app.screen.targets[0].entry.headline == other
            await driver.press("y", "u")
            assert driver.headline == acting
            assert driver.rows() == rows
            await driver.press("m", "y", "slash", "enter", "u")
            assert sorted(driver.rows()) == sorted(rows)
            alike = [row for row in driver.rows() if row in words]
            assert alike == list(words), "in their order also where nobody knows any more where they stood"


async def test_a_digit_is_for_the_card_and_leaves_the_marks_of_others(driver: Driver, curator: Curator) -> None:
    rows = driver.rows()
    await driver.press("j", "j", "j", "space", "k", "k", "1")
    assert state(curator, "Run tests only through uv") is State.ACTIVE
    assert [driver.screen.list.head(seq).headline for seq in driver.screen.list.rows.marks] == [rows[3]]
    await driver.press("g", "g", "j", "1")
    assert REDIS not in driver.rows(), "the stale lesson was put away"
    assert rows[3] in driver.rows(), "the marked candidate was not"


async def test_a_batch_is_counted_by_its_rows(driver: Driver, curator: Curator) -> None:
    driver.screen.decisions.decide(
        lambda curator, ids: curator.decisions.resolve(ids[:1], Resolution.BOTH), ids=[driver.entry.id]
    )
    await driver.settle()
    assert f"both kept “{PNPM}”" in driver.text()
    await driver.press("u", "asterisk", "y")
    assert "kept 8" in driver.text()


async def test_the_line_of_news_says_what_became_of_which_lesson_and_what_takes_it_back(inbox: Inbox) -> None:
    async with inbox(120, 30) as driver:

        async def told(*keys: str) -> str:
            await driver.press(*keys)
            return " ".join(driver.text().split("\n")[-2].split())

        await driver.press("j", "j")
        snoozed = await told("Z", "2")
        until = moment(driver.still.at + 86_400, driver.still.at)
        assert snoozed == f"✓ snoozed until {until}: “{UV}” u undo"
        assert await told("u") == f"✓ undone: “{UV}” is in the inbox again U redo"
        assert (await told("U")).startswith(f"✓ redone: “{UV}” is snoozed until ")
        await driver.press("u")
        assert await told("i", "1") == f"✓ saved; press y to keep it: “{UV}” u undo"
        assert await told("u") == f"✓ undone: “{UV}” U redo"
        assert await told("x") == f"✗ dropped “{UV}” u undo"
        await driver.press("u")
        assert await told("e", "exclamation_mark", "enter") == f"✓ saved and kept “{UV}!” u undo"
        assert await told("u") == f"✓ undone: “{UV}” is in the inbox again U redo"
        assert await told("m", "y") == "✓ merged “Use `uv run pytest`, never ba…” into “Run tests with uv” u undo"
        assert "is in the inbox again, and 1 other with it" in await told("u")


async def test_the_editor_saves_without_keeping(inbox: Inbox, editor: Callable[[str], None], curator: Curator) -> None:
    editor("""sed -i '1s/.*/Other words/' "$1" """)
    async with inbox(120, 30) as driver:
        await driver.press("j", "j", "E")
        assert "✓ saved; press y to keep it: “Other words”" in driver.text()
        assert state(curator, "Other words") is State.OPEN


async def test_undo_brings_the_row_back_under_the_cursor(driver: Driver, curator: Curator) -> None:
    before = driver.rows()
    await driver.press("j", "j", "j", "x", "y", "u", "u")
    assert driver.rows() == before
    assert driver.headline == before[3]
    assert "All 8" in driver.text()
    await driver.press("U", "U")
    assert state(curator, before[3]) is State.DISMISSED
    assert state(curator, before[4]) is State.ACTIVE


async def test_undo_shows_a_row_that_another_split_or_filter_hides(driver: Driver) -> None:
    await driver.press("j", "j", "x", "right_square_bracket", "right_square_bracket")
    assert driver.screen.selection.split.name == "Conflicts"
    await driver.press("u")
    assert driver.headline == UV


async def test_ranges_apply_from_anchor_to_cursor(driver: Driver, curator: Curator) -> None:
    chosen = driver.rows()[2:5]
    await driver.press("j", "j", "v", "j", "j", "y")
    assert [state(curator, headline) for headline in chosen] == [State.ACTIVE] * 3
    await driver.press("u", "v", "j", "z")
    assert len(driver.rows()) == 6


async def test_prose_typed_into_the_wrong_pane_stops_after_a_burst(driver: Driver, curator: Curator) -> None:
    driver.pace = 0.03
    await driver.press(*"xyxyxyxyeaxy")
    assert "Stopped after 1 decision, in case you were typing. Press u to undo" in driver.text()
    assert len({event.batch for event in curator.lessons.history(people=True)}) == 1
    assert driver.screen.focused is driver.screen.list, "nothing else is done either"
    driver.pace = 0.4
    await driver.press("u", "x", "x")
    assert len(driver.rows()) == 6, "a silence ends it"


async def test_evidence_opens_and_closes_with_the_same_key(driver: Driver) -> None:
    await driver.press("j", "j", "o")
    assert isinstance(driver.app.screen, FullScreen)
    assert "7f3c.jsonl:412" in driver.text()
    await driver.press("l")
    assert "51c2.jsonl:90" in driver.text()
    await driver.press("o")
    assert driver.headline == UV


async def test_evidence_opens_with_lines_of_the_transcript(inbox: Inbox, curator: Curator, make: Make, tmp_path: Path) -> None:
    said = [records.user(f"line {at}") for at in range(40)]
    quoted = Evidence(quote="line 20", role=Role.HUMAN, file=str(tmp_path / "s.jsonl"), line=21, line_end=21)
    entry = make(project="demo", score=0.999, evidence=(quoted,))
    propose(curator, entry)
    async with inbox(100, 40) as driver:
        await driver.go(entry.headline)
        records.write(tmp_path / "s.jsonl", *said)
        await driver.press("o")
        assert isinstance(driver.app.screen, FullScreen)
        assert "s.jsonl:21" in driver.text()
        assert "line 19" in driver.text()
        await driver.press("o", "y", "g", "l", "o", "h")
        assert "history" in driver.text()
        assert "stated 1 time, quoted 1 time" in driver.text()


async def test_files_are_opened_in_the_editor_at_their_line_and_none_outside_the_project(
    inbox: Inbox, curator: Curator, editor: Callable[[str], None], tmp_path: Path
) -> None:
    opened = tmp_path / "opened"
    editor(f"echo $1 ${{2##*/}} >> '{opened}'")
    project = curator.project
    assert project is not None
    (tmp_path / "outside.py").write_text("secret = 1\n")
    (Path(project.folder) / "leads.py").symlink_to(tmp_path / "outside.py")
    lesson = curator.decisions.add("Look at the link", files=["leads.py"]).entries[0]
    assert app.project_files.files(curator, lesson) == [], "a link out of the project is not followed"
    async with inbox(100, 40) as driver:
        driver.screen.action_act("open-transcript")
        await driver.settle()
        assert not opened.exists()
        assert "The transcript of this quote is not on this machine." in driver.text()
        await driver.press("j")
        driver.screen.action_act("open-code")
        assert opened.read_text() == "+1 cache.py\n"


async def test_a_menu_clears_old_news_and_says_what_is_no_answer(driver: Driver) -> None:
    await driver.press("j", "j", "c", "t")
    assert driver.screen.toast.text.plain == ""
    await driver.press("9")
    assert "9 is not one of the choices" in driver.text()
    await driver.press("t", "escape")
    assert driver.screen.toast.text.plain == ""


async def test_evidence_of_a_stale_lesson_begins_with_its_code(inbox: Inbox) -> None:
    async with inbox(screen="cleanup") as driver:
        await driver.press("j", "o")
        assert "code 1/3" in driver.text()
        assert 'REDIS_ARGS = ["--save", ""]' in driver.text()
        await driver.press("l")
        assert "evidence 2/3" in driver.text()
        assert "the tmpfs is 64 MB" in driver.text()


async def test_typed_fast_keys_are_carried_out_in_order(driver: Driver, curator: Curator) -> None:
    """Both keys arrive before the first is drawn, as when a terminal sends them in one read."""
    driver.app.post_message(events.Key("g", "g"))
    driver.app.post_message(events.Key("l", "l"))
    await driver.settle()
    assert driver.screen.listing.NAME == "lessons"
    await driver.press("g", "i", "j", "j")
    driver.app.post_message(events.Key("m", "m"))
    driver.app.post_message(events.Key("y", "y"))
    await driver.settle()
    assert state(curator, UV) is State.MERGED


@pytest.mark.parametrize("key", ["e", "a", "/"])
async def test_letters_typed_behind_the_key_of_a_field_are_no_decisions(driver: Driver, key: str) -> None:
    """They were on their way to the list when its key opened the field, as where a line is slow, and come in one piece."""
    rows = len(driver.rows())
    for letter in (key, "x", "n"):
        driver.app.post_message(events.Key(letter, letter))
    await driver.settle()
    assert driver.app.focused.value.endswith("xn")
    await driver.press("escape")
    assert len(driver.rows()) == rows


async def test_the_history_takes_back_an_older_decision(driver: Driver, curator: Curator) -> None:
    rows = driver.rows()
    await driver.press("j", "j", "x", "x", "g", "h", "j", "u")
    assert state(curator, rows[2]) is State.OPEN
    assert state(curator, rows[3]) is State.DISMISSED


async def test_the_first_run_offers_to_read_or_the_demo(inbox: Inbox, place: Place) -> None:
    async with inbox(80, 24, curator=place("new", watch=False), watch=True) as driver:
        text = driver.screen.query_one("#card").text
        assert "No transcripts found" in text
        assert "sample data" in text
        await driver.press("1")
    assert driver.app.return_value == "demo"


async def test_the_history_is_of_people_however_much_was_detected_since(driver: Driver, curator: Curator, make: Make) -> None:
    await driver.press("j", "j", "x")
    rules(curator, make, 505)
    await driver.press("g", "h")
    assert f"dropped {UV}" in " ".join(driver.text().split())


async def test_a_late_answer_of_another_split_is_not_shown(inbox: Inbox, curator: Curator, make: Make) -> None:
    rules(curator, make, 250)
    async with inbox() as driver:
        screen = driver.screen
        late, everything = screen.data.loads, curator.lessons.order(screen.listing.rows_query(screen.selection))
        assert len(screen.list.rows) == len(everything) == 258
        await driver.press("right_square_bracket", "right_square_bracket")
        screen.data._complete(late, everything)
        assert len(screen.list.rows) == 1


async def test_no_key_is_given_to_two_actions_and_all_can_be_typed_anywhere() -> None:
    allowed = {"space", "escape", "enter", "up", "down", "left", "right", "home", "end", "pageup", "pagedown"}
    allowed |= {"ctrl+d", "ctrl+u", "ctrl+p", "tab"}
    for key in keymap():
        assert len(key) == 1 or key in allowed, key
    assert set(keymap().values()) == {action.name for action in ACTIONS if action.keys}
    assert len([action for action in ACTIONS if any(len(key) == 1 for key in action.keys)]) <= 33, "the palette has the rest"


async def test_keys_can_be_remapped(inbox: Inbox, sample: Sample) -> None:
    curator = sample(keys={"keep": "k", "up": "I"})
    async with inbox(curator=curator) as driver:
        await driver.press("j", "j", "k")
        assert state(curator, UV) is State.ACTIVE


async def test_the_footer_tells_the_keys_of_an_open_field(driver: Driver) -> None:
    await driver.press("j", "j", "e")
    assert "enter Save and keep" in driver.text().split("\n")[-1]
    assert driver.text().count(UV) == 2, "in the list and in the field"
    assert "2 Run every Python tool" not in driver.text(), "a digit is a letter now"
    await driver.press("escape")
    assert "y Keep" in driver.text().split("\n")[-1]
    await driver.press("m", "e")
    assert "y enter Apply" not in driver.text().split("\n")[-1]
    await driver.press("escape")
    assert "y enter Apply" in driver.text().split("\n")[-1]
    await driver.press("escape", "g", "l", "e")
    assert driver.text().split("\n")[-1].split()[:3] == ["enter", "Save", "tab"], "a lesson is kept already"


@pytest.mark.parametrize(
    ("env", "unicode"), [({"LC_ALL": "C"}, False), ({"LANG": "POSIX"}, False), ({"LANG": "C.UTF-8"}, True), ({}, True)]
)
def test_ascii_is_drawn_where_the_locale_asks_for_it(env: dict[str, str], unicode: bool) -> None:
    from curator.tui.app import speaks_unicode

    assert speaks_unicode(env) is unicode


async def test_the_preview_is_of_the_target_that_is_chosen(inbox: Inbox, curator: Curator, make: Make) -> None:
    for number, tool in enumerate(("tox", "nox")):
        lesson = make(
            project="demo",
            state=State.ACTIVE,
            headline=f"Run tests with {tool}, never bare pytest",
            insight=f"Bare pytest picks the system Python, {tool} does not.",
            slug=f"run-{number}",
        )
        propose(curator, lesson)
    async with inbox(120, 40) as driver:
        await driver.press("j", "j", "m")
        merge = driver.app.screen
        assert isinstance(merge, MergeScreen)
        assert len(merge.targets) > 1
        for digit, target in enumerate(merge.targets, 1):
            await driver.press(str(digit))
            preview = driver.text().split("and then says")[1].split(" in all")[0]
            assert any(line.strip(" │-").startswith(target.entry.headline) for line in preview.split("\n")), preview


async def test_a_decided_version_of_a_lesson_is_in_no_list_of_dropped_ones(inbox: Inbox, curator: Curator, make: Make) -> None:
    fields = {"project": "demo", "state": State.DISMISSED}
    version = make(headline="A version", signal="file", fingerprint="file:AAAA-9999:x", **fields)
    changes = [(Verb.PROPOSE, Change(before=None, after=one)) for one in (version, make(headline="A candidate", **fields))]
    curator.store.apply(changes, actor="import", at=1.0)
    async with inbox() as driver:
        await driver.press("g", "l", "right_square_bracket", "right_square_bracket")
        assert driver.rows() == ["A candidate"]


async def test_what_expired_or_was_dropped_waits_again_with_b(inbox: Inbox, curator: Curator, make: Make) -> None:
    (reopened,) = best(curator, make, "Pin the compiler", state=State.EXPIRED)
    async with inbox() as driver:
        await driver.press("j", "j", "j", "x", "g", "l", "left_square_bracket")
        assert driver.rows() == [reopened.headline]
        await driver.press("b")
        assert curator.lessons.find(reopened.id).state is State.OPEN
        assert f"back in the inbox: “{reopened.headline[:20]}" in driver.text()
        await driver.press("left_square_bracket", "b")
        assert len(list(curator.lessons.entries(curator.lessons.library((State.DISMISSED,))))) == 0
        await driver.press("u", "u")
        assert curator.lessons.find(reopened.id).state is State.EXPIRED


async def test_marked_rows_of_two_projects_do_not_merge(inbox: Inbox, curator: Curator, make: Make, tmp_path: Path) -> None:
    for name in ("alpha", "beta"):
        (tmp_path / name).mkdir()
        project = curator.enter(str(tmp_path / name))
        curator.store.sources.remember(project, project.folder)
        entry = make(project=project.id, score=0.99, headline=f"Only {name} counts sheep", insight="")
        propose(curator, entry)
    curator.project = None
    async with inbox() as driver:
        await driver.press("slash", *"sheep", "enter", "space", "space", "m")
        assert not isinstance(driver.app.screen, MergeScreen)
        assert re.search("but these are from (alpha and beta|beta and alpha)", " ".join(driver.text().split()))
    async with inbox(45, 40) as driver:
        await driver.press("slash", *"sheep", "enter", "space", "space", "m")
        assert "You can merge only rows of one project" in driver.text(), "what to do stands first, and is not cut"


async def test_a_merge_of_unlike_marked_rows_warns_above_the_diff(inbox: Inbox, curator: Curator, make: Make) -> None:
    words = ("Alpha paints doors red.", "Beta sings under bridges.", "Alpha paints the doors red.")
    made = best(curator, make, *words)
    for marked, warns in ((made[:2], True), (made[::2], False)):
        async with inbox() as driver:
            driver.screen.list.rows.marks = set(curator.lessons.rows_of([entry.id for entry in marked]).values())
            await driver.press("m")
            shown = driver.text()
            assert ("No similar lesson: " in shown) == warns
            assert "y enter Apply" in " ".join(shown.split())
            if warns:
                assert shown.index("No similar lesson: ") < shown.index(
                    "and then says" if "and then says" in shown else "becomes a lesson"
                )


@pytest.mark.parametrize("undone", [False, True])
async def test_what_a_decision_did_is_said_until_the_cursor_goes_on_to_another_row(driver: Driver, undone: bool) -> None:
    await driver.press("j", "j", "y", *("u" if undone else ""))
    assert UV in driver.text().splitlines()[-2]
    await driver.press("J")
    assert UV in driver.text().splitlines()[-2], "the same row"
    await driver.press("j")
    assert not driver.text().splitlines()[-2].strip()


async def test_of_an_undone_merge_it_is_said_whole_how_many_came_back(inbox: Inbox, curator: Curator, make: Make) -> None:
    words = ("Alpha paints all doors red " + "and blue " * 15, "Alpha paints all the doors red " + "and green " * 15)
    made = [make(project="demo", score=0.999, headline=text.strip(), insight="") for text in words]
    propose(curator, *made)
    async with inbox(160, 45) as driver:
        await driver.press("slash", *"alpha", "enter", "space", "space", "m", "y", "u")
        assert "is in the inbox again, and 1 other with it" in driver.text().splitlines()[-2]
        await driver.press("U", "g", "h")
        lines = driver.text()
        assert "merged" in lines
        assert "kept" not in lines
        assert "and 2 others" not in lines, "two cards"


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("y", {PNPM: State.ACTIVE, NPM: State.RETIRED}),
        ("1", {PNPM: State.ACTIVE, NPM: State.RETIRED}),
        ("s", {PNPM: State.ACTIVE, NPM: State.RETIRED}),
        ("2", {PNPM: State.DISMISSED, NPM: State.ACTIVE}),
        ("x", {PNPM: State.DISMISSED, NPM: State.ACTIVE}),
        ("3", {PNPM: State.ACTIVE, NPM: State.ACTIVE}),
        ("4", {PNPM: State.OPEN}),
        ("4y", {PNPM: State.MERGED}),
        ("X5", {PNPM: State.OPEN, NPM: State.ACTIVE}),
        ("jxx", {REDIS: State.RETIRED, UV: State.DISMISSED}),
        (["j", "j", "e", *"!?", "enter"], {f"{UV}!?": State.ACTIVE}),
        (["j", "j", "colon", *"drop", "enter"], {UV: State.DISMISSED}),
        (["j", "x", "g", "l", "right_square_bracket", "y"], {REDIS: State.ACTIVE}),
    ],
    ids=str,
)
async def test_keys_decide(driver: Driver, curator: Curator, keys: Sequence[str], expected: dict[str, State]) -> None:
    await driver.press(*keys)
    assert {headline: state(curator, headline) for headline in expected} == expected


async def test_what_is_no_conflict_becomes_an_ordinary_candidate(driver: Driver) -> None:
    await driver.press("X", "5")
    assert PNPM in driver.rows()
    assert "Conflicts 0" in driver.text()


@pytest.mark.parametrize("words", ["hide it for a day", "wording", "mark all"])
async def test_help_is_searched_and_runs_what_is_called_so(driver: Driver, curator: Curator, words: str) -> None:
    await driver.press("j", "j", "question_mark")
    assert isinstance(driver.app.screen, HelpScreen)
    await driver.press(*words, "enter")
    if words == "wording":
        assert isinstance(driver.app.screen, HelpScreen)
        await driver.press("escape")
    assert (UV in driver.rows()) == (words != "hide it for a day"), "digits need a digit: nothing is run, and nothing breaks"
    assert state(curator, UV) is State.OPEN
    assert len(driver.screen.list.rows.marked_rows()) == (8 if words == "mark all" else 0)


async def test_the_library_has_the_same_keys(driver: Driver, curator: Curator) -> None:
    await driver.press("g", "l")
    target = driver.headline
    await driver.press("x")
    assert state(curator, target) is State.RETIRED
    await driver.press("right_square_bracket")
    assert driver.rows() == [target]


async def test_the_leader_key_goes_everywhere_and_escape_back_to_the_inbox(driver: Driver) -> None:
    await driver.press("G")
    assert driver.headline == "COPY can't load audited tables"
    await driver.press("g", "g")
    assert driver.headline == PNPM
    for place, words in (("l", "lessons 1/"), ("h", "History"), ("c", "cleanup 1/")):
        await driver.press("g", place)
        assert words in driver.text()
        await driver.press("escape")
        assert driver.screen.listing.NAME == "inbox"
    await driver.press("g", "l", "g", "i")
    assert driver.screen.listing.NAME == "inbox"


@pytest.mark.parametrize("key", ["m", "s"])
async def test_one_marked_row_is_what_merge_and_supersede_act_on(driver: Driver, key: str) -> None:
    row = driver.rows()[2]
    await driver.press("j", "j", "space", key)
    assert isinstance(driver.app.screen, MergeScreen)
    assert [entry.headline for entry in driver.app.screen.entries] == [row]
    await driver.press("escape", "space", "s")
    assert "You can replace only one lesson at a time" in driver.text()


@pytest.mark.parametrize(
    ("pace", "keys", "left", "news"),
    [
        (0.1, "xxx", 6, "Stopped after 2 decisions, in case you were typing. Press u to undo"),
        (0.16, "xyxyxyx", 1, ""),
        (0.033, "jjjjjjjkjjjj", 8, ""),
    ],
    ids=["a burst", "a person's pace", "a held key"],
)
async def test_only_a_burst_of_decisions_counts_as_typing(driver: Driver, pace: float, keys: str, left: int, news: str) -> None:
    driver.pace = pace
    await driver.press(*keys)
    assert (len(driver.rows()), "typing" in driver.text()) == (left, bool(news))
    assert news in driver.text()
    assert keys[0] == "x" or driver.headline == driver.rows()[7]


async def test_what_is_typed_or_pasted_into_a_field_decides_nothing(driver: Driver, curator: Curator) -> None:
    driver.app.post_message(events.Paste("yyyxxx"))
    await driver.press("slash", *"yxu", "escape")
    assert len(driver.rows()) == 8
    assert [event for event in curator.lessons.history() if event.actor == "person"] == []


async def test_a_row_decided_elsewhere_is_dimmed_until_undone_or_left(driver: Driver, curator: Curator) -> None:
    await driver.press("j", "j")
    other = curator.fork()
    other.decisions.drop([driver.entry.id])
    await driver.poll()
    assert driver.headline == UV
    assert "decided in another window" in driver.text()
    for key in ("y", "1", "m", "e", "X"):
        await driver.press("g", "j", key)
        assert "Another window has already decided this card. Press j or k to move on" in driver.text(), key
    assert state(curator, UV) is State.DISMISSED, "never last write wins"
    other.decisions.undo()
    await driver.poll()
    assert not driver.screen.list.rows.settled_rows
    other.decisions.edit(driver.entry.id, headline="Other words by now")
    await driver.poll()
    assert "Other words by now" in driver.screen.query_one("#card").text
    other.decisions.drop([driver.entry.id])
    other.close()
    await driver.poll()
    await driver.press("j")
    assert "Other words by now" not in driver.rows()
    assert UV not in driver.rows()


async def test_a_row_that_was_decided_elsewhere_and_undone_can_be_kept(driver: Driver, curator: Curator) -> None:
    await driver.press("j", "j")
    with closing(curator.fork()) as other:
        other.decisions.drop([driver.entry.id])
        await driver.poll()
        other.decisions.undo()
    await driver.poll()
    await driver.press("y")
    assert state(curator, UV) is State.ACTIVE


async def test_arrivals_wait_behind_the_pill_and_move_nothing(inbox: Inbox, curator: Curator, make: Make) -> None:
    async with inbox(100, 22) as driver:
        await driver.press("j", "j", "j")
        rows = driver.screen.list.rows
        before, depth, at = driver.rows(), rows.position - rows.top, driver.headline
        with closing(curator.fork()) as other:
            propose(other, make(project="demo", headline="Arrived meanwhile", score=0.99, updated=driver.still.at))
        await driver.poll()
        for key in ("escape", "o", "question_mark", "m"):
            await driver.press(key, "escape")
            assert driver.rows() == before, "an overlay leaves the list below it as it was"
            assert "1 new" in driver.text()
        await driver.press("R")
        assert "Arrived meanwhile" in driver.rows()
        assert driver.headline == at
        assert rows.position - rows.top == depth, "the row under the cursor stays where it is on the screen"
        assert "1 new row above (press home to see the best)" in driver.text()
        await driver.press("R")
        assert "no new cards" in driver.text()


async def test_inbox_zero_counts_today_and_the_cards_of_other_projects(inbox: Inbox, curator: Curator, make: Make) -> None:
    propose(curator, make(project="another"))
    async with inbox() as driver:
        await driver.press("asterisk", "y")
        for words in ("Inbox zero - ", "0 dropped", "press p to see 1 card in other projects"):
            assert words in driver.text()


async def test_the_emptied_inbox_says_what_is_behind_the_cap(inbox: Inbox, curator: Curator, make: Make) -> None:
    scores = {f"Scored {n}": 0.99 - n / 1000 for n in range(7)}
    propose(curator, *(make(project="demo", session="many", score=score, headline=name) for name, score in scores.items()))
    async with inbox() as driver:
        shown = len(driver.rows())
        await driver.press("j", "j", "x")
        assert len(driver.rows()) == shown - 1, "a decision lets nothing up"
        for keys, count in (("", shown - 1), ("u", shown), ("x", shown - 1)):
            await driver.press(*keys)
            assert f"All {count} " in driver.text()
            assert f"inbox 3/{count} " in driver.text()
        assert " new " not in driver.text()
        await driver.press("asterisk", "x")
        assert "press + to see 3 weaker cards" in driver.text()
        for rows in (["Scored 4", "Scored 5", "Scored 6"], []):
            await driver.press("plus")
            assert driver.rows() == rows


TIMED: dict[str, tuple[list[tuple[float, str]], int, float]] = {
    "measured": ([(0, "j"), (0, "j"), (2, "y")], 1, 2.5),
    "a pause is no time of a decision": ([(360, "y"), (2.5, "y")], 2, 3.0),
    "with keys it is no pause": ([(25, "w"), (25, "w"), (0, "y")], 1, 51.5),
    "keys in the editor": (
        [(0, "j"), (0, "j"), (0, "e"), *((20, key) for key in ("space", "a", "t")), (0, "escape"), (0, "x")],
        1,
        63.0,
    ),
    "keys over the list": ([(0, "o"), (25, "j"), (25, "k"), (25, "escape"), (0, "x")], 1, 77.5),
    "a pause over the list": ([(0, "o"), (90, "escape"), (0, "x")], 1, 0),
    "a pause in the editor": ([(0, "j"), (0, "j"), (0, "e"), (0, "space"), (0, "a"), (90, "b"), (0, "ctrl+s")], 1, 0),
    "the same card drawn again": ([(0, key) for key in ("j", "j", "e", "escape", "w", "l", "y")], 1, 2.5),
}
"""Seconds before each key and the key, which takes half a second; the number of decisions and the median of their seconds."""


@pytest.mark.parametrize(("steps", "decisions", "median"), TIMED.values(), ids=TIMED)
async def test_seconds_of_a_decision(
    driver: Driver, curator: Curator, steps: list[tuple[float, str]], decisions: int, median: float
) -> None:
    for seconds, key in steps:
        driver.still.forward(seconds)
        await driver.press(key)
    found = app.statistics.summary(curator)
    assert (found["decisions"], found["seconds_median"], found["seconds_p90"]) == (decisions, median, median)


async def test_scope_and_category_are_one_more_key_and_no_decision(driver: Driver, curator: Curator) -> None:
    await driver.press("j", "j", "e", *"early ", "escape", "i")
    card = driver.entry.id
    assert "1 constraint" in driver.text()
    assert "7 tooling" in driver.text()
    await driver.press("7")
    assert (driver.entry.id, driver.entry.category, driver.entry.state) == (card, Category.TOOLING, State.OPEN)
    assert driver.app.drafts.get(card), "a draft outlasts another category"
    await driver.press("t", "2")
    assert driver.entry.scope == "global"
    assert driver.app.today == app.statistics.today(curator) == {}
    await driver.press("y")
    assert driver.app.today == app.statistics.today(curator) == {"kept": 1}
    await driver.press("j", "j", "t")
    assert "3 Only vendor/markdown" in driver.text()
    await driver.press("3")
    assert driver.entry.paths == ("vendor/markdown",)


async def test_another_category_of_a_lesson_is_no_timed_decision(driver: Driver, curator: Curator) -> None:
    await driver.press("j", "j", "y", "g", "l")
    before = app.statistics.summary(curator)
    driver.still.forward(40)
    await driver.press("i", "3")
    after = app.statistics.summary(curator)
    assert {key: after[key] for key in before if "seconds" in key or "over" in key} == {
        key: before[key] for key in before if "seconds" in key or "over" in key
    }


async def test_why_shows_the_rule_and_the_parts_of_the_score_and_the_editor_counts_words(driver: Driver) -> None:
    await driver.press("j", "j", "w")
    assert "You corrected the agent (rule correction), score" in driver.text()
    assert "+0.35  person said it" in driver.text()
    await driver.press("escape", "e", *" a b c d e f g h i j k l")
    assert "19/16 too many" in driver.text()
