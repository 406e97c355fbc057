"""The circumstances of a turn: who was stopped or corrected, and what failed before and worked after."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from curator.detection.sentences import is_pasted, words_of
from curator.model import Happening, Role, Turn
from curator.text.words import contains_any, word_set

MAX_TURNS_AFTER_FAILURE = 6
"""The number of turns after which a failure no longer explains a statement."""


MAX_TURNS_TO_NEW_DIAGNOSIS = 40
"""Turns within which a later diagnosis is about the same trouble."""


@dataclass(frozen=True, slots=True)
class SpeakingTurn:
    """A turn that may hold a lesson's words, with the circumstances by name."""

    index: int
    turn: Turn
    human: bool
    circumstances: frozenset[str]


_OBJECTION = word_set("no nope wrong incorrect actually stop wait why don't dont not hmm really still instead shouldn't")
_CONCESSION = re.compile(
    r"(?i)you(?:'|’)?(?:re| are) (?:\w+ly )?(?:right|correct)|good (?:point|catch|call)|great (?:point|catch)|"
    r"fair point|my mistake|apologi[sz]e|i misunderstood|i was wrong|makes sense"
)
_SPEAKS = frozenset({Happening.REFUSAL, Happening.ANSWER, Happening.QUEUED, Happening.USER_EDIT})


def human_words(turn: Turn) -> bool:
    """Return whether a person said this turn's text: not a subagent's prompt, not a script's, not a paste."""
    by_person = turn.role is Role.HUMAN or (turn.role is Role.EVENT and turn.happening in (Happening.REFUSAL, Happening.ANSWER))
    if not by_person or turn.sidechain or turn.automated or not turn.text.strip():
        return False
    return not is_pasted(turn.text)


def is_objection(turn: Turn) -> bool:
    """Return whether a person disagrees here, by act or by the first words."""
    if turn.happening in (Happening.REFUSAL, Happening.INTERRUPTION):
        return True
    return human_words(turn) and bool(_OBJECTION & set(words_of(turn.text[:120])[:12]))


def speaking_turns(turns: Sequence[Turn]) -> list[SpeakingTurn]:
    """Return every turn of a person or the agent in order, with its circumstances."""
    following = _next_words(turns)
    outcomes = _outcomes(turns)
    diagnosed = _diagnoses(turns)
    found: list[SpeakingTurn] = []
    failed = stopped = objected = -99
    is_open = False
    compacted = -99
    for index, turn in enumerate(turns):
        if turn.happening is Happening.INTERRUPTION:
            stopped = index
        elif turn.happening is Happening.COMPACTION:
            compacted = index
        elif turn.role is Role.TOOL_RESULT and turn.ok is not None and not turn.sidechain:
            failed = index if not turn.ok else failed
        human = human_words(turn)
        if not human and not (turn.role is Role.ASSISTANT and turn.text.strip() and not turn.sidechain and not turn.automated):
            continue
        if human:
            around = _around_human(turn, index, stopped, is_open)
            if any(one.role is Role.ASSISTANT and _CONCESSION.search(one.text[:200]) for one in turns[index + 1 : index + 5]):
                around.add("conceded")
            is_open = is_open or turn.role is Role.HUMAN
            objected = index if is_objection(turn) else -99 if turn.role is Role.HUMAN else objected
        else:
            around = _around_agent(turns, index, following[index], failed, objected)
            if index == compacted + 1:
                continue
            around |= diagnosed.get(index, frozenset())
        around |= outcomes[index]
        found.append(SpeakingTurn(index, turn, human, frozenset(around)))
    return found


_EDITS = word_set(
    "edit multiedit write notebookedit apply_patch patch str_replace str_replace_editor str_replace_based_edit_tool "
    "create create_file edit_file replace write_file write_to_file replace_in_file insert_edit_into_file search_replace "
    "replace_file_content multi_replace_file_content"
)
_REVERTS = re.compile(r"\bgit (?:revert|restore|reset --hard|checkout (?:--|HEAD|\.)|stash(?! list| show| pop))")
_UNDOES = re.compile(r"(?i)\W*(?:please )?(?:revert|undo|roll(?:ing)? (?:it |that |this )?back|back (?:it|that) out)\b")
_DIAGNOSES = (
    *("root cause", "real issue", "real problem", "real cause", "actual issue", "actual problem", "actual cause"),
    *("issue is", "issue was", "problem is", "problem was", "bug is", "bug was", "culprit", "error is", "error was"),
    *("turns out", "caused by", "that's why", "that’s why", "because"),
)
"""Words of which a diagnosis in an agent's text contains at least one."""


def is_edit(turn: Turn) -> bool:
    """Return whether the agent changes a file here."""
    return turn.role is Role.TOOL_CALL and turn.tool.lower() in _EDITS


