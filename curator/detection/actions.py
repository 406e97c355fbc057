"""Lessons from actions: a chosen answer, a correction in any script, a command that failed and then worked, a repeated
error.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rapidfuzz import fuzz

from curator.detection import evidence, wording
from curator.detection.classifier import logistic
from curator.detection.context import speaking_turns
from curator.detection.sentences import Sentence
from curator.detection.statements import Proposal, fingerprint, named_files, sentences_of, symbols
from curator.model import Candidate, Category, Evidence, Happening, Role, Turn, Wording
from curator.text.words import word_set


def _candidate(
    category: Category,
    signal: str,
    why: Mapping[str, float],
    offers: Sequence[Wording],
    proofs: Sequence[Evidence],
    print_: str = "",
    **named: Any,
) -> Candidate:
    """Return a candidate with these parts of its score, whose first offer is its headline and insight."""
    headline, insight, _ = offers[0]
    return Candidate(
        category=category,
        headline=headline,
        insight=insight,
        evidence=tuple(proofs),
        score=logistic(sum(why.values())),
        score_parts=why,
        signal=signal,
        fingerprint=print_ or fingerprint(insight),
        wordings=tuple(offers),
        **named,
    )


# --- choices ----------------------------------------------------------------------------------------------------------

MAX_ANSWER_CHARACTERS = 240
"""Characters of a question or an answer that is one choice and not a conversation."""

_ERRAND = re.compile(
    r"(?i)\b(?:do you want me to|want me to|would you like me to|should i|shall i|may i|can i|ready to|proceed|"
    r"continue|commit|push|next step|what would you like|how would you like to)\b"
)
_EMPTY = re.compile(
    r"(?i)\W*(?:yes|no|y|n|ok(?:ay)?|sure|go|both|all|none|other|skip|proceed|continue|approved?|\d+)\W*(?:\(.*\))?\W*"
)
_ADVICE = re.compile(r"(?i)(?<!\s)\s*+\((?:recommended|default)\)|^option [a-z0-9]+\s*+[:—–-]\s*+")


def choices(turns: Sequence[Turn]) -> Iterator[Proposal]:
    """Yield the answers to questions about the project, without errands ("shall I commit?") and bare yes and no."""
    for index, turn in enumerate(turns):
        if turn.happening is not Happening.ANSWER or turn.role is not Role.EVENT or turn.sidechain or turn.automated:
            continue
        asked = _asking(turns, index)
        questions = [line.strip() for line in turns[asked].text.splitlines() if line.strip()] if asked >= 0 else []
        answers = [line.strip() for line in turn.text.splitlines() if line.strip()]
        if len(questions) != len(answers) or not all(question.endswith(("?", "？")) for question in questions):
            continue
        for question, answer in zip(questions, answers, strict=True):
            brief = max(len(question), len(answer)) <= MAX_ANSWER_CHARACTERS and not answer.endswith("?")
            telling = brief and not _ERRAND.search(question) and not _EMPTY.fullmatch(answer)
            if telling and (candidate := _choice(turns, asked, index, question, answer)):
                yield Proposal(index, candidate)


def _asking(turns: Sequence[Turn], index: int) -> int:
    """Return the call of an answer: by its id, or else the previous call."""
    for back in range(index - 1, max(-1, index - 6), -1):
        turn = turns[back]
        if turn.role is Role.TOOL_CALL and (turn.call == turns[index].call if turns[index].call else True):
            return back
    return -1


def _choice(turns: Sequence[Turn], asked: int, index: int, question: str, answer: str) -> Candidate | None:
    proof, asking = quote(turns, index, answer), quote(turns, asked, question)
    pick = wording.plain(_ADVICE.sub("", answer))
    if proof is None or asking is None or not pick:
        return None
    insight = f"{_ask(question, wording.INSIGHT // 2)} {wording.shorten(pick, wording.INSIGHT // 2)}"
    pick = wording.shorten(pick, wording.HEADLINE // 2)
    headline = f"{_ask(question, wording.HEADLINE - wording.size(pick))} {pick}"
    offers = wording.distinct((Wording(headline, insight, "worded"), Wording(pick, insight, "the answer")))
    why, around = {"chosen when asked": 1.6, "base": -0.1}, f"{question} {answer}"
    named: dict[str, Any] = {"context": around, "files": named_files(around, turns, index), "symbols": symbols(around)}
    return _candidate(Category.DECISION, "choice", why, offers, (proof, asking), **named)


def _ask(question: str, most: int) -> str:
    asked = wording.shorten(wording.plain(question), most)
    return asked if asked.endswith(("?", "？", "…")) else f"{asked}?"


# --- corrections in other scripts ---------------------------------------------------------------------------------------

MAX_CORRECTION_CHARACTERS = 300
"""Characters of a person's words that are one correction."""
LETTERS = {"refusal": 4, "interrupted": 7}
"""Letters of another script that say something there without a name: "続けて" after a stop says nothing."""

