"""The list never loses the row under the finger: properties over random arrivals, removals and moves."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from curator.tui.rows import Rows

orders = st.lists(st.integers(1, 200), unique=True, max_size=60)
heights = st.integers(1, 15)


def invariants(rows: Rows) -> None:
    assert (rows.cursor is None) == (len(rows) == 0)
    if rows.cursor is not None:
        assert rows.top <= rows.position < rows.top + rows.height
    assert rows.marks <= set(rows.order)
    assert len(set(rows.order)) == len(rows.order)


@given(orders, heights, st.data())
def test_whatever_happens_the_cursor_is_a_visible_row(order: list[int], height: int, data: st.DataObject) -> None:
    rows = Rows(order, height)
    for _ in range(data.draw(st.integers(0, 12))):
        do = data.draw(st.sampled_from("move mark range all remove replace settle arrive insert scroll resize".split()))
        if do == "move":
            rows.move(data.draw(st.integers(-20, 20)))
        elif do == "mark":
            rows.mark()
        elif do == "range":
            rows.toggle_range()
        elif do == "all":
            rows.mark_all()
        elif do == "remove":
            rows.remove(data.draw(st.sets(st.integers(1, 200), max_size=30)))
        elif do == "replace":
            rows.replace(data.draw(orders))
        elif do == "settle":
            rows.settle(data.draw(st.sets(st.integers(1, 200), max_size=5)))
        elif do == "arrive":
            rows.arrive(data.draw(st.sets(st.integers(1, 200), max_size=5)))
        elif do == "insert":
            rows.insert(data.draw(st.lists(st.integers(201, 230), unique=True, max_size=3)))
        elif do == "scroll":
            rows.scroll(data.draw(st.integers(-9, 9)))
        else:
            rows.resize(data.draw(heights))
        invariants(rows)


@given(orders.filter(bool), heights, st.data())
def test_rows_that_leave_or_arrive_elsewhere_move_nothing(order: list[int], height: int, data: st.DataObject) -> None:
    rows = Rows(order, height)
    rows.go(data.draw(st.integers(0, len(order) - 1)))
    cursor, depth = rows.cursor, rows.position - rows.top
    others = [seq for seq in order if seq != cursor]
    leaving = data.draw(st.sets(st.sampled_from(others), max_size=10)) if others else set()
    rows.remove(leaving)
    assert rows.cursor == cursor
    # The screen row may change only where the list has become too short to fill the view above or below it.
    shorter = len(rows) < height or rows.top in (0, max(0, len(rows) - height))
    assert rows.position - rows.top == depth or shorter


@given(orders.filter(bool), heights, st.data())
def test_a_new_order_keeps_the_cursor_and_its_screen_row(order: list[int], height: int, data: st.DataObject) -> None:
    rows = Rows(order, height)
    rows.go(data.draw(st.integers(0, len(order) - 1)))
    cursor, depth = rows.cursor, rows.position - rows.top
    arrivals = data.draw(st.lists(st.integers(300, 330), unique=True, max_size=10))
    rows.arrive(arrivals)
    assert rows.pending == set(arrivals)
    assert rows.order.tolist() == order
    rows.replace(data.draw(st.permutations(order + arrivals)))
    assert rows.cursor == cursor
    assert not rows.pending
    assert rows.position - rows.top == depth or rows.top in (0, max(0, len(rows) - height))


@given(orders.filter(bool), heights, st.data())
def test_what_is_removed_and_brought_back_stands_where_it_stood(order: list[int], height: int, data: st.DataObject) -> None:
    rows = Rows(order, height)
    rows.go(data.draw(st.integers(0, len(order) - 1)))
    leaving = sorted(data.draw(st.sets(st.sampled_from(order), min_size=1)), key=order.index)
    rows.remove(leaving)
    rows.insert(leaving)
    assert rows.order.tolist() == order
    assert rows.cursor == leaving[0]


def test_a_row_decided_elsewhere_stays_until_the_cursor_leaves_it() -> None:
    rows = Rows([1, 2, 3])
    rows.go_to(2)
    rows.settle([2, 3])
    assert rows.order.tolist() == [1, 2]
    assert rows.decision_rows() == []
    rows.move(-1)
    assert rows.order.tolist() == [1]


def test_decisions_apply_to_marks_and_range_or_else_to_the_cursor() -> None:
    rows = Rows([1, 2, 3, 4, 5])
    assert rows.decision_rows() == [1]
    rows.mark()
    rows.move(1)
    rows.toggle_range()
    rows.move(1)
    assert rows.decision_rows() == [1, 3, 4]
    assert rows.clear()
    assert rows.decision_rows() == [4]
    assert not rows.clear()


def test_a_list_completed_later_does_not_bring_back_what_was_decided_meanwhile() -> None:
    rows = Rows([1, 2])
    rows.remove([1])
    rows.extend_order([1, 2, 3])
    assert rows.order.tolist() == [2, 3]


def test_unmarking_leaves_the_marks_of_others_and_ends_a_range_begun_there() -> None:
    rows = Rows([1, 2, 3])
    rows.mark()
    rows.toggle_range()
    rows.unmark([2])
    assert rows.marks == {1}
    assert rows.anchor is None
