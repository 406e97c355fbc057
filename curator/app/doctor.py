"""``curator doctor``: look at everything that curator stands on, and change nothing.

That is why a database of an older version is not read further: to open it would bring it up to date.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from os.path import exists  # that of Path raises where a folder may not be entered
from pathlib import Path

from curator import clock, plugins, projects
from curator.app.checks import Check, fault
from curator.app.scan import STRANGE
from curator.errors import CuratorError
from curator.hookspecs import Format
from curator.io import files, git
from curator.keymap import keymap
from curator.model import State
from curator.settings import DAY, Settings, default_home
from curator.store import Store, backups, file
from curator.store.file import RECOVER
from curator.store.schema import SCHEMA_VERSION, examined
from curator.store.sources import Source
from curator.text.words import counted
from curator.transcripts.base import discover

RECENT = 7 * DAY
FEW = 5


def examine(
    load: Callable[[], Settings],
    folder: Path,
    env: Mapping[str, str] = os.environ,
    themes: Iterable[str] = (),
    *,
    ask: bool = False,
) -> Iterator[Check]:
    """Look at settings, database, log, git, the project of ``folder``, and each agent's transcripts; never raises.

    ``load`` reads the settings; where that fails, the rest is looked at with the defaults. ``themes`` are those that there are.
    ``ask`` has the distiller read a session that is made up.
    """
    try:
        settings = load()
        yield from of_settings(settings, tuple(themes))
    except CuratorError as error:
        settings = Settings(home=default_home(env))
        yield fault("settings", error)
    sources, found = of_database(settings)
    yield found
    yield from of_distiller(settings, ask=ask)
    yield from of_backups(settings)
    yield from of_index(settings)
    yield of_log(settings)
    yield of_git()
    yield from of_project(folder)
    here = {"PWD": str(folder)} if os.access(folder, os.R_OK | os.X_OK) else {}
    yield from of_agents(sources, Path.home(), {**env, **here})
    yield from of_hooks(folder, env)


def of_settings(settings: Settings, themes: Sequence[str]) -> Iterator[Check]:
    """Whether the settings mean something: the types are right already."""
    where = settings.file
    if themes and settings.theme and settings.theme not in themes:
        fix = f"Themes are: {', '.join(sorted(themes))}."
        yield Check(check="settings", ok=False, detail=f"{where}: there is no theme {settings.theme!r}", fix=fix)
    try:
        keymap(settings.keys)
    except CuratorError as error:
        yield fault("settings", CuratorError(f"{where}: {error.message}", error.hint))
    yield Check(check="settings", detail=f"{where}{'' if exists(where) else ': none, the defaults hold'}")


def of_database(settings: Settings) -> tuple[Mapping[str, Source], Check]:
    """What is remembered of transcripts, and whether the database is whole. None is made where there is none."""
    path = settings.database
    try:
        if file.identity(path) is None:
            backups.refuse(path)
            return {}, Check(check="database", detail=f"{path}: none yet; the first scan makes it")
        sound = examined(path)
        if sound.faults:
            return {}, Check(check="database", ok=False, detail=f"{path} is damaged: {'; '.join(sound.faults)}", fix=RECOVER)
        if sound.unreadable:
            detail = f"{path}: {counted(len(sound.unreadable), 'row')} left out, since they make no sense: "
            return {}, Check(check="database", ok=False, detail=detail + ", ".join(sound.unreadable[:FEW]), fix=RECOVER)
        if sound.version < SCHEMA_VERSION:
            detail = f"{path}: whole, of an older version; the next command copies it and brings it up to date"
            return {}, Check(check="database", detail=detail)
        with closing(Store(path)) as store:
            if store.newer:
                fix = "Update curator, or set CURATOR_HOME to another folder."
                return {}, Check(check="database", ok=False, detail=store.newer, fix=fix)
            sources = store.sources.followed()
    except CuratorError as error:
        return {}, fault("database", error)
    except OSError as error:
        fix = "Give yourself the right to read it."
        return {}, Check(check="database", ok=False, detail=f"{path}: {error.strerror}", fix=fix)
    return sources, Check(check="database", detail=f"{path}: whole, {path.stat().st_size / 1e6:.1f} MB")


def of_distiller(settings: Settings, *, ask: bool) -> Iterator[Check]:
    """The model that reads sessions, where one is set: whether it can be asked, and with ``ask`` what it answers."""
    if not settings.distiller:
        return
    from curator.app import distill

    try:
        tried = distill.tried(settings) if ask else None
        name, model = distill.make(settings)
    except CuratorError as error:
        yield fault("distiller", error)
        return
    if tried is None:
        detail = f"{name}: {model.model}; `curator doctor --ask` has it read a session that is made up, about 800 tokens"
    else:
        cost = f", {tried.cost:.4g} at the price that is set" if tried.cost else ""
        detail = (
            f"{name}: {model.model} named {tried.lessons} of 1 lesson; {tried.tokens:,} tokens, {tried.seconds:.1f} s{cost}"
        )
    yield Check(check="distiller", detail=detail)


def of_backups(settings: Settings) -> Iterator[Check]:
    """The backups, if any: the day's first verdict makes one."""
    try:
        kept = backups.found(settings.database)
    except OSError as error:
        where = backups.folder(settings.database)
        yield Check(check="backups", ok=False, detail=f"{where}: {error.strerror}", fix="Give yourself the right to read it.")
        return
    if kept:
        days = ", ".join(map(backups.day_of, kept))
        yield Check(
            check="backups", detail=f"{backups.folder(settings.database)}: {days}; `curator restore` says what each has"
        )


