"""The stores of agents' notes: for each its places, and the way it cuts a file into notes."""

from __future__ import annotations

import os
import re
from bisect import bisect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from curator.io import agent_folders
from curator.memories.discover import folders, project_of, read_object
from curator.memories.note import OF_PLACE, Note, Place, Source, Store, Surroundings, moment
from curator.text.markdown import Block, below_headings, blocks, front_matter, line_numbers

# --- claude code ------------------------------------------------------------------------------------------------------
#
# Claude Code's notes, and those of its subagents: a file per note with front matter, and an index that often holds facts.
#
# At each start, the agent reads the first 200 lines or 25 KB of the index (https://code.claude.com/docs/en/memory).

CLAUDE_INDEX = "MEMORY.md"
CLAUDE_LINES, CLAUDE_CHARACTERS = 200, 25_000

_LINK = re.compile(r"[*_\s]*\[[^\]\n]*\]\(<?(?:\./)?([^()\s<>]+\.md)>?\)")
_WORD = re.compile(r"[\w-]{1,64}")
_LABEL = re.compile(r"(?im)^[ \t]*(?:[-*][ \t]+)?\*\*(why|how to apply)(?: this matters| \([^*\n]{0,40}\))?:?\*\*:?[ \t]*")

_FENCE = re.compile(r"(?m)^[ \t]*(?:```|~~~)")
_BEGIN = re.compile(r"\n(?:[ \t]*\n)++|\n(?=(?:#{1,6}|[-*+]|\d{1,3}[.)])[ \t])")
"""The positions where a rule may begin: after a blank line, at a heading, at an item."""


def claude_homes(around: Surroundings) -> Iterator[Path]:
    """Yield the folders of Claude Code: the list in ``CLAUDE_CONFIG_DIR``, or else the two usual ones."""
    named = [part.strip() for part in around.env.get("CLAUDE_CONFIG_DIR", "").split(",") if part.strip()]
    yield from (Path(os.path.expanduser(part)) for part in named)
    if not named:
        yield from (around.home / ".claude", around.home / ".config" / "claude")


def claude_places(around: Surroundings) -> Iterator[Place]:
    """Yield the folders of Claude Code's own notes: each project's, the one that settings name, the work tree's."""
    for home in claude_homes(around):
        for folder in folders(home / "projects"):
            yield Place(folder / "memory", home, project_of(folder), "project")
        if shared := claude_moved(home, around):
            yield Place(shared, shared)
    if around.repo:
        inner = [".claude/memory", ".claude/projects/memory"]
        inner += [f".claude/projects/{folder.name}/memory" for folder in folders(around.repo / ".claude" / "projects")]
        inner += ["memory"] if (around.repo / "memory" / CLAUDE_INDEX).is_file() else []
        yield from (Place(around.repo / name, around.repo, str(around.repo), "project", shared=True) for name in inner)


def claude_moved(home: Path, around: Surroundings) -> Path | None:
    """Return the folder for the notes of all projects that the settings name. Return ``None`` if each project has its own."""
    value = read_object(home / "settings.json", home).get("autoMemoryDirectory")
    if not isinstance(value, str):
        return None
    folder = Path(value.replace("~", str(around.home), 1) if value.startswith("~") else value)
    return folder if folder.is_absolute() else None


def subagent_places(around: Surroundings) -> Iterator[Place]:
    """Yield the folder of each subagent in the home folder and in the work tree."""
    for home in claude_homes(around):
        for folder in folders(home / "agent-memory"):
            yield Place(folder, home, "", f"subagent:{folder.name}")
    if around.repo:
        for name in ("agent-memory", "agent-memory-local"):
            for folder in folders(around.repo / ".claude" / name):
                yield Place(folder, around.repo, str(around.repo), f"subagent:{folder.name}", shared=True)


