"""Commands for the code of lessons, for people, scripts and CI: change the linked code, and show findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from curator import app
from curator.app import Curator, finding_row
from curator.cli.context import (
    CliRun,
    emit,
    emit_or_say,
    is_terminal,
    pass_session,
    project_command,
    report_files,
    say,
    scope_command,
    scope_options,
    warn,
)
from curator.cli.decisions import print_row
from curator.cli.lists import group, warn_about_size
from curator.errors import CuratorError, UsageError
from curator.model import Entry, Finding, Verb
from curator.text.words import pluralize


@click.command()
@click.argument("id")
@click.argument("places", nargs=-1, metavar="[PLACE]...")
@click.option("--remove", is_flag=True, help="Remove these places instead of adding them.")
@project_command
def anchor(session: CliRun, id: str, places: tuple[str, ...], remove: bool, as_json: bool) -> None:
    """Link a lesson to code, or list its linked code.

    A PLACE is a path, PATH:SYMBOL with dots in the symbol, or a symbol that only one file of the project defines.
    """
    with session.open(anywhere=True) as curator:
        entry = curator.lessons.find(id)
        now = list(app.anchoring.places_of(entry))
        if not places:
            if remove:
                raise UsageError("There is nothing to remove.", "Name the places. `curator anchor ID` lists them.")
            for path, symbol in now:
                say(f"{path}:{symbol}" if symbol else path)
            if not now:
                warn("This lesson has no linked code.")
            return
        if remove:
            pairs = {place for text in places if (place := (text.rpartition(":")[0] or text, text.rpartition(":")[2]))}
            removed = [place for place in now if place in pairs or (place[0] in places and not place[1]) or place[1] in places]
            if not removed:
                raise CuratorError(
                    f"{', '.join(places)} is not linked to this lesson.", f"`curator anchor {entry.id}` lists its places."
                )
            now = [place for place in now if place not in removed]
        else:
            now += [app.anchoring.resolve_place(curator, entry, text) for text in places]
        outcome = app.anchoring.link_code(curator, entry.id, now)
        print_row(curator, outcome.entries[0], as_json)
        report_files(app.settling.settle(curator, [entry.id]))


Findings = Sequence[tuple[Entry, Finding]]


@click.command()
@click.option("--from-files", is_flag=True, help="Read lesson files instead of the database (for CI).")
@click.option("--notes", is_flag=True, help="Also show minor changes, which are not findings.")
@click.option("--diff", is_flag=True, help="Show how the code changed.")
@scope_command
def check(session: CliRun, /, from_files: bool, notes: bool, diff: bool, as_json: bool) -> None:
    """Check the code that lessons are linked to.

    The exit code is 1 if code changed, moved or is gone. Changes of comments and formatting do not count. curator follows
    code that only moved and says so; `curator undo --event` undoes this.
    """
    if from_files:
        found = of_files(session)
    elif session.project and not Path(session.folder()).is_dir():
        raise CuratorError(f"There is no folder {session.project}.", "Name the folder of a project.")
    else:
        with session.open() as curator:
            found = of_lessons(curator)
    shown = [(entry, finding) for entry, finding in found if finding.alarming or notes]
    items = (finding_row(entry, finding) for entry, finding in shown)
    emit_or_say(as_json, items, (text for entry, finding in shown for text in lines(entry, finding, diff=diff)))
    alarms = sum(finding.alarming for _, finding in found)
    rest = f"; {len(found) - alarms} slight, see --notes" if len(found) > alarms and not notes else ""
    if not alarms:
        warn(f"No change of code affects a lesson{rest}.")
    else:
        warn(f"{pluralize(alarms, 'finding')}{rest}.")
        session.exit_code = max(session.exit_code, 1)


def of_lessons(curator: Curator) -> Findings:
    """Return the findings on the lessons of the database after a check. Print the lessons whose code moved."""
    found: list[tuple[Entry, Finding]] = []
    for project in [curator.project] if curator.project else curator.projects().values():
        if not Path(project.folder).is_dir():
            if count := sum(bool(entry.anchors) for entry in app.staleness.active(curator, project)):
                unchecked = pluralize(count, "lesson was", "lessons were")
                warn(f"{project.name}: the folder {project.folder} does not exist; {unchecked} not checked.")
            continue
        lessons, changed = app.staleness.look_at_code(curator, project)
        found += [(entry, finding) for entry in lessons.values() for finding in entry.findings]
        for entry in changed.values():
            *_, last = curator.lessons.history(entry.id)
            if last.verb is Verb.FOLLOW:
                places = ", ".join(dict.fromkeys(":".join(filter(None, anchor.subject)) for anchor in entry.anchors))
                back = f"`curator undo --event {last.seq}`"
                warn(f"{entry.id}: its code moved to {places}, and the lesson now points there. Undo: {back}.")
    return found


def of_files(session: CliRun) -> Findings:
    """Return the findings on the lessons in a folder's files. Files that can't be parsed are named."""
    read = app.staleness.from_files(Path(session.folder()))
    for refusal in read.refusals:
        warn(f"{refusal.file}:{refusal.line}: {refusal.reason}")
    if read.refusals:
        session.exit_code = 3
    return read.findings


def lines(entry: Entry, finding: Finding, *, diff: bool) -> Iterator[str]:
    """Yield a finding in words."""
    where = f"{finding.path}:{finding.symbol}" if finding.symbol else finding.path
    place = ":".join(filter(None, (finding.new_path, finding.new_symbol)))
    moved = f" → {'' if finding.certain else 'perhaps '}{place}" if place else ""
    yield f"{entry.id}  {finding.drift.value.replace('_', ' ')}: {where}{moved}{'' if finding.alarming else ' (slightly)'}"
    yield f"{'':11}{entry.headline}"
    if diff and finding.diff:
        yield from (f"{'':11}{line}" for line in finding.diff.rstrip("\n").split("\n"))


@click.command()
@click.option("--plain", is_flag=True, help="Show one card at a time, without a full screen (for screen readers and pipes).")
@scope_options
@pass_session
def cleanup(session: CliRun, plain: bool) -> None:
    """Review lessons that may no longer be true (g c).

    These are conflicts, stale lessons, groups that one rule can replace, temporary lessons after two weeks, other
    lessons that nobody touched for half a year, and ten agents' notes that are older than 90 days and that nothing
    confirmed. `y` confirms a lesson. curator deletes nothing by itself.
    """
    if not plain and not is_terminal():
        raise UsageError("`curator cleanup` needs a terminal.", "Without one, use `curator cleanup --plain`.")
    with session.open(attended=is_terminal(), decides=True) as curator:
        if plain:
            from curator.cli.plain import review  # only `--plain` needs it

            app.staleness.check(curator)
            review(curator)
        else:
            assert session.faces
            app.tidy.propose(curator)
            app.tidy.offer(curator)
            session.faces.inbox(curator, screen="cleanup")


@click.command()
@click.option("--read", is_flag=True, help="Ask your model for the rules, after an estimate.")
@click.option("--with", "name", metavar="NAME", default="", help="Use this reader instead of the one in the settings.")
@click.option("--estimate", is_flag=True, help="With --read, print the estimate and send nothing.")
@click.option("--show", is_flag=True, help="With --read, print exactly what would be sent, and send nothing.")
@click.option("--yes", is_flag=True, help="With --read, send without asking.")
@scope_command
def tidy(session: CliRun, read: bool, name: str, estimate: bool, show: bool, yes: bool, as_json: bool) -> None:
    """Find lessons that one rule can replace.

    The lessons of a group say nearly the same, or ask for the same thing. Nothing changes before you decide: `curator
    cleanup` shows each group as a card, and `curator keep ID` makes the rule of the group.
    """
    with session.open() as curator:
        if read and not ask_for_rules(curator, name, estimate=estimate, show=show, yes=yes):
            return
        found = [(entry, entry.proposal) for entry in app.tidy.propose(curator) if entry.proposal]
        if as_json:
            emit(app.tidy.group_row(entry, rule, curator.decisions.members(entry)) for entry, rule in found)
            return
        for entry, rule in found:
            say("\n".join([*group(curator, entry, rule), ""]))
        warn_about_size(curator)
    warn(f"{pluralize(len(found), 'group')}. Decide with `curator cleanup`." if found else "No group of lessons to make one.")


def ask_for_rules(curator: Curator, name: str, *, estimate: bool, show: bool, yes: bool) -> bool:
    """Ask a model to make rules. Return whether it was asked, or there was no question."""
    from curator.cli.distill import is_agreed, report_refusals  # only --read needs them

    plan = app.advice.plan_rules(curator, name=name, estimate=estimate or show)
    if not plan.questions:
        return not show
    if not is_agreed(pluralize(len(plan.questions), "group"), plan, estimate=estimate, show=show, yes=yes):
        return False
    report_refusals(app.advice.propose_rules(curator, plan))
    return True


COMMANDS = (anchor, check, cleanup, tidy)
