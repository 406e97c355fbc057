"""Entries as JSON and back.

Only fields that differ from their default are written. That halves a candidate's size, and a patch holds only the changes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, get_args

from curator.model import (
    JSON,
    Advice,
    Anchor,
    Applicability,
    Category,
    Consolidation,
    Drift,
    Durability,
    Entry,
    Evidence,
    Finding,
    Line,
    Relating,
    Relation,
    Role,
    Snippet,
    State,
    Wording,
)

ABSENT = object()
DEFAULTS: dict[type, tuple[tuple[str, Any], ...]] = {}
KEYS = {"times_stated": "seen", "score_parts": "why"}
"""Fields of an entry that have another name in JSON."""
FIELDS = {key: name for name, key in KEYS.items()}
PLAIN: dict[type, dict[str, tuple[type, ...]]] = {}


def encode(entry: Entry) -> JSON:
    """Return an entry as a JSON object without the fields that hold their default."""
    return {KEYS.get(name, name): value for name, value in _pack(entry).items()}


def decode(data: Mapping[str, Any]) -> Entry:
    """Return the entry that ``encode`` wrote, without keys that this version does not know.

    Raises ``ValueError`` for data that ``encode`` never writes: a missing field, or a value of another type.
    """
    try:
        entry = _unpack(Entry, {FIELDS.get(key, key): value for key, value in data.items()})
    except (TypeError, AttributeError, KeyError) as error:
        raise ValueError(f"no entry: {error}") from error
    assert isinstance(entry, Entry)
    return entry


ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def dumps(data: Any) -> str:
    """Return JSON without spaces. Letters stay letters, so that a database can be searched by eye."""
    return ENCODER.encode(data)


def patch(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[JSON, JSON]:
    """Return the changes between two encoded entries, as (old values, new values). ``None`` stands for the default.

    >>> patch({"state": "open", "seen": 2}, {"state": "active"})
    ({'seen': 2, 'state': 'open'}, {'seen': None, 'state': 'active'})
    """
    keys = sorted(key for key in before.keys() | after.keys() if before.get(key, ABSENT) != after.get(key, ABSENT))
    return {key: before.get(key) for key in keys}, {key: after.get(key) for key in keys}


def apply_patch(data: Mapping[str, Any], values: Mapping[str, Any]) -> JSON:
    """Return an encoded entry with new values, as ``patch`` gives them."""
    return {key: value for key, value in (data | values).items() if value is not None}  # type: ignore[operator]


def _pack(thing: Any) -> Any:
    kind = type(thing)
    if kind in NESTED:
        fields = zip(_defaults(kind), thing, strict=True)
        return {name: _pack(value) for (name, default), value in fields if value != default}
    if kind is tuple:
        return [_pack(item) for item in thing]
    return str(thing) if isinstance(thing, StrEnum) else dict(thing) if isinstance(thing, Mapping) else thing


def _unpack(kind: Any, data: Mapping[str, Any]) -> Any:
    readers, plain = NESTED[kind], _plain(kind)
    values = {}
    for key, value in data.items():
        if key in readers:
            values[key] = readers[key](value)
        elif key in plain:
            if not isinstance(value, plain[key]):
                raise ValueError(f"{key} is {type(value).__name__}")
            values[key] = value
    return kind(**values)


def _plain(kind: Any) -> dict[str, tuple[type, ...]]:
    """Return the fields that JSON returns unchanged, with their possible types."""
    if kind not in PLAIN:
        PLAIN[kind] = {
            name: tuple(type_ for part in get_args(hint) or (hint,) for type_ in JSON_TYPES[part])
            for name, hint in kind.__annotations__.items()
            if name not in NESTED[kind]
        }
    return PLAIN[kind]


def _defaults(kind: Any) -> tuple[tuple[str, Any], ...]:
    """Return each field with its default. Without a default, it is ``ABSENT``, which equals nothing."""
    if kind in DEFAULTS:
        return DEFAULTS[kind]
    defaults = kind._field_defaults
    return DEFAULTS.setdefault(kind, tuple((name, defaults.get(name, ABSENT)) for name in kind._fields))


JSON_TYPES: dict[Any, tuple[type, ...]] = {
    str: (str,),
    int: (int,),
    bool: (bool,),
    float: (float, int),
    type(None): (type(None),),
}
"""The types that JSON gives back for a field of each type."""


def _many(kind: Any) -> Callable[[list[Any]], tuple[Any, ...]]:
    return lambda items: tuple(_unpack(kind, item) for item in items)


def _texts(items: list[str]) -> tuple[str, ...]:
    if type(items) is not list or not all(type(item) is str for item in items):
        raise ValueError("no list of texts")
    return tuple(items)


def _pairs(items: list[list[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(map(_texts, items))


def _weights(items: Mapping[str, float]) -> Mapping[str, float]:
    if not all(type(weight) in (float, int) for weight in items.values()):
        raise ValueError("no weights")
    return items


NESTED: dict[type, dict[str, Callable[[Any], Any]]] = {
    Line: {"role": Role},
    Wording: {},
    Snippet: {},
    Anchor: {},
    Finding: {"drift": Drift, "named": _texts},
    Evidence: {"role": Role, "excerpt": _many(Line)},
    Relation: {"relating": Relating, "clash": _pairs},
    Advice: {"holding": Applicability},
    Consolidation: {"members": _texts, "quotes": _pairs, "copies": _texts},
    Entry: {
        "state": State,
        "category": Category,
        "durability": Durability,
        "evidence": _many(Evidence),
        "wordings": _many(Wording),
        "snippets": _many(Snippet),
        "anchors": _many(Anchor),
        "findings": _many(Finding),
        "rival": lambda data: _unpack(Relation, data),
        "advice": lambda data: _unpack(Advice, data),
        "proposal": lambda data: _unpack(Consolidation, data),
        "coexists": _pairs,
        "score_parts": _weights,
        "paths": _texts,
        "files": _texts,
        "symbols": _texts,
        "supersedes": _texts,
        "refines": _texts,
        "contradicts": _texts,
    },
}
"""The readers of fields that JSON does not return unchanged, for every class that is packed field by field."""
