"""The actions of a list's keys: from the name of an action in ``curator.keymap`` to a function of the board.

Here are the actions that move, select and look, and the palette that offers every action by name; ``verdicts`` has
those that decide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.screen import Screen

from curator import app
from curator.keymap import ACTIONS as TABLE
from curator.keymap import TARGETS, fits
from curator.model import Evidence
from curator.text.words import pluralize
from curator.tui import verdicts
from curator.tui.board import Board
from curator.tui.card import excerpt
from curator.tui.rows import Rows
from curator.tui.styles import palette_of


def step(move: Callable[[Rows], None]) -> Callable[[Board], None]:
    """Return the action that moves the cursor so."""
    return lambda board: board.list.step(move)


def select(change: Callable[[Rows], None]) -> Callable[[Board], None]:
    """Return the action that changes so what is marked."""

    def act(board: Board) -> None:
        change(board.list.rows)
        board.list.show()

    return act


def mark_session(board: Board) -> None:
    """Mark what the session of the card has brought, as far as it is shown."""
    entry, rows = board.card.entry, board.list.rows
    if entry is None or not entry.session:
        board.toast.show("This card does not come from a session.", once=True)
        return
    order = board.app.curator.lessons.order(board.rows_query._replace(session=entry.session))
    rows.marks |= set(filter(rows.contains, order))
    board.list.show()
    marked = pluralize(len(rows.marks), "row")
    board.toast.show(f"{marked} marked. Press y or x to decide all of them, esc to clear the marks", once=True)


def clear(board: Board) -> None:
    """The reasons first, then marks, the filter, then back to the inbox."""
    if board.card.why:
        why(board)
    elif board.list.rows.clear():
        board.list.show()
    elif board.selection.words:
        board.contents.filter("", back=True)
    elif board.listing.name != "inbox":
        board.app.switch_mode("inbox")


def go(board: Board) -> None:
    """Ask for the target of a jump; ``g g`` is the top."""

    def answer(key: str) -> None:
        place = TARGETS[key][0]
        if place == "top":
            board.list.step(lambda rows: rows.go(0))
        else:
            board.app.switch_mode(place)

    board.keys.ask([(key, label) for key, (_, label) in TARGETS.items()], answer)


def split(by: int) -> Callable[[Board], None]:
    """Return the action that shows a split so many to the right."""

    def act(board: Board) -> None:
        splits = board.listing.splits
        at = splits.index(board.selection.split)
        board.contents.show_split(splits[(at + by) % len(splits)].name)

    return act


def filter_(board: Board) -> None:
    """Type a filter."""
    if board.filter.parent is None:
        board.mount(board.filter, before=board.foot)
    board.filter.open()


def rest(board: Board) -> None:
    """Show or hide weaker cards."""
    board.selection = board.selection._replace(rest=not board.selection.rest)
    board.contents.load()
    board.toast.show("showing weaker cards too" if board.selection.rest else "showing the best cards")


def refresh(board: Board) -> None:
    """Let arrivals in, sort anew by what was decided, read the transcripts again."""
    board.toast.show(f"{board.arrivals.let_in() or 'no new cards'}; scanning transcripts again")
    board.app.background.learn()
    board.app.rescan()


def evidence(board: Board) -> None:
    """All that is known of it; where the card says all of that, it is said so."""
    from curator.tui.detail import FullScreen, pages  # the first card is drawn without it

    entry = board.card.entry
    if entry is None:
        return
    found = pages(entry)
    if not found or (len(found) == 1 and isinstance(found[0], Evidence) and _has_whole_context(board, found[0])):
        board.toast.show("The card already shows all the evidence.", once=True)
    else:
        board.app.push_screen(FullScreen(board.app.curator, entry, board.card.quote))


def _has_whole_context(board: Board, quoted: Evidence) -> bool:
    """Return whether the card has all that was kept around its quote, and no transcript has more."""
    host, pane = board.app, board.card.pane
    if pane.hidden_below or not pane.region or app.origins.transcript(quoted):
        return False
    palette = palette_of(host.theme_variables, dark=host.current_theme.dark)
    text = pane.text
    return all(line.plain.rstrip() in text for line in excerpt(quoted, pane.outer_size.width, palette))


def open_code(board: Board) -> None:
    """Open the first file of an entry that is there, inside its project."""
    from curator.tui.commands import code_place, open_at  # the first card is drawn without it

    place = code_place(board)
    if place is not None:
        open_at(board.app, *place)
    elif board.card.entry:
        board.toast.show("This lesson names no file that exists here.", once=True)


def open_transcript(board: Board) -> None:
    """Open the transcript of the quote on the card."""
    from curator.tui.commands import open_at  # the first card is drawn without it

    entry = board.card.entry
    quoted = entry.evidence[board.card.quote] if entry and entry.evidence else None
    path = app.origins.transcript(quoted) if quoted else None
    if quoted is None or path is None:
        board.toast.show(
            "The transcript of this quote is not on this machine." if quoted else "This card has no quote.", once=True
        )
        return
    open_at(board.app, path, quoted.line)


def quote(by: int) -> Callable[[Board], None]:
    """Return the action that shows a piece of evidence so many further on."""

    def act(board: Board) -> None:
        card = board.card
        if card.entry and card.entry.evidence:
            card.quote = (card.quote + by) % len(card.entry.evidence)
            card.draw(keep_place=True)

    return act


def scroll(by: int) -> Callable[[Board], None]:
    """Return the action that scrolls the card by so many lines."""
    return lambda board: board.card.pane.scroll_by(by)


def why(board: Board) -> None:
    """Show or hide why it was detected."""
    card = board.card
    card.why = not card.why
    if card.entry and card.entry.evidence:
        card.draw(keep_place=True)
    else:
        card.reload()


def preview(board: Board) -> None:
    """Show or hide the card."""
    board.toggle_class("-no-card")


def flip(board: Board) -> None:
    """Card on the right or below; one that is hidden comes back first."""
    if board.has_class("-no-card"):
        board.remove_class("-no-card")
    else:
        board.toggle_class("-flipped")


SIZES = {"-card-large": "the card", "-list-large": "the list"}


def grow(board: Board) -> None:
    """More room for the card, then for the list, then as it was."""
    sizes = [*SIZES, ""]
    now = next((size for size in SIZES if board.has_class(size)), "")
    wanted = sizes[(sizes.index(now) + 1) % len(sizes)]
    board.remove_class("-no-card", *SIZES)
    board.add_class(*filter(None, [wanted]))
    board.card.draw(keep_place=False)
    board.toast.show(f"more room for {SIZES[wanted]}" if wanted else "", once=True)


def copy_text(board: Board) -> None:
    """Copy the lesson's text."""
    from curator.tui.commands import copy  # the first card is drawn without it

    if entry := board.card.entry:
        board.toast.show(copy(board.app, f"{entry.headline}\n{entry.insight}"))


