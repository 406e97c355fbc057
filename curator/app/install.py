"""Set up agents and take that back: the table of agents joined with a project, its lessons and our folder."""

from __future__ import annotations

import glob
import logging
import os
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from curator import projects
from curator.agents import managed_blocks
from curator.agents.install import plan as plans
from curator.agents.install.catalog import AGENTS, BY_ID, Agent
from curator.agents.install.line_edit import Below
from curator.agents.install.obstacles import obstacles
from curator.agents.install.parts import Target, targets
from curator.agents.install.plan import Change, Plan, Receipts
from curator.app import agent_files, shareable
from curator.app.curator import Curator
from curator.errors import CuratorError, MalformedFile, Overtaken, UsageError
from curator.lesson_files import Refusal
from curator.model import Entry, Project, Query, State
from curator.settings import Settings
from curator.text.redact import clean

__all__ = [
    "IDS",
    "Plan",
    "Wish",
    "broken",
    "carry_out",
    "copies",
    "installing",
    "refresh",
    "refresh_blocks",
    "shown",
    "uninstalling",
]

log = logging.getLogger(__name__)

IDS = tuple(agent.id for agent in AGENTS)
MEND = f"Leave one {managed_blocks.BEGIN} above the lessons and one {managed_blocks.END} below them, then run `curator export`."
LOOKS = 3
"""So often a file that others write, too, is looked at."""
AIDER = Below("read", ".curator/aider.md", ".curator/aider.md", listed=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What is to be set up: parts, and whose files. ``files`` is ``None`` for: where there is nothing better."""

    hooks: bool = True
    mcp: bool = True
    files: bool | None = None
    project: bool = False


def installing(curator: Curator, ids: Sequence[str], wish: Wish, env: Mapping[str, str] = os.environ) -> Plan:
    """What it takes to set up these agents. Raises ``UsageError`` for an unknown one, ``MalformedFile`` for a file that can't
    be edited safely; then nothing is to be changed."""
    agents, home, top = known(ids), Path.home(), top_of(curator)
    here = curator.here()
    lessons = active(curator, here) if here else []
    found: list[Target] = []
    notes: list[str] = []
    for agent in agents:
        own = [
            target
            for target in targets(agent, home, env, top if wish.project else None)
            if (target.kind == "hooks" and wish.hooks) or (target.kind == "mcp" and wish.mcp)
        ]
        if agent.files and (wish.files or (wish.files is None and not agent.hooks)):
            own += file_targets(agent, top, lessons)
        if not own:
            notes.append(f"{agent.id}: nothing of it can be set up {'in a project' if wish.project else 'like this'}.")
        notes += [
            f"{agent.id}: hooks won't run: {it}." for it in obstacles(agent.id, home, env, top) if agent.hooks and wish.hooks
        ]
        found += own
    plan = plans.installing(found, Receipts(curator.settings.home))
    changed = {change.path for change in plan.changes}
    touched: dict[str, set[str]] = {}
    for it in (it for path, group in plans.grouped(found).items() if path in changed for it in group):
        touched.setdefault(it.agent, set()).add(it.kind)
    next_steps = [f"{agent.id}: {next_step(agent, kinds, wish)}" for agent in agents if (kinds := touched.get(agent.id))]
    return replace(plan, notes=(*notes, *plan.notes, *next_steps))


def next_step(agent: Agent, kinds: Container[str], wish: Wish) -> str:
    """What a person must do once these kinds of parts are set up."""
    then = agent.hooked if agent.hooked and "hooks" in kinds else agent.then
    return f"{agent.served} {then}" if agent.served and "mcp" in kinds and not wish.project else then


def uninstalling(curator: Curator, ids: Sequence[str], env: Mapping[str, str] = os.environ, *, project: bool = False) -> Plan:
    """What it takes to have nothing of ours with these agents, for the person and in this ``project``, or only in that.

    Raises as ``installing``.
    """
    agents, home, top = known(ids), Path.home(), top_of(curator)
    found: list[Target] = []
    for agent in agents:
        found += [*(() if project else targets(agent, home, env, None)), *targets(agent, home, env, top)]
        found += file_targets(agent, top, ()) if agent.files else []
        found += stale(agent, top, [target.path for target in found])
    receipts = Receipts(curator.settings.home)
    plan = plans.uninstalling(found, ids, receipts)
    if project:
        return plan
    here = {str(path) for path in plans.grouped(filter(plans.reachable, found))}
    away = [path for path, receipt in receipts.all.items() if path not in here and set(receipt.agents) & set(ids)]
    return replace(plan, notes=(*plan.notes, *(f"{path} is of another project: run this there, too." for path in away)))


def carry_out(settings: Settings, plan: Plan) -> None:
    """Back up, write and record. Raises ``CuratorError``."""
    plans.carry_out(plan, Receipts(settings.home))


def copies(settings: Settings) -> bool:
    """Whether copies of files from before are kept."""
    return any(receipt.backup for receipt in Receipts(settings.home).all.values())


def shown(plan: Plan) -> Iterator[str]:
    """The diffs, with secrets masked that stand beside what is ours."""
    lines = "\n".join(plan.lines)
    return iter(clean(lines).split("\n") if lines else ())


def refresh(curator: Curator, ids: Iterable[str]) -> list[Refusal]:
    """Bring up to date what files of these projects say to agents, and what we know of it: see ``agent_files``.

    Returns the files that were left alone, since their markers are broken. Raises ``CuratorError`` for the first file that
    can't be written, once the other projects are done.
    """
    known, here = curator.projects(), curator.here()
    failed: list[CuratorError] = []
    refused: list[Refusal] = []
    for id_ in ids:
        project = here if here and here.id == id_ else known.get(id_)
        try:
            if project and Path(project.folder).is_dir():
                refresh_blocks(curator, project)
                agent_files.refresh(curator, project)
                refused += broken(Path(project.folder))
        except CuratorError as error:
            failed.append(error)
    for item in refused:
        log.warning("%s:%d: %s", item.file, item.line, item.reason)
    if failed:
        raise failed[0]
    return refused


def refresh_blocks(curator: Curator, project: Project) -> tuple[Path, ...]:
    """Write the lessons of today into the blocks and rules files that are in a project already. Returns what changed.

    A file whose markers are broken is left alone: see ``broken``. Raises ``CuratorError`` for one that can't be written. Two
    windows often write the same file for the same verdict: who comes late looks again.
    """
    for _ in range(LOOKS - 1):
        with suppress(Overtaken):
            return _refresh_blocks(curator, project)
    return _refresh_blocks(curator, project)


def _refresh_blocks(curator: Curator, project: Project) -> tuple[Path, ...]:
    top = Path(project.folder)
    if not any(has_block(first) for agent in AGENTS for first in [next(file_targets(agent, top, ()), None)] if first):
        return ()  # reading all lessons for it would be in vain
    lessons = active(curator, project)
    receipts = Receipts(curator.settings.home)
    found: list[Target] = []
    obsolete: list[Target] = []
    for agent in AGENTS:
        own = [target for target in file_targets(agent, top, lessons) if isinstance(target.part, managed_blocks.Block)]
        # A block that came by git is nobody's here: it is refreshed, and its agents stay unrecorded.
        ours = receipts.all.get(os.path.realpath(own[0].path)) if own else None
        if own and has_block(own[0]) and (ours is None or agent.id in ours.agents):
            found += [target for target in own if fault(target) is None]
            obsolete += [target for target in stale(agent, top, [it.path for it in own]) if fault(target) is None]
    plan = plans.installing(found, receipts)
    kept = [
        change if change.before is None or str(change.path) in receipts.all else unrecorded(change) for change in plan.changes
    ]
    less = plans.uninstalling(obsolete, IDS, receipts)
    plans.carry_out(Plan(tuple(kept)), receipts)
    plans.carry_out(less, receipts)
    return tuple(change.path for change in (*plan.changes, *less.changes))


def broken(top: Path) -> list[Refusal]:
    """Files in a project whose block can't be refreshed, since its markers are broken or doubled: where, and what to do."""
    found: dict[str, Target] = {}
    for agent in AGENTS:
        for target in (*file_targets(agent, top, ()), *stale(agent, top, ())):
            if isinstance(target.part, managed_blocks.Block):
                found.setdefault(os.path.realpath(target.path), target)
    faults = [error for target in found.values() if (error := fault(target))]
    return [Refusal(error.file, error.line, f"{error.reason}, so agents go on reading old lessons. {MEND}") for error in faults]


def unrecorded(change: Change) -> Change:
    """The same change, of which nothing is remembered."""
    return replace(change, receipt=None, pristine=False)


def known(ids: Sequence[str]) -> list[Agent]:
    """The agents of these ids, each once. Raises ``UsageError``."""
    for name in ids:
        if name not in BY_ID:
            raise UsageError(f"There is no agent {name!r} that curator knows.", f"Agents are: {', '.join(IDS)}.")
    return [BY_ID[name] for name in dict.fromkeys(ids)]


def top_of(curator: Curator) -> Path:
    """The folder of the project that is meant. Raises ``CuratorError`` without one."""
    here = curator.here()
    folder = here.folder if here else projects.identify(curator.cwd or os.curdir).folder
    if not folder:
        raise CuratorError("There is no project here.", "Go to its folder, or name it with --project.")
    return Path(folder)


def active(curator: Curator, project: Project) -> list[Entry]:
    """The lessons that hold in a project and may be sent, the best first: stated most often, then the newest."""
    kept = curator.lessons.entries(Query(project=project.id, shared=True, states=(State.ACTIVE,)))
    refused = curator.store.ranking_index.refused()
    entries = [entry for entry in kept if not entry.waits and entry.id not in refused]
    entries = [*shareable.for_files(entries, lambda: curator.tops(project))[0].values()]
    return sorted(entries, key=lambda entry: (-entry.seen, -entry.created, entry.id))


def file_targets(agent: Agent, top: Path, lessons: Iterable[Entry]) -> Iterator[Target]:
    """The files of an agent in a project, with what they are to hold."""
    filing = agent.files
    if filing is None:
        return
    for name, block in managed_blocks.files(filing, lessons).items():
        yield Target(agent=agent.id, kind="files", path=place(top, name), part=block, root=top)
    if filing.front == "aider":
        yield Target(agent=agent.id, kind="files", path=top / ".aider.conf.yml", part=AIDER, root=top)


def place(top: Path, name: str) -> Path:
    """Where a block goes: past an import of AGENTS.md into that, and into a file that stands where we wanted a folder."""
    path = top / name
    if name == "CLAUDE.md" and any(row.strip() == "@AGENTS.md" for row in text_of(path).splitlines()):
        return top / "AGENTS.md"
    return path.parent if path.parent.name == ".clinerules" and path.parent.is_file() else path


def stale(agent: Agent, top: Path, wanted: Sequence[Path]) -> Iterator[Target]:
    """Rules files of ours for paths that no lesson speaks of any more."""
    if not agent.files or agent.files.front not in managed_blocks.FRONTS:
        return
    front = managed_blocks.FRONTS[agent.files.front]
    for name in sorted(glob.glob(managed_blocks.scoped_pattern(agent.files.rules), root_dir=top)):
        path = top / name
        if path not in wanted:
            text = text_of(path)
            head = text[: text.find(managed_blocks.BEGIN)] if managed_blocks.BEGIN in text else front(())
            yield Target(agent=agent.id, kind="files", path=path, part=managed_blocks.Block((), head), root=top)


def has_block(target: Target) -> bool:
    """Whether a file holds a block of ours, be it broken."""
    try:
        return (
            isinstance(target.part, managed_blocks.Block)
            and managed_blocks.find(text_of(target.path), str(target.path)) is not None
        )
    except MalformedFile:
        return True


def fault(target: Target) -> MalformedFile | None:
    """What is wrong with a file that has a block of ours: with its markers, or with where it lies."""
    try:
        if managed_blocks.find(text_of(target.path), str(target.path)) is not None and not plans.reachable(target):
            return MalformedFile(str(target.path), 1, "a link leads out of the project")
    except MalformedFile as error:
        return error
    return None


def text_of(path: Path) -> str:
    """A file's text, empty if there is none to be had."""
    try:
        return path.read_text(encoding="utf-8") if path.is_file() else ""
    except (OSError, UnicodeDecodeError):
        return ""
