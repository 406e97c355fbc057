"""Transcripts far larger than any real one: peak resident memory and CPU of ``curator scan`` on each.

    python tests/benchmarks/sizes.py --megabytes 512 --document 100

One session of Claude Code in records of ordinary size, and tasks of Cline, which are one JSON document each: one beyond what
is read of a document, which must be named, and one just below it. Each is scanned by a process of its own, with a database of
its own, and deleted afterwards. 1 where one took more than ``MOST``, or what was left out was not named.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import made

from curator.io import files

MOST = 300
"""MB that a scan may hold at most."""
SESSION = 1_000
"""Turns that are made up at a time."""
TOO_LARGE = f"larger than {files.MAX_RECORD_BYTES >> 20} MB"


def session(path: Path, size: int) -> None:
    """Write one session of Claude Code of so many bytes."""
    with path.open("w", encoding="utf-8") as file:
        for part in range(size):
            for record in made.session(part, str(path.parent), SESSION):
                file.write(json.dumps({**record, "sessionId": path.stem}, separators=(",", ":")) + "\n")
                if file.tell() >= size:
                    return


def task(path: Path, size: int) -> None:
    """Write one task of Cline of so many bytes: a person's words, the agent's, and requests with what was read."""
    with path.open("w", encoding="utf-8") as file:
        file.write("[")
        for number, message in enumerate(_messages(size)):
            file.write(("," if number else "") + json.dumps(message))
            if file.tell() >= size:
                break
        file.write("]")


def _messages(most: int) -> Iterator[dict[str, object]]:
    for part in range(most):
        for number, record in enumerate(made.session(part, "/made-up", SESSION)):
            content = record["message"]["content"]
            kind = "user_feedback" if isinstance(content, str) else "text"
            text = content if isinstance(content, str) else json.dumps(content)
            yield {"ts": 1_769_000_000_000 + part * SESSION + number, "type": "say", "say": kind, "text": text}


def measure(place: str, make: Callable[[Path, int], None], size: int, sentence: str) -> bool:
    """Make a transcript, scan it and print a row; whether it stayed below ``MOST`` and said ``sentence``."""
    with TemporaryDirectory() as base:
        path = Path(base, "agent", place)
        path.parent.mkdir(parents=True)
        make(path, size)
        env = {**os.environ, "HOME": base, "CURATOR_HOME": str(Path(base, "home"))}
        words = [sys.executable, "-m", "curator", "scan", "--root", str(Path(base, "agent"))]
        began = time.monotonic()
        with Path(base, "output").open("w+", encoding="utf-8") as output:
            process = subprocess.Popen(words, cwd=base, env=env, stdout=output, stderr=output, stdin=subprocess.DEVNULL)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0)
            out = " ".join(output.read().split())
        size, peak = path.stat().st_size, used.ru_maxrss / 1024
    good = process.returncode == 0 and peak <= MOST and sentence in out
    cpu = used.ru_utime + used.ru_stime
    taken = time.monotonic() - began
    row = (place, f"{size / 2**20:.0f}", f"{peak:.0f}", f"{cpu:.0f}", f"{taken:.0f}", f"{'' if good else 'WRONG: '}{out}")
    print(f"| {' | '.join(row)} |", flush=True)
    return good


def main() -> int:
    """Measure all; 1 where one was too much."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--megabytes", type=float, default=512, help="of the session")
    parser.add_argument("--document", type=float, default=100, help="MB of the larger document")
    given = parser.parse_args()
    print("| transcript | MB | peak MB | s of CPU | s in all | output |\n| --- | ---: | ---: | ---: | ---: | --- |", flush=True)
    document = "cline/tasks/1769000000000/ui_messages.json"
    below = int(files.MAX_RECORD_BYTES * 0.98)
    good = [
        measure("projects/-made-up/one.jsonl", session, int(given.megabytes * 2**20), "turns"),
        measure(
            document,
            task,
            int(given.document * 2**20),
            TOO_LARGE if given.document > files.MAX_RECORD_BYTES >> 20 else "turns",
        ),
        measure(document, task, below, "turns"),
    ]
    return int(not all(good))


if __name__ == "__main__":
    sys.exit(main())
