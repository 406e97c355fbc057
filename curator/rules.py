"""The rules in files that people wrote for agents: the files, their folders, and the lines.

The file names come from the agents' documentation of 2026. ``text.markdown`` cuts a file into items and paragraphs. Those that
state a rule are proposed as candidates, with their meaning and kind. Only a person confirms a lesson.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from curator.io import files
from curator.model import Category
from curator.text.clean import load_yaml
from curator.text.markdown import Passage, front_matter, passages

# fmt: off
PASSED_OVER = frozenset((
    "node_modules", ".git", ".hg", ".venv", "venv", "__pycache__", ".tox", ".mypy_cache", "dist", "build", "target", ".next",
    ".cache", "site-packages", ".curator",
))
# fmt: on
DEPTH = 12
"""Folders below the one given that are looked into."""

# fmt: off
NAMES = {
    "CLAUDE.md": "claude-code", "CLAUDE.local.md": "claude-code",
    "AGENTS.md": "codex", "AGENTS.override.md": "codex", "AGENT.md": "codex",
    "GEMINI.md": "gemini", "QWEN.md": "qwen",
    ".cursorrules": "cursor", ".windsurfrules": "windsurf", ".clinerules": "cline", ".roorules": "cline",
    ".continuerules": "continue", ".goosehints": "goose", ".rules": "zed",
    "CONVENTIONS.md": "aider",
}
"""The names of files that apply to their folder, and their agents."""

FOLDERS = (
    (".claude", re.compile(r"CLAUDE\.md|rules/.+\.md"), "claude-code"),
    (".cursor", re.compile(r"rules/.+\.mdc?"), "cursor"),
    (".github", re.compile(r"copilot-instructions\.md|instructions/.+\.instructions\.md"), "copilot-cli"),
    (".windsurf", re.compile(r"rules/.+\.md"), "windsurf"),
    (".clinerules", re.compile(r"\A(?!workflows/|hooks/).+\.(?:md|txt)"), "cline"),
    (".roo", re.compile(r"\Arules[\w-]*/.+\.(?:md|txt)"), "cline"),
    (".continue", re.compile(r"rules/.+\.md"), "continue"),
    (".junie", re.compile(r"guidelines\.md"), "junie"),
)
"""The folders of agents with rules files, and their agents. They apply to the folder that contains them."""
# fmt: on

AIDER = ".aider.conf.yml"


@dataclass(frozen=True, slots=True)
class RulesFile:
    """A rules file: its path, its path within the project, its agent, and the folder to which it applies (empty: all)."""

    path: Path
    name: str
    agent: str
    folder: str


def find(folder: Path, top: Path | None = None) -> list[RulesFile]:
    """Return the rules files in a folder and below, sorted by path.

    A link to another rules file is left out, and so is a link that leads out of the folder. Names are relative to ``top``, the
    project's folder, if it is above. Folders that can't be read are left out, and so are repositories within the repository,
    because they are other people's.
    """
    top = top if top and folder.is_relative_to(top) else folder
    found: dict[Path, RulesFile] = {}
    for path in _paths(folder):
        name = PurePosixPath(path.relative_to(top))
        agent = _agent(name)
        if agent or (path.name == AIDER and path.is_file()):
            for each, whose in [(path, agent)] if agent else _aider_files(path, top):
                where = PurePosixPath(each.relative_to(top))
                found.setdefault(each.resolve(), RulesFile(each, str(where), whose, _folder_of(where)))
    return sorted(found.values(), key=lambda item: item.name)


def _paths(folder: Path) -> Iterator[Path]:
    """Yield every file below that could be a rules file. Links come last, so that a file gets its own name."""
    links: list[Path] = []
    for here, folders, names in os.walk(folder):
        depth = len(Path(here).relative_to(folder).parts)
        inner = [name for name in folders if not os.path.exists(os.path.join(here, name, ".git"))]
        folders[:] = sorted(name for name in inner if name not in PASSED_OVER and depth < DEPTH)
        for name in sorted(names):
            path = Path(here, name)
            if path.is_symlink():
                links += [path] if files.inside(path, folder) else []
            elif path.is_file():
                yield path
    yield from (path for path in links if path.is_file())


def _agent(name: PurePosixPath) -> str:
    if name.name in NAMES:
        return NAMES[name.name]
    for place, pattern, agent in FOLDERS:
        if place in name.parts[:-1]:
            inside = "/".join(name.parts[name.parts.index(place) + 1 :])
            return agent if pattern.fullmatch(inside) else ""
    return ""


def _folder_of(name: PurePosixPath) -> str:
    """Return the folder to which a rules file applies: the one that contains it, or that contains the agent's folder."""
    for place, _, _ in FOLDERS:
        if place in name.parts[:-1]:
            name = PurePosixPath(*name.parts[: name.parts.index(place) + 1])
    return "" if str(name.parent) == "." else str(name.parent)


