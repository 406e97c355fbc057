"""Servers that crash, days offline, wrong clocks: nothing is lost or doubled, and all folds are equal."""

from __future__ import annotations

import random
import threading
from collections import Counter
from itertools import cycle

import pytest

from curator import app, clock
from curator.model import JSON, Category, State
from curator.model.codec import apply_patch
from tests.hub.conftest import Arrive, Database, Machine
from tests.hub.proxy import cutting

YEAR = 365 * 86_400.0
SIZES = range(300, 4_200, 120)
"""Bytes after which the network is cut."""


def folds(hub: Database) -> dict[str, JSON]:
    """The lessons as their history says; the hub must say the same of each, and no event may be there twice."""
    found: dict[str, JSON] = {}
    events = hub.ask("SELECT lesson, patch, id FROM curator.event ORDER BY seq")
    for lesson, patch, _ in events:
        found[lesson] = apply_patch(found.get(lesson, {}), patch)
    assert found == dict(hub.ask("SELECT id, body FROM curator.lesson"))
    assert max(Counter(id_ for _, _, id_ in events).values()) == 1
    return found


def agree(hub: Database, *machines: Machine) -> None:
    """Every machine says what the hub says of each lesson, has sent everything, and asks nothing about it."""
    for id_, body in folds(hub).items():
        for one in machines:
            entry = one.get(id_)
            said = {name: body.get(name) for name in ("headline", "insight", "state")}
            assert (said, frozenset(body.get("files", ()))) == (
                {"headline": entry.headline, "insight": entry.insight, "state": entry.state.value},
                frozenset(entry.files),
            )
    assert [one.curator.store.hub.outbox("red") for one in machines] == [[] for _ in machines]
    assert [card for one in machines for card in one.cards() if card.version_of] == []


@pytest.fixture
def team(hub: Database, machine: Arrive) -> tuple[Machine, Machine]:
    """Ann and Bob, who trust each other."""
    hub.ask("INSERT INTO curator.team VALUES ('red', 'lesson', false)")
    return machine("ann"), machine("bob")


def test_two_days_offline_with_300_decisions_on_both_sides(hub: Database, team: tuple[Machine, Machine]) -> None:
    ann, bob = team
    chance = random.Random(7)
    ids = [ann.curator.decisions.add(f"Use tool {n} for task {n}", insight="First.").entries[0].id for n in range(40)]
    for id_ in ids:
        app.hub.share(ann.curator, id_, "red")
    ann.sync()
    bob.sync()
    for n in range(300):
        ann.curator.decisions.edit(chance.choice(ids), insight=f"Ann says {n}.")
        id_ = chance.choice(ids)
        if n % 50 == 0:
            bob.curator.decisions.drop([id_]) if bob.get(id_).state is State.ACTIVE else bob.curator.decisions.accept([id_])
        else:
            bob.curator.decisions.edit(id_, files=(f"src/{n}.py",))
    for one in (bob, ann, bob, ann):
        one.sync()
    agree(hub, ann, bob)
    assert len(folds(hub)) == 40
    assert {body["insight"][:8] for body in folds(hub).values()} == {"Ann says"}


def test_a_server_that_crashes_during_writes_loses_and_doubles_nothing(hub: Database, team: tuple[Machine, Machine]) -> None:
    ann, bob = team
    done = threading.Event()
    wrong: list[BaseException] = []

    def write(one: Machine, own: str) -> None:
        curator = one.curator.fork()
        try:
            for n in range(60):
                (entry,) = curator.decisions.add(f"{own} uses tool {n}").entries
                app.hub.share(curator, entry.id, "red")
                app.hub.sync(curator)
        except BaseException as error:
            wrong.append(error)
        finally:
            curator.close()

    threads = [threading.Thread(target=write, args=(one, one.login)) for one in team]
    for thread in threads:
        thread.start()
    crashes = 0
    while any(thread.is_alive() for thread in threads) and crashes < 5:
        seen = hub.ask("SELECT count(*) FROM curator.event")
        while any(thread.is_alive() for thread in threads) and hub.ask("SELECT count(*) FROM curator.event") == seen:
            done.wait(0.01)
        hub.server.stop("immediate")
        hub.server.start()
        crashes += 1
    for thread in threads:
        thread.join()
    assert (wrong, crashes > 0) == ([], True)
    for one in (ann, bob, ann):
        one.sync()
    agree(hub, ann, bob)
    texts = Counter(body["headline"] for body in folds(hub).values())
    assert texts == Counter(f"{login} uses tool {n}" for login in ("ann", "bob") for n in range(60))


def test_a_network_that_is_cut_within_a_message_loses_and_doubles_nothing(hub: Database, team: tuple[Machine, Machine]) -> None:
    """Each cut is some bytes later than the one before: in the greeting, what is sent, its answer and what is fetched."""
    ann, bob = team
    with cutting(hub.server.folder) as (network, folder):
        for one in team:
            direct = one.curator.store.hub.teams()["red"]
            with one.curator.store.transaction():
                one.curator.store.hub.join(direct._replace(url=direct.url.replace(str(hub.server.folder), folder)))
        unanswered = 0
        for size, one in zip(SIZES, cycle(team), strict=False):
            (entry,) = one.curator.decisions.add(f"{one.login} uses tool {size}").entries
            app.hub.share(one.curator, entry.id, "red")
            network.left = size
            app.hub.sync(one.curator)
            is_stored = hub.ask("SELECT 1 FROM curator.lesson WHERE id = %s", entry.id) != []
            unanswered += is_stored and bool(one.curator.store.hub.outbox("red"))
            network.left = 10**9
            one.sync()
        assert (network.cuts > 25, unanswered > 0) == (True, True)
        for one in team:
            one.sync()
    agree(hub, ann, bob)
    texts = Counter(body["headline"] for body in folds(hub).values())
    assert texts == Counter(f"{one.login} uses tool {size}" for size, one in zip(SIZES, cycle(team), strict=False))


@pytest.mark.parametrize("wrong", [YEAR, -YEAR])
def test_a_clock_that_is_wrong_by_a_year_decides_nothing(
    hub: Database, team: tuple[Machine, Machine], monkeypatch: pytest.MonkeyPatch, wrong: float
) -> None:
    ann, bob = team
    now = clock.now
    with monkeypatch.context() as patched:
        patched.setattr(clock, "now", lambda: now() + wrong)
        id_ = ann.shares("Use make", category=Category.TOOLING)
        ann.curator.decisions.edit(id_, headline="Use make first")
        ann.sync()
    bob.sync()
    assert abs(bob.get(id_).created - now()) < 3_600
    bob.curator.decisions.edit(id_, headline="Use make last")
    bob.sync()
    with monkeypatch.context() as patched:
        patched.setattr(clock, "now", lambda: now() + wrong)
        ann.sync()
    assert ann.get(id_).headline == "Use make last"
    agree(hub, ann, bob)


def test_five_who_edit_one_field_end_with_one_answer(hub: Database, machine: Arrive, team: tuple[Machine, Machine]) -> None:
    people = [*team, machine("cid"), machine("dan"), machine("eva")]
    id_ = people[0].shares("Use make")
    for one in people:
        one.sync()
        one.curator.decisions.edit(id_, headline=f"Use make as {one.login}")
    for _ in range(6):
        for one in people:
            one.sync()
            for card in one.cards():  # whoever is asked takes what the others say
                one.curator.decisions.accept([card.id])
    agree(hub, *people)
