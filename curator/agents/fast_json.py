"""JSON without the ``json`` package, whose import makes a hook take 18 % more CPU (30 runs in turn).

The scanner and encoder are the standard library's own, written in C. An interpreter without them uses ``json``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SPACE = " \t\n\r\ufeff"
"""The white space around JSON, with the mark that some put in front of UTF-8."""


class _Plain:
    """The scanner's settings: everything as usual, control characters in texts allowed."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: dict[str, str] = {}  # noqa: RUF012  only the scanner in Python looks at it


def loads(data: bytes) -> Any:
    """Return the value that JSON in UTF-8 says, ``None`` for anything that is none; raises nothing."""
    try:
        text = data.decode("utf-8", "replace").strip(SPACE)
        value, end = _scan(text)
        return value if end == len(text) else None
    except (ValueError, StopIteration, RecursionError, MemoryError, SystemError):
        return None  # The last error occurs only while ``json``, which defines the scanner's error, is not loaded.


def dumps(value: Any) -> bytes:
    """Return a value as one line of ASCII. Raises ``ValueError`` or ``TypeError`` if JSON can't express it."""
    return "".join(_encode(value, 0)).encode("ascii")


def _build() -> tuple[Any, Any]:
    try:
        import _json

        accelerated: Any = _json
        ascii_ = accelerated.encode_basestring_ascii
        encode = accelerated.make_encoder(None, None, ascii_, None, ":", ",", False, False, False)
        scan = accelerated.make_scanner(_Plain)
    except (ImportError, AttributeError, TypeError):  # another interpreter, or a later one
        import json

        decoder = json.JSONDecoder(strict=False)
        return decoder.raw_decode, lambda given, _: [json.dumps(given, separators=(",", ":"), allow_nan=False)]
    return lambda text: scan(text, 0), encode


_scan, _encode = _build()
