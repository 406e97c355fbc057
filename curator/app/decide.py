"""Class Decisions: a person's decisions. Each is one batch in one transaction, on the entries as they are at that time.

Functions import the slow packages (detectors, front matter) themselves, so that the inbox paints first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from curator import clock, curate
from curator.app import project_files
from curator.app.lessons import View
from curator.errors import ConcurrentChange, CuratorError, NoProject, NothingToUndo, UnknownId
from curator.inbox import Resolution, choose_wording, disjoint_folders, suggest
from curator.model import (
    OFFER,
    PERSON,
    WISH,
    Anchor,
    Category,
    Change,
    Durability,
    Entry,
    Event,
    Kind,
    Project,
    State,
    Verb,
    Wording,
)
from curator.text import redact

UNASKED = frozenset({Verb.FOLLOW, Verb.EDIT})
"""Changes that curator makes to lessons by itself and a person may undo: it follows code and cleans places."""
Deed = tuple[Verb, Change]
Judge = Callable[[Entry, float], Iterable[Deed]]
"""A decision on one entry at a time: its effects on this and other entries."""


class Outcome(NamedTuple):
    """The result of a decision: the batch (empty if nothing changed), the entries, and each one's event number.

    ``before`` holds the previous entries by id.
    """

    batch: str
    verb: Verb
    entries: tuple[Entry, ...]
    events: dict[str, int]
    before: Mapping[str, Entry] = {}


Snapshot = tuple[State, Kind, str] | tuple[State, Kind, str, str, tuple[Wording, ...]]
"""An entry as a window showed it: state, kind and headline. For a card it also has the insight and the offered texts."""
_LONE = re.compile("[\ud800-\udfff]")
"""A character that replaces an invalid byte of UTF-8."""


Seconds = Callable[[], float | None]


class Decisions:
    """The decisions of a person (or a script). Part of ``Curator``."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._snapshots: Mapping[str, Snapshot] = {}
        self._seconds: Seconds = lambda: None

    @contextmanager
    def guard(self, snapshots: Mapping[str, Snapshot], seconds: Seconds = lambda: None) -> Iterator[None]:
        """Apply the decisions inside only to entries that are unchanged since a person saw them. Raise ``ConcurrentChange``
        otherwise. ``seconds`` says how long the person has seen them, if this is known.
        """
        self._snapshots, self._seconds = snapshots, seconds
        try:
            yield
        finally:
            self._snapshots, self._seconds = {}, lambda: None

    # --- decisions -----------------------------------------------------------------------------------------------------

    def accept(self, ids: Sequence[str], *, wording: int = 0, advised: bool = False) -> Outcome:
        """Keep a candidate (with wording 1, 2 or 3), accept the suggestion for a conflict, or confirm a stale lesson.

        A dropped or retired entry becomes a lesson again. With ``advised``, a stale lesson takes the model's words, which were
        on its card.
        """

        def judge(entry: Entry, at: float) -> Iterable[Deed]:
            if entry.kind is Kind.CONFLICT:
                return self._resolve(entry, suggest(entry), at)
            if entry.kind is Kind.CONSOLIDATE and entry.proposal:
                return self._consolidate(entry, at, entry.proposal.headline, entry.proposal.insight)
            if entry.state is State.ACTIVE:
                return [(Verb.CONFIRM, curate.confirm(entry, at, renew_anchors(entry), advised=advised))]
            if entry.state is State.MERGED:
                raise too_late(entry)
            if wording > len(entry.wordings):
                hint = f"Choose 1 to {len(entry.wordings)}." if entry.wordings else "It has no other wordings."
                raise CuratorError(f"{entry.id} has no wording {wording}.", hint)
            offered = choose_wording(entry.wordings[wording - 1], entry) if wording else None
            name = slug(offered.headline if offered else entry.headline)
            return [(Verb.KEEP, curate.keep(entry, at, wording=offered, slug=name))]

        return self.decide(ids, judge, Verb.KEEP)

    def drop(self, ids: Sequence[str], *, reason: str = "") -> Outcome:
        """Dismiss a candidate or the newer side of a conflict, or retire a lesson (key ``x``)."""

        def judge(entry: Entry, at: float) -> Iterable[Deed]:
            if entry.state in (State.OPEN, State.EXPIRED):
                return [(Verb.DISMISS, curate.dismiss(entry, at, reason))]
            if entry.state is State.ACTIVE:
                return [(Verb.RETIRE, curate.retire(entry, at, reason))]
            raise too_late(entry)

        return self.decide(ids, judge, Verb.RETIRE)

    def resolve(self, ids: Sequence[str], resolution: Resolution) -> Outcome:
        """Settle conflicts in a given way. Raises ``CuratorError`` for an entry that has none."""

        def judge(entry: Entry, at: float) -> Iterable[Deed]:
            if entry.rival is None:
                raise CuratorError(f"{entry.id} is not a conflict.", "Only conflict cards can be resolved.")
            return self._resolve(entry, resolution, at)

        return self.decide(ids, judge, Verb.SUPERSEDE)

    def wish(self, ids: Sequence[str], agent: str, deed: str) -> Outcome:
        """Record an agent's wish on candidates and lessons, such as "keep this". A person decides on it later.

        Raises ``CuratorError`` for other entries.
        """
        part = clean_value(f"{WISH}{agent} wants to {deed}")

        def judge(entry: Entry, at: float) -> Iterable[Deed]:
            if entry.state not in (State.OPEN, State.ACTIVE):
                raise CuratorError(f"{entry.id} is {entry.state.value}.", "`curator list --candidates` lists the candidates.")
            return [(Verb.PROPOSE, Change(before=entry, after=entry._replace(score_parts={**entry.score_parts, part: 0.0})))]

        return self.decide(ids, judge, Verb.PROPOSE)

    def mark_not_conflict(self, ids: Sequence[str]) -> Outcome:
        """Mark a conflict as none. The card is a normal candidate again."""

        def judge(entry: Entry, at: float) -> Iterable[Deed]:
            if entry.rival is None:
                raise CuratorError(f"{entry.id} is not a conflict.", "Only a conflict can be marked as no conflict.")
            return [(Verb.COEXIST, curate.mark_not_conflict(entry, at))]

        return self.decide(ids, judge, Verb.COEXIST)

    def edit(self, id_: str, *, keep: bool = False, **fields: Any) -> Outcome:
        """Change an entry's words, category, scope, paths or files. ``keep`` keeps a candidate, and settles a stale lesson.

        Raises ``CuratorError`` for paths outside its project.
        """
        if fields.get("paths"):
            fields["paths"] = project_files.own_paths(self.view, fields["paths"], self.view.store.entries.resolve(id_).project)
        fields = {key: clean_value(value) for key, value in fields.items()}

        def judge(entry: Entry, at: float) -> Iterable[Deed]:
            edited = curate.edit(entry, at, **fields)
            assert edited.after is not None
            if keep and entry.kind is Kind.CONSOLIDATE:
                return self._consolidate(entry, at, edited.after.headline, edited.after.insight)
            if keep and entry.state is State.ACTIVE and entry.findings:  # edited to fit the current code
                settled = curate.confirm(edited.after, at, renew_anchors(entry))
                return [(Verb.EDIT, Change(before=entry, after=settled.after))]
            if not (keep and entry.state is State.OPEN):
                return [(Verb.EDIT, edited)]
            keeping = curate.keep(edited.after, at, slug=slug(edited.after.headline))
            is_changed = any(getattr(entry, name) != value for name, value in fields.items())
            return [(Verb.EDIT if is_changed else Verb.KEEP, Change(before=entry, after=keeping.after))]

        return self.decide([id_], judge, Verb.EDIT)

    def coexist(self, one: str, other: str, because: str) -> Outcome:
        """Allow two lessons to coexist permanently. Both files say so, and this settles a conflict between the two."""
        pair = (self.view.store.entries.resolve(one).id, self.view.store.entries.resolve(other).id)
        because = " ".join(clean_value(because).split())
        if pair[0] == pair[1]:
            raise CuratorError(f"Both ids name {pair[0]}.", "Give two different lessons.")

        def judge(entry: Entry, at: float) -> Iterable[Deed]:
            partner = self.view.store.entries.resolve(pair[1] if entry.id == pair[0] else pair[0])
            if entry.state is State.OPEN and not (entry.rival and entry.rival.other == partner.id):
                raise CuratorError(f"{entry.id} is not a lesson yet.", "Keep the card first.")
            require_current(entry)
            return [(Verb.COEXIST, curate.coexist(entry, partner, at, because, slug=slug(entry.headline)))]

        return self.decide(pair, judge, Verb.COEXIST)

    def merge(self, ids: Sequence[str], target: str, *, headline: str = "", insight: str = "") -> Outcome:
        """Merge entries into a target, which may get a new text. This keeps a candidate that is the target."""
        receiving = self.view.store.entries.resolve(target)
        headline, insight = clean_value(headline), clean_value(insight)

        def judge(entry: Entry, at: float) -> Iterable[Deed]:
            require_current(entry)
            current = self.view.store.entries.get(receiving.id)
            assert current is not None
            require_current(current)
            leaving, merged = curate.merge(entry, current, at, headline=headline, insight=insight)
            deeds = [(Verb.MERGE, leaving), (Verb.MERGE, merged)]
            if merged.after and merged.after.state is State.OPEN:
                deeds.append((Verb.KEEP, curate.keep(merged.after, at, slug=slug(merged.after.headline))))
            return deeds

        return self.decide(ids, judge, Verb.MERGE)

    def keep_apart(self, ids: Sequence[str], *, only: str = "") -> Outcome:
        """Allow the lessons of a proposed rule to coexist permanently, or ``only`` this one with the others."""

        def judge(entry: Entry, at: float) -> Iterable[Deed]:
            group = [entry, *self.members(entry)]
            alone = [one for one in group if one.id == only] if only else group
            if not alone or entry.proposal is None:
                raise CuratorError(f"{entry.id} has no such member.", "`curator tidy` lists the groups and their members.")
            changes = curate.keep_apart(alone, group, at)
            return [(Verb.COEXIST, change) for change in changes]

        return self.decide(ids, judge, Verb.COEXIST)

    def members(self, entry: Entry) -> list[Entry]:
        """Return the other active lessons for which the rule is proposed."""
        found = map(self.view.store.entries.get, entry.proposal.members if entry.proposal else ())
        return [one for one in found if one is not None and one.state is State.ACTIVE]

    def has_rule(self, entry: Entry) -> bool:
        """Return whether a rule is proposed for an entry and all of its lessons are as they were then."""
        return entry.proposal is not None and entry.proposal.words == curate.checksum((entry, *self.members(entry)))

    def supersede(self, old: str, new: str) -> Outcome:
        """Replace an older entry with a newer one."""
        older = self.view.store.entries.resolve(old)

        def judge(entry: Entry, at: float) -> Iterable[Deed]:
            require_current(entry)
            require_current(older)
            first, second = curate.supersede(older, entry, at, slug=slug(entry.headline))
            return [(Verb.SUPERSEDE, first), (Verb.SUPERSEDE, second)]

        return self.decide([new], judge, Verb.SUPERSEDE)

    def snooze(self, ids: Sequence[str], until: float | None = None) -> Outcome:
        """Snooze cards until ``until``, or for the default time. A time that has come brings them back."""

        def judge(entry: Entry, at: float) -> Iterable[Deed]:
            require_current(entry)
            # A lesson that comes back to the cleanup was kept all the same, so its decision stays the last one.
            is_back = until is not None and until <= at and entry.state is State.OPEN
            verb = Verb.REOPEN if is_back else Verb.SNOOZE
            return [(verb, curate.snooze(entry, until or at + self.view.settings.snooze_hours * 3600))]

        return self.decide(ids, judge, Verb.SNOOZE)

    def reopen(self, ids: Sequence[str]) -> Outcome:
        """Move expired or dropped entries back to the candidates."""

        def judge(entry: Entry, at: float) -> Iterable[Deed]:
            if entry.state not in (State.EXPIRED, State.DISMISSED):
                raise CuratorError(f"{entry.id} is {entry.state}.", "Only a dropped or expired card can go back to the inbox.")
            return [(Verb.REOPEN, curate.reopen(entry, at))]

        return self.decide(ids, judge, Verb.REOPEN)

    def add(
        self,
        text: str,
        *,
        category: Category = Category.CONVENTION,
        files: Sequence[str] = (),
        scope: str = "project",
        paths: Sequence[str] = (),
        durability: Durability = Durability.DURABLE,
        insight: str = "",
        project: Project | None = None,
    ) -> Outcome:
        """Add a lesson by hand. It is active at once.

        It is about ``files``, or else the files that its words name. It belongs to ``project``, or else the current one.
        """
        from curator import code  # the first card is drawn without it

        project = project or self.view.project
        if project is None:
            raise NoProject("a lesson needs one")
        headline, reason = (" ".join(clean_value(words).split()) for words in (text, insight))
        if not headline:
            raise CuratorError(curate.NEEDS_TEXT)
        files = tuple(files) or code.mentions(project.folder, f"{headline}\n{reason}")
        at = clock.now()
        entry = Entry(
            id=clock.new_id(),
            project=project.id,
            state=State.ACTIVE,
            category=category,
            headline=headline,
            insight=reason or headline,
            created=at,
            updated=at,
            scope=scope,
            paths=clean_value(tuple(paths)),
            durability=durability,
            files=clean_value(files),
            score=1.0,
            signal="by-hand",
            slug=slug(headline),
            kept=at,
            keeper=self.view.keeper,
        )
        with self.view.store.transaction():
            self.view.store.sources.remember(project, project.folder)
            added = (Verb.ADD, Change(before=None, after=entry))
            applied = self.view.store.apply([added], actor=self.view.actor, at=at)
        return Outcome(applied.batch, Verb.ADD, (entry,), applied.events)

    # --- back and forth -----------------------------------------------------------------------------------------------

    def undo(self, event: int | None = None) -> Outcome:
        """Undo the actor's last batch, or the batch of this event.

        Raises ``NothingToUndo``, and ``ConcurrentChange`` if a later change depends on it.
        """
        log = self.view.store.events
        batch = log.undoable(self.view.scope, self.view.actor) if event is None else self._batch_of(event)
        if batch is None:
            elsewhere = self.view.scope and log.undoable(None, self.view.actor)
            hint = "`curator undo --all` undoes the last decision of any project." if elsewhere else ""
            raise NothingToUndo("There is nothing to undo.", hint)
        if log.is_undone(batch):
            raise NothingToUndo("This decision is already undone.", "Run `curator redo` to redo it.")
        events = log.batch(batch)
        if events[0].verb is Verb.FORGET:
            raise NothingToUndo("You can't undo `curator forget`.")
        if events[0].actor != PERSON and events[0].verb not in UNASKED:
            raise CuratorError(
                "This event can't be undone because it was not a decision.",
                "You can undo decisions, automatic code moves and path clean-ups. `curator history` lists the events.",
            )
        return self._again(batch, Verb.UNDO, curate.revert, reversed(events))

    def redo(self, event: int | None = None) -> Outcome:
        """Redo the last undone batch, or the batch of this event."""
        log = self.view.store.events
        batch = log.redoable(self.view.scope, self.view.actor) if event is None else self._batch_of(event)
        if batch is None or not log.is_undone(batch):
            raise NothingToUndo("There is nothing to redo.")
        return self._again(batch, Verb.REDO, curate.replay, log.batch(batch))

    # --- inside -------------------------------------------------------------------------------------------------------

    def decide(self, ids: Sequence[str], judge: Judge, verb: Verb) -> Outcome:
        """Apply a decision to the current version of each entry, as one batch in one transaction."""
        at = clock.now()
        entries: dict[str, Entry] = {}
        before: dict[str, Entry] = {}
        events: dict[str, int] = {}
        batch = clock.new_batch()
        seconds = self._seconds()
        share = seconds / len(ids) if seconds is not None and ids else None
        with self.view.store.transaction():
            for id_ in ids:
                entry = self.view.store.entries.get(id_) or self.view.store.entries.resolve(id_)
                self._check_unchanged(entry)
                deeds = [(decision, self._decided(decision, change, at)) for decision, change in judge(entry, at)]
                applied = self.view.store.apply(deeds, actor=self.view.actor, at=at, batch=batch, decision_seconds=share)
                events |= applied.events
                for _, change in deeds:
                    entries |= {change.after.id: change.after} if change.after else {}
                    before = {change.before.id: change.before} | before if change.before else before
                verb = deeds[0][0] if len(ids) == 1 and deeds else verb
        return Outcome(batch, verb, tuple(entries.values()), events, before)

    def _decided(self, decision: Verb, change: Change, at: float) -> Change:
        """Return the change with the keeper and time of a new lesson, and without the wishes that the decision answers."""
        before, after = change.before, change.after
        if after is None:
            return change
        if decision is not Verb.PROPOSE:  # an agent's wish answers none, not even the same wish
            after = after._replace(
                score_parts={part: worth for part, worth in after.score_parts.items() if not part.startswith((WISH, OFFER))}
            )
        if after.state is State.ACTIVE and (before is None or before.state is not State.ACTIVE):
            after = after._replace(kept=at, keeper=self.view.keeper)
        return change._replace(after=after)

    def _check_unchanged(self, entry: Entry) -> None:
        was = self._snapshots.get(entry.id)
        now = (entry.state, entry.kind, entry.headline, entry.insight, entry.wordings)
        if was and was != now[: len(was)]:
            raise ConcurrentChange(
                f"“{was[2]}” was changed in another window. It is {entry.state.value} now.",
                "Nothing changed. Look at it again.",
            )

    def _consolidate(self, entry: Entry, at: float, headline: str, insight: str) -> list[Deed]:
        """Return the merge of the members of a proposed rule. Raises ``ConcurrentChange`` if the rule is of older words."""
        if not self.has_rule(entry):
            raise ConcurrentChange(
                f"A lesson of the group of {entry.id} changed after curator made the rule.",
                "Nothing changed. Run `curator tidy` again.",
            )
        changes = curate.consolidate(entry, self.members(entry), at, headline, insight)
        return [(Verb.MERGE, change) for change in changes]

    def _resolve(self, entry: Entry, resolution: Resolution, at: float) -> list[Deed]:
        assert entry.rival is not None
        rival = self.view.store.entries.get(entry.rival.other)
        name = slug(entry.headline)
        in_use = rival is not None and rival.state is State.ACTIVE
        if resolution is Resolution.OLDER and not in_use:
            raise CuratorError(
                f"{entry.rival.other}, the other side of this conflict, is no longer active.",
                "Press y to keep this one, x to drop it.",
            )
        if resolution is Resolution.OLDER:
            if entry.state is State.ACTIVE:
                return [(Verb.RETIRE, curate.retire(entry, at, "wrong", superseded_by=rival.id if rival else ""))]
            return [(Verb.DISMISS, curate.dismiss(entry, at, "wrong"))]
        if rival is not None and entry.version_of and resolution is Resolution.NEWER:
            return adopt_text(entry, rival, at)
        if rival is None or rival.state is not State.ACTIVE:
            return [(Verb.KEEP, curate.keep(entry, at, slug=name))]
        if resolution is Resolution.BOTH:
            return both_hold(entry, rival, at, name)
        if resolution is Resolution.NEWER:
            first, second = curate.supersede(rival, entry, at, slug=name)
            return [(Verb.SUPERSEDE, first), (Verb.SUPERSEDE, second)]
        from curator.app.merge_targets import text_for_both  # only a merge needs it

        headline, insight = ("", "") if entry.rival.repeats and not entry.rival.nearly else text_for_both(rival, entry)
        leaving, merged = curate.merge(entry, rival, at, headline=headline, insight=insight)
        return [(Verb.MERGE, leaving), (Verb.MERGE, merged)]

    def _again(
        self, batch: str, verb: Verb, change: Callable[[Event, Entry | None], Change], events: Iterable[Event]
    ) -> Outcome:
        at = clock.now()
        entries: dict[str, Entry] = {}
        before: dict[str, Entry] = {}
        seqs: dict[str, int] = {}
        again = clock.new_batch()
        with self.view.store.transaction():
            for event in events:
                made = change(event, self.view.store.entries.get(event.id))
                before = {event.id: made.before} | before if made.before else before
                seqs |= self.view.store.apply([(verb, made)], actor=self.view.actor, at=at, batch=again, of=batch).events
                entries[event.id] = made.after or replace_state(made.before)
        return Outcome(again, verb, tuple(entries.values()), seqs, before)

    def _batch_of(self, event: int) -> str:
        """Return the batch of an event. For an undo or redo, return the batch that it undid or redid."""
        batch = self.view.store.events.batch_of(event)
        if batch is None:
            raise UnknownId(f"There is no event {event}.", "`curator history` shows the events.")
        return self.view.store.events.batch(batch)[0].of or batch


