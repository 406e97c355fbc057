"""Take off what stands before a statement and says nothing of it: address, assent, hedges, diagnoses, reports."""

from __future__ import annotations

import re
from itertools import chain

from curator.detection.clauses import HELPERS, ORDERS, PAIRS, POINTERS, states
from curator.text.words import word_set

_COUNTS = "one|two|three|four|a|an|another|some|several|the|my"

_REMARKS = (
    "(?:thing|note|caveat|point|detail|nuance|quirk|gotcha|wrinkle|footnote|asymmetry|tweak|observation|reminder|warning|exception|"
    "consequence|correction)s?"
)
"""What a statement is called that is about to be made, and how many of them."""

_WORDS_OF_PRAISE = "great|perfect|fantastic|awesome|excellent|amazing|wonderful|brilliant|lovely|beautiful|cool"

_OPENERS = (
    rf"(?:(?:{_COUNTS})(?: [\w-]+){{0,3}} (?:{_REMARKS})(?: (?!is\b|was\b|are\b)[^:`]{{1,60}})?:\s+"
    r"|(?:[\w-]+ )?(?:key|main|core|important|critical|crucial|short|long|quick|side|final|small|subtle|notable|tricky)"
    r" (?:nuance|insight|version|summary|takeaway|answer|conclusion|gotcha|finding|rule|constraint|limitation)s?"
    r"(?:: +|\s+[—–-]+\s+)(?=\S+ \S+ \S+ \S+)"
    r"|it(?:'s| is) (?:also )?(?:important|worth|good|useful|helpful|crucial|critical|essential) to (?:note|know|remember|"
    r"mention|understand|reali[sz]e|keep in mind)(?: here)? that\s+"
    r"|(?:like|as) (?:i|we|you)(?:'ve| have)? (?:said|mentioned|discussed|noted|told you)"
    r"(?: before| earlier| above)?,?\s+(?!in\b|to\b)"
    r"|(?:it(?:'s| is) )?(?:also )?worth (?:\w+ )?(?:knowing|noting|mentioning|flagging|stating|adding|remembering)"
    r"(?: here| that| too| though)?[:,]?\s+"
    rf"|(?:{_WORDS_OF_PRAISE}|no|nope|nah|wait|stop|really|right|sure|good|nice|note|caveat|gotcha|first|second|third|again"
    r"|agreed|important|interesting|now|done|fixed|hold on|yes|true|fair enough|(?:one )?last thing|first of all|reminder"
    r"|(?:decision|question) resolved|correction|verdict)(?: (?:no|yes|wait|but|then|so|man|dude|bro|guys)){0,2}"
    r"(?:(?!-\w)\s?[,.:!…—–-]+\s*|\s+[—–-]+\s+)"
    r"|(?:ah|oh|k|ok(?:ay)?|well|yeah|yep|hmm+|hm+|mm+|actually|thanks|thank you|sorry|also|and|but|so|then|however"
    r"|unfortunately|interestingly|importantly|notably|basically|essentially|specifically|in fact|in other words"
    r"|that said|additionally|furthermore|moreover|therefore|thus|hence|finally|for example|e\.g\.|i\.e\.|fyi|btw"
    r"|by the way|in addition|besides(?=,)|as a reminder|separately|tbh|imo|honestly|alright|all right|anyway|go ahead"
    r"|yes(?! (?:or|no)\b)|wait (?=why\b))\b(?:(?!-\w)[,.:!…—–-]+\s*|\s+(?!of\b|that\b|is\b|as\b|to\b|far\b|long\b)))"
)

_CONCESSIONS = (
    r"(?:you(?:'re| are) (?:absolutely |completely |exactly )?(?:right|correct)|good (?:catch|point|call)|"
    r"great (?:catch|point)|fair point"
    r"|my mistake|i apologi[sz]e|i see(?: now)?|i see the (?:issue|problem)|got it|found it|(?:i )?found the "
    r"(?:issue|problem|bug|root cause)"
    r"|i found it|i agree|the error is clear|the (?:issue|problem) is clear|"
    r"you know(?: what)?|i mean|to be honest)(?:\s?[,.:;!—–-]+\s*|\s+[—–-]+\s+)"
)

