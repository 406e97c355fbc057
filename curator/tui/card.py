"""The card: what a person reads before a decision. It has the evidence, both sides of a conflict, and warnings in red."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from curator import app
from curator.app import Resolution
from curator.model import (
    FROM_FILE,
    MEMORY,
    Applicability,
    Consolidation,
    Drift,
    Durability,
    Entry,
    Evidence,
    Finding,
    Kind,
    Line,
    Role,
    State,
)
from curator.text import warnings
from curator.tui import styles
from curator.tui.styles import Palette
from curator.tui.text import (
    CHANGED,
    age,
    ago,
    command,
    fit,
    fit_path,
    hanging,
    mark_words,
    moment,
    patch,
    prose,
    with_ellipsis,
    without_folders,
    wrap,
)

FILE = "file"
"""The speaker of a quote in a lesson's file. Nothing here proves that somebody said it."""
SPEAKERS = {Role.HUMAN: "you", Role.FILE: FILE, Role.ASSISTANT: "agent", Role.TOOL_CALL: "agent"}
LABEL_WIDTH = 6
"""Cells before each line for the speaker."""
LINES_AROUND_QUOTE = 12
"""Lines of a text around its quote that a card looks at."""
MAX_QUOTE_LINES = 3
"""Maximum lines of evidence on a card: of the quote, and one line of the message that it answers. ``o`` shows the rest."""
MIN_TELLING_WORDS = 2
"""Words of a line above which it says something."""
MIN_REPEATED_WORDS = 6
"""A quote that repeats this many words of the statement above it shows only the first of them."""
KEPT_REPEATED_WORDS = 3
"""The number of these first words."""
MIN_WORDS_LEFT = 12
"""Minimum number of other words. A turn with fewer is shown in full."""
AGENT_ONLY = frozenset({Role.ASSISTANT})
"""The speakers around a quote who name its subject. Other speakers answer an earlier message."""


class Part(NamedTuple):
    """The words of one speaker in lines. ``at`` is the line where the quote begins, or -1."""

    role: Role
    label: Text
    body: Sequence[Text]
    at: int = -1

    def cut(self, most: int, width: int) -> Sequence[Text]:
        """Return at most this number of lines from the quote on, and a few before it if there is space."""
        if len(self.body) <= most:
            return self.body
        start = max(0, min(self.at - (most > 2), len(self.body) - most))
        shown = list(self.body[start : start + most])
        return [*shown[:-1], with_ellipsis(shown[-1], width)] if start + most < len(self.body) else shown

    def gist(self, width: int) -> Sequence[Text]:
        """Return the first line that says anything: a prompt's sign alone, or a word, does not."""
        longest = max(range(len(self.body)), key=lambda at: len(self.body[at].plain.strip()))
        at = next((at for at, line in enumerate(self.body) if len(line.plain.split()) > MIN_TELLING_WORDS), longest)
        return [with_ellipsis(self.body[at], width)] if at + 1 < len(self.body) else self.body[at:]


class Quotation:
    """A quote on the card of an entry: two or three of its lines, and one line of the message that it answers.

    ``bare`` omits the bar above it. Words of the statement are cut to the first ones if the turn says more. ``whole`` shows
    them all.
    """

    def __init__(
        self, entry: Entry, at: int, now: float, width: int, palette: Palette, *, bare: bool = False, whole: bool = False
    ) -> None:
        self.width = width
        self.bar: list[Text] = []
        self.parts: list[Part] = []
        if not entry.evidence:
            self.bar = [Text("without a quote" if entry.signal == FROM_FILE else "added by hand", style=palette.quiet)]
            return
        at = min(at, len(entry.evidence) - 1)
        quoted = entry.evidence[at]
        self.bar = [] if bare else [_bar(entry, at, now, width, palette)]
        said = "" if whole else "\n".join(_texts_of(entry))
        if said and entry.signal == MEMORY and quoted.digest and _is_known(quoted.quote, said, palette):
            return  # The card above shows the words of the note.
        self.parts = parts(quoted, width, palette, near=LINES_AROUND_QUOTE, claimed=entry.signal == FROM_FILE, said=said)

    @property
    def least(self) -> int:
        """Return the minimum number of lines: two of the quote, or as many as it has."""
        return len(self.bar) + min(2, len(self.parts[self._quote].body) if self.parts else 0)

    @property
    def _quote(self) -> int:
        """Return the index of the part with the quote."""
        return next((at for at, part in enumerate(self.parts) if part.at >= 0), 0)

    def lines(self, room: int = MAX_QUOTE_LINES + 1) -> list[Text]:
        """Return the quote and the message that it answers in at most ``room`` lines, and in at least ``least``."""
        if not self.parts:
            return self.bar
        room, at = max(room, self.least) - len(self.bar), self._quote
        quote, width = self.parts[at], self.width - LABEL_WIDTH
        answers = at > 0 and quote.role not in AGENT_ONLY and room > 2
        before = [(self.parts[at - 1], self.parts[at - 1].gist(width))] if answers else []
        return self.bar + _with_labels(
            [*before, (quote, quote.cut(min(room, MAX_QUOTE_LINES) - len(before), width))], self.width
        )


