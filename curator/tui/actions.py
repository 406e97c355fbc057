"""The actions of a list's keys: a function of the screen for each name in ``curator.keymap``.

The actions here move, select and show. ``decision_actions`` has those that decide. The help offers every action by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from curator import app
from curator.keymap import TARGETS
from curator.tui import decision_actions
from curator.tui.list_screen import ListScreen
from curator.tui.rows import Rows


def step(move: Callable[[Rows], None]) -> Callable[[ListScreen], None]:
    """Return the action that moves the cursor so."""
    return lambda screen: screen.list.step(move)


def select(change: Callable[[Rows], None]) -> Callable[[ListScreen], None]:
    """Return the action that changes the marks with ``change``."""

    def act(screen: ListScreen) -> None:
        change(screen.list.rows)
        screen.list.show()

    return act


def clear(screen: ListScreen) -> None:
    """Clear the reasons first, then marks, then the filter, and then go back to the inbox."""
    if screen.card.why:
        why(screen)
    elif screen.list.rows.clear():
        screen.list.show()
    elif screen.selection.words:
        screen.data.filter("", back=True)
    elif screen.listing.NAME != "inbox":
        screen.app.switch_mode("inbox")


def go(screen: ListScreen) -> None:
    """Ask for the target of a jump. ``g g`` is the top."""

    def answer(key: str) -> None:
        place = TARGETS[key][0]
        if place == "top":
            screen.list.step(lambda rows: rows.go(0))
        else:
            screen.app.switch_mode(place)

    screen.keys.ask([(key, label) for key, (_, label) in TARGETS.items()], answer)


def split(by: int) -> Callable[[ListScreen], None]:
    """Return the action that moves to another split, ``by`` places to the right."""

    def act(screen: ListScreen) -> None:
        splits = screen.listing.SPLITS
        at = splits.index(screen.selection.split)
        screen.data.show_split(splits[(at + by) % len(splits)].name)

    return act


def filter_(screen: ListScreen) -> None:
    """Let the person type a filter."""
    if screen.filter.parent is None:
        screen.mount(screen.filter, before=screen.foot)
    screen.filter.open()


def rest(screen: ListScreen) -> None:
    """Show or hide weaker cards."""
    screen.selection = screen.selection._replace(rest=not screen.selection.rest)
    screen.data.load()
    screen.toast.show("showing weaker cards too" if screen.selection.rest else "showing the best cards")


def refresh(screen: ListScreen) -> None:
    """Show arrivals, sort the list again, and read the transcripts again."""
    screen.toast.show(f"{screen.arrivals.let_in() or 'no new cards'}; scanning transcripts again")
    screen.app.background.learn()
    screen.app.rescan()


def evidence(screen: ListScreen) -> None:
    """Show all evidence."""
    from curator.tui.overlays import FullScreen, pages  # the first card is drawn without it

    entry = screen.card.entry
    if entry is None:
        return
    if pages(entry):
        screen.app.push_screen(FullScreen(screen.app.curator, entry, screen.card.quote))
    else:
        screen.toast.show("This card has no evidence.", once=True)


def open_code(screen: ListScreen) -> None:
    """Open the first existing file of an entry inside its project."""
    from curator.tui.commands import code_place, open_at  # the first card is drawn without it

    place = code_place(screen)
    if place is not None:
        open_at(screen.app, *place)
    elif screen.card.entry:
        screen.toast.show("This lesson names no file that exists here.", once=True)


def open_transcript(screen: ListScreen) -> None:
    """Open the transcript of the quote on the card."""
    from curator.tui.commands import open_at  # the first card is drawn without it

    entry = screen.card.entry
    quoted = entry.evidence[screen.card.quote] if entry and entry.evidence else None
    path = app.origins.transcript(quoted) if quoted else None
    if quoted is None or path is None:
        screen.toast.show(
            "The transcript of this quote is not on this machine." if quoted else "This card has no quote.", once=True
        )
        return
    open_at(screen.app, path, quoted.line)


def quote(by: int) -> Callable[[ListScreen], None]:
    """Return the action that moves to another piece of evidence, ``by`` places further."""

    def act(screen: ListScreen) -> None:
        card = screen.card
        if card.entry and card.entry.evidence:
            card.quote = (card.quote + by) % len(card.entry.evidence)
            card.draw(keep_place=True)

    return act


def scroll(by: int) -> Callable[[ListScreen], None]:
    """Return the action that scrolls the card by a number of lines."""
    return lambda screen: screen.card.pane.scroll_by(by)


def why(screen: ListScreen) -> None:
    """Show or hide why it was detected."""
    card = screen.card
    card.why = not card.why
    if card.entry and card.entry.evidence:
        card.draw(keep_place=True)
    else:
        card.reload()


def preview(screen: ListScreen) -> None:
    """Show or hide the card."""
    screen.toggle_class("-no-card")


def copy_text(screen: ListScreen) -> None:
    """Copy the lesson's text."""
    from curator.tui.commands import copy  # the first card is drawn without it

    if entry := screen.card.entry:
        screen.toast.show(copy(screen.app, f"{entry.headline}\n{entry.insight}"))


