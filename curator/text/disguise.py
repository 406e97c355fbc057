"""Read encodings that hide words (base64, lookalike letters and others), and say which have no innocent use."""

from __future__ import annotations

import binascii
import re
import unicodedata
import zlib
from base64 import a85decode, b32decode, b64decode, b85decode
from collections.abc import Iterator
from string import ascii_lowercase as LETTERS
from urllib.parse import unquote

from curator.text.orders import orders
from curator.text.words import word_set

_BASE64 = re.compile(r"(?<![\w+/-])[A-Za-z0-9+/_-]{16,}+={0,2}")
_PART = re.compile(
    r"(?<![\w+/-])(?=[A-Za-z+/]{0,40}\d)(?=[^a-z\s]{0,40}[a-z])(?=[^A-Z\s]{0,40}[A-Z])[A-Za-z0-9+/_-]{8,}+={0,2}"
)
"""What may be a part of a Base64 text: small and large letters and a digit."""
_STEPS = re.compile(r"(?:[^\s.][.]\s?|[.]\s){6,}+")
"""Single signs with a point behind each."""
_PALE = re.compile(
    r"<[a-z][^<>\n]{0,200}?(?:display\s?:\s?none|visibility\s?:\s?hidden|opacity\s?[:=]\s?[\"']?0(?![.\d])|\bsize\s?[:=]\s?[\"']?[01](?!\d)"
    r"|color\s?[:=]\s?[\"']?(?:white|#fff|transparent))|\\color\{white\}|\\h?phantom\{",
    re.IGNORECASE,
)
"""A style by which a page does not show what it holds."""
_ATTACHED = re.compile(r"\bbegin [0-7]{3} \S|\+(?=[A-Za-z0-9/]{0,60}A)[A-Za-z0-9/]{12,}+-")
"""Text as mail carried it: uuencode, and UTF-7, in which each second sign is an A."""
_SPLIT = re.compile(r"(?<![\w'\"])\w{1,10}(?:''|\"\"|\$@)\w{1,10}(?:''|\"\"|\$@)\w")
"""A word that a shell puts together from parts with nothing between them."""
_ANNOUNCED = re.compile(
    r"\b(?:backwards?|revers\w{1,4}|right to left|last word first|rückwärts|à l'envers|al revés)\b", re.IGNORECASE
)
_GAP = re.compile(r"\S[^\S\n]{40,}+\S|\S(?:[^\S\n]*+\n){8,}+[^\S\n]*+\S")
"""So much emptiness within a text that what follows is out of sight."""
_BASE32 = re.compile(r"(?<![\w=])[A-Z2-7]{16,}+={0,6}(?!\w)")
_HEX = re.compile(r"(?<!\w)(?:0x)?((?:[0-9A-Fa-f]{2}){8,}+(?!\w)|(?:[0-9A-Fa-f]{2}[ :]){7,}+(?:[0-9A-Fa-f]{2}(?!\w))?)")
_CODE = r"(?:3[2-9]|[4-9]\d|1[01]\d|12[0-6])"
_NUMBERS = re.compile(rf"(?<![\w.])(?:{_CODE}[ ,]{{1,2}}+){{7,}}+(?:{_CODE}(?!\w))?")
_CODES = 16
"""So many numbers of letters in a row, in no order, are no list of anything else."""
_DENSE = re.compile(r"(?<!\S)(?=\S{0,40}[^\w\s])\S{15,400}(?!\S)")
_BITS = re.compile(r"(?<!\w)(?:[01]{8}[ ,]?){4,}+")
"""Runs end where they end: what follows is not looked at, so that none is read twice."""
_ESCAPE = re.compile(
    r"%([0-9A-Fa-f]{2})|&#(\d{1,7});?|&#[xX]([0-9A-Fa-f]{1,6});?|\\x([0-9A-Fa-f]{2})|\\u\{?([0-9A-Fa-f]{4,6})\}?"
    r"|\\U([0-9A-Fa-f]{8})"
    r"|\\([0-7]{3})|=([0-9A-F]{2})(?==)"
)
ESCAPED = 4
"""So many letters that need no escape, and stand as one, are no accident."""
_SPACED = re.compile(r"(?<!\w)(?:[^\W\d_](?P<between>[^\w\n]{1,3}))(?:[^\W\d_](?P=between)[^\S\n]{0,3}){4,}[^\W\d_](?!\w)")
_MENTIONED = re.compile(r"`[^`\n]{0,400}`")
_WORD = re.compile(r"[^\W\d_]{2,}+")
_LEET = str.maketrans("013457@$!", "oieastasi")
_RUN = re.compile(r"\S++")
_NUMBERED = re.compile(r"[^\W_]*+")
_SPELLING = frozenset({0, 7, 8, 9})
"""Combining classes of what belongs to a letter."""
_JOINED = re.compile(r"[\"']\s{0,2}\+\s{0,2}[\"']")
_ASIDE = re.compile(
    r"<!--([^\n]{3,400}?)(?:-->|$)|/\*([^\n*]{3,400})\*/|\[(?://|comment)\]:?\s?#?\s?[(\"']([^\n]{3,400})|%%([^\n%]{3,400})"
    r"|<(?=[^<>\n]{0,200}(?:display|visibility|hidden|opacity|font-size|color))[a-z][^<>\n]{0,200}>([^\n<]{3,400})"
    r"|<(?:[a-z][\w:-]{2,30})>([^\n<]{3,400})</|<[a-z]{1,12}\s[^<>\n]{0,80}(?:title|alt|aria-label|content|data-\w{1,12})=[\"']"
    r"([^\"'\n]{3,400})|!?\[[^\]\n]{0,80}\]\(\S{0,200}\s\"([^\"\n]{3,400})\"",
    re.IGNORECASE,
)
_PIECE = re.compile(r"[\"']([^\"'\n]{1,40})[\"']")
PIECES = 2
"""More pieces between quotes than these may be meant to be one."""
_STYLED = re.compile(
    "(?:[\U0001f1e6-\U0001f1ff]\\s{1,3}){3,}[\U0001f1e6-\U0001f1ff]|[\U0001d400-\U0001d7ff\u24b6-\u24e9\U0001f110-\U0001f189]{3,}+|[\u1d00-\u1d2b\u0262\u026a\u0274\u0280\u028f\u029c\u029f]{4,}+"
)
_TURNED = re.compile("[^\\W\\d_]{0,40}[ɐɔǝɟƃɓɥᴉɾʞɯɹʇʌʍʎ][^\\W\\d_]{0,40}")
TURNED = 3
"""So many words with letters that stand on their heads are no phonetic sign."""
_MORSE = re.compile(r"(?<![^\s/|])[.·•*_−–—-]{1,6}(?:[\s/|]{1,3}[.·•*_−–—-]{1,6}){11,}+(?![^\s/|])")
"""What may be signs of Morse code, one beside the other."""
SIGNS = 4
"""More of them than these that differ are no rule across the page."""
_BACKWARDS = word_set("eht dna fo rof htiw morf siht taht uoy ruoy ton era erofeb retfa reve lla neht")
"""Common words from their last letter to their first, which are no words."""
_LOOKS = dict(
    zip(
        "ηаеіјорсухѕһԁԛԝгѵӏкмнтвАВЕЅІЈКМНОРСТУХԌԛԜοανρτυικεγχωμΑΒΕΖΗΙΚΜΝΟΡΤΥΧɩꞮ",
        "naeijopcyxshdqwrvlkmhtbABESIJKMHOPCTYXGqWoavptuikeyxwuABEZHIKMNOPTYXiI",
        strict=True,
    )
)
_LOOKALIKE = str.maketrans(_LOOKS)
_SMALL = str.maketrans("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz")
_SHIFTS = tuple(
    str.maketrans(LETTERS + LETTERS.upper(), "".join(order + order.upper()))
    for order in (*(LETTERS[by:] + LETTERS[:by] for by in range(1, 26)), LETTERS[::-1])
)
"""Every letter by so many, and the alphabet turned around."""
NESTED = 2
"""So often may one encoding stand in another."""
UNPACKED = 4_000
"""Bytes of what is packed that are looked at."""
PARTS = 8
"""Parts of a Base64 text that are joined at most."""
COMMON = word_set(
    "the and to all of previous instructions run send file this from it before after tests disable secrets token every "
    "commit user",
    "ignore your is in with for delete do not tell rules always never remove skip push upload",
    "las los que sin una por todas der die das und nicht ohne alle les des pour sans tous che non tutti senza",
)
"""Two of these make a text English that was turned around."""


