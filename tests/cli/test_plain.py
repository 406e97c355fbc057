"""``review --plain``: the whole inbox, one line of input after another."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from curator.keymap import ACTIONS
from curator.model import Drift, Entry, Evidence, Finding, Kind, Line, Relating, Relation, Role, State, Wording
from tests.cli.conftest import Done, Make, Shell

OLD, NEW, STALE = "BBBB-0001", "CCCC-0001", "DDDD-0001"


def waiting(make: Make, count: int) -> list[Entry]:
    """Candidates that come in this order."""
    return [make(headline=f"Rule {at}", insight=f"Rule {at} in full.", score=1 - at / 10) for at in range(1, count + 1)]


def disputed(make: Make, *, certain: bool = True) -> list[Entry]:
    rival = Relation(other=OLD, relating=Relating.CONTRADICTS, clash=(("npm", "pnpm"),), certain=certain)
    return [
        make(id=OLD, state=State.ACTIVE, headline="Use npm", insight="Use npm", slug="use-npm"),
        make(id=NEW, headline="Use pnpm", insight="Use pnpm", rival=rival),
    ]


def outdated(make: Make) -> Entry:
    return make(id=STALE, state=State.ACTIVE, slug="s", findings=(Finding(path="a.py", drift=Drift.BODY, diff="-a\n+b\n"),))


def plain(shell: Shell, *letters: str) -> Done:
    done = shell("review", "--plain", typed="".join(f"{letter}\n" for letter in letters))
    assert (done.code, done.err) == (0, "")
    return done


def states(shell: Shell, *ids: str) -> list[str]:
    return [shell.state(id_) for id_ in ids]


def cards(done: Done) -> list[str]:
    """The first lines of the cards in the order in which they were shown, without what every made-up one says more."""
    found = re.findall(r"^\d+ of \d+\n\S+  [^\n]*\n([^\n]*)", done.out, flags=re.MULTILINE)
    return [line.removesuffix(" in full.") for line in found]


SCENES: dict[str, Callable[[Make], list[Entry]]] = {
    "two candidates": lambda make: waiting(make, 2),
    "a conflict": disputed,
    "a guess": lambda make: disputed(make, certain=False),
    "a stale lesson": lambda make: [outdated(make)],
    "a lesson like it": lambda make: [
        make(state=State.ACTIVE, headline="Run the linter before a commit", insight="Run the linter.", slug="l"),
        make(headline="Run the linter before each commit"),
    ],
}


DECIDED = {
    "two candidates": {"y": "active open", " y ": "active open", "x": "dismissed open", "n": "dismissed open"}
    | {"z": "snoozed open", "": "open open", "j": "open open"},
    "a conflict": {"1": "retired active", "s": "retired active", "y": "retired active", "2": "active dismissed"}
    | {"x": "active dismissed", "3": "active active", "4": "active merged", "z": "active snoozed"},
    "a guess": {"y": "active active"},
    "a stale lesson": {"y": "active", "x": "retired", "2": "snoozed"},
    "a lesson like it": {"m,,m,9,m,1": "active merged", "s,1": "retired active"},
}
"""For each scene: letters, and what becomes of its entries."""


@pytest.mark.parametrize(
    ("scene", "letters", "expected"),
    [(scene, letters, expected) for scene, rows in DECIDED.items() for letters, expected in rows.items()],
)
def test_letters_decide(shell: Shell, make: Make, scene: str, letters: str, expected: str) -> None:
    ids = shell.put(*SCENES[scene](make))
    done = plain(shell, *letters.split(","))
    assert states(shell, *ids) == expected.split()
    assert scene != "two candidates" or cards(done) == ["Rule 1", "Rule 2"], "the next card comes"
    assert done.out.count("Not changed.") == 2 * letters.startswith("m")
    assert bool(shell.json("list", "--stale")) == (scene == "a stale lesson" and letters == "2")


def test_a_card_says_what_each_letter_does(shell: Shell, make: Make) -> None:
    shell.put(*disputed(make), outdated(make))
    said = plain(shell).out
    assert "contradicts BBBB-0001: Use npm" in said
    assert (
        "1 keep the new one, retire the old one, 2 keep the old one, drop the new one, 3 keep both, 4 merge them; suggested: 1"
        in said
    )
    assert "perhaps" not in said
    said = plain(shell, "j").out
    assert "changed: a.py" in said
    assert "snoozed: 1 for an hour, 2 for a day" in said
    shell("retire", NEW)
    rival = Relation(other=OLD, relating=Relating.CONTRADICTS, clash=(("npm", "pnpm"),))
    shell.put(make(headline="Use yarn", rival=rival))
    said = plain(shell).out
    assert "perhaps contradicts BBBB-0001: Use npm" in said
    assert "; suggested: 3" in said


def test_the_end_of_input_saves_and_so_does_q(shell: Shell, make: Make) -> None:
    ids = shell.put(*waiting(make, 3))
    plain(shell, "y")
    assert "dropped: Rule 2\n" in plain(shell, "x", "q", "y").out
    assert states(shell, *ids) == ["active", "dismissed", "open"]
    assert cards(done := plain(shell)) == ["Rule 3"]
    assert done.out.endswith("?: \n")
    (stats,) = shell.json("stats")
    assert (stats["decisions"], stats["over_5s"]) == (2, 0), "decisions are timed"


def test_at_the_end_it_says_what_is_left(shell: Shell, make: Make) -> None:
    assert plain(shell).out == "No more cards.\n"
    shell.put(*waiting(make, 2))
    assert plain(shell, "y", "j").out.endswith("1 card left undecided.\n")
    assert plain(shell, "y").out.endswith("No more cards.\n")


def test_the_cap_holds_back_and_says_so(shell: Shell, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATOR_PER_SESSION", "2")
    shell.put(*(make(headline=f"Rule {n}", score=0.9 - n / 10) for n in range(4)))
    done = plain(shell, "j", "j")
    assert cards(done) == ["Rule 0", "Rule 1"]
    assert "2 weaker: `curator list --candidates` lists all." in done.out
    monkeypatch.setenv("CURATOR_PER_SESSION", "0")
    assert cards(plain(shell)) == ["Rule 0"]
    assert "weaker" not in plain(shell, "j", "j", "j", "j").out


def test_undo_returns_to_the_card_that_was_undone(shell: Shell, make: Make) -> None:
    first, second, third = shell.put(*waiting(make, 3))
    done = plain(shell, "y", "j", "u", "x", "", "y")
    assert cards(done) == ["Rule 1", "Rule 2", "Rule 3", "Rule 1", "Rule 2", "Rule 3"]
    assert states(shell, first, second, third) == ["dismissed", "open", "active"]


def test_undo_brings_back_a_card_of_an_earlier_sitting(shell: Shell, make: Make) -> None:
    first, second = shell.put(*waiting(make, 2))
    assert "There is nothing to undo." in (done := plain(shell, "u")).out
    assert cards(done) == ["Rule 1"]
    plain(shell, "x", "q")
    assert cards(plain(shell, "u", "y")) == ["Rule 2", "Rule 1", "Rule 2"]
    assert states(shell, first, second) == ["active", "open"]


def test_digits_keep_with_a_wording_that_there_is(shell: Shell, make: Make) -> None:
    wordings = tuple(Wording(f"Wording {at}", f"In full {at}.", f"kind {at}") for at in (1, 2, 3))
    *ids, bare = shell.put(*(make(wordings=wordings, score=1 - at / 10) for at in range(3)), make(session="s2", score=0.1))
    done = plain(shell, "1", "2", "3", "2")
    assert all(f"wording {at}, kind {at}: Wording {at}" in done.out for at in (1, 2, 3))
    rows = [shell.json("show", id_)[0] for id_ in ids]
    assert [(row["state"], row["headline"]) for row in rows] == [("active", f"Wording {at}") for at in (1, 2, 3)]
    assert [row["insight"] for row in rows] == [f"In full {at}." for at in (1, 2, 3)]
    assert "no wording 2" in done.out
    assert shell.state(bare) == "open"


def test_editing_keeps_with_the_new_headline(shell: Shell, make: Make) -> None:
    first, second = shell.put(*waiting(make, 2))
    done = plain(shell, "e", "Other words", "e", "")
    assert "headline [Rule 1]: " in done.out
    assert "Not changed." in done.out
    assert states(shell, first, second) == ["active", "open"]
    assert shell.json("show", first)[0]["headline"] == "Other words"


@pytest.mark.parametrize("letter", ["m", "s"])
def test_with_nothing_to_choose_from_the_card_stays(shell: Shell, make: Make, letter: str) -> None:
    (id_,) = shell.put(make())
    assert len(cards(plain(shell, letter, "y"))) == 1
    assert states(shell, id_) == ["active"]


def test_evidence_shows_what_was_said_around_the_quote_and_a_card_says_it_once(shell: Shell, make: Make) -> None:
    excerpt = (Line(Role.ASSISTANT, "Shall I use npm?\n" * 9), Line(Role.HUMAN, "No, pnpm in web, please.", True))
    quote = Evidence(quote="No, pnpm in web, please.", role=Role.HUMAN, file="a.jsonl", line=4, line_end=4, excerpt=excerpt)
    words = {"headline": "Use pnpm in web", "insight": "Use pnpm in web, npm breaks the links.", "context": "Of that day."}
    shell.put(make(evidence=(quote,), score_parts={"words": 0.86}, signal="standing-rule", **words))
    said = plain(shell).out
    assert said.count("Use pnpm in web") == 1
    assert said.count("assistant before it: Shall I use npm?") == said.count("Shall I") == 1
    assert "log-odds" not in said
    assert "Of that day." not in said
    assert "log-odds" in plain(shell, "w").out
    done = plain(shell, "o")
    assert "assistant: Shall I use npm?" in done.out
    assert "quoted, human: No, pnpm in web, please." in done.out
    assert len(cards(done)) == 1


@pytest.mark.parametrize("letter", ["?", "Y", "yes", "12", "é", "²"])
def test_an_unknown_letter_explains_those_that_mean_something(shell: Shell, make: Make, letter: str) -> None:
    (id_,) = shell.put(make())
    done = plain(shell, letter)
    keep = next(action for action in ACTIONS if action.name == "keep")
    assert f"  y  {keep.help_for(Kind.CANDIDATE)}" in done.out
    assert "conflict" not in done.out, "nothing is told of other kinds of rows"
    assert "Leave it undecided" in done.out
    assert states(shell, id_) == ["open"]


def test_prompts_are_short_and_offer_what_applies(shell: Shell, make: Make) -> None:
    wordings = tuple(Wording(f"W{at}", "", "") for at in range(3))
    shell.put(*disputed(make), outdated(make), make(wordings=wordings, session="s2"), make(session="s3"))
    prompts = [line for line in plain(shell, "j", "j", "j").out.splitlines() if line.startswith("y ")]
    conflict, stale, worded, bare = prompts
    assert all(len(line) <= 100 for line in prompts)
    assert "y accept" in conflict
    assert "1-4 side" in conflict
    assert "y still true, x retire" in stale
    assert "1-3 wording" in worded
    assert "wording" not in bare
    assert all(letter in bare for letter in ("u undo", "q quit", "?"))


def test_nothing_is_drawn_that_a_screen_reader_would_spell(shell: Shell, make: Make) -> None:
    shell.put(*disputed(make), outdated(make), *waiting(make, 2))
    assert plain(shell, "o", "?", "y", "x", "m", "", "z").out.isascii()


def test_one_session_and_every_project(shell: Shell, make: Make, other: Path) -> None:
    shell.put(make(headline="Here", session="s1"))
    shell.put(make(headline="There", session="s2"), folder=other)

    def shown(*options: str) -> list[str]:
        return sorted(cards(shell("review", "--plain", *options, typed="\n\n")))

    assert shown() == ["Here"]
    assert shown("--all") == ["Here", "There"]
    assert shown("--session", "s2") == ["There"]
    assert shown("--session", "s9") == []
