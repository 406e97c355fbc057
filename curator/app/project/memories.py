"""The audit of agents' own notes: it compares them with the code, the rules files and one another.

It reads no database and writes nothing. Precision counts more than completeness, since each finding costs a person's attention.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path

from curator import code, comparison, memories, rules
from curator.app.agents.agent_files import agent_texts, text_of
from curator.clock import iso
from curator.io import git
from curator.memories import Note, Source, Store, Surroundings
from curator.model import JSON
from curator.ranking import tokens
from curator.text import redact
from curator.text.markdown import line_numbers
from curator.text.statement import cut
from curator.text.words import runs

MAX_STATEMENT_CHARACTERS = 400
"""Maximum characters of a note that is compared word by word. For a longer note, its headline is compared."""
MAX_DATED = 1_000
"""Files of a work tree for which git is asked when they were written."""
MAX_RULES = 2_000
"""Rules of one project that notes are compared with."""
_SPLIT = re.compile(
    r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*+•>#]|\d{1,3}[.)])[ \t])|(?<=[.!?;])[*_`\"')]*\s+(?=[\"'(*_`]*[A-Z])|(?<=[。！？])"
)
"""The places between the sentences and the items of a text."""


@dataclass(frozen=True, slots=True)
class Gone:
    """A missing path, or a missing symbol in it, that a note names. The commit is empty if none is known."""

    path: str
    symbol: str
    commit: str
    moved: str = ""
    """The new path. It is empty if there is none."""

    def __str__(self) -> str:
        end = f"in {self.commit}" if self.commit else "gone"
        return (
            f"{self.symbol or self.path} ({f'moved to {self.moved} ' if self.moved else 'removed ' * bool(self.commit)}{end})"
        )


@dataclass(frozen=True, slots=True)
class Audited:
    """A note and its findings. They name other notes and rules as ``path:line``."""

    note: Note
    tokens: int
    status: bool
    stale: tuple[Gone, ...] = ()
    contradicts: tuple[str, ...] = ()
    repeats: tuple[str, ...] = ()
    partly: tuple[str, ...] = ()
    """The rule that half of the note repeats."""

    @property
    def weight(self) -> int:
        """Return the urgency of the note: secrets first, then contradictions, gone code, repeats and reports of progress."""
        found = (self.note.secret, bool(self.contradicts), bool(self.stale), bool(self.repeats or self.partly), self.status)
        return sum(is_found << (4 - at) for at, is_found in enumerate(found)) * 100 + min(len(self.stale), 99)

    @property
    def is_finding(self) -> bool:
        """Return whether the note is wrong or dangerous: gone code, a contradiction or a secret."""
        return bool(self.note.secret or self.contradicts or self.stale)


@dataclass(slots=True)
class Group:
    """The notes of one store for one project, with the part that an agent reads at each start, and the lines beyond its
    limit.
    """

    store: str
    project: str
    notes: list[Audited] = field(default_factory=list)
    start: int = 0
    beyond: int = 0

    def counts(self) -> dict[str, int]:
        """Return how many notes have each finding."""
        return {
            "stale": sum(bool(one.stale) for one in self.notes),
            "contradicting": sum(bool(one.contradicts) for one in self.notes),
            "repeated": sum(bool(one.repeats or one.partly) for one in self.notes),
            "status": sum(one.status for one in self.notes),
            "secrets": sum(one.note.secret for one in self.notes),
        }

    @property
    def oldest(self) -> float:
        """Return the time of the oldest note. Return 0 if no note has a time."""
        return min((one.note.at for one in self.notes if one.note.at), default=0.0)

    def kinds(self) -> Counter[str]:
        """Return how many notes there are of each kind."""
        return Counter(one.note.kind for one in self.notes)


@dataclass(frozen=True, slots=True)
class Audit:
    """Everything that was found: groups of notes, a sentence for each file that was left out, and where curator looked."""

    groups: tuple[Group, ...]
    skipped: tuple[str, ...]
    looked: tuple[Path, ...]
    repo: Path
    """The top of the work tree whose notes were read."""

    @property
    def notes(self) -> list[Audited]:
        """Return every note, by store and project."""
        return [one for group in self.groups for one in group.notes]

    def counts(self) -> dict[str, int]:
        """Return how many notes have each finding."""
        return Group("", "", self.notes).counts()

    def worst(self, most: int) -> list[Audited]:
        """Return the notes that need a look most."""
        found = [one for one in self.notes if one.weight]
        return sorted(found, key=lambda one: (-one.weight, str(one.note.path), one.note.line))[:most]


def audit(home: Path, env: Mapping[str, str], repo: Path, project: str = "", *, changed: Set[Path] | None = None) -> Audit:
    """Read every note of a home folder and of the work tree around ``repo``, and check each one.

    ``project`` is a folder that limits the notes to its project. With ``changed`` files, only their notes and those for the
    same projects are checked. The others are only read.
    """
    top = Path(git.work_tree(repo) or repo.absolute())
    found = memories.find(memories.STORES, Surroundings(home, env, top))
    written = _written(top, [source.path for _, source in found.sources if source.place.shared])
    groups: dict[tuple[str, str], Group] = {}
    notes: dict[str, Note] = {}
    for store, source in found.sources:
        for note in store.notes(replace(source, at=written.get(source.path, source.at))):
            notes.setdefault(place(note), note)
        _count_start(groups, store, source)
    wanted = os.path.realpath(git.work_tree(project) or project) if project else ""
    for one in _judge(notes, {note.project for note in notes.values() if changed is None or note.path in changed}):
        group = groups.setdefault((one.note.store, one.note.project), Group(one.note.store, one.note.project))
        group.notes.append(one)
    kept = [group for group in groups.values() if not wanted or os.path.realpath(group.project or os.sep) == wanted]
    kept = sorted((group for group in kept if group.notes or group.start), key=lambda group: (group.store, group.project))
    looked = dict.fromkeys(one.path for one in found.looked)
    return Audit(tuple(kept), tuple(map(redact.clean, found.skipped)), tuple(looked), top)


def _written(top: Path, paths: Sequence[Path]) -> dict[Path, float]:
    """Return the time of the last commit for each file of a work tree. A file's own time is that of the checkout."""
    names = [path.relative_to(top).as_posix() for path in paths]
    options = ("-m", "--first-parent", "--name-only", "-z", "--format=%x01%ct", "--")
    answer = git.ask(top, "log", *options, *names[:MAX_DATED]) if names else None
    found: dict[Path, float] = {}
    for part in (answer or "").split("\1")[1:]:
        at, *changed = part.split("\0")
        for name in changed:
            found.setdefault(top / name.strip("\n"), float(at))
    return found


