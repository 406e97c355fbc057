"""Commands for agents: install, uninstall, why, pack, mcp, hook.

For ``curator hook``, only the help text is here. Agents' calls go from ``__main__`` to ``hooks``.
"""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from curator import app, clock
from curator.app import Curator
from curator.cli.context import (
    CliRun,
    ask_consent,
    emit,
    gc_paused,
    pass_session,
    project_command,
    project_option,
    say,
    scope_command,
    warn,
    words_of,
)
from curator.errors import CuratorError, UsageError
from curator.model import JSON

if TYPE_CHECKING:
    from curator.app.agents.deliveries import Receipt
    from curator.app.agents.packs import Pack


@click.command()
@click.argument("agent")
@click.argument("event")
def hook(agent: str, event: str) -> None:
    """Answer an agent's hook.

    The command reads JSON from standard input and prints lessons or nothing.

    `curator install` sets this up. The exit code is always 0. A hook stops after a quarter of a second. `curator why`
    shows what each hook call sent. CURATOR_HOOKS=0 switches all hooks off.
    """
    from curator.hooks import answer  # only this command needs it

    click.echo(answer((agent, event), sys.stdin.buffer.read()), nl=False)


@click.command("mcp")
@project_option
@pass_session
def mcp(session: CliRun) -> None:
    """Serve lessons over MCP, on standard input and output.

    Agents start this command. It serves the active lessons of the folder's project, and global ones. Lessons that an
    agent proposes become candidates. If an agent starts it in the home folder, it serves the project of --project, or
    else the first project that the agent names.
    """
    from curator.agents.mcp import claim  # the handshake is answered before the rest is loaded

    connection = claim()
    settings, folder = session.settings, session.folder()
    if connection.by_hand:
        warn("This command is for agents. It waits for MCP requests on standard input. Press ctrl-d or ctrl-c to end it.")
    with gc_paused():  # This takes long, so the connection greets the client meanwhile.
        from curator.app.mcp import Serving  # the handshake is answered before the rest is loaded

    connection.serve(Serving(settings, folder).answer)


MOMENTS = {"start": "the session began", "prompt": "a prompt", "file": "an open file", "call": "the agent asked"}
START_PARTS = ("base", "session start")
"""The part of the score that every lesson has in an answer, or at a session's start."""
LENGTH = "length"
"""A part that counts a little against each lesson and is no reason alone."""
PARTS = {
    "words": "shares rare words with the question",
    "names": "shares words with the question or the open files",
    "best": "is among the best matches",
    "place": "applies to this folder",
    "share": "applies to the open files",
    "elsewhere": "applies to other files",
    "named file": "names an open file",
    LENGTH: "its length",
    "stated again": "was stated in several sessions",
    "pinned": "is pinned",
    "outcome": "helped before",
    "code": "its code has changed",
    "age": "is temporary and old",
}
AGAINST = {"outcome": "did not help before"}
"""Other words for parts that count against a lesson."""
MAX_REASONS = 3
"""Parts whose absence is a reason."""
WITHHELD = 2
"""Lessons held back that are named for each decision."""


@click.command()
@click.argument("in_session", metavar="[SESSION]", default="")
@scope_command
def why(session: CliRun, in_session: str, as_json: bool) -> None:
    """Show what an agent got in a session, and why.

    The list includes hook calls that sent no lesson.

    SESSION is an id or its beginning (default: the last session of this project).
    """
    with session.open() as curator:
        app.deliveries.import_receipts(curator)
        in_session = app.deliveries.find(curator, in_session)
        if not in_session:
            where = "any project" if curator.scope is None else "this project"
            warn(f"No agent has called a hook or asked for lessons in {where}.\n{app.deliveries.SET_UP}")
            return
        found = app.deliveries.decisions(curator, in_session)
        if as_json:
            emit(map(plain, found))
            return
        columns = width()
        headlines = {id_: headline(curator, id_) for receipt in found for id_ in ids(receipt.body)}
        for receipt in found:
            for line in lines(receipt, headlines):
                say(wrap(line, columns) if columns else line)
        sent = {item[0] for receipt in found for item in receipt.body["shown"]}
        if found:
            warn(f"Session {found[0].session}; calls: {len(found)}, lessons sent: {len(sent)}.")


