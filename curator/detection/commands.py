"""Commands that failed and were then mended: the same intent as another command, and what made the difference."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from curator.model import Role, Turn
from curator.text.words import contains_any, word_set

WITHIN = 14
"""Turns after a failure within which its mended form is looked for."""

LONGEST = 160
"""Characters of a command that a person can still take in."""

_ENVIRONMENT = re.compile(
    r"(?i)command not found|not recognized|unknown (?:flag|option|command|argument|shorthand)|unrecognized|"
    r"invalid option|no such (?:file|command|option)|cannot find|can't find"
    r"|permission denied|not permitted|not installed|externally-managed|eacces|toolchain|does not match|no "
    r"module named|could not (?:find|resolve)|missing script|must be run|requires|refus|unauthori|not a git"
)
_HINTS = (
    *("not found", "not recognized", "unknown ", "unrecognized", "invalid option", "no such ", "cannot find", "can't find"),
    *("permission denied", "not permitted", "not installed", "externally-managed", "eacces", "toolchain", "does not match"),
    *("no module", "could not ", "missing script", "must be run", "requires", "refus", "unauthori", "not a git"),
)
"""One of these stands in whatever is an error of the environment."""
_ASKS = word_set(
    "cat ls sed rg grep find head tail echo cd pwd mv cp rm mkdir touch wc which stat test true sleep kill ps "
    "nl awk sort chmod ln printf git-show"
)
_WRAPPERS = word_set(
    "sudo env npx bunx uv uvx poetry pipenv mise exec run run-script dlx corepack time nice nohup xvfb-run "
    "bash sh -c -- -lc -e winpty wsl docker compose python python3 -m"
)
_PASSING = re.compile(r"\btmp/|scratchpad|\b[0-9a-f]{12,40}\b|\n|<<|REDACTED")
_TAIL = re.compile(r"(?<!\s)\s*+(?:2>&1|2>/dev/null|>/dev/null|\|\|?|;)(?:\s.*)?$")
_SETTING = re.compile(r"[A-Za-z_]\w*=\S*")
_PLACE = re.compile(r"[/\\*{]|\.[A-Za-z]\w{0,5}$|^[\"'(]|^[0-9a-f]{7,}$")
"""Words of a command that name a place or a thing of the hour: that another works there teaches nothing."""
OPERATORS = frozenset(("&&", "||", ";"))
"""What joins commands in a shell that knows it."""
_UNKNOWN = re.compile(r"(?i)unknown|unrecognized|did you mean|missing script|no such|not a .{0,20}command|instead")
_ADVICE = re.compile(r"(?i)\b(?:run|try|use|execute|first|with|please)\b")
_COMPLAINT = re.compile(
    r"(?i)error|invalid|unknown|\bno\b|\bnot\b|missing|requires?|expected|must|did you mean|instead|unexpected|needs?\b"
)


@dataclass(frozen=True, slots=True)
class Mending:
    """Indices of the failed result and the call that then worked, both commands, and by which words they differ."""

    failure: int
    call: int
    wrong: str
    right: str
    additions: tuple[str, ...]
    error: str
    removals: tuple[str, ...] = ()
    before: bool = False
    """Whether the right one is what the wrong one needs before it."""


def core(command: str) -> str:
    """The command without a change of folder before it and redirections after it."""
    parts = [part for part in re.split(r"\s*&&\s*", command.strip()) if not re.match(r"(?:cd|pushd)\s", part)]
    return _TAIL.sub("", " && ".join(parts)).strip()


def program(command: str) -> str:
    """What a command runs once settings and wrappers are taken off."""
    for word in core(command).split():
        if word not in _WRAPPERS and not _SETTING.fullmatch(word):
            return word.rsplit("/", 1)[-1]
    return ""


def mendings(turns: Sequence[Turn]) -> Iterator[Mending]:
    """Commands that failed and soon worked: in another form, or after a command that the error had asked for.

    The other form helps against a fault of the environment, or is without what the error names.
    """
    failures: list[tuple[int, str]] = []
    calls = calls_of(turns)
    for index, turn in enumerate(turns):
        if turn.role is not Role.TOOL_RESULT or not turn.command or len(turn.command) > 2_000 or turn.sidechain:
            continue
        failures = [failure for failure in failures if index - failure[0] <= WITHIN][-8:]
        if turn.ok is False:
            failures.append((index, core(turn.command)))
        elif turn.ok:
            right, call = core(turn.command), call_of(turns, index, calls)
            for failed, wrong in reversed(failures) if call >= 0 and right in turns[call].text else ():
                if wrong == right:
                    found = _find_preparation(turns, failed, index, wrong, calls)
                else:
                    found = _mending(failed, call, wrong, right, ends(turns[failed].text))
                if found:
                    failures.remove((failed, wrong))
                    yield found
                    break


def calls_of(turns: Sequence[Turn]) -> dict[str, int]:
    """The places of the calls by their ids."""
    return {turn.call: index for index, turn in enumerate(turns) if turn.role is Role.TOOL_CALL and turn.call}


def call_of(turns: Sequence[Turn], index: int, calls: Mapping[str, int]) -> int:
    """The call that the result at a place answers: by its id, or in formats without ids the one before it; -1 for none."""
    turn = turns[index]
    if turn.call:
        return calls.get(turn.call, -1)
    before = range(index - 1, max(-1, index - 4), -1)
    return next((at for at in before if turns[at].role is Role.TOOL_CALL and turns[at].command == turn.command), -1)


def ends(output: str) -> str:
    """The beginning and the end of an output: an error stands at one of them."""
    return output if len(output) <= 8_000 else f"{output[:4_000]}\n{output[-4_000:]}"


def _find_preparation(
    turns: Sequence[Turn], failure: int, success: int, wrong: str, calls: Mapping[str, int]
) -> Mending | None:
    """The command between a failure and the same command's success for which the failure's output had asked."""
    output = ends(turns[failure].text)
    for index in range(failure + 1, success):
        turn = turns[index]
        remedy = core(turn.command) if turn.role is Role.TOOL_RESULT and turn.ok and len(turn.command) <= LONGEST else ""
        if " " not in remedy or program(remedy) in _ASKS or _PASSING.search(remedy) or remedy not in output:
            continue
        call = call_of(turns, index, calls)
        lines = (line.strip() for line in output.splitlines() if remedy in line and _ADVICE.search(line))
        if call >= 0 and remedy in turns[call].text and (error := next(lines, "")):
            return Mending(failure, call, wrong, remedy, (), error[:300], before=True)
    return None


def _mending(failure: int, call: int, wrong: str, right: str, output: str) -> Mending | None:
    if max(len(wrong), len(right)) > LONGEST or _PASSING.search(wrong) or _PASSING.search(right):
        return None
    if program(wrong) in _ASKS or program(right) in _ASKS or fuzz.token_sort_ratio(wrong, right) < 55:
        return None
    if (added := _difference(wrong, right)) and (error := _error(output)):
        return Mending(failure, call, wrong, right, added, error)
    added, removed = changes(wrong, right)
    names = _culprits(added, removed)
    error = _complaint(output, names) if names else ""
    if not error or (any(map(str.isalpha, names)) and not _UNKNOWN.search(error)):  # what is no option may be the hour's task
        return None
    return Mending(failure, call, wrong, right, added, error, names if removed else ())


def changes(wrong: str, right: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words that only the right one of two commands has, and those that only the wrong one has."""
    old, new = wrong.split(), right.split()
    return tuple(word for word in new if word not in old), tuple(word for word in old if word not in new)


