"""Mask secrets.

Every text that leaves ``detect`` passes through ``clean``. The rules are our own table rather than a library's: they give
spans, cost no import, and leave prose alone. Quantifiers are bounded or possessive and token rules start at a token's start
only, so that hostile input costs linear time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from curator.text.clean import strip
from curator.text.lists import holds

MASK = "[redacted]"
"""What stands where a secret stood. Its brackets keep it from matching a rule again."""

_VALUE = r"[^\s\"'`,;(){}<>\[\]$]"
_WORDS = (
    r"(?:passwords?|passwd|passphrase|pwd|secrets?|tokens?|api[_-]?keys?|access[_-]?keys?|private[_-]?keys?|"
    r"account[_-]?key|credentials?)"
)
_PLAIN = (
    r"(?:true|false|null|none|nil|undefined|string|str|text|bool|boolean|int|integer|number|any|bytes|required|"
    r"optional|process\.|os\.|env\.|self\.|this\.|config\.|settings\.|secrets\.|/|\./|~/)"
)

_RULES: tuple[tuple[str, str], ...] = (
    (
        "private key",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?"
        r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)",
    ),
    ("aws key id", r"(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("github", r"(?<![A-Za-z0-9_])(?:gh[pousr]_[A-Za-z0-9]{20,}+|github_pat_[A-Za-z0-9_]{20,}+)"),
    ("gitlab", r"(?<![A-Za-z0-9_])gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|oas)-[\w-]{16,}+"),
    ("slack", r"(?<![A-Za-z0-9])xox[abeoprs]-[A-Za-z0-9-]{8,}+|(?<![A-Za-z0-9])xapp-\d-[A-Za-z0-9-]{8,}+"),
    ("slack webhook", r"hooks\.slack\.com/(?:services|workflows|triggers)/[\w/]{8,}+"),
    ("openai, anthropic and the like", r"(?<![A-Za-z0-9_-])sk-(?=[\w-]{0,200}[0-9])[\w-]{16,}+"),
    ("stripe", r"(?<![A-Za-z0-9_])(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{10,}+"),
    ("npm", r"(?<![A-Za-z0-9_])npm_[A-Za-z0-9]{30,}+"),
    ("pypi", r"(?<![A-Za-z0-9_])pypi-[\w-]{40,}+"),
    ("google api", r"(?<![\w-])AIza[\w-]{30,}+|(?<![\w-])ya29\.[\w-]{20,}+|(?<![\w-])GOCSPX-[\w-]{20,}+"),
    ("hugging face", r"(?<![A-Za-z0-9_])hf_[A-Za-z0-9]{20,}+"),
    (
        "others with a prefix",
        r"(?<![A-Za-z0-9_])(?:dop_v1_|doo_v1_|sbp_|lin_api_|ntn_|dapi|hvs\.|tskey-|AGE-SECRET-KEY-1)[\w-]{20,}+",
    ),
    ("sendgrid", r"(?<![A-Za-z0-9_])SG\.[\w-]{16,}+\.[\w-]{16,}+"),
    ("telegram", r"(?<![A-Za-z0-9_])\d{8,10}:AA[\w-]{30,}+"),
    ("jwt", r"(?<![\w.-])eyJ[\w-]{6,}+\.[\w-]{6,}+(?:\.[\w-]*+)?"),
    (
        "authorization",
        r"(?i:(?<=bearer )|(?<=basic )|(?<=bearer\t))(?=[^\s\"']{0,200}[0-9A-Z=])[A-Za-z0-9+/=._~-]{12,}+",
    ),
)

_TOKENS = re.compile("|".join(f"(?:{rule})" for _, rule in _RULES))
_LOGIN = re.compile(r"(?P<name>://[^\s/:@\"'`<>\[\]]{0,120}:)(?P<value>[^\s/@\"'`<>\[\]]{1,200})(?=@)")
_ASSIGNED = re.compile(
    rf"(?i)(?P<name>{_WORDS}[\w-]{{0,24}}[\"'`]?[ \t]{{0,3}}(?::=|[:=]|=>)[ \t]{{0,3}})"
    rf"(?P<value>(?P<quote>[\"'`])(?!\$|\{{|<)[^\"'`\n]{{3,200}}(?P=quote)"
    rf"|(?!{_PLAIN})(?=[^\s]{{0,60}}[0-9!#%^&*+~]){_VALUE}{{6,200}}+(?![(\[{{])"
    rf"|(?<==)(?!{_PLAIN}){_VALUE}{{6,200}}+(?=[\s;,\"'`&]|\Z)"
    rf"|(?!{_PLAIN}){_VALUE}{{4,200}}+(?=[ \t]*(?:[,;}}\n]|\Z)))"
)
_FLAG = re.compile(
    r"(?i)(?P<name>--?(?:password|passwd|passphrase|token|api-key|secret)[= "
    r"][\"']?)(?P<value>[^\s\"'`$<\[{(-][^\s\"'`]{3,200}+)"
)
_SAID = re.compile(
    r"(?i)(?P<name>(?:password|passphrase|api key|token) (?:is|was|=) "
    r"[\"'`]?)(?P<value>(?=[^\s]{0,60}[0-9])[^\s\"'`\[]{6,200}+)"
)
_NAMES = ("passw", "passp", "pwd", "secret", "token", "key", "credential")
LEAST = 16
"""Characters below which a word by itself (letters and digits) is no secret of any rule."""
_LINK = "://"
_PREFIXES: Mapping[str, tuple[str, ...]] = {
    "": ("private key", "bearer", "basic", "akia", "asia", "abia", "acca", "aroa", "aida", "aiza", "dapi", "eyj"),
    ".": ("slack.com", "ya29.", "hvs.", "sg."),
    ":": (":aa",),
    "_": (
        *("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "sk_", "rk_", "whsec_", "npm_", "hf_"),
        *("dop_v1_", "doo_v1_", "sbp_", "lin_api_", "ntn_"),
    ),
    "-": (
        *("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glagent-", "glimt-", "gloas-"),
        *("xox", "xapp-", "sk-", "pypi-", "gocspx-", "tskey-", "age-secret-key-"),
    ),
}
"""By a mark that stands in it as well: one of these stands, in any case, in whatever the rules of tokens match. Plain search
spares most texts the rules."""


@lru_cache(maxsize=512)  # what stands around a statement stands around the next one, too, and names the same file
def clean(text: str) -> str:
    """The text as it may leave: stripped, secrets replaced by ``MASK``. Doing it twice changes nothing more.

    >>> clean("export API_KEY=abcd1234efgh5678")
    'export API_KEY=[redacted]'
    """
    if len(text) < LEAST and text.isascii() and text.isalnum():
        return text
    text = strip(text)
    for _ in range(8):  # a mask may bare a boundary at which the next secret begins
        masked = _mask(text)
        if masked == text:
            break
        text = masked
    return text


def _mask(text: str) -> str:
    low = text.casefold()
    if any(mark in low and holds(low, hints) for mark, hints in _PREFIXES.items()):
        text = _TOKENS.sub(MASK, text)
    if _LINK in low:
        text = _LOGIN.sub(_assigned, text)
    if holds(low, _NAMES):
        for rule in (_ASSIGNED, _FLAG, _SAID):
            text = rule.sub(_assigned, text)
    return text


def _assigned(match: re.Match[str]) -> str:
    counted = match["value"].isdigit() and "token" in match["name"].lower()  # max_tokens: 4096
    if MASK in match["value"] or counted:
        return match[0]
    quote = match["value"][0] if match["value"][0] in "\"'`" else ""
    return f"{match['name']}{quote}{MASK}{quote}"