def too_late(entry: Entry) -> CuratorError:
    """Return the error for a decision on an entry that no longer needs one."""
    return CuratorError(
        f"{entry.id} is {entry.state} already.", "Another window has already decided it. `curator undo` undoes that."
    )


def require_current(entry: Entry) -> None:
    """Raise ``CuratorError`` if an entry is neither a card nor a lesson any more."""
    if entry.state not in (State.OPEN, State.ACTIVE):
        raise too_late(entry)


def renew_anchors(entry: Entry) -> tuple[Anchor, ...]:
    """Return an entry's anchors for the current code, after a person has confirmed the lesson."""
    from curator import code  # the first card is drawn without it

    return code.renew_anchors(entry.anchors, entry.findings)


def both_hold(entry: Entry, rival: Entry, at: float, name: str) -> list[Deed]:
    """Keep both sides of a conflict, each in its own folder if they name different ones."""
    change = curate.coexist(entry, rival, at, "both kept", slug=name)
    parted = disjoint_folders(entry, rival)
    if parted is None or change.after is None:
        return [(Verb.COEXIST, change)]
    mine, theirs = parted
    after = change.after._replace(**curate.narrower_scope(change.after, mine))
    narrow = curate.narrower_scope(rival, theirs)
    other = [(Verb.COEXIST, Change(before=rival, after=rival._replace(updated=at, **narrow)))] if narrow else []
    return [(Verb.COEXIST, Change(before=entry, after=after)), *other]


