"""Which lessons matter: through the database, as hooks read it."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from curator.model import Anchor, Change, Drift, Durability, Entry, Evidence, Finding, Role, State, Verb
from curator.ranking import LIMITS, Hit, Question, choose, depth, line_of, matches, rank
from curator.store import hook_reader, indexes
from curator.store.database import Store
from curator.store.deliveries import Outcome
from curator.text.words import terms

Make = Callable[..., Entry]
DAY = 86_400.0


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "c.db")


@pytest.fixture
def lesson(store: Store, make: Make) -> Make:
    def put(text: str, **fields: object) -> Entry:
        entry = make(**({"state": State.ACTIVE, "headline": text, "insight": text} | fields))
        store.apply([(Verb.ADD, Change(before=None, after=entry))], actor="test", at=1.0)
        return entry

    return put


def asked(
    store: Store, prompt: str = "", *files: str, moment: str = "prompt", project: str = "p1", now: float = 0.0
) -> list[Hit]:
    question = Question(moment, prompt, files)
    return rank(question, hook_reader.gather(hook_reader.Table(store.connection, project), question), now)


def change(store: Store, entry: Entry, **fields: object) -> Entry:
    after = entry._replace(**fields)  # type: ignore[arg-type]
    store.apply([(Verb.EDIT, Change(before=entry, after=after))], actor="test", at=2.0)
    return after


def record(store: Store, entry: Entry, kind: str, session: str) -> None:
    with store.transaction():
        store.deliveries.record(
            Outcome(lesson=entry.id, session=session, project="p1", at=1.0, kind=kind, source="report", weight=1.0)
        )


def test_the_lesson_of_the_words_comes_first_and_says_which(store: Store, lesson: Make) -> None:
    right = lesson("Retry uploads with exponential backoff, never in a loop")
    lesson("Render dates in the reader's time zone")
    lesson("Keep migrations reversible")
    best = asked(store, "make the uploader retry")[0]
    assert best.id == right.id
    assert best.words == ["upload", "retri"] or set(best.words) >= {"retri"}
    assert best.parts["words"] > 0


def test_a_lesson_that_took_others_in_weighs_what_it_weighed_before(store: Store, lesson: Make) -> None:
    text = "Retry uploads with exponential backoff, never in a loop"
    rule = lesson(text)
    lesson("Render dates in the reader's time zone")
    before = asked(store, "make the uploader retry")[0].parts
    change(store, rule, supersedes=("AAAA-0009",))
    assert asked(store, "make the uploader retry")[0].parts == before


def test_names_in_any_spelling_meet(store: Store, lesson: Make) -> None:
    right = lesson("parseUserName drops titles", symbols=("Importer.load_rows",))
    lesson("Something about other things")
    for prompt in ("change parse_user_name", "the user name parser", "LoadRows is slow"):
        assert [hit.id for hit in asked(store, prompt) if hit.words] == [right.id]


@pytest.mark.parametrize(
    ("prompt", "files"),
    [("check the auth config", ()), ("", ("src/auth/config.py",)), ("authenticate before the configuration is read", ())],
)
def test_a_short_form_and_the_whole_word_meet(store: Store, lesson: Make, prompt: str, files: tuple[str, ...]) -> None:
    right = lesson("Authentication is set up in one place of the configuration")
    lesson("Author names are contracts: never confirm them by hand")
    assert [hit.id for hit in asked(store, prompt, *files) if set(hit.parts) & {"words", "names"}] == [right.id]


def test_of_two_lessons_with_the_word_the_one_that_says_little_else_comes_first(store: Store, lesson: Make) -> None:
    long = lesson("Uploads run in the worker, which reads the queue, writes a log, keeps a lock and reports when it ends")
    short = lesson("Uploads run in the worker")
    assert [hit.id for hit in asked(store, "where do uploads happen")] == [short.id, long.id]


def test_the_place_at_hand_counts_beside_words(store: Store, lesson: Make) -> None:
    here = lesson("Log errors once", scope="paths", paths=("src/http/**",))
    there = lesson("Log errors twice", scope="paths", paths=("src/jobs/**",))
    assert [hit.id for hit in asked(store, "log errors", "src/http/client.py")] == [here.id, there.id]
    assert [hit.id for hit in asked(store, "log errors", "src/jobs/queue.py")] == [there.id, here.id]


def test_a_file_alone_leads_to_what_was_learnt_there(store: Store, lesson: Make) -> None:
    right = lesson("Flush before close", anchors=(Anchor(path="src/io/sink.py", symbol="Sink.close"),))
    lesson("Another rule", anchors=(Anchor(path="web/page.ts"),))
    hits = asked(store, "", "src/io/sink.py", moment="file")
    assert [hit.id for hit in hits] == [right.id]
    assert choose(hits, "file")[0] == hits


def test_what_has_nothing_to_do_with_it_is_not_told(store: Store, lesson: Make) -> None:
    for number in range(30):
        lesson(f"Topic {number} wants tool {number} and nothing else")
    shown, withheld = choose(asked(store, "thanks, and what does the weather say about tool belts"), "prompt")
    assert shown == []
    assert all("threshold" in reason for _, reason in withheld)
    assert choose(asked(store, ""), "prompt") == ([], [])


def test_other_projects_keep_theirs_and_global_ones_are_everybodys(store: Store, lesson: Make) -> None:
    lesson("zebra rule of two", project="p2")
    everyone = lesson("zebra rule of all", project="p2", scope="global")
    assert [hit.id for hit in asked(store, "zebra rule")] == [everyone.id]
    assert [hit.id for hit in asked(store, "zebra rule", moment="start")] == [everyone.id]


@pytest.mark.parametrize("state", [state for state in State if state is not State.ACTIVE])
def test_only_what_a_person_kept_is_found(store: Store, lesson: Make, state: State) -> None:
    lesson("zebra rule", state=state)
    assert asked(store, "zebra rule") == []
    assert asked(store, moment="start") == []


def test_the_index_follows_decisions(store: Store, lesson: Make) -> None:
    entry = lesson("zebra rule", state=State.OPEN)
    kept = change(store, entry, state=State.ACTIVE)
    assert [hit.id for hit in asked(store, "zebra")] == [entry.id]
    edited = change(store, kept, headline="giraffe rule", insight="giraffe rule")
    assert asked(store, "zebra") == []
    assert [hit.line for hit in asked(store, "giraffe")] == ["“giraffe rule” (kept 2026-05-28)"]
    change(store, edited, state=State.RETIRED)
    assert asked(store, "giraffe") == []


def test_stale_lessons_come_later_and_are_said_to_be_doubtful(store: Store, lesson: Make) -> None:
    stale = lesson("zebra rule", findings=(Finding(path="a.py", drift=Drift.BODY, severity=0.9),))
    sound = lesson("zebra rule")
    gone = lesson("zebra rule", findings=(Finding(path="a.py", drift=Drift.DELETED, severity=0.9),))
    noted = lesson("zebra rule", findings=(Finding(path="a.py", drift=Drift.BODY, severity=0.0),))
    hits = asked(store, "zebra rule")
    assert [hit.id for hit in hits][2:] == [stale.id, gone.id]
    assert {hit.id for hit in hits[:2]} == {sound.id, noted.id}
    assert hits[2].parts["code"] < 0
    assert line_of(hits[2]) == f"{stale.id}: “zebra rule” (kept 2026-05-28) (its code has changed since)"


def test_what_was_replaced_never_comes_before_what_replaced_it(store: Store, lesson: Make) -> None:
    old = lesson("zebra rule of the zebra", files=("zebra.py",))
    new = lesson("the rule", supersedes=(old.id,))
    for prompt in ("zebra", "zebra rule", "zebra zebra rule"):
        ids = [hit.id for hit in asked(store, prompt, "zebra.py")]
        assert new.id not in ids or ids.index(new.id) < ids.index(old.id)


def test_temporary_lessons_fade(store: Store, lesson: Make) -> None:
    entry = lesson("zebra rule", durability=Durability.TEMPORARY, updated=1_000.0)
    fresh, old = (asked(store, "zebra", now=1_000.0 + days * DAY)[0] for days in (13, 15))
    assert fresh.id == old.id == entry.id
    assert fresh.score > old.score
    assert old.parts["age"] < 0


def test_a_session_starts_with_what_is_pinned_was_stated_again_or_has_helped(store: Store, lesson: Make) -> None:
    now = 100 * DAY
    new = lesson("fresh rule", created=now - DAY)
    helped = lesson("good rule", created=now - 50 * DAY)
    pinned = lesson("pinned rule", created=now - 50 * DAY, durability=Durability.PINNED)
    pinned_elsewhere = lesson("rule of a folder", scope="paths", paths=("src/**",), durability=Durability.PINNED)

    def stated(*sessions: str) -> Entry:
        quotes = tuple(Evidence(quote="q", role=Role.HUMAN, file="f", line=1, line_end=1, session=one) for one in sessions)
        return lesson(f"rule of {len(set(sessions))} sessions, {len(sessions)} quotes", evidence=quotes)

    again, once = stated("s1", "s2"), stated("s1", "s1")
    for session in ("s1", "s2"):
        record(store, helped, "helped", session)
    shown, withheld = choose(asked(store, moment="start", now=now), "start")
    assert shown[0].id == pinned.id, "what a person chose comes first"
    assert {hit.id for hit in shown} == {pinned.id, again.id, helped.id}
    assert {new.id, once.id} <= {hit.id for hit, _ in withheld} <= {new.id, once.id, pinned_elsewhere.id}


def test_what_came_of_telling_it_moves_a_lesson(store: Store, lesson: Make) -> None:
    first, second = lesson("zebra rule"), lesson("zebra rule")
    before = [hit.id for hit in asked(store, "zebra")]
    assert set(before) == {first.id, second.id}
    last = first if first.id == before[-1] else second
    record(store, last, "helped", "s1")
    assert [hit.id for hit in asked(store, "zebra")] == before[::-1]
    record(store, last, "hurt", "s2")
    record(store, last, "hurt", "s3")
    assert [hit.id for hit in asked(store, "zebra")] == before
    with store.transaction():
        assert store.deliveries.reset() == 3
    assert all("outcomes" not in hit.parts for hit in asked(store, "zebra"))


def test_nothing_is_told_twice_nor_cut_nor_beyond_the_budget(store: Store, lesson: Make) -> None:
    for number in range(6):
        lesson(f"zebra queue retry import {number} " + "zebra queue retry import " * 15)
    hits = asked(store, "the zebra queue should retry its import")
    shown, withheld = choose(hits, "prompt")
    assert 0 < len(shown) < 3
    assert sum(len(line_of(hit)) for hit in shown) <= LIMITS["prompt"]
    assert "character limit reached" in {reason for _, reason in withheld}
    again, reasons = choose(hits, "prompt", {hit.id for hit in shown})
    assert not {hit.id for hit in again} & {hit.id for hit in shown}
    assert "already sent in this session" in {reason for _, reason in reasons}


words = st.lists(st.sampled_from("zebra rule import parse queue retry cache".split()), max_size=6).map(" ".join)
files = st.lists(st.sampled_from(["a.py", "src/b.py", "src/http/c.py"]), max_size=2).map(tuple)


@given(texts=st.lists(st.tuples(words, files, st.booleans()), max_size=8), prompt=words, near=files)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_an_index_made_anew_is_the_same(
    tmp_path_factory: pytest.TempPathFactory,
    make: Make,
    texts: list[tuple[str, tuple[str, ...], bool]],
    prompt: str,
    near: tuple[str, ...],
) -> None:
    with closing(Store(tmp_path_factory.mktemp("db") / "c.db")) as store:
        for text, of, kept in texts:
            entry = make(headline=text or "-", insight=text, files=of)
            store.apply([(Verb.PROPOSE, Change(before=None, after=entry))], actor="test", at=1.0)
            if kept:
                change(store, entry, state=State.ACTIVE)
        before = [(hit.id, hit.parts) for hit in asked(store, prompt, *near)]
        with store.transaction():
            indexes.rebuild_ranking(store.connection)
        assert [(hit.id, hit.parts) for hit in asked(store, prompt, *near)] == before


def test_a_word_without_end_is_left_as_it_is() -> None:
    for word in (f"b{'y' * 3_000}ing", f"{'y' * 3_000}ational"):
        assert terms(word) == [word]


# --- globs ------------------------------------------------------------------------------------------------------------

NAMES = st.text(alphabet="ab.*?", min_size=1, max_size=4).filter(lambda name: name.strip(".") and "**" not in name)
GLOBS = st.lists(NAMES | st.just("**"), min_size=2, max_size=5)
PATHS = st.lists(st.text(alphabet="ab.", min_size=1, max_size=4).filter(lambda name: name.strip(".")), min_size=1, max_size=5)


@given(glob=GLOBS, path=PATHS)
def test_it_matches_what_a_regular_expression_does(glob: list[str], path: list[str]) -> None:
    if not set("*?").intersection(glob[-1]):
        glob = [*glob, "**"]  # here a glob without wildcards at its end has what lies below
    parts = [".*" if part == "**" else re.escape(part).replace(r"\*", "[^/]*").replace(r"\?", "[^/]") for part in glob]
    pattern = "".join(part + "/" if part != ".*" else "(?:[^/]+/)*" for part in parts)
    expected = re.fullmatch(pattern, "/".join(path) + "/") is not None
    assert matches("/".join(glob), path) == expected


@pytest.mark.parametrize(
    ("glob", "file", "deep"),
    [
        ("src/http/**", "src/http/a/b.py", 2.0),
        ("src/http", "src/http/a.py", 2.0),
        ("src/http/", "src/http/a.py", 2.0),
        ("src/**/*.ts", "src/deep/down/a.ts", 1.0),
        ("*.{ts,tsx}", "web/a.tsx", 0.5),
        ("*.ts", "web/a.tsx", 0.0),
        ("=src/a.py", "src/a.py", 2.0),
        ("=src/a.py", "src/b.py", 0.5),
        ("=src", "src/b.py", 1.0),
        ("=setup.py", "other.py", 0.0),
        ("", "src/a.py", 0.0),
        ("{" * 60, "a", 0.0),
        ("*" * 60 + "x", "a" * 60, 0.0),
    ],
)
def test_the_deeper_the_place_the_more_it_says(glob: str, file: str, deep: float) -> None:
    assert depth([glob], file) == deep
