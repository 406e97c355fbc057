"""What agents' tools are given, whatever each calls its arguments: files, commands, questions."""

from __future__ import annotations

import re
from typing import Any

from curator.model import JSON
from curator.transcripts.base import messages

PATHS = (
    "file_path",
    "filePath",
    "filepath",
    "absolute_path",
    "absolutePath",
    "notebook_path",
    "path",
    "target_file",
    "relative_workspace_path",
)
"""Under these names tools take the file that they read or write."""

SHELLS = frozenset(("!", "bash", "shell", "run_shell_command", "run_terminal_command", "execute_command", "run_terminal_cmd"))
"""What agents call the tool that runs a shell command, in small letters and without what stands before ``__``."""

_MAX_PATHS = 50
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$", re.MULTILINE)


def text_of(value: object) -> str:
    """The value if it is text, else nothing."""
    return value if isinstance(value, str) else ""


def dicts(value: object) -> list[JSON]:
    """The objects in a list; nothing of anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def about(tool: str, call: str, arguments: JSON) -> dict[str, Any]:
    """The fields of a ``Turn`` that a call and its result share: tool, call, command and paths."""
    return {"tool": tool, "call": call, "command": command(tool, arguments), "paths": paths(arguments)}


def command(tool: str, arguments: JSON) -> str:
    """The shell command of a call, exactly; empty for tools that run none."""
    name = tool.rpartition("__")[2].lower()
    value = arguments.get("command")
    if isinstance(value, list):
        return " ".join(part for part in value if isinstance(part, str))
    return text_of(value) if name in SHELLS else ""


def paths(arguments: JSON) -> tuple[str, ...]:
    """The files that a call names, by argument or in a patch."""
    found = [arguments[key] for key in PATHS if text_of(arguments.get(key))]
    several = arguments.get("paths", arguments.get("file_paths"))
    found += [path for path in several if isinstance(path, str) and path] if isinstance(several, list) else []
    patch = arguments.get("patchText", arguments.get("input"))
    if isinstance(patch, str) and "*** Begin Patch" in patch:
        found += [(first or second).strip() for first, second in _PATCHED.findall(patch)]
    return tuple(dict.fromkeys(path[: messages.MAX_OUTPUT] for path in found))[:_MAX_PATHS]


def described(arguments: JSON) -> str:
    """What a call says, for people: its questions, the plan, the command, the prompt, else its texts."""
    if asked := questions(arguments):
        return messages.capped("\n".join(asked))
    for key in ("plan", "command", "prompt"):
        if text_of(arguments.get(key)).strip():
            return messages.capped(arguments[key])
    return messages.capped("\n".join(value for value in arguments.values() if isinstance(value, str)))


def questions(arguments: JSON) -> list[str]:
    """What a call asks a person, one line a question; nothing for tools that ask nothing."""
    asked = [text_of(item.get("question")) for item in dicts(arguments.get("questions"))]
    return [" ".join(question.split()) for question in asked or [text_of(arguments.get("question"))] if question.strip()]