def excerpt(quoted: Evidence, width: int, palette: Palette, context: Sequence[Line] | None = None) -> list[Text]:
    """Return an underlined quote with its context: the given ``context``, or else the stored one."""
    whole = quoted._replace(excerpt=tuple(context)) if context else quoted
    return _with_labels([(part, part.body) for part in parts(whole, width, palette)], width)


def parts(
    quoted: Evidence, width: int, palette: Palette, near: int = 0, *, claimed: bool = False, said: str = ""
) -> list[Part]:
    """Return the turns, one speaker after another. Long texts are cut to ``near`` lines around the quote; 0 means all.

    ``claimed``: a lesson's file is the source. ``said`` is already on the card.
    """
    return [
        _part(line, quoted.quote, max(10, width - LABEL_WIDTH), palette, near, claimed=claimed, said=said)
        for line in quoted.excerpt or (Line(quoted.role, quoted.quote, hit=True),)
    ]


def _part(line: Line, quote: str, width: int, palette: Palette, near: int, *, claimed: bool, said: str) -> Part:
    text = f"$ {line.text}" if line.role is Role.TOOL_CALL and not line.text.startswith("$ ") else line.text
    if line.role is Role.TOOL_CALL:
        paragraphs = command(text, palette)
    else:
        paragraphs = prose(text, palette, None if line.hit else palette.quiet)
    paragraphs = [one for one in paragraphs if one.plain.strip()] if near else paragraphs
    marked = _underline(paragraphs, quote, palette) if line.hit else 0
    if near:
        start = max(0, marked - near // 2)
        paragraphs, marked = paragraphs[start : start + near], marked - start
    if line.hit and said:
        known = KnownWords(said)
        short = [known.shorten(one, palette) for one in paragraphs]
        paragraphs = short if sum(len(one.plain.split()) for one in short) >= MIN_WORDS_LEFT else paragraphs
    before = sum(len(wrap(one, width)) for one in paragraphs[:marked])
    body = [part for paragraph in paragraphs for part in wrap(paragraph, width)] or [Text("")]
    at = next((at for at in range(before, len(body)) if any(span.style == palette.hit for span in body[at].spans)), 0)
    said_by = FILE if claimed else SPEAKERS.get(line.role, "tool")
    speakers = {"you": palette.you, FILE: palette.you, "agent": palette.agent}
    label = Text(f"{said_by:<{LABEL_WIDTH}}", style=speakers.get(said_by, palette.quiet))
    return Part(line.role, label, body, at if line.hit else -1)


def _is_known(text: str, said: str, palette: Palette) -> bool:
    """Return whether nearly all words of a text are already on the card."""
    return len(KnownWords(said).shorten(Text(" ".join(text.split())), palette).plain.split()) < MIN_WORDS_LEFT


class KnownWords:
    """The words that are already on the card. It shortens texts by them."""

    def __init__(self, said: str) -> None:
        self._words = [_bare(found[0]) for found in SPACED.finditer(said)]
        self._at: dict[tuple[str, ...], int] = {}
        for at in range(len(self._words) - MIN_REPEATED_WORDS, -1, -1):
            self._at[tuple(self._words[at : at + MIN_REPEATED_WORDS])] = at

    def shorten(self, text: Text, palette: Palette) -> Text:
        """Return the text without runs of known words, except the beginning of the first run. It looks at each word once or
        twice.
        """
        places = [found.span() for found in SPACED.finditer(text.plain)]
        words = [_bare(text.plain[start:end]) for start, end in places]
        kept, start, at = Text(style=text.style), 0, 0
        while at < len(words):
            run = self._run(words, at)
            if run:
                end = places[at - 1][1] if start else places[at + KEPT_REPEATED_WORDS - 1][1]
                if end > start:  # otherwise it continues the run before
                    kept.append_text(text[start:end]).append(f" {styles.ELLIPSIS}", palette.hit)
                start, at = places[at + run - 1][1], at + run
            else:
                at += 1
        return kept.append_text(text[start:]) if start else text

    def _run(self, words: Sequence[str], at: int) -> int:
        """Return the number of known words in a row at this position. Return 0 if there are too few."""
        known = self._at.get(tuple(words[at : at + MIN_REPEATED_WORDS]))
        if known is None:
            return 0
        run, most = MIN_REPEATED_WORDS, min(len(words) - at, len(self._words) - known)
        while run < most and words[at + run] == self._words[known + run]:
            run += 1
        return run


SPACED = re.compile(r"\S++")


def _bare(word: str) -> str:
    """Return a word without the signs around it, in small letters."""
    return word.strip(".,;:!?()[]{}\"'`*_“”‘’").lower()


def _with_labels(chosen: Sequence[tuple[Part, Sequence[Text]]], width: int) -> list[Text]:
    lines: list[Text] = []
    before: Role | None = None
    for part, body in chosen:
        goes_on = part.role is before and part.role in (Role.HUMAN, Role.FILE, Role.ASSISTANT)
        label = Text(" " * LABEL_WIDTH) if goes_on else part.label
        for at, line in enumerate(body):
            lines += hanging(Text(" " * LABEL_WIDTH) if at else label, line, width)
        before = part.role
    return lines


def _underline(body: Sequence[Text], quote: str, palette: Palette) -> int:
    """Underline the lines of the quote in the text. Return the first line with a part of it."""
    first = len(body)
    for wanted in (part.strip() for part in quote.split("\n")):
        for number, line in enumerate(body if wanted else ()):
            at = line.plain.find(wanted)
            if at >= 0:
                line.stylize(palette.hit, at, at + len(wanted))
                first = min(first, number)
    return first % len(body) if body else 0


def _bar(entry: Entry, at: int, now: float, width: int, palette: Palette) -> Text:
    """Return the line above a quote: the reason for the card, the age of the quote, and its number among the quotes."""
    quoted, count = entry.evidence[at], len(entry.evidence)
    title = "Stated again" if at else app.signal_of(entry.signal).sentence
    title += f", {ago(now - quoted.at)}" if quoted.at else ""
    title += f" {styles.DOT} {doubt}" if not at and (doubt := app.doubt_reason(entry, now)) else ""
    title += f" {styles.DOT} from a file in this repository" if quoted.role is Role.FILE else ""
    title += f" {styles.DOT} not found in a transcript yet" if quoted.role is Role.TOOL_CALL and not quoted.file else ""
    number = f"{at + 1}/{count} " if count > 1 else ""
    full = f" {number}o full"
    head = fit(title, min(cell_len(title), width - len(full) - 1))
    line = Text(head, style=palette.plain, no_wrap=True)
    line.append(" " * max(1, width - cell_len(head) - len(full)))
    return line.append(full, palette.quiet)


def alarm(entry: Entry, palette: Palette, side: str = "") -> list[Text]:
    """Return the red line with the warnings about a text; usually nothing. ``side`` names the speaker if there are two."""
    waits = entry.state is State.OPEN
    words = warnings.describe(entry.headline, entry.insight, *(text for _, text, _ in app.offers(entry) if waits))
    found = "; ".join(filter(None, (words, warnings.NO_PATHS if warnings.NO_PATHS in entry.score_parts and waits else "")))
    if not found:
        return []
    ask = ": read it before you keep it" if waits else ""
    return [Text(f"{styles.ALARM} {side or 'This text'} {found}{ask}", palette.bad + CHANGED)]


def mark(text: Text, palette: Palette) -> Text:
    """Return the text with the words of its warnings in red."""
    for one in warnings.find(text.plain):
        text.stylize(palette.bad + CHANGED, one.start, one.end)
    return text


SUGGESTED = {
    Resolution.NEWER: "{0} replaces {1}",
    Resolution.OLDER: "keep {1}, drop {0}",
    Resolution.BOTH: "",
    Resolution.MERGE: "keep {1}, add the new quote",
}
"""The result of ``y`` if another key does the same, with the names of both sides."""


def conflict(entry: Entry, view: View, width: int, palette: Palette) -> list[Text]:
    """Show both sides of a conflict in full and in the same form."""
    assert entry.rival is not None
    rival, now = view.rival, view.now
    relating = app.RELATING[entry.rival.relating]
    if rival is None:
        return [Text(f"It {relating} {entry.rival.other}, which no longer exists.", style=palette.quiet)]
    it = "It" if entry.rival.certain else "Perhaps it"
    first = f"{it} {relating} a lesson stated {ago(now - rival.stated)}:"
    if entry.rival.nearly:
        first = f"It says nearly the same as a lesson stated {ago(now - rival.stated)}:"
    names = ("the new one", "the old one")
    if entry.version_of:
        first = f"The team {view.team} has another version:" if view.team else "The lesson file and your database differ:"
        names = ("the team's" if view.team else "the file's", "yours")
    lines = [Text(first, style=palette.quiet)]
    texts, unfound = _texts(entry, rival, palette)
    for pair in texts:
        for text in pair:
            mark(text, palette)
    for key, name, side, (text, more) in zip("12", names, (entry, rival), texts, strict=True):
        head = Text.assemble((f"{key} ", palette.accent), (name, palette.quiet), "  ")
        where = ", everywhere" if side.scope == "global" and entry.scope != rival.scope else ""
        lines += hanging(head, Text(f"{attribution(side, now)}{where}", palette.quiet), width)
        lines += [part for one in (text, more) if one for part in hanging(Text("  "), one, width)]
    for was, is_ in unfound:
        lines.append(Text.assemble(("  clash  ", palette.quiet), (was, palette.bad), f" {styles.ARROW} ", (is_, palette.good)))
    return [*lines, *_ways(entry, rival, names, width, palette)]


def _texts(entry: Entry, rival: Entry, palette: Palette) -> tuple[list[tuple[Text, Text]], list[tuple[str, str]]]:
    """Return the texts of each side, the new one first, with marked differences, and contradictions that are in neither text.

    If both have the same headline, it is shown above, unless there is nothing else.
    """
    same = rival.headline == entry.headline and rival.insight != entry.insight
    old, new = (rival.insight, entry.insight) if same else (rival.headline, entry.headline)
    before, after = mark_words(old, new, palette)
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
    """Mark contradicting words in the text of a side, if it has other words too. Return whether the text contains them."""
    for text in [rest] if rest_only else [headline, rest]:
        if len(word) < len(text.plain.rstrip(" .")):
            for place in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text.plain, re.IGNORECASE):
                text.stylize(style + CHANGED, *place.span())
    return word.lower() in f"{headline.plain}\n{rest.plain}".lower()


