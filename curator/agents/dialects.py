"""The table of agents' hooks: how each agent calls them, which fields it passes, and which answer it expects.

The text of an answer is one mark around one line per lesson. ``transcripts`` removes it again by this mark.

Names of events and fields are the agents' own, from their documentation or observed clients.

JSON is read and written without the ``json`` package, whose import makes a hook take 18 % more CPU (30 runs in turn). The
scanner and encoder are the standard library's own, written in C. An interpreter without them uses ``json``.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    Payload = dict[str, Any]

SPACE = " \t\n\r\ufeff"
"""The white space around JSON, with the mark that some put in front of UTF-8."""


class _Plain:
    """The scanner's settings: everything as usual, control characters in texts allowed."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: dict[str, str] = {}  # noqa: RUF012  only the scanner in Python looks at it


def loads(data: bytes) -> Any:
    """Return the value of a JSON text in UTF-8. Return ``None`` for any other text. Raises nothing."""
    try:
        text = data.decode("utf-8", "replace").strip(SPACE)
        value, end = _scan(text)
        return value if end == len(text) else None
    except (ValueError, StopIteration, RecursionError, MemoryError, SystemError):
        return None  # The last error occurs only while ``json``, which defines the scanner's error, is not loaded.


def dumps(value: Any) -> bytes:
    """Return a value as one line of ASCII. Raises ``ValueError`` or ``TypeError`` if JSON can't express it."""
    return "".join(_encode(value, 0)).encode("ascii")


def _build() -> tuple[Any, Any]:
    try:
        import _json

        accelerated: Any = _json
        ascii_ = accelerated.encode_basestring_ascii
        encode = accelerated.make_encoder(None, None, ascii_, None, ":", ",", False, False, False)
        scan = accelerated.make_scanner(_Plain)
    except (ImportError, AttributeError, TypeError):  # another interpreter, or a later one
        import json

        decoder = json.JSONDecoder(strict=False)
        return decoder.raw_decode, lambda given, _: [json.dumps(given, separators=(",", ":"), allow_nan=False)]
    return lambda text: scan(text, 0), encode


_scan, _encode = _build()


START, PROMPT, FILE, FORGET, STOP = "start", "prompt", "file", "forget", "stop"

CLAUDE, COPILOT, CURSOR, CLINE = "claude", "copilot", "cursor", "cline"

_CLAUDE = {
    "SessionStart": START,
    "UserPromptSubmit": PROMPT,
    "PreToolUse": FILE,
    "PostToolUse": FILE,
    "PreCompact": FORGET,
    "Stop": STOP,
    "SessionEnd": STOP,
}
# A failing preToolUse of Copilot denies the tool: we are not to be registered there.
_COPILOT = {event: moment for event, moment in _CLAUDE.items() if event != "PreToolUse"}
_GEMINI = {
    "SessionStart": START,
    "BeforeAgent": PROMPT,
    "AfterTool": FILE,
    "AfterAgent": STOP,
    "PreCompress": FORGET,
    "SessionEnd": STOP,
}
_CURSOR = {
    "sessionStart": START,
    "beforeSubmitPrompt": PROMPT,
    "postToolUse": FILE,
    "preCompact": FORGET,
    "stop": STOP,
    "sessionEnd": STOP,
}
_CLINE = {
    "TaskStart": START,
    "TaskResume": START,
    "UserPromptSubmit": PROMPT,
    "PreToolUse": FILE,
    "PostToolUse": FILE,
    "PreCompact": FORGET,
    "TaskComplete": STOP,
    "TaskCancel": STOP,
}

AGENTS: dict[str, tuple[str, dict[str, str]]] = {
    "claude-code": (CLAUDE, _CLAUDE),
    "codex": (CLAUDE, _CLAUDE),
    "qwen": (CLAUDE, _CLAUDE),
    "copilot-cli": (COPILOT, _COPILOT),
    "vscode-copilot": (CLAUDE, _COPILOT),
    "opencode": (CLAUDE, _CLAUDE),
    "gemini": (CLAUDE, _GEMINI),
    "cursor": (CURSOR, _CURSOR),
    "cline": (CLINE, _CLINE),
}
"""Agent → its dialect, and the moment of each of its events. Curator answers no other event."""

UNHEARD = frozenset({("qwen", "PreToolUse"), ("cline", "TaskStart"), ("cline", "TaskResume"), ("cline", "UserPromptSubmit")})
"""Events whose answer some known versions drop. Hooks still answer them, but the answer does not count as sent."""

