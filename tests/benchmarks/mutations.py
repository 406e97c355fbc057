"""Mutated transcripts, lesson files, settings and payloads of hooks: what escapes, what takes long for its size.

    python tests/benchmarks/mutations.py --shared ../shared --transcripts 10000 --lessons 10000

Real transcripts of every format up to 200 KB, and lesson files, with one to four changes each: bytes flipped, cut out, doubled,
joined from elsewhere, brackets and long runs put in. A transcript is read and looked through for lessons, a lesson file is
read, rendered and read again. What is raised escapes; so does the sentence by which a reader says that a format failed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent))  # also where a test runs this file

from curator import detection, lesson_files, plugins
from curator.agents import dialects
from curator.app import Curator
from curator.errors import CuratorError
from curator.hooks import FAULTS, answer
from curator.model import Category, Entry, Evidence, Role, State
from curator.settings import load
from curator.transcripts.base import discover, follow

LARGEST = 200_000
SLOW = 2.0
"""Seconds of CPU beyond which an input of 200 KB counts as slow; most take some hundredths."""
HOOKS: Sequence[dict[str, object]] = (
    {"tool_input": {"file_path": "src/a.py"}},
    {"tool_input": {"paths": ["src/a.py", "b.py"], "edits": [{"path": "c.py"}]}},
    {"tool_name": "apply_patch", "tool_input": {"input": "*** Begin Patch\n*** Update File: src/a.py\n"}},
    {"userPromptSubmit": {"prompt": "run the tests"}, "preToolUse": {"toolName": "write_to_file", "parameters": {"path": "a"}}},
)
RUNS = (
    b"[",
    b"{",
    b'"',
    b"\\",
    b"<",
    b"`",
    b"* ",
    b"\n",
    b"a",
    b"\xff",
    b"\xed\xa0\x80",
    b"\xe2\x80\xae",
    b"1",
    b",",
    b"- ",
    b"null",
)


def mutated(content: bytes, others: Sequence[bytes], chance: random.Random) -> bytes:
    """The content after one to four changes."""
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(content) + 1)
        size = int(chance.paretovariate(0.7))
        match chance.randrange(6):
            case 0:
                content = content[:at] + bytes(chance.randrange(256) for _ in range(min(size, 64))) + content[at + size :]
            case 1:
                content = content[:at] + content[at + size :]
            case 2:
                content = content[: at + size] + content[at:]
            case 3:
                other = chance.choice(others)
                start = chance.randrange(len(other) + 1)
                content = content[:at] + other[start : start + size * 10] + content[at:]
            case 4:
                content = content[:at] + chance.choice(RUNS) * min(size * 20, 20_000) + content[at:]
            case _:
                content = content[:at]
    return content[:LARGEST]


def transcripts(shared: Path, count: int, chance: random.Random) -> Counter[str]:
    """What came of reading so many mutated transcripts."""
    root = shared / "transcripts"
    formats = plugins.formats()
    found = [
        item
        for item in discover.find(formats, [root], root, {}).transcripts
        if item.size <= LARGEST and item.path.suffix != ".db"
    ]
    seeds = [(item, item.path.read_bytes()) for item in sorted(found, key=lambda item: str(item.path))]
    contents = [content for _, content in seeds]
    counts: Counter[str] = Counter()
    with TemporaryDirectory() as folder:
        for number in range(count):
            item, content = seeds[number % len(seeds)]
            path = Path(folder) / item.path.relative_to(root)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(mutated(content, contents, chance))
            judged(counts, f"{item.format.agent} {number}", lambda item=item, path=path: looked_through(item.format, path))  # type: ignore[misc]
            path.unlink()
    return counts


def looked_through(format_: object, path: Path) -> None:
    """Read a transcript to its end and look for lessons. Raises ``AssertionError`` where its format failed."""
    followed = None
    for _ in range(100):
        progress = follow.follow(format_, path, followed)  # type: ignore[arg-type]
        failed = [error for error in progress.errors if "failed on it" in error]
        assert not failed, failed
        sessions: dict[str, list[object]] = {}
        for turn in progress.turns:
            sessions.setdefault(turn.session, []).append(turn)
        for turns in sessions.values():
            detection.detect(turns)  # type: ignore[arg-type]
        followed = progress.bookmark
        if followed is None or not followed.more:
            return


def lessons(count: int, chance: random.Random) -> Counter[str]:
    """What came of reading so many mutated lesson files."""
    quotes = [
        Evidence(quote=f"no, {word}", role=Role.HUMAN, file="a.jsonl", line=1, line_end=2, session="s") for word in ("a", "b")
    ]
    whole = [
        Entry(
            id="AAAA-AAAA",
            project="",
            state=state,
            category=category,
            headline="Run the tests with make",
            insight="The tests need the database that make starts.",
            created=1.0,
            updated=2.0,
            context="Seen twice.",
            files=("Makefile", "src/a.py"),
            evidence=tuple(quotes),
            slug="run-the-tests",
        )
        for state in (State.ACTIVE, State.RETIRED)
        for category in Category
    ]
    seeds = [lesson_files.render(entry).encode() for entry in whole]
    counts: Counter[str] = Counter()
    with TemporaryDirectory() as folder:
        for number in range(count):
            path = Path(folder) / "run-the-tests-aaaa-aaaa.md"
            path.write_bytes(mutated(seeds[number % len(seeds)], seeds, chance))
            judged(counts, f"lesson {number}", lambda: read_again(Path(folder)))
    return counts


def read_again(folder: Path) -> None:
    """Read a folder of lessons; what is taken says the same when it is written. Raises ``AssertionError`` where it does not."""
    for name, entry in lesson_files.read(folder, {}).entries.items():
        again = lesson_files.parse(lesson_files.render(entry), name)
        assert lesson_files.render(again) == lesson_files.render(entry), "not the same when it is read again"


def settings(count: int, chance: random.Random) -> Counter[str]:
    """What came of reading so many mutated files of settings."""
    seeds = [
        b'per_session = 5\nexclude = ["~/private/*"]\ntheme = "nord"\n[keys]\nkeep = "y k"\n',
        b'distiller = "command"\ndistill_command = ["a", "b"]\ndistill_price = 0.5\nwatch = false\nexpire_days = 0\n',
    ]
    counts: Counter[str] = Counter()
    with TemporaryDirectory() as folder:
        for number in range(count):
            Path(folder, "settings.toml").write_bytes(mutated(seeds[number % len(seeds)], seeds, chance))
            judged(counts, f"settings {number}", lambda: load({"CURATOR_HOME": folder}))
    return counts


def hooks(count: int, chance: random.Random) -> Counter[str]:
    """What came of so many mutated payloads of hooks, of every event of every agent, where lessons answer."""
    calls = [(agent, event) for agent, (_, events) in dialects.AGENTS.items() for event in events]
    counts: Counter[str] = Counter()
    with TemporaryDirectory(ignore_cleanup_errors=True) as base:  # a scan that a hook began may still write there
        os.environ |= {"HOME": base, "CURATOR_HOME": str(Path(base, "home"))}
        folder = Path(base, "app")
        folder.mkdir()
        curator = Curator(load())
        curator.enter(str(folder))
        curator.decisions.add("Run the tests with make, never by hand")
        curator.close()
        given: dict[str, object] = {
            "session_id": "s",
            "cwd": str(folder),
            "prompt": "run the tests",
            "source": "startup",
            "taskId": "s",
        }
        given |= {"tool_name": "Edit", "tool_use_id": "t", "workspaceRoots": [str(folder)], "transcript_path": "/none.jsonl"}
        seeds = [json.dumps(given | more).encode() for more in HOOKS]
        for number in range(count):
            call = calls[number % len(calls)]
            data = mutated(chance.choice(seeds).replace(b'"s"', b'"s%d"' % number), seeds, chance)  # each is told once
            judged(counts, f"hook {number}", lambda call=call, data=data: answered(call, data, counts))  # type: ignore[misc]
        faults = Path(base, "home", "spool", FAULTS)
        if faults.exists():
            counts["escaped"] += len(lines := faults.read_text().splitlines())
            print(*sorted({line.partition(" ")[2] for line in lines}), sep="\n", flush=True)
    return counts


def answered(call: tuple[str, str], data: bytes, counts: Counter[str]) -> None:
    """Ask a hook; what it prints is one JSON object, or nothing."""
    out = answer.answer(call, data)
    counts["spoke"] += bool(out)
    assert not out or isinstance(json.loads(out), dict), out[:200]


def judged(counts: Counter[str], name: str, work: Callable[[], object]) -> None:
    """Count what a piece of work came to."""
    began = time.process_time()
    try:
        work()
    except (CuratorError, OSError) as error:
        counts[f"said: {type(error).__name__}"] += 1
    except Exception as error:
        counts["escaped"] += 1
        print(f"{name}: {error!r}"[:300], flush=True)
    taken = time.process_time() - began
    counts["read"] += 1
    if taken > SLOW:
        counts["slow"] += 1
        print(f"{name}: {taken:.1f} s", flush=True)


def main() -> None:
    """Run both and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--shared", type=Path, required=True)
    parser.add_argument("--transcripts", type=int, default=1_000)
    parser.add_argument("--lessons", type=int, default=1_000)
    parser.add_argument("--settings", type=int, default=1_000)
    parser.add_argument("--hooks", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print("transcripts", dict(transcripts(given.shared, given.transcripts, random.Random(given.seed))))
    print("lessons", dict(lessons(given.lessons, random.Random(given.seed))))
    print("settings", dict(settings(given.settings, random.Random(given.seed))))
    print("hooks", dict(hooks(given.hooks, random.Random(given.seed))))


if __name__ == "__main__":
    main()
