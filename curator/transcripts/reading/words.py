"""Which text a person typed, and how much of the rest is worth keeping.

Agents file most of what they inject under "user": reminders, command echoes, notifications, hook output. The tables here
name every such opening that was seen in real transcripts (the notes on formats list them with their counts).
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

MAX_OUTPUT = 4_000
"""Characters kept of a tool's output."""

MAX_WORDS = 64_000
"""Characters kept of what a person or agent says; pasted logs can be megabytes."""

LEADING_TAGS = (
    "attached_files",
    "cursor_rules_context",
    "environment_context",
    "environment_details",
    "hook_context",
    "ide_diagnostics",
    "ide_opened_file",
    "ide_selection",
    "image",
    "open_and_recently_viewed_files",
    "recommended_plugins",
    "session_context",
    "session-start-hook",
    "system-reminder",
    "system_reminder",
    "user-prompt-submit-hook",
    "user_instructions",
)
"""Elements that an agent puts before what a person typed."""

INJECTED_TAGS = (
    "bash-stderr",
    "bash-stdout",
    "ci-monitor-event",
    "codex_delegation",
    "collaboration_mode",
    "command-name",
    "command-message",
    "command-args",
    "github-webhook-activity",
    "local-command-caveat",
    "local-command-stderr",
    "local-command-stdout",
    "permissions instructions",
    "plugins_instructions",
    "skill",
    "skills_instructions",
    "state_snapshot",
    "subagent_notification",
    "task-notification",
    "teammate-message",
    "turn_aborted",
    "user_action",
)
"""Elements that stand in place of what a person typed: whatever follows them is the agent's as well."""

INJECTED_OPENINGS = (
    "# AGENTS.md instructions for",
    "## Code review guidelines:",
    "<execution_context>",
    "<objective>",
    "Another Claude session sent a message:",
    "Base directory for this skill:",
    "Caveat: The messages below",
    "I ran the following shell command:\n```",
    "Operation stopped by hook:",
    "This session is being continued from a previous conversation",
)
"""Openings after which the whole text is the agent's."""

PLAN = "Implement the following plan:"
"""How an accepted plan comes back as a prompt: the words are the agent's, only the consent is a person's."""

INTERRUPTED = "[Request interrupted"
"""How Claude Code files the Escape key."""

_REFUSED = ("The user doesn't want to proceed with this tool use.", "The user doesn't want to take this action right now.")
_REASON = "the user said:\n"
_REASON_TRAILERS = ("\n\nNote: The user's next message", "\n\nQuestions asked:")
_NO_REASON = ("The user wants to clarify these questions.", "The user declined to answer")

_NOISE = (
    "<tool_use_error>Sibling tool call errored",
    "Sibling tool call errored",
    "<tool_use_error>Cancelled",
    "Cancelled: parallel tool call",
    "Tool permission request failed",
    "Permission to use",
    "[Request interrupted",
    "<tool_use_error>Error: No such tool available",
)

_MAX_LEADING = 100
"""How many injected elements are taken off a text; hostile ones hold many more."""

WORD = 400
"""Characters of a word that is left out where it would be cut in two."""
_CUT_END = re.compile(r"(?<=\s)\S{1,400}\Z")
_CUT_START = re.compile(r"\A\S{1,400}(?=\s)")

_BASE64 = re.compile(r"(?:data:[\w.+-]+/[\w.+-]+;base64,)?[A-Za-z0-9+/]{400,}={0,2}")


def typed(text: str) -> str:
    """What a person typed of a text filed as theirs: a suffix or excerpt of ``text``, empty when it is all injected.

    >>> typed("<ide_opened_file>a.py</ide_opened_file>keep the retry here")
    'keep the retry here'
    >>> typed("<task-notification>done</task-notification>")
    ''
    """
    text = without_reminders(text).strip()
    for _ in range(_MAX_LEADING):
        tag = next((tag for tag in LEADING_TAGS if _opens(text, tag)), "") if text.startswith("<") else ""
        if not tag:
            break
        end = text.find(f"</{tag}>")
        text = text[end + len(tag) + 3 :].lstrip() if end >= 0 else ""
    if text.startswith(INJECTED_OPENINGS) or (text.startswith("<") and any(_opens(text, tag) for tag in INJECTED_TAGS)):
        return ""
    return text


