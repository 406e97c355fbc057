"""A model reads sessions: what is asked, what becomes of the cards, what a stop or a fault leaves."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from curator import app, curate, plugins
from curator.app import Curator, distill, statistics
from curator.distill import digest
from curator.distill.digest import MARKER
from curator.errors import CuratorError, UnknownId
from curator.hookspecs import MakeDistiller, hookimpl
from curator.model import FROM_FILE, IN_AGENT, WISH, Category, Change, Entry, Evidence, Kind, Relating, Role, State, Verb
from curator.settings import DAY_SECONDS
from tests.app.conftest import Make, Open, killed, put, scanned, waiting
from tests.conftest import Clock
from tests.files import git
from tests.transcripts import transcript_records as records

VENDOR = "no, never edit vendor/ by hand, always change `sync.toml` instead: the nightly sync overwrites it"
GEN = "and never touch gen/"
CHOSEN = {
    "kind": "constraint",
    "headline": "Change `sync.toml`, never `vendor/`",
    "insight": "The nightly sync overwrites `vendor/`; change `sync.toml` instead of editing it by hand.",
    "line": 3,
    "quote": "never edit vendor/ by hand, always change `sync.toml` instead",
    "worth": 3,
    "candidate": "C1",
}
NEW = {
    "kind": "tooling",
    "headline": "Run `make db` before the tests",
    "insight": "The tests need `make db` first, or they find no schema.",
    "line": 5,
    "quote": "the tests find no schema without `make db`",
    "worth": 2,
    "candidate": None,
}
MAKE_DB = str(NEW["headline"])
KNOWN = "Let the nightly sync write vendor/, change `sync.toml`"
CONTRARY = "Edit `vendor/` by hand where the nightly sync is late"


class Model:
    """A distiller that answers what a test wants, and remembers what it was asked."""

    model = "small by test"

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.replies: list[object] = []

    def answer(self, prompt: str) -> str:
        self.asked.append(prompt)
        reply = self.replies[min(len(self.asked), len(self.replies)) - 1] if self.replies else []
        if isinstance(reply, Exception):
            raise reply
        reply = reply() if callable(reply) else reply
        return reply if isinstance(reply, str) else json.dumps(reply)


@pytest.fixture
def model() -> Iterator[Model]:
    one = Model()

    class Plugin:
        @hookimpl
        def register_distillers(self, register: Callable[[str, MakeDistiller], None]) -> None:
            register("test", lambda settings: one)

    plugin = Plugin()
    plugins.manager().register(plugin)
    yield one
    plugins.manager().unregister(plugin)


def session(root: Path, name: str, folder: Path, *extra: str) -> Path:
    """A session in which a person corrects an agent and the agent finds something out."""
    said = [
        records.user("fix the timeout in vendor/lib/http.py"),
        records.assistant(records.text("I edited vendor/lib/http.py.")),
        records.user(VENDOR),
        records.assistant(records.text("Understood.")),
        records.assistant(records.text("By the way, the tests find no schema without `make db`, so it runs first.")),
        *(records.user(text) for text in extra),
    ]
    told = [record | {"sessionId": name, "cwd": str(folder), "uuid": f"{name}-{at}"} for at, record in enumerate(said)]
    return records.write(root / "projects" / "-app" / f"{name}.jsonl", *told)


def moved(file: Path, folder: Path, *lines: int) -> None:
    """Have some lines of a session said in another folder."""
    told = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    records.write(file, *(line | {"cwd": str(folder)} if at in lines else line for at, line in enumerate(told)))


@pytest.fixture
def curator(opened: Open, root: Path, work: Path) -> Curator:
    """An open database that has read one session, whose distiller is the model of the test."""
    session(root, "s-1", work)
    one = opened(distiller="test", export=False)
    scanned(one, root)
    return one


@pytest.fixture
def here(curator: Curator) -> Curator:
    """The same, in its project."""
    (curator.project,) = curator.projects().values()
    return curator


@pytest.fixture
def make(make: Make, curator: Curator) -> Make:
    (project,) = curator.projects()
    return lambda **fields: make(**{"project": project, "session": "s-1"} | fields)


Hear = Callable[..., None]


@pytest.fixture
def hear(curator: Curator, root: Path, work: Path) -> Hear:
    """Have more sessions read, each with words of its own."""

    def heard(*names: str) -> None:
        for name in names:
            session(root, name, work, f"{GEN} by hand, says {name}")
        scanned(curator, root)

    return heard


def read(curator: Curator, **how: Any) -> distill.Distillation:
    return distill.run(curator, distill.plan(curator, **how))


def planned(curator: Curator, **how: Any) -> list[str]:
    return [one.id for one in distill.plan(curator, **how).sessions]


def test_a_small_window_gives_more_parts_read_once(here: Curator, opened: Open, root: Path, work: Path, model: Model) -> None:
    session(root, "s-2", work, *(f"{at} is the number of {'words ' * 120}" for at in range(40)))
    scanned(here, root)
    small = opened(distiller="test", export=False, distill_context=5_000)
    small.project = here.project
    (one,), (many,) = ([x.tokens for x in distill.plan(it, session="s-2").sessions] for it in (here, small))
    assert len(one) == 1
    assert len(many) > 3
    read(small, session="s-2")
    assert len(model.asked) == len(many)
    assert all(digest.tokens(asked) + digest.ANSWER <= 5_000 for asked in model.asked)
    assert planned(here) == planned(small) == ["s-1"]


def cards(curator: Curator, *, rest: bool = False) -> dict[str, Entry]:
    found = curator.lessons.entries(curator.lessons.waiting(Kind.CANDIDATE, rest=rest))
    return {entry.headline: entry for entry in found}


def conflict(curator: Curator) -> Entry:
    (found,) = curator.lessons.entries(curator.lessons.waiting(Kind.CONFLICT))
    return found


def test_a_chosen_candidate_keeps_its_id_and_gets_the_model_s_words(curator: Curator, model: Model) -> None:
    (before,) = cards(curator).values()
    wished = Change(
        before=before, after=before._replace(score_parts={**before.score_parts, f"{WISH}codex wants to keep this": 0.0})
    )
    curator.store.apply([(Verb.PROPOSE, wished)], actor=IN_AGENT.format("codex"), at=2.0)
    model.replies = [[CHOSEN, NEW]]
    (reading,) = read(curator).readings
    assert (reading.lessons, reading.chosen, reading.new, reading.left_out) == (2, 1, 1, 0)
    found = cards(curator)
    after = found["Change `sync.toml`, never `vendor/`"]
    assert (after.id, after.category, after.distiller) == (before.id, Category.CONSTRAINT, "small by test")
    assert (after.wordings[0].headline, after.wordings[0].label) == (before.headline, "offline")
    assert after.score > before.score
    assert after.wishes == ("codex wants to keep this",)
    new = found[MAKE_DB]
    assert new.evidence[0].quote == NEW["quote"]
    assert (new.evidence[0].line, new.evidence[0].role, new.state) == (5, Role.ASSISTANT, State.OPEN)
    assert app.statistics.decisions(curator) == []  # nobody has decided anything


def test_what_the_model_leaves_out_waits_behind_the_others(curator: Curator, model: Model) -> None:
    (before,) = cards(curator).values()
    model.replies = [[NEW]]
    (reading,) = read(curator).readings
    assert reading.left_out == 1
    assert [*cards(curator)] == [MAKE_DB]
    assert cards(curator, rest=True)[before.headline].left_out
    curator.decisions.snooze([before.id], until=1.0)  # what a person touches is before them again
    assert before.headline in cards(curator)


def test_undo_takes_a_whole_run_back_and_redo_brings_it(curator: Curator, model: Model, hear: Hear) -> None:
    hear("s-2")
    before = cards(curator, rest=True)
    model.replies = [[CHOSEN, NEW], [NEW | {"headline": "Tests need `make db`"}]]
    assert len(read(curator).readings) == 2
    after = cards(curator, rest=True)
    assert after.keys() != before.keys()
    curator.decisions.undo()
    assert cards(curator, rest=True) == {key: entry._replace(updated=before[key].updated) for key, entry in before.items()}
    curator.decisions.redo()
    assert cards(curator, rest=True).keys() == after.keys()


def test_what_comes_after_an_undo_in_mid_run_can_be_undone_too(curator: Curator, model: Model, hear: Hear) -> None:
    hear("s-2")
    before = cards(curator, rest=True)

    def undo() -> object:
        with closing(curator.fork()) as other:
            other.decisions.undo()
        return [NEW | {"headline": "Tests need `make db`"}]

    model.replies = [[NEW], undo]
    read(curator)
    assert "Tests need `make db`" in cards(curator)
    curator.decisions.undo()
    assert cards(curator, rest=True).keys() == before.keys()


def test_undo_takes_back_a_decision_made_during_a_run_before_the_run(curator: Curator, model: Model, hear: Hear) -> None:
    hear("s-2")

    def snooze() -> object:
        with closing(curator.fork()) as other:
            other.decisions.snooze([cards(other)[MAKE_DB].id], until=4e9)
        return [CHOSEN | {"candidate": None}]

    model.replies = [[NEW], snooze]
    read(curator)
    (undone,) = curator.decisions.undo().entries
    assert (undone.headline, undone.snoozed_until) == (NEW["headline"], None)
    assert CHOSEN["headline"] in cards(curator), "the run stays"
    curator.decisions.undo()
    assert CHOSEN["headline"] not in cards(curator, rest=True)


def test_decided_entries_are_never_touched(curator: Curator, model: Model) -> None:
    (entry,) = cards(curator).values()
    curator.decisions.accept([entry.id])
    kept = curator.lessons.find(entry.id)
    model.replies = [[CHOSEN, NEW]]
    read(curator)
    now = curator.lessons.find(entry.id)
    assert now._replace(evidence=kept.evidence, times_stated=1, updated=kept.updated, score=kept.score) == kept
    curator.decisions.drop([cards(curator)[MAKE_DB].id])
    read(curator, unread=False)
    assert MAKE_DB not in cards(curator, rest=True), "what was turned down stays so"


def test_what_a_model_states_of_a_dropped_card_is_no_lesson(curator: Curator, model: Model, make: Make) -> None:
    quote = Evidence(quote="x", role=Role.HUMAN, file="a.jsonl", line=3, line_end=3, session="s-1")
    (entry,) = cards(curator).values()
    curator.decisions.drop([entry.id])
    put(curator, make(evidence=(quote,), headline="Odd", insight="Odd"))
    model.replies = [[CHOSEN]]
    (reading,) = read(curator).readings
    assert reading.chosen == 1
    assert curator.lessons.find(entry.id).state is State.DISMISSED


def test_a_session_is_read_once_until_it_grows(curator: Curator, model: Model, root: Path, work: Path) -> None:
    read(curator)
    assert planned(curator) == []
    session(root, "s-1", work, "one more thing: never push to main")
    scanned(curator, root)
    assert planned(curator) == ["s-1"]
    read(curator)
    assert len(model.asked) == 2


def test_an_answer_is_paid_for_once_unless_nobody_can_read_it(curator: Curator, model: Model) -> None:
    model.replies = ["no idea", [CHOSEN]]
    assert read(curator).failure
    assert not read(curator).failure
    curator.decisions.undo()
    read(curator, unread=False)
    assert len(model.asked) == 2
    assert CHOSEN["headline"] in cards(curator)


@pytest.mark.parametrize(
    ("lesson", "how", "relating"), [(CONTRARY, "contradicts", Relating.CONTRADICTS), (KNOWN, "repeats", Relating.DUPLICATE)]
)
def test_a_model_s_relations_make_usual_cards(here: Curator, model: Model, lesson: str, how: str, relating: Relating) -> None:
    (card,) = cards(here).values()
    known = here.decisions.add(lesson).entries[0]
    model.replies = [[CHOSEN | {"relates": {"to": "L1", "how": how}}]]
    read(here)
    asked = conflict(here)
    assert asked.rival
    assert (asked.id, asked.rival.other, asked.rival.relating, asked.rival.certain) == (card.id, known.id, relating, True)


def test_what_repeats_a_lesson_counts_as_seen_again(here: Curator, model: Model) -> None:
    known = here.decisions.add(KNOWN).entries[0]
    model.replies = [[CHOSEN | {"candidate": None, "relates": {"to": "L1", "how": "repeats"}}]]
    (reading,) = read(here).readings
    assert (reading.new, reading.chosen) == (0, 0)
    after = here.lessons.find(known.id)
    assert (after.times_stated, after.evidence[-1].quote) == (known.times_stated + 1, CHOSEN["quote"])
    assert app.statistics.decisions(here) == []  # nobody has decided anything by that


@pytest.mark.parametrize("reply", [RuntimeError("TOKEN=ghp_" + "a1B2" * 9), TimeoutError("it took too long"), "no idea", "[{"])
def test_a_fault_leaves_the_cards_as_they_were(curator: Curator, model: Model, reply: object) -> None:
    before = cards(curator, rest=True)
    model.replies = [reply]
    done = read(curator)
    assert done.failure
    assert "ghp_" not in done.failure
    assert cards(curator, rest=True) == before
    assert planned(curator) == ["s-1"], "it is still unread"


def test_nobody_is_asked_for_ever(curator: Curator, model: Model, hear: Hear) -> None:
    hear(*(f"t-{number}" for number in range(6)))
    model.replies = [OSError("no route")]
    done = read(curator)
    assert len(model.asked) == distill.MAX_FAILURES
    assert "3 times in a row" in done.end_reason


def test_the_tokens_of_a_day_are_never_passed(curator: Curator, model: Model, hear: Hear, still: Clock) -> None:
    hear("t-0", "t-1", "t-2")
    one = distill.plan(curator).sessions[0].tokens[0]
    curator.settings = curator.settings._replace(distill_tokens_a_day=2 * one + 200)
    done = read(curator)
    assert len(model.asked) == 2
    assert "distill_tokens_a_day" in done.end_reason
    assert read(curator).readings == []
    still.forward(DAY_SECONDS + 1)
    assert len(read(curator).readings) == 2


@pytest.mark.parametrize(("error", "counts"), [(PermissionError("no login"), False), (TimeoutError("late"), True)])
def test_failed_calls_read_nothing_and_may_cost_tokens(curator: Curator, model: Model, error: Exception, counts: bool) -> None:
    model.replies = [error]
    assert read(curator).failure
    spent = statistics.summary(curator)["distillers"]
    assert [figures["sessions"] for figures in spent.values()] == [0] * counts
    assert (curator.store.distilling.tokens_since(0.0) > 0) is counts
    model.replies = [[]]
    read(curator)
    (figures,) = statistics.summary(curator)["distillers"].values()
    assert figures["sessions"] == 1


def test_it_can_be_stopped_and_goes_on(curator: Curator, model: Model, hear: Hear) -> None:
    hear("t-0", "t-1", "t-2")
    stop = Event()
    done = distill.run(curator, distill.plan(curator), lambda done: stop.set(), stop)
    assert (len(done.readings), len(model.asked)) == (1, 1)
    assert len(read(curator).readings) == 3


def test_what_is_ended_with_the_run_is_no_failure(curator: Curator, model: Model) -> None:
    stop = Event()

    def end() -> str:
        stop.set()
        raise ValueError("`model` ended with code -9")

    model.replies = [end]
    done = distill.run(curator, distill.plan(curator), stop=stop)
    assert (done.failure, done.readings) == ("", [])
    assert done.end_reason == "Stopped. The next run continues there."


def test_two_runs_at_once_are_one(curator: Curator, model: Model, opened: Open) -> None:
    other = opened(distiller="test", export=False)
    plan = distill.plan(other)

    def meanwhile() -> object:
        with pytest.raises(CuratorError, match="Another window or command is letting a model read"):
            distill.run(other, plan)
        return [NEW]

    model.replies = [meanwhile]
    assert len(read(curator).readings) == 1
    assert distill.run(other, plan).readings == []  # it was read since
    assert len(model.asked) == 1


def test_a_fault_of_the_database_leaves_what_was_read_before(curator: Curator, model: Model, hear: Hear) -> None:
    hear("s-2")
    path = curator.settings.database

    def lose() -> object:
        path.rename(path.with_suffix(".away"))
        return [NEW]

    model.replies = [[NEW], lose]
    done = read(curator)
    path.with_suffix(".away").rename(path)
    assert len(done.readings) == 1
    assert "Nothing was written" in done.end_reason
    assert len(planned(curator)) == 1


# --- what is sent -------------------------------------------------------------------------------------------------------


def test_other_projects_files_are_searched_once(curator: Curator, model: Model, root: Path, work: Path, other: Path) -> None:
    file = session(root, "t-1", other)
    scanned(curator, root)
    here = curator.enter(str(work)).id
    assert planned(curator) == ["s-1"]
    assert str(file) in curator.store.distilling.files(here)
    there = curator.enter(str(other)).id
    assert str(file) not in curator.store.distilling.files(there)
    assert planned(curator) == ["t-1"]


def test_neither_private_nor_agents_words_are_sent(opened: Open, root: Path, work: Path, tmp_path: Path, model: Model) -> None:
    private = tmp_path / "private"
    private.mkdir()
    moved(session(root, "s-1", work, GEN), private, 1, 2)
    session(root, "s-3", private)
    quiet = [records.assistant(records.text(f"step {at}")) | {"sessionId": "s-2", "cwd": str(work)} for at in range(5)]
    records.write(root / "projects" / "-app" / "s-2.jsonl", *quiet)
    curator = opened("other", distiller="test", exclude=(str(private),))
    scanned(curator, root)
    assert planned(curator) == ["s-1"]
    read(curator)
    (asked,) = model.asked
    assert asked == next(distill.prompts(curator, session="s-1"))
    assert (GEN in asked, "sync.toml" in asked) == (True, False)
    app.forget.forget(curator, session="s-1")
    assert planned(curator, unread=False) == []


def test_a_card_belongs_to_the_project_of_its_words(opened: Open, root: Path, work: Path, other: Path, model: Model) -> None:
    moved(session(root, "s-1", other, "thanks", "that is all"), work, *range(5))
    curator = opened("other", distiller="test", export=False)
    scanned(curator, root)
    model.replies = [[NEW]]
    read(curator)
    assert curator.projects()[cards(curator)[MAKE_DB].project].folder == str(work)


def test_a_session_is_named_by_as_much_of_its_id_as_is_clear(curator: Curator, model: Model, hear: Hear) -> None:
    hear("s-10")
    assert planned(curator, session="s-1") == ["s-1"]
    with pytest.raises(UnknownId):
        distill.plan(curator, session="s-")


def test_a_prompt_holds_no_file_of_a_clone_no_secret_and_no_home_folder(here: Curator, model: Model, make: Make) -> None:
    (entry,) = cards(here).values()
    brought = make(signal=FROM_FILE, evidence=entry.evidence, headline="Frobnicate the mirror", insight="Frobnicate it")
    token = "ghp_" + "a1B2" * 9
    known = here.decisions.add(f"The sync of vendor/ by sync.toml is in {Path.home()}/sync.").entries[0]
    text = f"{known.headline} {token}"
    put(here, brought, known._replace(id="AAAA-0009", fingerprint="", headline=text, insight=text))
    read(here)
    (asked,) = model.asked
    assert "L1 " in asked
    assert "~/sync" in asked
    assert not [words for words in ("Frobnicate", str(Path.home()), token) if words in asked]
    assert not here.lessons.find(brought.id).left_out


def test_nobody_knows_who_said_what_stands_in_a_transcript_of_the_repository(opened: Open, work: Path, model: Model) -> None:
    git(work, "init", "-q")
    session(work / "agents", "s-1", work)
    git(work, "add", ".")
    curator = opened("other", distiller="test", export=False)
    scanned(curator, work / "agents")
    (curator.project,) = curator.projects().values()
    curator.decisions.add(CONTRARY)
    model.replies = [[CHOSEN | {"candidate": None, "relates": {"to": "L1", "how": "contradicts"}}]]
    read(curator)
    card = conflict(curator)
    assert card.evidence[0].role is Role.FILE
    assert card.rival
    assert not card.rival.certain


def test_a_session_of_ours_gives_no_cards_and_is_not_read(curator: Curator, model: Model, root: Path, work: Path) -> None:
    read(curator)
    own = [
        records.user(f"{MARKER} this is a request by curator\n\n[3] USER: {VENDOR} for gen/"),
        records.assistant(records.text(f"{VENDOR} for gen/")),
        records.assistant(records.text("The tests find no fixtures without `make data`, because it writes them.")),
    ]
    told = [record | {"sessionId": "own", "cwd": str(work)} for record in own]
    records.write(root / "projects" / "-app" / "own.jsonl", *told)
    before = cards(curator, rest=True)
    scanned(curator, root)
    assert cards(curator, rest=True) == before
    assert planned(curator) == []


@pytest.mark.parametrize(
    ("name", "said"), [("", "No model is set up to read sessions"), ("nobody", "There is no reader 'nobody'")]
)
def test_settings_that_are_wrong_say_so(opened: Open, model: Model, name: str, said: str) -> None:
    with pytest.raises(CuratorError, match=said):
        distill.plan(opened(distiller=name))


# --- meanwhile ----------------------------------------------------------------------------------------------------------


def test_forgetting_during_a_read_leaves_nothing(curator: Curator, model: Model, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)

    def forget() -> object:
        with closing(curator.fork()) as other:
            app.forget.forget(other, session="s-1")
        return [CHOSEN, NEW, NEW | {"headline": "Frobnicate `the_mirror`"}]

    model.replies = [forget]
    assert read(curator).readings == []
    assert cards(curator, rest=True) == {}
    assert_nothing_is_kept(curator)
    assert "make db" not in caplog.text


def assert_nothing_is_kept(curator: Curator) -> None:
    assert [*distill.cache(curator.settings).folder.glob("*")] == []
    assert curator.store.distilling.sessions() == {}


def test_forgetting_leaves_nothing_in_log_and_tables(curator: Curator, model: Model, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    model.replies = [[NEW, NEW | {"headline": "Frobnicate `the_mirror`", "quote": "the tests find no schema at all"}]]
    (reading,) = read(curator).readings
    assert reading.refusals.total() == 1
    app.forget.forget(curator, session="s-1")
    assert_nothing_is_kept(curator)
    assert "its quote is not in the session" in caplog.text
    assert not {word for word in ("the_mirror", "find no schema") if word in caplog.text}


@pytest.mark.parametrize("deed", ["keep", "drop", "edit", "retire", "see again", "gone"])
def test_what_a_person_decides_while_a_model_reads_stands(here: Curator, model: Model, deed: str) -> None:
    (card,) = cards(here).values()
    known = here.decisions.add(KNOWN).entries[0]

    def decide() -> object:
        with closing(here.fork()) as other:
            if deed == "keep":
                other.decisions.accept([card.id])
            elif deed == "drop":
                other.decisions.drop([card.id])
            elif deed == "edit":
                other.decisions.edit(card.id, headline="In my own words")
            elif deed == "retire":
                other.decisions.drop([known.id])
            elif deed == "see again":
                quote = Evidence(quote="again", role=Role.HUMAN, file="b.jsonl", line=1, line_end=1, session="s-9")
                change = curate.see_again(other.lessons.find(known.id), [quote], 1.0, 3.0)
                assert change
                other.store.apply([(Verb.SEE_AGAIN, change)], actor="detector", at=3.0)
            else:
                app.forget.forget(other, [known.id])
        return [NEW | {"candidate": None, "relates": {"to": "L1", "how": "repeats"}}, CHOSEN]

    model.replies = [decide]
    done = read(here)
    assert not done.failure
    assert len(done.readings) == 1
    now = here.lessons.find(card.id)
    kept = {"keep": (State.ACTIVE, card.headline), "drop": (State.DISMISSED, card.headline)}
    kept["edit"] = (State.OPEN, "In my own words")
    assert (now.state, now.headline) == kept.get(deed, (State.OPEN, CHOSEN["headline"]))
    assert not now.left_out
    assert (MAKE_DB in cards(here)) == (deed in ("retire", "gone"))
    if deed == "retire":
        assert here.lessons.find(known.id).times_stated == known.times_stated


@pytest.mark.skipif(sys.platform == "win32", reason="processes are forked")
@pytest.mark.parametrize("steps", [1, 2, 3])
def test_a_killed_run_doubles_nothing(opened: Open, root: Path, work: Path, tmp_path: Path, model: Model, steps: int) -> None:
    asked = tmp_path / "asked"

    def answer() -> object:
        with asked.open("a") as file:
            file.write(".")
        return [NEW]

    def reads(told: Callable[..., None]) -> None:
        reading = opened(distiller="test")
        distill.run(reading, distill.plan(reading), told)

    model.replies = [answer]
    for number in range(5):
        session(root, f"t-{number}", work, f"note {number}")
    with closing(opened(distiller="test")) as curator:
        scanned(curator, root)
    killed(reads, steps)
    curator = opened(distiller="test")
    assert 5 - steps - 2 <= len(planned(curator)) <= 5 - steps
    read(curator)
    assert planned(curator) == []
    assert len(asked.read_text()) in (5, 6)  # the one that was under way may be asked again
    assert curator.store.distilling.tokens_since(0.0) >= 5 * 500
    made = [entry for entry in waiting(curator, rest=True) if entry.distiller and not entry.left_out]
    assert len({entry.fingerprint for entry in made}) == len(made)