def claude_cut(source: Source) -> Iterator[Note]:
    """Yield the rules of a file with front matter. For other files, yield every item and paragraph that is no index entry."""
    front, head = front_matter(source.text)
    inner = front.get("metadata")
    fields = {**front, **inner} if isinstance(inner, dict) else front
    if not fields:
        yield from claude_inline(source)
        return
    lines = source.text.split("\n")
    first = next((number for number, line in enumerate(lines[head:], head) if line.strip()), len(lines))
    body = "\n".join(lines[first:]).strip()
    starts, line_of = _claude_starts(body), line_numbers(body)
    named = " ".join(str(fields.get("description") or fields.get("name") or "").split())
    for start, end in pairwise([*starts, len(body)]) if body else ():
        begin = below_headings(body, start, end)
        heading = body[start:begin].partition("\n")[0].strip("# ")
        text, why, how = claude_parts(body[begin:end].strip())
        several = len(starts) > 1
        yield Note(
            line=first + line_of(begin),
            text=text,
            title=heading if several else named,
            why=why,
            how=how,
            kind=_claude_word(fields.get("type")).lower() or "note",
            session=_claude_word(fields.get("originSessionId")),
            at=moment(fields.get("modified")),
            under=heading,
            first=first + line_of(start) if several else 1,
            last=first + line_of(start + len(body[start:end].rstrip()) - 1) if several else 0,
        )


def _claude_starts(body: str) -> list[int]:
    """Return the start of each rule in a body. A second reason or use belongs to the next rule."""
    starts, names, before = [0], set[str](), 0
    fences = [fence.start() for fence in _FENCE.finditer(body)]
    fences = fences if len(fences) % 2 == 0 else []
    for label in _LABEL.finditer(body):
        if (name := label[1].lower()) in names:
            ends = [
                one.end()
                for one in _BEGIN.finditer(body, before, label.start())
                if body[one.end() : label.start()].strip() and bisect(fences, one.end()) % 2 == 0  # in no block of code
            ]
            if not ends:
                return [0]
            starts.append(next((end for end in ends if body[end] == "#"), ends[-1]))
            names.clear()
        names.add(name)
        before = label.end()
    return starts


def _claude_word(value: object) -> str:
    """Return a value that is one word. Return an empty text for any other value."""
    return value.strip() if isinstance(value, str) and _WORD.fullmatch(value.strip()) else ""


def claude_parts(body: str) -> tuple[str, str, str]:
    """Return the rule of a note, its reason, and how to apply it. Each is empty if the note has none."""
    labels = list(_LABEL.finditer(body))
    names = [label[1].lower() for label in labels]
    if not labels or not body[: labels[0].start()].strip() or len(names) > len(set(names)):
        return body, "", ""
    ends = [*(label.start() for label in labels[1:]), len(body)]
    said = {name: body[label.end() : end].strip() for name, label, end in zip(names, labels, ends, strict=True)}
    return body[: labels[0].start()].strip(), said.get("why", ""), said.get("how to apply", "")


def claude_inline(source: Source) -> Iterator[Note]:
    """Yield the facts in a file without front matter."""
    for block in blocks(source.text):
        link = _LINK.match(block.text)
        if not (link and link[1] in source.files):
            yield Note(block.line, block.text, kind="inline", under=block.under[-1] if block.under else "")


CLAUDE = Store(
    name="claude-code",
    agent="claude-code",
    places=claude_places,
    files=re.compile(r".+\.md"),
    cut=claude_cut,
    loaded=re.compile(re.escape(CLAUDE_INDEX)),
    most_lines=CLAUDE_LINES,
    most_characters=CLAUDE_CHARACTERS,
)
SUBAGENTS = replace(CLAUDE, name="claude-subagents", places=subagent_places)


# --- codex ------------------------------------------------------------------------------------------------------------
#
# Codex's notes: bullets of a handbook by task, and of its summary. The rest of the folder comes from a database.
#
# ``MEMORY.md`` has blocks ``# Task Group:`` with a folder, tasks with their sessions, and bullets that end in their tasks.
# Codex reads ``memory_summary.md`` at each start.

