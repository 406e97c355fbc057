"""``curator doctor``: look whether all is in order."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from curator import app
from curator.cli.context import (
    Session,
    as_json,
    emit,
    pass_session,
    placed,
    say,
)
from curator.text.words import counted

if TYPE_CHECKING:
    from curator.app import Check


@click.command()
@click.option("--ask", is_flag=True, help="Have the distiller that is set read a session that is made up.")
@as_json
@placed
@pass_session
def doctor(session: Session, ask: bool, as_json: bool) -> None:
    """Check that everything works, and say what to do if not.

    Looked at are the settings, the database, the log, git, this project's lesson files, and where each agent's transcripts
    are, how many were read, and what in them was not understood. Nothing is changed. Exits with 1 if anything is wrong.
    """
    themes = session.faces.themes() if session.faces else ()
    checks = list(app.examine(lambda: session.settings, Path(session.folder()), os.environ, themes, ask=ask))
    if as_json:
        emit(asdict(check) for check in checks)
    else:
        say("\n".join(report(checks)))
    if not all(check.ok for check in checks):
        session.exit_code = 1


def report(checks: Sequence[Check]) -> Iterator[str]:
    """What is in order, a line each, an agent a line; then each problem with what to do."""
    home = str(Path.home())
    for check in checks:
        if check.ok:
            yield f"{check.agent or check.check:<15}{check.detail.replace(home + os.sep, '~' + os.sep)}"
    wrong = [check for check in checks if not check.ok]
    yield ""
    yield f"{counted(len(wrong), 'problem')}:" if wrong else "All is in order."
    for check in wrong:
        yield f"! {' '.join(filter(None, (check.agent, check.check)))}: {check.detail}"
        yield f"  {check.fix}"


COMMANDS = (doctor,)
