"""Commands that move things in and out: scan and detect transcripts, export and import lesson files."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from curator import clock
from curator.cli.session import Session, as_json, emit, pass_session, scoped, span, warn
from curator.errors import CuratorError
from curator.model import JSON, Candidate, Role
from curator.service import Curator, Refusal, Scanned, Step, find_transcripts, preview

ROLES = {Role.HUMAN: "user", Role.ASSISTANT: "assistant", Role.EVENT: "user"}


@click.command()
@click.option(
    "--root", "roots", multiple=True, type=click.Path(path_type=Path), metavar="DIR", help="Instead of the native places."
)
@click.option("--since", metavar="30d|all", help="How far back; default 30d, with --root all.")
@as_json
@pass_session
def scan(session: Session, roots: tuple[Path, ...], since: str | None, as_json: bool) -> None:
    """Read transcripts; stop it with ctrl-c at any time, it goes on where it was."""
    session.every = True
    days = f"{session.settings.since_days}d"
    wanted = since or ("all" if roots else days)
    after = 0.0 if wanted == "all" else clock.now() - span(wanted)
    with session.open() as curator:
        reports, stopped = scan_with_bar(curator, list(roots) or None, after)
        if not roots and after:
            every, recent, *_ = curator.survey()
            if every > recent:
                warn(f"{every - recent} older transcripts were left out; `curator scan --since all` reads them.")
    for report in reports.values():
        for error in report.errors:
            warn(error)
    figures = [
        {"agent": r.agent, "files": r.files, "turns": r.turns, "candidates": r.candidates, "errors": len(r.errors)}
        for r in reports.values()
        if r.agent
    ]
    if as_json:
        emit(figures)
    else:
        for one in figures:
            click.echo(f"{one['agent']:<14}{one['files']:>6} files {one['turns']:>8} turns {one['candidates']:>6} candidates")
        if not figures:
            click.echo("No transcripts were found; `curator where` shows the places searched.")
    if stopped:
        raise KeyboardInterrupt


def scan_with_bar(curator: Curator, roots: list[Path] | None, after: float) -> tuple[Mapping[str, Scanned], bool]:
    """Scan in a thread of its own, so that ctrl-c lets the file at hand be finished and saved."""
    stop = threading.Event()
    result: list[Mapping[str, Scanned]] = []
    failure: list[BaseException] = []
    reached: list[Step] = []

    def work() -> None:
        own = curator.fork()
        try:
            result.append(own.scan(roots=roots, since=after, progress=reached.append, stop=stop))
        except BaseException as error:
            failure.append(error)
        finally:
            own.close()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        with bar() as move:
            while thread.is_alive():
                thread.join(timeout=0.1)
                if reached:
                    move(reached[-1])
    except KeyboardInterrupt:
        stop.set()
    thread.join()
    if failure:
        raise failure[0]
    return result[0], stop.is_set()


@contextmanager
def bar() -> Iterator[Callable[[Step], None]]:
    """A progress bar by bytes on stderr, where somebody looks at it."""
    if not sys.stderr.isatty():
        yield lambda step: None
        return
    with click.progressbar(length=1, label="reading", file=sys.stderr) as shown:

        def move(step: Step) -> None:
            shown.length = max(1, step.bytes_total)
            shown.label = f"{step.found} candidates"
            shown.update(step.bytes_done - shown.pos)

        yield move


@click.command()
@click.argument("files", nargs=-1, metavar="FILE...")
@click.option("--limit", type=click.IntRange(min=0), default=5, show_default=True, help="How many a session; 0 shows all.")
@click.option(
    "--root", type=click.Path(path_type=Path), metavar="DIR", help="Files are named from here; without any, all below it."
)
@as_json
def detect(files: tuple[str, ...], limit: int, root: Path | None, as_json: bool) -> None:
    """Show what would be proposed from transcripts; nothing is stored."""
    names = list(files) or ([str(path.relative_to(root)) for path in find_transcripts(root)] if root else [])
    if not names:
        raise click.UsageError("Name a transcript, or a folder with --root.")
    unread = 0
    for name in names:
        try:
            candidates = preview(root / name if root else Path(name), limit)
        except OSError as error:
            warn(f"{name}: can't be read ({error.strerror or error})")
            unread += 1
            continue
        if candidates is None:
            warn(f"{name}: is no transcript of a format that curator knows")
            unread += 1
            continue
        for candidate in candidates:
            if as_json:
                emit([as_object(name, candidate)])
            else:
                click.echo(f"{candidate.score:.2f}  {candidate.category.value:<15} {candidate.headline}")
                click.echo(f"      {name}:{candidate.evidence[0].line}  {candidate.signal}")
    if unread == len(names):
        raise CuratorError("None of the files could be read.", "See the lines above.")


def as_object(name: str, candidate: Candidate) -> JSON:
    """A candidate as ``detect --json`` prints it: the file exactly as it was given, lines 1-based."""
    best, *others = candidate.evidence
    return {
        "file": name,
        "line": best.line,
        "line_end": min(best.line_end, best.line + 20),
        "also": [item.line for item in others],
        "role": ROLES.get(best.role, "tool"),
        "quote": best.quote,
        "category": candidate.category,
        "headline": candidate.headline,
        "insight": candidate.insight,
        "files": list(candidate.files),
        "symbols": list(candidate.symbols),
        "durability": candidate.durability,
        "score": round(candidate.score, 4),
        "why": {part: round(value, 4) for part, value in candidate.why.items()},
    }


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path), metavar="[DIR]")
@as_json
@scoped
@pass_session
def export(session: Session, folder: Path | None, as_json: bool) -> None:
    """Write lessons as files, one each; by default to .curator/lessons in the project."""
    with session.open() as curator:
        done = curator.export(folder)
    talk(done.refused)
    if as_json:
        emit([{"written": done.written, "unchanged": done.unchanged, "removed": done.removed}])
    else:
        click.echo(f"written {done.written}, unchanged {done.unchanged}, removed {done.removed}")


@click.command("import")
@click.argument("folder", required=False, type=click.Path(path_type=Path), metavar="[DIR]")
@as_json
@scoped
@pass_session
def import_(session: Session, folder: Path | None, as_json: bool) -> None:
    """Bring in lesson files that were edited by hand or came with git pull."""
    with session.open() as curator:
        done = curator.take_in(folder)
    talk(done.refused)
    refused = [{"file": item.file, "line": item.line, "reason": item.reason} for item in done.refused]
    if as_json:
        emit([{"added": done.added, "changed": done.changed, "conflicts": len(done.conflicts), "refused": refused}])
    else:
        click.echo(f"added {done.added}, changed {done.changed}, conflicts {len(done.conflicts)}, refused {len(refused)}")
    if refused:
        session.exit_code = 3


def talk(refused: Sequence[Refusal]) -> None:
    """Name the files that were left alone."""
    for item in refused:
        warn(f"{item.file}:{item.line}: {item.reason}; the file was left as it is")


COMMANDS = (scan, detect, export, import_)
