"""Word a lesson: a headline of at most 12 words, an insight of at most 30, and one to three offers.

Everything here only leaves out, never invents: lead-ins, hedges, address and markup go, subordinate ends go when there are
too many words. What a pronoun at the start stands for is prefixed from the heading or the sentence before.

Cut a sentence to a number of words where a clause or a phrase ends, so that what is left can stand alone.

What stands before a statement and says nothing of it: address, assent, hedges, the frame of a diagnosis or a report.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Set
from functools import lru_cache
from itertools import chain

from curator.model import Wording
from curator.text.lists import listed

_COUNTS = "one|two|three|four|a|an|another|some|several|the|my"
_REMARKS = (
    "(?:thing|note|caveat|point|detail|nuance|quirk|gotcha|wrinkle|footnote|asymmetry|tweak|observation|reminder|warning|exception|"
    "consequence|correction)s?"
)
"""What a statement is called that is about to be made, and how many of them."""

_OPENERS = (
    rf"(?:(?:{_COUNTS})(?: [\w-]+){{0,3}} (?:{_REMARKS})(?: (?!is\b|was\b|are\b)[^:`]{{1,60}})?:\s+"
    r"|(?:it(?:'s| is) )?(?:also )?worth (?:\w+ )?(?:knowing|noting|mentioning|flagging|stating|adding|remembering)"
    r"(?: here| that| too| though)?[:,]?\s+"
    r"|(?:no|nope|wait|stop|really|right|sure|great|perfect|good|nice|note|caveat|gotcha|first|second|third|again"
    r"|agreed|important|interesting|now|done|fixed|hold on|yes"
    r"|(?:decision|question) resolved|correction|verdict)"
    r"(?:[,.:!…—–-]+\s*|\s+[—–-]+\s+)"
    r"|(?:ah|oh|k|ok(?:ay)?|well|yeah|yep|hmm+|hm+|mm+|actually|thanks|thank you|sorry|also|and|but|so|then|however"
    r"|unfortunately|interestingly|importantly|notably|basically|essentially|specifically|in fact|in other words"
    r"|that said|additionally|furthermore|moreover|therefore|thus|hence|finally|for example|e\.g\.|i\.e\.|fyi|btw"
    r"|by the way|separately|tbh|imo|honestly|alright|all right|anyway|go ahead"
    r"|yes(?! (?:or|no)\b)|wait (?=why\b))\b(?:[,.:!…—–-]+\s*|\s+(?!of\b|that\b|is\b|as\b|to\b|far\b|long\b)))"
)

_CONCESSIONS = (
    r"(?:you(?:'re| are) (?:absolutely |completely |exactly )?(?:right|correct)|good (?:catch|point|call)|"
    r"great (?:catch|point)|fair point"
    r"|my mistake|i apologi[sz]e|i see(?: now)?|i see the (?:issue|problem)|got it|found it|(?:i )?found the "
    r"(?:issue|problem|bug|root cause)"
    r"|i found it|i agree|the error is clear|the (?:issue|problem) is clear)(?:[,.:;!—–-]+\s*|\s+[—–-]+\s+)"
)

_DIAGNOSES = (
    r"(?:the )?(?:real |actual |underlying |main |core |key |root |only |remaining |honest |short |simple )*(?:issue|problem|"
    r"bug|cause|culprit|catch|point|answer"
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
    r"to (?:answer|be (?:clear|fair|precise|sure)|sum|clarify|summarize|recap)\b[^:,`]{0,40}[:,]\s+|"
    r"(?:looking at|based on|judging by|according to|given|for now|from (?:the|your|this)|in (?:this|that|"
    r"your) (?:case|session|run))\b[^,:`]{0,60}[,:]\s+|"
    r"[^:`]{0,40}\b(?:is|are|was|were|confirms?|shows?|means|says)\b[^:`.]{0,24}:\s+(?=\S+ \S+ \S+ \S+)|"
    r"(?:it )?turn(?:s|ed) out(?: that)?,?\s+|(?:it )?(?:looks like|appears that|seems that|seems like)\s+"
    r"|(?:this|that)(?:'s| is| was) because\s+|(?:please )?(?:note|remember|be aware|keep in mind)(?: that)?:?\s+(?!to\b|of\b)"
    r"|i(?:'ve| have)? (?:just |also )?(?:verified|checked|traced|tested|confirmed|investigated|reproduced|measured|looked)\b"
    r"(?![^:`]*\bexample:)[^:`]{0,80}:\s+(?=\S+ \S+ \S+ \S+)"
    r"|(?:the|this) (?:[\w-]+ )?(?:error|failure|test|tests|build|crash|problem|issue|warning) (?:(?:is|was|"
    r"are|were)(?: \w+ing)?|\w+s|\w+ed) (?:because|due to|caused by)\s+(?!of\b)"
    r"|(?:the|this) (?:[\w-]+ )?(?:error|failure|crash|problem|issue|warning) (?:is|was) caused by\s+"
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
    rf"|(?:the|this|that|your|our|one|a|an)(?: [\w'.-]+){{0,4}} (?:{_SIGNS})(?: (?:above|here|now|message|itself))?"
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

_FRAME_CODE = re.compile(r"`[^`\n]*`")

_MARKED = frozenset(chain.from_iterable(PAIRS))

_TAG = re.compile(r"(?i)(?<=\w),? (?:yeah|yea|right|ok|okay|huh|correct|thanks|thank you|lol|yes|no)(?:\?+!*|[.!]*$)$")
"""What asks for assent or thanks, behind a statement."""

_ASKING = re.compile(
    r"(?i)^(?:why|what|how|which|where|when|who|if|wait|(?:is|are|was|do|does|did|should|can|could|would|have|"
    r"has|will|wo|ca)(?:n'?t)?|shall|any|perhaps|maybe)\b"
)


_LINES = re.compile(
    r"(?i)(?<=\w)[`)]?(?P<it> (?:(?P<in>\()|(?:at|on|in|around|near|from|see) )"
    r"~?lines? ~?\d+(?:(?:[-–:, ]| and | to )~?\d+)*(?(in)\)))"
)
"""The lines of a file as they were that day."""


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
        cut = text[lead.end() if lead else _reported(text) or _announced(text) :].lstrip(" ,:;–—-")
        if cut == text or len(cut.split()) < 3:
            break
        text = cut
    return finished(text)


def _announced(text: str) -> int:
    """Where what a clause announces begins, behind a colon: it names code, the clause none; else 0."""
    head, colon, rest = text[:ANNOUNCED].partition(": ")
    words = head.lower().split()
    if not colon or "`" in head or "`" not in rest or len(words) < 3 or words[0] in _ORDERS or not _RULING.isdisjoint(words):
        return 0
    spoken = words[0] in _HELPERS or not _HELPERS.isdisjoint(words[1:]) or words[0] in ("i", "we")
    return len(head) + len(colon) if spoken and rest.split()[0].lower() not in _POINTERS and _states(rest, False) else 0


def _reported(text: str) -> int:
    """Where what somebody found, or what something shows, begins; 0 where nothing of this form stands in front."""
    found = _REPORT.match(text)
    rest = text[found.end() :] if found else ""
    told = found is not None and bool(found["that"])
    return len(text) - len(rest) if rest and (_states(rest, told) or _LEAD.match(rest)) else 0


def _states(text: str, told: bool = True) -> bool:
    """Whether a text begins with a clause: a subject that is named, and its verb; behind "that" it need not be seen."""
    words = [word.lower().strip("\"'“”*.:;()`") for word in _FURTHER.split(_masked(_bracketless(text[:200])))[0].split()]
    if words[0] in _RELATIVES | _AT_A_LOSS or _begins_with_verb(words):
        return False
    verbs = (n for n, word in enumerate(words[1:10], 1) if word in _HELPERS or (words[n - 1] in _MIDWAY and word.endswith("s")))
    verb = next(verbs, 0)
    return told or (verb > 0 and _RELATIVES.isdisjoint(words[:verb]))


def finished(text: str) -> str:
    """A statement with clean ends and a large first letter; marks that have lost their partner go."""
    text = _TAG.sub("", text.strip()).rstrip(" ,;:—–-.!→")
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


HEADLINE = 12
"""Words of a headline at most."""

FRONTS = 4
"""Circumstances before a main clause that are taken off, one after another."""

WHOLE = 5
"""Words from which on a beginning is preferred to a later clause."""

_CLAUSE = re.compile(
    r"\s*[;—–]\s+|\s+-{1,2}\s+|,?\s+(?:because|since|so that|so|which|whereas|while|although|though|unless|but|"
    r"otherwise|and then|even though|as it|as they|as we)\s+|\s*\.{2,}\s*"
    r"|,\s+(?:and|or|not|then|causing|making|leaving|rather than|instead of|meaning|except)\s+"
    r"|,\s+|:\s+|\s+\(|\.\s+",
    re.IGNORECASE,
)

_EXAMPLES = re.compile(
    r",\s+(?:including|such as|like|especially|for example|e\.g\.)\b(?:[^,`.;:]|`[^`]*`){3,100},(?=\s(?!and\b|or\b))"
)

_RUN_ON = re.compile(r"(?<=[a-z])\.{2,}\s*(?=[a-z])")

_BUT = re.compile(r",? but (?!i\b|you\b)", re.IGNORECASE)

_DONE = re.compile(r"(?i)(?:never|always) (?:\w+ed|was|were|had|did|got|made)\b")

_SHARED = re.compile(
    r",? but (?:only|also|never|always|still|is|are|was|were|has|had|do|does|did|can|could|\w+n't|"
    r"(?!this\b|its\b|always\b)\w+[^su\W]s|\w+ed)\b"
)
"""What is said of the same thing after "but": without it the other half misleads."""

_REASON = re.compile(r"(?i)^(?:since|because|as)\s+")

_BACK = re.compile(
    r"\b(?:it|it's|them|they|they're|these|those|this|here)\b|\bthat(?:'s)?$|^that\b|\bboth$|^(?:\w+ ){0,3}(?:its|their)\b"
)

_BOUNDARY = re.compile(
    r"[,;] | [—–-] |\b(?:that|which|when|if|because|while|so|since|unless|until|before|after|where|who|as|how|what|and|or|but|"
    r"meaning)\b"
)
"""What begins a clause within another, in which a pronoun may stand for what the other names."""

_ATTACHED = re.compile(r"` [A-Za-z]+(?:ed|ing)$")
"""What a thing of code is said to be at the end of a cut: what followed said by whom, to what, from where."""

_BRACKETED = re.compile(r"\s+\((?:[^()]|\([^()]{0,80}\)){0,200}\)")

_DASHED = re.compile(r"\s+[—–]\s+(?:[^—–`]|`[^`]*`){1,160}?\s+[—–](?=\s)")

LABEL = 4
"""Words of a label at most."""

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

_FORBIDS = re.compile(r"\b(?:never|not|no|cannot|avoid|nothing|nobody|\w+n't)\b", re.IGNORECASE)

_EXCEPTS = re.compile(r"[,\s]*\b(without|unless|except|until|before|other than|apart from|if|when|whenever)\b", re.IGNORECASE)
"""Without what follows, a prohibition says another thing."""

_DANGLING = listed("a an the and or but nor so yet of in on at to for from by with as into onto over under than then that "
    "which who whom whose where when while if because since unless until is are was were be been being "
    "has have had do does did not no will would can could should may might must shall it its their your our "
        "my his her this these those very only also just about between via per vs even each every any some "
    "both either such like using used including e.g i.e there they we you i he she what how why more most "
        "less all before after without within against through during needs need wants want means means getting "
        "get gets makes make instead rather actually always never still "
    "shouldn't don't isn't can't won't doesn't aren't it's that's we're you're i'm i've there's afraid trying "
        "going able someone somebody something anyone anybody unrelated related due based according compared depends "
        "belongs relies refers able unable likely supposed likelier whether though although however otherwise et "
        "consists tied prior opposed subject asked asks "
        "assuming responsible similar verify note handle upon toward towards across among beyond behind "
        "below above ensures ensure requires require contains contain lets let pertain pertains "
        "i'd we'd you'd they're he's she's what's who's we've they've you've "
        "couldn't wouldn't hasn't haven't hadn't didn't wasn't weren't mustn't currently already")  # fmt: skip

_HELPERS = listed("is are was were am has have had does do did can cannot could will would should must may might shall needs "
    "need isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't can't couldn't won't wouldn't shouldn't "
    "mustn't "
    "it's that's there's what's we're you're they're i'm i've we've you've they've he's she's i'll we'll you'll it'll i'd "
    "lets means wants dont cant doesnt isnt wont im")  # fmt: skip
"""Words that show that a clause has its verb."""

_RELATIVES = listed(
    "that which who whose if when whenever where while until because since unless whether how why what wherever"
)
"""What begins a clause within another."""

_SUBJECTS = frozenset(("that", "which", "who", "what"))
"""Those of them behind which the verb may stand at once."""

_PHRASES = listed("in on at to for from by with into onto over under through during via after before within across between "
    "against without inside outside instead rather and or as when if whenever where while until because since unless which "
    "who whose so whether like including")  # fmt: skip
"""What begins a part of a sentence that the rest can do without."""

_AWAITING = listed("should could would must may might shouldn't mustn't")
"""Words whose verb, if it ends a part, has lost what belongs to it."""

_OF = frozenset(("of",))

_DETERMINERS = listed("a an the its their your our my his her this these those each every any some all no")

_OPENINGS = listed("if when whenever because since while although though as unless after before where until once")

_SPEAKERS = listed("i we you they he she")

_FRONTS = listed("given instead according in on for with by at from during without due to besides despite unlike")

_POINTERS = listed(
    "it it's they they're this that that's these those he she which who i i'm i'll i've we'll and or but so then as if"
)

_BOUND = listed("able unable want wants wanted need needs have has had try tries trying going used order supposed ought "
    "allowed "
    "likely way required depends depend belongs belong rely relies refers refer consists based due according related unrelated "
    "looks look rather leads lead results close opposed prior responsible instead both between it this that them us me "
    "you up out off one what which pertain pertains applies apply points point respond responds kind kinds sort type number "
    "set show shows "
    "suggests recommends requires avoids starts stops continues blocks prevents allows tells states means lets asks "
    "list lot most some all part use because way pair couple none any each version case point end think thought")  # fmt: skip
"""Words that a phrase behind them belongs to: there is no end between the two."""

_THINGS = listed(
    "everything something anything nothing thing string setting bring ring king during ping timing building meaning"
)

_WILLED = frozenset(("want", "wants", "need", "needs", "ask", "asks", "allow", "allows", "tell", "tells", "like", "expect"))
"""Verbs of which somebody, and what he is to do, are the object."""

_RELATIVE = re.compile(rf"\b(?:{'|'.join(sorted(_RELATIVES))})\b")

_MIDWAY = listed("already now never always only also just still silently")
"""What stands between a subject and its verb."""

_FURTHER = re.compile(r",? (?:so|but|which|then|because|since) ")
"""Where another clause begins."""

ANNOUNCED = 200
"""Characters within which a clause announces another one."""

_RULING = listed("never always must should only don't not shouldn't mustn't cannot can't")
"""Words of a clause that is a rule, whatever reason follows it."""

_AT_A_LOSS = listed(
    "to of in on at for with about from by and or but so not just only either neither nor rather instead per via"
)
"""What no clause begins with."""

_TELLING = listed("know see say think believe mean ensure sure note find show told say so such now given except is was confirm "
    "mind feel guess assume expect require provided make remember mention clear likely")  # fmt: skip
"""Words behind which "that" begins what is told; elsewhere it tells which is meant."""

_CODE = re.compile(r"`[^`\n]{1,80}`")


def size(text: str) -> int:
    """How many words a text has; in languages without spaces, as many as its letters would make."""
    return max(len(text.split()), len(text) // 14)


def shortened(text: str, most: int, fronts: int = FRONTS) -> str:
    """The text, or what of it can stand alone in at most ``most`` words.

    First without asides and up to ``fronts`` fronted circumstances, then up to where a clause ends, then up to where a phrase
    ends, then a later clause; and where it has none of these, its first words.
    """
    if size(text) <= most:
        return finished(text)
    without = _EXAMPLES.sub("", _DASHED.sub("", _bracketless(text)))
    if most <= HEADLINE and ".." in without:  # whoever runs sentences on with dots says one thing in each
        first = _RUN_ON.split(without)[0]
        without = first if size(first) >= 4 else without
    if size(without) <= most and not _loose(without):
        return finished(without)
    without = _CONCESSIVE.sub("", without)
    without = _spare(without, most)
    if size(without) <= most and not _loose(without):
        return finished(without)
    if most <= HEADLINE and (behind := _labelled(without)):
        return shortened(without[behind:], most, fronts)
    if turn := _turn(without, most):
        return finished(turn)
    if fronts and most <= HEADLINE and (main := _fronted(without)) != without:
        return shortened(bare(main), most, fronts - 1)
    best = _longest((part for part in _clauses(without, most) if not excepted(without, part)), most)
    phrases = list(_phrases(without, most))
    shared = _SHARED.match(without, len(best)) and size(_longest(phrases, most)) > size(best)
    if size(best) >= min(WHOLE, most // 2) and not shared:
        return finished(best)
    phrase = _longest((part for part in phrases if not _ATTACHED.search(part)), most)
    wider = _longest(_phrases(without, most, _OF), most) if size(phrase) < most - 2 else ""
    phrase = wider if size(wider) >= size(phrase) + WHOLE - 2 else phrase
    if size(phrase) >= WHOLE and not excepted(without, phrase):
        return finished(phrase)
    for own in (False, not phrase):
        if later := next((part for part in _later(without, own) if WHOLE <= size(part) <= most and not hangs(part)), ""):
            return finished(later)
    cut = phrase or _cut(without, most)
    joint = excepted(without, cut)
    if not joint:
        return finished(cut)
    cut = cut if size(cut) < most else _cut(without, most - 1)
    return f"{finished(cut)} {joint}…".replace(" ……", "…")


def _longest(parts: Iterable[str], most: int) -> str:
    """The longest of some beginnings of a sentence that fits and can stand alone; empty where none does."""
    fitting = sorted((part for part in parts if 4 <= size(part) <= most), key=size, reverse=True)
    return next((part for part in fitting if not hangs(part)), "")


def excepted(text: str, part: str) -> str:
    """The word for the exception that a prohibition loses if this beginning of it stands alone; empty where none is lost."""
    if not text.startswith(part) or not _FORBIDS.search(part):
        return ""
    if match := _EXCEPTS.match(text, len(part)):
        return match[1]
    inside = list(_EXCEPTS.finditer(part))  # begun, and cut before it says anything
    return "" if not inside or len(part[inside[-1].end() :].split()) > 2 else "…"


def _masked(text: str) -> str:
    """The text with the same letters, but nothing that means anything inside of code."""
    return _CODE.sub(lambda m: "`" + "x" * (len(m[0]) - 2) + "`", text)


def _bracketless(text: str) -> str:
    """The text without asides in brackets; brackets of code stay."""
    for aside in reversed(list(_BRACKETED.finditer(_masked(text)))):
        text = text[: aside.start()] + text[aside.end() :]
    return text


def _labelled(text: str) -> int:
    """Where the statement behind a label begins, which a headline has no room for; 0 where there is none."""
    label, colon, rest = text.partition(": ")
    words = label.lower().split()
    titles = len(words) <= LABEL and "`" not in label and _HELPERS.isdisjoint(words) and words[:1] and words[0] not in _ORDERS
    return len(label) + len(colon) if titles and rest.strip() and not _PRONOUN.match(rest) and _states(rest, False) else 0


def _spare(text: str, most: int) -> str:
    """The text without words that add nothing, as many as it is too long by; a text that stays too long keeps them all."""
    over = size(text) - most
    lean = _IDLE.sub("", text, count=over) if 0 < over <= SPARED else text
    return lean if size(lean) <= most else text


def _turn(text: str, most: int) -> str:
    """What comes after "but", where it stands alone and fits: there lies what is new."""
    match = _BUT.search(_masked(text))
    part = re.split(r"\s+[—–]\s|\s-\s|;\s|\s\(", text[match.end() :])[0] if match else ""
    return part if WHOLE <= size(part) <= most and not _loose(part) and _stands(part) else ""


def _fronted(text: str) -> str:
    """The text without the circumstance before its main clause, or a reason that stands there where all else leans on it."""
    front = _FRONTED.match(text)
    if not front:
        return text
    main = text[front.end() :]
    reason = _REASON.sub("", front[0]).rstrip(", ")
    return reason if _leans(main) and reason != front[0].rstrip(", ") and not hangs(reason) else main


def _leans(part: str) -> bool:
    """Whether a clause speaks of what only the words before it name."""
    return bool(_BACK.search(_BOUNDARY.split(_masked(part).lower())[0]))


def _stands(part: str) -> bool:
    """Whether a clause behind another one has a subject of its own, which it names, and a verb."""
    first, *rest = _RELATIVE.split(part.lower().removeprefix("only `"))[0].split() or [""]
    if first in _POINTERS | _OPENINGS | _HELPERS | _RELATIVES | _MIDWAY | _ORDERS | _AT_A_LOSS or first.endswith("ing"):
        return False
    return not _begins_with_verb([first, *rest]) and _verb(rest, first not in _DETERMINERS) and not _leans(part)


def _begins_with_verb(words: list[str]) -> bool:
    """Whether the first word is a verb and the second its object: the subject stands before."""
    return words[0].endswith("s") and not (_DETERMINERS | _SPEAKERS | {"it", "them", "us", "me"}).isdisjoint(words[1:2])


def _clauses(text: str, most: int) -> Iterator[str]:
    """Beginnings of the text, of at most so many words, up to each clause boundary outside code."""
    for stop in _CLAUSE.finditer(_masked(text)):
        part = text[: stop.start()]
        if size(part) > most:  # so are all further ones
            return
        yield part


def _phrases(text: str, most: int, joints: Set[str] = _PHRASES) -> Iterator[str]:
    """Beginnings of the text up to each word that begins a phrase or a clause within it."""
    masked = _masked(text)
    words = masked.split()
    at = 0
    for number, word in enumerate(words[: most + 1]):
        at = masked.index(word, at)
        plain, before = word.lower().strip(",;:"), words[number - 1].lower() if number else ""
        doing = plain.endswith("ing") and plain not in _THINGS and before not in _DETERMINERS and not before.endswith("ly")
        which = plain == "that" and not before.endswith(("s", "ed", "ly")) and before not in _TELLING
        runs_on = plain in _SPEAKERS and before not in _TELLING | _PHRASES | _DANGLING
        whose = plain == "to" and not _WILLED.isdisjoint(words[max(0, number - 6) : number])
        if number and before not in _BOUND and (plain in joints or doing or which or runs_on) and not whose:
            yield text[:at].rstrip()
        at += len(word)


_LEANING = frozenset(
    ("because", "since", "so that", "unless", "otherwise", "while", "whereas", "although", "though", "even though")
)
"""Joints of a clause that is a reason or condition of the one before, and no statement without it."""


def _later(text: str, own: bool = False) -> list[str]:
    """The clauses of the text after its first, each by itself, that name all that they speak of and have a verb.

    A reason is one, and an order, only if asked for as one's ``own`` statement, without the first clause.
    """
    found: list[str] = []
    ends = [(stop.start(), stop.end(), stop[0].strip(" ,").lower()) for stop in _CLAUSE.finditer(_masked(text))]
    for number, (_, begin, joint) in enumerate(ends):
        part = text[begin : ends[number + 1][0] if number + 1 < len(ends) else len(text)].strip(" ,;")
        first = part.split(" ")[0].lower()
        if joint == "(" or (joint in _LEANING and not own) or (joint in _SHARING and first not in _DETERMINERS):
            continue  # an aside, a reason, or more of the same subject
        orders = own and first in _ORDERS and not _DONE.match(part) and not _leans(part)
        if part and (orders or _stands(part)):
            found.append(part)
    return found


_ORDERS = listed("always never use only don't do prefer keep run let change add call set avoid put make leave write stop")

_SHARING = frozenset(("and", "or", "which", "then", "and then", "causing", "making", "leaving"))
"""Joints behind which the subject of the clause before may be meant."""


def hangs(text: str) -> bool:
    """Whether a part of a sentence leaves its reader waiting: for an end, for the main clause, or for a verb."""
    if _loose(text):
        return True
    words = [word.lower().strip("\"'“”*.,:;()") for word in _masked(text).split()]
    if (words[0] in _OPENINGS and "," not in text) or (words[0] in _FRONTS and not _verb(words[1:])):
        return True
    if words[-2:-1] and words[-2] in _AWAITING:
        return True
    inner = max((n for n, word in enumerate(words) if word in _RELATIVES and _subordinates(words, n)), default=0)
    if inner and not _verb(words[inner + 1 :], words[inner] in _SUBJECTS):
        return True
    return words[0] in _DETERMINERS and not _verb(words[1:])


def _subordinates(words: list[str], number: int) -> bool:
    """Whether a word begins a clause within another, which then wants its verb."""
    word, before, after = words[number], words[max(0, number - 1)], "".join(words[number + 1 : number + 2])
    if word == "that" and (number < 2 or before in _PHRASES):  # "that file", not "files that"
        return False
    return not (after.endswith("ing") and len(after) > 5)


def _verb(words: list[str], at_once: bool = False) -> bool:
    """Whether one of these words, as far as its form shows, is the verb of a clause."""
    for number, word in enumerate(words):
        if word in _HELPERS:
            return True
        ends = word.endswith(("s", "ed")) and not word.endswith(("ss", "us", "is", "'s")) and len(word) > 3
        plural = number + 1 == len(words) and not _DETERMINERS.isdisjoint(words[max(0, number - 2) : number])
        if ends and (word.endswith("ed") or ((number or at_once) and not plural)):
            return True
        if word in ("we", "you", "they", "i") and number + 1 < len(words):
            return True
    return False


def _loose(text: str) -> bool:
    """Whether a text ends on a word that wants another one, or leaves a bracket, quotation or code open."""
    last = text.split()[-1].lower().strip("`'\"“”«»*().,:;—–-") if text.strip() else ""
    return not last or last in _DANGLING or _unclosed(text)


def _unclosed(text: str) -> bool:
    if text.startswith(('"', "“")) and text.count('"') % 2 + text.count("“") - text.count("”") == 1:
        text = text[1:]  # a quotation that has only begun loses its mark
    if text.count("`") % 2 or text.count('"') % 2:
        return True
    masked = text if text.isascii() and "(" not in text and "[" not in text else _masked(text)
    return any(masked.count(first) > masked.count(last) for first, last in PAIRS)


def _cut(text: str, most: int) -> str:
    """The first ``most`` words at best, back to a word that wants no other."""
    words = text.split()
    if len(words) <= most < size(text):  # no spaces: cut by letters
        stop = max(text.rfind(mark, 0, most * 14) for mark in "，。；、, ")
        return text[: stop if stop > 10 else most * 14]
    whole = words[:most]
    described = whole[-2:-1] and whole[-2].lower() in ("a", "an") and whole[-1].isalpha()  # "a good" wants what is good
    if described and words[most : most + 1] and words[most].lower() not in _PHRASES:
        whole.pop()
    if " ".join(whole).count("`") % 2:  # amid code, of which more words tell more
        whole = "".join(" ".join(whole).rsplit("`", 1)).split()
    while len(whole) > 3 and _loose(" ".join(whole)):
        whole.pop()
    return " ".join(whole)


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
    r"(?i)^(?:it|this|that|these|those|they|he|she|which|who)(?:'s|'re|'ll)?\b"
    r"(?! (?:repo|repository|project|codebase|monorepo|workspace|team|company|machine|app|library|package)\b)"
)
"""What stands for something that was named before; but what all work on needs no name."""

_TALE = re.compile(
    r"(?i)^(?:i|i'm|i've|i'll|let me)\b(?! (?:do |not |don't |dont |really |only |also |just ){0,3}"
    r"(?:want|need|like|prefer|hate|expect|wish|think)\b)"
)
"""Somebody tells what he does; what he wants is a rule."""

_SINGULAR = listed("is was has does doesn't isn't wasn't hasn't")
_PLURAL = listed("are were have do don't aren't weren't haven't")

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
    """Whether a headline leans on something that was said before it.

    >>> unclear("This drops the cache"), unclear("This repo has no tests")
    (True, False)
    """
    return bool(_PRONOUN.match(headline))


def narrates(headline: str) -> bool:
    """Whether somebody tells of himself: of a person it is a wish, of an agent what it did, thought or is about to do."""
    return bool(_ITSELF.match(headline))


def resolved(statement: str, heading: str, before: str) -> str:
    """The statement with what its first pronoun stands for, where the sentence before or the heading shows that.

    >>> resolved("It drops them on login", "", "The session store is no cache.")
    'The session store drops them on login'
    """
    if not _REFERS.match(statement):
        return statement
    pronoun, _, rest = statement.partition(" ")
    name = subject(heading, before)
    if pronoun.lower() in ("it", "they") and (topic := name if name[:1] == "`" else _topic(before, pronoun.lower() == "they")):
        return f"{topic} {rest}"
    return f"{name}: {statement[0].lower()}{statement[1:]}" if name else statement


def _grounded(statement: str) -> str:
    """The statement, or, where it begins with what nobody knows or with a tale, the first clause of it that stands alone."""
    if not (unclear(statement) or _TALE.match(statement)):
        return statement
    parts = (part for part in _later(statement, own=True) if size(part) >= WHOLE - 1 and not hangs(part))
    return next((bare(statement[statement.rindex(part) :]) for part in parts), statement)


def _topic(before: str, plural: bool) -> str:
    """The subject of a sentence, if it names something in a few words and agrees in number; else empty."""
    words = bare(before).split()
    verbs = _PLURAL if plural else _SINGULAR
    end = next((n for n, word in enumerate(words[:6]) if word.lower() in verbs), 0)
    named = end and (words[0].lower() in ("the", "our", "your") or words[0][0] == "`") and _PHRASES.isdisjoint(words[:end])
    return " ".join(words[:end]) if named else ""


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
    sentence, before, after = plain(quote), plain(before), plain(after)
    statement = _grounded(resolved(bare(sentence), heading, before))
    insight = shortened(statement, INSIGHT)
    found = [Wording(shortened(statement, HEADLINE), insight, "worded")]
    found += [Wording(found[0].headline, text, label) for label, text in _wider(statement, before, after)]
    tail = _reasonless(statement)
    if tail and size(found[0].headline) - size(tail) >= BROADER:
        found.append(Wording(tail, insight, "broader"))
    verbatim = shortened(sentence, HEADLINE) if finished(sentence) != statement else ""
    if verbatim and not hangs(verbatim) and not near(bare(verbatim), found[0].headline):
        found.append(Wording(verbatim, shortened(sentence, INSIGHT), "as said"))
    unique = distinct(found)
    if len(unique) == 1:
        unique = distinct([*unique, *_placed(unique[0], heading)])
    return unique[:3]


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


def _placed(wording: Wording, heading: str) -> Iterator[Wording]:
    """The same statement under its heading, where that is a name that it lacks."""
    name = subject(heading, "")
    whole = f"{name}: {wording.headline}"
    if name and name.lower() not in wording.insight.lower() and size(f"{name} {wording.insight}") <= INSIGHT:
        yield Wording(whole if size(whole) <= HEADLINE else wording.headline, f"{name}: {wording.insight}", "with its subject")


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "。")) else text + "."


def _wider(statement: str, before: str, after: str) -> Iterator[tuple[str, str]]:
    before, after = ("" if _NARRATES.match(text) else text for text in (before, after))
    if after and size(statement) + size(after) <= INSIGHT and not after.endswith((":", "?")) and size(after) >= 4:
        yield "with what follows", f"{_sentence(statement)} {finished(after)}"
    elif before and size(statement) + size(before) <= INSIGHT and not before.endswith((":", "?")) and size(before) >= 4:
        yield "with what led to it", f"{_sentence(finished(before))} {statement}"


def _reasonless(statement: str) -> str:
    """The statement up to its first reason or condition, where that stands alone."""
    match = re.search(r",?\s+(?:because|since|so that|otherwise|unless|when|if|due to|to avoid)\s|\s[—–]\s|;\s", statement)
    part = statement[: match.start()] if match else ""
    return finished(part) if 6 <= size(part) <= HEADLINE and not hangs(part) and not excepted(statement, part) else ""
