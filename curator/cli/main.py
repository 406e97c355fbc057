"""The group of commands, and the one place where errors of the command line are caught."""

from __future__ import annotations

import logging
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper

import click

from curator import __version__
from curator.app import Curator
from curator.cli.context import CliRun, Frontends, is_terminal, keep_quiet, pass_session, print_error, say, scope_options, warn
from curator.errors import CuratorError, UsageError
from curator.io import files, git

log = logging.getLogger("curator")
COMPLETE = "_CURATOR_COMPLETE"

ROOMS = {
    "lists": "status list show search history stats where keys",
    "decisions": "keep retire edit merge supersede coexist snooze reopen add undo redo forget",
    "transfer": "scan detect export import merge-driver",
    "code": "anchor check cleanup tidy",
    "agents": "install uninstall why pack mcp hook",
    "evaluate": "eval replay",
    "maintain": "doctor restore project",
    "distill": "read",
    "memories": "memories",
    "hub": "hub share sync",
}
"""The modules of this package by their commands. A start imports one of them. The inbox imports none."""
ALIASES = {"distill": "read", "drop": "retire"}
"""Other names of commands, which no list shows: the inbox says "drop"."""
HOLDER = {command: room for room, commands in ROOMS.items() for command in commands.split()}


SECTIONS = {
    "Find lessons": "scan detect read add",
    "Decide": "review keep retire edit merge supersede coexist snooze reopen undo redo cleanup tidy",
    "Look": "status list show search history stats replay memories",
    "Send lessons to agents": "install uninstall why pack mcp hook",
    "Code and git": "check anchor export import merge-driver",
    "Share with teams": "hub share sync",
    "Maintain": "project doctor restore where forget eval",
    "Learn": "demo keys completion",
}
"""Every command by the user's purpose."""
WIDEST = 10
"""The length of the longest visible name, which aligns the columns of all sections."""


class Commands(click.Group):
    """All commands, each imported when it is asked for."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in sections instead of one list."""
        for heading, names in SECTIONS.items():
            with formatter.section(heading):
                found = ((name, self.get_command(ctx, name)) for name in names.split())
                room = formatter.width - WIDEST - 4
                formatter.write_dl(
                    [(f"{name:<{WIDEST}}", one.get_short_help_str(room)) for name, one in found if one and not one.hidden]
                )

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return every command's name."""
        return sorted({*self.commands, *HOLDER})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by its name. Return ``None`` if there is none."""
        cmd_name = ALIASES.get(cmd_name, cmd_name)
        if cmd_name in HOLDER and cmd_name not in self.commands:
            for command in import_module(f"curator.cli.{HOLDER[cmd_name]}").COMMANDS:
                self.add_command(command)
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command of this name. Raises ``UsageError`` with the most similar name if there is none."""
        from difflib import get_close_matches  # only a misspelt command needs it

        name = args[0]
        if name.startswith("-") or self.get_command(ctx, name):
            return super().resolve_command(ctx, args)
        near = get_close_matches(name.lower(), self.list_commands(ctx), 1)
        hint = f"Did you mean `curator {near[0]}`?" if near else "`curator --help` lists the commands."
        raise UsageError(f"There is no command {name!r}.", hint)


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="The key in brackets does the same in the inbox. Results go to standard output, everything else to standard error. "
    "Exit codes: 0 done, 1 findings, 2 usage, 3 bad input or state, 130 ctrl-c.",
)
@click.version_option(__version__, message="curator %(version)s", help="Show the version and exit.")
@scope_options
@click.pass_context
def cli(context: click.Context) -> None:
    """The lesson inbox for coding agents: without a command, open the inbox of this project."""
    if context.invoked_subcommand is None:
        open_inbox(context.ensure_object(CliRun))


def open_inbox(session: CliRun, in_session: str = "") -> None:
    """Open the inbox. On the welcome screen, a person may ask for the demo instead."""
    if not is_terminal():
        raise UsageError(
            "The inbox needs a terminal.",
            "Without one, use `curator review --plain`, or `curator list --candidates --json` in scripts.",
        )
    assert session.faces
    with session.open(attended=True) as curator:
        in_session = follow(curator, in_session)
        answer = session.faces.inbox(curator, session=in_session)
    if answer == "demo":
        show_demo(session)


def follow(curator: Curator, in_session: str) -> str:
    """Return the session's full id. If this project has no entry of the session, look at every project."""
    whole = curator.lessons.session(in_session) if in_session else ""
    if whole and not curator.lessons.kinds(curator.lessons.waiting(session=whole)):
        curator.project = None
    return whole


@cli.command()
@pass_session
def demo(session: CliRun) -> None:
    """Try curator on sample data. Your own data stays as it is."""
    show_demo(session)


def show_demo(session: CliRun) -> None:
    """Open the sample."""
    from curator.demo import open_demo  # only this command needs it

    assert session.faces
    if not is_terminal():
        raise UsageError("The demo needs a terminal.", "Run `curator demo` in a terminal.")
    with open_demo(session.settings) as curator:
        session.faces.inbox(curator, watch=False)


@cli.command()
@click.option("--session", "in_session", metavar="ID", default="", help="Show only the cards of this session.")
@click.option("--plain", is_flag=True, help="Show one card at a time, without a full screen (for screen readers and pipes).")
@click.option("--split", is_flag=True, help="Open a split of this terminal: tmux, Zellij, WezTerm, kitty.")
@scope_options
@pass_session
def review(session: CliRun, in_session: str, plain: bool, split: bool) -> None:
    """Open the inbox, or review cards line by line."""
    if split:
        words = [*(["--all"] if session.every else ()), *(["--session", in_session] if in_session else ())]
        say(open_split(os.path.abspath(session.folder() or os.curdir), ["review", *words] if in_session else words))
        return
    if not plain:
        open_inbox(session, in_session)
        return
    from curator.cli.plain import loop  # only this command needs it

    with session.open(attended=is_terminal(), decides=True) as curator:
        in_session = follow(curator, in_session)
        loop(curator, in_session)