def ids(body: JSON) -> list[str]:
    """Return the lessons of a decision."""
    return [item[0] for item in (*body["shown"], *body["withheld"])]


def headline(curator: Curator, id_: str) -> str:
    """Return a lesson's headline, or a word that says that it is deleted."""
    try:
        return curator.lessons.find(id_).headline
    except CuratorError:
        return "(deleted)"


def plain(receipt: Receipt) -> JSON:
    """Return a decision as an object for scripts."""
    body = receipt.body
    sent = pad(body["shown"], 5)
    shown = [score_row(id_, score, parts, rank=rank, tokens=tokens) for id_, rank, score, tokens, parts in sent]
    withheld = [score_row(id_, score, parts, reason=reason) for id_, score, reason, parts in pad(body["withheld"], 4)]
    about = {"session": receipt.session, "at": clock.iso(receipt.at), "agent": receipt.agent, "event": body["event"]}
    about |= {"moment": body["moment"], "project": receipt.project, "asked": body["asked"], "threshold": body.get("threshold")}
    return about | {"shown": shown, "withheld": withheld, "unheard": bool(body.get("unheard"))}


def score_row(id_: str, score: float, parts: object, **more: object) -> JSON:
    """Return a lesson of a decision, as an object."""
    return {"id": id_, **more, "score": score, "parts": parts if isinstance(parts, dict) else {}}


def pad(items: list[list[Any]], size: int) -> Iterator[list[Any]]:
    """Yield the lists, each filled up with ``None`` to one size."""
    for item in items:
        yield [*item, *[None] * size][:size]


def lines(receipt: Receipt, headlines: Mapping[str, str]) -> Iterator[str]:
    """Yield a decision and its reasons as lines for a person."""
    body = receipt.body
    question = body["asked"]
    words = f"words of lessons in it: {question['prompt']}" if question["prompt"] else ", ".join(question["files"])
    about = f": {words}" if words else ""
    moment = MOMENTS.get(body["moment"], body["moment"])
    yield f"{clock.iso(receipt.at)}  {receipt.agent} {body['event']}, {moment}{' '.join(about.split(chr(10)))}"
    for id_, _, score, _, parts in pad(body["shown"], 5):
        yield f"  sent      {id_}  {headlines[str(id_)]}"
        yield f"            {explain_in_words(parts, score)}"
    for id_, score, reason, parts in pad(body["withheld"][:WITHHELD], 4):
        yield f"  not sent  {id_}  {headlines[str(id_)]}"
        yield f"            {explain_in_words(parts, score, too_little=True) if 'below the threshold' in reason else reason}"
    if (more := len(body["withheld"]) - WITHHELD) > 0:
        yield f"  and {more} more, see --json"
    if body.get("unheard") and body["shown"]:
        yield "  some versions of this agent ignore this hook, so curator may send the lesson again"
    if not body["shown"]:
        nothing_shared = ": no lesson shares a word, a name or a folder with the question"
        yield "  nothing was sent" + ("" if body["withheld"] else nothing_shared)


