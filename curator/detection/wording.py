"""Word a lesson: a headline of 12 words, or some more if that makes it whole, an insight of at most 30, one to three offers.

Everything here only leaves out, never invents: frames and markup go, subordinate ends go when there are too many words. What a
pronoun at the start stands for takes its place, or is prefixed, from the heading or the sentence before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum
from functools import lru_cache

from curator.detection.clauses import (
    CODE,
    HELPERS,
    ORDERS,
    PHRASES,
    beginnings,
    bracketless,
    dangles,
    denies,
    exception_word,
    hangs,
    is_closed,
    is_independent,
    later,
    leans,
    loose,
    mask_code,
    phrase_ends,
    size,
    states,
)
from curator.detection.frames import bare, finish
from curator.model import Wording
from curator.text.words import word_set

HEADLINE = 12
"""Words of a headline, where a clause ends within them …"""

LONGEST = 16
"""… else up to so many, where that makes it whole."""

FRONTS = 4
"""Circumstances before a main clause that are taken off, one after another."""

WHOLE = 5
"""Words from which on a beginning is preferred to a later clause."""

_EXAMPLES = re.compile(
    r",\s+(?:including|such as|like|especially|for example|e\.g\.)\b(?:[^,`.;:]|`[^`]*`){3,100},(?=\s(?!and\b|or\b))"
)

_RUN_ON = re.compile(r"(?<=[a-z])\.{2,}\s*(?=[a-z])")

_BUT = re.compile(r",? but (?!i\b|you\b)", re.IGNORECASE)

_TURNED = re.compile(r"(?i),?\s+(?:but|not|rather than|instead of|unless|except|without|only|though|although|because)\b")
"""What a clause says another thing without: its contrast, exception or cause."""

_SHARED = re.compile(
    r",? but (?:only|also|never|always|still|is|are|was|were|has|had|do|does|did|can|could|\w+n't|"
    r"(?!this\b|its\b|always\b)\w+[^su\W]s|\w+ed)\b"
)
"""What is said of the same thing after "but": without it the other half misleads."""

_REASON = re.compile(r"(?i)^(?:since|because|as)\s+")

_ATTACHED = re.compile(r"` [A-Za-z]+(?:ed|ing)$")
"""What a thing of code is said to be at the end of a cut: what followed said by whom, to what, from where."""

_DASHED = re.compile(r"\s+[—–]\s+(?:[^—–`]|`[^`]*`){1,160}?\s+[—–](?=\s)")

ATTACHED = 2
"""Mentions in a row behind a sentence from which on they are no part of it."""

LABEL = 4
"""Words of a label at most."""

LOST = 3
"""Words that a beginning may be shorter by, to end where nothing belongs to its last word."""

SPARED = 3
"""Words that a statement may be too long by, to lose some that add nothing."""

_IDLE = re.compile(
    r"(?i)(?<!not)(?<!n't) \b(?:actually|already|also|basically|clearly|effectively|essentially|even|explicitly|"
    r"genuinely|itself|just|obviously|of course|really|simply|specifically|technically|therefore|thus)\b(?=(?: [^,;.]|$))"
)
"""Words that add nothing to a statement."""

_CONCESSIVE = re.compile(
    r"(?i)^(?:while|although|though|even though|even if|instead of|rather than|since|as)\b[^,`]{3,80},\s+(?=\S+ \S+ "
    r"\S+ \S+)"
)

_FRONTED = re.compile(
    r"(?i)^(?:when(?:ever)?|if|to|after|before|once|by|given|for|in|on|with|during|until|as long as|as|since|because|while|"
    r"per|according to|based on|due to|thanks to|unlike|besides|despite|under|at)\b"
    r"(?:(?:[^,`]|`[^`]*`){3,140}(?:,\s+(?:so|then)|(?<=\w)\s+then)\s+"
    r"|(?:(?!\b(?:never|always|must|should|don't|do not|cannot|can't)\b)[^,`]|`[^`]*`){3,140},\s+)"
    r"(?=(?!it\b|this\b|that\b|they\b|these\b|those\b|he\b|and\b|or\b|but\b|so\b|then\b|into\b|\w+ing\b)\S+ \S+ \S+ \S+)"
)
"""A condition or circumstance before the main clause, which a headline has no room for."""

_CONDITION = re.compile(
    r"(?i)(?:(?:when(?:ever)?|if|once|until|unless|before|after|as long as) (?!(?:it|they|this|that|these|those|so|not)\b)"
    r"|in (?!particular|general|short|fact|my\b)|(?:during|on|for|with|under|at) )"
)
"""How what limits a main clause begins; a reason or a source before it limits nothing."""

_OF = frozenset(("of",))


def headline_of(statement: str) -> str:
    """The statement in a headline's room: the whole of it, else a clause, else what of one can stand alone.

    >>> headline_of("The cache outlives the session, so whoever logs in again gets the rights that he had before he left")
    'The cache outlives the session'
    """
    whole = bracketless(statement)
    if size(whole) <= LONGEST and _CONDITION.match(whole) and not loose(whole):
        return finish(whole)
    clause = _with_condition(statement)
    clause = clause or next(filter(None, (shorten(statement, most, End.CLAUSE) for most in (HEADLINE, LONGEST))), "")
    if clause and whole.startswith(clause) and _TURNED.match(whole, len(clause)):
        return finish(whole) if size(whole) <= LONGEST else _beyond_but(whole, clause) or clause
    if clause:
        return clause
    parts = [shorten(statement, most, end) for end in (End.CLOSED, End.ANY) for most in (HEADLINE, LONGEST)]
    return next((part for part in parts if part and not part.endswith("…")), parts[-2])


def _with_condition(statement: str) -> str:
    """A main clause with the condition or place before it, where there is room for both: without that it would say too much.

    >>> _with_condition("In a notebook, you should not call `exec()`, because the kernel began its loop long before that")
    'In a notebook, you should not call `exec()`'
    """
    main = _without_front(statement) if _CONDITION.match(statement) else statement
    front = len(statement) - len(main)
    if not front or dangles(statement[:front]) or _CONDITION.match(main):
        return ""
    parts = (shorten(statement, most, End.CLAUSE, fronts=0) for most in (HEADLINE, LONGEST))
    part = next((part for part in parts if part.startswith(statement[:front]) and size(part[front:]) >= WHOLE), "")
    turn = _TURNED.match(statement, len(part))
    return part if turn is None or turn[0].lower().endswith("because") else ""


def _beyond_but(statement: str, clause: str) -> str:
    """What is said behind "but", where it names all that it speaks of; a clause before that denies nothing only leads to it."""
    but = None if denies(clause) else _BUT.match(statement, len(clause))
    rest = bare(statement[but.end() :]) if but else ""
    stands = rest and states(rest, is_report=False) and not dangles(rest)
    part = stands and (shorten(rest, HEADLINE, End.CLAUSE) or shorten(rest, LONGEST, End.CLOSED))
    return part if part and not dangles(part) else ""


class End(IntEnum):
    """Where a beginning of a statement may end."""

    ANY = 0
    CLOSED = 1
    """Where nothing that follows belongs to its last words."""
    CLAUSE = 2


def shorten(text: str, most: int, least: End = End.ANY, fronts: int = FRONTS) -> str:
    """The text, or what of it can stand alone in at most ``most`` words.

    First without asides and up to ``fronts`` fronted circumstances, then up to where a clause ends, then up to where a phrase
    ends, then a later clause; and where it has none of these, its first words, and a sign that more follows. Empty where
    nothing fits that ends as well as ``least``.
    """
    if size(text) <= most:
        return finish(text)
    without = _EXAMPLES.sub("", _DASHED.sub("", bracketless(text)))
    if most < INSIGHT and ".." in without:  # whoever runs sentences on with dots says one thing in each
        first = _RUN_ON.split(without)[0]
        without = first if size(first) >= 4 else without
    if size(without) <= most and not loose(without):
        return finish(without)
    without = _CONCESSIVE.sub("", without)
    without = _spare(without, most)
    if size(without) <= most and not loose(without):
        return finish(without)
    if most < INSIGHT and (behind := _label_end(without)):
        return shorten(without[behind:], most, least, fronts)
    if turn := _turn(without, most):
        return finish(turn)
    if fronts and most < INSIGHT and (main := _without_front(without)) != without:
        return shorten(bare(main), most, least, fronts - 1)
    best = _longest((part for part in beginnings(without, most) if not exception_word(without, part)), most)
    phrases = list(phrase_ends(without, most))
    shared = _SHARED.match(without, len(best)) and size(_longest(phrases, most)) > size(best)
    if size(best) >= min(WHOLE, most // 2) and not shared:
        return finish(best)
    if least is End.CLAUSE:
        return ""
    phrase = _longest((part for part in phrases if not _ATTACHED.search(part)), most)
    wider = _longest(phrase_ends(without, most, _OF), most) if size(phrase) < most - 2 else ""
    phrase = wider if size(wider) >= size(phrase) + WHOLE - 2 else phrase
    closed = _longest((part for part in phrases if is_closed(without, part)), most)
    is_better = size(closed) >= max(WHOLE, size(phrase) - LOST) and not is_closed(without, phrase)
    phrase = closed if is_better else phrase
    is_whole = size(phrase) >= WHOLE and is_closed(without, phrase)
    if is_whole and not exception_word(without, phrase):
        return finish(phrase)
    if part := _later(without, most, own=False):
        return finish(part)
    if least is End.CLOSED:
        return ""
    if size(phrase) >= WHOLE and not exception_word(without, phrase):
        return finish(phrase)
    if not phrase and (part := _later(without, most, own=True)):
        return finish(part)
    cut = phrase or _cut(without, most)
    joint = exception_word(without, cut)
    if not joint:
        return finish(cut) if phrase else f"{finish(cut)}…"
    cut = cut if size(cut) < most else _cut(without, most - 1)
    return f"{finish(cut)} {joint}…".replace(" ……", "…")


def _later(text: str, most: int, *, own: bool) -> str:
    """The first clause after the text's first that stands alone and fits."""
    return next((part for part in later(text, own) if WHOLE <= size(part) <= most and not hangs(part)), "")


