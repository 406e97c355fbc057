"""Decisions as pure functions from entries to changes, which the store applies.

``revert`` and ``replay`` undo and redo the changes of an event on the current entry.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from typing import Any
from zlib import crc32

from curator.errors import ConcurrentChange, CuratorError
from curator.model import (
    APART,
    FROM_FILE,
    JSON,
    OFFER,
    Advice,
    Anchor,
    Applicability,
    Change,
    Consolidation,
    Entry,
    Event,
    Evidence,
    Role,
    State,
    Wording,
)
from curator.model.codec import apply_patch, decode, encode

NEEDS_TEXT = "A lesson needs a headline."
OFFLINE = "offline"
"""The label of the words that a card had before distilled ones took their place."""
OFFERS = 3
"""Wordings that are offered at most: there is a key for each."""


def change(entry: Entry, timestamp: float, **fields: Any) -> Change:
    """Return the change that gives an entry these fields."""
    return Change(before=entry, after=entry._replace(updated=timestamp, **fields))


def keep(entry: Entry, timestamp: float, *, wording: Wording | None = None, slug: str = "") -> Change:
    """Return the change that makes a candidate a lesson, with an offered wording or its own.

    It also fixes the file name.
    """
    text = {"headline": wording.headline, "insight": wording.insight} if wording else {}
    return change(
        entry,
        timestamp,
        state=State.ACTIVE,
        reason="",
        superseded_by="",
        rival=None,
        snoozed_until=None,
        slug=entry.slug or slug,
        **text,
    )


def confirm(entry: Entry, timestamp: float, anchors: Sequence[Anchor], *, advised: bool = False) -> Change:
    """Return the change that confirms a stale lesson, with ``advised`` in a model's words.

    Its anchors are those of today's code.
    """
    words: dict[str, Any] = {}
    if advised and entry.advice is not None and entry.advice.holding is Applicability.REWORD:
        words = {"headline": entry.advice.headline, "insight": entry.advice.insight}
    return change(entry, timestamp, findings=(), advice=None, anchors=tuple(anchors), snoozed_until=None, **words)


def dismiss(entry: Entry, timestamp: float, reason: str = "") -> Change:
    """Return the change that drops a candidate. Its fingerprint stays, so that it does not come back."""
    return change(entry, timestamp, state=State.DISMISSED, reason=reason, rival=None, snoozed_until=None)


def retire(entry: Entry, timestamp: float, reason: str = "", superseded_by: str = "") -> Change:
    """Return the change that retires a lesson."""
    return change(
        entry,
        timestamp,
        state=State.RETIRED,
        reason=reason,
        superseded_by=superseded_by,
        rival=None,
        findings=(),
        snoozed_until=None,
    )


def edit(entry: Entry, timestamp: float, **fields: Any) -> Change:
    """Return the change that gives an entry new words, category, scope or files. Raises ``CuratorError`` for an empty headline.

    A headline is one line. If only the headline changes, an insight that repeats it changes too (see ``restate``).
    """
    if "headline" in fields:
        fields["headline"] = " ".join(str(fields["headline"]).split())
        if not fields["headline"]:
            raise CuratorError(NEEDS_TEXT, "Type a few words, or press esc to cancel.")
        if fields.get("insight", entry.insight) == entry.insight:
            fields["insight"] = restate(entry.headline, fields["headline"], entry.insight)
    return change(entry, timestamp, **fields)


def restate(old: str, new: str, insight: str) -> str:
    """Return the insight after its headline alone was changed from ``old`` to ``new``, and nobody looks at the insight.

    An insight that only repeated the headline repeats the new one. Any other insight stays. It says more than the old headline,
    and only a person can tell whether that is true for the new one.

    >>> restate("Use npm in web", "Use pnpm in web", "Use npm in web.")
    'Use pnpm in web.'
    >>> restate("Log with slog", "Log with slog, levels per package", "Log with slog so that levels can be set.")
    'Log with slog so that levels can be set.'
    """
    return carry_headline(old, new, insight) if _bare(insight) == _bare(old) else insight


def carry_headline(old: str, new: str, insight: str) -> str:
    """Return an insight with the new headline in place of the old one's words. It is a proposal for a person to check.

    A corrected headline replaces the old one inside its sentence. A rewritten headline, or one that now says the rest of the
    sentence, replaces the whole sentence. So the insight does not repeat itself.

    >>> carry_headline("Use npm in web", "Use pnpm in web", "Use npm in web, since the lock file is shared.")
    'Use pnpm in web, since the lock file is shared.'
    >>> carry_headline("Use npm in web", "Share the lock file", "Use npm in web, since the lock file is shared. CI checks it.")
    'Share the lock file. CI checks it.'
    >>> carry_headline("Use npm", "Use pnpm", "Links break otherwise.")
    'Links break otherwise.'

    A headline that was cut goes on in its sentence only where the new one is cut as well:

    >>> carry_headline("Run the suite in…", "Run all tests in…", "Run the suite in a container.")
    'Run all tests in a container.'
    >>> carry_headline("Run the suite in…", "Run the suite locally", "Run the suite in a container.")
    'Run the suite locally.'
    """
    bare, words = old.strip().rstrip(".…"), new.strip().rstrip(".…")
    completed = old.strip().endswith("…") and not new.strip().endswith("…")
    found = re.search(rf"(?<!\w){re.escape(bare)}(?!\w)", insight, re.IGNORECASE) if bare else None
    if found is None:
        return insight
    ends = [0, *(end.end() for end in SENTENCE_END.finditer(insight)), len(insight)]
    start = max(end for end in ends if end <= found.start())
    stop = min(end for end in ends if end >= found.end())
    if not completed and _corrects(old, new, insight[start : found.start()] + insight[found.end() : stop]):
        start, stop = found.span()
    elif (tail := insight[start:stop].rstrip())[-1:] in ".!?":
        stop = start + len(tail.rstrip(".!?"))
    else:
        stop = start + len(tail)
    inside = insight[start : start + 1].islower() and old[:1].isupper() and words[1:2].islower()
    return insight[:start] + (words[:1].lower() + words[1:] if inside else words) + insight[stop:]


SENTENCE_END = re.compile(r"[.!?]\s++(?=[^a-z\s])|\n")
"""The end of a sentence. After an abbreviation, the sentence goes on in small letters."""


def _corrects(old: str, new: str, rest: str) -> bool:
    """Return whether a headline has at least half of the old one's words, and takes no additions from the rest."""
    before, after, others = (set(re.findall(r"\w+", text.lower())) for text in (old, new, rest))
    added = after - before
    common = len(added & others)
    return 2 * len(before & after) >= len(before) and (common < 2 or 2 * common < len(added))


