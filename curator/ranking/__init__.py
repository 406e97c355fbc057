"""Choose the lessons that matter now: rank rows for a question and give reasons.

A logistic model over a few features gives the probability that a lesson is useful now. The features are BM25 of the prompt and
of the open files' names, the lesson's paths, the files that it names, and its length. Then come the lesson's outcomes, changes
of its code, and its age. curator sends few lessons, none twice, and gives a reason for each other one. Paths are matched
without ``fnmatch``'s slow regular expressions.

Hooks run this, so it uses plain classes and only the smallest parts of the standard library.
"""

from __future__ import annotations

from math import exp, log

from curator.text.words import path_terms, terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, Protocol

    class Matches(Protocol):
        """Lessons as ``curator.store.hook_reader`` gathers them."""

        lessons: int
        mean_length: float
        document_frequency: dict[str, int]
        terms: dict[int, dict[str, int]]
        rows: dict[int, tuple[Any, ...]]
        related: list[tuple[str, str]]


READS = {
    "claude-code": ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", ".claude/rules/"),
    "codex": ("AGENTS.md",),
    "qwen": ("QWEN.md", "AGENTS.md"),
    "copilot-cli": ("AGENTS.md", ".github/copilot-instructions.md", ".github/instructions/"),
    "vscode-copilot": ("AGENTS.md", ".github/copilot-instructions.md", ".github/instructions/"),
    "opencode": ("AGENTS.md",),
    "gemini": ("GEMINI.md",),
    "cursor": ("AGENTS.md", ".cursorrules", ".cursor/rules/"),
    "cline": ("AGENTS.md", ".clinerules", ".clinerules/"),
}
"""Agent → the files of a project that it reads by itself, and the folders, by how their names begin."""
WILD = frozenset("*?[{")


def depth(places: list[str], file: str) -> float:
    """Return the depth of the path that contains this file: its folders without wildcards, plus one for the file itself.

    A path after ``=`` is a file that the lesson is about. For another file of its folder, half of the depth counts. 0 means
    that no path contains the file.

    >>> depth(["src/http/**"], "src/http/client.py"), depth(["=src/a.py"], "src/a.py"), depth(["=src/a.py"], "src/b.py")
    (2.0, 2.0, 0.5)
    >>> depth(["**/*.{ts,tsx}"], "web/page.tsx"), depth(["docs/**"], "src/a.py")
    (0.5, 0.0)
    """
    best = 0.0
    parts = file.split("/")
    for place in places:
        if place.startswith("="):
            mine = place[1:].split("/")
            if mine == parts or mine == parts[: len(mine)]:
                best = max(best, float(len(mine)))
            elif len(mine) > 1 and mine[:-1] == parts[:-1]:
                best = max(best, (len(mine) - 1) / 2)
        elif matches(place, parts):
            best = max(best, float(literal(place)) or 0.5)
    return best


def literal(glob: str) -> int:
    """Return how many folders a glob names before its first wildcard."""
    count = 0
    for part in glob.rstrip("/").split("/"):
        if WILD.intersection(part):
            return count
        count += 1
    return count


def matches(glob: str, parts: list[str]) -> bool:
    """Return whether a path, in parts, matches a glob: ``**`` any folders, ``*`` and ``?`` within a name, ``{a,b}`` either.

    A glob without wildcards contains everything below it. One without a slash matches every file of that name.
    """
    for either in _alternatives(glob):
        steps = [part for part in either.split("/") if part]
        if not steps:
            continue
        if "/" not in either.rstrip("/"):
            steps.insert(0, "**")
        if not WILD.intersection(steps[-1]):
            steps.append("**")
        if _fits(steps, parts):
            return True
    return False


