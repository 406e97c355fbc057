"""Find the commit since which a linter checks what a lesson asks for.

Only settings that say so outright count: a rule of Ruff that is selected and nowhere ignored, a rule of ESLint that is an
error wherever its settings name it. Those are often a program, which is read as text and never run. The lesson names the rule,
and does not speak of an exception from it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

from curator.io import git
from curator.model import Entry

MAX_COMMITS, MAX_BYTES = 30, 1 << 16
"""Commits of a settings file that are read, the newest ones, and bytes of a file: a longer one says nothing."""
_EXEMPTS = re.compile(r"(?i)\b(?:ignor|disabl|suppress|noqa|except|exempt|allow|skip|silenc|turn(?:ed)? off|no-restricted-)")
"""Words of an exception, and ESLint's rules whose name does not say what they forbid."""


def enforcements(folder: str, lessons: Iterable[Entry]) -> dict[str, str]:
    """Return the linter, the rule and the commit since which it checks a lesson, by the lesson's id.

    The commit is later than the last decision on the lesson.
    """
    texts = {one.id: (f"{one.headline} {one.insight}", one.updated) for one in lessons}
    content = cache(partial(_content, folder))
    found: dict[str, str] = {}
    for linter, (files, name_of_rule, is_on) in LINTERS.items():
        for file in (file for file in files if Path(folder, file).is_file()):
            log = git.ask(folder, "log", f"-{MAX_COMMITS}", "--format=%h %ct", "--", file)
            commits = [(id_, float(at)) for id_, at in map(str.split, (log or "").splitlines())]
            for id_, (text, updated) in texts.items() if commits else ():
                later = [commit for commit, at in commits if at > updated]
                for rule in () if _EXEMPTS.search(text) else dict.fromkeys(name_of_rule.findall(text)):
                    if commit := _first(lambda *name, rule=rule, is_on=is_on: is_on(content(*name), rule), later, file, files):
                        found[id_] = f"{linter} checks {rule} since commit {commit}"
    return found


def _first(has_rule: Callable[[str, str], bool], commits: Iterable[str], file: str, files: Iterable[str]) -> str:
    """Return the commit that turned on a rule which is on in the newest one; empty if it is off, or was on before.

    A rule that only moved from another one of the linter's ``files`` was on before.
    """
    for commit in commits:
        if not has_rule(commit, file):
            return ""
        if not has_rule(f"{commit}^", file):
            return "" if any(has_rule(f"{commit}^", other) for other in files) else commit
    return ""


def _content(folder: str, commit: str, file: str) -> str:
    """Return a file's content in a commit; empty if it was not there or is too long."""
    name = f"{commit}:./{file}"
    size = int(git.ask(folder, "cat-file", "-s", name) or 0)
    return (git.ask(folder, "cat-file", "blob", name) or "") if size <= MAX_BYTES else ""


def _has_ruff(text: str, rule: str) -> bool:
    try:
        data: Mapping[str, Any] = tomllib.loads(text)
        data = data.get("tool", {}).get("ruff", {}) or (data if "tool" not in data else {})
        data = {**data, **data.get("lint", {})}
        chosen = [*data.get("select", ()), *data.get("extend-select", ())]
        ignored = [*data.get("ignore", ()), *data.get("extend-ignore", ())]
        ignored += [one for ones in data.get("per-file-ignores", {}).values() for one in ones]
    except (tomllib.TOMLDecodeError, AttributeError, TypeError, RecursionError):
        return False
    return any(_covers(one, rule) for one in chosen) and not any(_covers(one, rule) for one in ignored)


def _covers(chosen: str, rule: str) -> bool:
    return rule.startswith(chosen) and chosen.rstrip("0123456789") == rule.rstrip("0123456789")


_COMMENT = re.compile(
    r"""(//[^\n]*+|/\*.*?(?:\*/|\Z))|"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n])*+'?|`(?:\\.|[^`\\])*+`?""", re.DOTALL
)
"""A comment of JavaScript, or a text that may look like one. Each ends with the file at the latest, so a search is linear."""


def _has_eslint(text: str, rule: str) -> bool:
    code = _COMMENT.sub(lambda found: " " if found[1] else found[0], text)
    found = re.findall(rf"""(["']){re.escape(rule)}\1\s*:\s*\[?\s*["']?(\w+)""", code)
    return bool(found) and all(severity in ("error", "2") for _, severity in found)


LINTERS = {
    "ruff": (("pyproject.toml", "ruff.toml", ".ruff.toml"), re.compile(r"\b[A-Z]{1,5}\d{3,4}\b"), _has_ruff),
    "eslint": (
        (*(f"eslint.config.{end}" for end in ("js", "mjs", "cjs", "ts", "mts", "cts")), ".eslintrc.json", ".eslintrc.cjs"),
        re.compile(r"(?<![\w@/-])(?:@?[a-z][\w-]*/)*[a-z]+(?:-[a-z]+)+\b"),
        _has_eslint,
    ),
}
"""Settings files by linter, how it writes a rule, and whether a text of its settings turns on a rule."""
