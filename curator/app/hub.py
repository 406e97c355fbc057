"""The exchange of lessons with teams through the hub. It sends the outbox, and treats each arrival like a pulled file."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from curator import clock, curate, hub, lesson_files
from curator.app import project_files, settling
from curator.app.curator import Curator
from curator.app.project.sync import Exchange, Intake, safe
from curator.errors import CuratorError, MalformedFile
from curator.hub import NAME, Found, HubAway, Sending, Shared, Team, address, connect, grants, lacks_tls
from curator.inbox import WITHDRAWN
from curator.lesson_files import Refusal
from curator.model import FROM_FILE, JSON, Durability, Entry, Project, State, Verb
from curator.model.codec import apply_patch, decode, dumps, encode, patch
from curator.store.database import PORTION
from curator.store.hub import Membership, Outgoing, SharedLesson
from curator.text import statement
from curator.text.words import pluralize

if TYPE_CHECKING:
    from curator.hub import Connection

__all__ = ["NAME", "Found", "HubAway", "address", "grants", "lacks_tls"]

CARRIED = (
    "category", "scope", "paths", "durability", "files", "supersedes", "superseded_by", "refines", "contradicts", "coexists",
    "state", "headline", "insight", "context", "snippets",
)  # fmt: skip
"""The fields of a lesson that the hub gets. ``evidence`` is included if a person set that."""
LOCAL = frozenset({"scope", "paths", "files"})
"""The fields that mean nothing in another project."""
DECLINED = "declined"
"""The fields for which a person declined the hub's words, with the words kept here."""
MAX_SYNC_ROUNDS = 5
"""Maximum number of merges and new attempts per sync, while others change the same lessons."""
EVERY_SECONDS = 60.0
"""Seconds after which the hub is asked though it said nothing: some services between it and us do not notify."""
LOOK_SECONDS = 0.5
"""Seconds between two looks at the outbox."""
HOMES = re.compile(r"(?:/home|/Users)/[^/\s\"'\\]+|/root(?=[/\s\"'\\]|$)")


@dataclass(slots=True)
class Report:
    """The result of a sync with one team: counts, and why it failed, if it did."""

    team: str
    sent: int = 0
    arrived: int = 0
    conflicts: int = 0
    refused: int = 0
    error: str = ""
    touched: list[str] = field(default_factory=list)
    """The entries that changed: their files follow."""


def create(curator: Curator, url: str, team: str, *, arrive: str, second: bool) -> list[str]:
    """Create or update a hub's schema, and a team if one is named. Return the migrations that were run."""
    with connect(url) as connection:
        run = hub.create(connection)
        if team:
            hub.add_team(connection, team, curator.keeper, arrive=arrive, second=second)
    return run


def drop(url: str) -> list[str]:
    """Remove a hub with all of its lessons. Return the roles that stay."""
    with connect(url) as connection:
        return hub.drop(connection)


def join(curator: Curator, url: str, names: Sequence[str]) -> list[Team]:
    """Join teams, by default all of the person's own. Return them with their policies.

    Raises ``CuratorError`` outside a project, and for a team without this login.
    """
    project = curator.here()
    if project is None:
        raise CuratorError("This folder is not a project.", "Run this in the project that shall get the team's lessons.")
    with connect(url) as connection:
        mine = hub.teams(connection)
    missing = [name for name in names if name not in mine]
    if missing or not mine:
        raise CuratorError(
            f"You are not a member of the team {missing[0]}." if missing else "You are not a member of any team.",
            "Ask an admin: `curator hub create` prints the SQL that gives you access.",
        )
    wanted = [mine[name] for name in names or mine]
    kept = address(url)
    with curator.store.transaction():
        known = curator.store.hub.teams()
        for team in wanted:
            if known.get(team.name, Membership("", kept, "", False)).url != kept:
                raise CuratorError(
                    f"You have joined a team {team.name} of another hub.", "Leave that hub first: `curator hub leave`."
                )
            curator.store.sources.remember(project, project.folder)
            curator.store.hub.join(Membership(team.name, kept, project.id, team.arrive == "lesson"))
    return wanted


