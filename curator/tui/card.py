"""The card: what a person reads before a verdict, in the order in which it decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

from curator.model import FROM_FILE, Drift, Durability, Entry, Evidence, Finding, Kind, Line, Relating, Role, State
from curator.service import Resolution, apart, differing, reasons, refused, suggest
from curator.tui import signs
from curator.tui.code import blended, patch, prose, worded
from curator.tui.palette import Palette
from curator.tui.text import age, ago, fit, fit_path, plural, share, wrapped

SPEAKERS = {
    Role.HUMAN: "you",
    Role.ASSISTANT: "agent",
    Role.TOOL_CALL: "agent",
    Role.TOOL_RESULT: "",
    Role.EVENT: "",
}
RELATING = {
    Relating.DUPLICATE: "says the same as",
    Relating.REFINES: "says more than",
    Relating.SUPERSEDES: "would replace",
    Relating.CONTRADICTS: "contradicts",
}
QUIET = 7 * 86_400.0
"""Seconds from which it is said that nobody has touched a lesson."""
CODE = 4
"""Lines of places in code that a card shows."""
STANDING = {Drift.SIGNATURE: "signature", Drift.RENAMED: "renamed", Drift.MOVED: "moved"}
"""The words for what became of code, where they say more than its standing."""
SUGGESTED = {
    Resolution.NEWER: "the new one takes its place",
    Resolution.OLDER: "the old one stays",
    Resolution.BOTH: "both hold",
    Resolution.MERGE: "merge into the old one",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What the card needs to know beside the entry."""

    now: float
    project: str
    rival: Entry | None = None
    quote: int = 0
    why: bool = False
    terse: bool = False
    """Few rows: no blank lines, one piece of evidence in one line."""
    draft: str = ""
    told: str = ""
    """How a lesson fared with agents."""


def card(entry: Entry, view: View, width: int, palette: Palette) -> list[Text]:
    """The card of an entry at a width."""
    blank = [] if view.terse else [Text("")]
    lines = [_meta(entry, view, width, palette), *blank, Text(entry.headline, style=palette.strong)]
    if view.draft:
        lines.append(Text(f"draft: {view.draft}", style=palette.accent))
    if entry.insight and entry.insight.rstrip(".") != entry.headline.rstrip("."):
        lines.append(Text(entry.insight, style=palette.plain))
    if why := refused(entry):
        lines.append(Text.assemble((f"not told to agents: {why}", palette.bad), ("  T tell anyway", palette.accent)))
    if view.told:
        lines.append(Text(view.told, style=palette.quiet))
    if entry.kind is Kind.CONFLICT:
        lines += [*blank, *_conflict(entry, view, width, palette)]
    elif entry.kind is Kind.STALE:
        lines += [*blank, *changes(entry, width, palette, slight=False)]
    elif entry.state is State.OPEN and entry.wordings:
        lines += [*blank, *_wordings(entry, width, palette)]
    if view.why:
        lines += [*blank, *_why(entry, palette)]
    if entry.context and not any(entry.context.strip() in item.quote or item.quote in entry.context for item in entry.evidence):
        lines += [*blank, *prose(entry.context, palette)]
    if code := _code(entry, width, palette):
        lines += [*blank, *code]
    if entry.kind is Kind.LESSON and (
        notes := [part for finding in entry.findings for part in _finding(finding, width, palette)]
    ):
        lines += [*blank, *notes]
    lines += [*blank, *_evidence(entry, view, width, palette)]
    for snippet in entry.snippets:
        lines += prose(f"```{snippet.language}\n{snippet.code}\n```", palette)
    return lines


def _meta(entry: Entry, view: View, width: int, palette: Palette) -> Text:
    seen = f"seen {entry.seen}{signs.TIMES}" if entry.seen > 1 else ""
    confidence = f"conf {share(entry.score)}" if entry.state is State.OPEN else ""
    scope = {"project": view.project, "global": "everywhere"}.get(entry.scope, " ".join(entry.paths) or entry.scope)
    words = [entry.kind.upper(), scope, entry.category.value, confidence, seen]
    if entry.state is State.RETIRED:
        words[0] = f"RETIRED {entry.reason}".strip()
    elif entry.kind is Kind.LESSON:
        words.append(f"since {age(view.now - entry.created)}")
        if entry.durability is Durability.TEMPORARY:
            words.append("temporary")
        if view.now - entry.updated > QUIET:
            words.append(f"untouched {age(view.now - entry.updated)}")
    return Text(f" {signs.DOT} ".join(word for word in words if word), style=palette.quiet, no_wrap=True, overflow="ellipsis")


