"""``curator doctor``: examine the parts that curator needs, and the hooks of agents, without changing anything.

It does not read an older database in full, since opening would upgrade it. Each hook must be registered once, complete, enabled
and present.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from os.path import exists  # that of Path raises where a folder may not be entered
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from curator import clock, lesson_files, plugins, projects
from curator.agents.install import command
from curator.agents.install.catalog import AGENTS, BY_ID, Agent
from curator.agents.install.obstacles import PLUGIN, obstacles, plugin
from curator.agents.install.parts import WRITTEN_BY, Target, own_hooks, targets
from curator.agents.install.plan import decode, foreign, read
from curator.app import distill, install
from curator.app.curator import Curator
from curator.app.project.git_merge import lacks_driver
from curator.app.sessions.ingest import shorten_home
from curator.app.sessions.scan import UNKNOWN_FORMAT_SHARE
from curator.distill import digest
from curator.errors import CuratorError
from curator.hookspecs import Format
from curator.io import files, git, watch
from curator.keymap import keymap
from curator.model import State
from curator.settings import DAY_SECONDS, Settings, default_home
from curator.store import backups, file
from curator.store.database import Store
from curator.store.file import REBUILD, RECOVER
from curator.store.schema import has_damaged_index, inspect, rebuild
from curator.store.sources import Source
from curator.text.words import pluralize
from curator.transcripts.base import discover


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A check: its agent (or none), its result, the finding, and the advice."""

    check: str
    agent: str = ""
    ok: bool = True
    detail: str = ""
    fix: str = ""


def failed_check(check: str, error: CuratorError, agent: str = "") -> Check:
    """Return a failure as a check."""
    return finding(check, error.message, error.hint or "See the log.", agent)


def finding(check: str, detail: str, fix: str, agent: str = "") -> Check:
    """Return a finding."""
    return Check(check=check, agent=agent, ok=False, detail=detail, fix=fix)


PLUGIN_PLACES = (".local/bin", "/opt/homebrew/bin", "/usr/local/bin")
"""The places where the plugin's ``launch.sh`` looks after ``PATH``: below the home folder, or absolute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HookEntry:
    """A hook of curator in a file: its command and its event."""

    path: Path
    event: str
    command: str
    shared: bool
    """True if it is in a project's file, which anybody may have written."""


def examine_hooks(home: Path, top: Path, env: Mapping[str, str] = os.environ) -> Iterator[Check]:
    """Yield checks of every agent's hooks and MCP entry. Agents that were never set up are left out. This changes nothing."""
    for agent in AGENTS:
        try:
            yield from hooks_of_agent(agent, home, top, env)
        except CuratorError as error:
            yield failed_check("hooks", error, agent.id)


def hooks_of_agent(agent: Agent, home: Path, top: Path, env: Mapping[str, str]) -> Iterator[Check]:
    """Check the hooks of one agent."""
    scopes = (False, True) if os.access(top, os.X_OK) else (False,)  # one that can't be entered is said elsewhere
    places = [
        (target, shared)
        for shared in scopes
        for target in targets(agent, home, env, top if shared else None)
        if not shared or top != home  # one file is not two, where a home is a project
    ]
    for target, _ in places:
        if target.kind == "mcp":
            yield from check_server(target)
    found = [hook for target, shared in places if target.kind == "hooks" for hook in installed_hooks(target, shared=shared)]
    if file := plugin(agent.id, home, env):
        yield check_plugin(agent, file, top, home, env, beside=bool(found))
    if not found:
        return
    others = [target.path for target, _ in places if target.kind == "hooks" and foreign([target], read(target.path))]
    faults = [*check_events(agent, found, others), *check_commands(agent, found, top, env)]
    off = [f"{sentence}, so hooks do not run" for sentence in obstacles(agent.id, home, env, top)]
    faults += [broken_hooks(agent, it, "Remove that setting to use hooks; `--files` works without hooks.") for it in off]
    yield from faults
    if not faults:
        files = ", ".join(dict.fromkeys(str(file_of(agent, hook)) for hook in found))
        note = "; check in its /hooks whether Codex trusts them" if agent.id == "codex" else ""
        yield Check(check="hooks", agent=agent.id, detail=f"{len(found)} in {files}{note}")
    for path in others:
        yield Check(check="hooks", agent=agent.id, detail=f"{path} belongs to somebody else, so curator has no hook there")


