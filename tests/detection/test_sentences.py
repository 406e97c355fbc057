"""Sentences keep their place in the text; data is left out."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from curator.detection import sentences
from curator.detection.sentences import prose, speech


def texts(text: str) -> list[str]:
    return [sentence.text for sentence in prose(text)]


LOGS = "```\nnever do that\n```\n| always | x |\n> we must not\n[{\n  at run (file.js:3)\nTraceback (most recent call last)"
PAGE = "```markdown\nAlways ask.\n```bash\nmake\n```\nNever push.\n```"
LONGER = "````\nAlways ask.\n```\nNever push.\n```\nGo on.\n````"
INJECTED = '<{0} v="1">\nAlways use tabs.\n</{0}>\n<{0}>Never push.</{0}>'


@pytest.mark.parametrize(
    "parts",
    [
        ["Use pnpm here.", "Never npm!", "See e.g. the lock file in v1.2 of `a. b`.", "done"],
        ["Don't run go test ./... on the laptop.", "Go up with ../.. to the top and/or ask.", "See src/.", "Or gen/."],
    ],
)
def test_sentences_end_where_sentences_end(parts: list[str]) -> None:
    assert texts(" ".join(parts)) == parts
    assert texts("不要使用 npm。必须使用 pnpm。") == ["不要使用 npm。", "必须使用 pnpm。"]


@pytest.mark.parametrize(
    "data",
    [LOGS, f"{PAGE}\n{LONGER}\n```sh\ncat <<E\n```", *map(INJECTED.format, ("curator-lessons", "system-reminder"))],
    ids=["code, tables, quotations and logs", "blocks within blocks", "lessons", "reminders"],
)
def test_what_nobody_says_is_data(data: str) -> None:
    assert texts(f"Say this.\n{data}\nAnd that.") == ["Say this.", "And that."]


def test_rulers_and_heads_of_comments_are_no_words() -> None:
    found = list(prose("`★ Note ─────────`\nTabs break the parser.\n`─────────────────`\nGo on."))
    assert [(s.text, s.heading) for s in found] == [("Tabs break the parser.", "Note"), ("Go on.", "")]
    comment = '::code-comment{title="[P2] Mask" body="The mask stops too early. Use a scanner." file="a.py"}'
    assert texts(comment)[0] == "The mask stops too early."


def test_lists_lose_their_marks_and_know_their_heading() -> None:
    found = list(prose("## Root cause\n- **The cache** is stale\n1. It is read twice"))
    assert [(s.text, s.item, s.heading) for s in found] == [
        ("**The cache** is stale", True, "Root cause"),
        ("It is read twice", True, "Root cause"),
    ]


@pytest.mark.parametrize(
    "text", ["Implement the following plan:\n\nAlways do X.", "[{\n  always", "<command-name>x", "# Plan\n\nAlways do X."]
)
def test_pasted_material_is_no_speech(text: str) -> None:
    assert list(speech(text)) == []


def test_a_page_behind_a_persons_words_is_not_theirs() -> None:
    page = "Never mock the clock.\n\n# Instructions\n\n- Always be concise."
    assert [s.text for s in speech(page)] == ["Never mock the clock."]
    shell = "Never mock the clock.\n```sh\n# run it\nmake\n```\nAlways use a fake one."
    assert [s.text for s in speech(shell)] == ["Never mock the clock.", "Always use a fake one."]


def test_what_a_person_typed_into_a_fence_is_speech_where_nothing_stands_outside() -> None:
    found = list(speech("```\nNever mock the clock.\n```"))
    assert [(s.text, s.start) for s in found] == [("Never mock the clock.", 4)]
    assert [s.text for s in speech("See this:\n```\nNever mock the clock.\n```")] == ["See this:"]
    assert list(speech("```py\nclock = mock\n```")) == []


def test_of_a_long_message_only_its_ends_are_speech() -> None:
    text = "Never push to main.\n\n" + "A pasted review line that goes on.\n\n" * 200 + "Always ask first."
    assert [s.text for s in speech(text)] == ["Never push to main.", "Always ask first."]


@given(st.text(alphabet="aB .!?`*#|>-\n:。\t\x0b\u2028é\"'", max_size=300))
def test_every_sentence_stands_in_the_text_to_the_letter_and_in_order(text: str) -> None:
    end = 0
    for sentence in prose(text):
        assert text[sentence.start : sentence.end] == sentence.text
        assert sentence.start >= end
        end = sentence.end


# --- stretches between blanks -----------------------------------------------------------------------------------------

PIECES = "`a b` ` src/a.py https://x.org/`y Don’t HTTP camelCase --flag 3.5% word Word, e.g. x... 根本 a_b() -> —"
PIECES += " ( abc1234 #12 ✅ A word."
TEXTS = st.lists(st.sampled_from([*PIECES.split(), " ", "\n", "\u00a0", "\x1c"]) | st.text(max_size=4), max_size=12).map(
    "".join
)


@given(TEXTS)
@example("see `a b`c `d")
@example("https://x.org/`y z`")
def test_stretch_by_stretch_is_as_all_at_once(text: str) -> None:
    assert sentences.tokens(text) == list(sentences._tokens(text))
    found = sentences.of(text)
    assert [word for one in found for word in one.words] == sentences.words_of(text)
    assert sum(one.names for one in found) == len(sentences._NAME.findall(text))
    assert ("digits" in {mark for one in found for mark in one.marks}) == bool(re.search(r"\d", text))
    assert ("hash" in {mark for one in found for mark in one.marks}) == bool(sentences._HASH.search(text))
