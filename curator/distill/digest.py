"""The prompt, and the digest of a session on a page or two for a model: statements, failures, and little else.

It is pure and deterministic, because its bytes are the key of the cache, and a person sees them before they are sent. A line is
a turn and begins with the turn's line number, so that an answer can refer to it.
"""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import TypeVar

from curator.model import Candidate, Entry, Happening, Role, Turn
from curator.text import clean, markdown, redact

PERSON, PLAN, OUTPUT, COMMAND = 900, 4_000, 240, 160
"""Maximum characters of a person's words, of a plan or decision list, of a failed command's output, and of a command."""
AGENT, AGENTS = 1_200, 14_000
"""Characters of an agent's turn at least, and of all its turns where the session's other turns leave them more."""
HEAD = 0.65
"""The share of the beginning in a shortened long text. The rest is the text's end."""
ASIDE = 160
"""The characters of a line for the actions between two statements."""
MAX_PART_CHARACTERS = 40_000
"""Maximum characters of a part of a session. A longer session is read in several parts."""
CANDIDATES = 15
"""Maximum number of the detector's candidates below a session …"""
LESSONS = 12
"""… and of stored lessons."""
BELOW = (CANDIDATES + LESSONS) * (OUTPUT + 40)
"""Characters that the candidates and lessons below a session take at most."""
MIN_PART_CHARACTERS = 4_000
"""A part is not shorter, however small the window of a model is."""
MARGIN = 0.9
"""The used share of a window, since token counts are estimates."""
PER_TOKEN = 4.4
"""Characters of a token, on average."""
VERSION = 1
"""The version of ``prompt.md``. A new one makes other keys in the cache, and sessions that an older one has read stay read."""
MARKER = "curator-distill:"
"""The beginning of every prompt. A session that begins like this is curator's own and is never read for lessons."""
ANSWER = 700
"""Tokens of an answer with five lessons, about."""
_BLANK = re.compile(r"\s+")
_ERROR = re.compile(
    r"error|exception|fatal|fail|panic|denied|refused|abort|not found|no such|no match|cannot|can't|unable|unknown|invalid"
    r"|missing|does not|doesn't|is not|not a |unexpected|unresolved|undefined|✗|✖|❌",
    re.I,
)
_ACCEPTED = "Implement the following plan"
"""Claude Code puts these words before a plan that a person accepted."""
_POINT = re.compile(r"^[ \t>]{0,8}\(?\d{1,2}[.):][ \t]", re.M)
POINTS = 3
"""Minimum number of numbered points in a person's turn that make it a decision list."""
_CIRCUMSTANCES = {
    Happening.REFUSAL: "refusal",
    Happening.INTERRUPTION: "interruption",
    Happening.QUEUED: "while the agent worked",
    Happening.ANSWER: "answer",
    Happening.USER_EDIT: "edit",
}
Item = TypeVar("Item", Candidate, Entry)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a session to read at once: its text, and the positions of its turns."""

    text: str
    turns: range


def sendable(turns: Iterable[Turn]) -> list[Turn]:
    """Return turns that may leave this machine: masked, and without the name of the person's home folder.

    A model's answer is compared with these, so its quotes hold only sent text.
    """
    return [replace(turn, text=shorten_home(turn.text), command=shorten_home(turn.command)) for turn in turns]


def shorten_home(text: str) -> str:
    """Return a text with ``~`` for the person's home folder, which contains their name."""
    home = os.path.expanduser("~")  # for each turn: a Path takes ten times as long
    if len(home) < 2 or home not in text:
        return text
    return re.sub(rf"{re.escape(home)}(?![\w-]|\.\w)", "~", text)


def smallest_window() -> int:
    """Return the tokens of the smallest window for a prompt and its answer."""
    return math.ceil((ANSWER + (len(prompt("")) + BELOW + MIN_PART_CHARACTERS) / PER_TOKEN) / MARGIN)


