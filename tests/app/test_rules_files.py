"""Rules from agents' files become candidates: scoped, with evidence, once, and never lessons by themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator import app
from curator.app import Curator
from curator.errors import CuratorError
from curator.model import Category, Entry, Kind, Query, Role, State
from tests.app.conftest import cards as found
from tests.app.conftest import stored
from tests.files import write_file

PYTEST = "Always run `uv run pytest` before a commit, never bare pytest"
VENDOR = "Never edit vendor/ by hand, the nightly sync overwrites it"


def put(work: Path, name: str, *rules: str, head: str = "") -> Path:
    return write_file(work / name, head + "# Rules\n\n" + "".join(f"- {rule}\n" for rule in rules))


def cards(curator: Curator) -> list[Entry]:
    return sorted(found(curator), key=lambda entry: entry.headline)


def took(curator: Curator, folder: Path | None = None) -> tuple[int, int, int]:
    done = app.rules_files.propose_rules(curator, folder)
    return done.added, done.changed, len(done.conflicts)


def test_rules_wait_as_candidates_with_their_place(curator: Curator, work: Path) -> None:
    put(work, "AGENTS.md", PYTEST, "the sources are in src", VENDOR)
    assert took(curator) == (2, 0, 0)
    assert list(curator.lessons.entries(Query(states=(State.ACTIVE,)))) == []
    tests, vendor = cards(curator)
    assert (vendor.headline, vendor.category, vendor.signal) == (VENDOR, Category.CONSTRAINT, "rules-file")
    (quote,) = vendor.evidence
    assert (quote.file, quote.line, quote.quote, quote.role) == ("AGENTS.md", 5, VENDOR, Role.HUMAN)
    assert [(line.text, line.hit) for line in quote.excerpt] == [
        (f"- {PYTEST}", False),
        ("- the sources are in src", False),
        (f"- {VENDOR}", True),
    ]
    assert (tests.category, tests.agent, tests.scope) == (Category.TOOLING, "codex", "project")
    assert len(tests.headline.split()) <= 12


def test_they_are_proposed_once_wherever_they_stand_and_move_to(curator: Curator, work: Path) -> None:
    put(work, "AGENTS.md", PYTEST, VENDOR)
    took(curator)
    put(work, "AGENTS.md", "Use four spaces everywhere", VENDOR, PYTEST)
    assert took(curator) == (1, 0, 0)
    assert {entry.times_stated for entry in cards(curator)} == {1}
    put(work, "CLAUDE.md", VENDOR)
    assert took(curator) == (0, 1, 0)
    assert took(curator) == (0, 0, 0)
    (entry,) = [entry for entry in cards(curator) if "vendor" in entry.headline]
    assert (entry.times_stated, [item.file for item in entry.evidence]) == (2, ["AGENTS.md", "CLAUDE.md"])


def test_what_a_person_has_decided_on_stays_decided(curator: Curator, work: Path) -> None:
    put(work, "AGENTS.md", PYTEST, VENDOR, "Use four spaces everywhere")
    took(curator)
    four, kept, gone = sorted(cards(curator), key=lambda entry: (PYTEST in entry.headline, VENDOR in entry.headline))
    curator.decisions.accept([kept.id])
    curator.decisions.drop([four.id])
    app.forget.forget(curator, [gone.id])
    assert took(curator) == (0, 0, 0)
    assert cards(curator) == []


def test_what_a_lesson_says_already_is_no_news_and_what_it_denies_is_a_conflict(curator: Curator, work: Path) -> None:
    curator.decisions.add("Never edit vendor/ by hand: the nightly sync overwrites it")
    curator.decisions.add("Use npm for all packages")
    put(work, "AGENTS.md", VENDOR, "Use pnpm for all packages")
    assert took(curator) == (0, 0, 1)
    (entry,) = cards(curator)
    assert (entry.kind, entry.headline) == (Kind.CONFLICT, "Use pnpm for all packages")


def test_a_rule_holds_for_the_folder_or_the_files_that_its_file_is_for(curator: Curator, work: Path) -> None:
    put(work, "web/AGENTS.md", PYTEST)
    put(work, "AGENTS.md", "Never push to main on a Friday")
    assert took(curator, work / "web") == (1, 0, 0), "only the folder named is looked into"
    (work / "AGENTS.md").unlink()
    put(work, ".cursor/rules/a.mdc", VENDOR, head="---\nglobs: src/**/*.ts,tests/**\n---\n")
    put(work, "api/.cursor/rules/b.mdc", "Use four spaces everywhere", head="---\nglobs: '*.py'\n---\n")
    took(curator)
    found = {entry.evidence[0].file: (entry.scope, entry.paths) for entry in cards(curator)}
    assert found == {
        "web/AGENTS.md": ("paths", ("web",)),
        ".cursor/rules/a.mdc": ("paths", ("src/**/*.ts", "tests/**")),
        "api/.cursor/rules/b.mdc": ("paths", ("api/*.py",)),
    }
    curator.project = None
    with pytest.raises(CuratorError, match="and rules need one"):
        app.rules_files.propose_rules(curator)


def test_files_that_are_no_text_are_refused_and_the_others_taken(curator: Curator, work: Path) -> None:
    put(work, "AGENTS.md", PYTEST)
    (work / "CLAUDE.md").write_bytes(b"- Never \xff\xfe do this by hand\n")
    (work / "GEMINI.md").write_bytes(b"- Never do this by hand\n" * 100_000)
    done = app.rules_files.propose_rules(curator)
    assert [(item.file, item.line) for item in done.refusals] == [("CLAUDE.md", 1), ("GEMINI.md", 1)]
    assert done.added == 1


def test_of_a_flood_of_rules_the_first_are_proposed_and_the_rest_is_named(curator: Curator, work: Path) -> None:
    from curator.app.project.rules_files import MAX_RULES_PER_FILE

    put(work, "AGENTS.md", *(f"Never use word{n} in module{n} of part{n}" for n in range(MAX_RULES_PER_FILE + 7)))
    done = app.rules_files.propose_rules(curator)
    (refused,) = done.refusals
    assert (refused.file, refused.line) == ("AGENTS.md", MAX_RULES_PER_FILE + 3)
    assert f"{MAX_RULES_PER_FILE + 7} rules" in refused.reason
    assert done.added + done.changed <= MAX_RULES_PER_FILE


def test_secrets_and_what_drives_terminals_stay_out(curator: Curator, work: Path) -> None:
    put(work, "AGENTS.md", "Never commit the key AKIAIOSFODNN7EXAMPLE to \x1b[31mthe\x1b[0m repository")
    took(curator)
    data = stored(curator)
    assert b"Never commit the key" in data
    assert not [bad for bad in (b"AKIAIOSFODNN7EXAMPLE", b"\x1b[31m", b"\\u001b") if bad in data]


def test_items_that_are_no_rule_are_counted_with_one_of_each_file(curator: Curator, work: Path) -> None:
    put(work, "AGENTS.md", VENDOR, "the sources are in src", "where to look:", "written in Go")
    put(work, "sub/CLAUDE.md", PYTEST)
    (passed,) = app.rules_files.propose_rules(curator).skips
    assert (passed.file, passed.count, passed.line, passed.text) == ("AGENTS.md", 2, 4, "the sources are in src")