def _count_start(groups: dict[tuple[str, str], Group], store: Store, source: Source) -> None:
    """Add to a group the part of a file that an agent reads at each start."""
    text, beyond = store.start(source)
    if text:
        key = (store.name, source.place.project)
        group = groups.setdefault(key, Group(*key))
        group.start += tokens(text)
        group.beyond += beyond


def place(note: Note) -> str:
    """Return the place of a note as ``path:line``."""
    return f"{note.path}:{note.line}"


def _judge(notes: Mapping[str, Note], projects: Set[str]) -> Iterator[Audited]:
    """Yield each note with its findings, in order. Notes for other projects get none."""
    by_project: dict[str, dict[str, Note]] = {}
    for id_, note in notes.items():
        by_project.setdefault(note.project, {})[id_] = note
    stale: dict[str, tuple[Gone, ...]] = {}
    repeats: dict[str, str] = {}
    contradicts: dict[str, list[str]] = {}
    partly: dict[str, str] = {}
    for folder, mine in ((folder, by_project[folder]) for folder in by_project if folder in projects):
        known, said = dict[str, str](), dict[str, str]()
        if os.path.isabs(folder) and os.path.isdir(folder):
            stale |= _stale(folder, mine)
            lines = ((note.path, note.line + below) for note in mine.values() for below in range(note.text.count("\n") + 1))
            known, said = _rules(folder, {f"{path}:{line}" for path, line in lines})
        # A bullet of an index repeats the file that it names, not the other way round.
        together = dict(sorted((by_project.get("", {}) | mine).items(), key=lambda pair: pair[1].kind == "inline"))
        statements = known | {id_: statement(note) for id_, note in together.items()}
        repeats |= _repeats(together, statements)
        sentences = {id_: frozenset(words for _, words in _sentences(note.text)) for id_, note in together.items()}
        repeats |= _contained(together, sentences, said, repeats)
        partly |= {id_: place for id_, mine in sentences.items() if (place := _half(mine, said))}
        for one, other, _ in comparison.conflicts(statements):
            contradicts.setdefault(one, []).append(_place(other))
            contradicts.setdefault(other, []).append(_place(one))
    for id_, note in notes.items():
        yield Audited(
            note=note,
            tokens=tokens(note.whole),
            status=memories.is_status(note),
            stale=stale.get(id_, ()),
            contradicts=tuple(dict.fromkeys(contradicts.get(id_, ()))),
            repeats=(repeats[id_],) if id_ in repeats else (),
            partly=(partly[id_],) if id_ in partly and id_ not in repeats else (),
        )


def statement(note: Note) -> str:
    """Return the words of a note that are compared: all of a short one, the headline of a long one."""
    return note.text if len(note.text) <= MAX_STATEMENT_CHARACTERS else note.title[:MAX_STATEMENT_CHARACTERS]


