"""Lessons and their files in git: out, in, both at once; and the code under them."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from curator import app, lesson_files
from curator.app import Curator, Resolution, packs, suggest, sync
from curator.app.sessions.ingest import Ingest
from curator.errors import CuratorError
from curator.model import FROM_FILE, Category, Change, Durability, Entry, Kind, Query, State, Verb
from curator.model.codec import encode
from curator.settings import Settings
from curator.text import warnings
from tests.app.conftest import Make, Open, kept, put, statement, waiting
from tests.files import git


def folder(work: Path) -> Path:
    return work / ".curator" / "lessons"


def files(work: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder(work).glob("*.md"))}


def text(work: Path) -> str:
    """The only lesson file."""
    (found,) = files(work).values()
    return found


def headlines(work: Path) -> list[str]:
    return sorted(line[2:] for found in files(work).values() for line in found.split("\n") if line.startswith("# "))


def rewrite(work: Path, old: str, new: str) -> None:
    """Change a lesson file by hand."""
    found = {path: path.read_text(encoding="utf-8") for path in folder(work).glob("*.md")}
    (path,) = (path for path, words in found.items() if old in words)
    path.write_text(found[path].replace(old, new), encoding="utf-8")


def by_hand(work: Path, name: str, words: str) -> None:
    """Write a lesson file by hand."""
    folder(work).mkdir(parents=True, exist_ok=True)
    (folder(work) / name).write_text(words, encoding="utf-8")


def committed(work: Path, **code: str) -> None:
    """Make a repository with a commit of this code, by file names without their ``.py``."""
    git(work, "init", "-q")
    for name, words in code.items():
        (work / f"{name}.py").write_text(words, encoding="utf-8")
    git(work, "add", ".")
    git(work, "commit", "-qm", "first", "--allow-empty")


def edited(curator: Curator, entry: Entry, **changes: object) -> None:
    """Store what an edit of today would refuse."""
    before = curator.lessons.find(entry.id)
    after = before._replace(updated=before.updated + 60, **changes)  # type: ignore[arg-type]
    curator.store.apply([(Verb.EDIT, Change(before=before, after=after))], actor="person", at=after.updated)


def test_nothing_is_written_into_a_project_before_a_lesson_is_kept(curator: Curator, work: Path) -> None:
    app.settling.export(curator)
    assert list(work.iterdir()) == []
    entry = kept(curator, "Lint first")
    (name,) = files(work)
    assert name.startswith("lint-first-")
    curator.decisions.drop([entry.id])
    app.settling.settle(curator, [entry.id])
    assert "state: retired" in text(work)
    for _ in range(2):
        app.settling.settle(curator, [one.id for one in curator.decisions.undo().entries])
    assert files(work) == {}, "what is undone has no file"


def test_a_hand_edit_comes_back_in_and_is_not_rewritten(curator: Curator, work: Path) -> None:
    entry = kept(curator, "Lint first")
    rewrite(work, "# Lint first", "# Lint before the tests")
    mine = files(work)
    done = sync.import_folder(curator)
    assert (done.added, done.changed) == (0, 1)
    assert curator.lessons.find(entry.id).headline == "Lint before the tests"
    app.settling.export(curator)
    assert files(work) == mine


def test_no_file_pins_a_lesson_and_none_ends_a_pin(curator: Curator, work: Path) -> None:
    entry = kept(curator, "Lint first")
    rewrite(work, "durability: durable", "durability: pinned")
    sync.import_folder(curator)
    assert curator.lessons.find(entry.id).durability is Durability.DURABLE
    curator.decisions.edit(entry.id, durability=Durability.PINNED)
    app.settling.settle(curator, [entry.id])
    rewrite(work, "durability: pinned", "durability: temporary")
    sync.import_folder(curator)
    assert curator.lessons.find(entry.id).durability is Durability.PINNED


def test_a_colleagues_lesson_comes_in_by_git_pull(curator: Curator, opened: Open, work: Path) -> None:
    entry = kept(curator, "Lint first", insight="Because it is quick.")
    other = opened("theirs", work)
    assert sync.import_folder(other).waiting == 1
    assert other.lessons.find(entry.id).state is State.OPEN
    sync.accept(other)
    theirs = other.lessons.find(entry.id)
    assert (theirs.headline, theirs.insight, theirs.state) == ("Lint first", "Because it is quick.", State.ACTIVE)
    before = files(work)
    app.settling.export(other)
    assert files(work) == before, "what came in is not written out again"


TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=60).filter(lambda text: text.strip())


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=4))
def test_export_then_import_is_identity(tmp_path_factory: pytest.TempPathFactory, texts: list[tuple[str, str]]) -> None:
    work = tmp_path_factory.mktemp("app")
    curator, other = (Curator(Settings(home=tmp_path_factory.mktemp("home"))) for _ in range(2))
    for one in (curator, other):
        one.enter(str(work))
    curator.decisions.add("Lint first", files=["a.py"])
    for headline, insight in texts:
        if warnings.find(f"{headline}\n{insight}"):
            continue  # that would wait in an accepted repository, too
        try:
            curator.decisions.add(headline, insight=insight)
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


def test_a_file_removed_by_another_branch_retires_nothing(curator: Curator, work: Path) -> None:
    entry = kept(curator, "Lint first")
    for path in folder(work).iterdir():
        path.unlink()
    app.settling.settle(curator, [entry.id])
    assert curator.lessons.find(entry.id).state is State.ACTIVE
    assert files(work) == {}
    assert app.settling.export(curator).written == 1, "asked for by name, it is written again"


def test_lessons_of_an_absent_project_wait_with_us(opened: Open, tmp_path: Path) -> None:
    kept(opened(folder=tmp_path / "gone" / "app"), "Lint first")
    assert len(list((tmp_path / "home" / "exports").rglob("lint-first-*.md"))) == 1


# --- other folders, other projects --------------------------------------------------------------------------------------


@pytest.fixture
def beside(work: Path) -> Path:
    return work.with_name("beside")


@pytest.fixture
def elsewhere(opened: Open, other: Path) -> Curator:
    """The same database in the folder of another project."""
    return opened(folder=other)


def second_clone(curator: Curator, opened: Open, work: Path, beside: Path) -> Curator:
    """Another work tree of the same project beside the first, with its files as they are now."""
    assert curator.project is not None
    shutil.copytree(work, beside)
    other = opened()
    other.project = curator.project._replace(folder=str(beside))
    return other


def test_an_old_file_of_another_work_tree_changes_nothing(curator: Curator, opened: Open, work: Path, beside: Path) -> None:
    entry, retired = kept(curator, "Old words"), kept(curator, "Retire me")
    other = second_clone(curator, opened, work, beside)
    curator.decisions.edit(entry.id, headline="New words")
    curator.decisions.drop([retired.id])
    app.settling.settle(curator, [entry.id, retired.id])
    done = app.settling.export(other)
    assert (done.changed, done.conflicts) == (0, [])
    assert curator.lessons.find(entry.id).headline == "New words"
    assert curator.lessons.find(retired.id).state is State.RETIRED
    assert headlines(beside) == ["New words", "Retire me"]
    assert app.settling.export(other).written == 0


def test_a_hand_edit_elsewhere_changes_the_version_it_is_of(curator: Curator, opened: Open, work: Path, beside: Path) -> None:
    entry = kept(curator, "Lint first", insight="It is quick.")
    other = second_clone(curator, opened, work, beside)
    rewrite(beside, "It is quick.", "It takes a second.")
    curator.decisions.edit(entry.id, headline="Lint before anything")
    sync.accept(other)  # a copy is another repository: it would be asked about
    assert app.settling.export(other).conflicts == []
    now = curator.lessons.find(entry.id)
    assert (now.headline, now.insight) == ("Lint before anything", "It takes a second.")
    assert headlines(beside) == ["Lint before anything"]


def test_without_a_common_version_a_person_decides(curator: Curator, work: Path, tmp_path: Path) -> None:
    entry = kept(curator, "Lint first")
    theirs = tmp_path / "theirs"
    app.settling.export(curator, theirs)
    for path in theirs.iterdir():
        found = re.sub(r"updated: .*", "updated: 2001-01-01T00:00:00Z", path.read_text(encoding="utf-8"))
        path.write_text(found.replace("# Lint first", "# Lint last"), encoding="utf-8")
    shutil.copytree(theirs, tmp_path / "colleague")
    done = sync.import_folder(curator, tmp_path / "colleague")
    assert (done.changed, len(done.conflicts)) == (0, 1)
    assert curator.lessons.find(entry.id).headline == "Lint first"


def test_an_old_file_edited_after_it_was_read_brings_only_the_edit(curator: Curator, work: Path, tmp_path: Path) -> None:
    entry = kept(curator, "Old words", insight="It is quick.", files=["a.py"])
    copy = tmp_path / "copy"
    shutil.copytree(folder(work), folder(copy))
    same = sync.import_folder(curator, folder(copy))
    assert (same.added, same.changed, same.conflicts) == (0, 0, [])
    assert app.settling.export(curator, folder(copy)).written == 0, "what is the same is no conflict"
    curator.decisions.edit(entry.id, headline="New words")
    assert sync.import_folder(curator, folder(copy)).changed == 0
    rewrite(copy, "It is quick.", "It takes a second.")
    assert sync.import_folder(curator, folder(copy)).changed == 1
    now = curator.lessons.find(entry.id)
    assert (now.headline, now.insight) == ("New words", "It takes a second.")


def test_no_file_speaks_for_another_projects_lesson(curator: Curator, elsewhere: Curator, work: Path, other: Path) -> None:
    entry = kept(curator, "Mine")
    shutil.copytree(work / ".curator", other / ".curator")
    rewrite(other, "# Mine", "# Evil")
    before = files(other)
    (refused,) = sync.import_folder(elsewhere).refusals
    assert refused.line == 2
    assert f"{entry.id} is a lesson of the project app" in refused.reason
    app.settling.export(elsewhere)
    assert files(other) == before
    assert curator.lessons.find(entry.id).headline == "Mine"


def test_a_relative_folder_is_the_one_below_where_a_person_stands(
    curator: Curator, elsewhere: Curator, work: Path, other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(curator, "Rule of mine")
    kept(elsewhere, "Rule of theirs")
    for one, place in ((curator, work), (elsewhere, other), (curator, work)):
        monkeypatch.chdir(place)
        app.settling.export(one, Path("out"))
    assert [path.name.rpartition("-")[0].rpartition("-")[0] for path in (work / "out").iterdir()] == ["rule-of-mine"]
    assert len(list((other / "out").iterdir())) == 1
    assert len(curator.store.files.in_folder(str(work / "out"))) == 1
    assert curator.store.files.in_folder("out") == {}, "a name that means another folder elsewhere"


def test_a_shared_folder_gets_no_lesson_of_another_project(curator: Curator, elsewhere: Curator, tmp_path: Path) -> None:
    kept(curator, "Rule of mine")
    shared = tmp_path / "shared"
    app.settling.export(curator, shared)
    for path in shared.iterdir():
        path.unlink()
    app.settling.export(elsewhere, shared)
    assert list(shared.iterdir()) == []


def test_files_are_written_in_the_current_folder(curator: Curator, opened: Open, work: Path, beside: Path, make: Make) -> None:
    kept(curator, "Lint first")
    other = second_clone(curator, opened, work, beside)
    (id_,) = put(curator, make(headline="Test last"))
    other.decisions.accept([id_])
    app.settling.settle(other, [id_])
    assert headlines(work) == ["Lint first"]
    assert headlines(beside) == ["Lint first", "Test last"]
    assert curator.projects()[curator.scope or ""].folder == str(beside), "and remembered"


def test_files_are_written_where_a_project_has_moved_to(curator: Curator, opened: Open, work: Path, make: Make) -> None:
    committed(work)
    project = curator.enter(str(work))
    curator.store.sources.remember(project, str(work))
    (id_,) = put(curator, make(project=project.id, headline="Test last"))
    moved = work.rename(work.with_name("moved"))
    anywhere = opened()
    anywhere.cwd = str(moved)
    app.settling.settle(anywhere, [entry.id for entry in anywhere.decisions.accept([id_]).entries])
    assert headlines(moved) == ["Test last"]
    assert not work.exists()


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
    by_hand(work, "say-hi-hello-world.md", BY_HAND)
    sync.accept(curator)
    app.settling.export(curator)
    entry = curator.lessons.find("hello-world")  # an id that is none of ours
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


# --- a lesson and its file disagree -------------------------------------------------------------------------------------


@pytest.fixture
def contested(curator: Curator, work: Path) -> Entry:
    entry = kept(curator, "Base words")
    curator.decisions.edit(entry.id, headline="Database words")
    rewrite(work, "# Base words", "# File words")
    app.settling.settle(curator, [entry.id])
    return entry


def card(curator: Curator) -> Entry:
    (found,) = waiting(curator)
    return found


def test_until_a_person_decides_neither_side_is_written(curator: Curator, work: Path, contested: Entry) -> None:
    first = card(curator)
    assert (first.kind, first.headline) == (Kind.CONFLICT, "File words")
    curator.decisions.edit(contested.id, category=Category.TOOLING)
    rewrite(work, "# File words", "# File words, again")
    app.settling.export(curator)
    assert headlines(work) == ["File words, again"]
    assert curator.lessons.find(contested.id).headline == "Database words"
    assert (card(curator).id, card(curator).headline) == (first.id, "File words, again"), "one card, brought up to date"
    assert app.settling.export(curator).conflicts == []


def test_where_the_older_side_stays_it_is_written_over_the_file(curator: Curator, work: Path, contested: Entry) -> None:
    decided = card(curator)
    curator.decisions.resolve([decided.id], Resolution.OLDER)
    app.settling.settle(curator, [decided.id])
    assert headlines(work) == ["Database words"]
    assert app.settling.export(curator).conflicts == []


def test_where_the_file_wins_the_lesson_takes_its_words(curator: Curator, work: Path, contested: Entry) -> None:
    (name,) = files(work)
    rewrite(work, "category: convention", "category: tooling")
    app.settling.settle(curator, [contested.id])
    decided = card(curator)
    assert suggest(decided) is Resolution.NEWER
    curator.decisions.accept([decided.id])
    app.settling.settle(curator, [decided.id, contested.id])
    lesson = curator.lessons.find(contested.id)
    assert (lesson.headline, lesson.category, lesson.state) == ("File words", Category.TOOLING, State.ACTIVE)
    merged = curator.lessons.find(decided.id)
    assert (merged.state, merged.merged_into) == (State.MERGED, contested.id)
    assert (headlines(work), list(files(work))) == (["File words"], [name])
    assert app.settling.export(curator).conflicts == []
    curator.decisions.undo()
    app.settling.settle(curator, [decided.id, contested.id])
    assert curator.lessons.find(contested.id).headline == "Database words"
    assert card(curator).id == decided.id
    assert headlines(work) == ["Database words"], "what was taken back is in no commit"
    clash = "clash:\n  - field: category\n    theirs: tooling\n  - field: headline\n    theirs: File words\n"
    assert clash in text(work)
    again = app.settling.export(curator)
    assert (again.written, again.conflicts, card(curator).id) == (0, [], decided.id), "the question is open again, once"
    curator.decisions.resolve([decided.id], Resolution.OLDER)
    app.settling.settle(curator, [decided.id])
    assert "clash:" not in text(work), "and is gone with the next answer"


@pytest.mark.parametrize("way", [Resolution.OLDER, Resolution.NEWER])
def test_a_decided_version_is_no_dropped_lesson_and_teaches_nothing(curator: Curator, work: Path, way: Resolution) -> None:
    lesson = kept(curator, "Never edit vendor/ by hand, the nightly sync overwrites it")
    curator.decisions.edit(lesson.id, category=Category.TOOLING)
    rewrite(work, "category: convention", "category: constraint")
    app.settling.settle(curator, [lesson.id])
    decided = card(curator)
    curator.decisions.resolve([decided.id], way)
    app.settling.settle(curator, [decided.id, lesson.id])
    dropped = curator.lessons.library((State.DISMISSED, State.MERGED))
    assert [entry.id for entry in curator.lessons.entries(dropped)] == [decided.id], "it is known, so that it is asked once"
    assert list(curator.lessons.entries(dropped._replace(versions=False))) == []
    again = statement("vendor/ must never be edited by hand: the nightly sync overwrites it")
    assert Ingest(curator).propose(again, lesson.project) is not None, "the lesson's own words are not turned down"
    assert FROM_FILE not in app.statistics.summary(curator)["signals"]


def test_a_file_that_is_mended_to_agree_takes_its_card_back(curator: Curator, work: Path, contested: Entry) -> None:
    rewrite(work, "# File words", "# Database words")
    app.settling.export(curator)
    assert waiting(curator) == []
    curator.decisions.edit(contested.id, headline="Other words")
    app.settling.settle(curator, [contested.id])
    assert headlines(work) == ["Other words"]


# --- the code under them ------------------------------------------------------------------------------------------------


def test_a_lesson_whose_file_changed_becomes_a_stale_card_with_the_diff(curator: Curator, work: Path) -> None:
    committed(work, cache="TTL = 60\n")
    entry = kept(curator, "The cache lives a minute", files=["cache.py"])
    code = work / "cache.py"
    assert app.staleness.check(curator) == []
    code.write_text("TTL = 3600  # \x1b]0;owned\x07 AKIAIOSFODNN7EXAMPLE\n", encoding="utf-8")
    assert [found.id for found in app.staleness.check(curator)] == [entry.id]
    diff = card(curator).findings[0].diff
    assert card(curator).kind is Kind.STALE
    assert "-TTL = 60" in diff
    assert "+TTL = 3600" in diff
    assert not [hostile for hostile in ("\x1b", "AKIAIOSFODNN7EXAMPLE") if hostile in diff]
    assert app.staleness.check(curator) == [], "said once"
    code.write_text("TTL = 60\n", encoding="utf-8")
    app.staleness.check(curator)
    assert waiting(curator) == [], "it is as it was"


def test_files_named_later_are_watched_too(curator: Curator, work: Path) -> None:
    for name in ("a.py", "b.py"):
        (work / name).write_text("1", encoding="utf-8")
    entry = kept(curator, "Mind the files", files=["a.py"])
    curator.decisions.edit(entry.id, files=("a.py", "b.py"))
    (work / "a.py").write_text("2", encoding="utf-8")
    app.settling.settle(curator, [entry.id])
    assert [anchor.path for anchor in curator.lessons.find(entry.id).anchors] == ["a.py", "b.py"]
    found = [finding.path for one in app.staleness.check(curator) for finding in one.findings]
    assert found == ["a.py"], "the first as it was"


def test_without_automatic_files_a_followed_move_waits_for_an_export(curator: Curator, opened: Open, work: Path) -> None:
    committed(work, cache="def lives():\n    return 60 * 60 + len(str(3600))\n")
    entry = kept(curator, "lives() is an hour", files=["cache.py"])
    before = files(work)
    git(work, "mv", "cache.py", "store.py")
    quiet = opened(export=False)
    quiet.project = curator.project
    assert [found.files for found in app.staleness.check(quiet)] == [("store.py",)]
    assert files(work) == before
    rewrite(work, "# lives() is an hour", "# lives() is one hour")
    assert app.settling.export(curator).written == 1, "and what git brought meanwhile takes nothing back"
    assert "- store.py" in text(work)
    assert headlines(work) == ["lives() is one hour"]
    assert curator.lessons.find(entry.id).files == ("store.py",)
    assert app.settling.export(curator).written == 0
    git(work, "mv", "store.py", "shelf.py")
    rewrite(work, "# lives() is one hour", "# lives() is sixty minutes")
    changed = files(work)
    app.staleness.check(curator)
    assert files(work) == changed, "a check writes over no hand"
    assert app.settling.export(curator).written == 1
    assert "- shelf.py" in text(work)
    assert headlines(work) == ["lives() is sixty minutes"]


def test_an_anchor_that_is_dated_later_is_written(curator: Curator, work: Path) -> None:
    committed(work)
    (work / "cache.py").write_text("def lives():\n    return 60\n", encoding="utf-8")
    entry = kept(curator, "lives() is a minute", files=["cache.py"])
    before = text(work)
    git(work, "add", "cache.py")
    git(work, "commit", "-qm", "second")
    app.settling.settle(curator, [entry.id])
    (anchor,) = curator.lessons.find(entry.id).anchors
    assert [f"commit: {anchor.commit}\n" in one for one in (before, text(work))] == [False, True]


def test_an_export_looks_whether_a_doubted_commit_has_the_code_before_it_writes(curator: Curator, work: Path) -> None:
    committed(work, cache="'a minute'\n")
    entry = kept(curator, "The cache lives a minute", files=["cache.py"])
    (commit,) = (line for line in text(work).split("\n") if line.startswith("    commit: "))
    doubted = tuple(anchor._replace(committed=False) for anchor in curator.lessons.find(entry.id).anchors)
    edited(curator, entry, anchors=doubted, headline="The cache lives for a minute")
    assert app.settling.export(curator).written == 1
    assert commit in text(work).split("\n")
    app.staleness.check(curator)
    assert app.settling.export(curator).written == 0


# --- places outside the project -----------------------------------------------------------------------------------------

OUTSIDE = "/Users/ann/tap"


def told(work: Path) -> Iterator[Entry]:
    for name, words in files(work).items():
        lesson = lesson_files.lesson.parse(words, name)
        assert lesson
        yield lesson


def test_files_and_packs_tell_of_no_place_outside_the_project(curator: Curator, work: Path, make: Make) -> None:
    places, named = (OUTSIDE, f"{work}/src", "web/**"), (f"{OUTSIDE}/a.rb", f"{work}/b.py")
    both, lost, whole = (
        make(id="AAAA-0001", scope="paths", paths=places, files=named),
        make(id="AAAA-0002", scope="paths", paths=(OUTSIDE,)),
        make(id="AAAA-0003", paths=(OUTSIDE,)),
    )
    put(curator, both, lost, whole)
    curator.decisions.accept([both.id, lost.id, whole.id])
    (refusal,) = app.settling.export(curator).refusals
    assert refusal.file.endswith("-aaaa-0002.md")
    assert "curator edit AAAA-0002 --scope" in refusal.reason
    assert {one.id: (one.scope, one.paths, one.files) for one in told(work)} == {
        "AAAA-0001": ("paths", ("src", "web/**"), ("b.py",)),
        "AAAA-0003": ("project", (), ()),
    }
    assert OUTSIDE not in "".join(files(work).values())
    assert app.settling.export(curator).written == 0
    assert curator.lessons.find(lost.id).paths == (OUTSIDE,), "here it goes on as it is"
    block = packs.pack(curator)
    assert (set(block.lessons), block.left_out) == ({both.id, whole.id}, 1)
    assert "web/**:" in block.text
    assert OUTSIDE not in block.text
    curator.decisions.edit(lost.id, paths=("src",))
    assert not app.settling.export(curator).refusals
    assert len(files(work)) == 3


def test_a_file_that_told_of_a_folder_outside_is_neither_widened_nor_removed(curator: Curator, work: Path) -> None:
    entry = kept(curator, "Use tabs", scope="paths", paths=("src",))
    before = files(work)
    edited(curator, entry, paths=(OUTSIDE,))
    (refusal,) = app.settling.export(curator).refusals
    assert (refusal.file, before[refusal.file].split("\n")[refusal.line - 1]) == (next(iter(before)), "paths:")
    assert files(work) == before
