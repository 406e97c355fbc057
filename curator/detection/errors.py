"""Recognise errors of tools, network, rights and settings by their text, so that one is known in another session.

Only what a later session would run into as well. What belongs to the code in progress (assertions, types, syntax), to the
harness, or to a mistyped path is no news the second time.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from curator.detection import commands, passages, wording
from curator.detection.classifier import logistic
from curator.model import Candidate, Category, Role, Turn, Wording
from curator.text.words import contains_any, word_set

SIGNAL = "rediscovery"
HEADLINE_ERROR = 9
"""Words of an error that fit into a headline behind the command."""
WITHIN = 20
"""Turns after an error within which the command that passed is looked for."""

_SURROUNDINGS = re.compile(
    r"(?i)command not found|not recognized as|is not installed|no module named|cannot find (?:module|package)|module not found|"
    r"unknown (?:flag|option|command|argument)|unrecognized (?:option|argument)|invalid option|missing script|"
    r"no such (?:command|option|table|container|service)|no matching (?:version|distribution|manifest)|externally-managed|"
    r"permission denied|eacces|operation not permitted|read-only file system|dubious ownership|"
    r"address already in use|eaddrinuse|econnrefused|connection refused|cannot connect|docker daemon|"
    r"(?:could|can) ?not (?:connect|resolve|find a version|locate|read username)|"
    r"authentication failed|unauthori[sz]ed|not logged in|token .{0,20}(?:expired|invalid)|certificate (?:has expired|is not)|"
    r"certificate verif(?:y|ication) failed|unsupported (?:engine|version|platform|runtime)|incompatible with|"
    r"requires (?:node|python|java|go|ruby|rust|php)\b|version .{0,40}(?:mismatch|not found|required)|eresolve|peer dep|"
    r"shared librar|glibc|out of memory|heap limit|enospc|no space left|resource (?:busy|temporarily)|is locked|index\.lock|"
    r"(?:environment|env) var.{0,40}(?:not set|missing|undefined|required)|executable .{0,40}(?:doesn't exist|not found)"
)
_HINTS = (
    *(
        "not found",
        "not recognized",
        "not installed",
        "no module named",
        "cannot find",
        "unknown ",
        "unrecognized",
        "invalid option",
    ),
    *("missing script", "no such ", "no matching ", "externally-managed", "permission denied", "eacces", "not permitted"),
    *(
        "read-only file",
        "dubious ownership",
        "already in use",
        "eaddrinuse",
        "econnrefused",
        "connection refused",
        "docker daemon",
    ),
    *("not connect", "not resolve", "not find a", "not locate", "not read username", "authentication", "unauthori"),
    *(
        "not logged in",
        "token ",
        "certificate ",
        "unsupported ",
        "incompatible",
        "requires ",
        "version ",
        "eresolve",
        "peer dep",
    ),
    *("shared librar", "glibc", "out of memory", "heap limit", "enospc", "no space left", "resource ", "is locked"),
    *("index.lock", "env var", "environment var", "executable "),
)
"""One of these stands in whatever speaks of the surroundings."""
_CODE = re.compile(
    r"(?i)assert|expected|(?-i:\bFAILED\b)|syntaxerror|typeerror|nameerror|attributeerror|indentationerror|referenceerror|\bTS\d{4}\b|"
    r"error\[E\d|warning|deprecat|not assignable|no such file|cannot access|not found in|passed|\w+\.\w+\(\w|"
    r"\bat .+:\d+:\d+|^\s*(?:at|File) "
)
_HARNESS = re.compile(
    r"(?i)tool_use_error|file has not been read|string to replace|modified since read|sibling tool call|inputvalidation|"
    r"doesn't want to|rejected|requested permissions|sandbox|timed out after|was blocked|approval|apply_patch"
)
_SPEECH = re.compile(r"^(?:[A-Za-z]|\(eval\)|\S+:\d+:)[^{}]*$")
"""How a message begins, unlike a line of a patch, a table, a list or of code."""
_ABSENT = re.compile(r"command not found: (\S+)|(\S+): (?:command )?not found$")
_PREFIXES = re.compile(r"(?i)^(?:[\w.()/-]+(?::\d+)?: (?:line \d+: )?|(?:npm )?(?:error|err!|fatal)\b[: ]*)+(?=\S+ \S)")
_PROGRAM = re.compile(r"[A-Za-z][\w.+-]*")
_ASKS = word_set(
    "cat ls sed rg grep find head tail echo cd pwd mkdir which test true sleep kill nl awk sort wc ln printf tree stat type",
    "for while if set export",
)
_VARIES = (
    (re.compile(r"\x1b\[[0-9;]*m"), ""),
    (re.compile(r"\w+://\S+"), "<url>"),
    (re.compile(r"""(["'`])(?:[^"'`\s]*[/\\\d][^"'`]*|[^"'`]{40,})\1"""), "<name>"),
    (re.compile(r"(?:[A-Za-z]:)?[\w.~@-]*[/\\][\w./\\@~+-]+"), "<path>"),
    (re.compile(r"\b[0-9a-f]{7,64}\b"), "<hash>"),
    (re.compile(r"\d+"), "<n>"),
    (re.compile(r"\s+"), " "),
)


@dataclass(frozen=True, slots=True)
class Error:
    """What a failed command said: the same ``signature`` for the same error; ``text`` stands in the turn at ``index``."""

    signature: str
    index: int
    text: str


def errors(turns: Sequence[Turn]) -> list[Error]:
    """The errors of the surroundings in a session, each signature once, at its first place."""
    found: dict[str, Error] = {}
    for index, turn in enumerate(turns):
        if turn.role is not Role.TOOL_RESULT or turn.ok is not False or turn.sidechain or not 0 < len(turn.command) <= 2_000:
            continue
        if (text := telling(turn.text)) is None or not (tool := culprit(turn.command, text)):
            continue
        signature = hashlib.sha256(f"{tool}\0{signature_text(text)}".encode("utf-8", "replace")).hexdigest()[:20]
        found.setdefault(signature, Error(signature, index, text))
    return list(found.values())


def telling(output: str) -> str | None:
    """The first line of an output that names a fault of the surroundings; ``None`` where the fault is another."""
    output = output[:4_000]
    if not contains_any(output.casefold(), _HINTS) or _HARNESS.search(output[:300]):
        return None
    for line in output.splitlines():
        text = line.strip()
        if 12 <= len(text) <= 240 and _SPEECH.match(text) and _SURROUNDINGS.search(text) and not _CODE.search(text):
            return text
    return None


def culprit(command: str, error: str) -> str:
    """The program that an error is about: what was not found, else what the command runs; empty for one that only looks around.

    >>> culprit("cd api && go test ./...", "zsh:1: command not found: go")
    'go'
    """
    absent = _ABSENT.search(error)
    name = (absent[1] or absent[2]) if absent else commands.program(command)
    return name if _PROGRAM.fullmatch(name) and name not in _ASKS else ""


def signature_text(text: str) -> str:
    """An error without what differs from time to time: numbers, paths, hashes, addresses, long or numbered names.

    >>> one = signature_text("Error: connect ECONNREFUSED 127.0.0.1:5432")
    >>> one == signature_text("error:  connect ECONNREFUSED 10.0.0.7:5433")
    True
    """
    for pattern, placeholder in _VARIES:
        text = pattern.sub(placeholder, text)
    return text.strip().lower()


def rediscovery(turns: Sequence[Turn], error: Error) -> Candidate | None:
    """An error as a candidate, with the command that then passed; ``None`` where its words can't be shown."""
    start = turns[error.index].text.find(error.text)
    proof = passages.gather(turns, error.index, start, start + len(error.text))
    if proof is None:
        return None
    tool = culprit(turns[error.index].command, error.text)
    message = error.text.replace("`", "'")
    headline = f"`{tool}` fails here: {wording.shorten(_brief(message), HEADLINE_ERROR)}"
    why = {"met in several sessions": 1.0, "base": -0.8}
    passed = next(_later_successes(turns, error.index), None)
    insight = wording.shorten(f"`{tool}` fails here: {message}", wording.INSIGHT)
    proofs = [proof]
    if passed is not None:
        why["passed in another form"] = 0.5
        right = commands.core(turns[passed].command)
        mended = f"`{tool}` fails here: {wording.shorten(_brief(message), 12)}. `{right}` passed."
        insight = mended if len(mended.split()) <= wording.INSIGHT else insight
        at = turns[passed].text.find(right)
        proofs += [one for one in [passages.gather(turns, passed, at, at + len(right))] if one]
    return Candidate(
        category=Category.TOOLING,
        headline=headline,
        insight=insight,
        evidence=tuple(proofs),
        score=logistic(sum(why.values())),
        why=why,
        signal=SIGNAL,
        fingerprint=error.signature,
        wordings=(Wording(headline, insight, "worded"),),
    )


def _brief(message: str) -> str:
    """An error without who says so and where: the part behind the last prefix that a program puts before it."""
    return _PREFIXES.sub("", message)


def _later_successes(turns: Sequence[Turn], index: int) -> Iterator[int]:
    """The calls soon after a failure that ran the same program otherwise, and passed."""
    wrong = turns[index].command
    calls = commands.calls_of(turns)
    for at, turn in enumerate(turns[index + 1 : index + 1 + WITHIN], index + 1):
        right = commands.core(turn.command) if turn.role is Role.TOOL_RESULT and turn.ok else ""
        if right and len(right) <= commands.LONGEST and "\n" not in right and right != commands.core(wrong):
            call = commands.call_of(turns, at, calls)
            if call >= 0 and commands.program(right) == commands.program(wrong) and right in turns[call].text:
                yield call