def _aider_files(conf: Path, top: Path) -> Iterator[tuple[Path, str]]:
    """Yield the Markdown files that aider's settings name (``read: a.md``, ``read: [a.md, b.md]`` or a list)."""
    try:
        fields = load_yaml(files.read(conf, top).decode("utf-8"))
        named = fields.get("read", []) if isinstance(fields, dict) else []
    except (OSError, ValueError):
        return
    for name in [named] if isinstance(named, str) else named if isinstance(named, list) else []:
        path = conf.parent / str(name)
        if path.suffix in (".md", ".txt") and path.is_file() and path.resolve().is_relative_to(top.resolve()):
            yield conf.parent / str(name), "aider"


MAX_PASSAGE_CHARACTERS = 600
"""Characters beyond which a passage is an essay, taken sentence by sentence."""
MAX_ITEM_CHARACTERS = 200
"""Maximum characters of a list's point. A longer item is prose."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its words in the file, its meaning, its place, its kind, and its files.

    ``heading`` is the heading above it. ``globs`` are the patterns in the file's front matter. They are empty if it applies
    everywhere.
    """

    quote: str
    statement: str
    line: int
    line_end: int
    category: Category
    heading: str = ""
    globs: tuple[str, ...] = ()


_ASKED = re.compile(
    r"(?i)\b(?:never|always|do not|don['’]t|avoid|prefer(?:red|ably)?|only|(?:is|are) required|required (?:for|on|in)|"
    r"instead of|rather than|needs? to|have to|has to|cannot|can't|no (?:\w+ ){1,4}(?:in|without|unless|outside|for)\b)\b"
)
"""Words that make an item of a list a rule."""
_SHOWN = re.compile(r"`[^`]*`|“[^”]*”|\"[^\"]*\"")
_ASIDE = re.compile(r"\([^()]*\)")

