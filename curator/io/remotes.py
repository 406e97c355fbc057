"""Git's remotes: read from the repository's own settings, and one name for each way of writing an address.

Hooks ask it for repositories that nobody has read a session of, so it needs neither git nor regular expressions.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_PREFIXES = {"v3", "scm"}
"""First parts of a path that one form of a host's URL has and another lacks (Azure DevOps, Bitbucket); also ``_git``."""
_NICKNAMES = ("ssh.", "altssh.", "www.")


def normal_remote(url: str) -> str:
    """A remote's host and path, the same for every way of writing it; empty for a path on this machine.

    >>> normal_remote("git@github.com:Ann/App.git")
    'github.com/ann/app'
    >>> normal_remote("https://token@github.com:443/ann/app/")
    'github.com/ann/app'
    >>> normal_remote("ssh://git@ssh.github.com:22/ann/app.git")
    'github.com/ann/app'
    >>> normal_remote("git@ssh.dev.azure.com:v3/org/web/app"), normal_remote("https://org@dev.azure.com/org/web/_git/app")
    ('dev.azure.com/org/web/app', 'dev.azure.com/org/web/app')
    >>> normal_remote("/srv/git/app.git"), normal_remote("../app"), normal_remote("C:\\\\git\\\\app"), normal_remote("file:///srv/app")
    ('', '', '', '')
    """
    host, path = _parts(url.strip())
    host = host.lower()
    for nickname in _NICKNAMES:
        if host.startswith(nickname) and "." in host[len(nickname) + 1 :]:
            host = host[len(nickname) :]
            break
    parts = [part for part in path.lower().split("/") if part not in ("", "_git")]
    path = "/".join(parts[1:] if len(parts) > 2 and parts[0] in _PREFIXES else parts).removesuffix(".git")
    return f"{host}/{path}" if host and path else ""


def _parts(url: str) -> tuple[str, str]:
    """Host and path of an address; empty for a path on this machine."""
    scheme, mark, rest = url.partition("://")
    if mark:
        authority, slash, path = rest.partition("/")
        known = slash and scheme[:1].isalpha() and scheme.lower() != "file"
        return (_host(authority.rpartition("@")[2]), path) if known else ("", "")
    authority, _, path = url.partition("]:") if "]:" in url else url.partition(":")
    host = authority.rpartition("@")[2] + ("]" if "]:" in url else "")
    # A single letter before a colon is a drive; a slash before it makes it a path (git-clone(1)).
    there = len(host) > 1 and path and not path.startswith("//") and not any(sign in host for sign in "/\\ \t")
    return (host, path) if there else ("", "")


def _host(authority: str) -> str:
    """A host without its port; an address in brackets keeps its colons."""
    return authority[: authority.find("]") + 1] if authority.startswith("[") else authority.partition(":")[0]


def written(lines: Iterable[str]) -> dict[str, str]:
    """Remotes by name, normalised, as a file of git's settings has them (git-config(1)); those of no host are left out."""
    found: dict[str, str] = {}
    name = ""
    for line in lines:
        line = line.strip()
        if line.startswith("["):
            kind, _, rest = line[1:].partition('"')
            name = rest.partition('"')[0] if kind.strip().lower() == "remote" else ""
        key, _, value = line.partition("=")
        if name and key.strip().lower() == "url" and (remote := normal_remote(value.strip().strip('"'))):
            found.setdefault(name, remote)
    return found


def preferred(remotes: Mapping[str, str]) -> str:
    """The remote that says whose a repository is: upstream, else origin, else the first by name; empty for none."""
    order = [name for name in ("upstream", "origin") if name in remotes] + sorted(remotes)
    return next((remotes[name] for name in order if remotes[name]), "")