def typed_command(text: str) -> str:
    """Like ``typed``, but of a slash command's echo the words that a person gave to it.

    One word alone is an option (a model's name, a mode), nothing said.

    >>> typed_command("<command-name>/fix</command-name> <command-args>the flaky login test</command-args>")
    'the flaky login test'
    """
    if not text.lstrip().startswith(("<command-name>", "<command-message>")):
        return typed(text)
    said = between(text, "command-args")
    return said if " " in said else ""


def reports(text: str) -> list[str]:
    """What other agents of the session say in a prompt that the harness made of it: results and team messages.

    >>> reports('<teammate-message teammate_id="a">All done.</teammate-message>')
    ['All done.']
    """
    if text.startswith("<task-notification>"):
        found = [between(text, "result")]
    elif text.startswith("<teammate-message"):
        found = [part.partition(">")[2].partition("</teammate-message>")[0] for part in text.split("<teammate-message")[1:]]
    else:
        found = []
    return [report.strip() for report in found if report.strip() and not report.lstrip().startswith("{")]


def between(text: str, tag: str) -> str:
    """What stands in the first element of this tag, stripped; empty when there is none."""
    _, found, rest = text.partition(f"<{tag}>")
    return rest.partition(f"</{tag}>")[0].strip() if found else ""


def _opens(text: str, tag: str) -> bool:
    return text.startswith(tag, 1) and text[len(tag) + 1 : len(tag) + 2] in ("", ">", " ", "\n", "/")


def without_reminders(text: str) -> str:
    """The text without ``<system-reminder>`` elements, which agents weave into prompts and tool results."""
    start = text.find("<system-reminder>")
    if start < 0:
        return text
    kept = []
    at = 0
    while start >= 0:
        kept.append(text[at:start])
        end = text.find("</system-reminder>", start)
        if end < 0:
            return "".join(kept)
        at = end + len("</system-reminder>")
        start = text.find("<system-reminder>", at)
    return "".join(kept) + text[at:]


def refusal(text: str) -> str | None:
    """The reason in a refused tool call's result, ``''`` where none was given; ``None`` when this is no refusal."""
    if not text.startswith(_REFUSED):
        return None
    _, said, reason = text.partition(_REASON)
    if not said or reason.startswith(_NO_REASON):
        return ""
    for trailer in _REASON_TRAILERS:
        reason = reason.partition(trailer)[0]
    return without_reminders(reason).strip()


def is_noise(text: str) -> bool:
    """Whether a failed result says nothing about the call itself: a sibling failed, the harness stepped in."""
    return text.startswith(_NOISE)


def capped(text: str, limit: int = MAX_OUTPUT) -> str:
    """At most about ``limit`` characters of ``text``, from its head and its tail, with a mark between.

    No word is cut in two: half of a secret looks like none.
    """
    if len(text) <= limit:
        return text
    head = limit * 5 // 8
    first, last = _CUT_END.sub("", text[:head][-WORD:]), _CUT_START.sub("", text[head - limit :][:WORD])
    first, last = text[: max(0, head - WORD)] + first, last + text[head - limit :][WORD:]
    return f"{first}\n[… {len(text) - limit} characters left out …]\n{last}"


def output(text: str) -> str:
    """A tool's output as it is kept: without reminders and base64, capped."""
    text = capped(without_reminders(text))
    if len(text) < 400 or max(map(len, text.split("\n"))) < 400:  # the expression would look for long words letter by letter
        return text
    stretches = (text[at : at + 200].split(None, 1) for at in range(0, len(text) - 199, 200))
    return _BASE64.sub("[base64]", text) if any(len(words) == 1 for words in stretches) else text


def mended(text: str) -> str:
    """The text with lone surrogates replaced, which JSON can carry and UTF-8 (thus a database) can't."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def mended_all(value: Any) -> Any:
    """A JSON value with every string in it mended."""
    if isinstance(value, str):
        return mended(value)
    if isinstance(value, list):
        return [mended_all(item) for item in value]
    if isinstance(value, dict):
        return {mended(key): mended_all(item) for key, item in value.items()}
    return value


def seconds(stamp: object) -> float | None:
    """Seconds since the epoch of an ISO 8601 time with a zone, or of epoch milliseconds; ``None`` for anything else."""
    if isinstance(stamp, (int, float)) and not isinstance(stamp, bool):
        return stamp / 1000 if abs(stamp) < 1e14 else None
    if not isinstance(stamp, str):
        return None
    try:
        moment = datetime.fromisoformat(stamp)
        return moment.timestamp() if moment.tzinfo else None
    except (ValueError, OverflowError, OSError):
        return None