def width() -> int:
    """Return the columns of the output's terminal. Return 0 without a terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 0


def wrap(line: str, width: int) -> str:
    """Return a line broken at words to fit into a width, with later rows below the text of the first row.

    >>> print(wrap("  sent      run the tests with uv", 30))
      sent      run the tests with
                uv
    """
    indent = re.match(r" *(?:(?:sent|not sent) +)?", line)
    rest = " " * (len(indent[0]) if indent else 0)
    rows = textwrap.wrap(
        line, max(width, len(rest) + 20), subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(rows)


def explain_in_words(parts: object, score: float, *, too_little: bool = False) -> str:
    """Return the reasons for a lesson in words, strongest first; if it had ``too_little``, also those against it.

    >>> explain_in_words({"base": -2.56, "words": 1.0, "best": 1.8, "length": -1.3, "code": -0.7}, 0.42)
    '42% likely to matter: is among the best matches, shares rare words with the question'
    >>> explain_in_words({"words": 0.2, "code": -0.7}, 0.1, too_little=True)
    '10% likely to matter, too little: shares rare words with the question; against it: its code has changed'
    """
    numbers = {name: worth for name, worth in _numbers(parts).items() if name not in (*START_PARTS, LENGTH)}
    if numbers.get("words", 0.0) > 0:
        numbers.pop("names", None)  # adds hardly anything to the words
    ordered = sorted(numbers.items(), key=lambda item: -abs(item[1]))
    speak = ", ".join([PARTS.get(name, name) for name, worth in ordered if worth > 0][:MAX_REASONS])
    less = ", ".join([AGAINST.get(name, PARTS.get(name, name)) for name, worth in ordered if worth < 0][:MAX_REASONS])
    clauses = [*([speak] if speak else []), *([f"against it: {less}"] if less and too_little else [])]
    likely = f"{score:.0%} likely to matter{', too little' if too_little else ''}"
    return f"{likely}: {'; '.join(clauses)}" if clauses else likely


def _numbers(parts: object) -> dict[str, float]:
    items = parts.items() if isinstance(parts, dict) else ()
    return {name: round(float(value), 2) for name, value in items if isinstance(value, (int, float))}


@click.command()
@click.argument("words", nargs=-1, metavar="[WORDS...]")
@click.option("--file", "files", multiple=True, metavar="P", help="Include lessons about this file or folder; may be repeated.")
@click.option("--budget", type=click.IntRange(min=20), metavar="N", help="Maximum number of tokens (default: 600).")
@project_command
def pack(session: CliRun, words: tuple[str, ...], files: tuple[str, ...], budget: int | None, as_json: bool) -> None:
    """Print lessons as one block of text.

    Print lessons about the WORDS, about files and folders, or about the whole project. The best come first. Similar lessons
    appear once.
    """
    with session.open() as curator:
        own = app.project_files.own_files(curator, files)
        found = app.packs.pack(curator, words_of(words), own, budget or app.packs.BUDGET)
    if as_json:
        emit([asdict(found) | {"tokens": found.tokens}])
        return
    if not found.lessons:
        tight = f"The budget is too small for any of the {found.left_out} matching lessons. Raise --budget."
        warn(
            tight if found.left_out else "No lesson matches. Try other words, or run `curator pack` without words to print all."
        )
        return
    for line in found.text.split("\n"):
        say(line)
    warn(f"Lessons: {len(found.lessons)}, tokens: {found.tokens}{describe_omitted(found)}.")


def describe_omitted(pack: Pack) -> str:
    """Return the matching lessons that a pack omits."""
    numbers = {"had no room": pack.left_out, "repeat others": pack.alike, "conflict with others": pack.rivals}
    parts = [f"{number} {why}" for why, number in numbers.items() if number]
    return f" ({', '.join(parts)})" if parts else ""


GIT = "git"
"""The word that installs git's merge driver instead of an agent."""


def is_git(agents: Sequence[str]) -> bool:
    """Return whether git is meant. Raises ``UsageError`` for git together with other words."""
    if GIT in agents and len(agents) > 1:
        raise UsageError(
            "`git` stands alone.", "For the repository in another folder, write `curator --project PATH install git`."
        )
    return GIT in agents


def consent_options(command: click.decorators.FC) -> click.decorators.FC:
    """Add ``--yes`` and ``--dry-run`` to a command that changes other programs' files."""
    command = click.option("--dry-run", is_flag=True, help="Only show the changes.")(command)
    return click.option("--yes", is_flag=True, help="Apply the changes without asking.")(command)