def _wordings(entry: Entry, width: int, palette: Palette) -> list[Text]:
    lines = []
    for digit, wording in enumerate(entry.wordings[:3], 1):
        # Where only the longer text differs, that is what there is to choose.
        line = Text.assemble((f"{digit} ", palette.accent), differing(wording, entry))
        room = width - line.cell_len - len(wording.label)
        if room > 1:
            line.append(" " * room + wording.label, palette.quiet)
        lines.append(line)
    return lines


def _conflict(entry: Entry, view: View, width: int, palette: Palette) -> list[Text]:
    """Both sides, as one line where they share enough of their words, with who said them; then the ways out, a key each."""
    assert entry.rival is not None
    relating, rival = RELATING[entry.rival.relating], view.rival
    if rival is None:
        return [Text(f"It {relating} {entry.rival.other}, which is gone.", style=palette.quiet)]
    same = rival.headline == entry.headline
    old, new = (rival.insight, entry.insight) if same else (rival.headline, entry.headline)
    line = blended(old, new, palette)
    before, after = (Text(), Text()) if line else worded(old, new, palette)
    of_file = entry.signal == FROM_FILE
    first = f"It {relating} a lesson stated {ago(view.now - rival.created)}:"
    lines = [Text("The file of a lesson says otherwise than what is kept here:" if of_file else first, style=palette.quiet)]
    lines += [line] if line else []
    sides = ("file", "here") if of_file else ("new", "old")
    for key, side, text, told in (("1", sides[0], after, entry), ("2", sides[1], before, rival)):
        head = Text.assemble((f"{key} ", palette.accent), (f"{side:<5}", palette.quiet))
        said = Text(_said(told, view), palette.quiet)
        beside = head.cell_len + text.cell_len + 2 + said.cell_len <= width
        if line or beside:
            lines.append(Text.assemble(head, text, "" if line else "  ", said))
        else:
            lines += [Text.assemble(head, text), Text.assemble(" " * 7, said)]
    if not line:
        for was, is_ in entry.rival.clash[:3]:
            lines.append(
                Text.assemble(("  clash  ", palette.quiet), (was, palette.bad), f" {signs.ARROW} ", (is_, palette.good))
            )
    both = "both hold"
    if parted := apart(entry, rival):
        both += f", new in {parted[0]}/, old in {parted[1]}/"
    lines.append(Text.assemble(("3 ", palette.accent), both, ("   4 ", palette.accent), "merge"))
    lines.append(Text.assemble(("suggested  ", palette.quiet), SUGGESTED[suggest(entry)], ("  y accept", palette.accent)))
    return lines


def _said(entry: Entry, view: View) -> str:
    """Who stated it and when, how often."""
    if not entry.evidence:
        return f"by hand, {ago(view.now - entry.created)}"
    best = entry.evidence[0]
    seen = f", seen {entry.seen}{signs.TIMES}" if entry.seen > 1 else ""
    return f"{SPEAKERS[best.role] or 'tool'}, {ago(view.now - (best.at or entry.created))}{seen}"


def changes(entry: Entry, width: int, palette: Palette, *, slight: bool = True) -> list[Text]:
    """What became of an entry's code, the gravest first, with what differs; of ``slight`` changes only on demand."""
    lines = []
    for finding in sorted(entry.findings, key=lambda finding: -finding.severity):
        lines += _finding(finding, width, palette)
        if finding.diff and (slight or finding.alarming):
            lines += patch(finding.diff, finding.new_path or finding.path, palette)
    return lines


def _finding(finding: Finding, width: int, palette: Palette) -> list[Text]:
    """What became of anchored code, where, and how much that matters; what it touches of the lesson on a line of its own."""
    mark = palette.bad if finding.alarming else palette.quiet
    what = STANDING.get(finding.drift, finding.drift.standing) if finding.alarming else "slightly"
    grave = f"{signs.DOT} {share(finding.severity)} severe" if finding.drift.standing == "changed" and finding.alarming else ""
    sure = f"{signs.DOT} {share(finding.likeness)} alike" if finding.new_path else ""
    tail = " ".join(filter(None, (grave, sure)))
    room = max(12, width - 10 - len(tail) - 1)
    line = Text.assemble((f"{what:<9} ", mark), fit_path(_place(finding.path, finding.symbol), room, signs.ELLIPSIS))
    if tail:
        line.append(f" {tail}", palette.quiet)
    lines = [line]
    if finding.new_path:
        to = _place(finding.new_path, finding.new_symbol)
        guess = "" if finding.certain else "perhaps "
        room = max(12, width - 10 - len(guess))
        lines.append(
            Text.assemble((f"{signs.ARROW:>8}  ", palette.accent), (guess, palette.bad), fit_path(to, room, signs.ELLIPSIS))
        )
    if finding.named:
        lines.append(Text.assemble((f"{'':10}touches ", palette.quiet), (", ".join(finding.named), palette.strong)))
    return lines


