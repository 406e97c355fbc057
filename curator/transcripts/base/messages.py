"""Find the text that a person typed, shorten the other texts, and name the arguments of tools.

Agents store most of the text that they inject under "user": reminders, command echoes, notifications, hook output. Fields of
a record say whose it is. These tables are for texts in which an agent joins both. Injected text may hold its own closing tag,
so everything up to the last closing tag is the agent's. curator prefers to lose a person's words over attributing others' to
them.
"""

from __future__ import annotations

import re
from datetime import datetime
from hashlib import blake2b
from typing import Any

from curator.model import JSON
from curator.text.harness import is_injected, opens

MAX_OUTPUT = 4_000
"""Characters kept of a tool's output."""

MAX_WORDS = 64_000
"""Maximum characters kept of a person's or agent's words. Pasted logs can be megabytes."""

LEADING_TAGS = tuple(
    "attached_files cursor_rules_context environment_context environment_details explicit_instructions hook_context "
    "ide_diagnostics ide_opened_file ide_selection image info-msg open_and_recently_viewed_files "
    "recommended_plugins session_context session-start-hook system-reminder system_reminder user-prompt-submit-hook "
    "user_instructions".split()
)
"""Elements that an agent puts before a person's typed words."""

WOVEN_TAGS = ("system-reminder", "system_reminder", "hook_context", "environment_details")
"""Elements that an agent puts inside a text or after it."""

_TEMPLATE, _TEMPLATE_END = "--- Cursor Command: ", "--- End Command ---"
"""The lines around a slash command's file, which come after a person's call."""

PLAN = "Implement the following plan:"
"""The beginning of an accepted plan that returns as a prompt. The words are the agent's; a person only agreed."""

INTERRUPTED = "[Request interrupted"
"""Claude Code's record of the Escape key."""

_REFUSED = ("The user doesn't want to proceed with this tool use.", "The user doesn't want to take this action right now.")
_REASON = "the user said:\n"
_PREAMBLE = 400
"""Maximum distance of the element from the start. Further on, it is a part of something else."""
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

WORD = 400
"""Characters of a word that is left out where it would be cut in two."""
_CUT_END = re.compile(r"(?<=\s)\S{1,400}\Z")
_CUT_START = re.compile(r"\A\S{1,400}(?=\s)")

_BASE64 = re.compile(r"(?:data:[\w.+-]+/[\w.+-]+;base64,)?[A-Za-z0-9+/]{400,}={0,2}")


def typed_text(text: str) -> str:
    """Return the typed part of a text attributed to a person: a suffix or excerpt of it, or nothing if all was injected.

    >>> typed_text("<ide_opened_file>a.py</ide_opened_file>keep the retry here")
    'keep the retry here'
    >>> typed_text("<task-notification>done</task-notification>")
    ''
    """
    text = text.strip()
    if _leads(text):
        text = text[max(_behind_last(text, tag) for tag in LEADING_TAGS) :]
        text = "" if _leads(text.lstrip()) else text
    text = without_templates(without_reminders(text)).strip()
    return "" if is_injected(text) else text


def without_templates(text: str) -> str:
    """Return the text without the files that an editor adds after the slash commands of a person. Lines keep their numbers.

    >>> without_templates("/fix the login\\n\\n--- Cursor Command: fix.md ---\\nAlways ask.\\n--- End Command ---").strip()
    '/fix the login'
    """
    if _TEMPLATE not in text:
        return text
    parts, inside = list[str](), False
    for line in text.split("\n"):
        inside = inside or line.startswith(_TEMPLATE)
        parts.append("" if inside else line)
        inside = inside and line.rstrip() != _TEMPLATE_END
    return "\n".join(parts)


def typed_command(text: str) -> str:
    """Return the typed text like ``typed_text``, but of a slash command's echo the words that a person gave to it.

    One word alone is an option (a model's name, a mode), nothing said.

    >>> typed_command("<command-name>/fix</command-name> <command-args>the flaky login test</command-args>")
    'the flaky login test'
    """
    if not text.lstrip().startswith(("<command-name>", "<command-message>")):
        return typed_text(text)
    arguments = between(text, "command-args")
    return arguments if " " in arguments else ""


