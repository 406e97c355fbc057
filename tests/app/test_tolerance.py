"""What a person says about stale lessons teaches how loud a change is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from curator import app
from curator.app import Curator
from curator.model import ALARM, Entry, Kind
from curator.settings import Settings

BODY = "def f{n}(a):\n    b = g(a)\n    c = h(b)\n    d = i(c)\n    e = j(d)\n    k = l(e)\n    return k + m(k) + o(k){end}\n"


@pytest.fixture
def curator(tmp_path: Path) -> Iterator[Curator]:
    (tmp_path / "app").mkdir()
    opened = Curator(Settings(home=tmp_path / "home"))
    opened.enter(str(tmp_path / "app"))
    for n in range(14):
        (tmp_path / "app" / f"m{n}.py").write_text(BODY.format(n=n, end=""), encoding="utf-8")
        (entry,) = opened.verdicts.add(f"Number f{n}() comes before the others", files=[f"m{n}.py"]).entries
        app.settling.settle(opened, [entry.id])
    yield opened
    opened.close()


def change(tmp_path: Path, n: int) -> None:
    (tmp_path / "app" / f"m{n}.py").write_text(BODY.format(n=n, end=" + p(k)"), encoding="utf-8")


def stale(curator: Curator) -> list[Entry]:
    return [entry for entry in curator.lessons.entries(curator.lessons.waiting()) if entry.kind is Kind.STALE]


def severity(curator: Curator, tmp_path: Path, n: int) -> float:
    change(tmp_path, n)
    (entry,) = app.staleness.check(curator)
    return entry.findings[0].severity


def test_what_mostly_still_holds_alarms_less_and_a_reset_undoes_that(curator: Curator, tmp_path: Path) -> None:
    first = severity(curator, tmp_path, 0)
    assert ALARM <= first < 2 * ALARM, "the fixture's change is a mild one"
    for n in range(1, 13):
        change(tmp_path, n)
    app.staleness.check(curator)
    for entry in stale(curator):
        curator.verdicts.accept([entry.id])
    assert severity(curator, tmp_path, 13) == pytest.approx(first / 2, abs=0.01)
    assert stale(curator) == []
    app.statistics.reset_learning(curator)
    app.staleness.check(curator)
    assert len(stale(curator)) == 1


def test_what_is_acted_on_stays_as_loud(curator: Curator, tmp_path: Path) -> None:
    first = severity(curator, tmp_path, 0)
    for n in range(1, 13):
        change(tmp_path, n)
    app.staleness.check(curator)
    for entry in stale(curator):
        curator.verdicts.drop([entry.id])
    assert severity(curator, tmp_path, 13) == first


def test_an_edit_that_keeps_settles_a_stale_lesson(curator: Curator, tmp_path: Path) -> None:
    change(tmp_path, 0)
    app.staleness.check(curator)
    (entry,) = stale(curator)
    curator.verdicts.edit(entry.id, headline="Number f0() adds p, too", keep=True)
    assert (stale(curator), app.staleness.check(curator)) == ([], [])
    curator.verdicts.undo()
    assert [one.id for one in stale(curator)] == [entry.id]
