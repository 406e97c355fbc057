"""Damage: a real database broken in every way we know, every command run on it, and what comes back after recovery.

``python tests/benchmarks/damage.py --count 400`` prints what docs/reliability.md says. Each database is tried in a process of
its own, which may neither hang nor end otherwise than by itself.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import io
import json
import os
import random
import shutil
import sqlite3
import stat
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path

from curator.app import Curator, explain, settling
from curator.errors import CuratorError
from curator.model import PERSON, Category, Change, Entry, Evidence, Project, Role, State, Verb
from curator.settings import Settings
from curator.store import backups
from curator.store.recovery import UNDECIDED
from curator.store.rows import lenient

PAGE = 4096
SECONDS = 40
"""So long all commands on one database may take."""
NOBODY = 65534
RIGHTS = ("read-only", "no right")
"""Damages that who may do everything does not notice."""

Damage = Callable[[Path, random.Random], None]


# --- ways of breaking -------------------------------------------------------------------------------------------------


def _wal(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _change(path: Path, at: int, data: bytes) -> None:
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(data)


def flip(path: Path, chance: random.Random) -> None:
    """Flip some bytes anywhere behind the header."""
    size = path.stat().st_size
    for _ in range(chance.choice((1, 3, 20, 200))):
        _change(path, chance.randrange(100, size), bytes([chance.randrange(256)]))


def zero_pages(path: Path, chance: random.Random) -> None:
    """Zero some pages."""
    pages = path.stat().st_size // PAGE
    for _ in range(chance.choice((1, 2, 8))):
        _change(path, chance.randrange(1, pages) * PAGE, b"\0" * PAGE)


def foreign_page(path: Path, chance: random.Random) -> None:
    """Put one page in another's place, as a file system does that lost its order."""
    data = path.read_bytes()
    one, other = chance.randrange(1, len(data) // PAGE), chance.randrange(1, len(data) // PAGE)
    _change(path, one * PAGE, data[other * PAGE : (other + 1) * PAGE])


def truncate(path: Path, chance: random.Random) -> None:
    """Cut the file anywhere."""
    os.truncate(path, chance.randrange(1, path.stat().st_size))


def header(path: Path, chance: random.Random) -> None:
    """Break the header: its name, the size of pages, the version of the format, the schema's number, all of it."""
    at, size = chance.choice(((0, 16), (16, 2), (18, 2), (44, 4), (56, 4), (0, 100)))
    _change(path, at, chance.randbytes(size))


def schema_page(path: Path, chance: random.Random) -> None:
    """Break bytes of the page that holds the schema, so that names and statements are no UTF-8."""
    for _ in range(chance.choice((1, 5, 40))):
        _change(path, chance.randrange(108, PAGE), bytes([chance.choice((0xFF, 0xC3, chance.randrange(256)))]))


def log_flipped(path: Path, chance: random.Random) -> None:
    """Break bytes of the write-ahead log."""
    size = _wal(path).stat().st_size
    for _ in range(chance.choice((1, 5, 50))):
        _change(_wal(path), chance.randrange(size), bytes([chance.randrange(256)]))


def log_cut(path: Path, chance: random.Random) -> None:
    """Cut the write-ahead log."""
    os.truncate(_wal(path), chance.randrange(_wal(path).stat().st_size))


def log_gone(path: Path, chance: random.Random) -> None:
    """Delete the write-ahead log."""
    _wal(path).unlink()


def log_of_another(path: Path, chance: random.Random) -> None:
    """Put the write-ahead log of another database beside this one."""
    other = path.with_name("other.db")
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE notes (a TEXT, b TEXT)")
        rows = [(str(number), "x" * chance.randrange(2000)) for number in range(60)]
        connection.executemany("INSERT INTO notes VALUES (?, ?)", rows)
        connection.commit()
        shutil.copyfile(_wal(other), _wal(path))
    other.unlink()


VALUES = (
    *('{"broken":', "[]", "null", "1", '"text"', "", "{}", '{"id":1}', '{"state":"none"}', "NaN", '{"id":"X","state":"open"}'),
    *(
        "\0",
        "z" * 3_000_000,
        "[" * 5_000,
        '{"updated":1e999}',
        '{"evidence":[{"quote":1}]}',
        '{"findings":[null],"anchors":{}}',
    ),
)
COLUMNS = tuple(
    (table, column)
    for table, columns in {
        "entries": "body body state id category kind headline",
        "events": "before after verb actor batch of",
        "files": "followed unknown",
        "written": "base",
        "projects": "folder",
        "receipts": "body",
        "lessons": "line told places project",
        "outcomes": "kind",
    }.items()
    for column in columns.split()
)
NUMBERS = tuple(
    (table, column)
    for table, columns in {
        "entries": "created updated score rank",
        "events": "at seconds",
        "learned": "odds",
        "outcomes": "weight",
        "lessons": "outcome_odds created",
        "receipts": "at",
    }.items()
    for column in columns.split()
)


def _write(path: Path, table: str, column: str, value: object, chance: random.Random) -> None:
    with closing(sqlite3.connect(path)) as connection, contextlib.suppress(sqlite3.Error):
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET sql = replace(sql, 'STRICT, WITHOUT ROWID', 'WITHOUT ROWID') ")
        connection.execute("UPDATE sqlite_master SET sql = replace(sql, ') STRICT', ')')")
        connection.execute("DROP INDEX IF EXISTS entries_everywhere")
        connection.commit()
    with closing(sqlite3.connect(path)) as connection, contextlib.suppress(sqlite3.Error):
        some = chance.choice((1, 1, 3, 1000))
        key = f'SELECT "{column}" FROM {table} ORDER BY random() LIMIT {some}'
        connection.execute(f'UPDATE OR IGNORE {table} SET "{column}" = ? WHERE "{column}" IN ({key})', (value,))
        connection.commit()


def foreign_text(path: Path, chance: random.Random) -> None:
    """Write texts that make no sense into some rows: broken JSON, JSON of something else, three megabytes."""
    _write(path, *chance.choice(COLUMNS), chance.choice(VALUES), chance)


def foreign_type(path: Path, chance: random.Random) -> None:
    """Write values of another type, no number, or a time beyond all years into some rows."""
    if chance.random() < 0.5:
        values = ("yesterday", None, b"\xff\xfe", 1e300, -1e300, float("inf"), 9_000_000_000_000_000)
        _write(path, *chance.choice(NUMBERS), chance.choice(values), chance)
    else:
        _write(path, *chance.choice(COLUMNS), chance.choice((b"\x00\xff", None, 7, 1.5)), chance)


def no_utf8(path: Path, chance: random.Random) -> None:
    """Write bytes that are no UTF-8 into texts."""
    table, column = chance.choice(COLUMNS)
    with closing(sqlite3.connect(path)) as connection, contextlib.suppress(sqlite3.Error):
        broken = f"CAST(CAST(\"{column}\" AS BLOB) || x'FFC328' AS TEXT)"
        connection.execute(f'UPDATE OR IGNORE {table} SET "{column}" = {broken} WHERE random() % 2 = 0')
        connection.commit()


def missing_table(path: Path, chance: random.Random) -> None:
    """Drop a table."""
    names = (
        "entries events files first_tellers error_sessions learned unlearned projects folders accepted written "
        "receipts deliveries outcomes delivery_sessions drained lessons lesson_terms lesson_places stating_files "
        "compared vectors recall tombstones recall_data"
    )
    with closing(sqlite3.connect(path)) as connection, contextlib.suppress(sqlite3.Error):
        connection.execute(f"DROP TABLE {chance.choice(names.split())}")
        connection.commit()


def missing_index(path: Path, chance: random.Random) -> None:
    """Drop an index."""
    with closing(sqlite3.connect(path)) as connection:
        listed = connection.execute("SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
        names = [row[0] for row in listed]
        connection.execute(f"DROP INDEX {chance.choice(names)}")
        connection.commit()


def wrong_version(path: Path, chance: random.Random) -> None:
    """Say another version of the schema."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {chance.choice((0, 1, 5, 10, 13, 99, 2**31 - 1, -1, -(2**31)))}")


def garbage(path: Path, chance: random.Random) -> None:
    """Put something else in its place."""
    path.write_bytes(chance.choice((b"this was never a database\n" * 400, chance.randbytes(50_000), b"\0" * 20_000)))


def empty(path: Path, chance: random.Random) -> None:
    """Empty it."""
    os.truncate(path, 0)


def gone(path: Path, chance: random.Random) -> None:
    """Delete it, with or without its log."""
    path.unlink()
    if chance.random() < 0.5:
        _wal(path).unlink()


def folder(path: Path, chance: random.Random) -> None:
    """Put a folder in its place."""
    path.unlink()
    path.mkdir()


def pipe(path: Path, chance: random.Random) -> None:
    """Put a named pipe in its place, or in that of its log."""
    one = chance.choice((path, _wal(path)))
    one.unlink()
    os.mkfifo(one)


def read_only(path: Path, chance: random.Random) -> None:
    """Let nobody write it."""
    for one in (path, _wal(path)):
        one.chmod(0o444)


def no_right(path: Path, chance: random.Random) -> None:
    """Let nobody read it."""
    path.chmod(0)


DAMAGES: dict[str, Damage] = {
    "bytes flipped": flip,
    "pages zeroed": zero_pages,
    "page of elsewhere": foreign_page,
    "cut": truncate,
    "header": header,
    "schema": schema_page,
    "log flipped": log_flipped,
    "log cut": log_cut,
    "log gone": log_gone,
    "log of another": log_of_another,
    "text that makes no sense": foreign_text,
    "value of another type": foreign_type,
    "no UTF-8": no_utf8,
    "table missing": missing_table,
    "index missing": missing_index,
    "version": wrong_version,
    "garbage": garbage,
    "empty": empty,
    "gone": gone,
    "folder": folder,
    "pipe": pipe,
    "read-only": read_only,
    "no right": no_right,
}


# --- a database to break ----------------------------------------------------------------------------------------------


def made(home: Path, work: Path, count: int = 40) -> list[tuple[str, str, str, bytes]]:
    """A database with verdicts of every kind, half of them older than its backup, the last still in its log.

    Returns what is known of each verdict: (batch, entry, verb, the texts of its row as they stand in the file).
    """
    work.mkdir(parents=True, exist_ok=True)
    project = Project(id="p1", name="work", folder=str(work))
    curator = Curator(Settings(home=home), project)
    try:
        store = curator.store
        store.sources.remember(project, str(work))
        for number in range(count):
            store.apply([(Verb.PROPOSE, Change(before=None, after=entry(number)))], actor="detector", at=1_780_000_000.0)
        for number in range(count):
            if number == count // 2:
                settling.settle(curator, [])  # the day's backup
            if number == count * 3 // 4:
                store.empty_log()
            decided(curator, number)
        with closing(sqlite3.connect(store.path)) as reader:  # a reader keeps the log from being written back
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM entries").fetchone()
            decided(curator, count - 2)
            rows = store.connection.execute(
                'SELECT batch, id, verb, actor, project, before, after, "of" FROM events WHERE actor = ?', (PERSON,)
            ).fetchall()
            known = [
                (batch, id_, verb, "".join((actor, verb, id_, project_, before or "", after or "", of)).encode())
                for batch, id_, verb, actor, project_, before, after, of in rows
                if verb not in UNDECIDED
            ]
            copy = home.with_name("kept")
            copy.mkdir()
            for one in (store.path, _wal(store.path)):
                shutil.copyfile(one, copy / one.name)
    finally:
        curator.close()
    for one in copy.iterdir():  # as a machine leaves it that stopped: with its log
        shutil.copyfile(one, home / one.name)
    shutil.rmtree(copy)
    return known


def entry(number: int) -> Entry:
    """A candidate."""
    said = f"always use tool {number}"
    return Entry(
        id=f"AAAA-{number:04d}",
        project="p1",
        state=State.OPEN,
        category=Category.CONVENTION,
        headline=f"Use tool {number} for it",
        insight=f"Task {number} works only with tool {number}. {'It is long. ' * (number % 7 * 60)}",
        created=1.78e9,
        updated=1.78e9,
        score=0.5,
        signal="standing-rule",
        fingerprint=f"print-{number}",
        agent="claude-code",
        session=f"s{number}",
        evidence=(Evidence(quote=said, role=Role.HUMAN, file="a.jsonl", line=number, line_end=number, session=f"s{number}"),),
    )


def decided(curator: Curator, number: int) -> None:
    """Decide on a candidate in one of the ways there are."""
    id_ = f"AAAA-{number:04d}"
    way = number % 6
    if way == 0:
        curator.verdicts.accept([id_])
    elif way == 1:
        curator.verdicts.drop([id_], reason="wrong")
    elif way == 2:
        curator.verdicts.snooze([id_])
    elif way == 3:
        curator.verdicts.accept([id_])
        curator.verdicts.undo()
    elif way == 4:
        curator.verdicts.edit(id_, headline=f"Use another tool than {number}", keep=True)


# --- running everything on it -----------------------------------------------------------------------------------------

COMMANDS = (
    *("list", "list --candidates", "list --json", "show AAAA-0000", "show AAAA-0005", "keep AAAA-0005", "retire AAAA-0011"),
    *("undo", "redo", "history", "history AAAA-0000", "doctor", "status", "status --line", "stats", "check", "search tool"),
    *("export", "import", "why", "where", "cleanup", "scan", "review --plain", "hook", "inbox", "restore"),
)


@dataclass(slots=True)
class Result:
    """What came of one database: actions, exceptions without a sentence, verdicts readable before and lost after recovery."""

    kind: str
    seed: int
    actions: int = 0
    unspoken: list[str] = field(default_factory=list)
    readable: int = 0
    lost: int = 0
    back: int = 0
    verdicts: int = 0
    hung: bool = False


def tried(kind: str, seed: int, commands: Sequence[str] = COMMANDS, *, backup: bool | None = None) -> Result:
    """Break a database, run the commands on it in a process of their own, recover it, and count."""
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        result = Path(place, "result.json")
        child = os.fork()
        if child == 0:
            code = 1
            try:
                with open(os.devnull, "r+b") as null:
                    os.dup2(null.fileno(), 0)
                found = _tried(Path(place), kind, seed, commands, backup)
                result.write_text(json.dumps(asdict(found)), encoding="utf-8")
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        until = time.monotonic() + SECONDS
        while not os.waitpid(child, os.WNOHANG)[0]:
            if time.monotonic() > until:
                os.kill(child, 9)
                os.waitpid(child, 0)
                return Result(kind, seed, hung=True, unspoken=["it hung"])
            time.sleep(0.005)
        if not result.exists():
            return Result(kind, seed, unspoken=["the process ended"])
        return Result(**json.loads(result.read_text(encoding="utf-8")))


def _tried(place: Path, kind: str, seed: int, commands: Sequence[str], backup: bool | None) -> Result:
    home, work = place / "home", place / "work"
    os.environ |= {"HOME": str(place), "CURATOR_HOME": str(home), "CURATOR_PLUGINS": "0", "TERM": "xterm", "LC_ALL": "C.UTF-8"}
    os.environ.pop("XDG_DATA_HOME", None)
    chance = random.Random(f"{kind} {seed}")
    known = made(home, work)
    path = home / "curator.db"
    if not (chance.random() < 0.5 if backup is None else backup):
        backups.drop(path)
    os.chdir(work)
    if kind in RIGHTS:
        for command in commands:  # all that is imported late: nobody else may read where Python is
            _unspoken(command, work)
        shutil.rmtree(home)
        known = made(home, work)
    DAMAGES[kind](path, chance)
    if kind in RIGHTS:
        _give_up_rights(place, path)
    here = _bytes(path) + b"|" + _bytes(_wal(path)) if kind != "no right" else b""
    result = Result(kind, seed, verdicts=len(known))
    for command in commands:
        result.actions += 1
        if (said := _unspoken(command, work)) is not None:
            result.unspoken.append(f"{command}: {said}")
    readable = [one for one in known if _legible(one[0].encode(), one[3], here)]
    _recover(home, result)
    kept = _stored(path)
    result.readable = len(readable)
    result.lost = sum((batch, id_, verb) not in kept for batch, id_, verb, _ in readable)
    result.back = sum((batch, id_, verb) in kept for batch, id_, verb, _ in known)
    return result


def _legible(batch: bytes, texts: bytes, here: bytes) -> bool:
    """Whether a row's texts stand in the file as they were: the batch, up to eight bytes of its time, and all others."""
    at = here.find(texts)
    while at >= 0:
        if any(here[at - gap - len(batch) : at - gap] == batch for gap in range(9)):
            return True
        at = here.find(texts, at + 1)
    return False


def _give_up_rights(place: Path, path: Path) -> None:
    """Where we may do everything, be somebody who may not; the database stays ours."""
    if os.geteuid() != 0:
        return  # who is not root has none of these rights anyway
    for one in (place, *place.rglob("*")):
        if not one.is_symlink() and one not in (path, _wal(path)):
            os.chown(one, NOBODY, NOBODY)
    for one in (path, _wal(path)):
        if one.exists() and stat.S_IMODE(one.stat().st_mode) not in (0, 0o444):
            os.chown(one, NOBODY, NOBODY)
    os.setegid(NOBODY)
    os.seteuid(NOBODY)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes() if path.is_file() else b""
    except OSError:
        return b""


def _unspoken(command: str, work: Path) -> str | None:
    """What a command said that no person should see; nothing where it did its work, or said in a sentence why not."""
    told = io.StringIO()
    try:
        if command == "inbox":
            asyncio.run(_inbox(work))
            return None
        if command == "hook":
            return _hook(work)
        from curator.__main__ import open_inbox, smoke, themes
        from curator.cli import Faces, run

        sys.stdin = io.StringIO("y\nx\nu\nq\n")
        with contextlib.redirect_stdout(_Bytes(told)), contextlib.redirect_stderr(told):
            run(command.split(), Faces(inbox=open_inbox, smoke=smoke, themes=themes))
    except BaseException as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return f"{error!r:.200} at {Path(where.filename).name}:{where.lineno}"
    text = told.getvalue()
    for sign in ("Traceback (most recent", "not foreseen"):
        if sign in text:
            return text[text.index(sign) :][:300]
    return None


class _Bytes(io.TextIOWrapper):
    """Standard output into a text, whether letters or bytes are written."""

    def __init__(self, told: io.StringIO) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)
        self.told = told

    def write(self, text: str) -> int:
        return self.told.write(text)


def _hook(work: Path) -> str | None:
    from curator.hooks import answer

    payload = {"session_id": "s", "cwd": str(work), "prompt": "which tool for task 0?", "hook_event_name": "UserPromptSubmit"}
    begin = time.monotonic()
    answer.answer(("claude-code", "UserPromptSubmit"), json.dumps(payload).encode())
    return None if time.monotonic() - begin < 2.0 else "the hook took seconds"


async def _inbox(work: Path) -> None:
    from curator.settings import load
    from curator.tui.app import CuratorApp

    try:
        curator = Curator(load(), Project(id="p1", name="work", folder=str(work)))
    except CuratorError:
        return
    try:
        app = CuratorApp(curator, watch=False)
    except CuratorError:
        curator.close()
        return
    said: list[BaseException] = []
    say = app.say

    def noting(error: BaseException) -> None:
        said.append(error)
        say(error)

    app.say = noting  # type: ignore[method-assign]
    async with app.run_test(size=(100, 30)) as pilot:
        for key in ("j", "y", "u", "slash", "t", "escape", "l", "g", "l", "j", "g", "h", "escape"):
            await pilot.press(key)
        await app.workers.wait_for_complete()
        await pilot.pause()
    strange = [one for one in said if not isinstance(one, Exception) or explain(one, curator.store.path) is None]
    curator.close()
    if strange:
        raise strange[0]


def _recover(home: Path, result: Result) -> None:
    """What a person does who reads the sentence."""
    from curator.app import restore
    from curator.settings import load

    try:
        restore.restore(load(), restore.NOW)
    except CuratorError:
        return
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        result.unspoken.append(f"restore now: {error!r} at {Path(where.filename).name}:{where.lineno}")


def _stored(path: Path) -> set[tuple[str, str, str]]:
    if not path.is_file() or not all(one.is_file() for one in (_wal(path),) if one.exists()):
        return set()
    try:
        with closing(sqlite3.connect(path)) as connection:
            connection.text_factory = lenient
            return set(connection.execute("SELECT batch, id, verb FROM events").fetchall())
    except sqlite3.Error:
        return set()


def all_tried(count: int, kinds: Sequence[str], commands: Sequence[str], first: int = 0) -> Iterator[Result]:
    """So many databases, each kind of damage in its turn."""
    for number in range(first, count):
        yield tried(kinds[number % len(kinds)], number, commands)


def warm() -> None:
    """Import here what every process would import."""
    import curator.cli.main
    import curator.tui.app

    assert curator.tui.app
    curator.cli.main.commands()


def main() -> int:
    """Print the counts, and each exception without a sentence once; 1 where there is any, or a readable verdict was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=len(DAMAGES), help="databases in all")
    parser.add_argument("--first", type=int, default=0, help="the number of the first: each is broken in its own way")
    parser.add_argument("--kinds", default="", help="kinds of damage, separated by commas")
    parser.add_argument("--commands", default="", help="commands, separated by commas")
    given = parser.parse_args()
    commands = given.commands.split(",") if given.commands else COMMANDS
    kinds = given.kinds.split(",") if given.kinds else list(DAMAGES)
    warm()
    found = list(all_tried(given.count, kinds, commands, given.first))
    print("| damage | databases | actions | without a sentence | verdicts readable | lost | back in all |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for kind in [*kinds, "all"]:
        of = [one for one in found if kind in (one.kind, "all")]
        sums = [sum(getattr(one, name) for one in of) for name in ("actions", "readable", "lost", "back", "verdicts")]
        bad = sum(len(one.unspoken) for one in of)
        print(f"| {kind} | {len(of)} | {sums[0]:,} | {bad} | {sums[1]:,} | {sums[2]} | {sums[3]:,} of {sums[4]:,} |")
    for said, times in Counter(said for one in found for said in one.unspoken).most_common():
        example = next(f"{one.kind} {one.seed}" for one in found if said in one.unspoken)
        print(f"{times} x [{example}] {said}")
    for one in found:
        if one.lost:
            print(f"lost {one.lost} of {one.readable}: {one.kind} {one.seed}")
    return int(any(one.unspoken or one.lost for one in found))


if __name__ == "__main__":
    sys.exit(main())
