"""Plans of file changes: first a preview, then backups, atomic writes and undo records.

An undo record per file is stored next to the database, with the previous bytes.
"""

from __future__ import annotations

import difflib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from curator.agents.install.json_edit import malformed_file
from curator.agents.install.parts import OwnedFile, Target
from curator.errors import ConcurrentChange, CuratorError
from curator.io import files


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Our change of one file."""

    agents: tuple[str, ...] = ()
    after: str = ""
    """The digest of the written file; empty if the file had more than curator's part, because restoring would lose that."""
    backup: str = ""
    """The file with the earlier bytes. It is empty if there were none, or they may contain curator's text."""
    created: bool = False
    folders: tuple[str, ...] = ()
    """Folders that we made for it, the outermost first."""
    theirs: bool = False
    """True if all our text was there before we came: then nothing is taken out."""


def digest(content: bytes) -> str:
    """Return a digest that is different for different contents."""
    return sha256(content).hexdigest()


class Receipts:
    """The undo records, in ``installed.json`` of curator's folder, with the backups next to it."""

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
            hint = "Move the file away. Without it, uninstall removes curator's entries one by one instead of restoring files."
            raise CuratorError(f"{self.file} can't be read: {error}", hint) from error

    def before(self, path: Path) -> bytes | None:
        """Return the earlier bytes, if they are known and there were any."""
        found = self.all.get(str(path))
        if not found or not found.backup:
            return None
        try:
            return Path(found.backup).read_bytes()
        except OSError:
            return None

    def keep(self, path: Path, content: bytes) -> str:
        """Store a backup that only its owner can read, since settings hold keys. Return its path."""
        files.private_folder(self.backups)
        copy = self.backups / f"{digest(str(path).encode())[:12]}-{digest(content)[:12]}-{path.name}"
        with os.fdopen(os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(content)
        return str(copy)

    def note(self, path: Path, receipt: Receipt | None) -> None:
        """Record or forget a receipt. The backups stay until that is saved."""
        self.all.pop(str(path), None)
        if receipt is not None:
            self.all[str(path)] = receipt
        self._write()

    def discard(self, path: Path, old: Receipt | None) -> None:
        """Delete the backup of an invalid record."""
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
        files.write(self.file, json.dumps(rows, indent=2) + "\n")


def _receipt(fields: dict[str, Any]) -> Receipt:
    agents, folders = fields["agents"], fields.get("folders", [])
    if not isinstance(agents, list) or not isinstance(folders, list):
        raise ValueError("agents and folders must be lists")
    return Receipt(**fields | {"agents": tuple(agents), "folders": tuple(folders)})


BOM = "\ufeff"

MAX_SETTINGS_BYTES = 20_000_000
"""Maximum bytes of settings. ~/.claude.json grows to some megabytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A file before and after. ``None`` means that it is absent. ``receipt`` is its new undo record."""

    path: Path
    before: bytes | None
    after: bytes | None
    receipt: Receipt | None
    executable: bool = False
    pristine: bool = False
    """True if ``before`` has no part of curator, so that it may be restored later."""

    @property
    def diff(self) -> Iterator[str]:
        """Yield the change as a unified diff, line by line."""
        old, new = ((content or b"").decode("utf-8", "replace").splitlines() for content in (self.before, self.after))
        names = [str(self.path) if content is not None else "/dev/null" for content in (self.before, self.after)]
        yield from difflib.unified_diff(old, new, names[0], names[1], n=2, lineterm="")
        if self.before == self.after:
            yield f"{self.path}: will be made executable"


@dataclass(frozen=True, slots=True)
class Plan:
    """Changes, and further information for the person. ``carry_out`` is the first step that changes a file."""

    changes: tuple[Change, ...] = ()
    notes: tuple[str, ...] = ()
    records: Mapping[Path, Receipt | None] = field(default_factory=dict)
    """Records to store for unchanged files."""

    @property
    def lines(self) -> Iterator[str]:
        """Yield the lines of all diffs."""
        for change in self.changes:
            yield from change.diff


def read(path: Path) -> bytes | None:
    """Return a file's bytes, or ``None`` if there is no such file. Raises ``CuratorError``."""
    try:
        if path.exists() and (not path.is_file() or path.stat().st_size > MAX_SETTINGS_BYTES):
            raise CuratorError(f"{path} is not a settings file.", "Move the file away, then run this again.")
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        why = error.strerror or error
        raise CuratorError(f"{path} can't be read: {why}", "Fix the file's permissions, then run this again.") from error


def decode(content: bytes | None, path: Path) -> tuple[str, str]:
    """Return a file's mark of byte order, if any, and its text. Raises ``MalformedFile`` if that is no UTF-8."""
    try:
        text = (content or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        raise malformed_file(str(path), (content or b"").count(b"\n", 0, error.start) + 1, "this is not UTF-8") from error
    return (BOM, text[1:]) if text.startswith(BOM) else ("", text)


def group_by_file(targets: Iterable[Target]) -> dict[Path, list[Target]]:
    """Return the targets by their real file. Links are followed, so that they stay links.

    Raises ``CuratorError`` for a link that leads out of its project.
    """
    found: dict[Path, list[Target]] = {}
    for target in targets:
        found.setdefault(target.real(), []).append(target)
    return found


def reachable(target: Target) -> bool:
    """Return whether a target stays in its project and out of git.

    If a link leads it elsewhere, curator has no part there.
    """
    try:
        return bool(target.real())
    except CuratorError:
        return False


def installing(targets: Iterable[Target], receipts: Receipts) -> Plan:
    """Return the plan that puts every target into its file. Raises ``MalformedFile`` before anything is changed."""
    changes: list[Change] = []
    notes: list[str] = []
    records: dict[Path, Receipt | None] = {}
    for path, group in group_by_file(targets).items():
        content = read(path)
        if foreign(group, content):
            notes += [
                f"{target.agent}: {path} belongs to somebody else, so it stays without a hook. The rest is "
                f"set up. `--no-hooks` sets up no hooks."
                for target in group
            ]
            continue
        wanted = [target for target in group if content is not None or not target.only_if_there]
        if not wanted:
            notes.append(f"{path} does not exist. Start {group[0].agent} once, then run this again for its MCP server.")
            continue
        change = _install_change(path, content, wanted, receipts)
        if change.after != change.before or (change.executable and not os.access(path, os.X_OK)):
            changes.append(change)
        elif change.receipt and receipts.all.get(str(path)) != change.receipt:
            records[path] = change.receipt
    return Plan(tuple(changes), tuple(notes), records)


def foreign(targets: Sequence[Target], content: bytes | None) -> bool:
    """Return whether a file that must be curator's alone belongs to another program or a person."""
    return content is not None and any(
        isinstance(target.part, OwnedFile) and target.part.foreign(content) for target in targets
    )


def _install_change(path: Path, content: bytes | None, targets: Sequence[Target], receipts: Receipts) -> Change:
    mark, text = decode(content, path)
    name = str(path)
    old = receipts.all.get(name)
    agents = tuple(sorted({target.agent for target in targets}.union(old.agents if old else ())))
    old = None if old and old.theirs else old
    was = text if old is None else _before(receipts, path)
    bare = edited = text
    for target in targets:
        bare = target.part.take(bare, name, was)
    for target in targets:
        edited = target.part.put(edited, name)
    executable = any(target.executable for target in targets)
    if edited == text and content is not None:
        receipt = replace(old or Receipt(theirs=bare == text), agents=agents)
        return Change(path=path, before=content, after=content, receipt=receipt, executable=executable)
    after = (mark + edited).encode()
    pristine = bare == text
    if pristine:
        folders = tuple(str(folder) for folder in reversed(path.parents) if not folder.exists())
        receipt = Receipt(agents=agents, after=digest(after), created=content is None, folders=folders)
    else:
        exact = old is not None and digest(content or b"") == old.after
        receipt = replace(old or Receipt(), agents=agents, after=digest(after) if exact else "")
    return Change(path=path, before=content, after=after, receipt=receipt, executable=executable, pristine=pristine)


def uninstalling(targets: Iterable[Target], agents: Sequence[str], receipts: Receipts) -> Plan:
    """Return the plan that removes these agents from the targets' files. Raises ``MalformedFile`` before anything is changed.

    An untouched file gets its earlier content back. Another file loses only curator's entries.
    """
    changes: list[Change] = []
    notes: list[str] = []
    records: dict[Path, Receipt | None] = {}
    for path, group in group_by_file(filter(reachable, targets)).items():
        content = read(path)
        old = receipts.all.get(str(path))
        others = [agent for agent in old.agents if agent not in agents] if old else []
        if content is None:
            if old and not others:
                records[path] = None
            continue
        if foreign(group, content) or (old and old.theirs):
            if old:
                notes += [f"{path} stays, because it was there before."] if old.theirs else []
                records[path] = replace(old, agents=tuple(others)) if others else None
            continue
        if old and others and any(_is_shared(target, others) for target in group):
            notes.append(f"{path} stays, because {', '.join(others)} reads it too.")
            records[path] = replace(old, agents=tuple(others))
            continue
        change, note = _uninstall_change(path, content, group, receipts, others)
        if change.after != content:
            changes.append(change)
            notes += [note] if note else []
        elif old:
            records[path] = change.receipt
    return Plan(tuple(changes), tuple(notes), records)


def _is_shared(target: Target, others: Sequence[str]) -> bool:
    """Return whether another agent has exactly the same part in this file."""
    return target.kind == "files" or {"copilot-cli", "vscode-copilot"} <= {target.agent, *others}


def _uninstall_change(
    path: Path, content: bytes, targets: Sequence[Target], receipts: Receipts, others: Sequence[str]
) -> tuple[Change, str]:
    old, before = receipts.all.get(str(path)), receipts.before(path)
    known = old is not None and (old.created or before is not None)
    receipt = replace(old, agents=tuple(others)) if old and others else None
    if old and not others and known and old.after == digest(content):
        return Change(path=path, before=content, after=before, receipt=None), ""
    mark, text = decode(content, path)
    was = _before(receipts, path)
    bare = text
    for target in targets:
        bare = target.part.take(bare, str(path), was)
    after: bytes | None = (mark + bare).encode() if bare != text else content
    if bare != text and (not bare or (old and old.created and not _has_content(bare))) and not was:
        after = None
    note = f"{path}: somebody changed this file after the install, so only curator's entries were removed."
    return Change(path=path, before=content, after=after, receipt=receipt), note


def _before(receipts: Receipts, path: Path) -> str | None:
    """Return the text before curator came. It is empty if there was no file, and ``None`` if the text is not known."""
    old, before = receipts.all.get(str(path)), receipts.before(path)
    return decode(before, path)[1] if before is not None else "" if old and old.created else None


def _has_content(text: str) -> bool:
    """Return whether a file that curator made contains other text."""
    return "".join(text.split()) not in ("", "{}", '{"version":1}')


def carry_out(plan: Plan, receipts: Receipts) -> None:
    """Carry out a plan. Raises ``CuratorError`` for an unwritable file, and ``ConcurrentChange`` for a file changed meanwhile.
    A second run continues.

    Each addition is recorded before it is written, so that an interrupted run can be undone.
    """
    for change in plan.changes:
        files.remove_drafts_of(change.path)
        now, old = read(change.path), receipts.all.get(str(change.path))
        if now not in (change.before, change.after):
            raise ConcurrentChange(f"{change.path} was changed by another program just now.", "Run this again.")
        receipt = change.receipt
        if receipt and change.pristine and change.before is not None:
            receipt = replace(receipt, backup=receipts.keep(change.path, change.before))
        if receipt:
            receipts.note(change.path, receipt)
        try:
            if now != change.after:  # otherwise another process did the same
                _write(change)
        except OSError as error:
            if receipt:
                receipts.note(change.path, old)
            raise CuratorError(
                f"{change.path} can't be written: {error.strerror or error}", f"{files.repair(error)}, then run this again."
            ) from error
        if not receipt:
            receipts.note(change.path, None)
        receipts.discard(change.path, old)
        if change.after is None and old:
            _remove_empty(old.folders)
    for path, record in plan.records.items():
        files.remove_drafts_of(path)
        old = receipts.all.get(str(path))
        receipts.note(path, record)
        receipts.discard(path, old)
        if old and not record and not path.exists():
            _remove_empty(old.folders)


def _remove_empty(folders: Sequence[str]) -> None:
    """Remove the folders that curator made, innermost first, if they are empty."""
    for folder in reversed(folders):
        with suppress(OSError):
            Path(folder).rmdir()


def _write(change: Change) -> None:
    """Write in one step, with the permissions that the file has."""
    path = change.path
    if change.after is None:
        path.unlink()
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with files.draft(path) as draft:
        if path.exists():
            draft.touch(0o600)  # Settings contain keys, so other users must not be able to read the draft.
        draft.write_bytes(change.after)
        if path.exists():
            shutil.copymode(path, draft)
        if change.executable:
            draft.chmod(draft.stat().st_mode | 0o111)
