"""Entries, events and scores as people and scripts are shown them: words, and the JSON objects that the contracts name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from curator.clock import iso
from curator.model import DISTILLED, FROM_FILE, JSON, MEMORY, Entry, Event, Finding, Project, Verb
from curator.model.codec import encode

HAPPENED = {
    Verb.PROPOSE: "proposed",
    Verb.SEE_AGAIN: "stated again",
    Verb.ADD: "added",
    Verb.KEEP: "kept",
    Verb.CONFIRM: "confirmed",
    Verb.EDIT: "edited",
    Verb.DISMISS: "dropped",
    Verb.RETIRE: "retired",
    Verb.MERGE: "merged",
    Verb.SUPERSEDE: "superseded",
    Verb.COEXIST: "both kept",
    Verb.SNOOZE: "snoozed",
    Verb.EXPIRE: "expired",
    Verb.REOPEN: "reopened",
    Verb.OUTDATE: "stale",
    Verb.CLASH: "in conflict",
    Verb.ANCHOR: "anchored",
    Verb.FOLLOW: "code moved",
    Verb.DISTILL: "read",
    Verb.LINK: "project linked",
    Verb.IMPORT: "imported",
    Verb.UNDO: "undone",
    Verb.REDO: "redone",
    Verb.FORGET: "forgotten",
}
"""The word for each change of an entry, as the inbox says it."""


def display_state(entry: Entry, now: float) -> str:
    """Return an entry's state for people and scripts. A snoozed card has the state ``snoozed``."""
    return "snoozed" if entry.waits and (entry.snoozed_until or 0.0) > now else entry.state.value


def row(entry: Entry, projects: Mapping[str, Project], *, now: float = 0.0) -> JSON:
    """Return an entry as a ``Row``, the form that list, show, add and edit print."""
    project = projects.get(entry.project)
    from_note = {"signal": entry.signal} if entry.signal == MEMORY else {}
    return from_note | {
        "id": entry.id,
        "kind": entry.kind,
        "state": display_state(entry, now),
        "category": entry.category,
        "headline": entry.headline,
        "insight": entry.insight,
        "scope": entry.scope,
        "project": project.name if project else entry.project,
        "agent": entry.agent,
        "session": entry.session,
        "score": round(entry.score, 3),
        "files": list(entry.files),
        "created": iso(entry.created),
        "updated": iso(entry.updated),
        "evidence": [{"file": item.file, "line": item.line, "role": item.role, "quote": item.quote} for item in entry.evidence],
    }


def full_row(entry: Entry, projects: Mapping[str, Project], events: Sequence[Event], *, now: float = 0.0) -> JSON:
    """Return a ``Row`` with everything that ``show`` adds."""
    data = encode(entry)
    links = {
        name: data[name]
        for name in ("rival", "supersedes", "superseded_by", "refines", "contradicts", "coexists", "merged_into")
        if data.get(name)
    }
    return row(entry, projects, now=now) | {
        "context": entry.context,
        "snippets": data.get("snippets", []),
        "symbols": list(entry.symbols),
        "links": links,
        "events": [event_row(event) for event in events],
    }


def finding_row(entry: Entry, finding: Finding) -> JSON:
    """Return a finding as ``check`` prints it."""
    return {
        "id": entry.id,
        "path": finding.path,
        "symbol": finding.symbol or None,
        "state": finding.drift.state,
        "kind": finding.drift.value,
        "severity": finding.severity,
        "new_path": finding.new_path or None,
        "new_symbol": finding.new_symbol or None,
    }


def event_row(event: Event) -> JSON:
    """Return an event as ``history`` prints it."""
    return {
        "event": event.seq,
        "batch": event.batch,
        "at": iso(event.at),
        "actor": event.actor,
        "verb": event.verb,
        "id": event.id,
        "before": event.before,
        "after": event.after,
    }


MAX_SHOWN_PARTS = 8
"""The number of parts that a person sees by default. There are some fifteen, and most are small."""
YOUR_DECISIONS = "your decisions"

