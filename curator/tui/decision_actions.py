"""The actions that decide. Each is one call of the app on the chosen rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from curator import app, clock
from curator.app import REASONS, SNOOZES, Curator, Outcome, Resolution, offers
from curator.errors import CuratorError
from curator.model import Category, Durability, Entry, Kind, State
from curator.tui.list_parts import Part
from curator.tui.list_screen import ListScreen

if TYPE_CHECKING:
    from curator.app.merge_targets import Target

OFFERED = 40
"""Lessons that are listed to be picked."""
WARNED = "Each of these cards has a red warning"
SCOPES = (("1", "This project"), ("2", "Everywhere"))


def keep(screen: ListScreen) -> None:
    """Keep, accept, confirm."""
    ids = [head.id for head in screen.list.decision_heads()]
    alarming = screen.app.curator.lessons.with_warnings(ids) if len(ids) > 1 else set()
    plain = [id_ for id_ in ids if id_ not in alarming]
    if alarming and not plain:
        screen.toast.show(f"{WARNED}. Press esc, then decide them one at a time.")
        return
    card = screen.card.entry
    advised = len(ids) == 1 and card is not None and card.id == ids[0] and card.advice is not None
    screen.decisions.decide(
        lambda curator, ids: curator.decisions.accept(ids, advised=advised),
        ids=plain if alarming else None,
        keeps=Part.STATEMENT,
        left=len(alarming),
    )


def drop(screen: ListScreen) -> None:
    """Dismiss or retire."""
    entries = screen.decisions.decision_entries()
    if entries and all(entry.kind is Kind.CONSOLIDATE for entry in entries):
        screen.decisions.decide(lambda curator, ids: curator.decisions.keep_apart(ids))
    else:
        screen.decisions.decide(lambda curator, ids: curator.decisions.drop(ids))


def drop_because(screen: ListScreen) -> None:
    """Ask for a reason, then drop."""
    options = [(str(at), reason) for at, reason in enumerate(REASONS, 1)]
    if not screen.list.decision_heads():
        screen.decisions.at_hand()
        return
    if screen.card.entry and screen.card.entry.kind is Kind.CONFLICT:
        options.append(("5", "no conflict"))

    def answer(key: str) -> None:
        if key == "5":
            screen.decisions.decide(lambda curator, ids: curator.decisions.mark_not_conflict(ids))
        else:
            reason = REASONS[int(key) - 1]
            screen.decisions.decide(lambda curator, ids: curator.decisions.drop(ids, reason=reason))

    screen.keys.ask(options, answer)


def choose(screen: ListScreen, digit: int) -> None:
    """Choose for this card, whatever is marked: a wording, a side of the conflict, or the time to snooze a stale lesson."""
    entry = screen.decisions.at_hand()
    if entry is None:
        return
    if entry.kind is Kind.CONFLICT and digit == 4:
        merge(screen)  # A merge always shows its result first.
    elif entry.kind is Kind.CONFLICT:
        resolve(screen, [*Resolution][digit - 1], ids=[entry.id])
    elif entry.kind is Kind.STALE:
        snooze_by(screen, digit, ids=[entry.id])
    elif entry.kind is Kind.CONSOLIDATE:
        members = screen.app.curator.decisions.members(entry)
        if digit > len(members):
            raise CuratorError(f"The group of {entry.id} has no lesson {digit}.", f"Press a digit up to {len(members)}.")
        only = members[digit - 1].id
        screen.decisions.decide(lambda curator, ids: curator.decisions.keep_apart(ids, only=only), ids=[entry.id])
    elif entry.state is State.OPEN:
        shown = [str(one) for one, _, _ in offers(entry)]  # words on the card already are not offered
        if str(digit) not in shown:
            hint = f"Choose {', '.join(shown)}." if shown else "It has no other wordings."
            raise CuratorError(f"This card has no wording {digit}.", hint)
        screen.decisions.decide(
            lambda curator, ids: curator.decisions.accept(ids, wording=digit), ids=[entry.id], keeps=Part.CHOICE
        )


def resolve(screen: ListScreen, resolution: Resolution, *, ids: Sequence[str] | None = None) -> None:
    """Settle conflicts in one way."""
    screen.decisions.decide(lambda curator, ids: curator.decisions.resolve(ids, resolution), ids=ids, keeps=Part.CHOICE)


def supersede(screen: ListScreen) -> None:
    """Keep the newer side of a conflict. Otherwise, replace a similar lesson, or one that the person picks."""
    entries = screen.decisions.decision_entries()
    if entries and all(entry.kind is Kind.CONFLICT for entry in entries):
        resolve(screen, Resolution.NEWER)
    elif len(entries) > 1:
        screen.toast.show(
            f"You can replace only one lesson at a time, but {len(entries)} rows are marked. Press esc to clear the marks."
        )
    elif entries and screen.card.has_read(Part.STATEMENT):
        found = app.merge_targets.of_entry(screen.app.curator, entries[0])
        places = [target for target in found if target.entry.state is State.ACTIVE]
        if likely := [
            target
            for target in places
            if target.likeness >= app.merge_targets.MIN_MERGE_LIKENESS or target.relating is not None
        ]:
            _against(screen, entries, likely, "")
        else:
            _pick_place(screen, entries[0], places)


def _pick_place(screen: ListScreen, entry: Entry, nearest: Sequence[Target]) -> None:
    """Let a person find the lesson that an entry replaces. Before the person types, the ``nearest`` come first."""
    from curator.tui.picker import Option, PickScreen  # the first card is drawn without it

    curator = screen.app.curator

    def find(typed: str) -> Sequence[Option]:
        lessons = curator.lessons.library(words=tuple(typed.lower().split()))._replace(project=entry.project)
        order = [] if typed else [target.entry for target in nearest]
        order += curator.lessons.entries(lessons, OFFERED)
        return [Option(one.id, one.headline) for one in {one.id: one for one in order}.values() if one.id != entry.id]

    def answer(id_: str | None) -> None:
        if id_ is not None:
            _against(screen, [entry], app.merge_targets.of_entry(curator, entry, among=[id_]), "This lesson no longer exists.")

    if find(""):
        screen.app.push_screen(PickScreen("Which lesson does it replace?", "Look at it", find), answer)
    else:
        screen.toast.show("There is no lesson yet that this one could replace.", once=True)


def merge(screen: ListScreen) -> None:
    """Show the result of a merge. If several rows are marked, one absorbs the others."""
    entries = screen.decisions.decision_entries()
    if not entries:
        return
    if len(projects := list(dict.fromkeys(entry.project for entry in entries))) > 1:
        one, other = map(screen.app.names.of, projects[:2])
        screen.toast.show(f"You can merge only rows of one project, but these are from {one} and {other}.")
        return
    curator = screen.app.curator
    ids = [entry.id for entry in entries]
    merge_targets = app.merge_targets.of_group(curator, ids) if len(ids) > 1 else app.merge_targets.alike(curator, entries[0])
    nearest = [] if merge_targets else app.merge_targets.nearest(curator, entries[0])
    if nearest and screen.decisions.unlike != entries[0].id:
        from curator.tui.overlays import NO_SIMILAR_LESSON  # the first card is drawn without it

        screen.decisions.unlike = entries[0].id
        first = nearest[0]
        near = f"a {first.entry.kind} {first.likeness:.0%} alike, “{first.entry.headline}”"
        screen.toast.show(f"{NO_SIMILAR_LESSON}. Press m again to merge with {near}", once=True)
        return
    otherwise = "No similar lesson. To merge rows by hand, mark them with space, then press m."
    _against(screen, entries, merge_targets or nearest, otherwise, together=True)


def _against(
    screen: ListScreen, entries: Sequence[Entry], merge_targets: Sequence[Target], otherwise: str, *, together: bool = False
) -> None:
    """Show the result for entries and a target, and carry it out if the person agrees."""
    if not merge_targets:
        screen.toast.show(otherwise)
        return

    from curator.tui.overlays import FIND_ANOTHER, MergeScreen  # the first card is drawn without it

    def answer(result: tuple[str, str, str] | None) -> None:
        if result == FIND_ANOTHER:
            _pick_place(screen, entries[0], [])
        if result is None or result == FIND_ANOTHER:
            return
        target, headline, insight = result

        def call(curator: Curator, ids: Sequence[str]) -> Outcome:
            if together:
                return curator.decisions.merge(ids, target, headline=headline, insight=insight)
            return curator.decisions.supersede(target, ids[0])

        ids = [entry.id for entry in entries if entry.id != target]
        screen.decisions.decide(call, ids=ids)

    screen.app.push_screen(MergeScreen(entries, merge_targets, supersede=not together), answer)


def snooze(screen: ListScreen) -> None:
    """Snooze for the default time."""
    until = clock.now() if screen.selection.split.snoozed else None
    screen.decisions.decide(lambda curator, ids: curator.decisions.snooze(ids, until))


def snooze_until(screen: ListScreen) -> None:
    """Snooze until a chosen time."""
    options = [(str(at), label) for at, (label, _) in enumerate(SNOOZES, 1)]
    screen.keys.ask(options, lambda key: snooze_by(screen, int(key)))


def snooze_by(screen: ListScreen, digit: int, *, ids: Sequence[str] | None = None) -> None:
    """Snooze for the time of a digit."""
    _, away = SNOOZES[digit - 1]
    screen.decisions.decide(lambda curator, ids: curator.decisions.snooze(ids, clock.now() + away), ids=ids)


def accept_repository(screen: ListScreen) -> None:
    """Keep all lessons from the repository of the current card, after a question that names their number and authors."""
    entry = screen.decisions.at_hand()
    waiting = app.sync.arrivals(screen.app.curator, entry.id) if entry else None
    if entry is None or waiting is None:
        return
    if not waiting.entries:
        screen.toast.show("This card does not come from a lesson file, so there is no repository to accept.")
        return
    alarming = screen.app.curator.lessons.with_warnings([one.id for one in waiting.entries])
    ids = [one.id for one in waiting.entries if one.id not in alarming]
    if not ids:
        screen.toast.show(f"{WARNED}. Decide them one at a time.")
        return

    def accept(curator: Curator, ids: Sequence[str]) -> Outcome:
        return app.sync.accept(curator, of=entry.id)[0]

    screen.keys.ask(
        [("y", f"Keep all ({waiting.authors()}), and later changes"), ("n", "Not now")],
        lambda key: screen.decisions.decide(accept, ids=ids, left=len(alarming)) if key == "y" else None,
    )


def reopen(screen: ListScreen) -> None:
    """Move expired or dropped cards back to the inbox."""
    screen.decisions.decide(lambda curator, ids: curator.decisions.reopen(ids))


def scope(screen: ListScreen) -> None:
    """Ask where the lesson applies."""
    entry = screen.decisions.at_hand()
    if entry is None:
        return
    folders = app.project_files.folders(screen.app.curator, entry)
    pinned = entry.durability is Durability.PINNED
    pin = ("4", "No longer at every session start" if pinned else "At every session start")

    def answer(key: str) -> None:
        if key == "4":
            _edit(screen, entry, durability=Durability.DURABLE if pinned else Durability.PINNED)
            return
        where = {"1": "project", "2": "global", "3": "paths"}[key]
        _edit(screen, entry, scope=where, paths=folders if key == "3" else ())

    screen.keys.ask([*SCOPES, *([("3", f"Only {' '.join(folders)}")] if folders else ()), pin], answer)


def category(screen: ListScreen) -> None:
    """Ask for the lesson's category."""
    entry = screen.decisions.at_hand()
    if entry is None:
        return
    options = [(str(at), one.value.partition("-")[0]) for at, one in enumerate(Category, 1)]
    screen.keys.ask(options, lambda key: _edit(screen, entry, category=[*Category][int(key) - 1]))


