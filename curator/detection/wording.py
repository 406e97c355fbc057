"""The wording of a lesson: a headline that is clear alone, an insight, and up to two other offers.

The words stay as said. Markup and lead-ins go, and a name replaces a pronoun at the beginning. A long text is cut at the end of
a clause or phrase. It ends with "…" unless the statement is complete.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from curator.model import Wording
from curator.text.statement import HEADLINE as HEADLINE_CHARACTERS
from curator.text.words import word_set

HEADLINE = 24
"""Words of a headline at most.

A person words a headline in ten. A sentence cut to 16 held three of ten of the words that people chose, a whole one four.
"""
INSIGHT = 30
"""Words of an insight at most."""
MIN_CLAUSE_WORDS = 5
"""Minimum number of words of a cut part."""
MAX_READ_CHARACTERS = 1_200
"""Letters of a text that are looked at: more than any headline and insight hold."""

_PUNCTUATED = (
    r"(?:no|nope|wait|stop|yes|yeah|right|alright|sure|good|great|nice|perfect|note|caveat|done|fixed|agreed|important|actually|"
    r"ok(?:ay)?|well|hm+|sorry|thanks|also|and|but|so|then|now|however|unfortunately|interestingly|importantly|basically|"
    r"finally|again|first|second|third|in fact|in addition|besides|fyi|btw|hold on|got it|found it|i see(?: now)?|"
    r"you(?:'re| are) (?:\w+ly )?(?:right|correct)|(?:good|great|fair) (?:catch|point|call)|my mistake)"
    r"(?:\s?[,.:;!…—–]+\s*|\s+-+\s+)"
)
_PLAIN = (
    r"(?:also|and|but|so|ok(?:ay)?|actually|basically|unfortunately|however)\s+(?!of\b|that\b|is\b|as\b|to\b|far\b|long\b)"
    r"|\(?(?:\d{1,2}|[a-e])\)\s+"
)
_FOUND = (
    r"(?:the |my )?(?:real |actual |root |main |key |core |underlying )*(?:issue|problem|bug|cause|culprit|catch|point|reason|"
    r"answer|fix|lesson|finding|insight|takeaway)(?: here| now)?(?: (?:is|was)(?: that)?:?|:)\s+"
    r"(?!(?:with|in|from|on|at|about|related|due|here|how|likely|caused|not|just|still|to)\b)"
    r"|(?:it )?turn(?:s|ed) out(?: that)?,?\s+|it (?:looks like|seems|appears)(?: that)?\s+"
    r"|(?:please )?(?:note|remember|be aware|keep in mind)(?: that)?:?\s+(?!to\b|of\b)"
    r"|i (?:also |just |now |can )*(?:found|see|noticed|confirmed|verified|think|believe|discovered|learned|reali[sz]ed)"
    r"(?: out)? that\s+|(?:this|that|it) (?:means|shows|confirms|implies|explains) that\s+"
)
_ADDRESS = (
    r"(?:can|could|would|will) (?:you|we)(?: please| also| just)*\s+|please(?: also| just)?\s+|"
    r"let'?s(?: also| just)?\s+(?!not\b)|i(?:'d like| would like| want)(?: you)? to\s+"
)
_LEAD = re.compile(rf"(?i)\(?(?:{_PUNCTUATED}|{_PLAIN}|{_FOUND}|{_ADDRESS})")
"""Words before a statement that say nothing of it: assent, numbers, diagnoses, reports, address."""

_ASKING = re.compile(
    r"(?i)(?:why|what|how|which|where|when|who|if|shall|any|(?:is|are|was|do|does|did|should|can|could|would|have|has|will)"
    r"(?:n'?t)?)\b"
)

_JOINT = re.compile(
    r"(?i)\s*[;—–]\s+|\s+-{1,2}\s+|\s+\((?!unless\b|except\b|only\b)|\.{1,3}\s+|,?\s+(?:because|since|so|which|whereas|while|although|though|otherwise|"
    r"and then)\s+|,\s+(?!(?:not|but|rather|instead|except|unless)\b)"
)
"""The end of a clause."""

_PHRASES = word_set(
    "in on at to for from by with into onto over under through during via after before within across between against without "
    "inside outside and or as when if whenever where while until because since unless which who that so whether like"
)
"""Words that begin a part of a sentence."""

_DANGLING = _PHRASES | word_set(
    "a an the but nor yet of than then whom whose is are was were be been being has have had do does did not no will would "
    "can could should may might must shall it its their your our my his her this these those very only also just about per vs "
    "even each every any some both either such using including there they we you i he she what how why more most less all "
    "needs need wants want means get gets make makes instead rather always never still don't doesn't isn't aren't can't won't "
    "shouldn't it's that's there's we're you're i'm"
)
"""Words that need another one after them."""

_OPENS = re.compile(
    r"(?i)(?:if|when|whenever|because|since|while|although|though|as|unless|after|before|until|once|in|on|for)\b"
)
"""The beginning of a circumstance that means nothing without its main clause."""

_TALK = re.compile(
    r"(?i)^(?:[\w' ]{0,40}\b(?:issue|problem|cause|finding|note|caveat|limitation|insight|observation|conclusion|gotcha)s?"
    r"\b[\w' ]{0,20}|real|relevant|confirmed|important(?:ly)?|key|worth \w+(?: \w+)?):\s+(?=[^\s:]+ \S+ \S+ \S+ \S)"
)
"""An announcement that says nothing of the statement."""

_ADJUNCTS = word_set(
    "in on at for with into through during via within across between inside outside when where while because since"
)
"""Words that begin a circumstance: a statement without it is still whole."""

_SITUATIONS = word_set("when where while during")
"""Words that begin a circumstance that may be a condition: "…" shows that it was cut."""

_LIMITS = word_set("unless except without until if only before after")
"""Words that begin a limit: a statement without it says more than was said."""

_TURNS = _LIMITS | word_set("but not never don't doesn't if instead rather")
"""Words after a clause that may turn its meaning round: "…" shows that it was cut."""
_CLAUSE = re.compile(r"\s*[;,—–]\s+|\.\s+")

_VERBS = word_set(
    "is are was were am has have had does do did can cannot could will would should must may might needs need means wants "
    "always never use run keep add set put avoid isn't aren't wasn't weren't hasn't haven't doesn't don't didn't can't "
    "couldn't won't wouldn't shouldn't mustn't it's that's there's we're you're they're"
)

_CODE = re.compile(r"`[^`\n]*`")
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"), ("«", "»"))
_LINK = re.compile(r"\[([^\]\n]{1,200})\]\([^)\n]{0,400}\)")
_EMPHASIS = re.compile(r"(?<![\w*/])([*_])(?=\S)([^*_\n]+)(?<=\S)\1(?![\w*/])")
_ASIDE = re.compile(r"\s+\((?!unless\b|except\b|only\b)(?:[^()`]|`[^`]*`){0,200}\)")
_EMOJI = re.compile("[\u21d5-\u21ff\u2329-\u2bff\ufe0f\U0001f000-\U0001faff]+")
"""Emoji and other pictures, without signs that say something: ``≤``, ``≠``, ``√``, ``⌘``."""

_PRONOUN = re.compile(
    r"(?i)(?:(?:but|and|so) )?(?:it|this|that|these|those|they|he|she|which|who)(?:'s|'re|'ll)?\b"
    r"(?! (?:repo|repository|project|codebase|monorepo|workspace|team|company|machine|app|library|package)\b)"
)
"""A pronoun for something named before. "This project" needs no name."""

_NARRATES = re.compile(r"(?i)(?:i|i'm|i've|i'll|i'd|let me)\b")
_TALKS = re.compile(r"(?i)\W*(?:i|i'm|i've|i'll|i'd|let me|let's|we'll|now|next|done|fixed|also)\b")
_GENERIC = re.compile(
    r"(?i)(?:the )?(?:(?:root )?cause|problem|issue|fix|why|summary|analysis|notes?|changes|results?|solution|findings?|"
    r"insight|overview|details|explanation|important|context|scope|(?:key|what|why|how|step|phase|next|current|recommend|option)\b.*)s?"
)
"""Headings that name no thing."""

_NAME = re.compile(r"[.-]?\w+(?:[.+#/-]+\w+)*[+#]*")


def wordings(quote: str, heading: str = "", before: str = "", after: str = "") -> tuple[Wording, ...]:
    """Return one or two texts for a quoted sentence: by itself, and with the sentence after or before it."""
    sentence, before, after = plain(quote), plain(before), plain(after)
    statement = resolve_pronoun(clean_ends(_TALK.sub("", without_lead_in(sentence))), heading, before)
    short = headline(statement)
    found = [Wording(short, shorten(statement, INSIGHT), "worded")]
    if _adds(after) and size(statement) + size(after) <= INSIGHT:
        found.append(Wording(short, f"{_sentence(statement)} {clean_ends(after)}", "with what follows"))
    elif _adds(before) and not needs_context(before) and size(statement) + size(before) <= INSIGHT:
        found.append(Wording(short, f"{_sentence(clean_ends(before))} {statement}", "with what led to it"))
    return distinct(found)


def headline(statement: str) -> str:
    """Return a statement as a headline, shortened to its limits of words and of characters."""
    if size(statement) <= HEADLINE and len(statement) <= HEADLINE_CHARACTERS:
        return statement
    fitting = (text for most in range(HEADLINE, 0, -1) if len(text := shorten(statement, most)) <= HEADLINE_CHARACTERS)
    return next(fitting, statement)


def distinct(offers: Iterable[Wording]) -> tuple[Wording, ...]:
    """Return the offers that say something and differ from those before them in more than case and punctuation."""
    by_text: dict[tuple[str, str], Wording] = {}
    for one in offers:
        if one.headline:
            by_text.setdefault((_bare(one.headline), _bare(one.insight)), one)
    return tuple(by_text.values())


def _bare(text: str) -> str:
    return " ".join(_NAME.findall(text.lower()))


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "。", "…")) else text + "."


def _adds(text: str) -> bool:
    """Return whether a neighbour is a statement: it has a verb and is no question, lead-in or story."""
    if size(text) < MIN_CLAUSE_WORDS - 1 or text.endswith((":", "?")) or _TALKS.match(text):
        return False
    return _has_verb(text.lower().split()) and without_lead_in(text) == clean_ends(text)


def plain(text: str) -> str:
    """Return a sentence without Markdown emphasis, links and emoji, in one line. Code stays unchanged.

    >>> plain("**Never** edit [the schema](x.md) with `a_b *c`")
    'Never edit the schema with `a_b *c`'
    """
    text = _LINK.sub(r"\1", " ".join(text[:MAX_READ_CHARACTERS].split()).replace("’", "'"))
    parts = re.split(r"(`[^`]*`)", text)
    parts[::2] = [_EMOJI.sub("", _EMPHASIS.sub(r"\2", part.replace("**", ""))) for part in parts[::2]]
    return " ".join("".join(parts).split()).strip(" -–—*")


def without_lead_in(text: str) -> str:
    """Return a statement without lead-ins and address, its first letter large.

    >>> without_lead_in("Actually, the issue is that tabs break the parser.")
    'Tabs break the parser'
    """
    for _ in range(5):
        lead = _LEAD.match(text)
        rest = text[lead.end() :].lstrip(" ,:;–—-") if lead else ""
        if len(rest.split()) < 3:
            break
        text = rest
    return clean_ends(text)


def clean_ends(text: str) -> str:
    """Return a statement with clean ends and a large first letter, without marks that have lost their partner."""
    text = text.strip().rstrip(" ,;:—–-.!→")
    if text.endswith("?") and not _ASKING.match(text):  # "can you" is gone, so the question is
        text = text.rstrip("?")
    for mark in '`"':
        text = text.replace(mark, "") if text.count(mark) % 2 else text
    for one, other in _PAIRS:
        if text.count(one) != text.count(other):
            text = text.replace(one, "").replace(other, "")
    first = text.split(" ", 1)[0]
    return text[:1].upper() + text[1:] if first.islower() and first.replace("'", "").rstrip(":,").isalpha() else text


def resolve_pronoun(statement: str, heading: str, before: str) -> str:
    """Return a statement with a name for its first pronoun, if the sentence before or the heading has that name.

    >>> resolve_pronoun("It drops them on login", "", "The culprit is `SessionStore`.")
    '`SessionStore` drops them on login'
    """
    if not needs_context(statement):
        return statement
    pronoun, _, rest = statement.partition(" ")
    names = {*_CODE.findall(before)}
    if len(names) == 1 and pronoun.lower() == "it":
        return f"{names.pop()} {rest}"
    heading = re.sub(r"(?i)^(?:\d+[.)]|(?:step|issue|fix|problem) \d+:?)\s*", "", plain(heading).rstrip(":. "))
    named = names.pop() if len(names) == 1 else heading if size(heading) < 8 and not _GENERIC.fullmatch(heading) else ""
    return f"{named}: {statement[0].lower()}{statement[1:]}" if named else statement


def needs_context(headline: str) -> bool:
    """Return whether a headline leans on something that was said before it.

    >>> needs_context("This drops the cache"), needs_context("This repo has no tests")
    (True, False)
    """
    return bool(_PRONOUN.match(headline))


def is_narration(headline: str) -> bool:
    """Return whether the speaker talks about himself: a person's wish, or an agent's past or next step."""
    return bool(_NARRATES.match(headline))


def shorten(text: str, most: int) -> str:
    """Return a text in at most ``most`` words: all of it, or without asides up to where a clause ends, or a phrase and "…".

    >>> shorten("Run `make lint` in the folder of the service that you changed last", 8)
    'Run `make lint` in the folder…'
    """
    if size(text) <= most:
        return clean_ends(text)
    text = _ASIDE.sub("", text)
    if size(text) <= most:
        return clean_ends(text)
    part = max(_prefixes(text, most), key=len, default="")
    if not part:
        return _phrase(text, most)
    return clean_ends(part) + "…" * (not _TURNS.isdisjoint(re.findall(r"[a-z']+", text[len(part) :].lower())))


def _prefixes(text: str, max_words: int) -> Iterator[str]:
    """Yield beginnings of a text that end with a clause and are clear alone."""
    for joint in _JOINT.finditer(_CODE.sub(lambda code: "`" * len(code[0]), text)):
        part = text[: joint.start()]
        if size(part) > max_words:
            return
        last = _CLAUSE.split(part)[-1]
        if size(part) >= MIN_CLAUSE_WORDS and not is_incomplete_start(part) and (last == part or not _OPENS.match(last)):
            yield part


def _phrase(text: str, most: int) -> str:
    """Return the longest beginning of a text that ends before a circumstance, or else before any phrase, with "…"."""
    words = text.split()
    if len(words) <= most:  # no spaces between words: cut by letters
        stop = max(text.rfind(mark, 0, most * 14) for mark in "，。；、, ")
        return f"{clean_ends(text[: stop if stop > 0 else most * 14])}…"
    ends = [end for end in range(most, MIN_CLAUSE_WORDS - 1, -1) if not is_incomplete_end(" ".join(words[:end]))]
    whole = (end for end in ends if end >= most // 2 and words[end].lower() in _ADJUNCTS and _is_closed(words[:end]))
    if (at := next(whole, 0)) and not is_incomplete_start(" ".join(words[:at])):
        return clean_ends(" ".join(words[:at])) + "…" * (words[at].lower() in _SITUATIONS)
    at = next((end for end in ends if end >= most // 2 and words[end].lower() in _PHRASES), next(iter(ends), most))
    return f"{clean_ends(' '.join(words[:at]))}…"


def _is_closed(words: Sequence[str]) -> bool:
    """Return whether the next words do not belong to the last one, and no limit begins among the last few."""
    return not words[-1].endswith(("ed", "ing", "ly")) and _LIMITS.isdisjoint(word.lower() for word in words[-3:])


def is_incomplete_start(part: str) -> bool:
    """Return whether a beginning of a sentence leaves its reader waiting: for an end, a main clause or a verb."""
    return is_incomplete_end(part) or ("," not in part and bool(_OPENS.match(part))) or not _has_verb(part.lower().split())


def _has_verb(words: list[str]) -> bool:
    """Return whether a word is the verb of a clause, as far as its form shows. An order has its verb first."""
    if words[0].isalpha() and words[0] not in _DANGLING:
        return True
    return any(word in _VERBS or (word.endswith(("s", "ed")) and not word.endswith(("ss", "us"))) for word in words[1:])


def is_incomplete_end(text: str) -> bool:
    """Return whether a text ends on a word that wants another one, or leaves a bracket, quotation or code open."""
    last = text.split()[-1].lower().strip("`'\"“”*.,:;()")
    unclosed = any(text.count(one) > text.count(other) for one, other in _PAIRS)
    return not last or last in _DANGLING or unclosed or any(text.count(mark) % 2 for mark in '`"')


def size(text: str) -> int:
    """Return the number of words of a text. Without spaces between words, estimate it from the letters."""
    return max(len(text.split()), len(text) // 14)
