"""Tell clauses by their form: a subject that is named and its finite verb; where one ends, and what leaves it hanging."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from curator.text.words import word_set

PAIRS = (("(", ")"), ("[", "]"), ("“", "”"), ("«", "»"))
"""Marks of which the first opens what the second closes."""

_CLAUSE = re.compile(
    r"\s*[;—–]\s+|\s+-{1,2}\s+|,?\s+(?:because|since|so that|so|which|whereas|while|although|though|unless|but|"
    r"otherwise|and then|even though|as it|as they|as we)\s+|\s*\.{2,}\s*"
    r"|,\s+(?:and|or|not|then|causing|making|leaving|rather than|instead of|meaning|except)\s+"
    r"|,\s+|:\s+|\s+\(|\.\s+",
    re.IGNORECASE,
)

_DONE = re.compile(r"(?i)(?:never|always) (?:\w+ed|was|were|had|did|got|made)\b")

_BACK = re.compile(
    r"\b(?:it|it's|them|they|they're|these|those|this|here)\b|\bthat(?:'s)?$|^that\b|\bboth$|^(?:\w+ ){0,3}(?:its|their)\b"
)

_BOUNDARY = re.compile(
    r"[,;] | [—–-] |\b(?:that|which|when|if|because|while|so|since|unless|until|before|after|where|who|as|how|what|and|or|but|"
    r"meaning)\b"
)
"""What begins a clause within another, in which a pronoun may stand for what the other names."""

_BRACKETED = re.compile(r"\s+\((?!unless\b|except\b|only (?:if|when|for|in)\b)(?:[^()]|\([^()]{0,80}\)){0,200}\)")

_FORBIDS = re.compile(r"\b(?:never|not|no|cannot|avoid|nothing|nobody|\w+n't)\b", re.IGNORECASE)

_EXCEPTS = re.compile(r"[,\s]*\b(without|unless|except|until|before|other than|apart from|if|when|whenever)\b", re.IGNORECASE)
"""Without what follows, a prohibition says another thing."""

_LIMITS = re.compile(r",?\s*\(?\b(unless|except|only (?:if|when|where|after|before|for|in|on|by|with))\b", re.IGNORECASE)
"""Without what follows, whatever is said holds of more than was meant."""

_DANGLING = word_set("a an the and or but nor so yet of in on at to for from by with as into onto over under than then that "
    "which who whom whose where when while if because since unless until is are was were be been being "
    "has have had do does did not no will would can could should may might must shall it its their your our "
        "my his her this these those very only also just about between via per vs even each every any some "
    "both either such like using used including e.g i.e there they we you i he she what how why more most "
        "less all before after without within against through during needs need wants want means means getting "
        "get gets makes make instead rather actually always never still "
    "shouldn't don't isn't can't won't doesn't aren't it's that's we're you're i'm i've there's afraid trying "
        "going able depending someone somebody something anyone anybody unrelated related due based according compared depends "
        "belongs relies refers able unable likely supposed likelier whether though although however otherwise et "
        "consists tied prior opposed subject asked asks "
        "assuming responsible similar verify note handle upon toward towards across among beyond behind "
        "below above ensures ensure requires require contains contain lets let pertain pertains "
        "i'd we'd you'd they're he's she's what's who's we've they've you've "
        "couldn't wouldn't hasn't haven't hadn't didn't wasn't weren't mustn't currently already")  # fmt: skip

HELPERS = word_set("is are was were am has have had does do did can cannot could will would should must may might shall needs "
    "need isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't can't couldn't won't wouldn't shouldn't "
    "mustn't "
    "it's that's there's what's we're you're they're i'm i've we've you've they've he's she's i'll we'll you'll it'll i'd "
    "lets means wants dont cant doesnt isnt wont im")  # fmt: skip
"""Words that show that a clause has its verb."""

_RELATIVES = word_set(
    "that which who whose if when whenever where while until because since unless whether how why what wherever"
)
"""What begins a clause within another."""

_SUBJECTS = frozenset(("that", "which", "who", "what"))
"""Those of them behind which the verb may stand at once."""

PHRASES = word_set("in on at to for from by with into onto over under through during via after before within across between "
    "against without inside outside instead rather and or as when if whenever where while until because since unless which "
    "who whose so whether like including")  # fmt: skip
"""What begins a part of a sentence that the rest can do without."""

_AWAITING = word_set("should could would must may might shouldn't mustn't")
"""Words whose verb, if it ends a part, has lost what belongs to it."""

_DETERMINERS = word_set("a an the its their your our my his her this these those each every any some all no")

_OPENINGS = word_set("if when whenever because since while although though as unless after before where until once")

_SPEAKERS = word_set("i we you they he she")

_FRONTS = word_set("given instead according in on for with by at from during without due to besides despite unlike")

POINTERS = word_set(
    "it it's they they're this that that's these those he she which who i i'm i'll i've we'll and or but so then as if"
)

_BOUND = word_set("able unable want wants wanted need needs have has had try tries trying going used order supposed ought "
    "allowed "
    "likely way required depends depend belongs belong rely relies refers refer consists based due according related unrelated "
    "looks look rather leads lead results close opposed prior responsible instead both between it this that them us me "
    "you up out off one what which pertain pertains applies apply points point respond responds kind kinds sort type number "
    "set show shows "
    "suggests recommends requires avoids starts stops continues blocks prevents allows tells states means lets asks "
    "list lot most some all part use because way pair couple none any each version case point end think thought "
    "live lives lived sit sits reside resides put puts goes comes stays remains")  # fmt: skip
"""Words that a phrase behind them belongs to: there is no end between the two."""

_FOCUS = word_set("even only just especially particularly not mostly")
"""What stands before the first word of a phrase and belongs to it."""

_WHICH = frozenset(("whose", "where"))
"""What begins a clause that tells which is meant, besides the subjects of such clauses."""

_PAIRED = (
    (word_set("same such as so"), "as"),
    (word_set("from moving move moved changed change switch switched"), "to"),
    (word_set("too enough"), "to"),
    (word_set("both between"), "and"),
    (word_set("either whether"), "or"),
    (word_set("more less rather other"), "than"),
)
"""What is open until its other half is said."""

_ADJACENT = word_set("this these those")

_POINTING = _ADJACENT | {"it", "them"}
"""Words that stand for, or point at, what was named before."""

_KNOWN = word_set("repo repository project codebase monorepo workspace team company machine app library package "
    "environment session platform system tool case branch")  # fmt: skip
"""What all work on and with: "this repo" points at nothing that was said before."""

_EXPLETIVE = word_set("is was would makes takes easier easy clear possible impossible hard harder obvious simple necessary")
"""Words behind an "it" that stands for what comes later."""

_HEIGHTENING = word_set("as so too very more most less")

_OBJECTS = word_set("it them us me him these those this that")

_BRIEF = 3
"""Letters up to which a word's ending tells nothing of its form."""