def words(text: str, depth: int = NESTED) -> Iterator[str]:
    """What is said in a text by an encoding that is for machines, where that is words; most texts have none.

    >>> list(words("seed: cnVuIHRoZSBzY3JpcHQgbm93"))
    ['run the script now']
    """
    for found in _decodings(text):
        if _speaks(found):
            yield found
        elif depth > 1:
            yield from words(found, depth - 1)


def readings(text: str) -> Iterator[str]:
    """The text as it may be meant to be read in place of what stands there: letters that only look like others, numbers as
    letters, backwards, by thirteen. Only what differs from the text.
    """
    plain = unicodedata.normalize("NFKC", text)
    seen = {text}
    lookalike = plain.translate(_LOOKALIKE).translate(_SMALL)
    bare = _without_marks(text.translate(_LOOKALIKE).translate(_SMALL))
    leet = _NUMBERED.sub(
        lambda word: word[0].translate(_LEET) if word[0].isalnum() and not word[0].isdigit() else word[0], plain
    )
    symbols = _RUN.sub(lambda run: run[0] if "://" in run[0] else run[0].translate(_LEET), plain)
    joined = _JOINED.sub("", plain)
    turned = [reading for reading in _reversals(plain) if len(COMMON.intersection(reading.lower().split())) > 1]
    unquoted = unquote(plain) if plain.count("%") >= ESCAPED else plain
    for reading in (plain, lookalike, bare, leet, symbols, joined, unquoted, *turned):
        if reading not in seen:
            seen.add(reading)
            yield reading


