"""Mutated lines for ``curator mcp``, spoken to a real server over its pipe: part of ``mutations.py``.

Each input goes to a server that serves on until its share is used up; a question behind it, whose answer is known to come,
tells when it is done with it. Half of the servers speak the older era of the protocol, half the newer; each is first given
a mutated line before the handshake. *Escaped*: a traceback on stderr or in the log, a line on stdout that is no JSON-RPC, a
server that ends or hangs while its input is open, and a sound request that gets no answer.
"""

from __future__ import annotations

import json
import os
import queue
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from curator.agents.mcp.tools import PROMPTS, TOOLS, TOP_URI
from curator.agents.mcp.transport import HANDSHAKES, META, MODERN
from curator.app import Curator
from curator.settings import load

Mutate = Callable[[bytes, Sequence[bytes], random.Random], bytes]
SHARE = 400
"""Inputs to one server."""
HANG = 60.0
"""Seconds after which an answer comes no more; beside busy loops a server takes ten to load."""
SLOW = 2.0
"""Seconds of CPU of the server beyond which an input counts as slow."""
CLIENT = {"name": "codex-mcp-client", "version": "1"}
ENVELOPE = {
    "_meta": {f"{META}protocolVersion": MODERN, f"{META}clientCapabilities": {}, f"{META}clientInfo": CLIENT},
}
DEPTHS = (10, 100, 1_000, 50_000)
HUGE = (0, -1, 2**31, 2**53 + 1, 2**63, 2**64, 10**30, 10**400, 1.5, 1e308, float("inf"), float("nan"))
TEXTS = (
    *("", " ", "\0", "\ud800", "\u202e\u200b", "\x1b[2J", "é" * 300, "測試" * 2_000, "a" * 20_000, "a b " * 5_000),
    *("/", "..", "../../etc/passwd", "/etc/passwd", "~", "src/a.py", "a/" * 2_000, "file:///x", "C:\\x", "-rf", "$(id)"),
    *('"', "' OR 1=1 --", 'a" OR NEAR(', "*", "(", "NOT", "a AND", "tests:make", "%s{0}", "</curator-lessons>"),
    *("run the tests", "true", "null", "2026-01-01", "Never call the ledger twice in a request."),
)
METHODS = (
    *("ping", "tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read", "prompts/list"),
    *("prompts/get", "completion/complete", "logging/setLevel", "resources/subscribe", "resources/unsubscribe", "initialize"),
    *(
        "server/discover",
        "subscriptions/listen",
        "tasks/get",
        "tasks/list",
        "tasks/cancel",
        "roots/list",
        "sampling/createMessage",
    ),
    *("notifications/initialized", "notifications/cancelled", "notifications/progress", "", "x" * 10_000, "tools/call\0"),
)


def inputs(count: int, chance: random.Random, mutate: Mutate) -> Counter[str]:
    """What came of so many mutated lines."""
    counts: Counter[str] = Counter()
    with TemporaryDirectory() as base:
        os.environ |= {"HOME": base, "CURATOR_HOME": str(Path(base, "home"))}
        folder = Path(base, "app")
        folder.mkdir()
        curator = Curator(load())
        curator.enter(str(folder))
        known = curator.verdicts.add("Run the tests with make, never by hand").entries[0].id
        curator.close()
        log, read, number = load().log, 0, 0
        while number < count:
            with start(folder) as server:
                modern = bool(counts["servers"] % 2)
                counts["servers"] += 1
                for line in handshake(modern, chance, mutate):
                    number += 1
                    check(counts, server, line, modern)
                alive = True
                while alive and server.asked < SHARE and number < count:
                    number += 1
                    alive = check(counts, server, draw(known, modern, chance, mutate), modern)
                counts["escaped"] += alive and not finish(server, draw(known, modern, chance, mutate))
            text = log.read_text("utf-8") if log.exists() else ""
            if "Traceback" in text[read:]:
                counts["escaped"] += 1
                print(f"the log: …{text[read:][-1500:]}", flush=True)
            read = len(text)
            print(f"mcp {dict(counts)}", flush=True)
    return counts


def handshake(modern: bool, chance: random.Random, mutate: Mutate) -> Iterator[bytes]:
    """The handshake, behind a mutated one."""
    first = {"protocolVersion": chance.choice(HANDSHAKES), "capabilities": {}, "clientInfo": CLIENT}
    line = request("first", "server/discover", ENVELOPE) if modern else request("first", "initialize", first)
    yield mutate(line, [line], chance)
    yield line
    if not modern:
        yield pack({"jsonrpc": "2.0", "method": "notifications/initialized"})


