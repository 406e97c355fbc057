"""``curator doctor`` for agents: hooks registered once, complete, not switched off, trusted, present and quick."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curator import __version__
from curator.agents.install import command
from curator.agents.install.catalog import AGENTS, BY_ID, Agent
from curator.agents.install.obstacles import obstacles
from curator.agents.install.parts import own_hooks
from curator.agents.install.plan import decoded, read
from curator.agents.install.targets import MARK, Target, targets
from curator.app.checks import Check, fault
from curator.errors import CuratorError
from curator.io import files, git

SLOW = 0.3
"""Seconds: every prompt waits for its hook."""
PATIENCE = 10.0
VERSION_PATIENCE = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A hook of ours in a file: what runs it, for which event."""

    path: Path
    event: str
    command: str
    shared: bool
    """Whether it stands in a project's file, which anybody may have written."""


def examine(home: Path, top: Path, env: Mapping[str, str] = os.environ) -> Iterator[Check]:
    """Look at every agent's hooks and MCP entry; says nothing of agents that were never set up. Changes nothing."""
    for agent in AGENTS:
        try:
            yield from of_agent(agent, home, top, env)
        except CuratorError as error:
            yield fault("hooks", error, agent.id)


def of_agent(agent: Agent, home: Path, top: Path, env: Mapping[str, str]) -> Iterator[Check]:
    """One agent."""
    scopes = (False, True) if os.access(top, os.X_OK) else (False,)  # one that can't be entered is said elsewhere
    places = [
        (target, shared)
        for shared in scopes
        for target in targets(agent, home, env, top if shared else None)
        if not shared or top != home  # one file is not two, where a home is a project
    ]
    for target, _ in places:
        if target.kind == "mcp":
            yield from of_server(target)
    found = [hook for target, shared in places if target.kind == "hooks" for hook in installed(target, shared=shared)]
    if not found:
        return
    faults = [*of_events(agent, found), *of_commands(agent, found, top, env), *of_switches(agent, home, env, top)]
    if agent.id == "codex":
        faults += of_trust(found, top, env)
    slowest, slow = timed(agent, found, top, env)
    yield from faults
    yield from slow
    if not faults and not slow:
        scripts = agent.hooks is not None and agent.hooks.shape == "scripts"
        files = ", ".join(dict.fromkeys(str(hook.path.parent if scripts else hook.path) for hook in found))
        took = f"the slowest took {slowest * 1000:.0f} ms" if slowest else "not run, since anybody may have written these files"
        detail = f"{len(found)} in {files}; {took}{besides(agent, home, top, env)}"
        yield Check(check="hooks", agent=agent.id, detail=detail)


def installed(target: Target, *, shared: bool) -> Iterator[Found]:
    """The hooks of ours in a target's file. Raises ``MalformedFile``."""
    content = read(target.path)
    if content is None:
        return
    text, name = decoded(content, target.path)[1], str(target.path)
    if target.path.suffix == ".json":
        for event, _, handler in own_hooks(text, name):
            run = handler.get("command") or handler.get("bash") or ""
            yield Found(path=target.path, event=event, command=str(run), shared=shared)
    elif target.path.suffix == ".js":
        if MARK in text:
            events = BY_ID[target.agent].hooks.events if BY_ID[target.agent].hooks else ()  # type: ignore[union-attr]
            for event in events:
                run = command.hook(target.agent, event, shared=shared)
                yield Found(path=target.path, event=event, command=run if same(target, text) else "", shared=shared)
    elif MARK in text:
        run = text.rstrip("\n").rpartition("\n")[2]
        yield Found(path=target.path, event=target.path.name, command=run, shared=shared)


def same(target: Target, text: str) -> bool:
    """Whether a file of ours is what we would write now."""
    return target.part.put("", str(target.path)) == text


def of_events(agent: Agent, found: Sequence[Found]) -> Iterator[Check]:
    """Whether each event has one hook, in one place."""
    wanted = agent.hooks.events if agent.hooks else {}
    for path in dict.fromkeys(
        hook.path.parent if agent.hooks and agent.hooks.shape == "scripts" else hook.path for hook in found
    ):
        counts = Counter(hook.event for hook in found if path in (hook.path, hook.path.parent))
        flag = " --project" if any(hook.shared for hook in found if path in (hook.path, hook.path.parent)) else ""
        fix = f"Run `curator install {agent.id}{flag}`."
        if missing := [event for event in wanted if not counts[event]]:
            yield wrong(agent, f"{path}: nothing of ours for {', '.join(missing)}", fix)
        if doubled := [event for event, count in counts.items() if count > 1]:
            yield wrong(agent, f"{path}: registered more than once for {', '.join(doubled)}", fix)
        if strange := [event for event in counts if event not in wanted]:
            yield wrong(agent, f"{path}: registered for {', '.join(strange)}, which this version does not ask for", fix)
    places = dict.fromkeys(hook.path for hook in found if hook.event == found[0].event)
    if len(places) > 1:
        fix = f"Run `curator uninstall {agent.id}`, then install it again for yourself or for the project."
        yield wrong(agent, f"every event runs a hook in each of {', '.join(map(str, places))}", fix)


