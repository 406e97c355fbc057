"""Find the commit since which a linter checks what a lesson asks for.

Only settings that say so outright count: a rule of Ruff that is selected and nowhere ignored, a rule of ESLint that is an
error in a JSON file. The lesson names the rule, and does not speak of an exception from it.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from curator.io import git
from curator.model import Entry

MAX_COMMITS = 30
"""Commits of a settings file that are read, the newest ones."""
_EXEMPTS = re.compile(r"(?i)\b(?:ignor|disabl|suppress|noqa|except|exempt|allow|skip|silenc|turn(?:ed)? off)")


def enforcements(folder: str, lessons: Iterable[Entry]) -> dict[str, str]:
    """Return the linter, the rule and the commit since which it checks a lesson, by the lesson's id.

    The commit is later than the last decision on the lesson.
    """
    texts = {one.id: (f"{one.headline} {one.insight}", one.updated) for one in lessons}
    found: dict[str, str] = {}
    for file, (linter, name_of_rule, is_on) in LINTERS.items():
        log = git.ask(folder, "log", f"-{MAX_COMMITS}", "--format=%h %ct", "--", file) if Path(folder, file).is_file() else ""
        commits = [(id_, float(at)) for id_, at in map(str.split, (log or "").splitlines())]
        for id_, (text, updated) in texts.items() if commits else ():
            later = [commit for commit, at in commits if at > updated]
            for rule in () if _EXEMPTS.search(text) else dict.fromkeys(name_of_rule.findall(text)):
                if commit := _first(folder, file, later, rule, is_on):
                    found[id_] = f"{linter} checks {rule} since commit {commit}"
    return found


def _first(folder: str, file: str, commits: Iterable[str], rule: str, is_on: Callable[[str, str], bool]) -> str:
    """Return the commit that turned on a rule which is on in the newest one; empty if it is off, or was on before."""
    for commit in commits:
        if not is_on(git.ask(folder, "show", f"{commit}:./{file}") or "", rule):
            return ""
        if not is_on(git.ask(folder, "show", f"{commit}^:./{file}") or "", rule):
            return commit
    return ""


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
    return chosen == "ALL" or (rule.startswith(chosen) and chosen.rstrip("0123456789") == rule.rstrip("0123456789"))


def _has_eslint(text: str, rule: str) -> bool:
    try:
        setting = json.loads(text)["rules"][rule]
    except (ValueError, LookupError, TypeError, RecursionError):
        return False
    return (setting[0] if isinstance(setting, list) and setting else setting) in ("error", 2)


RUFF = ("ruff", re.compile(r"\b[A-Z]{1,5}\d{3,4}\b"), _has_ruff)
ESLINT = ("eslint", re.compile(r"(?<![\w/-])@?[a-z][\w/]*(?:-[a-z]+)+\b"), _has_eslint)
LINTERS = {"pyproject.toml": RUFF, "ruff.toml": RUFF, ".ruff.toml": RUFF, ".eslintrc.json": ESLINT}
"""Linters by their settings files: the name, how it writes a rule, and whether a text of its settings turns on a rule."""
