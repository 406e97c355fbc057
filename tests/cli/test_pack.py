"""``curator pack``: the block on stdout, its size on stderr."""

from __future__ import annotations

from curator import clock
from tests.cli.conftest import Shell


def told(text: str) -> str:
    return f"“{text}” (kept {clock.iso(clock.now())[:10]})"


def test_the_block_goes_out_and_its_size_beside(shell: Shell) -> None:
    shell.add("Retry uploads with backoff", "--file", "src/up.py")
    shell.add("Log errors once, at the boundary")
    done = shell("pack", "--file", "src/up.py")
    assert (done.code, done.out) == (0, f"Lessons:\n- {told('Retry uploads with backoff')}\n")
    assert "Lessons: 1, tokens: 13." in done.err
    assert shell("pack", "uploads").out == done.out
    assert len(shell("pack").out.splitlines()) == 3, "the whole project"


def test_json_says_all_of_it(shell: Shell) -> None:
    id_ = shell.add("Retry uploads with backoff")
    (found,) = shell.json("pack", "uploads")
    assert found["text"].endswith(told("Retry uploads with backoff"))
    assert (found["lessons"], found["left_out"], found["alike"]) == ([id_], 0, 0)
    assert found["tokens"] > 0


def test_nothing_is_said_plainly(shell: Shell) -> None:
    shell.add("Retry uploads with backoff, " + "in the API of orders " * 20)
    nothing = shell("pack", "penguins")
    assert (nothing.code, nothing.out) == (0, "")
    assert "No lesson matches" in nothing.err
    tight = shell("pack", "--budget", "20")
    assert (tight.code, tight.out) == (0, "")
    assert "too small for any of the 1 matching lessons" in tight.err
    outside = shell("pack", "--file", "../other.py")
    assert (outside.code, "not a file of the project" in outside.err) == (3, True)
