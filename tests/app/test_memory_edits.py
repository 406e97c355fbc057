"""A decision on a card of a note reaches the note, an undo brings its bytes back, and an agent is never written over."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from curator import app
from curator.app import Curator
from curator.app.project import memory_edits, memory_trash
from curator.errors import ConcurrentChange
from curator.model import Entry, State
from tests.app.conftest import Open, waiting
from tests.conftest import Clock
from tests.files import commit, git, write_file
from tests.transcripts import transcript_records as records

RULE = "Integration tests use a real database, never a mock of it."
TOPIC = """---
name: database
type: feedback
custom:  kept
---
{rule}

**Why:** A mock hid a broken migration.
"""
INDEX = "# Notes\n- [Database](database.md) — a real one\n- [Style](style.md) — slog\n"


@pytest.fixture
def applying(opened: Open, work: Path) -> Curator:
    """A database whose decisions reach the stores."""
    return opened(folder=work, memories="apply")


@pytest.fixture
def memory(work: Path) -> Path:
    """The folder of Claude Code's notes on the project, with two notes and an index, written a day ago."""
    slug = str(work).replace("/", "-").replace(".", "-").replace("_", "-")
    folder = Path.home() / ".claude" / "projects" / slug / "memory"
    put(folder / "database.md", TOPIC.format(rule=RULE))
    put(folder / "style.md", TOPIC.format(rule="Log through slog, see [[database]].").replace("database\n", "style\n"))
    put(folder / "MEMORY.md", INDEX)
    return folder


def put(path: Path, text: str, age: float = 86_400.0) -> Path:
    """Write a file that is so old."""
    write_file(path, text.encode())
    at = Clock().at - age
    os.utime(path, (at, at))
    return path


def wrote(folder: Path, cwd: str) -> Path:
    """Write a session of Claude Code in a project, a minute ago."""
    path = records.write(folder / "5e55-10n.jsonl", {**records.user("Carry on."), "cwd": cwd})
    os.utime(path, (Clock().at - 60, Clock().at - 60))
    return path


def card(curator: Curator, words: str) -> Entry:
    """Scan, and return the card that says these words."""
    app.scan.scan(curator)
    return next(entry for entry in waiting(curator, rest=True) if words in entry.insight)


def drop(curator: Curator, entry: Entry) -> app.settling.Settlement:
    curator.decisions.drop([entry.id])
    return app.settling.settle(curator, [entry.id])


def keep(curator: Curator, entry: Entry) -> app.settling.Settlement:
    curator.decisions.accept([entry.id])
    return app.settling.settle(curator, [entry.id])


def reword(curator: Curator, entry: Entry, words: str) -> app.settling.Settlement:
    """Keep a card with other words."""
    curator.decisions.edit(entry.id, keep=True, insight=words)
    return app.settling.settle(curator, [entry.id])


def asked(curator: Curator, outcome: app.Outcome) -> str:
    """Return what curator would ask a person who has not said yet whether it may write."""
    setting = curator.settings
    assert setting.memories == "ask" or memory_edits.question(curator, outcome) == "", "this one said it"
    curator.settings = setting._replace(memories="ask")
    question = memory_edits.question(curator, outcome)
    curator.settings = setting
    return question


def undo(curator: Curator) -> app.settling.Settlement:
    outcome = curator.decisions.undo()
    return app.settling.settle(curator, [entry.id for entry in outcome.entries])


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_card_of_a_note_that_is_about_to_come_back_is_not_withdrawn(applying: Curator, memory: Path, still: Clock) -> None:
    entry = card(applying, RULE)
    drop(applying, entry)
    outcome = applying.decisions.undo()
    app.note_cards.read(applying)
    assert applying.lessons.find(entry.id).state is State.OPEN, "the watcher sees the deletion before the note is back"
    app.settling.settle(applying, [one.id for one in outcome.entries])
    assert RULE in (memory / "database.md").read_text(encoding="utf-8")
    (memory / "database.md").unlink()
    app.note_cards.read(applying)
    assert applying.lessons.find(entry.id).state is State.DISMISSED


