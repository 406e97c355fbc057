"""What changed in a file, for a person to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

LINES = 200
CHARACTERS = 20_000
CONTEXT = 3
_COMPARED = 2_000
"""Lines of the differing middle that are compared; more takes seconds and would be cut from the result anyway."""


def unified(before: str, after: str, label: str, new_label: str, first: tuple[int, int] = (1, 1)) -> str:
    """A unified diff, at most ``LINES`` lines and ``CHARACTERS`` characters; the last line says so when it was cut.

    ``first`` are the numbers of the texts' first lines in their files.
    """
    out: list[str] = [f"--- {label}", f"+++ {new_label}"]
    size = 0
    for line in _hunks(_lines(before), _lines(after), first):
        size += len(line) + 1
        if len(out) == LINES or size > CHARACTERS:
            out.append("… the rest of the change is not shown")
            break
        out.append(line)
    return "\n".join(out) + "\n" if len(out) > 2 else ""


def _lines(text: str) -> Sequence[str]:
    return text.removesuffix("\n").split("\n") if text else ()


def _hunks(old: Sequence[str], new: Sequence[str], start: tuple[int, int]) -> Iterator[str]:
    """The hunks between two lists of lines; the equal head and tail are set aside first, which makes large files cheap."""
    shorter = min(len(old), len(new))
    head = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    tail = next((at for at in range(shorter - head) if old[-1 - at] != new[-1 - at]), shorter - head)
    skip = max(head - CONTEXT, 0)
    keep = max(tail - CONTEXT, 0)
    old, new = old[skip : len(old) - keep], new[skip : len(new) - keep]
    matcher = SequenceMatcher(None, old[:_COMPARED], new[:_COMPARED])
    for group in matcher.get_grouped_opcodes(CONTEXT):
        first, last = group[0], group[-1]
        yield f"@@ -{_span(first[1], last[2], skip + start[0] - 1)} +{_span(first[3], last[4], skip + start[1] - 1)} @@"
        for tag, a, b, c, d in group:
            if tag == "equal":
                yield from (f" {line}" for line in old[a:b])
                continue
            yield from (f"-{line}" for line in old[a:b])
            yield from (f"+{line}" for line in new[c:d])


def _span(start: int, end: int, skip: int) -> str:
    """A hunk's range in the notation of diff (https://www.gnu.org/software/diffutils/manual/html_node/Detailed-Unified.html)."""
    length = end - start
    begin = start + skip + (1 if length else 0)
    return f"{begin}" if length == 1 else f"{begin},{length}"
