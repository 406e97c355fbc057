"""Answer labelled questions, so that quality can be measured from outside: ``curator eval``."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from curator import code, comparison, detection
from curator.app import distill, origins, scan
from curator.distill import digest, gate, questions
from curator.errors import CuratorError
from curator.model import JSON, Candidate, Category, Change, Drift, Entry, State, Turn, Verb
from curator.ranking import Question, choose, rank
from curator.store import hook_reader
from curator.store.database import Store


def relate(question: JSON) -> JSON:
    """Return how the newer text relates to the older one, and whether a person would be asked.

    It reads only id, a and b. Raises ``CuratorError`` if one is missing.
    """
    id_, older, newer = pair(question)
    result = comparison.between(older, newer)
    is_question = comparison.relate(_statement("b", newer), [_statement("a", older)]) is not None
    clash = [list(words) for words in result.clash]
    return {"id": id_, "label": result.relating or "unrelated", "clash": clash, "asked": is_question}


def pair(question: JSON) -> tuple[object, str, str]:
    """Return the id and the two texts of a question. Raises ``CuratorError`` if one is missing."""
    id_, older, newer = required(question, "id", "a", "b")
    if not (isinstance(older, str) and isinstance(newer, str)):
        raise CuratorError("a or b is not a text.", "Each line is an object with id, a, b.")
    return id_, older, newer


def _statement(id_: str, text: str) -> Entry:
    return Entry(
        id=id_,
        project="",
        state=State.ACTIVE,
        category=Category.CONVENTION,
        headline=text,
        insight=text,
        created=0.0,
        updated=0.0,
    )


def relate_prompt(question: JSON) -> JSON:
    """Return the prompt that asks a model about a pair."""
    id_, older, newer = pair(question)
    return {"id": id_, "prompt": questions.relation_prompt(older, newer)}


def judge_relation(question: JSON, answer: str) -> JSON:
    """Return a model's answer on how a pair relates. An unreadable answer counts as none, and ``error`` says so."""
    id_, older, newer = pair(question)
    try:
        result = questions.read_relation(answer, older, newer)
    except ValueError as error:
        return {"id": id_, "label": "unrelated", "clash": [], "asked": False, "error": str(error)}
    clash, is_question = [list(words) for words in result.clash], result.relating is not None
    return {"id": id_, "label": result.relating or "unrelated", "clash": clash, "asked": is_question}


def prompts(root: Path, window: int = 0, *, only_choose: bool = False) -> Iterator[JSON]:
    """Yield the prompts about each session of the transcripts in a folder, part by part.

    ``window`` and ``only_choose`` are the settings ``distill_context`` and ``distill_choose``.
    """
    for path in scan.find_transcripts(root):
        for session, turns in origins.sessions(path).items():
            sent = digest.sendable(turns)
            found = detection.detect(turns)
            for number, part in enumerate(digest.parts(sent, digest.part_characters(window))):
                candidates = digest.of_part(found, part, sent)
                if only_choose and not candidates:
                    continue
                text = digest.prompt(part.text, digest.candidates_and_lessons(candidates, ()), only_choose=only_choose)
                yield {"file": os.path.relpath(path, root), "session": session, "part": number, "prompt": text}


def judge_answers(root: Path, rows: Iterable[JSON], refused: Counter[str], window: int = 0) -> Iterator[tuple[str, Candidate]]:
    """Yield the accepted claims of a model's answers, as (file, candidate), by ``file, session, part, answer``.

    ``window`` is the window of the prompts. ``refused`` counts the reasons for refused claims. An answer without a session is
    for the whole file. A file or session gives at most five lessons. Without a part, an answer can't name a candidate by its
    number. Raises ``CuratorError`` if a file is absent or a row lacks a key. An unreadable answer gives nothing, and the log
    names it.
    """
    answers: dict[tuple[str, str], list[tuple[int | None, str]]] = {}
    for row in rows:
        file, answer, number = row.get("file"), row.get("answer"), row.get("part")
        if not isinstance(file, str) or not isinstance(answer, str):
            raise CuratorError(
                "An answer has no file or answer, or one of them is not a text.", "Each line is an object with both."
            )
        part = number if isinstance(number, int) else None
        answers.setdefault((file, str(row.get("session") or "")), []).append((part, answer))
    for (file, session), texts in answers.items():
        try:
            found = origins.sessions(root / file)
        except OSError as error:
            raise CuratorError(f"{root / file} can't be read: {error.strerror}.", "Pass the folder as --root.") from error
        turns = found.get(session, []) if session else [turn for one in found.values() for turn in one]
        left = gate.CARDS
        for number, text in texts:
            candidates = _numbered(turns, number, window) if session and number is not None else ()
            try:
                lessons, refusals = distill.judge(text, turns, candidates=candidates, most=left)
            except ValueError as error:
                refused[str(error)] += 1
                continue
            left -= len(lessons)
            refused.update(one.reason for one in refusals)
            yield from ((file, one.candidate) for one in lessons)