def of_index(settings: Settings) -> Iterator[Check]:
    """The indexes of symbols, if any: one that is out of date or damaged is no problem, since it is a copy of the code."""
    folder = settings.cache / "symbols"
    try:
        sizes = [path.stat().st_size for path in folder.glob("*.db")]
    except OSError:
        return
    if sizes:
        many = counted(len(sizes), "index", "indexes")
        detail = f"{folder}: {many} of symbols, {sum(sizes) / 1e6:.1f} MB; made anew whenever they are out of date"
        yield Check(check="index", detail=detail)


def of_log(settings: Settings) -> Check:
    """Whether the log can be written, and what went wrong lately."""
    path = settings.log
    place = path if exists(path) else settings.home if exists(settings.home) else settings.home.parent
    if exists(place) and not os.access(place, os.W_OK):
        return Check(check="log", ok=False, detail=f"{path} can't be written", fix="Give yourself the right to write there.")
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if exists(path) else []
        fresh = exists(path) and clock.now() - path.stat().st_mtime < RECENT
    except OSError as error:
        return Check(check="log", ok=False, detail=f"{path}: {error.strerror}", fix="Give yourself the right to read it.")
    errors = [line for line in lines if " ERROR " in line]
    if errors and fresh:
        detail = f"{path}: {counted(len(errors), 'error')}, the last: {errors[-1][:200]}"
        return Check(
            check="log", ok=False, detail=detail, fix="Please report it with these lines; then the log may be deleted."
        )
    return Check(check="log", detail=f"{path}: no errors lately")


def of_git() -> Check:
    """Whether there is a git: it tells projects apart and notices stale lessons."""
    if files.find_program("git") is None:
        fix = "Install git: without it a project is its folder, and no lesson becomes stale."
        return Check(check="git", ok=False, detail="there is no git in PATH", fix=fix)
    return Check(check="git", detail=(git.ask(os.curdir, "--version") or "present").strip())


def of_project(folder: Path) -> Iterator[Check]:
    """The lesson files of the project around a folder: whether each can be read, and whether git takes them along."""
    from curator import lesson_files
    from curator.app import install
    from curator.lesson_files.git_setup import undriven

    top = Path(projects.identify(str(folder)).folder)
    lessons = top / ".curator" / "lessons"
    if not os.access(top, os.X_OK) and exists(top):
        yield Check(check="project", ok=False, detail=f"{top} can't be entered", fix="Give yourself the right to.")
        return
    for broken in install.broken(top):
        detail = f"{broken.file}:{broken.line}: {broken.reason.removesuffix(install.MEND).rstrip('. ')}"
        yield Check(check="blocks", ok=False, detail=detail, fix=install.MEND)
    if undriven(top):
        detail = f"{top}: .gitattributes says merge=curator for lesson files, but this clone has no such driver"
        yield Check(check="merging", ok=False, detail=f"{detail}: git merges them by lines", fix="Run `curator install git`.")
    if not exists(lessons):
        yield Check(check="project", detail=f"{top}: no lessons on file yet")
        return
    try:
        found = lesson_files.read(lessons, {}, project="")
    except CuratorError as error:
        yield fault("project", error)
        return
    fix = "Mend the file, then run `curator import`; it is left as it is."
    for item in found.refused[:FEW]:
        yield Check(check="project", ok=False, detail=f"{lessons / item.file}:{item.line}: {item.reason}", fix=fix)
    if len(found.refused) > FEW:
        more = f"{counted(len(found.refused) - FEW, 'more file')} in {lessons} can't be read"
        yield Check(check="project", ok=False, detail=more, fix="`curator import` names them all.")
    if not os.access(lessons, os.W_OK):
        fix = "Give yourself the right to write there, or set export = false."
        yield Check(check="project", ok=False, detail=f"{lessons} can't be written", fix=fix)
    ignored = git.ask(top, "check-ignore", "-q", ".curator/lessons/x.md") is not None
    note = "; git ignores them, so nobody else gets them" if ignored else ""
    retired = sum(entry.state is State.RETIRED for entry in found.entries.values())
    retirements = f" and {retired:,} retired" if retired else ""
    yield Check(check="project", detail=f"{lessons}: {counted(len(found.entries) - retired, 'lesson')}{retirements}{note}")


