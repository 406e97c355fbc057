"""The parts that curator adds to agents' files and removes again: hook entries, MCP servers, whole files. Text in, text out.

``before`` is the file's content before curator, if known. Its parts stay or return unchanged, even an empty container or a
person's entry under curator's name.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from curator.agents.install import command, json_edit
from curator.agents.install.catalog import SESSION_END_SECONDS, Agent, HookConfig, Serving
from curator.agents.install.line_edit import BlockUnderKey, Table
from curator.errors import CuratorError
from curator.io import files


class Part(Protocol):
    """A part of curator in a file. Both methods raise ``MalformedFile`` if the file can't be edited safely."""

    def put(self, text: str, name: str) -> str:
        """Return the text with the part, once and up to date. Return the same text if it needs no change."""

    def take(self, text: str, name: str, before: str | None) -> str:
        """Return the text without the part, and with the content from ``before``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """Entries under ``hooks`` in JSON settings: lists by event, of handlers, or of groups of handlers with one matcher."""

    entries: Mapping[str, Mapping[str, Any]]
    """Our items of each event's list."""
    scaffold: Mapping[str, Any] = field(default_factory=dict)
    """Members that the file also needs, such as a version."""

    def put(self, text: str, name: str) -> str:
        """Add missing entries, after removing differing entries of curator."""
        if not self._is_outdated(text, name):
            return text
        text = _without_hooks(text, name, None)
        for key, value in self.scaffold.items():
            if key not in json_edit.load(text, name):
                text = json_edit.put(text, (key,), value, name)
        for event, entry in self.entries.items():
            text = json_edit.append(text, ("hooks", event), entry, name)
        return text

    def take(self, text: str, name: str, before: str | None) -> str:
        """Remove every entry of curator, for any event."""
        text = _without_hooks(text, name, before)
        if before is not None:
            known = json_edit.load(before, name)
            for key, value in self.scaffold.items():
                if key not in known and json_edit.load(text, name).get(key) == value:
                    text = json_edit.drop(text, (key,), name)
        return text

    def _is_outdated(self, text: str, name: str) -> bool:
        have = sorted((event, str(handler)) for event, _, handler in own_hooks(text, name))
        want = sorted((event, str(handler)) for event, entry in self.entries.items() for handler in _handlers(entry))
        document = json_edit.load(text, name)
        there = [dict(entry) in (json_edit.reach(document, ("hooks", event)) or ()) for event, entry in self.entries.items()]
        return have != want or not all(there)


def _handlers(entry: Any) -> list[Any]:
    """Return the handlers of an entry: those of a group, or itself."""
    if not isinstance(entry, Mapping):
        return []
    return list(entry["hooks"]) if isinstance(entry.get("hooks"), list) else [entry]


def _words(handler: Any) -> Iterator[str]:
    if isinstance(handler, Mapping):
        rest = handler.get("args")
        more = " " + " ".join(map(str, rest)) if isinstance(rest, list) else ""
        for key in ("command", "bash", "exec"):
            if isinstance(handler.get(key), str):
                yield handler[key] + more


def own_hooks(text: str, name: str) -> list[tuple[str, tuple[str | int, ...], Mapping[str, Any]]]:
    """Return each handler of curator in hook settings: its event, its path in the document, itself. Raises
    ``MalformedFile``.
    """
    lists = json_edit.load(text, name).get("hooks")
    found: list[tuple[str, tuple[str | int, ...], Mapping[str, Any]]] = []
    for event, entries in lists.items() if isinstance(lists, dict) else ():
        for at, entry in enumerate(entries if isinstance(entries, list) else ()):
            grouped = isinstance(entry, Mapping) and isinstance(entry.get("hooks"), list)
            for inner, handler in enumerate(_handlers(entry)):
                if any(map(command.is_own, _words(handler))):
                    place = ("hooks", event, at, "hooks", inner) if grouped else ("hooks", event, at)
                    found.append((event, place, handler))
    return found


def _without_hooks(text: str, name: str, before: str | None) -> str:
    """Return the text without curator's handlers and without groups that are empty then. A person's entries from ``before``
    stay.
    """
    by_hand = [handler for _, _, handler in own_hooks(before or "", name) if not any(map(command.program, _words(handler)))]
    for _, place, handler in reversed(own_hooks(text, name)):
        if handler in by_hand:
            continue
        text = json_edit.drop(text, place, name)
        if len(place) == 5 and not json_edit.reach(json_edit.load(text, name), place[:4]):
            text = json_edit.drop(text, place[:3], name)
        text = _prune(text, (place[:2], place[:1]), name, before)
    return text


