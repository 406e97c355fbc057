"""Draw a conflict: who said which when, the words that clash, and what each key does."""

from __future__ import annotations

import re

from rich.style import Style
from rich.text import Text

from curator.app import Resolution, apart, suggest, within
from curator.model import FROM_FILE, Entry, Relating
from curator.tui import styles
from curator.tui.alarm import mark
from curator.tui.code import worded
from curator.tui.evidence import SPEAKERS
from curator.tui.styles import Palette
from curator.tui.text import ago, hanging, wrapped

RELATING = {
    Relating.DUPLICATE: "says the same as",
    Relating.REFINES: "says more than",
    Relating.SUPERSEDES: "would replace",
    Relating.CONTRADICTS: "contradicts",
}
KEYS = {Resolution.NEWER: "1", Resolution.OLDER: "2", Resolution.BOTH: "3", Resolution.MERGE: "4"}
SUGGESTED = {
    Resolution.NEWER: "which takes the other's place",
    Resolution.OLDER: "which stays, and the new one goes",
    Resolution.BOTH: "",
    Resolution.MERGE: "the old one stays, with what the new one adds",
}
"""What comes of it where ``y`` does what another key does."""
MARK = Style(bold=True, underline=True)


def conflict(entry: Entry, rival: Entry | None, now: float, width: int, palette: Palette) -> list[Text]:
    """Both sides in one shape and in full, whatever it is that clashes."""
    assert entry.rival is not None
    relating, of_file = RELATING[entry.rival.relating], entry.signal == FROM_FILE
    if rival is None:
        return [Text(f"It {relating} {entry.rival.other}, which is gone.", style=palette.quiet)]
    it = "It" if entry.rival.certain else "Perhaps it"
    first = f"{it} {relating} a lesson stated {ago(now - rival.created)}:"
    lines = [Text("A lesson's file differs from what is kept here:" if of_file else first, style=palette.quiet)]
    names = ("what the file says", "what is kept here") if of_file else ("the new one", "the old one")
    texts, unfound = _texts(entry, rival, palette)
    for pair in texts:
        for text in pair:
            mark(text, palette)
    for key, name, side, (text, more) in zip("12", names, (entry, rival), texts, strict=True):
        head = Text.assemble((f"{key} ", palette.accent), (name, palette.quiet), "  ")
        lines += hanging(head, Text(attribution(side, now), palette.quiet), width)
        lines += [part for one in (text, more) if one for part in hanging(Text("  "), one, width)]
    for was, is_ in unfound:
        lines.append(Text.assemble(("  clash  ", palette.quiet), (was, palette.bad), f" {styles.ARROW} ", (is_, palette.good)))
    return [*lines, *_ways(entry, rival, names, width, palette)]


def _texts(entry: Entry, rival: Entry, palette: Palette) -> tuple[list[tuple[Text, Text]], list[tuple[str, str]]]:
    """What each side says, headline and rest, the new one first, with what differs marked; and clashes that stand in neither.

    A headline that both have is said above, unless there is nothing else.
    """
    same = rival.headline == entry.headline and rival.insight != entry.insight
    old, new = (rival.insight, entry.insight) if same else (rival.headline, entry.headline)
    before, after = worded(old, new, palette)
    rests = [Text() if same else Text(more(one), style=palette.plain) for one in (rival, entry)]
    bare = not before.spans and not after.spans
    assert entry.rival is not None
    unfound = []
    for was, is_ in dict.fromkeys((was.rstrip("."), is_.rstrip(".")) for was, is_ in entry.rival.clash[:3]):
        found = [
            _mark(word, style, headline, rest, rest_only=not bare)
            for word, style, headline, rest in ((was, palette.bad, before, rests[0]), (is_, palette.good, after, rests[1]))
        ]
        if not all(found):
            unfound.append((was, is_))
    return [(after, rests[1]), (before, rests[0])], unfound


def _mark(word: str, style: Style, headline: Text, rest: Text, *, rest_only: bool) -> bool:
    """Mark a clashing word, or several, in what a side says, if that says more than these; whether it says them."""
    for text in [rest] if rest_only else [headline, rest]:
        if len(word) < len(text.plain.rstrip(" .")):
            for place in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text.plain, re.IGNORECASE):
                text.stylize(style + MARK, *place.span())
    return word.lower() in f"{headline.plain}\n{rest.plain}".lower()


def _ways(entry: Entry, rival: Entry, names: tuple[str, str], width: int, palette: Palette) -> list[Text]:
    """The keys that do what no side of the card says, and which of them all ``y`` is."""
    both, way = "both", suggest(entry)
    if parted := apart(entry, rival):
        both += f", new in {parted[0]}/, old in {parted[1]}/"
    key, comes = KEYS[way], SUGGESTED[way]
    ways = [
        Text.assemble(("3 ", palette.accent), both),
        Text.assemble(("4 ", palette.accent), "merge"),
        Text.assemble(("y", palette.accent), " = ", (key, palette.accent), f", {comes}" if comes else ""),
    ]
    line = Text("   ").join(ways)
    if line.cell_len <= width:
        return [line]
    return [part for one in (Text("   ").join(ways[:2]), ways[2]) for part in wrapped(one, width)]


def more(entry: Entry) -> str:
    """What an entry says beyond its headline."""
    parts = within(entry.headline, entry.insight)
    return entry.insight if parts is None or parts[0] else parts[2].lstrip(" ,;:.-")


def attribution(entry: Entry, now: float) -> str:
    """Who stated it and when, how often."""
    if entry.signal == FROM_FILE:
        return ago(now - entry.created)
    if not entry.evidence:
        return f"by hand, {ago(now - entry.created)}"
    best = entry.evidence[0]
    seen = f", seen {entry.seen}{styles.TIMES}" if entry.seen > 1 else ""
    return f"{SPEAKERS[best.role] or 'tool'}, {ago(now - (best.at or entry.created))}{seen}"