def _edit(screen: ListScreen, entry: Entry, **fields: Any) -> None:
    screen.decisions.decide(lambda curator, ids: curator.decisions.edit(ids[0], **fields), ids=[entry.id], timed=False)


def code(screen: ListScreen) -> None:
    """Choose the linked code."""
    from curator.tui.picker import Place, ask_for_code  # the first card is drawn without it

    entry = screen.decisions.at_hand()
    if entry is None:
        return

    def point(places: Sequence[Place]) -> None:
        screen.decisions.decide(
            lambda curator, ids: app.anchoring.link_code(curator, ids[0], places), ids=[entry.id], timed=False
        )

    ask_for_code(screen.app, entry, point)


def edit(screen: ListScreen) -> None:
    """Edit in place."""
    if screen.decisions.at_hand() and screen.card.has_read(Part.STATEMENT):
        screen.card.edit()


def add(screen: ListScreen) -> None:
    """Add a lesson by hand. If every project is shown, the person picks one, with the current card's project first."""
    from curator.tui.picker import Option, PickScreen, among  # the first card is drawn without it

    curator = screen.app.curator
    if curator.project is not None:
        screen.card.add(curator.project)
        return
    known = {project.id: project for project in app.project.unlinked(curator)}
    at_hand = screen.card.entry.project if screen.card.entry else ""
    names = Counter(project.name for project in known.values())
    order = sorted(known.values(), key=lambda project: (project.id != at_hand, project.name.lower(), project.folder))

    options = [
        Option(project.id, project.name, project.folder if names[project.name] > 1 else "", hidden=project.folder)
        for project in order
    ]

    def answer(id_: str | None) -> None:
        if id_ is not None:
            screen.app.attempt(lambda: screen.card.add(known[id_]))

    if known:
        screen.app.push_screen(PickScreen("Which project is the new lesson for?", "Write it", among(options)), answer)
    else:
        screen.toast.show("curator knows no project yet. Run curator in the folder of one.", once=True)


