"""``curator pack``: the lessons of a file, a folder or a topic as one short block for an agent."""

from __future__ import annotations

import click

from curator import app
from curator.cli.context import (
    Session,
    as_json,
    emit,
    pass_session,
    placed,
    say,
    warn,
    words_of,
)


@click.command()
@click.argument("words", nargs=-1, metavar="[WORDS...]")
@click.option("--file", "files", multiple=True, metavar="P", help="What belongs to this file or folder; may be repeated.")
@click.option("--budget", type=click.IntRange(min=20), metavar="N", help="So many tokens at most; 600 unless set otherwise.")
@as_json
@placed
@pass_session
def pack(session: Session, words: tuple[str, ...], files: tuple[str, ...], budget: int | None, as_json: bool) -> None:
    """Print lessons as one short block for an agent.

    Those about the WORDS, those of the files and folders, or of the whole project; best first, each whole, none twice. What is
    refused to agents is never in it.
    """
    from curator.app import packs

    with session.open() as curator:
        packed = packs.pack(curator, words_of(words), app.project_files.own_files(curator, files), budget or packs.BUDGET)
    found = packed.pack
    if as_json:
        left = {"left_out": found.left_out, "alike": found.alike}
        root = {"root": packed.root, "root_tokens": packed.root_tokens}
        sizes = {"tokens": found.tokens, "exported_tokens": packed.exported, "all_tokens": packed.every}
        emit([{"text": found.text, "lessons": list(found.lessons)} | left | sizes | root])
        return
    if not found.lessons:
        tight = f"No lesson fits into so few tokens; {found.left_out} had no room."
        warn(tight if found.left_out else "No lesson is about this; other words may find some; none at all take all lessons.")
        return
    for line in found.text.split("\n"):
        say(line)
    warn(f"Lessons: {len(found.lessons)}, tokens: {found.tokens}{without(found.left_out, found.alike)}.")
    for what, instead in (
        ("the files of these lessons", packed.exported),
        ("all lessons of the project", packed.every),
        (packed.root, packed.root_tokens),
    ):
        if instead:
            warn(saving(packed.saved(instead), what, instead))


def saving(share: float, what: str, instead: int) -> str:
    """What a pack saves beside an alternative of so many tokens.

    >>> saving(0.25, "AGENTS.md", 400), saving(-0.03, "all lessons", 90)
    ('25% fewer than AGENTS.md (400).', 'No saving here beside all lessons (90).')
    """
    percent = f"{share:.0%}"
    return (
        f"No saving here beside {what} ({instead})."
        if percent.startswith(("-", "0"))
        else f"{percent} fewer than {what} ({instead})."
    )


def without(left_out: int, alike: int) -> str:
    """What of the lessons that fit is not in a pack."""
    parts = [f"{left_out} had no room"] * bool(left_out) + [f"{alike} say the same as others"] * bool(alike)
    return f" ({', '.join(parts)})" if parts else ""


COMMANDS = (pack,)
