"""What a card says, as text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from curator.model import FROM_FILE, Entry, Relating, Relation, State
from curator.tui.card import View, card
from curator.tui.palette import palette_of


def test_a_conflict_says_when_the_other_side_was_stated_not_when_it_was_kept(make: Callable[..., Entry]) -> None:
    old = make(state=State.ACTIVE, headline="Use npm")
    old = replace(old, updated=old.created + 1_800.0)
    new = make(headline="Use pnpm", rival=Relation(other=old.id, relating=Relating.CONTRADICTS))
    view = View(now=old.created + 1_860.0, project="app", rival=old)
    lines = [line.plain for line in card(new, view, 80, palette_of({}, dark=True))]
    assert "It contradicts a lesson stated 31m ago:" in lines


def test_a_clash_with_a_lesson_s_own_file_names_the_file_and_what_is_here(make: Callable[..., Entry]) -> None:
    here = make(state=State.ACTIVE, headline="Releases go out on Tuesdays")
    clash = Relation(other=here.id, relating=Relating.CONTRADICTS)
    file = make(headline="Ship with make release", signal=FROM_FILE, rival=clash)
    view = View(now=here.created, project="app", rival=here)
    text = "\n".join(line.plain for line in card(file, view, 80, palette_of({}, dark=True)))
    assert "The file of a lesson says otherwise than what is kept here:" in text
    assert "1 file Ship with make release" in text
    assert "2 here Releases go out on Tuesdays" in text