def _numbered(turns: Sequence[Turn], number: int, window: int) -> Sequence[Candidate]:
    """Return the candidates below a part of a session in the order of ``prompts``."""
    sent = digest.sendable(turns)
    parts = digest.parts(sent, digest.part_characters(window))
    found = digest.of_part(detection.detect(turns), parts[number], sent) if 0 <= number < len(parts) else []
    return found[: digest.CANDIDATES]


def anchor(question: JSON, files: Path) -> JSON:
    """Return what happened to a symbol between ``files/<id>/before`` and ``files/<id>/after``.

    It reads only id, path and symbol. Raises ``CuratorError`` if the question lacks one of them or its files are absent.
    """
    id_, path, symbol = map(str, required(question, "id", "path", "symbol"))
    before, after = files / id_ / "before", files / id_ / "after"
    if not before.is_dir() or not after.is_dir():
        raise CuratorError(f"There are no folders {before} and {after}.", "Put the files there first.")
    old, new = code.Version(_reader(before)), code.Version(_reader(after))
    came = [place for place in _files(after) if old.source(place) != new.source(place)]
    trace = code.trace(symbol, path, code.CodeChange(old, new, came))
    there = trace.drift is not Drift.DELETED
    return {
        "id": id_,
        "state": trace.drift.state,
        "kind": trace.drift.value,
        "severity": code.base_severity(trace),
        "new_path": (trace.path or path) if there else None,
        "new_symbol": (trace.new.name if trace.new else symbol) if there else None,
    }


@contextmanager
def pool(lessons: Path) -> Iterator[Callable[[JSON], JSON]]:
    """Put lessons into a database of their own, each repo as a project. Yield the function that answers questions about them.

    So the measurement uses the code of the hooks. Raises ``CuratorError`` that names the line of an invalid lesson.
    """
    rows = []
    for number, line in enumerate(lessons.read_text(encoding="utf-8").split("\n"), 1):
        if line.strip():
            try:
                rows.append(dict(json.loads(line)))
            except (ValueError, TypeError) as error:
                raise CuratorError(f"{lessons}:{number}: no JSON object: {error}", "One object a line.") from error
    with TemporaryDirectory(prefix="curator-eval-") as folder, closing(Store(Path(folder) / "curator.db")) as store:
        every = enumerate(entries(rows))  # ids are unique within a repo; here they must be unique in all
        changes = [(Verb.ADD, Change(before=None, after=entry._replace(id=f"{n}:{entry.id}"))) for n, entry in every]
        store.apply(changes, actor="curator", at=0.0)
        yield lambda question: recall(store, question)


def entries(lessons: Iterable[JSON]) -> list[Entry]:
    """Return lessons from elsewhere as entries, by rows with id, repo, title, text and globs. Raises ``CuratorError``."""
    found = []
    for row in lessons:
        id_, repo, text = required(row, "id", "repo", "text")
        globs = row.get("globs") or ()
        globs = globs if isinstance(globs, list | tuple) else (globs,)
        paths = tuple(map(str, globs))
        entry = _statement(str(id_), str(text))
        scope = "paths" if paths else "project"
        found.append(entry._replace(project=str(repo), headline=str(row.get("title") or ""), scope=scope, paths=paths))
    return found


def recall(store: Store, row: JSON) -> JSON:
    """Return the lessons that hooks would send for one labelled question. Raises ``CuratorError``."""
    id_, repo = required(row, "id", "repo")
    files = row.get("open_files") or ()
    if not isinstance(files, list | tuple):
        raise CuratorError("open_files is not a list.", "Give a list of paths.")
    question = Question("prompt", str(row.get("prompt") or ""), tuple(map(str, files)))
    found = rank(question, hook_reader.gather(hook_reader.Table(store.connection, str(repo)), question))
    own = {hit.id: hit.id.partition(":")[2] for hit in found}
    results = [
        {"lesson": own[hit.id], "score": round(hit.score, 4), "why": {key: round(part, 3) for key, part in hit.parts.items()}}
        for hit in found[:10]
    ]
    return {"id": id_, "results": results, "shown": [own[hit.id] for hit in choose(found, "prompt")[0]]}


def required(row: JSON, *names: str) -> tuple[Any, ...]:
    """Return these fields of a line. Raises ``CuratorError`` if one is missing."""
    try:
        return tuple(row[name] for name in names)
    except KeyError as error:
        raise CuratorError(f"A line has no {error}.", f"Each line is an object with {', '.join(names)}.") from error


def _files(folder: Path) -> Iterator[str]:
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            yield (Path(parent) / name).relative_to(folder).as_posix()


def _reader(folder: Path) -> Callable[[str], bytes | None]:
    def read(path: str) -> bytes | None:
        try:
            return (folder / path).read_bytes() if code.inside(folder, path) == path else None
        except OSError:
            return None

    return read