def leave(curator: Curator, names: Sequence[str] = (), *, discard: bool = False) -> list[str]:
    """Leave teams, all if none is named. Lessons stay here and at the hub. Return the teams' names.

    Raises ``CuratorError`` if there are unsent decisions, unless these are to be discarded.
    """
    known = curator.store.hub.teams()
    if unknown := [name for name in names if name not in known]:
        raise CuratorError(f"You have not joined the team {unknown[0]}.", "`curator hub status` lists your teams.")
    with curator.store.transaction():
        if not discard and (unsent := sum(len(curator.store.hub.outbox(name)) for name in names or known)):
            raise CuratorError(
                f"{pluralize(unsent, 'decision')} on shared lessons {'is' if unsent == 1 else 'are'} not sent yet.",
                "`curator sync` sends them. `curator hub leave --discard` leaves without them.",
            )
        for name in names or known:
            curator.store.hub.leave(name)
    return list(names or known)


def share(curator: Curator, id_: str, team: str) -> Entry:
    """Put a lesson into the outbox for a team. Raises ``CuratorError`` for an entry that is not a lesson."""
    _membership(curator, team)
    with curator.store.transaction():
        entry = curator.lessons.find(id_)
        if entry.state is not State.ACTIVE:
            raise CuratorError(f"{entry.id} is {entry.state}, not a lesson.", "Only lessons can be shared. Keep it first.")
        outgoing(curator, entry)
        if curator.store.hub.lesson(team, entry.id) is None:
            curator.store.hub.write(SharedLesson(entry.id, team, 0, {}))
            curator.store.hub.add(team, entry.id, "share")
    return entry


def search(curator: Curator, words: str, most: int) -> list[Found]:
    """Return the matches among all lessons that the person may read at the joined hubs, best first."""
    found: list[Found] = []
    if not curator.store.hub.teams():
        raise CuratorError("You have joined no team.", "`curator hub join URL` joins one.")
    for url in sorted({one.url for one in curator.store.hub.teams().values()}):
        with connect(url) as connection:
            found += hub.search(connection, words, most)
    texts = {name for name, kind in Found.__annotations__.items() if kind == "str"}
    clean = [one._replace(**{name: safe(getattr(one, name)) for name in texts}) for one in found]
    return sorted(clean, key=lambda one: (-one.score, one.id))[:most]


def status(curator: Curator) -> list[JSON]:
    """Return the state of each team: lessons to send and to fetch, the last contact, and refusals."""
    records, rows = curator.store.hub, []
    for one in records.teams().values():
        behind, error = None, one.error
        try:
            with connect(one.url) as connection:
                behind = hub.count(connection, one.team, one.seen)
                error = ""
        except CuratorError as fault:
            error = fault.message
        rows.append(
            {
                "team": one.team,
                "hub": one.url,
                "arrive": "lesson" if one.trusted else "candidate",
                "shared": len(records.shared(one.team)),
                "ahead": len(records.outbox(one.team)),
                "behind": behind,
                "last_seen": clock.iso(one.reached) if one.reached else None,
                "refused": [{"id": line.lesson, "reason": line.refused} for line in records.outbox(one.team, refused=True)],
                "error": error or None,
            }
        )
    return rows


def sync(curator: Curator, opened: Mapping[str, Connection] = MappingProxyType({})) -> list[Report]:
    """Exchange with every team. If a hub is away, its teams' reports say so and nothing else changes.

    ``opened`` has open connections by address. Their failures reach the caller.
    """
    reports = []
    for url, teams in groupby(sorted(curator.store.hub.teams().values(), key=lambda one: one.url), lambda one: one.url):
        joined = [Report(one.team) for one in teams]
        try:
            with nullcontext(opened[url]) if url in opened else connect(url) as connection:
                mine = hub.teams(connection)
                for report in joined:
                    if report.team in mine:
                        _exchange(curator, connection, report)
                    else:
                        report.error = f"You are not a member of the team {report.team}."
        except CuratorError as error:
            for report in joined:
                report.error = error.message
        with curator.store.transaction():
            for report in joined:
                curator.store.hub.record_contact(report.team, clock.now(), report.error)
        reports += joined
    return reports


