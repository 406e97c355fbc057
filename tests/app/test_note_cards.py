"""Notes that agents keep for themselves become cards: the best kinds at once, each once, as long as the note is there."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from curator import app
from curator.app import Curator, note_cards
from curator.app.project.note_cards import UNHEARD
from curator.model import MEMORY, Entry, Query, Role, State
from tests.app.conftest import Make, Open, Transcript, put, waiting
from tests.conftest import Clock
from tests.files import write_file

NOTE = """---
name: {name}
description: {title}
type: {kind}
---
{rule}

**Why:** {why}
"""
RULE = "Integration tests use a real database, never a mock of it."
WHY = "A mock hid a broken migration last quarter."


@pytest.fixture
def memory(work: Path) -> Path:
    """The folder in which Claude Code keeps its notes for the project."""
    slug = str(work).replace("/", "-").replace(".", "-").replace("_", "-")
    folder = Path.home() / ".claude" / "projects" / slug / "memory"
    folder.mkdir(parents=True)
    return folder


def keep_note(folder: Path, name: str, rule: str = RULE, kind: str = "feedback", why: str = WHY) -> Path:
    path = folder / f"{name}.md"
    path.write_text(NOTE.format(name=name, title=rule, kind=kind, rule=rule, why=why), encoding="utf-8")
    return path


def tell(work: Path, name: str, words: str) -> Transcript:
    """A person says something in a session of the project."""
    session = Transcript(Path.home() / ".claude", work, name)
    session.says(words)
    return session


def read(curator: Curator) -> list[str]:
    """Scan, and return what the inbox shows."""
    app.scan.scan(curator)
    return [entry.insight for entry in waiting(curator)]


def test_a_persons_feedback_is_a_card_and_a_project_note_a_weaker_one(curator: Curator, memory: Path) -> None:
    path = keep_note(memory, "database")
    keep_note(memory, "layout", "The worker reads its jobs from the table `queue`.", kind="project")
    assert read(curator) == [RULE]
    (card,) = waiting(curator)
    (quote,) = card.evidence
    assert (card.signal, card.agent, card.project) == (MEMORY, "claude-code", curator.scope)
    assert (quote.quote, quote.role, quote.line) == (RULE, Role.ASSISTANT, 6)
    assert quote.file == f"~/{path.relative_to(Path.home())}"
    assert WHY in card.context
    assert app.row(card, curator.projects())["signal"] == "memory"
    assert len(waiting(curator, rest=True)) == 2
    assert read(curator) == [RULE], "a second look makes no second card"


def test_the_headline_is_a_whole_statement(curator: Curator, memory: Path) -> None:
    subject = "How to release the desktop app for all three platforms, with signing and notarisation, from one machine"
    path = keep_note(memory, "release", subject)
    rule = "`ln -s` breaks the installer. Copy the files."
    path.write_text(path.read_text().replace(f"\n{subject}\n", f"\n# Release\n\n{rule}\n"), encoding="utf-8")
    app.scan.scan(curator)
    (card,) = waiting(curator)
    assert card.headline == "`ln -s` breaks the installer"
    assert card.insight == rule


@pytest.mark.parametrize(
    ("title", "kind", "headline"),
    [
        ("Never mock the database here. It hides races", "feedback", "Never mock the database here. It hides races"),
        ("Testing", "feedback", "Answer in short sentences"),
        ("The person and how to work with them", "user", "Answer in short sentences"),
        (f"Push to main only after the checks {'of the whole team ' * 6}unless it is a note", "feedback", "…"),
    ],
)
def test_a_title_is_the_headline_if_not_a_topic(curator: Curator, memory: Path, title: str, kind: str, headline: str) -> None:
    text = NOTE.format(name="a", title=title, kind=kind, rule="Answer in short sentences. Praise no question.", why=WHY)
    (memory / "a.md").write_text(text, encoding="utf-8")
    app.scan.scan(curator)
    (card,) = waiting(curator)
    assert card.headline.endswith(headline)


def test_notes_of_one_session_are_all_shown_and_bullets_of_a_subagents_index_later(curator: Curator, memory: Path) -> None:
    for number in range(9):
        path = keep_note(memory, f"n{number}", f"Never call service number{number} twice{number} from handler{number}.")
        path.write_text(path.read_text().replace("type: f", "originSessionId: one\ntype: f"), encoding="utf-8")
    index = Path.home() / ".claude" / "agent-memory" / "reviewer" / "MEMORY.md"
    write_file(index, "- _(empty)_\n- The header is set only if the list has an item.\n")
    app.scan.scan(curator)
    curator.project = None
    assert len(waiting(curator)) == 9
    assert len(waiting(curator, rest=True)) == 10


def test_bullets_of_a_project_of_gemini_are_weaker_than_those_that_a_person_asked_it_to_add(curator: Curator) -> None:
    base = Path.home() / ".gemini"
    (base / "tmp" / "shop" / "memory").mkdir(parents=True)
    (base / "tmp" / "shop" / "memory" / "MEMORY.md").write_text("- The writer puts prices into cents.\n", encoding="utf-8")
    (base / "GEMINI.md").write_text("## Gemini Added Memories\n- Keep titles of commits ≤50 characters.\n", encoding="utf-8")
    app.scan.scan(curator)
    curator.project = None
    assert [entry.headline for entry in waiting(curator)] == ["Keep titles of commits ≤50 characters"]
    assert len(waiting(curator, rest=True)) == 2


def test_a_note_comes_before_what_the_detector_found(curator: Curator, memory: Path, make: Make) -> None:
    """Readers kept 85 of 100 notes, and half of the detector's best cards, whatever their score."""
    put(curator, make(headline="Found", insight="Found", score=0.98, score_parts={"base": 2.0}, project=curator.scope))
    keep_note(memory, "database")
    assert read(curator) == [RULE, "Found"]