_HELD = r"(?!(?:wrong|false|mistaken|naive|outdated|opposite|old|previous|former)\b)"
"""Before no word for what nobody holds any more: without it, the contrary would be said."""

_DIAGNOSES = (
    rf"(?:the|my|our|one|another) (?:{_HELD}[\w-]+ ){{0,2}}(?:thing|nuance|detail|point|part|reason|reasoning|idea|rule|caveat|"
    r"concern|goal|assumption|consequence|difference)(?: here| now)? (?:is|was) that\s+"
    r"|(?:the )?(?:real |actual |underlying |main |core |key |root |only |remaining |honest |short |simple )*(?:issue|problem|"
    r"bug|cause|culprit|catch|point|answer"
    r"|takeaway|finding|fix|quirk|short answer"
    r"|key|lesson|trick|gist|upshot|bottom line|precise claim)(?: here| now)?"
    r"(?:(?: is| was)(?: that| where(?= \S+ (?:is|was|are|were|should)\b))?:?\s+|:\s+)"
    r"(?!with\b|in\b|from\b|on\b|at\b|about\b|related\b|due\b|here\b|how\b|likely\b|coming\b|happening\b|"
    r"clear\b|caused\b|not\b|just\b|still\b|to\b)"
    r"|the (?:best practice|(?:right|correct|proper|usual|simplest|cleanest|better) (?:approach|way|fix|solution)"
    r"|recommendation|trick|workaround)(?: here| now)? is to\s+"
)

_FRAMES = (
    r"i (?:also |just |do )*(?:want(?:ed)?|would like|'d like|need) to (?:mention|say|note|point out|add|emphasi[sz]e|clarify|"
    r"flag) that\s+|i(?: want to| would|'d| must)? remind you(?: of)?(?: [\w'-]+){0,4} that\s+|"
    r"what (?:matters|counts|(?:i|we) (?:mean|need|want))(?: here| now| most)? is that\s+|"
    r"you (?:\w+ly )?(?:asked|requested) (?:for|to|that|me)\b[^,`]{3,120}, (?:and|so|but)\s+(?=\S+ \S+ \S+ \S+)|"
    r"what (?:has )?happened (?:is|was)(?: that)?\s+|"
    r"one (?:more|last|other|further) [^:`]{3,60}:\s+(?=\S+ \S+ \S+ \S+)|"
    r"(?:verified|confirmed|checked|reproduced|measured|tested)\b[^:`]{0,60}:\s+(?=\S+ \S+ \S+ \S+)|"
    r"(?:low|medium|high|critical|minor|major|nit|blocking|blocker|p[0-4])(?: severity| priority| risk)?:\s+|"
    r"at (?:that|this) (?:point|time|moment),?\s+(?=\S+ \S+ \S+ \S+)|"
    r"to (?:answer|be (?:clear|fair|precise|sure)|sum|clarify|summarize|recap)\b[^:,`]{0,40}[:,]\s+|"
    r"(?:looking at|based on|judging by|according to|given|for now|from (?:the|your|this)|in (?:this|that|"
    r"your) (?:case|session|run))\b[^,:`]{0,60}[,:]\s+|"
    r"[^:`]{0,40}\b(?:is|are|was|were|confirms?|shows?|means|says)\b[^:`.]{0,24}:\s+(?=\S+ \S+ \S+ \S+)|"
    r"(?:it )?turn(?:s|ed) out(?: that)?,?\s+|(?:it )?(?:looks like|appears that|seems that|seems like)\s+"
    r"|(?:this|that)(?:'s| is| was) because\s+|(?:please )?(?:note|remember|be aware|keep in mind)(?: that)?:?\s+(?!to\b|of\b)"
    r"|(?:the|this) (?:[\w-]+ )?(?:error|failure|test|tests|build|crash|problem|issue|warning) (?:(?:is|was|"
    r"are|were)(?: \w+ing)?|\w+s|\w+ed) (?:because|due to|caused by)\s+(?!of\b)"
    r"|(?:the|this|your) (?:[^\s,:;]+ ){1,14}?(?:is|are|was|were) (?:happening|occurring|thrown) because\s+(?!of\b)"
    r"|at lines? \d+(?:[-–]\d+)?,? (?=\S+ \S+ \S+ \S+)"
)