def _longest(parts: Iterable[str], most: int) -> str:
    """The longest of some beginnings of a sentence that fits and can stand alone; empty where none does."""
    fitting = sorted((part for part in parts if 4 <= size(part) <= most), key=size, reverse=True)
    return next((part for part in fitting if not hangs(part)), "")


def _label_end(text: str) -> int:
    """Where the statement behind a label begins, which a headline has no room for; 0 where there is none."""
    label, colon, rest = text.partition(": ")
    words = label.lower().split()
    titles = len(words) <= LABEL and "`" not in label and HELPERS.isdisjoint(words) and words[:1] and words[0] not in ORDERS
    return (
        len(label) + len(colon)
        if titles and rest.strip() and not rest.startswith("http") and not _PRONOUN.match(rest) and states(rest, False)
        else 0
    )


def _spare(text: str, most: int) -> str:
    """The text without words that add nothing, as many as it is too long by; a text that stays too long keeps them all."""
    over = size(text) - most
    lean = _IDLE.sub("", text, count=over) if 0 < over <= SPARED else text
    return lean if size(lean) <= most else text


def _turn(text: str, most: int) -> str:
    """What comes after "but", where it stands alone and fits: there lies what is new."""
    match = _BUT.search(mask_code(text))
    part = re.split(r"\s+[—–]\s|\s-\s|;\s|\s\(", text[match.end() :])[0] if match else ""
    return part if WHOLE <= size(part) <= most and not loose(part) and is_independent(part) else ""


