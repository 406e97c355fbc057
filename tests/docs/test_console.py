"""The commands on the pages are run, and their output is what the pages print.

A block marked ``console`` holds commands behind ``$`` and their output. The blocks of a page are run in order, on a machine
with one recorded session. In the output, an id stands for the printed id. ``…`` stands for any text; on a line of its
own it stands for any lines.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path
from subprocess import PIPE, STDOUT

import pytest

from tests.e2e.world import World, forked
from tests.files import TOP

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
ID = re.compile(r"\b[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}\b")
PAGES = [page for page in (TOP / "README.md", *sorted((TOP / "docs").rglob("*.md"))) if BLOCK.search(page.read_text("utf-8"))]


def record_session(world: World) -> None:
    """One session of an hour ago: a command that failed, a correction, a rule."""
    session = world.session(ago=3_600)
    session.asks("add a test for the retry helper")
    session.answers("I will run the tests first.")
    session.runs("pytest -q", "E   ModuleNotFoundError: No module named 'httpx'", failed=True)
    session.asks("no, always run the tests with `uv run pytest`: plain pytest misses the plugins")
    session.answers("Understood. I will run them with uv.")
    session.runs("uv run pytest -q", "1 passed in 0.1s")
    session.asks("thanks. From now on never edit vendor/ by hand, change `sync.toml` instead: the nightly sync overwrites it")
    session.answers("Understood.")


def run(world: World, line: str) -> str:
    """What a command prints on both streams."""
    program, *words = shlex.split(line, comments=True)
    if program == "curator":
        said = forked(words, world.app, world.env)
        return said.stdout + said.stderr
    assert program == "git", line
    command = ["git", *words]
    done = subprocess.run(command, cwd=world.app, env=world.env, input=b"", stdout=PIPE, stderr=STDOUT, timeout=60)
    return done.stdout.decode()


def pattern(expected: str, ids: dict[str, str]) -> str:
    """The output as an expression; ids that were met are those of this machine, others are groups named by the page's id."""
    parts: list[str] = []
    for part in re.split(rf"({ID.pattern}|^…\n|…)", expected, flags=re.MULTILINE):
        name = f"id_{part.replace('-', '_')}"
        if part in ids:
            parts.append(re.escape(ids[part]))
        elif f"(?P<{name}>{ID.pattern})" in parts:
            parts.append(f"(?P={name})")
        elif ID.fullmatch(part):
            parts.append(f"(?P<{name}>{ID.pattern})")
        else:
            parts.append({"…\n": r"(?:.*\n)*?", "…": ".*?"}.get(part, re.escape(part)))
    return "".join(parts)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_print_what_the_page_says(page: Path, world: World) -> None:
    record_session(world)
    ids: dict[str, str] = {}
    for block in BLOCK.findall(page.read_text("utf-8")):
        for line, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            for written, real in ids.items():
                line = line.replace(written, real).replace(written[:4], real[:4])
            printed = run(world, line).replace(str(world.home), "~").replace(str(world.app), "/srv/app")
            found = re.fullmatch(pattern(expected, ids), printed)
            assert found, f"{line}\nprints\n{printed}\nand not\n{expected}"
            ids |= {name.removeprefix("id_").replace("_", "-"): real for name, real in found.groupdict().items()}