_LETTER = re.compile(r"[^\W\d_\u0000-\u02ff]")
"""A letter of a non-Latin script, for which there are no cues."""
_LATIN = re.compile(r"[A-Za-z][\w.+/-]+")


def corrections(turns: Sequence[Turn]) -> Iterator[Proposal]:
    """Yield a person's words in another script right after a refusal or a stop, or with a name after an agent's step.

    The position of the words counts here, and they stay unchanged.
    """
    possible = any(len(one.text) <= MAX_CORRECTION_CHARACTERS and _LETTER.search(one.text) for one in turns)
    for scene in speaking_turns(turns) if possible else ():
        words = scene.turn.text.strip() if scene.human else ""
        letters, latin = len(_LETTER.findall(words)), _LATIN.findall(words)
        if not 0 < len(words) <= MAX_CORRECTION_CHARACTERS or letters < 4 or letters < len("".join(latin)) / 2:
            continue
        signal = next(
            (name for name, least in LETTERS.items() if name in scene.circumstances and (latin or letters >= least)), ""
        )
        is_step = latin and "terse turn" in scene.circumstances and _follows_step(turns, scene.index)
        said = [one for one in sentences_of(scene) if not one.text.endswith(("?", "？"))]
        if said and (signal or is_step) and (candidate := _correction(turns, scene.index, said, signal)):
            yield Proposal(scene.index, candidate)


def _follows_step(turns: Sequence[Turn], index: int) -> bool:
    """Return whether the agent did something since a person spoke last."""
    before = (one.role for one in reversed(turns[:index]) if not one.sidechain)
    return next((role for role in before if role in (Role.HUMAN, Role.TOOL_CALL)), Role.HUMAN) is Role.TOOL_CALL


def _correction(turns: Sequence[Turn], index: int, said: Sequence[Sentence], signal: str) -> Candidate | None:
    proof = evidence.gather(turns, index, said[0].start, said[-1].end)
    insight = wording.plain(turns[index].text[said[0].start : said[-1].end])
    if proof is None or not insight:
        return None
    why = {signal or "right after a step": 1.8 if signal else 1.0, "base": -0.1}
    signal = {"interrupted": "interruption", "": "correction"}.get(signal, signal)
    offers = [Wording(wording.shorten(insight, wording.HEADLINE), insight, "worded")]
    named: dict[str, Any] = {"context": insight, "files": named_files(insight, turns, index), "symbols": symbols(insight)}
    return _candidate(Category.CONVENTION, signal, why, offers, [proof], **named)


# --- commands ---------------------------------------------------------------------------------------------------------

WITHIN = 14
"""Turns after a failure within which a form of the command that works is looked for."""

MAX_COMMAND_CHARACTERS = 160
"""Characters of a command that a person can still take in."""

SIMILAR = 55
"""``token_sort_ratio`` from which two commands have the same purpose."""

