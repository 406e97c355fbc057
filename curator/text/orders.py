"""Find dangerous orders to an agent by a trained model, and mark their words.

A linear model judges some sentences at a time by what they show: words, verbs with their objects, and the shape of a
command or setting (`curl … | sh`, `verify=False`, `rm -rf ~`). What stands in the reach of a denial ("never", "nicht")
has names of its own: forbidding is learned like ordering. Another model tells the kind. Their weights are data
(``orders.json``), made by ``tests/benchmarks/train_orders.py``, which says from what. It is no proof of innocence: it
draws the eye of a person, who decides.
"""

from __future__ import annotations

import json
import re
from array import array
from binascii import a2b_base64
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from math import sqrt
from pathlib import Path
from sys import byteorder
from typing import NamedTuple
from zlib import crc32

from curator.text.lexicon import VERBS, classes


class _Shape:
    """An expression, blind to case, that is compiled when a text first has one of its hints: most texts have none.

    A hint stands in every text that the expression finds, in lower case, with ``_`` for a blank.
    """

    def __init__(self, pattern: str, hints: str) -> None:
        self.pattern = pattern
        self.hints = tuple(hint.replace("_", " ") for hint in hints.split())

    @cached_property
    def expression(self) -> re.Pattern[str]:
        """The expression."""
        return re.compile(self.pattern, re.IGNORECASE)

    def spans(self, text: str, low: str) -> Iterator[tuple[int, int]]:
        """Where it stands in a text, whose lower case is known."""
        if any(hint in low for hint in self.hints):
            yield from (match.span() for match in self.expression.finditer(text))


