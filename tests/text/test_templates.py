"""curator finds a person's words in the expanded text of a command by its form and by its file."""

from __future__ import annotations

import pytest

from curator.text.templates import all_of, typed

WORDS = "keep the retry in the client,\nthe server never retries"
STEPS = """## Steps

1. Read the code.
2. You MUST ask the user what is unclear.
3. Write the plan.

## Report

Tell the user what you found."""
INPUT = """## User Input

```text
{}
```

You **MUST** consider the user input.

```
x
```
"""
OLD = "The user input {} - you **MUST** consider it.\n\nUser input:\n\n{}\n\n{}"
EXPANDED = {
    "a fence under a heading": INPUT.format(WORDS),
    "a line": OLD.format(
        "can be provided directly by the agent or as a command argument", WORDS, "Goal: Find what is unclear."
    ),
    "an element": f"{STEPS}\n\n<arguments>{WORDS}</arguments>\n\nBegin.",
    "the end": f"{STEPS}\n\nARGUMENTS: {WORDS}",
    "a call behind it": f"{STEPS}\n\n/plan {WORDS.replace(chr(10), ' ')}",
    "a call before it": f"/plan {WORDS.replace(chr(10), ' ')}\n\n{STEPS}",
}
BRIEF = """Please rework the login.

## Why

The user request of last week came from support.

## Steps

1. Move the form.
2. Keep the old API.
3. Run the tests.
"""
NOTES = f"can you read these notes and tell me what you think\n\n```\n{STEPS}\n```\n"


@pytest.mark.parametrize("how", EXPANDED)
def test_by_its_form_a_template_leaves_the_argument(how: str) -> None:
    assert typed(EXPANDED[how]).split() == WORDS.split()


@pytest.mark.parametrize("text", [BRIEF, NOTES, "## Input\n\n```\nx\n```\n\nfix this", WORDS, ""])
def test_a_message_with_headings_and_steps_is_typed(text: str) -> None:
    assert typed(text) == text


def test_an_argument_may_hold_a_fence() -> None:
    code = "```\nretry = 3\n```"
    assert typed(INPUT.format(f"{WORDS}\n{code}")).split() == [*WORDS.split(), *code.split()]


def test_without_a_place_for_words_nothing_is_typed() -> None:
    assert typed(STEPS) == ""


BODY = """---
description: Compare
---
Compare the branch $1 with the branch $2 and list each change.
!`git log`
Then write: $ARGUMENTS
Be brief."""
SHOWN = """Compare the branch {} with the branch {} and list each change.
abc1234 first commit
Then write: {}
Be brief."""


def test_by_its_file_a_template_leaves_what_fills_its_places() -> None:
    known = all_of((BODY,))
    assert typed(SHOWN.format("main", "next", WORDS), known).split() == ["main", "next", *WORDS.split()]
    assert typed(f"hello\n{SHOWN.format('$1', '$2', '')}\n/compare it", known).split() == ["hello", "it"]
    assert typed("Compare the branches.", known) == "Compare the branches."


def test_the_longest_template_counts_and_a_short_one_never() -> None:
    part, whole = "Read the code and write down each fault that you find in it.", f"{STEPS}\n$ARGUMENTS"
    known = all_of(("Fix $ARGUMENTS", part, f"{part}\n{whole}"))
    assert typed(f"{part}\n{STEPS}\n{WORDS}", known).split() == WORDS.split()
    assert typed("Fix the login", known) == "Fix the login"