def follow(curator: Curator, stop: threading.Event, changed: Callable[[int], object], away: Callable[[str], object]) -> None:
    """Exchange now, after each decision, each minute and when a hub has news, until ``stop`` is set.

    ``changed`` gets the number of arrivals. ``away`` gets the reason why the hub can't be used, or nothing once it can.
    """
    while not stop.is_set() and (teams := curator.store.hub.teams()):
        try:
            url = next(iter(teams.values())).url
            with connect(url) as connection:
                hub.listen(connection)  # before the first exchange: nothing falls between the two
                while not stop.is_set() and curator.store.hub.teams():
                    newest = curator.store.hub.newest()
                    reports = sync(curator, {url: connection})
                    away(next((report.error for report in reports if report.error), ""))
                    if ids := changed_entries(reports):
                        settling.settle(curator, ids, learn=False)
                        changed(len(ids))
                    _rest(curator, connection, stop, newest)
        except CuratorError as error:
            away(error.message)
            stop.wait(EVERY_SECONDS)


def _rest(curator: Curator, connection: Connection, stop: threading.Event, newest: int) -> None:
    """Wait for news of the hub, a decision here, or the next minute."""
    teams = curator.store.hub.teams()
    for _ in range(int(EVERY_SECONDS / LOOK_SECONDS)):
        if hub.wait(connection, LOOK_SECONDS, teams) or stop.is_set() or curator.store.hub.newest() != newest:
            return


def outgoing(curator: Curator, entry: Entry) -> JSON:
    """Return the hub's version of a lesson, without secrets or details of this machine. Raises ``CuratorError``."""
    known = curator.projects().get(entry.project)
    tops = curator.tops(known) if known else []
    lessons, refusals = project_files.for_files([entry], lambda: tops)
    if refusals:
        raise CuratorError(refusals[0].reason, "It was not shared.")
    fields = (*CARRIED, "evidence") if curator.settings.hub_evidence else CARRIED
    data = encode(safe_entry(lesson_files.normal(lessons[entry.id])))
    if entry.scope == "global":
        del data["scope"]  # that is each person's own doing, as is a pin: see ``sync.scope``
    if entry.durability is Durability.PINNED:
        del data["durability"]
    text = HOMES.sub("~", dumps({name: data[name] for name in fields if name in data}).replace(str(Path.home()), "~"))
    body: JSON = json.loads(text)
    return {**body, "project": _key(known)} if known else body


def safe_entry(entry: Entry) -> Entry:
    """Return an entry with every text in it cleaned and every secret masked."""
    return entry._replace(**{name: safe(getattr(entry, name)) for name in (*CARRIED, "evidence")})


def _key(project: Project) -> str:
    """Return a name of a repository that is the same on each machine and reveals nothing about it."""
    known_by = project.root_commit or project.remote
    return hashlib.sha256(known_by.encode()).hexdigest()[:16] if known_by else ""


def _membership(curator: Curator, team: str) -> Membership:
    known = curator.store.hub.teams().get(team)
    if known is None:
        raise CuratorError(f"You have not joined the team {team}.", "Join the team first: `curator hub join URL --team NAME`.")
    return known


def _exchange(curator: Curator, connection: Connection, report: Report) -> None:
    """Send and fetch until no change by others blocks the outbox."""
    membership = _membership(curator, report.team)
    if membership.mark and hub.event_id(connection, report.team, membership.seen) != membership.mark:
        with curator.store.transaction():
            curator.store.hub.restart(report.team)
        _pull(curator, connection, report)
    for _ in range(MAX_SYNC_ROUNDS):
        _settle(curator, report)
        is_behind = _push(curator, connection, report)
        _pull(curator, connection, report)
        if not is_behind:
            return


# --- out ----------------------------------------------------------------------------------------------------------------------


def _push(curator: Curator, connection: Connection, report: Report) -> bool:
    """Send the outbox, one event per lesson at a time. Return whether the hub has newer versions of some lessons."""
    is_behind = False
    tried: set[int] = set()
    while lines := [line for line in _fix(curator, report.team) if line.number not in tried]:
        tried |= {line.number for line in lines}
        events = [Sending(line.id, line.team, line.lesson, line.verb, line.patch or {}, line.base) for line in lines]
        answers = {answer.id: answer for answer in hub.push(connection, events)}
        with curator.store.transaction():
            for line in lines:
                answer = answers[line.id]
                if answer.outcome in ("stored", "known"):
                    _acknowledge(curator, line, answer.seq)
                    report.sent += 1
                elif answer.outcome == "behind" and line.verb == "forget":  # a hub restored from a backup never had the lesson
                    curator.store.hub.remove(line.team, line.lesson)
                elif answer.outcome == "behind":
                    curator.store.hub.fix(line.number, line.verb, None, 0)
                    if line.verb == "share":  # a colleague has shared it, too; it was not taken when it arrived
                        curator.store.hub.record_last_event(report.team, 0)
                    is_behind = True
                else:
                    curator.store.hub.refuse(line.number, answer.reason)
                    report.refused += 1
    return is_behind