def _culprits(additions: Sequence[str], removals: Sequence[str]) -> tuple[str, ...]:
    """What an error must name for a change to have mended it: all that was taken out, or a setting that was put in."""
    if operators := tuple(word for word in removals if word in OPERATORS):
        return operators if len({*operators}) == 1 and len(removals) <= 4 else ()
    if len(additions) > 3 or len(removals) > 2 or any(map(_PLACE.search, (*additions, *removals))):
        return ()
    return tuple(removals) or tuple(word.partition("=")[0] for word in additions if _SETTING.fullmatch(word))


def _complaint(output: str, names: Sequence[str]) -> str:
    """The line of an output that complains of these words; empty where none names all of them."""
    for line in output.splitlines():
        text = line.strip()
        if not 8 <= len(text) <= 300 or not all(name in text for name in names) or not _COMPLAINT.search(text):
            continue
        if all(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) for name in names):
            return text
    return ""


def _error(text: str) -> str:
    for line in text.splitlines() if contains_any(text.casefold(), _HINTS) else ():
        if _ENVIRONMENT.search(line) and 8 <= len(line.strip()) <= 240:
            return line.strip()
    return ""


def _difference(wrong: str, right: str) -> tuple[str, ...]:
    """Settings, flags and wrappers that only the right command has; empty when these are two different intents."""
    added, removed = changes(wrong, right)
    if not added or len(added) > 5 or len(removed) > 3:
        return ()
    telling = [word for word in added if word.startswith("-") or _SETTING.fullmatch(word) or word in _WRAPPERS]
    if program(wrong) != program(right):
        return () if len(added) > 2 or set(wrong.split()[1:]) != set(right.split()[1:]) else added
    return added if telling else ()