_ENVIRONMENT = re.compile(
    r"(?i)command not found|not recognized as|is not installed|no module named|cannot find (?:module|package)|module not found|"
    r"unknown (?:flag|option|command|argument|shorthand)|unrecognized (?:option|argument)|invalid option|missing script|"
    r"no such (?:command|option|table|container|service)|no matching (?:version|distribution|manifest)|externally-managed|"
    r"permission denied|eacces|operation not permitted|read-only file system|dubious ownership|toolchain|"
    r"address already in use|eaddrinuse|econnrefused|connection refused|cannot connect|docker daemon|"
    r"(?:could|can) ?not (?:connect|resolve|find a version|locate|read username)|"
    r"authentication failed|unauthori[sz]ed|not logged in|token .{0,20}(?:expired|invalid)|certificate (?:has expired|is not)|"
    r"unsupported (?:engine|version|platform|runtime)|incompatible with|requires (?:node|python|java|go|ruby|rust|php)\b|"
    r"version .{0,40}(?:mismatch|not found|required)|eresolve|peer dep|shared librar|glibc|out of memory|heap limit|enospc|"
    r"no space left|resource busy|is locked|index\.lock|(?:environment|env) var.{0,40}(?:not set|missing|undefined|required)"
)
"""Errors that a later session would meet, too: tools, network, rights, versions, settings."""

_WORK = re.compile(
    r"(?i)assert|expected|(?-i:\bFAILED\b)|syntaxerror|typeerror|nameerror|attributeerror|referenceerror|\bTS\d{4}\b|"
    r"error\[E\d|warning|deprecat|not assignable|no such file|cannot access|passed|\w+\.\w+\(\w|\bat .+:\d+:\d+"
)
"""Errors of the code in progress."""

_HARNESS = re.compile(
    r"(?i)tool_use_error|file has not been read|string to replace|modified since read|sibling tool call|inputvalidation|"
    r"doesn't want to|rejected|requested permissions|sandbox|timed out after|was blocked|approval|apply_patch"
)
_MESSAGE = re.compile(r"(?:[A-Za-z]|\(eval\)|\S+:\d+:)[^{}]*")
"""The form of an error, unlike a line of a patch, a table, a list or of code."""

_LOOKS = word_set(
    "cat ls sed rg grep find head tail echo cd pwd mv cp rm mkdir touch wc which stat test true sleep kill ps nl awk sort "
    "chmod ln printf tree type for while if set export"
)
"""Commands that only look around or move files."""

_WRAPPERS = word_set(
    "sudo env npx bunx uv uvx poetry pipenv mise exec run run-script dlx corepack time nice nohup xvfb-run "
    "bash sh -c -- -lc -e winpty wsl docker compose python python3 -m"
)
_PASSING = re.compile(r"\btmp/|scratchpad|\b[0-9a-f]{12,40}\b|\n|<<|REDACTED")
_TAIL = re.compile(r"(?<!\s)\s*+(?:2>&1|2>/dev/null|>/dev/null|\|\|?|;)(?:\s.*)?$")
_SETTING = re.compile(r"[A-Za-z_]\w*=\S*")


def quote(turns: Sequence[Turn], index: int, words: str) -> Evidence | None:
    """Return evidence for the first occurrence of these words in a turn. Return ``None`` if there is none."""
    start = turns[index].text.find(words)
    return evidence.gather(turns, index, start, start + len(words)) if start >= 0 else None


def main_command(command: str) -> str:
    """Return a command without a change of folder before it and redirections after it."""
    parts = [part for part in re.split(r"\s*&&\s*", command.strip()) if not re.match(r"(?:cd|pushd)\s", part)]
    return _TAIL.sub("", " && ".join(parts)).strip()


def program(command: str) -> str:
    """Return the program of a command without settings and wrappers."""
    words = (word for word in main_command(command).split() if word not in _WRAPPERS and not _SETTING.fullmatch(word))
    return next(words, "").rsplit("/", 1)[-1]