def _ways(entry: Entry, rival: Entry, names: tuple[str, str], width: int, palette: Palette) -> list[Text]:
    """Return the keys for the choices that neither side states, and the choice of ``y``."""
    both, way = "both", app.suggest(entry)
    if parted := app.disjoint_folders(entry, rival):
        both += f", new in {parted[0]}/, old in {parted[1]}/"
    key, comes = str([*Resolution].index(way) + 1), SUGGESTED[way].format(*names)
    lines = []
    if way is Resolution.MERGE and entry.rival and entry.rival.nearly:
        headline, insight = app.merge_targets.text_for_both(rival, entry)
        comes = "merge; the lesson then says:"
        lines = [line for text in dict.fromkeys((headline, insight)) for line in hanging(Text("  "), Text(text), width)]
    ways = [
        Text.assemble(("3 ", palette.accent), both),
        Text.assemble(("4 ", palette.accent), "merge"),
        Text.assemble(("y", palette.accent), " = ", (key, palette.accent), f", {comes}" if comes else ""),
    ]
    line = Text("   ").join(ways)
    if line.cell_len <= width:
        return [line, *lines]
    return [*(part for one in (Text("   ").join(ways[:2]), ways[2]) for part in wrap(one, width)), *lines]


def more(entry: Entry) -> str:
    """Return the insight of an entry without its headline."""
    parts = app.split_around_headline(entry.headline, entry.insight)
    return entry.insight if parts is None or parts[0] else parts[2].lstrip(" ,;:.-")


