"""``curator status``: what waits, in a line."""

from __future__ import annotations

import click

from curator import app, clock
from curator.cli.context import Session, pass_session, say, scoped
from curator.model import Kind
from curator.text.words import noun_of

WORDS = {Kind.CANDIDATE: "candidate", Kind.CONFLICT: "conflict", Kind.STALE: "stale lesson"}
LETTERS = {Kind.CANDIDATE: "C", Kind.CONFLICT: "!", Kind.STALE: "S"}


@click.command()
@click.option("--line", is_flag=True, help="In a few letters, such as C29 !4 S8; nothing where nothing waits.")
@scoped
@pass_session
def status(session: Session, line: bool) -> None:
    """Say what waits for a verdict.

    With --line for status bars: C candidates, ! conflicts, S stale lessons. In tmux: set -g status-right '#(curator status
    --line --project "#{pane_current_path}")'.
    """
    with session.open(quick=True) as curator:
        counts = curator.lessons.kinds(curator.lessons.waiting())
        if line:
            text = " ".join(f"{letter}{counts[kind]}" for kind, letter in LETTERS.items() if counts[kind])
            click.echo(text, nl=bool(text))
            return
        for kind, word in WORDS.items():
            if counts[kind]:
                say(f"{counts[kind]:>6,}  {noun_of(counts[kind], word)}")
        if behind := sum(curator.lessons.behind()):
            say(f"{behind:>6,}  more held back: + in the inbox and `curator list --candidates` show all")
        lessons, new = curator.lessons.kinds(curator.lessons.library()).total(), not curator.has_read()
        if new:
            say("nothing was read yet: `curator scan`, or the inbox, reads what agents wrote")
        if new and not lessons:
            return
        sent = sum(1 for fared in app.statistics.outcomes(curator, since=clock.now() - 7 * 86_400.0).values() if fared.times)
        say(f"{lessons:>6,}  {noun_of(lessons, 'lesson')}, {sent:,} of them sent to an agent in the last 7 days")


COMMANDS = (status,)
