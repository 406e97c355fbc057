"""The template of a command around a person's words: a custom prompt, a slash command, a workflow.

An agent sends the expanded text as if a person had typed it. Only the argument is the person's. The command's own file says
where the argument stands. Without the file, the form of the text shows that it is a template. A few known forms show where the
argument stands. curator prefers no argument to a template's sentence in a person's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from curator.text import markdown

MIN_TEMPLATE_CHARACTERS = 60
"""Characters of a template's own text that are enough to know it by."""

MARKS = 4
"""Signs of a template in a text. A person's long message has headings and steps as well."""

Span = tuple[int, int]

_MATTER = re.compile(r"\A---[ \t]*\n(?:[\w-]+:.*\n|[ \t]+.*\n)+---[ \t]*(?:\n|\Z)")
_PLACEHOLDER = re.compile(
    r"(?P<typed>\$ARGUMENTS(?:\[\d+\])?|\$\{?[1-9]\}?|\$@|\$[A-Z][A-Z0-9_]+|\{\{\{?\s*[\w.]+\s*\}?\}\})|!`[^`\n]+`|[!@]\{[^{}\n]*\}"
)
"""A place that is filled when a command is called: by the person, or with a command's output or a file."""
_CALL = re.compile(r"\s*/[A-Za-z][\w:./-]*(?=\s|\Z)")
"""The command itself, as a person calls it."""


class Template(NamedTuple):
    """A template of a command: the texts between its placeholders, and the source of each place's words."""

    texts: tuple[str, ...]
    typed: tuple[bool, ...]
    """True for each place that a person fills: before the first text, between two texts, and after the last text."""

    def own(self, text: str) -> list[Span] | None:
        """Return the positions of the person's words in an expanded text. Return ``None`` if it is not from this template."""
        spans, at = [], 0
        for literal, is_typed in zip(self.texts, self.typed, strict=False):
            start = text.find(literal, at)
            if start < 0:
                return None
            spans += [(at, start)] if is_typed else []
            at = start + len(literal)
        return [*spans, (at, len(text))] if self.typed[-1] else spans


def template(body: str) -> Template | None:
    """Return the template that a command's file holds. Return ``None`` if the text is too short to be recognised.

    >>> template("Review the code with great care, and write down every fault that you find: $ARGUMENTS").typed
    (True, True)
    """
    body = _MATTER.sub("", body.replace("\r\n", "\n"), count=1)
    texts, typed, at = list[str](), [True], 0
    for place in (*_PLACEHOLDER.finditer(body), None):
        literal = body[at : place.start() if place else len(body)].strip()
        is_typed = place is None or place["typed"] is not None
        if literal:
            texts.append(literal)
            typed.append(is_typed)
        else:  # two places side by side are one
            typed[-1] = typed[-1] and is_typed
        at = place.end() if place else at
    return Template(tuple(texts), tuple(typed)) if sum(map(len, texts)) >= MIN_TEMPLATE_CHARACTERS else None


@lru_cache(maxsize=8)
def all_of(bodies: tuple[str, ...]) -> tuple[Template, ...]:
    """Return the templates of these texts. The one with the most text of its own is first, because it may contain others."""
    found = {one for body in bodies if (one := template(body))}
    return tuple(sorted(found, key=lambda one: (-sum(map(len, one.texts)), one)))


def typed(text: str, templates: Iterable[Template] = ()) -> str:
    """Return a person's turn without the template around the person's words. Later lines keep their numbers.

    >>> typed("## User Input\\n\\n```text\\nkeep the old API\\n```\\n\\nYou **MUST** consider the user input.").strip()
    'keep the old API'
    """
    text = text.replace("\r\n", "\n")
    spans = next((found for one in templates if (found := one.own(text)) is not None), None)
    spans = _spans_by_form(text) if spans is None else spans
    if spans is None:
        return text
    parts, at = list[str](), 0
    for start, end in spans:
        if call := _CALL.match(text, start, end):
            start = call.end()
        if _PLACEHOLDER.fullmatch(text[start:end].strip()):  # not filled in, such as a variable in a shell script
            continue
        parts += ["\n" * text.count("\n", at, start) or " ", text[start:end]]
        at = end
    return "".join(parts) if "".join(parts).strip() else ""


# --- by form ----------------------------------------------------------------------------------------------------------

