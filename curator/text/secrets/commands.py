"""Secrets in commands that no name stands before: flags of one letter, arguments by their place, what is piped into one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from curator.text.secrets.values import UNIT, Name, is_mixture, is_passphrase, is_password, is_secret, likely, strong
from curator.text.words import word_set

Span = tuple[int, int]

LINE = 300
"""Characters before a flag in which its program is looked for."""
PIPED = word_set("--password-stdin --passwd-on-stdin --with-token --passphrase-fd --data-file chpasswd passwd smbpasswd")
"""What takes a secret from the program before it."""

_SPLIT = re.compile(r"[^\w.+-]+")
_JOINED = word_set(
    "mysql mysqldump mysqladmin mysqlimport mysqlsh mysqlcheck mysqlslap mariadb mariadb-dump mariadb-admin 7z 7za 7zz",
    "rar unrar sshpass",
)
_LOGGED = word_set(
    "smbget smbcacls etcdctl curl wget http https xh httpie lftp smbclient rpcclient smbmap net govc jenkins-cli.jar aria2c"
)
_OTHER = word_set(
    "docker podman nerdctl skopeo az helm oc cf crane oras dotnet nuget gh glab ibmcloud clickhouse-client wandb snowsql vsql",
    "doctl winexe vault plink pscp mosquitto_pub mosquitto_sub influx sudo psexec codecov codecovcli uv flit",
)
_FLAGS = {
    program: letters
    for programs, letters in (
        ("login sshpass mongo mongosh mongodump mongorestore mongoexport mongoimport twine poetry cqlsh cypher-shell", "p"),
        ("rabbitmqadmin racadm esxcli rdesktop xfreerdp crackmapexec nxc netexec evil-winrm hydra medusa useradd usermod", "p"),
        ("psexec64 unlock-keychain create-keychain doveadm ncftpget ncftpput telnet-login vncdotool", "p"),
        (
            "ldapsearch ldapadd ldapmodify ldapdelete ldapcompare ldapwhoami ldapmodrdn ldapexop kadmin add-generic-password",
            "w",
        ),
        ("add-internet-password ldapvi dsconf dsidm", "w"),
        ("ldappasswd", "wsa"),
        ("supabase", "p"),
        (
            "snmpwalk snmpget snmpgetnext snmpset snmpbulkget snmpbulkwalk snmptable snmpstatus snmptrap snmpdf snmpinform",
            "AXc",
        ),
        ("net-snmp-create-v3-user", "AXax"),
        ("zip unzip zipcloak ipmitool ipmiutil sqlcmd bcp isql tsql osql mosquitto_pub mosquitto_sub import", "P"),
        ("redis-cli valkey-cli keydb-cli", "a"),
        ("ssh-keygen", "PN"),
        ("openssl", "kK"),
        ("set-key-partition-list coap-client", "k"),
        ("pk12util", "WK"),
        ("certutil", "WKp"),
        ("ipa-server-install", "ap"),
        ("ipa-client-install", "pw"),
    )
    for program in programs.split()
}
"""Flags that have nothing but a secret behind them, by the program, or by its command."""
_ARGUMENTS: dict[str, dict[str, int | None]] = {
    "login": {"vault": 0, "cargo": 0, "wandb": 0, "bw": 1},
    "auth": {"snyk": 0, "cf": 1, "doveadm": 2},
    "unlock": {"bw": 0},
    "passwd": {"openssl": 0},
    "password": {"mysqladmin": 0, "mariadb-admin": 0, "nmcli": 0},
    "htpasswd": {"": 2},
    "mosquitto_passwd": {"": 2},
    "wpa_passphrase": {"": 1},
    "mkpasswd": {"": 0},
    "set-initial-password": {"": 0},
    "reset-admin-password": {"": 0},
    "add-authtoken": {"": 0},
    "authtoken": {"ngrok": 0},
    "setapikey": {"": 0},
    "wifi-sec.psk": {"": 0},
    "pass": {"rclone": 0},
    "-setairportnetwork": {"": 2},
    "pypi-token": {"": 1},
    "obscure": {"rclone": 0},
    "mc alias set": {"": 3},
    "mc admin user add": {"": 2},
    "samba-tool user": {"": 2},
    "etcdctl user add": {"": None},
    "http-basic": {"": 2},
    "github-oauth": {"": 1},
    "gitlab-token": {"": 1},
    "gitlab-oauth": {"": 1},
    "config": {"bundle": None},
    "encrypt_string": {"": None},
    "convertto-securestring": {"": None},
    "rabbitmqctl add_user": {"": 1},
    "rabbitmqctl change_password": {"": 1},
    "rabbitmqctl authenticate_user": {"": 1},
    "net user": {"": 1},
    "net use": {"": None},
}
"""How many arguments stand before the secret, by the word of a command and the program; None: it looks like one."""

_HOSTED = word_set("pypi-token http-basic github-oauth gitlab-token gitlab-oauth")
"""Names with a host behind a dot."""
_ATTACHED = re.compile(r"-h?p[\"']?(?P<value>[^\s\"'-][^\s\"']{2,200})")
_LOGIN = re.compile(
    r"(?:-[uaU]|-auth|--user|--proxy-user)[ \t=]{0,2}[\"']?(?!(?:\w:"
    r"|//)[\\/])[^\s:\"'%,$]{1,80}[:%,](?P<value>[^\s\"']{3,200}?)"
    r"(?=@[\w-]{1,60}(?:\.[\w-]{1,60}){1,4}(?![\w@])|[\s\"']|\Z)"
)
_COOKIE = re.compile(r"-b[ \t]{0,2}[\"']?[^\n\"']{0,200}?=(?P<value>[\w.~+/%-]{16,400})")
_APART = re.compile(
    r"-(?P<flag>ap|pp|pw|[pPawWkKbtxXNAcs])(?:[ \t]{1,3}|(?=[\"']))[\"']?(?P<value>[^\s\"'|;&<>()-][^\s\"'|;&<>()]{2,200})"
)
_USER = re.compile(r"(?<!\S)(?:-[uUl]|--user(?:name)?|--admin-user)[ =][\"']?[\w@\\-]{1,60}[\"']? $")
"""A user right before a flag: it is a password's, whatever word stands there."""
_ECHO = re.compile(
    r"(?:echo|printf)[ \t]{1,3}(?:-\w{1,2}[ \t]"
    r"|[\"']\w{0,20}:?%s(?:\\n)?[\"'][ \t])?[\"']?(?:\w{1,40}:)?(?P<value>[^\s\"'|$`]{3,200})[\"']?"
    r"[ \t]{0,3}\|[^|\n]{0,120}$"
)
_HERE = re.compile(r"<<<[ \t]{0,3}[\"']?(?:\w{1,20}:(?=\S))?(?P<value>[^\s\"'$`<>(){}]{4,200})")
_ASKS = re.compile(
    r"\b(?:kinit|passwd|vncpasswd|chpasswd|smbpasswd|bw|op|lpass|pass|secret|login)[ ][^\n|;]{0,100}$|/u(?:ser)?:[^\n]{1,80}$"
)
"""Programs that ask for a secret, and a user before it."""
_SLASH = re.compile(r"(?i)p[: ][\"']?(?P<value>[^\s\"'/-][^\s\"']{3,200})")
_NAMED = re.compile(r"[a-z_]{3,20}=[^=]")
_DIRECTIVES = word_set(
    "requirepass masterauth bindpw rootpw pre-shared-key rocommunity rwcommunity message-digest-key key-string",
    "authentication-key eap xauth psk",
)
_SET = word_set("key community secret password passwd")
"""Names that are so in the lines of some programs alone."""
_DIRECTIVE = re.compile(
    r"[ \t]{1,4}(?:(?:\d|ascii-text|--plaintext"
    r"|\d{1,3}[ \t]md5)[ \t]{1,2})?[\"']?(?P<value>[^\s\"';<>]{4,200})[\"']?;?(?=[ \t]{0,3}(?:\r?\n|\Z|RO|RW|address"
    r"|default|\d{1,3}\.))"
)
"""One word behind the name of a setting, up to the end of its line."""
_SHARED = re.compile(
    r"(?i)(?:(?:server|isakmp)[ \t](?:(?:host[ \t])?[\w.:-]{1,60}[ \t])?|(?:\A|\n)[ \t]{0,8}(?:enable|ipsec|xauth"
    r"|(?:set|ppp)[ \t](?:[^\n]{1,60}[ \t])?(?<=[ \t])|(?:neighbor|username|machine|default|user|key"
    r"|d-i)[ \t][^\n,]{1,60})[ \t])$"
)
_AUTH = re.compile(r"[ \t]{1,3}(?:[\w-]{1,40}[ \t]{1,3})?[\"']?(?P<value>[^\s\"'=:;,()]{4,200})[\"']?[ \t]{0,4}(?=\r?\n|\Z)")
_SNMP = re.compile(
    r"(?i)[ \t](?:[\w.-]{1,40}[ \t])?(?:sha|md5)[\w-]{0,5}[ \t][\"']?(?P<value>[^\s\"']{4,100})[\"']?"
    r"(?:[ \t](?:priv[ \t])?(?:3?des|aes)[\w-]{0,5}[ \t](?:\d{2,3}[ \t])?[\"']?(?P<privacy>[^\s\"']{4,100}))?"
)
"""How routers and agents write down a user of SNMP."""
_PROMPT = re.compile(r"(?:\d>|redis[^\n]{0,80})[ \t]?$")
_STORED = re.compile(r"--value[= ][\"']?(?P<value>[^\s\"']{4,200})")
_RULE = re.compile(r">(?P<value>[^\s\"'<>]{4,200})")
_ACL = re.compile(r"(?i)(?:setuser|^[ \t]{0,4}user)[ \t][^\n]{1,80}$")
_ARGUMENT = re.compile(r"\"(?P<double>[^\"\n]{1,200})\"|'(?P<single>[^'\n]{1,200})'|(?P<bare>[^\s\"'|;&<>()]{1,200}+)")
_OPEN_WORDS = word_set("public private")
"""Names of communities that everybody knows."""