def is_revert(turn: Turn) -> bool:
    """Return whether something is taken back here, by a command or in words."""
    if turn.role is Role.TOOL_CALL:
        return bool(turn.command) and bool(_REVERTS.search(turn.command[:400]))
    return human_words(turn) and bool(_UNDOES.match(turn.text[:80]))


def _outcomes(turns: Sequence[Turn]) -> list[frozenset[str]]:
    """Return the outcome of each turn until the person's next one: edited and passed, edited and failed, or reverted."""
    found: list[frozenset[str]] = [frozenset()] * len(turns)
    edited = passed = failed = undone = False
    for index in range(len(turns) - 1, -1, -1):
        turn = turns[index]
        names = [("held", edited and passed), ("failed again", edited and failed), ("taken back", undone)]
        found[index] = frozenset(name for name, applies in names if applies)
        if turn.sidechain:
            continue
        if human_words(turn) or turn.happening in (Happening.INTERRUPTION, Happening.REFUSAL):
            edited = passed = failed = False
            undone = is_revert(turn)
        elif is_revert(turn):
            undone = True
        elif is_edit(turn):
            edited = True
        elif turn.role is Role.TOOL_RESULT and turn.command and turn.ok is not None and not (passed or failed):
            passed, failed = turn.ok, not turn.ok
    return found


def is_diagnosis(text: str) -> bool:
    """Return whether an agent states a diagnosis here."""
    return contains_any(text[:3_000].lower(), _DIAGNOSES)


def _diagnoses(turns: Sequence[Turn]) -> dict[int, frozenset[str]]:
    """Return marks of diagnoses: of several between which something failed or a person objected, the last one wins."""
    found: dict[int, frozenset[str]] = {}
    earlier = -1
    shaken = False
    for index, turn in enumerate(turns):
        if turn.sidechain:
            continue
        if is_objection(turn) or (turn.role is Role.TOOL_RESULT and turn.ok is False):
            shaken = True
        elif turn.role is Role.ASSISTANT and is_diagnosis(turn.text):
            if earlier >= 0 and shaken and index - earlier <= MAX_TURNS_TO_NEW_DIAGNOSIS:
                found[earlier] = frozenset({"replaced diagnosis"})
            found[index] = frozenset({"last diagnosis"})
            earlier, shaken = index, False
    return found


def _around_human(turn: Turn, index: int, stop: int, opened: bool) -> set[str]:
    around = {"opening" if not opened else "reply"}
    if turn.happening in _SPEAKS and turn.happening is not None:
        around.add(turn.happening.value)
    if index - stop <= 2 and turn.role is Role.HUMAN:
        around.add("interrupted")
    length = len(turn.text)
    around.add(
        "terse turn" if length < 60 else "brief turn" if length < 300 else "long turn" if length > 1200 else "middling turn"
    )
    return around


def _around_agent(turns: Sequence[Turn], index: int, answer: int | None, failure: int, objection: int) -> set[str]:
    around = set()
    after = turns[index + 1] if index + 1 < len(turns) else None
    around.add(
        "interim" if after is not None and after.role in (Role.TOOL_CALL, Role.TOOL_RESULT, Role.ASSISTANT) else "closing"
    )
    if answer is None:
        around.add("last word")
    elif is_objection(turns[answer]):
        around.add("refuted")
    if index - failure <= MAX_TURNS_AFTER_FAILURE:
        around.add("after failure")
    if index - objection <= 8:
        around.add("after objection")
    length = len(turns[index].text)
    around.add("aside" if length < 250 else "report" if length > 2000 else "statement")
    return around


def _next_words(turns: Sequence[Turn]) -> list[int | None]:
    """Return the index of a person's next words or action, for each turn."""
    found: list[int | None] = [None] * len(turns)
    upcoming: int | None = None
    for index in range(len(turns) - 1, -1, -1):
        found[index] = upcoming
        turn = turns[index]
        if human_words(turn) or turn.happening in (Happening.INTERRUPTION, Happening.REFUSAL):
            upcoming = index
    return found


_HEAD = re.compile(
    r"(?i)cause|why|problem|issue|finding|note|gotcha|decision|important|caveat|lesson|learn|limitation|"
    r"constraint|key|explanation|diagnos|what (?:happened|went|was wrong)|原因|问题"
)
_CHANGES = re.compile(
    r"(?i)summary|change|next step|file|test|verif|result|status|benefit|feature|option|usage|what (?:i|was|"
    r"changed|it|this)|implement|done|complet|plan|phase|step|todo|usage|example|success|总结|步骤|修改"
)


@lru_cache(maxsize=256)
def section_kind(heading: str) -> str:
    """Return the kind of section that a heading opens: ``"findings"``, ``"changes"`` or neither."""
    if not heading:
        return ""
    if _HEAD.search(heading):
        return "findings"
    return "changes" if _CHANGES.search(heading) else "section"
