"""Commands that move things in and out: scan, detect, export, import, and for teams git's merge driver and what is
shared.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from curator import app
from curator.app import Curator
from curator.cli.context import (
    Session,
    as_json,
    emit,
    moment,
    pass_session,
    project_command,
    say,
    talk,
    tell_of_files,
    tell_of_waiting,
    warn,
)
from curator.cli.verdicts import find_ids, report
from curator.errors import CuratorError, UsageError
from curator.model import JSON, Candidate, Role, State
from curator.text.words import noun_of, pluralize

if TYPE_CHECKING:
    from curator.app import Exchange, ScanReport, Step


ROLES = {Role.HUMAN: "user", Role.ASSISTANT: "assistant", Role.EVENT: "user"}


@click.command()
@click.option(
    "--root", "roots", multiple=True, type=click.Path(path_type=Path), metavar="DIR", help="Read here only; may be repeated."
)
@click.option("--since", metavar="30d|all", help="How far back; 30d unless set otherwise, with --root all.")
@click.option("--verbose", is_flag=True, help="Name each session that gave no card, and say why.")
@click.option("--queued", is_flag=True, hidden=True, help="What hooks have queued, and nothing else.")
@as_json
@pass_session
def scan(session: Session, roots: tuple[Path, ...], since: str | None, verbose: bool, queued: bool, as_json: bool) -> None:
    """Read transcripts and propose lessons.

    Stop it with ctrl-c at any time: the file at hand is finished, and the next scan goes on from there. DIR is an agent's
    own folder, its projects or sessions, or any folder above such.
    """
    if roots and not any(root.exists() for root in roots):
        raise CuratorError(f"There is no {' or '.join(map(str, roots))}.", "Name a folder with transcripts in it.")
    session.every = True
    if queued:
        app.scan.be_gentle()
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
    if as_json:
        emit(figures)
    else:
        for part in reports.values():
            if part.agent:
                say(report_line(part))
    if verbose or not as_json:
        tell_of_silence([item for part in reports.values() for item in part.silent.items()], verbose=verbose)
    if dismissed := sum(part.dismissals for part in reports.values()):
        warn(f"{pluralize(dismissed, 'candidate says', 'candidates say')} what was dropped before: held back.")
    if last and last.older:
        warn(f"{pluralize(last.older, 'older transcript was', 'older transcripts were')} left out; `--since all` reads all.")
    elif not figures and not stopped:
        warn("No transcripts were found; `curator where` shows the places searched, `--root DIR` names another.")
    if stopped:
        raise KeyboardInterrupt


def tell_of_silence(sessions: Sequence[tuple[tuple[str, str], str]], *, verbose: bool) -> None:
    """Say of sessions (transcript, id) why they gave no card: how many for each reason, and which where that is wanted."""
    silent = [(place, why) for place, why in sessions if why]
    if not silent:
        return
    reasons = ", ".join(f"{count:,} {why}" for why, count in Counter(why for _, why in silent).most_common())
    warn(f"{pluralize(len(silent), 'session')} gave no card: {reasons}{'.' if verbose else '; `--verbose` names them.'}")
    if verbose:
        for (path, session), why in silent:
            warn(f"  {path}{f' ({session})' if session not in path else ''}: {why}")


def report_line(report: ScanReport) -> str:
    """What a scan gave for one agent, in columns; nouns are of one width."""
    counts = ((report.files, 6, "file"), (report.turns, 8, "turn"), (report.candidates, 6, "candidate"))
    columns = " ".join(f"{count:>{width}} {noun_of(count, noun):<{len(noun) + 1}}" for count, width, noun in counts)
    copied = f" {pluralize(report.copies, 'session')} copied from another" if report.copies else ""
    return f"{report.agent:<14}{columns}{copied}".rstrip()


def scan_with_bar(
    curator: Curator, roots: list[Path] | None, after: float
) -> tuple[Mapping[str, ScanReport], Step | None, bool]:
    """Scan in a thread of its own, so that ctrl-c lets the file at hand be finished and saved.

    Returns the figures of each agent, the last step, and whether it was stopped.
    """
    stop, finished = threading.Event(), threading.Event()
    result: list[Mapping[str, ScanReport]] = []
    failure: list[BaseException] = []
    reached: deque[Step] = deque(maxlen=1)

    def work() -> None:
        try:
            own = curator.fork()
            try:
                result.append(app.scan.scan(own, roots=roots, since=after, progress=reached.append, stop=stop))
            finally:
                own.close()
        except BaseException as error:
            failure.append(error)
        finally:
            finished.set()

    try:
        threading.Thread(target=work).start()
        with bar() as move:
            while not finished.wait(0.1):
                if reached:
                    move(reached[0])
            if reached:
                move(reached[0])
    except KeyboardInterrupt:
        stop.set()
        warn("Finishing the file at hand.")
    finished.wait()  # an event, since a thread whose join was interrupted counts as ended in Python 3.11
    if failure:
        raise failure[0]
    return result[0], reached[0] if reached else None, stop.is_set()


@contextmanager
def bar(noun: str = "candidate") -> Iterator[Callable[[Step], None]]:
    """A progress bar by bytes on stderr, where somebody looks at it; the noun is of what is found."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda step: None
        return
    with click.progressbar(length=1, label="reading", file=sys.stderr) as shown:

        def move(step: Step) -> None:
            shown.length = max(1, step.bytes_total)
            shown.label = pluralize(step.count, noun)
            shown.update(step.bytes_done - shown.pos)

        yield move


