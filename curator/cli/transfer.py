"""Commands that move things in and out: scan, detect, export, import, and for teams git's merge driver."""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

from curator import app
from curator.app import Curator
from curator.cli.context import (
    CliRun,
    as_json,
    bar,
    clip,
    emit,
    emit_or_say,
    moment,
    pass_session,
    project_command,
    report_files,
    report_waiting,
    say,
    warn,
    warn_refused_files,
)
from curator.errors import CuratorError, UsageError
from curator.model import JSON, Candidate, Role
from curator.text.words import noun_of, pluralize

if TYPE_CHECKING:
    from curator.app.project.sync import Exchange
    from curator.app.sessions.ingest import ScanReport
    from curator.app.sessions.scan import Step


ROLES = {Role.HUMAN: "user", Role.ASSISTANT: "assistant", Role.EVENT: "user"}


roots_option = click.option(
    "--root",
    "roots",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Read only this folder; may be repeated.",
)


@click.command()
@roots_option
@click.option("--since", metavar="30d|all", help="How far back to read (default: 30d; with --root: all).")
@click.option("--verbose", is_flag=True, help="List each session without a card, and the reason.")
@click.option("--queued", is_flag=True, hidden=True, help="Read only the transcripts that hooks queued.")
@as_json
@pass_session
def scan(session: CliRun, roots: tuple[Path, ...], since: str | None, verbose: bool, queued: bool, as_json: bool) -> None:
    """Read transcripts and find candidates.

    You can stop a scan with ctrl-c at any time; the next scan continues. DIR is an agent's own folder, its projects or
    sessions, or a folder above these.
    """
    if roots and not any(root.exists() for root in roots):
        raise CuratorError(f"There is no {' or '.join(map(str, roots))}.", "Name a folder with transcripts in it.")
    session.every = True
    if queued:
        app.scan.lower_process_priority()
        with session.open() as curator:
            app.scan.read_queue(curator)
        return
    after = moment(since or ("all" if roots else f"{session.settings.since_days}d"))
    with session.open(decides=bool(roots)) as curator:
        reports, last, stopped = scan_with_bar(curator, list(roots) or None, after)
        if not stopped:
            app.staleness.check(curator)
    for part in reports.values():
        for error in part.errors:
            warn(error)
    figures = [
        {"agent": r.agent, "files": r.files, "turns": r.turns, "candidates": r.candidates, "errors": len(r.errors)}
        for r in reports.values()
        if r.agent
    ]
    emit_or_say(as_json, figures, (report_line(part) for part in reports.values() if part.agent))
    if verbose or not as_json:
        report_no_cards([item for part in reports.values() for item in part.silent.items()], verbose=verbose)
    if dismissed := sum(part.dismissals for part in reports.values()):
        warn(f"{pluralize(dismissed, 'candidate repeats', 'candidates repeat')} statements that you dropped.")
    if last and last.older:
        warn(
            f"{pluralize(last.older, 'older transcript was', 'older transcripts were')} skipped; use `--since all` to read all."
        )
    elif not figures and not stopped:
        warn("No transcripts found. `curator where` lists the folders; use --root DIR for another one.")
    if stopped:
        raise KeyboardInterrupt


def report_no_cards(sessions: Sequence[tuple[tuple[str, str], str]], *, verbose: bool) -> None:
    """Print why sessions (transcript, id) gave no card: the number for each reason, and the sessions if requested."""
    silent = [(place, why) for place, why in sessions if why]
    if not silent:
        return
    reasons = ", ".join(f"{count:,} {why}" for why, count in Counter(why for _, why in silent).most_common())
    warn(f"{pluralize(len(silent), 'session')} gave no card: {reasons}{'.' if verbose else '; `--verbose` names them.'}")
    if verbose:
        for (path, session), why in silent:
            warn(f"  {path}{f' ({session})' if session not in path else ''}: {why}")


def report_line(report: ScanReport) -> str:
    """Return the result of a scan for one agent, in columns. All nouns have the same width."""
    counts = ((report.files, 6, "file"), (report.turns, 8, "turn"), (report.candidates, 6, "candidate"))
    columns = " ".join(f"{count:>{width}} {noun_of(count, noun):<{len(noun) + 1}}" for count, width, noun in counts)
    copied = f" {pluralize(report.copies, 'session')} copied from another" if report.copies else ""
    return f"{report.agent:<14}{columns}{copied}".rstrip()


