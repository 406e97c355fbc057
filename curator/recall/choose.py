"""What is told of the ranked lessons: few, whole, none twice; everything else with the reason why not."""

from __future__ import annotations

from curator.recall.weights import SHOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from curator.recall.rank import Hit

MOST = {"start": 3, "prompt": 3, "file": 2}
"""So many lessons at once."""
LIMITS = {"start": 1_500, "prompt": 1_200, "file": 600}
"""So many characters at once, markup included."""
THRESHOLDS = {"start": SHOWN, "prompt": SHOWN, "file": SHOWN}
"""The probability from which on a lesson is told."""
MARKUP = 90
"""What stands around the lines, and in front of each."""
AHEAD = 14
CONSIDERED = 8
"""So many of the others are named in a receipt."""
SIGNS_A_TOKEN = 4.4
DOUBT = {"changed": " (its code has changed since)", "relocated": " (its code has moved since)", "gone": " (its code is gone)"}


def told(hit: Hit) -> str:
    """What is said of a lesson, in one line."""
    return f"{hit.id}: {hit.line}{DOUBT.get(hit.stale, '')}"


def tokens(text: str) -> int:
    """About how many tokens a text is."""
    return round(len(text) / SIGNS_A_TOKEN)


def choose(
    hits: list[Hit], moment: str, known: set[str] | frozenset[str] = frozenset(), limit: int = 0
) -> tuple[list[Hit], list[tuple[Hit, str]]]:
    """(what is told, the next best with the reason why not). ``known`` were told; ``limit``: characters, 0: as usual."""
    room = (limit or LIMITS.get(moment, LIMITS["prompt"])) - MARKUP
    most, threshold = MOST.get(moment, 3), THRESHOLDS.get(moment, SHOWN)
    shown: list[Hit] = []
    withheld: list[tuple[Hit, str]] = []
    for hit in hits:
        if len(shown) + len(withheld) >= most + CONSIDERED:
            break
        size = len(told(hit)) + AHEAD
        reason = _withheld(hit, threshold, known, len(shown) >= most, size > room)
        if reason:
            withheld.append((hit, reason))
        else:
            shown.append(hit)
            room -= size
    return shown, withheld


def _withheld(hit: Hit, threshold: float, known: set[str] | frozenset[str], enough: bool, too_long: bool) -> str:
    """Why a lesson is not told; empty where it is."""
    if hit.refused:
        return f"refused: {hit.refused}"
    if hit.score < threshold:
        return f"below the threshold: {hit.score:.2f} of {threshold:.2f}"
    if hit.id in known:
        return "told before"
    if enough:
        return "enough was told"
    return "no room left" if too_long else ""