WORDS = PIPED | _DIRECTIVES | frozenset(_ARGUMENTS) | {"community", "createuser"}
"""Names that mean something in a command."""


def find_flags(text: str, at: int) -> list[Span]:
    """What stands behind a flag of one letter."""
    begin = max(text.rfind("\n", 0, at) + 1, at - LINE)
    words = _SPLIT.split(text[begin:at])
    if text.startswith("-S", at):
        span = find_pipe(text, at) if "sudo" in words else None
        return [span] if span else []
    if not _JOINED.isdisjoint(words) and (attached := _ATTACHED.match(text, at)):
        return _single(attached)
    if not _JOINED.isdisjoint(words) and "sshpass" not in words:
        return []
    if not _LOGGED.isdisjoint(words) and (login := _LOGIN.match(text, at) or _COOKIE.match(text, at)):
        return _single(login)
    match = _APART.match(text, at)
    if match is None:
        return []
    flag, value = match["flag"], match["value"]
    if flag in ("ap", "pp", "pw") or any(flag in _FLAGS.get(word, "") for word in words):
        return _single(match) if value.lower() not in _OPEN_WORDS else []
    if flag in ("p", "P", "w") and _USER.search(text, begin, at) and not UNIT.fullmatch(value):
        return _single(match)
    known = flag in "pPawkbtxN" and (
        "-u" in words
        or "--user" in text[at : at + LINE]
        or (not _OTHER.isdisjoint(words) and "build" not in words and "run" not in words and "compose" not in words)
    )
    return _single(match) if likely(value) and (known or strong(value)) else []


