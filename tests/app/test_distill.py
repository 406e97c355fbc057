"""A model reads sessions: what is asked, what becomes of the cards, what a stop or a fault leaves."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from curator import app, curate, plugins
from curator.app import Curator, distill
from curator.distill.digest import MARKER
from curator.errors import CuratorError, UnknownId
from curator.hookspecs import MakeDistiller, hookimpl
from curator.model import FROM_FILE, Category, Change, Entry, Evidence, Kind, Relating, Role, State, Verb
from curator.model.entry import IN_AGENT, WISH
from curator.settings import DAY, Settings
from tests.transcripts import transcript_records as records

VENDOR = "no, never edit vendor/ by hand, always change `sync.toml` instead: the nightly sync overwrites it"
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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "app").mkdir()
    return tmp_path / "app"


@pytest.fixture
def curator(tmp_path: Path, folder: Path) -> Iterator[Curator]:
    """An open database that has read one session, whose distiller is the model of the test."""
    session(tmp_path / "agents", "s-1", folder)
    one = Curator(Settings(home=tmp_path / "home", distiller="test", export=False))
    app.scan.scan(one, roots=[tmp_path / "agents"])
    yield one
    one.close()


def read(curator: Curator, **how: Any) -> distill.Distillation:
    return distill.run(curator, distill.plan(curator, **how))


def cards(curator: Curator, *, rest: bool = False) -> dict[str, Entry]:
    found = curator.lessons.entries(curator.lessons.waiting(Kind.CANDIDATE, rest=rest))
    return {entry.headline: entry for entry in found}


def test_a_chosen_candidate_keeps_its_id_and_gets_the_model_s_words(curator: Curator, model: Model) -> None:
    (before,) = cards(curator).values()
    wished = Change(before=before, after=before._replace(why={**before.why, f"{WISH}codex wants to keep this": 0.0}))
    curator.store.apply([(Verb.PROPOSE, wished)], actor=IN_AGENT.format("codex"), at=2.0)
    model.replies = [[CHOSEN, NEW]]
    done = read(curator)
    (reading,) = done.readings
    assert (reading.lessons, reading.chosen, reading.new, reading.left_out) == (2, 1, 1, 0)
    found = cards(curator)
    after = found["Change `sync.toml`, never `vendor/`"]
    assert (after.id, after.category, after.distiller) == (before.id, Category.CONSTRAINT, "small by test")
    assert (after.wordings[0].headline, after.wordings[0].label) == (before.headline, "offline")
    assert after.score > before.score
    assert after.wishes == ("codex wants to keep this",)
    new = found["Run `make db` before the tests"]
    assert new.evidence[0].quote == NEW["quote"]
    assert (new.evidence[0].line, new.evidence[0].role, new.state) == (5, Role.ASSISTANT, State.OPEN)
    assert app.statistics.decisions(curator) == []  # nobody has decided anything


def test_what_the_model_leaves_out_waits_behind_the_others(curator: Curator, model: Model) -> None:
    (before,) = cards(curator).values()
    model.replies = [[NEW]]
    (reading,) = read(curator).readings
    assert reading.left_out == 1
    assert [entry.headline for entry in cards(curator).values()] == ["Run `make db` before the tests"]
    assert cards(curator, rest=True)[before.headline].left_out
    curator.verdicts.snooze([before.id], until=1.0)  # what a person touches is before them again
    assert before.headline in cards(curator)


def test_undo_takes_a_whole_run_back_and_redo_brings_it(curator: Curator, model: Model, tmp_path: Path, folder: Path) -> None:
    session(tmp_path / "agents", "s-2", folder, "and never touch `gen/` by hand")
    app.scan.scan(curator, roots=[tmp_path / "agents"])
    before = cards(curator, rest=True)
    model.replies = [[CHOSEN, NEW], [NEW | {"headline": "Tests need `make db`"}]]
    assert len(read(curator).readings) == 2
    after = cards(curator, rest=True)
    assert after.keys() != before.keys()
    curator.verdicts.undo()
    assert cards(curator, rest=True) == {key: entry._replace(updated=before[key].updated) for key, entry in before.items()}
    curator.verdicts.redo()
    assert cards(curator, rest=True).keys() == after.keys()


def test_decided_entries_are_never_touched(curator: Curator, model: Model) -> None:
    (entry,) = cards(curator).values()
    curator.verdicts.accept([entry.id])
    kept = curator.lessons.find(entry.id)
    model.replies = [[CHOSEN, NEW]]
    read(curator)
    assert (
        curator.lessons.find(entry.id)._replace(evidence=kept.evidence, seen=1, updated=kept.updated, score=kept.score) == kept
    )


def test_what_was_turned_down_stays_so(curator: Curator, model: Model) -> None:
    model.replies = [[NEW]]
    read(curator)
    curator.verdicts.drop([cards(curator)["Run `make db` before the tests"].id])
    read(curator, unread=False)
    assert "Run `make db` before the tests" not in cards(curator, rest=True)


def test_a_session_is_read_once_until_it_grows(curator: Curator, model: Model, tmp_path: Path, folder: Path) -> None:
    read(curator)
    assert distill.plan(curator).sessions == ()
    session(tmp_path / "agents", "s-1", folder, "one more thing: never push to main")
    app.scan.scan(curator, roots=[tmp_path / "agents"])
    assert len(distill.plan(curator).sessions) == 1
    read(curator)
    assert len(model.asked) == 2


def test_an_answer_is_paid_for_once(curator: Curator, model: Model) -> None:
    model.replies = [[CHOSEN]]
    read(curator)
    curator.verdicts.undo()
    read(curator, unread=False)
    assert len(model.asked) == 1
    assert CHOSEN["headline"] in cards(curator)


def test_relations_make_the_cards_that_offline_ones_make(curator: Curator, model: Model) -> None:
    curator.project = next(iter(curator.projects().values()))
    known = curator.verdicts.add("Edit `vendor/` by hand where the nightly sync is late").entries[0]
    model.replies = [[CHOSEN | {"relates": {"to": "L1", "how": "contradicts"}}]]
    read(curator)
    (conflict,) = curator.lessons.entries(curator.lessons.waiting(Kind.CONFLICT))
    assert conflict.rival
    assert (conflict.rival.other, conflict.rival.relating, conflict.rival.certain) == (known.id, Relating.CONTRADICTS, True)


def test_a_candidate_that_repeats_a_lesson_asks_about_it(curator: Curator, model: Model) -> None:
    curator.project = next(iter(curator.projects().values()))
    (card,) = cards(curator).values()
    known = curator.verdicts.add("Let the nightly sync write vendor/, change `sync.toml`").entries[0]
    model.replies = [[CHOSEN | {"relates": {"to": "L1", "how": "repeats"}}]]
    read(curator)
    (asked,) = curator.lessons.entries(curator.lessons.waiting(Kind.CONFLICT))
    assert asked.rival
    assert (asked.id, asked.rival.other, asked.rival.relating) == (card.id, known.id, Relating.DUPLICATE)


def test_what_repeats_a_lesson_counts_as_seen_again(curator: Curator, model: Model) -> None:
    curator.project = next(iter(curator.projects().values()))
    known = curator.verdicts.add("Let the nightly sync write vendor/, change `sync.toml`").entries[0]
    model.replies = [[CHOSEN | {"candidate": None, "relates": {"to": "L1", "how": "repeats"}}]]
    (reading,) = read(curator).readings
    assert (reading.new, reading.chosen) == (0, 0)
    after = curator.lessons.find(known.id)
    assert after.seen == known.seen + 1
    assert app.statistics.decisions(curator) == []  # nobody has decided anything by that
    assert after.evidence[-1].quote == CHOSEN["quote"]


@pytest.mark.parametrize("reply", [RuntimeError("TOKEN=ghp_" + "a1B2" * 9), TimeoutError("it took too long"), "no idea", "[{"])
def test_a_fault_leaves_the_cards_as_they_were(curator: Curator, model: Model, reply: object) -> None:
    before = cards(curator, rest=True)
    model.replies = [reply]
    done = read(curator)
    assert done.failure
    assert "ghp_" not in done.failure
    assert cards(curator, rest=True) == before
    assert len(distill.plan(curator).sessions) == 1  # it is still unread


def test_nobody_is_asked_for_ever(curator: Curator, model: Model, tmp_path: Path, folder: Path) -> None:
    for number in range(6):
        session(tmp_path / "agents", f"t-{number}", folder, f"note {number}")
    app.scan.scan(curator, roots=[tmp_path / "agents"])
    model.replies = [OSError("no route")]
    done = read(curator)
    assert len(model.asked) == distill.PATIENCE
    assert "3 times in a row" in done.end_reason


def test_the_tokens_of_a_day_are_never_passed(curator: Curator, model: Model, tmp_path: Path, folder: Path, still: Any) -> None:
    for number in range(3):
        session(tmp_path / "agents", f"t-{number}", folder, f"note {number}")
    app.scan.scan(curator, roots=[tmp_path / "agents"])
    one = distill.plan(curator).sessions[0].tokens[0]
    curator.settings = curator.settings._replace(distill_tokens_a_day=2 * one + 200)
    done = read(curator)
    assert len(model.asked) == 2
    assert "distill_tokens_a_day" in done.end_reason
    assert read(curator).readings == []
    still.forward(DAY + 1)
    assert len(read(curator).readings) == 2


def test_it_can_be_stopped_and_goes_on(curator: Curator, model: Model, tmp_path: Path, folder: Path) -> None:
    for number in range(3):
        session(tmp_path / "agents", f"t-{number}", folder, f"note {number}")
    app.scan.scan(curator, roots=[tmp_path / "agents"])
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
    assert done.end_reason == "It was stopped; the next run goes on there."


def test_transcripts_of_other_projects_are_looked_through_once(
    curator: Curator, model: Model, tmp_path: Path, folder: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    file = session(tmp_path / "agents", "t-1", other)
    app.scan.scan(curator, roots=[tmp_path / "agents"])
    here = curator.enter(str(folder)).id
    assert [one.id for one in distill.plan(curator).sessions] == ["s-1"]
    assert str(file) in curator.store.distilling.files(here)
    there = curator.enter(str(other)).id
    assert str(file) not in curator.store.distilling.files(there)
    assert [one.id for one in distill.plan(curator).sessions] == ["t-1"]


def test_what_no_person_said_or_nobody_may_see_is_not_sent(tmp_path: Path, folder: Path, model: Model) -> None:
    session(tmp_path / "agents", "s-1", folder)
    quiet = [records.assistant(records.text(f"step {at}")) | {"sessionId": "s-2", "cwd": str(folder)} for at in range(5)]
    records.write(tmp_path / "agents" / "projects" / "-app" / "s-2.jsonl", *quiet)
    (tmp_path / "private").mkdir()
    session(tmp_path / "agents", "s-3", tmp_path / "private")
    settings = Settings(home=tmp_path / "home", distiller="test", exclude=(str(tmp_path / "private"),))
    curator = Curator(settings)
    app.scan.scan(curator, roots=[tmp_path / "agents"])
    assert [one.id for one in distill.plan(curator).sessions] == ["s-1"]
    app.forget.forget(curator, session="s-1")
    assert distill.plan(curator).sessions == ()
    curator.close()


def test_what_was_said_in_an_excluded_folder_is_not_sent(tmp_path: Path, folder: Path, model: Model) -> None:
    secret = tmp_path / "private"
    secret.mkdir()
    file = session(tmp_path / "agents", "s-1", folder, "and never touch gen/")
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    lines[1] |= {"cwd": str(secret)}
    lines[2] |= {"cwd": str(secret)}
    records.write(file, *lines)
    curator = Curator(Settings(home=tmp_path / "home", distiller="test", exclude=(str(secret),)))
    app.scan.scan(curator, roots=[tmp_path / "agents"])
    read(curator)
    (asked,) = model.asked
    assert asked == next(distill.prompts(curator, session="s-1"))
    assert "never touch gen/" in asked
    assert "sync.toml" not in asked
    curator.close()


def test_a_card_belongs_to_the_project_in_which_it_was_said(tmp_path: Path, folder: Path, model: Model) -> None:
    other = tmp_path / "other"
    other.mkdir()
    file = session(tmp_path / "agents", "s-1", other, "thanks", "that is all")
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    records.write(file, *(line | {"cwd": str(folder)} if at < 5 else line for at, line in enumerate(lines)))
    curator = Curator(Settings(home=tmp_path / "home", distiller="test", export=False))
    app.scan.scan(curator, roots=[tmp_path / "agents"])
    model.replies = [[NEW]]
    read(curator)
    assert curator.projects()[cards(curator)[str(NEW["headline"])].project].folder == str(folder)
    curator.close()


def test_a_session_is_named_by_as_much_of_its_id_as_is_clear(
    curator: Curator, model: Model, tmp_path: Path, folder: Path
) -> None:
    session(tmp_path / "agents", "s-10", folder, "and never touch `gen/` by hand")
    app.scan.scan(curator, roots=[tmp_path / "agents"])
    assert [one.id for one in distill.plan(curator, session="s-1").sessions] == ["s-1"]
    with pytest.raises(UnknownId):
        distill.plan(curator, session="s-")


def test_what_a_clone_s_files_say_is_not_sent(curator: Curator, model: Model, make: Callable[..., Entry]) -> None:
    (entry,) = cards(curator).values()
    brought = make(
        project=entry.project,
        session="s-1",
        signal=FROM_FILE,
        evidence=entry.evidence,
        headline="Frobnicate the mirror",
        insight="Frobnicate the mirror",
    )
    curator.store.apply([(Verb.IMPORT, Change(before=None, after=brought))], actor="git", at=2.0)
    read(curator)
    assert "Frobnicate" not in model.asked[0]
    assert not curator.lessons.find(brought.id).left_out


def test_cards_and_lessons_are_sent_without_secrets_and_without_the_home(curator: Curator, model: Model, folder: Path) -> None:
    curator.project = next(iter(curator.projects().values()))
    token = "ghp_" + "a1B2" * 9
    known = curator.verdicts.add(f"The sync of vendor/ by sync.toml is in {Path.home()}/sync.").entries[0]
    text = f"{known.headline} {token}"
    odd = known._replace(id="AAAA-0009", fingerprint="", headline=text, insight=text)
    curator.store.apply([(Verb.ADD, Change(before=None, after=odd))], actor="git", at=2.0)
    read(curator)
    assert "L1 " in model.asked[0]
    assert "~/sync" in model.asked[0]
    assert str(Path.home()) not in model.asked[0]
    assert token not in model.asked[0]


def test_what_is_forgotten_while_a_model_reads_it_leaves_nothing(curator: Curator, model: Model, caplog: Any) -> None:
    caplog.set_level(logging.INFO)

    def forget() -> object:
        other = Curator(curator.settings)
        app.forget.forget(other, session="s-1")
        other.close()
        return [CHOSEN, NEW, NEW | {"headline": "Frobnicate `the_mirror`"}]

    model.replies = [forget]
    assert read(curator).readings == []
    assert cards(curator, rest=True) == {}
    assert [*distill.cache(curator.settings).folder.glob("*")] == []
    assert curator.store.distilling.sessions() == {}
    assert "make db" not in caplog.text


def test_the_log_and_the_tables_keep_nothing_of_what_is_forgotten_later(
    curator: Curator, model: Model, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    model.replies = [[NEW, NEW | {"headline": "Frobnicate `the_mirror`", "quote": "the tests find no schema at all"}]]
    (reading,) = read(curator).readings
    assert reading.refusals.total() == 1
    app.forget.forget(curator, session="s-1")
    assert curator.store.distilling.sessions() == {}
    assert [*distill.cache(curator.settings).folder.glob("*")] == []
    assert "its quote was not said there" in caplog.text
    assert not {word for word in ("the_mirror", "find no schema") if word in caplog.text}


@pytest.mark.parametrize("deed", ["keep", "drop", "edit", "retire", "see again", "gone"])
def test_what_a_person_decides_while_a_model_reads_stands(curator: Curator, model: Model, deed: str) -> None:
    curator.project = next(iter(curator.projects().values()))
    (card,) = cards(curator).values()
    known = curator.verdicts.add("Let the nightly sync write vendor/, change `sync.toml`").entries[0]

    def decide() -> object:
        other = Curator(curator.settings)
        if deed == "keep":
            other.verdicts.accept([card.id])
        elif deed == "drop":
            other.verdicts.drop([card.id])
        elif deed == "edit":
            other.verdicts.edit(card.id, headline="In my own words")
        elif deed == "retire":
            other.verdicts.drop([known.id])
        elif deed == "see again":
            quote = Evidence(quote="again", role=Role.HUMAN, file="b.jsonl", line=1, line_end=1, session="s-9")
            change = curate.see_again(other.lessons.find(known.id), [quote], 1.0, 3.0)
            assert change
            other.store.apply([(Verb.SEE_AGAIN, change)], actor="detector", at=3.0)
        else:
            app.forget.forget(other, [known.id])
        other.close()
        repeats = {"candidate": None, "relates": {"to": "L1", "how": "repeats"}}
        return [NEW | repeats, CHOSEN]

    model.replies = [decide]
    done = read(curator)
    assert not done.failure
    assert len(done.readings) == 1
    now = curator.lessons.find(card.id)
    kept = {"keep": (State.ACTIVE, card.headline), "drop": (State.DISMISSED, card.headline)}
    kept["edit"] = (State.OPEN, "In my own words")
    assert (now.state, now.headline) == kept.get(deed, (State.OPEN, CHOSEN["headline"]))
    assert not now.left_out
    assert (NEW["headline"] in cards(curator)) == (deed in ("retire", "gone"))
    if deed == "retire":
        assert curator.lessons.find(known.id).seen == known.seen


def test_what_comes_after_an_undo_in_mid_run_can_be_undone_too(
    curator: Curator, model: Model, tmp_path: Path, folder: Path
) -> None:
    session(tmp_path / "agents", "s-2", folder, "and never touch `gen/` by hand")
    app.scan.scan(curator, roots=[tmp_path / "agents"])
    before = cards(curator, rest=True)

    def undo() -> object:
        other = Curator(curator.settings)
        other.verdicts.undo()
        other.close()
        return [NEW | {"headline": "Tests need `make db`"}]

    model.replies = [[NEW], undo]
    read(curator)
    found = cards(curator)
    assert "Tests need `make db`" in found
    curator.verdicts.undo()
    assert cards(curator, rest=True).keys() == before.keys()


def test_two_runs_at_once_are_one(curator: Curator, model: Model) -> None:
    other = Curator(curator.settings)
    planned = distill.plan(other)

    def meanwhile() -> object:
        with pytest.raises(CuratorError, match="just now"):
            distill.run(other, planned)
        return [NEW]

    model.replies = [meanwhile]
    assert len(read(curator).readings) == 1
    assert distill.run(other, planned).readings == []  # it was read since
    assert len(model.asked) == 1
    other.close()


def test_a_fault_of_the_database_leaves_what_was_read_before(
    curator: Curator, model: Model, tmp_path: Path, folder: Path
) -> None:
    session(tmp_path / "agents", "s-2", folder, "and never touch `gen/` by hand")
    app.scan.scan(curator, roots=[tmp_path / "agents"])
    path = curator.settings.database

    def lose() -> object:
        path.rename(path.with_suffix(".away"))
        return [NEW]

    model.replies = [[NEW], lose]
    done = read(curator)
    path.with_suffix(".away").rename(path)
    assert len(done.readings) == 1
    assert "Nothing was written" in done.end_reason
    assert len(distill.plan(curator).sessions) == 1


def test_an_answer_that_nobody_can_read_is_asked_for_again(curator: Curator, model: Model) -> None:
    model.replies = ["no idea", [NEW]]
    assert read(curator).failure
    assert not read(curator).failure
    assert NEW["headline"] in cards(curator)


def test_nobody_knows_who_said_what_stands_in_a_transcript_of_the_repository(
    tmp_path: Path, folder: Path, model: Model
) -> None:
    subprocess.run(["git", "init", "-q", folder], check=True)
    session(folder / "agents", "s-1", folder)
    subprocess.run(["git", "-C", folder, "add", "."], check=True)
    curator = Curator(Settings(home=tmp_path / "home", distiller="test", export=False))
    app.scan.scan(curator, roots=[folder / "agents"])
    curator.project = next(iter(curator.projects().values()))
    curator.verdicts.add("Edit `vendor/` by hand where the nightly sync is late")
    model.replies = [[CHOSEN | {"candidate": None, "relates": {"to": "L1", "how": "contradicts"}}]]
    read(curator)
    (card,) = curator.lessons.entries(curator.lessons.waiting(Kind.CONFLICT))
    assert card.evidence[0].role is Role.FILE
    assert card.rival
    assert not card.rival.certain
    curator.close()


def test_a_session_of_ours_gives_no_cards_and_is_not_read(curator: Curator, model: Model, tmp_path: Path, folder: Path) -> None:
    read(curator)
    own = [
        records.user(f"{MARKER} this is a request by curator\n\n[3] USER: {VENDOR} for gen/"),
        records.assistant(records.text(f"{VENDOR} for gen/")),
        records.assistant(records.text("The tests find no fixtures without `make data`, because it writes them.")),
    ]
    told = [record | {"sessionId": "own", "cwd": str(folder)} for record in own]
    records.write(tmp_path / "agents" / "projects" / "-app" / "own.jsonl", *told)
    before = cards(curator, rest=True)
    app.scan.scan(curator, roots=[tmp_path / "agents"])
    assert cards(curator, rest=True) == before
    assert distill.plan(curator).sessions == ()


def test_settings_that_are_wrong_say_so(tmp_path: Path, model: Model) -> None:
    for name, message in (("", "No distiller is set"), ("nobody", "There is no distiller 'nobody'")):
        curator = Curator(Settings(home=tmp_path / "home", distiller=name))
        with pytest.raises(CuratorError, match=message):
            distill.plan(curator)
        curator.close()


def test_what_a_model_states_of_a_dropped_card_is_no_lesson(curator: Curator, model: Model, make: Callable[..., Entry]) -> None:
    quote = Evidence(quote="x", role=Role.HUMAN, file="a.jsonl", line=3, line_end=3, session="s-1")
    (entry,) = cards(curator).values()
    curator.verdicts.drop([entry.id])
    gone = make(project=entry.project, session="s-1", evidence=(quote,), headline="Odd", insight="Odd")
    curator.store.apply([(Verb.PROPOSE, Change(before=None, after=gone))], actor="detector", at=2.0)
    model.replies = [[CHOSEN]]
    (reading,) = read(curator).readings
    assert reading.chosen == 1
    assert curator.lessons.find(entry.id).state is State.DISMISSED


KILLED = """
import json, os, sys
sys.path.insert(0, os.getcwd())
from curator.app import Curator, distill
from curator.settings import load
curator = Curator(load())
plan = distill.plan(curator)
print(len(plan.sessions), flush=True)
distill.run(curator, plan, lambda done: print(len(done.readings), flush=True))
"""


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_a_killed_run_goes_on_and_nothing_comes_twice(tmp_path: Path, folder: Path, steps: int) -> None:
    for number in range(5):
        session(tmp_path / "agents", f"t-{number}", folder, f"note {number}")
    script, counter = tmp_path / "model.py", tmp_path / "asked"
    new = [NEW | {"headline": "Run `make db` before the tests"}]
    script.write_text(f"import sys\nsys.stdin.read()\nopen({str(counter)!r}, 'a').write('x')\nprint({json.dumps(new)!r})\n")
    home = tmp_path / "home"
    home.mkdir()
    command = json.dumps([sys.executable, str(script)])
    (home / "settings.toml").write_text(f'distiller = "command"\ndistill_command = {command}\n')
    env = os.environ | {"CURATOR_HOME": str(home), "CURATOR_SINCE_DAYS": "0"}
    curator = Curator(Settings(home=home))
    app.scan.scan(curator, roots=[tmp_path / "agents"])
    curator.close()
    with subprocess.Popen([sys.executable, "-c", KILLED], env=env, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout
        for _ in range(steps + 1):
            run.stdout.readline()
        run.send_signal(signal.SIGKILL)
    done = subprocess.run([sys.executable, "-c", KILLED], env=env, capture_output=True, text=True, check=True)
    left = int(done.stdout.split()[0])
    assert 5 - steps - 2 <= left <= 5 - steps
    curator = Curator(Settings(home=home, distiller="command", distill_command=(sys.executable, str(script))))
    assert distill.plan(curator).sessions == ()
    assert len(counter.read_text()) in (5, 6)  # the one that was under way may be asked again
    assert curator.store.distilling.tokens_since(0.0) >= 5 * 500
    made = [
        entry for entry in curator.lessons.entries(curator.lessons.waiting(rest=True)) if entry.distiller and not entry.left_out
    ]
    assert len({entry.fingerprint for entry in made}) == len(made)
    curator.close()