_SIGNS = (
    "error|errors|message|failure|log|logs|output|trace|test|tests|check|checks|analysis|review|report|investigation|search|diff|"
    "history|insight|observation|finding|findings|results?|evidence|documentation|docs|shift|assumption|reason"
)
"""What can show something to whoever looks at it."""

_SHOW = (
    "(?:mean|show|confirm|indicate|impl(?:y|ie)|suggest|reveal|prove|say|explain|demonstrate)(?:s|ed)?|meant|shown|proven|"
    "tells? (?:me|us)|told (?:me|us)"
)

_NOTICE = (
    "(?:find|found|see|saw|notic(?:e|ed)|reali[sz](?:e|ed)|learn(?:ed|t)|discovered|determined|established|confirm(?:ed)?|"
    "verified|know|think|believe|guess|feel(?: like)?|suspect|mean|meant|said|say|noted|remember|figured)(?: out)?"
)

_REPORT = re.compile(
    rf"(?i)^(?:(?:i|we)(?:'ve|'d| have| can| could| do| did| would| honestly| also| just| now| really| still| already){{0,3}}"
    rf" (?:{_NOTICE})"
    rf"|(?:this|that|it|which)(?: also| just| only| clearly)? (?:{_SHOW})(?: to (?:me|us))?"
    rf"|(?:the|this|that|your|our|one|a|an)(?: {_HELD}[\w'.-]+){{0,4}} (?:{_SIGNS})(?: (?:above|here|now|message|itself))?"
    rf" (?:{_SHOW}|(?:is|was)(?=,? that\b)))"
    r"(?P<that>,? that:?|:)? (?=\S+ \S+ \S+)"
)
"""Who found something or what shows it, before what it is."""

_ADDRESSES = (
    r"(?:can|could|would|will) (?:you|we)(?: please| also| just)*\s+(?!also|see\b)|please(?: also| just)?\s+|"
    r"let'?s(?: also| just)?\s+(?!not\b)"
    r"|i(?:'d| would) like (?:you )?to\s+|i(?: do)? want (?:you )?to\s+|(?:you|we) (?:should|need to|have to|"
    r"must)(?: just| also)?\s+(?=use|keep|run|add|avoid|set|put|make|always|never|only|store|call|remove|write|"
    r"have)"
)

_NUMBERED = (
    r"(?:\(?(?:\d{1,2}|[a-e])\)\s+|\d{1,2}\s?[-–—]\s+(?=[a-z])|"
    r"(?:re|for|on|regarding) (?:point |item |number |question )?#?\d{1,2}\s?[,:–—-]\s+(?!\d))"
)

_LEAD = re.compile(f"^\\(?(?:{_NUMBERED}|{_OPENERS}|{_CONCESSIONS}|{_DIAGNOSES}|{_FRAMES}|{_ADDRESSES})", re.IGNORECASE)

_PLACED = re.compile(
    r"^(?:the )?(?:real |actual |main |root |underlying )*(?:issue|problem|bug|cause|culprit|error) (?:is|was|lies|sits) "
    r"(?:with|in|at) (?P<where>(?:the )?`[^`\n]+`(?: \w+)?)(?P<joint>\s+[-—–]+\s+|:\s+)(?P<it>it )?(?=\S+ \S+)",
    re.IGNORECASE,
)
"""Where a fault lies, before what it is."""

_SURE = re.compile(r"\b((?:make|be) sure) that\b", re.IGNORECASE)

_FRAME_CODE = re.compile(r"`[^`\n]*`")

_MARKED = frozenset(chain.from_iterable(PAIRS))

_TAG = re.compile(r"(?i)(?<=\w),? (?:yeah|yea|right|ok|okay|huh|correct|thanks|thank you|lol|yes|no)(?:\?+!*|[.!]*$)$")
"""What asks for assent or thanks, behind a statement."""

_COURTESY = re.compile(
    r"(?i)(?<=\w),? (?:as (?:(?:i|we|you)(?:'ve| have)? )?(?:said|mentioned|discussed|noted|asked|requested|agreed)"
    r"(?: before| earlier| above)?|for (?:me|us) please|please)[.!]*$"
)
"""What is said behind a statement, out of courtesy."""

_SOFTENING = re.compile(r"(?i)(?<=\w),? (?:if (?:it|that|this) makes (?:any |more )?sense|if (?:possible|you can))[.!]*$")
"""A condition behind a statement that asks for it all the same; behind "only" it does not."""

