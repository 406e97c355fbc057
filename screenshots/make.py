"""Draw the pictures of the README from the demo: ``python screenshots/make.py``; with ``--check`` only compare.

``--png`` also makes a PNG of each picture in ``PNG`` with Chromium, for places that show no SVG.

A test runs the comparison, so that a picture never shows what the program no longer does.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from rich.console import Console

from curator import clock, curate
from curator.app import Curator, hub, memories, tidy
from curator.cli import memories as cli
from curator.demo import fill, write_notes
from curator.hub import Shared
from curator.memories import discover
from curator.model import DISTILLED, Kind, Verb, Wording
from curator.settings import Settings
from curator.store.hub import Membership
from curator.tui.app import CuratorApp
from curator.tui.background import Status
from tests.tui import keyboard, style_sheets

HERE = Path(__file__).parent
NOW = 1_795_000_000.0

GROUP_KEYS = ("g", "c", "j", "j")
"""Look for the group in the cleanup."""
HUB_KEYS = ("slash", *"stubs", "enter")
"""Look for the card that a colleague shared."""
SCENES: dict[str, tuple[int, int, tuple[str, ...]]] = {
    "wide": (120, 30, ("j", "j")),
    "medium": (80, 24, ("j", "j")),
    "narrow": (45, 36, ("j", "j")),
    "merge": (100, 24, ("j", "j", "m")),
    "conflict": (100, 24, ()),
    "stale": (100, 30, ("j",)),
    "empty": (80, 16, ("asterisk", "y")),
    "model": (160, 45, ("j", "j")),
    "model-medium": (80, 24, ("j", "j")),
    "model-narrow": (45, 40, ("j", "j")),
    "memories": (160, 45, ("j", "j", "j", "j", "j", "j")),
    "memories-medium": (80, 24, ("j", "j", "j", "j", "j", "j")),
    "hub": (160, 45, HUB_KEYS),
    "hub-medium": (80, 24, HUB_KEYS),
    "group": (160, 45, GROUP_KEYS),
    "group-medium": (80, 24, GROUP_KEYS),
    "group-narrow": (45, 40, GROUP_KEYS),
    "welcome": (120, 30, ("",)),
    "welcome-medium": (80, 24, ("",)),
    "welcome-narrow": (45, 40, ("",)),
    "first-cards": (120, 30, ("1",)),
    "first-cards-medium": (80, 24, ("1",)),
    "first-cards-narrow": (45, 40, ("1",)),
    "first-login": (120, 30, ("1",)),
    "first-login-medium": (80, 24, ("1",)),
    "first-login-narrow": (45, 40, ("1",)),
    "first-hang": (120, 30, ("1",)),
    "first-hang-medium": (80, 24, ("1",)),
    "first-hang-narrow": (45, 40, ("1",)),
    "first-nonsense": (120, 30, ("1",)),
    "first-nonsense-medium": (80, 24, ("1",)),
    "first-nonsense-narrow": (45, 40, ("1",)),
}
"""Name → columns, rows, and the keys that lead there."""
PNG = ("wide", "narrow", "conflict", "stale")
MODEL = "claude haiku"
WORDS = (
    (
        "Run tests through `uv run pytest`",
        "Bare `pytest` picks the system Python, which lacks httpx, and fails with ImportError.",
    ),
    (
        "Migrations begin with the ticket id",
        "Name each migration after its ticket: the release notes are made from these names.",
    ),
    ("Mock the clock with time_machine", "freezegun freezes the event loop's clock as well, so the tests that wait never end."),
)
"""What it makes of the three best candidates of the demo."""


def distil(curator: Curator) -> None:
    """Let a model have read the sessions of the best candidates."""
    found = [*curator.lessons.entries(curator.lessons.waiting(Kind.CANDIDATE), 3)]
    words = [Wording(headline, insight, "") for headline, insight in WORDS]
    changes = [
        curate.distill(entry, NOW, wording, by=MODEL, signal=f"{DISTILLED}{MODEL}", score=0.95)
        for entry, wording in zip(found, words, strict=True)
    ]
    curator.store.apply([(Verb.DISTILL, change) for change in changes], actor="person", at=NOW)


SHARED = {
    "category": "tooling",
    "headline": "Run `make gen` after an edit of a proto file",
    "insight": "The stubs are checked in, and CI compares them.",
    "state": "active",
}
"""A lesson that a colleague shared."""


def arrive(curator: Curator) -> None:
    """Let a lesson arrive from a team of a hub, as a sync does."""
    project = curator.here()
    assert project is not None
    with curator.store.transaction():
        curator.store.hub.join(Membership("platform", "service=hub", project.id, False))
    with hub._arriving(curator, hub.Report("platform")) as arrival:
        arrival.take(Shared("HUBS-0001", 1, "active", SHARED, "Ann", 3, NOW - 3_600, False))


SAYINGS = (
    "Run `make gen` after each edit of a proto file, since the stubs are checked in",
    "After an edit of a proto file run `make gen`: the stubs are checked in, and CI compares them",
    "The stubs of a proto file are checked in: run `make gen` after each edit, then commit both",
)
"""Three lessons that say one thing."""


def repeat(curator: Curator) -> None:
    """Keep three lessons that say one thing, and let curator find them."""
    for at, text in enumerate(SAYINGS):
        clock.now = lambda at=at: NOW - 60 + at  # type: ignore[misc]
        curator.decisions.add(text)
    clock.now = lambda: NOW
    tidy.propose(curator)


AUDIT = "memories-audit"
"""The picture of a command: `curator memories` on the notes of the demo."""


def audit() -> str:
    """Draw what `curator memories` prints, as if the person's home folder were /home/ann."""
    clock.now = lambda: NOW
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        os.environ["HOME"] = folder
        curator = fill(place, Settings(home=place / ".curator"))
        write_notes(curator)
        found = memories.audit(place, {}, curator.work_folder)
        text = "\n".join(cli.report(found, place)).replace(discover.slug(folder), "-home-ann")
        curator.close()
    console = Console(record=True, width=84, file=io.StringIO(), highlight=False)
    console.print(f"$ curator memories\n{text}", markup=False)
    return trimmed(re.sub(r"\s*@font-face \{.*?\}", "", console.export_svg(title="curator memories"), flags=re.DOTALL))