def _without_marks(text: str) -> str:
    """The text without marks on its letters, but for those that western languages write, and those that make another letter:
    without its mark a denial in Japanese is none.
    """
    signs = "".join(letter if ord(letter) < 256 else unicodedata.normalize("NFKD", letter) for letter in text)
    return unicodedata.normalize("NFC", "".join(sign for sign in signs if unicodedata.combining(sign) in _SPELLING))


def _reversals(text: str) -> Iterator[str]:
    yield text[::-1]
    for shift in _SHIFTS:
        yield text.translate(shift)


def asides(text: str) -> Iterator[str]:
    """What stands where a rendered page does not show it, or shows it as another's: comments, styles, tags, joined pieces.

    >>> list(asides("Use make. <!-- skip it -->"))
    [' skip it ']
    """
    for match in _ASIDE.finditer(text):
        yield next(filter(None, match.groups()), "")
    pieces = _PIECE.findall(text)
    if len(pieces) > PIECES:
        yield "".join(pieces)


def backwards(text: str) -> str:
    """The words from the last to the first."""
    return " ".join(reversed(text.rstrip(".!? ").split()))


def announces_reversal(text: str) -> bool:
    """Whether a text says of itself that it is to be read the other way round."""
    return _ANNOUNCED.search(text) is not None


def find_disguise(text: str) -> str:
    """The first words that no search would find: mixed scripts, other alphabets, spaced or turned letters, escapes, Morse code.

    >>> find_disguise("Alw\u0430ys use make"), find_disguise("i g n o r e it"), find_disguise("Тесты: make test, Δt")
    ('Alwаys', 'i g n o r e', '')
    """
    if match := _STYLED.search(text):
        return match[0]
    if (match := _MORSE.search(text)) and len(set(match[0].split())) > SIGNS:
        return match[0]
    mixed = {word for word in _NUMBERED.findall(text) if not (word.isalpha() or word.isdigit())}
    if len(leet := [word for word in mixed if word.lower().translate(_LEET) in COMMON]) > 1:
        return " ".join(sorted(leet))
    for reading in _reversals(text):
        if len(common := {word for word in reading.lower().split() if len(word) > 2 and word in COMMON}) > 1:
            return " ".join(sorted(common))
    pig = [word for word in _WORD.findall(text) if word.endswith("ay")]
    if len(pig) > SIGNS and 2 * len(pig) > len(_WORD.findall(text)):
        return " ".join(pig)
    if match := _SPLIT.search(text):
        return match[0]
    if match := _ATTACHED.search(text) or _PALE.search(_MENTIONED.sub(" ", text)):
        return match[0]
    if (match := _STEPS.search(text)) and sum(map(str.isalpha, match[0])) > SIGNS:
        return match[0]
    if match := _GAP.search(text):
        return text[match.end() - 1 :]
    turned = _TURNED.findall(text)
    if len(turned) >= TURNED:
        return " ".join(turned)
    if len(_BACKWARDS.intersection(text.lower().split())) > 1:
        return " ".join(word for word in text.split() if word.lower() in _BACKWARDS)
    for match in _WORD.finditer(text):
        if not match[0].isascii() and _mixes_scripts(match[0]):
            return match[0]
    for match in _SPACED.finditer(text):
        letters = [letter.lower() for letter in match[0] if letter.isalpha()]
        if letters != sorted(letters):
            return match[0]
    escapes = [match for match in _ESCAPE.finditer(text) if _needless(match)]
    return text[escapes[0].start() : escapes[ESCAPED - 1].end()] if len(escapes) >= ESCAPED else ""


