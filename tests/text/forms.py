"""Secrets in the forms in which people and programs write them, and innocent things that look like them.

A line of ``secrets.txt`` or ``innocent.txt`` is a text; ``\\n`` in it begins a new line, and a kind in braces stands for a
value that ``build`` makes anew, so that no secret, not even an invented one, stands in these files.
"""

from __future__ import annotations

import base64
import random
import re
import string
import uuid
from pathlib import Path

_KIND = re.compile(r"\{(pw|pws|word|sym|words12|pem1?|uuid|(?:hex|abc|b62_|B32_|low|UP|b64_|u64_|dig)\d+)\}")
_ALPHABETS = {
    "hex": "0123456789abcdef",
    "b62_": string.ascii_letters + string.digits,
    "B32_": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    "low": string.ascii_lowercase * 2 + string.digits,
    "UP": string.ascii_uppercase * 2 + string.digits,
    "dig": "123456789",
    "abc": string.ascii_lowercase,
}
_SEED = (
    "abandon ability able about above absent absorb abstract absurd abuse access accident achieve acid across zebra zone wolf"
)


def build(form: str, seed: str) -> tuple[str, list[str]]:
    """A form with values in it, and these values; the same seed gives the same ones."""
    dice, values = random.Random(seed), list[str]()

    def value(kind: re.Match[str]) -> str:
        values.append(_made(kind[1], dice))
        return values[-1]

    return _KIND.sub(value, form.replace("\\n", "\n")), values


def _made(kind: str, dice: random.Random) -> str:
    name, size = kind.rstrip(string.digits), int(re.sub(r"\D+", "", kind.partition("_")[2] or kind) or 0)
    if name in ("b64_", "u64_"):
        data = dice.randbytes(size)
        return base64.b64encode(data).decode() if name == "b64_" else base64.urlsafe_b64encode(data).decode().rstrip("=")
    if name in _ALPHABETS:
        sure = {"b62_": "9xQ", "low": "7", "UP": "7"}.get(name, "")
        return _some(dice, _ALPHABETS[name], size - len(sure)) + sure
    if name == "pem":
        body = [base64.b64encode(dice.randbytes(48)).decode() for _ in range(6)]
        return "\n".join(["MIIE" + body[0][4:], *body[1:]]) if not size else "".join(body) + body[0]
    words = {
        "pw": f"{dice.choice(('Sommer', 'Tiger', 'Falke', 'blue', 'qwert'))}{_some(dice, string.digits, 2)}"
        f"{dice.choice('!#%*?')}{_some(dice, string.ascii_letters, 3)}",
        "pws": _some(dice, string.ascii_lowercase, 5) + _some(dice, string.digits, 2),
        "word": dice.choice(("tigerlily", "swordfish", "letmeinnow", "opensesame", "blaubeere", "correcthorse")),
        "sym": "@".join((_some(dice, string.ascii_letters, 4), _some(dice, string.ascii_letters, 3) + "$x4!")),
        "uuid": str(uuid.UUID(int=dice.getrandbits(128))),
        "words": " ".join(dice.choice(_SEED.split()) for _ in range(12)),
    }
    return words[name]


def _some(dice: random.Random, alphabet: str, size: int) -> str:
    return "".join(dice.choice(alphabet) for _ in range(size))


def _lines(name: str) -> list[str]:
    return Path(__file__).with_name(name).read_text(encoding="utf-8").rstrip("\n").split("\n")


SECRETS, INNOCENT = _lines("secrets.txt"), _lines("innocent.txt")