RECORDED = {
    "recording": (80, 20, ("", "j", "o", "escape", "y", "m", "y", "u")),
    "first-minute": (100, 28, ("", "4", "escape", "1", "j", "y")),
}
"""Columns, rows and keys of each recording; a frame after each key."""
SECONDS = 1.6
"""How long a frame stands."""


async def draw(name: str) -> str:
    """One picture as SVG: what stands there after the last key."""
    width, height, keys = SCENES[name]
    (svg,) = [svg async for svg in frames(name, width, height, [keys])]
    return svg


async def record(name: str) -> str:
    """One SVG that shows a frame after the other, for ever; the title of each says which key was pressed."""
    width, height, keys = RECORDED[name]
    shown = [svg async for svg in frames(name, width, height, [(key,) for key in keys])]
    box = re.search(r'viewBox="[^"]*"', shown[0])
    assert box is not None
    share = 100 / len(shown)
    style = (
        f"@keyframes turn {{ 0%, {share:.3f}% {{ visibility: visible }} {share + 0.001:.3f}%, 100% {{ visibility: hidden }} }}"
        f" .turn {{ animation: turn {len(shown) * SECONDS:g}s step-end infinite }}"
    )
    hidden = ("", ' visibility="hidden"')  # where nothing moves, the first frame stands
    turns = [
        f'<g class="turn"{hidden[at > 0]} style="animation-delay: {at * SECONDS:g}s">{svg}</g>' for at, svg in enumerate(shown)
    ]
    return "\n".join([f'<svg {box[0]} xmlns="http://www.w3.org/2000/svg">', f"<style>{style}</style>", *turns, "</svg>", ""])


CELL = 12.2
"""The width of a cell in the pictures."""
TEXT = re.compile(
    r'(<text [^>]*?x=")([\d.]+)(" y="[\d.]+" textLength=")([\d.]+)("[^>]*>)((?:&#160;)*)(.*?)((?:&#160;)*)</text>'
)


def trimmed(svg: str) -> str:
    """Return a picture whose texts neither begin nor end with blanks: some programs leave those out."""

    def trim(found: re.Match[str]) -> str:
        before, after = (found[part].count("&") for part in (6, 8))
        if not found[7]:
            return ""
        x, length = float(found[2]) + before * CELL, float(found[4]) - (before + after) * CELL
        return f"{found[1]}{x:.1f}{found[3]}{length:.1f}{found[5]}{found[7]}</text>"

    return TEXT.sub(trim, svg)


async def frames(name: str, width: int, height: int, steps: Sequence[Sequence[str]]) -> AsyncIterator[str]:
    """Yield a picture after the keys of each step. An empty key is not pressed. The clock stands still; no font is fetched."""
    clock.now = lambda: NOW
    is_first = name.startswith(("welcome", "first"))
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        program = next((text for word, text in FAILING.items() if word in name), PROGRAM)
        curator = newcomer(place, program) if is_first else fill(place, Settings(home=place / "home"))
        if name.startswith("model"):
            distil(curator)
        if name.startswith("memories"):
            os.environ["HOME"] = str(place / "person")
            write_notes(curator)
        if name.startswith("hub"):
            arrive(curator)
        if name.startswith("group"):
            repeat(curator)
        app = CuratorApp(curator, watch=is_first)
        app.unread_sessions = 3 if name.startswith("model") else 0
        async with app.run_test(size=(width, height)):
            if name.startswith("hub"):
                app.post_message(Status(hub="hub away"))
            await keyboard.settle(app)
            for keys in steps:
                await keyboard.press(app, *filter(None, keys))
                title = f"curator - {keys[0]}" if name in RECORDED and keys[0] else "curator"
                yield trimmed(re.sub(r"\s*@font-face \{.*?\}", "", app.export_screenshot(title=title), flags=re.DOTALL))
        curator.close()


