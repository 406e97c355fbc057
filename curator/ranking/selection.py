"""Select which of the ranked lessons are sent: few, none twice; each other one with the reason why not."""

from __future__ import annotations

from curator.ranking.weights import SHOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from curator.ranking.rank import Hit

MOST = {"start": 3, "prompt": 3, "file": 2}
"""So many lessons at once."""
LIMITS = {"start": 1_500, "prompt": 1_200, "file": 600}
"""So many characters at once, markup included: of all agents the one that takes least takes 10,000."""
THRESHOLDS = {"start": SHOWN, "prompt": SHOWN, "file": SHOWN}
"""The probability from which on a lesson is told."""
MARKUP = 90
"""What stands around the lines, and in front of each."""
AHEAD = 14
CONSIDERED = 8
"""So many of the others are named in a receipt."""
SIGNS_A_TOKEN = 4.4
READS = {
    "claude-code": ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", ".claude/rules/"),
    "codex": ("AGENTS.md",),
    "qwen": ("QWEN.md", "AGENTS.md"),
    "copilot-cli": ("AGENTS.md", ".github/copilot-instructions.md", ".github/instructions/"),
    "vscode-copilot": ("AGENTS.md", ".github/copilot-instructions.md", ".github/instructions/"),
    "opencode": ("AGENTS.md",),
    "gemini": ("GEMINI.md",),
    "cursor": ("AGENTS.md", ".cursorrules", ".cursor/rules/"),
    "cline": ("AGENTS.md", ".clinerules", ".clinerules/"),
}
"""Agent → the files of a project that it reads by itself, and the folders, by how their names begin."""
DOUBT = {"changed": " (its code has changed since)", "relocated": " (its code has moved since)", "gone": " (its code is gone)"}


def line_of(hit: Hit) -> str:
    """What is said of a lesson, in one line."""
    return f"{hit.id}: {hit.line}{DOUBT.get(hit.stale, '')}"


def tokens(text: str) -> int:
    """About how many tokens a text is."""
    return round(len(text) / SIGNS_A_TOKEN)


def choose(
    hits: list[Hit], moment: str, known: set[str] | frozenset[str] = frozenset(), limit: int = 0, agent: str = ""
) -> tuple[list[Hit], list[tuple[Hit, str]]]:
    """(what is told, the next best with the reason why not). ``known`` were told; ``limit``: characters, 0: as usual.

    What a file says that the ``agent`` reads by itself is not told; without an agent it is.
    """
    room = (limit or LIMITS.get(moment, LIMITS["prompt"])) - MARKUP
    most, threshold = MOST.get(moment, 3), THRESHOLDS.get(moment, SHOWN)
    shown: list[Hit] = []
    withheld: list[tuple[Hit, str]] = []
    for hit in hits:
        if len(withheld) >= CONSIDERED and (len(shown) >= most or hit.score < threshold):
            break
        size = len(line_of(hit)) + AHEAD
        file = stated_by(hit.stating_files, agent)
        against = next((other.id for other in shown if other.id == hit.against or other.against == hit.id), "")
        reason = _withheld(hit, threshold, known, file, against, len(shown) >= most, size > room)
        if reason:
            withheld.append((hit, reason))
        else:
            shown.append(hit)
            room -= size
    return shown, withheld


def stated_by(files: tuple[str, ...], agent: str) -> str:
    """The first of these files that an agent reads by itself; empty for none.

    >>> stated_by((".cursor/rules/a.mdc", "CLAUDE.md"), "claude-code"), stated_by(("CLAUDE.md",), "codex")
    ('CLAUDE.md', '')
    """
    for file in files:
        for name in READS.get(agent, ()):
            if file == name or (file.startswith(name) and name.endswith("/")):
                return file
    return ""


def _withheld(
    hit: Hit, threshold: float, known: set[str] | frozenset[str], file: str, against: str, enough: bool, too_long: bool
) -> str:
    """Why a lesson is not told; empty where it is."""
    if hit.refused:
        return f"refused: {hit.refused}"
    if hit.score < threshold:
        return f"below the threshold: {hit.score:.2f} of {threshold:.2f}"
    if hit.id in known:
        return "sent before"
    if file:
        return f"{file} says so"
    if against:
        return f"may contradict {against}, which is sent; the conflict waits in the inbox"
    if enough:
        return "enough was sent"
    return "no room left" if too_long else ""