def _stale(folder: str, notes: Mapping[str, Note]) -> dict[str, tuple[Gone, ...]]:
    """Return the files and symbols that no longer exist, among those that a project's notes name."""
    texts = {id_: note.whole.replace(f"{folder}/", "") for id_, note in notes.items()}
    named = {id_: [(path, "") for path in code.named_paths(text)] for id_, text in texts.items()}
    symbols = {id_: list(code.named_symbols(text)) for id_, text in texts.items()}
    gone = code.missing_paths(Path(folder), (path for places in named.values() for path, _ in places))
    lost = code.missing_symbols(Path(folder), (place for places in symbols.values() for place in places))
    what = {(path, ""): Gone(path, "", *loss) for path, loss in gone.items()}
    what |= {place: Gone(*place, commit) for place, commit in lost.items()}
    found = {id_: tuple(what[one] for one in (*named[id_], *symbols[id_]) if one in what) for id_ in texts}
    return {id_: places for id_, places in found.items() if places}


def _rules(folder: str, notes: Set[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the rules that agents read in a project by themselves, and the places of all sentences of their files.

    It leaves out imported files and ``notes``, the places of an agent's notes in such a file. Several rules on one line have
    separate keys, which ``_place`` maps to the place.
    """
    found, said = dict[str, str](), dict[str, str]()
    for name, _ in agent_texts(Path(folder)):
        path = Path(folder, name)
        text = redact.clean(text_of(Path(folder), path))
        for rule in rules.read(text) if len(found) < MAX_RULES else ():
            if f"{path}:{rule.line}" not in notes:
                found[f"{path}:{rule.line}\0{len(found)}"] = rule.statement
        line_of = line_numbers(text)
        for begin, sentence in _sentences(text):
            if (place := f"{path}:{line_of(begin)}") not in notes:
                said.setdefault(sentence, place)
    return found, said


def _place(key: str) -> str:
    return key.partition("\0")[0]


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield the words of each item and sentence of a text, without marks and capitals, and where it begins."""
    begin = 0
    for stop, end in (*(found.span() for found in _SPLIT.finditer(text)), (len(text), len(text))):
        if words := " ".join(runs(text[begin:stop].lower())):
            yield begin, words
        begin = end


def _repeats(notes: Mapping[str, Note], statements: Mapping[str, str]) -> dict[str, str]:
    """Return the places of a rule or an earlier note that says the same, for each short note."""
    short = {id_: text for id_, text in statements.items() if id_ not in notes or text == notes[id_].text}
    return {id_: _place(other) for id_, other in comparison.repeats(short).items()}


def _half(mine: Iterable[str], said: Mapping[str, str]) -> str:
    """Return where the rules files say half of a note. Return an empty text if they don't."""
    shared = [sentence for sentence in mine if sentence in said]
    is_half = shared and 2 * len(" ".join(shared)) >= len(" ".join(mine))
    return said[max(shared, key=lambda one: (len(one), one))] if is_half else ""


def _contained(
    notes: Mapping[str, Note], parts: Mapping[str, frozenset[str]], said: Mapping[str, str], repeats: Mapping[str, str]
) -> dict[str, str]:
    """Return the places that contain every sentence of a note, for each other note. They lie in the rules files or in one
    note.
    """
    holders: dict[str, list[str]] = {}
    for id_, mine in parts.items():
        for sentence in mine:
            holders.setdefault(sentence, []).append(id_)
    found, first, repeated = dict[str, str](), dict[frozenset[str], str](), set(repeats.values())
    for id_, mine in parts.items():
        if not mine or id_ in repeats or id_ in repeated:
            continue
        if mine <= said.keys():
            found[id_] = min(said[sentence] for sentence in mine)
        elif first.setdefault(mine, id_) != id_:
            found[id_] = first[mine]
        else:
            fewest = min((holders[sentence] for sentence in mine), key=len)
            whole = (other for other in fewest if mine < parts[other] and notes[other].kind != "inline")
            if other := next(whole, ""):
                found[id_] = other
    return found


def row(one: Audited) -> JSON:
    """Return a note as the object that ``curator memories --json`` prints."""
    note = one.note
    return {
        "agent": note.agent,
        "store": note.store,
        "path": str(note.path),
        "line": note.line,
        "kind": note.kind,
        "project": note.project,
        "scope": note.scope,
        "headline": cut(note.title, 160),
        "text": note.text,
        "why": note.why,
        "session": note.session,
        "updated": iso(note.at) if note.at else None,
        "tokens": one.tokens,
        "status": one.status,
        "stale": [{"path": gone.path, "symbol": gone.symbol, "commit": gone.commit} for gone in one.stale],
        "contradicts": list(one.contradicts),
        "repeats": [*one.repeats, *one.partly],
        "secret": note.secret,
    }


def summary(found: Audit) -> JSON:
    """Return the last object of ``curator memories --json``: counts over all notes, and the omitted parts."""
    return {
        "summary": {
            "notes": len(found.notes),
            "files": len({one.note.path for one in found.notes}),
            "tokens": sum(one.tokens for one in found.notes),
            "start_tokens": sum(group.start for group in found.groups),
            "beyond_limit": sum(group.beyond for group in found.groups),
            **found.counts(),
            "stores": [
                {"store": group.store, "project": group.project, "notes": len(group.notes), "start_tokens": group.start}
                for group in found.groups
            ],
            "skipped": list(found.skipped),
        }
    }
