"""Word a lesson from what was said: a headline of at most 12 words, an insight of at most 30, and two or three offers.

Everything here only leaves out, never invents: lead-ins, hedges, address and markup go, subordinate ends go when there are
too many words. What a pronoun at the start stands for is prefixed from the heading or the sentence before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Set

from curator.detect.lists import listed
from curator.model import Wording

HEADLINE = 12
"""Words of a headline at most."""

INSIGHT = 30
"""Words of an insight at most."""

BACK = 4
"""Words that a cut gives up at most to end with a phrase: farther back there is often no verb left."""

_LINK = re.compile(r"\[([^\]\n]{1,200})\]\([^)\n]{0,400}\)")
_BOLD = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*|(?<![\w*])[*_](?=[^\s*_])([^*_\n]+?)(?<=\S)[*_](?![\w*])")
_MENTION = re.compile(r"(?<![\w`/.])@(?=[\w./-]+)")
_EMOJI = re.compile("[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]+(?=\\s|$)|^[\u2600-\u27bf\U0001f000-\U0001faff]\\s*")
_ARROW = frozenset("→←↔⇒")

_OPENERS = (
    r"(?:(?:one|two|three|four|a few|some|several) (?:more |other )?(?:things?|notes?|caveats?|points?|details?|nuances?)"
    r"(?: worth [^:,.]{1,40})?:\s+"
    r"|(?:no|nope|wait|stop|really|right|sure|great|perfect|good|nice|note|caveat|gotcha|first|second|third|again"
    r"|agreed|important|interesting|now|done|fixed|hold on|one (?:more )?(?:thing|caveat|note|quirk)|yes)"
    r"(?:[,.:!…—–-]+\s*|\s+[—–-]+\s+)"
    r"|(?:ah|oh|ok(?:ay)?|well|yeah|yep|hmm+|hm+|mm+|actually|thanks|thank you|sorry|also|and|but|so|then|however"
    r"|unfortunately|interestingly|importantly|notably|basically|essentially|specifically|in fact|in other words"
    r"|that said|additionally|furthermore|moreover|therefore|thus|hence|finally|for example|e\.g\.|i\.e\.|fyi|btw"
    r"|by the way|tbh|imo|honestly|alright|all right|anyway|go ahead"
    r"|yes (?=and\b)|wait (?=why\b))\b(?:[,.:!…—–-]+\s*|\s+(?!of\b|that\b|is\b|as\b|to\b|far\b|long\b)))"
)
_CONCESSIONS = (
    r"(?:you(?:'re| are) (?:absolutely |completely |exactly )?(?:right|correct)|good (?:catch|point|call)|"
    r"great (?:catch|point)|fair point"
    r"|my mistake|i apologi[sz]e|i see(?: now)?|i see the (?:issue|problem)|got it|found it|(?:i )?found the "
    r"(?:issue|problem|bug|root cause)"
    r"|i found it|i agree|the error is clear|the (?:issue|problem) is clear)(?:[,.:;!—–-]+\s*|\s+[—–-]+\s+)"
)
_DIAGNOSES = (
    r"(?:the )?(?:real |actual |underlying |main |core |key |root |only |remaining )*(?:issue|problem|bug|"
    r"cause|culprit|catch|point|answer"
    r"|takeaway|finding|fix|quirk|short answer)(?: here| now)?(?:(?: is| was)(?: that)?:?\s+|:\s+)"
    r"(?!with\b|in\b|from\b|on\b|at\b|about\b|related\b|due\b|here\b|how\b|likely\b|coming\b|happening\b|"
    r"clear\b|caused\b|not\b|just\b|still\b|to\b)"
)
_FRAMES = (
    r"(?:looking at|based on|judging by|according to|given|for now|from (?:the|your|this)|in (?:this|that|"
    r"your) (?:case|session|run))\b[^,`]{0,60},\s+|"
    r"[^:`]{0,40}\b(?:is|are|was|were|confirms?|shows?|means|says)\b[^:`.]{0,24}:\s+(?=\S+ \S+ \S+ \S+)|"
    r"(?:it )?turn(?:s|ed) out(?: that)?,?\s+|(?:this|that) (?:means|confirms|shows) that:?\s+|(?:it "
    r")?(?:looks like|appears that|seems that|seems like)\s+"
    r"|(?:this|that)(?:'s| is| was) because\s+|(?:please )?(?:note|remember|be aware|keep in mind|make sure|be "
    r"sure)(?: that)?:?\s+(?!to\b|of\b)"
    r"|i(?:'ve| have)? (?:just |also )?(?:verified|checked|traced|tested|confirmed|investigated|reproduced|measured|looked)\b"
    r"(?![^:`]*\bexample:)[^:`]{0,80}:\s+(?=\S+ \S+ \S+ \S+)"
    r"|i (?:honestly |just |also |really )?(?:think|believe|guess|feel(?: like)?|found that|confirmed(?: "
    r"that)?|noticed?(?: that)?|mean|meant|said|would say|can see)\s+(?:that\s+)?"
    r"|(?:the|this) (?:[\w-]+ )?(?:error|failure|test|tests|build|crash|problem|issue|warning) (?:(?:is|was|"
    r"are|were)(?: \w+ing)?|\w+s|\w+ed) (?:because|due to|caused by)\s+(?!of\b)"
    r"|(?:the|this) (?:[\w-]+ )?(?:error|failure|crash|problem|issue|warning) (?:is|was) caused by\s+"
)
_ADDRESSES = (
    r"(?:can|could|would|will) (?:you|we)(?: please| also| just)*\s+(?!also|see\b)|please(?: also| just)?\s+|"
    r"let'?s(?: also| just)?\s+(?!not\b)"
    r"|i(?:'d| would) like (?:you )?to\s+|i(?: do)? want (?:you )?to\s+|(?:you|we) (?:should|need to|have to|"
    r"must)(?: just| also)?\s+(?=use|keep|run|add|avoid|set|put|make|always|never|only|store|call|remove|write|"
    r"have)"
)
_NUMBERED = r"\(?(?:\d{1,2}|[a-e])\)\s+"
_LEAD = re.compile(f"^(?:{_NUMBERED}|{_OPENERS}|{_CONCESSIONS}|{_DIAGNOSES}|{_FRAMES}|{_ADDRESSES})", re.IGNORECASE)

_CLAUSE = re.compile(
    r"\s*[;—–]\s+|\s+-{1,2}\s+|,?\s+(?:because|since|so that|so|which|whereas|while|although|though|unless|but|"
    r"otherwise|and then|even though|as it|as they|as we)\s+"
    r"|,\s+(?:and|or|not|then|causing|making|leaving|rather than|instead of|meaning|except|with|as|it|they|the|"
    r"we|i|you|like|if|when)\s+|:\s+|,\s+|\s+\(|\.\s+",
    re.IGNORECASE,
)
_BUT = re.compile(r",? but (?=(?:the|a|an|we|our|only|no)\b|`|[A-Z])")
_BRACKETED = re.compile(r"\s+\((?:[^()]|\([^()]{0,80}\)){0,200}\)")
_DASHED = re.compile(r"\s+[—–]\s+(?:[^—–`]|`[^`]*`){1,160}?\s+[—–](?=\s)")
_CONCESSIVE = re.compile(
    r"(?i)^(?:while|although|though|even though|instead of|rather than|since|as)\b[^,`]{3,80},\s+(?=\S+ \S+ "
    r"\S+ \S+)"
)
_FRONTED = re.compile(
    r"(?i)^(?:when(?:ever)?|if|to|after|before|once|by|given|for|in|on|with|during|until|as long as|as|since|because|while)\b"
    r"(?:(?:[^,`]|`[^`]*`){3,140},\s+(?:so|then)\s+"
    r"|(?:(?!\b(?:never|always|must|should|don't|do not|cannot|can't)\b)[^,`]|`[^`]*`){3,140},\s+)"
    r"(?=(?!it\b|this\b|that\b|they\b|these\b|those\b|he\b|and\b|or\b|but\b|so\b|then\b)\S+ \S+ \S+ \S+)"
)
"""A condition or circumstance before the main clause, which a headline has no room for."""

_FORBIDS = re.compile(r"\b(?:never|not|no|cannot|avoid|nothing|nobody|\w+n't)\b", re.IGNORECASE)
_EXCEPTS = re.compile(r"[,\s]*\b(without|unless|except|until|before|other than|apart from)\b", re.IGNORECASE)
"""Without what follows, a prohibition says another thing."""

_DANGLING = listed("a an the and or but nor so yet of in on at to for from by with as into onto over under than then that "
    "which who whom whose where when while if because since unless until is are was were be been being "
    "has have had do does did not no will would can could should may might must shall it its their your our "
        "my his her this these those very only also just about between via per vs even each every any some "
    "both either such like using used including e.g i.e there they we you i he she what how why more most "
        "less all before after without within against through during needs need wants want means means getting "
        "get gets makes make instead rather actually always never still "
    "shouldn't don't isn't can't won't doesn't aren't it's that's we're you're i'm i've there's afraid trying "
        "going able")  # fmt: skip
_DETERMINERS = listed("a an the its their your our my his her this these those each every any some")
"""What begins an object: a cut before one of these has taken it from its verb."""
_JOINTS = listed("and or by without before after then")
"""What begins such a part of a sentence as the rest can do without; a clause that says which is meant begins otherwise."""
_OPENING_CONJUNCTIONS = listed("if when because since while although as unless after before where")
_REFERS = re.compile(
    r"(?i)^(?:it|they)\b|^(?:this|that|these|those)(?:'s)?\s+(?:is|was|are|were|does|doesn't|has|had|means|"
    r"causes|caused|breaks|broke|must|should|can|can't"
    r"|cannot|will|would|needs|happens|works|only|fails|leaves|makes|lets|allows|prevents|led|overwrites|requires|applies)\b"
)
_ASKING = re.compile(
    r"(?i)^(?:why|what|how|which|where|when|who|if|wait|(?:is|are|was|do|does|did|should|can|could|would|have|"
    r"has|will|wo|ca)(?:n'?t)?|shall|any|perhaps|maybe)\b"
)
_PRONOUN = re.compile(r"^(?:it|this|that|these|those|they|he|she)(?:'s)?\b", re.IGNORECASE)
_CODE = re.compile(r"`[^`\n]{1,80}`")
_QUOTED = re.compile(r"(`[^`]*`)")
_COMMAND = re.compile(
    r"(?<![`\w/.@:-])((?:[~.]{0,2}/)?(?:[\w.-]+/){2,}[\w.-]*\w|\.{1,2}/[\w./-]*\w|(?:[\w.-]+/)+[\w-]*\.\w+"
    r"|--[a-z][\w-]+|[\w.]+\([\w.\"']{0,30}\)|[\w-]+\.(?:py|jsx?|tsx?|go|rs|java|cs|rb|vue|md|json|toml|ya?ml|sh"
    r"|css|html|sql|exs?|mod|env))(?![`\w/])"
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


def bare(text: str) -> str:
    """The statement without lead-ins, hedges and address, its first letter large.

    >>> bare("Actually, the issue is that tabs break the parser.")
    'Tabs break the parser'
    """
    for _ in range(6):
        lead = _LEAD.match(text)
        cut = text[lead.end() if lead else 0 :].lstrip(" ,:;–—-")
        if cut == text or len(cut.split()) < 3:
            break
        text = cut
    return _finish(text)


def _finish(text: str) -> str:
    text = text.strip().rstrip(" ,;:—–-.!")
    if text.endswith("?") and not _ASKING.match(text):  # "can you" is gone, so the question is
        text = text.rstrip("?")
    if text.count("`") % 2:
        text = text.replace("`", "")
    if text.count("(") > text.count(")"):
        text = text[::-1].replace("(", "", 1)[::-1]
    first = text.split(" ", 1)[0]
    if first.islower() and first.replace("'", "").rstrip(":,").isalpha():
        text = text[0].upper() + text[1:]
    return text


def _size(text: str) -> int:
    return max(len(text.split()), len(text) // 14)  # languages without spaces have no words to count


def shortened(text: str, most: int) -> str:
    """The text, or its longest beginning of at most ``most`` words that ends where a clause ends."""
    if _size(text) <= most:
        return _finish(text)
    without = _DASHED.sub("", _bracketless(text))
    if _size(without) <= most and not _loose(without):
        return _finish(without)
    without = _CONCESSIVE.sub("", without)
    if _size(without) <= most and not _loose(without):
        return _finish(without)
    if turn := _turn(without, most):
        return _finish(turn)
    if most <= HEADLINE and (main := _FRONTED.sub("", without)) != without:
        return shortened(main, most)
    best = ""
    for part in _clauses(without):
        if 4 <= _size(part) <= most and _size(part) > _size(best) and not _hangs(part) and not _excepted(without, part):
            best = part
    if _size(best) >= min(5, most // 2):
        return _finish(best)
    cut = _cut(without, most)
    joint = _excepted(without, cut)
    return f"{_finish(cut)} {joint}…".replace(" ……", "…") if joint else _finish(cut)


def _excepted(text: str, part: str) -> str:
    """The word for the exception that a prohibition loses if this beginning of it stands alone; empty where none is lost."""
    if not text.startswith(part) or not _FORBIDS.search(part):
        return ""
    if match := _EXCEPTS.match(text, len(part)):
        return match[1]
    inside = list(_EXCEPTS.finditer(part))  # begun, and cut before it says anything
    return "" if not inside or len(part[inside[-1].end() :].split()) > 2 else "…"


def _bracketless(text: str) -> str:
    """The text without asides in brackets; brackets of code stay."""
    masked = _CODE.sub(lambda m: "`" + "x" * (len(m[0]) - 2) + "`", text)
    for aside in reversed(list(_BRACKETED.finditer(masked))):
        text = text[: aside.start()] + text[aside.end() :]
    return text


def _turn(text: str, most: int) -> str:
    """What comes after "but", where it stands alone and fits: there lies what is new."""
    match = _BUT.search(text)
    part = text[match.end() :] if match and text.count("`", 0, match.start()) % 2 == 0 else ""
    part = re.split(r"\s+[—–]\s|;\s|\s\(", part)[0]
    return part if 5 <= _size(part) <= most and not _loose(part) else ""


def _clauses(text: str) -> Iterator[str]:
    """Beginnings of the text up to each clause boundary outside code."""
    masked = _CODE.sub(lambda m: "`" + "x" * (len(m[0]) - 2) + "`", text)
    for stop in _CLAUSE.finditer(masked):
        yield text[: stop.start()]


def _hangs(text: str) -> bool:
    """Whether a beginning of a sentence leaves its reader waiting."""
    return _loose(text) or text.split()[0].lower() in _OPENING_CONJUNCTIONS


def _loose(text: str) -> bool:
    """Whether a text ends on a word that wants another one, or leaves a bracket, quotation or code open."""
    last = text.split()[-1].lower().strip("`'\"*().,:;—–-") if text.strip() else ""
    return not last or last in _DANGLING or _unclosed(text)


def _unclosed(text: str) -> bool:
    return text.count("`") % 2 == 1 or text.count("(") > text.count(")") or text.count('"') % 2 == 1


def _cut(text: str, most: int) -> str:
    """The first ``most`` words at best, back to where a phrase ends."""
    words = text.split()
    if len(words) <= most < _size(text):  # no spaces: cut by letters
        stop = max(text.rfind(mark, 0, most * 14) for mark in "，。；、, ")
        return text[: stop if stop > 10 else most * 14]
    whole = words[:most]
    next_ = words[most].lower() if len(words) > most else ""
    if next_ and next_ not in _DANGLING:
        whole = whole[: _back(whole, _DANGLING)]
    elif most <= HEADLINE and next_ in _DETERMINERS and whole[0].lower() not in _OPENING_CONJUNCTIONS:
        whole = whole[: _back(whole, _JOINTS)]
    while len(whole) > 3 and _loose(" ".join(whole)):
        whole.pop()
    return " ".join(whole)


def _back(words: list[str], ends: Set[str]) -> int:
    """The place of the last of these words, near the end."""
    return next((n for n in range(len(words) - 1, len(words) - BACK, -1) if words[n].lower() in ends), len(words))


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
        r"next .*|current .*|recommend.*|option.*)s?",
        heading,
    )
    return heading if heading and generic is None and len(heading.split()) <= 7 else ""


def wordings(quote: str, heading: str = "", before: str = "", after: str = "") -> tuple[Wording, ...]:
    """Two or three texts for a quoted sentence: worded, with what stands beside it, and as said. The first is the proposal."""
    said, before, after = plain(quote), plain(before), plain(after)
    told = bare(said)
    if _REFERS.match(told) and (name := subject(heading, before)):
        told = f"{name}: {told[0].lower()}{told[1:]}"
    insight = shortened(told, INSIGHT)
    found = [Wording(shortened(told, HEADLINE), insight, "worded")]
    found += [Wording(found[0].headline, text, label) for label, text in _wider(told, before, after)]
    tail = _reasonless(told)
    if tail and tail != found[0].headline:
        found.append(Wording(tail, insight, "broader"))
    found.append(Wording(shortened(said, HEADLINE), shortened(said, INSIGHT), "as said"))
    unique: list[Wording] = []
    for wording in found:
        same = (
            w for w in unique if (w.headline.lower(), w.insight.lower()) == (wording.headline.lower(), wording.insight.lower())
        )
        if wording.headline and not any(same):
            unique.append(wording)
    if len(unique) == 1:
        unique += _placed(unique[0], heading, before, after)
    return tuple(unique[:3])


def _placed(wording: Wording, heading: str, before: str, after: str) -> Iterator[Wording]:
    """The same statement under its heading or beside as much of its neighbours as fits; else as a full sentence."""
    name = subject(heading, "")
    room = INSIGHT - _size(wording.insight)
    if name and name.lower() not in wording.insight.lower() and len(name.split()) <= room:
        yield Wording(shortened(f"{name}: {wording.headline}", HEADLINE), f"{name}: {wording.insight}", "with its subject")
    elif room >= 6 and (beside := shortened(after or before, room)):
        told = f"{_sentence(wording.insight)} {beside}" if after else f"{_sentence(beside)} {wording.insight}"
        yield Wording(wording.headline, told, "with its context")
    elif wording.insight != wording.headline:
        yield Wording(wording.headline, wording.headline, "brief")
    else:
        yield Wording(wording.headline, _sentence(wording.insight), "as a sentence")


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
    return _finish(part) if 6 <= _size(part) <= HEADLINE and not _hangs(part) and not _excepted(told, part) else ""