def check_plugin(agent: Agent, file: Path, top: Path, home: Path, env: Mapping[str, str], *, beside: bool) -> Check:
    """Return whether curator's plugin for an agent finds a curator to run. It searches like the plugin's ``launch.sh``."""
    places = (env.get("PATH", os.defpath), *(str(home / place) for place in PLUGIN_PLACES))
    program = files.find_program("curator", {**env, "PATH": os.pathsep.join(places)}, outside=git.untrusted_folders(top))
    if program is None:
        detail = f"{file}: the plugin {PLUGIN} is enabled, but finds no curator, so it sends nothing"
        return finding("plugin", detail, "Install curator on the PATH, or in ~/.local/bin.", agent.id)
    more = f"; the settings have the same hooks; `curator uninstall {agent.id}` removes those"
    twice = more if beside else ""
    return Check(check="plugin", agent=agent.id, detail=f"{PLUGIN} in {file}, runs {program}{twice}")


def installed_hooks(target: Target, *, shared: bool) -> Iterator[HookEntry]:
    """Yield curator's hooks in a target's file. Raises ``MalformedFile``."""
    content = read(target.path)
    if content is None or foreign([target], content):
        return
    text, name = decode(content, target.path)[1], str(target.path)
    if target.path.suffix == ".json":
        for event, _, handler in own_hooks(text, name):
            run = handler.get("command") or handler.get("bash") or ""
            yield HookEntry(path=target.path, event=event, command=str(run), shared=shared)
    elif target.path.suffix == ".js":
        hooks = BY_ID[target.agent].hooks
        for event in hooks.events if hooks and WRITTEN_BY in text else ():
            ours = target.part.put("", name) == text  # the content that we would write now
            run = command.hook(target.agent, event, shared=shared) if ours else ""
            yield HookEntry(path=target.path, event=event, command=run, shared=shared)
    elif WRITTEN_BY in text:
        run = text.rstrip("\n").rpartition("\n")[2]
        yield HookEntry(path=target.path, event=target.path.name, command=run, shared=shared)


def file_of(agent: Agent, hook: HookEntry) -> Path:
    """Return the file that holds a hook. If each hook has a script of its own, return their folder."""
    return hook.path.parent if agent.hooks and agent.hooks.shape == "scripts" else hook.path


def check_events(agent: Agent, found: Sequence[HookEntry], others: Container[Path]) -> Iterator[Check]:
    """Yield the events without exactly one hook in one place, unless other agents share the file of the event."""
    events = agent.hooks.events if agent.hooks else {}
    for path in dict.fromkeys(file_of(agent, hook) for hook in found):
        here = [hook for hook in found if path in (hook.path, hook.path.parent)]
        counts = Counter(hook.event for hook in here)
        flag = " --project" if any(hook.shared for hook in here) else ""
        fix = f"Run `curator install {agent.id}{flag}`."
        if missing := [event for event in events if not counts[event] and path / event not in others]:
            yield broken_hooks(agent, f"{path}: no hook for {', '.join(missing)}", fix)
        if doubled := [event for event, count in counts.items() if count > 1]:
            yield broken_hooks(agent, f"{path}: registered more than once for {', '.join(doubled)}", fix)
        if strange := [event for event in counts if event not in events]:
            yield broken_hooks(agent, f"{path}: registered for {', '.join(strange)}, which this version does not use", fix)
    places = dict.fromkeys(hook.path for hook in found if hook.event == found[0].event)
    if len(places) > 1:
        fix = f"Run `curator uninstall {agent.id}`, then install it again, for yourself or for the project."
        yield broken_hooks(agent, f"each event has a hook in several files: {', '.join(map(str, places))}", fix)


def check_commands(agent: Agent, found: Sequence[HookEntry], top: Path, env: Mapping[str, str]) -> Iterator[Check]:
    """Yield the hooks whose program is missing or another curator. This runs no program."""
    hooks: dict[str, HookEntry] = {}
    for hook in found:
        program = command.program(hook.command)
        if program is None or (hook.shared and program != "curator"):
            detail = f"{hook.path}: another version wrote the hook of {hook.event}"
            yield broken_hooks(agent, detail, f"Run `curator install {agent.id}{' --project' if hook.shared else ''}`.")
            return
        hooks.setdefault(program, hook)
    for program, hook in hooks.items():
        words = command.runnable(program, top, env)
        if not words and program != "curator" and os.path.exists(program):
            detail = f"{hook.path}: its hooks run {program}, which is not this curator"
            yield broken_hooks(agent, detail, f"Run `curator install {agent.id}` to use this one.")
        elif not words:
            fix = "Install curator on the PATH." if program == "curator" else f"Run `curator install {agent.id}`."
            yield broken_hooks(agent, f"{hook.path}: its hooks run {program}, which does not exist, so they do nothing", fix)