def _bare(text: str) -> str:
    return text.strip().rstrip(".").lower()


def distill(entry: Entry, timestamp: float, wording: Wording, *, by: str, **fields: Any) -> Change:
    """Return a candidate in the words of a model that chose it. The candidate's own words are the first offer."""
    own = Wording(entry.headline, entry.insight, OFFLINE)
    same = (wording.headline, wording.insight) in ((own.headline, own.insight), ("", ""))
    others = [one for one in entry.wordings if one.label != OFFLINE]
    wordings = entry.wordings if same else (own, *others)[:OFFERS]
    words = {} if same else {"headline": wording.headline, "insight": wording.insight}
    return change(entry, timestamp, **words, wordings=wordings, distiller=by, left_out=False, **fields)


def advise(entry: Entry, advice: Advice) -> Change:
    """Return a stale lesson with a model's advice. This is no decision."""
    return Change(before=entry, after=entry._replace(advice=advice))


def offer(entry: Entry, reason: str) -> Change:
    """Return a lesson with the reason to retire it, or without one if it is empty. This is no decision."""
    why = {part: worth for part, worth in entry.score_parts.items() if not part.startswith(OFFER)}
    return Change(before=entry, after=entry._replace(score_parts=why | ({f"{OFFER}{reason}": 0.0} if reason else {})))