# fmt: off
_VERBS = frozenset((
    "use", "run", "keep", "write", "add", "put", "follow", "ensure", "make", "avoid", "check", "commit", "create", "define",
    "declare", "read", "update", "prefix", "handle", "throw", "raise", "catch", "wrap", "extract", "set", "configure",
    "install", "annotate", "include", "exclude", "remove", "delete", "replace", "rename", "move", "copy", "verify",
    "validate", "confirm", "ask", "report", "explain", "describe", "respect", "preserve", "maintain", "mirror", "choose",
    "pick", "favor", "favour", "leave", "fetch", "reuse", "extend", "inherit", "implement", "inject", "pass", "provide",
    "bump", "push", "merge", "rebase", "squash", "treat", "assume", "expect", "consider", "think", "adhere", "apply",
    "minimize", "minimise", "reduce", "assert", "disable", "enable", "isolate", "separate", "expose", "hide", "escape",
    "sanitize", "encode", "redact", "look", "refer", "consult", "regenerate", "generate", "edit", "modify", "touch",
    "specify", "show", "align", "indent", "begin", "compile", "deploy", "publish", "encrypt", "drop", "convert", "migrate",
    "stay", "give", "take", "let", "please", "prefer", "require", "never", "always", "only", "don't", "don’t", "not", "no",
    "be", "do", "get", "go", "have",
))
_NOUNS_AS_WELL = frozenset((
    "test", "format", "name", "document", "place", "store", "return", "log", "split", "group", "order", "sort", "limit",
    "build", "lint", "type", "import", "export", "call", "match", "load", "cache", "register", "mark", "tag", "version",
    "sync", "pull", "branch", "open", "close", "start", "stop", "plan", "stick", "mock", "stub", "cover", "skip", "mask",
    "search", "review", "change", "state", "display", "render", "style", "end", "target", "release", "sign", "work", "need",
))
_AFTER_A_VERB = frozenset((
    "a", "an", "the", "all", "any", "each", "every", "your", "our", "it", "them", "to", "with", "in", "on", "for", "from",
    "by", "only", "before", "after", "when", "if", "as", "at", "both", "new", "no", "one", "and", "against", "through",
    "using", "via", "directly", "explicitly", "what", "why", "how", "this", "that", "these", "those", "code", "files",
))
# fmt: on
_ORDER = re.compile(
    r"(?i)\b(?:must(?:n't| not)?|shall|should(?:n't)?|may not|not allowed|forbidden|prohibited|mandatory)\b|"
    r"^[\"'“‘(*_`]*(?:never|always|do not|don['’]?t|avoid|prefer|make sure|be sure)\s|"
    r"(?:[,;:—–.(]\s*|\b(?:and|but|or|so|then|you|please|we|to)\s+)[*_]*(?:never|always|do not|don['’]?t|only|ensure)[*_]*\s+"
    rf"(?:{'|'.join(sorted(_VERBS | _NOUNS_AS_WELL))})\b|"
    r"(?:[;:—–(]\s*|\byou\s+)[*_]*(?:never|always|avoid)\b"
)
"""Words that make a sentence an instruction, even in prose."""
_STEPS = re.compile(
    r"(?i)\b(?:add(?:ing)?|creat(?:e|ing)|how|steps?|workflow|process|procedure|set-?up|install\w*|releas\w+|when)\b"
)
_NEGATIVE = re.compile(
    r"(?i)^\W*(?:don'?t|don’t|do not|never|avoid|what not to do|what to avoid|prohibited|forbidden|not allowed|anti-?patterns?|"
    r"bad|disallowed|no-?gos?|things to avoid|must not|❌|🚫|⛔)(?![\w-])"
)
_POSITIVE = re.compile(r"(?i)^\W*(?:do\b(?! not)|always|good|must\b(?! not)|✅|✔)")
_NEGATED = re.compile(r"(?i)\W*(?:don'?t|don’t|do not|never|avoid|no|not|must not|without|stop)\b")
_NO = re.compile(r"^\s*(?:❌|🚫|⛔|✗|✘)\s*")
_YES = re.compile(r"^\s*(?:✅|✔️?|✓|⚠️?|❗|‼️?|🔴|🚨|💡|📌|👉)\s*")
_LABEL = re.compile(r"^(?:\*\*|__)([^*_\n]{2,60}?)(?::(?:\*\*|__)|(?:\*\*|__)\s*[:—–-])\s+(?=\S)")
_LINK_ONLY = re.compile(r"^[^\w\[]*+(?:see\s+)?(?:\[[^\]]*\]\([^)]*\)[\s,.;]*(?:and|or)?\s*)+(?:[-—–:].*)?$", re.IGNORECASE)
_REFERENCE = re.compile(r"^(?:@[\w./~-]+|https?://\S+|`[^`]+`|[\w./-]+\.\w{1,5})$")
_ABOUT_FILE = re.compile(
    r"(?i)^(?:this (?:file|document|section|rule|guide|repository|repo|project)\b|the following\b|here (?:is|are)\b)"
)
_SENTENCE = re.compile(r"[.!?][\"'”’)*_`\]]*(?=\s+[\"'“‘(*_`]*[A-Z0-9])")
_ABBREVIATION = re.compile(r"(?i)(?:\b(?:e\.?g|i\.?e|etc|vs|cf|incl|approx)|\b[A-Z])\.$")

