"""``curator eval``: questions with known answers, as JSON lines in and out."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import click

from curator.cli.context import emit
from curator.errors import CuratorError
from curator.model import JSON


@click.group("eval")
def evaluate() -> None:
    """Answer labelled questions: how good it is, measured.

    JSON lines in, JSON lines out; see docs/benchmarks.md.
    """


@evaluate.command()
@click.option(
    "--files",
    required=True,
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    metavar="DIR",
    help="Where <id>/before and <id>/after are.",
)
def anchor(files: Path) -> None:
    """What became of symbols: each line has id, path and symbol."""
    from curator.app import evaluation

    emit(answers(lambda question: evaluation.anchor(question, files)))


@evaluate.command()
def relate() -> None:
    """How b relates to a, the older: each line has id, a and b."""
    from curator.app import evaluation

    emit(answers(evaluation.relate))


@evaluate.command()
@click.option(
    "--lessons",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    metavar="FILE",
    help="JSON lines with id, repo, title, text, globs.",
)
def search(lessons: Path) -> None:
    """Which lessons of a pool matter: each line has id, repo, prompt and open_files."""
    from curator.app import evaluation

    with evaluation.pool(lessons) as answer:
        emit(answers(answer))


def answers(answer: Callable[[JSON], JSON]) -> Iterator[JSON]:
    """The answer to each line of the standard input. Raises ``CuratorError`` at a line that is no JSON object."""
    for number, line in enumerate(sys.stdin, 1):
        if not line.strip():
            continue
        try:
            question = json.loads(line)
        except ValueError as error:
            raise CuratorError(f"Line {number} of the input is no JSON: {error}", "One object a line.") from error
        if not isinstance(question, dict):
            raise CuratorError(f"Line {number} of the input is no JSON object.", "One object a line.")
        try:
            yield answer(question)
        except CuratorError as error:
            raise CuratorError(f"Line {number} of the input: {error.message}", error.hint) from error


COMMANDS: Iterable[click.Command] = (evaluate,)