def of_commands(agent: Agent, found: Sequence[Found], top: Path, env: Mapping[str, str]) -> Iterator[Check]:
    """Whether what the hooks run is there, and is this version. Programs that a file names are not run: see ``runnable``."""
    hooks: dict[str, Found] = {}
    for hook in found:
        program = command.program(hook.command)
        if program is None or (hook.shared and program != "curator"):
            detail = f"{hook.path}: the hook of {hook.event} was not written by this version"
            yield wrong(agent, detail, f"Run `curator install {agent.id}{' --project' if hook.shared else ''}`.")
            return
        hooks.setdefault(program, hook)
    for program, hook in hooks.items():
        words = command.runnable(program, top, env)
        if not words and program != "curator" and os.path.exists(program):
            detail = f"{hook.path}: its hooks run {program}, which is not this curator"
            yield wrong(agent, detail, f"Run `curator install {agent.id}` to have this one.")
        elif not words:
            fix = "Install curator where it is in PATH." if program == "curator" else f"Run `curator install {agent.id}`."
            yield wrong(agent, f"{hook.path}: its hooks run {program}, which is not there: they do nothing", fix)
        elif program == "curator" and (version := version_of(words)) != __version__:
            detail = (
                f"{hook.path}: its hooks run curator {version or 'of an unknown version'} at {words[0]}, this is {__version__}"
            )
            yield wrong(agent, detail, f"Run `curator install {agent.id}`, or update the other one.")


