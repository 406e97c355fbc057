"""What a message of a chat in Cursor's database says: its text, its call and what became of that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from curator.model import JSON, Happening, Locator, Role, Turn
from curator.transcripts.base import document, messages, tool_calls
from curator.transcripts.base.jsonl import Source
from curator.transcripts.base.tool_calls import dicts, text_of

AGENT = "cursor"

_PENDING = frozenset(("loading", "pending", "running", "generating", "created", "streaming"))
_REFUSED = frozenset(("rejected", "denied"))
_OUTPUTS = ("output", "contents", "content", "diff", "stdout", "message", "error")


def is_settled(bubble: JSON) -> bool:
    """Whether a message is as it will stay while its chat goes on: a prompt, or a call that has ended."""
    former = bubble.get("toolFormerData")
    if isinstance(former, dict) and former:
        return former.get("status") not in _PENDING
    return bubble.get("type") == 1


def absorb(bubble: JSON, source: Source, memory: JSON, unknown: Counter[str]) -> Iterator[Turn]:
    """The turns of one message."""
    kind = bubble.get("type")
    if kind == 1:
        text = messages.capped(messages.typed(text_of(bubble.get("text"))), messages.MAX_WORDS)
        if text:
            # What a subagent is asked is written by the agent that started it.
            role = Role.ASSISTANT if memory.get("sidechain") else Role.HUMAN
            yield _turn(bubble, source, memory, role, text)
    elif kind == 2:
        text = messages.capped(text_of(bubble.get("text")), messages.MAX_WORDS)
        if text.strip():
            yield _turn(bubble, source, memory, Role.ASSISTANT, text)
        former = bubble.get("toolFormerData")
        if isinstance(former, dict) and text_of(former.get("name")):
            yield from _tool(bubble, former, source, memory)
    elif kind is not None:
        unknown[f"bubble {kind}"[:80]] += 1


def _turn(bubble: JSON, source: Source, memory: JSON, role: Role, text: str, **more: Any) -> Turn:
    timing = bubble.get("timingInfo")
    times = [bubble.get("createdAt")]
    times += [timing.get("clientRpcSendTime"), timing.get("clientEndTime")] if isinstance(timing, dict) else []
    seconds = (messages.seconds(time) for time in (*times, memory.get("began")) if time)
    return Turn(
        agent=AGENT,
        session=memory["session"],
        role=role,
        text=text,
        locator=Locator(source.file, source.line, source.line, text_of(bubble.get("bubbleId"))),
        at=next((time for time in seconds if time is not None), None),
        cwd=memory.get("cwd", ""),
        branch=memory.get("branch", ""),
        sidechain=bool(memory.get("sidechain")),
        **more,
    )


def _tool(bubble: JSON, former: JSON, source: Source, memory: JSON) -> Iterator[Turn]:
    name = text_of(former.get("name"))
    given = {**_said(former.get("params")), **_said(former.get("rawArgs"))}
    about = tool_calls.about(name, text_of(former.get("toolCallId")) or text_of(bubble.get("bubbleId")), given)
    if "terminal" in name and not about["command"]:
        about["command"] = text_of(given.get("command"))
    yield _turn(bubble, source, memory, Role.TOOL_CALL, tool_calls.described(given), **about)
    result = _said(former.get("result"))
    status = former.get("status")
    extra = former.get("additionalData")
    extra = extra if isinstance(extra, dict) else {}
    decided = (former.get("userDecision"), extra.get("status"))
    own = not name.startswith("mcp")  # what a server answers it alone decides
    refused = any(decision in _REFUSED for decision in decided if isinstance(decision, str))
    if refused or (own and result.get("rejected") is True):
        reason = messages.capped(
            text_of(extra.get("feedback")) or (text_of(result.get("feedback")) if own else ""), messages.MAX_WORDS
        )
        yield _turn(bubble, source, memory, Role.EVENT, reason, happening=Happening.REFUSAL, ok=False, **about)
        return
    answers = list(_answers(result)) if name.startswith("ask") else []
    for answer in answers:
        yield _turn(bubble, source, memory, Role.EVENT, answer, happening=Happening.ANSWER, ok=True, **about)
    text = next((text_of(result.get(key)) for key in _OUTPUTS if text_of(result.get(key))), "") or _plain(former)
    if not answers and status not in _PENDING and (text or status):
        ok = _ok(result, status, shell=bool(about["command"]))
        yield _turn(bubble, source, memory, Role.TOOL_RESULT, messages.output(text), ok=ok, **about)


def _said(value: Any) -> JSON:
    """An object, or one that is written as a string."""
    if isinstance(value, str):
        try:
            value = document.parsed(value) if value.lstrip().startswith("{") else {}
        except ValueError:
            return {}
    return value if isinstance(value, dict) else {}


def _plain(former: JSON) -> str:
    """What became of a call, where that is no object; else its error."""
    result = former.get("result")
    if isinstance(result, str) and not result.lstrip().startswith("{"):
        return result
    error = former.get("error")
    return text_of(_said(error).get("clientVisibleErrorMessage")) or text_of(_said(error).get("message")) or text_of(error)


def _answers(result: JSON) -> Iterator[str]:
    given = result.get("answers")
    values = list(given.values()) if isinstance(given, dict) else given if isinstance(given, list) else []
    for value in values:
        if isinstance(value, dict):
            chosen = dicts(value.get("selectedOptions")) or [value]
            value = ", ".join(text_of(item.get("label")) or text_of(item.get("answer")) for item in chosen)
        if isinstance(value, str) and value.strip():
            yield value


def _ok(result: JSON, status: object, *, shell: bool) -> bool | None:
    code = result.get("exitCodeV2", result.get("exitCode"))
    if isinstance(code, int):
        return code == 0
    if status in ("error", "failed"):
        return False
    return True if status == "completed" and not shell else None