def attribution(entry: Entry, now: float) -> str:
    """Return the speaker, the time and the number of statements."""
    if entry.signal == FROM_FILE:
        return ago(now - entry.created)
    if not entry.evidence:
        return f"by hand, {ago(now - entry.created)}"
    best = entry.evidence[0]
    seen = f", seen {entry.times_stated}{styles.TIMES}" if entry.times_stated > 1 else ""
    return f"{SPEAKERS.get(best.role, 'tool')}, {ago(now - (best.at or entry.created))}{seen}"


ENDED_WORDS = {State.RETIRED: "retired", State.DISMISSED: "dropped", State.MERGED: "merged", State.EXPIRED: "expired"}
"""The words for an entry that is neither in the inbox nor a lesson."""
UNTOUCHED_SECONDS = 7 * 86_400.0
"""The number of seconds after which a card says that no person has touched the lesson."""
MAX_CODE_LINES = 4
"""Lines of places in code that the card of a lesson shows."""
GRAVE_SEVERITY = 0.5
"""The severity from which code counts as much changed. Slightly changed code is below ``ALARM``."""
MIN_HEIGHT_FOR_BAR = 8
"""Lines of a pane below which a quote has no bar above it."""
DRIFT_WORDS = {Drift.SIGNATURE: "signature", Drift.RENAMED: "renamed", Drift.MOVED: "moved"}
"""The words for the fate of code, if they say more than its state."""


