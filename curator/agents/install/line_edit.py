"""Edits of TOML and YAML settings by lines, checked against their parsers: one inserted place, and no other change.

In TOML (https://toml.io/en/v1.0.0) the place is one table, in YAML one top-level key.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import Any

import yaml

from curator.agents.install.command import is_ours
from curator.agents.install.json_edit import line_of, malformed_file, reach
from curator.errors import MalformedFile
from curator.text.clean import UnreadableYaml, load_yaml

_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Table:
    """A table, added at the end and removed wherever it is (see ``parts.Part``)."""

    where: tuple[str, str]
    lines: Mapping[str, str]
    """Its keys with their values as TOML."""

    @property
    def _value(self) -> dict[str, Any]:
        return tomllib.loads("".join(f"{key} = {value}\n" for key, value in self.lines.items()))

    def put(self, text: str, name: str) -> str:
        """Append the table, or set curator's keys in it."""
        data, wanted = _toml(text, name), self._value
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
            raise malformed_file(name, 1, f"curator can't add [{'.'.join(self.where)}] safely")
        return edited

    def take(self, text: str, name: str, before: str | None) -> str:
        """Remove the table with its sub-tables and the blank line before it. Restore a person's earlier text."""
        data, then = _toml(text, name), reach(_toml(before or "", name), self.where)
        now = reach(data, self.where)
        ours = isinstance(now, dict) and (is_ours(now) or {**now, **self._value} == now)
        if now is None or (before is None and not ours):
            return text
        if not isinstance(then, dict) or is_ours(then):
            then = None
        edited, spans = text, self._spans(text)
        rows = [(before or "")[start:end] for start, end in self._spans(before or "")] if then is not None else []
        for (start, end), was in zip_longest(reversed(spans), reversed(rows)):
            edited = _cut(edited, start, end) if was is None else edited[:start] + was + edited[end:]
        if not self._has_value(edited, data, then):
            raise malformed_file(name, 1, f"[{'.'.join(self.where)}] can't be removed safely")
        return edited

    def _has_value(self, text: str, data: dict[str, Any], value: Any) -> bool:
        """Return whether curator's table now has ``value`` and everything else is unchanged."""
        try:
            after = tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            return False
        return bool(reach(after, self.where) == value and _less(after, self.where) == _less(data, self.where))

    def _reset(self, text: str, name: str, rows: list[str], newline: str) -> str:
        spans = self._spans(text)
        if not spans:
            raise malformed_file(name, 1, f"{'.'.join(self.where)} is written in a way that curator can't edit")
        start, end = spans[0]
        head, *body = text[start:end].splitlines(keepends=True)
        keys = "|".join(map(re.escape, self.lines))
        rest = [line for line in body if not re.match(rf"[ \t]*(?:{keys})[ \t]*=", line)]
        table = head.rstrip("\r\n") + newline + "".join(rows) + "".join(rest)
        ended = text[start:end].endswith("\n")  # the file must end as it ended without us
        return text[:start] + (table if ended else table.rstrip("\r\n")) + text[end:]

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """Return the spans of our table and each below it: from the header to the text of the next one."""
        heads = [found.start() for found in _HEADER.finditer(text)] + [len(text)]
        parts = r"[ \t]*\.[ \t]*".join(rf"[\"']?{re.escape(part)}[\"']?" for part in self.where)
        own = re.compile(rf"[ \t]*\[[ \t]*{parts}[ \t]*[.\]]")
        return [(start, _end(text, start, end)) for start, end in pairwise(heads) if own.match(text, start)]


def _end(text: str, start: int, end: int) -> int:
    """Return where a table ends: blank lines and comments that lead over to the next one are that one's."""
    lead = re.search(r"(?:^[ \t]*(?:#[^\n]*)?\r?\n)*\Z", text[start:end], re.MULTILINE) if end < len(text) else None
    return start + lead.start() if lead else end