_INPUT = re.compile(
    r"(?m)^#{1,4}[ \t]+(?:User (?:Input|Request|Prompt)|Arguments?|Input)[ \t]*\n\s*(?P<fence>`{3,}|~{3,})\w*[ \t]*\n"
)
_CONSIDER = re.compile(r"\s*You \*\*MUST\*\* consider the user input")
"""Spec-kit's sentence after the argument."""
_INPUT_LINE = re.compile(r"(?im)^User input:[ \t]*$")
_CONTINUES = re.compile(r"(?<=\n\n)(?:The text the user typed|Given |Goal:|You are |\d+\. |#|\*\*|---)")
"""The beginnings of the paragraphs with which a template continues after an argument."""
_COMMAND_ARGUMENT = "can be provided directly by the agent or as a command argument"
_ELEMENT = re.compile(r"<(?P<tag>arguments?|user[_-](?:input|request|prompt|arguments))>")
_ARGUMENTS = re.compile(r"(?<=\n\n)ARGUMENTS:[ \t]*")
_LAST_CALL = re.compile(r"(?<=\n\n)/[A-Za-z][\w:./-]*(?:[ \t].*)?\Z")
_FIRST_CALL = re.compile(r"/[A-Za-z][\w:.-]*(?:[ \t].*)?(?=\n)")

_HEADING = re.compile(r"(?m)^#{1,4} \S")
_STEP = re.compile(r"(?m)^[ \t]*(?:\d{1,2}[.)] |- \[ \] |#{1,4} (?:Step|Phase) \d|\*\*(?:Step|Phase) \d)")
_ORDER = re.compile(r"\b[Yy]ou \*{0,2}(?:MUST|SHALL|NEVER)\b|\*\*(?:MUST|NEVER|ALWAYS|STOP|DO NOT|CRITICAL|IMPORTANT)\b")
_USER = re.compile(
    r"\b(?:ask|tell|inform|prompt|notify|wait for|confirm with|report to|suggest to|present to|show) (?:the )?user\b"
    r"|\b(?:the )?user(?:'s)? (?:input|arguments?|request|approval|confirmation|response)\b",
    re.IGNORECASE,
)
"""A template calls the person "the user"."""
_UNFILLED = re.compile(r"\$ARGUMENTS\b|\{\{\s*[\w.]+\s*\}\}|\[[A-Z][A-Z0-9]*(?:[ _][A-Z0-9]+)+\]")
_DESCRIBED = re.compile(r"(?m)^(?:description|argument-hint|allowed-tools):")


def _is_template(text: str) -> bool:
    """Return whether a text has the form of a command's file: headings, steps, orders, and words about "the user"."""
    if (matter := _MATTER.match(text)) and _DESCRIBED.search(matter[0]):
        return True
    text = markdown.without_code(text, lambda _: "")  # people paste files in fences
    marks = (_USER.search(text), _UNFILLED.search(text), _ORDER.search(text))
    lists = (len(_HEADING.findall(text)) >= 2, len(_STEP.findall(text)) >= 3)
    return any(marks[:2]) and sum(map(bool, (*marks, *lists))) >= MARKS


def _spans_by_form(text: str) -> list[Span] | None:
    """Return the position of the argument in a template. Return ``None`` for any other text."""
    if "\n" not in text:
        return None
    start = _INPUT.search(text)
    fence = re.compile(rf"(?m)^{start['fence']}[ \t]*$") if start else None
    ends = [*fence.finditer(text, start.end())] if start and fence else []
    end = next((one for one in ends if _CONSIDER.match(text, one.end())), None)
    if start and end:
        return [(start.end(), end.start())]
    is_sure = _COMMAND_ARGUMENT in text
    if not is_sure and not _is_template(text):
        return None
    if start and ends:
        return [(start.end(), ends[0].start())]
    if line := _INPUT_LINE.search(text):
        stop = _CONTINUES.search(text, line.end())
        return [(line.end(), stop.start() if stop else _paragraph_end(text, line.end()))]
    if (opening := _ELEMENT.search(text)) and (close := text.find(f"</{opening['tag']}>", opening.end())) >= 0:
        return [(opening.end(), close)]
    if last := _ARGUMENTS.search(text):
        return [(last.end(), len(text))]
    call = _LAST_CALL.search(text) or _FIRST_CALL.match(text)
    return [call.span()] if call else []


def _paragraph_end(text: str, start: int) -> int:
    end = text.find("\n\n", len(text) - len(text[start:].lstrip()))
    return end if end >= 0 else len(text)
