"""The command line: parse, call the app, print. Only this package uses Click."""

from __future__ import annotations

from curator.cli.context import Frontends
from curator.cli.main import cli, commands, run

__all__ = ["Frontends", "cli", "commands", "run"]