_APART = 8
"""Words that lie between two halves at most."""

_THINGS = word_set(
    "everything something anything nothing thing string setting bring ring king during ping timing building meaning"
)

_WILLED = frozenset(("want", "wants", "need", "needs", "ask", "asks", "allow", "allows", "tell", "tells", "like", "expect"))
"""Verbs of which somebody, and what he is to do, are the object."""

_RELATIVE = re.compile(rf"\b(?:{'|'.join(sorted(_RELATIVES))})\b")

_MIDWAY = word_set("already now never always only also just still silently")
"""What stands between a subject and its verb."""

_FURTHER = re.compile(r",? (?:so|but|which|then|because|since) ")
"""Where another clause begins."""

_AT_A_LOSS = word_set(
    "to of in on at for with about from by and or but so not just only either neither nor rather instead per via"
)
"""What no clause begins with."""

_TELLING = word_set("know see say think believe mean ensure sure note find show told say so such now given except is was "
    "confirm mind feel guess assume expect require provided make remember mention clear likely")  # fmt: skip
"""Words behind which "that" begins what is told; elsewhere it tells which is meant."""

CODE = re.compile(r"`[^`\n]{1,80}`")

_LEANING = frozenset(
    ("because", "since", "so that", "unless", "otherwise", "while", "whereas", "although", "though", "even though")
)
"""Joints of a clause that is a reason or condition of the one before, and no statement without it."""

ORDERS = word_set("always never use only don't do prefer keep run let change add call set avoid put make leave write stop")

_UNCLAIMED = frozenset(("(", "so that", "unless", "not", "rather than", "instead of", "except"))
"""Joints of an aside, a purpose, or what does not hold."""

_SHARING = frozenset(("and", "or", "which", "then", "and then", "causing", "making", "leaving"))
"""Joints behind which the subject of the clause before may be meant."""


def states(text: str, is_report: bool = True) -> bool:
    """Whether a text begins with a clause: a subject that is named, and its verb; behind "that" it need not be seen."""
    words = [word.lower().strip("\"'“”*.:;()`") for word in _FURTHER.split(mask_code(bracketless(text[:200])))[0].split()]
    if not words or words[0] in _RELATIVES | _AT_A_LOSS or _begins_with_verb(words):
        return False
    verbs = (n for n, word in enumerate(words[1:10], 1) if word in HELPERS or (words[n - 1] in _MIDWAY and word.endswith("s")))
    verb = next(verbs, 0)
    verb = verb or int(text.startswith("`") and words[1:2] != [] and words[1].endswith("s"))
    return is_report or (verb > 0 and _RELATIVES.isdisjoint(words[:verb]))


