"""A real PostgreSQL on a Unix socket in a temporary folder, run by an ordinary user."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def binaries() -> Path:
    """The folder of the newest server on this machine; the test is skipped where there is none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]))
    program = shutil.which("postgres") or (found and str(found[-1]))
    if not program:
        pytest.skip("no PostgreSQL server on this machine (Debian's package is called postgresql)")
    return Path(program).parent


class Server:
    """A server that can be stopped, killed and started again."""

    def __init__(self, folder: Path, bin: Path, user: str, *, durable: bool) -> None:
        self.folder = folder
        self.bin = bin
        self.user = user
        self.durable = durable

    def run(self, *words: str | Path) -> None:
        subprocess.run(self.words(*words), check=True, capture_output=True, cwd=self.folder)

    def words(self, *words: str | Path) -> list[str | Path]:
        return [*(("runuser", "-u", self.user, "--") if self.user else ()), *words]

    def make(self) -> None:
        self.run(self.bin / "initdb", "-D", self.folder / "data", "-U", "admin", "-A", "trust", "-E", "UTF8", "--no-sync")

    def start(self) -> None:
        options = f"{'' if self.durable else '-F'} -c listen_addresses= -c max_connections=60"
        self.run(
            self.bin / "pg_ctl", "-D", self.folder / "data", "-w", "-l", self.folder / "log",
            "-o", f"{options} -k {self.folder}", "start",
        )  # fmt: skip

    def stop(self, how: str = "fast") -> None:
        self.run(self.bin / "pg_ctl", "-D", self.folder / "data", "-m", how, "-w", "stop")

    def url(self, login: str = "admin", database: str = "postgres") -> str:
        return f"host={self.folder} user={login} dbname={database}"


@contextmanager
def running(*, durable: bool = False) -> Iterator[Server]:
    """A server of its own; only one that is ``durable`` waits for the disk."""
    bin = binaries()
    user = ""
    folder = Path(tempfile.mkdtemp(prefix="hub", dir="/tmp"))  # a socket's path must be short
    if os.geteuid() == 0:
        names = [one.pw_name for one in pwd.getpwall() if one.pw_name in ("postgres", "nobody")]
        if not names:
            pytest.skip("PostgreSQL does not run as root, and there is no other user")
        user = "postgres" if "postgres" in names else names[0]
        os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
    server = Server(folder, bin, user, durable=durable)
    try:
        server.make()
        server.start()
        yield server
    finally:
        if (folder / "data" / "postmaster.pid").exists():
            server.stop("immediate")
        shutil.rmtree(folder, ignore_errors=True)