def part_characters(window: int) -> int:
    """Return the characters of a part for a model with a window of this many tokens; 0 for unknown."""
    left = (window - smallest_window()) * MARGIN * PER_TOKEN if window else MAX_PART_CHARACTERS
    return MIN_PART_CHARACTERS + round(min(max(0, left), MAX_PART_CHARACTERS - MIN_PART_CHARACTERS))


def parts(turns: Sequence[Turn], most: int = MAX_PART_CHARACTERS) -> list[Part]:
    """Return a session as text, in parts of limited length that begin at a person's turn."""
    rows = [replace(row, text=_short(row.text, most - 3)) for row in _rows(turns)]
    found: list[Part] = []
    while rows:
        size = last = 0
        for number, row in enumerate(rows):
            size += len(row.text) + 1
            if size - 1 > most and number:
                break
            last = number + 1
        if last < len(rows):
            last = next((number for number in range(last, last // 2, -1) if rows[number].opens), last)
        head, rows = rows[:last], rows[last:]
        found.append(Part("\n".join(row.text for row in head), range(head[0].turn, rows[0].turn if rows else len(turns))))
    return found


def of_part(found: Sequence[Item], part: Part, turns: Sequence[Turn]) -> list[Item]:
    """Return the candidates of a session with their best quote in a part."""
    places = {line for turn in turns[part.turns.start : part.turns.stop] for line in _lines(turn)}
    return [one for one in found if one.evidence and one.evidence[0].line in places]


def candidates_and_lessons(candidates: Sequence[Candidate | Entry], lessons: Sequence[Entry]) -> str:
    """Return the text below a digest: the detector's candidates, and known lessons."""
    found = [
        f"C{number} [{one.evidence[0].line}] {one.category.value}: {_sendable(one.insight)}"
        for number, one in enumerate(candidates[:CANDIDATES], 1)
    ]
    known = [f"L{number} {one.category.value}: {_sendable(_whole(one))}" for number, one in enumerate(lessons[:LESSONS], 1)]
    blocks = (("Candidates of the rules (most are noise):", found), ("Lessons that are known:", known))
    return "\n\n".join("\n".join((title, *lines)) for title, lines in blocks if lines)


def _sendable(text: str) -> str:
    """Return the text of a card or lesson that may be sent. A person may have typed anything into it."""
    return _short(shorten_home(redact.mask(text)), OUTPUT)


def _lines(turn: Turn) -> range:
    return range(turn.locator.line, max(turn.locator.line, turn.locator.line_end) + 1)


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of the digest, the place of its turn, and whether a part may begin with it."""

    text: str
    turn: int
    opens: bool = False


def _rows(turns: Sequence[Turn]) -> Iterator[_Row]:
    actions = Counter[str]()
    last_words, share = _ends_of_subagents(turns), _share(turns)
    for place, turn in enumerate(turns):
        if turn.sidechain and place not in last_words:
            continue
        text = _statement(turn, share)
        if not text:
            actions.update(_actions(turn))
            continue
        if actions:
            yield _Row(_aside(actions), place)
        actions.clear()
        yield _Row(f"[{turn.locator.line}] {text}", place, turn.role is Role.HUMAN and not turn.automated)
    if actions:
        yield _Row(_aside(actions), len(turns) - 1)


def _share(turns: Iterable[Turn]) -> int:
    """Return the characters of each agent's turn: short turns leave theirs to the longer ones."""
    lengths = sorted(len(turn.text) for turn in turns if turn.role is Role.ASSISTANT and not turn.sidechain)
    left = AGENTS
    for place, length in enumerate(lengths):
        share = left // (len(lengths) - place)
        if length > share:
            return max(AGENT, share)
        left -= length
    return AGENTS


def _statement(turn: Turn, share: int) -> str:
    """Return a turn's statement on one line, an agent's cut to ``share`` characters; empty for a turn with only actions."""
    circumstance = _CIRCUMSTANCES.get(turn.happening) if turn.happening else None
    if turn.happening is Happening.COMPACTION:
        return "(the context was summarised)"
    if turn.role is Role.HUMAN or circumstance:
        name = "SCRIPT" if turn.automated else "USER"
        is_list = len(_POINT.findall(turn.text)) >= POINTS
        words = _short(turn.text if len(turn.text) <= PERSON else _speech(turn.text), PLAN if is_list else PERSON)
        return f"{name}{f' ({circumstance})' if circumstance else ''}: {words}".rstrip(": ") if words or circumstance else ""
    if turn.role is Role.ASSISTANT:
        if turn.text.startswith(_ACCEPTED) and not turn.sidechain:
            return f"USER (accepted plan): {_short(turn.text, PLAN)}"
        words = _short(_speech(turn.text), share)
        return f"{'SUBAGENT' if turn.sidechain else 'AGENT'}: {words}" if words else ""
    if turn.role is Role.TOOL_RESULT and turn.command and turn.ok is False:
        return f"$ {_short(turn.command, COMMAND)} ✗ {_failure(turn.text)}".rstrip()
    return ""


def _actions(turn: Turn) -> Iterator[str]:
    """Yield the calls of a turn between two statements, without results."""
    if turn.role is Role.TOOL_CALL and turn.command:
        yield f"$ {_short(turn.command, COMMAND // 3)}"
    elif turn.role is Role.TOOL_CALL:
        reads = turn.tool.lower().startswith(("read", "view", "grep", "glob", "search", "list", "ls"))
        yield f"edit {_name(turn.paths[0])}" if turn.paths and not reads else _short(turn.tool, COMMAND // 3) or "a tool"


def _aside(actions: Counter[str]) -> str:
    """Return all that was done, in a line."""
    return f"· {_short(', '.join(f'{name}×{times}' if times > 1 else name for name, times in actions.items()), ASIDE)}"


def _ends_of_subagents(turns: Sequence[Turn]) -> frozenset[int]:
    """Return where a subagent says its last words."""
    found, last = set[int](), -1
    for place, turn in enumerate(turns):
        if turn.sidechain and turn.role is Role.ASSISTANT and turn.text.strip():
            last = place
        elif not turn.sidechain and last >= 0:
            found.add(last)
            last = -1
    return frozenset(found | {last} - {-1})


def _speech(text: str) -> str:
    """Return words with the size of code blocks instead of the blocks."""
    return markdown.without_code(text, lambda lines: f"[code {lines} line{'s' * (lines != 1)}]")


def _short(text: str, most: int) -> str:
    """Return a text in one line: whole, or its beginning and its end."""
    line = _line(text)
    if len(line) <= most:
        return line
    head = round(most * HEAD)
    return f"{line[:head].rstrip()} … {line[-(most - head) :].lstrip()}"


def _failure(output: str) -> str:
    """Return the end of a failed command's output. If it has no error line, the first error line comes before it."""
    line = _line(output[-8 * OUTPUT :])
    if len(line) <= OUTPUT and len(output) <= 8 * OUTPUT:
        return line
    end = f"… {line[-OUTPUT:].lstrip()}"
    first = next((_short(one, COMMAND) for one in output.splitlines() if _ERROR.search(one)), "")
    return end if first in end else f"{first} {end}"


def _line(text: str) -> str:
    return _BLANK.sub(" ", clean.strip(text)).strip()


def _name(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _whole(entry: Entry) -> str:
    return entry.insight if entry.headline in entry.insight else f"{entry.headline}. {entry.insight}"


# --- what a model is asked ---------------------------------------------------------------------------------------------


def prompt(digest: str, known: str = "", *, only_choose: bool = False) -> str:
    """Return the whole prompt: instruction, digest, candidates and lessons (see ``candidates_and_lessons``).

    With ``only_choose`` the model words nothing: it names candidates.
    """
    order = instruction("choose.md" if only_choose else "prompt.md")
    return "\n\n".join(part for part in (order, f"The session:\n{digest}", known) if part) + "\n"


def tokens(text: str) -> int:
    """Return how many tokens a text is, about."""
    return round(len(text) / PER_TOKEN)


@cache
def instruction(name: str) -> str:
    """Return the text of an instruction in this folder."""
    return files("curator.distill").joinpath(name).read_text(encoding="utf-8").strip()
