"""A static model gives means of its tokens; what is missing, damaged or does not fit is said."""

from __future__ import annotations

import struct
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator import plugins
from curator.embed import models
from curator.errors import CuratorError
from curator.hookspecs import Embedder
from curator.settings import Settings
from tests.embed.conftest import MEANINGS, framed, tensors, tokenizer


def of(folder: Path | str) -> models.Static:
    return models.static_embedder(Settings(home=Path("home"), embedder="static", embedder_folder=str(folder)))


def test_it_is_registered_and_made_of_the_settings(folder: Path) -> None:
    assert set(plugins.embedders()) == {"static", "onnx"}
    made = plugins.embedders()["static"](Settings(home=folder, embedder="static", embedder_folder=str(folder)))
    assert isinstance(made, Embedder)


def test_a_text_is_the_mean_of_its_tokens_of_length_one(folder: Path) -> None:
    one, same, nothing, foreign = of(folder).embed(["Flaky retry", "retry flaky flaky retry", "", "什么 nobody knows"])
    assert one == pytest.approx([2 / 5**0.5, 1 / 5**0.5, 0.0])
    assert same == pytest.approx(one)
    assert nothing == foreign == [0.0, 0.0, 0.0]


def test_a_word_that_is_unknown_changes_nothing(folder: Path) -> None:
    known, more = of(folder).embed(["unstable names", "unstable zanzibar names"])
    assert known == pytest.approx(more)


def test_half_precision_is_the_same(folder: Path) -> None:
    (whole,) = of(folder).embed(["flaky tests again"])
    (folder / "model.safetensors").write_bytes(tensors(list(MEANINGS.values()), "F16"))
    (half,) = of(folder).embed(["flaky tests again"])
    assert half == pytest.approx(whole, abs=1e-3)


def test_padding_and_cutting_of_the_tokenizer_do_not_count(folder: Path) -> None:
    (plain,) = of(folder).embed(["names " * 9 + "retry"])
    text = tokenizer().replace(
        '"truncation": null',
        '"truncation": {"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0}',
    )
    (folder / "tokenizer.json").write_text(text, encoding="utf-8")
    (cut,) = of(folder).embed(["names " * 9 + "retry"])
    assert cut == pytest.approx(plain)


def test_its_name_changes_with_its_files(folder: Path) -> None:
    name = of(folder).name
    assert of(folder).name == name
    (folder / "model.safetensors").write_bytes(tensors([*MEANINGS.values(), (0.0, 0.0, 0.0)]))
    assert of(folder).name != name


def test_what_is_missing_is_named(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(CuratorError, match="needs a folder") as caught:
        of("")
    assert "embedder_folder" in caught.value.hint
    with pytest.raises(CuratorError, match="is no folder"):
        of(tmp_path / "nowhere")
    (folder / "tokenizer.json").unlink()
    with pytest.raises(CuratorError, match=r"has no tokenizer\.json"):
        of(folder)


@pytest.mark.parametrize("library", ["numpy", "tokenizers"])
def test_a_missing_extra_is_named(folder: Path, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(CuratorError, match=f"needs {library}") as caught:
        of(folder)
    assert 'pip install "lesson-curator[static]"' in caught.value.hint


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "header"),
        (b"PK\3\4 no tensors at all", "header"),
        (struct.pack("<Q", 1 << 62) + b"{}", "header"),
        (framed({}), "0 tensors"),
        (framed([]), "0 tensors"),
        (framed({"a": 1}), "type None"),
        (framed({"a": {}, "b": {}}), "2 tensors"),
        (framed({"a": {"dtype": "I8", "shape": [1, 1], "data_offsets": [0, 1]}}, b"1"), "type I8"),
        (framed({"a": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]}}, b"1" * 12), "shape"),
        (framed({"a": {"dtype": "F32", "shape": [0, 3], "data_offsets": [0, 0]}}), "shape"),
        (framed({"a": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}}, b"1" * 15), "lie at"),
        (framed({"a": {"dtype": "F32", "shape": [2, 2], "data_offsets": [-4, 12]}}, b"1" * 16), "lie at"),
        (tensors([(1.0, 2.0)]), "different models"),
    ],
)
def test_a_file_that_is_no_such_matrix_is_refused(folder: Path, data: bytes, complaint: str) -> None:
    (folder / "model.safetensors").write_bytes(data)
    with pytest.raises(CuratorError) as caught:
        of(folder)
    assert complaint in str(caught.value)
    assert str(folder / "model.safetensors") in str(caught.value)


@pytest.mark.parametrize("text", ["", "{}", "[1", '{"model": {"type": "Nothing"}}'])
def test_a_tokenizer_that_is_none_is_refused(folder: Path, text: str) -> None:
    (folder / "tokenizer.json").write_text(text, encoding="utf-8")
    with pytest.raises(CuratorError, match=r"tokenizer\.json can't be read"):
        of(folder)


JUNK: Any = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 99) | st.sampled_from(["F16", "F32", "dtype"]) | st.floats(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
TENSOR = st.fixed_dictionaries(
    {},
    optional={"dtype": st.sampled_from(["F16", "F32"]) | JUNK, "shape": st.lists(st.integers(-2, 5), max_size=3) | JUNK}
    | {"data_offsets": st.lists(st.integers(-2, 60), max_size=3) | JUNK},
)


@settings(max_examples=200, deadline=None)
@given(header=st.dictionaries(st.text(max_size=3), TENSOR, max_size=2) | JUNK, size=st.integers(0, 60))
def test_no_header_leads_out_of_the_file(header: Any, size: int) -> None:
    try:
        kind, (rows, columns), start = models.place(header, size)
    except ValueError:
        return
    assert start >= 0
    assert 0 < rows * columns * models.STATIC_TYPES[kind][1] <= size - start


@settings(max_examples=100, deadline=None)
@given(data=st.binary(max_size=64) | st.builds(framed, JUNK, st.binary(max_size=16)))
def test_whatever_the_file_holds_is_a_matrix_or_said_to_be_none(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    pytest.importorskip("numpy", reason="numpy is missing: install the extra `static`")
    path = tmp_path_factory.getbasetemp() / "hostile.safetensors"
    path.write_bytes(data)
    with suppress(CuratorError):
        assert len(models.matrix(path, "static").shape) == 2