@click.command()
@click.argument("agents", nargs=-1, required=True, metavar="AGENT... | git")
@click.option(
    "--project",
    is_flag=True,
    help="Install into this project's files, for everyone who uses the repository, not into your own. Takes no path.",
)
@click.option("--hooks/--no-hooks", default=True, help="Register hooks, or not (default: yes).")
@click.option("--mcp/--no-mcp", default=True, help="Register the MCP server, or not (default: yes).")
@click.option(
    "--files/--no-files",
    default=None,
    help="Write lessons into files that the agent reads, or not (default: for agents without hooks).",
)
@click.option("--memory", is_flag=True, help="Also write a note with lessons into the agent's own memory (claude-code, qwen).")
@consent_options
@pass_session
def install(
    session: CliRun,
    agents: tuple[str, ...],
    project: bool,
    hooks: bool,
    mcp: bool,
    files: bool | None,
    memory: bool,
    yes: bool,
    dry_run: bool,
) -> None:
    """Set up agents, or git.

    This registers hooks and the MCP server, or writes lessons into files. curator shows every change first; `curator
    uninstall` reverts it.

    Agents: claude-code, codex, qwen, gemini, cursor, copilot-cli, vscode-copilot, opencode, cline, windsurf, zed,
    junie, continue, aider, goose. Lessons are written into files (a block in AGENTS.md, CLAUDE.md or GEMINI.md, or a
    rules file) for agents without hooks, and for others with --files. The project is that of the current folder. To use
    another one, write `curator --project PATH install`. Everything else in a file stays as it is. curator keeps a copy
    of the old file until `curator uninstall`.

    With `git`, git merges lesson files field by field in this repository. This changes two settings of the clone and
    one line in .gitattributes. Commit .gitattributes. In clones without the settings, git merges by lines.
    """
    if is_git(agents):
        setup = app.git_merge.installing(Path(session.folder()))
        nothing = "git already merges lessons by field here."
        done = confirm_changes(setup.lines, setup.notes, nothing, lambda: app.git_merge.carry_out(setup), yes, dry_run)
    else:
        with session.open() as curator:
            wish = app.install.InstallRequest(hooks=hooks, mcp=mcp, files=files, memory=memory, project=project)
            plan = app.install.installing(curator, agents, wish)
            done = apply_plan(session, curator, plan, "Everything is already set up.", yes, dry_run)
    if done:
        words = " ".join((*agents, *(["--project"] if project else ())))
        warn(f"Done. To undo this, run `curator uninstall {words}`.")


@click.command()
@click.argument("agents", nargs=-1, required=True, metavar="AGENT... | git")
@click.option("--project", is_flag=True, help="Remove curator only from this project's files. Takes no path.")
@consent_options
@pass_session
def uninstall(session: CliRun, agents: tuple[str, ...], project: bool, yes: bool, dry_run: bool) -> None:
    """Remove what `curator install` set up.

    This covers your files and this project's files; with --project, only this project's. If nobody changed a file
    since, curator restores it. From another file it removes only its own parts. With `git`, git merges lesson files
    by lines again.
    """
    if is_git(agents):
        setup = app.git_merge.uninstalling(Path(session.folder()))
        nothing = "git is not set up for curator here; nothing to remove."
        confirm_changes(setup.lines, setup.notes, nothing, lambda: app.git_merge.carry_out(setup), yes, dry_run)
        return
    with session.open() as curator:
        plan = app.install.uninstalling(curator, agents, project=project)
        apply_plan(session, curator, plan, "curator is not installed here; nothing to remove.", yes, dry_run)


def apply_plan(session: CliRun, curator: Curator, plan: app.install.Plan, nothing: str, yes: bool, dry_run: bool) -> bool:
    """Show a plan for agents and carry it out if the person agrees. Return whether it was done."""

    def carry_out() -> None:
        app.install.carry_out(curator, plan)
        if app.install.has_backups(session.settings):
            warn(f"The original files are in {session.settings.home / 'backups'}.")

    is_done = confirm_changes(list(app.install.diffs(plan)), (*plan.notes, *files(plan)), nothing, carry_out, yes, dry_run)
    if not plan.changes and plan.records and not dry_run:
        app.install.carry_out(curator, plan)
    return is_done


def files(plan: app.install.Plan) -> Iterator[str]:
    """Yield the files of a plan, one per line, as a summary of the diffs."""
    for change in plan.changes:
        fate = "new" if change.before is None else "gone" if change.after is None else "changed"
        yield f"{fate:<8}{change.path}"


def confirm_changes(
    lines: Sequence[str], notes: Sequence[str], nothing: str, carry_out: Callable[[], None], yes: bool, dry_run: bool
) -> bool:
    """Show the changes, ask once, and make them. Return whether they were made. Raises ``UsageError`` without a terminal."""
    is_agreed = yes and bool(lines) and not dry_run
    if is_agreed:
        carry_out()  # before anything is printed: a pipe that closes early must not stop it
    for line in lines:
        say(line)
    for note in notes:
        warn(note)
    if not lines:
        warn(nothing)
    if not lines or dry_run or is_agreed:
        return is_agreed
    if not ask_consent("Nothing changed", "Use --yes to apply the change, or --dry-run to preview it."):
        return False
    carry_out()
    return True


COMMANDS = (hook, mcp, why, pack, install, uninstall)