FORGETTING = frozenset({"compact", "clear"})
"""Sources of a session's start after which the model has lost all that it was sent."""
UNREMEMBERED = frozenset({"gemini", "qwen", "copilot-cli", "vscode-copilot"})
"""Agents that resume a session without the earlier answers of hooks."""
DECISIONS_UNTIL_LOST = {"cline": 150, "gemini": 400}
"""The number of decisions after which an answer counts as lost, for agents that do not report their compaction.

Cline's command line leaves a file that reports it (``hooks``); its editors leave none.
"""

FILE_TOOLS = frozenset(
    """apply_patch create create_file edit edit_file edit_notebook_file editor insert_edit_into_file
    multi_replace_string_in_file multiedit notebook_edit notebookedit patch read read_file read_files
    read_many_files replace replace_in_file replace_string_in_file str_replace str_replace_based_edit_tool
    str_replace_editor search_replace view write write_file write_to_file""".split()
)
"""Tools that read or write files, in small letters."""

_PATHS = (
    "file_path filePath path absolute_path absolutePath notebook_path notebookPath target_file targetFile target_notebook "
    "relative_path filename paths file_paths filePaths files replacements edits"
).split()
_PATCHES = ("command", "input", "patch", "patchText", "patch_text")
_PATCHED = ("Update File: ", "Add File: ", "Delete File: ", "Move to: ")
VSCODE = "github.copilot-chat"
"""A part of the paths of VS Code's transcripts. Otherwise its payloads look like those of Copilot's command line. Claude Code
has no dot in the name of a project's folder, even for the extension's own code.
"""
HOOKED = ("<hook_context>", "</hook_context>")
MAX_FILES = 8
MAX_PATH_CHARACTERS = 4_096
MAX_ID_CHARACTERS = 400
NESTED = 3
"""So deep paths are looked for in a tool's input."""


def moment(agent: str, event: str) -> str:
    """Return curator's moment for an agent's event. Return an empty text if there is none."""
    return AGENTS[agent][1].get(event, "") if agent in AGENTS else ""


def host(agent: str, payload: Payload) -> str:
    """Return who really calls: Cursor reads the settings of Claude Code, VS Code these and those of Copilot's command line."""
    if agent == "claude-code" and "cursor_version" in payload:
        return "cursor"
    early = "hookEventName" in payload and "hook_event_name" not in payload
    if agent in ("claude-code", "copilot-cli") and (early or VSCODE in transcript(payload).lower()):
        return "vscode-copilot"
    return agent


def answer(agent: str, event: str, text: str) -> bytes:
    """Return one JSON object in the agent's dialect that carries ``text``."""
    dialect = AGENTS[agent][0]
    if dialect == CURSOR:
        go = {"continue": True} if moment(agent, event) == PROMPT else {}
        return dumps(go | {"additional_context": text})
    if dialect == CLINE:
        return dumps({"cancel": False, "contextModification": text})
    claude = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}
    # Copilot's command line reads the outer field, VS Code, which runs the same file, the inner one.
    return dumps(claude | {"additionalContext": text} if dialect == COPILOT else claude)


def session(payload: Payload) -> str:
    """Return the session's id. Return an empty text if the payload has none.

    Newer versions of Cline also have an id per conversation.
    """
    context = payload.get("sessionContext")
    root = _text(context, "rootSessionId")[:MAX_ID_CHARACTERS] if isinstance(context, dict) else ""
    return (
        root
        or _text(payload, "session_id", "sessionId", "conversation_id", "conversationId", "sessionID", "taskId")[
            :MAX_ID_CHARACTERS
        ]
    )


def subagent(payload: Payload) -> str:
    """Return the calling agent within the session. Return an empty text for the session itself. In Cline, the session itself is
    an agent without a parent.
    """
    return "" if payload.get("parent_agent_id", "") is None else _text(payload, "agent_id", "agentId")


def roots(payload: Payload) -> list[str]:
    """Return the folders that the agent works in, the likeliest first."""
    found = [_text(payload, "cwd")]
    for name in ("workspace_roots", "workspaceRoots"):
        listed = payload.get(name)
        found += [item for item in listed[:MAX_FILES] if isinstance(item, str)] if isinstance(listed, list) else []
    return [_clean(root)[:MAX_PATH_CHARACTERS] for root in found if root]


def prompt(payload: Payload) -> str:
    """Return a person's prompt. Return an empty text if there is none, or if the agent's harness wrote it.

    Gemini puts the answers of the session's start before the prompt, between tags. They are no question.
    """
    from curator.text.harness import is_injected  # other moments need it not

    inner = payload.get("userPromptSubmit")
    text = _text(payload, "prompt") or (_text(inner, "prompt") if isinstance(inner, dict) else "")
    first, *rest = text.split(HOOKED[0])
    text = "".join([first, *(part.partition(HOOKED[1])[2] if HOOKED[1] in part else part for part in rest)]).strip()
    return "" if is_injected(text) else text


