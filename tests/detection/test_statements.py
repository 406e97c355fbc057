"""Which sentences become cards: passages, sayings of the same, one card a statement."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from curator.detection import detect
from curator.detection.sentences import prose
from curator.detection.statements import GAP, MAX_PASSAGE_CHARACTERS, MAX_STATEMENTS_PER_WORD, Index, passage
from curator.model import Role
from tests.detection.test_detect import agent, human, session, turn

CAUSE = "The root cause is that `SessionStore.load` reads the stale cache before the lock is taken, so windows overwrite it."
AGAIN = "So `SessionStore.load` overwrites what another window saved because it reads the stale cache before the lock."
OTHER = "The export fails because `write_all` requires a folder that nobody creates on a fresh clone."


def test_what_is_said_again_is_evidence_and_no_card_of_its_own() -> None:
    turns = session(human("Why?"), agent(CAUSE), human("And now?"), agent(AGAIN), human("ok"), agent(OTHER))
    found = detect(turns)
    assert len(found) == 2
    twice = next(one for one in found if "SessionStore" in one.headline)
    assert {one.line for one in twice.evidence} == {2, 4}
    assert {one.line for other in found if other is not twice for one in other.evidence} == {6}


def test_a_passage_is_quoted_with_what_belongs_to_it() -> None:
    more = "Both of us saw that. " + CAUSE + " Take the lock first."
    (found,) = detect(session(human("Why?"), agent(more)))
    assert found.evidence[0].quote == more
    assert found.headline.startswith("`SessionStore.load`") or "SessionStore.load" in found.headline


def test_a_passage_does_not_cross_a_block_of_code() -> None:
    text = f"{CAUSE}\n\n```python\nx = 1\n```\n\nTake the lock first."
    (found,) = detect(session(human("Why?"), agent(text)))
    assert found.evidence[0].quote == CAUSE


@given(st.lists(st.tuples(st.integers(1, 200), st.floats(-6, 2)), min_size=1, max_size=12), st.data())
def test_a_passage_holds_its_sentence_and_fits(given_: list[tuple[int, float]], data: st.DataObject) -> None:
    text = " ".join("A" + "b" * size + "." for size, _ in given_)
    sentences = list(prose(text))
    place = data.draw(st.integers(0, len(sentences) - 1)) if sentences else 0
    if not sentences:
        return
    worths = [data.draw(st.floats(-6, 2)) for _ in sentences]
    quoted = passage(sentences, worths, place)
    assert place in quoted
    start, end = sentences[quoted[0]].start, sentences[quoted[-1]].end
    assert end - start <= max(MAX_PASSAGE_CHARACTERS, sentences[place].end - sentences[place].start)
    assert all(sentences[n + 1].start - sentences[n].end <= GAP for n in list(quoted)[:-1])


def test_rare_words_tell_what_is_the_same_and_common_ones_do_not() -> None:
    common = [frozenset({"test", "run", "file", f"word{n}", f"more{n}"}) for n in range(30)]
    index = Index([frozenset({"cache", "lock", "stale", "test"}), frozenset({"cache", "lock", "stale", "run"}), *common])
    assert [one.other for one in index.alike(0) if one.restates] == [1]


def test_the_agents_words_for_what_a_person_said_are_offered() -> None:
    said = "Never write to the live bucket of the importer when you try things, only to staging."
    told = "The importer must only write to the staging bucket when you try things, never to the live bucket."
    (found, *_) = detect(session(human("Upload it"), agent("Uploading."), human(said), agent(told)))
    assert found.evidence[0].quote == said
    assert found.headline.startswith("Never write to the live bucket")
    assert any(one.label == "the agent's words" for one in found.wordings[1:])
    assert [one.line for one in found.evidence] == [3, 4]


def test_files_changed_after_a_correction_are_attached() -> None:
    edit = turn(Role.TOOL_CALL, "", tool="Edit", paths=("/repo/src/api.ts",), call="e1")
    said = human("We never retry in the client, the gateway does that for every caller.", cwd="/repo")
    (found,) = detect(session(human("Fix it"), agent("On it."), said, agent("Moving it."), edit, human("thanks")))
    assert found.files == ("src/api.ts",)


class Places(list[int]):
    """Where a word stands; counts each place that is looked at."""

    looked = 0

    def __iter__(self) -> Iterator[int]:
        for place in super().__iter__():
            Places.looked += 1
            yield place


def looked_at(size: int) -> int:
    """How many places are looked at to find the like of every statement of a session; one word is common to all."""
    index = Index([frozenset({"the-same", f"pair{n // 2}", f"group{n // 10}", f"own{n}"}) for n in range(size)])
    index._where = {word: Places(where) for word, where in index._where.items()}
    Places.looked = 0
    for number in range(size):
        list(index.alike(number))
    return Places.looked


def test_finding_the_like_of_all_statements_grows_with_their_number_only() -> None:
    assert looked_at(4 * MAX_STATEMENTS_PER_WORD) <= 2.1 * looked_at(2 * MAX_STATEMENTS_PER_WORD)
    assert looked_at(8 * MAX_STATEMENTS_PER_WORD) <= 2.1 * looked_at(4 * MAX_STATEMENTS_PER_WORD)
