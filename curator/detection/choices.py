"""Choices that a person made when an agent asked: picked or typed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from curator.model import Happening, Role, Turn

LONGEST = 240
"""Characters of a question or an answer that is one choice and not a conversation."""

_ERRAND = re.compile(
    r"(?i)\b(?:do you want me to|want me to|would you like me to|should i|shall i|may i|can i|ready to|proceed|"
    r"continue|commit|push|next step"
    r"|what would you like|how would you like to)\b"
)
_EMPTY = re.compile(
    r"(?i)\W*(?:yes|no|y|n|ok(?:ay)?|sure|go|both|all|none|other|skip|proceed|continue|approved?|"
    r"\d+)\W*(?:\(.*\))?\W*"
)
_TOPIC = (
    re.compile(
        r"(?i)^(?:which|what)(?:'s| is| are)?\s+(?:the\s+|kind of\s+)?(.{3,80}?)\s+(?:do you|should|would|shall|to "
        r"use|are you|did you|is|are|for)\b"
    ),
    re.compile(
        r"(?i)^(?:how|where|when|who)\s+(?:should|do|does|would|must)\s+(?:we\s+|i\s+|you\s+(?:want|prefer)\s+|"
        r"the\s+)?(.{3,80}?)(?:\s+be\b.*)?$"
    ),
)
_ADVICE = re.compile(r"(?i)(?<!\s)\s*+\((?:recommended|default)\)|^option [a-z0-9]+\s*+[:—–-]\s*+")


@dataclass(frozen=True, slots=True)
class Choice:
    """Indices of the asking call and the answering turn, the words of both as they stand there."""

    question_index: int
    answer_index: int
    question: str
    answer: str

    @property
    def topic(self) -> str:
        """What the question is about, without its grammar."""
        text = self.question.strip().rstrip("?？ ")
        for pattern in _TOPIC:
            if match := pattern.match(text):
                return match[1]
        return text

    @property
    def pick(self) -> str:
        """The answer without "recommended" and option letters."""
        return _ADVICE.sub("", self.answer).strip()


def choices(turns: Sequence[Turn]) -> Iterator[Choice]:
    """The answers to questions about the project; errands ("shall I commit?") and bare yes and no are left out."""
    for index, turn in enumerate(turns):
        if turn.happening is not Happening.ANSWER or turn.role is not Role.EVENT or turn.sidechain or turn.automated:
            continue
        asked = _asking(turns, index)
        if asked < 0:
            continue
        questions = [line.strip() for line in turns[asked].text.splitlines() if line.strip()]
        answers = [line.strip() for line in turn.text.splitlines() if line.strip()]
        if len(questions) != len(answers) or not all(question.endswith(("?", "？")) for question in questions):
            continue
        for question, answer in zip(questions, answers, strict=True):
            brief = max(len(question), len(answer)) <= LONGEST and not answer.endswith("?")
            if brief and not _ERRAND.search(question) and not _EMPTY.fullmatch(answer):
                yield Choice(asked, index, question, answer)


def _asking(turns: Sequence[Turn], index: int) -> int:
    """The call that the answer belongs to: by its id, else the call just before."""
    for back in range(index - 1, max(-1, index - 6), -1):
        turn = turns[back]
        if turn.role is Role.TOOL_CALL and (turn.call == turns[index].call if turns[index].call else True):
            return back
    return -1
