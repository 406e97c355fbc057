"""How many of our modules a piece of work passes through, and the size of the code: a section of docs/notebook/benchmarks.md.

    python tests/benchmarks/modules.py

Counted are the modules of ``curator`` of which a function is called (not merely imported), each piece of work in a process of
its own. Lines are counted as the formatter would write them at 120 columns.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from figures import child
from page import put

TOP = Path(__file__).resolve().parents[2]
MARK = "<!-- modules: what follows is written by modules.py -->"
WORK = """
import os, sys
from pathlib import Path
sys.path.insert(0, {here!r})
from live_card import correction
from curator import app
from curator.app import Curator
from curator.settings import load

base = Path({base!r})
os.environ |= {{"HOME": str(base), "CLAUDE_CONFIG_DIR": str(base / "claude")}}
folder = base / "app"
(folder / ".git").mkdir(parents=True)
path = base / "claude" / "projects" / "-made-up-app" / "live-1.jsonl"
path.parent.mkdir(parents=True)
curator = Curator(load({{"HOME": str(base), "CURATOR_HOME": str(base / "home")}}))
curator.enter(str(folder))
path.write_text(correction(1).replace("/made-up/app", str(folder)))
passed = set()
def is_import(frame):
    while frame and frame.f_globals.get("__name__") != "__main__":
        if frame.f_code.co_name == "<module>":
            return True
        frame = frame.f_back
    return False
def note(frame, event, argument):
    name = frame.f_globals.get("__name__", "")
    if event == "call" and name.startswith("curator") and frame.f_code.co_name != "__getattr__" and not is_import(frame):
        passed.add(name)
def count(work):
    passed.clear()
    before = set(sys.modules)
    sys.setprofile(note)
    work()
    sys.setprofile(None)
    return len(passed), sorted(name for name in set(sys.modules) - before if name.startswith("curator.detection"))
card, _ = count(lambda: app.scan.scan(curator))
(entry,) = curator.lessons.entries(curator.lessons.waiting(rest=True))
file, _ = count(lambda: app.settling.settle(curator, [one.id for one in curator.decisions.accept([entry.id]).entries]))
curator.close()
print(card, file)
"""
EDIT = """
import sys
from curator import app
from curator.app import Curator
from curator.settings import load

curator = Curator(load({{"HOME": {base!r}, "CURATOR_HOME": {base!r} + "/home"}}))
curator.enter({base!r} + "/app")
(entry,) = curator.lessons.entries(curator.lessons.library())
app.settling.settle(curator, [one.id for one in curator.decisions.edit(entry.id, headline="Another headline for it").entries])
loaded = [name for name in sys.modules if name.startswith("curator.")]
print(len(loaded), sum(name.startswith("curator.detection") for name in loaded))
"""


def lines() -> tuple[int, int]:
    """Files of the code, and their lines at 120 columns."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(TOP / "curator", Path(folder, "curator"), ignore=shutil.ignore_patterns("__pycache__"))
        subprocess.run([sys.executable, "-m", "ruff", "format", "-q", "--isolated", "--line-length=120", folder], check=True)
        files = [*Path(folder).rglob("*.py")]
        return len(files), sum(len(file.read_text("utf-8").splitlines()) for file in files)


def main() -> None:
    """Measure and write the section."""
    with tempfile.TemporaryDirectory() as base:
        card, file = child("-c", WORK.format(here=str(Path(__file__).parent), base=base)).split()
        loaded, detection = child("-c", EDIT.format(base=base)).split()
    files, size = lines()
    rows = [
        ("a transcript's line becomes a card: modules passed", card),
        ("a kept card becomes a file: modules passed", file),
        ("a headline is edited: modules loaded", loaded),
        ("of these, modules of detection", detection),
        ("files in `curator/`", str(files)),
        ("lines, at 120 columns", f"{size:,}"),
    ]
    table = "\n".join(f"| {name} | {figure} |" for name, figure in rows)
    put(MARK, f"## Size of the code\n\nWritten by `python tests/benchmarks/modules.py`.\n\n| | |\n|---|---:|\n{table}")
    print(table)


if __name__ == "__main__":
    main()