def source(payload: Payload) -> str:
    """Return the reason why a session starts: ``startup``, ``resume``, ``clear``, ``compact``."""
    return _text(payload, "source")[:40]


def forgets(agent: str, event: str, payload: Payload) -> bool:
    """Return whether the model has lost, or will lose, earlier answers.

    Gemini's PreCompress precedes every request. Only a manual one is certain to compress.
    """
    if event == "PreCompress":
        return _text(payload, "trigger") == "manual"
    known = moment(agent, event)
    if known == START:
        return source(payload) in FORGETTING or (source(payload) == "resume" and agent in UNREMEMBERED)
    return known == FORGET


def transcript(payload: Payload) -> str:
    """Return the transcript of the session. Return an empty text if the payload names none."""
    return _text(payload, "transcript_path", "transcriptPath")[:MAX_PATH_CHARACTERS]


def tool_use(payload: Payload) -> str:
    """Return the id of a tool call. Return an empty text if the payload has none."""
    return _text(payload, "tool_use_id", "toolUseId", "toolCallId", "callID")


def files(payload: Payload) -> list[str]:
    """Return the paths of a file tool, exactly as given. Return none for another tool."""
    call = next((payload[name] for name in ("postToolUse", "preToolUse") if isinstance(payload.get(name), dict)), payload)
    name = _text(call, "tool_name", "toolName", "tool").lower()
    if name not in FILE_TOOLS:
        return []
    arguments = next((call[key] for key in ("tool_input", "toolInput", "toolArgs", "args", "parameters") if key in call), None)
    if isinstance(arguments, str) and arguments.startswith("{"):
        arguments = loads(arguments.encode("utf-8", "replace"))
    found = list(_patch_files(arguments)) if name in ("apply_patch", "patch") else []
    found += _paths(arguments, NESTED) if isinstance(arguments, dict) else []
    clean = [_clean(path) for path in found if 0 < len(path) <= MAX_PATH_CHARACTERS and "\0" not in path and "\n" not in path]
    return list(dict.fromkeys(clean))[:MAX_FILES]


def _paths(arguments: Payload, depth: int) -> Iterator[str]:
    for key in _PATHS:
        value = arguments.get(key)
        if isinstance(value, str) and value.startswith(("[", "{")):  # Cline makes texts of everything
            value = loads(value.encode("utf-8", "replace")) or value
        for item in value[:MAX_FILES] if isinstance(value, list) else [value]:
            if isinstance(item, str):
                yield item
            elif isinstance(item, dict) and depth:
                yield from _paths(item, depth - 1)


def _patch_files(arguments: Any) -> Iterator[str]:
    """Yield the files that a patch in Codex' format is about."""
    texts = [arguments.get(key) for key in _PATCHES] if isinstance(arguments, dict) else [arguments]
    for text in texts:
        text = "\n".join(item for item in text if isinstance(item, str)) if isinstance(text, list) else text
        if not isinstance(text, str):
            continue
        for part in ("\n" + text).split("\n*** ")[1:]:
            for head in _PATCHED:
                if part.startswith(head):
                    yield part[len(head) :].partition("\n")[0].strip()


def _text(payload: Payload, *names: str) -> str:
    """Return the first of these fields with a text."""
    for name in names:
        value = payload.get(name)
        if isinstance(value, str) and value:
            return _clean(value)
    return ""


def _clean(text: str) -> str:
    """Return a text that UTF-8 can express. Half a surrogate pair would stop everything after curator."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


OPENING = '<curator-lessons v="1" ids="{}">'
CLOSING = "</curator-lessons>"
TAG = "curator-lessons"


def lessons_block(lessons: Sequence[tuple[str, str]]) -> str:
    """Return the text for lessons given as (id, line). Return an empty text for none."""
    if not lessons:
        return ""
    ids = " ".join(id_ for id_, _ in lessons)
    return "\n".join([OPENING.format(ids), *(clean_line(line) for _, line in lessons), CLOSING])


def count_fitting(lessons: Sequence[tuple[str, str]], limit: int) -> int:
    """Return how many of these lessons, from the first on, fit into ``limit`` characters with the sentinel."""
    many = len(lessons)
    while many and len(lessons_block(lessons[:many])) > limit:
        many -= 1
    return many


def clean_line(line: str) -> str:
    """Return one line without control or invisible characters, and without the tag of curator's own block.

    >>> clean_line("a\\x1b[2J  b\\nc")
    'a [2J b c'
    """
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in line).split())
    return line.replace("<", "‹") if TAG in line.lower() else line