def test_a_dropped_note_takes_its_index_line_and_undo_restores_both(applying: Curator, memory: Path, still: Clock) -> None:
    before = everything(memory)
    (memory / "database.md").chmod(0o640)
    settled = drop(applying, card(applying, RULE))
    assert settled.failures == ()
    assert settled.said == ("1 note links to the deleted note: style.md.",)
    assert everything(memory) == {
        "style.md": before["style.md"],
        "MEMORY.md": INDEX.replace("- [Database](database.md) — a real one\n", "").encode(),
    }
    assert [one.headline for one in memory_trash.removals(applying.settings)] == [RULE.rstrip(".")]
    assert undo(applying).failures == ()
    assert everything(memory) == before
    stat = (memory / "database.md").stat()
    assert (stat.st_mode & 0o777, stat.st_mtime) == (0o640, Clock().at - 86_400)
    assert memory_trash.removals(applying.settings) == []
    applying.decisions.redo()
    app.settling.settle(applying, [waiting(applying, rest=True)[0].id])


def test_an_edited_and_kept_note_has_new_words_below_its_front_matter(applying: Curator, memory: Path, still: Clock) -> None:
    before = everything(memory)
    entry = card(applying, RULE)
    words = RULE.replace("database", "server")
    outcome = applying.decisions.edit(entry.id, keep=True, headline="Use a real server", insight=words)
    assert asked(applying, outcome) == "Reword the note in Claude Code, too? The trash keeps its old text."
    app.settling.settle(applying, [entry.id])
    expected = before["database.md"].replace(b"real database", b"real server")
    assert everything(memory) == {**before, "database.md": expected}
    applying.decisions.edit(entry.id, insight=RULE.replace("database", "cluster"))
    app.settling.settle(applying, [entry.id])
    assert b"real cluster" in (memory / "database.md").read_bytes()
    undo(applying)
    assert everything(memory) == {**before, "database.md": expected}
    undo(applying)
    assert everything(memory) == before


def test_a_kept_note_stays_as_it_is(applying: Curator, memory: Path, still: Clock) -> None:
    before, entry = everything(memory), card(applying, RULE)
    keep(applying, entry)
    assert everything(memory) == before
    drop(applying, entry)
    assert not (memory / "database.md").exists(), "a retired lesson is no memory, either"


@pytest.mark.parametrize("setting", ["ask", "read"])
def test_without_the_setting_nothing_changes(opened: Open, work: Path, memory: Path, still: Clock, setting: str) -> None:
    curator, before = opened(folder=work, memories=setting), everything(memory)
    entry = card(curator, RULE)
    assert drop(curator, entry).failures == ()
    assert everything(memory) == before
    outcome = curator.decisions.undo()
    assert memory_edits.question(curator, outcome) == ""
    question = asked(curator, curator.decisions.drop([entry.id]))
    assert question == "Delete the note in Claude Code, too? The trash keeps it for 30 days."
    assert len(question.replace("Claude Code", "Copilot in VS Code")) <= 76, "one line of 80 columns, also with its margins"


def test_each_agent_may_have_a_setting_of_its_own(opened: Open, work: Path, memory: Path, still: Clock) -> None:
    curator, before = opened(folder=work, memories="apply", memories_of={"claude-code": "read"}), everything(memory)
    entry = card(curator, RULE)
    assert drop(curator, entry).failures == ()
    assert everything(memory) == before
    curator.decisions.undo()
    curator.settings = curator.settings._replace(memories="read", memories_of={"claude-code": "apply", "codex": "off"})
    drop(curator, entry)
    assert not (memory / "database.md").exists()


def test_nothing_is_written_while_the_agent_may_write(applying: Curator, work: Path, memory: Path, still: Clock) -> None:
    session = wrote(memory.parent, str(work))
    entry, before = card(applying, RULE), everything(memory)
    (failure,) = drop(applying, entry).failures
    assert "one of its sessions wrote" in failure.message
    assert "tries again" in failure.hint
    assert everything(memory) == before
    still.forward(100)
    app.scan.scan(applying)
    assert not (memory / "database.md").exists(), "the next scan carries it out"
    undo(applying)
    assert everything(memory) == before
    session.unlink()
    put(memory / "database.md", TOPIC.format(rule=RULE), age=-95)
    (failure,) = drop(applying, entry).failures
    assert "less than 10 seconds old" in failure.message
    undo(applying)
    put(memory / "consolidation.lock", str(os.getpid()))
    still.forward(60)
    (failure,) = drop(applying, entry).failures
    assert "holds consolidation.lock" in failure.message
    put(memory / "consolidation.lock", "4194305")
    app.scan.scan(applying)
    assert not (memory / "database.md").exists()