def propose(entry: Entry, proposal: Consolidation | None, *, group: Container[str] = ()) -> Change:
    """Return a lesson with a proposed rule for it and others, or without one. This is no decision.

    ``group``: the lessons of the rule that the lesson belongs to. The question if it repeats one of them is removed.
    """
    is_asked = entry.rival is not None and entry.rival.repeats and entry.rival.other in group
    return Change(before=entry, after=entry._replace(proposal=proposal, rival=None if is_asked else entry.rival))


def consolidate(entry: Entry, members: Sequence[Entry], timestamp: float, headline: str, insight: str) -> list[Change]:
    """Return the merge of each member into a lesson, which then has the words of the rule and no proposal."""
    changes: list[Change] = []
    scope = "global" if is_shared(entry, members) else entry.scope
    current = entry
    for member in members:
        leaving, merged = merge(member, current, timestamp, headline=headline, insight=insight)
        assert merged.after is not None
        current = merged.after._replace(proposal=None, scope=scope)
        changes += [leaving, merged._replace(after=current)]
    return changes


def checksum(lessons: Iterable[Entry]) -> int:
    """Return a number that changes with the words of the lessons of a proposed rule."""
    words = sorted((one.id, one.headline, one.insight) for one in lessons)
    return crc32(repr(words).encode("utf-8", "backslashreplace"))


def is_shared(entry: Entry, members: Sequence[Entry]) -> bool:
    """Return whether the lessons of a proposed rule are from several projects. Then the rule becomes global."""
    return any(member.project != entry.project for member in members)


def keep_apart(entries: Sequence[Entry], others: Sequence[Entry], timestamp: float) -> list[Change]:
    """Return the changes that let each of ``entries`` coexist with each of ``others``, and remove proposals between them."""
    changes = []
    every = (*entries, *(other for other in others if other not in entries))
    for entry in every:
        away = {other.id for other in (others if entry in entries else entries)} - {entry.id}
        pairs = [pair for pair in entry.coexists if pair[0] not in away]
        fields: dict[str, Any] = {"coexists": (*pairs, *((id_, APART) for id_ in sorted(away)))}
        if entry.rival and entry.rival.other in away:
            fields["rival"] = None
        if entry.proposal:
            members, copies = (
                tuple(id_ for id_ in ids if id_ not in away) for ids in (entry.proposal.members, entry.proposal.copies)
            )
            words = checksum(one for one in every if one.id in (entry.id, *members))
            fields["proposal"] = entry.proposal._replace(members=members, copies=copies, words=words) if members else None
        changes.append(change(entry, timestamp, **fields))
    return changes


def leave_out(entry: Entry, by: str) -> Change:
    """Return a candidate that a model has read and not chosen. This is no decision, so its age stays."""
    return Change(before=entry, after=entry._replace(distiller=by, left_out=True))


def expire(entry: Entry, timestamp: float) -> Change:
    """Expire a candidate on which nobody decided for a long time. It can be reopened."""
    return change(entry, timestamp, state=State.EXPIRED, snoozed_until=None)


def reopen(entry: Entry, timestamp: float) -> Change:
    """Move an expired or dismissed entry back to the candidates."""
    return change(entry, timestamp, state=State.OPEN, reason="", superseded_by="", snoozed_until=None)


def snooze(entry: Entry, until: float) -> Change:
    """Snooze an entry. This is no review, so its age stays."""
    return Change(before=entry, after=entry._replace(snoozed_until=until))


def with_notice(entry: Entry, **fields: Any) -> Entry:
    """Return the entry with news about its code or another lesson. If it needs a decision then, it is no longer snoozed."""
    after = entry._replace(**fields)
    if after.findings != entry.findings:
        after = after._replace(advice=None)
    return after._replace(snoozed_until=None) if after.waits and not entry.waits else after


