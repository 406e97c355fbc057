"""Read lessons for hooks: read-only, with a short wait and little of the standard library."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    class Request(Protocol):
        """A search: the terms of the prompt and of paths, the places, and the moment."""

        prompt_terms: list[str]
        paths: list[str]
        moment: str

        @property
        def places(self) -> list[str]:
            """Return the open files and the folders above them."""


try:  # The package also imports dates, which hooks do not need.
    import _sqlite3 as sqlite3
except ImportError:  # pragma: no cover - an interpreter that builds it otherwise
    import sqlite3  # type: ignore[no-redef]

Error = sqlite3.Error
MAX_WEIGHED_LESSONS = 48
"""Maximum number of lessons that are scored by their words. The lessons for an open file or folder are added."""
MAX_RARE_LESSONS = 400
"""The number of lessons with the rarest words that are enough to choose from."""
PLACED = 200
"""The number of lessons at the open places that are scored, deepest places first."""
COLUMNS = "seq, id, line, scope, places, length, outcome_odds, always, fades, stale, after, message"
"""The columns of a lesson. After them come, one per line, the files of the asking project that say the same."""


class Retrieval:
    """The lessons that may matter: their number, mean length, terms and rows.

    ``document_frequency``: {term: the number of lessons with it}. ``related``: (id, relations) of all lessons that have some,
    because a lesson that links two copies may not matter itself. ``terms``: {lesson's number: {term: how often}}. ``rows``:
    {lesson's number: tuple in the order of ``COLUMNS``, then the files that say the same}.
    """

    __slots__ = ("document_frequency", "lessons", "mean_length", "related", "rows", "terms")

    def __init__(
        self,
        lessons: int,
        mean_length: float,
        document_frequency: dict[str, int],
        terms: dict[int, dict[str, int]],
        rows: dict[int, tuple[Any, ...]],
        related: list[tuple[str, str]],
    ) -> None:
        self.lessons = lessons
        self.mean_length = mean_length
        self.document_frequency = document_frequency
        self.terms = terms
        self.rows = rows
        self.related = related


MAX_LOCK_SECONDS = 0.1
"""Maximum seconds to wait for a process that locks the database."""


class HookReader:
    """A connection that only reads. Raises ``OSError`` if there is no database, ``Error`` for one that can't be read.

    All reads through it see one state of the database. Only the first statement may have to wait.
    """

    def __init__(self, path: str) -> None:
        from os import stat

        for name in (path, f"{path}-wal"):
            try:
                found = stat(name)
            except FileNotFoundError:
                if name == path:
                    raise
                continue
            # A pipe would never answer. SQLite deletes the log of an empty file, although it may contain the last changes.
            if found.st_mode & 0o170000 != 0o100000:
                raise OSError(f"{name} is no database")
            if name == path and not found.st_size:
                raise sqlite3.OperationalError("no such table: the file is empty")
        quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        self.connection = sqlite3.connect(f"file:{quoted}?mode=ro", uri=True, timeout=MAX_LOCK_SECONDS, isolation_level=None)
        # One byte that is no UTF-8 costs its letter, not every lesson: see ``rows.lenient``, which would cost its imports.
        self.connection.text_factory = lambda raw: str(raw, "utf-8", "replace")
        self.connection.execute("BEGIN")

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def project(self, folder: str) -> tuple[str, str] | None:
        """Return (id, folder) of the project around a folder, from the known folders. Return ``None`` if there is none."""
        above = []
        while folder and folder not in above:
            above.append(folder)
            folder = folder.rpartition("/")[0] or ("/" if folder != "/" else "")
        marks = ", ".join("?" * len(above))
        rows = self.connection.execute(
            f"SELECT project, folder FROM folders WHERE folder IN ({marks}) ORDER BY length(folder) DESC LIMIT 1", above
        ).fetchall()
        return rows[0] if rows else None

    def of_remote(self, remote: str) -> str:
        """Return the id of the only project with this remote. Return an empty text if there is none, or several."""
        rows = self.connection.execute("SELECT id FROM projects WHERE remote = ? LIMIT 2", (remote,)).fetchall()
        return rows[0][0] if len(rows) == 1 else ""

    def waiting(self, project: str, now: float, cap: int, tier: int) -> dict[str, int]:
        """Return the counts of a project's inbox by kind, with at most ``cap`` candidates per session (0: all) up to a
        ``tier``.
        """
        rows = self.connection.execute(
            """SELECT kind, count(*) FROM entries
               WHERE waits = 1 AND project = ? AND tier <= ? AND (snoozed_until IS NULL OR snoozed_until <= ?)
                 AND (place < ? OR kind != 'candidate') GROUP BY kind""",
            (project, tier, now, cap or 1 << 62),
        )
        return dict(rows.fetchall())

    def gather(self, project: str, question: Request) -> Retrieval:
        """Return the lessons of a project, and global ones, that a question may be about: see ``gather``."""
        return gather(Table(self.connection, project), question)


class Table:
    """The lessons of a project as the database has them, by number."""

    __slots__ = ("connection", "project")

    def __init__(self, connection: Any, project: str) -> None:
        self.connection = connection
        self.project = project

    def size(self) -> tuple[int, float]:
        """Return how many lessons there are, and how many terms one has in the mean."""
        lessons, length = self.connection.execute(
            "SELECT count(*), coalesce(avg(length), 1.0) FROM lessons WHERE project IN (?, '')", (self.project,)
        ).fetchone()
        return lessons, length

    def counts(self, asked: list[str]) -> dict[str, int]:
        """Return the number of lessons with each of these terms. Terms without a lesson are left out."""
        marks = ", ".join("?" * len(asked))
        counts = self.connection.execute(
            f"SELECT term, count(*) FROM lesson_terms WHERE term IN ({marks}) AND project IN (?, '') GROUP BY term",
            (*asked, self.project),
        )
        return dict(counts.fetchall())

    def lessons(self, term: str, among: dict[int, float] | None) -> dict[int, int]:
        """Return how often each lesson has a term, for all lessons with the term or at least for these."""
        these = "" if among is None else f" AND lesson IN ({', '.join(map(str, among))})"
        found = self.connection.execute(
            f"SELECT lesson, times FROM lesson_terms WHERE term = ? AND project IN (?, ''){these}", (term, self.project)
        )
        return dict(found.fetchall())

    def at(self, places: list[str]) -> list[int]:
        """Return those of these places, deepest first."""
        if not places:
            return []
        marks = ", ".join("?" * len(places))
        found = self.connection.execute(
            f"""SELECT lesson FROM lesson_places WHERE place IN ({marks}) AND project IN (?, '')
                ORDER BY length(place) DESC, place, project, lesson LIMIT {PLACED}""",
            (*places, self.project),
        )
        return [lesson for (lesson,) in found.fetchall()]

    def best(self) -> list[int]:
        """Return the strongest lessons for the whole project: pinned, repeated, or useful when sent."""
        found = self.connection.execute(
            f"""SELECT seq FROM lessons WHERE project IN (?, '') AND scope != 'paths'
                ORDER BY always DESC, outcome_odds DESC, seq DESC LIMIT {MAX_WEIGHED_LESSONS}""",
            (self.project,),
        )
        return [seq for (seq,) in found.fetchall()]

    def related(self) -> list[tuple[str, str]]:
        """Return the id and the relations of each lesson that has some."""
        found: list[tuple[str, str]] = self.connection.execute(
            "SELECT id, after FROM lessons WHERE project IN (?, '') AND after != ''", (self.project,)
        ).fetchall()
        return found

    def rows(self, chosen: dict[int, None]) -> list[tuple[Any, ...]]:
        """Return these lessons: see ``Retrieval``."""
        marks = ", ".join("?" * len(chosen))
        found: list[tuple[Any, ...]] = self.connection.execute(
            f"""SELECT {COLUMNS}, (SELECT coalesce(group_concat(file, char(10)), '') FROM stating_files AS own
                                   WHERE own.lesson = lessons.id AND own.project = ?)
                FROM lessons WHERE seq IN ({marks})""",
            [self.project, *chosen],
        ).fetchall()
        return found


def gather(index: Table, question: Request) -> Retrieval:
    """Return lessons that share words or a place with the question. At a session's start, return the strongest ones.

    This search is wide and cheap: lessons with the rarest shared words, and those of the places. ``curator.ranking``
    scores them.
    """
    lessons, length = index.size()
    if not lessons:
        return Retrieval(0, 1.0, {}, {}, {}, [])
    document_frequency = index.counts(list(dict.fromkeys((*question.prompt_terms, *question.paths))))
    have, weights = _weigh(index, document_frequency, lessons)
    chosen = _heaviest(weights)
    chosen.update(dict.fromkeys(index.at(question.places)))
    if question.moment == "start":
        chosen.update(dict.fromkeys(index.best()))
    terms: dict[int, dict[str, int]] = {lesson: {} for lesson in chosen}
    known = chosen.keys() & weights.keys()
    for term, times in have:
        for lesson in times.keys() & known:
            terms[lesson][term] = times[lesson]
    rows = {row[0]: row for row in index.rows(chosen)}
    return Retrieval(lessons, length, document_frequency, terms, rows, index.related() if rows else [])


def _weigh(
    index: Table, document_frequency: dict[str, int], lessons: int
) -> tuple[list[tuple[str, dict[int, int]]], dict[int, float]]:
    """Return how often each lesson has each term, rarest first, and how many rare terms each lesson has.

    Once the rarest terms have led to enough lessons, the other terms are looked up only in these. A frequent word finds nothing
    by itself but still counts.
    """
    weights: dict[int, float] = {}
    have = []
    for term in sorted(document_frequency, key=lambda term: (document_frequency[term], term)):
        among = weights if len(weights) >= MAX_RARE_LESSONS else None
        times = index.lessons(term, among)
        have.append((term, times))
        rarity = (lessons / document_frequency[term]) ** 0.5
        for lesson in times if among is None else times.keys() & among.keys():
            weights[lesson] = weights.get(lesson, 0.0) + rarity
    return have, weights


def _heaviest(weights: dict[int, float]) -> dict[int, None]:
    """Return the lessons with the most weight, with equal weight the first."""
    if len(weights) <= MAX_WEIGHED_LESSONS:
        return dict.fromkeys(weights)
    least = sorted(weights.values())[-MAX_WEIGHED_LESSONS]
    heavy = [lesson for lesson, weight in weights.items() if weight > least]
    equal = sorted([lesson for lesson, weight in weights.items() if weight == least])
    return dict.fromkeys(heavy + equal[: MAX_WEIGHED_LESSONS - len(heavy)])