def reports(text: str) -> list[str]:
    """Return the words of the session's other agents in a prompt that the harness made: results and team messages.

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
    """Return the stripped text of the first element with this tag. Return an empty text if there is none."""
    _, found, rest = text.partition(f"<{tag}>")
    return rest.partition(f"</{tag}>")[0].strip() if found else ""


def _leads(text: str) -> bool:
    return text.startswith("<") and any(opens(text, tag) for tag in LEADING_TAGS)


def _behind_last(text: str, tag: str) -> int:
    end = text.rfind(f"</{tag}>")
    return end + len(tag) + 3 if end >= 0 else 0


def without_reminders(text: str) -> str:
    """Return the text without elements that agents add, for each kind from the first opening to the last end.

    >>> without_reminders("keep it<system-reminder>a</system-reminder>b</system-reminder>")
    'keep it'
    """
    for tag in WOVEN_TAGS:
        start = text.find(f"<{tag}")
        while start >= 0 and not opens(text[start : start + len(tag) + 2], tag):
            start = text.find(f"<{tag}", start + 1)
        if start >= 0:
            text = (
                text[:start] + text[max(start, _behind_last(text, tag)) :] if _behind_last(text, tag) > start else text[:start]
            )
    return text


def refusal(text: str) -> str | None:
    """Return the reason in the result of a refused tool call, ``''`` without one. Return ``None`` for other words.

    The record's fields must show that a person refused it, because a tool can print the same.
    """
    if not text.startswith(_REFUSED):
        return None
    preamble, found, reason = text.partition(_REASON)
    if not found or len(preamble) > _PREAMBLE or reason.startswith(_NO_REASON):
        return ""
    for trailer in _REASON_TRAILERS:
        reason = reason.partition(trailer)[0]
    return without_reminders(reason).strip()


def is_noise(text: str) -> bool:
    """Return whether a failed result says nothing about the call itself: a sibling failed, the harness stepped in."""
    return text.startswith(_NOISE)


def cap(text: str, limit: int = MAX_OUTPUT) -> str:
    """Return about ``limit`` characters of ``text`` at most, from its head and its tail, with a mark between.

    No word is cut in two: half of a secret looks like none.
    """
    if len(text) <= limit:
        return text
    head = limit * 5 // 8
    first, last = _CUT_END.sub("", text[:head][-WORD:]), _CUT_START.sub("", text[head - limit :][:WORD])
    first, last = text[: max(0, head - WORD)] + first, last + text[head - limit :][WORD:]
    return f"{first}\n[… {len(text) - limit} characters left out …]\n{last}"


def output(text: str) -> str:
    """Return a tool's output to store: without reminders and base64, and cut."""
    text = cap(without_reminders(text))
    if len(text) < 400 or max(map(len, text.split("\n"))) < 400:  # the expression would look for long words letter by letter
        return text
    stretches = (text[at : at + 200].split(None, 1) for at in range(0, len(text) - 199, 200))
    return _BASE64.sub("[base64]", text) if any(len(words) == 1 for words in stretches) else text


def replace_surrogates(text: str) -> str:
    """Return a text without lone surrogates, which JSON allows but UTF-8 (and a database) does not."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def mend_all(value: Any) -> Any:
    """Return a JSON value without lone surrogates in its strings."""
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, list):
        return [mend_all(item) for item in value]
    if isinstance(value, dict):
        return {replace_surrogates(key): mend_all(item) for key, item in value.items()}
    return value


def seconds(stamp: object) -> float | None:
    """Return the seconds since the epoch of an ISO 8601 time with a zone, or of epoch milliseconds. Return ``None``
    otherwise.
    """
    if isinstance(stamp, (int, float)) and not isinstance(stamp, bool):
        return stamp / 1000 if abs(stamp) < 1e14 else None
    if not isinstance(stamp, str):
        return None
    try:
        moment = datetime.fromisoformat(stamp)
        return moment.timestamp() if moment.tzinfo else None
    except (ValueError, OverflowError, OSError):
        return None


PATHS = tuple(
    "file_path filePath filepath absolute_path absolutePath notebook_path path target_file relative_workspace_path".split()
)
"""The names under which tools take the file that they read or write."""

SHELLS = frozenset(
    "! bash shell local_shell powershell terminal execute execute_bash execute_command run_command run_shell_command"
    " run_terminal_cmd run_terminal_command".split()
)
"""Agents' names of the tool that runs a shell command, in small letters and without the part before ``__``."""

