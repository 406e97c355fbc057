"""Lessons and their files in git: out, in, both at once; and the code under them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from curator import app, lesson_files
from curator.app import Curator, Resolution, packs, project_files, suggest, sync
from curator.app.sessions.ingest import Ingest
from curator.errors import CuratorError
from curator.model import FROM_FILE, Category, Change, Durability, Entry, Kind, Query, State, Verb
from curator.model.codec import encode
from curator.settings import Settings
from curator.text import warnings
from tests.app.test_dismissed import statement


def kept(curator: Curator, text: str, **more: object) -> Entry:
    entry = curator.verdicts.add(text, **more).entries[0]  # type: ignore[arg-type]
    app.settling.settle(curator, [entry.id])
    return entry


def files(work: Path) -> dict[str, str]:
    folder = work / ".curator" / "lessons"
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))} if folder.exists() else {}


def rewrite(work: Path, old: str, new: str) -> None:
    for path in (work / ".curator" / "lessons").glob("*.md"):
        text = path.read_text(encoding="utf-8")
        if old in text:
            path.write_text(text.replace(old, new), encoding="utf-8")
            return
    raise AssertionError(f"{old!r} stands in no file")


def test_nothing_is_written_into_a_project_before_a_lesson_is_kept(curator: Curator, work: Path) -> None:
    app.settling.export(curator)
    assert list(work.iterdir()) == []
    kept(curator, "Lint first")
    (name,) = files(work)
    assert name.startswith("lint-first-")


def test_a_second_export_writes_nothing_and_one_change_writes_one(curator: Curator, work: Path) -> None:
    entries = [kept(curator, f"Rule {n}") for n in range(20)]
    before = {path: path.stat().st_mtime_ns for path in (work / ".curator" / "lessons").iterdir()}
    again = app.settling.export(curator)
    assert (again.written, again.unchanged) == (0, 20)
    assert {path: path.stat().st_mtime_ns for path in (work / ".curator" / "lessons").iterdir()} == before
    curator.verdicts.edit(entries[3].id, headline="Rule three")
    assert app.settling.export(curator).written == 1


def test_a_one_word_change_is_a_small_diff(curator: Curator, work: Path) -> None:
    entry = kept(curator, "Lint first", insight="Lint runs before the tests. It takes a second.")
    (before,) = files(work).values()
    curator.verdicts.edit(entry.id, insight="Lint runs before the build. It takes a second.")
    app.settling.settle(curator, [entry.id])
    (after,) = files(work).values()
    changed = [line for line in after.split("\n") if line not in before.split("\n")]
    assert len(changed) <= 2, changed  # the sentence, and the time of the change


def test_undo_takes_the_file_away_again(curator: Curator, work: Path) -> None:
    entry = kept(curator, "Lint first")
    outcome = curator.verdicts.undo()
    curator.store.sources.remember(curator.project, str(work))  # type: ignore[arg-type]
    app.settling.export(curator)
    assert outcome.entries[0].id == entry.id
    assert files(work) == {}


def test_retired_lessons_say_so_in_their_file(curator: Curator, work: Path) -> None:
    entry = kept(curator, "Lint first")
    curator.verdicts.drop([entry.id])
    app.settling.settle(curator, [entry.id])
    assert "state: retired" in next(iter(files(work).values()))


def test_a_hand_edit_comes_back_in_and_is_not_rewritten(curator: Curator, work: Path) -> None:
    entry = kept(curator, "Lint first")
    rewrite(work, "# Lint first", "# Lint before the tests")
    mine = files(work)
    done = sync.bring(curator)
    assert (done.added, done.changed) == (0, 1)
    assert curator.lessons.find(entry.id).headline == "Lint before the tests"
    app.settling.export(curator)
    assert files(work) == mine


def test_no_file_pins_a_lesson_and_none_ends_a_pin(curator: Curator, work: Path) -> None:
    entry = kept(curator, "Lint first")
    rewrite(work, "durability: durable", "durability: pinned")
    sync.bring(curator)
    assert curator.lessons.find(entry.id).durability is Durability.DURABLE
    curator.verdicts.edit(entry.id, durability=Durability.PINNED)
    app.settling.settle(curator, [entry.id])
    rewrite(work, "durability: pinned", "durability: temporary")
    sync.bring(curator)
    assert curator.lessons.find(entry.id).durability is Durability.PINNED


def test_a_colleagues_lesson_comes_in_by_git_pull(curator: Curator, work: Path, tmp_path: Path) -> None:
    entry = kept(curator, "Lint first", insight="Because it is quick.")
    other = Curator(Settings(home=tmp_path / "theirs"))
    other.enter(str(work))
    assert sync.bring(other).waiting == 1
    assert other.lessons.find(entry.id).state is State.OPEN
    sync.accept(other)
    theirs = other.lessons.find(entry.id)
    assert (theirs.headline, theirs.insight, theirs.state) == ("Lint first", "Because it is quick.", State.ACTIVE)
    before = files(work)
    app.settling.export(other)
    assert files(work) == before, "what came in is not written out again"
    other.close()


def test_the_database_can_be_rebuilt_from_the_files(curator: Curator, work: Path, tmp_path: Path) -> None:
    for n in range(5):
        kept(curator, f"Rule {n}", files=["a.py"])
    mine = [lesson_files.normal(entry) for entry in curator.lessons.entries(Query())]
    other = Curator(Settings(home=tmp_path / "rebuilt"))
    other.enter(str(work))
    sync.accept(other)
    rebuilt = [lesson_files.normal(entry) for entry in other.lessons.entries(Query())]
    assert sorted(rebuilt, key=lambda entry: entry.id) == sorted(mine, key=lambda entry: entry.id)
    other.close()


TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=60).filter(lambda text: text.strip())


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=4))
def test_export_then_import_is_identity(tmp_path_factory: pytest.TempPathFactory, texts: list[tuple[str, str]]) -> None:
    work = tmp_path_factory.mktemp("app")
    curator, other = (Curator(Settings(home=tmp_path_factory.mktemp("home"))) for _ in range(2))
    for one in (curator, other):
        one.enter(str(work))
    for headline, insight in texts:
        if warnings.find(f"{headline}\n{insight}"):
            continue  # that would wait in an accepted repository, too
        try:
            curator.verdicts.add(headline, insight=insight)
        except CuratorError:
            continue  # nothing was left of it once it was cleaned
    app.settling.export(curator)
    _, done = sync.accept(other)
    assert done.refusals == []
    before = {entry.id: lesson_files.normal(entry) for entry in curator.lessons.entries(Query())}
    assert {entry.id: lesson_files.normal(entry) for entry in other.lessons.entries(Query())} == before
    assert app.settling.export(other).written == 0
    curator.close()
    other.close()


def test_both_sides_changed_in_different_fields_are_joined(curator: Curator, work: Path) -> None:
    entry = kept(curator, "Lint first", insight="Because it is quick.")
    curator.verdicts.edit(entry.id, headline="Lint before anything")
    rewrite(work, "Because it is quick.", "Because it takes a second.")
    done = app.settling.export(curator)
    assert done.conflicts == []
    now = curator.lessons.find(entry.id)
    assert (now.headline, now.insight) == ("Lint before anything", "Because it takes a second.")
    assert "# Lint before anything" in next(iter(files(work).values()))


def test_both_sides_changed_in_the_same_field_are_a_conflict_card(curator: Curator, work: Path) -> None:
    entry = kept(curator, "Lint first")
    curator.verdicts.edit(entry.id, headline="Lint before anything")
    rewrite(work, "# Lint first", "# Lint last")
    text = files(work)
    done = app.settling.export(curator)
    assert len(done.conflicts) == 1
    assert files(work) == text, "the file is left alone until a person has decided"
    card = curator.lessons.find(done.conflicts[0])
    assert (card.kind, card.headline) == (Kind.CONFLICT, "Lint last")
    assert [item.id for item in curator.lessons.entries(curator.lessons.waiting())] == [card.id]
    assert app.settling.export(curator).conflicts == [], "asked once"
    curator.verdicts.resolve([card.id], Resolution.OLDER)
    app.settling.export(curator)
    assert curator.lessons.find(entry.id).headline == "Lint before anything"


def test_malformed_and_conflicted_files_are_named_and_left(curator: Curator, work: Path) -> None:
    kept(curator, "Lint first")
    folder = work / ".curator" / "lessons"
    (folder / "broken-aaaa-0001.md").write_text("---\nid: AAAA-0001\nstate: [\n---\n", encoding="utf-8")
    rewrite(work, "# Lint first", "<<<<<<< HEAD\n# Lint first\n=======\n# Lint last\n>>>>>>> theirs")
    before = files(work)
    done = sync.bring(curator)
    assert sorted(item.file.split("-")[0] for item in done.refusals) == ["broken", "lint"]
    assert all(item.line > 0 and item.reason for item in done.refusals)
    app.settling.export(curator)
    assert files(work) == before
    assert next(iter(curator.lessons.entries(curator.lessons.library()))).headline == "Lint first"


def test_a_file_removed_by_another_branch_retires_nothing(curator: Curator, work: Path) -> None:
    entry = kept(curator, "Lint first")
    for path in (work / ".curator" / "lessons").iterdir():
        path.unlink()
    app.settling.settle(curator, [entry.id])
    assert curator.lessons.find(entry.id).state is State.ACTIVE
    assert files(work) == {}
    assert app.settling.export(curator).written == 1, "asked for by name, it is written again"


def test_lessons_of_an_absent_project_wait_with_us(tmp_path: Path) -> None:
    curator = Curator(Settings(home=tmp_path / "home"))
    curator.enter("/nowhere/on/this/machine/app")
    entry = curator.verdicts.add("Lint first").entries[0]
    app.settling.settle(curator, [entry.id])
    assert len(list((tmp_path / "home" / "exports").rglob("lint-first-*.md"))) == 1
    curator.close()


# --- other folders, other projects --------------------------------------------------------------------------------------


def headlines(work: Path) -> list[str]:
    return sorted(line[2:] for text in files(work).values() for line in text.split("\n") if line.startswith("# "))


def second_clone(curator: Curator, work: Path) -> Curator:
    """Another work tree of the same project beside the first, with its files as they are now."""
    other = curator.fork()
    assert curator.project is not None
    beside = work.with_name("beside")
    shutil.copytree(work, beside)
    other.project = curator.project._replace(folder=str(beside))
    return other


def test_an_old_file_of_another_work_tree_changes_nothing(curator: Curator, work: Path) -> None:
    edited, retired = kept(curator, "Old words"), kept(curator, "Retire me")
    other = second_clone(curator, work)
    curator.verdicts.edit(edited.id, headline="New words")
    curator.verdicts.drop([retired.id])
    app.settling.settle(curator, [edited.id, retired.id])
    done = app.settling.export(other)
    assert (done.changed, done.conflicts) == (0, [])
    assert curator.lessons.find(edited.id).headline == "New words"
    assert curator.lessons.find(retired.id).state is State.RETIRED
    assert headlines(work.with_name("beside")) == ["New words", "Retire me"]
    assert app.settling.export(other).written == 0
    other.close()


def test_a_hand_edit_in_another_work_tree_is_a_change_of_the_version_it_began_from(curator: Curator, work: Path) -> None:
    entry = kept(curator, "Lint first", insight="It is quick.")
    other = second_clone(curator, work)
    rewrite(work.with_name("beside"), "It is quick.", "It takes a second.")
    curator.verdicts.edit(entry.id, headline="Lint before anything")
    sync.accept(other)  # a copy is another repository: it would be asked about
    app.settling.export(other)
    now = curator.lessons.find(entry.id)
    assert (now.headline, now.insight) == ("Lint before anything", "It takes a second.")
    other.close()


def test_without_a_common_version_a_person_decides(curator: Curator, work: Path, tmp_path: Path) -> None:
    entry = kept(curator, "Lint first")
    theirs = tmp_path / "theirs"
    app.settling.export(curator, theirs)
    for path in theirs.iterdir():
        text = re.sub(r"updated: .*", "updated: 2001-01-01T00:00:00Z", path.read_text(encoding="utf-8"))
        path.write_text(text.replace("# Lint first", "# Lint last"), encoding="utf-8")
    colleague = tmp_path / "colleague"
    shutil.copytree(theirs, colleague)
    done = sync.bring(curator, colleague)
    assert (done.changed, len(done.conflicts)) == (0, 1)
    assert curator.lessons.find(entry.id).headline == "Lint first"


def test_an_old_file_edited_after_it_was_read_brings_only_the_edit(curator: Curator, work: Path, tmp_path: Path) -> None:
    entry = kept(curator, "Old words", insight="It is quick.")
    copy = tmp_path / "copy" / ".curator" / "lessons"
    shutil.copytree(work / ".curator" / "lessons", copy)
    curator.verdicts.edit(entry.id, headline="New words")
    assert sync.bring(curator, copy).changed == 0
    rewrite(tmp_path / "copy", "It is quick.", "It takes a second.")
    assert sync.bring(curator, copy).changed == 1
    now = curator.lessons.find(entry.id)
    assert (now.headline, now.insight) == ("New words", "It takes a second.")


def test_what_is_the_same_is_no_conflict(curator: Curator, work: Path, tmp_path: Path) -> None:
    kept(curator, "Lint first", files=["a.py"])
    app.settling.settle(curator, [])
    copy = tmp_path / "copy"
    shutil.copytree(work / ".curator" / "lessons", copy)
    done = sync.bring(curator, copy)
    assert (done.added, done.changed, done.conflicts) == (0, 0, [])
    assert app.settling.export(curator, copy).written == 0


def test_a_file_never_speaks_for_another_projects_lesson(curator: Curator, work: Path, tmp_path: Path) -> None:
    entry = kept(curator, "Mine")
    thief = curator.fork()
    (tmp_path / "thief").mkdir()
    thief.enter(str(tmp_path / "thief"))
    shutil.copytree(work / ".curator", tmp_path / "thief" / ".curator")
    rewrite(tmp_path / "thief", "# Mine", "# Evil")
    before = files(tmp_path / "thief")
    (refused,) = sync.bring(thief).refusals
    assert refused.line == 2
    assert f"{entry.id} is a lesson of the project app" in refused.reason
    app.settling.export(thief)
    assert files(tmp_path / "thief") == before
    assert curator.lessons.find(entry.id).headline == "Mine"
    thief.close()


def test_a_relative_folder_is_the_one_below_where_a_person_stands(
    curator: Curator, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(curator, "Rule of mine")
    other = curator.fork()
    (tmp_path / "other").mkdir()
    other.enter(str(tmp_path / "other"))
    kept(other, "Rule of theirs")
    for one, place in ((curator, work), (other, tmp_path / "other"), (curator, work)):
        monkeypatch.chdir(place)
        app.settling.export(one, Path("out"))
    assert [path.name.rpartition("-")[0].rpartition("-")[0] for path in (work / "out").iterdir()] == ["rule-of-mine"]
    assert len(list((tmp_path / "other" / "out").iterdir())) == 1
    assert len(curator.store.files.in_folder(str(work / "out"))) == 1
    assert curator.store.files.in_folder("out") == {}, "a name that means another folder elsewhere"
    other.close()


def test_a_folder_shared_by_two_projects_gets_no_lesson_of_the_other(curator: Curator, tmp_path: Path) -> None:
    kept(curator, "Rule of mine")
    shared = tmp_path / "shared"
    app.settling.export(curator, shared)
    for path in shared.iterdir():
        path.unlink()
    other = curator.fork()
    (tmp_path / "other").mkdir()
    other.enter(str(tmp_path / "other"))
    app.settling.export(other, shared)
    assert list(shared.iterdir()) == []
    other.close()


def test_files_are_written_where_the_person_stands(curator: Curator, work: Path, make: Callable[..., Entry]) -> None:
    assert curator.project is not None
    kept(curator, "Lint first")
    other = second_clone(curator, work)
    candidate = make(project=curator.project.id, headline="Test last")
    curator.store.apply([(Verb.PROPOSE, Change(before=None, after=candidate))], actor="detector", at=1.0)
    other.verdicts.accept([candidate.id])
    app.settling.settle(other, [candidate.id])
    assert headlines(work) == ["Lint first"]
    assert headlines(work.with_name("beside")) == ["Lint first", "Test last"]
    assert curator.projects()[curator.project.id].folder == str(work.with_name("beside")), "and remembered"
    other.close()


def test_files_are_written_where_the_person_stands_also_without_entering(
    curator: Curator, work: Path, make: Callable[..., Entry]
) -> None:
    git(work, "init", "-q")
    git(work, "commit", "-qm", "first", "--allow-empty")
    project = curator.enter(str(work))
    curator.store.sources.remember(project, str(work))
    candidate = make(project=project.id, headline="Test last")
    curator.store.apply([(Verb.PROPOSE, Change(before=None, after=candidate))], actor="detector", at=1.0)
    moved = work.rename(work.with_name("moved"))
    anywhere = Curator(curator.settings)
    anywhere.cwd = str(moved)
    app.settling.settle(anywhere, [entry.id for entry in anywhere.verdicts.accept([candidate.id]).entries])
    assert headlines(moved) == ["Test last"]
    assert not work.exists()
    anywhere.close()


def test_undo_of_an_added_lesson_takes_its_file_away_at_once(curator: Curator, work: Path) -> None:
    kept(curator, "Lint first")
    app.settling.settle(curator, [entry.id for entry in curator.verdicts.undo().entries])
    assert files(work) == {}


# --- hands and secrets --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", ["open", "dismissed", "merged"])
def test_a_file_of_no_lesson_is_refused_and_left(curator: Curator, work: Path, state: str) -> None:
    entry = kept(curator, "Hold me")
    rewrite(work, "state: active", f"state: {state}")
    before = files(work)
    (refused,) = app.settling.export(curator).refusals
    assert state in refused.reason
    assert before[refused.file].split("\n")[refused.line - 1] == f"state: {state}"
    assert files(work) == before
    assert curator.lessons.find(entry.id).state is State.ACTIVE


BY_HAND = """---
id: HELLO-WORLD
category: convention
owner: "password=hunter2secret99"
paths:
  - src/\u202eevil
