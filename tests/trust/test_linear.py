"""What hostile text costs: every expression and every reader grows with its length, and no faster."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

import curator
from curator import lesson_files
from curator.distill import digest, gate
from curator.distill.gate import Claim
from curator.errors import MalformedFile
from curator.hookspecs import Format, Mark
from curator.model import Locator, Role, Turn
from curator.plugins import formats
from curator.rules import read as read_rules
from curator.text import redact, secrets, warnings
from curator.text.clean import strip
from curator.text.secrets.rules import MADE, RULES
from tests.files import write_file
from tests.transcripts import transcript_records as records

SHORT = 600
"""Characters; four times as many may take four times as long, and twice that for the noise of a machine."""
NOTICEABLE = 0.004
"""CPU seconds below which nothing is compared: what is quadratic takes more for this little text."""
STEEP = 9.0
PIECES = (
    *(" ", "\n", "\t", "a", "A", "0", "é", "(", "[", "{", "<", "`", "'", '"', "*", "_", "-", "/", "\\", "=", ":", ".", ","),
    *("|", "$", "#", ">", "~", "a ", "- ", "a.", "a/", "a_", "a-", "a=", "a:", ": ", "a\n", "- \n", " a", "[a](", "<a ", "**a"),
    *("not ", "never ", "http://a", "\x1b[", "a,b ", "```\n", "> ", "1. ", "key: ", "&lt;", "%20", "\\u0041"),
)
BOUNDED = {
    "curator.detection.actions": "lines of at most 240 characters",
    "curator.detection.cues": "sentences of at most 600 characters",
    "curator.detection.statements": "sentences of at most 600 characters",
    "curator.detection.sentences": "sentences of at most 600 characters",
    "curator.detection.wording": "texts of at most 1,200 characters",
}
"""Modules whose expressions never see a longer text, and what they see."""
CALLS = {"search": "search", "finditer": "search", "findall": "search", "sub": "search", "subn": "search", "split": "search"}
CALLS |= {"match": "match", "fullmatch": "fullmatch"}


def modules() -> list[ModuleType]:
    names = (found.name for found in pkgutil.walk_packages(curator.__path__, "curator."))
    return [importlib.import_module(name) for name in names if not name.endswith("__main__")]


def ways(module: ModuleType) -> dict[str, set[str]]:
    """How each name is called as an expression in a module: at any place of a text, at its beginning, or as a whole."""
    found: dict[str, set[str]] = {}
    for name, call in re.findall(rf"\b(\w+)\.({'|'.join(CALLS)})\b", inspect.getsource(module)):
        found.setdefault(name, set()).add(CALLS[call])
    return found


def patterns(module: ModuleType) -> Iterator[tuple[str, re.Pattern[str], str]]:
    """The expressions that a module makes, by name, with each way in which it asks them; those in tables as anywhere."""
    calls = ways(module)
    for name, value in vars(module).items():
        if isinstance(value, re.Pattern):
            for way in sorted(calls.get(name, ())):
                yield name, value, way
        elif isinstance(value, (tuple, list, dict)):
            items = value.values() if isinstance(value, dict) else value
            flat = [part for item in items for part in (item if isinstance(item, tuple) else (item,))]
            yield from ((f"{name}[{at}]", one, "search") for at, one in enumerate(flat) if isinstance(one, re.Pattern))


def every_pattern() -> dict[tuple[re.Pattern[str], str], str]:
    found: dict[tuple[re.Pattern[str], str], str] = {}
    for module in (one for one in modules() if one.__name__ not in BOUNDED):
        for name, pattern, way in patterns(module):
            if isinstance(pattern.pattern, str):
                found.setdefault((pattern, way), f"{module.__name__}.{name} ({way})")
    return found | secret_patterns()


def secret_patterns() -> dict[tuple[re.Pattern[str], str], str]:
    """The expressions of the rules for secrets, which are made when a text first needs them."""
    found = {(secrets.Finder(RULES).made, "search"): "prefixes of makers"}
    for rule in (rule for rule in RULES if rule not in MADE):
        asked = ((rule.expression, "match"), (rule.before and rule.before + r"\Z", "search"), (rule.each, "search"))
        found |= {(secrets.compiled(one), way): f"{rule.name} ({way})" for one, way in asked if one and one != secrets.COLUMN}
    parts = ("joint", "match"), ("before", "search"), ("public", "search"), ("head", "fullmatch"), ("abroad", "search")
    return found | {(secrets.compiled(f"{{{part}}}"), way): part for part, way in parts}


def seconds(call: Callable[[str], object], text: str, runs: int = 3) -> float:
    """The least CPU time of a few runs: what else the machine does only adds."""
    took = []
    for _ in range(runs):
        start = time.process_time()
        call(text)
        took.append(time.process_time() - start)
    return min(took)


def steep(call: Callable[[str], object], piece: str, size: int = SHORT, noticeable: float = NOTICEABLE) -> bool:
    """Whether it grows faster than the text does, from this many characters to four times as many."""
    long = (piece * size * 4)[: 4 * size]
    once = seconds(call, long, 1)
    if once <= noticeable or once <= STEEP * seconds(call, long[:size]):
        return False
    # A busy machine may slow one measurement, hardly three in a row.
    return all(seconds(call, long) > max(noticeable, STEEP * seconds(call, long[:size])) for _ in range(3))


def test_no_expression_grows_faster_than_its_text() -> None:
    found = []
    for (pattern, way), name in every_pattern().items():
        words = list(dict.fromkeys(re.findall(r"[A-Za-z]{2,}", pattern.pattern)))[:8]
        signs = re.findall(r"[^\w\s\\()\[\]{}?*+|^$]", pattern.pattern)[:2]
        for piece in (*PIECES, *words, *(f"{word} " for word in words), *(f"{sign}a " for sign in signs)):
            if steep(getattr(pattern, way), piece):
                found.append((name, piece))
                break
    assert found == []


CLAIM = Claim(kind="tooling", headline="Use `a a` in a/b.py", insight="a_a a-a A", line=1, quote="a a a a … a a a a a a a a a")


def said(text: str) -> Turn:
    return Turn(agent="", session="", role=Role.HUMAN, text=text, locator=Locator("", 1, 1))


READS: dict[str, Callable[[str], object]] = {
    "clean": strip,
    "redact": redact.mask,
    "warnings": warnings.find,
    "defused": warnings.defuse,
    "rules": lambda text: list(read_rules(text)),
    "digest": lambda text: digest.parts(digest.sendable([said(text)])),
    "gate": lambda text: gate.filter_claims([CLAIM] * 9, [said(text)], text),
}


@pytest.mark.parametrize("name", READS)
def test_what_judges_text_is_linear(name: str) -> None:
    found = [piece for piece in PIECES if steep(READS[name], piece, 5_000, 0.05)]
    assert found == []


def lesson(text: str) -> object:
    head = "---\nid: AAAA-0001\ncategory: convention\n"
    for whole in (
        f"{head}---\n# x\n\n{text}\n",
        f"{head}{text}\n---\n# x\n",
        f"{head}---\n# x\n\n## Evidence\n\n{text}\n\n## Code\n\n{text}",
        f"{head}---\n# x\n\n## Evidence\n\n> {text}\n\n— human, {text}\n",
        f"{head}---\n# x\n\n## Code\n\n*{text}*\n\n```python {text}\nx\n```\n",
    ):
        try:
            lesson_files.parse(whole, "x-aaaa-0001.md")
        except MalformedFile:
            continue
    return None


def test_a_lesson_file_is_read_in_linear_time() -> None:
    found = [piece for piece in (*PIECES, "a, ", "at ", "* ") if steep(lesson, piece, 5_000, 0.05)]
    assert found == []


def transcript(format_: Format, text: str) -> Iterator[tuple[str, str]]:
    """Files of a format that hold a text where content stands, by name."""
    if format_.agent == "specstory":
        head = "<!-- Generated by SpecStory -->\n\n_**User (2025-01-01T00:00:00Z)**_\n\n"
        agent = '_**Agent**_\n\n<tool-use data-tool-type="shell" data-tool-name="Bash">\n'
        yield ".specstory/history/a.md", f"{head}{text}\n\n{agent}{text}\n</tool-use>\n{text}\n"
    elif format_.agent == "aider":
        yield ".aider.chat.history.md", f"# aider chat started at 2026-01-01 10:00:00\n\n#### {text}\n\n{text}\n"
    elif format_.agent == "claude-code":
        yield "projects/p/s.jsonl", records.lines(records.user(text), records.user([records.result("t", text)])).decode()
    elif format_.agent == "codex":
        yield "sessions/rollout-a.jsonl", records.lines(records.META, records.event("user_message", message=text)).decode()


@pytest.mark.parametrize("agent", ["specstory", "aider", "claude-code", "codex"])
def test_a_transcript_is_read_in_linear_time(agent: str, tmp_path: Path) -> None:
    (format_,) = (one for one in formats() if one.agent == agent)
    heads = (
        *("_**User (2025-01-01T00:00:00Z)**_\n", "_**Agent**_\n", "<details>\n", "<think>\n", "<tool-use \n", "</tool-use>\n"),
        *("#### ", "````\n"),
    )
    tags = "<system-reminder> </system-reminder> <ide_selection> </ide_selection> <command-name>".split()

    def read(text: str) -> None:
        for name, content in transcript(format_, text):
            path = write_file(tmp_path / name, content)
            format_.read(path, Mark())

    found = [piece for piece in (*heads, *tags, *PIECES) if steep(read, piece, 10_000, 0.1)]
    assert found == []