def test_a_report_of_progress_is_a_weaker_card(curator: Curator, memory: Path) -> None:
    keep_note(
        memory, "state", "Phase 2 done on 2026-03-01, next steps: phase 3 of the migration is still open.", kind="project"
    )
    assert read(curator) == []
    assert len(waiting(curator, rest=True)) == 1


def test_what_was_dropped_or_kept_makes_no_card_again_in_other_words(curator: Curator, memory: Path) -> None:
    keep_note(memory, "database")
    keep_note(memory, "style", "Log through slog, never print to stdout in the server.")
    read(curator)
    by_words = {entry.insight: entry.id for entry in waiting(curator)}
    curator.decisions.drop([by_words[RULE]])
    curator.decisions.accept([by_words["Log through slog, never print to stdout in the server."]])
    assert read(curator) == []
    keep_note(memory, "database", "Integration tests use a real database and never a mock of it.")
    keep_note(memory, "style", "Log through slog and never print to stdout in the server.")
    assert read(curator) == []


LONG = "Integration tests use a real database on port 4000, since a mock hid a broken migration of the shop."


@pytest.mark.parametrize(
    ("again", "shown"),
    [
        ("A real database on port 4000 serves the integration tests: a mock hid the broken migration of the shop.", False),
        ("Integration tests use a real database on port 5000, since a mock hid a broken migration of the shop.", True),
        ("Integration tests never use a real database on port 4000, since a mock hid a broken migration of the shop.", True),
        ("Integration tests use a real database on port 4000, see `db/seed.py`, since a mock hid a broken migration.", True),
        ("Handlers log through slog and return early, without a panic, before they touch the queue of the worker.", True),
    ],
)
@pytest.mark.parametrize("kept", [True, False])
def test_a_decision_holds_for_a_reworded_note(curator: Curator, memory: Path, again: str, shown: bool, kept: bool) -> None:
    keep_note(memory, "database", LONG)
    read(curator)
    (card,) = waiting(curator)
    (curator.decisions.accept if kept else curator.decisions.drop)([card.id])
    keep_note(memory, "database", again)
    assert read(curator) == ([again] if shown else [])
    assert read(curator) == ([again] if shown else [])
    assert curator.lessons.find(card.id).times_stated == (1 if kept or "slog" in again else 2)
    if shown and not kept and "slog" not in again:
        (card,) = waiting(curator)
        assert card.context.startswith("You dropped a note of these words, which came back ×1 and now says more. ")


def test_a_note_of_another_file_is_none_in_other_words(curator: Curator, memory: Path) -> None:
    path = keep_note(memory, "database", LONG)
    read(curator)
    curator.decisions.drop([entry.id for entry in waiting(curator)])
    path.unlink()
    again = "A real database on port 4000 serves the integration tests: a mock hid the broken migration of the shop."
    keep_note(memory, "other", again)
    assert read(curator) == [again]


