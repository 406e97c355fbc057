"""Class Curator: an open database seen from a project; it reads, decides, and starts what runs beside."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from curator import curate
from curator.app.verdicts import (
    Deed,
    Outcome,
    Verdicts,
    cleaned,
    gone,
    slug,
)
from curator.errors import CuratorError
from curator.model import FROM_FILE, Entry, Evidence, Finding, Line, Project, State, Verb
from curator.text import injection

if TYPE_CHECKING:
    from curator.app.carry_over import Transfer
    from curator.app.forget import Forgotten
    from curator.app.ingest import Scanned
    from curator.app.origins import Brought
    from curator.app.shareable import Tidied
    from curator.app.sync import Exchange
    from curator.lesson_files import Refusal

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Settled:
    """What a verdict's files brought, and what could not follow it. The verdict itself is stored, whatever stands here."""

    refused: tuple[Refusal, ...] = ()
    """Files that were left alone: lessons that can't be understood, agents' files with broken markers."""
    failures: tuple[CuratorError, ...] = ()
    """What went wrong on the way, each with what to do."""
    waiting: int = 0
    """Lessons that wait, since nobody here has accepted their repository."""
    conflicts: int = 0


@contextmanager
def _collected(failures: dict[str, CuratorError]) -> Iterator[None]:
    """Keep an error, each once, for whoever is told of all that followed."""
    try:
        yield
    except CuratorError as error:
        failures[str(error)] = error