def check_server(target: Target) -> Iterator[Check]:
    """Yield the state of curator's MCP entry: whether it is the one that this version writes."""
    content = read(target.path)
    if content is None or b"curator" not in content:
        return
    text, name = decode(content, target.path)[1], str(target.path)
    if target.part.take(text, name, text) == text:
        return
    agent = BY_ID[target.agent]
    if target.part.put(text, name) != text:
        detail = f"{name}: another version wrote the MCP entry"
        yield finding("mcp", detail, f"Run `curator install {agent.id}`.", agent.id)
    else:
        yield Check(check="mcp", agent=agent.id, detail=f"registered in {name}")


def broken_hooks(agent: Agent, detail: str, fix: str) -> Check:
    """Return the problems with the hooks of an agent."""
    return finding("hooks", detail, fix, agent.id)


RECENT_SECONDS = 7 * DAY_SECONDS
MAX_LISTED = 5
MAKE_READABLE = "Change its permissions so that you can read it."


def examine(
    load: Callable[[], Settings],
    folder: Path,
    env: Mapping[str, str] = os.environ,
    themes: Iterable[str] = (),
    *,
    ask: bool = False,
) -> Iterator[Check]:
    """Yield checks of settings, database, log, git, the project of ``folder``, and each agent's transcripts. Never raises.

    ``load`` reads the settings. If that fails, the other checks use the defaults. ``themes`` are the existing themes. ``ask``
    lets the distiller read a made-up session.
    """
    try:
        settings = load()
        yield from check_settings(settings, tuple(themes))
    except CuratorError as error:
        settings = Settings(home=default_home(env))
        yield failed_check("settings", error)
    stored, found = check_database(settings)
    yield found
    yield from check_distiller(settings, ask=ask)
    if found.ok:
        yield from check_hub(settings)
    yield from check_backups(settings)
    yield check_log(settings)
    yield check_git()
    yield from check_project(folder, stored.ids)
    here = {"PWD": str(folder)} if os.access(folder, os.R_OK | os.X_OK) else {}
    for format_ in plugins.formats():
        mine = {path: source for path, source in stored.sources.items() if source.agent == format_.agent}
        yield from check_agent(format_, mine, stored.quoted, Path.home(), {**env, **here})
    yield from check_watching([place for format_ in plugins.formats() for place in format_.roots(Path.home(), {**env, **here})])
    yield from examine_hooks(Path.home(), Path(projects.identify(str(folder)).folder), env)


def check_settings(settings: Settings, themes: Sequence[str]) -> Iterator[Check]:
    """Yield the settings with a value that means nothing. Their types are right already."""
    where = settings.file
    if themes and settings.theme and settings.theme not in themes:
        detail = f"{where}: there is no theme {settings.theme!r}"
        yield finding("settings", detail, f"Choose one of {', '.join(sorted(themes))}.")
    try:
        keymap(settings.keys)
    except CuratorError as error:
        yield failed_check("settings", CuratorError(f"{where}: {error.message}", error.hint))
    yield Check(check="settings", detail=f"{where}{'' if exists(where) else ': not found; using defaults'}")


def fix(settings: Settings) -> None:
    """Rebuild the indexes of the database, if there is one. Raises ``StoreError`` where that does not repair it."""
    if file.identity(settings.database):
        rebuild(settings.database)


class Stored(NamedTuple):
    """The contents of the database: the transcripts, those that cards quote, and the ids of all entries if they are known."""

    sources: Mapping[str, Source] = MappingProxyType({})
    quoted: frozenset[str] = frozenset()
    ids: frozenset[str] | None = None


