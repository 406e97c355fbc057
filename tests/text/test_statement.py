"""What an agent is told of a lesson, and what becomes of it when a person changes the headline alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from curator import curate
from curator.inbox import choose_wording, offers
from curator.model import Entry, Wording
from curator.text.statement import oneline

Make = Callable[..., Entry]


@pytest.mark.parametrize(
    ("headline", "insight", "told"),
    [
        ("Use uv", "", "Use uv"),
        ("Run tests with uv", "Tests run with uv, the\nonly way.", "Tests run with uv, the only way."),
        ("Redis needs `--no-persist`", "It fills the tmpfs.", "Redis needs `--no-persist`. It fills the tmpfs."),
        ("Why: see below", "Locks are held.", "Why: see below. Locks are held."),
        ("Never do it!", "Locks are held.", "Never do it! Locks are held."),
    ],
)
def test_the_headline_is_told_where_the_insight_does_not_say_it(make: Make, headline: str, insight: str, told: str) -> None:
    assert oneline(make(headline=headline, insight=insight)) == told


@pytest.mark.parametrize(
    ("old", "insight", "new", "kept"),
    [
        ("Use npm in web", "use npm in web.", "Use pnpm in web", "use pnpm in web."),
        ("Log with slog", "Log with slog so that levels can be set.", "Log with slog, levels per package", None),
        ("It does NOT request atomic", "As seen, it does NOT request atomic pushes.", "It DOES request atomic", None),
        ("Redis needs a flag", "It fills the tmpfs.", "Redis needs `--no-persist`", None),
        ("Redis needs a flag", "", "Redis needs no flag", None),
    ],
)
def test_with_the_headline_alone_only_an_insight_that_repeats_it_is_changed(
    make: Make, old: str, insight: str, new: str, kept: str | None
) -> None:
    after = curate.edit(make(headline=old, insight=insight), 1.0, headline=new).after
    assert after is not None
    assert (after.headline, after.insight) == (new, insight if kept is None else kept)


def test_words_given_for_both_stand_as_they_are_and_a_headline_is_one_line(make: Make) -> None:
    entry = make(headline="Use npm", insight="Use npm here.")
    after = curate.edit(entry, 1.0, headline="Use\n pnpm", insight="Use yarn.").after
    assert after is not None
    assert (after.headline, after.insight) == ("Use pnpm", "Use yarn.")


ERRORS = "Two errors are written in an outage"


@pytest.mark.parametrize(
    ("insight", "offered", "shown", "told"),
    [
        # The sentence says the old headline: the new one is chosen in its place.
        (f"{ERRORS}, and the breadcrumb is lost.", ("It is lost", f"{ERRORS}, and the breadcrumb is lost."), "It is lost", ""),
        # Only the reason: it holds for the new headline as for the old one.
        ("The pager wakes.", ("Expect two", "The pager wakes."), "Expect two", "Expect two. The pager wakes."),
        # Another sentence comes with it: it is shown, whole.
        (f"{ERRORS}.", ("We lose it", "Tradeoff: two errors, not one."), "We lose it. Tradeoff: two errors, not one.", ""),
        (f"{ERRORS}.", ("We lose it", "We lose it, so mind the pager."), "We lose it, so mind the pager.", ""),
    ],
)
def test_agents_are_told_the_offer_that_was_chosen_and_nothing_that_the_card_did_not_show(
    make: Make, insight: str, offered: tuple[str, str], shown: str, told: str
) -> None:
    """They are told what was shown, unless the table says more."""
    wording = Wording(*offered, "other")
    card = make(headline=ERRORS, insight=insight, wordings=(wording,))
    assert offers(card) == [(1, shown, "other")]
    lesson = curate.keep(card, 1.0, wording=choose_wording(wording, card)).after
    assert lesson is not None
    assert oneline(lesson) == (told or shown)