def _without_front(text: str) -> str:
    """The text without the circumstance before its main clause, or a reason that stands there where all else leans on it."""
    front = _FRONTED.match(text)
    if not front:
        return text
    main = text[front.end() :]
    reason = _REASON.sub("", front[0]).rstrip(", ")
    return reason if leans(main) and reason != front[0].rstrip(", ") and not hangs(reason) else main


def _cut(text: str, most: int) -> str:
    """The first ``most`` words at best, back to a word that wants no other."""
    words = text.split()
    if len(words) <= most < size(text):  # no spaces: cut by letters
        stop = max(text.rfind(mark, 0, most * 14) for mark in "，。；、, ")
        return text[: stop if stop > 10 else most * 14]
    whole = words[:most]
    described = whole[-2:-1] and whole[-2].lower() in ("a", "an") and whole[-1].isalpha()  # "a good" wants what is good
    if described and words[most : most + 1] and words[most].lower() not in PHRASES:
        whole.pop()
    if " ".join(whole).count("`") % 2:  # amid code, of which more words tell more
        whole = "".join(" ".join(whole).rsplit("`", 1)).split()
    kept = len(whole)
    while kept > WHOLE and loose(" ".join(whole[:kept])):
        kept -= 1
    return " ".join(whole[:kept])


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

