"""Entries and events as the JSON objects that the contracts name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from curator.clock import iso
from curator.model import JSON, MEMORY, Entry, Event, Finding, Project, Verb
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
