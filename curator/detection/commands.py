"""Commands that failed and were then mended: the same intent as another command, and what made the difference."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from curator.model import Role, Turn
from curator.text.words import contains_any, listed

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
_ASKS = listed(
    "cat ls sed rg grep find head tail echo cd pwd mv cp rm mkdir touch wc which stat test true sleep kill ps "
    "nl awk sort chmod ln printf git-show"
)
_WRAPPERS = listed(
    "sudo env npx bunx uv uvx poetry pipenv mise exec run run-script dlx corepack time nice nohup xvfb-run "
    "bash sh -c -- -lc -e winpty wsl docker compose python python3 -m"
)
_PASSING = re.compile(r"\btmp/|scratchpad|\b[0-9a-f]{12,40}\b|\n|<<|REDACTED")
_TAIL = re.compile(r"(?<!\s)\s*+(?:2>&1|2>/dev/null|>/dev/null|\|\|?|;)(?:\s.*)?$")
_SETTING = re.compile(r"[A-Za-z_]\w*=\S*")


@dataclass(frozen=True, slots=True)
class Mending:
    """Indices of the failed result and the call that then worked, both commands, and what the second has more."""

    failed: int
    call: int
    wrong: str
    right: str
    added: tuple[str, ...]
    error: str


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
    """Commands that failed for a reason of the environment and soon worked in another form."""
    failures: list[tuple[int, str, str]] = []
    calls = {turn.call: index for index, turn in enumerate(turns) if turn.role is Role.TOOL_CALL and turn.call}
    for index, turn in enumerate(turns):
        if turn.role is not Role.TOOL_RESULT or not turn.command or len(turn.command) > 2_000 or turn.sidechain:
            continue
        failures = [failure for failure in failures if index - failure[0] <= WITHIN][-8:]
        if turn.ok is False:
            if error := _error(turn.text):
                failures.append((index, core(turn.command), error))
        elif turn.ok:
            right = core(turn.command)
            for failure in reversed(failures):
                added = _difference(failure[1], right)
                call = calls.get(turn.call, -1)
                if added and call >= 0 and right in turns[call].text:
                    failures.remove(failure)
                    yield Mending(failure[0], call, failure[1], right, added, failure[2])
                    break


def _error(text: str) -> str:
    text = text[:4_000]
    for line in text.splitlines() if contains_any(text.casefold(), _HINTS) else ():
        if _ENVIRONMENT.search(line) and 8 <= len(line.strip()) <= 240:
            return line.strip()
    return ""


def _difference(wrong: str, right: str) -> tuple[str, ...]:
    """Settings, flags and wrappers that only the right command has; empty when these are two different intents."""
    if wrong == right or max(len(wrong), len(right)) > LONGEST or _PASSING.search(wrong) or _PASSING.search(right):
        return ()
    if program(wrong) in _ASKS or program(right) in _ASKS:
        return ()
    old, new = wrong.split(), right.split()
    added = [word for word in new if word not in old]
    removed = [word for word in old if word not in new]
    if not added or len(added) > 5 or len(removed) > 3 or fuzz.token_sort_ratio(wrong, right) < 55:
        return ()
    telling = [word for word in added if word.startswith("-") or _SETTING.fullmatch(word) or word in _WRAPPERS]
    if program(wrong) != program(right):
        return () if len(added) > 2 or set(old[1:]) != set(new[1:]) else tuple(added)
    return tuple(added) if telling else ()
