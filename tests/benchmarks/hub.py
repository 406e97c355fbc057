"""The hub: a year of an organisation on a real server. History is written at once; 200 machines live the last days of it."""

from __future__ import annotations

import dataclasses
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import made
from figures import Figure, Growth, below, median, say

from curator import hub as client
from curator.app import Curator
from curator.app import hub as use_case
from curator.errors import CuratorError
from curator.hub import Sending, connect
from curator.model import Project, State
from curator.model.codec import apply_patch
from curator.store.hub import Membership
from tests.hub.server import Server, running  # type: ignore[import-untyped,unused-ignore]

if TYPE_CHECKING:
    from curator.hub import Connection

PROJECTS = 4
"""Projects of a team."""
PORTION = 200
SEARCHES = 5


@dataclasses.dataclass(frozen=True, slots=True)
class Scale:
    """The size of a simulation: lessons of each step, of the first team in the last one, and who lives how long."""

    steps: tuple[int, ...] = (1_000, 10_000, 60_000)
    first: int = 5_000
    teams: int = 10
    processes: int = 10
    developers: int = 200
    sessions: int = 1_000
    """Five of each developer: a working day."""
    seconds: float = 200.0
    decisions: int = 30
    """Decisions of one machine in each step of the growth."""

    def lessons(self, step: int, team: int) -> int:
        """Lessons of a team after a step."""
        if step < self.steps[-1]:
            return step // self.teams
        return self.first if team == 0 else (step - self.first) // (self.teams - 1)

    def team(self, developer: int) -> int:
        """The team of a developer; each process has developers of each team."""
        return developer // self.processes % self.teams


SMALL = Scale(steps=(40, 80), first=40, teams=2, processes=2, developers=6, sessions=30, seconds=1.0, decisions=2)
"""For a test: seconds instead of minutes."""


def project(number: int) -> Project:
    """A project; those of a team have the numbers team, team + teams and so on."""
    return Project(f"p{number}", f"p{number}", f"/made-up/p{number}", root_commit=f"{number:040x}")


def login(developer: int) -> str:
    """The login of a developer."""
    return f"dev{developer}"


# --- the history, written by the functions of the hub -------------------------------------------------------------------------


def lay(server: Server, scale: Scale) -> None:
    """Make the hub, its teams and their members."""
    with connect(server.url()) as connection:
        client.create(connection)
        for team in range(scale.teams):
            connection.execute("INSERT INTO curator.team VALUES (%s, 'lesson', false)", (f"t{team}",))
        for one in range(scale.developers):
            connection.execute(f"CREATE ROLE {login(one)} LOGIN IN ROLE curator_write".encode())
            connection.execute(
                "INSERT INTO curator.member VALUES (%s, %s, %s)", (f"t{scale.team(one)}", login(one), login(one))
            )


def write(url: str, scale: Scale, team: int, first: int, last: int) -> None:
    """Write five events of each lesson of a team as its members: one shares, others keep and edit, some are retired."""
    members = [one for one in range(scale.developers) if scale.team(one) == team]
    chance = random.Random(first * scale.teams + team)
    keys = [use_case._key(project(team + scale.teams * n)) for n in range(PROJECTS)]
    with connect(url) as connection:
        for start in range(first, last, PORTION):
            numbers = range(start, min(start + PORTION, last))
            seen: dict[str, int] = {}

            def push(verb: str, patches: dict[str, Any], seen: dict[str, int] = seen) -> None:
                connection.execute(f"SET ROLE {login(chance.choice(members))}".encode())
                events = [
                    Sending(f"{chance.getrandbits(128):032x}", f"t{team}", id_, verb, patch, seen.get(id_, 0))
                    for id_, patch in patches.items()
                ]
                for event, answer in zip(events, client.push(connection, events), strict=True):
                    assert answer.outcome == "stored", answer
                    seen[event.lesson] = answer.seq

            bodies = {f"T{team}-{n}": body(team, n, keys[n % PROJECTS]) for n in numbers}
            push("share", bodies)
            push("keep", {id_: {} for id_ in bodies})
            push("keep", {id_: {} for id_ in bodies})
            push("edit", {id_: {"insight": f"{one['insight']} It was so again in May."} for id_, one in bodies.items()})
            last_words: dict[str, dict[str, Any]] = {id_: {"files": [made.FILES[len(id_) % 5]]} for id_ in bodies}
            push("edit", last_words | {id_: {"state": "retired"} for id_ in bodies if chance.random() < 0.1})