def edit_whole(screen: ListScreen) -> None:
    """Edit in $EDITOR."""
    from curator.tui.commands import edit_outside  # the first card is drawn without it

    if entry := screen.decisions.at_hand():
        texts = edit_outside(screen.app, entry)
        if texts is not None:
            screen.decisions.take_in(screen.app.curator.decisions.edit(entry.id, headline=texts[0], insight=texts[1]))


def undo(screen: ListScreen) -> None:
    """Take back the last decision and go to its row."""
    screen.decisions.bring_back(screen.app.curator.decisions.undo())


def redo(screen: ListScreen) -> None:
    """Redo the undone decision."""
    screen.decisions.bring_back(screen.app.curator.decisions.redo())


def reader(screen: ListScreen) -> None:
    """Choose who reads sessions."""
    from curator.tui.picker import pick_reader  # the first card is drawn without it

    pick_reader(screen.app)


def read_all(screen: ListScreen) -> None:
    """Let the model read all new sessions. Without a model, choose one."""
    if screen.app.curator.settings.has_reader:
        screen.app.distilling.read("", "repeat")
    else:
        reader(screen)


def read(screen: ListScreen) -> None:
    """Let the model read the session of the card. Without a model, choose one."""
    if not screen.app.curator.settings.has_reader:
        reader(screen)
        return
    entry = screen.card.entry
    if screen.app.distilling.busy:
        screen.app.distilling.stop()
        return
    if entry is None or not entry.session:
        raise CuratorError(
            "This card does not come from a session.", "Press :, then choose “Read all sessions” to read all new sessions."
        )
    screen.app.distilling.read(entry.session, "press d again")
