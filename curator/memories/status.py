"""The difference between notes that report progress and notes that say how to work.

A single date or "done" proves little, because rules have them too. So the signs are counted, and those in a title count double.
"""

from __future__ import annotations

import re

from curator.memories.note import Note
from curator.text.words import runs, word_set

KINDS = frozenset(("project", "note", "inline", "reference", "waiting"))
"""Kinds that may be reports. Agents use other kinds for a person's statements and their lessons from these."""
LEAST = 2
"""Signs that make a report."""
_HINTS = word_set(
    "phase phases done complete completed finished shipped wip todo resolved historical blocked deferred pending implemented x",
    "progress next remaining open still yet started backlog blocker blockers roadmap path merged deployed migrated now pr prs",
    "pull commit commits pass passing passed green score coverage plan plans currently current built fixed added created",
    "completion delivered closed",
    " ".join(map(str, range(2020, 2040))),
)
"""One of these words is in every sign: a note without one needs no search."""

_DATE = (
    r"(?:20\d\d-\d\d(?:-\d\d)?|(?:\d{1,2}[./]){2}20\d\d|"
    r"(?:\d{1,2}(?:st|nd|rd|th)? )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
    r"(?: \d{1,2}(?:st|nd|rd|th)?)?,? 20\d\d)\b"
)
_ENDED = r"(?:completed?|completion|finished|shipped|delivered|implemented|merged|resolved|closed|done)"

_SIGNS = tuple(
    re.compile(words)
    for words in (
        r"(?i)\bphases? \d+(?:\s*[-–/&,]\s*\d+)*\b[^.\n]{0,60}\b(?:done|complete\w*|finished|shipped|next|open)\b|"
        r"\bPHASE \d+ (?:DONE|COMPLETE)|(?i:\ball phases\b)",
        r"(?<!(?: is|are|was|ere) )\b"
        r"(?:DONE|WIP|TODO|RESOLVED|COMPLETED?|SHIPPED|HISTORICAL|BLOCKED|PENDING|IMPLEMENTED)\b|\[x\]",
        r"(?i)\b(?:in progress|work in progress|next steps?|remaining (?:work|tasks?|steps?)|"
        r"open (?:work|items?|questions?)|still (?:open|to do|pending)|"
        r"not (?:yet|started)|to be done|backlog|blockers?|deferred|roadmap|path to \d)\b",
        rf"(?i)\b(?:as of|updated|verified|added|logged|landed|status|{_ENDED})(?: on| date)?\W{{0,5}}{_DATE}",
        rf"(?im)^\W{{0,8}}(?:date |last |status\W{{1,5}})?{_ENDED}(?: on| date)?\b\W{{0,5}}{_DATE}",  # a label: twice a sign
        rf"(?im)^[^\n]{{0,100}} [-–—(] ?{_DATE}\)?:?$",  # a heading with its day
        r"(?i)\b(?:session|sprint|status|progress|milestone|arc|state|handoff|snapshots?)\b[^.\n]{0,40}\b20\d\d\b",
        r"(?i)\b(?:now|is|are|was|were|has been|have been|fully|successfully) (?:\w+ )?"
        r"(?:implemented|completed?|merged|shipped|"
        r"resolved|finished|deployed|migrated)\b|\b(?:implementation|integration|migration|refactor\w*) (?:is )?complete\w*\b|"
        r"\bnow (?:supports?|uses?|works?|lives?|has)\b",
        r"(?i)\b(?:PRs?|pull requests?) ?#?\d+|\b\d+ PRs?\b|\bcommits? `?[0-9a-f]{7,12}\b",
        r"(?i)\b\d[\d,]* (?:tests?|suites?|checks?|specs?)\b[^.\n]{0,30}\b(?:pass\w*|green)\b",
        r"(?i)\b\d[\d,]* ?(?:/|of) ?\d[\d,]*\b[^.\n]{0,30}\b(?:pass(?:ed|ing)?|green|done|completed?)\b",
        r"(?i)\b(?:score|coverage|progress)\b\W{0,6}\d+(?:\.\d+)?\s*(?:/\s*\d+|%)",
        r"(?i)\bplan(?:\s+written)?:? ?(?:\d{2,4}\b|`[^`\n]*plans?/)|\bplan \d{2,4}\b",
        r"(?i)\bcurrently\b|\bcurrent (?:state|status|batch|focus|phase|score|work)\b",
        r"(?m)(?:^|: )(?:Implemented|Built|Completed|Added|Created|Fixed|Finished) ",
    )
)
_REPLACED = re.compile(r"\W{0,8}(?:SUPERSEDED|OBSOLETE|OUTDATED)\b|(?i:\W{0,8}superseded by )")


def is_status(note: Note) -> bool:
    """Return whether a note is a report of progress, which is soon out of date, or says that another note replaced it."""
    if _REPLACED.match(note.title):
        return True
    whole = note.whole if note.kind == "inline" else f"{note.under}\n{note.whole}"  # which many inline ones share
    title = f"{note.title}\n{note.path.stem.replace('_', ' ')}"
    if note.kind not in KINDS or _HINTS.isdisjoint(runs(f"{title} {whole}".lower())):
        return False
    found = [sign for sign in _SIGNS if sign.search(whole)]
    titled = found if note.title in whole else _SIGNS
    return len(found) + sum(bool(sign.search(title)) for sign in titled) >= LEAST