def test_another_projects_session_stops_nothing(applying: Curator, memory: Path, still: Clock, tmp_path: Path) -> None:
    wrote(memory.parent.with_name("-srv-other"), "/srv/other")
    assert drop(applying, card(applying, RULE)).failures == ()
    assert not (memory / "database.md").exists()


def test_a_note_that_the_agent_rewrote_since_stays(applying: Curator, memory: Path, still: Clock) -> None:
    entry = card(applying, RULE)
    put(memory / "database.md", TOPIC.format(rule=RULE).replace("hid a", "hid one"))
    (failure,) = drop(applying, entry).failures
    assert "is not the one that the card shows" in failure.message
    assert (memory / "database.md").exists()


def test_a_read_only_note_stays_and_so_does_its_index(applying: Curator, memory: Path, still: Clock) -> None:
    for name in ("database.md", "MEMORY.md"):
        entry, before = card(applying, RULE), {file.name: file.read_text() for file in memory.iterdir()}
        (memory / name).chmod(0o444)
        (failure,) = drop(applying, entry).failures
        assert failure.message.endswith("stays: it is read-only.")
        assert {file.name: file.read_text() for file in memory.iterdir()} == before
        (memory / name).chmod(0o644)
        undo(applying)


def test_undo_leaves_a_file_that_the_agent_wrote_since(applying: Curator, memory: Path, still: Clock) -> None:
    entry = card(applying, RULE)
    drop(applying, entry)
    newer = put(memory / "database.md", "mine\n")
    (failure,) = undo(applying).failures
    assert "has changed since curator edited it" in failure.message
    assert newer.read_text() == "mine\n"
    (kept,) = memory_trash.removals(applying.settings)
    assert kept.files[0].before == TOPIC.format(rule=RULE)
    newer.unlink()
    put(memory / "MEMORY.md", "# Others\n")
    assert memory_trash.put_back(applying.settings, kept) == [
        f"~/{(memory / 'MEMORY.md').relative_to(Path.home())} has changed since, so its entry for the note is not back."
    ]
    assert (memory / "database.md").read_text() == TOPIC.format(rule=RULE)


