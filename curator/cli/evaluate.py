"""``curator eval``: questions with known answers, as JSON lines in and out."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import click

from curator.app import evaluation
from curator.cli.context import emit, warn
from curator.cli.transfer import as_object
from curator.errors import CuratorError
from curator.model import JSON

FILE = click.Path(path_type=Path, dir_okay=False, exists=True)
FOLDER = click.Path(path_type=Path, file_okay=False, exists=True)
NEW = click.Path(path_type=Path, dir_okay=False)
given_answers = click.option("--answers", "given", type=FILE, metavar="FILE", help="Judge the answers in FILE.")


@click.group("eval")
def evaluate() -> None:
    """Measure the quality on labelled questions.

    JSON lines in, JSON lines out; see docs/benchmarks.md.
    """


@evaluate.command()
@click.option("--files", required=True, type=FOLDER, metavar="DIR", help="Folder with <id>/before and <id>/after.")
def anchor(files: Path) -> None:
    """Judge changes of symbols. Each line has id, path and symbol."""
    emit(answers(lambda question: evaluation.anchor(question, files)))


@evaluate.command()
@click.option("--out", type=NEW, metavar="FILE", help="Write the prompts to FILE.")
@given_answers
def relate(out: Path | None, given: Path | None) -> None:
    """Judge how b relates to a, the older one. Each line has id, a and b.

    --out writes prompts for a model, as id and prompt. --answers reads its raw text, as id and answer.
    """
    if out and given:
        raise click.UsageError("Use --out or --answers, not both.")
    if out:
        write(out, answers(evaluation.relate_prompt))
    elif given:
        with given.open(encoding="utf-8") as file:
            known = {row.get("id"): str(row.get("answer")) for _, row in objects(file, str(given))}
        emit(answers(lambda question: evaluation.judge_relation(question, known.get(question.get("id"), ""))))
    else:
        emit(answers(evaluation.relate))


@evaluate.command()
@click.option("--lessons", required=True, type=FILE, metavar="FILE", help="JSON lines with id, repo, title, text and globs.")
def search(lessons: Path) -> None:
    """Find the lessons that matter. Each line has id, repo, prompt and open_files."""
    with evaluation.pool(lessons) as answer:
        emit(answers(answer))


@evaluate.command()
@click.option("--root", required=True, type=FOLDER, metavar="DIR", help="Folder of the transcripts.")
@click.option("--out", type=NEW, metavar="FILE", help="Write the prompts to FILE.")
@given_answers
def distill(root: Path, out: Path | None, given: Path | None) -> None:
    """Write prompts about sessions, or judge a model's answers.

    A prompt has file, session, part and prompt. An answer has file, session, part and answer, the raw text. The reasons of
    refused lessons are counted on the standard error.
    """
    if (out is None) is (given is None):
        raise click.UsageError("Use --out to write prompts, or --answers to judge answers.")
    if out is not None:
        write(out, evaluation.prompts(root))
    if given is not None:
        with given.open(encoding="utf-8") as file:
            refusals = Counter[str]()
            rows = (row for _, row in objects(file, str(given)))
            emit(as_object(name, one) for name, one in evaluation.judge_answers(root, rows, refusals))
        for reason, times in refusals.most_common():
            warn(f"{times} refused: {reason}")


def write(file: Path, rows: Iterable[JSON]) -> None:
    """Write objects into a file, one a line."""
    with file.open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def answers(answer: Callable[[JSON], JSON]) -> Iterator[JSON]:
    """Yield the answer to each line of the standard input. Raises ``CuratorError`` at a line that is no JSON object."""
    for place, question in objects(sys.stdin, "the input"):
        try:
            yield answer(question)
        except CuratorError as error:
            raise CuratorError(f"{place}: {error.message}", error.hint) from error


def objects(lines: Iterable[str], name: str) -> Iterator[tuple[str, JSON]]:
    """JSON objects, one a line, each with the words for its place. Raises ``CuratorError`` at a line that is none."""
    for number, line in enumerate(lines, 1):
        place = f"Line {number} of {name}"
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except ValueError as error:
            raise CuratorError(f"{place} is not JSON: {error}", "Write one object per line.") from error
        if not isinstance(found, dict):
            raise CuratorError(f"{place} is not a JSON object.", "Write one object per line.")
        yield place, found


COMMANDS: Iterable[click.Command] = (evaluate,)