def of_agents(sources: Mapping[str, Source], home: Path, env: Mapping[str, str]) -> Iterator[Check]:
    """Each agent's transcripts: where they are looked for, how many there are and were read, what was not understood."""
    for format_ in plugins.formats():
        mine = {path: source for path, source in sources.items() if source.agent == format_.agent}
        yield from of_agent(format_, mine, home, env)


def of_agent(format_: Format, sources: Mapping[str, Source], home: Path, env: Mapping[str, str]) -> Iterator[Check]:
    """One agent's places, transcripts, and what went wrong with them."""
    agent = format_.agent
    try:
        places = list(dict.fromkeys(format_.roots(home, env)))
        known = {Path(path): agent for path in sources}
        found = discover.find([format_], None, home, env, known)
    except Exception as error:  # a plugin's bug is a finding, not the end of the examination
        yield Check(
            check="places", agent=agent, ok=False, detail=f"looking for them failed: {error!r}", fix="Update its plugin."
        )
        return
    there = [place for place in places if exists(place)]
    unread = {str(item.path) for item in found.found} - sources.keys()
    files = len(unread) + sum(exists(path) for path in sources)
    for unreadable in found.errors[:FEW]:
        yield Check(check="places", agent=agent, ok=False, detail=unreadable, fix="Give yourself the right to read it.")
    yield from of_records(agent, sources)
    yield from of_errors(agent, sources)
    yield Check(check="transcripts", agent=agent, detail=summary(there, places, files, len(unread), sources))


def of_hooks(folder: Path, env: Mapping[str, str]) -> Iterator[Check]:
    """Whether what was installed for agents works; nothing where nothing was."""
    from curator.app import doctor_hooks

    yield from doctor_hooks.examine(Path.home(), Path(projects.identify(str(folder)).folder), env)


def summary(there: Sequence[Path], places: Sequence[Path], files: int, unread: int, sources: Mapping[str, Source]) -> str:
    """An agent in one line."""
    if not there and not sources:
        return f"nothing at {listed(places)}"
    parts = [counted(files, "file"), counted(sum(source.sessions for source in sources.values()), "session")]
    parts.append(counted(sum(source.turns for source in sources.values()), "turn"))
    if unread:
        parts.append(f"{counted(unread, 'file')} not read yet")
    if sources:
        parts.append(f"last read {clock.iso(max(source.read_at for source in sources.values()))}")
    unknown = unknown_types(sources.values())
    if unknown:
        parts.append("unknown records " + ", ".join(f"{kind} ×{count}" for kind, count in unknown.most_common(FEW)))
    return f"{', '.join(parts)}; in {listed(there)}"


def listed(places: Sequence[Path]) -> str:
    """Some folders; `curator where` names them all."""
    if not places:
        return "other places than its own"
    more = f" and {counted(len(places) - 2, 'other place')}" if len(places) > 2 else ""
    return f"{', '.join(map(str, places[:2]))}{more}"


def unknown_types(sources: Iterable[Source]) -> Counter[str]:
    """Record types that a format does not know, with their counts."""
    return sum((Counter(json.loads(source.unknown)) for source in sources), Counter[str]())


def of_records(agent: str, sources: Mapping[str, Source]) -> Iterator[Check]:
    """Whether so much is unknown that the agent must have changed its format."""
    unknown, turns = unknown_types(sources.values()), sum(source.turns for source in sources.values())
    if unknown.total() > STRANGE * turns:
        kinds = ", ".join(f"{kind} ×{count}" for kind, count in unknown.most_common(FEW))
        fix = "The agent may be newer than this curator: update curator. These records are left out, all others are read."
        yield Check(
            check="records",
            agent=agent,
            ok=False,
            detail=f"{counted(unknown.total(), 'record')} of unknown types: {kinds}",
            fix=fix,
        )


def of_errors(agent: str, sources: Mapping[str, Source]) -> Iterator[Check]:
    """Transcripts that could not be read whole when they were last read; those that are gone since are no matter."""
    failed = [source for path, source in sources.items() if source.error and discover.is_regular(Path(path))]
    fix = "The rest of it was read. Look at that line; `curator scan` reads it again once it changes."
    for source in failed[:FEW]:
        yield Check(check="errors", agent=agent, ok=False, detail=source.error, fix=fix)
    if len(failed) > FEW:
        yield Check(
            check="errors", agent=agent, ok=False, detail=f"{counted(len(failed) - FEW, 'more transcript')} had errors", fix=fix
        )
