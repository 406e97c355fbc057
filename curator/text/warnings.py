"""The warnings about dangerous words in a lesson, for the person who decides on it.

The patterns are simple and few. They attract attention and prove nothing. A person reads a lesson before an agent gets it, and
the agent gets it as a quoted statement with its origin. Hidden characters need no warning, since curator stores none.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

_SHELL = r"(?:sudo\s{1,3})?(?:/\S{0,20}/)?(?:(?:ba|z|da|fi|k)?sh|python\d?|node|perl|ruby|iex|php)\b"
_SENDERS = r"(?:curl|wget|http|nc|ncat|netcat|mail|telnet)\b"
_SECRETS = r"(?:secrets?|passwords?|credentials|(?:api|access|private|ssh)[ -]?keys?|tokens|environment variables|\.env)"
_KEY_NAMES = r"(?:\.env|id_rsa|id_ed25519|\.ssh|\.aws|credentials|secrets?|\.netrc)"
_KEY_FILES = (
    r"(?:(?:~|\$HOME|/root|/home/[\w.-]{1,40})/\.(?:ssh|aws|gnupg|netrc)|\bid_(?:rsa|ed25519)|/etc/(?:passwd|shadow))\b"
)
_STORES = r"(?:databases?|data|tables?|backups?|files|branch(?:es)?|volumes?|buckets?|home)"
_PLACE = r"[^.\n]{0,40}(?:https?://|@|\bserver\b|\bme\b|\bwebhook\b)"
_GUARDS = r"(?:authenti\w{1,8}|authoriz\w{1,8}|(?:security|certificate|signature|permission)\s\w{1,20}|sandbox|code\sreviews?)"
_ORDERS = r"(?:previous|prior|earlier|above|system|developer|user|safety)(?:'s)?\s(?:instructions?|prompts?|rules?)"
_TELL = r"(?:tell|mention|inform|notify|reveal)"
_PEOPLE = r"(?:user|person|human|developer|anyone|anybody|reviewer|maintainer)"
_RM_FLAGS = r"(?:\s{1,3}(?:--(?:recursive|force|no-preserve-root)?|-[rfvdi]{1,5})){1,4}"
_ENCODED = (
    r"(?-i:(?<![\w+/=:-])(?=[A-Za-z+/]{0,40}\d)(?=[^a-z\s]{0,40}[a-z])(?=[^A-Z\s]{0,40}[A-Z])[A-Za-z0-9+/]{60,}+={0,2}"
    r"|(?<![\w:-])(?:[0-9a-fA-F]{2}){34,}+(?!\w))"
)
"""A run of Base64 or hexadecimal digits that is longer than any usual digest."""
PROGRAM_MARK = (
    r"</?\s{0,3}(?:curator-lessons|system-reminder|hook_context|user-prompt-submit-hook|environment_context|user_instructions"
    r"|user_query|function_calls|function_results|tool_use|tool_results?|tool_call|antml|system_prompt)\b[^<>\n]{0,200}>"
    r"|(?-i:</?(?:system|assistant|human|user|thinking|instructions?|context|memory|lessons?)>)|<\|[\w /-]{1,40}\|>"
    r"|\[/?INST\]|<</?SYS>>|<!--\s{0,9}curator:|\bcurator:(?:begin|end)\b"
)
"""Marks that only programs set: those around lessons, and those of chat protocols."""
# fmt: off
PATTERNS: tuple[tuple[str, str, bool, str], ...] = (
    ("run", "curl|wget|fetch|iwr|irm|base64", False,
     rf"\b(?:curl|wget|fetch|iwr|irm|base64)\b[^|\n;]{{0,200}}\|(?:\s{{0,3}}tee\s[^|\n;]{{0,60}}\|)?\s{{0,3}}{_SHELL}"),
    ("run", "curl|wget|base64", False,
     r"(?:\b(?:ba|z|da)?sh|\beval|\bsource)\s(?:-\w{1,4}\s){0,2}[\"']?[<$]\(\s?(?:curl|wget|base64)\b"),
    ("run", "curl|wget", False,
     r"\b(?:curl|wget)\b[^\n;]{0,200}(?:&&|;)[^\n]{0,60}(?:chmod\s\+x|\b(?:ba|z)?sh\s)"),
    ("run", "download|fetch", True,
     r"\b(?:download|fetch)\b[^;\n]{0,80}\b(?:and|then)\s(?:run|execute)\b"),
    ("delete", "rm", True,
     rf"\brm(?=\s[-\w\s]{{0,24}}(?:-\w{{0,3}}r|--recursive)){_RM_FLAGS}"
     r"\s{1,3}[\"']?(?:~|/(?!tmp\b|var/)|\$HOME|\*|\.git\b|\.\.)"),
    ("delete", "push", True,
     r"\bgit\s{1,3}push\b[^\n;|`]{0,60}\s(?:--force(?!-with-lease)|-f\b|\+[\w/]{1,40})|\bforce[- ]push\w{0,3}\sto\s"),
    ("delete", "drop|truncate|destroy|mkfs|/dev/", True,
     r"\b(?:drop\s(?:table|database|schema)|truncate\stable|terraform\sdestroy)\b|\bmkfs\b|\bof=/dev/"),
    ("delete", "delete|wipe|destroy|erase", True,
     rf"\b(?:delete|wipe|destroy|erase)\s(?:all|every|the\s(?:entire|whole))\s(?:[\w-]{{1,20}}\s){{0,3}}{_STORES}\b"),
    ("send", "env|history|cat", False,
     rf"\b(?:env|printenv|history|cat\s\S{{0,60}}{_KEY_NAMES})\b[^|\n]{{0,40}}\|[^\n]{{0,60}}{_SENDERS}"),
    ("send", "curl|wget|http|nc|netcat|mail|telnet", False,
     rf"\b{_SENDERS}[^\n]{{0,120}}@\S{{0,40}}{_KEY_NAMES}"),
    ("send", "scp|rsync", False,
     rf"\b(?:scp|rsync)\b[^\n]{{0,60}}{_KEY_NAMES}\S{{0,20}}\s\S{{1,40}}@"),
    ("send", "secret|password|credential|key|token|environment|.env", True,
     rf"\b(?:send|post|upload|e-?mail|forward|leak)\b[^./\n]{{0,60}}\b{_SECRETS}\b[^.\n]{{0,40}}\bto\b{_PLACE}"),
    ("send", "![", False,
     r"!\[[^\]\n]{0,80}\]\(https?://[^)\s]{0,120}?[{$<]"),
    ("keys", "cat|read|print|copy|dump|show|open|list", True,
     rf"\b(?:cat|read|print|copy|dump|show|open|list)\b[^.\n]{{0,40}}{_KEY_FILES}"),
    ("keys", "$", True,
     r"\b(?:echo|print|printenv|paste|show)\b[^.\n]{0,20}\$\{?\w{0,30}(?:KEY|TOKEN|SECRET|PASSWORD)"),
    ("checks", "--", True,
     r"(?<![\w-])--(?:no-verify|no-gpg-sign|insecure|skip-verify|dangerously-[\w-]{1,40})\b"),
    ("checks", "verify|tls_", True,
     r"\bverify\s?=\s?False\b|TLS_REJECT_UNAUTHORIZED\s?=\s?[\"']?0|\bsslVerify[\s=]{1,2}false"),
    ("checks", "stricthost|chmod|setenforce", True,
     r"\bStrictHostKeyChecking[\s=]no\b|\bchmod\s{1,3}(?:-R\s{1,3})?(?:0?777|a\+rwx)\b|\bsetenforce\s0\b"),
    ("checks", "disable|turn|switch|bypass|skip", True,
     rf"\b(?:disable|turn\soff|switch\soff|bypass|skip)\s(?:(?:the|all|any)\s){{0,2}}{_GUARDS}\b"),
    ("override", "ignore|disregard|forget|override", False,
     rf"\b(?:ignore|disregard|forget|override)\s(?:(?:all|any|the|your|of)\s){{0,3}}(?:{_ORDERS}|instructions\sabove)\b"),
    ("override", "you|new", False,
     r"\byou\sare\snow\s(?:an?|the|in|root)\b|\bnew\ssystem\s(?:prompt|instructions?)\b"),
    ("secrecy", "tell|mention|inform|notify|reveal", True,
     rf"\b(?:do\snot|don['’]t|never|without)\s{_TELL}(?:ing)?\b[^.\n]{{0,30}}\b{_PEOPLE}s?\b"),
    ("secrecy", "keep|hide|secretly|covertly", True,
     r"\b(?:keep|hide)\s(?:this|it|that)\s(?:secret\b|hidden\b|from\s)|\b(?:secretly|covertly)\s\w"),
    ("encoded", "", False,
     _ENCODED),
    ("mark", "<|[|curator:", False,
     PROGRAM_MARK),
)
# fmt: on
"""Kind, hints, whether a denial before it ("never …") makes it harmless, and an expression whose parts are all bounded.

