"""What comes back is held against what was said: short, and nothing in it that nobody said.

A gate of words, not of meaning: it lets no invented name or number and no lost prohibition through, and rather drops a good
wording than it lets a wrong one stand. A person reads what is left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from curator.hookspecs import Brief
from curator.model import Wording

HEADLINE = 12
INSIGHT = 30
SHARE = 0.75
"""So much of the words that carry meaning must have been said."""


def listed(text: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(text.split())


_COUNTED = listed(
    "two three four five six seven eight nine ten eleven twelve dozen hundred thousand million billion twice half"
)
_CODE = re.compile(r"`([^`\n]+)`")
_NAME = re.compile(r"[\d_/\\.@#$=<>{}()\[\]|&*+~^%:]|^--?\w|[a-z][A-Z]|[A-Z]{2}")
_NUMBER = re.compile(r"[\d.,]+%?")
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+(?:'[^\W_]+)?")
_BETWEEN = re.compile(r"[\s\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]+")
"""Blanks, and letters that are written without any."""
_PLAIN = listed(
    "a an the and or but so if then than that this these those it its they them their we our you your i he she who which "
    "what when where while why how is are was were be been being am do does did done has have had having can could will "
    "would shall should must may might need needs to of in on at by for from with as into onto over under about after "
    "before because since until up out off per via each every any all some both either also just even still too very "
    "always use uses used using one there here such other another more most less own same"
)
"""Words that need not have been said: they carry no claim of their own."""
_DENIES = re.compile(
    r"(?i)\b(?:no|not|never|none|nothing|nobody|nor|neither|cannot|without|avoid\w*|forb[ai]d\w*|\w+n't"
    r"|instead of|rather than)\b"
)
_CLAUSE = re.compile(r"(?i)\n|[.;:,!?—–()]+(?=\s|$)|\s[—–-]\s|\b(?:but|always|because|since|so that)\b")
REACH = 4
"""So many words that carry meaning a "not" is taken to speak of."""


def fault(wording: Wording, brief: Brief) -> str:
    """What is wrong with a wording, in a few words; empty if nothing is."""
    text = plain(f"{wording.headline}\n{wording.insight}")
    lines = (brief.headline, brief.insight, brief.context, *brief.quotes, *(line.text for line in brief.excerpt))
    said = plain("\n".join(lines)).replace("`", "")  # marks of code may come and go
    if not wording.headline.strip() or not wording.insight.strip():
        return "it is empty"
    if size(wording.headline) > HEADLINE or size(wording.insight) > INSIGHT:
        return f"it is longer than {HEADLINE} and {INSIGHT} words"
    if wording.headline.count("`") % 2 or wording.insight.count("`") % 2:
        return "it leaves a backtick open"
    if name := next((name for name in names(text) if not stands_in(name, said)), ""):
        return f"nobody said {name!r}"
    carried, known = [stem(word) for word in carrying(text)], {stem(word) for word in words(said)}
    if not carried or sum(word in known for word in carried) < SHARE * len(carried):
        return "too many of its words were not said"
    return turned(text, plain(f"{brief.headline}\n{brief.insight}"), plain("\n".join(brief.quotes)))


def turned(text: str, offline: str, quotes: str) -> str:
    """How a wording turns round what was said: a prohibition that is invented, put on the other thing, or lost."""
    forbidden = set[str]().union(*denied(f"{offline}\n{quotes}"))
    mine = denied(text)
    if any(not stems or 2 * len(stems & forbidden) < len(stems) for stems in mine):
        return "nobody said its “not” of that"
    kept, told = set[str]().union(*mine), {stem(word) for word in carrying(text)}
    if any(stems and 2 * len(stems & told) >= len(stems) and not stems & kept for stems in denied(offline)):
        return "it has lost a “not”"
    return ""


def denied(text: str) -> list[set[str]]:
    """For each "not" the stems of the next words of its clause, which may be none."""
    return [
        {stem(word) for word in carrying(clause[match.end() :])[:REACH]}
        for clause in clauses(text)
        for match in _DENIES.finditer(clause)
    ]


def clauses(text: str) -> Iterator[str]:
    """The parts of a text within which a "not" holds."""
    return (part for part in _CLAUSE.split(text) if part.strip())


def plain(text: str) -> str:
    """The text with straight apostrophes and single blanks; lines stay."""
    return "\n".join(" ".join(line.split()) for line in text.replace("’", "'").split("\n"))


def size(text: str) -> int:
    """Words; languages without blanks have about one for each 14 characters, as in the offline wording."""
    return max(len(text.split()), len(text) // 14)


def names(text: str) -> Iterator[str]:
    """What must stand in the source to the letter: code, paths, commands, numbers, names."""
    yield from (" ".join(match[1].split()) for match in _CODE.finditer(text))
    for line in _CODE.sub(" ", text).split("\n"):
        first = True
        for token in _BETWEEN.split(line):
            bare = token.lstrip("(\"'[“‘").rstrip(".,;:!?)\"']”’…").removesuffix("'s")
            if (len(bare) < 2 and not bare.isalnum()) or bare in ("e.g", "i.e"):
                continue
            large = bare[:1].isupper() and not first and bare.casefold() not in _PLAIN
            if _NAME.search(bare) or large or bare.casefold() in _COUNTED:
                yield bare
            elif "-" in bare:  # a package, or two words: both must have been said
                yield from (part for part in bare.split("-") if part and part.casefold() not in _PLAIN)
            first = token.endswith((".", ":", "!", "?", "—", "–"))


def stands_in(name: str, said: str) -> bool:
    """Whether a name stands in what was said, as a whole; one of letters alone in upper or lower case."""
    before, after = (r"(?<![\w.,-])", r"(?!\w|[.,]\d)") if _NUMBER.fullmatch(name) else ("", "")
    before = before or (r"(?<!\w)" if name[0].isalnum() or name[0] == "_" else "")
    after = after or (r"(?!\w)" if name[-1].isalnum() or name[-1] == "_" else "")
    flags = re.IGNORECASE if name.isalpha() else 0
    return re.search(f"{before}{re.escape(name)}{after}", said, flags) is not None


def words(text: str) -> list[str]:
    """The words of a text in small letters; of Chinese, Japanese and Korean each character."""
    return [match[0].casefold() for match in _WORD.finditer(text)]


def carrying(text: str) -> list[str]:
    """The words that claim something."""
    return [word for word in words(text) if word not in _PLAIN and not _DENIES.fullmatch(word)]


def stem(word: str) -> str:
    """The beginning that forms of a word share, roughly.

    >>> stem("edits") == stem("editing") == stem("edited"), stem("runs") == stem("running")
    (True, True)
    """
    cut = re.sub(r"(?:'s|ing|ed|es|s|e)$", "", word) if len(word) > 3 else word
    cut = word if len(cut) < 3 else cut
    return (cut[:-1] if len(cut) > 3 and cut[-1] == cut[-2] else cut)[:5]