def _single(match: re.Match[str] | None) -> list[Span]:
    if match is None or not is_secret(match["value"]):
        return []
    return [match.span("value")]


def arguments(text: str, at: int) -> list[Span]:
    """What a program is given without a flag: behind ``<<<``, before a pipe, behind ``/p:``."""
    if text[at] == "|":
        found = find_pipe(text, at + 1)
        return [found] if found and (is_password(text[slice(*found)]) or is_passphrase(text[slice(*found)])) else []
    match = (_HERE if text[at] == "<" else _SLASH).match(text, at)
    asks = match and _ASKS.search(text, max(text.rfind("\n", 0, at) + 1, at - LINE), at)
    return [match.span("value")] if match and (likely(match["value"]) or (asks and is_secret(match["value"]))) else []


def find_arguments(name: Name) -> Iterator[Span]:
    """What a command is given in the place of a secret."""
    programs = _ARGUMENTS.get(name.low)
    if programs is None or name.after[:1] not in ((".",) if name.low in _HOSTED else (" ", "\t")):
        return
    text, end = name.text, name.end
    if "" in programs:
        place = programs[""]
    else:
        words = _SPLIT.split(text[max(text.rfind("\n", 0, name.start) + 1, name.start - LINE) : name.start])
        known = [programs[word] for word in words if word in programs]
        if not known:
            return
        place = known[0]
    close = text.find("\n", end, end + LINE)
    close = end + LINE if close < 0 else close
    for stop in (" |", " &", ";", " >", " <"):
        found = text.find(stop, end, close)
        close = found if found >= 0 else close
    spans = [match.span(match.lastgroup or 0) for match in _ARGUMENT.finditer(text, end, close)]
    bare = [
        span
        for before, span in zip([(end, end), *spans], spans, strict=False)
        if text[before[0]] != "-" or "=" in text[slice(*before)]
    ]
    if place is not None and sum(text[span[0]] != "-" for span in bare) > place:
        spans = bare  # what stands behind an option is not counted
    flags = [text[slice(*span)] for span in spans if text[span[0]] == "-"]
    if name.low in ("htpasswd", "mosquitto_passwd"):
        flag = "".join(flag for flag in flags if flag[:2] != "--")
        if "b" not in flag:
            return
        place = 1 if "n" in flag else place
    spans = [span for span in spans if text[span[0]] != "-" and not _NAMED.match(text, span[0])]
    if name.low == "net use" or place is None:
        yield from (span for span in spans[:6] if _looks(text[slice(*span)]))
    elif len(spans) > place and is_secret(text[slice(*spans[place])]):
        yield spans[place]


