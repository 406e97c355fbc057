"""What a card says, as text."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text

from curator.model import (
    FROM_FILE,
    MEMORY,
    Category,
    Durability,
    Entry,
    Evidence,
    Finding,
    Line,
    Relating,
    Relation,
    Role,
    State,
    Wording,
)
from curator.tui.card import View, layout, meta
from curator.tui.styles import palette_of
from tests.tui.conftest import Make

PALETTE = palette_of({}, dark=True)
SAYING = "no - always uv run, I told you yesterday and the day before; the system Python has none of our packages, as you know"


def styled(entry: Entry, width: int = 76, height: int = 12, **more: Any) -> list[Text]:
    return layout(entry, View(now=entry.created, project="app", **more), width, PALETTE, height).lines


def drawn(entry: Entry, width: int = 76, height: int = 12, **more: Any) -> list[str]:
    return [line.plain.rstrip() for line in styled(entry, width, height, **more)]


def test_a_card_of_a_template_says_so(make: Make) -> None:
    assert "left out: part of a template" in meta(make(left_out=True), View(now=0.0, project="app"))


def test_a_conflict_says_when_the_other_side_was_stated_not_when_it_was_kept(make: Make) -> None:
    old = make(state=State.ACTIVE, headline="Use npm")
    old = old._replace(updated=old.created + 1_800.0)
    new = make(headline="Use pnpm", rival=Relation(other=old.id, relating=Relating.CONTRADICTS, certain=True))
    new = new._replace(created=old.created + 1_860.0)
    assert "It contradicts a lesson stated 31m ago:" in drawn(new, 80, rival=old)


@pytest.mark.parametrize("width", [41, 76])
def test_a_guess_says_that_it_is_one_and_what_y_does_then(make: Make, width: int) -> None:
    old = make(state=State.ACTIVE, headline="Config is read from settings.toml", files=("api/a.py",))
    rival = Relation(other=old.id, relating=Relating.SUPERSEDES)
    new = make(headline="Config moved to environment variables", rival=rival, files=("web/a.py",))
    text = " ".join("\n".join(drawn(new, width, 24, rival=old)).split())
    assert "Perhaps it would replace a lesson" in text
    assert "3 both, new in web/, old in api/ 4 merge y = 3" in text
    certain = new._replace(rival=rival._replace(certain=True))
    text = " ".join("\n".join(drawn(certain, width, 24, rival=old)).split())
    assert "It would replace a lesson" in text
    assert "3 both, new in web/, old in api/ 4 merge y = 1, the new one replaces the old one" in text


def test_a_clash_with_a_lesson_s_own_file_names_the_file_and_what_is_here(make: Make) -> None:
    here = make(state=State.ACTIVE, headline="Releases go out on Tuesdays")
    clash = Relation(other=here.id, relating=Relating.CONTRADICTS)
    file = make(headline="Ship with make release", signal=FROM_FILE, fingerprint=f"{FROM_FILE}:{here.id}:1", rival=clash)
    text = "\n".join(drawn(file, 80, 24, rival=here))
    assert "The lesson file and your database differ:" in text
    assert "1 the file's  just now\n  Ship with make release" in text
    assert "2 yours  you, just now\n  Releases go out on Tuesdays" in text
    assert "\n1 the new one" not in text
    assert "y = 1, the file's replaces yours" in text
    text = "\n".join(drawn(file, 80, 24, rival=here, team="red"))
    assert "The team red has another version:\n1 the team's  just now" in text


def test_a_card_from_a_file_says_that_it_would_be_pinned(make: Make) -> None:
    file = make(headline="Ship with make release", signal=FROM_FILE, durability=Durability.PINNED)
    view = View(now=file.created, project="app")
    assert meta(file, view).endswith("pinned")
    assert "pinned" not in meta(file._replace(durability=Durability.DURABLE), view)


def quoting(quote: str, *around: Line) -> Evidence:
    return Evidence(quote=quote, role=Role.HUMAN, file="s.jsonl", line=1, line_end=1, excerpt=around)


def test_each_text_stands_on_a_card_once(make: Make) -> None:
    rest = "since npm breaks the links"
    offered = (
        Wording("use pnpm in web!", f"Use pnpm in web, {rest}.", "as it stands"),
        Wording("Use pnpm in web", "Use pnpm in web.", "brief"),
        Wording("Use pnpm in web", f"The build failed. Use pnpm in web, {rest}.", "with its context"),
    )
    entry = make(headline="Use pnpm in web", insight=f"use pnpm in web, {rest}", wordings=offered, evidence=(quoting("Ok?"),))
    text = "\n".join(drawn(entry))
    assert text.lower().count("use pnpm in web") == text.count(rest) == 1
    assert "\n1 " not in text, "what is offered there is on the card"
    assert "2 the headline alone" in text
    assert "3 The build failed. …" in text
    assert drawn(entry)[0] == f"use pnpm in web, {rest}"


def test_of_what_was_said_around_a_quote_a_card_has_three_lines_with_the_quote_marked(make: Make) -> None:
    saying = "okay then, never wrap long lines in the docs since GitHub renders these as breaks, and add the videos"
    around = (
        Line(Role.HUMAN, "Go on. " * 40),
        Line(Role.ASSISTANT, "I wrapped all lines. " * 40),
        Line(Role.HUMAN, f"{saying}; {'then tell me more of it, ' * 40}", hit=True),
        Line(Role.ASSISTANT, "Done. " * 40),
    )
    statement = "Never wrap long lines in the docs since GitHub renders these as breaks"
    entry = make(headline="Never wrap long lines in the docs", insight=statement, evidence=(quoting(saying, *around),))
    for height in (12, 41):
        lines = drawn(entry, 76, height)
        assert lines[:2] == [statement, ""]
        assert lines[2].startswith("You stated a rule")
        assert lines[2].endswith("o full")
        assert lines[3].startswith("agent I wrapped all lines.")
        assert lines[4].startswith("you   okay then, never wrap long … and add the videos; then tell me more"), "no text twice"
        assert lines[5].endswith("…")
        assert len(lines) == 6
    hit = next(line for line in styled(entry, 76, 41) if line.plain.startswith("you"))
    marked = {hit.plain[span.start : span.end] for span in hit.spans if span.style == PALETTE.hit}
    assert any("never wrap" in text for text in marked)
    assert [line.plain for line in styled(entry, 76, 41) if line.style == PALETTE.strong] == [], "only a headline is bold"


def test_a_note_of_an_agent_stands_on_its_card_once(make: Make) -> None:
    note = Evidence(quote=SAYING, role=Role.ASSISTANT, file="~/m.md", line=1, line_end=1, digest="d")
    entry = make(headline="Always uv run", insight=SAYING, evidence=(note,), signal=MEMORY)
    assert " ".join(drawn(entry)).count("the system Python") == 1
    other = entry._replace(evidence=(note._replace(quote=f"{SAYING}. {'more of it ' * 9}"),))
    assert "more of it" in " ".join(drawn(other)), "what the card does not say is shown"


def test_the_card_of_a_note_says_what_was_found_about_it(make: Make) -> None:
    said = "Gone: api/cache.py. Why: it hid a race."
    shown = [" ".join(drawn(make(context=said, signal=signal))) for signal in (MEMORY, "correction")]
    assert [said in text for text in shown] == [True, False]


def test_the_line_before_a_quote_says_something(make: Make) -> None:
    around = (
        Line(Role.TOOL_CALL, "\n\ngo test ./... -run TestUnmarshal"),
        Line(Role.HUMAN, "really?\n\nCan't we be strict?", hit=True),
    )
    lines = drawn(make(headline="Be strict", insight="Be strict.", evidence=(quoting("Can't we be strict?", *around),)), 76, 41)
    assert lines[3:] == ["agent go test ./... -run TestUnmarshal", "you   really?", "      Can't we be strict?"]


def test_where_headline_and_insight_differ_both_are_shown_and_the_headline_is_bold(make: Make) -> None:
    entry = make(headline="Use pnpm", insight="Workspace links break otherwise.", evidence=(quoting("pnpm please"),))
    lines = styled(entry)
    assert [line.plain for line in lines[:2]] == ["Use pnpm", "Workspace links break otherwise."]
    assert [line.plain for line in lines if line.style == PALETTE.strong] == ["Use pnpm"]


def test_a_quote_that_repeats_one_run_of_words_for_ever_is_shortened_at_once(make: Make) -> None:
    words = "one two three four five six seven"
    entry = make(headline=words, insight=f"{words} " * 400, evidence=(quoting("and more " * 6 + f"{words} " * 4000),))
    assert any(line.endswith("one two three …") for line in drawn(entry, 76, 12))


def test_a_turn_that_says_little_else_than_the_lesson_is_shown_as_it_was_said(make: Make) -> None:
    saying = "yes and do not wrap long lines in the markdown"
    entry = make(headline="Do not wrap long lines in the markdown", insight="", evidence=(quoting(saying),))
    assert drawn(entry, 76, 12)[-1] == f"you   {saying}"


def test_a_conflict_says_each_side_once_with_its_reason(make: Make) -> None:
    old = make(state=State.ACTIVE, headline="Install with npm everywhere", insight="Install with npm everywhere, as CI does.")
    rival = Relation(other=old.id, relating=Relating.CONTRADICTS)
    new = make(headline="Use pnpm", insight="Workspace links break otherwise.", rival=rival)
    text = "\n".join(drawn(new, rival=old))
    for said in (new.headline, new.insight, old.headline, "as CI does."):
        assert text.count(said) == 1, said
    same = make(headline="Install with npm everywhere", insight="Install with npm everywhere, as docs say.", rival=rival)
    assert "Install with npm everywhere" in "\n".join(drawn(same, rival=old)), "what both say is said"


def test_a_conflict_says_which_side_holds_in_every_project(make: Make) -> None:
    old = make(state=State.ACTIVE, headline="Install with npm", scope="global", evidence=())
    new = make(headline="Use pnpm", rival=Relation(other=old.id, relating=Relating.CONTRADICTS))
    lines = drawn(new, rival=old)
    assert [line.endswith(", everywhere") for line in lines if line[:2] in ("1 ", "2 ")] == [False, True]
    assert "everywhere" not in "\n".join(drawn(new._replace(scope="global"), rival=old)), "both do"


SWAPPED = ("Run it with gotestsum, not go test", "Run it with go test, not gotestsum", (("gotestsum, not go test", "go test"),))
APART = ("Alpha paints doors", "Sheep count themselves", (("Alpha paints doors", "Sheep count themselves"),))
REASON = ("Use npm", "The web app is for pnpm alone", (("npm", "pnpm"),))


@pytest.mark.parametrize("signal", ["rule", "file"])
@pytest.mark.parametrize(("was", "is_", "clash"), [SWAPPED, APART, REASON])
def test_every_conflict_says_who_said_it_when_and_what_keys_do(make: Make, was: str, is_: str, clash: Any, signal: str) -> None:
    lesson = make(state=State.ACTIVE, headline=was, insight=f"{was}.", evidence=())
    rival = Relation(other=lesson.id, relating=Relating.CONTRADICTS, clash=clash, certain=True)
    fingerprint = f"file:{lesson.id}:1" if signal == "file" else "print"
    entry = make(signal=signal, fingerprint=fingerprint, headline=is_, insight=f"{is_}.", rival=rival, evidence=(quoting("q"),))
    lines = drawn(entry, 76, rival=lesson)
    newer, older = (next(at for at, line in enumerate(lines) if line.startswith(f"{key} ")) for key in "12")
    assert (
        lines[newer].endswith("  just now" if signal == "file" else "  you, just now"),
        lines[older].endswith("  by hand, just now"),
    ) == (True, True)
    assert (lines[newer + 1], lines[older + 1]) == (f"  {is_}", f"  {was}")
    said = "the file's replaces yours" if signal == "file" else "the new one replaces the old one"
    assert f"3 both   4 merge   y = 1, {said}" in lines
    assert not any("clash" in line for line in lines), "both texts say it"


def test_the_words_that_clash_are_marked_in_both_texts(make: Make) -> None:
    for was, is_, clash in (SWAPPED, REASON):
        lesson = make(state=State.ACTIVE, headline=was, insight=was)
        entry = make(headline=is_, rival=Relation(other=lesson.id, relating=Relating.CONTRADICTS, clash=clash))
        lines = styled(entry, rival=lesson)
        marked = {
            line.plain[span.start : span.end].lower() for line in lines for span in line.spans if "underline" in str(span.style)
        }
        assert marked >= ({"npm", "pnpm"} if clash == REASON[2] else {"gotestsum, not go test", "go test, not gotestsum"})


@pytest.mark.parametrize("kind", ["candidate", "stale"])
def test_the_quote_can_be_read_where_there_is_little_room(make: Make, kind: str) -> None:
    long = "Every package of this repository is installed and run through uv, never through pip or a bare interpreter, " * 4
    around = (
        Line(Role.ASSISTANT, "Why?\n" * 9),
        Line(Role.HUMAN, f"Listen: {SAYING}", hit=True),
        Line(Role.TOOL_CALL, "ls " * 99),
    )
    diff = "@@ -1 +1 @@\n" + "-old line\n+new line\n" * 20
    kinds: dict[str, dict[str, Any]] = {
        "candidate": {"wordings": (Wording("Run all of it through uv " * 5, long, "longer"),) * 3},
        "stale": {"state": State.ACTIVE, "findings": (Finding(path="a.py", diff=diff),)},
    }
    more = kinds[kind]
    entry = make(headline="Run it through uv", insight=long, evidence=(quoting(SAYING, *around),), context="Elsewhere", **more)
    for width, height in ((76, 12), (45, 21), (45, 12), (76, 9), (78, 5)):
        lines = drawn(entry, width, height)
        seen = " ".join(" ".join(lines[:height]).split())
        wanted = SAYING.split()[: 6 if height < 8 else 10]
        assert " ".join(wanted) in seen, (width, height, lines)
        assert max(map(cell_len, lines)) <= width
        assert " ".join(long.split()[-3:]) in " ".join(" ".join(lines).split()), "what was cut can be scrolled to"
    assert SAYING.split()[-1] in " ".join(drawn(entry, 100, 60))


@pytest.mark.parametrize(("severity", "word"), [(0.21, "somewhat"), (0.9, "much"), (0.1, "slightly")])
def test_how_much_code_changed_is_said_in_words(make: Make, severity: float, word: str) -> None:
    kept = {"findings": (Finding(path="a.py", severity=severity, diff="@@ -1 +1 @@\n-a\n+b\n"),), "state": State.ACTIVE}
    text = "\n".join(drawn(make(evidence=(quoting("Ok?"),), **kept), 76, 24))
    assert word in text
    assert "severe" not in text


@given(st.text(max_size=90), st.text(max_size=300), st.text(min_size=1, max_size=300), st.integers(20, 90), st.integers(1, 30))
def test_any_text_fits_and_leaves_the_quote_its_place(headline: str, insight: str, quote: str, width: int, height: int) -> None:
    entry = Entry(
        id="A",
        project="p",
        state=State.OPEN,
        category=Category.TOOLING,
        created=0.0,
        updated=0.0,
        headline=headline,
        insight=insight,
        evidence=(quoting(quote, Line(Role.HUMAN, quote, hit=True)),),
    )
    lines = styled(entry, width, height)
    assert all(line.cell_len <= width for line in lines)
    if height >= 8:
        assert any(line.plain.endswith("o full") for line in lines[: height - 1])


def test_a_headline_that_was_cut_is_not_said_twice(make: Make) -> None:
    entry = make(headline="Run the whole suite in…", insight="Run the whole suite in a container of its own", evidence=())
    assert "\n".join(drawn(entry, 76, 24)).count("Run the whole suite") == 1
