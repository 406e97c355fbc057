"""A model that follows a script, on loopback, in the four dialects that the clients speak.

It keeps every request, which is what a model would have been told. The shapes are those of the vendors' public documentation
of OpenAI's Responses and Chat Completions, Gemini's ``streamGenerateContent`` and Anthropic's Messages, as server-sent events.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

JSON = dict[str, Any]
DONE = "Done: nothing is left to do."
PATIENCE = 60
"""So often a call is repeated."""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that the model calls; ``kind`` and ``namespace`` are of OpenAI's Responses, which know several kinds of calls.

    ``until``: it is called again and again until this text stands in what the client sends.
    """

    name: str
    given: JSON
    kind: str = "function_call"
    namespace: str = ""
    until: str = ""


class Model:
    """Calls these tools one after another, then says its words; requests without tools only get the words."""

    def __init__(self, *calls: Call) -> None:
        self.calls = [*calls]
        self.words = DONE
        self.patience = PATIENCE
        self.requests: list[JSON] = []
        self.paths: list[str] = []
        """Where each request went."""
        self.port = 0

    @property
    def url(self) -> str:
        """Where it is reached."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def told(self) -> list[JSON]:
        """The requests of the agent itself, which offer tools; not those for a title and the like, unless it has no tools."""
        return [request for request in self.requests if request.get("tools")] or self.requests

    def next(self, request: JSON) -> Call | None:
        """What to do now; ``None``: speak."""
        while request.get("tools") and self.calls:
            call = self.calls[0]
            if not call.until:
                return self.calls.pop(0)
            if call.until not in json.dumps(request) and self.patience:
                self.patience -= 1
                return call
            self.calls.pop(0)
        return None

    def responses(self, request: JSON) -> Iterator[JSON]:
        """OpenAI's Responses, each event with its type."""
        call = self.next(request)
        at = len(self.requests)
        if call is None:
            content = [{"type": "output_text", "text": self.words, "annotations": []}]
            item: JSON = {"type": "message", "role": "assistant", "id": f"msg_{at}", "status": "completed", "content": content}
        else:
            item = {"type": call.kind, "id": f"{call.kind}_{at}", "call_id": f"call_{at}"} | shaped(call)
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}  # type: ignore[dict-item]
        yield {"type": "response.created", "response": {"id": f"resp_{at}"}}
        yield {"type": "response.output_item.added", "output_index": 0, "item": item}
        yield {"type": "response.output_item.done", "output_index": 0, "item": item}
        yield {"type": "response.completed", "response": {"id": f"resp_{at}", "output": [item], "usage": usage}}

    def chat(self, request: JSON) -> Iterator[JSON]:
        """OpenAI's Chat Completions, in chunks."""
        call = self.next(request)
        at = len(self.requests)
        delta: JSON = {"role": "assistant", "content": self.words}
        if call is not None:
            function = {"name": call.name, "arguments": json.dumps(call.given)}
            delta = {
                "role": "assistant",
                "tool_calls": [{"index": 0, "id": f"call_{at}", "type": "function", "function": function}],
            }
        head = {"id": f"chat_{at}", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
        yield head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        reason = "stop" if call is None else "tool_calls"
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        yield head | {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage}

    def gemini(self, request: JSON) -> Iterator[JSON]:
        """Gemini's candidates, all in one."""
        call = self.next(request)
        part: JSON = {"text": self.words} if call is None else {"functionCall": {"name": call.name, "args": call.given}}
        usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
        candidate = {"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": [part]}}
        yield {"candidates": [candidate], "usageMetadata": usage}

    def messages(self, request: JSON) -> Iterator[JSON]:
        """Anthropic's Messages, one block, each event with its type."""
        call = self.next(request)
        at = len(self.requests)
        begun: JSON = {"type": "text", "text": ""}
        delta: JSON = {"type": "text_delta", "text": self.words}
        if call is not None:
            begun = {"type": "tool_use", "id": f"toolu_{at}", "name": call.name, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(call.given)}
        usage = {"input_tokens": 1, "output_tokens": 1}
        message: JSON = {"id": f"msg_{at}", "type": "message", "role": "assistant", "model": "scripted", "content": []}
        yield {"type": "message_start", "message": message | {"stop_reason": None, "stop_sequence": None, "usage": usage}}
        yield {"type": "content_block_start", "index": 0, "content_block": begun}
        yield {"type": "content_block_delta", "index": 0, "delta": delta}
        yield {"type": "content_block_stop", "index": 0}
        reason = "end_turn" if call is None else "tool_use"
        yield {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage}
        yield {"type": "message_stop"}

    def answer(self, path: str, request: JSON) -> tuple[str, bytes]:
        """(content type, body) for a request to a path."""
        self.requests.append(request)
        self.paths.append(path)
        named = {"/responses": self.responses, "/messages": self.messages}.get(path[path.rindex("/") :])
        if named:
            events = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in named(request)]
            return "text/event-stream", "".join(events).encode()
        if path.endswith("/chat/completions"):
            events = [f"data: {json.dumps(event)}\n\n" for event in self.chat(request)]
            return "text/event-stream", ("".join(events) + "data: [DONE]\n\n").encode()
        if ":streamGenerateContent" in path:
            return "text/event-stream", "".join(f"data: {json.dumps(event)}\r\n\r\n" for event in self.gemini(request)).encode()
        if ":generateContent" in path:
            return "application/json", json.dumps(next(self.gemini(request))).encode()
        self.requests.pop()
        self.paths.pop()
        return "application/json", b'{"data": [], "models": []}'


def shaped(call: Call) -> JSON:
    """What a call says beside its ids: functions take JSON as text, freeform tools a text, the search of tools an object."""
    if call.kind == "custom_tool_call":
        return {"name": call.name, **call.given}
    if call.kind == "tool_search_call":
        return {"execution": "client", "arguments": call.given}
    within = {"namespace": call.namespace} if call.namespace else {}
    return {"name": call.name, "arguments": json.dumps(call.given)} | within


@contextmanager
def serving(*calls: Call, instead: Model | None = None) -> Iterator[Model]:
    """A model with this script, or one instead of it, reachable while the block lasts."""
    model = instead or Model(*calls)

    class Handler(BaseHTTPRequestHandler):
        def reply(self, data: bytes) -> None:
            try:
                request = json.loads(data or b"{}")
            except ValueError:
                request = {}
            kind, body = model.answer(self.path.partition("?")[0], request)
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            self.reply(self.rfile.read(int(self.headers.get("Content-Length") or 0)))

        def do_GET(self) -> None:
            self.reply(b"")

        def log_message(self, *words: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    model.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def texts(value: Any) -> Iterator[str]:
    """Every text in a request, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts(item)
    elif isinstance(value, Sequence):
        for item in value:
            yield from texts(item)
