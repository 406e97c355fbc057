"""Questions to git. Only this module runs git.

curator runs git as a subprocess and uses no library. git's own answers are right for worktrees, partial clones and shallow
clones. The answer is ``None`` without git, outside any repository, and if git refuses (dubious ownership). ``complaint`` and
``allow_command`` give the reason and the remedy.

A repository's own settings may come from anybody, as with an unpacked archive. Many of them name programs
(https://git-scm.com/docs/git-config). This module overrules the settings that curator's git commands would run. git never
compares the work tree with anything for curator, because that runs the filters that a repository names. Callers read files
themselves.

A git that hangs, as on a lost network folder, delays a command once, not at each question. A git that waits for a pipe among
its files is ended after a moment.
"""

from __future__ import annotations

import os
import re
import stat
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from curator.io import files, worktree

QUIET_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",  # never take index.lock, because the agent's own git may need it
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",  # a partial clone must not go to the network for an answer
    "GIT_ALLOW_PROTOCOL": "none",  # older versions of git don't know the line above; no transport of any name is left
    "LC_ALL": "C",
}
OVERRULED = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "log.showSignature=false",
    "gpg.program=false",
    "gpg.ssh.program=false",
    "gpg.x509.program=false",
    "core.sshCommand=false",
    "core.askPass=false",
    "core.gitProxy=false",
    "core.pager=cat",
    "core.alternateRefsCommand=false",
    "diff.ignoreSubmodules=all",
    "submodule.recurse=false",
    "protocol.ext.allow=never",
    "core.quotePath=false",
)
"""Settings with which a repository could make git run a program. Some never apply to curator's calls, but cost nothing."""
WITHOUT_PROGRAMS = {
    "log": ("--no-ext-diff", "--no-textconv", "--no-show-signature", "--no-mailmap"),
    "diff-index": ("--no-ext-diff",),
}
"""The further options of a command, by its name."""
_OUTER = (
    *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_PREFIX"),
    *("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "GIT_ASKPASS"),
)
"""Variables in which a calling git names its repository, which may be another one."""

MAX_ANSWER_SECONDS = 5.0
"""Seconds that an answer is waited for."""
IMPATIENT = 0.3
"""Seconds, once an answer did not come: a git that is well takes a few hundredths."""
RETRY_SECONDS = 60.0
"""Seconds after which a question that got no answer is asked again, and git is waited for as before."""
MOMENT = 0.5
"""Seconds after which pipes are looked for."""
MAX_CONFIG_BYTES, MAX_INCLUDE_DEPTH = 1 << 16, 4
"""Bytes of a file of settings that are read, and how far inclusions are followed."""
_INCLUDE = re.compile(r"(?m)^[ \t]*path[ \t]*=[ \t]*(.+)$")
_MEND = re.compile(r"git config --global --add safe\.directory .+")
_mends: dict[str, str] = {}
"""Work tree of another user → the command that lets git read it, in git's own words."""
_silent: dict[tuple[str, str], float] = {}
"""(Work tree, command) → when it last gave no answer in time, on the monotonic clock. Threads add to it: read a copy."""


def ask(folder: Path | str, *words: str, stdin: str | None = None) -> str | None:
    """Return the standard output of ``git WORDS`` in ``folder``. Return ``None`` if git is absent, refuses, fails or takes too
    long.
    """
    process = _run(folder, words, stdin)
    return process.stdout if process is not None and process.returncode == 0 else None


def complaint(folder: Path | str) -> str:
    """Return git's own reason to say nothing about a work tree; empty if it answers, without a work tree, and without git."""
    top = work_tree(folder)
    if not top or files.find_program("git", outside=untrusted_folders(top)) is None:
        return ""
    process = _run(folder, ("rev-parse", "--git-dir"), None)
    if process is None:
        return (
            f"no answer within {MAX_ANSWER_SECONDS:g} s"
            if any(place == top for place, _ in list(_silent))
            else "a repository in a repository"
        )
    return first_line(process.stderr).removeprefix("fatal: ") if process.returncode else ""


def allow_command(folder: Path | str) -> str:
    """Return the command that lets git read a work tree despite its owner. Return an empty text if git did not refuse."""
    return _mends.get(work_tree(folder), "")


def _run(folder: Path | str, words: Sequence[str], stdin: str | None) -> subprocess.CompletedProcess[str] | None:
    top = work_tree(folder)
    command = _program(os.environ.get("PATH", os.defpath), untrusted_folders(top))
    timeout = _patience(top or str(folder), words[0])
    if command is None or not timeout or (top and _is_embedded(folder, top)):
        return None
    settings = [part for setting in OVERRULED for part in ("-c", setting)]
    try:
        with subprocess.Popen(
            [command, "--no-pager", *settings, "-C", str(folder), words[0], *WITHOUT_PROGRAMS.get(words[0], ()), *words[1:]],
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            env=_environment(top),
        ) as process:
            try:
                done = _finish(process, stdin, timeout, top)
                if done.returncode and (found := _MEND.search(done.stderr)):
                    _mends[top] = found[0]
                return done
            finally:
                process.kill()
    except subprocess.TimeoutExpired:
        _silent[top or str(folder), words[0]] = time.monotonic()
    except (OSError, ValueError):
        pass
    return None


def _finish(process: subprocess.Popen[str], stdin: str | None, timeout: float, top: str) -> subprocess.CompletedProcess[str]:
    """Return git's output. Raises ``TimeoutExpired`` after ``timeout``, or soon if git may wait for a pipe."""
    try:
        output, errors = process.communicate(stdin, min(timeout, MOMENT))
    except subprocess.TimeoutExpired:
        if timeout <= MOMENT or has_pipe(os.path.join(top, ".git")):
            raise
        output, errors = process.communicate(timeout=timeout - MOMENT)
    return subprocess.CompletedProcess(process.args, process.returncode, output, errors)


def has_pipe(folder: str, most: int = 20_000) -> bool:
    """Return whether a pipe or device is among the first ``most`` files of a repository, or in its included settings."""
    count = 0
    for place, _, names in os.walk(folder):
        if any(_is_special(os.path.join(place, name)) for name in names):
            return True
        if (count := count + len(names)) > most:
            break
    return any(_is_special(path) for path in _included(os.path.join(folder, "config")))


def _included(config: str, deep: int = 0) -> Iterator[str]:
    """Yield the files that a file of settings includes, and those that these include (git-config(1), ``include.path``)."""
    content = "" if deep > MAX_INCLUDE_DEPTH else worktree.first_bytes(config, MAX_CONFIG_BYTES).decode("utf-8", "replace")
    for found in _INCLUDE.finditer(content):
        path = os.path.join(os.path.dirname(config), os.path.expanduser(found[1].strip().strip('"')))
        yield path
        yield from _included(path, deep + 1)


def _is_special(path: str) -> bool:
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _patience(place: str, command: str) -> float:
    """Return the seconds that a command may take. It is 0 for a command that gave no answer there just now."""
    since = time.monotonic() - RETRY_SECONDS
    if _silent.get((place, command), since) > since:
        return 0.0
    return IMPATIENT if any(moment > since for moment in list(_silent.values())) else MAX_ANSWER_SECONDS


def work_tree(folder: Path | str) -> str:
    """Return the top of the work tree around a folder: the nearest folder with a ``.git``.

    Return an empty text outside, in a bare repository and inside a ``.git``. ``core.worktree`` is ignored, because it may name
    any folder.
    """
    place = os.path.realpath(folder)
    while True:
        if _is_repository(os.path.join(place, ".git")):
            return place
        above = os.path.dirname(place)
        if above == place or os.path.basename(place) == ".git":
            return ""
        place = above


def may_be_repository(folder: Path | str) -> bool:
    """Return whether git may find a repository around a folder. This starts no process."""
    place = Path(os.path.realpath(folder))
    return any(os.path.lexists(one / name) for one in (place, *place.parents) for name in (".git", "HEAD"))


def untrusted_folders(folder: Path | str) -> tuple[str, ...]:
    """Return the folders whose programs are not trusted, because a project may have written them.

    They are the outermost work tree and its linked one. Without one, they are the highest folder below the home folder, or
    elsewhere the folder itself. The home folder and its parents are the person's own. The plugin's launcher has the same rule.
    """
    place = os.path.realpath(folder)
    top = work_tree(place)
    first = os.path.realpath(beside) if (beside := worktree.work_tree_around(top)[1]) else ""
    found = filter(None, map(_outermost, (top, first)))
    return tuple(dict.fromkeys(found)) or (() if _own(place) else (_highest(place),))


def _outermost(top: str) -> str:
    """Return the outermost work tree around a folder, as around a submodule. Return an empty text for the home folder."""
    if not top or _own(top):
        return ""
    return _outermost(work_tree(os.path.dirname(top))) or top


def _highest(place: str) -> str:
    """Return the highest folder around a place below the home folder. Outside the home folder, return the place itself."""
    home = _home()
    if os.path.dirname(home) == home or not files.within(place, home):
        return place
    return os.path.join(home, os.path.relpath(place, home).split(os.sep)[0])


def _own(place: str) -> bool:
    """Return whether a place is the home folder, or above it."""
    return files.within(_home(), place)


def _home() -> str:
    """Return the home folder. If ``HOME`` is not an absolute path, return the root, so that every folder is elsewhere."""
    home = os.path.expanduser("~")
    return os.path.realpath(home) if os.path.isabs(home) else os.path.abspath(os.sep)


def _is_embedded(folder: Path | str, top: str) -> bool:
    """Return whether a folder inside a work tree looks like a repository, whose settings git would use."""
    place = os.path.realpath(folder)
    while place != top and len(place) > len(top) and os.path.basename(place) != ".git":
        if files.is_bare(place):
            return True
        place = os.path.dirname(place)
    return False


def first_line(answer: str | None) -> str:
    """Return the first line of an answer, or an empty string."""
    return answer.split("\n", 1)[0].strip() if answer else ""


def lines(answer: str | None) -> Sequence[str]:
    """Return the lines of an answer, without empty ones."""
    return [line for line in answer.split("\n") if line] if answer else []


@cache
def _program(path: str, tops: Sequence[str]) -> str | None:
    return files.find_program("git", {"PATH": path}, outside=tops)


def _environment(top: str) -> Mapping[str, str]:
    rest = {key: value for key, value in os.environ.items() if key not in _OUTER}
    return rest | QUIET_ENVIRONMENT | ({"GIT_WORK_TREE": top} if top else {})


def _is_repository(place: str) -> bool:
    """Return whether git accepts a ``.git``: a file that names a folder, or a folder with a HEAD and objects."""
    if os.path.isfile(place):
        return True
    return os.path.lexists(os.path.join(place, "HEAD")) and any(
        os.path.exists(os.path.join(place, name)) for name in ("objects", "commondir")
    )
