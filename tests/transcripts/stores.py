"""Two made-up formats whose transcripts are no files that grow: a database with its write-ahead log, and a JSON document
that is rewritten whole beside a second one. And a program that owns such a database, in a process of its own.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from curator.hookspecs import NOTHING_KNOWN, Format, Mark, Reading, hookimpl
from curator.io import sqlite
from curator.model import Locator, Role, Turn
from curator.transcripts.base import discover

PORTION = 5
CONTEXT = 2
ROLES = {"user": Role.HUMAN, "agent": Role.ASSISTANT}


def turn(agent: str, path: Path, number: int, session: str, role: str, text: str, cwd: str = "") -> Turn:
    where = Locator(str(path), number, number, f"{session}-{number}")
    return Turn(agent=agent, session=session, role=ROLES[role], text=text, locator=where, at=1_790_000_000.0 + number, cwd=cwd)


class Ledger:
    """A database of one table, read in portions of five rows; the window has two rows as context."""

    agent = "ledger"
    rewrites = True

    def roots(self, home: Path, env: Mapping[str, str]) -> Sequence[Path]:
        return (home / ".ledger",)

    def find(self, root: Path, known: Mapping[Path, str] = NOTHING_KNOWN) -> Sequence[Path]:
        found = discover.files_below(root, ".ledger")
        return tuple(path for path in found if discover.is_of(self.agent, path, self.claims, known))

    def claims(self, path: Path, head: bytes) -> bool:
        return path.suffix == ".ledger" and head.startswith(sqlite.MAGIC)

    def read(self, path: Path, start: Mark) -> Reading:
        done, window = start.memory.get("done", 0), start.memory.get("window", 0)
        question = "SELECT id, session, role, text, cwd FROM said WHERE id > ? ORDER BY id LIMIT ?"
        rows = sqlite.rows(path, question, (window, PORTION + done - window))
        turns = [turn(self.agent, path, *row) for row in rows]
        last = rows[-1][0] if rows else done
        mark = Mark(last, last, {"done": last, "window": max(0, last - CONTEXT)})
        more = bool(sqlite.rows(path, "SELECT 1 FROM said WHERE id > ? LIMIT 1", (last,)))
        return Reading(turns, mark, mark, old_turns=min(done - window, len(turns)), more=more)

    def companions(self, path: Path) -> Sequence[Path]:
        return sqlite.companions(path)

    def transcript(self, written: Path) -> Path | None:
        return sqlite.owner(written)


class Binder:
    """A folder with ``talk.json``, a list of texts, and ``about.json``, which says in which folder; each is rewritten whole."""

    agent = "binder"
    rewrites = True

    def roots(self, home: Path, env: Mapping[str, str]) -> Sequence[Path]:
        return (home / ".binder",)

    def find(self, root: Path, known: Mapping[Path, str] = NOTHING_KNOWN) -> Sequence[Path]:
        found = discover.files_below(root, ".json")
        return tuple(path for path in found if discover.is_of(self.agent, path, self.claims, known))

    def claims(self, path: Path, head: bytes) -> bool:
        return path.name == "talk.json"

    def read(self, path: Path, start: Mark) -> Reading:
        about = path.with_name("about.json")
        try:
            texts = json.loads(path.read_bytes())
            cwd = json.loads(about.read_bytes())["cwd"] if about.exists() else ""
        except ValueError as error:
            raise OSError(f"it is no whole JSON document yet: {error}") from error
        turns = [turn(self.agent, path, at, path.parent.name, "user", text, cwd) for at, text in enumerate(texts, 1)]
        mark = Mark(len(turns), len(turns))
        return Reading(turns, mark, mark, old_turns=min(start.line, len(turns)))

    def companions(self, path: Path) -> Sequence[Path]:
        return (path.with_name("about.json"),)

    def transcript(self, written: Path) -> Path | None:
        return written.with_name("talk.json") if written.name == "about.json" else None


class Plugin:
    """Both formats, as a plugin registers them."""

    @hookimpl
    def register_formats(self, register: Callable[[Format], None]) -> None:
        register(Ledger())
        register(Binder())


OWNER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
connection.execute("PRAGMA journal_mode = WAL")
connection.execute("CREATE TABLE IF NOT EXISTS said (id INTEGER PRIMARY KEY, session TEXT, role TEXT, text TEXT, cwd TEXT)")
print("open", flush=True)
for line in sys.stdin:
    command, _, rest = line.rstrip("\\n").partition(" ")
    if command == "say":
        connection.execute("INSERT INTO said (session, role, text, cwd) VALUES (?, ?, ?, ?)", rest.split("|"))
    elif command == "checkpoint":
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    print("done", flush=True)
"""


class Owner:
    """The program that writes a database. It never waits for a lock: whoever holds one makes it fail."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.process = subprocess.Popen(
            [sys.executable, "-c", OWNER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._answered("open")

    def says(self, text: str, *, session: str = "s1", role: str = "user", cwd: str = "/srv/app") -> None:
        self._tell(f"say {session}|{role}|{text}|{cwd}")

    def checkpoints(self) -> None:
        self._tell("checkpoint")

    def _tell(self, line: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        self._answered("done")

    def _answered(self, word: str) -> None:
        assert self.process.stdout
        assert self.process.stdout.readline() == f"{word}\n", "the owner's write failed"

    def leave(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        assert self.process.wait(timeout=20) == 0
        if self.process.stdout:
            self.process.stdout.close()


class Database:
    """A made-up database of an agent, with its ``tables``."""

    tables = ""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self.run(self.tables)

    def run(self, script: str) -> None:
        with closing(sqlite3.connect(self.path)) as connection, connection:
            connection.executescript(script)

    def fill(self, statement: str, *row: Any) -> None:
        with closing(sqlite3.connect(self.path)) as connection, connection:
            connection.execute(statement, row)


def rows(path: Path) -> int:
    """How many rows a database has, for those who may lock it."""
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("SELECT count(*) FROM said").fetchone()[0])


def rows_of(path: Path, question: str) -> list[Any]:
    """The rows that a question gives."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(question).fetchall()
