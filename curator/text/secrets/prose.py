"""Values in sentences: behind a name, before it, or in quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from curator.text.secrets.grades import Name
from curator.text.secrets.values import DIGIT, NO_VALUE, PLAIN, likely, mixed, phrased, speakable, strong

Span = tuple[int, int]

_SENTENCE = re.compile(r"(?:(?<=\w)\w|(?![\"']{1,2}[,:]|\\n|(?<!\w)\w{1,40}+=(?=\S))[^\n{};|<>]){0,64}")
_WORD = re.compile(r"[^\s\"'`,;:()\[\]{}<>|\\“”„«»，。：；、（）「」]{4,200}")
ASCII = re.compile(r"[!#-&*-+\--~]{4,200}")
_SAID = re.compile(
    r"(?i)[ \t]{0,2}(?:(?:for|of|from|to|on|für|vom|der|des|de|du|del|do|da|di|per|la|le|el|o|the|our|my|das|den)[ \t]"
    r"(?:(?:the|our|my|this|your)[ \t])?"
    r"[\w./-]{1,24}[ \t]{1,2}){0,4}"
    r"(?:is|was|are|be|ist|war|lautet|est|es|son|é|è|to|jest|je|är|er|on|este|là|=|:|：)"
    r"(?:[ \t](?:now|currently|still|jetzt)|:)?[ \t]{0,3}"
    r"[\"'`“„«]?(?P<value>[^\s\"'`,;()\[\]{}<>“”„«»]{6,200})"
)
_PHRASE = re.compile(
    r"[ \t]{0,2}(?:for[ \t][\w ./-]{1,40}[ \t])?(?:is|:|=|ist|est|es|é|è"
    r"|was)[ \t]{0,2}[\"'`“](?P<value>[^\"'`”\n]{6,200})[\"'`”]"
)
_AS = re.compile(
    r"[\"'`“„]?(?P<value>[^\s\"'`,;()<>“”„]{6,200})[\"'`”“]?[ \t](?:\(|(?:as|for|als|für|como|comme|come|is|ist|jako|как)[ \t])"
    r"(?:(?:the|a|an|our|my|your|das|dem|den|el|la|le|o|il|mot|de)[ \t]|[\w-]{1,20}[ \t]){0,3}$"
)
_SEVERAL = re.compile(r"[a-z]{3,12}(?:[-_][a-z]{3,12}){2,8}")
_OPTION = re.compile(r"[ \t]--?[a-z]")
"""A name with an option behind it is a command."""
_WORDS = re.compile(
    r"[\"']?[ \t]{0,2}(?:is|:|=|ist)[ \t]{0,2}(?P<value>(?:[a-z]{3,10}[ \t]){3,7}[a-z]{3,10})[ \t.]{0,2}(?=\n|\Z)"
)
_SMALL = re.compile(
    r"\b(?:the|your|must|for|this|with|from|and|not|are|can|has|was|use|used|should|enter|that|than|least|any|all|you"
    r"|der|die|das|ein)\b"
)
"""Words of which sentences are made, and phrases that protect something are not."""
_NUMBERED = re.compile(r"[A-Za-z][a-z]{1,6}\d")
"""A thing of which there are two."""
_ASKED = re.compile(
    r"[ \t](?:is generated )?(?:for|of|para|pour"
    r"|für)[ \t][^\n:]{1,60}:[ \t]{0,2}(?P<value>[^\s\"']{5,100})[ \t]{0,3}(?=\r?\n|\Z)"
)
"""A prompt with the answer behind it."""
_COMMIT = re.compile(r"[0-9a-f]{7,12}")
_TOLD_OF = re.compile(
    r"(?:ed|ing|able|ible|ive|ory|ous|ful|less|ent|ant|isch|lich|ig|é|ée|ado|ada|ido|ida|oria|orio|ório|ória|oire|ante"
    r"|ente|ecta|ecto|icht|igt|ct|uist|ectă|inen|rata)$"
)
"""How words end that say how a password is, in the languages whose words for "is" are looked for."""


def before(name: Name) -> Iterator[Span]:
    """A value that is said to be one: ``use x as the password``."""
    text, start = name.text, name.start
    found = _AS.search(text, max(0, start - 90), start) if name.grade == 3 and text[start - 1 : start] in (" ", "(") else None
    if found and likely(found["value"]):
        yield found.span("value")


def told(text: str, end: int, grade: int) -> Iterator[Span]:
    """A value in prose: the first word behind a name, in its sentence, that is none of any language."""
    if grade < 3 and not DIGIT.search(text, end, end + 100):
        return
    rest = _SENTENCE.match(text, end)
    assert rest is not None
    if _OPTION.match(text, end):
        return
    for word in (_WORD if text[end : end + 1].isascii() else ASCII).finditer(text, end, rest.end()):
        if text[word.start() - 1] == "\\":
            continue
        if word.end() == rest.end():
            word = _WORD.match(text, word.start()) or word  # the window cuts it
        value = word[0].lstrip("=").rstrip(".?").strip("*_")
        if _NUMBERED.fullmatch(value) or value[:1] == "-":
            continue
        grouped = phrased(value) and not speakable(value)
        if (grade == 3 and (grouped or (likely(value) and not _COMMIT.fullmatch(value)))) or (
            len(value) >= 8 and likely(value) and (mixed(value) or strong(word[0]))
        ):
            yield word.span()
            return
        if word[0][-1] in ".?" or text[word.end() : word.end() + 2] in (". ", "? "):
            break
    if grade < 3:
        return
    if (asked := _ASKED.match(text, end)) and (likely(asked["value"]) or phrased(asked["value"])):
        yield asked.span("value")
    if (phrase := _PHRASE.match(text, end)) and " " in phrase["value"] and "phrase" in text[end - 10 : end].lower():
        yield phrase.span("value")
    if "phrase" in text[end - 10 : end].lower() and (words := _WORDS.match(text, end)) and not _SMALL.search(words["value"]):
        yield words.span("value")
    said = _SAID.match(text, end)
    if said and not text[said.end() : rest.end()].strip("\"'`“”)*. \t"):
        value = said["value"].rstrip(".!?")
        spoken = any(map(str.isalpha, text[end : said.start("value")]))
        chosen = not NO_VALUE.match(value) and (
            value.isalpha()
            and (value.islower() or (spoken and value[1:].islower()))
            and value.lower() not in PLAIN
            and not _TOLD_OF.search(value)
        )
        if chosen or (_SEVERAL.fullmatch(value) and not NO_VALUE.match(value)):
            yield said.span("value")