def test_a_dropped_note_that_its_agent_writes_again_is_counted(curator: Curator, memory: Path, still: Clock) -> None:
    path = keep_note(memory, "database")
    read(curator)
    (card,) = waiting(curator)
    curator.decisions.drop([card.id])
    for seen in (2, 3):
        path.unlink()
        assert read(curator) == []
        still.forward(60)
        keep_note(memory, "database")
        os.utime(path, (still(), still()))
        still.forward(60)
        assert read(curator) == read(curator) == []
        assert curator.lessons.find(card.id).times_stated == seen


def test_a_note_that_is_gone_takes_its_card_with_it_but_no_lesson(curator: Curator, memory: Path) -> None:
    path, other = keep_note(memory, "database"), keep_note(memory, "style", "Log through slog, never print to stdout.")
    read(curator)
    kept = next(entry for entry in waiting(curator) if entry.insight != RULE)
    curator.decisions.accept([kept.id])
    path.unlink()
    other.unlink()
    assert read(curator) == []
    assert curator.lessons.find(kept.id).state is State.ACTIVE
    keep_note(memory, "database")
    assert read(curator) == [RULE], "withdrawn is not dropped"


@pytest.mark.parametrize(
    ("said", "heard"), [("don't mock the database, the integration tests need a real one", True), ("fix the login", False)]
)
def test_a_note_is_compared_with_its_session(curator: Curator, memory: Path, work: Path, said: str, heard: bool) -> None:
    session = tell(work, "5e55-10n", said)
    session.answers("Done.")
    path = keep_note(memory, "database")
    path.write_text(path.read_text().replace("type: feedback", "type: feedback\noriginSessionId: 5e55-10n"), encoding="utf-8")
    app.scan.scan(curator)
    (card,) = [entry for entry in waiting(curator, rest=True) if entry.signal == MEMORY]
    quotes = [item.quote for item in card.evidence if item.role is Role.HUMAN]
    assert quotes == ([said] if heard else [])
    assert (UNHEARD in card.context) is not heard


def test_notes_are_read_before_the_transcripts(curator: Curator, memory: Path, work: Path) -> None:
    tell(work, "5e55-10n", "fix the login")
    keep_note(memory, "database")
    seen: list[tuple[int, int]] = []
    app.scan.scan(curator, progress=lambda step: seen.append((step.files_done, step.count)))
    assert seen == [(0, 0), (1, 1)]
    stop = threading.Event()
    stop.set()
    keep_note(memory, "style", "Answer in short sentences and never praise the question.")
    app.scan.scan(curator, stop=stop)
    assert len(waiting(curator)) == 1, "a stop holds for notes, too"


def test_a_note_whose_name_is_no_text_stops_no_other_note(curator: Curator, memory: Path, work: Path) -> None:
    tell(work, "5e55-10n", "Always use pnpm and never npm in web.")
    keep_note(memory, "style", "Answer in short sentences and never praise the question.")
    keep_note(memory, "database").rename(os.fsdecode(bytes(memory) + b"/\xff.md"))
    reports = app.scan.scan(curator)
    assert "curator skipped it" in reports["memories"].errors[0]
    assert len(waiting(curator, rest=True)) == 2


def test_what_a_person_said_outlives_the_note_that_said_it_first(curator: Curator, memory: Path, work: Path) -> None:
    note = keep_note(memory, "database", kind="project")
    app.scan.scan(curator)
    assert waiting(curator) == []
    assert len(waiting(curator, rest=True)) == 1
    tell(work, "5e55-10n", RULE)
    app.scan.scan(curator)
    assert [entry.insight for entry in waiting(curator)] == [RULE], "a person's words show a weak note's card"
    note.unlink()
    app.scan.scan(curator)
    assert [entry.insight for entry in waiting(curator)] == [RULE]
    other = keep_note(memory, "style", "Never push to main without a review of somebody else.")
    app.scan.scan(curator)
    other.unlink()
    app.scan.scan(curator)
    assert len(waiting(curator, rest=True)) == 1
    tell(work, "5e55-10o", "Never push to main without a review of somebody else.")
    app.scan.scan(curator)
    assert len(waiting(curator, rest=True)) == 2, "withdrawn with its note is not dropped by a person"


