"""Files that somebody made to harm a reader: they are left out, and that is said; nothing ever raises."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator import code, memories
from curator.memories import STORES, Note, Place, Source, discover
from curator.text import redact
from curator.text.clean import strip
from tests.files import write_file as put
from tests.memories.conftest import look

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def notes_of(repo: Path) -> tuple[list[Note], list[str]]:
    found = look(repo.parent / "home", repo)
    return [note for store, source in found.sources for note in store.notes(source)], found.skipped


def test_links_pipes_and_what_is_too_large_are_left_out_with_a_sentence(repo: Path, tmp_path: Path) -> None:
    folder = repo / ".claude" / "memory"
    secret = put(tmp_path / "outside" / "key.md", "- The key of the house.\n")
    put(folder / "MEMORY.md", "- The port is 4000.\n")
    (folder / "link.md").symlink_to(secret)
    (folder / "deep").symlink_to(secret.parent, target_is_directory=True)
    os.mkfifo(folder / "pipe.md")
    put(folder / "big.md", "x" * (discover.MAX_FILE_BYTES + 1))
    (folder / "binary.md").write_bytes(b"\0\1\2")
    notes, skipped = notes_of(repo)
    assert [note.text for note in notes] == ["The port is 4000."]
    assert sorted(sentence.split(":")[0].rpartition("/")[2] for sentence in skipped) == [
        *("big.md", "binary.md", "link.md", "pipe.md")
    ]
    assert all(sentence.endswith("curator skipped it") for sentence in skipped)


def test_a_store_that_is_a_link_to_elsewhere_is_left_out(repo: Path, tmp_path: Path) -> None:
    put(tmp_path / "outside" / "MEMORY.md", "- The key of the house.\n")
    (repo / ".claude").mkdir()
    (repo / ".claude" / "memory").symlink_to(tmp_path / "outside", target_is_directory=True)
    notes, skipped = notes_of(repo)
    assert notes == []
    assert len(skipped) == 1
    assert "a link leads out of" in skipped[0]


def test_a_file_is_read_once_however_many_places_lead_to_it(repo: Path) -> None:
    put(repo / ".claude" / "memory" / "MEMORY.md", "- The port is 4000.\n")
    (repo / "memory").symlink_to(repo / ".claude" / "memory", target_is_directory=True)
    assert len(notes_of(repo)[0]) == 1


def test_folders_are_followed_to_a_depth(repo: Path) -> None:
    deep = repo / ".serena" / "memories" / "/".join("abcdefgh")
    put(deep / "x.md", "Never look here.\n")
    notes, skipped = notes_of(repo)
    assert notes == []
    assert len(skipped) == 1
    assert "deeper" in skipped[0]


def test_what_drives_a_terminal_and_secrets_are_gone(repo: Path) -> None:
    put(repo / ".claude" / "memory" / "MEMORY.md", f"- red \x1b[31mtext\u202e\n- token {TOKEN}\n")
    first, second = notes_of(repo)[0]
    assert (first.text, first.secret) == ("red text", False)
    assert (second.text, second.secret) == (f"token {redact.MASK}", True)


def test_a_secret_in_the_front_matter_counts(repo: Path) -> None:
    put(repo / ".claude" / "memory" / "a.md", f"---\nname: a\ndescription: token {TOKEN}\ntype: user\n---\nUse it.\n")
    (note,) = notes_of(repo)[0]
    assert note.secret
    assert TOKEN not in note.title


PIECES = st.sampled_from(
    [
        *("--- # ## ### - * 1. [x] ** ``` ~~~ | <!-- --> @@ +added -gone [a](b.md) v1 a: \t é 日本。 \\ \" '".split(" ")),
        *("**Why:**", "**How to apply:**", "<!-- curator:begin", "# Task Group: x", "## Task 1: y", "## Reusable knowledge"),
        *("[Task 1]", "applies_to: cwd=/x;", "thread_id=aaaaaaaa-1", "type: user", "## Gemini Added Memories"),
        *("## User preferences", "Use it."),
    ]
)
TEXTS = st.lists(st.one_of(PIECES, st.just("\n"), st.just("\n\n"), st.text(max_size=8)), max_size=40).map(" ".join)
FILES = ["MEMORY.md", "memory_summary.md", "GEMINI.md", "a.md", "b.txt", ".inbox/private/p.patch"]


@pytest.mark.parametrize("store", STORES, ids=lambda store: store.name)
@given(text=TEXTS, name=st.sampled_from(FILES))
def test_reading_never_raises_and_every_text_stands_in_its_file(store: memories.Store, text: str, name: str) -> None:
    text = strip(text)
    place = Place(Path("/x"), Path("/x"))
    lines = text.split("\n")
    for note in store.notes(Source(place, Path("/x") / name, name, text)):
        assert note.text.strip()
        assert note.title.strip()
        rest = iter(lines[note.line - 1 :])
        first, *more = note.text.split("\n")
        assert first.strip() in next(rest)
        assert all(any(line.strip() in other for other in rest) for line in more)


RUNS = (
    *("\n", " ", "#", "# ", "- ", "`", "[", "*", "a/", "a.", ".'", "[Task 1] "),
    *("## a\n", "---\n", "@@ a\n", "**Why:** ", "1. "),
)
LONG = [run * (40_000 // len(run)) for run in RUNS]


@pytest.mark.parametrize("store", STORES, ids=lambda store: store.name)
def test_no_file_takes_long(store: memories.Store) -> None:
    """Ends long before the test's time is over: no expression goes back and forth over a line or a file."""
    for long in LONG:
        for name, text in (("MEMORY.md", f"## Reusable knowledge\n- Use {long}x"), (".inbox/private/p.patch", f"{long}x")):
            list(islice(store.notes(Source(Place(Path("/x"), Path("/x")), Path("/x") / name, name, text)), 50))


@pytest.mark.parametrize("long", LONG, ids=map(repr, RUNS))
def test_no_note_takes_long(long: str) -> None:
    """The same of whoever asks what is in a note, whose text is the same in each store."""
    place = Place(Path("/x"), Path("/x"))
    for note in islice(STORES[0].notes(Source(place, Path("/x/MEMORY.md"), "MEMORY.md", f"- Use {long}x")), 50):
        memories.is_status(note)
        code.named_paths(note.whole)
        list(code.named_symbols(note.whole))
