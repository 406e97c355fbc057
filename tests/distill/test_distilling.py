"""From the inbox to a distiller and back: what is sent, what is offered, what stays as it was."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from curator import app, plugins
from curator.app import Curator
from curator.app.distill import PATIENCE
from curator.curate import offer
from curator.errors import CuratorError
from curator.hookspecs import Brief, Distiller, Estimate, MakeDistiller, hookimpl
from curator.model import Category, Change, Entry, Evidence, Line, Relating, Relation, Role, State, Verb, Wording
from curator.settings import Settings
from tests.distill.conftest import BRIEF, GOOD, Loopback

Open = Callable[..., Curator]
Make = Callable[..., Entry]


@pytest.fixture
def opened(tmp_path: Path, loopback: Loopback) -> Iterator[Open]:
    """An open service whose distiller is the endpoint on this machine; holds these entries."""
    all_: list[Curator] = []

    def open_(*entries: Entry, **changes: object) -> Curator:
        settings = Settings(home=tmp_path / "home", distiller="endpoint", distill_url=loopback.url, distill_model="small")
        curator = Curator(replace(settings, **changes))  # type: ignore[arg-type]
        all_.append(curator)
        deeds = [(Verb.PROPOSE, Change(before=None, after=entry)) for entry in entries]
        curator.store.apply(deeds, actor="detector", at=1.0)
        return curator

    yield open_
    for curator in all_:
        curator.close()


@pytest.fixture
def card(make: Make) -> Callable[..., Entry]:
    """A candidate that says what ``BRIEF`` says."""

    def made(**fields: object) -> Entry:
        quote = Evidence(
            quote=BRIEF.quotes[0],
            role=Role.HUMAN,
            file="~/.claude/projects/x/secret-project.jsonl",
            line=7,
            line_end=7,
            session="s1",
            excerpt=BRIEF.excerpt,
        )
        values = {"headline": BRIEF.headline, "insight": BRIEF.insight, "evidence": (quote,), "category": Category.CONSTRAINT}
        return make(**(values | fields))

    return made


def distilled(curator: Curator, limit: int = 0) -> tuple[int, int, int, int]:
    done = app.distill.carry_out(curator, app.distill.plan(curator, limit))
    return len(done.reworded), done.unchanged, done.refused, done.failed


def now(curator: Curator, entry: Entry) -> Entry:
    found = curator.lessons.peek(entry.id)
    assert found
    return found


def test_a_wording_is_offered_and_nothing_else_changes(opened: Open, card: Make) -> None:
    shorter = Wording("Leave vendor/ alone", "Leave vendor/ alone", "shorter")
    entry = card(wordings=(shorter,))
    curator = opened(entry)
    assert distilled(curator) == (1, 0, 0, 0)
    after = now(curator, entry)
    assert after.wordings == (shorter, Wording(GOOD["headline"], GOOD["insight"].rstrip(), "distilled"))
    assert replace(after, wordings=entry.wordings, updated=entry.updated) == entry
    (event,) = curator.lessons.history(entry.id)[1:]
    assert (event.verb, event.actor) == (Verb.DISTILL, "person")
    assert app.statistics.decisions(curator) == []  # nobody has decided anything


def test_undo_takes_the_offer_back_and_redo_brings_it(opened: Open, card: Make) -> None:
    entries = [card(), card()]
    curator = opened(*entries)
    assert distilled(curator) == (2, 0, 0, 0)
    curator.verdicts.undo()
    assert [now(curator, entry).wordings for entry in entries] == [(), ()]
    curator.verdicts.redo()
    assert all(now(curator, entry).wordings for entry in entries)


def test_the_offer_is_kept_by_its_number(opened: Open, card: Make) -> None:
    entry = card()
    curator = opened(entry)
    distilled(curator)
    curator.verdicts.accept([entry.id], wording=1)
    after = now(curator, entry)
    assert (after.state, after.headline, after.evidence) == (State.ACTIVE, GOOD["headline"], entry.evidence)


def test_the_words_may_take_the_card_s_place_if_a_person_has_set_that(opened: Open, card: Make, loopback: Loopback) -> None:
    entry = card()
    curator = opened(entry, distill_first=True)
    assert distilled(curator) == (1, 0, 0, 0)
    after = now(curator, entry)
    assert (after.headline, after.state) == (GOOD["headline"], State.OPEN)
    assert after.wordings == (Wording(entry.headline, entry.insight, "offline"),)
    assert distilled(curator) == (0, 0, 0, 0)  # what is distilled is not distilled again
    assert len(loopback.asked) == 1
    curator.verdicts.undo()
    assert now(curator, entry).headline == entry.headline


def test_a_second_run_asks_nobody(opened: Open, card: Make, loopback: Loopback) -> None:
    entry = card()
    curator = opened(entry)
    distilled(curator)
    plan = app.distill.plan(curator)
    assert (plan.cached, plan.estimate.calls, plan.estimate.tokens) == (1, 0, 0)
    assert distilled(curator) == (0, 1, 0, 0)
    curator.verdicts.undo()
    assert distilled(curator) == (1, 0, 0, 0)
    assert len(loopback.asked) == 1
    other = opened(distill_model="large")
    assert distilled(other) == (0, 1, 0, 0)
    assert [asked["model"] for asked in loopback.asked] == ["small", "large"]


def test_the_cache_holds_answers_and_goes_when_something_is_forgotten(opened: Open, card: Make) -> None:
    entry = card()
    curator = opened(entry)
    distilled(curator)
    (file,) = (curator.settings.cache / "distill").iterdir()
    assert json.loads(file.read_text(encoding="utf-8")) == [GOOD["headline"], GOOD["insight"].rstrip()]
    app.forget.forget(curator, [entry.id])
    assert not file.exists()


def test_only_open_candidates_of_the_inbox_are_asked_about_best_first(opened: Open, card: Make, loopback: Loopback) -> None:
    rival = Relation(other="AAAA-0001", relating=Relating.CONTRADICTS)
    lesson, conflict = card(state=State.ACTIVE), card(rival=rival)
    low, high = card(score=0.2, headline="Never edit vendor/ low"), card(score=0.9, headline="Never edit vendor/ high")
    curator = opened(lesson, conflict, low, high)
    assert list(app.distill.plan(curator).briefs) == [high.id, low.id]
    assert distilled(curator, limit=1) == (1, 0, 0, 0)
    assert "high" in loopback.asked[0]["messages"][0]["content"]
    assert len(loopback.asked) == 1


def test_nothing_is_sent_that_should_not_leave(opened: Open, card: Make, loopback: Loopback, isolation: Path) -> None:
    token = "ghp_" + "a1B2" * 9  # as if it had come into the database by another way
    said = f"export TOKEN={token} in {isolation}/app/run.sh \x1b[31mred\u202e"
    quote = replace(card().evidence[0], quote=said, excerpt=(Line(Role.HUMAN, f"{said} again"),))
    curator = opened(card(evidence=(quote,), context=said, insight=f"Never edit vendor/ {token}", files=("deep/place.py",)))
    distilled(curator)
    (asked,) = loopback.asked
    text = json.dumps(asked, ensure_ascii=False)
    for unsaid in (token, str(isolation), "secret-project", "s1", "deep/place.py", "\x1b", "\\u001b", "\u202e"):
        assert unsaid not in text, unsaid
    assert text.count("[redacted]") >= 4
    assert "~/app/run.sh" in text


def test_secrets_and_control_characters_in_an_answer_are_masked_or_refused(
    opened: Open, card: Make, loopback: Loopback
) -> None:
    entry = card()
    loopback.reply = loopback.saying(
        {"headline": "Never edit \x1b[31m`vendor/`\u202e by hand.", "insight": "Never edit\n`vendor/` by hand"}
    )
    curator = opened(entry)
    assert distilled(curator) == (1, 0, 0, 0)
    (wording,) = now(curator, entry).wordings
    assert (wording.headline, wording.insight) == ("Never edit `vendor/` by hand", "Never edit `vendor/` by hand")
    loopback.reply = loopback.saying(
        {"headline": "Never edit vendor/", "insight": "Never edit vendor/ TOKEN=ghp_" + "a1B2" * 9}
    )
    other = opened(distill_model="other")
    assert distilled(other) == (0, 0, 1, 0)


@pytest.mark.parametrize(
    "answer",
    [
        {"headline": "Never edit `vendor/` by hand, run `make sync`", "insight": "Never edit `vendor/`"},
        {"headline": "Edit `vendor/` by hand", "insight": "Edit `vendor/` by hand"},
        {"headline": "word " * 13},
        {"headline": "", "insight": ""},
    ],
)
def test_what_was_not_said_is_not_offered(opened: Open, card: Make, loopback: Loopback, answer: dict[str, str]) -> None:
    loopback.reply = loopback.saying(answer)
    entry = card()
    curator = opened(entry)
    assert distilled(curator) == (0, 0, 1, 0)
    assert now(curator, entry) == entry


def test_nothing_better_leaves_all_as_it_was(opened: Open, card: Make, loopback: Loopback) -> None:
    loopback.reply = loopback.saying("{}")
    entry = card()
    curator = opened(entry)
    assert distilled(curator) == (0, 1, 0, 0)
    assert now(curator, entry) == entry
    assert app.distill.plan(curator).cached == 1


def test_failures_leave_all_as_it_was_and_are_not_remembered(
    opened: Open, card: Make, loopback: Loopback, caplog: pytest.LogCaptureFixture
) -> None:
    loopback.reply = lambda body: (500, {}, b"")
    entries = [card(headline=f"Never edit vendor/ by hand {n}", session=f"s{n}") for n in range(PATIENCE + 2)]
    curator = opened(*entries)
    with caplog.at_level(logging.WARNING, "curator"):
        done = app.distill.carry_out(curator, app.distill.plan(curator))
    assert (done.failed, done.reworded, done.unchanged) == (len(entries), [], 0)
    assert "500" in done.reason
    assert len(caplog.records) == len(entries)
    assert all(record.exc_info is None for record in caplog.records)
    assert len(loopback.asked) == PATIENCE  # nobody waits for hours at a closed door
    assert [now(curator, entry) for entry in entries] == entries
    loopback.reply = loopback.good
    assert distilled(curator) == (len(entries), 0, 0, 0)


def test_what_an_interruption_leaves_is_offered(opened: Open, card: Make) -> None:
    first, second = card(score=0.9), card(score=0.1, headline="Never edit vendor/ by hand at all")
    curator = opened(first, second)

    def stop(done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        app.distill.carry_out(curator, app.distill.plan(curator), stop)
    assert len(now(curator, first).wordings) == 1
    assert now(curator, second) == second


def test_what_was_decided_meanwhile_is_left_alone(opened: Open, card: Make) -> None:
    entry, gone = card(score=0.9), card(score=0.1)
    curator = opened(entry, gone)

    def decide(done: int) -> None:
        if done == 1:
            curator.verdicts.drop([entry.id])
        else:
            app.forget.forget(curator, [gone.id])

    assert app.distill.carry_out(curator, app.distill.plan(curator), decide).reworded == []
    assert now(curator, entry).wordings == ()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"distiller": ""}, "No distiller is set"),
        ({"distiller": "oracle"}, "no distiller 'oracle'"),
        ({"distiller": "command"}, "needs a command"),
        ({"distill_url": "http://example.com"}, "only https"),
    ],
)
def test_settings_that_are_missing_or_wrong_are_said_before_anything_is_asked(
    opened: Open, card: Make, changes: dict[str, object], said: str
) -> None:
    with pytest.raises(CuratorError, match=said) as caught:
        app.distill.plan(opened(card(), **changes))
    assert caught.value.hint


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_an_offer_comes_last_and_there_are_never_more_than_keys(card: Make, count: int) -> None:
    others = tuple(Wording(f"Other {n}", f"Other {n}", "broader") for n in range(count))
    entry = card(wordings=others)
    new = Wording("New", "New", "distilled")
    made = offer(entry, 5.0, new)
    assert made
    assert made.after
    assert made.after.wordings == (*others[:2], new)
    assert offer(made.after, 6.0, new) is None
    again = offer(made.after, 6.0, Wording("Newer", "Newer", "distilled"))
    assert again
    assert again.after
    assert [one.headline for one in again.after.wordings] == [*(one.headline for one in others[:2]), "Newer"]
    assert offer(entry, 5.0, Wording(entry.headline, entry.insight, "distilled")) is None


class Odd:
    """A plugin's distiller that answers with whatever it was made of."""

    model = "odd"

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def estimate(self, briefs: Sequence[Brief]) -> Estimate:
        return Estimate(len(briefs), 0)

    def rewrite(self, brief: Brief) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.fixture