class View(NamedTuple):
    """The facts that the card needs in addition to the entry."""

    now: float
    project: str
    rival: Entry | None = None
    members: Sequence[Entry] = ()
    """The other lessons of a proposed rule."""
    homes: Sequence[str] = ()
    """The names of the projects of these lessons, the card's own first."""
    quote: int = 0
    why: bool = False
    draft: str = ""
    """The unsaved headline, shown after the card's kind and age."""
    editing: bool = False
    """True if the words are in the editor above. Digits then choose nothing."""
    outcome: str = ""
    """The lesson's outcome with agents, in words."""
    origin: str = ""
    """The person whose lesson file brought a waiting entry."""
    team: str = ""
    """The team whose hub brought it."""


class Layout(NamedTuple):
    """A card as lines. ``statement`` and ``choice`` count the lines to the end of the statement, and of the choice."""

    lines: list[Text]
    statement: int
    choice: int


def layout(entry: Entry, view: View, width: int, palette: Palette, height: int = 0) -> Layout:
    """Return the card of an entry as lines for a pane of this size in cells. A ``height`` of 0 shows everything.

    The order is statement, quote, wordings. For a conflict or a stale lesson, the sides or the changed code come before the
    quote. If space is short, parts are cut in this order: blank lines, the message that the quote answers, the choice down to
    one line each, the end of a long statement. The first two lines of the quote stay. The cut text, code and context follow
    further down. A conflict is never cut.
    """
    body = _lines([*_statement(entry, view, width, palette), *(_why(entry, palette) if view.why else [])], width)
    choice = _lines(_choice(entry, view, width, palette), width)
    quoted = Quotation(entry, view.quote, view.now, width, palette, bare=0 < height < MIN_HEIGHT_FOR_BAR, whole=view.editing)
    below = [_lines(part, width) for part in _below(entry, width, palette)]
    leads = entry.kind in (Kind.CONFLICT, Kind.STALE, Kind.CONSOLIDATE)
    quote_lines = quoted.lines()
    whole = [body, *((choice, quote_lines) if leads else (quote_lines, choice)), *below]
    to_choice = whole[: 2 if leads else 3]
    for needed, gap in ((whole, 1), (whole, 0), (whole[:3], 1), (whole[:3], 0)):
        if not height or view.why or _height(needed, gap) <= height:  # a person who wants more scrolls to the rest
            return Layout(_stack(whole, gap), len(body), _height(to_choice, gap))
    room = height - quoted.least
    if entry.kind is Kind.CONFLICT:
        top = [body, choice, quoted.lines(height - len(body) - len(choice)), *below]
        return Layout(_stack(top, 0), len(body), len(body) + len(choice))
    short = choice if len(body) + len(choice) <= room else _lines(_choice(entry, view, width, palette, tight=True), width)
    start = _cut(body, max(2, room - len(short)), width)
    short = _cut(short, max(0, room - len(start)), width)
    cut = [whole for whole, shown in ((body, start), (choice, short)) if whole != shown]
    rest = [[Text(f"{styles.RULE * 2} in full", style=palette.quiet)], *cut] if cut else []
    said = quoted.lines(height - len(start) - len(short))
    top = [start, *((short, said) if leads else (said, short)), *rest[:1]]
    end = _height(top, 0)
    body_end, end = (len(start), end) if body == start else (end + len(body), end + len(body))
    choice_end = _height(top[: 2 if leads else 3], 0) if choice == short else end + len(choice)
    return Layout(_stack([*top, *rest[1:], *below], 0), body_end, choice_end)