@click.command()
@click.argument("files", nargs=-1, metavar="FILE...")
@click.option(
    "--limit", type=click.IntRange(min=0), default=5, show_default=True, metavar="N", help="How many a session; 0 is all."
)
@click.option(
    "--root", type=click.Path(path_type=Path), metavar="DIR", help="FILE is below DIR; without any, all that is there."
)
@as_json
def detect(files: tuple[str, ...], limit: int, root: Path | None, as_json: bool) -> None:
    """Show what files would give; nothing is stored.

    What of a file could not be read is said on stderr.
    """
    names = list(files) or ([os.path.relpath(path, root) for path in app.find_transcripts(root)] if root else [])
    if not files and root is None:
        raise click.UsageError("Name a transcript, or a folder with --root.")
    if root and not root.exists():
        raise CuratorError(f"There is no {root}.", "Name a folder with transcripts in it.")
    read = [name for name in names if preview_file(name, root, limit, as_json)]
    if not names:
        warn(f"No transcripts were found in {root}.")
    elif not read:
        raise CuratorError("None of the files could be read.", "The lines above say why.")


def preview_file(name: str, root: Path | None, limit: int, as_json: bool) -> bool:
    """Print what one file would give; whether it could be read. What could not is named on stderr."""
    path = root / name if root and (root / name).exists() else Path(name)
    try:
        folder = path.is_dir()
        found = None if folder else app.preview(path, limit)
    except (OSError, ValueError) as error:
        warn(f"{name}: can't be read ({getattr(error, 'strerror', None) or error})")
        return False
    if found is None:
        kind = "a folder; name a file in it, or --root for all" if folder else "no transcript of a format that curator knows"
        warn(f"{name}: is {kind}")
        return False
    for unread in found.errors:
        warn(unread)
    if not found.turns:
        warn(f"{name}: there are no turns in it{' that could be read' if found.errors else ''}")
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
    """A candidate as ``detect --json`` prints it: the file exactly as it was given."""
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
        "why": {part: round(value, 4) for part, value in candidate.why.items()},
    }


def evidence_place(name: str, candidate: Candidate) -> JSON:
    """Where the evidence stands: 1-based lines, or 0-based places in the list of messages of a file that is one document."""
    best, *others = candidate.evidence
    also = sorted({item.line for item in others} - {best.line})
    if name.lower().endswith(".json"):
        return {"message": best.line - 1, "also_messages": [line - 1 for line in also]}
    return {"line": best.line, "line_end": min(best.line_end, best.line + 20), "also": also}


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path), metavar="[DIR]")
@project_command
def export(session: Session, folder: Path | None, as_json: bool) -> None:
    """Write lessons as files, one each.

    DIR is .curator/lessons in the project unless named. Files that somebody changed by hand are brought in first.
    """
    with session.open() as curator:
        exchange = app.settling.export(curator, folder)
    talk(exchange.refusals)
    if as_json:
        emit([{"written": exchange.written, "unchanged": exchange.unchanged, "removed": exchange.removed}])
    else:
        say(f"written {exchange.written}, unchanged {exchange.unchanged}, removed {exchange.removed}")


@click.command("import")
@click.argument("folder", required=False, type=click.Path(path_type=Path), metavar="[DIR]")
@click.option("--rules", is_flag=True, help="Propose the rules in CLAUDE.md, AGENTS.md, .cursor/rules and the like.")
@click.option("--accept", is_flag=True, help="Keep all lessons that this repository brings, now and from now on (Y).")
@click.option("--revoke", is_flag=True, help="Take that back: ask again about what it brings from now on.")
@project_command
def import_(session: Session, folder: Path | None, rules: bool, accept: bool, revoke: bool, as_json: bool) -> None:
    """Bring in lesson files, edited by hand or pulled.

    DIR is .curator/lessons in the project unless named. A file that can't be understood is left as it is and named with
    its line; the others are brought in all the same.

    What others wrote waits for your verdict, card by card, and is sent to no agent before. With --accept all of it is kept,
    and later changes of this repository come in without asking. A fork, a copy or another folder is asked about again.

    With --rules what people wrote down for agents becomes candidates, which wait for a verdict like any other. DIR is then
    the folder to look in, the project's unless named; a rules file deeper inside holds for the folder in which it lies. Items
    that tell nobody to do or leave anything are no rules; how many there are is said, with one of each file.
    """
    if folder and not folder.is_dir():
        raise CuratorError(
            f"There is no folder {folder}.", f"Name the folder that holds the {'rules' if rules else 'lesson'} files."
        )
    if sum((rules, accept, revoke)) > 1:
        raise UsageError("--rules, --accept and --revoke exclude one another.", "Say one of them.")
    with session.open(decides=accept or revoke) as curator:
        exchange = bring_in(curator, folder, rules=rules, accept=accept, revoke=revoke)
    talk(exchange.refusals)
    tell_of_waiting(exchange.waiting)
    for item in exchange.skips:
        short = item.text if len(item.text) <= 60 else f"{item.text[:59]}…"
        others = f", like {item.count - 1} more" if item.count > 1 else ""
        warn(f"{item.file}:{item.line}: “{short}” does not look like a rule, so it is left out{others}")
    refused = [{"file": item.file, "line": item.line, "reason": item.reason} for item in exchange.refusals]
    if as_json:
        emit([{"added": exchange.added, "changed": exchange.changed, "conflicts": len(exchange.conflicts), "refused": refused}])
    else:
        say(f"added {exchange.added}, changed {exchange.changed}, conflicts {len(exchange.conflicts)}, refused {len(refused)}")
    if refused:
        session.exit_code = 3


