"""The command line: parse, call the app, print. The only room with Click."""

from __future__ import annotations

from curator.cli.context import Frontends
from curator.cli.main import cli, commands, run

__all__ = ["Frontends", "cli", "commands", "run"]
