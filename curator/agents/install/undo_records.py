"""What was changed and how to take it back: one record a file, beside the database, with the bytes that were there before."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from curator.errors import CuratorError
from curator.io import atomic, private


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What we did to one file."""

    agents: tuple[str, ...] = ()
    after: str = ""
    """The digest of what we wrote; empty when the file held more than that, which restoring would lose."""
    backup: str = ""
    """Where the bytes from before are; empty if there were none, or they are not known to be without us."""
    created: bool = False
    folders: tuple[str, ...] = ()
    """Folders that we made for it, the outermost first."""


def digest(content: bytes) -> str:
    """How a file's content is told from another."""
    return sha256(content).hexdigest()


class Receipts:
    """The records, in ``installed.json`` of a folder of ours, and the backups below it."""

    def __init__(self, home: Path) -> None:
        self.file = home / "installed.json"
        self.backups = home / "backups"
        self.all = dict(self._read())

    def _read(self) -> Mapping[str, Receipt]:
        try:
            data = json.loads(self.file.read_text(encoding="utf-8"))
            return {path: _receipt(fields) for path, fields in data.items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError, AttributeError) as error:
            hint = "Move it away: without it uninstall takes out our entries one by one instead of restoring whole files."
            raise CuratorError(f"{self.file} can't be read: {error}", hint) from error

    def before(self, path: Path) -> bytes | None:
        """The bytes from before, if they are known and there were any."""
        found = self.all.get(str(path))
        if not found or not found.backup:
            return None
        try:
            return Path(found.backup).read_bytes()
        except OSError:
            return None

    def keep(self, path: Path, content: bytes) -> str:
        """Put bytes aside, readable by nobody else, since settings hold keys. Returns where."""
        private.folder(self.backups)
        copy = self.backups / f"{digest(str(path).encode())[:12]}-{digest(content)[:12]}-{path.name}"
        with os.fdopen(os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(content)
        return str(copy)

    def set(self, path: Path, receipt: Receipt | None) -> None:
        """Record, or forget together with the backup."""
        old = self.all.get(str(path))
        self.note(path, receipt)
        self.discard(path, old)

    def note(self, path: Path, receipt: Receipt | None) -> None:
        """Record, or forget; the backups stay until that came true."""
        self.all.pop(str(path), None)
        if receipt is not None:
            self.all[str(path)] = receipt
        self._write()

    def discard(self, path: Path, old: Receipt | None) -> None:
        """Remove the backup of a record that stands no more."""
        now = self.all.get(str(path))
        if old and old.backup and (now is None or now.backup != old.backup):
            with suppress(OSError):
                Path(old.backup).unlink()
            with suppress(OSError):
                self.backups.rmdir()

    def _write(self) -> None:
        if not self.all:
            self.file.unlink(missing_ok=True)
            return
        rows = {path: asdict(receipt) for path, receipt in sorted(self.all.items())}
        atomic.write(self.file, json.dumps(rows, indent=2) + "\n")


def _receipt(fields: Mapping[str, object]) -> Receipt:
    agents, folders = fields["agents"], fields.get("folders", [])
    if not isinstance(agents, list) or not isinstance(folders, list):
        raise ValueError("agents and folders must be lists")
    return Receipt(
        agents=tuple(map(str, agents)),
        after=str(fields.get("after", "")),
        backup=str(fields.get("backup", "")),
        created=fields.get("created") is True,
        folders=tuple(map(str, folders)),
    )
