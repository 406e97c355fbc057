"""Word a lesson from what was said: a headline of at most 12 words, an insight of at most 30, and one to three offers.

Everything here only leaves out, never invents: lead-ins, hedges, address and markup go, subordinate ends go when there are
too many words. What a pronoun at the start stands for is prefixed from the heading or the sentence before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from curator.detection.frames import bare as bare
from curator.detection.frames import finished
from curator.detection.shorten import HEADLINE as HEADLINE
from curator.detection.shorten import excepted, further, hangs, size
from curator.detection.shorten import shortened as shortened
from curator.model import Wording

INSIGHT = 30
"""Words of an insight at most."""

NEAR = 0.9
"""Share of the words of the shorter of two headlines that stand in the other where they are nearly the same."""

BROADER = 3
"""Words that a headline without its reason must be shorter, to be worth a choice."""

_LINK = re.compile(r"\[([^\]\n]{1,200})\]\([^)\n]{0,400}\)")
_BOLD = re.compile(r"\*\*(?=\S)((?:[^*]|\*(?!\*))+)(?<=\S)\*\*|(?<![\w*])[*_](?=[^\s*_])([^*_\n]+?)(?<=\S)[*_](?![\w*])")
_STARRED = re.compile(r"(?<![\w*/`.])\*{1,2}(?=[^\s*./])((?:[^*\n`]|`[^`\n]*`)+)(?<=[^\s*/])\*{1,2}(?![\w*./])")
"""Emphasis around words some of which are code."""
_MENTION = re.compile(r"(?<![\w`/.])@(?=[\w./-]+)")
_EMOJI = re.compile("[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]+(?=\\s|$)|^[\u2600-\u27bf\U0001f000-\U0001faff]\\s*")
_ARROW = frozenset("→←↔⇒")

_REFERS = re.compile(
    r"(?i)^(?:it|they)\b|^(?:this|that|these|those)(?:'s)?\s+(?:is|was|are|were|does|doesn't|has|had|means|"
    r"causes|caused|breaks|broke|must|should|can|can't"
    r"|cannot|will|would|needs|happens|works|only|fails|leaves|makes|lets|allows|prevents|led|overwrites|requires|applies)\b"
)
_NARRATES = re.compile(r"(?i)\W*(?:i|i'm|i've|i'll|i'd|let me|let's|we'll|now|next|done|fixed|also)\b")
"""How a sentence begins that tells what somebody did or will do: it explains nothing beside it."""
_PRONOUN = re.compile(r"^(?:it|this|that|these|those|they|he|she)(?:'s)?\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_NAME = re.compile(r"[.-]?\w+(?:[.+#/-]+\w+)*[+#]*")
_CODE = re.compile(r"`[^`\n]{1,80}`")
_QUOTED = re.compile(r"(`[^`]*`)")
_COMMAND = re.compile(
    r"(?<![`\w/.@:-])((?:[~.]{0,2}/)?(?:[\w.-]+/){2,}[\w.-]*\w|\.{1,2}/[\w./-]*\w|(?:[\w.-]+/)+[\w-]*\.\w+"
    r"|--[a-z][\w-]+|[\w.]+\([\w.\"']{0,30}\)|[\w-]+\.(?:py|jsx?|tsx?|go|rs|java|cs|rb|vue|md|json|toml|ya?ml|sh"
    r"|css|html|sql|exs?|mod|env))(?![`\w/$]|\.[\w$])"
)

_CODELIKE = re.compile(r"/|--|\(|\.\w")
"""Stands in whatever is such a command, path, call or flag; found much faster than these."""


def plain(text: str) -> str:
    """The sentence without Markdown emphasis, links, mentions and emoji, in one line; code keeps its backticks.

    >>> plain("**Never** edit [the schema](x.md)")
    'Never edit the schema'
    """
    text = " ".join(text.split()).replace("’", "'")
    text = _LINK.sub(r"\1", text)
    if "*" in text and "`" in text:
        text = _STARRED.sub(r"\1", text)
    if "*" in text or "_" in text:
        text = _outside_code(text, lambda part: _BOLD.sub(lambda m: m[1] or m[2], part).replace("**", ""))
    if not text.isascii():
        text = _EMOJI.sub(lambda m: m[0] if m[0] in _ARROW else "", text)
    if "@" in text:
        text = _MENTION.sub("", text)
    if _CODELIKE.search(text):
        text = _outside_code(text, lambda part: _COMMAND.sub(r"`\1`", part))
    return text.strip(" -–—*")


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    """Change a text except between backticks."""
    if "`" not in text:
        return change(text)
    return "".join([part if n % 2 else change(part) for n, part in enumerate(_QUOTED.split(text))])


def near(one: str, other: str) -> bool:
    """Whether two headlines are so much alike that nobody is helped by the choice: the words of one stand in the other.

    >>> near("Also pin the compiler", "Pin the compiler"), near("Pin the compiler", "Pin the linter")
    (True, False)
    """
    mine, theirs = set(_WORD.findall(one.lower())), set(_WORD.findall(other.lower()))
    return len(mine & theirs) >= NEAR * min(len(mine), len(theirs))


def hasty(text: str) -> bool:
    """Whether a person typed this without care for its form: no capital and no full stop, or words run on with dots.

    >>> hasty("dont use npm here we have pnpm"), hasty("Never use npm here.")
    (True, False)
    """
    text = text.strip()
    return ".." in text or (text[:1].islower() and not text.endswith((".", "!", "?", "`")))


def unclear(headline: str) -> bool:
    """Whether a headline leans on something that was said before it."""
    return bool(_PRONOUN.match(headline))


def subject(heading: str, before: str) -> str:
    """What a pronoun stands for, as far as the text shows it: the one code name of the sentence before, else the heading."""
    names = {match[0] for match in _CODE.finditer(before)}
    if len(names) == 1 and re.fullmatch(r"`[A-Za-z_./-][\w./ :()-]{2,40}`", name := names.pop()):
        return name
    heading = plain(heading).rstrip(":. ")
    heading = re.sub(r"^(?:\d+[.)]|step \d+:?|issue \d+:?|fix \d+:?|problem \d+:?)\s*", "", heading, flags=re.IGNORECASE)
    generic = re.fullmatch(
        r"(?i)(?:the )?(?:root )?(?:cause|problem|issue|fix|why|summary|analysis|note|notes|changes|result|results|"
        r"solution|findings|key .*|what .*|overview|details|explanation|important|why .*|how .*|step .*|phase .*|"
        r"next .*|current .*|context|scope|note for .*|skipp.*|recommend.*|option.*)s?",
        heading,
    )
    return heading if heading and generic is None and len(heading.split()) <= 7 else ""


def wordings(quote: str, heading: str = "", before: str = "", after: str = "") -> tuple[Wording, ...]:
    """One to three texts for a quoted sentence: worded, with what stands beside it, and as said. The first is the proposal."""
    said, before, after = plain(quote), plain(before), plain(after)
    told = bare(said)
    if _REFERS.match(told) and (name := subject(heading, before)):
        told = f"{name}: {told[0].lower()}{told[1:]}"
    insight = shortened(told, INSIGHT)
    found = [Wording(shortened(told, HEADLINE), insight, "worded")]
    found += [Wording(found[0].headline, text, label) for label, text in _wider(told, before, after)]
    tail = _reasonless(told)
    if tail and size(found[0].headline) - size(tail) >= BROADER:
        found.append(Wording(tail, insight, "broader"))
    as_said = shortened(said, HEADLINE) if finished(said) != told else ""
    if as_said and not hangs(as_said) and not near(bare(as_said), found[0].headline):
        found.append(Wording(as_said, shortened(said, INSIGHT), "as said"))
    unique = distinct(found)
    if len(unique) == 1:
        unique = distinct([*unique, *_placed(unique[0], heading, before, after, told)])
    return unique[:3]


def distinct(offers: Iterable[Wording]) -> tuple[Wording, ...]:
    """The offers that say something, each of which differs from those before it in more than case and punctuation."""
    told: dict[tuple[str, str], Wording] = {}
    for one in offers:
        if one.headline:
            told.setdefault((_bare(one.headline), _bare(one.insight)), one)
    return tuple(told.values())


@lru_cache(maxsize=16)  # of one statement's offers, which are compared more than once
def _bare(text: str) -> str:
    """The words of a text in lower case; of other marks only those within names stay, as those of C++ and .env."""
    return " ".join(_NAME.findall(text.lower()))


def _placed(wording: Wording, heading: str, before: str, after: str, told: str) -> Iterator[Wording]:
    """The same statement under its heading, beside its neighbours, or by its other part, where it has one of these."""
    name = subject(heading, "")
    room = INSIGHT - size(wording.insight)
    whole = f"{name}: {wording.headline}"
    headline = whole if size(whole) <= HEADLINE else wording.headline
    if name and name.lower() not in wording.insight.lower() and len(name.split()) <= room:
        yield Wording(headline, f"{name}: {wording.insight}", "with its subject")
    elif room >= 6 and (beside := shortened(after or before, room)):
        told = f"{_sentence(wording.insight)} {beside}" if after else f"{_sentence(beside)} {wording.insight}"
        yield Wording(wording.headline, told, "with its context")
    elif (other := further(told, HEADLINE)) and not near(other, wording.headline):
        yield Wording(other, wording.insight, "its other part")


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "。")) else text + "."


def _wider(told: str, before: str, after: str) -> Iterator[tuple[str, str]]:
    before, after = ("" if _NARRATES.match(text) else text for text in (before, after))
    if after and size(told) + size(after) <= INSIGHT and not after.endswith((":", "?")) and size(after) >= 4:
        yield "with what follows", f"{_sentence(told)} {finished(after)}"
    elif before and size(told) + size(before) <= INSIGHT and not before.endswith((":", "?")) and size(before) >= 4:
        yield "with what led to it", f"{_sentence(finished(before))} {told}"


def _reasonless(told: str) -> str:
    """The statement up to its first reason or condition, where that stands alone."""
    match = re.search(r",?\s+(?:because|since|so that|otherwise|unless|when|if|due to|to avoid)\s|\s[—–]\s|;\s", told)
    part = told[: match.start()] if match else ""
    return finished(part) if 6 <= size(part) <= HEADLINE and not hangs(part) and not excepted(told, part) else ""