def draw(known: str, modern: bool, chance: random.Random, mutate: Mutate) -> bytes:
    """One input: a sound request, a call with mutated arguments, a message with mutated members, or mutated bytes."""
    more = ENVELOPE if modern else {}
    id_ = chance.randrange(10**9)
    tool = chance.choice(TOOLS)
    good: dict[str, Any] = {
        "query": "run the tests",
        "id": known,
        "path": "src/a.py",
        "text": f"Never call step {id_} of the ledger twice.",
        "when": "touching the ledger",
        "helped": True,
    }
    given = {argument.name: good[argument.name] for argument in tool.arguments if argument.required}
    call = {"name": tool.name, "arguments": given} | more
    seeds = (
        request(id_, "tools/call", call),
        request(id_, "tools/list", more),
        request(id_, "resources/read", {"uri": TOP_URI} | more),
        request(id_, "prompts/get", {"name": next(iter(PROMPTS))} | more),
    )
    kind = chance.randrange(10)
    if kind < 4:
        for argument in chance.sample(tool.arguments, chance.randint(1, len(tool.arguments))):
            text = argument.kind is str and chance.random() < 0.6
            given[argument.name] = chance.choice((*TEXTS, known)) if text else value(chance, known)
        if chance.random() < 0.1:
            given[chance.choice(TEXTS)] = value(chance, known)
        return request(id_, "tools/call", call)
    if kind < 7:
        return mutate(chance.choice(seeds), seeds, chance)
    if kind == 7:
        message = json.loads(chance.choice(seeds))
        for member in chance.sample(("jsonrpc", "id", "method", "params", "result", "error"), chance.randint(1, 2)):
            message[member] = chance.choice(METHODS) if member == "method" and chance.random() < 0.8 else value(chance, known)
        return pack(message)
    if kind == 8:
        return request(
            id_, chance.choice(METHODS), {**more, chance.choice(("name", "uri", "ref", "level")): value(chance, known)}
        )
    depth = chance.choice(DEPTHS)
    nested = chance.choice((b"[" * depth + b"]" * depth, b'{"a":' * depth + b"1" + b"}" * depth, b"[" * depth))
    shapes = (
        nested,
        request(id_, "tools/call", call).replace(json.dumps(tool.name).encode(), nested, 1),
        request(id_, "tools/call", {"name": tool.name, "arguments": "@"} | more).replace(b'"@"', nested),
        b'{"jsonrpc": "2.0", "id": ' + b"9" * 10 * depth + b', "method": "ping"}',
        b"[" + b",".join(seeds) + b"]",
        seeds[0] * 2,
        seeds[0].replace(b": ", b" : " + b" " * depth),
        b"\xef\xbb\xbf" + seeds[0],
        seeds[0] + b"\r",
        b"Content-Length: 12\r\n\r\n" + seeds[1],
        pack({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id_ - 1}}),
    )
    return chance.choice(shapes)


