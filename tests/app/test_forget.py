"""What is forgotten leaves no text behind, anywhere, and never returns."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from curator import app
from curator.app import Curator, Resolution
from curator.errors import NothingToUndo, StoreBusy, UnknownId
from curator.model import Change, Entry, Evidence, Kind, Line, Query, Relating, Relation, Role, State, Verb
from curator.settings import Settings

Make = Callable[..., Entry]
SECRET = "the zanzibar constant"


@pytest.fixture
def curator(tmp_path: Path, work: Path) -> Iterator[Curator]:
    opened = Curator(Settings(home=tmp_path / "home"), timeout=0.05)
    opened.enter(str(work))
    yield opened
    opened.close()


def put(curator: Curator, *entries: Entry) -> tuple[Entry, ...]:
    assert curator.project is not None
    own = tuple(entry._replace(project=curator.project.id) for entry in entries)
    curator.store.apply([(Verb.PROPOSE, Change(before=None, after=entry)) for entry in own], actor="detector", at=1.0)
    return own


def kept(curator: Curator, text: str = SECRET) -> Entry:
    (entry,) = curator.verdicts.add(text).entries
    app.settling.settle(curator, [entry.id])
    return entry


def lessons(work: Path) -> list[Path]:
    return sorted((work / ".curator" / "lessons").glob("*.md"))


def said(session: str = "s9", line: int = 7, quote: str = SECRET, **more: object) -> Evidence:
    place = {"file": "~/sessions/a.jsonl", "line": line, "line_end": line, "session": session}
    return Evidence(quote=quote, role=Role.HUMAN, **(place | more))  # type: ignore[arg-type]


def traces(curator: Curator, text: str = SECRET) -> list[str]:
    home = curator.settings.home
    return [path.name for path in home.iterdir() if path.is_file() and text.encode() in path.read_bytes()]


def test_a_file_changed_by_hand_is_named_and_never_brings_the_lesson_back(curator: Curator, work: Path) -> None:
    entry = kept(curator)
    (path,) = lessons(work)
    path.write_text(path.read_text(encoding="utf-8") + "\n## Note\n\nmine\n", encoding="utf-8")
    (warning,) = app.forget.forget(curator, [entry.id]).warnings
    assert str(path) in warning
    (refused,) = app.settling.export(curator).refusals
    assert (refused.file, refused.line) == (path.name, 2)
    assert "forgotten here; delete the file" in refused.reason
    assert path.exists()
    assert curator.lessons.peek(entry.id) is None


def test_git_does_not_bring_it_back_either(curator: Curator, work: Path) -> None:
    entry = kept(curator)
    (path,) = lessons(work)
    text = path.read_text(encoding="utf-8")
    assert app.forget.forget(curator, [entry.id]).warnings == ()
    assert lessons(work) == []
    path.write_text(text, encoding="utf-8")
    assert len(app.sync.bring(curator).refusals) == 1
    assert curator.lessons.peek(entry.id) is None


def test_every_folder_with_its_file_is_cleared(curator: Curator, work: Path, tmp_path: Path) -> None:
    entry = kept(curator)
    app.settling.export(curator, tmp_path / "elsewhere")
    app.forget.forget(curator, [entry.id])
    assert lessons(work) == []
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_its_evidence_leaves_what_it_was_merged_into(curator: Curator, work: Path, make: Make) -> None:
    target = kept(curator, "Stay calm")
    (source,) = put(curator, make(session="s9", evidence=(said(),)))
    curator.verdicts.merge([source.id], target.id)
    app.settling.settle(curator, [target.id])
    (path,) = lessons(work)
    assert SECRET in path.read_text(encoding="utf-8")
    assert app.forget.forget(curator, [source.id]).count == 1
    assert traces(curator) == []
    assert SECRET not in path.read_text(encoding="utf-8")
    assert curator.lessons.find(target.id).evidence == ()
    assert curator.lessons.find(target.id).headline == "Stay calm"


def test_of_a_session_nothing_stays(curator: Curator, work: Path, make: Make) -> None:
    other = said("s2", 1, "other words", file="b.jsonl")
    mixed = make(session="s2", evidence=(other, said()))
    alone = make(session="s2", evidence=(said(line=8),))
    put(curator, mixed, alone)
    curator.verdicts.accept([mixed.id])
    app.settling.settle(curator, [mixed.id])
    assert app.forget.forget(curator, session="s9").count == 1
    assert curator.lessons.peek(alone.id) is None
    assert curator.lessons.find(mixed.id).evidence == (other,)
    assert traces(curator) == []
    assert SECRET not in lessons(work)[0].read_text(encoding="utf-8")


def test_what_is_remembered_of_a_transcript_holds_no_words_of_it(curator: Curator, make: Make, tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": f"say {SECRET}"}}
    message = {"role": "assistant", "content": [call]}
    record = {"type": "assistant", "uuid": "u1", "sessionId": "s9", "cwd": "/w/app", "message": message}
    path = tmp_path / "projects" / "-w-app" / "s9.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    app.scan.scan(curator, roots=[tmp_path / "projects"])
    (before,) = curator.store.sources.sources().values()
    assert SECRET in before.bookmark
    app.forget.forget(curator, session="s9")
    (after,) = curator.store.sources.sources().values()
    assert SECRET not in after.bookmark
    assert '"cwd":"/w/app"' in after.bookmark, "but where it was said"
    assert traces(curator) == []


def test_excerpts_and_clashes_do_not_repeat_it(curator: Curator, make: Make) -> None:
    old = make(state=State.ACTIVE, headline=SECRET, evidence=(said(),))
    near = said(line=9, quote="next", excerpt=(Line(Role.HUMAN, f"so: {SECRET}"), Line(Role.HUMAN, "next", hit=True)))
    clash = Relation(other=old.id, relating=Relating.CONTRADICTS, clash=((SECRET, "pnpm"),))
    judged, waiting = make(evidence=(near,), rival=clash), make(rival=clash)
    put(curator, old, judged, waiting)
    curator.verdicts.resolve([judged.id], Resolution.BOTH)
    app.forget.forget(curator, [old.id])
    assert traces(curator) == []
    assert [line.text for line in curator.lessons.find(judged.id).evidence[0].excerpt] == ["next"]
    assert curator.lessons.find(waiting.id).kind is Kind.CANDIDATE


def test_the_other_version_of_a_contested_lesson_goes_with_it(curator: Curator, work: Path) -> None:
    entry = kept(curator, "Base words")
    curator.verdicts.edit(entry.id, headline="Database words")
    (path,) = lessons(work)
    path.write_text(path.read_text(encoding="utf-8").replace("# Base words", f"# {SECRET}"), encoding="utf-8")
    app.settling.settle(curator, [entry.id])
    assert app.forget.forget(curator, [entry.id]).count == 2
    assert list(curator.lessons.entries(Query())) == []
    assert traces(curator) == []


def test_a_merged_in_quote_does_not_return_with_a_file(curator: Curator, work: Path, make: Make) -> None:
    target = kept(curator, "Stay calm")
    (source,) = put(curator, make(session="s9", evidence=(said(),)))
    curator.verdicts.merge([source.id], target.id)
    app.settling.settle(curator, [target.id])
    (path,) = lessons(work)
    path.write_text(path.read_text(encoding="utf-8").replace("# Stay calm", "# Stay very calm"), encoding="utf-8")
    app.forget.forget(curator, [source.id])
    assert curator.lessons.find(target.id).headline == "Stay very calm"
    assert curator.lessons.find(target.id).evidence == ()
    assert SECRET not in path.read_text(encoding="utf-8")
    assert traces(curator) == []


def test_undo_redo_and_the_log_survive_it(curator: Curator, make: Make) -> None:
    stays, goes, target = put(curator, make(), make(), make(state=State.ACTIVE, evidence=(said(),)))
    curator.verdicts.merge([goes.id], target.id)
    curator.verdicts.drop([stays.id])
    before = curator.lessons.last_event()
    app.forget.forget(curator, [goes.id])
    touched = {id_ for _, _, id_ in curator.lessons.events_since(before)}
    assert touched == {goes.id, target.id}, "other windows notice"
    newest = curator.lessons.history(limit=1)[0]
    assert (newest.verb, newest.before, newest.after) == (Verb.FORGET, None, None)
    for event in (newest.seq, newest.seq - 1):
        with pytest.raises(NothingToUndo, match="brought back"):
            curator.verdicts.undo(event)
    assert curator.lessons.find(target.id).evidence == (said(),)
    assert [entry.id for entry in curator.verdicts.undo().entries] == [stays.id]
    curator.verdicts.redo()
    curator.verdicts.undo()
    curator.verdicts.undo()
    assert curator.lessons.find(target.id).evidence == (said(),)
    with pytest.raises(UnknownId):
        curator.lessons.find(goes.id)


def test_text_in_the_write_ahead_log_is_spoken_of(curator: Curator, make: Make) -> None:
    (entry,) = put(curator, make(headline=SECRET))
    with closing(sqlite3.connect(curator.settings.database, isolation_level=None)) as reading:
        reading.execute("BEGIN")
        reading.execute("SELECT count(*) FROM entries").fetchall()
        (warning,) = app.forget.forget(curator, [entry.id]).warnings
    assert "curator.db-wal" in warning


def test_copies_from_before_are_named(curator: Curator, make: Make) -> None:
    (entry,) = put(curator, make())
    names = ["curator.db.replaced-2026-01-31", "curator.db.replaced-2026-02-01"]
    for name in names:
        (curator.settings.home / name).write_bytes(b"")
    warnings = app.forget.forget(curator, [entry.id]).warnings
    assert [name for name, warning in zip(names, warnings, strict=True) if name in warning] == names


def test_while_the_database_is_locked_no_file_goes(curator: Curator, work: Path) -> None:
    entry = kept(curator)
    with closing(sqlite3.connect(curator.settings.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy):
            app.forget.forget(curator, [entry.id])
    assert len(lessons(work)) == 1
    assert curator.lessons.peek(entry.id) is not None