_PRONOUN = re.compile(
    r"(?i)^(?:(?:but|and|so) )?(?:it|this|that|these|those|they|he|she|which|who)(?:'s|'re|'ll)?\b"
    r"(?! (?:repo|repository|project|codebase|monorepo|workspace|team|company|machine|app|library|package)\b)"
)
"""What stands for something that was named before; but what all work on needs no name."""

_TALE = re.compile(
    r"(?i)^(?:i|i'm|i've|i'll|let me)\b(?! (?:do |not |don't |dont |really |only |also |just ){0,3}"
    r"(?:want|need|like|prefer|hate|expect|wish|think)\b)"
)
"""Somebody tells what he does; what he wants is a rule."""

_SINGULAR = word_set("is was has does doesn't isn't wasn't hasn't")

_PLURAL = word_set("are were have do don't aren't weren't haven't")

_ITSELF = re.compile(r"(?i)^(?:i|i'm|i've|i'll|i'd|let me)\b")

_WORD = re.compile(r"\w+")

_NAME = re.compile(r"[.-]?\w+(?:[.+#/-]+\w+)*[+#]*")

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
    text = _without_mentions(" ".join(text.split()).replace("’", "'"))
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
    return text.replace(" , ", ", ").strip(" -–—*")


def _without_mentions(text: str) -> str:
    """The text without the files that stand behind it, as those that a person hands to the agent with what he says."""
    words = text.split(" ")
    while words and words[-1].startswith("@"):
        words.pop()
    said, _, _ = (words[-1] if words else "").partition(".@")  # glued to the full stop
    kept = " ".join([*words[:-1], said])
    return kept if text.count("@") - kept.count("@") >= ATTACHED and size(kept) >= WHOLE and not loose(kept) else text


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
    """Whether a headline leans on something that was said before it.

    >>> unclear("This drops the cache"), unclear("This repo has no tests")
    (True, False)
    """
    return bool(_PRONOUN.match(headline))


def narrates(headline: str) -> bool:
    """Whether somebody tells of himself: of a person it is a wish, of an agent what it did, thought or is about to do."""
    return bool(_ITSELF.match(headline))


def resolve_pronoun(statement: str, heading: str, before: str) -> str:
    """The statement with what its first pronoun stands for, where the sentence before or the heading shows that.

    >>> resolve_pronoun("It drops them on login", "", "The session store is no cache.")
    'The session store drops them on login'
    """
    if not _REFERS.match(statement):
        return statement
    pronoun, _, rest = statement.partition(" ")
    name = subject(heading, before)
    if pronoun.lower() in ("it", "they") and (topic := name if name[:1] == "`" else _topic(before, pronoun.lower() == "they")):
        return f"{topic} {rest}"
    return f"{name}: {statement[0].lower()}{statement[1:]}" if name else statement


def _ground(statement: str) -> str:
    """The statement, or, where it begins with what nobody knows or with a tale, the first clause of it that stands alone."""
    if not (unclear(statement) or dangles(statement) or _TALE.match(statement)):
        return statement
    parts = (part for part in later(statement, own=True) if size(part) >= WHOLE - 1 and not hangs(part))
    return next((bare(statement[statement.rindex(part) :]) for part in parts), statement)


def _topic(before: str, plural: bool) -> str:
    """The subject of a sentence, if it names something in a few words and agrees in number; else empty."""
    words = bare(before).split()
    verbs = _PLURAL if plural else _SINGULAR
    end = next((n for n, word in enumerate(words[:6]) if word.lower() in verbs), 0)
    is_name = end and (words[0].lower() in ("the", "our", "your") or words[0][0] == "`") and PHRASES.isdisjoint(words[:end])
    return " ".join(words[:end]) if is_name else ""