class Curator(Verdicts):
    """An open database, seen from one project (or from all of them, where ``project`` is ``None``)."""

    def settle(self, ids: Sequence[str]) -> Settled:
        """What follows a verdict but need not be waited for: anchors of new lessons, files of those that changed, learning.

        Each step by itself: raises nothing for what fails there, since the verdict is stored.
        """
        from curator.app import conflicts, learning, outcomes, restore, sync

        failures: dict[str, CuratorError] = {}
        exchanges: list[Exchange] = []
        refused: list[Refusal] = []
        with _collected(failures):
            conflicts.noticed(self, ids)
        with _collected(failures):
            for exchange in sync.settled(self, ids):
                exchanges.append(exchange)
        with _collected(failures):
            learning.learn(self)
        with _collected(failures):
            outcomes.of_verdicts(self, ids)
        if self.settings.export:
            with _collected(failures):
                refused = self.refresh_blocks(self._reached(ids))
        with _collected(failures):
            restore.back_up(self)
        failures |= {str(error): error for one in exchanges for error in one.failures}
        return Settled(
            refused=(*(item for one in exchanges for item in one.refused), *refused),
            failures=tuple(failures.values()),
            waiting=sum(one.waiting for one in exchanges),
            conflicts=sum(len(one.conflicts) for one in exchanges),
        )

    def forget(self, ids: Sequence[str] = (), *, session: str = "") -> Forgotten:
        """Purge entries, or all of a session, with their evidence and history; only hashes stay, so that they never return.

        Agents' files of the projects are written anew without them, whether or not lessons are exported.
        """
        from curator.app import forget

        done = forget.forget(self, ids, session=session)
        try:
            held = [f"{item.file}:{item.line}: {item.reason}" for item in self.refresh_blocks(done.projects)]
        except CuratorError as error:
            held = [str(error)]
        return replace(done, warnings=(*done.warnings, *(f"An agent's file may still hold the text. {why}" for why in held)))

    def finish(self) -> list[str]:
        """Finish a ``forget`` that was stopped on its way; what could not go."""
        if not self.store.sources.removed():
            return []
        from curator.app import forget

        return forget.finish(self)

    def _reached(self, ids: Sequence[str]) -> frozenset[str]:
        """The projects whose agents may get it of a change of these lessons; all, where one is or has just been global."""
        from curator.app.forget import reached

        entries = [entry for id_ in ids if (entry := self.peek(id_))]
        last = [event for entry in entries for event in self.history(entry.id)[-1:]]
        once = [entry for entry, event in zip(entries, last, strict=False) if (event.before or {}).get("scope") == "global"]
        return reached(self, [*entries, *(replace(entry, scope="global") for entry in once)])

    def carry_over(self, *, verdicts: bool = True) -> Transfer:
        """Go on with the database that has taken this one's place, with or without the verdicts made here."""
        from curator.app.carry_over import carry

        return carry(self, verdicts=verdicts)

    def gone(self) -> bool:
        """Whether no database stands at the path any more."""
        from curator.app import carry_over

        return carry_over.gone(self)

    def verify(self) -> None:
        """Raise ``Replaced`` where the open database is no longer the one at its path."""
        self.store.verify()

    def lesson_files(self) -> int:
        """How many lesson files lie in the project at hand."""
        here = self.here()
        return sum(1 for _ in Path(here.folder, ".curator", "lessons").glob("*.md")) if here else 0

    def verdicts_here(self) -> int:
        """How many verdicts were made through this and its forks since the database was opened."""
        return len(self.store.batches)

    def embed(self) -> int:
        """Compute the vectors that lessons lack, where an embedder is set: see ``embeddings.refresh``."""
        from curator.app import embeddings

        return embeddings.refresh(self)

    def own_files(self, paths: Sequence[str]) -> list[str]:
        """Files as a lesson names them, relative to the project. Raises ``CuratorError`` for one outside it."""
        from curator import projects

        here = self.here()
        return [projects.inside(here.folder, path) for path in paths] if here else list(paths)

    def own_paths(self, paths: Sequence[str], project: str = "") -> tuple[str, ...]:
        """Where a lesson of a project (this one, or that with the id) may hold: folders and patterns relative to its folder.

        Raises ``CuratorError`` for one outside it: it would hold nowhere, and its file would tell of somebody's machine.
        """
        from curator import projects

        found = [projects.relative_to([path], *self._places(project)) for path in paths]
        if () in found:
            raise CuratorError(
                f"{paths[found.index(())]} is no place in this project.", "Name folders or patterns relative to its folder."
            )
        return tuple(inner for one in found for inner in one)

    def folders(self, entry: Entry) -> tuple[str, ...]:
        """The folders of its project that an entry's files lie in, or such files at its top: where it may be said to hold."""
        from curator import projects

        inner = projects.relative_to(entry.files, *self._places(entry.project))
        return tuple(dict.fromkeys(path.rpartition("/")[0] or path for path in inner))

    def _places(self, project: str) -> list[str]:
        """Where a project lies (this one without an id), first of all the clone in which somebody stands."""
        here = self.here()
        at_hand = here if here is not None and project in ("", here.id) else self.projects().get(project)
        return self.tops(at_hand) if at_hand is not None else []

    def edit(self, id_: str, *, keep: bool = False, seconds: float | None = None, **fields: Any) -> Outcome:
        """Give an entry new words, category, scope, paths or files: see ``Verdicts.edit``.

        Raises ``CuratorError`` for paths outside its project.
        """
        if fields.get("paths"):
            fields["paths"] = self.own_paths(fields["paths"], self.find(id_).project)
        return super().edit(id_, keep=keep, seconds=seconds, **fields)

    def coexist(self, one: str, other: str, because: str, *, seconds: float | None = None) -> Outcome:
        """Let two lessons stand side by side for good; both files say so. A conflict between the two is settled by it."""
        pair = (self.find(one).id, self.find(other).id)
        because = " ".join(cleaned(because).split())
        if pair[0] == pair[1]:
            raise CuratorError(f"{pair[0]} always holds beside itself.", "Name another lesson.")

        def judge(entry: Entry, at: float) -> Iterable[Deed]:
            partner = self.find(pair[1] if entry.id == pair[0] else pair[0])
            if entry.state is State.OPEN and not (entry.rival and entry.rival.other == partner.id):
                raise CuratorError(f"{entry.id} is no lesson yet.", "Keep it first.")
            if entry.state not in (State.OPEN, State.ACTIVE):
                raise gone(entry)
            return [(Verb.COEXIST, curate.coexist(entry, partner, at, because, slug=slug(entry.headline)))]

        return self.decide(pair, judge, Verb.COEXIST, seconds)

    def orders(self, ids: Sequence[str]) -> set[str]:
        """Those of these entries that give orders to an agent."""
        entries = (entry for id_ in ids if (entry := self.peek(id_)))
        return {entry.id for entry in entries if injection.orders(f"{entry.headline}\n{entry.insight}")}

    def vouch(self, ids: Sequence[str], *, seconds: float | None = None) -> Outcome:
        """Let lessons be sent to agents whose words look like an attempt on them, as long as these words stand."""

        def judge(entry: Entry, at: float) -> Iterable[Deed]:
            if not injection.refused(entry):
                raise CuratorError(f"{entry.id} has nothing to vouch for.", "Only what is refused to agents needs it.")
            return [(Verb.VOUCH, curate.vouch(entry, at, injection.digest(entry)))]

        return self.decide(ids, judge, Verb.VOUCH, seconds)

    def share(self, id_: str, projects: Sequence[Project]) -> tuple[Outcome, tuple[Entry, ...]]:
        """Copy a lesson to other projects: see ``sharing.copy_to``."""
        from curator.app import sharing

        return sharing.copy_to(self, id_, projects)

    def unlearn(self) -> int:
        """Forget what verdicts taught: see ``learning.reset``."""
        from curator.app import learning

        return learning.reset(self)

    def forget_outcomes(self) -> int:
        """Let what came of telling lessons until now count no longer, in this project or all; returns how many outcomes."""
        with self.store.transaction():
            return self.store.deliveries.reset(project=self.scope)

    def export(self, folder: Path | None = None) -> Exchange:
        """Write every lesson's file, also those that somebody removed; bring agents' files up to date."""
        from curator.app import sync

        exchange = sync.sync(self, folder=folder, restore=True)
        if self.settings.export:
            exchange.refused.extend(self.refresh_blocks({self.project.id} if self.project else ()))
        return exchange

    def refresh_blocks(self, ids: Iterable[str]) -> list[Refusal]:
        """Bring up to date what files of these projects tell agents, and what we know of it: see ``install``, ``agent_files``.

        Returns the files that were left alone, since their markers are broken. Raises ``CuratorError`` for the first file that
        can't be written, once the other projects are done.
        """
        from curator.app import agent_files, install

        known, here = self.projects(), self.here()
        failed: list[CuratorError] = []
        refused: list[Refusal] = []
        for id_ in ids:
            project = here if here and here.id == id_ else known.get(id_)
            try:
                if project and Path(project.folder).is_dir():
                    install.refresh_blocks(self, project)
                    agent_files.refresh(self, project)
                    refused += install.broken(Path(project.folder))
            except CuratorError as error:
                failed.append(error)
        for item in refused:
            log.warning("%s:%d: %s", item.file, item.line, item.reason)
        if failed:
            raise failed[0]
        return refused

    def take_in(self, folder: Path | None = None) -> Exchange:
        """Bring in lesson files that are new or changed."""
        from curator.app import sync

        return sync.bring(self, folder)

    def accept_repository(self, folder: Path | None = None, *, of: str = "") -> tuple[Outcome, Exchange]:
        """Keep all that the lesson files of a folder bring, or that beside the file ``of`` a candidate, and take their changes
        from now on: see ``sync.accept``.
        """
        from curator.app import origins, sync

        if not of:
            return sync.accept(self, folder, keeper=self.keeper)
        project = self.projects()[self.find(of).project]
        return sync.accept(self, origins.folder_of_file(self, of), project, keeper=self.keeper)

    def revoke_repository(self, folder: Path | None = None) -> None:
        """Ask again about what a repository brings: see ``sync.revoke``."""
        from curator.app import sync

        sync.revoke(self, folder)

    def brought(self, of: str = "", *, folder: Path | None = None) -> Brought:
        """What waits of the lesson files of a folder, or of that with the file ``of`` a candidate; who committed it."""
        from curator.app import origins, sync

        where = origins.folder_of_file(self, of) if of else (folder or sync.folder_of(self)).absolute()
        return origins.brought(self, where) if where else origins.Brought(Path())

    def origin(self, entry: Entry) -> str:
        """Where a lesson comes from that waits because of its file: see ``origins.origin``."""
        if entry.signal != FROM_FILE:
            return ""
        from curator.app import origins

        return origins.origin(self, entry)

    def take_in_rules(self, folder: Path | None = None) -> Exchange:
        """Propose what stands in the rules files of agents: see ``rules_files.bring``."""
        from curator.app import rules_files

        return rules_files.bring(self, folder)

    def check(self, tell: Callable[[Tidied], None] = lambda tidied: None) -> list[Entry]:
        """Look at the code under every lesson of the project, or of all; returns those whose findings changed.

        Lessons that name places outside their project are cleaned, project by project, and ``tell`` hears of it: see ``tidy``.
        """
        from curator.app import staleness

        projects = [self.project] if self.project else self.projects().values()
        for project in projects:
            tell(self.tidy(project))
        return [entry for project in projects for entry in staleness.check(self, project)]

    def tidy(self, project: Project) -> Tidied:
        """Clean the places of a project's lessons, in their files as well: see ``shareable.tidied``."""
        from curator.app import shareable

        done = shareable.tidied(self, project)
        if done.ids:
            from curator.app import sync

            sync.followed(self, project, done.ids)
        return done

    def point(self, id_: str, places: Sequence[tuple[str, str]], *, seconds: float | None = None) -> Outcome:
        """Say which code an entry speaks of: see ``anchoring.point``."""
        from curator.app import anchoring

        return anchoring.point(self, id_, places, seconds=seconds)

    def refresh_places(self, id_: str, go_on: Callable[[], bool] = lambda: True) -> None:
        """Learn what code there is to speak of: see ``anchoring.refresh``."""
        from curator.app import anchoring

        anchoring.refresh(self, self.find(id_), go_on)

    def places(self, id_: str, typed: str, limit: int = 20) -> list[tuple[str, str]]:
        """Code that a person may mean who begins to type so: see ``anchoring.suggested``."""
        from curator.app import anchoring

        return anchoring.suggested(self, self.find(id_), typed, limit=limit)

    def follow_code(
        self, stop: Event, changed: Callable[[int], None], *, failed: Callable[[CuratorError], None] = lambda error: None
    ) -> None:
        """Watch the code under lessons: see ``staleness.follow_code``."""
        from curator.app import staleness

        staleness.follow_code(self, stop, changed, failed)

    def scan(self, **how: Any) -> Mapping[str, Scanned]:
        """Read transcripts: see ``scan.scan``."""
        from curator.app import scan

        return scan.scan(self, **how)

    def around(self, quoted: Evidence) -> Sequence[Line]:
        """What a transcript says around a quote: see ``transcript_context.around``."""
        from curator.app import transcript_context

        return transcript_context.around(quoted)

    def transcript(self, quoted: Evidence) -> Path | None:
        """The transcript that is quoted, if it is there: see ``transcript_context.transcript``."""
        from curator.app import transcript_context

        return transcript_context.transcript(quoted)

    def commits(self, entry: Entry, finding: Finding) -> Sequence[str]:
        """Who changed an entry's code: see ``anchoring.commits``. Nothing where its project is not on this machine."""
        from curator.app import anchoring

        top = next((top for top in self._places(entry.project) if Path(top).is_dir()), "")
        return anchoring.commits(Path(top), entry, finding) if top else ()

    def files(self, entry: Entry) -> list[Path]:
        """The files of an entry that are there, each inside its project, whatever the entry names."""
        from curator import projects

        found = []
        for top in self._places(entry.project):
            inner = projects.relative_to([*(anchor.path for anchor in entry.anchors), *entry.files], top)
            found += [Path(top, path).resolve() for path in dict.fromkeys(inner)]
        return [path for path in found if path.is_file() and self._inside(path, entry.project)]

    def _inside(self, path: Path, project: str) -> bool:
        return any(path.is_relative_to(Path(top).resolve()) for top in self._places(project))

    def has_read(self) -> bool:
        """Whether any transcript was read, of whatever project."""
        return bool(self.store.sources.followed())

    def survey(self, roots: Sequence[Path] | None = None) -> tuple[int, int, int, bool]:
        """What there is to read: see ``scan.survey``."""
        from curator.app import scan

        return scan.survey(self, roots)

    def follow(
        self,
        stop: Event,
        changed: Callable[[int], None],
        *,
        roots: Sequence[Path] | None = None,
        failed: Callable[[CuratorError], None] = lambda error: None,
    ) -> None:
        """Watch transcripts: see ``scan.follow``."""
        from curator.app import scan

        scan.follow(self, stop, changed, roots=roots, failed=failed)
