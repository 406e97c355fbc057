"""``curator install`` and ``uninstall``: set up agents and git's merge driver, and take it back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from curator.cli.context import (
    Session,
    is_terminal,
    pass_session,
    placed,
    say,
    warn,
)
from curator.errors import UsageError

if TYPE_CHECKING:
    from curator.app import install as setup
    from curator.app import sharing

AGENTS = "agents"


class Agents(click.Group):
    """A group whose first word may be an agent's id instead of a command's name."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Hand over to the command for agents unless another is named."""
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = [AGENTS, *args]
        return super().parse_args(context, args)

    def collect_usage_pieces(self, context: click.Context) -> list[str]:
        """How it is called."""
        return ["AGENT... | git", "[OPTIONS]"]


class Unnamed(click.Context):
    """The context of a command that nobody has to name: how it is called is told without its name."""

    @property
    def command_path(self) -> str:
        """The words before its arguments."""
        return self.parent.command_path if self.parent else super().command_path


class AgentsCommand(click.Command):
    """The command that is meant where a group is followed by an agent's id."""

    context_class = Unnamed


@click.group(cls=Agents)
def install() -> None:
    """Set up agents, or git.

    `curator install claude-code codex` registers hooks and the MCP server with these agents; see `curator install claude-code
    --help` for their names and for what to choose. What will change is shown first; `curator uninstall` takes it back.
    """


@click.group(cls=Agents)
def uninstall() -> None:
    """Take back what `curator install` has set up."""


def asked(command: click.decorators.FC) -> click.decorators.FC:
    """Give a command what every change to other programs' files has: ``--yes`` and ``--dry-run``."""
    command = click.option("--dry-run", is_flag=True, help="Only show what would be changed.")(command)
    return click.option("--yes", is_flag=True, help="Do not ask.")(command)


@install.command(AGENTS, cls=AgentsCommand)
@click.argument("agents", nargs=-1, required=True, metavar="AGENT...")
@click.option(
    "--project", is_flag=True, help="Into the files of this project, for all who have them, instead of yours; takes no path."
)
@click.option("--hooks/--no-hooks", default=True, help="Whether to register hooks.")
@click.option("--mcp/--no-mcp", default=True, help="Whether to register the MCP server.")
@click.option("--files/--no-files", default=None, help="Whether to write lessons into files that the agent reads.")
@asked
@pass_session
def install_agents(
    session: Session,
    agents: tuple[str, ...],
    project: bool,
    hooks: bool,
    mcp: bool,
    files: bool | None,
    yes: bool,
    dry_run: bool,
) -> None:
    """Register hooks and MCP server, write lessons into files.

    Agents: claude-code, codex, qwen, gemini, cursor, copilot-cli, vscode-copilot, opencode, cline, windsurf, zed, junie,
    continue, aider, goose. Lessons are written into files (a block in AGENTS.md, CLAUDE.md or GEMINI.md, or a rules file) for
    agents without hooks, and for others with --files. The project is that of the current folder; another one is named before
    the command: `curator --project PATH install`. Everything else in a file stays as it is; a copy from before is kept until
    `curator uninstall`.
    """
    from curator.app import install as setup

    with session.open() as curator:
        wish = setup.Wish(hooks=hooks, mcp=mcp, files=files, project=project)
        plan = setup.installing(curator, agents, wish)
        carried(session, plan, "There is nothing to do.", yes, dry_run)


@uninstall.command(AGENTS, cls=AgentsCommand)
@click.argument("agents", nargs=-1, required=True, metavar="AGENT...")
@click.option("--project", is_flag=True, help="Only out of this project's files; yours stay as they are. Takes no path.")
@asked
@pass_session
def uninstall_agents(session: Session, agents: tuple[str, ...], project: bool, yes: bool, dry_run: bool) -> None:
    """Take whatever is of curator out of agents' files.

    Yours and this project's, or with --project only the latter. A file that nobody has changed since is put back as it was;
    from others only our entries are taken.
    """
    from curator.app import install as setup

    with session.open() as curator:
        plan = setup.uninstalling(curator, agents, project=project)
        carried(session, plan, "There is nothing of ours.", yes, dry_run)


def carried(session: Session, plan: object, nothing: str, yes: bool, dry_run: bool) -> None:
    """Show a plan for agents and carry it out, if that is wanted."""
    from curator.app import install as setup

    assert isinstance(plan, setup.Plan)

    def carry_out() -> None:
        setup.carry_out(session.settings, plan)
        if setup.copies(session.settings):
            warn(f"Copies from before are in {session.settings.home / 'backups'}.")

    agreed(list(setup.shown(plan)), (*plan.notes, *files(plan)), nothing, carry_out, yes, dry_run)
    if not plan.changes and plan.records and not dry_run:
        setup.carry_out(session.settings, plan)


def files(plan: setup.Plan) -> Iterator[str]:
    """The files of a plan, a line each, so that nobody must read the diffs to know which."""
    for change in plan.changes:
        fate = "new" if change.before is None else "gone" if change.after is None else "changed"
        yield f"{fate:<8}{change.path}"


@install.command("git")
@asked
@placed
@pass_session
def install_git(session: Session, yes: bool, dry_run: bool) -> None:
    """Let git merge lesson files by field in this repository.

    Two settings of this clone and one line in .gitattributes. Commit the latter: it is for everybody, and where the
    settings are missing git goes on merging by lines.
    """
    from curator.app import sharing

    plan = sharing.installing(Path(session.folder()))
    merged(plan, "git merges lessons by field here already.", yes, dry_run)


@uninstall.command("git")
@asked
@placed
@pass_session
def uninstall_git(session: Session, yes: bool, dry_run: bool) -> None:
    """Let git merge lesson files by lines again."""
    from curator.app import sharing

    merged(sharing.uninstalling(Path(session.folder())), "There is nothing of ours in git's settings here.", yes, dry_run)


def merged(plan: sharing.Plan, nothing: str, yes: bool, dry_run: bool) -> None:
    """Show a plan for git and carry it out, if that is wanted."""
    from curator.app import sharing

    agreed(plan.lines, plan.notes, nothing, lambda: sharing.carry_out(plan), yes, dry_run)


def agreed(
    lines: tuple[str, ...] | list[str],
    notes: tuple[str, ...],
    nothing: str,
    carry_out: Callable[[], None],
    yes: bool,
    dry_run: bool,
) -> None:
    """Show what would change, ask once, and do it. Raises ``UsageError`` where nobody is there to be asked."""
    for line in lines:
        say(line)
    for note in notes:
        warn(note)
    if not lines:
        warn(nothing)
        return
    if dry_run:
        return
    if not yes and not is_terminal():
        raise UsageError("Nothing was changed: nobody is here to be asked.", "Say --yes to go ahead, --dry-run to only look.")
    if not yes and not click.confirm("Go ahead?", err=True):
        warn("Nothing was changed.")
        return
    carry_out()


COMMANDS = (install, uninstall)
