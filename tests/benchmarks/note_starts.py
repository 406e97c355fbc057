"""Score where the reader lets notes begin, against labels of somebody who did not write it.

python tests/benchmarks/note_starts.py LABELS ../shared/memories             # precision, recall and F1 of each store
python tests/benchmarks/note_starts.py LABELS ../shared/memories --errors    # print every wrong line instead, to be read

LABELS is a file of JSON lines ``{file, line, kind}``. ``windows.jsonl`` beside it says which lines of which files were
labelled: ``{file, store, first, last}``.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from curator import memories
from curator.memories import Surroundings
from curator.text.markdown import front_matter

Start = tuple[str, int]


def rows(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def first_words(lines: list[str], line: int) -> int:
    """The line of the first words at or below a line: a label may stand on a heading or on front matter."""
    line = max(line, front_matter("\n".join(lines))[1] + 1)
    while line < len(lines) and (not lines[line - 1].strip() or lines[line - 1].startswith("#")):
        line += 1
    return line


def found(root: Path, texts: Mapping[str, list[str]]) -> Iterator[Start]:
    """Where the reader lets the notes of these files begin."""
    for repo in sorted({root / name.split("/")[0] for name in texts}):
        for store, source in memories.find(memories.STORES, Surroundings(root / "nobody", {}, repo)).sources:
            name = source.path.relative_to(root).as_posix()
            if name in texts:
                yield from ((name, first_words(texts[name], note.line)) for note in store.notes(source))


def score(right: int, made: int, labelled: int) -> str:
    """Precision, recall and F1 in one line."""
    precision, recall = right / max(made, 1), right / max(labelled, 1)
    f1 = 2 * right / max(made + labelled, 1)
    return f"precision {precision:.3f}, recall {recall:.3f}, F1 {f1:.3f} ({labelled} labelled, {made} found)"


def main() -> None:
    """Print the score, or every wrong line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("labels", type=Path)
    parser.add_argument("memories", type=Path)
    parser.add_argument("--errors", action="store_true")
    given = parser.parse_args()
    windows = {row["file"]: row for row in rows(given.labels.with_name("windows.jsonl"))}
    texts = {name: (given.memories / name).read_text("utf-8", "replace").split("\n") for name in windows}
    labelled = {(row["file"], first_words(texts[row["file"]], row["line"])) for row in rows(given.labels)}
    made = {
        (name, line)
        for name, line in found(given.memories.resolve(), texts)
        if windows[name]["first"] <= line <= windows[name]["last"]
    }
    if given.errors:
        for name, line in sorted(labelled ^ made):
            print(f"{'missed' if (name, line) in labelled else 'wrong '} {name}:{line}: {texts[name][line - 1][:120]}")
        return
    counts = [Counter(windows[name]["store"] for name, _ in starts) for starts in (labelled & made, made, labelled)]
    for store in sorted({row["store"] for row in windows.values()}):
        print(f"{store}: {score(*(count[store] for count in counts))}")
    print(f"all: {score(*(count.total() for count in counts))}")


if __name__ == "__main__":
    main()