# fmt: off
_KINDS: tuple[tuple[Category, re.Pattern[str]], ...] = (
    (
        Category.TOOLING,
        re.compile(
            r"`(?:\$ )?(?:npm|npx|pnpm|yarn|bunx?|uvx?|pip|pipenv|poetry|make|just|mise|cargo|go|git|gh|docker|pytest|ruff|"
            r"mypy|prettier|"
            r"eslint|dotnet|gradle|mvn|bundle|rake|mix|terraform|kubectl|\./)[^`]*`"
        ),
    ),
    (
        Category.ARCHITECTURE,
        re.compile(
            r"(?i)\b(?:layers?|depends? on|dependency direction|lives? in|belongs? in|go(?:es)? in|boundar(?:y|ies)|"
            r"separation of|owns? the)\b"
        ),
    ),
    (
        Category.CONSTRAINT,
        re.compile(
            r"(?i)\b(?:never|must(?:n't| not)?|do not|don['’]?t|cannot|can't|forbidden|prohibited|required|not allowed|only)\b"
        ),
    ),
    (
        Category.TOOLING,
        re.compile(r"(?i)\b(?:install|package manager|command line|ci|pre-?commit|lint(?:ing)?|docker|run (?:the )?tests?)\b"),
    ),
    (Category.DECISION, re.compile(r"(?i)\bwe (?:chose|decided|settled)\b")),
    (Category.BUG_PATTERN, re.compile(r"(?i)\b(?:crash\w*|race condition|deadlock\w*|leaks?|known (?:bug|issue))\b")),
)


def read(text: str) -> list[Rule]:
    """Return the rules that a file states, in order. This reads no file and raises nothing."""
    globs = patterns(front_matter(text)[0])
    found = []
    for passage in passages(text):
        for start, end in _stretches(passage):
            quote = passage.text[start:end]
            statement = _complete_rule(quote, passage)
            if statement:
                heading = next((one for one in reversed(passage.under) if not _generic(one)), "")
                found.append(Rule(quote, statement, *passage.lines(start, end), category(statement), _label(heading), globs))
    return found


def non_rules(text: str) -> list[tuple[int, str]]:
    """Return the items of lists that do not count as rules, with their lines. Items that only introduce others are left out."""
    return [
        (passage.starts[0][1], passage.text)
        for passage in passages(text)
        if passage.item
        and not (passage.leads or passage.text.endswith(":"))
        and not any(_complete_rule(passage.text[start:end], passage) for start, end in _stretches(passage))
    ]