def _cut(text: str, start: int, end: int) -> str:
    """Return the text without a table, and without the blank line before it."""
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
        raise malformed_file(name, int(found[1]) if found else text.count("\n") + 1, f"this is not TOML: {error}") from error


def _less(data: dict[str, Any], where: tuple[str, str]) -> dict[str, Any]:
    """Return the data without the value at a path, and without an empty table around it."""
    outer = {key: value for key, value in data.get(where[0], {}).items() if key != where[1]}
    rest = {key: value for key, value in data.items() if key != where[0]}
    return rest | {where[0]: outer} if outer else rest


@dataclass(frozen=True, slots=True)
class BlockUnderKey:
    """A block under a top-level key: one named member of a mapping, or one item of a list."""

    key: str
    name: str
    """The member's name, or of an item its ``name``, or the item itself."""
    value: Any
    listed: bool = False

    def put(self, text: str, file: str) -> str:
        """Add the block after the other values of the key. Raises ``MalformedFile`` if that can't be done by lines."""
        data = load(text, file)
        if self._find(data) == self.value:
            return text
        newline = "\r\n" if "\r\n" in text else "\n"
        if self._find(data) is not None:
            start, end = self._span(text)
            indent = text[start : start + len(text[start:end]) - len(text[start:end].lstrip())]
            edited = text[:start] + self._rows(indent, newline) + text[end:]
            self._hold(edited, data, file, self.value)
            return edited
        ended = text + newline if text and not text.endswith("\n") else text
        found = re.search(rf"^{re.escape(self.key)}:[ \t]*(?:#.*)?\r?$", ended, re.MULTILINE)
        if found:
            at = _end_of_block(ended, found.end())
            rows = [row for row in ended[found.end() : at].splitlines() if row.strip() and not row.lstrip().startswith("#")]
            indent = rows[0][: len(rows[0]) - len(rows[0].lstrip())] if rows else "  "
            edited = ended[:at] + self._rows(indent, newline) + ended[at:]
        elif self.key not in data:
            edited = f"{ended}{self.key}:{newline}{self._rows('  ', newline)}"
        else:
            edited = self._inline(text, file)
        self._hold(edited, data, file, self.value)
        return edited

    def take(self, text: str, file: str, before: str | None) -> str:
        """Remove the block, and the key if the key becomes empty. Restore a person's earlier text.

        Raises ``MalformedFile`` if that can't be done by lines.
        """
        data = load(text, file)
        now, then = self._find(data), self._find(load(before or "", file))
        if now is None or (before is None and now != self.value and not (isinstance(now, dict) and is_ours(now))):
            return text
        if then is None or (isinstance(then, dict) and is_ours(then)):
            return self._without(text, file, before)
        if now == then:
            return text
        (start, end), (first, last) = self._span(text), self._span(before or "")
        edited = text[:start] + (before or "")[first:last] + text[end:]
        self._hold(edited, data, file, then)
        return edited

    def _without(self, text: str, file: str, before: str | None) -> str:
        data = load(text, file)
        edited = self._cut(text)
        if not load(edited, file).get(self.key) and (before is None or self.key not in load(before, file)):
            edited = re.sub(rf"^{re.escape(self.key)}:[ \t]*(?:\[\][ \t]*)?\r?(?:\n|\Z)", "", edited, flags=re.MULTILINE)
        self._hold(edited, data, file, None)
        return edited

    def _cut(self, text: str) -> str:
        if isinstance(self.value, Mapping):
            start, end = self._span(text)
            return text[:start] + text[end:]
        name = re.escape(self.name)
        inline = re.sub(rf"(?:,[ \t]*)?(?<![^\s,\[]){name}(?=[ \t]*\])", "", text, count=1)
        row = rf"^[ \t]*- {name}[ \t]*\r?(?:\n|\Z)"
        return inline if inline != text else re.sub(row, "", text, count=1, flags=re.MULTILINE)

    def _span(self, text: str) -> tuple[int, int]:
        """Return the lines of a member or item that is a mapping. Return no lines if it is written in another way."""
        name = re.escape(self.name)
        if self.listed:
            found = re.search(rf"^([ \t]*)- name: {name}[ \t]*\r?\n(?:\1[ \t]+.*\r?\n?)*", text, re.MULTILINE)
        else:
            rows = rf"^([ \t]+){name}:[ \t]*\r?\n(?:\1[ \t]+.*\r?\n?|[ \t]*\r?\n(?=\1[ \t]))*"
            found = re.search(rows, text, re.MULTILINE)
        return found.span() if found else (len(text), len(text))

    def _inline(self, text: str, file: str) -> str:
        """Add curator's value to a one-line list of plain words, or to a single word."""
        found = re.search(
            rf"^{re.escape(self.key)}:[ \t]*(?P<list>\[[^\]\n]*)?(?P<word>[^\s\[#][^\n\r#]*)?", text, re.MULTILINE
        )
        if not found or isinstance(self.value, Mapping) or not (found["list"] or found["word"]):
            raise malformed_file(file, line_of(text, found.start()) if found else 1, f"`{self.key}` can't be extended safely")
        if found["list"]:
            gap = "" if found["list"].strip() == "[" else ", "
            return text[: found.end("list")] + gap + self.name + text[found.end("list") :]
        word = found["word"].strip()
        return text[: found.start("word")] + f"[{word}, {self.name}]" + text[found.start("word") + len(word) :]

    def _rows(self, indent: str, newline: str) -> str:
        value = [self.value] if self.listed else {self.name: self.value}
        rows = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=10_000).splitlines()
        return "".join(f"{indent}{row}{newline}" for row in rows)

    def _find(self, data: Mapping[str, Any]) -> Any:
        if self.listed:
            return next(filter(self._is, self._items(data)), None)
        there = data.get(self.key)
        return there.get(self.name) if isinstance(there, dict) else None

    def _items(self, data: Mapping[str, Any]) -> list[Any]:
        there = data.get(self.key)
        return there if isinstance(there, list) else [there]

    def _is(self, item: Any) -> bool:
        return bool(item.get("name") == self.name if isinstance(item, dict) else item == self.name)

    def _hold(self, text: str, data: Mapping[str, Any], file: str, value: Any) -> None:
        """Raise ``MalformedFile`` unless curator's part now has ``value`` and everything else is unchanged."""
        try:
            after = load(text, file)
            sound = self._find(after) == value and self._rest(after) == self._rest(data)
        except MalformedFile:
            sound = False
        if not sound:
            raise malformed_file(file, 1, f"`{self.key}` can't be edited safely")

    def _rest(self, data: Mapping[str, Any]) -> dict[str, Any]:
        if self.listed:
            left: Any = [one for one in self._items(data) if one is not None and not self._is(one)]
        else:
            left = {key: value for key, value in (data.get(self.key) or {}).items() if key != self.name}
        return {key: value for key, value in data.items() if key != self.key} | ({self.key: left} if left else {})


def load(text: str, file: str) -> dict[str, Any]:
    """Return a document's mapping. It is empty for an empty document. Raises ``MalformedFile``."""
    try:
        data = load_yaml(text)
    except UnreadableYaml as error:
        raise malformed_file(file, error.line, f"this YAML can't be read: {error}") from error
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise malformed_file(file, 1, "this is not a YAML mapping")
    return data


def _end_of_block(text: str, at: int) -> int:
    """Return the offset after the last line of the key whose line ends at ``at``."""
    at = text.find("\n", at) + 1 or len(text)
    end = at
    while at < len(text):
        stop = text.find("\n", at) + 1 or len(text)
        line = text[at:stop]
        if line.strip() and line[0] not in " \t" and not line.startswith("- "):
            break
        end = stop if line.strip() else end
        at = stop
    return end