def _place(path: str, symbol: str) -> str:
    return f"{path}:{symbol}" if symbol else path


def _code(entry: Entry, width: int, palette: Palette) -> list[Text]:
    """The code that a lesson speaks of: its symbols with their files, and files that are not anchored by a symbol."""
    places = [_place(anchor.path, anchor.symbol) for anchor in entry.anchors]
    known = {anchor.path for anchor in entry.anchors}
    places += [path for path in entry.files if path not in known]
    lines = [
        Text.assemble((f"{'code' if at == 0 else '':<6} ", palette.quiet), fit_path(place, max(12, width - 7), signs.ELLIPSIS))
        for at, place in enumerate(places[:CODE])
    ]
    if len(places) > CODE:
        lines.append(Text(f"       +{len(places) - CODE}", style=palette.quiet))
    if entry.branch:
        lines.append(Text.assemble(("branch ", palette.quiet), f"only on {entry.branch} so far"))
    return lines


def _why(entry: Entry, palette: Palette) -> list[Text]:
    lines = [Text.assemble(("why    ", palette.accent), f"{entry.signal or 'by hand'}, score {entry.score:.2f}")]
    parts, smaller = reasons(entry.why)
    lines += [Text(f"       {worth:+.2f}  {name}", style=palette.plain) for worth, name in parts]
    return [*lines, Text(f"       +{smaller} smaller", style=palette.quiet)] if smaller else lines


def _evidence(entry: Entry, view: View, width: int, palette: Palette) -> list[Text]:
    if not entry.evidence:
        return [Text("added by hand", style=palette.quiet)]
    at = min(view.quote, len(entry.evidence) - 1)
    quoted = entry.evidence[at]
    if view.terse:
        return [Text.assemble((f"{SPEAKERS[quoted.role] or 'tool'}  ", palette.accent), quoted.quote.replace("\n", " "))]
    title = f"evidence {at + 1}/{len(entry.evidence)}"
    if quoted.session:
        title += f" {signs.DOT} {quoted.session[:8]}"
    if quoted.at:
        title += f" {signs.DOT} {ago(view.now - quoted.at)}"
    rule = signs.RULE
    full = " o full"
    head = fit(f"{rule * 2} {title}", min(len(title) + 3, width - len(full)), signs.ELLIPSIS)
    bar = f"{head} {rule * max(0, width - len(head) - len(full) - 1)}{full}"
    return [Text(bar, style=palette.quiet, no_wrap=True), *excerpt(quoted, width, palette, most=3)]


def excerpt(quoted: Evidence, width: int, palette: Palette, most: int = 0) -> list[Text]:
    """What was said around a quote, the quote underlined; ``most`` caps the lines of each speaker, 0 shows all."""
    lines: list[Text] = []
    before: Role | None = None
    for line in quoted.excerpt or (Line(quoted.role, quoted.quote, hit=True),):
        goes_on = line.role is before and line.role in (Role.HUMAN, Role.ASSISTANT)
        lines += _spoken(line, quoted.quote, width, palette, most, named=not goes_on)
        before = line.role
    return lines


def _spoken(line: Line, quote: str, width: int, palette: Palette, most: int, *, named: bool) -> list[Text]:
    speaker = SPEAKERS[line.role] if named else ""
    text = f"$ {line.text}" if line.role is Role.TOOL_CALL and not line.text.startswith("$ ") else line.text
    if line.role is Role.TOOL_CALL:
        text = f"```bash\n{text}\n```"
    body = prose(text, palette, None if line.hit else palette.quiet)
    if line.hit:
        _underline(body, quote, palette)
    if most and len(body) > most:
        shown = _around(body, quote, most)
        body = [*shown, Text(f"+{plural(len(body) - len(shown), 'line')}", style=palette.quiet)]
    label = Text(f"{speaker:<6}", style=palette.accent if line.hit else palette.quiet)
    lines = [part for paragraph in body for part in wrapped(paragraph, max(10, width - 6))]
    return [Text.assemble(Text(" " * 6) if at else label, part) for at, part in enumerate(lines)]


def _underline(body: Sequence[Text], quote: str, palette: Palette) -> None:
    """Mark the quote wherever one of its lines stands in the text."""
    for wanted in (part.strip() for part in quote.split("\n")):
        if not wanted:
            continue
        for line in body:
            at = line.plain.find(wanted)
            if at >= 0:
                line.stylize(palette.hit, at, at + len(wanted))


def _around(body: list[Text], quote: str, most: int) -> list[Text]:
    first = quote.strip().split("\n", 1)[0].strip()
    at = next((index for index, line in enumerate(body) if first and first in line.plain), 0)
    start = max(0, min(at - 1, len(body) - most))
    return body[start : start + most]