def _fix(curator: Curator, team: str) -> list[Outgoing]:
    """Decide the content of each lesson's first line in the outbox, and store it before sending.

    A killed process sends the same event again, under the same id.
    """
    records = curator.store.hub
    fixed: dict[str, Outgoing] = {}
    with curator.store.transaction():
        undecided = {one.lesson for one in records.undecided(team)}
        for line in records.outbox(team):
            if line.lesson in fixed or line.lesson in undecided or len(fixed) >= hub.PORTION:
                continue
            if line.patch is None:
                said = _said(curator, line)
                if said is None:
                    records.sent([line.number])
                    continue
                line = line._replace(verb=said[0], patch=said[1], base=said[2])
                records.fix(line.number, line.verb, line.patch, line.base)
            fixed[line.lesson] = line
    return list(fixed.values())


def _said(curator: Curator, line: Outgoing) -> tuple[str, JSON, int] | None:
    """Return the verb, the changed fields and the base of a line of the outbox. Return ``None`` if it says nothing."""
    known = curator.store.hub.lesson(line.team, line.lesson)
    entry = curator.lessons.peek(line.lesson)
    if known is None:
        return None
    if line.verb == "forget":
        return "forget", {}, known.seq
    if entry is None:  # an undo took it away
        return ("edit", {"state": "retired"}, known.seq) if known.seq else None
    if entry.state not in lesson_files.STATES:
        return None
    now = outgoing(curator, entry)
    if not known.seq:
        return ("share", now, 0) if entry.state is State.ACTIVE else None
    fields = {*CARRIED, *(("evidence",) if curator.settings.hub_evidence else ())}
    if now.get("project") != known.body.get("project"):
        fields -= LOCAL
    declined = known.body.get(DECLINED, {})
    fields -= {name for name in declined if now.get(name) == declined[name]}
    changed = {name: value for name, value in patch(known.body, now)[1].items() if name in fields}
    if line.verb in ("keep", "share"):  # Sharing a colleague's shared lesson confirms it.
        if changed:
            curator.store.hub.add(line.team, line.lesson, "edit")
        return "keep", {}, known.seq
    return ("edit", changed, known.seq) if changed else None


def _acknowledge(curator: Curator, line: Outgoing, seq: int) -> None:
    """Remove a line from the outbox. Both sides now agree on its content."""
    records = curator.store.hub
    known = records.lesson(line.team, line.lesson)
    if not records.sent([line.number]) or known is None:
        return
    if line.verb == "forget":
        records.remove(line.team, line.lesson)
    elif line.verb != "keep" and seq > known.seq:  # others may have edited before a keep; another process may have fetched more
        body = apply_patch(known.body, line.patch or {})
        if DECLINED in body:
            body[DECLINED] = without(body[DECLINED], *(line.patch or {}))
        records.write(known._replace(seq=seq, body=body))


def without(data: JSON, *names: str) -> JSON:
    """Return an object without some of its fields."""
    return {name: value for name, value in data.items() if name not in names}


# --- in -----------------------------------------------------------------------------------------------------------------------


class HubIntake(Intake):
    """One pass over a team's lessons for a project. If the team is ``trusted``, they arrive as lessons."""

    trusted: bool
    shared_by: str = ""
    base: Entry | None = None

    @cached_property
    def is_accepted(self) -> bool:
        """Return whether the team's lessons need no person here."""
        return self.trusted

    def _waits(self, ours: Entry | None, theirs: Entry) -> bool:
        """Return whether to ask a person. That includes lessons that waited for a second person and were changed here."""
        untouched = ours is not None and ours.state is State.OPEN and not self.curator.store.events.is_touched(ours.id)
        return super()._waits(None if untouched else ours, theirs)

    def _author(self, name: str) -> str:
        return self.shared_by

    def _base(self, ours: Entry, theirs: Entry) -> Entry | None:
        return self.base

    def _foreign(self, name: str, id_: str, after: Entry, *, is_alarming: bool) -> bool:
        """Return whether to ask a person about a change of a lesson. A retirement brings no new words, so it needs no
        question.
        """
        ours = self.curator.lessons.peek(id_)
        retires = ours is not None and after.state is State.RETIRED and set(lesson_files.changes(ours, after)) <= RETIRING
        return is_alarming or not (self.trusted or retires)