def check_database(settings: Settings) -> tuple[Stored, Check]:
    """Return the contents of the database, and whether it is intact. This creates no database."""
    path = settings.database
    try:
        if file.identity(path) is None:
            backups.refuse(path)
            return Stored(ids=frozenset()), Check(check="database", detail=f"{path}: not found; the first scan makes it")
        sound = inspect(path)
        if sound.faults:
            raise CuratorError(
                f"{path} is damaged: {'; '.join(sound.faults)}", f"`curator doctor --fix` may repair it. {RECOVER}"
            )
        if has_damaged_index(path):
            raise CuratorError(f"The search index in {path} is damaged. Your lessons are not.", REBUILD)
        if sound.unreadable:
            rows = f"{pluralize(len(sound.unreadable), 'row')} skipped because they are invalid"
            raise CuratorError(f"{path}: {rows}: {', '.join(sound.unreadable[:MAX_LISTED])}", RECOVER)
        with closing(Store(path)) as store:
            if store.newer:
                raise CuratorError(store.newer, "Update curator, or set CURATOR_HOME to another folder.")
            stored = Stored(store.sources.sources(), store.entries.transcripts(), store.entries.ids())
    except CuratorError as error:
        return Stored(), failed_check("database", error)
    except OSError as error:
        return Stored(), finding("database", f"{path}: {error.strerror}", MAKE_READABLE)
    return stored, Check(check="database", detail=f"{path}: OK, {path.stat().st_size / 1e6:.1f} MB")


def check_hub(settings: Settings) -> Iterator[Check]:
    """Yield the state of each team: whether the hub is reachable, its refusals, and whether its address demands TLS."""
    if file.identity(settings.database) is None:
        return
    with closing(Curator(settings)) as curator:
        if not curator.store.hub.teams():
            return
        from curator.app import hub  # mostly there is none

        for row in hub.status(curator):
            detail, refused = f"{row['team']}: {row['ahead']} ahead, {row['behind']} behind", len(row["refused"])
            if row["error"]:
                yield finding("hub", f"{row['team']}: {row['error']}", "Your lessons are safe here, and are sent later.")
            elif refused:
                yield finding("hub", f"{detail}, {refused} refused", "`curator hub status` says why.")
            else:
                yield Check(check="hub", detail=detail)
            if hub.lacks_tls(row["hub"]):
                why = f"{row['team']}: the host is not this machine, and nothing asks for TLS with a verified host"
                yield finding("hub", why, "Add sslmode=verify-full to the address and join again, or to the service.")


def check_distiller(settings: Settings, *, ask: bool) -> Iterator[Check]:
    """Yield the state of the model that reads sessions, if one is set. With ``ask``, send it a sample."""
    if not settings.has_reader:
        return
    try:
        found = dict.fromkeys(distill.readers(settings).values())
    except CuratorError as error:
        yield failed_check("reader", error)
        return
    for reader in found:
        try:
            yield check_reader(settings, reader, distill.try_reader(settings, reader) if ask else None)
        except CuratorError as error:
            yield failed_check("reader", error)


def check_reader(settings: Settings, reader: distill.Reader, trial: distill.Trial | None) -> Check:
    """Return the reader of sessions, and the outcome of a trial."""
    name, model = reader
    if trial is None:
        detail = f"{name}: {model.model}; `curator doctor --ask` tests it on a sample session (about 1,400 tokens)"
    else:
        cost = f", {trial.cost:.4g} at your price" if trial.cost else ""
        took = f"{trial.tokens:,} tokens, {trial.seconds:.1f} s{cost}"
        detail = f"{name}: {model.model} named {trial.lessons} of 1 lesson; {took}"
        if trial.only_chose and trial.lessons and not settings.distill_choose:
            detail += "; it could only choose among candidates"
            return finding("reader", detail, "Set `distill_choose = true`, or use a larger model.")
    window, least = settings.distill_context, digest.smallest_window()
    if 0 < window < least:
        detail = f"{name}: distill_context is {window:,} tokens, and a prompt with its answer takes {least:,}"
        return finding("reader", detail, "Load the model with a larger window, then set distill_context to that.")
    if name == "endpoint" and not window:
        detail += f"; distill_context is not set: a prompt takes {least:,} tokens or more, and Ollama loads models with 4,096"
    return Check(check="reader", detail=detail)


def check_backups(settings: Settings) -> Iterator[Check]:
    """Yield the backups, if any: the day's first decision makes one."""
    where = backups.folder(settings.database)
    try:
        copies = backups.list_backups(settings.database)
    except OSError as error:
        yield finding("backups", f"{where}: {error.strerror}", MAKE_READABLE)
        return
    if copies:
        days = ", ".join(map(backups.day_of, copies))
        yield Check(check="backups", detail=f"{where}: {days}; `curator restore` lists them")