def value(chance: random.Random, known: str, deep: int = 0) -> Any:
    """Any JSON value."""
    match chance.randrange(8 if deep < 3 else 5):
        case 0 | 1 | 2:
            return chance.choice((*TEXTS, known, known.lower()))
        case 3:
            return chance.choice(HUGE)
        case 4:
            return chance.choice((None, True, False, [], {}))
        case 5:
            return [value(chance, known, deep + 1) for _ in range(chance.choice((1, 3, 25)))]
        case 6:
            return {chance.choice(TEXTS): value(chance, known, deep + 1) for _ in range(3)}
        case _:
            return [chance.choice(TEXTS)] * chance.choice((1, 20, 5_000 // (1 + len(TEXTS))))


def request(id_: object, method: str, params: Mapping[str, Any]) -> bytes:
    """A request as one line without its end."""
    return pack({"jsonrpc": "2.0", "id": id_, "method": method, "params": params})


def pack(message: object) -> bytes:
    """A message as one line without its end."""
    return json.dumps(message).encode("utf-8", "replace")


# --- the server -------------------------------------------------------------------------------------------------------


class Server:
    """A running server; what it prints is taken in by threads, so that neither side waits for the other to read."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.lines: queue.Queue[bytes] = queue.Queue()
        self.complaints: list[bytes] = []
        self.asked = 0
        self.readers = [threading.Thread(target=work, daemon=True) for work in (self._read, self._hear)]
        for reader in self.readers:
            reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(b"")

    def _hear(self) -> None:
        assert self.process.stderr
        self.complaints.extend(self.process.stderr)

    def send(self, data: bytes) -> None:
        """Write bytes. Raises ``AssertionError`` where it reads no more."""
        assert self.process.stdin
        watch = threading.Timer(HANG, self.process.kill)
        watch.start()
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
        except OSError as error:
            raise AssertionError(f"reads no more: {error}") from error
        finally:
            watch.cancel()

    def answers(self, wanted: set[object], counts: Counter[str]) -> None:
        """Read until these ids are answered. Raises ``AssertionError`` where it ends, hangs, or says what is no JSON-RPC."""
        ends = time.monotonic() + HANG
        while wanted:
            try:
                line = self.lines.get(timeout=max(0.0, ends - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no answer to {str(wanted)[:200]}") from None
            assert line, f"the server ended: {self.process.wait()}"
            id_, kind = read_answer(line)
            counts[kind] += 1
            wanted.discard(id_)

    def cpu(self) -> float:
        """Seconds of CPU so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def start(folder: Path) -> Iterator[Server]:
    """A server in a folder, ended with the block if it has not ended by itself."""
    words = [sys.executable, "-m", "curator", "mcp"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(words, cwd=folder, **pipes) as process:  # type: ignore[call-overload]
        try:
            yield Server(process)
        finally:
            process.kill()
            with suppress(OSError):
                process.stdin.close()


def read_answer(line: bytes) -> tuple[object, str]:
    """The id that a line answers (``None``: none), and how: by a result, a tool's refusal, an error, or a message.

    Raises ``AssertionError`` for what is no JSON-RPC.
    """
    try:
        message = json.loads(line)
    except ValueError:
        message = None
    assert isinstance(message, dict), f"no JSON-RPC: {line[:200]!r}"
    assert message.get("jsonrpc") == "2.0", f"no JSON-RPC: {line[:200]!r}"
    assert line.endswith(b"\n"), f"half a line: {line[-200:]!r}"
    assert "method" in message or ("id" in message and ("result" in message) != ("error" in message)), line[:200]
    if "method" in message:
        return None, "message"
    id_, result = message.get("id"), message.get("result", {})
    kind = "error" if "error" in message else "refusal" if result.get("isError") else "result"
    return (None if isinstance(id_, list | dict) else id_), kind


def expected_ids(line: bytes) -> set[object]:
    """The id that must be answered: that of a line that is a sound request."""
    try:
        message = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return set()
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0" or {"result", "error"} & message.keys():
        return set()
    sound = isinstance(message.get("method"), str) and isinstance(message.get("params", {}), dict)
    return {message["id"]} if sound and type(message.get("id")) in (int, str) else set()


def check(counts: Counter[str], server: Server, line: bytes, modern: bool) -> bool:
    """Send an input and a question behind it, and count what outcomes; whether the server serves on."""
    counts["read"] += 1
    server.asked += 1
    probe = f"probe {server.asked}"
    try:
        began = server.cpu()
        question = request(probe, "tools/list", ENVELOPE if modern else {})
        server.send(line + b"\n" + question + b"\n")
        server.answers({probe, *(expected_ids(line) if b"\n" not in line else ())}, counts)
        taken = server.cpu() - began
    except (AssertionError, OSError) as error:
        counts["escaped"] += 1
        complaint = b"".join(server.complaints)[-1000:].decode("utf-8", "replace")
        print(f"mcp {len(line)} {line[:300]!r}: {error} {complaint}", flush=True)
        return False
    if taken > SLOW and server.asked > 3:  # the first load the SDK
        counts["slow"] += 1
        print(f"mcp {len(line)} {line[:200]!r}: {taken:.1f} s", flush=True)
    return True


def finish(server: Server, line: bytes) -> bool:
    """Send a line without its end and close the pipe; whether the server ends well, and has complained of nothing."""
    process, code = server.process, ""
    try:
        server.send(line)
        process.stdin.close()  # type: ignore[union-attr]
        code = str(process.wait(HANG) or "")
    except (AssertionError, OSError, subprocess.TimeoutExpired) as error:
        code = str(error)
    for reader in server.readers:
        reader.join(HANG)
    complaint = b"".join(server.complaints)
    try:
        while rest := server.lines.get_nowait():
            read_answer(rest)
    except queue.Empty:
        pass
    except AssertionError as error:
        code = str(error)
    if not code and b"Traceback" not in complaint:
        return True
    print(f"mcp, at the end, {line[:200]!r}: {code} {complaint[-1500:].decode('utf-8', 'replace')}", flush=True)
    return False