_HOST = (
    r"(?!(?:localhost|127\.|0\.0\.0\.0|\[::1\]|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)"
    r"|[\w-]{1,40}+(?=[/:\s]|$)|[\w.-]{1,80}?\.(?:local|internal|test|localhost|lan|corp|svc)\b)"
)
_FOREIGN = rf"(?:https?|ftp|wss?)://{_HOST}[^\s`'\"<>)]{{1,200}}+"
_DOMAINS = "com|net|org|io|dev|ru|cn|xyz|top|cc|me|info|example|site|app|cloud"
OURS = _Shape(
    r"https?://(?:localhost|127\.|0\.0\.0\.0|\[::1\]|[\w.-]{1,80}?\.(?:internal|local|test|lan|corp"
    r"|svc)\b)[^\s`'\"<>)]{0,200}+"
    r"|(?<![\w.])(?:localhost|127\.0\.0\.1)(?::\d{1,5})?(?!\w)",
    "http localhost 127",
)
"""Addresses of this machine or this house."""
SIGNS = {
    "address": _Shape(
        rf"{_FOREIGN}|(?<![\w.])[\w.+-]{{1,40}}+@[\w-]{{1,40}}+\.[\w.-]{{2,40}}+"
        rf"|(?<![\w.])\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?![\w.])"
        rf"|(?<![\w./@$-])(?!env\.)(?:[a-z0-9-]{{1,40}}+\.){{1,4}}(?:{_DOMAINS})\b(?![\w(=]|\.\w|\s?=)[^\s`'\"<>)]{{0,200}}+",
        ":// @ .c .n .o .i .d .r .x .t .m .e .s .a .0 .1 .2 .3 .4 .5 .6 .7 .8 .9",
    ),
    "keyfile": _Shape(
        r"~/\.(?:ssh|aws|gnupg|netrc|npmrc|kube|docker|config)\b\S{0,40}|/etc/(?:passwd|shadow)\b"
        r"|\$\{?\w{0,30}(?:KEY|TOKEN|SECRET|PASSWORD)\w{0,10}\}?",
        "~/. /etc/ $",
    ),
    "script": _Shape(
        rf"(?:https?|ftp)://(?:\d{{1,3}}(?:\.\d{{1,3}}){{3}}|{_HOST}[^\s`'\"<>)?]{{1,200}}?"
        r"\.(?:sh|bash|py|ps1|bat|exe|bin|js|mjs|pl|rb|php|run|jar|appimage)(?![\w/-]|\.\w))",
        "://",
    ),
    "it": _Shape(r"\b(?:it|them|that|this|in(?:to)? (?:ba|z)?sh|es|ihn|le|la|lo|o|его|е[её]|их)\b|并|然后|して", "_ 并 然 し"),
    "constant": _Shape(
        r"\b(?:constant|always (?:true|pass\w{0,2}|succeeds?|returns? true)|(?:return|with|to|a) true|no-?op|nothing|dummy)\b"
        r"|\b(?:exit 0|assert true)\b",
        "true constant always noop no-op nothing dummy exit_0",
    ),
}
"""Classes of things that no table can list."""
_DECODE = (
    r"(?:de(?:code|crypt|obfuscate|cipher|compress|scramble)|unscrambl|inflat|decipher|rot-?13|revers|backwards?\b|atob\b"
    r"|initials\b|acrostic|(?:first|last|second|third|capital|every \w{1,8}) (?:letters?|words?|characters?)"
    r"|entschlüssel|dekodier|décod|déchiffr|decodific|descifr|раскодир|расшифр|解码|解密|デコード|復号)"
)
_OBEY = (
    r"(?:\b(?:do|does|follow|obey|act|execute|run|apply|perform|instructions?|tasks?|orders?|steps?|says?|tells?|command|message|hidden|secret)\b"
    r"|befolg|ausführ|führe|suivre|suis|exécut|sigue|ejecut|esegu|выполн|执行|照做|実行|従)"
)
SHAPES = {
    "obey": _Shape(
        rf"{_DECODE}[^\n]{{0,80}}?{_OBEY}|{_OBEY}[^\n.]{{0,80}}?{_DECODE}"
        r"|\b(?:ignore|disregard|forget|override|bypass|overrule)\s(?:(?:all|any|the|your|every|of|these|those)\s){0,3}"
        r"(?:previous|prior|earlier|above|system|developer|initial|user)(?:'s)?\s"
        r"(?:instructions?|prompts?|rules?|messages?|guidelines?)",
        "ignore disregard forget override bypass overrule"
        " decod decry deobf decip decom descr unscr infla rot13 rot-13 rever backw atob initials acrostic letter word character"
        " entschl dekod décod déchi descif раскод расшиф 解 デコ 復",
    ),
    "run": _Shape(
        r"\b(?:curl|wget|fetch|iwr|irm|invoke-webrequest|invoke-restmethod|base64|xxd|openssl|rev|tr)\b[^|\n;]{0,200}\|\s{0,3}"
        r"(?:sudo\s{1,3}(?:-\w\s){0,2})?(?:/\S{0,20}/)?"
        r"(?:(?:ba|z|da|fi|k)?sh|python\d?|node|perl|ruby|iex|php|deno|source|xargs)\b"
        r"|(?:\b(?:ba|z|da)?sh|\beval|\bsource|\bpython\d?|\bnode|\.)\s(?:-\w{1,4}\s){0,2}[\"']?[<$]\(\s?(?:curl|wget|iwr"
        r"|base64)\b"
        r"|\b(?:iex|invoke-expression)\b[^;\n]{0,40}(?:iwr|irm|http|download)"
        r"|\b(?:curl|wget)\b[^\n;]{0,200}(?:&&|;|\bthen\b)[^\n]{0,60}(?:chmod\s\+x|(?:ba|z)?sh\s|\./|python\d?\s)"
        rf"|\b(?:npx|deno\s(?:run|x)|bunx|go\srun|python\d?)\s(?:-\S{{1,20}}\s){{0,3}}(?:github:|{_FOREIGN})",
        "curl wget fetch iwr irm invoke base64 xxd openssl rev tr iex npx deno bunx go_run python",
    ),
    "send": _Shape(
        r"\b(?:env|printenv|history|cat\s\S{0,40}(?:\.env|id_rsa|id_ed25519|credentials|secret\w?|passwd|shadow|\.netrc))\b"
        r"[^|\n]{0,40}\|[^\n]{0,60}\b(?:curl|nc|ncat|netcat|wget|mail|telnet|http|base64)"
        r"|\b(?:curl|wget|http)\b[^\n]{0,120}(?:@\S{0,40}(?:\.env|id_rsa|id_ed25519|credentials|secrets?|passwd|\.netrc)"
        r"|\$\(\s?(?:env|printenv|cat|history)\b)"
        r"|\b(?:scp|rsync)\b[^\n]{0,60}(?:\.env|id_rsa|\.ssh|\.aws|credentials)\S{0,20}\s\S{1,40}@"
        rf"|!\[[^\]\n]{{0,80}}\]\(https?://{_HOST}[^)\s]{{0,120}}?[{{$<]"  # a picture whose address carries something out
        r"|\|\s{0,3}(?:nc|ncat|netcat|telnet)\b|\bpiped? to (?:nc|ncat|netcat)\b|\b(?:env|printenv)\s?\|\s?(?:curl|nc)",
        "|_ |n |c |t |w |m |h |b @ $( ![ scp rsync piped_to pipe_to",
    ),
    "install": _Shape(
        rf"\b(?:pip3?|uv|pipx|npm|pnpm|yarn|bun|gem|cargo|go|brew|apt|apt-get|npx|conda|poetry|composer"
        rf"|code)\b[^;\n]{{0,60}}?"
        rf"(?:\b(?:install|i|add|get|tap|exec|dlx|x)\b|\bnpx\b)[^;\n]{{0,60}}?"
        rf"(?:--(?:extra-)?index-url|--registry|--source|--find-links|--trusted-host|-i\s|-f\s"
        rf"|git\+(?:https?|ssh)://{_HOST}|{_FOREIGN})"
        rf"|\b(?:registry|index(?:-url)?|source|repository|mirror)\b[^.;\n]{{0,20}}?(?:(?:to|=|:|at)\s?|\s){_FOREIGN}",
        ":// --extra-index --index-url --registry --source --find-links --trusted-host -i_ -f_",
    ),
    "disable": _Shape(
        r"--(?:no-|skip-|disable-|ignore-|insecure-)"
        r"(?:verify|check|gpg|signature|sandbox|security|auth|audit|ssl|tls|certificate|web-security|skip-tls"
        r"|registry)[\w-]{0,30}"
        r"|\bgit commit\b[^`.\n]{0,30}\s-\w{0,3}n\w{0,2}\b|commit\.gpgsign[ =]{1,2}false"
        r"|core\.hookspath[ =]{1,2}\S{0,20}/(?:dev/null|tmp)"
        r"|\bHUSKY=0|(?-i:\bSKIP)=\w|GIT_SSL_NO_VERIFY|NODE_TLS_REJECT_UNAUTHORIZED|PYTHONHTTPSVERIFY=0"
        r"|sslverify[ =]{1,2}(?:false|0)"
        r"|rejectUnauthorized\W{1,3}false|\bcurl\b[^\n]{0,60}\s(?:-k\b|--insecure)|--trusted-host"
        r"|InsecureSkipVerify\W{1,3}true"
        r"|strict-ssl[ =]{1,2}false|StrictHostKeyChecking[ =]{1,2}no|PermitRootLogin yes|CERT_NONE\b|\bverify_?(?:none"
        r"|peer)\b"
        r"|\bsetenforce 0|\bufw disable|csrutil disable|\bsudo spctl|\bDisableRealtimeMonitoring\b|\bset-mppreference\b"
        r"|--dangerously-[\w-]{1,40}|--yolo\b|danger-full-access|bypassPermissions|approval[_-]policy\W{1,6}never"
        r"|--(?:allow-(?:unauthenticated|untrusted)|force-yes|nogpgcheck)\b|--admin\b(?=[^\n]{0,20}merge)|\bauto-?_?approve\b"
        r"|\b(?:tests?|checks?|lint\w{0,3}|audit|ci)\b[^\n]{0,60}(?:\|\| ?true|\bexit 0)"
        r"|(?:\|\| ?true|\bexit 0)[^\n]{0,60}\b(?:tests?|checks?|ci)\b"
        r"|\b[\w.-]{0,30}(?:verif|ssl|tls|secur|auth|protect|encrypt|audit|sandbox|backup|sign|check|csrf|sumdb|strict"
        r"|valid|permission)"
        r"[\w.-]{0,30}[\"'`]?\s?(?:=|:=|:|=>|\sto)\s?[\"'`]?(?:false|off|no|none|disabled?|never|0)\b"
        r"|\b(?:protected-mode|requirepass|deletion[_-]protection|skip_final_snapshot)\s?[=: ]\s?(?:no|false|true|off|\"\")"
        r"|\b(?:GONOSUMDB|GONOSUMCHECK|GOINSECURE|GOFLAGS=-insecure)\b",
        "curl --no- --skip- --disable- --ignore- --insecure --trusted-host --dangerously --yolo --allow-un --force-yes --nogpg"
        " --admin"
        " git_commit gpgsign hookspath husky=0 skip= ssl verif tls unauthorized insecure stricthostkey permitroot cert_"
        " setenforce"
        " ufw_ csrutil spctl realtimemon mppreference full-access bypassperm policy approve ||true ||_true exit_0 secur"
        " auth protect"
        " encrypt audit sandbox backup sign check csrf sumdb strict valid permission requirepass snapshot gonosum"
        " goflags",
    ),
    "destroy": _Shape(
        r"\brm\s(?:-\w{1,8}\s|--[\w-]{1,20}\s){0,4}-(?=\w{0,8}[rf])\w{1,8}\s(?:--[\w-]{1,20}\s)?[\"']?"
        r"(?:/|~|\$\{?HOME\}?|\*|\.\.|\.git)(?=/?(?:\*|\s|[\"'`;&|.,]|$))|--no-preserve-root"
        r"|\bpush\b[^\n;`]{0,40}\s(?:--force(?!-with)|-f\b|--delete\b|--mirror\b|\+\w)|\bgit push \S{1,20} :\w"
        r"|--force\b(?=[^\n]{0,20}\bpush)|\bforce[- ]push\b|\bgit (?:tag|push) (?:-f|--force)\b(?!-with)"
        r"|\bgit (?:filter-branch|filter-repo|reflog expire)|\bgit reset --hard\b(?=[^\n]{0,30}clean)"
        r"|\bdd\b[^\n]{0,40}\bof=/dev/|\bmkfs\b|>\s?/dev/(?:sd|nvme|hd)|\bfind\s(?:/|~)\s[^\n]{0,40}-delete"
        r"|\bterraform destroy|\bkubectl delete (?:ns|namespace|pvc|pv|--all|-f)\b|\b(?:docker|podman) (?:system"
        r"|volume) prune\b"
        r"|\baws s3 (?:rb|rm)\b[^\n]{0,60}--(?:force|recursive)|\bflush(?:all|db)\b|\bdrop (?:database|schema)\b"
        r"|\bdelete from \w{1,30}\s?(?:;|$|\bon\b|\bin\b)|\btruncate (?:table )?\w{1,30}\b(?=[^.\n]{0,60}\b(?:prod|live"
        r"|main|cascade))"
        r"|\bremove-item\b[^\n]{0,40}-recurse[^\n]{0,20}(?:~|\$home|c:\\)|\b(?:del|rd) /s\b",
        "rm_ preserve push filter- reflog git_reset git_tag mkfs /dev/ -delete terraform kubectl prune aws_s3 flush"
        " drop_d drop_s"
        " delete_from truncate remove-item _/s",
    ),
    "rights": _Shape(
        r"\bchmod\b[^\n]{0,20}\s(?:0?777|0?666|a\+rwx|o\+w|ugo\+rwx|u\+s|\+s)\b|\bchown -R\s\S{1,20}\s/(?:\s|$)"
        r"|authorized_keys|NOPASSWD|\bsudoers\b|--acl public-read|permissions:\s?write-all|0\.0\.0\.0/0|\bnc\s-\w{0,3}e\b"
        r"|/dev/tcp/"
        r"|--privileged\b|\bpull_request_target\b|--cap-add[= ]\w{0,4}all|\"?action\"?\s?[:=]\s?\"?\*|\biam:\*"
        r"|\bcluster-admin\b"
        r"|docker\.sock\b|\badmin ?[/:] ?admin\b",
        "chmod chown authorized nopasswd sudoers acl write-all 0.0.0.0/0 nc_ /dev/tcp privileged pull cap-add"
        " action iam:"
        " cluster-admin docker.sock admin",
    ),
}
"""Kind of order → the commands and settings by which it is given."""