def error_line(output: str) -> str:
    """Return the first line of an output that names an error of the environment. Return an empty text for other errors."""
    if _HARNESS.search(output[:300]):
        return ""
    lines = (line.strip() for line in f"{output[:4_000]}\n{output[4_000:][-4_000:]}".splitlines())
    found = (line for line in lines if 12 <= len(line) <= 240 and _MESSAGE.fullmatch(line) and _ENVIRONMENT.search(line))
    return next((line for line in found if not _WORK.search(line)), "")


def fixed_commands(turns: Sequence[Turn]) -> Iterator[Proposal]:
    """Yield the commands that failed for a reason of the environment and soon worked with another flag, setting or wrapper."""
    failures: list[int] = []
    calls = _calls(turns)
    for index, turn in enumerate(turns):
        if not _is_result(turn):
            continue
        failures = [failed for failed in failures if index - failed <= WITHIN][-8:]
        if turn.ok is False and error_line(turn.text):
            failures.append(index)
        elif turn.ok:
            call, right = _call(turns, index, calls), main_command(turn.command)
            mended = [failed for failed in failures if _difference(main_command(turns[failed].command), right)]
            if call >= 0 and mended and (candidate := _mending(turns, mended[-1], call, right)):
                failures.remove(mended[-1])
                yield Proposal(call, candidate)


def _is_result(turn: Turn) -> bool:
    return turn.role is Role.TOOL_RESULT and 0 < len(turn.command) <= 2_000 and turn.ok is not None and not turn.sidechain


def _calls(turns: Sequence[Turn]) -> dict[str, int]:
    return {turn.call: index for index, turn in enumerate(turns) if turn.role is Role.TOOL_CALL and turn.call}


def _call(turns: Sequence[Turn], index: int, calls: Mapping[str, int]) -> int:
    """Return the call of a result: by its id, or in formats without ids the previous one. Return -1 for none."""
    turn = turns[index]
    if turn.call:
        return calls.get(turn.call, -1)
    before = range(index - 1, max(-1, index - 4), -1)
    return next((at for at in before if turns[at].role is Role.TOOL_CALL and turns[at].command == turn.command), -1)


def _difference(wrong: str, right: str) -> str:
    """Return the settings, flags and wrappers that only the right command has; empty if the intents differ."""
    if max(len(wrong), len(right)) > MAX_COMMAND_CHARACTERS or _PASSING.search(wrong) or _PASSING.search(right):
        return ""
    old, new = wrong.split(), right.split()
    added, removed = [word for word in new if word not in old], [word for word in old if word not in new]
    if not 0 < len(added) <= 5 or len(removed) > 3 or {program(wrong), program(right)} & _LOOKS:
        return ""
    if program(wrong) != program(right):
        is_mended = len(added) <= 2 and set(old[1:]) == set(new[1:])
    else:
        is_mended = any(word.startswith("-") or _SETTING.fullmatch(word) or word in _WRAPPERS for word in added)
    return " ".join(added) if is_mended and fuzz.token_sort_ratio(wrong, right) >= SIMILAR else ""


def _mending(turns: Sequence[Turn], failed: int, call: int, right: str) -> Candidate | None:
    wrong, error = main_command(turns[failed].command), error_line(turns[failed].text)
    proof, failure = quote(turns, call, right), quote(turns, failed, error)
    if proof is None or failure is None:
        return None
    headline = f"`{program(right)}` needs `{_difference(wrong, right)}` here"
    insight = wording.shorten(f"`{right}` works where `{wrong}` fails: {error.replace('`', chr(39))}", wording.INSIGHT)
    why = {"failed then worked": 1.2, "environment error": 0.6, "base": -0.9}
    offers = [Wording(headline, insight, "worded")]
    if len(right.split()) < wording.HEADLINE:
        offers.append(Wording(f"Run `{right}`", insight, "the command"))
    proofs, same = (proof, failure), fingerprint(right)
    return _candidate(Category.TOOLING, "failed-then-worked", why, offers, proofs, same, context=error)


# --- errors met again -------------------------------------------------------------------------------------------------

REDISCOVERY = "rediscovery"
"""The signal of an error that another session met too."""

