"""What is forgotten leaves no text behind, anywhere, and never returns."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from curator import app
from curator.app import Curator, Resolution
from curator.errors import NothingToUndo, StoreBusy, UnknownId
from curator.model import Evidence, Kind, Line, Query, Relating, Relation, Role, State, Verb
from tests.app.conftest import Make, Open, Transcript, kept, put, scanned

SECRET = "the zanzibar constant"


@pytest.fixture
def curator(opened: Open, work: Path) -> Curator:
    return opened(folder=work, timeout=0.05)


def lessons(work: Path) -> list[Path]:
    return sorted((work / ".curator" / "lessons").glob("*.md"))


def rewrite(work: Path, old: str, new: str) -> Path:
    (path,) = lessons(work)
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    return path


def said(session: str = "s9", line: int = 7, quote: str = SECRET, file: str = "~/sessions/a.jsonl", **more: object) -> Evidence:
    place = {"file": file, "line": line, "line_end": line, "session": session}
    return Evidence(quote=quote, role=Role.HUMAN, **(place | more))  # type: ignore[arg-type]


def traces(curator: Curator, work: Path) -> list[str]:
    """The files of the home and the lesson files that hold the secret."""
    places = [*(path for path in curator.settings.home.rglob("*") if path.is_file()), *lessons(work)]
    return [path.name for path in places if SECRET.encode() in path.read_bytes()]


def test_forgotten_means_gone_everywhere_but_for_a_hash(curator: Curator, work: Path, tmp_path: Path, make: Make) -> None:
    (id_,) = put(curator, make(headline=SECRET, insight=SECRET, fingerprint="hash-1"))
    curator.decisions.accept([id_])
    app.settling.settle(curator, [id_])
    (path,) = lessons(work)
    text = path.read_text(encoding="utf-8")
    app.settling.export(curator, tmp_path / "elsewhere")
    done = app.forget.forget(curator, [id_])
    assert (done.count, done.warnings) == (1, ())
    assert lessons(work) == list((tmp_path / "elsewhere").iterdir()) == []
    has = curator.store.entries.has_tombstone
    assert (has("hash-1"), has("hash-0", "hash-1"), has("hash-0", "hash-2"), has()) == (True, True, False, False)
    path.write_text(text, encoding="utf-8")
    assert len(app.sync.import_folder(curator).refusals) == 1, "git does not bring it back either"
    assert curator.lessons.peek(id_) is None
    path.unlink()
    curator.close()
    assert traces(curator, work) == []


def test_a_file_changed_by_hand_is_named_and_never_brings_the_lesson_back(curator: Curator, work: Path) -> None:
    entry = kept(curator, SECRET)
    (path,) = lessons(work)
    path.write_text(path.read_text(encoding="utf-8") + "\n## Note\n\nmine\n", encoding="utf-8")
    (warning,) = app.forget.forget(curator, [entry.id]).warnings
    assert str(path) in warning
    (refused,) = app.settling.export(curator).refusals
    assert (refused.file, refused.line) == (path.name, 2)
    assert "forgotten here. Delete the file" in refused.reason
    assert path.exists()
    assert curator.lessons.peek(entry.id) is None


@pytest.mark.parametrize("headline", ["Stay calm", "Stay very calm"], ids=["file as it was", "file edited by hand"])
def test_its_evidence_leaves_what_it_was_merged_into(curator: Curator, work: Path, make: Make, headline: str) -> None:
    target = kept(curator, "Stay calm")
    (source,) = put(curator, make(session="s9", evidence=(said(),)))
    curator.decisions.merge([source], target.id)
    app.settling.settle(curator, [target.id])
    path = rewrite(work, "# Stay calm", f"# {headline}")
    assert SECRET in path.read_text(encoding="utf-8")
    assert app.forget.forget(curator, [source]).count == 1
    assert traces(curator, work) == []
    left = curator.lessons.find(target.id)
    assert (left.headline, left.evidence) == (headline, ())


def test_of_a_session_nothing_stays(curator: Curator, work: Path, make: Make) -> None:
    other = said("s2", 1, "other words", file="b.jsonl")
    mixed, alone = put(curator, make(session="s2", evidence=(other, said())), make(session="s2", evidence=(said(line=8),)))
    curator.decisions.accept([mixed])
    app.settling.settle(curator, [mixed])
    assert app.forget.forget(curator, session="s9").count == 1
    assert curator.lessons.peek(alone) is None
    assert curator.lessons.find(mixed).evidence == (other,)
    assert traces(curator, work) == []


def test_what_is_remembered_of_a_transcript_holds_no_words_of_it(curator: Curator, root: Path, work: Path) -> None:
    session = Transcript(root, work)
    session.calls("Bash", command=f"say {SECRET}")
    scanned(curator, root)
    (before,) = curator.store.sources.sources().values()
    assert SECRET in before.bookmark
    app.forget.forget(curator, session=session.session)
    (after,) = curator.store.sources.sources().values()
    assert f'"cwd":"{work}"' in after.bookmark, "but where it was said"
    assert traces(curator, work) == []


def test_excerpts_and_clashes_do_not_repeat_it(curator: Curator, work: Path, make: Make) -> None:
    old = make(state=State.ACTIVE, headline=SECRET, evidence=(said(),))
    near = said(line=9, quote="next", excerpt=(Line(Role.HUMAN, f"so: {SECRET}"), Line(Role.HUMAN, "next", hit=True)))
    clash = Relation(other=old.id, relating=Relating.CONTRADICTS, clash=((SECRET, "pnpm"),))
    _, judged, waiting = put(curator, old, make(evidence=(near,), rival=clash), make(rival=clash))
    curator.decisions.resolve([judged], Resolution.BOTH)
    app.forget.forget(curator, [old.id])
    assert traces(curator, work) == []
    assert [line.text for line in curator.lessons.find(judged).evidence[0].excerpt] == ["next"]
    assert curator.lessons.find(waiting).kind is Kind.CANDIDATE


def test_the_other_version_of_a_contested_lesson_goes_with_it(curator: Curator, work: Path) -> None:
    entry = kept(curator, "Base words")
    curator.decisions.edit(entry.id, headline="Database words")
    path = rewrite(work, "# Base words", f"# {SECRET}")
    app.settling.settle(curator, [entry.id])
    assert app.forget.forget(curator, [entry.id]).count == 2
    assert list(curator.lessons.entries(Query())) == []
    path.unlink(missing_ok=True)
    assert traces(curator, work) == []


def test_undo_redo_and_the_log_survive_it(curator: Curator, make: Make) -> None:
    stays, goes, target = put(curator, make(), make(), make(state=State.ACTIVE, evidence=(said(),)))
    curator.decisions.merge([goes], target)
    curator.decisions.drop([stays])
    before = curator.lessons.last_event()
    app.forget.forget(curator, [goes])
    touched = {id_ for _, _, id_ in curator.lessons.events_since(before)}
    assert touched == {goes, target}, "other windows notice"
    newest = curator.lessons.history(limit=1)[0]
    assert (newest.verb, newest.before, newest.after) == (Verb.FORGET, None, None)
    for event in (newest.seq, newest.seq - 1):
        with pytest.raises(NothingToUndo, match="can't undo `curator forget`"):
            curator.decisions.undo(event)
    assert curator.lessons.find(target).evidence == (said(),)
    assert [entry.id for entry in curator.decisions.undo().entries] == [stays]
    curator.decisions.redo()
    curator.decisions.undo()
    curator.decisions.undo()
    assert curator.lessons.find(target).evidence == (said(),)
    with pytest.raises(UnknownId):
        curator.lessons.find(goes)


def test_copies_from_before_and_text_in_the_write_ahead_log_are_named(curator: Curator, make: Make) -> None:
    (id_,) = put(curator, make())
    names = ["curator.db.replaced-2026-01-31", "curator.db.replaced-2026-02-01"]
    for name in names:
        (curator.settings.home / name).write_bytes(b"")
    with closing(sqlite3.connect(curator.settings.database, isolation_level=None)) as reading:
        reading.execute("BEGIN")
        reading.execute("SELECT count(*) FROM entries").fetchall()
        warnings = app.forget.forget(curator, [id_]).warnings
    for name, warning in zip(["curator.db-wal", *names], warnings, strict=True):
        assert name in warning


def test_while_the_database_is_locked_no_file_goes(curator: Curator, work: Path) -> None:
    entry = kept(curator, SECRET)
    with closing(sqlite3.connect(curator.settings.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy):
            app.forget.forget(curator, [entry.id])
    assert len(lessons(work)) == 1
    assert curator.lessons.peek(entry.id) is not None