class Trait(NamedTuple):
    """A feature and where its words stand; ``kind`` is that of the order whose shape or verb and object it is, if it is one."""

    name: str
    start: int
    end: int
    kind: str = ""


class _Rule(NamedTuple):
    """An order of a kind: a class of verbs, and of which classes, one of each, something stands in its sentence."""

    kind: str
    verb: str
    objects: tuple[str, ...]


_RULES = (
    _Rule("run", "fetch", ("address", "code run it")),
    _Rule("run", "run", ("script",)),
    _Rule("run", "fetch", ("code address", "run")),
    _Rule("install", "fetch", ("package", "install", "address odd")),
    _Rule("install", "install", ("package", "address")),
    _Rule("install", "fetch", ("package", "address")),
    _Rule("install", "grant", ("agent", "address")),
    _Rule("install", "point", ("manager", "address")),
    _Rule("send", "send", ("secret keyfile data", "out address")),
    _Rule("send", "swap", ("pay",)),
    _Rule("send", "flow", ("secret data", "address")),
    _Rule("send", "commit", ("stash",)),
    _Rule("send", "show", ("bare",)),
    _Rule("send", "grant", ("hook", "address")),
    _Rule("disable", "off", ("offword", "guard")),
    _Rule("disable", "stub", ("guard gate red", "constant")),
    _Rule("disable", "mark", ("red",)),
    _Rule("disable", "disable", ("guard",)),
    _Rule("disable", "disable", ("gate",)),
    _Rule("disable", "drop", ("gate",)),
    _Rule("disable", "protect", ("weak", "secret serious")),
    _Rule("disable", "protect", ("broken",)),
    _Rule("destroy", "wipe", ("precious",)),
    _Rule("destroy", "wipe", ("prod", "store")),
    _Rule("rights", "grant", ("rights",)),
    _Rule("rights", "run", ("asroot",)),
    _Rule("rights", "grant", ("persist", "address shell")),
    _Rule("obey", "disable", ("prompt",)),
)
_SENTENCE = re.compile(r"[^.!?;\n。！？；]*+(?:[.!?;](?!\s|$)[^.!?;\n。！？；]*+)*+[.!?;\n。！？；]?")
_TOKEN = re.compile(r"--?\w[\w-]{0,40}+|[^\W_]+(?:['’][^\W_]+)?|[|*~$]")
_DENIALS = frozenset(
    """never not no avoid nobody cannot dont without refuse stop forbid forbidden reject nor neither instead rather nie niemals
    nicht kein keine keinen keinem keiner vermeide statt ohne jamais ne pas sans évite évitez éviter evite nunca jamás jamas
    evita sin não nao sem non mai senza не никогда нельзя без""".split()
)
"""What denies all that follows up to a break, but before one of the next words."""
_ASSENTS = frozenset("worry hesitate wait forget bother only longer later matter".split())
_BREAKS = frozenset("but aber sondern mais sino pero mas ma но а".split())
_AFTERTHOUGHTS = frozenset(
    """нельзя запрещено запрещается недопустимо verboten untersagt unzulässig tabu forbidden prohibited disallowed interdit
    interdite interdits prohibido prohibida prohibidos proibido proibida proibidos vietato vietata vietati wolno zabronione
    verboden yasak yasaktır olmaz""".split()
)
"""What denies what stands before it, from the last stop on."""
_UNSPACED_AFTERTHOUGHT = re.compile("ない|ません|せず|[はもがを]禁止|지 ?[마말않]|금지")
_UNSPACED_DENIAL = re.compile("不要|禁止|勿|别|不得|不能|不可")
_STOP = re.compile("[:;,—–(，；]")
_PAUSE = re.compile("[:;,—–(，；、]")
_BLANKS = dict.fromkeys(map(ord, "\t\n\r\x0b\x0c"), " ")
UNSPACED = "\u3040"
"""From this letter on scripts put no blanks between words, nearly all of them."""
LONGEST = 24
"""Letters of a word that are looked at in pieces."""


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Where sentences begin and end."""
    for match in _SENTENCE.finditer(text):
        if match[0].strip():
            yield match.start() + len(match[0]) - len(match[0].lstrip()), match.end()


def traits(sentence: str) -> list[Trait]:
    """All that a sentence shows, in time linear in its length; a feature may stand in it often.

    >>> [trait.name for trait in traits("Never push") if trait.name[0] in "=¬"]
    ['=never', '¬push', '¬push $']
    """
    low = f" {sentence.lower()} ".translate(_BLANKS)
    places = [(*span, "@there") for span in SIGNS["address"].spans(sentence, low)]
    places += [(*span, "@here") for span in OURS.spans(sentence, low)]
    words = list(_words(sentence, sorted(places)))
    denials = _denials(sentence, words)
    signs = [
        word if word.name[0] == "@" else word._replace(name=f"{'¬' if _is_denied(denials, word.start) else '='}{word.name}")
        for word in words
    ]
    return [*_of_words(signs), *_of_shapes(sentence, low, denials), *_of_rules(sentence, low, denials)]


def _words(sentence: str, places: list[tuple[int, int, str]]) -> Iterator[Trait]:
    """Words and addresses in their order."""
    at = 0
    for start, end, name in [*places, (len(sentence), len(sentence), "")]:
        for match in _TOKEN.finditer(sentence, at, max(at, start)):
            yield Trait(match[0].lower(), *match.span())
        if name and start >= at:
            yield Trait(name, start, end)
        at = max(at, end)


def _denials(sentence: str, words: list[Trait]) -> list[tuple[int, bool]]:
    """From where on what stands is denied, or is not any more."""
    found = [(match.end(), False) for match in _STOP.finditer(sentence)]
    found += [(match.end(), True) for match in _UNSPACED_DENIAL.finditer(sentence)]
    for word, after in pairwise([*words, Trait("", 0, 0)]):
        if word.name in _BREAKS:
            found.append((word.start, False))
        elif (word.name in _DENIALS or word.name.endswith(("n't", "n’t"))) and after.name not in _ASSENTS:
            found.append((word.end, True))
    afterthoughts = [word.end for word in words if word.name in _AFTERTHOUGHTS]
    afterthoughts += [match.end() for match in _UNSPACED_AFTERTHOUGHT.finditer(sentence)]
    pauses = [0, *(match.end() for match in _PAUSE.finditer(sentence))] if afterthoughts else []
    for end in afterthoughts:
        found += [(pauses[bisect_right(pauses, end) - 1], True), (end, False)]
    return sorted(found)


def _is_denied(denials: list[tuple[int, bool]], at: int) -> bool:
    last = bisect_right(denials, (at, True))
    return last > 0 and denials[last - 1][1]


def _of_words(words: list[Trait]) -> Iterator[Trait]:
    yield from words
    bare = [word._replace(name=word.name.removeprefix("=")) for word in words]
    edge = bare[-1].end if bare else 0
    for first, second in pairwise([Trait("^", 0, 0), *bare, Trait("$", edge, edge)]):
        yield Trait(f"{first.name} {second.name}", first.start if first.end else second.start, second.end)
    for word in words:
        sign, letters = word.name[0].replace("=", ""), word.name[1 : 1 + LONGEST]
        if not letters.isascii() and max(letters) >= UNSPACED:
            for size in (1, 2, 3):
                for at in range(len(word.name) - size):
                    yield Trait(f"~{word.name[1 + at : 1 + at + size]}", word.start + at, word.start + at + size)
        elif word.name[0] != "@":
            whole = f"<{letters}>"
            for size in (3, 4, 5):
                for at in range(len(whole) - size + 1):
                    yield Trait(f"~{sign}{whole[at : at + size]}", word.start, word.end)


def _of_shapes(sentence: str, low: str, denials: list[tuple[int, bool]]) -> Iterator[Trait]:
    for kind, shape in SHAPES.items():
        for start, end in shape.spans(sentence, low):
            if _is_denied(denials, start):
                yield Trait("-shape", start, end)
                yield Trait(f"-shape {kind}", start, end)
            else:
                yield Trait("+shape", start, end, kind)
                yield Trait(f"+shape {kind}", start, end, kind)


def _of_rules(sentence: str, low: str, denials: list[tuple[int, bool]]) -> Iterator[Trait]:
    found = classes(sentence)
    if VERBS.isdisjoint(found):
        return

    @cache
    def spans(name: str) -> list[tuple[int, int]]:
        if name in SIGNS:
            return list(SIGNS[name].spans(sentence, low))
        return [(word.start, word.end) for word in found.get(name, ())]

    for rule in _RULES:
        verbs = found.get(rule.verb, ())
        only = spans(rule.verb)[0] if len(verbs) == 1 else None
        objects = [
            next((span for name in kind.split() for span in spans(name) if span != only), None)
            for kind in rule.objects
            if verbs
        ]
        if not verbs or None in objects:
            continue
        for verb in verbs:
            ends = [(verb.start, verb.end), *filter(None, objects)]
            start, end = min(ends)[0], max(end for _, end in ends)
            if _is_denied(denials, verb.start):
                yield Trait(f"-rule {rule.kind}", start, end)
                continue
            before = sentence[max(0, verb.start - 20) : verb.start].split()
            last = before[-1].lower().strip("`,:;\"'") if before else "^"
            for name in ("", f" {rule.kind}", f" {rule.kind} {verb.form}", f" {verb.form}", f" after {last}"):
                yield Trait(f"+rule{name}", start, end, rule.kind)


DESCRIPTIONS = {
    "run": "run what it fetches",
    "send": "send something out",
    "install": "install from an unknown place",
    "disable": "switch a protection off",
    "destroy": "destroy something",
    "rights": "widen rights, or leave a way in",
    "hide": "hide something from you",
    "obey": "obey others than you",
}
"""Kind of order → what it tells the agent to do."""
DATA = "orders.json"
TOGETHER = 4
"""Sentences that are judged as one."""
ALONE = 0.5
"""Log-odds that one of several sentences must have more to be an order by itself: what stands around must not drown it."""


class Flag(NamedTuple):
    """An order: its kind, a key of ``DESCRIPTIONS``, and where its words stand in the text."""

    kind: str
    start: int
    end: int


class Weights(NamedTuple):
    """Weights by key in two rows, since most keys are never asked for: a table of them would take longer to build."""

    keys: array[int]
    values: array[int]

    def total(self, asked: Iterable[int]) -> int:
        """The sum of the weights of some features, nought where one has none."""
        keys, values, end, total = self.keys, self.values, len(self.keys), 0
        for key in asked:
            at = bisect_left(keys, key)
            if at < end and keys[at] == key:
                total += values[at]
        return total


class Model(NamedTuple):
    """Log-odds that sentences give an order, less the floor: ``base`` and weights by key, in hundredths, over the root of how
    many features there are."""

    base: float
    weights: Weights
    kinds: Mapping[str, str]
    """By kind of order, what features say for it, packed: most texts need none of it."""

    def worth(self, keys: frozenset[int]) -> float:
        """How likely sentences with these features give an order; above zero they are said to."""
        return self.base + self.weights.total(keys) / (100 * sqrt(30 + len(keys)))

    def kind(self, keys: frozenset[int]) -> str:
        """The kind of order for which the features speak most."""
        return max(self.kinds, key=lambda kind: unpack(self.kinds[kind]).total(keys))


def key(name: str) -> int:
    """What stands for a feature in the data, which would take long to read by names: its CRC-32."""
    return crc32(name.encode())


@cache
def unpack(text: str) -> Weights:
    """Weights from base64: first all keys, smallest first, four bytes each, then their weights, two each, lowest byte first."""
    raw = a2b_base64(text)
    keys, values = array("I", raw[: len(raw) // 6 * 4]), array("h", raw[len(raw) // 6 * 4 :])
    if byteorder == "big":
        keys.byteswap()
        values.byteswap()
    return Weights(keys, values)


@cache
def load_model() -> Model:
    """The model that comes with curator."""
    return parse(Path(__file__).with_name(DATA).read_text("utf-8"))


def parse(text: str) -> Model:
    """A model from its JSON text."""
    data = json.loads(text)
    return Model(data["base"], unpack(data["weights"]), data["kinds"])


def orders(text: str) -> tuple[Flag, ...]:
    """The orders of a text by where they begin, one of a kind in a line; empty for most texts.

    >>> [text[flag.start : flag.end] for text in ["Commit with --no-verify"] for flag in orders(text)]
    ['--no-verify']
    >>> orders("Never commit with --no-verify")
    ()
    """
    found: dict[tuple[str, int], Flag] = {}
    for flag in _find_flags(text):
        found.setdefault((flag.kind, text.count("\n", 0, flag.start)), flag)
    return tuple(sorted(found.values(), key=lambda flag: (flag.start, flag.end)))


def worth(text: str) -> float:
    """How much the likeliest order of a text is one; above zero it is flagged."""
    return max((worth for worth, _ in _windows(_sentence_traits(text))), default=0.0)


SentenceTraits = Sequence[tuple[int, str, Sequence[Trait], frozenset[int]]]


def _sentence_traits(text: str) -> SentenceTraits:
    """Where each sentence begins, the sentence, its traits that are of a kind, with their places in it, and the keys of all."""
    return [(start, text[start:end], *_judge(text[start:end])) for start, end in sentences(text)]


@lru_cache(maxsize=16)
def _judge(sentence: str) -> tuple[Sequence[Trait], frozenset[int]]:
    """A card is judged as a whole and by its parts, of which each has the same sentences."""
    found = traits(sentence)
    return [trait for trait in found if trait.kind], frozenset(key(trait.name) for trait in found)


def _windows(sentences: SentenceTraits) -> Iterator[tuple[float, SentenceTraits]]:
    """What each few sentences that follow one another are worth, and each alone."""
    for at in range(max(1, len(sentences) - TOGETHER + 1)):
        some = sentences[at : at + TOGETHER]
        yield load_model().worth(_keys(some)), some
    if len(sentences) > 1:
        for one in sentences:
            yield load_model().worth(one[-1]) - ALONE, [one]


def _keys(sentences: SentenceTraits) -> frozenset[int]:
    return frozenset().union(*(keys for *_, keys in sentences))


def _find_flags(text: str) -> Iterator[Flag]:
    for worth, some in _windows(_sentence_traits(text)):
        if worth > 0:
            clear = [(at, trait) for at, _, found, _ in some for trait in found]
            yield from (Flag(trait.kind, at + trait.start, at + trait.end) for at, trait in clear)
            if not clear:
                yield Flag(load_model().kind(_keys(some)), *_heaviest(some))


def _heaviest(sentences: SentenceTraits) -> tuple[int, int]:
    """From where to where the words of a sentence weigh most: the run of them with the greatest sum."""
    weights = load_model().weights
    read = [(at, traits(sentence)) for at, sentence, *_ in sentences]
    at, first = read[0]
    best, place = 0.0, (at + first[0].start, at + first[-1].end)
    for at, found in read:
        sums: dict[tuple[int, int], float] = {}
        for trait in found:
            sums[trait.start, trait.end] = sums.get((trait.start, trait.end), 0.0) + weights.total([key(trait.name)])
        total, begin = 0.0, 0
        for (start, end), weight in sorted(sums.items()):
            if total <= 0:
                total, begin = 0.0, start
            total += weight
            if total > best:
                best, place = total, (at + begin, at + end)
    return place
