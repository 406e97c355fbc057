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
from curator.agents.install.catalog import AGENTS, BY_ID, Agent, RulesFileConfig
from curator.agents.install.line_edit import BlockUnderKey
from curator.agents.install.obstacles import PLUGIN, obstacles, plugin
from curator.agents.install.parts import Target, targets
from curator.agents.install.plan import Change, Receipts
from curator.agents.install.plan import Plan as Plan
from curator.app import agent_files, project_files
from curator.app.curator import Curator
from curator.errors import ConcurrentChange, CuratorError, MalformedFile, UsageError
from curator.lesson_files import Refusal
from curator.memories import Surroundings, discover, stores
from curator.model import Entry, Kind, Project, Query, State
from curator.settings import Settings
from curator.text.redact import clean

log = logging.getLogger(__name__)
IDS = tuple(agent.id for agent in AGENTS)
MEND = f"Leave one {managed_blocks.BEGIN} above the lessons and one {managed_blocks.END} below them, then run `curator export`."
MAX_READ_ATTEMPTS = 3
"""Maximum number of reads of a file that other programs write as well."""
MAX_BLOCK_FILE_BYTES = 1 << 20
"""Maximum bytes of a file for a block. A larger file contains more than a block."""
AIDER = BlockUnderKey("read", ".curator/aider.md", ".curator/aider.md", listed=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallRequest:
    """The parts to set up, and the person or project to set them up for. ``files`` is ``None`` to use files only if there is no
    better way.
    """

    hooks: bool = True
    mcp: bool = True
    files: bool | None = None
    memory: bool = False
    project: bool = False

    @property
    def kinds(self) -> frozenset[str]:
        """Return the kinds of targets in an agent's settings that this includes."""
        switches = {"hooks": self.hooks, "mcp": self.mcp}
        return frozenset(kind for kind, wish in switches.items() if wish)


def installing(curator: Curator, ids: Sequence[str], wish: InstallRequest, env: Mapping[str, str] = os.environ) -> Plan:
    """Return the plan that sets up these agents.

    Raises ``UsageError`` for an unknown agent, and ``MalformedFile`` for a file that can't be edited safely. After an error,
    nothing may be changed.
    """
    agents, home, top = agents_of(ids), Path.home(), top_of(curator)
    here = curator.here()
    lessons = active(curator, here) if here else []
    found: list[Target] = []
    notes: list[str] = []
    for agent in agents:
        own = [target for target in targets(agent, home, env, top if wish.project else None) if target.kind in wish.kinds]
        by_plugin = None if wish.project else plugin(agent.id, home, env)
        if own and by_plugin:
            own = []
            notes.append(
                f"{agent.id}: {by_plugin} has the plugin {PLUGIN}, which brings hooks and the server, so curator set up "
                f"neither. To have them in your settings, remove the plugin first."
            )
        if agent.files and (wish.files or (wish.files is None and not agent.hooks)):
            own += file_targets(agent, top, lessons)
            notes += missing_block_reasons(agent, top)
        if wish.memory:
            reason = memory_obstacle(agent, env)
            own += () if reason else memory_targets(agent, top, without_notes(curator, agent, here, lessons), env)
            notes += [f"{agent.id}: {reason}"] if reason else []
        if not own and not by_plugin:
            notes.append(f"{agent.id}: curator can set up nothing {'in a project' if wish.project else 'like this'}.")
        reasons = obstacles(agent.id, home, env, top) if agent.hooks and wish.hooks else ()
        notes += [f"{agent.id}: its hooks won't run: {it}." for it in reasons]
        found += own
    receipts = Receipts(curator.settings.home)
    plan = plans.installing(found, receipts)
    moves = [plans.uninstalling(leftovers(agent, top, receipts), [agent.id], receipts) for agent in agents]
    changed = {change.path for change in plan.changes}
    touched: dict[str, set[str]] = {}
    for it in (it for path, group in plans.group_by_file(found).items() if path in changed for it in group):
        touched.setdefault(it.agent, set()).add(it.kind)
    next_steps = [f"{agent.id}: {next_step(agent, kinds, wish)}" for agent in agents if (kinds := touched.get(agent.id))]
    return replace(
        plan,
        changes=(*plan.changes, *(change for one in moves for change in one.changes)),
        notes=(*notes, *plan.notes, *(note for one in moves for note in one.notes), *next_steps),
        records={**plan.records, **{path: record for one in moves for path, record in one.records.items()}},
    )


def next_step(agent: Agent, kinds: Container[str], wish: InstallRequest) -> str:
    """Return the next step for a person after these kinds of parts are set up."""
    then = agent.after_hooks if agent.after_hooks and "hooks" in kinds else agent.then
    return f"{agent.after_server} {then}" if agent.after_server and "mcp" in kinds and not wish.project else then


def uninstalling(curator: Curator, ids: Sequence[str], env: Mapping[str, str] = os.environ, *, project: bool = False) -> Plan:
    """Return the plan that removes curator from these agents, for the person and ``project``, or only for the project.

    Raises as ``installing``.
    """
    agents, home, top = agents_of(ids), Path.home(), top_of(curator)
    found: list[Target] = []
    receipts = Receipts(curator.settings.home)
    for agent in agents:
        found += [*(() if project else targets(agent, home, env, None)), *targets(agent, home, env, top)]
        found += [*file_targets(agent, top, ()), *leftovers(agent, top, receipts)] if agent.files else []
        found += unused_rules_files(agent, top, [target.path for target in found])
        found += [] if project else memory_targets(agent, top, (), env)
    plan = plans.uninstalling(found, ids, receipts)
    if project:
        return plan
    here = {str(path) for path in plans.group_by_file(filter(plans.reachable, found))}
    away = [path for path, receipt in receipts.all.items() if path not in here and set(receipt.agents) & set(ids)]
    return replace(plan, notes=(*plan.notes, *(f"{path} belongs to another project. Run this there, too." for path in away)))


def carry_out(curator: Curator, plan: Plan) -> None:
    """Make backups, write and record the plan, then read the changed agent files. Raises ``CuratorError``."""
    plans.carry_out(plan, Receipts(curator.settings.home))
    if here := curator.here():
        agent_files.refresh(curator, here)


def has_backups(settings: Settings) -> bool:
    """Return whether copies of files from before are kept."""
    return any(receipt.backup for receipt in Receipts(settings.home).all.values())


def diffs(plan: Plan) -> Iterator[str]:
    """Return the diffs, with masked secrets in the lines around curator's entries."""
    lines = "\n".join(plan.lines)
    return iter(clean(lines).split("\n") if lines else ())


def refresh(curator: Curator, ids: Iterable[str]) -> list[Refusal]:
    """Update the blocks in these projects' files, and the known repetitions: see ``agent_files``.

    Returns the files that it skipped because their markers are broken. Raises ``CuratorError`` for the first file that it can't
    write, after it has updated the other projects.
    """
    known, here = curator.projects(), curator.here()
    failures: list[CuratorError] = []
    refusals: list[Refusal] = []
    for id_ in ids:
        project = here if here and here.id == id_ else known.get(id_)
        try:
            if project and Path(project.folder).is_dir():
                refresh_blocks(curator, project)
                agent_files.refresh(curator, project)
                refusals += broken_blocks(Path(project.folder))
        except CuratorError as error:
            failures.append(error)
    for item in refusals:
        log.warning("%s:%d: %s", item.file, item.line, item.reason)
    if failures:
        raise failures[0]
    return refusals


def refresh_blocks(curator: Curator, project: Project) -> tuple[Path, ...]:
    """Write today's lessons into the blocks and rules files that a project already has. Return the changed files.

    A file with broken markers stays unchanged: see ``broken``. Raises ``CuratorError`` for a file that it can't write. Two
    windows often write the same file after one decision, so the later one reads it again.
    """
    for _ in range(MAX_READ_ATTEMPTS - 1):
        with suppress(ConcurrentChange):
            return _refresh_blocks(curator, project)
    return _refresh_blocks(curator, project)


def _refresh_blocks(curator: Curator, project: Project) -> tuple[Path, ...]:
    top = Path(project.folder)
    receipts = Receipts(curator.settings.home)
    behind = {agent.id: [*leftovers(agent, top, receipts)] for agent in AGENTS}
    firsts = [first for agent in AGENTS for first in [next(file_targets(agent, top, ()), None)] if first]
    env = curator.environment
    remembering = [agent for agent in AGENTS if any(map(has_block, memory_targets(agent, top, (), env)))]
    if not any(behind.values()) and not any(map(has_block, firsts)) and not remembering:
        return ()  # reading all lessons for it would be in vain
    lessons = active(curator, project)
    found: list[Target] = []
    moving = set[Path]()
    for agent in AGENTS:
        own = [target for target in file_targets(agent, top, lessons) if isinstance(target.part, managed_blocks.Block)]
        # A block that arrived through git has no recorded agent: curator refreshes it and records none.
        ours = receipts.all.get(os.path.realpath(own[0].path)) if own else None
        if own and (behind[agent.id] or (has_block(own[0]) and (ours is None or agent.id in ours.agents))):
            found += [target for target in own if block_fault(target) is None]
            moving |= {Path(os.path.realpath(target.path)) for target in own if behind[agent.id]}
            unused = unused_rules_files(agent, top, [it.path for it in own])
            behind[agent.id] += [target for target in unused if block_fault(target) is None]
    for agent in remembering:  # the index is the agent's: a line that it took out stays out
        own = [*memory_targets(agent, top, without_notes(curator, agent, project, lessons), env)]
        found += [target for target in own if has_block(target) and block_fault(target) is None]
    plan = plans.installing(found, receipts)
    targets = [
        change if change.before is None or str(change.path) in receipts.all or change.path in moving else without_record(change)
        for change in plan.changes
    ]
    plans.carry_out(Plan(tuple(targets)), receipts)
    changes = [*plan.changes]
    for id_, obsolete in behind.items():
        less = plans.uninstalling(obsolete, [id_], receipts)
        plans.carry_out(less, receipts)
        changes += less.changes
    return tuple(change.path for change in changes)


def broken_blocks(top: Path) -> list[Refusal]:
    """Return the files of a project whose block can't be refreshed, with the place and the remedy. Their markers are broken or
    doubled.
    """
    faults: dict[str, MalformedFile] = {}
    for agent in AGENTS:
        for target in (*file_targets(agent, top, ()), *unused_rules_files(agent, top, ())):
            if isinstance(target.part, managed_blocks.Block) and (error := block_fault(target)):
                faults.setdefault(os.path.realpath(target.path), error)
    return [Refusal(it.file, it.line, f"{it.reason}, so agents still read old lessons. {MEND}") for it in faults.values()]


def without_record(change: Change) -> Change:
    """Return the same change without its undo record."""
    return replace(change, receipt=None, pristine=False)


def agents_of(ids: Sequence[str]) -> list[Agent]:
    """Return the agents of these ids, each once. Raises ``UsageError``."""
    for name in ids:
        if name not in BY_ID:
            raise UsageError(f"curator knows no agent {name!r}.", f"Agents are: {', '.join(IDS)}.")
    return [BY_ID[name] for name in dict.fromkeys(ids)]


def top_of(curator: Curator) -> Path:
    """Return the folder of the project that is meant. Raises ``CuratorError`` without one."""
    here = curator.here()
    folder = here.folder if here else projects.identify(curator.cwd or os.curdir).folder
    if not folder:
        raise CuratorError("This folder is not a project.", "Go to a project's folder, or name one with --project.")
    return Path(folder)


def active(curator: Curator, project: Project) -> list[Entry]:
    """Return the active lessons of a project that curator may send, best first: most often stated, then newest."""
    kept = [*curator.lessons.entries(Query(project=project.id, shared=True, states=(State.ACTIVE,)))]
    copies = {id_ for entry in kept if entry.proposal for id_ in entry.proposal.copies}
    entries = [entry for entry in kept if (not entry.waits or doubtful(entry)) and entry.id not in copies]
    entries = [*project_files.for_files(entries, lambda: curator.tops(project))[0].values()]
    return sorted(entries, key=lambda entry: (-entry.times_stated, -entry.created, entry.id))


def block_lines(curator: Curator, project: Project) -> tuple[str, ...]:
    """Return the lines of the block in an agent's file of the project."""
    (block,) = managed_blocks.files(RulesFileConfig(block="AGENTS.md"), active(curator, project)).values()
    return block.lines


def doubtful(entry: Entry) -> bool:
    """Return whether a lesson is stale only because its code was edited. curator sends it with a note until a person
    decides.
    """
    return entry.kind is Kind.STALE and not any(finding.grave for finding in entry.findings)


def file_targets(agent: Agent, top: Path, lessons: Iterable[Entry]) -> Iterator[Target]:
    """Yield the files of an agent in a project, with their new content."""
    filing = agent.files
    if filing is None:
        return
    for name, block in managed_blocks.files(filing, lessons).items():
        if name := block_file(filing, top) if name == filing.block else name:
            yield Target(agent=agent.id, kind="files", path=block_path(top, name), part=block, root=top)
    if filing.front == "aider":
        yield Target(agent=agent.id, kind="files", path=top / ".aider.conf.yml", part=AIDER, root=top)


def memory_targets(agent: Agent, top: Path, lessons: Iterable[Entry], env: Mapping[str, str]) -> Iterator[Target]:
    """Yield curator's note in an agent's memory for a project, and its line in the index. Qwen Code makes its index itself."""
    if agent.memory is None:
        return
    place = replace(agent.memory, file=agent.memory.file.format(discover.slug(os.path.realpath(top))))
    path = place.path(Path.home(), env, None)
    assert path is not None
    (block,) = managed_blocks.files(RulesFileConfig(block=path.name), lessons).values()
    front = managed_blocks.FRONTS["memory"](())
    yield Target(agent=agent.id, kind="memory", path=path, part=replace(block, front=front))
    if path.parent.name == "memory":
        yield Target(agent=agent.id, kind="memory", path=path.with_name(stores.CLAUDE_INDEX), part=managed_blocks.IndexLine())


def memory_obstacle(agent: Agent, env: Mapping[str, str]) -> str:
    """Return the reason why curator writes no note into an agent's memory. Return an empty text if it does."""
    around = Surroundings(Path.home(), env)
    if agent.memory is None:
        return "curator can't write into its memory."
    if agent.id == "claude-code" and any(stores.claude_moved(home, around) for home in stores.claude_homes(around)):
        return "`autoMemoryDirectory` names one folder for the notes of all projects, so curator wrote no note."
    return ""


def without_notes(curator: Curator, agent: Agent, project: Project | None, lessons: Sequence[Entry]) -> list[Entry]:
    """Return the lessons that no note of the agent's own says."""
    known = curator.store.ranking_index.statements(project.id) if project else []
    noted = {id_ for id_, file in known if agent_files.is_note(file) and file.startswith(f"{agent.id}:")}
    return [entry for entry in lessons if entry.id not in noted]


def block_file(filing: RulesFileConfig, top: Path) -> str:
    """Return the file for an agent's block. Return an empty text if there is none.

    This is a file that the agent reads in this project. Otherwise it is a new file that hides no file of a person from the
    agent.
    """
    if written := [name for name in filing.first_of if has_words(top / name)]:
        return written[0]
    names = [name for name in (filing.block, filing.instead) if name]
    there = [name for name in names if (top / name).exists()]
    return next((name for name in (*there, *names) if name in there or not hidden_by(top, name)), "")


def has_words(path: Path) -> bool:
    """Return whether a file has text outside curator's block. A file that is too large for a block counts without being
    read.
    """
    try:
        if path.stat().st_size > MAX_BLOCK_FILE_BYTES:
            return path.is_file()
    except OSError:
        return False
    text = text_of(path)
    try:
        span = managed_blocks.find(text, str(path))
    except MalformedFile:
        return True
    return bool((text[: span[0]] + text[span[1] :] if span else text).strip())


def hidden_by(top: Path, name: str) -> dict[str, str]:
    """Return the files that agents would stop reading if a new file were made: agent → the file that it reads now."""
    chains = {agent.id: agent.files.first_of for agent in AGENTS if agent.files and name in agent.files.first_of}
    read = {id_: next((one for one in chain if has_words(top / one)), name) for id_, chain in chains.items()}
    return {id_: one for id_, one in read.items() if chains[id_].index(name) < chains[id_].index(one)}


def missing_block_reasons(agent: Agent, top: Path) -> Iterator[str]:
    """Yield the reason why an agent gets no block in a project. Yield nothing if it gets one."""
    if agent.files and agent.files.block and not block_file(agent.files, top):
        hidden = hidden_by(top, agent.files.block)
        whom, files = " and ".join(hidden), " and ".join(sorted({*hidden.values()}))
        yield (
            f"{agent.id}: {agent.files.block} was not written, because {whom} would then no longer read {files}. "
            f"Make {agent.files.block} yourself if you want that, then run this again."
        )


def leftovers(agent: Agent, top: Path, receipts: Receipts) -> Iterator[Target]:
    """Yield the files with an agent's old block, if its block is now in another file."""
    filing = agent.files
    if filing is None or not filing.block or not receipts.all:
        return
    for name in filter(None, dict.fromkeys((filing.block, *filing.first_of, filing.instead))):
        path = block_path(top, name)
        target = Target(agent=agent.id, kind="files", path=path, part=managed_blocks.Block(()), root=top)
        receipt = receipts.all.get(os.path.realpath(path))
        if receipt and agent.id in receipt.agents and has_block(target):
            now = block_file(filing, top)  # this comes last: it looks at the files of all agents
            if now and path != block_path(top, now):
                yield target


def block_path(top: Path, name: str) -> Path:
    """Return the path of a block. It follows an import of AGENTS.md, and goes into the file that already has the planned
    folder's name.
    """
    path = top / name
    if name == "CLAUDE.md" and any(row.strip() == "@AGENTS.md" for row in text_of(path).splitlines()):
        return top / "AGENTS.md"
    return path.parent if path.parent.name == ".clinerules" and path.parent.is_file() else path


def unused_rules_files(agent: Agent, top: Path, paths: Sequence[Path]) -> Iterator[Target]:
    """Return curator's rules files for paths that no lesson names any more."""
    if not agent.files or agent.files.front not in managed_blocks.FRONTS:
        return
    front = managed_blocks.FRONTS[agent.files.front]
    for name in sorted(glob.glob(managed_blocks.pattern_for_paths(agent.files.rules), root_dir=top)):
        path = top / name
        if path not in paths:
            text = text_of(path)
            head = text[: text.find(managed_blocks.BEGIN)] if managed_blocks.BEGIN in text else front(())
            yield Target(agent=agent.id, kind="files", path=path, part=managed_blocks.Block((), head), root=top)


def has_block(target: Target) -> bool:
    """Return whether a file has a block of curator, even a broken one."""
    try:
        return (
            isinstance(target.part, managed_blocks.Block)
            and managed_blocks.find(text_of(target.path), str(target.path)) is not None
        )
    except MalformedFile:
        return True


def block_fault(target: Target) -> MalformedFile | None:
    """Return the problem with a file that has a block of curator: its markers or its location."""
    try:
        if managed_blocks.find(text_of(target.path), str(target.path)) is not None and not plans.reachable(target):
            return MalformedFile(str(target.path), 1, "a link leads out of the project")
    except MalformedFile as error:
        return error
    return None


def text_of(path: Path) -> str:
    """Return a file's text, empty if there is none to be had."""
    try:
        return path.read_text(encoding="utf-8") if path.is_file() else ""
    except (OSError, UnicodeDecodeError):
        return ""