RETIRING = frozenset({"state", "superseded_by"})


class _Arrival:
    """The lessons that a team brings in one transaction."""

    def __init__(self, curator: Curator, report: Report) -> None:
        self.curator = curator
        self.report = report
        self.membership = _membership(curator, report.team)
        self.exchange = Exchange()
        self.projects = curator.projects()
        self.keys = {_key(project): project for project in self.projects.values() if _key(project)}
        self.intakes: dict[tuple[str, bool], HubIntake] = {}

    def take(self, one: Shared) -> None:
        """Take in the hub's current version of a lesson."""
        records, team = self.curator.store.hub, self.report.team
        known = records.lesson(team, one.id)
        if one.state == "forgotten":
            if known is not None:
                self._withdraw(one)
                records.remove(team, one.id)
            return
        ours = self.curator.lessons.peek(one.id)
        if known is None and ours is None and one.state == "retired":
            return
        if known is None and ours is not None and not self._says_the_same(ours, one):
            reason = f"{one.id} is a lesson here that was not shared with {team}: `curator share` shares it"
            self.exchange.refusals.append(Refusal(one.id, 1, reason))
            return
        if known is None:
            known = SharedLesson(one.id, team, 0, {})
        known = known._replace(shared_by=statement.name(one.shared_by), kept_by=one.kept_by)
        is_open = ours is not None and ours.state is State.OPEN
        promotes = one.state == "active" and self.membership.trusted and not one.held and is_open
        if known.theirs is None and known.seq and one.body == without(known.body, DECLINED) and not promotes:
            records.write(known._replace(seq=one.seq))
            return
        try:
            base = self._merge(known, one, ours)
        except (MalformedFile, ValueError) as error:
            self.exchange.refusals.append(Refusal(one.id, 1, getattr(error, "reason", str(error))))
            return
        if base is None:
            records.write(known._replace(theirs=one._asdict()))
            return
        records.write(known._replace(seq=one.seq, body=self._common(known.body, one), theirs=None))

    def _common(self, before: JSON, one: Shared) -> JSON:
        """Return the hub's version, and the local words where a person declined the hub's. An edit does not send those back."""
        ours = self.curator.lessons.peek(one.id) if before else None
        if ours is None or ours.state not in lesson_files.STATES:
            return one.body
        now, known = outgoing(self.curator, ours), before.get(DECLINED, {})
        names = [name for name in (*CARRIED, "evidence") if name not in LOCAL and now.get(name) != one.body.get(name)]
        declined = {
            name: now.get(name) for name in names if now.get(name) in (before.get(name), known.get(name, before.get(name)))
        }
        return one.body | ({DECLINED: declined} if declined else {})

    def why_refused(self, id_: str) -> str:
        """Return the reason why the last lesson was not taken in. Return an empty text if it was."""
        last = self.exchange.refusals[-1:]
        return last[0].reason if last and last[0].file == id_ else ""

    def _says_the_same(self, ours: Entry, one: Shared) -> bool:
        """Return whether git has brought the same lesson.

        Nobody else may tie a lesson of this machine to a team, because later changes would be sent there.
        """
        same = (ours.headline, ours.insight) == (one.body.get("headline"), one.body.get("insight"))
        return same and self.keys.get(str(one.body.get("project"))) == self.projects.get(ours.project)

    def _merge(self, known: SharedLesson, one: Shared, ours: Entry | None) -> Entry | None:
        """Merge the arrival with the local lesson. Return ``None`` while a person has to choose. Raises ``MalformedFile`` and
        ``ValueError``.
        """
        here = self.keys.get(str(one.body.get("project"))) or self.projects[self.membership.project]
        project = self.projects.get(ours.project, here) if ours else here
        intake = self._intake(project, trusted=self.membership.trusted and not one.held)
        intake.shared_by = known.shared_by
        intake.base = self._read(known.body, one, ours, project) if known.body else None
        theirs = self._read(one.body, one, ours, project)
        before = self.exchange.added + self.exchange.changed + len(self.exchange.conflicts)
        if ours is not None and ours.state is State.OPEN and ours.signal == FROM_FILE and theirs.state is State.RETIRED:
            intake._apply(Verb.IMPORT, ours, curate.dismiss(ours, clock.now(), WITHDRAWN).after or ours)
            outcome: tuple[Entry, float] | None = (theirs, 0.0)
            self.exchange.changed += 1
        else:
            outcome = intake.take(one.id, theirs)
        if self.exchange.added + self.exchange.changed + len(self.exchange.conflicts) > before:
            self.report.touched.append(one.id)
        return outcome[0] if outcome else None

    def _read(self, body: JSON, one: Shared, ours: Entry | None, project: Project) -> Entry:
        """Return a lesson as a file would bring it, with the same checks. Local fields keep their values."""
        data = {name: body[name] for name in (*CARRIED, "evidence") if name in body}
        if body.get("project", "") != _key(project):
            data = {name: value for name, value in data.items() if name not in LOCAL}
        entry = decode({"insight": "", **data, "id": one.id, "project": "", "created": one.at, "updated": one.at})
        read = lesson_files.checked(entry)._replace(slug="", project=project.id)
        if ours is None:
            return read
        own = ("created", "score", "agent", "session", "slug", "extra", "anchors")
        read = read._replace(**{name: getattr(ours, name) for name in own})
        if body.get("project", "") != _key(project):
            read = read._replace(**{name: getattr(ours, name) for name in LOCAL})
        return read if "evidence" in body else read._replace(evidence=ours.evidence)

    def _withdraw(self, one: Shared) -> None:
        """Retire a lesson that a colleague removed from the hub. Drop it if nobody has kept it yet."""
        ours = self.curator.lessons.peek(one.id)
        if ours is None or ours.state not in (State.OPEN, State.ACTIVE):
            return
        at = clock.now()
        change = curate.retire(ours, at, WITHDRAWN) if ours.state is State.ACTIVE else curate.dismiss(ours, at, WITHDRAWN)
        self.curator.store.apply([(Verb.IMPORT, change)], actor=f"hub:{self.report.team}", at=at)
        self.report.touched.append(one.id)

    def _intake(self, project: Project, *, trusted: bool) -> HubIntake:
        known = self.intakes.get((project.id, trusted))
        if known is None:
            place = Path(project.folder or ".")
            actor = f"hub:{self.report.team}"
            known = HubIntake(self.curator, project, place, {}, self.exchange, None, actor)
            known.trusted = trusted
            self.intakes[project.id, trusted] = known
        return known


