"""What stands before a statement and says nothing of it: address, assent, hedges, the frame of a diagnosis or a report."""

from __future__ import annotations

import re
from itertools import chain

_OPENERS = (
    r"(?:(?:one|two|three|four|a few|some|several) (?:more |other )?(?:things?|notes?|caveats?|points?|details?|nuances?)"
    r"(?: worth [^:,.]{1,40})?:\s+"
    r"|(?:no|nope|wait|stop|really|right|sure|great|perfect|good|nice|note|caveat|gotcha|first|second|third|again"
    r"|agreed|important|interesting|now|done|fixed|hold on|one (?:more )?(?:thing|caveat|note|quirk)|yes"
    r"|(?:decision|question) resolved|correction|verdict)"
    r"(?:[,.:!…—–-]+\s*|\s+[—–-]+\s+)"
    r"|(?:ah|oh|ok(?:ay)?|well|yeah|yep|hmm+|hm+|mm+|actually|thanks|thank you|sorry|also|and|but|so|then|however"
    r"|unfortunately|interestingly|importantly|notably|basically|essentially|specifically|in fact|in other words"
    r"|that said|additionally|furthermore|moreover|therefore|thus|hence|finally|for example|e\.g\.|i\.e\.|fyi|btw"
    r"|by the way|separately|tbh|imo|honestly|alright|all right|anyway|go ahead"
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
    r"|takeaway|finding|fix|quirk|short answer"
    r"|key|lesson|trick|gist|upshot|bottom line|precise claim)(?: here| now)?(?:(?: is| was)(?: that)?:?\s+|:\s+)"
    r"(?!with\b|in\b|from\b|on\b|at\b|about\b|related\b|due\b|here\b|how\b|likely\b|coming\b|happening\b|"
    r"clear\b|caused\b|not\b|just\b|still\b|to\b)"
    r"|the (?:best practice|(?:right|correct|proper|usual|simplest|cleanest|better) (?:approach|way|fix|solution)"
    r"|recommendation|trick|workaround)(?: here| now)? is to\s+"
)
_FRAMES = (
    r"i (?:also |just |do )*(?:want(?:ed)?|would like|'d like|need) to (?:mention|say|note|point out|add|emphasi[sz]e|clarify|"
    r"flag) that\s+|what (?:has )?happened (?:is|was)(?: that)?\s+|"
    r"one (?:more|last|other|further) [^:`]{3,60}:\s+(?=\S+ \S+ \S+ \S+)|"
    r"(?:verified|confirmed|checked|reproduced|measured|tested)\b[^:`]{0,60}:\s+(?=\S+ \S+ \S+ \S+)|"
    r"(?:low|medium|high|critical|minor|major|nit|blocking|blocker|p[0-4])(?: severity| priority| risk)?:\s+|"
    r"at (?:that|this) (?:point|time|moment),?\s+(?=\S+ \S+ \S+ \S+)|"
    r"i(?:'ve| have)? (?:also |just |now )*(?!need)(?:\w{2,}ed|kept|made|put|wrote|found|built|ran|left|set|took)\b"
    r"(?![^:`]*\bexample:)[^:`]{3,90}:\s+(?=\S+ \S+ \S+ \S+)|"
    r"(?:looking at|based on|judging by|according to|given|for now|from (?:the|your|this)|in (?:this|that|"
    r"your) (?:case|session|run))\b[^,:`]{0,60}[,:]\s+|"
    r"[^:`]{0,40}\b(?:is|are|was|were|confirms?|shows?|means|says)\b[^:`.]{0,24}:\s+(?=\S+ \S+ \S+ \S+)|"
    r"(?:it )?turn(?:s|ed) out(?: that)?,?\s+|(?:this|that) (?:means|confirms|shows) that:?\s+|(?:it "
    r")?(?:looks like|appears that|seems that|seems like)\s+"
    r"|(?:this|that)(?:'s| is| was) because\s+|(?:please )?(?:note|remember|be aware|keep in mind)(?: that)?:?\s+(?!to\b|of\b)"
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


_PLACED = re.compile(
    r"^(?:the )?(?:real |actual |main |root |underlying )*(?:issue|problem|bug|cause|culprit|error) (?:is|was|lies|sits) "
    r"(?:with|in|at) (?P<where>(?:the )?`[^`\n]+`(?: \w+)?)(?P<joint>\s+[-—–]+\s+|:\s+)(?P<it>it )?(?=\S+ \S+)",
    re.IGNORECASE,
)
"""Where a fault lies, before what it is."""
_SURE = re.compile(r"\b((?:make|be) sure) that\b", re.IGNORECASE)
PAIRS = (("(", ")"), ("[", "]"), ("“", "”"), ("«", "»"))
"""Marks of which the first opens what the second closes."""
_CODE = re.compile(r"`[^`\n]*`")
_MARKED = frozenset(chain.from_iterable(PAIRS))
_ASKING = re.compile(
    r"(?i)^(?:why|what|how|which|where|when|who|if|wait|(?:is|are|was|do|does|did|should|can|could|would|have|"
    r"has|will|wo|ca)(?:n'?t)?|shall|any|perhaps|maybe)\b"
)


def bare(text: str) -> str:
    """The statement without lead-ins, hedges and address, its first letter large.

    >>> bare("Actually, the issue is that tabs break the parser.")
    'Tabs break the parser'
    >>> bare("The problem is in `parse()` - it drops tabs.")
    '`parse()` drops tabs'
    """
    text = _PLACED.sub(lambda at: f"{at['where']}{' ' if at['it'] else at['joint']}", _SURE.sub(r"\1", text))
    for _ in range(6):
        lead = _LEAD.match(text)
        cut = text[lead.end() if lead else 0 :].lstrip(" ,:;–—-")
        if cut == text or len(cut.split()) < 3:
            break
        text = cut
    return finished(text)


def finished(text: str) -> str:
    """A statement with clean ends and a large first letter; marks that have lost their partner go."""
    text = text.strip().rstrip(" ,;:—–-.!→")
    if text.endswith("?") and not _ASKING.match(text):  # "can you" is gone, so the question is
        text = text.rstrip("?")
    text = _partnered(text)
    first = text.split(" ", 1)[0]
    if first.islower() and first.replace("'", "").rstrip(":,").isalpha():
        text = text[0].upper() + text[1:]
    return text


def _partnered(text: str) -> str:
    """The text without the one mark of a pair that has lost the other; what stands in code stays."""
    if text.count("`") % 2:
        text = text.replace("`", "")
    if text.count('"') % 2:
        text = text.replace('"', "")
    if _MARKED.isdisjoint(text):
        return text
    for one, other in PAIRS:
        masked = _CODE.sub(lambda code: "x" * len(code[0]), text)
        if masked.count(one) > masked.count(other):
            at = masked.rindex(one)
        elif masked.count(other) > masked.count(one):
            at = masked.index(other)
            if re.search(r"(?:^|\s)\w\W$", text[: at + 1]):  # a letter or number of a list
                continue
        else:
            continue
        text = text[:at] + text[at + 1 :]
    return " ".join(text.split())
