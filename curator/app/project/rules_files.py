"""Propose the rules of files such as AGENTS.md as candidates, because no person here has confirmed them."""

from __future__ import annotations

from math import exp
from pathlib import Path
from typing import Any

from curator import detection, rules
from curator.app import merge_targets
from curator.app.curator import Curator
from curator.app.project.sync import Exchange, SkippedItems
from curator.app.sessions.ingest import Ingest
from curator.detection import wording
from curator.errors import NoProject
from curator.io import files
from curator.lesson_files import Refusal
from curator.model import Candidate, Evidence, Line, Project, Role, Verb
from curator.rules import Rule, RulesFile
from curator.text import redact

SIGNAL = "rules-file"
WEIGHT = 0.2
"""The weight of standing in a rules file: worth keeping, but agents read it already. Statements made only in sessions come
first."""
MAX_RULES_FILE_BYTES = 1 << 20
MAX_RULES_PER_FILE = 500
"""Maximum number of rules to propose from one file. People do not decide on more."""
CONTEXT_LINES = 2
"""Lines of a rules file that are shown before and after a rule."""


def propose_rules(curator: Curator, folder: Path | None = None) -> Exchange:
    """Propose the rules in the rules files of a folder, by default the project's. Raises ``CuratorError`` without a project.

    Rules that curator already knows, even in similar words, are not proposed again. Unreadable files are refused.
    """
    project = curator.project
    if project is None:
        raise NoProject("rules need one")
    where = (folder or Path(project.folder)).absolute()
    exchange = Exchange()
    run = Ingest(curator)
    with curator.store.transaction():
        curator.store.sources.remember(project, project.folder)
        for file in rules.find(where, Path(project.folder)):
            propose_file(run, project, file, exchange, where)
    return exchange


def propose_file(run: Ingest, project: Project, file: RulesFile, exchange: Exchange, folder: Path) -> None:
    """Propose the rules of one file in a folder."""
    try:
        text = redact.clean(
            files.read(file.path, folder, MAX_RULES_FILE_BYTES).decode("utf-8-sig")
        )  # whole: a piece may be half a secret
    except OSError as error:
        exchange.refusals.append(Refusal(file.name, 1, f"can't be read ({error.strerror or error})"))
        return
    except ValueError as error:
        exchange.refusals.append(Refusal(file.name, 1, f"is not UTF-8 text ({error})"))
        return
    lines = text.split("\n")
    found = rules.read(text)
    if items := rules.non_rules(text):
        exchange.skips.append(SkippedItems(file.name, len(items), *items[0]))
    if len(found) > MAX_RULES_PER_FILE:
        exchange.refusals.append(
            Refusal(file.name, found[MAX_RULES_PER_FILE].line, f"holds {len(found)} rules; curator skipped the rest")
        )
    for rule in found[:MAX_RULES_PER_FILE]:
        candidate = as_candidate(rule, file, lines)
        if candidate is None or merge_targets.repeated(run.curator, candidate, project.id):
            continue  # a rule that a lesson says already is no news, and no conflict either
        outcome = run.propose(candidate, project.id, **scope(rule, file))
        newest = [run.newest[project.id]] if outcome is Verb.PROPOSE else []
        exchange.conflicts += [entry.id for entry in newest if entry.rival]
        exchange.added += len(newest) - len([entry for entry in newest if entry.rival])
        exchange.changed += outcome is Verb.SEE_AGAIN


def scope(rule: Rule, file: RulesFile) -> dict[str, Any]:
    """Return the part of the project where a rule applies: the patterns in its file, or else the file's folder."""
    prefix = f"{file.folder}/" if file.folder else ""
    paths = tuple(f"{prefix}{glob.removeprefix('./').removeprefix('/')}" for glob in rule.globs)
    paths = paths or ((file.folder,) if file.folder else ())
    return {"scope": "paths", "paths": paths} if paths else {}


def as_candidate(rule: Rule, file: RulesFile, lines: list[str]) -> Candidate | None:
    """Return a rule as a candidate, in few words. Return ``None`` if cleaning leaves nothing of it."""
    offers = wording.wordings(rule.statement, rule.heading)
    quote = rule.quote
    if not offers or not offers[0].headline.strip() or not quote.strip():
        return None
    evidence = Evidence(
        quote=quote,
        role=Role.HUMAN,
        file=redact.clean(file.name),
        line=rule.line,
        line_end=rule.line_end,
        agent=file.agent,
        excerpt=tuple(excerpt(rule, lines)),
    )
    return Candidate(
        category=rule.category,
        headline=offers[0].headline,
        insight=offers[0].insight,
        evidence=(evidence,),
        score=round(1 / (1 + exp(-WEIGHT)), 3),
        score_parts={"stands in a rules file": WEIGHT},
        signal=SIGNAL,
        fingerprint=detection.fingerprint(offers[0].insight),
        context=rule.heading,
        wordings=offers,
    )


def excerpt(rule: Rule, lines: list[str]) -> list[Line]:
    """Return the lines of a rule with those before and after it, as a card shows them."""
    first = min(CONTEXT_LINES, rule.line - 1)
    hits = range(first, first + rule.line_end - rule.line + 1)
    around = map(str.strip, lines[max(0, rule.line - 1 - CONTEXT_LINES) : rule.line_end + CONTEXT_LINES])
    return [Line(Role.HUMAN, text[:280], hit=at in hits) for at, text in enumerate(around) if text]
