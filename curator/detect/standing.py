"""Whether a person lays down a rule for good, told by the form of the sentence: who must do or leave what, and for how long.

A rule orders, forbids or names a custom, speaks of things in general, and of no single moment. "Never edit the generated
client" does all of this; "don't touch that yet" points at one thing and one hour, "it never finishes" tells what happens, and
in "write a function that never returns null" the word belongs to what is to be made.
"""

from __future__ import annotations

import re
from functools import lru_cache

from curator.detect.lists import holds

LONGEST = 240
"""Characters of a sentence that can be one rule."""

_OPENERS = (
    r"(?:(?:please|pls|also|and|but|so|ok(?:ay)?|no|nope|actually|again|remember|note|hey|fyi|btw|important|you|we|one|then|"
    r"that|should|in general|generally|make sure(?: to)?|be sure(?: to)?)\b[,:!]?\s+)*"
)
_EVER = r"(?:ever |even |just |directly |manually |again )*"
_NOT = r"(?:never(?: ever)?|must not|mustn't|must never|should not|shouldn't|should never|may not|may never)"
_DONT = r"(?:do not|don't|dont)"
_POINTING = (
    r"(?:it|that|this|them|these|those|me|one|anything|nothing|so|the (?:same|other|last|next|first|second)|any|yet|my)\b"
)
_IDLE = (
    r"(?:even|ever|just|worry|stop|forget|mind|know|think|need|have|bother|want|wait|be|been|see|seen|understand|get|go|care|hesitate|believe|"
    r"feel|like|seem|appear|pay attention|work|works|start|continue|proceed|give|panic|guess|said|say|had|heard|knew|thought|"
    r"tried|got|did|we|you|they|i|\w{3,}(?<!e)ed)\b"
)
_ORDER = rf"(?!{_IDLE})[a-z]{{2,}} (?!{_POINTING})\S"
_GENERAL = (
    r"(?:(?:all|every|each|any|no|our) (?:\S+ ){1,3}|(?!(?:the|this|that|these|those|it|there|he|she|i|things|its|his|yes|"
    r"is|was|does|tests? (?:still|now))\b)(?:\S+ ){0,2}?[\w.`-]+(?<![su])s )"
)
_FORMS = re.compile(
    rf"{_OPENERS}(?:"
    rf"(?:{_NOT}|{_DONT} ever) {_EVER}{_ORDER}"
    rf"|{_DONT} {_EVER}(?!{_IDLE})[a-z]{{2,}} (?!{_POINTING})"
    rf"(?:(?!the\b)\S|the .*(?:[,;—]|\b(?:by hand|directly|without|because|in)\b))"
    rf"|always {_EVER}(?!(?:good|nice|great|fun|a|an|the|in|on)\b){_ORDER}"
    rf"|only {_EVER}(?:use|run|call|write|add|commit|import|deploy|read|store|log|test|merge|push|touch|edit|put|create) "
    rf"(?!{_POINTING})\S+ .*\b(?:for|in|on|when|if|from|with|through|via|under|to|inside)\b"
    r"|only (?!the\b)\S+ (?:\S+ )?(?:may|must|can) \S"
    rf"|(?:stop \w{{2,}}ing|avoid|refrain from) (?!(?!any\b){_POINTING})\S"
    r"|prefer \S.* (?:over|to|instead of|rather than) \S"
    r"|use \S+.* (?:instead of|rather than|not|never|over) \S"
    r"|(?:run|use|call|update|regenerate|rebuild) \S.* (?:before|after|whenever|every time) "
    r"(?:you |we |every |each |any |\w{3,}ing\b)"
    r"|ask (?:me |us |first )*before \S+ \S"
    r"|keep \S.* (?:free of|out of|away from|in sync|independent of|apart from) \S"
    r"|no (?!(?:need|worries|problem|idea|way|more|longer|one|matter|doubt|rush|changes?|it|i|you|we|that|this)\b)"
    r"(?:\S+ ){0,2}\S+s (?:in|outside|without|for|inside|within) \S"
    r")"
)
_CUSTOM = re.compile(
    rf"{_OPENERS}(?:"
    r"(?:we|everyone|nobody|people here) (?:never|always|only|don't|do not|dont) "
    rf"(?!{_IDLE})[a-z]{{2,}} (?!{_POINTING})\S"
    r"|we (?:use|keep|prefer|support|write|follow|store|put) (?!that\b|this\b|it\b)\S.*(?:not|here\b|in this (?:repo|"
    r"project|codebase)|instead|only|for|with)\b"
    r"|we (?:use|only support) [\w.@/`-]+(?:$|[,.;!])"
    r"|(?:all|every|each) (?:\S+ ){1,3}needs? \S"
    rf"|{_GENERAL}(?:must|have to|has to|need to|needs? an?|should (?:never|always|only)|"
    r"(?:may|can) (?:never|only)|shall|never|"
    r"always|should not|shouldn't|are not allowed|belong|go under|go into|live in|are append-only) ?\S"
    r")"
)
_FOR_GOOD = re.compile(
    r"\b(?:from now on|going forward|in (?:the )?future|as a rule|at all times|under no circumstances|not how we)\b|"
    r"\bhere,? (?:we )?use \S|^(?:immer|niemals|nie|toujours|ne jamais|siempre|nunca) \S+ \S"
)
_PASSING = re.compile(
    r"(?<!from )\bnow\b|\byet\b|\b(?:this|that) (?:time|once|one|export|run|commit|change|branch|pr|file|function|test|"
    r"step|task)\b|\bfor (?:now|the moment|today|this)\b|\bat the moment\b|\b(?:today|tomorrow|tonight|later|until|currently|"
    r"meanwhile|so far|right away)\b|\b(?:i|we) want to|\bi'?ll\b|\bi will\b|\blet me\b|\blines? \d|\bjust (?:move|do|leave)\b|"
    r"\b(?:the rest|as it is|as they are|as is|the \w+ ones)\b"
)
_ASKS = re.compile(r"(?:do(?! not)|does|did|can|could|should|shall|must|may|is|are|was|will|would|why|what|how|who|when|where) "
                   r"(?:we|i|you|they|it|the|this|that|there|not|did|is|are|do|does)\b")  # fmt: skip