def _mixes_scripts(word: str) -> bool:
    """Whether Latin letters and such as only look like them stand in one word, but for endings and signs of formulas."""
    latin = [letter.isascii() or unicodedata.name(letter, "").startswith("LATIN") for letter in word]
    if all(latin) or not any(latin):
        return False
    others = [letter for letter, own in zip(word, latin, strict=True) if not own]
    if not all(letter in _LOOKS for letter in others):
        return False
    first = latin.index(False)
    head, tail = word[:first], word[first:]
    if head.isupper() and not any(latin[first:]):  # "PRа": a name with an ending of another language
        return False
    greek = all(unicodedata.name(letter, "").startswith("GREEK") for letter in others)
    return not (greek and len(others) == 1 and (not head or (len(tail) == 1 == len(others) and len(head) <= 2)))


def _needless(escape: re.Match[str]) -> bool:
    """Whether it stands for a plain letter or digit, which never has to be escaped."""
    return _letter(escape).isascii() and _letter(escape).isalpha()


def _letter(escape: re.Match[str]) -> str:
    percent, decimal, entity, byte, code, long, octal, equals = escape.groups()
    if octal:
        value = int(octal, 8)
    elif decimal:
        value = int(decimal)
    else:
        value = int(percent or entity or byte or code or long or equals, 16)
    return chr(value) if value < 0x110000 else ""


def _decodings(text: str) -> Iterator[str]:
    for match in _BASE64.finditer(text):
        yield _text(_base64(match[0]))
    for match in _BASE32.finditer(text):
        yield _text(_base32(match[0]))
    for match in _HEX.finditer(text):
        yield _text(bytes.fromhex(re.sub(r"[ :]", "", match[1])))
    for match in _NUMBERS.finditer(text):
        numbers = [int(number) for number in re.findall(r"\d+", match[0])]
        letters = "".join(map(chr, numbers))
        yield f"the code {letters}" if len(numbers) >= _CODES and numbers != sorted(numbers) else letters
    for match in _DENSE.finditer(text):
        for decode in (a85decode, b85decode):
            try:
                yield _text(decode(match[0].encode("ascii", "replace")))
            except ValueError:
                continue
    for match in _BITS.finditer(text):
        bits = re.sub(r"[ ,]", "", match[0])
        yield "".join(chr(int(bits[at : at + 8], 2)) for at in range(0, len(bits), 8))
    parts = _PART.findall(text)
    if 1 < len(parts) <= PARTS:
        yield _text(_base64("".join(part.rstrip("=") for part in parts)))
    if len(_ESCAPE.findall(text)) >= ESCAPED:
        yield _ESCAPE.sub(_letter, text) if find_disguise(text) else ""


def _base64(text: str) -> bytes:
    bare = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return b64decode(bare[: len(bare) - (len(bare) % 4 == 1)] + "=" * (-len(bare) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""


def _base32(text: str) -> bytes:
    bare = text.rstrip("=")
    try:
        return b32decode(bare + "=" * (-len(bare) % 8))
    except (binascii.Error, ValueError):
        return b""


def _text(data: bytes) -> str:
    """What the bytes say, packed or not; empty where they are no text."""
    if data[:1] in (b"\x78", b"\x1f"):
        try:
            data = zlib.decompressobj(wbits=47).decompress(data, UNPACKED)
        except zlib.error:
            return ""
    try:
        return data.decode("utf-16-le" if data.count(0) * 3 > len(data) else "utf-8")
    except UnicodeDecodeError:
        return ""


def _speaks(text: str) -> bool:
    """Whether a text is words: several, with blanks between them where their script has such, or an order in any shape."""
    if not text.replace("\n", " ").replace("\t", " ").isprintable() or len(text) < 6:
        return False
    letters = sum(letter.isalpha() or letter == " " for letter in text)
    foreign = sum(not letter.isascii() for letter in text)
    if (
        letters >= 0.7 * len(text)
        and text[0] not in "{[<"
        and (foreign >= 4 or (text.count(" ") > 1 and len(_WORD.findall(text)) > 2))
    ):
        return True
    return bool(orders(text))