def merge(source: Entry, target: Entry, timestamp: float, *, headline: str = "", insight: str = "") -> tuple[Change, Change]:
    """Return the changes of a merge: the target gets the source's evidence, code, links and count, and perhaps new words.

    The source points at the target, for a lesson also in its file, by ``superseded_by``. Code of another project is not moved.
    """
    if source.id == target.id:
        raise CuratorError(f"{source.id} can't be merged into itself.", "Choose another target.")
    merged = change(
        target,
        timestamp,
        headline=headline or target.headline,
        insight=insight or target.insight,
        context=_context(target.context, source.context),
        evidence=unite_evidence(target.evidence, _transferable_evidence(source)),
        **(_code(source, target) if source.project == target.project else {}),
        **_links(source, target),
        times_stated=target.times_stated + source.times_stated,
        score=max(target.score, source.score),
        rival=None if target.rival and target.rival.other == source.id else target.rival,
    )
    absorbed = change(
        source,
        timestamp,
        state=State.MERGED if source.state is State.OPEN else State.RETIRED,
        merged_into=target.id,
        superseded_by=target.id if source.state is State.ACTIVE else source.superseded_by,
        rival=None,
        findings=(),
        snoozed_until=None,
    )
    return absorbed, merged


def _transferable_evidence(source: Entry) -> Sequence[Evidence]:
    """Return the evidence that an entry gives to another. A file's claim about a person's words is left out."""
    if source.signal != FROM_FILE:
        return source.evidence
    return [item._replace(role=Role.FILE) if item.role is Role.HUMAN else item for item in source.evidence]


def _context(ours: str, theirs: str) -> str:
    """Return both circumstances, each once."""
    return ours if theirs.strip() in ours else f"{ours}\n\n{theirs}".strip()


def _code(source: Entry, target: Entry) -> dict[str, Any]:
    """Return the joined code of two lessons."""
    known = {anchor.subject for anchor in target.anchors}
    return {
        "snippets": tuple(dict.fromkeys((*target.snippets, *source.snippets))),
        "files": union(target.files, source.files),
        "symbols": union(target.symbols, source.symbols),
        "anchors": (*target.anchors, *(anchor for anchor in source.anchors if anchor.subject not in known)),
    }


def _links(source: Entry, target: Entry) -> dict[str, Any]:
    """Return the joined links of two lessons, without links to themselves."""
    both = (source.id, target.id)
    links: dict[str, Any] = {
        name: tuple(id_ for id_ in union(getattr(target, name), getattr(source, name)) if id_ not in both)
        for name in ("supersedes", "refines", "contradicts")
    }
    if source.state is State.ACTIVE or source.id in target.supersedes:
        links["supersedes"] = (*links["supersedes"], source.id)
    pairs = dict(source.coexists) | dict(target.coexists)
    return links | {"coexists": tuple(pair for pair in pairs.items() if pair[0] not in both)}


def supersede(old: Entry, new: Entry, timestamp: float, *, slug: str = "") -> tuple[Change, Change]:
    """Return the changes with which the new entry replaces the old one.

    This keeps a new entry that is a candidate, and dismisses an old one.
    """
    if old.id == new.id:
        raise CuratorError(f"{old.id} can't supersede itself.", "Choose another lesson.")
    first = keep(new, timestamp, slug=slug) if new.state is State.OPEN else change(new, timestamp, rival=None)
    assert first.after is not None
    newer = Change(before=new, after=first.after._replace(supersedes=union(new.supersedes, (old.id,))))
    if old.state is State.OPEN:
        return change(old, timestamp, state=State.DISMISSED, superseded_by=new.id, rival=None, snoozed_until=None), newer
    return retire(old, timestamp, "obsolete", new.id), newer


def coexist(entry: Entry, other: Entry, timestamp: float, because: str, *, slug: str = "") -> Change:
    """Return the change after which both apply and the pair is never raised again. Other conflicts stay; a candidate is
    kept.
    """
    pairs = (*(pair for pair in entry.coexists if pair[0] != other.id), (other.id, because))
    rival = None if entry.rival and entry.rival.other == other.id else entry.rival
    first = keep(entry, timestamp, slug=slug) if entry.state is State.OPEN else change(entry, timestamp, rival=rival)
    assert first.after is not None
    return Change(before=entry, after=first.after._replace(coexists=pairs))


def narrower_scope(entry: Entry, folder: str) -> JSON:
    """Return the fields that limit a project-wide lesson to a folder. Return none if its scope was already chosen."""
    return {"scope": "paths", "paths": (folder,)} if entry.scope == "project" else {}


