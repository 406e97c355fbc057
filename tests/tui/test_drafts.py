"""Drafts on disk: whatever was typed comes back, whoever else keeps some, and whatever stands in the file."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from curator.tui.editor import Drafts

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(st.dictionaries(texts, st.tuples(texts, texts), max_size=4))
def test_what_is_put_is_there_in_the_next_window(typed: dict[str, tuple[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        drafts = Drafts(Path(folder) / "drafts.json")
        for id_, text in typed.items():
            drafts.put(id_, text)
        again = Drafts(Path(folder) / "drafts.json")
        assert {id_: again.get(id_) for id_ in again.ids()} == typed


def test_two_windows_keep_each_others_drafts(tmp_path: Path) -> None:
    one, other = Drafts(tmp_path / "drafts.json"), Drafts(tmp_path / "drafts.json")
    one.put("A", ("a", ""))
    other.put("B", ("b", ""))
    one.drop("A")
    assert Drafts(tmp_path / "drafts.json").ids() == ["B"]


@given(
    st.binary(max_size=30)
    | st.sampled_from([b"[]", b'{"a": 1}', b'{"a": ["x"]}', b'{"a": null}', b'{"a": ["x", "y", "z"]}', b"[[]]"])
)
def test_a_file_that_is_not_ours_to_understand_holds_no_drafts(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "drafts.json"
        file.write_bytes(content)
        assert Drafts(file).ids() == []


def test_a_draft_says_when_it_was_typed(tmp_path: Path, still: Any) -> None:
    file = tmp_path / "drafts.json"
    Drafts(file).put("NEW", ("c", "d"))
    still.forward(7200)
    drafts = Drafts(file)
    assert (drafts.get("NEW"), drafts.label("NEW")) == (("c", "d"), "draft, 2h ago")
    drafts.put("NEW", ("c", "d"))
    assert drafts.label("NEW") == "draft, 2h ago", "who opens it and types nothing makes it no younger"
    assert drafts.label("NONE") == ""