_ONLY = re.compile(r"\bonly\b", re.IGNORECASE)

_ASKING = re.compile(
    r"(?i)^(?:why|what|how|which|where|when|who|if|wait|(?:is|are|was|do|does|did|should|can|could|would|have|"
    r"has|will|wo|ca)(?:n'?t)?|shall|any|perhaps|maybe)\b"
)

_LINES = re.compile(
    r"(?i)(?<=\w)[`)]?(?P<it> (?:(?P<in>\()|(?:at|on|in|around|near|from|see) )"
    r"~?lines? ~?\d+(?:(?:[-–:, ]| and | to )~?\d+)*(?(in)\)))"
)
"""The lines of a file as they were that day."""

ANNOUNCED = 200
"""Characters within which a clause announces another one."""

_RULING = word_set("never always must should only don't not shouldn't mustn't cannot can't")
"""Words of a clause that is a rule, whatever reason follows it."""


def bare(text: str) -> str:
    """The statement without lead-ins, hedges and address, its first letter large.

    >>> bare("Actually, the issue is that tabs break the parser.")
    'Tabs break the parser'
    >>> bare("The problem is in `parse()` - it drops tabs.")
    '`parse()` drops tabs'
    """
    text = _PLACED.sub(
        lambda at: f"{at['where']}{' ' if at['it'] else at['joint']}",
        _SURE.sub(r"\1", _LINES.sub(lambda at: at[0].removesuffix(at["it"]), text)),
    )
    for _ in range(6):
        lead = _LEAD.match(text)
        cut = text[lead.end() if lead else _report_start(text) or _announcement_start(text) :].lstrip(" ,:;–—-")
        if cut == text or len(cut.split()) < 3:
            break
        text = cut
    return finish(text)


def _announcement_start(text: str) -> int:
    """Where what a clause announces begins, behind a colon: it names code, the clause none; else 0."""
    head, colon, rest = text[:ANNOUNCED].partition(": ")
    words = head.lower().split()
    if not colon or "`" in head or "`" not in rest or len(words) < 3 or words[0] in ORDERS or not _RULING.isdisjoint(words):
        return 0
    is_speech = words[0] in HELPERS or not HELPERS.isdisjoint(words[1:]) or words[0] in ("i", "we")
    return len(head) + len(colon) if is_speech and rest.split()[0].lower() not in POINTERS and states(rest, False) else 0


def _report_start(text: str) -> int:
    """Where what somebody found, or what something shows, begins; 0 where nothing of this form stands in front."""
    found = _REPORT.match(text)
    rest = text[found.end() :] if found else ""
    is_report = found is not None and bool(found["that"])
    return len(text) - len(rest) if rest and (states(rest, is_report) or _LEAD.match(rest)) else 0


_PREFIXES = frozenset(("re", "pre", "non", "un", "de", "co", "sub", "multi", "self", "cross"))
"""What makes no name of the word behind it."""


def finish(text: str) -> str:
    """A statement with clean ends and a large first letter; marks that have lost their partner go."""
    text = _COURTESY.sub("", _TAG.sub("", text.strip()))
    if not _ONLY.search(text):
        text = _SOFTENING.sub("", text)
    text = text.rstrip(" ,;:—–-.!→")
    if text.endswith("?") and not _ASKING.match(text):  # "can you" is gone, so the question is
        text = text.rstrip("?")
    text = _without_lone_marks(text)
    first = text.split(" ", 1)[0]
    prefix, _, rest = first.partition("-")
    first = rest if rest and prefix in _PREFIXES else first  # "re-order", but "go-git" is a name
    if first.islower() and first.replace("'", "").rstrip(":,").isalpha():
        text = text[0].upper() + text[1:]
    return text


def _without_lone_marks(text: str) -> str:
    """The text without the one mark of a pair that has lost the other; what stands in code stays."""
    if text.count("`") % 2:
        text = text.replace("`", "")
    if text.count('"') % 2:
        text = text.replace('"', "")
    if _MARKED.isdisjoint(text):
        return text
    for one, other in PAIRS:
        masked = _FRAME_CODE.sub(lambda code: "x" * len(code[0]), text)
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