def adopt_text(card: Entry, lesson: Entry, at: float) -> list[Deed]:
    """Return the deeds that give a lesson the text of its file. It stays the same lesson in the same file."""
    from curator import lesson_files  # loads YAML, and the first card does not need it

    after = lesson_files.adopt(lesson, card)._replace(updated=at)
    merged = card._replace(state=State.MERGED, merged_into=lesson.id, rival=None, snoozed_until=None, updated=at)
    return [(Verb.MERGE, Change(before=card, after=merged)), (Verb.MERGE, Change(before=lesson, after=after))]


def clean_value(value: Any) -> Any:
    """Return a value from a person or script without secrets and control characters.

    Categories and the like stay unchanged. Raises ``CuratorError`` for bytes that are not text, because the rest would mean
    something else.
    """
    if type(value) is str:
        if _LONE.search(value):
            raise CuratorError(f"{value[:60]!a} is not valid UTF-8.", "Give the text in UTF-8.")
        return redact.clean(value).strip()
    return tuple(clean_value(item) for item in value) if type(value) is tuple else value


def slug(headline: str) -> str:
    """Return the readable part of a lesson's file name."""
    from curator import lesson_files  # loads YAML, and the first card does not need it

    return lesson_files.slug(headline)


def replace_state(entry: Entry | None) -> Entry:
    """Return an entry that an undo has removed, as the outcome reports it."""
    assert entry is not None
    return entry._replace(state=State.EXPIRED)
