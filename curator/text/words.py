"""Words in three forms: as search terms (parts of compound names, lower case, without endings), in lists, and with a count.

Hooks import this, so it uses no regular expression: importing ``re`` costs as much as a whole answer may.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

STOP = frozenset(
    """a about all also an and any are as at be been but by can could did do does doing done for from get got had has have he
    her here his how i if in into is it its just let make may me might more most must my need no nor not now of off on once only
    or other our out over own per please same she should so some such than that the their them then there these they this those
    through to too under until up us use used using very via want was we were what when where which while who whom why will with
    would yes you your""".split()
)
"""Words that say nothing about a text's subject."""
ABBREVIATIONS = dict(
    pair.split(":")
    for pair in """a11y:accessibility admin:administrator arg:argument args:argument async:asynchronous attr:attribute
    attrs:attribute auth:authentication cfg:configuration cmd:command cmds:command conf:configuration config:configuration
    configs:configuration conn:connection creds:credential ctx:context db:database dep:dependency deps:dependency
    dev:development dir:directory dirs:directory doc:documentation docs:documentation env:environment envs:environment
    err:error errs:error exec:execution fn:function func:function funcs:function i18n:internationalization img:image
    impl:implementation info:information init:initialization js:javascript k8s:kubernetes l10n:localization lib:library
    libs:library max:maximum md:markdown min:minimum msg:message msgs:message obj:object opt:option opts:option param:parameter
    params:parameter perf:performance pkg:package pkgs:package prefs:preference proc:process prod:production prop:property
    props:property py:python repo:repository repos:repository req:request resp:response stmt:statement sync:synchronization
    temp:temporary tmp:temporary ts:typescript util:utility utils:utility val:value vals:value var:variable vars:variable
    yml:yaml""".split()
)
"""Short forms in paths and prompts, with the long forms in rules. Both are one term."""
MAX_WORD_CHARACTERS = 64
"""Maximum letters of a word. A longer one stays unchanged and is in no index."""
_VOWELS = frozenset("aeiou")
_CJK = "\u3040", "\u9fff"


def terms(text: str) -> list[str]:
    """Return the words of a text in order, and next to each compound name its parts. Repeated words are repeated.

    >>> terms("Never call parseUserName() in the fast_path; it retries")
    ['never', 'call', 'pars', 'user', 'name', 'parseusernam', 'fast', 'path', 'fastpath', 'retri']
    >>> terms("docs/auth_config.md"), terms("documentation of the configuration")
    (['document', 'authent', 'configur', 'authconfig', 'markdown'], ['document', 'configur'])
    """
    found: list[str] = []
    for run in runs(text):
        known = _TERMS.get(run)
        if known is None:
            known = _word_terms(run)
            if len(_TERMS) >= MAX_CACHED_WORDS:
                _TERMS.clear()
            if len(run) <= MAX_WORD_CHARACTERS:
                _TERMS[run] = known
        found += known
    return found


MAX_CACHED_WORDS = 5_000
"""The number of words remembered with their terms: people and lessons use few, and those again and again."""
_TERMS: dict[str, list[str]] = {}


def _word_terms(run: str) -> list[str]:
    """Return the terms of one run of letters, digits and underscores."""
    parts = [part for piece in run.split("_") for part in _parts(piece)]
    if len(parts) > 1:
        parts.append(run.replace("_", ""))
    found = []
    for part in parts:
        lower = part.lower()
        word = ABBREVIATIONS.get(lower, lower)
        if len(word) > 1 and word not in STOP:
            found += [stem(word)] if word.isascii() else _foreign(word)
    return found


def path_terms(path: str) -> list[str]:
    """Return the words of a path's folders and of its name without the extension.

    >>> path_terms("src/http/RetryPolicy.test.ts")
    ['src', 'http', 'retri', 'polici', 'retrypolici', 'test']
    """
    folder, _, name = path.rpartition("/")
    dot = name.rfind(".")
    return terms(f"{folder} {name[:dot] if dot > 0 else name}")


def runs(text: str) -> list[str]:
    """Return the runs of letters, digits and underscores in a text."""
    if text.isascii():
        return text.translate(_SPACED).split()
    return "".join(letter if letter.isalnum() or letter == "_" else " " for letter in text).split()


_SPACED = "".join(letter if letter.isalnum() or letter == "_" else " " for letter in map(chr, range(128)))


def _parts(name: str) -> list[str]:
    """Return the parts of a camelCase name."""
    if name.islower() or not name or name.isdigit():
        return [name] if name else []
    parts, start = [], 0
    for at in range(1, len(name)):
        if name[at].isupper() and (name[at - 1].islower() or name[at - 1].isdigit() or name[at + 1 : at + 2].islower()):
            parts.append(name[start:at])
            start = at
    parts.append(name[start:])
    return parts