def check_log(settings: Settings) -> Check:
    """Return whether the log can be written, and recent errors in it."""
    path = settings.log
    place = path if exists(path) else settings.home if exists(settings.home) else settings.home.parent
    if exists(place) and not os.access(place, os.W_OK):
        return finding("log", f"{path} can't be written", "Change its permissions so that you can write there.")
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if exists(path) else []
        fresh = exists(path) and clock.now() - path.stat().st_mtime < RECENT_SECONDS
    except OSError as error:
        return finding("log", f"{path}: {error.strerror}", MAKE_READABLE)
    errors = [line for line in lines if " ERROR " in line]
    if errors and fresh:
        detail = f"{path}: {pluralize(len(errors), 'error')}, the last: {errors[-1][:200]}"
        return finding("log", detail, "Please report these lines. Then you can delete the log.")
    return Check(check="log", detail=f"{path}: no errors lately")


def check_git() -> Check:
    """Return whether git is installed. curator needs it to tell projects apart and to notice stale lessons."""
    if files.find_program("git") is None:
        fix = "Install git. Without it, curator can't recognize a project in another folder, and no lesson becomes stale."
        return finding("git", "git is not on the PATH", fix)
    return Check(check="git", detail=(git.ask(os.curdir, "--version") or "present").strip())


def check_watching(places: Iterable[Path]) -> Iterator[Check]:
    """Yield the reason if the system reports no changes in the folders of transcripts."""
    if why := watch.watch_fault(place for place in dict.fromkeys(places) if exists(place)):
        fix = f"Run `sudo sysctl {why.rpartition(' ')[2]}=524288`, then open the inbox again."
        yield finding("watching", f"{why}; the inbox looks at files every two seconds instead", fix)


def check_project(folder: Path, known: Container[str] | None) -> Iterator[Check]:
    """Yield the state of the lesson files of the project around a folder.

    This says whether each can be read, whether git tracks them, and whether the database has any (``known``; ``None`` if that
    can't be read).
    """
    top = Path(projects.identify(str(folder)).folder)
    lessons = top / ".curator" / "lessons"
    if not os.access(top, os.X_OK) and exists(top):
        yield finding("project", f"you can't enter {top}", "Change its permissions.")
        return
    if why := git.complaint(top):
        fix = (
            f"If you trust that folder, run `{mend}`."
            if (mend := git.allow_command(top))
            else "Mend it: `git status` says the same."
        )
        yield finding("git", f"git can't read the repository in {top}: {why}; curator treats it as a plain folder", fix)
    for broken in install.broken_blocks(top):
        detail = f"{broken.file}:{broken.line}: {broken.reason.removesuffix(install.MEND).rstrip('. ')}"
        yield finding("blocks", detail, install.MEND)
    if lacks_driver(top):
        detail = f"{top}: .gitattributes says merge=curator for lesson files, but this clone has no such driver"
        yield finding("merging", f"{detail}, so git merges them by lines", "Run `curator install git`.")
    if not exists(lessons):
        yield Check(check="project", detail=f"{top}: no lesson files yet")
        return
    yield from check_lesson_files(lessons, known)


def check_lesson_files(lessons: Path, known: Container[str] | None) -> Iterator[Check]:
    """Yield the state of a folder of lesson files: see ``check_project``."""
    try:
        found = lesson_files.read(lessons, {}, project="")
    except CuratorError as error:
        yield failed_check("project", error)
        return
    fix = "Fix the file, then run `curator import`. curator does not change it."
    for item in found.refusals[:MAX_LISTED]:
        yield finding("project", f"{lessons / item.file}:{item.line}: {item.reason}", fix)
    if len(found.refusals) > MAX_LISTED:
        more = f"{pluralize(len(found.refusals) - MAX_LISTED, 'more file')} in {lessons} can't be read"
        yield finding("project", more, "`curator import` lists them all.")
    if not os.access(lessons, os.W_OK):
        yield finding(
            "project",
            f"{lessons} can't be written",
            "Change its permissions so that you can write there, or set export = false.",
        )
    if found.entries and known is not None and not any(one.id in known for one in found.entries.values()):
        detail = f"{lessons}: {pluralize(len(found.entries), 'lesson')}, none of them in the database"
        fix = "Run `curator import` to add them, or `curator restore` to get an old database back."
        yield finding("project", detail, fix)
    ignored = git.ask(lessons, "check-ignore", "-q", "x.md") is not None
    note = "; git ignores them, so your colleagues do not get them" if ignored else ""
    retired = sum(entry.state is State.RETIRED for entry in found.entries.values())
    retirements = f" and {retired:,} retired" if retired else ""
    yield Check(check="project", detail=f"{lessons}: {pluralize(len(found.entries) - retired, 'lesson')}{retirements}{note}")


