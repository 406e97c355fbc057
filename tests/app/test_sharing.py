"""What several projects have found by themselves; pairs that are left in peace."""

from __future__ import annotations

from collections.abc import Callable

from curator.app.decisions.settling import beside, settle_relation
from curator.app.decisions.sharing import repetitions
from curator.model import Entry, Relating, Relation, State


def lessons(make: Callable[..., Entry], *projects: str, text: str = "Never edit vendor/ by hand") -> list[Entry]:
    return [make(project=name, state=State.ACTIVE, headline=text, insight=text) for name in projects]


def test_the_same_lesson_in_three_projects_is_one_group(make: Callable[..., Entry]) -> None:
    found = lessons(make, "a", "b", "b", "c") + lessons(make, "a", "b", text="Run the linter before the tests")
    other = make(project="d", state=State.ACTIVE, insight="vendor/ must never be edited by hand")
    (group,) = repetitions([*found, other])
    assert [entry.project for entry in group] == ["a", "b", "c", "d"]
    assert repetitions(found[:3]) == []


def test_copies_candidates_and_settled_groups_do_not_count(make: Callable[..., Entry]) -> None:
    a, b, c = lessons(make, "a", "b", "c")
    assert repetitions([a, b, c._replace(signal="shared")]) == []
    assert repetitions([a, b, c._replace(state=State.RETIRED)]) == []
    assert repetitions([a, b, c._replace(scope="global")]) == []


def test_who_says_again_one_side_of_a_pair_does_not_clash_with_the_other(make: Callable[..., Entry]) -> None:
    a = make(state=State.ACTIVE, insight="Use npm in docs/")
    b = make(state=State.ACTIVE, insight="Use pnpm for the packages", coexists=((a.id, "docs/ has its own"),))
    again = make(insight="In docs/ use npm")
    clash = Relation(other=b.id, relating=Relating.CONTRADICTS, clash=(("pnpm", "npm"),))
    assert beside(a, b)
    assert beside(b, a)
    assert settle_relation(again, clash, [a, b]) == Relation(
        other=a.id, relating=Relating.DUPLICATE, likeness=1.0, certain=True
    )
    assert settle_relation(again, clash, [a, b._replace(coexists=())]) == clash
    assert settle_relation(make(insight="Use yarn"), clash, [a, b]) == clash
    refines = clash._replace(relating=Relating.REFINES)
    assert settle_relation(again, refines, [a, b]) == refines