def body(team: int, number: int, key: str) -> dict[str, Any]:
    """A lesson as a machine sends it; its words name the team."""
    entry = made.entry(number, time.time())
    headline = entry.headline.replace("(rule ", f"(rule t{team}r")
    insight = f"The {entry.insight[0].lower()}{entry.insight[1:]}"
    return {"project": key, "category": entry.category.value, "scope": "project", "state": "active"} | {
        "headline": headline,
        "insight": insight,
        "files": list(entry.files),
    }


def join(curator: Curator, url: str, team: int) -> None:
    """Join a team from its first project."""
    curator.project = project(team)
    use_case.join(curator, url, [f"t{team}"])
    curator.project = None


# --- a process with the machines of some developers ---------------------------------------------------------------------------


class Machines:
    """The machines of the developers of one process, which do what the lines of standard input say."""

    def __init__(self, home: Path, folder: str, scale: Scale, index: int) -> None:
        self.home, self.folder, self.scale, self.index = home, folder, scale, index
        self.mine = range(index, scale.developers, scale.processes)
        self.chance = random.Random(index)
        self.curators: dict[int, Curator] = {}
        self.known: dict[int, list[str]] = {}
        self.made: list[tuple[str, int, float]] = []
        self.delays: list[float] = []
        self.seen: list[tuple[str, int, float]] = []

    def url(self, developer: int) -> str:
        """Where a developer finds the hub."""
        return f"host={self.folder} user={login(developer)} dbname=postgres"

    def open(self, name: str, team: int) -> Curator:
        """A machine with the projects of a team; a person who is in a project sets that."""
        curator = made.opened(self.home / name, None, export=False)
        with curator.store.transaction():
            for n in range(PROJECTS):
                one = project(team + self.scale.teams * n)
                curator.store.sources.remember(one, one.folder)
        return curator

    def template(self) -> list[float]:
        """Fetch everything of a team as somebody who is new; returns the seconds of each."""
        spent = []
        for team in range(self.index, self.scale.teams, self.scale.processes):
            curator = self.open(f"template{team}", team)
            newcomer = next(one for one in range(self.scale.developers) if self.scale.team(one) == team)
            join(curator, self.url(newcomer), team)
            begun = time.monotonic()
            (report,) = use_case.sync(curator)
            spent.append(time.monotonic() - begun)
            assert not report.error, report.error
            curator.close()
        return spent

    def copy(self) -> int:
        """Give each developer the machine of somebody who has fetched the past. In every other team a person decides."""
        for one in self.mine:
            team = self.scale.team(one)
            shutil.copytree(self.home / f"template{team}", self.home / login(one))
            curator = self.open(login(one), team)
            with curator.store.transaction():
                curator.store.hub.join(Membership(f"t{team}", self.url(one), f"p{team}", team % 2 == 0))
            self.curators[one] = curator
            self.known[one] = [entry.id for entry in curator.lessons.entries(curator.lessons.library())]
        return len(self.curators)

    def live(self) -> dict[str, Any]:
        """Live the sessions of all developers at their times, beside one window that is open."""
        plan = sorted(
            (self.chance.uniform(0, self.scale.seconds), self.chance.choice(self.mine))
            for _ in range(self.scale.sessions // self.scale.processes)
        )
        stop = threading.Event()
        window = next(one for one in self.mine if self.scale.team(one) == self.index % self.scale.teams)
        thread = threading.Thread(target=self.watch, args=(window, stop))
        thread.start()
        begun = time.monotonic()
        for due, one in plan:
            time.sleep(max(0.0, begun + due - time.monotonic()))
            self.session(one)
        late = time.monotonic() - begun - self.scale.seconds
        time.sleep(3)
        stop.set()
        thread.join()
        return {"delays": self.delays, "made": self.made, "seen": self.seen, "late": late}

    def watch(self, developer: int, stop: threading.Event) -> None:
        """Keep a window open, and note when a lesson is there that was not."""
        curator = self.curators[developer].fork()
        newest = curator.lessons.last_event()

        def changed(count: int) -> None:
            nonlocal newest
            at = time.time()
            events = curator.lessons.events_since(newest)
            newest = max((event[0] for event in events), default=newest)
            self.seen += [(event[2], self.scale.team(developer), at) for event in events]

        use_case.follow(curator, stop, changed, lambda why: None)
        curator.close()

    def session(self, one: int) -> None:
        """Look at what is new, decide one thing, and send it over the connection that a window holds.

        One in twenty developers is offline and sends it next time.
        """
        with connect(self.url(one)) as connection:
            opened = {self.url(one): connection}
            self.exchange(one, opened)
            begun = time.time()
            if not self.decide(one):
                return
            if self.chance.random() > 0.05:
                self.delays.append(seconds(lambda: self.exchange(one, opened)))
                return
        if self.made and self.made[-1][2] >= begun:  # it arrives whenever its developer is back
            id_, team, _ = self.made[-1]
            self.made[-1] = (id_, team, 0.0)

    def exchange(self, one: int, opened: Mapping[str, Connection] = MappingProxyType({})) -> int:
        """Send and fetch; returns how much moved."""
        (report,) = use_case.sync(self.curators[one], opened)
        assert not report.error, report.error
        return report.sent + report.arrived + report.conflicts

    def decide(self, one: int) -> bool:
        """Share something new, keep what waits, edit, retire, or take it back."""
        curator, chance = self.curators[one], self.chance
        what, id_ = chance.random(), chance.choice(self.known[one])
        try:
            if what < 0.25:
                number = chance.getrandbits(40)
                headline = (
                    f"Always {chance.choice(made.VERBS)} {chance.choice(made.THINGS)} (rule t{self.scale.team(one)}r{number})"
                )
                at = time.time()
                curator.project = project(self.scale.team(one) + self.scale.teams * chance.randrange(PROJECTS))
                (entry,) = curator.decisions.add(headline, insight=f"It failed {number} times.").entries
                curator.project = None
                use_case.share(curator, entry.id, f"t{self.scale.team(one)}")
                self.made.append((entry.id, self.scale.team(one), at))
                self.known[one].append(entry.id)
            elif what < 0.5 and (cards := [*curator.lessons.entries(curator.lessons.waiting(rest=True), 1)]):
                curator.decisions.accept([cards[0].id])
            elif what < 0.75:
                curator.decisions.edit(id_, insight=f"{login(one)} saw it {chance.getrandbits(40)} times.")
            elif what < 0.9:
                curator.decisions.edit(id_, files=(f"src/{chance.getrandbits(40)}.py",))
            elif what < 0.97:
                curator.decisions.drop([id_])
            else:
                curator.decisions.undo()
        except CuratorError:  # retired by somebody, or already undone
            return False
        return True

    def settle(self) -> int:
        """Exchange once more, and take whatever others say where a person is asked; returns how much moved."""
        moved = 0
        for one, curator in self.curators.items():
            cards = [card.id for card in curator.lessons.entries(curator.lessons.waiting(rest=True))]
            for card in cards:
                curator.decisions.accept([card])
            moved += self.exchange(one) + len(cards)
        return moved

    def check(self) -> Counter[str]:
        """Compare each machine with what the hub's history says."""
        folds = json.loads((self.home / "folds.json").read_text())
        found: Counter[str] = Counter()
        for one, curator in self.curators.items():
            team = self.scale.team(one)
            there, ids = folds[f"t{team}"], set()
            for entry in curator.lessons.entries(curator.lessons.library((State.ACTIVE, State.RETIRED))):
                here = [entry.headline, entry.insight, entry.state.value, sorted(entry.files)]
                ids.add(entry.id)
                found["foreign"] += f"(rule t{team}r" not in entry.headline
                found["different"] += here != there[entry.id]
            found["compared"] += len(ids)
            found["missing"] += sum(said[2] == "active" and id_ not in ids for id_, said in there.items())
            found["waiting"] += len(curator.store.hub.outbox(f"t{team}")) + len(curator.store.hub.undecided(f"t{team}"))
            found["refused"] += len(curator.store.hub.outbox(f"t{team}", refused=True))
        return found

    def serve(self) -> None:
        """Do what each line says, and answer with a line."""
        deeds: dict[str, Callable[[], Any]] = {
            name: getattr(self, name) for name in ("template", "copy", "live", "settle", "check")
        }
        for line in sys.stdin:
            print(json.dumps(deeds[line.strip()]()), flush=True)


# --- the simulation -----------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(slots=True)
class Result:
    """The findings of a simulation."""

    first_pull: float = 0.0
    delays: list[float] = dataclasses.field(default_factory=list)
    arrivals: list[float] = dataclasses.field(default_factory=list)
    late: float = 0.0
    cpu: float = 0.0
    events: int = 0
    lost: int = 0
    doubled: int = 0
    check: Counter[str] = dataclasses.field(default_factory=Counter)
    leaked: int = 0
    growth: dict[int, dict[str, float]] = dataclasses.field(default_factory=dict)


def simulate(scale: Scale, *, durable: bool = True) -> Result:
    """Write the history, live the last days, and compare everything with everything."""
    result = Result()
    with running(durable=durable) as server, tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        lay(server, scale)
        probe = Machines(home, str(server.folder), scale, 0)
        curator = probe.open("probe", 1)
        join(curator, probe.url(scale.processes), 1)
        for before, step in zip((0, *scale.steps), scale.steps, strict=False):
            with ThreadPoolExecutor(2) as pool:
                done = [
                    pool.submit(
                        write,
                        server.url(),
                        scale,
                        team,
                        scale.lessons(before, team) if before else 0,
                        scale.lessons(step, team),
                    )
                    for team in range(scale.teams)
                ]
            for one in done:
                one.result()
            result.growth[step] = grown(server, curator, scale.decisions)
            told(f"{step:,} lessons: {result.growth[step]}")
        curator.close()
        lived(server, home, scale, result)
    return result


def grown(server: Server, curator: Curator, decisions: int) -> dict[str, float]:
    """Measure a decision's exchange, a search and the tables."""
    use_case.sync(curator)
    ids = [entry.id for entry in curator.lessons.entries(curator.lessons.library(), decisions)]
    spent, searched = [], []
    for n, id_ in enumerate(ids):
        curator.decisions.edit(id_, insight=f"Seen {n} times, {time.time()}.")
        spent.append(seconds(lambda: use_case.sync(curator)))
    for n in range(SEARCHES):
        searched.append(seconds(lambda n=n: use_case.search(curator, f"{made.VERBS[n]} {made.THINGS[n]}", 20)))  # type: ignore[misc]
    with connect(server.url()) as connection:
        sizes = connection.execute(
            "SELECT pg_total_relation_size('curator.event') / 1e6, pg_total_relation_size('curator.lesson') / 1e6"
        ).fetchall()[0]
    return {"sync": median(spent), "search": median(searched), "event": float(sizes[0]), "lesson": float(sizes[1])}


def lived(server: Server, home: Path, scale: Scale, result: Result) -> None:
    """Let the developers live, in processes of their own."""
    settings = json.dumps(dataclasses.asdict(scale))
    command = [sys.executable, __file__, "machines", str(home), str(server.folder), settings]
    env = {**os.environ, "CURATOR_PLUGINS": "0"}
    begun = time.monotonic()
    people = [
        subprocess.Popen([*command, str(n)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)
        for n in range(scale.processes)
    ]
    try:
        result.first_pull = ask(people[:1], "template")[0][0]
        if rest := people[1:]:
            ask(rest, "template", together=2)
        ask(people, "copy", together=2)
        told(f"machines after {time.monotonic() - begun:.0f} s")
        events, cpu = count(server), spent_by(server)
        answers = ask(people, "live")
        lived_events = count(server) - events
        result.cpu = (spent_by(server) - cpu) / max(1, lived_events)
        told(f"lived after {time.monotonic() - begun:.0f} s")
        while sum(ask(people, "settle", together=2)):
            pass
        result.events = count(server) - events
        shared = [(id_, team) for answer in answers for id_, team, _ in answer["made"]]
        compare(server, home, scale, shared, result)
        for found in ask(people, "check", together=2):
            result.check.update(found)
    finally:
        for one in people:
            assert one.stdin
            one.stdin.close()
            one.wait()
    result.delays = [delay for answer in answers for delay in answer["delays"]]
    result.late = max(answer["late"] for answer in answers)
    result.arrivals = arrivals(answers)
    told(f"settled after {time.monotonic() - begun:.0f} s")


def ask(people: Sequence[subprocess.Popen[str]], deed: str, together: int = 0) -> list[Any]:
    """Have processes do something, all at once or some ``together``; returns their answers."""
    answers = []
    size = together or len(people)
    for start in range(0, len(people), size):
        some = people[start : start + size]
        for one in some:
            assert one.stdin
            one.stdin.write(f"{deed}\n")
            one.stdin.flush()
        for one in some:
            assert one.stdout
            answers.append(json.loads(one.stdout.readline()))
    return answers


def compare(server: Server, home: Path, scale: Scale, shared: Sequence[tuple[str, int]], result: Result) -> None:
    """Fold the history anew, and look for what is lost, doubled, or seen by another team."""
    folds: dict[str, dict[str, Any]] = {}
    with connect(server.url()) as connection:
        for team in range(scale.teams):
            fold: dict[str, Any] = {}
            events = connection.execute("SELECT lesson, patch FROM curator.event WHERE team = %s ORDER BY seq", (f"t{team}",))
            for id_, patch in events:
                fold[id_] = apply_patch(fold.get(id_, {}), patch)
            bodies = dict(connection.execute("SELECT id, body FROM curator.lesson WHERE team = %s", (f"t{team}",)).fetchall())
            result.lost += sum(fold[id_] != bodies.get(id_) for id_ in fold) + len(bodies.keys() - fold.keys())
            folds[f"t{team}"] = {
                id_: [one["headline"], one.get("insight", ""), one["state"], sorted(one.get("files", ()))]
                for id_, one in fold.items()
            }
        result.lost += sum(id_ not in folds[f"t{team}"] for id_, team in shared)
        for fold in folds.values():
            result.doubled += len(fold) - len({said[0] for said in fold.values()})
    for one in range(scale.developers):
        own = f"t{scale.team(one)}"
        with connect(server.url(login(one))) as connection:
            query = """SELECT (SELECT count(*) FROM curator.lesson WHERE team <> %s) + (SELECT count(*) FROM curator.event WHERE
                       team <> %s) + (SELECT count(*) FROM curator.search('rule', 100) WHERE team <> %s)"""
            result.leaked += connection.execute(query, (own, own, own)).fetchall()[0][0]
    (home / "folds.json").write_text(json.dumps(folds))


def arrivals(answers: Sequence[dict[str, Any]]) -> list[float]:
    """Seconds from a decision until the window of a colleague has the lesson."""
    first: dict[tuple[str, int], float] = {}
    for answer in answers:
        own = {id_ for id_, _, _ in answer["made"]}
        for id_, team, at in answer["seen"]:
            if id_ not in own:
                first[id_, team] = min(at, first.get((id_, team), at))
    said = {(id_, team): at for answer in answers for id_, team, at in answer["made"]}
    return [at - said[key] for key, at in first.items() if said.get(key)]


def seconds(work: Callable[[], object]) -> float:
    """Wall seconds of a call."""
    begun = time.monotonic()
    work()
    return time.monotonic() - begun


def count(server: Server) -> int:
    """Events of the hub."""
    with connect(server.url()) as connection:
        return int(connection.execute("SELECT count(*) FROM curator.event").fetchall()[0][0])


def spent_by(server: Server) -> float:
    """CPU seconds of the server and of all its processes that have ended, as those of finished exchanges have."""
    pid = (server.folder / "data" / "postmaster.pid").read_text().split()[0]
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def told(line: str) -> None:
    """Say how far it is."""
    print(line, file=sys.stderr, flush=True)


def high(values: Sequence[float]) -> float:
    """The 95th percentile."""
    return sorted(values)[int(0.95 * len(values))]


def figures(scale: Scale) -> Iterator[Figure | Growth]:
    """The figures of the design."""
    found = simulate(scale, durable=scale != SMALL)
    told(str((found.lost, found.doubled, found.leaked, found.events, found.late, found.check)))
    who = f"{scale.developers} developers, {scale.teams} teams, {scale.sessions:,} sessions in {scale.seconds:.0f} s"
    yield below(f"exchange after a decision, 95th percentile; {who}", 1000 * high(found.delays), 150, "ms", 0)
    yield below(
        f"arrival in the window of a colleague, 95th percentile of {len(found.arrivals)}", high(found.arrivals), 1, "s", 2
    )
    yield below(f"first fetch of {scale.first:,} lessons", found.first_pull, 5, "s")
    yield Figure("CPU of the server, fetches included, per event", f"{1000 * found.cpu:.0f} ms")
    wrong = found.lost + found.doubled + sum(found.check[name] for name in ("different", "missing", "waiting", "refused"))
    measure = (
        f"lessons lost, doubled or different, of {found.check['compared']:,} on all machines after {found.events:,} events"
    )
    yield below(measure, wrong, 0, "", 0)
    yield below("rows and lessons seen by another team", found.leaked + found.check["foreign"], 0, "", 0)
    for name, measure, unit, times in (
        ("sync", "exchange after a decision, median", "ms", 1000),
        ("search", "search in one's team, median", "ms", 1000),
        ("event", "table of events", "MB", 1),
        ("lesson", "table of lessons", "MB", 1),
    ):
        values = {step: one[name] * times for step, one in found.growth.items()}
        steps = {f"{step:,}": f"{value:.1f} {unit}" for step, value in values.items()}
        ratio = values[scale.steps[-1]] / values[scale.steps[0]]
        yield Growth(
            measure, "lessons", steps, f"{ratio:.1f} times as much for {scale.steps[-1] / scale.steps[0]:.0f} times the lessons"
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["machines"]:
        given = json.loads(sys.argv[4])
        Machines(Path(sys.argv[2]), sys.argv[3], Scale(**{**given, "steps": tuple(given["steps"])}), int(sys.argv[5])).serve()
    else:
        say(figures(SMALL if "--small" in sys.argv else Scale()))
