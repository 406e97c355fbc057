"""Commands that measure: ``curator replay`` on past sessions, ``curator eval`` on questions with known answers."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import click

from curator import app
from curator.app import evaluation
from curator.cli.context import CliRun, bar, emit, say, scope_command, warn
from curator.cli.transfer import as_object, progress_of, roots_option
from curator.errors import CuratorError, UsageError
from curator.model import JSON
from curator.settings import load
from curator.text.words import pluralize

FILE = click.Path(path_type=Path, dir_okay=False, exists=True)
FOLDER = click.Path(path_type=Path, file_okay=False, exists=True)
NEW = click.Path(path_type=Path, dir_okay=False)
given_answers = click.option("--answers", "given", type=FILE, metavar="FILE", help="Judge the answers in FILE.")


@click.group("eval")
def evaluate() -> None:
    """Measure the quality on labelled questions.

    These commands read and print JSON lines; see docs/benchmarks.md.
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

    --out writes prompts for a model, as id and prompt. --answers reads the model's raw text, as id and answer.
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

    A prompt has file, session, part and prompt. An answer has file, session, part and answer, the raw text. Standard
    error gets the number of refused lessons per reason. The settings distill_context and distill_choose apply.
    """
    settings = load()
    if (out is None) is (given is None):
        raise click.UsageError("Use --out to write prompts, or --answers to judge answers.")
    if out is not None:
        write(out, evaluation.prompts(root, settings.distill_context, only_choose=settings.distill_choose))
    if given is not None:
        with given.open(encoding="utf-8") as file:
            refusals = Counter[str]()
            rows = (row for _, row in objects(file, str(given)))
            judged = evaluation.judge_answers(root, rows, refusals, settings.distill_context)
            emit(as_object(name, one) for name, one in judged)
        for reason, times in refusals.most_common():
            warn(f"{times} refused: {reason}")


def write(file: Path, rows: Iterable[JSON]) -> None:
    """Write objects into a file, one a line."""
    with file.open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def answers(answer: Callable[[JSON], JSON]) -> Iterator[JSON]:
    """Yield the answer to each line of the standard input. Raises ``CuratorError`` for a line that is no JSON object."""
    for place, question in objects(sys.stdin, "the input"):
        try:
            yield answer(question)
        except CuratorError as error:
            raise CuratorError(f"{place}: {error.message}", error.hint) from error


def objects(lines: Iterable[str], name: str) -> Iterator[tuple[str, JSON]]:
    """Yield JSON objects, one per line, each with the words for its place. Raises ``CuratorError`` for another line."""
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


@click.command()
@click.option("--as-kept", is_flag=True, help="Count each lesson only from the day you kept it.")
@click.option("--candidates", is_flag=True, help="Also use candidates (an upper bound).")
@roots_option
@scope_command
def replay(session: CliRun, as_kept: bool, candidates: bool, roots: tuple[Path, ...], as_json: bool) -> None:
    """Measure what lessons would have done in past sessions.

    This reads transcripts again and asks the hook at each moment which lessons it would send. It then counts the
    statements that a later session repeated, and whether curator would have sent the lesson before. Every share has a
    95 % interval and a control. The replay calls no model and writes nothing; see docs/benefit.md.
    """
    if as_kept and candidates:
        raise UsageError("Use --as-kept or --candidates, not both.", "Candidates have no day on which you kept them.")
    if roots and not any(root.exists() for root in roots):
        raise CuratorError(f"There is no {' or '.join(map(str, roots))}.", "Name a folder with transcripts in it.")
    which = "as-kept" if as_kept else "candidates" if candidates else "active"
    with session.open() as curator:
        with bar() as move:
            report = app.replay.replay(
                curator, which=which, roots=list(roots) or None, progress=lambda step: move(*progress_of(step, "session"))
            )
        found = app.replay.figures(curator, report)
    for error in report.errors:
        warn(error)
    if as_json:
        emit([{"pool": which, **found}])
        return
    if not found["sessions"] or not found["lessons"]:
        lacking = "session of a transcript" if not found["sessions"] else "lesson"
        warn(f"There is no {lacking} here to replay. Use --all for every project, or --root DIR for other transcripts.")
        return
    for heading, rows in app.replay.sections(found, which).items():
        say(heading)
        for name, figure, note in rows:
            say(f"  {name:<18}{figure:>7}  {note}".rstrip())
    for line in costliest_lines(found):
        say(line)
    for note in app.replay.notes(found):
        warn(note)


def costliest_lines(found: JSON) -> Iterator[str]:
    """Yield the lessons that cost most and were never sent in time."""
    if found["never_in_time"]:
        yield "highest cost, never sent in time"
    for one in found["never_in_time"]:
        yield f"  {one['lesson']}  {one['headline']}"
        times, cost = pluralize(one["times"], "time"), pluralize(one["cost"], "token")
        yield f"    {times}, {cost} of work that it came after: {one['why']}"


COMMANDS = (evaluate, replay)