def test_a_note_that_was_renamed_and_deleted_takes_its_card_with_it(curator: Curator, memory: Path) -> None:
    note = keep_note(memory, "database")
    app.scan.scan(curator)
    note = note.rename(memory / "renamed.md")
    app.scan.scan(curator)
    assert len(waiting(curator)) == 1
    note.unlink()
    app.scan.scan(curator)
    assert waiting(curator) == []


def test_each_project_has_its_note_that_goes_with_its_store(curator: Curator, memory: Path, work: Path, other: Path) -> None:
    twin = memory.parent.parent / str(other).replace("/", "-").replace(".", "-").replace("_", "-") / "memory"
    twin.mkdir(parents=True)
    path = keep_note(memory, "database")
    keep_note(twin, "database")
    app.scan.scan(curator)
    curator.project = None
    assert len(waiting(curator)) == 2
    path.unlink()
    app.scan.scan(curator)
    assert [Path(entry.evidence[0].file).parents[1].name for entry in waiting(curator)] == [twin.parent.name]
    shutil.rmtree(twin.parent)
    app.scan.scan(curator)
    assert waiting(curator) == []


def test_a_note_for_all_projects_holds_everywhere_unless_a_work_tree_has_it(curator: Curator, work: Path) -> None:
    everywhere, here = "Answer in short sentences and never praise the question.", "Push to main without a review, always."
    for folder, words in ((Path.home(), everywhere), (work, here)):
        write_file(folder / ".codex" / "memories" / "memory_summary.md", f"v1\n\n## User preferences\n- {words}\n")
    app.scan.scan(curator)
    curator.project = None
    assert {entry.insight: entry.scope for entry in waiting(curator)} == {everywhere: "global", here: "project"}


def test_a_person_who_decided_on_every_note_is_no_newcomer(curator: Curator, memory: Path) -> None:
    keep_note(memory, "database")
    read(curator)
    curator.decisions.drop([entry.id for entry in waiting(curator)])
    assert app.scan.survey(curator).read_before
    assert curator.has_read()


def test_a_rules_file_that_says_so_already_needs_no_card(curator: Curator, memory: Path, work: Path) -> None:
    (work / "AGENTS.md").write_text(f"# Rules\n\n- {RULE}\n", encoding="utf-8")
    keep_note(memory, "database")
    assert read(curator) == []


def test_a_note_that_an_agent_adds_to_a_rules_file_does_not_repeat_itself(curator: Curator, work: Path) -> None:
    text = "- Sort the imports by name.\n\n## Gemini Added Memories\n- Never retry an upload\n  before the header is signed.\n"
    (work / "GEMINI.md").write_text(f"{text}- Sort the imports by name.\n", encoding="utf-8")
    assert read(curator) == ["Never retry an upload before the header is signed."]


def test_a_card_says_which_rule_says_half_of_it(curator: Curator, memory: Path, work: Path) -> None:
    (work / "AGENTS.md").write_text(f"# Rules\n\n- {RULE}\n", encoding="utf-8")
    keep_note(memory, "database", f"{RULE} Seed it with one shop.")
    read(curator)
    (card,) = waiting(curator)
    assert card.context.startswith(f"In part already in {work}/AGENTS.md:3. Why: ")


def test_a_card_says_what_its_note_names_that_is_gone(curator: Curator, memory: Path, work: Path) -> None:
    (work / "src").mkdir()
    keep_note(memory, "cache", "Cached answers live in `src/cache.py`, always clear them before a release.")
    read(curator)
    (card,) = waiting(curator)
    assert "Gone: src/cache.py." in card.context


def test_a_card_names_a_secret_in_its_file_and_the_rule_it_contradicts(curator: Curator, memory: Path, work: Path) -> None:
    (work / "AGENTS.md").write_text("# Rules\n\n- Always use pnpm for scripts.\n", encoding="utf-8")
    keep_note(memory, "npm", "Use npm for scripts.")
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    keep_note(memory, "token", f"The registry token of this project is {secret}.", "project")
    read(curator)
    found = {entry.insight: entry.context for entry in waiting(curator)}
    assert f"Contradicts {work}/AGENTS.md:3." in found["Use npm for scripts."]
    assert "token" in waiting(curator)[0].insight, "it is the first card"
    (told,) = [context for words, context in found.items() if "token" in words]
    assert told.startswith("The file holds a secret: ~/.claude/projects/")