def help_(screen: ListScreen) -> None:
    """Show help, and run the action that the person chooses there."""
    from curator.tui.picker import show_help  # the first card is drawn without it

    row = (screen.card.entry.kind, screen.card.entry.state) if screen.card.entry else (None, None)
    show_help(screen.app, screen.listing.NAME, screen.action_act, *row)


def theme(screen: ListScreen) -> None:
    """Offer the themes by name. The theme under the cursor is shown until the person chooses one."""
    from curator.tui.picker import pick_theme  # the first card is drawn without it

    pick_theme(screen.app)


def project(screen: ListScreen) -> None:
    """Offer the projects by name, with the number of their cards."""
    from curator.tui.picker import pick_project  # the first card is drawn without it

    pick_project(screen.app, screen.begin)


ACTIONS: Mapping[str, Callable[[ListScreen], object]] = {
    "keep": decision_actions.keep,
    "drop": decision_actions.drop,
    "drop-because": decision_actions.drop_because,
    "edit": decision_actions.edit,
    "code": decision_actions.code,
    "edit-whole": decision_actions.edit_whole,
    "category": decision_actions.category,
    "scope": decision_actions.scope,
    "merge": decision_actions.merge,
    "supersede": decision_actions.supersede,
    "snooze": decision_actions.snooze,
    "snooze-until": decision_actions.snooze_until,
    "accept-repository": decision_actions.accept_repository,
    "undo": decision_actions.undo,
    "redo": decision_actions.redo,
    "add": decision_actions.add,
    "read": decision_actions.read,
    "read-all": decision_actions.read_all,
    "project": project,
    "reader": decision_actions.reader,
    "reopen": decision_actions.reopen,
    "mark": select(Rows.mark),
    "range": select(Rows.toggle_range),
    "mark-all": select(Rows.mark_all),
    "clear": clear,
    "down": step(lambda rows: rows.move(1)),
    "up": step(lambda rows: rows.move(-1)),
    "page-down": step(lambda rows: rows.move(rows.height)),
    "page-up": step(lambda rows: rows.move(-rows.height)),
    "bottom": step(lambda rows: rows.go(len(rows))),
    "top": step(lambda rows: rows.go(0)),
    "go": go,
    "next-split": split(1),
    "previous-split": split(-1),
    "evidence": evidence,
    "open-code": open_code,
    "open-transcript": open_transcript,
    "next-quote": quote(1),
    "previous-quote": quote(-1),
    "scroll-down": scroll(3),
    "scroll-up": scroll(-3),
    "why": why,
    "filter": filter_,
    "rest": rest,
    "refresh": refresh,
    "preview": preview,
    "copy": copy_text,
    "theme": theme,
    "help": help_,
    "quit": lambda screen: screen.app.exit(),
}
"""Every action of a list but ``choose``, which needs to know the digit (see ``ListBase.choose``)."""