_ABSENT = re.compile(r"command not found: (\S+)|(\S+): (?:command )?not found$")
_PROGRAM = re.compile(r"[A-Za-z][\w.+-]*")
_VARIES = (
    (re.compile(r"\w+://\S+"), "<url>"),
    (re.compile(r"""(["'`])(?:[^"'`\s]*[/\\\d][^"'`]*|[^"'`]{40,})\1"""), "<name>"),
    (re.compile(r"(?:[A-Za-z]:)?[\w.~@-]*[/\\][\w./\\@~+-]+"), "<path>"),
    (re.compile(r"\b[0-9a-f]{7,64}\b"), "<hash>"),
    (re.compile(r"\d+"), "<n>"),
    (re.compile(r"\s+"), " "),
)


@dataclass(frozen=True, slots=True)
class Error:
    """The error of a failed command. Equal errors have the same ``signature``; ``text`` is in the turn at ``index``."""

    signature: str
    index: int
    text: str


def errors(turns: Sequence[Turn]) -> list[Error]:
    """Return the errors of the environment in a session, each signature once, at its first place."""
    found: dict[str, Error] = {}
    for index, turn in enumerate(turns):
        text = error_line(turn.text) if _is_result(turn) and turn.ok is False else ""
        if text and (tool := culprit(turn.command, text)):
            signature = hashlib.sha256(f"{tool}\0{signature_text(text)}".encode("utf-8", "replace")).hexdigest()[:20]
            found.setdefault(signature, Error(signature, index, text))
    return list(found.values())


def culprit(command: str, error: str) -> str:
    """Return the program that an error is about: the missing one, or else the command's; empty if it only looks around.

    >>> culprit("cd api && go test ./...", "zsh:1: command not found: go")
    'go'
    """
    absent = _ABSENT.search(error)
    name = (absent[1] or absent[2]) if absent else program(command)
    return name if _PROGRAM.fullmatch(name) and name not in _LOOKS else ""


def signature_text(text: str) -> str:
    """Return an error without its variable parts: numbers, paths, hashes, addresses, long or numbered names.

    >>> one = signature_text("Error: connect ECONNREFUSED 127.0.0.1:5432")
    >>> one == signature_text("error:  connect ECONNREFUSED 10.0.0.7:5433")
    True
    """
    for pattern, placeholder in _VARIES:
        text = pattern.sub(placeholder, text)
    return text.strip().lower()


def rediscovery(turns: Sequence[Turn], error: Error) -> Candidate | None:
    """Return an error as a candidate, with the command that then passed. Return ``None`` if its words can't be shown."""
    proof = quote(turns, error.index, error.text)
    if proof is None:
        return None
    headline = f"`{culprit(turns[error.index].command, error.text)}` fails here: {error.text.replace('`', chr(39))}"
    why = {"met in several sessions": 1.0, "base": -0.8}
    insight, proofs = wording.shorten(headline, wording.INSIGHT), [proof]
    if passed := next(_later_successes(turns, error.index), None):
        why["passed in another form"] = 0.5
        insight = f"{wording.shorten(headline, wording.INSIGHT // 2)}. `{passed.quote}` passed."
        proofs.append(passed)
    offers = [Wording(wording.shorten(headline, wording.HEADLINE), insight, "worded")]
    return _candidate(Category.TOOLING, REDISCOVERY, why, offers, proofs, error.signature)


def _later_successes(turns: Sequence[Turn], index: int) -> Iterator[Evidence]:
    """Yield the calls soon after a failure that ran the same program otherwise, and passed."""
    wrong, calls = main_command(turns[index].command), _calls(turns)
    for at, turn in enumerate(turns[index + 1 : index + 1 + WITHIN], index + 1):
        right = main_command(turn.command) if _is_result(turn) and turn.ok else ""
        if (
            right
            and len(right) <= MAX_COMMAND_CHARACTERS
            and "\n" not in right
            and right != wrong
            and program(right) == program(wrong)
        ):
            call = _call(turns, at, calls)
            if call >= 0 and (proof := quote(turns, call, right)):
                yield proof