def _lines(paragraphs: Sequence[Text], width: int) -> list[Text]:
    return [line for paragraph in paragraphs for line in wrap(paragraph, width)]


def _height(blocks: Sequence[Sequence[Text]], gap: int) -> int:
    there = [len(block) for block in blocks if block]
    return sum(there) + gap * (len(there) - 1)


def _stack(blocks: Sequence[list[Text]], gap: int) -> list[Text]:
    """Return blocks one below the other, with ``gap`` blank lines between them."""
    lines: list[Text] = []
    for block in blocks:
        lines += [Text("")] * (gap if lines and block else 0) + block
    return lines


def _cut(lines: list[Text], room: int, width: int) -> list[Text]:
    """Return the first lines, with a sign in the last one if some are omitted."""
    if len(lines) <= room or not room:
        return lines[:room]
    return [*lines[: room - 1], with_ellipsis(lines[room - 1], width)]


def meta(entry: Entry, view: View) -> str:
    """Return the kind of row, its scope, its category and its confidence, on one line."""
    seen = f"seen {entry.times_stated}{styles.TIMES}" if entry.times_stated > 1 else ""
    sure = app.confidence(entry) if entry.state is State.OPEN and entry.signal != FROM_FILE else ""
    if entry.distiller:
        sure = f"{'left out' if entry.left_out else 'read'} by {without_folders(entry.distiller)}"
    elif entry.left_out and entry.signal != MEMORY:
        sure = "left out: part of a template"
    scope = {"project": view.project, "global": "everywhere"}.get(entry.scope, " ".join(entry.paths) or entry.scope)
    until = entry.snoozed_until if (entry.snoozed_until or 0.0) > view.now else None
    later = f"snoozed until {moment(until, view.now)}" if until else ""
    words = [str(entry.kind), later, scope, entry.category.value, sure, seen]
    if over := ENDED_WORDS.get(entry.state):
        words[0] = f"{over} {entry.reason}".strip()
    elif entry.kind is Kind.LESSON:
        words.append(f"since {age(view.now - entry.created)}")
        if entry.durability is not Durability.DURABLE:
            words.append(entry.durability.value)
        if view.now - entry.updated > UNTOUCHED_SECONDS and age(view.now - entry.updated) != age(view.now - entry.created):
            words.append(f"untouched {age(view.now - entry.updated)}")
    elif entry.durability is Durability.PINNED:  # A file may claim so, and the person who keeps it must see that.
        words.append(entry.durability.value)
    return f" {styles.DOT} ".join(word for word in words if word)


def _statement(entry: Entry, view: View, width: int, palette: Palette) -> list[Text]:
    """Return the statement with each word once, and remarks on it. A conflict shows it with the other side.

    While the editor is open, the editor shows it.
    """
    if view.editing:
        return []
    rule = entry.proposal if entry.kind is Kind.CONSOLIDATE else None
    lines = statement(entry._replace(headline=rule.headline, insight=rule.insight) if rule else entry, palette)
    alarms = alarm(entry, palette, "the new one" if entry.kind is Kind.CONFLICT and view.rival else "")
    if entry.kind is Kind.CONFLICT and view.rival is not None:
        alarms += alarm(view.rival, palette, "the old one")
        same = view.rival.headline == entry.headline and view.rival.insight != entry.insight
        lines = [Text(entry.headline, style=palette.strong)] if same else []
    if entry.signal == MEMORY and entry.context:  # the findings of the audit about a note, and the note's own reason
        lines.append(Text(entry.context, style=palette.plain))
    if view.draft:
        lines.append(Text(view.draft, style=palette.accent))
    if view.origin:
        advice = "" if view.team else "  to keep them all: press :, type accept"
        lines.append(Text.assemble((view.origin, palette.quiet), (advice, palette.accent)))
    ways = ". Press y to leave the lesson as it is, e to edit it, x to retire it." if entry.kind is Kind.STALE else ""
    lines += [Text.assemble((wish, palette.accent), (ways, palette.quiet)) for wish in entry.wishes]
    if entry.offer:
        lines.append(Text(f"Retire it? {entry.offer[0].upper()}{entry.offer[1:]}.", style=palette.accent))
    if view.outcome:
        lines.append(Text(view.outcome, style=palette.quiet))
    return [*alarms, *lines]  # first, since the end of a long statement is cut