def scan_with_bar(
    curator: Curator, roots: list[Path] | None, after: float
) -> tuple[Mapping[str, ScanReport], Step | None, bool]:
    """Scan. After ctrl-c, finish and save the current file. A second ctrl-c ends at once.

    Return the figures of each agent, the last step, and whether it was stopped.
    """
    stop = threading.Event()
    last: Step | None = None

    def interrupt(number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        with suppress(OSError):
            line = b"Finishing the current file.\n"
            os.write(2, b"\n" + line if os.isatty(2) else line)  # a stream may be in the middle of a write

    before = signal.getsignal(signal.SIGINT)
    # A script that runs curator in the background has it ignore ctrl-c.
    handles = before is signal.default_int_handler and threading.current_thread() is threading.main_thread()
    if handles:
        signal.signal(signal.SIGINT, interrupt)
    try:
        with bar() as move:

            def progress(step: Step) -> None:
                nonlocal last
                last = step
                move(*progress_of(step))

            reports = app.scan.scan(curator, roots=roots, since=after, progress=progress, stop=stop)
    finally:
        if handles:
            signal.signal(signal.SIGINT, before)
    return reports, last, stop.is_set()


def progress_of(step: Step, noun: str = "candidate") -> tuple[int, int, str]:
    """Return the bytes read, those to read, and the number of results, named by the noun, for a progress bar."""
    return step.bytes_done, step.bytes_total, pluralize(step.count, noun)


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    metavar="N",
    help="Maximum number of candidates per session (default: 5; 0: all).",
)
@click.option(
    "--root",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder that contains FILE. Without FILE, read every transcript in it.",
)
@as_json
def detect(files: tuple[str, ...], limit: int, root: Path | None, as_json: bool) -> None:
    """Show the candidates in transcripts. Nothing is stored.

    Standard error names each file that could not be read.
    """
    names = list(files) or ([os.path.relpath(path, root) for path in app.scan.find_transcripts(root)] if root else [])
    if not files and root is None:
        raise click.UsageError("Name a transcript, or a folder with --root.")
    if root and not root.exists():
        raise CuratorError(f"There is no {root}.", "Name a folder with transcripts in it.")
    read = [name for name in names if preview_file(name, root, limit, as_json)]
    if not names:
        warn(f"No transcripts were found in {root}.")
    elif not read:
        raise CuratorError("curator could not read any of the files.", "See the reasons above.")


def preview_file(name: str, root: Path | None, limit: int, as_json: bool) -> bool:
    """Print the candidates of one file. Return whether it could be read. Unreadable parts are named on stderr."""
    path = root / name if root and (root / name).exists() else Path(name)
    try:
        folder = path.is_dir()
        found = None if folder else app.scan.preview(path, limit)
    except (OSError, ValueError) as error:
        warn(f"{name}: can't be read ({getattr(error, 'strerror', None) or error})")
        return False
    if found is None:
        kind = "this is a folder; name a file in it, or use --root" if folder else "curator does not know this format"
        warn(f"{name}: {kind}")
        return False
    for unread in found.errors:
        warn(unread)
    if not found.turns:
        warn(f"{name}: no readable turns")
    if as_json:
        emit(as_object(name, candidate) for candidate in found.candidates)
        return bool(found.turns) or not found.errors
    for candidate in found.candidates:
        say(f"{candidate.score:.2f}  {candidate.category.value:<15} {candidate.headline}")
        say(f"      {name}:{candidate.evidence[0].line}  {candidate.signal}")
    if found.turns and not found.candidates:
        warn(f"{name}: no lesson in {found.turns} turn{'s' * (found.turns > 1)} ({found.why})")
    return bool(found.turns) or not found.errors


def as_object(name: str, candidate: Candidate) -> JSON:
    """Return a candidate for ``detect --json``, with the file name exactly as given."""
    best = candidate.evidence[0]
    return {
        "file": name,
        **evidence_place(name, candidate),
        "role": ROLES.get(best.role, "tool"),
        "quote": best.quote,
        "category": candidate.category,
        "headline": candidate.headline,
        "insight": candidate.insight,
        "files": list(candidate.files),
        "symbols": list(candidate.symbols),
        "durability": candidate.durability,
        "score": round(candidate.score, 4),
        "why": {part: round(value, 4) for part, value in candidate.score_parts.items()},
    }


def evidence_place(name: str, candidate: Candidate) -> JSON:
    """Return the place of the evidence: 1-based lines, or 0-based positions in the messages of a document file."""
    best, *others = candidate.evidence
    also = sorted({item.line for item in others} - {best.line})
    if name.lower().endswith(".json"):
        return {"message": best.line - 1, "also_messages": [line - 1 for line in also]}
    return {"line": best.line, "line_end": min(best.line_end, best.line + 20), "also": also}


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path), metavar="[DIR]")
@project_command
def export(session: CliRun, folder: Path | None, as_json: bool) -> None:
    """Write each lesson to a file.

    The default DIR is .curator/lessons in the project. Before it writes, curator imports files that
    somebody changed by hand.
    """
    with session.open() as curator:
        exchange = app.settling.export(curator, folder)
    warn_refused_files(exchange.refusals)
    figures = {"written": exchange.written, "unchanged": exchange.unchanged, "removed": exchange.removed}
    emit_or_say(as_json, [figures], [", ".join(f"{name} {count}" for name, count in figures.items())])