CODEX_HANDBOOK, CODEX_SUMMARY = "MEMORY.md", "memory_summary.md"
CODEX_FOLDERS = ("memories", "memories_v2")
"""The second one is that of a later form, which has only the summary."""
CODEX_KINDS = {
    "user preferences": "preference",
    "reusable knowledge": "knowledge",
    "failures and how to do differently": "failure",
}
CODEX_SUMMARY_KINDS = {"user preferences": "summary-preference", "general tips": "tip"}
CODEX_RECORDS = frozenset(("rollout_summary_files", "keywords", "what's in memory", "user profile"))
"""Sections of Codex's own records. Other sections hold notes without a kind."""

_TASK = re.compile(r"(?i)task (\d{1,4})\b")
_POINTER = re.compile(r"(?i)[*_]*related skills?\b")
"""The beginning of a bullet that only names a skill."""
_FROM = re.compile(r"(?:\[(?:Task \d{1,4}|ad-hoc note)\][,; ]{0,3})+$")
_FOLDER = re.compile(r"(?m)^applies_to:.*?\bcwd=((?:[/~$]|[A-Za-z]:\\|\\\\)[^;,\n]{1,1000})")
_SESSION = re.compile(r"\bthread_id=([\w-]{8,64})")
_WRITTEN = re.compile(r"\bupdated_at=([\w:+.-]{10,40})")


def codex_places(around: Surroundings) -> Iterator[Place]:
    """Yield Codex's folders, each for all projects, and the one in a work tree."""
    home = around.folder("CODEX_HOME", ".codex")
    yield from (Place(home / name, home) for name in CODEX_FOLDERS)
    if around.repo:
        inner = [".codex/memories"] + ["memories"] * (around.repo / "memories" / CODEX_SUMMARY).is_file()
        yield from (Place(around.repo / name, around.repo, shared=True) for name in inner)


def codex_cut(source: Source) -> Iterator[Note]:
    """Yield the bullets of the handbook or of the summary."""
    if source.name == CODEX_SUMMARY:
        for block in blocks(source.text):
            if kind := _codex_kind(block, CODEX_SUMMARY_KINDS):
                yield Note(block.line, _FROM.sub("", block.text).rstrip(), kind=kind, under=block.under[-1])
    else:
        yield from _codex_handbook(source.text)


def _codex_kind(block: Block, kinds: Mapping[str, str]) -> str:
    """Return the kind of a bullet by its section. Return an empty text for a record and for text that is no bullet."""
    names = [name.lower() for name in block.under]
    is_note = block.item and names and CODEX_RECORDS.isdisjoint(names) and not _POINTER.match(block.text)
    return kinds.get(names[-1], "note") if is_note else ""


def _codex_handbook(text: str) -> Iterator[Note]:
    """Yield the bullets of each group, with the folder, the session and the time of their tasks."""
    group, folder, tasks = "", "", dict[str, list[str]]()
    for block in blocks(text):
        if block.under[:1] != (group,):
            group, folder, tasks = (block.under or ("",))[0], "", {}
        if found := _FOLDER.search(block.text):
            folder = found[1].strip().removeprefix("\\\\?\\")
        named = next((match[1] for one in block.under if (match := _TASK.match(one))), "")
        if named:
            tasks.setdefault(named, []).append(block.text)
        elif kind := _codex_kind(block, CODEX_KINDS):
            yield _codex_bullet(block, kind, group, folder, tasks)


def _codex_bullet(block: Block, kind: str, group: str, folder: str, tasks: dict[str, list[str]]) -> Note:
    origin = _FROM.search(block.text)
    told = "\n".join(line for number in _TASK.findall(origin[0] if origin else "") for line in tasks.get(number, ()))
    sessions = _SESSION.findall(told)
    return Note(
        line=block.line,
        text=block.text[: origin.start()].rstrip() if origin else block.text,
        kind=kind,
        session=sessions[0] if sessions else "",
        at=max(map(moment, _WRITTEN.findall(told)), default=0.0),
        under=group,
        project=folder,
    )


