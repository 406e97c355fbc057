"""The three screens: inbox, library, cleanup."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text

from curator import clock
from curator.model import Entry, Kind, Query, State
from curator.text.plurals import counted
from curator.tui.board import Split
from curator.tui.styles import Palette
from curator.tui.verdicts import Verdicts

UNSEEN = 2.0
"""Seconds for which a digit is no verdict on a card that has come in place of the welcome, where it meant another thing."""


class InboxScreen(Verdicts):
    """What waits for a verdict."""

    NAME = "inbox"
    _greeted = -UNSEEN
    """When the first card came in place of the welcome."""
    SPLITS: ClassVar[tuple[Split, ...]] = (
        Split("All", "A"),
        Split("Candidates", "C", Kind.CANDIDATE),
        Split("Conflicts", "!", Kind.CONFLICT),
        Split("Stale", "S", Kind.STALE),
    )

    def query_for(self, split: Split, words: Sequence[str] = ()) -> Query:
        """What waits, of this split's kind."""
        return self.app.curator.lessons.waiting(split.kind, rest=self.rest, session=self.app.session, words=words)

    def nothing(self, width: int, palette: Palette) -> Sequence[Text]:
        """The welcome, inbox zero, or an empty split."""
        if self.words:
            everything = self.app.curator.lessons.waiting(
                self.split.kind, rest=True, session=self.app.session, words=self.words
            )
            more = 0 if self.rest else self.app.curator.lessons.kinds(everything).total()
            return unmatched(palette, f"; + shows {more:,} that {'does' if more == 1 else 'do'}" if more else "")
        if self.app.welcome is not None and self.welcoming:
            return welcome(self.app.welcome, width, palette)
        if self.split.kind is not None:
            return centred([f"No {self.split.name.lower()}.", "", "[ and ] show the other splits"], palette)
        today = self.app.today
        lines = [f"Inbox zero - {today['kept']} kept · {today['dropped']} dropped · {today['merged']} merged today", ""]
        if self.app.elsewhere:
            lines += [f"{counted(self.app.elsewhere, 'card')} in other projects: curator --all", ""]
        capped, held = self.app.behind
        if capped or held:
            why = [f"{capped:,} beyond {self.app.curator.settings.per_session} a session"] if capped else []
            why += [f"{held:,} held back by your verdicts on others like them"] if held else []
            lines += [f"+ shows more: {', '.join(why)}", ""]
        lines += [self.app.watching, "", "g l lessons    g s stats    a add one by hand    q quit"]
        return centred(lines, palette)

    def beyond(self) -> str:
        """How many more candidates ``+`` shows, or hides again."""
        more = sum(self.app.behind)
        if not more or self.words or self.split.kind not in (None, Kind.CANDIDATE):
            return ""
        return f"+ hides {more:,} again" if self.rest else f"+ shows {more:,} more"

    def recount(self, before: Sequence[Kind], after: Sequence[Entry]) -> None:
        """By arithmetic, so that the header is right in the same frame, however many rows wait."""
        self.app.welcome = None  # whoever gives verdicts has arrived
        now = clock.now()
        waiting = [entry.kind for entry in after if entry.waits and (entry.snoozed_until or 0) <= now]
        for split in self.SPLITS:
            gone = sum(split.kind in (None, kind) for kind in before)
            here = sum(split.kind in (None, kind) for kind in waiting)
            self.counts[split.name] += here - gone
        if len(before) != len(after) or self.rest:
            self._count()  # the other side of a merge may stand in another split; what was held back is less by now

    @property
    def welcoming(self) -> bool:
        """Whether the welcome is what one sees, and not a card, or words about a database in which something has happened."""
        return (
            self.app.welcome is not None and self.entry is None and not self.words and not self.app.curator.lessons.last_event()
        )

    def refresh_card(self) -> None:
        """Draw the card; the welcome is over with the first."""
        super().refresh_card()
        if self.entry is not None and self.app.welcome is not None:
            self.app.welcome = None
            self._greeted = clock.now()

    def act_choose_digit(self, digit: int) -> None:
        """On the welcome screen a digit starts something; elsewhere it is a verdict on a card that one can have seen."""
        if self.welcoming:
            if digit == 1:
                self.app.rescan()
            elif digit == 2:
                self.app.rescan(everything=True)
            elif digit == 3:
                self.app.exit("demo")
        elif clock.now() - self._greeted < UNSEEN:
            self.toast.show(f"A card came just now; nothing was decided. {digit} again is for the card.", once=True)
        else:
            super().act_choose_digit(digit)