def check_agent(
    format_: Format, sources: Mapping[str, Source], quote_files: Container[str], home: Path, env: Mapping[str, str]
) -> Iterator[Check]:
    """Yield the state of one agent's transcripts: their folders, their number, how many were read, and unknown records."""
    agent = format_.agent
    try:
        places = list(dict.fromkeys(format_.roots(home, env)))
        known = {Path(path): agent for path in sources}
        found = discover.find([format_], None, home, env, known)
    except Exception as error:  # a plugin's bug is a finding, not the end of the examination
        yield finding("places", f"the search failed: {error!r}", "Update its plugin.", agent)
        return
    there = [place for place in places if exists(place)]
    unread = {str(item.path) for item in found.transcripts} - sources.keys()
    files = len(unread) + sum(exists(path) for path in sources)
    for unreadable in found.errors[:MAX_LISTED]:
        yield finding("places", unreadable, MAKE_READABLE, agent)
    yield from check_records(agent, sources, quote_files)
    yield from check_errors(agent, sources)
    yield Check(check="transcripts", agent=agent, detail=summary(there, places, files, len(unread), sources))


def summary(there: Sequence[Path], places: Sequence[Path], files: int, unread: int, sources: Mapping[str, Source]) -> str:
    """Return an agent in one line."""
    if not there and not sources:
        return f"nothing at {name_folders(places)}"
    parts = [pluralize(files, "file"), pluralize(sum(source.sessions for source in sources.values()), "session")]
    parts.append(pluralize(sum(source.turns for source in sources.values()), "turn"))
    if unread:
        parts.append(f"{pluralize(unread, 'file')} not read yet")
    if sources:
        parts.append(f"last read {clock.iso(max(source.read_at for source in sources.values()))}")
    unknown = unknown_types(sources.values())
    if unknown:
        parts.append(
            "records without a turn " + ", ".join(f"{kind} ×{count}" for kind, count in unknown.most_common(MAX_LISTED))
        )
    return f"{', '.join(parts)}; in {name_folders(there)}"


def name_folders(places: Sequence[Path]) -> str:
    """Return the names of some folders. `curator where` names them all."""
    if not places:
        return "other folders"
    more = f" and {pluralize(len(places) - 2, 'other place')}" if len(places) > 2 else ""
    return f"{', '.join(map(str, places[:2]))}{more}"


def unknown_types(sources: Iterable[Source]) -> Counter[str]:
    """Record types that a format does not know, with their counts."""
    return sum((Counter(json.loads(source.unknown)) for source in sources), Counter[str]())


def check_records(agent: str, sources: Mapping[str, Source], quote_files: Container[str]) -> Iterator[Check]:
    """Yield a finding if an agent has probably changed its format. Unknown records are a problem only if their transcripts give
    no cards.
    """
    unknown, turns = unknown_types(sources.values()), sum(source.turns for source in sources.values())
    if unknown.total() > UNKNOWN_FORMAT_SHARE * turns:
        kinds = ", ".join(f"{kind} ×{count}" for kind, count in unknown.most_common(MAX_LISTED))
        detail = f"{pluralize(unknown.total(), 'record')} gave no turn: {kinds}"
        strange = [path for path, source in sources.items() if unknown_types([source])]
        if any(shorten_home(path) in quote_files for path in strange):
            yield Check(check="records", agent=agent, detail=f"{detail}; skipped, and cards are still found")
            return
        fix = "The agent may be newer than curator. Update curator. It skips these records and reads all others."
        yield finding("records", detail, fix, agent)


def check_errors(agent: str, sources: Mapping[str, Source]) -> Iterator[Check]:
    """Yield a finding for each transcript whose last reading was incomplete. Deleted transcripts do not count."""
    failures = [source for path, source in sources.items() if source.error and discover.is_regular(Path(path))]
    fix = "curator read the rest of the file. Look at that line. `curator scan` reads the file again when it changes."
    for source in failures[:MAX_LISTED]:
        yield finding("errors", source.error, fix, agent)
    if len(failures) > MAX_LISTED:
        yield finding("errors", f"{pluralize(len(failures) - MAX_LISTED, 'more transcript')} had errors", fix, agent)