A text without any of the hints, in small letters, has no match. Most texts therefore need few expressions.
"""
_DENIAL = re.compile(
    r"(?i)(?:(?:n['’]t|\b(?:never|not|avoid|without|no(?!-)|forbid\w{0,5}|refuse|instead\sof|rather\sthan))\b[^.,:;!?\n–—]{0,60}"
    r"|(?:\A|[.;!?\n])\s{0,3}(?:lesson[^:\n]{0,30}:\s)?(?:never|don['’]t|do\snot|avoid)\b"
    r"(?!\s(?:mind|forget|hesitate|worry))[^.;!?\n–—]{0,60})(?<!\s-\s)$"
)
"""A denial ends with its clause. Only a denial that begins a sentence continues after a comma, as in a list."""
CLAUSES = {
    "run": "tells the agent to run code that it fetches",
    "delete": "tells the agent to delete what nothing brings back",
    "send": "tells the agent to send data out",
    "keys": "tells the agent to read keys or passwords",
    "checks": "tells the agent to skip a check",
    "override": "tells the agent to ignore other instructions",
    "secrecy": "tells the agent to hide something from a person",
    "encoded": "has encoded text that nobody can read",
    "mark": "has a mark that only programs set",
}
"""Each kind as a clause about the lesson."""
NO_PATHS = "names files that are no paths, which curator left out"
"""A clause about a lesson, and its part of ``Entry.score_parts``."""


class TextWarning(NamedTuple):
    """A kind of ``CLAUSES``, and the characters of the text that it is about."""

    kind: str
    start: int
    end: int


@cache
def _compiled() -> list[tuple[str, list[str], re.Pattern[str], bool]]:
    return [
        (kind, hints.split("|"), re.compile(pattern, re.IGNORECASE), deniable) for kind, hints, deniable, pattern in PATTERNS
    ]


def fold(text: str) -> str:
    """Return a text in small letters, as an expression that ignores case reads it.

    >>> fold("SKİP"), fold("ſkıp")  # ``casefold`` alone leaves two of these letters
    ('skip', 'skip')
    """
    return text.replace("İ", "i").replace("ı", "i").casefold()


def find(text: str) -> tuple[TextWarning, ...]:
    """Return the warnings about a text, in its order.

    >>> text = "Commit with --no-verify"
    >>> [(one.kind, text[one.start : one.end]) for one in find(text)], find("Never commit with --no-verify")
    ([('checks', '--no-verify')], ())
    """
    folded = fold(text)
    found = (
        TextWarning(kind, *match.span())
        for kind, hints, pattern, deniable in _compiled()
        if any(map(folded.__contains__, hints))
        for match in pattern.finditer(text)
        if not (deniable and _DENIAL.search(text, max(0, match.start() - 80), match.start()))
    )
    return tuple(sorted(found, key=lambda one: one.start))


def describe(*texts: str) -> str:
    """Return the warnings about the texts of a lesson, as clauses. Return an empty text if there are none.

    >>> describe("Commit with --no-verify", "It is quicker.")
    'tells the agent to skip a check'
    """
    return "; ".join(dict.fromkeys(CLAUSES[one.kind] for one in find("\n".join(texts))))


def defuse(text: str) -> str:
    """Return the text with the marks that only programs set made into plain signs, so that none ends a quotation."""
    return re.sub(PROGRAM_MARK, lambda match: match[0].translate(_PLAIN), text, flags=re.IGNORECASE)


_PLAIN = str.maketrans({"<": "‹", ">": "›", "[": "(", "]": ")", ":": "："})
