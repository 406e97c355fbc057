"""Dangerous orders in the shape of a command or setting: `curl … | sh`, `verify=False`, `rm -rf ~`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property


class _Shape:
    """An expression, blind to case, that is compiled when a text first has one of its hints: most texts have none.

    A hint stands in every text that the expression finds, in lower case, with ``_`` for a blank.
    """

    def __init__(self, pattern: str, hints: str) -> None:
        self.pattern = pattern
        self.hints = tuple(hint.replace("_", " ") for hint in hints.split())

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The expression."""
        return re.compile(self.pattern, re.IGNORECASE)

    def spans(self, text: str, low: str) -> Iterator[tuple[int, int]]:
        """Where it stands in a text, whose lower case is known."""
        if any(hint in low for hint in self.hints):
            yield from (match.span() for match in self.compiled.finditer(text))


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