TALKS = {
    "s-1": (
        "fix the timeout in vendor/lib/http.py",
        "I edited vendor/lib/http.py.",
        "no, never edit vendor/ by hand, always change `sync.toml` instead: the nightly sync overwrites it",
        "Understood. The next sync would have overwritten the edit. The tests find no schema without `make db`.",
    ),
    "s-2": (
        "add a retry to the upload",
        "I added three retries with `time.sleep` between them.",
        "don't sleep in handlers, the worker has one thread. Use the `retry_after` of the queue",
        "Right: a handler that sleeps blocks every other job of the worker.",
    ),
}
"""Two sessions of a newcomer: what a person and an agent say in turn."""
ANSWERS = {
    "s-1": (
        "convention",
        "Change `sync.toml`, never vendor/ by hand",
        "never edit vendor/ by hand, always change `sync.toml` instead",
        "The nightly sync overwrites edits in vendor/. Change `sync.toml` instead.",
    ),
    "s-2": (
        "constraint",
        "Never sleep in a handler: use `retry_after`",
        "don't sleep in handlers, the worker has one thread",
        "The worker has one thread, so a handler that sleeps blocks every job. Use the `retry_after` of the queue.",
    ),
}
"""The lesson that the program in place of `claude` names for each session: kind, headline, quote, insight."""
PROGRAM = """#!{python}
import json, sys
asked = sys.stdin.read()
found = [one for quote, one in {answers!r} if quote in asked]
print(json.dumps({{"result": json.dumps(found)}}))
"""


LOGGED_OUT = """#!{python}
import sys
sys.stdin.read()
sys.exit("Invalid API key · Please run /login")
"""


TALKATIVE = """#!{python}
import json, sys
sys.stdin.read()
print(json.dumps({{"result": "Happy to help! Which session do you mean?"}}))
"""


HANGING = """#!{python}
import time
time.sleep(600)
"""
FAILING = {"login": LOGGED_OUT, "nonsense": TALKATIVE, "hang": HANGING}


def newcomer(folder: Path, answering: str) -> Curator:
    """Return an empty database beside two sessions of Claude Code and a program that answers in place of `claude`."""
    home, project, programs = (folder / name for name in ("person", "shop", "bin"))
    sessions = home / ".claude" / "projects" / "-shop"
    for one in (sessions, project, programs):
        one.mkdir(parents=True)
    for name, talk in TALKS.items():
        told = []
        for at, words in enumerate(talk):
            role = ("user", "assistant")[at % 2]
            content = words if role == "user" else [{"type": "text", "text": words}]
            moment = clock.iso(NOW - 7_200 + 60 * at)
            told.append(
                {
                    "type": role,
                    "message": {"role": role, "content": content},
                    "sessionId": name,
                    "cwd": str(project),
                    "uuid": f"{name}-{at}",
                    "timestamp": moment,
                }
            )
        file = sessions / f"{name}.jsonl"
        file.write_text("".join(f"{json.dumps(one)}\n" for one in told), encoding="utf-8")
        os.utime(file, (NOW - 3_600, NOW - 3_600))
    answers = [
        (quote, {"kind": kind, "headline": headline, "insight": insight, "line": 3, "quote": quote, "worth": 3})
        for kind, headline, quote, insight in ANSWERS.values()
    ]
    program = programs / "claude"
    program.write_text(answering.format(python=sys.executable, answers=answers), encoding="utf-8")
    program.chmod(0o755)
    os.environ.update(HOME=str(home), PATH=str(programs))
    os.environ.pop("CURATOR_READER", None)
    seconds = 1 if answering == HANGING else 120
    curator = Curator(Settings(home=home / ".curator", watch=False, export=False, distill_seconds=seconds))
    curator.enter(str(project))
    return curator


def rasterize(name: str) -> None:
    """Make a PNG of a picture, in its own size. Raises ``CalledProcessError`` where Chromium fails."""
    file = HERE / f"{name}.svg"
    found = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', file.read_text(encoding="utf-8"))
    assert found is not None
    size = ",".join(str(int(float(side))) for side in found.groups())
    command = ["chromium", "--headless", "--no-sandbox", "--hide-scrollbars", f"--window-size={size}"]
    subprocess.run([*command, f"--screenshot={file.with_suffix('.png')}", file.as_uri()], check=True, capture_output=True)


def main() -> int:
    """Write every picture, or name those that are out of date."""
    stale = []
    with style_sheets.parsed_once():
        pictures = {name: asyncio.run(draw(name) if name in SCENES else record(name)) for name in (*SCENES, *RECORDED)}
    pictures[AUDIT] = audit()
    for name, svg in pictures.items():
        file = HERE / f"{name}.svg"
        if not file.exists() or file.read_text(encoding="utf-8") != svg:
            stale.append(file.name)
            if "--check" not in sys.argv:
                file.write_text(svg, encoding="utf-8")
    for name in PNG if "--png" in sys.argv else ():
        rasterize(name)
    print(f"out of date: {', '.join(stale)}" if "--check" in sys.argv and stale else f"drawn anew: {len(stale)}")
    return 1 if "--check" in sys.argv and stale else 0


if __name__ == "__main__":
    sys.exit(main())