def statement(entry: Entry, palette: Palette) -> list[Text]:
    """Return the text that will be kept, or was: the headline in bold, the rest in plain weight."""
    if (parts := app.split_around_headline(entry.headline, entry.insight)) is None:
        return [mark(Text(entry.headline, style=palette.strong), palette), mark(Text(entry.insight), palette)]
    before, headline, after = parts
    return [mark(Text.assemble(before, (headline, palette.strong), after), palette)]


def _texts_of(entry: Entry) -> list[str]:
    """Return headline and insight, as one text if one contains the other."""
    parts = app.split_around_headline(entry.headline, entry.insight)
    return ["".join(parts)] if parts else [entry.headline, entry.insight]


def _choice(entry: Entry, view: View, width: int, palette: Palette, *, tight: bool = False) -> list[Text]:
    """Return the choices or answers, by kind of row. ``tight`` gives the shortest form."""
    if entry.kind is Kind.CONFLICT:
        return conflict(entry, view, width, palette)
    if entry.kind is Kind.STALE:
        return [*_advice(entry, palette), *changes(entry, width, palette, slight=False)]
    if entry.kind is Kind.CONSOLIDATE and entry.proposal:
        return _group(entry, entry.proposal, view, width, palette, tight=tight)
    if view.editing:
        return []
    return _offers(entry, width, palette, tight=tight) if entry.state is State.OPEN else []


def _advice(entry: Entry, palette: Palette) -> list[Text]:
    """Return a model's advice on a stale lesson, and the key that accepts it."""
    advice = entry.advice
    if advice is None:
        return []
    says, key = {
        Applicability.HOLDS: ("still true", "y"),
        Applicability.REWORD: ("still true if reworded", "press y to use these words"),
        Applicability.GONE: ("no longer true", "press x to retire it"),
    }[advice.holding]
    quote = f": “{advice.quote}”  "
    lines = [Text.assemble((f"{advice.by} says ", palette.quiet), (says, palette.accent), quote, (key, palette.quiet))]
    words = ((advice.headline, palette.strong), (advice.insight, palette.plain))
    return [*lines, *(mark(Text(one, style=style), palette) for one, style in words if one)]


def _group(entry: Entry, rule: Consolidation, view: View, width: int, palette: Palette, *, tight: bool) -> list[Text]:
    """Return the lessons that a rule would replace, each with the words that the rule omits.

    With ``tight`` each lesson has one line, since the omitted words matter more.
    """
    by = f"{without_folders(rule.by)} makes" if rule.by else "This is"
    is_shared, count = app.is_shared(entry, view.members), len(view.members) + 1
    of = f"global rule of {count} projects" if is_shared else f"rule of {count} lessons"
    lines = [Text(f"{by} one {of}; press a digit to take one out", style=palette.quiet)]
    own = _one_line(entry._replace(headline=rule.headline, insight=rule.insight))
    for at, member in enumerate([entry, *view.members]):
        words = _one_line(member)
        words = "one lesson says it in these words" if words == own else words
        said = Text.assemble((f"{view.homes[at]}: " if is_shared else "", palette.quiet), words)
        if tight:
            said.truncate(max(8, width - 2), overflow="ellipsis")
        lines += hanging(Text(f"{at or styles.DOT} ", style=palette.accent), said, width)
        if lost := app.tidy.missing_words(member, rule):
            lines += hanging(Text("  "), Text.assemble(("loses ", palette.quiet), (", ".join(lost), palette.bad)), width)
    return lines


def _one_line(entry: Entry) -> str:
    return ". ".join(part.rstrip(".") for part in dict.fromkeys((entry.headline, more(entry))) if part)


def _below(entry: Entry, width: int, palette: Palette) -> list[list[Text]]:
    """Return blocks that are not needed to decide."""
    notes = [part for finding in entry.findings for part in _finding(finding, width, palette)]
    return [
        _code(entry, width, palette),
        notes if entry.kind is Kind.LESSON else [],
        [line for snippet in entry.snippets for line in prose(f"```{snippet.language}\n{snippet.code}\n```", palette)],
    ]


def _offers(entry: Entry, width: int, palette: Palette, *, tight: bool) -> list[Text]:
    lines = []
    for digit, text, label in app.offers(entry):
        line = Text.assemble((f"{digit} ", palette.accent), mark(Text(text or "the headline alone"), palette))
        if tight:
            line.truncate(max(8, width - len(label) - 2), overflow="ellipsis")
        room = width - line.cell_len - len(label)
        if room > 1:
            line.append(" " * room + label, palette.quiet)
        lines.append(line)
    return lines