def _alternatives(glob: str, most: int = 16) -> list[str]:
    """Return a glob without braces: one for each choice, not more than a few."""
    ready: list[str] = []
    todo = [glob]
    while todo and len(ready) + len(todo) <= most:
        this = todo.pop()
        start = this.find("{")
        end = this.find("}", start)
        if start < 0 or end < 0:
            ready.append(this)
            continue
        todo += [this[:start] + choice + this[end + 1 :] for choice in this[start + 1 : end].split(",")]
    return ready


def _fits(wanted: list[str], parts: list[str]) -> bool:
    """Return whether the parts match, folder by folder. ``**`` may match none. The time is the product of both lengths."""
    reached = {0}
    for part in wanted:
        if part == "**":
            reached = set(range(min(reached), len(parts) + 1)) if reached else reached
        else:
            reached = {at + 1 for at in reached if at < len(parts) and _same(part, parts[at])}
    return len(parts) in reached


def _same(pattern: str, name: str) -> bool:
    """Return whether one name fits one pattern with ``*`` and ``?``."""
    if not WILD.intersection(pattern):
        return pattern == name
    reached = {0}
    for sign in pattern:
        if sign == "*":
            reached = set(range(min(reached), len(name) + 1)) if reached else reached
        else:
            reached = {at + 1 for at in reached if at < len(name) and (sign == "?" or name[at] == sign)}
    return len(name) in reached


K1, B = 2.0, 0.75
"""The constants of BM25, cross-validated: of a word said twice, more counts than is usual."""
MIN_LESSON_COUNT = 60
"""The least number of lessons that a project is taken to have, when rare words are weighed."""
OUTCOMES = 1.0
"""The weight of a lesson's outcomes: at most one upwards, two downwards."""
STALE_PENALTY = {"changed": -0.7, "relocated": -0.2, "gone": -1.5}
"""The penalty of a lesson with changed code, which is sent later and with a note. Edited code costs nothing, because its editor
needs the lesson most.
"""
FADED_PENALTY = -1.5
"""The loss of a temporary lesson once it is old."""
WEIGHTS = {
    "words": 1.13,
    "names": 1.761,
    "best": 1.867,
    "place": 1.23,
    "share": 1.018,
    "elsewhere": -0.751,
    "named file": 0.288,
    "length": -0.508,
}
"""The weight of each feature, in log-odds. ``tests/benchmarks/train_recall.py`` writes it and the next two numbers."""
BIAS = -2.811
SEND_THRESHOLD = 0.28
"""The probability from which a lesson is sent."""
START_BIAS = -1.6
"""The value of a project's lesson at a session's start, below the threshold: nothing is asked there."""
RESTATED_BONUS, PINNED_BONUS = 1.0, 3.0
"""The gain at a session's start of a lesson stated in several sessions, and of a pinned lesson."""


AGAINST = "!"
"""The mark before a lesson that this one may contradict, as ``store.indexes`` writes it."""
COPY = "="
"""The mark before a lesson that says nearly the same, as ``store.indexes`` writes it."""


class Hit:
    """A ranked lesson: ``score`` 0 to 1, its ``parts`` in log-odds, and the ``words`` that it shares with the question.

    ``stating_files``: the project's own files that say the same. ``against``: the lesson that it may contradict, without a
    decision yet. ``group``: the ids of all lessons that say nearly the same. curator sends one of them.
    """

    __slots__ = ("against", "files", "group", "id", "line", "parts", "score", "stale", "stating_files", "words")

    def __init__(
        self,
        id_: str,
        line: str,
        parts: dict[str, float],
        stale: str,
        words: list[str],
        files: list[str],
        stating_files: tuple[str, ...] = (),
    ) -> None:
        self.id = id_
        self.line = line
        self.parts = parts
        self.score = 1.0 / (1.0 + exp(-max(-30.0, min(30.0, sum(parts.values())))))
        self.stale = stale
        self.words = words
        self.files = files
        self.stating_files = stating_files
        self.against = ""
        self.group = frozenset((id_,))


