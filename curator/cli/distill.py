"""``curator read``: let a model read sessions, after an estimate of the cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from curator import app, clock
from curator.cli.context import CliRun, ask_consent, bar, emit, emit_or_say, moment, say, scope_command, warn
from curator.errors import UsageError
from curator.model import JSON
from curator.text.words import pluralize

if TYPE_CHECKING:
    from curator.app import Curator
    from curator.app.decisions.advice import Plan as StalePlan
    from curator.app.decisions.advice import Report as StaleReport
    from curator.app.sessions.distill import Distillation, Plan, Reading

WEEK_SECONDS = 7 * 86_400.0
NO_MODEL = "a model, which is not set up yet"
NOTHING_STALE = "The model has already reviewed every stale lesson."


@click.command()
@click.option("--session", "of_session", metavar="ID", default="", help="Read this session, even if the model read it before.")
@click.option("--since", metavar="D", help="Read sessions since a date, or of a span such as 7d (default: 7d).")
@click.option("--all-new", is_flag=True, help="Read every session that no model has read.")
@click.option("--stale", is_flag=True, help="Ask the model whether stale lessons are still true.")
@click.option("--with", "name", metavar="NAME", default="", help="Use this reader instead of the one in the settings.")
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Read at most N sessions, the most promising first (0: all).",
)
@click.option("--estimate", is_flag=True, help="Print the estimate and send nothing.")
@click.option("--show", is_flag=True, help="Print exactly what would be sent, and send nothing.")
@click.option("--yes", is_flag=True, help="Send without asking.")
@scope_command
def read(
    session: CliRun,
    of_session: str,
    since: str | None,
    all_new: bool,
    stale: bool,
    name: str,
    limit: int,
    estimate: bool,
    show: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Let your model read sessions, each once.

    First choose a reader. curator shows an estimate before it sends anything. Candidates get the words of the model. You
    still decide, and `curator undo` undoes the whole run.
    """
    if sum((bool(of_session), bool(since), all_new, stale)) > 1:
        raise UsageError("Use only one of --session, --since, --all-new and --stale.")
    if stale:
        advise(session, name, limit, estimate=estimate, show=show, yes=yes, as_json=as_json)
        return
    after = moment(since) if since else 0.0 if all_new or of_session else clock.now() - WEEK_SECONDS
    with session.open() as curator:
        nothing = nothing_to_read_message(curator.scope is not None, of_session, all_new=all_new)
        if show:
            if not show_prompts(curator, of_session, after, limit):
                warn(nothing)
            return
        plan = app.distill.plan(
            curator, session=of_session, since=after, name=name, limit=limit, unread=not of_session, estimate=estimate
        )
        if not as_json:
            warn(describe_plan(plan) if plan.sessions else nothing)
        if estimate:
            if as_json:
                emit(figures(app.distill.Reading(one, sum(one.tokens))) for one in plan.sessions)
            return
        if plan.sessions and not yes and not may_send():
            return
        result = run(curator, plan)
    emit_or_say(as_json, map(figures, result.readings), report(result))
    if result.failure:
        warn(f"{' and '.join(plan.models)} failed: {result.failure}. The cards did not change. Details are in the log.")
    if result.end_reason:
        warn(result.end_reason)


def show_prompts(curator: Curator, session: str, since: float, limit: int) -> int:
    """Print every text that would be sent. Return their number."""
    texts = [*app.distill.prompts(curator, session=session, since=since, limit=limit)]
    for text in texts:
        say(text)
    return len(texts)


def run(curator: Curator, plan: Plan) -> Distillation:
    """Read the sessions under a progress bar. After a stop, print the results so far."""
    readings = app.distill.Distillation()
    try:
        with bar() as move:

            def progress(done: Distillation) -> None:
                readings.readings = done.readings
                cards = pluralize(sum(one.new + one.chosen for one in done.readings), "card")
                move(len(done.readings), len(plan.sessions), f"reading, {cards}")

            return app.distill.run(curator, plan, progress)
    except KeyboardInterrupt:
        emit_or_say(False, (), report(readings))
        raise


