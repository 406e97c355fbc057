"""Edit one table of a TOML file by lines (https://toml.io/en/v1.0.0), held against the standard library's reader."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from curator.agents.install.json_edit import reach
from curator.agents.install.refusal import refused

_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Table:
    """One table, put at the end, taken out wherever it stands; see ``parts.Part``."""

    where: tuple[str, str]
    lines: Mapping[str, str]
    """Its keys with their values as TOML."""

    def put(self, text: str, name: str) -> str:
        """Append it, or set our keys in it."""
        data, wanted = _toml(text, name), tomllib.loads("".join(f"{key} = {value}\n" for key, value in self.lines.items()))
        have = reach(data, self.where)
        if isinstance(have, dict) and {**have, **wanted} == have:
            return text
        newline = "\r\n" if "\r\n" in text else "\n"
        rows = [f"{key} = {value}{newline}" for key, value in self.lines.items()]
        if have is None:
            gap = newline if text.endswith("\n") else newline * 2 if text else ""
            edited = f"{text}{gap}[{'.'.join(self.where)}]{newline}{''.join(rows)}"
            edited = edited.removesuffix(newline) if text and not text.endswith("\n") else edited
        else:
            edited = self._reset(text, name, rows, newline)
        if not self._has_value(edited, data, {**(have or {}), **wanted}):
            raise refused(name, 1, f"there is no safe place for [{'.'.join(self.where)}] by lines")
        return edited

    def take(self, text: str, name: str, before: str | None) -> str:
        """Cut it with its sub-tables, and the blank line before it."""
        data = _toml(text, name)
        if reach(data, self.where) is None:
            return text
        edited = text
        for start, end in reversed(self._spans(text)):
            edited = _cut(edited, start, end)
        if not self._has_value(edited, data, None):
            raise refused(name, 1, f"[{'.'.join(self.where)}] can't be cut out safely by lines")
        return edited

    def _has_value(self, text: str, data: dict[str, Any], value: Any) -> bool:
        """Whether our table is now ``value`` and all else is as it was."""
        try:
            after = tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            return False
        return bool(reach(after, self.where) == value and _less(after, self.where) == _less(data, self.where))

    def _reset(self, text: str, name: str, rows: list[str], newline: str) -> str:
        spans = self._spans(text)
        if not spans:
            raise refused(name, 1, f"{'.'.join(self.where)} is written in a way that can't be edited by lines")
        start, end = spans[0]
        head, *body = text[start:end].splitlines(keepends=True)
        keys = "|".join(map(re.escape, self.lines))
        rest = [line for line in body if not re.match(rf"[ \t]*(?:{keys})[ \t]*=", line)]
        return text[:start] + head.rstrip("\r\n") + newline + "".join(rows) + "".join(rest) + text[end:]

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """From our header's line to the next header's, for the table and for each below it."""
        heads = [found.start() for found in _HEADER.finditer(text)] + [len(text)]
        parts = r"[ \t]*\.[ \t]*".join(rf"[\"']?{re.escape(part)}[\"']?" for part in self.where)
        own = re.compile(rf"[ \t]*\[[ \t]*{parts}[ \t]*[.\]]")
        return [(start, end) for start, end in pairwise(heads) if own.match(text, start)]


def _cut(text: str, start: int, end: int) -> str:
    """The text without a table; the blank lines and comments that lead over to the next table are that one's."""
    body = text[start:end]
    lead = re.search(r"(?:^[ \t]*(?:#[^\n]*)?\r?\n)*\Z", body, re.MULTILINE) if end < len(text) else None
    end = start + lead.start() if lead else end
    before = text[:start]
    blank = re.search(r"(?:\A|\n)(\r?\n)\Z", before)
    if blank:
        before = before[: blank.start(1)]
        if end == len(text) and not text.endswith("\n"):  # so it was without us
            before = re.sub(r"\r?\n\Z", "", before)
    return before + text[end:]


def _toml(text: str, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"line (\d+)", str(error))
        raise refused(name, int(found[1]) if found else text.count("\n") + 1, f"this is no TOML: {error}") from error


def _less(data: dict[str, Any], where: tuple[str, str]) -> dict[str, Any]:
    """The data without what stands at a place, and without an empty table around it."""
    outer = {key: value for key, value in data.get(where[0], {}).items() if key != where[1]}
    rest = {key: value for key, value in data.items() if key != where[0]}
    return rest | {where[0]: outer} if outer else rest