@click.command("import")
@click.argument("folder", required=False, type=click.Path(path_type=Path), metavar="[DIR]")
@click.option("--rules", is_flag=True, help="Propose the rules in CLAUDE.md, AGENTS.md, .cursor/rules and similar files.")
@click.option("--accept", is_flag=True, help="Keep all lessons of this repository, now and in future.")
@click.option("--revoke", is_flag=True, help="Undo --accept: ask about future changes again.")
@project_command
def import_(session: CliRun, folder: Path | None, rules: bool, accept: bool, revoke: bool, as_json: bool) -> None:
    """Import lesson files that were edited by hand or pulled.

    The default DIR is .curator/lessons in the project. If curator cannot read a file, it names the file and the line,
    and imports the others.

    Lessons of other people become candidates; agents do not get them yet. --accept keeps all of them, and later changes
    of this repository too. For another clone or a fork, curator asks again.

    --rules proposes the rules in rules files. DIR is then the folder to search. A rules file in a folder applies to that
    folder. curator leaves out items that ask for nothing, and prints their number.
    """
    if folder and not folder.is_dir():
        raise CuratorError(
            f"There is no folder {folder}.", f"Name the folder that holds the {'rules' if rules else 'lesson'} files."
        )
    if sum((rules, accept, revoke)) > 1:
        raise UsageError("--rules, --accept and --revoke can't be combined.", "Use only one of them.")
    with session.open(decides=accept or revoke) as curator:
        exchange = bring_in(curator, folder, rules=rules, accept=accept, revoke=revoke)
    warn_refused_files(exchange.refusals)
    report_waiting(exchange.waiting)
    for item in exchange.skips:
        others = f", like {item.count - 1} more" if item.count > 1 else ""
        warn(f"{item.file}:{item.line}: skipped “{clip(item.text, 60)}”, which does not look like a rule{others}")
    refused = [{"file": item.file, "line": item.line, "reason": item.reason} for item in exchange.refusals]
    figures = {"added": exchange.added, "changed": exchange.changed, "conflicts": len(exchange.conflicts)}
    sentence = ", ".join(f"{name} {count}" for name, count in (*figures.items(), ("refused", len(refused))))
    emit_or_say(as_json, [{**figures, "refused": refused}], [sentence])
    if refused:
        session.exit_code = 3


def bring_in(curator: Curator, folder: Path | None, *, rules: bool, accept: bool, revoke: bool) -> Exchange:
    """Run one of the forms of ``import``."""
    if rules:
        return app.rules_files.propose_rules(curator, folder)
    if revoke:
        app.sync.revoke(curator, folder)
        warn("This repository is no longer accepted. Its later changes become candidates.")
    if not accept:
        exchange = app.sync.import_folder(curator, folder)
        exchange.conflicts += app.settling.note_conflicts(curator, exchange.active)
        return exchange
    first = app.sync.import_folder(curator, folder)
    waiting = app.sync.arrivals(curator, folder=folder)
    outcome, exchange = app.sync.accept(curator, folder)
    if waiting.entries:
        warn(f"{waiting.folder}: {waiting.sentence()}.")
    for entry in outcome.entries:
        warn(f"kept: {entry.id}  {entry.headline}")
    warn("From now on, curator accepts this repository's changes without asking. Undo: `curator import --revoke`.")
    exchange.added += first.added
    ids = [*first.active, *exchange.active, *(entry.id for entry in outcome.entries)]
    report_files(app.settling.settle(curator, [*dict.fromkeys(ids)]))
    return exchange


FILE = click.Path(dir_okay=False, path_type=Path)


@click.command("merge-driver", hidden=True)
@click.argument("base", type=FILE, metavar="%O")
@click.argument("ours", type=FILE, metavar="%A")
@click.argument("theirs", type=FILE, metavar="%B")
@click.argument("name", metavar="%P", default="")
@pass_session
def merge_driver(session: CliRun, base: Path, ours: Path, theirs: Path, name: str) -> None:
    """Merge three versions of a lesson file; git calls this.

    %O is the common ancestor, %A is our version and gets the result, %B is their version, and %P is the file's name. If
    both sides changed one field, ours stands, and the next import asks about theirs. Other files are merged by lines.
    Exit code 1 means that conflict markers remain. See `curator install git`.
    """
    try:
        clean, disputed = app.git_merge.merge_files(base, ours, theirs, name or str(ours))
    except OSError as error:
        raise CuratorError(f"{error.filename}: {error.strerror or error}", "git calls this with three file names.") from error
    if disputed:
        warn(f"{name}: both sides changed {', '.join(disputed)}. Our version is kept; `curator import` will ask you.")
    if not clean:
        session.exit_code = 1


COMMANDS = (scan, detect, export, import_, merge_driver)