def subject(heading: str, before: str) -> str:
    """What a pronoun stands for, as far as the text shows it: the one code name of the sentence before, else the heading."""
    names = {match[0] for match in CODE.finditer(before)}
    if len(names) == 1 and re.fullmatch(r"`[A-Za-z_./-][\w./ :()-]{2,40}`", name := names.pop()):
        return name
    heading = plain(heading).rstrip(":. ")
    heading = re.sub(r"^(?:\d+[.)]|step \d+:?|issue \d+:?|fix \d+:?|problem \d+:?)\s*", "", heading, flags=re.IGNORECASE)
    generic = re.fullmatch(
        r"(?i)(?:the )?(?:root )?(?:cause|problem|issue|fix|why|summary|analysis|note|notes|changes|result|results|"
        r"solution|findings|insight|key .*|what .*|overview|details|explanation|important|why .*|how .*|step .*|phase .*|"
        r"next .*|current .*|context|scope|note for .*|skipp.*|recommend.*|option.*)s?",
        heading,
    )
    return heading if heading and generic is None and len(heading.split()) <= 7 else ""


def wordings(quote: str, heading: str = "", before: str = "", after: str = "") -> tuple[Wording, ...]:
    """One to three texts for a quoted sentence, the proposal first: worded, with what stands beside it, without its reason."""
    sentence, before, after = plain(quote), plain(before), plain(after)
    statement = _ground(resolve_pronoun(bare(sentence), heading, before))
    if sentence.endswith(":") and loose(statement):  # its end introduces what stands below
        statement = _longest(beginnings(statement, size(statement)), size(statement)) or statement
    insight = shorten(statement, INSIGHT)
    found = [Wording(headline_of(statement), insight, "worded")]
    found += [Wording(found[0].headline, text, label) for label, text in _wider(statement, before, after)]
    tail = _reasonless(statement)
    if tail and size(found[0].headline) - size(tail) >= BROADER:
        found.append(Wording(tail, insight, "broader"))
    return distinct(found)[:3]


def distinct(offers: Iterable[Wording]) -> tuple[Wording, ...]:
    """The offers that say something, each of which differs from those before it in more than case and punctuation."""
    by_text: dict[tuple[str, str], Wording] = {}
    for one in offers:
        if one.headline:
            by_text.setdefault((_bare(one.headline), _bare(one.insight)), one)
    return tuple(by_text.values())


@lru_cache(maxsize=16)  # of one statement's offers, which are compared more than once
def _bare(text: str) -> str:
    """The words of a text in lower case; of other marks only those within names stay, as those of C++ and .env."""
    return " ".join(_NAME.findall(text.lower()))


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "。", "…")) else text + "."


def _wider(statement: str, before: str, after: str) -> Iterator[tuple[str, str]]:
    """The statement with the sentence behind it, else with that before it, where there is room and it says more of the same."""
    if _adds(after, behind=True) and size(statement) + size(after) <= INSIGHT:
        yield "with what follows", f"{_sentence(statement)} {finish(after)}"
    elif _adds(before, behind=False) and size(statement) + size(before) <= INSIGHT:
        yield "with what led to it", f"{_sentence(finish(before))} {statement}"


def _adds(text: str, *, behind: bool) -> bool:
    """Whether a neighbour of a statement is a statement itself, no tale, question or order; behind it may lean on it."""
    if size(text) < 4 or text.endswith((":", "?")) or _NARRATES.match(text):
        return False
    if behind:
        return is_independent(text) or states(text, is_report=False) or bool(_REFERS.match(text))
    return is_independent(text) and states(text, is_report=False) and bare(text) == finish(text)


def _reasonless(statement: str) -> str:
    """The statement up to its first reason, where that stands alone; without its condition it would say more than was said."""
    match = re.search(r",?\s+(?:because|since|so that|due to|to avoid)\s|\s[—–]\s|;\s", statement)
    part = statement[: match.start()] if match else ""
    return finish(part) if 6 <= size(part) <= HEADLINE and not hangs(part) and not exception_word(statement, part) else ""
