"""From hand-made turns to candidates: what counts, what never does, and what leaves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.detection import classifier, detect, fingerprint
from curator.detection.statements import cluster
from curator.detection.wording import HEADLINE, INSIGHT
from curator.model import Category, Happening, Locator, Role, Turn

RULE = "We should always use table-driven tests instead of copied test functions"
CAUSE = (
    "The root cause is that `SessionStore.load` reads the cache before the lock is taken, so a second window "
    "overwrites what the first one saved."
)


def turn(role: Role, text: str, **given: object) -> Turn:
    made = Turn(agent="codex", session="s1", role=role, text=text, locator=Locator("s1.jsonl", 0, 0))
    return replace(made, **given)  # type: ignore[arg-type]


def human(text: str, **given: object) -> Turn:
    return turn(Role.HUMAN, text, **given)


def agent(text: str, **given: object) -> Turn:
    return turn(Role.ASSISTANT, text, **given)


def session(*turns: Turn) -> list[Turn]:
    """The turns on lines 1, 2, 3, …"""
    return [replace(one, locator=Locator("s1.jsonl", n, n)) for n, one in enumerate(turns, 1)]


def quotes(turns: Sequence[Turn]) -> list[str]:
    return [candidate.evidence[0].quote for candidate in detect(turns)]


def command(text: str, ok: bool | None, output: str = "", call: str = "c1") -> tuple[Turn, Turn]:
    return (
        turn(Role.TOOL_CALL, text, tool="Bash", command=text, call=call),
        turn(Role.TOOL_RESULT, output, tool="Bash", command=text, call=call, ok=ok),
    )


def test_a_standing_rule_is_proposed_with_its_evidence() -> None:
    turns = session(human("Add tests for the parser"), agent("I'll write them now."), human(RULE))
    (candidate,) = detect(turns)
    evidence = candidate.evidence[0]
    assert evidence.quote == RULE
    assert (evidence.line, evidence.role) == (3, Role.HUMAN)
    assert [line.text for line in evidence.excerpt if line.hit] == [RULE]
    assert len(candidate.headline.split()) <= HEADLINE
    assert candidate.signal == "standing-rule"
    assert candidate.score >= classifier.load_model().floor
    assert candidate.score_parts["always"] > 0
    assert 1 <= len(candidate.wordings) <= 3
    assert (candidate.wordings[0].headline, candidate.wordings[0].insight) == (candidate.headline, candidate.insight)


@pytest.mark.parametrize(
    "said",
    [
        human("This must always be used instead of the other one"),
        agent("I need to always use `SessionStore.load` instead of reading the cache because the lock is not taken there."),
    ],
)
def test_what_leans_on_the_words_before_or_tells_of_the_agent_is_no_card(said: Turn) -> None:
    assert quotes(session(human("Add tests for the parser"), agent("I'll write them now."), said)) == []


def test_an_excerpt_leaves_out_lines_without_words() -> None:
    quoted = f"  - {RULE}"
    said = human(f"Some wishes:\n\n---\n1.\n{quoted}\n-\n* * *\n```\nx = [\n]\n")
    (candidate,) = detect(session(agent("---"), agent("Which wishes?"), agent("***"), said, agent("-"), agent("2)")))
    best = candidate.evidence[0]
    assert RULE in best.quote
    assert best.quote in said.text
    assert [line.text for line in best.excerpt] == ["Which wishes?", "Some wishes:", best.quote, "x = [", "]"]


def test_in_markdown_the_evidence_is_the_line_not_the_whole_turn() -> None:
    filler = "\n\n".join(["That is all I know of the day so far, and it was a long one with many meetings."] * 4)
    said = human(f"{filler}\n\n{RULE}\n\n{filler}", locator=Locator("notes.md", 40, 56))
    (candidate,) = detect([said])
    best = candidate.evidence[0]
    assert RULE in best.quote
    assert best.quote in said.text
    first = 40 + said.text[: said.text.index(best.quote)].count("\n")
    assert (best.line, best.line_end) == (first, first + best.quote.count("\n"))
    assert best.line <= 48 <= best.line_end < 56


def test_a_refusal_with_a_reason_counts_and_one_without_does_not() -> None:
    why = "don't install anything globally, use the container instead"
    said = session(human("Fix it"), agent("Installing."), turn(Role.EVENT, why, happening=Happening.REFUSAL))
    (candidate,) = detect(said)
    assert candidate.signal == "refusal"
    assert candidate.evidence[0].role is Role.HUMAN
    assert "refusal" in candidate.score_parts
    assert detect(session(human("Fix it"), agent("Installing."), turn(Role.EVENT, "", happening=Happening.REFUSAL))) == []


def test_words_after_an_interruption_weigh_more_than_the_same_words_elsewhere() -> None:
    words = "use the staging bucket, we don't write to the live one"
    calm = detect(session(human("Upload it"), agent("Uploading."), human(words)))
    stop = turn(Role.EVENT, "", happening=Happening.INTERRUPTION)
    stopped = detect(session(human("Upload it"), agent("Uploading."), stop, human(words)))
    assert stopped[0].score > calm[0].score
    assert stopped[0].signal == "interruption"


def test_queued_words_are_a_persons_words() -> None:
    (candidate,) = detect(session(human("Go"), agent("Going."), human(RULE, happening=Happening.QUEUED)))
    assert candidate.signal == "steering"
    assert "queued" in candidate.score_parts


def test_what_is_granted_weighs_more_and_what_is_refuted_less() -> None:
    base = session(human("Go"), agent("Done."), human("we should only call the api through the client"))
    granted = session(*base, agent("You're right, I bypassed the client."))
    assert detect(granted)[0].score > detect(base)[0].score
    believed = detect(session(human("Why?"), agent(CAUSE), human("thanks, ship it")))
    refuted = detect(session(human("Why?"), agent(CAUSE), human("no, that's wrong, look again")))
    assert not refuted or refuted[0].score < believed[0].score


def test_a_root_cause_after_a_failure_is_a_bug_pattern() -> None:
    (candidate,) = detect(session(human("Why is it lost?"), *command("pytest", False, "1 failed"), agent(CAUSE)))
    assert (candidate.signal, candidate.category) == ("root-cause", Category.BUG_PATTERN)
    assert candidate.headline.startswith("`SessionStore.load` reads the cache")
    assert "SessionStore.load" in candidate.symbols


@pytest.mark.parametrize(
    "noise",
    [
        human("Implement the following plan:\n\nAlways use table-driven tests instead of copied ones."),
        human("The page says:\n```\nwe must always use tabs instead of spaces here\n```"),
        human("```py\nwe must always use tabs instead of spaces here\n```"),
        human(RULE, sidechain=True),
        human(RULE, automated=True),
        agent(CAUSE, sidechain=True),
        agent("Let me check whether the tests always pass now."),
        agent("All tests pass. I've updated the three files and everything works now."),
        agent("Would you like me to always run the linter instead of the formatter?"),
        turn(Role.TOOL_RESULT, CAUSE, ok=True),
        turn(Role.EVENT, CAUSE, happening=Happening.COMPACTION),
        agent("As CLAUDE.md says, we must always use pnpm instead of npm."),
        human("can you fix the failing test"),
        human("yes"),
        human(""),
    ],
)
def test_noise_is_no_candidate(noise: Turn) -> None:
    assert detect(session(human("Do the task"), noise)) == []


def test_what_a_compaction_copied_is_not_said_again() -> None:
    assert detect(session(human("Go"), turn(Role.EVENT, "", happening=Happening.COMPACTION), agent(CAUSE))) == []


def test_the_same_statement_twice_is_one_candidate_with_two_pieces_of_evidence() -> None:
    turns = session(human("Go"), agent("Done."), human(RULE), agent("OK."), human(RULE.replace("We", "we") + "!"))
    (candidate,) = detect(turns)
    assert sorted(evidence.line for evidence in candidate.evidence) == [3, 5]


def test_what_was_examined_before_is_context_only() -> None:
    later = human("never touch the generated client, change the schema instead")
    turns = session(human("Go"), agent("Done."), human(RULE), agent("OK."), later)
    assert len(detect(turns)) == 2
    (candidate,) = detect(turns, old_turns=3)
    assert candidate.evidence[0].line == 5
    assert detect(turns, old_turns=len(turns)) == []


def test_the_same_turns_give_the_same_candidates_in_the_order_of_scores_that_add_up() -> None:
    later = human("never rebase shared branches, merge instead")
    turns = session(human("Go"), agent(CAUSE), human(RULE), agent("You're right."), later)
    first = detect(turns)
    assert first == detect(list(turns))
    assert [candidate.score for candidate in first] == sorted((candidate.score for candidate in first), reverse=True)
    for candidate in first:
        assert candidate.score == pytest.approx(1 / (1 + math.exp(-sum(candidate.score_parts.values()))), abs=0.001)


def test_a_fingerprint_forgets_case_punctuation_and_grammar_but_not_negation_or_numbers() -> None:
    assert fingerprint("Use `pnpm`, never npm!") == fingerprint("please use the PNPM; never npm")
    assert fingerprint("run tests on port 3000") != fingerprint("run tests on port 3001")
    assert fingerprint("commit generated files") != fingerprint("never commit generated files")
    assert fingerprint("Use npm, not pnpm") != fingerprint("Use pnpm, not npm")
    assert fingerprint("") == fingerprint("  ")


def test_the_same_words_become_further_evidence_and_others_do_not() -> None:
    (candidate,) = detect(session(human(RULE)))
    proofs = [candidate.evidence[0]._replace(line=n) for n in (1, 2)]
    one, other = (replace(candidate, fingerprint=mark, evidence=(proof,)) for mark, proof in zip("ab", proofs, strict=True))
    assert cluster([one, other]) == [one, other]
    assert [len(found.evidence) for found in cluster([one, replace(other, fingerprint="a")])] == [2]


READ = "because the cache can't be read, use `a.py` instead"
SPOKEN = st.sampled_from([RULE, CAUSE, READ, "no", "", "never do `x y`", "# Plan", "```", "必须使用 pnpm。", "a\x1b[0m"])
SPOKEN_TURNS = st.tuples(st.sampled_from(list(Role)), SPOKEN, st.sampled_from([None, *Happening]))


@given(st.lists(SPOKEN_TURNS, max_size=12), st.integers(0, 12))
def test_every_quote_stands_in_a_turn(parts: list[tuple[Role, str, Happening | None]], seen: int) -> None:
    turns = session(*(turn(role, text, happening=happening) for role, text, happening in parts))
    for candidate in detect(turns, old_turns=seen):
        assert candidate.evidence[0].line > seen
        for evidence in candidate.evidence:
            assert any(evidence.quote in one.text for one in turns if one.locator.line == evidence.line)
        for wording in candidate.wordings:
            assert len(wording.headline.split()) <= HEADLINE
            assert len(wording.insight.split()) <= INSIGHT


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", [".", ". A", "a", "`", "(", "**", "never ", "always a/", "| ", "\u3002", "no `x` because "])
@pytest.mark.parametrize("width", [300, 3_900])
def test_hostile_turns_end(piece: str, width: int) -> None:
    """Half a megabyte in one turn, in lines of a width that is still read as prose."""
    line = (piece * width)[:width]
    text = "\n".join([line] * (500_000 // width))
    detect(session(human("Go"), agent(text), human(text[:2_400])))


def test_an_excerpt_leaves_out_what_the_harness_wrote_around_an_output() -> None:
    printed = "Chunk ID: 2f1a3c\nWall time: 0.4 seconds\nProcess exited with code 1\nOutput:\nE403 no rights"
    call = turn(Role.TOOL_CALL, "*** Begin Patch\n*** Update File: a.py", tool="apply_patch", call="c1")
    result = turn(Role.TOOL_RESULT, printed, call="c1", ok=False)
    silent = turn(Role.TOOL_RESULT, "Exit code: 0\nWall time: 0.1 seconds\nOutput:\n", call="c2", ok=True)
    (candidate,) = detect(session(human("Publish it"), call, result, human(RULE), silent, agent("I see.")))
    shown = [line.text for line in candidate.evidence[0].excerpt]
    assert shown == ["Publish it", "*** Update File: a.py", "E403 no rights", RULE, "I see."]