NAMES: Mapping[str, str] = MappingProxyType(
    {
        "base": "where every sentence starts",
        "words": "its words",
        "heading": "the words of its heading",
        "form": "its length and its place in the message",
        "what stands before": "the sentence before it",
        "what follows": "the sentence after it",
        "small parts": "parts too small to name",
        "not the first of its turn": "a better sentence stands in the same message",
        "stands in a rules file": "stands in a rules file",
        "stands in a file of the repository": "only a file in this repository says that a person said it",
        # what the sentence says
        "said for good": "a person says it for good",
        "always": "says always or never",
        "must": "says must",
        "should": "says should",
        "dont": "says what not to do",
        "from now on": "says from now on, whenever or by default",
        "prefer": "says what is preferred",
        "we use": "says what we use or have",
        "instead": "says what to do instead",
        "only": "says only",
        "decide": "decides something",
        "correct": "corrects something",
        "why question": "asks why it is not different",
        "because": "gives a reason",
        "request": "asks for something",
        "root cause": "names a root cause",
        "issue is": "says what the issue is",
        "doesnt": "says what is not so",
        "cant": "says what can't be done",
        "requires": "says what is needed",
        "breaks": "says what breaks",
        "failed approach": "says what did not work",
        "discovery": "says what was found out",
        "concede": "concedes a point",
        "so": "draws a conclusion",
        "design": "says where something belongs",
        "environment": "is about tools or platforms",
        "how to": "says what to run or set",
        "plan": "says what comes next",
        "self": "says what the speaker did",
        "unsure": "is unsure",
        "symptom": "describes a symptom",
        "momentary": "is about the moment",
        "asks": "asks for advice",
        "progress": "reports progress",
        "hedge": "is hedged: might, maybe, seems",
        "offer": "offers or suggests",
        "praise": "praises the work",
        "loaded": "mentions a rules file",
        "local": "is about the current work",
        # its form
        "very short": "a very short sentence",
        "short": "a short sentence",
        "full": "a full sentence",
        "long": "a very long sentence",
        "question": "a question",
        "reproach": "a question that reproaches",
        "lead-in": "introduces the next sentence",
        "imperative": "gives an order",
        "doing": "begins with what is being done",
        "pronoun first": "begins with a word like “this”",
        "item": "stands in a list",
        "bold": "begins in bold",
        "dash": "has a dash or a semicolon",
        "code": "quotes code",
        "name": "names one thing",
        "names": "names several things",
        "digits": "has a number",
        "hash": "has a hash",
        "emoji": "has an emoji",
        "under findings": "under a heading on findings",
        "under changes": "under a heading on changes",
        "under section": "under a heading",
        # how it came to be said
        "opening": "a person's first words",
        "reply": "a person's later words",
        "refusal": "a person refused a call",
        "interrupted": "a person stopped the agent",
        "right after a step": "said right after a step of the agent",
        "queued": "said while the agent worked",
        "answer": "answers the agent's question",
        "user_edit": "a person edited by hand",
        "conceded": "the agent granted it next",
        "terse turn": "a very short message",
        "brief turn": "a short message",
        "middling turn": "a message of some length",
        "long turn": "a long message",
        "interim": "said between two steps",
        "closing": "said at the end of the work",
        "last word": "no person said anything after it",
        "refuted": "the person objected next",
        "after failure": "something had just failed",
        "after objection": "the person had just objected",
        "aside": "a short remark of the agent",
        "statement": "a text of the agent of some length",
        "report": "a long text of the agent",
        "held": "the change then passed its first run",
        "failed again": "the change then failed its first run",
        "taken back": "it was taken back",
        "last diagnosis": "the last diagnosis of the trouble",
        "replaced diagnosis": "another diagnosis came later",
        # what was done
        "chosen when asked": "a person chose it when asked",
        "failed then worked": "failed, then worked in another form",
        "environment error": "failed for a reason outside the code",
        "met in several sessions": "met in several sessions",
        "passed in another form": "passed in another form",
    }
)
"""The words for each part of a score. The names of other parts, from plugins and decisions, are their own words."""


def reasons(why: Mapping[str, float], most: int = MAX_SHOWN_PARTS) -> tuple[list[tuple[float, str]], int]:
    """Return the strongest parts of a score with their log-odds, and how many smaller ones are left out.

    The part of the person's own decisions comes first, however small it is. A part worth 0 is a note on the card, no reason.

    >>> reasons({"held": 0.4, "base": -2.5, "so": 0.1}, most=2)
    ([(-2.5, 'where every sentence starts'), (0.4, 'the change then passed its first run')], 1)
    """
    weighed = [(part, worth) for part, worth in why.items() if worth]
    ordered = sorted(weighed, key=lambda part: (not part[0].startswith(YOUR_DECISIONS), -abs(part[1]), part[0]))
    return [(worth, NAMES.get(part, part.replace("_", " "))) for part, worth in ordered[:most]], max(0, len(ordered) - most)


class Signal(NamedTuple):
    """The reason for a card: one or two words for a list, and a sentence without its end for a card."""

    short: str
    sentence: str


BY_HAND = Signal("added by hand", "Somebody added this by hand")
SIGNALS: Mapping[str, Signal] = MappingProxyType(
    {
        "refusal": Signal("you refused", "You refused a call"),
        "interruption": Signal("you stopped it", "You stopped the agent"),
        "steering": Signal("you steered", "You said this while the agent worked"),
        "answer": Signal("you answered", "You answered the agent"),
        "standing-rule": Signal("your rule", "You stated a rule"),
        "correction": Signal("you corrected", "You corrected the agent"),
        "decision": Signal("a decision", "You or the agent made a decision"),
        "cause": Signal("your reason", "You gave a reason"),
        "remark": Signal("you said", "You said this"),
        "root-cause": Signal("root cause", "The agent found the cause"),
        "failed-approach": Signal("failed attempt", "An attempt of the agent failed"),
        "agreement": Signal("agent agreed", "The agent repeated your rule"),
        "limit": Signal("a limit", "The agent met a limit"),
        "breakage": Signal("breaks", "The agent saw something break"),
        "rule": Signal("agent's rule", "The agent stated a rule"),
        "design": Signal("a design", "The agent stated a design"),
        "finding": Signal("a finding", "The agent found this"),
        "choice": Signal("you chose", "You chose an answer"),
        "failed-then-worked": Signal("command fixed", "A command failed, then worked in another form"),
        "rediscovery": Signal("error again", "The same error came up in several sessions"),
        MEMORY: Signal("from memory", "The agent remembers this"),
        FROM_FILE: Signal("shared", "A lesson file of this repository or a team shared it"),
        "rules-file": Signal("rules file", "A rules file states this"),
        "by-hand": BY_HAND,
        "": BY_HAND,
    }
)
"""The words for each signal. The signals of plugins are their own words."""


def signal_of(name: str) -> Signal:
    """Return why a card with this signal is there.

    >>> signal_of("read by claude haiku").short
    'read by claude'
    """
    if name.startswith(DISTILLED):
        model = name.removeprefix(DISTILLED)
        return Signal(f"read by {model.split()[0]}", f"{model} chose this")
    return SIGNALS.get(name, Signal(name, name))