def _foreign(word: str) -> list[str]:
    """Return a word of another script unchanged, or as pairs of signs if the script has no spaces."""
    if len(word) > 2 and all(_CJK[0] <= sign <= _CJK[1] for sign in word):
        return [word[at : at + 2] for at in range(len(word) - 1)]
    return [word]


def stem(word: str) -> str:
    """Return a word without its ending, by M. F. Porter, An algorithm for suffix stripping, Program 14 (1980).

    >>> [stem(word) for word in "caresses ponies hopping filing relational conditional adjustment rate".split()]
    ['caress', 'poni', 'hop', 'file', 'relat', 'condit', 'adjust', 'rate']
    """
    if not 2 < len(word) <= MAX_WORD_CHARACTERS or not word.isalpha():
        return word
    word = _plural(word)
    word = _past(word)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    for endings, least, known in _STEPS:
        if word.endswith(known):  # most words have none, and one question is cheaper than twenty
            word = _replace_ending(word, endings, least)
    if word.endswith("e"):
        rest = word[:-1]
        measure = _measure(rest)
        if measure > 1 or (measure == 1 and not _short(rest)):
            word = rest
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


_SECOND = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("abli", "able"),
    ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"), ("ator", "ate"),
    ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"), ("iviti", "ive"),
    ("biliti", "ble"),
)  # fmt: skip
_THIRD = (("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""))
_FOURTH = tuple(
    (ending, "") for ending in "al ance ence er ic able ible ant ement ment ent sion tion ou ism ate iti ous ive ize".split()
)
_STEPS = tuple(
    (endings, least, tuple(ending for ending, _ in endings)) for endings, least in ((_SECOND, 0), (_THIRD, 0), (_FOURTH, 1))
)


def _plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith("ies"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        rest = word[: -len(ending)]
        if word.endswith(ending) and _has_vowel(rest):
            if rest.endswith(("at", "bl", "iz")):
                return rest + "e"
            if rest[-1] == rest[-2:-1] and _consonant(rest, len(rest) - 1) and rest[-1] not in "lsz":
                return rest[:-1]
            return rest + "e" if _measure(rest) == 1 and _short(rest) else rest
    return word


def _replace_ending(word: str, endings: tuple[tuple[str, str], ...], least: int) -> str:
    """Return a word with the longest matching ending replaced, if enough is left before it."""
    ending, instead = max((pair for pair in endings if word.endswith(pair[0])), key=lambda pair: len(pair[0]))
    kept = 3 if ending in ("sion", "tion") else 0  # the word loses only its "ion"
    rest = word[: len(word) - (kept or len(ending))]
    return rest + instead if _measure(rest) > least else word


def _consonant(word: str, at: int) -> bool:
    letter = word[at]
    return letter not in _VOWELS and (letter != "y" or at == 0 or not _consonant(word, at - 1))


def _has_vowel(word: str) -> bool:
    return not _VOWELS.isdisjoint(word) or any(not _consonant(word, at) for at in range(len(word)))


def _measure(word: str) -> int:
    """Return how many times vowels are followed by consonants."""
    forms = [_consonant(word, at) for at in range(len(word))]
    return sum(1 for at in range(1, len(forms)) if forms[at] and not forms[at - 1])


def _short(word: str) -> bool:
    """Return whether it ends consonant, vowel, consonant, the last not w, x or y."""
    return (
        len(word) > 2
        and _consonant(word, len(word) - 1)
        and not _consonant(word, len(word) - 2)
        and _consonant(word, len(word) - 3)
        and word[-1] not in "wxy"
    )


def word_set(*lines: str) -> frozenset[str]:
    """Return the words of some lines as a set."""
    return frozenset(word for line in lines for word in line.split())


def contains_any(text: str, hints: Iterable[str]) -> bool:
    """Return whether a lower-case text contains one of these. This cheap search saves most texts an expensive expression."""
    for hint in hints:  # noqa: SIM110 - any() with its generator costs twice as much, and this runs for every text
        if hint in text:
            return True
    return False


def pluralize(count: int, noun: str, several: str = "") -> str:
    """Return a count with its noun. ``several`` is the plural where an s is not enough.

    >>> pluralize(1, "lesson"), pluralize(0, "lesson"), pluralize(1200, "index", "indexes")
    ('1 lesson', '0 lessons', '1,200 indexes')
    """
    return f"{count:,} {noun_of(count, noun, several)}"


def noun_of(count: int, noun: str, several: str = "") -> str:
    """Return the noun alone, in the form that follows a count.

    >>> noun_of(1, "lesson was", "lessons were"), noun_of(2, "lesson was", "lessons were")
    ('lesson was', 'lessons were')
    """
    return noun if count == 1 else several or f"{noun}s"