@contextmanager
def _arriving(curator: Curator, report: Report) -> Iterator[_Arrival]:
    with curator.store.transaction():
        arrival = _Arrival(curator, report)
        yield arrival
    report.arrived += arrival.exchange.added + arrival.exchange.changed
    report.conflicts += len(arrival.exchange.conflicts)
    report.refused += len(arrival.exchange.refusals)


def _settle(curator: Curator, report: Report) -> None:
    """Try again the arrivals that waited for a person's choice."""
    undecided = curator.store.hub.undecided(report.team)
    if undecided:
        with _arriving(curator, report) as arrival:
            for known in undecided:
                arrival.take(Shared(**(known.theirs or {})))


def _pull(curator: Curator, connection: Connection, report: Report) -> None:
    """Fetch the hub's changes in batches. Each batch stores its position in the same transaction."""
    seen = _membership(curator, report.team).seen
    with curator.store.large_cache():
        while portion := hub.pull(connection, report.team, seen):
            for start in range(0, len(portion), PORTION):  # A person's decision does not wait for all batches.
                part = portion[start : start + PORTION]
                mark = hub.event_id(connection, report.team, part[-1].seq)
                with _arriving(curator, report) as arrival:
                    for one in part:
                        arrival.take(one)
                        curator.store.hub.refuse_arrival(report.team, one.id, arrival.why_refused(one.id))
                    seen = part[-1].seq
                    curator.store.hub.record_last_event(report.team, seen, mark)


def changed_entries(reports: Sequence[Report]) -> list[str]:
    """Return each entry that a sync changed once, so that the same steps follow as after a decision."""
    return list(dict.fromkeys(id_ for report in reports for id_ in report.touched))


def row(report: Report) -> JSON:
    """Return a report as an object."""
    names = ("team", "sent", "arrived", "conflicts", "refused")
    return {**{name: getattr(report, name) for name in names}, "error": report.error or None}