class LessonsScreen(Verdicts):
    """What was kept."""

    NAME = "lessons"
    SPLITS: ClassVar[tuple[Split, ...]] = (
        Split("Active", "A"),
        Split("Retired", "R"),
        Split("Dropped", "D"),
        Split("Expired", "E"),
    )
    STATES: ClassVar[dict[str, tuple[State, ...]]] = {
        "Active": (State.ACTIVE,),
        "Retired": (State.RETIRED,),
        "Dropped": (State.DISMISSED, State.MERGED),
        "Expired": (State.EXPIRED,),
    }

    def query_for(self, split: Split, words: Sequence[str] = ()) -> Query:
        """Entries in this split's states, the newest change first; a lesson's other version was never one by itself."""
        return self.app.curator.lessons.library(self.STATES[split.name], words=tuple(words), versions=split.name != "Dropped")

    def nothing(self, width: int, palette: Palette) -> Sequence[Text]:
        """An empty library."""
        if self.words:
            return unmatched(palette)
        return centred([f"No {self.split.name.lower()} lessons yet.", "", "g i inbox    a add one by hand"], palette)


class CleanupScreen(Verdicts):
    """The periodic review: everything that may no longer hold, in one queue with an end."""

    asked = False
    """Whether anything was decided here."""

    NAME = "cleanup"
    SPLITS: ClassVar[tuple[Split, ...]] = (
        Split("All", "A"),
        Split("Conflicts", "!", Kind.CONFLICT),
        Split("Stale", "S", Kind.STALE),
        Split("Faded", "F", Kind.LESSON),
    )

    def query_for(self, split: Split, words: Sequence[str] = ()) -> Query:
        """What is in doubt, of this split's kind."""
        return self.app.curator.lessons.cleanup(split.kind, words=words)

    def recount(self, before: Sequence[Kind], after: Sequence[Entry]) -> None:
        """The queue was not empty from the beginning."""
        self.asked = True
        super().recount(before, after)

    def nothing(self, width: int, palette: Palette) -> Sequence[Text]:
        """The end of the queue."""
        if self.words:
            return unmatched(palette)
        if self.split.kind is not None:
            return centred([f"Nothing {self.split.name.lower()}.", "", "[ and ] show the other splits"], palette)
        settings = self.app.curator.settings
        done = "Cleanup done." if self.asked else "Nothing to clean up."
        why = f"Temporary lessons come up after {settings.fade_days} days untouched, others after {settings.review_days}."
        return centred([done, "", why, "", "g i inbox    g l lessons    q quit"], palette)


def centred(lines: Sequence[str], palette: Palette) -> list[Text]:
    """Lines in the middle of an empty list."""
    return [
        Text(""),
        *(Text(line, style=palette.strong if at == 0 else palette.plain, justify="center") for at, line in enumerate(lines)),
    ]


def unmatched(palette: Palette, but: str = "") -> list[Text]:
    """What stands in place of the card where a filter finds nothing."""
    return [Text(f"Nothing matches{but}; esc clears the filter.", style=palette.quiet)]


def welcome(found: tuple[int, int, int], width: int, palette: Palette) -> list[Text]:
    """The first run: what there is to read, and the demo; ``found`` is (all, recent, bytes of the recent)."""
    every, recent, size = found
    lines = [Text(""), Text("  Welcome. Nothing has been read yet.", style=palette.strong), Text("")]

    def offer(key: str, what: str, detail: str) -> None:
        lines.append(Text.assemble((f"  {key}  ", palette.accent), what))
        lines.append(Text(f"     {detail}", style=palette.quiet))

    if every:
        seconds = max(1, round(size / 10_000_000))
        offer(
            "1",
            f"read {counted(recent, 'transcript')} of the last 30 days",
            f"in the background, about {counted(seconds, 'second')}",
        )
        offer("2", f"read all {every:,}", "or later: curator scan --since all")
    else:
        lines.append(Text("  No transcripts were found on this machine (curator doctor says where).", style=palette.plain))
    offer("3", "try it on sample data first", "nothing of yours is touched")
    lines += [Text(""), Text("  Nothing leaves this machine.", style=palette.quiet)]
    lines += [Text("  Nothing is confirmed but by you.", style=palette.quiet), Text("")]
    keys = [("y", "keep"), ("x", "drop"), ("e", "edit"), ("m", "merge"), ("z", "snooze"), ("u", "undo")]
    line = Text("  ")
    for key, verb in keys:
        line.append(key, palette.accent)
        line.append(f" {verb}   ")
    lines.append(line)
    return lines