def plugin() -> Iterator[Callable[[MakeDistiller], None]]:
    """Registers a distiller called ``odd``."""

    class Plugin:
        make: MakeDistiller

        @hookimpl
        def register_distillers(self, register: Callable[[str, MakeDistiller], None]) -> None:
            register("odd", self.make)

    one = Plugin()

    def register(make: MakeDistiller) -> None:
        one.make = make
        plugins.manager().register(one)

    yield register
    plugins.manager().unregister(one)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("only a text", "has no attribute 'headline'"),
        (Wording(3, 4, ""), "split"),  # type: ignore[arg-type]
        (RuntimeError("TOKEN=ghp_" + "a1B2" * 9), "TOKEN=[redacted]"),
        (RuntimeError(), "RuntimeError"),
    ],
)
def test_whatever_a_plugin_does_the_offline_words_stand(
    opened: Open, card: Make, plugin: Callable[[MakeDistiller], None], answer: object, said: str
) -> None:
    plugin(lambda settings: Odd(answer))
    entry = card()
    curator = opened(entry, distiller="odd")
    done = app.distill.carry_out(curator, app.distill.plan(curator))
    assert (done.failed, now(curator, entry)) == (1, entry)
    assert said in done.reason


def test_what_a_plugin_answers_passes_the_same_gate(opened: Open, card: Make, plugin: Callable[[MakeDistiller], None]) -> None:
    plugin(lambda settings: Odd(Wording("Always edit `vendor/` by hand", "Always edit `vendor/` by hand", "")))
    assert distilled(opened(card(), distiller="odd")) == (0, 0, 1, 0)


def test_a_plugin_that_cannot_be_made_is_named(opened: Open, card: Make, plugin: Callable[[MakeDistiller], None]) -> None:
    def fail(settings: Settings) -> Distiller:
        raise ImportError("no such library")

    plugin(fail)
    with pytest.raises(CuratorError, match=r"'odd' can't be used.*no such library"):
        app.distill.plan(opened(card(), distiller="odd"))
