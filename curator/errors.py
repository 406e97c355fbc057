"""The errors of curator, in words that help a person.

They are caught in three places only: the command line's main, the bridge from the inbox to the app, and around plugin calls.
"""

from __future__ import annotations


class CuratorError(Exception):
    """An error for a person: ``message`` says what happened and where, ``hint`` what to do."""

    exit_code = 3

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message


class UsageError(CuratorError):
    """A command was given words that make no sense together."""

    exit_code = 2


class NoProject(CuratorError):
    """A command needs a project, and none is selected."""

    def __init__(self, need: str) -> None:
        super().__init__(f"No project is selected, and {need}.", "Run this in a project's folder, or name one with --project.")


class UnknownId(CuratorError):
    """No entry, or more than one, begins with the id given."""


class NothingToUndo(CuratorError):
    """The log has no batch to undo (or redo)."""

    exit_code = 0


class ConcurrentChange(CuratorError):
    """The entry or the file has changed since the decision was prepared. Nothing was written."""


class StoreError(CuratorError):
    """The database can't be read or written. Nothing was lost or overwritten."""


class StoreBusy(StoreError):
    """Another process locks the database for longer than curator waits."""


class ReplacedDatabase(StoreError):
    """The file of an open database was replaced by another one. Nothing was written to it."""


class Unreadable(StoreError):
    """A row of the database is invalid, while others are valid."""


class MalformedFile(CuratorError):
    """A lesson file that can't be understood: left untouched, named with its line."""

    def __init__(self, file: str, line: int, reason: str) -> None:
        super().__init__(
            f"{file}:{line}: {reason}", "Fix the file, then run `curator import` again. curator did not change it."
        )
        self.file = file
        self.line = line
        self.reason = reason
