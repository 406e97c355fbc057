"""Word a lesson from what was said: a headline of at most 12 words, an insight of at most 30, and two or three offers.

Everything here only leaves out, never invents: lead-ins, hedges, address and markup go, subordinate ends go when there are too many
words. What a pronoun at the start stands for is prefixed from the heading or the sentence before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from curator.model import Wording

HEADLINE = 12
"""Words of a headline at most."""

INSIGHT = 30
"""Words of an insight at most."""

_LINK = re.compile(r"\[([^\]\n]{1,200})\]\([^)\n]{0,400}\)")
_BOLD = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*|(?<![\w*])[*_](?=[^\s*_])([^*_\n]+?)(?<=\S)[*_](?![\w*])")
_MENTION = re.compile(r"(?<![\w`/.])@(?=[\w./-]+)")
_EMOJI = re.compile("[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]+(?=\\s|$)|^[\u2600-\u27bf\U0001f000-\U0001faff]\\s*")
_ARROW = frozenset("→←↔⇒")

_LEADS = (
    r"(?:ah|oh|ok(?:ay)?|well|yes|yeah|yep|no|nope|hmm+|hm+|mm+|wait|hold on|stop|actually|really|right|sure|great|perfect|good|nice|thanks|thank you|sorry|also|and|but|so|then|now|again"
    r"|however|unfortunately|interesting(?:ly)?|important(?:ly)?|notably|basically|essentially|specifically|in fact|in other words|that said|additionally|furthermore|moreover|therefore|thus|hence"
    r"|first|second|third|finally|for example|e\.g\.|i\.e\.|fyi|btw|by the way|note|caveat|gotcha|one (?:more )?(?:thing|caveat|note|quirk)|tbh|imo)\b[\s,.:!—–-]+",
    r"(?:(?:you(?:'re| are) (?:absolutely |completely |exactly )?(?:right|correct)|good (?:catch|point|call)|great (?:catch|point)|fair point|my mistake|i apologi[sz]e|i see(?: now)?|i see the (?:issue|problem)|got it|found it|found the (?:issue|problem|bug|root cause)|i found (?:it|the (?:issue|problem|bug|root cause)))[\s,.:!—–-]+)",
    r"(?:(?:the )?(?:real |actual |underlying |main |core |key |root |only |remaining )*(?:issue|problem|bug|cause|root cause|reason|culprit|catch|point|answer|takeaway|finding|short answer|fix|quirk|key finding)(?: here| now)?(?: (?:is|was)(?: that)?|:)[\s:—–-]*)",
    r"(?:(?:it )?turn(?:s|ed) out(?: that)?,?\s+)",
    r"(?:(?:this|that|which)(?:'s| is| was)? (?:because|why|due to the fact that)\s+|(?:this|that) (?:means|confirms|shows)(?: that)?:?\s+|(?:it )?(?:means|looks like|appears that|seems that|appears|seems like)\s+)",
    r"(?:(?:please )?(?:note|remember|be aware|keep in mind|make sure|be sure)(?: that| to)\s+)",
    r"(?:i (?:think|believe|guess|feel(?: like)?|found(?: that)?|confirmed(?: that)?|notice[d]?(?: that)?|mean|meant|said|would say|'d say|can see(?: that)?|see(?: that)?)\s+(?:that\s+)?)",
    r"(?:(?:can|could|would|will) (?:you|we)(?: please| also| just)*\s+|please(?: also| just)?\s+|let'?s(?: also| just)?\s+|lets\s+|i(?:'d| would) like (?:you )?to\s+|i want (?:you )?to\s+|(?:you|we) (?:should|need to|have to|must)(?: just)?\s+(?=use|keep|run|add|avoid|set|put|make|always|never|only))",
    r"(?:why (?:would|are|is|did|do)n'?t (?:you|we) (?:just )?)(?=\w)",
)  # fmt: skip
_LEAD = re.compile("^(?:" + "|".join(_LEADS) + ")", re.IGNORECASE)

_CLAUSE = re.compile(
    r"(?:\s*[;—–]\s+|\s+-{1,2}\s+|,?\s+(?:because|since|so that|so|which|where|whereas|while|although|though|unless|until|but|otherwise|and then|even though|as it|as they|as the)\s+"
    r"|,\s+(?:and|or|not|then|if|when|causing|making|leaving|rather than|instead of|meaning|except|with|as|it|they|the|we|i|you|that)\s+|:\s+|,\s+|\s+\(|\.\s+)",
    re.IGNORECASE,
)  # fmt: skip
_ASIDE = re.compile(r"\s*\((?:[^()`]|`[^`]*`){0,200}\)|\s+[—–]\s+(?:[^—–`]|`[^`]*`){1,160}?\s+[—–](?=\s)")
_DANGLING = frozenset(
    "a an the and or but nor so yet of in on at to for from by with as into onto over under than then that which who whom whose where when while if because since unless until is are was were be been being "
    "has have had do does did not no will would can could should may might must shall it its their your our my his her this these those very only also just about between via per vs even each every any some "
    "both either such like using used including e.g i.e there they we you i he she what how why more most less all before after without within against through during".split()
)  # fmt: skip
_PRONOUN = re.compile(r"^(?:it|this|that|these|those|they|he|she)(?:'s)?\b", re.IGNORECASE)
_CODE = re.compile(r"`[^`\n]{1,80}`")
_COMMAND = re.compile(
    r"(?<![`\w/.-])((?:[\w.-]+/)+[\w.-]*\w|--[a-z][\w-]+|\w+\(\)|[\w-]+\.(?:py|jsx?|tsx?|go|rs|java|cs|rb|vue|md|json|toml|ya?ml|sh|css|html|sql|exs?|mod|env))(?![`\w/])"
)


def plain(text: str) -> str:
    """The sentence without Markdown emphasis, links, mentions and emoji, in one line; code keeps its backticks.

    >>> plain("**Never** edit [the schema](x.md)")
    'Never edit the schema'
    """
    text = " ".join(text.split())
    text = _LINK.sub(r"\1", text)
    text = _outside_code(text, lambda part: _BOLD.sub(lambda m: m[1] or m[2], part).replace("**", ""))
    text = _EMOJI.sub(lambda m: m[0] if m[0] in _ARROW else "", text)
    return _outside_code(_MENTION.sub("", text), lambda part: _COMMAND.sub(r"`\1`", part)).strip(" -–—*")


def _outside_code(text: str, change: object) -> str:
    assert callable(change)
    return "".join(part if n % 2 else change(part) for n, part in enumerate(re.split(r"(`[^`]*`)", text)))


def bare(text: str) -> str:
    """The statement without lead-ins, hedges and address, its first letter large.

    >>> bare("Actually, the issue is that tabs break the parser.")
    'Tabs break the parser'
    """
    for _ in range(6):
        cut = _LEAD.sub("", text, count=1).lstrip(" ,:;–—-")
        if cut == text or len(cut.split()) < 3:
            break
        text = cut
    return _finish(text)


def _finish(text: str) -> str:
    text = text.strip().rstrip(" ,;:—–-.!")
    if text.count("`") % 2:
        text = text.replace("`", "")
    if text.count("(") > text.count(")"):
        text = (
            text[: text.rindex("(")].rstrip(" ,;:—–-") if len(text[: text.rindex("(")].split()) >= 4 else text.replace("(", "")
        )
    first = text.split(" ", 1)[0]
    if first.islower() and first.isalpha():
        text = text[0].upper() + text[1:]
    return text


def _size(text: str) -> int:
    return max(len(text.split()), len(text) // 14)  # languages without spaces have no words to count


def shortened(text: str, most: int) -> str:
    """The text, or its longest beginning of at most ``most`` words that ends where a clause ends."""
    if _size(text) <= most:
        return _finish(text)
    without = _ASIDE.sub("", text)
    if _size(without) <= most:
        return _finish(without)
    best = ""
    for part in _clauses(without):
        if 4 <= _size(part) <= most and _size(part) > _size(best) and not _hangs(part):
            best = part
    return _finish(best or _cut(without, most))


def _clauses(text: str) -> Iterator[str]:
    """Beginnings of the text up to each clause boundary outside code, then single clauses that stand alone."""
    masked = _CODE.sub(lambda m: "`" + "x" * (len(m[0]) - 2) + "`", text)
    stops = [(m.start(), m.end()) for m in _CLAUSE.finditer(masked)]
    for start, _ in stops:
        yield text[:start]
    if stops:
        yield text[stops[-1][1] :]


def _hangs(text: str) -> bool:
    words = text.rstrip(" ,;:").split()
    last = words[-1].lower().strip("`'\"*().,") if words else ""
    first = words[0].lower().strip(",") if words else ""
    return (
        last in _DANGLING
        or first
        in (
            "if",
            "when",
            "because",
            "since",
            "while",
            "although",
            "as",
            "unless",
            "after",
            "before",
            "for",
            "in",
            "with",
            "instead",
            "where",
            "which",
        )
        or bool(_PRONOUN.match(text))
    )


def _cut(text: str, most: int) -> str:
    if len(text.split()) <= most:  # no spaces: cut by letters
        stop = max(text.rfind(mark, 0, most * 14) for mark in "，。；、, ")
        return text[: stop if stop > 10 else most * 14]
    words = text.split()[:most]
    while len(words) > 3 and (
        words[-1].lower().strip("`'\"*().,;:") in _DANGLING
        or " ".join(words).count("`") % 2
        or " ".join(words).count("(") > " ".join(words).count(")")
    ):
        words.pop()
    return " ".join(words)


def subject(heading: str, before: str) -> str:
    """What a pronoun stands for, as far as the text shows it: the one code name of the sentence before, else the heading."""
    names = _CODE.findall(before)
    if len(set(names)) == 1:
        return names[0]
    heading = plain(heading).rstrip(":. ")
    heading = re.sub(r"^(?:\d+[.)]|step \d+:?|issue \d+:?|fix \d+:?|problem \d+:?)\s*", "", heading, flags=re.IGNORECASE)
    generic = re.fullmatch(
        r"(?i)(?:the )?(?:root )?(?:cause|problem|issue|fix|why|summary|analysis|note|notes|changes|result|results|solution|findings|key .*|what .*|overview|details|explanation|important)s?",
        heading,
    )
    return "" if not heading or generic or len(heading.split()) > 7 else heading


def wordings(quote: str, heading: str = "", before: str = "", after: str = "") -> tuple[Wording, ...]:
    """Two or three texts for a quoted sentence: worded, with what stands beside it, and as said. The first is the proposal."""
    said = plain(quote)
    told = bare(said)
    if _PRONOUN.match(told) and (name := subject(heading, plain(before))):
        told = f"{name}: {told[0].lower()}{told[1:]}"
    insight = shortened(told, INSIGHT)
    found = [Wording(shortened(told, HEADLINE), insight, "worded")]
    found += [Wording(found[0].headline, text, label) for label, text in _wider(told, plain(before), plain(after))]
    tail = _reasonless(told)
    if tail and tail != found[0].headline:
        found.append(Wording(tail, insight, "broader"))
    found.append(Wording(shortened(said, HEADLINE), shortened(said, INSIGHT), "as said"))
    unique: list[Wording] = []
    for wording in found:
        if wording.headline and not any(
            (w.headline.lower(), w.insight.lower()) == (wording.headline.lower(), wording.insight.lower()) for w in unique
        ):
            unique.append(wording)
    if len(unique) == 1:
        short = shortened(told, 7)
        unique.append(Wording(short if short != unique[0].headline else unique[0].headline, _sentence(insight), "shorter"))
    return tuple(unique[:3])


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "。")) else text + "."


def _wider(told: str, before: str, after: str) -> Iterator[tuple[str, str]]:
    if after and _size(told) + _size(after) <= INSIGHT and not after.endswith((":", "?")) and _size(after) >= 4:
        yield "with what follows", f"{_sentence(told)} {_finish(after)}"
    elif before and _size(told) + _size(before) <= INSIGHT and not before.endswith((":", "?")) and _size(before) >= 4:
        yield "with what led to it", f"{_sentence(_finish(before))} {told}"


def _reasonless(told: str) -> str:
    """The statement up to its first reason or condition, where that stands alone."""
    match = re.search(r",?\s+(?:because|since|so that|otherwise|unless|when|if|due to|to avoid)\s|\s[—–]\s|;\s", told)
    part = told[: match.start()] if match else ""
    return _finish(part) if 4 <= _size(part) <= HEADLINE and not _hangs(part) else ""