def test_a_file_changed_meanwhile_stays(applying: Curator, memory: Path, still: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    entry, save = card(applying, RULE), memory_trash.save

    def rewriting(*given: object) -> None:
        save(*given)  # type: ignore[arg-type]
        put(memory / "MEMORY.md", "# Others\n")

    monkeypatch.setattr(memory_trash, "save", rewriting)
    (failure,) = drop(applying, entry).failures
    assert isinstance(failure, ConcurrentChange)
    assert everything(memory)["MEMORY.md"] == b"# Others\n"
    assert (memory / "database.md").read_text() == TOPIC.format(rule=RULE), "all or nothing"
    assert memory_trash.removals(applying.settings) == []


def test_links_and_pipes_are_left_alone(applying: Curator, memory: Path, still: Clock, tmp_path: Path) -> None:
    entry, path, outside = card(applying, RULE), memory / "database.md", tmp_path / "outside"
    put(outside / "database.md", TOPIC.format(rule=RULE))
    before = everything(outside)

    def refused(make: Callable[[], object]) -> None:
        make()
        (failure,) = drop(applying, entry).failures
        assert "stays" in failure.message
        assert everything(outside) == before
        applying.decisions.undo()

    path.unlink()
    refused(lambda: path.symlink_to(outside / "database.md"))
    path.unlink()
    refused(lambda: os.mkfifo(path))
    path.unlink()
    put(path, TOPIC.format(rule=RULE))
    memory.rename(memory.with_name("old"))
    refused(lambda: memory.symlink_to(outside, target_is_directory=True))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write into a closed folder")
def test_a_closed_folder_keeps_its_note_and_says_so(applying: Curator, memory: Path, still: Clock) -> None:
    entry, before = card(applying, RULE), everything(memory)
    memory.chmod(0o500)
    (failure,) = drop(applying, entry).failures
    memory.chmod(0o700)
    assert "Permission denied" in failure.message
    assert everything(memory) == before
    assert memory_trash.removals(applying.settings) == []


def test_a_folder_that_became_a_link_gets_nothing_back(applying: Curator, memory: Path, still: Clock, tmp_path: Path) -> None:
    drop(applying, card(applying, RULE))
    outside = tmp_path / "outside"
    memory.rename(outside)
    memory.symlink_to(outside, target_is_directory=True)
    before = everything(outside)
    (failure,) = undo(applying).failures
    assert "a link leads elsewhere" in failure.message
    assert everything(outside) == before


def test_codex_is_asked_by_a_note_and_its_files_stay(applying: Curator, work: Path, still: Clock) -> None:
    text = "## Reusable knowledge\n- The queue index needs `ANALYZE` after each import [Task 1]\n"
    handbook = put(Path.home() / ".codex" / "memories" / "MEMORY.md", text)
    applying.project = None
    entry = card(applying, "ANALYZE")
    drop(applying, entry)
    (note,) = (handbook.parent / "extensions" / "ad_hoc" / "notes").iterdir()
    assert note.name.startswith("2026-09-21T")
    assert note.suffix == ".md"
    assert note.read_text().startswith("Forget this memory:\n\n> The queue index needs")
    assert handbook.read_text() == text
    said = "Codex was asked to forget this note; it still stands in ~/.codex/memories/MEMORY.md."
    assert memory_edits.asked(applying, entry) == said
    handbook.write_text("## Reusable knowledge\n- Another one\n")
    assert memory_edits.asked(applying, entry) == ""
    handbook.write_text(text)
    undo(applying)
    assert memory_edits.asked(applying, entry) == ""
    assert not note.exists()
    reword(applying, entry, "The queue index needs `REINDEX`.")
    (note,) = note.parent.iterdir()
    assert "by:\n\n> The queue index needs `REINDEX`." in note.read_text()


WAITING = "--- {old}\n+++ {path}\n@@ -1,2 +1,3 @@\n # Shop\n+- Use pnpm and never npm in web.\n - Other\n"
SECOND = "@@ -2 +3,2 @@\n - Other\n+- Prices are stored in cents only.\n"


@pytest.fixture
def shop() -> Path:
    """The folder of Gemini CLI's notes on a project, with one note and a patch of two hunks."""
    folder = Path.home() / ".gemini" / "tmp" / "shop" / "memory"
    path = put(folder / "MEMORY.md", "# Shop\n- Other\n")
    put(folder / ".inbox" / "private" / "one.patch", WAITING.format(old=path, path=path) + SECOND)
    return folder


def test_a_kept_hunk_comes_into_its_file_alone_and_undo_brings_both_files_back(opened: Open, shop: Path, still: Clock) -> None:
    curator, before = opened(memories="apply"), everything(shop)
    entry = card(curator, "pnpm")
    assert "Waits in a patch." in entry.context
    outcome = curator.decisions.accept([entry.id])
    assert asked(curator, outcome) == "Apply the note in Gemini CLI, too? The trash keeps its old text."
    assert app.settling.settle(curator, [entry.id]).failures == ()
    assert (shop / "MEMORY.md").read_text() == "# Shop\n- Use pnpm and never npm in web.\n- Other\n"
    patch = (shop / ".inbox" / "private" / "one.patch").read_text()
    assert patch.partition("@@")[2] == SECOND.partition("@@")[2].replace("-2 +3,2", "-3 +3,2")
    assert [one.deed for one in memory_trash.removals(curator.settings)] == ["applied"]
    still.forward(60)
    app.scan.scan(curator)
    assert "Use pnpm and never npm in web." not in [one.insight for one in waiting(curator, rest=True)]
    undo(curator)
    assert everything(shop) == before
    assert reword(curator, entry, "Use yarn and never npm in web.").failures == ()
    assert (shop / "MEMORY.md").read_text() == "# Shop\n- Use yarn and never npm in web.\n- Other\n"
    drop(curator, entry)
    assert (shop / "MEMORY.md").read_bytes() == before["MEMORY.md"], "a retired lesson is no memory, either"
    assert "pnpm" not in (shop / ".inbox" / "private" / "one.patch").read_text()


def test_a_hunk_for_a_new_file_is_named_in_the_index(opened: Open, shop: Path, still: Clock) -> None:
    curator, path = opened(memories="apply"), shop / "web-rules.md"
    patch = f"--- /dev/null\n+++ {path}\n@@ -0,0 +1 @@\n+- Use pnpm and never npm in web.\n"
    put(shop / ".inbox" / "private" / "one.patch", patch)
    before, entry = everything(shop), card(curator, "pnpm")
    assert keep(curator, entry).failures == ()
    assert path.read_text() == "- Use pnpm and never npm in web.\n"
    assert (shop / "MEMORY.md").read_text() == f"# Shop\n- Other\n- See {path} for web rules notes.\n"
    assert not (shop / ".inbox" / "private" / "one.patch").exists()
    undo(curator)
    assert everything(shop) == before


def test_a_global_patch_is_for_all_projects_and_makes_one_card(opened: Open, shop: Path, still: Clock, work: Path) -> None:
    put(shop.parents[2] / "projects.json", f'{{"projects": {{"{work}": "shop"}}}}')
    path = put(Path.home() / ".gemini" / "GEMINI.md", "## Gemini Added Memories\n- Other\n")
    (shop / ".inbox" / "private" / "one.patch").unlink()
    put(
        shop / ".inbox" / "global" / "one.patch",
        WAITING.format(old=path, path=path).replace("# Shop", "## Gemini Added Memories"),
    )
    curator = opened(memories="apply")
    entry = card(curator, "pnpm")
    (kept,) = curator.decisions.accept([entry.id]).entries
    assert kept.scope == "global"
    assert app.settling.settle(curator, [entry.id]).failures == ()
    assert "pnpm" in path.read_text()
    still.forward(60)
    app.scan.scan(curator)
    curator.project = None
    assert "Use pnpm and never npm in web." not in [one.insight for one in waiting(curator, rest=True)]


def test_a_global_patch_changes_only_the_persons_file(opened: Open, shop: Path, still: Clock) -> None:
    curator, path = opened(memories="apply"), put(Path.home() / ".gemini" / "GEMINI.md", "# Shop\n- Other\n")
    (shop / ".inbox" / "private" / "one.patch").unlink()
    patch = put(shop / ".inbox" / "global" / "one.patch", WAITING.format(old=path, path=path))
    entry = card(curator, "pnpm")
    (shop / ".extraction.lock").write_text(str(os.getpid()))
    (failure,) = keep(curator, entry).failures
    assert "it holds .extraction.lock" in failure.message
    (shop / ".extraction.lock").unlink()
    app.scan.scan(curator)
    assert path.read_text() == "# Shop\n- Use pnpm and never npm in web.\n- Other\n"
    assert not patch.exists()


@pytest.mark.parametrize("name", ["../../settings.json", "../../GEMINI.md", "sub/a.md", ".hidden.md", "../../../rules.md"])
def test_a_patch_changes_no_other_file(opened: Open, shop: Path, still: Clock, name: str) -> None:
    curator, path = opened(memories="apply"), put(shop / name, "# Shop\n- Other\n")
    put(shop / ".inbox" / "private" / "one.patch", WAITING.format(old=path, path=path))
    entry = card(curator, "pnpm")
    (failure,) = keep(curator, entry).failures
    assert "its patch is for a file that holds no notes" in failure.message
    assert path.read_text() == "# Shop\n- Other\n"


STORES = {
    ".gemini/GEMINI.md": (
        "# Mine\n\n## Gemini Added Memories\n- Use pnpm and never npm in web.\n- Other\n",
        "# Mine\n\n## Gemini Added Memories\n- Other\n",
    ),
    ".config/goose/memory/web.txt": ("# web\nUse pnpm and never npm in web.\n\n# b\nOther\n", "# b\nOther\n"),
    ".serena/memories/a.md": ("# A\n\n## B\nUse pnpm and never npm in web.\n\n## C\nOther\n", "# A\n\n## C\nOther\n"),
    ".qwen/memories/a.md": ("---\ntype: user\n---\nUse pnpm and never npm in web.\n", None),
    ".claude/agent-memory/reviewer/web.md": ("---\nname: web\n---\nUse pnpm and never npm in web.\n", None),
    ".config/Code/User/globalStorage/github.copilot-chat/memory-tool/memories/a.md": (
        "- Other one\n- Use pnpm and never npm in web.",
        "- Other one\n",
    ),
}


@pytest.mark.parametrize("name", STORES)
def test_every_store_loses_the_note_and_gets_it_back(opened: Open, name: str, still: Clock) -> None:
    curator = opened(memories="apply")
    before, after = STORES[name]
    path = put(Path.home() / name, before)
    entry = card(curator, "pnpm")
    assert drop(curator, entry).failures == ()
    assert (path.read_text() if path.exists() else None) == after
    undo(curator)
    assert path.read_text() == before
    assert reword(curator, entry, "Use yarn and never npm in web.").failures == ()
    assert path.read_text() == before.replace("pnpm", "yarn")


RETURN = "- Return problem details on errors.\n"


def test_of_two_same_notes_the_one_goes_that_the_card_shows(opened: Open, still: Clock) -> None:
    curator = opened(memories="apply")
    path = put(Path.home() / ".gemini" / "tmp" / "shop" / "memory" / "MEMORY.md", f"# API\n- One.\n\n# Web\n{RETURN}")
    entry = card(curator, "problem details")
    twice = f"# API\n{RETURN}\n# Web\n{RETURN}"
    put(path, twice)
    assert drop(curator, entry).failures == ()
    assert path.read_text() == f"# API\n{RETURN}\n# Web\n", "not the first one"
    undo(curator)
    put(path, f"\n{twice}")
    (failure,) = drop(curator, entry).failures
    assert "it stands there more than once" in failure.message
    assert path.read_text() == f"\n{twice}"
    undo(curator)
    put(path, f"# Web\n{RETURN}{RETURN}- Two.\n")
    assert drop(curator, entry).failures == (), "below one heading it makes no difference"
    assert path.read_text() == f"# Web\n{RETURN}- Two.\n"


def test_cards_of_two_processes_wait_at_once(applying: Curator) -> None:
    with ThreadPoolExecutor(4) as threads:
        names = [f"{at:04}-AAAA" for at in range(200)]
        list(threads.map(lambda name: memory_edits._wait(applying, frozenset(), [name]), names))
        assert sorted(memory_edits._waiting(applying)) == names
        list(threads.map(lambda name: memory_edits._wait(applying, frozenset([name]), []), names[1:]))
        assert memory_edits._waiting(applying) == names[:1]


def test_words_that_would_hide_another_note_change_nothing(opened: Open, still: Clock) -> None:
    curator = opened(memories="apply")
    text = "Always use pnpm, never npm, in web.\n\n- Log with slog and never print.\n"
    path = put(Path.home() / ".claude" / "agent-memory" / "reviewer" / "web.md", text)
    entry = card(curator, "pnpm")
    for words in ("<!-- use pnpm in web", "# Use pnpm"):
        (failure,) = reword(curator, entry, words).failures
        assert "the file would lose a note that should stay" in failure.message
        assert path.read_text() == text


def test_a_note_in_a_work_tree_is_changed_and_not_committed(opened: Open, work: Path, still: Clock) -> None:
    path = put(work / ".serena" / "memories" / "a.md", "# A\n\n## B\nAlways use pnpm, never npm, in web.\n")
    git(work, "init", "-q")
    commit(work, "x")
    curator = opened(folder=work, memories="apply")
    drop(curator, card(curator, "pnpm"))
    assert path.read_text() == "# A\n\n"
    assert git(work, "status", "--porcelain", ".serena") == "M .serena/memories/a.md"


def test_the_trash_is_kept_for_30_days_and_forgets(applying: Curator, memory: Path, still: Clock) -> None:
    entry = card(applying, RULE)
    drop(applying, entry)
    (kept,) = memory_trash.removals(applying.settings)
    file = memory_trash.folder(applying.settings) / f"{kept.id}.json"
    assert file.stat().st_mode & 0o077 == 0
    still.forward(31 * 86_400)
    assert memory_trash.removals(applying.settings) == []
    assert not file.exists()
    undo(applying)
    put(memory / "database.md", TOPIC.format(rule=RULE))
    drop(applying, entry)
    app.forget.forget(applying, [entry.id])
    assert memory_trash.removals(applying.settings) == []
    assert applying.lessons.peek(entry.id) is None


def test_forget_deletes_what_an_undo_could_not_bring_back(applying: Curator, memory: Path, still: Clock) -> None:
    entry = card(applying, RULE)
    drop(applying, entry)
    put(memory / "database.md", "mine\n")
    undo(applying)
    assert [one.files[0].before for one in memory_trash.removals(applying.settings)] == [TOPIC.format(rule=RULE)]
    app.forget.forget(applying, [entry.id])
    assert memory_trash.removals(applying.settings) == []


def test_a_withdrawn_card_touches_no_store(applying: Curator, memory: Path, still: Clock) -> None:
    entry = card(applying, RULE)
    text = (memory / "database.md").read_text()
    (memory / "database.md").unlink()
    app.scan.scan(applying)
    assert applying.lessons.find(entry.id).state is State.DISMISSED
    put(memory / "database.md", text)
    app.settling.settle(applying, [entry.id])
    assert (memory / "database.md").exists()