def bring_in(curator: Curator, folder: Path | None, *, rules: bool, accept: bool, revoke: bool) -> Exchange:
    """What ``import`` does in one of its forms."""
    if rules:
        return app.rules_files.bring(curator, folder)
    if revoke:
        app.sync.revoke(curator, folder)
    if not accept:
        return app.sync.bring(curator, folder)
    first = app.sync.bring(curator, folder)
    waiting = app.sync.arrivals(curator, folder=folder)
    outcome, exchange = app.sync.accept(curator, folder)
    if waiting.entries:
        warn(f"{waiting.folder}: {waiting.sentence()}.")
    for entry in outcome.entries:
        warn(f"kept: {entry.id}  {entry.headline}")
    warn("Later changes of this repository come in without asking; `curator import --revoke` takes that back.")
    exchange.added += first.added
    tell_of_files(app.settling.settle(curator, [entry.id for entry in outcome.entries]))
    return exchange


FILE = click.Path(dir_okay=False, path_type=Path)


@click.command("merge-driver", hidden=True)
@click.argument("base", type=FILE, metavar="%O")
@click.argument("ours", type=FILE, metavar="%A")
@click.argument("theirs", type=FILE, metavar="%B")
@click.argument("name", metavar="%P", default="")
@pass_session
def merge_driver(session: Session, base: Path, ours: Path, theirs: Path, name: str) -> None:
    """Merge three versions of a lesson's file; git calls it.

    %O is the common ancestor, %A ours, which becomes the result, %B theirs, %P the file's name in the repository. Where
    both changed one field differently ours stands, and theirs is kept in the file for the next import to ask about. What is
    no lesson is merged by lines. Exit code 1 says that conflict markers are left. See `curator install git`.
    """
    try:
        clean, disputed = app.sharing.merge_files(base, ours, theirs, name or str(ours))
    except OSError as error:
        raise CuratorError(f"{error.filename}: {error.strerror or error}", "git gives the names of three files.") from error
    if disputed:
        warn(f"{name}: both sides changed {', '.join(disputed)}; ours stands until `curator import` has asked you.")
    if not clean:
        session.exit_code = 1


@click.command()
@click.argument("id")
@click.option("--global", "everywhere", is_flag=True, help="It holds in every project, and stays one lesson.")
@click.option("--with", "names", multiple=True, metavar="PROJECT", help="A copy for this project; may be repeated.")
@project_command
def share(session: Session, id: str, everywhere: bool, names: tuple[str, ...], as_json: bool) -> None:
    """Let a lesson hold beyond its project (t).

    PROJECT is a project's name or folder. It gets a copy among its own files, which its people may change or retire: the
    words without quotes and code, since what was said in one project is not to turn up in another's repository. Undo takes
    either back; so does `curator edit ID --scope project` for what is global.
    """
    if everywhere == bool(names):
        raise UsageError("Share it with whom?", "Say --global, or --with PROJECT.")
    with session.open(anywhere=True, decides=True) as curator:
        (whole,) = find_ids(curator, [id])
        if everywhere:
            lesson = curator.lessons.find(whole)
            if lesson.state is not State.ACTIVE:
                raise CuratorError(f"{whole} is no active lesson.", "Keep it first.")
            report(curator, curator.verdicts.edit(whole, scope="global", paths=()), [whole], as_json)
            return
        others = {one.id: one for one in (app.sharing.find_project(curator, name) for name in names)}
        outcome, there = app.sharing.copy_to(curator, whole, list(others.values()))
        report(curator, outcome, [entry.id for entry in outcome.entries], as_json)
        for entry in there:
            warn(f"{entry.id} is its copy in {curator.projects()[entry.project].name} already.")


COMMANDS = (scan, detect, export, import_, merge_driver, share)
