"""Which parts go into which file of an agent, in a person's files or a project's."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from curator.agents.install import command
from curator.agents.install.catalog import SESSION_END_SECONDS, Agent, Hooking, Serving
from curator.agents.install.parts import Hooks, Member, Part, Whole
from curator.agents.install.toml_edit import Table
from curator.agents.install.yaml_edit import Below
from curator.errors import CuratorError
from curator.io import files

MARK = "curator install"
"""Words in every script and plugin of ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One part for one file."""

    agent: str
    kind: str
    """``hooks``, ``mcp`` or ``files``."""
    path: Path
    part: Part
    executable: bool = False
    only_if_there: bool = False
    root: Path | None = None
    """The project in which it must really lie; ``None`` for a person's own files, which may be links to anywhere."""

    def real(self) -> Path:
        """The file that it ends up in, links followed. Raises ``CuratorError`` where one leads out of the project."""
        if self.root is None:
            return Path(os.path.realpath(self.path))
        try:
            return files.resolve(self.path, self.root)
        except OSError as error:
            raise CuratorError(
                f"{self.path}: {error.strerror}.", "Replace the link by a plain file or folder; nothing was written there."
            ) from error


def targets(agent: Agent, home: Path, env: Mapping[str, str], top: Path | None) -> Iterator[Target]:
    """Hooks and MCP server of an agent, for the person, or for the project at ``top``."""
    if agent.hooks:
        found = hook_targets(agent.id, agent.hooks, agent.hooks.place.path(home, env, top), shared=top is not None)
        yield from (replace(target, root=top) for target in found)
    path = agent.server.place.path(home, env, top) if agent.server else None
    if agent.server and path:
        part = server_part(agent.server, shared=top is not None)
        yield Target(agent=agent.id, kind="mcp", path=path, part=part, only_if_there=agent.server.only_if_there, root=top)


def hook_targets(agent: str, hooks: Hooking, path: Path | None, *, shared: bool) -> Iterator[Target]:
    """The files that tell an agent of our hooks."""
    if path is None:
        return
    if hooks.shape == "scripts":
        for event in hooks.events:
            part = Whole(command.cline_script(event, shared=shared), MARK)
            yield Target(agent=agent, kind="hooks", path=path / event, part=part, executable=True)
        return
    if hooks.shape == "plugin":
        whole = Whole(command.opencode_plugin(shared=shared), MARK)
        yield Target(agent=agent, kind="hooks", path=path, part=whole)
        return
    entries = {event: entry(agent, hooks, event, matcher, shared=shared) for event, matcher in hooks.events.items()}
    if hooks.shape == "copilot":
        content = json.dumps({"version": 1, "hooks": {event: [it] for event, it in entries.items()}}, indent=2) + "\n"
        yield Target(agent=agent, kind="hooks", path=path, part=Whole(content, "curator hook copilot-cli "))
        return
    yield Target(agent=agent, kind="hooks", path=path, part=Hooks(entries=entries, scaffold=hooks.scaffold))


def entry(agent: str, hooks: Hooking, event: str, matcher: str, *, shared: bool) -> dict[str, Any]:
    """What one event's list gets."""
    ask = {"matcher": matcher} if matcher else {}
    if hooks.shape == "flat":
        return {"command": command.hook(agent, event, shared=shared), "timeout": hooks.timeout} | ask | dict(hooks.handler)
    if hooks.shape == "copilot":
        # Each host takes the spelling that it knows: `bash` and `timeoutSec` are the command line's. One id serves both.
        run = command.hook("copilot-cli", event, shared=shared)
        return {"type": "command"} | ask | {"command": run, "bash": run, "timeout": hooks.timeout, "timeoutSec": hooks.timeout}
    run = command.hook(agent, event, shared=shared)
    most = SESSION_END_SECONDS if event == "SessionEnd" and hooks.timeout < 1000 else hooks.timeout
    handler = {"type": "command", "command": run, "timeout": most} | dict(hooks.handler)
    return ask | {"hooks": [handler]}


def server_part(server: Serving, *, shared: bool) -> Part:
    """The MCP server in an agent's notation."""
    program, arguments = command.server(shared=shared)
    if server.shape == "toml":
        own = {"command": json.dumps(program), "args": json.dumps(arguments)}
        return Table((server.where[0], "curator"), own | {key: json.dumps(value) for key, value in server.more.items()})
    if server.shape == "goose":
        value = {"type": "stdio", "name": "curator", "enabled": True, "cmd": program, "args": arguments, "timeout": 300}
        return Below("extensions", "curator", value)
    if server.shape == "continue":
        return Below("mcpServers", "curator", {"name": "curator", "command": program, "args": arguments}, listed=True)
    if server.shape == "words":
        return Member((*server.where, "curator"), {**server.more, "command": [program, *arguments]})
    return Member((*server.where, "curator"), {"command": program, "args": arguments, **server.more})
