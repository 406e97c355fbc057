"""Run the benchmarks, each in a process of its own, and write docs/notebook/benchmarks.md: ``python tests/benchmarks/run.py``.

``--only NAME`` (may be repeated) runs some of them and prints their figures, without writing anything.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "notebook" / "benchmarks.md"
DETECTION = "<!-- detection: "
BENCHMARKS = {
    "inbox_keys": "A key in the inbox",
    "inbox_start": "Start of the inbox",
    "inbox_memory": "Memory of the inbox",
    "history_scan": "History scan",
    "live_card": "Live",
    "lesson_files": "Lesson files",
    "related": "Relating a lesson to many",
    "hook": "Hooks",
    "mcp_start": "The MCP server",
    "replay": "Replay",
    "memories": "Memories of agents",
    "hub": "The hub",
}
INTRODUCTION = """# Benchmarks

Written by `python tests/benchmarks/run.py`, which takes about half an hour; `--only NAME` prints one of them
({names}).
Every benchmark makes up its own data in a temporary folder. Machines differ and are noisy: read ratios and curves, not
milliseconds. CPU is user and system time; of a key in the inbox it is that of the thread that draws, with everything
rendered for a terminal of 120 by 40 that is not there. None of this is an assertion of the test suite.

{machine}
"""


def figures(name: str) -> list[dict[str, Any]]:
    """What one benchmark says. Its errors are printed; it then says nothing."""
    env = {**os.environ, "PYTHONPATH": str(HERE.parents[1]), "CURATOR_PLUGINS": "0"}
    run = subprocess.run(
        [sys.executable, str(HERE / f"{name}.py"), "--json"], stdout=subprocess.PIPE, text=True, env=env, check=False
    )
    if run.returncode:
        print(f"{name} failed", file=sys.stderr)
    return [json.loads(line) for line in run.stdout.splitlines()]


def machine() -> str:
    """When and on what, without names."""
    versions = f"Python {platform.python_version()}, Textual {importlib.metadata.version('textual')}"
    day = datetime.now(UTC).strftime("%d %B %Y").lstrip("0")
    return f"Measured on {day}: {platform.system()} {platform.machine()}, {os.cpu_count()} cores, {versions}."


def section(title: str, found: list[dict[str, Any]]) -> str:
    """One benchmark: its figures as a table, its growth as another."""
    lines = [f"## {title}", "", "| measure | figure | target | met |", "|---|---|---|---|"]
    met = {True: "yes", False: "**no**", None: ""}
    lines += [
        f"| {row['measure']} | {row['value']} | {row['target']} | {met[row['met']]} |" for row in found if row["is"] == "Figure"
    ]
    for row in found:
        if row["is"] == "Growth":
            steps = row["steps"]
            lines += ["", f"| {row['of']} | {' | '.join(steps)} |", "|---" * (len(steps) + 1) + "|"]
            lines += [f"| {row['measure']} | {' | '.join(steps.values())} |", "", f"This is {row['curve']}."]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", action="append", choices=BENCHMARKS, default=[])
    only = parser.parse_args().only
    sections = []
    for name in only or BENCHMARKS:
        print(f"{name} …", file=sys.stderr)
        sections.append(section(BENCHMARKS[name], figures(name)))
    if only:
        print("\n".join(sections))
        return
    names = ", ".join(f"`{name}`" for name in BENCHMARKS)
    page = "\n".join([INTRODUCTION.format(names=names, machine=machine()), *sections])
    kept = PAGE.read_text("utf-8").partition(DETECTION)[1:]  # measured by another script, on data that is not made up
    PAGE.write_text("\n".join([page, "".join(kept)]), encoding="utf-8")


if __name__ == "__main__":
    main()