def mark_not_conflict(entry: Entry, timestamp: float) -> Change:
    """Return the entry as a normal candidate, with the pair marked as no conflict."""
    if entry.rival is None:
        return change(entry, timestamp)
    others = tuple(pair for pair in entry.coexists if pair[0] != entry.rival.other)
    return change(entry, timestamp, rival=None, coexists=(*others, (entry.rival.other, "no conflict")))


def see_again(entry: Entry, evidence: Sequence[Evidence], score: float, timestamp: float) -> Change | None:
    """Return the change for a repeated statement, or ``None`` if its evidence is known. An expired entry becomes open."""
    more = unite_evidence(entry.evidence, evidence)
    if len(more) == len(entry.evidence):
        return None
    state = State.OPEN if entry.state is State.EXPIRED else entry.state
    return change(
        entry, timestamp, evidence=more, times_stated=entry.times_stated + 1, score=max(score, entry.score), state=state
    )


def set_quote_location(entry: Entry, proof: Evidence) -> Change:
    """Return an agent's lesson with the place of its quote. This does not count as a repetition."""
    return Change(before=entry, after=entry._replace(evidence=unite_evidence((proof,), entry.evidence)))


def unite_evidence(first: Sequence[Evidence], second: Sequence[Evidence], most: int = 12) -> tuple[Evidence, ...]:
    """Return the evidence of both, each place once, the first ones first, at most ``most``."""
    known = {(item.session, item.file, item.line, item.quote) for item in first}
    added = [item for item in second if (item.session, item.file, item.line, item.quote) not in known]
    return (*first, *added)[: max(most, len(first))]


def union(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
    """Return the items of both lists in order, each once."""
    return tuple(dict.fromkeys((*first, *second)))


VOLATILE = frozenset({"updated", "seen", "score", "anchors", "findings", "proposal"})
"""Fields that scans and checks change. They never prevent an undo."""
LISTS = frozenset({"evidence", "files", "symbols", "supersedes", "coexists", "refines", "contradicts"})
"""Lists to which others may have added since: undo removes only its own additions."""


def revert(event: Event, current: Entry | None) -> Change:
    """Return the change that takes one event back. Raises ``ConcurrentChange`` if something later depends on it."""
    if event.before is None:
        _require(event.id, current, event.after or {})
        return Change(before=current, after=None)
    if event.after is None:
        return Change(before=None, after=decode(event.before))
    return _replay(event.id, current, event.after, event.before)


def replay(event: Event, current: Entry | None) -> Change:
    """Return the change that makes one event happen again. Raises ``ConcurrentChange``."""
    if event.before is None:
        return Change(before=None, after=decode(event.after or {}))
    if event.after is None:
        _require(event.id, current, event.before)
        return Change(before=current, after=None)
    return _replay(event.id, current, event.before, event.after)


def _replay(id_: str, current: Entry | None, target: JSON, values: JSON) -> Change:
    now = _require(id_, current, target)
    lists = {key: _exchange(now.get(key), target[key], values[key]) for key in LISTS & values.keys()}
    return Change(before=current, after=decode(apply_patch(now, {**values, **lists})))


def _require(id_: str, current: Entry | None, target: JSON) -> JSON:
    """Return the entry as JSON if it still has the changes to undo. Raises ``ConcurrentChange``."""
    if current is None:
        raise ConcurrentChange(f"{id_} is no longer there.", "It was forgotten or removed; nothing was changed.")
    now = encode(current)
    clashing = [key for key, value in target.items() if key not in VOLATILE | LISTS and now.get(key) != value]
    if clashing:
        raise ConcurrentChange(
            f"{id_} was changed later ({', '.join(clashing)}).",
            "Undo the later change first, or choose another decision: see `curator history`.",
        )
    return now


def _exchange(now: list[Any] | None, target: list[Any] | None, values: list[Any] | None) -> list[Any] | None:
    """Return a list with the items of one side replaced by those of the other. Later additions stay."""
    if now == target:
        return values
    leaving = [item for item in target or [] if item not in (values or [])]
    back = [item for item in values or [] if item not in (target or [])]
    rest = [item for item in now or [] if item not in leaving and item not in back]
    return [*rest, *back] or None
