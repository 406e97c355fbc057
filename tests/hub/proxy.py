"""A network between a machine and the hub that is cut after so many bytes, in the midst of a message."""

from __future__ import annotations

import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


class Proxy:
    """A socket that passes everything on to a server's until ``left`` bytes have gone by, in both directions together."""

    def __init__(self, server: Path, folder: Path) -> None:
        self.server = server / ".s.PGSQL.5432"
        self.left = 0
        self.cuts = 0
        self.lock = threading.Lock()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(folder / ".s.PGSQL.5432"))
        self.listener.listen()

    def accept(self) -> None:
        """Serve until the listener is closed."""
        with suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(str(self.server))
                for pair in ((client, server), (server, client)):
                    threading.Thread(target=self.pass_on, args=pair, daemon=True).start()

    def pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(4096):
                with self.lock:
                    part = data[: self.left]
                    self.left -= len(part)
                    self.cuts += len(part) < len(data)
                target.sendall(part)
                if len(part) < len(data):
                    break
        for one in (source, target):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


@contextmanager
def cutting(server: Path) -> Iterator[tuple[Proxy, str]]:
    """A proxy before a server, and the folder in which it listens."""
    with tempfile.TemporaryDirectory(prefix="cut", dir="/tmp") as folder:
        proxy = Proxy(server, Path(folder))
        thread = threading.Thread(target=proxy.accept, daemon=True)
        thread.start()
        yield proxy, folder
        with suppress(OSError):
            proxy.listener.shutdown(socket.SHUT_RDWR)
        proxy.listener.close()
        thread.join(30)