def advise(session: CliRun, name: str, limit: int, *, estimate: bool, show: bool, yes: bool, as_json: bool) -> None:
    """Ask a model whether stale lessons still apply, after the same questions."""
    with session.open() as curator:
        if show and (asked := app.advice.stale_questions(curator, limit)):
            say("\n".join(text for _, text in asked))
            return
        plan = app.advice.plan_stale(curator, name=name, limit=limit, estimate=estimate or show)
        if not plan.questions:
            warn(NOTHING_STALE)
            return
        lessons = pluralize(len(plan.questions), "stale lesson")
        if not is_agreed(lessons, plan, estimate=estimate, show=False, yes=yes):
            return
        report = app.advice.advise(curator, plan)
        words = curator.lessons.headlines(report.results)
    found = report.results.items()
    items = ({"id": id_, "verdict": one.holding, "quote": one.quote} for id_, one in found)
    emit_or_say(as_json, items, (f"{id_}  {one.holding.value:<7} {words.get(id_, '')}" for id_, one in found))
    report_refusals(report)


def report_refusals(report: StaleReport[Any]) -> None:
    """Print the refused answers of a model, and the reason for an early end."""
    for id_, reason in report.refusals.items():
        warn(f"{id_}: curator refused the answer: {reason}.")
    if report.stop_reason:
        warn(report.stop_reason)


def is_agreed(what: str, plan: StalePlan[Any], *, estimate: bool, show: bool, yes: bool) -> bool:
    """Print the prompts or the cost of a plan, and return whether the person agrees to send them."""
    if show:
        say("\n".join(text for _, text in plan.questions))
        return False
    model = plan.reader.distiller.model if plan.reader else NO_MODEL
    warn(f"{what}: about {plan.tokens:,} tokens to {model}{cost_of(plan.cost)}.")
    return not estimate and (yes or may_send())


def report(result: Distillation) -> Iterator[str]:
    """Yield the result of a run."""
    read = [one for one in result.readings if not one.failure]
    if not result.readings:
        return
    new, chosen, left = (sum(getattr(one, name) for one in read) for name in ("new", "chosen", "left_out"))
    refused = sum(one.refusals.total() for one in read)
    but = f", {pluralize(refused, 'answer')} refused" if refused else ""
    yield (
        f"{pluralize(len(read), 'session')} read: {pluralize(new, 'new card')}, {pluralize(chosen, 'candidate')} chosen, "
        f"{left} left out{but}."
    )
    if new or chosen or left:
        yield "`curator undo` undoes the whole run."


def nothing_to_read_message(scoped: bool, of_session: str, *, all_new: bool) -> str:
    """Return the message for nothing to read, and the options that may find something."""
    here = " of this project" if scoped else ""
    wider = [] if all_new or of_session else ["--all-new looks at older ones"]
    wider += ["--all at every project"] if scoped and wider else ["--all looks at every project"] if scoped else []
    what = f"begins with {of_session} and may be sent" if of_session else "is unread"
    return f"No session{here} {what}. Nothing to send." + (f" {', '.join(wider)}." if wider else "")


def describe_plan(plan: Plan) -> str:
    """Return a plan in a sentence."""
    sessions, calls = pluralize(len(plan.sessions), "session"), pluralize(plan.calls, "call")
    return f"{sessions}: {calls} to {' and '.join(plan.models) or NO_MODEL}, about {plan.tokens:,} tokens{cost_of(plan.cost)}."


def cost_of(cost: float | None) -> str:
    """Return a cost in words to follow a figure. Return an empty text if no price is set."""
    return "" if cost is None else f" ({cost:.4f} at your price)"


def figures(reading: Reading) -> JSON:
    """Return the results of a session as numbers."""
    return {
        "session": reading.session.id,
        "tokens": reading.tokens,
        "lessons": reading.lessons,
        "new": reading.new,
        "chosen": reading.chosen,
        "left_out": reading.left_out,
        "refused": dict(sorted(reading.refusals.items())),
        **({"error": reading.failure} if reading.failure else {}),
    }


def may_send() -> bool:
    """Return whether the person agrees. Raises ``UsageError`` without a terminal."""
    return ask_consent("Nothing was sent", "Use --yes to send, or --estimate to print the estimate.")


COMMANDS = (read,)