def find_directives(name: Name) -> Iterator[Span]:
    """What a line of configuration or of a server's prompt sets: ``requirepass x``, ``tacacs-server key 0 x``, ``AUTH x``."""
    text, low = name.text, name.low
    found = _DIRECTIVE.match(text, name.end) if low in _DIRECTIVES or low in _SET else None
    if found:
        shared = low in _DIRECTIVES and text[max(0, name.start - 2) : name.start] != "# "
        known = shared or _SHARED.search(text, max(0, name.start - 80), name.start)
        if known and is_secret(found["value"]) and found["value"] not in _OPEN_WORDS:
            yield found.span("value")
    elif low in ("auth", "createuser") and (both := _SNMP.match(text, name.end)):
        yield from (
            both.span(part) for part in ("value", "privacy") if both[part] and (likely(both[part]) or is_passphrase(both[part]))
        )
    elif low == "auth" and (found := _AUTH.match(text, name.end)):
        value, prompt = found["value"], _PROMPT.search(text, max(0, name.start - 100), name.start)
        if (prompt and is_secret(value) and not value.isupper()) or (name.word == "AUTH" and likely(value)):
            yield found.span("value")


def find_redis_rules(text: str, at: int) -> Iterator[Span]:
    """The password in the rule of a user of Redis."""
    begin = max(text.rfind("\n", 0, at) + 1, at - LINE)
    if (found := _RULE.match(text, at)) and _ACL.search(text[begin:at]) and is_secret(found["value"]):
        yield found.span("value")


def find_parameters(name: Name) -> Iterator[Span]:
    """The value of a parameter that is stored as a secret."""
    found = _STORED.search(name.text, name.end, name.end + LINE) if name.low == "securestring" else None
    if found and is_secret(found["value"]):
        yield found.span("value")


def _looks(value: str) -> bool:
    """Whether an argument is a secret, or a user's name with one."""
    user, _, rest = value.partition(":")
    return likely(value) or is_mixture(value) or (user.isalnum() and is_secret(rest) and (likely(rest) or rest.count("-") > 1))


def find_pipe(text: str, at: int) -> Span | None:
    """What is written into the program that stands before this place."""
    found = _ECHO.search(text, max(text.rfind("\n", 0, at) + 1, at - LINE), at)
    return found.span("value") if found else None