_PARTS = re.compile(r"[:;—–]\s+|\s-+\s|,\s+|\.\s+|\s+(?:and|but|because|so)\s+")
_MARKS = re.compile(r"[*_\"“”]+(?=\S)|(?<=\S)[*_\"“”]+")
_LIKELY = (
    *(
        "never",
        "always",
        "n't",
        "dont",
        "not ",
        "must",
        "avoid",
        "stop",
        "only",
        "prefer",
        "use",
        "keep",
        "no ",
        "have to",
        "has to",
    ),
    *(
        "need",
        "should",
        "may ",
        "can ",
        "belong",
        "go ",
        "append",
        "before",
        "after",
        "from now",
        "future",
        "rule",
        "times",
        "circumst",
    ),
    *("immer", "nie", "jamais", "toujours", "siempre", "nunca", "every", "shall", "live in", "refrain"),
)
"""One of these stands in every such sentence: found much faster than the forms."""


@lru_cache(maxsize=1_024)
def rule(text: str) -> bool:
    """Whether a sentence that a person says has the form of a rule that holds beyond the hour.

    >>> rule("Never edit the generated client by hand"), rule("don't touch that yet"), rule("it never finishes")
    (True, False, False)
    """
    if len(text) > LONGEST or text.endswith(("?", "？", ":")):
        return False
    said = text.lower().replace("’", "'")
    if not holds(said, _LIKELY):
        return False
    said = _MARKS.sub("", " ".join(said.split()))
    if _ASKS.match(said) or passing(text):
        return False
    if _FOR_GOOD.search(said):
        return len(said.split()) > 3
    starts = [0, *(found.end() for found in _PARTS.finditer(said))]
    return any(_FORMS.match(said, start) or _CUSTOM.match(said, start) for start in starts)


def passing(text: str) -> bool:
    """Whether a sentence speaks of the hour: now, yet, this time, tomorrow."""
    return bool(_PASSING.search(text.lower().replace("’", "'")))