CODEX = Store(
    name="codex",
    agent="codex",
    places=codex_places,
    files=re.compile(f"{re.escape(CODEX_HANDBOOK)}|{re.escape(CODEX_SUMMARY)}"),
    cut=codex_cut,
    loaded=re.compile(re.escape(CODEX_SUMMARY)),
    requests="extensions/ad_hoc/notes",
)


# --- gemini -----------------------------------------------------------------------------------------------------------
#
# Gemini CLI's notes: bullets of a project's notes and of ``GEMINI.md``, and patches that wait for a person.

GEMINI_ADDED = "gemini added memories"
"""The heading under which the agent adds notes to a person's file of rules."""
GEMINI_RULES = "GEMINI.md"
GEMINI_GLOBAL = ".inbox/global/"
"""The folder of patches for ``GEMINI.md``, which applies to all projects."""

_HUNK = re.compile(r"(?m)^@@ .*$")


def gemini_places(around: Surroundings) -> Iterator[Place]:
    """Yield the notes and patches of each project, the person's ``GEMINI.md``, and that of the work tree."""
    home = around.folder("GEMINI_CLI_HOME", "") / ".gemini"
    projects = read_object(home / "projects.json", home).get("projects")
    known = {str(name): str(folder) for folder, name in projects.items()} if isinstance(projects, dict) else {}
    for folder in folders(home / "tmp"):
        yield Place(folder / "memory", home, known.get(folder.name, ""), "project")
    yield Place(home / GEMINI_RULES, home)
    if around.repo:
        yield Place(around.repo / GEMINI_RULES, around.repo, str(around.repo), "project", shared=True)


def gemini_cut(source: Source) -> Iterator[Note]:
    """Yield bullets and paragraphs. Of ``GEMINI.md``, yield only those that the agent added. Of a patch, yield each hunk."""
    if source.name.endswith(".patch"):
        yield from _hunks(source.text, "" if source.name.startswith(GEMINI_GLOBAL) else OF_PLACE)
        return
    for block in blocks(source.text):
        if source.name != GEMINI_RULES or GEMINI_ADDED in (heading.lower() for heading in block.under):
            kind = "note" if source.name == GEMINI_RULES else "inline"
            yield Note(block.line, block.text, kind=kind, under=block.under[-1] if block.under else "")


def _hunks(text: str, project: str) -> Iterator[Note]:
    """Yield the lines that each hunk adds, under those that it removes."""
    heads, line_of = list(_HUNK.finditer(text)), line_numbers(text)
    for at, head in enumerate(heads):
        end = heads[at + 1].start() if at + 1 < len(heads) else len(text)
        first = line_of(head.end()) + 1
        lines = text[head.end() + 1 : end].split("\n")
        added = [number for number, line in enumerate(lines) if line.startswith("+") and line[1:].strip()]
        if added:
            words = "\n".join(lines[number][1:] for number in added).strip().removeprefix("- ")
            removed = "\n".join(line[1:].strip() for line in lines if line.startswith("-") and line[1:].strip())
            yield Note(first + added[0], words, kind="waiting", first=first, under=removed, project=project)


def gemini_may_change(place: Place, patch: str, target: Path) -> bool:
    """Return whether a patch of this name may change a file: a note of its project, or the person's ``GEMINI.md``."""
    if patch.startswith(GEMINI_GLOBAL):
        return os.path.realpath(target) == os.path.realpath(place.base / GEMINI_RULES)
    is_note = target.suffix.lower() == ".md" and not target.name.startswith(".")
    return is_note and os.path.realpath(target.parent) == os.path.realpath(place.path)


