"""What a card says, as text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from curator.model import Entry, Relating, Relation, State
from curator.tui.card import View, card
from curator.tui.palette import palette_of


def test_a_conflict_says_when_the_other_side_was_stated_not_when_it_was_kept(make: Callable[..., Entry]) -> None:
    old = make(state=State.ACTIVE, headline="Use npm")
    old = replace(old, updated=old.created + 1_800.0)
    new = make(headline="Use pnpm", rival=Relation(other=old.id, relating=Relating.CONTRADICTS))
    view = View(now=old.created + 1_860.0, project="app", rival=old)
    lines = [line.plain for line in card(new, view, 80, palette_of({}, dark=True))]
    assert "It contradicts a lesson stated 31m ago:" in lines
