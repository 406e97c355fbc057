"""The actions that decide: each is one call of the app on the chosen rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from curator import app, clock
from curator.app import REASONS, SNOOZES, Curator, Outcome, Resolution, offers
from curator.errors import CuratorError
from curator.model import Category, Durability, Entry, Kind, State
from curator.tui.board import Board
from curator.tui.card_frame import Part

if TYPE_CHECKING:
    from curator.app import Target

DIGITS = {1: Resolution.NEWER, 2: Resolution.OLDER, 3: Resolution.BOTH, 4: Resolution.MERGE}
OFFERED = 40
"""Lessons that are listed to be picked."""
WARNED = "Each of these cards has a red warning"
SCOPES = (("1", "This project"), ("2", "Everywhere"))


def keep(board: Board) -> None:
    """Keep, accept, confirm."""
    ids = [head.id for head in board.list.verdict_heads()]
    alarming = board.app.curator.lessons.with_warnings(ids) if len(ids) > 1 else set()
    plain = [id_ for id_ in ids if id_ not in alarming]
    if alarming and not plain:
        board.toast.show(f"{WARNED}. Press esc, then decide them one at a time.")
        return
    card = board.card.entry
    advised = len(ids) == 1 and card is not None and card.id == ids[0] and card.advice is not None
    board.decisions.decide(
        lambda curator, ids, seconds: curator.verdicts.accept(ids, advised=advised, seconds=seconds),
        ids=plain if alarming else None,
        keeps=Part.STATEMENT,
        left=len(alarming),
    )


def drop(board: Board) -> None:
    """Dismiss or retire."""
    entries = board.decisions.verdict_entries()
    if entries and all(entry.kind is Kind.CONSOLIDATE for entry in entries):
        board.decisions.decide(lambda curator, ids, seconds: curator.verdicts.keep_apart(ids, seconds=seconds))
    else:
        board.decisions.decide(lambda curator, ids, seconds: curator.verdicts.drop(ids, seconds=seconds))


def drop_because(board: Board) -> None:
    """The same with a reason, asked before."""
    options = [(str(at), reason) for at, reason in enumerate(REASONS, 1)]
    if not board.list.verdict_heads():
        board.decisions.at_hand()
        return
    if board.card.entry and board.card.entry.kind is Kind.CONFLICT:
        options.append(("5", "no conflict"))

    def answer(key: str) -> None:
        if key == "5":
            board.decisions.decide(lambda curator, ids, seconds: curator.verdicts.mark_not_conflict(ids, seconds=seconds))
        else:
            reason = REASONS[int(key) - 1]
            board.decisions.decide(lambda curator, ids, seconds: curator.verdicts.drop(ids, reason=reason, seconds=seconds))

    board.keys.ask(options, answer)


def choose(board: Board, digit: int) -> None:
    """A wording, a side of the conflict, or how long to snooze a stale lesson: of this card, whatever is marked."""
    entry = board.decisions.at_hand()
    if entry is None:
        return
    if entry.kind is Kind.CONFLICT and digit == 4:
        merge(board)  # no merge without a look at what it makes
    elif entry.kind is Kind.CONFLICT:
        resolve(board, DIGITS[digit], ids=[entry.id])
    elif entry.kind is Kind.STALE:
        snooze_by(board, digit, ids=[entry.id])
    elif entry.kind is Kind.CONSOLIDATE:
        members = board.app.curator.verdicts.members(entry)
        if digit > len(members):
            raise CuratorError(f"The group of {entry.id} has no lesson {digit}.", f"Press a digit up to {len(members)}.")
        only = members[digit - 1].id
        board.decisions.decide(
            lambda curator, ids, seconds: curator.verdicts.keep_apart(ids, only=only, seconds=seconds),
            ids=[entry.id],
            repeatable=False,
        )
    elif entry.state is State.OPEN:
        shown = [str(one) for one, _, _ in offers(entry)]  # words on the card already are not offered
        if str(digit) not in shown:
            raise CuratorError(f"{entry.id} has no wording {digit}.", f"It offers {', '.join(shown) or 'none'}.")
        board.decisions.decide(
            lambda curator, ids, seconds: curator.verdicts.accept(ids, wording=digit, seconds=seconds),
            ids=[entry.id],
            repeatable=False,
            keeps=Part.CHOICE,
        )


def resolve(board: Board, resolution: Resolution, *, ids: Sequence[str] | None = None) -> None:
    """Settle conflicts in one way."""
    board.decisions.decide(
        lambda curator, ids, seconds: curator.verdicts.resolve(ids, resolution, seconds=seconds), ids=ids, keeps=Part.CHOICE
    )


def supersede(board: Board) -> None:
    """The newer side wins; outside a conflict, it takes the place of a likely lesson, or of one that is picked."""
    entries = board.decisions.verdict_entries()
    if entries and all(entry.kind is Kind.CONFLICT for entry in entries):
        resolve(board, Resolution.NEWER)
    elif len(entries) > 1:
        board.toast.show(
            f"You can replace only one lesson at a time, but {len(entries)} rows are marked. Press esc to clear the marks."
        )
    elif entries and board.card.has_read(Part.STATEMENT):
        found = app.targets.of_entry(board.app.curator, entries[0])
        places = [target for target in found if target.entry.state is State.ACTIVE]
        if likely := [
            target for target in places if target.likeness >= app.targets.MIN_MERGE_LIKENESS or target.relating is not None
        ]:
            _against(board, entries, likely, "")
        else:
            _pick_place(board, entries[0], places)


def _pick_place(board: Board, entry: Entry, nearest: Sequence[Target]) -> None:
    """Let a person find the lesson whose place an entry takes; before a word is typed the ``nearest`` come first."""
    from curator.tui.picker import Option, PickScreen  # the first card is drawn without it

    curator = board.app.curator

    def find(typed: str) -> Sequence[Option]:
        lessons = curator.lessons.library(words=tuple(typed.lower().split()))._replace(project=entry.project)
        order = [] if typed else [target.entry for target in nearest]
        order += curator.lessons.entries(lessons, OFFERED)
        return [Option(one.id, one.headline) for one in {one.id: one for one in order}.values() if one.id != entry.id]

    def answer(id_: str | None) -> None:
        if id_ is not None:
            _against(board, [entry], app.targets.of_entry(curator, entry, among=[id_]), "This lesson no longer exists.")

    if find(""):
        board.app.push_screen(PickScreen("Which lesson does it replace?", "Look at it", find), answer)
    else:
        board.toast.show("There is no lesson yet that it could replace.", once=True)


def merge(board: Board) -> None:
    """Look at what a merge would make; of several marked rows one takes the others in."""
    entries = board.decisions.verdict_entries()
    if not entries:
        return
    if len(projects := list(dict.fromkeys(entry.project for entry in entries))) > 1:
        one, other = map(board.app.names.of, projects[:2])
        board.toast.show(f"You can merge only rows of one project, but these are from {one} and {other}.")
        return
    curator = board.app.curator
    ids = [entry.id for entry in entries]
    targets = app.targets.of_group(curator, ids) if len(ids) > 1 else app.targets.alike(curator, entries[0])
    nearest = [] if targets else app.targets.of_entry(curator, entries[0])
    if nearest and board.decisions.unlike != entries[0].id:
        from curator.tui.overlays import NO_SIMILAR_LESSON  # the first card is drawn without it

        board.decisions.unlike = entries[0].id
        first = nearest[0]
        near = f"a {first.entry.kind} {first.likeness:.0%} alike, “{first.entry.headline}”"
        board.toast.show(f"{NO_SIMILAR_LESSON}. Press m again to merge with {near}", once=True)
        return
    otherwise = "No similar lesson. To merge rows by hand, mark them with space, then press m."
    _against(board, entries, targets or nearest, otherwise, together=True)


def _against(
    board: Board, entries: Sequence[Entry], targets: Sequence[Target], otherwise: str, *, together: bool = False
) -> None:
    """Show what would become of entries and a target; done if it is agreed to."""
    if not targets:
        board.toast.show(otherwise)
        return

    from curator.tui.overlays import FIND_ANOTHER, MergeScreen  # the first card is drawn without it

    def answer(result: tuple[str, str, str] | None) -> None:
        if result == FIND_ANOTHER:
            _pick_place(board, entries[0], [])
        if result is None or result == FIND_ANOTHER:
            return
        target, headline, insight = result

        def call(curator: Curator, ids: Sequence[str], seconds: float | None) -> Outcome:
            if together:
                return curator.verdicts.merge(ids, target, headline=headline, insight=insight, seconds=seconds)
            return curator.verdicts.supersede(target, ids[0], seconds=seconds)

        ids = [entry.id for entry in entries if entry.id != target]
        board.decisions.decide(call, ids=ids, repeatable=False)

    board.app.push_screen(MergeScreen(entries, targets, supersede=not together), answer)


def snooze(board: Board) -> None:
    """Put away for the usual time; what is put away waits again."""
    until = clock.now() if board.selection.split.snoozed else None
    board.decisions.decide(
        lambda curator, ids, seconds: curator.verdicts.snooze(ids, until, seconds=seconds), repeatable=until is None
    )


def snooze_until(board: Board) -> None:
    """Put away for a chosen time."""
    options = [(str(at), label) for at, (label, _) in enumerate(SNOOZES, 1)]
    board.keys.ask(options, lambda key: snooze_by(board, int(key)))


def snooze_by(board: Board, digit: int, *, ids: Sequence[str] | None = None) -> None:
    """Put away for the time that a digit stands for."""
    _, away = SNOOZES[digit - 1]
    board.decisions.decide(
        lambda curator, ids, seconds: curator.verdicts.snooze(ids, clock.now() + away, seconds=seconds), ids=ids
    )


def accept_repository(board: Board) -> None:
    """Keep all that the repository of the card at hand brings; first it is said how much that is, and by whom."""
    entry = board.decisions.at_hand()
    waiting = app.sync.arrivals(board.app.curator, entry.id) if entry else None
    if entry is None or waiting is None:
        return
    if not waiting.entries:
        board.toast.show("This card does not come from a lesson file, so there is no repository to accept.")
        return
    alarming = board.app.curator.lessons.with_warnings([one.id for one in waiting.entries])
    ids = [one.id for one in waiting.entries if one.id not in alarming]
    if not ids:
        board.toast.show(f"{WARNED}. Decide them one at a time.")
        return

    def accept(curator: Curator, ids: Sequence[str], seconds: float | None) -> Outcome:
        return app.sync.accept(curator, of=entry.id)[0]

    board.keys.ask(
        [("y", f"Keep all ({waiting.authors()}), and later changes"), ("n", "Not now")],
        lambda key: board.decisions.decide(accept, ids=ids, repeatable=False, left=len(alarming)) if key == "y" else None,
    )


def reopen(board: Board) -> None:
    """Let what expired or was dismissed wait again."""
    board.decisions.decide(lambda curator, ids, seconds: curator.verdicts.reopen(ids, seconds=seconds))


def scope(board: Board) -> None:
    """Ask where the lesson applies."""
    entry = board.decisions.at_hand()
    if entry is None:
        return
    folders = app.project_files.folders(board.app.curator, entry)
    pinned = entry.durability is Durability.PINNED
    pin = ("4", "No longer at every session start" if pinned else "At every session start")

    def answer(key: str) -> None:
        if key == "4":
            _edit(board, entry, durability=Durability.DURABLE if pinned else Durability.PINNED)
            return
        where = {"1": "project", "2": "global", "3": "paths"}[key]
        _edit(board, entry, scope=where, paths=folders if key == "3" else ())

    board.keys.ask([*SCOPES, *([("3", f"Only {' '.join(folders)}")] if folders else ()), pin], answer)


def category(board: Board) -> None:
    """Ask for the lesson's category."""
    entry = board.decisions.at_hand()
    if entry is None:
        return
    options = [(str(at), one.value.partition("-")[0]) for at, one in enumerate(Category, 1)]
    board.keys.ask(options, lambda key: _edit(board, entry, category=[*Category][int(key) - 1]))


