"""The masking of secrets: in every turn once, when it is read, and in all other input."""

from __future__ import annotations

from functools import lru_cache

from curator.text.clean import strip

MASK = "[redacted]"
"""The mask of a secret. Its brackets keep it from matching a rule again."""


MAX_CACHED_CHARACTERS = 8_000
"""Maximum characters of a cached text, since commands, folders and branches repeat."""


def clean(text: str) -> str:
    """Return the text as it may leave: stripped, secrets replaced by ``MASK``. Doing it twice changes nothing more.

    >>> clean("export API_KEY=abcd1234efgh5678")
    'export API_KEY=[redacted]'
    """
    return text and (_mask_text(text) if len(text) <= MAX_CACHED_CHARACTERS else mask(strip(text)))


@lru_cache(maxsize=512)
def _mask_text(text: str) -> str:
    return mask(strip(text))


def mask(text: str) -> str:
    """Return the text with ``MASK`` in place of each secret, and as many lines as before.

    >>> mask("password=hunter22")
    'password=[redacted]'
    """
    from curator.text import secrets  # its expressions take megabytes, and longer to compile than a start may

    for _ in range(8):  # a mask may bare a boundary at which the next secret begins
        found = [(start, end) for start, end in secrets.find(text) if MASK not in text[start:end]]
        if not found:
            break
        parts, at = list[str](), 0
        for start, end in found:
            parts += (text[at:start], MASK, "\n" * text.count("\n", start, end))
            at = end
        text = "".join((*parts, text[at:]))
    return text