GEMINI = Store(
    name="gemini",
    agent="gemini",
    places=gemini_places,
    files=re.compile(rf"[^/]+\.md|\.inbox/(?:private|global)/[^/]+\.patch|{re.escape(GEMINI_RULES)}"),
    cut=gemini_cut,
    loaded=re.compile(r"MEMORY\.md|GEMINI\.md"),
    mixed=True,
)


# --- goose ------------------------------------------------------------------------------------------------------------
#
# Goose's notes: a file per category. Each note is a line of tags and the text up to the next such line.

_GOOSE_TAGS = re.compile(r"# +(\S.*)")
_GOOSE_FENCE = re.compile(r"\s*(?:```|~~~)")


def goose_places(around: Surroundings) -> Iterator[Place]:
    """Yield the folder of settings, and that of the work tree."""
    if around.env.get("GOOSE_PATH_ROOT"):
        yield _goose_place(around.folder("GOOSE_PATH_ROOT", "") / "config" / "memory")
    else:
        yield _goose_place(around.folder("XDG_CONFIG_HOME", ".config") / "goose" / "memory")
    if around.repo:
        yield Place(around.repo / ".goose" / "memory", around.repo, str(around.repo), "project", shared=True)


def _goose_place(folder: Path) -> Place:
    return Place(folder, folder.parent)


def goose_cut(source: Source) -> Iterator[Note]:
    """Yield the text after each line of tags, and the text before the first one."""
    tags, first, block = "", 0, list[str]()
    blank, fenced = True, False
    for number, line in enumerate([*source.text.split("\n"), "", "# end"], 1):
        found = _GOOSE_TAGS.match(line) if blank and not fenced else None
        if found:
            if text := "\n".join(block).strip():
                yield Note(first, text, under=tags)
            tags, block = found[1].strip(), []
        elif block or line.strip():
            first = first if block else number
            block.append(line.rstrip())
        fenced = fenced is not bool(_GOOSE_FENCE.match(line))
        blank = not line.strip()


GOOSE = Store(
    name="goose",
    agent="goose",
    places=goose_places,
    files=re.compile(r"[^/]+\.(?:txt|md)"),
    cut=goose_cut,
    loaded=re.compile(r".+"),
    head=_GOOSE_TAGS,
)


# --- qwen -------------------------------------------------------------------------------------------------------------
#
# Qwen Code's notes: a file per note with front matter. The index is rebuilt from the files, so it holds no note.


def qwen_places(around: Surroundings) -> Iterator[Place]:
    """Yield the folder of each project, that of the person, and those in the work tree."""
    named = next((one for one in ("QWEN_CODE_MEMORY_BASE_DIR", "QWEN_RUNTIME_DIR", "QWEN_HOME") if around.env.get(one)), "")
    home = around.folder(named, ".qwen")
    for folder in folders(home / "projects"):
        yield Place(folder / "memory", home, project_of(folder), "project")
    yield Place(home / "memories", home)
    if around.repo:
        for name in ("team-memory", "memory"):
            yield Place(around.repo / ".qwen" / name, around.repo, str(around.repo), "project", shared=True)


def qwen_cut(source: Source) -> Iterator[Note]:
    """Yield the note of a file. A file without front matter has none, since Qwen Code ignores it."""
    if Path(source.name).name != CLAUDE_INDEX and front_matter(source.text)[0]:
        yield from claude_cut(source)


QWEN = replace(CLAUDE, name="qwen", agent="qwen", places=qwen_places, cut=qwen_cut)


# --- serena -----------------------------------------------------------------------------------------------------------
#
# Serena's notes: Markdown files in a work tree. A note is a section that gives an instruction, or else the file.
#
# An agent sees only the names at a start, so the notes cost nothing there.