def changes(entry: Entry, width: int, palette: Palette, *, slight: bool = True) -> list[Text]:
    """Return the changes of an entry's code with diffs, most severe first. ``slight`` changes come only on demand."""
    lines = []
    for finding in sorted(entry.findings, key=lambda finding: -finding.severity):
        lines += _finding(finding, width, palette)
        if finding.diff and (slight or finding.alarming):
            lines += patch(diff_excerpt(finding, entry), finding.new_path or finding.path, palette)
    return lines


HEADER = re.compile(r"-\s*(#|//|/\*|\*|--|<!--|;|$)")
"""A removed line without code, mostly of a licence at a file's beginning."""


def diff_excerpt(finding: Finding, entry: Entry) -> str:
    """Return the diff of a finding. For a deleted file, it begins at the first line that names the lesson's subject, or at
    code.
    """
    if finding.symbol or finding.drift is not Drift.DELETED:
        return finding.diff
    lines = finding.diff.splitlines()
    start = next((at + 1 for at, line in enumerate(lines) if line.startswith("@@")), 0)
    named = (at for at in range(start, len(lines)) if any(symbol in lines[at] for symbol in entry.symbols))
    coded = (at for at in range(start, len(lines)) if not HEADER.match(lines[at]))
    first = next(named, next(coded, start))
    return "\n".join([*lines[:start], *([f"… {first - start} lines before it"] if first > start else []), *lines[first:]])


def _finding(finding: Finding, width: int, palette: Palette) -> list[Text]:
    """Return the change of linked code, its place and its severity. A line of its own names the affected part of the lesson."""
    mark = palette.bad if finding.alarming else palette.quiet
    what = DRIFT_WORDS.get(finding.drift, finding.drift.state) if finding.alarming else "slightly"
    much = "much" if finding.severity >= GRAVE_SEVERITY else "somewhat"
    grave = f"{styles.DOT} {much}" if finding.drift.state == "changed" and finding.alarming else ""
    sure = f"{styles.DOT} {finding.likeness:.0%} alike" if finding.new_path else ""
    tail = " ".join(filter(None, (grave, sure)))
    room = max(12, width - 10 - len(tail) - 1)
    line = Text.assemble((f"{what:<9} ", mark), fit_path(_place(finding.path, finding.symbol), room))
    if tail:
        line.append(f" {tail}", palette.quiet)
    lines = [line]
    if finding.new_path:
        to = _place(finding.new_path, finding.new_symbol)
        guess = "" if finding.certain else "perhaps "
        room = max(12, width - 10 - len(guess))
        lines.append(Text.assemble((f"{styles.ARROW:>8}  ", palette.accent), (guess, palette.bad), fit_path(to, room)))
    if finding.named:
        lines.append(Text.assemble((f"{'':10}touches ", palette.quiet), (", ".join(finding.named), palette.strong)))
    return lines


def _place(path: str, symbol: str) -> str:
    return f"{path}:{symbol}" if symbol else path


def _code(entry: Entry, width: int, palette: Palette) -> list[Text]:
    """Return the linked code of a lesson, with symbols before files. A candidate shows only the first place."""
    places = [_place(anchor.path, anchor.symbol) for anchor in entry.anchors]
    known = {anchor.path for anchor in entry.anchors}
    places += [path for path in entry.files if path not in known]
    shown = places[: 1 if entry.state is State.OPEN else MAX_CODE_LINES]
    more = f" +{len(places) - len(shown)}" if len(places) > len(shown) else ""
    lines = [
        Text.assemble((f"{'' if at else 'code':<7}", palette.quiet), fit_path(place, max(12, width - 12)))
        for at, place in enumerate(shown)
    ]
    if more:
        lines[-1].append(more, palette.quiet)
    if entry.branch:
        lines.append(Text.assemble(("branch ", palette.quiet), f"exists only on {entry.branch}"))
    return lines


def _why(entry: Entry, palette: Palette) -> list[Text]:
    parts, smaller = app.reasons(entry.score_parts)
    rule = f" (rule {entry.signal})" if parts else ""  # statistics and news name it
    said = f"{app.signal_of(entry.signal).sentence}{rule}, score {entry.score:.2f}"
    lines = [Text.assemble(("why    ", palette.accent), said)]
    lines += [Text(f"       {worth:+.2f}  {name}", style=palette.plain) for worth, name in parts]
    return [*lines, Text(f"       and {smaller} smaller factors", style=palette.quiet)] if smaller else lines
