"""Secrets in commands that no name stands before: flags of one letter, by the program, and what is piped into one."""

from __future__ import annotations

import re
from itertools import islice

from curator.text.lists import listed
from curator.text.secrets.values import NO_VALUE, PATH, likely, strong

Span = tuple[int, int]

LINE = 300
"""Characters before a flag in which its program is looked for."""
PIPED = frozenset(("--password-stdin", "--with-token", "chpasswd", "passwd"))
"""What takes a secret from the program before it."""

_SPLIT = re.compile(r"[^\w.+-]+")
_JOINED = listed("mysql mysqldump mysqladmin mysqlimport mysqlsh mariadb mariadb-dump mariadb-admin 7z 7za rar unrar")
_LOGGED = listed("curl wget http https xh httpie lftp smbclient")
_OTHER = listed(
    "sshpass docker podman nerdctl skopeo az helm oc cf mongo mongosh mongodump mongorestore mongoexport mongoimport",
    "twine zip unzip redis-cli valkey-cli openssl ldapsearch ldapadd ldapmodify ldappasswd ldapwhoami useradd usermod",
    "sqlcmd bcp mosquitto_pub mosquitto_sub doctl dotnet nuget gh glab ibmcloud rabbitmqadmin influx cqlsh clickhouse-",
    "client vault wandb kinit snowsql vsql ipmitool sudo ssh-keygen psexec psexec64 evil-winrm crackmapexec winexe plink pscp",
)
_ALWAYS = listed("login sshpass zip unzip redis-cli valkey-cli")
_ATTACHED = re.compile(r"-p[\"']?(?P<value>[^\s\"'-][^\s\"']{2,200})")
_LOGIN = re.compile(r"(?:-[uaU]|--user|--proxy-user)[ \t=]{0,2}[\"']?[^\s:\"'%,$]{1,80}[:%,](?P<value>[^\s\"']{3,200})")
_COOKIE = re.compile(r"-b[ \t]{0,2}[\"']?[^\n\"']{0,200}?=(?P<value>[\w.~+/%-]{16,400})")
_APART = re.compile(r"-[pPawkbtxN](?:[ \t]{1,3}|(?=[\"']))[\"']?(?P<value>[^\s\"'-][^\s\"']{2,200})")
_ECHO = re.compile(
    r"(?:echo|printf)[ \t]{1,3}(?:-\w[ \t]|[\"']%s(?:\\n)?[\"'][ \t])?[\"']?(?:\w{1,40}:)?(?P<value>[^\s\"'|$`]{3,200})[\"']?"
    r"[ \t]{0,3}\|[^|\n]{0,120}$"
)
_HERE = re.compile(r"<<<[ \t]{0,3}[\"']?(?P<value>[^\s\"'$`<>(){}]{4,200})")
_SLASH = re.compile(r"(?i)p:[\"']?(?P<value>[^\s\"'/-][^\s\"']{3,200})")
_ARGUMENT = re.compile(r"[^\s\"'|;&]{4,200}")


def flagged(text: str, at: int) -> list[Span]:
    """What stands behind a flag of one letter."""
    begin = max(text.rfind("\n", 0, at) + 1, at - LINE)
    words = _SPLIT.split(text[begin:at])
    if text.startswith("-S", at):
        found = piped(text, at) if "sudo" in words else None
        return [found] if found else []
    if not _JOINED.isdisjoint(words):
        match = _ATTACHED.match(text, at)
    elif not _LOGGED.isdisjoint(words):
        match = _LOGIN.match(text, at) or _COOKIE.match(text, at)
    else:
        match = _APART.match(text, at)
        known = "-u" in words or "--user" in text[at : at + LINE] or not _OTHER.isdisjoint(words)
        if match and _ALWAYS.isdisjoint(words) and not (likely(match["value"]) and (known or strong(match["value"]))):
            return []
    good = match and not NO_VALUE.match(match["value"]) and not PATH.match(match["value"]) and not match["value"].isdigit()
    return [match.span("value")] if match and good else []


def given(text: str, at: int) -> list[Span]:
    """What a program is given without a flag: behind ``<<<``, before a pipe, behind ``/p:``."""
    if text[at] == "|":
        found = piped(text, at + 1)
        return [found] if found and likely(text[slice(*found)]) else []
    match = (_HERE if text[at] == "<" else _SLASH).match(text, at)
    return [match.span("value")] if match and likely(match["value"]) else []


def behind(text: str, at: int) -> list[Span]:
    """The words behind a program that makes them unreadable, or behind a user who is to have them."""
    end = text.find("\n", at, at + LINE)
    given = islice(_ARGUMENT.finditer(text, at, at + LINE if end < 0 else end), 5)
    return [match.span() for match in given if match[0][0] != "-" and likely(match[0])][:1]


def piped(text: str, at: int) -> Span | None:
    """What is written into the program that stands before this place."""
    found = _ECHO.search(text, max(text.rfind("\n", 0, at) + 1, at - LINE), at)
    return found.span("value") if found else None