def _edit(board: Board, entry: Entry, **fields: Any) -> None:
    board.decisions.decide(
        lambda curator, ids, seconds: curator.verdicts.edit(ids[0], **fields), ids=[entry.id], repeatable=False
    )


def code(board: Board) -> None:
    """Say which code it speaks of."""
    from curator.tui.picker import Place, ask_for_code  # the first card is drawn without it

    entry = board.decisions.at_hand()
    if entry is None:
        return

    def point(places: Sequence[Place]) -> None:
        board.decisions.decide(
            lambda curator, ids, seconds: app.anchoring.point(curator, ids[0], places), ids=[entry.id], repeatable=False
        )

    ask_for_code(board.app, entry, point)


def edit(board: Board) -> None:
    """Edit in place."""
    if board.decisions.at_hand() and board.card.has_read(Part.STATEMENT):
        board.editing.open()


def add(board: Board) -> None:
    """A lesson by hand; where every project is shown, of the one that is picked, that of the card at hand first."""
    from curator.tui.picker import Option, PickScreen  # the first card is drawn without it

    curator = board.app.curator
    if curator.project is not None:
        board.editing.add(curator.project)
        return
    known = curator.projects()
    at_hand = board.card.entry.project if board.card.entry else ""
    names = Counter(project.name for project in known.values())
    order = sorted(known.values(), key=lambda project: (project.id != at_hand, project.name.lower(), project.folder))

    def find(typed: str) -> Sequence[Option]:
        words = typed.lower().split()
        there = [project for project in order if all(word in f"{project.name} {project.folder}".lower() for word in words)]
        return [Option(project.id, project.name, project.folder if names[project.name] > 1 else "") for project in there]

    def answer(id_: str | None) -> None:
        if id_ is not None:
            board.app.attempt(lambda: board.editing.add(known[id_]))

    if known:
        board.app.push_screen(PickScreen("Which project is the new lesson for?", "Write it", find), answer)
    else:
        board.toast.show("curator knows no project yet. Run curator in the folder of one.", once=True)