---
# Say hi \u202enow

The password=hunter2secret99 is no secret.

## Evidence

> AKIAIOSFODNN7EXAMPLE

— human, session s1, a.jsonl:3

## Code

Mind password=hunter2secret99 here:

```sh
export PASSWORD=hunter2secret99
```

## Notes

password=hunter2secret99
"""


def test_what_a_file_says_is_cleaned_and_written_back_once(curator: Curator, work: Path) -> None:
    folder = work / ".curator" / "lessons"
    folder.mkdir(parents=True)
    (folder / "say-hi-hello-world.md").write_text(BY_HAND, encoding="utf-8")
    sync.accept(curator)
    app.settling.export(curator)
    entry = curator.lessons.find("hello-world")
    stored = json.dumps(encode(entry)) + "".join(files(work).values())
    for bad in ("hunter2secret99", "AKIAIOSFODNN7EXAMPLE", "\u202e", "\\u202e"):
        assert bad not in stored
    assert "export PASSWORD=" in entry.snippets[0].code
    again = app.settling.export(curator)
    assert (again.written, again.changed, again.refusals) == (0, 0, [])
    other = Curator(curator.settings._replace(home=work / "elsewhere"), curator.project)
    sync.accept(other)
    assert app.settling.export(other).written == 0, "and is clean for everybody else"
    other.close()


def test_an_id_that_is_none_of_ours_is_found(curator: Curator, work: Path) -> None:
    folder = work / ".curator" / "lessons"
    folder.mkdir(parents=True)
    (folder / "x.md").write_text("---\nid: LOIS-42\ncategory: convention\n---\n# Say hi\n", encoding="utf-8")
    sync.bring(curator)
    assert curator.lessons.find("lois-42").headline == "Say hi"


def test_files_named_later_are_watched_too(curator: Curator, work: Path) -> None:
    for name in ("a.py", "b.py"):
        (work / name).write_text("1", encoding="utf-8")
    entry = kept(curator, "Mind the files", files=["a.py"])
    curator.verdicts.edit(entry.id, files=("a.py", "b.py"))
    (work / "a.py").write_text("2", encoding="utf-8")
    app.settling.settle(curator, [entry.id])
    assert [anchor.path for anchor in curator.lessons.find(entry.id).anchors] == ["a.py", "b.py"]
    assert [finding.path for found in app.staleness.check(curator) for finding in found.findings] == ["a.py"], (
        "the first as it was"
    )


# --- a lesson and its file disagree -------------------------------------------------------------------------------------


@pytest.fixture
def contested(curator: Curator, work: Path) -> Entry:
    entry = kept(curator, "Base words")
    curator.verdicts.edit(entry.id, headline="Database words")
    rewrite(work, "# Base words", "# File words")
    app.settling.settle(curator, [entry.id])
    return entry


def card(curator: Curator) -> Entry:
    (found,) = curator.lessons.entries(curator.lessons.waiting())
    return found


def test_until_a_person_decides_neither_side_is_written(curator: Curator, work: Path, contested: Entry) -> None:
    first = card(curator)
    curator.verdicts.edit(contested.id, category=Category.TOOLING)
    rewrite(work, "# File words", "# File words, again")
    app.settling.export(curator)
    assert headlines(work) == ["File words, again"]
    assert curator.lessons.find(contested.id).headline == "Database words"
    assert (card(curator).id, card(curator).headline) == (first.id, "File words, again"), "one card, brought up to date"
    assert app.settling.export(curator).conflicts == []


def test_where_the_older_side_stays_it_is_written_over_the_file(curator: Curator, work: Path, contested: Entry) -> None:
    decided = card(curator)
    curator.verdicts.resolve([decided.id], Resolution.OLDER)
    app.settling.settle(curator, [decided.id])
    assert headlines(work) == ["Database words"]
    assert app.settling.export(curator).conflicts == []


def test_where_the_file_wins_the_lesson_takes_its_words(curator: Curator, work: Path, contested: Entry) -> None:
    (name,) = files(work)
    rewrite(work, "category: convention", "category: tooling")
    app.settling.settle(curator, [contested.id])
    decided = card(curator)
    assert suggest(decided) is Resolution.NEWER
    curator.verdicts.accept([decided.id])
    app.settling.settle(curator, [decided.id, contested.id])
    lesson = curator.lessons.find(contested.id)
    assert (lesson.headline, lesson.category, lesson.state) == ("File words", Category.TOOLING, State.ACTIVE)
    assert (curator.lessons.find(decided.id).state, curator.lessons.find(decided.id).merged_into) == (
        State.MERGED,
        contested.id,
    )
    assert (headlines(work), list(files(work))) == (["File words"], [name])
    assert app.settling.export(curator).conflicts == []
    curator.verdicts.undo()
    app.settling.settle(curator, [decided.id, contested.id])
    assert curator.lessons.find(contested.id).headline == "Database words"
    assert card(curator).id == decided.id
    assert headlines(work) == ["Database words"], "what was taken back is in no commit"
    (text,) = files(work).values()
    assert "clash:\n  - field: category\n    theirs: tooling\n  - field: headline\n    theirs: File words\n" in text
    again = app.settling.export(curator)
    assert (again.written, again.conflicts, card(curator).id) == (0, [], decided.id), "the question is open again, once"
    curator.verdicts.resolve([decided.id], Resolution.OLDER)
    app.settling.settle(curator, [decided.id])
    assert "clash:" not in next(iter(files(work).values())), "and is gone with the next answer"


@pytest.mark.parametrize("way", [Resolution.OLDER, Resolution.NEWER])
def test_a_decided_version_is_no_dropped_lesson_buries_no_words_and_tells_nothing_of_a_signal(
    curator: Curator, work: Path, make: Callable[..., Entry], way: Resolution
) -> None:
    lesson = kept(curator, "Never edit vendor/ by hand, the nightly sync overwrites it")
    curator.verdicts.edit(lesson.id, category=Category.TOOLING)
    rewrite(work, "category: convention", "category: constraint")
    app.settling.settle(curator, [lesson.id])
    decided = card(curator)
    curator.verdicts.resolve([decided.id], way)
    app.settling.settle(curator, [decided.id, lesson.id])
    dropped = curator.lessons.library((State.DISMISSED, State.MERGED))
    assert [entry.id for entry in curator.lessons.entries(dropped)] == [decided.id], "it is known, so that it is asked once"
    assert list(curator.lessons.entries(dropped._replace(versions=False))) == []
    again = statement(make(), "vendor/ must never be edited by hand: the nightly sync overwrites it")
    assert Ingest(curator).propose(again, lesson.project) is not None, "the lesson's own words are not turned down"
    assert FROM_FILE not in app.statistics.summary(curator)["signals"]


def test_a_file_that_is_mended_to_agree_takes_its_card_back(curator: Curator, work: Path, contested: Entry) -> None:
    rewrite(work, "# File words", "# Database words")
    app.settling.export(curator)
    assert list(curator.lessons.entries(curator.lessons.waiting())) == []
    curator.verdicts.edit(contested.id, headline="Other words")
    app.settling.settle(curator, [contested.id])
    assert headlines(work) == ["Other words"]


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)


def test_a_lesson_whose_file_changed_becomes_a_stale_card_with_the_diff(curator: Curator, work: Path) -> None:
    git(work, "init", "-q")
    (work / "cache.py").write_text("TTL = 60\n", encoding="utf-8")
    git(work, "add", ".")
    git(work, "commit", "-qm", "first")
    entry = kept(curator, "The cache lives a minute", files=["cache.py"])
    assert app.staleness.check(curator) == []
    (work / "cache.py").write_text("TTL = 3600\n", encoding="utf-8")
    assert [found.id for found in app.staleness.check(curator)] == [entry.id]
    (card,) = curator.lessons.entries(curator.lessons.waiting())
    assert card.kind is Kind.STALE
    assert "-TTL = 60" in card.findings[0].diff
    assert "+TTL = 3600" in card.findings[0].diff
    assert app.staleness.check(curator) == [], "said once"
    curator.verdicts.accept([entry.id])
    assert app.staleness.check(curator) == [], "confirmed for the code as it is now"
    (work / "cache.py").unlink()
    assert app.staleness.check(curator)[0].findings[0].drift.state == "gone"


def test_a_file_that_is_as_it_was_again_is_no_longer_stale(curator: Curator, work: Path) -> None:
    (work / "cache.py").write_text("TTL = 60\n", encoding="utf-8")
    kept(curator, "The cache lives a minute", files=["cache.py"])
    (work / "cache.py").write_text("TTL = 61\n", encoding="utf-8")
    app.staleness.check(curator)
    (work / "cache.py").write_text("TTL = 60\n", encoding="utf-8")
    app.staleness.check(curator)
    assert list(curator.lessons.entries(curator.lessons.waiting())) == []


def test_a_hostile_diff_is_cleaned(curator: Curator, work: Path) -> None:
    git(work, "init", "-q")
    (work / "a.txt").write_text("one\n", encoding="utf-8")
    git(work, "add", ".")
    git(work, "commit", "-qm", "first")
    kept(curator, "Mind a.txt", files=["a.txt"])
    (work / "a.txt").write_text("two \x1b]0;owned\x07 AKIAIOSFODNN7EXAMPLE\n", encoding="utf-8")
    diff = app.staleness.check(curator)[0].findings[0].diff
    assert "two" in diff
    assert "\x1b" not in diff
    assert "AKIAIOSFODNN7EXAMPLE" not in diff


def test_a_followed_move_waits_for_the_next_export_where_files_are_not_written_by_themselves(
    curator: Curator, work: Path
) -> None:
    git(work, "init", "-q")
    (work / "cache.py").write_text("def lives():\n    return 60 * 60 + len(str(3600))\n", encoding="utf-8")
    git(work, "add", ".")
    git(work, "commit", "-qm", "first")
    entry = kept(curator, "lives() is an hour", files=["cache.py"])
    before = files(work)
    git(work, "mv", "cache.py", "store.py")
    quiet = Curator(curator.settings._replace(export=False), curator.project)
    assert [found.files for found in app.staleness.check(quiet)] == [("store.py",)]
    assert files(work) == before
    quiet.close()
    rewrite(work, "# lives() is an hour", "# lives() is one hour")
    assert app.settling.export(curator).written == 1, "and what git brought meanwhile takes nothing back"
    (text,) = files(work).values()
    assert "- store.py" in text
    assert "# lives() is one hour" in text
    assert curator.lessons.find(entry.id).files == ("store.py",)
    assert app.settling.export(curator).written == 0
    git(work, "mv", "store.py", "shelf.py")
    rewrite(work, "# lives() is one hour", "# lives() is sixty minutes")
    by_hand = files(work)
    app.staleness.check(curator)
    assert files(work) == by_hand, "a check writes over no hand"
    assert app.settling.export(curator).written == 1
    (text,) = files(work).values()
    assert "- shelf.py" in text
    assert "# lives() is sixty minutes" in text


def test_an_anchor_that_is_dated_later_is_written(curator: Curator, work: Path) -> None:
    git(work, "init", "-q")
    git(work, "commit", "-qm", "first", "--allow-empty")
    (work / "cache.py").write_text("def lives():\n    return 60\n", encoding="utf-8")
    entry = kept(curator, "lives() is a minute", files=["cache.py"])
    (before,) = files(work).values()
    git(work, "add", "cache.py")
    git(work, "commit", "-qm", "second")
    app.settling.settle(curator, [entry.id])
    (anchor,) = curator.lessons.find(entry.id).anchors
    (after,) = files(work).values()
    assert f"commit: {anchor.commit}\n" not in before
    assert f"commit: {anchor.commit}\n" in after


def test_a_file_tells_of_no_place_outside_the_project(curator: Curator, work: Path, make: Callable[..., Entry]) -> None:
    named = ("/Users/ann/tap/app.rb", f"{work}/src/main.py", "web/app.ts")
    entry = make(project=curator.scope, files=named)
    with curator.store.transaction():
        curator.store.apply([(Verb.PROPOSE, Change(before=None, after=entry))], actor="detector", at=1.0)
    curator.verdicts.accept([entry.id])
    app.settling.settle(curator, [entry.id])
    (text,) = files(work).values()
    assert "/Users/ann" not in text
    assert lesson_files.lesson.parse(text, "a.md").files == ("src/main.py", "web/app.ts")
    assert app.settling.export(curator).written == 0


def test_a_file_tells_of_no_folder_outside_and_no_lesson_of_one_becomes_the_project_s(
    curator: Curator, work: Path, make: Callable[..., Entry]
) -> None:
    outside, inside = "/Users/ann/tap", f"{work}/src"
    both = make(id="AAAA-0001", project=curator.scope, scope="paths", paths=(outside, inside, "web/**"))
    lost = make(id="AAAA-0002", project=curator.scope, scope="paths", paths=(outside,))
    whole = make(id="AAAA-0003", project=curator.scope, paths=(outside,))
    for entry in (both, lost, whole):
        curator.store.apply([(Verb.PROPOSE, Change(before=None, after=entry))], actor="detector", at=1.0)
        curator.verdicts.accept([entry.id])
    (refusal,) = app.settling.export(curator).refusals
    assert refusal.file.endswith("-aaaa-0002.md")
    assert "curator edit AAAA-0002 --scope" in refusal.reason
    told = {
        lesson.id: (lesson.scope, lesson.paths)
        for text in files(work).values()
        if (lesson := lesson_files.lesson.parse(text, ""))
    }
    assert told == {"AAAA-0001": ("paths", ("src", "web/**")), "AAAA-0003": ("project", ())}
    assert curator.lessons.find(lost.id).paths == (outside,), "here it goes on as it is"
    curator.verdicts.edit(lost.id, paths=("src",))
    assert not app.settling.export(curator).refusals
    assert len(files(work)) == 3


def test_a_pack_names_no_place_outside_the_project(curator: Curator, work: Path, make: Callable[..., Entry]) -> None:
    old = {"project": curator.scope, "state": State.ACTIVE, "scope": "paths"}
    both, lost = make(paths=("/Users/ann/tap", "web/**"), **old), make(paths=("/Users/ann/tap",), **old)
    curator.store.apply([(Verb.ADD, Change(before=None, after=entry)) for entry in (both, lost)], actor="x", at=5.0)
    block = packs.pack(curator).pack
    assert (block.lessons, block.left_out) == ((both.id,), 1)
    assert "In web/**:" in block.text
    assert "/Users/ann" not in block.text


def test_an_export_looks_whether_a_doubted_commit_has_the_code_before_it_writes(curator: Curator, work: Path) -> None:
    git(work, "init", "-q")
    (work / "cache.txt").write_text("a minute\n", encoding="utf-8")
    git(work, "add", "cache.txt")
    git(work, "commit", "-qm", "first")
    entry = kept(curator, "The cache lives a minute", files=["cache.txt"])
    (before,) = files(work).values()
    stored = curator.lessons.find(entry.id)
    doubted = tuple(anchor._replace(committed=False) for anchor in stored.anchors)
    after = stored._replace(anchors=doubted, headline="The cache lives for a minute", updated=stored.updated + 60)
    curator.store.apply([(Verb.EDIT, Change(before=stored, after=after))], actor="person", at=after.updated)
    assert app.settling.export(curator).written == 1
    (text,) = files(work).values()
    (commit,) = (line for line in before.split("\n") if line.startswith("    commit: "))
    assert commit in text.split("\n")
    app.staleness.check(curator)
    assert app.settling.export(curator).written == 0


def test_a_file_that_told_of_a_folder_outside_is_neither_widened_nor_removed(curator: Curator, work: Path) -> None:
    entry = kept(curator, "Use tabs", scope="paths", paths=("src",))
    app.settling.export(curator)
    before = files(work)
    stored = curator.lessons.find(entry.id)
    after = stored._replace(paths=("/Users/ann/tap",), updated=stored.updated + 1)
    curator.store.apply([(Verb.EDIT, Change(before=stored, after=after))], actor="person", at=after.updated)
    (refusal,) = app.settling.export(curator).refusals
    assert (refusal.file, before[refusal.file].split("\n")[refusal.line - 1]) == (next(iter(before)), "paths:")
    assert files(work) == before


def test_where_a_project_lies_is_asked_once_and_only_for_places_outside(make: Callable[..., Entry]) -> None:
    asked: list[int] = []

    def tops() -> list[str]:
        asked.append(1)
        return ["/srv/app"]

    inner = [make(files=("src/a.py",), paths=("web/**",)) for _ in range(2)]
    assert [*project_files.for_files(inner, tops)[0].values()] == inner
    assert not asked
    outer = [make(files=(place, "src/a.py")) for place in ("/srv/app/b.py", "~/c.py", "../d.py", "C:\\e.py")]
    told = project_files.for_files([*inner, *outer], tops)[0]
    assert [told[one.id].files for one in outer] == [("b.py", "src/a.py"), *[("src/a.py",)] * 3]
    assert len(asked) == 1
