"""The command that every agent runs for curator, and the recognition of its earlier forms.

An agent passes it to a shell. It names the interpreter by its path, for three reasons. Desktop programs have another PATH than
a terminal, a version manager's shim is slow, and an unknown name fails silently. ``-EP`` keeps out modules of the project
(``PYTHONPATH``, a folder ``curator``). ``|| :`` keeps a missing curator from stopping an agent. Files shared by a team hold the
plain name, since paths differ between machines.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

from curator.io import files, git

END = " 2>/dev/null || :"
_OWN = re.compile(r"""\bcurator(?:\.exe)?["']?\s+hook\s""")
_PATH = r"(?P<program>'[^']+'|[\w@%+=:,./-]+)"
_EXACT = re.compile(_PATH + r"(?: -EP -m curator)? hook (?P<agent>[\w-]+) (?P<event>\w+)" + re.escape(END))


def interpreter() -> str:
    """Return one fixed path of this Python, whatever name started it, so that the written command does not change."""
    plain = os.path.join(os.path.dirname(sys.executable), "python")
    return plain if os.path.isfile(plain) and os.path.samefile(plain, sys.executable) else sys.executable


def hook(agent: str, event: str, *, shared: bool = False) -> str:
    """Return the command for an agent's event. Set ``shared`` for files that other people's machines read too."""
    program = "curator" if shared else f"{shlex.quote(interpreter())} -EP -m curator"
    return f"{program} hook {agent} {event}{END}"


def merge_driver() -> str:
    """Return the command with which git merges lesson files. It runs in a work tree, where anybody may have put modules."""
    return f"{shlex.quote(interpreter())} -EP -m curator"


def server(*, shared: bool = False) -> tuple[str, list[str]]:
    """Return the MCP server's program and its arguments. No shell is involved."""
    return ("curator", ["mcp"]) if shared else (interpreter(), ["-EP", "-m", "curator", "mcp"])


def is_ours(entry: Mapping[str, object]) -> bool:
    """Return whether an agent's entry starts curator's MCP server in a way that people do not write by hand.

    >>> is_ours(dict(zip(("command", "args"), server()))), is_ours({"command": "curator", "args": ["mcp"]})
    (True, False)
    """
    return _words(entry)[-4:] == ["-EP", "-m", "curator", "mcp"]


def _words(entry: Mapping[str, object]) -> list[str]:
    """Return the program of an entry and its arguments."""
    program, arguments = entry.get("command") or entry.get("cmd"), entry.get("args")
    return [str(word) for part in (program, arguments) for word in (part if isinstance(part, list) else [part]) if word]


def is_own(command: object) -> bool:
    """Return whether a command is one of curator's hooks, in this or any older form.

    >>> is_own("curator hook claude-code Stop"), is_own("'/a b/curator' hook codex Stop || true"), is_own("curator-hook x")
    (True, True, False)
    """
    return isinstance(command, str) and _OWN.search(command + " ") is not None


def program(command: str) -> str | None:
    """Return the program of a hook that is exactly as curator writes it. Return ``None`` for any other command.

    >>> program(hook("codex", "Stop", shared=True))
    'curator'
    >>> program("rm x; curator hook codex Stop 2>/dev/null || :") is None
    True
    """
    found = _EXACT.fullmatch(command)
    return found["program"].strip("'") if found else None


def neutral(text: str) -> str:
    """Return curator's script or plugin without its program's path, which differs between machines."""
    bare = re.sub(_PATH + r"(?: -EP -m curator)?(?= hook )", "", text)
    return re.sub(r"(?<=const PROGRAM = )\[[^\]\n]*+\]", "", bare)


def runnable(program: str, top: Path, env: Mapping[str, str]) -> list[str]:
    """Return the words that start a hook's program without a shell. Return none for a program that is not curator's.

    curator's programs are this interpreter, and the ``curator`` on the ``PATH`` outside the project in ``top``.
    """
    if program == interpreter():
        return [program, "-EP", "-m", "curator"]
    found = files.find_program(program, env, outside=git.untrusted_folders(top)) if program == "curator" else None
    return [found] if found else []


def cline_script(event: str, *, shared: bool = False) -> str:
    """Return an executable for one event of Cline."""
    head = "#!/bin/sh\n# Written by `curator install cline`; `curator uninstall cline` removes it.\n"
    return head + hook("cline", event, shared=shared) + "\n"


def opencode_plugin(*, shared: bool = False) -> str:
    """Return the plugin that calls us from OpenCode, with our program in it."""
    template = (Path(__file__).parent / "opencode.js").read_text(encoding="utf-8")
    words = ["curator"] if shared else [interpreter(), "-EP", "-m", "curator"]
    return template.replace('["curator"]', json.dumps(words))