TERMINALS = {
    "TMUX": ("tmux", "split-window", "-h", "-c", "{folder}"),
    "ZELLIJ": ("zellij", "run", "--direction", "right", "--close-on-exit", "--cwd", "{folder}", "--"),
    "WEZTERM_PANE": ("wezterm", "cli", "split-pane", "--right", "--cwd", "{folder}", "--"),
    "KITTY_LISTEN_ON": ("kitten", "@", "launch", "--location=vsplit", "--cwd", "{folder}"),
}
"""The environment variable of each terminal → the command that opens a split there."""
TERMINAL_SECONDS = 10.0
"""The seconds that a terminal may take to open a split."""


def open_split(folder: str, arguments: Sequence[str], env: Mapping[str, str] = os.environ) -> str:
    """Open the inbox of a folder in a split. Return a message, which says how to open it by hand if there is no split.

    Raises ``CuratorError`` if the terminal refuses.
    """
    home = [f"CURATOR_HOME={env['CURATOR_HOME']}"] if "CURATOR_HOME" in env else []  # The terminal may not have this command.
    inbox = [*(["env", *home] if home else ()), sys.executable, "-EP", "-m", "curator", *arguments]
    for variable, (name, *words) in TERMINALS.items():
        program = files.find_program(name, env, outside=git.untrusted_folders(folder)) if env.get(variable) else None
        if program:
            # tmux runs the text of #(…) in a folder's name, and a folder inside a clone may have any name.
            safe = folder.replace("#", "##") if variable == "TMUX" else folder
            ask_terminal([program, *(safe if word == "{folder}" else word for word in words), *inbox], env)
            return "The inbox is open next to this session."
    by_hand = shlex.join(["cd", folder]) + " && " + shlex.join(["curator", *arguments])
    return f"There is no tmux, Zellij, WezTerm or kitty around this session. Run this in a second terminal:\n\n    {by_hand}"


def ask_terminal(words: Sequence[str], env: Mapping[str, str]) -> None:
    """Ask a terminal. Raises ``CuratorError``."""
    try:
        process = subprocess.run(
            words, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TERMINAL_SECONDS, check=False
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise CuratorError(f"{words[0]} can't be run: {error}.", "Run `curator` in a second terminal.") from error
    if process.returncode:
        reason = process.stderr.strip() or f"it ended with {process.returncode}"
        raise CuratorError(f"{words[0]} opened no split: {reason}", "Run `curator` in a second terminal.")


@cli.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script for a shell.

    Load the script when the shell starts: `eval "$(curator completion bash)"` in ~/.bashrc, `eval "$(curator completion zsh)"`
    in ~/.zshrc, and `curator completion fish | source` in ~/.config/fish/config.fish.
    """
    from click.shell_completion import get_completion_class  # only this command needs it

    complete = get_completion_class(shell)
    assert complete is not None
    click.echo(complete(cli, {}, "curator", COMPLETE).source())


def commands() -> dict[str, click.Command]:
    """Return every command by its name, imported."""
    context = click.Context(cli)
    found = ((name, cli.get_command(context, name)) for name in cli.list_commands(context))
    return {name: command for name, command in found if command}


def run(arguments: Sequence[str], faces: Frontends) -> int:
    """Run the command line and return its exit code. A traceback goes only to the log."""
    if COMPLETE in os.environ:
        from click.shell_completion import shell_complete  # only a shell that completes needs it

        return shell_complete(cli, {}, "curator", COMPLETE, os.environ[COMPLETE])
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # in a locale that lacks a letter, its code is better than nothing
    keep_quiet()
    session = CliRun(faces)
    try:
        code = _run(arguments, session)
        if sys.stdout:  # there is none if it was closed before the start
            sys.stdout.flush()
    except BrokenPipeError:
        _close_output()  # the reader of our output has left: say nothing more
        return 0
    except OSError as error:
        log.exception("the output can't be written")
        _close_output()
        print_error(CuratorError(f"The output can't be written: {error.strerror or error}.", "Free some space on that disk."))
        return 3
    return code


def _close_output() -> None:
    """Discard the rest of the output, so that the end of the process does not try to write it again."""
    with suppress(OSError, ValueError):  # A test's substitute has no file number.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: Sequence[str], session: CliRun) -> int:
    """Return the exit code. Raise text that can't be printed as an ``OSError``."""
    try:
        with cli.make_context("curator", list(arguments), obj=session) as context:
            cli.invoke(context)
        return session.exit_code
    except click.exceptions.Exit as error:
        return error.exit_code
    except (click.exceptions.Abort, KeyboardInterrupt):
        warn(("\n" if is_terminal() else "") + "Stopped. Everything saved so far is safe.")
        return 130
    except click.UsageError as error:
        error.show()
        return 2
    except click.ClickException as error:
        warn(f"curator: {error.format_message()}")
        return 3
    except CuratorError as error:
        print_error(error)
        return max(error.exit_code, session.exit_code)
    except UnicodeEncodeError as error:
        print_error(CuratorError(f"{error.object!r} is not valid Unicode.", "Use only UTF-8 in arguments and file names."))
        return 3
    except OSError as error:
        if error.filename is None:
            raise
        log.exception("the system refused")
        print_error(
            CuratorError(f"{error.filename}: {error.strerror or error}.", "Details are in the log; `curator where` names it.")
        )
        return 3
    except Exception as error:
        log.exception("unexpected")
        warn(f"curator: unexpected error: {error!r}.\nDetails are in the log; `curator where` names it.")
        return 3