def test_notes_are_not_read_in_an_excluded_folder_or_against_a_setting(opened: Open, memory: Path, work: Path) -> None:
    keep_note(memory, "database")
    assert read(opened("one", work, exclude=(str(work),))) == []
    assert read(opened("two", work, memories="off")) == []
    assert read(opened("three", work, memories="off", memories_of={"codex": "read"})) == []
    assert read(opened("four", work, memories="off", memories_of={"claude-code": "read"})) == [RULE]
    assert read(opened("five", work, memories_of={"claude-code": "off"})) == []


def test_only_the_first_fifty_of_an_agent_are_shown(curator: Curator, memory: Path) -> None:
    for number in range(60):
        keep_note(memory, f"n{number}", f"Never call service number{number} twice{number} from handler{number}.")
    app.scan.scan(curator)
    found = list(curator.lessons.entries(Query(states=(State.OPEN,))))
    assert len(found) == 60
    assert sum(not entry.left_out for entry in found) == 50


def follow_until_written(curator: Curator, write: Callable[[], object]) -> list[Entry]:
    """The cards that a window gets while it follows what agents write."""
    stop, ready = threading.Event(), threading.Event()
    found: list[Entry] = []
    own = curator.fork()

    def changed(new: int) -> None:
        if new:
            found.extend(own.lessons.entries(own.lessons.waiting()))
            ready.set()

    thread = threading.Thread(target=lambda: app.scan.follow(own, stop, changed), daemon=True)
    thread.start()
    while not ready.wait(0.2):
        write()
    stop.set()
    thread.join()
    own.close()
    return found


@pytest.mark.parametrize("place", ["a folder of notes", "the first notes of a project", "a work tree", "a new subagent"])
def test_a_note_that_an_agent_writes_now_is_a_card_at_once(opened: Open, work: Path, memory: Path, place: str) -> None:
    curator = opened("live", work)
    app.scan.scan(curator)
    folder = memory
    if place == "the first notes of a project":
        shutil.rmtree(memory.parent)
    elif place != "a folder of notes":
        folder = work / ".claude" / ("memory" if place == "a work tree" else "agent-memory/reviewer")

    def write() -> None:
        folder.mkdir(parents=True, exist_ok=True)
        keep_note(folder, "database")

    assert RULE in [entry.insight for entry in follow_until_written(curator, write)]


def test_of_a_file_that_was_written_only_the_notes_are_proposed(curator: Curator, memory: Path, work: Path) -> None:
    (work / "src").mkdir()
    written = keep_note(memory, "cache", "Cached answers live in `src/cache.py`, always clear them before a release.")
    keep_note(memory, "database")
    note_cards.read(curator, changed={written})
    (card,) = waiting(curator)
    assert "Gone: src/cache.py." in card.context
    written.unlink()
    note_cards.read(curator, changed={memory / "database.md"})
    assert [entry.insight for entry in waiting(curator)] == [RULE], "the card of the note that is gone goes, too"


def test_ten_notes_of_long_ago_that_nothing_confirmed_come_up_for_cleanup(curator: Curator, memory: Path, still: Clock) -> None:
    def in_cleanup() -> list[str]:
        return [entry.insight for entry in curator.lessons.entries(curator.lessons.cleanup())]

    rules = [f"Never call service number{number} twice from handler{number}." for number in range(12)]
    for number, rule in enumerate(rules):
        at = still.at - (91 + number) * 86_400
        os.utime(keep_note(memory, f"n{number}", rule, kind="project"), (at, at))
    young = keep_note(memory, "young")
    os.utime(young, (still.at - 80 * 86_400, still.at - 80 * 86_400))
    app.scan.scan(curator)
    assert set(in_cleanup()) == {*rules[2:]}, "the oldest ten, weaker cards, too"
    (oldest,) = (entry for entry in waiting(curator, rest=True) if entry.insight == rules[-1])
    assert app.doubt_reason(oldest, still.at) == "nothing confirmed it in 90 days"
    curator.decisions.accept([oldest.id])
    assert set(in_cleanup()) == {*rules[1:-1]}, "a person confirmed it"
    still.forward(91 * 86_400)
    assert RULE in {entry.insight for entry in waiting(curator)}
    assert rules[-1] in in_cleanup(), "90 days ago"
    curator.decisions.accept([oldest.id])
    assert rules[-1] not in in_cleanup()