_MAX_PATHS = 50
_MAX_RECORDS = 500
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$", re.MULTILINE)


def text_of(value: object) -> str:
    """Return a text value. Return an empty text for any other value."""
    return value if isinstance(value, str) else ""


def object_of(value: object) -> JSON:
    """Return an object. Return an empty one for any other value."""
    return value if isinstance(value, dict) else {}


def dicts(value: object) -> list[JSON]:
    """Return the objects in a list. Return none for any other value."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def blocks(content: object) -> list[JSON]:
    """Return the blocks of a message's content, which may be one text."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else dicts(content)


def content_text(content: object) -> str:
    """Return the text of a message's content: all of it, or that of its blocks which have one."""
    return (
        content if isinstance(content, str) else "\n".join(filter(None, (text_of(part.get("text")) for part in dicts(content))))
    )


def is_repeat(record: str, memory: JSON) -> bool:
    """Return whether the record with this id was read before, and remember it. Memory is stored with every file, so it gets
    only a short hash.
    """
    if not record:
        return False
    short = blake2b(record.encode("utf-8", "replace"), digest_size=5).hexdigest()
    known: list[str] = memory.setdefault("uuids", [])
    if short in known:
        return True
    known.append(short)
    del known[:-_MAX_RECORDS]
    return False


def about(tool: str, call: str, arguments: JSON) -> dict[str, Any]:
    """Return the fields of a ``Turn`` that a call and its result share: tool, call, command and paths."""
    return {"tool": tool, "call": call, "command": command(tool, arguments), "paths": paths(arguments)}


def command(tool: str, arguments: JSON) -> str:
    """Return the shell command of a call, exactly. Return an empty text for tools that run none."""
    name = tool.rpartition("__")[2].lower()
    value = arguments.get("command")
    if isinstance(value, list):
        return " ".join(part for part in value if isinstance(part, str))
    return text_of(value) if name in SHELLS else ""


def paths(arguments: JSON) -> tuple[str, ...]:
    """Return the files that a call names, by argument or in a patch."""
    found = [arguments[key] for key in PATHS if text_of(arguments.get(key))]
    several = arguments.get("paths", arguments.get("file_paths"))
    found += [path for path in several if isinstance(path, str) and path] if isinstance(several, list) else []
    patch = arguments.get("patchText", arguments.get("input"))
    if isinstance(patch, str) and "*** Begin Patch" in patch:
        found += patched_files(patch)
    return tuple(dict.fromkeys(path[:MAX_OUTPUT] for path in found))[:_MAX_PATHS]


def patched_files(patch: str) -> list[str]:
    """Return the files that a patch names."""
    return [(first or second).strip() for first, second in _PATCHED.findall(patch)]


def describe(arguments: JSON) -> str:
    """Return a call's text for people: its questions, the plan, the command, the prompt, or its other texts."""
    if texts := questions(arguments):
        return cap("\n".join(texts))
    for key in ("plan", "command", "prompt"):
        if text_of(arguments.get(key)).strip():
            return cap(arguments[key])
    return cap("\n".join(value for value in arguments.values() if isinstance(value, str)))


def answers(data: JSON) -> list[str]:
    """Return a person's answers in an object: texts by question or in order. Several choices are one answer in a list, and
    answers of their own in an object.
    """
    given = data.get("answers")
    found: list[str] = []
    for answer in given.values() if isinstance(given, dict) else given if isinstance(given, list) else ():
        if isinstance(answer, dict):
            own = answer.get("answers")
            found += map(text_of, own if isinstance(own, list) else [own])
        else:
            found.append(", ".join(filter(None, map(text_of, answer))) if isinstance(answer, list) else text_of(answer))
    return [answer for answer in found if answer.strip()]


def questions(arguments: JSON) -> list[str]:
    """Return the questions of a call to a person, one per line. Return an empty text for other tools."""
    texts = [text_of(item.get("question")) for item in dicts(arguments.get("questions"))]
    return [" ".join(question.split()) for question in texts or [text_of(arguments.get("question"))] if question.strip()]