_SERENA_SECTION = re.compile(r"(?m)^## +(.*)$")
_SERENA_TITLE = re.compile(r"(?m)\A\s*# +(.*)$")
_SERENA_ORDER = re.compile(
    r"(?i)\b(?:must|never|always|do not|don['’]t|avoid|only|should|required|prefer)\b|"
    r"(?m:^[ \t>*+•✅❌⚠️-]*+(?:\d{1,3}[.)] +)?(?:\[[ x]\] +)?[*`_]*+(?:use|run|keep|write|add|put|follow|ensure|make sure|"
    r"check|update|create|define|verify|read|commit|push|build|test|name|place|stay|route|treat|start|stop|call|pass|set|install)\b)"
)


def serena_places(around: Surroundings) -> Iterator[Place]:
    """Yield the notes for all projects, and those of the work tree."""
    yield Place(around.home / ".serena" / "memories", around.home / ".serena")
    if around.repo:
        yield Place(around.repo / ".serena" / "memories", around.repo, str(around.repo), "project", shared=True)


def serena_cut(source: Source) -> Iterator[Note]:
    """Yield the sections that give an instruction. Without such a section, yield the whole file."""
    heads, line_of = list(_SERENA_SECTION.finditer(source.text)), line_numbers(source.text)
    ends = [*(head.start() for head in heads[1:]), len(source.text)]
    found = [
        _serena_note(source.text, head.end(), end, head[1], line_of)
        for head, end in zip(heads, ends, strict=False)
        if _SERENA_ORDER.search(source.text, head.end(), end)
    ]
    title = _SERENA_TITLE.match(source.text)
    start, name = (title.end(), title[1]) if title else (0, "")
    yield from filter(None, found or [_serena_note(source.text, start, len(source.text), name, line_of)])


def _serena_note(text: str, start: int, end: int, heading: str, line_of: Callable[[int], int]) -> Note | None:
    start = below_headings(text, start, end)
    body = text[start:end]
    inner = start + len(body) - len(body.lstrip())
    return Note(line_of(inner), body.strip(), under=heading.rstrip(" \t#")) if body.strip() else None


SERENA = Store(
    name="serena",
    agent="serena",
    places=serena_places,
    files=re.compile(r"(?!(?:.*/)?memory_maintenance\.md\Z).+\.md"),  # Serena's own words about its notes
    cut=serena_cut,
    loaded=re.compile(r"(?!)"),
    head=_SERENA_SECTION,
    whole=True,
)


# --- vscode -----------------------------------------------------------------------------------------------------------
#
# The notes of Copilot's memory tool in Visual Studio Code: bullets in the storage of the editor or a workspace.

_VSCODE_EXTENSIONS = ("github.copilot-chat", "GitHub.copilot-chat")
_VSCODE_INNER = Path("memory-tool", "memories")


def vscode_places(around: Surroundings) -> Iterator[Place]:
    """Yield the notes of each editor for all workspaces, and those of each workspace."""
    for user in agent_folders.user_folders(around.home, around.env):
        yield from (Place(user / "globalStorage" / name / _VSCODE_INNER, user) for name in _VSCODE_EXTENSIONS)
        for workspace in folders(user / "workspaceStorage"):
            found = [
                workspace / name / _VSCODE_INNER for name in _VSCODE_EXTENSIONS if (workspace / name / _VSCODE_INNER).is_dir()
            ]
            about = read_object(workspace / "workspace.json", workspace) if found else {}
            yield from (Place(place, user, agent_folders.folder_of(about.get("folder")), "project") for place in found)


def vscode_cut(source: Source) -> Iterator[Note]:
    """Yield bullets and paragraphs."""
    for block in blocks(source.text):
        yield Note(block.line, block.text, under=block.under[-1] if block.under else "")


VSCODE = Store(
    name="vscode-copilot",
    agent="vscode-copilot",
    places=vscode_places,
    files=re.compile(r".+\.md"),
    cut=vscode_cut,
    loaded=re.compile(r"[^/]+\.md"),
    most_lines=CLAUDE_LINES,
)