def _prune(text: str, places: Sequence[tuple[str | int, ...]], name: str, before: str | None) -> str:
    """Return the text without containers that are now empty, the innermost first. Those from before curator came stay."""
    known = json_edit.load(before, name) if before is not None else {}
    for place in places:
        if json_edit.reach(json_edit.load(text, name), place) not in ({}, []) or json_edit.reach(known, place) is not None:
            break
        text = json_edit.drop(text, place, name)
    return text


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a JSON document, such as a named MCP server. A person's additions inside it stay."""

    where: tuple[str, ...]
    value: Mapping[str, Any]

    def put(self, text: str, name: str) -> str:
        """Set the members that curator needs."""
        return json_edit.put(text, self.where, dict(self.value), name)

    def take(self, text: str, name: str, before: str | None) -> str:
        """Remove the member, and objects that become empty. Restore a person's earlier text."""
        now, then = (json_edit.reach(json_edit.load(document or "", name), self.where) for document in (text, before))
        ours = isinstance(now, Mapping) and (command.is_ours(now) or {**now, **self.value} == now)
        if now is None or (before is None and not ours):
            return text
        if then is not None and not (isinstance(then, Mapping) and command.is_ours(then)):
            return json_edit.restore(text, self.where, before or "", name)
        text = json_edit.drop(text, self.where, name)
        return _prune(text, [self.where[:n] for n in range(len(self.where) - 1, 0, -1)], name, before)


@dataclass(frozen=True, slots=True)
class OwnedFile:
    """A script or plugin that belongs to curator alone. Two installations can't share one file, so a ``foreign`` one stays."""

    content: str

    def put(self, text: str, name: str) -> str:
        """Return curator's content."""
        return self.content

    def take(self, text: str, name: str, before: str | None) -> str:
        """Return an empty text if the file is curator's, or else the person's earlier changes."""
        if before and command.neutral(before) != command.neutral(self.content):
            return before
        return "" if WRITTEN_BY in text else text

    @staticmethod
    def foreign(content: bytes) -> bool:
        """Return whether another program or a person wrote a file."""
        return bool(content.strip()) and WRITTEN_BY.encode() not in content


WRITTEN_BY = "Written by `curator install "
"""Words that occur in every script and plugin of curator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One part for one file."""

    agent: str
    kind: str
    """``hooks``, ``mcp``, ``files`` or ``memory``."""
    path: Path
    part: Part
    executable: bool = False
    only_if_there: bool = False
    root: Path | None = None
    """The project that must contain it. ``None`` stands for a person's own files, which may be links."""

    def real(self) -> Path:
        """Return the file behind the target's path, with links followed.

        Raises ``CuratorError`` if a link leads out of the project, or into a folder of git's own.
        """
        mend = "Nothing was written there. Replace the link with a plain file or folder."
        try:
            real = files.resolve(self.path, self.root) if self.root else Path(os.path.realpath(self.path))
        except OSError as error:
            raise CuratorError(f"{self.path}: {error.strerror}.", mend) from error
        if files.is_of_git(real):
            raise CuratorError(f"{self.path}: a link leads into a repository of git, to {real}.", mend)
        return real


def targets(agent: Agent, home: Path, env: Mapping[str, str], top: Path | None) -> Iterator[Target]:
    """Yield the hooks and the MCP server of an agent, for the person, or for the project at ``top``."""
    if agent.hooks:
        found = hook_targets(agent.id, agent.hooks, agent.hooks.place.path(home, env, top), shared=top is not None)
        yield from (replace(target, root=top) for target in found)
    path = agent.server.place.path(home, env, top) if agent.server else None
    if agent.server and path:
        part = server_part(agent.server, shared=top is not None)
        yield Target(agent=agent.id, kind="mcp", path=path, part=part, only_if_there=agent.server.only_if_there, root=top)


def hook_targets(agent: str, hooks: HookConfig, path: Path | None, *, shared: bool) -> Iterator[Target]:
    """Yield the files that register curator's hooks with an agent."""
    if path is None:
        return
    if hooks.shape == "scripts":
        for event in hooks.events:
            part = OwnedFile(command.cline_script(event, shared=shared))
            yield Target(agent=agent, kind="hooks", path=path / event, part=part, executable=True)
        return
    if hooks.shape == "plugin":
        whole = OwnedFile(command.opencode_plugin(shared=shared))
        yield Target(agent=agent, kind="hooks", path=path, part=whole)
        return
    entries = {event: entry(agent, hooks, event, matcher, shared=shared) for event, matcher in hooks.events.items()}
    yield Target(agent=agent, kind="hooks", path=path, part=Hooks(entries=entries, scaffold=hooks.scaffold))


def entry(agent: str, hooks: HookConfig, event: str, matcher: str, *, shared: bool) -> dict[str, Any]:
    """Return the entry for one event's list."""
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
    """Return the MCP server in an agent's notation."""
    program, arguments = command.server(shared=shared)
    more = dict(server.more)
    if server.shape == "toml":
        own = {"command": json.dumps(program), "args": json.dumps(arguments)}
        return Table((server.where[0], "curator"), own | {key: json.dumps(value) for key, value in more.items()})
    if server.shape == "goose":
        value = {"type": "stdio", "name": "curator", "enabled": True, "cmd": program, "args": arguments, "timeout": 300}
        return BlockUnderKey("extensions", "curator", value)
    if server.shape == "continue":
        return BlockUnderKey("mcpServers", "curator", {"name": "curator", "command": program, "args": arguments}, listed=True)
    if server.shape == "words":
        return Member((*server.where, "curator"), {**more, "command": [program, *arguments]})
    return Member((*server.where, "curator"), {"command": program, "args": arguments, **more})
