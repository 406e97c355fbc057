"""Lessons and their files in git: out, in, both at once; and the code under them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from curator import export
from curator.errors import CuratorError
from curator.model import Entry, Kind, Query, State
from curator.service import Curator, Resolution
from curator.settings import Settings


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "app"
    folder.mkdir()
    return folder


@pytest.fixture
def curator(tmp_path: Path, work: Path) -> Iterator[Curator]:
    opened = Curator(Settings(home=tmp_path / "home"))
    opened.enter(str(work))
    yield opened
    opened.close()


def kept(curator: Curator, text: str, **more: object) -> Entry:
    entry = curator.add(text, **more).entries[0]  # type: ignore[arg-type]
    curator.settle([entry.id])
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
    curator.export()
    assert list(work.iterdir()) == []
    kept(curator, "Lint first")
    (name,) = files(work)
    assert name.startswith("lint-first-")


def test_a_second_export_writes_nothing_and_one_change_writes_one(curator: Curator, work: Path) -> None:
    entries = [kept(curator, f"Rule {n}") for n in range(20)]
    before = {path: path.stat().st_mtime_ns for path in (work / ".curator" / "lessons").iterdir()}
    again = curator.export()
    assert (again.written, again.unchanged) == (0, 20)
    assert {path: path.stat().st_mtime_ns for path in (work / ".curator" / "lessons").iterdir()} == before
    curator.edit(entries[3].id, headline="Rule three")
    assert curator.export().written == 1


def test_a_one_word_change_is_a_small_diff(curator: Curator, work: Path) -> None:
    entry = kept(curator, "Lint first", insight="Lint runs before the tests. It takes a second.")
    (before,) = files(work).values()
    curator.edit(entry.id, insight="Lint runs before the build. It takes a second.")
    curator.settle([entry.id])
    (after,) = files(work).values()
    changed = [line for line in after.split("\n") if line not in before.split("\n")]
    assert len(changed) <= 2, changed  # the sentence, and the time of the change


def test_undo_takes_the_file_away_again(curator: Curator, work: Path) -> None:
    entry = kept(curator, "Lint first")
    outcome = curator.undo()
    curator.store.sources.remember(curator.project, str(work))  # type: ignore[arg-type]
    curator.export()
    assert outcome.entries[0].id == entry.id
    assert files(work) == {}


def test_retired_lessons_say_so_in_their_file(curator: Curator, work: Path) -> None:
    entry = kept(curator, "Lint first")
    curator.drop([entry.id])
    curator.settle([entry.id])
    assert "state: retired" in next(iter(files(work).values()))


def test_a_hand_edit_comes_back_in_and_is_not_rewritten(curator: Curator, work: Path) -> None:
    entry = kept(curator, "Lint first")
    rewrite(work, "# Lint first", "# Lint before the tests")
    mine = files(work)
    done = curator.take_in()
    assert (done.added, done.changed) == (0, 1)
    assert curator.find(entry.id).headline == "Lint before the tests"
    curator.export()
    assert files(work) == mine


def test_a_colleagues_lesson_comes_in_by_git_pull(curator: Curator, work: Path, tmp_path: Path) -> None:
    entry = kept(curator, "Lint first", insight="Because it is quick.")
    other = Curator(Settings(home=tmp_path / "theirs"))
    other.enter(str(work))
    assert other.take_in().added == 1
    theirs = other.find(entry.id)
    assert (theirs.headline, theirs.insight, theirs.state) == ("Lint first", "Because it is quick.", State.ACTIVE)
    before = files(work)
    other.export()
    assert files(work) == before, "what came in is not written out again"
    other.close()


def test_the_database_can_be_rebuilt_from_the_files(curator: Curator, work: Path, tmp_path: Path) -> None:
    for n in range(5):
        kept(curator, f"Rule {n}", files=["a.py"])
    mine = [export.normal(entry) for entry in curator.entries(Query())]
    other = Curator(Settings(home=tmp_path / "rebuilt"))
    other.enter(str(work))
    other.take_in()
    rebuilt = [export.normal(entry) for entry in other.entries(Query())]
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
        try:
            curator.add(headline, insight=insight)
        except CuratorError:
            continue  # nothing was left of it once it was cleaned
    curator.export()
    done = other.take_in()
    assert done.refused == []
    before = {entry.id: export.normal(entry) for entry in curator.entries(Query())}
    assert {entry.id: export.normal(entry) for entry in other.entries(Query())} == before
    assert other.export().written == 0
    curator.close()
    other.close()


def test_both_sides_changed_in_different_fields_are_joined(curator: Curator, work: Path) -> None:
    entry = kept(curator, "Lint first", insight="Because it is quick.")
    curator.edit(entry.id, headline="Lint before anything")
    rewrite(work, "Because it is quick.", "Because it takes a second.")
    done = curator.export()
    assert done.conflicts == []
    now = curator.find(entry.id)
    assert (now.headline, now.insight) == ("Lint before anything", "Because it takes a second.")
    assert "# Lint before anything" in next(iter(files(work).values()))


def test_both_sides_changed_in_the_same_field_are_a_conflict_card(curator: Curator, work: Path) -> None:
    entry = kept(curator, "Lint first")
    curator.edit(entry.id, headline="Lint before anything")
    rewrite(work, "# Lint first", "# Lint last")
    text = files(work)
    done = curator.export()
    assert len(done.conflicts) == 1
    assert files(work) == text, "the file is left alone until a person has decided"
    card = curator.find(done.conflicts[0])
    assert (card.kind, card.headline) == (Kind.CONFLICT, "Lint last")
    assert [item.id for item in curator.entries(curator.waiting())] == [card.id]
    assert curator.export().conflicts == [], "asked once"
    curator.resolve([card.id], Resolution.OLDER)
    curator.export()
    assert curator.find(entry.id).headline == "Lint before anything"


def test_malformed_and_conflicted_files_are_named_and_left(curator: Curator, work: Path) -> None:
    kept(curator, "Lint first")
    folder = work / ".curator" / "lessons"
    (folder / "broken-aaaa-0001.md").write_text("---\nid: AAAA-0001\nstate: [\n---\n", encoding="utf-8")
    rewrite(work, "# Lint first", "<<<<<<< HEAD\n# Lint first\n=======\n# Lint last\n>>>>>>> theirs")
    before = files(work)
    done = curator.take_in()
    assert sorted(item.file.split("-")[0] for item in done.refused) == ["broken", "lint"]
    assert all(item.line > 0 and item.reason for item in done.refused)
    curator.export()
    assert files(work) == before
    assert next(iter(curator.entries(curator.library()))).headline == "Lint first"


def test_a_file_removed_by_another_branch_retires_nothing(curator: Curator, work: Path) -> None:
    entry = kept(curator, "Lint first")
    for path in (work / ".curator" / "lessons").iterdir():
        path.unlink()
    curator.settle([entry.id])
    assert curator.find(entry.id).state is State.ACTIVE
    assert files(work) == {}
    assert curator.export().written == 1, "asked for by name, it is written again"


def test_lessons_of_an_absent_project_wait_with_us(tmp_path: Path) -> None:
    curator = Curator(Settings(home=tmp_path / "home"))
    curator.enter("/nowhere/on/this/machine/app")
    entry = curator.add("Lint first").entries[0]
    curator.settle([entry.id])
    assert len(list((tmp_path / "home" / "exports").rglob("lint-first-*.md"))) == 1
    curator.close()


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)


def test_a_lesson_whose_file_changed_becomes_a_stale_card_with_the_diff(curator: Curator, work: Path) -> None:
    git(work, "init", "-q")
    (work / "cache.py").write_text("TTL = 60\n", encoding="utf-8")
    git(work, "add", ".")
    git(work, "commit", "-qm", "first")
    entry = kept(curator, "The cache lives a minute", files=["cache.py"])
    assert curator.check() == []
    (work / "cache.py").write_text("TTL = 3600\n", encoding="utf-8")
    assert [found.id for found in curator.check()] == [entry.id]
    (card,) = curator.entries(curator.waiting())
    assert card.kind is Kind.STALE
    assert "-TTL = 60" in card.findings[0].diff
    assert "+TTL = 3600" in card.findings[0].diff
    assert curator.check() == [], "said once"
    curator.accept([entry.id])
    assert curator.check() == [], "confirmed for the code as it is now"
    (work / "cache.py").unlink()
    assert curator.check()[0].findings[0].change == "gone"


def test_a_file_that_is_as_it_was_again_is_no_longer_stale(curator: Curator, work: Path) -> None:
    (work / "cache.py").write_text("TTL = 60\n", encoding="utf-8")
    kept(curator, "The cache lives a minute", files=["cache.py"])
    (work / "cache.py").write_text("TTL = 61\n", encoding="utf-8")
    curator.check()
    (work / "cache.py").write_text("TTL = 60\n", encoding="utf-8")
    curator.check()
    assert list(curator.entries(curator.waiting())) == []


def test_a_hostile_diff_is_cleaned(curator: Curator, work: Path) -> None:
    git(work, "init", "-q")
    (work / "a.txt").write_text("one\n", encoding="utf-8")
    git(work, "add", ".")
    git(work, "commit", "-qm", "first")
    kept(curator, "Mind a.txt", files=["a.txt"])
    (work / "a.txt").write_text("two \x1b]0;owned\x07 AKIAIOSFODNN7EXAMPLE\n", encoding="utf-8")
    diff = curator.check()[0].findings[0].diff
    assert "two" in diff
    assert "\x1b" not in diff
    assert "AKIAIOSFODNN7EXAMPLE" not in diff