def size(text: str) -> int:
    """How many words a text has; in languages without spaces, as many as its letters would make."""
    return max(len(text.split()), len(text) // 14)


def denies(text: str) -> bool:
    """Whether a text says what must not be, or what is not."""
    return bool(_FORBIDS.search(text))


def exception_word(text: str, part: str) -> str:
    """The word for the exception that a statement loses if this beginning of it stands alone; empty where none is lost.

    >>> exception_word("Push at once unless it is Friday", "Push at once"), exception_word("Push when it is ready", "Push")
    ('unless', '')
    """
    if not text.startswith(part):
        return ""
    if limit := _LIMITS.match(text, len(part)):
        return limit[1]
    if not denies(part):
        return ""
    if match := _EXCEPTS.match(text, len(part)):
        return match[1]
    inside = list(_EXCEPTS.finditer(part))  # begun, and cut before it says anything
    return "" if not inside or len(part[inside[-1].end() :].split()) > 2 else "…"


def mask_code(text: str) -> str:
    """The text with the same letters, but nothing that means anything inside of code."""
    return CODE.sub(lambda m: "`" + "x" * (len(m[0]) - 2) + "`", text)


def bracketless(text: str) -> str:
    """The text without asides in brackets; brackets of code stay."""
    for aside in reversed(list(_BRACKETED.finditer(mask_code(text)))):
        text = text[: aside.start()] + text[aside.end() :]
    return text


def leans(part: str) -> bool:
    """Whether a clause speaks of what only the words before it name."""
    return bool(_BACK.search(_BOUNDARY.split(mask_code(part).lower())[0]))


def dangles(text: str) -> bool:
    """Whether the first clause of a text speaks of it, them or that thing, and names nothing before that could be meant.

    >>> dangles("Don't remove them"), dangles("The parser reads a file and closes it"), dangles("Drop these fields")
    (True, False, True)
    """
    spoken = _BOUNDARY.split(mask_code(text))[0].split()
    words = [_plain(word) for word in spoken]
    for number, word in enumerate(words):
        after = "".join(words[number + 1 : number + 2])
        if word in _POINTING and after not in _KNOWN and not (word == "it" and after in _EXPLETIVE):
            if word in _ADJACENT and after in words[:number]:
                continue
            if not _names(spoken[:number]):
                return True
    return False


def _names(words: list[str]) -> bool:
    """Whether these words name something: code, a thing with an article, a proper name behind the first word."""
    return any(
        word.startswith("`") or (word.lower() in _DETERMINERS and number + 1 < len(words)) or (number and word[:1].isupper())
        for number, word in enumerate(words)
    )


def is_independent(part: str) -> bool:
    """Whether a clause behind another one has a subject of its own, which it names, and a verb."""
    first, *rest = _RELATIVE.split(part.lower().removeprefix("only `"))[0].split() or [""]
    if first in POINTERS | _OPENINGS | HELPERS | _RELATIVES | _MIDWAY | ORDERS | _AT_A_LOSS or first.endswith("ing"):
        return False
    return not _begins_with_verb([first, *rest]) and _verb(rest, first not in _DETERMINERS) and not leans(part)


def _begins_with_verb(words: list[str]) -> bool:
    """Whether the first word is a verb and the second its object: the subject stands before."""
    return words[0].endswith("s") and not (_DETERMINERS | _SPEAKERS | {"it", "them", "us", "me"}).isdisjoint(words[1:2])


def beginnings(text: str, most: int) -> Iterator[str]:
    """Beginnings of the text, of at most so many words, up to each clause boundary outside code."""
    for stop in _CLAUSE.finditer(mask_code(text)):
        part = text[: stop.start()]
        if size(part) > most:  # so are all further ones
            return
        yield part


def phrase_ends(text: str, most: int, joints: Set[str] = PHRASES) -> Iterator[str]:
    """Beginnings of the text up to each word that begins a phrase or a clause within it."""
    plain = mask_code(text)
    words = plain.split()
    at = 0
    for number, word in enumerate(words[: most + 1]):
        at = plain.index(word, at)
        bare, before = word.lower().strip(",;:"), words[number - 1].lower() if number else ""
        bare = words[number + 1].lower() if bare in _FOCUS and number + 1 < len(words) else bare  # "even when"
        doing = bare.endswith("ing") and bare not in _THINGS and before not in _DETERMINERS and not before.endswith("ly")
        doing = doing and _acts_on(words[number + 1 : number + 2])
        which = bare == "that" and not before.endswith(("s", "ed", "ly")) and before not in _TELLING
        runs_on = bare in _SPEAKERS and before not in _TELLING | PHRASES | _DANGLING
        whose = bare == "to" and not _WILLED.isdisjoint(words[max(0, number - 6) : number])
        pair = bare in ("and", "or") and before[:1] in ("`", "-") and "".join(words[number + 1 : number + 2])[:1] in ("`", "-")
        if number and not pair and before not in _BOUND and (bare in joints or doing or which or runs_on) and not whose:
            yield text[:at].rstrip()
        at += len(word)


def _acts_on(words: list[str]) -> bool:
    """Whether these words behind one in "-ing" show that it is a verb, and no part of a name ("signing failures")."""
    return not words or words[0][0] in '`"' or words[0].lower() in (PHRASES - _RELATIVES) | _DETERMINERS | _OBJECTS


def is_closed(text: str, part: str) -> bool:
    """Whether a beginning of a text ends where nothing that follows belongs to its last words.

    Not before a clause that tells which is meant ("the files | that"), nor behind a participle or infinitive that waits for its
    object, nor within a pair ("the same … as", "from … to").
    """
    masked = mask_code(text)
    words, rest = [_plain(word) for word in masked[: len(part)].split()], masked[len(part) :]
    if not rest.strip() or part.endswith((",", ";")) or rest[0] in ",;:.":
        return True
    last, before, after = words[-1], "".join(words[-2:-1]), _plain(rest.split()[0])
    if after in _SUBJECTS | _WHICH or after == "of" or (before in _HEIGHTENING and after in PHRASES):
        return False
    is_verb = last.endswith(("ed", "ly", "ing")) or before == "to"
    if (
        is_verb
        and last.isalpha()
        and len(last) > _BRIEF
        and before not in _DETERMINERS
        and after in PHRASES | _DETERMINERS | _OBJECTS
    ):
        return False
    return not any(after == second and not firsts.isdisjoint(words[-_APART:]) for firsts, second in _PAIRED)


def _plain(word: str) -> str:
    return word.lower().strip("\"'“”*.,:;()`")


def later(text: str, own: bool = False) -> list[str]:
    """The clauses of the text after its first, each by itself, that name all that they speak of and have a verb.

    A reason is one, and an order, only if asked for as one's ``own`` statement, without the first clause.
    """
    found: list[str] = []
    ends = [(stop.start(), stop.end(), stop[0].strip(" ,").lower()) for stop in _CLAUSE.finditer(mask_code(text))]
    for number, (_, begin, joint) in enumerate(ends):
        part = text[begin : ends[number + 1][0] if number + 1 < len(ends) else len(text)].strip(" ,;")
        first = part.split(" ")[0].lower()
        if joint in _UNCLAIMED or (joint in _LEANING and not own) or (joint in _SHARING and first not in _DETERMINERS):
            continue  # what nobody claims, a reason, or more of the same subject
        orders = own and first in ORDERS and not _DONE.match(part) and not leans(part)
        if part and (orders or is_independent(part)):
            found.append(part)
    return found


def hangs(text: str) -> bool:
    """Whether a part of a sentence leaves its reader waiting: for an end, for the main clause, or for a verb."""
    if loose(text):
        return True
    words = [word.lower().strip("\"'“”*.,:;()") for word in mask_code(text).split()]
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
    if word == "that" and (number < 2 or before in PHRASES):  # "that file", not "files that"
        return False
    return not (after.endswith("ing") and len(after) > 5)


def _verb(words: list[str], at_once: bool = False) -> bool:
    """Whether one of these words, as far as its form shows, is the verb of a clause."""
    for number, word in enumerate(words):
        if word in HELPERS:
            return True
        ends = word.endswith(("s", "ed")) and not word.endswith(("ss", "us", "is", "'s")) and len(word) > 3
        plural = number + 1 == len(words) and not _DETERMINERS.isdisjoint(words[max(0, number - 2) : number])
        if ends and (word.endswith("ed") or ((number or at_once) and not plural)):
            return True
        if word in ("we", "you", "they", "i") and number + 1 < len(words):
            return True
    return False


def loose(text: str) -> bool:
    """Whether a text ends on a word that wants another one, or leaves a bracket, quotation or code open."""
    last = text.split()[-1].lower().strip("`'\"“”«»*().,:;—–-") if text.strip() else ""
    return not last or last in _DANGLING or _is_unclosed(text)


def _is_unclosed(text: str) -> bool:
    if text.startswith(('"', "“")) and text.count('"') % 2 + text.count("“") - text.count("”") == 1:
        text = text[1:]  # a quotation that has only begun loses its mark
    if text.count("`") % 2 or text.count('"') % 2:
        return True
    plain = text if text.isascii() and "(" not in text and "[" not in text else mask_code(text)
    return any(plain.count(first) > plain.count(last) for first, last in PAIRS)