def rank(question: Question, found: Matches, now: float = 0.0) -> list[Hit]:
    """Return the ``found`` lessons, best first. ``now`` is in seconds, for temporary lessons. With 0, age does not count."""
    hits, after = [], {}
    for row, features, words in compute_features(question, found):
        hit = _hit(question, row, features, words, now)
        hits.append(hit)
        for older in row[10].split("\n") if row[10] else ():
            if older.startswith(AGAINST):
                older = hit.against = older[len(AGAINST) :]
            after[older] = hit
    marked = ((id_, one) for id_, relations in found.related for one in relations.split("\n"))
    group_of = group_copies((id_, one[len(COPY) :]) for id_, one in marked if one.startswith(COPY))
    for hit in hits:  # a lesson once replaced, or contradicted, never comes before the later one
        if hit.id in after and hit.score >= after[hit.id].score:
            hit.score = after[hit.id].score * 0.999
        hit.group = group_of.get(hit.id, hit.group)
    hits.sort(key=lambda hit: (-hit.score, hit.id))
    return hits


def group_copies(pairs: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    """Return for each lesson of these pairs the ids of its group: a copy of a copy is in it, too.

    >>> groups = group_copies([("a", "b"), ("c", "d"), ("b", "e")])
    >>> sorted(groups["e"]), sorted(groups["c"])
    (['a', 'b', 'e'], ['c', 'd'])
    """
    groups: dict[str, frozenset[str]] = {}
    for one, other in pairs:
        group = groups.get(one, frozenset((one,))) | groups.get(other, frozenset((other,)))
        groups.update(dict.fromkeys(group, group))
    return groups


def compute_features(question: Question, found: Matches) -> list[tuple[tuple[Any, ...], dict[str, float], list[str]]]:
    """Return each lesson's row, features, and the words that it shares with the prompt.

    words: BM25 of the prompt, divided by ten. names: BM25 of the prompt and the open files' paths, divided by twenty. best:
    names divided by the best lesson's names. place: depth of the folder that lesson and files share, 1 from four folders on.
    share: the share of the open files that lie in a place of the lesson. elsewhere: the lesson has places, and no open file is
    in one. named file: the lesson names an open file. length: logarithm of the number of terms.
    """
    idf = {term: _idf(found, term) for term in found.document_frequency}
    lessons = [(row, *_features(question, found, idf, seq, row)) for seq, row in found.rows.items()]
    best = max([features["names"] for _, features, _ in lessons], default=0.0)
    for _, features, _ in lessons:
        features["best"] = min(1.0, features["names"] / best) if best else 0.0
        features["words"] /= 10.0
        features["names"] /= 20.0
    return lessons


def _features(
    question: Question, found: Matches, idf: Mapping[str, float], seq: int, row: tuple[Any, ...]
) -> tuple[dict[str, float], list[str]]:
    """Return the features of one lesson, and the words that it shares with the prompt."""
    counts = found.terms.get(seq, {})
    long = K1 * (1.0 - B + B * row[5] / found.mean_length)
    gain = {term: idf[term] * times * (K1 + 1.0) / (times + long) for term, times in counts.items()}
    shared = [term for term in question.prompt_terms if term in gain]
    places = row[4].split("\n") if row[4] and question.files else []
    depths = [depth(places, file) for file in question.files]
    share = sum([1 for deep in depths if deep]) / len(depths) if depths else 0.0
    deepest = max(depths, default=0.0)
    return {
        "words": sum([gain[term] for term in shared]),
        "names": sum(gain.values()),
        "place": min(deepest, 4.0) / 4.0,
        "share": share,
        "elsewhere": 1.0 if question.files and row[3] == "paths" and not deepest else 0.0,
        "named file": _names(row[2], question.files),
        "length": log(row[5] + 1.0),
    }, shared


def _idf(found: Matches, term: str) -> float:
    """Return BM25's weight of a term. A word that few lessons all share need not be common elsewhere."""
    have = found.document_frequency[term]
    return log(1.0 + (max(MIN_LESSON_COUNT, found.lessons) - have + 0.5) / (have + 0.5))


def _names(line: str, files: tuple[str, ...]) -> float:
    """Return whether a lesson's words name an open file, or its folder with the one above."""
    line = line.lower()
    best = 0.0
    for file in files:
        parts = file.lower().split("/")
        if parts[-1] in line:
            return 1.0
        if any("/".join(parts[at : at + 2]) in line for at in range(len(parts) - 1)):
            best = 0.7
    return best


def _hit(question: Question, row: tuple[Any, ...], features: dict[str, float], words: list[str], now: float) -> Hit:
    _, id_, _, scope, places, _, outcome_odds, always, fades, stale, _, line, stating = row
    if question.moment == "start":
        parts = {"session start": START_BIAS if scope != "paths" else -9.0}
        parts |= {"stated again": RESTATED_BONUS if always == 1 else 0.0, "pinned": PINNED_BONUS if always == 2 else 0.0}
    else:
        parts = {name: weight * features[name] for name, weight in WEIGHTS.items()}
        parts["base"] = BIAS
    parts["outcome"] = OUTCOMES * outcome_odds
    parts["code"] = STALE_PENALTY.get(stale, 0.0)
    parts["age"] = FADED_PENALTY if fades and now > fades else 0.0
    parts = {name: value for name, value in parts.items() if value}
    files = places.split("\n") if places else []
    return Hit(id_, line, parts, stale, words, files, tuple(stating.split("\n")) if stating else ())


MAX_LESSONS_BY_MOMENT = {"start": 3, "prompt": 3, "file": 2}
"""The number of lessons sent at once."""
LIMITS = {"start": 1_500, "prompt": 1_200, "file": 600}
"""The characters sent at once, markup included: the agent with the smallest limit takes 10,000."""
THRESHOLDS = {"start": SEND_THRESHOLD, "prompt": SEND_THRESHOLD, "file": SEND_THRESHOLD}
"""The probability from which a lesson is sent."""
MARKUP = 90
"""The characters around the lines. ``LINE_OVERHEAD`` are those before each line."""
LINE_OVERHEAD = 14
CONSIDERED = 8
"""The number of the other lessons that a receipt names."""
SENT_EARLIER = "already sent in this session"
LESSON_LIMIT, CHARACTER_LIMIT = "lesson limit reached", "character limit reached"
"""Reasons against a lesson, as ``curator why`` shows them."""
SIGNS_A_TOKEN = 4.4
STALENESS_NOTES = {
    "edited": " (its code has changed since)",
    "changed": " (its code has changed since)",
    "relocated": " (its code has moved since)",
    "gone": " (its code is gone)",
}


def line_of(hit: Hit) -> str:
    """Return the line that is sent for a lesson."""
    return f"{hit.id}: {hit.line}{STALENESS_NOTES.get(hit.stale, '')}"


def tokens(text: str) -> int:
    """Return the approximate number of tokens of a text."""
    return round(len(text) / SIGNS_A_TOKEN)


def choose(
    hits: list[Hit], moment: str, known: set[str] | frozenset[str] = frozenset(), limit: int = 0, agent: str = ""
) -> tuple[list[Hit], list[tuple[Hit, str]]]:
    """Return the lessons to send, and the next best ones with the reason against each.

    ``known``: ids of lessons that were sent before. ``limit``: maximum characters (0: the moment's limit). A lesson that a file
    of the ``agent`` states is not sent. Without an agent it is.
    """
    room = (limit or LIMITS.get(moment, LIMITS["prompt"])) - MARKUP
    most, threshold = MAX_LESSONS_BY_MOMENT.get(moment, 3), THRESHOLDS.get(moment, SEND_THRESHOLD)
    shown: list[Hit] = []
    withheld: list[tuple[Hit, str]] = []
    for hit in hits:
        if len(withheld) >= CONSIDERED and (len(shown) >= most or hit.score < threshold):
            break
        size = len(line_of(hit)) + LINE_OVERHEAD
        file = stating_file(hit.stating_files, agent)
        rival = next(filter(None, (_rivalry(hit, other) for other in shown)), "")
        reason = _withholding_reason(hit, threshold, known, file, rival, len(shown) >= most, size > room)
        if reason:
            withheld.append((hit, reason))
        else:
            shown.append(hit)
            room -= size
    return shown, withheld


def stating_file(files: tuple[str, ...], agent: str) -> str:
    """Return the first of these files that an agent reads by itself; empty for none. ``agent:file``: only that agent reads it.

    >>> stating_file((".cursor/rules/a.mdc", "CLAUDE.md"), "claude-code"), stating_file(("CLAUDE.md",), "codex")
    ('CLAUDE.md', '')
    """
    for file in files:
        if file.startswith(f"{agent}:"):
            return file[len(agent) + 1 :]
        for name in READS.get(agent, ()):
            if file == name or (file.startswith(name) and name.endswith("/")):
                return file
    return ""


def _rivalry(hit: Hit, sent: Hit) -> str:
    """Return the reason why a lesson is not sent together with another one. Return an empty text if it is."""
    if sent.id in hit.group:
        return f"{sent.id} says nearly the same and is sent instead"
    is_rival = sent.id == hit.against or sent.against == hit.id
    return f"conflicts with {sent.id}, which is sent until you decide" if is_rival else ""


def _withholding_reason(
    hit: Hit, threshold: float, known: set[str] | frozenset[str], file: str, rival: str, enough: bool, too_long: bool
) -> str:
    """Return the reason why a lesson is not sent. Return an empty text if it is."""
    if hit.score < threshold:
        return below_threshold(hit.score, threshold)
    if hit.id in known:
        return SENT_EARLIER
    if copy := min(hit.group & known, default=""):
        return f"{copy} says nearly the same and was already sent in this session"
    if file:
        return f"already stated in {file}"
    if rival:
        return rival
    if enough:
        return LESSON_LIMIT
    return CHARACTER_LIMIT if too_long else ""


def below_threshold(score: float, threshold: float) -> str:
    """Return the reason against a lesson with a low score."""
    return f"score {score:.2f} is below the threshold {threshold:.2f}"


START, PROMPT, FILE = "start", "prompt", "file"
"""The moments: a session begins, a person has sent a prompt, a tool is about to use a file or has used it."""
MAX_PROMPT_CHARACTERS = 6_000
"""The number of characters read from both ends of a prompt. Pasted text is in the middle."""
MAX_TERMS = 48
"""The number of different words of a prompt that are looked for, and of the paths' words."""
MAX_FILES = 8


class Question:
    """One question: the moment, the prompt, the open files (relative to the project's folder, with slashes).

    ``prompt_terms`` and ``paths`` are its terms.
    """

    __slots__ = ("files", "moment", "paths", "prompt", "prompt_terms")

    def __init__(self, moment: str, prompt: str = "", files: tuple[str, ...] = ()) -> None:
        self.moment = moment
        self.prompt = (
            prompt
            if len(prompt) <= MAX_PROMPT_CHARACTERS
            else f"{prompt[: MAX_PROMPT_CHARACTERS // 2]} {prompt[-MAX_PROMPT_CHARACTERS // 2 :]}"
        )
        self.files = tuple(files)[:MAX_FILES]
        self.prompt_terms = list(dict.fromkeys(terms(self.prompt)))[:MAX_TERMS]
        self.paths = list(dict.fromkeys(term for file in self.files for term in path_terms(file)))[:MAX_TERMS]

    @property
    def places(self) -> list[str]:
        """Return the open files and every folder above them, in the form of the index."""
        found: dict[str, None] = {}
        for file in self.files:
            parts = file.split("/")
            for end in range(len(parts), 0, -1):
                found["/".join(parts[:end])] = None
        return list(found)