def edit_whole(board: Board) -> None:
    """Edit in $EDITOR."""
    from curator.tui.commands import edit_outside  # the first card is drawn without it

    if entry := board.decisions.at_hand():
        texts = edit_outside(board.app, entry)
        if texts is not None:
            board.decisions.take_in(board.app.curator.verdicts.edit(entry.id, headline=texts[0], insight=texts[1]))


def repeat(board: Board) -> None:
    """The last verdict, on this row."""
    if board.decisions.last is None:
        board.toast.show("There is no decision to repeat yet.")
    else:
        call, keeps = board.decisions.last
        board.decisions.decide(call, keeps=keeps)


def undo(board: Board) -> None:
    """Take back the last verdict and go to its row."""
    board.decisions.bring_back(board.app.curator.verdicts.undo())


def redo(board: Board) -> None:
    """Do again what was undone."""
    board.decisions.bring_back(board.app.curator.verdicts.redo())


def reader(board: Board) -> None:
    """Choose who reads sessions."""
    from curator.tui.picker import pick_reader  # the first card is drawn without it

    pick_reader(board.app)


def read_all(board: Board) -> None:
    """Have the model read all new sessions; where there is none, choose one."""
    if board.app.curator.settings.has_reader:
        board.app.distilling.read("", "repeat")
    else:
        reader(board)


def read(board: Board) -> None:
    """Have the model read the session of the card; where there is none, choose one."""
    if not board.app.curator.settings.has_reader:
        reader(board)
        return
    entry = board.card.entry
    if entry is None or not entry.session:
        raise CuratorError(
            "This card does not come from a session.", "Press :, then choose “Model: all sessions” to read all new sessions."
        )
    board.app.distilling.read(entry.session, "press d again")