def patterns(front: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the globs in a file's front matter (Cursor, Copilot, Claude, Windsurf). Return none if it always applies."""
    values: list[Any] = []
    for key in ("globs", "applyTo", "paths"):
        value = front.get(key)
        values += value if isinstance(value, list) else re.split(r",(?![^{]*\})", value) if isinstance(value, str) else []
    found = [str(one).strip().strip("\"'[]") for one in values]
    if front.get("alwaysApply") is True or any(one in ("**", "**/*", "*") for one in found):
        return ()
    return tuple(dict.fromkeys(one for one in found if one))


def category(statement: str) -> Category:
    """Return the kind of a rule by its words. It is a convention unless they say otherwise."""
    return next((kind for kind, words in _KINDS if words.search(statement)), Category.CONVENTION)


def _stretches(passage: Passage) -> Iterator[tuple[int, int]]:
    """Yield the ranges to judge: a whole item, or each sentence of a paragraph or a long item."""
    text = passage.text
    if passage.leads or text.endswith(":"):
        return  # An introduction is no rule, but its items are.
    if passage.item and len(text) <= MAX_PASSAGE_CHARACTERS // 2:
        yield 0, len(text)
        return
    begin = 0
    for end in [*(stop.end() for stop in _SENTENCE.finditer(text)), len(text)]:
        if end < len(text) and (_ABBREVIATION.search(text[begin:end]) or text.count("`", begin, end) % 2):
            continue
        begin += len(text[begin:end]) - len(text[begin:end].lstrip())
        if begin < end:
            yield begin, end
        begin = end


def _complete_rule(quote: str, passage: Passage) -> str:
    """Return the rule in a quote, with the necessary part of its heading. Return an empty text if it is not a rule."""
    if len(quote) > MAX_PASSAGE_CHARACTERS or _LINK_ONLY.match(quote) or _REFERENCE.match(quote) or quote.endswith(("?", ":")):
        return ""
    forbidden = bool(_NO.match(quote))
    text = _YES.sub("", _NO.sub("", quote)).strip()
    label = _LABEL.match(text)
    body = text[label.end() :] if label else text
    if _ABOUT_FILE.match(_bare(body)) or len(_bare(body).split()) < 3:
        return ""
    nearest = passage.under[-1] if passage.item and passage.under else ""
    forbidden = forbidden or bool(label and _NEGATIVE.match(label[1])) or bool(_NEGATIVE.match(nearest))
    is_needed = bool(_POSITIVE.match(nearest)) or bool(label and _POSITIVE.match(label[1]))
    if not (_normative(body, passage) or forbidden or is_needed):
        return ""
    name = _label(label[1]) if label and not (_NEGATIVE.match(label[1]) or _POSITIVE.match(label[1])) else ""
    if forbidden and not _NEGATED.match(body):
        body = _prohibition(body)
    return f"{name}: {body}" if name else body


def _normative(text: str, passage: Passage) -> bool:
    """Return whether a text is an instruction.

    Prose needs a clear word for it. So does a step of a numbered procedure, which is useful only as a whole.
    """
    plain = _SHOWN.sub("…", _bare(text))
    if _ORDER.search(plain):
        return True
    if passage.numbered and passage.under and _STEPS.search(passage.under[-1]):
        return False
    short = passage.item and len(passage.text) <= MAX_ITEM_CHARACTERS
    return _commands(text) or (short and bool(_ASKED.search(_ASIDE.sub("", plain))))


def _commands(text: str) -> bool:
    """Return whether a text begins with a verb in the imperative."""
    words = _bare(text).split()
    first = words[0].lower().strip("`*_.,()") if words else ""
    if first in _VERBS:
        return len(words) > 2
    if first not in _NOUNS_AS_WELL or len(words) < 3:
        return False
    second = words[1].lower()
    return second.strip(".,:;") in _AFTER_A_VERB or second[0] in "`\"'“" or second.endswith("ly")


def _prohibition(text: str) -> str:
    """Return the text after "never" as a separate rule."""
    bare = text.lstrip()
    first = _bare(bare).split()[0].lower().strip("`*_,.:;()")
    if first in _VERBS or _commands(text):
        return f"Don't {bare[0].lower() if bare[0].isalpha() else bare[0]}{bare[1:]}"
    plain = bare[0].isalpha() and not bare.split()[0].isupper()
    return f"Avoid {bare[0].lower() if plain else bare[0]}{bare[1:]}"


def _bare(text: str) -> str:
    return re.sub(r"[*_]{1,3}(?=\S)|(?<=\S)[*_]{2,3}", "", text).strip()


def _label(text: str) -> str:
    return _bare(_YES.sub("", _NO.sub("", text))).strip(" :#*_`").strip()


def _generic(heading: str) -> bool:
    """Return whether a heading says nothing about the text below it."""
    return len(heading.split()) > 7 or bool(_NEGATIVE.match(heading) or _POSITIVE.match(heading))