def copy_whole(board: Board) -> None:
    """Copy the lesson as Markdown."""
    from curator.tui.commands import as_markdown, copy  # the first card is drawn without it

    if entry := board.card.entry:
        board.toast.show(f"Markdown with evidence: {copy(board.app, as_markdown(entry))}")


def help_(board: Board) -> None:
    """Help; what is chosen there is done."""
    from curator.tui.overlays import show_help  # the first card is drawn without it

    row = (board.card.entry.kind, board.card.entry.state) if board.card.entry else (None, None)
    show_help(board.app, board.listing.name, board.action_act, *row)


def theme(board: Board) -> None:
    """Themes by name; the one under the cursor is worn until another is chosen."""
    from curator.tui.picker import pick_theme  # the first card is drawn without it

    pick_theme(board.app)


def project(board: Board) -> None:
    """Projects by name, with the number of their cards."""
    from curator.tui.picker import pick_project  # the first card is drawn without it

    pick_project(board.app, board.begin)


EVERYWHERE: Mapping[str, Callable[[Screen[None]], object]] = {
    "palette": lambda screen: screen.app.action_command_palette(),
    "quit": lambda screen: screen.app.exit(),
}
"""The actions that are the same on every screen."""

ACTIONS: Mapping[str, Callable[[Board], object]] = {
    "keep": verdicts.keep,
    "drop": verdicts.drop,
    "drop-because": verdicts.drop_because,
    "edit": verdicts.edit,
    "code": verdicts.code,
    "edit-whole": verdicts.edit_whole,
    "category": verdicts.category,
    "scope": verdicts.scope,
    "merge": verdicts.merge,
    "supersede": verdicts.supersede,
    "snooze": verdicts.snooze,
    "snooze-until": verdicts.snooze_until,
    "accept-repository": verdicts.accept_repository,
    "undo": verdicts.undo,
    "redo": verdicts.redo,
    "repeat": verdicts.repeat,
    "add": verdicts.add,
    "read": verdicts.read,
    "read-all": verdicts.read_all,
    "project": project,
    "reader": verdicts.reader,
    "reopen": verdicts.reopen,
    "mark": select(Rows.mark),
    "range": select(Rows.toggle_range),
    "mark-all": select(Rows.mark_all),
    "mark-session": mark_session,
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
    "flip": flip,
    "grow": grow,
    "copy": copy_text,
    "copy-whole": copy_whole,
    "theme": theme,
    "help": help_,
    **EVERYWHERE,
}
"""Every action of a list but ``choose``, which needs to know the digit (see ``Listing``)."""


class Actions(Provider):
    """The palette: the actions of the table that mean something here, with their keys, so that it teaches them."""

    def _valid(self) -> list[tuple[str, str, str]]:
        screen = self.screen
        name = screen.listing.name if isinstance(screen, Board) else getattr(screen, "NAME", "")
        entry = screen.card.entry if isinstance(screen, Board) else None
        kind, state = (entry.kind, entry.state) if entry else (None, None)
        return [
            (
                f"{action.label_for(kind, state)}{f'  ({action.keys[0]})' if action.keys else ''}",
                action.name,
                action.help_for(kind, state),
            )
            for action in TABLE
            if fits(action, name, kind, state) and action.name not in ("palette", "choose")
        ]

    def _run(self, name: str) -> Any:
        return lambda: self.screen.action_act(name)  # type: ignore[attr-defined]

    async def discover(self) -> Hits:
        """Everything, before a word is typed."""
        for label, name, help_ in self._valid():
            yield DiscoveryHit(label, self._run(name), help=help_)

    async def search(self, query: str) -> Hits:
        """Yield what matches."""
        matcher = self.matcher(query)
        for label, name, help_ in self._valid():
            score = matcher.match(f"{label} {help_}")
            if score:
                yield Hit(score, matcher.highlight(label), self._run(name), help=help_)