def version_of(words: Sequence[str]) -> str:
    """The version that another curator says it is; empty if it says none."""
    with suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(
            [*words, "--version"],
            capture_output=True,
            text=True,
            timeout=VERSION_PATIENCE,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        return done.stdout.strip().rpartition(" ")[2]
    return ""


def of_switches(agent: Agent, home: Path, env: Mapping[str, str], top: Path) -> Iterator[Check]:
    """Whether the agent is told not to run hooks."""
    for sentence in obstacles(agent.id, home, env, top):
        yield wrong(agent, f"{sentence}, so no hook runs", "Take that out if hooks are wanted; `--files` works without them.")


def besides(agent: Agent, home: Path, top: Path, env: Mapping[str, str]) -> str:
    """What is worth knowing of hooks that are in order."""
    if agent.id == "codex" and files.find_program("codex", env, outside=(top, *git.trees(top))) is None:
        return "; codex is not in PATH to be asked whether it trusts them: its /hooks says so"
    if agent.id != "claude-code":
        return ""
    # These read Claude Code's settings besides their own, and the hook keeps quiet the second time.
    readers = ("vscode-copilot", "copilot-cli", "cursor")
    others = [it for it in readers if any(has_hooks(target) for target in targets(BY_ID[it], home, env, None))]
    return f"; {', '.join(others)} may run these, too, and is answered once" if others else ""


def has_hooks(target: Target) -> bool:
    """Whether hooks of ours stand in a target's file, as far as it can be read."""
    try:
        return target.kind == "hooks" and any(installed(target, shared=False))
    except CuratorError:
        return False


def timed(agent: Agent, found: Sequence[Found], top: Path, env: Mapping[str, str]) -> tuple[float, list[Check]]:
    """How long the slowest hook takes, and which take too long; each distinct one runs once, on nothing, in an empty home.

    What stands in a project's files is not run: anybody may have written them.
    """
    slowest, late = 0.0, []
    with tempfile.TemporaryDirectory(prefix="curator-doctor-") as scratch:
        for run in dict.fromkeys(hook.command for hook in found if not hook.shared):
            words = command.runnable(command.program(run) or "", top, env)
            arguments = run.removesuffix(command.END).split()[-3:]
            seconds = once([*words, *arguments], scratch, env) if words else 0.0
            slowest = max(slowest, seconds)
            if seconds > SLOW:
                late.append(f"{arguments[-1]} {seconds * 1000:.0f} ms")
    if not late:
        return slowest, []
    fix = "A version manager's shim or a slow disk may be the cause; `curator install` from a plain environment helps."
    return slowest, [wrong(agent, f"hooks take long: {', '.join(late)}", fix)]


def once(words: Sequence[str], scratch: str, env: Mapping[str, str]) -> float:
    """Seconds that one hook takes on a payload that means nothing."""
    payload = json.dumps({"session_id": "curator-doctor", "hook_event_name": words[-1], "cwd": scratch, "prompt": ""})
    start = time.perf_counter()
    with suppress(OSError, subprocess.SubprocessError):
        subprocess.run(
            words,
            input=payload.encode(),
            capture_output=True,
            cwd=scratch,
            env={**env, "CURATOR_HOME": scratch},
            timeout=PATIENCE,
            check=False,
        )
    return time.perf_counter() - start


def of_trust(found: Sequence[Found], top: Path, env: Mapping[str, str]) -> Iterator[Check]:
    """Whether Codex trusts the hooks: it skips others without a word. Codex is asked; nothing is written."""
    codex = BY_ID["codex"]
    program = files.find_program("codex", env, outside=(top, *git.trees(top)))
    if program is None:
        return
    fix = "Start codex, open /hooks and trust curator's hooks."
    answer = asked(program, top, env)
    if answer is None:
        yield wrong(codex, "Codex does not say whether it trusts the hooks; untrusted ones are skipped without a word", fix)
        return
    commands = {hook.command for hook in found}
    known = [hook for hook in answer if hook.get("command") in commands]
    off = [str(hook.get("eventName")) for hook in known if hook.get("enabled") is False]
    bad = [str(hook.get("eventName")) for hook in known if hook.get("trustStatus") not in ("trusted", "managed")]
    if off:
        yield wrong(
            codex, f"the hooks of {', '.join(off)} are switched off in Codex", "Switch them on in /hooks, if they are wanted."
        )
    if bad:
        yield wrong(codex, f"Codex does not trust the hooks of {', '.join(bad)}: they are skipped without a word", fix)
    elif not known:
        yield wrong(codex, "Codex does not list our hooks, so it won't run them", "Update Codex, and restart it.")


def asked(program: str, top: Path, env: Mapping[str, str]) -> Sequence[Mapping[str, Any]] | None:
    """The hooks that Codex knows for a folder (``codex app-server``, method ``hooks/list``); ``None`` if it does not say."""
    info = {"name": "curator", "version": __version__}
    questions = [
        {"id": 0, "method": "initialize", "params": {"clientInfo": info}},
        {"method": "initialized"},
        {"id": 1, "method": "hooks/list", "params": {"cwds": [str(top)]}},
    ]
    try:
        process = subprocess.Popen(
            [program, "app-server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=Path.home(),  # it reads settings of the folder that it begins in
            env=dict(env),
            text=True,
            encoding="utf-8",
            errors="replace",
        )
    except OSError:
        return None
    return conversed(process, "".join(json.dumps(question) + "\n" for question in questions))


def conversed(process: subprocess.Popen[str], questions: str) -> Sequence[Mapping[str, Any]] | None:
    """Ask, and read answers until ours has come or patience has ended; then end the process."""
    from threading import Timer

    assert process.stdin
    assert process.stdout
    watch = Timer(PATIENCE, process.kill)
    watch.start()
    try:
        process.stdin.write(questions)
        process.stdin.flush()
        for row in process.stdout:
            with suppress(ValueError, AttributeError, TypeError):
                message = json.loads(row)
                if message.get("id") == 1:
                    return (
                        [hook for entry in message["result"]["data"] for hook in entry["hooks"]]
                        if "result" in message
                        else None
                    )
    except (OSError, KeyError):
        return None
    finally:
        watch.cancel()
        process.kill()
        with suppress(OSError):
            process.stdin.close()
        process.stdout.close()
        process.wait()
    return None


def of_server(target: Target) -> Iterator[Check]:
    """Whether an MCP entry of ours names a program that is there."""
    content = read(target.path)
    if content is None or b"curator" not in content:
        return
    text, name = decoded(content, target.path)[1], str(target.path)
    if target.part.take(text, name, text) == text:
        return
    agent = BY_ID[target.agent]
    if target.part.put(text, name) != text:
        yield wrong(
            agent, f"{name}: the MCP entry is not as this version writes it", f"Run `curator install {agent.id}`.", "mcp"
        )
    else:
        yield Check(check="mcp", agent=agent.id, detail=f"registered in {name}")


def wrong(agent: Agent, detail: str, fix: str, check: str = "hooks") -> Check:
    """A finding."""
    return Check(check=check, agent=agent.id, ok=False, detail=detail, fix=fix)
